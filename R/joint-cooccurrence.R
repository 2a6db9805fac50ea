#' Joint counts of binary columns: the tally of joint estimation
#'
#' `rr_cooccurrence()` counts, for every set of at most `order` columns, the rows in which all of them are 1. [rr_tmdh()] estimates the true counts from it.
#'
#' An estimate needs the counts of its own order, and the covariance of two sets needs their union. For order 2, covariances need counts of order 3 for
#' `target = "sample"` (order 2 if \eqn{p + q = 1}) and of order 4 for `target = "population"`. If only some covariances are needed, name their sets in `sets`: all unions of
#' these sets are counted too.
#'
#' @section The evidence matrix:
#' The columns that are counted are the evidence matrix of Carette (2022, equation 15), with a row for each report and a column for each category: 1 if the report supports the category. For one
#' question it is `1 * (rr_score(reports, mechanism) > 0)`, if \eqn{p > q}. The rows of the matrix are in no object of `rr_cooccurrence()`, which holds the counts alone.
#'
#' @section Questions counted in scores:
#' Some questions have no columns of support: several Hadamard blocks, shared hash functions, [rr_bitflip()], [rr_bloom()] and channels of several categories. If one question is of this
#' kind, all questions are counted in scores.
#'
#' A report is replaced by one number per category \eqn{v} with \eqn{E(u_v \mid x) = 1\{v = x\}}{E(u_v | x) = 1{v = x}}, whose mean is the unbiased estimate:
#'
#' * Hadamard blocks: sign of the category in its block, times a constant; 0 in other blocks.
#' * [rr_bitflip()]: debiased bit of a bucket that was drawn, times \eqn{b / d}.
#' * shared hash functions, any channel: column of the left inverse.
#' * [rr_bloom()]: least-squares decoder of the filters with equal weights, which must tell all categories apart.
#'
#' Questions are randomized separately, so the product of the scores of two questions is an unbiased term of their joint count. Covariances need nothing more: margins of
#' \eqn{m} questions need `order` \eqn{m}. At most 2,000 sets are kept, such as two questions of 43 categories. The time is proportional to the rows times the square of the number of sets.
#'
#' @param bits The reports, as any of these:
#'   * a matrix or data frame with one column per question, of logical values or 0 and 1. Labels "0" and "1", "FALSE" and "TRUE", "no" and "yes" are read as such. The second level of any
#'     other factor of two levels means 1;
#'   * a `table` or array with two categories in every dimension;
#'   * a database table of package dbplyr whose columns are 0 and 1 or logical. The database computes the sums; no row leaves it;
#'   * with `mechanism`, a data frame of reports as [rr_perturb()] gives them, with a column per question. The columns of a hash value are a data frame inside, or
#'     `question.slope` and so on.
#' @param order Largest number of columns in a set, from 1 to the number of columns; default 2, for a table all.
#' @param sets Further sets: a list of vectors of column names or positions, or labels such as `"a:b:c"`.
#' @param na.rm Logical, default `FALSE`: a missing value is an error. If `TRUE`, rows with a missing value are dropped and counted in a message.
#' @param ... Not used; further arguments give an error.
#' @param mechanism For other reports than bits: a [rr_product()], or a list of mechanisms named by the questions. A yes/no question is counted as one column, `question`. Any other question is
#'   counted as one column per category, `question:category`, which is 1 if the report *supports* the category, see [rr_tmdh()].
#' @return An object of class `c("rr_cooccurrence", "rr_histogram")`, a list with `columns` (names), `order`, `n` (rows), `values` (one
#'   count per set: the empty set first, then by size and lexicographically) and `more` (the further sets).
#'   `as.data.frame()` and `tidy()` give one row per set; `c()` merges the counts of chunks of rows.
#' @section Errors:
#' `candor_error_report` (with its position), `candor_error_level` (an entry that is not 0 or 1, ambiguous names of columns), `candor_error_law` (no unbiased scores), `candor_error_counts`,
#' `candor_error_missing`, `candor_error_order` (too many sets), `candor_error_empty`, `candor_error_mismatch`. See [candor_conditions].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Equations (16) to (18), (47) and (68).
#' @seealso [rr_tmdh()] for the estimate, [as.table()][as.table.rr_histogram] for the joint table, `vignette("joint", package = "candor")`.
#' @concept joint distribution
#' @concept evidence matrix
#' @concept marginal table
#' @concept superset sum
#' @examples
#' # How often do four yes/no answers occur together?
#' set.seed(1)
#' bits <- matrix(rbinom(4000, 1, 0.3), 1000,
#'                dimnames = list(NULL, c("a", "b", "c", "d")))
#' rr_cooccurrence(bits, order = 2)
#'
#' # Chunks of rows give the counts of the whole
#' c(rr_cooccurrence(bits[1:400, ]), rr_cooccurrence(bits[401:1000, ]))
#'
#' # How often does a hashed report support three categories at once? The
#' # evidence matrix says
#' hashing <- rr_local_hash(letters[1:4], epsilon = 1)
#' hashed <- rr_perturb(rep("a", 1000), hashing, rng = "R")
#' evidence <- 1 * (rr_score(hashed, hashing) > 0)
#' tail(tidy(rr_cooccurrence(evidence, order = 3)), 4)
#' hashing$p / hashing$g^2
#' # a, the truth, and two others, if hash functions were ideal: 0.05
#'
#' # Two questions whose reports support no categories are counted in scores:
#' # is the setting determined by the page?
#' survey <- rr_product(page = rr_hadamard(6, epsilon = 3, blocks = 2),
#'                      setting = rr_bitflip(3, 3, d = 2))
#' page <- sample(6, 2000, replace = TRUE)
#' truth <- data.frame(page, setting = (page + 1) %/% 2)
#' reports <- rr_perturb(truth, survey, rng = "R")
#' joint <- rr_tmdh(rr_cooccurrence(reports, mechanism = survey), survey)
#' rr_margin(joint, c("page", "setting"))
#' @export
rr_cooccurrence <- function(
  bits,
  order = NULL,
  sets = NULL,
  na.rm = FALSE,
  ...,
  mechanism = NULL
) {
  check_dots_empty(...)
  check_flag(na.rm, "na.rm")
  if (!is.null(mechanism)) return(count_questions(bits, mechanism, order, sets, na.rm))
  if (inherits(bits, "tbl_lazy")) return(cooccurrence_database(bits, order, sets, na.rm))
  # A table with two categories a dimension is a vector of row-type counts, the first dimension
  # running fastest.
  if (is.table(bits) || (is.array(bits) && length(dim(bits)) != 2L)) {
    return(count_row_types(bits, order))
  }
  check_that((is.matrix(bits) || is.data.frame(bits)) && ncol(bits), bits, "bits",
             "a matrix or data frame of logical values or 0 and 1")
  keep <- if (na.rm) complete.cases(bits) else TRUE
  inform_dropped(sum(!keep))
  if (!all(keep)) bits <- bits[keep, , drop = FALSE]
  names <- make.unique(
    as.character(colnames(bits) %||% paste0("x", seq_len(ncol(bits))))
  )
  # A matrix of whole numbers or logical values is read in place.
  columns <- if (is.integer(bits) || is.logical(bits)) {
    bits
  } else {
    unname(Map(column_bits, as.data.frame(bits), names))
  }
  count_bits(columns, names, order, sets, as.double(sum(!keep)))
}

