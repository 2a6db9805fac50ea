# Penalties by their definitions: the score that each adds, and the prior's precision.

penalty_case <- function(link = "logit") {
  withr::local_seed(82)
  n <- 50
  data <- list(x = cbind(1, round(rnorm(n), 1), rep_len(0:1, n)), y = rep_len(c(0, 1, 1, 0, 1), n), weight = rep_len(c(1, 2, 1.5), n),
    offset = rep_len(c(0, 0.2), n),
               device = cbind(c(0.9, 0.15, 0.1, 0.85, 0.75)), arm = NULL, link = link, unknown = NULL)
  curve <- stats::make.link(link)
  list(data = data, model = regress_model(data), curve = curve)
}

# The log-likelihood, information and report in the coordinates of the model.
penalty_parts <- function(case, b) {
  d <- case$data
  eta <- drop(case$model$z %*% b) + d$offset
  report <- 0.15 + 0.75 * case$curve$linkinv(eta)
  slope <- 0.75 * case$curve$mu.eta(eta)
  weight <- d$weight * slope^2 / (report * (1 - report))
  list(loglik = sum(d$weight * (d$y * log(report) + (1 - d$y) * log(1 - report))), information = crossprod(case$model$z * weight, case$model$z),
    report = report, slope = slope, eta = eta)
}

