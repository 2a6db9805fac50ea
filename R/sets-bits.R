# Noisy bits and their flip probabilities, as every function of extremes and set sizes takes them.

# Bits as an integer, logical or raw vector (or matrix): kernels look at every entry anyway, so nothing is
# checked here that would need a pass of its own. Doubles are converted in one pass; what is not 0 or 1 becomes NA.
check_bits <- function(x, arg = "bits") {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is.raw(x) && length(dim(x))) {
    abort(c("{.arg {arg}} must not be a raw matrix.",
            x = "Raw vectors hold the packed bits of one element, eight a byte.",
            i = "For one bit an entry use {.code x[] <- as.integer(x)} of its numbers, or TRUE and FALSE."), "argument")
  }
  if (is.raw(x) || is.logical(x) || (is.integer(x) && !is.object(x))) good <- TRUE
  else if (is.double(x) && !is.object(x)) {
    shape <- dim(x)
    labels <- dimnames(x)
    original <- x
    x <- .Call(C_rr_bits, x)
    dim(x) <- shape
    if (is.null(shape)) names(x) <- names(original) else dimnames(x) <- labels
    # The kernel names the position; the value is shown from here.
    if (anyNA(x)) abort_bit(original, which(is.na(x))[1], arg)
    good <- TRUE
  } else good <- FALSE
  if (!good || length(dim(x)) > 2L) {
    abort(c("{.arg {arg}} must be bits: a vector or matrix of 0 and 1, or TRUE and FALSE.", x = "It is {describe(x)}."),
          "argument")
  }
  if (!length(x)) abort(c("{.arg {arg}} holds no bits."), "empty")
  x
}

abort_bit <- function(x, position, arg) {
  value <- x[[position]]
  place <- format_count(position)
  if (length(dim(x)) == 2L) {
    at <- arrayInd(position, dim(x))
    place <- sprintf("[%s, %s]", format_count(at[1]), format_count(at[2]))
  }
  if (is.na(value)) {
    abort(c("{.arg {arg}} must not have missing bits.", x = "Entry {place} is NA.",
            i = "A bit that was not reported carries nothing: leave it out, or give its element fewer bits."),
          "missing")
  }
  abort(c("{.arg {arg}} must be 0 or 1 (or TRUE or FALSE) everywhere.", x = "Entry {place} is {describe(value)}."),
        "argument")
}

abort_flip <- function(flip, position, arg) {
  value <- flip[[position]]
  at <- format_count(position)
  place <- if (length(flip) > 1) sprintf("Entry %s is", at) else "It is"
  if (!is.na(value) && value == 0.5) {
    abort(c("{.arg {arg}} must not be 1/2: a bit that is flipped half of the time says nothing about the truth.",
            x = "{place} 0.5."), "no_information")
  }
  abort(c("{.arg {arg}} must hold probabilities of a wrong report, from 0 to 1 and not 1/2.",
          x = "{place} {describe(value)}."), "argument")
}

# `flip` as one number, one per bit or set (length `n`), or one per entry (an m x n matrix). Entries of a matrix, and of
# long vectors, are checked by the kernels: here each comparison would be a pass of its own.
check_flip <- function(flip, m, n, arg = "flip") {
  if (!is.numeric(flip) || is.object(flip) || !length(flip)) {
    abort(c("{.arg {arg}} must be the probability that a bit was reported wrongly.", x = "It is {describe(flip)}.",
            i = "For randomized response at {.arg epsilon} it is {.code plogis(-epsilon)}."), "argument")
  }
  if (!is.double(flip)) storage.mode(flip) <- "double"
  if (is.matrix(flip)) {
    if (identical(dim(flip), as.integer(c(m, n)))) return(flip)
    wanted <- sprintf("%s x %s", m, n)
    got <- paste(dim(flip), collapse = " x ")
    abort(c("A matrix {.arg {arg}} must have the shape of the bits.", x = "It is {got}; the bits are {wanted}."),
          "argument")
  }
  if (length(flip) != 1L && length(flip) != n) {
    abort(c("{.arg {arg}} must be one number, or one for each {if (m == 1) 'bit' else 'set'}.",
            x = "It has length {length(flip)}; there are {n}."), "argument")
  }
  if (length(flip) > 1e4) return(flip)
  bad <- which(is.na(flip) | flip < 0 | flip > 1 | flip == 0.5)
  if (length(bad)) abort_flip(flip, bad[1], arg)
  if (length(flip) > 1L && all(flip == flip[1])) flip[1] else as.vector(flip)
}

