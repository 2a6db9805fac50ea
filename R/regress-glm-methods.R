#' Reading a regression of the truth
#'
#' Methods for fits of [rr_glm()]. Other functions (`anova`-like tables of other packages, `cooks.distance()`, `model.matrix()`, `update()`,
#' `step()`, ...) work as for any `glm`.
#'
#' Packages that ask 'insight' (`parameters::parameters(fit, exponentiate = TRUE)`, `modelsummary::modelsummary()`) are told the link of the truth: exponentiated coefficients are
#' odds ratios of the logit link and risk ratios of the log link. Likelihoods, AIC and BIC there (`insight::get_loglikelihood()`, `performance::compare_performance()`,
#' `performance::test_likelihoodratio()`) are those of the reports, as `logLik()` has them, and for a survey design the AIC alone, corrected for the design. Measures that put the fitted truths beside
#' the reports, as if a report were the truth, are left out of their tables and refused: mean squared and absolute error, log loss, Tjur's coefficient. Do not use
#' `performance_score()`, `performance_accuracy()` and `performance_roc()` of 'performance': they do so too, and ask no fit.
#'
#' @param object,x A fit of [rr_glm()].
#' @param type For `vcov()`, `summary()`, `tidy()` and `confint()`, whose intervals are then Wald's: `"observed"` information (the default without a survey design), `"expected"` information, `"sandwich"` (robust, and by
#'   cluster), or `"survey"` (linearised, the default with a design). For `fitted()`: `"truth"` or `"report"`. For `residuals()`: those of
#'   `glm`, about the reports, and `"truth"`, the posterior probability of a true yes less the fitted one. For `influence()`: `"deletion"`, one row per
#'   respondent with what leaving them out would change, or `"linearised"`, whose weighted total has the variance of the estimates
#'   (give it to `survey::svytotal()`).
#' @param cluster A vector with one entry per fitted row, or a one-sided formula of a column of the data: answers of one cluster may depend on each other. The variance is
#'   that of the sums of scores by cluster, times C / (C - 1) for C clusters, as by `sandwich::vcovCL()` and `survey::svyglm()`.
#' @param parameter Include the unknown parameter of the design, as the last row and column?
#' @param complete Include aliased coefficients, as `NA`?
#' @param parm Which coefficients, by name or position.
#' @param level Confidence level.
#' @param method `"profile"`: the values that the likelihood does not reject, maximized over the other coefficients (see Profile intervals).
#'   `"wald"`: the estimate plus or minus a multiple of the standard error. The default is `"profile"`, and `"wald"` where there is no likelihood: for
#'   survey designs and penalised fits, and where `type` or `cluster` says which standard errors to take.
#' @param nsim Number of simulated surveys.
#' @param seed A whole number for [set.seed()]; R's generator is restored afterwards. Or `NULL`, to continue from the generator's present state.
#' @param test `"LRT"` (the same as `"Chisq"`) or `"none"`.
#' @param conf.int,conf.level Add intervals, of which level?
#' @param exponentiate Give odds ratios, with their intervals, in place of coefficients?
#' @param se_fit Add the column `.se.fit`, the standard error of `.truth`?
#' @param data,newdata New rows; by default those that were fitted.
#' @param digits Significant digits.
#' @param ... Further fits for `anova()`; otherwise ignored.
#' @return `vcov()`, `confint()` matrices; `fitted()`, `residuals()` vectors; `simulate()` a data frame of reports, one column per survey;
#'   `anova()` a table; `tidy()`, `glance()`, `augment()` tibbles: `augment()` adds `.truth`, `.report`, `.posterior` (probability of a true yes given the
#'   report), `.hat`, `.resid` (deviance).
#' @section Profile intervals:
#' A value of a coefficient is in the interval if twice the fall of the log-likelihood from the estimate to its maximum over the other coefficients is within
#' the quantile of chi-squared with one degree of freedom. That maximum is sought from all starting points of the fit. A randomized report never rules out a truth, so the log-likelihood
#' has finite limits and does not always fall far enough: an end is then `-Inf` or `Inf`. For the same reason the likelihood of small surveys may rise again beyond an end: the interval reaches from
#' the first to the last value that is within. Where the estimate is at infinity, or another maximum is nearly as high, the chi-squared distribution does not hold: intervals with a level of 0.95 held in 0.65 to 0.79
#' of simulated surveys with 200 respondents and rare truths.
#' @section Survey designs:
#' A fit with `design` has a pseudo-likelihood. Its p values and Wald intervals of coefficients are of the t distribution with `survey::degf()` less the
#' number of coefficients plus 1 degrees of freedom, as `survey::svyglm()` counts them and `df.residual()` gives them; they are `NA` if none are left. `anova()`, `drop1()`, `add1()`,
#' `deviance()`, and with them `step()`, `MASS::dropterm()` and `MASS::stepAIC()`, are refused: likelihood ratios are not chi-squared there. Wald's F tests by the design take their place:
#' `car::Anova(fit)` of all terms, `survey::regTermTest(fit, ~ x)` of one, `car::linearHypothesis()`, `lmtest::waldtest()`.
#'
#' `AIC()` is the dAIC of Lumley and Scott: \eqn{-2 \ell + 2 \mathrm{tr}(\Delta)}{-2 l + 2 tr(Delta)}, with the pseudo-log-likelihood \eqn{\ell}{l} of weights with mean 1, and
#' \eqn{\Delta}{Delta} the information of the pseudo-likelihood times the design's variance of the coefficients. In a simple random sample the trace is the number of coefficients; with
#' clusters it is larger. Of several fits it gives a table with the column `eff.p`, the trace. (`survey::AIC()` of a `svyglm` leaves out the intercept, unless
#' `null_has_intercept = FALSE`.) `logLik()` and `BIC()` are refused; `glance()` has `NA` there.
#' @section Errors:
#' `candor_error_argument` for likelihoods, likelihood ratios and profiles of a survey design, unknown types, clusters of the wrong length, and coefficients that do not exist.
#' @source Royall, R. M. (1986). Model robust confidence intervals using maximum likelihood estimators. *International Statistical Review* 54(2),
#'   221-226, for the sandwich; Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex surveys.
#'   *International Statistical Review* 51(3), 279-292, for survey designs; Lumley, T. and Scott, A. (2015). AIC and BIC for modeling with complex survey
#'   data. *Journal of Survey Statistics and Methodology* 3(1), 1-18. \doi{10.1093/jssam/smu021}.
#' @name rr_glm_methods
#' @examples
#' design <- rr_forced(c(no = 1 / 6, yes = 1 / 6))
#' survey <- data.frame(age = rep(20:69, 8),
#'                      report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
#' fit <- rr_glm(report ~ age, survey, design)
#' confint(fit)
#' sqrt(diag(vcov(fit, type = "sandwich", cluster = rep(1:80, each = 5))))
#' anova(fit)
#' tidy(fit, conf.int = TRUE)
#' head(augment(fit))
NULL

