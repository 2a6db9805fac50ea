# The points where climbs begin: moments, projections, and the best thresholds by trying each.

starts_data <- function(link = "logit") {
  withr::local_seed(86)
  n <- 40
  list(x = cbind(1, round(rnorm(n), 1), rep_len(c(0, 1, 3), n)), y = rep_len(c(0, 1, 1, 0, 1), n), weight = rep_len(c(1, 2, 0.5), n), offset = NULL,
    arm = rep_len(c(0L, 1L), n),
       device = cbind(c(0.9, 0.2, 0.1, 0.8, 0.7), c(0.8, 0.3, 0.2, 0.7, 0.5)), link = link, unknown = NULL)
}

test_that("the share by moments minimizes the squared distance of reports, and stays within .05 and .95", {
  data <- starts_data()
  q <- c(0.2, 0.3)[data$arm + 1]
  d <- c(0.7, 0.5)[data$arm + 1]
  expect_equal(moment_share(data), optimize(function(s) sum(data$weight * (data$y - q - d * s)^2), 0:1, tol = 1e-10)$minimum, tolerance = 1e-6)
  expect_identical(c(moment_share(replace(data, "y", list(rep(1, 40)))), moment_share(replace(data, "y", list(rep(0, 40))))), c(0.95, 0.05))
  expect_identical(moment_share(replace(data, "weight", list(rep(0, 40)))), 0.5)
  model <- regress_model(data)
  # The nearest linear predictor is weighted least squares.
  target <- sin(1:40)
  expect_equal(drop(model$z %*% project(model, target)), unname(fitted(lm(target ~ data$x - 1, weights = data$weight))), tolerance = 1e-8)
  expect_identical(even_index(5, 5), 1:5)
  expect_identical(even_index(9, 5), c(1, 3, 5, 7, 9))
  columns <- unit_columns(cbind(c(3, 4), c(0, 0), c(0, -2)))
  expect_equal(columns, cbind(c(0.6, 0.8), c(0, -1)))
  directions <- even_directions(10, 7)
  expect_identical(dim(directions), c(10L, 7L))
  expect_equal(colSums(directions^2), rep(1, 7))
  # Fractional parts of multiples of the square roots of primes, and of these plus the golden section from the ninth on.
  raw <- qnorm((c(sqrt(c(2, 3, 5, 7, 11, 13, 17, 19)), sqrt(2:3) + 0.618034) * 3) %% 1)
  expect_equal(directions[, 3], raw / sqrt(sum(raw^2)))
})

