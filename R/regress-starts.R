# Where the climbs begin, the same in every run: constant shares, and truths that are steep in one
# direction of the covariates. No climb from a constant leads to a steep maximum, nor to most of
# those at infinity.

# Starting points, a column each, in the coordinates of the model. `most`: how many thresholds; 1 is
# the constant alone.
regress_starts <- function(model, most) {
  data <- model$data
  link <- data$link
  constant <- truth_curve(link)$inverse(moment_share(data))
  first <- project(model, constant - (data$offset %||% 0))
  if (link %in% c("log", "identity")) return(bounded_starts(model, first, most))
  if (most == 1) return(with_psi(cbind(first), model))
  far <- truth_curve(link)$inverse(c(0.02, 0.98))
  one <- project(model, 1)
  constants <- outer(one, c(far, -model$far, model$far))
  ways <- start_directions(model, one)
  if (is.null(ways)) return(with_psi(cbind(first, constants), model))
  found <- direction_starts(model, one, ways, first, most)
  all <- cbind(
    found$first, with_psi(cbind(constants, found$cells, found$steep), model)
  )
  if (model$size > model$k) {
    few <- cbind(
      first, constants,
      found$cells[, seq_len(min(3, ncol(found$cells))), drop = FALSE]
    )
    all <- cbind(
      all,
      do.call(
        cbind,
        lapply(c(0.05, 0.2, 0.8, 0.95), function(psi) {
          with_psi(few, model, psi)
        })
      )
    )
  }
  structure(all, rivals = found$rivals)
}

# The starts in directions of single columns. If none of their thresholds comes near the climb from
# the constant, none of their combinations is tried. Gentle slopes are then left out too if rows are
# many.
direction_starts <- function(model, one, ways, first, most) {
  axes <- seq_len(ways$axes)
  single <- ways$ways[, axes, drop = FALSE]
  found <- steep_starts(model, one, single, most, gentle = !isTRUE(model$sampled))
  top <- climb_roughly(model, with_psi(cbind(first), model))
  near <- max(loglik_at(model, with_psi(found$steep, model)), -Inf) >
    top$value - 20 - 5 * model$size
  rivals <- !is.finite(top$value) || near || model$size > model$k
  if (rivals) found <- steep_starts(model, one, ways$ways, most, axes)
  c(found, list(first = top$at, rivals = rivals))
}

steep_starts <- function(model, one, ways, most, axes = seq_len(ncol(ways)), gentle = TRUE) {
  other <- setdiff(seq_len(ncol(ways)), axes)
  best <- function(starts, most) {
    starts[, seq_len(min(most, ncol(starts))), drop = FALSE]
  }
  some <- c(head(axes, 13), other[evenly(length(other), 12)])
  steep <- threshold_starts(model, one, ways, most)
  sharp <- steep$sharp
  # Small turns of the best directions: a threshold between two rows may want a direction that lies
  # between those above.
  near <- if (length(other)) best(steep$ways, 6)
  for (turn in if (length(other)) c(0.05, 0.01)) {
    towards <- head(axes, most_turns(model))
    turned <- lapply(towards, function(j) {
      cbind(near + turn * ways[, j], near - turn * ways[, j])
    })
    more <- threshold_starts(model, one, do.call(cbind, turned), most)
    near <- best(more$ways, 6)
    sharp <- cbind(sharp, more$sharp)
    steep <- list(cells = cbind(steep$cells, more$cells), ways = near)
  }
  cells <- if (gentle) {
    grid_starts(model, one, ways[, some, drop = FALSE], max(4, most %/% 2))$cells
  }
  list(cells = cells, steep = cbind(steep$cells, sharp))
}

with_psi <- function(points, model, psi = 0.5) {
  if (model$size > model$k) {
    rbind(points, qlogis(psi), deparse.level = 0)
  } else {
    unname(points)
  }
}

# The share of true yes by moments, clipped.
moment_share <- function(data) {
  row <- row_devices(data)
  share <- sum(data$weight * row$d * (data$y - row$q)) /
    sum(data$weight * row$d^2)
  if (!is.finite(share)) share <- 0.5
  min(0.95, max(0.05, share))
}

