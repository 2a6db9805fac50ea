#' Tally randomised reports
#'
#' Counts the reports. The counts are all that estimation needs: nothing downstream of a tally sees an
#' individual report. One pass over the data. Integers and factors are counted where they are, in memory of the size of the categories; other
#' numbers and text become integers first, which takes up to three times the memory of the data, and matching text cannot be interrupted.
#'
#' @param x The reports: a factor, character, integer, whole-number double or logical vector, or a
#'   one-dimensional `table` of them. They are matched to the labels of the mechanism where possible,
#'   in whatever order the labels stand: text and factors always, numbers where labels are numbers (`rr_grr(0:9, ...)`
#'   or `rr_grr(c("0", "1", "2"), ...)`), logical values where the two labels are `TRUE` and `FALSE` or 1 and 0.
#'   Otherwise numbers are positions 1, 2, ...; but for a yes/no question ([rr_binary()] and its special cases, [rr_forced()],
#'   [rr_unrelated()]) 0 means the first level and 1 the second, as numbers or as the labels "0" and "1", "FALSE" and
#'   "TRUE" of text and factors. Logical values are `FALSE` for the first of two levels and `TRUE` for the second.
#'   A message of class `candor_message_reading` says so where 1 or `TRUE` is read as "no".
#'
#'   Or a **data frame** that holds the reports in a column, beside groups and weights; for several questions
#'   ([rr_product()]) in one column per question, named like the questions. Labelled values, as package haven reads them from SPSS and Stata
#'   files, are replaced by their labels; the values themselves are used if they look like reports and no label does.
#'
#'   Or a **design** of the package survey ([survey::svydesign()], [survey::svrepdesign()]), whose data and weights are taken. The
#'   tally knows the weights, not the clusters and strata, and a message of class `candor_message_design` says so: for these give the design to [rr_estimate()], see [rr_survey].
#'   Or a **function** that returns one chunk of the reports after the other, see [chunks].
#'
#'   Or a **database table** of package dbplyr, as `dplyr::tbl(connection, "reports")` makes it, perhaps filtered. The engine counts the reports, by the one query
#'   that [rr_query()] shows, and at most one row for each different report and group comes to R. Columns are named as those of a data frame; vectors cannot
#'   stand beside them. [rr_query()] has a table of the forms in which reports of the protocols are counted.
#' @param mechanism How the answers were randomised, see [rr_grr()], [rr_binary()], [rr_forced()].
#' @param column The column of a data frame that holds the reports: its name, or a formula such as `~ answer`. Not needed where it is
#'   the only column beside those of `by` and `weights`, nor for several questions.
#' @param match `"exact"`, or `"relaxed"` to ignore case and surrounding space where a text or factor value is not a level as it stands.
#'   If all levels are numbers, text is read as the number that it says: `"100000"`, `"1e+05"` and `"100000.0"` are one level.
#' @param ... For methods of other kinds of data.
#' @param weights Survey weights, one finite number at least 0 per report. Counts become sums of weights, and the
#'   number of respondents that uncertainty is based on becomes Kish's effective number
#'   \eqn{(\sum w)^2 / \sum w^2}. For a data frame also the name of a column, or a formula such as `~ w`.
#' @param by Groups: a vector with one entry per report, or a data frame or list of several. The tally then
#'   holds one set of counts per combination that occurs, in sorted order. For a data frame also names of columns, or a formula
#'   such as `~ region + year`; the groups of `dplyr::group_by()` come first.
#' @param keep `"sets"` keeps the different reports and how often each was given, for the likelihood of protocols whose reports support
#'   sets of categories ([rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()] of one bit), of [rr_bloom()] and [rr_bitflip()], and of [rr_hierarchy()] with these; the tally is then as large as the reports.
#' @param na.rm Drop missing reports and those whose group is missing, and say how many? If `FALSE`, either is an error.
#' @return An object of class `rr_tally`: a list with the `mechanism`; `counts`, one number per report
#'   category, or a matrix with one column per group; `n`, the number of reports per group (or the sum of weights);
#'   `effective_n`; `respondents`, the number of weighted reports per group, else `NULL`; `groups`, a data frame of the group keys or `NULL`; and `missing`, the number dropped; of [rr_local_hash()] and [rr_mean()] `witness`, the number of
#'   different hash functions or of reports outside of the range of answers, which tells clients that do not randomise (column `unlikely` of [glance()][tidy.rr_fit]); tallies of a database have none.
#'   Tallies of one mechanism are merged with `c()`, in any order and grouping, to the tally of
#'   all the data; if only the order of the levels differs, the order of the first tally is used (of mechanisms whose reports are categories). `as.data.frame()` and `tidy()` turn it into a data frame with columns `term`, `count` and `share`.
#' @section Several reports of one respondent:
#' A tally knows reports, not people. Standard errors and intervals of its estimates take each report for that of a different respondent. Where people report several times
#' (every week, say, with a permanent answer or anew), tallies of the weeks may be kept beside each other, by `by = ~ week`, but a tally of all weeks, made at once or by `c()`, has standard errors that are
#' too small: half the right size with eight reports a person is usual, and no message can tell. Keep who reported and give a design to [rr_estimate()]:
#' `survey::svydesign(ids = ~ id, weights = ~ 1, data = reports)`, see [rr_survey].
#'
#' @section Errors:
#' `candor_error_level` for a report that is not a level, `candor_error_missing` for a missing one
#' without `na.rm`, with value and position. The error names the first value that is not a level, the level that may have been
#' meant, and the number of such reports. `candor_error_argument` for weights or groups
#' of the wrong length or value, or named like a column of results or a question; `candor_error_mismatch` when tallies of different mechanisms are merged;
#' `candor_error_empty` where every report is without a group. Of a database table also `candor_error_database` where the connection drops or the engine refuses
#' the query (nothing is counted then), `candor_error_law` for reports that an engine cannot count, `candor_error_report` for reports that the mechanism cannot give, and `candor_error_empty` where it has no rows.
#' @seealso [rr_counts()] for counts that already exist, [rr_query()] for the query that a database runs.
#' @references Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#' @concept counts
#' @concept aggregate
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' reports <- rr_perturb(sample(mechanism$levels, 1000, replace = TRUE, prob = c(6, 3, 1)), mechanism)
#' rr_tally(reports, mechanism)
#'
#' # A data frame, with groups and weights by name
#' survey <- data.frame(answer = reports, region = rep(c("north", "south"), 500),
#'                      w = runif(1000, 0.5, 2))
#' rr_tally(survey, mechanism, column = "answer", by = "region", weights = "w")
#' rr_tally(survey, mechanism, column = ~ answer, by = ~ region)
#'
#' # Chunks merge to the tally of the whole
#' chunks <- split(reports, rep(1:4, 250))
#' do.call(c, lapply(unname(chunks), rr_tally, mechanism))
#' @export
rr_tally <- function(x, mechanism, ...) {
  UseMethod("rr_tally")
}

