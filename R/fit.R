#' Reading a fit
#'
#' The usual functions of R for fitted models work for fits of [rr_estimate()].
#'
#' * `coef()`: the estimated shares, named by category (`group:category` when grouped).
#' * `vcov()`: their covariance matrix, for either target; `parm` picks a block, which is all that is computed.
#' * [profile()][rr_profile]: how fast the likelihood falls on both sides of a share.
#' * `confint()`: intervals, of the kind chosen in [rr_estimate()] or another.
#' * `logLik()`: the log-likelihood of the reports, \eqn{\sum_y n_y \log m_y}{sum of n[y] log(m[y])} with \eqn{m_y} the fitted probability of
#'   report \eqn{y} (the multinomial coefficient is left out); hence `AIC()` and `BIC()`. Its degrees of freedom are
#'   \eqn{K - 1} per group. It is `NA` for estimates that do not add up to 1 (`"base_cut"`, `"power"`), which have no likelihood,
#'   and where a report is not a category, see [rr_law()].
#'   With weights the sum is scaled to the effective number of respondents of each group, which BIC uses too. Compare such values only between
#'   fits with the same weights and groups: other groups have another scale, and [anova()][anova.rr_fit] refuses them.
#'   The maximum likelihood estimate has the largest log-likelihood *among distributions*. An estimate of `"inv"` with shares below 0 is not a distribution, and its
#'   log-likelihood may be larger: outside the distributions the reports can be fitted better.
#' * `deviance()`: twice the distance of the log-likelihood from that of shares that fit the reports exactly.
#'   [rr_goodness_of_fit()] is the test. (There is no `df.residual()`: of most designs it would be 0, and other packages take that for a reason
#'   to refuse tests that need none.)
#' * `update()`: the fit of the same tally with other arguments of [rr_estimate()].
#' * `nobs()`: the number of reports, or the sum of weights.
#' * `fitted()`, `residuals()`: expected counts of the reports, and the differences between the tally and these.
#' * `simulate()`: tallies of new reports under the fitted truth, in R's random generator: as many as were tallied, with weights the effective
#'   number. Estimates that do not add up to 1 are projected on the distributions first.
#' * `plot()`: the picture of [`ggplot2::autoplot()`][autoplot.rr_fit] where ggplot2 is installed, else a base one.
#'
#' @param object,x A fit of [rr_estimate()].
#' @param parm Names or positions of categories, a character or numeric vector; all by default.
#' @param level Confidence level, between 0 and 1; by default the one of the fit.
#' @param interval Kind of interval, see [rr_estimate()]; by default the one of the fit. `"bootstrap"` only for a fit that was made with it.
#' @param type For `residuals()`: `"pearson"`, standardised by the multinomial standard deviation, or `"response"`, in reports.
#' @param nsim Number of simulated tallies, a whole number of at least 1.
#' @param seed A whole number for [set.seed()]; R's generator is restored afterwards. Or `NULL`, to continue from the
#'   generator's present state.
#' @param ... For `update()` arguments of [rr_estimate()] to be changed, by name. Otherwise not used, except by `plot()`, which passes it on to
#'   `ggplot2::autoplot()`.
#' @return `coef()`, `fitted()` and `residuals()` a vector, or a matrix with one column per group; `vcov()` and `confint()` a
#'   matrix; `logLik()` an object of class `logLik`; `nobs()` one number; `simulate()` a data frame with one row per report and one column per
#'   tally, and with the attribute `seed` that [stats::simulate()] describes; `summary()` a list of `fit`, `estimates` and `measures` (what `tidy()` and `glance()` give); `as.data.frame()` what `tidy()` gives with
#'   intervals; `print()` the fit itself and `plot()` the ggplot it drew, invisibly.
#' @section Errors:
#' `candor_error_level` for a `parm` that is not a category, `candor_error_argument` for other arguments, and for a covariance matrix of more than
#' 5,000 rows.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response, equation (8), for the
#'   variances (with \eqn{(p - q)^2} in its denominators) for `target = "sample"`; for `target = "population"` the counts are multinomial and
#'   \eqn{\theta(1 - \theta)/N} is added. On the support of a maximum likelihood estimate it is the inverse Fisher information.
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015), see [nigeria_survey], for the counts of the example.
#' @name rr_fit
#' @examples
#' nigeria <- rr_counts(c(yes = 831, no = 1604), rr_forced(1 / 6))
#' fit <- rr_estimate(nigeria, interval = "exact")
#' coef(fit)
#' vcov(fit, "yes", target = "sample")
#' confint(fit, "yes", level = 0.9)
#' AIC(fit)
#' simulate(fit, nsim = 3, seed = 1)
NULL

