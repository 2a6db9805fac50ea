# Skewed numbers: the smoothing moves the estimates by far more than they vary.
skewed_wave <- function() {
  set.seed(5)
  wave <- rr_square_wave(seq(0, 1, length.out = 41), 1)
  rr_tally(rr_perturb(rbeta(20000, 2, 6), wave, rng = "R"), wave)
}

test_that("smoothed estimates have neither standard errors nor intervals, wherever they are read", {
  tally <- skewed_wave()
  fit <- rr_estimate(tally, method = "smoothed")
  told <- "candor_message_no_intervals"
  expect_silent(table <- tidy(fit))
  expect_true(all(is.na(table$std.error)))
  expect_message(table <- tidy(fit, conf.int = TRUE), class = told)
  expect_true(all(is.na(table$conf.low)) && all(is.na(table$conf.high)))
  expect_message(bounds <- confint(fit, 1:3), class = told)
  expect_true(all(is.na(bounds)))
  for (read in list(function(fit) rr_contrast(fit, cumulative = TRUE), rr_quantile, function(fit) rr_contrast(fit, list(1:40)),
                    function(fit) rr_contrast(fit, list(low = fit$mechanism$levels[1:9])))) {
    expect_message(table <- read(fit), class = told)
    expect_true(all(is.na(table$std.error)) && all(is.na(table$conf.low)) && all(is.finite(table$estimate)))
  }
  expect_true(all(is.na(vcov(fit))))
  expect_identical(update(fit)$interval, "none")
  expect_identical(update(fit, method = "inv")$interval, "wilson")
  for (kind in c("wilson", "wald", "exact", "profile")) expect_error(rr_estimate(tally, method = "smoothed", interval = kind), class = "candor_error_argument")
  expect_refused(rr_estimate(tally, method = "smoothed", interval = "bootstrap"), rr_estimate(tally, method = "smoothed", interval = "none"),
                 confint(fit, interval = "wilson"), confint(rr_estimate(tally), interval = "none"))
})

test_that("the reason: percentiles of the bootstrap would not hold the truth, those of maximum likelihood's median do", {
  skip_on_cran()
  tally <- skewed_wave()
  truth <- diff(pbeta(seq(0, 1, length.out = 41), 2, 6))
  draws <- candor:::bootstrap(rr_estimate(tally, method = "smoothed"), 60, list())[[1]]
  bounds <- apply(draws, 1, quantile, c(0.025, 0.975))
  # One set of reports: half of the shares would be far from 95 in 100.
  expect_lt(mean(bounds[1, ] <= truth & truth <= bounds[2, ]), 0.5)
  median <- qbeta(0.5, 2, 6)
  wave <- rr_square_wave(seq(0, 1, length.out = 41), 1)
  covered <- vapply(1:40, function(i) {
    set.seed(i)
    found <- rr_quantile(suppressWarnings(rr_estimate(rr_perturb(rbeta(20000, 2, 6), wave, rng = "R"), wave)), 0.5)
    found$conf.low <= median && median <= found$conf.high
  }, NA)
  # 95 in 100 of 40, four standard deviations of 0.034 below.
  expect_gte(mean(covered), 0.95 - 4 * 0.034)
})

# ---- the pieces by their definitions ----