#' @rdname rr_tally
#' @export
rr_tally.default <- function(x, mechanism, ..., weights = NULL, by = NULL, na.rm = FALSE, match = c("exact", "relaxed"),
                             keep = c("counts", "sets")) {
  check_dots_empty(...)
  tally_answers(list(reports = x, weights = weights, by = by), mechanism, na.rm, match, keep)
}

# For those who give something else where a tally is needed.
tally_remedy <- function(x, under = "") {
  cli::format_inline(if (inherits(x, c("rr_fit", "rr_survey"))) "Its tally is in {.code fit$tally}."
                     else paste0("Make one with {.fn rr_tally} or {.fn rr_counts}", under, "."))
}

# ---- from answers to a tally ----

# Every source ends here. `answers`: `reports`, a row or element each, and what goes with them: `by`, the groups, and
# `weights`. A row of a database stands for `times` reports, whose weights add up to `weights` and their squares to
# `squares`; `count` then counts the rows, in place of the mechanism.
tally_answers <- function(answers, mechanism, na.rm, match = c("exact", "relaxed"), keep = c("counts", "sets")) {
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  match <- check_choice(match, "match", c("exact", "relaxed"))
  keep <- check_choice(keep, "keep", c("counts", "sets"))
  answers$by <- name_groups(answers$by, mechanism)
  if (is.null(answers$times)) answers$weights <- check_weights(answers$weights, report_number(answers$reports))
  if (is.null(answers$count) && is_long(answers$reports, mechanism)) {
    answers[c("reports", "weights", "by")] <- one_row_each(answers$reports, mechanism, answers$weights, answers$by)
  }
  answers <- leave_out_ungrouped(answers, na.rm)
  n <- report_number(answers$reports)
  groups <- make_groups(answers$by, n)
  weights <- answers$weights
  counted <- if (is.null(answers$count)) count_answers(answers$reports, mechanism, groups$codes, weights, na.rm, match)
    else answers$count(answers, groups$codes, weights %||% answers$times, na.rm, match)
  counted <- check_counted(counted, mechanism, groups$n)
  dropped <- counted$dropped
  missing <- counted$missing %||% if (is.null(answers$times)) length(dropped) else sum(answers$times[dropped])
  if (missing > 0) cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
  # Over the reports of each group that were counted.
  total <- function(each) {
    each[dropped] <- 0
    if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  }
  size <- counted$n %||% total(weights %||% answers$times %||% rep(1, n))
  if (!is.null(weights)) {
    check_total(size)
    squares <- counted$weight_squares %||% total(answers$squares %||% weights^2)
    respondents <- counted$respondents %||% total(answers$times %||% rep(1, n))
  } else {
    squares <- respondents <- NULL
  }
  tally <- new_rr_tally(mechanism, counted$counts, groups = groups$keys,
                        missing = as.double(missing + answers$ungrouped),
                        weight_squares = squares, n = size, respondents = respondents)
  if (!is.null(counted$witness)) tally$witness <- as.double(counted$witness)
  if (keep == "sets") tally$sets <- tally_sets(answers, mechanism, dropped, groups)
  tally
}

