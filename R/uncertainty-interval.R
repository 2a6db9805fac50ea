#' Standard errors and confidence intervals of prevalences
#'
#' What the uncertainty of [rr_estimate()] is about, which standard errors are known, and which interval holds when.
#'
#' @section Target:
#' * `target = "population"` (default): the respondents are a random sample. Sampling and randomization both make the estimate uncertain.
#' * `target = "sample"`: inference about the respondents in the sample. Only the randomization contributes, and standard errors are smaller.
#'
#' @section Standard errors:
#' The estimated covariances of `"inv"` are unbiased. For other methods they hold locally, on the support of the estimate.
#'
#' A category is reported with probability \eqn{p} if it is the truth and \eqn{q} otherwise, by a share \eqn{\phi}{phi} of \eqn{n} reports. The variance of `"inv"` is then estimated by
#' \eqn{\phi (1 - \phi) / \{(n - 1) (p - q)^2\}}{phi (1 - phi) / ((n - 1) (p - q)^2)} for the population, and by
#' \eqn{\{pq + \phi (1 - p - q)\} / \{n (p - q)^2\}}{(p q + phi (1 - p - q)) / (n (p - q)^2)} for the sample
#' (Pinzon et al. 2026, equation 8). `system.file("mathematics", "estimation.md", package = "candor")` has the other laws.
#'
#' The standard error is `NA` in these cases:
#' * the variance in `vcov()` is 0, because the estimate is held at 0 or 1, or because the reports are all alike and do not show how they vary: read the
#'   interval. With `target = "sample"` a direct question has the standard error 0;
#' * no formula is known (`"power"`, `"power_ns"`, `"combine"`, `"lasso"`, `"nnls"`, `"merged"`, and `"ibu"` if it stopped with a gap above 1e-4), unless `interval = "bootstrap"`;
#' * the method is `"smoothed"`, which has no intervals either: the smoothing often moves its estimates by more than they vary;
#' * more than 1,000 cells of a product or general channel are positive. [rr_contrast()] still gives the standard error of any cell, sum or difference.
#'
#' For `"eb"` and the population, standard errors are roots of the squared errors that the posterior expects. The reports also give an unbiased estimate of the squared
#' error. Standard errors are `NA` if that estimate, plus or minus two standard deviations, contradicts the posterior; `print()` says so. `details` holds
#' `expected.error`, `expected.range` and `delta`, the upper end of the range divided by `expected.error`.
#'
#' With hundreds of categories do not use the standard errors of `"mle"` for large shares, see [`?estimators`][estimators].
#'
#' @section Kinds of intervals:
#'
#' * `"wilson"` (default in most cases): score interval of the report's share, carried through the mechanism; in a general channel the score interval of the
#'   unbiased estimate.
#' * `"exact"`: Clopper and Pearson's, carried through the mechanism; covers at least as often as stated; not in general channels.
#' * `"wald"`: estimate plus or minus a multiple of the standard error; may leave 0 to 1; too short for rare truths.
#' * `"profile"`: the shares that a likelihood ratio test does not reject, each maximum certified; population only, up to 500 categories. It is
#'   conservative at the boundary, and covers down to 85% if a direct question has about two yes. It is the default of `"mle"` and `"ibu"` for channels with more reports than truths.
#' * `"bootstrap"`: percentiles of estimates from simulated tallies; R's random generator; too narrow at the boundary.
#' * `"credible"`: posterior quantiles of `"eb"`, the hull of two fits; at least 20 categories; right for most categories on average, not for a
#'   category that was named or chosen.
#' * `"anytime"`: holds at all looks together, however often the reports are looked at; population only; 1.5 to 2 times as wide.
#'
#' **Wilson's interval.** If the report of one category is binomial with the probability \eqn{\mu = q + (p - q) \theta}{mu = q + (p - q) theta}, the interval holds the shares
#' \eqn{\theta} with \deqn{(\phi - \mu)^2 \le z^2 \mu (1 - \mu) / n}{(phi - mu)^2 <= z^2 mu (1 - mu) / n}
#' (Wilson 1927), where \eqn{\phi}{phi} is the reported share and \eqn{z} a normal quantile. In a general channel the unbiased estimate \eqn{\hat\theta}{T} is a mean of scores. The interval holds the shares with
#' \deqn{(\hat\theta - \theta)^2 \le \frac{z^2}{n} \{\theta m_1 + (1 - \theta) m_0 - \theta^2\}}{(T - theta)^2 <= (z^2 / n) (theta m1 + (1 - theta) m0 - theta^2)}
#' where \eqn{m_1}{m1} and \eqn{m_0}{m0} are the mean squares of the scores of respondents in the category and of the others. For the sample, \eqn{\theta}{theta} replaces \eqn{\theta^2}{theta^2}.
#'
#' **Joint counts.** The estimated share \eqn{\hat\mu_J}{mu_J} of the rows that hold a set of answers \eqn{J} to different questions ([rr_tmdh()], [rr_margin()]) is a mean of products of
#' scores. Score \eqn{j} has the second moment \eqn{v_j + \kappa_j}{v_j + kappa_j} if the truth is answer \eqn{j}, otherwise \eqn{v_j}. The interval holds the shares with
#' \deqn{(\hat\mu_J - \theta)^2 \le \frac{z^2}{n} \{V_0 + \kappa_J \theta - \theta^2\}, \quad V_0 = \sum_{S \subset J} \kappa_S v_{J \setminus S} \hat\mu_S}{(mu_J - theta)^2 <= (z^2 / n) (V0 + kappa_J theta - theta^2),
#'   V0 = sum over S strictly inside J of kappa_S v_(J without S) mu_S}
#' with products \eqn{\kappa_S}{kappa_S} and \eqn{v_S}, and \eqn{\hat\mu_S}{mu_S} cut at 0 and 1. For one answer it is Wilson's interval. For the sample, \eqn{\theta}{theta} replaces \eqn{\theta^2}{theta^2}.
#'
#' **Profile interval.** It holds the shares for which twice the log-likelihood, maximized over the other shares, is within the chi-squared quantile with one degree of freedom of
#' its maximum (Wilks 1938). This law assumes a truth inside of (0, 1).
#' At 0 or 1 the statistic is 0 in half of the surveys and follows the law in the others, so the interval is conservative.
#'
#' The profile interval is about the maximum likelihood estimate, whatever the `method`. Wilson's interval is `NA` if the channel cannot be inverted.
#'
#' **More reports than truths.** In such channels, as of [rr_kuk()] with several draws, [rr_pool()] and some [rr_channel()], maximum likelihood and the unbiased estimate differ.
#' Wilson's interval is about the unbiased (least-squares) estimate. It may lie to one side of the maximum likelihood estimate and is often wider than the profile interval.
#' It remains the default for `target = "sample"`, for channels of a validation study and for more than 500 categories. `print()` names the kind of interval.
#'
#' Wilson's and exact intervals follow from the reports of one category. If these are more or fewer than any truth makes likely, Wilson's interval compares
#' each truth with the best truth, so it is never a single point. The exact interval is then cut at 0 and 1. These two and the profile interval are widened, if needed, to contain the
#' estimate of a method other than `"inv"`.
#'
#' `simultaneous = TRUE` divides the error by the number of categories times the number of groups (Bonferroni). If counts are binomial, `"wilson"` then stands for
#' `"exact"`, because Wilson's interval is inaccurate so far out. For other channels and for survey designs such intervals are approximate.
#'
#' @section Looking while reports arrive:
#' Other intervals are made for one look. If a dashboard is read every day, or an A/B test stops once its interval excludes 0, they miss the truth far too often. With
#' `interval = "anytime"` the probability that an interval misses at *any* look is at most 1 minus the level. The number of looks need not be known.
#'
#' * Exact, if counts are binomial, as of supports, yes/no designs, k-ary randomized response and full blocks of [rr_dealt()], without weights: the share \eqn{m} of `s` of `n` reports is kept while
#'   \eqn{B(1/2 + s, 1/2 + n - s) / B(1/2, 1/2) < m^s (1 - m)^{n - s} / \alpha}{B(1/2 + s, 1/2 + n - s) / B(1/2, 1/2) < m^s (1 - m)^(n - s) / alpha}. It holds from the first report on.
#' * Asymptotic otherwise: other channels, weights, the means of [rr_mean()] and [rr_scramble()], functions of [rr_contrast()], differences and ratios of [rr_compare()]. The half width is the standard error
#'   times \eqn{\sqrt{(1 + 1 / x) \log((1 + x) / \alpha^2)}}{sqrt((1 + 1/x) log((1 + x) / alpha^2))}, where \eqn{x} is proportional to the number of reports in the groups involved. `plan` is the number of reports at which it is
#'   narrowest, by default 500. Fix `plan` beforehand, and keep it at all looks; the fit holds it. P-values are always-valid too.
#' * The asymptotic interval is `NA`, with a message, if a group has fewer than 100 reports, or fewer than 20 that speak for a category, or fewer than 20 that do not. A report
#'   speaks for a category if its unbiased score (see [rr_score()]) is nearer to 1 than to 0; in a product of precise devices these are the reports of the cell itself. Of
#'   [rr_dealt()] the cards that asked for the truth are counted.
#' * The variance of [rr_scramble()] has the same width on its logarithmic scale. It is `NA` while its standard error exceeds a tenth of the variance of truth and cards
#'   together.
#' * [rr_top()] of such a fit has limits by rank that hold at all looks.
#'
#' Estimates may come from tallies merged by `c()`. Intervals and functions of estimates by other methods than `"inv"` are those of `"inv"`. [rr_margin()] and [rr_association()] refuse such fits.
#' Regressions and survey designs have no such intervals. A difference is *not* found by two intervals that do not overlap: use [rr_compare()].
#'
#' @section Coverage:
#' Wilson's and exact intervals hold for a category that was *named in advance*. They fail for categories that *look largest*, because noise helped them to the top: use
#' the intervals by rank of [rr_top()]. Credible intervals hold for most categories on average. They are no shorter than the error that the reports bear out without the
#' prior. `articles/validation.html` of the site has the coverage of each kind; its studies are `studies/selection.R`, `studies/eb-uncertainty.R` and `studies/eb-even.R`.
#'
#' @section Errors:
#' As [rr_estimate()]; see [candor_conditions].
#' @references Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. *Journal of the American Statistical Association*
#'   22(158), 209-212. \doi{10.1080/01621459.1927.10502953}
#'
#'   Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. *Annals of Mathematical Statistics* 41(5), 1397-1409.
#'   \doi{10.1214/aoms/1177696786} (mixtures)
#'
#'   Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024). Time-uniform central limit theory and asymptotic confidence sequences. *Annals of
#'   Statistics* 52(6), 2613-2640. \doi{10.1214/24-AOS2408} (asymptotic intervals)
#'
#'   Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the binomial. *Biometrika* 26(4), 404-413.
#'   \doi{10.1093/biomet/26.4.404}
#'
#'   Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response.
#'   \doi{10.48550/arXiv.2601.08603} (equation 8, the variances for the sample)
#'
#'   Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio for testing composite hypotheses. *Annals of Mathematical Statistics* 9(1), 60-62.
#'   \doi{10.1214/aoms/1177732360}
#' @seealso [rr_estimate()], [fit_methods] for `confint()`, [likelihood_profile] for the curve of the likelihood, [rr_posterior()] for Bayesian intervals.
#'   `system.file("mathematics", "estimation.md", package = "candor")` has the derivations.
#' @concept confidence interval
#' @concept standard error
#' @concept coverage
#' @concept bootstrap
#' @concept peeking
#' @concept always valid inference
#' @concept confidence sequence
#' @concept sequential testing
#' @concept A/B test
#' @name intervals
#' @examples
#' # How far do the kinds of intervals differ for a rare truth, severe
#' # plagiarism?
#' severe <- rr_counts(c(no = 80, yes = 230), rr_crosswise(0.25))
#' for (kind in c("wilson", "exact", "wald", "profile")) {
#'   print(confint(rr_estimate(severe, interval = kind), "yes"))
#' }
#' # From 0 to 12%; only Wald's interval has a negative lower limit
#'
#' # Two weeks of an A/B test, looked at twice: is there a difference?
#' die <- rr_forced(1 / 6)
#' first <- rr_counts(cbind(A = c(no = 410, yes = 190), B = c(380, 220)), die)
#' second <- rr_counts(cbind(A = c(no = 420, yes = 180), B = c(370, 230)),
#'                     die)
#' rr_compare(rr_estimate(first, interval = "anytime"))
#' rr_compare(rr_estimate(c(first, second), interval = "anytime"))
#' # Only the interval of the second week excludes 0, and both looks together
#' # are wrong in at most 5%
NULL

