#' Reading a regression of the truth
#'
#' Methods for fits of [rr_glm()]. Other functions (`anova`-like tables of other packages, `cooks.distance()`, `model.matrix()`, `update()`,
#' `step()`, ...) work as for any `glm`.
#'
#' @param object,x A fit of [rr_glm()].
#' @param type For `vcov()` and `summary()`: `"observed"` information (the default without a survey design), `"expected"` information, `"sandwich"` (robust, and by
#'   cluster), or `"survey"` (linearised, the default with a design). For `fitted()`: `"truth"` or `"report"`. For `residuals()`: those of
#'   `glm`, about the reports, and `"truth"`, the posterior probability of a true yes less the fitted one. For `influence()`: `"deletion"`, one row per
#'   respondent with what leaving them out would change, or `"linearised"`, whose weighted total has the variance of the estimates
#'   (give it to `survey::svytotal()`).
#' @param cluster A vector with one entry per fitted row, or a one-sided formula of a column of the data: answers of one cluster may depend on each other.
#' @param parameter Include the unknown parameter of the design, as the last row and column?
#' @param complete Include aliased coefficients, as `NA`?
#' @param parm Which coefficients, by name or position.
#' @param level Confidence level.
#' @param method `"profile"`: the values around the estimate that the likelihood does not reject, maximised over the other coefficients (see Profile intervals).
#'   `"wald"`: the estimate plus or minus a multiple of the standard error.
#' @param nsim Number of simulated surveys.
#' @param seed A whole number for [set.seed()]; R's generator is restored afterwards. Or `NULL`, to continue from the generator's present state.
#' @param test `"LRT"` (the same as `"Chisq"`) or `"none"`.
#' @param conf.int,conf.level Add intervals, of which level?
#' @param exponentiate Give odds ratios, with their intervals, in place of coefficients?
#' @param data,newdata New rows; by default those that were fitted.
#' @param digits Significant digits.
#' @param ... Further fits for `anova()`; otherwise ignored.
#' @return `vcov()`, `confint()` matrices; `fitted()`, `residuals()` vectors; `simulate()` a data frame of reports, one column per survey;
#'   `anova()` a table; `tidy()`, `glance()`, `augment()` tibbles: `augment()` adds `.truth`, `.report`, `.posterior` (probability of a true yes given the
#'   report), `.hat`, `.resid` (deviance).
#' @section Profile intervals:
#' A value of a coefficient is in the interval if twice the fall of the log-likelihood from the estimate to its maximum over the other coefficients is within
#' the quantile of chi-squared with one degree of freedom. That maximum is sought from the `starts` of the fit, and from the other coefficients at neighbouring values.
#' A randomized report never rules out a truth, so the log-likelihood has finite limits and does not always fall far enough: an end is then `-Inf` or `Inf`. For the
#' same reason the likelihood of small surveys may rise again beyond an end: the interval is the connected part that contains the estimate.
#' @section Errors:
#' `candor_error_argument` for unknown types, clusters of the wrong length, and coefficients that do not exist.
#' @source Royall, R. M. (1986). Model robust confidence intervals using maximum likelihood estimators. *International Statistical Review* 54(2),
#'   221-226, for the sandwich; Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex surveys.
#'   *International Statistical Review* 51(3), 279-292, for survey designs.
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

# The design's columns and the rows that were fitted, as the methods below need them.
fitted_data <- function(fit) {
  list(x = stats::model.matrix(fit), y = unname(fit$y), weight = unname(fit$prior.weights),
       offset = if (!is.null(fit$offset) && any(fit$offset != 0)) as.double(fit$offset), arm = fit$arm,
       device = fit$device,
       link = fit$link, unknown = fit$unknown)
}

fitted_rows <- function(fit) {
  regress_rows(fit$linear.predictors, unname(fit$y), fit$arm, fit$device, fit$link)
}

