# Climbs to maxima at infinity, in models whose linear predictors are those of groups: each group has its share in closed form.

# The groups a, b, c have 40, 12 and 8 rows, known answers and one coefficient each: in the coordinates of groups the information is
# w p (1 - p), the metric w. `eta` are the predictors of the groups at a point.
group_model <- function(yes = c(16, 12, 0), ...) {
  n <- c(40, 12, 8)
  group <- rep(1:3, each = 2)
  y <- rep(c(1, 0), 3)
  weight <- as.vector(rbind(yes, n - yes))
  data <- list(x = cbind(1, group == 2, group == 3) * 1, y = y, weight = weight, offset = NULL, arm = NULL,
               device = cbind(c(1, 0, 0, 1, 1)), link = "logit", unknown = NULL, ...)
  regress_model(take_rows(data, weight > 0))
}
group_point <- function(model, eta) coordinates(model, c(eta[1], eta[-1] - eta[1]))
group_eta <- function(model, points) {
  unname(apply(points, 2, function(b) {
    b <- model$natural(b)
    b[1] + c(0, b[-1])
  }))
}

test_that("points far out: Newton's step, the point and each flat direction, half to 32 times the reach of a sure answer", {
  model <- group_model()
  # Groups b and c are nearly sure: each by itself is a flat direction. Their Newton steps are (y - p) / (p (1 - p)).
  eta <- c(qlogis(0.4), 20, -15)
  maximum <- list(b = group_point(model, eta))
  points <- group_eta(model, further_points(model, maximum))
  newton <- c(0, 1 / plogis(eta[2]), -1 / plogis(-eta[3]))
  directions <- list(newton, c(0, eta[-1]), c(0, 0, eta[3]), c(0, eta[2], 0))
  far <- 37 * c(0.5, 2, 8, 32)
  expected <- do.call(cbind, lapply(directions, function(d) eta + (d / max(abs(d))) %o% far))
  expect_equal(points, expected, tolerance = 1e-6)
  # A group at 2,000 has no further step; the points are then at least twice as far, which 2000 / 32 gives.
  eta <- c(qlogis(0.4), 2000, -15)
  points <- group_eta(model, further_points(model, list(b = group_point(model, eta))))
  directions <- list(c(0, 0, -1 / plogis(15)), c(0, eta[-1]), c(0, 0, eta[3]), c(0, eta[2], 0))
  far <- 2000 / 32 * c(0.5, 2, 8, 32)
  # What rounding leaves of the gradient of group b is 1e-4 of the step.
  expect_equal(points, do.call(cbind, lapply(directions, function(d) eta + (d / max(abs(d))) %o% far)), tolerance = 1e-3)
})

test_that("directions are flat whose information is below 1e-4 of the weights, that of a prior included", {
  model <- group_model()
  points_at <- function(eta, prior = NULL) {
    model$prior <- prior
    further_points(model, list(b = group_point(model, eta)))
  }
  # p (1 - p) = 0.9e-4 and 1.1e-4.
  below <- -log(1 / 0.9e-4 - 2)
  above <- -log(1 / 1.1e-4 - 2)
  expect_null(points_at(c(0, -above, above)))
  expect_identical(ncol(points_at(c(0, -above, below))), 12L)
  # A prior of 0.7e-4 beside 0.5e-4.
  half <- -log(1 / 0.5e-4 - 2)
  expect_identical(ncol(points_at(c(0, -half, half))), 16L)
  expect_null(points_at(c(0, -half, half), 0.7e-4 * 60 * diag(3)))
})

