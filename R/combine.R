# Three estimates that go beyond the papers' four, all for P(y | x) = b_y + a 1{x = y}.

# ---- combine: one ladder for InvN, MLE and InvP, climbed by the data ----

# With equal b and a > 0 each of the three is theta_i = max(0, n_i - t) / sum_j max(0, n_j - t), for a threshold t of
# its own: N q <= t(InvN) <= t(MLE) <= t(InvP). So one may ask for the best t, and for the best weight w against
# the uniform distribution,
#   theta_i = w max(0, n_i - t) / S + (1 - w) / K.
# Its squared error is, up to the constant |theta|^2, |estimate|^2 - 2 <theta, estimate>, and <theta, estimate> can be
# estimated without bias by taking away one report at a time: if each report is left out in turn,
# the mean of the estimate at the report left out estimates sum_i m_i estimate_i, with m = b + a theta.

# The counts as distinct values with multiplicities, and their sums from each value upwards.
count_profile <- function(counts) {
  runs <- rle(sort(counts))
  upwards <- function(x) c(rev(cumsum(rev(x))), 0)
  list(value = runs$values, categories = runs$lengths, n = sum(counts), k = length(counts),
       sum0 = upwards(runs$lengths), sum1 = upwards(runs$lengths * runs$values),
       sum2 = upwards(runs$lengths * runs$values^2))
}

# Of max(0, n - t) / S for each threshold: S, squared length, inner product with the truth, and its standard error.
threshold_moments <- function(profile, form, t) {
  from <- function(s) findInterval(s, profile$value) + 1
  at <- from(t)
  s <- profile$sum1[at] - t * profile$sum0[at]
  squares <- (profile$sum2[at] - 2 * t * profile$sum1[at] + t^2 * profile$sum0[at]) / s^2
  # Left out: a report of a category with n - 1 > t takes 1 from S and leaves it n - 1 - t.
  at <- from(t + 1)
  left <- pmax(s - 1, 1e-9)
  share <- (profile$sum2[at] - (1 + t) * profile$sum1[at]) / left
  error <- mapply(share_error, t, share, left, MoreArgs = list(profile = profile))
  list(s = s, squares = squares, inner = (share / profile$n - form$b) / form$a,
       std.error = error / (profile$n * form$a))
}

# Standard error of H / (S - 1), H = sum_i n_i max(0, n_i - 1 - t), by the Efron-Stein inequality for Poisson counts:
# the variance of a function of them is at most the mean of sum_i n_i (its change when a report of category i is left
# out)^2. That change is (change of H less H / (S - 1)) / (S - 2), for one report takes 1 from S.
share_error <- function(profile, t, share, left) {
  v <- profile$value
  change <- v * pmax(0, v - 1 - t) - pmax(0, v - 1) * pmax(0, v - 2 - t)
  change <- (change - share * pmin(1, pmax(0, v - t))) / max(left - 1, 1e-9)
  sqrt(sum(profile$categories * v * change^2))
}

projection_threshold <- function(profile, a) {
  k <- seq_along(profile$value)
  t <- (profile$sum1[k] - profile$n * a) / profile$sum0[k]
  t[which(profile$value > t)[1]]
}

# The form with a > 0 and one b for all other answers, NULL where there is none. Two answers that speak against their
# truths (p < q) speak for each other's: `reversed` says that the counts are then to be read backwards.
alike_form <- function(form, k) {
  if (is.null(form)) return(NULL)
  b <- mean(form$b)
  # A b of 1 - p carries a rounding of 1.
  if (any(abs(form$b - b) > 4 * .Machine$double.eps)) return(NULL)
  if (form$a > 0) return(list(a = form$a, b = b, odds = form$odds %||% (form$a / b), reversed = FALSE))
  if (form$a == 0 || k != 2) return(NULL)
  other <- max(0, b + form$a)
  list(a = -form$a, b = other, odds = -form$a / other, reversed = TRUE)
}