# If all questions have columns of 0 and 1 these are counted, else scores.
count_questions <- function(reports, mechanism, order, sets, na.rm) {
  refuse_validated(mechanism, "Joint counts")
  read <- read_questions(reports, mechanism, na.rm)
  inform_dropped(read$missing)
  scored <- any(
    vapply(read$questions, function(question) is.null(evidence_columns(question)), NA)
  )
  if (scored && !is.null(sets)) abort("{.arg sets} is for reports that are columns of 0 and 1.")
  if (scored) return(count_scores(read$reports, read$questions, order, read$missing))
  columns <- counted_columns(read$questions)
  bits <- Map(
    support_bits, read$reports, read$questions, names(read$questions), columns$categories
  )
  count_bits(
    unlist(unname(bits), recursive = FALSE), columns$names, order, sets, read$missing
  )
}

count_row_types <- function(table, order) {
  types <- row_type_counts(table, "bits", whole_numbers = TRUE)
  full <- row_type_histogram(types$values, types$columns, types$levels)
  full$order <- full$tallied <- check_order(order %||% full$order, length(full$columns))
  full$values <- full$values[
    seq_len(set_total(length(full$columns), full$order))
  ]
  full
}

inform_dropped <- function(rows) {
  if (rows > 0) {
    cli::cli_inform("{rows} row{?s} with missing values dropped.", class = "candor_message_missing")
  }
}

