# Reports where they lie: the engine groups and adds up, R gets one row for each report and group that occurs.

#' @rdname rr_tally
#' @export
rr_tally.tbl_lazy <- function(x, mechanism, ..., column = NULL, weights = NULL, by = NULL, na.rm = FALSE,
                              match = c("exact", "relaxed")) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  asked <- tally_query(x, mechanism, column, by, weights)
  rows <- run_query(x, asked$query, c(asked$answers, asked$keys, asked$weight))
  tally_answer(rows, mechanism, asked, na.rm, match)
}

# ---- running a query ----

# One query, all of its rows or an error: nothing half is ever returned.
run_query <- function(data, query, columns) {
  connection <- dbplyr::remote_con(data)
  if (inherits(connection, "TestConnection")) {
    abort(c("This table has no connection that could run the query.",
            i = "{.fn rr_query} gives its text; what an engine makes of it goes to {.fn rr_counts}."), "database")
  }
  problem <- NULL
  rows <- withCallingHandlers(
    tryCatch(DBI::dbGetQuery(connection, query), error = function(e) problem <<- conditionMessage(e)),
    # An engine without column types gave values of several types: the driver keeps one of them and spoils the rest.
    warning = function(w) {
      if (!grepl("mixed type", conditionMessage(w), fixed = TRUE)) return()
      abort(c("A column of the database table must hold values of one type.", x = "{conditionMessage(w)}"), "argument")
    }
  )
  if (is.null(problem)) return(as_plain_frame(rows))
  abort(c("The database did not answer the query. Nothing was counted.", x = "{problem}",
          i = "The query asks for the columns {.val {columns}}."), "database")
}

empty_rows <- function(data, columns) {
  empty <- dplyr::filter(dplyr::select(dplyr::ungroup(data), !!!rlang::syms(columns)), 0L == 1L)
  DBI::dbGetQuery(dbplyr::remote_con(data), dbplyr::sql_render(empty))
}

# ---- from rows to a tally ----

# The rows may come in any order, and twice: they are added up by their keys. `asked` says which columns are what.
tally_answer <- function(rows, mechanism, asked, na.rm, match = "exact") {
  rows[] <- lapply(rows, plain_numbers)
  # The rows of a long table are of reports (part 2), or of what they say.
  times <- if (asked$form == "long") ifelse(rows$part == 2, rows$n, 0) else as.double(rows$n)
  if (sum(times) == 0) {
    abort("There must be at least one report: all counts are 0.", "empty")
  }
  sums <- if (!is.null(asked$weight)) weight_columns(rows)
  count <- function(answers, groups, weights, na.rm, match) {
    count_answer(answers$reports, mechanism, asked, answers$times, groups, weights, na.rm, match)
  }
  tally_answers(list(reports = rows, by = as.list(rows)[asked$keys], times = times, weights = sums$weight_sum,
                     squares = sums$weight_squares, count = count), mechanism, na.rm, match)
}

# The counts of rows, and which of them are `dropped` because their report is missing. Sums and long tables are read as
# numbers to be added up: `value`, in which `place` of the counts, of which `row`.
count_answer <- function(rows, mechanism, asked, times, groups, weights, na.rm, match) {
  cells <- switch(asked$form, categories = , rows = list(gone = lapply(rows[asked$answers], is.na)),
                  long = read_long(rows, mechanism, asked, times), read_sums(rows, mechanism, asked, times, weights))
  gone <- Reduce(`|`, cells$gone, logical(nrow(rows)))
  if (any(gone) && !na.rm) {
    name <- names(cells$gone)[vapply(cells$gone, any, NA)][1]
    abort(c("{.val {name}} must not have missing reports.",
            x = "{format_count(sum(times[cells$gone[[name]]]))} of {format_count(sum(times))} are NULL.",
            i = "Use {.code na.rm = TRUE} to drop them."), "missing")
  }
  if (is.null(cells$place)) {
    counts <- count_rows(rows[!gone, asked$answers, drop = FALSE], mechanism, asked$form, times[!gone], groups[!gone],
                         weights[!gone], match)
  } else {
    row <- cells$row %||% seq_along(times)
    counts <- .Call(C_rr_tally, replace(cells$place, gone[row], NA), 1L, as.double(length(mechanism$reports)),
                    groups[row], as.double(max(1L, groups)), as.double(cells$value %||% weights), TRUE)$counts
  }
  list(counts = counts, dropped = which(gone))
}

# Rows of answers are counted as one report each, with a weight. The row of a query has no place in the table: an error
# tells it by what it holds.
count_rows <- function(rows, mechanism, form, times, groups, weights, match) {
  single <- form == "categories" && is.null(mechanism$questions)
  tryCatch(count_answers(if (single) rows[[1]] else as_plain_frame(rows), mechanism, groups, weights, FALSE,
                         match)$counts,
           candor_error_report = function(e) abort_row(e, rows, times),
           candor_error_level = function(e) abort_stray(e, rows, mechanism, times))
}

