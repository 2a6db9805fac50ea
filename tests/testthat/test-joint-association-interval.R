# Each limit solves its own equation; tables of Plackett have the odds ratio that they are made of.

z <- 1.7

test_that("limits of a measure that is 0 under independence solve their quadratic, with the variance between test and estimate", {
  estimate <- c(0.4, 0.4, -0.3, 0.2, 0.25)
  error <- c(0.1, 0.15, 0.08, 0.3, 0.1)
  statistic <- c(9, 20, 14, 0.5, NA)
  limits <- test_limits(estimate, error, data.frame(statistic = statistic, df = 1), z)
  null <- ifelse(is.na(statistic), error^2, estimate^2 / statistic)
  toward <- ifelse(estimate > 0, limits$low, limits$high)
  beyond <- ifelse(estimate > 0, limits$high, limits$low)
  # At m of 0 the variance is the test's, at the estimate it is that of the error, and linear between; on the other side of 0 the test's.
  position <- pmin(pmax(toward / estimate, 0), 1)
  expect_equal((estimate - toward)^2, z^2 * (null + position * (error^2 - null)))
  expect_equal(beyond, estimate + sign(estimate) * z * error)
  # Independence is left out if and only if the test rejects it.
  rejected <- estimate^2 / null > z^2
  expect_identical(toward * estimate > 0, rejected)
  expect_identical(rejected, c(TRUE, TRUE, TRUE, FALSE, TRUE))
  expect_equal(test_limits(0, 0.2, data.frame(statistic = 3, df = 1), z), list(low = -0.34, high = 0.34))
  # Tests of more degrees of freedom, of roundings, and those that are missing say nothing of one number.
  expect_identical(known_statistic(data.frame(statistic = c(3, 3, NA, 1e-14, 2), df = c(1, 2, 1, 1, NA))), c(3, NA, NA, NA, NA))
  expect_identical(known_statistic(data.frame(x = 1:2)), c(NA_real_, NA_real_))
})

test_that("a correlation is cut to -1 and 1, and one beyond is no point", {
  pairs <- data.frame(correlation = c(0.9, 1.2, -1.3, 0.1, 0.5, -0.5), correlation.error = c(0.2, 0.05, 0.1, 0.05, 0.1, 0.1), df = 1,
                      statistic = c(NA, NA, NA, NA, 100, 100))
  limits <- correlation_limits(pairs, z)
  plain <- test_limits(pairs$correlation, pairs$correlation.error, pairs, z)
  expect_equal(limits$low[c(1, 4:6)], plain$low[c(1, 4:6)])
  expect_equal(limits$high[c(1, 2, 4:6)], c(1, 1, plain$high[4:6]))
  # A test that is sure of more than the error says comes nearer to the estimate.
  expect_gt(plain$low[5], 0.5 - z * 0.1)
  # 1.2 is 0.2 beyond: as far again as z errors and the excess together.
  expect_equal(limits$low[2], 1.2 - sqrt((z * 0.05)^2 + 0.2^2))
  expect_equal(limits$low[3], -1)
  expect_equal(limits$high[3], -1.3 + sqrt((z * 0.1)^2 + 0.3^2))
})

# Moments of yes to the first, the second and both in n rows without noise, of these shares.
moments_of <- function(x, y, both, n) {
  c(x * (1 - x), y * (1 - y), both * (1 - both), both - x * y, both * (1 - x), both * (1 - y)) / n
}

