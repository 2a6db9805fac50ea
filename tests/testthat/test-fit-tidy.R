test_that("a summary without a likelihood has no line for it, and roundings of 0 are printed as 0", {
  unary <- rr_unary(3, epsilon = 1)
  fit <- rr_estimate(rr_counts(c(40, 35, 30), unary, n = 100), method = "inv")
  expect_true(is.na(glance(fit)$logLik))
  expect_no_match(capture.output(print(summary(fit))), "likelihood|NA")
  # .8 - 4 * .2 is not 0 in doubles.
  printed <- capture.output(print(rr_estimate(rr_counts(c(20, 80), rr_warner(0.8)))))
  expect_no_match(printed, "e-1")
})