#' @rdname rr_glm_methods
#' @export
logLik.rr_glm <- function(object, ...) {
  if (!is.null(object$design)) refuse_pseudo("log-likelihood")
  structure(object$loglik + object$constant, df = as.double(object$rank + length(object$parameter)),
            nobs = sum(object$prior.weights > 0),
            class = "logLik")
}

# survey::regTermTest(method = "LRT") takes the likelihood ratio of two deviances for chi-squared.
#' @export
deviance.rr_glm <- function(object, ...) {
  if (!is.null(object$design)) refuse_pseudo("deviance")
  object$deviance
}

#' @rdname rr_glm_methods
#' @export
nobs.rr_glm <- function(object, ...) {
  sum(object$prior.weights > 0)
}

#' @rdname rr_glm_methods
#' @export
fitted.rr_glm <- function(object, type = c("truth", "report"), ...) {
  type <- check_choice(type, "type", c("truth", "report"))
  values <- if (type == "report") object$fitted.values else
    stats::setNames(truth_curve(object$link)$yes(object$linear.predictors), names(object$linear.predictors))
  stats::napredict(object$na.action, values)
}

#' @rdname rr_glm_methods
#' @export
residuals.rr_glm <- function(object, type = c("deviance", "pearson", "working", "response", "partial", "truth"), ...) {
  type <- check_choice(type, "type", c("deviance", "pearson", "working", "response", "partial", "truth"))
  if (type != "truth") {
    class(object) <- c("glm", "lm")
    if (type == "partial") object$residuals <- ifelse(is.finite(object$residuals), object$residuals, 0)
    return(stats::residuals(object, type))
  }
  rows <- fitted_rows(object)
  stats::naresid(object$na.action, stats::setNames(row_posterior(object, rows, object$y) - rows$truth, names(object$y)))
}

# P(true yes | report); of a share of yes among several answers its mean.
row_posterior <- function(fit, rows, y, arm = fit$arm) {
  index <- if (is.null(arm)) rep(1L, length(y)) else arm + 1L
  after_yes <- fit$device[1, index] * rows$truth / rows$report
  after_no <- fit$device[3, index] * rows$truth / rows$report_no
  ifelse(y > 0, y * after_yes, 0) + ifelse(y < 1, (1 - y) * after_no, 0)
}

