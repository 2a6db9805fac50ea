#' Post-processings of an unbiased estimate
#'
#' The repairs of negative estimates that Wang et al. (2020) compare, as methods of
#' [rr_estimate()]. All start from the unbiased linear inversion, method `"inv"`, whose shares may be
#' negative but sum to 1.
#'
#' | method | what it does | a distribution? |
#' |---|---|---|
#' | `"base_cut"` | keeps what is significantly above zero, sets the rest to 0: the threshold is \eqn{\Phi^{-1}(1 - \alpha/K)} standard errors of an empty category. If all categories were empty, about a fraction \eqn{\alpha} of tallies would keep one | no: sums to less or more than 1 |
#' | `"norm"` | adds the same number to every category so that the sum is 1; after `"inv"`, whose sum is 1, it changes nothing beyond rounding | no: negative parts stay |
#' | `"invn"` (Norm-Mul) | sets negative parts to 0, multiplies the rest so that the sum is 1 | yes |
#' | `"norm_sub"`, `"invp"` | sets negative parts to 0 and subtracts the same number from every other one, repeatedly: the Euclidean projection on the distributions. The two names are one method | yes |
#' | `"norm_cut"` | keeps the largest parts until their sum reaches 1, sets all below to 0 (ties are kept together), divides by the sum kept | yes |
#' | `"power"` | replaces each by its posterior mean if the counts of the categories follow a power law and the errors are normal | no: positive, but the sum is free |
#' | `"power_ns"` | `"power"`, then `"norm_sub"` | yes |
#'
#' @section The power law:
#' The number of holders of a category is taken to be \eqn{x \in \{1, \dots, N\}}{x in {1, ..., N}} with probability
#' proportional to \eqn{x^{-s}}. As in the authors' program, \eqn{s} is such that the mean of this law is the mean estimated
#' count, \eqn{N / K}; with fewer respondents than categories no such \eqn{s} exists, and \eqn{s = 1.01}. The error is normal
#' with the standard deviation of a category that nobody holds. Where the authors round the estimates to
#' tens, sum over a window of 50,000 counts and replace underflowed weights by a constant, the posterior
#' here is summed on the logarithmic scale over cells of a thirty-second of that deviation, whose prior mass is exact to about
#' 1e-6, with cells wide enough to leave out nothing above 1e-17; between 250 or so points it is interpolated when
#' there are more than 1,000 distinct estimates.
#'
#' @section Errors:
#' Those of [rr_estimate()].
#'
#' @references Wang, T., Lopuhaa-Zwakenberg, M., Li, Z., Skoric, B. and Li, N. (2020). Locally differentially private
#'   frequency estimation with consistency. *NDSS*. \doi{10.14722/ndss.2020.24157}. The threshold of
#'   `"base_cut"` is the one of Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally
#'   differentially private protocols for frequency estimation. *USENIX Security*, 729-745. The posterior mean under a power law is due to
#'   Jia, J. and Gong, N. Z. (2019). Calibrate: frequency estimation and heavy hitter
#'   identification with local differential privacy via incorporating prior knowledge. *INFOCOM*. arXiv:1812.02055.
#' @examples
#' mechanism <- rr_grr(c("a", "b", "c", "d", "e"), epsilon = 1)
#' reports <- rr_counts(c(220, 180, 160, 125, 115), mechanism)
#' methods <- c("inv", "base_cut", "invn", "norm_sub", "norm_cut", "power", "power_ns", "mle")
#' sapply(methods, function(m) coef(rr_estimate(reports, method = m)))
#' @name postprocessing
NULL

# Methods that repair the unbiased estimate. A map says how the result moves with it.

# Of estimates that divide what they keep of the inversion by its sum.
kept_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(support = on, alpha = 1 / sum(evidence$unbiased()[on]), u = ifelse(on, estimate, 0))
}

projected_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(support = on, alpha = 1, u = ifelse(on, 1 / sum(on), 0))
}

cut_map <- function(estimate, evidence) list(support = estimate != 0, alpha = 1, u = numeric(evidence$k))

# An inversion that adds up to 1 already is not changed.
norm_map <- function(estimate, evidence) {
  k <- evidence$k
  if (!law_adds_up(evidence$law)) list(support = rep(TRUE, k), alpha = 1, u = rep(1 / k, k))
}

estimate_power <- function(evidence, options) {
  postprocess_power(evidence$unbiased(), evidence$blank_error(), evidence$n)
}

