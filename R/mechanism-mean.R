#' Means of numbers
#'
#' Each respondent reports a random number whose expectation is their true number, so that the plain mean of all reports is an unbiased estimate of the
#' mean. Nothing else about the distribution is estimated.
#'
#' With numbers rescaled to \eqn{t} from -1 to 1, \eqn{c = (e^\epsilon + 1) / (e^\epsilon - 1)}{c = (e^epsilon + 1) / (e^epsilon - 1)} and
#' \eqn{s = e^{\epsilon/2}}{s = e^(epsilon / 2)} the variance of one report is
#'
#' * `"duchi"`: a report is \eqn{c} or \eqn{-c}, with the variance \eqn{c^2 - t^2}.
#' * `"piecewise"`: a report is a number from \eqn{-C} to \eqn{C = (s + 1) / (s - 1)}, likelier near the truth, with the variance
#'   \eqn{t^2 / (s - 1) + (s + 3) / (3 (s - 1)^2)}.
#' * `"hybrid"`: a report is piecewise with probability \eqn{1 - 1/s} if \eqn{\epsilon > 0.6094}, else Duchi's. If both are used, the variance is the
#'   same for every \eqn{t}.
#'
#' The hybrid has the least worst-case variance; Duchi's protocol needs one bit. Numbers of the piecewise protocol lie on a grid of \eqn{2^{29}} steps,
#' onto which truths are rounded at random without bias, so that every probability is exact.
#'
#' [rr_estimate()] returns the mean in the unit of the numbers, with normal intervals. With `target = "population"` the standard error is the standard
#' error of a mean of independent reports. With `target = "sample"` only the randomization is random. Its variance is known for the hybrid and
#' estimated for the piecewise protocol. Duchi's reports do not show how the truths are spread: the standard error for the population is then used, an
#' upper bound.
#'
#' @param range Two increasing numbers: the smallest and the largest possible answer, fixed before any answer is seen. Answers outside give an error.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param protocol `"hybrid"` (default), `"piecewise"` or `"duchi"`.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_mean", "rr_mechanism")` with `range` and `protocol`. [rr_perturb()] takes and returns numbers; reports may lie far
#'   outside `range`. [rr_tally()] keeps the number of reports, their sum and the sum of their squares, as shares of the range of reports.
#'   [rr_estimate()] returns an object of class `c("rr_mean_fit", "rr_estimates")`, see [estimate_methods].
#' @section Errors:
#' * `candor_error_argument`: numbers out of range; a method or an interval that a mean does not have.
#' * `candor_error_level`: an answer outside the range, with its position and never its value.
#' * `candor_error_report`: a number that no answer can produce.
#' @references Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018). Minimax optimal procedures for locally private estimation. *Journal of the
#'   American Statistical Association* 113(521), 182-201. \doi{10.1080/01621459.2017.1389735}
#'
#'   Wang, N., Xiao, X., Yang, Y., Zhao, J., Hui, S. C., Shin, H., Shin, J. and Yu, G. (2019). Collecting and analyzing multidimensional data
#'   with local differential privacy. *ICDE*, 638-649. \doi{10.1109/ICDE.2019.00063}, arXiv:1907.00782 (piecewise and hybrid)
#' @seealso [rr_scramble()] for numbers scrambled by cards; [rr_square_wave()] and [rr_hierarchy()] for distributions;
#'   `articles/numbers.html` of the site.
#' @concept mean estimation
#' @concept numeric answers
#' @concept amounts
#' @examples
#' # How many hours a day do 4,000 people spend online, on average?
#' mechanism <- rr_mean(c(0, 24), epsilon = 1)
#' set.seed(1)
#' hours <- pmin(rgamma(4000, 2, 0.5), 24)
#' reports <- rr_perturb(hours, mechanism, rng = "R")
#' range(reports)
#' rr_estimate(reports, mechanism)   # 3.9 hours (3.2 to 4.7)
#' # The mean among the respondents in the sample: only the randomization is
#' # random
#' tidy(rr_estimate(reports, mechanism, target = "sample"), conf.int = TRUE)
#' mean(hours)   # 4.04
#' @export
rr_mean <- function(range, epsilon, protocol = c("hybrid", "piecewise", "duchi"), ...) {
  check_dots_empty(...)
  check_answer_range(range)
  epsilon <- check_epsilon(epsilon)
  protocol <- check_choice(protocol)
  share <- switch(
    protocol,
    duchi = 0,
    piecewise = 1,
    hybrid = if (epsilon > hybrid_from) -expm1(-epsilon / 2) else 0
  )
  fine <- window_grid(2^29, epsilon)
  coarse <- window_grid(1, epsilon)
  limits <- vapply(range, format, "", digits = 15)
  protocol_name <- sub("^d", "D", protocol)
  # Reports on the scale of answers from -1 to 1 lie between -reach and reach.
  reach <- if (share > 0) -window_values(fine) else -window_values(coarse)
  mechanism <- new_rr_mechanism(
    "mean",
    "mean",
    reports = c("sum", "sum of squares"),
    epsilon = epsilon,
    design = sprintf("Mean of numbers from %s to %s (%s)", limits[1], limits[2], protocol_name),
    range = as.double(range),
    protocol = protocol,
    share = share,
    fine = fine,
    coarse = coarse,
    reach = reach,
    codec = report_codec(
      range = mean(range) + diff(range) / 2 * c(-1, 1) * reach,
      is_two_valued = identical(share, 0)
    ),
    law = new_law_mean(share, fine, coarse)
  )
  with_recipe(
    mechanism, "rr_mean",
    range = range, epsilon = epsilon, protocol = protocol, fields = NULL
  )
}

