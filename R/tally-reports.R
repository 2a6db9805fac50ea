# Reports of the protocols as they come back, read and counted: raw, hexadecimal text, matrices of 0
# and 1, long tables and database columns. All are checked. The codec of R/mechanism-reports.R says
# which of these forms they have.

#' Read reports of the protocols from text, lists, tables and files
#'
#' Reports that support several categories are kept small: one bit per category, or the positions of the categories. `rr_reports()` reads them back
#' from the form that a data frame, a file or a database gave them, and checks each of them.
#'
#' For each mechanism, first the form that [rr_perturb()] returns, then the other forms that `rr_reports()` reads:
#'
#' * [rr_unary()]: bits. Also raw matrices (one row per report), lists of raw vectors (blobs), hexadecimal text, matrices and data frames of 0 and 1.
#'   Also long tables with columns `id` and `level`, one row for each category that a report supports (a single row with a missing `level` if it supports none).
#' * [rr_subset()]: positions, or bits if these are smaller. Also all forms of [rr_unary()], matrices and data frames of numbers (one row per report), lists of
#'   numbers, text of numbers separated by spaces.
#' * [rr_hadamard()]: whole numbers from 0; with `one_bit` a tibble with `index` and `sign`. Also numbers of any type, including `integer64`.
#' * [rr_projective()]: whole numbers from 1. Also numbers of any type, including `integer64`.
#' * [rr_local_hash()]: a tibble with `slope`, `shift` and `value`; with `cohorts` `cohort` and `value`. Also data frames with these columns, and text of these numbers separated by spaces.
#' * [rr_bitflip()]: positions, negative if the bit is 0. Also matrices (one row per report), lists and text of such numbers, and columns `position_1`,
#'   `position_2`, .... Also columns of 0 and 1 for all buckets, missing if not drawn, and long tables with columns `id`, `level` and `bit`.
#' * [rr_bloom()]: a data frame with `cohort` and `bits`. Also data frames with these columns and bits in any form of [rr_unary()], or with columns `cohort` and
#'   `bit_1`, `bit_2`, ... of 0 and 1. Also long tables with columns `id`, `cohort` and `level`, the number of a bit that is 1.
#' * [rr_count_mean_sketch()]: a data frame with `cohort` and `bits`; with `one_bit` a tibble with `cohort`, `index` and `sign`.
#' * [rr_mean()]: numbers. Also numbers of any type.
#' * [rr_dealt()]: a tibble with the column of blocks and `report`. Also data frames with the column of blocks and one other.
#' * [`rr_product(asked = 1)`][rr_product], [rr_hierarchy()], [rr_prefixes()]: a tibble with `question`, `depth` or `part`, and `report`. Reports that are columns stand in
#'   the place of `report`. Also data frames with these columns. If questions differ in kind, `report` is text or a list.
#'
#' @section The class of bits and positions:
#' Bits and positions are of class `rr_reports`, with one element per report for `length()`, `[`, `c()`, `rev()` and `format()`. They may be a column of a data
#' frame or a tibble; a data.table needs text. `rr_reports()` reads all of the following back.
#'
#' * `as.matrix()`: one row per report, of 0 and 1, or of positions.
#' * `as.character()`: hexadecimal text for bits, text separated by spaces for positions.
#' * `as.list()`: raw vectors for bits, as a column of blobs; integer vectors for positions.
#'
#' Bit `j` (from 0) of a report is bit `j %% 8` of byte `j %/% 8`, as in [packBits()], and bits beyond the last category are 0. Positions increase. [rr_query()] lists the forms that
#' a database counts; blobs and lists are not among them.
#'
#' @param x The reports.
#' @param mechanism How the reports were made.
#' @return The reports as [rr_perturb()] returns them.
#' @section Errors:
#' * `candor_error_report`: a value that is not a report of this mechanism, with its position.
#' * `candor_error_mismatch`: reports of another kind, or of another number of categories. `candor_error_missing`: missing reports.
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. arXiv:1705.04421
#' @seealso [rr_tally()], which reads the same forms; [rr_perturb()]; [`?clients`][clients].
#' @concept packed bits
#' @concept file formats
#' @examples
#' # Can reports travel as text and be read back?
#' mechanism <- rr_unary(c("a", "b", "c"), epsilon = 1)
#' set.seed(1)
#' reports <- rr_perturb(c("a", "b", "c", "a"), mechanism, rng = "R")
#' as.matrix(reports)
#' text <- as.character(reports)
#' text
#' identical(rr_reports(text, mechanism), reports)   # TRUE
#' @export
rr_reports <- function(x, mechanism) {
  check_mechanism(mechanism)
  codec <- mechanism$codec
  if (!is.null(codec$width) || length(codec$numbers)) {
    return(read_reports(x, mechanism)$reports)
  }
  count_reports(mechanism, x)
  x
}