# Intervals for estimated shares; the formulas are the law's.

# The most categories whose profiles are found.
profile_cells <- 500

# The kinds of intervals, a row each:
#    label       the words of tables and pictures
#    limits      function(fit, g, level, which): the limits of the estimates `which` of group g;
#                NULL if the law has them, or the method
#    is_joint    the method has the limits, of all groups together
#    is_rough    the limits do not hold at the boundary, and need not hold the estimate
#    target      the target, if there is only one
#    is_known    the channel is taken for known
#    needs       facts of the law
#    categories  the numbers of categories that it is for
#    share       the kind of the share of several categories
interval_kinds <- list(
  wilson = list(label = "Wilson"),
  exact = list(label = "exact", needs = "exact"),
  wald = list(
    label = "Wald",
    limits = function(fit, g, level, which) {
      half_width <- normal_quantile(level) * known_errors(fit, g, fit_errors(fit, g, which))
      symmetric_limits(group_estimate(fit, g)[which], half_width)
    },
    is_rough = TRUE, share = "wilson"
  ),
  bootstrap = list(
    label = "bootstrap",
    limits = function(fit, g, level, which) {
      replicates <- fit$replicates[[g]][which, , drop = FALSE]
      tails <- c((1 - level) / 2, (1 + level) / 2)
      limits <- apply(replicates, 1, quantile, tails, names = FALSE)
      limits <- clamp(limits)
      list(low = limits[1, ], high = limits[2, ])
    },
    is_rough = TRUE, needs = "simulation", share = "wilson"
  ),
  profile = list(
    label = "profile likelihood", limits = function(...) profile_intervals(...),
    target = "population", is_known = TRUE, needs = c("likelihood", "profile"),
    categories = seq_len(profile_cells)
  ),
  credible = list(
    label = "credible", is_joint = TRUE, target = "population", is_known = TRUE, share = "wilson"
  ),
  anytime = list(
    label = "anytime-valid", limits = function(...) anytime_intervals(...),
    target = "population", is_known = TRUE, needs = "inverse"
  )
)

