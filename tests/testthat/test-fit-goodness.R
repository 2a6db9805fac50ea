test_that("two designs leave a degree of freedom, and its test is the hand-made one", {
  rows <- subset(exam_survey, item == "copied" & design != "direct")
  fit <- rr_estimate(lapply(1:2, function(i) with(rows[i, ], rr_counts(c(no = no, yes = yes), rr_binary(p, q)))))
  test <- rr_goodness_of_fit(fit, seed = 1)
  lambda <- rows$q + (rows$p - rows$q) * coef(fit)[["yes"]]
  n <- rows$yes + rows$no
  deviance <- 2 * sum(rows$yes * log(rows$yes / (n * lambda)) + rows$no * log(rows$no / (n * (1 - lambda))))
  expect_equal(test$deviance, deviance, tolerance = 1e-6)
  expect_identical(test$df, 1)
  expect_equal(test$p.chi2, pchisq(deviance, 1, lower.tail = FALSE), tolerance = 1e-6)
  # 999 simulations: the p-value has a standard error of at most .016.
  expect_lt(abs(test$p.value - test$p.chi2), 0.05)
})

test_that("fewer yes than the die makes is half a normal test", {
  test <- rr_goodness_of_fit(rr_estimate(rr_counts(c(no = 587, yes = 108), rr_binary(11 / 12, 1 / 6))), seed = 1)
  exact <- pbinom(108, 695, 1 / 6)
  # More extreme is fewer yes only, since more yes are explained by a truth.
  expect_lt(abs(test$p.value - exact), 0.05)
  expect_identical(test$df, 0)
  expect_identical(test$p.chi2, NA_real_)
  expect_lt(rr_goodness_of_fit(estimate_doubted(rr_counts(c(no = 640, yes = 60), rr_binary(11 / 12, 1 / 6))), seed = 1)$p.value, 0.01)
})

test_that("what the design explains is no contradiction, and the generator is left alone", {
  set.seed(3)
  before <- .Random.seed
  # Any share between 20 and 80 % has a truth: nothing can be tested.
  expect_message(test <- rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), 99, seed = 2), class = "candor_message_untested")
  expect_identical(.Random.seed, before)
  expect_equal(test$deviance, 0, tolerance = 1e-9)
  expect_identical(c(test$p.value, test$p.chi2), c(NA_real_, NA_real_))
  # In one group it can: its estimate is at the boundary.
  groups <- rr_tally(data.frame(report = rep(c("no", "yes", "no", "yes"), c(40, 60, 95, 5)), group = rep(1:2, each = 100)), rr_warner(0.8),
                     column = "report", by = "group")
  expect_message(test <- rr_goodness_of_fit(estimate_doubted(groups), 99, seed = 2), class = "candor_message_untested")
  expect_identical(is.na(test$p.value), c(TRUE, FALSE))
  expect_lte(test$p.value[2], 0.02)
  # Three reports for two truths leave a degree of freedom.
  channel <- rr_channel(rbind(a = c(x = .5, y = .3, z = .2), b = c(x = .2, y = .2, z = .6)))
  expect_false(is.na(rr_goodness_of_fit(rr_estimate(rr_counts(c(x = 35, y = 25, z = 40), channel)), 99)$p.value))
  expect_refused(rr_goodness_of_fit(1), rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8)), method = "inv")),
                 rr_goodness_of_fit(rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), 5))
})

test_that("a fit says where its reports are unlikely under the design, and only there", {
  # 10 of 600 say yes where the device alone makes 120: a likelihood ratio of 2 * 600 * KL(1/60 || 1/5) = 228.
  swapped <- estimate_doubted(rr_counts(c(no = 590, yes = 10), rr_warner(0.2)))
  deviance <- 2 * (590 * log(590 / 600 / 0.8) + 10 * log(10 / 600 / 0.2))
  expect_equal(rr_goodness_of_fit(swapped, replications = 99, seed = 1)$deviance, deviance, tolerance = 1e-6)
})

