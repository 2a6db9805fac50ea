# Do shares differ at all: likelihood-ratio tests of nested fits, and of one for all groups.

#' Likelihood ratio tests between fits
#'
#' For one grouped fit, tests whether the groups share one truth. For several fits of the same reports, tests whether the larger model fits better than the smaller one. A
#' fit of the pooled tally is nested in the fit by groups, and a fit with fewer groups in a fit with more groups.
#'
#' @param object A maximum likelihood fit of [rr_estimate()].
#' @param ... Further maximum likelihood fits of the same reports.
#' @return A data frame of class `anova` with a row per model: `groups`, `parameters`, `logLik`, and from the second row on
#'   `Df`, `Chisq` and `Pr(>Chisq)`. Where estimated shares are on the boundary the chi-squared distribution does not hold, and a warning says so.
#' @section Errors and warnings:
#' `candor_error_argument` for fits that are not by maximum likelihood, for weighted reports, for a single fit without groups; `candor_error_mismatch` for fits of different
#' reports. `candor_warning_boundary` where estimates sit on the boundary.
#' @source Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio. *Annals of Mathematical Statistics* 9(1), 60-62.
#' @inherit rr_compare examples
#' @export
anova.rr_fit <- function(object, ...) {
  others <- Filter(function(x) inherits(x, "rr_fit"), list(...))
  fits <- c(list(object), others)
  for (fit in fits) {
    if (!identical(fit$method, "mle")) {
      abort(c("Likelihood ratio tests need maximum likelihood fits.", x = "One is by {.val {fit$method}}.",
              i = "Estimate with {.code method = \"mle\"}."), "argument")
    }
  }
  # Each group counts with its effective number, which depends on how reports are grouped: two such sums have no ratio.
  if (any(vapply(fits, function(fit) !is.null(fit$tally$weight_squares), NA))) {
    abort(c("Likelihood ratio tests need reports without weights.",
            x = "The weights are scaled in each group: likelihoods of other groups have another scale.",
            i = "Compare groups with {.fn rr_compare}, or give {.fn rr_estimate} a survey design."), "argument")
  }
  if (length(fits) == 1L) fits <- list(pooled_fit(object), object)
  totals <- lapply(fits, function(fit) rowSums(as.matrix(fit$tally$counts)))
  same <- vapply(totals, function(total) isTRUE(all.equal(total, totals[[1]])), NA)
  if (!all(same)) {
    abort(c("The fits must be of the same reports.",
            x = "The counts of fit {which(!same)[1]} add up to others than those of fit 1."), "mismatch")
  }
  likelihoods <- lapply(fits, logLik)
  order <- order(vapply(likelihoods, attr, 0, "df"))
  likelihoods <- likelihoods[order]
  fits <- fits[order]
  value <- vapply(likelihoods, as.numeric, 0)
  df <- vapply(likelihoods, attr, 0, "df")
  if (sum(vapply(fits, boundary_count, 0)) > 0) {
    warn(c("Some shares are estimated on the boundary, where the chi-squared distribution holds only roughly.",
           i = "Compare groups with {.fn rr_compare}, whose intervals hold there."), "boundary")
  }
  gain <- c(NA, diff(df))
  statistic <- c(NA, pmax(0, 2 * diff(value)))
  table <- data.frame(groups = vapply(fits, function(fit) ncol(as.matrix(fit$estimate)), 0L), parameters = df,
                      logLik = value,
                      Df = gain, Chisq = statistic,
                      `Pr(>Chisq)` = ifelse(!is.na(gain) & gain > 0, stats::pchisq(statistic, gain, lower.tail = FALSE),
                                            NA),
                      check.names = FALSE, row.names = as.character(seq_along(fits)))
  structure(table, heading = "Likelihood ratio tests\n", class = c("anova", "data.frame"))
}

# The fit of all groups together.
pooled_fit <- function(fit) {
  if (is.null(fit$tally$groups) || nrow(fit$tally$groups) < 2L) {
    abort(c("A single fit must have at least two groups.", i = "Give a second fit to compare it with."), "argument")
  }
  rr_estimate(pool_groups(fit$tally), method = "mle", target = fit$target)
}

pool_groups <- function(tally) {
  new_rr_tally(tally$mechanism, rowSums(tally$counts), missing = tally$missing,
               n = sum(tally$n))
}
