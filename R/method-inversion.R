#' Estimators of a distribution from randomized reports
#'
#' The methods of [rr_estimate()], by what they do and when to use them. \eqn{K} is the number of categories.
#'
#' * `"mle"`: exact maximum likelihood. Use: the default: few categories, every share well above the noise. Source: Pinzon et al. (2026).
#' * `"inv"`: linear inversion; unbiased, may be negative or above 1. Use: sums of named categories, one category over time. Source: Kairouz et al.
#'   (2016).
#' * `"invn"`: `"inv"`, negative shares set to 0, the rest rescaled (Norm-Mul). Use: comparison with the literature. Source: Wang et al. (2020).
#' * `"invp"`, `"norm_sub"`: the Euclidean projection of `"inv"` on the distributions. Use: protocols without a likelihood. Source: Wang et al.
#'   (2020).
#' * `"ibu"`: iterative Bayesian update, an EM algorithm, with its trace. Use: study of the iterations. Source: Agrawal and Aggarwal (2001).
#' * `"composite"`: maximum likelihood that treats each supported category as a report of its own. Use: reports that support several categories, if
#'   only their counts are known.
#' * `"eb"`: empirical Bayes: each share is its posterior mean under a spread that is learned from the counts. Use: many categories, all shares
#'   together. Source: Efron (2016).
#' * `"combine"`: a point between `"invn"`, `"mle"` and `"invp"`, chosen by leaving out one report. Use: many categories of unknown shape.
#' * `"merged"`: maximum likelihood with one common share for all categories within the noise. Use: many empty categories. Source: after Ye et al.
#'   (2025).
#' * `"smoothed"`: `"ibu"` with smoothing over neighbouring categories. Use: the shape of an ordered distribution. Source: Li et al. (2020).
#' * `"base_cut"`: `"inv"`, shares that are not significantly above 0 set to 0; no distribution. Use: detection of common categories. Source: Wang et
#'   al. (2017).
#' * `"norm"`: `"inv"` plus one number for all, so that the sum is 1; no distribution. Use: comparison with the literature. Source: Wang et al.
#'   (2020).
#' * `"norm_cut"`: the largest shares of `"inv"` until their sum reaches 1. Use: few large categories. Source: Wang et al. (2020).
#' * `"power"`: the posterior mean under a power law; no distribution. Use: categories that follow a power law. Source: Jia and Gong (2019).
#' * `"power_ns"`: `"power"`, then `"norm_sub"`. Use: the same, if a distribution is needed. Source: Wang et al. (2020).
#' * `"nnls"`: least squares without negative shares, for [rr_bloom()]. Use: any number of candidates.
#' * `"lasso"`: selection by the lasso, then least squares, for [rr_bloom()]. Use: many candidates, few of them held. Source: Erlingsson et al.
#'   (2014).
#'
#' [rr_methods()] lists what each method needs from the mechanism. A method that needs more than the mechanism provides gives an error.
#'
#' @section Maximum likelihood:
#' `"mle"` has a closed form for mechanisms that report the truth with some probability and otherwise draw an answer that does not depend on it: [rr_grr()],
#' [rr_binary()], [rr_forced()], [rr_unrelated()]. Any other channel is maximized with a certificate, see [likelihood_solver].
#'
#' The estimate is a distribution. It sets shares below the noise to 0 and takes the same mass from the other categories. With hundreds of categories the large
#' shares are therefore too small by several standard errors. Read intervals instead of standard errors there, use [rr_top()] for the categories that look
#' largest, `"inv"` for sums of named categories, and `"eb"` for all shares together. `articles/which-estimator.html` of the site has the figures.
#'
#' If the truth is the least likely report (\eqn{p < q}), the data may determine only the sum of the shares of some categories that nobody reported. This sum is then
#' divided equally, and the fit says so.
#'
#' The log-likelihood of `"inv"` can exceed the maximum: shares outside 0 to 1 can fit the reports better than any distribution.
#'
#' @section Empirical Bayes:
#' `"eb"` averages some hundred simple shapes of the spread (equal shares, power laws, two levels, one large category), weighted by their likelihood. EM steps sharpen the
#' spread if the counts ask for it, and the shares are tilted to add up to 1. The estimates are shrunk, so `"eb"` is not for sums of selected categories or for one
#' category over time.
#'
#' Empirical Bayes needs \eqn{p > q} and a binomial count for each category:
#' * additive mechanisms, such as [rr_grr()], Warner's design, forced response and the unrelated question;
#' * unary encoding, local hashing and subset selection;
#' * [rr_hadamard()] with one block, and [rr_bitflip()].
#'
#' Two categories have nothing to learn from each other and get `"mle"`.
#'
#' @section Other requirements:
#' `"combine"` needs one probability for all reports other than the truth: [rr_grr()] with \eqn{p > q}, Warner's design and symmetric yes/no questions. `"nnls"` and
#' `"lasso"` are conditional on the categories that the data select. For a channel with more reports than truths, `"inv"` is the
#' least-squares solution that adds up to 1.
#'
#' Estimates by inversion come near the truth as the number \eqn{N} of reports grows. If the number \eqn{K} of categories grows too, the squared error of all shares together is of the order
#' \eqn{K^2 / N} (Pinzon et al.), and the squared error of one share is of the order \eqn{K / N}.
#'
#' @section Rate of the iterative Bayesian update:
#' Near the maximum each step of `"ibu"` multiplies the distance from it by the rate. [glance()][estimate_methods] returns the rate as `rate`. It is the largest eigenvalue of the derivative of the step
#' within the positive shares, or the largest factor of a share of 0. A digit of the distance takes \eqn{\log(10) / (-\log(rate))}{log(10) / (-log(rate))} steps. For
#' equal shares under [rr_grr()] the rate is \eqn{1 - (p - q)^2}{1 - (p - q)^2}. It is `NA` if the maximum is not unique, and for channels with more than 500 positive shares.
#'
#' @section The threshold of maximum likelihood:
#' Algorithm 1 of Pinzon et al. sets the reported shares below \eqn{\tau^*} to 0. For mechanisms with one probability of all other answers, `fit$details[[1]]` has these elements. Here
#' \eqn{i} is the number of shares that are 0, and \eqn{s} the sum of the reported shares of the others.
#'
#' * `tau`: the smallest reported share \eqn{\tau^*} that the algorithm leaves.
#' * `c_tau`: the factor \eqn{c_\tau = (1 - iq) / s} by which the fitted shares of the reports exceed the reported shares.
#' * `threshold`: the number of reports \eqn{N q s / (1 - iq)}{N q s / (1 - i q)}. A category with more reports has a positive share, a category with fewer has share 0.
#' * `active`, `active.count`: the number of categories with at least so many reports, and their reports together. `zeros`: the number of shares that are exactly 0.
#' * `unique`: is the maximum unique? `passes`: how often the algorithm went through the categories that were left.
#'
#' @section Options:
#'
#' * `"mle"`, `"ibu"`: `tolerance`: certified distance of the total log-likelihood from its maximum. Default: see [likelihood_solver]; for `"ibu"`
#'   1e-8, or 0 if `iterations` is given.
#' * `"mle"`, `"ibu"`: `iterations`: largest number of steps. Default: 10,000.
#' * `"mle"`, `"ibu"`: `start`: a distribution in the order of the levels or named by them; for several questions a table, such as
#'   [as.table()][as.table.rr_histogram] of a fit of [rr_tmdh()]. Default: uniform.
#' * `"base_cut"`, `"lasso"`: `alpha`: significance level. Default: 0.05.
#' * `"merged"`: `smoothing`: standard deviations of an empty category that count as noise. Default: 1.
#' * `"smoothed"`: `iterations`; `tolerance`: stops if a step gains less. Default: 10,000; 1e-3.
#' * `"eb"`: `loss`: `"squared"`, or `"absolute"` for the least absolute error. Default: `"squared"`.
#' * `"eb"`: `pool`: one common spread for all groups (the largest at most 1e8 times the smallest). Default: `FALSE`.
#' * `"eb"`: `reference`: a distribution with all shares above 0, such as last year's; shares are then modelled as its multiples if that is more
#'   likely. Default: none.
#' * `"eb"`: `ordered`: the reference is the `"smoothed"` estimate. Default: `FALSE`.
#'
#' The closed form of `"mle"` ignores `tolerance`, `iterations` and `start`.
#'
#' @section Base-Cut and the power law:
#' The threshold of `"base_cut"` is \eqn{\Phi^{-1}(1 - \alpha/K)} standard errors of an empty category. If all categories were empty, about a fraction \eqn{\alpha} of
#' tallies would keep a category. `"norm_cut"` keeps tied shares together.
#'
#' `"power"` gives the number of holders \eqn{x \in \{1, \dots, N\}}{x in {1, ..., N}} a probability proportional to \eqn{x^{-s}}. The mean of this law is the
#' mean estimated count \eqn{N / K}; if there are fewer respondents than categories, \eqn{s = 1.01}. The error is normal with the standard deviation of an empty
#' category. The posterior is summed on the logarithmic scale, without the rounding of the authors' program.
#'
#' @section Errors:
#' As [rr_estimate()]; see [candor_conditions].
#' @references Agrawal, D. and Aggarwal, C. C. (2001). On the design and quantification of privacy preserving data mining algorithms. *PODS*, 247-255.
#'   \doi{10.1145/375551.375602}
#'
#'   Efron, B. (2016). Empirical Bayes deconvolution estimates. *Biometrika* 103(1), 1-20. \doi{10.1093/biomet/asv068}
#'
#'   Brown, L. D. and Greenshtein, E. (2009). Nonparametric empirical Bayes and compound decision approaches to estimation of a
#'   high-dimensional vector of normal means. *Annals of Statistics* 37(4), 1685-1704. \doi{10.1214/08-AOS630}
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal response. *CCS*, 1054-1067.
#'   \doi{10.1145/2660267.2660348}
#'
#'   Jia, J. and Gong, N. Z. (2019). Calibrate: frequency estimation and heavy hitter identification with local differential privacy via
#'   incorporating prior knowledge. *INFOCOM*. \doi{10.48550/arXiv.1812.02055}
#'
#'   Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local privacy. *ICML*, 2436-2444.
#'   \doi{10.48550/arXiv.1602.07387}
#'
#'   Li, Z., Wang, T., Lopuhaa-Zwakenberg, M., Li, N. and Skoric, B. (2020). Estimating numerical distributions under local
#'   differential privacy. *SIGMOD*, 621-635. \doi{10.1145/3318464.3389700}
#'
#'   Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response.
#'   \doi{10.48550/arXiv.2601.08603} (theorem 1)
#'
#'   Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX Security*, 729-745.
#'   <https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/wang-tianhao>
#'
#'   Wang, T., Lopuhaa-Zwakenberg, M., Li, Z., Skoric, B. and Li, N. (2020). Locally differentially private
#'   frequency estimation with consistency. *NDSS*. \doi{10.14722/ndss.2020.24157}
#'
#'   Ye, Y., Wang, T., Zhang, M. and Feng, D. (2025). Revisiting EM-based estimation for locally differentially private
#'   protocols. *NDSS* (as Pinzon et al. describe it).
#' @seealso [rr_estimate()], [rr_choose_method()] to pick a method, [rr_study()] to compare them, [rr_new_method()] for a method of your own.
#'   `system.file("mathematics", "estimation.md", package = "candor")` has the derivations.
#' @concept frequency oracle
#' @concept post-processing
#' @concept consistency
#' @concept empirical Bayes
#' @concept maximum likelihood
#' @concept linear inversion
#' @concept Inv
#' @concept InvN
#' @concept InvP
#' @concept MLE*
#' @concept Algorithm 1
#' @concept collinear estimators
#' @concept debiasing
#' @concept simplex projection
#' @concept Norm-Sub
#' @concept iterative Bayesian update
#' @concept IBU
#' @concept GIBU
#' @concept unfolding
#' @concept Richardson-Lucy
#' @concept D'Agostini
#' @concept Bayesian unfolding
#' @concept PyUnfold
#' @aliases postprocessing
#' @name estimators
#' @examples
#' # How do the methods differ for five categories and 800 reports?
#' mechanism <- rr_grr(c("a", "b", "c", "d", "e"), epsilon = 1)
#' reports <- rr_counts(c(220, 180, 160, 125, 115), mechanism)
#' methods <- c("inv", "base_cut", "invn", "norm_sub", "norm_cut", "power",
#'              "power_ns", "mle")
#' estimates <- sapply(methods, function(method) {
#'   coef(rr_estimate(reports, method = method))
#' })
#' round(estimates, 3)
#' # Only "inv" keeps the negative share of e
NULL