test_that("a maximum at infinity is followed to where the likelihood stands still, a finite one stays", {
  model <- group_model()
  top <- 16 * log(0.4) + 24 * log(0.6)
  eta <- c(qlogis(0.4), 12, -13)
  b <- group_point(model, eta)
  maximum <- climb_to_infinity(model, list(b = b, value = loglik_at(model, b), decrement = NA, steps = 3))
  expect_equal(maximum$value, top, tolerance = 1e-14)
  expect_equal(maximum$value, as.vector(loglik_at(model, maximum$b)), tolerance = 1e-14)
  expect_lt(maximum$decrement, 1e-10)
  expect_identical(maximum$steps, 3)
  at <- group_eta(model, cbind(maximum$b))
  expect_equal(at[1], qlogis(0.4), tolerance = 1e-6)
  expect_true(at[2] > 30 && at[3] < -30)
  # Of known answers that are neither all yes nor all no, with 1 in 1e6: the maximum is flat and inside.
  model <- group_model(c(16, 12 - 1e-5, 8e-6))
  b <- coordinates(model, c(qlogis(0.4), qlogis(1 - 1e-5 / 12) - qlogis(0.4), qlogis(1e-6) - qlogis(0.4)))
  inside <- list(b = b, value = as.vector(loglik_at(model, b)), decrement = 0)
  expect_identical(climb_to_infinity(model, inside), inside)
})

test_that("a climb to infinity goes on from the highest point of the first four that are as high, and stops where it falls", {
  # Twelve points with these log-likelihoods; what a climb from the point j ends with.
  heights <- c(-1, -1, -1, -1, NA, -3, -1e-9, -Inf, 1, 1, 1, 1)
  from <- NULL
  follow <- function(rounds, value) {
    from <<- NULL
    with_calls(climb_to_infinity,
      further_points = function(model, maximum) if (length(from) < rounds) rbind(1:12, maximum$b),
      loglik_at = function(model, points) heights[points[1, ]],
      climb = function(model, start) {
        from <<- c(from, start[1])
        list(points = cbind(start[2] + 1, NA), value = value, decrement = 0.5)
      }
    )(list(), list(b = 0, value = 0, decrement = 9, steps = 4))
  }
  expect_identical(follow(1, -2e-9), list(b = 1, value = -2e-9, decrement = 0.5, steps = 4))
  expect_identical(from, 7)
  expect_identical(follow(1, -3e-9), list(b = 0, value = 0, decrement = 9, steps = 4))
  expect_identical(follow(0, 1), list(b = 0, value = 0, decrement = 9, steps = 4))
  expect_null(from)
  # Six rounds at most.
  expect_identical(follow(9, 0)$b, 6)
  heights <- c(-1, -1, -1, -2e-9, rep(-1, 8))
  expect_identical(follow(1, 0)$b, 0)
})

test_that("a bounded link is climbed inside, along barriers from 1e-2 to 1e-11 of the mean weight", {
  # Of group b all say yes: with a log link its predictor is 0, the end of the range.
  model <- group_model(c(16, 12, 2))
  model$data$link <- "log"
  model <- with_kernel(model)
  top <- 16 * log(0.4) + 24 * log(0.6) + 2 * log(0.25) + 6 * log(0.75)
  start <- group_point(model, log(c(0.3, 0.5, 0.4)))
  pressed <- list(b = start, value = loglik_at(model, start), decrement = 1, steps = 7)
  barriers <- NULL
  watched <- with_calls(climb_inside, with_kernel = function(model, barrier) {
    barriers <<- c(barriers, barrier)
    with_kernel(model, barrier)
  })
  inside <- watched(model, pressed, start)
  expect_equal(barriers, 10^-(2:11) * 60 / 5)
  expect_equal(as.vector(inside$value), top, tolerance = 1e-9)
  expect_equal(as.vector(inside$value), as.vector(loglik_at(model, inside$b)))
  expect_equal(exp(group_eta(model, cbind(inside$b))), cbind(c(0.4, 1, 0.25)), tolerance = 1e-5)
  expect_identical(inside[c("decrement", "steps")], pressed[c("decrement", "steps")])
  # What is higher already stays.
  higher <- list(b = 1:3, value = top + 1)
  expect_identical(climb_inside(model, higher, start), higher)
})

