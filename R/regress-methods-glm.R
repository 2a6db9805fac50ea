#' Reading a regression of the truth
#'
#' Methods for fits of [rr_glm()]. Other functions (`anova`-like tables of other packages, `cooks.distance()`, `model.matrix()`, `update()`,
#' `step()`, ...) work as for any `glm`.
#'
#' Packages that ask 'insight' (`parameters::parameters(fit, exponentiate = TRUE)`, `modelsummary::modelsummary()`) are told the link of the truth: exponentiated coefficients are
#' odds ratios of the logit link and risk ratios of the log link. Likelihoods, AIC and BIC there (`insight::get_loglikelihood()`, `performance::compare_performance()`,
#' `performance::test_likelihoodratio()`) are those of the reports, as `logLik()` has them, and for a survey design the AIC alone, corrected for the design. Measures that put the fitted truths beside
#' the reports, as if a report were the truth, are left out of its tables. `performance_hosmer()`, `performance_mse()`, `performance_logloss()` and `binned_residuals()` are about the reports, since `fitted()` and
#' `residuals()` are; for Hosmer's test see [rr_goodness_of_fit()]. `r2_tjur()` and `r2_efron()` are refused. Do not ask for `performance_score()`, which takes `predict(type = "response")`, the truths. `effects::Effect()` uses
#' the link of the truth: its effects are about the truth.
#' `family()` is that of the truth.
#'
#' @param object,x A fit of [rr_glm()].
#' @param type For `vcov()`, `summary()`, `tidy()` and `confint()`, whose intervals are then Wald's; `NULL` is the default of the fit: `"observed"` information (the default without a survey design), `"expected"` information, `"sandwich"` (robust, and by
#'   cluster), or `"survey"` (of the design, the default with one). For `fitted()`: the probability of the `"report"` or of the `"truth"`. For `residuals()`: those of
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
#'   survey designs and penalised fits, for a channel that a validation study estimated ([rr_misclassification()]), and where `type` or `cluster` says which standard errors to take.
#' @param nsim Number of simulated surveys.
#' @param seed A whole number for [set.seed()]; R's generator is restored afterwards. Or `NULL`, to continue from the generator's present state.
#' @param test `"LRT"` (the same as `"Chisq"`) or `"none"`.
#' @param conf.int,conf.level Add intervals, of which level?
#' @param exponentiate Give odds ratios, with their intervals, in place of coefficients?
#' @param se_fit Add the column `.se.fit`, the standard error of `.truth`?
#' @param data,newdata New rows; by default those that were fitted.
#' @param digits Significant digits.
#' @param ... Further fits for `anova()`; otherwise ignored.
#' @return `vcov()`, `confint()` matrices (of a channel that a validation study estimated, with the error of the study; `anova()` of one fit has Wald's tests there, and `drop1()` and `add1()` are refused); `fitted()`, `residuals()` vectors; `simulate()` a data frame of reports, one column per survey;
#'   `anova()` a table; `tidy()`, `glance()`, `augment()` tibbles: `augment()` adds `.truth`, `.report`, `.posterior` (probability of a true yes given the
#'   report), `.hat`, `.resid` (deviance).
#' @section Profile intervals:
#' A value of a coefficient is in the interval if twice the fall of the log-likelihood from the estimate to its maximum over the other coefficients is within
#' the quantile of chi-squared with one degree of freedom. That maximum is sought from all starting points of the fit. A randomized report never rules out a truth, so the log-likelihood
#' has finite limits and does not always fall far enough: an end is then `-Inf` or `Inf`. For the same reason the likelihood of small surveys may rise again beyond an end: the interval reaches from
#' the first to the last value that is within. Where the estimate is at infinity, or another maximum is nearly as high, the chi-squared distribution does not hold: intervals with a level of 0.95 held in 0.65 to 0.79
#' of simulated surveys with 200 respondents and rare truths.
#' @section Survey designs:
#' The variance of the coefficients is that of the linearised scores, or, with replicate weights, `survey::svrVar()` of the estimates of the replicates. A coefficient that is not finite in some
#' replicate has no standard error, and a warning says so. A fit with `design` has a pseudo-likelihood. Its p values and Wald intervals of coefficients are of the t distribution with `survey::degf()` less the
#' number of coefficients plus 1 degrees of freedom, as `survey::svyglm()` counts them and `df.residual()` gives them; they are `NA` if none are left. `anova()`, `drop1()`, `add1()`,
#' and with them `step()`, `MASS::dropterm()` and `MASS::stepAIC()`, are refused, and `deviance()` is `NA`: likelihood ratios are not chi-squared there. Wald's F tests by the design take their place:
#' `car::Anova(fit)` of all terms, `survey::regTermTest(fit, ~ x)` of one, `car::linearHypothesis()`, `lmtest::waldtest()`.
#'
#' `AIC()` is the dAIC of Lumley and Scott: \eqn{-2 \ell + 2 \mathrm{tr}(\Delta)}{-2 l + 2 tr(Delta)}, with the pseudo-log-likelihood \eqn{\ell}{l} of weights with mean 1, and
#' \eqn{\Delta}{Delta} the information of the pseudo-likelihood times the design's variance of the coefficients. In a simple random sample the trace is the number of coefficients; with
#' clusters it is larger. Of several fits it gives a table with the column `eff.p`, the trace. (`survey::AIC()` of a `svyglm` leaves out the intercept, unless
#' `null_has_intercept = FALSE`.) `logLik()` and `BIC()` are refused; `glance()` has `NA` there.
#' @section Errors:
#' `candor_error_argument` for likelihoods, likelihood ratios and profiles of a survey design, unknown types, clusters of the wrong length, and coefficients that do not exist.
#' @references Royall, R. M. (1986). Model robust confidence intervals using maximum likelihood estimators. *International Statistical Review* 54(2),
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

