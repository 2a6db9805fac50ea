#' @section Fits:
#' * `glance()`: one row with the columns
#'   * `method`, `target`, `categories`: as in the fit;
#'   * `nobs`: number of reports, or the sum of weights;
#'   * `respondents`: reports counted, whatever their weights; `NA` if only weighted counts are known;
#'   * `effective_n`: number of respondents of equal weight with the same information;
#'   * `epsilon`: privacy budget of the mechanism;
#'   * `logLik`, `df`, `AIC`, `BIC`: `NA` if the method does not maximize the likelihood;
#'   * `boundary`: number of estimates at or beyond 0 or 1;
#'   * `gap`: certified distance of the log-likelihood from its maximum, see [likelihood_solver]; 0 for the closed form;
#'   * `rate`: for `"ibu"`, the rate of convergence at the maximum, see [`?estimators`][estimators];
#'   * `unlikely`: `TRUE` if no truth makes these reports likely, as after a wrong mechanism; false in at most 1 of 1,000 fits;
#'   * `validation`: people in the validation study of [rr_misclassification()], if there is one.
#' * `tidy()`: `std.error` is `NA` if the estimate is held at 0 or 1: read its interval. `type = "trace"` gives a row for each iterate of a fit by `"ibu"`:
#'   `iteration`, `loglik`, `gap`, and `distance`, its Euclidean distance from the maximum.
#' * `augment()`: a tibble with one row per report: `term`, `count`, `.fitted` (expected count), `.resid` (Pearson residual).
#' * `vcov()`: covariance matrix for either target; only the block of `parm` is computed.
#' * `logLik()`, `AIC()`, `BIC()`: log-likelihood of the reports, see below.
#' * `fitted()`, `residuals()`: expected counts of the reports; observed minus expected counts; with groups one column per group.
#' * `simulate()`: a data frame of tallies under the fitted truth: one row per report, one column per tally, attribute `seed` as [stats::simulate()].
#' * `update()`: the fit of the same tally with other arguments.
#' * `predict()`: see [predict.rr_fit()]. `profile()`: see [likelihood_profile]. `plot()`: see [autoplot.rr_fit].
#'
#' There is no `df.residual()`: for most designs it would be 0, and other packages would then refuse valid tests. [rr_goodness_of_fit()] tests the fit.
#' @section Log-likelihood:
#' `logLik()` is \eqn{\sum_y n_y \log m_y}{sum of n[y] log(m[y])}, with \eqn{m_y} the fitted probability of report \eqn{y}, without the multinomial coefficient. It has
#' \eqn{K - 1} degrees of freedom per group. It is `NA` for estimates that do not add up to 1, and if the counts do not determine the likelihood.
#'
#' With weights the sum is scaled to the effective number of respondents of each group. Compare such values only between fits with the same weights and groups. The maximum
#' likelihood estimate has the largest log-likelihood among distributions; shares below 0 of `"inv"` may have a larger value.
#' @section Designs with an unknown parameter:
#' `tidy(fit, type = "parameters")` gives the share of yes and the unknown parameter of the design: the honesty ([rr_lie_detector()]), the share of cheaters
#' ([rr_cheater_detection()]) or the prevalence of the innocuous attribute ([rr_unrelated()]). `fit` is a maximum likelihood fit of a list of tallies or of a pool ([rr_pool()]).
#'
#' The tibble has one row per parameter and group: `term`, `estimate`, `std.error`, `conf.low`, `conf.high`, `identified`. A parameter that the reports do not
#' identify is `NA`; so is the honesty if the share of yes is estimated as 0. Standard errors are from the observed information, and `NA` at 0 and 1. Intervals are profile
#' likelihood intervals. If nobody may be a yes, the interval of the honesty is 0 to 1.
#'
#' @param interval For `confint()` and `tidy()`: kind of interval, see [`?intervals`][intervals]; default the kind of the fit. `"bootstrap"` only for a fit that was made with it.
#' @param type For `residuals()` `"pearson"` (default) or `"response"` (in reports). For `tidy()` `"estimates"` (default), `"parameters"` or `"trace"`.
#' @param nsim Number of simulated tallies, a whole number of at least 1; default 1. Each has as many reports as were tallied, or the effective number. Estimates that do not add up to 1
#'   are projected on the distributions first.
#' @param seed A whole number for [set.seed()], after which R's generator is restored; or `NULL` (default) to continue from its present state.
#' @param target For `vcov()`: `"population"` or `"sample"`; default the target of the fit.
#' @references Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response.
#'   \doi{10.48550/arXiv.2601.08603} (equation 8: variances for the sample, with \eqn{(p - q)^2} in the denominators; for the population \eqn{\theta(1 - \theta)/N} is added)
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#' @concept tidy
#' @concept effective sample size
#' @concept unknown parameter
#' @name estimate_methods
#' @rdname estimate_methods
#' @examples
#'
#' # Contact with armed groups in Nigeria: 831 of 2,435 said yes
#' nigeria <- rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6))
#' fit <- rr_estimate(nigeria, interval = "exact")
#' tidy(fit, conf.int = TRUE)
#' glance(fit)
#' # How much of the uncertainty is due to the die alone?
#' sqrt(diag(vcov(fit, "yes", target = "sample")) / diag(vcov(fit, "yes")))
#' # The standard error for these respondents alone is 0.79 times as large
#' simulate(fit, nsim = 3, seed = 1)
#'
#' # Honesty as an unknown parameter: see ?rr_lie_detector
NULL

