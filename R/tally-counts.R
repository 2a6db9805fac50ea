#' A tally from counts that already exist
#'
#' Makes a tally from a published table, the result of a `GROUP BY`, or other counts of reports.
#'
#' @param counts How often each report was given. Shares and percentages are not counts: percentages would be taken for 100 respondents. A numeric vector or one-dimensional `table`, or a matrix
#'   with one row per report and one named column per group. With names (row names) they are matched to the labels of the
#'   mechanism, in any order, and absent labels count 0; without names there must be one count per
#'   report, in the order of the mechanism. For several questions ([rr_product()]) the reports are the cells, or `counts`
#'   is a table with one dimension per question.
#'
#'   Or a **data frame**, in one of two shapes. One column per report, named like the reports, and one row per group, such as
#'   `nigeria_survey[c("no", "yes")]`. Or one row per report and group, with a column of labels and one of counts called `n`, `count` or
#'   `Freq`, as `dplyr::count()`, `as.data.frame()` of a table and `tidy()` of a tally give it. The other columns are the groups.
#'   Counts may be of class `integer64`. Of weighted reports there are the columns that [rr_query()] makes: `n`, `weight_sum` and
#'   `weight_squares`.
#' @param mechanism How the answers were randomised.
#' @param effective_n For weighted counts, which need not be whole: the effective number of respondents
#'   \eqn{(\sum w)^2 / \sum w^2} that uncertainty is based on, one number (per group). Without it
#'   counts must be whole.
#' @param n The number of respondents (per group). It is needed where a report supports several categories or none, see [rr_law()], because the counts do
#'   not add up to it then. Where a report is one category, `n` is the sum of the counts and need not be given.
#' @param column For a data frame: the column that says which report was counted, where that is not clear.
#' @param by For a data frame: the columns of the groups, by name or as a formula; by default all further ones but for totals of the counts. One row of counts
#'   without `by` is not grouped.
#' @param ... Not used, and refused.
#' @return An object of class `rr_tally`, see [rr_tally()].
#' @section Errors:
#' `candor_error_counts` for negative, non-finite or fractional counts and `candor_error_level` for
#' names that are not labels, with the bad value and its place; `candor_error_argument` for the wrong
#' number of counts; `candor_error_empty` when all counts are 0.
#' @source Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015), see [nigeria_survey], for the counts of the example.
#' @examples
#' # Nigeria, contact with armed groups: a die forced "yes" on 6 and "no" on 1
#' nigeria <- rr_counts(c(yes = 831, no = 1604), rr_forced(1 / 6))
#' tidy(rr_estimate(nigeria), conf.int = TRUE)
#'
#' # The same from a row of the survey, and from one row per report
#' rr_counts(nigeria_survey[c("no", "yes")], rr_forced(1 / 6))
#' rr_counts(data.frame(answer = c("yes", "no"), n = c(831, 1604)), rr_forced(1 / 6))
#' @export
rr_counts <- function(counts, mechanism, effective_n = NULL, n = NULL, column = NULL, by = NULL, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  keys <- frame <- NULL
  written <- are_written(counts)
  if (is.data.frame(counts)) {
    frame <- frame_counts(counts, mechanism, column, by)
    counts <- frame$counts
    keys <- frame$groups
    if (!is.null(frame$weight_squares) && !is.null(effective_n)) {
      abort(c("{.arg effective_n} is not for counts that have the squares of their weights.",
              i = "Leave it out, or the column {.val {query_columns[['squares']]}}."), "argument")
    }
    if (!is.null(keys)) name_groups(as.list(keys), mechanism)
  } else if (!is.null(column) || !is.null(by)) {
    abort(c("{.arg column} and {.arg by} name columns of a data frame.", x = "{.arg counts} is {describe(counts)}."),
          "argument")
  }
  check_fetched(counts)
  check_turned(counts, mechanism)
  counts <- flatten_questions(plain_numbers(counts), mechanism)
  if (!is.numeric(counts) || length(dim(counts)) > 2L || (is.object(counts) && !is.table(counts))) {
    abort(c("{.arg counts} must be numbers: a vector, a table, or a matrix with one column per group.",
            x = if (is.numeric(counts) && length(dim(counts)) > 2L) "It has {length(dim(counts))} dimensions."
                else "It is {describe(counts)}.",
            i = if (is.list(counts) && !is.object(counts)) "Make it a vector: {.code unlist(counts)}.",
            i = if (length(dim(counts)) > 2L) "For groups of several keys: {.code as.data.frame(counts)}."), "argument")
  }
  grouped <- length(dim(counts)) == 2L
  if (grouped && is.null(keys)) check_group_names("group", mechanism)
  groups <- if (grouped && is.null(keys)) check_columns(colnames(counts) %||% as.character(seq_len(ncol(counts))))
  labels <- if (grouped) rownames(counts) else names(counts)
  k <- length(mechanism$reports)
  if (is.null(labels) && (if (grouped) nrow(counts) else length(counts)) != k) {
    abort(c("{.arg counts} must have one count per report.",
            x = "It has {if (grouped) nrow(counts) else length(counts)}, and the mechanism has {k}.",
            i = "Name the counts to leave out those that are 0."), "argument")
  }
  values <- if (is.null(attributes(counts)) && is.double(counts)) counts else as.double(counts)
  whole <- is.null(effective_n) && is.null(frame$weight_squares)
  check <- .Call(C_rr_check_counts, values, whole)
  categories <- law_gives(rr_law(mechanism), "channel", length(mechanism$levels))
  if (categories) check_size(check[1], values, whole)
  if (check[2] > 0) abort_count(counts, values, check[2], labels)
  if (categories && check[1] == 0) {
    abort(c("{.arg counts} must not all be 0.", x = "They add up to 0: there is nothing to estimate from."), "empty")
  }
  if (categories && whole && written) tell_hundreds(if (grouped) matrix(values, nrow(counts)) else values)
  if (grouped) values <- matrix(values, nrow(counts))
  if (!is.null(labels) && !identical(labels, mechanism$reports)) {
    values <- place_counts(values, labels, mechanism, if (grouped) colnames(counts))
  }
  n <- if (categories) check_number_given(n, if (grouped) colSums(values) else check[1])
    else check_respondents(n, values)
  new_rr_tally(mechanism, values, n = n, groups = keys %||% if (grouped) tibble::tibble(group = groups),
               weight_squares = frame$weight_squares %||% effective_squares(effective_n, n),
               respondents = frame$respondents)
}

