#' Any channel
#'
#' A mechanism from its matrix of transition probabilities: post-randomisation (PRAM), misclassified answers, an
#' instrument with known error rates, a mechanism of your own. It need not be square: reports may be more or fewer
#' than truths.
#'
#' **Rows are truths**: `C[x, y]` is the probability of report `y` given truth `x`, and each row
#' adds up to 1. (sdcMicro stores the transpose of what RRreg stores; where the transpose would have been
#' right, the error says so.)
#'
#' A square channel of the form \eqn{b_y + a\,1\{x = y\}}{b_y + a 1{x = y}}, such as k-ary randomized response written out,
#' is recognised and
#' estimated in closed form. For any other one [rr_estimate()] finds the maximum of the likelihood with a proof of how
#' close it is, see [rr_solver].
#'
#' @param C The matrix of transition probabilities, one row per truth and one column per report.
#' @param levels,reports Labels of the truths and of the reports; by default the row and column names of `C`. The same names in
#'   another order reorder it, others replace its names. A square channel whose
#'   columns have no names reports its own levels.
#' @param tolerance How far a row may be from adding up to 1, for published tables that were rounded. Rows are rescaled to 1.
#' @return A mechanism of class `c("rr_channel", "rr_mechanism")`: a list with, among others, `levels`, `reports`,
#'   `matrix` and `epsilon`.
#' @section Errors:
#' `candor_error_argument` for anything but a matrix of finite probabilities, for a row that does not add up to 1 (named, with its sum),
#' for a report that has probability 0 under every truth (named), and for labels that do not fit.
#' @seealso [rr_pram()], [rr_geometric()], [rr_exponential()] and [rr_misclassification()] make common channels; [rr_compose()]
#'   chains two of them.
#' @source Gouweleeuw, J. M., Kooiman, P., Willenborg, L. C. R. J. and de Wolf, P.-P. (1998). Post randomisation for statistical
#'   disclosure control: theory and implementation. *Journal of Official Statistics* 14(4), 463-478.
#' @examples
#' # Employment status with interviewer error, from a reinterview study
#' C <- rbind(
#'   employed = c(0.95, 0.02, 0.03),
#'   unemployed = c(0.08, 0.85, 0.07),
#'   inactive = c(0.04, 0.03, 0.93)
#' )
#' mechanism <- rr_channel(C)
#' tidy(rr_estimate(rr_counts(c(560, 70, 370), mechanism)), conf.int = TRUE)
#' @export
rr_channel <- function(C, levels = NULL, reports = NULL, tolerance = 1e-8) {
  check_given()
  C <- check_stochastic(order_channel(C, levels, reports), check_number(tolerance, "tolerance", 0, 0.5))
  labels <- channel_labels(C, levels, reports)
  new_rr_channel(C, labels, sprintf("Channel of %d truths and %d reports", nrow(C), ncol(C)))
}

check_stochastic <- function(C, tolerance, arg = "C", call = caller_env()) {
  if (is.data.frame(C) || inherits(C, "Matrix")) C <- as.matrix(C)
  if (!is.matrix(C) || !is.numeric(C) || nrow(C) < 2L || ncol(C) < 2L) {
    abort(c("{.arg {arg}} must be a numeric matrix with at least two rows (truths) and two columns (reports).",
            x = if (is.matrix(C)) "It is a {typeof(C)} matrix of {nrow(C)} by {ncol(C)}." else "It is {describe(C)}."),
          "argument", call = call)
  }
  bad <- which(!is.finite(C) | C < 0 | C > 1 + tolerance)
  if (length(bad)) {
    at <- c((bad[1] - 1) %% nrow(C) + 1, (bad[1] - 1) %/% nrow(C) + 1)
    abort(c("{.arg {arg}} must hold probabilities, from 0 to 1.",
            x = "Row {at[1]}, column {at[2]} is {format(C[bad[1]], digits = 6)}."), "argument", call = call)
  }
  sums <- rowSums(C)
  off <- which(abs(sums - 1) > tolerance)
  if (length(off)) {
    transposed <- all(abs(colSums(C) - 1) <= tolerance)
    name <- if (is.null(rownames(C))) off[1] else sprintf("%d (%s)", off[1], rownames(C)[off[1]])
    abort(c("The rows of {.arg {arg}} must add up to 1: they are the truths.",
            x = "Row {name} adds up to {format(sums[off[1]], digits = 10)}.",
            i = if (transposed) "The columns do: this is the transpose. Use {.code t({arg})}."
                else "For a rounded table give {.arg tolerance}."), "argument", call = call)
  }
  zero <- which(colSums(C) == 0)
  if (length(zero)) {
    name <- if (is.null(colnames(C))) zero[1] else sprintf("%d (%s)", zero[1], colnames(C)[zero[1]])
    abort(c("Each report of {.arg {arg}} must be possible under some truth.",
            x = "Column {name} is 0 throughout.", i = "Leave that column out."), "argument", call = call)
  }
  storage.mode(C) <- "double"
  C / sums
}

