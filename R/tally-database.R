# Tallies of database tables: the engine groups and adds up, R gets one row for each report and
# group that occurs.

#' @rdname rr_tally
#' @export
rr_tally.tbl_lazy <- function(
  x,
  mechanism,
  ...,
  column = NULL,
  count = NULL,
  weights = NULL,
  by = NULL,
  id = NULL,
  na.rm = FALSE
) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  query <- from_database(tally_query(x, mechanism, column, by, weights, count, id))
  if (!is.null(query$count)) {
    refuse_times(run_query(x, times_query(x, query$count)))
  }
  if (!is.null(query$copies)) inform_stored_copies(x, query$copies)
  # A wrong form shows in the first rows, before the long query.
  if (!is.null(query$first_wrong) && is.null(query$copies)) {
    first <- run_query(x, query$first_wrong, n = 3L)
    if (nrow(first)) {
      abort_wrong(
        "The first reports of the table are not all valid.", report_rule(mechanism, query), first
      )
    }
  }
  query$find_wrong <- function() run_query(x, query$wrong, n = 3L)
  rows <- run_query(x, query$sql)
  tally_answer(rows, mechanism, query, na.rm)
}

# ---- running a query ----

# All rows of one query, or its first `n`, or an error: never a half of them.
run_query <- function(data, query, n = -1L) {
  as_plain_frame(from_database(DBI::dbGetQuery(dbplyr::remote_con(data), query, n = n)))
}

# The value of `code`, whose errors become errors of the database unless they are candor's. Engines
# and drivers may fail while a query is written, too: drivers ask the server how to quote a name.
from_database <- function(code) {
  withCallingHandlers(
    code,
    error = function(e) {
      if (inherits(e, "candor_error")) return()
      abort(
        c(
          "The database did not answer the query. Nothing was counted.", x = "{conditionMessage(e)}"
        ),
        "database"
      )
    },
    warning = function(w) {
      if (!grepl("mixed type", conditionMessage(w), fixed = TRUE)) return()
      abort(c(
        "A column of the database table must hold values of one type.", x = "{conditionMessage(w)}"
      ))
    }
  )
}

# The message of the copies that a query leaves out, or an error if an identifier is that of
# different reports. `queries` are those of copy_queries().
inform_stored_copies <- function(data, queries) {
  columns <- run_query(data, queries$numbers)
  numbers <- lapply(columns, function(x) as.double(plain_numbers(x)))
  if (isTRUE(numbers$n_blank > 0)) {
    abort(c(
      "{.arg id} must be a column without missing or empty identifiers.",
      x = "Rows without an identifier: {format_count(numbers$n_blank)}."
    ))
  }
  if (isTRUE(numbers$n_differing > 0)) {
    abort_shared_ids(run_query(data, queries$differing, n = 3L)[[1]], numbers$n_differing)
  }
  inform_copies(max(0, numbers$n_rows - numbers$n_ids, na.rm = TRUE))
}

# ---- from rows to a tally ----

# An error if numbers of reports are not whole, as check_times() has it in memory. `result` is the
# answer of times_query().
refuse_times <- function(result) {
  largest <- plain_numbers(result$max)
  check_that(is_numbers(largest) || is.na(largest), largest, "count", "a column of numbers")
  wrong <- result$n
  if (isTRUE(wrong > 0)) {
    abort(
      paste(
        "{.arg count} must be whole numbers of at least 0. Rows of the table without one:",
        "{format_count(wrong)}."
      )
    )
  }
}

