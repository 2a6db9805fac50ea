# The law of RAPPOR: a report is a cohort and the bits of a filter. Counts are, cohort by cohort, those of ones of each
# bit, then the number of reports. With a = P(1 | 1), b = P(1 | 0), X[j] the 0/1 matrix of cohort j (bits by
# categories):   debiased shares  w = (ones / N[j] - b) / (a - b),  E w = X[j] theta
#   estimate         least squares with weights 1 / Var w, from the estimate itself, twice
#   covariance       H V H', H the map from all shares to the estimate, V in blocks V[j], with x = X[j] theta:
#     sampled truths N[j] V[j] = diag(c) + X[j] diag(theta) X[j]' - x x',  c = (b (1 - b) + x (a - b)(1 - a - b)) / (a -
# b)^2     fixed truths   less (diag(theta) - theta theta') / N: what sampling them adds. Who is in which cohort stays
# random.

# Bits by categories, of one cohort.
cohort_filters <- function(law, j) {
  filters <- matrix(0, law$bits, law$truths)
  hashes <- dim(law$places)[1]
  filters[cbind(as.vector(law$places[, , j]), rep(seq_len(law$truths), each = hashes))] <- 1
  filters
}

#' @export
law_words.rr_law_bloom <- function(law) "a report has the bits of a Bloom filter"

#' @export
law_tells_nothing.rr_law_bloom <- function(law) abs(law$one - law$zero) < 1e-14

#' @export
law_gives.rr_law_bloom <- function(law, need, k) {
  need %in% c("inverse", "bits") || (need == "likelihood" && !is.null(law$sets) && law$zero > 0 && law$zero < 1 &&
                                       law$one > 0 && law$one < 1)
}

#' @export
law_transition.rr_law_bloom <- function(law, range) {
  c(paste0("  P(1 for a bit of the truth)  ", range(law$one)),
    paste0("  P(1 for any other bit)       ", range(law$zero)))
}

#' @export
law_reported.rr_law_bloom <- function(law, theta) {
  as.vector(vapply(seq_len(law$cohorts), function(j) {
    c(law$zero * sum(theta) + (law$one - law$zero) * drop(cohort_filters(law, j) %*% theta), sum(theta)) / law$cohorts
  }, numeric(law$bits + 1)))
}

#' @export
law_adds_up.rr_law_bloom <- function(law) FALSE

# The filters of cohorts where somebody is, on top of each other; debiased shares and numbers of reports, a row each.
bloom_regression <- function(law, evidence) {
  counts <- matrix(evidence$counts, law$bits + 1)
  n <- counts[law$bits + 1, ]
  seen <- which(n > 0)
  filters <- do.call(rbind, lapply(seen, function(j) cohort_filters(law, j)))
  shares <- sweep(counts[seq_len(law$bits), seen, drop = FALSE], 2, n[seen], `/`)
  list(filters = filters, shares = as.vector((shares - law$zero) / (law$one - law$zero)),
       n = rep(n[seen], each = law$bits), cohort = rep(seq_along(seen), each = law$bits))
}

# Weights of the shares: 1 / Var, with sampled truths. A share is at least 0 and at most 1 for this.
bloom_weights <- function(law, regression, theta = NULL) {
  x <- if (is.null(theta)) 0.5 else pmin(pmax(drop(regression$filters %*% theta), 0), 1)
  m <- law$zero + (law$one - law$zero) * x
  regression$n * (law$one - law$zero)^2 / (m * (1 - m))
}

# `solver` gives the estimate from filters, shares and weights.
bloom_fit <- function(law, evidence, solver) {
  regression <- bloom_regression(law, evidence)
  weights <- bloom_weights(law, regression)
  for (round in 1:3) {
    estimate <- solver(regression$filters, regression$shares, weights)
    if (round < 3) weights <- bloom_weights(law, regression, estimate)
  }
  list(estimate = estimate, regression = regression, weights = weights)
}

least_squares <- function(filters, shares, weights) {
  normal <- normal_root(filters, weights)
  right <- (drop(crossprod(filters, weights * shares)) / normal$scale)[normal$pivot]
  solved <- backsolve(normal$root, backsolve(normal$root, right, transpose = TRUE))
  solved[order(normal$pivot)] / normal$scale
}

# X' W X. A filter has few ones: only the categories of one bit meet in its row. A product of whole matrices would
# multiply zeros; it takes 10 times as long at 2 of 32 bits and 1,000 categories.
weighted_squares <- function(filters, weights) {
  ones <- which(filters != 0)
  if (length(ones) > 0.3 * length(filters)) return(crossprod(filters, weights * filters))
  rows <- nrow(filters)
  # factor() would sort the numbers as text.
  row <- structure(as.integer((ones - 1) %% rows) + 1L, levels = as.character(seq_len(rows)), class = "factor")
  members <- split((ones - 1) %/% rows + 1, row)
  squares <- matrix(0, ncol(filters), ncol(filters))
  for (row in seq_len(rows)) {
    some <- members[[row]]
    squares[some, some] <- squares[some, some] + weights[row]
  }
  squares
}

