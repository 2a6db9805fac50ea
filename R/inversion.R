# Linear inversion of any channel. A left inverse L of C' (L C' = I) whose columns add up to 1 turns reported shares
# into an unbiased estimate that adds up to 1. For a square channel it is the inverse; with more reports than truths,
# the least-squares solution under the constraint of the sum; for a product of questions, the product of theirs.

# list(matrix = L'), or NULL if the channel's rows are dependent.
left_inverse <- function(axis) {
  if (is.null(axis$matrix)) {
    k <- length(axis$b)
    if (axis$a == 0 || k > 5000) return(NULL)
    # L = (I - b 1') / a, since a + sum(b) = 1: its transpose has b along the rows.
    return(list(matrix = (diag(k) - rep(axis$b, each = k)) / axis$a))
  }
  M <- axis$matrix
  if (nrow(M) < ncol(M)) return(NULL)
  if (nrow(M) == ncol(M)) {
    inverse <- tryCatch(solve(M, tol = 1e-14), error = function(e) NULL)
    return(if (!is.null(inverse)) list(matrix = t(inverse)))
  }
  decomposition <- qr(M, tol = 1e-12)
  if (decomposition$rank < ncol(M)) return(NULL)
  plain <- qr.coef(decomposition, diag(nrow(M)))
  spread <- chol2inv(qr.R(decomposition))[order(decomposition$pivot), order(decomposition$pivot), drop = FALSE]
  direction <- rowSums(spread) / sum(spread)
  list(matrix = t(plain + outer(direction, 1 - colSums(plain))))
}

channel_inverse <- function(axes) {
  inverse <- lapply(axes, left_inverse)
  if (!any(vapply(inverse, is.null, NA))) inverse
}

require_inverse <- function(mechanism, axes, method, call) {
  inverse <- channel_inverse(axes)
  if (is.null(inverse)) {
    abort(c("{.arg method} {.val {method}} needs a channel that can be inverted.",
            x = "The rows of this one are linearly dependent: different truths give the same reports.",
            i = "Use {.code method = \"mle\"}, which says whether its maximum is unique."), "no_information",
            call = call)
  }
  inverse
}

estimate_inverted <- function(mechanism, axes, counts, method, n, options, call) {
  impossible <- .Call(C_rr_impossible, axes, counts)
  if (impossible > 0) abort_impossible_report(mechanism, impossible, counts, call)
  inverse <- require_inverse(mechanism, axes, method, call)
  inv <- apply_channel(inverse, counts / sum(counts), "adjoint")
  # Standard error of the inversion of a cell that is absent, for the post-processings that need a scale.
  scale <- function() sqrt(mean_squares(axes, inverse, .Call(C_rr_project, inv, 1))$others / n)
  estimate <- switch(method,
    inv = inv,
    invn = pmax(inv, 0) / sum(pmax(inv, 0)),
    invp = , norm_sub = .Call(C_rr_project, inv, 1),
    base_cut = do.call(estimate_base_cut, c(list(inv, scale(), call), options))$estimate,
    norm = postprocess_norm(inv),
    norm_cut = postprocess_norm_cut(inv),
    power = postprocess_power(inv, scale(), n),
    power_ns = postprocess_power_ns(inv, scale(), n)
  )
  list(estimate = estimate)
}

# ---- covariances -----------------------------------------------------------------------------------------------------

# Larger supports would need a matrix that is slow to invert: their standard errors come from the bootstrap.
covariance_cells <- 1000

channel_variances <- function(mechanism, fit, g) {
  axes <- channel_axes(mechanism)
  counts <- group_counts(fit$tally, g)
  phi <- counts / sum(counts)
  n <- fit$tally$effective_n[g]
  if (fit$method %in% c("inv", "norm")) {
    inverse <- channel_inverse(axes)
    estimate <- apply_channel(inverse, phi, "adjoint")
    second <- apply_channel(inverse, phi, "square")
    return(if (fit$target == "population") (second - estimate^2) / max(n - 1, 0) else (second - estimate) / n)
  }
  which <- seq_along(mechanism$levels)
  on <- if (fit$method %in% c("mle", "ibu")) which else which[group_estimate(fit, g) != 0]
  if (length(on) > covariance_cells && !fit$method %in% c("mle", "ibu")) return(rep(NA_real_, length(which)))
  block <- channel_block(mechanism, fit, g)
  if (is.null(block)) return(rep(NA_real_, length(which)))
  variance <- numeric(length(which))
  variance[block$cells] <- diag(block$covariance)
  variance
}

