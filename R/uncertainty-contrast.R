#' Linear functions of the estimates, and their ratios
#'
#' Sums of categories, differences between categories or groups, means of scores: any linear function of the estimated shares, with
#' its standard error from the full covariance matrix; and ratios of two of them, such as conditional shares and risk ratios.
#'
#' @param fit A fit of [rr_estimate()], or a margin or conditional shares of [rr_margin()].
#' @param L What to add up: a character vector of categories to be merged; a numeric vector of weights, named by
#'   [coef()] names (absent ones weigh 0) or with one weight per estimate; a matrix with one such row per function; or a
#'   named list of such vectors and matrices. An element of the list that is itself a list of two of these is their ratio, first over second. Functions without a name are called
#'   what they are, such as `"women:never - men:never"`.
#' @param conf.level Confidence level of the intervals.
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_contrast` with one row per function: `term`, `estimate`, `std.error`, `statistic` (their quotient), `p.value` (two-sided, of the
#'   hypothesis that the function is 0), `conf.low`, `conf.high`. A ratio has its standard error by the delta method, and interval and test
#'   on the logarithmic scale, the test being of the hypothesis that it is 1; they are `NA` where one of its parts is not above 0. A function that is the same whatever the data, such as the sum of all
#'   shares, has the standard error 0 and no test. `coef()`, `vcov()` (the joint covariance of up to 2,000 functions), `confint()`, `nobs()`, `tidy()` and `glance()`
#'   work for it, see [rr_estimates].
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
rr_contrast <- function(fit, L, conf.level = 0.95, ...) {
  check_dots_empty(...)
  margin <- inherits(fit, "rr_margin")
  if (!margin && !inherits(fit, c("rr_fit", "rr_survey"))) {
    abort(c("{.arg fit} must be a fit, or a margin.", x = "It is {describe(fit)}.",
            i = if (is.list(fit) && !is.object(fit)) "For several fits of independent samples use {.fn rr_compare}."),
          "argument")
  }
  conf.level <- check_level(conf.level)
  if (inherits(fit, "rr_survey")) {
    read <- contrast_functions(L, labels_of(fit))
    if (any(read$divisor > 0)) abort(c("Ratios cannot be had of a fit of a survey design.",
                                       i = "Ask for the two functions, or compare with {.fn rr_compare}."), "argument")
    return(survey_contrast(fit, `rownames<-`(read$weights, read$terms), conf.level,
                           if (!fit$total) function_kinds(read, length(fit$mechanism$levels))))
  }
  if (!margin) tell_no_intervals(fit)
  estimate <- coef(fit)
  read <- contrast_functions(L, names(estimate))
  weights <- read$weights
  value <- contrast_values(weights, estimate)
  parts <- if (margin) margin_parts(fit, weights) else contrast_parts(fit, weights)
  error <- sqrt(rowSums(parts$variance))
  df <- if (margin) fit$df %||% Inf else Inf
  z <- stats::qt((1 - conf.level) / 2, df, lower.tail = FALSE)
  bounds <- list(low = value - z * error, high = value + z * error)
  own <- !margin && !fit$estimator$unbiased && fit$interval != "none"
  for (row in if (own) which((is.na(error) | parts$edge) & !parts$unidentified)) {
    known <- share_bounds(fit, weights[row, ], value[row], conf.level)
    if (is.null(known)) next
    bounds$low[row] <- known$low
    bounds$high[row] <- known$high
  }
  # A function that is the same whatever the data is not tested.
  ratio <- value / error
  ratio[which(error == 0)] <- NA_real_
  table <- tibble::tibble(estimate = unname(value), std.error = unname(error), statistic = unname(ratio),
                          p.value = unname(2 * stats::pt(-abs(ratio), df)), conf.low = unname(bounds$low),
                          conf.high = unname(bounds$high))
  edge <- parts$edge
  covariance <- parts$covariance
  if (any(read$divisor > 0)) {
    quotients <- contrast_ratios(read, value, covariance, table, z, df)
    table <- quotients$table
    covariance <- quotients$covariance
    edge <- quotients$among(edge)
  }
  table <- tibble::as_tibble(c(list(term = read$terms), table))
  if (!margin) tell_errors_unknown(list(fit), table$std.error)
  unknown <- is.na(table$std.error)
  if (any(edge)) warn_boundary(table$term[edge & unknown], table$term[edge & !unknown])
  # The categories of a group, or the answers of one condition, share a whole.
  whole <- if (margin) prod(dim(fit$estimate)[setdiff(names(dimnames(fit$estimate)), fit$given)])
    else length(fit$mechanism$levels)
  new_rr_contrast(table, covariance, fit, conf.level, function_kinds(read, whole))
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

# Estimates that are not known, as conditional shares in an empty slice, matter only where they are weighed.
contrast_values <- function(weights, estimate) {
  known <- ifelse(is.na(estimate), 0, estimate)
  value <- drop(weights %*% known)
  value[rowSums(weights[, is.na(estimate), drop = FALSE] != 0) > 0] <- NA_real_
  value
}

# Margins have the covariance of all their cells.
margin_parts <- function(fit, weights) {
  covariance <- fit$covariance
  lost <- is.na(diag(covariance))
  covariance[lost, ] <- covariance[, lost] <- 0
  covariance <- weights %*% tcrossprod(covariance, weights)
  v <- diag(covariance)
  # Exact zeros, as of the sum of all shares, come out as roundings.
  size <- drop(abs(weights) %*% ifelse(lost, 0, diag(fit$covariance)))
  v[which(abs(v) <= 1e-12 * size)] <- 0
  gone <- rowSums(weights[, lost, drop = FALSE] != 0) > 0
  v[gone] <- NA_real_
  diag(covariance) <- v
  covariance[gone, ] <- covariance[, gone] <- NA_real_
  list(variance = cbind(v), edge = rep(fit$boundary > 0, nrow(weights)) & !(v %in% 0), covariance = covariance)
}

# Quotients of functions: `divisor` is the row of the function that each function of a table is divided by, 0 for none,
# and rows that are divisors only are left out.
contrast_ratios <- function(read, value, covariance, table, z, df) {
  if (is.null(covariance)) {
    abort(c("Ratios can be had of at most {format_count(contrast_limit)} functions at a time."), "argument")
  }
  shown <- which(read$shown)
  below <- read$divisor[shown]
  jacobian <- matrix(0, length(shown), length(value))
  for (i in seq_along(shown)) {
    jacobian[i, shown[i]] <- 1
    if (below[i] == 0) next
    top <- value[shown[i]]
    bottom <- value[below[i]]
    good <- isTRUE(top > 0 && bottom > 0)
    jacobian[i, c(shown[i], below[i])] <- if (good) c(1 / bottom, -top / bottom^2) else NA_real_
  }
  unknown <- is.na(diag(covariance))
  clean <- covariance
  clean[unknown, ] <- clean[, unknown] <- 0
  lost <- rowSums(is.na(jacobian)) > 0 | rowSums(jacobian[, unknown, drop = FALSE] != 0, na.rm = TRUE) > 0
  jacobian[is.na(jacobian)] <- 0
  result <- jacobian %*% tcrossprod(clean, jacobian)
  result[lost, ] <- result[, lost] <- NA_real_
  table <- table[shown, ]
  for (i in which(below > 0)) {
    ratio <- value[shown[i]] / value[below[i]]
    error <- sqrt(max(0, result[i, i]))
    relative <- error / ratio
    test <- if (isTRUE(relative > 0)) log(ratio) / relative else NA_real_
    table[i, ] <- list(if (is.finite(ratio)) ratio else NA_real_, error, test, 2 * stats::pt(-abs(test), df),
                       ratio * exp(-z * relative), ratio * exp(z * relative))
  }
  list(table = table, covariance = result,
       among = function(flags) flags[shown] | c(FALSE, flags)[below + 1])
}

# Of a survey design: with the covariance of all groups, and the degrees of freedom of the design.
survey_contrast <- function(fit, weights, conf.level, kinds = NULL) {
  value <- drop(weights %*% coef(fit))
  covariance <- weights %*% tcrossprod(fit$covariance, weights)
  variance <- diag(covariance)
  # Exact zeros, as of the sum of all shares, come out as roundings.
  variance[abs(variance) <= 1e-14 * drop(weights^2 %*% diag(fit$covariance))] <- 0
  error <- root(variance)
  half <- stats::qt((1 + conf.level) / 2, fit$df) * error
  ratio <- ifelse(error > 0, value / error, NA_real_)
  table <- tibble::tibble(term = rownames(weights) %||% as.character(seq_len(nrow(weights))), estimate = unname(value),
                          std.error = unname(error), statistic = unname(ratio),
                          p.value = unname(2 * stats::pt(-abs(ratio), fit$df)), conf.low = unname(value - half),
                          conf.high = unname(value + half))
  new_rr_contrast(table, unname(covariance), fit, conf.level, kinds)
}

# A tibble with the attributes that its methods need: see fit-contrast.R.
new_rr_contrast <- function(table, covariance, fit, conf.level, kinds = NULL) {
  if (!is.null(covariance)) dimnames(covariance) <- list(table$term, table$term)
  attr(table, "covariance") <- covariance
  attr(table, "n") <- sum(fit$tally$n)
  attr(table, "target") <- fit$target
  attr(table, "conf.level") <- conf.level
  attr(table, "kinds") <- kinds
  class(table) <- c("rr_contrast", class(table))
  table
}

# Variances of each function's part in each group, NA where the covariance knows none; and which functions depend on a
# group with estimates at the boundary, where that covariance takes them for known (`edge`).
contrast_parts <- function(fit, weights) {
  k <- length(fit$mechanism$levels)
  groups <- ncol(weights) / k
  variance <- matrix(0, nrow(weights), groups)
  edge <- unidentified <- logical(nrow(weights))
  covariance <- if (nrow(weights) <= contrast_limit) matrix(0, nrow(weights), nrow(weights))
  for (g in seq_len(groups)) {
    own <- weights[, (g - 1) * k + seq_len(k), drop = FALSE]
    needed <- which(colSums(own != 0) > 0)
    if (!length(needed)) next
    parts <- if (many_maxima(fit, g)) maxima_variances(fit, g, own)
      else if (needs_functions(g, fit)) function_variances(fit, g, own)
      else if (has_functions(fit)) inverse_variances(fit, g, own)
      else matrix_variances(fit, g, own, needed)
    v <- parts$variance
    if (!is.null(parts$identified)) unidentified <- unidentified | !parts$identified
    v[v < 0] <- NA_real_
    if (!is.null(covariance)) covariance <- covariance + parts$covariance
    if (held_at_boundary(fit, g) && !identical(parts$edge, FALSE)) {
      free <- rowSums(own != own[, 1]) > 0 | (!adds_up(group_estimate(fit, g)) & own[, 1] != 0)
      v[free & v == 0] <- NA_real_
      edge <- edge | free
    }
    variance[, g] <- v
  }
  if (!is.null(covariance)) {
    total <- rowSums(variance)
    covariance[is.na(total), ] <- covariance[, is.na(total)] <- NA_real_
    covariance[total %in% 0, ] <- covariance[, total %in% 0] <- 0
    diag(covariance) <- total
  }
  list(variance = variance, edge = edge, covariance = covariance, unidentified = unidentified)
}

# Estimates that are biased or have no known standard error.
held_at_boundary <- function(fit, g) {
  estimate <- fitted_truth(fit, g)
  certain <- fit$target == "sample" && identical(rr_law(fit$mechanism)$a, 1)
  own <- !is.null(fit$estimator$spread)
  !fit$estimator$unbiased && !certain && !own && any(estimate <= 0 | estimate >= 1)
}

warn_boundary <- function(unknown, small) {
  warn(c("Estimates of this fit are held at the boundary, at 0 or 1, where standard errors say too little.",
         x = if (length(unknown)) "{cli::qty(unknown)}{?That/Those} of {.val {unknown}} {?is/are} not known.",
         x = if (length(small)) "{cli::qty(small)}{?That/Those} of {.val {small}} {?is/are} too small.",
         i = "Read the intervals, or use {.code method = \"inv\"}, whose estimates are not held at the boundary."),
       "boundary")
}

# Intervals for a sum of categories, or for a difference of such sums between groups, from the reports themselves: they
# hold at the boundary. Groups are combined as Newcombe (1998) does for differences, each side with the distances from
# the estimates to the bounds that are on it. NULL for other functions.
share_bounds <- function(fit, weights, value, level) {
  k <- length(fit$mechanism$levels)
  below <- above <- 0
  for (g in unique((which(weights != 0) - 1) %/% k + 1)) {
    part <- share_part(weights[(g - 1) * k + seq_len(k)], adds_up(group_estimate(fit, g)))
    if (is.null(part)) return(NULL)
    if (part$scale == 0) next
    share <- sum(group_estimate(fit, g)[part$cells])
    interval <- share_interval(fit, g, part$cells, share, level)
    if (is.null(interval)) return(NULL)
    reach <- abs(part$scale) * pmax(0, c(share - interval$low, interval$high - share))
    if (part$scale < 0) reach <- rev(reach)
    below <- below + reach[1]^2
    above <- above + reach[2]^2
  }
  list(low = value - sqrt(below), high = value + sqrt(above))
}

# A group's weights as a multiple of the share of some cells, if they are, up to a constant that multiplies the sum of
# all shares; of cells and complement the fewer.
share_part <- function(weights, sum_known) {
  values <- unique(weights)
  if (length(values) == 1L && (sum_known || values == 0)) return(list(scale = 0))
  if (length(values) != 2L || (!sum_known && !0 %in% values)) return(NULL)
  base <- if (sum_known) values[which.max(tabulate(match(weights, values), 2L))] else 0
  list(scale = setdiff(values, base) - base, cells = which(weights != base))
}

share_interval <- function(fit, g, cells, share, level) {
  # Neither normal theory nor the bootstrap holds at the boundary.
  interval <- if (fit$interval %in% c("wald", "bootstrap", "credible")) "wilson" else fit$interval
  if (interval == "profile") {
    if (length(cells) == 1L) return(cell_interval(fit, g, cells, interval, level))
    evidence <- group_evidence(fit$tally, g)
    best <- maximise(channel_axes(fit$mechanism), evidence$counts, n = evidence$n)$estimate
    inside <- seq_along(best) %in% cells
    return(as.list(profile_share(unname(rr_matrix(fit$mechanism)), evidence$counts, inside, best, level, evidence$n)))
  }
  law <- rr_law(fit$mechanism)
  bounds <- law_share_interval(law, group_evidence(fit$tally, g, law), cells, share, interval, level, fit$target)
  if (!is.null(bounds)) return(include_estimate(bounds, share, fit$estimator$unbiased))
  if (length(cells) == 1L) cell_interval(fit, g, cells, interval, level)
}

# The fit's own interval of one cell.
cell_interval <- function(fit, g, cell, interval, level) {
  fit$simultaneous <- FALSE
  lapply(fit_intervals(fit, level, interval, cell, g), `[[`, 1)
}
