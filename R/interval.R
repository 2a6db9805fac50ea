# Intervals for estimated shares. The count of one report is binomial (or, for fixed truths, a sum of
# two binomials) whatever the estimator, so a Wilson or exact interval for the reported share, carried through the
# mechanism, is valid at the boundary, where normal theory is not.
#
# Wilson's interval, and every score interval here, holds the shares t at a distance of at most z standard deviations,
# those under t, from what was reported. Where that is more or less than any truth makes likely, even the nearest end of
# [0, 1] lies at some distance, the others lie further off, and few or none would be held: a point, which claims a
# certainty that nobody has. As the likelihood ratio does, the distance is then measured against the best that a truth
# can do, (distance to t)^2 - (distance to the end)^2 <= z^2. That holds all that was held, and the end inside.

estimate_intervals <- function(mechanism, fit, g, interval, level, which) UseMethod("estimate_intervals")

#' @export
estimate_intervals.rr_mechanism <- function(mechanism, fit, g, interval, level, which) {
  form <- additive(mechanism)
  if (is.null(form)) return(lapply(channel_intervals(mechanism, fit, g, level), `[`, which))
  counts <- group_counts(fit$tally, g)
  # sum(b) is 1 - a with all its digits.
  form$rest <- sum(rep_len(form$b, length(counts)))
  form$b <- rep_len(form$b, length(counts))[which]
  additive_intervals(form, counts[which] / sum(counts), group_estimate(fit, g)[which], fit, g, interval, level)
}

# `phi` are reported shares with the probabilities b + a theta: those of categories, or of sums of categories, which
# have the same form.
additive_intervals <- function(form, phi, estimate, fit, g, interval, level) {
  n <- fit$tally$effective_n[g]
  # Clopper and Pearson's interval is that of the literature: cut, to a point if need be.
  if (interval == "exact") {
    return(include_estimate(reported_interval(exact_interval(phi, n, level), form), estimate, fit$method))
  }
  inv <- (phi - form$b) / form$a
  likely <- nearest(phi, pmin(form$b, form$b + form$a), pmax(form$b, form$b + form$a))
  z2 <- stats::qnorm((1 + level) / 2)^2 + n * squared_excess(phi, likely, likely * (1 - likely))
  bounds <- if (fit$target == "sample") score_interval(inv, form, n, z2)
    else reported_interval(wilson_interval(phi, n, z2), form)
  include_estimate(reach_end(bounds, inv), estimate, fit$method)
}

nearest <- function(x, least, most) pmin(pmax(x, least), most)

# Of `x` over the nearest value that is likely, which has this variance.
squared_excess <- function(x, likely, variance) {
  excess <- numeric(length(x))
  beyond <- which(abs(x - likely) >= 1e-12)
  excess[beyond] <- (x - likely)[beyond]^2 / pmax(variance[beyond], 1e-12)
  excess
}

# An end that is as likely as a truth can be must not be shut out by roundings.
reach_end <- function(bounds, inv) {
  bounds$low[inv <= 0] <- 0
  bounds$high[inv >= 1] <- 1
  bounds
}

# Such an interval where the standard deviation does not depend on the truth; `half` is z of them.
normal_interval <- function(estimate, half, least, most) {
  half <- sqrt(half^2 + (estimate - nearest(estimate, least, most))^2)
  list(low = nearest(estimate - half, least, most), high = nearest(estimate + half, least, most))
}

wilson_interval <- function(phi, n, z2) {
  centre <- (phi + z2 / (2 * n)) / (1 + z2 / n)
  half <- sqrt(z2 * (phi * (1 - phi) / n + z2 / (4 * n^2))) / (1 + z2 / n)
  # At phi = 0 and 1 the bound is exactly 0 and 1; the formula leaves a rounding.
  list(low = ifelse(phi <= 0, 0, centre - half), high = ifelse(phi >= 1, 1, centre + half))
}

# Clopper and Pearson (1934).
exact_interval <- function(phi, n, level) {
  x <- phi * n
  list(low = ifelse(x <= 0, 0, stats::qbeta((1 - level) / 2, x, n - x + 1)),
       high = ifelse(x >= n, 1, stats::qbeta((1 + level) / 2, x + 1, n - x)))
}