# ---- likelihood ----

#' @rdname rr_glm_methods
#' @export
logLik.rr_glm <- function(object, ...) {
  refuse_pseudo(list(object))
  structure(object$loglik + object$constant, df = as.double(object$rank + length(object$parameter)),
            nobs = sum(object$prior.weights > 0), class = "logLik")
}

# What a parameter costs under a design is not 1 but its design effect: the trace of the information of the
# pseudo-likelihood times the design's variance (Lumley and Scott, 2015).
design_aic <- function(fit, k = 2) {
  places <- estimated_places(fit)
  spread <- stats::vcov(fit, parameter = TRUE)[places, places, drop = FALSE]
  parameters <- sum(solve(bread_of(fit)[places, places, drop = FALSE]) * spread)
  c(eff.p = parameters, AIC = -2 * (fit$loglik + fit$constant) + k * parameters)
}

#' @rdname rr_glm_methods
#' @importFrom stats AIC BIC extractAIC
#' @export
AIC.rr_glm <- function(object, ..., k = 2) {
  fits <- list(object, ...)
  if (!any(has_design(fits))) return(NextMethod())
  if (!all(has_design(fits))) refuse_pseudo(fits)
  table <- vapply(fits, design_aic, c(eff.p = 0, AIC = 0), k = k)
  if (length(fits) == 1L) return(table[["AIC", 1]])
  data.frame(t(table), row.names = make.unique(vapply(as.list(match.call())[-1][seq_along(fits)], deparse1, "")))
}

#' @rdname rr_glm_methods
#' @param fit,scale,k As in [stats::extractAIC()]; `k` is the price of a parameter.
#' @export
extractAIC.rr_glm <- function(fit, scale = 0, k = 2, ...) {
  if (!is.null(fit$design)) return(unname(design_aic(fit, k)))
  NextMethod()
}

# ---- variance ----

# The design's columns and the rows that were fitted, as the methods below need them.
fitted_data <- function(fit) {
  list(x = stats::model.matrix(fit), y = unname(fit$y), weight = unname(fit$prior.weights),
       offset = if (any(fit$offset != 0)) as.double(fit$offset), arm = fit$arm, device = fit$device, link = fit$link,
       unknown = fit$unknown)
}

fitted_rows <- function(fit) {
  regress_rows(fit$linear.predictors, unname(fit$y), fit$arm, fit$device, fit$link)
}

# Scores of the rows, with weights, in the columns of the estimated coefficients (and the unknown number).
row_scores <- function(fit) {
  data <- fitted_data(fit)
  rows <- fitted_rows(fit)
  score <- ifelse(is.finite(fit$linear.predictors), data$weight * rows$score, 0)
  scores <- data$x[, which(is.finite(fit$coefficients)), drop = FALSE] * score
  if (known_error(fit)) {
    index <- row_arms(fit$arm, length(score))
    other <- other_answer(fit$unknown, as.vector(fit$parameter))[index]
    tilt <- rows$truth * fit$unknown[2, index] + rows$truth_no * fit$unknown[4, index]
    yes <- ifelse(data$y > 0, data$y / rows$report, 0) * tilt
    no <- ifelse(data$y < 1, (1 - data$y) / rows$report_no, 0) * (fit$unknown[6, index] - tilt)
    scores <- cbind(scores, `(parameter)` = data$weight * (yes + no) / other)
  }
  rownames(scores) <- names(fit$linear.predictors)
  scores
}

