#' Quantiles, medians and cumulative distributions
#'
#' `rr_quantile()` estimates quantiles of ordered answers: numbers, ordered factors, and the mechanisms [rr_square_wave()], [rr_hierarchy()] and [rr_geometric()].
#'
#' The quantile is the level at which the cumulative share reaches the probability. If levels are bins of numbers, it is interpolated within its bin, as if
#' numbers were uniform there. Cumulative shares of unbiased estimates may decrease; they are replaced by their isotonic regression.
#'
#' Intervals are Woodruff's: the levels at which the cumulative share reaches the limits of its own interval, see [rr_contrast()]. The standard error is the distance of
#' the limits divided by the distance of the normal quantiles. It is `NA` if both limits are the same level, because the levels are then too coarse.
#'
#' `rr_contrast(fit, cumulative = TRUE)` estimates cumulative shares themselves. Fits by `"smoothed"` have no standard errors; use `"mle"`.
#'
#' @param fit A fit of [rr_estimate()], grouped or not, of one question with ordered levels.
#' @param probs Probabilities, numbers from 0 to 1; default the quartiles.
#' @param breaks Increasing numbers that bound the bins of the levels, one more than there are levels; default the breaks of the mechanism, if it has any.
#'   Ages in completed years, with levels 0 to 99, have the breaks `0:100`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param ... Not used; further arguments give an error.
#' @return A tibble of class `rr_quantile` with one row per group and probability: the groups, `prob`, `level` (the label of the level that contains the quantile), `estimate`,
#'   `std.error`, `conf.low`, `conf.high`. The numbers are positions of levels if the levels are not numbers and there are no breaks. [plot()][autoplot.rr_compare] draws it.
#' @section Errors:
#' `candor_error_argument`, also for fits without ordered levels. See [candor_conditions].
#' @references Woodruff, R. S. (1952). Confidence intervals for medians and other position measures. *Journal of the American Statistical
#'   Association* 47(260), 635-646. \doi{10.1080/01621459.1952.10483443}
#' @seealso [rr_contrast()] for cumulative shares and, with the middles of the bins as weights, for means.
#' @concept median
#' @concept percentile
#' @concept cumulative distribution function
#' @examples
#' # What are the deciles and the median of a variable reported by the square wave mechanism?
#' mechanism <- rr_square_wave(seq(0, 100, by = 5), epsilon = 2)
#' set.seed(1)
#' reports <- rr_perturb(100 * rbeta(20000, 2, 3), mechanism, rng = "R")
#' fit <- rr_estimate(reports, mechanism)
#' rr_quantile(fit, c(0.1, 0.5, 0.9))
#' 100 * qbeta(c(0.1, 0.5, 0.9), 2, 3)
#' # The truth is 14, 39 and 68; all three intervals contain it
#' @export
rr_quantile <- function(fit, probs = c(0.25, 0.5, 0.75), breaks = NULL, conf.level = 0.95, ...) {
  check_dots_empty(...)
  check_ordered_fit(fit)
  probs <- check_probabilities(probs, "probs")
  conf.level <- check_level(conf.level)
  edges <- quantile_edges(fit$mechanism, breaks)
  tell_no_intervals(fit)
  tables <- lapply(seq_len(NCOL(fit$estimate)), quantile_rows, fit = fit, probs, edges, conf.level)
  positions <- is.null(edges$breaks) && is.null(level_numbers(fit$mechanism))
  new_rr_table(bind_groups(tables, fit$tally$groups), "rr_quantile", keys = c(names(fit$tally$groups), "prob"),
               conf.level = conf.level, n = fit$tally$n, target = fit$target,
               title = paste("Quantiles from", report_words(fit$tally)), axis_kind = "value",
               axis = if (positions) "Quantile, as the position of a level" else "Quantile")
}

quantile_rows <- function(fit, g, probs, edges, conf.level) {
  shares <- monotone_shares(group_estimate(fit, g))
  reach <- cumulative_reach(fit, g, shares, probs, conf.level)
  found <- reach_share(shares, probs, edges)
  low <- reach_share(shares, pmax(probs - reach$below, 0), edges)
  high <- reach_share(shares, pmin(probs + reach$above, 1), edges)
  spread <- (high$value - low$value) / (2 * normal_quantile(conf.level))
  tibble::tibble(prob = probs, level = fit$mechanism$levels[found$level], estimate = found$value,
                 std.error = ifelse(spread > 0, spread, NA_real_), conf.low = low$value, conf.high = high$value)
}

# What bounds the levels: breaks between which quantiles are interpolated, or the levels' own values.
quantile_edges <- function(mechanism, breaks) {
  k <- length(mechanism$levels)
  breaks <- breaks %||% mechanism$breaks
  if (is.null(breaks)) return(list(values = level_numbers(mechanism) %||% seq_len(k)))
  check_that(is.numeric(breaks) && !is.object(breaks) && length(breaks) == k + 1 && all(is.finite(breaks)) &&
               all(diff(breaks) > 0), breaks, "breaks", paste(k + 1, "increasing numbers, the bounds of the levels"))
  list(breaks = as.double(breaks))
}

# Cumulative shares that do not fall, from 0 to 1: unbiased estimates may be negative.
monotone_shares <- function(estimate) {
  shares <- cumsum(estimate)
  if (any(estimate < 0)) shares <- stats::isoreg(shares)$yf
  c(nearest(shares[-length(shares)], 0, 1), 1)
}

# The level that reaches each share, and its value.
reach_share <- function(shares, probs, edges) {
  # Sums of shares that should be equal to a probability differ from it by roundings.
  level <- vapply(probs, function(p) if (is.na(p)) NA_integer_ else which(shares >= p - 1e-12)[1], 1L)
  if (is.null(edges$breaks)) return(list(level = level, value = as.double(edges$values[level])))
  before <- c(0, shares)[level]
  gain <- shares[level] - before
  part <- ifelse(gain > 0, pmin(pmax((probs - before) / gain, 0), 1), 0)
  list(level = level, value = edges$breaks[level] + part * (edges$breaks[level + 1] - edges$breaks[level]))
}

# How far the interval of the cumulative share at each quantile reaches below and above it: between those at both ends
# of the level, as the quantile is. Intervals hold at the boundary, where standard errors would not.
cumulative_reach <- function(fit, g, shares, probs, level) {
  k <- length(shares)
  found <- reach_share(shares, probs, list(breaks = seq(0, k)))
  wanted <- sort(unique(c(found$level - 1L, found$level)))
  inside <- wanted[wanted > 0L & wanted < k]
  below <- above <- numeric(length(wanted))
  if (length(inside)) {
    rows <- cumulative_rows(fit, inside)[(g - 1) * length(inside) + seq_along(inside), , drop = FALSE]
    sums <- withCallingHandlers(rr_contrast(fit, rows, level),
                                candor_warning_boundary = function(w) invokeRestart("muffleWarning"),
                                candor_message_no_intervals = function(m) invokeRestart("muffleMessage"))
    below[match(inside, wanted)] <- sums$estimate - sums$conf.low
    above[match(inside, wanted)] <- sums$conf.high - sums$estimate
  }
  part <- found$value - (found$level - 1)
  between <- function(x) (1 - part) * x[match(found$level - 1L, wanted)] + part * x[match(found$level, wanted)]
  list(below = between(below), above = between(above))
}
