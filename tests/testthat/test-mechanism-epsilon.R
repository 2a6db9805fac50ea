# The nominal epsilon: exact where the truth is the least likely report, and never below what is achieved.

test_that("a rare truth has the epsilon of its ratio", {
  # log((1 - p) / p), from -log(p) + log1p(-p).
  for (p in c(3.2521e-17, 1e-12, 1e-6, 1e-300)) {
    expect_equal(rr_epsilon(rr_grr(2, p = p)), -log(p) + log1p(-p), tolerance = 1e-14)
    expect_equal(rr_epsilon(rr_warner(p)), -log(p) + log1p(-p), tolerance = 1e-14)
  }
  expect_equal(rr_epsilon(rr_binary(1e-20, 0.5)), log(0.5) + 20 * log(10), tolerance = 1e-14)
  expect_equal(rr_epsilon(rr_grr(5, p = 1e-9)), log((1 - 1e-9) / 4) + 9 * log(10), tolerance = 1e-14)
  expect_identical(rr_epsilon(rr_grr(3, p = 0)), Inf)
  expect_identical(rr_epsilon(rr_grr(3, p = 1)), Inf)
  expect_identical(rr_epsilon(rr_grr(7, p = 1 / 7)), 0)
})

test_that("what is achieved is never above it", {
  set.seed(1)
  over <- function(make, n) sum(replicate(n, {
    mechanism <- make()
    isTRUE(achieved(mechanism)$epsilon > mechanism$epsilon)
  }))
  expect_identical(over(function() rr_grr(sample(2:20, 1), p = runif(1)^sample(c(1, 4, 40), 1)), 2000), 0L)
  expect_identical(over(function() rr_binary(runif(1)^sample(c(1, 9), 1), runif(1)^sample(c(1, 9), 1)), 2000), 0L)
  expect_identical(over(function() rr_warner(runif(1)), 1000), 0L)
  expect_identical(over(function() rr_forced(prop.table(runif(4)) * runif(1)), 500), 0L)
  expect_identical(over(function() rr_channel(prop.table(matrix(runif(12), 3), 1)), 500), 0L)
  expect_identical(over(function() rr_exponential(sample(2:6, 1), runif(1, 0.1, 5)), 500), 0L)
  expect_identical(over(function() rr_geometric(sample(2:6, 1), runif(1, 0.1, 5)), 500), 0L)
  expect_identical(over(function() rr_compose(rr_grr(4, p = runif(1)), rr_grr(4, p = runif(1))), 500), 0L)
})

test_that("a negative zero is a zero", {
  expect_identical(rr_epsilon(rr_binary(0.8, -0)), Inf)
  expect_identical(rr_epsilon(rr_forced(-0)), Inf)
  expect_identical(rr_epsilon(rr_kuk(0.8, -0)), Inf)
})

test_that("no generator but the system's can stand for it", {
  entropy$source <- "R"
  on.exit(entropy$source <- "secure")
  set.seed(1)
  expect_error(rr_perturb(1:3, rr_grr(3, epsilon = 1)), class = "candor_error_entropy")
})

test_that("counts and merged tallies are exact up to 2^53, and no further", {
  expect_identical(rr_counts(c(2^53 - 1, 1, 0), rr_grr(3, epsilon = 1))$n, 2^53)
  expect_error(rr_counts(c(2^53, 1, 0), rr_grr(3, epsilon = 1)), class = "candor_error_counts")
  large <- rr_counts(c(2^53 - 1, 0, 0), rr_grr(3, epsilon = 1))
  one <- rr_counts(c(1, 0, 0), rr_grr(3, epsilon = 1))
  expect_identical(c(large, one)$n, 2^53)
  expect_error(c(large, one, one), class = "candor_error_counts")
  groups <- rr_counts(cbind(a = c(2^53 - 1, 0, 0), b = c(1, 0, 0)), rr_grr(3, epsilon = 1))
  expect_error(c(groups, rr_counts(cbind(a = c(1, 1, 0)), rr_grr(3, epsilon = 1))), class = "candor_error_counts")
})

test_that("na.rm belongs to the making of a tally", {
  tally <- rr_counts(c(3, 4, 5), rr_grr(3, epsilon = 1))
  expect_error(rr_estimate(tally, na.rm = TRUE), class = "candor_error_argument")
  expect_error(rr_estimate(tally, na.rm = "yes"), class = "candor_error_argument")
  expect_silent(rr_estimate(tally, na.rm = FALSE))
})
