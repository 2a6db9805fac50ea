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
#'   identify is `NA`, with `identified = FALSE`. Standard errors are those of the observed information, divided by the number of respondents (published moment
#'   estimates divide by one less per sample). Intervals are profile likelihood intervals of shares; of ratios they are symmetric on the logit scale.
#'   At the boundary, where a ratio is 0 or 1, its interval is `NA`.
#' @section Errors:
#' `candor_error_argument` for anything but a fit by `"mle"` of designs with an unknown parameter.
#' @source Delta method on the observed information of the latent classes; profile likelihood for shares.
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
  k <- nrow(C)
  n <- fit$tally$effective_n[g]
  counts <- group_evidence(fit$tally, g)$counts
  reported <- counts / n
  theta <- group_estimate(fit, g)
  indicator <- function(classes) as.double(seq_len(k) %in% classes)
  rows <- Map(function(parameter, term) {
    both <- identified_functions(C, reported, theta, n, rbind(indicator(parameter[[1]]), indicator(parameter[[2]])))
    share <- length(parameter[[2]]) == k
    known <- all(both$identified)
    estimate <- both$value[1] / both$value[2]
    slope <- c(1, -estimate) / both$value[2]
    if (share) slope <- c(1, 0)
    error <- sqrt(max(0, drop(slope %*% both$covariance %*% slope)))
    bounds <- c(NA_real_, NA_real_)
    if (known && share) bounds <- profile_share(C, counts, as.logical(indicator(parameter[[1]])), theta, conf.level, n)
    else if (known && estimate > 0 && estimate < 1) {
      half <- normal_quantile(conf.level) * error / (estimate * (1 - estimate))
      bounds <- stats::plogis(stats::qlogis(estimate) + c(-half, half))
    }
    tibble::tibble(term = term, estimate = if (known) estimate else NA_real_,
                   std.error = if (known) error else NA_real_,
                   conf.low = bounds[[1]], conf.high = bounds[[2]], identified = known)
  }, parameters, names(parameters))
  do.call(rbind, unname(rows))
}