# (X' W X)^-1.
normal_inverse <- function(filters, weights) {
  normal <- normal_root(filters, weights)
  order <- order(normal$pivot)
  chol2inv(normal$root)[order, order] / outer(normal$scale, normal$scale)
}

# The root of X' W X scaled to a diagonal of 1, refused where the filters do not tell the categories apart.
normal_root <- function(filters, weights) {
  normal <- weighted_squares(filters, weights)
  scale <- sqrt(pmax(diag(normal), .Machine$double.xmin))
  # A matrix of less than full rank is a warning, and told by its rank.
  root <- suppressWarnings(chol(normal / outer(scale, scale), pivot = TRUE, tol = 1e-9))
  if (attr(root, "rank") < ncol(filters)) {
    abort(c("The filters of these categories cannot be told apart.",
            x = "{ncol(filters)} categories have {attr(root, 'rank')} independent filters.",
            i = "Use more bits or more cohorts, or {.code method = \"nnls\"}, whose estimates are not negative."),
          "no_information")
  }
  list(root = root, pivot = attr(root, "pivot"), scale = scale)
}

#' @export
law_unbiased.rr_law_bloom <- function(law, evidence) bloom_fit(law, evidence, least_squares)$estimate

#' @export
law_blank_error.rr_law_bloom <- function(law, evidence) sqrt(pmax(diag(bloom_covariance(law, evidence, "sample")), 0))

bloom_covariance <- function(law, evidence, target) {
  fit <- bloom_fit(law, evidence, least_squares)
  regression <- fit$regression
  theta <- fit$estimate
  signal <- law$one - law$zero
  inverse <- normal_inverse(regression$filters, fit$weights)
  map <- inverse %*% t(fit$weights * regression$filters)
  x <- drop(regression$filters %*% theta)
  noise <- pmax((law$zero * (1 - law$zero) + x * signal * (1 - law$one - law$zero)) / signal^2, 0) / regression$n
  # Shares of different cohorts are independent: V has blocks, and one product of large matrices is enough.
  moved <- map
  for (j in unique(regression$cohort)) {
    rows <- which(regression$cohort == j)
    filters <- regression$filters[rows, , drop = FALSE]
    joint <- (filters %*% (theta * t(filters)) - outer(x[rows], x[rows])) / regression$n[rows[1]]
    moved[, rows] <- map[, rows, drop = FALSE] %*% (joint + diag(noise[rows], length(rows)))
  }
  covariance <- tcrossprod(moved, map)
  if (target == "sample") covariance <- covariance - (diag(theta, length(theta)) - outer(theta, theta)) / evidence$n
  covariance
}

#' @export
law_variances.rr_law_bloom <- function(law, evidence, map, which, target) {
  diag(law_covariance(law, evidence, map, which, target))
}

#' @export
law_covariance.rr_law_bloom <- function(law, evidence, map, which, target) {
  if (!is.null(map$information)) return(rows_information(law, evidence, map, which, target))
  if (!is.null(map$jacobian)) return(jacobian_covariance(law, evidence, map, which, target))
  whole <- bloom_covariance(law, evidence, target)
  mapped_covariance(map, which, function(cells) whole[cells, cells, drop = FALSE])
}

# The second moment of an estimate is nearly linear in its own share: each bit of the truth changes its variance by
# (1 - a - b) / (a - b) times the share, and sampling by the share itself.
#' @export
law_intervals.rr_law_bloom <- function(law, evidence, estimate, interval, level, which, target) {
  # More categories than the filters tell apart have no unbiased estimate, and no interval.
  inv <- tryCatch(law_unbiased(law, evidence)[which], candor_error_no_information = function(e) NULL)
  if (is.null(inv)) return(list(low = rep(NA_real_, length(which)), high = rep(NA_real_, length(which))))
  variance <- pmax(diag(bloom_covariance(law, evidence, "population")), 0)[which]
  slope <- 1 + (1 - law$one - law$zero) / (law$one - law$zero) / dim(law$places)[1]
  others <- pmax(evidence$n * variance + inv^2 - pmax(inv, 0) * slope, 0)
  moment_intervals(inv, others + slope, others, evidence$n, level, target)
}

#' @export
report_rows.rr_law_bloom <- function(law) {
  bits <- law$sets$bits
  width <- ncol(bits) - 4
  check_rows_size(law)
  cohort <- drop(matrix(as.integer(bits[, width + 1:4]), ncol = 4) %*% 256^(0:3))
  seen <- .Call(C_rr_bits_to_matrix, bits[, seq_len(width), drop = FALSE], as.double(law$bits))
  logs <- matrix(0, nrow(bits), law$truths)
  # log P(bit | 0) of all bits, and what a 1 in the filter adds.
  blank <- drop(seen %*% rep(log(law$zero) - log1p(-law$zero), law$bits)) + law$bits * log1p(-law$zero)
  one <- log(law$one) - log(law$zero)
  none <- log1p(-law$one) - log1p(-law$zero)
  for (j in unique(cohort)) {
    rows <- which(cohort == j)
    filters <- cohort_filters(law, j)
    logs[rows, ] <- blank[rows] + (one - none) * (seen[rows, , drop = FALSE] %*% filters) +
      none * rep(colSums(filters), each = length(rows))
  }
  scaled_rows(logs, -log(law$cohorts))
}
