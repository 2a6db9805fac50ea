# Linear functions of a maximum likelihood estimate where the maximum is not unique. The reports can identify a sum of
# shares although they cannot tell the shares themselves apart.

# `C` has a row per truth and a column per report, `phi` the reported shares, `weights` a row per function. All maxima
# lie on the cells whose score is 1 (inst/mathematics/estimation.md 2.2), so these cells are free and all others are 0.
# A function is identified if
# its weights lie in the row space of the information on the free cells; then every generalised inverse gives the same
# variance. At a maximum I theta = 1, so the constraint of the sum subtracts the outer product of the values.
identified_functions <- function(C, phi, theta, n, weights) {
  seen <- phi > 0
  m <- drop(crossprod(C[, seen, drop = FALSE], theta))
  score <- drop(C[, seen, drop = FALSE] %*% (phi[seen] / m))
  free <- which(score > 1 - 1e-6)
  root <- C[free, seen, drop = FALSE] * rep(sqrt(phi[seen]) / m, each = length(free))
  parts <- svd(root)
  kept <- parts$d > 1e-9 * parts$d[1]
  basis <- parts$u[, kept, drop = FALSE]
  w <- weights[, free, drop = FALSE]
  inside <- w %*% basis
  lost <- sqrt(pmax(rowSums(w^2) - rowSums(inside^2), 0))
  identified <- lost <= 1e-6 * sqrt(rowSums(w^2))
  value <- drop(weights %*% theta)
  solved <- inside / rep(parts$d[kept], each = nrow(inside))
  covariance <- (tcrossprod(solved) - outer(value, value)) / n
  covariance[!identified, ] <- NA_real_
  covariance[, !identified] <- NA_real_
  list(value = value, covariance = covariance, identified = identified, free = free)
}
