# The support law: a report supports each category with probability p if that is the truth and q if
# not ("pure" protocols). Each support count is binomial; both_own and both_other give their joint
# distribution in pairs. Variances and covariances, with d = p - q, m = q + d theta, N respondents:
#   fixed truths    N d^2 Var = q (1 - q) + theta d (1 - p - q)
#                   N d^2 Cov = sum over the truths x of theta_x (P(v and w | x) - P(v | x) P(w |
#                     x))
#   sampled truths  N d^2 Var = m (1 - m),  N d^2 Cov = P(v and w) - m_v m_w
# Both are linear in theta but for the product, so that the estimate may stand for theta; the
# divisor is then N, or N - 1 for sampled truths.

checked_support <- function(
  p, q, both_own = NULL, both_other = NULL, odds = NULL, difference = p - q
) {
  p <- check_probabilities(p, "p")
  q <- check_probabilities(q, "q")
  sizes <- setdiff(
    c(
      length(p), length(q), length(difference), NROW(both_own %||% 1),
      NROW(both_other %||% 1)
    ),
    1L
  )
  if (length(sizes) > 1L) abort("{.arg p}, {.arg q} and what both support must have one length.")
  check_pair_prob(both_own, "both_own")
  check_pair_prob(both_other, "both_other")
  symmetric <- if (is.matrix(both_other)) {
    isSymmetric(unname(both_other))
  } else {
    length(both_other) <= 1L
  }
  if (!symmetric) must_be(both_other, "both_other", "one number or a symmetric matrix")
  new_law_support(
    unname(p),
    unname(q),
    unname(both_own),
    unname(both_other),
    unname(difference),
    odds
  )
}

new_law_support <- function(
  p, q, both_own = NULL, both_other = NULL, difference = p - q, odds = NULL
) {
  new_rr_law(
    "support",
    "a report supports some categories and is none of them",
    p = p,
    q = q,
    both_own = both_own,
    both_other = both_other,
    difference = difference,
    odds = odds,
    has_likelihood = !is.null(odds),
    gives = c(
      "inverse", "shares", "exact", "support", "scores", "profile",
      if (all(abs(difference) >= 1e-14)) "binomial"
    ),
    binomial = list(a = difference, b = q, odds = odds),
    probabilities = support_texts(p, q)
  )
}

# The law with the `numbers` p, q, both_own, both_other and difference of a design, or of a law.
support_law <- function(numbers, odds = NULL) {
  new_law_support(
    numbers$p, numbers$q, numbers$both_own, numbers$both_other,
    numbers$difference, odds
  )
}

# The law of bits that are drawn one by one.
bits_law <- function(
  p, q, odds = (p - q) / (q * (1 - p)),
  difference = p - q
) {
  new_law_support(p, q, p * q, q^2, difference = difference, odds = odds)
}

check_pair_prob <- function(x, arg) {
  if (is.null(dim(x)) ||
      (is.matrix(x) && nrow(x) == ncol(x))) {
    return(if (!is.null(x)) check_probabilities(x, arg))
  }
  must_be(x, arg, "one number, one per category, or a square matrix")
}

law_impossible.rr_law_support <- function(law, counts) {
  match(
    TRUE, pmax(law$p, law$q) == 0 & counts > 0, nomatch = 0L
  )
}

# The probabilities of a support law under their names, for print().
support_texts <- function(p, q) {
  list(`P(report supports the truth)         ` = p, `P(it supports one other category)    ` = q)
}

law_expected.rr_law_support <- function(law, theta) law$q + law$difference * theta

# ---- estimates ----

law_unbiased.rr_law_support <- function(law, evidence) {
  (evidence$counts[seq_len(evidence$k)] / evidence$n - law$q) /
    law$difference
}

# ---- uncertainty ----

unbiased_variances.rr_law_support <- function(law, evidence, cells, target, unbiased) {
  d <- values_of_cells(law$difference, cells)
  phi <- evidence$counts[cells] / evidence$n
  if (target == "population") {
    return(phi * (1 - phi) / (sampling_divisor(evidence, unbiased) * d^2))
  }
  # theta d = phi - q.
  p <- values_of_cells(law$p, cells)
  q <- values_of_cells(law$q, cells)
  (q * (1 - q) + (phi - q) * (1 - p - q)) /
    (evidence$n * d^2)
}

