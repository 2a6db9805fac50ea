#' Any channel
#'
#' A mechanism from its matrix of transition probabilities: post-randomisation (PRAM), misclassified answers, an
#' instrument with known error rates, a mechanism of your own. It need not be square: reports may be more or fewer
#' than truths.
#'
#' **Rows are truths**: `C[x, y]` is the probability of report `y` given truth `x`, and each row
#' adds up to 1. (Some packages store the transpose. If the transpose of `C` would be
#' valid, the error says so.)
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
#' @param ... Not used, and refused.
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
rr_channel <- function(C, levels = NULL, reports = NULL, tolerance = 1e-8, ...) {
  check_dots_empty(...)
  C <- check_stochastic(order_channel(C, levels, reports), check_number(tolerance, "tolerance", min = 0, max = 0.5))
  labels <- channel_labels(C, levels, reports)
  with_order(new_rr_channel(C, labels, sprintf("Channel of %d truths and %d reports", nrow(C), ncol(C))), labels)
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

# A channel is kept as its matrix.
check_matrix_size <- function(k) {
  if (k <= matrix_limit) return(k)
  abort(c("{.arg levels} must be at most {format_count(matrix_limit)} for this mechanism: it is kept as a matrix.",
          x = "There are {format_count(k)}: the matrix would take {format_count(signif(8 * k^2 / 2^30, 2))} GB.",
          i = "{.fn rr_grr} takes any number of categories."), "argument")
}

channel_labels <- function(C, levels, reports) {
  levels <- check_levels(levels %||% rownames(C) %||% nrow(C), "levels")
  square <- nrow(C) == ncol(C)
  reports <- if (is.null(reports) && is.null(colnames(C)) && square) levels
             else check_levels(reports %||% colnames(C) %||% ncol(C), "reports")
  for (side in list(list("levels", levels, nrow(C), "row"), list("reports", reports, ncol(C), "column"))) {
    if (length(side[[2]]$labels) != side[[3]]) {
      abort(c("{.arg {side[[1]]}} must have one label per {side[[4]]} of {.arg C}.",
              x = "There are {length(side[[2]]$labels)} labels and {side[[3]]} {side[[4]]}s."), "argument")
    }
  }
  list(levels = levels$labels, reports = reports$labels, numeric = reports$numeric, truths = levels$numeric,
       ordered = levels$ordered)
}

new_rr_channel <- function(C, labels, design, kind = "channel", error = NULL, ...) {
  dimnames(C) <- list(truth = labels$levels, report = labels$reports)
  new_rr_mechanism(kind, labels$levels, reports = labels$reports, numeric_levels = labels$numeric,
                   numeric_truths = labels$truths %||% label_numbers(labels$levels),
                   epsilon = if (isTRUE(error)) Inf else matrix_epsilon(C), design = design, matrix = C,
                   form = find_additive(C), error = error, ...)
}

# A report that no truth produces is ignored; a report that only some truths can produce makes epsilon infinite. Where
# epsilon is small the logarithm of a rounded ratio near 1 has lost it; the difference of its parts is exact.
matrix_epsilon <- function(C) {
  C <- C[, colSums(C) > 0, drop = FALSE]
  low <- apply(C, 2, min)
  high <- apply(C, 2, max)
  round_up(max(ifelse(high <= 2 * low, log1p((high - low) / low), log(high / low))))
}

# The additive law if C is b[y] + a 1{x = y} to the last digits, with truths and reports the same labels; else NULL.
find_additive <- function(C) {
  if (nrow(C) != ncol(C) || !identical(rownames(C), colnames(C))) return(NULL)
  form <- .Call(C_rr_find_additive, unname(t(C)))
  if (is.null(form) || form$a <= 1e-13) return(NULL)
  b <- mean(form$b)
  new_law_additive(form$a, if (max(abs(form$b - b)) > 4 * .Machine$double.eps * b) form$b else b)
}

#' @export
rr_law.rr_channel <- function(mechanism) {
  # A channel whose inverse is known carries it.
  known <- list(inverse = mechanism$inverse)[!is.null(mechanism$inverse)]
  mechanism$form %||% new_law_channel(list(c(list(matrix = unname(t(mechanism$matrix))), known)))
}

#' @export
rr_matrix.rr_channel <- function(mechanism, ...) {
  check_dots_empty(...)
  mechanism$matrix
}

mechanism_recipe.rr_channel <- function(mechanism) {
  if (!identical(class(mechanism), c("rr_channel", "rr_mechanism"))) return(mechanism_recipe.default(mechanism))
  levels <- level_recipe(mechanism)
  reports <- recipe_labels(mechanism$reports, mechanism$numeric_levels)
  c(list(kind = "channel", design = mechanism$design, levels = levels),
    if (!identical(levels, reports)) list(reports = reports),
    list(matrix = matrix_rows(mechanism$matrix)), ordered_member(mechanism),
    list(error = TRUE)[isTRUE(mechanism$error)])
}

# Rows are truths, here as everywhere.
matrix_rows <- function(matrix) lapply(seq_len(nrow(matrix)), function(i) I(unname(matrix[i, ])))

from_recipe.recipe_channel <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "matrix"), c("design", "reports", "ordered", "error"))
  C <- recipe_matrix(r$matrix)
  levels <- check_levels(given_labels(r$levels))
  reports <- if (is.null(r$reports)) levels else check_levels(given_labels(r$reports))
  if (length(levels$labels) != nrow(C) || length(reports$labels) != ncol(C)) {
    abort(c("{.field matrix} must have one row per level and one column per report.",
            x = "It is {nrow(C)} by {ncol(C)}; there are {length(levels$labels)} and {length(reports$labels)}."),
            "file")
  }
  design <- check_design_line(r$design %||% sprintf("Channel of %d truths and %d reports", nrow(C), ncol(C)))
  labels <- list(levels = levels$labels, reports = reports$labels, numeric = reports$numeric, truths = levels$numeric)
  error <- list(error = TRUE)[!is.null(r$error) && check_flag(r$error, "error")]
  result <- do.call(new_rr_channel, c(list(C, labels, design), error))
  with_order(result, list(ordered = !is.null(r$ordered) && check_flag(r$ordered, "ordered")))
}

# A row that adds up to 1 but for roundings stays as it is, to the bit.
recipe_matrix <- function(rows) {
  if (!is.list(rows) || !length(rows) || !all(vapply(rows, is.numeric, NA)) || length(unique(lengths(rows))) != 1L) {
    abort("{.field matrix} must be an array of rows, each an array of as many probabilities.", "file")
  }
  C <- matrix(as.double(unlist(rows, use.names = FALSE)), length(rows), byrow = TRUE)
  scaled <- check_stochastic(C, 1e-8, "matrix")
  if (all(abs(rowSums(C) - 1) <= 1e-12)) C else scaled
}

# What print() shows of a mechanism is one line without control characters.
check_design_line <- function(design) {
  if (is.character(design) && length(design) == 1L && !is.na(design) && nchar(design) <= 1000 &&
      !grepl("[[:cntrl:]]", design)) return(design)
  abort(c("{.field design} must be one line of text.", x = "It is {describe(design)}."), "file")
}
