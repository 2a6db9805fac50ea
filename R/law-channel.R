# The channel law: any matrix of probabilities, or a Kronecker product of several. Linear inversion and what follows
# from it; maximum likelihood is in law-channel-solver.R, its uncertainty in law-channel-information.R.
#
# A left inverse L of C' (L C' = I) whose columns add up to 1 turns reported shares into an unbiased estimate that adds
# up to 1. For a square channel it is the inverse; with more reports than truths, the least-squares solution under the
# constraint of the sum; for a product of questions, the product of theirs.

#' @rdname rr_law
#' @export
rr_law_channel <- function(axes, ...) {
  check_dots_empty(...)
  if (!is.list(axes) || inherits(axes, "rr_law") || is.data.frame(axes)) axes <- list(axes)
  if (!length(axes)) abort(c("{.arg axes} must hold at least one matrix.", x = "It is an empty list."), "argument")
  new_law_channel(lapply(axes, channel_axis))
}

# One factor of the product, as law_axes() has it.
channel_axis <- function(axis) {
  if (!inherits(axis, "rr_law_additive")) return(list(matrix = unname(t(check_stochastic(axis, 1e-8, "axes")))))
  if (length(axis$b) < 2L) {
    abort(c("An additive law among {.arg axes} must have one {.arg b} per category.", x = "It has one number for all."),
          "argument")
  }
  law_axes(axis, length(axis$b))[[1]]
}

# `memory` keeps the inverse, which several questions to the law need.
new_law_channel <- function(axes) new_rr_law("channel", axes = axes, memory = new.env(parent = emptyenv()))

check_stochastic <- function(C, tolerance, arg = "C") {
  if (is.data.frame(C) || inherits(C, "Matrix")) C <- as.matrix(C)
  if (!is.matrix(C) || !is.numeric(C) || nrow(C) < 2L || ncol(C) < 2L) {
    abort(c("{.arg {arg}} must be a numeric matrix with at least two rows (truths) and two columns (reports).",
            x = if (is.matrix(C)) "It is a {typeof(C)} matrix of {nrow(C)} by {ncol(C)}." else "It is {describe(C)}."),
          "argument")
  }
  bad <- which(!is.finite(C) | C < 0 | C > 1 + tolerance)
  if (length(bad)) {
    at <- c((bad[1] - 1) %% nrow(C) + 1, (bad[1] - 1) %/% nrow(C) + 1)
    abort(c("{.arg {arg}} must hold probabilities, from 0 to 1.",
            x = "Row {at[1]}, column {at[2]} is {format(C[bad[1]], digits = 6)}.",
            i = if (isTRUE(all(abs(rowSums(C) - 100) <= 0.5))) {
              "The rows add up to 100, as percentages do: use {.code {arg} / 100}."
            }), "argument")
  }
  sums <- rowSums(C)
  off <- which(abs(sums - 1) > tolerance)
  if (length(off)) {
    transposed <- all(abs(colSums(C) - 1) <= tolerance)
    name <- if (is.null(rownames(C))) off[1] else sprintf("%d (%s)", off[1], rownames(C)[off[1]])
    abort(c("The rows of {.arg {arg}} must add up to 1: they are the truths.",
            x = "Row {name} adds up to {format(sums[off[1]], digits = 10)}.",
            i = if (transposed) "The columns do: this is the transpose. Use {.code t({arg})}."
                else "For a rounded table give {.arg tolerance}."), "argument")
  }
  zero <- which(colSums(C) == 0)
  if (length(zero)) {
    name <- if (is.null(colnames(C))) zero[1] else sprintf("%d (%s)", zero[1], colnames(C)[zero[1]])
    abort(c("Each report of {.arg {arg}} must be possible under some truth.",
            x = "Column {name} is 0 throughout.", i = "Leave that column out."), "argument")
  }
  storage.mode(C) <- "double"
  # A row that adds up to 1 but for roundings stays as it is, to the bit.
  C / ifelse(abs(sums - 1) <= ncol(C) * .Machine$double.eps, 1, sums)
}

