bit <- rr_binary(0.8, 0.1)
pair <- rr_product(a = bit, b = bit)
truth <- c(0.5, 0.2, 0.1, 0.2)

test_that("bias, standard error and coverage are those of the enumeration of all reports of six respondents", {
  n <- 6
  channel <- kronecker(rbind(c(0.9, 0.1), c(0.2, 0.8)), rbind(c(0.9, 0.1), c(0.2, 0.8)))
  tables <- expand.grid(rep(list(0:n), 4))
  tables <- as.matrix(tables[rowSums(tables) == n, ])
  prob <- apply(tables, 1, stats::dmultinom, prob = drop(truth %*% channel))
  fits <- lapply(seq_len(nrow(tables)), function(r) {
    rr_tmdh(rr_cooccurrence(as.table(array(tables[r, ], c(2, 2)))), list(p = 0.8, q = 0.1))
  })
  share <- c(0.4, 0.3, 0.2)
  limits <- vapply(fits, function(fit) confint(fit) / n, matrix(0, 3, 2))
  covers <- limits[, 1, ] <= share & share <= limits[, 2, ]
  variances <- vapply(fits, function(fit) diag(vcov(fit)) / n^2, numeric(3))
  estimates <- vapply(fits, coef, numeric(3)) / n
  variance <- drop(estimates^2 %*% prob) - share^2
  study <- rr_study(truth, n = n, mechanism = pair, order = 2, replications = 500, seed = 4, workers = 1)
  expect_identical(unique(study$term), c("a", "b", "a:b"))
  expect_identical(study$order[study$metric == "bias"], c(1L, 1L, 2L))
  # Twelve normal deviates of a fixed seed: 4 standard errors is once in 1,300 runs.
  deviates <- function(metric, exact) {
    rows <- study[study$metric == metric, ]
    (rows$estimate - exact) / rows$mc.error
  }
  expect_lt(max(abs(deviates("bias", 0))), 4)
  expect_lt(max(abs(deviates("coverage", drop(covers %*% prob)))), 4)
  expect_lt(max(abs(deviates("std.error", sqrt(drop(variances %*% prob) / variance)))), 4)
  error <- study$mc.error[study$metric == "bias"]
  expect_equal(error, unname(sqrt(variance / 500)), tolerance = 0.1)
})

test_that("every kind of question is judged, for both targets, and a seed fixes the draws", {
  survey <- rr_product(a = rr_grr(3, 2), b = rr_unary(3, 2), c = rr_warner(0.8))
  shares <- prop.table(1:18)
  scored <- rr_product(a = rr_bitflip(3, 3, d = 2), c = rr_warner(0.8))
  for (target in c("population", "sample")) {
    one <- function(workers, mechanism = survey, shares = prop.table(1:18)) {
      rr_study(shares, n = 100, mechanism = mechanism, order = 2, replications = 25, seed = 2, target = target, workers = workers)
    }
    study <- one(1)
    if (target == "sample") expect_identical(as.data.frame(one(2)), as.data.frame(study))
    bias <- rbind(study, one(1, scored, prop.table(1:6)))
    bias <- bias[bias$metric == "bias", ]
    # 33 sets, one question's categories adding up: 4.5 standard errors.
    expect_lt(max(abs(bias$estimate / bias$mc.error)), 4.5)
    coverage <- study$estimate[study$metric == "coverage"]
    # 25 surveys: 0.95 less 4 Monte Carlo errors.
    expect_gt(min(coverage), 0.95 - 4 * sqrt(0.95 * 0.05 / 25))
  }
  set.seed(1)
  before <- .Random.seed
  rr_study(shares, n = 20, mechanism = survey, order = 1, replications = 2, seed = 2, workers = 1)
  expect_identical(.Random.seed, before)
})

test_that("methods are judged beside joint counts if they are asked for, with the numbers that they have alone", {
  together <- rr_study(truth, n = c(20, 50), mechanism = pair, order = 2, method = "inv", replications = 10, seed = 1, workers = 1)
  alone <- rr_study(truth, n = c(20, 50), mechanism = pair, method = "inv", replications = 10, seed = 1, workers = 1)
  joint <- rr_study(truth, n = c(20, 50), mechanism = pair, order = 2, replications = 10, seed = 1, workers = 1)
  plain <- function(x) as.data.frame(lapply(x, identity))
  expect_identical(plain(together[together$method == "inv", names(alone)]), plain(alone))
  expect_identical(plain(together[together$method == "tmdh", ]), plain(joint))
  expect_identical(nrow(joint), 18L)
})

test_that("a study with nothing to judge, or of larger sets than there are, is refused", {
  expect_refused(rr_study(truth, n = 20, mechanism = pair, order = 3), class = "order")
  expect_refused(rr_study(truth, n = 20, mechanism = rr_grr(4, 1), order = 1), rr_study(truth, n = 20, mechanism = pair, order = 0),
                 rr_study(truth, n = 20, mechanism = pair, method = NULL))
})

