# Noisy bits and their flip probabilities, as every function of extremes and set sizes takes them.

# Bits as an integer, logical or raw vector (or matrix): kernels look at every entry anyway, so nothing is
# checked here that would need a pass of its own. Doubles are converted in one pass; what is not 0 or 1 becomes NA.
check_bits <- function(x, arg = "bits") {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is.double(x) && !is.object(x)) {
    bits <- .Call(C_rr_bits, x)
    if (anyNA(bits)) abort_bit(x, which(is.na(bits))[1], arg)
    attributes(bits) <- attributes(x)
    x <- bits
  }
  good <- is.logical(x) || is.integer(x) || (is.raw(x) && is.null(dim(x)))
  if (!good || is.object(x) || length(dim(x)) > 2L) {
    abort(c("{.arg {arg}} must be bits: a vector or matrix of 0 and 1, or TRUE and FALSE.", x = "It is {describe(x)}."),
          "argument")
  }
  if (!length(x)) abort("{.arg {arg}} holds no bits.", "empty")
  x
}

abort_bit <- function(x, position, arg) {
  value <- x[[position]]
  place <- if (length(dim(x)) == 2L) sprintf("[%s]", toString(arrayInd(position, dim(x)))) else position
  if (is.na(value)) abort(c("{.arg {arg}} must not have missing bits.", x = "Entry {place} is NA."), "missing")
  abort(c("{.arg {arg}} must be 0 or 1 (or TRUE or FALSE) everywhere.", x = "Entry {place} is {describe(value)}."),
        "argument")
}

abort_flip <- function(flip, position) {
  value <- flip[[position]]
  abort(c("{.arg flip} must hold probabilities of a wrong report, from 0 to 1 and not 1/2.",
          x = "Entry {position} is {describe(value)}."), if (value %in% 0.5) "no_information" else "argument")
}

# `flip` as one number, one per bit or set (length `n`), or one per entry (an m x n matrix). Flips with names go to the
# sets (or bits, or columns) `sets` that they name. Entries of a matrix, and of long vectors, are checked by the
# kernels: here each comparison would be a pass of its own.
check_flip <- function(flip, m, n, sets = NULL) {
  if (!is.numeric(flip) || is.object(flip) || !length(flip)) {
    abort(c("{.arg flip} must be the probability that a bit was reported wrongly.", x = "It is {describe(flip)}."),
          "argument")
  }
  storage.mode(flip) <- "double"
  flip <- name_flips(flip, sets)
  shape <- if (is.matrix(flip)) dim(flip) else length(flip)
  if (!identical(shape, as.integer(c(m, n))) && !identical(shape, as.integer(n)) && !identical(shape, 1L)) {
    abort(c("{.arg flip} must be one number, one for each {if (m == 1) 'bit' else 'set'}, or one for each entry.",
            x = "It is {describe(flip)}; the bits are {m} x {n}."), "argument")
  }
  if (is.matrix(flip) || length(flip) > 1e4) return(flip)
  bad <- which(is.na(flip) | flip < 0 | flip > 1 | flip == 0.5)
  if (length(bad)) abort_flip(flip, bad[1])
  if (all(flip == flip[1])) flip[[1]] else as.vector(flip)
}

# One flip for all needs no name, and neither do flips of sets that have none.
name_flips <- function(flip, sets) {
  names <- if (is.matrix(flip)) colnames(flip) else names(flip)
  if (length(names) != length(sets) || identical(names, sets) || !any(nzchar(sets))) return(flip)
  if (!setequal(names, sets) || anyDuplicated(names)) {
    abort("The names of {.arg flip} must be {format_labels(sets)}, each once.", "mismatch")
  }
  at <- match(sets, names)
  if (is.matrix(flip)) flip[, at, drop = FALSE] else flip[at]
}

# The error for an entry that a kernel refused: a list with the position of that entry. It was the flip unless the bit
# itself is wrong.
check_kernel <- function(result, bits, flip, arg = "bits") {
  if (!is.list(result) || is.null(result$position)) return(result)
  if (result$in_flips %||% (bits[[result$position]] %in% 0:1)) abort_flip(flip, result$position)
  abort_bit(bits, result$position, arg)
}

