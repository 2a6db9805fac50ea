#' Methods of a regression of the truth: variances, intervals, tests, residuals
#'
#' Methods for fits of [rr_glm()]. Other functions (`cooks.distance()`, `model.matrix()`, `update()`,
#' `step()`, ...) work as for any `glm`.
#'
#' * `vcov()`, `confint()`: matrices.
#' * `tidy()`, `summary()`: table of coefficients.
#' * `glance()`: one row per fit; `NA` for likelihoods of survey designs.
#' * `augment()`: the data with `.truth`, `.report`, `.posterior` (probability of a true yes given the report), `.hat`, `.resid` (deviance).
#' * `anova()`, `drop1()`, `add1()`: likelihood ratio tests.
#' * `fitted()`: the probability of the report; `residuals(type = "response")` is the report minus `fitted()`. The truth is `predict(type = "truth")`.
#' * `residuals()`, `hatvalues()`, `influence()`: about truths or reports, see `type`.
#' * `simulate()`: a data frame of reports, one column per survey.
#' * `logLik()`, `AIC()`: likelihood of the reports.
#' * `family()`: the family of the truth.
#'
#' @section Profile intervals:
#' A value of a coefficient is in the interval if twice the fall of the log-likelihood, maximized over the other coefficients, is at most the chi-squared quantile. The
#' maximum is sought from all starting points of the fit. An end is `-Inf` or `Inf` if the log-likelihood does not fall far enough, because a randomized report never
#' rules out a truth. If the likelihood rises again beyond an end, the interval reaches from the first to the last value that is within.
#'
#' The intervals fail if the estimate is at infinity or another maximum is nearly as high. `articles/validation.html` of the site has the coverage (`studies/regression-coverage.R`).
#' @section Survey designs:
#' A fit to a survey design has a pseudo-likelihood. The variance of the coefficients is linearized or, with replicate weights, `survey::svrVar()` of the estimates of the replicates. The part of
#' the randomization that a finite population correction removes is added, see [survey_designs]. A coefficient
#' that is not finite in some replicate has no standard error, with a warning. P-values and Wald intervals are from the t distribution with `survey::degf()` minus the
#' number of coefficients plus 1 degrees of freedom, as `survey::svyglm()` counts them. They are `NA` if none are left.
#'
#' Likelihood ratios are not chi-squared here: `anova()`, `drop1()`, `add1()`, `step()`, `MASS::dropterm()` and `MASS::stepAIC()` give an error, and `deviance()` is `NA`. Use Wald's F tests:
#' `car::Anova(fit)`, `survey::regTermTest(fit, ~ x)`, `car::linearHypothesis()` or `lmtest::waldtest()`.
#'
#' `AIC()` is the dAIC of Lumley and Scott, \eqn{-2 \ell + 2 \mathrm{tr}(\Delta)}{-2 l + 2 tr(Delta)}, with the pseudo-log-likelihood \eqn{\ell}{l} of weights with mean 1 and
#' \eqn{\Delta}{Delta} the information times the design's variance of the coefficients. Several fits give a table with the column `eff.p`, the trace. (`survey::AIC()` of a `svyglm` leaves
#' out the intercept unless `null_has_intercept = FALSE`.) `logLik()` and `BIC()` give an error.
#' @section Other packages:
#' Packages that use 'insight' receive the link of the truth: exponentiated coefficients are odds ratios of the logit link and risk ratios of the log link. Their likelihoods are
#' likelihoods of the reports. Measures that compare fitted truths with reports are left out of tables, and `r2_tjur()` and `r2_efron()` give an error. `performance_hosmer()`, `performance_mse()`,
#' `performance_logloss()` and `binned_residuals()` are about the reports; see also [rr_goodness_of_fit()]. Do not call `performance_score()`. `effects::Effect()` is about the truth.
#'
#' @param object,x,model,fit A fit of [rr_glm()].
#' @param type
#'   * For `vcov()`, `summary()`, `tidy()` and `confint()`: `"observed"` or `"expected"` information, `"sandwich"` (robust, and by cluster), or `"survey"`. The default is
#'     `"survey"` with a survey design, otherwise `"observed"`. With `type`, `confint()` gives Wald intervals.
#'   * For `fitted()`: the probability of the `"report"` (default) or of the `"truth"`.
#'   * For `residuals()`: the types of `glm`, about the reports, or `"truth"`, the posterior probability of a true yes minus the fitted probability.
#'   * For `hatvalues()`: `"expected"` (default) or `"observed"` information.
#'   * For `influence()`: `"glm"` (default), `"deletion"` (one row per respondent with the change of the estimates without them) or `"linearised"` (its weighted total has the variance of
#'     the estimates; give it to `survey::svytotal()` if the population is not finite).
#' @param cluster A vector with one entry per fitted row, or a one-sided formula of a column of the data: answers of one cluster may depend on each other. The variance is
#'   multiplied by C / (C - 1) for C clusters, as in `sandwich::vcovCL()` and `survey::svyglm()`. Without `cluster` a row of counts, `cbind(yes, no)` or of a tally, stands for independent respondents.
#' @param parameter Logical, default `FALSE`. Include the unknown parameter of the design as the last row and column?
#' @param complete Logical, default `TRUE`. Include aliased coefficients, as `NA`?
#' @param parm Coefficients, by name or position; default all.
#' @param level,conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param method,conf.method `"profile"` or `"wald"` (estimate plus or minus a multiple of the standard error). The default is `"wald"` for survey designs, penalized fits, channels of
#'   [rr_misclassification()], and if `type` or `cluster` is given; otherwise `"profile"`.
#' @param nsim Number of simulated surveys, a whole number of at least 1; default 1.
#' @param seed A whole number for [set.seed()], after which R's generator is restored; or `NULL` (default) to continue from its present state.
#' @param test `"LRT"` (default; the same as `"Chisq"`) or `"none"`.
#' @param scope Terms, as a formula or names, see [stats::drop1()]; default all that can be dropped.
#' @param scale,k As in [stats::extractAIC()]; `k` is the price of a parameter, default 2.
#' @param conf.int Logical, default `FALSE`. Add the columns `conf.low` and `conf.high`?
#' @param exponentiate Logical, default `FALSE`. Give odds ratios, with their intervals, instead of coefficients?
#' @param data The data of the fit, with columns that are not in the model; default the model frame. For new rows see [predict.rr_glm()].
#' @param digits Significant digits printed, from 1 to 22; default 4.
#' @param ... Further fits for `anova()` and `AIC()`; otherwise ignored.
#' @return As listed above. Variances of a channel that a validation study estimated ([rr_misclassification()]) include the error of the study. Its `anova()` has Wald's tests, and
#'   `drop1()` and `add1()` give an error.
#' @section Errors:
#' `candor_error_argument`, also for likelihoods and profiles of a survey design. See [candor_conditions].
#' @references Royall, R. M. (1986). Model robust confidence intervals using maximum likelihood estimators. *International Statistical Review* 54(2),
#'   221-226. \doi{10.2307/1403146} (sandwich)
#'
#'   Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex surveys.
#'   *International Statistical Review* 51(3), 279-292. \doi{10.2307/1402588} (survey designs)
#'
#'   Lumley, T. and Scott, A. (2015). AIC and BIC for modeling with complex survey
#'   data. *Journal of Survey Statistics and Methodology* 3(1), 1-18. \doi{10.1093/jssam/smu021}
#' @seealso [rr_glm()], [predict.rr_glm()], [rr_effects()], [likelihood_profile] for the curve, [autoplot.rr_glm()].
#' @concept robust standard errors
#' @concept clustered standard errors
#' @concept odds ratio
#' @srrstats {G3.1} `vcov(type = )` has the observed information, and three other kinds.
#' @srrstats {RE4.2, RE4.3, RE4.4, RE4.5, RE4.6} coef(), confint(), formula(), nobs(), vcov().
#' @srrstats {RE4.7} `fit$iter` and `fit$converged`; a fit that did not converge warns.
#' @srrstats {RE4.8, RE4.9, RE4.10, RE4.11, RE4.13} model.frame(), fitted(), residuals(), logLik(), deviance(), AIC(), and the predictors of the model
#'   frame.
#' @srrstats {RE4.16} predict(newdata = ) takes groups that the formula has; others are an error of model.frame().
#' @srrstats {RE4.17, RE4.18} print() and summary().
#' @name glm_methods
#' @examples
#' # Plagiarism by semester: intervals, odds ratios and tests
#' fit <- rr_glm(plagiarism ~ semester + female, exam_simulated,
#'               rr_forced(1 / 6))
#' confint(fit)
#' tidy(fit, conf.int = TRUE, exponentiate = TRUE)
#' anova(fit)
#' # The odds rise by a factor of 1.09 per semester; gender has no clear
#' # effect
#' sqrt(diag(vcov(fit, type = "sandwich")))
#' head(augment(fit))
NULL

