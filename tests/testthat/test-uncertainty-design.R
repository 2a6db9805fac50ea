# What the variance of a design is made of, by hand; the variances themselves are in test-fit-survey.R.

# Five respondents: reports, labels of three of them, and weights.
labelled <- list(code = c(1L, 1L, 2L, 2L, 2L), truth = c(1L, NA, 2L, 1L, NA), group = rep(1L, 5), size = 15)
w <- c(1, 2, 3, 4, 5)

test_that("labels give each report its predictive values, and respondents scores whose weighted mean is the estimate", {
  sums <- labelled_sums(labelled, 1:5, w, 2, 3)
  expect_equal(sums, list(labels = cbind(c(1, 0), c(4, 3), 0), predictive = cbind(c(1, 0), c(4, 3) / 7, 0), reports = c(3, 12, 0)))
  expect_equal(labelled_sums(labelled, c(3, 5), w[c(3, 5)], 2, 2)$labels, cbind(0, c(0, 3)))
  # Those with a label move by W / V of its distance from the predictive values.
  sums <- labelled_sums(labelled, 1:5, w, 2, 2)
  scores <- labelled_scores(labelled, 1:5, sums)
  p <- c(4, 3) / 7
  expect_equal(scores, rbind(c(1, 0), c(1, 0), p + 12 / 7 * (c(0, 1) - p), p + 12 / 7 * (c(1, 0) - p), p), ignore_attr = TRUE)
  # By hand: (3 (1, 0) + 12 p) / 15.
  estimate <- (c(3, 0) + 12 * p) / 15
  expect_equal(colSums(w * scores) / 15, estimate)
  fit <- list(mechanism = list(levels = c("no", "yes"), reports = c("no", "yes")), estimate = estimate)
  linear <- labelled_linear(fit, labelled, w)
  expect_equal(linear$scores(1, 3:5), scores[3:5, ])
  expect_equal(linear$scores(1, 4), scores[4, , drop = FALSE], ignore_attr = TRUE)
  expect_identical(linear[c("low", "high")], list(low = c(0, 0), high = c(1, 1)))
  expect_equal(linear$refit(1, 1:5, w), estimate)
  # Without a label of the second report it is not known.
  expect_identical(linear$refit(1, c(1, 2, 5), c(1, 2, 5)), c(NA_real_, NA_real_))
  expect_equal(linear$refit(1, c(1, 3), c(2, 6)), c(0.25, 0.75))
  # Equal weights are worth as many labels, whatever their size: half a label of a report whose labels agree.
  halves <- function(w) labelled_linear(fit, labelled, w)$half_labels
  expect_equal(halves(rep(2, 5)), halves(rep(1, 5)))
  expect_equal(as.vector(halves(rep(1, 5))), rep((1.25 / 1.5) * (0.25 / 1.5) * 0.4^2, 2))
})

test_that("a map is a matrix, or alpha times the support less u for each of it", {
  expect_equal(map_matrix(list(jacobian = diag(2)), 2), diag(2))
  map <- list(alpha = 2, support = c(TRUE, FALSE, TRUE), u = c(0.5, 0.25, 0.25))
  expect_equal(map_matrix(map, 3), 2 * cbind(c(0.5, -0.25, -0.25), 0, c(-0.5, -0.25, 0.75)))
})

test_that("a method's map has the shape that rr_new_method() says, or is refused", {
  fit <- rr_estimate(rr_counts(c(500, 300, 200), rr_grr(3, 2)), method = "inv")
  evidence <- group_evidence(fit$tally, 1)
  mapped <- function(map) {
    fit$estimator$local_map <- function(theta, evidence) map
    fit_map(fit, 1, evidence)
  }
  sparse <- list(alpha = 1, support = c(TRUE, TRUE, FALSE), u = c(0.5, 0.5, 0))
  for (map in list(sparse, list(jacobian = diag(3)), list(information = 1))) expect_identical(mapped(map), c(map, unbiased = TRUE))
  wrong <- list(list(jacobian = diag(2)), list(jacobian = 1:9), replace(sparse, "support", list(c(1, 1, 0))), replace(sparse, "support", list(TRUE)),
                replace(sparse, "alpha", list(1:2)), replace(sparse, "u", list(1)), sparse[-1], sparse[-3], list())
  for (map in wrong) expect_error(mapped(map), class = "candor_error_argument")
  # An unbiased estimate without a map moves as the reports do; any other is not known to move.
  expect_equal(map_matrix(mapped(NULL), 3), diag(3))
  fit$estimator$unbiased <- FALSE
  expect_null(mapped(NULL))
})

