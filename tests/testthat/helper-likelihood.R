# A fit against the logarithms of the probabilities of its rows, written down in a test: their sum, their derivatives, which
# are the scores, row by row, and the inverse of their curvature.
expect_rows <- function(fit, loglik, b, weights, scores, covariance = vcov(fit)) {
  b <- unname(b)
  total <- function(b) sum(weights * loglik(b))
  expect_equal(as.numeric(logLik(fit)), total(b), tolerance = 1e-10)
  slopes <- weights * difference_gradient(loglik, b)
  expect_lt(max(abs(colSums(slopes))), 1e-4)
  expect_equal(unname(scores), slopes, tolerance = 1e-6)
  curvature <- -stats::optimHess(b, total, control = list(ndeps = rep(1e-3, length(b))))
  expect_equal(unname(covariance), solve(curvature), tolerance = 1e-4)
}

# A likelihood of R code at a point that is no maximum: value, gradient and curvature are those of the rows.
expect_evaluated <- function(evaluate, total, b, tolerance = 1e-4) {
  state <- evaluate(b, 2L)
  expect_equal(state$value, total(b), tolerance = 1e-10)
  expect_equal(unname(as.vector(state$gradient)), difference_gradient(total, b), tolerance = 1e-6)
  curvature <- -stats::optimHess(b, total, control = list(ndeps = rep(1e-3, length(b))))
  expect_equal(unname(state$observed), unname(curvature), tolerance = tolerance)
}