match_terms <- function(parm, fit, arg = "parm") {
  levels <- fit$mechanism$levels
  if (is.null(parm)) return(seq_along(levels))
  which <- if (is.character(parm) || is.factor(parm)) match(as.character(parm), levels) else parm
  if (!is.numeric(which) || is.object(which) || !length(which) || anyNA(which) ||
      any(which < 1 | which > length(levels) | which != floor(which))) {
    abort(c("{.arg {arg}} must name categories of the fit.", x = "It is {describe(parm)}.",
            i = if (length(meant_of(parm, levels))) "{meant_of(parm, levels)}",
            i = "The categories are {format_labels(levels)}."), "level")
  }
  as.integer(which)
}

coef_names <- function(fit, which = NULL) {
  terms <- fit$mechanism$levels
  if (!is.null(which)) terms <- terms[which]
  groups <- fit$tally$groups
  if (is.null(groups)) return(terms)
  paste(rep(group_labels(groups), each = length(terms)), rep(terms, nrow(groups)), sep = ":")
}

labels_of.rr_fit <- function(x) coef_names(x)

#' @rdname rr_fit
#' @export
coef.rr_fit <- function(object, ...) {
  stats::setNames(as.vector(object$estimate), coef_names(object))
}

#' @rdname rr_fit
#' @export
confint.rr_fit <- function(object, parm = NULL, level = object$conf.level, interval = object$interval, ...) {
  which <- match_terms(parm, object)
  level <- check_level(level)
  interval <- check_interval(interval, object)
  tell_no_intervals(object)
  bounds <- fit_intervals(object, level, interval, which)
  bounds_matrix(bounds$low, bounds$high, level, coef_names(object, which))
}

check_interval <- function(interval, fit) {
  if (identical(interval, "none") && fit$interval == "none") return(interval)
  interval <- check_choice(interval, "interval", interval_kinds)
  check_interval_kind(interval, fit$mechanism, fit$target, fit$estimator)
  if (interval == "bootstrap" && is.null(fit$replicates)) {
    abort(c("{.arg interval} cannot be {.val bootstrap} for this fit: it holds no replications.",
            i = "Ask for them when estimating: {.code rr_estimate(..., interval = \"bootstrap\")}."),
          "argument")
  }
  interval
}

#' @rdname rr_fit
#' @export
logLik.rr_fit <- function(object, ...) {
  groups <- ncol(as.matrix(object$estimate))
  law <- rr_law(object$mechanism)
  total <- sum(vapply(seq_len(groups), function(g) {
    if (isTRUE(object$estimator$composite)) refuse_composite()
    evidence <- group_evidence(object$tally, g, law)
    if (!adds_up(group_estimate(object, g)) || !law_gives(evidence$law, "likelihood",
                                                          length(object$mechanism$levels))) return(NA_real_)
    if (!is.null(evidence$law$sets) || inherits(law, "rr_law_hierarchy")) {
      return(law_loglik(evidence$law, evidence, group_estimate(object, g)))
    }
    counts <- group_counts(object$tally, g)
    shares <- law_reported(law, group_estimate(object, g))
    seen <- counts > 0
    if (any(shares[seen] <= 0)) return(-Inf)
    object$tally$effective_n[g] / object$tally$n[g] * sum(counts[seen] * log(shares[seen]))
  }, 0))
  structure(total, df = groups * (length(object$mechanism$levels) - 1), nobs = sum(object$tally$effective_n),
            class = "logLik")
}

# The composite likelihood is not the likelihood of the reports: values, AIC and tests from it would mislead.
refuse_composite <- function() {
  abort(c("A composite estimate has no log-likelihood.",
          x = "It comes from the support counts, taken one by one, not from the likelihood of the reports.",
          i = "Keep the reports' sets, {.code rr_tally(..., keep = \"sets\")}, and use {.code method = \"mle\"}."),
        c("law", "argument"))
}