# Directions of the covariates other than the constant, of unit size, a column each: those of single
# columns, of the score of the constant share, and others that lie evenly. The levels of a factor
# take no part.
start_directions <- function(model, one) {
  dense <- seq_len(model$k) > model$basis$levels
  a <- one[dense]
  held <- sum(a^2) > 0.999
  free <- if (held) {
    qr.Q(qr(a), complete = TRUE)[, -1, drop = FALSE]
  } else {
    diag(sum(dense))
  }
  m <- ncol(free)
  if (!m) return(NULL)
  data <- model$data
  row <- row_devices(data)
  rest <- data$weight * row$d *
    (data$y - row$q - row$d * moment_share(data))
  score <- crossprod(free, crossprod(model$z[, dense, drop = FALSE], rest))
  axes <- unit_columns(
    cbind(
      score,
      crossprod(
        free, backsolve(model$basis$back, diag(model$k))[dense, dense]
      )
    )
  )
  if (ncol(axes) > most_turns(model)) {
    axes <- axes[, order(-abs(crossprod(axes, score)))]
  }
  if (m == 1L) {
    spread <- matrix(1)
  } else if (m == 2L) {
    spread <- rbind(
      cos(base::pi * (0:35) / 36),
      sin(base::pi * (0:35) / 36)
    )
  } else {
    spread <- spread_ways(m, min(25 * m, 200, 3 * most_turns(model)))
  }
  ways <- matrix(0, model$k, ncol(axes) + ncol(spread))
  ways[dense, ] <- free %*% cbind(axes, spread)
  list(ways = ways, axes = ncol(axes))
}

# How many directions of single columns are turned towards, the more the fewer rows and columns
# there are.
most_turns <- function(model) {
  max(
    13, 2.6e6 / (min(2000, length(model$data$y)) * model$k)
  )
}

evenly <- function(n, most) {
  if (n <= most) seq_len(n) else round(seq(1, n, length.out = most))
}

# The best cells of a grid of truths F(s (z - c)): z a direction, thresholds c from end to end,
# slopes s from gentle to steep, on either side.
grid_starts <- function(model, one, used, most) {
  small <- thin_model(model, some_rows(length(model$data$y), 500))
  index <- small$z %*% used
  found <- lapply(seq_len(ncol(used)), function(j) {
    z <- index[, j]
    cuts <- c(
      quantile(
        z, c(0.02, 0.07, 0.2, 0.5, 0.8, 0.93, 0.98), names = FALSE
      ),
      min(z) - 1.5, max(z) + 1.5
    )
    grid <- cbind(
      rep(c(0.8, 2, 6, 25), each = 9), rep(cuts, 4)
    )
    grid <- rbind(grid, grid * rep(c(-1, 1), each = 36))
    cells <- used[, j] %o% grid[, 1] -
      one %o% (grid[, 1] * grid[, 2])
    value <- loglik_at(small, with_psi(cells, model))
    best <- best_cells(grid[, 1], value)
    list(
      cells = cells[, best, drop = FALSE],
      value = value[best],
      ways = used[, rep(j, length(best)), drop = FALSE]
    )
  })
  best_of(found, most)
}

# Of each side the best cell, and the best gentle one: it climbs where steep ones stand still.
best_cells <- function(slope, value) {
  gentle <- abs(slope) <= 2
  groups <- list(
    which(slope > 0),
    which(slope < 0),
    which(slope > 0 & gentle),
    which(slope < 0 & gentle)
  )
  unique(vapply(groups, function(places) places[which.max(value[places])], 0L))
}

# Truths of yes beyond a threshold and of no before it: all thresholds of a direction at once, by
# cumulative sums of what a row adds to the log-likelihood if its truth turns from no to yes. The
# maxima at infinity are near one of these.
threshold_starts <- function(model, one, ways, most) {
  rows <- some_rows(length(model$data$y), 2000)
  data <- take_rows(model$data, rows)
  row <- row_devices(data)
  ratio <- function(a, b) log(pmax(a, 1e-9) / pmax(b, 1e-9))
  gain <- data$weight * (data$y * ratio(row$p, row$q) +
    (1 - data$y) * ratio(1 - row$p, 1 - row$q))
  index <- model$z[rows, , drop = FALSE] %*% ways
  found <- lapply(seq_len(ncol(index)), function(j) {
    divide_rows(index[, j], gain, ways[, j], one)
  })
  c(best_of(found, most), list(sharp = best_sharp(found)))
}