# Flips with names go to what they name: `sets` has the names of the sets (or bits, or columns) that they belong to. One
# flip for all needs no name, and neither do flips of sets that have none.
name_flips <- function(flip, sets) {
  names <- if (is.matrix(flip)) colnames(flip) else names(flip)
  if (is.null(sets) || is.null(names) || length(names) != length(sets) || identical(names, sets) ||
      !any(nzchar(sets))) return(flip)
  odd <- c(setdiff(names, sets), setdiff(sets, names), names[duplicated(names)], sets[duplicated(sets)])
  if (length(odd)) {
    twice <- setequal(names, sets)
    abort(c("The names of {.arg flip} must be those of what was reported, each once.",
            x = if (twice) "{.val {odd[1]}} appears more than once."
                else "{.val {odd[1]}} is in one but not in the other.",
            i = "The names there are {format_labels(sets)}. Without names flips are taken in their order."),
          "mismatch")
  }
  at <- match(sets, names)
  if (is.matrix(flip)) flip[, at, drop = FALSE] else flip[at]
}

# The error for an entry that a kernel refused: a list with the position of that entry.
check_kernel <- function(result, bits, flip, arg) {
  if (!is.list(result) || is.null(result$position)) return(result)
  # status 2 and above concern the flip unless the bit at that position is itself wrong
  in_flips <- result$in_flips %||% (bits[[result$position]] %in% 0:1)
  if (in_flips) abort_flip(flip, result$position, "flip")
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
#' @param n For packed bits: the number of bits, if not all of the last byte is used. For `rr_bit_counts()`: the number of bits
#'   of each element.
#' @param element,set,column For a database table: the columns of the elements, of the sets and of the bits, by name or as a formula. `column` is not needed
#'   where it is the only one left. All bits share one `flip`.
#' @param ones How many of an element's `n` bits were reported as 1; with names if the elements have labels.
#' @param ... Not used, and refused.
#' @return An object of class `rr_bit_tally`, for [rr_any()], [rr_all()], [rr_union_size()], [rr_intersection_size()]
#'   and [rr_incidence()].
#' @section Errors:
#' `candor_error_argument` for entries that are not bits and flips that are not probabilities, by position;
#' `candor_error_missing` for NA; `candor_error_no_information` for a flip of 1/2; `candor_error_mismatch` when tallies
#' of different elements are merged, and for flips whose names are not those of the bits. Of a database table also `candor_error_database` where it does not answer.
#' @seealso [rr_any()] for the estimates.
#' @source Hehir, J. (2023). Easier estimation of extremes under randomized response, Theorem 2 (equal flips: the sum is
#'   sufficient).
#' @examples
#' # Two days of a stream, each with its own flip probability
#' monday <- rr_bit_tally(c(0, 0, 1, 0), flip = 0.1)
#' tuesday <- rr_bit_tally(c(0, 0, 0), flip = 0.2)
#' rr_any(c(monday, tuesday))
#'
#' # Counts are enough when all flips are equal: here of three elements, seen by eight sites
#' rr_all(rr_bit_counts(ones = c(a = 8, b = 1, c = 7), n = 8, flip = 0.05))
#' @export
rr_bit_tally <- function(bits, flip, n = NULL, element = NULL, set = NULL, column = NULL, ...) {
  check_dots_empty(...)
  if (inherits(bits, "tbl_lazy")) {
    if (!is.null(n)) abort(c("{.arg n} is for packed bits only.", x = "{.arg bits} is a database table."), "argument")
    flip <- check_flip(flip, 1, 1)
    counted <- count_long_bits(bits, element, set, column)
    return(new_rr_bit_tally(flip, counted$n, counted$ones, counted$labels))
  }
  if (!is.null(element) || !is.null(set) || !is.null(column)) {
    abort(c("{.arg element}, {.arg set} and {.arg column} name columns of a database table.",
            x = "{.arg bits} is {describe(bits)}."), "argument")
  }
  bits <- check_bits(bits)
  if (is.raw(bits)) return(tally_packed(bits, flip, n))
  if (!is.null(n)) abort(c("{.arg n} is for packed bits only.", x = "{.arg bits} is {describe(bits)}."), "argument")
  if (!is.matrix(bits)) {
    flip <- check_flip(name_flips(flip, names(bits)), 1, length(bits))
    if (length(flip) == 1L) return(new_rr_bit_tally(flip, length(bits), count_ones(bits)))
    state <- check_kernel(.Call(C_rr_extreme_bits, bits, flip), bits, flip, "bits")
    return(new_rr_bit_tally(NA_real_, length(bits), state[2], state = state))
  }
  m <- nrow(bits)
  flip <- check_flip(name_flips(flip, colnames(bits)), m, ncol(bits))
  if (length(flip) == 1L) {
    return(new_rr_bit_tally(flip, ncol(bits), row_ones(bits), rownames(bits)))
  }
  state <- .Call(C_rr_extreme_rows, bits, m, ncol(bits), flip, is.matrix(flip))
  if (is.list(state) && !is.matrix(flip) && bits[[state$position]] %in% 0:1) {
    state$position <- (state$position - 1) %/% m + 1
  }
  state <- check_kernel(state, bits, flip, "bits")
  new_rr_bit_tally(NA_real_, ncol(bits), state[2, ], rownames(bits), state)
}

tally_packed <- function(bits, flip, n) {
  most <- 8 * length(bits)
  n <- check_count(n %||% most, "n", min = 1, max = most)
  flip <- check_flip(flip, 1, n)
  if (length(flip) == 1L) return(new_rr_bit_tally(flip, n, .Call(C_rr_count_ones, bits, n)[1]))
  rr_bit_tally(as.integer(rawToBits(bits))[seq_len(n)], flip)
}

count_ones <- function(bits, arg = "bits") {
  counted <- .Call(C_rr_count_ones, bits, 0)
  if (counted[2] > 0) abort_bit(bits, counted[2], arg)
  counted[1]
}

row_ones <- function(bits, arg = "bits") {
  ones <- .Call(C_rr_row_ones, bits, nrow(bits), ncol(bits))
  if (is.list(ones)) abort_bit(bits, ones$position, arg)
  ones
}

#' @rdname rr_bit_tally
#' @export
rr_bit_counts <- function(ones, n, flip, ...) {
  check_dots_empty(...)
  n <- check_count(n, "n", min = 1)
  if (!is.numeric(ones) || is.object(ones) || !length(ones)) {
    abort(c("{.arg ones} must be counts of bits reported as 1.", x = "It is {describe(ones)}."), "argument")
  }
  bad <- which(is.na(ones) | ones < 0 | ones > n | ones != floor(ones))
  if (length(bad)) {
    abort(c("{.arg ones} must be whole numbers from 0 to {.arg n} = {format_count(n)}.",
            x = "Entry {bad[1]} is {describe(ones[[bad[1]]])}."), "argument")
  }
  flip <- check_flip(flip, 1, 1)
  new_rr_bit_tally(flip, n, as.double(ones), names(ones))
}

# `flip` is NA once bits of different flips were tallied; then `state` holds their sums.
new_rr_bit_tally <- function(flip, n, ones, labels = NULL, state = NULL) {
  structure(list(flip = flip, n = as.double(n), ones = ones, labels = labels, state = state), class = "rr_bit_tally")
}

#' @rdname rr_bit_tally
#' @param ... Tallies of the same elements, to be merged.
#' @export
c.rr_bit_tally <- function(...) {
  tallies <- list(...)
  first <- tallies[[1]]
  for (i in seq_along(tallies)[-1]) {
    other <- tallies[[i]]
    if (!inherits(other, "rr_bit_tally")) {
      abort(c("Tallies of bits merge with tallies of bits only.", x = "Argument {i} is {describe(other)}."), "mismatch")
    }
    if (length(other$ones) != length(first$ones)) {
      abort(c("These tallies are of different elements.",
              x = "The first has {length(first$ones)} of them, number {i} has {length(other$ones)}."), "mismatch")
    }
    if (!is.null(first$labels) && !is.null(other$labels) && !identical(first$labels, other$labels)) {
      bad <- which(first$labels != other$labels)[1]
      abort(c("These tallies are of different elements.",
              x = paste("Element {bad} is {.val {first$labels[bad]}} in the first",
                        "and {.val {other$labels[bad]}} in number {i}."),
              i = "Bring them into the same order."), "mismatch")
    }
    first <- merge_tallies(first, other)
  }
  first
}

merge_tallies <- function(x, y) {
  same <- !is.na(x$flip) && !is.na(y$flip) && x$flip == y$flip
  new_rr_bit_tally(if (same) x$flip else NA_real_, x$n + y$n, x$ones + y$ones, x$labels %||% y$labels,
                   if (!same) .Call(C_rr_extreme_merge, tally_state(x), tally_state(y)))
}

tally_state <- function(tally) {
  tally$state %||% .Call(C_rr_extreme_counts, tally$n, tally$ones, tally$flip)
}

#' @export
print.rr_bit_tally <- function(x, ...) {
  cat("<rr_bit_tally> ", format_count(length(x$ones)), if (length(x$ones) == 1) " element, " else " elements, ",
      format_count(x$n), if (x$n == 1) " bit" else " bits", " each\n", sep = "")
  flip <- if (is.na(x$flip)) "different from bit to bit" else format(x$flip, digits = 4)
  cat("  flip           ", flip, "\n", sep = "")
  cat("  reported as 1  ", format_count(sum(x$ones)), " of ", format_count(x$n * length(x$ones)), "\n", sep = "")
  invisible(x)
}
