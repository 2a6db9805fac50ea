#' Tally randomised reports
#'
#' Counts the reports. The counts are all that estimation needs: nothing downstream of a tally sees an
#' individual report. One pass over the data, in memory of the size of the categories; it can be
#' interrupted.
#'
#' @param x The reports: a factor, character, integer, whole-number double or logical vector, or a
#'   one-dimensional `table` of them. All are matched to the labels of the mechanism where these say what they are,
#'   in whatever order the labels stand: text and factors always, numbers where labels are numbers (`rr_grr(0:9, ...)`
#'   or `rr_grr(c("0", "1", "2"), ...)`), logical values where the two labels are `TRUE` and `FALSE` or 1 and 0.
#'   Otherwise numbers are positions 1, 2, ...; but for a yes/no question ([rr_binary()] and its kin, [rr_forced()],
#'   [rr_unrelated()]) 0 means the first level and 1 the second, as numbers or as the labels "0" and "1", "FALSE" and
#'   "TRUE" of text and factors. Logical values are `FALSE` for the first of two levels and `TRUE` for the second.
#' @param mechanism How the answers were randomised, see [rr_grr()], [rr_binary()], [rr_forced()].
#' @param ... For methods of other kinds of data.
#' @param weights Survey weights, one finite number at least 0 per report. Counts become sums of weights, and the
#'   number of respondents that uncertainty is based on becomes Kish's effective number
#'   \eqn{(\sum w)^2 / \sum w^2}.
#' @param by Groups: a vector with one entry per report, or a data frame or list of several. The tally then
#'   holds one set of counts per combination that occurs, in sorted order.
#' @param na.rm Drop missing reports, and say how many? If `FALSE`, a missing report is an error.
#' @return An object of class `rr_tally`: a list with the `mechanism`; `counts`, one number per report
#'   category, or a matrix with one column per group; `n`, the number of reports per group (or the sum of weights);
#'   `effective_n`; `groups`, a data frame of the group keys or `NULL`; and `missing`, the number dropped.
#'   Tallies of one mechanism are merged with `c()`, in any order and grouping, to the tally of
#'   all the data. `as.data.frame()` and `tidy()` turn it into a data frame with columns `term`, `count` and `share`.
#' @section Errors:
#' `candor_error_level` for a report that is not a level, `candor_error_missing` for a missing one
#' without `na.rm`, both with value and position; `candor_error_argument` for weights or groups
#' of the wrong length or value, or named like a column of results or a question; `candor_error_mismatch` when tallies of different mechanisms are merged.
#' @seealso [rr_counts()] for counts that already exist.
#' @source Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' reports <- rr_perturb(sample(mechanism$levels, 1000, replace = TRUE, prob = c(6, 3, 1)), mechanism)
#' rr_tally(reports, mechanism)
#'
#' # Chunks merge to the tally of the whole
#' chunks <- split(reports, rep(1:4, 250))
#' do.call(c, lapply(unname(chunks), rr_tally, mechanism))
#' @export
rr_tally <- function(x, mechanism, ...) {
  check_given(x = "the reports")
  UseMethod("rr_tally")
}

#' @rdname rr_tally
#' @export
rr_tally.default <- function(x, mechanism, ..., weights = NULL, by = NULL, na.rm = FALSE) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  by <- name_groups(by, mechanism)
  codes <- encode_reports(x, mechanism)
  tally_codes(codes$codes, codes$first, x, mechanism, weights, by, na.rm)
}

#' @rdname rr_tally
#' @export
rr_tally.table <- function(x, mechanism, ...) {
  check_dots_empty(...)
  on_behalf(rr_counts(x, mechanism))
}

# `codes - first` is the 0-based category. `shown` is what the user gave, for the error message.
tally_codes <- function(codes, first, shown, mechanism, weights, by, na.rm, call = caller_env()) {
  n <- length(codes)
  weights <- check_weights(weights, n, call)
  groups <- make_groups(by, n, call)
  k <- length(mechanism$reports)
  result <- .Call(C_rr_tally, codes, as.integer(first), as.double(k), groups$codes,
                  as.double(max(1L, groups$n)), weights, na.rm)
  if (result$position > 0) abort_report(shown, result$position, mechanism, na.rm, call)
  check_total(if (is.null(weights)) 0 else result$counts, "weights", call)
  if (result$missing > 0) {
    cli::cli_inform("{result$missing} missing report{?s} dropped.", class = "candor_message_missing")
  }
  counts <- if (is.null(groups)) result$counts else matrix(result$counts, nrow = k)
  new_rr_tally(mechanism, counts, groups = groups$keys, missing = result$missing,
               weight_squares = if (!is.null(weights)) result$weight_squares)
}