labels_of.rr_fit <- function(x) coef_names(x)

#' @export
nobs.rr_fit <- function(object, ...) sum(object$tally$n)

#' @rdname estimate_methods
#' @export
coef.rr_fit <- function(object, ...) setNames(as.vector(object$estimate), coef_names(object))

#' @rdname estimate_methods
#' @export
confint.rr_fit <- function(
  object, parm = NULL, level = object$conf.level, interval = object$interval, ...
) {
  which <- match_terms(parm, object)
  level <- check_conf_level(level)
  object <- with_interval(object, interval)
  tell_no_intervals(object)
  bounds <- fit_intervals(object, level, which = which)
  bounds_matrix(bounds$low, bounds$high, level, coef_names(object, which))
}

#' @rdname estimate_methods
#' @export
vcov.rr_fit <- function(object, parm = NULL, target = object$target, ...) {
  target <- check_choice(target, "target", c("population", "sample"))
  # Replications are of the fit's own target.
  if (target != object$target) object["replicates"] <- list(NULL)
  object$target <- target
  which <- match_terms(parm, object)
  groups <- group_count(object$tally)
  size <- length(which)
  if (size * groups > 5000) {
    abort("{size * groups} rows are too many: name estimates in {.arg parm}.")
  }
  names <- coef_names(object, which)
  matrix <- matrix(0, size * groups, size * groups, dimnames = list(names, names))
  for (g in seq_len(groups)) {
    rows <- (g - 1) * size + seq_len(size)
    matrix[rows, rows] <- contrast_covariance(object, g, which)
  }
  effects <- if (groups > 1L) {
    do.call(rbind, lapply(seq_len(groups), fit_effects, fit = object, which = which))
  }
  if (!is.null(effects)) {
    between <- rep(seq_len(groups), each = size)
    other <- outer(between, between, `!=`)
    matrix[other] <- tcrossprod(effects)[other]
  }
  between <- fit_between(object)
  if (is.null(between)) return(matrix)
  index <- as.vector(
    outer(which, (seq_len(groups) - 1) * length(object$mechanism$levels), `+`)
  )
  matrix + between[index, index]
}

#' @rdname estimate_methods
#' @export
logLik.rr_fit <- function(object, ...) {
  if (isTRUE(object$estimator$composite)) {
    abort("The log-likelihood needs the reports: tally them with {.code keep = \"sets\"}.", c(
      "law", "argument"
    ))
  }
  law <- rr_law(object$mechanism)
  k <- length(object$mechanism$levels)
  groups <- NCOL(object$estimate)
  total <- sum(vapply(seq_len(groups), function(g) {
    evidence <- group_evidence(object$tally, g, law)
    theta <- group_estimate(object, g)
    # The likelihood of a study within the sample is about truths and reports together.
    has_likelihood <- law_gives(evidence$law, "likelihood") && is.null(law$internal)
    if (!adds_up(theta) || !has_likelihood) return(NA_real_)
    if (!is.null(evidence$law$sets) || !is.null(law$laws)) {
      return(law_loglik(evidence$law, evidence, theta))
    }
    scale <- object$tally$effective_n[g] / object$tally$n[g]
    scale * sum_log(group_counts(object$tally, g), law_expected(law, theta))
  }, 0))
  structure(
    total,
    df = groups * (k - 1),
    nobs = sum(object$tally$effective_n),
    class = "logLik"
  )
}