test_that("the best threshold of a direction, of all that there are, on either side", {
  z <- c(0.3, -1, 2, 0.3, 1.2, -0.4)
  gain <- c(1, -2, 0.5, -0.3, 0.8, 0.6)
  found <- divide_rows(cbind(z), gain, cbind(c(0, 1)), c(1, 0))
  cuts <- sort(unique(z))
  cuts <- (cuts[-1] + cuts[-length(cuts)]) / 2
  above <- vapply(cuts, function(cut) sum(gain[z > cut]), 0)
  below <- vapply(cuts, function(cut) sum(gain[z < cut]), 0)
  expect_equal(found$value, c(max(above), max(below)))
  at <- cuts[c(which.max(above), which.max(below))]
  # Slopes of 25 and -25 through the thresholds: 25 (z - cut).
  expect_equal(found$cells, cbind(c(-25 * at[1], 25), c(25 * at[2], -25)))
  expect_equal(found$sharp[2, ] > 0, c(TRUE, FALSE))
  gap <- vapply(at, function(cut) min(z[z > cut]) - max(z[z < cut]), 0)
  expect_equal(abs(found$sharp[2, ]), pmin(1e5, pmax(25, 8 / gap)))
  expect_equal(found$sharp[1, ], -found$sharp[2, ] * at)
  expect_identical(found$directions, cbind(c(0, 1), c(0, 1)))
  # Rows beside a narrow gap lie at 4 and -4, up to a slope of 1e5.
  narrow <- divide_rows(cbind(c(0.5, 0.52, 1), c(0.5, 0.5 + 1e-6, 1)), c(-1, 1, 0), diag(2), c(0, 0))
  expect_equal(diag(narrow$sharp[, c(1, 3)]), c(8 / 0.02, 1e5))
  # A constant direction has no threshold.
  expect_identical(dim(divide_rows(matrix(1, 3, 1), 1:3, matrix(1), 1)$cells), c(1L, 0L))
  # The best cell of each side, and the best gentle one, of two directions.
  values <- cbind(c(5, 9, 2, 1, 6, 0), c(1, 0, 0, 5, 0, 4))
  expect_identical(best_cells(c(1, 3, -1, -3, 2, -2), values), c(2L, 3L, 5L, 3L, 7L, 10L, 7L, 12L))
  expect_identical(highest_index(c(3, 5, 5 + 1e-8, 4), 2), c(3L, 4L))
  expect_identical(highest_index(c(3, 5, 5 + 1e-8, 4), 9), c(3L, 4L, 1L))
  # Two directions with the same division of the rows: one sharp start for each side of it.
  steep <- threshold_starts(cbind(1:4, 2 * (1:4)), c(-1, -1, 1, 1), diag(2), c(0, 0), 1, 2)
  expect_equal(steep$cells, cbind(c(25, 0)))
  expect_equal(steep$sharp, cbind(c(25, 0), c(-25, 0)))
  # Sharp starts are the best of different divisions, then the best of different values.
  chosen <- function(value, beyond, ...) {
    places <- rbind(seq_along(value))
    divisions <- list(value = value, beyond = beyond, cells = places, directions = places, sharp = places)
    lapply(with_calls(threshold_starts, divide_rows = function(...) divisions)(NULL, NULL, NULL, NULL, ...), as.vector)
  }
  found <- chosen(c(5, 9, 9 + 1e-8, 3, 7, 7, 1, 0.5, 8, 2), c(1, 2, 2.5, 4, 5, 5, 7:10), 7)
  expect_equal(found, list(cells = c(3, 9, 5, 1, 4, 10, 7), directions = c(3, 9, 5, 1, 4, 10), sharp = c(2, 3, 9, 5, 1, 4)))
  value <- c(9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 5)
  expect_equal(chosen(value, 1:11, 2), list(cells = c(1, 8), directions = c(1, 8), sharp = c(1:6, 8:10)))
  expect_equal(chosen(value, 1:11, 2, 2)$sharp, c(1, 2, 8))
})

test_that("starts of bounded links are inside their range", {
  for (link in c("log", "identity")) {
    data <- starts_data(link)
    model <- regress_model(data)
    points <- regress_starts(model, 20)
    eta <- model$z %*% points
    expect_true(all(apply(eta, 2, inside_link, link)))
    curve <- stats::make.link(link)
    # The constants of the moments, and of .5, .1 and .02.
    expect_equal(unname(curve$linkinv(eta[1, ])), c(moment_share(data), 0.5, 0.1, 0.02), tolerance = 1e-8)
    expect_identical(ncol(regress_starts(model, 1)), 1L)
  }
  model <- regress_model(starts_data())
  expect_equal(plogis(drop(model$z %*% regress_starts(model, 1))), rep(moment_share(model$data), 40), tolerance = 1e-8)
  points <- regress_starts(model, 20)
  far <- plogis(model$z %*% points[, 2:5])
  expect_equal(far[1, 1:2], c(0.02, 0.98), tolerance = 1e-8)
  # The truth is 0 or 1 to rounding.
  expect_equal((model$z %*% points[, 4:5])[1, ], c(-37, 37), tolerance = 1e-8)
  # Each constant stands once if nothing is unknown; a constant alone has no others.
  expect_identical(sum(colSums(abs(points - points[, 2])) < 1e-9), 1L)
  alone <- regress_model(replace(starts_data(), "x", list(matrix(1, 40))))
  expect_equal((alone$z %*% regress_starts(alone, 20))[1, ], c(qlogis(c(moment_share(alone$data), 0.02, 0.98)), -37, 37), tolerance = 1e-8)
  # With an unknown number each start has its logit.
  expect_equal(with_psi(cbind(c(1, 2)), list(size = 3, k = 2), 0.2), cbind(c(1, 2, qlogis(0.2))), ignore_attr = TRUE)
  expect_equal(with_psi(cbind(c(1, 2)), list(size = 2, k = 2)), cbind(c(1, 2)))
  expect_identical(max_turns(list(data = list(y = numeric(1000)), k = 4)), 2.6e6 / 4000)
  expect_identical(max_turns(list(data = list(y = numeric(1e5)), k = 200)), 13)
  scaled <- in_units(list(value = -2, values = c(-2, -3), decrement = 1e-9, b = 5), 4)
  expect_identical(scaled, list(value = -8, values = c(-8, -12), decrement = 4e-9, b = 5))
  expect_refused(regress_maximum(c(starts_data()[names(starts_data()) != "unknown"], list(unknown = diag(2))), penalty = "bias"))
})

