# Reports of the protocols are read back from raw, hexadecimal text, matrices of 0 and 1, long tables and database
# columns; all are checked, and counted.

#' Reports of the protocols
#'
#' Reports that support several categories are kept small: one bit per category, or the numbers of the categories. `rr_reports()` reads them back
#' from whatever a data frame, a file or a database made of them, and checks every one.
#'
#' | mechanism | what [rr_perturb()] returns | what `rr_reports()` reads as well |
#' |---|---|---|
#' | [rr_unary()] | `rr_bits` | raw matrices (a row a report), lists of raw vectors (blobs), hexadecimal text, matrices and data frames of 0 and 1, long tables with columns `id` and `level`, one row for each category that a report supports (of one that supports none a single row, its `level` missing) |
#' | [rr_subset()] | `rr_sets`, or `rr_bits` where these are smaller | all that, and matrices and data frames of numbers, one row a report, lists of numbers, and text of numbers with spaces between them |
#' | [rr_hadamard()] | whole numbers from 0; with `one_bit` a tibble with `index` and `sign` | numbers of any type, `integer64` among them |
#' | [rr_local_hash()] | a tibble with `slope`, `shift` and `value`; with `cohorts` `cohort` and `value` | data frames with these columns, of any type of number |
#' | [rr_bitflip()] | `rr_sets` of positions, negative where the bit is 0 | matrices of such numbers, one row a report; lists of them; text of numbers with spaces between them; data frames of them with columns `position_1`, `position_2`, ...; columns of 0 and 1 for all buckets, missing where they were not drawn; long tables with columns `id`, `level` and `bit` |
#' | [rr_bloom()] | a data frame with `cohort` and `bits` | data frames with these columns, bits in any form of those of [rr_unary()]; columns `cohort` and `bit_1`, `bit_2`, ... of 0 and 1; long tables with columns `id`, `cohort` and `level`, the number of a bit that is 1 |
#' | [rr_sketch_counts()] | a data frame with `cohort` and `bits`; with `one_bit` a tibble with `cohort`, `index` and `sign` | the same |
#' | [rr_mean()] | numbers | numbers of any type |
#' | [rr_sample_questions()], [rr_hierarchy()], [rr_prefixes()] | a tibble with `question`, `depth` or `part` and `report`, or the columns of the report | data frames with these columns; where questions differ in kind `report` is text, or a list |
#'
#' `rr_bits` is a raw matrix with one row per report: bit `j` (from 0) of a report is bit `j %% 8` of byte `j %/% 8`, as in [packBits()], and bits
#' beyond the last category are 0. `rr_sets` is an integer matrix with one *column* per report, numbers increasing. Both have as many elements as
#' reports: `length()`, `[`, `c()`, `rev()` and `format()` treat a report as one element, and `rr_bits` may be a column of a data frame or a tibble.
#' `as.matrix()` gives 0 and 1 (or the numbers), one row per report; `as.character()` hexadecimal text (or the numbers, with spaces between them), for a column of text;
#' `as.list()` raw vectors, for a column of blobs (or integer vectors). All these are read back in memory. (A data.table takes packed bits apart: give it text.) A database counts hexadecimal text of bits, columns of 0 and 1, columns of the positions of
#' [rr_bitflip()], and long tables, see [rr_query()]; it does not take blobs and lists of numbers apart.
#'
#' @param x The reports.
#' @param mechanism How they were made.
#' @return The reports as [rr_perturb()] returns them.
#' @section Errors:
#' `candor_error_report` for a value that is not a report of this mechanism, with its position and what is wrong with it: its width, bits beyond the last
#' category, too many or too few categories, a category twice, numbers out of range.
#' `candor_error_mismatch` for reports of another number of categories.
#' @source Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745.
#' @examples
#' mechanism <- rr_unary(c("a", "b", "c"), epsilon = 1)
#' reports <- rr_perturb(c("a", "b", "c", "a"), mechanism)
#' as.matrix(reports)
#' text <- as.character(reports)
#' text
#' identical(rr_reports(text, mechanism), reports)
#' @export
rr_reports <- function(x, mechanism) {
  check_mechanism(mechanism)
  UseMethod("rr_reports", mechanism)
}

