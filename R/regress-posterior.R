#' Posterior of shares
#'
#' The exact posterior distribution of the true shares, given the reports: quantiles in closed form for a yes/no question, draws for any number of categories.
#'
#' **Yes/no questions.** With the uniform prior, and two reports, the probability of a reported yes is Beta distributed, truncated to the interval between `q` and `p`, and
#' the share is a linear function of it: quantiles take the same time for any number of respondents. With another prior Beta(a, b) the posterior is a finite mixture,
#' over the number \eqn{j} of respondents whose truth is yes, of Beta(a + j, b + n - j), whose weights are convolutions of binomial probabilities (all terms are
#' positive, and are added on the logarithmic scale). Beyond 2000 respondents the density is integrated on the logit scale instead, where the trapezoidal
#' rule converges faster than any power of its step.
#'
#' **K categories.** The prior is Dirichlet. Draws are by rejection where it is uniform, the channel additive, and enough of the Dirichlet distribution of the *reports*
#' lies inside what the mechanism can give (independent draws); else by data augmentation (Gibbs sampling: the truths behind each report given the shares, the shares given
#' the truths), after 500 sweeps that are not kept. The state is counts, so that a sweep takes the same time for any number of respondents. Products of questions
#' have cells as categories.
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
#' `candor_error_argument` for weights, priors, and K categories without draws; `candor_error_no_information`; `candor_error_impossible` for a report that no truth gives.
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
  channel <- unname(identified_channel(mechanism))
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

# Two categories: list(method, quantile(t), mean, sd, evidence, draws) of the share of the second.
binary_posterior <- function(counts, channel, prior, n) {
  a <- prior[2]
  b <- prior[1]
  part <- if (a == 1 && b == 1 && length(counts) == 2) truncated_posterior(counts, channel)
    else if (sum(counts) <= 2000) mixture_posterior(counts, channel, a, b)
    else integrated_posterior(counts, channel, a, b)
  if (n > 0) {
    yes <- part$draw(n)
    part$draws <- cbind(1 - yes, yes)
    part$effective <- n
  }
  part
}

# Uniform prior and two reports: Beta(n1 + 1, n0 + 1) truncated to [q, p]. Whichever tail of the Beta the interval lies
# in, its probabilities are taken from that side, on the logarithmic scale.
truncated_posterior <- function(counts, channel) {
  p <- channel[2, 2]
  q <- channel[1, 2]
  alpha <- counts[2] + 1
  beta <- counts[1] + 1
  low <- min(p, q)
  high <- max(p, q)
  upper <- low > alpha / (alpha + beta)
  ends <- stats::pbeta(c(low, high), alpha, beta, lower.tail = !upper, log.p = TRUE)
  mass <- if (upper) log_difference(ends[1], ends[2]) else log_difference(ends[2], ends[1])
  law <- function(t) {
    share <- if (upper) log_sum(log1p(-t) + ends[1], log(t) + ends[2]) else log_sum(log(t) + ends[2],
                                                                                    log1p(-t) + ends[1])
    mu <- pmin(pmax(stats::qbeta(share, alpha, beta, lower.tail = !upper, log.p = TRUE), low), high)
    (mu - q) / (p - q)
  }
  quantile <- function(t) law(if (p > q) t else 1 - t)
  # Moments of the truncated Beta: E mu = r - (density difference) / mass, from the derivative of mu^alpha (1 -
  # mu)^beta.
  moments <- truncated_moments(alpha, beta, low, high, mass)
  list(method = "truncated Beta", quantile = quantile, mean = (moments[1] - q) / (p - q),
       sd = sqrt(moments[2]) / abs(p - q), evidence = mass + lbeta(alpha, beta) - log(high - low),
       draw = function(n) quantile(stats::runif(n)))
}

log_sum <- function(x, y) {
  top <- pmax(x, y)
  ifelse(top == -Inf, -Inf, top + log1p(exp(-abs(x - y))))
}

