#' Certified maximum likelihood for any channel
#'
#' How [rr_estimate()] maximizes the likelihood without a closed form, and how far its estimate can be from the maximum.
#'
#' @section The problem:
#' Given counts \eqn{n_j} of the reports and a channel \eqn{C}, maximize
#' \deqn{\ell(\theta) = \sum_j n_j \log m_j, \quad m = C^T\theta, \qquad \theta \ge 0, \ \sum_i \theta_i = 1.}{l(theta) =
#'   sum_j n_j log m_j,   m = C^T theta,   theta >= 0,  sum_i theta_i = 1.}
#'
#' @section The certificate:
#' With \eqn{N = \sum_j n_j} and \eqn{g_i = \sum_j (n_j / N) C_{ij} / m_j}, any distribution \eqn{\theta} satisfies
#' \deqn{\max \ell - \ell(\theta) \le N \log \max_i g_i}{l_max - l(theta) <= N log max_i g_i}
#' by Jensen's inequality. The right-hand side is the `gap` of the fit, in units of the total log-likelihood. A fit is `converged` if its `gap` is at most the
#' `tolerance`; otherwise a warning reports the gap. The default tolerance is the larger of \eqn{10^{-8}} and \eqn{10^{-14} N}, well above the rounding error.
#'
#' @section The algorithm:
#' Reports that nobody gave are left out, and reports with proportional columns of \eqn{C} are merged. If the inversion is a distribution, it is the maximum. Otherwise
#' accelerated EM cycles are followed by projected Newton steps, and for smooth channels by a quadratic model over the orthant. Products of questions are applied one
#' question at a time. Long runs show a progress bar and can be interrupted.
#'
#' @section Uniqueness:
#' All maxima give the reports the same probabilities, but the distribution need not be unique. Uniqueness is checked for up to 300 cells, or 2,000 for a single
#' matrix. `details$unique` is `TRUE` if uniqueness is proved (up to rounding), `FALSE` if it is refuted, and `NA` otherwise.
#'
#' @section Errors and warnings:
#' Errors: `candor_error_impossible`, `candor_error_no_information`, `candor_error_argument`. Warning: `candor_warning_not_converged`. See [candor_conditions].
#'
#' @references Lindsay, B. G. (1983). The geometry of mixture likelihoods: a general theory. *Annals of Statistics* 11(1), 86-94.
#'   \doi{10.1214/aos/1176346059}
#'
#'   Bertsekas, D. P. (1982). Projected Newton methods for optimization problems with simple constraints. *SIAM Journal on
#'   Control and Optimization* 20(2), 221-246. \doi{10.1137/0320018}
#'
#'   Varadhan, R. and Roland, C. (2008). Simple and globally convergent methods for accelerating the convergence of any EM
#'   algorithm. *Scandinavian Journal of Statistics* 35(2), 335-353. \doi{10.1111/j.1467-9469.2007.00585.x}
#'
#'   Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of a mixing distribution. *Journal
#'   of the Royal Statistical Society B* 69(2), 185-198. \doi{10.1111/j.1467-9868.2007.00583.x}
#'
#'   Kim, Y., Carbonetto, P., Stephens, M. and Anitescu, M. (2020). A fast algorithm for maximum likelihood estimation of
#'   mixture proportions using sequential quadratic programming. *Journal of Computational and Graphical Statistics* 29(2),
#'   261-273. \doi{10.1080/10618600.2019.1689985}
#' @seealso [`?estimators`][estimators] for the options, [rr_estimate()].
#' @concept mixture likelihood
#' @concept EM algorithm
#' @name likelihood_solver
#' @examples
#' # How close to the maximum is the fit, and is the maximum unique?
#' mechanism <- rr_geometric(20, epsilon = 0.5)
#' reports <- rr_counts(c(rep(40, 5), rep(10, 10), rep(60, 5)), mechanism)
#' fit <- rr_estimate(reports)
#' glance(fit)$gap
#' fit$details[[1]][c("converged", "iterations", "unique")]
#' # Within 1e-8 of the maximum, which is unique
NULL

# The channel law has maximum likelihood with a certificate. The covariance is the inverse
# information on the support, under the constraint of the sum. At a maximum I theta = 1 holds, so
# that constraint subtracts theta theta'.
report_channel.rr_law_channel <- function(law, evidence) list(law = law, evidence = evidence)

law_maximum.rr_law_channel <- function(law, evidence, options) {
  result <- maximize(
    law$axes, evidence$counts, options$tolerance, options$iterations, options$start, evidence$n
  )
  result[c("estimate", "unique", "converged", "stalled", "gap", "iterations", "tolerance")]
}