# These methods are repairs of the unbiased estimate. A map describes how the result moves with it.

# The map of estimates that divide the used part of the inversion by its sum.
rescaled_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(
    support = on,
    alpha = 1 / sum(evidence$unbiased()[on]),
    u = ifelse(on, estimate, 0)
  )
}

projected_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(
    support = on,
    alpha = 1,
    u = ifelse(on, 1 / sum(on), 0)
  )
}

cut_map <- function(estimate, evidence) {
  list(support = estimate != 0, alpha = 1, u = numeric(evidence$k))
}

# The map of the shift to sum 1; NULL if the inversion adds up to 1 already and is not changed.
norm_map <- function(estimate, evidence) {
  k <- evidence$k
  if (!evidence$law$adds_up) {
    list(
      support = rep(TRUE, k),
      alpha = 1,
      u = rep(1 / k, k)
    )
  }
}

estimate_power <- function(evidence, options) {
  postprocess_power(evidence$unbiased(), evidence$blank_error(), evidence$n)
}

# `estimate` is the unbiased inversion throughout; `std.error` is that of a category nobody holds,
# one number or one a category.

postprocess_base_cut <- function(estimate, std.error, alpha = 0.05) {
  threshold <- qnorm(alpha / length(estimate), lower.tail = FALSE) * std.error
  replace(estimate, estimate < threshold, 0)
}