# Scores of the rows, with weights, in the columns of the estimated coefficients (and the unknown number).
row_scores <- function(fit) {
  data <- fitted_data(fit)
  rows <- fitted_rows(fit)
  open <- is.finite(fit$linear.predictors)
  keep <- which(is.finite(fit$coefficients))
  score <- ifelse(open, data$weight * rows$score, 0)
  scores <- data$x[, keep, drop = FALSE] * score
  if (!is.null(fit$unknown)) {
    index <- if (is.null(fit$arm)) rep(1L, length(score)) else fit$arm + 1L
    tilt <- rows$truth * fit$unknown[2, index] + rows$truth_no * fit$unknown[4, index]
    A <- ifelse(data$y > 0, data$y / rows$report, 0) - ifelse(data$y < 1, (1 - data$y) / rows$report_no, 0)
    scores <- cbind(scores, `(parameter)` = data$weight * A * tilt)
  }
  rownames(scores) <- names(fit$linear.predictors)
  scores
}

# The rows and columns of a variance that are estimated: finite coefficients and the unknown number.
estimated_places <- function(fit) {
  k <- length(fit$coefficients)
  c(which(is.finite(fit$coefficients)), if (!is.null(fit$unknown)) k + 1L)
}

match_cluster <- function(cluster, fit) {
  n <- length(fit$y)
  if (inherits(cluster, "formula")) {
    frame <- stats::model.frame(cluster, fit$data, na.action = stats::na.pass)
    cluster <- if (length(frame) == 1L) frame[[1]] else interaction(frame, drop = TRUE)
    if (length(cluster) != n) {
      rows <- match(row.names(fit$model), row.names(frame))
      cluster <- cluster[rows]
    }
  } else if (length(cluster) == n + length(fit$na.action) && length(fit$na.action)) {
    cluster <- cluster[-fit$na.action]
  }
  if (length(cluster) != n || anyNA(cluster)) {
    abort(c("{.arg cluster} must have one entry per fitted row, none of them missing.",
            x = "It has {length(cluster)}, {sum(is.na(cluster))} missing; there are {n} rows."), "argument")
  }
  cluster
}

#' @rdname rr_glm_methods
#' @export
vcov.rr_glm <- function(object, type = c("observed", "expected", "sandwich", "survey"), cluster = NULL,
                        parameter = FALSE,
                        complete = TRUE, ...) {
  check_object(object)
  types <- c("observed", "expected", "sandwich", "survey")
  type <- if (identical(type, types)) default_variance(object, cluster) else check_choice(type, "type", types)
  if (!is.null(cluster) && type != "sandwich") {
    abort(c("{.arg cluster} goes with {.code type = \"sandwich\"}.", x = "{.arg type} is {.val {type}}."), "argument")
  }
  V <- switch(type, observed = object$variance$observed, expected = object$variance$expected,
              sandwich = sandwich_variance(object, cluster), survey = survey_variance(object))
  k <- length(object$coefficients)
  names <- c(names(object$coefficients), names(object$parameter))
  dimnames(V) <- list(names, names)[c(1, 1)]
  if (!parameter || is.null(object$unknown)) V <- V[seq_len(k), seq_len(k), drop = FALSE]
  if (complete) return(V)
  kept <- c(!is.na(object$coefficients), rep(TRUE, nrow(V) - k))
  V[kept, kept, drop = FALSE]
}

default_variance <- function(fit, cluster) {
  if (!is.null(cluster)) "sandwich"
  else if (!is.null(fit$design)) "survey"
  else if (fit$penalty != "none") "expected"
  else "observed"
}

sandwich_variance <- function(fit, cluster = NULL) {
  scores <- row_scores(fit)
  if (!is.null(cluster)) scores <- rowsum(scores, match_cluster(cluster, fit))
  spread_variance(fit, crossprod(scores))
}

survey_variance <- function(fit) {
  if (is.null(fit$design)) {
    abort(c("{.code type = \"survey\"} needs a survey design.",
            i = "Fit with {.code rr_glm(..., design = )}."), "argument")
  }
  spread_variance(fit, survey_meat(fit, row_scores(fit)))
}

# bread meat bread, in the places that are estimated.
spread_variance <- function(fit, meat) {
  places <- estimated_places(fit)
  V <- if (fit$penalty == "none") fit$variance$observed else fit$variance$expected
  bread <- V[places, places, drop = FALSE]
  V[] <- NA_real_
  V[places, places] <- bread %*% meat %*% bread
  V
}

