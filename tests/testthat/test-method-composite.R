test_that("without a method the counts are estimated by the composite likelihood, with a message", {
  tally <- rr_counts(c(60, 40, 45), rr_unary(3, 1), n = 100)
  expect_message(fit <- rr_estimate(tally), class = "candor_message_composite")
  expect_identical(fit$method, "composite")
  expect_error(logLik(fit), class = "candor_error_law")
  expect_true(is.na(glance(fit)$logLik))
  expect_equal(sum(coef(fit)), 1)
  expect_refused(rr_estimate(tally, method = "mle"), rr_estimate(rr_counts(c(5, 3), rr_grr(2, 1)), method = "composite"), class = "law")
})

test_that("standard errors of the composite estimate are right", {
  set.seed(1)
  m <- rr_unary(4, 1)
  theta <- c(0.4, 0.3, 0.2, 0.1)
  n <- 20000
  counts <- simulate_counts(m, n * theta, 400)
  fits <- apply(counts, 2, function(c) {
    fit <- rr_estimate(rr_counts(c, m, n = n), method = "composite", target = "sample")
    c(coef(fit), tidy(fit)$std.error)
  })
  sd <- apply(fits[1:4, ], 1, sd)
  expect_true(all(abs(sd / rowMeans(fits[5:8, ]) - 1) < 4 / sqrt(800)))
})
