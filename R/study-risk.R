#' The risk of the estimators at a given truth
#'
#' The expected squared error of each method, split into squared bias and variance, for a mechanism, a truth and a
#' number of respondents. For linear inversion of answers that are the truth or else an innocuous one ([rr_grr()], [rr_forced()], [rr_unrelated()], yes/no designs) it is exact, by its closed
#' form. For other methods, and for other mechanisms such as [rr_unary()], it is a Monte Carlo estimate with its error, from [rr_study()].
#'
#' @details
#' With \eqn{P(y \mid x) = b_y + a 1\{x = y\}}{P(y | x) = b_y + a 1[x = y]} and \eqn{m_i = b_i + a\theta_i}{m_i = b_i + a theta_i}, the mean squared error of inversion, summed over categories, is
#' \deqn{\sum_i \frac{m_i (1 - m_i)}{N a^2} \quad \mathrm{(population)}, \qquad
#'   \sum_i \frac{b_i (1 - b_i) + \theta_i a (1 - a - 2 b_i)}{N a^2} \quad \mathrm{(sample)}.}{
#'   sum_i m_i (1 - m_i) / (N a^2) (population), sum_i [b_i (1 - b_i) + theta_i a (1 - a - 2 b_i)] / (N a^2) (sample).}
#' For k-ary randomized response the second does not depend on \eqn{\theta}, and at a fixed \eqn{\epsilon} both grow like
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
#' @return A data frame of class `rr_risk` with one row per target and method: `target`, `method`, `mse`, `bias2`, `variance`, `mc.error` (of `mse`; 0 where it
#'   is exact).
#' @section Errors:
#' `candor_error_mismatch` for names that are not levels, `candor_error_argument` for a truth that is not a distribution over the levels, and for methods, numbers or targets that are not known or out
#' of range.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response,
#'   section 5.4 and theorem 9, corrected. Wang, T., Blocki, J., Li, N. and Jha, S. (2017). *USENIX Security*, 729-745.
#' @examples
#' rr_risk(rr_grr(50, epsilon = 1), rr_zipf(50, 1.3), n = 1000, seed = 1)
#'
#' # With ten times as many categories the error is about a hundred times as large
#' rr_risk(rr_grr(500, epsilon = 1), rr_zipf(500, 1.3), n = 1000, method = "inv")
#' @export
rr_risk <- function(mechanism, theta, n, method = c("inv", "invn", "invp", "mle"),
                    target = c("population", "sample"), replications = 1000, seed = NULL, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  theta <- check_theta(theta, mechanism)
  n <- check_count(n, "n", min = 1)
  method <- check_methods(method)
  target <- vapply(target, check_choice, "", "target", c("population", "sample"), USE.NAMES = FALSE)
  replications <- check_count(replications, "replications", min = 1, max = 1e9)
  seed <- if (!is.null(seed)) check_count(seed, "seed")
  exact <- vapply(method, function(m) identical(m, "inv"), NA) & inherits(rr_law(mechanism), "rr_law_additive")
  if (any(!exact)) seed <- seed %||% draw_study_seed()
  rows <- lapply(target, function(target) risk_table(mechanism, theta, n, method, exact, target, replications, seed))
  mark(do.call(rbind, rows), "rr_risk")
}

# Names, and the values of data, are levels of the mechanism.
check_theta <- function(theta, mechanism) {
  theta <- tabulated(theta)
  shares <- stats::setNames(check_distribution(theta, "theta"), names(theta))
  shares <- match_levels(shares, mechanism$levels, "theta", 0, !is.null(mechanism$truth_bits))
  if (length(shares) != length(mechanism$levels)) {
    abort(c("{.arg theta} must have one share per level of the mechanism.",
            x = "It has {length(shares)}, and the mechanism has {length(mechanism$levels)}."), "argument")
  }
  as.double(shares)
}

risk_table <- function(mechanism, theta, n, method, exact, target, replications, seed) {
  table <- tibble::tibble(target = target, method = names(method), mse = 0, bias2 = 0, variance = 0, mc.error = 0)
  if (any(exact)) table$mse[exact] <- table$variance[exact] <- inversion_risk(rr_law(mechanism), theta, n, target)
  if (any(!exact)) {
    judged <- judge_methods(mechanism, theta, if (target == "sample") whole_shares(n, theta), n, method[!exact],
                            replications, seed, 1)
    for (what in c("mse", "bias2", "variance")) table[[what]][!exact] <- judged$estimate[what, ]
    table$mc.error[!exact] <- judged$error["mse", ]
  }
  table
}

# Mean squared error of inversion, summed over categories.
inversion_risk <- function(form, theta, n, target) {
  if (law_tells_nothing(form)) abort_no_information()
  b <- rep_len(form$b, length(theta))
  if (target == "population") {
    m <- b + form$a * theta
    return(sum(m * (1 - m)) / (n * form$a^2))
  }
  sum(b * (1 - b) + theta * form$a * (1 - form$a - 2 * b)) / (n * form$a^2)
}