#' @rdname rr_glm_methods
#' @export
summary.rr_glm <- function(object, type = c("observed", "expected", "sandwich", "survey"), cluster = NULL, ...) {
  check_object(object)
  types <- c("observed", "expected", "sandwich", "survey")
  type <- if (identical(type, types)) default_variance(object, cluster) else check_choice(type, "type", types)
  V <- stats::vcov(object, type, cluster)
  estimate <- object$coefficients[!is.na(object$coefficients)]
  se <- sqrt(diag(V))[names(estimate)]
  z <- estimate / se
  z[!is.finite(estimate)] <- NA
  table <- cbind(Estimate = estimate, `Std. Error` = se, `z value` = z, `Pr(>|z|)` = 2 * stats::pnorm(-abs(z)))
  kept <- names(estimate)
  scaled <- V[kept, kept, drop = FALSE]
  structure(c(object[c("call", "terms", "family", "deviance", "aic", "contrasts", "df.residual", "null.deviance",
                       "df.null", "iter",
                       "na.action", "mechanism", "link", "penalty", "boundary", "parameter", "starts", "loglik")],
              list(deviance.resid = stats::residuals(object, "deviance"), coefficients = table,
                   aliased = is.na(object$coefficients), dispersion = 1, df = c(object$rank, object$df.residual,
                                                                                length(object$coefficients)),
                   cov.unscaled = scaled, cov.scaled = scaled, type = type, n = length(object$y))),
            class = c("summary.rr_glm", "summary.glm"))
}

variance_words <- c(observed = "observed information", expected = "expected information", sandwich = "sandwich",
                    survey = "survey design, linearised")

mechanism_lines <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) return(format(mechanism))
  paste0(names(mechanism), ": ", vapply(mechanism, format, ""))
}

print_regression <- function(x, digits) {
  cat("Regression of the truth, ", x$link, " link", switch(x$penalty, bias = ", bias reduced",
                                                           jeffreys = ", Jeffreys' prior", ""),
      "\n", sep = "")
  cat(paste0("  ", mechanism_lines(x$mechanism)), sep = "\n")
}

print_notes <- function(x, digits) {
  if (!is.null(x$parameter)) {
    cat("\nUnknown number of the design: ", names(x$parameter), " ", format(as.vector(x$parameter), digits = digits),
        " (standard error ",
        format(attr(x$parameter, "std.error"), digits = digits), ")\n", sep = "")
  }
  if (!is.null(x$boundary)) {
    cat("\nThe fitted truth of ", length(x$boundary$rows),
        " rows is 0 or 1: read the profile intervals of confint().\n", sep = "")
  }
}

#' @rdname rr_glm_methods
#' @export
print.rr_glm <- function(x, digits = 4, ...) {
  check_object(x)
  print_regression(x, digits)
  cat("\nCoefficients:\n")
  print(format(x$coefficients, digits = digits), quote = FALSE)
  print_notes(x, digits)
  cat("\nLog-likelihood ", format(as.numeric(stats::logLik(x)), digits = digits + 3), " on ", attr(stats::logLik(x),
                                                                                                   "df"),
      " degrees of freedom, ", format_count(length(x$y)), " rows\n", sep = "")
  invisible(x)
}

#' @rdname rr_glm_methods
#' @export
print.summary.rr_glm <- function(x, digits = 4, ...) {
  check_object(x)
  print_regression(x, digits)
  cat("\nStandard errors: ", variance_words[[x$type]], "\n\n", sep = "")
  stats::printCoefmat(x$coefficients, digits = digits, signif.stars = FALSE, na.print = "NA", cs.ind = 1:2, tst.ind = 3)
  print_notes(x, digits)
  finite <- attr(x$starts, "finite")
  cat("\nLog-likelihood ", format(x$loglik, digits = digits + 3), ", the best of ", length(x$starts), " starts",
      if (!all(finite)) sprintf(" (%d ran to infinity)", sum(!finite)), "; AIC ", format(x$aic, digits = digits + 3),
      "; ",
      format_count(x$n), " rows\n", sep = "")
  invisible(x)
}

