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
#'   one scan (in batches of 1,500 sums); no row leaves it.
#' @param mechanism For reports of other protocols than yes/no questions: a [rr_product()], or a list of mechanisms named by the questions.
#'   `bits` is then a data frame of reports as [rr_perturb()] gives them: each question is a column of its name (the several columns of a hash
#'   value are a data frame inside, or `question.slope` and so on). A yes/no question is counted as one column, `question`, any other as one column a category,
#'   `question:category`, which is 1 where the report *supports* the category, see [rr_tmdh()]. Where one of the questions has no such columns (several Hadamard
#'   blocks, shared hash functions, [rr_bitflip()], [rr_bloom()], a channel of several categories), all questions are counted in *scores*, see below.
#' @param order The largest number of columns in a set, from 1 to the number of columns. By default 2, and for a table all.
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
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
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
rr_cooccurrence <- function(bits, order = NULL, sets = NULL, na.rm = FALSE, ..., mechanism = NULL) {
  check_dots_empty(...)
  check_flag(na.rm, "na.rm")
  if (!is.null(mechanism)) {
    read <- read_questions(bits, mechanism, na.rm)
    inform_dropped(read$missing)
    return(count_questions(read, order, sets))
  }
  if (inherits(bits, "tbl_lazy")) return(cooccurrence_database(bits, order, sets, na.rm))
  if (is.table(bits) || (is.array(bits) && length(dim(bits)) != 2L)) return(cooccurrence_table(bits, order))
  columns <- bit_columns(bits)
  missing_rows <- 0
  if (na.rm) {
    keep <- stats::complete.cases(if (is.matrix(columns)) columns else as.data.frame(columns))
    missing_rows <- sum(!keep)
    if (missing_rows) columns <- if (is.matrix(columns)) columns[keep, , drop = FALSE] else lapply(columns, `[`, keep)
    inform_dropped(missing_rows)
  }
  count_bits(columns, bit_names(bits), order, sets, missing_rows)
}

# Where all questions have columns of 0 and 1 these are counted, else scores.
count_questions <- function(read, order, sets) {
  if (all(counted_in_bits(read$questions))) {
    columns <- unlist(unname(Map(support_bits, read$reports, read$questions, names(read$questions))), recursive = FALSE)
    return(count_bits(columns, names(columns), order, sets, read$missing))
  }
  if (!is.null(sets)) {
    abort("{.arg sets} is for questions whose reports are columns of 0 and 1.", "argument")
  }
  count_scores(read$reports, read$questions, order, read$missing)
}

inform_dropped <- function(rows) {
  if (rows > 0) cli::cli_inform("{rows} row{?s} with missing values dropped.", class = "candor_message_missing")
}

count_bits <- function(columns, names, order, sets, missing_rows) {
  check_set_names(names, "bits")
  d <- length(names)
  n <- if (is.matrix(columns)) nrow(columns) else length(columns[[1]])
  order <- check_order(order %||% min(2, d), d)
  if (n == 0) abort("{.arg bits} must have rows: there is nothing to count.", "empty")
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  result <- .Call(C_rr_cooccurrence, columns, order, is.null(more) && patterns_are_faster(d, order, n), more)
  if (result$row > 0) {
    value <- if (is.matrix(columns)) columns[result$row, result$column] else columns[[result$column]][result$row]
    abort_entry(value, result$row, names[result$column])
  }
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
  if (!(is.matrix(bits) || is.data.frame(bits)) || !ncol(bits)) {
    abort(c("{.arg bits} must be a matrix or data frame of logical values or 0 and 1.", x = "It is {describe(bits)}."),
          "argument")
  }
  unname(Map(column_bits, as.data.frame(bits), bit_names(bits)))
}

# Labels that are bits are read as bits, as in encode_reports(). Other labels must be those of a factor of two levels.
column_bits <- function(column, name) {
  if (is.logical(column) || (is.integer(column) && !is.object(column))) return(column)
  if (is.double(column) && !is.object(column)) {
    whole <- suppressWarnings(as.integer(column))
    bad <- which(!is.na(column) & (is.na(whole) | whole != column))
  } else {
    plain <- is.character(column) && !is.object(column)
    labels <- if (is.factor(column)) levels(column) else if (plain) unique(column[!is.na(column)])
    places <- match_bits(labels)
    if (is.null(places) && all(labels %in% c("no", "yes"))) places <- match(labels, c("no", "yes"))
    if (is.null(places) && is.factor(column) && length(labels) == 2L) places <- 1:2
    if (is.null(places) || is.null(labels)) {
      abort(c("{.arg bits} must have columns of logical values, or 0 and 1, or factors of two levels.",
              x = "Column {.val {name}} is {describe(column)}."), "argument")
    }
    whole <- places[if (is.factor(column)) as.integer(column) else match(column, labels)] - 1L
    bad <- which(is.na(whole) & !is.na(column))
  }
  if (length(bad)) abort_entry(column[bad[1]], bad[1], name)
  whole
}

bit_names <- function(bits) {
  make.unique(as.character(colnames(bits) %||% paste0("x", seq_len(ncol(bits)))))
}

abort_entry <- function(value, row, column) {
  if (is.na(value)) {
    abort(c("{.arg bits} must not have missing entries.",
            x = "Row {format_count(row)} of column {.val {column}} is NA.", i = "{.code na.rm = TRUE} drops it."),
          "missing")
  }
  abort(c("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only.",
          x = "Row {format_count(row)} of column {.val {column}} is {format(value, digits = 15)}."), "level")
}