postprocess_norm <- function(estimate) estimate + (1 - sum(estimate)) / length(estimate)

postprocess_norm_cut <- function(estimate) {
  falling <- sort(estimate, decreasing = TRUE)
  # If no share is negative, the running sum may end a rounding below 1.
  reached <- which(cumsum(falling) >= 1)
  threshold <- if (length(reached)) falling[reached[1]] else 0
  to_sum_1(replace(estimate, estimate < threshold, 0))
}

postprocess_power <- function(estimate, std.error, n) {
  # The number is rounded, since an effective number may miss a whole one by a rounding.
  n <- max(round(n), 1)
  s <- power_exponent(n * mean(estimate), n)
  sigma <- n * std.error
  if (length(sigma) > 1) {
    posterior <- function(y, sd) power_posterior_mean(y, sd, s, n)
    return(mapply(posterior, n * estimate, sigma, USE.NAMES = FALSE) / n)
  }
  y <- sort(unique(n * estimate))
  mean <- function(y) power_posterior_mean(y, sigma, s, n)
  # The posterior mean is smooth on the scale of sigma.
  bulk <- y[y <= 20 * sigma]
  knots <- if (length(bulk) > 1000) {
    seq(bulk[1], max(bulk) + sigma / 8, by = sigma / 8)
  }
  interpolated <- length(bulk) > 1000 && length(knots) <= length(bulk)
  means <- if (interpolated) {
    c(
      splinefun(knots, mean(knots), method = "natural")(bulk),
      mean(y[y > 20 * sigma])
    )
  } else {
    mean(y)
  }
  means[match(n * estimate, y)] / n
}