# Reports as packed bits of the categories that they support, one row each, for the likelihood of
# the sets.
report_sets <- function(mechanism, x) UseMethod("report_sets")

# The bits; if reports have cohorts, then four bytes of the cohort, the lowest first.
report_sets.rr_mechanism <- function(mechanism, x) {
  if (!keeps_sets(mechanism)) {
    abort("Only reports that support several categories can be kept as sets.")
  }
  reports <- read_reports(x, mechanism)$reports
  if (is.data.frame(reports)) {
    bytes <- vapply(
      0:3, function(byte) reports$cohort %/% 256^byte %% 256,
      numeric(nrow(reports))
    )
    return(cbind(report_values(reports$bits), matrix(as.raw(bytes), ncol = 4)))
  }
  values <- report_values(reports)
  if (is.raw(values)) values else .Call(C_rr_lists_to_bits, t(values), mechanism$codec$width)
}

# Is there a likelihood of such reports?
keeps_sets <- function(mechanism) {
  !is.null(mechanism$codec) && set_bytes(rr_law(mechanism), length(mechanism$levels)) > 0
}

# ---- reading ----

# list(reports, dropped, groups, weights, each): reports in any form in which they come back,
# checked, as rr_perturb() returned them. Groups and weights are those of the reports that are not
# missing; `each` is the number of groups.
read_reports <- function(x, mechanism, na.rm = FALSE, groups = NULL, weights = NULL) {
  codec <- mechanism$codec
  rows <- columns <- NULL
  fields <- report_fields(codec)
  is_text <- (is.character(x) || is.factor(x)) && is.null(dim(x))
  if (!is.null(fields) && is_text) x <- text_columns(x, fields)
  if (!is.null(codec$width) && length(codec$numbers)) {
    x <- cohort_columns(x, mechanism)
  }
  if (length(codec$numbers)) columns <- whole_columns(x, names(codec$numbers))
  if (!is.null(codec$width)) {
    rows <- read_rows(if (is.null(columns)) x else x[["bits"]], mechanism)
  }
  has_both <- !is.null(columns) && !is.null(rows)
  if (has_both && nrow(rows$rows) != length(columns[[1]])) {
    abort("{.arg x} must have one cohort for each report.", "report")
  }
  is_missing <- Reduce(`|`, lapply(columns, is.na), rows$is_missing %||% FALSE)
  dropped <- drop_missing_reports(which(is_missing), na.rm)
  for (name in names(columns)) {
    columns[[name]] <- check_numbers(
      drop_reports(columns[[name]], dropped), name, codec$numbers[[name]]
    )
  }
  bits <- if (!is.null(rows)) pack_reports(drop_reports(rows$rows, dropped), mechanism)
  list(
    reports = join_columns(columns, bits),
    dropped = dropped,
    groups = drop_reports(groups, dropped),
    weights = drop_reports(weights, dropped),
    each = as.double(max(1L, groups))
  )
}