categories <- function(levels, epsilon) rr_grr(levels, epsilon = epsilon)

test_that("depths of a hierarchy are compared by the difference of their estimates", {
  # Two nodes above four levels: one difference, its variance by the binomial law of either count.
  mechanism <- rr_hierarchy(4, 1, fanout = 2, oracle = categories)
  counts <- c(400, 230, 170, 500, 150, 130, 120, 100)
  fit <- rr_estimate(rr_counts(counts, mechanism, n = 900), method = "inv")
  theta <- unname(coef(fit))
  expect_true(all(theta > 0))
  top <- rr_law(mechanism$parts[[1]])
  low <- rr_law(mechanism$parts[[2]])
  apart <- (230 / 400 - top$b) / top$a - (280 / 500 - 2 * low$b) / low$a
  m <- c(top$b + top$a * sum(theta[1:2]), 2 * low$b + low$a * sum(theta[1:2]))
  variance <- sum(m * (1 - m) / (c(400, 500) * c(top$a, low$a)^2))
  test <- rr_goodness_of_fit(fit)
  expect_equal(test$deviance, apart^2 / variance, tolerance = 1e-9)
  expect_equal(test$df, 1)
  expect_equal(test$p.value, pchisq(apart^2 / variance, 1, lower.tail = FALSE), tolerance = 1e-9)
  # By whatever method: the counts are compared.
  expect_equal(rr_goodness_of_fit(rr_estimate(rr_counts(counts, mechanism, n = 900), method = "mle")), test)
  # One depth of categories contradicts nothing.
  alone <- rr_estimate(rr_counts(c(120, 50, 40, 30), rr_hierarchy(3, 1, fanout = 3, oracle = categories), n = 120), method = "inv")
  expect_equal(as.list(rr_goodness_of_fit(alone))[c("deviance", "df", "p.value", "p.chi2")], list(deviance = 0, df = 0, p.value = 1, p.chi2 = NA_real_))
})

test_that("for bits it is the generalized least squares fit of the levels to all nodes", {
  mechanism <- rr_hierarchy(6, 1, fanout = 2, oracle = rr_unary)
  set.seed(8)
  tally <- rr_tally(rr_perturb(rep(1:6, c(60, 50, 40, 30, 20, 10) * 5), mechanism, rng = "R"), mechanism)
  fit <- rr_estimate(tally, method = "inv")
  theta <- unname(coef(fit))
  part <- mechanism$parts[[1]]
  d <- part$p - part$q
  # Nodes of the depths by levels; bits are independent given the truth.
  X <- list(rbind(c(1, 1, 1, 1, 0, 0), c(0, 0, 0, 0, 1, 1)), rbind(c(1, 1, 0, 0, 0, 0), c(0, 0, 1, 1, 0, 0), c(0, 0, 0, 0, 1, 1)), diag(6))
  counts <- split(tally$counts, rep(1:3, c(3, 4, 7)))
  y <- unlist(lapply(counts, function(c) (c[-1] / c[1] - part$q) / d))
  V <- matrix(0, 11, 11)
  for (l in 1:3) {
    share <- drop(X[[l]] %*% theta)
    m <- part$q + d * share
    block <- -outer(share, share)
    diag(block) <- m * (1 - m) / d^2
    at <- list(1:2, 3:5, 6:11)[[l]]
    V[at, at] <- block / counts[[l]][1]
  }
  # Levels that add up to 1: the last is 1 less the others.
  full <- do.call(rbind, X)
  design <- full[, 1:5] - full[, 6]
  rest <- y - full[, 6]
  W <- solve(V)
  error <- rest - design %*% solve(t(design) %*% W %*% design, t(design) %*% W %*% rest)
  test <- rr_goodness_of_fit(fit)
  expect_equal(test$deviance, drop(t(error) %*% W %*% error), tolerance = 1e-8)
  expect_equal(test$df, 11 - 5)
  # Depths that add up beside others that need not: independent estimates 1 + 3 + 6, or 2 + 2 + 5, less 5.
  mixed <- function(first) function(levels, epsilon) if ((levels == 3) == first) rr_unary(levels, epsilon) else categories(levels, epsilon)
  for (first in c(TRUE, FALSE)) {
    other <- rr_hierarchy(6, 1, fanout = 2, oracle = mixed(first))
    own <- rr_estimate(rr_perturb(rep(1:6, 100), other, rng = "R"), other, method = "inv")
    expect_equal(rr_goodness_of_fit(own)$df, if (first) 1 + 3 + 5 - 5 else 2 + 2 + 6 - 5)
  }
})