# Counts are in R; reports may be counted in a database.
check_fetched <- function(counts) {
  if (!inherits(counts, c("tbl_lazy", "DBIConnection"))) return(invisible())
  table <- if (inherits(counts, "tbl_lazy")) "counts" else "dplyr::tbl(connection, \"counts\")"
  abort(c("{.arg counts} must be in R: numbers, or a data frame.",
          x = "It is {if (table == 'counts') 'a table of' else 'a connection to'} a database.",
          i = "Fetch a table of counts: {.code dplyr::collect({table})}.",
          i = "A table of reports is counted where it is by {.fn rr_tally}."), "argument")
}

# A matrix without names of rows, whose columns are called as the reports are, has one row a group.
check_turned <- function(counts, mechanism) {
  if (length(dim(counts)) != 2L || !is.null(rownames(counts)) || is.null(colnames(counts))) return(invisible())
  if (!setequal(colnames(counts), mechanism$reports)) return(invisible())
  abort(c("{.arg counts} must have one row per report.", x = "Its columns are called as the reports are.",
          i = "Give {.code t(counts)}."), "argument")
}

# Whole counts are exact up to 2^53; a total beyond the range of a double is refused too.
check_size <- function(total, values, whole) {
  most <- if (whole) 2^53 else 1e100
  if (total == 0 || (total >= 1e-100 && total <= most && !(whole && total == most && beyond_exact(values)))) {
    return(invisible())
  }
  abort(c("{.arg counts} must add up to at most {if (whole) '2^53' else '1e100, and at least 1e-100'}.",
          x = "They add up to {format(total, digits = 3)}."), "counts")
}

# Where a report is one category, n is the sum of the counts.
check_number_given <- function(n, total) {
  same <- is.numeric(n) && length(n) == length(total) && !anyNA(n) && all(abs(n - total) <= 1e-9 * total)
  if (is.null(n) || same) return(total)
  abort(c("{.arg n} must be the sum of the counts, since a report is one category.", x = "It is {describe(n)}.",
          i = "Leave it out."), "mismatch")
}

# Each count of support is at most n.
check_respondents <- function(n, values) {
  groups <- NCOL(values)
  if (is.null(n)) {
    abort(c("{.arg n} is needed: the number of respondents.",
            x = paste("A report of this mechanism supports several categories or none,",
                      "so that the counts do not add up to it.")),
          "argument")
  }
  if (!is.numeric(n) || is.object(n) || !length(n) %in% c(1L, groups) || anyNA(n) || any(n <= 0 | n > 1e100)) {
    abort(c("{.arg n} must be a number above 0{if (groups > 1) ', or one per group'}.", x = "It is {describe(n)}."),
          "argument")
  }
  n <- rep_len(as.double(n), groups)
  most <- apply(as.matrix(values), 2, max)
  over <- which(most > n * (1 + 1e-9))
  if (length(over)) {
    abort(c("{.arg counts} must not be above {.arg n}, the number of respondents.",
            x = "A count is {format(most[over[1]], digits = 15)}, and {.arg n} is {format(n[over[1]], digits = 15)}."),
          "counts")
  }
  n
}

