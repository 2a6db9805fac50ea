# The points where climbs begin, the same in every run: constant shares, and truths that are steep
# in one direction of the covariates. Climbs from a constant find no steep maximum, and few maxima
# at infinity.

# Starting points, a column each, in the coordinates of the model; `max_thresholds` is their number
# of thresholds, and 1 is the constant alone. Its attribute `rivals` is whether other maxima may be
# near.
regress_starts <- function(model, max_thresholds) {
  data <- model$data
  inverse <- truth_curve(data$link)$inverse
  row <- row_devices(data)
  share <- moment_share(data, row)
  first <- project(model, inverse(share) - (data$offset %||% 0))
  if (data$link %in% c("log", "identity")) return(bounded_starts(model, first, max_thresholds))
  if (max_thresholds == 1) return(with_psi(cbind(first), model))

  intercept <- project(model, 1)
  far <- inverse(c(0.02, 0.98))
  constants <- outer(intercept, c(far, -model$far, model$far))
  directions <- start_directions(model, intercept, row, share)
  if (is.null(directions)) return(with_psi(cbind(first, constants), model))
  starts <- direction_starts(model, row, intercept, directions, first, max_thresholds)
  points <- cbind(
    starts$first, with_psi(cbind(constants, starts$cells, starts$steep), model)
  )
  if (model$size > model$k) {
    gentle <- seq_len(min(3, ncol(starts$cells)))
    few <- cbind(first, constants, starts$cells[, gentle, drop = FALSE])
    more <- lapply(c(0.05, 0.2, 0.8, 0.95), function(psi) {
      with_psi(few, model, psi)
    })
    points <- cbind(points, do.call(cbind, more))
  }
  structure(points, rivals = starts$rivals)
}

# The starts in `directions`: those of single columns, and of their combinations if a threshold
# comes near the climb from the constant. If none does, and rows are many, gentle slopes are left
# out too:
#   first   the end of the climb from the constant
#   cells   starts of gentle slopes, NULL if they are left out
#   steep   starts of steep ones
#   rivals  may other maxima be near?
direction_starts <- function(model, row, intercept, directions, first, max_thresholds) {
  data <- model$data
  rows <- some_rows(length(data$y), 2000)
  z <- model$z[rows, , drop = FALSE]
  ratio <- function(a, b) log(pmax(a, 1e-9) / pmax(b, 1e-9))
  gain <- data$y * ratio(row$p, row$q) +
    (1 - data$y) * ratio(1 - row$p, 1 - row$q)
  gain <- (data$weight * gain)[rows]
  thresholds <- function(directions) {
    threshold_starts(z %*% directions, gain, directions, intercept, max_thresholds)
  }

  axes <- seq_len(directions$n_axes)
  steep <- thresholds(directions$all[, axes, drop = FALSE])
  top <- climb(model, with_psi(cbind(first), model), is_rough = TRUE)
  points <- with_psi(cbind(steep$cells, steep$sharp), model)
  best <- max(loglik_at(model, points), -Inf)
  is_near <- best > top$value - 20 - 5 * model$size
  rivals <- !is.finite(top$value) || is_near || model$size > model$k
  used <- head(axes, 13)
  if (rivals) {
    combinations <- seq_len(ncol(directions$all))[-axes]
    used <- c(used, combinations[even_index(length(combinations), 12)])
    steep <- turned_thresholds(thresholds, directions$all, head(axes, max_turns(model)))
  }
  cells <- if (rivals || !isTRUE(model$sampled)) {
    gentle <- directions$all[, used, drop = FALSE]
    grid_starts(model, intercept, gentle, max(4, max_thresholds %/% 2))
  }
  list(
    first = top$points,
    cells = cells,
    steep = cbind(steep$cells, steep$sharp),
    rivals = rivals
  )
}

# The starts of `thresholds()` in all `directions`, and in small turns of the best of them towards
# those of the positions `axes`: a threshold between two rows may need a direction in between.
turned_thresholds <- function(thresholds, directions, axes) {
  steep <- thresholds(directions)
  near <- steep$directions
  for (turn in c(0.05, 0.01)) {
    turned <- lapply(axes, function(j) {
      cbind(near + turn * directions[, j], near - turn * directions[, j])
    })
    more <- thresholds(do.call(cbind, turned))
    near <- more$directions
    steep <- Map(cbind, steep, more)
  }
  steep
}

with_psi <- function(points, model, psi = 0.5) {
  if (model$size == model$k) return(unname(points))
  rbind(points, qlogis(psi), deparse.level = 0)
}

# The share of true yes by moments, clipped.
moment_share <- function(data, row = row_devices(data)) {
  share <- sum(data$weight * row$d * (data$y - row$q)) /
    sum(data$weight * row$d^2)
  if (!is.finite(share)) share <- 0.5
  min(0.95, max(0.05, share))
}

# Directions of the covariates other than the constant, of unit size: list(all, n_axes). `all` has a
# column each: first the `n_axes` of the score of the constant share and of single columns, then
# others that lie evenly. The levels of a factor take no part. NULL if the constant is alone. `row`
# has the device of each row, and `share` is the constant share.
start_directions <- function(model, intercept, row, share) {
  dense <- seq_len(model$k) > model$basis$levels
  free <- free_directions(intercept[dense])
  m <- ncol(free)
  if (!m) return(NULL)

  data <- model$data
  residuals <- data$weight * row$d *
    (data$y - row$q - row$d * share)
  score <- crossprod(free, crossprod(model$z[, dense, drop = FALSE], residuals))
  single <- backsolve(model$basis$back, diag(model$k))[dense, dense]
  axes <- unit_columns(cbind(score, crossprod(free, single)))
  turns <- max_turns(model)
  if (ncol(axes) > turns) {
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
    even_directions(m, min(25 * m, 200, 3 * turns))
  }
  all <- matrix(0, model$k, ncol(axes) + ncol(others))
  all[dense, ] <- free %*% cbind(axes, others)
  list(all = all, n_axes = ncol(axes))
}

