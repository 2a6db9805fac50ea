# Models that are climbed: bases, coordinates, equal rows, samples of rows, by linear algebra written here.

fit_data <- function(n = 60, ...) {
  withr::local_seed(81)
  x <- cbind(a = 1, b = round(rnorm(n), 1), c = 0, d = rep_len(c(2, 5, 1), n))
  x[, "c"] <- 2 * x[, "b"] - 3
  device <- rbind(c(0.9, 0.8), c(0.2, 0.3), c(0.1, 0.2), c(0.8, 0.7), c(0.7, 0.5))
  list(x = x, y = rep_len(c(0, 1, 0.25), n), weight = rep_len(c(1, 2, 0.5, 3), n), offset = rep_len(c(0, 0.4), n), arm = rep_len(c(0L, 1L, 1L), n),
    device = device,
       link = "logit", unknown = NULL, ...)
}

test_that("columns are orthogonal over the weighted rows, without those that others make", {
  data <- fit_data()
  basis <- regress_basis(data)
  expect_identical(basis$keep, c(1L, 2L, 4L))
  expect_equal(basis$z, unname(data$x[, basis$keep] %*% basis$back), ignore_attr = TRUE, tolerance = 1e-12)
  expect_equal(crossprod(basis$z * sqrt(data$weight)) / sum(data$weight), diag(3), ignore_attr = TRUE, tolerance = 1e-10)
  # A factor of ten levels or more keeps its columns, the longest run of them.
  level <- rep_len(1:11, 66)
  dummies <- outer(level, 1:11, `==`) * 1
  x <- cbind(dummies, sin(1:66), cos(1:66))
  expect_identical(level_columns(x), 1:11)
  expect_null(level_columns(x[, -(1:2)]))
  expect_null(level_columns(x[, c(1:9, 12, 13, 12)]))
  expect_identical(level_columns(cbind(x[, 12:13], dummies[, 1:10])), 3:12)
  wide <- list(x = x, weight = rep_len(c(1, 2), 66), unknown = NULL)
  basis <- regress_basis(wide)
  expect_equal(c(basis$rank, basis$levels), c(13, 11))
  expect_identical(basis$level, level - 1L)
  expect_equal(unname(basis$z[, 1:11]), dummies)
  expect_equal(crossprod(basis$z[, 12:13] * sqrt(wide$weight)) / sum(wide$weight), diag(2), ignore_attr = TRUE, tolerance = 1e-10)
  expect_equal(unname(basis$z), unname(x[, basis$keep] %*% basis$back), tolerance = 1e-12)
})

test_that("value, gradient and curvature are those of the rows, and go through coordinates and back", {
  data <- fit_data()
  prior <- diag(c(0.5, 1, 2, 0.25))
  model <- regress_model(data, prior)
  natural <- function(b) model$natural(b)
  loglik <- function(b) {
    report <- data$device[2, data$arm + 1] + data$device[5, data$arm + 1] * plogis(drop(data$x %*% natural(b)) + data$offset)
    sum(data$weight * (data$y * log(report) + (1 - data$y) * log(1 - report)))
  }
  b <- c(0.3, -0.2, 0.4)
  state <- regress_value(model, b)
  expect_equal(state$value, loglik(b), tolerance = 1e-10)
  expect_equal(as.vector(state$gradient), difference_gradient(loglik, b), tolerance = 1e-6)
  expect_identical(natural(b)[3], 0)
  # The prior of the estimated coefficients, in the coordinates.
  expect_equal(sum(b * (model$prior %*% b)), sum(diag(prior) * natural(b)^2), tolerance = 1e-12)
  expect_equal(coordinates(model, natural(b)), b, tolerance = 1e-12)
  expect_equal(unname(model$slope(b)), difference_gradient(natural, b), tolerance = 1e-8)
  expect_equal(model$reach(b), max(abs(model$z %*% b)))
  moved <- model$unbounded(b, cbind(c(1, 0, 0), c(0, 2, 1)))
  expect_equal(moved$eta, drop(model$z %*% b) + data$offset, ignore_attr = TRUE)
  expect_equal(unname(moved$move), unname(cbind(model$z[, 1], 2 * model$z[, 2] + model$z[, 3])))
  expect_identical(c(far_predictor("logit"), far_predictor("probit"), far_predictor("cauchit"), far_predictor("cloglog")), c(37, 9, 1e8, 37))
  expect_equal(model$metric, crossprod(model$z * sqrt(data$weight)), ignore_attr = TRUE, tolerance = 1e-8)
})

