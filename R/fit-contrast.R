#' Linear functions of the estimates, and their ratios
#'
#' Sums of categories, differences between categories or groups, means of scores: any linear function of the estimated shares, with
#' its standard error from the full covariance matrix; and ratios of two of them, such as conditional shares and risk ratios.
#'
#' @param fit A fit of [rr_estimate()], also of a survey design, or a margin or conditional shares of [rr_margin()].
#' @param L What to add up: a character vector of categories to be merged; a numeric vector of weights, named by
#'   [coef()] names (absent ones weigh 0) or with one weight per estimate; a matrix with one such row per function; or a
#'   named list of such vectors and matrices. An element of the list that is itself a list of two of these is their ratio, first over second. Functions without a name are called
#'   what they are, such as `"women:never - men:never"`. With `cumulative = TRUE` the levels up to which to add up, by label or position; all by default.
#' @param conf.level Confidence level of the intervals.
#' @param cumulative Are cumulative shares wanted, the share of each level and all below it? See [rr_quantile()].
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_contrast` with one row per function: `term`, `estimate`, `std.error`, `statistic` (their quotient), `p.value` (two-sided, of the
#'   hypothesis that the function is 0), `conf.low`, `conf.high`. A ratio has its standard error by the delta method, and interval and test
#'   on the logarithmic scale, the test being of the hypothesis that it is 1; they are `NA` where one of its parts is not above 0. A function that is the same whatever the data, such as the sum of all
#'   shares, has the standard error 0 and no test. It is read as all estimates are, see [rr_estimates]; `vcov()` holds the joint covariance of up to 2,000 functions of one
#'   `rr_contrast()`, and `NA` for others. Cumulative shares have intervals cut at 0 and 1 and no test; their `term` says up to where, such as `"up to 10"` for a bin that ends at 10.
#' @section At the boundary:
#' Intervals are Wald's, by the standard error, where no estimate of the groups involved sits on the boundary. Where one does (any method but
#' `"inv"` and `"norm"`), the covariance matrix treats that estimate as known. There is a warning, and a standard error of 0
#' becomes `NA`. Intervals then follow from the reports, whose counts are binomial whatever the estimate.
#'
#' For a sum of categories this is the interval of the fit, or Wilson's if that is `"wald"` or `"bootstrap"`. It is computed from the number of reports or, where no truth gives so
#' many or so few, from the nearest number that a truth gives, so that it never is a single point. In other channels, and where reports support sets or nodes, Wilson's is the score interval of the unbiased sum. (It does
#' not exist for several questions together, nor do exact intervals: there only one category, or all but one, has an interval.) For differences of such sums between groups, both intervals are combined by the method of Newcombe. The same is done where a
#' standard error is not known. Other functions (scores, differences within a group) have Wald's interval, which is too narrow there, or none.
#' @section Where the maximum is not unique:
#' The reports of some designs cannot tell all truths apart, and the likelihood has many maxima. A function may be known all the same: in the
#' stochastic lie detector ([rr_lie_detector()]) with one sample not how many deny, but in pools with an unknown parameter the share of yes. The
#' standard error of such a function is that of every maximum, from the observed information (`target = "population"`). A function that differs
#' between the maxima has the standard error `NA` and no interval: its estimate is that of one of them.
#' @section Errors and warnings:
#' `candor_error_level` for names that are not estimates of the fit or appear twice, `candor_error_argument` for weights of the wrong length or
#' all 0, and for empty selections. `candor_warning_boundary` where estimates sit on the boundary, and a message where `"eb"` has no standard errors.
#' @source The covariances are those of `vcov()`, see [rr_fit]; a linear function \eqn{L\hat\theta} then has the covariance \eqn{L V L'}, and a score
#'   of ordered categories is one. Groups are independent, because no respondent is in two.
#'
#'   Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of eleven methods.
#'   *Statistics in Medicine* 17(8), 873-890.
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' fit <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), mechanism))
#' rr_contrast(fit, list(
#'   "ever, men" = c("men:once", "men:often"),
#'   "difference" = c("men:never" = 1, "women:never" = -1),
#'   "often, of those ever, men" = list("men:often", c("men:once", "men:often"))
#' ))
#'
#' # Conditional shares of two questions: difference and ratio between the two conditions
#' survey <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
#' joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), survey), method = "inv")
#' given <- rr_margin(joint, "theft", given = "drugs")
#' tidy(given)
#' rr_contrast(given, list("risk difference" = c("yes:yes" = 1, "yes:no" = -1),
#'                         "risk ratio" = list("yes:yes", "yes:no")))
#' @export
rr_contrast <- function(fit, L = NULL, conf.level = 0.95, cumulative = FALSE, ...) {
  check_dots_empty(...)
  if (!inherits(fit, c("rr_fit", "rr_survey", "rr_margin"))) {
    abort(c("{.arg fit} must be a fit, or a margin.", x = "It is {describe(fit)}."), "argument")
  }
  conf.level <- check_level(conf.level)
  if (check_flag(cumulative, "cumulative")) return(cumulative_shares(fit, L, conf.level))
  plain <- inherits(fit, "rr_fit")
  if (plain) tell_no_intervals(fit)
  estimate <- coef(fit)
  read <- contrast_functions(L, names(estimate))
  found <- contrast_values(fit, read$weights, estimate, conf.level)
  if (any(read$divisor > 0)) found <- contrast_ratios(read, found)
  table <- tibble::as_tibble(c(list(term = read$terms), found$table))
  unknown <- is.na(table$std.error)
  if (plain) tell_errors_unknown(list(fit), table$std.error)
  if (any(found$edge)) warn_boundary(table$term[found$edge & unknown], table$term[found$edge & !unknown])
  if (!is.null(found$covariance)) dimnames(found$covariance) <- list(table$term, table$term)
  kinds <- if (!isTRUE(fit$total)) function_kinds(read, whole_size(fit))
  new_rr_table(table, "rr_contrast", covariance = found$covariance, n = sum(fit$tally$n), target = fit$target,
               conf.level = conf.level, kinds = kinds, title = contrast_title(kinds))
}

# How many estimates share a whole: the categories of a group, or the answers of one condition.
whole_size <- function(fit) {
  if (!inherits(fit, "rr_margin")) return(length(fit$mechanism$levels))
  prod(dim(fit$estimate)[setdiff(names(dimnames(fit$estimate)), fit$given)])
}

# What kind of number each function is: a share (a sum of categories, or a mean of such sums), a difference of two, a
# ratio, or another number, such as a score. `whole` is the number of estimates that add up to 1.
function_kinds <- function(read, whole) {
  block <- (seq_len(ncol(read$weights)) - 1) %/% whole
  most <- function(w) sum(tapply(pmax(w, 0), block, max))
  kinds <- apply(read$weights, 1, function(w) {
    if (max(most(w), most(-w)) > 1 + 1e-9) "number" else if (any(w < 0)) "difference" else "share"
  })
  kinds[read$divisor > 0] <- "ratio"
  stats::setNames(kinds[read$shown], read$terms)
}

contrast_title <- function(kinds) {
  titles <- c(share = "Sums of shares", difference = "Differences of shares", ratio = "Ratios of shares",
              number = "Functions of the shares")
  if (length(unique(kinds)) < 2L) return(titles[[kinds[1] %||% "number"]])
  names <- c(share = "shares", difference = "differences", ratio = "ratios", number = "other functions")
  capitalise(sub(", ([^,]*)$", " and \\1", paste(names[names(names) %in% kinds], collapse = ", ")))
}

# Its covariance is known of the functions of one rr_contrast(), each once.
covariance_of.rr_contrast <- function(x) {
  known <- attr(x, "covariance")
  at <- match(x$term, rownames(known))
  if (is.null(known) || anyNA(at) || anyDuplicated(at)) return(unknown_covariances(x$std.error))
  known[at, at, drop = FALSE]
}

# Shares, differences and ratios have axes of their own; cumulative shares say up to which level.
drawn_of.rr_contrast <- function(x, data, labels) {
  data$kind <- unname(attr(x, "kinds")[labels]) %||% rep("number", nrow(data))
  data$kind[is.na(data$kind)] <- "number"
  levels <- attr(x, "levels")
  at <- match(labels, levels$term)
  if (is.null(levels) || anyNA(at)) return(list(data = data, title = contrast_title(data$kind)))
  data$label <- rows_factor(levels$label[at])
  data$panel <- factor(levels$group[at], unique(levels$group[at]))
  data$number <- levels$number[at]
  list(data = data, title = title_of(x))
}

# ---- the functions that are asked for: names, weights, quotients ----

# `weights` has a row for each function that `L` says, and for each divisor below these; `divisor` is the row that each
# is divided by (0 for none), `shown` whether it is in the table, of which `terms` are the names.
contrast_functions <- function(L, names) {
  if (is.matrix(L)) L <- stats::setNames(lapply(seq_len(nrow(L)), function(i) L[i, ]), rownames(L))
  if (!is.list(L)) L <- list(L)
  if (!length(L)) abort(c("{.arg L} must hold at least one function.", x = "It is empty."), "argument")
  ratio <- which(vapply(L, function(x) is.list(x) && !is.object(x), NA))
  if (any(lengths(L[ratio]) != 2L)) {
    abort(c("A ratio in {.arg L} must be a list of two functions, first over second."), "argument")
  }
  above <- L
  above[ratio] <- lapply(L[ratio], `[[`, 1)
  below <- lapply(unname(L[ratio]), `[[`, 2)
  weights <- do.call(rbind, Map(contrast_row, c(unname(above), below), list(names), c(seq_along(L), ratio)))
  read <- list(weights = weights, divisor = integer(nrow(weights)), shown = seq_len(nrow(weights)) <= length(L))
  read$divisor[ratio] <- length(L) + seq_along(ratio)
  labels <- names(L) %||% rep("", length(L))
  read$terms <- if (all(nzchar(labels))) labels else ifelse(nzchar(labels), labels, function_names(read, names))
  read
}

# One function's weights; `i` is its place.
contrast_row <- function(x, names, i) {
  if (is.character(x) && length(x)) x <- stats::setNames(rep(1, length(x)), x)
  what <- sprintf("Function %d of {.arg L}", i)
  if (!length(x) || !is.numeric(x) || is.object(x) || !all(is.finite(x))) {
    abort(c(paste(what, "must be categories to add up, or finite weights."), x = "It is {describe(x)}."), "argument")
  }
  if (is.null(names(x)) && length(x) != length(names)) {
    abort(c(paste(what, "must have one weight per estimate, or names."),
            x = "It has length {length(x)}, and there are {length(names)} estimates.",
            i = "They are called {format_labels(names, 400)}."), "argument")
  }
  place <- if (is.null(names(x))) seq_along(x) else match(names(x), names)
  if (anyNA(place) || anyDuplicated(place)) {
    odd <- names(x)[is.na(place) | duplicated(place)][1]
    abort(c(paste(what, "must have names of different estimates."),
            x = "{.val {odd}} is not one, or stands there twice.", i = "They are {format_labels(names, 400)}."),
          "level")
  }
  if (all(x == 0)) abort(c(paste(what, "must weigh at least one estimate.")), "argument")
  replace(numeric(length(names)), place, x)
}

# What functions without a name are called: what they are, as "men:never - women:never". One of many estimates is
# called by its first three.
function_names <- function(read, names) {
  shown <- which(read$shown)
  words <- vapply(shown, function(row) weighted_words(read$weights[row, ], names), "")
  for (row in which(read$divisor[shown] > 0)) {
    parts <- c(words[row], weighted_words(read$weights[read$divisor[shown[row]], ], names))
    long <- grepl(" ", parts, fixed = TRUE)
    parts[long] <- sprintf("(%s)", parts[long])
    words[row] <- paste(parts, collapse = " / ")
  }
  make.unique(words, " #")
}

weighted_words <- function(weights, names) {
  at <- which(weights != 0)
  at <- at[order(weights[at] < 0)]
  first <- utils::head(at, if (length(at) > 4L) 3L else 4L)
  size <- abs(weights[first])
  times <- ifelse(size == 1, "", paste0(vapply(size, format, "", digits = 4), " "))
  sign <- ifelse(weights[first] < 0, " - ", " + ")
  sign[1] <- if (weights[first[1]] < 0) "-" else ""
  more <- if (length(at) > length(first)) sprintf(" ... (%s estimates)", format_count(length(at)))
  paste0(paste0(sign, times, names[first], collapse = ""), more)
}

# ---- cumulative shares ----

# rr_contrast() of cumulative sums.
cumulative_shares <- function(fit, at, conf.level) {
  check_ordered_fit(fit)
  at <- match_terms(at, fit, "L")
  table <- rr_contrast(fit, cumulative_rows(fit, at), conf.level)
  # Shares: Wald's intervals are cut at 0 and 1, as those of margins are.
  beyond <- which(table$conf.low < 0 | table$conf.high > 1)
  cut <- normal_interval(table$estimate[beyond], (table$conf.high - table$conf.low)[beyond] / 2, 0, 1)
  table$conf.low[beyond] <- cut$low
  table$conf.high[beyond] <- cut$high
  mechanism <- fit$mechanism
  # A cumulative share reaches up to a level, or to the upper end of a bin.
  bins <- length(mechanism$breaks) == length(mechanism$levels) + 1L
  label <- paste("up to", if (bins) format_count(mechanism$breaks[-1]) else mechanism$levels)[at]
  groups <- group_labels(fit$tally$groups)
  size <- max(1L, length(groups))
  table$term <- cell_names(label, fit$tally$groups)
  covariance <- attr(table, "covariance")
  if (!is.null(covariance)) dimnames(covariance) <- list(table$term, table$term)
  # The row of a level is about all below it too. That such a share is 0 is no hypothesis: there is no test.
  table$statistic <- table$p.value <- NULL
  tops <- if (is.null(mechanism$breaks)) level_numbers(mechanism) else mechanism$breaks[-1]
  levels <- list(term = table$term, label = rep(label, size), group = rep(groups %||% "", each = length(at)),
                 number = if (!is.null(tops)) rep(tops[at], size))
  structure(table, covariance = covariance, levels = levels, title = "Cumulative shares")
}

# Is the order of the levels known, and one from low to high?
has_order <- function(mechanism) {
  numbers <- level_numbers(mechanism)
  in_order(mechanism) && (is.null(numbers) || !is.unsorted(numbers))
}

check_ordered_fit <- function(fit) {
  if (!inherits(fit, "rr_fit") || !is.null(fit$mechanism$questions)) {
    abort(c("{.arg fit} must be a fit of one question.", x = "It is {describe(fit)}."), "argument")
  }
  if (has_order(fit$mechanism)) return(invisible())
  abort(c("{.arg fit} must be of levels that have an order.",
          x = "The levels of its mechanism, {format_labels(fit$mechanism$levels)}, have no known order.",
          i = "Give the mechanism an ordered factor or numbers as {.arg levels}."), "argument")
}

# One row of weights for each group and level of `at`.
cumulative_rows <- function(fit, at) {
  k <- length(fit$mechanism$levels)
  groups <- NCOL(fit$estimate)
  own <- 1 * outer(at, seq_len(k), `>=`)
  rows <- kronecker(diag(groups), own)
  dimnames(rows) <- list(coef_names(fit, at), coef_names(fit))
  rows
}
