#' Compare prevalences between groups
#'
#' `rr_compare()` compares all pairs of groups by the difference or ratio of their shares, with p-values adjusted for their number. `anova()` tests whether
#' any shares differ, and compares nested fits of the same reports.
#'
#' `fit` is one fit with groups, or a list of fits of independent samples. To compare two of several groups, take them first: `rr_compare(fit[c("north", "south")])`, see [`?groups`][groups].
#' Only p-values are adjusted; each interval holds for its own comparison. Choose categories by all groups together, by [rr_top()] of the tally without groups. In simulations of two weeks without any change 6% of the
#' categories then had p < 0.05, and 12 to 13% if one week had chosen them.
#'
#' Differences have the intervals of [rr_contrast()]: Wald's, or Newcombe's if an estimate is on the boundary. With Newcombe's interval the p-value is one minus the largest
#' confidence level at which the interval excludes 0, up to a tenth of a standard deviation. It is `NA` at the boundary for fits with another `interval` than `"wilson"` or `"profile"`.
#'
#' Ratios have Fieller's interval, or Donner and Zou's at the boundary: all ratios \eqn{r} for which the interval of the second share minus \eqn{r} times the first contains 0. So
#' the ratio's interval contains 1 if and only if the difference's contains 0, and both have the same p-value. A limit of `Inf` means that the first share may be 0. The ratio is `NA` if
#' a share is estimated as 0 or below.
#'
#' **Drift.** A test, a coder or a classifier may have changed between two validation studies. `anova()` of two or more mechanisms of [rr_misclassification()] tests whether their tables are
#' one channel, for the people of each truth and for all: Pearson's \eqn{X^2} with the likelihood ratio beside it as `Deviance`. If fewer than five people are expected in some cell, the
#' p-values come from 9,999 tables with the same sums, by R's generator. `rr_compare(paired = TRUE)` says how much the estimate depends on the study: the fits are of the
#' same reports, read with each mechanism, so that only the studies and the difference of the channels have an error.
#'
#' `anova()` of one grouped fit tests whether the groups share one truth. With several fits it tests whether the larger model fits better. A fit
#' of the pooled tally is nested in the fit by groups. With estimates on the boundary the chi-squared distribution does not hold, and a warning says so.
#'
#' @param fit A grouped fit of [rr_estimate()], also with an anchor question, or a list of at least two fits of independent samples, each without groups or with one group. The names of the
#'   list are the groups. The fits are all of survey designs ([survey_designs]) or none. Parts of one survey share clusters and are not independent: give the groups as `by`, or fit
#'   [rr_glm()] with `arm` if they answered by different mechanisms.
#' @param terms Labels or positions of categories; default all, for a yes/no question the second.
#' @param type `"difference"` (default; second group minus first) or `"ratio"` (second over first).
#' @param adjust Method of [stats::p.adjust()] over all rows; default `"holm"`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param paired Logical, default `FALSE`. Are the fits in the list of the same reports, read with different mechanisms? They must be inside the possible shares, or by `method = "inv"`.
#' @param object A maximum likelihood fit of [rr_estimate()], or a mechanism with the table of a validation study.
#' @param ... For `anova()` further maximum likelihood fits of the same reports, or further mechanisms. `rr_compare()` refuses further arguments.
#' @return `rr_compare()` returns a tibble of class `rr_compare` with one row per pair of groups and category, see [estimate_methods]. The columns are `term`, `group1`, `group2`,
#'   `estimate`, `std.error`, `conf.low`, `conf.high`, `p.value` and `p.adjusted`. [plot()][autoplot.rr_compare] draws it.
#'
#'   `anova()` returns a data frame of class `anova` with one row per model: `groups`, `parameters`, `logLik`, and from the second row on `Df`, `Chisq` and `Pr(>Chisq)`. For mechanisms
#'   the rows are the truths and `all`, with `Df`, `Deviance`, `Chisq` and `Pr(>Chisq)`.
#' @section Errors and warnings:
#' Errors: `candor_error_level`, `candor_error_mismatch` (different categories, or different reports), `candor_error_argument` (also for weighted reports or another method in
#' `anova()`). Warning: `candor_warning_boundary`. See [candor_conditions].
#' @references Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of eleven methods.
#'   *Statistics in Medicine* 17(8), 873-890. \doi{10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I}
#'
#'   Fieller, E. C. (1954). Some problems in interval estimation. *Journal of the Royal Statistical Society B* 16(2), 175-185.
#'   \doi{10.1111/j.2517-6161.1954.tb00159.x}
#'
#'   Donner, A. and Zou, G. Y. (2012). Closed-form confidence intervals for functions of the normal mean and standard deviation. *Statistical Methods in Medical
#'   Research* 21(4), 347-359. \doi{10.1177/0962280210383082}
#'
#'   Holm, S. (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal of Statistics* 6(2), 65-70. <https://www.jstor.org/stable/4615733>
#'
#'   Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio. *Annals of Mathematical Statistics* 9(1), 60-62. \doi{10.1214/aoms/1177732360}
#' @seealso [rr_contrast()] for other functions of the shares, [`?groups`][groups], [rr_glm()] for covariates.
#' @concept risk difference
#' @concept risk ratio
#' @concept multiple comparisons
#' @concept likelihood ratio test
#' @concept classifier drift
#' @concept test of homogeneity
#' @examples
#' # Does the prevalence differ between three regions?
#' counts <- cbind(north = c(no = 620, yes = 380),
#'                 south = c(700, 300),
#'                 west = c(660, 340))
#' fit <- rr_estimate(rr_counts(counts, rr_warner(0.8)))
#' anova(fit)
#' rr_compare(fit)
#' rr_compare(fit, type = "ratio")
#' # Yes: in the south it is 13 percentage points lower than in the north
#'
#' # Did a coder change between two validation studies, and does it matter for
#' # the share?
#' spring <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5),
#'                                              yes = c(10, 40)))
#' autumn <- rr_misclassification(table = rbind(no = c(no = 180, yes = 20),
#'                                              yes = c(15, 85)))
#' anova(spring, autumn)   # p = 0.25
#' fits <- lapply(list(spring = spring, autumn = autumn),
#'                function(study) rr_estimate(rr_counts(c(880, 120), study)))
#' rr_compare(fits, paired = TRUE)
#' # 6.7 percentage points less, standard error 3.9
#' @export
rr_compare <- function(
  fit,
  terms = NULL,
  type = c("difference", "ratio"),
  adjust = "holm",
  conf.level = 0.95,
  paired = FALSE,
  ...
) {
  check_dots_empty(...)
  type <- check_choice(type)
  adjust <- check_choice(adjust, "adjust", p.adjust.methods)
  conf.level <- check_conf_level(conf.level)
  is_joint <- has_terms(fit)
  is_grouped <- is_joint || inherits(fit, "rr_fit")
  check_compared(fit, is_grouped, paired)
  groups <- if (is_grouped) {
    setNames(seq_len(group_count(fit$tally)), compared_names(fit$tally$groups))
  }
  fits <- if (is_joint) list(fit) else compared_fits(fit, groups)
  levels <- terms_of(fits[[1]])
  is_yes_no <- length(fits[[1]]$mechanism$levels) == 2L
  which <- match_terms(terms %||% if (is_yes_no) 2L, fits[[1]], "terms")
  labels <- levels[which]
  samples <- if (is_joint) lapply(groups, joint_sample, fit = fit, labels = labels, conf.level)
    else lapply(fits, fit_sample, labels, conf.level)
  warn_edges(samples)
  cells <- lapply(seq_along(samples), function(g) {
    (g - 1L) * length(levels) + which
  })
  between <- if (paired) paired_covariance(fits) else if (is_grouped) groups_covariance(fit)
  table <- compare_samples(samples, labels, conf.level, type, if (is_joint) fit$df, between, cells)
  looking <- !is.null(fits[[1]]$plan)
  if (looking) tell_few_reports(anyNA(table$conf.low))
  if (!has_terms(fits[[1]])) {
    tell_errors_unknown(if (is_grouped) list(fit) else fits, table$std.error)
  }
  table$p.adjusted <- p.adjust(table$p.value, adjust)
  new_rr_table(
    table,
    "rr_compare",
    type = type,
    conf.level = conf.level,
    target = fits[[1]]$target,
    n = n_compared(fits, paired),
    title = compared_what[[type]],
    looking = looking,
    by = compared_by(fit, is_grouped),
    question = shared_fact(fits, function(x) question_of(x$tally)),
    notes = c(sprintf("  p-values: of equal shares; adjusted by %s", adjust), doubted_fits(fits))
  )
}

