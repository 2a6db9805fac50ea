#' Sizes of unions, intersections and differences of noisy sets
#'
#' Each of several sets over one universe was reported with noise: whether it holds an element was reported wrongly with a
#' known probability. How many elements are in at least one of the sets (`rr_union_size()`), in all of them
#' (`rr_intersection_size()`), in the first but in none of the others (`rr_difference_size()`)? And which share of the
#' union is in the intersection (`rr_jaccard()`)?
#'
#' An unbiased estimate of the OR (or AND) of each element comes from its noisy bits, see [rr_any()]; these estimates are added up over the
#' universe. Nobody needs to know which elements the sets hold, and the estimate of one element does not reveal it.
#'
#' **The standard error** is about the randomisation; the sets are fixed. Its square is the unbiased
#' \eqn{\sum \hat Y (\hat Y - 1)}{sum Y-hat (Y-hat - 1)}. `std.error.max` is the standard error under the least favourable
#' sets; its square is \eqn{m} times the
#' variance of an element in none of the sets (for intersections, in all of them). It is used in place of the
#' estimated standard error where the unbiased variance estimate is negative. The standard error grows exponentially with the number of sets; when `std.error.max`
#' exceeds 1000 elements, a warning says how large it may be.
#'
#' **Intervals.** `"wald"` is the estimate plus or minus a multiple of the standard error, cut to \eqn{[0, m]} but not to a point. `"exact"` has guaranteed coverage for any
#' sets and any size of universe, and is wider. For one set it inverts the distribution of the number of reported
#' elements, two binomials added. For several it inverts Chernoff's bound, with the least favourable membership
#' pattern of every element; this needs one flip probability for all sets, or at most 8 sets.
#'
#' @param sets The reported sets, as one of
#'   * a matrix or data frame of 0 and 1 (or `TRUE` and `FALSE`), elements in rows, sets in columns;
#'   * a list of vectors, each of the elements that one set *reports*, with `universe`;
#'   * a tally of [rr_bit_tally()] or [rr_bit_counts()], which holds for every element how many sets report it
#'     (not for differences, which need each set).
#' @param flip Probability that a membership was reported wrongly: one number, one for each set (with the sets' names in any
#'   order), or a matrix with one for each element and set. Any value from 0 to 1 but 1/2. Left out for a tally.
#' @param universe For a list of sets: the labels of all elements, or their number when sets hold numbers from 1 on.
#' @param conf.level Confidence level, between 0 and 1.
#' @param interval `"wald"` or `"exact"`, see *Details*.
#' @param cumulative Estimate after the first set, after the first two, and so on? `plot()` draws this.
#' @param ... Not used, and refused.
#' @return An object of class `rr_set_size`. `tidy()` gives `term`, `sets` (how many), `estimate`, `std.error`,
#'   `std.error.max` and, with `conf.int = TRUE`, `conf.low` and `conf.high`. Estimates may be negative or above the
#'   universe: they are unbiased, and not clipped. `coef()`, `confint()`, `vcov()` and `as.data.frame()` work too.
#' @section Errors and warnings:
#' As in [rr_bit_tally()]; `candor_error_level` for an element outside the universe, by set and element.
#' `candor_warning_variance` when the noise is too much for so many sets; `candor_warning_ratio` when the
#' denominator of a Jaccard index is within two standard errors of 0.
#' @seealso [rr_incidence()] for the number of elements in exactly, or at least, t sets.
#' @source Hehir, J. (2023). Easier estimation of extremes under randomized response, section 1 and Theorems 1 and 3.
#'
#'   Chernoff, H. (1952). A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
#'   observations. *Annals of Mathematical Statistics* 23(4), 493-507. \doi{10.1214/aoms/1177729330}
#' @examples
#' # Three clinics report, each membership with 10% of noise, which of 500 patients they have seen
#' set.seed(1)
#' seen <- cbind(north = 1:500 %in% 1:200, west = 1:500 %in% 151:300, south = 1:500 %in% 181:260)
#' reports <- xor(seen, runif(1500) < 0.1)
#' rr_union_size(reports, flip = 0.1)          # truth: 300
#' rr_intersection_size(reports, flip = 0.1)   # truth: 20
#' rr_difference_size(reports[, 1:2], flip = 0.1)   # north but not west: 150
#' rr_jaccard(reports[, 1:2], flip = 0.1)      # 50 of 300
#' tidy(rr_union_size(reports, flip = 0.1, cumulative = TRUE), conf.int = TRUE)
#'
#' # As lists of what was reported
#' rr_union_size(list(c("a", "b"), c("b", "d")), flip = 0.05, universe = letters[1:6])
#' @export
rr_union_size <- function(sets, flip, universe = NULL, conf.level = 0.95, interval = c("wald", "exact"),
                          cumulative = FALSE, ...) {
  check_dots_empty(...)
  set_size("union", sets, flip, universe, conf.level, interval, cumulative)
}