test_that("depths that agree are rejected as often as the level says, and others are found", {
  set.seed(9)
  theta <- (1 / 1:9) / sum(1 / 1:9)
  # 1,000 tallies each: the share that is rejected at level 0.05 has a standard error of 0.0069; three and a half are allowed.
  for (oracle in list(categories, rr_unary)) {
    mechanism <- rr_hierarchy(9, 1, fanout = 3, oracle = oracle)
    law <- rr_law(mechanism)
    reports <- rr_perturb(sample(9, 300 * 1000, TRUE, theta), mechanism, rng = "R")
    counts <- rr_tally(reports, mechanism, by = rep(1:1000, each = 300))$counts
    p <- apply(counts, 2, function(counts) {
      found <- depths_test(law, new_evidence(law, counts, 300, 300, 9, mechanism))
      pchisq(found$statistic, found$df, lower.tail = FALSE)
    })
    expect_lte(abs(mean(p < 0.05) - 0.05), 3.5 * sqrt(0.05 * 0.95 / 1000))
  }
  # Who drew the first depth answered with the categories in another order; of two groups the other one followed the instructions.
  reports <- rr_perturb(rep(1:9, times = round(3000 * theta)), mechanism, rng = "R")
  tally <- rr_tally(reports, mechanism, by = rep(c("a", "b"), length.out = nrow(reports)))
  tally$counts[2:4, 1] <- rev(tally$counts[2:4, 1])
  test <- rr_goodness_of_fit(rr_estimate(tally, method = "inv"))
  expect_lt(test$p.value[1], 1e-4)
  expect_gt(test$p.value[2], 0.01)
  large <- rr_hierarchy(5000, 1)
  counts <- numeric(length(large$reports))
  counts[vapply(submechanism_rows(large$parts), `[`, 0, 1)] <- 10
  expect_error(rr_goodness_of_fit(rr_estimate(rr_counts(counts, large, n = 10 * large$height), method = "inv")), class = "candor_error_too_large")
})

test_that("counts are doubted by the deviance's tail: chi-squared below 100 reports, the mixture of cones from there on", {
  m <- rr_grr(3, p = 0.6)
  fitted <- c(0.5, 0.3, 0.2)
  for (n in c(99, 100)) {
    counts <- n * c(0.4, 0.32, 0.28)
    deviance <- 2 * sum(counts * log(counts / (n * fitted)))
    largest <- pchisq(deviance, 2, lower.tail = FALSE)
    mixture <- (largest + pchisq(deviance, 1, lower.tail = FALSE)) / 2
    expect_lt(mixture, largest)
    expect_true(counts_contradict(m, counts, fitted, largest * 1.001))
    expect_identical(counts_contradict(m, counts, fitted, (largest + mixture) / 2), n == 100)
    expect_false(counts_contradict(m, counts, fitted, mixture * 0.999))
  }
  # Two reports: the binomials of all truths, from 0.2 to 0.8, whose nearest end decides; both tails of 100 reports.
  warner <- rr_warner(0.8)
  below <- vapply(0:20, function(yes) pbinom(yes, 100, 0.2), 0)
  for (yes in c(5, 8, 11)) {
    expect_true(counts_contradict(warner, c(100 - yes, yes), c(0.8, 0.2), 2.5 * below[yes + 1]))
    expect_false(counts_contradict(warner, c(100 - yes, yes), c(0.8, 0.2), 0.9 * below[yes + 1]))
    expect_true(counts_contradict(warner, c(yes, 100 - yes), c(0.2, 0.8), 2.5 * below[yes + 1]))
  }
})

