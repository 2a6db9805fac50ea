# The rows of the queries of reports that are no categories, see R/tally-query-sets.R.

# ---- a few numbers: rows that are alike are counted as one report with a weight ----

count_numbers <- function(reports, mechanism, times, groups, weight) {
  tryCatch(rr_count_reports(mechanism, reports, groups = groups, weights = weight)$counts,
           candor_error_report = function(e) abort_row(e, reports, times))
}

# The row of a query has no place in the table: it is told by what it holds.
abort_row <- function(e, reports, times) {
  at <- e$position
  if (is.null(at)) rlang::cnd_signal(e)
  row <- vapply(reports, function(x) as.character(x[at]), "")
  often <- format_count(times[at])
  abort(c("The database table must hold reports of this mechanism.",
          x = paste("The report {.val {paste(names(row), row, sep = ' = ', collapse = ', ')}}, given {often}",
                    "{if (often == '1') 'time' else 'times'}, {e$problem}.")), "report")
}

# ---- bits: sums ----

# Each row is of one cohort and group: its numbers, and last how many reports it has, stand in the place of the cohort.
read_sums <- function(rows, mechanism, asked, times, weight) {
  gone <- rows$reports_missing == 1
  refuse_wrong(sum(as.double(rows$reports_wrong[!gone])), sum(times[!gone]), mechanism, asked$form)
  numbers <- matrix(as.double(unlist(rows[asked$sums])), nrow(rows))
  if (!is.null(asked$split)) numbers <- cbind(numbers, weight)
  numbers[gone, ] <- 0
  first <- numeric(nrow(rows))
  if (!is.null(asked$split)) {
    first[!gone] <- cohort_places(rows[!gone, "cohort", drop = FALSE], ncol(numbers), mechanism, times[!gone])
  }
  list(gone = stats::setNames(list(gone), asked$answers[1]), row = as.vector(row(numbers)),
       place = as.integer(first[row(numbers)] + col(numbers)), value = numbers)
}

# After which place of the counts those of each row's cohort begin.
cohort_places <- function(cohort, block, mechanism, times) {
  read <- tryCatch(read_columns(cohort, list(cohort = c(1, mechanism$cohorts)), FALSE),
                   candor_error_report = function(e) abort_row(e, cohort, times))
  (read$reports$cohort - 1) * block
}

refuse_wrong <- function(number, total, mechanism, form) {
  if (number == 0) return(invisible())
  k <- mechanism$bits_number %||% length(mechanism$levels)
  d <- format_count(mechanism[["d"]] %||% 1)
  what <- switch(form,
    number = "a number that an answer can produce",
    positions = sprintf("%s different position%s from 1 to %s, negative where the bit is 0", d,
                        if (d == "1") "" else "s", format_count(k)),
    bits = if (inherits(mechanism, "rr_bitflip")) sprintf("0 or 1 in %s of its columns, NULL in the others", d)
      else "0 or 1 in each column",
    sprintf("%s hexadecimal digits, no bit beyond the last of %s %s", format_count(2 * ((k + 7) %/% 8)),
            format_count(k), if (is.null(mechanism$bits_number)) "categories" else "bits")
  )
  size <- if (!is.null(mechanism$size)) sprintf(", and %s bits of 1", format_count(mechanism$size))
  abort(c("The database table must hold reports of this mechanism.",
          x = "{format_count(number)} of {format_count(total)} are none.", i = "A report has {what}{size}."), "report")
}

# ---- long tables ----

read_long <- function(rows, mechanism, asked, times) {
  refuse <- function(x, i = NULL) {
    abort(c("The database table must hold reports of this mechanism.", x = x, i = i), "report")
  }
  reports <- rows$part == 2
  said <- lapply(rows[reports, long_sums], function(x) sum(as.double(x)))
  number <- as.double(rows$n)
  if (said$reports_lost > 0) refuse("{.val id} is NULL in some rows: it says which report a row is of.")
  # A statement sees one moment. An engine that reads the table twice for it, as it stands, may see two.
  if (sum(number[!reports]) != said$level_rows) {
    abort(c("The database table must not change while it is counted.",
            x = paste("The reports have {format_count(said$level_rows)} rows,",
                      "and the levels {format_count(sum(number[!reports]))}."), i = "Nothing was counted. Try again."),
          "database")
  }
  if (said$reports_twice > 0) {
    refuse("Some reports {if ('bit' %in% asked$answers) 'have two bits of one level' else 'support a level twice'}.")
  }
  if (!is.null(asked$split) && anyNA(rows$cohort)) refuse("{.val cohort} is NULL in some rows.")
  if (said$reports_wrong > 0) {
    size <- mechanism$size %||% mechanism[["d"]]
    refuse("{format_count(said$reports_wrong)} of {format_count(sum(times))} have other rows.",
           if (is.null(size)) "A report that supports no category has one row, whose level is NULL."
           else "Each report has {format_count(size)} rows.")
  }
  check_empty_reports(mechanism, sum(times), said$reports_empty)
  level <- rows$level
  levels <- mechanism[["bit"]] %||% mechanism
  place <- match_long(level, levels)
  place[!place %in% seq_along(levels$levels)] <- NA
  stray <- which(!is.na(level) & is.na(place))
  if (length(stray)) {
    shown <- encodeString(as.character(level[stray[1]]), quote = "\"")
    often <- number[stray[1]]
    refuse("{often} row{?s} support{?s/} {shown}, which is not a level.",
           "The levels are {format_labels(levels$levels)}.")
  }
  if ("bit" %in% asked$answers) {
    often <- sum(number[!reports & !rows$bit %in% 0:1])
    if (often > 0) refuse("{often} row{?s} ha{?s/ve} another {.val bit} than 0 or 1.")
    place <- place + ifelse(rows$bit == 1, 0, length(levels$levels))
  }
  # The bits of a cohort, then how many reports it has.
  if (!is.null(asked$split)) {
    block <- length(levels$levels) + 1
    place[reports] <- block
    place <- place + cohort_places(rows["cohort"], block, mechanism, number)
  }
  list(place = as.integer(place), value = number)
}
