# What is infinite at a maximum, with its sign, and the variances of what is finite
# (inst/mathematics/maxima.md).

# What is infinite at an end (Farkas): a parameter with the derivative c is +Inf if c is in the cone
# of the rows at infinity, -Inf if -c is. If neither is, its sign is not determined: NA. Finite ones
# keep their variance.
limits_of <- function(model, b) {
  value <- regress_value(model, b)
  M <- metric(model)
  prior <- model$prior %||% 0
  N <- flat_directions_of(model, value$observed + prior, 1e-9, M)
  hidden <- tcrossprod(M %*% N) / sum(model$data$weight)
  to <- model$slope(b)
  inverse <- function(J) {
    V <- tryCatch(invert_positive(J + prior + hidden), error = function(e) {
      matrix(NA_real_, model$size, model$size)
    })
    to %*% V %*% t(to)
  }
  part <- to %*% N
  infinite <- flat_parameters(to, part)
  signs <- numeric(nrow(to))
  if (any(infinite)) {
    at <- model$rows(b, N)
    signs[infinite] <- cone_signs(
      infinite_cone(at$move, at$eta), part[infinite, , drop = FALSE]
    )
  }
  finite <- function(V) replace(V, outer(infinite, infinite, `|`), NA)
  point <- model$natural(b)
  whole <- inverse(value$observed)
  list(
    value = value,
    part = part,
    infinite = infinite,
    point = point,
    coefficients = ifelse(infinite, signs * Inf, point),
    contrast_vcov = whole,
    observed = finite(whole),
    expected = finite(inverse(value$expected))
  )
}

# The parameters that change along flat directions.
flat_parameters <- function(to, part) rowSums(part^2) > 1e-14 * rowSums(to^2)

invert_positive <- function(matrix) {
  scale <- 1 / sqrt(diag(matrix))
  inverse <- chol2inv(chol(matrix * outer(scale, scale))) * outer(scale, scale)
  (inverse + t(inverse)) / 2
}

# The end of a fit of rr_glm(), in the coordinates of x. The unknown number follows from its logit.
describe_maximum <- function(fit) {
  model <- fit$model
  columns <- seq_len(ncol(model$data$x))
  found <- limits_of(model, fit$b)
  infinite <- found$infinite[columns]
  psi <- found$point[-columns]
  places <- c(model$basis$keep, length(columns) + seq_along(psi))
  scale <- c(rep(1, length(columns)), psi * (1 - psi))
  scale[-places] <- NA
  scaled <- function(V) V * outer(scale, scale)
  psi <- ifelse(found$infinite[-columns], round(psi), psi)
  raw <- if (length(psi)) {
    regress_value(
      model, c(fit$b[seq_len(model$k)], psi), natural = TRUE
    )
  } else {
    found$value
  }
  list(
    coefficients = replace(found$coefficients[columns], -model$basis$keep, NA),
    infinite = infinite,
    point = found$point[columns],
    flat = if (any(infinite)) found$part[columns, , drop = FALSE],
    parameter = psi,
    variance = list(observed = scaled(found$observed), expected = scaled(found$expected)),
    contrast_vcov = scaled(found$contrast_vcov),
    loglik = raw$value
  )
}

# The rows at infinity, as directions of their signs, each once.
infinite_cone <- function(move, eta) {
  size <- sqrt(rowSums(move^2))
  out <- size > 1e-7
  unique(
    round(
      move[out, , drop = FALSE] *
        (sign(eta[out]) / size[out]),
      12
    )
  )
}

# 1, -1 or NA for each row of `ways`.
cone_signs <- function(cone, ways) {
  apply(ways, 1, function(way) {
    if (in_cone(cone, way)) {
      1
    } else if (in_cone(cone, -way)) {
      -1
    } else {
      NA_real_
    }
  })
}

# Is `way` a combination of the rows of `cone` with weights of at least 0? Non-negative least
# squares (Lawson and Hanson 1974, Solving Least Squares Problems, ch. 23).
in_cone <- function(cone, way) {
  A <- t(cone)
  way <- way / sqrt(sum(way^2))
  x <- numeric(ncol(A))
  on <- logical(ncol(A))
  rest <- way
  for (count in seq_len(3 * ncol(A))) {
    gain <- drop(crossprod(A, rest))
    gain[on] <- -Inf
    if (sum(rest^2) < 1e-14 || max(gain) < 1e-9) break
    on[which.max(gain)] <- TRUE
    repeat {
      z <- numeric(ncol(A))
      z[on] <- qr.coef(qr(A[, on, drop = FALSE]), way)
      z[is.na(z)] <- 0
      bad <- on & z <= -1e-12
      if (!any(bad)) break
      x <- x + min(x[bad] / (x[bad] - z[bad])) *
        (z - x)
      on <- on & x > 1e-12
    }
    x <- z
    rest <- way - drop(A %*% x)
  }
  sum(rest^2) < 1e-12
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
