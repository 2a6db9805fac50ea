#' Methods of multinomial, log-linear and predictor regressions
#'
#' R's usual functions for models work for fits of [rr_multinom()], [rr_loglinear()] and [rr_predictor()].
#'
#' * `coef()`: see each fitter.
#' * `vcov()`: a row and column per estimated coefficient: `"observed"` information (default of likelihood fits), `"expected"` information (not
#'   [rr_predictor()]), `"sandwich"`, for wrong models and sampling weights, or `"survey"` (default with a design). Moment fits have no information.
#' * `confint()`: Wald intervals; `NA` for coefficients at infinity; with a survey design from the t distribution, with `survey::degf()` less the number of
#'   coefficients plus 1 degrees of freedom.
#' * `logLik()`, `AIC()`, `BIC()`: the likelihood of the reports, without binomial coefficients. Moment fits and survey designs give an error.
#' * `anova()`: likelihood ratio tests of nested fits, sorted by their degrees of freedom. `drop1()`, `step()` and `car::Anova()` give an error.
#' * `nobs()`: rows with a weight above 0, or respondents of a tally.
#' * `tidy()`: `term`, `estimate`, `std.error`, `statistic`, `p.value`, with `conf.int = TRUE` `conf.low`, `conf.high`; first `y.level` ([rr_multinom()]) or
#'   `component` ([rr_predictor()]: `"outcome"`, or `"truth"` for the model of the randomized covariate).
#' * `glance()`: `nobs`, `df`, `logLik`, `AIC`, `BIC`, `decrement` (gain of a further Newton step), `starts` (number of different maxima found).
#' * `summary()`: a list with `coefficients`: estimate, standard error, z and p-value.
#' * `fitted()`: the probability of the *report* (expected counts for [rr_loglinear()], the mean of the reported outcome for [rr_predictor()]), as for
#'   [rr_glm()]. The truth is `predict()`.
#' * `residuals()`: the report minus `fitted()`; see also `type`. Moment fits of [rr_predictor()] with a randomized covariate give an error.
#' * `simulate()`: reports under a fit of [rr_multinom()], one column per survey.
#' * `plot()`: of [rr_multinom()]: probabilities of the truths along one covariate with Wald intervals on the logit scale; the others are held at the values in
#'   the caption.
#'
#' @param object,x A fit.
#' @param type For `vcov()`, see above. For `residuals()` of [rr_multinom()]: `"report"` (default; the report given minus the probabilities of the reports) or `"truth"` (posterior minus
#'   predicted probabilities of the truths). For `residuals()` of [rr_loglinear()]: `"pearson"` (default) or `"response"`, the counts minus `fitted()`.
#' @param cluster For the sandwich: a vector with one entry per row that was used, or a one-sided formula for a column of the data. The variance is
#'   multiplied by C / (C - 1) for C clusters, as in `sandwich::vcovCL()` and `survey::svyglm()`.
#' @param parm Coefficients, as names or positions in the order of `vcov()`; default all.
#' @param level,conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param conf.int Logical, default `FALSE`. Add the columns `conf.low` and `conf.high`?
#' @param exponentiate Logical, default `FALSE`. Give factors instead of coefficients: odds ratios ([rr_multinom()], binomial [rr_predictor()]), ratios of cell shares ([rr_loglinear()]) or
#'   of rates (Poisson)? An error for a linear outcome. Rows of the component `"truth"` of [rr_predictor()] are then odds ratios of the truth. Standard errors are not transformed.
#' @param digits Significant digits printed, from 1 to 22; default 4.
#' @param nsim Number of simulated surveys, a whole number of at least 1; default 1.
#' @param seed A whole number for [set.seed()], after which R's generator is restored; or `NULL` (default) to continue from its present state.
#' @param variable Name of a covariate; default the first.
#' @param by Name of a covariate of at most 8 values: a panel for each truth, with a line for each value. Default: a covariate that interacts with
#'   `variable`, or none. `character()`: none.
#' @param ... For `anova()` further fits; otherwise ignored.
#' @return As listed above.
#' @section Errors:
#' `candor_error_argument`, `candor_error_level` (unknown coefficient). See [candor_conditions].
#' @references Efron, B. and Hinkley, D. V. (1978). Assessing the accuracy of the maximum likelihood estimator: observed versus expected Fisher information.
#'   *Biometrika* 65, 457-483. \doi{10.1093/biomet/65.3.457}
#'
#'   White, H. (1982). Maximum likelihood estimation of misspecified models. *Econometrica* 50, 1-25. \doi{10.2307/1912526}
#' @seealso [rr_multinom()], [rr_loglinear()], [rr_predictor()]; [glm_methods] for [rr_glm()].
#' @concept robust standard errors
#' @concept likelihood ratio test
#' @name regression_methods
#' @order 1
#' @examples
#' # Does cheating depend on the semester?
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' fit <- rr_multinom(cheating ~ semester, exam_simulated, often)
#' anova(rr_multinom(cheating ~ 1, exam_simulated, often), fit)
#' tidy(fit, conf.int = TRUE, exponentiate = TRUE)
#' # Yes: the odds of cheating often rise by a factor of 1.23 per semester
#' sqrt(diag(vcov(fit, type = "sandwich")))
#' head(residuals(fit), 3)
NULL

