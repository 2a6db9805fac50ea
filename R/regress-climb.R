# The maximum of a likelihood that is not concave, and bounded at infinity
# (inst/mathematics/maxima.md). A point is always a finite b, and its log-likelihood is the value at
# b. An estimate at infinity is a point so far out that the value stands still; "-Inf" describes
# such a point.

# Climbs from the columns of `starts`. A model may limit their `steps`.
climb <- function(model, starts, tolerance = 1e-11, steps = model$steps %||% 300) {
  found <- .Call(C_rr_regress_climb, model$kernel, as.double(starts), tolerance, steps)
  list(
    at = found$at,
    value = found$numbers[1, ],
    decrement = found$numbers[2, ],
    steps = found$numbers[3, ],
    pressed = found$numbers[4, ] == 1
  )
}

# Near to the ends: which of many starts are worth a climb.
climb_roughly <- function(model, starts) climb(model, starts, 1e-3, 60)

loglik_at <- function(model, points) .Call(C_rr_regress_heights, model$kernel, as.double(points))

# X'WX, for an unknown number the sum of the weights.
metric <- function(model) {
  total <- sum(model$data$weight)
  M <- diag(total, model$size)
  k <- seq_len(model$k)
  if (model$basis$levels) {
    M[k, k] <- crossprod(model$z, model$data$weight * model$z)
  }
  M
}

# Of all starts: those that are hopeless are left out, the others climb roughly; what ends near the
# best goes to the end, and out. `within`: how far below the best an end is still of interest.
# `turn`: also from steep ends whose rows in between are put on another side.
highest_maximum <- function(model, starts, turn = FALSE) {
  starts <- promising_starts(model, starts)
  ends <- climb_all(model, starts, list())
  more <- if (turn && ncol(starts) > 1L) turned_starts(model, ends)
  if (length(more)) ends <- climb_all(model, more, ends)
  values <- end_values(ends)
  c(
    ends[[which.max(values)]], list(model = model, ends = ends, values = values)
  )
}

# A climb rises by some units, the more the more coefficients there are; the best few starts are
# always tried. Large models have time for few climbs, and many rows are searched by a part of them.
promising_starts <- function(model, starts) {
  if (ncol(starts) == 1L) return(starts)
  small <- search_model(model)
  value <- loglik_at(small, starts)
  first <- which(is.finite(value))[1]
  if (is.na(first)) return(starts)
  top <- climb_roughly(small, starts[, first])
  allowed <- 8 + 3 * model$size
  best <- order(-value)
  near <- head(
    best[value[best] > top$value - allowed], 3e8 / step_work(model)
  )
  kept <- union(sort(near), head(best, 4))
  kept <- setdiff(kept, c(first, which(!is.finite(value))))
  others <- unname(starts[, kept, drop = FALSE])
  if (length(small$data$y) == length(model$data$y)) {
    return(cbind(unname(top$at), others))
  }
  promising_ends(model, small, top$at, starts[, first], others)
}

# What one step of a climb takes.
step_work <- function(model) {
  max(1, length(model$data$y)) *
    (model$size - model$basis$levels + 1)^2
}

# The ends in a part of the rows, `top` and those of `starts` that are apart from it and may lead as
# high with all rows. `first`: the start of `top`, which is no worse a start with all rows if it is
# higher.
promising_ends <- function(model, small, top, first, starts) {
  n <- length(model$data$y)
  ends <- climb_roughly(small, starts)$at
  apart <- vapply(
    seq_len(ncol(ends)),
    function(j) small$reach(ends[, j] - top) > 0.3, NA
  )
  ends <- ends[, apart, drop = FALSE]
  tops <- cbind(top, first)
  height <- loglik_at(model, tops)
  # A maximum of a part of the rows is this much below that of all.
  lost <- 3 + 2 * model$size * n / length(small$data$y)
  cbind(
    unname(tops[, which.max(height)]),
    ends[, loglik_at(model, ends) > max(height) - lost, drop = FALSE]
  )
}

# The ends so far, and those of more starts.
climb_all <- function(model, starts, ends) {
  rough <- climb_roughly(model, starts)
  order <- order(-rough$value)
  if (!length(ends) && !is.finite(rough$value[order[1]])) {
    abort("No start has a finite likelihood.", "stalled")
  }
  top <- max(end_values(ends), -Inf)
  for (j in order) {
    if (!is.finite(rough$value[j]) || rough$value[j] < top - 3) {
      break
    }
    known <- function(e) {
      abs(e$value - rough$value[j]) < 0.02 &&
        model$reach(e$b - rough$at[, j]) < 0.3
    }
    if (any(vapply(ends, known, NA))) next
    found <- climb(model, rough$at[, j])
    if (any(abs(end_values(ends) - found$value) < 1e-8)) next
    end <- list(
      b = found$at[, 1],
      value = found$value,
      decrement = found$decrement,
      steps = found$steps,
      pressed = found$pressed && found$decrement > 1e-8
    )
    end <- if (end$pressed) {
      climb_inside(model, end, starts[, 1])
    } else {
      climb_to_infinity(model, end)
    }
    ends <- c(ends, list(end))
    top <- max(top, end$value)
  }
  ends
}