# The tally of the rows of a query, in any order. Rows with the same keys are added up. `query` has
# the names of the columns, see tally_query().
tally_answer <- function(rows, mechanism, query, na.rm) {
  rows[] <- lapply(rows, plain_numbers)
  # The rows of a long table are reports (part 2), or the levels of these (part 1).
  times <- if (query$layout == "long") {
    ifelse(rows$part == 2, rows$n, 0)
  } else {
    as.double(rows$n)
  }
  if (!is.null(query$count) && any(times != floor(times))) {
    abort("{.arg count} must be whole numbers of at least 0.")
  }
  sums <- if (!is.null(query$weight)) weight_columns(rows)
  count <- function(answers, groups, weights, na.rm) {
    count_answer(answers$reports, mechanism, query, answers$times, groups, weights, na.rm)
  }
  tally_answers(
    list(
      reports = rows,
      by = as.list(rows)[query$keys],
      times = times,
      weights = sums$weight_sum,
      squares = sums$weight_squares,
      count = count
    ),
    mechanism, na.rm
  )
}

# list(counts, dropped): the counts of rows, and the positions of rows whose report is missing. Sums
# and long tables are read as numbers to be added up: each `value` belongs to a `row` and to an
# `index` of the counts.
count_answer <- function(rows, mechanism, query, times, groups, weights, na.rm) {
  cells <- switch(
    query$layout,
    categories = ,
    rows = list(is_missing = Reduce(`|`, lapply(rows[query$answers], is.na))),
    long = read_long(rows, mechanism, query, times),
    read_sums(rows, mechanism, query, times, weights)
  )
  is_missing <- cells$is_missing %||% logical(nrow(rows))
  if (any(is_missing) && !na.rm) {
    abort(
      c(
        "The database table must not have missing reports.",
        i = "Use {.code na.rm = TRUE} to drop them.",
        x = "{format_count(sum(times[is_missing]))} of {format_count(sum(times))} are NULL."
      ),
      "missing"
    )
  }
  if (is.null(cells$index)) {
    counted <- count_rows(
      rows[!is_missing, query$answers, drop = FALSE], mechanism, query, times[!is_missing],
      groups[!is_missing], weights[!is_missing]
    )
    return(list(counts = counted$counts, dropped = which(is_missing), blocks = counted$blocks))
  }
  row <- cells$row %||% seq_along(times)
  counts <- .Call(
    C_rr_tally, replace(cells$index, is_missing[row], NA), 1L,
    length(mechanism$reports), groups[row],
    max(1L, groups), as.double(cells$value %||% weights), TRUE
  )$counts
  list(counts = counts, dropped = which(is_missing))
}

# The counts of rows, each one report with a weight. An error names a row by its values, see
# abort_row().
count_rows <- function(rows, mechanism, query, times, groups, weights) {
  single <- query$layout == "categories" && is.null(mechanism$questions)
  tryCatch(
    count_reports(mechanism, if (single) rows[[1]] else as_plain_frame(rows), groups, weights),
    candor_error_report = function(e) abort_row(e, rows, times, "report"),
    candor_error_level = function(e) abort_row(e, rows, times, "level")
  )
}

# ---- sums of weights, by a database or by running the text of rr_query() ----

# The checked columns that rr_query() makes of weights: their sums, sums of squares and number. The
# value is NULL for a table of counts without weights.
weight_columns <- function(rows) {
  if (!all(query_columns[c("n", "sum", "squares")] %in% names(rows))) {
    return(NULL)
  }
  sums <- lapply(rows[intersect(query_columns, names(rows))], plain_numbers)
  is_sum <- vapply(
    sums, function(x) is_numbers(x) || all(is.na(x)), NA
  )
  odd <- which(!is_sum)
  if (length(odd)) abort("Sums of {.arg weights} must be numbers, {.val {names(odd)[1]}} too.")
  sums <- lapply(sums, as.double)
  # `weight_missing`, `weight_min` and `weight_max` may be absent if somebody else made the sums.
  min_weight <- min(Inf, sums$weight_min)
  max_weight <- max(0, sums$weight_max, sums$weight_squares)
  is_valid <- !is.na(min_weight) && min_weight >= 0 && is.finite(max_weight)
  if (sum(sums$weight_missing) > 0 || !is_valid) {
    abort("{.arg weights} must be finite and at least 0, and none of them NULL.")
  }
  sums
}