# Methods that return distributions move mass between categories: their intervals hold the estimate.
include_estimate <- function(bounds, estimate, unbiased) {
  low <- clamp(bounds$low)
  high <- clamp(bounds$high)
  if (unbiased) return(list(low = low, high = high))
  list(
    low = pmin(low, pmax(estimate, 0)),
    high = pmax(high, pmin(estimate, 1))
  )
}

# For rows in the order of their estimates. The lower bound of the row of rank r among K is that of
# an interval at level 1 - (1 - level) r / K, the upper one that at `level`. Then of the first r
# rows at most 1 - level are wrong on average, for every r: the row's chance to lie below its lower
# bound is (1 - level) r / (2 K), added over K rows and divided by r it is half of 1 - level,
# whatever the selection; above, the selection only helps. It does not if looks are selected too:
# both bounds of all looks together are those at level 1 - (1 - level) r / K.
ranked_level <- function(estimate, level) {
  1 - (1 - level) * rank(-estimate, ties.method = "min") / length(estimate)
}

# Wilson's errors far out are not those that it states where counts are small. Clopper and Pearson's
# are at most those.
tail_interval <- function(interval, tally) {
  law <- rr_law(tally$mechanism)
  exact <- function(g) law_gives(tally_law(tally, g, law), "exact")
  # If groups have blocks of their own, one may have an interval that another one has not.
  groups <- if (is.null(tally$blocks)) 1L else seq_along(tally$n)
  if (interval == "wilson" && all(vapply(groups, exact, NA))) "exact" else interval
}

