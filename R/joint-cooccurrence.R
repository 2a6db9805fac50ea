#' Count how often columns are jointly 1
#'
#' The tally of joint estimation: for every set of at most `order` binary columns, the number of rows in which all of
#' them are 1. Counted in one pass, at about the speed at which memory is read.
#'
#' With few columns each row is one bit pattern, patterns are counted and a superset sum over the
#' lattice of sets turns them into joint counts: all \eqn{2^D} orders at once. With many columns and a low order each
#' column is packed into machine words, joint rows are ANDs of words, and ANDs are shared along the tree of sets. The
#' faster way is chosen; both give the same numbers.
#'
#' An estimate needs the counts of its own order. Covariances need more: the covariance of
#' two sets needs their union. Covariances of order 2 need counts of order 3 for `target = "sample"` (order 2 in symmetric designs, \eqn{p + q = 1}) and of order 4 for
#' `target = "population"`. Where only some covariances are wanted, name their sets in `sets`: all unions of these sets are counted too.
#'
#' @section Questions counted in scores:
#' A report of a question is replaced by one number for each category \eqn{v}, with \eqn{E(u_v \mid x) = 1\{v = x\}}{E(u_v | x) = 1{v = x}}: the terms whose mean is the unbiased estimate of that question.
#' Of several Hadamard blocks \eqn{u_v} is the sign of the category in its own block, times a constant, and 0 in other blocks; of [rr_bitflip()] the debiased bit of a bucket that was drawn, times
#' \eqn{b / d}; of shared hash functions, and of any channel, the column of its left inverse. Of [rr_bloom()] it is the least-squares decoder of the filters, with equal weights for all bits, so that one
#' report's score does not depend on the others; it needs filters that tell all categories apart. Questions are randomised separately, so the product of
#' the scores of two questions is an unbiased term of their joint count. Kept are the sums of the products of scores, for all sets of at most `order` categories of different questions, and
#' the sums of products of any two of these: covariances for both targets need no more, and nothing about the protocol. Margins of \eqn{m} questions need `order` \eqn{m}. At most
#' 2,000 sets are kept: two questions of 43 categories, or ten of six. Counting takes rows times the square of this number: 9 seconds for 100,000 rows of two questions of 20
#' categories (440 sets).
#'
#' @param bits The reports: a matrix or data frame with one column per question, of logical values or 0 and 1. Integer
#'   and logical columns are read where they lie; double ones are converted. Text and factors labelled "0" and "1", or "FALSE" and
#'   "TRUE", or "no" and "yes", mean what their labels say; of any other factor of two levels the second means 1. Or a `table` (or array) with two
#'   categories in every dimension, such as `table(a, b, c)`, read in the same way.
#'   Or a **database table** of package dbplyr whose columns are 0 and 1 (or logical): the engine adds up the products of columns, all in
#'   one scan (in batches of 1,500 sums), or counts row types with `GROUP BY` where these are fewer; no row leaves it.
#' @param mechanism For reports of other protocols than yes/no questions: a [rr_product()], or a list of mechanisms named by the questions.
#'   `bits` is then a data frame of reports as [rr_perturb()] gives them: each question is a column of its name (the several columns of a hash
#'   value are a data frame inside, or `question.slope` and so on). A yes/no question is counted as one column, `question`, any other as one column a category,
#'   `question:category`, which is 1 where the report *supports* the category, see [rr_tmdh()]. Where one of the questions has no such columns (several Hadamard
#'   blocks, shared hash functions, [rr_bitflip()], [rr_bloom()], a channel of several categories), all questions are counted in *scores*, see below.
#' @param order The largest number of columns in a set, from 1 to the number of columns.
#' @param sets Further sets beyond `order`: a list of vectors of column names or positions, or labels such as `"a:b:c"`.
#' @param na.rm Drop rows with a missing value, and say how many? If `FALSE`, a missing value is an error.
#' @param ... Not used, and refused.
#' @return An object of class `c("rr_cooccurrence", "rr_histogram")`: a list with `columns` (names), `order`, `n` (rows), `values` (one
#'   count per set; the empty set, that is `n`, first, then by size and then lexicographically) and `more` (the further sets).
#'   `as.data.frame()` and `tidy()` give one row per set; `c()` merges the counts of several chunks of rows.
#' @section Errors:
#' `candor_error_report` for a report that is none of its `mechanism`, with its position; `candor_error_law` for a question without unbiased scores of its
#' reports ([rr_hierarchy()], [rr_mean()], filters that do not tell the categories apart); `candor_error_level` for an entry that is not 0 or 1, with its row and column, and for names of columns such as `a`, `b` and
#' `a:b`, which could be a column or a set; `candor_error_counts` for a cell of a table that is not a whole number; `candor_error_missing` for a
#' missing one; `candor_error_order` for more sets than fit in memory, with the order that fits, and for more than 2,000 of questions counted in scores; `candor_error_empty` for
#' no rows; `candor_error_mismatch` when counts of different columns or orders are merged.
#' @source Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Equations (16) to (18), (47) and (68).
#' @examples
#' bits <- matrix(rbinom(4000, 1, 0.3), 1000, dimnames = list(NULL, c("a", "b", "c", "d")))
#' counts <- rr_cooccurrence(bits, order = 2)
#' counts
#'
#' # Two questions whose reports support no categories
#' survey <- rr_product(page = rr_hadamard(6, epsilon = 3, blocks = 2),
#'                      setting = rr_bitflip(3, 3, d = 2))
#' page <- sample(6, 2000, replace = TRUE)
#' reports <- rr_perturb(data.frame(page, setting = (page + 1) %/% 2), survey)
#' rr_margin(rr_tmdh(rr_cooccurrence(reports, mechanism = survey), survey), c("page", "setting"))
#'
#' # Chunks merge to the counts of the whole
#' c(rr_cooccurrence(bits[1:400, ]), rr_cooccurrence(bits[401:1000, ]))
#' @export
rr_cooccurrence <- function(bits, order = 2, sets = NULL, na.rm = FALSE, ..., mechanism = NULL) {
  check_dots_empty(...)
  check_flag(na.rm, "na.rm")
  if (!is.null(mechanism)) {
    read <- read_questions(bits, mechanism, na.rm)
    inform_dropped(read$missing)
    return(count_questions(read, if (!missing(order)) order, sets))
  }
  if (inherits(bits, "tbl_lazy")) return(cooccurrence_database(bits, if (!missing(order)) order, sets, na.rm))
  tabular <- is.table(bits) || (is.array(bits) && length(dim(bits)) != 2L)
  if (tabular) return(cooccurrence_table(bits, order, missing(order)))
  columns <- bit_columns(bits)
  missing_rows <- 0
  if (na.rm) {
    keep <- stats::complete.cases(if (is.matrix(columns)) columns else as.data.frame(columns))
    missing_rows <- sum(!keep)
    if (missing_rows) {
      columns <- if (is.matrix(columns)) columns[keep, , drop = FALSE] else lapply(columns, `[`, keep)
      inform_dropped(missing_rows)
    }
  }
  count_bits(columns, bit_names(bits), if (missing(order)) min(2, length(bit_names(bits))) else order, sets,
             missing_rows)
}

