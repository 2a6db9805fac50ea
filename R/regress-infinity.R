# Estimates at infinity: the likelihood is bounded there, so its supremum is a number. Along the direction in which the
# climb ran away, rows get a truth of 0 or 1 exactly; the others keep a finite fit of what they can still tell
# (Geyer 2009, the limiting conditional model).

infinite_maximum <- function(data, basis, fits) {
  limits <- lapply(fits, function(fit) limit_of(data, basis, fit))
  values <- vapply(limits, `[[`, 0, "value")
  best <- which.max(values)
  list(fit = fits[[best]], limit = limits[[best]], values = values)
}

# eta = offset + x b, where x d is 0 for the rows of the limit; the other rows are at sign(x d) times infinity.
limit_of <- function(data, basis, fit) {
  k <- basis$rank
  step <- fit$step[seq_len(k)]
  change <- as.vector(basis$z %*% step)
  eta <- predictor_of(basis$z, fit$at[seq_len(k)], data$offset)
  curve <- truth_curve(data$link)
  extreme <- ifelse(change < 0, curve$yes(eta), curve$no(eta)) < 1e-3
  top <- max(abs(change))
  moving <- top > 0 & abs(change) > 1e-4 * top & extreme
  columns <- ncol(data$x)
  if (!any(moving)) {
    # The climb only stalled: its last point is the estimate.
    return(list(value = fit$value, moving = moving, direction = NULL, coefficients = unscale(basis, fit$at[seq_len(k)],
                                                                                             columns),
                vcov = matrix(NA_real_, columns, columns), infinite = logical(columns),
                parameter = fit$at[-seq_len(k)]))
  }
  device <- if (is.null(data$unknown)) data$device else unknown_at(data$unknown, fit$at[k + 1])
  row <- row_device(device, data$arm, length(data$y))
  m <- ifelse(change > 0, row$p, row$q)[moving]
  y <- data$y[moving]
  fixed <- sum(data$weight[moving] * (ifelse(y > 0, y * log(m), 0) + ifelse(y < 1, (1 - y) * log1p(-m), 0)))
  direction <- unscale(basis, step, columns)
  inner <- NULL
  rest <- take_rows(data, which(!moving))
  used <- basis$keep
  if (any(!moving) && is.null(data$unknown)) {
    inner <- regress_maximum(rest, starts = 3)
    part <- inner_result(inner, columns)
    lost <- null_space(rest$x[, used, drop = FALSE])
  } else {
    part <- list(coefficients = numeric(columns), vcov = matrix(NA_real_, columns, columns), value = 0,
                 infinite = logical(columns),
                 directions = list(), signs = numeric(columns))
    lost <- diag(length(used))
  }
  undetermined <- rep(FALSE, columns)
  undetermined[used] <- rowSums(abs(lost)) > 1e-7
  size <- abs(direction) * sqrt(colMeans(data$x^2))
  sign <- ifelse(undetermined & size > 1e-4 * max(size), base::sign(direction), 0)
  list(value = fixed + part$value, moving = moving, coefficients = part$coefficients, vcov = part$vcov,
       directions = c(list(direction), part$directions), undetermined = undetermined | part$infinite,
       signs = ifelse(sign != 0, sign, part$signs), parameter = fit$at[-seq_len(k)])
}

inner_result <- function(inner, columns) {
  if (!is.null(inner$limit)) {
    limit <- inner$limit
    return(list(coefficients = limit$coefficients, vcov = limit$vcov, value = limit$value,
                infinite = limit$undetermined %||% logical(columns), directions = limit$directions,
                signs = limit$signs))
  }
  b <- unscale(inner$basis, inner$fit$at, columns)
  value <- regress_value(regress_in(inner), inner$fit$at)
  V <- invert(value$observed)
  V <- if (is.null(V)) matrix(NA_real_, columns, columns) else unscale_matrix(inner$basis, V, columns)
  list(coefficients = b, vcov = V, value = inner$fit$value, infinite = logical(columns), directions = list(),
       signs = numeric(columns))
}

# The data of a maximum, in its own basis.
regress_in <- function(maximum) {
  data <- maximum$data
  data$x <- maximum$basis$z
  data
}

# Orthonormal columns that x takes to 0.
null_space <- function(x) {
  k <- ncol(x)
  scale <- sqrt(colSums(x^2))
  scale[scale == 0] <- 1
  parts <- svd(x / rep(scale, each = nrow(x)), nu = 0, nv = k)
  value <- c(parts$d, numeric(k - length(parts$d)))
  parts$v[, value <= 1e-9 * max(value, 1e-300), drop = FALSE]
}

# The linear predictor of new rows under a limit: infinite where a direction says so.
limit_predictor <- function(x, coefficients, directions, offset = NULL) {
  eta <- predictor_of(x, coefficients, offset)
  open <- rep(TRUE, length(eta))
  for (direction in directions) {
    change <- as.vector(x %*% direction)
    gone <- open & abs(change) > 1e-6 * max(1e-300, sqrt(sum(direction^2)) * sqrt(max(rowSums(x^2))))
    eta[gone] <- sign(change[gone]) * Inf
    open <- open & !gone
  }
  eta
}
