#' How many different items went into sketches
#'
#' The number of different items in the union of all sets that were sketched, from their (flipped) sketches.
#'
#' For every bit the OR over the sketches is estimated without bias ([rr_any()]); sketches may have different flip
#' probabilities, and some may not be flipped at all.
#'
#' * Bloom filters and linear counters: the estimated number \eqn{Z} of bits that are still 0 in the union gives
#'   \eqn{\hat n = \log(Z/m) / (h \log(1 - 1/m))}{n-hat = log(Z/m) / (h log(1 - 1/m))}, \eqn{m} bits and \eqn{h} hashes. The
#'   standard error has two parts: randomised
#'   response, by the unbiased variance of \eqn{Z}, and hashing, \eqn{m (e^\rho - 1 - \rho)/h^2} with
#'   \eqn{\rho = h n/m}. An estimate slightly below 0 is possible and shown.
#' * PCSA: the estimated numbers of ones at each level are fitted by their expectations
#'   \eqn{B (1 - \exp(-n \pi_l / B))}{B (1 - exp(-n pi_l / B))}, \eqn{B} buckets and \eqn{\pi_l} the share of items at level
#'   \eqn{l}, by
#'   quasi-likelihood: each level is weighted by its variance, which includes the noise (at its least favourable) and the
#'   hashing. Without noise it is the likelihood. The estimate is never negative.
#'
#' The interval contains all sizes that the number of zeros (for PCSA the score) does not reject. The variance due to hashing is computed for each
#' size, so the interval is valid where few bits are left at 0. A full sketch still shows that there were many items: its interval
#' goes from a finite bound to `Inf`.
#'
#' @param ... Sketches of [rr_sketch()] with the same settings and key, or one list of them.
#' @param conf.level Confidence level, between 0 and 1.
#' @return An object of class `rr_sketch_size`; `tidy()` gives `term`, `sets` (sketches), `estimate`, `std.error` and, with
#'   `conf.int = TRUE`, `conf.low` and `conf.high`, not below 0, at the level given.
#' @section Errors and warnings:
#' `candor_error_mismatch` for sketches of different settings or keys; `candor_warning_saturated` when no bit of the union
#' (for PCSA of its last level) seems to be 0, so that no finite number fits: the estimate is `Inf`;
#' `candor_error_no_information` for so many noisy sketches that a bit's variance exceeds \eqn{10^{260}}.
#' @source Swamidass, S. J. and Baldi, P. (2007). Mathematical correction for fingerprint similarity measures to improve
#'   chemical retrieval. *Journal of Chemical Information and Modeling* 47(3), 952-964. \doi{10.1021/ci600526a}
#'
#'   Whang et al. (1990), \doi{10.1145/78922.78925}; Flajolet and Martin (1985), \doi{10.1016/0022-0000(85)90041-8}; Hehir,
#'   Ting and Cormode (2023), \doi{10.48550/arXiv.2302.02056}.
#' @examples
#' sites <- lapply(list(1:900, 500:1400, 1000:2000), rr_sketch, type = "pcsa", buckets = 512)
#' set.seed(1)
#' published <- lapply(sites, rr_perturb_sketch, epsilon = 4, rng = "R")
#' rr_sketch_size(published)   # 2,000 different items
#' @export
rr_sketch_size <- function(..., conf.level = 0.95) {
  conf.level <- check_level(conf.level)
  sketches <- check_sketches(list(...))
  bits <- vapply(sketches, `[[`, sketches[[1]]$bits, "bits")
  flip <- vapply(sketches, `[[`, 1, "flip")
  first <- sketches[[1]]
  z <- normal_quantile(conf.level)
  v <- flip * (1 - flip) / (1 - 2 * flip)^2
  if (sum(log1p(v)) > 600) {
    abort(c("With this many noisy sketches the size of the union cannot be estimated.",
            x = "The standard error of one bit would be of the order of 1e{round(sum(log1p(v)) / log(100))}.",
            i = "Use fewer sketches, or less noise."), "no_information")
  }
  estimate <- if (first$type == "pcsa") pcsa_size else bloom_size
  fit <- estimate(bits, flip, first$settings, z)
  table <- data.frame(term = "items", sets = length(sketches), fit)
  structure(list(table = table, type = first$type, settings = first$settings, flip = flip, conf.level = conf.level),
            class = c("rr_sketch_size", "rr_estimates"))
}

bloom_size <- function(bits, flip, settings, z) {
  m <- settings[["bits"]]
  h <- settings[["hashes"]]
  totals <- set_totals(list(bits = bits, m = m, n = ncol(bits), flip = flip))
  zeros <- m - totals$union
  size <- function(zeros) if (zeros > 0) log(zeros / m) / (h * log1p(-1 / m)) else Inf
  if (!(zeros > 0)) {
    warn_saturated("The estimated number of zero bits is {format(zeros, digits = 3)} of {m}.")
  }
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

warn_saturated <- function(what, envir = parent.frame()) {
  warn(c("The sketch is full: no bit of the union seems to be 0.", x = what,
         i = "Use more bits, fewer sketches, or less noise."), "saturated", envir)
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
  if (is.infinite(n)) {
    what <- "At the last level {format(zeros[levels], digits = 3)} of {buckets} bits seem to be 0."
    warn_saturated(what)
  }
  list(estimate = n, std.error = error, conf.low = low, conf.high = high)
}

#' @export
rows_of.rr_sketch_size <- function(x) tibble::as_tibble(x$table[setdiff(names(x$table), c("conf.low", "conf.high"))])

#' @export
bounds_of.rr_sketch_size <- function(x, rows, level) {
  check_made_level(level, x$conf.level)
  list(low = x$table$conf.low, high = x$table$conf.high)
}

#' @export
observations_of.rr_sketch_size <- function(x) x$table$sets

#' @export
covariance_of.rr_sketch_size <- function(x) x$table$std.error^2

#' @export
title_of.rr_sketch_size <- function(x) {
  flip <- if (all(x$flip == x$flip[1])) x$flip[1] else x$flip
  c(paste0("Different items in ", x$table$sets, if (x$table$sets == 1) " sketch" else " sketches"),
    paste0("  sketch     ", format_settings(x), ", flip ", format_flips(flip)))
}

#' @export
print.rr_sketch_size <- function(x, n = 10, digits = 4, ...) {
  print_size(x, format_size(x$table$std.error), " interval", format_size)
}
