# The maximum of a likelihood that is not concave, and bounded at infinity (inst/mathematics/maxima.md). A point is
# always a finite b, and its log-likelihood is the value at b. An estimate at infinity is a point so far out that the
# value stands still; "-Inf" describes such a point.

# Climbs from the columns of `starts`, until a value of `enough` is reached.
climb <- function(model, starts, tolerance = 1e-11, steps = 300, enough = Inf) {
  found <- .Call(C_rr_regress_climb, model$parts, as.double(starts), c(tolerance, steps, enough))
  list(at = found$at, value = found$numbers[1, ], decrement = found$numbers[2, ], steps = found$numbers[3, ],
       pressed = found$numbers[4, ] == 1)
}

heights <- function(model, points) .Call(C_rr_regress_heights, model$parts, as.double(points))

# The largest change of a linear predictor.
reach <- function(model, step) {
  k <- seq_len(model$k)
  max(abs(model$z %*% step[k]), abs(step[-k]))
}

# X'WX, for an unknown number the sum of the weights.
metric <- function(model) {
  total <- sum(model$data$weight)
  M <- diag(total, model$size)
  k <- seq_len(model$k)
  if (model$basis$levels) M[k, k] <- crossprod(model$z, model$data$weight * model$z)
  M
}

information <- function(model, b) {
  J <- regress_value(model, b)$observed
  if (is.null(model$prior)) J else J + model$prior
}

# Directions in which the information J is below `least` of the metric, a column each; the mean square of their changes
# of the linear predictor is about 1.
flat_directions_of <- function(model, J, least, M = metric(model)) {
  G <- model$basis$levels
  total <- sum(model$data$weight)
  if (!G) {
    parts <- eigen(J / total, symmetric = TRUE)
    return(parts$vectors[, abs(parts$values) < least, drop = FALSE])
  }
  # Levels without information, then what the elimination of the others leaves.
  g <- seq_len(G)
  none <- g[diag(J)[g] < least * diag(M)[g]]
  use <- setdiff(g, none)
  half <- J[use, -g, drop = FALSE] / diag(J)[use]
  rest <- J[-g, -g, drop = FALSE] - crossprod(J[use, -g, drop = FALSE], half)
  parts <- eigen(rest / total, symmetric = TRUE)
  dense <- parts$vectors[, abs(parts$values) < least, drop = FALSE]
  N <- matrix(0, nrow(J), length(none) + ncol(dense))
  N[cbind(none, seq_along(none))] <- sqrt(total / diag(M)[none])
  late <- length(none) + seq_len(ncol(dense))
  N[use, late] <- -half %*% dense
  N[-g, late] <- dense
  N
}

# Goes on where the likelihood is flat, as long as it does not fall: to infinity, if it is there.
push <- function(model, fit) {
  M <- metric(model)
  total <- sum(model$data$weight)
  for (round in 1:6) {
    value <- regress_value(model, fit$b)
    J <- value$observed + (model$prior %||% 0)
    N <- flat_directions_of(model, J, 1e-4, M)
    if (!ncol(N)) break
    onto <- function(v, N) drop(N %*% crossprod(N, M %*% v)) / total
    newton <- tryCatch(solve(J + 1e-15 * M, value$gradient), error = function(e) NULL)
    ways <- c(if (!is.null(newton)) list(onto(newton, N)), list(onto(fit$b, N)),
              lapply(seq_len(ncol(N)), function(j) onto(fit$b, N[, j, drop = FALSE])))
    points <- do.call(cbind, lapply(ways, function(way) {
      size <- reach(model, way)
      if (isTRUE(size > 1e-9)) fit$b + way %o% (c(0.5, 2, 8, 32) * model$far / size)
    }))
    level <- if (is.null(points)) -Inf else heights(model, points)
    level[is.na(level)] <- -Inf
    # All directions together first, else each by itself.
    blocks <- split(seq_along(level), (seq_along(level) - 1) %/% 4)
    block <- Find(function(places) max(level[places]) >= fit$value - 1e-9, blocks)
    if (is.null(block)) break
    further <- climb(model, points[, block[which.max(level[block])]])
    if (further$value < fit$value - 2e-9) break
    fit$b <- further$at[, 1]
    fit$value <- further$value
    fit$decrement <- further$decrement
  }
  fit
}

