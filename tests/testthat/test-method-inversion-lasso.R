candidates <- sprintf("site %d", 1:80)
few <- c(0.4, 0.3, 0.2, 0.1)

bloom_tally <- function(seed, n = 8000, keep = "counts", levels = candidates, theta = few, cohorts = 4) {
  set.seed(seed)
  m <- rr_bloom(levels, epsilon = 5, bits = 16, hashes = 2, cohorts = cohorts)
  rr_tally(rr_perturb(sample(levels[seq_along(theta)], n, TRUE, theta), m, rng = "R"), m, keep = keep)
}

test_that("the lasso is the minimum of its function: a quadratic programme and the conditions of Karush, Kuhn and Tucker", {
  skip_without("glmnet", "quadprog")
  set.seed(1)
  X <- matrix(rbinom(60 * 12, 1, 0.3), 60)
  y <- drop(X %*% c(0.5, 0.3, 0.2, numeric(9))) + rnorm(60, sd = 0.05)
  w <- runif(60, 100, 500)
  penalty <- runif(12, 5, 40)
  found <- candor:::lasso_squares(X, y, w, penalty)
  oracle <- quadprog::solve.QP(crossprod(X, w * X), drop(crossprod(X, w * y)) - penalty, diag(12), numeric(12))$solution
  expect_equal(found, oracle, tolerance = 1e-5)
  gradient <- drop(crossprod(X, w * (y - X %*% found))) - penalty
  expect_true(all(gradient < 1e-2))
  expect_lt(max(abs(gradient[found > 0])), 1e-2)
  # One candidate by hand: (sum w x y - penalty) / sum w x^2.
  expect_equal(candor:::lasso_squares(X[, 1, drop = FALSE], y, w, 10), (sum(w * X[, 1] * y) - 10) / sum(w * X[, 1]))
})

test_that("more candidates than filters tell apart: those that are there are selected", {
  skip_without("glmnet", "quadprog")
  tally <- bloom_tally(2)
  expect_error(rr_estimate(tally, method = "inv"), class = "candor_error_no_information")
  fit <- rr_estimate(tally, method = "lasso")
  expect_true(all(fit$estimate[1:4] > 0))
  expect_lt(max(abs(fit$estimate[1:4] - few)), 0.05)
  expect_lte(sum(fit$estimate > 0), 8)
  expect_true(all(is.na(tidy(fit)$std.error)))
  expect_true(is.na(logLik(fit)))
  # A smaller alpha selects no more.
  expect_lte(sum(rr_estimate(tally, method = "lasso", alpha = 1e-6)$estimate > 0), sum(fit$estimate > 0))
})

test_that("where nobody holds a candidate it is rarely selected", {
  skip_without("glmnet", "quadprog")
  # alpha bounds the chance of any false one if the others were known: 0.05 on average, four standard deviations of 20 runs and something for the selection.
  false <- vapply(1:20, function(i) sum(rr_estimate(bloom_tally(i, 4000), method = "lasso")$estimate[-(1:4)] > 0), 0)
  expect_lt(mean(false), 0.35)
})

test_that("nonsense and other mechanisms are refused", {
  skip_if_not_installed("glmnet")
  expect_error(rr_estimate(bloom_tally(1, 50), method = "lasso", alpha = 2), class = "candor_error_argument")
  expect_refused(rr_estimate(rr_counts(1:3, rr_grr(3, epsilon = 1)), method = "lasso"), rr_estimate(bloom_tally(1, 50), method = "mle"), class = "law")
})

test_that("RAPPOR's own likelihood is that of all reports, by enumeration, and its maximum that of plain EM", {
  m <- rr_bloom(3, bits = 4, hashes = 1, cohorts = 2, f = 0.3, p = 0.25, q = 0.75)
  set.seed(3)
  reports <- suppressWarnings(rr_perturb(sample(1:3, 600, TRUE, c(0.6, 0.3, 0.1)), m, rng = "R"))
  tally <- rr_tally(reports, m, keep = "sets")
  # P(cohort, bits | v) by hand, of every report.
  bits <- as.matrix(reports$bits)
  chance <- sapply(1:3, function(v) sapply(seq_len(600), function(i) {
    one <- ifelse(seq_len(4) %in% m$places[, v, reports$cohort[i]], m$one, m$zero)
    prod(ifelse(bits[i, ] == 1, one, 1 - one)) / 2
  }))
  # Each report once, with the number of those that are alike.
  kind <- match(apply(chance, 1, paste, collapse = " "), unique(apply(chance, 1, paste, collapse = " ")))
  once <- chance[!duplicated(kind), ]
  times <- tabulate(kind) / 600
  theta <- rep(1 / 3, 3)
  for (i in 1:20000) theta <- theta * drop(times %*% (once / drop(once %*% theta)))
  fit <- rr_estimate(tally, method = "mle")
  expect_equal(unname(fit$estimate), theta, tolerance = 1e-6)
  expect_equal(as.numeric(logLik(fit)), sum(log(chance %*% fit$estimate)), tolerance = 1e-10)
  # Its covariance: the inverse information under the constraint of the sum.
  score <- chance / drop(chance %*% fit$estimate)
  contrast <- rbind(diag(2), -1)
  expect_equal(unname(vcov(fit)), contrast %*% solve(t(contrast) %*% crossprod(score) %*% contrast) %*% t(contrast), tolerance = 1e-5)
})

