# Uncertainty of maximum likelihood under a channel law: the inverse information on the support, under the constraint of
# the sum. At a maximum I theta = 1, so that constraint subtracts theta theta'.

law_likelihood_map.rr_law_channel <- function(law, evidence, estimate) list(information = estimate)

law_by_information.rr_law_channel <- function(law) TRUE

# The estimates that can move, and their covariance; NULL where there are too many for a matrix.
information_block <- function(law, evidence, theta, target) {
  on <- which(theta > 0)
  counts <- evidence$counts
  if (length(on) > covariance_cells || as.double(length(on)) * length(counts) > 5e7) return(NULL)
  phi <- counts / evidence$n
  m <- apply_channel(law$axes, theta)
  rows <- .Call(C_rr_channel_rows, law$axes, as.integer(on))
  information <- crossprod(rows * ifelse(phi > 0, sqrt(phi) / m, 0))
  factor <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(factor) || min(diag(factor)^2 / diag(information)) < 1e-13) return(NULL)
  covariance <- chol2inv(factor) - outer(theta[on], theta[on])
  if (target == "sample") {
    # Without what comes from sampling the truths: a change of their shares moves the estimate by this map.
    truths <- unbiased_truths(law, phi) %||% list(shares = theta[on], rows = rows)
    map <- covariance %*% crossprod(rows, ifelse(m > 0, 1 / m, 0) * truths$rows)
    covariance <- covariance - map %*% (truths$shares * t(map))
  }
  list(cells = on, covariance = covariance / evidence$n)
}

# The unbiased estimate of all truths with their rows, where these are few: what the closed forms plug in too.
unbiased_truths <- function(law, phi) {
  cells <- prod(axis_sizes(law$axes))
  inverse <- if (cells <= covariance_cells && cells * length(phi) <= 5e6) inverse_axes(law)
  if (is.null(inverse)) return(NULL)
  list(shares = apply_channel(inverse, phi, "adjoint"), rows = .Call(C_rr_channel_rows, law$axes, seq_len(cells)))
}

# Covariance matrix of linear functions of the estimate where its own would be too large to form: one linear system a
# function, solved by products with the channel. `weights`: a row a function, a column a cell.
information_functions <- function(law, evidence, theta, weights, target) {
  axes <- law$axes
  on <- which(theta > 0)
  w <- weights[, on, drop = FALSE]
  solver <- .Call(C_rr_solver, axes, evidence$counts, theta, 1e-8)
  solved <- .Call(C_rr_solver_information, solver, on, t(w))
  # Inverse information under the constraint of the sum: at a maximum I theta = 1.
  value <- drop(w %*% theta[on])
  solved <- solved - outer(theta[on], value)
  covariance <- w %*% solved
  if (target == "sample") {
    # Without what comes from sampling the truths, as above.
    m <- apply_channel(axes, theta)
    map <- apply(solved, 2, function(v) {
      whole <- numeric(length(theta))
      whole[on] <- v
      apply_channel(axes, ifelse(m > 0, apply_channel(axes, whole) / m, 0), "adjoint")[on]
    })
    covariance <- covariance - crossprod(map * sqrt(theta[on]))
  }
  (covariance + t(covariance)) / (2 * evidence$n)
}