test_that("steep directions: the score of the constant and single columns, orthogonal to the constant", {
  model <- regress_model(starts_data())
  intercept <- project(model, 1)
  directions <- start_directions(model, intercept, row_devices(model$data), moment_share(model$data))
  expect_equal(colSums(directions$all^2), rep(1, ncol(directions$all)), tolerance = 1e-10)
  expect_lt(max(abs(crossprod(directions$all, intercept))), 1e-8)
  # Two free dimensions: 36 angles beside the axes.
  expect_identical(ncol(directions$all) - directions$n_axes, 36L)
  data <- model$data
  q <- c(0.2, 0.3)[data$arm + 1]
  d <- c(0.7, 0.5)[data$arm + 1]
  squares <- function(b) -sum(data$weight * (data$y - q - d * (moment_share(data) + model$z %*% b))^2) / 2
  score <- difference_gradient(squares, numeric(3))
  score <- score - intercept * sum(score * intercept) / sum(intercept^2)
  # Columns of unit size, less their weighted means.
  centred <- scale(data$x[, 2:3], colSums(data$weight * data$x[, 2:3]) / sum(data$weight), FALSE)
  single <- qr.solve(model$z, centred)
  axes <- cbind(score, single)
  expect_equal(directions$all[, seq_len(directions$n_axes)], axes / rep(sqrt(colSums(axes^2)), each = 3), tolerance = 1e-6, ignore_attr = TRUE)
  # The angles are 5 degrees apart.
  angles <- directions$all[, -seq_len(directions$n_axes)]
  expect_equal(colSums(angles[, -36] * angles[, -1]), rep(cos(base::pi / 36), 35), tolerance = 1e-12)
  # Of m free dimensions 25 m, at most 200, and three for each turn.
  others <- function(columns, n = 40) {
    wide <- list(basis = list(levels = 0, back = diag(columns)), z = diag(n)[, seq_len(columns)], k = columns, data = list(y = numeric(n), weight = 1))
    found <- start_directions(wide, c(1, numeric(columns - 1)), list(d = 1, q = 0), 0.5)
    ncol(found$all) - found$n_axes
  }
  expect_identical(c(others(4), others(9), others(10)), c(75L, 200L, 200L))
  # Single columns in the order of their scores 0.4, 0.3 and 0.1 if they are more than the turns; a level has no part.
  axes_of <- function(turns) {
    wide <- list(basis = list(levels = 1, back = diag(5)), z = diag(5), k = 5, data = list(y = c(0.9, 0.5, 0.6, 0.9, 0.2), weight = 1))
    found <- with_calls(start_directions, max_turns = function(model) turns)(wide, c(0.5, 1, 0, 0, 0), list(d = 1, q = 0), 0.5)
    expect_identical(found$all[1, ], numeric(ncol(found$all)))
    expect_equal(ncol(found$all), 4 + 3 * turns)
    abs(found$all[-1, 1:4])
  }
  score <- c(0, 0.1, 0.4, 0.3) / sqrt(0.26)
  expect_equal(axes_of(2), cbind(score, diag(4)[, c(3, 4, 2)]), ignore_attr = TRUE)
  expect_equal(axes_of(4), cbind(score, diag(4)[, 2:4]), ignore_attr = TRUE)
  constant <- replace(starts_data(), "x", list(matrix(1, 40)))
  alone <- regress_model(constant)
  expect_null(start_directions(alone, project(alone, 1), row_devices(constant), 0.5))
})