test_that("the own likelihood covers and is no worse than least squares, and tallies with reports merge", {
  levels <- letters[1:6]
  theta <- c(0.4, 0.25, 0.15, 0.1, 0.06, 0.04)
  both <- vapply(1:40, function(i) {
    tally <- bloom_tally(100 + i, 2000, "sets", levels, theta, 3)
    mle <- rr_estimate(tally, method = "mle")
    c(mle$estimate - theta, rr_estimate(tally, method = "inv")$estimate - theta, tidy(mle)$std.error)
  }, numeric(18))
  errors <- rowMeans(both^2)
  expect_lt(sum(errors[1:6]), 1.05 * sum(errors[7:12]))
  # Standard errors of shares that are inside: 40 runs know a standard deviation to 4 / sqrt(80) = 0.45, the mean of four to less.
  expect_equal(mean(sqrt(errors[1:4]) / rowMeans(both[13:16, ])), 1, tolerance = 0.25)
  parts <- list(bloom_tally(1, 200, "sets", levels, theta), bloom_tally(2, 300, "sets", levels, theta))
  whole <- do.call(c, parts)
  expect_identical(sum(whole$sets[[1]]$times), 500)
  expect_s3_class(rr_estimate(whole, method = "mle"), "rr_fit")
})

test_that("a likelihood that does not fit in memory is refused", {
  levels <- sprintf("w%d", 1:300)
  law <- candor:::group_evidence(bloom_tally(1, 100, "sets", levels, few), 1)$law
  law$truths <- 1e7
  expect_error(candor:::bloom_rows(law), "method = \"inv\"", class = "candor_error_too_large")
})

test_that("a fit says how many of how many candidates were selected", {
  skip_without("glmnet", "quadprog")
  fit <- rr_estimate(bloom_tally(2), method = "lasso", alpha = 0.01)
  print <- paste(trimws(utils::capture.output(print(fit, n = 1))), collapse = " ")
  expect_match(print, sprintf("Selected: %d of 80 candidates, alpha = 0.01", sum(fit$estimate > 0)))
})

test_that("candidates that are clearly there are above z standard errors of least squares; all are if filters are alike", {
  places <- array(c(1L, 2L, 3L, 2L, 4L, 1L), c(1, 3, 2))
  filters <- rbind(diag(4)[, 1:3], diag(4)[, c(2, 4, 1)])
  w <- c(200, 150, 300, 100, 250, 120, 180, 90)
  y <- c(0.5, 0.03, 0.06, 0.02, 0.04, 0.55, 0.01, 0.05)
  regression <- list(places = places, filters = filters, bits = 4, shares = y)
  inverse <- solve(crossprod(filters, w * filters))
  z <- drop(inverse %*% crossprod(filters, w * y)) / sqrt(diag(inverse))
  for (limit in c(sort(z)[-1], 0) - 1e-6) expect_identical(clearly_there(regression, w, limit), z > limit)
  regression$places[, 3, ] <- places[, 1, ]
  regression$filters[, 3] <- filters[, 1]
  expect_identical(clearly_there(regression, w, 100), rep(TRUE, 3))
  expect_identical(clearly_there(some_candidates(regression, integer()), w, 1), logical())
  # One candidate whose reports do not reach the penalty is nobody's.
  expect_identical(lasso_squares(filters[, 1, drop = FALSE], y, w, 1000), 0)
})

test_that("the penalty of a candidate is the normal quantile of its gradient's noise", {
  skip_without("glmnet", "quadprog")
  evidence <- group_evidence(bloom_tally(5, 500, levels = letters[1:6], cohorts = 2), 1)
  law <- evidence$law
  penalties <- list()
  estimate <- function(most) {
    squares <- function(filters, shares, weights, penalty) {
      penalties <<- c(penalties, list(penalty))
      numeric(ncol(filters))
    }
    with_calls(estimate_lasso, rows_numbers = most, lasso_squares = squares)(evidence, list(alpha = 0.02))
  }
  # 16 bits, two cohorts, six candidates.
  result <- estimate(16 * 2 * 6)
  expect_identical(result, list(estimate = numeric(6), active = 0L, candidates = law$truths, alpha = 0.02))
  expect_error(estimate(16 * 2 * 6 - 1), class = "candor_error_too_large")
  # Weights begin at half a share, and go on from none.
  first <- matrix(evidence$counts, 17)[17, ]
  ones <- vapply(1:2, function(j) colSums(cohort_filters(law, j)), numeric(6))
  for (round in 1:2) {
    m <- law$zero + (law$one - law$zero) * c(0.5, 0)[round]
    variance <- drop(ones %*% first) * (law$one - law$zero)^2 / (m * (1 - m))
    expect_equal(penalties[[round]], stats::qnorm(1 - 0.02 / 6) * sqrt(variance))
  }
})

test_that("least squares without negative shares meets the conditions of Karush, Kuhn and Tucker", {
  skip_without("quadprog")
  set.seed(8)
  X <- matrix(0, 24, 5)
  bits <- array(replicate(15, sample(8, 2)), c(2, 5, 3))
  for (j in 1:3) for (v in 1:5) X[8 * (j - 1) + bits[, v, j], v] <- 1
  y <- drop(X %*% c(0.6, 0.3, -0.1, -0.2, 0.05))
  weights <- runif(24, 100, 900)
  theta <- positive_squares(list(places = bits, filters = X, bits = 8, shares = y), weights)
  gradient <- drop(crossprod(X, weights * (y - X %*% theta))) / sum(weights)
  expect_true(all(theta[1:2] > 0))
  expect_true(all(theta[3:4] == 0) && all(gradient < 1e-8))
  expect_lt(max(abs(gradient[theta > 0])), 1e-8)
})
