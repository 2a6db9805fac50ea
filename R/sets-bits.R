# Noisy bits and their flip probabilities, as every function of extremes and set sizes takes them.

# Bits as an integer, logical or raw vector (or matrix): kernels look at every entry anyway, so
# nothing is checked here that would need a pass of its own. Doubles are converted in one pass; what
# is not 0 or 1 becomes NA.
check_bits <- function(x, arg = "bits") {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is.double(x) && !is.object(x)) {
    bits <- .Call(C_rr_bits, x)
    if (anyNA(bits)) abort_bit(x, which(is.na(bits))[1], arg)
    attributes(bits) <- attributes(x)
    x <- bits
  }
  is_bits <- is.logical(x) || is.integer(x) ||
    (is.raw(x) && is.null(dim(x)))
  check_that(
    is_bits && !is.object(x) && length(dim(x)) <= 2L, x, arg, "bits: 0 and 1, or TRUE and FALSE"
  )
  if (!length(x)) abort("{.arg {arg}} holds no bits.", "empty")
  x
}

abort_bit <- function(x, position, arg) {
  value <- x[[position]]
  place_words <- if (length(dim(x)) == 2L) {
    sprintf("[%s]", toString(arrayInd(position, dim(x))))
  } else {
    position
  }
  abort(
    c(
      "{.arg {arg}} must be 0 or 1 (or TRUE or FALSE) everywhere.",
      x = "Entry {place_words} is {describe(value)}."
    ),
    if (is.na(value)) "missing" else "argument"
  )
}

abort_flip <- function(flip, position) {
  value <- flip[[position]]
  abort(
    c(
      "{.arg flip} must hold probabilities of a wrong report, from 0 to 1 and not 1/2.",
      x = "Entry {position} is {describe(value)}."
    ),
    if (value %in% 0.5) "no_information" else "argument"
  )
}

# `flip` as one number, one per bit or set (length `n`), or one per entry (an m x n matrix). Flips
# with names go to the sets (or bits, or columns) `sets` that they name. Entries of a matrix, and of
# long vectors, are checked by the kernels: here each comparison would be a pass of its own.
check_flip <- function(flip, m, n, sets = NULL) {
  check_that(
    is.numeric(flip) && !is.object(flip) && length(flip), flip, "flip",
    "the probability of a wrong report"
  )
  storage.mode(flip) <- "double"
  # One flip for all needs no name, and neither do flips of sets that have none.
  names <- if (is.matrix(flip)) colnames(flip) else names(flip)
  if (length(names) == length(sets) && !identical(names, sets) &&
      any(nzchar(sets))) {
    if (!setequal(names, sets) || anyDuplicated(names)) {
      abort("The names of {.arg flip} must be {format_labels(sets)}, each once.", "mismatch")
    }
    index <- match(sets, names)
    flip <- if (is.matrix(flip)) flip[, index, drop = FALSE] else flip[index]
  }
  shape <- if (is.matrix(flip)) dim(flip) else length(flip)
  shapes <- list(as.integer(c(m, n)), as.integer(n), 1L)
  if (!list(shape) %in% shapes) {
    abort(c(
      paste(
        "{.arg flip} must be one number, one for each {if (m == 1) 'bit'",
        "else 'set'}, or one for each entry."
      ),
      x = "It is {describe(flip)}; the bits are {m} x {n}."
    ))
  }
  if (is.matrix(flip) || length(flip) > 1e4) return(flip)
  bad <- which(is.na(flip) | flip < 0 | flip > 1 | flip == 0.5)
  if (length(bad)) abort_flip(flip, bad[1])
  if (all(flip == flip[1])) flip[[1]] else as.vector(flip)
}

# The variance that noise gives a debiased bit.
flip_variance <- function(flip) flip * (1 - flip) / (1 - 2 * flip)^2

# The error for an entry that a kernel refused: a list with the position of that entry. It was the
# flip unless the bit itself is wrong.
check_kernel <- function(result, bits, flip, arg) {
  if (!is.list(result) || is.null(result$position)) return(result)
  if (result$in_flips %||% (bits[[result$position]] %in% 0:1)) {
    abort_flip(flip, result$position)
  }
  abort_bit(bits, result$position, arg)
}