# Directions that are orthogonal to the constant, whose coordinates are `intercept`, a column
# each: all axes if the columns have no constant.
free_directions <- function(intercept) {
  has_constant <- sum(intercept^2) > 0.999
  if (!has_constant) return(diag(length(intercept)))
  qr.Q(qr(intercept), complete = TRUE)[, -1, drop = FALSE]
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
  shares <- c(0.02, 0.07, 0.2, 0.5, 0.8, 0.93, 0.98)
  cuts <- apply(small$z %*% directions, 2, function(z) {
    inside <- quantile(z, shares, names = FALSE)
    c(inside, min(z) - 1.5, max(z) + 1.5)
  })
  slope <- rep(c(0.8, 2, 6, 25), each = 9)
  slope <- c(slope, -slope)
  cells <- step_points(
    directions[, rep(seq_len(ncol(cuts)), each = 72), drop = FALSE],
    rep(slope, ncol(cuts)), cuts[rep(1:9, 8), ], intercept
  )
  value <- loglik_at(small, with_psi(cells, model))
  best <- best_cells(slope, matrix(value, 72))
  cells[, best[highest_index(value[best], max_starts)], drop = FALSE]
}

# The truths F(slope (z - threshold)) in these directions z, a column each.
step_points <- function(directions, slope, threshold, intercept) {
  directions * rep(slope, each = nrow(directions)) - intercept %o% as.vector(slope * threshold)
}

# The best cell of each side, and the best gentle one, which climbs where steep ones stand still:
# positions in `values`, which has a row for each slope and a column for each direction.
best_cells <- function(slope, values) {
  is_gentle <- abs(slope) <= 2
  sides <- list(slope > 0, slope < 0, slope > 0 & is_gentle, slope < 0 & is_gentle)
  best <- lapply(sides, function(side) {
    which(side)[apply(values[side, , drop = FALSE], 2, which.max)]
  })
  before <- (seq_len(ncol(values)) - 1L) * nrow(values)
  as.vector(do.call(rbind, best) + rep(before, each = 4))
}

# The best starts whose truth is yes beyond a threshold of a direction and no before it:
#   cells       the best `max_starts` of divide_rows()
#   directions  those of the best six
#   sharp       the best of different divisions of the rows, and of different values
# All thresholds of a direction are compared at once, by cumulative sums of the log-likelihood
# that a row gains if its truth turns from no to yes. The maxima at infinity are near one of
# these.
threshold_starts <- function(
  projections, gain, directions, intercept, max_starts, max_sharp = 6
) {
  divisions <- divide_rows(projections, gain, directions, intercept)
  best <- highest_index(divisions$value, max_starts)
  # Answers of one device give many divisions of the rows the same value.
  value <- round(divisions$value, 6)
  order <- order(-value)
  distinct <- order[!duplicated(divisions$beyond[order])]
  values <- order[!duplicated(value[order])]
  sharp <- union(head(distinct, max_sharp), head(values, min(max_sharp, 4)))
  list(
    cells = divisions$cells[, best, drop = FALSE],
    directions = divisions$directions[, head(best, 6), drop = FALSE],
    sharp = divisions$sharp[, sharp, drop = FALSE]
  )
}

# The best threshold of each direction, on either side, a column each:
#   cells       starts of the slopes 25 and -25
#   sharp       starts so steep that rows beside the threshold do not slide back
#   value       the gains of the log-likelihood
#   directions  the direction, for each side
#   beyond      the sums of roots that name the divisions of the rows
# A direction that is constant has none.
divide_rows <- function(projections, gain, directions, intercept) {
  sides <- apply(projections, 2, function(z) {
    down <- order(z, decreasing = TRUE, method = "radix")
    z <- z[down]
    sums <- cumsum(gain[down])
    sums[c(z[-length(z)] == z[-1], TRUE)] <- NA
    index <- c(which.max(sums), which.min(sums))[1:2]
    beyond <- cumsum(sqrt(down))
    rbind(z[index], z[index + 1], sums[index], beyond[index])
  })
  sides <- matrix(sides, 4)
  used <- which(!is.na(sides[1, ]))
  directions <- directions[, (used + 1) %/% 2, drop = FALSE]
  sides <- sides[, used, drop = FALSE]
  side <- rep_len(c(1, -1), length(used))
  middle <- (sides[1, ] + sides[2, ]) / 2
  gap <- sides[1, ] - sides[2, ]
  gain_beyond <- sides[3, ]
  # Directions are inexact beyond a slope of 1e5.
  sharp <- pmin(1e5, pmax(25, 8 / gap))
  list(
    cells = step_points(directions, 25 * side, middle, intercept),
    sharp = step_points(directions, sharp * side, middle, intercept),
    value = ifelse(side > 0, gain_beyond, sum(gain) - gain_beyond),
    directions = directions,
    beyond = side * sides[4, ]
  )
}

# The positions of the highest values that differ.
highest_index <- function(value, max_n, digits = 6) {
  order <- order(-value)
  head(order[!duplicated(round(value[order], digits))], max_n)
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
  as.vector(solve(model$metric[k, k], products))
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
  sample <- search_model(model)
  points <- cbind(
    if (!is.null(start)) coordinates(model, start), regress_starts(sample, starts)
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
  best <- highest_maximum(model, points, turn = TRUE, sample = sample)
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
