# The points where climbs begin, the same in every run: constant shares, and truths that are steep
# in one direction of the covariates. Climbs from a constant find no steep maximum, and few maxima
# at infinity.

# Starting points, a column each, in the coordinates of the model; `max_thresholds` is their number
# of thresholds, and 1 is the constant alone. Its attribute `rivals` is whether other maxima may be
# near.
regress_starts <- function(model, max_thresholds) {
  data <- model$data
  link <- data$link
  constant <- truth_curve(link)$inverse(moment_share(data))
  first <- project(model, constant - (data$offset %||% 0))
  if (link %in% c("log", "identity")) return(bounded_starts(model, first, max_thresholds))
  if (max_thresholds == 1) return(with_psi(cbind(first), model))

  far <- truth_curve(link)$inverse(c(0.02, 0.98))
  intercept <- project(model, 1)
  constants <- outer(intercept, c(far, -model$far, model$far))
  directions <- start_directions(model, intercept)
  if (is.null(directions)) return(with_psi(cbind(first, constants), model))
  starts <- direction_starts(model, intercept, directions, first, max_thresholds)
  points <- cbind(
    starts$first, with_psi(cbind(constants, starts$cells, starts$steep), model)
  )
  if (model$size > model$k) {
    few <- cbind(first, constants, first_columns(starts$cells, 3))
    more <- lapply(c(0.05, 0.2, 0.8, 0.95), function(psi) {
      with_psi(few, model, psi)
    })
    points <- cbind(points, do.call(cbind, more))
  }
  structure(points, rivals = starts$rivals)
}

first_columns <- function(x, n) {
  x[, seq_len(min(n, ncol(x))), drop = FALSE]
}

# The starts in `directions`: those of single columns, and of their combinations if a threshold
# comes near the climb from the constant. If none does, and rows are many, gentle slopes are left
# out too.
direction_starts <- function(model, intercept, directions, first, max_thresholds) {
  axes <- seq_len(directions$n_axes)
  single <- directions$all[, axes, drop = FALSE]
  gentle <- !isTRUE(model$sampled)
  starts <- steep_starts(model, intercept, single, max_thresholds, gentle = gentle)
  top <- climb_roughly(model, with_psi(cbind(first), model))
  best <- max(loglik_at(model, with_psi(starts$steep, model)), -Inf)
  is_near <- best > top$value - 20 - 5 * model$size
  rivals <- !is.finite(top$value) || is_near || model$size > model$k
  if (rivals) starts <- steep_starts(model, intercept, directions$all, max_thresholds, axes)
  c(starts, list(first = top$points, rivals = rivals))
}

# The starts with thresholds in `directions`, the positions `axes` of which are single columns:
# list(cells, steep), with gentle slopes, NULL if not `gentle`, and with steep ones.
steep_starts <- function(
  model, intercept, directions, max_thresholds, axes = seq_len(ncol(directions)), gentle = TRUE
) {
  combinations <- setdiff(seq_len(ncol(directions)), axes)
  steep <- threshold_starts(model, intercept, directions, max_thresholds)
  sharp <- steep$sharp
  # Small turns of the best directions: a threshold between two rows may need a direction that lies
  # between those above.
  near <- if (length(combinations)) first_columns(steep$directions, 6)
  for (turn in if (length(combinations)) c(0.05, 0.01)) {
    towards <- head(axes, max_turns(model))
    turned <- lapply(towards, function(j) {
      cbind(near + turn * directions[, j], near - turn * directions[, j])
    })
    more <- threshold_starts(model, intercept, do.call(cbind, turned), max_thresholds)
    near <- first_columns(more$directions, 6)
    sharp <- cbind(sharp, more$sharp)
    steep <- list(cells = cbind(steep$cells, more$cells), directions = near)
  }

  used <- c(head(axes, 13), combinations[even_index(length(combinations), 12)])
  cells <- if (gentle) {
    grid_starts(
      model, intercept, directions[, used, drop = FALSE], max(4, max_thresholds %/% 2)
    )
  }
  list(cells = cells, steep = cbind(steep$cells, sharp))
}

