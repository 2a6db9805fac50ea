# A share theta has an interval from a binomial count if it is reported with probability b + a
# theta. All laws whose counts are binomial have these.
#
# The count of one report is binomial (or, for fixed truths, a sum of two binomials) whatever the
# estimator. So a Wilson or exact interval for the reported share, carried through the mechanism, is
# valid at the boundary, where normal theory is not.
#
# Wilson's interval, and every score interval here, holds the shares t at a distance of at most z
# standard deviations, those under t, from what was reported. If more or fewer were reported than
# any truth makes likely, even the nearest end of [0, 1] is at some distance and all other shares
# are further off. The interval would be empty or a point, which claims a certainty that nobody has.
# So the distance is then compared with that of the best truth, as in a likelihood ratio: (distance
# to t)^2 - (distance to the end)^2 <= z^2. This interval contains the usual one and the end.

# The interval of shares theta from reported shares `phi` of `n` respondents, with probabilities b +
# a theta. They are shares of categories, or sums of these, which have the same probabilities.
# `p_random` is 1 - a, formed before digits are lost.
binomial_intervals <- function(a, b, p_random, phi, n, interval, conf.level, target) {
  # Clopper and Pearson's interval is that of the literature: cut, to a point if need be.
  if (interval == "exact") return(reported_interval(exact_interval(phi, n, conf.level), a, b))
  if (interval == "anytime") return(reported_interval(anytime_interval(phi, n, conf.level), a, b))
  inv <- (phi - b) / a
  likely <- clamp(phi, pmin(b, b + a), pmax(b, b + a))
  z2 <- normal_quantile(conf.level)^2 +
    n * squared_excess(phi, likely, likely * (1 - likely))
  if (target == "population") {
    return(reach_end(reported_interval(wilson_interval(phi, n, z2), a, b), inv))
  }
  # For fixed truths N a^2 Var(theta) = b (1 - b) + theta a (1 - a - 2b) is linear in theta: a
  # quadratic inequality.
  slope <- z2 * (p_random - 2 * b) / (n * a)
  half_width <- sqrt(
    pmax(
      0,
      z2 * b * (1 - b) / (n * a^2) + slope * inv +
        slope^2 / 4
    )
  )
  reach_end(symmetric_limits(inv + slope / 2, half_width), inv)
}

# The interval of each category by itself, for all laws whose counts are binomial.
law_intervals.rr_law <- function(law, evidence, estimate, interval, conf.level, cells, target) {
  each <- lapply(law$binomial[c("a", "b")], values_of_cells, cells)
  binomial <- binomial_counts(law, evidence)
  n <- values_of_cells(binomial$n, cells)
  binomial_intervals(
    each$a, each$b, 1 - each$a, binomial$counts[cells] / n,
    n, interval, conf.level, target
  )
}

# The squared distance of `x` from `likely`, in units of `variance`.
squared_excess <- function(x, likely, variance) {
  excess <- numeric(length(x))
  beyond <- which(abs(x - likely) >= 1e-12)
  excess[beyond] <- (x - likely)[beyond]^2 /
    pmax(variance[beyond], 1e-12)
  excess
}

# An end that is as likely as a truth can be must not be shut out by roundings.
reach_end <- function(bounds, inv) {
  bounds$low[inv <= 0] <- 0
  bounds$high[inv >= 1] <- 1
  bounds
}

# A score interval if the standard deviation does not depend on the truth; `half_width` is z times
# it. The estimate can be outside of `lower` and `upper`.
normal_interval <- function(estimate, half_width, lower = 0, upper = 1) {
  half_width <- sqrt(half_width^2 + (estimate - clamp(estimate, lower, upper))^2)
  list(
    low = clamp(estimate - half_width, lower, upper),
    high = clamp(estimate + half_width, lower, upper)
  )
}

symmetric_limits <- function(centre, half_width) {
  list(low = centre - half_width, high = centre + half_width)
}

wilson_interval <- function(phi, n, z2) {
  centre <- (phi + z2 / (2 * n)) / (1 + z2 / n)
  half_width <- sqrt(
    z2 * (phi * (1 - phi) / n + z2 / (4 * n^2))
  ) / (1 + z2 / n)
  # At phi = 0 and 1 the bound is exactly 0 and 1; the formula leaves a rounding.
  list(
    low = ifelse(phi <= 0, 0, centre - half_width),
    high = ifelse(phi >= 1, 1, centre + half_width)
  )
}

# Clopper and Pearson (1934).
exact_interval <- function(phi, n, conf.level) {
  x <- phi * n
  list(
    low = ifelse(
      x <= 0, 0, qbeta((1 - conf.level) / 2, x, n - x + 1)
    ),
    high = ifelse(
      x >= n, 1,
      qbeta((1 - conf.level) / 2, x + 1, n - x, lower.tail = FALSE)
    )
  )
}