test_that("joint counts are drawn as a point for each set and a line for each order", {
  skip_if_not_installed("ggplot2")
  study <- rr_study(truth, n = c(20, 50), mechanism = pair, order = 2, replications = 10, seed = 1, workers = 1)
  for (metric in c("coverage", "bias", "std.error")) {
    plot <- ggplot2::autoplot(study, metric)
    rows <- study[study$metric == metric, ]
    y <- if (metric == "bias") rows$estimate / rows$mc.error else rows$estimate
    expect_equal(sort(ggplot2::layer_data(plot, 2)$y), sort(y))
    line <- ggplot2::layer_data(plot, 3)
    expect_equal(line$y[line$group == 1], unname(tapply(y[rows$order == 1], rows$n[rows$order == 1], mean)), ignore_attr = TRUE)
  }
  # One number of respondents: a row for each set.
  one <- rr_study(truth, n = 20, mechanism = pair, order = 2, replications = 10, seed = 1, workers = 1)
  rows <- ggplot2::autoplot(one, "std.error")
  expect_setequal(levels(rows$data$label), c("a", "b", "a:b"))
  expect_equal(ggplot2::layer_data(rows, 3)$x, one$estimate[one$metric == "std.error"])
  expect_identical(ggplot2::autoplot(study)$labels$title, ggplot2::autoplot(study, "coverage")$labels$title)
  expect_refused(ggplot2::autoplot(study, "mse"))
})

test_that("bias, ratio of standard errors and coverage have the Monte Carlo errors of their replications, by hand", {
  true <- 0.3
  estimate <- c(0.2, 0.35, 0.4, 0.25, 0.31)
  variance <- c(0.004, 0.006, 0.005, 0.007, 0.003)
  low <- estimate - c(0.05, 0.1, 0.05, 0.1, 0.02)
  high <- estimate + c(0.05, 0.1, 0.05, 0.1, 0.02)
  draws <- array(rbind(estimate, variance, low, high), c(1, 4, 5))
  risks <- joint_risks(draws, true)
  covered <- low <= true & true <= high
  simulated <- sum((estimate - mean(estimate))^2) / 4
  expect_equal(drop(risks$estimate), c(mean(estimate) - true, sqrt(mean(variance) / simulated), mean(covered)))
  # The error of a ratio of two means, of which the root is taken: half its relative error.
  relative <- variance / mean(variance) - (estimate - mean(estimate))^2 / simulated
  error <- c(sqrt(simulated), sqrt(mean(variance) / simulated) / 2 * sd(relative), sqrt(mean(covered) * (1 - mean(covered))))
  expect_equal(drop(risks$error), error / sqrt(5))
})

test_that("an interval holds a truth that is its limit to the last digits, and no truth beyond", {
  covers <- function(low, high) {
    joint_risks(array(rbind(c(0.3, 0.4), 0.01, low, high), c(1, 4, 2)), 0.3)$estimate[3]
  }
  expect_identical(covers(0.3, 0.3), 1)
  expect_identical(covers(0.3 + 1e-12, 1), 1)
  expect_identical(covers(0, 0.3 - 1e-12), 1)
  expect_identical(c(covers(0.3 + 1e-6, 1), covers(0, 0.3 - 1e-6)), c(0, 0))
})

test_that("two replications of joint counts are two draws", {
  study <- rr_study(truth, n = 50, mechanism = pair, order = 1, replications = 2, seed = 1, workers = 1)
  expect_gt(min(study$mc.error[study$metric == "bias"]), 0)
})

test_that("joint counts of direct answers are those of the respondents, whether they are drawn as counts or one by one", {
  shares <- 1:6 / 21
  sets <- c("a:1", "a:2", "a:3", "b", "a:1:b", "a:2:b", "a:3:b")
  for (question in list(rr_grr(3, p = 1), rr_unary(3, p = 1, q = 0))) {
    product <- rr_product(a = question, b = rr_binary(1, 0))
    study <- rr_study(shares, n = 21, mechanism = product, order = 2, replications = 3, target = "sample", seed = 1, workers = 1)
    expect_identical(unique(study$term), sets)
    expect_equal(study$estimate[study$metric == "bias"], numeric(7))
    expect_identical(study$estimate[study$metric == "coverage"], rep(1, 7))
    # Each set has its truth: 12 tallies of new respondents are within 4.5 of their standard errors.
    sampled <- rr_study(shares, n = 50, mechanism = product, order = 2, replications = 12, seed = 1, workers = 1)
    bias <- sampled[sampled$metric == "bias", ]
    true <- c(1 + 4, 2 + 5, 3 + 6, 4 + 5 + 6, 4, 5, 6) / 21
    expect_lt(max(abs(bias$estimate) / sqrt(true * (1 - true) / 50 / 12)), 4.5)
  }
  # No two replications are one draw.
  draw <- joint_drawer(product, shares, NULL, 50, list(seed = 1, order = 2), 1)
  counts <- vapply(1:2, function(r) coef(rr_tmdh(draw(r), product$questions, order = 2)), numeric(7))
  expect_true(any(counts[, 1] != counts[, 2]))
})

test_that("estimates, variances and limits of joint counts are shares of the respondents, a row for each set", {
  fit <- rr_tmdh(rr_cooccurrence(as.table(array(c(15, 13, 14, 19), c(2, 2)))), list(p = 0.8, q = 0.1))
  expected <- cbind(coef(fit) / 61, diag(vcov(fit)) / 61^2, confint(fit) / 61)
  expect_equal(unname(joint_estimates(fit)), unname(expected), tolerance = 1e-10)
})
