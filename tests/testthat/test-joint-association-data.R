# Correlations of randomized columns with numbers: against the formula of Fox and Tracy, known truths and simulation.

test_that("without randomization it is the ordinary correlation, whose error is the textbook's", {
  set.seed(1)
  z <- rnorm(500)
  yes <- rbinom(500, 1, plogis(z))
  table <- as.data.frame(rr_association(data.frame(yes, z), list(yes = rr_binary(1, 0))))
  expect_equal(table$correlation, cor(yes, z), tolerance = 1e-12)
  expect_equal(table$covariance, cov(yes, z), tolerance = 1e-12)
  expect_equal(table$statistic, 500 * cor(yes, z)^2, tolerance = 1e-12)
  expect_identical(table$df, 1)
})

test_that("the estimate is Fox and Tracy's, and its error covers", {
  set.seed(2)
  n <- 2000
  hits <- 0
  estimates <- errors <- numeric(200)
  truth <- {
    # Correlation of 1{z + e > .5} with z for independent standard normals: dnorm(.5 / sqrt 2) / sqrt 2 / sd.
    p <- pnorm(-0.5 / sqrt(2))
    dnorm(0.5 / sqrt(2)) / sqrt(2) / sqrt(p * (1 - p))
  }
  for (run in 1:200) {
    z <- rnorm(n)
    yes <- as.integer(z + rnorm(n) > 0.5)
    y <- ifelse(runif(n) < 0.8, yes, 1L - yes)
    table <- as.data.frame(rr_association(data.frame(q = y, z), list(q = rr_warner(0.8))))
    estimates[run] <- table$correlation
    errors[run] <- table$correlation.error
  }
  u <- (y - 0.2) / 0.6
  expect_equal(estimates[200], (mean(u * z) - mean(u) * mean(z)) / sqrt(mean(u) * (1 - mean(u)) * mean((z - mean(z))^2)), tolerance = 1e-12)
  # 200 runs: the mean within 4 of its errors, the mean error within 4 of the spread's (relative error 1 / sqrt(400)).
  expect_lte(abs(mean(estimates) - truth), 4 * sd(estimates) / sqrt(200))
  expect_lte(abs(mean(errors) / sd(estimates) - 1), 4 / sqrt(400))
  covered <- mean(abs(estimates - truth) < 1.96 * errors)
  expect_gte(covered, 0.95 - 4 * sqrt(0.95 * 0.05 / 200))
})

test_that("two randomized columns agree with the joint estimate", {
  set.seed(3)
  a <- rbinom(3000, 1, 0.4)
  b <- rbinom(3000, 1, plogis(-0.5 + 1.5 * a))
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.9))
  reports <- rr_perturb(data.frame(a, b), survey, rng = "R")
  table <- as.data.frame(rr_association(reports, list(a = rr_warner(0.8), b = rr_warner(0.9))))
  other <- as.data.frame(rr_association(rr_tmdh(rr_cooccurrence(reports), survey)))
  expect_equal(table[c("covariance", "correlation", "statistic")], other[c("covariance", "correlation", "statistic")], tolerance = 1e-10)
  expect_equal(table$correlation.error, other$correlation.error, tolerance = 0.02)
})

test_that("categories get a row each, and bad input an error", {
  set.seed(4)
  d <- data.frame(z = rnorm(300), q = sample(c("a", "b", "c"), 300, TRUE))
  m <- list(q = rr_grr(c("a", "b", "c"), epsilon = 2))
  table <- as.data.frame(rr_association(d, m))
  expect_identical(table$y, paste0("q=", c("a", "b", "c")))
  expect_equal(sum(table$covariance), 0, tolerance = 1e-12)
  expect_refused(rr_association(d, list(r = m$q)), rr_association(d, m$q), rr_association(transform(d, z = "x"), m))
  expect_error(rr_association(transform(d, q = "d"), m), class = "candor_error_level")
  d$z[3] <- NA
  expect_error(rr_association(d, m), class = "candor_error_missing")
  expect_identical(nrow(as.data.frame(rr_association(d, m, na.rm = TRUE))), 3L)
})

test_that("what is no number, no question and no pair is refused", {
  d <- data.frame(z = c(1, 3, 2, 5), q = c(0, 1, 1, 0))
  m <- list(q = rr_warner(0.8))
  expect_refused(
    rr_association(transform(d, z = c(1, Inf, 2, 3)), m), rr_association(transform(d, z = as.Date("2026-01-01") + 0:3), m),
    rr_association(transform(d, z = factor(z)), m), rr_association(d["q"], m), rr_association(d, m, na.rm = NA), rr_association(d, m, weights = -d$z),
    rr_association(d, m, weights = d$z[-1]), rr_association(d, list(q = 0.8)), rr_association(d, list(q = m$q, r = m$q))
  )
  expect_refused(rr_association(d[1, ], m), rr_association(d, m, weights = 0 * d$z), class = "empty")
  study <- rr_misclassification(table = rbind(no = c(no = 90, yes = 10), yes = c(20, 80)))
  expect_refused(rr_association(d, list(q = study)), class = "law")
})

test_that("rows with gaps are left out with their weights: numbers have the weighted covariance of the others", {
  set.seed(5)
  d <- data.frame(yes = rep(c(TRUE, FALSE), c(12, 18)), z = c(rnorm(12, 1), rnorm(17), NA))
  w <- c(runif(29), 100)
  table <- as.data.frame(rr_association(d, list(yes = rr_binary(1, 0)), weights = w, na.rm = TRUE))
  by_hand <- cov.wt(cbind(d$yes, d$z)[-30, ], w[-30] / sum(w[-30]), cor = TRUE)
  expect_equal(table$covariance, by_hand$cov[1, 2], tolerance = 1e-12)
  expect_equal(table$correlation, by_hand$cor[1, 2], tolerance = 1e-12)
  # Without a mechanism TRUE is the number 1.
  expect_equal(as.data.frame(rr_association(d[-30, ], list(z = NULL)[0]))$covariance, cov(d$yes, d$z, use = "complete.obs"))
})

test_that("the measure of columns is their correlation", {
  d <- data.frame(z = c(1, 3, 2, 5, 4), q = c(0, 1, 1, 0, 1))
  found <- rr_association(d, list(q = rr_binary(1, 0)))
  expect_equal(expect_silent(coef(found)), c("z:q" = cor(d$z, d$q)))
  expect_identical(names(as.data.frame(found))[1:2], c("x", "y"))
})
