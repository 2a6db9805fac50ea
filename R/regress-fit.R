# From a design matrix and reports to the maximum: identical rows are put together, columns are made orthogonal, the
# kernel climbs from several starts, and what ran to infinity is taken to its limit. Nothing here draws random numbers.

ascent_options <- c(tolerance = 1e-12, longest = 3, limit = 200, edge = 3e-7)

# `data`: x, y (share of yes), weight, offset | NULL, arm | NULL, device, link, unknown | NULL.
regress_model <- function(data, x = data$x, barrier = 0) {
  weight <- data$weight
  # The kernel is quicker where every row is one answer.
  if (barrier == 0 && all(weight == 1)) weight <- NULL
  device <- data$device %||% matrix(0, 5, ncol(data$unknown))
  list(x, data$y, weight, data$offset, data$arm, device, match(data$link, regress_links) - 1L, barrier, data$unknown)
}

regress_value <- function(data, at) .Call(C_rr_regress_value, regress_model(data), as.double(at))

regress_rows <- function(eta, y, arm, device, link) {
  .Call(C_rr_regress_rows, as.double(eta), y, arm, device, match(link, regress_links) - 1L)
}

take_rows <- function(data, rows) {
  data$x <- data$x[rows, , drop = FALSE]
  for (part in c("y", "weight", "offset", "arm")) if (!is.null(data[[part]])) data[[part]] <- data[[part]][rows]
  data
}

# Rows that are the same are one row with the sum of their weights, where that makes the table at least four times
# shorter.
collapse_rows <- function(data) {
  n <- length(data$y)
  if (n < 200) return(data)
  limit <- min(n %/% 4, 1e6)
  patterns <- .Call(C_rr_regress_collapse, data$x, data$y, data$weight, data$offset, data$arm, as.double(limit))
  if (is.null(patterns)) return(data)
  data <- take_rows(data, patterns$first)
  data$y <- patterns$y
  data$weight <- patterns$weight
  data
}

# Columns of unit size that are orthogonal over the weighted rows, without those that are combinations of others:
# x[, keep] = z solve(back).
regress_basis <- function(data) {
  size <- sqrt(data$weight / mean(data$weight))
  fit <- stats::.lm.fit(data$x * size, numeric(length(size)), tol = 1e-11)
  rank <- fit$rank
  keep <- fit$pivot[seq_len(rank)]
  back <- backsolve(fit$qr[seq_len(rank), seq_len(rank), drop = FALSE], diag(rank)) * sqrt(length(size))
  list(keep = keep, back = back, z = data$x[, keep, drop = FALSE] %*% back, rank = rank)
}

# The share of true yes by moments, clipped, as the constant to begin with.
moment_share <- function(data) {
  n <- length(data$y)
  device <- if (is.null(data$unknown)) data$device else unknown_at(data$unknown, 0.5)
  row <- row_device(device, data$arm, n)
  share <- sum(data$weight * row$d * (data$y - row$q)) / sum(data$weight * row$d^2)
  if (!is.finite(share)) share <- 0.5
  min(0.95, max(0.05, share))
}

project <- function(z, weight, target) as.vector(crossprod(z, weight * target)) / sum(weight)

# Numbers from -2 to 2 that are the same on every machine: Park and Miller's generator.
spread_numbers <- function(n, seed) {
  state <- seed * 48271 %% 2147483647
  vapply(seq_len(n), function(i) {
    state <<- (state * 16807) %% 2147483647
    4 * state / 2147483647 - 2
  }, 0)
}

inside_link <- function(eta, link) {
  switch(link, log = all(eta < -1e-9), identity = all(eta > 1e-9 & eta < 1 - 1e-9), TRUE)
}

predictor_of <- function(x, b, offset) {
  eta <- as.vector(x %*% b)
  if (is.null(offset)) eta else eta + offset
}

# Starting points in the basis z, which do not change from run to run: the constant share and points around 0, `starts`
# in all, and where there is more than one also steep slopes among rare and among frequent truths.
regress_starts <- function(data, z, starts, start) {
  link <- data$link
  k <- ncol(z)
  offset <- data$offset
  constant <- truth_curve(link)$inverse(moment_share(data))
  weighed <- data$weight > 0
  feasible <- function(b) inside_link(predictor_of(z, b, offset)[weighed], link)
  first <- project(z, data$weight, constant - (offset %||% 0))
  if (!feasible(first)) first <- feasible_start(data, z, first, feasible)
  bounded <- link %in% c("log", "identity")
  steep <- if (!bounded && starts > 1) steep_starts(data, z)
  points <- list(first)
  for (s in seq_len(starts)[-1]) {
    step <- spread_numbers(k, s)
    if (bounded) {
      while (!feasible(first + step)) step <- step / 2
      step <- first + step
    }
    points[[s]] <- step
  }
  c(if (!is.null(start)) list(start), points, steep)
}

