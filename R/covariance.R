# Covariances of estimated shares (Pinzon et al. 2025, equation 8 as corrected: its denominator is the square
# of p - q, and it holds for fixed truths; under sampled truths the counts are multinomial).
#
# Every closed-form estimate is, near the data, a linear map M = alpha (I - u 1') of the unbiased one on its
# support, and the reported shares have a covariance "diagonal minus low rank". So variances cost O(K) and any block
# costs its own size. The parts below say what alpha, u, the diagonal and the low-rank terms are.

# `which` are the estimates asked for: the sums run over all of them, the rest is done only there.
covariance_parts <- function(form, counts, n, fit, g, which = seq_along(counts)) {
  map <- local_map(form, counts, fit, g)
  if (is.null(map)) return(NULL)
  a <- form$a
  b <- rep_len(form$b, length(counts))
  phi <- counts / sum(counts)
  unbiased <- fit$method %in% c("inv", "norm")
  if (fit$target == "population") {
    scale <- 1 / ((if (unbiased) max(n - 1, 0) else n) * a^2)
    diagonal <- phi
    terms <- list(list(phi, phi, 1))
  } else {
    # b (a + b) + phi (1 - a - 2b) is the variance; the low-rank part added back makes it the diagonal. 1 - a is
    # formed as the sum of b, which keeps its digits where a rounds to 1.
    scale <- 1 / (n * a^2)
    diagonal <- b * a + phi * sum(b)
    terms <- list(list(b, phi, 1), list(phi, b, 1), list(b, b, -1))
  }
  diagonal <- diagonal * map$support * scale * map$alpha^2
  u <- map$u[which]
  project <- function(v) {
    v <- v * map$support
    map$alpha * (v[which] - u * sum(v))
  }
  list(u = u, diagonal = diagonal[which], total = sum(diagonal),
       terms = lapply(terms, function(t) list(project(t[[1]]), project(t[[2]]), t[[3]] * scale)))
}

# The derivative of an estimator with respect to the unbiased one, on the support of the estimate.
local_map <- function(form, counts, fit, g) {
  estimate <- group_estimate(fit, g)
  k <- length(estimate)
  whole <- list(support = rep(TRUE, k), alpha = 1, u = numeric(k))
  on <- estimate > 0
  switch(fit$method,
    inv = , norm = whole,
    base_cut = list(support = estimate != 0, alpha = 1, u = numeric(k)),
    # Both divide what they keep by its sum.
    invn = , norm_cut = {
      inv <- .Call(C_rr_inv, counts, form$a, form$b)
      list(support = on, alpha = 1 / sum(inv[on]), u = ifelse(on, estimate, 0))
    },
    invp = , norm_sub = list(support = on, alpha = 1, u = ifelse(on, 1 / sum(on), 0)),
    mle = likelihood_map(form, counts, on),
    # A gap of g leaves the estimate about sqrt(2 g) standard errors from the maximum.
    ibu = if (fit$details[[g]]$gap <= 1e-4) {
      exact <- .Call(C_rr_mle, counts, form$a, form$b, form$odds %||% NA_real_)$estimate
      likelihood_map(form, counts, exact > 0)
    },
    NULL
  )
}

# math: m = c phi on the support, with c = (1 - sum of b off it) / (sum of phi on it).
likelihood_map <- function(form, counts, on) {
  phi <- counts / sum(counts)
  b <- rep_len(form$b, length(counts))
  # A truth less likely reported than others (a < 0) is switched off at the upper bound b of m.
  reported <- sum(phi[on])
  if (reported == 0) return(list(support = on, alpha = 0, u = numeric(length(counts))))
  list(support = on, alpha = (1 - sum(b[!on])) / reported, u = ifelse(on, phi / reported, 0))
}

# Variances of some estimates of group g, or their block of the covariance matrix.
estimate_variances <- function(mechanism, fit, g, which) UseMethod("estimate_variances")
estimate_covariance <- function(mechanism, fit, g, which) UseMethod("estimate_covariance")

#' @export
estimate_variances.rr_mechanism <- function(mechanism, fit, g, which) {
  if (is.null(additive(mechanism))) return(channel_variances(mechanism, fit, g)[which])
  parts <- covariance_parts(additive(mechanism), group_counts(fit$tally, g), fit$tally$effective_n[g], fit, g, which)
  if (is.null(parts)) return(rep(NA_real_, length(which)))
  parts_variances(parts)
}

parts_variances <- function(parts) {
  d <- parts$diagonal
  variance <- d * (1 - 2 * parts$u) + parts$u^2 * parts$total
  size <- abs(d) + parts$u^2 * abs(parts$total)
  for (term in parts$terms) {
    product <- term[[3]] * term[[1]] * term[[2]]
    variance <- variance - product
    size <- size + abs(product)
  }
  # Exact zeros of the algebra come out as roundings of either sign.
  ifelse(abs(variance) < 4 * .Machine$double.eps * size, 0, variance)
}

#' @export
estimate_covariance.rr_mechanism <- function(mechanism, fit, g, which) {
  if (is.null(additive(mechanism))) return(channel_covariance(mechanism, fit, g, which))
  parts <- covariance_parts(additive(mechanism), group_counts(fit$tally, g), fit$tally$effective_n[g], fit, g, which)
  if (is.null(parts)) return(matrix(NA_real_, length(which), length(which)))
  d <- parts$diagonal
  u <- parts$u
  covariance <- parts$total * outer(u, u) - outer(u, d) - outer(d, u)
  diag(covariance) <- diag(covariance) + d
  for (term in parts$terms) covariance <- covariance - term[[3]] * outer(term[[1]], term[[2]])
  # The standard errors know which variances are exact zeros.
  diag(covariance)[parts_variances(parts) == 0] <- 0
  covariance
}

#' @rdname rr_fit
#' @param target For `vcov()`: what the uncertainty is about; by default what the fit was made for.
#' @export
vcov.rr_fit <- function(object, parm = NULL, target = object$target, ...) {
  check_dots_empty(...)
  object$target <- check_choice(target, "target", c("population", "sample"))
  which <- match_terms(parm, object)
  groups <- if (is.null(object$tally$groups)) 1L else nrow(object$tally$groups)
  if (length(which) * groups > 5000) {
    abort(c("{.fn vcov} of this fit would be a matrix of {length(which) * groups} rows.",
            i = "Name the estimates you need in {.arg parm}; {.fn tidy} gives all standard errors."), "argument")
  }
  blocks <- lapply(seq_len(groups), function(g) {
    if (!is.null(object$replicates)) return(stats::var(t(object$replicates[[g]][which, , drop = FALSE])))
    estimate_covariance(object$mechanism, object, g, which)
  })
  names <- coef_names(object, which)
  size <- length(which)
  matrix <- matrix(0, size * groups, size * groups, dimnames = list(names, names))
  for (g in seq_len(groups)) {
    rows <- (g - 1) * size + seq_len(size)
    matrix[rows, rows] <- blocks[[g]]
  }
  matrix
}
