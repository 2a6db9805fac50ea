# Coverage summed up over all outcomes, not simulated: reports of one category are binomial, and for fixed truths
# the sum of two binomials.
coverage <- function(theta, n, mechanism, interval, target, level = 0.95) {
  form <- rr_matrix(mechanism)
  q <- form[1, 2]
  p <- form[2, 2]
  yes <- round(n * theta)
  probability <- if (target == "population") dbinom(0:n, n, q + (p - q) * theta) else {
    convolution <- numeric(n + 1)
    for (kept in 0:yes) {
      rest <- dbinom(0:(n - yes), n - yes, q)
      at <- kept + seq_along(rest)
      convolution[at] <- convolution[at] + dbinom(kept, yes, p) * rest
    }
    convolution
  }
  truth <- if (target == "sample") yes / n else theta
  inside <- vapply(0:n, function(count) {
    fit <- rr_estimate(rr_counts(c(n - count, count), mechanism), target = target, interval = interval, conf.level = level)
    bounds <- confint(fit)[2, ]
    bounds[1] <= truth + 1e-12 && truth <= bounds[2] + 1e-12
  }, NA)
  sum(probability[inside])
}

test_that("exact intervals cover at least as often as stated, at the boundary too, for both targets", {
  for (mechanism in list(rr_warner(0.75), rr_triangular(0.3), rr_crosswise(0.2))) {
    for (theta in c(0, 0.05, 0.3, 0.5, 1)) {
      for (target in c("population", "sample")) {
        expect_gte(coverage(theta, 40, mechanism, "exact", target), 0.95 - 1e-12)
        expect_gte(coverage(theta, 40, mechanism, "exact", target, level = 0.8), 0.8 - 1e-12)
      }
    }
  }
})

test_that("Wilson intervals cover close to the stated level", {
  # A score interval for a binomial share is known to dip a little below its level for some shares
  # (Agresti and Coull 1998: mean coverage near 0.95, minimum near 0.93 away from 0 and 1); cutting it
  # to [0, 1] in a design that hides much can only add coverage near 0 and 1.
  for (target in c("population", "sample")) {
    for (mechanism in list(rr_warner(0.75), rr_crosswise(0.2))) {
      covered <- vapply(seq(0.05, 0.95, 0.1), coverage, 0, n = 60, mechanism = mechanism, interval = "wilson", target = target)
      expect_gte(min(covered), 0.92)
      expect_gte(mean(covered), 0.94)
      expect_lte(mean(covered), 0.97)
    }
  }
})

test_that("intervals for the sample are narrower than for the population", {
  tally <- rr_counts(c(300, 250, 200), rr_grr(3, epsilon = 2))
  for (interval in c("wilson", "wald")) {
    width <- vapply(c("sample", "population"), function(target) {
      diff(confint(rr_estimate(tally, target = target, interval = interval))[1, ])
    }, 0)
    expect_lt(width[["sample"]], width[["population"]])
  }
})

test_that("only Wald intervals leave [0, 1], and all but those of inversion contain the estimate", {
  tally <- rr_counts(c(400, 100, 90, 80, 75, 70, 5), rr_grr(7, epsilon = 1.5))
  for (method in c("mle", "inv", "invn", "invp")) {
    for (interval in c("wilson", "exact", "bootstrap")) {
      set.seed(1)
      fit <- rr_estimate(tally, method = method, interval = interval, replications = 50)
      table <- tidy(fit, conf.int = TRUE)
      expect_true(all(table$conf.low >= 0 & table$conf.high <= 1 & table$conf.low <= table$conf.high))
      if (method != "inv" && interval != "bootstrap") {
        expect_true(all(table$conf.low <= table$estimate & table$estimate <= table$conf.high))
      }
    }
  }
  wald <- tidy(rr_estimate(tally, method = "inv", interval = "wald"), conf.int = TRUE)
  expect_lt(min(wald$conf.low), 0)
  expect_equal(wald$conf.high - wald$conf.low, 2 * qnorm(0.975) * wald$std.error)
})

test_that("simultaneous intervals hold together", {
  mechanism <- rr_grr(6, epsilon = 2)
  theta <- c(0.4, 0.25, 0.15, 0.1, 0.07, 0.03)
  shares <- as.vector(theta %*% rr_matrix(mechanism))
  set.seed(6)
  all_in <- replicate(400, {
    fit <- rr_estimate(rr_counts(as.vector(rmultinom(1, 500, shares)), mechanism), interval = "exact", simultaneous = TRUE)
    bounds <- confint(fit)
    all(bounds[, 1] <= theta & theta <= bounds[, 2])
  })
  # Exact intervals are conservative: 400 draws at 0.95 fall below 0.92 with probability under 0.005
  expect_gte(mean(all_in), 0.92)
  one <- rr_estimate(rr_counts(c(50, 40, 30, 20, 10, 9), mechanism))
  many <- rr_estimate(rr_counts(c(50, 40, 30, 20, 10, 9), mechanism), simultaneous = TRUE)
  expect_equal(confint(many), confint(one, level = 1 - 0.05 / 6), tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("bootstrap intervals and errors agree with theory away from the boundary", {
  tally <- rr_counts(c(500, 300, 200), rr_grr(3, epsilon = 2))
  for (target in c("population", "sample")) {
    set.seed(7)
    boot <- rr_estimate(tally, interval = "bootstrap", target = target, replications = 2000)
    theory <- rr_estimate(tally, target = target)
    # The standard deviation of 2000 draws has a relative error of 1/sqrt(4000) = 1.6 %; allow four of those
    expect_equal(tidy(boot)$std.error, tidy(theory)$std.error, tolerance = 0.064)
    expect_equal(confint(boot), confint(theory, interval = "wald"), tolerance = 0.02, ignore_attr = TRUE)
  }
})

test_that("a weighted tally is as uncertain as its effective number of respondents", {
  mechanism <- rr_grr(3, epsilon = 2)
  fit <- rr_estimate(rr_counts(c(50.5, 30.25, 19.25), mechanism, effective_n = 40), method = "inv")
  plain <- rr_estimate(rr_counts(c(5050, 3025, 1925), mechanism), method = "inv")
  expect_equal(diag(vcov(fit)), diag(vcov(plain)) * (10000 - 1) / (40 - 1), tolerance = 1e-12)
})