# ---- likelihood ----

# The effective number of parameters and the AIC of a fit in a design. A parameter costs its design
# effect in place of 1: their sum is the trace of the information of the pseudo-likelihood times the
# design's variance (Lumley and Scott, 2015). A channel that a study measured is taken for known.
design_aic <- function(fit, k = 2) {
  index <- estimated_places(fit)
  covariance <- known_variance(fit, "survey")[index, index, drop = FALSE]
  parameters <- sum(invert_positive(bread_of(fit)[index, index, drop = FALSE]) * covariance)
  c(
    eff.p = parameters, AIC = -2 * (fit$loglik + fit$constant) + k * parameters
  )
}

#' @rdname glm_methods
#' @export
AIC.rr_glm <- function(object, ..., k = 2) {
  fits <- list(object, ...)
  check_number(k, "k")
  if (!any(has_design(fits))) return(NextMethod())
  if (!all(has_design(fits))) refuse_pseudo(fits)
  table <- vapply(fits, design_aic, c(eff.p = 0, AIC = 0), k = k)
  if (length(fits) == 1L) return(table[["AIC", 1]])
  data.frame(
    t(table),
    row.names = make.unique(
      vapply(as.list(match.call())[-1][seq_along(fits)], deparse1, "")
    )
  )
}

#' @rdname glm_methods
#' @export
extractAIC.rr_glm <- function(fit, scale = 0, k = 2, ...) {
  warn_ignored(..., accepted = names(formals()))
  check_number(k, "k")
  # R takes rows of weight 0 for parameters.
  if (is.null(fit$design)) {
    c(fit$df, fit$aic + (k - 2) * fit$df)
  } else {
    unname(design_aic(fit, k))
  }
}