# The rows and columns of a variance that are estimated: finite coefficients and the unknown number.
estimated_places <- function(fit) {
  c(which(is.finite(fit$coefficients)), if (known_error(fit)) length(fit$coefficients) + 1L)
}

# An unknown number at the end of its range, or beside coefficients at infinity, has no standard error.
known_error <- function(fit) isTRUE(is.finite(attr(fit$parameter, "std.error")))

#' @rdname rr_glm_methods
#' @export
vcov.rr_glm <- function(object, type = NULL, cluster = NULL, parameter = FALSE, complete = TRUE, ...) {
  V <- switch(variance_type(object, type, cluster), observed = object$variance$observed,
              expected = object$variance$expected,
              sandwich = spread_variance(object, crossprod(cluster_sums(row_scores(object), cluster, object))),
              survey = object$replicated %||% spread_variance(object, survey_meat(object, row_scores(object))))
  if (has_study(object)) V <- V + spread_variance(object, study_meat(object))
  k <- length(object$coefficients)
  names <- c(names(object$coefficients), names(object$parameter))
  dimnames(V) <- list(names, names)
  kept <- c(complete | !is.na(object$coefficients), rep(parameter, nrow(V) - k))
  V[kept, kept, drop = FALSE]
}

# The standard errors that are asked for, or those of the fit.
variance_type <- function(fit, type, cluster) {
  choices <- if (!is.null(cluster)) "sandwich"
    else c(if (!is.null(fit$design)) "survey", bread_type(fit), "observed", "expected", "sandwich")
  check_choice(type %||% choices[1], "type", unique(choices))
}

bread_type <- function(fit) if (fit$penalty %in% c("bias", "jeffreys")) "expected" else "observed"

bread_of <- function(fit) fit$variance[[bread_type(fit)]]

# bread meat bread, in the places that are estimated.
spread_variance <- function(fit, meat) {
  places <- estimated_places(fit)
  V <- bread_of(fit)
  bread <- V[places, places, drop = FALSE]
  V[] <- NA_real_
  V[places, places] <- bread %*% meat %*% bread
  V
}

# ---- channels that a validation study estimated: two steps (Murphy and Topel, 1985) ----

fit_mechanisms <- function(fit) {
  if (inherits(fit$mechanism, "rr_mechanism")) list(fit$mechanism) else unname(as.list(fit$mechanism))
}

has_study <- function(fits) {
  if (inherits(fits, "rr_glm")) fits <- list(fits)
  any(vapply(fits, function(fit) any(vapply(fit_mechanisms(fit), is_validated, NA)), NA))
}

# The sum of G S G' over the rows of the studies, S being the variance of the share of yes and G the derivative of the
# scores in it. Arms with the same table share its error.
study_meat <- function(fit) {
  rows <- fitted_rows(fit)
  mechanisms <- fit_mechanisms(fit)
  y <- unname(fit$y)
  arms <- row_arms(fit$arm, length(y))
  d <- row_device(fit$device, fit$arm, length(y))$d
  part <- function(count, share, power) ifelse(count > 0, count / share^power, 0)
  first <- part(y, rows$report, 1) - part(1 - y, rows$report_no, 1)
  second <- -part(y, rows$report, 2) - part(1 - y, rows$report_no, 2)
  weight <- ifelse(is.finite(fit$linear.predictors), unname(fit$prior.weights) * rows$slope, 0)
  x <- stats::model.matrix(fit)[, which(is.finite(fit$coefficients)), drop = FALSE] * weight
  meat <- 0
  open <- which(vapply(mechanisms, is_validated, NA))
  while (length(open)) {
    mechanism <- mechanisms[[open[1]]]
    same <- open[vapply(mechanisms[open], same_mechanism, NA, mechanism)]
    own <- arms %in% same
    yes <- mechanism$matrix[, 2]
    S <- yes * (1 - yes) / rowSums(mechanism$validation)
    G <- cbind(crossprod(x, own * (second * rows$truth_no * d - first)),
               crossprod(x, own * (second * rows$truth * d + first)))
    meat <- meat + G %*% (S * t(G))
    open <- setdiff(open, same)
  }
  meat
}

# Likelihoods take the channel for known.
refuse_study <- function(fits) {
  if (!has_study(fits)) return(invisible())
  abort(c("A likelihood ratio takes the channel for known, and a validation study estimated it.",
          i = "Wald tests: {.fn summary}, {.code anova(fit)}, {.code car::Anova(fit, test.statistic = \"Wald\")}."),
        "argument")
}

