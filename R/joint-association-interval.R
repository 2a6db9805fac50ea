# This file has the intervals of associations. An interval leaves independence out if and only if
# the test of independence rejects it at the same level.

# The limits of each row of `rows`, list(low, high). Two yes/no questions have one test with one
# degree of freedom. If cells of a fit are at 0, and taken as known, the interval is the unbiased
# estimate's.
bounds_of.rr_association <- function(x, rows, level) {
  z <- qt((1 + level) / 2, x$df %||% Inf)
  pairs <- x$unbiased %||% x$pairs
  pairs <- pairs[
    match(
      paste(rows$x, rows$y, sep = "\r"),
      paste(pairs$x, pairs$y, sep = "\r")
    ),
  ]
  limits <- list(
    low = rep(NA_real_, nrow(rows)),
    high = rep(NA_real_, nrow(rows))
  )
  for (measure in unique(rows$measure)) {
    index <- which(rows$measure == measure)
    result <- switch(measure, covariance = covariance_limits, correlation = correlation_limits,
                    odds.ratio = ratio_limits, cramers.v = cramer_limits)(pairs[index, ], z)
    limits$low[index] <- result$low
    limits$high[index] <- result$high
  }
  limits
}

# The limits of a measure that is 0 under independence. Its variance is the variance of the test at
# 0, the squared standard error at the estimate and beyond, and linear in the measure between: a
# quadratic equation. `share` is the limit as a share of the estimate. `null` and
# `relative_variance` are z^2 times the variances, as shares of its square.
test_limits <- function(estimate, error, pairs, z) {
  statistic <- known_statistic(pairs)
  relative_variance <- (z * error / estimate)^2
  null <- ifelse(is.na(statistic), relative_variance, z^2 / statistic)
  share <- ifelse(
    null >= 1, 1 - sqrt(null),
    (2 + relative_variance - null - sqrt((relative_variance - null)^2 + 4 * relative_variance)) / 2
  )
  toward <- ifelse(estimate == 0, -z * error, share * estimate)
  beyond <- ifelse(estimate == 0, z * error, estimate * (1 + sqrt(relative_variance)))
  list(low = pmin(toward, beyond), high = pmax(toward, beyond))
}

# The statistics of tests with one degree of freedom, NA for others. The variance of the test cannot
# be had from a covariance that is a rounding.
known_statistic <- function(pairs) {
  statistic <- pairs[["statistic"]] %||% rep(NA_real_, nrow(pairs))
  replace(statistic, !pairs[["df"]] %in% 1 | statistic %in% NA | statistic < no_noise, NA)
}

covariance_limits <- function(pairs, z) {
  test_limits(pairs$covariance, pairs$covariance.error, pairs, z)
}

correlation_limits <- function(pairs, z) {
  estimate <- pairs$correlation
  limits <- test_limits(estimate, pairs$correlation.error, pairs, z)
  # An unbiased estimate outside of the range does not narrow the interval to a point.
  wide <- normal_interval(estimate, z * pairs$correlation.error, -1, 1)
  high <- which(estimate > 1 & wide$low > 0)
  low <- which(estimate < -1 & wide$high < 0)
  limits$low[high] <- pmin(limits$low, wide$low)[high]
  limits$high[low] <- pmax(limits$high, wide$high)[low]
  lapply(limits, clamp, -1, 1)
}

# The limits of an odds ratio. It is judged by the share of yes to both, given the shares of yes to
# each: how far is the share from the one that the odds ratio gives? Under independence the distance
# is the covariance. Near an empty cell the odds ratio is far from normal, and the distance is not.
# Odds ratios are sought as `position` from 0 to 1:
#    position = ratio / (1 + ratio)
ratio_limits <- function(pairs, z) {
  inside <- function(share) ifelse(varies(share), share, NA)
  shares <- list(x = inside(pairs$share.x), y = inside(pairs$share.y),
                 moments = t(as.matrix(pairs[moment_columns])))
  joint <- clamp(
    pairs$share.both, joint_share(shares, 0)$value, joint_share(shares, 1)$value
  )
  estimate <- ratio_position(shares, joint)
  independent <- joint_share(shares, 1 / 2)
  statistic <- known_statistic(pairs)
  added <- (joint - independent$value)^2 / statistic - independent$variance
  added[is.na(statistic)] <- 0
  outside <- function(position) {
    share <- joint_share(shares, position)
    # The variance is all of the test's at independence and on its other side. Nothing of it is left
    # at the estimate and beyond.
    weight <- ifelse(
      estimate == 1 / 2, 0,
      clamp((estimate - position) / (estimate - 1 / 2))
    )
    abs(joint - share$value) >
      z * sqrt(pmax(0, share$variance + weight * added))
  }
  side <- as.numeric(pairs$covariance >= 0)
  rejected <- outside(1 / 2)
  toward <- last_inside(
    outside, ifelse(rejected, estimate, 1 / 2),
    ifelse(rejected, 1 / 2, 1 - side)
  )
  beyond <- last_inside(outside, estimate, side)
  low <- pmin(toward, beyond)
  high <- pmax(toward, beyond)
  list(low = low / (1 - low), high = high / (1 - high))
}

# The position of the estimate; 0 or 1 if a cell is empty.
ratio_position <- function(shares, joint) {
  alike <- joint * (1 - shares$x - shares$y + joint)
  unlike <- (shares$x - joint) * (shares$y - joint)
  alike / (alike + unlike)
}

# The share of yes to both that these shares of yes and this odds ratio give (Plackett 1965), and
# the variance of its distance from the estimate.
joint_share <- function(shares, position) {
  x <- shares$x
  y <- shares$y
  linear <- (1 - position) * (1 - x - y) + position * (x + y)
  root <- sqrt(
    pmax(0, linear^2 + 4 * (1 - 2 * position) * position * x * y)
  )
  value <- ifelse(
    linear > 0, 2 * position * x * y / (linear + root),
    (root - linear) / (2 * (1 - 2 * position))
  )
  slope <- (1 - position) * (1 - x - y + 2 * value) +
    position * (x + y - 2 * value)
  # At an end with two empty cells either share of yes may be the smaller.
  derivative <- function(other) {
    ifelse(
      slope > 0, ((1 - position) * value + position * (other - value)) / slope,
      1 / 2
    )
  }
  list(
    value = value,
    variance = quadratic_form(
      list(-derivative(y), -derivative(x), 1), shares$moments
    )
  )
}

# The last point from `inside` to `end` that is not outside, by bisection.
last_inside <- function(outside, inside, end) {
  far <- end
  for (step in 1:50) {
    middle <- (inside + far) / 2
    is_outside <- outside(middle)
    far <- ifelse(is_outside, middle, far)
    inside <- ifelse(is_outside, inside, middle)
  }
  ifelse(outside(end), inside, end)
}

# The limits of Cramer's V. For yes/no questions it is the absolute correlation.
cramer_limits <- function(pairs, z) {
  limits <- normal_interval(pairs$cramers.v, z * pairs$cramers.v.error)
  if (is.null(pairs[["correlation"]])) return(limits)
  correlation <- correlation_limits(pairs, z)
  two <- which(!is.na(pairs$correlation))
  low <- abs(correlation$low)
  high <- abs(correlation$high)
  holds_zero <- correlation$low * correlation$high <= 0
  limits$low[two] <- ifelse(holds_zero, 0, pmin(low, high))[two]
  limits$high[two] <- pmax(low, high)[two]
  limits
}
