# A mechanism says how an answer was randomised. Each kind has one file: its constructor and its
# methods of the internal generics below. Adding a mechanism means adding such a file.

# `levels` and `reports` are the labels of the truths and of the reports; `numeric_levels` is set
# when labels of the reports are numbers, so that numbers in the data are labels, not positions. Where the truths have
# other labels, `numeric_truths` is the same for them.
new_rr_mechanism <- function(kind, levels, ..., reports = levels, numeric_levels = NULL, epsilon, design) {
  structure(
    list(levels = levels, reports = reports, numeric_levels = numeric_levels,
         epsilon = epsilon, design = design, ...),
    class = c(paste0("rr_", kind), "rr_mechanism")
  )
}

#' The privacy level of a mechanism
#'
#' The \eqn{\epsilon} of local differential privacy: the largest log ratio of the probabilities of one
#' report under two truths,
#' \deqn{\epsilon = \max_{y, x, x'} \log \frac{P(y \mid x)}{P(y \mid x')}.}{epsilon = max over y, x, x' of log(P(y | x) / P(y | x')).}
#' A respondent's report changes anybody's odds about their truth by at most a factor
#' \eqn{e^\epsilon}. It is 0 when reports carry nothing, and infinite when some report rules a truth out.
#'
#' @param mechanism A mechanism, as made by [rr_grr()], [rr_binary()], [rr_forced()] and their kin.
#' @param ... For methods of other mechanisms.
#' @param achieved Give the epsilon that [rr_perturb()] achieves with probabilities that are multiples of
#'   \eqn{2^{-64}}, rather than the nominal one? It is never above that.
#' @return One number, at least 0 and possibly `Inf`, in natural logarithms.
#' @section Errors:
#' `candor_error_argument` for anything but a mechanism.
#' @source Kasiviswanathan, S. P., Lee, H. K., Nissim, K., Raskhodnikova, S. and Smith, A. (2011). What
#'   can we learn privately? *SIAM Journal on Computing* 40(3), 793-826. \doi{10.1137/090756090}
#' @examples
#' rr_epsilon(rr_grr(5, epsilon = 1))
#' # A coin decides between the question and its negation: Warner's design with p = 0.7
#' rr_epsilon(rr_warner(0.7))
#' # In the triangular design a "no" gives the respondent away
#' rr_epsilon(rr_triangular(0.25))
#' @export
rr_epsilon <- function(mechanism, ...) {
  check_given()
  UseMethod("rr_epsilon")
}

#' @export
rr_epsilon.default <- function(mechanism, ...) check_mechanism(mechanism)

#' @export
#' @rdname rr_epsilon
rr_epsilon.rr_mechanism <- function(mechanism, ..., achieved = FALSE) {
  check_dots_empty(...)
  if (check_flag(achieved, "achieved")) achieved(mechanism)$epsilon else mechanism$epsilon
}

#' The transition matrix of a mechanism
#'
#' Entry `[x, y]` is the probability of report `y` given truth `x`: **rows are truths** and add up
#' to 1. (Some software stores the transpose.)
#'
#' @inheritParams rr_epsilon
#' @return A matrix with one row per truth and one column per report, and dimnames `truth` and
#'   `report`. Mechanisms of more than 10,000 categories are refused: nothing in the package needs
#'   their matrix, and it would not fit in memory.
#' @section Errors:
#' `candor_error_argument` for anything but a mechanism, and for one with too many categories.
#' @source For k-ary randomized response Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized
#'   response, section 2.2, where the matrix has \eqn{p} on its diagonal and \eqn{q} elsewhere. For any matrix Gouweleeuw et al. (1998), see
#'   [rr_channel()].
#' @examples
#' rr_matrix(rr_grr(c("never", "once", "often"), epsilon = 1))
#' rr_matrix(rr_crosswise(0.25))
#' @export
rr_matrix <- function(mechanism, ...) {
  check_given()
  UseMethod("rr_matrix")
}

#' @export
rr_matrix.default <- function(mechanism, ...) check_mechanism(mechanism)

matrix_limit <- 10000

#' @export
rr_matrix.rr_mechanism <- function(mechanism, ...) {
  check_dots_empty(...)
  k <- length(mechanism$levels)
  if (k > matrix_limit) {
    abort(c("{.arg mechanism} has too many categories for its matrix.",
            x = "It has {format_count(k)} categories; the limit is {format_count(matrix_limit)}.",
            i = "Estimation never needs the matrix: use {.fn rr_estimate} directly."), "argument")
  }
  form <- additive(mechanism)
  matrix <- matrix(rep(rep_len(form$b, k), each = k), k, k,
                   dimnames = list(truth = mechanism$levels, report = mechanism$reports))
  diag(matrix) <- diag(matrix) + form$a
  matrix
}

# Mechanisms that tell the truth with some probability and otherwise draw an answer that does not
# depend on it have P(y | x) = b[y] + a 1{x = y} with a + sum(b) = 1, and with it closed forms in O(K)
# (the maximum likelihood estimate, every covariance, every interval). `additive()` returns that form,
# or NULL for a mechanism without one. `odds` is a / b, formed where it loses no digits.
additive <- function(mechanism) UseMethod("additive")

#' @export
additive.rr_mechanism <- function(mechanism) NULL

# Can the estimators not tell the truths apart? What an additive form must carry for that is core/additive.c's to say:
# without `odds` a difference below 1e-14 is made of roundings.
tells_nothing <- function(form) {
  if (length(form$b) > 1L) abs(form$a) < 1e-14 else form$a == 0 || abs(form$odds) < 1e-100 || abs(form$a) < 1e-150
}

# Two mechanisms are the same when they randomise in the same way over the same labels.
same_mechanism <- function(x, y) {
  identical(class(x), class(y)) && identical(unclass(x), unclass(y))
}

#' @export
format.rr_mechanism <- function(x, digits = 4, ...) {
  check_dots_empty(...)
  sprintf("%s, %s categories, epsilon = %s", x$design,
          format_count(length(x$levels)), format(x$epsilon, digits = digits))
}

#' @export
print.rr_mechanism <- function(x, ..., digits = 4) {
  check_dots_empty(...)
  digits <- check_digits(digits)
  cat("<", class(x)[1], "> ", x$design, "\n", sep = "")
  k <- length(x$levels)
  cat("  categories  ", format_labels(x$levels), "\n", sep = "")
  cat("  epsilon     ", format(x$epsilon, digits = digits),
      if (is.infinite(x$epsilon)) "  (some report rules a truth out)", "\n", sep = "")
  if (k <= 8) {
    cat("  P(report given truth), rows are truths:\n")
    print(rr_matrix(x), digits = digits)
  } else {
    cat(format_transition(x, digits), sep = "\n")
  }
  invisible(x)
}

# What stands in for the matrix when there are too many categories to show it.
format_transition <- function(x, digits) {
  form <- additive(x)
  if (is.null(form)) return("  P(report given truth): see rr_matrix()")
  range <- function(v) paste(unique(format(signif(base::range(v), digits), digits = digits)), collapse = " to ")
  c(paste0("  P(report = truth)      ", range(form$a + form$b)),
    paste0("  P(any one other)       ", range(form$b)))
}

format_labels <- function(labels, width = 60) {
  k <- length(labels)
  shown <- paste(encodeString(labels[seq_len(min(k, 8))]), collapse = ", ")
  if (k > 8) shown <- paste0(shown, ", ... (", format_count(k), " in all)")
  if (nchar(shown) > width && k > 3) {
    shown <- paste0(paste(encodeString(labels[1:3]), collapse = ", "), ", ... (", format_count(k), " in all)")
  }
  shown
}
