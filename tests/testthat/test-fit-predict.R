test_that("posteriors are Bayes' rule by hand", {
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  share <- coef(fit)[["yes"]]
  table <- predict(fit)
  yes <- table$posterior[table$report == "yes" & table$term == "yes"]
  expect_equal(yes, share * 5 / 6 / (share * 5 / 6 + (1 - share) / 6))
  # The odds change by the ratio of the likelihoods, (5/6)/(1/6), which is exp(epsilon) here.
  expect_equal(table$odds.factor, c(5, 1 / 5, 1 / 5, 5))
  expect_equal(exp(rr_epsilon(fit$mechanism)), 5)
})

test_that("no report changes the odds of two answers by more than the mechanism says", {
  mechanism <- rr_grr(5, epsilon = 1.3)
  table <- predict(rr_estimate(rr_counts(c(30, 25, 20, 40, 35), mechanism)))
  expect_equal(as.vector(tapply(table$posterior, table$report, sum)), rep(1, 5))
  expect_true(all(abs(log(table$odds.factor)) <= 1.3 + 1e-12))
})

test_that("given reports keep their places, groups their shares, and strangers are refused", {
  fit <- rr_estimate(rr_counts(cbind(a = c(no = 70, yes = 30), b = c(40, 60)), rr_warner(0.8)))
  table <- predict(fit, c("yes", "no"))
  expect_identical(table$row, rep(c(1L, 1L, 2L, 2L), 2))
  expect_identical(table$report, rep(c("yes", "yes", "no", "no"), 2))
  expect_identical(table$group, rep(c("a", "b"), each = 4))
  expect_error(predict(fit, "maybe"), class = "candor_error_level")
  expect_error(predict(rr_estimate(rr_counts(c(95, 5), rr_warner(0.8)), method = "inv")), class = "candor_error_argument")
})