# Of all starts: those that are hopeless are left out, the others climb roughly; what ends near the best goes to the
# end, and out. `within`: how far below the best an end is still of interest. `turn`: also from steep ends whose rows in
# between are put on another side.
highest_maximum <- function(model, starts, within = 3, enough = Inf, turn = FALSE) {
  starts <- promising(model, starts)
  ends <- follow(model, starts, list(), within, enough)
  if (turn && ncol(starts) > 1L) {
    more <- turned_starts(model, ends)
    if (length(more)) ends <- follow(model, more, ends, within, enough)
  }
  values <- vapply(ends, `[[`, 0, "value")
  c(ends[[which.max(values)]], list(model = model, ends = ends, values = values))
}

# The ends so far, and those of more starts.
follow <- function(model, starts, ends, within, enough) {
  rough <- climb(model, starts, 1e-3, 60, enough)
  order <- order(-rough$value)
  if (!length(ends) && !is.finite(rough$value[order[1]])) abort("No start has a finite likelihood.", "stalled")
  top <- max(vapply(ends, `[[`, 0, "value"), -Inf)
  for (j in order) {
    if (!is.finite(rough$value[j]) || rough$value[j] < top - within) break
    known <- function(e) abs(e$value - rough$value[j]) < 0.02 && reach(model, e$b - rough$at[, j]) < 0.3
    if (any(vapply(ends, known, NA))) next
    found <- climb(model, rough$at[, j])
    if (any(vapply(ends, function(e) abs(e$value - found$value) < 1e-8, NA))) next
    end <- list(b = found$at[, 1], value = found$value, decrement = found$decrement, steps = found$steps,
                pressed = found$pressed && found$decrement > 1e-8)
    end <- if (end$pressed) climb_inside(model, end, starts[, 1]) else push(model, end)
    ends <- c(ends, list(end))
    top <- max(top, end$value)
  }
  ends
}

# A climb rises by some units, the more the more coefficients there are; the best few starts are always tried. With many
# rows the climbs use a part of them first, and what they lead to is climbed from with all rows.
promising <- function(model, starts) {
  if (ncol(starts) == 1L) return(starts)
  n <- length(model$data$y)
  value <- heights(model, starts)
  first <- which(is.finite(value))[1]
  if (is.na(first)) return(starts)
  top <- climb(model, starts[, first], 1e-3, 60)
  allowed <- 8 + 3 * model$size
  starts[, first] <- top$at
  kept <- union(which(value > top$value - allowed), utils::head(order(-value), 4))
  kept <- setdiff(kept, c(first, which(!is.finite(value))))
  if (n >= thin_rows && length(kept)) {
    rows <- seq(1, n, by = n %/% (thin_rows %/% 4))
    some <- thin_model(model, rows)
    near <- climb(some, cbind(top$at, starts[, kept]), 1e-3, 60)$at
    apart <- vapply(kept, function(j) reach(some, near[, match(j, kept) + 1] - near[, 1]) > 0.3, NA)
    # A maximum of a part of the rows is this much below that of all.
    apart <- apart & heights(model, near[, -1]) > top$value - 3 - 2 * model$size * n / length(rows)
    starts[, kept] <- near[, -1]
    kept <- kept[apart]
  }
  starts[, c(first, kept), drop = FALSE]
}

thin_rows <- 8000

# Maximum at the end of the range of a bounded link: the climb stopped there, so it goes on inside, along a barrier that
# is lowered step by step.
climb_inside <- function(model, end, b) {
  total <- sum(model$data$weight)
  for (barrier in 10^-(2:11) * total / length(model$data$y)) {
    b <- climb(with_parts(model, barrier), b)$at[, 1]
  }
  value <- heights(model, b)
  if (value >= end$value) end[c("b", "value")] <- list(b, value)
  end
}

