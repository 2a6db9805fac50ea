# The support law: a report supports each category with probability p if that is the truth and q if not ("pure"
# protocols). Each support count is binomial; both_own and both_other give their joint distribution in pairs.
# Variances and covariances, with d = p - q, m = q + d theta, N respondents:
#   fixed truths    N d^2 Var = q (1 - q) + theta d (1 - p - q)
#                   N d^2 Cov = sum over the truths x of theta_x (P(v and w | x) - P(v | x) P(w | x))
#   sampled truths  N d^2 Var = m (1 - m),  N d^2 Cov = P(v and w) - m_v m_w
# Both are linear in theta but for the product, so that the estimate may stand for theta; the divisor is then N, or N -
# 1 for sampled truths.

checked_support <- function(p, q, both_own = NULL, both_other = NULL, odds = NULL, difference = p - q) {
  p <- check_probabilities(p, "p")
  q <- check_probabilities(q, "q")
  sizes <- setdiff(c(length(p), length(q), length(difference), NROW(both_own %||% 1), NROW(both_other %||% 1)), 1L)
  if (length(sizes) > 1L) abort("{.arg p}, {.arg q}, {.arg both_own} and {.arg both_other} must have one length.",
                                "argument")
  check_both(both_own, "both_own")
  check_both(both_other, "both_other")
  symmetric <- if (is.matrix(both_other)) isSymmetric(unname(both_other)) else length(both_other) <= 1L
  if (!symmetric) must_be(both_other, "both_other", "one number or a symmetric matrix")
  new_law_support(unname(p), unname(q), unname(both_own), unname(both_other), unname(difference), odds)
}

new_law_support <- function(p, q, both_own = NULL, both_other = NULL, difference = p - q, odds = NULL) {
  new_rr_law("support", p = p, q = q, both_own = both_own, both_other = both_other, difference = difference,
             odds = odds)
}

check_both <- function(x, arg) {
  if (is.null(dim(x)) || (is.matrix(x) && nrow(x) == ncol(x))) return(if (!is.null(x)) check_probabilities(x, arg))
  must_be(x, arg, "one number, one per category, or a square matrix")
}

law_words.rr_law_support <- function(law) "a report supports some categories and is none of them"

law_gives.rr_law_support <- function(law, need, k) {
  switch(need, inverse = , shares = , binomial = all(abs(law$difference) >= 1e-14), exact = , support = TRUE,
         likelihood = !is.null(law$sets) && !is.null(law$odds), FALSE)
}

law_impossible.rr_law_support <- function(law, counts) {
  match(TRUE, pmax(law$p, law$q) == 0 & counts > 0, nomatch = 0L)
}

law_transition.rr_law_support <- function(law, range) {
  c(paste0("  P(report supports the truth)         ", range(law$p)),
    paste0("  P(it supports one other category)    ", range(law$q)))
}

law_reported.rr_law_support <- function(law, theta) law$q + law$difference * theta

# ---- estimates ----

law_unbiased.rr_law_support <- function(law, evidence) (evidence$counts / evidence$n - law$q) / law$difference

law_blank_error.rr_law_support <- function(law, evidence) sqrt(law$q * (1 - law$q) / evidence$n) / abs(law$difference)

# ---- uncertainty ----

unbiased_variances.rr_law_support <- function(law, evidence, cells, target, unbiased) {
  d <- rep_len(law$difference, evidence$k)[cells]
  phi <- evidence$counts[cells] / evidence$n
  if (target == "population") return(phi * (1 - phi) / (sampling_divisor(evidence, unbiased) * d^2))
  # theta d = phi - q.
  p <- rep_len(law$p, evidence$k)[cells]
  q <- rep_len(law$q, evidence$k)[cells]
  (q * (1 - q) + (phi - q) * (1 - p - q)) / (evidence$n * d^2)
}

unbiased_covariance.rr_law_support <- function(law, evidence, cells, target, unbiased) {
  k <- evidence$k
  d <- rep_len(law$difference, k)[cells]
  p <- rep_len(law$p, k)[cells]
  q <- rep_len(law$q, k)[cells]
  phi <- evidence$counts[cells] / evidence$n
  theta <- (phi - q) / d
  # P(v and w | truth v) and P(v and w | another truth), less the products of the two probabilities for fixed truths.
  own <- both_block(law$both_own, cells, outer(p, q))
  other <- both_block(law$both_other, cells, outer(q, q))
  if (target == "sample") {
    own <- own - outer(p, q)
    other <- other - outer(q, q)
  }
  both <- theta * (own - other)
  both <- both + t(both) + other
  if (target == "population") both <- both - outer(phi, phi)
  covariance <- both / (sampling_divisor(evidence, target == "population" && unbiased) * outer(d, d))
  diag(covariance) <- unbiased_variances(law, evidence, cells, target, unbiased)
  covariance
}

# A matrix over `which`, rows truths, of one number, one per truth, or a whole matrix.
both_block <- function(x, which, independent) {
  if (is.null(x)) return(independent)
  if (is.matrix(x)) return(x[which, which, drop = FALSE])
  matrix(if (length(x) == 1L) x else x[which], length(which), length(which))
}

# The sum over categories of their weight times (supported or not, less q) / d: pairs with the truth, and other pairs.
law_second_moments.rr_law_support <- function(law, k, weights) {
  if (length(law$p) > 1L || length(law$q) > 1L || is.matrix(law$both_own) || length(law$both_own) > 1L ||
      is.matrix(law$both_other)) return(NULL)
  p <- law$p
  q <- law$q
  own <- (law$both_own %||% (p * q)) - p * q
  other <- (law$both_other %||% q^2) - q^2
  rest <- sum(weights) - weights
  squares <- sum(weights^2) - weights^2
  (weights^2 * (p * (1 - p) + law$difference^2) + squares * q * (1 - q) + 2 * weights * rest * own +
     (rest^2 - squares) * other) / law$difference^2
}

law_intervals.rr_law_support <- function(law, evidence, estimate, interval, level, which, target) {
  d <- rep_len(law$difference, evidence$k)[which]
  q <- rep_len(law$q, evidence$k)[which]
  binomial_intervals(d, q, 1 - d, evidence$counts[which] / evidence$n, evidence$n, interval, level, target)
}