# The columns of text that has their values one after another, as clients and report_texts() write
# it.
text_columns <- function(x, fields) {
  values <- strsplit(trimws(as.character(x)), " +")
  values[is.na(x)] <- list(rep(NA_character_, length(fields)))
  odd <- which(lengths(values) != length(fields))
  if (length(odd)) {
    abort_report_at(
      odd[1], paste("is not the numbers", toString(fields)),
      x[odd[1]]
    )
  }
  columns <- lapply(seq_along(fields), function(j) vapply(values, `[`, "", j))
  as.data.frame(setNames(columns, fields))
}

abort_report_at <- function(position, problem, report = NULL) {
  abort(
    c(
      "{.arg x} must hold reports of this mechanism.",
      x = "Report {format_count(position)} {problem}.", i = forms_remedy,
      i = empty_words(report)
    ),
    "report", position = position, problem = problem
  )
}

forms_remedy <-
  "{.fn rr_reports} says how reports look, and {.fn rr_perturb} makes them of answers."

# An error if there are `positions`, at which elements or rows of `x` are no reports. It shows the
# first.
refuse_reports <- function(positions, x) {
  if (length(positions)) {
    report <- if (is.matrix(x)) {
      paste(x[positions[1], ], collapse = " ")
    } else {
      x[[positions[1]]]
    }
    abort_report_at(
      positions[1],
      paste("is", describe(if (is.character(report)) short_reports(report) else report)), report
    )
  }
}

# The error for `x` that has none of the forms of the mechanism's reports.
abort_form <- function(x, wanted, remedy = NULL) {
  abort(c("{.arg x} must be {wanted}.", x = "It is {describe(x)}.", i = forms_remedy, i = remedy),
        if (inherits(x, "rr_reports")) c("mismatch", "report") else "report")
}

drop_missing_reports <- function(missing, na.rm) {
  if (length(missing) && !na.rm) {
    abort(
      c(
        "{.arg x} must not have missing reports.", x = "Report {format_count(missing[1])} is NA.",
        i = "Use {.code na.rm = TRUE} to drop missing reports."
      ),
      "missing"
    )
  }
  missing
}

some_reports <- function(x, index) {
  if (length(dim(x)) == 2L) {
    x[index, , drop = FALSE]
  } else {
    x[index]
  }
}

drop_reports <- function(x, dropped) if (length(dropped)) some_reports(x, -dropped) else x

# ---- columns of whole numbers ----

whole_columns <- function(x, names) {
  alone <- length(names) == 1L && is.atomic(x) && is.null(dim(x)) &&
    !inherits(x, "rr_reports")
  if (alone) x <- setNames(list(x), names)
  if (is.matrix(x) && !is.null(colnames(x))) x <- as.data.frame(x)
  if (!is.list(x) || !all(names %in% names(x))) {
    abort_form(x, paste("a table with the columns", toString(names)))
  }
  lapply(as.list(x)[names], column_numbers)
}

check_numbers <- function(values, name, range) {
  numbers <- if (is.character(values)) suppressWarnings(as.numeric(values)) else values
  is_valid <- numbers >= range[1] & numbers <= range[2] &
    (numbers - range[1]) %% range[3] == 0
  bad <- which(!is_valid %in% TRUE)[1]
  if (!is.na(bad)) {
    abort_report_at(bad, paste("has", name, describe(values[bad])))
  }
  as.integer(numbers)
}

# A cohort and bits from any table that holds them.
cohort_columns <- function(x, mechanism) {
  codec <- mechanism$codec
  if (is.data.frame(x) && all(c("cohort", codec$columns) %in% names(x))) {
    bits <- do.call(cbind, lapply(unname(as.list(x)[codec$columns]), column_numbers))
    return(list(cohort = as.list(x)$cohort, bits = bits))
  }
  if (is_long(x, mechanism)) {
    cohort <- column_numbers(x$cohort)
    first <- match(x$id, x$id)
    odd <- which(!(cohort == cohort[first]) %in% TRUE)[1]
    if (!is.na(odd)) {
      abort_report_at(match(first[odd], unique(first)), "has rows of several cohorts, or of none")
    }
    return(list(cohort = cohort[unique(first)], bits = long_rows(x, mechanism)))
  }
  if (is.list(x) && all(c("cohort", "bits") %in% names(x))) {
    return(x)
  }
  abort_form(x, "a table with the columns cohort, bits")
}

