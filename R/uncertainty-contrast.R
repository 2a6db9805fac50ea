# Linear functions of estimates and their quotients have values, errors, intervals and a joint
# covariance.

# list(value, table, covariance, edge, z, reports, p) for rows of `weights`; `edge` is TRUE if a
# function depends on estimates at 0 or 1, `reports` how many reports intervals while looking count,
# and `p` gives the p-value of a standardized value.
contrast_values <- function(fit, weights, estimate, level) {
  is_fit <- inherits(fit, "rr_fit")
  # Estimates that are not known, as conditional shares in an empty slice, matter only where they
  # are weighed.
  value <- unname(drop(weights %*% ifelse(is.na(estimate), 0, estimate)))
  value[rowSums(weights[, is.na(estimate), drop = FALSE] != 0) > 0] <- NA_real_
  variances <- if (is_fit) group_variances(fit, weights) else matrix_variances(fit, weights)
  error <- sqrt_or_na(rowSums(variances$variance))
  df <- if (is_fit) Inf else fit$df %||% Inf
  looking <- is_fit && fit$interval == "anytime"
  reports <- if (looking) anytime_reports(fit, weights)
  z <- if (looking) anytime_quantile(level, reports, fit$plan) else t_quantile(level, df)
  bounds <- symmetric_limits(value, z * error)
  has_share_bounds <- is_fit && !looking && fit$interval != "none"
  for (row in if (has_share_bounds) {
      which((is.na(error) | variances$edge) & !variances$unidentified)
    }) {
    limits <- share_bounds(fit, weights[row, ], value[row], level)
    if (is.null(limits)) next
    bounds$low[row] <- limits$low
    bounds$high[row] <- limits$high
  }
  # A function that is the same whatever the data is not tested.
  ratio <- replace(value / error, which(error == 0), NA_real_)
  p <- function(ratio, reports) {
    if (looking) {
      anytime_p_value(ratio, level, reports, fit$plan)
    } else {
      2 * pt(-abs(ratio), df)
    }
  }
  table <- tibble(
    estimate = value,
    std.error = error,
    statistic = ratio,
    p.value = p(ratio, reports),
    conf.low = bounds$low,
    conf.high = bounds$high
  )
  list(
    value = value,
    table = table,
    covariance = variances$covariance,
    edge = variances$edge,
    z = z,
    reports = reports,
    p = p
  )
}

# Half of an interval in standard errors; without degrees of freedom the normal distribution's.
t_quantile <- function(level, df) {
  qt((1 - level) / 2, df %||% Inf, lower.tail = FALSE)
}

# The variances of functions of margins, and of fits that have the covariance of all their
# estimates. Estimates that are held at 0 or 1 (`is_held`) have none, nor have functions of them
# whose variance would be 0, unless they are certain.
matrix_variances <- function(fit, weights) {
  covariance <- unname(linear_covariance(fit$covariance, weights))
  variances <- diag(fit$covariance)
  has_variance <- !is.na(variances)
  size <- weights[, has_variance, drop = FALSE]^2 %*% variances[has_variance]
  v <- without_roundings(diag(covariance), size)
  sums <- sums_of(fit, ncol(weights))
  is_certain <- rowSums(weights != weights[, match(sums, sums)]) == 0 & v %in% 0
  is_held <- rowSums(weights[, fit$is_held, drop = FALSE] != 0) > 0
  edge <- (isTRUE(fit$boundary > 0) | is_held) & !is_certain
  v[edge & v %in% 0] <- NA
  list(variance = cbind(v), edge = edge, covariance = with_variances(covariance, v))
}

# Estimates with the same value add up to 1: the categories of a group, or the answers under one
# condition.
sums_of <- function(fit, n_estimates) {
  n_total <- length(fit$mechanism$levels)
  if (inherits(fit, "rr_margin")) {
    n_total <- prod(
      dim(fit$estimate)[!names(dimnames(fit$estimate)) %in% fit$given]
    )
  }
  fit$sums %||% ((seq_len(n_estimates) - 1) %/% n_total)
}

# The covariance of linear functions, the rows of `map`; those that need what has no variance have
# none.
linear_covariance <- function(covariance, map) {
  unknown <- is.na(diag(covariance))
  covariance[unknown, ] <- covariance[, unknown] <- 0
  covariance <- map %*% tcrossprod(covariance, map)
  lost <- rowSums(map[, unknown, drop = FALSE] != 0) > 0
  covariance[lost, ] <- covariance[, lost] <- NA_real_
  covariance
}