# Bounds of the estimates of a fit: two matrices, categories by groups. They are worth computing
# only where they are asked for. If `ranked`, they are for rows in the order of their estimates.
fit_intervals <- function(
  fit, level = fit$conf.level, interval = fit$interval,
  which = seq_len(nrow(as.matrix(fit$estimate))),
  groups = seq_len(ncol(as.matrix(fit$estimate))), ranked = FALSE
) {
  if (fit$simultaneous) {
    level <- 1 - (1 - level) / (fit$family %||% length(fit$estimate))
  }
  if (fit$simultaneous || ranked) interval <- tail_interval(interval, fit$tally)
  unknown <- matrix(NA_real_, length(which), length(groups))
  if (interval == "none") return(list(low = unknown, high = unknown))
  limits_of_group <- function(g, level) group_intervals(fit, g, level, interval, which)
  columns <- if (isTRUE(interval_kinds[[interval]]$is_joint)) {
    lapply(fit$estimator$credible(fit_evidence(fit), groups, level), lapply, `[`, which)
  } else {
    lapply(groups, function(g) {
      bounds <- limits_of_group(g, level)
      if (!ranked) return(bounds)
      selected <- limits_of_group(g, ranked_level(group_estimate(fit, g), level)[which])
      if (interval == "anytime") selected else replace(bounds, "low", selected["low"])
    })
  }
  side <- function(name) vapply(columns, `[[`, numeric(length(which)), name)
  list(low = side("low"), high = side("high"))
}

