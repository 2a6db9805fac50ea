# Intervals of associations. An interval leaves independence out if and only if the test of independence rejects it at
# the same level.

# Two yes/no questions have one test with one degree of freedom. Where cells of a fit are at 0, and taken as known, the
# interval is the unbiased estimate's.
bounds_of.rr_association <- function(x, rows, level) {
  z <- qt((1 + level) / 2, x$df %||% Inf)
  pairs <- x$unbiased %||% x$pairs
  pairs <- pairs[match(paste(rows$x, rows$y, sep = "\r"), paste(pairs$x, pairs$y, sep = "\r")), ]
  limits <- list(low = rep(NA_real_, nrow(rows)), high = rep(NA_real_, nrow(rows)))
  for (measure in unique(rows$measure)) {
    at <- which(rows$measure == measure)
    found <- switch(measure, covariance = covariance_limits, correlation = correlation_limits,
                    odds.ratio = ratio_limits, cramers.v = cramer_limits)(pairs[at, ], z)
    limits$low[at] <- found$low
    limits$high[at] <- found$high
  }
  limits
}

# The limits of a measure that is 0 under independence. Its variance is that of the test at 0, that of the standard
# error at the estimate and beyond, and linear in the measure between: a quadratic equation. `share` is the limit as a
# share of the estimate, `null` and `own` are z^2 times the variances as shares of its square.
test_limits <- function(estimate, error, pairs, z) {
  statistic <- pairs[["statistic"]] %||% rep(NA_real_, nrow(pairs))
  statistic[!pairs[["df"]] %in% 1] <- NA
  own <- (z * error / estimate)^2
  null <- ifelse(is.na(statistic) | statistic <= 0, own, z^2 / statistic)
  share <- ifelse(null >= 1, 1 - sqrt(null), (2 + own - null - sqrt((own - null)^2 + 4 * own)) / 2)
  toward <- ifelse(estimate == 0, -z * error, share * estimate)
  beyond <- ifelse(estimate == 0, z * error, estimate * (1 + sqrt(own)))
  list(low = pmin(toward, beyond), high = pmax(toward, beyond))
}

covariance_limits <- function(pairs, z) test_limits(pairs$covariance, pairs$covariance.error, pairs, z)

correlation_limits <- function(pairs, z) {
  estimate <- pairs$correlation
  limits <- test_limits(estimate, pairs$correlation.error, pairs, z)
  # An unbiased estimate outside of the range does not narrow the interval to a point.
  wide <- normal_interval(estimate, z * pairs$correlation.error, -1, 1)
  high <- which(estimate > 1 & wide$low > 0)
  low <- which(estimate < -1 & wide$high < 0)
  limits$low[high] <- pmin(limits$low, wide$low)[high]
  limits$high[low] <- pmax(limits$high, wide$high)[low]
  lapply(limits, nearest, -1, 1)
}

# On the logarithm, and beyond the estimate no nearer than the ratio at the limit of the correlation, given the shares
# of yes: infinite (or 0) where a cell cannot be told from 0. If a cell is not positive, both limits are such ratios.
ratio_limits <- function(pairs, z) {
  own <- test_limits(log(pairs$odds.ratio), pairs$odds.ratio.error / pairs$odds.ratio, pairs, z)
  along <- correlation_limits(pairs, z)
  low <- ratio_at(pairs, along$low)
  high <- ratio_at(pairs, along$high)
  known <- !is.na(pairs$odds.ratio)
  negative <- pairs$covariance < 0
  list(low = ifelse(!known, low, ifelse(negative, pmin(exp(own$low), low), exp(own$low))),
       high = ifelse(!known, high, ifelse(negative, exp(own$high), pmax(exp(own$high), high))))
}

# The odds ratio of two questions with these shares of yes and this correlation; 0 or infinite where a cell has gone.
ratio_at <- function(pairs, correlation) {
  x <- pairs$share.x
  y <- pairs$share.y
  covariance <- correlation * root(x * (1 - x) * y * (1 - y))
  cell <- function(x, y, sign) pmax(x * y + sign * covariance, 0)
  cell(x, y, 1) * cell(1 - x, 1 - y, 1) / (cell(1 - x, y, -1) * cell(x, 1 - y, -1))
}

# Of yes/no questions it is the absolute correlation.
cramer_limits <- function(pairs, z) {
  limits <- normal_interval(pairs$cramers.v, z * pairs$cramers.v.error, 0, 1)
  if (is.null(pairs[["correlation"]])) return(limits)
  own <- correlation_limits(pairs, z)
  two <- which(!is.na(pairs$correlation))
  limits$low[two] <- ifelse(own$low * own$high <= 0, 0, pmin(abs(own$low), abs(own$high)))[two]
  limits$high[two] <- pmax(abs(own$low), abs(own$high))[two]
  limits
}