#' Tally and merge noisy bits
#'
#' `rr_tally(flip = )` makes a tally of the noisy bits of each element. It holds everything that OR, AND, unions, intersections and incidence need, is small, and merges with
#' `c()` in any order to the same result. Bits of a stream can be tallied one after the other and then deleted. `rr_merge_bits()` is for pipelines that must
#' keep bits: it draws the OR (or AND) of noisy bits so that it is again a noisy bit, wrong with one known probability \eqn{q^*}. Estimates from a tally are more precise,
#' because merging adds noise.
#'
#' If all bits share one flip probability, the number of bits reported as 1 is a sufficient statistic, and only this number is kept. Otherwise twelve numbers per
#' element are kept: signs, and logarithms summed in twice the usual precision.
#'
#' With \eqn{z_i} as in [rr_extreme()], a merged OR is 1 with probability \eqn{q^* + (1 - 2 q^*)(1 - \prod z_i)}. The smallest possible \eqn{q^*} is given by
#' \deqn{\frac{1 - q^*}{1 - 2 q^*} = \prod_i \frac{1 - q_i}{1 - 2 q_i},}{(1 - q^*)/(1 - 2 q^*) =
#'   prod_i (1 - q_i)/(1 - 2 q_i),}
#' so that merging two by two, in any order, costs the same as merging all at once. Merging only post-processes reports, so that nobody loses privacy.
#'
#' @param x,bits Reported bits, 0 and 1, or `TRUE` and `FALSE`. A vector holds the bits of *one* element, and a matrix has one row per element and one column per report (set, site,
#'   day). A raw vector holds the bits of one element, eight per byte, as [packBits()] makes it. Or, for `rr_tally()`, a **database table** of package dbplyr with a row for each element and set;
#'   the database adds up. Or, for `rr_merge_bits()`, a list of sketches of [rr_sketch()] with the same settings and key.
#' @param flip Probability, not 1/2, that a bit was reported wrongly: one number, one for each bit of a vector or column of a matrix (names are matched), or a matrix. For
#'   randomized response at \eqn{\epsilon} it is `plogis(-epsilon)`. Left out for sketches.
#' @param mechanism Left out: `flip` stands in its place.
#' @param n Number of bits of each element. Needed for packed bits if it is not a multiple of 8. With `ones`: number of bits of each element.
#' @param element,set,column For a database table: the columns of elements, sets and bits, by name or as a formula. `column` is not needed if one column is left. All
#'   bits share one `flip`.
#' @param ones In place of `x`: how many of an element's `n` bits were reported as 1; names label the elements.
#' @param type `"any"` (OR, default) or `"all"` (AND); sketches are merged by OR.
#' @param rng `"secure"` (default) or `"R"`, see [rr_perturb()].
#' @param ... For `c()`: tallies of the same elements. Otherwise empty.
#' @return `rr_tally()`: an object of class `rr_bit_tally`, for [rr_extreme()], [rr_set_size()] and [rr_incidence()]. `rr_merge_bits()`: an integer vector of 0 and
#'   1, one per element, with attribute `flip`, \eqn{q^*}; for sketches, a sketch.
#' @section Errors:
#' * `candor_error_argument`: entries that are not bits, or flips that are not probabilities. `candor_error_missing`: missing bits.
#' * `candor_error_no_information`: a flip of 1/2.
#' * `candor_error_mismatch`: tallies of different elements, flips with other names, sketches that differ.
#' * `candor_error_database`: a database that gives no answer. `candor_error_entropy`: see [rr_perturb()].
#' @seealso [rr_extreme()] for the estimates; [rr_sketch()].
#' @references Hehir, J. (2023). Easier estimation of extremes under randomized response, Theorem 2 (equal flips: the sum is sufficient). arXiv:2306.09394
#'
#'   Hehir, J., Ting, D. and Cormode, G. (2023). Sketch-Flip-Merge: mergeable sketches for private distinct
#'   counting, Theorem A.2. \doi{10.48550/arXiv.2302.02056}
#' @concept sufficient statistic
#' @concept bit tally
#' @concept mergeable sketches
#' @concept randmerge
#' @examples
#' # Two days of a stream, each with its own flip probability: did anyone
#' # come?
#' monday <- rr_tally(c(0, 0, 1, 0), flip = 0.1)
#' tuesday <- rr_tally(c(0, 0, 0), flip = 0.2)
#' rr_extreme(c(monday, tuesday))
#'
#' # Counts are enough if all flips are equal: three elements, seen by eight
#' # sites
#' rr_extreme(rr_tally(ones = c(a = 8, b = 1, c = 7), n = 8, flip = 0.05),
#'            type = "all")
#'
#' # How many elements are in any of three sets, if the pipeline must keep
#' # bits?
#' set.seed(1)
#' seen <- matrix(runif(3000) < 0.3, 1000, 3)
#' reports <- xor(seen, runif(3000) < 0.05)
#' merged <- rr_merge_bits(reports, flip = 0.05, rng = "R")
#' rr_set_size(cbind(merged), flip = attr(merged, "flip"))
#' # 680 (652 to 708)
#' sum(rowSums(seen) > 0)   # the truth: 687
#' @name bit_tallies
NULL