#' @rdname rr_union_size
#' @export
rr_intersection_size <- function(sets, flip, universe = NULL, conf.level = 0.95, interval = c("wald", "exact"),
                                 cumulative = FALSE, ...) {
  check_dots_empty(...)
  set_size("intersection", sets, flip, universe, conf.level, interval, cumulative)
}

set_size <- function(what, sets, flip, universe, conf.level, interval, cumulative) {
  interval <- check_choice(interval, "interval", c("wald", "exact"), renamed = c(normal = "wald"))
  conf.level <- check_level(conf.level)
  check_flag(cumulative, "cumulative")
  data <- read_sets(sets, if (missing(flip)) NULL else flip, universe)
  rows <- if (cumulative) {
    if (is.null(data$bits)) {
      abort(c("{.arg cumulative} needs the sets apart.", x = "A tally has added them up.",
              i = "Give a matrix or a list of sets."), "argument")
    }
    lapply(seq_len(data$n), function(k) size_row(what, first_sets(data, k), conf.level, interval))
  } else list(size_row(what, data, conf.level, interval))
  result <- new_rr_set_size(what, do.call(rbind, rows), data$m, data$flip, conf.level, interval)
  last <- result$table[nrow(result$table), ]
  warn_variance(last$std.error.max^2, universe = data$m, estimated = last$std.error)
  result
}

size_row <- function(what, data, conf.level, interval) {
  totals <- set_totals(data)
  row <- size_of(totals[[what]], totals[[paste0(what, "_variance")]], totals$bound, data, what, conf.level)
  if (interval == "exact") row[c("conf.low", "conf.high")] <- exact_size(what, row$estimate, data, conf.level)
  row
}

# One estimate with its errors and its Wald interval.
size_of <- function(estimate, variance, bound, data, term, conf.level) {
  largest <- sqrt(bound)
  error <- root(variance)
  half <- normal_quantile(conf.level) * (if (is.na(error)) largest else error)
  bounds <- normal_interval(estimate, half, 0, data$m)
  data.frame(term = term, sets = data$n, estimate = estimate, std.error = error, std.error.max = largest,
             conf.low = bounds$low, conf.high = bounds$high)
}

# Totals of the kernels. `invert` marks sets whose complement is meant.
set_totals <- function(data, invert = NULL) {
  if (!is.null(data$bits)) {
    flips <- if (length(data$flip) == 1L) rep(data$flip, data$n) else data$flip
    result <- .Call(C_rr_cardinality, data$bits, data$m, data$n, flips, is.matrix(flips), invert)
    if (!is.null(result$position) && !result$in_flips) abort_bit(data$bits, result$position, "sets")
    return(check_kernel(result, data$bits, flips, "sets"))
  }
  tally <- data$tally
  if (is.null(tally$state)) {
    histogram <- tabulate(tally$ones + 1, tally$n + 1)
    return(.Call(C_rr_cardinality_histogram, as.double(histogram), tally$flip))
  }
  any <- tally_value(tally, "any")
  all <- tally_value(tally, "all")
  list(elements = data$m, union = sum(any$estimate), union_variance = sum(any$variance),
       intersection = sum(all$estimate), intersection_variance = sum(all$variance),
       covariance = sum(all$estimate * (any$estimate - 1)), bound = sum(any$bound))
}

first_sets <- function(data, k) {
  data$bits <- data$bits[, seq_len(k), drop = FALSE]
  data$flip <- if (is.matrix(data$flip)) data$flip[, seq_len(k), drop = FALSE] else
    if (length(data$flip) > 1L) data$flip[seq_len(k)] else data$flip
  data$n <- k
  data
}

#' @rdname rr_union_size
#' @export
rr_difference_size <- function(sets, flip, universe = NULL, conf.level = 0.95, interval = c("wald", "exact"), ...) {
  check_dots_empty(...)
  interval <- check_choice(interval, "interval", c("wald", "exact"), renamed = c(normal = "wald"))
  conf.level <- check_level(conf.level)
  data <- read_sets(sets, if (missing(flip)) NULL else flip, universe, apart = TRUE)
  # In the first and not in the others: an intersection with complements.
  invert <- c(FALSE, rep(TRUE, data$n - 1))
  totals <- set_totals(data, invert)
  row <- size_of(totals$intersection, totals$intersection_variance, totals$bound, data, "difference", conf.level)
  if (interval == "exact") {
    row[c("conf.low", "conf.high")] <- exact_size("intersection", row$estimate, data, conf.level)
  }
  warn_variance(row$std.error.max^2, universe = data$m, estimated = row$std.error)
  new_rr_set_size("difference", row, data$m, data$flip, conf.level, interval)
}

