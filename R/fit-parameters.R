# The unknown parameters of a design, read from a fit of its latent classes.

#' The parameters of a design, estimated
#'
#' Estimates for designs with an unknown parameter: the share of yes, and the honesty, the share of cheaters, or the prevalence of the innocuous
#' attribute.
#'
#' @param fit A fit by maximum likelihood of a list of tallies, or of a pool ([rr_pool()]), whose designs have an unknown parameter.
#' @param conf.level Confidence level of the intervals.
#' @param ... Not used, and refused.
#' @return A tibble with a row per parameter (and group): `term`, `estimate`, `std.error`, `conf.low`, `conf.high`, `identified`. A parameter that the reports do not
#'   identify is `NA`, with `identified = FALSE`; so is the honesty where the share of yes is estimated as 0. Standard errors are those of the observed information, divided by the
#'   number of respondents (published moment estimates divide by one less per sample), and `NA` at 0 and 1. Intervals are profile likelihood intervals, of shares and of the
#'   honesty, and reach 0 and 1. If nobody may be a yes, the honesty may be anything, and its interval is from 0 to 1.
#' @section Errors:
#' `candor_error_argument` for anything but a fit by `"mle"` of designs with an unknown parameter.
#' @source Delta method on the observed information of the latent classes; profile likelihood ([rr_profile]).
#' @inherit rr_lie_detector examples
#' @seealso [rr_lie_detector()], [rr_cheater_detection()], [rr_unrelated()].
#' @export
rr_parameters <- function(fit, conf.level = 0.95, ...) {
  check_dots_empty(...)
  parameters <- if (inherits(fit, "rr_fit")) fit$mechanism$parameters
  if (is.null(parameters) || !identical(fit$method, "mle")) {
    abort(c("{.arg fit} must be a maximum likelihood fit of designs with an unknown parameter.",
            x = if (inherits(fit, "rr_fit")) "It is of: {format(fit$mechanism)}." else "It is {describe(fit)}.",
            i = paste("Such designs are {.fn rr_lie_detector}, {.fn rr_cheater_detection} and",
                      "{.code rr_unrelated(p, pi = NULL)}.")),
          "argument")
  }
  conf.level <- check_level(conf.level)
  groups <- seq_len(ncol(as.matrix(fit$estimate)))
  rows <- lapply(groups, function(g) parameter_rows(fit, g, parameters, conf.level))
  table <- do.call(rbind, rows)
  if (is.null(fit$tally$groups)) return(table)
  tibble::as_tibble(c(lapply(fit$tally$groups, rep, each = length(parameters)), table))
}

parameter_rows <- function(fit, g, parameters, conf.level) {
  C <- unname(rr_matrix(fit$mechanism))
  n <- fit$tally$effective_n[g]
  counts <- group_evidence(fit$tally, g)$counts
  theta <- group_estimate(fit, g)
  top <- sum_log(counts, as.vector(theta %*% C))
  indicator <- function(classes) as.double(seq_len(nrow(C)) %in% classes)
  rows <- Map(function(parameter, term) {
    both <- identified_functions(C, counts / n, theta, n, rbind(indicator(parameter[[1]]), indicator(parameter[[2]])))
    estimate <- both$value[1] / both$value[2]
    # Of nobody there is no ratio.
    known <- all(both$identified) && both$value[2] > 0
    slope <- if (length(parameter[[2]]) == nrow(C)) c(1, 0) else c(1, -estimate) / both$value[2]
    deviance <- ratio_deviance(C, counts, n, parameter[[1]], top, parameter[[2]])
    bounds <- if (is.nan(estimate)) c(low = 0, high = 1) else profile_ratio(deviance, estimate, conf.level)
    # At 0 and 1 the information says nothing about the error, as of other shares.
    inside <- known && estimate > 0 && estimate < 1
    tibble::tibble(term = term, estimate = if (known) estimate else NA_real_,
                   std.error = if (inside) sqrt(drop(slope %*% both$covariance %*% slope)) else NA_real_,
                   conf.low = bounds[["low"]], conf.high = bounds[["high"]], identified = known)
  }, parameters, names(parameters))
  do.call(rbind, unname(rows))
}