with_psi <- function(points, model, psi = 0.5) {
  if (model$size == model$k) return(unname(points))
  rbind(points, qlogis(psi), deparse.level = 0)
}

# The share of true yes by moments, clipped.
moment_share <- function(data) {
  row <- row_devices(data)
  share <- sum(data$weight * row$d * (data$y - row$q)) /
    sum(data$weight * row$d^2)
  if (!is.finite(share)) share <- 0.5
  min(0.95, max(0.05, share))
}

# Directions of the covariates other than the constant, of unit size: list(all, n_axes). `all` has a
# column each: first the `n_axes` of the score of the constant share and of single columns, then
# others that lie evenly. The levels of a factor take no part. NULL if the constant is alone.
start_directions <- function(model, intercept) {
  dense <- seq_len(model$k) > model$basis$levels
  a <- intercept[dense]
  has_constant <- sum(a^2) > 0.999
  free <- if (has_constant) {
    qr.Q(qr(a), complete = TRUE)[, -1, drop = FALSE]
  } else {
    diag(sum(dense))
  }
  m <- ncol(free)
  if (!m) return(NULL)

  data <- model$data
  row <- row_devices(data)
  residuals <- data$weight * row$d *
    (data$y - row$q - row$d * moment_share(data))
  score <- crossprod(free, crossprod(model$z[, dense, drop = FALSE], residuals))
  single <- backsolve(model$basis$back, diag(model$k))[dense, dense]
  axes <- unit_columns(cbind(score, crossprod(free, single)))
  if (ncol(axes) > max_turns(model)) {
    axes <- axes[, order(-abs(crossprod(axes, score)))]
  }
  others <- if (m == 1L) {
    matrix(1)
  } else if (m == 2L) {
    rbind(
      cos(base::pi * (0:35) / 36),
      sin(base::pi * (0:35) / 36)
    )
  } else {
    even_directions(m, min(25 * m, 200, 3 * max_turns(model)))
  }
  all <- matrix(0, model$k, ncol(axes) + ncol(others))
  all[dense, ] <- free %*% cbind(axes, others)
  list(all = all, n_axes = ncol(axes))
}

# The number of directions of single columns that others are turned towards: the more, the fewer
# rows and columns there are.
max_turns <- function(model) {
  max(
    13, 2.6e6 / (min(2000, length(model$data$y)) * model$k)
  )
}

even_index <- function(n, max_n) {
  if (n <= max_n) seq_len(n) else round(seq(1, n, length.out = max_n))
}

# The best cells of a grid of truths F(s (z - c)), a column each: z is a direction, the thresholds c
# go from end to end, and the slopes s from gentle to steep, on either side.
grid_starts <- function(model, intercept, directions, max_starts) {
  small <- thin_model(model, some_rows(length(model$data$y), 500))
  projections <- small$z %*% directions
  candidates <- lapply(seq_len(ncol(directions)), function(j) {
    z <- projections[, j]
    cuts <- quantile(
      z, c(0.02, 0.07, 0.2, 0.5, 0.8, 0.93, 0.98), names = FALSE
    )
    cuts <- c(cuts, min(z) - 1.5, max(z) + 1.5)
    grid <- cbind(
      rep(c(0.8, 2, 6, 25), each = 9), rep(cuts, 4)
    )
    grid <- rbind(grid, grid * rep(c(-1, 1), each = 36))
    cells <- directions[, j] %o% grid[, 1] -
      intercept %o% (grid[, 1] * grid[, 2])
    value <- loglik_at(small, with_psi(cells, model))
    best <- best_cells(grid[, 1], value)
    list(
      cells = cells[, best, drop = FALSE],
      value = value[best],
      directions = directions[, rep(j, length(best)), drop = FALSE]
    )
  })
  best_of(candidates, max_starts)$cells
}