check_answer_range <- function(range) {
  is_valid <- is_numbers(range) && length(range) == 2L && all(is.finite(range)) &&
    range[1] < range[2]
  check_that(is_valid, range, "range", "the least and largest possible answer")
}

# The epsilon above which the hybrid uses the piecewise protocol (Wang et al. 2019).
hybrid_from <- log(
  (-5 + 2 * (6353 - 405 * sqrt(241))^(1 / 3) +
    2 * (6353 + 405 * sqrt(241))^(1 / 3)) / 27
)

# The grid of a protocol: answers 0, ..., steps, with a window of cells for each, starting at the
# answer. Its cells are reported with e^epsilon times the probability of any other. One step and a
# window of one cell are Duchi's protocol, more steps the piecewise protocol. `chance` is the
# probability of drawing from the window, `other` that of drawing from all cells: the probability
# ratio of cells is then exactly e^epsilon, whatever the sizes. Both carry the safety margin of
# 2^-49 that other samplers have.
window_grid <- function(steps, epsilon) {
  window <- max(1, round(steps * exp(-epsilon / 2)))
  gain <- -expm1(-epsilon)
  noise <- (steps + window) / window * exp(-epsilon)
  margin <- 2^-49
  list(
    steps = steps,
    window = window,
    chance = gain / (gain + noise) * (1 - margin),
    other = noise / (gain + noise) * (1 + margin)
  )
}

# The value that a cell (the lowest is 0) is read as, from -1 to 1: its mean, given an answer, is
# that answer.
window_values <- function(grid, cell = 0) {
  2 / (grid$steps * grid$chance) *
    (cell - (grid$steps + grid$window - 1) / 2)
}

achieved.rr_mean <- function(mechanism) {
  is_used <- c(mechanism$share > 0, mechanism$share < 1)
  grids <- list(mechanism$fine, mechanism$coarse)[is_used]
  grid_epsilon <- function(grid) {
    factor <- (grid$steps + grid$window) / grid$window
    .Call(C_rr_support_chance, factor, mechanism$epsilon)[1]
  }
  list(epsilon = max(vapply(grids, grid_epsilon, 0)))
}

