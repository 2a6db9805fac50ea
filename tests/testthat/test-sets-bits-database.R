# The truth is memory: a long table of bits is the matrix of the same bits.

stored <- database_of_tests("long")

set.seed(1)
bits <- matrix(rbinom(120, 1, 0.3), 30, dimnames = list(sprintf("e%02d", 1:30), c("a", "b", "c", "d")))
long <- data.frame(who = rep(rownames(bits), 4), site = rep(colnames(bits), each = 30), bit = as.vector(bits))

test_that("a long table of bits is tallied as the matrix is", {
  tally <- rr_tally(stored(long[sample(nrow(long)), ]), flip = 0.1, element = "who", set = ~ site)
  expect_identical(tally, rr_tally(bits, flip = 0.1))
  expect_identical(rr_set_size(tally), rr_set_size(rr_tally(bits, flip = 0.1)))
  expect_identical(rr_incidence(tally), rr_incidence(rr_tally(bits, flip = 0.1)))
  wide <- stored(cbind(long, day = 1L), "wide")
  expect_identical(rr_tally(wide, flip = 0.1, element = "who", set = "site", column = "bit"), tally)
})

test_that("what is no such table is refused", {
  table <- stored(long)
  hole <- long
  hole$bit[4] <- NA
  wrong <- long
  wrong$bit[5] <- 3L
  tally <- function(table, flip = 0.1, ...) rr_tally(table, flip = flip, element = "who", set = "site", ...)
  expect_refused(tally(stored(long[-1, ], "absent")), tally(stored(long[c(1:120, 7), ], "twice")))
  expect_error(tally(stored(hole, "hole")), class = "candor_error_missing")
  expect_error(tally(stored(wrong, "wrong")), "0 or 1", class = "candor_error_argument")
})

test_that("a column of a long table must not have the name of a sum of the query", {
  for (name in c("n_bits", "n_ones", "n_unknown")) {
    renamed <- function(position) stats::setNames(long, replace(names(long), position, name))
    expect_refused(rr_tally(stored(renamed(1), "renamed"), flip = 0.1, element = name, set = "site"),
                   rr_tally(stored(renamed(2), "renamed"), flip = 0.1, element = "who", set = name),
                   rr_tally(stored(renamed(3), "renamed"), flip = 0.1, element = "who", set = "site"))
  }
})