# ---- variance ----

# The design's columns and the rows that were fitted, as the methods below need them.
fitted_data <- function(fit) {
  list(
    x = model.matrix(fit),
    y = unname(fit$y),
    weight = unname(fit$prior.weights),
    offset = if (any(fit$offset != 0)) as.double(fit$offset),
    arm = fit$arm,
    device = fit$device,
    link = fit$link,
    unknown = fit$unknown
  )
}

fitted_rows <- function(fit) {
  regress_rows(
    fit$linear.predictors, unname(fit$y), fit$arm, fit$device, fit$link
  )
}

# Scores of the rows, with weights, in the columns of the estimated coefficients (and the unknown
# number).
row_scores <- function(fit) {
  scores <- unname(fit$prior.weights) * answer_scores(fit, unname(fit$y), fit$arm)
  rownames(scores) <- names(fit$linear.predictors)
  scores
}

# Rows of the respondents who reported no, then of those who reported yes.
counted_scores.rr_glm <- function(fit) {
  n <- length(fit$y)
  yes <- unname(fit$prior.weights * fit$y)
  no <- unname(fit$prior.weights) - yes
  rbind(
    sqrt(no) * answer_scores(fit, rep(0, n), fit$arm),
    sqrt(yes) * answer_scores(fit, rep(1, n), fit$arm)
  )
}

reported_totals.rr_glm <- function(fit) {
  colSums(fit$prior.weights * cbind(1 - fit$y, fit$y))
}

# The scores of each row if its report were `y` under the mechanism `arm`.
answer_scores <- function(fit, y, arm) {
  rows <- regress_rows(fit$linear.predictors, y, arm, fit$device, fit$link)
  score <- ifelse(is.finite(fit$linear.predictors), rows$score, 0)
  scores <- model.matrix(fit)[, which(is.finite(fit$coefficients)), drop = FALSE] * score
  if (!known_error(fit)) return(scores)
  index <- row_arms(arm, length(score))
  other <- other_answer(fit$unknown, as.vector(fit$parameter))[index]
  tilt <- rows$truth * fit$unknown[2, index] +
    rows$truth_no * fit$unknown[4, index]
  yes <- ifelse(y > 0, y / rows$report, 0) * tilt
  no <- ifelse(y < 1, (1 - y) / rows$report_no, 0) *
    (fit$unknown[6, index] - tilt)
  cbind(scores, `(parameter)` = (yes + no) / other)
}