abort_stray <- function(e, rows, mechanism, times) {
  for (name in names(rows)) {
    part <- if (is.null(mechanism$questions)) mechanism else mechanism$questions[[name]]
    x <- plain_reports(rows[[name]], part)
    # Fractions cannot be codes. As text they appear as given.
    if (is.double(x) && any(x != floor(x))) x <- number_text(x)
    # The same message whatever the order of the rows.
    order <- order(as.character(x), method = "radix")
    unknown <- unknown_reports(x[order], part, times[order])
    if (!unknown$total) next
    line <- unknown_line(unknown, "A report")
    abort(c("{.val {name}} must hold reports of this mechanism.",
            x = "{line}", i = "{wanted_answers(x, part)}",
            i = if (unknown$relaxed) "{.code match = \"relaxed\"} ignores case and surrounding space."), "level")
  }
  rlang::cnd_signal(e)
}

# ---- sums of weights, by a database or by running the text of rr_query() ----

# What rr_query() makes of weights: their sums, squares and number, NULL in a table of plain counts.
weight_columns <- function(rows) {
  if (!all(query_columns[c("n", "sum", "squares")] %in% names(rows))) return(NULL)
  sums <- lapply(rows[intersect(query_columns, names(rows))], plain_numbers)
  odd <- which(!vapply(sums, function(x) is.numeric(x) && !is.object(x) || all(is.na(x)), NA))
  if (length(odd)) {
    abort(c("Sums of {.arg weights} must be numbers.",
            x = "{.val {names(odd)[1]}} is {describe_kind(sums[[odd[1]]][1])}."),
          "argument")
  }
  sums <- lapply(sums, as.double)
  check_weight_sums(list(n = sums$n, squares = sums$weight_squares, missing = sums$weight_missing,
                         min = sums$weight_min, max = sums$weight_max))
  sums
}

# `missing`, `min` and `max` may be absent if somebody else made the sums.
check_weight_sums <- function(sums) {
  least <- min(Inf, sums$min)
  most <- max(sums$max, sums$squares)
  problem <- if (sum(sums$missing) > 0) sprintf("%s of %s are NULL", format_count(sum(sums$missing)),
                                                format_count(sum(sums$n)))
    else if (is.na(least) || least < 0) paste("The least is", number_text(least))
    else if (!is.finite(most)) paste("The largest is", most)
  if (!is.null(problem)) abort(c("{.arg weights} must be finite and at least 0.", x = "{problem}."), "argument")
}

# What is asked: the text of the query, the columns of the answers and of the groups, and that of the weights or NULL.
tally_query <- function(data, mechanism, column, by, weights) {
  frame <- table_columns(data)
  check_countable(mechanism)
  keys <- unique(c(dplyr::group_vars(data), frame_names(frame, by, "by") %||% refuse_vector(by, "by")))
  name_groups(as.list(frame)[keys], mechanism)
  weight <- frame_names(frame, weights, "weights", one = TRUE) %||% refuse_vector(weights, "weights")
  answers <- report_columns(frame, mechanism, column, c(keys, weight))
  if (any(answers %in% keys)) {
    abort(c("The reports must not be groups as well.", x = "{.val {intersect(answers, keys)}} is both."), "argument")
  }
  form <- report_form(mechanism, answers)
  check_free_names(c(answers, keys), c(query_columns, if (form == "long") c("part", long_sums, long_sizes)))
  if (form %in% sum_forms) return(sum_query(data, mechanism, form, answers, keys, weight))
  if (form == "long") return(long_query(data, mechanism, answers, keys, weight))
  sums <- c(n = "COUNT(*)", if (!is.null(weight)) weight_sums(data, weight))
  list(query = group_query(data, c(answers, keys), sums), answers = answers, keys = keys, weight = weight, form = form)
}

