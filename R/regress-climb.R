# The maximum of a likelihood that is not concave, and bounded at infinity
# (inst/mathematics/maxima.md). A point is always a finite b, and its log-likelihood is the value at
# b. An estimate at infinity is a point so far out that the value stands still; "-Inf" describes
# such a point.

# The ends of climbs from the columns of `starts`. Rough ones end near their maxima: they show which
# of many starts are worth a climb:
#   points     where each climb ends, a column each
#   value      its log-likelihood
#   decrement  what a further Newton step promises
#   steps      the number of steps
#   pressed    is it at the end of the range of a bounded link?
climb <- function(model, starts, is_rough = FALSE, tolerance = if (is_rough) 1e-3 else 1e-11) {
  steps <- if (is_rough) 60 else model$steps %||% 300
  solution <- .Call(C_rr_regress_climb, model$kernel, as.double(starts), tolerance, steps)
  list(
    points = solution$at,
    value = solution$numbers[1, ],
    decrement = solution$numbers[2, ],
    steps = solution$numbers[3, ],
    pressed = solution$numbers[4, ] == 1
  )
}

loglik_at <- function(model, points) .Call(C_rr_regress_heights, model$kernel, as.double(points))

# The highest maximum of climbs from `starts`, with all `maxima` and their `values`. Starts without
# hope are left out, the others climb roughly, and those that end near the best climb to the end and
# to infinity. `sample` is the model of some of the rows. If `turn`, climbs begin at turned_starts()
# too.
highest_maximum <- function(model, starts, turn = FALSE, sample = model) {
  starts <- promising_starts(model, starts, sample)
  maxima <- climb_all(model, starts, list())
  further <- if (turn && ncol(starts) > 1L) turned_starts(model, maxima)
  if (length(further)) maxima <- climb_all(model, further, maxima)
  values <- maximum_values(maxima)
  best <- maxima[[which.max(values)]]
  c(best, list(model = model, maxima = maxima, values = values))
}

# The starts that may lead to the highest maximum: the end of a rough climb from the first, and
# those that are near its log-likelihood. The best four are always among them. A climb rises by some
# units, the more the more coefficients there are. Large models have time for few climbs, and many
# rows are searched by a `sample` of them.
promising_starts <- function(model, starts, sample = model) {
  if (ncol(starts) == 1L) return(starts)
  value <- loglik_at(sample, starts)
  first <- which(is.finite(value))[1]
  if (is.na(first)) return(starts)

  top <- climb(sample, starts[, first], is_rough = TRUE)
  allowed <- 8 + 3 * model$size
  best <- order(-value)
  near <- head(
    best[value[best] > top$value - allowed], 3e8 / model$work
  )
  index <- union(sort(near), head(best, 4))
  index <- setdiff(index, c(first, which(!is.finite(value))))
  others <- unname(starts[, index, drop = FALSE])
  if (is.null(sample$sampled)) return(cbind(unname(top$points), others))
  promising_points(model, sample, top$points, starts[, first], others)
}

# The ends of climbs in a sample of the rows: `top`, and those of `starts` that are apart from it
# and may lead as high with all rows. `first`, the start of `top`, replaces it if it is higher with
# all rows.
promising_points <- function(model, sample, top, first, starts) {
  points <- climb(sample, starts, is_rough = TRUE)$points
  is_apart <- function(j) sample$reach(points[, j] - top) > 0.3
  points <- points[, vapply(seq_len(ncol(points)), is_apart, NA), drop = FALSE]
  tops <- cbind(top, first)
  loglik <- loglik_at(model, tops)
  # A maximum of a sample of the rows is this much below that of all.
  lost <- 3 +
    2 * model$size * length(model$data$y) / length(sample$data$y)
  is_near <- loglik_at(model, points) > max(loglik) - lost
  cbind(unname(tops[, which.max(loglik)]), points[, is_near, drop = FALSE])
}

# The maxima so far, and those of climbs from more starts.
climb_all <- function(model, starts, maxima) {
  rough <- climb(model, starts, is_rough = TRUE)
  order <- order(-rough$value)
  if (!length(maxima) && !is.finite(rough$value[order[1]])) {
    abort("No start has a finite likelihood.", "stalled")
  }
  values <- maximum_values(maxima)
  top <- max(values, -Inf)
  for (j in order) {
    if (!is.finite(rough$value[j]) || rough$value[j] < top - 3) {
      break
    }
    is_near <- function(maximum) {
      abs(maximum$value - rough$value[j]) < 0.02 &&
        model$reach(maximum$b - rough$points[, j]) < 0.3
    }
    if (any(vapply(maxima, is_near, NA))) next
    solution <- climb(model, rough$points[, j])
    if (any(abs(values - solution$value) < 1e-8)) next
    maximum <- list(
      b = solution$points[, 1],
      value = solution$value,
      decrement = solution$decrement,
      steps = solution$steps,
      pressed = solution$pressed && solution$decrement > 1e-8
    )
    maximum <- if (maximum$pressed) {
      climb_inside(model, maximum, starts[, 1])
    } else {
      climb_to_infinity(model, maximum)
    }
    maxima <- c(maxima, list(maximum))
    values <- c(values, maximum$value)
    top <- max(values)
  }
  maxima
}

maximum_values <- function(maxima) vapply(maxima, `[[`, 0, "value")

