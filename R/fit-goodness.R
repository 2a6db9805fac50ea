#' Did they follow the instructions?
#'
#' Tests whether the reports can come from any truth under the design as stated. A small p-value says that the design does not
#' describe what respondents did: they did not follow the instructions, or the design's probabilities are not the stated ones.
#'
#' The statistic is the deviance: twice the difference between the largest log-likelihood of the reports without any model and the largest one under the
#' design. A single question whose matrix is invertible can explain all reports, unless some report was given less (or more) often than the design
#' allows: 108 yes where the die alone makes 116. Then the best truth sits on the boundary and the deviance is above 0. Pools of several designs ([rr_pool()]) and channels with more
#' reports than truths have degrees of freedom left.
#'
#' A chi-squared distribution holds only away from the boundary, so p-values are found by simulation: tallies of the same size
#' are drawn under the fitted truth and fitted again. With estimates on the boundary the test is conservative in small
#' samples.
#'
#' @param fit A fit of [rr_estimate()] by `"mle"`.
#' @param replications Number of simulated tallies, at least 99.
#' @param seed A whole number for [set.seed()]; R's generator is restored afterwards. Or `NULL`, to continue from the generator's present state.
#' @param ... Not used, and refused.
#' @return A tibble with a row per group: `deviance`, `df` (the degrees of freedom that the design leaves: independent reports less parameters that they
#'   identify), `p.value` (by simulation), `p.chi2` (from the chi-squared distribution; `NA` without degrees of freedom or with an
#'   estimate on the boundary), `replications`.
#' @section Errors:
#' `candor_error_argument` for anything but a maximum likelihood fit and for other arguments out of range.
#' @source Davison, A. C. and Hinkley, D. V. (1997). *Bootstrap Methods and their Application*. Cambridge University Press, section 4.2
#'   (Monte Carlo tests: p = (1 + number at least as large) / (1 + replications)).
#' @examples
#' # A die that forces "yes" in one of six throws makes 116 yes of 695 on average; 108 were given
#' fit <- rr_estimate(rr_counts(c(no = 587, yes = 108), rr_binary(11 / 12, 1 / 6)))
#' rr_goodness_of_fit(fit, seed = 1)
#' @export
rr_goodness_of_fit <- function(fit, replications = 999, seed = NULL, ...) {
  check_dots_empty(...)
  check_given()
  if (inherits(fit, "rr_survey")) {
    refuse_survey("goodness of fit",
                  "It can be tested for the same reports as if of independent respondents: leave the design out.")
  }
  if (!inherits(fit, "rr_fit") || !identical(fit$method, "mle")) {
    abort(c("{.arg fit} must be a fit by maximum likelihood.",
            x = if (inherits(fit, "rr_fit")) "Its method is {.val {fit$method}}." else "It is {describe(fit)}.",
            i = if (inherits(fit, "rr_fit") && isTRUE(fit$estimator$composite)) {
              paste("Keep the reports' sets, {.code rr_tally(..., keep = \"sets\")}, and estimate with",
                    "{.code method = \"mle\"}.")
            } else "Estimate with {.code method = \"mle\"}."), "argument")
  }
  replications <- check_count(replications, "replications", min = 99, max = 1e6)
  keep_seed(seed)
  groups <- seq_len(ncol(as.matrix(fit$estimate)))
  rows <- lapply(groups, function(g) goodness_row(fit, g, replications))
  table <- do.call(rbind, rows)
  if (is.null(fit$tally$groups)) return(table)
  tibble::as_tibble(c(as.list(fit$tally$groups), table))
}

goodness_row <- function(fit, g, replications) {
  mechanism <- fit$mechanism
  n <- fit$tally$effective_n[g]
  counts <- group_evidence(fit$tally, g)$counts
  theta <- group_estimate(fit, g)
  fitted <- reported_shares(mechanism, theta)
  blocks <- report_blocks(mechanism)
  deviance <- count_deviance(counts, fitted, blocks)
  df <- free_reports(mechanism)
  size <- vapply(blocks, function(block) round(sum(counts[block])), 0)
  draws <- matrix(0, length(counts), replications)
  for (b in seq_along(blocks)) {
    share <- pmax(fitted[blocks[[b]]], 0)
    draws[blocks[[b]], ] <- draw_multinomial(replications, size[b], share / sum(share))
  }
  simulated <- apply(draws, 2, function(new) {
    again <- estimate_counts(mechanism, new, "mle", sum(size))$estimate
    count_deviance(new, reported_shares(mechanism, again), blocks)
  })
  # Deviances that differ from 0 only by rounding count as ties with 0.
  larger <- sum(simulated >= deviance * (1 - 1e-8) - 1e-8)
  inside <- all(theta > 0 & theta < 1)
  tibble::tibble(deviance = deviance, df = df, p.value = (1 + larger) / (1 + replications),
                 p.chi2 = if (df > 0 && inside) stats::pchisq(deviance, df, lower.tail = FALSE) else NA_real_,
                 replications = replications)
}

# Do the reports of some group lie far from all that the design could give? The deviance of few categories is held
# against all degrees of freedom that the reports have: more than the test has, so that a remark is rarely wrong. The
# likeliest truth decides, whatever the method; where another one has no estimate below 0, its truth fits as well.
is_contradicted <- function(fit) {
  reports <- length(fit$mechanism$reports)
  likeliest <- fit$method == "mle"
  if (!likeliest && !(fit$estimator$unbiased && any(fit$estimate < 0))) return(FALSE)
  if (reports > 40 || !law_gives(rr_law(fit$mechanism), "channel", reports)) return(FALSE)
  blocks <- report_blocks(fit$mechanism)
  limit <- stats::qchisq(0.999, reports - length(blocks))
  any(vapply(seq_len(ncol(as.matrix(fit$estimate))), function(g) {
    evidence <- group_evidence(fit$tally, g)
    truth <- group_estimate(fit, g)
    if (!likeliest && all(truth >= 0)) return(FALSE)
    if (!likeliest) truth <- estimate_counts(fit$mechanism, evidence$counts, "mle", evidence$n)$estimate
    count_deviance(evidence$counts, reported_shares(fit$mechanism, truth), blocks) > limit
  }, NA))
}

# The same by the counts of any law and for any method: is each in its range?
is_unlikely <- function(fit) {
  groups <- fit_evidence(fit)
  any(vapply(groups, function(evidence) law_unlikely(evidence$law, evidence, false_alarm / length(groups)), NA))
}

# Reports of one design of a pool; all of another mechanism.
report_blocks <- function(mechanism) {
  if (!inherits(mechanism, "rr_pooled")) return(list(seq_along(mechanism$reports)))
  sizes <- vapply(mechanism$designs, function(design) length(design$reports), 0L)
  unname(split(seq_len(sum(sizes)), rep(seq_along(sizes), sizes)))
}

count_deviance <- function(counts, fitted, blocks) {
  total <- sum(vapply(blocks, function(block) {
    n <- counts[block]
    expected <- fitted[block] / sum(fitted[block]) * sum(n)
    seen <- n > 0
    2 * sum(n[seen] * log(n[seen] / expected[seen]))
  }, 0))
  max(0, total)
}

# Independent reports less the parameters that they identify.
free_reports <- function(mechanism) {
  k <- length(mechanism$levels)
  reports <- length(mechanism$reports)
  blocks <- length(report_blocks(mechanism))
  if (inherits(rr_law(mechanism), "rr_law_additive") || k > 1000) return(max(0, reports - blocks - (k - 1)))
  max(0, reports - blocks - (qr(rr_matrix(mechanism), tol = 1e-11)$rank - 1))
}
