# Methods for Bloom filters, where the categories may be more than the filters tell apart.

# Least squares among shares that are not negative. Which are 0 is selected by the data: standard errors come from the
# bootstrap.
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

# Non-negative lasso for Bloom filters with more candidates than the filters tell apart: most candidates are held by
# nobody. The noise of each debiased share is known, and so is that of a candidate's gradient where nobody holds it: its
# penalty is the normal quantile of this, for all candidates together. Those that are chosen, and clearly there by least
# squares among them, are estimated by least squares without the penalty. Which ones are chosen depends on the data:
# there is no unconditional standard error.
estimate_lasso <- function(evidence, options) {
  check_installed("glmnet", "for {.code method = \"lasso\"}")
  check_installed("quadprog", "for {.code method = \"lasso\"}")
  law <- evidence$law
  alpha <- check_alpha(options$alpha %||% 0.05)
  numbers <- as.double(law$bits) * law$cohorts * law$truths
  if (numbers > rows_numbers) {
    abort(c("The filters of so many categories and bits do not fit in memory.",
            x = "They take {format_bytes(8 * numbers)}."), "too_large")
  }
  chosen <- seq_len(law$truths)
  fit <- bloom_fit(law, evidence, function(regression, weights) {
    z <- stats::qnorm(alpha / law$truths, lower.tail = FALSE)
    penalty <- z * sqrt(colSums(weights * regression$filters))
    chosen <<- which(lasso_squares(regression$filters, regression$shares, weights, penalty) > 0)
    chosen <<- chosen[clearly_there(some_candidates(regression, chosen), weights, z)]
    estimate <- numeric(law$truths)
    if (length(chosen)) estimate[chosen] <- positive_squares(some_candidates(regression, chosen), weights)
    estimate
  })
  list(estimate = fit$estimate, active = length(chosen), candidates = law$truths, alpha = alpha)
}

# What the lasso takes off the shares that are there is left over for others, so that it selects too many. Those whose
# own least squares estimate is not above z standard errors are left out again. TRUE and FALSE for each.
clearly_there <- function(regression, weights, z) {
  k <- ncol(regression$filters)
  if (!k) return(logical())
  inverse <- tryCatch(normal_inverse(regression, weights), candor_error_no_information = function(e) NULL)
  if (is.null(inverse)) return(rep(TRUE, k))
  drop(inverse %*% weighted_shares(regression, weights)) > z * sqrt(diag(inverse))
}

# The minimum over theta >= 0 of sum w (y - X theta)^2 / 2 + sum penalty theta. glmnet divides the weights by their sum
# and the penalties by their mean.
lasso_squares <- function(filters, shares, weights, penalty) {
  if (ncol(filters) == 1L) {
    return(max(0, (sum(weights * filters * shares) - penalty) / sum(weights * filters^2)))
  }
  lambda <- mean(penalty) / sum(weights)
  fit <- glmnet::glmnet(filters, shares, weights = weights, lambda = lambda * c(100, 30, 10, 3, 1), lower.limits = 0,
                        intercept = FALSE, standardize = FALSE, penalty.factor = penalty, thresh = 1e-14, maxit = 1e6)
  unname(as.matrix(fit$beta)[, length(fit$lambda)])
}

lasso_notes <- function(details) {
  chosen <- vapply(details, `[[`, 0, "active")
  paste0("Selected: ", paste(format_count(chosen), collapse = ", "), " of ", format_count(details[[1]]$candidates),
         " candidates, alpha = ", format(details[[1]]$alpha), ". Estimates are conditional on this selection, which",
         " was made with the same data: there are no unconditional standard errors")
}