# The best cell of each side, and the best gentle one, which climbs where steep ones stand still:
# positions.
best_cells <- function(slope, value) {
  is_gentle <- abs(slope) <= 2
  sides <- list(
    which(slope > 0),
    which(slope < 0),
    which(slope > 0 & is_gentle),
    which(slope < 0 & is_gentle)
  )
  unique(vapply(sides, function(index) index[which.max(value[index])], 0L))
}

# The best starts whose truth is yes beyond a threshold of a direction and no before it:
# list(cells, directions, sharp). All thresholds of a direction are compared at once, by cumulative
# sums of the log-likelihood that a row gains if its truth turns from no to yes. The maxima at
# infinity are near one of these.
threshold_starts <- function(model, intercept, directions, max_starts) {
  rows <- some_rows(length(model$data$y), 2000)
  data <- take_rows(model$data, rows)
  row <- row_devices(data)
  ratio <- function(a, b) log(pmax(a, 1e-9) / pmax(b, 1e-9))
  gain <- data$y * ratio(row$p, row$q) +
    (1 - data$y) * ratio(1 - row$p, 1 - row$q)
  gain <- data$weight * gain
  projections <- model$z[rows, , drop = FALSE] %*% directions
  candidates <- lapply(seq_len(ncol(projections)), function(j) {
    divide_rows(projections[, j], gain, directions[, j], intercept)
  })
  c(best_of(candidates, max_starts), list(sharp = best_sharp(candidates)))
}

# The best threshold of one direction, on either side; NULL if the direction is constant:
#   cells       starts of the slopes 25 and -25
#   sharp       starts so steep that rows beside the threshold do not slide back
#   value       the gains of the log-likelihood
#   directions  the direction, for each side
#   beyond      the sums of roots that name the divisions of the rows
divide_rows <- function(z, gain, direction, intercept) {
  total <- sum(gain)
  down <- order(z, decreasing = TRUE, method = "radix")
  z <- z[down]
  sums <- cumsum(gain[down])
  sums[c(z[-length(z)] == z[-1], TRUE)] <- NA
  index <- c(which.max(sums), which.min(sums))
  if (!length(index)) return(NULL)

  middle <- (z[index] + z[index + 1]) / 2
  cells <- function(slope) direction %o% slope - intercept %o% (slope * middle)
  # Directions are inexact beyond a slope of 1e5.
  sharp <- pmin(
    1e5, pmax(25, 8 / (z[index] - z[index + 1]))
  )
  list(
    cells = cells(c(25, -25)),
    sharp = cells(c(1, -1) * sharp),
    value = c(sums[index[1]], total - sums[index[2]]),
    directions = matrix(direction, length(direction), 2L),
    beyond = c(1, -1) * cumsum(sqrt(down))[index]
  )
}

# The highest candidates that differ, and their directions: list(cells, directions).
best_of <- function(candidates, max_starts) {
  value <- unlist(lapply(candidates, `[[`, "value"))
  order <- order(-value)
  order <- head(order[!duplicated(round(value[order], 6))], max_starts)
  lapply(list(cells = "cells", directions = "directions"), function(field) {
    do.call(cbind, lapply(candidates, `[[`, field))[, order, drop = FALSE]
  })
}

# The sharp starts of the best divisions of the rows, each named by a sum of roots of the rows
# beyond it, and of the best values: answers of one device give many divisions the same value.
best_sharp <- function(candidates, max_starts = 6) {
  collect <- function(field) lapply(candidates, `[[`, field)
  value <- round(unlist(collect("value")), 6)
  order <- order(-value)
  divisions <- order[!duplicated(unlist(collect("beyond"))[order])]
  values <- order[!duplicated(value[order])]
  best <- union(head(divisions, max_starts), head(values, min(max_starts, 4)))
  do.call(cbind, collect("sharp"))[, best, drop = FALSE]
}

