# What the text of vignettes/telemetry.Rmd leans on.

test_that("telemetry: which protocol", {
  plan <- rr_recommend(10000, 1, n = 1e6)
  within <- stats::setNames(plan$within, plan$mechanism)
  expect_identical(plan$mechanism[1], "subset")
  expect_true(all(within[c("oue", "olh")] < 0.005))
  expect_equal(round(within[["hadamard"]], 2), 0.27)
  expect_gt(within[["grr"]], 900)
})

test_that("telemetry: a kilobyte, a gigabyte, twelve bytes", {
  opened <- rep(1:10000, length.out = 500)
  bytes <- function(m) as.numeric(object.size(rr_perturb(opened, m))) / 500
  expect_equal(signif(bytes(rr_unary(10000, 1)), 2), 1300)
  expect_lt(bytes(rr_local_hash(10000, 1)), 16)
  expect_lt(bytes(rr_hadamard(10000, 1)), 5)
})

test_that("telemetry: week after week, and in a crowd", {
  weekly <- rr_longitudinal(4, permanent = 2, epsilon = 1)
  expect_equal(rr_law(weekly)$q, rr_law(rr_unary(4, 1))$q)
  levels <- vapply(1:12, function(r) rr_epsilon(weekly, reports = r), 0)
  expect_false(is.unsorted(levels))
  expect_true(all(levels < 2) && levels[12] > 1.99)
  expect_lt(as.vector(rr_epsilon(rr_local_hash(10000, 1), shuffled = 1e6, delta = 1e-9)), 0.01)
})