unbiased_covariance.rr_law_support <- function(law, evidence, cells, target, unbiased) {
  k <- evidence$k
  d <- values_of_cells(law$difference, cells)
  p <- values_of_cells(law$p, cells)
  q <- values_of_cells(law$q, cells)
  phi <- evidence$counts[cells] / evidence$n
  theta <- (phi - q) / d
  # These are P(v and w | truth v) and P(v and w | another truth). If truths are fixed, the products
  # of the two probabilities are subtracted.
  pair_true <- pair_block(law$both_own, cells, outer(p, q))
  pair_other <- pair_block(law$both_other, cells, outer(q, q))
  if (target == "sample") {
    pair_true <- pair_true - outer(p, q)
    pair_other <- pair_other - outer(q, q)
  }
  p_pair <- theta * (pair_true - pair_other)
  p_pair <- p_pair + t(p_pair) + pair_other
  if (target == "population") p_pair <- p_pair - outer(phi, phi)
  covariance <- p_pair /
    (sampling_divisor(evidence, target == "population" && unbiased) * outer(d, d))
  diag(covariance) <- unbiased_variances(law, evidence, cells, target, unbiased)
  covariance
}

# A matrix over `cells`, whose rows are truths, from one number, one per truth, or a matrix of all.
# NULL stands for `independent`.
pair_block <- function(x, cells, independent) {
  if (is.null(x)) return(independent)
  if (is.matrix(x)) return(x[cells, cells, drop = FALSE])
  matrix(
    if (length(x) == 1L) x else x[cells], length(cells),
    length(cells)
  )
}

# The mean squares, given each truth, of the sum over categories of their weight times (supported or
# not, less q) / d. They are sums over pairs with the truth and over other pairs. NULL if categories
# differ.
law_second_moments.rr_law_support <- function(law, k, weights) {
  if (differs_by_category(law)) return(NULL)
  p <- law$p
  q <- law$q
  pair_true <- (law$both_own %||% (p * q)) - p * q
  pair_other <- (law$both_other %||% q^2) - q^2
  other_weights <- sum(weights) - weights
  squares <- sum(weights^2) - weights^2
  (weights^2 * (p * (1 - p) + law$difference^2) +
    squares * q * (1 - q) + 2 * weights * other_weights * pair_true +
    (other_weights^2 - squares) * pair_other) / law$difference^2
}

# ---- the likelihood of sets that were kept ----

# Protocols whose reports support sets of categories have the log-likelihood
#    l(theta) = sum over reports of log(1 + (E - 1) theta(S)) + const
# with theta(S) the sum of theta over the set S and E the odds ratio of p and q. It needs the sets,
# not their counts: rr_tally(keep = "sets") keeps the different ones and how often each was given.
# They are then the reports of a channel of two values, for the certified solver.
#
# law$sets is NULL, or a list:
#    bits    a raw matrix, a row for each set
#    times   how often it was given, in the weights of the tally

sets_evidence <- function(law, evidence) {
  evidence$counts <- law$sets$times * (evidence$n / evidence$raw$n)
  evidence
}

# The law of a group of a tally: that of the mechanism, with the sets, blocks or labels that were
# kept, and with the group's shares of the designs of a pool.
tally_law <- function(tally, g, law = rr_law(tally$mechanism)) {
  law <- pooled_law(law, tally, g)
  if (!is.null(tally$sets)) law$sets <- tally$sets[[g]]
  # The labels count as the reports do, with the number of people that weights are worth.
  if (!is.null(tally$labels)) {
    law$internal <- tally$labels[[g]] * (tally$effective_n[g] / tally$n[g])
  }
  if (!is.null(tally$blocks)) law <- law_with_blocks(law, tally$blocks[[g]])
  law
}

