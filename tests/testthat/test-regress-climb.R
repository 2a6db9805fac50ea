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
    environment(climb_to_infinity) <- list2env(parent = environment(climb_to_infinity), list(
      further_points = function(model, maximum) if (length(from) < rounds) rbind(1:12, maximum$b),
      loglik_at = function(model, points) heights[points[1, ]],
      climb = function(model, start) {
        from <<- c(from, start[1])
        list(points = cbind(start[2] + 1, NA), value = value, decrement = 0.5)
      }
    ))
    climb_to_infinity(list(), list(b = 0, value = 0, decrement = 9, steps = 4))
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
  environment(climb_inside) <- list2env(parent = environment(climb_inside), list(with_kernel = function(model, barrier) {
    barriers <<- c(barriers, barrier)
    with_kernel(model, barrier)
  }))
  inside <- climb_inside(model, pressed, start)
  expect_equal(barriers, 10^-(2:11) * 60 / 5)
  expect_equal(as.vector(inside$value), top, tolerance = 1e-9)
  expect_equal(as.vector(inside$value), as.vector(loglik_at(model, inside$b)))
  expect_equal(exp(group_eta(model, cbind(inside$b))), cbind(c(0.4, 1, 0.25)), tolerance = 1e-5)
  expect_identical(inside[c("decrement", "steps")], pressed[c("decrement", "steps")])
  # What is higher already stays.
  higher <- list(b = 1:3, value = top + 1)
  expect_identical(climb_inside(model, higher, start), higher)
})