test_that("cells of a grid: the best slopes and thresholds of each direction, of all that there are", {
  data <- starts_data()
  data$y <- as.double(data$x[, 2] > 0.3)
  model <- regress_model(data)
  intercept <- project(model, 1)
  directions <- cbind(c(0, 1, 0), c(0, 0.6, 0.8))
  device <- data$device[, data$arm + 1]
  loglik <- function(b) {
    report <- device[2, ] + device[5, ] * plogis(drop(model$z %*% b))
    sum(data$weight * log(ifelse(data$y == 1, report, 1 - report)))
  }
  slopes <- c(0.8, 2, 6, 25)
  best <- lapply(1:2, function(j) {
    z <- drop(model$z %*% directions[, j])
    cuts <- c(quantile(z, c(0.02, 0.07, 0.2, 0.5, 0.8, 0.93, 0.98)), min(z) - 1.5, max(z) + 1.5)
    # On either side, all slopes and the gentle ones.
    lapply(list(slopes, -slopes, slopes[1:2], -slopes[1:2]), function(side) {
      cells <- expand.grid(cut = cuts, slope = side)
      points <- lapply(seq_len(nrow(cells)), function(i) cells$slope[i] * (directions[, j] - cells$cut[i] * intercept))
      points[[which.max(vapply(points, loglik, 0))]]
    })
  })
  best <- unique(do.call(cbind, unlist(best, FALSE)), MARGIN = 2)
  best <- best[, order(-apply(best, 2, loglik))]
  expect_gt(ncol(best), 4)
  expect_equal(grid_starts(model, intercept, directions, 100), best)
  expect_equal(grid_starts(model, intercept, directions, 3), best[, 1:3])
})

test_that("starts around the moments: of each 48 points at a distance, with their opposites, the highest two", {
  for (size in c(2, 3)) {
    model <- list(start = c(0.4, -1, 2)[seq_len(size)], size = size)
    height <- function(b) -sum((b - seq_len(size) * 5)^2)
    points <- with_calls(even_starts, loglik_at = function(model, points) apply(points, 2, height))(model, 5)
    directions <- even_directions(size, 96)
    expected <- lapply(1:4, function(block) {
      steps <- directions[, 24 * (block - 1) + 1:24] * c(2, 6, 20, 2)[block]
      around <- model$start + cbind(steps, -steps)
      around[, order(-apply(around, 2, height))[1:2]]
    })
    expect_equal(points, cbind(model$start, do.call(cbind, expected)), ignore_attr = TRUE)
    expect_equal(even_starts(model, 1), cbind(model$start))
  }
})

