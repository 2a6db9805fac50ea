# The post-processings by their definitions, on estimates that sum to 1 and leave the simplex.

wild <- c(0.6, 0.35, 0.2, 0.02, -0.05, -0.12)

test_that("cutting and norming follow their definitions", {
  expect_identical(postprocess_base_cut(wild, 0.05, 0.05), replace(wild, wild < qnorm(1 - 0.05 / 6) * 0.05, 0))
  expect_identical(postprocess_base_cut(wild, c(0, 1, 0, 0, 0, 0)), c(0.6, 0, 0.2, 0.02, 0, 0))
  expect_equal(postprocess_norm(wild + 0.1), wild)
  # 0.6 + 0.35 < 1 <= 0.6 + 0.35 + 0.2
  expect_equal(postprocess_norm_cut(wild), c(0.6, 0.35, 0.2, 0, 0, 0) / 1.15)
  # Ties at the cut stay together.
  expect_equal(postprocess_norm_cut(c(0.7, 0.4, 0.4, -0.5)), c(0.7, 0.4, 0.4, 0) / 1.5)
  expect_equal(postprocess_norm_cut(c(1.4, -0.4)), c(1, 0))
  # The first two add up to 1 exactly.
  expect_equal(postprocess_norm_cut(c(0.5, 0.5, 0.25, -0.25)), c(0.5, 0.5, 0, 0))
  expect_equal(postprocess_norm_cut(rep(0.1, 10)), rep(0.1, 10))
})

test_that("Norm-Sub is the projection: the authors' loop ends there", {
  loop <- function(x) {
    while (any(x < 0) || abs(sum(x) - 1) > 1e-14) {
      x <- pmax(x, 0)
      on <- x > 0
      x[on] <- x[on] + (1 - sum(x)) / sum(on)
    }
    x
  }
  expect_equal(.Call(C_rr_project, wild, 1), loop(wild), tolerance = 1e-13)
  set.seed(3)
  for (i in 1:20) {
    x <- rnorm(30)
    x <- x + (1 - sum(x)) / 30
    expect_equal(.Call(C_rr_project, x, 1), loop(x), tolerance = 1e-12)
  }
})

test_that("the posterior mean under a power law agrees with the sum over all counts", {
  naive <- function(y, sigma, s, n) {
    x <- seq_len(n)
    vapply(y, function(v) {
      weight <- -s * log(x) - (v - x)^2 / (2 * sigma^2)
      weight <- exp(weight - max(weight))
      sum(weight * x) / sum(weight)
    }, 0)
  }
  for (s in c(0, 1, 1.01, 2, 10)) {
    for (sigma in c(0.7, 5, 40, 600)) {
      y <- c(-3, -1, -0.2, 0.1, 0.5, 1, 2, 3, 5, 9, 15) * sigma
      # A cell of sigma / 32 or so stands for its counts: an error below 1e-4 sigma.
      expect_lte(max(abs(power_posterior_mean(y, sigma, s, 20000) - naive(y, sigma, s, 20000))), 1e-4 * sigma)
    }
  }
  # Of many counts those near 0 are interpolated, with an error below 1e-5 sigma.
  y <- seq(-200, 1000, length.out = 4000)
  exact <- power_posterior_mean(y, 40, power_exponent(mean(y), 1e6), 1e6)
  expect_lte(max(abs(postprocess_power(y / 1e6, 40 / 1e6, 1e6) * 1e6 - exact)), 4e-4)
})

test_that("the exponent gives the law the estimated mean", {
  for (mean in c(1.5, 10, 400)) {
    s <- power_exponent(mean, 1000)
    expect_equal(sum(seq_len(1000)^(1 - s)) / sum(seq_len(1000)^-s), mean, tolerance = 1e-6)
  }
  expect_identical(power_exponent(0.5, 1000), 1.01)
})

test_that("power keeps the order, lies inside [0, 1], and equals the estimate without noise", {
  set.seed(4)
  for (k in c(2, 10, 5000)) {
    mechanism <- rr_grr(k, epsilon = 2)
    counts <- rpois(k, 40) + c(300, numeric(k - 1))
    power <- coef(rr_estimate(rr_counts(counts, mechanism), method = "power"))
    power_ns <- coef(rr_estimate(rr_counts(counts, mechanism), method = "power_ns"))
    expect_true(all(power >= 0 & power <= 1))
    expect_false(is.unsorted(power[order(counts)]))
    expect_lte(abs(sum(power_ns) - 1), 4e-15)
    expect_true(all(power_ns >= 0))
  }
  expect_identical(postprocess_power(c(0.25, 0.75), 0, 8), c(0.25, 0.75))
  # A vector b has a standard error for each category.
  expect_length(coef(rr_estimate(rr_counts(c(40, 60), rr_forced(c(no = 0.1, yes = 0.2))), method = "power")), 2)
})