test_that("moments of thresholds are those of max(0, n - t) / S, with each report left out in turn", {
  counts <- c(12, 3, 7, 7, 25, 0, 3, 9)
  n <- 66
  additive <- list(a = 0.4, b = 0.075)
  t <- c(0, 1.3, 2.5, 3, 6.2, 8.9, 11)
  moments <- threshold_moments(count_profile(counts, n), additive, t)
  for (i in seq_along(t)) {
    ramp <- pmax(counts - t[i], 0)
    s <- sum(ramp)
    H <- sum(counts * pmax(counts - 1 - t[i], 0))
    share <- H / (s - 1)
    change <- counts * pmax(0, counts - 1 - t[i]) - pmax(0, counts - 1) * pmax(0, counts - 2 - t[i])
    change <- (change - share * pmin(1, ramp)) / (s - 2)
    expect_equal(moments$s[i], s)
    expect_equal(moments$squares[i], sum(ramp^2) / s^2)
    expect_equal(moments$inner[i], (share / n - additive$b) / additive$a)
    expect_equal(moments$std.error[i], sqrt(sum(counts * change^2)) / (n * additive$a))
  }
  expect_equal(count_profile(counts, n)[c("value", "categories", "k", "n")],
               list(value = c(0, 3, 7, 9, 12, 25), categories = c(1L, 2L, 2L, 1L, 1L, 1L), k = 8L, n = 66))
  # The projection has the threshold whose excess is a n.
  threshold <- projection_threshold(count_profile(counts, n), 0.4)
  expect_equal(sum(pmax(counts - threshold, 0)), 0.4 * n)
})

test_that("the combined estimate has the largest gain of all its thresholds, at the weight that the error allows", {
  worlds <- list(c(12, 3, 7, 7, 25, 0, 3, 9), c(300, 20, 25, 18, 22, 19), c(30, 28, 33, 29, 31))
  for (counts in worlds) {
    n <- sum(counts)
    k <- length(counts)
    a <- 0.5
    b <- 0.5 / k
    found <- estimate_combine(new_law_additive(a, b), counts, n)
    margin <- 3 * sqrt(n * b * (1 - b))
    excess <- function(t) sum(pmax(counts - t, 0)) - n * a
    projected <- uniroot(excess, c(-n, max(counts)), tol = 1e-12)$root
    low <- max(0, n * b - margin)
    high <- max(low, min(max(projected, n * b) + margin, max(counts) - 1.5))
    gains <- t(vapply(seq(low, high, length.out = 48), function(t) {
      ramp <- pmax(counts - t, 0)
      s <- sum(ramp)
      share <- sum(counts * pmax(counts - 1 - t, 0)) / max(s - 1, 1e-9)
      change <- counts * pmax(0, counts - 1 - t) - pmax(0, counts - 1) * pmax(0, counts - 2 - t)
      error <- sqrt(sum(counts * ((change - share * pmin(1, ramp)) / max(s - 2, 1e-9))^2)) / (n * a)
      signal <- (share / n - b) / a - 1 / k
      squares <- sum(ramp^2) / s^2 - 1 / k
      weight <- if (signal > 0 && squares > 0) min(1, signal / squares) * max(0, 1 - (2 * error / signal)^4) else 0
      c(t, weight, if (s > 1.5) 2 * weight * signal - weight^2 * squares else 0)
    }, numeric(3)))
    best <- gains[which.max(gains[, 3]), ]
    expect_equal(c(found$threshold, found$weight), best[1:2], tolerance = 1e-7)
    ramp <- pmax(counts - best[1], 0)
    expect_equal(found$estimate, best[2] * ramp / sum(ramp) + (1 - best[2]) / k, tolerance = 1e-7)
  }
  # Reports that are the truth; two answers of which each speaks for the other.
  expect_identical(estimate_combine(new_law_additive(1, 0), c(3, 5, 2), 10), list(estimate = c(0.3, 0.5, 0.2), threshold = 0, weight = 1))
  straight <- estimate_combine(new_law_additive(0.6, 0.2), c(70, 30), 100)
  expect_equal(estimate_combine(new_law_additive(-0.6, 0.8), c(30, 70), 100)$estimate, straight$estimate)
  expect_gt(straight$estimate[1], 0.5)
})