test_that("starts in directions: combinations and turns of these if a threshold comes near the climb from the constant", {
  data <- starts_data()
  model <- regress_model(data)
  directions <- list(all = matrix(seq(-1, 1, length.out = 48), 3), n_axes = 3)
  row <- row_devices(data)
  # What a row gains if its truth turns from no to yes.
  report <- function(p) ifelse(data$y == 1, p, 1 - p)
  gain <- data$weight * log(report(c(0.9, 0.8)[data$arm + 1]) / report(c(0.2, 0.3)[data$arm + 1]))
  starts_of <- function(top, best, model, max_thresholds = 20) {
    calls <- list()
    starts <- with_calls(direction_starts,
      climb = function(model, start, is_rough) list(points = start + 1, value = if (is_rough) top),
      loglik_at = function(model, points) c(best, best - 1),
      threshold_starts = function(projections, gain, directions, intercept, max_starts) {
        calls$axes <<- list(projections, gain, directions, intercept, max_starts)
        list(cells = cbind(1), sharp = cbind(2))
      },
      turned_thresholds = function(thresholds, directions, axes) {
        calls$turned <<- list(directions, axes)
        list(cells = cbind(3), sharp = cbind(4))
      },
      grid_starts = function(model, intercept, directions, max_starts) {
        calls$grid <<- list(intercept, directions, max_starts)
        cbind(5)
      }
    )(model, row, c(1, 0, 0), directions, 7:9, max_thresholds)
    c(starts, calls)
  }
  axes <- directions$all[, 1:3]
  starts <- starts_of(-100, -136, model)
  expect_equal(starts$axes, list(model$z %*% axes, gain, axes, c(1, 0, 0), 20))
  expect_identical(starts[c("first", "cells", "steep", "rivals")], list(first = cbind(8:10 + 0), cells = cbind(5), steep = cbind(1, 2), rivals = FALSE))
  expect_identical(starts$grid, list(c(1, 0, 0), axes, 10))
  expect_null(starts$turned)
  expect_identical(starts_of(-100, -136, model, 5)$grid[[3]], 4)
  # With a sample of the rows there are no gentle slopes then.
  expect_null(starts_of(-100, -136, c(model, sampled = TRUE))$cells)
  # Within 20 and 5 for each of three coefficients, or without a likelihood at the constant.
  for (top in list(c(-100, -134), c(-Inf, -1))) {
    starts <- starts_of(top[1], top[2], c(model, sampled = TRUE))
    expect_identical(starts[c("steep", "cells", "rivals")], list(steep = cbind(3, 4), cells = cbind(5), rivals = TRUE))
    expect_equal(starts$turned, list(directions$all, 1:3))
    # Twelve of the thirteen combinations.
    expect_equal(starts$grid[[2]], directions$all[, c(1:3, 3 + round(seq(1, 13, length.out = 12)))])
  }
  expect_equal(starts_of(-100, -136, replace(model, "size", 4))$rivals, TRUE)
})

test_that("thresholds of directions are followed by small turns of the best of them, from the last best", {
  asked <- list()
  thresholds <- function(directions) {
    asked[[length(asked) + 1]] <<- directions
    list(cells = cbind(length(asked)), directions = directions[, 1, drop = FALSE], sharp = cbind(-length(asked)))
  }
  all <- cbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 1))
  steep <- turned_thresholds(thresholds, all, 2:3)
  expect_identical(asked[[1]], all)
  expect_equal(asked[[2]], cbind(c(1, 0.05, 0), c(1, -0.05, 0), c(1, 0, 0.05), c(1, 0, -0.05)))
  expect_equal(asked[[3]], cbind(c(1, 0.06, 0), c(1, 0.04, 0), c(1, 0.05, 0.01), c(1, 0.05, -0.01)))
  expect_identical(steep$cells, cbind(1L, 2L, 3L))
  expect_identical(steep$sharp, -steep$cells)
})

