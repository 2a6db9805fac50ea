#' One mechanism after another
#'
#' In `rr_compose(first, second)` the answer goes through `first`, and the report of
#' `first` goes through `second`. Examples are longitudinal protocols, in which `first` is drawn once and kept (memoised) and `second` is drawn
#' anew each time, and reports that are randomised again on their way to the analyst.
#'
#' The matrix of the whole is `rr_matrix(first) %*% rr_matrix(second)`, rows being truths. **The order matters**: for yes/no
#' questions the composition is commutative only if both mechanisms leave the same share of "yes" unchanged.
#' (In the notation of function composition, with the inner mechanism on the right, this is
#' \eqn{R_{second} \circ R_{first}}{R_second o R_first}.)
#'
#' The estimate keeps its closed form for two mechanisms of [rr_grr()], for two of [rr_binary()] and its special cases, and for any two that tell the truth or else
#' draw an innocuous answer, with any number of categories. Products of the same questions
#' are composed question by question.
#'
#' @section Privacy:
#' One report reveals at most `rr_epsilon()["report"]`. Any number of reports made from one memoised first stage together reveal at most
#' the first stage's own level, `rr_epsilon()["permanent"]`.
#' @param first,second Mechanisms; the reports of `first` must be the levels of `second`, in the same order.
#' @param ... Not used, and refused.
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
rr_compose <- function(first, second, ...) {
  check_dots_empty(...)
  check_mechanism(first, "first")
  check_mechanism(second, "second")
  if (inherits(first, "rr_product") && inherits(second, "rr_product")) return(compose_products(first, second))
  if (!identical(first$reports, second$levels)) {
    abort(c("The reports of {.arg first} must be the levels of {.arg second}.",
            x = paste("{.arg first} reports {format_labels(first$reports)};",
                      "{.arg second} takes {format_labels(second$levels)}."),
            i = if (setequal(first$reports, second$levels)) "They are the same labels in another order."), "mismatch")
  }
  compose_with(first, second)
}

# Whose reports are no categories say themselves how they go through a second stage.
compose_with <- function(first, second) UseMethod("compose_with")

compose_with.rr_mechanism <- function(first, second) {
  if (inherits(rr_law(second), "rr_law_support")) abort_bits(first, second)
  compose_stages(first, second, "compose", "Two stages")
}

abort_bits <- function(first, second) {
  abort(c("Bits of {.fn rr_unary} must come from bits of {.fn rr_unary}.",
          x = "{.arg first} is: {format(first)}. {.arg second} is: {format(second)}."), "mismatch")
}

# Is the first stage one that respondents keep?
is_memoised <- function(mechanism) isTRUE(mechanism$memoised)

# Where respondents draw which part they report, nothing keeps their permanent answers: each report would have a new
# one.
refuse_kept <- function(part, made, remedy, name = NULL) {
  if (!is_memoised(part)) return(invisible())
  abort(c(paste(made, "must not have a permanent answer that respondents keep."), x = "It is: {format(part)}.",
          x = paste("The permanent answer would be drawn anew for each report, and several reports would reveal more",
                    "than it does."),
          i = remedy), "argument")
}

# The mechanism of the permanent answer.
permanent_stage <- function(mechanism) UseMethod("permanent_stage")

permanent_stage.rr_mechanism <- function(mechanism) mechanism$first

# The mechanism of two stages, for rr_compose() and rr_noncompliance().
compose_stages <- function(first, second, kind, design, ...) {
  labels <- list(levels = first$levels, reports = second$reports, numeric = second$numeric_levels,
                 truths = truth_side(first)$numeric_levels)
  # Is a report 0 or 1, no or yes? A second stage on a yes/no question leaves it one.
  yes_no <- !is.null(second$bits) | !is.null(first$bits) &
    c(identical(labels$reports, first$reports), identical(labels$levels, first$reports))
  a <- rr_law(first)
  b <- rr_law(second)
  if (!inherits(a, "rr_law_additive") || !inherits(b, "rr_law_additive")) {
    mechanism <- new_rr_channel(compose_matrices(first, second), labels, design, kind, first = first, second = second,
                                yes_no = yes_no, ...)
    mechanism$epsilon <- round_sums_up(mechanism$epsilon)
    return(with_design_level(mechanism))
  }
  form <- compose_additive(a, b)
  others <- rep_len(form$b, length(labels$levels))
  k <- length(labels$levels)
  # The chance to keep an answer, and to turn one other into it, where these are two numbers; of a yes/no question,
  # those of yes.
  pair <- if (k == 2L) c(form$a + others[2], others[2]) else if (length(form$b) == 1L) c(form$a + form$b, form$b)
  with_design_level(
    new_rr_mechanism(kind, labels$levels, reports = labels$reports, numeric_levels = labels$numeric,
                     numeric_truths = labels$truths, epsilon = additive_epsilon(form$a, form$b), design = design,
                     form = form, first = first, second = second, p = pair[1], q = pair[2], yes_no = yes_no, ...)
  )
}

