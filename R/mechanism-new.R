#' Extending candor: a mechanism or a protocol of your own
#'
#' A mechanism is an object and a few methods, so a new one needs only one file. The constructor calls `rr_new_mechanism()`; a method
#' of [rr_law()] says how its reports depend on the truth. Where a report is a category, nothing else is needed: printing, [rr_perturb()], [rr_tally()],
#' [rr_estimate()], [rr_product()] and [rr_study()] then work. Where a report is something else (a vector of bits, a hash value), two
#' more methods say how it is drawn and how it is counted.
#'
#' | generic | answers | needed |
#' |---|---|---|
#' | `rr_law(mechanism)` | how reports depend on the truth, see [rr_law()] | always |
#' | `rr_draw_reports(mechanism, answers, rng)` | one report for each answer | where a report is not a category |
#' | `rr_count_reports(mechanism, x, ...)` | the counts of many reports | where a report is not a category |
#' | `rr_simulate_counts(mechanism, truth, nsim)` | random counts without drawing reports | for `simulate()` and the bootstrap, where a report is not a category |
#'
#' `print()` and `format()` use `design` and `epsilon`.
#'
#' @section Counting reports:
#' A method of `rr_count_reports()` gets the reports `x` as the user has them, must refuse values that are not reports, and returns a list with
#' `counts`: one number per label in `reports`, or a matrix with one column per group. Counts need not add up to the number
#' of reports. `groups` is `NULL` or holds the number of the group, 1, 2, ..., of each report, `weights` is `NULL` or holds one weight
#' per report. With `na.rm = TRUE` missing reports may be left out; the element `dropped` of the list then gives their positions. The number of
#' reports is the number of rows of a matrix or data frame, else the `length()`, for which a class of reports may have a method.
#'
#' @param kind One word: the class of the mechanism is `c("rr_<kind>", "rr_mechanism")`.
#' @param levels Labels of the true answers, or their number.
#' @param ... Further elements of the mechanism, by name. In methods: arguments of other methods.
#' @param reports Labels of the counts: the reports, or, where a report is not a category, what is counted. By default the levels.
#' @param epsilon The privacy level, a number of at least 0, possibly `Inf`.
#' @param design One line that describes the mechanism.
#' @param yes_no May 0 and 1 stand for the two answers and the two reports?
#' @param mechanism A mechanism.
#' @param answers Positions of the true answers among the levels, whole numbers; none is missing.
#' @param rng `"secure"` or `"R"`, see [rr_perturb()]. To get exact probabilities, a method may call [rr_perturb()] with a simpler mechanism.
#' @param x The reports.
#' @param groups,weights,na.rm See below.
#' @param truth Number of respondents who hold each level: whole numbers.
#' @param nsim Number of simulated tallies.
#' @return `rr_new_mechanism()`: a mechanism. `rr_draw_reports()`: the reports; for mechanisms whose reports are categories their positions.
#'   `rr_count_reports()`: a list, see below. `rr_simulate_counts()`: a matrix with one row per label in `reports` and one column per tally.
#' @section Errors:
#' `candor_error_argument` for arguments of the wrong type or range, and for methods that return something else; `candor_error_law`
#' where a method is needed and missing.
#' @source Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745 (the example is their symmetric unary encoding).
#' @seealso [rr_law()]; [rr_new_method()] for an estimator of your own.
#' @examples
#' # Symmetric unary encoding: one bit per category, each turned round with probability 1 - p
#' rr_toy <- function(levels, epsilon) {
#'   p <- plogis(epsilon / 2)
#'   rr_new_mechanism("toy", levels, epsilon = epsilon, design = "Symmetric unary encoding", p = p)
#' }
#' rr_law.rr_toy <- function(mechanism) rr_new_law("support", mechanism$p, 1 - mechanism$p)
#' rr_draw_reports.rr_toy <- function(mechanism, answers, rng = "secure") {
#'   bits <- outer(answers, seq_along(mechanism$levels), "==")
#'   bits[] <- rr_perturb(as.vector(bits), rr_binary(mechanism$p, 1 - mechanism$p), rng)
#'   bits
#' }
#' rr_count_reports.rr_toy <- function(mechanism, x, groups = NULL, weights = NULL,
#'                                     na.rm = FALSE, ...) {
#'   stopifnot(is.matrix(x), is.logical(x), !anyNA(x))
#'   if (is.null(weights)) weights <- rep(1, nrow(x))
#'   if (is.null(groups)) groups <- rep(1, nrow(x))
#'   list(counts = t(rowsum(x * weights, groups)))
#' }
#' mechanism <- rr_toy(c("red", "green", "blue"), epsilon = 2)
#' mechanism
#' truth <- rep(mechanism$levels, c(600, 300, 100))
#' tally <- rr_tally(rr_perturb(truth, mechanism), mechanism)
#' tidy(rr_estimate(tally, method = "inv"), conf.int = TRUE)
#' @export
rr_new_mechanism <- function(kind, levels, ..., epsilon, design, reports = levels, yes_no = FALSE) {
  if (!is.character(kind) || length(kind) != 1L || is.na(kind) || !grepl("^[A-Za-z][A-Za-z0-9._]*$", kind)) {
    abort(c("{.arg kind} must be one word.", x = "It is {describe(kind)}."), "argument")
  }
  if (!is.character(design) || length(design) != 1L || is.na(design)) {
    abort(c("{.arg design} must be one line of text.", x = "It is {describe(design)}."), "argument")
  }
  fields <- list(...)
  if (length(fields) && (is.null(names(fields)) || !all(nzchar(names(fields))))) {
    abort("Further elements of a mechanism must have names.", "argument")
  }
  truths <- check_levels(levels)
  labels <- if (missing(reports)) truths else check_levels(reports, "reports")
  new_rr_mechanism(kind, truths$labels, ..., reports = labels$labels, numeric_levels = labels$numeric,
                   numeric_truths = truths$numeric, epsilon = check_number(epsilon, "epsilon", min = 0),
                   design = design,
                   yes_no = check_flag(yes_no, "yes_no"))
}
