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
#' @return A tibble of class `rr_compare`, see [rr_estimates], with a row per pair of groups and category: `term`, `group1`, `group2`, `estimate`, `std.error`, `conf.low`, `conf.high`, `p.value`,
#'   `p.adjusted`. A difference is that of `group2` minus `group1`, a ratio that of `group2` over `group1`. [plot()][autoplot.rr_compare] draws it.
#' @section Errors and warnings:
#' `candor_error_argument` for fits without groups and for other arguments out of range, `candor_error_level` for unknown terms, such as groups,
#' `candor_error_mismatch` for fits with different categories. `candor_warning_boundary` where estimates sit on the boundary, and a message where `"eb"` has no standard errors.
#' @references Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. *Statistics in Medicine* 17(8), 873-890.
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
  survey <- inherits(fit, "rr_survey")
  fits <- if (survey) list(fit) else if (inherits(fit, "rr_fit")) split_groups(fit) else check_fits(fit)
  levels <- fits[[1]]$mechanism$levels
  which <- if (is.null(terms) && length(levels) == 2L) 2L else match_terms(terms, fits[[1]], "terms")
  labels <- levels[which]
  samples <- if (survey) survey_samples(fit, which) else lapply(fits, fit_sample, labels, conf.level)
  edge <- vapply(samples, `[[`, NA, "edge")
  if (any(edge)) warn_boundary()
  df <- if (survey) fit$df else Inf
  z <- stats::qt((1 - conf.level) / 2, df, lower.tail = FALSE)
  names <- names(samples)
  pairs <- utils::combn(length(samples), 2L)
  rows <- lapply(seq_len(ncol(pairs)), function(j) {
    x <- samples[[pairs[1, j]]]
    y <- samples[[pairs[2, j]]]
    # Samples that share a validation study are not independent.
    shared <- !is.null(x$effects) && !is.null(y$effects) && same_mechanism(x$mechanism, y$mechanism)
    both <- if (survey) fit$covariance[cbind(x$at, y$at)] else if (shared) rowSums(x$effects * y$effects) else 0
    tibble::as_tibble(c(list(term = labels, group1 = names[pairs[1, j]], group2 = names[pairs[2, j]]),
                        compare_pair(x, y, both, z, df, type)))
  })
  table <- do.call(rbind, rows)
  if (!survey) tell_errors_unknown(if (inherits(fit, "rr_fit")) list(fit) else fits, table$std.error)
  table$p.adjusted <- stats::p.adjust(table$p.value, adjust)
  what <- c(difference = "Differences of shares, group2 minus group1", ratio = "Ratios of shares, group2 over group1")
  new_rr_table(table, "rr_compare", type = type, conf.level = conf.level, target = fits[[1]]$target,
               n = sum(vapply(fits, nobs, 0)), title = what[[type]],
               notes = sprintf("  p-values: of equal shares; adjusted by %s", adjust))
}

# A grouped fit as a list of fits of one group each.
split_groups <- function(fit) {
  check_several_groups(fit)
  groups <- fit$tally$groups
  stats::setNames(lapply(seq_len(nrow(groups)), function(g) cut_fit(fit, g, drop = TRUE)), compared_names(groups))
}

check_several_groups <- function(fit) {
  if (group_count(fit$tally) > 1L) return(invisible())
  abort(c("{.arg fit} must have at least two groups.", x = "It has {if (is.null(fit$tally$groups)) 'none' else 'one'}.",
          i = "Tally with {.arg by}, or give a list of fits of independent samples."), "argument")
}

check_fits <- function(fits) {
  if (!is.list(fits) || length(fits) < 2L || !all(vapply(fits, inherits, NA, "rr_fit"))) {
    abort(c("{.arg fit} must be a grouped fit, or a list of at least two fits.", x = "It is {describe(fits)}."),
          "argument")
  }
  names(fits) <- names(fits) %||% fit_names(fits)
  lapply(fits, function(fit) {
    if (!setequal(fit$mechanism$levels, fits[[1]]$mechanism$levels)) {
      abort(c("The fits must have the same categories.", x = "One has {format_labels(fit$mechanism$levels)}."),
            "mismatch")
    }
    one_group(fit, "fit")
  })
}

compared_names <- function(groups) do.call(paste, c(lapply(as.list(groups), label_text), sep = ", "))

