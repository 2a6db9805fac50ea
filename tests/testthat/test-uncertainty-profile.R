# Counts are random, enumerated or at the edges on purpose.
rr_estimate <- estimate_odd

test_that("for one yes/no question the profile is the likelihood-ratio interval, by hand", {
  fit <- rr_estimate(rr_counts(c(no = 60, yes = 40), rr_warner(0.8)))
  loglik <- function(theta) 60 * log(0.8 - 0.6 * theta) + 40 * log(0.2 + 0.6 * theta)
  excess <- function(theta) 2 * (loglik(1 / 3) - loglik(theta)) - stats::qchisq(0.95, 1)
  by_hand <- c(stats::uniroot(excess, c(0, 1 / 3), tol = 1e-10)$root, stats::uniroot(excess, c(1 / 3, 1), tol = 1e-10)$root)
  expect_equal(unname(confint(fit, "yes", interval = "profile"))[1, ], by_hand, tolerance = 1e-7)
})

test_that("the profile of one cell maximizes over the others: a grid finds nothing outside", {
  set.seed(1)
  C <- random_channel(3, 4)
  counts <- c(30, 25, 20, 25)
  fit <- rr_estimate(rr_counts(counts, rr_channel(C)), interval = "profile")
  grid <- expand.grid(a = seq(0, 1, 0.01), b = seq(0, 1, 0.01))
  grid <- as.matrix(cbind(grid, c = 1 - grid$a - grid$b))
  grid <- grid[grid[, 3] >= -1e-12, ]
  inside <- 2 * (as.numeric(logLik(fit)) - drop(log(pmax(grid, 0) %*% C) %*% counts)) <= stats::qchisq(0.95, 1)
  for (i in 1:3) {
    reached <- range(grid[inside, i])
    expect_gte(reached[1], confint(fit)[i, 1] - 1e-6)
    expect_lte(reached[2], confint(fit)[i, 2] + 1e-6)
    expect_lt(max(abs(reached - confint(fit)[i, ])), 0.02)
  }
})

test_that("profiles reach the boundary, and refuse what they are not for", {
  fit <- rr_estimate(rr_counts(c(54, 40, 6), rr_grr(3, epsilon = 0.5)))
  expect_identical(confint(fit, 3, interval = "profile")[1, 1], 0)
  expect_error(rr_estimate(fit$tally, interval = "profile", target = "sample"), class = "candor_error_argument")
  expect_error(rr_estimate(rr_counts(rep(1, 1000), rr_grr(1000, epsilon = 2)), interval = "profile"), class = "candor_error_argument")
})

test_that("every end inside the distributions lies at the quantile, found by another optimiser, whatever the method", {
  # With one share fixed the other two have one degree of freedom, which optimize() handles on its own.
  profile <- function(share, i, C, counts) {
    others <- setdiff(1:3, i)
    likelihood <- function(u) {
      theta <- replace(numeric(3), c(i, others), c(share, (1 - share) * c(u, 1 - u)))
      sum(counts * log(theta %*% C))
    }
    stats::optimize(likelihood, c(0, 1), maximum = TRUE, tol = 1e-12)$objective
  }
  cases <- list(list(rr_grr(3, epsilon = 1), c(50, 30, 20)), list(rr_geometric(3, epsilon = 0.7), c(70, 20, 40)))
  for (case in cases) {
    tally <- rr_counts(case[[2]], case[[1]])
    top <- as.numeric(logLik(rr_estimate(tally)))
    bounds <- confint(rr_estimate(tally, interval = "profile", conf.level = 0.9))
    expect_identical(confint(rr_estimate(tally, method = "inv", interval = "profile", conf.level = 0.9)), bounds)
    for (i in 1:3) for (end in bounds[i, bounds[i, ] > 0 & bounds[i, ] < 1]) {
      distance <- 2 * (top - profile(end, i, rr_matrix(case[[1]]), case[[2]]))
      # The ends are found to 1e-9, the maxima to 1e-8.
      expect_lt(abs(distance - stats::qchisq(0.9, 1)), 1e-5)
    }
  }
})