#' @rdname rr_union_size
#' @export
rr_jaccard <- function(sets, flip, universe = NULL, conf.level = 0.95, ...) {
  check_dots_empty(...)
  conf.level <- check_level(conf.level)
  data <- read_sets(sets, if (missing(flip)) NULL else flip, universe)
  totals <- set_totals(data)
  ratio <- totals$intersection / totals$union
  # Var(I - J U) / U^2, to first order; it may be negative like its parts.
  variance <- (totals$intersection_variance - 2 * ratio * totals$covariance + ratio^2 * totals$union_variance) /
    totals$union^2
  largest <- sqrt(totals$bound) * (1 + abs(ratio)) / abs(totals$union)
  if (!(totals$union > 2 * (root(totals$union_variance) %|na|% largest))) {
    warn(c("The union may be empty, so the Jaccard index means little.",
           x = "Its estimated size is {format_number(totals$union)}."), "ratio")
  }
  error <- root(variance)
  bounds <- normal_interval(ratio, normal_quantile(conf.level) * (error %|na|% largest), 0, 1)
  row <- data.frame(term = "jaccard", sets = data$n, estimate = ratio, std.error = error, std.error.max = largest,
                    conf.low = bounds$low, conf.high = bounds$high)
  new_rr_set_size("jaccard", row, data$m, data$flip, conf.level, "wald")
}

`%|na|%` <- function(x, y) if (is.na(x)) y else x

# Reported sets in any of their forms: list(bits or tally, m, n, flip, labels). `apart`: sums over sets will not do.
read_sets <- function(sets, flip, universe, apart = FALSE) {
  if (inherits(sets, "rr_bit_tally")) {
    if (apart) {
      abort(c("A difference needs the sets apart.", x = "A tally has added them up.",
              i = "Give a matrix or a list of sets."), "argument")
    }
    check_tally_flip(sets, flip, "sets")
    return(list(tally = sets, m = length(sets$ones), n = sets$n, flip = sets$flip, labels = sets$labels))
  }
  if (is.null(flip)) {
    abort(c("{.arg flip} is needed: the probability that a membership was reported wrongly.",
            i = "For randomized response at {.arg epsilon} it is {.code plogis(-epsilon)}."), "argument")
  }
  if (is.list(sets) && !is.data.frame(sets)) sets <- list_to_bits(sets, universe)
  else if (!is.null(universe)) {
    abort(c("{.arg universe} is for a list of sets.", x = "The rows of a matrix are the universe."), "argument")
  }
  bits <- check_bits(sets, "sets")
  if (!is.matrix(bits)) {
    abort(c("{.arg sets} must be a matrix (elements in rows, sets in columns), a list of sets, or a tally.",
            x = "It is {describe(sets)}.",
            i = "Is it one set? Give it as a matrix of one column."), "argument")
  }
  m <- nrow(bits)
  n <- ncol(bits)
  flip <- name_flips(flip, colnames(bits))
  list(bits = bits, m = m, n = n, flip = check_flip(flip, m, n), labels = rownames(bits))
}

list_to_bits <- function(sets, universe) {
  if (is.null(universe)) {
    abort(c("{.arg universe} is needed with a list of sets: all elements there are, or how many.",
            i = "An element that no set reports counts too: it may be in one of them."), "argument")
  }
  if (!length(sets)) abort(c("{.arg sets} holds no sets."), "empty")
  numbered <- is.numeric(universe) && length(universe) == 1L
  if (numbered) universe <- seq_len(check_count(universe, "universe", min = 1, max = .Machine$integer.max))
  if (!is.atomic(universe)) {
    abort(c("{.arg universe} must be the labels of all elements, or their number.", x = "It is {describe(universe)}."),
          "argument")
  }
  if (anyNA(universe) || anyDuplicated(universe)) {
    abort(c("{.arg universe} must name each element once, without NA.",
            x = if (anyNA(universe)) "It has a missing label." else "A label appears twice."), "argument")
  }
  bits <- matrix(0L, length(universe), length(sets),
                 dimnames = list(if (!numbered) label_text(universe), names(sets)))
  for (j in seq_along(sets)) {
    name <- names(sets)[j] %||% ""
    which <- if (nzchar(name)) encodeString(name, quote = "\"") else as.character(j)
    if (!is.atomic(sets[[j]]) && !is.null(sets[[j]])) {
      abort(c("Each set must be a vector of the elements that it reports.",
              x = "Set {which} is {describe(sets[[j]])}."), "argument")
    }
    at <- match(sets[[j]], universe)
    if (anyNA(at)) {
      value <- sets[[j]][[match(NA, at)]]
      abort(c("Sets must lie in the universe.", x = "Set {which} holds {describe(value)}, which does not."),
            "level")
    }
    bits[at, j] <- 1L
  }
  bits
}
