# Reports of a bit for each category, drawn one by one: 1 with probability p if the category is the truth, and q if not.
# A protocol that declares such a sampler has a kernel, an achieved epsilon, a client, a matrix, fast simulation and a
# second stage by that.

# `numbers` are what the kernel is given: epsilon and whether it is the optimized form, from which it makes its own
# probabilities, or the probabilities and their complements.
bit_sampler <- function(p, q, numbers = NULL) {
  list(kind = "bits", p = p, q = q, numbers = as.double(numbers %||% c(p, 1 - p, q, 1 - q)))
}

draws_bits <- function(mechanism) identical(mechanism$sampler$kind, "bits")

draw_bit_reports <- function(mechanism, answers, rng) {
  check_report_memory(length(answers), length(mechanism$levels))
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(C_rr_draw_unary, positions, 1L, levels, mechanism$sampler$numbers, generator)
  })
}

achieved_bits <- function(mechanism) {
  chances <- .Call(C_rr_bit_chances, mechanism$sampler$numbers)
  list(epsilon = chances[1], p = chances[2], q = chances[3])
}

unary_matrix <- function(mechanism) {
  k <- length(mechanism$levels)
  check_report_number(mechanism, 2^k)
  sampler <- mechanism$sampler
  one <- matrix(sampler$q, k, k)
  zero <- 1 - one
  diag(one) <- sampler$p
  # A bit of the truth that is 0: by epsilon, since 1 - p loses the digits of a p near 1.
  diag(zero) <- if (length(sampler$numbers) == 2L) {
    sampler$p * (1 - sampler$q) / sampler$q * exp(-mechanism$epsilon)
  } else 1 - sampler$p
  named_matrix(mechanism, bits_matrix(one, zero))
}

# Given the truths the bits are independent, and so are the counts.
simulate_bits <- function(mechanism, truth, nsim) {
  k <- length(truth)
  held <- stats::rbinom(k * nsim, rep(truth, nsim), mechanism$sampler$p)
  matrix(as.double(held + stats::rbinom(k * nsim, rep(sum(truth) - truth, nsim), mechanism$sampler$q)), k, nsim)
}

# The law of such bits.
bits_law <- function(p, q, odds = (p - q) / (q * (1 - p))) new_law_support(p, q, p * q, q^2, odds = odds)
