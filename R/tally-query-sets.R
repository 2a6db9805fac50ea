# The queries of reports that are no categories: a few numbers, which the engine groups; bits, which it adds up; or a
# row for each category that a report supports.

# The columns of such reports by their names; NULL where `column` must say it, or there is but one.
set_columns <- function(mechanism, left) {
  fields <- report_fields(mechanism)
  if (!is.null(fields)) return(if (all(fields %in% left)) fields)
  if (inherits(mechanism, "rr_sampled")) {
    key <- mechanism$part_column
    return(if (all(c(key, "report") %in% left)) c(key, "report") else if (key %in% left) left)
  }
  Find(function(columns) all(columns %in% left), stored_forms(mechanism)$columns)
}

report_form <- function(mechanism, answers) {
  if (inherits(mechanism, "rr_product")) return("categories")
  if (length(report_fields(mechanism)) || inherits(mechanism, "rr_sampled")) return("rows")
  forms <- stored_forms(mechanism)
  if (is.null(forms)) return("categories")
  form <- names(Filter(function(columns) identical(answers, columns), forms$columns))
  if (length(form)) return(form[1])
  if (length(answers) == 1L && !is.null(forms$alone)) return(forms$alone)
  alone <- switch(forms$alone %||% "none", text = "one column of hexadecimal text, named in {.arg column}",
                  positions = "one column of positions", number = "one column of numbers")
  columns <- vapply(forms$columns, function(columns) {
    if (identical(columns, mechanism$levels)) "a column for each category, named like it" else format_labels(columns)
  }, "")
  abort(c("The table must hold the reports in a form that an engine can add up.",
          x = "Its columns are {format_labels(answers)}.",
          i = paste0("They may be ", paste(c(sprintf("{columns[%d]}", seq_along(columns)), alone), collapse = "; or "),
                     ". See {.fn rr_query}.")), "argument")
}

# ---- long tables ----

# What the query says of the reports: how many rows they have, how many of them support nothing, have a wrong number
# of rows, have a level twice, have no id.
long_sums <- c("level_rows", "reports_empty", "reports_wrong", "reports_twice", "reports_lost")

# Of one report: its rows, those that support nothing, its different levels.
long_sizes <- c("row_number", "row_empty", "row_levels")

# One statement, so that the engine shows it the table of one moment: part 1 are the rows by what they say, part 2 the
# reports. `split` is a column that says the same in all rows of a report, such as its cohort; `bit` one that says
# whether the level is supported.
long_query <- function(data, mechanism, answers, keys, weight) {
  if (!is.null(weight)) {
    abort(c("{.arg weights} are not for long tables, where a report has several rows.",
            i = "Store one report a row: as 0 and 1, or as hexadecimal text."), "argument")
  }
  connection <- dbplyr::remote_con(data)
  split <- setdiff(answers, c("id", "level", "bit"))
  said <- c("level", intersect(answers, "bit"))
  own <- c(split, keys)
  alias <- quote_names(c(long_sizes, "id"), connection)
  size <- mechanism$size %||% mechanism[["d"]]
  wrong <- if (is.null(size)) sprintf("%s > 0 AND %s > 1", alias[2], alias[1])
    else sprintf("%s > 0 OR %s <> %d", alias[2], alias[1], as.integer(size))
  level <- quote_names("level", connection)
  sizes <- c("COUNT(*)", sprintf("SUM(%s)", one_if(paste(level, "IS NULL"))),
             sprintf("COUNT(DISTINCT %s)", exact_values(level, connection)))
  reports <- group_query(data, c("id", own), stats::setNames(sizes, long_sizes))
  sums <- sprintf("SUM(%s)", c(alias[1], one_if(paste(alias[2], "> 0")), one_if(wrong),
                               one_if(sprintf("%s < %s - %s", alias[3], alias[1], alias[2])),
                               one_if(paste(alias[4], "IS NULL"))))
  # Both parts have their columns in one order.
  part <- function(number, n, sums) c(part = number, n = n, stats::setNames(sums, long_sums))
  nothing <- stats::setNames(rep("NULL", length(said)), said)
  second <- select_text(quote_names(own, connection), c(nothing, part("2", "COUNT(*)", sums)),
                        sprintf("(\n%s\n) %s", reports, quote_names("q02", connection)), connection = connection)
  first <- group_query(data, c(own, said), part("1", "COUNT(*)", rep("0", length(long_sums))))
  list(query = dbplyr::sql(paste(first, second, sep = "\nUNION ALL\n")), answers = answers, keys = keys, weight = NULL,
       form = "long", split = if (length(split)) split)
}