#' @rdname bit_tallies
#' @export
rr_tally.flipped_bits <- function(
  x = NULL,
  mechanism = NULL,
  ...,
  flip,
  n = NULL,
  ones = NULL,
  element = NULL,
  set = NULL,
  column = NULL
) {
  check_dots_empty(...)
  if (!is.null(mechanism)) abort("{.arg mechanism} must be left out for bits with a {.arg flip}.")
  if (!is.null(ones)) return(tally_ones(ones, n, flip))
  if (inherits(x, "tbl_lazy")) {
    flip <- check_flip(flip, 1, 1)
    counted <- from_database(count_long_bits(x, element, set, column))
    return(new_rr_bit_tally(flip, counted$n, counted$ones, counted$labels))
  }
  bit_tally(x, flip, n, "x")
}

# The tally of bits in memory; `n` is their number if they are packed.
bit_tally <- function(bits, flip, n = NULL, arg = "bits") {
  bits <- check_bits(bits, arg)
  if (is.matrix(bits) && is.null(n)) return(tally_rows(bits, flip, arg))
  if (!is.raw(bits)) {
    if (!is.null(n)) abort("{.arg n} is for packed bits and for {.arg ones}.")
    return(tally_bits(bits, flip, length(bits), arg))
  }
  max_bits <- 8 * length(bits)
  tally_bits(bits, flip, check_count(n %||% max_bits, "n", min = 1, max = max_bits), arg)
}

# The numbers of ones of elements with `n` bits each.
tally_ones <- function(ones, n, flip) {
  n <- check_count(n, "n", min = 1)
  check_that(
    is.numeric(ones) && length(ones) &&
      all(ones >= 0 & ones <= n & ones == floor(ones)),
    ones, "ones", "whole numbers from 0 to {.arg n}"
  )
  new_rr_bit_tally(check_flip(flip, 1, 1), n, as.double(ones), names(ones))
}

# The bits of one element, of which `number` are meant where they are packed.
tally_bits <- function(bits, flip, number, arg) {
  flip <- check_flip(flip, 1, number, names(bits))
  if (length(flip) == 1L) {
    counted <- .Call(C_rr_count_ones, bits, if (is.raw(bits)) number else 0)
    if (counted[2] > 0) abort_bit(bits, counted[2], arg)
    return(new_rr_bit_tally(flip, number, counted[1]))
  }
  if (is.raw(bits)) bits <- as.integer(rawToBits(bits))[seq_len(number)]
  state <- check_kernel(.Call(C_rr_extreme_bits, bits, flip), bits, flip, arg)
  new_rr_bit_tally(NA_real_, length(bits), state[2], state = state)
}

# A row for each element, a column for each of its bits.
tally_rows <- function(bits, flip, arg) {
  m <- nrow(bits)
  flip <- check_flip(flip, m, ncol(bits), colnames(bits))
  if (length(flip) == 1L) {
    return(new_rr_bit_tally(flip, ncol(bits), row_ones(bits, arg), rownames(bits)))
  }
  state <- .Call(C_rr_extreme_rows, bits, m, ncol(bits), flip, is.matrix(flip))
  if (is.list(state) && !is.matrix(flip) && bits[[state$position]] %in% 0:1) {
    state$position <- (state$position - 1) %/% m + 1
  }
  state <- check_kernel(state, bits, flip, arg)
  new_rr_bit_tally(NA_real_, ncol(bits), state[2, ], rownames(bits), state)
}

row_ones <- function(bits, arg = "bits") {
  ones <- .Call(C_rr_row_ones, bits, nrow(bits), ncol(bits))
  if (is.list(ones)) abort_bit(bits, ones$position, arg)
  ones
}