test_that("deviances of blocks, their tails, and counts beyond all probabilities, by hand", {
  counts <- c(30, 50, 20, 8, 12)
  fitted <- c(0.2, 0.3, 0.1, 0.25, 0.15)
  blocks <- list(1:3, 4:5)
  by_block <- function(index) {
    expected <- fitted[index] / sum(fitted[index]) * sum(counts[index])
    2 * sum(counts[index] * log(counts[index] / expected))
  }
  expect_equal(count_deviance(counts, fitted, blocks), by_block(1:3) + by_block(4:5), tolerance = 1e-12)
  expect_equal(count_deviance(c(0, 10), c(0.5, 0.5), list(1:2)), 2 * 10 * log(2))
  expect_identical(count_deviance(c(5, 5), c(0.5, 0.5), list(1:2)), 0)
  expect_equal(deviance_tail(7, 3), (pchisq(7, 3, lower.tail = FALSE) + pchisq(7, 2, lower.tail = FALSE)) / 2)
  # 9 of 100 where at least a fifth says yes.
  below <- function(count, alpha) beyond_range(count, 100, 0.2, 0.8, alpha)
  tail <- pbinom(9, 100, 0.2) + pbinom(80, 100, 0.2, lower.tail = FALSE)
  expect_identical(c(below(9, tail * 1.001), below(9, tail * 0.999), below(20, 1)), c(TRUE, FALSE, FALSE))
  above <- pbinom(90, 100, 0.8, lower.tail = FALSE) + pbinom(19, 100, 0.8)
  expect_identical(c(below(91, above * 1.001), below(91, above * 0.999), below(80, 1)), c(TRUE, FALSE, FALSE))
  # Where both ends are near each other both tails count.
  narrow <- pbinom(40, 100, 0.49) + pbinom(51, 100, 0.49, lower.tail = FALSE)
  expect_identical(c(beyond_range(40, 100, 0.49, 0.51, narrow * 1.001), beyond_range(40, 100, 0.49, 0.51, narrow * 0.999)), c(TRUE, FALSE))
  above <- pbinom(59, 100, 0.51, lower.tail = FALSE) + pbinom(48, 100, 0.51)
  expect_identical(c(beyond_range(60, 100, 0.49, 0.51, above * 1.001), beyond_range(60, 100, 0.49, 0.51, above * 0.999)), c(TRUE, FALSE))
})

test_that("the free reports of a design, and its blocks", {
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("no", "yes"), reports = c("x", "y", "z"))
  expect_identical(c(free_reports(wide), free_reports(rr_grr(4, 1)), free_reports(rr_warner(0.8))), c(1, 0, 0))
  expect_identical(report_blocks(wide), list(1:3))
  pool <- rr_pool(rr_counts(c(no = 60, yes = 41), rr_binary(0.8, 0.2)), rr_counts(c(no = 70, yes = 31), rr_binary(0.9, 0.3)))$mechanism
  expect_identical(report_blocks(pool), list(1:2, 3:4))
  expect_identical(free_reports(pool), 1)
  same <- rr_channel(rbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2), c(0.2, 0.2, 0.6)))
  expect_identical(free_reports(same), 1)
})

test_that("squares of differences by a covariance of less than full rank", {
  C <- tcrossprod(cbind(c(1, 0.5, -1), c(0, 2, 1)))
  x <- drop(C %*% c(0.3, -0.2, 0.5))
  found <- scaled_squares(x, C)
  expect_equal(found$df, 2)
  expect_equal(found$statistic, sum(c(0.3, -0.2, 0.5) * x), tolerance = 1e-8)
  full <- diag(c(4, 9)) + 1
  expect_equal(scaled_squares(c(1, 2), full), list(statistic = sum(c(1, 2) * solve(full, c(1, 2))), df = 2), tolerance = 1e-10)
  expect_identical(scaled_squares(numeric(), matrix(0, 0, 0)), list(statistic = 0, df = 0))
})