with_design_level <- function(mechanism) {
  mechanism$epsilon <- designed(mechanism)$epsilon
  mechanism
}

# (b1' + a1 I)(b2' + a2 I) = (b2 + a2 b1)' + a1 a2 I, since a1 + sum(b1) = 1.
compose_additive <- function(first, second) {
  b <- second$b + second$a * first$b
  if (length(b) > 1L && max(b) - min(b) <= 4 * .Machine$double.eps * max(b)) b <- mean(b)
  new_law_additive(first$a * second$a, b)
}

# The column of report y holds b[y] + a once and b[y] otherwise. With p < q a report speaks against its category, and
# two of the others may differ as well. The products are rounded before the ratio is taken.
additive_epsilon <- function(a, b) {
  round_sums_up(max(abs(log1p(a / b))))
}

compose_matrices <- function(first, second) unname(rr_matrix(first) %*% rr_matrix(second))

compose_products <- function(first, second) {
  if (!identical(names(first$questions), names(second$questions))) {
    abort(c("{.arg first} and {.arg second} must ask the same questions, in the same order.",
            x = "The first asks {.val {names(first$questions)}}, the second {.val {names(second$questions)}}."),
            "mismatch")
  }
  rr_product(Map(rr_compose, first$questions, second$questions))
}

#' @export
rr_law.rr_compose <- function(mechanism) {
  mechanism$form %||% new_law_channel(list(list(matrix = unname(t(mechanism$matrix)))))
}

#' @export
rr_matrix.rr_compose <- function(mechanism, ...) {
  check_dots_empty(...)
  if (is.null(mechanism$matrix)) NextMethod() else mechanism$matrix
}

#' @export
rr_epsilon.rr_compose <- function(mechanism, ..., achieved = FALSE, shuffled = NULL, delta = NULL, reports = NULL) {
  mechanism <- designed(mechanism)
  check_dots_empty(...)
  switch(check_level_kind(achieved, shuffled, delta, reports),
    achieved = return(achieved_stages(mechanism)),
    shuffled = return(shuffled_epsilon(mechanism, shuffled, delta)),
    reports = return(repeated_epsilon(mechanism, check_count(reports, "reports", min = 1)))
  )
  c(report = mechanism$epsilon, permanent = mechanism$first$epsilon)
}

# Both stages are drawn one after the other, each on the grid. One report is the product of what they achieve.
achieved_stages <- function(mechanism) {
  first <- achieved(permanent_stage(mechanism))
  second <- achieved(mechanism$second)
  c(report = achieved_report(first, second, mechanism), permanent = first$epsilon)
}

achieved_report <- function(first, second, mechanism) {
  # Of bits p and q: each bit of the second stage is drawn from p and q as they are on the grid.
  if (!is.null(first$p) && !is.null(second$p)) {
    d <- second$p - second$q
    p <- second$q + first$p * d
    q <- second$q + first$q * d
    return(abs(log1p((first$p - first$q) * d / (q * (1 - p)))))
  }
  if (is.null(first$matrix) && is.null(second$matrix)) {
    b <- second$b + second$a * first$b
    return(max(abs(log1p(first$a * second$a / b))))
  }
  matrices <- list(achieved_matrix(first, permanent_stage(mechanism)), achieved_matrix(second, mechanism$second))
  matrix_epsilon(matrices[[1]] %*% matrices[[2]])
}