test_that("equal rows are one with their weights, rows of weight 0 are none, and the order is that of the content", {
  data <- fit_data(240)
  data$x[, "b"] <- rep_len(c(1, 2), 240)
  data$x[, "c"] <- rep_len(c(0, 1, 1), 240)
  data$weight[7] <- 0
  short <- collapse_rows(data)
  key <- function(data) paste(data$x[, 2], data$x[, 3], data$x[, 4], data$y, data$offset, data$arm)
  expect_false(anyDuplicated(key(short)) > 0)
  sums <- tapply(data$weight, key(data), sum)
  expect_equal(unname(short$weight), as.vector(sums[key(short)]))
  shuffled <- collapse_rows(take_rows(data, withr::with_seed(3, sample(240))))
  expect_equal(shuffled, short, ignore_attr = TRUE)
  # Few rows, or all different: as many as there are, in order, without weight 0.
  few <- fit_data(30)
  few$weight[4] <- 0
  sorted <- collapse_rows(few)
  expect_length(sorted$y, 29)
  expect_false(is.unsorted(sorted$x[, 2]))
  expect_identical(content_order(cbind(c(2, 1, 1)), list(offset = NULL, y = c(0, 1, 0))), c(3L, 2L, 1L))
  part <- take_rows(few, c(5, 2))
  expect_identical(part[c("y", "weight", "offset", "arm")], lapply(few[c("y", "weight", "offset", "arm")], `[`, c(5, 2)))
})

test_that("samples of rows, and the unit of weights", {
  expect_identical(some_rows(5, 5), 1:5)
  rows <- some_rows(1000, 100)
  golden <- (sqrt(5) - 1) / 2
  expect_equal(rows, sort(unique(1 + floor(1000 * ((1:100 * golden) %% 1)))))
  model <- list(data = list(y = numeric(7999), link = "logit"))
  expect_identical(search_model(model), model)
  bounded <- list(data = list(y = numeric(8000), link = "log"))
  expect_identical(search_model(bounded), bounded)
  big <- regress_model(fit_data(8000))
  expect_true(search_model(big)$sampled)
  expect_lte(length(search_model(big)$data$y), 2000)
  expect_identical(c(weight_unit(c(1, 1)), weight_unit(c(0.3, 0.3)), weight_unit(c(1e9, 1e9)), weight_unit(c(5e9, 5e9)), weight_unit(c(Inf, 1))),
    c(1, 0.25, 1, 2^32, 1))
  expect_identical(c(inside_link(c(-1, -1e-8), "log"), inside_link(c(-1, -1e-9), "log"), inside_link(c(0.5, 1e-8), "identity"),
    inside_link(c(0.5, 1e-9), "identity"),
                     inside_link(1 - 1e-9, "identity"), inside_link(100, "logit")), c(TRUE, FALSE, TRUE, FALSE, FALSE, TRUE))
  expect_identical(predictor_of(cbind(1, 2:3), c(1, 2), NULL), c(5, 7))
  expect_identical(predictor_of(cbind(1, 2:3), c(1, 2), c(10, 20)), c(15, 27))
  expect_identical(block_diagonal(list(diag(2), matrix(7, 1, 3))), rbind(c(1, 0, 0, 0, 0), c(0, 1, 0, 0, 0), c(0, 0, 7, 7, 7)))
})

