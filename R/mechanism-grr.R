#' k-ary randomized response
#'
#' Each respondent reports the truth with probability \eqn{p} and each of the other \eqn{K - 1} answers
#' with probability \eqn{q = (1 - p) / (K - 1)}. Also known as generalised randomized response (GRR),
#' kRR, or direct encoding; with two categories it is Warner's design.
#'
#' Give the privacy level or the design probability, not both. With \eqn{z = e^{-\epsilon}},
#' \deqn{p = \frac{1}{1 + (K - 1) z}, \quad q = \frac{z}{1 + (K - 1) z}, \quad
#'   p - q = \frac{-\mathrm{expm1}(-\epsilon)}{1 + (K - 1) z},}{p = 1 / (1 + (K - 1) z),
#'   q = z / (1 + (K - 1) z), p - q = -expm1(-epsilon) / (1 + (K - 1) z),}
#' and \eqn{p - q} is never formed by subtraction, so no digits are lost for \eqn{\epsilon} from \eqn{10^{-12}}
#' to 700.
#'
#' A design with \eqn{p < q}, where the truth is the *least* likely report, is legitimate and is
#' estimated correctly; give it through `p`. With \eqn{p = q} reports carry no information, and
#' [rr_estimate()] refuses them.
#'
#' @param levels The categories of the answer: their labels (text, numbers or a factor, all different; an ordered factor keeps its order in pictures), or how many there
#'   are (at least 2), in which case they are called `1`, `2`, ...
#'   Labels of whole numbers have no exponent (`100000`), those of other numbers 15 digits, more if two would be alike; their decimal sign is a point.
#' @param epsilon The privacy level, from 1e-12 to 700, in natural logarithms.
#' @param p The probability of reporting the truth, from 0 to 1. `p = 1` is a direct question.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_grr", "rr_mechanism")`: a list with, among others, `levels`,
#'   `p`, `q`, `p_minus_q` and `epsilon`.
#' @section Errors:
#' `candor_error_argument` when both or neither of `epsilon` and `p` are given, when they lie
#' outside their range, and when `levels` are fewer than 2, missing or not all different.
#' @source Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
#'   bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local
#'   privacy. *Proceedings of the 33rd International Conference on Machine Learning*, 2436-2444.
#'
#'   Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized
#'   response, equation (1).
#' @examples
#' rr_grr(c("never", "once", "often"), epsilon = 1)
#'
#' # Telemetry: 41,270 possible answers
#' rr_grr(41270, epsilon = 4)
#'
#' # The same design from its probability
#' rr_epsilon(rr_grr(3, p = 0.5))
#' @export
rr_grr <- function(levels, epsilon = NULL, p = NULL, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  check_one_of_epsilon_p(epsilon, p)
  numbers <- grr_numbers(length(levels$labels), epsilon, p)
  made(with_order(new_rr_mechanism(
    "grr", levels$labels, numeric_levels = levels$numeric, epsilon = abs(numbers$epsilon),
    design = sprintf("k-ary randomized response (p = %s, q = %s)",
                     format(numbers$p, digits = 4), format(numbers$q, digits = 4)),
    p = numbers$p, q = numbers$q, p_minus_q = numbers$p_minus_q, odds = numbers$odds,
    from_epsilon = !is.null(epsilon)
  ), levels), "rr_grr", epsilon = epsilon, p = p)
}

check_one_of_epsilon_p <- function(epsilon, p) {
  if (is.null(epsilon) == is.null(p)) {
    abort(c("Exactly one of {.arg epsilon} and {.arg p} must be given.",
            x = if (is.null(p)) "Neither was given." else "Both were given.",
            i = if (is.null(p)) "{.arg epsilon} is the privacy level, {.arg p} the chance that the truth is reported."),
          "argument")
  }
}

# `epsilon` here carries the sign of p - q; `odds` is (p - q) / q.
grr_numbers <- function(k, epsilon = NULL, p = NULL) {
  if (!is.null(epsilon)) {
    epsilon <- check_epsilon(epsilon, paste("For a direct question use {.code p = 1};",
                                            "for a design whose truth is the least likely report give its {.arg p}."))
    return(grr_levels(k, epsilon))
  }
  p <- check_probability(p, "p")
  excess <- snap_to_zero(k * p - 1, 1)
  q <- if (excess == 0) p else (1 - p) / (k - 1)
  difference <- excess / (k - 1)
  odds <- difference / q
  list(p = p, q = q, p_minus_q = difference, odds = odds, epsilon = sign(difference) * ratio_epsilon(p, q, difference))
}

# |log(p / q)|, rounded up so that the achieved epsilon is never above it: log1p() near 1, where it keeps the digits of
# the difference, the logarithm of the ratio elsewhere. 0 / 0 is a report that nobody gives.
ratio_epsilon <- function(p, q, difference) {
  if (difference == 0) return(0)
  ratio <- p / q
  size <- if (abs(difference) <= q / 2) abs(log1p(difference / q))
    else if (is.finite(ratio) && ratio > 0) abs(log(ratio)) else abs(log(p) - log(q))
  round_up(size)
}

# Rounds up by more than the rounding errors of a quotient and a logarithm.
round_up <- function(x) x * (1 + 10 * .Machine$double.eps)

# The same where probabilities were added before the ratio was taken, of numbers up to 1.
round_sums_up <- function(x) if (x == 0) 0 else round_up(x) + 16 * .Machine$double.eps

# 1/49 is not a double: 49 * (1/49) misses 1 by one rounding, and the user means p = q. A difference no larger than a
# few rounding errors of numbers of this size is taken for 0.
snap_to_zero <- function(difference, size) {
  if (abs(difference) <= 4 * .Machine$double.eps * size) 0 else difference
}

# For one privacy level, or many.
grr_levels <- function(k, epsilon) {
  z <- exp(-epsilon)
  denominator <- 1 + (k - 1) * z
  list(p = 1 / denominator, q = z / denominator, p_minus_q = -expm1(-epsilon) / denominator, odds = expm1(epsilon),
       epsilon = epsilon)
}

#' @export
rr_law.rr_grr <- function(mechanism) grr_form(mechanism)

grr_form <- function(numbers) new_law_additive(numbers$p_minus_q, numbers$q, numbers$odds)

perturbation.rr_grr <- function(mechanism) {
  if (mechanism$from_epsilon) return(list(kind = "grr_epsilon", numbers = mechanism$epsilon))
  list(kind = "grr", numbers = c(mechanism$p, mechanism$q, mechanism$p_minus_q))
}
