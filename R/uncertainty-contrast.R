# Linear functions of estimates: their values, errors, intervals and joint covariance; and quotients
# of them.

# list(value, table, covariance, edge, z, reports, p) for rows of `weights`; `edge` tells which
# depend on estimates at 0 or 1, `reports` how many reports intervals while looking count, and `p`
# gives the p-value of a standardized value.
contrast_values <- function(fit, weights, estimate, level) {
  plain <- inherits(fit, "rr_fit")
  # Estimates that are not known, as conditional shares in an empty slice, matter only where they
  # are weighed.
  value <- unname(drop(weights %*% ifelse(is.na(estimate), 0, estimate)))
  value[rowSums(weights[, is.na(estimate), drop = FALSE] != 0) > 0] <- NA_real_
  parts <- if (plain) contrast_parts(fit, weights) else matrix_parts(fit, weights)
  error <- sqrt_or_na(rowSums(parts$variance))
  df <- if (plain) Inf else fit$df %||% Inf
  looking <- plain && fit$interval == "anytime"
  reports <- if (looking) anytime_reports(fit, weights)
  z <- if (looking) anytime_quantile(level, reports, fit$plan) else t_quantile(level, df)
  bounds <- list(low = value - z * error, high = value + z * error)
  own <- plain && !looking && fit$interval != "none"
  for (row in if (own) {
      which((is.na(error) | parts$edge) & !parts$unidentified)
    }) {
    known <- share_bounds(fit, weights[row, ], value[row], level)
    if (is.null(known)) next
    bounds$low[row] <- known$low
    bounds$high[row] <- known$high
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
    covariance = parts$covariance,
    edge = parts$edge,
    z = z,
    reports = reports,
    p = p
  )
}

# Half of an interval in standard errors; without degrees of freedom the normal distribution's.
t_quantile <- function(level, df) {
  qt((1 - level) / 2, df %||% Inf, lower.tail = FALSE)
}

# Margins and fits of survey designs have the covariance of all their estimates.
matrix_parts <- function(fit, weights) {
  covariance <- unname(linear_covariance(fit$covariance, weights))
  v <- diag(covariance)
  # Exact zeros, as of the sum of all shares, come out as roundings.
  variances <- diag(fit$covariance)
  has_variance <- !is.na(variances)
  size <- drop(weights[, has_variance, drop = FALSE]^2 %*% variances[has_variance])
  v[which(abs(v) <= 1e-12 * size)] <- 0
  diag(covariance) <- v
  list(
    variance = cbind(v),
    edge = rep(isTRUE(fit$boundary > 0), nrow(weights)) &
      !(v %in% 0),
    covariance = covariance
  )
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
contrast_ratios <- function(read, found) {
  if (is.null(found$covariance)) {
    abort("Ratios can be had of at most {contrast_limit} functions at a time.")
  }
  value <- found$value
  shown <- which(read$shown)
  below <- read$divisor[shown]
  at <- which(below > 0)
  ratio <- value[shown[at]] / value[below[at]]
  bottom <- ifelse(
    value[shown[at]] > 0 & value[below[at]] > 0,
    value[below[at]], NA_real_
  )
  jacobian <- diag(length(value))[shown, , drop = FALSE]
  jacobian[cbind(at, shown[at])] <- 1 / bottom
  jacobian[cbind(at, below[at])] <- -ratio / bottom
  lost <- rowSums(is.na(jacobian)) > 0
  jacobian[is.na(jacobian)] <- 0
  covariance <- linear_covariance(found$covariance, jacobian)
  covariance[lost, ] <- covariance[, lost] <- NA_real_
  table <- found$table[shown, ]
  error <- sqrt(pmax(0, diag(covariance)[at]))
  relative <- error / ratio
  test <- log(ifelse(relative > 0, ratio, NA_real_)) / relative
  z <- rep_len(found$z, length(value))
  z <- pmax(z[shown[at]], z[below[at]])
  reports <- pmax(found$reports[shown[at]], found$reports[below[at]])
  table[at, ] <- list(
    ifelse(is.finite(ratio), ratio, NA_real_),
    error,
    test,
    found$p(test, reports),
    ratio * exp(-z * relative),
    ratio * exp(z * relative)
  )
  list(
    table = table,
    covariance = covariance,
    edge = found$edge[shown] | c(FALSE, found$edge)[below + 1]
  )
}

# Variances of each function's part in each group, NA where the covariance knows none; and which
# functions depend on a group with estimates at the boundary, where that covariance takes them for
# known (`edge`).
contrast_parts <- function(fit, weights) {
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
    own <- weights[rows, columns, drop = FALSE]
    parts <- contrast_variances(fit, g, own)
    v <- parts$variance
    if (!is.null(parts$identified)) unidentified[rows] <- unidentified[rows] | !parts$identified
    v[v < 0] <- NA_real_
    if (!is.null(covariance)) {
      covariance[rows, rows] <- covariance[rows, rows] + parts$covariance
    }
    free <- rowSums(own != own[, 1]) > 0 |
      (!adds_up(group_estimate(fit, g)) & own[, 1] != 0)
    unseen <- free & v %in% 0 & !shows_truths(fit)
    v[unseen] <- NA_real_
    held <- held_at_boundary(fit, g) && !identical(parts$edge, FALSE)
    edge[rows] <- edge[rows] | unseen | (held & free)
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
    own <- weights[, (g - 1) * k + seq_len(k), drop = FALSE]
    effects <- if (any(own != 0)) fit_effects(fit, g)
    if (!is.null(effects)) own %*% effects
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
# differences, each side with the distances from the estimates to the bounds that are on it. NULL
# for other functions.
share_bounds <- function(fit, weights, value, level) {
  k <- length(fit$mechanism$levels)
  below <- above <- 0
  for (g in unique((which(weights != 0) - 1) %/% k + 1)) {
    part <- share_part(
      weights[(g - 1) * k + seq_len(k)],
      adds_up(group_estimate(fit, g))
    )
    if (identical(part$scale, 0)) next
    share <- sum(group_estimate(fit, g)[part$cells])
    interval <- if (!is.null(part)) share_interval(fit, g, part$cells, share, level)
    if (is.null(interval)) return(NULL)
    reach <- abs(part$scale) *
      pmax(0, c(share - interval$low, interval$high - share))
    if (part$scale < 0) reach <- rev(reach)
    below <- below + reach[1]^2
    above <- above + reach[2]^2
  }
  list(low = value - sqrt(below), high = value + sqrt(above))
}

# A group's weights as a multiple of the share of some cells, if they are, up to a constant that
# multiplies the sum of all shares; of cells and complement the fewer.
share_part <- function(weights, sum_known) {
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
  interval <- if (fit$interval %in% c("wald", "bootstrap", "credible")) "wilson" else fit$interval
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
