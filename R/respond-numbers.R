# Numbers in: into bins, or onto the scale from -1 to 1; and reports that are numbers.

# Numbers are put in their bins; the error names no value, which would be somebody's answer.
#' @export
prepare_answers.rr_square_wave <- function(mechanism, x) {
  if (is.null(mechanism$breaks) || !is.numeric(x) || is.factor(x)) return(NextMethod())
  bin <- findInterval(x, mechanism$breaks, rightmost.closed = TRUE)
  stray <- which(is.na(bin) | bin < 1L | bin >= length(mechanism$breaks))
  if (length(stray) && is.na(x[stray[1]])) abort_answer(as.double(x), stray[1], mechanism)
  if (length(stray)) abort_outside(stray, mechanism$breaks)
  prepare_answers.rr_mechanism(mechanism, bin)
}

# Answers outside the range of a mechanism of numbers.
abort_outside <- function(stray, range) {
  bounds <- format(range[c(1, length(range))], digits = 15, trim = TRUE)
  abort(c("{.arg x} must lie within the mechanism's range, from {bounds[1]} to {bounds[2]}.",
          x = "Answer {format_count(stray[1])} does not{if (length(stray) > 1) sprintf('; %s answers do not', format_count(length(stray)))}.",
          i = "Cut them to the range first, for all alike, or choose a wider one."), "level")
}

# ---- means ----

# Numbers on the scale from -1 to 1.
#' @export
prepare_answers.rr_mean <- function(mechanism, x) {
  if (!(is.numeric(x) || is.logical(x)) || is.factor(x) || length(dim(x)) > 1L) {
    abort(c("{.arg x} must be numbers.", x = "It is {describe_kind(x)}."), "argument")
  }
  range <- mechanism$range
  stray <- which(is.na(x) | x < range[1] | x > range[2])
  if (length(stray) && is.na(x[stray[1]])) abort_answer(as.double(x), stray[1], mechanism)
  if (length(stray)) abort_outside(stray, range)
  pmin(pmax((as.double(x) - mean(range)) / (diff(range) / 2), -1), 1)
}

# Positions are of no use here: answers are numbers from -1 to 1.
#' @export
rr_draw_reports.rr_mean <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  if (!is.numeric(answers) || anyNA(answers) || any(abs(answers) > 1)) {
    abort(c("{.arg answers} must be numbers from -1 to 1.", x = "It is {describe(answers)}."), "argument")
  }
  reports <- numeric(length(answers))
  fine <- draw_coins(length(answers), mechanism$share, 1 - mechanism$share, rng)
  for (part in list(list(which(fine), mechanism$fine), list(which(!fine), mechanism$coarse))) {
    reports[part[[1]]] <- draw_window(answers[part[[1]]], part[[2]], rng)
  }
  reports
}

#' @export
decode_answers.rr_mean <- function(mechanism, reports, x) {
  stats::setNames(mean(mechanism$range) + diff(mechanism$range) / 2 * reports, names(x))
}

# An answer is rounded to one of its two neighbours on the grid, at random and without bias; its window is drawn from with the window's
# chance, else all cells; the cell is read so that its mean is the answer. See R/mechanism-mean.R.
draw_window <- function(t, grid, rng) {
  n <- length(t)
  place <- (t + 1) / 2 * grid$steps
  start <- floor(place)
  fraction <- (draw_uniform(n, 2^30, rng) + draw_uniform(n, 2^30, rng) / 2^30) / 2^30
  start <- pmin(start + (fraction < place - start), grid$steps)
  own <- draw_coins(n, grid$chance, grid$other, rng)
  cell <- draw_uniform(n, grid$steps + grid$window, rng)
  cell[own] <- (start + draw_uniform(n, grid$window, rng))[own]
  window_values(grid, cell)
}

# n whole numbers from 0 to size - 1, all equally likely: a report that does not depend on the truth.
draw_uniform <- function(n, size, rng) {
  if (size == 1 || n == 0) return(numeric(n))
  result <- .Call(C_rr_perturb, rep(1L, n), 1L, as.double(c(size, size)), plan_kind(list(kind = "grr")), c(1 / size, 1 / size, 0), generator(rng))
  if (result$failed) abort_generator(rng)
  result$reports - 1
}

# n coins that are TRUE with probability p, rounded down on the grid; `other` is 1 - p.
draw_coins <- function(n, p, other, rng) {
  if (n == 0 || p == 0) return(logical(n))
  result <- .Call(C_rr_perturb, rep(2L, n), 1L, c(2, 2), plan_kind(list(kind = "binary")), c(p, other, 0, 1), generator(rng))
  if (result$failed) abort_generator(rng)
  result$reports == 2L
}