# Quotients of functions, by the delta method, their intervals and tests on the logarithmic scale.
# Rows that are only divisors are left out.
contrast_ratios <- function(read, result) {
  if (is.null(result$covariance)) {
    abort("Ratios can be had of at most {contrast_limit} functions at a time.")
  }
  value <- result$value
  functions <- which(read$is_shown)
  below <- read$divisor[functions]
  index <- which(below > 0)
  ratio <- value[functions[index]] / value[below[index]]
  bottom <- ifelse(
    value[functions[index]] > 0 & value[below[index]] > 0,
    value[below[index]], NA_real_
  )
  jacobian <- diag(length(value))[functions, , drop = FALSE]
  jacobian[cbind(index, functions[index])] <- 1 / bottom
  jacobian[cbind(index, below[index])] <- -ratio / bottom
  lost <- rowSums(is.na(jacobian)) > 0
  jacobian[is.na(jacobian)] <- 0
  covariance <- linear_covariance(result$covariance, jacobian)
  covariance[lost, ] <- covariance[, lost] <- NA_real_
  table <- result$table[functions, ]
  error <- sqrt(pmax(0, diag(covariance)[index]))
  relative <- error / ratio
  test <- log(ifelse(relative > 0, ratio, NA_real_)) / relative
  z <- rep_len(result$z, length(value))
  z <- pmax(z[functions[index]], z[below[index]])
  reports <- pmax(result$reports[functions[index]], result$reports[below[index]])
  table[index, ] <- list(
    ifelse(is.finite(ratio), ratio, NA_real_),
    error,
    test,
    result$p(test, reports),
    ratio * exp(-z * relative),
    ratio * exp(z * relative)
  )
  list(
    table = table,
    covariance = covariance,
    edge = result$edge[functions] | c(FALSE, result$edge)[below + 1]
  )
}

# Variances of each function's part in each group, NA where the covariance knows none; and which
# functions depend on a group with estimates at the boundary, where that covariance takes them for
# known (`edge`).
group_variances <- function(fit, weights) {
  k <- length(fit$mechanism$levels)
  groups <- ncol(weights) / k
  variance <- matrix(0, nrow(weights), groups)
  edge <- unidentified <- logical(nrow(weights))
  covariance <- if (nrow(weights) <= contrast_limit) {
    matrix(0, nrow(weights), nrow(weights))
  }
  for (g in seq_len(groups)) {
    columns <- (g - 1) * k + seq_len(k)
    # Functions of other groups do not depend on this one, whose errors may be unknown.
    rows <- which(rowSums(weights[, columns, drop = FALSE] != 0) > 0)
    if (!length(rows)) next
    contrasts <- weights[rows, columns, drop = FALSE]
    variances <- contrast_variances(fit, g, contrasts)
    v <- variances$variance
    if (!is.null(variances$identified)) {
      unidentified[rows] <- unidentified[rows] | !variances$identified
    }
    v[v < 0] <- NA_real_
    if (!is.null(covariance)) {
      covariance[rows, rows] <- covariance[rows, rows] + variances$covariance
    }
    free <- rowSums(contrasts != contrasts[, 1]) > 0 |
      (!adds_up(group_estimate(fit, g)) & contrasts[, 1] != 0)
    unseen <- free & v %in% 0 & !shows_truths(fit)
    v[unseen] <- NA_real_
    is_at_boundary <- held_at_boundary(fit, g) && !identical(variances$edge, FALSE)
    edge[rows] <- edge[rows] | unseen | (is_at_boundary & free)
    variance[rows, g] <- v
  }
  for (between in shared_variances(fit, weights)) {
    variance <- cbind(variance, diag(between))
    if (!is.null(covariance)) covariance <- covariance + between
  }
  if (!is.null(covariance)) covariance <- with_variances(covariance, rowSums(variance))
  list(variance = variance, edge = edge, covariance = covariance, unidentified = unidentified)
}

# Covariances of functions by what groups share: a validation study, and estimates that depend on
# each other.
shared_variances <- function(fit, weights) {
  k <- length(fit$mechanism$levels)
  moved <- function(g) {
    contrasts <- weights[, (g - 1) * k + seq_len(k)]
    effects <- if (any(contrasts != 0)) fit_effects(fit, g)
    if (!is.null(effects)) contrasts %*% effects
  }
  each <- if (ncol(weights) > k) {
    Filter(length, lapply(seq_len(ncol(weights) / k), moved))
  }
  study <- if (length(each)) {
    tcrossprod(Reduce(`+`, each)) - Reduce(`+`, lapply(each, tcrossprod))
  }
  between <- fit_between(fit)
  Filter(
    length, list(study, if (!is.null(between)) weights %*% tcrossprod(between, weights))
  )
}