# Answers whose group is missing are left out, if that is asked for; else make_groups() refuses them.
leave_out_ungrouped <- function(answers, na.rm) {
  lost <- if (na.rm) rows_without_group(answers$by, report_number(answers$reports))
  answers$ungrouped <- if (is.null(answers$times)) length(lost) else sum(answers$times[lost])
  if (!length(lost)) return(answers)
  cli::cli_inform("{answers$ungrouped} report{?s} without a group dropped.", class = "candor_message_missing")
  if (length(lost) == report_number(answers$reports)) {
    abort(c("No report is left to be counted.", x = "All {answers$ungrouped} reports are without a group."), "empty")
  }
  answers$reports <- drop_reports(answers$reports, lost)
  for (field in c("weights", "times", "squares")) answers[[field]] <- answers[[field]][-lost]
  answers$by <- lapply(answers$by, function(key) key[-lost])
  answers
}

drop_reports <- function(x, dropped) {
  if (!length(dropped)) x else if (length(dim(x)) == 2L) x[-dropped, , drop = FALSE] else x[-dropped]
}

# How many reports there are in `x`: rows of a matrix or data frame, else the length, which classes may define.
report_number <- function(x) {
  if (is.data.frame(x) || (!is.object(x) && length(dim(x)) == 2L)) nrow(x) else length(x)
}

count_answers <- function(x, mechanism, groups, weights, na.rm, match) {
  if (match == "relaxed") x <- relax_reports(x, mechanism)
  count_reports(mechanism, x, groups = groups, weights = weights, na.rm = na.rm)
}

# The different reports, and how often each was given.
tally_sets <- function(answers, mechanism, dropped, groups) {
  check_sets_size(report_number(answers$reports) - length(dropped), length(mechanism$levels))
  bits <- report_sets(mechanism, drop_reports(answers$reports, dropped))
  keep_sets(bits, drop_reports(groups$codes, dropped), drop_reports(answers$weights, dropped), max(1L, groups$n))
}

