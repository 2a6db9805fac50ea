#' Tally randomized reports
#'
#' Counts the reports. The counts are all that estimation needs: no individual report is used after this step. `plot()` draws the reported shares, not the
#' true ones.
#'
#' @section Data:
#' The reports `x` are one of these:
#'
#' * vector (factor, character, logical, whole numbers) or one-dimensional `table`: its values.
#' * data frame: a column, with groups and weights in other columns; for [rr_product()] one column per question. Labelled values of package haven are replaced
#'   by their labels, unless only the values are levels.
#' * design of package survey ([survey::svydesign()], [survey::svrepdesign()]): as a data frame, with its weights.
#' * database table of package dbplyr: counted in the database by the query of [rr_query()], which lists the forms of the reports.
#' * function: the next chunk at each call, see [`?chunks`][chunks].
#' * bits of sets, each wrong with probability `flip`, without a mechanism: see [bit_tallies].
#'
#' A tally of a survey design has its weights, but neither clusters nor strata; the message `candor_message_design` says so. Give the design to [rr_estimate()]
#' for standard errors, see [survey_designs].
#'
#' @section How values are matched to levels:
#' * Text and factors are matched to labels, in any order. If all levels are numbers, `"1e+05"` and `"100000"` are one level. Case and space count:
#'   `trimws(tolower(x))` makes `"Yes "` the label `"yes"`.
#' * Numbers are matched to labels that are numbers (`rr_grr(0:9, ...)`). Otherwise they are positions 1, 2, ..., but for the next rule.
#' * Two categories called no and yes: 0 and `FALSE` are no, 1 and `TRUE` are yes, also as text `"0"`, `"1"`, `"FALSE"` and `"TRUE"`. The labels are no and yes,
#'   `FALSE` and `TRUE`, or different and same, in any order and case. The rule holds for all mechanisms, and for true answers too.
#' * Two categories of a yes/no question ([rr_binary()] and its special cases, [rr_forced()], [rr_unrelated()], [rr_dealt()]) with other labels: 0 is the first level
#'   and 1 the second.
#' * Codes 1 and 2 of such a question, as SPSS and Stata have them, are an error. Make them labels, `levels = c(1, 2)` with the code of "no" first, or recode
#'   them: `factor(x, 1:2, c("yes", "no"))`.
#' * Logical values are `FALSE` for the first of two other levels and `TRUE` for the second.
#' * The message `candor_message_reading` is given if 1 or `TRUE` is read as "yes" and this is the first level: regressions and pictures are about the second.
#'
#' @section Several reports of one respondent:
#' A tally holds reports, not people, and standard errors assume a different respondent for each report. If people report several times, a tally of all weeks has
#' standard errors that are too small. With eight reports per person they are typically half of what they should be, and candor cannot detect this. Keep the
#' weeks apart by `by = ~ week`, or give [rr_estimate()] a design: `survey::svydesign(ids = ~ id, weights = ~ 1, data = reports)`, see [survey_designs].
#'
#' @order 1
#' @param x The reports, see *Data*.
#' @param mechanism How the answers were randomized, see [rr_grr()], [rr_binary()], [rr_forced()].
#' @param column The column of the reports: its name, or a formula such as `~ answer`. Not needed if it is the only column beside `by`, `count` and `weights`, nor for several
#'   questions.
#' @param ... For methods of other kinds of data.
#' @param count How many reports each row stands for: one whole number of at least 0 per row; for a data frame also the name of a column, or a formula. A row with a count
#'   of 3 is 3 respondents with the same report.
#' @param weights Survey weights, one finite number at least 0 per report; for a data frame also the name of a column, or a formula. Counts become sums of weights, with Kish's
#'   effective number of respondents \eqn{(\sum w)^2 / \sum w^2}.
#' @param by Groups: a vector with one entry per report, or a data frame or list of several; for a data frame also names of columns, or a formula such as
#'   `~ region + year`. The groups of `dplyr::group_by()` come first.
#' @param id For a data frame or a database table: the column of the identifiers of the reports, which clients add ([rr_client()]): its name, or a formula. Rows with
#'   one identifier and the same report are counted once: the first row, or in a database the row of the first group in the order of its columns. The message `candor_message_copies` says how
#'   many were dropped. Two different reports with one identifier, and an empty identifier, give an error. A database finds the copies itself; long tables take no `id`.
#' @param keep `"counts"` (default). `"sets"` also keeps the different reports and how often each was given, for the likelihood of [rr_unary()], [rr_subset()],
#'   [rr_local_hash()], one-bit [rr_hadamard()], [rr_bloom()], [rr_bitflip()], and [rr_hierarchy()] with these. The tally is then as large as the reports.
#' @param na.rm Logical, default `FALSE`. Drop missing reports, and reports whose group is missing, with a message? Otherwise they give an error.
#' @param object A tally.
#' @return An object of class `rr_tally`, a list:
#'
#' * `mechanism`: the mechanism.
#' * `counts`: one number per report category, or a matrix with one column per group.
#' * `n`, `effective_n`: number of reports per group (or sum of weights), and effective number.
#' * `respondents`: number of weighted reports per group, else `NULL`.
#' * `groups`: data frame of the group keys, or `NULL`.
#' * `missing`: number of reports dropped.
#' * `blocks`: for [rr_dealt()], per group the labels of its blocks and their counts.
#' * `witness`: for [rr_local_hash()] the number of different hash functions, for [rr_mean()] of reports outside the range of answers: reveals clients that do
#'   not randomize (not for databases).
#'
#' Tallies of one mechanism are merged with `c()` to the tally of all the data, in any order and grouping. If reports are categories and only the order of
#' the levels differs, the order of the first tally is used. `as.data.frame()` and `tidy()` return columns `term`, `count`
#' and `share`. `plot()` and `autoplot()` return a ggplot: one bar per category and a panel per group, for up to 60 groups.
#' @section Errors:
#' * `candor_error_level`, `candor_error_missing`: a report that is not a level, or missing, with value and position.
#' * `candor_error_argument`: weights, groups or columns of the wrong length, value or name.
#' * `candor_error_mismatch`: tallies of different mechanisms are merged. `candor_error_empty`: all reports that
#'   are left have no group. A tally of no reports has counts of 0, and no groups; [rr_estimate()] refuses it.
#' * For a database, `candor_error_database` if it gives no answer, `candor_error_law` for reports that it cannot count, and `candor_error_report` for reports that the
#'   mechanism cannot give.
#' @seealso [rr_counts()] for existing counts; [rr_query()] for the SQL; [`?groups`][groups] for parts of a tally; [rr_estimate()].
#' @references Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#' @concept survey weights
#' @concept database
#' @concept dta
#' @concept Stata
#' @concept SPSS
#' @concept haven
#' @concept csv
#' @concept Parquet
#' @concept missing answers
#' @concept duplicates
#' @concept counts
#' @concept aggregate
#' @examples
#' # What was reported, by region and with survey weights?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' set.seed(1)
#' truth <- sample(mechanism$levels, 1000, replace = TRUE, prob = c(6, 3, 1))
#' survey <- data.frame(answer = rr_perturb(truth, mechanism, rng = "R"),
#'                      region = rep(c("north", "south"), 500),
#'                      w = runif(1000, 0.5, 2))
#' tally <- rr_tally(survey, mechanism, column = "answer", by = "region",
#'                   weights = "w")
#' tally   # "often": 18% and 20% of the reports
#' rr_tally(survey, mechanism, column = ~ answer, by = ~ region)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(tally)
#'
#' # Chunks merge to the tally of the whole
#' chunks <- split(survey$answer, rep(1:4, 250))
#' do.call(c, lapply(unname(chunks), rr_tally, mechanism))
#' @srrstats {G2.0, G2.0a, G2.1, G2.1a, G2.2} The pages state length and type of each argument; `check_*()` of R/util-check.R hold them.
#' @srrstats {G2.4, G2.4a, G2.4b, G2.4c, G2.4d, G2.4e} Reports are read from whole and other numbers, text, factors, logicals and `integer64` by their
#'   labels.
#' @srrstats {G2.5} Ordered factors keep the order of their levels.
#' @srrstats {G2.6} Columns of one dimension are read whatever their class, if their labels are levels.
#' @srrstats {G2.7, G2.8} Vectors, data frames, tibbles, data.tables and database tables become one class, the tally.
#' @srrstats {G2.10} One column is taken from every kind of table by the same function.
#' @srrstats {G2.13} Missing reports are an error until `na.rm = TRUE`.
#' @srrstats {G2.14, G2.14a, G2.14b} `na.rm` refuses or drops missing reports; a fit says how many were dropped.
#' @srrstats {G2.15, G2.16} No function assumes that data are complete; NaN and infinite numbers are refused as reports.
#' @export
rr_tally <- function(x, mechanism, ...) {
  bits <- structure(list(), class = "flipped_bits")
  UseMethod("rr_tally", if ("flip" %in% ...names()) bits else x)
}

