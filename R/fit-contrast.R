#' Sums, differences and ratios of estimates
#'
#' `rr_contrast()` estimates linear functions of the shares, such as merged categories, differences and mean scores, and ratios of two of them.
#' Standard errors use the full covariance matrix.
#'
#' @param fit A fit of [rr_estimate()], also of a survey design or with an anchor question, or a margin or conditional shares of [rr_margin()]. For cumulative shares also a regression on randomized
#'   classes, see [rr_quantile()].
#' @param L The functions to estimate, as any of these:
#'   * a character vector of categories to be added up;
#'   * a numeric vector of weights, named by [coef()] names (absent names weigh 0), or with one weight per estimate;
#'   * a matrix with one such row per function;
#'   * a named list of such vectors and matrices. An element that is a list of two is their ratio, first over second.
#'
#'   Functions without a name are named by their formula, such as `"women:never - men:never"`. With `cumulative = TRUE`: the levels up to which to
#'   add up, as labels or positions; default all.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param cumulative Logical, default `FALSE`. Estimate cumulative shares, each level and all below it? See [rr_quantile()].
#' @param ... Not used; further arguments give an error.
#' @return A tibble of class `rr_contrast` with one row per function, see [estimate_methods]:
#'
#'   * `term`: the function; cumulative shares end with the bin, such as `"up to 10"`.
#'   * `estimate`, `std.error`: value and standard error; a ratio's by the delta method.
#'   * `statistic`, `p.value`: test that the function is 0, or that a ratio is 1 (on the logarithmic scale); none for cumulative shares.
#'   * `conf.low`, `conf.high`: interval; for a ratio on the logarithmic scale; for cumulative shares cut at 0 and 1.
#'
#'   Statistics of a ratio are `NA` unless both of its parts are above 0. A function that is the same for all data has standard error 0 and no test.
#'   `vcov()` gives the joint covariance of up to 2,000 functions of one call.
#' @section At the boundary:
#' Intervals are Wald's if no estimate of the groups involved is on the boundary. For methods other than `"inv"` and `"norm"`, the covariance matrix
#' treats an estimate on the boundary as known, and a warning says so. A standard error of 0 becomes `NA` under every method, because reports that are all alike do not show how
#' they vary; intervals then follow from the reports. A direct question with `target = "sample"` keeps it.
#'
#' * A sum of categories has the interval of the fit, or Wilson's if that is `"wald"` or `"bootstrap"`. It is computed from the nearest number of reports that a truth gives, so it never
#'   collapses to a point. In general channels it is the score interval of the unbiased sum. For several questions only one category, or all but one, has such an interval.
#' * A difference of two such sums between groups has Newcombe's interval.
#' * Other functions (scores, differences within a group) have Wald's interval, which is too narrow on the boundary, or no interval.
#'
#' The same holds if a standard error is not known.
#' @section Designs with several maxima:
#' Some designs cannot tell all truths apart. Some functions of the shares are determined all the same, such as the share of yes in a pool with an unknown
#' parameter. The standard error is then the same at every maximum, from the observed information (`target = "population"`). A function
#' that differs between the maxima has the standard error `NA` and no interval.
#' @section Errors and warnings:
#' Errors: `candor_error_level` (unknown or repeated names), `candor_error_argument`. Warning: `candor_warning_boundary`. See [candor_conditions].
#' @references Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of eleven methods.
#'   *Statistics in Medicine* 17(8), 873-890. \doi{10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I}
#' @seealso [rr_compare()] for all pairs of groups, [rr_margin()] for conditional shares, [rr_quantile()].
#' @concept linear combination
#' @concept risk ratio
#' @concept contrast
#' @examples
#' # How many men did it at all, and do women abstain more often?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' counts <- cbind(men = c(420, 330, 250), women = c(490, 280, 230))
#' fit <- rr_estimate(rr_counts(counts, mechanism))
#' rr_contrast(fit, list(
#'   "ever, men" = c("men:once", "men:often"),
#'   "difference" = c("women:never" = 1, "men:never" = -1),
#'   "often, if ever, men" = list("men:often", c("men:once", "men:often"))
#' ))
#' # 43% of the men; never is 19 percentage points more frequent among women
#'
#' # Is theft more common among those who used drugs?
#' survey <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
#' joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), survey),
#'                      method = "inv")
#' given <- rr_margin(joint, "theft", given = "drugs")
#' rr_contrast(given, list(
#'   "risk difference" = c("yes:yes" = 1, "yes:no" = -1),
#'   "risk ratio" = list("yes:yes", "yes:no")
#' ))
#' # Yes: the prevalence of theft is 69 percentage points higher
#' @export
rr_contrast <- function(fit, L = NULL, conf.level = 0.95, cumulative = FALSE, ...) {
  check_dots_empty(...)
  conf.level <- check_conf_level(conf.level)
  if (check_flag(cumulative, "cumulative")) return(cumulative_shares(fit, L, conf.level))
  if (!has_terms(fit)) check_class(fit, "fit", c("rr_fit", "rr_margin"), "a fit, or a margin")
  is_fit <- inherits(fit, "rr_fit")
  if (is_fit) {
    tell_no_intervals(fit)
    fit <- anytime_fit(fit)
  }
  estimate <- coef(fit)
  read <- contrast_functions(L, names(estimate))
  result <- contrast_values(fit, read$weights, estimate, conf.level)
  if (any(read$divisor > 0)) result <- contrast_ratios(read, result)
  table <- as_tibble(c(list(term = read$terms), result$table))
  unknown <- is.na(table$std.error)
  if (is_fit) tell_errors_unknown(list(fit), table$std.error)
  if (any(result$edge)) {
    unbiased <- is_fit && fit$estimator$unbiased
    warn_boundary(
      table$term[result$edge & unknown], table$term[result$edge & !unknown], unbiased
    )
  }
  if (!is.null(result$covariance)) {
    dimnames(result$covariance) <- list(table$term, table$term)
  }
  sums <- sums_of(fit, length(estimate))
  kind <- if (isTRUE(fit$total)) "number" else function_kind(read, sums)
  titles <- c(
    share = "Sums of shares", difference = "Differences of shares", ratio = "Ratios of shares",
    number = "Functions of the shares"
  )
  new_rr_table(
    table,
    "rr_contrast",
    covariance = result$covariance,
    n = sum(fit$tally$n),
    target = fit$target,
    conf.level = conf.level,
    axis_kind = kind,
    looking = !is.null(fit$plan),
    title = titles[[kind]]
  )
}