# What is infinite at an end, in the coordinates of x (Farkas): c'b is +Inf if c is in the cone of the rows at infinity,
# -Inf if -c is, and its sign is not determined if neither is: NA. Finite ones keep their variance.
describe_maximum <- function(fit) {
  model <- fit$model
  M <- metric(model)
  k <- seq_len(model$k)
  value <- regress_value(model, fit$b)
  prior <- model$prior %||% 0
  N <- flat_directions_of(model, value$observed + prior, 1e-9, M)
  columns <- ncol(model$data$x)
  # The unknown number follows from its logit.
  psi <- if (model$size > model$k) stats::plogis(fit$b[model$size])
  scale <- c(rep(1, columns), psi * (1 - psi))
  inverse <- function(J) {
    hidden <- tcrossprod(M %*% N) / sum(model$data$weight)
    V <- tryCatch(invert_positive(J + prior + hidden), error = function(e) matrix(NA_real_, model$size, model$size))
    unscale_matrix(model, V) * outer(scale, scale)
  }
  variance <- list(observed = inverse(value$observed), expected = inverse(value$expected))
  whole <- variance$observed
  point <- natural(model, fit$b)[seq_len(columns)]
  coefficients <- point
  coefficients[-model$basis$keep] <- NA
  infinite <- logical(columns)
  flat <- NULL
  if (ncol(N)) {
    move <- model$z %*% N[k, , drop = FALSE]
    eta <- predictor_of(model$z, fit$b[k], model$data$offset)
    if (length(psi)) {
      move <- rbind(move, N[model$size, ])
      eta <- c(eta, fit$b[model$size])
    }
    part <- model$basis$back %*% N[k, , drop = FALSE]
    size <- sqrt(rowSums(model$basis$back^2))
    out <- which(rowSums(part^2) > (1e-7 * size)^2)
    signs <- cone_signs(infinite_cone(move, eta), part[out, , drop = FALSE])
    infinite[model$basis$keep[out]] <- TRUE
    coefficients[model$basis$keep[out]] <- signs * Inf
    lost <- c(infinite, if (length(psi)) max(abs(N[model$size, ])) > 1e-7)
    variance <- lapply(variance, function(V) {
      V[lost, ] <- V[, lost] <- NA
      V
    })
    if (length(psi) && lost[columns + 1]) psi <- round(psi)
    flat <- matrix(0, columns, ncol(N))
    flat[model$basis$keep, ] <- part
    if (!length(out)) flat <- NULL
  }
  back <- solve(model$basis$back)
  raw <- if (length(psi)) regress_value(model, c(fit$b[k], psi), natural = TRUE) else value
  list(coefficients = coefficients, infinite = infinite, point = point, flat = flat, parameter = psi,
       variance = variance, whole = whole, loglik = raw$value,
       information = lapply(raw[c("observed", "expected")], function(J) unscale_matrix(model, J, t(back))))
}

# The rows at infinity, as directions of their signs, each once.
infinite_cone <- function(move, eta) {
  size <- sqrt(rowSums(move^2))
  out <- size > 1e-7
  unique(round(move[out, , drop = FALSE] * (sign(eta[out]) / size[out]), 12))
}

# 1, -1 or NA for each row of `ways`.
cone_signs <- function(cone, ways) {
  vapply(seq_len(nrow(ways)), function(i) {
    if (in_cone(cone, ways[i, ])) 1 else if (in_cone(cone, -ways[i, ])) -1 else NA_real_
  }, 0)
}

# Is `way` a combination of the rows of `cone` with weights of at least 0? Non-negative least squares (Lawson and Hanson
# 1974, Solving Least Squares Problems, ch. 23).
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
      x <- x + min(x[bad] / (x[bad] - z[bad])) * (z - x)
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
  rows <- stats::model.matrix(fit)[seen, , drop = FALSE]
  cone <- infinite_cone(rows %*% fit$flat, predictor_of(rows, fit$point, fit$offset[seen]))
  kinds <- round(move[out, , drop = FALSE], 9)
  distinct <- unique(kinds)
  key <- function(rows) do.call(paste, as.data.frame(rows))
  eta[out] <- (cone_signs(cone, distinct) * Inf)[match(key(kinds), key(distinct))]
  eta
}