# The interval of all looks together. A probability m is excluded if the likelihood of a mixture, by
# Beta(1/2, 1/2), is 1 / alpha times that of m. Its probability is at most alpha (Ville). Both
# limits are found by halving.
anytime_interval <- function(phi, n, conf.level) {
  s <- phi * n
  threshold <- lbeta(0.5 + s, 0.5 + n - s) - lbeta(0.5, 0.5) +
    log1p(-conf.level)
  halve <- function(out) {
    inside <- phi
    for (step in seq_len(60)) {
      middle <- (inside + out) / 2
      # No report of a kind says nothing of its probability, which may round to 0.
      yes <- ifelse(s > 0, s * log(middle), 0)
      no <- ifelse(n > s, (n - s) * log1p(-middle), 0)
      accepted <- yes + no > threshold
      inside <- ifelse(accepted, middle, inside)
      out <- ifelse(accepted, out, middle)
    }
    inside
  }
  list(
    low = ifelse(s <= 0, 0, halve(0)),
    high = ifelse(s >= n, 1, halve(1))
  )
}

reported_interval <- function(interval, a, b) {
  low <- (interval$low - b) / a
  high <- (interval$high - b) / a
  list(low = pmin(low, high), high = pmax(low, high))
}

# The t with |inv - t| <= z sd(t), where s and o are `second_true` and `second_other` and
#    N Var = t s + (1 - t) o - t^2   (sampled truths; - t for fixed truths)
# No truth gives a report less variance than `min_second`.
moment_intervals <- function(
  inv, second_true, second_other, n, conf.level, target, min_second = 0
) {
  variance <- pmax(ifelse(inv < 0, second_other, second_true - 1), min_second)
  z2 <- normal_quantile(conf.level)^2 / n + squared_excess(inv, clamp(inv), variance)
  slope <- second_true - second_other - if (target == "sample") 1 else 0
  square <- 1 + z2 * (target == "population")
  centre <- (inv + z2 * slope / 2) / square
  half_width <- sqrt(pmax(0, centre^2 - (inv^2 - z2 * second_other) / square))
  reach_end(symmetric_limits(centre, half_width), inv)
}

# ---- counts that no truth makes likely ----
#
# Reports of another width or key, or reports that were not randomized. Each test has
# a share of `alpha`, the probability of a false alarm under any truth.

# Is the evidence of one group such? Laws without a test of their own have none here.
law_unlikely <- function(law, evidence, alpha) UseMethod("law_unlikely")

law_unlikely.default <- function(law, evidence, alpha) FALSE

# Is any count beyond what is likely? Each is binomial, or a sum of two binomials, with
# probabilities between those of a category that nobody holds and of one that everybody holds. The
# tails are exact, and Bonferroni's bound holds for any number of respondents.
beyond_counts <- function(counts, n, low, high, alpha) {
  size <- floor(n)
  limit <- alpha / (2 * length(counts))
  # The extremes tell all where the probabilities are alike.
  if (length(low) == 1L && length(high) == 1L && length(n) == 1L) {
    counts <- range(counts)
  }
  any(pbinom(ceiling(counts), size, low) < limit |
        pbinom(floor(counts) - 1, size, high, lower.tail = FALSE) < limit)
}

law_unlikely.rr_law_additive <- function(law, evidence, alpha) {
  beyond_counts(
    evidence$counts, evidence$n, law$b + min(law$a, 0),
    law$b + max(law$a, 0), alpha
  )
}

# How many categories a report supports has the same mean and variance whatever the truth.
law_unlikely.rr_law_support <- function(law, evidence, alpha) {
  if (beyond_counts(
      evidence$counts, evidence$n, pmin(law$p, law$q),
      pmax(law$p, law$q), alpha / 2
    )) {
    return(TRUE)
  }
  if (differs_by_category(law)) return(FALSE)
  others <- evidence$k - 1
  mean <- law$p + others * law$q
  variance <- mean + 2 * others * (law$both_own %||% (law$p * law$q)) +
    others * (others - 1) * (law$both_other %||% law$q^2) - mean^2
  # Sizes that hardly vary are made of roundings: subsets of one size are checked when they are
  # read.
  if (variance <= 1e-9 * mean^2) return(FALSE)
  supported <- evidence$counts
  z <- (sum(supported) - evidence$n * mean) / sqrt(evidence$n * variance)
  abs(z) > qnorm(alpha / 4, lower.tail = FALSE) + 1
}

# A design is doubted wrongly in one of a thousand fits at most.
false_alarm <- 0.001

unlikely_words <- paste(
  "No truth makes these reports likely: was it another design (number or order of categories,",
  "epsilon, key), or were they not randomized?"
)