#' @rdname rr_fit
#' @export
deviance.rr_fit <- function(object, ...) {
  value <- as.numeric(logLik(object))
  exact <- vapply(seq_len(ncol(as.matrix(object$estimate))), function(g) {
    counts <- group_counts(object$tally, g)
    object$tally$effective_n[g] / object$tally$n[g] * sum_log(counts, counts / object$tally$n[g])
  }, 0)
  2 * (sum(exact) - value)
}

#' @rdname rr_fit
#' @export
update.rr_fit <- function(object, ...) {
  asked <- list(...)
  if (length(asked) && (is.null(names(asked)) || !all(nzchar(names(asked))))) {
    abort(c("What is to be different must be named.", i = "Such as {.code update(fit, method = \"inv\")}."), "argument")
  }
  kept <- list(method = object$estimator, target = object$target, interval = object$interval,
               conf.level = object$conf.level, simultaneous = object$simultaneous)
  # What another method does not have is the default again.
  if (any(c("method", "target") %in% names(asked)) || object$interval == "none") kept$interval <- NULL
  do.call(rr_estimate, c(list(object$tally), asked, kept[setdiff(names(kept), names(asked))]), quote = TRUE)
}

observations_of.rr_fit <- function(x) sum(x$tally$n)

#' @rdname rr_fit
#' @export
fitted.rr_fit <- function(object, ...) {
  estimate <- as.matrix(object$estimate)
  law <- rr_law(object$mechanism)
  expected <- vapply(seq_len(ncol(estimate)), function(g) {
    object$tally$n[g] * law_reported(law, estimate[, g])
  }, numeric(length(object$mechanism$reports)))
  label_reports(expected, object)
}

#' @rdname rr_fit
#' @export
residuals.rr_fit <- function(object, type = c("pearson", "response"), ...) {
  type <- check_choice(type, "type", c("pearson", "response"))
  expected <- fitted(object)
  difference <- as.vector(object$tally$counts) - expected
  if (type == "response") return(difference)
  n <- rep(object$tally$n, each = length(object$mechanism$reports))
  # A sum of weights varies like a multiple of the effective number of reports.
  unit <- rep(object$tally$n / object$tally$effective_n, each = length(object$mechanism$reports))
  variance <- unit * as.vector(expected) * (1 - as.vector(expected) / n)
  ratio <- difference / sqrt(ifelse(variance < 0, NA, variance))
  # A report that is expected always or never, and was given as often: the difference is only rounding.
  ratio[abs(difference) <= 1e-12 * n] <- 0
  ratio
}

label_reports <- function(values, fit) {
  if (is.null(fit$tally$groups)) return(stats::setNames(as.vector(values), fit$mechanism$reports))
  dimnames(values) <- list(fit$mechanism$reports, group_labels(fit$tally$groups))
  values
}

#' @rdname rr_fit
#' @export
simulate.rr_fit <- function(object, nsim = 1, seed = NULL, ...) {
  nsim <- check_count(nsim, "nsim", min = 1, max = .Machine$integer.max)
  check_memory(24 * length(object$tally$counts) * nsim, "nsim", sprintf("A table of %s tallies", format_count(nsim)))
  seed <- keep_seed(seed)
  groups <- ncol(as.matrix(object$estimate))
  counts <- do.call(rbind, lapply(seq_len(groups), function(g) simulate_counts(object, g, nsim)))
  colnames(counts) <- paste0("sim_", seq_len(nsim))
  table <- data.frame(term = rep(object$mechanism$reports, groups), counts)
  if (!is.null(object$tally$groups)) {
    rows <- rep(seq_len(groups), each = length(object$mechanism$reports))
    table <- cbind(as.data.frame(object$tally$groups)[rows, , drop = FALSE], table)
    rownames(table) <- NULL
  }
  structure(table, seed = seed)
}

# How many estimates sit on the boundary of what a share can be.
boundary_count <- function(fit) sum(fit$estimate <= 0 | fit$estimate >= 1)

