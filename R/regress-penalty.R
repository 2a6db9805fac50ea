# Estimates with less bias, and always finite ones. "bias" and "jeffreys" solve an adjusted score equation; only
# Jeffreys' is the gradient of something (inst/mathematics/regression.md 6.1). "prior" is climbed like the likelihood.

penalised_maximum <- function(data, penalty, starts) {
  if (!is.null(data$unknown)) {
    abort(c("{.arg penalty} must be {.val none} or {.val prior} for designs with an unknown number.",
            x = "It is {.val {penalty}}."), "argument")
  }
  model <- regress_model(collapse_rows(data))
  data <- model$data
  z <- model$z
  points <- regress_starts(model, starts)
  points <- points[, seq_len(min(4, ncol(points))), drop = FALSE]
  # The determinant of the information is one of the columns as they are, not as they were made orthogonal.
  shift <- if (penalty == "jeffreys") sum(log(abs(diag(model$basis$back)))) else 0
  fits <- apply(points, 2, function(at) climb_penalised(data, z, at, penalty, shift), simplify = FALSE)
  done <- vapply(fits, `[[`, NA, "finite")
  if (!any(done)) {
    abort(c("The penalised estimate was not found.", x = "No start led to a solution.",
            i = "Use {.code penalty = \"prior\"}."), "stalled")
  }
  values <- vapply(fits, `[[`, 0, "value")
  # Where there are several roots, that of the first start that leads to one; of Jeffreys' the highest.
  best <- if (penalty == "jeffreys") which(done)[which.max(values[done])] else which(done)[1]
  c(fits[[best]], list(model = model, values = values))
}

# The precision of a weak normal prior: standard deviation 2.5 for slopes per standard deviation of a column, or per
# step of one with two values, 5 for the intercept at the mean of the columns (the lower of two values).
prior_precision <- function(data) {
  x <- data$x
  w <- data$weight / sum(data$weight)
  mean <- colSums(w * x)
  low <- apply(x, 2, min)
  range <- apply(x, 2, max) - low
  two <- colSums(x != rep(low, each = nrow(x)) & x != rep(low + range, each = nrow(x))) == 0
  constant <- range == 0
  scale <- ifelse(two, range, sqrt(colSums(w * (x - rep(mean, each = nrow(x)))^2)))
  P <- diag((scale / 2.5)^2, ncol(x))
  if (any(constant)) {
    middle <- ifelse(constant, x[1, ], ifelse(two, low, mean))
    P <- P + tcrossprod(middle) / 25
  }
  P
}

climb_penalised <- function(data, z, b, penalty, shift = 0) {
  here <- penalised_state(data, z, b, penalty)
  longest <- 1
  end <- function(finite) list(b = b, value = here$value - shift, finite = finite, decrement = rise, steps = step)
  for (step in seq_len(500)) {
    if (is.null(here)) return(list(b = b, value = -Inf, finite = FALSE, decrement = NA_real_, steps = step))
    direction <- as.vector(here$V %*% here$score)
    rise <- sum(direction * here$score) / 2
    reach <- max(abs(z %*% direction))
    if (rise <= 1e-24) return(end(TRUE))
    # Scoring gets slow where it should end: Newton's step for the equation, by differences, once it is near.
    if (reach < 0.3) {
      newton <- penalised_step(data, z, b, penalty, here)
      trial <- if (!is.null(newton)) penalised_state(data, z, b + newton, penalty)
      if (!is.null(trial) && score_length(trial, here) < 0.5 * score_length(here, here)) {
        b <- b + newton
        here <- trial
        next
      }
    }
    t <- min(1, longest / reach)
    trial <- penalised_state(data, z, b + t * direction, penalty)
    # The bias-reducing equation is no gradient: a step that lengthens the score is shortened.
    halvings <- 0
    while (halvings < 30 && !better(trial, here, penalty, rise, t)) {
      t <- t / 2
      trial <- penalised_state(data, z, b + t * direction, penalty)
      halvings <- halvings + 1
    }
    if (halvings == 30) return(end(rise < 1e-13 * max(1, abs(here$value))))
    b <- b + t * direction
    here <- trial
  }
  end(rise < 1e-10)
}

score_length <- function(state, here) sum(state$score * (here$V %*% state$score))

penalised_step <- function(data, z, b, penalty, here) {
  jacobian <- vapply(seq_along(b), function(k) {
    h <- replace(numeric(length(b)), k, 1e-5)
    up <- penalised_state(data, z, b + h, penalty)
    down <- penalised_state(data, z, b - h, penalty)
    if (is.null(up) || is.null(down)) rep(NA_real_, length(b)) else (up$score - down$score) / 2e-5
  }, numeric(length(b)))
  step <- tryCatch(-solve(jacobian, here$score), error = function(e) NULL)
  if (is.null(step) || !all(is.finite(step)) || max(abs(z %*% step)) > 3) NULL else step
}

better <- function(trial, here, penalty, rise, t) {
  if (is.null(trial)) return(FALSE)
  if (penalty == "jeffreys") return(trial$value >= here$value + 1e-4 * t * rise - 1e-12 * (1 + abs(here$value)))
  t <= 0.25 || score_length(trial, here) <= score_length(here, here) * (1 + 1e-8)
}

# Adjusted score, expected variance and (penalised) log-likelihood; NULL outside the domain.
penalised_state <- function(data, z, b, penalty) {
  eta <- predictor_of(z, b, data$offset)
  if (!inside_link(eta, data$link)) return(NULL)
  rows <- regress_rows(eta, data$y, data$arm, data$device, data$link)
  w <- data$weight * rows$expected
  information <- crossprod(z, w * z)
  root <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(root)) return(NULL)
  V <- chol2inv(root)
  leverage <- w * rowSums((z %*% V) * z)
  d <- row_device(data$device, data$arm, length(data$y))$d
  bend <- rows$bend / rows$slope
  if (penalty == "jeffreys") {
    bend <- 2 * bend - d * rows$slope * (rows$report_no - rows$report) / (rows$report * rows$report_no)
  }
  bend[!is.finite(bend)] <- 0
  value <- sum(data$weight * rows$loglik) + if (penalty == "jeffreys") sum(log(diag(root))) else 0
  if (!is.finite(value)) return(NULL)
  list(score = as.vector(crossprod(z, data$weight * rows$score + 0.5 * leverage * bend)), V = V, value = value)
}