# Warns if an estimate of a sample is on the boundary.
warn_edges <- function(samples) {
  if (!any(unlist(lapply(samples, `[[`, "edge")))) return(invisible())
  is_unbiased <- vapply(samples, function(sample) isTRUE(sample$unbiased), NA)
  warn_boundary(unbiased = all(is_unbiased))
}

# The covariance of estimates between groups: a fit of joint estimates has it.
groups_covariance <- function(fit) {
  if (has_terms(fit)) fit$covariance else fit_between(fit)
}

# The variables of the groups, if they have names.
compared_by <- function(fit, is_grouped) {
  if (is_grouped) return(names(fit$tally$groups))
  if (is.null(names(fit))) {
    shared_fact(fit, function(x) names(x$tally$groups))
  }
}

# The fact that all fits share; NULL if they differ.
shared_fact <- function(fits, fact) {
  facts <- unique(lapply(unname(fits), fact))
  if (length(facts) == 1L) facts[[1]]
}

doubted_fits <- function(fits) {
  doubted <- Filter(is_doubted, fits)
  if (length(doubted)) indented(doubt_words(doubted[[1]]))
}

compared_what <- c(difference = "Differences of shares, group2 minus group1",
                   ratio = "Ratios of shares, group2 over group1")

compared_fits <- function(fit, groups) {
  fits <- if (is.null(groups)) {
    check_fits(fit)
  } else {
    lapply(groups, function(g) cut_groups(fit, g, drop = TRUE))
  }
  fits <- lapply(fits, anytime_fit)
  plans <- unique(lapply(unname(fits), function(fit) fit$plan))
  if (length(plans) > 1L) {
    abort("The fits must have the same kind of interval and the same {.arg plan}.", "mismatch")
  }
  fits
}

