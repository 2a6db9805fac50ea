#' Common channels
#'
#' * `rr_pram()`: post-randomisation. Each category is kept with its own probability and otherwise replaced by another one, with equal probabilities or
#'   in proportion to `margin`.
#' * `rr_geometric()`: the truncated geometric mechanism for ordered categories: a report lies `j` steps from the truth with
#'   probability proportional to \eqn{e^{-j\epsilon}}{e^(-j epsilon)}; a report beyond an end of the scale becomes that end.
#' * `rr_exponential()`: the exponential mechanism, \eqn{P(y \mid x) \propto \exp(\epsilon\, u(x, y) / 2\Delta)}{P(y | x)
#'   proportional to exp(epsilon u(x, y) / 2 Delta)}
#'   with \eqn{\Delta} the range of the utility \eqn{u} over truths.
#' * `rr_misclassification()`: answers that are mistaken rather than randomised: from sensitivity and specificity, or from the table of
#'   a validation study.
#'
#' @param keep Probability that a category is kept: one number, or one per category, whose names serve as `levels` (known names of yes and no in the order no, yes).
#' @param margin Distribution of the replacements, one probability per category (the replaced category is left out and the rest
#'   rescaled); by default the uniform distribution. With names, these and `keep` are matched to the levels in any order.
#' @param levels Labels, or their number.
#' @param epsilon For `rr_geometric()`: log ratio of the probabilities of a report under two neighbouring truths, from
#'   1e-12 to 700; the whole scale then has `rr_epsilon()` \eqn{(K - 1)\epsilon}. For `rr_exponential()`: the privacy level, in the same range; [rr_epsilon()] may be
#'   smaller.
#' @param utility Matrix of utilities, rows truths (with names in any order) and columns reports; by default minus the distance of the ranks.
#' @param sensitivity,specificity \eqn{P(\mathrm{yes} \mid \mathrm{yes})}{P(yes | yes)} and \eqn{P(\mathrm{no} \mid
#'   \mathrm{no})}{P(no | no)}, where "no" is the first of the two levels.
#' @param table Counts of a validation study, rows truths and columns reports.
#' @param ... Not used, and refused.
#' @return A mechanism, see [rr_channel()]; with `sensitivity` and `specificity` one of [rr_binary()].
#' @section Errors:
#' `candor_error_argument` for probabilities outside 0 to 1, lengths that do not match, an empty row of `table`;
#' `candor_error_mismatch` for names that are not the levels.
#' @source Gouweleeuw et al. (1998), see [rr_channel()].
#'
#'   Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. *SIAM Journal on
#'   Computing* 41(6), 1673-1693. \doi{10.1137/09076828X}
#'
#'   McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. *FOCS*, 94-103. \doi{10.1109/FOCS.2007.66}
#'
#'   Rogan, W. J. and Gladen, B. (1978). Estimating prevalence from the results of a screening test. *American Journal of
#'   Epidemiology* 107(1), 71-76. \doi{10.1093/oxfordjournals.aje.a112510}
#' @examples
#' rr_pram(c(employed = 0.9, unemployed = 0.7, inactive = 0.8))
#' rr_geometric(5, epsilon = 1)
#'
#' # A test of sensitivity 0.8 and specificity 0.95, positive in 120 of 1000:
#' # the estimate of Rogan and Gladen
#' test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
#' coef(rr_estimate(rr_counts(c(880, 120), test)))
#' @export
rr_pram <- function(keep, levels = NULL, margin = NULL, ...) {
  check_dots_empty(...)
  keep <- check_probabilities(keep, "keep")
  if (length(keep) == 1L && is.null(levels) && is.null(margin)) {
    abort(c("{.arg levels} must be given when {.arg keep} is one number.", i = "Or give one probability per category."),
          "argument")
  }
  levels <- levels %||% names_as_levels(keep) %||% names_as_levels(margin) %||% max(length(keep), length(margin))
  labels <- check_levels(levels)
  k <- check_matrix_size(length(labels$labels))
  margin <- if (is.null(margin)) rep(1, k) else check_probabilities(margin, "margin")
  keep <- match_levels(keep, labels$labels, "keep")
  margin <- match_levels(margin, labels$labels, "margin")
  for (side in list(list("keep", length(keep), c(1L, k)), list("margin", length(margin), k))) {
    if (!side[[2]] %in% side[[3]]) {
      abort(c("{.arg {side[[1]]}} must have one probability per category.",
              x = "It has length {side[[2]]}, and there are {k} categories."), "argument")
    }
  }
  keep <- rep_len(keep, k)
  C <- matrix(rep(margin, each = k), k)
  diag(C) <- 0
  rest <- rowSums(C)
  if (any(rest == 0 & keep < 1)) {
    abort(c("{.arg margin} must leave a replacement for every category.",
            x = "All others of category {which(rest == 0)[1]} have probability 0."), "argument")
  }
  C <- C * ((1 - keep) / pmax(rest, .Machine$double.xmin))
  diag(C) <- keep
  new_rr_channel(C, list(levels = labels$labels, reports = labels$labels, numeric = labels$numeric),
                 "Post-randomisation (PRAM)")
}