#' @export
rr_reports.rr_mechanism <- function(x, mechanism) {
  encode_reports(x, mechanism)
  x
}

# Reports as packed bits of the categories that they support, one row each: what the own likelihood needs.
report_sets <- function(mechanism, x) UseMethod("report_sets")

report_sets.rr_mechanism <- function(mechanism, x) {
  abort(c("The sets of reports can be kept for protocols whose reports support several categories.",
          x = "This mechanism is: {format(mechanism)}.", i = "Its counts are all that estimation needs."), "argument")
}

# Those with a method of report_sets().
keeps_sets <- function(mechanism) {
  if (inherits(mechanism, "rr_hierarchy")) return(any(vapply(mechanism$parts, keeps_sets, NA)))
  inherits(mechanism, c("rr_unary", "rr_subset", "rr_bloom", "rr_bitflip")) ||
    (inherits(mechanism, "rr_local_hash") && is.null(mechanism$cohorts)) ||
    (inherits(mechanism, "rr_hadamard") && isTRUE(mechanism$one_bit))
}

# The columns of a table that a report takes, NULL where it is one value, or bits.
report_fields <- function(mechanism) UseMethod("report_fields")

report_fields.rr_mechanism <- function(mechanism) NULL

# How else a table may hold such reports, for an engine to add them up or for a file: `columns`, the names of the
# columns of each form, the first that fits being taken, and `alone`, the form of a single column of any name. NULL
# where reports are categories or fields.
stored_forms <- function(mechanism) UseMethod("stored_forms")

stored_forms.rr_mechanism <- function(mechanism) {
  if (!inherits(rr_law(mechanism), "rr_law_support")) return(NULL)
  list(columns = list(bits = mechanism$levels, long = c("id", "level")), alone = "text")
}

# ---- reading ----

abort_report_at <- function(position, problem, answers = FALSE) {
  other <- "Leave it out, or give the mechanism that it was made with; {.fn rr_reports} says how reports look."
  abort(c("{.arg x} must hold reports of this mechanism.", x = "Report {format_count(position)} {problem}.",
          i = if (answers) answers_remedy else other),
        "report", position = position, problem = problem)
}

# True answers, given where reports are expected, are no reports of another mechanism: they are yet to be randomised.
answers_remedy <- "These are answers. Randomise them first: {.code rr_perturb(x, mechanism)}."

# Is all of it what people answer? Bits and numbers may look like labels here and there. A mechanism without levels
# takes any text.
are_answers <- function(x, mechanism) {
  if (!is.atomic(x) || inherits(x, "rr_reports") || length(dim(x)) > 1L || all(is.na(x))) return(FALSE)
  if (inherits(mechanism, c("rr_sketch_counts", "rr_prefixes"))) return(is.character(x) || is.factor(x))
  # Plain numbers may be positions, or a part of reports.
  if (is.numeric(x) && is.null(mechanism$numeric_levels)) return(FALSE)
  all(label_text(unique(x[!is.na(x)])) %in% mechanism$levels)
}

check_same_levels <- function(k, mechanism) {
  if (identical(as.double(k), as.double(length(mechanism$levels)))) return(invisible())
  abort(c("{.arg x} must hold reports of this mechanism.",
          x = "They are of {format_count(k)} categories; the mechanism has {format_count(length(mechanism$levels))}."),
        "mismatch")
}