check_weights <- function(weights, n, call) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || is.object(weights) || length(weights) != n) {
    abort(c("{.arg weights} must be numbers, one per report.",
            x = "It is {describe(weights)}; there are {n} reports."), "argument", call = call)
  }
  bad <- which(is.na(weights) | weights < 0 | is.infinite(weights))
  if (length(bad)) {
    abort(c("{.arg weights} must be finite and at least 0.", x = "Weight {bad[1]} is {weights[bad[1]]}."),
          "argument", call = call)
  }
  as.double(weights)
}

# The columns that tables of tallies, fits and traces put next to the groups and the questions.
result_columns <- c("term", "count", "share", "estimate", "std.error", "conf.low", "conf.high", ".fitted", ".resid",
                    "iteration", "loglik", "gap")

check_result_names <- function(names, must_not, one, call) {
  reserved <- intersect(names, result_columns)
  if (!length(reserved)) return(invisible())
  abort(c(paste(must_not, "the names of result columns."), x = "{.val {reserved[1]}} is one.",
          i = "Rename that {one}."), "argument", call = call)
}

# Beyond these totals the squares of weights leave the range of a double.
check_total <- function(counts, arg, call) {
  total <- sum(counts)
  if (total == 0 || (total >= 1e-100 && total <= 1e100)) return(invisible())
  abort(c("{.arg {arg}} must add up to something between 1e-100 and 1e100.",
          x = "The sum is {format(total, digits = 3)}.", i = "Rescale them: only their ratios matter."),
        "argument", call = call)
}

# Groups as a named list whose names are free next to the results.
name_groups <- function(by, mechanism, call = caller_env()) {
  if (is.null(by)) return(NULL)
  if (!is.list(by)) by <- list(group = by)
  by <- as.list(by)
  if (length(by) == 0L) return(NULL)
  if (is.null(names(by)) || !all(nzchar(names(by)))) {
    if (length(by) == 1L) names(by) <- "group"
    else abort(c("{.arg by} must have a name for each of its {length(by)} vectors."), "argument", call = call)
  }
  check_result_names(names(by), "{.arg by} must not use", "group", call)
  if (anyDuplicated(names(by))) {
    abort(c("{.arg by} must have a different name for each of its vectors.",
            x = "{.val {names(by)[anyDuplicated(names(by))]}} appears more than once."), "argument", call = call)
  }
  check_group_names(names(by), mechanism, call)
  by
}

check_group_names <- function(names, mechanism, call) {
  taken <- intersect(names, names(mechanism$questions))
  if (length(taken)) {
    abort(c("Groups must not have the names of questions.", x = "{.val {taken[1]}} is both.",
            i = "Rename the group or the question."), "argument",
          call = call)
  }
}

make_groups <- function(by, n, call) {
  if (is.null(by)) return(NULL)
  for (name in names(by)) {
    if (!is.atomic(by[[name]]) || length(by[[name]]) != n) {
      abort(c("{.arg by} must have one entry per report.",
              x = "{.val {name}} is {describe(by[[name]])}; there are {n} reports."), "argument", call = call)
    }
    if (anyNA(by[[name]])) {
      abort(c("{.arg by} must not have missing groups.",
              x = "{.val {name}} is NA at position {which(is.na(by[[name]]))[1]}."), "missing", call = call)
    }
  }
  values <- lapply(by, function(v) if (is.factor(v)) levels(droplevels(v)) else sort(unique(v)))
  places <- Map(match, by, values)
  cells <- number_groups(unname(places))
  keys <- Map(function(original, value, place) {
    key <- value[place[cells$first]]
    if (is.factor(original)) factor(key, levels(original)) else key
  }, by, values, places)
  list(codes = cells$codes, n = length(cells$first), keys = tibble::as_tibble(keys))
}