law_update.rr_law_channel <- function(law, evidence, options) {
  .Call(
    C_rr_em, law$axes, evidence$counts, options$start, options$iterations, options$tolerance,
    options$maximum
  )
}

update_rate.rr_law_channel <- function(law, evidence, maximum) {
  channel_update_rate(law$axes, evidence, maximum)
}

# At a maximum the derivative of the update, made symmetric, is I - B'B on the shares above 0, with
#    B_ji = C_ij sqrt(theta_i phi_j) / m_j
# Its eigenvalue of 0 belongs to the sum. Singular values of 0 belong to shares that the reports do
# not tell apart, between which the update does not move. NA for more than 500 shares above 0.
channel_update_rate <- function(axes, evidence, maximum) {
  phi <- evidence$counts / evidence$n
  m <- apply_channel(axes, maximum)
  ratio <- ifelse(phi > 0, phi / m, 0)
  positive <- which(maximum > 0)
  if (length(positive) > 500L || length(positive) * length(phi) > 1e6) {
    return(NA_real_)
  }
  rate <- max(apply_channel(axes, ratio, "adjoint")[-positive], 0)
  if (length(positive) < 2L) return(rate)
  columns <- .Call(C_rr_channel_rows, axes, positive)
  b <- columns * sqrt(ratio / m) *
    rep(sqrt(maximum[positive]), each = length(phi))
  squares <- svd(b, 0, 0)$d^2
  max(rate, 1 - min(squares[squares > 1e-12]))
}

# The maximum of the likelihood with its certificate, a list. `axes` is a channel in the sense of
# law_axes() and `n` the sum of the counts.
maximize <- function(axes, counts, tolerance = NULL, iterations = 10000, start = NULL, n) {
  impossible <- .Call(C_rr_impossible, axes, counts)
  if (impossible > 0) return(list(impossible = impossible))
  # The certificate is a bound of the likelihood, not of the distance to its maximum. If a step
  # costs next to nothing, a few more bring the estimate itself to the last digits. The result and
  # its warning are about `tolerance`.
  small <- is.null(tolerance) && prod(axis_sizes(axes)) * length(axes) <= 256 &&
    length(counts) <= 1024
  tolerance <- tolerance %||% max(1e-8, 1e-14 * n)
  goal <- if (small) min(tolerance, 1e-13 * n) else tolerance
  problem <- if (length(axes) == 1L && !is.null(axes[[1]]$matrix)) {
    collapse_reports(axes[[1]]$matrix, counts)
  } else {
    list(axes = axes, counts = counts)
  }
  solver <- .Call(
    C_rr_solver, problem$axes, problem$counts,
    start %||% inverse_start(problem$axes, problem$counts / n), goal
  )
  progress <- run_solver(solver, goal, iterations)
  result <- .Call(C_rr_solver_result, solver, if (length(axes) == 1L) 2000 else 300)
  list(
    estimate = result$estimate,
    unique = if (is.na(result$unique)) decide_unique(problem, result) else TRUE,
    converged = isTRUE(progress[2] <= tolerance),
    stalled = progress[1] == 2,
    gap = progress[2],
    iterations = progress[3],
    products = progress[4],
    tolerance = tolerance,
    score = result$score
  )
}

run_solver <- function(solver, tolerance, iterations) {
  state <- .Call(C_rr_solver_run, solver, min(iterations, 4))
  start <- proc.time()[[3]]
  bar <- NULL
  while (state[1] == 1 && state[3] < iterations) {
    state <- .Call(C_rr_solver_run, solver, min(iterations - state[3], 4))
    if (proc.time()[[3]] - start < 2) next
    if (is.null(bar)) {
      first <- state[2]
      bar <- cli::cli_progress_bar("Maximizing the likelihood", total = 100, clear = TRUE)
    }
    # `done` is the fraction of the orders of magnitude that lie between the first gap and the
    # tolerance.
    done <- log(first / max(state[2], tolerance)) /
      log(max(first / max(tolerance, 1e-300), exp(1)))
    cli::cli_progress_update(
      id = bar, set = round(100 * clamp(done))
    )
  }
  state
}

# A dense channel without the reports that were not given, and with proportional columns merged:
# neither changes where the maximum is. `matrix` has a row per report.
collapse_reports <- function(matrix, counts) {
  matrix <- matrix[counts > 0, , drop = FALSE]
  counts <- counts[counts > 0]
  totals <- rowSums(matrix)
  # Proportional rows have the same weighted mean of their columns' weights, whatever the weights.
  mark <- drop(matrix %*% cospi(seq_len(ncol(matrix)) * sqrt(2))) / totals
  order <- order(mark)
  alike <- which(abs(diff(mark[order])) <= 1e-14)
  same <- alike[
    vapply(
      alike,
      function(k) {
        pair <- order[c(k, k + 1)]
        all(
          abs(
            matrix[pair[1], ] / totals[pair[1]] -
              matrix[pair[2], ] / totals[pair[2]]
          ) <= 4e-16
        )
      },
      NA
    )
  ]
  if (length(same)) {
    group <- cumsum(!seq_along(order) %in% (same + 1))
    group[order] <- group
    matrix <- unname(rowsum(matrix, group))
    counts <- as.vector(rowsum(counts, group))
  }
  list(axes = list(list(matrix = matrix)), counts = counts)
}

