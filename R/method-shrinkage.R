# Methods that shrink noisy shares: a threshold, cells merged, neighbours smoothed. Empirical Bayes
# is in method-eb.R.

# ---- combined estimate ----

# The combined estimate is for laws P(y | x) = b + a 1{x = y}. InvN, MLE and InvP differ in one
# threshold; here the data choose it.
#
# If b is equal for all and a > 0, each of the three has its threshold t:
#   theta_i = max(0, n_i - t) / sum_j max(0, n_j - t),   N q <= t(InvN) <= t(MLE) <= t(InvP).
# So the best t can be searched, and the best weight w against the uniform distribution,
#   theta_i = w max(0, n_i - t) / S + (1 - w) / K.
# The squared error is, up to the constant |theta|^2,
#   |estimate|^2 - 2 <theta, estimate>.
# <theta, estimate> can be estimated without bias if each report is left out in turn: the mean of
# the estimate at the report left out estimates sum_i m_i estimate_i, with m = b + a theta.

# The counts of one group as distinct values with multiplicities, and their sums from each value
# upwards.
count_profile <- function(counts, n) {
  runs <- rle(sort(counts))
  upwards <- function(x) c(rev(cumsum(rev(x))), 0)
  list(
    value = runs$values,
    categories = runs$lengths,
    n = n,
    k = length(counts),
    sum0 = upwards(runs$lengths),
    sum1 = upwards(runs$lengths * runs$values),
    sum2 = upwards(runs$lengths * runs$values^2)
  )
}

# The moments of max(0, n - t) / S for each threshold: S, squared length, inner product with the
# truth, and its standard error.
threshold_moments <- function(profile, additive, t) {
  from <- function(s) findInterval(s, profile$value) + 1
  index <- from(t)
  s <- profile$sum1[index] - t * profile$sum0[index]
  squares <- profile$sum2[index] - 2 * t * profile$sum1[index] +
    t^2 * profile$sum0[index]
  squares <- squares / s^2
  # If a report is left out of a category with n - 1 > t, S loses 1 and the category has n - 1 - t.
  index <- from(t + 1)
  remaining <- pmax(s - 1, 1e-9)
  share <- profile$sum2[index] - (1 + t) * profile$sum1[index]
  share <- share / remaining
  # The standard error of H / (S - 1), H = sum_i n_i max(0, n_i - 1 - t), is by the Efron-Stein
  # inequality for Poisson counts. The variance of a function of them is at most the mean of sum_i
  # n_i (its change when a report of category i is left out)^2. The change is (change of H less H /
  # (S - 1)) / (S - 2), since one report takes 1 from S.
  v <- profile$value
  error <- mapply(
    function(t, share, remaining) {
      change <- v * pmax(0, v - 1 - t) -
        pmax(0, v - 1) * pmax(0, v - 2 - t)
      change <- (change - share * clamp(v - t)) /
        max(remaining - 1, 1e-9)
      sqrt(sum(profile$categories * v * change^2))
    },
    t, share, remaining
  )
  list(
    s = s,
    squares = squares,
    inner = (share / profile$n - additive$b) / additive$a,
    std.error = error / (profile$n * additive$a)
  )
}

projection_threshold <- function(profile, a) {
  k <- seq_along(profile$value)
  t <- (profile$sum1[k] - profile$n * a) / profile$sum0[k]
  t[which(profile$value > t)[1]]
}

