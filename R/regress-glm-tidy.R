# Fits of rr_glm() as tables.

#' @rdname rr_glm_methods
#' @export
tidy.rr_glm <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, method = c("profile", "wald"),
                        type = NULL, cluster = NULL, ...) {
  asked <- !is.null(type) || !is.null(cluster)
  type <- type %||% default_variance(x, cluster)
  check_flag(conf.int, "conf.int")
  check_flag(exponentiate, "exponentiate")
  V <- stats::vcov(x, type, cluster, parameter = TRUE)
  estimate <- c(x$coefficients, x$parameter)
  se <- unname(sqrt(diag(V)))
  z <- unname(estimate) / se
  z[!is.finite(estimate)] <- NA
  if (!is.null(x$parameter)) z[length(z)] <- NA
  table <- tibble::tibble(term = names(estimate), estimate = unname(as.vector(estimate)), std.error = se, statistic = z,
                          p.value = 2 * stats::pt(-abs(z), coefficient_freedom(x, type)))
  if (conf.int) {
    ends <- if (!asked) stats::confint(x, level = conf.level, method = method)
      else stats::confint(x, level = conf.level, method = if (!missing(method)) method, type = type, cluster = cluster)
    if (!is.null(x$parameter)) ends <- rbind(ends, wald_parameter(x, conf.level, se[length(se)], type))
    table$conf.low <- unname(ends[, 1])
    table$conf.high <- unname(ends[, 2])
  }
  if (exponentiate) exponentiated(table, seq_along(x$coefficients)) else table
}

# Through the logit, so that it stays between 0 and 1.
wald_parameter <- function(fit, level, error, type) {
  psi <- as.vector(fit$parameter)
  half <- coefficient_quantile(fit, level, type) * error / (psi * (1 - psi))
  stats::plogis(stats::qlogis(psi) + c(-half, half))
}

#' @rdname rr_glm_methods
#' @export
glance.rr_glm <- function(x, ...) {
  design <- !is.null(x$design)
  tibble::tibble(null.deviance = x$null.deviance, df.null = x$df.null,
                 logLik = if (design) NA_real_ else as.numeric(stats::logLik(x)), AIC = stats::AIC(x),
                 BIC = if (design) NA_real_ else stats::BIC(x), deviance = x$deviance, df.residual = x$df.residual,
                 nobs = stats::nobs(x),
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
augment.rr_glm <- function(x, data = NULL, newdata = NULL, se_fit = FALSE, ...) {
  check_flag(se_fit, "se_fit")
  if (!is.null(newdata)) {
    table <- tibble::as_tibble(newdata)
    table$.truth <- unname(stats::predict(x, newdata, "truth"))
    if (se_fit) table$.se.fit <- unname(stats::predict(x, newdata, "truth", se.fit = TRUE)$se.fit)
    return(table)
  }
  if (!is.null(data)) check_fitted_data(data, x)
  rows <- fitted_rows(x)
  table <- if (is.null(data)) x$model[setdiff(names(x$model), c("(weights)", "(offset)",
                                                                "(arm)"))] else data[row.names(x$model), , drop = FALSE]
  # A column that was I(...) in the formula is a plain one here.
  table[] <- lapply(table, function(column) if (inherits(column, "AsIs")) unclass(column) else column)
  table <- tibble::as_tibble(table)
  table$.truth <- rows$truth
  if (se_fit) table$.se.fit <- fitted_errors(x)
  table$.report <- rows$report
  table$.posterior <- row_posterior(x, rows, unname(x$y))
  table$.hat <- unname(stats::hatvalues(x))
  table$.resid <- unname(stats::residuals(x, "deviance"))
  table
}

# The data of the fit, with further columns perhaps: other rows are new ones.
check_fitted_data <- function(data, fit) {
  if (is.data.frame(data) && all(row.names(fit$model) %in% row.names(data))) return(invisible())
  abort(c("{.arg data} must be the data of the fit, with its rows.",
          x = if (is.data.frame(data)) "It has {nrow(data)} row{?s}, and the fit {nrow(fit$model)}."
              else "It is {describe(data)}.", i = "New rows are {.arg newdata}."), "argument")
}

# Standard errors of the fitted truths, of the rows that were fitted.
fitted_errors <- function(fit) {
  fit$na.action <- NULL
  unname(stats::predict(fit, type = "truth", se.fit = TRUE)$se.fit)
}

#' @export
as.data.frame.rr_glm <- function(x, ...) {
  plain_frame(tidy(x, conf.int = TRUE), ...)
}