# ---- tables ----

# Estimates with standard errors and tests, the unknown number of the design last.
estimate_table <- function(fit, type, cluster) {
  estimate <- c(fit$coefficients, fit$parameter)
  error <- unname(sqrt(diag(stats::vcov(fit, type, cluster, parameter = TRUE))))
  z <- unname(estimate) / error
  z[!is.finite(estimate) | seq_along(z) > length(fit$coefficients)] <- NA
  tibble::tibble(term = names(estimate), estimate = unname(as.vector(estimate)), std.error = error, statistic = z,
                 p.value = 2 * stats::pt(-abs(z), coefficient_freedom(fit, type)))
}

#' @rdname rr_glm_methods
#' @export
tidy.rr_glm <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, method = c("profile", "wald"),
                        type = NULL, cluster = NULL, ...) {
  known <- variance_type(x, type, cluster)
  table <- estimate_table(x, known, cluster)
  if (check_flag(conf.int, "conf.int")) {
    ends <- stats::confint(x, NULL, conf.level, method, type, cluster)
    if (!is.null(x$parameter)) {
      # Through the logit, so that it stays between 0 and 1.
      psi <- as.vector(x$parameter)
      half <- coefficient_quantile(x, conf.level, known) * utils::tail(table$std.error, 1) / (psi * (1 - psi))
      ends <- rbind(ends, stats::plogis(stats::qlogis(psi) + c(-half, half)))
    }
    table$conf.low <- unname(ends[, 1])
    table$conf.high <- unname(ends[, 2])
  }
  if (check_flag(exponentiate, "exponentiate")) exponentiated(table, seq_along(x$coefficients)) else table
}

#' @rdname rr_glm_methods
#' @export
glance.rr_glm <- function(x, ...) {
  likelihood <- function(f) if (is.null(x$design)) as.numeric(f(x)) else NA_real_
  privacy <- function(m) if (inherits(m, "rr_mechanism")) rr_epsilon(m) else NA_real_
  mechanisms <- if (inherits(x$mechanism, "rr_mechanism")) list(x$mechanism) else x$mechanism
  tibble::tibble(null.deviance = x$null.deviance, df.null = x$df.null, logLik = likelihood(stats::logLik),
                 AIC = stats::AIC(x), BIC = likelihood(stats::BIC), deviance = x$deviance,
                 df.residual = x$df.residual, nobs = stats::nobs(x), epsilon = max(vapply(mechanisms, privacy, 0)),
                 link = x$link, penalty = x$penalty, decrement = x$decrement, boundary = length(x$boundary$rows))
}

#' @rdname rr_glm_methods
#' @export
augment.rr_glm <- function(x, data = NULL, newdata = NULL, se_fit = FALSE, ...) {
  check_flag(se_fit, "se_fit")
  if (!is.null(newdata)) {
    table <- tibble::as_tibble(newdata)
    table$.truth <- unname(stats::predict(x, newdata, "truth"))
    if (se_fit) table$.se.fit <- unname(stats::predict(x, newdata, "truth", se.fit = TRUE)$se.fit)
    return(table)
  }
  if (!is.null(data) && !all(row.names(x$model) %in% row.names(data))) {
    abort(c("{.arg data} must have the rows of the fit.", i = "New rows are {.arg newdata}."), "argument")
  }
  table <- data[row.names(x$model), , drop = FALSE] %||%
    x$model[setdiff(names(x$model), c("(weights)", "(offset)", "(arm)"))]
  # A column that was I(...) in the formula is a plain one here.
  table[] <- lapply(table, function(column) if (inherits(column, "AsIs")) unclass(column) else column)
  table <- tibble::as_tibble(table)
  rows <- fitted_rows(x)
  table$.truth <- rows$truth
  if (se_fit) {
    fitted <- replace(x, "na.action", list(NULL))
    table$.se.fit <- unname(stats::predict(fitted, type = "truth", se.fit = TRUE)$se.fit)
  }
  table$.report <- rows$report
  table$.posterior <- row_posterior(x, rows, unname(x$y))
  table$.hat <- unname(stats::hatvalues(x))
  table$.resid <- unname(stats::residuals(x, "deviance"))
  table
}

#' @export
as.data.frame.rr_glm <- function(x, ...) {
  plain_frame(tidy(x, conf.int = TRUE), ...)
}

# ---- printing ----