# ---- bits and positions ----

# list(rows, is_missing): a matrix with a row a report, of bytes, of 0 and 1 or of positions; and
# whether each report is missing.
read_rows <- function(x, mechanism) {
  codec <- mechanism$codec
  if (is.factor(x)) x <- as.character(x)
  if (inherits(x, "rr_reports")) return(object_rows(x, codec))
  if (is.raw(x) && is.matrix(x)) return(list(rows = report_values(x)))
  if (is.character(x) && !is.matrix(x)) {
    x <- check_text(x, "x", answers = TRUE)
    if (holds_digits(x, codec)) return(digit_rows(x, codec))
    if (!holds_numbers(x, codec)) return(hexadecimal_rows(x, codec))
    refuse_reports(which(!is.na(x) & !grepl(number_pattern, x)), x)
    x <- lapply(strsplit(trimws(x), " +"), as.numeric)
  }
  if (is_long(x, mechanism)) return(list(rows = long_rows(x, mechanism)))
  if (is.list(x) && !is.data.frame(x)) return(list_rows(x, codec))
  if (is.numeric(x) && is.null(dim(x)) && isTRUE(codec$drawn == 1)) {
    x <- matrix(plain_numbers(x))
  }
  if (length(dim(x)) != 2L) {
    abort_form(
      x, "reports: bits, text, numbers, or 0 and 1 for each category",
      if (is.numeric(x)) "{.code read.csv(file, colClasses = \"character\")} keeps bits as text."
    )
  }
  numeric_rows(x, mechanism)
}

object_rows <- function(x, codec) {
  values <- report_values(x)
  fits <- if (is.raw(values)) {
    is.null(codec$drawn)
  } else {
    !is.null(codec$ones %||% codec$drawn)
  }
  if (!fits || attr(x, "width") != codec$width) {
    abort("{.arg x} must hold reports of this mechanism, and not of another mechanism.", c(
      "mismatch", "report"
    ))
  }
  list(rows = values, is_missing = is.na(x))
}

# The rows of columns of 0 and 1, or of positions. Columns with names may stand in any order.
numeric_rows <- function(x, mechanism) {
  codec <- mechanism$codec
  named <- Find(function(columns) all(columns %in% colnames(x)),
                list(codec$columns, stored_forms(mechanism)$columns$positions))
  if (is.data.frame(x)) x <- do.call(cbind, lapply(as.list(x), column_numbers))
  if (!is.null(named)) x <- x[, named, drop = FALSE]
  if (!(is.numeric(x) || is.logical(x))) abort_form(x, "numbers, or 0 and 1 for each category")
  rows <- unname(x)
  # A bit that was not drawn is missing; a report has some.
  partly <- !is.null(codec$drawn) && holds_bits(rows, codec)
  list(
    rows = rows,
    is_missing = if (anyNA(rows)) {
      rowSums(is.na(rows)) > if (partly) codec$width - 1 else 0
    }
  )
}

holds_bits <- function(rows, codec) {
  ncol(rows) == codec$width &&
    (is.null(codec$drawn) || all(rows %in% c(0, 1, NA)))
}

# Is text a sequence of numbers with spaces between them, or one number that is too short for
# hexadecimal digits?
holds_numbers <- function(x, codec) {
  if (!is.null(codec$drawn)) return(TRUE)
  first <- x[!is.na(x)][1]
  short <- grepl(" ", first, fixed = TRUE) ||
    isTRUE(nchar(first) < 2 * codec_bytes(codec))
  !is.null(codec$ones) && short && grepl(number_pattern, first)
}

