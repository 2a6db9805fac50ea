# Joint shares have score intervals. An unbiased score u[j] of an answer to question j has the
# second moment v[j] + kappa[j] if the truth holds that answer, and v[j] if not. The mean mu[J] of
# the products of the scores of J, answers to different questions, over n respondents then has the
# variance
#    n Var = V0 + kappa[J] tau - tau^2                    (fixed truths: - tau instead of - tau^2)
#    V0 = sum over S strictly inside J of prod kappa[S] prod v[J \ S] mu[S]
# for the share tau that holds all of J. The interval holds the tau at a distance of at most z
# standard deviations from mu[J]: for one answer it is Wilson's. Shares of the smaller sets are
# estimates, whose relative errors are smaller.

# The v and kappa of the categories of one question. The other truths are mixed by its `shares`,
# which matters only if their second moments differ. NA if the law has no second moments.
score_moments <- function(law, shares) {
  k <- length(shares)
  theta <- .Call(C_rr_project, as.double(shares), 1)
  squares <- vapply(
    seq_len(k),
    function(x) {
      each <- law_second_moments(law, k, as.double(seq_len(k) == x)) %||%
        rep(NA_real_, k)
      is_other <- seq_len(k) != x
      c(each[x], sum(conditional_shares(theta, is_other) * each[is_other]))
    },
    c(0, 0)
  )
  list(v = squares[2, ], kappa = squares[1, ] - squares[2, ])
}

no_moments_words <- paste0(
  "  No interval (NA): the law of a question does not give the second moments of its",
  " scores"
)

# The v and kappa of columns. A debiased bit takes two values, a score may take more.
column_moments <- function(fit) {
  if (is.null(fit$counts$scores)) {
    d <- fit$design$p - fit$design$q
    return(list(
      v = fit$design$q * (1 - fit$design$q) / d^2,
      kappa = (1 - 2 * fit$design$q) / d
    ))
  }
  questions <- fit$counts$mechanism
  categories <- counted_columns(questions)$categories
  last <- cumsum(lengths(categories))
  moments <- Map(
    function(question, category, last) {
      shares <- numeric(length(question$levels))
      shares[category] <- fit$values[1 + last - length(category) + seq_along(category)] /
        fit$n
      lapply(score_moments(rr_law(question), shares), `[`, category)
    },
    questions, categories, last
  )
  list(
    v = unlist(lapply(moments, `[[`, "v")),
    kappa = unlist(lapply(moments, `[[`, "kappa"))
  )
}

# The second moments of products inside and outside, for moment_intervals(). `second` is that of the
# estimated truths, with the estimated `share`; `smallest` that of the row type with the least, and
# `largest` that of a row that holds all of J.
product_squares <- function(second, share, kappa, smallest, largest) {
  second_other <- pmax(second - kappa * clamp(share), smallest)
  list(
    second_true = second_other + kappa,
    second_other = second_other,
    min_second = pmin(largest - 1, smallest)
  )
}

share_limits <- function(share, squares, n, conf.level, target) {
  lapply(
    moment_intervals(
      share, squares$second_true, squares$second_other, n, conf.level, target,
      min_second = squares$min_second
    ),
    clamp, 0, 1
  )
}

# The limits of the sets of a fit, as numbers of rows. Sums over the subsets of each set are maps
# through its columns.
histogram_limits <- function(fit, conf.level) {
  moments <- column_moments(fit)
  has_moments <- !is.na(moments$v)
  moments <- lapply(moments, replace, !has_moments, 0)
  with_values <- function(f) {
    fit$values <- f(fit$values)
    if (!is.null(fit$more)) fit$more$values <- f(fit$more$values)
    fit
  }
  through <- function(x, absent, present) {
    x[c("values", "more")] <- through_columns(
      x, rbind(absent, present, deparse.level = 0)
    )
    shown_values(x)
  }
  none <- with_values(function(values) numeric(length(values)))
  none$values[1] <- 1
  product <- function(factors) through(none, factors, 0)
  clipped <- with_values(function(values) clamp(values / fit$n))
  share <- shown_values(fit) / fit$n
  squares <- product_squares(
    through(clipped, moments$v, moments$kappa), share, product(moments$kappa),
    product(pmin(moments$v, moments$v + moments$kappa)),
    product(moments$v + moments$kappa)
  )
  has_limits <- product(as.double(has_moments)) > 0
  lapply(share_limits(share, squares, fit$n, conf.level, fit$target), function(x) {
    ifelse(has_limits, fit$n * x, NA_real_)
  })
}

# The moments that intervals of all cells of some questions need. `maps` turn `shares` into those of
# any answer, in the first row, and of each category, question by question. `moments` are the v and
# kappa of the categories of each.
cell_squares <- function(maps, moments, shares) {
  products <- function(f) {
    Reduce(
      function(a, b) as.vector(outer(a, b)), lapply(moments, f)
    )
  }
  margins <- clamp(map_axes(maps, shares))
  second <- map_axes(
    lapply(moments, function(m) {
      cbind(m$v, diag(m$kappa, length(m$kappa)))
    }),
    margins
  )
  share <- map_axes(
    lapply(maps, function(map) map[-1, , drop = FALSE]), shares
  )
  product_squares(
    second, share, products(function(m) m$kappa),
    products(function(m) pmin(m$v, m$v + m$kappa)),
    products(function(m) m$v + m$kappa)
  )
}

# An array with one map applied to each dimension. The first dimension runs fastest.
map_axes <- function(maps, x) {
  # The first dimension is mapped and put last, in each step.
  for (map in maps) x <- t(map %*% matrix(x, ncol(map)))
  as.vector(x)
}
