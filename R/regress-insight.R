# These methods are for packages that build on insight (parameters, modelsummary, performance, ...),
# for emmeans and others. The family of rr_glm() is that of the reports, whose link no package
# knows; its coefficients are about the truth, whose link decides what they are called. Its
# likelihood is that of the reports.

# The family of the truth, which predict(type = "response") is about.
#' @export
family.rr_glm <- function(object, ...) binomial(make.link(object$link))

#' @exportS3Method insight::get_df
get_df.rr_glm <- function(x, type = "residual", ...) {
  if (!is.character(type) || type %in% c("residual", "model", "analytical")) {
    return(NextMethod())
  }
  coefficient_freedom(x)
}

# insight would otherwise give the probability of the reports if each were the truth. The part of
# each row is what tests of models that are not nested need.
#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.rr_glm <- function(x, ...) {
  value <- logLik(x)
  y <- unname(x$y)
  w <- unname(x$prior.weights)
  mu <- unname(x$fitted.values)
  loglik <- ifelse(y > 0, w * y * log(mu), 0) +
    ifelse(y < 1, w * (1 - y) * log(1 - mu), 0)
  structure(value, per_obs = loglik + binomial_constants(y, w), nall = attr(value, "nobs"))
}

# A fit in a survey design has an AIC alone, corrected for the design.
#' @exportS3Method performance::model_performance
model_performance.rr_glm <- function(model, metrics = "all", ...) {
  table <- if (!is.null(model$design) || is.null(model$loglik)) {
    data.frame(AIC = if (inherits(model, "rr_glm")) AIC(model) else NA)
  } else {
    value <- logLik(model)
    k <- attr(value, "df")
    n <- attr(value, "nobs")
    data.frame(
      AIC = AIC(value),
      AICc = if (n > k + 1) {
        AIC(value) + 2 * k * (k + 1) / (n - k - 1)
      } else {
        NA
      },
      BIC = BIC(value)
    )
  }
  choose_measures(table, metrics, c("AIC", "AICc", "BIC"))
}

#' @exportS3Method performance::model_performance
model_performance.rr_regression <- model_performance.rr_glm

# They put predict(type = "response"), the truths, beside the reports.
#' @exportS3Method performance::r2_tjur
r2_tjur.rr_glm <- function(model, ...) {
  abort(c("Tjur's and Efron's measures compare truths with truths, and a fit has reports.",
          i = "{.code performance::r2_mcfadden()} is of the likelihood of the reports."))
}

#' @exportS3Method performance::r2_efron
r2_efron.rr_glm <- function(model, ...) r2_tjur.rr_glm(model)

#' @exportS3Method modelsummary::glance_custom
glance_custom.rr_regression <- function(x, ...) likelihood_row(if (is.null(x$design)) x$loglik)

# Intervals of a survey design are Wald's; with "profile", its default, parameters takes the
# p-values for normal.
#' @exportS3Method parameters::model_parameters
model_parameters.rr_glm <- function(model, ci = 0.95, ci_method = NULL, ...) {
  kind <- ci_method %||% if (!is.null(model$design)) "wald"
  NextMethod(ci_method = kind)
}

#' @exportS3Method parameters::model_parameters
model_parameters.rr_regression <- function(
  model, ci = 0.95, exponentiate = FALSE, keep = NULL, drop = NULL, ...
) {
  exponentiate <- isTRUE(exponentiate)
  table <- tidy(
    model, conf.int = !is.null(ci), conf.level = ci %||% 0.95, exponentiate = exponentiate
  )
  factors <- exponentiate & table$term != protective_term
  table$std.error[factors] <- (table$std.error * table$estimate)[factors]
  names <- if (nrow(table) == length(model$coefficients)) names(model$coefficients)
  parameter_table(table, names, ci, keep, drop)
}

#' @exportS3Method emmeans::recover_data
recover_data.rr_glm <- function(object, data = NULL, ...) {
  if (is.null(data) && is.data.frame(object$data)) data <- object$data
  emmeans::recover_data(object$call, covariate_terms(object), object$na.action, data = data, ...)
}

#' @exportS3Method emmeans::emm_basis
emm_basis.rr_glm <- function(object, trms, xlev, grid, vcov. = NULL, ...) {
  frame <- model.frame(trms, grid, na.action = na.pass, xlev = xlev)
  V <- if (is.function(vcov.)) vcov.(object) else vcov. %||% vcov(object)
  is_estimated <- !is.na(object$coefficients)
  decomposition <- qr(crossprod(model.matrix(object)), tol = 1e-9)
  nbasis <- if (all(is_estimated)) {
    matrix(NA)
  } else {
    qr.Q(decomposition, complete = TRUE)[, -seq_len(decomposition$rank), drop = FALSE]
  }
  # The link is the truth's: type = "response" is then the share of true yes.
  list(
    X = model.matrix(trms, frame, contrasts.arg = object$contrasts),
    bhat = object$coefficients,
    nbasis = nbasis,
    V = V[is_estimated, is_estimated, drop = FALSE],
    dffun = function(k, dfargs) dfargs$df,
    dfargs = list(df = if (is.null(vcov.)) coefficient_freedom(object) else Inf),
    misc = list(
      tran = if (object$link != "identity") object$link,
      inv.lbl = "prob",
      sigma = NULL
    )
  )
}