check_columns <- function(names) {
  if (anyNA(names) || anyDuplicated(names)) {
    twice <- names[c(which(is.na(names)), anyDuplicated(names))[1]]
    abort(c("The columns of {.arg counts} must have different names: they are the groups.",
            x = if (is.na(twice)) "One has none." else "{.val {twice}} appears more than once."),
          "argument")
  }
  names
}

effective_squares <- function(effective_n, n) {
  if (is.null(effective_n)) return(NULL)
  if (!is.numeric(effective_n) || is.object(effective_n) || !length(effective_n) %in% c(1L, length(n)) ||
      anyNA(effective_n) || any(effective_n < 1 | is.infinite(effective_n))) {
    abort(c("{.arg effective_n} must be a number, at least 1{if (length(n) > 1) ', or one per group'}.",
            x = "It is {describe(effective_n)}."), "argument")
  }
  n^2 / effective_n
}

# Counts under their labels' places in the mechanism; absent labels count 0.
place_counts <- function(values, labels, mechanism, columns = NULL) {
  position <- match_labels(labels, mechanism)
  if (anyNA(position)) {
    odd <- labels[is.na(position)][1]
    near <- nearest_label(odd, mechanism$reports)
    turned <- length(columns) > 0L && all(columns %in% mechanism$reports)
    abort(c("The {if (is.matrix(values)) 'row ' else ''}names of {.arg counts} must be levels of the mechanism.",
            x = "{.val {odd}} is not one.",
            i = if (turned) "Its columns are called as the levels are. Rows must be reports: give {.code t(counts)}."
                else if (!is.na(near)) "Did you mean {.val {near}}?",
            i = "The levels are {format_labels(mechanism$reports)}."), "level")
  }
  if (anyDuplicated(position)) {
    abort(c("The names of {.arg counts} must all differ.",
            x = "{.val {labels[anyDuplicated(position)]}} appears more than once."), "level")
  }
  k <- length(mechanism$reports)
  if (is.matrix(values)) {
    placed <- matrix(0, k, ncol(values))
    placed[position, ] <- values
  } else {
    placed <- numeric(k)
    placed[position] <- values
  }
  placed
}

# Counts that table() or count() made are integers, or stand in a column that says so: nobody wrote percentages there.
are_written <- function(counts) {
  if (is.data.frame(counts)) !any(count_names %in% names(counts)) else is.double(counts) && !is.object(counts)
}

# Percentages are often whole numbers. So are true samples of 100, whose owner needs to be told but once.
tell_hundreds <- function(values) {
  if (any(colSums(as.matrix(values)) != 100) || all(values %in% c(0, 100))) return(invisible())
  cli::cli_inform("The counts add up to 100{if (is.matrix(values)) ' in each group'}: 100 people, not percentages.",
                  class = "candor_message_percentages", .frequency = "once",
                  .frequency_id = "candor_message_percentages")
}

# Shares and percentages add up to what they are of, rounded to a digit at least.
fraction_note <- function(values) {
  sums <- if (is.matrix(values)) colSums(values) else sum(values)
  kind <- if (all(abs(sums - 1) <= 0.01)) "shares" else if (all(abs(sums - 100) <= 0.5)) "percentages"
  if (!is.null(kind)) {
    return(sprintf(paste("They add up to %s, as %s do. Counts are the numbers of respondents who gave each report:",
                         "%s times how many answered, made whole."), if (kind == "shares") 1 else 100, kind,
                   if (kind == "shares") "shares" else "percentages / 100"))
  }
  cli::format_inline("For weighted counts {.fn rr_counts} takes {.arg effective_n}, and {.fn rr_tally} {.arg weights}.")
}

abort_count <- function(counts, values, position, labels) {
  value <- values[position]
  row <- if (is.matrix(counts)) (position - 1) %% nrow(counts) + 1 else position
  at <- if (is.null(labels)) paste("Count", format_count(position))
        else sprintf("The count of \"%s\"", labels[row])
  fractional <- is.finite(value) && value >= 0
  abort(c(if (fractional) "{.arg counts} must be whole numbers." else "{.arg counts} must be finite and at least 0.",
          x = "{at} is {format(value, digits = 15)}.", i = if (fractional) "{fraction_note(values)}"),
        "counts")
}

# Rows of the counts that belong to each part, the first of them how many drew it.
part_rows <- function(parts) {
  sizes <- vapply(parts, function(part) length(part$reports) + 1, 0)
  ends <- cumsum(sizes)
  Map(seq, ends - sizes + 1, ends)
}