test_that("the randomization of a sum is the mean square of the scores less the square of their means", {
  scores <- cbind(c(1, 3), c(0, 2))
  means <- cbind(c(2, 0.5), c(1, 1))
  # Two reports of the first kind and one of the second; truths estimated as 1.5 and 1.5.
  expected <- 2 * tcrossprod(scores[1, ]) + tcrossprod(scores[2, ]) - 1.5 * (tcrossprod(means[1, ]) + tcrossprod(means[2, ]))
  expect_equal(randomization(scores, c(2, 1), means, c(1.5, 1.5)), expected)
  # A direct question adds none, whoever is scored.
  anyone <- array(c(1, -2, 0.5, 3, 0, 1, 4, -1), c(2, 2, 2))
  expect_equal(channel_randomization(anyone, cbind(c(3, 1), c(2, 5)), diag(2), diag(2)), matrix(0, 2, 2))
  # Of Warner's design: the sum over truths of the variance of a report's score, by both of its reports.
  C <- rbind(c(0.8, 0.2), c(0.2, 0.8))
  inverse <- solve(t(C))
  truths <- drop(inverse %*% c(30, 20))
  variance <- sum(truths * apply(C, 1, function(p) sum(p * c(1, 4)^2) - sum(p * c(1, 4))^2))
  expect_equal(channel_randomization(array(c(1, 4), c(2, 1, 1)), cbind(c(30, 20)), C, inverse), matrix(variance))
})

test_that("the columns of the unbiased estimate are those of the inverse of the channel", {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.1, 0.3, 0.6))
  for (mechanism in list(rr_channel(C), rr_forced(c(0.1, 0.05, 0.2)))) {
    expect_equal(inversion_columns(rr_law(mechanism), mechanism), solve(t(unname(rr_matrix(mechanism)))))
  }
  no_categories <- rr_count_mean_sketch(1, 4, 2)
  expect_null(inversion_columns(rr_law(no_categories), no_categories))
})

test_that("scores of a protocol have the limits of a support, or their own, a weighted mean and the noise of one another", {
  u <- rbind(c(1, -0.5), c(2, 0.25), c(-1, 1.5))
  fit <- list(mechanism = list(levels = c("a", "b")), estimate = c(0.6, 0.4))
  linear <- scored_linear(fit, list(scores = u), new_law_support(0.6, 0.2))
  # (0 - 0.2) / 0.4 and (1 - 0.2) / 0.4.
  expect_equal(linear[c("estimate", "low", "high")], list(estimate = cbind(c(0.6, 0.4)), low = c(-0.5, -0.5), high = c(2, 2)))
  expect_identical(scored_linear(fit, list(scores = u), new_law_bitflip(2, 1, 0.6, 0.2, 0.5))[c("low", "high")], list(low = c(-1, -1), high = c(2, 2)))
  expect_identical(linear$scores(1, 2:3), u[2:3, ])
  expect_identical(linear$scores(1, 2), u[2, , drop = FALSE])
  expect_equal(linear$refit(1, c(1, 3), c(3, 1)), (3 * u[1, ] + u[3, ]) / 4)
  expect_equal(linear$refit(1, 2, 5), u[2, ])
  expect_equal(linear$noise(1, 2, 3), 3 * tcrossprod(u[2, ]) - diag(3 * u[2, ]))
  expect_equal(linear$noise(1, c(1, 3), c(4, 9)), 4 * tcrossprod(u[1, ]) + 9 * tcrossprod(u[3, ]) - diag(4 * u[1, ] + 9 * u[3, ]))
})

# Two estimates of two groups of three and two respondents, who have scores u and the noise of one unit each.
u <- rbind(c(1, -0.5), c(2, 0.25), c(-1, 1.5), c(0, 1), c(3, 2))
grouped <- list(row = c(1, 2, 3, 5, 6), group = c(1, 1, 1, 2, 2), rows = 6)
design_frame <- data.frame(w = c(1, 2, 3, 9, 4, 1))
units <- list(
  estimate = cbind(c(0.2, 0.3), c(1.5, 1.25)),
  scores = function(g, rows) u[rows, ],
  noise = function(g, rows, squares) diag(g * squares[1:2]) + sum(squares),
  refit = function(g, rows, w) {
    stopifnot(sum(w) > 0)
    colSums(w * u[rows, ]) / sum(w)
  }
)

test_that("for the sample each group's variance is its noise over its size squared, and 0 if no row has any", {
  design <- list(variables = design_frame)
  noise <- function(squares, total) linear_variance(design, grouped, units, squares, "sample", c(10, 20), total)
  expected <- function(a, b) rbind(cbind(a, matrix(0, 2, 2)), cbind(matrix(0, 2, 2), b))
  first <- diag(c(0, 9)) + 10
  second <- diag(2 * c(4, 16)) + 20
  expect_equal(noise(c(0, 9, 1, 7, 4, 16), TRUE), expected(first, second))
  expect_equal(noise(c(0, 9, 1, 7, 4, 16), FALSE), expected(first / 100, second / 400))
  expect_equal(noise(rep(1, 6), TRUE), expected(diag(2) + 3, diag(2, 2) + 2))
  # The fourth row is of nobody who is used.
  expect_identical(noise(c(0, 0, 0, 5, 0, 0), FALSE), matrix(0, 4, 4))
})

