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
#'   \eqn{\rho = h n/m}. The interval is that of \eqn{Z}, carried over. An estimate slightly below 0 is possible and shown.
#' * PCSA: the estimated numbers of ones at each level are fitted by their expectations
#'   \eqn{B (1 - \exp(-n \pi_l / B))}{B (1 - exp(-n pi_l / B))}, \eqn{B} buckets and \eqn{\pi_l} the share of items at level
#'   \eqn{l}, by
#'   quasi-likelihood: each level is weighted by its variance, which counts the noise (at its least favourable) and the
#'   hashing. Never negative.
#'
#' @param ... Sketches of [rr_sketch()] with the same settings and key, or one list of them.
#' @param conf.level Confidence level, between 0 and 1.
#' @return An object of class `rr_sketch_size`; `tidy()` gives `term`, `sets` (sketches), `estimate`, `std.error` and, with
#'   `conf.int = TRUE`, `conf.low` and `conf.high`, not below 0, at the level given.
#' @section Errors and warnings:
#' `candor_error_mismatch` for sketches of different settings or keys; `candor_warning_saturated` when no bit of the union
#' seems to be 0, so that no finite number fits: the estimate is `Inf`.
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
  conf.level <- check_number(conf.level, "conf.level", 0, 1, TRUE, TRUE)
  sketches <- check_sketches(list(...), environment())
  bits <- vapply(sketches, `[[`, sketches[[1]]$bits, "bits")
  flip <- vapply(sketches, `[[`, 1, "flip")
  first <- sketches[[1]]
  z <- stats::qnorm((1 + conf.level) / 2)
  estimate <- if (first$type == "pcsa") pcsa_size else bloom_size
  fit <- estimate(bits, flip, first$settings, z)
  table <- data.frame(term = "items", sets = length(sketches), fit)
  structure(list(table = table, type = first$type, settings = first$settings, flip = flip, conf.level = conf.level),
            class = "rr_sketch_size")
}

# The number of zero bits is estimated with a nearly normal error; its logarithm is not, so the interval is made first.
bloom_size <- function(bits, flip, settings, z) {
  m <- settings[["bits"]]
  h <- settings[["hashes"]]
  totals <- set_totals(list(bits = bits, m = m, n = ncol(bits), flip = flip), caller_env())
  zeros <- m - totals$union
  size <- function(zeros) if (zeros > 0) log(zeros / m) / (h * log1p(-1 / m)) else Inf
  if (!(zeros > 0)) {
    warn(c("The sketch is full: no bit of the union seems to be 0.",
           x = "The estimated number of zero bits is {format(zeros, digits = 3)} of {m}.",
           i = "Use more bits, fewer sketches, or less noise."), "saturated")
  }
  noise <- if (totals$union_variance > 0) totals$union_variance else totals$bound
  empty <- min(max(zeros, 0) / m, 1)
  hashing <- m * empty * (1 - empty * (1 - log(max(empty, 1e-300))))
  error <- sqrt(noise + max(hashing, 0))
  list(estimate = size(zeros), std.error = if (zeros > 0) error * m / (h * zeros) else NA_real_,
       conf.low = max(size(zeros + z * error), 0), conf.high = max(size(zeros - z * error), 0))
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
  ones <- vapply(seq_len(levels), function(l) {
    rows <- bits[(l - 1) * buckets + seq_len(buckets), , drop = FALSE]
    set_totals(list(bits = rows, m = buckets, n = ncol(bits), flip = flip), caller_env())$union
  }, 1)
  moments <- function(n) {
    full <- -expm1(-n * share / buckets)
    list(mean = buckets * full, slope = share * exp(-n * share / buckets),
         variance = buckets * (full * taken + (1 - full) * clear + full * (1 - full)))
  }
  # The quasi-score, which without noise is the likelihood's. Its integral over n shows which of its roots is meant.
  score <- function(log_n) {
    at <- moments(exp(log_n))
    exp(log_n) * sum(at$slope * (ones - at$mean) / at$variance)
  }
  grid <- seq(log(0.01), log(buckets) + levels * log(2) + 3, by = 0.05)
  scores <- vapply(grid, score, 1)
  top <- which.max(cumsum(c(0, scores[-1] + scores[-length(scores)])))
  around <- grid[c(max(top - 1, 1), min(top + 1, length(grid)))]
  n <- if (top == 1) 0 else if (score(around[1]) * score(around[2]) > 0) exp(grid[top])
    else exp(stats::uniroot(score, around, tol = 1e-12)$root)
  at <- moments(max(n, 0.01))
  error <- sqrt(max(1 / sum(at$slope^2 / at$variance) - n, 1e-6))
  list(estimate = n, std.error = error, conf.low = max(n - z * error, 0), conf.high = n + z * error)
}

#' @rdname rr_sketch_size
#' @param x,object An object of `rr_sketch_size()`.
#' @param conf.int Add the columns `conf.low` and `conf.high`?
#' @export
tidy.rr_sketch_size <- function(x, conf.int = FALSE, ...) {
  check_dots_empty(...)
  check_flag(conf.int, "conf.int")
  table <- tibble::as_tibble(x$table)
  if (conf.int) table else table[setdiff(names(table), c("conf.low", "conf.high"))]
}

#' @rdname rr_sketch_size
#' @export
coef.rr_sketch_size <- function(object, ...) {
  check_dots_empty(...)
  c(items = object$table$estimate)
}

#' @rdname rr_sketch_size
#' @export
as.data.frame.rr_sketch_size <- function(x, ...) x$table

#' @export
print.rr_sketch_size <- function(x, ...) {
  check_dots_empty(...)
  table <- x$table
  cat("<rr_sketch_size> Different items in ", table$sets, if (table$sets == 1) " sketch\n" else " sketches\n", sep = "")
  flip <- if (all(x$flip == x$flip[1])) x$flip[1] else x$flip
  cat("  sketch     ", format_settings(x), ", flip ", format_flips(flip), "\n", sep = "")
  cat("  estimate   ", format_size(table$estimate), "\n  std. error ", format_size(table$std.error), "\n", sep = "")
  cat("  ", format(100 * x$conf.level), "% interval: ", format_size(table$conf.low), " to ",
      format_size(table$conf.high), "\n", sep = "")
  invisible(x)
}