#' @rdname regression_methods
#' @order 2
#' @export
vcov.rr_regression <- function(object, type = NULL, cluster = NULL, ...) {
  kinds <- if (length(object$infinite)) {
    "observed"
  } else if (identical(object$method, "moments")) {
    "sandwich"
  } else {
    c("observed", if (!inherits(object, "rr_predictor")) "expected", "sandwich")
  }
  V <- typed_variance(object, variance_type(object, type, cluster, kinds), cluster)
  structure(V, dimnames = dimnames(object$vcov))
}

# The variance of all parameters, of one type, with the error of a validation study.
typed_variance <- function(fit, type, cluster) {
  known_variance(fit, type, cluster) + study_covariance(fit, variance_parts(fit)$bread)
}

# The same if the channel were known.
known_variance <- function(fit, type, cluster = NULL) {
  variances <- variance_parts(fit)
  sandwich_of <- function(meat) sandwich(variances$bread, meat)
  meat_scores <- function() {
    # A row of counts stands for independent respondents, and not for one cluster of them.
    if (isTRUE(fit$is_counted) && is.null(cluster)) return(counted_scores(fit))
    cluster_sums(variances$scores(), cluster, fit)
  }
  switch(type, observed = variances$observed, expected = variances$expected(),
         sandwich = sandwich_of(crossprod(meat_scores())),
         survey = survey_variance(fit, variances$scores(), sandwich_of))
}

# list(observed, expected(), bread, scores()): variances by the two informations, the one that a
# sandwich has outside, and a row of scores for each respondent, in the parameters of the bread or
# in those that have a variance.
variance_parts <- function(fit) UseMethod("variance_parts")

variance_parts.rr_regression <- function(fit) {
  list(observed = fit$vcov, expected = function() invert_positive(regression_expected(fit)),
       bread = fit$bread %||% fit$vcov, scores = function() fit$scores %||% regression_scores(fit))
}

# Scores whose products add up to those of all respondents, if rows are counts: w respondents with
# the score s have w s s'.
counted_scores <- function(fit) UseMethod("counted_scores")

counted_scores.rr_regression <- function(fit) {
  weight <- ifelse(fit$weights > 0, fit$weights, 1)
  variance_parts(fit)$scores() / sqrt(weight)
}

# The standard errors that are asked for, or those of the fit.
variance_type <- function(
  fit, type, cluster, kinds = c(bread_type(fit), "observed", "expected", "sandwich")
) {
  choices <- if (is.null(cluster)) {
    unique(c(if (!is.null(fit$design)) "survey", kinds))
  } else {
    "sandwich"
  }
  check_choice(type %||% choices[1], "type", choices)
}

bread_type <- function(fit) if (fit$penalty %in% c("bias", "jeffreys")) "expected" else "observed"

# Fisher information, and one row of scores per respondent, in the coefficients of vcov().
regression_expected <- function(fit) UseMethod("regression_expected")
regression_scores <- function(fit) UseMethod("regression_scores")

# The reports, in the form of fitted().
regression_reports <- function(fit) UseMethod("regression_reports")

# Sums of scores by cluster, one for each row that was fitted, so that their cross-product is the
# sandwich's meat; C / (C - 1) as of a survey design.
cluster_sums <- function(scores, cluster, fit) {
  if (is.null(cluster)) return(scores)
  frame <- fitted_frame(fit)
  n <- nrow(frame)
  if (inherits(cluster, "formula")) {
    data <- fit$data %||% fit$design$variables %||%
      eval(fit$call$data, environment(fit$terms))
    columns <- tryCatch(model.frame(cluster, data, na.action = na.pass), error = function(e) NULL)
    cluster <- if (length(columns) > 1L) {
      interaction(columns, drop = TRUE)
    } else {
      columns[[1]]
    }
    if (length(cluster) != n) {
      cluster <- cluster[match(row.names(frame), row.names(columns))]
    }
  }
  dropped <- attr(frame, "na.action")
  if (length(dropped) && length(cluster) == n + length(dropped)) {
    cluster <- cluster[-dropped]
  }
  check_that(is.atomic(cluster) && length(cluster) == n && !anyNA(cluster), cluster, "cluster",
             sprintf("one entry for each of the %d rows that were used, none of them NA", n))
  # Clusters of rows of weight 0 do not count.
  weights <- fit$prior.weights %||% fit$weights %||% rep(1, n)
  C <- length(unique(cluster[weights > 0]))
  factor <- if (C > 1) sqrt(C / (C - 1)) else NA
  rowsum(scores, cluster) * factor
}

