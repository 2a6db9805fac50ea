#' A tally from existing counts
#'
#' Makes a tally from a published table, the result of a `GROUP BY`, or other counts of reports.
#'
#' @section Data frames of counts:
#' Two shapes are accepted. Counts may be of class `integer64`.
#'
#' * One column per report, named like the reports, and one row per group, such as `nigeria_survey[c("no", "yes")]`.
#' * One row per report and group, with a column of labels and a column of counts named `n`, `count` or `Freq`, as from `dplyr::count()`, `as.data.frame()` of a
#'   table and `tidy()` of a tally. Weighted counts have the columns that [rr_query()] makes: `n`, `weight_sum` and `weight_squares`.
#'
#' All other columns are groups.
#'
#' @param counts Counts of the reports, not percentages, or with `n` their shares. A numeric vector, a one-dimensional `table`, a matrix with one row per report and one
#'   named column per group, or a data frame. (Row) names are matched to the labels of the mechanism, and absent labels count 0. Without names
#'   the counts are in the order of the mechanism's reports. For [rr_product()] the counts of the cells, or a table with one dimension per question.
#' @param mechanism How the answers were randomized.
#' @param effective_n For weighted counts: the effective number of respondents \eqn{(\sum w)^2 / \sum w^2}, one number (per group). Without it counts must be whole.
#' @param n Number of respondents (per group). Needed for shares, and if a report supports several categories or none, see [rr_law()]; otherwise it is the sum of the counts.
#' @param column For a data frame: name of the column of labels, if that is not clear.
#' @param by For a data frame: the columns of the groups, by name or as a formula. By default all other columns except totals, and no groups for a
#'   single row of counts.
#' @param ... Must be empty.
#' @return An object of class `rr_tally`, see [rr_tally()].
#' @section Errors:
#' * `candor_error_counts`: negative, non-finite or fractional counts; shares that do not add up to 1.
#' * `candor_error_level`: names that are not labels.
#' * `candor_error_argument`: the wrong number of counts. `candor_error_empty`: all counts are 0.
#' @references Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015), see [nigeria_survey], for the counts of the example.
#' @seealso [rr_tally()] for data; [rr_query()] for counts in a database.
#' @concept published table
#' @concept aggregated data
#' @examples
#' # Nigeria, contact with armed groups: a die forced "yes" on 6 and "no" on
#' # 1. What is the prevalence?
#' nigeria <- rr_counts(c(yes = 831, no = 1604), rr_forced(1 / 6))
#' tidy(rr_estimate(nigeria), conf.int = TRUE)   # 26% (23% to 29%)
#'
#' # The same from a row of the survey, and from one row per report
#' rr_counts(nigeria_survey[c("no", "yes")], rr_forced(1 / 6))
#' rr_counts(data.frame(answer = c("yes", "no"), n = c(831, 1604)),
#'           rr_forced(1 / 6))
#' @export
rr_counts <- function(
  counts,
  mechanism,
  effective_n = NULL,
  n = NULL,
  column = NULL,
  by = NULL,
  ...
) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  refuse_block_counts(mechanism)
  # Counts that table() or count() made are integers, or stand in a column that says so: nobody
  # wrote percentages there.
  written <- if (is.data.frame(counts)) !any(count_names %in% names(counts))
    else is.double(counts) && !is.object(counts)
  frame <- if (is.data.frame(counts)) frame_counts(counts, mechanism, column, by)
  else if (!is.null(column) || !is.null(by)) {
    abort("{.arg column} and {.arg by} name columns of a data frame.")
  }
  if (!is.null(frame$weight_squares) && !is.null(effective_n)) {
    abort("{.arg effective_n} is not for counts that have the squares of their weights.")
  }
  counts <- flatten_questions(plain_numbers(frame$counts %||% counts), mechanism)
  check_that(
    is.numeric(counts) && length(dim(counts)) <= 2L &&
      (!is.object(counts) || is.table(counts)),
    counts, "counts", "numbers: a vector, a table, or a matrix with one column per group"
  )
  grouped <- length(dim(counts)) == 2L
  keys <- frame$groups %||% if (grouped) column_groups(counts, mechanism)
  values <- if (is.null(attributes(counts)) && is.double(counts)) counts else as.double(counts)
  categories <- has_categories(mechanism)
  if (categories && !is.null(n) && is_shares(values)) {
    values <- whole_within_rounding(share_counts(values, n, if (grouped) ncol(counts) else 1L))
    # Shares of a table are rounded, and so are their counts.
    if (any(values %% 1 > 0)) effective_n <- effective_n %||% n
    n <- NULL
  }
  is_whole <- is.null(effective_n) && is.null(frame$weight_squares)
  total <- check_count_values(values, is_whole, categories)
  labels <- if (grouped) rownames(counts) else names(counts)
  if (grouped) values <- matrix(values, nrow(counts))
  if (categories && is_whole && written) inform_hundreds(values)
  values <- place_counts(values, labels, mechanism)
  n <- check_respondents(n, values, if (categories) if (grouped) colSums(values) else total)
  if (!is.null(effective_n)) check_effective(effective_n, length(n))
  new_rr_tally(
    mechanism,
    values,
    n = n,
    groups = keys,
    weight_squares = frame$weight_squares %||% if (!is.null(effective_n)) n^2 / effective_n,
    respondents = frame$respondents
  )
}

