# The truth is memory: what an engine adds up of the protocols' reports is what rr_tally() counts of the reports themselves.

skip_if_not_installed("dbplyr")
skip_if_not_installed("RSQLite")

connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
withr::defer(DBI::dbDisconnect(connection), teardown_env())
stored <- function(data, name = "reports") {
  DBI::dbWriteTable(connection, name, data, overwrite = TRUE)
  dplyr::tbl(connection, name)
}

set.seed(20)
n <- 250
answers <- sample(9, n, TRUE)
region <- sample(c("n", "s"), n, TRUE)
# Weights that are sums of few powers of two: their sums are exact in every order.
w <- sample(c(0.5, 1, 2), n, TRUE)

expect_same <- function(frame, reports, mechanism, ..., weights = TRUE) {
  table <- stored(frame)
  by <- if ("region" %in% names(frame)) "region"
  plain <- dplyr::select(table, !dplyr::any_of(c("region", "w")))
  expect_equal(rr_tally(plain, mechanism, ...), rr_tally(reports, mechanism))
  expect_equal(rr_tally(dplyr::select(table, !dplyr::any_of("w")), mechanism, ..., by = "region"),
               rr_tally(reports, mechanism, by = list(region = region)))
  if (!weights) return(invisible())
  expect_equal(rr_tally(table, mechanism, ..., by = "region", weights = "w"),
               rr_tally(reports, mechanism, by = list(region = region), weights = w))
  expect_identical(rr_estimate(rr_tally(plain, mechanism, ...), method = "inv")$estimate,
                   rr_estimate(rr_tally(reports, mechanism), method = "inv")$estimate)
}

test_that("numbers are a GROUP BY: Hadamard responses, one bit of them, hash values, cohorts, questions and depths", {
  cases <- list(rr_hadamard(9, 1), rr_hadamard(9, 2, blocks = 3), rr_hadamard(9, 1, one_bit = TRUE), rr_local_hash(9, 1),
                rr_local_hash(9, 1, cohorts = 5), rr_hierarchy(9, 1, fanout = 3))
  for (mechanism in cases) {
    reports <- rr_perturb(answers, mechanism, rng = "R")
    frame <- if (is.data.frame(reports)) as.data.frame(reports) else data.frame(report = reports)
    expect_same(cbind(frame, region = region, w = w), reports, mechanism, weights = !inherits(mechanism, "rr_hierarchy"))
    text <- rr_query(dplyr::tbl(connection, "reports"), mechanism, column = if (length(frame) == 1) "report", by = "region")
    expect_match(text, "GROUP BY")
    expect_length(text, 1)
    # The engine sends what is different, not what is there.
    back <- DBI::dbGetQuery(connection, as.character(text))
    expect_identical(nrow(back), nrow(unique(cbind(frame, region))))
  }
})

test_that("bits are sums: of columns, and of hexadecimal text", {
  for (k in c(3, 8, 20)) {
    labels <- c("some", "many \"odd\"", LETTERS)[seq_len(k)]
    for (mechanism in list(rr_unary(labels, 1), rr_subset(labels, 1, size = 2))) {
      reports <- rr_perturb(labels[(answers - 1) %% k + 1], mechanism, rng = "R")
      packed <- candor:::new_rr_bits(candor:::report_sets(mechanism, reports), k)
      bits <- stats::setNames(as.data.frame(as.matrix(packed)), labels)
      expect_same(cbind(bits, region = region, w = w), reports, mechanism)
      hex <- as.character(packed)
      hex[1:9] <- toupper(hex[1:9])
      expect_same(data.frame(hex = hex, region = region, w = w), reports, mechanism, column = "hex")
    }
  }
  # In blocks of their own: hashed reports may also be stored as what they support.
  text <- rr_query(dplyr::tbl(connection, "reports"), mechanism, column = "hex")
  expect_match(text, "SUM")
  back <- DBI::dbGetQuery(connection, as.character(text))
  expect_identical(nrow(back), 1L)
  expect_equal(rr_counts(unlist(back[mechanism$levels]), mechanism, n = back$n), rr_tally(reports, mechanism))
})