estimate_combine <- function(form, counts, call) {
  form <- alike_form(form, length(counts))
  if (is.null(form)) {
    abort(c("{.val combine} needs a mechanism whose other answers are all alike and less likely than the truth.",
            x = "This one is not of that kind.", i = "Use {.val mle}."), "argument", call = call)
  }
  if (form$reversed) counts <- rev(counts)
  n <- sum(counts)
  k <- length(counts)
  # Without randomisation the reports are the truth.
  if (form$b <= 0) return(list(estimate = counts / n, threshold = 0, weight = 1))
  profile <- count_profile(counts)
  spread <- 3 * sqrt(n * form$b * (1 - form$b))
  low <- max(0, n * form$b - spread)
  high <- max(low, min(max(projection_threshold(profile, form$a), n * form$b) + spread, max(counts) - 1.5))
  t <- seq(low, high, length.out = 48)
  moments <- threshold_moments(profile, form, t)
  # Gains over the uniform distribution, whose squared length and inner product are both 1 / K.
  signal <- moments$inner - 1 / k
  length2 <- moments$squares - 1 / k
  # A signal below two standard errors is taken for none, one far above them as it is; the power of four, tried against
  # others over the papers' grid, decides how fast the one becomes the other.
  trust <- pmax(0, 1 - (2 * moments$std.error / pmax(signal, 1e-300))^4)
  weight <- ifelse(signal > 0 & length2 > 0, pmin(1, signal / length2), 0) * trust
  gain <- ifelse(moments$s > 1.5, 2 * weight * signal - weight^2 * length2, 0)
  best <- which.max(gain)
  weight <- if (gain[best] > 0) weight[best] else 0
  ramp <- if (weight > 0) pmax(0, counts - t[best]) / moments$s[best] else numeric(k)
  list(estimate = weight * ramp + (1 - weight) / k, threshold = t[best], weight = weight)
}

# ---- merged: maximum likelihood with the small cells as one ----

# Cells that do not rise above the noise of an empty cell by `smoothing` standard deviations get one common share.
# Merging keeps the channel's form, so that the regularised maximum is again the closed form.
estimate_merged <- function(form, counts, call, smoothing = 1, ...) {
  check_dots_empty(..., call = call)
  smoothing <- check_number(smoothing, "smoothing", min = 0, max_open = TRUE, call = call)
  n <- sum(counts)
  b <- rep_len(form$b, length(counts))
  rise <- sign(form$a) * (counts - n * b)
  small <- rise <= smoothing * sqrt(n * b * (1 - b))
  if (sum(small) < 2) return(list(estimate = .Call(C_rr_mle, counts, form$a, form$b, form$odds %||% NA_real_)$estimate,
                                  merged = 0))
  if (all(small)) return(list(estimate = rep(1 / length(counts), length(counts)), merged = length(counts)))
  # Merged cells have unequal b, for which a small difference says less.
  if (tells_nothing(list(a = form$a, b = b))) abort_no_information_form(call)
  fit <- .Call(C_rr_mle, c(counts[!small], sum(counts[small])), form$a, c(b[!small], sum(b[small])), NA_real_)$estimate
  estimate <- numeric(length(counts))
  estimate[!small] <- fit[-length(fit)]
  estimate[small] <- fit[length(fit)] / sum(small)
  list(estimate = estimate, merged = sum(small))
}

# ---- smoothed: EM with a smoothing step, for ordered categories ----

# Each step of the iterative Bayesian update is followed by a weighted mean of each category with its neighbours (1/4,
# 1/2, 1/4; at the ends the outer weight stays where it is), until the log-likelihood gains less than `tolerance` per
# step.
estimate_smoothed <- function(form, counts, call, iterations = 10000, tolerance = 1e-3, ...) {
  check_dots_empty(..., call = call)
  iterations <- check_count(iterations, "iterations", call = call)
  tolerance <- check_number(tolerance, "tolerance", min = 0, max_open = TRUE, call = call)
  k <- length(counts)
  n <- sum(counts)
  phi <- counts / n
  seen <- counts > 0
  theta <- rep(1 / k, k)
  last <- -Inf
  for (step in seq_len(iterations)) {
    m <- form$b + form$a * theta
    loglik <- sum(counts[seen] * log(m[seen]))
    if (loglik - last <= tolerance) break
    last <- loglik
    score <- ifelse(seen, phi / m, 0)
    theta <- pmax(theta * (sum(form$b * score) + form$a * score), 0)
    theta <- theta / 2 + (c(theta[1], theta[-k]) + c(theta[-1], theta[k])) / 4
    theta <- theta / sum(theta)
  }
  list(estimate = theta, iterations = step)
}