#' The query that tallies a database table
#'
#' A tally is a `GROUP BY`. `rr_query()` gives the SQL text that [rr_tally()] runs on a database table, but does not run it. The text is in the dialect of the
#' table's connection, which may be simulated by dbplyr; without a connection it is standard SQL. [rr_counts()] turns the result, as a data frame, into the same tally.
#' The engine groups and adds up; no single report leaves it.
#'
#' @param data A table of package dbplyr (`tbl_lazy`): `dplyr::tbl(connection, "name")`, perhaps filtered, or
#'   `dbplyr::lazy_frame(answer = "", con = dbplyr::simulate_hive())` for an engine that R is not connected to: only the names
#'   of its columns matter then. Names are in backticks for Hive and Spark, Impala, MySQL, SQLite and Access, else in the double quotes of standard SQL.
#' @param mechanism How the answers were randomised.
#' @param column The column that holds the reports: its name, or a formula such as `~ answer`. Not needed where it is the only column beside
#'   those of `by` and `weights`, nor for several questions ([rr_product()]), whose names are the columns.
#' @param by The columns of the groups, by name or as a formula such as `~ region + year`; the groups of `dplyr::group_by()` come first.
#' @param weights The column of the survey weights, by name or as a formula.
#' @param ... Not used, and refused.
#' @section Reports of the protocols:
#' They are counted by the engine in these forms. The first that fits the columns is taken.
#'
#' | mechanism | columns | query |
#' |---|---|---|
#' | [rr_hadamard()] | one of whole numbers | `GROUP BY` that number |
#' | [rr_hadamard()] of one bit | `index`, `sign` | `GROUP BY` both |
#' | [rr_local_hash()] | `slope`, `shift`, `value`, or `cohort`, `value` | `GROUP BY` all of them |
#' | [rr_sample_questions()], [rr_hierarchy()] | `question` or `depth`, and those of the reports | `GROUP BY` all of them |
#' | [rr_unary()], [rr_subset()] | one of 0 and 1 for each category, named like it | `SUM` of each |
#' | [rr_unary()], [rr_subset()] | `id` and `level`: a row for each category that a report supports | `GROUP BY level`, and the reports by their number of rows |
#' | [rr_unary()], [rr_subset()] | one of hexadecimal text, as `as.character()` of the reports gives it | `SUM` of each bit |
#' | [rr_bitflip()] | `position_1`, `position_2`, ... up to `d`, negative where the bit is 0 | `SUM` of each bucket's ones and zeros |
#' | [rr_bitflip()] | `id`, `level` and `bit`: a row for each bucket that a report is about | `GROUP BY level, bit`, and the reports by their number of rows |
#' | [rr_bitflip()] | one of 0 and 1 for each bucket, named like it, `NULL` where it was not drawn | `SUM` of each bucket's ones and zeros |
#' | [rr_bloom()], [rr_sketch_counts()] | `cohort`, and `bits`, hexadecimal text | `SUM` of each bit, `GROUP BY cohort` |
#' | [rr_bloom()], [rr_sketch_counts()] | `cohort`, and `bit_1`, `bit_2`, ... of 0 and 1 | the same |
#' | [rr_bloom()], [rr_sketch_counts()] | `id`, `cohort` and `level`: a row for each bit that is 1, with its number | `GROUP BY level, cohort`, and the reports by their number of rows |
#' | [rr_sketch_counts()] of one bit | `cohort`, `index`, `sign` | `GROUP BY` all of them |
#' | [rr_mean()] | one of numbers | `SUM` of the numbers and of their squares, as shares of the range of reports; of [rr_scramble()] also of third and fourth powers |
#'
#' A sum has the name of its category (of its report, for [rr_bitflip()] and [rr_mean()]; of its column, `bit_1` and so on, for [rr_bloom()]);
#' `reports_wrong` is the number of reports that the mechanism cannot give. The long forms, with an `id`, are counted by one
#' statement of two parts, the levels and the reports, and take no weights. In them a report that has no bit of 1 must have a row too, whose `level`
#' is `NULL`; the rows of one `id` must be of one group. Several different reports are rarely alike where `slope` and `shift` were drawn from many: the engine then returns about one
#' row for each, which R counts.
#' @section Upper and lower case:
#' `"b"` and `"B"` are different reports, groups and ids, whatever the collation of their column: SQLite, MySQL, MariaDB and SQL Server
#' compare their bytes. In PostgreSQL a column of type `citext`, or of a collation that is not deterministic, must be made text of collation `"C"` first.
#' @return SQL text of class `sql`. The query gives one row for each report (or cell of several questions) and group that occurs: the columns of
#'   reports and groups under their own names, the number of reports `n` and, with weights, `weight_sum`, the sum of squares
#'   `weight_squares`, how many weights are NULL `weight_missing`, and the extremes `weight_min` and `weight_max`.
#' @section Errors:
#' `candor_error_argument` where `data` is no database table, a column is not there or is called as one that the query makes;
#' `candor_error_law` for reports that an engine cannot count; `candor_error_too_large` for more than 1500 sums; `candor_error_package` without dbplyr.
#' @seealso [rr_tally()], which runs it.
#' @references Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7: the sums of weights and of their squares are what the effective number needs.
#' @examplesIf requireNamespace("dbplyr", quietly = TRUE)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' reports <- dbplyr::lazy_frame(answer = "", region = "", w = 1, con = dbplyr::simulate_hive())
#' rr_query(reports, mechanism, column = "answer", by = "region", weights = "w")
#'
#' # What an engine gave back, here typed in
#' answer <- data.frame(answer = c("often", "never", "once"), n = c(120, 610, 270))
#' rr_counts(answer, mechanism)
#' @export
rr_query <- function(data, mechanism, column = NULL, by = NULL, weights = NULL, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  if (!inherits(data, "tbl_lazy")) {
    abort(c("{.arg data} must be a database table, such as {.code dplyr::tbl(connection, \"reports\")}.",
            x = "It is {describe(data)}."), "argument")
  }
  standard_names(tally_query(data, mechanism, column, by, weights)$query, dbplyr::remote_con(data))
}