# list(reports = rr_bits, dropped = positions): the width and the padding are checked.
read_bits <- function(x, mechanism, na.rm = FALSE) {
  k <- length(mechanism$levels)
  width <- (k + 7) %/% 8
  dropped <- NULL
  if (inherits(x, "rr_bits")) {
    check_same_levels(attr(x, "levels_number"), mechanism)
    dropped <- drop_missing_reports(which(is.na(x)), na.rm)
    if (length(dropped)) x <- x[-dropped]
    bits <- unclass_bits(x)
  } else if (is.raw(x)) {
    if (!is.matrix(x) && length(x) == width) x <- matrix(x, 1)
    if (!is.matrix(x)) {
      abort_report_at(1, sprintf("cannot be told from the others: raw reports are a matrix with %s columns", width))
    }
    if (ncol(x) != width) abort_report_at(1, width_problem(ncol(x), k))
    bits <- unclass_bits(x)
  } else if (is.character(x) && !is.matrix(x)) {
    missing <- which(is.na(x))
    dropped <- drop_missing_reports(missing, na.rm)
    if (length(dropped)) x <- x[-dropped]
    read <- .Call(C_rr_from_hex, sub("^(0x|\\\\x)", "", as.character(x)), as.double(width))
    if (read$position > 0) {
      abort_report_at(read$position, hex_problem(x[read$position], k), are_answers(x, mechanism))
    }
    bits <- read$bits
  } else if (is_long(x)) {
    bits <- long_bits(x, mechanism)
  } else if (is.matrix(x) || is.data.frame(x)) {
    read <- zero_one(x, mechanism, na.rm)
    bits <- read$bits
    dropped <- read$dropped
  } else if (is.list(x)) {
    missing <- which(vapply(x, function(one) is.null(one) || (length(one) == 1L && is.logical(one) && is.na(one)), NA))
    dropped <- drop_missing_reports(missing, na.rm)
    if (length(dropped)) x <- x[-dropped]
    wrong <- which(!vapply(x, function(one) is.raw(one) && length(one) == width, NA))
    if (length(wrong)) {
      one <- x[[wrong[1]]]
      abort_report_at(wrong[1], if (is.raw(one)) width_problem(length(one), k) else paste("is", describe(one)))
    }
    bits <- if (length(x)) do.call(rbind, lapply(x, as.raw)) else matrix(raw(), 0, width)
    bits <- unclass_bits(bits)
  } else {
    abort(c("{.arg x} must be reports: bits, hexadecimal text, or 0 and 1 for each category.",
            x = "It is {describe(x)}.",
            i = if (are_answers(x, mechanism)) answers_remedy else "See {.fn rr_reports}."), other_reports(x))
  }
  if (k %% 8 > 0) {
    bad <- match(TRUE, as.integer(bits[, width]) >= 2^(k %% 8))
    if (!is.na(bad)) abort_report_at(bad, sprintf("has bits beyond the last of %s categories", format_count(k)))
  }
  list(reports = new_rr_bits(bits, k), dropped = dropped)
}

# Reports of another kind of mechanism are a mismatch; anything else is no report at all.
other_reports <- function(x) if (inherits(x, "rr_reports")) c("mismatch", "report") else "report"

width_problem <- function(bytes, k) {
  sprintf("has %s bytes; %s are needed for %s categories", format_count(bytes), format_count((k + 7) %/% 8),
          format_count(k))
}

hex_problem <- function(text, k) {
  bare <- sub("^(0x|\\\\x)", "", text)
  text <- encodeString(short_reports(text), quote = "\"")
  if (!grepl("^[0-9a-fA-F]*$", bare)) return(sprintf("is %s, which is not hexadecimal", text))
  sprintf("is %s, of %s hexadecimal digit%s; %s bits take %s", text, format_count(nchar(bare)),
          if (nchar(bare) == 1L) "" else "s", format_count(k), format_count(2 * ((k + 7) %/% 8)))
}

drop_missing_reports <- function(missing, na.rm) {
  if (length(missing) && !na.rm) {
    abort(c("{.arg x} must not have missing reports.", x = "Report {format_count(missing[1])} is NA.",
            i = "Use {.code na.rm = TRUE} to drop missing reports."), "missing")
  }
  missing
}

