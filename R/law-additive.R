# The additive law has the probabilities
#    P(y | x) = b[y] + a 1{x = y}   with a + sum(b) = 1.
# Its mechanisms tell the truth with some probability and otherwise draw an answer that does not
# depend on it. The maximum likelihood estimate, every covariance and every interval have closed
# forms in O(K). `odds` is a / b, formed before digits are lost, and NA if b is not one number.

checked_additive <- function(a, b, odds = a / b) {
  a <- check_number(a, "a", min = -1, max = 1)
  b <- check_probabilities(b, "b")
  # 0 / 0 arises for reports that are never given and for truths that add nothing to their report.
  if (length(b) == 1L && !is.nan(odds)) {
    check_number(odds, "odds", min = -1)
  }
  if (length(b) > 1L && abs(a + sum(b) - 1) > 1e-8) {
    abort("{.arg a} and all {.arg b} must add up to 1.")
  }
  new_law_additive(a, unname(b), odds)
}

new_law_additive <- function(a, b, odds = a / b) {
  odds <- if (length(b) == 1L) odds else NA_real_
  law <- new_rr_law(
    "additive",
    "a report is the truth, or else does not depend on it",
    a = a,
    b = b,
    odds = odds,
    gives = c(
      "inverse", "likelihood", "additive", "shares", "binomial", "channel", "question", "exact",
      "simulation", "profile"
    ),
    adds_up = TRUE,
    binomial = list(a = a, b = b, odds = odds),
    probabilities = list(`P(report = truth)      ` = a + b, `P(any one other)       ` = b)
  )
  if (!is.null(alike_law(law))) law$gives <- c(law$gives, "alike")
  law
}

# Is the difference of the truths lost in rounding? The limits are those of
# core/estimate/additive.c: without `odds` a difference below 1e-14 is made of roundings.
law_tells_nothing.rr_law_additive <- function(law) {
  if (length(law$b) > 1L) return(abs(law$a) < 1e-14)
  isTRUE(abs(law$odds) < 1e-100) || abs(law$a) < 1e-150
}

# The law as list(a, b, odds, reversed) with a > 0 and one b for all other answers; NULL if there is
# none. If there are two answers and p < q, each report is evidence for the other truth: `reversed`
# is TRUE, and the counts are to be read backwards.
alike_law <- function(law) {
  if (!law_gives(law, "additive")) return(NULL)
  b <- mean(law$b)
  # A b of 1 - p carries a rounding of 1.
  if (any(abs(law$b - b) > 4 * .Machine$double.eps)) return(NULL)
  if (law$a > 0) {
    return(list(
      a = law$a,
      b = b,
      odds = if (is.na(law$odds)) law$a / b else law$odds,
      reversed = FALSE
    ))
  }
  # If k > 2, a + k b = 1 exceeds a + 2 b: the law cannot be reversed.
  if (law$a == 0 || abs(law$a + 2 * b - 1) > 1e-9) {
    return(NULL)
  }
  other <- max(0, b + law$a)
  list(
    a = -law$a,
    b = other,
    odds = -law$a / other,
    reversed = TRUE
  )
}

law_impossible.rr_law_additive <- function(law, counts) {
  if (length(law$b) == 1L || law$a > 0) return(0)
  match(TRUE, law$b == 0 & counts > 0, nomatch = 0L)
}

# A yes/no question is fastest as its 2 by 2 matrix; a negative a is no different then.
law_axes.rr_law_additive <- function(law, k) {
  if (k == 2L) {
    return(list(list(matrix = t(law_matrix(law, k)))))
  }
  list(
    list(
      a = as.double(law$a),
      b = rep_len(as.double(law$b), k)
    )
  )
}

law_matrix.rr_law_additive <- function(law, k) {
  matrix <- matrix(rep(rep_len(law$b, k), each = k), k, k)
  diag(matrix) <- diag(matrix) + law$a
  matrix
}

law_expected.rr_law_additive <- function(law, theta) law$b * sum(theta) + law$a * theta

law_simulate.rr_law_additive <- function(law, truth, nsim) {
  k <- length(truth)
  n <- sum(truth)
  # If a < 0, the truth is not reported with a probability of its own: the core draws the counts.
  if (law$a < 0 || n > largest_size) {
    return(.Call(
      C_rr_study_counts, truth / n, truth, n, as.double(law$a), as.double(law$b),
      law$odds, draw_seed(), 0, 0, nsim
    ))
  }
  b <- rep_len(law$b, k)
  vapply(seq_len(nsim), function(i) {
    truthful <- rbinom(k, truth, law$a)
    remaining <- n - sum(truthful)
    if (remaining == 0) as.double(truthful) else truthful + as.double(rmultinom(1, remaining, b))
  }, numeric(k))
}