channel_covariance <- function(mechanism, fit, g, which) {
  if (fit$method %in% c("inv", "norm")) return(inverse_covariance(mechanism, fit, g, which))
  block <- channel_block(mechanism, fit, g)
  if (is.null(block)) return(matrix(NA_real_, length(which), length(which)))
  place <- match(which, block$cells)
  covariance <- matrix(0, length(which), length(which))
  inside <- !is.na(place)
  covariance[inside, inside] <- block$covariance[place[inside], place[inside]]
  covariance
}

# The estimates that can move, and their covariance.
channel_block <- function(mechanism, fit, g) {
  if (fit$method %in% c("mle", "ibu")) return(likelihood_block(mechanism, fit, g))
  estimate <- group_estimate(fit, g)
  on <- which(estimate != 0)
  if (length(on) > covariance_cells) return(NULL)
  map <- channel_map(mechanism, fit, g, on)
  if (is.null(map)) return(NULL)
  covariance <- inverse_covariance(mechanism, fit, g, on)
  centred <- covariance - outer(map$u, colSums(covariance))
  list(cells = on, covariance = map$alpha^2 * (centred - outer(rowSums(centred), map$u)))
}

channel_map <- function(mechanism, fit, g, on) {
  estimate <- group_estimate(fit, g)[on]
  switch(fit$method,
    base_cut = list(alpha = 1, u = numeric(length(on))),
    # Both divide what they keep by its sum.
    invn = , norm_cut = {
      counts <- group_counts(fit$tally, g)
      inv <- apply_channel(channel_inverse(channel_axes(mechanism)), counts / sum(counts), "adjoint")
      list(alpha = 1 / sum(inv[on]), u = estimate)
    },
    invp = , norm_sub = list(alpha = 1, u = rep(1 / length(on), length(on))),
    NULL
  )
}

# L (diag(phi) - phi phi') L' / n for sampled truths; for fixed ones L diag(phi) L' - diag(theta), since each truth's
# reports are multinomial and L takes their means to unit vectors.
inverse_covariance <- function(mechanism, fit, g, which) {
  inverse <- channel_inverse(channel_axes(mechanism))
  counts <- group_counts(fit$tally, g)
  phi <- counts / sum(counts)
  n <- fit$tally$effective_n[g]
  rows <- .Call(C_rr_channel_rows, inverse, as.integer(which))
  theta <- colSums(rows * phi)
  second <- crossprod(rows * sqrt(phi))
  if (fit$target == "population") {
    # The divisor that makes it unbiased belongs to the unbiased estimate.
    divisor <- if (fit$method %in% c("inv", "norm")) max(n - 1, 0) else n
    return((second - outer(theta, theta)) / divisor)
  }
  (second - diag(theta, length(theta))) / n
}

# Inverse information on the support, under the constraint of the sum. At a maximum I theta = 1, so that constraint
# subtracts theta theta'.
likelihood_block <- function(mechanism, fit, g) {
  axes <- channel_axes(mechanism)
  counts <- group_counts(fit$tally, g)
  theta <- group_estimate(fit, g)
  if (fit$method == "ibu") {
    if (!fit$details[[g]]$converged) return(NULL)
    theta <- maximise(axes, effective_counts(counts, fit$tally$effective_n[g]), start = theta)$estimate
  }
  on <- which(theta > 0)
  n <- fit$tally$effective_n[g]
  if (length(on) > covariance_cells || as.double(length(on)) * length(counts) > 5e7) return(NULL)
  phi <- counts / sum(counts)
  m <- apply_channel(axes, theta)
  rows <- .Call(C_rr_channel_rows, axes, as.integer(on))
  information <- crossprod(rows * ifelse(phi > 0, sqrt(phi) / m, 0))
  factor <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(factor) || min(diag(factor)^2 / diag(information)) < 1e-13) return(NULL)
  covariance <- chol2inv(factor) - outer(theta[on], theta[on])
  if (fit$target == "sample") {
    # Without what comes from sampling the truths: a change of their shares moves the estimate by this map.
    truths <- unbiased_truths(axes, phi) %||% list(shares = theta[on], rows = rows)
    map <- covariance %*% crossprod(rows, ifelse(m > 0, 1 / m, 0) * truths$rows)
    covariance <- covariance - map %*% (truths$shares * t(map))
  }
  list(cells = on, covariance = covariance / n)
}

