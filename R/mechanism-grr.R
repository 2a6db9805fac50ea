#' k-ary randomized response
#'
#' Each respondent reports the truth with probability \eqn{p} and each of the other \eqn{K - 1} answers
#' with probability \eqn{q = (1 - p) / (K - 1)}. Other names are generalized randomized response (GRR), kRR and direct encoding. With two
#' categories it is Warner's design.
#'
#' Give either `epsilon` or `p`. With \eqn{z = e^{-\epsilon}},
#' \deqn{p = \frac{1}{1 + (K - 1) z}, \quad q = \frac{z}{1 + (K - 1) z}, \quad
#'   p - q = \frac{-\mathrm{expm1}(-\epsilon)}{1 + (K - 1) z}.}{p = 1 / (1 + (K - 1) z),
#'   q = z / (1 + (K - 1) z), p - q = -expm1(-epsilon) / (1 + (K - 1) z).}
#' The difference \eqn{p - q} is never formed by subtraction, so no digits are lost.
#'
#' A design with \eqn{p < q}, in which the truth is the *least* likely report, is valid; give it through `p`. With \eqn{p = q} reports carry no
#' information, and [rr_estimate()] gives an error.
#'
#' @param levels Labels of the categories (text, numbers or a factor, all different), or their number (whole, at least 2). A number `K` gives the
#'   labels `1`, ..., `K`. An ordered factor keeps its order in pictures. Whole numbers become labels without an exponent (`100000`). Other numbers
#'   get 15 digits, or more if two labels would be equal, and a decimal point.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param p Number, 0 to 1. Probability of reporting the truth; `p = 1` is a direct question.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_grr", "rr_mechanism")`: a list with elements `levels`, `p`, `q`, `p_minus_q`, `epsilon` and others.
#' @section Errors:
#' `candor_error_argument` unless exactly one of `epsilon` and `p` is given and in its range, and for fewer than 2 levels, or levels that are
#' missing or not all different.
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
#'   bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local
#'   privacy. *Proceedings of the 33rd International Conference on Machine Learning*, 2436-2444. arXiv:1602.07387
#'
#'   Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized
#'   response, equation (1). arXiv:2601.08603
#' @seealso [rr_binary()] and [rr_forced()] for survey designs; [rr_unary()], [rr_subset()] and [rr_hadamard()] for many categories;
#'   [rr_recommend()], which compares their errors.
#' @concept direct encoding
#' @concept k-RR
#' @concept local differential privacy
#' @concept randomizer
#' @examples
#' # How often did 1,000 students cheat? Each reports at epsilon = 1
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' mechanism
#' coef(rr_estimate(rr_counts(c(never = 420, once = 330, often = 250), mechanism)))
#' # 0.57, 0.32, 0.10
#'
#' # The privacy budget of a design that is given by its probability
#' rr_epsilon(rr_grr(3, p = 0.5))   # log(2)
#' @export
rr_grr <- function(levels, epsilon = NULL, p = NULL, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  check_one_of_epsilon_p(epsilon, p)
  numbers <- grr_numbers(length(levels$labels), epsilon, p)
  made(with_order(new_rr_mechanism(
    "grr", levels$labels, numeric_levels = levels$numeric, epsilon = abs(numbers$epsilon),
    design = sprintf("k-ary randomized response (p = %s, q = %s)", format(numbers$p, digits = 4),
                     format(numbers$q, digits = 4)),
    p = numbers$p, q = numbers$q, p_minus_q = numbers$p_minus_q, odds = numbers$odds, from_epsilon = !is.null(epsilon),
    law = new_law_additive(numbers$p_minus_q, numbers$q, numbers$odds),
    sampler = if (is.null(epsilon)) list(kind = "grr", numbers = c(numbers$p, numbers$q, numbers$p_minus_q))
      else list(kind = "grr_epsilon", numbers = numbers$epsilon)
  ), levels), "rr_grr", epsilon = epsilon, p = p)
}

check_one_of_epsilon_p <- function(epsilon, p, arg = "p") {
  if (is.null(epsilon) == is.null(p)) abort("Exactly one of {.arg epsilon} and {.arg {arg}} must be given.", "argument")
}

