#' Unary encoding (OUE, SUE), subset selection and dBitFlip, frequency oracles of bits and sets
#'
#' A report of `rr_unary()` is one bit per category, a report of `rr_bitflip()` the bits of some of them, and a report of `rr_subset()` a set of categories of fixed size.
#' `rr_subset()` has the smallest error of all protocols here.
#'
#' @section Unary encoding:
#' The bits are independent, a randomized one-hot row. The bit of the truth is 1 with probability \eqn{p}, every other bit with probability
#' \eqn{q}. A report *supports* the categories whose bits are 1.
#'
#' * Optimized (OUE): \eqn{p = 1/2}, \eqn{q = 1 / (e^\epsilon + 1)}. The variance of an estimate, times \eqn{N}, is
#'   \eqn{4 e^\epsilon / (e^\epsilon - 1)^2 + \theta}.
#' * Symmetric (SUE, basic RAPPOR): \eqn{p = 1 / (e^{-\epsilon/2} + 1)}, \eqn{q = 1 - p}. The variance, times \eqn{N}, is
#'   \eqn{e^{\epsilon/2} / (e^{\epsilon/2} - 1)^2}.
#'
#' Two truths differ in two bits, so that \eqn{\epsilon = |\log(p (1 - q) / (q (1 - p)))|}{epsilon = |log(p (1 - q) / (q (1 - p)))|}. The optimized form has the smaller total error except
#' for few categories (up to 4 categories at \eqn{\epsilon = 1}, up to 9 at \eqn{\epsilon = 4}). Give any other pair, such as thresholding with histogram encoding (THE), through `p`
#' and `q`. Support counts of another library's local hashing have \eqn{q = 1 / g}, see [rr_local_hash()].
#'
#' @inheritParams rr_grr
#' @param optimized Logical, default `TRUE`: the optimized form. `FALSE`: the symmetric form. Not used with `p` and `q`.
#' @param p,q Numbers, 0 to 1, instead of `epsilon`: probabilities of a 1 for the truth and for another category. In RAPPOR \eqn{q} is
#'   the probability of the truth: the message `candor_message_order` is given if `p` is below `q`.
#' @return `rr_unary()`: a mechanism of class `c("rr_unary", "rr_mechanism")` with `p`, `q`, `p_minus_q`; the rest is in its [law][rr_law]. [rr_perturb()]
#'   returns [packed bits][rr_reports].
#' @section Errors:
#' `candor_error_argument` unless either `epsilon` or both `p` and `q` are given, and for numbers out of range.
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. arXiv:1705.04421
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348}
#' @seealso [rr_hadamard()] and [rr_local_hash()], which have smaller reports; [rr_recommend()], which compares the errors; `vignette("telemetry", package = "candor")`.
#' @concept frequency oracle
#' @concept optimized unary encoding
#' @concept OUE
#' @concept support
#' @concept local differential privacy
#' @examples
#' # How often did 1,000 people use an app, if each sends four noisy bits?
#' mechanism <- rr_unary(c("never", "once", "often", "daily"), epsilon = 1)
#' set.seed(1)
#' truth <- rep(mechanism$levels, c(500, 300, 150, 50))
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' reports
#' tidy(rr_estimate(reports, mechanism, method = "inv"), conf.int = TRUE)
#' # never 0.53 (0.40 to 0.66)
#' @order 1
#' @export
rr_unary <- function(
  levels,
  epsilon = NULL,
  optimized = TRUE,
  p = NULL,
  q = NULL,
  ...
) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  check_one_of_epsilon_p(epsilon, c(p, q))
  if (is.null(epsilon)) tell_turned(p, q)
  numbers <- if (is.null(epsilon)) {
    unary_pair(p, q)
  } else {
    unary_epsilon(epsilon, check_flag(optimized, "optimized"))
  }
  with_recipe(
    new_rr_unary(levels, numbers, if (is.null(epsilon)) NA else optimized), "rr_unary",
    epsilon = epsilon, optimized = if (!is.null(epsilon)) optimized, p = p, q = q
  )
}

# A message if p is below q: the p and q of RAPPOR are the other way round. Two categories would
# then fit any reports, with their shares exchanged.
tell_turned <- function(p, q) {
  if (!is_number(p) || !is_number(q) || p >= q) return(invisible())
  cli::cli_inform(c("{.arg p} is below {.arg q}: a bit of 1 speaks against its category.",
                    i = "The p and q of RAPPOR are q and p here: {.code p = {q}, q = {p}}."),
                  class = "candor_message_order")
}

new_rr_unary <- function(levels, numbers, optimized = NA) {
  p <- numbers$p
  q <- numbers$q
  has_epsilon <- !is.na(optimized)
  new_rr_mechanism(
    c("unary", "protocol"),
    levels$labels,
    numeric_levels = levels$numeric,
    epsilon = numbers$epsilon,
    design = sprintf(
      "Unary encoding (p = %s, q = %s)", format(p, digits = 4), format(q, digits = 4)
    ),
    p = p,
    q = q,
    p_minus_q = numbers$difference,
    odds = numbers$odds,
    law = bits_law(p, q, numbers$odds, numbers$difference),
    codec = report_codec(levels = levels$labels, numeric_levels = levels$numeric),
    sampler = if (has_epsilon) {
      bit_sampler(p, q, c(numbers$epsilon, optimized))
    } else {
      bit_sampler(p, q)
    }
  )
}

unary_epsilon <- function(epsilon, optimized) {
  epsilon <- check_epsilon(epsilon)
  logit <- if (optimized) epsilon else epsilon / 2
  p <- if (optimized) 1 / 2 else plogis(logit)
  list(
    p = p,
    q = plogis(-logit),
    difference = tanh(logit / 2) / if (optimized) 2 else 1,
    odds = expm1(epsilon),
    epsilon = epsilon
  )
}

unary_pair <- function(p, q) {
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  difference <- snap_to_zero(p - q, max(p, q))
  odds <- if (difference == 0) 0 else difference / (q * (1 - p))
  list(
    p = p,
    q = q,
    difference = difference,
    odds = odds,
    epsilon = round_sums_up(abs(log1p(odds)))
  )
}