#' @rdname estimate_methods
#' @export
fitted.rr_fit <- function(object, ...) {
  refuse_group_labels(object)
  law <- rr_law(object$mechanism)
  reports <- object$mechanism$reports
  expected <- vapply(seq_len(NCOL(object$estimate)), function(g) {
    law <- pooled_law(law, object$tally, g)
    object$tally$n[g] * law_expected(law, group_estimate(object, g))
  }, numeric(length(reports)))
  if (is.null(object$tally$groups)) return(setNames(as.vector(expected), reports))
  dimnames(expected) <- list(reports, group_labels(object$tally$groups))
  expected
}

#' @rdname estimate_methods
#' @export
residuals.rr_fit <- function(object, type = c("pearson", "response"), ...) {
  type <- check_choice(type)
  expected <- fitted(object)
  difference <- as.vector(object$tally$counts) - expected
  if (type == "response") return(difference)
  each <- function(x) rep(x, each = length(object$mechanism$reports))
  n <- each(object$tally$n)
  # A sum of weights varies like a multiple of the effective number of reports.
  variance <- each(object$tally$n / object$tally$effective_n) * as.vector(expected) *
    (1 - as.vector(expected) / n)
  # A report that is expected always or never, and was given as often: the difference is only
  # rounding.
  replace(difference / sqrt_or_na(variance), abs(difference) <= 1e-12 * n, 0)
}

#' @rdname estimate_methods
#' @export
simulate.rr_fit <- function(object, nsim = 1, seed = NULL, ...) {
  nsim <- check_count(nsim, "nsim", min = 1, max = .Machine$integer.max)
  check_memory(
    24 * length(object$tally$counts) * nsim, "nsim",
    sprintf("A table of %s tallies", format_count(nsim))
  )
  seed <- keep_seed(seed)
  tables <- lapply(seq_len(NCOL(object$estimate)), function(g) {
    counts <- simulate_group(object, g, nsim)
    colnames(counts) <- paste0("sim_", seq_len(nsim))
    data.frame(term = object$mechanism$reports, counts)
  })
  structure(as.data.frame(bind_groups(tables, object$tally$groups)), seed = seed)
}

#' @rdname rr_product
#' @export
as.table.rr_fit <- function(x, ...) {
  check_one_table(x$tally)
  question_table(x$estimate, x$mechanism$questions %||% list(truth = x$mechanism), "levels")
}

# ---- what print() says ----

title_of.rr_fit <- function(x) {
  n_boundary <- boundary_count(x)
  law <- rr_law(x$mechanism)
  odds <- if (protects(x$mechanism)) {
    odds_words(x$mechanism$epsilon, if (is.null(x$mechanism$questions)) "a report" else "a row")
  }
  c(
    paste0(
      x$estimator$title, ": estimates of ", category_words(length(x$mechanism$levels)), " from ",
      report_words(x$tally), in_groups(x$tally)
    ),
    paste0(
      "  ", c(format(x$mechanism), if (length(odds)) capitalise(odds))
    ),
    indented(c(uncertainty_line(x, n_boundary), fit_notes(x, law, n_boundary)))
  )
}

# Only what is shown is computed.
printed_table.rr_fit <- function(x, n) {
  k <- length(x$mechanism$levels)
  rows <- length(x$estimate)
  table <- tidy_rows(
    x, TRUE, x$conf.level, seq_len(max(1, min(n, k))),
    seq_len(max(1, ceiling(min(n, rows) / k)))
  )
  attr(table, "total") <- rows
  table
}

notes_of.rr_fit <- function(x, table) {
  if (x$estimator$unbiased && x$interval != "none" && anyNA(table$std.error)) {
    indented(
      paste(
        "Standard errors are NA where the reports do not show how an",
        "estimate varies: read the intervals"
      )
    )
  }
}

# How many estimates sit on the boundary of what a share can be.
boundary_count <- function(fit) {
  sum(
    vapply(
      seq_len(NCOL(fit$estimate)), function(g) sum(at_boundary(fit, g)),
      0L
    )
  )
}

uncertainty_line <- function(x, n_boundary) {
  if (x$interval == "none") {
    return(sprintf(
      "Target: %s; no intervals and standard errors: %s", x$target, x$estimator$no_intervals
    ))
  }
  paste0(
    "Target: ", x$target, "; ", interval_words(x$conf.level, interval_label(x), x$simultaneous),
    if (n_boundary > 0) {
      sprintf(
        "; %s of %s estimates on the boundary", format_count(n_boundary),
        format_count(length(x$estimate))
      )
    }
  )
}

