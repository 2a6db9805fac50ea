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
#' Numbers become labels: whole numbers without an exponent (`100000`), others with 15 digits, or more if two labels would be equal.
#'
#' @param levels Labels of the categories (text, numbers or a factor, all different), or their number `K` (whole, at least 2) for
#'   the labels `1`, ..., `K`. An ordered factor keeps its order in pictures.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param p Number, 0 to 1. Probability of reporting the truth; `p = 1` is a direct question.
#' @param sensitive Categories that are sensitive, as labels or positions; default all. Only these are reported by people with another truth, see *Some
#'   categories are sensitive*.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_grr", "rr_mechanism")`: a list with elements `levels`, `p`, `q`, `p_minus_q`, `epsilon` and others. With `sensitive` a mechanism of
#'   [rr_forced()].
#' @section Some categories are sensitive:
#' With `sensitive` and `epsilon`, \eqn{k} of the \eqn{K} categories are protected. Every respondent reports each of them with probability
#' \eqn{1 / (k + e^\epsilon - 1)}{1 / (k + exp(epsilon) - 1)} whatever the truth, and otherwise the truth. A report of another category is
#' therefore the truth, and [rr_epsilon()] is `Inf`. A report of a sensitive category could come from anybody:
#' `rr_epsilon(mechanism, sensitive = )` is `epsilon`. Estimates of the other categories have a far smaller error than with `rr_grr()` of
#' all categories (Murakami and Kawamoto 2019).
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
#'
#'   Murakami, T. and Kawamoto, Y. (2019). Utility-optimized local differential privacy mechanisms for distribution estimation. *28th USENIX Security Symposium*, 1877-1894. arXiv:1807.11317
#' @seealso [rr_binary()] and [rr_forced()] for survey designs; [rr_unary()], [rr_subset()] and [rr_hadamard()] for many categories;
#'   [rr_recommend()], which compares their errors.
#' @concept direct encoding
#' @concept k-RR
#' @concept kRR
#' @concept GRR
#' @concept local differential privacy
#' @concept randomizer
#' @examples
#' # How often did 1,000 students cheat? Each reports at epsilon = 1
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' mechanism
#' tally <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' coef(rr_estimate(tally))
#' # 0.57, 0.32, 0.10
#'
#' # The privacy budget of a design that is given by its probability
#' rr_epsilon(rr_grr(3, p = 0.5))   # log(2)
#'
#' # Which reports of a health survey must be protected? Only these two
#' # diagnoses
#' mechanism <- rr_grr(c("none", "cold", "HIV", "depression"), epsilon = 1,
#'                     sensitive = c("HIV", "depression"))
#' rr_epsilon(mechanism, sensitive = c("HIV", "depression"))   # 1
#' @export
rr_grr <- function(levels, epsilon = NULL, p = NULL, sensitive = NULL, ...) {
  check_dots_empty(...)
  if (!is.null(sensitive)) return(sensitive_grr(levels, epsilon, p, sensitive))
  levels <- check_levels(levels)
  check_one_of_epsilon_p(epsilon, p)
  numbers <- grr_numbers(length(levels$labels), epsilon, p)
  with_recipe(
    with_order(
      new_rr_mechanism(
        "grr",
        levels$labels,
        numeric_levels = levels$numeric,
        epsilon = abs(numbers$epsilon),
        design = sprintf(
          "k-ary randomized response (p = %s, q = %s)", format(numbers$p, digits = 4),
          format(numbers$q, digits = 4)
        ),
        p = numbers$p,
        q = numbers$q,
        p_minus_q = numbers$p_minus_q,
        odds = numbers$odds,
        law = new_law_additive(numbers$p_minus_q, numbers$q, numbers$odds),
        sampler = if (is.null(epsilon)) {
          list(kind = "grr", numbers = c(numbers$p, numbers$q, numbers$p_minus_q))
        } else {
          list(kind = "grr_epsilon", numbers = numbers$epsilon)
        }
      ),
      levels
    ),
    "rr_grr", epsilon = epsilon, p = p
  )
}

# Forced response of the sensitive categories alone; rr_grr() itself if all are sensitive.
sensitive_grr <- function(levels, epsilon, p, sensitive) {
  if (!is.null(p)) abort("{.arg sensitive} needs {.arg epsilon} in place of {.arg p}.")
  labels <- check_levels(levels)$labels
  index <- sensitive_index(sensitive, labels)
  if (length(index) == length(labels)) return(rr_grr(levels, epsilon))
  epsilon <- check_epsilon(epsilon)
  forced <- 1 / (length(index) + expm1(epsilon))
  rr_forced(replace(numeric(length(labels)), index, forced), levels = levels)
}

# list(p, q, p_minus_q, odds, epsilon): `epsilon` carries the sign of p - q; `odds` is (p - q) / q.
grr_numbers <- function(k, epsilon = NULL, p = NULL) {
  if (!is.null(epsilon)) {
    return(grr_levels(k, check_epsilon(epsilon, "A direct question has {.code p = 1}.")))
  }
  p <- check_probability(p, "p")
  excess <- snap_to_zero(k * p - 1, 1)
  q <- if (excess == 0) p else (1 - p) / (k - 1)
  difference <- excess / (k - 1)
  odds <- difference / q
  list(
    p = p,
    q = q,
    p_minus_q = difference,
    odds = odds,
    epsilon = sign(difference) * ratio_epsilon(p, q, difference)
  )
}

# grr_numbers() for one epsilon, or many.
grr_levels <- function(k, epsilon) {
  z <- exp(-epsilon)
  denominator <- 1 + (k - 1) * z
  list(
    p = 1 / denominator,
    q = z / denominator,
    p_minus_q = -expm1(-epsilon) / denominator,
    odds = expm1(epsilon),
    epsilon = epsilon
  )
}
