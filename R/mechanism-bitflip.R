#' One-time dBitFlip
#'
#' The categories are dealt to buckets; each respondent draws `d` of the buckets and reports, for each of these, whether the truth lies in it, with
#' each bit randomised. With `d` below the number of buckets a report is short, whatever the number of categories.
#'
#' The estimate of a bucket is \eqn{(b / (N d)) \sum (y - q) / (p - q)}{(b / (N d)) times the sum of (y - q) / (p - q)} over the reports that
#' drew it. Two truths differ in two bits of a report, so each bit gets half of `epsilon`; with `d = 1` only one bit can differ, and it gets all of `epsilon`.
#' (The original paper uses half there too: `compatible = TRUE`.)
#'
#' @inheritParams rr_grr
#' @param epsilon The privacy level of one report, from 1e-12 to 700, in natural logarithms.
#' @param d Number of buckets that a report is about, from 1 to `buckets`.
#' @param buckets Number of buckets, from 2 to the number of categories, which is the default. Category \eqn{x} (from 0) lies in bucket
#'   \eqn{\lfloor x b / K \rfloor}{floor(x b / K)}, so a bucket holds neighbouring categories. The estimates are the shares of the buckets.
#' @param compatible With `d = 1`, randomise as the original paper does, which uses only half of `epsilon`?
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_bitflip", "rr_mechanism")`. Its `levels` are the buckets; `values` are the categories, where these are more.
#'   [rr_perturb()] returns [sets of positions][rr_reports], negative where the bit is 0.
#' @section Errors:
#' `candor_error_argument` for numbers out of range.
#' @source Ding, B., Kulkarni, J. and Yekhanin, S. (2017). Collecting telemetry data privately. *NeurIPS*, 3571-3580. arXiv:1712.01524
#' @examples
#' mechanism <- rr_bitflip(10, epsilon = 2, d = 3)
#' reports <- rr_perturb(rep(1:10, 10:1), mechanism)
#' reports[1:3]
#' rr_estimate(reports, mechanism, method = "inv")
#' @export
rr_bitflip <- function(levels, epsilon, d = 1, buckets = NULL, compatible = FALSE, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  buckets <- if (is.null(buckets)) as.double(k) else check_count(buckets, "buckets", min = 2, max = k)
  d <- check_count(d, "d", min = 1, max = buckets)
  level <- if (d == 1 && !check_flag(compatible, "compatible")) epsilon else epsilon / 2
  p <- stats::plogis(level)
  q <- stats::plogis(-level)
  names <- if (buckets == k) levels$labels else bucket_labels(levels$labels, buckets)
  made(new_rr_mechanism(
    "bitflip", names, reports = paste0(rep(names, 2), rep(c(" = 1", " = 0"), each = buckets)),
    numeric_truths = if (buckets == k) levels$numeric, epsilon = if (d == 1) level else epsilon,
    design = sprintf("dBitFlip (%s of %s bits)", format_count(d), format_count(buckets)), d = d, buckets = buckets,
                   p = p, q = q,
    p_minus_q = tanh(level / 2), bit_epsilon = level, values = if (buckets < k) levels
  ), "rr_bitflip",
    levels = level_value(levels$labels, levels$numeric, levels$ordered), epsilon = epsilon, d = d, buckets = buckets,
    compatible = compatible, fields = NULL)
}

bucket_labels <- function(labels, buckets) {
  bucket <- floor((seq_along(labels) - 1) * buckets / length(labels))
  first <- labels[!duplicated(bucket)]
  last <- labels[!duplicated(bucket, fromLast = TRUE)]
  ifelse(first == last, first, paste(first, last, sep = " to "))
}

#' @export
rr_law.rr_bitflip <- function(mechanism) {
  new_rr_law("bitflip", truths = mechanism$buckets, d = mechanism$d, p = mechanism$p, q = mechanism$q,
             difference = mechanism$p_minus_q)
}