#' @rdname regression_methods
#' @export
confint.rr_regression <- function(object, parm = NULL, level = 0.95, ...) {
  level <- check_conf_level(level)
  v <- vcov(object)
  limits <- wald_limits(
    coefficient_table(object$coefficients[rownames(v)], v), level, coefficient_freedom(object)
  )
  interval_table(parm, rownames(v), level, function(j) limits[j, ])
}

match_coefficients <- function(parm, names, arg = "parm") {
  match_rows(parm, names, "coefficients", arg)
}

# The table of confint() from the limits of each parameter, `limits_of(j)`.
interval_table <- function(parm, names, level, limits_of) {
  index <- match_coefficients(parm, names)
  limits <- vapply(index, limits_of, c(0, 0))
  bounds_matrix(limits[1, ], limits[2, ], level, names[index])
}

# A fit has one likelihood: `loglik`, that of the answers in their order; `constant`, what a glm
# adds to it; `df`, its parameters, and `n`, its observations.
#' @export
logLik.rr_regression <- function(object, ...) {
  refuse_pseudo(list(object))
  if (is.null(object$loglik)) abort("A fit by moments has no likelihood.")
  structure(
    object$loglik + (object$constant %||% 0),
    df = object$df,
    nobs = object$n,
    class = "logLik"
  )
}

#' @rdname glm_methods
#' @export
logLik.rr_glm <- logLik.rr_regression

#' @export
nobs.rr_regression <- function(object, ...) object$n

# The share of respondents who use no device, in the tables of coefficients.
protective_term <- "self-protective"

#' @rdname regression_methods
#' @export
anova.rr_regression <- function(object, ...) {
  fits <- given_models(object, ..., accepted = names(formals()))
  refuse_ratios(fits)
  liks <- lapply(fits, logLik)
  df <- vapply(liks, attr, 0, "df")
  check_nested(fits, vapply(liks, attr, 0, "nobs"), df)
  order <- order(df)
  value <- vapply(liks, as.numeric, 0)[order]
  statistic <- c(NA, 2 * diff(value))
  step <- c(NA, diff(df[order]))
  # A share, or a sigma, at the end of its range is free to one side only: half the time it takes no
  # degree of freedom.
  bounded <- vapply(
    fits[order],
    function(fit) (!is.null(fit$without)) + inherits(fit, "rr_glm_mixed"), 0L
  )
  half <- c(FALSE, diff(bounded) == 1) & statistic > 1e-9
  table <- data.frame(Df = df[order], logLik = value, Df.diff = step, Chisq = statistic,
                      `Pr(>Chi)` = ratio_p_values(statistic, step, half), check.names = FALSE)
  models <- vapply(
    fits[order],
    function(fit) {
      paste0(
        deparse1(formula(fit)), if (!is.null(fit$without)) paste(" and", protective_term)
      )
    },
    ""
  )
  structure(
    table,
    heading = c(
      "Likelihood ratio tests of the truth's model\n",
      paste0("Model ", seq_along(models), ": ", models, collapse = "\n"),
      if (any(half)) "Sigma and shares are at least 0: chi-squared laws are mixed\n"
    ),
    class = c("anova", "data.frame")
  )
}

check_nested <- function(fits, n, df) {
  if (length(fits) < 2L) {
    abort(c("{.fn anova} needs two fits of the same respondents, one nested in the other.",
            i = "Fit the model without the terms to be tested too: {.code anova(small, large)}.",
            i = "Coefficients of randomized variables: {.code car::linearHypothesis()}."))
  }
  # A random intercept is tested against the same model without it.
  kinds <- vapply(
    fits,
    function(fit) {
      if (inherits(fit, c("rr_glm", "rr_glm_mixed"))) "rr_glm_mixed" else class(fit)[1]
    },
    ""
  )
  if (any(kinds != kinds[1]) || any(n != n[1]) ||
      anyDuplicated(df)) {
    abort("{.fn anova} compares nested fits of one kind and of the same respondents.")
  }
  check_same_reports(fits)
}

