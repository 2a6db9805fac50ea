# The ends of each range that a help page gives are taken, and what lies just beyond is refused.

abc <- c("a", "b", "c")
warner <- rr_warner(0.8)
tally <- rr_counts(c(no = 60, yes = 41), warner)
fit <- rr_estimate(tally)

# `of`: a function of the argument; `inside`, `outside`: values of it.
expect_range <- function(of, inside, outside) {
  for (x in inside) expect_no_error(suppressMessages(suppressWarnings(of(x))))
  for (x in outside) expect_error(suppressMessages(suppressWarnings(of(x))), class = "candor_error_argument")
}

test_that("mechanisms take the ends of their ranges", {
  expect_range(function(x) rr_kuk(0.8, 0.2, draws = x), 1:2, c(0, 1.5, 1001))
  expect_range(function(x) rr_bitflip(5, 1, buckets = x, map = "hash"), integer(), c(1, 6))
  expect_range(function(x) rr_bitflip(5, 1, d = x), c(1, 2, 5), c(0, 6))
  expect_range(function(x) rr_bloom(3, 1, bits = x, hashes = 1), c(2, 3, 4096), c(1, 4097))
  expect_range(function(x) rr_bloom(3, 1, bits = 8, hashes = x), c(1, 7), c(0, 8))
  expect_range(function(x) rr_bloom(3, 1, cohorts = x), c(1, 2), c(0, 1e6 + 1))
  expect_range(function(x) rr_bloom(3, 1, key = x), c(0, 1, 2^32 - 1), c(-1, 2^32))
  expect_range(function(x) rr_bloom(3, 1, permanent = x), 1.1, c(0.9, 1, 701))
  expect_range(function(x) rr_bloom(3, f = x, p = 0.2, q = 0.8), c(0, 0.5), c(-0.1, 1))
  expect_range(function(x) rr_count_mean_sketch(1, width = x, functions = 2), c(2, 3, 65536), c(1, 65537))
  expect_range(function(x) rr_count_mean_sketch(1, width = 8, functions = x), c(1, 2), 0)
  expect_range(function(x) rr_dealt(c(no = 0, yes = 1), cards = x), c(2, 3), c(1, 1e6 + 1))
  expect_range(function(x) rr_hadamard(5, 1, blocks = x), c(1, 2), c(0, 6))
  expect_range(function(x) rr_hierarchy(9, 1, fanout = x), c(2, 3, 9), c(1, 10))
  expect_range(function(x) rr_local_hash(5, 1, g = x), c(2, 3), 1)
  expect_range(function(x) rr_local_hash(5, 1, cohorts = x), c(1, 2), 0)
  expect_range(function(x) rr_subset(5, 1, size = x), c(1, 4), c(0, 5))
  expect_range(function(x) rr_longitudinal(abc, permanent = x, epsilon = 1), 2, c(0.9, 1, 701))
  expect_range(function(x) rr_grr(x, epsilon = 1), c(2, 3), 1)
  expect_range(function(x) rr_square_wave(c(0, 1, 2, 3), 1, reports = x), c(2, 3), 1)
})

test_that("queries of a privacy budget take the ends of theirs", {
  expect_range(function(x) rr_epsilon(warner, reports = x), c(1, 2), c(0, 1.5))
  expect_range(function(x) rr_epsilon(warner, shuffled = x, delta = 1e-6), c(1, 2), c(0, 1e9 + 1))
  expect_range(function(x) rr_epsilon(warner, shuffled = 1000, delta = x), c(1e-9, 0.5), c(0, 1))
})

test_that("estimates, pictures and simulations take the ends of theirs", {
  expect_range(function(x) rr_estimate(tally, method = "inv", interval = "anytime", plan = x), c(1, 2), 0.9)
  expect_range(function(x) rr_estimate(tally, interval = "bootstrap", replications = x), 20, 19)
  expect_range(function(x) rr_estimate(tally, method = "mle", tolerance = x), c(0, 0.5), -0.1)
  expect_range(function(x) rr_top(rr_counts(c(50, 30, 20), rr_grr(3, epsilon = 2)), n = x), c(1, 2, Inf), 0)
  expect_range(function(x) simulate(fit, nsim = x, seed = 1), c(1, 2), 0)
  expect_range(function(x) utils::capture.output(print(fit, n = x)), c(0, 1), -1)
  expect_range(function(x) utils::capture.output(print(fit, digits = x)), c(1, 22), c(0, 23))
  expect_range(function(x) profile(fit, points = x), c(5, 6), c(4, 1001))
  expect_range(function(x) rr_goodness_of_fit(fit, replications = x), 99, 98)
  expect_range(function(x) rr_posterior(tally, n = x), c(0, 1), c(-1, 1e7 + 1))
  expect_range(function(x) rr_choose_method(tally, method = c("mle", "inv"), replications = x, seed = 1), 20, 19)
  expect_range(function(x) rr_cooccurrence(matrix(0:1, 8, 3), x), c(1, 2, 3), c(0, 4))
  expect_range(function(x) rr_power(warner, n = 100, share = 0.3, design_effect = x), c(1, 1.5), 0.9)
  expect_range(function(x) rr_power(warner, margin = 0.1, conf.level = x), 0.9, c(0, 1, 95))
})

test_that("sets and sketches take the ends of theirs", {
  expect_range(function(x) rr_tally(ones = 0, n = x, flip = 0.1), c(1, 2), c(0, 1.5))
  expect_range(function(x) rr_sketch(1:3, "pcsa", buckets = x, levels = 2), c(1, 2), 0)
  expect_range(function(x) rr_sketch(1:3, "pcsa", buckets = 4, levels = x), c(1, 2, 32), c(0, 33))
  expect_range(function(x) rr_sketch(1:3, "linear", bits = x), c(2, 3), 1)
  expect_range(function(x) rr_sketch(1:3, "bloom", bits = 128, hashes = x), c(1, 2, 64), c(0, 65))
  expect_range(function(x) rr_sketch(1:3, "linear", epsilon = x), 0.1, 0)
  expect_range(function(x) rr_set_size(list(1), 0.1, universe = x), c(1, 2), 0)
})

test_that("regressions take the ends of theirs", {
  data <- data.frame(y = rep(c(0, 1, 0, 1), c(20, 30, 25, 10)), x = rep(0:1, c(50, 35)))
  regression <- rr_glm(y ~ x, data, warner)
  expect_range(function(x) rr_glm(y ~ x, data, warner, starts = x), c(1, 2, 1000), c(0, 1001))
  expect_range(function(x) profile(regression, "x", points = x), c(5, 6), c(4, 1001))
  expect_range(function(x) rr_goodness_of_fit(regression, groups = x), integer(), 2)
  expect_range(function(x) simulate(regression, nsim = x), c(1, 2), 0)
})

test_that("each number of a grid must be in its range, and different from the others", {
  for (wrong in list(c(100, -5), c(100, 0), c(100, 2.5), c(100, NA), c(100, Inf), c(100, 100), numeric(), "100")) {
    expect_error(rr_recommend(3, 1, n = wrong), class = "candor_error_argument")
    expect_error(rr_power(warner, n = wrong, share = 0.3), class = "candor_error_argument")
  }
  for (wrong in list(c(1, -1), c(1, 0), c(1, NA), c(2, 2))) expect_error(rr_recommend(3, wrong), class = "candor_error_argument")
  expect_identical(unique(rr_recommend(3, c(0.5, 2), n = c(10, 1))$n), c(10, 1))
})