test_that("verdicts are of the smallest adjusted p-value", {
  expect_identical(goodness_verdict(c(NA, NA)), "Nothing can be tested.")
  expect_identical(goodness_verdict(0.0499), "The reports do not fit (p = 0.05)")
  expect_identical(goodness_verdict(c(0.0251, NA)), "The reports do not fit (p = 0.025)")
  expect_identical(goodness_verdict(c(0.0251, 0.9)), "No misfit was found (p = 0.05, adjusted for 2 tests)")
  expect_identical(goodness_verdict(0.05), "No misfit was found (p = 0.05)")
})

test_that("the p-value counts simulated deviances that are as large, and deviances of 0 are ties", {
  direct <- rr_goodness_of_fit(suppressWarnings(rr_estimate(rr_counts(c(100, 0), rr_binary(1, 0)))), 99, seed = 1)
  expect_identical(c(direct$deviance, direct$df, direct$p.value, direct$replications), c(0, 0, 1, 99))
  # None or all of six, where 0.3 are due: 0.7^6 + 0.3^6, with four simulation errors.
  six <- rr_goodness_of_fit(suppressWarnings(rr_estimate(rr_counts(c(no = 6, yes = 0), rr_warner(0.7)))), 1999, seed = 1)
  expect_lt(abs(six$p.value - 0.7^6 - 0.3^6), 4 * sqrt(0.118 * 0.882 / 1999))
  # 10 of 600 where a fifth is due: no simulated tally is so far from it.
  swapped <- rr_goodness_of_fit(estimate_doubted(rr_counts(c(no = 590, yes = 10), rr_warner(0.2))), 199, seed = 1)
  expect_identical(c(swapped$p.value, swapped$replications), c(1 / 200, 199))
})

test_that("several questions are each doubted by their own counts, at their part of the level", {
  both <- rr_product(a = rr_warner(0.8), b = rr_grr(3, p = 0.6))
  # 9 of 100 said yes to a, where a fifth is due; b is as it may be.
  table <- rbind(no = c(30, 31, 30), yes = c(3, 3, 3))
  tail <- pbinom(9, 100, 0.2) + pbinom(80, 100, 0.2, lower.tail = FALSE)
  expect_true(reports_contradict(rr_warner(0.8), c(91, 9), 1.5 * tail))
  expect_false(reports_contradict(both, as.vector(table), 1.5 * tail))
  expect_true(reports_contradict(both, as.vector(table), 2.5 * tail))
  expect_true(reports_contradict(both, c(50, 50, 0, 0, 0, 0), 1e-6))
  expect_false(reports_contradict(both, rep(20, 6), 0.1))
})

test_that("the deviance doubts up to 40 reports of the likeliest truth, and of unbiased estimates below 0; else the counts do", {
  doubt <- function(counts, mechanism, ...) suppressWarnings(rr_estimate(rr_counts(counts, mechanism), ...))$doubt
  rare <- c(990, 5, 5)
  grr <- rr_grr(3, epsilon = 2)
  expect_identical(c(doubt(rare, grr), doubt(rare, grr, method = "inv"), doubt(rare, grr, method = "norm_sub")), c("deviance", "deviance", "counts"))
  # Too many of the report between: no truth makes them, but the unbiased estimate is inside, and fits as well as it can.
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("no", "yes"), reports = c("x", "y", "z"))
  expect_identical(doubt(c(300, 400, 300), wide), "deviance")
  expect_false(doubt(c(300, 400, 300), wide, method = "inv") == "deviance")
  # Nobody gave the last report, which is due as often as others.
  none <- function(k) doubt(c(rep(100, k - 1), 0), rr_grr(k, epsilon = 1))
  expect_identical(c(none(40), none(41)), c("deviance", "counts"))
  measured <- rr_misclassification(table = rbind(a = c(a = 80, b = 20), b = c(20, 80)))
  # What is beyond a measured channel may be the error of its study.
  expect_false(doubt(c(990, 10), measured) == "deviance")
})

