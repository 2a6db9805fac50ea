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
  tally_answer(rows, mechanism, asked, na.rm, match)
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

# The rows may come in any order, and twice: they are added up by their keys. `asked` says which columns are what. Each
# form is read as numbers to be added up: `value`, in which `place` of the counts, of which `row` of the answer.
tally_answer <- function(rows, mechanism, asked, na.rm, match = "exact") {
  rows[] <- lapply(rows, plain_numbers)
  form <- asked$form
  times <- if (form == "long") ifelse(rows$part == 2, rows$n, 0) else as.double(rows$n)
  if (sum(times) == 0) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  weighted <- !is.null(asked$weight)
  left <- keep_grouped(rows, asked$keys, times, na.rm, if (weighted) row_weights(rows, times) else list(weight = times))
  rows <- left$rows
  times <- left$times
  weight <- left$sums$weight
  cells <- switch(form, categories = read_categories(rows, mechanism, asked, times, match),
                  rows = list(gone = lapply(rows[asked$answers], is.na)),
                  long = read_long(rows, mechanism, asked, times), read_sums(rows, mechanism, asked, times, weight))
  gone <- Reduce(`|`, cells$gone, logical(nrow(rows)))
  missing <- sum(times[gone])
  if (missing > 0) {
    name <- names(cells$gone)[vapply(cells$gone, any, NA)][1]
    if (!na.rm) abort_null(name, sum(times[cells$gone[[name]]]), sum(times))
    cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
    if (missing == sum(times)) abort_dropped("All {format_count(missing)} reports are NULL.")
  }
  groups <- make_groups(if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism), nrow(rows))
  tell_blank_groups(groups$keys)
  k <- length(mechanism$reports)
  number <- max(1L, groups$n)
  row <- cells$row %||% seq_along(times)
  counts <- if (form == "rows") {
    count_numbers(as_plain_frame(rows[!gone, asked$answers, drop = FALSE]), mechanism, times[!gone],
                  groups$codes[!gone], weight[!gone])
  } else {
    .Call(C_rr_tally, replace(cells$place, gone[row], NA), 1L, as.double(k), groups$codes[row], as.double(number),
          as.double(cells$value %||% weight), TRUE)$counts
  }
  # A last group all of whose reports are missing has no count.
  counts <- c(counts, numeric(k * number - length(counts)))
  total <- function(each) {
    each[gone] <- 0
    if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  }
  if (weighted) check_total(total(weight), "weights")
  new_rr_tally(mechanism, if (is.null(groups)) counts else matrix(counts, k), groups = groups$keys,
               missing = missing + left$dropped, n = total(weight),
               weight_squares = if (weighted) total(left$sums$squares), respondents = if (weighted) total(times))
}

# ---- categories ----

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
read_categories <- function(rows, mechanism, asked, times, match) {
  answers <- row_answers(rows[asked$answers], mechanism, match)
  places <- Map(function(x, part, name) {
    coded <- encode_reports(x, part)
    place <- as.integer(coded$codes) - coded$first + 1L
    if (any(place < 1L | place > length(part$reports), na.rm = TRUE)) abort_stray(x, part, times, name, match)
    place
  }, answers, mechanism$questions %||% list(mechanism), asked$answers)
  strides <- c(1, cumprod(mechanism$report_sizes))
  list(gone = stats::setNames(lapply(places, is.na), asked$answers),
       place = as.integer(Reduce(`+`, Map(function(place, stride) (place - 1) * stride, places,
                                          strides[seq_along(places)])) + 1))
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