# Check what a method of count_reports(), or the function of another package's mechanism, returned.
check_counted <- function(result, mechanism, groups) {
  counts <- if (is.list(result)) result$counts
  rows <- length(mechanism$reports)
  cells <- rows * max(1L, groups)
  # Last groups all of whose reports are missing may have no counts.
  if (length(result$dropped) && is.numeric(counts)) counts <- c(counts, numeric(max(0, cells - length(counts))))
  # A vector of conditions would take half as much again as many counts.
  if (!is.numeric(counts) || length(counts) != cells || anyNA(counts) || (cells && min(counts) < 0)) {
    abort(c("Reports must be counted as {.field counts}: {rows} number{?s} of at least 0 for each group.",
            x = "It is {describe(if (is.list(result)) counts else result)}."), c("counts", "argument"))
  }
  result$counts <- if (is.null(groups)) as.double(counts) else matrix(as.double(counts), rows)
  result
}

check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  weights <- plain_numbers(weights)
  if (!is.numeric(weights) || is.object(weights) || length(weights) != n) {
    abort(c("{.arg weights} must be numbers, one per report.",
            x = "It is {describe(weights)}; there are {n} reports."), "argument")
  }
  extremes <- if (length(weights)) range(weights) else 0
  if (anyNA(extremes) || extremes[1] < 0 || extremes[2] == Inf) {
    bad <- which(is.na(weights) | weights < 0 | is.infinite(weights))[1]
    abort(c("{.arg weights} must be finite and at least 0.", x = "Weight {bad} is {weights[bad]}."), "argument")
  }
  as.double(weights)
}

# Beyond these totals the squares of weights leave the range of a double.
check_total <- function(numbers) {
  total <- sum(numbers)
  if (total == 0 || (total >= 1e-100 && total <= 1e100)) return(invisible())
  abort(c("{.arg weights} must add up to something between 1e-100 and 1e100.",
          x = "The sum is {format(total, digits = 3)}."), "argument")
}

group_counts <- function(tally, g) {
  if (is.matrix(tally$counts)) tally$counts[, g] else tally$counts
}

# Counts of group g, scaled to the effective number of respondents, as likelihoods need them.
group_evidence <- function(tally, g, law = rr_law(tally$mechanism)) {
  new_evidence(tally_law(tally, g, law), group_counts(tally, g), tally$n[g], tally$effective_n[g],
               length(tally$mechanism$levels), tally$mechanism)
}

new_rr_tally <- function(mechanism, counts, groups = NULL, missing = 0, weight_squares = NULL,
                         n = tally_sums(counts), respondents = NULL) {
  for (key in groups) if (is.character(key) || is.factor(key)) check_label_bytes(as.character(key), "by")
  # With `weights` beside `weight_squares` the `$` of lists does not take `tally$weight` for the squares.
  structure(
    list(mechanism = mechanism, counts = counts, n = n,
         effective_n = if (is.null(weight_squares)) n else ifelse(weight_squares > 0, n^2 / weight_squares, 0),
         weights = NULL, weight_squares = weight_squares, respondents = respondents, groups = groups,
         missing = missing),
    class = "rr_tally"
  )
}

# Reports with the labels that they have but for case and surrounding space.
relax_reports <- function(x, mechanism) {
  if (is.null(mechanism$questions)) return(relax_labels(x, mechanism))
  x <- question_frame(x, mechanism)
  for (name in intersect(names(x), names(mechanism$questions))) {
    x[[name]] <- relax_labels(x[[name]], mechanism$questions[[name]])
  }
  x
}

relax_labels <- function(x, mechanism) {
  x <- plain_reports(x, mechanism)
  if (!is.character(x) && !is.factor(x)) return(x)
  labels <- mechanism$reports
  keys <- relax(labels)
  if (anyDuplicated(keys)) {
    alike <- labels[keys == keys[anyDuplicated(keys)]]
    abort(c("{.arg match} cannot be {.val relaxed} for this mechanism.",
            x = "Its levels {.val {alike}} differ only in case or space."), "argument")
  }
  settle <- function(text) {
    place <- match(relax(text), keys)
    place[is.na(place)] <- match_numbers(relax(text[is.na(place)]), mechanism)
    change <- !is.na(place) & !text %in% labels
    text[change] <- labels[place[change]]
    text
  }
  if (is.factor(x)) {
    levels(x) <- settle(levels(x))
    return(x)
  }
  distinct <- unique(x)
  settle(distinct)[match(x, distinct)]
}