test_that("directions without information, with the levels of a factor eliminated", {
  # Of three coordinates the second and a combination of the others carry nothing.
  model <- list(data = list(weight = rep(1, 50)), basis = list(levels = 0), metric = diag(50, 3))
  v <- c(1, 0, 1) / sqrt(2)
  J <- 50 * tcrossprod(c(1, 0, -1) / sqrt(2))
  N <- flat_directions_of(model, J, 1e-4)
  expect_identical(dim(N), c(3L, 2L))
  expect_equal(crossprod(N), diag(2), tolerance = 1e-10)
  expect_lt(max(abs(J %*% N)), 1e-8)
  expect_identical(ncol(flat_directions_of(model, diag(50 * c(1, 1.01e-4, 0.99e-4)), 1e-4)), 1L)
  # Two levels of 30 and 20 rows, the second without information; a column that the first level takes up.
  level <- rep(1:2, c(30, 20))
  column <- sin(1:50)
  z <- cbind(level == 1, level == 2, column)
  model <- list(data = list(weight = rep(1, 50)), basis = list(levels = 2), metric = crossprod(z))
  J <- matrix(0, 3, 3)
  J[c(1, 3), c(1, 3)] <- 10 * tcrossprod(c(1, 2))
  N <- flat_directions_of(model, J, 1e-4)
  expect_identical(dim(N), c(3L, 2L))
  expect_lt(max(abs(J %*% N)), 1e-8)
  expect_equal(N[2, 1], sqrt(50 / 20))
  # Two columns beside them: what the first level leaves of their information is 30 (1, 2)(1, 2)', so that (2, -1) has none.
  model$metric <- crossprod(cbind(z, cos(1:50)))
  J <- matrix(0, 4, 4)
  J[1, 1] <- 10
  J[1, 3:4] <- J[3:4, 1] <- c(2, 5)
  J[3:4, 3:4] <- 30 * tcrossprod(c(1, 2)) + tcrossprod(c(2, 5)) / 10
  # A level is without information below 1e-4 of its 20 rows.
  for (share in c(0.5e-4, 2e-4)) {
    J[2, 2] <- share * 20
    N <- flat_directions_of(model, J, 1e-4)
    dense <- c(-(2 * 2 - 5) / 10, 0, 2, -1) / sqrt(5)
    dense <- dense * sign(N[3, ncol(N)])
    expect_equal(N, unname(cbind(if (share < 1e-4) c(0, sqrt(50 / 20), 0, 0), dense)), tolerance = 1e-8)
  }
})

test_that("a climb does not creep where the information lacks little of being positive", {
  # u has the maxima -1 and 1 of c (u^2 / 2 - u^4 / 4), and the fallback, like that of a mixture whose truths are hardly seen, is far larger.
  c <- 0.002
  evaluate <- function(b, need) {
    list(value = c * (b^2 / 2 - b^4 / 4), gradient = c * (b - b^3), observed = matrix(c * (3 * b^2 - 1)), fallback = diag(1))
  }
  model <- new_likelihood("u", evaluate, identity, diag(1), total = 1)
  for (start in c(0.01, 0.3, -0.5)) {
    end <- climb(model, start, tolerance = 1e-14)
    expect_equal(end$points[1], sign(start), tolerance = 1e-6)
    expect_lt(end$steps, 40)
  }
})

test_that("an unknown number is its logit, which stays finite, and begins at a half", {
  model <- list(data = list(x = diag(2)), basis = list(back = diag(c(1, 4)), keep = 1:2), size = 3, k = 2)
  expect_equal(coordinates(model, c(1, 2, 0.25)), c(1, 0.5, qlogis(0.25)))
  expect_equal(coordinates(model, c(1, 2)), c(1, 0.5, 0))
  expect_equal(coordinates(model, c(1, 2, 1)), c(1, 0.5, 15 * log(10)), tolerance = 1e-3)
  expect_equal(coordinates(model, c(1, 2, 0)), c(1, 0.5, -15 * log(10)), tolerance = 1e-3)
})

