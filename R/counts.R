#' A tally from counts that already exist
#'
#' For published tables, `GROUP BY` results, and anything that is already counted.
#'
#' @param counts Number of times each report was given: a numeric vector or one-dimensional `table`, or a matrix
#'   with one row per report and one named column per group. With names (row names) they are matched to the labels of the
#'   mechanism, in any order, and absent labels count 0; without names there must be one count per
#'   report, in the order of the mechanism. Of several questions ([rr_product()]) the reports are the cells, or `counts`
#'   is a table with one dimension a question.
#' @param mechanism How the answers were randomised.
#' @param effective_n For weighted counts, which need not be whole: the effective number of respondents
#'   \eqn{(\sum w)^2 / \sum w^2} that uncertainty is based on, one number (per group). Without it
#'   counts must be whole.
#' @return An object of class `rr_tally`, see [rr_tally()].
#' @section Errors:
#' `candor_error_counts` for negative, non-finite or fractional counts and `candor_error_level` for
#' names that are not labels, with the offender's value and place; `candor_error_argument` for the wrong
#' number of counts; `candor_error_empty` when all counts are 0.
#' @source Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015), see [nigeria_survey], for the counts of the example.
#' @examples
#' # Nigeria, contact with armed groups: a die forced "yes" on 6 and "no" on 1
#' nigeria <- rr_counts(c(yes = 831, no = 1604), rr_forced(1 / 6))
#' tidy(rr_estimate(nigeria), conf.int = TRUE)
#' @export
rr_counts <- function(counts, mechanism, effective_n = NULL) {
  check_given()
  check_mechanism(mechanism)
  counts <- flatten_questions(counts, mechanism)
  if (!is.numeric(counts) || length(dim(counts)) > 2L || (is.object(counts) && !is.table(counts))) {
    abort(c("{.arg counts} must be numbers: a vector, a table, or a matrix with one column per group.",
            x = "It is {describe(counts)}."), "argument")
  }
  grouped <- length(dim(counts)) == 2L
  if (grouped) check_group_names("group", mechanism, call = environment())
  groups <- if (grouped) check_columns(colnames(counts) %||% as.character(seq_len(ncol(counts))))
  labels <- if (grouped) rownames(counts) else names(counts)
  k <- length(mechanism$reports)
  if (is.null(labels) && (if (grouped) nrow(counts) else length(counts)) != k) {
    abort(c("{.arg counts} must have one count per report.",
            x = "It has {if (grouped) nrow(counts) else length(counts)}, and the mechanism has {k}.",
            i = "Name the counts to leave out those that are 0."), "argument")
  }
  values <- if (is.null(attributes(counts)) && is.double(counts)) counts else as.double(counts)
  check <- .Call(C_rr_check_counts, values, is.null(effective_n))
  check_size(check[1], is.null(effective_n))
  if (check[2] > 0) abort_count(counts, values, check[2], labels, effective_n)
  if (check[1] == 0) {
    abort(c("{.arg counts} must not all be 0.", x = "They add up to 0: there is nothing to estimate from."), "empty")
  }
  if (grouped) values <- matrix(values, nrow(counts))
  if (!is.null(labels) && !identical(labels, mechanism$reports)) values <- place_counts(values, labels, mechanism)
  n <- if (grouped) colSums(values) else check[1]
  new_rr_tally(mechanism, values, n = n, groups = if (grouped) tibble::tibble(group = groups),
               weight_squares = effective_squares(effective_n, n))
}

# Whole counts are exact up to 2^53; a total beyond the range of a double is nobody's survey either.
check_size <- function(total, whole, call = caller_env()) {
  most <- if (whole) 2^53 else 1e100
  if (total == 0 || (total >= 1e-100 && total <= most)) return(invisible())
  abort(c("{.arg counts} must add up to at most {if (whole) '2^53' else '1e100, and at least 1e-100'}.",
          x = "They add up to {format(total, digits = 3)}."), "counts", call = call)
}

check_columns <- function(names, call = caller_env()) {
  if (anyNA(names) || anyDuplicated(names)) {
    twice <- names[c(which(is.na(names)), anyDuplicated(names))[1]]
    abort(c("The columns of {.arg counts} must have different names: they are the groups.",
            x = if (is.na(twice)) "One has none." else "{.val {twice}} appears more than once."),
          "argument", call = call)
  }
  names
}

effective_squares <- function(effective_n, n, call = caller_env()) {
  if (is.null(effective_n)) return(NULL)
  if (!is.numeric(effective_n) || is.object(effective_n) || !length(effective_n) %in% c(1L, length(n)) ||
      anyNA(effective_n) || any(effective_n < 1 | is.infinite(effective_n))) {
    abort(c("{.arg effective_n} must be a number, at least 1{if (length(n) > 1) ', or one per group'}.",
            x = "It is {describe(effective_n)}."), "argument", call = call)
  }
  n^2 / effective_n
}

# Counts under their labels' places in the mechanism; absent labels count 0.
place_counts <- function(values, labels, mechanism, call = caller_env()) {
  position <- match_labels(labels, mechanism)
  if (anyNA(position)) {
    abort(c("The names of {.arg counts} must be levels of the mechanism.",
            x = "{.val {labels[is.na(position)][1]}} is not one.",
            i = "The levels are {format_labels(mechanism$reports)}."), "level", call = call)
  }
  if (anyDuplicated(position)) {
    abort(c("The names of {.arg counts} must all differ.",
            x = "{.val {labels[anyDuplicated(position)]}} appears more than once."), "level", call = call)
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

abort_count <- function(counts, values, position, labels, effective_n, call = caller_env()) {
  value <- values[position]
  row <- if (is.matrix(counts)) (position - 1) %% nrow(counts) + 1 else position
  at <- if (is.null(labels)) paste("Count", format_count(position))
        else sprintf("The count of \"%s\"", labels[row])
  fractional <- is.finite(value) && value >= 0
  abort(c(if (fractional) "{.arg counts} must be whole numbers." else "{.arg counts} must be finite and at least 0.",
          x = "{at} is {format(value, digits = 15)}.",
          i = if (fractional) {
            "For weighted counts give {.arg effective_n}, or use {.fn rr_tally} with {.arg weights}."
          }),
        "counts", call = call)
}