#' @rdname rr_glm_methods
#' @export
logLik.rr_glm <- function(object, ...) {
  check_object(object)
  structure(object$loglik + object$constant, df = as.double(object$rank + length(object$parameter)),
            nobs = sum(object$prior.weights > 0),
            class = "logLik")
}

#' @rdname rr_glm_methods
#' @export
nobs.rr_glm <- function(object, ...) {
  check_object(object)
  sum(object$prior.weights > 0)
}

#' @rdname rr_glm_methods
#' @export
fitted.rr_glm <- function(object, type = c("truth", "report"), ...) {
  check_object(object)
  type <- check_choice(type, "type", c("truth", "report"))
  values <- if (type == "report") object$fitted.values else
    stats::setNames(truth_curve(object$link)$yes(object$linear.predictors), names(object$linear.predictors))
  stats::napredict(object$na.action, values)
}

#' @rdname rr_glm_methods
#' @export
residuals.rr_glm <- function(object, type = c("deviance", "pearson", "working", "response", "partial", "truth"), ...) {
  check_object(object)
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
  check_object(model)
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
  check_object(model)
  type <- check_choice(type, "type", c("glm", "deletion", "linearised"))
  if (type == "glm") {
    class(model) <- c("glm", "lm")
    return(stats::influence(model, ...))
  }
  places <- estimated_places(model)
  V <- (if (model$penalty == "none") model$variance$observed else model$variance$expected)[places, places, drop = FALSE]
  change <- row_scores(model) %*% V
  if (type == "linearised") return(change / ifelse(model$prior.weights > 0, model$prior.weights / model$weight.scale,
                                                   1))
  change / (1 - stats::hatvalues(model, "observed"))
}