# Where truths are rare or frequent the likelihood is not concave, and beside a flat maximum it may have a steep one:
# few truths of yes but where the covariates are extreme. From the constant no climb leads there. These starts do:
# nearly all truths are no, or yes, and the slopes go the way in which the reports do (the score of a constant share).
steep_starts <- function(data, z) {
  device <- if (is.null(data$unknown)) data$device else unknown_at(data$unknown, 0.5)
  row <- row_device(device, data$arm, length(data$y))
  way <- project(z, data$weight, row$d * (data$y - row$q - row$d * moment_share(data)))
  size <- sqrt(sum(way^2))
  if (!is.finite(size) || size < 1e-12 || ncol(z) == 1L) return(NULL)
  lapply(truth_curve(data$link)$inverse(c(0.007, 0.993)), function(level) {
    project(z, data$weight, level - (data$offset %||% 0)) + 0.6 * abs(level) / size * way
  })
}

# For links of bounded range: a constant elsewhere, or the search for any point inside by pulling the worst row in.
feasible_start <- function(data, z, first, feasible) {
  link <- data$link
  middle <- if (link == "log") -1 else 0.5
  offset <- data$offset %||% 0
  for (b in c(list(project(z, data$weight, middle - offset), first / 4), lapply(c(0.5, 0.1, 0.01),
                                                                                function(s) s * first))) {
    if (feasible(b)) return(b)
  }
  b <- first
  for (step in seq_len(2000)) {
    eta <- predictor_of(z, b, data$offset)
    over <- if (link == "log") eta + 0.05 else pmax(eta - 0.95, 0.05 - eta)
    worst <- which.max(ifelse(data$weight > 0, over, -Inf))
    if (feasible(b)) return(b)
    row <- z[worst, ]
    aim <- if (link == "log" || eta[worst] > 0.5) -over[worst] - 0.02 else over[worst] + 0.02
    b <- b + row * aim / sum(row^2)
  }
  abort(c("No coefficients were found that keep every truth from 0 to 1 under the {.val {link}} link.",
          i = "Add an intercept, give {.arg start}, or use {.code link = \"logit\"}."), "argument")
}

# One climb. `at` is in the coordinates of x.
climb <- function(data, x, at, options = ascent_options) {
  if (!is.null(data$unknown)) {
    # The unknown number begins inside its range, from where it can move.
    at <- if (length(at) == ncol(x)) c(at, 0.5) else replace(at, length(at), min(0.99, max(0.01, at[length(at)])))
  }
  fit <- .Call(C_rr_regress_fit, regress_model(data, x), as.double(at), as.double(options))
  n <- stats::setNames(fit$numbers, c("value", "decrement", "edge", "last", "iterations", "definite", "runaway",
                                      "stalled"))
  result <- list(at = fit$at, step = fit$step, value = n[["value"]], decrement = n[["decrement"]], edge = n[["edge"]],
                 iterations = n[["iterations"]], finite = n[["definite"]] == 1 && n[["runaway"]] == 0 &&
                 n[["stalled"]] == 0,
                 runaway = n[["runaway"]] == 1)
  # Doubles allow no further rise, and what is left is below rounding: as good as finished.
  if (!result$finite && !result$runaway && n[["definite"]] == 1 && is.finite(result$value) &&
      result$decrement <= 1e-9 * (1 + abs(result$value)) && n[["last"]] < 0.02) result$finite <- TRUE
  if (is.null(data$unknown)) result else climb_at_end(data, x, result, options)
}