#' @rdname rr_pram
#' @export
rr_geometric <- function(levels, epsilon, ...) {
  check_dots_empty(...)
  labels <- check_levels(levels)
  epsilon <- check_epsilon(epsilon)
  k <- check_matrix_size(length(labels$labels))
  distance <- abs(outer(seq_len(k), seq_len(k), "-"))
  # P(at least k steps in one direction) = e^(-k epsilon) / (1 + e^(-epsilon)).
  end <- 1 / (1 + exp(-epsilon))
  weight <- c(end, rep(-expm1(-epsilon) * end, k - 2), end)
  C <- exp(-epsilon * distance) * rep(weight, each = k)
  # Its noise moves answers to their neighbours: the levels have an order.
  with_order(new_rr_channel(C / rowSums(C), list(levels = labels$labels, reports = labels$labels,
                                                 numeric = labels$numeric),
                 sprintf("Geometric mechanism (epsilon = %s a step)", format(epsilon, digits = 4))),
             list(ordered = TRUE))
}

#' @rdname rr_pram
#' @export
rr_exponential <- function(levels, epsilon, utility = NULL, ...) {
  check_dots_empty(...)
  labels <- check_levels(levels)
  epsilon <- check_epsilon(epsilon)
  k <- check_matrix_size(length(labels$labels))
  if (is.null(utility)) utility <- -abs(outer(seq_len(k), seq_len(k), "-"))
  if (!is.matrix(utility) || !is.numeric(utility) || nrow(utility) != k || ncol(utility) < 2L ||
      !all(is.finite(utility))) {
    abort(c("{.arg utility} must be a matrix of finite numbers with one row per level.",
            x = "It is {describe(utility)}.",
            i = "There are {k} levels."), "argument")
  }
  utility <- utility[match_levels(rownames_as_names(utility), labels$labels, "utility"), , drop = FALSE]
  range <- max(apply(utility, 2, function(u) max(u) - min(u)))
  if (range == 0) abort(c("{.arg utility} must differ between truths.", x = "Every column is constant."), "argument")
  weight <- exp(epsilon * (utility - apply(utility, 1, max)) / (2 * range))
  reports <- if (ncol(utility) == k && is.null(colnames(utility))) labels
             else check_levels(colnames(utility) %||% ncol(utility), "utility")
  new_rr_channel(weight / rowSums(weight),
                 list(levels = labels$labels, reports = reports$labels, numeric = reports$numeric),
                 sprintf("Exponential mechanism (epsilon at most %s)", format(epsilon, digits = 4)))
}

# The rows' positions under the rows' names.
rownames_as_names <- function(matrix) stats::setNames(seq_len(nrow(matrix)), rownames(matrix))

#' @rdname rr_pram
#' @export
rr_misclassification <- function(sensitivity = NULL, specificity = NULL, table = NULL, levels = NULL, ...) {
  check_dots_empty(...)
  if (is.null(table)) {
    if (is.null(sensitivity) || is.null(specificity)) {
      abort(c("{.arg sensitivity} and {.arg specificity} must both be given, or {.arg table}."), "argument")
    }
    p <- check_probability(sensitivity, "sensitivity")
    specificity <- check_probability(specificity, "specificity")
    if (!is.null(levels)) {
      check_no_first(levels, if (!is_even(p, 1 - specificity)) {
        "{.arg sensitivity} is the probability that the second level, here {second}, is found."
      })
    }
    return(new_rr_binary(p, 1 - specificity, levels %||% c("no", "yes"), "Misclassified answer",
                         difference = p + specificity - 1, size = 1, error = TRUE))
  }
  if (!is.null(sensitivity) || !is.null(specificity)) {
    abort(c("{.arg table} must not be given together with {.arg sensitivity} or {.arg specificity}."), "argument")
  }
  if (!is.matrix(table) || !is.numeric(table) || !all(is.finite(table)) || any(table < 0) || any(rowSums(table) == 0)) {
    abort(c("{.arg table} must be a matrix of counts, rows truths, with no empty row.", x = "It is {describe(table)}."),
          "argument")
  }
  C <- check_stochastic(order_channel(unclass(table) / rowSums(table), levels, NULL), 1e-8, "table")
  names(dimnames(C)) <- NULL
  new_rr_channel(C, channel_labels(C, levels, NULL), "Misclassified answer, from a validation study", error = TRUE)
}