# The sum over from < x <= upto of x^-s, without cancellation. It is exact up to 1,000, and beyond
# by the midpoint rule (good to 1e-6 of a term).
power_mass <- function(from, upto, s) {
  above <- rev(cumsum(c(0, (1000:1)^-s)))
  near <- above[pmin(from, 1000) + 1] -
    above[pmin(upto, 1000) + 1]
  low <- pmax(from, 1000) + 0.5
  ratio <- log((pmax(upto, 1000) + 0.5) / low)
  near + if (abs(s - 1) < 1e-9) {
    ratio
  } else {
    low^(1 - s) * expm1((1 - s) * ratio) / (1 - s)
  }
}

power_exponent <- function(mean, n) {
  if (!(mean >= 1)) return(1.01)
  excess <- function(s) {
    power_mass(0, n, s - 1) / power_mass(0, n, s) - mean
  }
  if (excess(0) <= 0) return(0)
  if (excess(64) >= 0) return(64)
  uniroot(excess, c(0, 64), tol = 1e-10)$root
}

# The mean E(x | y) for y = x + normal error, x on 1..n with mass proportional to x^-s; in blocks of
# y.
power_posterior_mean <- function(y, sigma, s, n) {
  if (sigma == 0) return(clamp(y, 0, n))
  cells <- 800
  reach <- sqrt(2 * (40 + s * log(n + 1)))
  low <- clamp(y - reach * sigma, 0, n - 1)
  high <- pmax(clamp(y + 9 * sigma, 9 * sigma, n), low + 1)
  unlist(
    lapply(
      split(seq_along(y), (seq_along(y) - 1) %/% 500),
      function(block) {
        edges <- round(
          outer(0:cells / cells, high[block] - low[block]) +
            rep(low[block], each = cells + 1)
        )
        cell_means(
          y[block], edges[-(cells + 1), , drop = FALSE],
          edges[-1, ], sigma, s
        )
      }
    ),
    use.names = FALSE
  )
}

# The posterior mean of each column's `y`, over cells, each with its mass under the prior at its
# centre.
cell_means <- function(y, from, upto, sigma, s) {
  mass <- array(power_mass(from, upto, s), dim(from))
  centre <- array(power_mass(from, upto, s - 1), dim(from)) / mass
  distance <- rep(y, each = nrow(from)) - centre
  weight <- log(mass) - distance^2 / (2 * sigma^2)
  weight[!(mass > 0)] <- -Inf
  centre[!(mass > 0)] <- 0
  weight <- exp(
    weight - rep(apply(weight, 2, max), each = nrow(from))
  )
  colSums(weight * centre) / colSums(weight)
}

