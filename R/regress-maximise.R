# Newton's method with step control, for the regressions that are not a glm. None of these likelihoods is concave, and
# each may rise forever in some direction. src/core/regress/ascent.c climbs the likelihood of rr_glm() in the same
# way. Both stay: these likelihoods are written in R, which the core must not call, and that one is fitted so often
# (starts, profiles) on so many rows that a step in R would be most of its time.

# `evaluate(b)` gives list(loglik, score, observed, fallback): minus the Hessian, and a function that makes a positive
# definite matrix whose step goes uphill (that of EM, or Fisher's). `reach(step)` is the largest change of a linear
# predictor. A search that comes near `home`, a maximum that is known, on curved ground has found it again and stops.
newton_maximum <- function(evaluate, start, reach, tolerance = 1e-10, limit = 200, home = NULL) {
  b <- start
  now <- evaluate(b)
  decrement <- Inf
  for (iteration in seq_len(limit)) {
    step <- newton_step(now)
    decrement <- sum(now$score * step$direction) / 2
    far <- reach(step$direction)
    if (!is.null(home) && step$curved && far < 1 && reach(b + step$direction - home) < 0.1) {
      return(list(b = b, at = now, decrement = decrement, iterations = iteration, converged = TRUE, home = TRUE))
    }
    if (step$curved && decrement <= tolerance) {
      # Beyond the tolerance a plain step gains digits, where it does not move far.
      last <- if (far <= 0.1) evaluate(b + step$direction)
      if (!is.null(last) && last$loglik >= now$loglik - 1e-9 * (1 + abs(now$loglik)) && all(is.finite(last$observed))) {
        b <- b + step$direction
        now <- last
      }
      return(list(b = b, at = now, decrement = decrement, iterations = iteration, converged = TRUE))
    }
    share <- min(1, 3 / max(far, 1e-300))
    repeat {
      next_b <- b + share * step$direction
      then <- evaluate(next_b)
      if (is.finite(then$loglik) && then$loglik >= now$loglik + 1e-4 * share * decrement) break
      share <- share / 2
      if (share < 1e-10) break
    }
    if (share < 1e-10) {
      # Doubles tell no further: a maximum if the decrement is made of roundings.
      return(list(b = b, at = now, decrement = decrement, iterations = iteration,
                  converged = step$curved && decrement <= 1e-9 * (1 + abs(now$loglik))))
    }
    b <- next_b
    now <- then
  }
  list(b = b, at = now, decrement = decrement, iterations = limit, converged = FALSE)
}

newton_step <- function(now) {
  direction <- solve_positive(now$observed, now$score)
  if (!is.null(direction)) return(list(direction = direction, curved = TRUE))
  direction <- solve_positive(now$fallback(), now$score)
  # Neither is definite: uphill along the score, each coordinate on the scale of its own curvature.
  if (is.null(direction)) direction <- now$score / pmax(abs(diag(now$observed)), 1e-8 * max(abs(now$observed), 1))
  list(direction = direction, curved = FALSE)
}

# A^-1 b for a positive definite A of tolerable condition, else NULL. Scaled to a unit diagonal first: columns of
# incomes and of shares are no reason to fail.
solve_positive <- function(matrix, b) {
  if (!length(b)) return(numeric())
  scale <- diag(matrix)
  if (!all(is.finite(matrix)) || any(scale <= 0)) return(NULL)
  scale <- 1 / sqrt(scale)
  root <- tryCatch(chol(matrix * outer(scale, scale)), error = function(e) NULL)
  if (is.null(root) || min(diag(root)) < 1e-6) return(NULL)
  drop(scale * backsolve(root, forwardsolve(t(root), scale * b)))
}

invert_positive <- function(matrix) {
  scale <- 1 / sqrt(diag(matrix))
  inverse <- chol2inv(chol(matrix * outer(scale, scale))) * outer(scale, scale)
  (inverse + t(inverse)) / 2
}

# The best of several starts. The first start is the user's or that of the moments; the others are spread around it by a
# generator of our own, since R's belongs to the user. A start that comes near the best point so far is not followed to
# the end.
best_maximum <- function(evaluate, start, reach, size, starts) {
  best <- newton_maximum(evaluate, start, reach)
  best$directions <- flat_directions(best, evaluate, reach, size)
  logliks <- best$at$loglik
  rival <- NULL
  spread <- fixed_normals((starts - 1) * length(start))
  for (s in seq_len(starts - 1)) {
    from <- start + spread[(s - 1) * length(start) + seq_along(start)] / pmax(size, 1e-300)
    found <- newton_maximum(evaluate, from, reach, tolerance = 1e-3, limit = 50, home = best$b)
    logliks <- c(logliks, if (is.null(found$home)) found$at$loglik else best$at$loglik)
    if (!is.null(found$home)) next
    if (!found$converged || found$at$loglik < best$at$loglik - 2) next
    if (found$at$loglik < best$at$loglik + 0.01 && reach(found$b - best$b) < 0.1) next
    found <- newton_maximum(evaluate, found$b, reach)
    logliks[s + 1] <- found$at$loglik
    if (!found$converged || reach(found$b - best$b) < 1e-3) next
    found$directions <- flat_directions(found, evaluate, reach, size)
    # Estimates at infinity are reported only if no finite one was found.
    if (ncol(found$directions) && !ncol(best$directions)) next
    if (!ncol(found$directions) && ncol(best$directions) || found$at$loglik > best$at$loglik + 1e-8) {
      if (!ncol(best$directions)) rival <- c(rival, best$at$loglik)
      best <- found
    } else if (!ncol(found$directions) && found$at$loglik < best$at$loglik - 1e-6) {
      rival <- c(rival, found$at$loglik)
    }
  }
  best$starts <- logliks
  best$rival <- if (length(rival)) max(rival)
  best
}