#' @rdname rr_tally
#' @export
rr_tally.default <- function(
  x,
  mechanism,
  ...,
  count = NULL,
  weights = NULL,
  by = NULL,
  na.rm = FALSE,
  keep = c("counts", "sets")
) {
  check_dots_empty(...)
  inform_frequencies(weights)
  tally_answers(
    list(reports = x, times = count, weights = weights, by = by), mechanism, na.rm, keep
  )
}

# The remedy in an error: text for those who give something else where a tally is needed.
tally_remedy <- function(x, under = "") {
  cli::format_inline(if (inherits(x, c("rr_fit", "rr_survey"))) "Its tally is in {.code fit$tally}."
                     else paste0("Make one with {.fn rr_tally} or {.fn rr_counts}", under, "."))
}

# ---- from answers to a tally ----

# The tally of reports from any source. The fields of `answers` are:
#   reports   a row or element each
#   by        the groups
#   weights   one a row; in rows of a database the sum of the weights of its reports
#   squares   the sum of the squares of these weights, in rows of a database
#   times     how many reports a row stands for
#   count     a function that counts rows of a database, in place of the mechanism
tally_answers <- function(answers, mechanism, na.rm, keep = c("counts", "sets")) {
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  keep <- check_choice(keep)
  answers$by <- name_groups(answers$by, mechanism)
  if (is.null(answers$count)) answers <- check_answers(answers, mechanism)
  if (na.rm) answers <- leave_out_ungrouped(answers)
  n <- report_number(answers$reports)
  groups <- if (!is.null(answers$by)) make_groups(answers$by, n)
  weights <- answers$weights
  each <- weights %||% answers$times
  counted <- if (is.null(answers$count)) {
    count_reports(mechanism, answers$reports, groups$codes, each, na.rm)
  } else {
    answers$count(answers, groups$codes, each, na.rm)
  }
  counted <- check_counted(counted, mechanism, groups$n)
  dropped <- counted$dropped
  missing <- missing_reports(counted, answers$times)
  if (missing > 0) {
    cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
  }
  # The sum over the reports of each group that were counted.
  total <- function(each) {
    each[dropped] <- 0
    if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  }
  size <- counted$n %||% total(each %||% rep(1, n))
  squares <- respondents <- NULL
  if (!is.null(weights)) {
    check_total_weight(sum(size))
    squares <- counted$weight_squares %||% total(answers$squares %||% weights^2)
    respondents <- counted$respondents %||% total(answers$times %||% rep(1, n))
  }
  tally <- new_rr_tally(mechanism, counted$counts, groups = groups$keys,
                        missing = as.double(missing + (answers$ungrouped %||% 0)),
                        weight_squares = squares, n = size, respondents = respondents)
  if (!is.null(counted$witness)) tally$witness <- as.double(counted$witness)
  if (!is.null(counted$blocks) && is.null(weights)) {
    tally <- with_blocks(tally, counted$blocks)
  }
  if (keep == "sets") {
    tally$sets <- different_reports(answers$reports, mechanism, dropped, groups, each)
  }
  tally
}

