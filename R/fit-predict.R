#' Posterior probability of the truth given one report
#'
#' `predict()` gives the probabilities of the true answers behind a report, by Bayes' rule with the estimated shares as the prior. Without `reports` the table covers
#' every report of the mechanism.
#'
#' A report changes the odds of a truth by at most the factor \eqn{e^\epsilon}. The column `odds.factor` is the factor of this report at these shares.
#'
#' @param object A fit of [rr_estimate()] whose estimates are shares (none below 0, with sum 1).
#' @param reports Reports as [rr_tally()] accepts them; default every report once.
#' @param ... Not used.
#' @return A tibble with one row per report (and group) and truth:
#'
#'   | column | content |
#'   |---|---|
#'   | `row` | position of the report, if `reports` were given |
#'   | `report`, `term` | the report; the truth |
#'   | `share` | the estimated share, the prior |
#'   | `posterior` | probability of the truth given the report |
#'   | `odds.factor` | posterior odds divided by prior odds; `NaN` if the share is 0 or 1 |
#' @section Errors:
#' `candor_error_argument` (also for estimates that are not a distribution: use `method = "mle"`), `candor_error_level`. See [candor_conditions].
#' @references Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. *Journal of the American Statistical
#'   Association* 110(511), 1304-1319. \doi{10.1080/01621459.2015.1050028}
#' @seealso [rr_epsilon()] for the bound on the odds, [predict.rr_glm()] for regressions.
#' @concept plausible deniability
#' @concept posterior probability
#' @examples
#' # How likely is it that a civilian who said yes had contact with an armed group?
#' fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
#' predict(fit)
#' predict(fit, c("yes", "no"))
#' # About two in three; without a report it is one in four
#' @export
predict.rr_fit <- function(object, reports = NULL, ...) {
  mechanism <- object$mechanism
  estimate <- unname(as.matrix(object$estimate))
  if (any(estimate < 0) || !all(apply(estimate, 2, adds_up))) {
    abort("{.arg object} must hold shares: none below 0, with the sum 1.", "argument")
  }
  codes <- seq_along(mechanism$reports)
  if (!is.null(reports)) {
    encoded <- encode_reports(reports, mechanism)
    codes <- as.integer(encoded$codes) - as.integer(encoded$first) + 1L
    bad <- which(is.na(codes) | codes < 1L | codes > length(mechanism$reports))
    if (length(bad)) abort_report(reports, bad[1], mechanism)
  }
  k <- length(mechanism$levels)
  C <- rr_matrix(mechanism)
  tables <- lapply(seq_len(ncol(estimate)), function(g) {
    joint <- estimate[, g] * C[, codes, drop = FALSE]
    posterior <- as.vector(joint / rep(colSums(joint), each = k))
    share <- rep(estimate[, g], length(codes))
    table <- list(report = rep(mechanism$reports[codes], each = k), term = rep(mechanism$levels, length(codes)),
                  share = share, posterior = posterior,
                  odds.factor = posterior / (1 - posterior) / (share / (1 - share)))
    tibble::as_tibble(c(if (!is.null(reports)) list(row = rep(seq_along(codes), each = k)), table))
  })
  bind_groups(tables, object$tally$groups)
}