# Are these shares of the reports, rather than counts?
is_shares <- function(values) {
  is_unit <- !is.na(values) & values >= 0 & values <= 1
  all(is_unit) && any(values %% 1 > 0)
}

# The counts of `n` reports of each group that have these shares.
share_counts <- function(values, n, n_groups) {
  check_that(
    is_numbers(n) && length(n) %in% c(1L, n_groups) && all(n > 0 & n <= 1e100), n, "n",
    "the number of respondents (per group), above 0"
  )
  shares <- matrix(values, ncol = n_groups)
  totals <- colSums(shares)
  odd <- which(abs(totals - 1) > 1e-6)[1]
  if (!is.na(odd)) {
    abort(c("{.arg counts} must add up to 1 if they are shares of {.arg n} reports.",
            x = "They add up to {format(totals[odd], digits = 8)}."), "counts")
  }
  as.vector(shares * rep(n, each = nrow(shares), length.out = length(shares)))
}

# Counts from shares: those that arithmetic has left with a rounding are whole.
whole_within_rounding <- function(values) {
  rounded <- round(values)
  is_near <- abs(values - rounded) <= 1e-9 * pmax(1, rounded)
  if (all(is_near)) rounded else values
}

refuse_block_counts <- function(mechanism) {
  if (!is.null(mechanism$codec$block)) {
    abort(c("Counts do not say in which block each report was made.",
            i = "Give rows with their blocks to {.fn rr_tally}, which takes {.arg count}."))
  }
}

check_effective <- function(effective_n, groups) {
  check_that(
    is_numbers(effective_n) && length(effective_n) %in% c(1L, groups) &&
      all(effective_n >= 1 & is.finite(effective_n)),
    effective_n, "effective_n", "numbers of at least 1"
  )
}

# The total of counts, which are whole numbers or weighted. If reports are `categories` the sample
# must not be empty.
check_count_values <- function(values, is_whole, categories) {
  check <- .Call(C_rr_check_counts, values, is_whole)
  total <- check[1]
  # Whole counts are exact up to 2^53; a total beyond the range of a double is refused too.
  fits <- if (is_whole) {
    total < 2^53 || (total == 2^53 && !beyond_exact(values))
  } else {
    total >= 1e-100 && total <= 1e100
  }
  if (categories && total != 0 && !fits) {
    abort(
      paste(
        "{.arg counts} must add up to at most",
        "{if (is_whole) '2^53' else '1e100, and at least 1e-100'}."
      ),
      "counts"
    )
  }
  if (check[2] > 0) {
    abort(
      c(
        paste(
          "{.arg counts} must be finite and at least 0,",
          "and whole numbers without {.arg effective_n}."
        ),
        x = "Count {check[2]} is {number_text(values[check[2]])}.",
        i = "Shares need {.arg n}, the number of reports; percentages are no counts.",
        i = paste(
          "Areas and expected counts need {.arg effective_n},",
          "the number of people or pixels they are worth."
        )
      ),
      "counts"
    )
  }
  if (categories && total == 0) abort("{.arg counts} must not all be 0.", "empty")
  total
}