# The different reports of each group, and how often each was given.
different_reports <- function(reports, mechanism, dropped, groups, each) {
  check_sets_size(report_number(reports) - length(dropped), length(mechanism$levels))
  keep_sets(
    report_sets(mechanism, drop_reports(reports, dropped)), drop_reports(groups$codes, dropped),
    drop_reports(each, dropped), max(1L, groups$n)
  )
}

# Answers of data in memory with checked weights or frequencies. A long table is replaced by one row
# a report.
check_answers <- function(answers, mechanism) {
  has_times <- !is.null(answers$times)
  if (has_times && !is.null(answers$weights)) {
    abort("Give {.arg count} or {.arg weights}: reports that are counted have no weights.")
  }
  answers$weights <- check_weights(answers$weights, report_number(answers$reports))
  if (has_times) answers$times <- check_times(answers$times, report_number(answers$reports))
  if (is_long(answers$reports, mechanism)) {
    if (has_times) {
      abort("{.arg count} is not for long tables: a report has several rows.")
    }
    answers[c("reports", "weights", "by")] <- one_row_each(
      answers$reports, mechanism, answers$weights, answers$by
    )
  }
  answers
}

# Beyond these totals the squares of weights leave the range of a double.
check_total_weight <- function(total) {
  if (total > 1e100 || (total > 0 && total < 1e-100)) {
    abort("{.arg weights} must add up to something between 1e-100 and 1e100.")
  }
}

