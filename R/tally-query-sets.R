# The queries of reports that are no categories: a few numbers, which the engine groups; bits, which
# it adds up; or a row for each category that a report supports.

report_layout <- function(mechanism, answers) {
  forms <- stored_forms(mechanism)
  if (is.null(forms)) return("categories")
  if ("rows" %in% names(forms$columns)) return("rows")
  layout <- names(Filter(function(columns) identical(answers, columns), forms$columns))
  if (length(layout)) return(layout[1])
  if (length(answers) == 1L && !is.null(forms$alone)) return(forms$alone)
  abort("The table must hold the reports in a form that {.fn rr_query} describes.")
}

# ---- long tables ----

# The sums over reports that a query has: their rows, and how many reports support nothing, have a
# wrong number of rows, have a level twice, have no id.
long_sums <- c("level_rows", "reports_empty", "reports_wrong", "reports_twice", "reports_lost")

# The numbers that a query has for one report: its rows, those that support nothing, its different
# levels.
long_sizes <- c("row_number", "row_empty", "row_levels")

# The error of a query's row. The row has no position in the table, so that its values name it.
abort_row <- function(e, reports, times, class) {
  if (is.null(e$position)) rlang::cnd_signal(e)
  row <- vapply(reports, function(x) as.character(x[e$position]), "")
  abort(c("The database table must hold reports of this mechanism.",
          x = paste("The report {.val {paste(names(row), row, sep = ' = ', collapse = ', ')}},",
                    "given {number_of(times[e$position], 'time')}, {e$problem}.")), class)
}

# ---- bits: sums ----

# list(is_missing, row, index, value): the sums of each row of a query, and where they belong in the
# counts. A row is of one cohort and group. Its numbers, and last how many reports it has, belong to
# the block of the cohort.
read_sums <- function(rows, mechanism, query, times, weight) {
  is_missing <- rows$reports_missing == 1
  refuse_wrong(
    sum(as.double(rows$reports_wrong[!is_missing])), sum(times[!is_missing]), "reports",
    report_rule(mechanism, query), query$find_wrong
  )
  numbers <- matrix(as.double(unlist(rows[query$sums])), nrow(rows))
  first <- numeric(nrow(rows))
  if (!is.null(query$split)) {
    numbers <- cbind(numbers, weight)
    first[!is_missing] <- cohort_offsets(
      rows[!is_missing, "cohort", drop = FALSE], ncol(numbers), mechanism, times[!is_missing]
    )
  }
  numbers[is_missing, ] <- 0
  list(
    is_missing = is_missing,
    row = as.vector(row(numbers)),
    index = as.integer(first[row(numbers)] + col(numbers)),
    value = numbers
  )
}

# The number of counts before the block of each row's cohort: 0 for the first, `block` for the
# second.
cohort_offsets <- function(cohort, block, mechanism, times) {
  position <- tryCatch(
    check_numbers(column_numbers(cohort$cohort), "cohort", mechanism$codec$numbers$cohort),
    candor_error_report = function(e) abort_row(e, cohort, times, "report")
  )
  (position - 1) * block
}

# An error if reports are wrong, with the `rule` that they break and up to three of them, which
# `find_wrong()` gets from the database.
refuse_wrong <- function(n_wrong, total, noun, rule, find_wrong = NULL) {
  if (n_wrong == 0) return(invisible())
  message <- sprintf(
    "%s of %s %s are not valid.", format_count(n_wrong), format_count(total), noun
  )
  abort_wrong(message, rule, if (!is.null(find_wrong)) find_wrong())
}

abort_wrong <- function(message, rule, rows) {
  columns <- lapply(rows[setdiff(names(rows), "n")], as.character)
  texts <- do.call(paste, unname(columns))
  is_long <- nchar(texts) > 40
  texts[is_long] <- paste0(substr(texts[is_long], 1, 37), "...")
  abort(c(
    message,
    x = if (length(texts)) "Among them: {.val {cli::cli_vec(texts, list('vec-last' = ', '))}}.",
    i = "{rule}",
    i = empty_words(texts)
  ), "report")
}

# The rule that reports in columns of a database follow, a sentence.
report_rule <- function(mechanism, query) {
  if (query$layout == "number") return(range_rule(mechanism$codec))
  codec <- stored_codec(mechanism)
  bits <- number_of(as.integer(codec$width), "bit")
  ones <- if (!is.null(codec$ones)) sprintf(", of which %d are 1", as.integer(codec$ones))
  drawn <- as.integer(codec$drawn)
  rule <- switch(
    query$layout,
    text = sprintf(
      "is %d hexadecimal digits, %s%s; further bits are 0",
      2L * as.integer((codec$width + 7) %/% 8), bits, ones %||% ""
    ),
    positions = sprintf(
      "is %s, different and from 1 to %d, negative if the bit is 0",
      number_of(drawn, "position"), as.integer(codec$width)
    ),
    long = paste0(
      "has each level once",
      if (length(c(codec$ones, drawn))) paste(", and", number_of(c(codec$ones, drawn)[1], "row"))
    ),
    if (is.null(codec$drawn)) {
      sprintf("is %s, 0 or 1%s", bits, ones %||% "")
    } else {
      sprintf("is %d of %s, 0 or 1; the others are NULL", drawn, bits)
    }
  )
  sprintf("A report %s.", rule)
}

range_rule <- function(codec) {
  ends <- format(codec$range, digits = 7, trim = TRUE)
  if (codec$is_two_valued) return(sprintf("A report is %s or %s.", ends[1], ends[2]))
  sprintf("A report is a number from %s to %s.", ends[1], ends[2])
}

# ---- long tables ----

read_long <- function(rows, mechanism, query, times) {
  codec <- stored_codec(mechanism)
  reports <- rows$part == 2
  # The SUM of no rows is NULL.
  totals <- lapply(rows[reports, long_sums], function(x) {
    sum(as.double(x), na.rm = TRUE)
  })
  counts <- as.double(rows$n)
  if (totals$reports_lost > 0) {
    abort("{.val id} must not be NULL: it says which report a row is of.", "report")
  }
  # A statement sees one moment. An engine that reads the table twice for it, as it stands, may see
  # two.
  if (sum(counts[!reports]) != totals$level_rows) {
    abort("A table must not change while it is counted.", "database")
  }
  cohortless <- if (!is.null(query$split)) counts[is.na(rows$cohort)]
  refuse_wrong(
    sum(totals$reports_twice, totals$reports_wrong, cohortless), sum(times), "reports",
    report_rule(mechanism, query), query$find_wrong
  )
  check_empty_reports(mechanism, sum(times), totals$reports_empty)
  index <- match_long(rows$level, codec)
  index[!index %in% seq_along(codec$levels)] <- NA
  stray <- !is.na(rows$level) & is.na(index)
  if ("bit" %in% query$answers) {
    stray <- stray | (!reports & !rows$bit %in% 0:1)
    index <- index + ifelse(rows$bit == 1, 0, length(codec$levels))
  }
  shown_columns <- intersect(c("level", "bit"), query$answers)
  refuse_wrong(
    sum(counts[stray]), sum(counts[!reports]), "rows",
    sprintf("Levels are %s.", format_labels(codec$levels)),
    function() head(rows[stray, shown_columns, drop = FALSE], 3)
  )
  # The counts of a cohort are its bits, then how many reports it has.
  if (!is.null(query$split)) {
    block <- length(codec$levels) + 1
    index[reports] <- block
    index <- index + cohort_offsets(rows["cohort"], block, mechanism, counts)
  }
  list(index = as.integer(index), value = counts)
}