# An error if likelihoods are of different reports: of other answers, or of further randomized
# variables.
check_same_reports <- function(fits) {
  totals <- lapply(fits, function(fit) reported_totals(fit$fixed %||% fit))
  is_same <- function(x) isTRUE(all.equal(x, totals[[1]]))
  if (all(vapply(totals, is_same, NA))) return(invisible())
  abort(c(
    "{.fn anova} compares fits of the same reports and the same randomized variables.",
    i = "{.code car::linearHypothesis(fit, names)} tests coefficients of one fit."
  ), c("mismatch", "argument"))
}

# How often each report was given, with weights, in the data of a fit.
reported_totals <- function(fit) UseMethod("reported_totals")

reported_totals.rr_regression <- function(fit) {
  colSums(fit$weights * as.matrix(regression_reports(fit)))
}

# A share, or a sigma, at the end of its range is free to one side only: half the time it takes no
# degree of freedom.
ratio_p_values <- function(statistic, step, half) {
  p <- pchisq(pmax(statistic, 0), step, lower.tail = FALSE)
  p[half] <- (p[half] +
    pchisq(statistic[half], step[half] - 1, lower.tail = FALSE)) / 2
  p
}

# One row per coefficient; `b` and `v` with the same names. An unknown number may have the name of a
# covariate.
coefficient_table <- function(b, v, df = Inf) {
  error <- sqrt(diag(v))[
    if (identical(names(b), rownames(v))) {
      seq_along(b)
    } else {
      match(names(b), rownames(v))
    }
  ]
  error[!is.finite(b)] <- NA
  z <- unname(b / error)
  tibble(
    term = names(b),
    estimate = unname(b),
    std.error = unname(error),
    statistic = z,
    p.value = 2 * pt(-abs(z), df)
  )
}

# The table with `limits`, a row each, if intervals are wanted, and with `rows` of it as factors.
finished_table <- function(table, conf.int, limits, exponentiate, rows = seq_len(nrow(table))) {
  if (check_flag(conf.int, "conf.int")) {
    table[c("conf.low", "conf.high")] <- as.data.frame(unname(limits))
  }
  if (check_flag(exponentiate, "exponentiate")) exponentiated(table, rows) else table
}

wald_limits <- function(table, conf.level, df) {
  table$estimate +
    outer(t_quantile(check_conf_level(conf.level), df) * table$std.error, c(-1, 1))
}

# Standard errors of values with these slopes in the parameters, a row each.
slope_error <- function(slopes, V) {
  sqrt(pmax(rowSums((slopes %*% V) * slopes), 0))
}

# The table with coefficients and limits as factors. Standard errors and tests stay those of the
# coefficients, as in tidy() of other models.
exponentiated <- function(table, rows) {
  columns <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
  table[rows, columns] <- exp(table[rows, columns])
  table
}

#' @rdname regression_methods
#' @export
tidy.rr_regression <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  v <- if (is.null(x$truth)) vcov(x) else vcov(x, part = "all")
  df <- coefficient_freedom(x)
  table <- coefficient_table(c(x$coefficients, x$truth), v, df)
  finished_table(table, conf.int, wald_limits(table, conf.level, df), exponentiate)
}

#' @rdname regression_methods
#' @export
glance.rr_regression <- function(x, ...) {
  loglik <- if (is.null(x$design)) x$loglik
  likelihood <- structure(loglik %||% NA_real_, df = x$df, nobs = x$n, class = "logLik")
  tibble(
    nobs = x$n,
    df = x$df,
    logLik = as.numeric(likelihood),
    AIC = AIC(likelihood),
    BIC = BIC(likelihood),
    decrement = x$decrement %||% NA_real_,
    starts = length(x$starts)
  )
}

#' @rdname regression_methods
#' @export
as.data.frame.rr_regression <- function(x, ...) plain_frame(tidy(x, conf.int = TRUE), ...)

#' @export
as.data.frame.rr_glm <- as.data.frame.rr_regression

#' @rdname regression_methods
#' @export
summary.rr_regression <- function(object, ...) {
  table <- tidy(object)
  # These are the names of coef() and vcov().
  table$term <- paste0(
    if ("y.level" %in% names(table)) paste0(table$y.level, ":"), table$term
  )
  structure(list(fit = object, coefficients = summary_matrix(table, coefficient_freedom(object))),
            class = "summary.rr_regression")
}

summary_matrix <- function(table, df) {
  letter <- if (is.infinite(df)) "z" else "t"
  matrix(
    unlist(table[c("estimate", "std.error", "statistic", "p.value")]), nrow(table),
    dimnames = list(
      table$term,
      c("Estimate", "Std. Error", sprintf(c("%s value", "Pr(>|%s|)"), letter))
    )
  )
}

