#' Hadamard response and projective geometry response, frequency oracles whose report is one number
#'
#' A report is one whole number, and the tally is a table of these numbers. For many categories `rr_hadamard()` has the smallest reports and the fastest
#' estimation of all protocols, by a fast Hadamard transform. The error of `rr_projective()` is nearly the error of [rr_subset()], which is the smallest of all.
#'
#' @section Hadamard response:
#' Categories are dealt to \eqn{B} blocks in turn, and each category is a row of a Hadamard matrix of \eqn{b} columns. A report is a column of a block,
#' a number from 0 to \eqn{B b - 1}. Columns of the truth's own block with +1 in the truth's row have \eqn{e^\epsilon} times the probability of the
#' others. With \eqn{Z = e^\epsilon + 2B - 1} the estimate is \eqn{Z / (e^\epsilon - 1)} times the mean of the signs in its row. It is unbiased, and
#' \deqn{N \mathrm{Var}(\hat\theta_v) = \frac{2Z}{(e^\epsilon - 1)^2} + \frac{Z}{e^\epsilon - 1}\Theta_{B(v)} - \theta_v}{N Var = 2 Z / (e^epsilon - 1)^2
#'   + Z / (e^epsilon - 1) Theta - theta_v} for fixed truths, with \eqn{\Theta} the share of the whole block.
#'
#' With `one_bit = TRUE` a report is a column, which may be public, and the randomized sign of the truth's row in this column. Only one private bit is
#' sent, and the variance is the variance of one block.
#'
#' @inheritParams rr_grr
#' @param blocks Whole number, 1 to the number of categories. Number of blocks, not necessarily a power of two; by default the number of least
#'   total error for a uniform truth.
#' @param one_bit Logical, default `FALSE`. Send one bit about a public column?
#' @return `rr_hadamard()`: a mechanism of class `c("rr_hadamard", "rr_mechanism")` with `blocks`, `size` (\eqn{b}), `z` (\eqn{Z}) and `one_bit`. [rr_perturb()] returns
#'   whole numbers, or with `one_bit` a tibble with `index` (from 0) and `sign` (1 or -1).
#' @section Errors:
#' `candor_error_argument` for numbers out of range, for `blocks` together with `one_bit`, and for an `order` that is no prime power. `candor_error_too_large` for more than
#' 2^31 possible reports.
#' @references Acharya, J., Sun, Z. and Zhang, H. (2019). Hadamard response: estimating distributions privately, efficiently, and with little
#'   communication. *AISTATS*, 1120-1129. arXiv:1802.04705
#' @seealso [rr_subset()], [rr_local_hash()]; [rr_recommend()], which compares the errors.
#' @concept local differential privacy
#' @concept frequency oracle
#' @concept Hadamard response
#' @examples
#' # 1,000 categories, of which ten are in use: what are their shares, from
#' # one number per person?
#' mechanism <- rr_hadamard(1000, epsilon = 2)
#' set.seed(1)
#' reports <- rr_perturb(rep(1:10, 2000), mechanism, rng = "R")
#' head(reports)
#' fit <- rr_estimate(reports, mechanism, method = "inv")
#' head(tidy(fit), 12)   # 0.1 each for the ten, 0 for the others
#' @export
rr_hadamard <- function(levels, epsilon, blocks = NULL, one_bit = FALSE, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  if (check_flag(one_bit, "one_bit")) {
    if (!is.null(blocks)) abort("{.arg blocks} must not be given with {.arg one_bit}.")
    return(hadamard_bit(levels, epsilon))
  }
  blocks <- if (is.null(blocks)) {
    as.double(best_blocks(k, epsilon))
  } else {
    check_count(blocks, "blocks", min = 1, max = k)
  }
  size <- hadamard_size(k, blocks)
  if (blocks * size > .Machine$integer.max) {
    abort("{.arg blocks} must make at most 2^31 reports.", "too_large")
  }
  labels <- number_text(seq_len(blocks * size) - 1L)
  with_recipe(
    new_rr_mechanism(
      c("hadamard", "protocol"),
      levels$labels,
      reports = labels,
      numeric_levels = seq_len(blocks * size) - 1,
      numeric_truths = levels$numeric,
      epsilon = epsilon,
      design = sprintf(
        "Hadamard response (%s of %s)", number_of(blocks, "block"), format_count(size)
      ),
      blocks = blocks,
      size = size,
      z = exp(epsilon) + 2 * blocks - 1,
      odds = expm1(epsilon),
      one_bit = FALSE,
      sampler = support_sampler(2 * blocks),
      law = new_law_hadamard(k, blocks, size, epsilon),
      codec = report_codec(report = c(0, blocks * size - 1))
    ),
    "rr_hadamard", epsilon = epsilon, blocks = blocks
  )
}

