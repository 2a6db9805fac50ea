# Penalties of rr_glm() give estimates with less bias, and always finite ones. "bias" and "jeffreys"
# solve an adjusted score equation; Jeffreys' alone is the gradient of a function
# (inst/mathematics/regression.md 6.1). "prior" is climbed like the likelihood.

# The precision of a weak normal prior, a matrix. The standard deviation of slopes is 2.5 per
# standard deviation of a column, or per step of a column of two values. It is 5 for the intercept
# at the mean of the columns (the lower of two values).
prior_precision <- function(data) {
  x <- data$x
  w <- data$weight / sum(data$weight)
  mean <- colSums(w * x)
  low <- apply(x, 2, min)
  range <- apply(x, 2, max) - low
  is_between <- x != rep(low, each = nrow(x)) &
    x != rep(low + range, each = nrow(x))
  two <- colSums(is_between) == 0
  constant <- range == 0
  std_dev <- sqrt(
    colSums(w * (x - rep(mean, each = nrow(x)))^2)
  )
  scale <- ifelse(two, range, std_dev)
  P <- diag((scale / 2.5)^2, ncol(x))
  if (any(constant)) {
    middle <- ifelse(constant, x[1, ], ifelse(two, low, mean))
    P <- P + tcrossprod(middle) / 25
  }
  P
}

penalized_maximum <- function(model, penalty, points) {
  climbed <- climb(
    jeffreys_likelihood(model),
    points[, seq_len(min(3, ncol(points))), drop = FALSE]
  )
  best <- which.max(climbed$value)
  if (!is.finite(climbed$value[best])) abort("No start has a finite likelihood.", "stalled")
  b <- climbed$points[, best]
  if (penalty == "bias") {
    state <- function(b) penalized_state(model, b, penalty)
    remedy <- "Penalties that have a maximum are {.val jeffreys} and {.val prior}."
    solved <- solve_moments(state, b, remedy)
    return(list(
      b = solved$b,
      value = solved$value,
      values = solved$value,
      steps = climbed$steps[best],
      model = model,
      decrement = sum(solved$equation * (solved$V %*% solved$equation)) / 2
    ))
  }
  # The determinant of the information is that of the user's columns, not of the orthogonal ones.
  values <- climbed$value[is.finite(climbed$value)] -
    sum(log(abs(diag(model$basis$back))))
  list(
    b = b,
    value = max(values),
    values = values[!duplicated(round(values, 6))],
    steps = climbed$steps[best],
    model = model,
    decrement = climbed$decrement[best]
  )
}

# The model of Jeffreys' penalty that is climbed, see new_likelihood().
jeffreys_likelihood <- function(model) {
  evaluate <- function(b, need) {
    state <- penalized_state(model, b, "jeffreys", need)
    list(
      value = state$value,
      gradient = state$equation,
      observed = state$slope,
      fallback = state$fallback
    )
  }
  list(kernel = list(evaluate = evaluate, reach = model$reach, metric = model$metric))
}

# The state of the adjusted score equation at b; the value alone if `need` is 0, or -Inf outside the
# domain:
#   value     the log-likelihood, with Jeffreys' penalty
#   equation  the adjusted score
#   slope     minus its derivative by differences
#   fallback  the expected information
#   psi       the adjusted score of each row
#   V         the variance, the inverse of the information
penalized_state <- function(model, b, penalty, need = 1L, slope = need > 0L) {
  data <- model$data
  none <- list(value = -Inf, equation = NA * b)
  eta <- predictor_of(model$z, b, data$offset)
  if (!inside_link(eta, data$link)) return(none)
  rows <- data_rows(data, eta)
  w <- data$weight * rows$expected
  information <- crossprod(model$z, w * model$z)
  root <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(root)) return(none)
  value <- sum(data$weight * rows$loglik) +
    if (penalty == "jeffreys") sum(log(diag(root))) else 0
  if (need == 0L || !is.finite(value)) return(list(value = value))
  V <- chol2inv(root)
  leverage <- w * rowSums((model$z %*% V) * model$z)
  psi <- model$z *
    (data$weight * rows$score + 0.5 * leverage * penalty_bend(data, rows, penalty))
  change <- if (slope) penalty_slope(model, b, penalty)
  list(
    value = value,
    equation = colSums(psi),
    slope = change %||% information,
    fallback = information,
    psi = psi,
    V = V
  )
}

# Minus the derivative of the adjusted score, by differences; NULL outside the domain.
penalty_slope <- function(model, b, penalty) {
  near <- function(k, h) {
    b[k] <- b[k] + h
    penalized_state(model, b, penalty, slope = FALSE)$equation
  }
  change <- vapply(
    seq_along(b), function(k) near(k, -1e-5) - near(k, 1e-5),
    numeric(length(b))
  ) / 2e-5
  if (all(is.finite(change))) {
    if (penalty == "jeffreys") (change + t(change)) / 2 else change
  }
}

# Twice the score that a unit of leverage adds to a row.
penalty_bend <- function(data, rows, penalty) {
  bend <- rows$bend / rows$slope
  if (penalty == "jeffreys") {
    d <- row_devices(data)$d
    bend <- 2 * bend - d * rows$slope * (rows$report_no - rows$report) /
      (rows$report * rows$report_no)
  }
  ifelse(is.finite(bend), bend, 0)
}

# The solution of equations by Newton's method: `b` with their state. Steps that do not bring them
# nearer to 0 are halved, and linear equations are solved by the first.
solve_moments <- function(evaluate, b, remedy = NULL) {
  state <- evaluate(b)
  scale <- 1 / sqrt(pmax(colSums(state$psi^2), 1e-300))
  size <- function(state) sum((state$equation * scale)^2)
  for (iteration in seq_len(50)) {
    step <- tryCatch(
      solve(state$slope, state$equation, tol = 1e-14), error = function(e) NULL
    )
    if (is.null(step)) break
    for (share in 0.5^(0:27)) {
      further <- evaluate(b + share * step)
      is_better <- all(is.finite(further$equation)) &&
        size(further) < (1 - 1e-4 * share) * size(state)
      if (is_better) break
    }
    if (!is_better) break
    b <- b + share * step
    state <- further
    if (size(state) < 1e-26) break
  }
  if (!is.null(step) && size(state) < 1e-12) {
    return(c(list(b = b), state))
  }
  abort(c("The equations do not determine the coefficients.", i = remedy))
}
