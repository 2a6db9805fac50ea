# Least squares among shares that are not negative: for Bloom filters, where the categories may be more than the filters
# tell apart. Which are 0 is selected by the data: standard errors come
# from the bootstrap.
method_nnls <- function() {
  rr_new_method("nnls", "Least squares without negative shares", estimate = estimate_nnls, needs = "bits",
                group = "post-processing", place = 12.5)
}

estimate_nnls <- function(evidence, options) {
  check_installed("quadprog", "for {.code method = \"nnls\"}")
  fit <- bloom_fit(evidence$law, evidence, positive_squares)
  list(estimate = fit$estimate, active = sum(fit$estimate > 0))
}

# Goldfarb and Idnani's method; a trifle on the diagonal makes the matrix definite where filters are alike.
positive_squares <- function(regression, weights) {
  normal <- weighted_squares(regression, weights)
  scale <- mean(diag(normal))
  k <- ncol(normal)
  solution <- quadprog::solve.QP(normal / scale + diag(1e-9, k), weighted_shares(regression, weights) / scale, diag(k),
                                 numeric(k))$solution
  ifelse(solution < 1e-9, 0, solution)
}
