#' The square wave, for distributions of numbers and ordered answers
#'
#' Reports near the truth are more likely than others: the true level and the levels within `half_width` of it have \eqn{e^\epsilon} times the probability of any
#' other level. For ages, incomes and ratings this usually recovers the whole distribution better than mechanisms that ignore the order.
#'
#' **Discrete** (without `reports`): with \eqn{d} levels and half width \eqn{b} there are \eqn{d + 2b} reports, numbered from \eqn{1 - b} to \eqn{d + b}, and
#' \deqn{P(y \mid x) = \frac{e^\epsilon}{(2b + 1)e^\epsilon + d - 1} \;\mathrm{if}\; |y - x| \le b,\quad \frac{1}{(2b + 1)e^\epsilon + d - 1}
#'   \;\mathrm{otherwise.}}{P(y | x) = e^epsilon / ((2b + 1) e^epsilon + d - 1) if |y - x| <= b,
#'   else 1 / ((2b + 1) e^epsilon + d - 1).}
#'
#' The default half width maximizes \eqn{\log(d + 2b)}{log(d + 2b)} less the entropy of a report, a bound on the mutual information. The continuous form uses the same
#' bound.
#'
#' **Continuous, on a grid** (with `reports`): numbers are rescaled so that `breaks` run from 0 to 1. A report is a number from \eqn{-b} to \eqn{1 + b}, of
#' density \eqn{e^\epsilon / (2be^\epsilon + 1)} within \eqn{b} of the truth and \eqn{1 / (2be^\epsilon + 1)} elsewhere, and falls in one of `reports` equal
#' bins. The channel is exact for truths that are uniform within their bins, and [rr_perturb()] draws from it. Its bins smear the wave, so that
#' [rr_epsilon()] is slightly below `epsilon`.
#'
#' The mechanism is a channel, see [rr_channel()], and maximum likelihood is certified. `method = "smoothed"` is the published EM with smoothing. Its
#' estimates are smooth but biased, without standard errors or intervals.
#'
#' @param breaks Increasing numbers that bound the bins. A bin contains its lower bound, and the last bin its upper bound too. Or the number of ordered
#'   levels, or their labels.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param reports `NULL` (default): the discrete form. A whole number, at least 2: number of bins of the reports of the continuous form, which needs
#'   numbers as `breaks`.
#' @param half_width Half width \eqn{b} of the wave; by default the best. Discrete: whole number, from 0 to the number of levels less 1. Continuous: share of
#'   the range, above 0 and at most 1.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_square_wave", "rr_channel", "rr_mechanism")` with `breaks` (or `NULL`), `half_width`, `p` and `q` (probabilities of the
#'   discrete form, densities of the continuous form). [rr_perturb()] takes numbers within the breaks, or labels, and returns the numbers of reports.
#' @section Errors:
#' * `candor_error_argument`: breaks that do not increase, `reports` without breaks, numbers out of range.
#' * `candor_error_level`: in [rr_perturb()], a number outside the breaks, with its position and never its value.
#' @references Li, Z., Wang, T., Lopuhaa-Zwakenberg, M., Li, N. and Skoric, B. (2020). Estimating numerical distributions under local
#'   differential privacy. *SIGMOD*, 621-635. \doi{10.1145/3318464.3389700}, arXiv:1912.01051
#' @seealso [rr_contrast()] and [rr_quantile()], which read the fit; [rr_hierarchy()] for ranges of many levels; [rr_mean()] for the mean alone.
#' @concept ordinal answers
#' @concept distribution of a number
#' @concept ages
#' @examples
#' # How old are 5,000 people? Each reports a noisy bin of ten years
#' mechanism <- rr_square_wave(seq(0, 100, by = 10), epsilon = 2)
#' set.seed(1)
#' ages <- 100 * rbeta(5000, 2, 3)
#' fit <- rr_estimate(rr_perturb(ages, mechanism, rng = "R"), mechanism)
#' tidy(fit, conf.int = TRUE)
#' rr_quantile(fit, 0.5)   # between 30 and 40, at 38
#' # The mean, with each age replaced by the middle of its bin
#' rr_contrast(fit, seq(5, 95, by = 10))   # 40.5 (39.2 to 41.7)
#' @export
rr_square_wave <- function(breaks, epsilon, reports = NULL, half_width = NULL, ...) {
  check_dots_empty(...)
  bins <- check_breaks(breaks)
  epsilon <- check_epsilon(epsilon)
  k <- check_matrix_size(length(bins$labels))
  wave <- if (is.null(reports)) {
    discrete_wave(k, epsilon, half_width)
  } else {
    continuous_wave(
      bins$breaks, epsilon, check_count(reports, "reports", min = 2, max = matrix_limit), half_width
    )
  }
  numbers <- as.double(wave$reports)
  labels <- list(
    levels = bins$labels,
    reports = number_text(numbers),
    numeric = numbers,
    truths = bins$numeric
  )
  mechanism <- new_rr_channel(
    wave$matrix,
    labels,
    wave$design,
    c("square_wave", "channel"),
    breaks = bins$breaks,
    half_width = wave$half_width,
    p = wave$p,
    q = wave$q
  )
  with_recipe(
    with_order(mechanism, list(ordered = TRUE)), "rr_square_wave",
    breaks = bins$breaks %||% level_value(bins$labels, bins$numeric), epsilon = epsilon,
    reports = reports, half_width = wave$half_width, fields = NULL
  )
}