test_that("edges of power laws: even shares, means of 1, no noise, estimates beyond all counts", {
  # The threshold itself stays.
  threshold <- stats::qnorm(0.05 / 2, lower.tail = FALSE) * 0.1
  expect_identical(postprocess_base_cut(c(threshold, 1 - threshold), 0.1), c(threshold, 1 - threshold))
  # A law of exponent 0 is even and has the mean (n + 1) / 2; no law has a mean of more, nor one of exponent 64 a mean other than 1.
  expect_identical(c(power_exponent(500.5, 1000), power_exponent(800, 1000)), c(0, 0))
  expect_equal(power_exponent(1, 1000), 64)
  expect_identical(power_exponent(0.999, 1000), 1.01)
  expect_identical(power_posterior_mean(c(-3, 2.5, 12), 0, 2, 10), c(0, 2.5, 10))
  # Each of few counts has a cell of its own: the sum over them.
  x <- 1:50
  for (s in c(0, 1.5)) {
    for (sigma in c(0.6, 5, 30)) {
      y <- c(-20, 0, 1.3, 25, 49, 50, 60, 80)
      weight <- outer(x, y, function(x, y) -s * log(x) - (y - x)^2 / (2 * sigma^2))
      weight <- exp(sweep(weight, 2, apply(weight, 2, max)))
      expect_equal(power_posterior_mean(y, sigma, s, 50), colSums(weight * x) / colSums(weight), tolerance = 1e-8)
    }
  }
  expect_equal(power_posterior_mean(c(-1, 0.5, 9), 2, 1.3, 1), c(1, 1, 1))
  # One respondent at least; a standard error for each category gives what one for all gives.
  expect_equal(postprocess_power(c(0.3, 0.7), c(0.1, 0.1), 0.3), c(1, 1))
  shares <- c(0.4, 0.25, 0.2, 0.15)
  expect_equal(postprocess_power(shares, rep(0.05, 4), 200), postprocess_power(shares, 0.05, 200))
})

test_that("each method's map is its derivative by the unbiased shares", {
  law <- new_law_support(0.6, 0.2)
  evidence_at <- function(unbiased) new_evidence(law, 1e4 * (0.2 + 0.4 * unbiased), 1e4, 1e4, 5)
  inv <- c(0.45, 0.3, -0.05, 0.005, 0.35)
  for (method in method_registry()[c("invn", "invp", "base_cut", "norm", "norm_cut", "norm_sub")]) {
    estimate_at <- function(unbiased) method$estimate(evidence_at(unbiased), list())
    map <- method$local_map(estimate_at(inv), evidence_at(inv))
    for (j in 1:5) {
      h <- 1e-5 * (1:5 == j)
      moved <- map$support * h / 1e-5
      expect_equal(map$alpha * (moved - map$u * sum(moved)), (estimate_at(inv + h) - estimate_at(inv - h)) / 2e-5, tolerance = 1e-6, label = method$name)
    }
  }
  # Shares that add up to 1 already are not shifted.
  expect_null(norm_map(NULL, list(law = new_law_additive(0.4, 0.2), k = 3)))
})

test_that("sums of powers, their exponents and the posterior means of few counts are those of all terms", {
  for (s in c(-1, 0, 0.5, 1, 2.5)) {
    expect_equal(power_mass(c(0, 4, 990, 1500), c(10, 5, 1100, 3000), s),
                 vapply(list(1:10, 5, 991:1100, 1501:3000), function(x) sum(x^-s), 0), tolerance = 1e-6)
  }
  n <- 200
  shares <- c(0.4, 0.3, 0.2, 0.06, 0.03, 0.01, 0.005, -0.005)
  x <- seq_len(n)
  mean_of <- function(s) sum(x^(1 - s)) / sum(x^-s)
  s <- uniroot(function(s) mean_of(s) - n * mean(shares), c(0, 5), tol = 1e-12)$root
  expect_equal(power_exponent(n * mean(shares), n), s, tolerance = 1e-8)
  sigma <- 6
  weight <- outer(x, n * shares, function(x, y) x^-s * exp(-(y - x)^2 / (2 * sigma^2)))
  expect_equal(postprocess_power(shares, sigma / n, n), colSums(weight * x) / colSums(weight) / n, tolerance = 1e-6)
})

test_that("more than 1000 different estimates are interpolated up to 20 standard errors, and those beyond are found one by one", {
  # Numbers that are exact in binary: 640 is 20 standard errors.
  n <- 2^20
  y <- c(seq(-200, 640, by = 0.75), 640.75, 700, 5000, 90000)
  expect_gt(length(y), 1000)
  s <- power_exponent(mean(y), n)
  x <- seq_len(n)
  expect_equal(sum(x^(1 - s)) / sum(x^-s), mean(y), tolerance = 1e-5)
  some <- c(seq(1, length(y), by = 60), length(y) - 5:0)
  turned <- rev(y)
  found <- rev(postprocess_power(turned / n, 32 / n, n) * n)
  expect_lte(max(abs(found[some] - power_posterior_mean(y[some], 32, s, n))), 32 * 1e-5)
  # A thousand are found one by one.
  y <- y[1:1000]
  expect_equal(postprocess_power(y / n, 32 / n, n) * n, power_posterior_mean(y, 32, power_exponent(mean(y), n), n), tolerance = 1e-12)
  expect_false(is.unsorted(found))
})