# How many reports were dropped: `times` says how many stand in a row.
missing_reports <- function(counted, times) {
  if (is.null(times)) {
    counted$missing %||% length(counted$dropped)
  } else if (is.null(counted$n)) {
    sum(times[counted$dropped])
  } else {
    sum(times) - sum(counted$n)
  }
}

# The answers without those whose group is missing, which make_groups() refuses.
leave_out_ungrouped <- function(answers) {
  lost <- rows_without_group(answers$by, report_number(answers$reports))
  answers$ungrouped <- if (is.null(answers$times)) {
    length(lost)
  } else {
    sum(answers$times[lost])
  }
  if (!length(lost)) return(answers)
  cli::cli_inform(
    "{answers$ungrouped} report{?s} without a group dropped.", class = "candor_message_missing"
  )
  if (length(lost) == report_number(answers$reports)) {
    abort("No report is left to be counted.", "empty")
  }
  answers$reports <- drop_reports(answers$reports, lost)
  for (field in c("weights", "times", "squares")) {
    answers[[field]] <- answers[[field]][-lost]
  }
  answers$by <- lapply(answers$by, function(key) key[-lost])
  answers
}

# How many reports there are in `x`: rows of a matrix or data frame, else the length, which classes
# may define.
report_number <- function(x) {
  if (is.data.frame(x) || (!is.object(x) && length(dim(x)) == 2L)) {
    nrow(x)
  } else {
    length(x)
  }
}

# The checked result of a method of count_reports(), or of the function of another package's
# mechanism.
check_counted <- function(result, mechanism, groups) {
  counts <- if (is.list(result)) result$counts
  rows <- length(mechanism$reports)
  # There are no groups if there are no rows.
  if (identical(groups, 0L)) {
    return(list(
      counts = matrix(0, rows, 0),
      n = numeric(),
      weight_squares = numeric(),
      respondents = numeric()
    ))
  }
  cells <- rows * max(1L, groups)
  # If all reports of the last groups are missing, these may have no counts.
  if (is.numeric(counts) && length(result$dropped)) {
    counts <- c(counts, numeric(max(0, cells - length(counts))))
  }
  # A vector of conditions would take half as much again as many counts.
  is_valid <- is.numeric(counts) && length(counts) == cells && !anyNA(counts) &&
    !(cells && min(counts) < 0)
  if (!is_valid) {
    abort(
      c(
        paste(
          "Reports must be counted as {.field counts}:",
          "{rows} number{?s} of at least 0 for each group."
        ),
        x = "It is {describe(if (is.list(result)) counts else result)}."
      ),
      c("counts", "argument")
    )
  }
  result$counts <- if (is.null(groups)) {
    as.double(counts)
  } else {
    matrix(as.double(counts), rows)
  }
  result
}

# How many reports each row stands for.
check_times <- function(times, n) {
  times <- data_numbers(times)
  check_that(is_numbers(times) && length(times) == n, times, "count", "one number per row")
  is_valid <- times >= 0 & times <= 2^53 & times == floor(times)
  bad <- which(!is_valid | is.na(times))[1]
  if (!is.na(bad)) {
    abort("{.arg count} must be whole numbers of at least 0, and row {bad} has none.")
  }
  as.double(times)
}