# Variances of sums whose terms have variances that add up to `size`. Exact zeros, as of the sum of
# all shares, come out as roundings.
without_roundings <- function(variance, size) {
  replace(variance, which(abs(variance) <= 1e-12 * size), 0)
}

# Nothing is known of functions whose variance is not known, and what is certain varies with
# nothing.
with_variances <- function(covariance, variance) {
  covariance[is.na(variance), ] <- covariance[, is.na(variance)] <- NA_real_
  covariance[variance %in% 0, ] <- covariance[, variance %in% 0] <- 0
  diag(covariance) <- variance
  covariance
}

warn_boundary <- function(unknown = NULL, small = NULL, unbiased = FALSE) {
  warn(
    c(
      "Some estimates are at the boundary, at 0 or 1, where standard errors say too little.",
      x = if (length(unknown)) {
        "{cli::qty(unknown)}{?That/Those} of {.val {unknown}} {?is/are} not known."
      },
      x = if (length(small)) {
        "{cli::qty(small)}{?That/Those} of {.val {small}} {?is/are} too small."
      },
      i = if (unbiased) {
        "Read the intervals."
      } else {
        "Read the intervals, or use {.code method = \"inv\"}."
      }
    ),
    "boundary"
  )
}

# Intervals for a sum of categories, or for a difference of such sums between groups, from the
# reports themselves: they hold at the boundary. Groups are combined as Newcombe (1998) does for
# differences, each side with the distances from the estimates to the bounds that are on it. It is
# NULL for other functions.
share_bounds <- function(fit, weights, value, level) {
  k <- length(fit$mechanism$levels)
  below <- above <- 0
  for (g in unique((which(weights != 0) - 1) %/% k + 1)) {
    multiple <- share_multiple(
      weights[(g - 1) * k + seq_len(k)],
      adds_up(group_estimate(fit, g))
    )
    if (identical(multiple$scale, 0)) next
    share <- sum(group_estimate(fit, g)[multiple$cells])
    interval <- if (!is.null(multiple)) share_interval(fit, g, multiple$cells, share, level)
    if (is.null(interval)) return(NULL)
    reach <- abs(multiple$scale) *
      pmax(0, c(share - interval$low, interval$high - share))
    if (multiple$scale < 0) reach <- rev(reach)
    below <- below + reach[1]^2
    above <- above + reach[2]^2
  }
  list(low = value - sqrt(below), high = value + sqrt(above))
}

# The weights of a group as a multiple of the share of some cells, up to a constant that multiplies
# the sum of all shares; NULL if they are none. The cells or their complement are taken, the fewer.
share_multiple <- function(weights, sum_known) {
  values <- unique(weights)
  if (length(values) == 1L && (sum_known || values == 0)) {
    return(list(scale = 0))
  }
  if (length(values) != 2L || (!sum_known && !0 %in% values)) return(NULL)
  base <- if (sum_known) {
    values[which.max(tabulate(match(weights, values), 2L))]
  } else {
    0
  }
  list(scale = setdiff(values, base) - base, cells = which(weights != base))
}

share_interval <- function(fit, g, cells, share, level) {
  # Neither normal theory nor the bootstrap holds at the boundary.
  interval <- interval_kinds[[fit$interval]]$share %||% fit$interval
  if (interval == "profile") {
    if (length(cells) == 1L) return(cell_interval(fit, g, cells, interval, level))
    top <- profile_top(fit, g)
    inside <- seq_along(top$best) %in% cells
    return(as.list(
      profile_share(
        unname(top$rows), top$counts, inside, top$best, level, top$n
      )
    ))
  }
  evidence <- group_evidence(fit$tally, g)
  bounds <- law_share_interval(evidence$law, evidence, cells, share, interval, level, fit$target)
  if (!is.null(bounds)) return(include_estimate(bounds, share, fit$estimator$unbiased))
  if (length(cells) == 1L) cell_interval(fit, g, cells, interval, level)
}

# The fit's own interval of one cell.
cell_interval <- function(fit, g, cell, interval, level) {
  fit$simultaneous <- FALSE
  lapply(fit_intervals(fit, level, interval, cell, g), `[[`, 1)
}