# The columns of a matrix are groups. A matrix without names of rows, whose columns are called as
# the reports are, has one row a group instead.
column_groups <- function(counts, mechanism) {
  names <- colnames(counts) %||% as.character(seq_len(ncol(counts)))
  if (is.null(rownames(counts)) && setequal(names, mechanism$reports)) {
    abort(c("{.arg counts} must have one row per report.", i = "Give {.code t(counts)}."))
  }
  if (anyNA(names) || anyDuplicated(names)) {
    abort("The columns of {.arg counts} must have different names.")
  }
  as_tibble(name_groups(list(group = names), mechanism))
}

# The number of respondents. If a report is one category it is the `total` of the counts; each count
# of support is at most as large.
check_respondents <- function(n, values, total) {
  if (is.null(n) && !is.null(total)) return(total)
  groups <- NCOL(values)
  check_that(
    is_numbers(n) && length(n) %in% c(1L, groups) &&
      all(n > 0 & n <= 1e100),
    n, "n", "the number of respondents (per group), above 0"
  )
  n <- rep_len(as.double(n), groups)
  if (!is.null(total)) {
    if (all(abs(n - total) <= 1e-9 * total)) return(total)
    abort("{.arg n} must be the sum of the counts, since a report is one category.", "mismatch")
  }
  if (all(apply(as.matrix(values), 2, max) <= n * (1 + 1e-9))) {
    return(n)
  }
  abort("{.arg counts} must not be above {.arg n}, the number of respondents.", "counts")
}

# Counts in the order of the mechanism's reports; absent labels count 0.
place_counts <- function(values, labels, mechanism) {
  k <- length(mechanism$reports)
  if (is.null(labels) && NROW(values) != k) {
    abort("{.arg counts} must have one count per report, {k}.")
  }
  if (is.null(labels) || identical(labels, mechanism$reports)) return(values)
  position <- match_labels(labels, mechanism)
  odd <- labels[is.na(position) | duplicated(position)][1]
  if (anyNA(position) || anyDuplicated(position)) {
    abort(
      paste(
        "The names of {.arg counts} must be levels of the mechanism, each at most once,",
        "and {.val {odd}} is not."
      ),
      "level"
    )
  }
  placed <- matrix(0, k, NCOL(values))
  placed[position, ] <- values
  if (is.matrix(values)) placed else as.vector(placed)
}

# Percentages are often whole numbers. So are true samples of 100, whose owner needs to be told but
# once.
inform_hundreds <- function(values) {
  if (all(colSums(as.matrix(values)) == 100) &&
      !all(values %in% c(0, 100))) {
    cli::cli_inform("The counts add up to 100: they are read as 100 people, not as percentages.",
                    class = "candor_message_percentages", .frequency = "once",
                    .frequency_id = "candor_message_percentages")
  }
}

# ---- counts in data frames ----

# The column of counts: dplyr::count() calls it n, tidy() of a tally count, as.data.frame() of a
# table Freq.
count_names <- c("n", "count", "Freq")

# list(counts, groups, ...): a data frame of counts as a vector or matrix, and the groups of its
# columns. It has one of two shapes: a column for each report (the surveys of this package), or one
# row per report with its label and its count (dplyr::count(), tidy() of a tally).
frame_counts <- function(counts, mechanism, column, by) {
  counts <- as_plain_frame(counts)
  by <- frame_names(counts, by, "by") %||% refuse_vector(by, "by")
  there <- intersect(mechanism$reports, names(counts)[vapply(counts, is.numeric, NA)])
  if (!is.null(column) || !length(there)) {
    return(long_counts(counts, mechanism, column, by))
  }
  if (length(there) == length(mechanism$reports)) {
    return(wide_counts(counts, mechanism, by))
  }
  abort("{.arg counts} must have a column for each report, or one row per report.")
}