test_that("a long table is a GROUP BY of its levels, with the number of reports", {
  for (mechanism in list(rr_unary(letters[1:9], 1), rr_subset(letters[1:9], 1, size = 3), rr_unary(9, 3))) {
    reports <- rr_perturb(mechanism$levels[answers], mechanism, rng = "R")
    bits <- as.matrix(candor:::new_rr_bits(candor:::report_sets(mechanism, reports), 9))
    level <- if (is.null(mechanism$numeric_levels)) mechanism$levels else seq_len(9)
    long <- data.frame(id = row(bits)[bits == 1], level = level[col(bits)[bits == 1]])
    empty <- setdiff(seq_len(n), long$id)
    if (length(empty)) long <- rbind(long, data.frame(id = empty, level = NA))
    long$region <- region[long$id]
    expect_same(long, reports, mechanism, weights = FALSE)
    # In memory the same: a report counts once, whatever its rows.
    expect_equal(rr_tally(long[c("id", "level")], mechanism), rr_tally(reports, mechanism))
    grouped <- rr_tally(long, mechanism, by = "region")
    expect_equal(grouped$n, as.vector(table(region)[as.character(grouped$groups$region)]))
    text <- rr_query(dplyr::tbl(connection, "reports"), mechanism, by = "region")
    expect_named(text, c("levels", "reports"))
  }
})

test_that("NULLs and what is no report are found by the same query", {
  unary <- rr_unary(letters[1:3], 1)
  subset <- rr_subset(letters[1:4], 1, size = 2)
  hash <- rr_local_hash(3, 1)
  bits <- data.frame(a = c(0L, 1L, NA, 1L), b = c(1L, 1L, 0L, 0L), c = 0L)
  expect_message(tally <- rr_tally(stored(bits), unary, na.rm = TRUE), "1 missing", class = "candor_message_missing")
  expect_identical(tally$counts, c(2, 2, 0))
  expect_identical(c(tally$n, tally$missing), c(3, 1))
  expect_snapshot(error = TRUE, {
    rr_tally(stored(bits), unary)
    rr_tally(stored(data.frame(a = c(0L, 2L), b = 1L, c = 0L)), unary)
    rr_tally(stored(data.frame(a = c(0L, 1L), b = 1L, c = 0L, d = 0L)), subset)
    rr_tally(stored(data.frame(x = c("01", "0f", "zz", "011"))), unary)
    rr_tally(stored(data.frame(x = c("03", "01"))), subset)
    rr_tally(stored(data.frame(x = c("03", NA))), subset)
    rr_tally(stored(data.frame(x = c("03", "01"), y = 1)), subset)
    rr_tally(stored(data.frame(id = c(1, 1, 2, 2), level = c("a", "b", "a", "z"))), subset)
    rr_tally(stored(data.frame(id = c(1, 1, 2, 2), level = c("a", "b", "a", "a"))), subset)
    rr_tally(stored(data.frame(id = c(1, 1, 2), level = c("a", "b", "a"))), subset)
    rr_tally(stored(data.frame(id = c(1, 1, NA, NA), level = c("a", "b", "a", "c"))), subset)
    rr_tally(stored(data.frame(id = c(1, 1), level = c("a", NA))), unary)
    rr_tally(stored(data.frame(id = 1:500, level = "a")), unary)
    rr_tally(data.frame(id = 1:500, level = "a"), unary)
    rr_tally(stored(data.frame(id = 1:2, level = "a", w = 1)), unary, weights = "w")
    rr_tally(data.frame(id = c(1, 1), level = c("a", "b"), g = 1:2), subset, by = "g")
    rr_tally(stored(data.frame(slope = 1:3, shift = 0L, value = c(1L, 9L, 1L))), hash)
    rr_tally(stored(data.frame(slope = 1:3, shift = 0L, value = c(1L, NA, 1L))), hash)
    rr_tally(stored(data.frame(a = 1, b = 2)), rr_bitflip(3, 1))
    rr_tally(stored(data.frame(n = 1, x = 2)), rr_unary(c("n", "x"), 1))
    rr_query(dbplyr::lazy_frame(x = "", con = dbplyr::simulate_hive()), rr_unary(2000, 1))
  })
})
