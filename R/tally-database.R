# Reports where they lie: the engine groups and adds up, R gets one row for each report and group that occurs.

#' @rdname rr_tally
#' @export
rr_tally.tbl_lazy <- function(x, mechanism, ..., column = NULL, weights = NULL, by = NULL, na.rm = FALSE,
                              match = c("exact", "relaxed")) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  match <- check_choice(match, "match", c("exact", "relaxed"))
  asked <- tally_query(x, mechanism, column, by, weights)
  columns <- c(asked$answers, asked$keys, asked$weight)
  rows <- run_query(x, asked$query, columns)
  if (asked$form %in% sum_forms) return(tally_sums_of(rows, mechanism, asked, na.rm))
  if (asked$form == "long") return(tally_long(rows, run_query(x, asked$reports, columns), mechanism, asked, na.rm))
  tally_grouped(rows, mechanism, asked, na.rm, match)
}

# ---- running a query ----

# One query, all of its rows or an error: nothing half is ever returned. Where the engine refuses it, the message tells
# what the columns are.
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
  said <- sub("\\s+$", "", strsplit(problem, "\n", fixed = TRUE)[[1]])
  said <- utils::head(said[nzchar(said)], 4L)
  kinds <- tryCatch(table_types(data, columns), error = function(e) NULL)
  abort(c("The database did not answer the query.",
          stats::setNames(sprintf("{said[%d]}", seq_along(said)), rep("x", length(said))),
          i = if (length(kinds)) "The columns are: {kinds}.",
          i = "Nothing was counted. {.fn rr_query} shows the query."), "database")
}

# "answer (character), w (numeric)", as the engine says without reading a row.
table_types <- function(data, columns) {
  rows <- empty_rows(data, columns)
  kinds <- sprintf("%s (%s)", names(rows), vapply(rows, function(x) class(x)[1], ""))
  more <- if (length(kinds) > 20) sprintf("and %s more", format_count(length(kinds) - 20))
  paste(c(utils::head(kinds, 20), more), collapse = ", ")
}

empty_rows <- function(data, columns) {
  empty <- dplyr::filter(dplyr::select(dplyr::ungroup(data), !!!rlang::syms(columns)), 0L == 1L)
  DBI::dbGetQuery(dbplyr::remote_con(data), dbplyr::sql_render(empty))
}

# ---- from rows to a tally ----

# The rows may come in any order, and twice: they are added up by their keys. `asked` says which columns are what.
tally_grouped <- function(rows, mechanism, asked, na.rm, match = "exact") {
  if (!nrow(rows)) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  times <- as.double(plain_numbers(rows[[query_columns[["n"]]]]))
  weighted <- !is.null(asked$weight)
  sums <- if (weighted) row_weights(rows, times) else list(weight = times)
  left <- keep_grouped(rows, asked$keys, times, na.rm, sums)
  rows <- left$rows
  times <- left$times
  sums <- left$sums
  if (identical(asked$form, "rows")) {
    return(tally_numbers(rows, mechanism, asked, times, sums, left$dropped, na.rm))
  }
  answers <- row_answers(rows[asked$answers], mechanism, match)
  coded <- code_answers(answers, mechanism, times, na.rm, match)
  missing <- sum(times[is.na(coded)])
  if (missing > 0) cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
  if (missing == sum(times)) abort_dropped("All {format_count(missing)} reports are NULL.")

  by <- if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism)
  groups <- make_groups(by, nrow(rows))
  tell_blank_groups(groups$keys)
  counted <- .Call(C_rr_tally, coded, 1L, as.double(length(mechanism$reports)), groups$codes,
                   as.double(max(1L, groups$n)), as.double(sums$weight), TRUE)
  counts <- if (is.null(groups)) counted$counts else matrix(counted$counts, ncol = groups$n)
  total <- function(each) {
    each[is.na(coded)] <- 0
    if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  }
  if (weighted) check_total(tally_sums(counts), "weights")
  new_rr_tally(mechanism, counts, groups = groups$keys, missing = missing + left$dropped,
               weight_squares = if (weighted) total(sums$squares), respondents = if (weighted) total(times))
}

# The answers as plain columns. Numbers with a fraction are no codes: as text they are found, with their number, as what
# they are.
row_answers <- function(answers, mechanism, match) {
  parts <- mechanism$questions %||% list(mechanism)
  answers <- Map(function(x, part) {
    x <- plain_reports(x, part)
    if (is.double(x) && !is.object(x) && any(x != floor(x), na.rm = TRUE)) x <- number_text(x)
    if (match == "relaxed") relax_labels(x, part) else x
  }, answers, parts)
}

# The 1-based category (cell, of several questions) of each row, NA where an answer is missing.
code_answers <- function(answers, mechanism, times, na.rm, match) {
  questions <- mechanism$questions
  code <- function(x, part, name) {
    coded <- encode_reports(x, part)
    place <- as.integer(coded$codes) - coded$first + 1L
    stray <- which(!is.na(place) & (place < 1L | place > length(part$reports)))
    if (length(stray)) abort_stray(x, part, times, name, match)
    gone <- sum(times[is.na(place)])
    if (gone > 0 && !na.rm) abort_null(name, gone, sum(times))
    place
  }
  if (is.null(questions)) return(code(answers[[1]], mechanism, names(answers)))
  places <- Map(code, answers, questions, names(answers))
  strides <- cumprod(c(1, mechanism$report_sizes))
  as.integer(Reduce(`+`, Map(function(place, stride) (place - 1) * stride, places, strides[seq_along(places)])) + 1)
}

abort_stray <- function(x, mechanism, times, name, match) {
  # The same message whatever the order of the rows.
  order <- order(as.character(x), method = "radix")
  unknown <- unknown_reports(x[order], mechanism, times[order])
  lines <- unknown_lines(unknown, "A report", "reports")
  abort(c("{.val {name}} must hold reports of this mechanism.",
          stats::setNames(sprintf("{lines[%d]}", seq_along(lines)), names(lines)), i = "{wanted_answers(x, mechanism)}",
          i = if (unknown$relaxed && match == "exact") {
            "{.code match = \"relaxed\"} ignores case and surrounding space."
          }),
        "level")
}