# All climbs. The later ones go only so far as to see whether they lead to the maximum of the first start, which most
# do, and with many rows they use a part of the rows for that. What leads elsewhere climbs to the end, with all rows.
# So rr_glm() with 5 starts takes 1.4 times as long as with 1 at 1e4 rows, and 1.0 to 1.3 times at 1e5.
climb_all <- function(data, basis, points) {
  first <- climb(data, basis$z, points[[1]])
  if (!first$finite || length(points) == 1L) {
    return(c(list(first), lapply(points[-1], function(at) climb(data, basis$z, at))))
  }
  n <- length(data$y)
  some <- data
  z <- basis$z
  known <- first
  if (n >= thin_rows) {
    rows <- seq(1, n, by = n %/% (thin_rows %/% 4))
    some <- take_rows(data, rows)
    z <- z[rows, , drop = FALSE]
    known <- climb(some, z, first$at)
  }
  c(list(first), lapply(points[-1], function(at) {
    near <- climb(some, z, at, rough_options)
    if (known$finite && near$finite && max(abs(z %*% (near$at - known$at)[seq_len(ncol(z))])) < 0.03) return(first)
    climb(data, basis$z, if (near$finite) near$at else at)
  }))
}

thin_rows <- 8000
rough_options <- replace(ascent_options, "tolerance", 1e-5)

# Maximum over the range of a bounded link: the climb stopped at its end, so it goes on inside, along a barrier that is
# lowered step by step.
climb_inside <- function(data, x, at) {
  # The climb may have ended on the boundary itself: back a little, towards where it is allowed to be.
  fit <- NULL
  for (barrier in 10^-(2:11) * sum(data$weight)) {
    fit <- .Call(C_rr_regress_fit, regress_model(data, x, barrier = barrier / length(data$y)), as.double(at),
                 as.double(ascent_options))
    at <- fit$at
  }
  value <- .Call(C_rr_regress_value, regress_model(data, x), at)$value
  list(at = at, step = numeric(length(at)), value = value, decrement = 0, edge = 1, iterations = fit$numbers[5],
       finite = TRUE,
       runaway = FALSE, pressed = TRUE)
}

# The fit in the columns of x: list(coefficients (0 for aliased), keep, value, finite, values of all starts, ...).
regress_maximum <- function(data, starts = 5, start = NULL) {
  data <- collapse_rows(data)
  data <- if (any(data$weight == 0)) take_rows(data, which(data$weight > 0)) else data
  basis <- regress_basis(data)
  own <- if (!is.null(start)) solve_basis(basis, start)
  points <- regress_starts(data, basis$z, starts, own)
  if (!is.null(data$unknown)) points <- unknown_starts(points)
  fits <- climb_all(data, basis, points)
  if (data$link %in% c("log", "identity") && !any(vapply(fits, `[[`, NA, "finite") | vapply(fits, `[[`, NA,
                                                                                            "runaway"))) {
    # The start is inside, and a barrier needs that.
    fits <- list(climb_inside(data, basis$z, points[[1]]))
  }
  finite <- vapply(fits, `[[`, NA, "finite")
  values <- vapply(fits, `[[`, 0, "value")
  result <- list(data = data, basis = basis, values = values, finite = finite)
  if (any(finite)) {
    best <- which(finite)[which.max(values[finite])]
    return(c(result, list(fit = fits[[best]], limit = NULL)))
  }
  c(result, infinite_maximum(data, basis, fits))
}

solve_basis <- function(basis, start) {
  extra <- start[-seq_len(max(basis$keep, length(basis$keep)))]
  c(solve(basis$back, start[basis$keep]), extra)
}

# Coefficients in the columns of x, 0 for aliased ones.
unscale <- function(basis, b, columns) {
  result <- numeric(columns)
  result[basis$keep] <- as.vector(basis$back %*% b)
  result
}

unscale_matrix <- function(basis, V, columns) {
  extra <- nrow(V) - basis$rank
  back <- rbind(cbind(basis$back, matrix(0, basis$rank, extra)), cbind(matrix(0, extra, basis$rank), diag(extra)))
  result <- matrix(NA_real_, columns + extra, columns + extra)
  places <- c(basis$keep, columns + seq_len(extra))
  result[places, places] <- back %*% V %*% t(back)
  result
}

# Inverse of an information matrix; NULL where it is not positive definite.
invert <- function(J) {
  scale <- sqrt(diag(J))
  if (!all(is.finite(J)) || !all(diag(J) > 0)) return(NULL)
  root <- tryCatch(chol(J / outer(scale, scale)), error = function(e) NULL)
  if (is.null(root) || min(diag(root))^2 < 1e-14) return(NULL)
  chol2inv(root) / outer(scale, scale)
}