# The combinations that occur, numbered in order, the first variable running fastest; `first` is where each is met.
# Many possible ones are sorted, not computed: their number may be beyond what any number type counts exactly.
number_groups <- function(places) {
  sizes <- vapply(places, max, 0L, 0L)
  if (prod(sizes) <= max(1e4, length(places[[1]]))) {
    strides <- as.integer(cumprod(c(1, sizes)))[seq_along(sizes)]
    cells <- Reduce(`+`, Map(function(place, stride) (place - 1L) * stride, places, strides)) + 1L
    occurs <- tabulate(cells, prod(sizes)) > 0L
    return(list(codes = cumsum(occurs)[cells], first = match(which(occurs), cells)))
  }
  order <- do.call(order, c(rev(places), list(method = "radix")))
  starts <- seq_along(order) == 1L
  for (place in places) {
    sorted <- place[order]
    starts <- starts | c(TRUE, sorted[-1] != sorted[-length(sorted)])[seq_along(order)]
  }
  codes <- integer(length(order))
  codes[order] <- cumsum(starts)
  list(codes = codes, first = order[starts])
}

new_rr_tally <- function(mechanism, counts, groups = NULL, missing = 0, weight_squares = NULL,
                         n = if (is.matrix(counts)) colSums(counts) else sum(counts)) {
  structure(
    list(mechanism = mechanism, counts = counts, n = n,
         effective_n = if (is.null(weight_squares)) n else ifelse(weight_squares > 0, n^2 / weight_squares, 0),
         weight_squares = weight_squares, groups = groups, missing = missing),
    class = "rr_tally"
  )
}

#' @export
c.rr_tally <- function(...) {
  tallies <- list(...)
  first <- tallies[[1]]
  for (i in seq_along(tallies)) {
    tally <- tallies[[i]]
    if (!inherits(tally, "rr_tally")) {
      abort(c("Only tallies can be merged with a tally.", x = "Argument {i} is {describe(tally)}."), "argument")
    }
    if (!same_mechanism(tally$mechanism, first$mechanism)) {
      abort(c("Tallies must be of the same mechanism to be merged.",
              x = "Tally {i} is of: {format(tally$mechanism)}.", i = "Tally 1 is of: {format(first$mechanism)}."),
            "mismatch")
    }
    if (!identical(names(tally$groups), names(first$groups))) {
      grouping <- function(t) {
        if (is.null(t$groups)) return("is not grouped")
        paste("is grouped by", paste(names(t$groups), collapse = ", "))
      }
      abort(c("Tallies must have the same grouping to be merged.", x = "Tally {i} {grouping(tally)}.",
              i = "Tally 1 {grouping(first)}."), "mismatch")
    }
  }
  weighted <- !vapply(tallies, function(t) is.null(t$weight_squares), NA)
  # A tally without weights counts each report once: its sum of squared weights is its n.
  squares <- lapply(tallies, function(t) t$weight_squares %||% t$n)
  counts <- lapply(tallies, `[[`, "counts")
  missing <- sum(vapply(tallies, `[[`, 0, "missing"))
  if (is.null(first$groups)) {
    return(new_rr_tally(first$mechanism, Reduce(`+`, counts), missing = missing,
                        weight_squares = if (any(weighted)) Reduce(`+`, squares)))
  }
  rows <- do.call(rbind, lapply(tallies, function(t) as.data.frame(t$groups, stringsAsFactors = FALSE)))
  groups <- make_groups(as.list(rows), nrow(rows), caller_env())
  sums <- function(columns) t(rowsum(t(columns), groups$codes))
  new_rr_tally(first$mechanism, unname(sums(do.call(cbind, counts))), groups = groups$keys, missing = missing,
               weight_squares = if (any(weighted)) as.vector(rowsum(unlist(squares), groups$codes)))
}

#' @export
as.data.frame.rr_tally <- function(x, ...) plain_frame(tidy(x), ...)

#' @export
tidy.rr_tally <- function(x, ...) {
  check_dots_empty(...)
  counts <- as.matrix(x$counts)
  k <- nrow(counts)
  table <- tibble::as_tibble(c(list(term = rep(x$mechanism$reports, ncol(counts))),
                               cell_answers(x$mechanism, "reports", ncol(counts)),
                               list(count = as.vector(counts), share = as.vector(sweep(counts, 2, x$n, `/`)))))
  if (is.null(x$groups)) return(table)
  tibble::as_tibble(c(lapply(x$groups, rep, each = k), table))
}

#' @export
print.rr_tally <- function(x, ...) {
  check_dots_empty(...)
  cat("<rr_tally> ", format_count(sum(x$n)),
      if (is.null(x$weight_squares)) " reports" else " (sum of weights)",
      if (!is.null(x$groups)) sprintf(" in %d groups", nrow(x$groups)),
      if (x$missing > 0) sprintf(", %s missing dropped", format_count(x$missing)), "\n", sep = "")
  cat("  ", format(x$mechanism), "\n", sep = "")
  print(tidy(x))
  invisible(x)
}
