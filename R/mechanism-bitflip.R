#' @rdname rr_unary
#' @order 3
#' @section dBitFlip:
#' The categories are divided into buckets. Each respondent draws `d` buckets and reports for each of them, with a randomized bit, whether it holds the
#' truth. With `d` below the number of buckets a report is short, whatever the number of categories. The estimate of a bucket is \eqn{(b / (N d)) \sum (y - q) / (p - q)}{(b / (N d)) times the sum of (y - q) / (p - q)} over the reports that
#' drew it. Two truths differ in two bits of a report, so that each bit gets half of `epsilon`. With `d = 1` only one bit can differ, and it gets all
#' of `epsilon`. The original paper uses half there too (`compatible = TRUE`).
#'
#' @param d Whole number, 1 (default) to `buckets`. Number of buckets in a report.
#' @param buckets Whole number, 2 to the number of categories (default). Category \eqn{x} (from 0) lies in bucket
#'   \eqn{\lfloor x b / K \rfloor}{floor(x b / K)}, together with its neighbours. Estimates are shares of buckets.
#' @param compatible Logical, default `FALSE`. With `d = 1`, randomize with half of `epsilon` as the original paper does?
#' @return `rr_bitflip()`: a mechanism of class `c("rr_bitflip", "rr_mechanism")`. Its `levels` are the buckets, and `values` the categories if there are more.
#'   [rr_perturb()] returns [sets of positions][rr_reports], negative if the bit is 0.
#' @references Ding, B., Kulkarni, J. and Yekhanin, S. (2017). Collecting telemetry data privately. *NeurIPS*, 3571-3580. arXiv:1712.01524
#' @concept dBitFlip
#' @concept telemetry
#' @examples
#'
#' # Ten versions of a program, three bits from each of 5,500 devices: how
#' # common is each version?
#' mechanism <- rr_bitflip(10, epsilon = 2, d = 3)
#' set.seed(1)
#' reports <- rr_perturb(rep(1:10, 100 * 10:1), mechanism, rng = "R")
#' reports[1:3]
#' rr_estimate(reports, mechanism, method = "inv")   # from 0.19 to 0
#' @export
rr_bitflip <- function(levels, epsilon, d = 1, buckets = NULL, compatible = FALSE, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  buckets <- if (is.null(buckets)) {
    as.double(k)
  } else {
    check_count(buckets, "buckets", min = 2, max = k)
  }
  d <- check_count(d, "d", min = 1, max = buckets)
  is_single_bit <- d == 1 && !check_flag(compatible, "compatible")
  bit_epsilon <- if (is_single_bit) epsilon else epsilon / 2
  p <- plogis(bit_epsilon)
  q <- plogis(-bit_epsilon)
  p_drawn <- d / buckets
  bucket <- floor((seq_len(k) - 1) * buckets / k)
  first <- levels$labels[!duplicated(bucket)]
  last <- levels$labels[!duplicated(bucket, fromLast = TRUE)]
  names <- ifelse(first == last, first, paste(first, last, sep = " to "))
  with_recipe(
    new_rr_mechanism(
      c("bitflip", "protocol"),
      names,
      reports = paste0(
        rep(names, 2), rep(c(" = 1", " = 0"), each = buckets)
      ),
      numeric_truths = if (buckets == k) levels$numeric,
      epsilon = if (d == 1) bit_epsilon else epsilon,
      design = sprintf("dBitFlip (%s of %s bits)", format_count(d), format_count(buckets)),
      d = d,
      buckets = buckets,
      p = p,
      q = q,
      p_minus_q = tanh(bit_epsilon / 2),
      bit_epsilon = bit_epsilon,
      values = if (buckets < k) levels,
      law = new_law_bitflip(buckets, d, p, q, tanh(bit_epsilon / 2)),
      codec = report_codec(
        levels = names,
        drawn = as.double(d),
        log_positive = log(p_drawn * p * q^(d - 1) + (1 - p_drawn) * q^d)
      )
    ),
    "rr_bitflip", levels = level_value(levels$labels, levels$numeric, levels$ordered),
    epsilon = epsilon, d = d, buckets = buckets, compatible = compatible, fields = NULL
  )
}

new_law_bitflip <- function(buckets, d, p, q, difference) {
  new_rr_law(
    "bitflip",
    "a report has the bits of some of the buckets",
    truths = buckets,
    d = d,
    p = p,
    q = q,
    difference = difference,
    has_likelihood = TRUE,
    gives = c("inverse", "scores", "profile", if (abs(difference) >= 1e-14) "binomial"),
    binomial = list(a = difference, b = q, odds = NA_real_),
    probabilities = list(`P(1 for the truth's bucket)  ` = p, `P(1 for any other)           ` = q)
  )
}