test_that("merged cells are those within the noise, and their maximum is that of the merged channel", {
  law <- new_law_additive(0.4, c(0.1, 0.2, 0.05, 0.15, 0.1))
  merge <- function(counts, ...) {
    n <- sum(counts)
    estimate_merged(new_evidence(law, counts, n, n, 5), list(...))
  }
  counts <- c(60, 45, 10, 55, 30)
  noise <- sqrt(200 * law$b * (1 - law$b))
  small <- counts - 200 * law$b <= noise
  expect_identical(small, c(FALSE, TRUE, TRUE, FALSE, FALSE))
  # EM of three cells and one that is both small ones: a report of it has b2 + b3, and a more if the truth is there.
  C <- rbind(c(0.5, 0.15, 0.1, 0.25), c(0.1, 0.55, 0.1, 0.25), c(0.1, 0.15, 0.5, 0.25), c(0.1, 0.15, 0.1, 0.65))
  phi <- c(60, 55, 30, 55) / 200
  theta <- rep(0.25, 4)
  for (i in 1:5000) theta <- theta * drop(C %*% (phi / drop(theta %*% C)))
  merged <- merge(counts)
  expect_equal(merged$estimate, c(theta[1], theta[4] / 2, theta[4] / 2, theta[2], theta[3]), tolerance = 1e-6)
  expect_identical(merged$merged, 2L)
  # They are 9.4, 0.9, 0, 5 and 2.4 standard deviations above it.
  expect_identical(merge(counts, smoothing = 3)$merged, 3L)
  expect_equal(merge(counts, smoothing = 0.5)$merged, 0)
  # The third cell is 1.6 standard deviations above it: more than the default.
  expect_equal(merge(c(60, 40, 15, 55, 30))$merged, 0)
  expect_identical(merge(c(60, 40, 15, 55, 30), smoothing = 2)$merged, 2L)
  # No noise, no merging; one small cell is not merged; all small cells are even.
  expect_equal(merge(counts, smoothing = 0)$merged, 0)
  expect_identical(merge(c(40, 40, 10, 60, 50), smoothing = 0)$merged, 2L)
  expect_equal(merge(counts, smoothing = 1e6)$estimate, rep(0.2, 5))
  expect_equal(merge(counts, smoothing = 1e6)$merged, 5)
  expect_error(merge(counts, smoothing = -1), class = "candor_error_argument")
})

test_that("a smoothed step is one of EM, then a mean of neighbours with weights 1/4, 1/2, 1/4", {
  C <- rr_matrix(rr_geometric(5, 1))
  counts <- c(30, 50, 20, 15, 25)
  law <- new_law_channel(list(list(matrix = unname(t(C)))))
  evidence <- new_evidence(law, counts, 140, 140, 5)
  step <- function(theta) {
    em <- theta * drop(C %*% (counts / 140 / drop(theta %*% C)))
    S <- rbind(c(3, 1, 0, 0, 0), c(1, 2, 1, 0, 0), c(0, 1, 2, 1, 0), c(0, 0, 1, 2, 1), c(0, 0, 0, 1, 3)) / 4
    unname(drop(S %*% em) / sum(em))
  }
  theta <- rep(0.2, 5)
  for (steps in 1:3) {
    theta <- step(theta)
    found <- estimate_smoothed(evidence, list(iterations = steps, tolerance = 1e-12))
    expect_equal(found$estimate, theta)
    expect_equal(found$iterations, steps)
  }
  # It stops at the first step that gains no more than the tolerance: the gain of a step is known at the next.
  loglik <- function(theta) sum(counts * log(drop(theta %*% C)))
  path <- list(rep(0.2, 5))
  for (i in 1:40) path[[i + 1]] <- step(path[[i]])
  gains <- diff(vapply(path, loglik, 0))
  for (tolerance in c(0.5, 0.01)) {
    last <- which(gains <= tolerance)[1]
    found <- estimate_smoothed(evidence, list(tolerance = tolerance))
    expect_equal(found$iterations, last + 1)
    expect_equal(found$estimate, path[[last + 1]])
  }
  # A report that nobody gave is no report of a probability of 0.
  none <- new_evidence(law, c(30, 50, 0, 15, 25), 120, 120, 5)
  expect_equal(sum(estimate_smoothed(none, list())$estimate), 1)
})
