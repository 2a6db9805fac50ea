# Intervals that hold at all looks together, see inst/mathematics/anytime.md: exact ones of binomial
# counts, which a law states, and asymptotic ones of any estimate with a variance, a normal mixture
# in the time that the reports count.

# The number of reports as a multiple of `plan`, at which the asymptotic interval is narrowest,
# times the best x.
anytime_x <- function(level, n, plan) {
  least <- -2 * log1p(-level)
  x <- least + 2 * sqrt(least)
  # Newton's steps descend from above, since x - log(1 + x) is convex.
  for (step in seq_len(30)) {
    x <- x - (x - log1p(x) - least) * (1 + x) / x
  }
  x * n / plan
}

# The multiple of the standard error, in place of the normal quantile.
anytime_quantile <- function(level, n, plan) {
  x <- anytime_x(level, n, plan)
  sqrt(
    (1 + 1 / x) * (log1p(x) - 2 * log1p(-level))
  )
}

# The least error at which such an interval excludes 0, with the time of this level.
anytime_p_value <- function(ratio, level, n, plan) {
  x <- anytime_x(level, n, plan)
  pmin(
    1,
    sqrt(1 + x) *
      exp(-ratio^2 * x / (2 * (1 + x)))
  )
}

# A binomial count, or not: weighted counts are none.
is_exact_anytime <- function(law, tally) !is.null(law$binomial) && is.null(tally$weight_squares)

# Anytime limits of the unbiased estimate. They do not depend on the method.
anytime_intervals <- function(fit, g, level, which) {
  evidence <- group_evidence(fit$tally, g)
  law <- evidence$law
  if (is_exact_anytime(law, fit$tally)) {
    return(law_intervals(
      law, evidence, group_estimate(fit, g), "anytime", level, which, "population"
    ))
  }
  half <- anytime_quantile(level, reports_looked_at(evidence, which), fit$plan) *
    sqrt_or_na(law_variances(law, evidence, identity_map(evidence$k), which, "population"))
  centre <- law_unbiased(law, evidence)[which]
  symmetric_limits(centre, half)
}

# Normal theory holds from 100 reports on, of which 20 speak for a category and 20 do not.
least_reports <- 100
least_of_either <- 20

enough_reports <- function(evidence, which) {
  supporting <- supporting_counts(evidence$law, evidence)
  either <- pmin(supporting$counts, supporting$n - supporting$counts)
  rep_len(evidence$n, length(which)) >= least_reports & either[which] >= least_of_either
}

# How many reports the intervals of the categories `which` count: NA if there are too few.
reports_looked_at <- function(evidence, which) {
  ifelse(enough_reports(evidence, which), evidence$n, NA)
}

# Has a group too few for an interval that is not exact?
lacks_reports <- function(tally, evidence) {
  !is_exact_anytime(evidence[[1]]$law, tally) && !all(
    vapply(
      evidence, function(group) all(enough_reports(group, seq_len(group$k))), NA
    )
  )
}

# How many reports the rows of `weights` count, functions of all estimates: NA if one of the groups
# has too few.
anytime_reports <- function(fit, weights) {
  k <- length(fit$mechanism$levels)
  Reduce(
    `+`,
    lapply(seq_len(ncol(weights) / k), function(g) {
      is_used <- weights[, (g - 1) * k + seq_len(k), drop = FALSE] != 0
      enough <- enough_reports(group_evidence(fit$tally, g), seq_len(k))
      ifelse(
        rowSums(is_used) == 0, 0,
        ifelse(drop(is_used %*% !enough) > 0, NA, fit$tally$effective_n[g])
      )
    })
  )
}

tell_few_reports <- function(few) {
  if (!any(few)) return(invisible())
  cli::cli_inform(
    c(
      "Intervals while looking are NA if a group has too few reports for normal theory.",
      x = paste(
        "They need {least_reports} reports: {least_of_either} that speak for a category,",
        "and {least_of_either} that do not."
      )
    ),
    class = "candor_message_no_intervals"
  )
}
