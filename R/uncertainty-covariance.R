# Variances and covariances of a fit are computed here. Unbiased estimates have the covariance of
# the law. Other estimates are functions of these near the data: the local map of their method gives
# the delta method. A method without a map has none.

# The errors of a method that has its own, in group g: list(diagonal, common) for the covariance
# matrix diag(diagonal) - common common', and `unknown`, the reason if they are NA. It is NULL if
# the errors come from the map.
method_covariance <- function(fit, g, evidence) {
  method <- fit$estimator
  if (is.null(method$spread)) return(NULL)
  evidence$details <- fit$details[[g]]
  covariance <- method$spread(group_estimate(fit, g), evidence, fit$target)
  if (is.null(covariance) ||
      (length(covariance$diagonal) == evidence$k && length(covariance$common) == evidence$k)) {
    return(covariance)
  }
  abort(
    paste(
      "{.field spread} of method {.val {method$name}} must return",
      "{.field diagonal} and {.field common}."
    )
  )
}

# Why a method with errors of its own has none for some groups: a line, or NULL.
errors_unknown <- function(fit) {
  if (is.null(fit$estimator$spread) || !is.null(fit$replicates)) return(NULL)
  law <- rr_law(fit$mechanism)
  groups <- seq_along(fit$details)
  reasons <- unlist(
    lapply(groups, function(g) {
      method_covariance(fit, g, group_evidence(fit$tally, g, law))$unknown
    })
  )
  if (!length(reasons)) return(NULL)
  some <- if (length(reasons) < length(groups)) {
    sprintf(" in %d of %d groups", length(reasons), length(groups))
  }
  paste0("Standard errors are NA", some, ": ", reasons[1])
}

# Standard errors in group g; an unbiased variance estimate below zero has none.
fit_errors <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  unknown <- rep(NA_real_, length(which))
  # A design has a covariance of all estimates.
  if (!is.null(fit$covariance)) {
    return(
      sqrt_or_na(diag(fit$covariance))[
        (g - 1) * length(fit$mechanism$levels) + which
      ]
    )
  }
  if (!is.null(fit$estimator$no_intervals)) return(unknown)
  if (!is.null(fit$replicates)) {
    return(apply(
      fit$replicates[[g]][which, , drop = FALSE], 1, sd
    ))
  }
  evidence <- group_evidence(fit$tally, g)
  covariance <- method_covariance(fit, g, evidence)
  # A difference below 0 is a rounding.
  if (!is.null(covariance)) {
    return(sqrt(
      pmax(covariance$diagonal[which] - covariance$common[which]^2, 0)
    ))
  }
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) {
    unknown
  } else {
    sqrt_or_na(law_variances(evidence$law, evidence, map, which, fit$target))
  }
}

# The covariance matrix of some estimates of group g.
estimate_covariance <- function(mechanism, fit, g, which) {
  evidence <- group_evidence(fit$tally, g, rr_law(mechanism))
  components <- method_covariance(fit, g, evidence)
  map <- if (is.null(components)) fit_map(fit, g, evidence)
  if (!is.null(map)) {
    return(law_covariance(evidence$law, evidence, map, which, fit$target))
  }
  if (is.null(components)) return(matrix(NA_real_, length(which), length(which)))
  covariance <- diag(components$diagonal[which], length(which)) -
    tcrossprod(components$common[which])
  diag(covariance) <- pmax(diag(covariance), 0)
  covariance
}

# How the estimates of group g move with the error of a validation study, see validation_effects():
# groups share it. NULL where no other estimate does, or the errors are not by maps.
fit_effects <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  law <- rr_law(fit$mechanism)
  if (is.null(law$validation) || !is.null(fit$estimator$spread)) return(NULL)
  columns <- estimate_columns(fit, g, inversion_columns(law, fit$mechanism), law)
  if (is.null(columns)) return(NULL)
  evidence <- group_evidence(fit$tally, g, law)
  theta <- fit_map(fit, g, evidence)$information %||% law_unbiased(law, evidence)
  validation_effects(law, theta, columns)[which, , drop = FALSE]
}

# Covariances between the estimates of groups that depend on each other, as law_group_covariance()
# has them for the unbiased ones, each of which moves its estimate by its map.
fit_between <- function(fit) {
  if (!is.matrix(fit$estimate)) return(NULL)
  law <- rr_law(fit$mechanism)
  between <- law_group_covariance(law, fit$tally, fit$target)
  if (is.null(between) || fit$estimator$unbiased) return(between)
  k <- length(fit$mechanism$levels)
  for (g in seq_len(ncol(fit$estimate))) {
    index <- (g - 1) * k + seq_len(k)
    map <- fit_map(fit, g, group_evidence(fit$tally, g, law))
    moves <- if (is.null(map)) matrix(NA_real_, k, k) else map_matrix(map, k)
    between[index, ] <- moves %*% between[index, ]
    between[, index] <- tcrossprod(between[, index], moves)
  }
  between
}

# Has the fit covariances, but too many cells for a matrix of them?
needs_functions <- function(g, fit) {
  isTRUE(fit$estimator$likelihood) && is.null(fit$replicates) &&
    sum(group_estimate(fit, g) > 0) > covariance_cells && rr_law(fit$mechanism)$by_information
}

# ---- functions of the shares of one group ----

# The joint covariance of more functions is not kept.
contrast_limit <- 2000

contrast_covariance <- function(fit, g, which) {
  if (is.null(fit$replicates)) return(estimate_covariance(fit$mechanism, fit, g, which))
  var(t(fit$replicates[[g]][which, , drop = FALSE]))
}

