#' Comparing groups
#'
#' All pairs of groups, with p-values adjusted for their number: differences or ratios of shares, between the groups of one fit or between fits of
#' independent samples.
#'
#' Differences and their intervals are those of [rr_contrast()]: Wald's by the standard error, or Newcombe's from the
#' reports where an estimate sits on the boundary. Ratios have their standard error by the delta method and the interval of
#' Fieller (1954), or of Donner and Zou (2012) at the boundary: all ratios r for which the interval of the second share minus r times the first holds 0. So the interval of a ratio holds 1 where that of the
#' difference holds 0, and both have the same p-value, that of equal shares. An interval up to `Inf` says that the first share may be 0; where a share is estimated as 0 or below, the ratio is `NA`.
#' Each interval holds for its own comparison alone: only p-values are adjusted. Where an estimate sits on the boundary the p-value is that of Newcombe's interval:
#' 1 less the level at which an end of it is 0. (It is found between levels a tenth of a standard deviation apart; intervals of other methods than `"wilson"`, which would have to be found
#' for every level, have `NA` there.)
#'
#' To compare two of several groups take them first: `rr_compare(fit[c("north", "south")])`, see [groups]. `p.adjusted` then counts this one comparison.
#'
#' [anova()][anova.rr_fit] tests whether any shares differ at all.
#'
#' @param fit A grouped fit of [rr_estimate()], or a list of two or more fits of independent samples, each without groups or of one group. The names of the
#'   list are the groups; without names they are those of the fits.
#' @param terms Labels or positions of the categories to compare; by default all, and for a yes/no question the second.
#' @param type `"difference"` (second group minus first) or `"ratio"` (second over first).
#' @param adjust How p-values are adjusted over all rows: a method of [stats::p.adjust()].
#' @param conf.level Confidence level of the intervals.
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_compare` with a row per pair of groups and category: `term`, `group1`, `group2`, `estimate`, `std.error`, `conf.low`, `conf.high`, `p.value`,
#'   `p.adjusted`. A difference is that of `group2` minus `group1`, a ratio that of `group2` over `group1`. [plot()][autoplot.rr_compare] draws it.
#' @section Errors and warnings:
#' `candor_error_argument` for fits without groups and for other arguments out of range, `candor_error_level` for unknown terms, such as groups,
#' `candor_error_mismatch` for fits with different categories. `candor_warning_boundary` where estimates sit on the boundary, and a message where `"eb"` has no standard errors.
#' @source Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. *Statistics in Medicine* 17(8), 873-890.
#'
#'   Fieller, E. C. (1954). Some problems in interval estimation. *Journal of the Royal Statistical Society B* 16(2), 175-185.
#'
#'   Donner, A. and Zou, G. Y. (2012). Closed-form confidence intervals for functions of the normal mean and standard deviation. *Statistical Methods in Medical
#'   Research* 21(4), 347-359. \doi{10.1177/0962280210383082}
#'
#'   Holm, S. (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal of Statistics* 6(2), 65-70.
#' @examples
#' mechanism <- rr_warner(0.8)
#' counts <- cbind(north = c(no = 620, yes = 380), south = c(700, 300), west = c(660, 340))
#' fit <- rr_estimate(rr_counts(counts, mechanism))
#' rr_compare(fit)
#' rr_compare(fit, type = "ratio")
#' rr_compare(fit[c("north", "west")])
#' anova(fit)
#' @export
rr_compare <- function(fit, terms = NULL, type = c("difference", "ratio"), adjust = "holm", conf.level = 0.95, ...) {
  check_dots_empty(...)
  type <- check_choice(type, "type", c("difference", "ratio"))
  adjust <- check_choice(adjust, "adjust", stats::p.adjust.methods)
  conf.level <- check_level(conf.level)
  if (inherits(fit, "rr_survey")) {
    return(new_rr_compare(survey_compare(fit, terms, type, adjust, conf.level), type, conf.level))
  }
  fits <- if (inherits(fit, "rr_fit")) split_groups(fit) else check_fits(fit)
  k <- length(fits[[1]]$mechanism$levels)
  which <- if (is.null(terms) && k == 2L) 2L else match_terms(terms, fits[[1]], "terms")
  pairs <- utils::combn(length(fits), 2L)
  if (ncol(pairs) * length(which) > 1e5) {
    abort(c("There would be {format_count(ncol(pairs) * length(which))} comparisons.",
            i = "Name the categories to compare in {.arg terms}."), "argument")
  }
  boundary <- FALSE
  rows <- lapply(seq_len(ncol(pairs)), function(j) {
    withCallingHandlers(compare_pair(fits[pairs[, j]], which, type, conf.level), candor_warning_boundary = function(w) {
      boundary <<- TRUE
      rlang::cnd_muffle(w)
    })
  })
  if (boundary) {
    warn(c("Some estimates are held at the boundary, at 0 or 1, where standard errors say too little.",
           i = "Read the intervals, or estimate with {.code method = \"inv\"}."), "boundary")
  }
  table <- do.call(rbind, rows)
  tell_errors_unknown(if (inherits(fit, "rr_fit")) list(fit) else fits, table$std.error)
  table$p.adjusted <- stats::p.adjust(table$p.value, adjust)
  new_rr_compare(table, type, conf.level)
}

# A tibble that knows what its picture says: see fit-tables-plot.R.
new_rr_compare <- function(table, type, conf.level) {
  attr(table, "type") <- type
  attr(table, "conf.level") <- conf.level
  class(table) <- c("rr_compare", class(table))
  table
}

# The table is its own summary: quartiles of p-values say nothing.
#' @export
summary.rr_compare <- function(object, ...) {
  object
}

# The sign is what a reader of the table must know first.
#' @method tbl_sum rr_compare
#' @rawNamespace S3method(pillar::tbl_sum,rr_compare)
tbl_sum.rr_compare <- function(x, ...) {
  c(NextMethod(), if (identical(attr(x, "type"), "ratio")) c(Ratio = "group2 over group1")
                  else c(Difference = "group2 minus group1"),
    if ("p.value" %in% names(x)) c("p-values" = "of equal shares"))
}

# A grouped fit as a list of fits of one group each.
split_groups <- function(fit) {
  groups <- fit$tally$groups
  if (is.null(groups) || nrow(groups) < 2L) {
    abort(c("{.arg fit} must have at least two groups.", x = "It has {if (is.null(groups)) 'none' else 'one'}.",
            i = "Tally with {.arg by}, or give a list of fits of independent samples."), "argument")
  }
  names <- compared_names(groups)
  stats::setNames(lapply(seq_len(nrow(groups)), function(g) cut_fit(fit, g, drop = TRUE)), names)
}

check_fits <- function(fits) {
  if (!is.list(fits) || length(fits) < 2L || !all(vapply(fits, inherits, NA, "rr_fit"))) {
    abort(c("{.arg fit} must be a grouped fit, or a list of at least two fits.", x = "It is {describe(fits)}.",
            i = if (inherits(fits, "rr_tally")) "Estimate first: {.code rr_compare(rr_estimate(tally))}."),
          "argument")
  }
  names(fits) <- names(fits) %||% fit_names(fits)
  levels <- fits[[1]]$mechanism$levels
  for (i in seq_along(fits)) {
    number <- group_count(fits[[i]]$tally)
    if (number > 1L) {
      labels <- group_labels(fits[[i]]$tally$groups)
      abort(c("The fits of a list must have one group at most.", x = "Fit {i} has {number} groups.",
              i = "Give one grouped fit, or take a group of each, such as {.code fit[\"{labels[1]}\"]}."), "argument")
    }
    if (!is.null(fits[[i]]$tally$groups)) fits[[i]] <- cut_fit(fits[[i]], 1L, drop = TRUE)
    if (!setequal(fits[[i]]$mechanism$levels, levels)) {
      abort(c("The fits must have the same categories.",
              x = "Fit {i} has {format_labels(fits[[i]]$mechanism$levels)}.",
              i = "Fit 1 has {format_labels(levels)}."), "mismatch")
    }
  }
  fits
}

compared_names <- function(groups) do.call(paste, c(lapply(as.list(groups), label_text), sep = ", "))

# A fit of one group is called by it.
fit_names <- function(fits) {
  names <- paste("fit", seq_along(fits))
  single <- vapply(fits, function(fit) !is.null(fit$tally$groups) && group_count(fit$tally) == 1L, NA)
  names[single] <- vapply(fits[single], function(fit) compared_names(fit$tally$groups), "")
  make.unique(names)
}

# One pair: each side's share with its standard error and interval, combined as independent.
compare_pair <- function(fits, which, type, conf.level) {
  labels <- fits[[1]]$mechanism$levels[which]
  sides <- lapply(fits, function(fit) {
    tell_no_intervals(fit)
    at <- match(labels, fit$mechanism$levels)
    fit$simultaneous <- FALSE
    interval <- if (fit$interval %in% c("wald", "bootstrap")) "wilson" else fit$interval
    bounds <- fit_intervals(fit, conf.level, interval, at)
    edge <- held_at_boundary(fit, 1L)
    intervals <- function(level) fit_intervals(fit, level, interval, at)
    error <- fit_errors(fit, 1L, at)
    if (edge) warn("held at the boundary", "boundary")
    list(share = unname(group_estimate(fit, 1L)[at]), error = error, low = as.vector(bounds$low),
         high = as.vector(bounds$high), edge = edge, intervals = if (interval == "wilson") intervals)
  })
  x <- sides[[1]]
  y <- sides[[2]]
  difference <- y$share - x$share
  error <- sqrt(x$error^2 + y$error^2)
  z <- normal_quantile(conf.level)
  p <- 2 * stats::pnorm(-abs(difference / error))
  if (x$edge || y$edge) p <- interval_p_value(x, y, difference, z)
  # Both at the same end of what a share can be.
  p[which(error == 0)] <- ifelse(difference[which(error == 0)] == 0, 1, NA_real_)
  if (type == "difference") {
    edge <- x$edge || y$edge
    low <- if (edge) difference - newcombe_reach(y$share - y$low, x$high - x$share) else difference - z * error
    high <- if (edge) difference + newcombe_reach(y$high - y$share, x$share - x$low) else difference + z * error
    return(comparison(labels, names(fits), difference, ifelse(error > 0, error, NA_real_), low, high, p))
  }
  good <- x$share > 0 & y$share > 0
  ratio <- ifelse(good, y$share / x$share, NA_real_)
  relative <- sqrt((x$error / x$share)^2 + (y$error / y$share)^2)
  edge <- x$edge || y$edge
  reach <- function(side, end) if (edge) pmax(abs(side[[end]] - side$share), 0) else z * side$error
  bounds <- ratio_bounds(ifelse(good, x$share, NA), y$share, list(y = reach(y, "low"), x = reach(x, "high")),
                         list(y = reach(y, "high"), x = reach(x, "low")))
  comparison(labels, names(fits), ratio, ifelse(relative > 0, ratio * relative, NA_real_), bounds$low, bounds$high, p)
}

# All ratios r for which the interval of y - r x holds 0 (Fieller; Donner and Zou where the shares have intervals that
# are not symmetric), so that 1 is among them where 0 is among the differences. `down` and `up` are how far the shares
# reach: y down and x up for the lower end, and the other way round. `both` is the square of the quantile times the
# covariance of the shares.
ratio_bounds <- function(x, y, down, up, both = 0) {
  middle <- x * y - both
  root <- function(reach) sqrt(pmax(middle^2 - (x^2 - reach$x^2) * (y^2 - reach$y^2), 0))
  known <- ifelse(is.na(x), NA, 1)
  list(low = known * ifelse(y^2 > down$y^2, (y^2 - down$y^2) / (middle + root(down)), 0),
       high = known * ifelse(x^2 > up$x^2, (middle + root(up)) / (x^2 - up$x^2), Inf))
}

newcombe_reach <- function(a, b) sqrt(pmax(a, 0)^2 + pmax(b, 0)^2)

# A standard error at the boundary says too little, and a p-value of it may contradict the interval beside it. This one
# is of the level at which the interval of the difference ends at 0. `z`, the quantile of the interval printed, is one
# of the levels tried, so that the two never disagree.
interval_p_value <- function(x, y, difference, z) {
  if (is.null(x$intervals) || is.null(y$intervals)) return(rep(NA_real_, length(difference)))
  # Beyond 8 the level is 1 in double precision. The interval of a share at the boundary is no point even at level 0.
  tried <- sort(unique(c(1e-6, seq(0.1, 8, 0.1), min(z, 8))))
  quantile <- rep(Inf, length(difference))
  nearer <- list(z = 0, reach = numeric(length(difference)))
  for (next_z in tried) {
    level <- 1 - 2 * stats::pnorm(-next_z)
    first <- x$intervals(level)
    second <- y$intervals(level)
    down <- newcombe_reach(y$share - as.vector(second$low), as.vector(first$high) - x$share)
    up <- newcombe_reach(as.vector(second$high) - y$share, x$share - as.vector(first$low))
    reach <- pmax(ifelse(difference > 0, down, up), nearer$reach)
    found <- is.infinite(quantile) & reach >= abs(difference)
    part <- (abs(difference) - nearer$reach) / (reach - nearer$reach)
    quantile[found] <- (nearer$z + ifelse(is.finite(part), part, 0) * (next_z - nearer$z))[found]
    nearer <- list(z = next_z, reach = reach)
    if (all(is.finite(quantile))) break
  }
  2 * stats::pnorm(-pmin(quantile, 8))
}

comparison <- function(term, names, estimate, error, low, high, p) {
  tibble::tibble(term = term, group1 = names[1], group2 = names[2], estimate = estimate, std.error = error,
                 conf.low = low, conf.high = high, p.value = p)
}

# All pairs of groups of a survey design, with their covariance.
survey_compare <- function(fit, terms, type, adjust, conf.level) {
  groups <- fit$tally$groups
  if (is.null(groups) || nrow(groups) < 2L) {
    abort(c("{.arg fit} must have at least two groups.", x = "It has {if (is.null(groups)) 'none' else 'one'}.",
            i = "Estimate with {.arg by}."), "argument")
  }
  k <- length(fit$mechanism$levels)
  which <- if (is.null(terms) && k == 2L) 2L else match_terms(terms, fit, "terms")
  names <- compared_names(groups)
  t <- stats::qt((1 + conf.level) / 2, fit$df)
  pairs <- utils::combn(nrow(groups), 2L)
  rows <- lapply(seq_len(ncol(pairs)), function(j) {
    at <- lapply(pairs[, j], function(g) (g - 1) * k + which)
    x <- as.vector(fit$estimate)[at[[1]]]
    y <- as.vector(fit$estimate)[at[[2]]]
    v <- fit$covariance
    parts <- list(x = diag(v)[at[[1]]], y = diag(v)[at[[2]]], both = v[cbind(at[[1]], at[[2]])])
    difference <- y - x
    error <- root(parts$x + parts$y - 2 * parts$both)
    p <- ifelse(error > 0, 2 * stats::pt(-abs(difference / error), fit$df), ifelse(difference == 0, 1, NA_real_))
    labels <- fit$mechanism$levels[which]
    if (type == "difference") {
      return(comparison(labels, names[pairs[, j]], difference, error, difference - t * error, difference + t * error,
                        p))
    }
    ratio <- ifelse(x > 0 & y > 0, y / x, NA_real_)
    relative <- root(parts$x / x^2 + parts$y / y^2 - 2 * parts$both / (x * y))
    reach <- list(y = t * root(parts$y), x = t * root(parts$x))
    bounds <- ratio_bounds(ifelse(is.na(ratio), NA, x), y, reach, reach, t^2 * parts$both)
    comparison(labels, names[pairs[, j]], ratio, ratio * relative, bounds$low, bounds$high, p)
  })
  table <- do.call(rbind, rows)
  table$p.adjusted <- stats::p.adjust(table$p.value, adjust)
  table
}