missing_columns <- function(lists, na.rm) drop_missing_reports(which(colSums(is.na(lists)) > 0), na.rm)

# One column per category, in the order of the levels or named by them.
zero_one <- function(x, mechanism, na.rm) {
  k <- length(mechanism$levels)
  if (ncol(x) != k) {
    abort(c("{.arg x} must have one column of 0 and 1 for each of {format_count(k)} categories.",
            x = "It has {ncol(x)} column{?s}.",
            i = if (!is.null(mechanism$size)) "Numbers of categories have {mechanism$size} column{?s}.",
            i = "Of a data frame {.arg column} names those that hold the reports. See {.fn rr_reports}."),
          "report")
  }
  if (!is.null(colnames(x)) && !anyDuplicated(colnames(x)) && setequal(colnames(x), mechanism$levels)) {
    x <- x[, mechanism$levels, drop = FALSE]
  }
  x <- if (is.data.frame(x)) do.call(cbind, lapply(x, column_numbers)) else x
  if (is.null(x) || !(is.numeric(x) || is.logical(x))) {
    abort(c("{.arg x} must hold 0 and 1 for each category.", x = "It is {describe(x)}."), "report")
  }
  dropped <- drop_missing_reports(which(rowSums(is.na(x)) > 0), na.rm)
  if (length(dropped)) x <- x[-dropped, , drop = FALSE]
  bad <- which(x != 0 & x != 1)
  if (length(bad)) {
    abort_report_at((bad[1] - 1) %% nrow(x) + 1, sprintf("holds %s; bits are 0 and 1", format(x[bad[1]], digits = 6)))
  }
  storage.mode(x) <- "integer"
  list(bits = .Call(C_rr_matrix_to_bits, unname(x))$bits, dropped = dropped)
}

# Numbers in the types that databases return, such as integer64.
whole_matrix <- function(x) {
  x <- unname(x)
  bad <- which(!is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max))
  if (length(bad)) abort_report_at((bad[1] - 1) %% nrow(x) + 1, sprintf("holds %s", format(x[bad[1]], digits = 6)))
  storage.mode(x) <- "integer"
  x
}

# One row for each category that a report supports. A report that supports none has one row, without a level.
# `mechanism`: whose long form may have more columns.
is_long <- function(x, mechanism = NULL) {
  if (!is.data.frame(x)) return(FALSE)
  columns <- if (is.null(mechanism)) c("id", "level") else stored_forms(mechanism)$columns$long
  length(columns) > 0L && length(x) == length(columns) && all(columns %in% names(x))
}

# `size`: how many rows each report has, NULL where it may have one without a level; `whole`: of which mechanism these
# bits are a part.
long_places <- function(x, mechanism, size = mechanism$size, whole = mechanism) {
  level <- if (is.null(mechanism$numeric_levels)) column_numbers(x$level) else plain_numbers(x$level)
  place <- match_long(level, mechanism)
  lost <- which(is.na(x$id))
  if (length(lost)) {
    abort(c("{.arg x} must say which report each row is of.", x = "{.val id} is NA in row {format_count(lost[1])}."),
          "report")
  }
  id <- match(x$id, unique(x$id))
  none <- is.na(level) & is.null(size)
  place[none] <- NA
  bad <- which(!none & is.na(place))
  if (length(bad)) abort_report_at(id[bad[1]], sprintf("supports %s, which is not a level",
                                                       encodeString(as.character(level[bad[1]]), quote = "\"")))
  twice <- anyDuplicated(data.frame(id, place))
  if (twice) abort_report_at(id[twice], sprintf("supports level %s twice", encodeString(mechanism$levels[place[twice]],
                                                                                        quote = "\"")))
  beside <- which(none & id %in% id[!none])
  if (length(beside)) abort_report_at(id[beside[1]], "has a row without a level beside others")
  if (is.null(size)) check_empty_reports(whole, length(unique(id)), sum(none))
  list(id = id, place = as.integer(place))
}