count_bits <- function(columns, names, order, sets, missing_rows) {
  check_set_names(names, "bits")
  d <- length(names)
  n <- if (is.matrix(columns)) nrow(columns) else length(columns[[1]])
  order <- check_order(order %||% min(2, d), d)
  if (n == 0) abort("{.arg bits} must have rows: there is nothing to count.", "empty")
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  # These are costs of a row, a pattern and a word, measured on one machine in nanoseconds.
  patterns <- n * (0.3 * d + 3) + 2^d * (0.4 * d + 10)
  words <- n * 0.6 * d +
    set_total(d, order) * max(n, 4096) / 64 * 0.45
  result <- .Call(
    C_rr_cooccurrence, columns, order, is.null(more) && d <= 26 && patterns < words, more
  )
  if (result$row > 0) {
    value <- if (is.matrix(columns)) {
      columns[result$row, result$column]
    } else {
      columns[[result$column]][result$row]
    }
    abort_entry(value, result$row, names[result$column])
  }
  new_rr_histogram(
    "cooccurrence",
    names,
    order,
    result$counts,
    more = if (!is.null(more)) list(members = more, values = result$more),
    missing = missing_rows
  )
}

# The column as bits, integer or logical. Labels that are bits are read as bits, as in
# encode_reports(). Other labels must be those of a factor of two levels.
column_bits <- function(column, name) {
  if (is.logical(column) || (is.integer(column) && !is.object(column))) return(column)
  has_labels <- (is.character(column) || is.double(column)) && !is.object(column)
  labels <- if (is.factor(column)) {
    levels(column)
  } else if (has_labels) {
    unique(column[!is.na(column)])
  }
  positions <- match_bits(labels)
  if (is.null(positions) && all(labels %in% c("no", "yes"))) {
    positions <- match(labels, c("no", "yes"))
  }
  if (is.null(positions) && is.factor(column) && length(labels) == 2L) positions <- 1:2
  check_that(!is.null(positions) && !is.null(labels), column, name,
             "a column of logical values, or 0 and 1, or a factor of two levels")
  codes <- positions[match(column, labels)] - 1L
  bad <- which(is.na(codes) & !is.na(column))
  if (length(bad)) abort_entry(column[bad[1]], bad[1], name)
  codes
}

abort_entry <- function(value, row, column) {
  where <- "row {format_count(row)} of column {.val {column}} is {format(value, digits = 15)}."
  if (is.na(value)) abort(paste("{.arg bits} must not have missing entries:", where), "missing")
  abort(paste("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only:", where), "level")
}

#' @export
c.rr_cooccurrence <- function(...) {
  chunks <- list(...)
  first <- chunks[[1]]
  kind <- function(x) {
    list(
      class(x),
      unclass(x)[c("columns", "order", "mechanism")],
      unclass(x)$more$members
    )
  }
  if (!all(
      vapply(
        chunks, function(chunk) is.list(chunk) && identical(kind(chunk), kind(first)),
        NA
      )
    )) {
    abort(
      "Joint counts must be of the same columns, order, further sets and mechanisms to be merged.",
      "mismatch"
    )
  }
  add <- function(values) Reduce(`+`, lapply(chunks, values))
  first$values <- add(function(chunk) chunk$values)
  if (!is.null(first$scores)) {
    first$scores$second <- add(function(chunk) chunk$scores$second)
  }
  if (!is.null(first$more)) {
    first$more$values <- add(function(chunk) chunk$more$values)
  }
  first$n <- first$values[1]
  first$missing <- add(function(chunk) chunk$missing)
  first
}

# ---- in a database: the engine adds up, R gets one number for each set of columns ----

