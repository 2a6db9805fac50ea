# The queries of reports that are no categories: a few numbers, which the engine groups; bits, which
# it adds up; or a row for each category that a report supports.

report_form <- function(mechanism, answers) {
  forms <- stored_forms(mechanism)
  if (is.null(forms)) return("categories")
  if ("rows" %in% names(forms$columns)) return("rows")
  form <- names(Filter(function(columns) identical(answers, columns), forms$columns))
  if (length(form)) return(form[1])
  if (length(answers) == 1L && !is.null(forms$alone)) return(forms$alone)
  abort("The table must hold the reports in a form that {.fn rr_query} describes.")
}

# ---- long tables ----

# What the query says of the reports: how many rows they have, how many of them support nothing,
# have a wrong number of rows, have a level twice, have no id.
long_sums <- c("level_rows", "reports_empty", "reports_wrong", "reports_twice", "reports_lost")

# Of one report: its rows, those that support nothing, its different levels.
long_sizes <- c("row_number", "row_empty", "row_levels")

# The row of a query has no place in the table: it is told by what it holds.
abort_row <- function(e, reports, times, class) {
  if (is.null(e$position)) rlang::cnd_signal(e)
  row <- vapply(reports, function(x) as.character(x[e$position]), "")
  abort(c("The database table must hold reports of this mechanism.",
          x = paste("The report {.val {paste(names(row), row, sep = ' = ', collapse = ', ')}},",
                    "given {number_of(times[e$position], 'time')}, {e$problem}.")), class)
}

# ---- bits: sums ----

# Each row is of one cohort and group: its numbers, and last how many reports it has, stand in the
# place of the cohort.
read_sums <- function(rows, mechanism, asked, times, weight) {
  gone <- rows$reports_missing == 1
  refuse_wrong(
    sum(as.double(rows$reports_wrong[!gone])), sum(times[!gone])
  )
  numbers <- matrix(as.double(unlist(rows[asked$sums])), nrow(rows))
  first <- numeric(nrow(rows))
  if (!is.null(asked$split)) {
    numbers <- cbind(numbers, weight)
    first[!gone] <- cohort_places(
      rows[!gone, "cohort", drop = FALSE], ncol(numbers), mechanism, times[!gone]
    )
  }
  numbers[gone, ] <- 0
  list(
    gone = gone,
    row = as.vector(row(numbers)),
    place = as.integer(first[row(numbers)] + col(numbers)),
    value = numbers
  )
}

# After which place of the counts those of each row's cohort begin.
cohort_places <- function(cohort, block, mechanism, times) {
  place <- tryCatch(
    check_numbers(column_numbers(cohort$cohort), "cohort", mechanism$codec$numbers$cohort),
    candor_error_report = function(e) abort_row(e, cohort, times, "report")
  )
  (place - 1) * block
}

refuse_wrong <- function(number, total, what = "reports") {
  if (number > 0) {
    abort(
      "{format_count(number)} of {format_count(total)} {what} are not valid, or appear twice.",
      "report"
    )
  }
}

# ---- long tables ----

read_long <- function(rows, mechanism, asked, times) {
  codec <- stored_codec(mechanism)
  reports <- rows$part == 2
  # SUM of no rows is NULL.
  said <- lapply(rows[reports, long_sums], function(x) {
    sum(as.double(x), na.rm = TRUE)
  })
  number <- as.double(rows$n)
  if (said$reports_lost > 0) {
    abort("{.val id} must not be NULL: it says which report a row is of.", "report")
  }
  # A statement sees one moment. An engine that reads the table twice for it, as it stands, may see
  # two.
  if (sum(number[!reports]) != said$level_rows) {
    abort("A table must not change while it is counted.", "database")
  }
  cohortless <- if (!is.null(asked$split)) number[is.na(rows$cohort)]
  refuse_wrong(sum(said$reports_twice, said$reports_wrong, cohortless), sum(times))
  check_empty_reports(mechanism, sum(times), said$reports_empty)
  place <- match_long(rows$level, codec)
  place[!place %in% seq_along(codec$levels)] <- NA
  stray <- !is.na(rows$level) & is.na(place)
  if ("bit" %in% asked$answers) {
    stray <- stray | (!reports & !rows$bit %in% 0:1)
    place <- place + ifelse(rows$bit == 1, 0, length(codec$levels))
  }
  refuse_wrong(sum(number[stray]), sum(number[!reports]), "rows")
  # The bits of a cohort, then how many reports it has.
  if (!is.null(asked$split)) {
    block <- length(codec$levels) + 1
    place[reports] <- block
    place <- place + cohort_places(rows["cohort"], block, mechanism, number)
  }
  list(place = as.integer(place), value = number)
}