#' @rdname rr_glm_methods
#' @export
simulate.rr_glm <- function(object, nsim = 1, seed = NULL, ...) {
  check_object(object)
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

#' @rdname rr_glm_methods
#' @export
anova.rr_glm <- function(object, ..., test = c("LRT", "Chisq", "none")) {
  check_object(object)
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  others <- list(...)
  fits <- if (length(others)) c(list(object), others) else term_fits(object)
  if (length(others)) check_comparable(fits)
  df <- vapply(fits, function(f) attr(stats::logLik(f), "df"), 0)
  loglik <- vapply(fits, function(f) as.numeric(stats::logLik(f)), 0)
  rows <- length(fits)
  ratio <- c(NA, 2 * diff(loglik) * ifelse(diff(df) < 0, -1, 1))
  table <- data.frame(df = df, logLik = loglik, Df = c(NA, diff(df)), LR = ratio)
  if (test != "none") {
    table$p <- c(NA, stats::pchisq(pmax(0, table$LR[-1]), abs(table$Df[-1]), lower.tail = FALSE))
    table$p[table$Df == 0] <- NA
  }
  names(table) <- c("Model Df", "logLik", "Df", "LR", if (test != "none") "Pr(>Chi)")
  labels <- if (length(others)) paste0("Model ", seq_len(rows), ": ",
                                       vapply(fits, function(f) deparse1(stats::formula(f)), ""))
  rownames(table) <- if (length(others)) as.character(seq_len(rows)) else names(fits)
  structure(table, heading = c("Likelihood ratio tests of the truth's regression\n", labels),
            class = c("anova", "data.frame"))
}

check_comparable <- function(fits) {
  for (fit in fits[-1]) {
    if (!inherits(fit, "rr_glm")) {
      abort(c("{.fn anova} compares fits of {.fn rr_glm}.", x = "One is {describe(fit)}."), "argument")
    }
    if (length(fit$y) != length(fits[[1]]$y)) {
      abort(c("The fits must be of the same rows.", x = "They have {length(fits[[1]]$y)} and {length(fit$y)}."),
            "mismatch")
    }
    if (!isTRUE(all.equal(fit$device, fits[[1]]$device, check.attributes = FALSE)) && is.null(fit$unknown)) {
      abort("The fits must have the same mechanisms.", "mismatch")
    }
  }
}

# The same rows with fewer columns.
refit_columns <- function(fit, columns) {
  data <- fitted_data(fit)
  data$x <- data$x[, columns, drop = FALSE]
  if (!length(columns)) {
    rows <- regress_rows(data$offset %||% numeric(length(data$y)), data$y, data$arm, data$device, data$link)
    return(list(value = sum(data$weight * rows$loglik), rank = 0))
  }
  starts <- fit$starts.asked
  maximum <- if (fit$penalty == "none") regress_maximum(data, starts) else penalised_maximum(data, fit$penalty, starts)
  value <- if (is.null(maximum$limit)) maximum$fit$value else maximum$limit$value
  list(value = value, rank = maximum$basis$rank, maximum = maximum)
}

# Terms added one after another.
term_fits <- function(fit) {
  assign <- attr(stats::model.matrix(fit), "assign")
  labels <- attr(fit$terms, "term.labels")
  steps <- c(0, seq_along(labels))
  fits <- lapply(steps, function(k) {
    columns <- which(assign <= k)
    part <- refit_columns(fit, columns)
    structure(list(value = part$value + fit$constant, df = part$rank + length(fit$parameter)), class = "rr_term_fit")
  })
  stats::setNames(fits, c("NULL", labels))
}

#' @export
logLik.rr_term_fit <- function(object, ...) structure(object$value, df = object$df, class = "logLik")

#' @rdname rr_glm_methods
#' @param scope Terms, as a formula or names, see [stats::drop1()]; by default all that can be dropped.
#' @export
drop1.rr_glm <- function(object, scope = NULL, test = c("LRT", "Chisq", "none"), ...) {
  check_object(object)
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  labels <- if (is.null(scope)) stats::drop.scope(object)
    else if (is.character(scope)) scope else attr(stats::terms(stats::update.formula(object, scope)), "term.labels")
  x <- stats::model.matrix(object)
  assign <- attr(x, "assign")
  parts <- lapply(match(labels, attr(object$terms, "term.labels")), function(k) refit_columns(object,
                                                                                              which(assign != k)))
  change_table(object, parts, labels, test, "Single term deletions")
}

#' @rdname rr_glm_methods
#' @export
add1.rr_glm <- function(object, scope, test = c("LRT", "Chisq", "none"), ...) {
  check_object(object)
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  labels <- if (is.character(scope)) scope else stats::add.scope(object, stats::update.formula(object, scope))
  caller <- parent.frame()
  parts <- lapply(labels, function(label) {
    wider <- stats::update(object, stats::as.formula(paste("~ . +", label)), evaluate = FALSE)
    fit <- suppressWarnings(eval(wider, caller))
    check_comparable(list(object, fit))
    list(value = fit$loglik, rank = fit$rank)
  })
  change_table(object, parts, labels, test, "Single term additions")
}

change_table <- function(object, parts, labels, test, heading) {
  value <- c(object$loglik, vapply(parts, `[[`, 0, "value")) + object$constant
  df <- c(object$rank, vapply(parts, `[[`, 0, "rank")) + length(object$parameter)
  table <- data.frame(Df = c(NA, abs(df[-1] - df[1])), logLik = value, AIC = -2 * value + 2 * df)
  if (test != "none") {
    table$LRT <- c(NA, 2 * abs(value[-1] - value[1]))
    table$p <- stats::pchisq(table$LRT, table$Df, lower.tail = FALSE)
    names(table)[5] <- "Pr(>Chi)"
  }
  rownames(table) <- c("<none>", labels)
  structure(table, heading = c(heading, "\nModel:", deparse1(stats::formula(object))), class = c("anova", "data.frame"))
}

#' @rdname rr_glm_methods
#' @export
tidy.rr_glm <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, method = c("profile", "wald"),
                        ...) {
  check_object(x)
  check_flag(conf.int, "conf.int")
  check_flag(exponentiate, "exponentiate")
  V <- stats::vcov(x, parameter = TRUE)
  estimate <- c(x$coefficients, x$parameter)
  se <- unname(sqrt(diag(V)))
  z <- unname(estimate) / se
  z[!is.finite(estimate)] <- NA
  if (!is.null(x$parameter)) z[length(z)] <- NA
  table <- tibble::tibble(term = names(estimate), estimate = unname(as.vector(estimate)), std.error = se, statistic = z,
                          p.value = 2 * stats::pnorm(-abs(z)))
  if (conf.int) {
    ends <- stats::confint(x, level = conf.level, method = method)
    if (!is.null(x$parameter)) ends <- rbind(ends, wald_parameter(x, conf.level))
    table$conf.low <- unname(ends[, 1])
    table$conf.high <- unname(ends[, 2])
  }
  if (exponentiate) {
    rows <- seq_along(x$coefficients)
    for (column in intersect(c("estimate", "conf.low", "conf.high"), names(table))) {
      table[[column]][rows] <- exp(table[[column]][rows])
    }
  }
  table
}