# The matrix of a stage as it is drawn.
achieved_matrix <- function(numbers, mechanism) {
  if (!is.null(numbers$matrix)) return(numbers$matrix)
  k <- length(mechanism$levels)
  if (k > matrix_limit / 5) {
    abort(c("The achieved epsilon of two stages needs their matrices, which are too large here.",
            x = "There are {format_count(k)} categories; the limit is {format_count(matrix_limit / 5)}.",
            i = "Ask for that of each stage: {.code rr_epsilon(mechanism$first, achieved = TRUE)}."), "too_large")
  }
  diag(numbers$a, k) + matrix(numbers$b, k, k, byrow = TRUE)
}

# What r reports of one permanent answer reveal together.
repeated_epsilon <- function(mechanism, r) {
  if (r == 1) return(mechanism$epsilon)
  first <- rr_law(permanent_stage(mechanism))
  second <- rr_law(mechanism$second)
  k <- length(mechanism$second$levels)
  if (inherits(first, "rr_law_support") && inherits(second, "rr_law_support")) {
    return(repeated_bits(first$p, first$q, second$p, second$q, r))
  }
  # Of categories that are all alike the same report r times says the most; of two every number of them is tried.
  alike <- function(law) inherits(law, "rr_law_additive") && length(unique(law$b)) == 1L && law$a >= 0
  if (k > 2L && alike(first) && alike(second)) {
    p1 <- first$a + first$b[1]
    q1 <- first$b[1]
    powers <- function(w) weighed_powers(w, second$a + second$b[1], second$b[1], r)
    return(log(powers(p1)) - log(powers(q1)))
  }
  if (length(mechanism$second$reports) == 2L) {
    return(repeated_pairs(rr_matrix(permanent_stage(mechanism)), rr_matrix(mechanism$second), r))
  }
  abort(c("{.arg reports} needs a first stage and a second one whose categories are all alike, bits, or two answers.",
          x = "This mechanism is: {format(mechanism)}.",
          i = paste("Together {format_count(r)} reports reveal at most",
                    "{format(min(r * mechanism$epsilon, mechanism$first$epsilon), digits = 4)}.")),
        c("law", "argument"))
}

# w p^r + (1 - w) q^r over the larger of p^r and q^r, which cancels in a ratio.
weighed_powers <- function(w, p, q, r) {
  if (p >= q) w + (1 - w) * (q / p)^r else w * (p / q)^r + 1 - w
}

# The bit of the one truth always 1, and that of the other always 0.
repeated_bits <- function(p1, q1, p2, q2, r) {
  ones <- log(weighed_powers(p1, p2, q2, r)) - log(weighed_powers(q1, p2, q2, r))
  zeros <- log(weighed_powers(1 - q1, 1 - q2, 1 - p2, r)) - log(weighed_powers(1 - p1, 1 - q2, 1 - p2, r))
  abs(ones + zeros)
}

# All numbers of the one report among r.
repeated_pairs <- function(first, second, r) {
  if (r > 1e6) {
    abort(c("{.arg reports} must be at most 1,000,000 for this mechanism.", x = "It is {format_count(r)}.",
            i = "The first stage is the limit: {.code reports = 1e6} is as near to it as numbers tell."), "argument")
  }
  times <- 0:r
  # 0 times the logarithm of 0 is 0.
  power <- function(p, times) ifelse(times == 0, 0, times * log(p))
  given <- vapply(seq_len(nrow(second)), function(z) {
    power(second[z, 1], times) + power(second[z, 2], r - times)
  }, numeric(r + 1))
  top <- apply(given, 1, max)
  chances <- exp(given - top) %*% t(first)
  ratios <- log(chances[, 1]) - log(chances[, 2])
  max(abs(ratios[!is.nan(ratios)]))
}

#' @export
format.rr_compose <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  sprintf("%s, %s categories, epsilon = %s a report, %s in all", x$design, format_count(length(x$levels)),
          format(x$epsilon, digits = digits), format(x$first$epsilon, digits = digits))
}

#' @export
print.rr_compose <- function(x, ..., digits = 4) {
  NextMethod()
  stage <- function(mechanism) sub(", [0-9,]+ categories,", ",", format(mechanism))
  cat("  first stage   ", stage(x$first), "\n", "  second stage  ", stage(x$second), "\n",
      "  All reports made from one first stage together reveal epsilon = ", format(x$first$epsilon, digits = digits),
      "\n", sep = "")
  invisible(x)
}