# The best threshold of one direction, on either side.
divide_rows <- function(z, gain, way, one) {
  total <- sum(gain)
  down <- order(z, decreasing = TRUE, method = "radix")
  z <- z[down]
  sums <- cumsum(gain[down])
  sums[c(z[-length(z)] == z[-1], TRUE)] <- NA
  at <- c(which.max(sums), which.min(sums))
  if (!length(at)) return(NULL)
  middle <- (z[at] + z[at + 1]) / 2
  cells <- function(slope) way %o% slope - one %o% (slope * middle)
  # A gentle slope lets rows beside the threshold slide back, a sharp one keeps them. Beyond 1e5
  # ways are inexact.
  sharp <- pmin(
    1e5, pmax(25, 8 / (z[at] - z[at + 1]))
  )
  list(
    cells = cells(c(25, -25)),
    sharp = cells(c(1, -1) * sharp),
    value = c(sums[at[1]], total - sums[at[2]]),
    ways = matrix(way, length(way), 2L),
    beyond = c(1, -1) * cumsum(sqrt(down))[at]
  )
}

# The highest starts that differ, and their directions.
best_of <- function(found, most) {
  value <- unlist(lapply(found, `[[`, "value"))
  order <- order(-value)
  order <- head(order[!duplicated(round(value[order], 6))], most)
  lapply(list(cells = "cells", ways = "ways"), function(part) {
    do.call(cbind, lapply(found, `[[`, part))[, order, drop = FALSE]
  })
}

# Answers of one device give many divisions of the rows the same value. The best divisions, each
# named by a sum of roots of the rows beyond it, and the best values.
best_sharp <- function(found, most = 6) {
  part <- function(name) lapply(found, `[[`, name)
  value <- round(unlist(part("value")), 6)
  order <- order(-value)
  divisions <- order[!duplicated(unlist(part("beyond"))[order])]
  values <- order[!duplicated(value[order])]
  do.call(cbind, part("sharp"))[
    , union(head(divisions, most), head(values, min(most, 4))),
    drop = FALSE
  ]
}

# Links of bounded range: constants that are inside, else a point on the way from 0 to the first.
bounded_starts <- function(model, first, most) {
  data <- model$data
  constant <- function(level) project(model, level - (data$offset %||% 0))
  feasible <- function(b) {
    inside_link(predictor_of(model$z, b, data$offset), data$link)
  }
  shares <- if (most > 1) {
    truth_curve(data$link)$inverse(c(0.5, 0.1, 0.02))
  }
  points <- Filter(feasible, c(list(first), lapply(shares, constant)))
  near <- c(
    list(constant(if (data$link == "log") -1 else 0.5)),
    lapply(c(0.5, 0.25, 0.1, 0.01), `*`, first)
  )
  if (!length(points)) points <- Filter(feasible, near)
  if (length(points)) with_psi(do.call(cbind, points), model)
}

# ---- points and directions that are spread evenly ----

# The start of the moments, and the two highest of each 48 points that are spread evenly around it,
# at distances in turn, each beside its opposite.
spread_starts <- function(model, starts) {
  if (starts == 1) return(cbind(model$start))
  n_blocks <- starts - 1
  far <- rep_len(c(2, 6, 20), n_blocks)
  steps <- spread_ways(model$size, 24 * n_blocks) *
    rep(far, each = 24 * model$size)
  points <- model$start + cbind(steps, -steps)
  blocks <- split(
    seq_len(ncol(points)), rep(rep(seq_len(n_blocks), each = 24), 2)
  )
  value <- loglik_at(model, points)
  best <- lapply(blocks, function(index) {
    index[order(-value[index])[1:2]]
  })
  cbind(model$start, points[, unlist(best), drop = FALSE])
}

# Directions that are spread evenly, as fractional parts of multiples of roots are.
spread_ways <- function(m, many) {
  primes <- sqrt(c(2, 3, 5, 7, 11, 13, 17, 19))[
    (seq_len(m) - 1) %% 8 + 1
  ] + 0.618034 * ((seq_len(m) - 1) %/% 8)
  unit_columns(qnorm(outer(primes, seq_len(many)) %% 1))
}

# Coefficients whose linear predictor comes nearest to `target`.
project <- function(model, target) {
  k <- seq_len(model$k)
  as.vector(
    solve(
      metric(model)[k, k], crossprod(model$z, model$data$weight * target)
    )
  )
}

unit_columns <- function(ways) {
  size <- sqrt(colSums(ways^2))
  ways[, size > 1e-9, drop = FALSE] /
    rep(size[size > 1e-9], each = nrow(ways))
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

# A maximum in the unit of the weights that were given.
in_units <- function(best, unit) {
  parts <- c("value", "values", "decrement")
  best[parts] <- lapply(best[parts], `*`, unit)
  best
}