law_words.rr_law_channel <- function(law) "a report is one of finitely many, with any probabilities"

# All truths give the same reports: nothing can be learned, of any question.
law_tells_nothing.rr_law_channel <- function(law) {
  all(vapply(law$axes, function(axis) {
    if (is.null(axis$matrix)) axis$a == 0 else all(abs(axis$matrix - axis$matrix[, 1]) <= 1e-15)
  }, NA))
}

law_gives.rr_law_channel <- function(law, need, k) {
  switch(need, inverse = !is.null(inverse_axes(law)), likelihood = , channel = , simulation = TRUE,
         question = length(law$axes) == 1L, FALSE)
}

law_impossible.rr_law_channel <- function(law, counts) .Call(C_rr_impossible, law$axes, counts)

# ---- the channel as an operator ----

law_axes.rr_law_channel <- function(law, k) law$axes

law_matrix.rr_law_channel <- function(law, k) {
  dense <- lapply(law$axes, function(axis) {
    if (!is.null(axis$matrix)) return(t(axis$matrix))
    law_matrix(new_law_additive(axis$a, axis$b), length(axis$b))
  })
  Reduce(function(x, y) kronecker(y, x), dense)
}

law_reported.rr_law_channel <- function(law, theta) apply_channel(law$axes, theta)

law_simulate.rr_law_channel <- function(law, truth, nsim) {
  reports <- matrix(0, prod(axis_sizes(law$axes, "reports")), nsim)
  for (x in which(truth > 0)) {
    row <- .Call(C_rr_channel_rows, law$axes, x)
    reports <- reports + draw_multinomial(nsim, truth[x], row)
  }
  reports
}

apply_channel <- function(axes, x, kind = c("forward", "adjoint", "square")) {
  .Call(C_rr_apply, axes, as.double(x), match(kind[1], c("forward", "adjoint", "square")) - 1L)
}

axis_sizes <- function(axes, side = c("truths", "reports")) {
  vapply(axes, function(axis) {
    if (!is.null(axis$truths)) return(support_axis_size(axis, side[1]))
    if (is.null(axis$matrix)) length(axis$b) else if (side[1] == "truths") ncol(axis$matrix) else nrow(axis$matrix)
  }, 1L)
}

# Axes of two values, list(truths, low, high) with the bits of the reports' sets, or with Hadamard's `blocks` and
# `size`: see src/core/estimate/support_axis.h.
support_axis_size <- function(axis, side) {
  if (side == "truths") return(as.integer(axis$truths))
  as.integer(if (is.null(axis$bits)) axis$blocks * axis$size else nrow(axis$bits))
}