# The inversion if it is a distribution, else NULL. It is the maximum then, and the solver only
# certifies it. It is tried if it is cheaper than the solver.
inverse_start <- function(axes, phi) {
  sizes <- axis_sizes(axes)
  if (max(sizes) > 100 || any(sizes != axis_sizes(axes, "reports"))) {
    return(NULL)
  }
  inverse <- channel_inverse(axes)
  if (is.null(inverse)) return(NULL)
  theta <- apply_channel(inverse, phi, "adjoint")
  if (all(is.finite(theta)) && all(theta >= 0)) theta
}

# Is the maximum unique, if the Gram matrix could not prove it? The ranks are from a pivoted QR of
# the rows themselves. Every maximum is 0 outside of the cells with g = 1. If these depend on each
# other, moving along the dependence changes no report's probability.
decide_unique <- function(problem, result) {
  support <- which(result$estimate > 0)
  tight <- union(support, which(result$score > 1 - 1e-6))
  seen <- problem$counts > 0
  if (length(support) > sum(seen)) return(FALSE)
  if (length(tight) > 300 || length(tight) * length(seen) > 4e6) {
    return(NA)
  }
  rows <- .Call(C_rr_channel_rows, problem$axes, as.integer(tight))[seen, , drop = FALSE] /
    result$fitted[seen]
  rows <- sweep(rows, 2, sqrt(colSums(rows^2)), `/`)
  if (qr(rows[, seq_along(support)], tol = 1e-11)$rank <
      length(support)) {
    return(FALSE)
  }
  if (qr(rows, tol = 1e-11)$rank == length(tight)) TRUE else NA
}

# ---- uncertainty ----

# The estimates that can move, and their covariance; NULL where there are too many for a matrix.
information_block <- function(law, evidence, theta, target) {
  on <- which(theta > 0)
  counts <- evidence$counts
  if (length(on) > covariance_cells || as.double(length(on)) * length(counts) > 5e7) {
    return(NULL)
  }
  phi <- counts / evidence$n
  m <- apply_channel(law$axes, theta)
  rows <- .Call(C_rr_channel_rows, law$axes, as.integer(on))
  information <- crossprod(rows * ifelse(phi > 0, sqrt(phi) / m, 0))
  factor <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(factor) || min(diag(factor)^2 / diag(information)) < 1e-13) {
    return(NULL)
  }
  covariance <- chol2inv(factor) - outer(theta[on], theta[on])
  if (target == "sample") {
    covariance <- covariance - sampling_covariance(law, theta, phi, m, rows, covariance)
  }
  covariance <- covariance / evidence$n
  if (!is.null(law$validation)) {
    columns <- likelihood_columns(law_matrix(law), theta)[on, , drop = FALSE]
    covariance <- covariance + tcrossprod(validation_effects(law, theta, columns))
  }
  list(cells = on, covariance = covariance)
}

# The covariance that comes from sampling the truths, times n: a change of their shares moves the
# estimate by a map. All truths count, by their unbiased estimate, if these are few, as in the
# closed forms.
sampling_covariance <- function(law, theta, phi, m, rows, covariance) {
  cells <- prod(axis_sizes(law$axes))
  inverse <- if (cells <= covariance_cells && cells * length(phi) <= 5e6) inverse_axes(law)
  shares <- if (is.null(inverse)) theta[theta > 0] else apply_channel(inverse, phi, "adjoint")
  all <- if (is.null(inverse)) rows else .Call(C_rr_channel_rows, law$axes, seq_len(cells))
  map <- covariance %*% crossprod(rows, ifelse(m > 0, 1 / m, 0) * all)
  map %*% (shares * t(map))
}

