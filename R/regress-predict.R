#' Predicted prevalences of a regression
#'
#' @param object A fit of [rr_glm()], also one with `attention`.
#' @param newdata A data frame of covariates; default the rows of the fit. `type = "posterior"` also needs the reports. With several
#'   mechanisms `"report"` and `"posterior"` need the column that was `arm`.
#' @param type One of these:
#'   * `"link"` (default): the linear predictor;
#'   * `"truth"`, or `"response"`: the probability that the true answer is yes;
#'   * `"report"`: the probability that the report is yes;
#'   * `"posterior"`: the probability that the true answer of *this respondent* is yes, given covariates and report. The report changes the odds by at most the factor
#'     \eqn{e^\epsilon}{exp(epsilon)}, see [rr_epsilon()];
#'   * `"attention"`: the probability that the respondent is attentive, for a fit with `attention`. Such fits have the types `"truth"` (default), `"attention"`, `"report"`
#'     and `"link"`;
#'   * `"terms"`: as in [stats::predict.lm()], with standard errors by `vcov()`.
#' @param se.fit Logical, default `FALSE`. Return standard errors?
#' @param interval `"none"` (default) or `"confidence"`: Wald intervals on the scale of the linear predictor, which stay within 0 and 1. With a survey design
#'   they are from the t distribution; with `vcov.` always normal.
#' @param level Confidence level, a number in (0, 1); default 0.95.
#' @param vcov. A covariance matrix of the coefficients; default `vcov(object)`.
#' @param ... Passed on for `type = "terms"`; otherwise ignored.
#' @details
#' If the estimate is at infinity, the truth of a row is 0, 1, the value of finite coefficients, or `NA` if the fit does not determine it. Standard errors of rows at infinity are `NA`.
#' @return A vector; with `interval` a matrix with columns `fit`, `lwr`, `upr`; with `se.fit` a list of `fit` and `se.fit`.
#' @section Errors:
#' `candor_error_argument`, `candor_error_level` (new values of a factor), `candor_error_mismatch` (no report, arm or offset in `newdata`). See [candor_conditions].
#' @references Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. *Journal of the American
#'   Statistical Association* 110(511), 1304-1319. \doi{10.1080/01621459.2015.1050028}
#' @seealso [rr_glm()], [rr_effects()] for averages.
#' @concept prevalence
#' @concept posterior probability
#' @examples
#' # What is the prevalence of plagiarism among women in semesters 1 and 8?
#' fit <- rr_glm(plagiarism ~ semester + female, exam_simulated,
#'               rr_forced(1 / 6))
#' predict(fit, data.frame(semester = c(1, 8), female = 1), "truth",
#'         interval = "confidence")
#' # And the probability for a woman in semester 8 who reported yes?
#' predict(fit, data.frame(semester = 8, female = 1, plagiarism = "yes"),
#'         "posterior")
#' # 17%, 27%; and 65% given the report
#' @export
predict.rr_glm <- function(
  object, newdata = NULL, type = c("link", "truth", "report", "posterior", "response", "terms"),
  se.fit = FALSE, interval = c("none", "confidence"), level = 0.95, vcov. = NULL, ...
) {
  type <- check_choice(type)
  interval <- check_choice(interval)
  check_flag(se.fit, "se.fit")
  if (type == "terms") return(predicted_terms(object, newdata, se.fit, ...))
  if (type == "response") type <- "truth"
  warn_ignored(..., accepted = names(formals()))
  new <- prediction_rows(object, newdata, type)
  label <- function(v) {
    v <- setNames(v, new$names)
    if (is.null(newdata)) napredict(object$na.action, v) else v
  }
  prediction <- predicted(object, new, type)
  if (!se.fit && interval == "none") return(label(prediction$value))
  error <- predictor_error(object, new, vcov.)
  fit <- if (interval == "none") {
    label(prediction$value)
  } else {
    level <- check_conf_level(level)
    half <- (if (is.null(vcov.)) coefficient_quantile(object, level) else normal_quantile(level)) *
      error
    prediction_limits(object, new, type, prediction$value, half)
  }
  if (!se.fit) return(fit)
  list(fit = fit, se.fit = label(error * abs(prediction$slope)), residual.scale = 1)
}

# Terms of the linear predictor, which glm() knows, with standard errors by vcov().
predicted_terms <- function(object, newdata, se.fit, ...) {
  x <- prediction_rows(object, newdata, "terms")$x
  arguments <- list(structure(object, class = c("glm", "lm")), type = "terms", ...)
  arguments$newdata <- newdata
  table <- do.call(predict, arguments)
  if (!se.fit) return(table)
  if (attr(object$terms, "intercept")) {
    x <- sweep(x, 2, colMeans(model.matrix(object)))
  }
  V <- vcov(object)
  terms <- match(colnames(table), attr(object$terms, "term.labels"))
  errors <- vapply(terms, function(term) {
    index <- which(column_terms(object) == term & !is_aliased(object))
    slope_error(x[, index, drop = FALSE], V[index, index, drop = FALSE])
  }, numeric(nrow(x)))
  dim(errors) <- c(nrow(x), length(terms))
  dimnames(errors) <- list(rownames(x), colnames(table))
  if (is.null(newdata)) errors <- napredict(object$na.action, errors)
  list(fit = table, se.fit = errors, residual.scale = 1)
}

