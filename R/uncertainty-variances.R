# Variances of functions of the shares of one group, with and without a covariance of the shares themselves.

# The joint covariance of more functions is not kept.
contrast_limit <- 2000

contrast_covariance <- function(fit, g, which) {
  if (is.null(fit$replicates)) return(estimate_covariance(fit$mechanism, fit, g, which))
  stats::var(t(fit$replicates[[g]][which, , drop = FALSE]))
}

# Whether the likelihood has many maxima, of which the fit shows one; see uncertainty-identified.R.
many_maxima <- function(fit, g) {
  identical(fit$method, "mle") && identical(fit$details[[g]]$unique, FALSE) && fit$target == "population" &&
    is.null(fit$replicates) && law_by_information(rr_law(fit$mechanism)) &&
    length(fit$mechanism$levels) <= covariance_cells && length(fit$mechanism$reports) <= matrix_limit
}

maxima_variances <- function(fit, g, own) {
  evidence <- group_evidence(fit$tally, g)
  theta <- group_estimate(fit, g)
  found <- identified_functions(unname(rr_matrix(fit$mechanism)), evidence$counts / evidence$n, theta, evidence$n, own)
  v <- diag(found$covariance)
  v[which(abs(v) <= 1e-12 * rowSums(own^2) / evidence$n)] <- 0
  # Shares of 0 that could be larger at another maximum are not held there.
  list(variance = v, covariance = if (nrow(own) <= contrast_limit) found$covariance, identified = found$identified,
       edge = length(found$free) < length(theta))
}

matrix_variances <- function(fit, g, own, needed) {
  part <- own[, needed, drop = FALSE]
  covariance <- contrast_covariance(fit, g, needed)
  v <- rowSums((part %*% covariance) * part)
  # Exact zeros, as of the sum of all shares, come out as roundings of either sign: of variances, or of the products
  # of shares that are taken from the inverse information.
  size <- diag(covariance) + group_estimate(fit, g)[needed]^2 / fit$tally$effective_n[g]
  v[abs(v) <= 1e-14 * drop(part^2 %*% size)] <- 0
  joint <- if (nrow(own) <= contrast_limit) part %*% tcrossprod(covariance, part)
  # Functions of other groups do not depend on this one, whose errors may be unknown.
  other <- rowSums(part != 0) == 0
  v[other] <- 0
  if (!is.null(joint)) joint[other, ] <- joint[, other] <- 0
  list(variance = v, covariance = joint)
}

function_variances <- function(fit, g, own) {
  covariance <- likelihood_functions(fit$mechanism, fit, g, own)
  v <- diag(covariance)
  # The same zeros, from systems solved to a residual of 1e-10.
  v[abs(v) <= 1e-8 * drop(own %*% group_estimate(fit, g))^2 / fit$tally$effective_n[g]] <- 0
  list(variance = v, covariance = covariance)
}

# Unbiased estimates whose functions do not need the covariance matrix of all estimates.
has_functions <- function(fit) {
  fit$estimator$name == "inv" && is.null(fit$replicates) && inherits(rr_law(fit$mechanism), "rr_law_hierarchy")
}

inverse_variances <- function(fit, g, own) {
  law <- rr_law(fit$mechanism)
  evidence <- group_evidence(fit$tally, g, law)
  joint <- nrow(own) <= contrast_limit
  covariance <- law_functions(law, evidence, own, fit$target, variances = !joint)
  v <- if (joint) diag(covariance) else covariance
  # The sum of all shares is known: its variance is made of roundings.
  v[rowSums(own != own[, 1]) == 0] <- 0
  list(variance = v, covariance = if (joint) covariance)
}