#' @rdname regression_methods
#' @export
print.rr_regression <- function(x, digits = 4, ...) {
  print_heading(x)
  digits <- check_digits(digits)
  table <- format_p(format_estimates(as.data.frame(tidy(x)), digits), digits)
  print(table[setdiff(names(table), "statistic")], digits = digits, row.names = FALSE)
  invisible(x)
}

#' @rdname glm_methods
#' @export
print.rr_glm <- print.rr_regression

#' @export
print.summary.rr_regression <- function(x, digits = 4, ...) {
  fit <- x$fit
  print_heading(fit, x$freedom %||% coefficient_freedom(fit))
  words <- c(
    observed = "observed information", expected = "expected information", sandwich = "sandwich",
    survey = if (is.null(fit$replicated)) "linearized" else "replicate weights"
  )
  if (!is.null(x$type)) {
    cat("  standard errors: ", words[[x$type]], "\n", sep = "")
  }
  printCoefmat(
    x$coefficients, digits = check_digits(digits), na.print = "NA", cs.ind = 1:2, tst.ind = 3
  )
  if (!is.null(fit$loglik) && is.null(fit$design)) {
    writeLines(c("", within_80(paste0(
      "  log-likelihood ", format(as.numeric(logLik(fit)), digits = 7), " on ",
      attr(logLik(fit), "df"), " degrees of freedom; AIC ", format(AIC(fit), digits = 7),
      ", BIC ", format(BIC(fit), digits = 7)
    ))))
  }
  invisible(x)
}

#' @rdname glm_methods
#' @export
print.summary.rr_glm <- print.summary.rr_regression

print_heading <- function(x, freedom = coefficient_freedom(x)) {
  dropped <- length(attr(fitted_frame(x), "na.action"))
  # Rows of a random intercept are reports, several of each group.
  people <- if (is.null(x$ngrps)) {
    paste(format_count(x$respondents %||% x$n), "respondents")
  } else {
    sprintf(
      "%s (%s), %s reports", number_of(x$ngrps, "group"), deparse1(x$bar[[3]]),
      format_count(x$n)
    )
  }
  writeLines(within_80(paste0(
    "<", class(x)[1], "> ", x$title, ", ", people,
    if (dropped) sprintf(" (%s with missing values dropped)", number_of(dropped, "row"))
  )))
  if (inherits(x, "rr_multinom")) print_odds(x)
  single <- inherits(x$mechanism, "rr_mechanism")
  words <- if (is.na(freedom)) {
    "no degrees of freedom are left"
  } else {
    paste("t with", freedom, "degrees of freedom")
  }
  lines <- c(
    if (single) {
      format(x$mechanism)
    } else {
      paste0(names(x$mechanism), ": ", vapply(x$mechanism, format, ""))
    },
    if (length(x$starts) > 1L) sprintf("the highest of %d maxima", length(x$starts)),
    if (!is.null(x$design)) paste("survey design;", words), x$note,
    if (length(x$infinite)) {
      paste("the likelihood is largest at infinity:", format_labels(x$infinite))
    }
  )
  writeLines(within_80(paste0("  ", lines)))
}

# The odds that the coefficients of a multinomial regression are about, in words.
print_odds <- function(x) {
  writeLines(within_80(paste0(
    "  ", deparse1(formula(x$terms)),
    if (x$type == "cumulative") "; log odds of higher levels, and thresholds"
    else sprintf("; log odds against \"%s\"", x$mechanism$levels[1])
  )))
}

#' @export
extractAIC.rr_regression <- function(fit, scale, k = 2, ...) {
  abort(c(
    "Terms of this fit cannot be dropped and added one by one.",
    i = "{.code anova(fit, other)} compares two nested fits of {.val {deparse1(fit$call[[1]])}}."
  ))
}

# The model matrix has the exact covariates. The columns of randomized covariates are not known.
# Tests of terms by other packages take the first coefficients for the coefficients of its columns.
#' @export
model.matrix.rr_regression <- function(object, ...) {
  if (length(object$rows$covariates)) {
    abort("A fit with randomized covariates has no model matrix: nobody has seen their values.")
  }
  x <- model.matrix(covariate_terms(object), fitted_frame(object), contrasts.arg = object$contrasts)
  first <- head(names(coef(object)), ncol(x))
  if (identical(first, colnames(x))) return(x)
  abort(c(
    "A fit of several categories has no coefficient for each column of a model matrix.",
    i = "Terms are tested by {.code anova(small, large)} or {.code car::linearHypothesis()}."
  ))
}