# The starts of a link of bounded range: constants that are inside, else points between 0 and the
# first.
bounded_starts <- function(model, first, max_thresholds) {
  data <- model$data
  constant <- function(value) project(model, value - (data$offset %||% 0))
  is_feasible <- function(b) {
    inside_link(predictor_of(model$z, b, data$offset), data$link)
  }
  shares <- if (max_thresholds > 1) {
    truth_curve(data$link)$inverse(c(0.5, 0.1, 0.02))
  }
  points <- Filter(is_feasible, c(list(first), lapply(shares, constant)))
  if (!length(points)) {
    middle <- constant(if (data$link == "log") -1 else 0.5)
    near <- c(
      list(middle), lapply(c(0.5, 0.25, 0.1, 0.01), `*`, first)
    )
    points <- Filter(is_feasible, near)
  }
  if (length(points)) with_psi(do.call(cbind, points), model)
}

# ---- points and directions that lie evenly ----

# The start of the moments, and the two highest of each 48 points that lie evenly around it, at
# distances in turn, each beside its opposite.
even_starts <- function(model, starts) {
  if (starts == 1) return(cbind(model$start))
  n_blocks <- starts - 1
  far <- rep_len(c(2, 6, 20), n_blocks)
  steps <- even_directions(model$size, 24 * n_blocks) *
    rep(far, each = 24 * model$size)
  points <- model$start + cbind(steps, -steps)
  block <- rep(rep(seq_len(n_blocks), each = 24), 2)
  blocks <- split(seq_len(ncol(points)), block)
  value <- loglik_at(model, points)
  best <- lapply(blocks, function(index) {
    index[order(-value[index])[1:2]]
  })
  cbind(model$start, points[, unlist(best), drop = FALSE])
}

# n directions of m coordinates, a column each, that lie as evenly as the fractional parts of
# multiples of roots do.
even_directions <- function(m, n) {
  root <- sqrt(c(2, 3, 5, 7, 11, 13, 17, 19))[
    (seq_len(m) - 1) %% 8 + 1
  ]
  root <- root + 0.618034 * ((seq_len(m) - 1) %/% 8)
  unit_columns(qnorm(outer(root, seq_len(n)) %% 1))
}

# The coefficients whose linear predictor comes nearest to `target`.
project <- function(model, target) {
  k <- seq_len(model$k)
  products <- crossprod(model$z, model$data$weight * target)
  as.vector(solve(metric(model)[k, k], products))
}

unit_columns <- function(directions) {
  size <- sqrt(colSums(directions^2))
  used <- size > 1e-9
  directions[, used, drop = FALSE] / rep(size[used], each = nrow(directions))
}

# ---- the maximum from these starts ----

# The maximum over all starts; `start` is one more, in the coordinates of the user's columns.
regress_maximum <- function(data, starts = 20, start = NULL, penalty = "none") {
  adjusted <- penalty %in% c("bias", "jeffreys")
  if (adjusted && !is.null(data$unknown)) {
    abort("{.arg penalty} must be {.val none} or {.val prior} for designs with an unknown number.")
  }
  # A penalty has a unit of its own.
  unit <- if (penalty == "none") weight_unit(data$weight) else 1
  data$weight <- data$weight / unit
  model <- regress_model(collapse_rows(data), if (penalty == "prior") prior_precision(data))
  points <- cbind(
    if (!is.null(start)) coordinates(model, start), regress_starts(search_model(model), starts)
  )
  if (is.null(points)) {
    abort(
      paste(
        "No constant keeps every truth from 0 to 1 under the {.val",
        "{data$link}} link: give {.arg start}."
      )
    )
  }
  if (adjusted) return(penalized_maximum(model, penalty, points))
  best <- highest_maximum(model, points, turn = TRUE)
  if (unit == 1) return(best)
  model$data$weight <- model$data$weight * unit
  best$model <- with_kernel(model)
  in_units(best, unit)
}

# The maximum in the unit of the user's weights.
in_units <- function(best, unit) {
  fields <- c("value", "values", "decrement")
  best[fields] <- lapply(best[fields], `*`, unit)
  best
}
