# The law of dBitFlip draws d of b buckets. Each of their bits is 1 with probability p if the truth
# lies in the bucket, and with probability q if not. Counts are the ones of each bucket, then its
# zeros. The estimate of a bucket is b / (d N) times the sum of (bit - q) / (p - q) over the reports
# that drew it. It has the variance
#    N Var = (b / d) (q (1 - q) + theta (p - q) (1 - 2 q)) / (p - q)^2 - theta    (fixed truths)
#            the same                                            - theta^2  (sampled truths)
# Covariances are 0 (fixed truths) or - theta_v theta_w / N: bits are independent, and no truth lies
# in two buckets.

# The ones of a bucket are counted among the reports that drew it. (A bucket that nobody drew says
# nothing; a number above 0 is what the core of empirical Bayes wants.)
binomial_counts.rr_law_bitflip <- function(law, evidence) {
  ones <- evidence$counts[seq_len(law$truths)]
  list(
    counts = ones,
    n = pmax(ones + evidence$counts[law$truths + seq_len(law$truths)], 1e-6)
  )
}

law_expected.rr_law_bitflip <- function(law, theta) {
  ones <- law$q * sum(theta) + law$difference * theta
  law$d / law$truths * c(ones, sum(theta) - ones)
}

law_unbiased.rr_law_bitflip <- function(law, evidence) {
  ones <- evidence$counts[seq_len(law$truths)]
  zeros <- evidence$counts[law$truths + seq_len(law$truths)]
  law$truths / law$d *
    (ones * (1 - law$q) - zeros * law$q) /
    (law$difference * evidence$n)
}

law_null_std_error.rr_law_bitflip <- function(law, evidence) {
  sqrt(
    law$truths / law$d * law$q * (1 - law$q) / evidence$n
  ) / abs(law$difference)
}

bitflip_moment <- function(law, theta) {
  law$truths / law$d * (law$q * (1 - law$q) +
    theta * law$difference * (1 - 2 * law$q)) / law$difference^2
}

# Terms of two buckets are uncorrelated: no truth lies in both.
law_second_moments.rr_law_bitflip <- function(law, k, weights) {
  blank <- bitflip_moment(law, 0)
  sum(weights^2) * blank + weights^2 * (bitflip_moment(law, 1) - blank)
}

term_squares.rr_law_bitflip <- function(law, evidence, cells) {
  bitflip_moment(law, law_unbiased(law, evidence)[cells])
}

term_products.rr_law_bitflip <- function(law, evidence, cells) {
  diag(term_squares(law, evidence, cells), length(cells))
}

law_intervals.rr_law_bitflip <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  moment_intervals(
    law_unbiased(law, evidence)[cells], bitflip_moment(law, 1), bitflip_moment(law, 0),
    evidence$n, conf.level, target
  )
}

bitflip_rows <- function(law) {
  bits <- law$sets$bits
  check_rows_size(nrow(bits), law$truths)
  width <- ncol(bits) / 2
  read <- function(columns) {
    .Call(C_rr_bits_to_matrix, bits[, columns, drop = FALSE], law$truths)
  }
  ones <- read(seq_len(width))
  zeros <- read(width + seq_len(width)) - ones
  one <- log(law$p) - log(law$q)
  zero <- log1p(-law$p) - log1p(-law$q)
  constant <- rowSums(ones) * log(law$q) +
    rowSums(zeros) * log1p(-law$q) - lchoose(law$truths, law$d)
  scaled_rows(ones * one + zeros * zero, constant)
}

# Does any bucket have more ones, or fewer, than any truth makes likely? The reports that drew it
# are compared with the extremes: everybody holds it, or nobody.
law_unlikely.rr_law_bitflip <- function(law, evidence, alpha) {
  ones <- evidence$counts[seq_len(law$truths)]
  drawn <- ones + evidence$counts[law$truths + seq_len(law$truths)]
  beyond_counts(
    ones, drawn, min(law$p, law$q),
    max(law$p, law$q), alpha
  )
}

report_channel.rr_law_bitflip <- function(law, evidence) {
  rows_channel(law, evidence, bitflip_rows(law))
}

#' @export
set_bytes.rr_law_bitflip <- function(law, k) 2 * ceiling(k / 8)

# The blanket of d bits, of the buckets that were drawn, with r = p / q. A report is at least 1 / r
# times as likely as under a truth outside these buckets. Two truths differ if the bucket of at
# least one of them was drawn. One bit has two levels.
law_blanket.rr_law_bitflip <- function(law, k, local) {
  b <- law$truths
  d <- law$d
  if (d == 1) {
    return(list(
      weight = 2 * law$q,
      p_single = 1 / b,
      p_pair = 1 / 2 - 1 / b
    ))
  }
  p_apart <- (b - d) * (b - d - 1) /
    (b * (b - 1))
  list(
    weight = law$q / law$p,
    p_single = law$p * law$q * (1 - p_apart),
    p_pair = law$q * (law$q + law$p * p_apart)
  )
}