# How near the likelihood is to its maximum.
certificate_line <- function(x) {
  gap <- unlist(lapply(x$details, `[[`, "gap"))
  steps <- unlist(lapply(x$details, `[[`, "iterations"))
  if (!length(gap)) return(NULL)
  if (max(gap) == 0) return("The estimate is exact: the log-likelihood is at its maximum")
  # Below this the certificate itself is made of roundings.
  within <- format(max(gap, 1e-13 * max(x$tally$effective_n)), digits = 2)
  sprintf("%s; the log-likelihood is within %s of its maximum",
          if (length(steps)) number_of(max(steps), "iteration") else "Certified", within)
}

# What a reader must know before using the numbers.
fit_notes <- function(x, law, n_boundary) {
  unique <- vapply(x$details, function(d) !identical(d$unique, FALSE), NA)
  many <- length(x$mechanism$levels) >= 20
  c(
    if (any(!unique)) {
      paste(
        "The maximum is not unique:",
        if (law$by_information) {
          "other distributions are as likely"
        } else {
          "unreported categories share their remainder equally"
        }
      )
    },
    certificate_line(x),
    if (is_validated(x$mechanism)) {
      sprintf(
        "Random: respondents, their misclassification, the validation study (%s)",
        people_words(x$mechanism)
      )
    },
    if (!is.null(x$estimator$notes)) x$estimator$notes(x$details),
    errors_unknown(x),
    if (x$interval == "wilson" && isTRUE(x$estimator$likelihood) &&
        has_spare_reports(law, length(x$mechanism$levels))) {
      "Intervals are about the unbiased estimate, which is not this maximum of the likelihood"
    },
    if (x$interval == "credible") {
      paste(
        "Credible intervals hold on average over all categories, not for",
        "what looks largest: see rr_top()"
      )
    },
    if (!x$estimator$unbiased && is.null(x$estimator$spread) && n_boundary > 0) {
      paste0(held_words, if (many) ", and rr_top() for the categories that look largest")
    },
    if (is_doubted(x)) doubt_words(x),
    if (many && is_sparse(x, law, n_boundary)) {
      paste(
        "With so many categories method = \"eb\" is usually nearer the",
        "truth, see ?estimators"
      )
    },
    if (x$interval != "bootstrap" &&
        any(vapply(seq_along(x$details), needs_functions, NA, fit = x))) {
      sprintf(
        paste(
          "Standard errors: not listed for more than %s positive cells;",
          "rr_contrast() has those of any function"
        ),
        format_count(covariance_cells)
      )
    },
    if (any(x$estimate < 0)) {
      sprintf(
        "Negative estimates: %s%s", format_count(sum(x$estimate < 0)),
        if (is_doubted(x)) "" else ", as unbiased estimates of shares near 0 may be"
      )
    }
  )
}

# Where empirical Bayes has the smaller error in nearly all cells of the grid in
# inst/studies/eb.csv.gz: many shares are 0 and there are 20 categories or more.
is_sparse <- function(x, law, n_boundary) {
  x$method == "mle" && n_boundary > length(x$estimate) / 4 && law_gives(law, "additive") &&
    law$a > 0
}

# ---- as a table ----

#' @rdname estimate_methods
#' @export
tidy.rr_fit <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL,
                        type = c("estimates", "parameters", "trace"), interval = x$interval, ...) {
  type <- check_choice(type)
  check_flag(conf.int, "conf.int")
  conf.level <- check_conf_level(conf.level)
  if (type == "trace") {
    # The log-likelihood of every iterate, with its certificate.
    traces <- lapply(x$details, `[[`, "trace")
    if (is.null(traces[[1]])) abort("A trace can be had of fits of method {.val ibu}.")
    return(bind_groups(traces, x$tally$groups))
  }
  if (type == "parameters") return(design_parameters(x, conf.level))
  x <- with_interval(x, interval)
  if (conf.int) tell_no_intervals(x)
  tidy_rows(x, conf.int, conf.level, match_terms(terms, x, "terms"))
}