# A row for each pair of samples and each label. Samples of one fit with a joint covariance have
# that, and its degrees of freedom.
compare_samples <- function(samples, labels, level, type, df, between, cells) {
  names <- names(samples)
  do.call(
    rbind,
    combn(
      length(samples), 2L,
      function(pair) {
        x <- samples[[pair[1]]]
        y <- samples[[pair[2]]]
        cross <- if (is.null(between)) {
          shared_variance(x, y)
        } else {
          between[cbind(cells[[pair[1]]], cells[[pair[2]]])]
        }
        as_tibble(c(
          list(
            term = labels,
            group1 = names[pair[1]],
            group2 = names[pair[2]]
          ),
          compare_pair(x, y, cross, level, df %||% pair_freedom(x, y), type)
        ))
      },
      simplify = FALSE
    )
  )
}

# Differences that are there decide, filtered ones too.
title_of.rr_compare <- function(x) {
  tested <- sum(!is.na(x[["p.adjusted"]]))
  level <- 1 - info_of(x, "conf.level")
  c(info_of(x, "title"), if (tested) sprintf("  Significant at level %s: %s of %s", format(level),
                                           format_count(sum(x$p.adjusted < level, na.rm = TRUE)),
                                           number_of(tested, "pair")))
}

check_compared <- function(fit, is_grouped, paired) {
  check_flag(paired, "paired")
  if (is_grouped && paired) abort("{.arg paired} is for a list of fits of the same reports.")
  if (is_grouped) check_several_groups(fit)
}

# Fits of the same reports count their people once.
n_compared <- function(fits, paired) {
  samples <- if (paired) fits[1] else fits
  sum(vapply(samples, nobs, 0))
}

check_several_groups <- function(fit) {
  if (group_count(fit$tally) < 2L) {
    abort(c("{.arg fit} must have at least two groups.",
            i = "Tally with {.arg by}, or give a list of fits of independent samples."))
  }
}

check_fits <- function(fits) {
  needed <- "a grouped fit, or a list of at least two fits of one kind"
  check_that(is.list(fits) && length(fits) > 1L, fits, "fit", needed)
  first <- fits[[1]]
  kind <- if (has_terms(first)) class(first)[1] else "rr_fit"
  index <- which(!vapply(fits, inherits, NA, kind))[1]
  if (!is.na(index)) {
    abort(c("{.arg fit} must be {needed}.", x = "Element {index} is {describe(fits[[index]])}."))
  }
  single <- vapply(
    fits,
    function(fit) !is.null(fit$tally$groups) && group_count(fit$tally) == 1L, NA
  )
  # A fit of one group is called by it.
  fit_names <- ifelse(
    single,
    vapply(fits, function(fit) compared_names(fit$tally$groups)[1], ""),
    paste("fit", seq_along(fits))
  )
  names(fits) <- names(fits) %||% make.unique(fit_names)
  same <- vapply(
    fits,
    function(fit) setequal(terms_of(fit), terms_of(first)), NA
  )
  if (!all(same)) abort("The fits must have the same categories.", "mismatch")
  lapply(fits, one_group, "fit")
}