wide_counts <- function(counts, mechanism, by) {
  values <- t(
    as.matrix(as.data.frame(lapply(counts[mechanism$reports], plain_numbers), check.names = FALSE))
  )
  dimnames(values) <- list(mechanism$reports, NULL)
  if (nrow(counts) == 1L && is.null(by)) {
    return(list(counts = values[, 1]))
  }
  if (is.null(by)) {
    # Columns of the totals of the counts are no groups.
    total <- vapply(
      counts,
      function(each) {
        is.numeric(each) && isTRUE(all.equal(as.vector(each), colSums(values)))
      },
      NA
    )
    by <- setdiff(names(counts)[!total], mechanism$reports)
    if (!length(by) || anyDuplicated(counts[by])) {
      counts$group <- seq_len(nrow(counts))
      by <- "group"
    }
  }
  name_groups(as.list(counts[by]), mechanism)
  twice <- anyDuplicated(counts[by])
  if (twice) {
    abort("{.arg counts} must have one row per group: row {twice} is of a group of another row.")
  }
  list(counts = values, groups = as_tibble(counts[by]))
}

long_counts <- function(counts, mechanism, column, by) {
  sums <- weight_columns(counts)
  count_column <- if (is.null(sums)) {
    intersect(count_names, names(counts))[1]
  } else {
    query_columns[["sum"]]
  }
  if (is.na(count_column) || !is.numeric(plain_numbers(counts[[count_column]]))) {
    abort(
      paste(
        "{.arg counts} must have a column of counts called {.or {.val {count_names}}},",
        "or one for each report."
      )
    )
  }
  questions <- question_fields(names(counts), mechanism$questions, needed = FALSE)
  answers <- frame_names(counts, column, "column", single = TRUE) %||%
    refuse_vector(column, "column") %||% if (length(questions) && all(lengths(questions) > 0L)) {
      unlist(questions, use.names = FALSE)
    } else {
      label_column(counts, mechanism, c(count_column, by, names(sums)))
    }
  keys <- by %||% setdiff(
    names(counts),
    c(count_column, names(sums), answers, "share", if (length(questions)) "term")
  )
  twice <- anyDuplicated(counts[c(answers, keys)])
  if (twice) {
    abort("{.arg counts} must have one row for each report (and group): row {twice} repeats one.")
  }
  if (is.null(sums)) counts$n <- counts[[count_column]]
  query <- list(
    answers = answers,
    keys = keys,
    weight = names(sums)[2],
    layout = "categories"
  )
  tally <- tally_answer(counts, mechanism, query, na.rm = FALSE)
  values <- as.matrix(tally$counts)
  rownames(values) <- mechanism$reports
  list(
    counts = if (is.null(tally$groups)) values[, 1] else values,
    groups = tally$groups,
    weight_squares = tally$weight_squares,
    respondents = tally$respondents
  )
}

# The name of the column of labels: "term", the only column that holds nothing but reports, or the
# only one that is left.
label_column <- function(counts, mechanism, others) {
  left <- setdiff(names(counts), others)
  if ("term" %in% left) return("term")
  holds_reports <- function(values) {
    values <- unique(label_text(if (is.factor(values)) levels(values) else values))
    values <- values[!is.na(values)]
    length(values) > 0L && !anyNA(match_labels(values, mechanism))
  }
  likely <- left[vapply(counts[left], holds_reports, NA)]
  if (length(likely) == 1L) return(likely)
  if (!length(likely) && length(left) == 1L) return(left)
  abort("{.arg column} is needed: the name of the column that says which report was counted.")
}

#' @rdname rr_tally
#' @export
rr_tally.table <- function(x, mechanism, ...) {
  check_dots_empty(...)
  rr_counts(x, mechanism)
}
