test_that("a summary without a likelihood has no line for it, and roundings of 0 are printed as 0", {
  unary <- rr_unary(3, epsilon = 1)
  fit <- rr_estimate(rr_counts(c(40, 35, 30), unary, n = 100), method = "inv")
  expect_true(is.na(glance(fit)$logLik))
  expect_no_match(capture.output(print(summary(fit))), "likelihood|NA")
  # .8 - 4 * .2 is not 0 in doubles.
  printed <- capture.output(print(rr_estimate(rr_counts(c(20, 80), rr_warner(0.8)))))
  expect_no_match(printed, "e-1")
})

test_that("glance() says where reports were not randomised, and compares only maxima of likelihoods", {
  # True answers of a steep truth, read as reports at epsilon 1: the first category has a third of them, and could have a sixteenth at most.
  shares <- rr_zipf(50, 1)
  raw <- rr_counts(round(20000 * shares), rr_grr(50, epsilon = 1))
  expect_true(glance(rr_estimate(raw, method = "inv"))$unlikely)
  expect_true(glance(rr_estimate(raw))$unlikely)
  # Expected counts of that truth are as likely as counts can be.
  m <- rr_grr(50, epsilon = 1)
  fair <- rr_counts(round(20000 * (m$q + m$p_minus_q * shares)), m)
  expect_false(glance(rr_estimate(fair))$unlikely)
  expect_identical(is.na(unlist(glance(rr_estimate(fair, method = "inv"))[c("AIC", "BIC")], use.names = FALSE)), c(TRUE, TRUE))
  expect_equal(glance(rr_estimate(fair))$AIC, AIC(rr_estimate(fair)))
})