# Welch's degrees of freedom of two designs; infinite without a design.
pair_freedom <- function(x, y) {
  terms <- x$error^4 / x$df + y$error^4 / y$df
  lost <- which(terms > 0)
  replace(
    rep(Inf, length(terms)), lost,
    ((x$error^2 + y$error^2)^2 / terms)[lost]
  )
}

# The input of a comparison from group g of a fit with a joint covariance.
joint_sample <- function(fit, labels, g = 1L, conf.level) {
  terms <- terms_of(fit)
  index <- (g - 1) * length(terms) + match(labels, terms)
  rows <- rows_of(fit)
  fit$simultaneous <- FALSE
  intervals <- function(level) lapply(bounds_of(fit, rows, level), `[`, index)
  edge <- fit$is_held[index]
  error <- sqrt_or_na(diag(fit$covariance)[index])
  c(
    list(
      share = rows$estimate[index],
      error = replace(error, edge & error %in% 0, NA),
      edge = edge,
      intervals = intervals,
      unbiased = fit$unbiased,
      df = fit$df,
      index = index,
      effects = if (!is.null(fit$effects)) fit$effects[index, , drop = FALSE],
      mechanism = fit$mechanism
    ),
    intervals(conf.level)
  )
}

compared_names <- function(groups) {
  do.call(paste, c(lapply(as.list(groups), label_text), sep = ", "))
}

# The input of a comparison from one sample: shares with their errors and intervals. If an estimate
# is at the boundary (`edge`), the intervals of other confidence levels are needed, too.
fit_sample <- function(fit, labels, conf.level) {
  if (has_terms(fit)) return(joint_sample(fit, labels, conf.level = conf.level))
  tell_no_intervals(fit)
  index <- match(labels, fit$mechanism$levels)
  fit$simultaneous <- FALSE
  interval <- if (isTRUE(interval_kinds[[fit$interval]]$is_rough)) "wilson" else fit$interval
  intervals <- function(level) lapply(fit_intervals(fit, level, interval, index), as.vector)
  unseen <- fit_errors(fit, 1L, index) %in% 0 & !shows_truths(fit)
  c(
    list(
      share = unname(group_estimate(fit, 1L)[index]),
      error = known_errors(fit, 1L, fit_errors(fit, 1L, index)),
      edge = held_at_boundary(fit, 1L) | unseen,
      df = Inf,
      unbiased = fit$estimator$unbiased,
      intervals = if (interval %in% c("wilson", "profile")) intervals,
      effects = fit_effects(fit, 1L, index),
      mechanism = fit$mechanism,
      plan = fit$plan,
      reports = if (interval == "anytime") reports_looked_at(group_evidence(fit$tally, 1L), index)
    ),
    intervals(conf.level)
  )
}

# Samples that share a validation study are not independent.
shared_variance <- function(x, y) {
  shared <- !is.null(x$effects) && !is.null(y$effects) &&
    same_mechanism(x$mechanism, y$mechanism)
  if (shared) rowSums(x$effects * y$effects) else 0
}

# How far each share reaches for the lower end, y down and x up, and for the upper one.
pair_reaches <- function(x, y, z, edge) {
  below <- function(side) {
    ifelse(edge, pmax(side$share - side$low, 0), z * side$error)
  }
  above <- function(side) {
    ifelse(edge, pmax(side$high - side$share, 0), z * side$error)
  }
  list(
    down = list(y = below(y), x = above(x)),
    up = list(y = above(y), x = below(x))
  )
}

# The comparison of one pair of samples, whose covariance is `cross`; `z` is the quantile that
# intervals use. Estimates without a design (`index`) have no error if it would be 0, at the
# boundary.
compare_pair <- function(x, y, cross, level, df, type) {
  looking <- !is.null(x$plan)
  reports <- x$reports + y$reports
  z <- if (looking) {
    anytime_quantile(level, reports, x$plan)
  } else {
    qt((1 - level) / 2, df, lower.tail = FALSE)
  }
  difference <- y$share - x$share
  error <- sqrt_or_na(x$error^2 + y$error^2 - 2 * cross)
  # Intervals of all looks have no such combination.
  edge <- rep_len(!looking & (x$edge | y$edge), length(difference))
  ratio <- difference / error
  p <- if (looking) {
    anytime_p_value(ratio, level, reports, x$plan)
  } else {
    2 * pt(-abs(ratio), df)
  }
  if (any(edge)) {
    p[edge] <- interval_p_value(x, y, difference, normal_quantile(level))[edge]
  }
  # Both at the same end of what a share can be.
  p[which(error == 0)] <- ifelse(
    difference[which(error == 0)] == 0, 1, NA_real_
  )
  reaches <- pair_reaches(x, y, z, edge)
  compared <- if (type == "difference") {
    share_difference_limits(difference, error, z, edge, reaches)
  } else {
    share_ratio_limits(x, y, z, cross, reaches)
  }
  if (is.null(x$index)) {
    compared$std.error <- ifelse(compared$std.error > 0, compared$std.error, NA_real_)
  }
  c(compared, list(p.value = p))
}