# The unbiased estimate of all truths with their rows, where these are few: what the closed forms plug in too.
unbiased_truths <- function(axes, phi) {
  cells <- prod(axis_sizes(axes))
  inverse <- if (cells <= covariance_cells && cells * length(phi) <= 5e6) channel_inverse(axes)
  if (is.null(inverse)) return(NULL)
  list(shares = apply_channel(inverse, phi, "adjoint"), rows = .Call(C_rr_channel_rows, axes, seq_len(cells)))
}

# ---- intervals -------------------------------------------------------------------------------------------------

# The score interval of the unbiased estimate: the t with |inv - t| <= z sd(t), where N Var = t A + (1 - t) B - t^2
# (or - t for fixed truths), A and B being the mean squares of L under the cell and under all others as fitted. For a
# channel b[y] + a 1{x = y} it is Wilson's interval of the report's share, carried through.
channel_intervals <- function(mechanism, fit, g, level) {
  axes <- channel_axes(mechanism)
  inverse <- channel_inverse(axes)
  k <- length(mechanism$levels)
  if (is.null(inverse)) return(list(low = rep(NA_real_, k), high = rep(NA_real_, k)))
  counts <- group_counts(fit$tally, g)
  inv <- apply_channel(inverse, counts / sum(counts), "adjoint")
  theta <- pmax(group_estimate(fit, g), 0)
  theta <- theta / sum(theta)
  squares <- mean_squares(axes, inverse, theta)
  own <- squares$own
  others <- squares$others
  z2 <- stats::qnorm((1 + level) / 2)^2 / fit$tally$effective_n[g] +
    squared_excess(inv, nearest(inv, 0, 1), ifelse(inv < 0, others, own - 1))
  slope <- own - others - if (fit$target == "sample") 1 else 0
  square <- 1 + if (fit$target == "population") z2 else 0
  centre <- (inv + z2 * slope / 2) / square
  half <- sqrt(pmax(0, centre^2 - (inv^2 - z2 * others) / square))
  include_estimate(reach_end(list(low = centre - half, high = centre + half), inv), group_estimate(fit, g), fit$method)
}

# For each cell the mean of L[i, ]^2 over the reports of that cell, and over those of all others as `theta` mixes them,
# in equal parts where it holds nothing but that cell.
mean_squares <- function(axes, inverse, theta) {
  own <- Reduce(function(x, y) as.vector(outer(x, y)), Map(own_squares, axes, inverse))
  others <- function(theta) {
    all <- apply_channel(inverse, apply_channel(axes, theta), "square")
    pmax((all - theta * own) / pmax(1 - theta, 1e-12), 0)
  }
  mixed <- others(theta)
  # Below 1e-8 the difference has lost half of its digits.
  alone <- which(1 - theta < 1e-8)
  if (length(alone)) mixed[alone] <- others(rep(1 / length(theta), length(theta)))[alone]
  list(own = own, others = mixed)
}

# sum_j L[i, j]^2 C[i, j] for each i of one question.
own_squares <- function(axis, inverse) {
  k <- length(axis$b)
  M <- if (is.null(axis$matrix)) matrix(axis$b, k, k) + diag(axis$a, k) else axis$matrix
  colSums(inverse$matrix^2 * M)
}

# Reports of respondents whose truths are fixed, for a channel without additive form.
simulate_channel <- function(axes, truth, nsim) {
  reports <- matrix(0, prod(axis_sizes(axes, "reports")), nsim)
  for (x in which(truth > 0)) {
    row <- .Call(C_rr_channel_rows, axes, x)
    reports <- reports + draw_multinomial(nsim, truth[x], row)
  }
  reports
}