# Has the likelihood many maxima, of which the fit shows one? See identified_functions().
many_maxima <- function(fit, g) {
  identical(fit$method, "mle") && identical(fit$details[[g]]$unique, FALSE) &&
    fit$target == "population" && is.null(fit$replicates) && !is_validated(fit$mechanism) &&
    rr_law(fit$mechanism)$by_information && length(fit$mechanism$levels) <= covariance_cells &&
    length(fit$mechanism$reports) <= matrix_limit
}

# Variances of the functions `contrasts` of the estimates of group g, their covariance if there are
# not too many, and `identified` and `edge` if the likelihood has many maxima. Exact zeros, as of
# the sum of all shares, come out as roundings of either sign, up to `trifle`.
contrast_variances <- function(fit, g, contrasts) {
  evidence <- group_evidence(fit$tally, g)
  theta <- group_estimate(fit, g)
  joint <- nrow(contrasts) <= contrast_limit
  maxima <- NULL
  if (many_maxima(fit, g)) {
    solution <- identified_functions(
      unname(rr_matrix(fit$mechanism)), evidence$counts / evidence$n, theta, evidence$n,
      contrasts
    )
    covariance <- solution$covariance
    trifle <- 1e-12 * rowSums(contrasts^2)
    # Shares of 0 that could be larger at another maximum are not held there.
    maxima <- list(
      identified = solution$identified,
      edge = length(solution$free) < length(theta)
    )
  } else if (needs_functions(g, fit)) {
    map <- fit_map(fit, g, evidence)
    covariance <- if (is.null(map)) matrix(NA_real_, nrow(contrasts), nrow(contrasts))
      else information_functions(evidence$law, evidence, map$information, contrasts, fit$target)
    # The systems are solved to a residual of 1e-10.
    trifle <- 1e-8 * drop(contrasts %*% theta)^2
  } else if (fit$method == "inv" && is.null(fit$replicates) &&
      !is.null(evidence$law$laws)) {
    # These functions do not need the covariance matrix of all estimates.
    covariance <- law_functions(evidence$law, evidence, contrasts, fit$target, variances = !joint)
    trifle <- ifelse(rowSums(contrasts != contrasts[, 1]) == 0, Inf, 0)
  } else {
    needed <- which(colSums(contrasts != 0) > 0)
    needed_contrasts <- contrasts[, needed, drop = FALSE]
    each <- contrast_covariance(fit, g, needed)
    covariance <- if (joint) {
      needed_contrasts %*% tcrossprod(each, needed_contrasts)
    } else {
      rowSums((needed_contrasts %*% each) * needed_contrasts)
    }
    # Roundings of variances, or of the products of shares that are taken from the inverse
    # information.
    trifle <- 1e-14 *
      drop(needed_contrasts^2 %*% (diag(each) * evidence$n + theta[needed]^2))
  }
  v <- if (is.matrix(covariance)) diag(covariance) else covariance
  v[which(abs(v) <= trifle / evidence$n)] <- 0
  c(list(variance = v, covariance = if (joint) covariance), maxima)
}

# Standard errors of group g, with NA for zeros that are not certain. A variance of exactly 0 comes
# from reports that are all alike, which do not show how they vary: it is not known. It is 0 only if
# the truths are fixed and the reports show them, or in a design that drew everybody.
known_errors <- function(fit, g, error) {
  is_held <- held_at_boundary(fit, g)
  can_be_0 <- if (is.null(fit$covariance)) shows_truths(fit) else !is_held
  # Beside estimates that are held at 0 the errors of others at 1 are roundings.
  least <- if (is_held) 1e-7 / sqrt(fit$tally$effective_n[g]) else 0
  if (can_be_0) error else replace(error, which(error <= least), NA_real_)
}

# Are the truths fixed, and known from the reports?
shows_truths <- function(fit) {
  if (fit$target != "sample") return(FALSE)
  law <- rr_law(fit$mechanism)
  is_certain <- function(axis) {
    if (is.null(axis[["matrix"]])) {
      abs(axis[["a"]] %||% 0) == 1
    } else {
      all(axis[["matrix"]] %in% 0:1)
    }
  }
  all(vapply(law[["axes"]] %||% list(law), is_certain, NA))
}

# Estimates that are biased or have no known standard error.
held_at_boundary <- function(fit, g) {
  !fit$estimator$unbiased && !shows_truths(fit) && is.null(fit$estimator$spread) &&
    any(at_boundary(fit, g))
}

# Is each share at 0 or 1, or would it be if the iteration went on?
at_boundary <- function(fit, g) {
  share <- fit$details[[g]]$maximum %||% fitted_truth(fit, g)
  share <= 0 | share >= 1
}

# The covariance of a design (design_covariance()) with the error of a validation study, which is
# independent of the draw. `effects` have a row for each estimate, as validation_effects() has them,
# and `size` multiplies the shares of each group. The variance of the unbiased estimates with the
# channel taken for known stays beside their whole variance, as `field_variance`.
with_study_error <- function(uncertainty, fit, size) {
  law <- rr_law(fit$mechanism)
  if (is.null(law$validation)) return(uncertainty)
  k <- length(fit$mechanism$levels)
  groups <- seq_along(size)
  effects <- do.call(rbind, lapply(groups, fit_effects, fit = fit))
  if (is.null(effects)) {
    uncertainty$covariance[] <- NA_real_
  } else {
    uncertainty$effects <- effects * rep(size, each = k)
    uncertainty$covariance <- uncertainty$covariance + tcrossprod(uncertainty$effects)
  }
  if (!is.null(uncertainty$inversion)) {
    study <- vapply(groups, function(g) {
      rowSums(unbiased_effects(law, group_evidence(fit$tally, g, law), seq_len(k))^2)
    }, numeric(k))
    uncertainty$inversion$field_variance <- uncertainty$inversion$variance
    uncertainty$inversion$variance <- uncertainty$inversion$variance + study
  }
  uncertainty
}