# Is text one digit, 0 or 1, for each bit? Two hexadecimal digits of a report of two bits are not.
holds_digits <- function(x, codec) {
  first <- x[!is.na(x)][1]
  codec$width > 2 && is.null(codec$drawn) &&
    isTRUE(nchar(first) == codec$width) && grepl("^[01]+$", first)
}

digit_rows <- function(x, codec) {
  is_missing <- is.na(x)
  is_valid <- nchar(x) == codec$width & grepl("^[01]+$", x)
  refuse_reports(which(!is_missing & !is_valid), x)
  digits <- strsplit(replace(x, is_missing, strrep("0", codec$width)), "")
  bits <- unlist(digits, use.names = FALSE) == "1"
  list(
    rows = matrix(as.integer(bits), ncol = codec$width, byrow = TRUE),
    is_missing = is_missing
  )
}

number_pattern <- "^ *-?[0-9]+( +-?[0-9]+)* *$"

hexadecimal_rows <- function(x, codec) {
  bytes <- codec_bytes(codec)
  is_missing <- is.na(x)
  read <- .Call(
    C_rr_from_hex, replace(sub("^(0x|\\\\x)", "", x), is_missing, strrep("00", bytes)), bytes
  )
  refuse_reports(read$position[read$position > 0], x)
  list(rows = read$bits, is_missing = is_missing)
}

# The rows of a list of raw vectors, or of positions.
list_rows <- function(x, codec) {
  x <- lapply(x, plain_numbers)
  is_missing <- vapply(
    x, function(report) is.null(report) || (!is.raw(report) && anyNA(report)),
    NA
  )
  raw <- is.null(codec$ones %||% codec$drawn) || any(vapply(x, is.raw, NA))
  size <- if (raw) codec_bytes(codec) else codec$ones %||% codec$drawn
  is_valid <- vapply(x, if (raw) is.raw else is.numeric, NA) & lengths(x) == size
  refuse_reports(which(!is_missing & !is_valid), x)
  rows <- matrix(if (raw) as.raw(0) else NA_real_, length(x), size)
  rows[!is_missing, ] <- matrix(
    unlist(x[!is_missing]), ncol = size, byrow = TRUE
  )
  list(rows = rows, is_missing = is_missing)
}

# The checked reports of some rows.
pack_reports <- function(rows, mechanism) {
  codec <- mechanism$codec
  size <- codec$ones %||% codec$drawn
  values <- if (is.raw(rows)) packed_rows(rows, codec)
    else if (!holds_bits(rows, codec)) position_rows(rows, codec, size)
    else bit_rows(rows, codec)
  if (is.null(size)) return(new_rr_reports(values, codec$width))
  # A report has the codec's number of bits, or of positions, and each position once.
  bad <- count_supports(values, list(each = 1), codec, codec$ones)$position
  refuse_reports(bad[bad > 0], rows)
  if (!is.null(codec$ones) && is.raw(values) != packs_bits(codec)) {
    values <- if (is.raw(values)) t(.Call(C_rr_bits_to_lists, values, codec$width, size))
      else .Call(C_rr_lists_to_bits, t(values), codec$width)
  }
  new_rr_reports(values, codec$width)
}

packed_rows <- function(rows, codec) {
  is_complete <- is.null(codec$drawn) && ncol(rows) == codec_bytes(codec)
  # A report has no bit beyond the last category.
  last_bits <- (codec$width - 1) %% 8 + 1
  is_invalid <- if (is_complete) as.integer(rows[, ncol(rows)]) >= 2^last_bits else TRUE
  refuse_reports(which(is_invalid), rows)
  rows
}

# The positions of the `size` bits that are 1 or were drawn, in rising order.
position_rows <- function(rows, codec, size) {
  if (is.null(size) || ncol(rows) != size) {
    abort("{.arg x} must have {codec$width} columns of 0 and 1.", "report")
  }
  values <- integer_matrix(rows)
  sizes <- abs(values)
  unsorted <- any(sizes[, -1] < sizes[, -size])
  if (unsorted) {
    matrix(values[order(row(values), sizes)], nrow(values), byrow = TRUE)
  } else {
    values
  }
}