# The variance that the randomization adds, as list(constant, linear, slope). The score of t has the
# variance constant + linear t + slope t^2, with answers and scores on the scale on which `range` is
# from -1 to 1.
mean_variance <- function(mechanism) {
  v <- mechanism$moments$v
  middle <- mean(mechanism$range)
  half <- diff(mechanism$range) / 2
  if (!is.null(v)) {
    return(list(
      constant = (v[1] + v[2] * middle +
        v[3] * middle^2) / half^2,
      linear = (v[2] + 2 * v[3] * middle) / half,
      slope = v[3]
    ))
  }
  duchi <- 1 / tanh(mechanism$epsilon / 2)^2
  # (s + 3) / (3 (s - 1)^2), formed in 1 / s so that it neither overflows nor cancels.
  z <- exp(-mechanism$epsilon / 2)
  gain <- -expm1(-mechanism$epsilon / 2)
  piecewise <- z * (1 + 3 * z) / (3 * gain^2)
  share <- mechanism$share
  # The second moments are constant + (slope + 1) t^2.
  list(
    constant = share * piecewise + (1 - share) * duchi,
    linear = 0,
    slope = switch(
      mechanism$protocol,
      piecewise = z / gain,
      duchi = -1,
      hybrid = if (share > 0) 0 else -1
    )
  )
}

# The law of a mean: the probabilities to draw from the window of the truth, and from all cells.
new_law_mean <- function(share, fine, coarse) {
  mixed <- function(name) {
    share * fine[[name]] + (1 - share) * coarse[[name]]
  }
  new_rr_law(
    "mean",
    "a report is a number whose mean is the truth",
    truths = 1,
    chance = mixed("chance"),
    other = mixed("other")
  )
}

# ---- respondents ----

# The answers are made numbers on the scale from -1 to 1.
#' @export
prepare_answers.rr_mean <- function(mechanism, x) {
  has_numbers <- is.numeric(x) || is.logical(x)
  if (!has_numbers || length(dim(x)) > 1L) {
    abort(c("{.arg x} must be numbers.", x = "It is {describe_kind(x)}."))
  }
  range <- mechanism$range
  abort_outside(
    x, which(is.na(x) | x < range[1] | x > range[2]),
    mechanism, range
  )
  clamp(
    (as.double(x) - mean(range)) / (diff(range) / 2), -1,
    1
  )
}

# Reports on the scale from -1 to 1. Answers are numbers from -1 to 1, since there are no levels.
draw_reports.rr_mean <- function(mechanism, answers, rng = "secure") {
  reports <- numeric(length(answers))
  fine <- draw_coins(length(answers), mechanism$share, 1 - mechanism$share, rng)
  reports[fine] <- draw_window(answers[fine], mechanism$fine, rng)
  reports[!fine] <- draw_window(answers[!fine], mechanism$coarse, rng)
  reports
}

decode_answers.rr_mean <- function(mechanism, reports, x) {
  setNames(
    mean(mechanism$range) + diff(mechanism$range) / 2 * reports, names(x)
  )
}

# The values of reports of one grid. An answer is rounded to one of its two neighbours on the grid,
# at random and without bias. A cell is drawn from its window with the probability `chance`, else
# from all cells. The cell is read so that its mean is the answer.
draw_window <- function(t, grid, rng) {
  n <- length(t)
  position <- (t + 1) / 2 * grid$steps
  start <- floor(position)
  fraction <- draw_uniform(n, 2^30, rng) +
    draw_uniform(n, 2^30, rng) / 2^30
  fraction <- fraction / 2^30
  start <- pmin(start + (fraction < position - start), grid$steps)
  is_window <- draw_coins(n, grid$chance, grid$other, rng)
  cell <- draw_uniform(n, grid$steps + grid$window, rng)
  cell[is_window] <- (start + draw_uniform(n, grid$window, rng))[is_window]
  window_values(grid, cell)
}

# A report is start + step times its cell. The last grid has one step and is Duchi's.
client_plan.rr_mean <- function(mechanism) {
  middle <- mean(mechanism$range)
  half <- diff(mechanism$range) / 2
  grids <- lapply(mechanism[c("fine", "coarse")], function(grid) {
    list(
      steps = grid$steps,
      window = grid$window,
      other = coin_words(grid$chance, grid$other),
      start = middle + half * window_values(grid),
      step = half * 2 / (grid$steps * grid$chance)
    )
  })
  new_plan(
    "number",
    mechanism,
    low = mechanism$range[1],
    high = mechanism$range[2],
    coarse_share = coin_words(mechanism$share, 1 - mechanism$share),
    fine = grids$fine,
    coarse = grids$coarse,
    levels = character()
  )
}

# ---- tallies ----

# Numbers whose mean is wanted are tallied as two sums, of reports and of their squares, each as a
# share of the range of reports. If the spread of the truth is wanted too, cubes and fourth powers
# follow. As shares they are never below 0, whatever the numbers, and they add up like counts.

