#' Posterior of shares
#'
#' The exact posterior distribution of the true shares, given the reports: quadrature for a yes/no question, draws for any number of categories.
#'
#' **Yes/no questions.** The prior of the share is Beta(a, b). The density is integrated on the logit scale, where the trapezoidal rule converges faster than any power of
#' its step: moments and quantiles have nine digits for any number of respondents.
#'
#' **K categories.** The prior is Dirichlet. Draws are by rejection where it is uniform, the channel additive, and enough of the Dirichlet distribution of the *reports*
#' lies inside what the mechanism can give (independent draws); else by data augmentation (Gibbs sampling: the truths behind each report given the shares, the shares given
#' the truths), after 500 sweeps that are not kept. The state is counts, so that a sweep takes the same time for any number of respondents. Products of questions
#' have cells as categories.
#'
#' The ends of an interval leave equal probabilities on both sides. So an interval never covers a share of 0, nor of 1; take `quantile(fit, 0.95)` as a bound for a rare truth.
#'
#' Results for a yes/no question are deterministic. Only draws use R's random generator: [set.seed()] repeats them.
#'
#' @param tally A tally of [rr_tally()] or [rr_counts()], without weights; groups are treated one by one.
#' @param prior For a yes/no question `c(a, b)`: the Beta prior of the share of the *second* level, yes. For K categories one number, or one per level (names in any order), of
#'   the Dirichlet prior. All above 0. 1 is the uniform prior.
#' @param n Number of draws, a whole number; 0 for none. K categories need draws.
#' @return An object of class `rr_posterior` with the methods `tidy(conf.level = 0.95)` (`term`, `estimate`, the posterior mean, `std.error`, the posterior standard deviation,
#'   `median`, and with `conf.int = TRUE` the quantiles `conf.low`, `conf.high`), `quantile(probs)` (a matrix with one row per level), `coef()` (means), `confint()`
#'   (equal tails), `as.data.frame()` (the draws where there are any, one row each, else `tidy()`), `glance()` (`nobs`, `log.evidence`, the logarithm
#'   of the probability of the answers in their order under the prior, `NA` for K categories; `method`, `draws`, `effective`, the smallest effective number of draws), `print()`,
#'   `plot()` and `ggplot2::autoplot()` (medians and intervals).
#'   A list with `draws`, a matrix with one row per draw and one column per level (of groups a list of such).
#' @section Errors:
#' `candor_error_argument` for weights, priors, and K categories without draws; `candor_error_law` for reports that are bits or sets, whose counts do not have their likelihood; `candor_error_no_information`; `candor_error_impossible` for a report that no truth gives.
#' @source Winkler, R. L. and Franklin, L. A. (1979). Warner's randomized response model: a Bayesian approach. *Journal of the American Statistical Association*
#'   74, 207-214. \doi{10.1080/01621459.1979.10481638}
#'
#'   Tanner, M. A. and Wong, W. H. (1987). The calculation of posterior distributions by data augmentation. *Journal of the American Statistical
#'   Association* 82, 528-540. \doi{10.1080/01621459.1987.10478458}
#' @examples
#' # Contact with armed groups: the posterior is nearly normal
#' tidy(rr_posterior(rr_counts(c(1604, 831), rr_forced(1 / 6))), conf.int = TRUE)
#' # Severe plagiarism, a rare truth: it is not
#' severe <- rr_posterior(rr_counts(c(80, 230), rr_crosswise(0.25)), prior = c(1, 1))
#' quantile(severe, c(0.05, 0.5, 0.95))
#' set.seed(1)
#' rr_posterior(rr_counts(c(420, 330, 250), rr_grr(3, epsilon = 1)), n = 1000)
#' @export
rr_posterior <- function(tally, prior = c(1, 1), n = 0, ...) {
  check_dots_empty(...)
  if (!inherits(tally, "rr_tally")) {
    abort(c("{.arg tally} must be a tally.", x = "It is {describe(tally)}.",
            i = "{tally_remedy(tally)}"),
          "argument")
  }
  if (!is.null(tally$weight_squares)) {
    abort(c("{.arg tally} must not be weighted: a posterior needs numbers of respondents.",
            i = "Estimate weighted shares with {.fn rr_estimate}."), "argument")
  }
  n <- check_count(n, "n", max = 1e7)
  mechanism <- tally$mechanism
  channel <- unname(identified_channel(mechanism, "tally"))
  counts <- as.matrix(tally$counts)
  if (any(counts != floor(counts))) {
    abort(c("{.arg tally} must hold whole numbers of reports."), "argument")
  }
  for (g in seq_len(ncol(counts))) {
    never <- which(colSums(channel) == 0 & counts[, g] > 0)
    if (length(never)) {
      abort(c("The data are impossible under this mechanism.",
              x = "Report {.val {mechanism$reports[never[1]]}} was given, and no truth can produce it."), "impossible")
    }
  }
  k <- nrow(channel)
  prior <- check_prior(prior, mechanism$levels, missing(prior))
  if (k > 2 && n == 0) {
    abort(c("The posterior of {k} categories is made of draws.", x = "{.arg n} is 0.",
            i = "Ask for some: {.code rr_posterior(tally, n = 4000)}."), "argument")
  }
  parts <- lapply(seq_len(ncol(counts)), function(g) {
    if (k == 2) binary_posterior(counts[, g], channel, prior, n) else drawn_posterior(counts[, g], channel, prior, n)
  })
  draws <- lapply(parts, function(part) {
    if (!is.null(part$draws)) structure(part$draws, dimnames = list(NULL, mechanism$levels))
  })
  structure(list(parts = parts, tally = tally, mechanism = mechanism, prior = prior,
                 draws = if (n > 0) { if (is.null(tally$groups)) draws[[1]] else draws }), class = "rr_posterior")
}

