# The number of different items in the union of all sets that were sketched, see rr_set_size().

sketch_size <- function(sketches, flip, what, conf.level) {
  sketches <- check_sketches(sketches, flip)
  if (what != "union") abort("Sketches have the size of their union only.", "argument")
  bits <- vapply(sketches, `[[`, sketches[[1]]$bits, "bits")
  flip <- vapply(sketches, `[[`, 1, "flip")
  first <- sketches[[1]]
  z <- normal_quantile(conf.level)
  v <- flip * (1 - flip) / (1 - 2 * flip)^2
  if (sum(log1p(v)) > 600) {
    abort("With so many noisy sketches the size of their union cannot be estimated.", "no_information")
  }
  estimate <- if (first$type == "pcsa") pcsa_size else bloom_size
  fit <- estimate(bits, flip, first$settings, z)
  table <- data.frame(term = "items", sets = length(sketches), fit)
  n <- length(sketches)
  new_rr_set_size(table, paste("Different items in", number_of(n, "sketch", "es")), format_settings(first), n, flip,
                  conf.level, "all sizes that are not rejected")
}

bloom_size <- function(bits, flip, settings, z) {
  m <- settings[["bits"]]
  h <- settings[["hashes"]]
  totals <- set_totals(list(bits = bits, m = m, n = ncol(bits), flip = flip))
  zeros <- m - totals$union
  size <- function(zeros) if (zeros > 0) log(zeros / m) / (h * log1p(-1 / m)) else Inf
  if (!(zeros > 0)) warn_saturated()
  noise <- if (totals$union_variance > 0) totals$union_variance else totals$bound
  # What hashing adds to the variance of the number of zero bits when its mean is `mean`: as in a Poisson variable where
  # the mean is small, less where it is not.
  spread <- function(mean) {
    empty <- max(mean / m, 1e-300)
    max(1 - empty * (1 - log(empty)), 0)
  }
  seen <- min(max(zeros, 0), m)
  error <- sqrt(noise + seen * spread(seen))
  # All means that the zeros do not refute, each with its own variance: at 0 zeros the variance of 0 would be wrong.
  # Zeros that no union can have are taken for the nearest that it can, which only widens; so does the half by which a
  # small count is corrected, being a whole number.
  edge <- function(side) {
    away <- function(mean) side * (mean - seen) - spread(mean) / 2 - z * sqrt(noise + mean * spread(mean))
    end <- if (side > 0) m else m * 1e-300
    if (away(end) <= 0) return(if (side > 0) m else 0)
    stats::uniroot(away, sort(c(max(seen, m * 1e-300), end)), tol = 1e-12 * m)$root
  }
  list(estimate = size(zeros), std.error = if (zeros > 0) error * m / (h * zeros) else NA_real_,
       conf.low = max(size(edge(1)), 0), conf.high = max(size(edge(-1)), 0))
}

warn_saturated <- function() {
  warn(c("The sketch is full: no bit of the union seems to be 0.",
         i = "Use more bits, fewer sketches, or less noise."), "saturated", parent.frame())
}

# With x items expected in a bucket at a level, its bit is 0 with probability exp(-x). Full levels have neither slope
# nor variance, so both are divided by exp(-x) before they meet.
pcsa_moments <- function(n, share, buckets, taken, clear) {
  x <- outer(share / buckets, n)
  full <- -expm1(-x)
  noise <- if (taken > 0) taken * full * exp(x) else 0
  weight <- share / (buckets * (noise + clear + full))
  list(zeros = buckets * exp(-x), weight = weight, information = colSums(weight * share * exp(-x)),
       half = (weight * full)[length(share), ] / 2)
}

pcsa_size <- function(bits, flip, settings, z) {
  buckets <- settings[["buckets"]]
  levels <- settings[["levels"]]
  share <- 2^-c(seq_len(levels - 1), levels - 1)
  if (levels == 1) share <- 1
  v <- flip * (1 - flip) / (1 - 2 * flip)^2
  clear <- expm1(sum(log1p(v)))
  # A bit that some sketch has: least favourable when only the noisiest one has it.
  taken <- max(v / (1 + v)) * exp(sum(log1p(v)))
  zeros <- buckets - vapply(seq_len(levels), function(l) {
    rows <- bits[(l - 1) * buckets + seq_len(buckets), , drop = FALSE]
    set_totals(list(bits = rows, m = buckets, n = ncol(bits), flip = flip))$union
  }, 1)
  moments <- function(log_n) pcsa_moments(exp(log_n), share, buckets, taken, clear)
  # The quasi-score, which without noise is the likelihood's. Its integral over n shows which of its roots is meant.
  score <- function(log_n, at = moments(log_n)) colSums(at$weight * (at$zeros - zeros))
  # In units of its standard deviation: the number of items is fixed, which takes n I^2 from the information I. Where
  # only the last level speaks, it counts few zeros: `half` a bit corrects for whole numbers.
  scaled <- function(log_n, corrected, at = moments(log_n)) {
    (score(log_n, at) + corrected * at$half) / sqrt(at$information * pmax(1 - exp(log_n) * at$information, 1e-12))
  }
  grid <- seq(log(0.01), log(buckets) + levels * log(2) + 3, by = 0.05)
  at <- moments(grid)
  scores <- exp(grid) * score(grid, at)
  last <- length(grid)
  # Maxima of the integral: after which points of the grid (0: before the first) the score is no longer positive.
  peaks <- which(c(TRUE, scores > 0) & c(scores <= 0, TRUE)) - 1
  integral <- c(0, 0, cumsum(scores[-1] + scores[-last]))
  peak <- peaks[which.max(integral[peaks + 1])]
  root <- function(f, k) exp(stats::uniroot(f, grid[c(k, k + 1)], tol = 1e-12)$root)
  n <- if (peak == 0) 0 else if (peak == last) Inf else root(score, peak)
  information <- moments(min(max(log(n), grid[1]), grid[last]))$information
  error <- if (is.infinite(n)) NA_real_ else sqrt(max(1 / information - n, 1e-6))
  # All n but those that the score, like that of all smaller (or larger) ones, finds too small (or too large): it need
  # not be monotone. Noise can refute even no items, or any number; then by as much more as the nearest is refuted.
  left <- scaled(grid, -1, at)
  right <- scaled(grid, 1, at)
  least <- z + if (peak == last) max(left[last], 0) else 0
  most <- z + if (peak == 0) max(-right[1], 0) else 0
  first <- min(which(left <= least))
  final <- max(which(right >= -most))
  low <- if (first == 1) 0 else root(function(x) scaled(x, -1) - least, first - 1)
  high <- if (final == last) Inf else root(function(x) scaled(x, 1) + most, final)
  if (is.infinite(n)) warn_saturated()
  list(estimate = n, std.error = error, conf.low = low, conf.high = high)
}
