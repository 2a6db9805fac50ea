#' Which mechanism, at which epsilon
#'
#' Compares the mechanisms of local differential privacy by the exact variance of their unbiased estimates, for a number of
#' categories and a privacy level.
#'
#' @details
#' All of them are *pure*: a report supports the category of its truth with probability \eqn{p}, and any other with probability
#' \eqn{q}. The unbiased estimate of a share \eqn{\theta} then has the variance \eqn{m(1 - m) / (N (p - q)^2)}, \eqn{m = q + (p - q)\theta}.
#'
#' | `mechanism` | \eqn{p} | \eqn{q} | a report is |
#' |---|---|---|---|
#' | `grr` | \eqn{e^\epsilon / (e^\epsilon + K - 1)} | \eqn{1 / (e^\epsilon + K - 1)} | a category |
#' | `sue` (basic RAPPOR) | \eqn{e^{\epsilon/2} / (e^{\epsilon/2} + 1)} | \eqn{1 / (e^{\epsilon/2} + 1)} | K bits |
#' | `oue` | 1/2 | \eqn{1 / (e^\epsilon + 1)} | K bits |
#' | `blh` | \eqn{e^\epsilon / (e^\epsilon + 1)} | 1/2 | a hash function and a bit |
#' | `olh` | \eqn{e^\epsilon / (e^\epsilon + g - 1)} | \eqn{1 / g}, \eqn{g = [e^\epsilon + 1]} | a hash function and a value |
#' | `subset` | \eqn{\omega e^\epsilon / (\omega e^\epsilon + K - \omega)} | see the source | \eqn{\omega = [K / (e^\epsilon + 1)]} categories |
#' | `hadamard` | \eqn{e^\epsilon / (e^\epsilon + 1)} | 1/2 | an index |
#'
#' `hadamard` is the Hadamard response for high privacy. The brackets round to the nearest whole number (at least 2 for \eqn{g}, 1 for
#' \eqn{\omega}); local hashing is counted with an ideal random hash.
#'
#' The papers say that k-ary randomized response is optimal among all mechanisms when \eqn{K < 3e^\epsilon + 2}. That rule compares it with `oue`
#' and `olh` only: at \eqn{\epsilon = 1}, \eqn{K = 8} subset selection has a smaller variance (2.57 against 2.95 for a category that nobody
#' holds). Subset selection contains `grr` (\eqn{\omega = 1}) and with the best \eqn{\omega} is never worse, but for the rounding.
#'
#' Variance is not everything: `grr` sends the least, its tally is a table of counts, and its maximum likelihood estimate is exact and immediate.
#' `within` says by how much its error exceeds the best.
#'
#' @param k Numbers of categories, whole and at least 2; one or several.
#' @param epsilon Privacy levels, from 1e-12 to 700, in natural logarithms; one or several.
#' @param n Number of respondents, whole and at least 1; one or several.
#' @param theta The truth, if known: a distribution over `k` categories. By default uniform; the ranking depends on it only a little when `k` is large.
#' @param target What the error is about, see [rr_estimate()].
#' @param ... Not used, and refused.
#' @return A data frame of class `rr_recommendation`, the best mechanism of each `k`, `epsilon` and `n` first: `k`, `epsilon`, `n`,
#'   `mechanism`, `p`, `q`, `mse` (summed over categories), `std.error` (of a category that nobody holds), `within` (`mse` over the smallest, less 1),
#'   `bits` (of a report).
#' @section Errors:
#' `candor_error_argument` for numbers out of range, and for a `theta` that is not a distribution over `k` categories.
#' @source Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. Ye, M. and Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally differential privacy.
#'   *IEEE Transactions on Information Theory* 64(8), 5662-5676. \doi{10.1109/TIT.2018.2809790}. Acharya, J., Sun, Z. and Zhang, H. (2019). Hadamard
#'   response. *AISTATS*, 1120-1129. arXiv:1802.04705. Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067.
#'   \doi{10.1145/2660267.2660348}
#' @examples
#' rr_recommend(8, epsilon = 1, n = 10000)
#'
#' # Where does k-ary randomized response stop being the best of all?
#' best <- rr_recommend(c(2, 4, 8, 16, 32), epsilon = c(0.5, 1, 2, 4), n = 10000)
#' subset(best, within == 0)
#' @export
rr_recommend <- function(k, epsilon, n = 1, theta = NULL, target = c("population", "sample"), ...) {
  check_dots_empty(..., .renamed = c(K = "k"))
  check_given(k = "the numbers of categories", epsilon = "the privacy levels, above 0")
  k <- check_grid(k, "k", whole = TRUE)
  if (any(k < 2)) abort(c("{.arg k} must be at least 2.",
                          x = "It is {min(k)}: with one category there is nothing to estimate."), "argument")
  epsilon <- check_epsilons(epsilon)
  n <- check_grid(n, "n", whole = TRUE)
  target <- check_choice(target, "target", c("population", "sample"))
  if (!is.null(theta)) {
    theta <- check_distribution(tabulated(theta), "theta")
    if (any(k != length(theta))) {
      abort(c("{.arg theta} must have {.arg k} shares.", x = "It has {length(theta)}."), "argument")
    }
  }
  cells <- expand.grid(n = n, epsilon = epsilon, k = k, KEEP.OUT.ATTRS = FALSE)
  tables <- lapply(seq_len(nrow(cells)),
                   function(i) recommend_cell(cells$k[i], cells$epsilon[i], cells$n[i], theta, target))
  table <- do.call(rbind, tables)
  mark(table, "rr_recommendation", target = target)
}