# The possible reports of the rows. An anchor question makes a report of two answers, and each
# mechanism has two columns of the device.
possible_reports.rr_glm <- function(fit) {
  n <- length(fit$y)
  n_answers <- if (is.null(fit$anchor)) 1L else 2L
  arm <- row_arms(fit$arm, n) - 1L
  first <- arm - arm %% n_answers
  reports <- expand.grid(yes = 0:1, anchor = seq_len(n_answers) - 1L)
  scores <- Map(
    function(yes, anchor) {
      answer_scores(
        fit, rep(as.double(yes), n),
        if (!is.null(fit$arm)) first + anchor
      )
    },
    reports$yes, reports$anchor
  )
  w <- design_weights(fit$design)[fitted_in(fit, fit$design)] * fit$weight.scale
  answers <- ifelse(w > 0, fit$prior.weights / w, 0) *
    cbind(1 - fit$y, fit$y)
  counts <- t(
    answers[, reports$yes + 1L] * outer(arm - first, reports$anchor, `==`)
  )
  lapply(unname(split(seq_len(n), first)), function(rows) {
    scored_reports(
      scores, counts,
      device_channel(
        fit, first[rows[1]] + reports$anchor + 1L, reports$yes == 1
      ),
      rows
    )
  })
}

# The probabilities of a "yes" or no by columns of the device, given the truths. At the end of an
# unknown number both truths may answer alike.
device_channel <- function(fit, columns, yes) {
  device <- fit$device[, columns, drop = FALSE]
  other <- if (!is.null(fit$unknown)) {
    other_answer(fit$unknown, as.vector(fit$parameter))[columns]
  }
  channel <- rbind(
    ifelse(yes, device[2, ], device[4, ]),
    ifelse(yes, device[1, ], device[3, ])
  )
  unique(channel * rep(other %||% 1, each = 2L))
}

# The rows and columns of a variance that are estimated: finite coefficients and the unknown number.
estimated_places <- function(fit) {
  c(
    which(is.finite(fit$coefficients)),
    if (known_error(fit)) length(fit$coefficients) + 1L
  )
}

# An unknown number at the end of its range, or beside coefficients at infinity, has no standard
# error.
known_error <- function(fit) isTRUE(is.finite(attr(fit$parameter, "std.error")))

#' @rdname glm_methods
#' @export
vcov.rr_glm <- function(
  object, type = NULL, cluster = NULL, parameter = FALSE, complete = TRUE, ...
) {
  V <- typed_variance(object, variance_type(object, type, cluster), cluster)
  k <- length(object$coefficients)
  names <- c(names(object$coefficients), names(object$parameter))
  dimnames(V) <- list(names, names)
  used <- c(
    complete | !is.na(object$coefficients), rep(parameter, nrow(V) - k)
  )
  V[used, used, drop = FALSE]
}

variance_parts.rr_glm <- function(fit) {
  list(
    observed = fit$variance$observed,
    expected = function() fit$variance$expected,
    bread = bread_of(fit),
    scores = function() row_scores(fit)
  )
}

bread_of <- function(fit) fit$variance[[bread_type(fit)]]

# ---- tables ----

# Estimates with standard errors and tests, the unknown number of the design last.
estimate_table <- function(fit, type, cluster) {
  table <- coefficient_table(
    c(fit$coefficients, fit$parameter), vcov(fit, type, cluster, parameter = TRUE),
    df = coefficient_freedom(fit, type)
  )
  table[-seq_along(fit$coefficients), c("statistic", "p.value")] <- NA
  table
}

#' @rdname glm_methods
#' @export
tidy.rr_glm <- function(
  x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, conf.method = c("profile", "wald"),
  type = NULL, cluster = NULL, ...
) {
  variance_kind <- variance_type(x, type, cluster)
  table <- estimate_table(x, variance_kind, cluster)
  limits <- function() {
    limits <- confint(x, NULL, conf.level, conf.method, type, cluster)
    if (is.null(x$parameter)) return(limits)
    # The parameter has limits on the logit scale, so that they stay between 0 and 1.
    psi <- as.vector(x$parameter)
    half <- coefficient_quantile(x, conf.level, variance_kind) * tail(table$std.error, 1) /
      (psi * (1 - psi))
    rbind(limits, plogis(qlogis(psi) + c(-half, half)))
  }
  finished_table(table, conf.int, limits(), exponentiate, seq_along(x$coefficients))
}

#' @rdname glm_methods
#' @export
glance.rr_glm <- function(x, ...) {
  likelihood <- function(f) if (is.null(x$design)) as.numeric(f(x)) else NA_real_
  tibble(
    null.deviance = x$null.deviance,
    df.null = x$df.null,
    logLik = likelihood(logLik),
    AIC = AIC(x),
    BIC = likelihood(BIC),
    deviance = x$deviance,
    df.residual = x$df.residual,
    nobs = nobs(x),
    epsilon = max(vapply(fit_mechanisms(x), `[[`, 0, "epsilon")),
    link = x$link,
    penalty = x$penalty,
    decrement = x$decrement,
    boundary = length(x$boundary$rows)
  )
}

