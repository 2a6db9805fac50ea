# Profile-likelihood intervals of single cells: all shares t for which twice the log-likelihood,
# maximized over the other cells, is within a quantile of chi-squared of its maximum. A ratio of
# shares is held as easily: distributions whose cells `above` are the share t of the cells `total`
# are mixtures of the truths outside of `total` and of pairs, t C[i, ] + (1 - t) C[k, ] with i in
# `above` and k not. So every point of the profile comes with its certificate.

# The maximum of group g, from which the likelihood falls, and what it is a maximum of.
profile_top <- function(fit, g) {
  axes <- channel_axes(fit$mechanism)
  evidence <- group_evidence(fit$tally, g)
  best <- maximize(axes, evidence$counts, n = evidence$n)$estimate
  list(
    rows = rr_matrix(fit$mechanism),
    counts = evidence$counts,
    n = evidence$n,
    best = best,
    loglik = sum_log(evidence$counts, apply_channel(axes, best))
  )
}

# Each cell may have a level of its own: intervals by rank do.
profile_intervals <- function(fit, g, level, which) {
  top <- profile_top(fit, g)
  bounds <- mapply(
    function(i, level) {
      profile_ratio(
        ratio_deviance(top$rows, top$counts, top$n, i, top$loglik),
        top$best[i], level
      )
    },
    which, level
  )
  list(low = bounds["low", ], high = bounds["high", ])
}

# Twice the fall of the log-likelihood from `top` when the cells `above` have the share t of
# `total`, as a function of t.
ratio_deviance <- function(
  rows, counts, n, above, top, total = seq_len(nrow(rows))
) {
  pairs <- expand.grid(inside = above, outside = setdiff(total, above))
  function(t) {
    mixed <- t * rows[pairs$inside, ] +
      (1 - t) * rows[pairs$outside, ]
    axes <- list(
      list(
        matrix = unname(t(rbind(rows[-total, ], mixed)))
      )
    )
    fit <- maximize(axes, counts, n = n)
    if (!is.null(fit$impossible)) return(Inf)
    2 * (top - sum_log(counts, apply_channel(axes, fit$estimate)))
  }
}

profile_ratio <- function(deviance, estimate, level) {
  quantile <- qchisq(level, 1)
  excess <- function(t) min(deviance(t), 1e6 + quantile) - quantile
  side <- function(end) {
    if (estimate == end || excess(end) <= 0) return(end)
    uniroot(excess, sort(c(estimate, end)), tol = 1e-9,
            f.lower = if (end < estimate) excess(end) else -quantile,
            f.upper = if (end < estimate) -quantile else excess(end))$root
  }
  c(low = side(0), high = side(1))
}

# The same for the share of several cells together. Adding w imagined respondents who are known to
# be inside (or outside) moves the maximum along the profile, since w log(share) is the same for all
# distributions with that share. They are two more reports of a channel whose rows still add up to
# 1; each point is certified as before.
profile_share <- function(rows, counts, inside, best, level, n) {
  quantile <- qchisq(level, 1)
  top <- sum_log(counts, as.vector(best %*% rows))
  wide <- unname(t(cbind(rows / 2, inside / 2, !inside / 2)))
  deviance <- function(theta, rows) {
    2 * (top - sum_log(counts, as.vector(theta %*% rows)))
  }
  side <- function(end) {
    target <- if (end == 1) inside else !inside
    share <- sum(best[target])
    if (share >= 1 || all(target)) return(end)
    alone <- maximize(
      list(list(matrix = unname(t(rows[target, , drop = FALSE])))),
      counts, n = n
    )
    if (is.null(alone$impossible) &&
        deviance(alone$estimate, rows[target, , drop = FALSE]) <= quantile) {
      return(end)
    }
    pushed <- function(log_w) {
      imagined <- if (end == 1) {
        c(exp(log_w), 0)
      } else {
        c(0, exp(log_w))
      }
      maximize(
        list(list(matrix = wide)), c(counts, imagined),
        n = n + exp(log_w)
      )$estimate
    }
    excess <- function(log_w) deviance(pushed(log_w), rows) - quantile
    range <- log(n) + c(-20, 20)
    if (excess(range[2]) <= 0) return(end)
    theta <- pushed(uniroot(excess, range, f.lower = -quantile, tol = 1e-6)$root)
    share <- max(sum(theta[target]), share)
    if (end == 1) share else 1 - share
  }
  c(low = side(0), high = side(1))
}

# The interval of a share that was seen without noise.
profile_binomial <- function(share, n, level) {
  seen <- c(share, 1 - share)
  profile_ratio(
    function(t) {
      2 * n *
        (sum_log(seen, seen) - sum_log(seen, c(t, 1 - t)))
    },
    share, level
  )
}