group_intervals <- function(fit, g, level, interval, which) {
  if (!is.null(fit$covariance)) return(design_intervals(fit, g, level, which))
  kind <- interval_kinds[[interval]]
  estimate <- group_estimate(fit, g)
  bounds <- if (is.null(kind$limits)) {
    evidence <- group_evidence(fit$tally, g)
    law_intervals(evidence$law, evidence, estimate, interval, level, which, fit$target)
  } else {
    kind$limits(fit, g, level, which)
  }
  if (isTRUE(kind$is_rough)) return(bounds)
  include_estimate(bounds, estimate[which], fit$estimator$unbiased)
}

# Intervals of a survey design: Wilson's interval of the mean of scores that lie from `low` to
# `high`, as a share of their range. An estimate beyond 0 or 1 is taken for what is nearest to it
# among those that there can be.
design_intervals <- function(fit, g, level, which) {
  estimate <- group_estimate(fit, g)[which]
  # The upper tail has the digits of levels near 1.
  t <- qt((1 - level) / 2, fit$df, lower.tail = FALSE)
  if (fit$interval == "wald" || is.null(fit$inversion)) {
    error <- known_errors(fit, g, fit_errors(fit, g, which))
    return(symmetric_limits(estimate, t * error))
  }
  if (!is.null(fit$inversion$field_variance) && t < 8) {
    return(include_estimate(
      measured_intervals(fit, g, t, which), estimate, fit$estimator$unbiased
    ))
  }
  low <- fit$inversion$low[which]
  range <- fit$inversion$high[which] - low
  share <- (clamp(fit$inversion$estimate[which, g]) - low) /
    range
  variance <- fit$inversion$variance[which, g] / range^2
  worth <- share * (1 - share) / variance
  # If all reports are alike the design says nothing of their variance, which is a rounding.
  is_unknown <- !is.finite(worth) | worth <= 0 | variance <= 1e-14
  worth[is_unknown] <- fit$tally$effective_n[g]
  wilson <- wilson_interval(share, worth, t^2)
  bounds <- list(
    low = low + range * wilson$low,
    high = low + range * wilson$high
  )
  include_estimate(bounds, estimate, fit$estimator$unbiased)
}