# ---- least squares and lasso for Bloom filters ----

# The estimate of least squares among shares that are not negative. The data select the shares that
# are 0: standard errors come from the bootstrap.
estimate_nnls <- function(evidence, options) {
  check_installed("quadprog", "for {.code method = \"nnls\"}")
  bloom_fit(evidence$law, evidence, positive_squares)$estimate
}

# The least squares shares by Goldfarb and Idnani's method. A trifle on the diagonal makes the
# matrix definite if filters are alike.
positive_squares <- function(regression, weights) {
  normal <- weighted_squares(regression, weights)
  scale <- mean(diag(normal))
  k <- ncol(normal)
  solution <- quadprog::solve.QP(
    normal / scale + diag(1e-9, k), weighted_shares(regression, weights) / scale,
    diag(k), numeric(k)
  )$solution
  ifelse(solution < 1e-9, 0, solution)
}

# The estimate of the non-negative lasso for Bloom filters with more candidates than the filters
# tell apart: most candidates are held by nobody. The noise of each debiased share is known, and so
# is that of a candidate's gradient if nobody holds it. Its penalty is the normal quantile of this,
# for all candidates together. The chosen candidates that are clearly there by least squares among
# them are estimated by least squares without the penalty. The choice depends on the data: there is
# no unconditional standard error.
estimate_lasso <- function(evidence, options) {
  check_installed("glmnet", "for {.code method = \"lasso\"}")
  check_installed("quadprog", "for {.code method = \"lasso\"}")
  law <- evidence$law
  alpha <- check_alpha(options$alpha %||% 0.05)
  n_numbers <- as.double(law$bits) * law$cohorts * law$truths
  if (n_numbers > rows_numbers) {
    abort("The filters of so many categories and bits do not fit in memory.", "too_large")
  }
  fit <- bloom_fit(law, evidence, function(regression, weights) {
    z <- qnorm(alpha / law$truths, lower.tail = FALSE)
    penalty <- z * sqrt(colSums(weights * regression$filters))
    chosen <- which(lasso_squares(regression$filters, regression$shares, weights, penalty) > 0)
    chosen <- chosen[clearly_there(some_candidates(regression, chosen), weights, z)]
    estimate <- numeric(law$truths)
    if (length(chosen)) {
      estimate[chosen] <- positive_squares(some_candidates(regression, chosen), weights)
    }
    structure(estimate, chosen = length(chosen))
  })
  list(
    estimate = as.vector(fit$estimate),
    active = attr(fit$estimate, "chosen"),
    candidates = law$truths,
    alpha = alpha
  )
}

# Is each chosen candidate clearly there? The lasso shrinks the shares that are there, and others
# take up the difference, so that it selects too many. A candidate stays if its least squares
# estimate is above z standard errors.
clearly_there <- function(regression, weights, z) {
  k <- ncol(regression$filters)
  if (!k) return(logical())
  inverse <- tryCatch(
    normal_inverse(regression, weights), candor_error_no_information = function(e) NULL
  )
  if (is.null(inverse)) return(rep(TRUE, k))
  drop(inverse %*% weighted_shares(regression, weights)) > z * sqrt(diag(inverse))
}

# The minimum over theta >= 0 of sum w (y - X theta)^2 / 2 + sum penalty theta. glmnet divides the
# weights by their sum and the penalties by their mean.
lasso_squares <- function(filters, shares, weights, penalty) {
  if (ncol(filters) == 1L) {
    return(max(
      0, (sum(weights * filters * shares) - penalty) / sum(weights * filters^2)
    ))
  }
  lambda <- mean(penalty) / sum(weights)
  precision <- list(thresh = 1e-14, maxit = 1e6)
  # They are fields of one argument since glmnet 5.
  if ("control" %in% names(formals(glmnet::glmnet))) precision <- list(control = precision)
  problem <- list(
    filters,
    shares,
    weights = weights,
    lambda = lambda * c(100, 30, 10, 3, 1),
    lower.limits = 0,
    intercept = FALSE,
    standardize = FALSE,
    penalty.factor = penalty
  )
  fit <- do.call(glmnet::glmnet, c(problem, precision))
  unname(as.matrix(fit$beta)[, length(fit$lambda)])
}

lasso_notes <- function(details) {
  chosen <- vapply(details, `[[`, 0, "active")
  paste0(
    "Selected: ", paste(format_count(chosen), collapse = ", "), " of ",
    format_count(details[[1]]$candidates), " candidates, alpha = ", format(details[[1]]$alpha),
    ". Estimates are conditional on this selection, which",
    " was made with the same data: there are no unconditional standard errors"
  )
}
