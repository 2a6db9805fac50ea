#' Bayesian estimates: the posterior distribution of prevalences
#'
#' `rr_posterior()` gives the exact posterior distribution of the true shares given the reports.
#'
#' * **Yes/no questions**: the prior of the share is Beta(a, b), and the density is integrated numerically to nine digits. The result is deterministic.
#' * **\eqn{K} categories**: the prior is Dirichlet. Draws are by Gibbs sampling with data augmentation, after 500 sweeps that are not kept. The time does not depend on the number of
#'   respondents. Cells of a product of questions are categories.
#'
#' Intervals leave equal probabilities on both sides, so they never contain a share of 0 or 1. Use `quantile(fit, 0.95)` as a bound for a rare truth.
#'
#' @param tally A tally of [rr_tally()] or [rr_counts()] without weights. Groups are treated one by one.
#' @param prior Parameters of the prior, all above 0; default 1, the uniform prior. For a yes/no question `c(a, b)`, the Beta prior of the *second* level; for
#'   \eqn{K} categories one number, or one per level (names in any order).
#' @param n Number of draws, a whole number; default 0, none. \eqn{K} categories need draws, by R's generator.
#' @param x,object A posterior.
#' @param probs Probabilities, numbers from 0 to 1.
#' @param conf.level Probability between the limits, a number in (0, 1); default 0.95.
#' @param ... Not used; `rr_posterior()` refuses further arguments.
#' @return An object of class `c("rr_posterior", "rr_estimates")`, a list whose element `draws` is a matrix with one row per draw and one column per level (with groups a list of matrices).
#'   Beside the methods of [estimate_methods]:
#'
#'   * `tidy()`: `estimate` is the posterior mean, `std.error` the posterior standard deviation; there is a column `median`.
#'   * `quantile()`: a matrix with one row per level.
#'   * `confint()`: equal-tailed intervals.
#'   * `glance()`: `nobs`, `log.evidence` (log probability of the answers in their order; `NA` for \eqn{K} categories), `method`, `draws`, `effective` (smallest
#'     effective number of draws).
#'   * `as.data.frame()`: the draws, or `tidy()` if there are none.
#'   * `plot()`: medians and intervals.
#' @section Errors:
#' `candor_error_argument`, `candor_error_law` (reports that are bits or sets, a validation study), `candor_error_no_information`, `candor_error_impossible`. See [candor_conditions].
#' @references Winkler, R. L. and Franklin, L. A. (1979). Warner's randomized response model: a Bayesian approach. *Journal of the American Statistical Association*
#'   74, 207-214. \doi{10.1080/01621459.1979.10481638}
#'
#'   Tanner, M. A. and Wong, W. H. (1987). The calculation of posterior distributions by data augmentation. *Journal of the American Statistical
#'   Association* 82, 528-540. \doi{10.1080/01621459.1987.10478458}
#' @seealso [rr_estimate()] for maximum likelihood, `method = "eb"` of [`?estimators`][estimators] for many categories.
#' @concept Bayesian estimation
#' @concept imputation
#' @concept pseudo-observations
#' @concept ROPE
#' @concept HDI
#' @concept Bayes factor
#' @concept credible interval
#' @concept Gibbs sampling
#' @order 1
#' @examples
#' # How common is severe plagiarism at most? The truth is rare, so the posterior is skewed.
#' severe <- rr_posterior(rr_counts(c(no = 80, yes = 230), rr_crosswise(0.25)), prior = c(1, 1))
#' tidy(severe, conf.int = TRUE)
#' quantile(severe, c(0.05, 0.5, 0.95))
#' # At most 11%, with probability 0.95
#'
#' # Three categories need draws
#' set.seed(1)
#' rr_posterior(rr_counts(c(never = 420, once = 330, often = 250),
#'                        rr_grr(c("never", "once", "often"), epsilon = 1)), n = 1000)
#' @export
rr_posterior <- function(tally, prior = 1, n = 0, ...) {
  check_dots_empty(...)
  if (!inherits(tally, "rr_tally")) {
    must_be(tally, "tally", "a tally", remedy = tally_remedy(tally))
  }
  counts <- as.matrix(tally$counts)
  if (!is.null(tally$weight_squares) || any(counts != floor(counts))) {
    abort("{.arg tally} must hold whole numbers of respondents, without weights.")
  }
  n <- check_count(n, "n", max = 1e7)
  mechanism <- tally$mechanism
  refuse_validated(mechanism, "{.fn rr_posterior}")
  channel <- unname(identified_channel(mechanism, "tally"))
  if (any(colSums(channel) == 0 & rowSums(counts) > 0)) {
    abort(
      "The data are impossible under this mechanism: no truth can produce a report.", "impossible"
    )
  }
  k <- nrow(channel)
  prior <- check_prior(prior, mechanism$levels)
  if (k > 2 && n == 0) {
    abort("The posterior of {k} categories needs draws, such as {.code n = 4000}.")
  }
  posteriors <- lapply(seq_len(ncol(counts)), function(g) {
    posterior <- (if (k == 2) binary_posterior else drawn_posterior)(
      counts[, g], channel, prior, n
    )
    if (n > 0) colnames(posterior$draws) <- mechanism$levels
    posterior
  })
  new_rr_posterior(posteriors, tally, prior, if (n > 0) lapply(posteriors, `[[`, "draws"))
}