# `epsilon` here carries the sign of p - q; `odds` is (p - q) / q.
grr_numbers <- function(k, epsilon = NULL, p = NULL) {
  if (!is.null(epsilon)) return(grr_levels(k, check_epsilon(epsilon, "A direct question has {.code p = 1}.")))
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

# ---- yes/no questions ----

#' Randomized yes/no questions: Warner, crosswise, triangular, Mangat, Kuk
#'
#' `rr_binary()` describes any yes/no question by its two probabilities,
#' \eqn{p = P(\mathrm{yes} \mid \mathrm{yes})}{p = P(yes | yes)} and \eqn{q = P(\mathrm{yes} \mid \mathrm{no})}{q = P(yes | no)}. The classical
#' survey designs for a sensitive question are special cases. What the respondent does, and the probabilities \eqn{p} and \eqn{q}:
#'
#' * `rr_warner(p)`: a device picks the question (probability `p`) or its negation. Probabilities: `p` and `1 - p`.
#' * `rr_crosswise(p)`: says whether the answers to the sensitive question and to an innocuous question of prevalence `p` are the same; "yes" is "the
#'   same". Probabilities: `p` and `1 - p`.
#' * `rr_triangular(p)`: says "no" only if both answers are no; the innocuous question has prevalence `p`. Probabilities: 1 and `p`.
#' * `rr_mangat(p, t)`: answers directly with probability `t`, otherwise by Warner's device with `p`. Probabilities: `t + (1 - t) p` and
#'   `(1 - t)(1 - p)`.
#' * `rr_mangat(p, variant = "1994")`: says "yes" if that is the truth, otherwise answers by Warner's device with `p`. Probabilities: 1 and `1 - p`.
#' * `rr_kuk(p1, p2)`: draws a card from the deck of their group and names its colour; "yes" is the colour with shares `p1`, `p2`. Probabilities: `p1`
#'   and `p2`.
#'
#' Any `p != q` can be estimated, including `p < q`, as in the crosswise design with `p = 0.25`. If a report rules a truth out, [rr_epsilon()] is
#' `Inf`. A "no" in the triangular design is an example. The extended crosswise model asks two groups, with `rr_crosswise(p)` and `rr_crosswise(1 - p)`:
#' pool their tallies with [rr_pool()] and test with [rr_goodness_of_fit()].
#'
#' Two designs are called Mangat's, and with the same `p` their estimates differ. In the two-stage design of Mangat and Singh (1990) a first device
#' sends some respondents to the direct question, whatever their truth. In the design of Mangat (1994), `variant = "1994"`, only respondents
#' without the attribute use a device. A "no" then clears the respondent with certainty. It has the same probabilities as the triangular design
#' with `1 - p`.
#'
#' @param p,q For `rr_binary()`: numbers, 0 to 1, the probabilities of "yes" if the truth is yes and if it is no.
#'   For the others `p` is the design probability in the list.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in place of the probabilities of `rr_warner()`, `rr_crosswise()` and `rr_kuk()`. The
#'   crosswise design then has `p < 0.5`, and Kuk's design two decks with opposite shares.
#' @param t Number, 0 to 1. Probability of the direct question, for the design of 1990.
#' @param variant `"1990"` (default) for Mangat and Singh (1990), `"1994"` for Mangat (1994).
#' @param p1,p2 Numbers, 0 to 1. Shares of "yes" cards: `p1` in the deck for respondents whose truth is yes, `p2` in the other deck.
#' @param levels Two labels, first the label for "no". In data, `FALSE` and 0 mean the first label and `TRUE` and 1 the second. Known labels of yes
#'   and no ("yes", `TRUE`, 1, "same") in the other order give an error if the design treats the two answers differently. In a symmetric design
#'   they give the message `candor_message_order`, because regressions, contrasts, power and pictures are then about "no".
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_binary", "rr_mechanism")`: a list with elements `levels`, `p`, `q`, `p_minus_q`, `epsilon` and others.
#'   Epsilon is \eqn{\max(|\log(p/q)|, |\log((1-q)/(1-p))|)}{max(|log(p/q)|, |log((1-q)/(1-p))|)}.
#' @section Errors:
#' `candor_error_argument` for probabilities outside 0 to 1, and for `levels` that are not two different labels in the order no, yes.
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American
#'   Statistical Association* 60(309), 63-69. \doi{10.1080/01621459.1965.10480775}
#'
#'   Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive
#'   characteristic (crosswise, triangular). *Metrika* 67, 251-263. \doi{10.1007/s00184-007-0131-x}
#'
#'   Mangat, N. S. and Singh, R. (1990). An alternative randomized response procedure. *Biometrika*
#'   77(2), 439-442. \doi{10.1093/biomet/77.2.439}
#'
#'   Mangat, N. S. (1994). An improved randomized response strategy. *Journal of the Royal Statistical Society B* 56(1), 93-95.
#'   \doi{10.1111/j.2517-6161.1994.tb01962.x}
#'
#'   Kuk, A. Y. C. (1990). Asking sensitive questions indirectly. *Biometrika* 77(2), 436-438.
#'   \doi{10.1093/biomet/77.2.436}
#' @seealso [rr_forced()] for forced response and the unrelated question; [rr_lie_detector()] for respondents who do not follow the instructions;
#'   [rr_device()] for dice, coins and birthdays; `vignette("choosing", package = "candor")`. The item count technique (list experiment) is in the package list, see
#'   `vignette("coming-from", package = "candor")`.
#' @concept item count
#' @concept list experiment
#' @concept prevalence
#' @concept sensitive question
#' @concept randomized response technique
#' @concept Warner model
#' @concept crosswise model
#' @concept extended crosswise model
#' @concept triangular model
#' @concept indirect questioning
#' @examples
#' # A crosswise question with a birthday in the first quarter of the year: 198 of 310 said "the same".
#' # What is the prevalence?
#' reports <- rr_counts(c(no = 112, yes = 198), rr_crosswise(0.25))
#' tidy(rr_estimate(reports, method = "inv"), conf.int = TRUE)   # 22% (12% to 33%)
#'
#' # A survey file that holds "same" and "different": "yes" is "same"
#' answers <- rep(c("same", "different"), c(198, 112))
#' answers <- ifelse(answers == "same", "yes", "no")
#' coef(rr_estimate(answers, rr_crosswise(0.25)))   # the same
#' @export
rr_binary <- function(p, q, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  made(new_rr_binary(p, q, levels, "Randomized yes/no question"), "rr_binary", p = p, q = q)
}

#' @rdname rr_binary
#' @export
rr_warner <- function(p = NULL, epsilon = NULL, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, p)
  numbers <- grr_numbers(2, epsilon, p)
  made(new_rr_binary(numbers$p, numbers$q, levels, "Warner's design", difference = numbers$p_minus_q, symmetric = TRUE,
                     from_epsilon = if (!is.null(epsilon)) numbers$epsilon),
       "rr_warner", p = p, epsilon = epsilon)
}

