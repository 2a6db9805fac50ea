#' The risk of the estimators at a given truth
#'
#' The expected squared error of each method, split into squared bias and variance, for a mechanism, a truth and a
#' number of respondents. For linear inversion it is exact, by its closed form; for the others it is a Monte Carlo estimate with its
#' error, from [rr_study()].
#'
#' @details
#' With \eqn{P(y \mid x) = b_y + a 1\{x = y\}} and \eqn{m_i = b_i + a\theta_i}, the mean squared error of inversion, summed over categories, is
#' \deqn{\sum_i \frac{m_i (1 - m_i)}{N a^2} \quad \mathrm{(population)}, \qquad
#'   \sum_i \frac{b_i (1 - b_i) + \theta_i a (1 - a - 2 b_i)}{N a^2} \quad \mathrm{(sample)}.}
#' For k-ary randomized response the second is free of \eqn{\theta}, and at a fixed \eqn{\epsilon} both grow as
#' \eqn{K^2 / N} (Pinzon et al. state K / N; their formula (8) and theorem 9 lack a factor \eqn{p - q} in the denominator).
#'
#' @param mechanism A mechanism.
#' @param theta The truth: a distribution over the levels of `mechanism`, one share at least 0 per level, adding up to 1. Names, and the
#'   values of data, are matched to the levels, absent ones being 0.
#' @param n Number of respondents, whole and at least 1.
#' @param method Methods of [rr_estimate()], or functions, as in [rr_study()].
#' @param target `"population"`, `"sample"`, or both: whether the respondents are sampled anew or fixed.
#' @param replications Number of replications for what has no closed form, a whole number.
#' @param seed A whole number that fixes the replications, or `NULL`.
#' @param ... Not used, and refused.
#' @return A data frame with one row per target and method: `target`, `method`, `mse`, `bias2`, `variance`, `mc.error` (of `mse`; 0 where it
#'   is exact).
#' @section Errors:
#' `candor_error_mismatch` for names that are not levels, `candor_error_argument` for a truth that is not a distribution over the levels, and for methods, numbers or targets that are not known or out
#' of range.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response,
#'   section 5.4 and theorem 9, corrected. Wang, T., Blocki, J., Li, N. and Jha, S. (2017). *USENIX Security*, 729-745.
#' @examples
#' rr_risk(rr_grr(50, epsilon = 1), rr_zipf(50, 1.3), n = 1000, seed = 1)
#'
#' # Ten times as many categories cost a hundred times the precision
#' rr_risk(rr_grr(500, epsilon = 1), rr_zipf(500, 1.3), n = 1000, method = "inv")
#' @export
rr_risk <- function(mechanism, theta, n, method = c("inv", "invn", "invp", "mle"),
                    target = c("population", "sample"), replications = 1000, seed = NULL, ...) {
  check_given(mechanism = "how answers are randomised")
  check_dots_empty(...)
  check_mechanism(mechanism)
  theta <- check_theta(theta, mechanism)
  n <- check_count(n, "n", min = 1)
  method <- check_methods(method)
  target <- check_targets(target)
  call <- environment()
  rows <- lapply(target, function(target) risk_table(mechanism, theta, n, method, target, replications, seed, call))
  do.call(rbind, rows)
}

check_targets <- function(target, call = caller_env()) {
  known <- c("population", "sample")
  if (is.character(target) && length(target) && all(target %in% known) && !anyDuplicated(target)) return(target)
  abort(c("{.arg target} must be {.val population}, {.val sample}, or both.", x = "It is {describe(target)}."),
        "argument", call = call)
}

# Names, and the values of data, are levels of the mechanism.
check_theta <- function(theta, mechanism, call = caller_env()) {
  theta <- tabulated(theta)
  shares <- stats::setNames(check_distribution(theta, "theta", call), names(theta))
  shares <- match_levels(shares, mechanism$levels, "theta", 0, takes_bits(mechanism), call)
  check_length(shares, mechanism, "theta", call)
  shares
}

check_length <- function(theta, mechanism, arg, call = caller_env()) {
  k <- length(mechanism$levels)
  if (length(theta) == k) return(invisible())
  abort(c("{.arg {arg}} must have one share per level of the mechanism.",
          x = "It has {length(theta)}, and the mechanism has {k}."),
        "argument", call = call)
}

risk_table <- function(mechanism, theta, n, method, target, replications, seed, call) {
  exact <- vapply(method, function(m) identical(m, "inv"), NA) & !is.null(additive(mechanism))
  mse <- bias2 <- variance <- error <- rep(NA_real_, length(method))
  if (any(exact)) {
    mse[exact] <- variance[exact] <- inversion_risk(additive(mechanism), theta, n, target, call)
    bias2[exact] <- error[exact] <- 0
  }
  if (any(!exact)) {
    study <- on_behalf(rr_study(
      list(truth = theta), epsilon = 1, n = n, method = method[!exact], replications = replications,
      mechanism = function(levels, epsilon) mechanism, seed = seed, target = target, workers = 1, progress = FALSE
    ), call)
    figure <- function(metric, column) study[[column]][study$metric == metric]
    mse[!exact] <- figure("mse", "estimate")
    bias2[!exact] <- figure("bias2", "estimate")
    variance[!exact] <- figure("variance", "estimate")
    error[!exact] <- figure("mse", "mc.error")
  }
  tibble::tibble(target = target, method = names(method), mse = mse, bias2 = bias2, variance = variance,
                 mc.error = error)
}

# Mean squared error of inversion, summed over categories.
inversion_risk <- function(form, theta, n, target, call) {
  if (tells_nothing(form)) abort_no_information_form(call)
  b <- rep_len(form$b, length(theta))
  if (target == "population") {
    m <- b + form$a * theta
    return(sum(m * (1 - m)) / (n * form$a^2))
  }
  sum(b * (1 - b) + theta * form$a * (1 - form$a - 2 * b)) / (n * form$a^2)
}

abort_no_information_form <- function(call) {
  abort(c("Nothing can be learned from these reports.", x = "A report is equally likely whatever the truth."),
        "no_information", call = call)
}