log_difference <- function(x, y) x + log1p(-exp(y - x))

# Mean and variance of Beta(alpha, beta) given low < mu < high. The recursion from integration by parts cancels where
# the interval is a small part of the law, so quadrature by Gauss and Legendre on pieces of the interval where the
# density is not negligible.
truncated_moments <- function(alpha, beta, low, high, mass) {
  density <- function(x) stats::dbeta(x, alpha, beta, log = TRUE)
  mode <- min(max(if (alpha + beta > 2) (alpha - 1) / (alpha + beta - 2) else 0.5, low), high)
  top <- density(min(max(mode, low), high))
  edge <- function(end) {
    if (density(end) > top - 45) return(end)
    stats::uniroot(function(x) density(x) - top + 45, sort(c(mode, end)), tol = 1e-9 * abs(end - mode))$root
  }
  nodes <- gauss_legendre(40)
  breaks <- sort(unique(c(seq(edge(low), mode, length.out = 9), seq(mode, edge(high), length.out = 9))))
  half <- diff(breaks) / 2
  x <- as.vector(outer(nodes$x, half) + rep((breaks[-1] + breaks[-length(breaks)]) / 2, each = 40))
  w <- as.vector(outer(nodes$w, half)) * exp(density(x) - top)
  mean <- sum(w * x) / sum(w)
  c(mean, sum(w * (x - mean)^2) / sum(w))
}

# Nodes and weights on [-1, 1] by the eigenvalues of the Jacobi matrix (Golub and Welsch 1969).
gauss_legendre <- function(n) {
  i <- seq_len(n - 1)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(i, i + 1)] <- jacobi[cbind(i + 1, i)] <- i / sqrt(4 * i^2 - 1)
  parts <- eigen(jacobi, symmetric = TRUE)
  list(x = parts$values, w = 2 * parts$vectors[1, ]^2)
}

# sum over j of W_j Beta(a + j, b + n - j): j respondents have the truth yes.
mixture_posterior <- function(counts, channel, a, b) {
  n <- sum(counts)
  coefficients <- 0
  for (y in which(counts > 0)) {
    j <- 0:counts[y]
    own <- lchoose(counts[y], j) + (if (channel[2, y] > 0) j * log(channel[2, y]) else ifelse(j > 0, -Inf, 0)) +
      (if (channel[1, y] > 0) (counts[y] - j) * log(channel[1, y]) else ifelse(j < counts[y], -Inf, 0))
    coefficients <- log_convolve(coefficients, own)
  }
  j <- seq_along(coefficients) - 1
  w <- coefficients + lbeta(a + j, b + n - j)
  top <- max(w)
  total <- top + log(sum(exp(w - top)))
  w <- exp(w - total)
  mean <- sum(w * (a + j) / (a + b + n))
  second <- sum(w * (a + j) * (a + j + 1) / ((a + b + n) * (a + b + n + 1)))
  # Components that carry nothing cost time and add no digit.
  kept <- w > 1e-18
  weight <- w[kept]
  alpha <- (a + j)[kept]
  beta <- (b + n - j)[kept]
  list(method = "Beta mixture", mean = mean, sd = sqrt(max(second - mean^2, 0)), evidence = total - lbeta(a, b),
       latent = w, draw = function(n) {
         component <- sample.int(length(weight), n, TRUE, weight)
         stats::rbeta(n, alpha[component], beta[component])
       },
       quantile = function(t) vapply(t, function(t) {
         if (t <= 0) return(0)
         if (t >= 1) return(1)
         tail <- t > 0.5
         target <- if (tail) 1 - t else t
         miss <- function(eta) {
           x <- stats::plogis(eta)
           sum(weight * if (tail) stats::pbeta(stats::plogis(-eta), beta, alpha) else stats::pbeta(x, alpha,
                                                                                                   beta)) - target
         }
         bounds <- range(stats::qlogis(stats::qbeta(min(t, 1 - t) / 2, c(alpha[1], alpha[length(alpha)]),
                                                    c(beta[1], beta[length(beta)]))), -5, 5, finite = TRUE)
         stats::plogis(stats::uniroot(miss, bounds, extendInt = if (tail) "downX" else "upX", tol = 1e-13)$root)
       }, 0))
}