test_that("starts that may lead to the highest maximum: the first as its end, those near in order, and the best four in any case", {
  # Starts are the columns 1 to 8; the first that has a likelihood ends at 20. Two coefficients allow 8 + 3 * 2.
  promising <- function(heights, top, work = 1) {
    with_calls(promising_starts, loglik_at = function(model, points) heights[points[1, ]],
               climb = function(model, start, is_rough) list(points = cbind(c(20, 0)), value = if (is_rough) top)
    )(list(size = 2, work = work), rbind(1:8, 0))[1, ]
  }
  expect_identical(promising(c(-Inf, -30, -20, -5, -Inf, -18.9, -19.1, -40), -5), c(20, 4, 6, 7, 3))
  expect_identical(promising(c(-6, -5, -7, -4, -8, -3, -16, -17), -3), c(20, 2:7))
  # 3e8 units of work are three climbs of 1e8.
  expect_identical(promising(c(-6, -5, -7, -4, -8, -3, -9, -10), -3, 1e8), c(20, 2, 4, 6))
  # None without a likelihood is left out if none has one.
  expect_identical(promising(rep(-Inf, 8), 0), as.double(1:8))
  expect_identical(promising_starts(NULL, cbind(1:3)), cbind(1:3))
  # With a sample of the rows, the ends in it are looked at with all rows.
  model <- list(size = 1, work = 1)
  sample <- list(sampled = TRUE)
  passed <- with_calls(promising_starts, loglik_at = function(model, points) -points[1, ],
                       climb = function(model, start, is_rough) list(points = cbind(20), value = -1), promising_points = list
  )(model, rbind(1:7), sample)
  expect_identical(passed, list(model, sample, cbind(20), 1L, rbind(2:7)))
})

test_that("ends in a sample of the rows: those apart from the top that are near it with all rows, by the sizes of the two", {
  points <- function(heights, starts = rbind(1:4, c(7.2, 7.5, 7.31, 6.6))) {
    with_calls(promising_points,
      climb = function(model, starts, is_rough) {
        stopifnot(is_rough)
        list(points = starts + c(10, 0))
      },
      loglik_at = function(model, points) heights[as.matrix(points)[1, ]]
    )(list(size = 2, data = list(y = 1:40)), list(data = list(y = 1:10), reach = function(step) abs(step[2])), cbind(c(1, 7)), c(2, 9), starts)
  }
  # A fall of 3 + 2 * 2 * 40 / 10 is allowed.
  heights <- c(-10, -8, rep(0, 8), 0, -26.9, -27, -20)
  expect_identical(points(heights), cbind(c(2, 9), c(12, 7.5), c(14, 6.6)))
  expect_identical(points(heights, cbind(c(2, 7.5), c(3, 7))), cbind(c(2, 9), c(12, 7.5)))
  heights[1] <- -7
  expect_identical(points(heights), cbind(c(1, 7), c(14, 6.6)))
  # With one coefficient all are a row.
  one <- with_calls(promising_points, climb = function(...) list(points = rbind(1:4)), loglik_at = function(model, points) 0 * points)
  expect_identical(one(list(size = 1, data = list(y = 1)), list(data = list(y = 1), reach = abs), cbind(2.1), 9, NULL), rbind(c(2.1, 1, 3, 4)))
})

test_that("rough ends climb to the end from the highest on, each maximum once, as long as they are within 3 of the best", {
  # Starts 1 to 8 at places in the second row; their rough ends and the ends of full climbs.
  starts <- rbind(1:8, c(5, 2, 0, 0, 0, 0, 2, 2))
  rough <- c(-10, -9.415, -12.6, -12.3, -Inf, -9.418, -9.41, -9.43)
  full <- c(-9.9, 9, 9, -12, 9, -9.4 + 5e-9, -9.4, -9.6)
  climbed <- NULL
  all <- with_calls(climb_all,
    climb = function(model, starts, is_rough = FALSE) {
      if (is_rough) return(list(points = starts, value = rough))
      j <- starts[1]
      climbed <<- c(climbed, j)
      list(points = cbind(starts), value = full[j], decrement = c(1e-3, 0, 0, 1e-9)[j], steps = j, pressed = j %in% c(1, 4))
    },
    climb_inside = function(model, maximum, start) c(maximum, inside = start[1]),
    climb_to_infinity = function(model, maximum) if (maximum$b[1] == 4) replace(maximum, "value", -9) else maximum
  )
  maxima <- all(list(reach = function(step) abs(step[2])), starts, list())
  # 2 is beside 7; 6 has the same value; 4 rises to -9, which 3 is too far below.
  expect_identical(climbed, c(7, 6, 8, 1, 4))
  expect_identical(vapply(maxima, function(maximum) maximum$b[1], 0), c(7, 8, 1, 4))
  expect_identical(maximum_values(maxima), c(-9.4, -9.6, -9.9, -9))
  expect_identical(lapply(maxima, `[[`, "pressed"), list(FALSE, FALSE, TRUE, FALSE))
  expect_identical(lapply(maxima, `[[`, "inside"), list(NULL, NULL, 1, NULL))
  expect_identical(maxima[[2]][c("value", "decrement", "steps")], list(value = -9.6, decrement = NA_real_, steps = 8))
  # More starts add to the maxima so far; none of these starts has a likelihood.
  climbed <- NULL
  model <- list(reach = function(step) abs(step[2]))
  known <- list(list(b = c(0, 9), value = -7))
  expect_identical(maximum_values(all(model, starts, known)), c(-7, -9.4, -9.6, -9.9))
  rough[] <- -Inf
  expect_identical(all(model, starts, known), known)
  expect_error(all(model, starts, list()), class = "candor_error_stalled")
})

