# Variances and covariances of a fit. Unbiased estimates have the covariance of the law. Other estimates are functions
# of these near the data: the local map of their method gives the delta method. Without a map there is none.

# What a method with errors of its own knows of group g: list(diagonal, common), for the covariance matrix
# diag(diagonal) - common common', and `unknown`, why they are NA. NULL where its map is to be asked.
fit_spread <- function(fit, g, evidence) {
  method <- fit$estimator
  if (is.null(method$spread)) return(NULL)
  evidence$details <- fit$details[[g]]
  spread <- method$spread(group_estimate(fit, g), evidence, fit$target)
  if (is.null(spread) || (length(spread$diagonal) == evidence$k && length(spread$common) == evidence$k)) return(spread)
  abort("{.field spread} of method {.val {method$name}} must return {.field diagonal} and {.field common}.", "argument")
}

# Why a method with errors of its own has none for some groups: a line, or NULL.
errors_unknown <- function(fit) {
  if (is.null(fit$estimator$spread) || !is.null(fit$replicates)) return(NULL)
  law <- rr_law(fit$mechanism)
  groups <- seq_along(fit$details)
  reasons <- unlist(lapply(groups, function(g) fit_spread(fit, g, group_evidence(fit$tally, g, law))$unknown))
  if (!length(reasons)) return(NULL)
  some <- if (length(reasons) < length(groups)) sprintf(" in %d of %d groups", length(reasons), length(groups))
  paste0("Standard errors are NA", some, ": ", reasons[1])
}

# Standard errors in group g; an unbiased variance estimate below zero has none.
fit_errors <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  unknown <- rep(NA_real_, length(which))
  # Of a design.
  if (!is.null(fit$covariance)) return(root(diag(fit$covariance))[(g - 1) * length(fit$mechanism$levels) + which])
  if (!is.null(fit$estimator$no_intervals)) return(unknown)
  if (!is.null(fit$replicates)) return(apply(fit$replicates[[g]][which, , drop = FALSE], 1, stats::sd))
  evidence <- group_evidence(fit$tally, g)
  spread <- fit_spread(fit, g, evidence)
  # A difference below 0 is a rounding.
  if (!is.null(spread)) return(sqrt(pmax(spread$diagonal[which] - spread$common[which]^2, 0)))
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) unknown else root(law_variances(evidence$law, evidence, map, which, fit$target))
}

# The covariance matrix of some estimates of group g.
estimate_covariance <- function(mechanism, fit, g, which) {
  evidence <- group_evidence(fit$tally, g, rr_law(mechanism))
  spread <- fit_spread(fit, g, evidence)
  map <- if (is.null(spread)) fit_map(fit, g, evidence)
  if (!is.null(map)) return(law_covariance(evidence$law, evidence, map, which, fit$target))
  if (is.null(spread)) return(matrix(NA_real_, length(which), length(which)))
  covariance <- diag(spread$diagonal[which], length(which)) - tcrossprod(spread$common[which])
  diag(covariance) <- pmax(diag(covariance), 0)
  covariance
}

# How the estimates of group g move with the error of a validation study, see validation_effects(): groups share it.
# NULL where no other estimate does, or the errors are not by maps.
fit_effects <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  law <- rr_law(fit$mechanism)
  if (is.null(law$validation) || !is.null(fit$replicates) || !is.null(fit$estimator$spread)) return(NULL)
  columns <- estimate_columns(fit, g, inversion_columns(law, fit$mechanism), law)
  if (is.null(columns)) return(NULL)
  evidence <- group_evidence(fit$tally, g, law)
  theta <- fit_map(fit, g, evidence)$information %||% law_unbiased(law, evidence)
  validation_effects(law, theta, columns)[which, , drop = FALSE]
}

# Whether the fit has covariances, but too many cells for a matrix of them.
needs_functions <- function(g, fit) {
  isTRUE(fit$estimator$likelihood) && is.null(fit$replicates) && sum(group_estimate(fit, g) > 0) > covariance_cells &&
    law_by_information(rr_law(fit$mechanism))
}

# ---- functions of the shares of one group ----

# The joint covariance of more functions is not kept.
contrast_limit <- 2000

contrast_covariance <- function(fit, g, which) {
  if (is.null(fit$replicates)) return(estimate_covariance(fit$mechanism, fit, g, which))
  stats::var(t(fit$replicates[[g]][which, , drop = FALSE]))
}

# Whether the likelihood has many maxima, of which the fit shows one; see identified_functions().
many_maxima <- function(fit, g) {
  identical(fit$method, "mle") && identical(fit$details[[g]]$unique, FALSE) && fit$target == "population" &&
    is.null(fit$replicates) && !is_validated(fit$mechanism) && law_by_information(rr_law(fit$mechanism)) &&
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

# Of a maximum likelihood estimate of many cells.
function_variances <- function(fit, g, own) {
  evidence <- group_evidence(fit$tally, g)
  map <- fit_map(fit, g, evidence)
  covariance <- if (is.null(map)) matrix(NA_real_, nrow(own), nrow(own))
    else information_functions(evidence$law, evidence, map$information, own, fit$target)
  v <- diag(covariance)
  # The same zeros, from systems solved to a residual of 1e-10.
  v[abs(v) <= 1e-8 * drop(own %*% group_estimate(fit, g))^2 / fit$tally$effective_n[g]] <- 0
  list(variance = v, covariance = covariance)
}

# Unbiased estimates whose functions do not need the covariance matrix of all estimates.
inverse_variances <- function(fit, g, own) {
  evidence <- group_evidence(fit$tally, g)
  joint <- nrow(own) <= contrast_limit
  covariance <- law_functions(evidence$law, evidence, own, fit$target, variances = !joint)
  v <- if (joint) diag(covariance) else covariance
  # The sum of all shares is known: its variance is made of roundings.
  v[rowSums(own != own[, 1]) == 0] <- 0
  list(variance = v, covariance = if (joint) covariance)
}