# The kind of number that the functions are: shares (sums of categories, or means of such sums),
# differences of two, ratios, or other numbers, such as scores, and several kinds. Estimates with
# the same entry of `sums` add up to 1.
function_kind <- function(read, sums) {
  most <- function(w) sum(tapply(pmax(w, 0), sums, max))
  kinds <- apply(read$weights, 1, function(w) {
    if (max(most(w), most(-w)) > 1 + 1e-9) {
      "number"
    } else if (any(w < 0)) {
      "difference"
    } else {
      "share"
    }
  })
  kinds[read$divisor > 0] <- "ratio"
  kinds <- unique(kinds[read$is_shown])
  if (length(kinds) == 1L) kinds else "number"
}

# The covariance of the functions of one rr_contrast(). It is unknown if a function occurs twice or
# came from elsewhere.
covariance_of.rr_contrast <- function(x) {
  covariance <- attr(x, "covariance")
  index <- match(x$term, rownames(covariance))
  if (is.null(covariance) || anyNA(index) || anyDuplicated(index)) {
    return(unknown_covariances(x$std.error))
  }
  covariance[index, index, drop = FALSE]
}

# ---- the functions that are asked for: names, weights, quotients ----

# `weights` has a row for each function that `L` says, and for each divisor below these. `divisor`
# is the row that each is divided by (0 for none); `is_shown` is TRUE if it is in the table, of
# which `terms` are the names.
contrast_functions <- function(L, names) {
  if (is.matrix(L)) {
    L <- setNames(
      lapply(seq_len(nrow(L)), function(i) {
        setNames(L[i, ], colnames(L))
      }),
      rownames(L)
    )
  }
  if (!is.list(L)) L <- list(L)
  if (!length(L)) abort("{.arg L} must hold at least one function.")
  ratio <- which(
    vapply(L, function(x) is.list(x) && !is.object(x), NA)
  )
  if (any(lengths(L[ratio]) != 2L)) abort("A ratio in {.arg L} must be a list of two functions.")
  above <- replace(L, ratio, lapply(L[ratio], `[[`, 1))
  below <- lapply(unname(L[ratio]), `[[`, 2)
  weights <- do.call(
    rbind,
    Map(
      contrast_row, c(unname(above), below), list(names),
      c(seq_along(L), ratio)
    )
  )
  read <- list(
    weights = weights,
    divisor = integer(nrow(weights)),
    is_shown = seq_len(nrow(weights)) <= length(L)
  )
  read$divisor[ratio] <- length(L) + seq_along(ratio)
  labels <- names(L) %||% rep("", length(L))
  read$terms <- if (all(nzchar(labels))) {
    labels
  } else {
    ifelse(nzchar(labels), labels, function_names(read, names))
  }
  read
}