# The covariance matrix of linear functions of the estimate if the estimate's own would be too large
# to form. One linear system a function is solved by products with the channel. `weights` has a row
# for each function and a column for each cell.
information_functions <- function(law, evidence, theta, weights, target) {
  axes <- law$axes
  on <- which(theta > 0)
  w <- weights[, on, drop = FALSE]
  solved <- .Call(
    C_rr_solver_information, .Call(C_rr_solver, axes, evidence$counts, theta, 1e-8), on, t(w)
  )
  # This is the inverse information under the constraint of the sum: I theta = 1 at a maximum.
  solved <- solved - outer(theta[on], drop(w %*% theta[on]))
  covariance <- w %*% solved
  if (target == "sample") {
    # The covariance from sampling the truths is left out, as in sampling_covariance().
    m <- apply_channel(axes, theta)
    map <- apply(solved, 2, function(v) {
      change <- replace(numeric(length(theta)), on, v)
      apply_channel(axes, ifelse(m > 0, apply_channel(axes, change) / m, 0), "adjoint")[
        on
      ]
    })
    covariance <- covariance - crossprod(map * sqrt(theta[on]))
  }
  (covariance + t(covariance)) / (2 * evidence$n)
}

# The values, covariance and identification of linear functions if the maximum is not unique.
# Reports can identify a sum of shares although they cannot tell the shares apart.
#
# `C` has a row per truth and a column per report, `phi` are the reported shares, and `weights` has
# a row per function. All maxima lie on the cells whose score is 1 (inst/mathematics/estimation.md
# 2.2): these cells are free and all others are 0. A function is identified if its weights lie in
# the row space of the information on the free cells. Every generalized inverse gives the same
# variance then. At a maximum I theta = 1 holds, so the constraint of the sum subtracts the outer
# product of the values.
identified_functions <- function(C, phi, theta, n, weights) {
  seen <- phi > 0
  m <- drop(theta %*% C[, seen])
  score <- drop(C[, seen, drop = FALSE] %*% (phi[seen] / m))
  free <- which(score > 1 - 1e-6)
  decomposition <- svd(
    C[free, seen, drop = FALSE] *
      rep(sqrt(phi[seen]) / m, each = length(free))
  )
  used <- decomposition$d > 1e-9 * decomposition$d[1]
  basis <- decomposition$u[, used, drop = FALSE]
  w <- weights[, free, drop = FALSE]
  inside <- w %*% basis
  identified <- sqrt(pmax(rowSums(w^2) - rowSums(inside^2), 0)) <=
    1e-6 * sqrt(rowSums(w^2))
  value <- drop(weights %*% theta)
  covariance <- (tcrossprod(
    inside / rep(decomposition$d[used], each = nrow(inside))
  ) - outer(value, value)) / n
  covariance[!identified, ] <- covariance[, !identified] <- NA_real_
  list(value = value, covariance = covariance, identified = identified, free = free)
}

# The derivatives of a maximum by the reported shares, a row for each truth: the inverse information
# on its support, times the scores.
likelihood_columns <- function(C, theta) {
  on <- which(theta > 0)
  reported <- drop(theta %*% C)
  scores <- C[on, ] /
    rep(pmax(reported, .Machine$double.xmin), each = length(on))
  columns <- matrix(0, length(theta), ncol(C))
  if (length(on) < 2L) return(columns)
  # Directions in which shares move without changing their sum.
  basis <- qr.Q(qr(cbind(1, diag(length(on))[, -1])))[
    , -1, drop = FALSE
  ]
  projected <- crossprod(basis, scores)
  columns[on, ] <- basis %*% solve(projected %*% (t(projected) * reported), projected)
  columns
}

sum_log <- function(counts, m) {
  seen <- counts > 0
  if (any(m[seen] <= 0)) {
    -Inf
  } else {
    sum(counts[seen] * log(m[seen]))
  }
}

# The log-likelihood of the reports.
law_loglik <- function(law, evidence, theta) {
  reports <- report_channel(law, evidence)
  times <- reports$evidence$counts
  sum_log(times, apply_channel(reports$law$axes, theta)) +
    sum((times * reports$logs)[times > 0])
}

law_covariance.rr_law <- function(law, evidence, map, cells, target) {
  if (!is.null(map$jacobian)) {
    return(jacobian_covariance(law, evidence, map, cells, target))
  }
  if (is.null(map$information)) return(mapped_covariance(law, evidence, map, cells, target))
  reports <- report_channel(law, evidence)
  finite <- law_gives(law, "channel")
  block <- information_block(
    reports$law, reports$evidence, map$information, if (finite) target else "population"
  )
  if (is.null(block)) return(matrix(NA_real_, length(cells), length(cells)))
  covariance <- placed_block(block$covariance, block$cells, cells)
  if (target == "population" || finite) return(covariance)
  # If reports are kept as sets, the covariance for fixed truths leaves out what comes from sampling
  # them: a change of a truth's share moves the estimate, near a maximum inside, by exactly as much.
  theta <- map$information[cells]
  covariance - (diag(theta, length(theta)) - outer(theta, theta)) / evidence$n
}