# ---- estimates ----

law_unbiased.rr_law_additive <- function(law, evidence) {
  .Call(C_rr_inv, evidence$counts, law$a, law$b)
}

law_rescaled.rr_law_additive <- function(law, evidence) {
  .Call(C_rr_invn, evidence$counts, law$a, law$b)
}

law_projected.rr_law_additive <- function(law, evidence) {
  .Call(C_rr_invp, evidence$counts, law$a, law$b)
}

# With its threshold in the sense of Pinzon et al. (2026), Algorithm 1, if b is equal for all and
# a > 0: `tau`, the smallest reported share of the support, and `c_tau`.
law_maximum.rr_law_additive <- function(law, evidence, options) {
  result <- .Call(C_rr_mle, evidence$counts, law$a, law$b, law$odds)
  if (length(law$b) == 1L && law$a > 0 && evidence$n > 0) {
    positive <- result$estimate > 0
    phi <- evidence$counts[positive] / evidence$n
    result$tau <- min(phi)
    result$c_tau <- (1 - sum(!positive) * law$b) / sum(phi)
  }
  result
}

law_update.rr_law_additive <- function(law, evidence, options) {
  .Call(
    C_rr_ibu, evidence$counts, law$a, law$b, options$start, options$iterations,
    options$tolerance, 2L, options$maximum
  )
}

# At a maximum with shares theta > 0 the update has the derivative
#    diag(1 - e) - theta u',   e_i = a^2 theta_i phi_i / m_i^2,   u_i = a b_i phi_i / m_i^2
# Its eigenvalues are 1 - rho, one rho between each two neighbours of the sorted e, where
#    sum_i (b_i / a) e_i / (rho - e_i) = 1
# The update multiplies a share of 0 by the factor g_i.
update_rate.rr_law_additive <- function(law, evidence, maximum) {
  b <- rep_len(law$b, evidence$k)
  phi <- evidence$counts / evidence$n
  m <- b + law$a * maximum
  ratio <- ifelse(phi > 0, phi / m, 0)
  g <- law$a * ratio + sum(b * ratio)
  positive <- maximum > 0
  e <- (law$a^2 * maximum * ratio / m)[positive]
  max(
    g[!positive], 1 - smallest_secular_root(e, e * b[positive] / law$a)
  )
}

# The root rho of sum(weights / (rho - e)) = 1 between the two smallest `e`: their value if they are
# equal, NULL if there is one `e`.
smallest_secular_root <- function(e, weights) {
  if (length(e) < 2L) return(NULL)
  smallest <- sort(e, partial = 1:2)[1:2]
  gap <- smallest[2] - smallest[1]
  if (gap <= 4 * .Machine$double.eps * smallest[2]) return(smallest[1])
  # The equation times position (1 - position), which is finite beside both of them, and falls.
  excess <- function(position) {
    difference <- sum(weights / (position * gap + (smallest[1] - e))) - 1
    sign(weights[1]) * difference * position * (1 - position)
  }
  edge <- .Machine$double.eps
  if (excess(edge) <= 0) return(smallest[1])
  smallest[1] +
    gap * stats::uniroot(excess, c(edge, 1 - edge), tol = edge)$root
}

# ---- uncertainty ----
#
# The covariances are those of Pinzon et al. (2025), equation 8 as corrected. Its denominator is the
# square of p - q, and it holds for fixed truths; sampled truths have multinomial counts.
#
# Every closed-form estimate is, near the data, a linear map of the unbiased one on its support:
#    M = alpha (I - u 1')
# The reported shares have a covariance "diagonal minus low rank". Variances therefore take O(K)
# operations, and a block of the covariance takes as many as its size.

# 1 - a, as the sum of b, which keeps its digits where a rounds to 1. Evidence of several groups
# repeats b.
other_answers <- function(law, evidence) {
  sum(law$b) * ((evidence$categories %||% evidence$k) / length(law$b))
}

