# Two probabilities, to keep an answer and to pollute it: what they say of epsilon, rounded so that
# it never promises more than holds, and the yes/no design that they make.

check_one_of_epsilon_p <- function(epsilon, p, arg = "p") {
  if (is.null(epsilon) == is.null(p)) {
    abort("Exactly one of {.arg epsilon} and {.arg {arg}} must be given.")
  }
}

# |log(p / q)|, rounded up so that the achieved epsilon is never above it: log1p() near 1, where it
# keeps the digits of the difference, the logarithm of the ratio elsewhere. 0 / 0 is a report that
# nobody gives.
ratio_epsilon <- function(p, q, difference) {
  if (difference == 0) return(0)
  ratio <- p / q
  size <- if (abs(difference) <= q / 2) {
    abs(log1p(difference / q))
  } else if (is.finite(ratio) && ratio > 0) {
    abs(log(ratio))
  } else {
    abs(log(p) - log(q))
  }
  round_up(size)
}

# Rounds up by more than the rounding errors of a quotient and a logarithm.
round_up <- function(x) x * (1 + 10 * .Machine$double.eps)

# The same where probabilities were added before the ratio was taken, of numbers up to 1.
round_sums_up <- function(x) if (x == 0) 0 else round_up(x) + 16 * .Machine$double.eps

# 1/49 is not a double: 49 * (1/49) misses 1 by one rounding, and the user means p = q. A difference
# no larger than a few rounding errors of numbers of this size is taken for 0.
snap_to_zero <- function(difference, size) {
  if (abs(difference) <= 4 * .Machine$double.eps * size) 0 else difference
}

# In a symmetric design q = 1 - p, and both keep all digits: at epsilon = 40 p rounds to 1, but 1 -
# p is not 0. `from_epsilon` is the epsilon that was given, if one was. `size` is the size of the
# numbers whose rounding errors may make p and q differ although the user means them to be equal.
new_rr_binary <- function(
  p, q, levels, design, difference = p - q, symmetric = FALSE, from_epsilon = NULL,
  size = max(p, q), error = NULL
) {
  levels <- check_levels(levels)
  check_two(levels$labels)
  check_no_first(levels$labels, even = abs(p + q - 1) < 1e-12)
  if (is.null(from_epsilon)) difference <- snap_to_zero(difference, size)
  p_no <- if (symmetric) q else 1 - p
  q_no <- if (symmetric) p else 1 - q
  epsilon <- from_epsilon %||%
    max(ratio_epsilon(p, q, difference), ratio_epsilon(q_no, p_no, difference))
  new_rr_mechanism(
    "binary",
    levels$labels,
    numeric_levels = levels$numeric,
    epsilon = if (isTRUE(error)) Inf else epsilon,
    design = sprintf(
      "%s (p = %s, q = %s)", design, format(p, digits = 4), format(q, digits = 4)
    ),
    p = p,
    q = q,
    p_minus_q = difference,
    law = new_law_additive(difference, c(p_no, q)),
    sampler = if (is.null(from_epsilon)) {
      list(kind = "binary", numbers = c(p, p_no, q, q_no))
    } else {
      list(kind = "grr_epsilon", numbers = epsilon)
    },
    yes_no = TRUE,
    error = error
  )
}

check_two <- function(labels) {
  if (length(labels) == 2L) {
    labels
  } else {
    abort("{.arg levels} must be two labels, first the one for \"no\".")
  }
}