#' @export
rr_matrix.rr_bitflip <- function(mechanism, ...) {
  check_dots_empty(...)
  b <- mechanism$buckets
  d <- mechanism$d
  drawn <- choose(b, d)
  check_report_number(mechanism, drawn * 2^d)
  parts <- lapply(utils::combn(b, d, simplify = FALSE), function(places) {
    own <- outer(seq_len(b), places, `==`)
    chances <- bits_matrix(ifelse(own, mechanism$p, mechanism$q), ifelse(own, mechanism$q, mechanism$p))
    bits <- strsplit(colnames(chances), "")
    colnames(chances) <- vapply(bits, function(bit) paste(mechanism$levels[places], "=", bit, collapse = ", "), "")
    chances / drawn
  })
  named_matrix(mechanism, do.call(cbind, parts))
}

#' @export
achieved.rr_bitflip <- function(mechanism) {
  epsilon <- .Call(C_rr_bit_chances, c(2 * mechanism$bit_epsilon, 0))[1]
  list(epsilon = if (mechanism$d == 1) epsilon / 2 else epsilon)
}

# The answers are categories; the buckets are the mechanism's.
#' @export
prepare_answers.rr_bitflip <- function(mechanism, x) {
  if (is.null(mechanism$values)) return(NextMethod())
  # Values are read as the categories of any question are.
  values <- rr_grr(mechanism$values$labels, epsilon = 1)
  answers <- prepare_answers.rr_mechanism(values, x)
  as.integer(((answers - 1) * mechanism$buckets) %/% length(values$levels)) + 1L
}

#' @export
rr_draw_reports.rr_bitflip <- function(mechanism, answers, rng = c("secure", "R")) {
  draw <- function(positions, levels, generator) {
    .Call(C_rr_draw_bitflip, positions, 1L, levels, c(2 * mechanism$bit_epsilon, 0),
          as.integer(c(mechanism$buckets, mechanism$d)), generator)
  }
  lists <- draw_protocol(draw, answers, mechanism, rng)
  new_rr_sets(lists, mechanism$buckets)
}

stored_forms.rr_bitflip <- function(mechanism) {
  list(columns = list(positions = paste0("position_", seq_len(mechanism$d)), long = c("id", "level", "bit"),
                      bits = mechanism$levels), alone = if (mechanism$d == 1) "positions")
}

#' @export
rr_reports.rr_bitflip <- function(x, mechanism) read_flips(x, mechanism)$reports

#' @export
rr_count_reports.rr_bitflip <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  read <- read_flips(x, mechanism, na.rm)
  counted <- .Call(C_rr_count_lists, unclass_sets(read$reports), as.double(mechanism$buckets), TRUE, kept(groups, read),
                   group_number(groups), kept(weights, read))
  counted_reports(counted, read)
}

read_flips <- function(x, mechanism, na.rm = FALSE) {
  if (inherits(x, "rr_sets")) {
    check_same_levels(attr(x, "levels_number"), mechanism)
    lists <- unclass_sets(x)
  } else if (is_long(x, mechanism)) {
    lists <- long_flips(x, mechanism)
  } else {
    refuse <- function(position, number) abort_flip_number(position, number, mechanism)
    columns <- if (is.data.frame(x)) flip_columns(x, mechanism) else x
    written <- if (!is.matrix(columns)) number_lists(columns, mechanism, mechanism$d, refuse)
    if (!is.null(written)) columns <- t(written)
    if (is.numeric(columns) && !is.object(columns) && is.null(dim(columns)) && mechanism$d == 1) {
      columns <- matrix(columns)
    }
    if (!is.matrix(columns) || !is.numeric(columns)) {
      abort(c("{.arg x} must be a matrix of positions, negative where the bit is 0, one row a report.",
              x = "It is {describe(x)}.",
              i = if (are_answers(x, mechanism)) answers_remedy else "See {.fn rr_reports}."), other_reports(x))
    }
    lists <- if (are_drawn_bits(columns, mechanism)) drawn_positions(columns, mechanism) else t(whole_matrix(columns))
  }
  if (nrow(lists) != mechanism$d) abort_flip_number(1, nrow(lists), mechanism)
  dropped <- missing_columns(lists, na.rm)
  if (length(dropped)) lists <- lists[, -dropped, drop = FALSE]
  unsorted <- nrow(lists) > 1L && any(abs(lists[-1, ]) < abs(lists[-nrow(lists), ]))
  if (isTRUE(unsorted)) lists[] <- apply(lists, 2, function(one) one[order(abs(one))])
  bad <- .Call(C_rr_count_lists, lists, as.double(mechanism$buckets), TRUE, NULL, 1, NULL)$position
  if (bad > 0) abort_report_at(bad, sub("category", "position", set_problem(abs(lists[, bad]), mechanism)))
  if (length(lists) && all(lists > 0)) check_ones(ncol(lists), mechanism)
  list(reports = new_rr_sets(lists, mechanism$buckets), dropped = dropped)
}

