# The law of RAPPOR has reports of a cohort and the bits of a filter. Counts are, cohort by cohort,
# the ones of each bit, then the number of reports. The probabilities are a = P(1 | 1) and b = P(1 |
# 0), and X[j] is the 0/1 matrix of cohort j (bits by categories). The debiased shares w have the
# mean X[j] theta:
#    w = (ones / N[j] - b) / (a - b)
# The estimate is by least squares with weights 1 / Var w, from the estimate itself, twice. Its
# covariance is H V H', where H is the map from all shares to the estimate and V has a block V[j]
# for each cohort. If x = X[j] theta, sampled truths have
#    N[j] V[j] = diag(c) + X[j] diag(theta) X[j]' - x x'
#    c = (b (1 - b) + x (a - b)(1 - a - b)) / (a - b)^2
# Fixed truths have (diag(theta) - theta theta') / N less, which sampling them adds. Cohorts stay
# random.

# Bits by categories, of one cohort.
cohort_filters <- function(law, j) {
  stacked_filters(law$places[, , j, drop = FALSE], law$bits)
}

# No more reports have all bits of a category than have its rarest one.
supporting_counts.rr_law_bloom <- function(law, evidence) {
  ones <- matrix(evidence$counts, law$bits + 1)
  rarest <- function(j) {
    bits <- matrix(
      ones[law$places[, , j], j], nrow(law$places)
    )
    do.call(
      pmin, lapply(seq_len(nrow(bits)), function(i) bits[i, ])
    )
  }
  list(
    counts = Reduce(`+`, lapply(seq_len(law$cohorts), rarest)),
    n = evidence$n
  )
}

law_tells_nothing.rr_law_bloom <- function(law) abs(law$one - law$zero) < 1e-14

law_expected.rr_law_bloom <- function(law, theta) {
  as.vector(
    vapply(
      seq_len(law$cohorts),
      function(j) {
        c(
          law$zero * sum(theta) +
            (law$one - law$zero) * drop(cohort_filters(law, j) %*% theta),
          sum(theta)
        ) / law$cohorts
      },
      numeric(law$bits + 1)
    )
  )
}

# The regression of the cohorts that have reports, a list:
#    places    the ones of the filters, as the law has them
#    filters   the filters on top of each other, a row for each bit of a cohort
#    bits      the number of bits of a filter
#    shares    the debiased share of each row
#    n         the number of reports of each row
#    cohort    the position of each row's cohort
bloom_regression <- function(law, evidence) {
  counts <- matrix(evidence$counts, law$bits + 1)
  n <- counts[law$bits + 1, ]
  seen <- which(n > 0)
  bit_index <- law$places[, , seen, drop = FALSE]
  shares <- sweep(
    counts[seq_len(law$bits), seen, drop = FALSE], 2, n[seen], `/`
  )
  list(
    places = bit_index,
    filters = stacked_filters(bit_index, law$bits),
    bits = law$bits,
    shares = as.vector((shares - law$zero) / (law$one - law$zero)),
    n = rep(n[seen], each = law$bits),
    cohort = rep(seq_along(seen), each = law$bits)
  )
}

stacked_filters <- function(bit_index, bits) {
  size <- dim(bit_index)
  rows <- bits * size[3]
  filters <- matrix(0, rows, size[2])
  above <- rep(
    bits * (seq_len(size[3]) - 1) - rows,
    each = size[1] * size[2]
  )
  filters[above + as.vector(bit_index) + rows * rep(seq_len(size[2]), each = size[1])] <-
    1
  filters
}

# The same for some of the categories.
some_candidates <- function(regression, chosen) {
  regression$places <- regression$places[, chosen, , drop = FALSE]
  regression$filters <- regression$filters[, chosen, drop = FALSE]
  regression
}

# `solver` gives the estimate from a regression and its weights, those of the shares: 1 / Var, with
# sampled truths. A share is at least 0 and at most 1 for this.
bloom_fit <- function(law, evidence, solver) {
  regression <- bloom_regression(law, evidence)
  x <- 0.5
  for (round in 1:3) {
    m <- law$zero + (law$one - law$zero) * x
    weights <- regression$n * (law$one - law$zero)^2 /
      (m * (1 - m))
    estimate <- solver(regression, weights)
    x <- clamp(drop(regression$filters %*% estimate))
  }
  list(estimate = estimate, regression = regression, weights = weights)
}

least_squares <- function(regression, weights) {
  normal <- normal_root(regression, weights)
  right <- (weighted_shares(regression, weights) / normal$scale)[normal$pivot]
  solved <- backsolve(normal$root, backsolve(normal$root, right, transpose = TRUE))
  solved[order(normal$pivot)] / normal$scale
}