#' @rdname estimate_methods
#' @export
glance.rr_fit <- function(x, ...) {
  likelihood <- if (isTRUE(x$estimator$composite)) NA_real_ else logLik(x)
  # Criteria compare maxima of likelihoods: shares below 0 may have a larger likelihood than any
  # distribution.
  maximized <- "likelihood" %in% x$estimator$needs
  gaps <- unlist(lapply(x$details, `[[`, "gap"))
  tibble(
    method = x$method,
    target = x$target,
    categories = length(x$mechanism$levels),
    nobs = nobs(x),
    respondents = respondent_number(x$tally),
    effective_n = sum(x$tally$effective_n),
    epsilon = x$mechanism$epsilon,
    logLik = as.numeric(likelihood),
    df = attr(likelihood, "df") %||% NA_real_,
    AIC = if (maximized) AIC(likelihood) else NA_real_,
    BIC = if (maximized) BIC(likelihood) else NA_real_,
    boundary = boundary_count(x),
    gap = if (length(gaps)) max(gaps) else x$estimator$gap %||% NA_real_,
    rate = max(vapply(x$details, function(group) group$rate %||% NA_real_, 0)),
    unlikely = is_doubted(x),
    validation = if (is_validated(x$mechanism)) sum(x$mechanism$validation)
  )
}

#' @rdname estimate_methods
#' @export
augment.rr_fit <- function(x, ...) {
  table <- tidy(x$tally)
  table$share <- NULL
  table$.fitted <- as.vector(fitted(x))
  table$.resid <- as.vector(residuals(x))
  table
}

# The channel of the mechanism is that of all labels together.
refuse_group_labels <- function(fit) {
  if (is.null(fit$tally$labels)) return(invisible())
  abort(
    c(
      "Reports are expected from one channel, and each group has its own labels.",
      i = "Estimate one group from its rows: {.code rr_estimate(subset(data, ...), ...)}."
    ),
    c("law", "argument")
  )
}

# ---- what a report says about its respondent ----

#' Posterior probability of the truth given one report
#'
#' `predict()` gives the probabilities of the true answers behind a report, by Bayes' rule with the estimated shares as the prior. Without `reports` the table covers
#' every report of the mechanism. For an estimate with an anchor question the report is one of the sensitive question, from an attentive or an inattentive respondent.
#'
#' A report changes the odds of a truth by at most the factor \eqn{e^\epsilon}. The column `odds.factor` is the factor of this report at these shares.
#'
#' @param object A fit of [rr_estimate()], also of a survey design or with an anchor question, whose estimates are shares (none below 0, with sum 1).
#' @param reports Reports as [rr_tally()] accepts them; default every report once.
#' @param ... Not used.
#' @return A tibble with one row per report (and group) and truth:
#'
#'   * `row`: position of the report, if `reports` were given.
#'   * `report`, `term`: the report; the truth.
#'   * `share`: the estimated share, the prior.
#'   * `posterior`: probability of the truth given the report.
#'   * `odds.factor`: posterior odds divided by prior odds; `NaN` if the share is 0 or 1.
#' @section Errors:
#' `candor_error_argument` (also for estimates that are not a distribution: use `method = "mle"`), `candor_error_level`. See [candor_conditions].
#' @references Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. *Journal of the American Statistical
#'   Association* 110(511), 1304-1319. \doi{10.1080/01621459.2015.1050028}
#' @seealso [rr_epsilon()] for the bound on the odds, [predict.rr_glm()] for regressions.
#' @concept plausible deniability
#' @concept jeopardy
#' @concept hazard
#' @concept predictive value
#' @concept posterior probability
#' @examples
#' # How likely is it that a civilian who said yes had contact with an armed
#' # group?
#' fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
#' predict(fit)
#' predict(fit, c("yes", "no"))
#' # About two in three; without a report it is one in four
#' @export
predict.rr_fit <- function(object, reports = NULL, ...) {
  refuse_group_labels(object)
  estimate <- unname(as.matrix(object$estimate))
  channels <- rep(list(rr_matrix(object$mechanism)), ncol(estimate))
  posterior_table(object, estimate, channels, reports)
}

