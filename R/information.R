# Variances of linear functions of a maximum likelihood estimate whose covariance matrix would be too large to form:
# one linear system a function, solved by products with the channel.

# `weights`: a row a function, a column a cell. Their covariance matrix, NA where double precision has no answer.
likelihood_functions <- function(mechanism, fit, g, weights) {
  axes <- channel_axes(mechanism)
  counts <- group_counts(fit$tally, g)
  theta <- group_estimate(fit, g)
  if (fit$method == "ibu") {
    if (!fit$details[[g]]$converged) return(matrix(NA_real_, nrow(weights), nrow(weights)))
    theta <- maximise(axes, counts, start = theta)$estimate
  }
  on <- which(theta > 0)
  w <- weights[, on, drop = FALSE]
  solver <- .Call(C_rr_solver, axes, counts, theta, 1e-8)
  solved <- .Call(C_rr_solver_information, solver, on, t(w))
  # Inverse information under the constraint of the sum: at a maximum I theta = 1.
  value <- drop(w %*% theta[on])
  solved <- solved - outer(theta[on], value)
  covariance <- w %*% solved
  if (fit$target == "sample") {
    # Without what comes from sampling the truths, as in likelihood_block().
    m <- apply_channel(axes, theta)
    map <- apply(solved, 2, function(v) {
      whole <- numeric(length(theta))
      whole[on] <- v
      apply_channel(axes, ifelse(m > 0, apply_channel(axes, whole) / m, 0), "adjoint")[on]
    })
    covariance <- covariance - crossprod(map * sqrt(theta[on]))
  }
  (covariance + t(covariance)) / (2 * fit$tally$effective_n[g])
}

# Whether the fit has covariances, but too many cells for a matrix of them.
needs_functions <- function(g, fit) {
  fit$method %in% c("mle", "ibu") && is.null(fit$replicates) && is.null(additive(fit$mechanism)) &&
    sum(group_estimate(fit, g) > 0) > covariance_cells
}