#' Sufficient statistics of noisy bits
#'
#' A tally of bits holds all that OR, AND, unions, intersections and incidence need to know about the noisy bits of each element. It is small,
#' is made in one pass, and merges with `c()` in any order to the same result. Bits that arrive in a stream can be tallied
#' one after the other and then deleted.
#'
#' While all bits share one flip probability, the number of bits reported as 1 is a sufficient statistic, and only this number is
#' kept. With different flip probabilities twelve numbers per element are kept: signs, and logarithms summed in twice the usual precision,
#' so that the result does not depend on the order of merging.
#'
#' @param bits Reported bits. A vector (0 and 1, or `TRUE` and `FALSE`) holds the bits of *one* element. A matrix has
#'   one row per element and one column per report (one set, one site, one day). A raw vector holds the bits of one
#'   element, eight per byte, as [packBits()] makes it. Or a **database table** of package dbplyr with a row for each element and set, and the bit that
#'   the set reported of the element: the engine adds up, and one row for each element comes back, sorted by its label.
#' @param flip Probability that a bit was reported wrongly, whatever the truth: one number, one for each bit of a vector
#'   or each column of a matrix, or a matrix with one for each entry. With the names of the bits or columns
#'   they may stand in any order; other names are an error. Any value from 0 to 1 but 1/2. For randomized response
#'   at \eqn{\epsilon} it is `plogis(-epsilon)`.
#' @param n For packed bits: the number of bits, if not all of the last byte is used. With `ones`: the number of bits
#'   of each element.
#' @param element,set,column For a database table: the columns of the elements, of the sets and of the bits, by name or as a formula. `column` is not needed
#'   where it is the only one left. All bits share one `flip`.
#' @param ones In place of `bits`: how many of an element's `n` bits were reported as 1; with names if the elements have labels.
#' @param ... Not used, and refused.
#' @return An object of class `rr_bit_tally`, for [rr_extreme()], [rr_set_size()]
#'   and [rr_incidence()].
#' @section Errors:
#' `candor_error_argument` for entries that are not bits and flips that are not probabilities, by position;
#' `candor_error_missing` for NA; `candor_error_no_information` for a flip of 1/2; `candor_error_mismatch` when tallies
#' of different elements are merged, and for flips whose names are not those of the bits. Of a database table also `candor_error_database` where it does not answer.
#' @seealso [rr_extreme()] for the estimates.
#' @references Hehir, J. (2023). Easier estimation of extremes under randomized response, Theorem 2 (equal flips: the sum is
#'   sufficient).
#' @examples
#' # Two days of a stream, each with its own flip probability
#' monday <- rr_bit_tally(c(0, 0, 1, 0), flip = 0.1)
#' tuesday <- rr_bit_tally(c(0, 0, 0), flip = 0.2)
#' rr_extreme(c(monday, tuesday))
#'
#' # Counts are enough when all flips are equal: here of three elements, seen by eight sites
#' rr_extreme(rr_bit_tally(ones = c(a = 8, b = 1, c = 7), n = 8, flip = 0.05), type = "all")
#' @export
rr_bit_tally <- function(bits, flip = NULL, n = NULL, ..., ones = NULL, element = NULL, set = NULL, column = NULL) {
  check_dots_empty(...)
  if (!is.null(ones)) {
    n <- check_count(n, "n", min = 1)
    if (!is.numeric(ones) || !length(ones) || !all(ones >= 0 & ones <= n & ones == floor(ones)) %in% TRUE) {
      abort(c("{.arg ones} must be whole numbers from 0 to {.arg n} = {format_count(n)}.",
              x = "It is {describe(ones)}."), "argument")
    }
    return(new_rr_bit_tally(check_flip(flip, 1, 1), n, as.double(ones), names(ones)))
  }
  if (inherits(bits, "tbl_lazy")) {
    flip <- check_flip(flip, 1, 1)
    counted <- count_long_bits(bits, element, set, column)
    return(new_rr_bit_tally(flip, counted$n, counted$ones, counted$labels))
  }
  bits <- check_bits(bits)
  if (is.raw(bits)) {
    n <- check_count(n %||% (8 * length(bits)), "n", min = 1, max = 8 * length(bits))
    flip <- check_flip(flip, 1, n)
    if (length(flip) == 1L) return(new_rr_bit_tally(flip, n, .Call(C_rr_count_ones, bits, n)[1]))
    bits <- as.integer(rawToBits(bits))[seq_len(n)]
  } else if (!is.null(n)) abort("{.arg n} is for packed bits and for {.arg ones}.", "argument")
  if (!is.matrix(bits)) {
    flip <- check_flip(flip, 1, length(bits), names(bits))
    if (length(flip) == 1L) return(new_rr_bit_tally(flip, length(bits), count_ones(bits)))
    state <- check_kernel(.Call(C_rr_extreme_bits, bits, flip), bits, flip)
    return(new_rr_bit_tally(NA_real_, length(bits), state[2], state = state))
  }
  m <- nrow(bits)
  flip <- check_flip(flip, m, ncol(bits), colnames(bits))
  if (length(flip) == 1L) return(new_rr_bit_tally(flip, ncol(bits), row_ones(bits), rownames(bits)))
  state <- .Call(C_rr_extreme_rows, bits, m, ncol(bits), flip, is.matrix(flip))
  if (is.list(state) && !is.matrix(flip) && bits[[state$position]] %in% 0:1) {
    state$position <- (state$position - 1) %/% m + 1
  }
  state <- check_kernel(state, bits, flip)
  new_rr_bit_tally(NA_real_, ncol(bits), state[2, ], rownames(bits), state)
}