# Differences with their limits; at the boundary (`edge`) these are as far as the limits of both
# shares reach together.
share_difference_limits <- function(difference, error, z, edge, reaches) {
  reach <- function(distances) {
    ifelse(edge, sqrt(distances$x^2 + distances$y^2), z * error)
  }
  list(
    estimate = difference,
    std.error = error,
    conf.low = difference - reach(reaches$down),
    conf.high = difference + reach(reaches$up)
  )
}

# Ratios of shares with their limits; NA if a share is 0.
share_ratio_limits <- function(x, y, z, cross, reaches) {
  ratio <- share_ratio(x, y, cross)
  first <- ifelse(is.na(ratio$estimate), NA, x$share)
  bounds <- ratio_bounds(first, y$share, reaches$down, reaches$up, z^2 * cross)
  list(
    estimate = ratio$estimate,
    std.error = ratio$error,
    conf.low = bounds$low,
    conf.high = bounds$high
  )
}

# The ratio of two shares and its standard error by the delta method; `cross` is the covariance of
# the shares.
share_ratio <- function(x, y, cross) {
  ratio <- ifelse(
    x$share > 0 & y$share > 0, y$share / x$share, NA_real_
  )
  relative <- sqrt_or_na(
    (x$error / x$share)^2 + (y$error / y$share)^2 -
      2 * cross / (x$share * y$share)
  )
  list(estimate = ratio, error = ratio * relative)
}

# All ratios r for which the interval of y - r x holds 0 (Fieller; Donner and Zou where the shares
# have intervals that are not symmetric). So 1 is among them where 0 is among the differences.
# `down` and `up` are how far the shares reach: y down and x up for the lower end, and the other way
# round. `cross` is the square of the quantile times the covariance of the shares.
ratio_bounds <- function(x, y, down, up, cross = 0) {
  middle <- x * y - cross
  root <- function(reach) {
    sqrt(
      pmax(
        middle^2 -
          (x^2 - reach$x^2) * (y^2 - reach$y^2),
        0
      )
    )
  }
  one_or_na <- ifelse(is.na(x), NA, 1)
  list(
    low = one_or_na * ifelse(
      y^2 > down$y^2,
      (y^2 - down$y^2) / (middle + root(down)), 0
    ),
    high = one_or_na * ifelse(
      x^2 > up$x^2,
      (middle + root(up)) / (x^2 - up$x^2), Inf
    )
  )
}

# A standard error at the boundary says too little, and a p-value of it may contradict the interval
# beside it. This one is of the level at which the interval of the difference ends at 0. `z`, the
# quantile of the interval printed, is one of the levels tried, so that the two never disagree.
interval_p_value <- function(x, y, difference, z) {
  if (is.null(x$intervals) || is.null(y$intervals)) {
    return(rep(NA_real_, length(difference)))
  }
  # Beyond 8 the level is 1 in double precision. The interval of a share at the boundary is no point
  # even at level 0.
  tried <- sort(
    unique(c(1e-6, seq(0.1, 8, 0.1), min(z, 8)))
  )
  quantile <- rep(Inf, length(difference))
  nearer <- list(z = 0, reach = numeric(length(difference)))
  for (next_z in tried) {
    level <- 1 - 2 * pnorm(-next_z)
    first <- x$intervals(level)
    second <- y$intervals(level)
    towards <- ifelse(difference > 0, y$share - second$low, second$high - y$share)
    other <- ifelse(difference > 0, first$high - x$share, x$share - first$low)
    reach <- pmax(
      sqrt(pmax(towards, 0)^2 + pmax(other, 0)^2), nearer$reach
    )
    is_reached <- is.infinite(quantile) & reach >= abs(difference)
    fraction <- (abs(difference) - nearer$reach) / (reach - nearer$reach)
    crossing <- nearer$z +
      ifelse(is.finite(fraction), fraction, 0) * (next_z - nearer$z)
    quantile[is_reached] <- crossing[is_reached]
    nearer <- list(z = next_z, reach = reach)
    if (all(is.finite(quantile))) break
  }
  2 * pnorm(-pmin(quantile, 8))
}