# Labels that are the matrix's own names in another order say in which order rows or columns are wanted; others rename.
order_channel <- function(C, levels, reports) {
  if (is.data.frame(C) || inherits(C, "Matrix")) C <- as.matrix(C)
  if (!is.matrix(C)) return(C)
  positions <- function(names, labels) {
    labels <- if (is.factor(labels)) base::levels(labels) else labels
    if (length(names) && length(names) == length(labels) && !anyDuplicated(names) && setequal(names, labels)) {
      match(labels, names)
    } else seq_along(names)
  }
  if (!is.null(rownames(C))) C <- C[positions(rownames(C), levels), , drop = FALSE]
  if (!is.null(colnames(C))) C <- C[, positions(colnames(C), reports), drop = FALSE]
  C
}

channel_labels <- function(C, levels, reports, call = caller_env()) {
  levels <- check_levels(levels %||% rownames(C) %||% nrow(C), "levels", call = call)
  square <- nrow(C) == ncol(C)
  reports <- if (is.null(reports) && is.null(colnames(C)) && square) levels
             else check_levels(reports %||% colnames(C) %||% ncol(C), "reports", call = call)
  for (side in list(list("levels", levels, nrow(C), "row"), list("reports", reports, ncol(C), "column"))) {
    if (length(side[[2]]$labels) != side[[3]]) {
      abort(c("{.arg {side[[1]]}} must have one label per {side[[4]]} of {.arg C}.",
              x = "There are {length(side[[2]]$labels)} labels and {side[[3]]} {side[[4]]}s."), "argument", call = call)
    }
  }
  list(levels = levels$labels, reports = reports$labels, numeric = reports$numeric, truths = levels$numeric)
}

new_rr_channel <- function(C, labels, design, kind = "channel", ...) {
  dimnames(C) <- list(truth = labels$levels, report = labels$reports)
  new_rr_mechanism(kind, labels$levels, reports = labels$reports, numeric_levels = labels$numeric,
                   numeric_truths = labels$truths %||% label_numbers(labels$levels), epsilon = matrix_epsilon(C),
                   design = design, matrix = C, form = find_additive(C), ...)
}

# A report that no truth produces says nothing; one that some truths cannot produce gives them away.
matrix_epsilon <- function(C) {
  C <- C[, colSums(C) > 0, drop = FALSE]
  max(log(apply(C, 2, max) / apply(C, 2, min)))
}

# list(a, b, odds) if C is b[y] + a 1{x = y} to the last digits, with truths and reports the same labels; else NULL.
find_additive <- function(C) {
  if (nrow(C) != ncol(C) || !identical(rownames(C), colnames(C))) return(NULL)
  form <- .Call(C_rr_find_additive, unname(t(C)))
  if (is.null(form) || form$a <= 1e-13) return(NULL)
  b <- mean(form$b)
  if (max(abs(form$b - b)) > 4 * .Machine$double.eps * b) return(form)
  list(a = form$a, b = b, odds = form$a / b)
}

#' @export
additive.rr_channel <- function(mechanism) mechanism$form

#' @export
rr_matrix.rr_channel <- function(mechanism, ...) {
  check_dots_empty(...)
  mechanism$matrix
}

# A mechanism as an operator: a list with one element a question, list(a, b) for P(y | x) = b[y] + a 1{x = y}, or
# list(matrix) with the transposed matrix, so that the reports of one truth are contiguous. NULL where a report is not
# one of finitely many categories.
channel_axes <- function(mechanism) UseMethod("channel_axes")

#' @export
channel_axes.rr_mechanism <- function(mechanism) {
  form <- additive(mechanism)
  if (is.null(form)) return(NULL)
  k <- length(mechanism$levels)
  # A yes/no question is fastest as its 2 by 2 matrix; a negative a is no different then.
  if (k == 2L) return(list(list(matrix = unname(t(rr_matrix(mechanism))))))
  list(list(a = as.double(form$a), b = rep_len(as.double(form$b), k)))
}

#' @export
channel_axes.rr_channel <- function(mechanism) {
  if (!is.null(mechanism$form)) return(NextMethod())
  list(list(matrix = unname(t(mechanism$matrix))))
}

apply_channel <- function(axes, x, kind = c("forward", "adjoint", "square")) {
  .Call(C_rr_apply, axes, as.double(x), match(kind[1], c("forward", "adjoint", "square")) - 1L)
}

axis_sizes <- function(axes, side = c("truths", "reports")) {
  vapply(axes, function(axis) {
    if (is.null(axis$matrix)) length(axis$b) else if (side[1] == "truths") ncol(axis$matrix) else nrow(axis$matrix)
  }, 1L)
}