test_that("profiles are conservative at the boundary, by summing over all tallies", {
  # Inside the distributions the quantile is asymptotic, at 0 half of the chances are of a distance of 0.
  reported <- 0.25
  covered <- vapply(0:60, function(yes) {
    confint(rr_estimate(rr_counts(c(no = 60 - yes, yes = yes), rr_warner(0.75)), interval = "profile"), "yes")[1, 1] <= 1e-9
  }, NA)
  expect_gte(sum(stats::dbinom(0:60, 60, reported)[covered]), 0.95)
})

test_that("the default of channels with more reports than truths is the profile, by its vectors", {
  for (case in golden("doors_interval")) {
    tally <- rr_counts(case$input$counts, rr_channel(case$input$channel))
    fit <- rr_estimate(tally, conf.level = case$input$level)
    expect_identical(fit$interval, "profile")
    expect_golden(coef(fit), case$expected$mle, 1e-7)
    expect_golden(logLik(fit), case$expected$loglik, 1e-9)
    expect_golden(confint(fit), case$expected$interval, 1e-6)
  }
})

test_that("the default is the profile where the estimate and Wilson's interval part, and nowhere else", {
  kind <- function(mechanism, ...) {
    rr_estimate(rr_counts(rep(20, length(mechanism$reports)), mechanism), ...)$interval
  }
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)))
  study <- rr_misclassification(table = rbind(no = c(no = 60, yes = 5, unsure = 9), yes = c(4, 50, 6)))
  profiled <- list(wide, rr_kuk(0.7, 0.3, draws = 3), rr_product(a = wide, b = rr_warner(0.8)), rr_compose(rr_warner(0.9), rr_kuk(0.7, 0.3, draws = 2)))
  for (mechanism in profiled) expect_identical(kind(mechanism), "profile")
  expect_identical(kind(wide, method = "ibu"), "profile")
  for (method in c("inv", "invp")) expect_identical(kind(wide, method = method), "wilson")
  expect_identical(kind(wide, target = "sample"), "wilson")
  expect_identical(kind(study), "wilson")
  expect_output(print(rr_estimate(rr_counts(c(60, 40, 30), wide), target = "sample")), "about the unbiased estimate")
  for (mechanism in list(rr_warner(0.8), rr_geometric(3, epsilon = 1), rr_hadamard(3, epsilon = 1),
    rr_product(a = rr_warner(0.8), b = rr_grr(3, epsilon = 1)))) {
    expect_identical(kind(mechanism), "wilson")
  }
})

test_that("tables, words, groups, weights and functions of a wide channel have the profile interval", {
  wide <- rr_kuk(0.7, 0.3, draws = 2)
  tally <- rr_counts(cbind(a = c(30, 28, 12), b = c(50, 42, 8)), wide)
  fit <- rr_estimate(tally)
  # For two truths the profile is the likelihood itself.
  by_hand <- function(counts) {
    C <- rr_matrix(wide)
    loglik <- function(t) sum(counts * log((1 - t) * C[1, ] + t * C[2, ]))
    top <- stats::optimize(loglik, c(0, 1), maximum = TRUE, tol = 1e-12)
    excess <- function(t) 2 * (top$objective - loglik(t)) - stats::qchisq(0.95, 1)
    side <- function(end) if (excess(end) <= 0) end else stats::uniroot(excess, sort(c(end, top$maximum)), tol = 1e-12)$root
    c(side(0), side(1))
  }
  expect_equal(unname(confint(fit, "yes")), rbind(by_hand(c(30, 28, 12)), by_hand(c(50, 42, 8))), tolerance = 1e-6)
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(c(rbind(table$conf.low, table$conf.high)), c(t(unname(confint(fit)))))
  expect_output(print(fit), "profile likelihood intervals")
  expect_false(identical(confint(fit, interval = "wilson"), confint(fit)))
  # Weights count as their effective number of respondents.
  set.seed(2)
  reports <- sample(wide$reports, 200, TRUE, c(0.5, 0.4, 0.1))
  w <- sample(c(0.5, 2), 200, TRUE)
  weighted <- rr_estimate(reports, wide, weights = w)
  scaled <- tapply(w, factor(reports, wide$reports), sum) * sum(w) / sum(w^2)
  expect_equal(unname(confint(weighted, "yes"))[1, ], by_hand(as.vector(scaled)), tolerance = 1e-6)
  # A comparison at the boundary has a p-value that agrees with its interval.
  suppressWarnings(edge <- rr_compare(rr_estimate(rr_counts(cbind(a = c(30, 28, 12), b = c(60, 10, 0)), wide))), "candor_warning_boundary")
  expect_identical(edge$p.value < 0.05, edge$conf.high < 0 | edge$conf.low > 0)
})