#' @rdname glm_methods
#' @export
augment.rr_glm <- function(x, data = NULL, ...) {
  check_dots_empty(...)
  if (!is.null(data) && !all(row.names(x$model) %in% row.names(data))) {
    abort("{.arg data} must have the rows of the fit; {.fn predict} takes new rows.")
  }
  table <- data[row.names(x$model), , drop = FALSE] %||%
    x$model[setdiff(names(x$model), c("(weights)", "(offset)", "(arm)"))]
  # A column that was I(...) in the formula is a plain one here.
  table[] <- lapply(table, function(column) {
    if (inherits(column, "AsIs")) unclass(column) else column
  })
  rows <- fitted_rows(x)
  add_column(
    as_tibble(table), .truth = rows$truth, .report = rows$report,
    .posterior = row_posterior(x, rows, unname(x$y)),
    .hat = unname(hatvalues(x)),
    .resid = unname(residuals(replace(x, "na.action", list(NULL)), "deviance"))
  )
}

# ---- printing ----

#' @rdname glm_methods
#' @export
summary.rr_glm <- function(object, type = NULL, cluster = NULL, ...) {
  type <- variance_type(object, type, cluster)
  rows <- estimate_table(object, type, cluster)[which(!is.na(object$coefficients)), ]
  df <- coefficient_freedom(object, type)
  V <- vcov(object, type, cluster, complete = FALSE)
  same <- c(
    "call", "terms", "family", "deviance", "aic", "contrasts", "df.residual", "null.deviance",
    "df.null", "iter", "na.action"
  )
  structure(
    c(
      unclass(object)[intersect(same, names(object))],
      list(
        deviance.resid = residuals(object, "deviance"),
        coefficients = summary_matrix(rows, df),
        aliased = is.na(object$coefficients),
        dispersion = 1,
        cov.unscaled = V,
        cov.scaled = V,
        type = type,
        df = c(object$rank, object$df.residual, length(object$coefficients)),
        freedom = df,
        fit = object
      )
    ),
    class = c("summary.rr_glm", "summary.glm")
  )
}

# P(true yes | report); of a share of yes among several answers its mean.
row_posterior <- function(fit, rows, y, arm = fit$arm) {
  index <- row_arms(arm, length(y))
  after_yes <- fit$device[1, index] * rows$truth / rows$report
  after_no <- fit$device[3, index] * rows$truth / rows$report_no
  ifelse(y > 0, y * after_yes, 0) +
    ifelse(y < 1, (1 - y) * after_no, 0)
}

# ---- a channel that a study measured: see regress-study.R ----

# The share of yes stands for both reports: C[x, no] is 1 less it, and its column is 0.
channel_slopes.rr_glm <- function(fit) {
  arms <- row_arms(fit$arm, length(fit$y))
  x <- model.matrix(fit)[, which(is.finite(fit$coefficients)), drop = FALSE]
  slopes <- share_slopes(fit)
  measured <- Filter(
    function(arm) is_validated(fit_mechanisms(fit)[[arm]]), unique(arms)
  )
  lapply(measured, function(arm) {
    G <- crossprod(x * slopes$weight, (arms == arm) * slopes$score)
    list(
      mechanism = fit_mechanisms(fit)[[arm]],
      slopes = list(
        cbind(0, G[, 1]),
        cbind(0, G[, 2])
      )
    )
  })
}

# Derivatives of the score of each row in the shares of yes that a no and a yes report.
share_slopes <- function(fit) {
  rows <- fitted_rows(fit)
  y <- unname(fit$y)
  d <- row_device(fit$device, fit$arm, length(y))$d
  count_ratio <- function(count, share, power) ifelse(count > 0, count / share^power, 0)
  first <- count_ratio(y, rows$report, 1) -
    count_ratio(1 - y, rows$report_no, 1)
  second <- -count_ratio(y, rows$report, 2) -
    count_ratio(1 - y, rows$report_no, 2)
  list(
    weight = ifelse(
      is.finite(fit$linear.predictors), unname(fit$prior.weights) * rows$slope, 0
    ),
    score = cbind(
      second * rows$truth_no * d - first, second * rows$truth * d + first, deparse.level = 0
    )
  )
}