test_that("Jeffreys' penalty is half the logarithm of the determinant; its score is the gradient", {
  b <- c(0.2, -0.4, 0.3)
  for (link in c("logit", "probit", "cloglog")) {
    case <- penalty_case(link)
    value <- function(b) {
      parts <- penalty_parts(case, b)
      parts$loglik + as.vector(determinant(parts$information)$modulus) / 2
    }
    state <- penalized_state(case$model, b, "jeffreys")
    expect_equal(state$value, value(b), tolerance = 1e-10)
    expect_equal(state$equation, difference_gradient(value, b), tolerance = 1e-5)
    expect_equal(state$equation, colSums(state$psi))
    expect_equal(state$slope, -stats::optimHess(b, value, control = list(ndeps = rep(1e-3, 3))), tolerance = 1e-3)
    expect_equal(state$V, solve(penalty_parts(case, b)$information), tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(state$fallback, penalty_parts(case, b)$information, tolerance = 1e-8, ignore_attr = TRUE)
    expect_identical(names(penalized_state(case$model, b, "jeffreys", 0L)), "value")
  }
})

test_that("the adjusted score of least bias is Firth's: leverage times half the bend of the report over its slope", {
  b <- c(0.2, -0.4, 0.3)
  for (link in c("logit", "cloglog")) {
    case <- penalty_case(link)
    parts <- penalty_parts(case, b)
    z <- case$model$z
    d <- case$data
    weight <- d$weight * parts$slope^2 / (parts$report * (1 - parts$report))
    leverage <- weight * rowSums((z %*% solve(parts$information)) * z)
    bend <- 0.75 * (case$curve$mu.eta(parts$eta + 1e-5) - case$curve$mu.eta(parts$eta - 1e-5)) / 2e-5
    score <- d$weight * (d$y - parts$report) / (parts$report * (1 - parts$report)) * parts$slope
    expect_equal(penalized_state(case$model, b, "bias")$equation, colSums(z * (score + leverage * bend / parts$slope / 2)), tolerance = 1e-6,
      ignore_attr = TRUE)
    adjusted <- function(b) penalized_state(case$model, b, "bias")$equation
    expect_equal(penalized_state(case$model, b, "bias")$slope, -difference_gradient(adjusted, b), tolerance = 1e-6, ignore_attr = TRUE)
    solved <- penalized_maximum(case$model, "bias", cbind(b))
    expect_lt(max(abs(penalized_state(case$model, solved$b, "bias")$equation)), 1e-5)
    top <- penalized_maximum(case$model, "jeffreys", cbind(b))
    expect_lt(max(abs(penalized_state(case$model, top$b, "jeffreys")$equation)), 1e-4)
    # The reported height has the determinant of the user's columns.
    parts <- penalty_parts(case, top$b)
    user <- solve(case$model$basis$back)
    expect_equal(top$value, parts$loglik + as.vector(determinant(t(user) %*% parts$information %*% user)$modulus) / 2, tolerance = 1e-8)
  }
  # Outside the range of a bounded link there is no value.
  case <- penalty_case("log")
  expect_identical(penalized_state(case$model, c(5 / case$model$z[1, 1], 0, 0), "jeffreys"), list(value = -Inf, equation = c(NA_real_, NA, NA)))
})

test_that("the prior: 2.5 standard deviations of a column or steps of two values, 5 of the intercept at the mean", {
  data <- list(x = cbind(1, c(1, 2, 4, 9), c(3, 3, 7, 7)), weight = c(1, 2, 1, 2))
  w <- data$weight / 6
  mean <- sum(w * data$x[, 2])
  sd <- sqrt(sum(w * (data$x[, 2] - mean)^2))
  # Minus twice the log density of slopes, and of the linear predictor at the mean and at the lower value.
  center <- c(1, mean, 3)
  expect_equal(prior_precision(data), diag(c(0, (sd / 2.5)^2, (4 / 2.5)^2)) + tcrossprod(center) / 25, tolerance = 1e-12)
  # Without an intercept there is none at the mean.
  data$x <- data$x[, -1]
  expect_equal(prior_precision(data), diag(c((sd / 2.5)^2, (4 / 2.5)^2)), tolerance = 1e-12)
})

test_that("equations are solved by Newton's method with halved steps, or refused", {
  # x = cos(x), from a start whose full step leads away.
  evaluate <- function(b) list(equation = cos(b) - b, slope = matrix(sin(b) + 1), psi = matrix(1))
  expect_equal(solve_moments(evaluate, 4)$b, uniroot(function(x) cos(x) - x, c(0, 1), tol = 1e-12)$root, tolerance = 1e-9)
  expect_refused(solve_moments(function(b) list(equation = 1 + b^2, slope = matrix(-2 * b), psi = matrix(1)), 1))
  expect_refused(solve_moments(function(b) list(equation = 1, slope = matrix(0), psi = matrix(1)), 1))
  # Not even if they are met where they have no slope, and not where 2 + sin(b) is least.
  expect_refused(solve_moments(function(b) list(equation = 0, slope = matrix(0), psi = matrix(1)), 1),
                 solve_moments(function(b) list(equation = 2 + sin(b), slope = matrix(-cos(b)), psi = matrix(1)), 0))
  # Full steps of atan(b) = 0 lead from 3 further and further away; the logarithm has none below 0.
  damped <- solve_moments(function(b) list(equation = -atan(b), slope = matrix(1 / (1 + b^2)), psi = matrix(1)), 3)
  expect_lt(abs(damped$b), 1e-6)
  two <- function(b) list(equation = c(if (b[1] > 0) -log(b[1]) else NaN, 3 - b[2]), slope = diag(c(1 / b[1], 1)), psi = diag(2))
  expect_equal(solve_moments(two, c(4, 1))$b, c(1, 3), tolerance = 1e-6)
  # Each equation has a unit of its own.
  root <- uniroot(function(x) cos(x) - x, c(0, 1), tol = 1e-14)$root
  for (unit in c(1e-12, 1, 1e12)) {
    both <- function(b) {
      list(equation = c(unit * (cos(b[1]) - b[1]), exp(1) - exp(b[2])), slope = diag(c(unit * (sin(b[1]) + 1), exp(b[2]))),
           psi = rbind(c(0, 1), c(unit, 0), c(0, 1)))
    }
    expect_equal(solve_moments(both, c(4, 0))$b, c(root, 1), tolerance = 1e-9)
  }
  # Linear equations are solved by one step, in any unit.
  for (unit in c(1e-9, 1, 1e9)) {
    evaluated <- NULL
    linear <- function(b) {
      evaluated <<- c(evaluated, b)
      list(equation = unit * (6 - 2 * b), slope = matrix(2 * unit), psi = matrix(unit))
    }
    expect_equal(solve_moments(linear, 1)$b, 3)
    expect_equal(evaluated, c(1, 3))
  }
})

test_that("a normal prior of coefficients leaves an unknown number without one: the penalized likelihood written out", {
  data <- data.frame(
    y = rep(c("no", "yes"), c(50, 40)), sample = rep(c("a", "b"), 45), x = rep(c(-1, 0.5, 2), 30)
  )
  mechanisms <- list(a = rr_unrelated(0.7, pi = NULL), b = rr_unrelated(0.3, pi = NULL))
  fit <- rr_glm(y ~ x, data, mechanisms, arm = sample, penalty = "prior")
  prior <- prior_precision(list(x = cbind(1, data$x), weight = rep(1, 90), link = "logit"))
  # P(yes) = p truth + (1 - p) innocuous.
  p <- ifelse(data$sample == "a", 0.7, 0.3)
  value <- function(b) {
    report <- p * plogis(b[1] + b[2] * data$x) + (1 - p) * plogis(b[3])
    sum(log(ifelse(data$y == "yes", report, 1 - report))) - sum(b[1:2] * (prior %*% b[1:2])) / 2
  }
  at <- c(unname(coef(fit)), qlogis(as.vector(fit$parameter)))
  expect_lt(max(abs(difference_gradient(value, at))), 1e-4)
})

test_that("the highest of three climbs, each value once; the least bias promises half of a quadratic form", {
  model <- list(basis = list(back = diag(c(2, 3))))
  climbed <- NULL
  maximum <- function(penalty) {
    with_calls(penalized_maximum, jeffreys_likelihood = identity,
      climb = function(model, points) {
        climbed <<- points
        list(value = c(-7, -5, -5 - 1e-8), points = points + 1, steps = 4:6, decrement = c(0.1, 0.2, 0.3))
      },
      solve_moments = function(state, b, remedy) list(b = 2 * b, value = -9, equation = c(1, 2), V = diag(c(2, 3)))
    )(model, penalty, rbind(1:5, 6:10))
  }
  top <- maximum("jeffreys")
  expect_identical(climbed, rbind(1:3, 6:8))
  # The user's columns have 1 / 6 of the determinant's root.
  expect_equal(top, list(b = c(3, 8), value = -5 - log(6), values = c(-7, -5) - log(6), steps = 5L, model = model, decrement = 0.2))
  expect_equal(maximum("bias"), list(b = c(6, 16), value = -9, values = -9, steps = 5L, model = model, decrement = (2 + 12) / 2))
})
