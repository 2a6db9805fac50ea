# Counts that no truth makes likely: reports of another width or key, or reports that were not randomised. Each test has
# a share of `alpha`, the probability of a false alarm under any truth.

# Is the evidence of one group such? Laws without a test of their own have none here.
law_unlikely <- function(law, evidence, alpha) UseMethod("law_unlikely")

law_unlikely.default <- function(law, evidence, alpha) FALSE

# Each count is binomial, or a sum of two binomials, with probabilities between those of a category that nobody holds
# and of one that everybody holds. Exact tails, so that Bonferroni's bound holds for any number of respondents.
beyond_counts <- function(counts, n, low, high, alpha) {
  size <- floor(n)
  limit <- alpha / (2 * length(counts))
  # The extremes tell all where the probabilities are alike.
  if (length(low) == 1L && length(high) == 1L && length(n) == 1L) counts <- range(counts)
  any(stats::pbinom(ceiling(counts), size, low) < limit |
        stats::pbinom(floor(counts) - 1, size, high, lower.tail = FALSE) < limit)
}

law_unlikely.rr_law_additive <- function(law, evidence, alpha) {
  ends <- cbind(law$b, law$b + law$a)
  beyond_counts(evidence$counts, evidence$n, pmin(ends[, 1], ends[, 2]), pmax(ends[, 1], ends[, 2]), alpha)
}

# How many categories a report supports has the same mean and variance whatever the truth.
law_unlikely.rr_law_support <- function(law, evidence, alpha) {
  low <- pmin(law$p, law$q)
  high <- pmax(law$p, law$q)
  if (beyond_counts(evidence$counts, evidence$n, low, high, alpha / 2)) return(TRUE)
  if (max(length(law$p), length(law$q), length(law$both_own), length(law$both_other)) > 1L) return(FALSE)
  others <- evidence$k - 1
  mean <- law$p + others * law$q
  variance <- mean + 2 * others * (law$both_own %||% (law$p * law$q)) +
    others * (others - 1) * (law$both_other %||% law$q^2) - mean^2
  # Sizes that hardly vary are made of roundings: subsets of one size are checked when they are read.
  if (variance <= 1e-9 * mean^2) return(FALSE)
  supported <- evidence$counts
  z <- (sum(supported) - evidence$n * mean) / sqrt(evidence$n * variance)
  abs(z) > stats::qnorm(alpha / 4, lower.tail = FALSE) + 1
}

# Of those who drew a bucket, as many report a 1 of it as hold it, or not.
law_unlikely.rr_law_bitflip <- function(law, evidence, alpha) {
  ones <- evidence$counts[seq_len(law$truths)]
  drawn <- ones + evidence$counts[law$truths + seq_len(law$truths)]
  beyond_counts(ones, drawn, min(law$p, law$q), max(law$p, law$q), alpha)
}

law_unlikely.rr_law_hadamard <- function(law, evidence, alpha) {
  z <- law_unbiased(law, evidence) / law_blank_error(law, evidence)
  # A block without reports has estimates and errors of 0.
  min(z, na.rm = TRUE) < stats::qnorm(alpha / length(z)) - 1
}

# The bits of each cohort; and the sum of the estimates, which is 1 only where the filters are those of the reports.
law_unlikely.rr_law_bloom <- function(law, evidence, alpha) {
  counts <- matrix(evidence$counts, law$bits + 1)
  n <- rep(counts[law$bits + 1, ], each = law$bits)
  ones <- as.vector(counts[seq_len(law$bits), ])
  ends <- range(law$zero, law$one)
  if (beyond_counts(ones[n > 0], n[n > 0], ends[1], ends[2], alpha / 2)) return(TRUE)
  if (law$truths > covariance_cells) return(FALSE)
  fit <- tryCatch(bloom_fit(law, evidence, least_squares), candor_error_no_information = function(e) NULL)
  if (is.null(fit)) return(FALSE)
  variance <- sum(bloom_covariance(law, evidence, "sample", fit))
  z <- (sum(fit$estimate) - 1) / sqrt(variance)
  isTRUE(abs(z) > stats::qnorm(alpha / 4, lower.tail = FALSE) + 1)
}

law_unlikely.rr_law_hierarchy <- function(law, evidence, alpha) {
  any(vapply(depth_evidence(law, evidence), function(depth) {
    law_unlikely(depth$law, depth, alpha / length(law$laws))
  }, NA))
}

# A design is doubted wrongly in one of a thousand fits at most.
false_alarm <- 0.001

unlikely_words <- paste("No truth makes these reports likely: was it another design (number or order of categories,",
                        "epsilon, key), or were they not randomised?")