check_prior <- function(prior, levels, default) {
  k <- length(levels)
  if (default && k > 2) return(rep(1, k))
  if (!is.numeric(prior) || !length(prior) || !all(is.finite(prior)) || any(prior <= 0)) {
    abort(c("{.arg prior} must be numbers above 0.", x = "It is {describe(prior)}."), "argument")
  }
  if (length(prior) == 1L) return(rep(as.double(prior), k))
  if (length(prior) != k) {
    abort(c("{.arg prior} must be one number, or one per category.",
            x = "It has {length(prior)} entries; there are {k} categories."), "argument")
  }
  if (!is.null(names(prior))) return(as.double(match_levels(prior, levels, "prior")))
  # Beta(a, b) is the law of the share of yes, the second level.
  if (k == 2) rev(as.double(prior)) else as.double(prior)
}

# Two categories: list(method, quantile(t), mean, sd, evidence, draws) of the share of the second, by quadrature on the
# logit scale, on a grid that resolves the narrowest part of the density and ends where nothing is left.
binary_posterior <- function(counts, channel, prior, n) {
  a <- prior[2]
  b <- prior[1]
  log_density <- function(eta) {
    value <- a * stats::plogis(eta, log.p = TRUE) + b * stats::plogis(-eta, log.p = TRUE)
    for (y in which(counts > 0)) {
      value <- value + counts[y] * log(channel[2, y] * stats::plogis(eta) + channel[1, y] * stats::plogis(-eta))
    }
    value
  }
  widest <- 80 / min(a, b, 1) + log(sum(counts) + 2)
  coarse <- seq(-widest, widest, length.out = 20001)
  value <- log_density(coarse)
  mode <- stats::optimize(log_density, coarse[pmin(pmax(which.max(value) + c(-1, 1), 1), 20001)], maximum = TRUE,
                          tol = 1e-12)
  top <- max(mode$objective, value)
  ends <- range(coarse[value > top - 50], mode$maximum) + c(-1, 1) * (coarse[2] - coarse[1])
  # A hundred nodes for the radius of the sharpest bend of the logarithm where there is any mass.
  yes <- stats::plogis(c(mode$maximum, coarse[value > top - 20]))
  bend <- (a + b) * yes * (1 - yes)
  for (y in which(counts > 0)) {
    slope <- (channel[2, y] - channel[1, y]) * yes * (1 - yes) / (channel[1, y] + (channel[2, y] - channel[1, y]) * yes)
    bend <- bend + counts[y] * (slope^2 + abs(slope * (1 - 2 * yes)))
  }
  step <- min(1 / sqrt(max(bend)), 0.4) / 100
  grid <- seq(ends[1], ends[2], length.out = min(max(ceiling(diff(ends) / step), 2001), 2e6))
  density <- exp(log_density(grid) - top)
  total <- sum(density) * (grid[2] - grid[1])
  density <- density / total
  # The distribution function from either end inwards, its cells by the cubic through four nodes; the quantile is the
  # cubic with the density's slopes.
  half <- function(grid, density) {
    f <- c(0, density, 0)
    inner <- seq_len(length(grid) - 1)
    cells <- abs(grid[2] - grid[1]) / 24 * (13 * (f[inner + 1] + f[inner + 2]) - f[inner] - f[inner + 3])
    below <- c(0, cumsum(cells))
    kept <- c(diff(below) > 0 & below[-1] < 0.6, FALSE)
    stats::splinefunH(below[kept], grid[kept], sign(grid[2] - grid[1]) / density[kept])
  }
  lower <- half(grid, density)
  upper <- half(rev(grid), rev(density))
  quantile <- function(t) ifelse(t <= 0, 0, ifelse(t >= 1, 1, stats::plogis(ifelse(t < 0.5, lower(t), upper(1 - t)))))
  share <- stats::plogis(grid)
  weight <- density / sum(density)
  mean <- sum(weight * share)
  yes <- if (n > 0) quantile(stats::runif(n))
  list(method = "quadrature", quantile = quantile, mean = mean, sd = sqrt(sum(weight * (share - mean)^2)),
       evidence = top + log(total) - lbeta(a, b), draws = if (n > 0) cbind(1 - yes, yes), effective = n)
}