# The intervals of a measured channel in group g of a design: those of the law, with the number of
# independent respondents whose reports would give the design's variance if the channel were known.
# If all reports are alike the design says nothing of their variance. The normal quantile of `level`
# is the t quantile of the design; from 8 on it has no such level, and design_intervals() is used.
measured_intervals <- function(fit, g, t, which) {
  evidence <- group_evidence(fit$tally, g)
  known <- replace(evidence$law, "validation", list(NULL))
  variance <- unbiased_variances(known, evidence, which, fit$target, FALSE) * evidence$n
  n <- variance / fit$inversion$field_variance[which, g]
  n[!is.finite(n) | n <= 0] <- evidence$n
  level <- 1 - 2 * pnorm(-t)
  limits <- mapply(function(cell, n) {
    effective <- new_evidence(
      evidence$law, evidence$raw$counts, evidence$raw$n, n, evidence$k, fit$mechanism
    )
    unlist(law_intervals(
      evidence$law, effective, group_estimate(fit, g), "wilson", level, cell, fit$target
    ))
  }, which, n)
  list(low = limits["low", ], high = limits["high", ])
}

# The evidence of all groups, with what is known of their estimates.
fit_evidence <- function(fit) {
  law <- rr_law(fit$mechanism)
  lapply(seq_along(fit$details), function(g) {
    c(
      group_evidence(fit$tally, g, law),
      list(estimate = group_estimate(fit, g), details = fit$details[[g]])
    )
  })
}

# The fit with another kind of interval.
with_interval <- function(fit, interval) {
  if (identical(interval, fit$interval)) return(fit)
  fit$interval <- check_choice(interval, "interval", names(interval_kinds))
  if (interval == "anytime") fit$plan <- fit$plan %||% 500
  check_interval_kind(interval, fit$mechanism, fit$target, fit$estimator)
  if (interval == "bootstrap") {
    abort("{.val bootstrap} must be the {.arg interval} of {.fn rr_estimate}.")
  }
  fit
}

# An error if the mechanism or the method has no such interval. Few categories cannot show how
# shares are spread: a method says how many its posterior needs.
check_interval_kind <- function(interval, mechanism, target, method, law = rr_law(mechanism)) {
  kind <- interval_kinds[[interval]]
  k <- length(mechanism$levels)
  refuse <- function(why) abort(c("{.arg interval} cannot be {.val {interval}} here.", x = why))
  if (interval != "none" && !is.null(method$no_intervals)) {
    refuse("It would mislead: {method$no_intervals}.")
  }
  if (isTRUE(kind$is_joint)) {
    if (is.null(method$credible)) refuse("{.arg method} {.val {method$name}} has no posterior.")
    min_k <- method$credible_from %||% 1
    if (k < min_k) refuse("It is for {min_k} categories or more; there are {k}.")
  }
  if (target != (kind$target %||% target)) refuse("It is about the {kind$target}.")
  lacking <- Filter(function(need) !law_gives(law, need), kind$needs)
  if (length(lacking) && !(lacking[1] == "simulation" && simulates_counts(mechanism))) {
    refuse_law(law, lacking[1], sprintf("{.arg interval} {.val %s}", interval))
  }
  if (!k %in% (kind$categories %||% k)) {
    refuse("It is for at most {max(kind$categories)} categories.")
  }
  if (isTRUE(kind$is_known) && is_validated(mechanism)) {
    refuse("It takes the channel for known, and a validation study estimated it.")
  }
}

