# Every score interval is checked by its own equation: at each limit the squared distance is z^2 variances, or as much
# more as the nearest possible share has.

z2 <- stats::qnorm(0.95)^2

test_that("limits of moment_intervals() solve their equation, inside and beyond the shares", {
  inv <- c(-0.1, 0.3, 1.15, 0.7)
  s <- c(2.1, 2.5, 1.8, 3)
  o <- c(1.2, 0.9, 1.4, 0.8)
  n <- 60
  for (target in c("population", "sample")) {
    variance <- function(t) t * s + (1 - t) * o - (if (target == "sample") t else t^2)
    end <- pmin(pmax(inv, 0), 1)
    # At 0 a share has the variance o, at 1 it has s - 1 for both targets.
    excess <- ifelse(inv == end, 0, n * (inv - end)^2 / variance(end))
    limits <- moment_intervals(inv, s, o, n, 0.9, target)
    for (side in c("low", "high")) {
      solves <- abs(n * (inv - limits[[side]])^2 - (z2 + excess) * variance(limits[[side]])) < 1e-9
      expect_identical(solves, c(side == "high", TRUE, side == "low", TRUE))
    }
    expect_identical(c(limits$low[1], limits$high[3]), c(0, 1))
    expect_true(all(limits$low < limits$high))
    # A report has no less variance than `min_second`: the excess shrinks.
    wide <- moment_intervals(inv, s, o, n, 0.9, target, min_second = 5)
    excess <- ifelse(inv == end, 0, n * (inv - end)^2 / 5)
    expect_equal(n * (inv - wide$high)[1]^2, ((z2 + excess) * variance(wide$high))[1])
    expect_equal(n * (inv - wide$low)[3]^2, ((z2 + excess) * variance(wide$low))[3])
  }
})

test_that("limits of binomial counts solve theirs, for p above q and below it", {
  for (a in c(0.4, -0.3)) {
    b <- 0.35
    phi <- c(0.2, 0.45, 0.6, 0.85, 0.02)
    n <- 80
    inv <- (phi - b) / a
    for (target in c("population", "sample")) {
      variance <- function(t) if (target == "population") (b + a * t) * (1 - b - a * t) / a^2 else (b * (1 - b) + t * a * (1 - a - 2 * b)) / a^2
      end <- pmin(pmax(inv, 0), 1)
      m <- b + a * end
      excess <- ifelse(inv == end, 0, n * (phi - m)^2 / (m * (1 - m)))
      limits <- binomial_intervals(a, b, 1 - a, phi, n, "wilson", 0.9, target)
      low <- inv > 0
      high <- inv < 1
      expect_equal((n * (inv - limits$low)^2)[low], ((z2 + excess) * variance(limits$low))[low])
      expect_equal((n * (inv - limits$high)^2)[high], ((z2 + excess) * variance(limits$high))[high])
      expect_identical(limits$low[!low], numeric(sum(!low)))
      expect_identical(limits$high[!high], rep(1, sum(!high)))
      expect_true(all(limits$low < limits$high))
    }
    for (x in c(0, 17, 80)) {
      by_test <- sort((stats::binom.test(x, 80, conf.level = 0.9)$conf.int - b) / a)
      expect_equal(unlist(binomial_intervals(a, b, 1 - a, x / 80, 80, "exact", 0.9, "population"), use.names = FALSE), by_test)
    }
  }
})

test_that("Wilson's limits end exactly at 0 and 1, and are those of prop.test()", {
  for (x in c(0, 3, 12)) {
    limits <- wilson_interval(x / 12, 12, stats::qnorm(0.9)^2)
    expect_equal(unlist(limits, use.names = FALSE), as.vector(stats::prop.test(x, 12, conf.level = 0.8, correct = FALSE)$conf.int))
  }
  expect_identical(wilson_interval(c(0, 1), 7, 1)$low[1], 0)
  expect_identical(wilson_interval(c(0, 1), 7, 1)$high[2], 1)
})

test_that("anytime limits are the shares at which a mixture by Beta(1/2, 1/2) is 1 / alpha times as likely", {
  for (x in c(0, 4, 15)) {
    mixture <- stats::integrate(function(m) m^x * (1 - m)^(15 - x) * stats::dbeta(m, 0.5, 0.5), 0, 1, rel.tol = 1e-10)$value
    limits <- anytime_interval(x / 15, 15, 0.9)
    ratio <- function(m) mixture / (m^x * (1 - m)^(15 - x))
    if (x > 0) expect_equal(ratio(limits$low), 10, tolerance = 1e-6) else expect_identical(limits$low, 0)
    if (x < 15) expect_equal(ratio(limits$high), 10, tolerance = 1e-6) else expect_identical(limits$high, 1)
  }
})

test_that("a normal interval is cut to its range, and as wide as the nearest possible value asks", {
  # Inside: 3 of 4 to each side. At 12, beyond 10 by 2: the root of 9 + 4.
  limits <- normal_interval(c(4, 12, -1), 3, 0, 10)
  expect_equal(limits$low, c(1, 12 - sqrt(13), 0))
  expect_equal(limits$high, c(7, 10, sqrt(10) - 1))
})

test_that("distances below 1e-12 are roundings, and variances below are 1e-12", {
  expect_equal(squared_excess(c(0.5, 0.5 + 1e-13, 0.7, 0.2), 0.5, c(0.25, 0, 0.2, 0.1)), c(0, 0, 0.2, 0.9))
  expect_equal(squared_excess(1e-6, 0, 0), 1)
})

