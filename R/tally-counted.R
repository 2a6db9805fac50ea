# Tables of counts that are given as if they were data of respondents.

# The column of counts: dplyr::count() calls it n, tidy() of a tally count, as.data.frame() of a table Freq.
count_names <- c("n", "count", "Freq")

# A table of counts, such as dplyr::count() makes, is no data of respondents with weights.
looks_counted <- function(parts) {
  w <- parts$weights
  if (!is.numeric(w) || !length(w) || anyNA(w) || sum(w) < 10 * length(w) || any(w != round(w))) return(FALSE)
  all_differ(c(list(report = parts$reports), parts$by), length(w))
}

tell_counted <- function() {
  cli::cli_inform(c("No report of the data occurs twice in a group, and all weights are whole numbers.",
                    i = "If these are counts, give the table to {.fn rr_counts}: it has a respondent for each."),
                  class = "candor_message_counts")
}

# A table of counts whose counts nobody asked for: each of its rows would be one respondent. Where every report occurs
# just once in a group, it is refused; where that is so only once the other columns are groups as well, it may be data.
check_uncounted <- function(x, mechanism, parts) {
  if (!any(count_names %in% names(x)) || inherits(mechanism, "rr_mean") || !is.null(parts$weights)) return(invisible())
  reports <- parts$reports
  if (is.data.frame(reports)) reports <- as.list(reports)[names(mechanism$questions)]
  reports <- if (is.list(reports)) reports else list(reports)
  used <- c(reports, parts$by)
  free <- x[!vapply(x, function(column) any(vapply(used, identical, NA, column)), NA)]
  number <- intersect(count_names, names(free))[1]
  if (!length(reports) || is.na(number) || !is_counts(free[[number]])) return(invisible())
  if (all_differ(used, nrow(x))) abort_uncounted(number)
  others <- free[names(free) != number]
  # Where one column differs from row to row, it names the respondents.
  if (!length(others) || names_rows(others)) return(invisible())
  if (all_differ(c(used, others), nrow(x))) {
    cli::cli_inform(c("Each row is counted as one report, and the column {.val {number}} is not used.",
                      i = "No row occurs twice: if {.val {number}} holds counts, give the table to {.fn rr_counts}."),
                    class = "candor_message_counts")
  }
}

abort_uncounted <- function(number, arg = "x") {
  abort(c("{.arg {arg}} must have one row per respondent.",
          x = "No report occurs twice (in a group), and there is a column {.val {number}}: it is a table of counts.",
          i = "Give the same table to {.fn rr_counts}.",
          i = "If each row is a respondent all the same, leave out the column {.val {number}}."), "argument")
}

# A model of the rows of a table of counts, whose counts it leaves aside. Covariates on a scale of their own may differ
# from row to row all the same.
tell_uncounted_model <- function(data, used) {
  number <- intersect(count_names, setdiff(names(data), used))[1]
  if (is.na(number) || !all(used %in% names(data)) || !is_counts(data[[number]])) return(invisible())
  columns <- as.list(data)[used]
  if (length(used) > 1L && names_rows(columns) || !all_differ(columns, nrow(data))) return(invisible())
  cli::cli_inform(c("Each row of {.arg data} is one respondent of the model; the column {.val {number}} is not used.",
                    i = "If it holds counts, give the table to {.fn rr_counts}, and the tally as {.arg data}."),
                  class = "candor_message_counts")
}

is_counts <- function(x) {
  x <- plain_numbers(x)
  is.numeric(x) && !is.object(x) && length(x) > 1L && !anyNA(x) && all(x >= 0 & x == round(x)) && any(x > 1)
}

# Is there a column that differs from row to row?
names_rows <- function(columns) {
  any(vapply(columns, function(column) all_differ(list(column), NROW(column)), NA))
}

# Are no two of `n` rows of these columns alike? What holds of the first rows spares the others, which may be ten
# million.
all_differ <- function(columns, n) {
  if (any(vapply(columns, NROW, 0L) != n)) return(FALSE)
  rows <- data.frame(columns)
  for (n in unique(c(min(n, 1000L), n))) if (anyDuplicated(rows[seq_len(n), , drop = FALSE])) return(FALSE)
  TRUE
}