# Where all questions have columns of 0 and 1 these are counted, else scores.
count_questions <- function(read, order, sets) {
  if (all(counted_in_bits(read$questions))) {
    columns <- unlist(unname(Map(support_bits, read$reports, read$questions, names(read$questions))), recursive = FALSE)
    return(count_bits(columns, names(columns), order %||% min(2, length(columns)), sets, read$missing))
  }
  if (!is.null(sets)) {
    abort(c("{.arg sets} is for questions whose reports are columns of 0 and 1.",
            x = "Those of {.val {names(which(!counted_in_bits(read$questions)))}} are counted in scores.",
            i = "Give an {.arg order}: no covariance needs a higher one than its sets have."), "argument")
  }
  count_scores(read$reports, read$questions, order %||% min(2, length(score_columns(read$questions)$names)),
               read$missing)
}

inform_dropped <- function(rows) {
  if (rows > 0) cli::cli_inform("{rows} row{?s} with missing values dropped.", class = "candor_message_missing")
}

count_bits <- function(columns, names, order, sets, missing_rows) {
  check_set_names(names, "bits")
  d <- length(names)
  n <- if (is.matrix(columns)) nrow(columns) else length(columns[[1]])
  order <- check_order(order, d)
  if (n == 0) abort(c("{.arg bits} must have rows.", x = "It has none: there is nothing to count."), "empty")
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  result <- .Call(C_rr_cooccurrence, columns, order, is.null(more) && patterns_are_faster(d, order, n), more)
  if (result$row > 0) abort_column_bit(columns, result, names)
  new_rr_histogram("cooccurrence", names, order, result$counts,
                   more = if (!is.null(more)) list(members = more, values = result$more), missing = missing_rows)
}

# Measured on one machine, in nanoseconds: what a row, a pattern and a word cost.
patterns_are_faster <- function(columns, order, n) {
  if (columns > 26) return(FALSE)
  patterns <- n * (0.3 * columns + 3) + 2^columns * (0.4 * columns + 10)
  words <- n * 0.6 * columns + set_total(columns, order) * max(n, 4096) / 64 * 0.45
  patterns < words
}

# An integer or logical matrix, or a list of such columns, that the kernel reads in place.
bit_columns <- function(bits) {
  if (is.matrix(bits) && (is.integer(bits) || is.logical(bits)) && ncol(bits)) return(bits)
  if (is.matrix(bits) && is.numeric(bits) && ncol(bits)) {
    whole <- bits
    suppressWarnings(storage.mode(whole) <- "integer")
    check_whole(bits, whole, nrow(bits), bit_names(bits))
    return(whole)
  }
  names <- if (is.matrix(bits) || is.data.frame(bits)) bit_names(bits)
  if (is.matrix(bits) && is.character(bits)) bits <- as.data.frame(bits, stringsAsFactors = FALSE)
  if (!is.data.frame(bits) || !length(bits)) {
    abort(c("{.arg bits} must be a matrix or data frame of logical values or 0 and 1.", x = "It is {describe(bits)}."),
          "argument")
  }
  lapply(seq_along(bits), function(j) {
    column <- bits[[j]]
    if (is.factor(column) || (is.character(column) && !is.object(column))) return(label_bits(column, names[j]))
    if (is.object(column) || !(is.integer(column) || is.logical(column) || is.double(column))) {
      abort(c("{.arg bits} must have columns of logical values, or 0 and 1.",
              x = "Column {.val {names[j]}} is {describe(column)}."),
            "argument")
    }
    if (!is.double(column)) return(column)
    whole <- suppressWarnings(as.integer(column))
    check_whole(column, whole, length(column), names[j])
    whole
  })
}