# Support probabilities of each mechanism, and the bits of a report (a hash function is named by 64 bits): p, q, 1 - p
# and p - q, each from z = exp(-epsilon), without cancellation and within the range of a double for every epsilon.
pure_mechanisms <- function(k, epsilon) {
  z <- exp(-epsilon)
  d <- -expm1(-epsilon)
  half <- stats::plogis(-epsilon / 2)
  flip <- stats::plogis(-epsilon)
  # Binary: p - q is half of tanh(epsilon / 2).
  binary <- tanh(epsilon / 2) / 2
  g <- max(2, round(exp(epsilon) + 1))
  w <- min(max(1, round(k / (exp(epsilon) + 1))), k - 1)
  # z (g - 1), which beyond the range of g is 1.
  others <- if (is.finite(g)) z * (g - 1) else 1
  outside <- z * (k - w)
  rows <- list(
    grr = c(c(1, z, (k - 1) * z, d) / (1 + (k - 1) * z), log2(k)),
    sue = c(stats::plogis(epsilon / 2), half, half, tanh(epsilon / 4), k),
    oue = c(1 / 2, flip, 1 / 2, binary, k),
    blh = c(stats::plogis(epsilon), 1 / 2, flip, binary, 64 + 1),
    olh = c(1 / (1 + others), 1 / g, others / (1 + others), d * (1 - 1 / g) / (1 + others),
            64 + if (is.finite(g)) log2(g) else epsilon / log(2)),
    subset = c(w / (w + outside), w * (w - 1 + outside) / ((k - 1) * (w + outside)), outside / (w + outside),
               w * (k - w) * d / ((k - 1) * (w + outside)), lchoose(k, w) / log(2)),
    hadamard = c(stats::plogis(epsilon), 1 / 2, flip, binary, ceiling(log2(k + 1)))
  )
  figures <- do.call(rbind, rows)
  dimnames(figures) <- list(NULL, c("p", "q", "lie", "difference", "bits"))
  tibble::add_column(tibble::as_tibble(figures), mechanism = names(rows), .before = 1)
}

# Mean squared error of inversion, summed over categories: sum q (1 - q) + theta d (1 - d - 2 q), with
# 1 - d - 2 q = (1 - p) - q, over N d^2, and what sampling adds.
pure_risk <- function(q, lie, d, k, n, theta, target) {
  noise <- (k * q * (1 - q) / d + (lie - q)) / d / n
  if (target == "sample") return(noise)
  noise + (if (is.null(theta)) 1 - 1 / k else sum(theta * (1 - theta))) / n
}

recommend_cell <- function(k, epsilon, n, theta, target) {
  table <- pure_mechanisms(k, epsilon)
  mse <- pure_risk(table$q, table$lie, table$difference, k, n, theta, target)
  # Subset selection of one category is k-ary randomized response: rounding must not part them.
  mse <- signif(mse, 13)
  order <- order(mse, table$bits)
  # Errors of 0 and of infinity, beyond the range of a double, are within 0 of themselves.
  within <- ifelse(mse == min(mse), 0, mse / min(mse) - 1)
  tibble::tibble(k = k, epsilon = epsilon, n = n, mechanism = table$mechanism, p = table$p, q = table$q, mse = mse,
                 std.error = sqrt(table$q * (1 - table$q) / n) / table$difference, within = within,
                 bits = table$bits)[order, ]
}

recommend_names <- c(grr = "k-ary randomized response", sue = "symmetric unary encoding",
                     oue = "optimized unary encoding",
                     blh = "binary local hashing", olh = "optimized local hashing", subset = "subset selection",
                     hadamard = "Hadamard response")

#' @export
print.rr_recommendation <- function(x, ...) {
  check_table(x)
  if (nrow(x) && length(unique(x$k)) == 1 && length(unique(x$epsilon)) == 1 && length(unique(x$n)) == 1 &&
      "within" %in% names(x)) {
    grr <- x$within[x$mechanism == "grr"]
    cat(sprintf("<rr_recommendation> %d categories, epsilon %s\n  %s has the smallest error%s\n", x$k[1],
                format(x$epsilon[1]),
                sub("^([a-z])", "\\U\\1", recommend_names[[x$mechanism[1]]], perl = TRUE),
                if (length(grr) && grr > 0) sprintf("; that of k-ary randomized response is %s%% larger",
                                                    format(100 * grr, digits = 2)) else ""))
  }
  NextMethod()
  invisible(x)
}