#' @rdname rr_glm_methods
#' @export
hatvalues.rr_glm <- function(model, type = c("expected", "observed"), ...) {
  type <- check_choice(type, "type", c("expected", "observed"))
  data <- fitted_data(model)
  rows <- fitted_rows(model)
  places <- which(is.finite(model$coefficients))
  V <- model$variance[[type]][places, places, drop = FALSE]
  w <- data$weight * rows[[type]]
  w[!is.finite(model$linear.predictors)] <- 0
  x <- data$x[, places, drop = FALSE]
  stats::setNames(w * rowSums((x %*% V) * x), names(model$y))
}

#' @param model A fit of [rr_glm()].
#' @rdname rr_glm_methods
#' @export
influence.rr_glm <- function(model, type = c("glm", "deletion", "linearised"), ...) {
  type <- check_choice(type, "type", c("glm", "deletion", "linearised"))
  if (type == "glm") {
    class(model) <- c("glm", "lm")
    # Coefficients at infinity have no columns in `qr`.
    model$rank <- model$qr$rank
    is.na(model$coefficients) <- !is.finite(model$coefficients)
    return(stats::influence(model, ...))
  }
  places <- estimated_places(model)
  V <- bread_of(model)[places, places, drop = FALSE]
  change <- row_scores(model) %*% V
  if (type == "linearised") return(change / ifelse(model$prior.weights > 0, model$prior.weights / model$weight.scale,
                                                   1))
  change / (1 - stats::hatvalues(model, "observed"))
}

#' @rdname rr_glm_methods
#' @export
simulate.rr_glm <- function(object, nsim = 1, seed = NULL, ...) {
  nsim <- check_count(nsim, "nsim", min = 1)
  seed <- keep_seed(seed)
  n <- length(object$y)
  truth <- truth_curve(object$link)$yes(object$linear.predictors)
  row <- row_device(object$device, object$arm, n)
  answers <- if (any(object$y > 0 & object$y < 1)) round(object$prior.weights) else rep(1, n)
  response <- stats::model.response(object$model, "any")
  draw <- function(k) {
    yes <- stats::rbinom(n, answers, truth)
    reports <- stats::rbinom(n, yes, row$p) + stats::rbinom(n, answers - yes, row$q)
    # In the form in which the reports came, so that they can be fitted again.
    if (is.matrix(response)) return(cbind(reports, answers - reports, deparse.level = 0))
    if (is.factor(response)) return(factor(object$labels[reports + 1], levels(response)))
    if (is.character(response)) return(object$labels[reports + 1])
    if (is.logical(response)) return(reports == 1)
    ifelse(answers > 0, reports / answers, 0)
  }
  table <- lapply(seq_len(nsim), draw)
  names(table) <- paste0("sim_", seq_len(nsim))
  result <- as.data.frame(do.call(cbind, lapply(table, I)), row.names = names(object$y))
  result[] <- table
  structure(result, seed = seed)
}

#' @export
family.rr_glm <- function(object, ...) {
  object$family
}

#' @export
model.matrix.rr_glm <- function(object, ...) {
  stats::model.matrix(object$terms, object$model, contrasts.arg = object$contrasts)
}

#' @exportS3Method emmeans::recover_data
recover_data.rr_glm <- function(object, data = NULL, ...) {
  if (is.null(data) && is.data.frame(object$data)) data <- object$data
  emmeans::recover_data(object$call, stats::delete.response(object$terms), object$na.action, data = data, ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.rr_glm <- function(object, trms, xlev, grid, vcov. = NULL, ...) {
  frame <- stats::model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  X <- stats::model.matrix(trms, frame, contrasts.arg = object$contrasts)
  bhat <- object$coefficients
  V <- if (is.function(vcov.)) vcov.(object) else if (is.matrix(vcov.)) vcov. else stats::vcov(object)
  kept <- !is.na(bhat)
  nbasis <- matrix(NA)
  if (any(!kept)) {
    parts <- qr(crossprod(stats::model.matrix(object)), tol = 1e-9)
    nbasis <- qr.Q(parts, complete = TRUE)[, -seq_len(parts$rank), drop = FALSE]
  }
  # The link is the truth's: type = "response" is then the share of true yes.
  misc <- list(tran = object$link, inv.lbl = "prob", sigma = NULL)
  if (object$link == "identity") misc$tran <- NULL
  df <- if (is.null(vcov.)) coefficient_freedom(object) else Inf
  list(X = X, bhat = bhat, nbasis = nbasis, V = V[kept, kept, drop = FALSE], dffun = function(k, dfargs) dfargs$df,
       dfargs = list(df = df), misc = misc)
}