#' @rdname rr_binary
#' @export
rr_crosswise <- function(p = NULL, levels = c("no", "yes"), epsilon = NULL, ...) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, p)
  p <- check_probability(p %||% stats::plogis(-check_epsilon(epsilon)), "p")
  made(new_rr_binary(p, 1 - p, levels, "Crosswise design", difference = 2 * p - 1, symmetric = TRUE),
       "rr_crosswise", p = p)
}

#' @rdname rr_binary
#' @export
rr_triangular <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  made(new_rr_binary(1, p, levels, "Triangular design"), "rr_triangular", p = p)
}

#' @rdname rr_binary
#' @export
rr_mangat <- function(p, t = NULL, levels = c("no", "yes"), variant = c("1990", "1994"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  variant <- check_choice(variant, "variant", c("1990", "1994"))
  if (variant == "1994") {
    if (!is.null(t)) abort("{.arg t} must not be given for the {.arg variant} of 1994.", "argument")
    return(made(new_rr_binary(1, 1 - p, levels, "Design of Mangat (1994)", difference = p), "rr_mangat", p = p,
                variant = variant))
  }
  t <- check_probability(t, "t")
  made(new_rr_binary(t + (1 - t) * p, (1 - t) * (1 - p), levels, "Two-stage design of Mangat and Singh",
                     difference = t + (1 - t) * (2 * p - 1), symmetric = TRUE), "rr_mangat", p = p, t = t)
}

#' @rdname rr_binary
#' @export
rr_kuk <- function(p1 = NULL, p2 = NULL, levels = c("no", "yes"), epsilon = NULL, ...) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, c(p1, p2), "p1")
  pair <- if (is.null(epsilon)) list(p1, p2) else stats::plogis(c(1, -1) * check_epsilon(epsilon))
  made(new_rr_binary(check_probability(pair[[1]], "p1"), check_probability(pair[[2]], "p2"), levels, "Kuk's design",
                     symmetric = !is.null(epsilon)), "rr_kuk", epsilon = epsilon, p1 = p1, p2 = p2)
}

# In a symmetric design q = 1 - p, and both keep all digits: at epsilon = 40 p rounds to 1, but 1 - p is not 0.
# `from_epsilon` is the epsilon that was given, if one was. `size` is the size of the numbers whose rounding errors may
# make p and q differ although the user means them to be equal.
new_rr_binary <- function(p, q, levels, design, difference = p - q, symmetric = FALSE, from_epsilon = NULL,
                          size = max(p, q), error = NULL) {
  levels <- check_levels(levels)
  check_two(levels$labels)
  check_no_first(levels$labels, even = abs(p + q - 1) < 1e-12)
  if (is.null(from_epsilon)) difference <- snap_to_zero(difference, size)
  p_no <- if (symmetric) q else 1 - p
  q_no <- if (symmetric) p else 1 - q
  epsilon <- from_epsilon %||% max(ratio_epsilon(p, q, difference), ratio_epsilon(q_no, p_no, difference))
  new_rr_mechanism(
    "binary", levels$labels, numeric_levels = levels$numeric, epsilon = if (isTRUE(error)) Inf else epsilon,
    design = sprintf("%s (p = %s, q = %s)", design, format(p, digits = 4), format(q, digits = 4)),
    p = p, q = q, p_minus_q = difference, p_no = p_no, q_no = q_no, from_epsilon = !is.null(from_epsilon),
    law = new_law_additive(difference, c(p_no, q)),
    sampler = if (is.null(from_epsilon)) list(kind = "binary", numbers = c(p, p_no, q, q_no))
      else list(kind = "grr_epsilon", numbers = epsilon),
    yes_no = TRUE, error = error
  )
}

check_two <- function(labels) {
  if (length(labels) == 2L) labels else abort("{.arg levels} must be two labels, first the one for \"no\".", "argument")
}