# The law with the shares of a pool's designs that group g has: other groups may have others.
pooled_law <- function(law, tally, g) {
  designs <- tally$mechanism$designs
  if (is.null(designs) || is.null(law$axes)) return(law)
  C <- law$axes[[1]]$matrix
  design <- rep(seq_along(designs), lengths(lapply(designs, `[[`, "reports")))
  counts <- as.matrix(tally$counts)[, g]
  change <- rowsum(prop.table(counts), design) / rowsum(C[, 1], design)
  if (all(abs(change - 1) < 1e-12)) return(law)
  new_law_channel(list(list(matrix = C * change[design])))
}

# The columns of the channel but for a factor that does not depend on theta. The larger value is 1:
# no overflow. The constant of the log-likelihood is that of 1 + (E - 1) theta(S).
report_channel.rr_law_support <- function(law, evidence) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  ratio <- 1 + law$odds
  axis <- list(
    bits = law$sets$bits,
    truths = evidence$k,
    low = if (ratio > 1) 1 / ratio else 1,
    high = min(1, ratio)
  )
  log <- if (is.finite(law$odds) && law$odds > 0) {
    log1p(law$odds)
  } else {
    0
  }
  list(law = new_law_channel(list(axis)), evidence = sets_evidence(law, evidence),
       logs = rep(log, length(law$sets$times)))
}

#' @export
set_bytes.rr_law_support <- function(law, k) ceiling(k / 8)

# ---- sets of a tally ----

sets_bits_limit <- 2^31

# A list with one element a group: the different sets and how often each was given.
keep_sets <- function(bits, groups, weights, group_number) {
  text <- .Call(C_rr_to_hex, bits)
  lapply(seq_len(group_number), function(g) {
    chosen <- if (is.null(groups)) seq_along(text) else which(groups == g)
    distinct_sets(
      bits[chosen, , drop = FALSE],
      if (is.null(weights)) rep(1, length(chosen)) else weights[chosen],
      text[chosen]
    )
  })
}

distinct_sets <- function(bits, times, text = .Call(C_rr_to_hex, bits)) {
  first <- which(!duplicated(text))
  list(
    bits = bits[first, , drop = FALSE],
    times = as.vector(rowsum(times, match(text, text[first]), reorder = TRUE))
  )
}

# The sets of tallies that are merged, for one group.
merge_sets <- function(tallies) {
  if (length(tallies) == 1L) return(tallies[[1]])
  distinct_sets(
    do.call(rbind, lapply(tallies, `[[`, "bits")),
    unlist(lapply(tallies, `[[`, "times"))
  )
}

check_sets_size <- function(n, k) {
  if (as.double(n) * k > sets_bits_limit) {
    abort(
      "The sets of {format_count(n)} reports of {format_count(k)} bits are too many to keep.",
      "too_large"
    )
  }
}

# ---- the likelihood of kept bits that support no sets ----

# RAPPOR and dBitFlip have no single ratio that says how much likelier a report is. The bits of a
# report are independent, given the truth:
#    RAPPOR     P(cohort j, bits | v) = 1 / m product over bits i of
#               one or zero if bit i is in v's filter, else of the probabilities for a 0
#    dBitFlip   P(buckets, bits | v) = 1 / (b choose d) product over the drawn buckets of
#               p for v's bucket and q for others if the bit is 1, else 1 - p and 1 - q
# Reports that are alike are one row of a channel, for the certified solver. rr_tally(keep = "sets")
# keeps the different ones. If there are many bits, hardly any reports are alike and the channel has
# a row for nearly each report: it is refused if that does not fit in memory.

# list(matrix, logs): a row for each report that was kept, a column for each category, each row over
# its largest number, and the logarithms of these.
scaled_rows <- function(logs, constant) {
  largest <- do.call(pmax, as.data.frame(logs))
  list(matrix = exp(logs - largest), logs = largest + constant)
}

# Matrices of more numbers than this are not made.
rows_numbers <- 2.5e8

check_rows_size <- function(reports, truths) {
  if (as.double(reports) * truths > rows_numbers) {
    abort(
      paste(
        "So many different reports do not fit in memory: {.code method = \"inv\"} needs the counts",
        "only."
      ),
      "too_large"
    )
  }
}

rows_channel <- function(law, evidence, rows) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  list(
    law = new_law_channel(list(list(matrix = rows$matrix))),
    evidence = sets_evidence(law, evidence),
    logs = rows$logs
  )
}