# Bits of all categories, or of all buckets, missing if a bucket was not drawn.
bit_rows <- function(rows, codec) {
  if (is.null(codec$drawn)) {
    read <- .Call(C_rr_matrix_to_bits, integer_matrix(rows))
    refuse_entries(read$position[read$position > 0], rows)
    return(read$bits)
  }
  refuse_reports(which(rowSums(!is.na(rows)) != codec$drawn), rows)
  bits <- t(rows)
  some <- which(!is.na(bits), arr.ind = TRUE)
  signed <- ifelse(bits[some] == 1, some[, 1], -some[, 1])
  matrix(as.integer(signed), nrow(rows), byrow = TRUE)
}

integer_matrix <- function(rows) {
  integers <- rows
  suppressWarnings(storage.mode(integers) <- "integer")
  if (is.double(rows)) refuse_entries(which(is.na(integers) | integers != rows), rows)
  integers
}

refuse_entries <- function(positions, rows) {
  refuse_reports((positions - 1) %% nrow(rows) + 1, rows)
}

# ---- long tables ----

# Is `x` a long table? It has one row for each category that a report supports. A report that
# supports none has one row, without a level.
is_long <- function(x, mechanism) {
  columns <- if (is.data.frame(x)) stored_forms(mechanism)$columns$long
  !is.null(columns) && length(x) == length(columns) &&
    all(columns %in% names(x))
}

# The rows of a long table, one a report, of 0 and 1 or of positions.
long_rows <- function(x, mechanism) {
  codec <- mechanism$codec
  size <- codec$ones %||% codec$drawn
  level <- if (is.null(codec$numeric_levels)) column_numbers(x$level) else plain_numbers(x$level)
  bit <- if (is.null(codec$drawn)) 1 else column_numbers(x$bit)
  id <- match(x$id, unique(x$id))
  none <- is.na(level) & is.null(size)
  index <- replace(match_long(level, codec), none, 0L)
  is_repeated <- duplicated(id * (codec$width + 1) + index)
  is_mixed <- none & id %in% id[!none]
  is_invalid <- is.na(x$id) | is.na(index) | is_repeated | !bit %in% 0:1 | is_mixed
  bad <- which(is_invalid)[1]
  if (!is.na(bad)) {
    abort_report_at(
      id[bad], paste("needs an id and different levels, and has", describe(level[bad]))
    )
  }
  if (!is.null(size)) {
    wrong <- which(tabulate(id) != size)
    if (length(wrong)) abort_report_at(wrong[1], sprintf("must have %s rows", format_count(size)))
    signed <- (index * (2 * bit - 1))[order(id, index)]
    return(matrix(signed, ncol = size, byrow = TRUE))
  }
  check_empty_reports(mechanism, length(unique(id)), sum(none))
  ones_at(
    id[!none], index[!none], max(id, 0L), codec$width
  )
}

ones_at <- function(row, column, rows, width) {
  bits <- matrix(0L, rows, width)
  bits[cbind(row, column)] <- 1L
  bits
}

# An error if a long table lacks the reports that support no category. Bits that are all 0 leave no
# row if nobody writes one, and the reports that are there are then not all of them. Fewer than one
# table in a hundred million has none if 20 are expected. If bits are not independent, it is not
# checked how often all are 0.
check_empty_reports <- function(mechanism, n, empty) {
  law <- rr_law(mechanism[["bit"]] %||% mechanism)
  independent <- length(law$p) == 1L && length(law$q) == 1L &&
    isTRUE(all.equal(law$both_own, law$p * law$q))
  if (empty > 0 || !independent) return(invisible())
  ones <- mechanism[["hashes"]] %||% 1
  zeros <- (mechanism$codec$width %||% length(mechanism$levels)) - ones
  expected <- n * (1 - law$q)^zeros *
    (1 - max(law$p, law$q))^ones
  if (expected >= 20) {
    abort(
      "A long table must have a row for each report that supports no category as well.", "report"
    )
  }
}