# list(matrix = L'), or NULL if the channel's rows are dependent.
left_inverse <- function(axis) {
  if (!is.null(axis$truths)) return(NULL)
  if (is.null(axis$matrix)) {
    k <- length(axis$b)
    if (axis$a == 0 || k > 5000) return(NULL)
    # L = (I - b 1') / a, since a + sum(b) = 1: its transpose has b along the rows.
    return(list(matrix = (diag(k) - rep(axis$b, each = k)) / axis$a))
  }
  if (!is.null(axis$inverse)) return(list(matrix = axis$inverse))
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

inverse_axes <- function(law) {
  if (is.null(law$memory$inverse)) law$memory$inverse <- list(channel_inverse(law$axes))
  law$memory$inverse[[1]]
}

# ---- the unbiased estimate ----

law_unbiased.rr_law_channel <- function(law, evidence) {
  apply_channel(require_inverse(law), evidence$counts / evidence$n, "adjoint")
}

require_inverse <- function(law) {
  inverse <- inverse_axes(law)
  if (is.null(inverse)) refuse_law(law, "inverse")
  inverse
}

# Of a category that is absent, beside the others as the projection of the estimate has them.
law_blank_error.rr_law_channel <- function(law, evidence) {
  likely <- .Call(C_rr_project, law_unbiased(law, evidence), 1)
  sqrt(mean_squares(law$axes, require_inverse(law), likely)$others / evidence$n)
}

# ---- covariances ----

law_variances.rr_law_channel <- function(law, evidence, map, which, target) {
  if (map$unbiased && is.null(map$jacobian) && all(map$support) && all(map$u == 0)) {
    inverse <- inverse_axes(law)
    phi <- evidence$counts / evidence$n
    estimate <- apply_channel(inverse, phi, "adjoint")
    second <- apply_channel(inverse, phi, "square")
    variance <- if (target == "population") (second - estimate^2) / max(evidence$n - 1, 0)
      else (second - estimate) / evidence$n
    return(variance[which])
  }
  diag(law_covariance(law, evidence, map, which, target))
}

law_covariance.rr_law_channel <- function(law, evidence, map, which, target) {
  if (!is.null(map$jacobian)) return(jacobian_covariance(law, evidence, map, which, target))
  if (!is.null(map$information)) block <- information_block(law, evidence, map$information, target)
  else if (all(map$support) && all(map$u == 0) && map$alpha == 1) {
    return(inverse_covariance(law, evidence, map, which, target))
  } else block <- mapped_block(law, evidence, map, target)
  if (is.null(block)) return(matrix(NA_real_, length(which), length(which)))
  place <- match(which, block$cells)
  covariance <- matrix(0, length(which), length(which))
  inside <- !is.na(place)
  covariance[inside, inside] <- block$covariance[place[inside], place[inside]]
  covariance
}

# The estimates that can move, and their covariance.
mapped_block <- function(law, evidence, map, target) {
  on <- which(map$support)
  if (length(on) > covariance_cells) return(NULL)
  u <- map$u[on]
  covariance <- inverse_covariance(law, evidence, map, on, target)
  centred <- covariance - outer(u, colSums(covariance))
  list(cells = on, covariance = map$alpha^2 * (centred - outer(rowSums(centred), u)))
}

# L (diag(phi) - phi phi') L' / n for sampled truths; for fixed ones L diag(phi) L' - diag(theta), since each truth's
# reports are multinomial and L takes their means to unit vectors.
inverse_covariance <- function(law, evidence, map, which, target) {
  inverse <- inverse_axes(law)
  n <- evidence$n
  phi <- evidence$counts / n
  rows <- .Call(C_rr_channel_rows, inverse, as.integer(which))
  theta <- colSums(rows * phi)
  second <- crossprod(rows * sqrt(phi))
  # The divisor that makes it unbiased belongs to the unbiased estimate.
  if (target == "population") return((second - outer(theta, theta)) / (if (map$unbiased) max(n - 1, 0) else n))
  (second - diag(theta, length(theta))) / n
}

# Of one question.
law_second_moments.rr_law_channel <- function(law, k, weights) {
  inverse <- if (length(law$axes) == 1L) inverse_axes(law)
  if (is.null(inverse)) return(NULL)
  terms <- apply_channel(inverse, weights)
  apply_channel(law$axes, terms^2, "adjoint")
}

# ---- intervals ----

# The score interval of the unbiased estimate: the t with |inv - t| <= z sd(t), where N Var = t A + (1 - t) B - t^2
# (or - t for fixed truths), A and B being the mean squares of L under the cell and under all others as fitted. For a
# channel b[y] + a 1{x = y} it is Wilson's interval of the report's share, carried through.
law_intervals.rr_law_channel <- function(law, evidence, estimate, interval, level, which, target) {
  inverse <- inverse_axes(law)
  if (is.null(inverse)) return(list(low = rep(NA_real_, length(which)), high = rep(NA_real_, length(which))))
  inv <- apply_channel(inverse, evidence$counts / evidence$n, "adjoint")
  theta <- pmax(estimate, 0)
  theta <- theta / sum(theta)
  squares <- mean_squares(law$axes, inverse, theta)
  moment_intervals(inv[which], squares$own[which], squares$others[which], evidence$n, level, target)
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