# A fit of one group is called by it.
fit_names <- function(fits) {
  names <- paste("fit", seq_along(fits))
  single <- vapply(fits, function(fit) !is.null(fit$tally$groups) && group_count(fit$tally) == 1L, NA)
  names[single] <- vapply(fits[single], function(fit) compared_names(fit$tally$groups), "")
  make.unique(names)
}

# What a comparison needs of a sample: shares with their errors and intervals, and, where an estimate is held at the
# boundary (`edge`), the intervals of other levels.
fit_sample <- function(fit, labels, conf.level) {
  tell_no_intervals(fit)
  at <- match(labels, fit$mechanism$levels)
  fit$simultaneous <- FALSE
  interval <- if (fit$interval %in% c("wald", "bootstrap")) "wilson" else fit$interval
  intervals <- function(level) lapply(fit_intervals(fit, level, interval, at), as.vector)
  c(list(share = unname(group_estimate(fit, 1L)[at]), error = fit_errors(fit, 1L, at), edge = held_at_boundary(fit, 1L),
         intervals = if (interval == "wilson") intervals, effects = fit_effects(fit, 1L, at),
         mechanism = fit$mechanism), intervals(conf.level))
}

survey_samples <- function(fit, which) {
  check_several_groups(fit)
  k <- length(fit$mechanism$levels)
  names <- compared_names(fit$tally$groups)
  lapply(stats::setNames(seq_along(names), names), function(g) {
    at <- (g - 1) * k + which
    list(share = as.vector(fit$estimate)[at], error = root(diag(fit$covariance)[at]), edge = FALSE, at = at)
  })
}

# One pair of samples with the covariance `both`; `z` is the quantile that intervals use. Estimates that are not of a
# design (`at`) have no error where it would be 0, at the boundary.
compare_pair <- function(x, y, both, z, df, type) {
  difference <- y$share - x$share
  error <- root(x$error^2 + y$error^2 - 2 * both)
  edge <- x$edge || y$edge
  p <- if (edge) interval_p_value(x, y, difference, z) else 2 * stats::pt(-abs(difference / error), df)
  # Both at the same end of what a share can be.
  p[which(error == 0)] <- ifelse(difference[which(error == 0)] == 0, 1, NA_real_)
  # How far each share reaches for the lower end, y down and x up, and for the upper one.
  below <- function(side) if (edge) pmax(side$share - side$low, 0) else z * side$error
  above <- function(side) if (edge) pmax(side$high - side$share, 0) else z * side$error
  down <- list(y = below(y), x = above(x))
  up <- list(y = above(y), x = below(x))
  if (type == "difference") {
    reach <- function(parts) sqrt(parts$x^2 + parts$y^2)
    return(list(estimate = difference, std.error = if (is.null(x$at)) ifelse(error > 0, error, NA_real_) else error,
                conf.low = difference - if (edge) reach(down) else z * error,
                conf.high = difference + if (edge) reach(up) else z * error, p.value = p))
  }
  good <- x$share > 0 & y$share > 0
  ratio <- ifelse(good, y$share / x$share, NA_real_)
  relative <- root((x$error / x$share)^2 + (y$error / y$share)^2 - 2 * both / (x$share * y$share))
  bounds <- ratio_bounds(ifelse(good, x$share, NA), y$share, down, up, z^2 * both)
  error <- ratio * relative
  list(estimate = ratio, std.error = if (is.null(x$at)) ifelse(error > 0, error, NA_real_) else error,
       conf.low = bounds$low, conf.high = bounds$high, p.value = p)
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
    down <- sqrt(pmax(y$share - second$low, 0)^2 + pmax(first$high - x$share, 0)^2)
    up <- sqrt(pmax(second$high - y$share, 0)^2 + pmax(x$share - first$low, 0)^2)
    reach <- pmax(ifelse(difference > 0, down, up), nearer$reach)
    found <- is.infinite(quantile) & reach >= abs(difference)
    part <- (abs(difference) - nearer$reach) / (reach - nearer$reach)
    quantile[found] <- (nearer$z + ifelse(is.finite(part), part, 0) * (next_z - nearer$z))[found]
    nearer <- list(z = next_z, reach = reach)
    if (all(is.finite(quantile))) break
  }
  2 * stats::pnorm(-pmin(quantile, 8))
}

labels_of.rr_compare <- function(x) {
  paste0(x$term, ":", x$group2, if (attr(x, "type") == "ratio") " / " else " - ", x$group1)
}