test_that("a model with an unknown number has its logit beside the coefficients, and its rows are those of the kernel", {
  data <- fit_data()
  # The other question says yes with probability psi: P(yes) is 0.7 or 0.3 of the truth's, and the rest of psi.
  data$unknown <- rbind(c(0.7, 0.3), c(0.3, 0.7), 0, c(0.3, 0.7), 1, 0)
  model <- regress_model(data, diag(c(0.5, 1, 2, 0.25)))
  expect_equal(model$size, 4)
  b <- c(0.3, -0.2, 0.4, 0.7)
  psi <- plogis(b[4])
  expect_equal(model$natural(b)[5], psi)
  expect_identical(model$natural(b)[3], 0)
  eta <- drop(data$x %*% model$natural(b)[1:4]) + data$offset
  p <- c(0.7, 0.3)[data$arm + 1]
  rows <- function(b) {
    report <- p * plogis(drop(model$z %*% b[1:3]) + data$offset) + (1 - p) * plogis(b[4])
    data$y * log(report) + (1 - data$y) * log(1 - report)
  }
  total <- function(b) sum(data$weight * rows(b))
  state <- regress_value(model, b)
  expect_equal(state$value, total(b), tolerance = 1e-10)
  expect_equal(as.vector(state$gradient), difference_gradient(total, b), tolerance = 1e-6)
  by_row <- unknown_number_rows(c(data, separate = FALSE), eta, rep(b[4], 60))
  expect_equal(by_row$loglik, rows(b), tolerance = 1e-10)
  slopes <- difference_gradient(rows, b)
  expect_equal(unname(by_row$truth * model$z), slopes[, 1:3], tolerance = 1e-6)
  expect_equal(by_row$share, slopes[, 4], tolerance = 1e-6)
  expect_equal(model$reach(c(0.01, 0, 0, -5)), 5)
  expect_equal(model$reach(c(b[1:3], 0)), max(abs(model$z %*% b[1:3])))
  moved <- model$unbounded(b, cbind(c(1, 0, 0, 0), c(0, 2, 1, 3)))
  expect_equal(moved$eta, c(eta, b[4]), ignore_attr = TRUE)
  expect_equal(unname(moved$move), unname(rbind(cbind(model$z[, 1], 2 * model$z[, 2] + model$z[, 3]), c(0, 3))))
  # The unknown number has no prior; its slope is by the logit.
  expect_equal(unname(model$prior[4, ]), numeric(4))
  expect_equal(sum(b * (model$prior %*% b)), sum(c(0.5, 1, 2, 0.25) * model$natural(b)[1:4]^2), tolerance = 1e-12)
  expect_equal(unname(model$slope(b)), difference_gradient(function(b) c(model$natural(b)[1:4], b[4]), b), tolerance = 1e-8)
  expect_equal(diag(model$metric)[4], sum(data$weight))
  expect_identical(regress_basis(list(x = diag(12)[rep(1:12, 5), ], weight = rep(1, 60), unknown = data$unknown))$levels, 0L)
  # Before it is estimated the number is a half.
  device <- row_devices(data)
  expect_equal(unname(device$p), p + (1 - p) / 2)
  expect_equal(unname(device$q), (1 - p) / 2)
})

test_that("a model that keeps the levels of a factor is the model of its columns", {
  level <- rep_len(1:11, 66)
  data <- list(x = cbind(outer(level, 1:11, `==`) * 1, sin(1:66), cos(1:66)), y = rep_len(c(0, 1, 1), 66), weight = rep_len(c(1, 2, 0.5), 66),
               device = cbind(c(0.8, 0.2, 0.2, 0.8, 0.6)), link = "logit")
  model <- regress_model(data)
  expect_equal(model$metric, crossprod(model$z * sqrt(data$weight)), ignore_attr = TRUE, tolerance = 1e-10)
  b <- sin(1:13)
  loglik <- function(model, data) {
    function(b) {
      report <- 0.2 + 0.6 * plogis(drop(model$z %*% b))
      sum(data$weight * (data$y * log(report) + (1 - data$y) * log(1 - report)))
    }
  }
  state <- regress_value(model, b)
  expect_equal(state$value, loglik(model, data)(b), tolerance = 1e-10)
  expect_equal(as.vector(state$gradient), difference_gradient(loglik(model, data), b), tolerance = 1e-6)
  # Some of its rows, in the same columns; and some rows of a model with one column.
  rows <- c(2, 5, 13, 40)
  thin <- thin_model(model, rows)
  expect_identical(thin$z, model$z[rows, ])
  expect_equal(regress_value(thin, b)$value, loglik(thin, take_rows(data, rows))(b), tolerance = 1e-10)
  one <- regress_model(replace(data, "x", list(cbind(rep(1, 66)))))
  thin <- thin_model(one, rows)
  expect_identical(dim(thin$z), c(4L, 1L))
  expect_equal(regress_value(thin, 0.3)$value, loglik(thin, take_rows(data, rows))(0.3), tolerance = 1e-10)
})

test_that("equal rows are put together if a quarter of the rows is left, and not if more are", {
  data <- fit_data(400)
  data$arm <- rep(0L, 400)
  data$offset <- data$weight <- rep(1, 400)
  data$y <- rep(0, 400)
  for (distinct in c(100, 101)) {
    data$x <- cbind(1, rep_len(seq_len(distinct), 400))
    expect_length(collapse_rows(data)$y, if (distinct == 100) 100 else 400)
  }
  few <- take_rows(data, 1:199)
  few$x[, 2] <- 1
  expect_length(collapse_rows(few)$y, 199)
})