# The covariance of the estimates `cells` as a list: a diagonal, and low-rank terms that are
# subtracted.
#    u          the vector u of the map
#    diagonal   the diagonal
#    total      its sum over all estimates
#    terms      list(left, right, factor) of each term factor left right'
# The sums run over all estimates, the other steps over `cells` only. Sums are multiplied by u: if
# it is 0 they may be those of `cells`. Only then each category may have an `n` of its group.
low_rank_covariance <- function(law, evidence, map, cells, target) {
  a <- law$a
  used <- if (any(map$u != 0)) seq_len(evidence$k) else cells
  b <- values_of_cells(law$b, used)
  n <- if (length(evidence$n) > 1L) evidence$n[used] else evidence$n
  phi <- evidence$counts[used] / n
  support <- map$support[used]
  cells <- match(cells, used)
  if (target == "population") {
    scale <- 1 /
      ((if (map$unbiased) pmax(n - 1, 0) else n) * a^2)
    diagonal <- phi
    terms <- list(list(phi, phi, 1))
  } else {
    # b (a + b) + phi (1 - a - 2b) is the variance; the low-rank part added back makes it the
    # diagonal.
    scale <- 1 / (n * a^2)
    diagonal <- b * a + phi * other_answers(law, evidence)
    terms <- list(
      list(b, phi, 1),
      list(phi, b, 1),
      list(b, b, -1)
    )
  }
  diagonal <- diagonal * support * scale * map$alpha^2
  u <- map$u[used[cells]]
  project <- function(v) {
    v <- v * support
    map$alpha * (v[cells] - u * sum(v))
  }
  list(
    u = u,
    diagonal = diagonal[cells],
    total = sum(diagonal),
    terms = lapply(terms, function(t) {
      list(
        project(t[[1]]),
        project(t[[2]]),
        t[[3]] * scale
      )
    })
  )
}

# math: m = c phi on the support, with c = (1 - sum of b off it) / (sum of phi on it).
law_likelihood_map.rr_law_additive <- function(law, evidence, estimate) {
  phi <- evidence$counts / evidence$n
  b <- rep_len(law$b, evidence$k)
  on <- estimate > 0
  # A truth less likely reported than others (a < 0) is switched off at the upper bound b of m.
  reported <- sum(phi[on])
  if (reported == 0) {
    return(list(support = on, alpha = 0, u = numeric(evidence$k)))
  }
  list(
    support = on,
    alpha = (1 - sum(b[!on])) / reported,
    u = ifelse(on, phi / reported, 0)
  )
}

law_variances.rr_law_additive <- function(law, evidence, map, cells, target) {
  if (!is.null(map$jacobian)) {
    return(diag(law_covariance(law, evidence, map, cells, target)))
  }
  low_rank_variances(low_rank_covariance(law, evidence, map, cells, target))
}

low_rank_variances <- function(low_rank) {
  d <- low_rank$diagonal
  variance <- d * (1 - 2 * low_rank$u) + low_rank$u^2 * low_rank$total
  size <- abs(d) + low_rank$u^2 * abs(low_rank$total)
  for (term in low_rank$terms) {
    product <- term[[3]] * term[[1]] * term[[2]]
    variance <- variance - product
    size <- size + abs(product)
  }
  # Exact zeros of the algebra come out as roundings of either sign.
  ifelse(abs(variance) < 4 * .Machine$double.eps * size, 0, variance)
}

law_covariance.rr_law_additive <- function(law, evidence, map, cells, target) {
  if (!is.null(map$jacobian)) {
    return(jacobian_covariance(law, evidence, map, cells, target))
  }
  low_rank <- low_rank_covariance(law, evidence, map, cells, target)
  d <- low_rank$diagonal
  u <- low_rank$u
  covariance <- low_rank$total * outer(u, u) - outer(u, d) -
    outer(d, u)
  diag(covariance) <- diag(covariance) + d
  for (term in low_rank$terms) {
    covariance <- covariance - term[[3]] * outer(term[[1]], term[[2]])
  }
  # The standard errors know which variances are exact zeros.
  diag(covariance)[low_rank_variances(low_rank) == 0] <- 0
  covariance
}

# Counts of each report, or of several together, are binomial.
law_intervals.rr_law_additive <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  n <- values_of_cells(evidence$n, cells)
  binomial_intervals(
    law$a, values_of_cells(law$b, cells), other_answers(law, evidence),
    evidence$counts[cells] / n, n, interval, conf.level, target
  )
}

law_share_interval.rr_law_additive <- function(
  law, evidence, cells, share, interval, conf.level, target
) {
  b <- rep_len(law$b, evidence$k)
  cells_b <- sum(b[cells])
  # A share of reports that no truth can give would shrink the interval. The nearest one that some
  # truth gives moves its bounds towards that truth, so that it covers no less: room for what Wald's
  # intervals lack inside.
  phi <- clamp(
    sum(evidence$counts[cells]) / evidence$n,
    min(cells_b, cells_b + law$a), max(cells_b, cells_b + law$a)
  )
  binomial_intervals(
    law$a, cells_b, sum(b), phi, evidence$n, interval, conf.level, target
  )
}

# The report's own weight over a, less what all truths add.
law_second_moments.rr_law_additive <- function(law, k, weights) {
  b <- rep_len(law$b, k)
  terms <- (weights - sum(b * weights)) / law$a
  sum(b * terms^2) + law$a * terms^2
}