# `flip` is NA once bits of different flips were tallied; then `state` holds their sums.
new_rr_bit_tally <- function(flip, n, ones, labels = NULL, state = NULL) {
  structure(
    list(
      flip = flip,
      n = as.double(n),
      ones = ones,
      labels = labels,
      state = state
    ),
    class = "rr_bit_tally"
  )
}

#' @rdname bit_tallies
#' @export
c.rr_bit_tally <- function(...) {
  Reduce(
    function(x, y) {
      if (!inherits(y, "rr_bit_tally") || length(x$ones) != length(y$ones) || (!is.null(
          x$labels
        ) && !is.null(y$labels) && !identical(x$labels, y$labels))) {
        abort(
          "Tallies of bits merge if they are of the same elements, in the same order.", "mismatch"
        )
      }
      same <- isTRUE(x$flip == y$flip)
      new_rr_bit_tally(
        if (same) x$flip else NA_real_,
        x$n + y$n,
        x$ones + y$ones,
        x$labels %||% y$labels,
        if (!same) .Call(C_rr_extreme_merge, tally_state(x), tally_state(y))
      )
    },
    list(...)
  )
}

tally_state <- function(tally) {
  tally$state %||% .Call(C_rr_extreme_counts, tally$n, tally$ones, tally$flip)
}

#' @export
print.rr_bit_tally <- function(x, ...) {
  writeLines(within_80(paste0(
    "<rr_bit_tally> elements: ", format_count(length(x$ones)), ", bits of each: ",
    format_count(x$n), ", reported as 1: ", format_count(sum(x$ones)), ", flip: ",
    format_flips(x$flip)
  )))
  invisible(x)
}

# ---- in a database: a row for each element and set, with the bit that the set reported ----

# How many of its bits each element has as 1: the engine adds up, one row for each element comes
# back.
count_long_bits <- function(data, element, set, column) {
  frame <- table_columns(data)
  name <- function(column_name, arg) {
    frame_names(frame, column_name, arg, single = TRUE) %||%
      must_be(column_name, arg, "a column of the database table")
  }
  element <- name(element, "element")
  set <- name(set, "set")
  left <- setdiff(names(frame), c(element, set))
  column <- if (is.null(column) && length(left) == 1L) left else name(column, "column")
  bit <- rlang::sym(column)
  sums <- list(
    n_bits = quote(n()),
    n_sets = rlang::call2("n_distinct", rlang::sym(set)),
    n_ones = rlang::expr(sum(!!bit, na.rm = TRUE)),
    n_wrong = rlang::expr(
      sum(
        ifelse(!!bit == 0L | !!bit == 1L, 0L, 1L), na.rm = TRUE
      )
    ),
    n_unknown = rlang::expr(
      sum(
        ifelse(
          is.na(!!bit) | is.na(!!rlang::sym(set)), 1L, 0L
        ),
        na.rm = TRUE
      )
    )
  )
  check_free_names(c(element, set, column), names(sums))
  rows <- run_query(
    data, group_query(data, element, translate_sums(sums, dbplyr::remote_con(data)))
  )
  if (!nrow(rows)) abort("{.arg bits} holds no bits.", "empty")
  labels <- label_text(plain_numbers(rows[[element]]))
  numbers <- lapply(rows[names(sums)], function(x) as.double(plain_numbers(x)))
  check_long_bits(numbers, labels)
  order <- order(labels, method = "radix")
  list(
    n = numbers$n_bits[1],
    ones = numbers$n_ones[order],
    labels = labels[order]
  )
}

check_long_bits <- function(numbers, labels) {
  refuse <- function(bad, headline, class = "argument") {
    if (any(bad)) abort(c(headline, x = "Element {.val {labels[which(bad)[1]]}} has not."), class)
  }
  refuse(
    is.na(labels) | numbers$n_unknown > 0,
    "{.arg bits} must have bits, elements and sets that are not NULL.", "missing"
  )
  refuse(numbers$n_wrong > 0, "{.arg bits} must have 0 or 1 everywhere.")
  # A set that does not have an element reports 0, perhaps flipped.
  refuse(numbers$n_sets != numbers$n_bits | numbers$n_bits != max(numbers$n_bits),
         "{.arg bits} must have one row for each element and set.")
}

format_flips <- function(flip) {
  if (length(flip) == 1L) {
    return(if (is.na(flip)) "different from set to set" else format(flip, digits = 4))
  }
  paste(
    unique(format(range(flip), digits = 3, trim = TRUE)), collapse = " to "
  )
}