# The standard errors of linear predictors.
predictor_error <- function(object, new, vcov.) {
  V <- vcov. %||% (if (is.null(object$design)) object$contrast_vcov) %||% vcov(object)
  index <- which(
    if (is.null(vcov.)) !is.na(diag(V)) else is.finite(object$coefficients)
  )
  error <- slope_error(
    new$x[, index, drop = FALSE], V[index, index, drop = FALSE]
  )
  replace(error, !is.finite(new$eta), NA)
}

# Predictions at the ends of the intervals of the linear predictors, which stay in the range of the
# link.
prediction_limits <- function(object, new, type, value, half) {
  sides <- lapply(c(-1, 1), function(side) {
    eta <- new$eta + side * half
    predicted(
      object, new, type,
      switch(
        object$link,
        log = pmin(eta, 0),
        identity = clamp(eta),
        eta
      )
    )$value
  })
  limits <- cbind(
    fit = value, lwr = pmin(sides[[1]], sides[[2]]),
    upr = pmax(sides[[1]], sides[[2]])
  )
  rownames(limits) <- new$names
  limits
}

# Linear predictors of the rows, with the report and the arm of each.
fitted_predictors <- function(object) {
  list(
    eta = unname(object$linear.predictors),
    x = model.matrix(object),
    y = unname(object$y),
    arm = object$arm,
    names = names(object$linear.predictors)
  )
}

# The model matrix, linear predictors, reports and mechanisms of new rows, or of the rows of the
# fit.
prediction_rows <- function(object, newdata, type) {
  if (is.null(newdata)) return(fitted_predictors(object))
  terms <- covariate_terms(object)
  x <- model.matrix(terms, newdata_frame(object, terms, newdata), contrasts.arg = object$contrasts)
  offset <- numeric(nrow(x))
  for (term in c(
      as.list(attr(terms, "variables"))[attr(terms, "offset") + 1],
      object$call$offset
    )) {
    offset <- offset + new_column(term, object, newdata)
  }
  # Tools that take derivatives set coefficients of their own.
  if (is.null(object$flat)) {
    object$point <- ifelse(is.na(object$coefficients), 0, object$coefficients)
  }
  list(
    eta = limit_predictor(object, x, offset),
    x = x,
    offset = offset,
    names = row.names(newdata),
    arm = if (type %in% c("report", "posterior") && !is.null(object$arm)) {
      new_arm(object, newdata)
    },
    y = if (type == "posterior") {
      read_response(new_column(object$formula[[2]], object, newdata), object$labels)$y
    }
  )
}

new_arm <- function(object, newdata) {
  arm <- 0L
  if (!inherits(object$mechanism, "rr_mechanism")) {
    labels <- if (is.null(object$mechanism_formula)) {
      column <- column_expression(object$call$arm, newdata, environment(object$terms))
      new_column(column, object, newdata)
    } else {
      check_columns(intersect(all.vars(object$mechanism_formula), names(object$data)), newdata)
      formula_labels(object$mechanism_formula, newdata)
    }
    arm <- match_arms(labels, names(object$mechanism), nrow(newdata))
  }
  if (is.null(object$anchor)) return(arm)
  anchor_answers <- new_column(as.name(names(object$anchor)), object, newdata)
  2L * arm + anchor_reports(anchor_answers, object$anchor[[1]])
}

# Columns of the data that were fitted must be columns here too, even if there is an object of that
# name elsewhere.
new_column <- function(expression, object, newdata) {
  absent <- setdiff(intersect(all.vars(expression), names(object$data)), names(newdata))
  value <- tryCatch(
    eval(expression, newdata, environment(object$terms)), error = function(e) NULL
  )
  if (!length(absent) && !is.null(value) && NROW(value) == nrow(newdata)) {
    return(value)
  }
  abort(c("{.arg newdata} must have the report, the mechanism and the offset of each row.",
          x = "It has no {.code {deparse1(expression)}}."), "mismatch")
}

# Predictions, and their slopes in the linear predictor.
predicted <- function(object, new, type, eta = new$eta) {
  if (type == "link") return(list(value = eta, slope = 1))
  rows <- regress_rows(eta, NULL, new$arm, object$device, object$link)
  if (type == "truth") {
    return(list(
      value = truth_curve(object$link)$yes(eta),
      slope = rows$slope
    ))
  }
  index <- row_arms(new$arm, length(eta))
  if (type == "report") {
    return(list(
      value = rows$report,
      slope = object$device[5, index] * rows$slope
    ))
  }
  posterior_slope <- function(r) {
    r * (1 - r) * rows$slope / (rows$truth * rows$truth_no)
  }
  yes <- posterior_slope(object$device[1, index] * rows$truth / rows$report)
  no <- posterior_slope(object$device[3, index] * rows$truth / rows$report_no)
  list(
    value = row_posterior(object, rows, new$y, new$arm),
    slope = new$y * yes + (1 - new$y) * no
  )
}
