# Variances and covariances of a fit. Unbiased estimates have the covariance of the law. Other estimates are functions
# of these near the data: the local map of their method gives the delta method. Without a map there is none.

# What a method with errors of its own knows of group g: list(diagonal, common), for the covariance matrix
# diag(diagonal) - common common', and `unknown`, why they are NA. NULL where its map is to be asked.
fit_spread <- function(fit, g, evidence) {
  method <- fit$estimator
  if (is.null(method$spread)) return(NULL)
  evidence$details <- fit$details[[g]]
  spread <- method$spread(group_estimate(fit, g), evidence, fit$target)
  size <- evidence$k
  if (is.null(spread) || (length(spread$diagonal) == size && length(spread$common) == size)) return(spread)
  abort(c("{.field spread} of method {.val {method$name}} must return {.field diagonal} and {.field common}.",
          x = "Each must hold {size} numbers.", i = "See {.fn rr_new_method}."), "argument")
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

# The map of the fit's method near the data of group g, NULL where there is none.
fit_map <- function(fit, g, evidence) {
  method <- fit$estimator
  evidence$details <- fit$details[[g]]
  map <- if (!is.null(method$local_map)) check_map(method$local_map(group_estimate(fit, g), evidence), method,
                                                   evidence$k)
  if (is.null(map) && method$unbiased) return(whole_map(evidence$k))
  if (!is.null(map)) map$unbiased <- method$unbiased
  map
}

check_map <- function(map, method, k) {
  good <- is.null(map) || !is.null(map$information) ||
    (is.matrix(map$jacobian) && is.numeric(map$jacobian) && all(dim(map$jacobian) == k)) ||
    (is.null(map$jacobian) && is.logical(map$support) && length(map$support) == k && length(map$alpha) == 1L &&
     length(map$u) == k)
  if (good) return(map)
  abort(c(paste("{.field local_map} of method {.val {method$name}} must return {.field jacobian},",
                "a matrix of {k} by {k}, or {.field support}, {.field alpha} and {.field u}."),
          i = "See {.fn rr_new_method}."), "argument")
}

# Variances of some estimates of group g, or their block of the covariance matrix.
estimate_variances <- function(mechanism, fit, g, which) {
  evidence <- group_evidence(fit$tally, g, rr_law(mechanism))
  spread <- fit_spread(fit, g, evidence)
  # A difference below 0 is a rounding.
  if (!is.null(spread)) return(pmax(spread$diagonal[which] - spread$common[which]^2, 0))
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) return(rep(NA_real_, length(which)))
  law_variances(evidence$law, evidence, map, which, fit$target)
}

estimate_covariance <- function(mechanism, fit, g, which) {
  evidence <- group_evidence(fit$tally, g, rr_law(mechanism))
  spread <- fit_spread(fit, g, evidence)
  if (!is.null(spread)) {
    covariance <- diag(spread$diagonal[which], length(which)) - tcrossprod(spread$common[which])
    diag(covariance) <- pmax(diag(covariance), 0)
    return(covariance)
  }
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) return(matrix(NA_real_, length(which), length(which)))
  law_covariance(evidence$law, evidence, map, which, fit$target)
}

# The covariance matrix of linear functions (rows of `weights`) of a maximum likelihood estimate of many cells.
likelihood_functions <- function(mechanism, fit, g, weights) {
  evidence <- group_evidence(fit$tally, g, rr_law(mechanism))
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) return(matrix(NA_real_, nrow(weights), nrow(weights)))
  information_functions(evidence$law, evidence, map$information, weights, fit$target)
}

# Whether the fit has covariances, but too many cells for a matrix of them.
needs_functions <- function(g, fit) {
  isTRUE(fit$estimator$likelihood) && is.null(fit$replicates) && sum(group_estimate(fit, g) > 0) > covariance_cells &&
    law_by_information(rr_law(fit$mechanism))
}