# list(labels, numeric, breaks): bins of numbers, or ordered levels without breaks.
check_breaks <- function(breaks) {
  if (!is_numbers(breaks) || length(breaks) == 1L) {
    levels <- check_levels(breaks, "breaks")
    return(list(labels = levels$labels, numeric = levels$numeric))
  }
  is_valid <- length(breaks) > 2L && all(is.finite(breaks)) &&
    all(diff(breaks) > 0)
  check_that(is_valid, breaks, "breaks", "at least 3 finite numbers that increase")
  breaks <- as.double(breaks)
  # The breaks have as few digits as make them differ.
  for (digits in 3:15) {
    text <- vapply(
      breaks, format, "", digits = digits, trim = TRUE, scientific = FALSE, decimal.mark = "."
    )
    if (!anyDuplicated(text)) break
  }
  if (anyDuplicated(text)) text <- sprintf("%.17g", breaks)
  list(
    labels = paste(text[-length(text)], "to", text[-1]),
    breaks = breaks
  )
}

# ---- respondents ----

# The answers, numbers put in their bins. The error does not name the value, which would be
# somebody's answer.
#' @export
prepare_answers.rr_square_wave <- function(mechanism, x) {
  if (is.null(mechanism$breaks) || !is.numeric(x)) {
    return(NextMethod())
  }
  bin <- findInterval(x, mechanism$breaks, rightmost.closed = TRUE)
  outside <- which(is.na(bin) | bin < 1L | bin >= length(mechanism$breaks))
  abort_outside(x, outside, mechanism, mechanism$breaks)
  prepare_answers.rr_mechanism(mechanism, bin)
}

# ---- the discrete wave ----

discrete_wave <- function(d, epsilon, half_width) {
  b <- if (is.null(half_width)) discrete_half_width(d, epsilon)
       else check_count(half_width, "half_width", min = 0, max = d - 1)
  p <- wave_probability(d, epsilon, b)
  q <- p * exp(-epsilon)
  distance <- abs(
    outer(seq_len(d), seq(1 - b, d + b), `-`)
  )
  matrix <- ifelse(distance <= b, p, q)
  list(
    matrix = matrix / rowSums(matrix),
    reports = seq(1 - b, d + b),
    half_width = b,
    p = p,
    q = q,
    design = sprintf("Square wave (half width %s of %s levels)", format_count(b), format_count(d))
  )
}

wave_probability <- function(d, epsilon, b) {
  1 / (2 * b + 1 + (d - 1) * exp(-epsilon))
}

# The half width of the largest `bound`, log(d + 2b) less the entropy of a report; ties go to the
# narrower wave. If epsilon is near 0 its differences vanish in roundings, and the best half width
# no longer changes.
discrete_half_width <- function(d, epsilon) {
  epsilon <- max(epsilon, 1e-3)
  b <- as.double(seq_len(d) - 1)
  p <- wave_probability(d, epsilon, b)
  # (d - 1) q log(q), with log(q) = log(p) - epsilon, and all cells together of probability 1.
  bound <- log(d + 2 * b) + log(p) -
    (d - 1) * p * exp(-epsilon) * epsilon
  b[which(bound >= max(bound) - 1e-14)[1]]
}

# ---- the continuous wave ----

continuous_wave <- function(breaks, epsilon, reports, half_width) {
  if (is.null(breaks)) {
    abort("{.arg reports} is for numbers: {.arg breaks} must then bound their bins.")
  }
  b <- if (is.null(half_width)) wave_half_width(epsilon)
       else check_number(half_width, "half_width", min = 0, max = 1, min_open = TRUE)
  p <- 1 / (2 * b + exp(-epsilon))
  q <- p * exp(-epsilon)
  truths <- (breaks - breaks[1]) /
    (breaks[length(breaks)] - breaks[1])
  edges <- seq(-b, 1 + b, length.out = reports + 1)
  matrix <- q * rep(diff(edges), each = length(truths) - 1) +
    p * -expm1(-epsilon) * wave_overlap(truths, edges, b)
  list(
    matrix = matrix / rowSums(matrix),
    reports = seq_len(reports),
    half_width = b,
    p = p,
    q = q,
    design = sprintf(
      "Square wave on a grid (%s bins, half width %s of the range)", format_count(reports),
      format(b, digits = 3)
    )
  )
}

# The half width of the continuous wave,
#   b = (e E - E + 1) / (2 E (E - 1 - e)), e = epsilon, E = exp(e).
# Both differences cancel for small epsilon, where their series are sums of positive terms.
wave_half_width <- function(epsilon) {
  if (epsilon >= 0.5) {
    z <- exp(-epsilon)
    return(
      z * (epsilon - 1 + z) / (2 * (1 - z - epsilon * z))
    )
  }
  power <- 2:20
  terms <- epsilon^(power - 2) / factorial(power)
  exp(-epsilon) * sum(rev((power - 1) * terms)) /
    (2 * sum(rev(terms)))
}

# The mean length of [u - b, u + b] within each bin of `edges`, u uniform in each bin of `truths`.
# The length rises, stays at its top and falls. Pieces of areas lose no digits if the wave is narrow
# beside a bin, as differences of integrals would.
wave_overlap <- function(truths, edges, b) {
  k <- length(truths) - 1
  m <- length(edges) - 1
  l <- rep(truths[-(k + 1)], m)
  r <- rep(truths[-1], m)
  s <- rep(edges[-(m + 1)], each = k)
  t <- rep(edges[-1], each = k)
  top <- pmin(2 * b, t - s)
  length <- function(u) {
    pmax(0, pmin(top, u + b - s, t - u + b))
  }
  slope <- function(from, to) {
    (to - from) * (length(from) + length(to)) / 2
  }
  within <- function(u) clamp(u, l, r)
  first <- within(pmin(s + b, t - b))
  last <- within(pmax(s + b, t - b))
  area <- slope(within(s - b), first) + top * (last - first) +
    slope(last, within(t + b))
  matrix(area / (r - l), k)
}