# X' W X, and X' W y. A filter has few ones, and only the categories of one bit meet in its row: a
# product of whole matrices would multiply zeros.
weighted_squares <- function(regression, weights) {
  .Call(C_rr_filter_squares, regression$places, regression$bits, as.double(weights))
}

weighted_shares <- function(regression, weights) {
  drop(crossprod(regression$filters, weights * regression$shares))
}

# (X' W X)^-1.
normal_inverse <- function(regression, weights) {
  normal <- normal_root(regression, weights)
  order <- order(normal$pivot)
  chol2inv(normal$root)[order, order] / outer(normal$scale, normal$scale)
}

# The root of X' W X scaled to a diagonal of 1, refused where the filters do not tell the categories
# apart.
normal_root <- function(regression, weights) {
  normal <- weighted_squares(regression, weights)
  scale <- sqrt(pmax(diag(normal), .Machine$double.xmin))
  # A matrix of less than full rank is a warning, and told by its rank.
  root <- suppressWarnings(chol(normal / outer(scale, scale), pivot = TRUE, tol = 1e-9))
  if (attr(root, "rank") < ncol(normal)) {
    abort_alike_filters(ncol(normal), format_count(attr(root, "rank")))
  }
  list(root = root, pivot = attr(root, "pivot"), scale = scale)
}

law_unbiased.rr_law_bloom <- function(law, evidence) {
  # There are no more independent filters than rows: known before the time and memory of the
  # equations are spent.
  rows <- law$bits *
    sum(evidence$counts[(law$bits + 1) * seq_len(law$cohorts)] > 0)
  if (rows < law$truths) abort_alike_filters(law$truths, paste("at most", format_count(rows)))
  check_memory(8 * (2 * rows * law$truths + 3 * law$truths^2), "mechanism",
               sprintf("Least squares for %s categories", format_count(law$truths)))
  bloom_fit(law, evidence, least_squares)$estimate
}

abort_alike_filters <- function(categories, independent) {
  abort(
    "{format_count(categories)} categories have {independent} filters that can be told apart.",
    "no_information"
  )
}

law_null_std_error.rr_law_bloom <- function(law, evidence) {
  sqrt(pmax(bloom_covariance(law, evidence, "sample", variances = TRUE), 0))
}

# The covariance of the estimate, or its diagonal only. The map from shares to the estimate is A^-1
# X' W with A = X' W X. Shares of different cohorts are independent, and the covariance is
#    A^-1 M A^-1,   M = sum over cohorts of X[j]' W[j] V[j] W[j] X[j]
bloom_covariance <- function(
  law, evidence, target, fit = bloom_fit(law, evidence, least_squares), variances = FALSE
) {
  theta <- fit$estimate
  inverse <- normal_inverse(fit$regression, fit$weights)
  half <- inverse %*% bloom_noise(law, fit)
  if (variances) {
    covariance <- rowSums(half * inverse)
    return(if (target == "sample") covariance - (theta - theta^2) / evidence$n else covariance)
  }
  covariance <- half %*% inverse
  covariance <- (covariance + t(covariance)) / 2
  if (target == "sample") {
    covariance <- covariance -
      (diag(theta, length(theta)) - outer(theta, theta)) / evidence$n
  }
  covariance
}

# M, as many cohorts at a time as fit in memory.
bloom_noise <- function(law, fit) {
  regression <- fit$regression
  signal <- law$one - law$zero
  x <- drop(regression$filters %*% fit$estimate)
  noise <- pmax(
    (law$zero * (1 - law$zero) +
      x * signal * (1 - law$one - law$zero)) / signal^2,
    0
  )
  cohorts <- max(regression$cohort)
  chunks <- split(
    seq_len(cohorts),
    (seq_len(cohorts) - 1) %/% max(1, floor(1e7 / law$bits^2))
  )
  Reduce(
    `+`,
    lapply(chunks, function(some) {
      inner <- vapply(
        some,
        function(j) {
          rows <- which(regression$cohort == j)
          filters <- regression$filters[rows, , drop = FALSE]
          joint <- filters %*% (fit$estimate * t(filters)) -
            outer(x[rows], x[rows]) +
            diag(noise[rows], length(rows))
          joint * outer(fit$weights[rows], fit$weights[rows]) /
            regression$n[rows[1]]
        },
        matrix(0, law$bits, law$bits)
      )
      .Call(
        C_rr_filter_squares, regression$places[, , some, drop = FALSE], law$bits, inner
      )
    })
  )
}

unbiased_variances.rr_law_bloom <- function(law, evidence, cells, target, unbiased) {
  bloom_covariance(law, evidence, target, variances = TRUE)[cells]
}

unbiased_covariance.rr_law_bloom <- function(law, evidence, cells, target, unbiased) {
  bloom_covariance(law, evidence, target)[cells, cells, drop = FALSE]
}