# list(x, weights, by) with one entry a report, from the first row of each report.
one_row_each <- function(x, mechanism, weights, by) {
  first <- match(x$id, x$id)
  for (each in c(by, list(weights))) {
    values <- as.vector(each)
    same <- values == values[first] | (is.na(values) & is.na(values[first]))
    if (!all(same %in% TRUE)) abort("All rows of a report must have the same group and weight.")
  }
  rows <- unique(first)
  list(
    x = rr_reports(x, mechanism),
    weights = weights[rows],
    by = if (!is.null(by)) lapply(by, `[`, rows)
  )
}

# ---- counting ----

count_reports.rr_protocol <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  codec <- mechanism$codec
  read <- read_reports(x, mechanism, na.rm, groups, weights)
  counts <- if (is.null(codec$width)) {
    count_cells(number_cells(read$reports, codec), length(mechanism$reports), read)
  } else if (length(codec$numbers)) {
    # The counts are, group by group and cohort by cohort, the ones of each bit, then the number of
    # reports.
    cohorts <- codec$numbers$cohort[2]
    cells <- as.integer(read$reports$cohort + ((read$groups %||% 1L) - 1L) * cohorts)
    within <- list(groups = cells, each = cohorts * read$each, weights = read$weights)
    sizes <- .Call(C_rr_tally, cells, 1L, within$each, NULL, 1, read$weights, FALSE)$counts
    rbind(
      matrix(
        count_supports(report_values(read$reports$bits), within, codec)$counts, codec$width
      ),
      sizes
    )
  } else {
    count_supports(report_values(read$reports), read, codec)$counts
  }
  if (!is.null(codec$drawn)) check_ones(read$reports, codec)
  counted_reports(counts, read)
}

# The 0-based position of each report of whole numbers among all possible ones. The last column runs
# fastest.
number_cells <- function(reports, codec) {
  columns <- if (is.data.frame(reports)) as.list(reports) else list(reports)
  add <- function(cells, j) {
    range <- codec$numbers[[j]]
    cells * (range[2] - range[1] + 1) + columns[[j]] -
      range[1]
  }
  as.integer(Reduce(add, seq_along(columns), 0))
}

counted_reports <- function(counts, read, ...) {
  list(
    counts = if (read$each > 1) {
      matrix(counts, ncol = read$each)
    } else {
      as.vector(counts)
    },
    dropped = read$dropped,
    ...
  )
}

count_reports <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  check_mechanism(mechanism)
  if (!is.null(weights)) check_that(all(weights >= 0), weights, "weights", "numbers of at least 0")
  UseMethod("count_reports")
}

# The counts of reports that are categories.
count_reports.rr_mechanism <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  if (!is.null(mechanism[["count"]])) {
    return(mechanism[["count"]](mechanism, x, groups, weights, na.rm))
  }
  if (!has_categories(mechanism)) {
    abort("{.arg mechanism} must have a function {.field count} that counts its reports.", c(
      "law", "argument"
    ))
  }
  if (is.data.frame(x)) {
    abort(c("{.arg x} is a data frame, and the mechanism has one question.",
            i = "Give its column, or describe all questions with {.fn rr_product}."))
  }
  # The bytes are those of counts and shares of all categories, and of the numbers that stand for
  # them.
  check_memory(
    16 * as.double(length(mechanism$reports)) * (max(1, groups) + 1),
    "mechanism", "The table of counts"
  )
  tell_reversed(x, mechanism$reports)
  codes <- encode_reports(x, mechanism)
  count_codes(codes$codes, codes$first, x, mechanism, groups, weights, na.rm)
}