#' @rdname rr_glm_methods
#' @export
summary.rr_glm <- function(object, type = NULL, cluster = NULL, ...) {
  type <- variance_type(object, type, cluster)
  rows <- estimate_table(object, type, cluster)[which(!is.na(object$coefficients)), ]
  df <- coefficient_freedom(object, type)
  letter <- if (is.infinite(df)) "z" else "t"
  table <- matrix(unlist(rows[-1]), nrow(rows), dimnames = list(rows$term, c("Estimate", "Std. Error",
                                                 paste(letter, "value"), paste0("Pr(>|", letter, "|)"))))
  V <- stats::vcov(object, type, cluster, complete = FALSE)
  others <- c("coefficients", "residuals", "fitted.values", "effects", "qr", "R", "weights", "model", "data", "y",
              "prior.weights", "linear.predictors", "offset")
  structure(c(unclass(object)[setdiff(names(object), c(others, "df"))],
              list(deviance.resid = stats::residuals(object, "deviance"), coefficients = table,
                   aliased = is.na(object$coefficients), dispersion = 1,
                   df = c(object$rank, object$df.residual, length(object$coefficients)),
                   cov.unscaled = V, cov.scaled = V, type = type, n = length(object$y), freedom = df)),
            class = c("summary.rr_glm", "summary.glm"))
}

print_regression <- function(x) {
  penalty <- switch(x$penalty, bias = ", bias reduced", jeffreys = ", Jeffreys' prior", prior = ", weak normal prior")
  cat("Regression of the truth \"", x$labels[2], "\", ", x$link, " link", penalty, "\n", sep = "")
  single <- inherits(x$mechanism, "rr_mechanism")
  cat(paste0("  ", if (single) format(x$mechanism)
             else paste0(names(x$mechanism), ": ", vapply(x$mechanism, format, ""))), sep = "\n")
}

print_notes <- function(x, digits) {
  if (!is.null(x$parameter)) {
    cat("\nUnknown number of the design: ", names(x$parameter), " ", format(as.vector(x$parameter), digits = digits),
        " (standard error ", format(attr(x$parameter, "std.error"), digits = digits), ")\n", sep = "")
  }
  if (!is.null(x$boundary)) {
    cat("\nThe fitted truth of ", length(x$boundary$rows),
        " rows is 0 or 1: penalty = \"prior\" gives finite estimates.\n", sep = "")
  }
  cat(if (is.null(x$design)) "\nLog-likelihood " else "\nPseudo-log-likelihood ")
}

#' @rdname rr_glm_methods
#' @export
print.rr_glm <- function(x, digits = 4, ...) {
  print_regression(x)
  cat("\nCoefficients:\n")
  print(format(x$coefficients, digits = digits), quote = FALSE)
  print_notes(x, digits)
  cat(format(x$loglik + x$constant, digits = digits + 3), " on ", x$rank + length(x$parameter),
      " degrees of freedom, ", format_count(length(x$y)), " rows\n", sep = "")
  invisible(x)
}

#' @rdname rr_glm_methods
#' @export
print.summary.rr_glm <- function(x, digits = 4, ...) {
  print_regression(x)
  words <- c(observed = "observed information", expected = "expected information", sandwich = "sandwich",
             survey = paste("survey design,", if (is.null(x$replicated)) "linearised" else "replicate weights"))
  freedom <- if (is.na(x$freedom)) "; no degrees of freedom are left"
    else if (is.finite(x$freedom)) paste0("; t with ", x$freedom, " degrees of freedom")
  cat("\nStandard errors: ", words[[x$type]], freedom, "\n\n", sep = "")
  stats::printCoefmat(x$coefficients, digits = digits, signif.stars = FALSE, na.print = "NA", cs.ind = 1:2, tst.ind = 3)
  print_notes(x, digits)
  cat(format(x$loglik, digits = digits + 3),
      if (length(x$starts) > 1) paste0(", the best of ", length(x$starts), " maxima"),
      if (is.null(x$design)) paste0("; AIC ", format(x$aic, digits = digits + 3)), "; ", format_count(x$n), " rows\n",
      sep = "")
  invisible(x)
}

# P(true yes | report); of a share of yes among several answers its mean.
row_posterior <- function(fit, rows, y, arm = fit$arm) {
  index <- row_arms(arm, length(y))
  after_yes <- fit$device[1, index] * rows$truth / rows$report
  after_no <- fit$device[3, index] * rows$truth / rows$report_no
  ifelse(y > 0, y * after_yes, 0) + ifelse(y < 1, (1 - y) * after_no, 0)
}