# Numbers of categories are never negative: as reports, all of their bits would be 1. Fewer than one set of reports in a
# hundred million is such.
check_ones <- function(n, mechanism) {
  d <- mechanism$d
  held <- d / mechanism$buckets
  chance <- held * mechanism$p * mechanism$q^(d - 1) + (1 - held) * mechanism$q^d
  if (n * log(chance) >= log(1e-8)) return(invisible())
  abort(c("{.arg x} must hold reports of this mechanism.",
          x = "All bits of {format_count(n)} reports are 1: no position is negative.",
          i = paste("They may be answers, to be randomised first: {.code rr_perturb(x, mechanism)}; or reports of",
                    "another mechanism, such as {.fn rr_subset}.")), "report")
}

abort_flip_number <- function(position, number, mechanism) {
  abort_report_at(position, sprintf("has %s bit%s; %s %s needed", format_count(number), if (number == 1) "" else "s",
                                    format_count(mechanism$d), if (mechanism$d == 1) "is" else "are"))
}

# The columns of the positions, or of the bits of all buckets, as a matrix.
flip_columns <- function(x, mechanism) {
  columns <- Find(function(columns) all(columns %in% names(x)), stored_forms(mechanism)$columns) %||% names(x)
  do.call(cbind, lapply(as.list(x)[columns], column_numbers))
}

# Bits of all buckets, missing where a bucket was not drawn. Of as many positions as there are buckets one is above 1.
are_drawn_bits <- function(x, mechanism) ncol(x) == mechanism$buckets && all(x %in% c(0, 1, NA))

# A column a report. One without any bit is missing.
drawn_positions <- function(x, mechanism) {
  drawn <- rowSums(!is.na(x))
  bad <- which(drawn != mechanism$d & drawn > 0)
  if (length(bad)) abort_flip_number(bad[1], drawn[bad[1]], mechanism)
  lists <- matrix(NA_integer_, mechanism$d, nrow(x))
  bits <- t(x)
  some <- which(!is.na(bits), arr.ind = TRUE)
  lists[, drawn > 0] <- as.integer(ifelse(bits[some] == 1, some[, 1], -some[, 1]))
  lists
}

# One row for each bucket that a report is about.
long_flips <- function(x, mechanism) {
  read <- long_places(x[c("id", "level")], mechanism, size = mechanism$d)
  bit <- column_numbers(x$bit)
  bad <- which(!bit %in% 0:1)
  if (length(bad)) abort_report_at(read$id[bad[1]], sprintf("has the bit %s; bits are 0 and 1", format(bit[bad[1]])))
  sizes <- tabulate(read$id)
  bad <- which(sizes != mechanism$d)
  if (length(bad)) abort_flip_number(bad[1], sizes[bad[1]], mechanism)
  matrix(ifelse(bit == 1, read$place, -read$place)[order(read$id, read$place)], mechanism$d)
}

# For the own likelihood: the buckets whose bit is 1, then those that were drawn.
report_sets.rr_bitflip <- function(mechanism, x) {
  lists <- unclass_sets(read_flips(x, mechanism)$reports)
  n <- ncol(lists)
  each <- max(1, floor(2e7 / mechanism$buckets))
  parts <- lapply(split(seq_len(n), (seq_len(n) - 1) %/% each), function(chosen) {
    some <- lists[, chosen, drop = FALSE]
    bits <- function(which) {
      matrix <- matrix(0L, length(chosen), mechanism$buckets)
      matrix[cbind(col(some)[which], abs(some)[which])] <- 1L
      .Call(C_rr_matrix_to_bits, matrix)$bits
    }
    cbind(bits(some > 0), bits(some != 0))
  })
  unname(do.call(rbind, parts))
}

#' @export
rr_simulate_counts.rr_bitflip <- function(mechanism, truth, nsim = 1) simulate_by_reports(mechanism, truth, nsim)
