# The parameters that are infinite at a maximum, with their signs, and the variances of the finite
# ones (inst/mathematics/maxima.md).

# The limits of the parameters at the point b of a maximum:
#   flat           the changes of the parameters along the flat directions, a column each
#   infinite       is the parameter infinite?
#   point          the parameters at b, which are finite
#   coefficients   the same with Inf, -Inf and NA
#   contrast_vcov  the covariance of finite combinations of parameters
#   observed, expected  the covariances of the finite parameters, NA for the others
# A parameter with the derivative c is +Inf if c is in the cone of the rows at infinity, -Inf if -c
# is (Farkas). If neither is, its sign is not determined: NA.
limits_of <- function(model, b) {
  value <- regress_value(model, b)
  prior <- model$prior %||% 0
  N <- flat_directions_of(model, value$observed + prior, 1e-9)
  hidden <- tcrossprod(model$metric %*% N) / sum(model$data$weight)
  slope <- model$slope(b)
  inverse <- function(J) {
    none <- matrix(NA_real_, model$size, model$size)
    V <- tryCatch(invert_positive(J + prior + hidden), error = function(e) none)
    slope %*% V %*% t(slope)
  }
  flat <- slope %*% N
  infinite <- is_flat(slope, flat)
  signs <- numeric(nrow(slope))
  if (any(infinite)) {
    predictors <- model$unbounded(b, N)
    cone <- infinite_cone(predictors$move, predictors$eta)
    signs[infinite] <- cone_signs(cone, flat[infinite, , drop = FALSE])
  }
  without_infinite <- function(V) replace(V, outer(infinite, infinite, `|`), NA)
  point <- model$natural(b)
  contrast_vcov <- inverse(value$observed)
  list(
    flat = flat,
    infinite = infinite,
    point = point,
    coefficients = ifelse(infinite, signs * Inf, point),
    contrast_vcov = contrast_vcov,
    observed = without_infinite(contrast_vcov),
    expected = without_infinite(inverse(value$expected))
  )
}

# Does a parameter change along flat directions?
is_flat <- function(slope, moves) rowSums(moves^2) > 1e-14 * rowSums(slope^2)

invert_positive <- function(matrix) {
  scale <- 1 / sqrt(diag(matrix))
  inverse <- chol2inv(chol(matrix * outer(scale, scale))) * outer(scale, scale)
  (inverse + t(inverse)) / 2
}

# The maximum of rr_glm() with its limits in the coordinates of x. The unknown number follows from
# its logit; `flat` is NULL if no coefficient is infinite.
describe_maximum <- function(maximum) {
  model <- maximum$model
  columns <- seq_len(ncol(model$data$x))
  limits <- limits_of(model, maximum$b)
  infinite <- limits$infinite[columns]
  psi <- limits$point[-columns]
  index <- c(model$basis$keep, length(columns) + seq_along(psi))
  scale <- c(rep(1, length(columns)), psi * (1 - psi))
  scale[-index] <- NA
  scaled <- function(V) V * outer(scale, scale)
  psi <- ifelse(limits$infinite[-columns], round(psi), psi)
  parameters <- c(maximum$b[seq_len(model$k)], psi)
  value <- regress_value(model, parameters, natural = TRUE)
  c(maximum, list(
    coefficients = replace(limits$coefficients[columns], -model$basis$keep, NA),
    infinite = infinite,
    point = limits$point[columns],
    flat = if (any(infinite)) limits$flat[columns, , drop = FALSE],
    parameter = psi,
    variance = list(observed = scaled(limits$observed), expected = scaled(limits$expected)),
    contrast_vcov = scaled(limits$contrast_vcov),
    loglik = value$value
  ))
}

# The rows at infinity, as directions of their signs, each once.
infinite_cone <- function(move, eta) {
  size <- sqrt(rowSums(move^2))
  used <- size > 1e-7
  unique(
    round(
      move[used, , drop = FALSE] *
        (sign(eta[used]) / size[used]),
      12
    )
  )
}

# The signs of the rows of `directions` that lie in the cone, or whose opposite does: 1, -1 or NA.
cone_signs <- function(cone, directions) {
  apply(directions, 1, function(direction) {
    if (in_cone(cone, direction)) {
      1
    } else if (in_cone(cone, -direction)) {
      -1
    } else {
      NA_real_
    }
  })
}

# Is `direction` a combination of the rows of `cone` with weights of at least 0? The weights x solve
# non-negative least squares (Lawson and Hanson 1974, Solving Least Squares Problems, chapter 23).
in_cone <- function(cone, direction) {
  A <- t(cone)
  direction <- direction / sqrt(sum(direction^2))
  x <- numeric(ncol(A))
  used <- logical(ncol(A))
  residual <- direction
  for (count in seq_len(3 * ncol(A))) {
    gain <- drop(crossprod(A, residual))
    gain[used] <- -Inf
    if (sum(residual^2) < 1e-14 || max(gain) < 1e-9) break
    used[which.max(gain)] <- TRUE
    repeat {
      z <- numeric(ncol(A))
      z[used] <- qr.coef(qr(A[, used, drop = FALSE]), direction)
      z[is.na(z)] <- 0
      bad <- used & z <= -1e-12
      if (!any(bad)) break
      x <- x + min(x[bad] / (x[bad] - z[bad])) *
        (z - x)
      used <- used & x > 1e-12
    }
    x <- z
    residual <- direction - drop(A %*% x)
  }
  sum(residual^2) < 1e-12
}

# The linear predictor of rows: finite, infinite where the fit determines the sign, else NA.
limit_predictor <- function(fit, x, offset = NULL) {
  eta <- predictor_of(x, fit$point, offset)
  if (is.null(fit$flat)) return(eta)
  move <- x %*% fit$flat
  out <- which(rowSums(move^2) > 1e-14)
  if (!length(out)) return(eta)
  seen <- fit$prior.weights > 0
  rows <- model.matrix(fit)[seen, , drop = FALSE]
  cone <- infinite_cone(
    rows %*% fit$flat, predictor_of(rows, fit$point, fit$offset[seen])
  )
  kinds <- round(move[out, , drop = FALSE], 9)
  key <- do.call(paste, as.data.frame(kinds))
  first <- !duplicated(key)
  eta[out] <- (cone_signs(cone, kinds[first, , drop = FALSE]) * Inf)[
    match(key, key[first])
  ]
  eta
}