# Through the logit, so that it stays between 0 and 1.
wald_parameter <- function(fit, level) {
  psi <- as.vector(fit$parameter)
  half <- normal_quantile(level) * attr(fit$parameter, "std.error") / (psi * (1 - psi))
  stats::plogis(stats::qlogis(psi) + c(-half, half))
}

#' @rdname rr_glm_methods
#' @export
glance.rr_glm <- function(x, ...) {
  check_object(x)
  likelihood <- stats::logLik(x)
  tibble::tibble(null.deviance = x$null.deviance, df.null = x$df.null, logLik = as.numeric(likelihood),
                 AIC = stats::AIC(x),
                 BIC = stats::BIC(x), deviance = x$deviance, df.residual = x$df.residual, nobs = stats::nobs(x),
                 epsilon = regress_epsilon(x$mechanism), link = x$link, penalty = x$penalty, decrement = x$decrement,
                 boundary = length(x$boundary$rows))
}

regress_epsilon <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) return(rr_epsilon(mechanism))
  values <- vapply(mechanism, function(m) if (inherits(m, "rr_mechanism")) rr_epsilon(m) else NA_real_, 0)
  max(values)
}

#' @rdname rr_glm_methods
#' @export
augment.rr_glm <- function(x, data = NULL, newdata = NULL, ...) {
  check_object(x)
  if (!is.null(newdata)) {
    table <- tibble::as_tibble(newdata)
    table$.truth <- unname(stats::predict(x, newdata, "truth"))
    return(table)
  }
  rows <- fitted_rows(x)
  table <- if (is.null(data)) x$model[setdiff(names(x$model), c("(weights)", "(offset)",
                                                                "(arm)"))] else data[row.names(x$model), , drop = FALSE]
  # A column that was I(...) in the formula is a plain one here.
  table[] <- lapply(table, function(column) if (inherits(column, "AsIs")) unclass(column) else column)
  table <- tibble::as_tibble(table)
  table$.truth <- rows$truth
  table$.report <- rows$report
  table$.posterior <- row_posterior(x, rows, unname(x$y))
  table$.hat <- unname(stats::hatvalues(x))
  table$.resid <- unname(stats::residuals(x, "deviance"))
  table
}

#' @export
as.data.frame.rr_glm <- function(x, ...) {
  check_object(x)
  plain_frame(tidy(x, conf.int = TRUE), ...)
}

#' @export
family.rr_glm <- function(object, ...) {
  check_object(object)
  object$family
}

#' @export
model.matrix.rr_glm <- function(object, ...) {
  check_object(object)
  stats::model.matrix(object$terms, object$model, contrasts.arg = object$contrasts)
}

#' @rawNamespace S3method(sandwich::estfun, rr_glm)
estfun.rr_glm <- function(x, ...) {
  scores <- row_scores(x)
  scores[, seq_len(sum(is.finite(x$coefficients))), drop = FALSE]
}

#' @rawNamespace S3method(sandwich::bread, rr_glm)
bread.rr_glm <- function(x, ...) {
  places <- which(is.finite(x$coefficients))
  V <- stats::vcov(x, type = if (x$penalty == "none") "observed" else "expected")
  V[places, places, drop = FALSE] * length(x$y)
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
  if (any(!kept)) nbasis <- null_space(stats::model.matrix(object))
  # The link is the truth's: type = "response" is then the share of true yes.
  misc <- list(tran = object$link, inv.lbl = "prob", sigma = NULL)
  if (object$link == "identity") misc$tran <- NULL
  list(X = X, bhat = bhat, nbasis = nbasis, V = V[kept, kept, drop = FALSE], dffun = function(k, dfargs) Inf,
       dfargs = list(),
       misc = misc)
}