estimate_combine <- function(law, counts, n) {
  additive <- alike_law(law)
  if (additive$reversed) counts <- rev(counts)
  k <- length(counts)
  # The reports are the truth if they are not randomized.
  if (additive$b <= 0) {
    return(list(estimate = counts / n, threshold = 0, weight = 1))
  }
  profile <- count_profile(counts, n)
  margin <- 3 * sqrt(n * additive$b * (1 - additive$b))
  low <- max(0, n * additive$b - margin)
  upper <- max(projection_threshold(profile, additive$a), n * additive$b) + margin
  high <- max(low, min(upper, max(counts) - 1.5))
  t <- seq(low, high, length.out = 48)
  moments <- threshold_moments(profile, additive, t)
  # The gains are over the uniform distribution, whose squared length and inner product are both 1 /
  # K.
  signal <- moments$inner - 1 / k
  length2 <- moments$squares - 1 / k
  # A gain is 0 if it is below two standard errors, and is used in full if it is far above them. The
  # power of four decides how fast the weight rises between the two; it was the best of those tried
  # over the papers' grid.
  trust <- pmax(
    0, 1 - (2 * moments$std.error / pmax(signal, 1e-300))^4
  )
  best_weight <- ifelse(signal > 0 & length2 > 0, pmin(1, signal / length2), 0)
  weight <- best_weight * trust
  gain <- ifelse(moments$s > 1.5, 2 * weight * signal - weight^2 * length2, 0)
  best <- which.max(gain)
  weight <- if (gain[best] > 0) weight[best] else 0
  ramp <- if (weight > 0) {
    pmax(0, counts - t[best]) / moments$s[best]
  } else {
    numeric(k)
  }
  list(
    estimate = weight * ramp + (1 - weight) / k,
    threshold = t[best],
    weight = weight
  )
}

# ---- maximum likelihood with the small cells as one ----

# The maximum of the likelihood if small cells have one common share. Cells are small if they do not
# rise above the noise of an empty cell by `smoothing` standard deviations. Merging keeps the
# channel additive, so that the regularized maximum has the closed form, too.
estimate_merged <- function(evidence, options) {
  smoothing <- check_number(options$smoothing %||% 1, "smoothing", min = 0, max_open = TRUE)
  law <- evidence$law
  counts <- evidence$counts
  k <- evidence$k
  b <- rep_len(law$b, k)
  rise <- sign(law$a) * (counts - evidence$n * b)
  small <- rise <= smoothing * sqrt(evidence$n * b * (1 - b))
  if (sum(small) < 2) {
    return(list(estimate = law_maximum(law, evidence)$estimate, merged = 0))
  }
  if (all(small)) {
    return(list(estimate = rep(1 / k, k), merged = k))
  }
  # Merged cells have unequal b, and a small difference a contains less information.
  if (law_tells_nothing(new_law_additive(law$a, b))) abort_no_information()
  merged <- new_law_additive(
    law$a,
    c(b[!small], sum(b[small]))
  )
  fit <- law_maximum(
    merged, list(counts = c(counts[!small], sum(counts[small])))
  )$estimate
  estimate <- rep(fit[length(fit)] / sum(small), k)
  estimate[!small] <- fit[-length(fit)]
  list(estimate = estimate, merged = sum(small))
}

# ---- EM with a smoothing step, for ordered categories ----

# The estimate of EM with smoothing. Each step of the iterative Bayesian update is followed by a
# weighted mean of each category with its neighbours (1/4, 1/2, 1/4; at the ends the outer weight
# stays where it is). The steps stop if the log-likelihood gains less than `tolerance` in one.
estimate_smoothed <- function(evidence, options) {
  iterations <- check_count(options$iterations %||% 10000, "iterations")
  tolerance <- check_number(options$tolerance %||% 1e-3, "tolerance", min = 0, max_open = TRUE)
  counts <- evidence$counts
  k <- evidence$k
  axes <- law_axes(evidence$law, k)
  theta <- rep(1 / k, k)
  last <- -Inf
  for (step in seq_len(iterations)) {
    m <- apply_channel(axes, theta)
    loglik <- sum_log(counts, m)
    if (loglik - last <= tolerance) break
    last <- loglik
    ratio <- ifelse(counts > 0, counts / evidence$n / m, 0)
    theta <- pmax(theta * apply_channel(axes, ratio, "adjoint"), 0)
    neighbours <- c(theta[1], theta[-k]) + c(theta[-1], theta[k])
    theta <- theta / 2 + neighbours / 4
    theta <- theta / sum(theta)
  }
  list(estimate = theta, iterations = step)
}
