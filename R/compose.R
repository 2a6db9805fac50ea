#' One mechanism after another
#'
#' `rr_compose(first, second)` is the mechanism of a respondent whose answer goes through `first`, and whose report
#' from that goes through `second`: longitudinal protocols, in which `first` is drawn once and kept (memoised) and `second` is drawn
#' anew each time, and answers that are randomised again on the way.
#'
#' The matrix of the whole is `rr_matrix(first) %*% rr_matrix(second)`, rows being truths. **The order matters**: for yes/no
#' questions the composition is commutative only if both mechanisms leave the same share of "yes" unchanged.
#' (In the notation of function composition, with the inner mechanism on the right, this is
#' \eqn{R_{second} \circ R_{first}}{R_second o R_first}; one of the papers has these the wrong way round.)
#'
#' Two mechanisms of [rr_grr()], two of [rr_binary()] and its kin, and any two that tell the truth or else
#' draw an innocuous answer stay in closed form, with any number of categories. Products of the same questions
#' are composed question by question.
#'
#' @section Privacy:
#' One report reveals at most `rr_epsilon()["report"]`. Any number of reports made from one memoised first stage together reveal at most
#' the first stage's own level, `rr_epsilon()["permanent"]`.
#' @param first,second Mechanisms; the reports of `first` must be the levels of `second`, in the same order.
#' @return A mechanism of class `c("rr_compose", "rr_mechanism")` with `first` and `second` among its elements; for two
#'   products one of [rr_product()].
#' @section Errors:
#' `candor_error_mismatch` when the reports of `first` are not the levels of `second`.
#' @source Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2022). Improving the utility of locally differentially private
#'   protocols for longitudinal and multidimensional frequency estimates. *Digital Communications and Networks*.
#'   \doi{10.1016/j.dcan.2022.07.003}
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal
#'   response. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348}
#' @examples
#' # A permanent answer at epsilon 2, reported anew each week
#' weekly <- rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1))
#' weekly
#' rr_epsilon(weekly)
#' coef(rr_estimate(rr_counts(c(300, 250, 240, 210), weekly)))
#' @export
rr_compose <- function(first, second) {
  check_given()
  check_mechanism(first, "first")
  check_mechanism(second, "second")
  if (inherits(first, "rr_product") && inherits(second, "rr_product")) return(compose_products(first, second))
  if (!identical(first$reports, second$levels)) {
    abort(c("The reports of {.arg first} must be the levels of {.arg second}.",
            x = paste("{.arg first} reports {format_labels(first$reports)};",
                      "{.arg second} takes {format_labels(second$levels)}."),
            i = if (setequal(first$reports, second$levels)) "They are the same labels in another order."), "mismatch")
  }
  labels <- list(levels = first$levels, reports = second$reports, numeric = second$numeric_levels,
                 truths = truth_side(first)$numeric_levels)
  design <- "Two stages"
  a <- additive(first)
  b <- additive(second)
  if (is.null(a) || is.null(b)) {
    return(new_rr_channel(compose_matrices(first, second), labels, design, "compose", first = first, second = second))
  }
  form <- compose_additive(a, b)
  matrix <- rep_len(form$b, length(labels$levels))
  epsilon <- if (form$a == 0) 0 else max(abs(log1p(form$a / range(matrix))))
  # With p < q a report speaks against its category, and two of the others may differ as well.
  if (length(form$b) > 1L) epsilon <- additive_epsilon(form$a, form$b)
  k <- length(labels$levels)
  # The chance to keep an answer, and to turn one other into it, where these are two numbers; of a yes/no question,
  # those of yes.
  pair <- if (k == 2L) c(form$a + matrix[2], matrix[2]) else if (length(form$b) == 1L) c(form$a + form$b, form$b)
  new_rr_mechanism("compose", labels$levels, reports = labels$reports, numeric_levels = labels$numeric,
                   numeric_truths = labels$truths, epsilon = epsilon, design = design, form = form, first = first,
                   second = second, p = pair[1], q = pair[2])
}

# (b1' + a1 I)(b2' + a2 I) = (b2 + a2 b1)' + a1 a2 I, since a1 + sum(b1) = 1.
compose_additive <- function(first, second) {
  form <- list(a = first$a * second$a, b = second$b + second$a * first$b)
  if (length(form$b) > 1L && max(form$b) - min(form$b) <= 4 * .Machine$double.eps * max(form$b)) form$b <- mean(form$b)
  if (length(form$b) == 1L) form$odds <- form$a / form$b
  form
}

# The column of report y holds b[y] + a once and b[y] otherwise.
additive_epsilon <- function(a, b) max(abs(log1p(a / b)))

compose_matrices <- function(first, second) unname(rr_matrix(first) %*% rr_matrix(second))

compose_products <- function(first, second, call = caller_env()) {
  if (!identical(names(first$questions), names(second$questions))) {
    abort(c("{.arg first} and {.arg second} must ask the same questions, in the same order.",
            x = "The first asks {.val {names(first$questions)}}, the second {.val {names(second$questions)}}."),
            "mismatch", call = call)
  }
  rr_product(Map(rr_compose, first$questions, second$questions))
}

#' @export
additive.rr_compose <- function(mechanism) mechanism$form

#' @export
channel_axes.rr_compose <- function(mechanism) {
  if (!is.null(mechanism$form)) return(NextMethod())
  list(list(matrix = unname(t(mechanism$matrix))))
}

#' @export
rr_matrix.rr_compose <- function(mechanism, ...) {
  check_dots_empty(...)
  if (is.null(mechanism$matrix)) NextMethod() else mechanism$matrix
}

#' @export
rr_epsilon.rr_compose <- function(mechanism, ...) {
  check_dots_empty(...)
  # Noncompliance is no stage of a protocol.
  if (!is.null(mechanism$share)) return(mechanism$epsilon)
  c(report = mechanism$epsilon, permanent = mechanism$first$epsilon)
}

#' @export
format.rr_compose <- function(x, digits = 4, ...) {
  check_dots_empty(...)
  if (!is.null(x$share)) return(NextMethod())
  sprintf("%s, %s categories, epsilon = %s a report, %s in all", x$design, format_count(length(x$levels)),
          format(x$epsilon, digits = digits), format(x$first$epsilon, digits = digits))
}

#' @export
print.rr_compose <- function(x, ..., digits = 4) {
  check_dots_empty(...)
  NextMethod()
  if (!is.null(x$share)) return(invisible(x))
  stage <- function(mechanism) sub(", [0-9,]+ categories,", ",", format(mechanism))
  cat("  first stage   ", stage(x$first), "\n", "  second stage  ", stage(x$second), "\n",
      "  All reports made from one first stage together reveal epsilon = ", format(x$first$epsilon, digits = digits),
      "\n", sep = "")
  invisible(x)
}

# Is a report 0 or 1, no or yes? A second stage on a yes/no question leaves it one; noncompliance makes it none.
takes_bits <- function(mechanism) {
  if (length(mechanism$reports) != 2L) return(FALSE)
  if (!is.null(mechanism$share)) return(takes_bits(mechanism$first))
  if (!inherits(mechanism, "rr_compose")) return(inherits(mechanism, c("rr_binary", "rr_forced", "rr_unrelated")))
  takes_bits(mechanism$second) ||
    (takes_bits(mechanism$first) && identical(mechanism$reports, mechanism$first$reports))
}