# A message if weights look like frequencies. Frequencies as weights make standard errors too large:
# n = (sum w)^2 / sum w^2 is not their sum.
inform_frequencies <- function(weights) {
  is_valid <- is_numbers(weights) && length(weights) && all(is.finite(weights))
  if (!is_valid || any(weights != floor(weights)) || mean(weights) < 2) {
    return(invisible())
  }
  average <- format(mean(weights), digits = 3)
  cli::cli_inform(c("{.arg weights} are whole numbers, {average} on average.",
                    i = "Rows that stand for so many reports are told by {.arg count}."),
                  class = "candor_message_weights")
}

check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  weights <- data_numbers(weights)
  check_that(
    is_numbers(weights) && length(weights) == n, weights, "weights", "one number per report"
  )
  bad <- which(!(is.finite(weights) & weights >= 0))[1]
  if (!is.na(bad)) abort("{.arg weights} must be finite and at least 0, and weight {bad} is not.")
  as.double(weights)
}

group_counts <- function(tally, g) {
  if (is.matrix(tally$counts)) tally$counts[, g] else tally$counts
}

# Counts of group g, scaled to the effective number of respondents, as likelihoods need them.
group_evidence <- function(tally, g, law = rr_law(tally$mechanism)) {
  new_evidence(
    tally_law(tally, g, law),
    group_counts(tally, g),
    tally$n[g],
    tally$effective_n[g],
    length(tally$mechanism$levels),
    tally$mechanism
  )
}

# The evidence of all groups as one, whose categories are those of the first group, then those of
# the second. `n` is one number if there is one group. NULL if a category has no count of its own,
# or if n of a group is 0.
joined_evidence <- function(tally) {
  law <- rr_law(tally$mechanism)
  k <- length(tally$mechanism$levels)
  has_shares <- law_gives(law, "shares") && is.null(tally$blocks)
  if (!has_shares || any(tally$n <= 0)) return(NULL)
  each <- if (length(tally$n) > 1L) k else 1L
  list(
    law = law,
    counts = as.vector(tally$counts) * rep(tally$effective_n / tally$n, each = each),
    n = rep(tally$effective_n, each = each),
    k = k * length(tally$n),
    categories = k
  )
}

new_rr_tally <- function(
  mechanism, counts, groups = NULL, missing = 0, weight_squares = NULL, n = tally_sums(counts),
  respondents = NULL
) {
  for (key in groups) {
    if (is.character(key) || is.factor(key)) check_label_bytes(as.character(key), "by")
  }
  # The field `weights` stands beside `weight_squares`, so that the `$` of lists does not take
  # `tally$weight` for the squares.
  effective_n <- if (is.null(weight_squares)) {
    n
  } else {
    ifelse(weight_squares > 0, n^2 / weight_squares, 0)
  }
  structure(
    list(
      mechanism = mechanism,
      counts = counts,
      n = n,
      effective_n = effective_n,
      weights = NULL,
      weight_squares = weight_squares,
      respondents = respondents,
      groups = groups,
      missing = missing
    ),
    class = "rr_tally"
  )
}

# ---- blocks of people whose reports depend on each other ----

# A tally with its blocks: for each group list(label, counts).
with_blocks <- function(tally, blocks) {
  check_block_sizes(
    unlist(lapply(blocks, `[[`, "label")), unlist(lapply(blocks, block_people)),
    tally$mechanism
  )
  tally$blocks <- blocks
  tally
}

merge_blocks <- function(blocks) {
  counts <- rowsum(
    t(do.call(cbind, lapply(blocks, `[[`, "counts"))),
    unlist(lapply(blocks, `[[`, "label")), reorder = FALSE
  )
  list(label = rownames(counts), counts = unname(t(counts)))
}

check_block_sizes <- function(labels, people, mechanism) {
  sizes <- rowsum(people, labels)
  large <- which.max(sizes)
  if (any(sizes > mechanism$cards)) {
    abort(
      c(
        paste(
          "A block must not have more people than the deck has cards,",
          "{format_count(mechanism$cards)}."
        ),
        x = "Block {.val {rownames(sizes)[large]}} has {format_count(sizes[large])}."
      ),
      "report"
    )
  }
}