test_that("a table of Plackett has its margins and its odds ratio, and the variance of the distance from it", {
  for (x in c(0.3, 0.7)) for (y in c(0.2, 0.6)) for (ratio in c(0.05, 0.5, 1, 3, 40)) {
    shares <- list(x = x, y = y, moments = matrix(moments_of(x, y, 0.15, 50)))
    share <- joint_share(shares, ratio / (1 + ratio))
    s <- share$value
    expect_equal(s * (1 - x - y + s) / ((x - s) * (y - s)), ratio)
    expect_true(s > max(0, x + y - 1) && s < min(x, y))
    expect_equal(ratio_position(shares, s), ratio / (1 + ratio))
    # The distance moves with the share of yes to both, less the derivatives of the table's by x and y.
    h <- 1e-6
    moved <- function(dx, dy) joint_share(list(x = x + dx, y = y + dy, moments = shares$moments), ratio / (1 + ratio))$value
    g <- c((moved(-h, 0) - moved(h, 0)) / (2 * h), (moved(0, -h) - moved(0, h)) / (2 * h), 1)
    v <- shares$moments
    V <- rbind(c(v[1], v[4], v[5]), c(v[4], v[2], v[6]), c(v[5], v[6], v[3]))
    expect_equal(share$variance, drop(g %*% V %*% g), tolerance = 1e-6)
  }
  ends <- list(x = 0.3, y = 0.8, moments = matrix(moments_of(0.3, 0.8, 0.2, 50)))
  expect_equal(c(joint_share(ends, 0)$value, joint_share(ends, 1)$value), c(0.1, 0.3))
})

test_that("limits of odds ratios are the last ones whose share of yes to both is near enough, by a scan", {
  scanned <- function(x, y, both, statistic, n) {
    shares <- list(x = x, y = y, moments = matrix(moments_of(x, y, both, n)))
    estimate <- ratio_position(shares, both)
    independent <- joint_share(shares, 0.5)
    added <- if (is.na(statistic)) 0 else (both - independent$value)^2 / statistic - independent$variance
    position <- seq(1e-4, 1 - 1e-4, length.out = 9999)
    inside <- vapply(position, function(p) {
      share <- joint_share(shares, p)
      weight <- if (estimate == 0.5) 0 else min(max((estimate - p) / (estimate - 0.5), 0), 1)
      abs(both - share$value) <= z * sqrt(max(0, share$variance + weight * added))
    }, NA)
    range(position[inside])
  }
  worlds <- list(c(0.3, 0.4, 0.2, 12, 60), c(0.3, 0.4, 0.06, NA, 60), c(0.5, 0.4, 0.22, 0.4, 60), c(0.5, 0.4, 0.1, 9, 60), c(0.5, 0.4, 0.35, 20, 60))
  for (world in worlds) {
    moments <- moments_of(world[1], world[2], world[3], world[5])
    pairs <- as.data.frame(as.list(stats::setNames(c(world[1:3], moments), inner_columns)))
    pairs$covariance <- world[3] - world[1] * world[2]
    pairs$statistic <- world[4]
    pairs$df <- 1
    limits <- ratio_limits(pairs, z)
    positions <- c(limits$low / (1 + limits$low), limits$high / (1 + limits$high))
    expect_lt(max(abs(positions - scanned(world[1], world[2], world[3], world[4], world[5]))), 1.1e-4)
  }
  expect_equal(last_inside(function(x) x > 0.3, 0.1, 1), 0.3)
  expect_equal(last_inside(function(x) x < 0.3, 0.7, 0), 0.3)
  expect_identical(last_inside(function(x) x > 2, 0.1, 1), 1)
})

test_that("Cramer's V of two yes/no questions is the absolute correlation, of others a normal interval", {
  pairs <- data.frame(cramers.v = c(0.4, 0.3, 0.9, 0.05), cramers.v.error = c(0.1, 0.1, 0.2, 0.1),
                      correlation = c(-0.4, 0.1, NA, NA), correlation.error = c(0.1, 0.1, NA, NA), statistic = NA_real_, df = 1)
  limits <- cramer_limits(pairs, z)
  expect_equal(limits$low, c(0.4 - 0.17, 0, 0.9 - 0.34, 0))
  expect_equal(limits$high, c(0.4 + 0.17, 0.1 + 0.17, 1, 0.05 + 0.17))
  expect_equal(cramer_limits(pairs[3:4, 1:2], z), list(low = c(0.56, 0), high = c(1, 0.22)))
})
