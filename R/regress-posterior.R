#' Bayesian estimates: the posterior distribution of prevalences
#'
#' `rr_posterior()` gives the exact posterior distribution of the true shares given the reports.
#'
#' * **Yes/no questions**: the prior of the share is Beta(a, b), and the density is integrated numerically to nine digits. The result is deterministic.
#' * **\eqn{K} categories**: the prior is Dirichlet. Draws are by Gibbs sampling with data augmentation, after 500 sweeps that are not kept. The time does not depend on the number of
#'   respondents. Cells of a product of questions are categories.
#'
#' * **A channel that a validation study measured** ([rr_misclassification()]): the rows of the channel are unknown too, with uniform priors. After an external study the posterior of a
#'   yes/no question is an exact mixture of Beta distributions, if (yes + 1)(no + 1) is at most \eqn{10^7}{1e7}. Otherwise, and for more categories, it has independent
#'   draws: channels and reported shares are drawn, and drawn again in proportion to the density of the true shares. If there are more reports than truths, or the reports
#'   contradict the study, draws are by Gibbs sampling, and each 100th draw is used. After an internal study draws are direct, and means and standard deviations are exact; the prior is
#'   spread evenly over the reports.
#'
#' **Constraints**: if the shares are known to satisfy a condition, such as an order, keep the draws that satisfy it, as in the last example. They are from the posterior with the prior restricted to
#' that condition, and their part is its posterior probability. Cells of a product give joint counts with such a prior: equations 19 to 21 of Carette (2022), with the law of the reports itself
#' instead of its normal approximation.
#'
#' Groups are treated one by one. Draws of two groups after one external study do not have its error in common: [rr_compare()] gives their difference.
#'
#' Intervals leave equal probabilities on both sides, so they never contain a share of 0 or 1. Use `quantile(fit, 0.95)` as a bound for a rare truth.
#'
#' @param tally A tally of [rr_tally()] or [rr_counts()] without weights. Groups are treated one by one.
#' @param prior Parameters of the prior, all above 0; default 1, the uniform prior. For a yes/no question `c(a, b)`, the Beta prior of the *second* level; for
#'   \eqn{K} categories one number, or one per level (names in any order).
#' @param n Number of draws, a whole number; default 0, none. \eqn{K} categories need draws, by R's generator.
#' @param x,object A posterior.
#' @param probs Probabilities, numbers from 0 to 1.
#' @param above Numbers from 0 to 1: the region of shares above each. `summary()` without it returns the posterior.
#' @param conf.level Probability between the limits, a number in (0, 1); default 0.95.
#' @param ... Not used; `rr_posterior()` refuses further arguments.
#' @return An object of class `c("rr_posterior", "rr_estimates")`, a list whose element `draws` is a matrix with one row per draw and one column per level (with groups a list of matrices).
#'   Beside the methods of [estimate_methods]:
#'
#'   * `tidy()`: `estimate` is the posterior mean, `std.error` the posterior standard deviation; there is a column `median`.
#'   * `quantile()`: a matrix with one row per level.
#'   * `summary()`: the table of `tidy()` for each number in `above`, with the columns `above` and `probability`, the probability of a share above it.
#'   * `confint()`: equal-tailed intervals.
#'   * `glance()`: `nobs`, `log.evidence` (log probability of the answers in their order; `NA` where there are only draws), `method`, `draws`, `effective` (smallest
#'     effective number of draws).
#'   * `as.data.frame()`: the draws, or `tidy()` if there are none.
#'   * `plot()`: medians and intervals.
#' @section Errors:
#' `candor_error_argument`, `candor_error_law` (reports that are bits or sets, a product with a question that a study measured), `candor_error_no_information`, `candor_error_impossible`. See [candor_conditions].
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
#' # How common is severe plagiarism at most? The truth is rare, so the
#' # posterior is skewed.
#' reports <- rr_counts(c(no = 80, yes = 230), rr_crosswise(0.25))
#' severe <- rr_posterior(reports, prior = c(1, 1))
#' tidy(severe, conf.int = TRUE)
#' quantile(severe, c(0.05, 0.5, 0.95))
#' # At most 11%, with probability 0.95
#'
#' # A test was positive in 120 of 1,000: do more than 5% have the condition?
#' test <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5),
#'                                            yes = c(10, 40)))
#' summary(rr_posterior(rr_counts(c(880, 120), test)), above = 0.05)
#' # with probability 0.86
#'
#' # Three categories need draws
#' set.seed(1)
#' answers <- rr_counts(c(never = 420, once = 330, often = 250),
#'                      rr_grr(c("never", "once", "often"), epsilon = 1))
#' frequency <- rr_posterior(answers, n = 1000)
#' frequency
#' # It is known that fewer did it often than once
#' draws <- frequency$draws
#' colMeans(draws[draws[, "often"] < draws[, "once"], ])
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
  if (!is_validated(mechanism)) refuse_validated(mechanism, "{.fn rr_posterior}")
  channel <- unname(identified_channel(mechanism, "tally"))
  if (any(colSums(channel) == 0 & rowSums(counts) > 0)) {
    abort(
      "The data are impossible under this mechanism: no truth can produce a report.", "impossible"
    )
  }
  k <- nrow(channel)
  prior <- check_prior(prior, mechanism$levels)
  posteriors <- lapply(seq_len(ncol(counts)), function(g) {
    posterior <- if (is_validated(mechanism)) {
      study_posterior(tally_law(tally, g), counts[, g], channel, prior, n)
    } else {
      (if (k == 2) binary_posterior else drawn_posterior)(counts[, g], channel, prior, n)
    }
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

# The covariance of the shares of all groups. Groups are independent, unless an external study
# measured their channel: NA. It is computed when it is asked for, since it may be large.
covariance_of.rr_posterior <- function(x) {
  k <- length(x$mechanism$levels)
  is_shared <- is_validated(x$mechanism) && !x$mechanism$internal
  n_cells <- k * length(x$posteriors)
  covariance <- matrix(if (is_shared) NA_real_ else 0, n_cells, n_cells)
  for (g in seq_along(x$posteriors)) {
    cells <- (g - 1) * k + seq_len(k)
    covariance[cells, cells] <- x$posteriors[[g]]$covariance()
  }
  covariance
}

# Two categories: the share of the second, by quadrature on the logit scale.
binary_posterior <- function(counts, channel, prior, n) {
  curve <- posterior_grid(counts, channel, prior[2], prior[1])
  share_of_yes <- posterior_quantile(curve$grid, curve$density)
  share <- plogis(curve$grid)
  weight <- curve$density / sum(curve$density)
  mean <- sum(weight * share)
  variance <- sum(weight * (share - mean)^2)
  yes <- share_of_yes(runif(n))
  list(
    method = "quadrature",
    quantile = function(t) rbind(1 - share_of_yes(1 - t), share_of_yes(t)),
    above = function(limit) {
      c(1 - share_above(share_of_yes, 1 - limit), share_above(share_of_yes, limit))
    },
    mean = c(1 - mean, mean),
    sd = rep(sqrt(variance), 2),
    covariance = function() binary_covariance(variance),
    evidence = curve$evidence,
    draws = cbind(1 - yes, yes),
    effective = n
  )
}

# The probability of a share above `limit`, from its quantile function.
share_above <- function(quantile, limit) {
  if (limit %in% 0:1) return(1 - limit)
  excess <- function(prob) quantile(prob) - limit
  1 - uniroot(excess, 0:1, tol = 1e-12)$root
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
      clamp(which.max(value) + c(-1, 1), 1, 20001)
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
    length.out = clamp(ceiling(diff(limits) / step), 2001, 2e6)
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

#' @rdname rr_posterior
#' @export
summary.rr_posterior <- function(object, above = NULL, ...) {
  if (is.null(above)) return(object)
  table <- tidy(object, conf.int = TRUE)
  limits <- unname(check_probabilities(above, "above"))
  do.call(rbind, lapply(limits, function(limit) {
    table$above <- limit
    probabilities <- lapply(object$posteriors, function(posterior) posterior$above(limit))
    table$probability <- unname(unlist(probabilities))
    table
  }))
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