# Beta(a, b) is the distribution of the share of yes, the second level.
check_prior <- function(prior, levels) {
  k <- length(levels)
  check_that(
    is.numeric(prior) && length(prior) %in% c(1L, k) &&
      all(is.finite(prior) & prior > 0),
    prior, "prior", "one number above 0, or one per category"
  )
  if (length(prior) == 1L) {
    rep(prior, k)
  } else if (k == 2 && is.null(names(prior))) {
    rev(prior)
  } else {
    match_levels(prior, levels, "prior")
  }
}

new_rr_posterior <- function(groups_of, tally, prior, draws) {
  levels <- tally$mechanism$levels
  all <- function(what) unlist(lapply(groups_of, `[[`, what))
  groups <- lapply(as.list(tally$groups), rep, each = length(levels))
  table <- as_tibble(c(
    groups,
    list(
      term = rep(levels, length(groups_of)),
      estimate = all("mean"),
      std.error = all("sd")
    )
  ))
  x <- structure(
    list(
      posteriors = groups_of,
      tally = tally,
      mechanism = tally$mechanism,
      prior = prior,
      rows = table,
      n = sum(tally$n),
      labels = cell_names(levels, tally$groups),
      conf.level = 0.95,
      draws = if (is.null(tally$groups)) draws[[1]] else draws
    ),
    class = c("rr_posterior", "rr_estimates")
  )
  x$rows$median <- unname(quantile(x, 0.5)[, 1])
  x
}

# Two categories: the share of the second, by quadrature on the logit scale.
binary_posterior <- function(counts, channel, prior, n) {
  curve <- posterior_grid(counts, channel, prior[2], prior[1])
  share_of_yes <- posterior_quantile(curve$grid, curve$density)
  share <- plogis(curve$grid)
  weight <- curve$density / sum(curve$density)
  mean <- sum(weight * share)
  yes <- if (n > 0) share_of_yes(runif(n))
  list(
    method = "quadrature",
    quantile = function(t) rbind(1 - share_of_yes(1 - t), share_of_yes(t)),
    mean = c(1 - mean, mean),
    sd = rep(sqrt(sum(weight * (share - mean)^2)), 2),
    evidence = curve$evidence,
    draws = if (n > 0) cbind(1 - yes, yes),
    effective = n
  )
}

# The density on a grid that resolves its narrowest part and ends where nothing is left.
posterior_grid <- function(counts, channel, a, b) {
  log_density <- posterior_density(counts, channel, a, b)
  widest <- 80 / min(a, b, 1) + log(sum(counts) + 2)
  coarse <- seq(-widest, widest, length.out = 20001)
  value <- log_density(coarse)
  mode <- optimize(
    log_density,
    coarse[
      pmin(pmax(which.max(value) + c(-1, 1), 1), 20001)
    ],
    maximum = TRUE, tol = 1e-12
  )
  top <- max(mode$objective, value)
  limits <- range(coarse[value > top - 50], mode$maximum) +
    c(-1, 1) * (coarse[2] - coarse[1])
  # A hundred nodes for the radius of the sharpest bend of the logarithm where there is any mass.
  bend <- posterior_bend(
    counts, channel, a, b,
    plogis(c(mode$maximum, coarse[value > top - 20]))
  )
  step <- min(1 / sqrt(max(bend)), 0.4) / 100
  grid <- seq(
    limits[1], limits[2],
    length.out = min(max(ceiling(diff(limits) / step), 2001), 2e6)
  )
  density <- exp(log_density(grid) - top)
  total <- sum(density) * (grid[2] - grid[1])
  list(
    grid = grid,
    density = density / total,
    evidence = top + log(total) - lbeta(a, b)
  )
}

# Its logarithm at a logit.
posterior_density <- function(counts, channel, a, b) {
  function(eta) {
    value <- a * plogis(eta, log.p = TRUE) + b * plogis(-eta, log.p = TRUE)
    for (y in which(counts > 0)) {
      value <- value + counts[y] * log(
        channel[2, y] * plogis(eta) + channel[1, y] * plogis(-eta)
      )
    }
    value
  }
}

# How far its second derivative may be from 0, at a share of `yes`.
posterior_bend <- function(counts, channel, a, b, yes) {
  bend <- (a + b) * yes * (1 - yes)
  for (y in which(counts > 0)) {
    slope <- (channel[2, y] - channel[1, y]) * yes *
      (1 - yes) / (channel[1, y] +
        (channel[2, y] - channel[1, y]) * yes)
    bend <- bend +
      counts[y] * (slope^2 + abs(slope * (1 - 2 * yes)))
  }
  bend
}