count_ones <- function(bits) {
  counted <- .Call(C_rr_count_ones, bits, 0)
  if (counted[2] > 0) abort_bit(bits, counted[2], "bits")
  counted[1]
}

row_ones <- function(bits, arg = "bits") {
  ones <- .Call(C_rr_row_ones, bits, nrow(bits), ncol(bits))
  if (is.list(ones)) abort_bit(bits, ones$position, arg)
  ones
}

# `flip` is NA once bits of different flips were tallied; then `state` holds their sums.
new_rr_bit_tally <- function(flip, n, ones, labels = NULL, state = NULL) {
  structure(list(flip = flip, n = as.double(n), ones = ones, labels = labels, state = state), class = "rr_bit_tally")
}

#' @rdname rr_bit_tally
#' @param ... Tallies of the same elements, to be merged.
#' @export
c.rr_bit_tally <- function(...) Reduce(merge_tallies, list(...))

merge_tallies <- function(x, y) {
  if (!inherits(y, "rr_bit_tally") || length(x$ones) != length(y$ones) ||
      (!is.null(x$labels) && !is.null(y$labels) && !identical(x$labels, y$labels))) {
    abort("Tallies of bits merge if they are of the same elements, in the same order.", "mismatch")
  }
  same <- !is.na(x$flip) && !is.na(y$flip) && x$flip == y$flip
  new_rr_bit_tally(if (same) x$flip else NA_real_, x$n + y$n, x$ones + y$ones, x$labels %||% y$labels,
                   if (!same) .Call(C_rr_extreme_merge, tally_state(x), tally_state(y)))
}

tally_state <- function(tally) {
  tally$state %||% .Call(C_rr_extreme_counts, tally$n, tally$ones, tally$flip)
}

#' @export
print.rr_bit_tally <- function(x, ...) {
  cat("<rr_bit_tally> elements: ", format_count(length(x$ones)), ", bits of each: ", format_count(x$n),
      ", reported as 1: ", format_count(sum(x$ones)), ", flip: ", format_flips(x$flip), "\n", sep = "")
  invisible(x)
}

# ---- in a database ----

# Noisy bits in a long table: one row for each element and set, with the bit that the set reported of the element.

# How many of its bits each element has as 1: the engine adds up, one row for each element comes back.
count_long_bits <- function(data, element, set, column) {
  frame <- table_columns(data)
  name <- function(given, arg) {
    if (inherits(given, "formula")) given <- all.vars(given)
    if (length(given) == 1L && given %in% names(frame)) return(given)
    abort(c("{.arg {arg}} must name a column of the database table.", x = "It is {describe(given)}."), "argument")
  }
  element <- name(element, "element")
  set <- name(set, "set")
  left <- setdiff(names(frame), c(element, set))
  column <- if (is.null(column) && length(left) == 1L) left else name(column, "column")
  alias <- free_names(c("bits", "sets", "ones", "wrong", "unknown"), c(element, set, column))
  bit <- rlang::sym(column)
  sums <- list(quote(n()), rlang::call2("n_distinct", rlang::sym(set)), rlang::expr(sum(!!bit, na.rm = TRUE)),
               rlang::expr(sum(ifelse(!!bit == 0L | !!bit == 1L, 0L, 1L), na.rm = TRUE)),
               rlang::expr(sum(ifelse(is.na(!!bit) | is.na(!!rlang::sym(set)), 1L, 0L), na.rm = TRUE)))
  sums <- translate_sums(stats::setNames(sums, alias), dbplyr::remote_con(data))
  rows <- run_query(data, group_query(data, element, sums), c(element, set, column))
  if (!nrow(rows)) abort("{.arg bits} holds no bits.", "empty")
  labels <- label_text(plain_numbers(rows[[element]]))
  numbers <- lapply(rows[alias], function(x) as.double(plain_numbers(x)))
  names(numbers) <- c("bits", "sets", "ones", "wrong", "unknown")
  refuse <- function(bad, headline, class = "argument") {
    if (any(bad)) abort(c(headline, x = "Element {.val {labels[which(bad)[1]]}} has not."), class)
  }
  refuse(is.na(labels) | numbers$unknown > 0, "{.arg bits} must have bits, elements and sets that are not NULL.",
         "missing")
  refuse(numbers$wrong > 0, "{.arg bits} must have 0 or 1 everywhere.")
  # A set that does not have an element reports 0, perhaps flipped.
  refuse(numbers$sets != numbers$bits | numbers$bits != max(numbers$bits),
         "{.arg bits} must have one row for each element and set.")
  order <- order(labels, method = "radix")
  list(n = numbers$bits[1], ones = numbers$ones[order], labels = labels[order])
}

format_flips <- function(flip) {
  if (length(flip) == 1L) return(if (is.na(flip)) "different from set to set" else format(flip, digits = 4))
  paste(unique(format(range(flip), digits = 3, trim = TRUE)), collapse = " to ")
}