# The second moment of an estimate is nearly linear in its own share: each bit of the truth changes
# its variance by (1 - a - b) / (a - b) times the share, and sampling by the share itself.
law_intervals.rr_law_bloom <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  # More categories than the filters tell apart have no unbiased estimate, and no interval.
  fit <- tryCatch(
    bloom_fit(law, evidence, least_squares), candor_error_no_information = function(e) NULL
  )
  if (is.null(fit)) {
    return(list(
      low = rep(NA_real_, length(cells)),
      high = rep(NA_real_, length(cells))
    ))
  }
  inv <- fit$estimate[cells]
  variance <- pmax(bloom_covariance(law, evidence, "population", fit, variances = TRUE), 0)[cells]
  slope <- 1 + (1 - law$one - law$zero) /
    (law$one - law$zero) / dim(law$places)[1]
  others <- pmax(
    evidence$n * variance + inv^2 - pmax(inv, 0) * slope, 0
  )
  moment_intervals(inv, others + slope, others, evidence$n, conf.level, target)
}

bloom_rows <- function(law) {
  bits <- law$sets$bits
  width <- ncol(bits) - 4
  check_rows_size(nrow(bits), law$truths)
  cohort <- drop(
    matrix(as.integer(bits[, width + 1:4]), ncol = 4) %*%
      256^(0:3)
  )
  seen <- .Call(
    C_rr_bits_to_matrix, bits[, seq_len(width), drop = FALSE], law$bits
  )
  logs <- matrix(0, nrow(bits), law$truths)
  # log P(bit | 0) of all bits, and what a 1 in the filter adds.
  blank <- drop(
    seen %*% rep(log(law$zero) - log1p(-law$zero), law$bits)
  ) + law$bits * log1p(-law$zero)
  one <- log(law$one) - log(law$zero)
  none <- log1p(-law$one) - log1p(-law$zero)
  for (j in unique(cohort)) {
    rows <- which(cohort == j)
    filters <- cohort_filters(law, j)
    logs[rows, ] <- blank[rows] +
      (one - none) * (seen[rows, ] %*% filters) +
      none * rep(colSums(filters), each = length(rows))
  }
  scaled_rows(logs, -log(law$cohorts))
}

# The bits of each cohort; and the sum of the estimates, which is 1 only where the filters are those
# of the reports.
law_unlikely.rr_law_bloom <- function(law, evidence, alpha) {
  counts <- matrix(evidence$counts, law$bits + 1)
  n <- rep(counts[law$bits + 1, ], each = law$bits)
  ones <- as.vector(counts[seq_len(law$bits), ])
  limits <- range(law$zero, law$one)
  if (beyond_counts(
      ones[n > 0], n[n > 0], limits[1], limits[2],
      alpha / 2
    )) {
    return(TRUE)
  }
  if (law$truths > covariance_cells) return(FALSE)
  fit <- tryCatch(
    bloom_fit(law, evidence, least_squares), candor_error_no_information = function(e) NULL
  )
  if (is.null(fit)) return(FALSE)
  z <- (sum(fit$estimate) - 1) /
    sqrt(sum(bloom_covariance(law, evidence, "sample", fit)))
  isTRUE(abs(z) > qnorm(alpha / 4, lower.tail = FALSE) + 1)
}

report_channel.rr_law_bloom <- function(law, evidence) rows_channel(law, evidence, bloom_rows(law))

#' @export
set_bytes.rr_law_bloom <- function(law, k) ceiling(law$bits / 8) + 4

# The blanket of Bloom filters. The least likely filter for the bits of a report has its ones where
# these are 0, as far as there are enough. A filter has at most `hashes` ones where that of another
# category has none.
law_blanket.rr_law_bloom <- function(law, k, local) {
  p_bit <- c(law$one, law$zero)
  if (law$one < law$zero) p_bit <- 1 - p_bit
  p_one <- p_bit[1]
  p_zero <- p_bit[2]
  hashes <- dim(law$places)[1]
  ones <- 0:law$bits
  covered <- pmin(hashes, law$bits - ones)
  min_log_ratio <- covered * (log1p(-p_one) - log1p(-p_zero)) +
    (hashes - covered) * (log(p_one) - log(p_zero))
  pairs <- 0:min(hashes, law$bits - hashes)
  first <- dbinom(pairs, max(pairs), p_one)
  second <- dbinom(pairs, max(pairs), p_zero)
  distance <- sum(abs(outer(first, second) - outer(second, first))) / 2
  weight <- sum(exp(dbinom(ones, law$bits, p_zero, log = TRUE) + min_log_ratio))
  two_level_blanket(weight, distance, local)
}
