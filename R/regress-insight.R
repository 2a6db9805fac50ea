# What the packages on insight (parameters, modelsummary, performance, ...) ask of a fit of rr_glm(). Its family is that
# of the reports, whose link no package knows; its coefficients are about the truth, whose link decides what they are
# called and what exponentiating them gives. Its likelihood is that of the reports: a measure that puts fitted truths
# beside reports, as if a report were the truth, is none of the fit, and is refused.

# The family of the truth.
truth_family <- function(fit) {
  stats::binomial(if (fit$link == "identity") stats::make.link("identity") else fit$link)
}

#' @exportS3Method insight::model_info
model_info.rr_glm <- function(x, ...) {
  x$family <- truth_family(x)
  class(x) <- c("glm", "lm")
  info <- insight::model_info(x, ...)
  # parameters calls the exponential of every other coefficient of a binomial model a risk ratio, which only that of a
  # log link is. Of an unknown family they are coefficients.
  if (is.list(info) && !x$link %in% c("logit", "log")) info$family <- "unknown"
  info
}

#' @exportS3Method insight::link_function
link_function.rr_glm <- function(x, ...) stats::make.link(x$link)$linkfun

#' @exportS3Method insight::link_inverse
link_inverse.rr_glm <- function(x, ...) stats::make.link(x$link)$linkinv

#' @exportS3Method insight::find_statistic
find_statistic.rr_glm <- function(x, ...) if (is.null(x$design)) "z-statistic" else "t-statistic"

#' @exportS3Method insight::get_df
get_df.rr_glm <- function(x, type = "residual", ...) {
  if (!is.character(type) || type %in% c("residual", "model", "analytical")) return(NextMethod())
  coefficient_freedom(x)
}

# Without this insight gives the probability of the reports if each were the truth.
#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.rr_glm <- function(x, ...) {
  value <- stats::logLik(x)
  structure(value, per_obs = report_likelihoods(x), nall = attr(value, "nobs"))
}

#' @exportS3Method insight::get_loglikelihood
get_loglikelihood.rr_regression <- function(x, ...) {
  value <- stats::logLik(x)
  structure(value, per_obs = NA, nall = attr(value, "nobs"))
}

# The part of each row in the log-likelihood, which tests of models that are not nested need. A fit of penalised
# coefficients has the same: the penalty is none of its rows.
report_likelihoods <- function(fit) {
  y <- unname(fit$y)
  w <- unname(fit$prior.weights)
  mu <- unname(fit$fitted.values)
  parts <- ifelse(y > 0, w * y * log(mu), 0) + ifelse(y < 1, w * (1 - y) * log(1 - mu), 0)
  grouped <- which(w > 0 & y > 0 & y < 1)
  parts[grouped] <- parts[grouped] + vapply(grouped, function(i) binomial_constant(y[i], w[i]), 0)
  parts
}

# Of a survey design there is an AIC alone, corrected for the design.
information_criteria <- function(fit) {
  if (inherits(fit, "rr_glm") && !is.null(fit$design)) return(data.frame(AIC = stats::AIC(fit)))
  if (is.null(fit$loglik)) return(data.frame(row.names = 1L))
  value <- stats::logLik(fit)
  k <- attr(value, "df")
  n <- attr(value, "nobs")
  data.frame(AIC = stats::AIC(value), AICc = if (n > k + 1) -2 * as.numeric(value) + 2 * k * n / (n - k - 1) else NA,
             BIC = stats::BIC(value))
}

refuse_measure <- function(what) {
  abort(c("A fit of randomised reports has no {what}.",
          x = "It would put the fitted truths beside the reports, and a report is not the truth.",
          i = "{.fn AIC}, {.fn BIC}, {.fn logLik} and {.fn anova} compare fits by the likelihood of the reports."),
        "argument")
}

#' @exportS3Method performance::model_performance
model_performance.rr_glm <- function(model, metrics = "all", ...) {
  choose_measures(information_criteria(model), metrics, c("AIC", "AICc", "BIC"))
}