title_of.rr_fit <- function(x) {
  about <- unlist(lapply(c(uncertainty_line(x), fit_notes(x)), strwrap, width = 80, indent = 2, exdent = 4))
  c(paste0(x$estimator$title, " of ", category_words(length(x$mechanism$levels)), " from ",
           report_words(x$tally),
           if (!is.null(x$tally$groups)) in_groups(x$tally)),
    paste0("  ", format(x$mechanism)),
    if (protects(x$mechanism)) {
      paste0("  ", capitalise(odds_words(x$mechanism$epsilon,
                                         if (is.null(x$mechanism$questions)) "a report" else "a row")))
    }, about)
}

# Only what is shown is computed.
shown_of.rr_fit <- function(x, n) {
  k <- length(x$mechanism$levels)
  rows <- length(x$estimate)
  table <- tidy_rows(x, TRUE, x$conf.level, seq_len(max(1, min(n, k))), seq_len(max(1, ceiling(min(n, rows) / k))))
  attr(table, "total") <- rows
  table
}

uncertainty_line <- function(x) {
  if (x$interval == "none") {
    return(sprintf("Target: %s; no intervals and standard errors: %s", x$target, x$estimator$no_intervals))
  }
  held <- boundary_count(x)
  sprintf("Target: %s; %s%% %s intervals%s%s", x$target, format(100 * x$conf.level), interval_label(x),
          if (x$simultaneous) ", simultaneous" else "",
          if (held > 0) sprintf("; %s of %s estimates on the boundary", format_count(held),
                                format_count(length(x$estimate))) else "")
}

# Where empirical Bayes has the smaller error in nearly all cells of the grid in inst/studies/eb.csv.gz: many shares are
# 0 and there are 20 categories or more.
many_categories <- function(x) {
  law <- rr_law(x$mechanism)
  length(x$mechanism$levels) >= 20 && inherits(law, "rr_law_additive") && law$a > 0 &&
    boundary_count(x) > length(x$estimate) / 4
}

# How near the likelihood is to its maximum.
certificate_line <- function(x, gap, steps) {
  if (gap == 0) return("The estimate is exact: the log-likelihood is at its maximum")
  # Below this the certificate itself is made of roundings.
  within <- format(max(gap, 1e-13 * max(x$tally$effective_n)), digits = 2)
  sprintf("%s; the log-likelihood is within %s of its maximum",
          if (length(steps)) sprintf("%s iteration%s", max(steps), if (max(steps) == 1) "" else "s") else "Certified",
          within)
}

# What a reader must know before using the numbers.
fit_notes <- function(x) {
  unique <- vapply(x$details, function(d) !identical(d$unique, FALSE), NA)
  gaps <- unlist(lapply(x$details, `[[`, "gap"))
  steps <- unlist(lapply(x$details, `[[`, "iterations"))
  shared <- if (law_by_information(rr_law(x$mechanism))) "other distributions are as likely"
            else "unreported categories share their remainder equally"
  c(if (any(!unique)) paste("The maximum is not unique:", shared),
    if (length(gaps)) certificate_line(x, max(gaps), steps),
    if (!is.null(x$estimator$notes)) x$estimator$notes(x$details),
    errors_unknown(x),
    if (x$interval == "credible")
      "Credible intervals hold on average over all categories, not for what looks largest: see rr_top()",
    if (!x$estimator$unbiased && is.null(x$estimator$spread) && boundary_count(x) > 0)
      paste0("Estimates held at the boundary have no standard error and bias the others: read the intervals",
             if (length(x$mechanism$levels) >= 20) ", and rr_top() for the categories that look largest"),
    if (is_contradicted(x)) paste0("The reports are unlikely under this design: see rr_goodness_of_fit()",
                                    if (x$method != "mle") " of method = \"mle\"")
    else if (is_unlikely(x)) unlikely_words,
    if (x$method == "mle" && many_categories(x))
      "With so many categories method = \"eb\" is usually nearer the truth, see vignette(\"many-categories\")",
    if (x$interval != "bootstrap" && any(vapply(seq_along(x$details), needs_functions, NA, fit = x)))
      sprintf("Standard errors: not listed for more than %s positive cells; rr_contrast() has those of any function",
              format_count(covariance_cells)),
    if (any(x$estimate < 0)) sprintf("Negative estimates: %s%s", format_count(sum(x$estimate < 0)),
                                     if (is_contradicted(x)) "" else ", as unbiased estimates of shares near 0 may be"))
}