# Directions in which the likelihood no longer falls: the estimate is at infinity there. One unit vector a column, in
# the coordinates of b times `size` (the norms of the columns), oriented away from the origin.
flat_directions <- function(found, evaluate, reach, size) {
  none <- matrix(0, length(found$b), 0)
  if (!length(found$b) || !all(is.finite(found$at$observed))) return(none)
  size <- pmax(size, 1e-300)
  spectrum <- eigen(found$at$observed / outer(size, size), symmetric = TRUE)
  small <- which(spectrum$values < 1e-5)
  if (!length(small)) return(none)
  directions <- spectrum$vectors[, small, drop = FALSE]
  keep <- logical(length(small))
  for (k in seq_along(small)) {
    delta <- directions[, k] * if (sum(directions[, k] * found$b * size) < 0) -1 else 1
    directions[, k] <- delta
    along <- delta / size
    far <- reach(found$b)
    if (far < 8) next
    beyond <- evaluate(found$b + 5 * along / max(reach(along), 1e-300))$loglik
    keep[k] <- is.finite(beyond) && beyond >= found$at$loglik - 1e-6
  }
  directions[, keep, drop = FALSE]
}

# Coefficients and covariance of what is finite, given the directions at infinity: the limiting conditional model. A
# coefficient that takes part in one is infinite, or not determined where the directions disagree.
limit_estimates <- function(b, observed, directions, size) {
  p <- length(b)
  if (!ncol(directions)) {
    covariance <- invert_positive(observed)
    return(list(b = b, vcov = covariance, limit = covariance, infinite = logical(p)))
  }
  parts <- directions / size
  parts <- sweep(parts, 2, apply(abs(parts * size), 2, max), `/`)
  involved <- abs(parts * size) > 1e-3
  infinite <- rowSums(involved) > 0
  signs <- rowSums(sign(parts) * involved)
  b[infinite] <- ifelse(abs(signs) == rowSums(involved), sign(signs) * Inf, NA)[infinite]
  covariance <- matrix(NA_real_, p, p)
  # For functions that no longer move in those directions, as fitted shares do not.
  limit <- matrix(0, p, p)
  basis <- qr.Q(qr(directions), complete = TRUE)[, -seq_len(ncol(directions)), drop = FALSE]
  if (ncol(basis)) {
    inner <- crossprod(basis, (observed / outer(size, size)) %*% basis)
    limit <- (basis %*% solve(inner, t(basis))) / outer(size, size)
    covariance[!infinite, !infinite] <- limit[!infinite, !infinite]
  }
  list(b = b, vcov = covariance, limit = limit, infinite = infinite)
}

# Standard normal numbers that are the same every time: a multiplicative congruential generator (Lewis, Goodman and
# Miller 1969), so that R's own generator is neither read nor moved.
fixed_normals <- function(n) {
  x <- 20170801
  u <- numeric(n)
  for (i in seq_len(n)) {
    x <- (16807 * x) %% 2147483647
    u[i] <- x / 2147483647
  }
  stats::qnorm(u)
}

warn_maxima <- function(best) {
  if (is.null(best$rival) || best$rival < best$at$loglik - 2) return(invisible())
  warn(c("The likelihood has another maximum that is nearly as high.",
         x = paste("The log-likelihoods are {format(best$at$loglik, digits = 8)} (this fit) and",
                   "{format(best$rival, digits = 8)}."),
         i = "The data do not tell the two apart: a simpler model, or more respondents, would."), "maxima")
}

# `unlikely`: no truth makes these reports likely, so that a simpler model is no cure.
warn_infinite <- function(names, what, unlikely = FALSE) {
  warn(c(paste0(if (unlikely) "The reports are unlikely under this design. ",
                "The likelihood has its largest value at infinity."),
         x = "Not finite: {.val {utils::head(names, 5)}}{if (length(names) > 5) ', ...'}. {what}",
         i = if (unlikely) doubt_cure else "Their standard errors are NA. Simplify the model, or merge categories."),
       c("infinite", if (unlikely) "unlikely"))
}

check_maximum <- function(best) {
  if (best$converged) return(invisible())
  warn(c("The maximum of the likelihood was not reached.",
         x = paste("After {best$iterations} steps the next one promises {format(best$decrement, digits = 3)}",
                   "units of log-likelihood."),
         i = "Rescale covariates of very different size, or simplify the model."), "not_converged")
}
