test_that("noncompliance is the mixture of the design and the behaviour", {
  design <- rr_grr(c("a", "b", "c"), epsilon = 1)
  C <- unname(rr_matrix(design))
  mixed <- function(...) unname(rr_matrix(rr_noncompliance(design, 0.2, ...)))
  expect_equal(mixed(), 0.8 * C + 0.2 / 3)
  expect_equal(mixed("b"), 0.8 * C + 0.2 * rep(c(0, 1, 0), each = 3))
  expect_equal(mixed(c(0.5, 0.3, 0.2)), 0.8 * C + 0.2 * rep(c(0.5, 0.3, 0.2), each = 3))
  expect_equal(mixed("truth"), 0.8 * C + 0.2 * diag(3))
  expect_equal(mixed(rep(0, 3) + c(0, 0, 1)), mixed("c"))
  expect_equal(unname(rr_matrix(rr_noncompliance(design, 0))), C)
})

test_that("a tenth who say no whatever the die shows: the estimate by hand", {
  # P(yes) = 0.9 (1/6 + 2/3 theta), so theta = (831/2435 / 0.9 - 1/6) 3/2.
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_noncompliance(rr_forced(1 / 6), 0.1, "no")))
  expect_equal(coef(fit)[["yes"]], (831 / 2435 / 0.9 - 1 / 6) * 1.5)
})

test_that("noncompliance prints, and refuses what it cannot mean", {
  skip_on_cran()
  expect_snapshot(rr_noncompliance(rr_forced(1 / 6), 0.1, "no"))
  expect_snapshot(error = TRUE, rr_noncompliance(rr_forced(1 / 6), 1, "no"))
  expect_snapshot(error = TRUE, rr_noncompliance(rr_forced(1 / 6), 0.1, "maybe"))
  expect_snapshot(error = TRUE, rr_noncompliance(rr_product(a = rr_warner(0.8)), 0.1))
})