test_that("counts that a truth makes have no doubt: Pearson's statistic is 4 at most", {
  law <- rr_law(rr_warner(0.8))
  # 380 and 620 are expected. The statistic of d more is d^2 (1 / 380 + 1 / 620).
  made <- function(statistic, truth = c(0.3, 0.7), k = 2) {
    d <- sqrt(statistic / (1 / 380 + 1 / 620))
    makes_counts(list(law = law, k = k, n = 1000, counts = c(380 + d, 620 - d)), truth)
  }
  expect_identical(c(made(3.99), made(4.01), made(0, k = 40), made(0, k = 41)), c(TRUE, FALSE, TRUE, FALSE))
  beyond <- function(truth) makes_counts(list(law = law, k = 2, n = 1000, counts = 1000 * (0.2 + 0.6 * truth)), truth)
  expect_identical(c(beyond(c(0, 1)), beyond(c(-0.01, 1)), beyond(c(0, 1.01))), c(TRUE, FALSE, FALSE))
})

test_that("a fit with one share at 0 is tested by simulation alone; rare reports count; many reports are not tested all together", {
  held <- rr_goodness_of_fit(estimate_doubted(rr_counts(c(600, 385, 15), rr_grr(3, 1))), replications = 99, seed = 1)
  expect_identical(c(held$df, held$p.chi2), c(0, NA))
  expect_lte(held$p.value, 0.05)
  # Each count times the logarithm of its ratio to the fitted number.
  expect_equal(count_deviance(c(1, 3, 0), c(0.5, 0.3, 0.2), list(1:3)), 2 * (log(1 / 2) + 3 * log(3 / 1.2)))
  # All reports are one category, of which epsilon 1 allows each at most e / (e + k - 1).
  alone <- function(k) reports_contradict(rr_grr(k, 1), c(10000, numeric(k - 1)))
  expect_identical(c(alone(2), alone(3), alone(40), alone(41)), c(TRUE, TRUE, TRUE, FALSE))
  expect_false(reports_contradict(rr_unary(4, 1), c(10000, 0, 0, 0)))
})

test_that("simulated deviances are those of all tallies of as many reports, as often as the fitted shares make them", {
  # Six reports, of which 0.3 to 0.7 say yes whatever the truth.
  yes <- 0:6
  fitted <- pmin(pmax(yes / 6, 0.3), 0.7)
  term <- function(count, share) ifelse(count > 0, count * log(count / (6 * share)), 0)
  deviance <- 2 * (term(yes, fitted) + term(6 - yes, 1 - fitted))
  found <- withr::with_seed(4, simulated_deviances(rr_warner(0.7), c(no = 6, yes = 0), c(0.7, 0.3), list(1:2), 400))
  expect_true(all(vapply(found, function(one) min(abs(one - deviance)), 0) < 1e-8))
  chance <- dbinom(yes, 6, 0.3)
  mean <- sum(chance * deviance)
  # 400 tallies: four standard errors.
  expect_lt(abs(mean(found) - mean), 4 * sqrt(sum(chance * (deviance - mean)^2) / 400))
  # Blocks keep their numbers: two pooled tallies, of which the second says yes always.
  pool <- rr_pool(rr_counts(c(no = 60, yes = 41), rr_binary(0.8, 0.2)), rr_counts(c(no = 0, yes = 31), rr_binary(1, 1)))$mechanism
  found <- withr::with_seed(4, simulated_deviances(pool, c(60, 41, 0, 31), c(0.45, 0.32, 0, 0.23), list(1:2, 3:4), 50))
  expect_equal(found, numeric(50), tolerance = 1e-6)
})