test_that("a count is doubted from the first whose exact tail is below its share of alpha", {
  # Binomial with 40 people: between nobody (0.2) and everybody (0.6), alpha is divided by 2 tails of 3 counts.
  limit <- 0.03 / 6
  low <- stats::qbinom(limit, 40, 0.2)
  high <- 40 - stats::qbinom(limit, 40, 0.4)
  odd <- function(count, alpha = 0.03) beyond_counts(c(15, count, 16), 40, 0.2, 0.6, alpha)
  expect_false(odd(low))
  expect_true(odd(low - 1))
  expect_false(odd(high))
  expect_true(odd(high + 1))
  # Each with probabilities and people of its own: the second count of 3 of 10 is odd with 0.9 at least.
  expect_true(beyond_counts(c(3, 3), 10, c(0.1, 0.9), c(0.5, 0.95), 0.01))
  expect_false(beyond_counts(c(3, 3), 10, c(0.1, 0.1), c(0.5, 0.95), 0.01))
  expect_true(beyond_counts(c(3, 9), c(10, 10), 0.1, 0.3, 0.01))
  expect_false(beyond_counts(c(3, 9), c(10, 100), 0.1, 0.3, 0.01))
  # Parts of people by weights: the tails of whole numbers to the safe side.
  expect_false(odd(low - 0.5))
  expect_false(odd(high + 0.5))
})

test_that("the number of supported categories is doubted one standard deviation beyond its tail", {
  # Four independent bits, p = 0.6, q = 0.2: 1.2 on average, with the variance 0.24 + 3 x 0.16 = 0.72, whatever the truth.
  n <- 500
  alpha <- 0.002
  reach <- (stats::qnorm(alpha / 4, lower.tail = FALSE) + 1) * sqrt(n * 0.72)
  law <- new_law_support(0.6, 0.2)
  odd <- function(total, law) law_unlikely(law, new_evidence(law, rep(total / 4, 4), n, n, 4), alpha)
  for (side in c(-1, 1)) {
    # Even counts of 0.3: none is odd by itself.
    expect_false(odd(1.2 * n + side * (reach - 0.01), law))
    expect_true(odd(1.2 * n + side * (reach + 0.01), law))
  }
  # With pairs r1 = 0.1 and r2 = 0.05: E S^2 = 1.2 + 2 (3 x 0.1 + 3 x 0.05) = 2.1 and the variance 0.66.
  pairs <- new_law_support(0.6, 0.2, 0.1, 0.05)
  reach <- (stats::qnorm(alpha / 4, lower.tail = FALSE) + 1) * sqrt(n * 0.66)
  expect_false(odd(1.2 * n + reach - 0.01, pairs))
  expect_true(odd(1.2 * n + reach + 0.01, pairs))
  # Supports of one size have no variance; unequal p have no one mean.
  expect_false(odd(1.3 * n, new_law_support(0.6, 0.2, 0, 0)))
  expect_false(odd(1.2 * n + 2 * reach, new_law_support(c(0.6, 0.6, 0.6, 0.61), 0.2)))
  # One count beyond all truths is odd alone, at half of alpha.
  last <- n - stats::qbinom(alpha / 2 / 8, n, 0.4)
  alone <- function(count) law_unlikely(law, new_evidence(law, c(count, (600 - count) / 3 + c(0, 0, 0)), n, n, 4), alpha)
  expect_false(alone(last))
  expect_true(alone(last + 1))
})

test_that("additive counts are doubted beyond the reports of nobody and of everybody, for a of either sign", {
  for (law in list(new_law_additive(0.5, c(0.1, 0.25, 0.15)), new_law_additive(-0.3, c(0.4, 0.5, 0.4)))) {
    odd <- function(count) law_unlikely(law, list(counts = c(30, count, 30), n = 100), 0.01)
    ends <- sort(law$b[2] + c(0, law$a))
    low <- stats::qbinom(0.01 / 6, 100, ends[1])
    high <- 100 - stats::qbinom(0.01 / 6, 100, 1 - ends[2])
    expect_identical(c(odd(low - 1), odd(low), odd(high), odd(high + 1)), c(TRUE, FALSE, FALSE, TRUE))
  }
})

test_that("an estimate of exactly 0 or 1 reaches its end, whatever a rounding says", {
  expect_identical(reach_end(list(low = c(1e-17, 0.2, 0.1), high = c(0.3, 1 - 2^-53, 0.5)), c(0, 1, 0.4)), list(low = c(0, 0.2, 0.1), high = c(0.3, 1, 0.5)))
})

test_that("categories of unequal supports have limits by their own probabilities", {
  p <- c(0.7, 0.6, 0.8)
  q <- c(0.2, 0.1, 0.3)
  law <- new_law_support(p, q)
  cells <- c(3L, 1L)
  for (target in c("population", "sample")) {
    expect_equal(law_intervals(law, new_evidence(law, c(40, 30, 50), 90, 90, 3), NULL, "wilson", 0.9, cells, target),
                 binomial_intervals((p - q)[cells], q[cells], (1 - p + q)[cells], c(50, 40) / 90, 90, "wilson", 0.9, target))
  }
})

test_that("exact limits are Clopper and Pearson's at the ends and beside them", {
  limits <- vapply(c(0, 1, 5, 9, 10), function(x) unlist(exact_interval(x / 10, 10, 0.9), use.names = FALSE), numeric(2))
  expected <- vapply(c(0, 1, 5, 9, 10), function(x) as.vector(stats::binom.test(x, 10, conf.level = 0.9)$conf.int), numeric(2))
  expect_equal(limits, expected)
})