test_that("starts of a bounded link are the constants inside its range, else fractions of the first that are", {
  starts <- function(low, high, n = 20, link = "log") {
    data <- replace(starts_data(link), "offset", list(c(rep(low, 39), high)))
    # What the columns do not explain of the offset stays beside a constant.
    rest <- residuals(lm(data$offset ~ data$x - 1, weights = data$weight))
    model <- regress_model(data)
    points <- regress_starts(model, n)
    list(eta = if (!is.null(points)) unname(model$z %*% points + data$offset), rest = unname(rest), share = moment_share(data), offset = data$offset)
  }
  found <- starts(-1.2, -0.1)
  expect_gt(log(0.5) + max(found$rest), 0)
  expect_equal(found$eta, outer(found$rest, log(c(0.1, 0.02)), `+`))
  expect_equal(starts(-1.2, -0.1, 2)$eta, found$eta)
  # Without these shares: the constant in the middle, exp(-1) or a half, and the fractions that are inside.
  inside <- c(0.5, 0.25, 0.1, 0.01)
  for (link in c("log", "identity")) {
    found <- if (link == "log") starts(-1.2, -0.2, 1) else starts(0, 0.5, 1, link)
    first <- if (link == "log") log(found$share) else found$share
    fractions <- outer(first + found$rest, inside) + outer(found$offset, 1 - inside)
    middle <- if (link == "log") -1 else 0.5
    expect_true(inside_link(middle + found$rest, link) && !inside_link(first + found$rest, link))
    expect_equal(found$eta, cbind(middle + found$rest, fractions[, apply(fractions, 2, inside_link, link)]))
  }
  # None is inside: fractions 0.1 and 0.01 of the way from the offset to the share of the moments are, not 0.5 nor 0.25.
  found <- starts(-5, -0.5)
  first <- log(found$share) + found$rest
  expected <- outer(first, inside) + outer(found$offset, 1 - inside)
  expect_identical(apply(expected < 0, 2, all), c(FALSE, FALSE, TRUE, TRUE))
  expect_equal(found$eta, expected[, 3:4])
  expect_equal(starts(-5, -0.5, 1)$eta, expected[, 3:4])
  # Nor is any beside an offset beyond the range.
  expect_null(starts(-5, 0.5)$eta)
})

test_that("with an unknown number the first, the constants and three cells start at five values of it, with one column too", {
  for (columns in list(2, 1:3)) {
    data <- starts_data()
    data$x <- data$x[, columns, drop = FALSE]
    data$unknown <- cbind(c(0.7, 0.3, 0, 0.3, 1, 0), c(0.3, 0.7, 0, 0.7, 1, 0))
    model <- regress_model(data)
    expect_no_warning(points <- regress_starts(model, 20))
    at <- function(psi) points[seq_len(model$k), abs(points[model$size, ] - qlogis(psi)) < 1e-9, drop = FALSE]
    few <- at(0.05)
    # Two of the cells differ with one column.
    expect_identical(ncol(few), 5L + min(3L, 1L + length(columns)))
    for (psi in c(0.2, 0.8, 0.95)) expect_identical(at(psi), few)
    # The constants and cells start at a half, too.
    half <- at(0.5)
    for (j in seq_len(ncol(few))[-1]) expect_lt(min(colSums((half - few[, j])^2)), 1e-20)
  }
})

test_that("the log-likelihood of a maximum is linear in the weights, whose unit changes no digit, and a penalty is in units of answers", {
  data <- starts_data()
  light <- replace(data, "weight", list(data$weight / 64))
  best <- regress_maximum(data)
  small <- regress_maximum(light)
  expect_identical(small$b, best$b)
  expect_identical(small[c("value", "values")], list(value = best$value / 64, values = best$values / 64))
  report <- c(0.2, 0.3)[data$arm + 1] + c(0.7, 0.5)[data$arm + 1] * plogis(drop(data$x %*% best$model$natural(best$b)))
  loglik <- sum(data$weight * log(ifelse(data$y == 1, report, 1 - report)))
  expect_equal(best$value, loglik, tolerance = 1e-10)
  for (maximum in list(best, small)) expect_equal(loglik_at(maximum$model, maximum$b), maximum$value, tolerance = 1e-12)
  expect_equal(sum(small$model$data$weight), sum(light$weight))
  for (penalty in c("bias", "jeffreys")) {
    expect_equal(sum(regress_maximum(light, penalty = penalty, start = c(0.1, 0, 0))$model$data$weight), sum(light$weight))
  }
})