# A table with two categories a dimension is a vector of row-type counts, the first dimension running fastest.
cooccurrence_table <- function(x, order) {
  types <- row_type_counts(x, "bits", whole = TRUE)
  full <- row_type_histogram(types$values, types$columns, types$levels)
  full$order <- full$tallied <- check_order(order %||% full$order, length(full$columns))
  full$values <- full$values[seq_len(set_total(length(full$columns), full$order))]
  full
}

#' @export
c.rr_cooccurrence <- function(...) {
  parts <- list(...)
  first <- parts[[1]]
  same <- function(part) {
    inherits(part, "rr_cooccurrence") && identical(part[c("columns", "order")], first[c("columns", "order")]) &&
      identical(part$more$members, first$more$members) && identical(part$mechanism, first$mechanism)
  }
  if (!all(vapply(parts, same, NA))) {
    abort("Joint counts must be of the same columns, order, further sets and mechanisms to be merged.", "mismatch")
  }
  add <- function(values) Reduce(`+`, lapply(parts, values))
  first$values <- add(function(part) part$values)
  if (!is.null(first$scores)) first$scores$second <- add(function(part) part$scores$second)
  if (!is.null(first$more)) first$more$values <- add(function(part) part$more$values)
  first$n <- first$values[1]
  first$missing <- add(function(part) part$missing)
  first
}

# ---- in a database ----

# Joint counts of columns that lie in a database: the engine adds up, R gets one number for each set of columns.

cooccurrence_database <- function(data, order, sets, na.rm) {
  data <- dplyr::ungroup(data)
  names <- check_set_names(names(table_columns(data)), "bits")
  d <- length(names)
  order <- check_order(order %||% min(2, d), d)
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  members <- .Call(C_rr_sets, as.double(d), order, 1, set_total(d, order) - 1)
  wanted <- c(member_columns(members), if (!is.null(more)) member_columns(more))
  counted <- sum_products(data, names, wanted, na.rm)
  if (counted$n == 0) abort("{.arg bits} must have rows without missing values: there is nothing to count.", "empty")
  inform_dropped(counted$missing)
  own <- seq_len(ncol(members))
  new_rr_histogram("cooccurrence", names, order, c(counted$n, counted$sums[own]),
                   more = if (!is.null(more)) list(members = more, values = counted$sums[-own]),
                   missing = counted$missing)
}

# Positions of the columns of each set.
member_columns <- function(members) lapply(seq_len(ncol(members)), function(s) members[members[, s] >= 0L, s] + 1L)

# SUM(a), SUM(a * b), ...: the factors are 0 or 1, which the first sums count for every column.
sum_products <- function(data, names, wanted, na.rm) {
  connection <- dbplyr::remote_con(data)
  bits <- quote_names(names, connection)
  sums <- c(sprintf("SUM(CASE WHEN %s IS NULL THEN 1 ELSE 0 END)", bits),
            sprintf("SUM(CASE WHEN %s = 0 OR %s = 1 THEN 0 ELSE 1 END)", bits, bits),
            vapply(wanted, function(at) sprintf("SUM(%s)", paste(bits[at], collapse = " * ")), ""))
  all <- free_names(paste0("sum", seq_along(sums)), names)
  total <- free_names("n", names)
  flag <- free_names("complete", names)
  number <- stats::setNames("COUNT(*)", total)
  batches <- split(seq_along(all), (seq_along(all) - 1L) %/% query_width)
  # Some engines do not multiply logical values.
  types <- empty_rows(data, names)
  logical <- names[vapply(types, is.logical, NA)]
  if (length(logical)) {
    data <- dplyr::mutate(data, !!!stats::setNames(lapply(rlang::syms(logical), function(bit) {
      rlang::expr(ifelse(!!bit, 1L, 0L))
    }), logical))
  }
  if (na.rm) {
    # Rows without a NULL apart from the others, by the same query.
    gone <- Reduce(function(a, b) rlang::expr(!!a | !!b), lapply(rlang::syms(names), function(bit) {
      rlang::expr(is.na(!!bit))
    }))
    data <- dplyr::mutate(data, !!!stats::setNames(list(rlang::expr(ifelse(!!gone, 0L, 1L))), flag))
  }
  parts <- lapply(batches, function(these) {
    query <- group_query(data, if (na.rm) flag, c(number, stats::setNames(sums[these], all[these])))
    lapply(run_query(data, query, names), function(x) as.double(plain_numbers(x)))
  })
  numbers <- parts[[1]][[total]]
  if (!all(vapply(parts, function(part) identical(part[[total]], numbers), NA))) {
    abort("The database table must not change while it is counted.", "database")
  }
  values <- do.call(cbind, lapply(parts, function(part) do.call(cbind, part[intersect(all, names(part))])))
  at <- which((parts[[1]][[flag]] %||% rep(1, length(numbers))) == 1)
  n <- if (length(at)) numbers[at] else 0
  values <- if (length(at) && n > 0) values[at, ] else numeric(length(all))
  d <- length(names)
  gone <- which(values[seq_len(d)] > 0)
  if (length(gone)) {
    abort(c("{.arg bits} must not have missing entries.",
            x = "Column {.val {names[gone[1]]}} is NULL in {format_count(values[gone[1]])} of {format_count(n)} rows."),
          "missing")
  }
  odd <- which(values[d + seq_len(d)] > 0)
  if (length(odd)) {
    abort(c("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only.",
            x = "Column {.val {names[odd[1]]}} holds something else in {format_count(values[d + odd[1]])} rows."),
          "level")
  }
  list(n = n, sums = unname(values[-seq_len(2 * d)]), missing = sum(numbers) - n)
}