# The table of predict(), by a channel and a column of `shares` for each group, those of the truths
# first.
posterior_table <- function(object, shares, channels, reports) {
  mechanism <- object$mechanism
  k <- length(mechanism$levels)
  estimate <- shares[seq_len(k), , drop = FALSE]
  is_share <- shares >= 0 & shares <= 1 + 1e-9
  if (!all(is_share, apply(estimate, 2, adds_up))) {
    abort("{.arg object} must hold shares: none below 0 or above 1, truths with the sum 1.")
  }
  codes <- if (is.null(reports)) seq_along(mechanism$reports) else report_codes(reports, mechanism)
  tables <- lapply(seq_len(ncol(estimate)), function(g) {
    joint <- estimate[, g] * channels[[g]][, codes, drop = FALSE]
    posterior <- as.vector(joint / rep(colSums(joint), each = k))
    share <- rep(estimate[, g], length(codes))
    table <- list(
      report = rep(mechanism$reports[codes], each = k),
      term = rep(mechanism$levels, length(codes)),
      share = share,
      posterior = posterior,
      odds.factor = posterior / (1 - posterior) / (share / (1 - share))
    )
    as_tibble(c(
      if (!is.null(reports)) {
        list(row = rep(seq_along(codes), each = k))
      },
      table
    ))
  })
  bind_groups(tables, object$tally$groups)
}

#' @rdname predict.rr_fit
#' @export
predict.rr_survey <- predict.rr_fit

# ---- groups: see the page of tally-groups.R ----

# The groups with these positions, with the estimates, errors and intervals that they have among
# all.
cut_groups.rr_fit <- function(fit, index, drop = FALSE) {
  fields <- unclass(fit)
  single <- drop && length(index) == 1L
  # Simultaneous intervals still hold for all the groups that were estimated together.
  fields$family <- fields$family %||% length(fields$estimate)
  if (is.matrix(fields$estimate)) fields$estimate <- fields$estimate[, index, drop = single]
  fields$details <- fields$details[index]
  fields$doubt <- fields$doubt[index]
  if (!is.null(fields$replicates)) fields$replicates <- fields$replicates[index]
  fields$tally <- cut_groups(fields$tally, index, drop)
  structure(fields, class = class(fit))
}

# Fits, means, and estimates of survey designs and with an anchor have groups as tallies have them.

#' @rawNamespace
#' S3method("[", rr_attention, "[.rr_tally")
#' S3method("[", rr_fit, "[.rr_tally")
#' S3method("[", rr_mean_fit, "[.rr_tally")
#' S3method("[", rr_survey, "[.rr_tally")
#' S3method("[[", rr_attention, "[[.rr_tally")
#' S3method("[[", rr_fit, "[[.rr_tally")
#' S3method("[[", rr_mean_fit, "[[.rr_tally")
#' S3method("[[", rr_survey, "[[.rr_tally")
#' S3method(subset, rr_attention, subset.rr_tally)
#' S3method(subset, rr_fit, subset.rr_tally)
#' S3method(subset, rr_mean_fit, subset.rr_tally)
#' S3method(subset, rr_survey, subset.rr_tally)
#' S3method(length, rr_attention, length.rr_tally)
#' S3method(length, rr_fit, length.rr_tally)
#' S3method(length, rr_mean_fit, length.rr_tally)
#' S3method(length, rr_survey, length.rr_tally)
#' S3method(names, rr_attention, names.rr_tally)
#' S3method(names, rr_fit, names.rr_tally)
#' S3method(names, rr_mean_fit, names.rr_tally)
#' S3method(names, rr_survey, names.rr_tally)
#' S3method(as.list, rr_attention, as.list.rr_tally)
#' S3method(as.list, rr_fit, as.list.rr_tally)
#' S3method(as.list, rr_mean_fit, as.list.rr_tally)
#' S3method(as.list, rr_survey, as.list.rr_tally)
#' S3method(utils::.DollarNames, rr_attention, .DollarNames.rr_tally)
#' S3method(utils::.DollarNames, rr_fit, .DollarNames.rr_tally)
#' S3method(utils::.DollarNames, rr_mean_fit, .DollarNames.rr_tally)
#' S3method(utils::.DollarNames, rr_survey, .DollarNames.rr_tally)
#' S3method(utils::str, rr_attention, str.rr_tally)
#' S3method(utils::str, rr_fit, str.rr_tally)
#' S3method(utils::str, rr_mean_fit, str.rr_tally)
#' S3method(utils::str, rr_survey, str.rr_tally)
NULL

# A joint fit without groups, or with the group columns of its only group left out.
one_group <- function(fit, arg) {
  groups <- fit$tally$groups
  if (is.null(groups)) return(fit)
  if (nrow(groups) == 1L) return(cut_groups(fit, 1L, drop = TRUE))
  labels <- group_labels(groups)
  remedy <- if (inherits(fit, "rr_survey")) "Estimate it from {.code subset(design, ...)}."
    else "Take one, such as {.code fit[\"{labels[1]}\"]}."
  abort(c("{.arg {arg}} must be of one group.", i = remedy))
}