test_that("for the population it is that of weighted scores, or of their distances from the estimates by the sizes, and the noise", {
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = ~w, data = design_frame)
  # One stratum without a correction: 6 / 5 of the squares about the mean.
  terms <- matrix(0, 6, 4)
  terms[1:3, 1:2] <- u[1:3, ]
  terms[5:6, 3:4] <- u[4:5, ]
  squares <- c(0, 9, 1, 7, 4, 16)
  noise <- list(diag(c(0, 9)) + 10, diag(2 * c(4, 16)) + 20)
  for (total in c(TRUE, FALSE)) {
    z <- terms
    if (!total) {
      z[1:3, 1:2] <- (z[1:3, 1:2] - rep(c(0.2, 0.3), each = 3)) / 10
      z[5:6, 3:4] <- (z[5:6, 3:4] - rep(c(1.5, 1.25), each = 2)) / 20
    }
    expected <- 6 * stats::cov(z * design_frame$w)
    expect_equal(linear_variance(design, grouped, units, numeric(6), "population", c(10, 20), total), expected)
    expected[1:2, 1:2] <- expected[1:2, 1:2] + noise[[1]] / if (total) 1 else 100
    expected[3:4, 3:4] <- expected[3:4, 3:4] + noise[[2]] / if (total) 1 else 400
    expect_equal(linear_variance(design, grouped, units, squares, "population", c(10, 20), total), expected)
  }
})

test_that("replicates estimate anew with their weights; one without a group is left out", {
  skip_if_not_installed("survey")
  replicates <- cbind(c(2, 2, 3, 9, 0.5, 0.5), c(1, 4, 0, 9, 4, 3), c(1, 2, 3, 9, 0, 0), c(0, 1, 5, 9, 2, 2))
  design <- survey::svrepdesign(variables = design_frame, repweights = replicates, weights = ~w, type = "other", scale = 0.5, rscales = 1:4,
                                combined.weights = TRUE, mse = TRUE)
  rows <- list(1:3, 4:5)
  for (total in c(TRUE, FALSE)) {
    estimates <- vapply(c(1, 2, 4), function(r) {
      w <- replicates[grouped$row, r]
      c(colSums(w[1:3] * u[1:3, ]) / if (total) 1 else sum(w[1:3]), colSums(w[4:5] * u[4:5, ]) / if (total) 1 else sum(w[4:5]))
    }, numeric(4))
    centre <- c(0.2, 0.3, 1.5, 1.25) * if (total) c(6, 6, 5, 5) else 1
    expected <- 0.5 * (estimates - centre) %*% (c(1, 2, 4) * t(estimates - centre))
    expect_equal(suppressWarnings(replicated_variance(design, grouped, units, rows, c(6, 5), total)), expected)
    expect_equal(suppressWarnings(linear_variance(design, grouped, units, numeric(6), "population", c(6, 5), total)), expected)
  }
})

test_that("reports that share a randomization are refused where the variance between clusters does not hold it", {
  skip_if_not_installed("survey")
  frame <- data.frame(unit = c(1, 1, 2, 2), weight = c(3, 3, 4, 4), units = 10, block = c("a", "a", "b", "b"))
  clustered <- survey::svydesign(ids = ~unit, weights = ~weight, data = frame)
  finite <- survey::svydesign(ids = ~unit, weights = ~weight, fpc = ~units, data = frame)
  single <- survey::svydesign(ids = ~1, weights = ~weight, fpc = ~units, data = frame)
  fresh <- rr_warner(0.8)
  kept <- rr_longitudinal(c("no", "yes"), 2, 1, "grr-grr")
  deck <- rr_dealt(c(no = 1, yes = 1), 4)
  for (design in list(clustered, finite, single)) for (target in c("population", "sample")) expect_null(check_independent(list(fresh), design, target))
  for (allowed in list(list(kept, clustered, "population"), list(kept, single, "sample"), list(kept, single, "population"),
                       list(deck, clustered, "population"))) {
    expect_null(check_independent(list(fresh, allowed[[1]]), allowed[[2]], allowed[[3]]))
  }
  for (refused in list(list(kept, clustered, "sample"), list(kept, finite, "population"), list(deck, clustered, "sample"),
                       list(deck, finite, "population"))) {
    expect_error(check_independent(list(fresh, refused[[1]]), refused[[2]], refused[[3]]), class = "candor_error_argument")
  }
  # A deck is dealt within one unit, but for designs that do not have the column, and for rows that are not used.
  frame$block[2:3] <- "c"
  dealt <- survey::svydesign(ids = ~unit, weights = ~weight, data = frame)
  expect_error(check_nested_blocks(deck, dealt), class = "candor_error_argument")
  expect_null(check_nested_blocks(fresh, dealt))
  expect_null(check_nested_blocks(rr_dealt(c(no = 1, yes = 1), 4, block = "deck"), dealt))
  expect_null(check_nested_blocks(deck, subset(dealt, c(TRUE, TRUE, FALSE, TRUE))))
})