drawn_of.rr_compare <- function(x, data, labels) {
  ratio <- attr(x, "type") == "ratio"
  data$label <- rows_factor(paste(data$group2, if (ratio) "/" else "-", data$group1))
  data$panel <- factor(data$term, unique(data$term))
  data$kind <- rep(attr(x, "type"), nrow(data))
  one <- if (nlevels(data$panel) == 1L) sprintf(" of \"%s\"", levels(data$panel))
  begin <- if (ratio && any(data$conf.low == 0, na.rm = TRUE)) " Those from the left end begin at 0."
  list(data = data, title = if (ratio) "Ratios between groups" else "Differences between groups",
       caption = paste0("Lines: ", interval_words(attr(x, "conf.level")), ", each for its own pair of groups.", begin),
       axis = paste0(if (ratio) "Ratio" else "Difference", " of the proportions", one,
                     if (!ratio) ", percentage points"))
}

# ---- do shares differ at all: likelihood ratio tests ----

#' Likelihood ratio tests between fits
#'
#' For one grouped fit, tests whether the groups share one truth. For several fits of the same reports, tests whether the larger model fits better than the smaller one. A
#' fit of the pooled tally is nested in the fit by groups, and a fit with fewer groups in a fit with more groups.
#'
#' @param object A maximum likelihood fit of [rr_estimate()].
#' @param ... Further maximum likelihood fits of the same reports.
#' @return A data frame of class `anova` with a row per model: `groups`, `parameters`, `logLik`, and from the second row on
#'   `Df`, `Chisq` and `Pr(>Chisq)`. Where estimated shares are on the boundary the chi-squared distribution does not hold, and a warning says so.
#' @section Errors and warnings:
#' `candor_error_argument` for fits that are not by maximum likelihood, for weighted reports, for a single fit without groups; `candor_error_mismatch` for fits of different
#' reports. `candor_warning_boundary` where estimates sit on the boundary.
#' @references Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio. *Annals of Mathematical Statistics* 9(1), 60-62.
#' @inherit rr_compare examples
#' @export
anova.rr_fit <- function(object, ...) {
  fits <- c(list(object), Filter(function(x) inherits(x, "rr_fit"), list(...)))
  other <- setdiff(vapply(fits, function(fit) fit$method, ""), "mle")
  if (length(other)) {
    abort(c("Likelihood ratio tests need maximum likelihood fits.", x = "One is by {.val {other[1]}}."), "argument")
  }
  # Each group counts with its effective number, which depends on how reports are grouped: two such sums have no ratio.
  if (any(vapply(fits, function(fit) !is.null(fit$tally$weight_squares), NA))) {
    abort(c("Likelihood ratio tests need reports without weights.",
            x = "The weights are scaled in each group: likelihoods of other groups have another scale.",
            i = "Compare groups with {.fn rr_compare}, or give {.fn rr_estimate} a survey design."), "argument")
  }
  if (length(fits) == 1L) {
    check_several_groups(object)
    fits <- list(rr_estimate(pool_groups(object$tally), target = object$target, method = "mle"), object)
  }
  totals <- lapply(fits, function(fit) rowSums(as.matrix(fit$tally$counts)))
  same <- vapply(totals, function(total) isTRUE(all.equal(total, totals[[1]])), NA)
  if (!all(same)) {
    abort(c("The fits must be of the same reports.",
            x = "The counts of fit {which(!same)[1]} add up to others than those of fit 1."), "mismatch")
  }
  likelihoods <- lapply(fits, logLik)
  df <- vapply(likelihoods, attr, 0, "df")
  value <- vapply(likelihoods, as.numeric, 0)
  order <- order(df)
  if (sum(vapply(fits, boundary_count, 0)) > 0) {
    warn(c("Some shares are estimated on the boundary, where the chi-squared distribution holds only roughly.",
           i = "Compare groups with {.fn rr_compare}, whose intervals hold there."), "boundary")
  }
  gain <- c(NA, diff(df[order]))
  statistic <- c(NA, pmax(0, 2 * diff(value[order])))
  p <- ifelse(gain > 0, stats::pchisq(statistic, gain, lower.tail = FALSE), NA)
  table <- data.frame(groups = vapply(fits[order], function(fit) group_count(fit$tally), 0L), parameters = df[order],
                      logLik = value[order], Df = gain, Chisq = statistic, `Pr(>Chisq)` = p, check.names = FALSE)
  structure(table, heading = "Likelihood ratio tests\n", class = c("anova", "data.frame"))
}

pool_groups <- function(tally) {
  new_rr_tally(tally$mechanism, rowSums(tally$counts), missing = tally$missing, n = sum(tally$n))
}