# Labels that are bits are read as bits, as in encode_reports(). Other labels must be those of a factor of two levels.
label_bits <- function(column, name) {
  labels <- if (is.factor(column)) levels(column) else column
  positions <- match_bits(labels)
  if (is.null(positions) && any(!is.na(labels)) && all(labels %in% c("no", "yes", NA))) {
    positions <- match(labels, c("no", "yes"))
  }
  if (is.null(positions) && is.factor(column) && length(labels) == 2L) positions <- 1:2
  if (is.null(positions) && !all(is.na(column))) {
    abort(c("{.arg bits} must have columns of logical values, or 0 and 1.",
            x = "Column {.val {name}} has the values {format_labels(unique(as.character(column[!is.na(column)])))}.",
            i = "Make it a factor of two levels, the second of which means 1."), "argument")
  }
  codes <- if (is.null(positions)) rep(NA_integer_, length(column))
    else translate(positions, column, own = !is.factor(column))
  bad <- which(codes == 0L)
  if (length(bad)) abort_entry(as.character(column[bad[1]]), bad[1], name)
  codes - 1L
}

check_whole <- function(x, whole, rows, names) {
  bad <- which(!is.na(x) & (is.na(whole) | whole != x))
  if (length(bad)) abort_entry(x[bad[1]], (bad[1] - 1) %% rows + 1, names[(bad[1] - 1) %/% rows + 1])
}

bit_names <- function(bits) {
  names <- if (is.data.frame(bits)) names(bits) else colnames(bits)
  count <- if (is.data.frame(bits)) length(bits) else ncol(bits)
  make.unique(as.character(names %||% paste0("x", seq_len(count))))
}

abort_column_bit <- function(columns, at, names) {
  value <- if (is.matrix(columns)) columns[at$row, at$column] else columns[[at$column]][at$row]
  abort_entry(value, at$row, names[at$column])
}

abort_entry <- function(value, row, column) {
  row <- format_count(row)
  if (is.na(value)) {
    abort(c("{.arg bits} must not have missing entries.", x = "Row {row} of column {.val {column}} is NA.",
            i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
  }
  abort(c("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only.",
          x = "Row {row} of column {.val {column}} is {format(value, digits = 15)}."),
        "level")
}

# A table with two categories a dimension is a vector of row-type counts, the first dimension running fastest.
cooccurrence_table <- function(x, order, complete) {
  counts <- row_type_counts(x, "bits")
  full <- rr_rowtype_counts(counts$values, counts$columns, counts$levels)
  if (any(counts$values < 0 | counts$values != floor(counts$values))) {
    abort_cell("{.arg bits} must hold whole numbers of rows, at least 0.", counts,
               which(counts$values < 0 | counts$values != floor(counts$values))[1])
  }
  if (complete) return(full)
  order <- check_order(order, length(full$columns))
  full$values <- full$values[seq_len(set_total(length(full$columns), order))]
  full$order <- full$tallied <- order
  full
}

#' @export
c.rr_cooccurrence <- function(...) {
  parts <- list(...)
  first <- parts[[1]]
  for (i in seq_along(parts)) {
    part <- parts[[i]]
    if (!inherits(part, "rr_cooccurrence")) {
      abort(c("Only joint counts can be merged with joint counts.", x = "Argument {i} is {describe(part)}."),
            "argument")
    }
    for (field in c("columns", "order")) {
      if (!identical(part[[field]], first[[field]])) {
        abort(c("Joint counts must be of the same columns and order to be merged.",
                x = "Argument {i} has {field} {format_labels(as.character(part[[field]]))}.",
                i = "Argument 1 has {field} {format_labels(as.character(first[[field]]))}."), "mismatch")
      }
    }
    if (!identical(part$more$members, first$more$members)) {
      abort(c("Joint counts must have the same further sets to be merged.",
              x = "Argument {i} has others than argument 1."), "mismatch")
    }
  }
  for (part in parts[-1]) {
    if (!identical(is.null(part$scores), is.null(first$scores)) || !identical(part$mechanism, first$mechanism)) {
      abort("Joint counts must be of the same mechanisms to be merged.", "mismatch")
    }
  }
  first$scores <- merge_scores(parts)
  first$values <- Reduce(`+`, lapply(parts, `[[`, "values"))
  if (!is.null(first$more)) first$more$values <- Reduce(`+`, lapply(parts, function(part) part$more$values))
  first$n <- first$values[1]
  first$missing <- sum(vapply(parts, `[[`, 0, "missing"))
  first
}
