# Likelihoods that are written in R: their rows, coordinates and fits by hand.

test_that("the last point with a fallback is remembered, and no other", {
  asked <- NULL
  f <- with_memory(function(b, need) {
    asked <<- c(asked, b)
    list(value = b, fallback = if (b < 3) need)
  })
  for (b in list(c(1, 0), c(1, 1), c(1, 2), c(2, 1), c(1, 1), c(3, 1), c(3, 1), c(1, 0))) expect_identical(f(b[1], as.integer(b[2]))$value, b[1])
  expect_identical(asked, c(1, 1, 2, 1, 3, 3, 1))
})

test_that("columns are made orthogonal over the weighted rows by a triangular matrix with a positive diagonal", {
  x <- cbind(-1, c(2, -5, 1, 4), c(1, 1, 0, 3))
  w <- c(1, 3, 2, 0.5)
  basis <- orthogonal_columns(x, w)
  expect_equal(basis$z, x %*% basis$back)
  expect_equal(crossprod(basis$z * sqrt(w)) / sum(w), diag(3))
  expect_identical(basis$back[lower.tri(basis$back)], c(0, 0, 0))
  expect_true(all(diag(basis$back) > 0))
  expect_equal(orthogonal_columns(x[4:1, ], w[4:1])$back, basis$back)
  expect_identical(orthogonal_columns(x[, 0], w), list(z = x[, 0], back = diag(0)))
})

test_that("distinct rows are sorted, with the sums of their weights in a power of 2", {
  columns <- list(x = c(2, 1, 2, 1, 2), none = NULL, z = c(0, 0, 0, 5, 0))
  weights <- c(3, 2, 1, 4, 5)
  rows <- distinct_rows(columns, weights)
  expect_identical(columns$x[rows$first], c(1, 1, 2))
  expect_identical(columns$z[rows$first], c(0, 5, 0))
  expect_identical(rows$index, c(3L, 1L, 3L, 2L, 3L))
  expect_identical(rows[c("unit", "weights")], list(unit = 1, weights = c(2, 4, 9)))
  # The mean weight is 3 / 1024, and 2 / 1024 the power of 2 below it.
  expect_identical(distinct_rows(columns, weights / 1024)[c("unit", "weights")], list(unit = 2 / 1024, weights = c(1, 2, 4.5)))
  expect_identical(distinct_rows(list(NULL), weights)[c("index", "weights")], list(index = rep(1L, 5), weights = 15))
  expect_identical(distinct_rows(list(7), 2), list(first = 1L, index = 1L, unit = 1, weights = 2))
})

test_that("distances below the most probable truth, and their changes", {
  predictors <- function(b) rbind(c(b[1], b[2], 0), c(b[1], -b[2], 3 * b[1]))
  # The rows are (1, 2, 0) and (1, -2, 3): the second truth is the top of the first row, the third that of the other.
  found <- truth_distances(predictors, c(1, 2), diag(2))
  expect_identical(found$eta, as.vector(rbind(c(1, 0, 2), c(2, 5, 0))))
  expect_identical(found$move, cbind(as.vector(rbind(c(-1, 0, 0), c(2, 3, 0))), as.vector(rbind(c(1, 0, 1), c(0, 1, 0)))))
})

test_that("the fit of a maximum: the mean of answers in the coordinates of the model and in those of the user", {
  # Four answers of mean 3 and variance 1; the parameter is half of the coordinate.
  evaluate <- function(b, need) list(value = -2 * (b - 3)^2, gradient = -4 * (b - 3), observed = matrix(4), fallback = matrix(4))
  model <- new_likelihood("half", evaluate, function(b) c(b, -2 * b), matrix(0.5), total = 4, start = 0)
  expect_identical(model$reach(-1.5), 3)
  expect_identical(model$unbounded(1.5, cbind(2, 0)), list(eta = c(1.5, -3), move = cbind(c(2, -4), c(0, 0))))
  fit <- fit_likelihood(model, starts = 2)
  expect_equal(c(fit$b, fit$estimate, fit$loglik), c(3, 1.5, 0), tolerance = 1e-6)
  expect_equal(fit$coefficients, c(half = 1.5))
  expect_equal(fit$vcov, matrix(1 / 16, dimnames = list("half", "half")))
  expect_equal(fit$limit, matrix(1 / 16))
  expect_identical(fit$df, 1L)
  expect_identical(fit$infinite, character())
  # Weights in units of 8: their log-likelihood is as many times as large, the variance as many times smaller.
  best <- list(b = 3, value = -1, values = c(-1, -4), decrement = 1e-7)
  fit <- fit_likelihood(model, best = best, unit = 8)
  expect_equal(fit[c("loglik", "starts", "decrement")], list(loglik = -8, starts = c(-8, -32), decrement = 8e-7))
  expect_equal(c(fit$vcov, fit$limit), rep(1 / 16 / 8, 2))
  # A step that promises more than 1e-6 of 1 + 1 was not the last.
  expect_silent(fit_likelihood(model, best = replace(best, "decrement", 1.9e-6)))
  expect_warning(fit_likelihood(model, best = replace(best, "decrement", 2.1e-6)), class = "candor_warning_not_converged")
  # Doubt of the reports is told beside infinite coefficients alone: those of -exp(-b), which rises for ever.
  expect_silent(fit_likelihood(model, best = best, doubtful = TRUE))
  rising <- function(b, need) list(value = -exp(-b), gradient = exp(-b), observed = matrix(exp(-b)), fallback = matrix(exp(-b)))
  model <- new_likelihood("a", rising, identity, diag(1), total = 1)
  warned <- function(...) tryCatch(fit_likelihood(model, best = list(b = 40, value = 0, values = 0, decrement = 0), ...), warning = class)
  expect_identical(c("candor_warning_infinite", "candor_warning_unlikely") %in% warned(), c(TRUE, FALSE))
  expect_true("candor_warning_unlikely" %in% warned(doubtful = TRUE))
  expect_identical(suppressWarnings(fit_likelihood(model, best = list(b = 40, value = 0, values = 0, decrement = 0)))$coefficients, c(a = Inf))
})

test_that("warnings of maxima: at infinity, close to each other, at the end of a link, under a doubtful design", {
  warned <- function(infinite = character(), values = -10, doubtful = FALSE, pressed = FALSE) {
    condition <- tryCatch(warn_maxima(infinite, values, doubtful, "Remedy.", pressed), warning = class)
    intersect(c("boundary", "infinite", "maxima", "unlikely"), sub("candor_warning_", "", condition))
  }
  expect_identical(warned(), character())
  expect_identical(warned(values = numeric()), character())
  expect_identical(warned("a"), "infinite")
  expect_identical(warned(pressed = TRUE), c("boundary", "infinite"))
  expect_identical(warned(doubtful = TRUE), "unlikely")
  expect_identical(warned("a", c(-10, -11), TRUE), c("infinite", "maxima", "unlikely"))
  # A maximum is another if it lies between 1e-5 and 2 below the highest.
  for (values in list(c(-10, -10 - 2e-5), c(-11.9, -10))) expect_identical(warned(values = values), "maxima")
  for (values in list(c(-10, -10 - 5e-6), c(-12.1, -10))) expect_identical(warned(values = values), character())
})