#' @exportS3Method performance::model_performance
model_performance.rr_regression <- function(model, metrics = "all", ...) {
  choose_measures(information_criteria(model), metrics, c("AIC", "AICc", "BIC"))
}

#' @exportS3Method modelsummary::glance_custom
glance_custom.rr_regression <- function(x, ...) likelihood_row(x$loglik)

#' @exportS3Method performance::performance_mse
performance_mse.rr_glm <- function(model, ...) refuse_measure("mean squared error of the truth")

#' @exportS3Method performance::performance_mse
performance_mse.rr_regression <- function(model, ...) refuse_measure("mean squared error of the truth")

#' @exportS3Method performance::performance_mae
performance_mae.rr_glm <- function(model, ...) refuse_measure("mean absolute error of the truth")

#' @exportS3Method performance::performance_mae
performance_mae.rr_regression <- function(model, ...) refuse_measure("mean absolute error of the truth")

#' @exportS3Method performance::performance_logloss
performance_logloss.rr_glm <- function(model, ...) refuse_measure("log loss of the truth")

#' @exportS3Method performance::r2
r2.rr_glm <- function(model, ...) refuse_measure("share of explained variance")

#' @exportS3Method performance::r2_tjur
r2_tjur.rr_glm <- function(model, ...) refuse_measure("coefficient of discrimination")

# insight does not know these models, and performance falls into an error of its own.
#' @exportS3Method performance::test_likelihoodratio
test_likelihoodratio.rr_regression <- function(..., estimator = "ML", verbose = TRUE) {
  fits <- list(...)
  names <- vapply(as.list(match.call(expand.dots = FALSE)$...), deparse1, "")
  table <- stats::anova(...)
  order <- order(vapply(fits, function(fit) fit$df, 0))
  structure(
    data.frame(Name = names[order], Model = vapply(fits[order], function(fit) class(fit)[1], ""), df = table$Df,
               df_diff = table$Df.diff, Criterion = -2 * table$logLik, Chi2 = table$Chisq, p = table$`Pr(>Chi)`),
    is_nested_increasing = !is.unsorted(order), is_nested_decreasing = !is.unsorted(rev(order)), estimator = "ml",
    class = c("test_likelihoodratio", "see_test_likelihoodratio", "data.frame")
  )
}

# performance compares fits of the classes that insight lists, and insight drops all others. In the list that it gets to
# see these fits have one class more, the last, so that no method of it goes before ours.
#' @exportS3Method insight::ellipsis_info
ellipsis_info.rr_regression <- function(...) {
  # Further arguments are options of insight.
  fits <- Filter(function(fit) inherits(fit, c("rr_regression", "rr_glm")), list(...))
  same <- vapply(fits, function(fit) stats::nobs(fit) == stats::nobs(fits[[1]]), NA)
  listed <- lapply(fits, function(fit) structure(fit, class = c(class(fit), "multinom")))
  structure(listed, same_response = all(same), is_nested = FALSE,
            class = c("ListNonNestedRegressions", "ListRegressions", "ListModels", "list"))
}

#' @exportS3Method parameters::model_parameters
model_parameters.rr_regression <- function(model, ci = 0.95, exponentiate = FALSE, keep = NULL, drop = NULL, ...) {
  table <- if (is.null(ci)) tidy(model) else tidy(model, conf.int = TRUE, conf.level = ci)
  if (isTRUE(exponentiate)) {
    if (inherits(model, "rr_predictor")) {
      abort(c("{.arg exponentiate} must be {.val {FALSE}} for a fit of {.fn rr_predictor}.",
              x = "Its coefficients are those of several models.", i = "Take {.fn exp} of those you mean."), "argument")
    }
    table$std.error <- table$std.error * exp(table$estimate)
    columns <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
    table[columns] <- lapply(table[columns], exp)
  }
  names <- if (nrow(table) == length(model$coefficients)) names(model$coefficients)
  parameter_table(table, names, ci, keep, drop)
}