# The weights of one function; `i` is its position.
contrast_row <- function(x, names, i) {
  if (is.character(x) && length(x)) {
    x <- setNames(rep(1, length(x)), x)
  }
  noun <- sprintf("Function %d of {.arg L}", i)
  if (!length(x) || !is_numbers(x) || !all(is.finite(x)) ||
      all(x == 0)) {
    abort(c(
      paste(noun, "must be categories to add up, or finite weights, not all 0."),
      x = "It is {describe(x)}."
    ))
  }
  index <- if (is.null(names(x))) {
    seq_along(x)
  } else {
    match(names(x), names)
  }
  if (anyNA(index) || anyDuplicated(index) ||
      (is.null(names(x)) && length(x) != length(names))) {
    abort(
      c(
        paste(noun, "must have one weight for each estimate, or names of different estimates."),
        x = "These are {format_labels(names, 400)}."
      ),
      if (is.null(names(x))) "argument" else "level"
    )
  }
  replace(numeric(length(names)), index, x)
}

# The names of functions without one, from their terms, as "men:never - women:never". One of many
# estimates is called by its first three.
function_names <- function(read, names) {
  functions <- which(read$is_shown)
  words <- vapply(
    functions, function(row) weighted_words(read$weights[row, ], names), ""
  )
  for (row in which(read$divisor[functions] > 0)) {
    quotient <- c(
      words[row],
      weighted_words(read$weights[read$divisor[functions[row]], ], names)
    )
    long <- grepl(" ", quotient, fixed = TRUE)
    quotient[long] <- sprintf("(%s)", quotient[long])
    words[row] <- paste(quotient, collapse = " / ")
  }
  make.unique(words, " #")
}

weighted_words <- function(weights, names) {
  index <- which(weights != 0)
  index <- index[order(weights[index] < 0)]
  first <- head(index, if (length(index) > 4L) 3L else 4L)
  sizes <- abs(weights[first])
  times <- ifelse(
    sizes == 1, "", paste0(vapply(sizes, format, "", digits = 4), " ")
  )
  sign <- ifelse(weights[first] < 0, " - ", " + ")
  sign[1] <- if (weights[first[1]] < 0) "-" else ""
  more <- if (length(index) > length(first)) {
    sprintf(" ... (%s estimates)", format_count(length(index)))
  }
  paste0(paste0(sign, times, names[first], collapse = ""), more)
}

# ---- cumulative shares ----

# rr_contrast() of cumulative sums.
cumulative_shares <- function(fit, index, conf.level) UseMethod("cumulative_shares")

cumulative_shares.default <- function(fit, index, conf.level) {
  check_ordered_fit(fit)
  index <- match_terms(index, fit, "L")
  table <- rr_contrast(fit, cumulative_rows(fit, index), conf.level)
  # Shares: Wald's intervals are cut at 0 and 1, as those of margins are.
  beyond <- which(table$conf.low < 0 | table$conf.high > 1)
  cut <- normal_interval(
    table$estimate[beyond], (table$conf.high - table$conf.low)[beyond] / 2, 0,
    1
  )
  table$conf.low[beyond] <- cut$low
  table$conf.high[beyond] <- cut$high
  mechanism <- fit$mechanism
  # The label of a cumulative share is its last level, or is the upper end of its last bin.
  bins <- length(mechanism$breaks) == length(mechanism$levels) + 1L
  label <- paste("up to", if (bins) format_count(mechanism$breaks[-1]) else mechanism$levels)[
    index
  ]
  table$term <- cell_names(label, fit$tally$groups)
  covariance <- attr(table, "covariance")
  if (!is.null(covariance)) dimnames(covariance) <- list(table$term, table$term)
  # The row of a level is about all below it too. A share of 0 is no hypothesis here: there is no
  # test.
  table$statistic <- table$p.value <- NULL
  structure(table, covariance = covariance, title = "Cumulative shares")
}

# Is the order of the levels known, and one from low to high?
has_order <- function(mechanism) {
  numbers <- level_numbers(mechanism)
  in_order(mechanism) && (is.null(numbers) || !is.unsorted(numbers))
}

check_ordered_fit <- function(fit) {
  if (!inherits(fit, "rr_fit") || !is.null(fit$mechanism$questions)) {
    must_be(fit, "fit", "a fit of one question")
  }
  if (!has_order(fit$mechanism)) {
    abort("{.arg fit} must be of levels that have an order: numbers, or an ordered factor.")
  }
}

# The weights of cumulative shares, a row for each of `groups` and each level of `index`.
cumulative_rows <- function(fit, index, groups = seq_len(NCOL(fit$estimate))) {
  sums <- 1 * outer(index, seq_along(fit$mechanism$levels), `>=`)
  rows <- outer(seq_along(index), (groups - 1L) * length(index), `+`)
  structure(
    kronecker(diag(NCOL(fit$estimate))[groups, , drop = FALSE], sums),
    dimnames = list(coef_names(fit, index)[rows], coef_names(fit))
  )
}
