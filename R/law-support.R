# The support law: a report supports each category with probability p if that is the truth and q if not ("pure"
# protocols). Each support count is binomial; both_own and both_other give their joint distribution in pairs.
# Variances and covariances, with d = p - q, m = q + d theta, N respondents:
#   fixed truths    N d^2 Var = q (1 - q) + theta d (1 - p - q)
#                   N d^2 Cov = sum over the truths x of theta_x (P(v and w | x) - P(v | x) P(w | x))
#   sampled truths  N d^2 Var = m (1 - m),  N d^2 Cov = P(v and w) - m_v m_w
# Both are linear in theta but for the product, so that the estimate may stand for theta; the divisor is then N, or N -
# 1 for sampled truths.

#' @rdname rr_law
#' @export
rr_law_support <- function(p, q, both_own = NULL, both_other = NULL, odds = NULL, difference = p - q, ...) {
  check_dots_empty(...)
  p <- check_probabilities(p, "p")
  q <- check_probabilities(q, "q")
  sizes <- setdiff(c(length(p), length(q), NROW(both_own %||% 1), NROW(both_other %||% 1)), 1L)
  if (length(unique(sizes)) > 1L) {
    abort(c("{.arg p}, {.arg q}, {.arg both_own} and {.arg both_other} must be one number each, or of one length.",
            x = "Their lengths are {unique(sizes)}."), "argument")
  }
  size <- max(length(p), length(q))
  if (!is.numeric(difference) || length(difference) != size || anyNA(difference) || any(abs(difference) > 1)) {
    abort(c("{.arg difference} must be {.code p - q}, one number per probability.",
            x = "It is {describe(difference)}."), "argument")
  }
  new_law_support(unname(p), unname(q), check_both(both_own, "both_own"), check_both(both_other, "both_other"),
                  difference = unname(difference), odds = odds)
}

new_law_support <- function(p, q, both_own = NULL, both_other = NULL, difference = p - q, odds = NULL) {
  new_rr_law("support", p = p, q = q, both_own = both_own, both_other = both_other, difference = difference,
             odds = odds)
}

check_both <- function(x, arg) {
  if (is.null(x)) return(NULL)
  square <- is.matrix(x) && nrow(x) == ncol(x)
  if (!is.numeric(x) || anyNA(x) || any(x < 0 | x > 1) || !(square || is.null(dim(x)))) {
    abort(c("{.arg {arg}} must hold probabilities: one number, one per category, or a square matrix.",
            x = "It is {describe(x)}."), "argument")
  }
  if (arg == "both_other" && (if (square) !isSymmetric(unname(x)) else length(x) != 1L)) {
    abort(c("{.arg both_other} must be one number or a symmetric matrix.", x = "It is {describe(x)}."), "argument")
  }
  unname(x)
}

law_words.rr_law_support <- function(law) "a report supports some categories and is none of them"

law_tells_nothing.rr_law_support <- function(law) all(abs(law$difference) < 1e-14)

law_gives.rr_law_support <- function(law, need, k) {
  switch(need, inverse = , shares = , binomial = all(abs(law$difference) >= 1e-14), exact = , support = TRUE,
         likelihood = !is.null(law$sets) && !is.null(law$odds), FALSE)
}

law_impossible.rr_law_support <- function(law, counts) {
  match(TRUE, pmax(law$p, law$q) == 0 & counts > 0, nomatch = 0L)
}

law_transition.rr_law_support <- function(law, range) {
  c(paste0("  P(report supports the truth)         ", range(law$p)), paste0("  P(it supports one other category)    ",
                                                                            range(law$q)))
}

law_reported.rr_law_support <- function(law, theta) law$q + law$difference * theta

#' @export
law_adds_up.rr_law_support <- function(law) FALSE

# ---- estimates ----

law_unbiased.rr_law_support <- function(law, evidence) (evidence$counts / evidence$n - law$q) / law$difference

law_blank_error.rr_law_support <- function(law, evidence) sqrt(law$q * (1 - law$q) / evidence$n) / abs(law$difference)

# ---- uncertainty ----

law_variances.rr_law_support <- function(law, evidence, map, which, target) {
  whole <- is.null(map$jacobian) && is.null(map$information) && map$alpha == 1 && all(map$u == 0)
  if (!whole) return(diag(law_covariance(law, evidence, map, which, target)))
  ifelse(map$support[which], support_variances(law, evidence, map$unbiased, which, target), 0)
}

support_variances <- function(law, evidence, unbiased, which, target) {
  d <- rep_len(law$difference, evidence$k)[which]
  phi <- evidence$counts[which] / evidence$n
  if (target == "population") return(phi * (1 - phi) / (support_divisor(evidence, unbiased, target) * d^2))
  # theta d = phi - q.
  p <- rep_len(law$p, evidence$k)[which]
  q <- rep_len(law$q, evidence$k)[which]
  (q * (1 - q) + (phi - q) * (1 - p - q)) / (evidence$n * d^2)
}

support_divisor <- function(evidence, unbiased, target) {
  if (target == "population" && unbiased) max(evidence$n - 1, 0) else evidence$n
}

law_covariance.rr_law_support <- function(law, evidence, map, which, target) {
  if (!is.null(map$jacobian)) return(jacobian_covariance(law, evidence, map, which, target))
  if (!is.null(map$information)) return(sets_covariance(law, evidence, map, which, target))
  if (map$alpha == 1 && all(map$u == 0)) {
    covariance <- support_covariance(law, evidence, map$unbiased, which, target)
    off <- !map$support[which]
    covariance[off, ] <- covariance[, off] <- 0
    return(covariance)
  }
  on <- base::which(map$support)
  if (length(on) > covariance_cells) return(matrix(NA_real_, length(which), length(which)))
  u <- map$u[on]
  covariance <- support_covariance(law, evidence, map$unbiased, on, target)
  centred <- covariance - outer(u, colSums(covariance))
  mapped <- map$alpha^2 * (centred - outer(rowSums(centred), u))
  place <- match(which, on)
  block <- matrix(0, length(which), length(which))
  inside <- !is.na(place)
  block[inside, inside] <- mapped[place[inside], place[inside]]
  block
}

# Of the unbiased estimates `which`.
support_covariance <- function(law, evidence, unbiased, which, target) {
  k <- evidence$k
  d <- rep_len(law$difference, k)[which]
  p <- rep_len(law$p, k)[which]
  q <- rep_len(law$q, k)[which]
  phi <- evidence$counts[which] / evidence$n
  theta <- (phi - q) / d
  # P(v and w | truth v) and P(v and w | another truth), less the products of the two probabilities for fixed truths.
  own <- both_block(law$both_own, which, outer(p, q))
  other <- both_block(law$both_other, which, outer(q, q))
  if (target == "sample") {
    own <- own - outer(p, q)
    other <- other - outer(q, q)
  }
  both <- theta * (own - other)
  both <- both + t(both) + other
  if (target == "population") both <- both - outer(phi, phi)
  covariance <- both / (support_divisor(evidence, unbiased, target) * outer(d, d))
  diag(covariance) <- support_variances(law, evidence, unbiased, which, target)
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