# Of positive coefficients given by their logarithms: no cancellation, and no underflow either.
log_convolve <- function(x, y) {
  if (length(x) > length(y)) return(log_convolve(y, x))
  size <- length(x) + length(y) - 1
  out <- rep(-Inf, size)
  for (i in which(x > -Inf)) {
    at <- i - 1 + seq_along(y)
    out[at] <- log_sum(out[at], x[i] + y)
  }
  out
}

# The density on the logit scale, on a grid that resolves its narrowest part and ends where nothing is left.
integrated_posterior <- function(counts, channel, a, b) {
  seen <- counts > 0
  log_density <- function(eta) {
    yes <- stats::plogis(eta)
    no <- stats::plogis(-eta)
    value <- a * stats::plogis(eta, log.p = TRUE) + b * stats::plogis(-eta, log.p = TRUE)
    for (y in which(seen)) value <- value + counts[y] * log(channel[2, y] * yes + channel[1, y] * no)
    value
  }
  widest <- 80 / min(a, b, 1) + log(sum(counts) + 2)
  coarse <- seq(-widest, widest, length.out = 20001)
  value <- log_density(coarse)
  mode <- stats::optimize(log_density, coarse[pmin(pmax(which.max(value) + c(-1, 1), 1), 20001)], maximum = TRUE,
                          tol = 1e-12)
  top <- max(mode$objective, value)
  inside <- coarse[value > top - 50]
  ends <- range(inside, mode$maximum) + c(-1, 1) * (coarse[2] - coarse[1])
  # No feature of the posterior is narrower than its normal part with all the information of direct answers.
  step <- min(1 / sqrt(sum(counts) + 4), 0.05) / 12
  grid <- seq(ends[1], ends[2], length.out = min(max(ceiling(diff(ends) / step), 2001), 2e6))
  h <- grid[2] - grid[1]
  value <- log_density(grid)
  density <- exp(value - top)
  slope <- c(diff(density[1:2]) / h, (density[-(1:2)] - density[-(length(grid) - 0:1)]) / (2 * h), 0)
  # The cumulated integral with Hermite's correction of the trapezoidal rule.
  piece <- h / 2 * (density[-1] + density[-length(grid)]) + h^2 / 12 * (slope[-length(grid)] - slope[-1])
  total <- sum(piece)
  cumulated <- c(0, cumsum(piece)) / total
  backward <- rev(c(0, cumsum(rev(piece)))) / total
  share <- stats::plogis(grid)
  weight <- density / sum(density)
  mean <- sum(weight * share)
  quantile <- function(t) {
    at <- ifelse(t < 0.5, pmax(findInterval(t, cumulated, all.inside = TRUE), 1),
                 length(grid) - findInterval(1 - t, rev(backward), all.inside = TRUE, left.open = TRUE))
    at <- pmin(pmax(at, 1), length(grid) - 1)
    # Within a cell, the root of the cumulated quadratic density.
    rest <- ifelse(t < 0.5, t - cumulated[at], backward[at] - (1 - t)) * total
    left <- density[at]
    change <- (density[at + 1] - left) / h
    move <- 2 * rest / (left + sqrt(pmax(left^2 + 2 * change * rest, 0)))
    stats::plogis(grid[at] + pmin(pmax(move, 0), h))
  }
  list(method = "quadrature", quantile = quantile, mean = mean, sd = sqrt(sum(weight * (share - mean)^2)),
       evidence = top + log(total) - lbeta(a, b), draw = function(n) quantile(stats::runif(n)))
}
