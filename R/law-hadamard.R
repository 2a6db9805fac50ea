# The law of Hadamard response in blocks has finitely many reports and is never a matrix. Category v
# (from 0) has row v %/% B + 1 of block v %% B. The score h[v](y) is the sign of its row in the
# column y of its own block, and 0 in other blocks. The symbols are E = exp(epsilon), Z = E + 2B -
# 1, c = Z / (E - 1), and f, the shares of the reports.
#
# The estimate is by one fast transform a block:
#    c sum over y of f[y] h[v](y)
# Its terms have the second moments
#    E(c h)^2 = c^2 (share of v's block)
# Two categories of a block have c times the estimate of a third category, or 0 if there is none.
# The row of the third is the xor of their rows. Covariances are these less products of the
# estimates (sampled truths), or less theta on the diagonal (fixed truths).

hadamard_scale <- function(law) {
  (1 + (2 * law$blocks - 1) * exp(-law$epsilon)) /
    -expm1(-law$epsilon)
}

# H[row, j], a row for each j: 1, or -1 where row and j have an odd number of bits in common.
hadamard_signs <- function(j, row) {
  seen <- sort(unique(j))
  signs <- outer(seen, row, function(j, row) {
    1L - 2L * odd_bits(bitwAnd(j, row))
  })
  signs[match(j, seen), , drop = FALSE]
}

# Have numbers an odd number of bits? 1 or 0.
odd_bits <- function(x) {
  for (shift in c(16, 8, 4, 2, 1)) {
    x <- bitwXor(x, bitwShiftR(x, shift))
  }
  bitwAnd(x, 1L)
}

# In one block a report supports the categories whose sign in its column is its own.
hadamard_bit_law <- function(epsilon) {
  p <- plogis(epsilon)
  new_law_support(
    p,
    1 / 2,
    p / 2,
    1 / 4,
    difference = tanh(epsilon / 2) / 2,
    odds = expm1(epsilon)
  )
}

new_law_hadamard <- function(truths, blocks, size, epsilon) {
  one <- blocks == 1
  new_rr_law(
    "hadamard",
    "a report is a column of a Hadamard matrix",
    truths = truths,
    blocks = blocks,
    size = size,
    epsilon = epsilon,
    binomial = if (one) hadamard_bit_law(epsilon)$binomial,
    gives = c(
      "inverse", "likelihood", "channel", "question", "simulation", "scores", "profile",
      if (one) c("exact", "binomial")
    )
  )
}

binomial_counts.rr_law_hadamard <- function(law, evidence) {
  list(
    counts = (evidence$n + .Call(C_rr_hadamard_sums, evidence$counts, 1, evidence$k)) /
      2,
    n = evidence$n
  )
}

law_axes.rr_law_hadamard <- function(law, k) {
  total <- 1 + (2 * law$blocks - 1) * exp(-law$epsilon)
  list(
    list(
      blocks = law$blocks,
      size = law$size,
      truths = law$truths,
      epsilon = law$epsilon,
      low = 2 * exp(-law$epsilon) / (law$size * total),
      high = 2 / (law$size * total)
    )
  )
}

# An axis that kernels take beside others. A Hadamard axis or one of sets becomes a matrix, and the
# terms of the unbiased estimate are its inverse. If these do not add up to 1, the difference is
# divided equally among the truths.
dense_axis <- function(axis) {
  if (is.null(axis$truths)) return(axis)
  if (as.double(axis$truths) * axis_sizes(list(axis), "reports") > 2.5e7) {
    abort("The matrix of so many categories would not fit in memory.", c("too_large", "argument"))
  }
  terms <- if (is.null(axis$bits)) {
    hadamard_terms(axis, diag(axis$truths))
  } else {
    (.Call(C_rr_bits_to_matrix, axis$bits, axis$truths) - axis$q) /
      axis$difference
  }
  list(matrix = .Call(C_rr_channel_rows, list(axis), seq_len(axis$truths)),
       inverse = terms + (1 - rowSums(terms)) / axis$truths)
}

law_expected.rr_law_hadamard <- function(law, theta) apply_channel(law_axes(law), theta)

# The counts of `nsim` replications, a column each. A holder of a category draws a column of it with
# probability (E - 1) / Z, and else any column of any block has the same probability.
law_simulate.rr_law_hadamard <- function(law, truth, nsim) {
  p_truthful <- 1 / (1 +
    2 * law$blocks * exp(-law$epsilon) / -expm1(-law$epsilon))
  reports <- law$blocks * law$size
  vapply(
    seq_len(nsim),
    function(i) {
      n_truthful <- rbinom(law$truths, truth, p_truthful)
      holder <- rep(seq_len(law$truths) - 1, n_truthful)
      row <- as.integer(holder %/% law$blocks + 1)
      column <- sample.int(law$size, length(row), replace = TRUE) - 1L
      turned <- odd_bits(bitwAnd(row, column)) == 1L
      column[turned] <- bitwXor(
        column[turned], bitwAnd(row[turned], -row[turned])
      )
      counts <- tabulate(holder %% law$blocks * law$size + column + 1, reports)
      counts +
        as.vector(rmultinom(1, sum(truth) - sum(n_truthful), rep(1, reports)))
    },
    numeric(reports)
  )
}

