# Fits of rr_glm() as tables.

#' @rdname rr_glm_methods
#' @export
tidy.rr_glm <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, method = c("profile", "wald"),
                        type = NULL, cluster = NULL, ...) {
  check_object(x)
  check_dots_near(...)
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
  if (exponentiate) {
    rows <- seq_along(x$coefficients)
    for (column in intersect(c("estimate", "conf.low", "conf.high"), names(table))) {
      table[[column]][rows] <- exp(table[[column]][rows])
    }
  }
  table
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
  check_object(x)
  check_dots_near(...)
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
augment.rr_glm <- function(x, data = NULL, newdata = NULL, ...) {
  check_object(x)
  check_dots_near(...)
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
