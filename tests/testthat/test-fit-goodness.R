test_that("two designs leave a degree of freedom, and its test is the hand-made one", {
  rows <- subset(exam_survey, item == "copied" & design != "direct")
  fit <- rr_estimate(lapply(1:2, function(i) with(rows[i, ], rr_counts(c(no = no, yes = yes), rr_binary(p, q)))))
  test <- rr_goodness_of_fit(fit, seed = 1)
  share <- coef(fit)[["yes"]]
  lambda <- rows$q + (rows$p - rows$q) * share
  n <- rows$yes + rows$no
  deviance <- 2 * sum(rows$yes * log(rows$yes / (n * lambda)) + rows$no * log(rows$no / (n * (1 - lambda))))
  expect_equal(test$deviance, deviance, tolerance = 1e-6)
  expect_identical(test$df, 1)
  expect_equal(test$p.chi2, pchisq(deviance, 1, lower.tail = FALSE), tolerance = 1e-6)
  # 999 simulations: the p-value has a standard error of at most .016.
  expect_lt(abs(test$p.value - test$p.chi2), 0.05)
})

test_that("fewer yes than the die makes is half a normal test", {
  fit <- rr_estimate(rr_counts(c(no = 587, yes = 108), rr_binary(11 / 12, 1 / 6)))
  test <- rr_goodness_of_fit(fit, seed = 1)
  exact <- pbinom(108, 695, 1 / 6)
  # More extreme is fewer yes only, since more yes are explained by a truth.
  expect_lt(abs(test$p.value - exact), 0.05)
  expect_identical(test$df, 0)
  expect_identical(test$p.chi2, NA_real_)
  expect_lt(rr_goodness_of_fit(rr_estimate(rr_counts(c(no = 640, yes = 60), rr_binary(11 / 12, 1 / 6))), seed = 1)$p.value, 0.01)
})

test_that("what the design explains is no contradiction, and the generator is left alone", {
  set.seed(3)
  before <- .Random.seed
  test <- rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), 99, seed = 2)
  expect_identical(.Random.seed, before)
  expect_equal(test$deviance, 0, tolerance = 1e-9)
  expect_equal(test$p.value, 1)
  expect_error(rr_goodness_of_fit(1), class = "candor_error_argument")
  expect_error(rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8)), method = "inv")), class = "candor_error_argument")
  expect_error(rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), 5), class = "candor_error_argument")
})

test_that("a fit says where its reports are unlikely under the design, and only there", {
  # 10 of 600 say yes where the device alone makes 120: a likelihood ratio of 2 * 600 * KL(1/60 || 1/5) = 228.
  swapped <- rr_estimate(rr_counts(c(no = 590, yes = 10), rr_warner(0.2)))
  expect_output(print(swapped), "unlikely under this design: see rr_goodness_of_fit()", fixed = TRUE)
  deviance <- 2 * (590 * log(590 / 600 / 0.8) + 10 * log(10 / 600 / 0.2))
  expect_equal(rr_goodness_of_fit(swapped, replications = 99, seed = 1)$deviance, deviance, tolerance = 1e-6)
  expect_no_match(capture.output(rr_estimate(rr_counts(c(no = 105, yes = 15), rr_warner(0.2)))), "unlikely")
})