# list(counts, missing, n, ...): the counts of `codes - first`, the 0-based category. `reports` are
# those of the user, for the error message.
count_codes <- function(codes, first, reports, mechanism, groups, weights, na.rm) {
  k <- length(mechanism$reports)
  count <- function(weights) {
    .Call(
      C_rr_tally, codes, as.integer(first), k, groups,
      max(1L, groups), weights, na.rm
    )
  }
  result <- count(weights)
  if (result$position > 0) abort_report(reports, result$position, mechanism)
  shape <- function(counts) if (is.null(groups)) counts else matrix(counts, nrow = k)
  counts <- shape(result$counts)
  # Weighted reports have a second number: how many there were.
  list(counts = counts, missing = result$missing, n = tally_sums(counts),
       weight_squares = if (!is.null(weights)) result$weight_squares,
       respondents = if (!is.null(weights)) tally_sums(shape(count(NULL)$counts)))
}

# The sums of counts by group. They are the numbers of respondents only if a report is one category.
tally_sums <- function(counts) if (is.matrix(counts)) colSums(counts) else sum(counts)

# The number of reports of each category 0, 1, ..., group by group.
count_cells <- function(cells, n_cells, read) {
  .Call(
    C_rr_tally, cells, 0L, n_cells, read$groups, read$each, read$weights, FALSE
  )$counts
}

# list(counts, position): how often each bit is 1, or each position is there, and the first report
# that has not `ones` bits, or a position twice. No number of bits is checked if `ones` is negative.
count_supports <- function(values, read, codec, ones = -1) {
  if (is.raw(values)) {
    return(.Call(
      C_rr_count_bits, values, codec$width, ones, read$groups, read$each, read$weights
    ))
  }
  .Call(
    C_rr_count_lists, t(values), codec$width, !is.null(codec$drawn), read$groups,
    read$each, read$weights
  )
}

# The counts of reports of a cohort, an index and a sign: cohort by cohort how many support each of
# `width` categories, then how many there are. A report supports the categories whose sign in its
# column equals its sign: n / 2 of the n reports, plus half of the transform of the signs.
count_signs <- function(read, size, width, cohorts = 1) {
  reports <- read$reports
  cohort <- reports[["cohort"]] %||% 1L
  cells <- (cohort - 1L) * 2 * size + reports$index +
    ifelse(reports$sign > 0, 0, size)
  table <- array(
    count_cells(as.integer(cells), 2 * size * cohorts, read),
    c(size, 2, cohorts * read$each)
  )
  vapply(
    seq_len(dim(table)[3]),
    function(j) {
      n <- sum(table[, , j])
      transform <- .Call(C_rr_hadamard_transform, table[, 1, j] - table[, 2, j])
      signs <- transform[seq_len(width)]
      c(clamp((n + signs) / 2, 0, n), n)
    },
    numeric(width + 1)
  )
}

# An error if reports are rather answers. Numbers of categories are never negative: as reports, all
# of their bits would be 1. Fewer than one set of reports in a hundred million has no bit 0.
check_ones <- function(reports, codec) {
  is_unlikely <- length(reports) * codec$log_positive < log(1e-8)
  if (all(report_values(reports) >= 0) && is_unlikely) {
    abort(
      c(
        "{.arg x} must hold reports of this mechanism, some of whose positions are negative.",
        i = "These may be answers, to be randomized first: {.code rr_perturb(x, mechanism)}."
      ),
      "report"
    )
  }
}

# ---- categories ----

# The 1-based codes of reports, NA for missing ones if they may be `absent`. `name` is their column,
# for the message.
report_codes <- function(x, mechanism, name = NULL, absent = FALSE) {
  tell_reversed(x, mechanism$reports)
  coded <- encode_reports(x, mechanism)
  codes <- as.integer(coded$codes) - as.integer(coded$first) + 1L
  bad <- which(!codes %in% seq_along(mechanism$reports) & !(absent & is.na(codes)))
  if (length(bad)) abort_report(x, bad[1], mechanism, name)
  codes
}
