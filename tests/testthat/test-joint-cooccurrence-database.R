# The truth is memory: joint counts of columns in a database are those of the same data frame.

stored <- database_of_tests("bits")
some_bits <- function(n, d) {
  set.seed(n + d)
  as.data.frame(matrix(rbinom(n * d, 1, 0.4), n, dimnames = list(NULL, c("n", "sum1", setdiff(letters, "n"))[seq_len(d)])))
}

test_that("sums of products give what memory gives", {
  for (d in c(1, 2, 4, 7)) {
    bits <- some_bits(200, d)
    table <- stored(bits)
    expect_identical(rr_cooccurrence(table), rr_cooccurrence(bits))
    for (order in seq_len(d)) expect_identical(rr_cooccurrence(table, order), rr_cooccurrence(bits, order))
  }
  # Further sets
  expect_identical(rr_cooccurrence(table, 2, sets = list(c("n", "a", "b"), c("sum1", "c", "d"))),
                   rr_cooccurrence(bits, 2, sets = list(c("n", "a", "b"), c("sum1", "c", "d"))))
  # One row that says yes to both
  one <- data.frame(n = 1, sum1 = 1)
  expect_identical(rr_cooccurrence(stored(one), 2), rr_cooccurrence(one, 2))
  # Logical values
  logical <- as.data.frame(lapply(bits, as.logical))
  expect_identical(rr_cooccurrence(stored(logical), 2), rr_cooccurrence(logical, 2))
})

test_that("more sums than an engine takes in one query come in batches", {
  bits <- some_bits(50, 22)
  table <- stored(bits)
  expect_gt(set_total(22, 3), query_width)
  expect_identical(rr_cooccurrence(table, 3), rr_cooccurrence(bits, 3))
})

test_that("rows with a NULL are refused, or dropped and counted", {
  for (d in c(2, 6)) {
    bits <- some_bits(60, d)
    bits[[2]][c(3, 4)] <- NA
    bits[[1]][c(4, 9)] <- NA
    table <- stored(bits)
    expect_error(rr_cooccurrence(table), '"n"', class = "candor_error_missing")
    expect_message(counts <- rr_cooccurrence(table, na.rm = TRUE), "3 rows", class = "candor_message_missing")
    expect_equal(counts, suppressMessages(rr_cooccurrence(bits, na.rm = TRUE)))
    bits[[2]] <- NA_integer_
    expect_error(suppressMessages(rr_cooccurrence(stored(bits), na.rm = TRUE)), class = "candor_error_empty")
  }
})

test_that("what is no bit is refused", {
  two <- stored(data.frame(a = c(0, 1, 2), b = c(1, 0, 1)))
  six <- stored(cbind(some_bits(20, 6), id = 1:20), "six")
  expect_refused(rr_cooccurrence(two), rr_cooccurrence(six), class = "level")
  expect_error(rr_cooccurrence(dplyr::filter(two, a > 7)), class = "candor_error_empty")
  expect_error(rr_cooccurrence(dplyr::select(six, n, sum1), order = 3), class = "candor_error_argument")
})

test_that("batches of sums are one table in the order of the sums, of rows that are counted alike in each", {
  # The answer to a query has a row for each value of the flag: a sum is its letter's place, or twice that.
  batched <- function(sums, n = c(7, 2), answered = 0) {
    run <- function(data, query) {
      answered <<- answered + 1
      table <- data.frame(flag = 0:1, n = n + answered %/% 3, outer(1:2, match(query[-1], LETTERS)))
      setNames(table, c("flag", names(query)))
    }
    with_calls(batched_sums, query_width = 2L, group_query = function(data, keys, sums) sums, run_query = run)(NULL, sums, "flag", c("sum2", "x"))
  }
  counted <- batched(c("D", "A", "C"))
  expect_identical(counted[c("n", "flag")], list(n = c(7, 2), flag = c(0, 1)))
  expect_identical(unname(counted$values), rbind(c(4, 1, 3), c(8, 2, 6)))
  expect_identical(unname(batched("B")$values), cbind(c(2, 4)))
  # The third batch sees a row more.
  expect_error(batched(LETTERS[1:5]), class = "candor_error_database")
})

test_that("further sets, one row, one NULL and a column called complete are counted as in memory", {
  bits <- setNames(some_bits(40, 4), c("a", "b", "complete", "d"))
  for (sets in list("a:b:d", c("a:complete", "b:complete:d"))) {
    expect_identical(rr_cooccurrence(stored(bits, "further"), 1, sets = sets), rr_cooccurrence(bits, 1, sets = sets))
  }
  gaps <- bits
  gaps$b[7] <- NA
  expect_error(rr_cooccurrence(stored(gaps, "gaps")), class = "candor_error_missing")
  expect_equal(suppressMessages(rr_cooccurrence(stored(gaps, "gaps"), na.rm = TRUE)), suppressMessages(rr_cooccurrence(gaps, na.rm = TRUE)))
  one <- bits[1:2, ]
  one$a[2] <- NA
  expect_equal(suppressMessages(rr_cooccurrence(stored(one, "one"), na.rm = TRUE)), suppressMessages(rr_cooccurrence(one, na.rm = TRUE)))
})