# The maximum of a bounded link, whose climb was pressed to the end of the range: from `b`, which is
# inside, along a barrier that is lowered step by step.
climb_inside <- function(model, maximum, b) {
  heights <- 10^-(2:11) * sum(model$data$weight) /
    length(model$data$y)
  for (height in heights) {
    b <- climb(with_kernel(model, height), b)$points[, 1]
  }
  value <- loglik_at(model, b)
  if (value >= maximum$value) maximum[c("b", "value")] <- list(b, value)
  maximum
}

# The maximum, moved on in flat directions as long as the likelihood does not fall: to infinity, if
# it lies there.
climb_to_infinity <- function(model, maximum) {
  for (round in 1:6) {
    points <- further_points(model, maximum)
    loglik <- if (is.null(points)) -Inf else loglik_at(model, points)
    loglik[is.na(loglik)] <- -Inf
    # The four points of all directions together come first, then those of each direction.
    blocks <- split(seq_along(loglik), (seq_along(loglik) - 1) %/% 4)
    block <- Find(function(index) max(loglik[index]) >= maximum$value - 1e-9, blocks)
    if (is.null(block)) break
    further <- climb(model, points[, block[which.max(loglik[block])]])
    if (further$value < maximum$value - 2e-9) break
    solution <- list(further$points[, 1], further$value, further$decrement)
    maximum[c("b", "value", "decrement")] <- solution
  }
  maximum
}

# Points far out in flat directions, four for each: Newton's step, the point itself, and its
# component in each flat direction. NULL if nothing is flat.
further_points <- function(model, maximum) {
  M <- model$metric
  total <- sum(model$data$weight)
  value <- regress_value(model, maximum$b)
  J <- value$observed + (model$prior %||% 0)
  N <- flat_directions_of(model, J, 1e-4)
  if (!ncol(N)) return(NULL)

  onto <- function(v, N) drop(N %*% crossprod(N, M %*% v)) / total
  newton <- tryCatch(solve(J + 1e-15 * M, value$gradient), error = function(e) {
    NULL
  })
  axes <- lapply(seq_len(ncol(N)), function(j) {
    onto(maximum$b, N[, j, drop = FALSE])
  })
  directions <- c(
    if (!is.null(newton)) list(onto(newton, N)),
    list(onto(maximum$b, N)),
    axes
  )
  # A maximum may be far out already while the rows beside a narrow threshold are not: the points
  # are then at least twice as far.
  far <- max(model$far, model$reach(maximum$b) / 32)
  points <- lapply(directions, function(direction) {
    reach <- model$reach(direction)
    if (isTRUE(reach > 1e-9)) {
      maximum$b + direction %o% (c(0.5, 2, 8, 32) * far / reach)
    }
  })
  do.call(cbind, points)
}

# Directions in which the information J is below `min_information` of the metric, a column each; the
# mean square of their changes of the linear predictor is about 1.
flat_directions_of <- function(model, J, min_information) {
  total <- sum(model$data$weight)
  is_level <- seq_len(nrow(J)) <= model$basis$levels
  is_weak <- diag(J) < min_information * diag(model$metric)
  flat <- which(is_level & is_weak)
  used <- which(is_level & !is_weak)

  # The information of the other columns that the elimination of the levels leaves. There may be
  # nothing but the levels.
  half <- J[used, !is_level, drop = FALSE] / diag(J)[used]
  remaining <- J[!is_level, !is_level, drop = FALSE] -
    crossprod(J[used, !is_level, drop = FALSE], half)
  decomposition <- if (length(remaining)) {
    eigen(remaining / total, symmetric = TRUE)
  } else {
    list(vectors = remaining, values = numeric())
  }
  is_flat <- abs(decomposition$values) < min_information
  dense <- decomposition$vectors[, is_flat, drop = FALSE]

  # Levels without information stand first.
  N <- matrix(0, nrow(J), length(flat) + ncol(dense))
  N[cbind(flat, seq_along(flat))] <- sqrt(
    total / diag(model$metric)[flat]
  )
  columns <- length(flat) + seq_len(ncol(dense))
  N[used, columns] <- -half %*% dense
  N[!is_level, columns] <- dense
  N
}

# Starts beside the four highest maxima, if these are steep. Steep maxima leave a few rows in
# between, where the likelihood is lower than with some of them on another side, far out. Each
# maximum is made steeper, and each of these rows is moved across by the least change of the others.
# If most rows are in between, some truths may be far out because many covariates add up: large
# models have no time to see.
turned_starts <- function(model, maxima) {
  is_bounded <- model$data$link %in% c("log", "identity")
  if (model$basis$levels || model$size > model$k || is_bounded) return(NULL)
  maxima <- head(maxima[order(-maximum_values(maxima))], 4)
  starts <- lapply(maxima, function(maximum) {
    eta <- as.vector(model$z %*% maximum$b)
    between <- which(abs(eta) < 4)
    is_gentle <- max(abs(eta)) < 8 ||
      (model$work > 1e7 && 2 * length(between) > length(eta))
    if (is_gentle || !length(between)) return(NULL)

    between <- head(between[order(abs(eta[between]))], 12)
    z <- model$z[between, , drop = FALSE]
    moves <- solve(model$metric, t(z))
    moves <- moves / rep(rowSums(z * t(moves)), each = model$k)
    across <- eta[between] + sign(eta[between]) * 0.2
    points <- cbind(
      maximum$b, maximum$b - moves * rep(across, each = model$k)
    )
    cbind(8 * points, 100 * points)
  })
  do.call(cbind, starts)
}