# The distribution function from either end inwards, its cells by the cubic through four nodes; the
# quantile is the cubic with the density's slopes.
posterior_quantile <- function(grid, density) {
  half <- function(grid, density) {
    f <- c(0, density, 0)
    inner <- seq_len(length(grid) - 1)
    cells <- abs(grid[2] - grid[1]) / 24 * (13 *
      (f[inner + 1] + f[inner + 2]) - f[inner] - f[inner + 3])
    below <- c(0, cumsum(cells))
    used <- c(diff(below) > 0 & below[-1] < 0.6, FALSE)
    splinefunH(
      below[used], grid[used],
      sign(grid[2] - grid[1]) / density[used]
    )
  }
  lower <- half(grid, density)
  upper <- half(rev(grid), rev(density))
  function(t) {
    ifelse(
      t <= 0, 0,
      ifelse(
        t >= 1, 1,
        plogis(ifelse(t < 0.5, lower(t), upper(1 - t)))
      )
    )
  }
}

# K categories: draws by data augmentation.
drawn_posterior <- function(counts, channel, prior, n, warm = 500L) {
  seen <- which(counts > 0)
  theta <- start_shares(seq_along(counts), counts, channel)
  draws <- matrix(0, n, length(theta))
  for (sweep in seq_len(warm + n)) {
    truths <- prior
    for (y in seen) {
      truths <- truths +
        rmultinom(1, counts[y], theta * channel[, y])[, 1]
    }
    theta <- rgamma(length(theta), truths)
    theta <- theta / sum(theta)
    if (sweep > warm) draws[sweep - warm, ] <- theta
  }
  quantile <- function(t) {
    do.call(
      rbind, apply(draws, 2, stats::quantile, t, names = FALSE, simplify = FALSE)
    )
  }
  list(
    method = "data augmentation",
    draws = draws,
    quantile = quantile,
    mean = colMeans(draws),
    sd = apply(draws, 2, sd),
    evidence = NA_real_,
    effective = apply(draws, 2, effective_draws)
  )
}

# The effective number of draws by the initial positive sequence of Geyer (1992).
effective_draws <- function(x) {
  n <- length(x)
  if (n < 10 || var(x) == 0) return(n)
  rho <- acf(x, lag.max = min(n - 1, 1000), plot = FALSE)$acf[
    -1
  ]
  pairs <- rho[seq(1, length(rho) - 1, 2)] +
    rho[seq(2, length(rho), 2)]
  stop <- match(TRUE, pairs < 0, nomatch = length(pairs) + 1) - 1
  n / max(1, 1 + 2 * sum(rho[seq_len(2 * stop)]))
}

#' @rdname rr_posterior
#' @export
quantile.rr_posterior <- function(x, probs = c(0.025, 0.25, 0.5, 0.75, 0.975), ...) {
  probs <- check_probabilities(probs, "probs")
  table <- do.call(rbind, lapply(x$posteriors, function(posterior) posterior$quantile(probs)))
  dimnames(table) <- list(
    x$labels,
    paste0(format(100 * probs, trim = TRUE, digits = 5), "%")
  )
  table
}

bounds_of.rr_posterior <- function(x, rows, level) {
  limits <- unname(
    quantile(x, c((1 - level) / 2, (1 + level) / 2))
  )
  list(low = limits[, 1], high = limits[, 2])
}

#' @export
glance.rr_posterior <- function(x, ...) {
  of <- function(what) unlist(lapply(x$posteriors, `[[`, what))
  drawn <- !is.null(x$draws)
  tibble(nobs = nobs(x), log.evidence = sum(of("evidence")),
         method = paste(unique(of("method")), collapse = ", "),
         draws = if (drawn) nrow(x$posteriors[[1]]$draws) else 0,
         effective = if (drawn) min(of("effective")) else NA_real_)
}

#' @export
as.data.frame.rr_posterior <- function(x, ...) {
  if (is.null(x$draws)) return(NextMethod())
  if (is.null(x$tally$groups)) {
    return(plain_frame(as_tibble(x$draws), ...))
  }
  keys <- as.data.frame(x$tally$groups)
  each <- nrow(x$draws[[1]])
  plain_frame(
    cbind(
      keys[rep(seq_len(nrow(keys)), each = each), , drop = FALSE],
      do.call(rbind, x$draws), row.names = NULL
    ),
    ...
  )
}

title_of.rr_posterior <- function(x) {
  look <- glance(x)
  draws <- if (look$draws > 0) sprintf(", %s draws (worth at least %s)", format_count(look$draws),
                                       format_count(floor(look$effective)))
  c(paste0("Shares given ", format_count(look$nobs), " reports; ", look$method, draws),
    paste0("  ", format(x$mechanism), "; prior parameters ", format_labels(x$prior)))
}
