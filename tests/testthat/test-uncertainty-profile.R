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