# Bits that are all 0 leave no row behind where nobody wrote one, and the reports that are there are then not all of
# them. Fewer than one table in a hundred million has none where 20 are expected.
check_empty_reports <- function(mechanism, n, empty) {
  expected <- if (empty > 0) 0 else n * empty_chance(mechanism)
  if (expected < 20) return(invisible())
  abort(c("A long table must have a row for each report that supports no category as well.",
          x = "Of {format_count(n)} reports about {format_count(round(expected))} should support none; none is there.",
          i = "Give them one row each, with their {.val id} and a {.val level} that is missing."), "report")
}

# How often no bit at all is 1, where bits are independent; else 0.
empty_chance <- function(mechanism) {
  if (!is.null(mechanism[["bit"]])) {
    law <- rr_law(mechanism[["bit"]])
    ones <- mechanism$hashes %||% 1
    return((1 - law$q)^(mechanism$bits_number - ones) * (1 - law$p)^ones)
  }
  law <- rr_law(mechanism)
  independent <- length(law$p) == 1L && length(law$q) == 1L && isTRUE(all.equal(law$both_own, law$p * law$q))
  if (independent) (1 - law$q)^(length(mechanism$levels) - 1) * (1 - max(law$p, law$q)) else 0
}

# One report a row of what goes with it: the first row of each.
one_row_each <- function(x, mechanism, weights, by) {
  first <- which(!duplicated(x$id))
  place <- match(x$id, x$id[first])
  for (each in c(by, list(weights))) {
    values <- as.vector(each)
    odd <- which(!(values == values[first][place] | (is.na(values) & is.na(values[first][place]))) %in% TRUE)
    if (length(odd)) {
      abort(c("All rows of a report must have the same group and weight.",
              x = "Those of report {format_count(place[odd[1]])} differ."), "argument")
    }
  }
  list(x = rr_reports(x, mechanism), weights = weights[first], by = if (!is.null(by)) lapply(by, `[`, first))
}

long_bits <- function(x, mechanism, whole = mechanism) {
  long <- long_places(x, mechanism, whole = whole)
  matrix <- matrix(0L, max(long$id, 0L), length(mechanism$levels))
  some <- !is.na(long$place)
  matrix[cbind(long$id, long$place)[some, , drop = FALSE]] <- 1L
  .Call(C_rr_matrix_to_bits, matrix)$bits
}

long_lists <- function(x, mechanism) {
  long <- long_places(x, mechanism)
  sizes <- tabulate(long$id)
  bad <- which(sizes != mechanism$size)
  if (length(bad)) abort_report_at(bad[1], report_size_words(sizes[bad[1]], mechanism$size))
  matrix(long$place[order(long$id, long$place)], mechanism$size)
}

# ---- counting ----

# Groups and weights of the reports that were not dropped.
kept <- function(x, read) if (length(read$dropped)) x[-read$dropped] else x

group_number <- function(groups) as.double(max(1L, groups))

count_packed <- function(read, mechanism, groups, weights, size = -1) {
  counted <- .Call(C_rr_count_bits, unclass_bits(read$reports), as.double(length(mechanism$levels)), as.double(size),
                   kept(groups, read), group_number(groups), kept(weights, read))
  counted_reports(counted, read, function(position) size_problem(read, position, size))
}

size_problem <- function(read, position, size) {
  report_size_words(sum(as.matrix(read$reports[position])), size)
}

report_size_words <- function(number, size) {
  sprintf("has %s categor%s; %s %s needed", format_count(number), if (number == 1) "y" else "ies", format_count(size),
          if (size == 1) "is" else "are")
}

counted_reports <- function(counted, read, problem = function(position) "is no report of it") {
  if (counted$position > 0) abort_report_at(counted$position, problem(counted$position))
  list(counts = if (ncol(counted$counts) > 1L) counted$counts else as.vector(counted$counts), dropped = read$dropped)
}