test_that("beside steep maxima rows in between are moved across by the least change of the others", {
  withr::local_seed(8)
  n <- 30
  data <- list(x = cbind(1, rnorm(n), rnorm(n)), y = rep_len(0:1, n), weight = rep_len(1:2, n), offset = NULL, arm = NULL,
               device = cbind(c(0.8, 0.2, 0.2, 0.8, 0.6)), link = "logit", unknown = NULL)
  model <- regress_model(data)
  steep <- function(slope, value) list(b = coordinates(model, c(0.5, slope, -slope)), value = value)
  maxima <- Map(steep, c(9, 0.3, 12, 20, 15), c(-3, -1, -2, -5, -4))
  points <- turned_starts(model, maxima)
  # Not the gentle one, nor the fifth.
  used <- maxima[c(3, 1, 5)]
  at <- 0
  for (maximum in used) {
    eta <- drop(model$z %*% maximum$b)
    between <- head(order(abs(eta)), min(12, sum(abs(eta) < 4)))
    expect_gt(length(between), 2)
    block <- points[, at + seq_len(2 * length(between) + 2)]
    at <- at + ncol(block)
    half <- seq_len(length(between) + 1)
    expect_equal(block[, -half], block[, half] * 12.5)
    expect_equal(block[, 1], 8 * maximum$b)
    for (j in seq_along(between)) {
      change <- block[, j + 1] / 8 - maximum$b
      # The least of sum(w change^2) that takes the row across: its gradient is a multiple of the row.
      row <- model$z[between[j], ]
      expect_equal(sum(row * (maximum$b + change)), -0.2 * sign(eta[between[j]]))
      gradient <- drop(crossprod(model$z, data$weight * (model$z %*% change)))
      expect_equal(gradient, row * gradient[1] / row[1])
    }
  }
  expect_identical(ncol(points), as.integer(at))
  expect_null(turned_starts(model, maxima[2]))
  # One row alone.
  one <- steep(30, 1)
  points <- turned_starts(model, list(one))
  expect_identical(ncol(points), 4L)
  eta <- drop(model$z %*% one$b)
  row <- which.min(abs(eta))
  expect_equal(sum(model$z[row, ] * points[, 2]), -1.6 * sign(eta[row]))
  # Nor if no row is in between, if a large model has most of them there, for a bounded link, nor for levels.
  expect_null(turned_starts(model, list(list(b = c(20, 0, 0), value = 1))))
  expect_null(turned_starts(replace(model, "work", 1e9), list(steep(3.5, 1))))
  expect_false(is.null(turned_starts(replace(model, "work", 1e7), list(steep(3.5, 1)))))
  expect_false(is.null(turned_starts(replace(model, "work", 1e9), list(steep(6, 1)))))
  bounded <- model
  bounded$data$link <- "identity"
  expect_null(turned_starts(bounded, maxima))
  model$basis$levels <- 1
  expect_null(turned_starts(model, maxima))
})