# The mechanism of one-bit reports.
hadamard_bit <- function(levels, epsilon) {
  size <- 2^ceiling(log2(length(levels$labels)))
  p <- plogis(epsilon)
  with_recipe(
    new_rr_mechanism(
      c("hadamard", "protocol"),
      levels$labels,
      numeric_levels = levels$numeric,
      epsilon = epsilon,
      design = "Hadamard response, one bit",
      size = size,
      p = p,
      q = 1 / 2,
      p_minus_q = tanh(epsilon / 2) / 2,
      odds = expm1(epsilon),
      one_bit = TRUE,
      sampler = support_sampler(2),
      law = hadamard_bit_law(epsilon),
      codec = report_codec(
        index = c(0, size - 1), sign = c(-1, 1, 2)
      )
    ),
    "rr_hadamard", epsilon = epsilon, one_bit = TRUE
  )
}

# The number of columns of a block.
hadamard_size <- function(k, blocks) {
  2^ceiling(log2(ceiling(k / blocks) + 1))
}

# The number of ordered pairs of categories in one block, over all blocks: some have one category
# more than the others.
block_pairs <- function(k, blocks) {
  min_size <- k %/% blocks
  n_larger <- k %% blocks
  n_larger * (min_size + 1) * min_size + (blocks - n_larger) * min_size * (min_size - 1)
}

# list(p, q, lie, difference): P(support) of the truth, and of another category on average over
# pairs; 1 - p; p - q.
hadamard_numbers <- function(k, epsilon, blocks) {
  z <- exp(-epsilon)
  total <- 1 + (2 * blocks - 1) * z
  p_same <- block_pairs(k, blocks) / (k * (k - 1))
  gain <- -expm1(-epsilon)
  list(
    p = 1 / total,
    q = p_same * (1 + z) / (2 * total) +
      (1 - p_same) * z / total,
    lie = (2 * blocks - 1) * z / total,
    difference = p_same * gain / (2 * total) + (1 - p_same) * gain / total
  )
}

# list(total, blank): N Var of the estimates for fixed truths, in all, and of a category that nobody
# holds, if its block has a fair share.
hadamard_risk <- function(k, epsilon, blocks, theta = NULL) {
  z <- exp(-epsilon)
  gain <- -expm1(-epsilon)
  total <- 1 + (2 * blocks - 1) * z
  # This is the sum of (size of a block - 1) times its share.
  n_others <- if (is.null(theta)) {
    block_pairs(k, blocks) / k
  } else {
    sizes <- k %/% blocks + (seq_len(blocks) <= k %% blocks)
    sum((sizes - 1) * rowsum(theta, (seq_len(k) - 1) %% blocks))
  }
  noise <- 2 * z * total / gain^2
  # This is c sum(sizes shares) - 1 without cancellation, as the shares add up to 1.
  crowded <- total / gain * n_others + 2 * blocks * z / gain
  list(total = k * noise + crowded, blank = noise + total / gain / blocks)
}

# The probability that the best guess of one of k equally likely categories from a report is right.
# In blocks of few categories some columns support none.
hadamard_success <- function(k, epsilon, blocks) {
  z <- exp(-epsilon)
  columns <- hadamard_size(k, blocks)
  sizes <- k %/% blocks + 0:1
  n_blocks <- c(blocks - k %% blocks, k %% blocks)
  none_share <- (sizes == 1) / 2 + (sizes == 2) / 4
  n_none <- columns * sum(n_blocks * none_share)
  total <- 1 + (2 * blocks - 1) * z
  2 * (blocks * columns - n_none + n_none * z) / (columns * k * total)
}

