test_that("tallies of other mechanisms are not merged", {
  counts <- function(...) rr_counts(c(1, 2, 3), rr_grr(...))
  one <- counts(3, epsilon = 1)
  # The last digits of an epsilon that follows from p depend on the machine.
  expect_error(c(one, counts(3, p = 0.576116884765829)), "`epsilon` is 1[.]0{10,}[0-9]+, and 1", class = "candor_error_mismatch")
  forced <- function(levels) rr_counts(1:3, rr_forced(c(0.1, 0.2, 0.3), levels = levels))
  two <- function(p) rr_counts(1:4, rr_product(a = rr_warner(0.8), b = rr_warner(p)))
  # With "1", "2", "3" the labels are the same, but numbers in the data are labels of the one and positions of the other.
  expect_refused(c(one, counts(c("1", "2", "3"), epsilon = 1)), c(one, counts(3, epsilon = 1 + 2^-52)), c(one, counts(c("a", "b", "c"), epsilon = 1)),
                 c(one, rr_counts(1:4, rr_grr(4, epsilon = 1))), c(one, rr_counts(1:3, rr_forced(0.1, levels = 3))),
                 c(forced(c("a", "b", "c")), forced(c("c", "b", "a"))), c(one, counts(3:1, epsilon = 1)),
                 rr_estimate(one, rr_grr(3, epsilon = 2)), c(two(0.7), two(0.75)),
                 c(rr_counts(1:2, rr_warner(0.8)), rr_counts(1:2, suppressMessages(rr_warner(0.8, levels = c("yes", "no"))))), class = "mismatch")
})