# ---- estimates ----

law_unbiased.rr_law_hadamard <- function(law, evidence) {
  hadamard_scale(law) *
    .Call(C_rr_hadamard_sums, evidence$counts / evidence$n, law$blocks, law$truths)
}

# The share of all reports that fall in each category's block.
block_shares <- function(law, evidence) {
  shares <- colSums(matrix(evidence$counts / evidence$n, law$size))
  shares[(seq_len(law$truths) - 1) %% law$blocks + 1]
}

law_null_std_error.rr_law_hadamard <- function(law, evidence) {
  hadamard_scale(law) * sqrt(block_shares(law, evidence) / evidence$n)
}

report_channel.rr_law_hadamard <- function(law, evidence) {
  list(
    law = new_law_channel(law_axes(law, evidence$k)),
    evidence = evidence,
    logs = numeric(length(evidence$counts))
  )
}

# ---- uncertainty ----

term_squares.rr_law_hadamard <- function(law, evidence, cells) {
  hadamard_scale(law)^2 * block_shares(law, evidence)[cells]
}

# The term that each report adds to a function (a column): the transform of the function's weights,
# block by block. It needs no covariance matrix of all categories.
hadamard_terms <- function(law, functions) {
  row <- (seq_len(law$truths) - 1) %/% law$blocks + 1
  block <- (seq_len(law$truths) - 1) %% law$blocks
  index <- block * law$size + row + 1
  added <- hadamard_scale(law) * apply(functions, 1, function(weights) {
    transform <- numeric(law$blocks * law$size)
    transform[index] <- weights
    for (b in seq_len(law$blocks) - 1) {
      columns <- b * law$size + seq_len(law$size)
      transform[columns] <- .Call(C_rr_hadamard_transform, transform[columns])
    }
    transform
  })
  matrix(added, ncol = nrow(functions))
}

law_second_moments.rr_law_hadamard <- function(law, k, weights) {
  apply_channel(
    law_axes(law, k), hadamard_terms(law, matrix(weights, 1))^2, "adjoint"
  )
}

law_functions.rr_law_hadamard <- function(law, evidence, functions, target, variances = FALSE) {
  functions_by_terms(law, evidence, functions, hadamard_terms(law, functions), target, variances)
}

term_products.rr_law_hadamard <- function(law, evidence, cells) {
  theta <- law_unbiased(law, evidence)
  row <- as.integer((cells - 1) %/% law$blocks + 1)
  block <- (cells - 1) %% law$blocks
  third <- outer(row, row, bitwXor)
  index <- (third - 1) * law$blocks + rep(block, length(cells)) + 1
  inside <- outer(block, block, `==`) & third > 0 & index <= law$truths
  second <- matrix(0, length(cells), length(cells))
  second[inside] <- hadamard_scale(law) * theta[index[inside]]
  diag(second) <- term_squares(law, evidence, cells)
  second
}

# The interval of one block is that of binomial counts: a report supports the truth with probability
# E / (E + 1) and any other category with 1/2. Several blocks have the score interval of the
# estimate.
law_intervals.rr_law_hadamard <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  inv <- law_unbiased(law, evidence)
  scale <- hadamard_scale(law)
  if (law$blocks == 1) return(NextMethod())
  theta <- to_sum_1(pmax(estimate, 0))
  block <- (seq_len(law$truths) - 1) %% law$blocks + 1
  block_share <- as.vector(rowsum(theta, block))[block]
  # Mean squares of the estimate's terms under a truth of the block and under any other.
  floor <- 2 * scale * exp(-law$epsilon) / -expm1(-law$epsilon)
  others <- floor + scale * (block_share - theta) / pmax(1 - theta, 1e-12)
  moment_intervals(inv[cells], floor + scale, others[cells], evidence$n, conf.level, target)
}

law_unlikely.rr_law_hadamard <- function(law, evidence, alpha) {
  z <- law_unbiased(law, evidence) / law_null_std_error(law, evidence)
  # A block without reports has estimates and errors of 0.
  any(z < qnorm(alpha / length(z)) - 1, na.rm = TRUE)
}

# The blanket of Hadamard response. Two categories of different blocks are never supported together.
law_blanket.rr_law_hadamard <- function(law, k, local) {
  blocks <- law$blocks
  z <- exp(-law$epsilon)
  p_pair <- if (blocks > 1) 0 else 1 / 4
  list(
    weight = 2 * blocks * z / (1 + (2 * blocks - 1) * z),
    p_single = 1 / (2 * blocks) - p_pair,
    p_pair = p_pair
  )
}