end_values <- function(ends) vapply(ends, `[[`, 0, "value")

# From the end of the range of a bounded link on inside, along a barrier that is lowered step by
# step.
climb_inside <- function(model, end, b) {
  for (height in 10^-(2:11) * sum(model$data$weight) /
      length(model$data$y)) {
    b <- climb(with_kernel(model, height), b)$at[, 1]
  }
  value <- loglik_at(model, b)
  if (value >= end$value) end[c("b", "value")] <- list(b, value)
  end
}

# Goes on where the likelihood is flat, as long as it does not fall: to infinity, if it is there.
climb_to_infinity <- function(model, fit) {
  M <- metric(model)
  for (round in 1:6) {
    points <- further_points(model, fit, M)
    level <- if (is.null(points)) -Inf else loglik_at(model, points)
    level[is.na(level)] <- -Inf
    # All directions together first, else each by itself.
    blocks <- split(seq_along(level), (seq_along(level) - 1) %/% 4)
    block <- Find(function(places) max(level[places]) >= fit$value - 1e-9, blocks)
    if (is.null(block)) break
    further <- climb(model, points[, block[which.max(level[block])]])
    if (further$value < fit$value - 2e-9) break
    fit[c("b", "value", "decrement")] <- list(
      further$at[, 1],
      further$value,
      further$decrement
    )
  }
  fit
}

# Points far out in flat directions, four for each: of Newton's step and of the way so far. NULL if
# nothing is flat.
further_points <- function(model, fit, M) {
  total <- sum(model$data$weight)
  value <- regress_value(model, fit$b)
  J <- value$observed + (model$prior %||% 0)
  N <- flat_directions_of(model, J, 1e-4, M)
  if (!ncol(N)) return(NULL)
  onto <- function(v, N) drop(N %*% crossprod(N, M %*% v)) / total
  newton <- tryCatch(solve(J + 1e-15 * M, value$gradient), error = function(e) {
    NULL
  })
  ways <- c(
    if (!is.null(newton)) list(onto(newton, N)),
    list(onto(fit$b, N)),
    lapply(seq_len(ncol(N)), function(j) {
      onto(fit$b, N[, j, drop = FALSE])
    })
  )
  # An end may be far out already while the rows beside a narrow threshold are not: at least twice
  # as far then.
  far <- max(model$far, model$reach(fit$b) / 32)
  do.call(
    cbind,
    lapply(ways, function(way) {
      size <- model$reach(way)
      if (isTRUE(size > 1e-9)) {
        fit$b + way %o% (c(0.5, 2, 8, 32) * far / size)
      }
    })
  )
}

# Directions in which the information J is below `least` of the metric, a column each; the mean
# square of their changes of the linear predictor is about 1.
flat_directions_of <- function(model, J, least, M = metric(model)) {
  total <- sum(model$data$weight)
  # Levels without information, then what the elimination of the others leaves.
  level <- seq_len(nrow(J)) <= model$basis$levels
  weak <- diag(J) < least * diag(M)
  none <- which(level & weak)
  use <- which(level & !weak)
  half <- J[use, !level, drop = FALSE] / diag(J)[use]
  rest <- J[!level, !level, drop = FALSE] -
    crossprod(J[use, !level, drop = FALSE], half)
  # There may be nothing but the levels.
  parts <- if (length(rest)) {
    eigen(rest / total, symmetric = TRUE)
  } else {
    list(vectors = rest, values = numeric())
  }
  dense <- parts$vectors[, abs(parts$values) < least, drop = FALSE]
  N <- matrix(0, nrow(J), length(none) + ncol(dense))
  N[cbind(none, seq_along(none))] <- sqrt(
    total / diag(M)[none]
  )
  late <- length(none) + seq_len(ncol(dense))
  N[use, late] <- -half %*% dense
  N[!level, late] <- dense
  N
}

# Steep ends leave a few rows in between, where the likelihood is lower than with some of them on
# another side, far out. From each such end: it made steeper, and each of these rows moved across by
# the least change of the others. If most rows are in between, some truths may be far out because
# many covariates add up: large models have no time to see.
turned_starts <- function(model, ends) {
  if (model$basis$levels || model$size > model$k ||
      model$data$link %in% c("log", "identity")) {
    return(NULL)
  }
  found <- lapply(
    head(ends[order(-end_values(ends))], 4),
    function(end) {
      eta <- as.vector(model$z %*% end$b)
      between <- which(abs(eta) < 4)
      gentle <- max(abs(eta)) < 8 ||
        (step_work(model) > 1e7 && 2 * length(between) > length(eta))
      if (gentle || !length(between)) return(NULL)
      between <- head(between[order(abs(eta[between]))], 12)
      moves <- solve(metric(model), t(model$z[between, , drop = FALSE]))
      moves <- moves / rep(
        rowSums(model$z[between, , drop = FALSE] * t(moves)),
        each = model$k
      )
      points <- cbind(
        end$b,
        end$b - moves *
          rep(eta[between] + sign(eta[between]) * 0.2, each = model$k)
      )
      cbind(8 * points, 100 * points)
    }
  )
  do.call(cbind, found)
}