test_that("flat directions: levels without information, then those of the other columns at the best coefficients of the levels", {
  # Three levels of weights 4, 5 and 1; the first has the information 2e-5 of its weight.
  Q <- qr.Q(qr(cbind(c(1, 2), c(0, 1))))
  cross <- rbind(0, c(0.7, -0.4), c(0.2, 0.3))
  J <- diag(c(8e-5, 3, 0.5, 0, 0))
  J[1:3, 4:5] <- cross
  J[4:5, 1:3] <- t(cross)
  flat_of <- function(share, levels = 3) {
    remaining <- 10 * Q %*% diag(c(share, 0.2)) %*% t(Q)
    J[4:5, 4:5] <- remaining + crossprod(cross[-1, ] / sqrt(c(3, 0.5)))
    model <- list(data = list(weight = c(4, 5, 1)), basis = list(levels = levels), metric = diag(c(4, 5, 1, 10, 10)))
    if (levels == 0) return(flat_directions_of(replace(model, "metric", list(10 * diag(2))), remaining, 1e-4))
    flat_directions_of(model, J, 1e-4)
  }
  N <- flat_of(0.9e-4)
  expect_equal(N[, 1], c(sqrt(10 / 4), 0, 0, 0, 0))
  turn <- sign(N[4, 2] / Q[1, 1])
  expect_equal(N[4:5, 2], turn * Q[, 1], tolerance = 1e-10)
  # The information is least over the levels: its slopes by them are 0.
  expect_equal(N[2:3, 2], -turn * drop(cross[-1, ] %*% Q[, 1]) / c(3, 0.5), tolerance = 1e-10)
  expect_identical(N[1, 2], 0)
  expect_identical(dim(flat_of(1.1e-4)), c(5L, 1L))
  expect_equal(abs(flat_of(0.9e-4, 0)), abs(Q[, 1, drop = FALSE]), tolerance = 1e-10)
  alone <- list(data = list(weight = c(4, 6)), basis = list(levels = 2), metric = diag(c(4, 6)))
  expect_equal(flat_directions_of(alone, diag(c(1, 5e-4)), 1e-4), cbind(c(0, sqrt(10 / 6))))
})

test_that("levels of a factor are eliminated from the information of the other columns, those without information are flat by themselves", {
  # Two levels, the first without information, and two other columns: J has the null vectors (1, 0, 0, 0) and (0, -1, 0, 2).
  model <- list(data = list(weight = rep(2, 5)), basis = list(levels = 2), metric = diag(c(4, 10, 10, 10)))
  J <- matrix(0, 4, 4)
  J[2:4, 2:4] <- rbind(c(4, 1, 2), c(1, 6, 0.5), c(2, 0.5, 1))
  N <- flat_directions_of(model, J, 1e-4)
  expect_identical(dim(N), c(4L, 2L))
  expect_equal(N[, 1], c(sqrt(10 / 4), 0, 0, 0))
  expect_equal(N[, 2] / N[4, 2], c(0, -0.5, 0, 1), tolerance = 1e-12)
  expect_equal(sum(N[3:4, 2]^2), 1)
  # Nothing is flat, and nothing but levels.
  expect_identical(dim(flat_directions_of(model, diag(4), 1e-4)), c(4L, 0L))
  model$metric <- diag(c(4, 10))
  expect_equal(flat_directions_of(model, diag(c(0, 5)), 1e-4), cbind(c(sqrt(10 / 4), 0)))
})

test_that("a climb has the number of steps of its model, and a rough one may have more", {
  model <- group_model(c(16, 6, 2))
  model$steps <- 1
  start <- group_point(model, c(-3, 3, 2))
  expect_identical(climb(model, start)$steps, 1)
  rough <- climb(model, start, is_rough = TRUE)
  expect_gt(rough$steps, 1)
  # Its promise is a thousandth of the log-likelihood; the maximum is that of each group's share.
  top <- sum(dbinom(c(16, 6, 2), c(40, 12, 8), c(16, 6, 2) / c(40, 12, 8), log = TRUE)) - sum(lchoose(c(40, 12, 8), c(16, 6, 2)))
  expect_lt(top - rough$value, 2e-3)
})