cooccurrence_database <- function(data, order, sets, na.rm) {
  data <- dplyr::ungroup(data)
  names <- check_set_names(names(table_columns(data)), "bits")
  d <- length(names)
  order <- check_order(order %||% min(2, d), d)
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  members <- .Call(C_rr_sets, d, order, 1, set_total(d, order) - 1)
  wanted <- c(member_columns(members), if (!is.null(more)) member_columns(more))
  counted <- from_database(sum_products(data, names, wanted, na.rm))
  if (counted$n == 0) {
    abort("{.arg bits} must have rows without missing values: there is nothing to count.", "empty")
  }
  inform_dropped(counted$missing)
  index <- seq_len(ncol(members))
  new_rr_histogram(
    "cooccurrence",
    names,
    order,
    c(counted$n, counted$sums[index]),
    more = if (!is.null(more)) {
      list(members = more, values = counted$sums[-index])
    },
    missing = counted$missing
  )
}

# The positions of the columns of each set.
member_columns <- function(members) {
  lapply(seq_len(ncol(members)), function(s) {
    members[members[, s] >= 0L, s] + 1L
  })
}

# The sums SUM(a), SUM(a * b), ... of a database: the factors are 0 or 1, which the first sums count
# for every column.
sum_products <- function(data, names, wanted, na.rm) {
  connection <- dbplyr::remote_con(data)
  bits <- quote_names(names, connection)
  sums <- c(
    sprintf("SUM(CASE WHEN %s IS NULL THEN 1 ELSE 0 END)", bits),
    sprintf("SUM(CASE WHEN %s = 0 OR %s = 1 THEN 0 ELSE 1 END)", bits, bits),
    vapply(
      wanted, function(index) sprintf("SUM(%s)", paste(bits[index], collapse = " * ")), ""
    )
  )
  flag <- free_names("complete", names)
  # Some engines do not multiply logical values.
  types <- DBI::dbGetQuery(connection, dbplyr::sql_render(dplyr::filter(data, 0L == 1L)))
  logical <- names[vapply(types, is.logical, NA)]
  if (length(logical)) {
    data <- dplyr::mutate(
      data, dplyr::across(dplyr::all_of(logical), ~ ifelse(.x, 1L, 0L))
    )
  }
  # Rows without a NULL are counted apart from the others, by the same query.
  complete <- rlang::expr(
    ifelse(dplyr::if_any(dplyr::all_of(!!names), is.na), 0L, 1L)
  )
  if (na.rm) {
    data <- dplyr::mutate(data, !!!setNames(list(complete), flag))
  }
  counted <- batched_sums(data, sums, if (na.rm) flag, names)
  index <- which((counted$flag %||% rep(1, length(counted$n))) == 1)
  n <- sum(counted$n[index])
  values <- if (n > 0) {
    counted$values[index, ]
  } else {
    numeric(length(sums))
  }
  d <- length(names)
  incomplete <- which(values[seq_len(d)] > 0)
  if (length(incomplete)) {
    abort(
      "{.arg bits} must not have missing entries: {.val {names[incomplete[1]]}} has NULL.",
      "missing"
    )
  }
  odd <- which(values[d + seq_len(d)] > 0)
  if (length(odd)) {
    abort(
      "{.arg bits} must hold 0 and 1 only: {.val {names[odd[1]]}} holds something else.", "level"
    )
  }
  list(
    n = n,
    sums = unname(values[-seq_len(2 * d)]),
    missing = sum(counted$n) - n
  )
}

# The sums, with the number of rows, for each value of the column `flag`. One query has as many sums
# as it has room for.
batched_sums <- function(data, sums, flag, names) {
  all <- free_names(paste0("sum", seq_along(sums)), names)
  total <- free_names("n", names)
  number <- setNames("COUNT(*)", total)
  chunks <- lapply(
    split(seq_along(all), (seq_along(all) - 1L) %/% query_width),
    function(these) {
      query <- group_query(
        data, flag, c(number, setNames(sums[these], all[these]))
      )
      lapply(run_query(data, query), function(x) as.double(plain_numbers(x)))
    }
  )
  numbers <- chunks[[1]][[total]]
  if (!all(
      vapply(chunks, function(chunk) identical(chunk[[total]], numbers), NA)
    )) {
    abort("The database table must not change while it is counted.", "database")
  }
  values <- do.call(
    cbind,
    lapply(chunks, function(chunk) {
      do.call(cbind, chunk[intersect(all, names(chunk))])
    })
  )
  list(
    n = numbers,
    values = values,
    flag = if (!is.null(flag)) chunks[[1]][[flag]]
  )
}
