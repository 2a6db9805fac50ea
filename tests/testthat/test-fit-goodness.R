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
  # Any share between 20 and 80 % has a truth: nothing can be tested.
  expect_message(test <- rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), 99, seed = 2), "0 degrees of freedom",
                 class = "candor_message_untested")
  expect_identical(.Random.seed, before)
  expect_equal(test$deviance, 0, tolerance = 1e-9)
  expect_identical(c(test$p.value, test$p.chi2), c(NA_real_, NA_real_))
  # In one group it can: its estimate is at the boundary.
  groups <- rr_tally(data.frame(report = rep(c("no", "yes", "no", "yes"), c(40, 60, 95, 5)), group = rep(1:2, each = 100)), rr_warner(0.8),
                     column = "report", by = "group")
  expect_message(test <- rr_goodness_of_fit(rr_estimate(groups), 99, seed = 2), "in 1 group", class = "candor_message_untested")
  expect_identical(is.na(test$p.value), c(TRUE, FALSE))
  expect_lte(test$p.value[2], 0.02)
  # Three reports for two truths leave a degree of freedom.
  channel <- rr_channel(rbind(a = c(x = .5, y = .3, z = .2), b = c(x = .2, y = .2, z = .6)))
  expect_false(is.na(rr_goodness_of_fit(rr_estimate(rr_counts(c(x = 35, y = 25, z = 40), channel)), 99)$p.value))
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