count_reports.rr_mean <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  x <- column_numbers(x)
  if (!is_numbers(x) || length(dim(x)) > 1L) abort_form(x, "numbers")
  missing <- if (anyNA(x)) which(is.na(x)) else integer()
  dropped <- drop_missing_reports(missing, na.rm)
  limits <- mechanism$codec$range
  if (length(dropped)) {
    x[dropped] <- limits[1]
    if (!is.null(weights)) weights[dropped] <- 0
  }
  n_groups <- max(1L, groups)
  sums <- function(x, limits) .Call(C_rr_tally_powers, x, limits, groups, n_groups, weights)
  # One pass is enough unless shares are checked or rounded, or reports beyond the answers counted.
  has_grid <- !is.null(mechanism$fine)
  totals <- if (!has_grid) sums(as.double(x), limits)
  share <- if (is.null(totals)) report_shares(x, mechanism)
  totals <- totals %||% sums(share, c(0, 1))
  beyond <- function() abs(2 * share - 1) * mechanism$reach > 1 + 1e-9
  witness <- if (has_grid) sum(replace(beyond(), dropped, FALSE))
  counted_reports(
    totals[seq_along(mechanism$reports), ], list(each = n_groups, dropped = dropped),
    witness = witness
  )
}

# The score of the smallest report, and the difference to that of the largest. Scores are on the
# scale of answers from -1 to 1, and their mean is the answer.
score_line <- function(mechanism) {
  if (is.null(mechanism$moments)) return(c(-1, 2) * mechanism$reach)
  scores <- read_scores(mechanism$codec$range, mechanism)
  limits <- (scores - mean(mechanism$range)) / (diff(mechanism$range) / 2)
  c(limits[1], diff(limits))
}

# Reports as shares, from 0 to 1, of their range.
report_shares <- function(x, mechanism) {
  limits <- mechanism$codec$range
  share <- (as.double(x) - limits[1]) / diff(limits)
  is_two_valued <- mechanism$codec$is_two_valued
  is_inside <- min(share, 0, na.rm = TRUE) == 0 &&
    max(share, 1, na.rm = TRUE) == 1
  if (!is_two_valued && is_inside) return(share)
  distance <- if (is_two_valued) {
    pmin(abs(share), abs(share - 1))
  } else {
    pmax(-share, share - 1)
  }
  invalid <- which(distance > report_slack)
  if (length(invalid)) {
    value <- format(x[invalid[1]], digits = 6)
    abort_report_at(invalid[1], sprintf("is %s, which no answer can produce", value))
  }
  share <- clamp(share)
  if (is_two_valued) round(share) else share
}

# The largest variance of the score of a truth. If truths are sampled, it includes that of the
# truth: with mean m it adds the mean of t^2, at most 1, and takes off m^2.
largest_mean_variance <- function(mechanism, target) {
  moments <- mean_variance(mechanism)
  if (target == "sample") {
    return(moments$constant + abs(moments$linear) + max(0, moments$slope))
  }
  mean <- min(1, abs(moments$linear) / 2)
  moments$constant + moments$slope + 1 + abs(moments$linear) * mean - mean^2
}

read_scores <- function(x, mechanism) {
  if (is.null(mechanism$moments)) return(x)
  (x - mechanism$moments$beta) / mechanism$moments$alpha
}

size_words.rr_mean <- function(mechanism) NULL

# The log-probability of at most so many witnesses, which are reports outside of the answers' range:
# in the piecewise protocol some of those that are drawn from all cells, in Duchi's all.
witness_chance.rr_mean <- function(mechanism, witness, n) {
  fine <- mechanism$fine$other * (1 - 1 / mechanism$reach)
  coarse <- abs(window_values(mechanism$coarse)) > 1 + 1e-6
  p_witness <- mechanism$share * fine + (1 - mechanism$share) * coarse
  pbinom(witness, n, p_witness, log.p = TRUE)
}

# The blanket of the piecewise protocol: cells that are drawn from all cells. The windows of the
# smallest and the largest answer have no common cell.
law_blanket.rr_law_mean <- function(law, k, local) two_level_blanket(law$other, law$chance, local)