test_that("a wide channel's default interval holds the estimate and the truth, by summing over all tallies", {
  wide <- rr_channel(rbind(no = c(0.6, 0.3, 0.1), yes = c(0.1, 0.2, 0.7)))
  n <- 30
  all <- as.matrix(expand.grid(0:n, 0:n))
  all <- unname(cbind(all, n - rowSums(all)))[rowSums(all) <= n, ]
  bounds <- t(apply(all, 1, function(counts) {
    fit <- suppressWarnings(rr_estimate(rr_counts(unname(counts), wide)))
    c(confint(fit, "yes"), coef(fit)[["yes"]])
  }))
  expect_true(all(bounds[, 1] <= bounds[, 3] + 1e-9 & bounds[, 3] <= bounds[, 2] + 1e-9))
  for (share in c(0, 0.02, 0.1, 0.2, 0.5)) {
    prob <- apply(all, 1, stats::dmultinom, prob = c(1 - share, share) %*% rr_matrix(wide))
    expect_gt(sum(prob[bounds[, 1] <= share & share <= bounds[, 2]]), 0.93)
  }
})

test_that("intervals by rank of a wide channel have the level of each rank", {
  C <- rbind(a = c(0.6, 0.2, 0.1, 0.1), b = c(0.1, 0.6, 0.2, 0.1), c = c(0.1, 0.1, 0.3, 0.5))
  fit <- rr_estimate(rr_counts(c(90, 70, 50, 40), rr_channel(C)))
  ranked <- fit_intervals(fit, ranked = TRUE)$low
  rank <- rank(-coef(fit))
  for (i in 1:3) expect_equal(ranked[i], confint(fit, i, level = 1 - 0.05 * rank[[i]] / 3)[[1]], tolerance = 1e-7)
})

test_that("limits of a share that was seen without noise, and of a sum of cells, are where the likelihood has fallen by the quantile", {
  quantile <- stats::qchisq(0.9, 1)
  # Of n reports none or all: n log(1 - t) or n log(t) is the log-likelihood.
  expect_equal(profile_binomial(0, 50, 0.9), c(low = 0, high = 1 - exp(-quantile / 100)), tolerance = 1e-7)
  expect_equal(profile_binomial(1, 50, 0.9), c(low = exp(-quantile / 100), high = 1), tolerance = 1e-7)
  fall <- function(t) 2 * 50 * (0.3 * log(0.3 / t) + 0.7 * log(0.7 / (1 - t)))
  expect_equal(fall(profile_binomial(0.3, 50, 0.9)), c(low = quantile, high = quantile), tolerance = 1e-6)
  # Cells a and c of three are one truth of Warner's design, b the other.
  rows <- rbind(c(0.8, 0.2), c(0.2, 0.8), c(0.8, 0.2))
  limits <- function(counts, best) profile_share(rows, counts, c(TRUE, FALSE, TRUE), best, 0.9, sum(counts))
  loglik <- function(t, counts) counts[1] * log(0.2 + 0.6 * t) + counts[2] * log(0.8 - 0.6 * t)
  inside <- limits(c(60, 40), c(1 / 3, 1 / 3, 1 / 3))
  expect_equal(2 * (loglik(2 / 3, c(60, 40)) - loglik(inside, c(60, 40))), c(low = quantile, high = quantile), tolerance = 1e-4)
  expect_true(inside[["low"]] < 2 / 3 && 2 / 3 < inside[["high"]])
  edge <- limits(c(90, 10), c(0.5, 0, 0.5))
  expect_identical(edge[["high"]], 1)
  expect_equal(2 * (loglik(1, c(90, 10)) - loglik(edge[["low"]], c(90, 10))), quantile, tolerance = 1e-4)
  # Two reports exclude nothing.
  expect_identical(limits(c(1, 1), c(0.25, 0.5, 0.25)), c(low = 0, high = 1))
})