# `estimate` is the unbiased inversion throughout; `std.error` that of a category nobody holds, one
# number or one a category.

postprocess_base_cut <- function(estimate, std.error, alpha = 0.05) {
  threshold <- stats::qnorm(alpha / length(estimate), lower.tail = FALSE) * std.error
  replace(estimate, estimate < threshold, 0)
}

postprocess_norm <- function(estimate) estimate + (1 - sum(estimate)) / length(estimate)

postprocess_norm_sub <- function(estimate) .Call(C_rr_project, as.double(estimate), 1)

postprocess_norm_cut <- function(estimate) {
  falling <- sort(estimate, decreasing = TRUE)
  # All non-negative: the running sum may end a rounding below 1.
  reached <- which(cumsum(falling) >= 1)
  least <- if (length(reached)) falling[reached[1]] else 0
  kept <- replace(estimate, estimate < least, 0)
  to_sum_1(kept)
}

postprocess_power <- function(estimate, std.error, n) {
  # Rounded, since an effective number may miss a whole one by a rounding.
  n <- max(round(n), 1)
  s <- power_exponent(n * mean(estimate), n)
  sigma <- n * std.error
  if (length(sigma) > 1) {
    return(mapply(function(y, sd) power_posterior_mean(y, sd, s, n), n * estimate, sigma, USE.NAMES = FALSE) / n)
  }
  y <- sort(unique(n * estimate))
  bulk <- y <= 20 * sigma
  at <- if (sum(bulk) > 1000) c(power_interpolated(y[bulk], sigma, s, n), power_posterior_mean(y[!bulk], sigma, s, n))
        else power_posterior_mean(y, sigma, s, n)
  at[match(n * estimate, y)] / n
}

# The posterior mean is smooth on the scale of sigma.
power_interpolated <- function(y, sigma, s, n) {
  knots <- seq(y[1], y[length(y)] + sigma / 8, by = sigma / 8)
  if (length(knots) > length(y)) return(power_posterior_mean(y, sigma, s, n))
  stats::splinefun(knots, power_posterior_mean(knots, sigma, s, n), method = "natural")(y)
}

# sum over from < x <= upto of x^-s, without cancellation: exact up to 1,000, by the midpoint rule (good to 1e-6 of a
# term) beyond.
power_mass <- function(from, upto, s) {
  above <- rev(cumsum(c(0, (1000:1)^-s)))
  near <- above[pmin(from, 1000) + 1] - above[pmin(upto, 1000) + 1]
  low <- pmax(from, 1000) + 0.5
  ratio <- log((pmax(upto, 1000) + 0.5) / low)
  near + if (abs(s - 1) < 1e-9) ratio else low^(1 - s) * expm1((1 - s) * ratio) / (1 - s)
}

power_exponent <- function(mean, n) {
  if (!(mean >= 1)) return(1.01)
  excess <- function(s) power_mass(0, n, s - 1) / power_mass(0, n, s) - mean
  if (excess(0) <= 0) return(0)
  if (excess(64) >= 0) return(64)
  stats::uniroot(excess, c(0, 64), tol = 1e-10)$root
}

# E(x | y) for y = x + normal error, x on 1..n with mass proportional to x^-s; in blocks of y.
power_posterior_mean <- function(y, sigma, s, n) {
  if (sigma == 0) return(pmin(pmax(y, 0), n))
  cells <- 800
  reach <- sqrt(2 * (40 + s * log(n + 1)))
  low <- pmin(pmax(y - reach * sigma, 0), n - 1)
  high <- pmax(pmin(pmax(y + 9 * sigma, 9 * sigma), n), low + 1)
  unlist(lapply(split(seq_along(y), (seq_along(y) - 1) %/% 500), function(block) {
    edges <- round(outer(0:cells / cells, high[block] - low[block]) + rep(low[block], each = cells + 1))
    from <- edges[-(cells + 1), , drop = FALSE]
    upto <- edges[-1, , drop = FALSE]
    mass <- array(power_mass(from, upto, s), dim(from))
    centre <- array(power_mass(from, upto, s - 1), dim(from)) / mass
    weight <- log(mass) - (rep(y[block], each = cells) - centre)^2 / (2 * sigma^2)
    weight[!(mass > 0)] <- -Inf
    centre[!(mass > 0)] <- 0
    top <- apply(weight, 2, max)
    weight <- exp(weight - rep(top, each = cells))
    colSums(weight * centre) / colSums(weight)
  }), use.names = FALSE)
}