labels_of.rr_compare <- function(x) {
  paste0(
    x$term, ":", x$group2,
    if (attr(x, "type") == "ratio") " / " else " - ", x$group1
  )
}

drawn_of.rr_compare <- function(x, data, labels) {
  ratio <- attr(x, "type") == "ratio"
  pairs <- paste(data$group2, if (ratio) "/" else "-", data$group1)
  terms <- unique(data$term)
  # Panels of a single pair would have one row each: their categories are the rows.
  single_pair <- length(unique(pairs)) == 1L && length(terms) > 1L
  data$label <- rows_factor(if (single_pair) data$term else pairs)
  data$panel <- if (single_pair) one_panel(data) else factor(data$term, terms)
  data$kind <- rep(attr(x, "type"), nrow(data))
  one <- if (length(terms) == 1L) sprintf(" of \"%s\"", terms)
  what <- if (ratio) "Ratios between groups" else "Differences between groups"
  question <- attr(x, "question", exact = TRUE)
  list(
    data = data,
    title = picture_title(question, if (length(question)) attr(x, "by"), what),
    subtitle = if (single_pair) pairs[1],
    rows = if (!single_pair) keys_axis(attr(x, "by")),
    caption = if (!single_pair) " Each holds for its own pair of groups.",
    unknown = "A ratio of shares is unknown if one of them is estimated as 0 or less.",
    axis = paste0(
      if (ratio) "Ratio" else "Difference", " of the proportions", one,
      if (!ratio) ", percentage points"
    )
  )
}

# ---- do shares differ at all: likelihood ratio tests ----

#' @rdname rr_compare
#' @export
anova.rr_fit <- function(object, ...) {
  fits <- nested_fits(
    Filter(
      function(x) inherits(x, "rr_fit"),
      given_models(object, ..., accepted = names(formals()))
    )
  )
  refuse_validated(lapply(fits, `[[`, "mechanism"), "A likelihood ratio")
  likelihoods <- lapply(fits, logLik)
  df <- vapply(likelihoods, attr, 0, "df")
  value <- vapply(likelihoods, as.numeric, 0)
  order <- order(df)
  if (sum(vapply(fits, boundary_count, 0)) > 0) {
    warn(
      paste(
        "Some shares are estimated on the boundary, where the",
        "chi-squared distribution is approximate."
      ),
      "boundary"
    )
  }
  gain <- c(NA, diff(df[order]))
  statistic <- c(NA, pmax(0, 2 * diff(value[order])))
  p <- ifelse(gain > 0, pchisq(statistic, gain, lower.tail = FALSE), NA)
  table <- data.frame(
    groups = vapply(fits[order], function(fit) group_count(fit$tally), 0L),
    parameters = df[order],
    logLik = value[order],
    Df = gain,
    Chisq = statistic,
    `Pr(>Chisq)` = p,
    check.names = FALSE
  )
  structure(table, heading = "Likelihood ratio tests\n", class = c("anova", "data.frame"))
}

# Fits of the same reports by maximum likelihood; beside a fit by groups that of all groups
# together.
nested_fits <- function(fits) {
  other <- setdiff(vapply(fits, function(fit) fit$method, ""), "mle")
  if (length(other)) {
    abort("Likelihood ratio tests need maximum likelihood fits, not by {.val {other}}.")
  }
  # Each group counts with its effective number, which depends on how reports are grouped: two such
  # sums have no ratio.
  if (any(
      vapply(fits, function(fit) !is.null(fit$tally$weight_squares), NA)
    )) {
    abort("Likelihood ratio tests need reports without weights: use {.fn rr_compare}.")
  }
  if (length(fits) == 1L) {
    check_several_groups(fits[[1]])
    pooled <- rowsum(fits[[1]]$tally, ~ 1)
    fits <- list(
      estimate_quietly(pooled, target = fits[[1]]$target, method = "mle"),
      fits[[1]]
    )
  }
  totals <- lapply(fits, function(fit) rowSums(as.matrix(fit$tally$counts)))
  same <- vapply(
    totals, function(total) isTRUE(all.equal(total, totals[[1]])), NA
  )
  if (!all(same)) {
    abort(
      "The fits must be of the same reports: those of fit {which(!same)[1]} differ.", "mismatch"
    )
  }
  fits
}