test_that("a design needs no other variable than the reports", {
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = rep(c(2, 3), c(6, 4)), data = data.frame(answer = rep(c("yes", "no"), 5)))
  fit <- rr_estimate(design, rr_warner(0.8), column = ~answer, method = "inv")
  # 3 of 6 and 2 of 4 say yes: a half of the weights. The variance of a mean of ten weighted reports, over 0.6^2.
  expect_equal(unname(coef(fit)), c(0.5, 0.5))
  expect_equal(unname(vcov(fit))[2, 2], 10 / 9 * sum((rep(c(2, 3), c(6, 4)) / 24 / 2)^2) / 0.36)
})

test_that("a method without a map has the variance of its replicates, for the population alone, and none of a linearized design", {
  skip_if_not_installed("survey")
  squares <- rr_new_method("squares", "Squares of counts", function(evidence, options) evidence$counts^2 / sum(evidence$counts^2))
  frame <- data.frame(answer = rep(c("a", "b", "c", "a", "b", "a"), 4), unit = rep(1:6, each = 4), weight = rep(c(2, 3, 1, 5, 2, 4), each = 4))
  linearized <- survey::svydesign(ids = ~unit, weights = ~weight, data = frame)
  replicated <- survey::as.svrepdesign(linearized, type = "JK1")
  estimate <- function(design, ...) rr_estimate(design, rr_grr(c("a", "b", "c"), p = 0.8), column = ~answer, ...)
  counts <- rowsum(weights(replicated, "analysis"), frame$answer)^2
  thetas <- sweep(counts, 2, colSums(counts), `/`)
  thetas <- thetas - rowMeans(thetas)
  expect_equal(unname(vcov(estimate(replicated, method = squares))), unname(5 / 6 * tcrossprod(thetas)))
  for (unknown in list(estimate(replicated, method = squares, target = "sample"), estimate(linearized, method = squares))) {
    expect_identical(unname(vcov(unknown)), matrix(NA_real_, 3, 3))
  }
  # Wilson's intervals have the variance of the unbiased estimate.
  unbiased <- estimate(linearized, method = "inv")
  expect_equal(as.vector(unbiased$inversion$variance), unname(diag(vcov(unbiased))))
})

test_that("a method that has a map in one group alone has no covariance of a linearized design", {
  skip_if_not_installed("survey")
  frame <- data.frame(answer = rep_len(c("a", "b", "c", "a", "a"), 60), area = rep(c("N", "S"), c(20, 40)), unit = rep(1:12, each = 5))
  design <- survey::svydesign(ids = ~unit, weights = ~1, data = frame)
  shift <- function(has_map) {
    rr_new_method("shift", "Mean-centred", function(evidence, options) postprocess_norm(evidence$unbiased()),
                  local_map = function(estimate, evidence) if (has_map(evidence$n)) list(jacobian = diag(3) - 1 / 3))
  }
  covariance <- function(has_map) unname(vcov(rr_estimate(design, rr_grr(c("a", "b", "c"), 2), column = ~answer, by = ~area, method = shift(has_map))))
  unknown <- matrix(NA_real_, 6, 6)
  expect_identical(covariance(function(n) n > 30), unknown)
  expect_identical(covariance(function(n) FALSE), unknown)
  expect_false(anyNA(covariance(function(n) TRUE)))
})

test_that("a protocol whose reports are one column needs no other variable of the design", {
  skip_if_not_installed("survey")
  mechanism <- rr_hadamard(c("a", "b", "c"), 3)
  set.seed(1)
  reports <- rr_perturb(rep(c("a", "b", "c"), c(40, 30, 20)), mechanism, rng = "R")
  design <- survey::svydesign(ids = ~1, weights = rep(1, 90), data = as.data.frame(reports))
  fit <- rr_estimate(design, mechanism)
  plain <- rr_estimate(rr_tally(reports, mechanism), method = "inv")
  expect_equal(coef(fit), coef(plain))
  expect_equal(vcov(fit), vcov(plain), tolerance = 1e-8)
})