# ---- least squares and lasso for Bloom filters ----

# Least squares among shares that are not negative. Which are 0 is selected by the data: standard errors come from the
# bootstrap.
estimate_nnls <- function(evidence, options) {
  check_installed("quadprog", "for {.code method = \"nnls\"}")
  fit <- bloom_fit(evidence$law, evidence, positive_squares)
  list(estimate = fit$estimate, active = sum(fit$estimate > 0))
}

# Goldfarb and Idnani's method; a trifle on the diagonal makes the matrix definite where filters are alike.
positive_squares <- function(regression, weights) {
  normal <- weighted_squares(regression, weights)
  scale <- mean(diag(normal))
  k <- ncol(normal)
  solution <- quadprog::solve.QP(normal / scale + diag(1e-9, k), weighted_shares(regression, weights) / scale, diag(k),
                                 numeric(k))$solution
  ifelse(solution < 1e-9, 0, solution)
}

# Non-negative lasso for Bloom filters with more candidates than the filters tell apart: most candidates are held by
# nobody. The noise of each debiased share is known, and so is that of a candidate's gradient where nobody holds it: its
# penalty is the normal quantile of this, for all candidates together. Those that are chosen, and clearly there by least
# squares among them, are estimated by least squares without the penalty. Which ones are chosen depends on the data:
# there is no unconditional standard error.
estimate_lasso <- function(evidence, options) {
  check_installed("glmnet", "for {.code method = \"lasso\"}")
  check_installed("quadprog", "for {.code method = \"lasso\"}")
  law <- evidence$law
  alpha <- check_alpha(options$alpha %||% 0.05)
  numbers <- as.double(law$bits) * law$cohorts * law$truths
  if (numbers > rows_numbers) {
    abort(c("The filters of so many categories and bits do not fit in memory.",
            x = "They take {format_bytes(8 * numbers)}."), "too_large")
  }
  chosen <- seq_len(law$truths)
  fit <- bloom_fit(law, evidence, function(regression, weights) {
    z <- stats::qnorm(alpha / law$truths, lower.tail = FALSE)
    penalty <- z * sqrt(colSums(weights * regression$filters))
    chosen <<- which(lasso_squares(regression$filters, regression$shares, weights, penalty) > 0)
    chosen <<- chosen[clearly_there(some_candidates(regression, chosen), weights, z)]
    estimate <- numeric(law$truths)
    if (length(chosen)) estimate[chosen] <- positive_squares(some_candidates(regression, chosen), weights)
    estimate
  })
  list(estimate = fit$estimate, active = length(chosen), candidates = law$truths, alpha = alpha)
}

# What the lasso takes off the shares that are there is left over for others, so that it selects too many. Those whose
# own least squares estimate is not above z standard errors are left out again. TRUE and FALSE for each.
clearly_there <- function(regression, weights, z) {
  k <- ncol(regression$filters)
  if (!k) return(logical())
  inverse <- tryCatch(normal_inverse(regression, weights), candor_error_no_information = function(e) NULL)
  if (is.null(inverse)) return(rep(TRUE, k))
  drop(inverse %*% weighted_shares(regression, weights)) > z * sqrt(diag(inverse))
}

# The minimum over theta >= 0 of sum w (y - X theta)^2 / 2 + sum penalty theta. glmnet divides the weights by their sum
# and the penalties by their mean.
lasso_squares <- function(filters, shares, weights, penalty) {
  if (ncol(filters) == 1L) {
    return(max(0, (sum(weights * filters * shares) - penalty) / sum(weights * filters^2)))
  }
  lambda <- mean(penalty) / sum(weights)
  fit <- glmnet::glmnet(filters, shares, weights = weights, lambda = lambda * c(100, 30, 10, 3, 1), lower.limits = 0,
                        intercept = FALSE, standardize = FALSE, penalty.factor = penalty, thresh = 1e-14, maxit = 1e6)
  unname(as.matrix(fit$beta)[, length(fit$lambda)])
}

lasso_notes <- function(details) {
  chosen <- vapply(details, `[[`, 0, "active")
  paste0("Selected: ", paste(format_count(chosen), collapse = ", "), " of ", format_count(details[[1]]$candidates),
         " candidates, alpha = ", format(details[[1]]$alpha), ". Estimates are conditional on this selection, which",
         " was made with the same data: there are no unconditional standard errors")
}