reported_interval <- function(interval, form) {
  low <- (interval$low - form$b) / form$a
  high <- (interval$high - form$b) / form$a
  if (form$a < 0) list(low = high, high = low) else list(low = low, high = high)
}

# The values theta with |inv - theta| <= z sd(theta), where for fixed truths
# N a^2 Var(theta) = b (1 - b) + theta a (1 - a - 2b) is linear in theta: a quadratic inequality.
score_interval <- function(inv, form, n, z2) {
  intercept <- z2 * form$b * (1 - form$b) / (n * form$a^2)
  slope <- z2 * (form$rest - 2 * form$b) / (n * form$a)
  half <- sqrt(pmax(0, intercept + slope * inv + slope^2 / 4))
  list(low = inv + slope / 2 - half, high = inv + slope / 2 + half)
}

include_estimate <- function(bounds, estimate, method) {
  low <- nearest(bounds$low, 0, 1)
  high <- nearest(bounds$high, 0, 1)
  if (method %in% c("inv", "norm")) return(list(low = low, high = high))
  list(low = pmin(low, pmax(estimate, 0)), high = pmax(high, pmin(estimate, 1)))
}

# Bounds of the estimates of a fit: two matrices, categories by groups. They are worth computing only where they are
# asked for.
fit_intervals <- function(fit, level = fit$conf.level, interval = fit$interval,
                          which = seq_len(nrow(as.matrix(fit$estimate))),
                          groups = seq_len(ncol(as.matrix(fit$estimate)))) {
  if (fit$simultaneous) level <- 1 - (1 - level) / length(fit$estimate)
  columns <- lapply(groups, function(g) {
    if (interval == "wald") {
      half <- stats::qnorm((1 + level) / 2) * fit_errors(fit, g, which)
      return(list(low = group_estimate(fit, g)[which] - half, high = group_estimate(fit, g)[which] + half))
    }
    if (interval == "bootstrap") {
      tails <- c((1 - level) / 2, (1 + level) / 2)
      bounds <- apply(fit$replicates[[g]][which, , drop = FALSE], 1, stats::quantile, tails, names = FALSE)
      return(list(low = nearest(bounds[1, ], 0, 1), high = nearest(bounds[2, ], 0, 1)))
    }
    if (interval == "profile") return(profile_intervals(fit$mechanism, fit, g, level, which))
    estimate_intervals(fit$mechanism, fit, g, interval, level, which)
  })
  side <- function(name) vapply(columns, `[[`, numeric(length(which)), name)
  list(low = side("low"), high = side("high"))
}

# Standard errors in group g; an unbiased variance estimate below zero has none.
fit_errors <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  if (!is.null(fit$replicates)) return(apply(fit$replicates[[g]][which, , drop = FALSE], 1, stats::sd))
  variance <- estimate_variances(fit$mechanism, fit, g, which)
  sqrt(ifelse(variance < 0, NA_real_, variance))
}

# Which intervals a mechanism has. Exact ones need a report that belongs to each truth.
check_interval_kind <- function(interval, mechanism, target, call = caller_env()) {
  if (interval == "profile") check_profile(mechanism, target, call)
  if (interval == "exact" && is.null(additive(mechanism))) {
    abort(c("{.arg interval} cannot be {.val exact} for this mechanism: no report belongs to one truth alone.",
            i = "Use {.val profile}, {.val wilson} or {.val bootstrap}."), "argument", call = call)
  }
  invisible()
}

# The rows that `parm` says by label or position; all where it is NULL.
match_rows <- function(parm, labels, what, call = caller_env()) {
  if (is.null(parm)) return(seq_along(labels))
  at <- if (is.character(parm)) match(parm, labels) else if (is.numeric(parm)) match(parm, seq_along(labels))
  if (length(at) && !anyNA(at)) return(at)
  shown <- if (is.atomic(parm) && length(parm)) parm[is.na(at)][1] else describe(parm)
  abort(c("{.arg parm} must hold labels or positions of {what}.", x = "{.val {shown}} is not one.",
          i = "The {what} are {format_labels(labels)}."), "level", call = call)
}