#' @export
rr_matrix.rr_bitflip <- function(mechanism, ...) {
  b <- mechanism$buckets
  d <- mechanism$d
  check_report_number(mechanism, choose(b, d) * 2^d)
  matrices <- lapply(combn(b, d, simplify = FALSE), function(buckets) {
    is_truth <- outer(seq_len(b), buckets, `==`)
    p_one <- ifelse(is_truth, mechanism$p, mechanism$q)
    p_zero <- ifelse(is_truth, mechanism$q, mechanism$p)
    probs <- bits_matrix(p_one, p_zero)
    label <- function(bits) paste(mechanism$levels[buckets], "=", bits, collapse = ", ")
    colnames(probs) <- vapply(strsplit(colnames(probs), ""), label, "")
    probs / choose(b, d)
  })
  named_matrix(mechanism, do.call(cbind, matrices))
}

achieved.rr_bitflip <- function(mechanism) {
  epsilon <- .Call(C_rr_bit_chances, c(2 * mechanism$bit_epsilon, 0))[1]
  list(epsilon = if (mechanism$d == 1) epsilon / 2 else epsilon)
}

# The buckets of the answers, which are categories.
#' @export
prepare_answers.rr_bitflip <- function(mechanism, x) {
  if (is.null(mechanism$values)) return(NextMethod())
  # Values are read as the categories of any question are.
  labels <- mechanism$values$labels
  categories <- prepare_answers(rr_grr(labels, epsilon = 1), x)
  as.integer(((categories - 1) * mechanism$buckets) %/% length(labels)) + 1L
}

draw_reports.rr_bitflip <- function(mechanism, answers, rng = "secure") {
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(C_rr_draw_bitflip, positions, 1L, levels, c(2 * mechanism$bit_epsilon, 0),
          as.integer(c(mechanism$buckets, mechanism$d)), generator)
  })
}

# The bits of reports for the likelihood: the buckets whose bit is 1, then those that were drawn.
report_sets.rr_bitflip <- function(mechanism, x) {
  values <- report_values(read_reports(x, mechanism)$reports)
  set_bits <- function(values, is_set) {
    bits <- matrix(0L, nrow(values), mechanism$buckets)
    bits[cbind(row(values)[is_set], abs(values)[is_set])] <- 1L
    .Call(C_rr_matrix_to_bits, bits)$bits
  }
  # A chunk has so many reports that their matrix fits in memory.
  rows <- seq_len(nrow(values))
  chunk_size <- max(1, floor(2e7 / mechanism$buckets))
  chunks <- lapply(split(rows, (rows - 1) %/% chunk_size), function(chunk) {
    used <- values[chunk, , drop = FALSE]
    cbind(set_bits(used, used > 0), set_bits(used, used != 0))
  })
  unname(do.call(rbind, chunks))
}

# The bits of a report are those of the buckets, then whether each bucket was drawn.
#' @export
client_facts.rr_bitflip <- function(mechanism, reports, x) {
  b <- mechanism$buckets
  d <- mechanism$d
  bytes <- ceiling(b / 8)
  sets <- .Call(C_rr_bits_to_matrix, report_sets(mechanism, reports), 8 * bytes + b)
  index <- c(seq_len(b), 8 * bytes + seq_len(b))
  # These are the probabilities that a bit is 1 if its bucket was drawn.
  p_bucket <- ifelse(seq_len(b) == x, mechanism$p, mechanism$q)
  p_one <- c(p_bucket, rep(1, b))
  p_both_drawn <- d * (d - 1) / (b * max(1, b - 1))
  p_pair <- p_both_drawn * outer(p_one, p_one)
  bucket <- rep(seq_len(b), 2)
  is_same <- outer(bucket, bucket, `==`)
  p_pair[is_same] <- (d / b * outer(p_one, p_one, pmin))[is_same]
  p_support <- p_pair[x, x]
  list(
    bits = sets[, index, drop = FALSE],
    both = p_pair,
    truth_bits = c(x, b + x),
    p_support = p_support,
    p_support_twice = p_support^2,
    p_equal = (mechanism$p^2 + mechanism$q^2)^d / choose(b, d)
  )
}

#' @export
score_reader.rr_bitflip <- function(mechanism, name) {
  function(x) {
    rows <- report_values(rr_reports(x, mechanism))
    scores <- matrix(0, nrow(rows), mechanism$buckets)
    scores[cbind(as.vector(row(rows)), as.vector(abs(rows)))] <-
      (as.vector(rows > 0) - mechanism$q) / mechanism$p_minus_q * mechanism$buckets / mechanism$d
    scores
  }
}

client_plan.rr_bitflip <- function(mechanism) {
  new_plan(
    "flipped",
    mechanism,
    size = mechanism$d,
    numbers = c(2 * mechanism$bit_epsilon, 0),
    levels = mechanism$values$labels %||% mechanism$levels
  )
}