# The number of blocks B with the least total N Var for a uniform truth, less what does not depend
# on B; in z = exp(-epsilon). If blocks have one size, K / B, the best is B = (e^epsilon - 1) / 2:
# only numbers near it are tried for very many categories.
best_blocks <- function(k, epsilon) {
  z <- exp(-epsilon)
  blocks <- if (k <= 1e6) {
    as.double(seq_len(k))
  } else {
    center <- clamp(round((1 - z) / (2 * z)), 1, k)
    c(seq(max(1, center - 1e5), min(k, center + 1e5)), k)
  }
  gain <- -expm1(-epsilon)
  min_size <- floor(k / blocks)
  n_larger <- k - min_size * blocks
  squares <- n_larger * (min_size + 1)^2 + (blocks - n_larger) * min_size^2
  total <- 1 + (2 * blocks - 1) * z
  blocks[which.min(total * (2 * k * z / gain + squares / k) / gain)]
}

# The matrix of one-bit reports: their index is public.
#' @export
rr_matrix.rr_hadamard <- function(mechanism, ...) {
  if (!mechanism$one_bit) return(NextMethod())
  size <- mechanism$size
  check_report_number(mechanism, 2 * size)
  signs <- hadamard_columns(mechanism, seq_len(size))
  probs <- function(sign) plogis(mechanism$epsilon * sign * signs) / size
  index <- rep(seq_len(size) - 1, 2)
  labels <- paste0(index, ": ", rep(c("1", "-1"), each = size))
  named_matrix(mechanism, cbind(probs(1), probs(-1)), labels)
}

# The signs of all categories in some columns of the matrix.
hadamard_columns <- function(mechanism, columns) {
  k <- length(mechanism$levels)
  signs <- function(j) {
    .Call(C_rr_hadamard_transform, as.double(seq_len(mechanism$size) == j))[seq_len(k)]
  }
  vapply(columns, signs, numeric(k))
}

draw_reports.rr_hadamard <- function(mechanism, answers, rng = "secure") {
  blocks <- if (mechanism$one_bit) 0 else mechanism$blocks
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    epsilon <- mechanism$epsilon
    .Call(C_rr_draw_hadamard, positions, 1L, levels, epsilon, blocks, mechanism$size, generator)
  })
}

count_reports.rr_hadamard <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  if (!mechanism$one_bit) return(NextMethod())
  read <- read_reports(x, mechanism, na.rm, groups, weights)
  k <- length(mechanism$levels)
  counted_reports(count_signs(read, mechanism$size, k)[seq_len(k), ], read)
}

report_sets.rr_hadamard <- function(mechanism, x) {
  if (!mechanism$one_bit) return(NextMethod())
  reports <- read_reports(x, mechanism)$reports
  # The signs of the rows are those of the columns: H is symmetric.
  indices <- unique(reports$index)
  signs <- hadamard_columns(mechanism, indices + 1)
  signs <- signs[, match(reports$index, indices), drop = FALSE]
  supports <- t(signs) * reports$sign > 0
  storage.mode(supports) <- "integer"
  .Call(C_rr_matrix_to_bits, supports)$bits
}

# ---- a client's reports ----

# Row 0, that of the first category, has no minus; in any other the columns have both signs equally
# often.
#' @export
client_facts.rr_hadamard <- function(mechanism, reports, x) {
  facts <- NextMethod()
  facts$values <- if (x == 1) c(0, 1) else c(0.5, 0.5)
  facts
}

# The score of a category is the sign of its row, times the scale of the estimate, if the report
# lies in its block, and else 0.
#' @export
score_reader.rr_hadamard <- function(mechanism, name) {
  if (mechanism$one_bit) return(NextMethod())
  law <- rr_law(mechanism)
  block <- (seq_along(mechanism$levels) - 1L) %% law$blocks
  row <- (seq_along(mechanism$levels) - 1L) %/% law$blocks + 1L
  function(x) {
    reports <- rr_reports(x, mechanism)
    signs <- hadamard_signs(as.integer(reports %% law$size), as.integer(row))
    hadamard_scale(law) * signs * outer(reports %/% law$size, block, `==`)
  }
}

client_plan.rr_hadamard <- function(mechanism) {
  if (mechanism$one_bit) {
    return(new_plan(
      "sign",
      mechanism,
      size = mechanism$size,
      flip = .Call(C_rr_bit_words, c(mechanism$epsilon, 1))[2]
    ))
  }
  new_plan(
    "hadamard",
    mechanism,
    chance = support_words(mechanism),
    blocks = mechanism$blocks,
    size = mechanism$size
  )
}