# Tables of a method without intervals hold NA, and say why.
tell_no_intervals <- function(fit) {
  reason <- fit$estimator$no_intervals
  if (is.null(reason) || inherits(fit, "rr_survey")) return(invisible())
  cli::cli_inform(
    c(
      "{.val {fit$method}} has neither intervals nor standard errors: they are {.val {NA}}.",
      x = "They would mislead: {reason}.", i = no_intervals_remedy
    ),
    class = "candor_message_no_intervals"
  )
}

# So do tables of functions of estimates whose errors are unknown.
tell_errors_unknown <- function(fits, error) {
  lines <- if (anyNA(error)) unique(unlist(lapply(fits, errors_unknown)))
  if (length(lines)) {
    cli::cli_inform(c(lines, i = no_intervals_remedy), class = "candor_message_no_intervals")
  }
}

no_intervals_remedy <- "For an estimate with its error take {.code method = \"mle\"}."

# ---- simulated tallies ----

# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. It has
# a column for each replication.
simulate_group <- function(fit, g, nsim, n = fit$tally$effective_n[g]) {
  n <- max(1, round(n))
  if (n > 2^53) abort("Simulated tallies can have 2^53 reports at most.", "counts")
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  mechanism <- fit$mechanism
  law <- pooled_law(rr_law(mechanism), fit$tally, g)
  if (!is.null(mechanism$designs)) mechanism$law <- law
  # A sample of respondents has multinomial reports if these are finitely many, else reports of
  # drawn truths.
  if (fit$target == "population" && law_gives(law, "channel")) {
    return(draw_multinomial(nsim, n, pmax(law_expected(law, theta), 0)))
  }
  likely <- .Call(C_rr_project, theta, 1)
  if (fit$target == "sample") return(simulate_counts(mechanism, whole_shares(n, likely), nsim))
  truths <- draw_multinomial(nsim, n, likely)
  vapply(
    seq_len(nsim),
    function(i) as.double(simulate_counts(mechanism, as.double(truths[, i]), 1)),
    numeric(length(mechanism$reports))
  )
}

# Estimates re-made from simulated tallies: per group a matrix, categories by replications.
bootstrap <- function(fit, replications, options) {
  groups <- ncol(as.matrix(fit$estimate))
  check_memory(24 * length(fit$estimate) * replications, "replications",
               sprintf("Bootstrapping %s estimates %s times", format_count(length(fit$estimate)),
                       format_count(replications)))
  law <- rr_law(fit$mechanism)
  n <- fit$tally$effective_n
  k <- length(fit$mechanism$levels)
  counts <- lapply(seq_len(groups), function(g) {
    simulate_group(fit, g, replications, n[g])
  })
  # Replication by replication: a method may estimate all groups together.
  estimates <- vapply(
    seq_len(replications),
    function(i) {
      # A validation study is made again too.
      if (!is.null(law$validation)) law <- draw_validation(law)
      evidence <- lapply(seq_len(groups), function(g) {
        new_evidence(
          pooled_law(law, fit$tally, g),
          as.double(counts[[g]][, i]),
          max(1, round(n[g])),
          n[g],
          k,
          fit$mechanism
        )
      })
      vapply(run_groups(fit$estimator, evidence, options), `[[`, numeric(k), "estimate")
    },
    matrix(0, k, groups)
  )
  lapply(seq_len(groups), function(g) {
    matrix(estimates[, g, ], nrow = k)
  })
}
