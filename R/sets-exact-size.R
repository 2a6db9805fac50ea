# Intervals of guaranteed coverage for the size of a union or an intersection of noisy sets.

# A size u is kept while neither tail of the estimate's distribution under it, at the least favourable
# membership patterns, is surely below (1 - level) / 2.
exact_size <- function(what, estimate, data, level) {
  if (!is.null(data$tally$state) || is.matrix(data$flip) || (length(data$flip) > 1L && data$n > 8)) {
    abort(c("{.code interval = \"exact\"} needs one flip probability for all sets, or one for each of at most 8 sets.",
            x = "There are {data$n} sets."), "argument")
  }
  if (data$n == 1) return(exact_one_set(data, level))
  chernoff_size(estimate, data$m, pattern_law(what, data$n, data$flip), (1 - level) / 2)
}

# One set: S ~ Bin(t, 1 - q) + Bin(m - t, q) increases stochastically in t when q < 1/2, so t is found by bisection.
exact_one_set <- function(data, level) {
  q <- data$flip
  m <- data$m
  s <- if (is.null(data$bits)) sum(data$tally$ones) else sum(data$bits)
  if (q > 0.5) {
    q <- 1 - q
    s <- m - s
  }
  alpha <- (1 - level) / 2
  c(least_size(function(t) upper_tail(s, t, m, q) > alpha, m),
    m - least_size(function(t) lower_tail(s, m - t, m, q) > alpha, m))
}

# The least t in 0..m at which an increasing condition holds.
least_size <- function(holds, m) {
  low <- 0
  high <- m
  while (low < high) {
    middle <- floor((low + high) / 2)
    if (holds(middle)) high <- middle else low <- middle + 1
  }
  low
}

# Binomial terms beyond 40 standard deviations are below 1e-300.
binomial_range <- function(n, p) {
  reach <- 40 * sqrt(n * p * (1 - p)) + 40
  seq(max(0, floor(n * p - reach)), min(n, ceiling(n * p + reach)))
}

lower_tail <- function(s, t, m, q) {
  j <- binomial_range(t, 1 - q)
  sum(stats::dbinom(j, t, 1 - q) * stats::pbinom(s - j, m - t, q))
}

upper_tail <- function(s, t, m, q) {
  j <- binomial_range(t, 1 - q)
  sum(stats::dbinom(j, t, 1 - q) * stats::pbinom(s - j - 1, m - t, q, lower.tail = FALSE))
}

# The values y of an element's estimate, and its distribution under every membership pattern: `out` for
# elements that do not count, `inside` for those that do, one pattern a row.
pattern_law <- function(what, n, flip) {
  if (length(flip) == 1L) {
    channel <- .Call(C_rr_incidence_channel, as.double(n), flip, FALSE)
    reports <- rr_bit_tally(ones = 0:n, n = n, flip = flip)
    full <- n + 1
  } else {
    patterns <- as.matrix(expand.grid(rep(list(0:1), n)))
    wrong <- function(truth) apply(patterns, 1, function(y) prod(ifelse(y == truth, 1 - flip, flip)))
    channel <- t(apply(patterns, 1, wrong))
    reports <- rr_bit_tally(patterns, flip)
    full <- nrow(patterns)
  }
  kind <- if (what == "union") "any" else "all"
  counts <- if (what == "union") seq_len(nrow(channel)) > 1 else seq_len(nrow(channel)) == full
  list(y = tally_value(reports, kind)$estimate, out = channel[!counts, , drop = FALSE],
       inside = channel[counts, , drop = FALSE])
}

# log E exp(lambda Y) at the pattern that makes it largest, for each lambda.
largest_log_mgf <- function(lambda, y, law) {
  powers <- outer(y, lambda)
  top <- apply(powers, 2, max)
  mean <- law %*% exp(powers - rep(top, each = length(y)))
  top + log(pmax(apply(mean, 2, max), 1e-300))
}

# P(T >= t) <= exp(-lambda t + (m - u) a + u b) for every lambda > 0, with a and b the log moment generating functions
# outside and inside. It is below alpha for all u under (log(alpha) + lambda t - m a) / (b - a), whichever lambda:
# take the best.
chernoff_size <- function(estimate, m, law, alpha) {
  excluded <- function(lambda) {
    a <- largest_log_mgf(lambda, law$y, law$out)
    b <- largest_log_mgf(lambda, law$y, law$inside)
    # Where the difference has the other sign, lambda excludes sizes on the wrong side, and is of no use.
    ifelse(sign(lambda) * (b - a) > 0, (log(alpha) + lambda * estimate - m * a) / (b - a), -sign(lambda) * Inf)
  }
  # The best lambda is of the order of the quantile over the standard deviation.
  sd <- sqrt(m * max(law$out %*% law$y^2, law$inside %*% law$y^2, 1e-12))
  grid <- exp(seq(log(1e-3), log(1e4), length.out = 160)) / sd
  best <- function(side) {
    bounds <- excluded(side * grid)
    at <- if (side > 0) which.max(bounds) else which.min(bounds)
    fine <- excluded(side * exp(seq(log(grid[max(at - 1, 1)]), log(grid[min(at + 1, length(grid))]), length.out = 80)))
    if (side > 0) max(bounds, fine) else min(bounds, fine)
  }
  # Sizes are whole numbers.
  c(min(max(ceiling(best(1) - 1e-9), 0), m), max(min(floor(best(-1) + 1e-9), m), 0))
}
