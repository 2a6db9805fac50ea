# RAPPOR's law on filters that are written out: three categories, five bits, two hashes, three cohorts, of which the
# third has no report.

places <- array(c(1L, 2L, 2L, 4L, 3L, 5L, 1L, 5L, 2L, 3L, 4L, 1L, 5L, 2L, 1L, 3L, 3L, 4L), c(2, 3, 3))
one <- 0.7
zero <- 0.25
law <- new_rr_law("bloom", "", truths = 3, bits = 5, cohorts = 3, one = one, zero = zero, places = places, gives = c("inverse", "bits"))
X <- lapply(1:3, function(j) vapply(1:3, function(v) 1 * (1:5 %in% places[, v, j]), numeric(5)))
ones <- cbind(c(30, 42, 21, 29, 20), c(44, 23, 27, 35, 24), 0)
n <- c(60, 70, 0)
counts <- as.vector(rbind(ones, n))
evidence <- new_evidence(law, counts, 130, 130, 3)

# The regression of the two cohorts with reports, and its weights from the estimate, twice again.
filters <- rbind(X[[1]], X[[2]])
shares <- (as.vector(ones[, 1:2]) / rep(n[1:2], each = 5) - zero) / (one - zero)
reports <- rep(n[1:2], each = 5)
x <- rep(0.5, 10)
for (round in 1:3) {
  m <- zero + (one - zero) * x
  weights <- reports * (one - zero)^2 / (m * (1 - m))
  H <- solve(t(filters) %*% (weights * filters)) %*% t(filters * weights)
  estimate <- drop(H %*% shares)
  x <- pmin(pmax(drop(filters %*% estimate), 0), 1)
}

test_that("expected counts and supporting counts are those of the filters", {
  expect_equal(lapply(1:3, function(j) cohort_filters(law, j)), X)
  theta <- c(0.5, 0.2, 0.3)
  expected <- function(theta) unlist(lapply(X, function(X) c(zero * sum(theta) + (one - zero) * drop(X %*% theta), sum(theta)) / 3))
  expect_equal(law_expected(law, theta), expected(theta))
  expect_equal(law_expected(law, 4 * theta), expected(4 * theta))
  # No more support a category than its rarest bit, cohort by cohort.
  rarest <- rowSums(vapply(1:3, function(j) vapply(1:3, function(v) min(ones[places[, v, j], j]), 0), numeric(3)))
  expect_equal(supporting_counts(law, evidence), list(counts = rarest, n = 130))
  expect_true(law_tells_nothing(replace(law, "zero", 0.7 - 0.9e-14)))
  expect_false(law_tells_nothing(replace(law, "zero", 0.7 - 1.2e-14)))
  expect_identical(c(set_bytes(law, 3), set_bytes(replace(law, "bits", 8), 3), set_bytes(replace(law, "bits", 9), 3)), c(5, 5, 6))
})

test_that("the estimate is by least squares with weights 1 / Var, from itself twice, of the cohorts that have reports", {
  regression <- bloom_regression(law, evidence)
  expect_equal(regression[c("filters", "bits", "shares", "n", "cohort")],
               list(filters = filters, bits = 5, shares = shares, n = reports, cohort = rep(1:2, each = 5)))
  expect_equal(regression$places, places[, , 1:2])
  expect_equal(law_unbiased(law, evidence), estimate)
  expect_equal(weighted_squares(regression, weights), t(filters) %*% (weights * filters))
  expect_equal(normal_inverse(regression, weights), solve(t(filters) %*% (weights * filters)))
  some <- some_candidates(regression, c(3L, 1L))
  expect_equal(some$filters, filters[, c(3, 1)])
  expect_equal(some$places, places[, c(3, 1), 1:2])
})

test_that("its covariance is H V H', less the sampling of truths; intervals have its second moment", {
  v <- drop(filters %*% estimate)
  noise <- pmax(zero * (1 - zero) + v * (one - zero) * (1 - one - zero), 0) / (one - zero)^2
  V <- matrix(0, 10, 10)
  for (j in 1:2) {
    rows <- (j - 1) * 5 + 1:5
    V[rows, rows] <- (diag(noise[rows]) + X[[j]] %*% (estimate * t(X[[j]])) - tcrossprod(v[rows])) / n[j]
  }
  population <- H %*% V %*% t(H)
  sample <- population - (diag(estimate) - tcrossprod(estimate)) / 130
  cells <- c(3L, 1L)
  for (target in c("population", "sample")) {
    V <- list(population = population, sample = sample)[[target]]
    expect_equal(unbiased_covariance(law, evidence, cells, target, TRUE), V[cells, cells])
    expect_equal(unbiased_variances(law, evidence, cells, target, TRUE), diag(V)[cells])
    # Each bit of the truth changes the variance by (1 - a - b) / (a - b), a half for each of two, and sampling by the share.
    slope <- 1 + (1 - one - zero) / (one - zero) / 2
    others <- pmax(130 * diag(population) + estimate^2 - pmax(estimate, 0) * slope, 0)
    expect_equal(law_intervals(law, evidence, NULL, "wilson", 0.9, cells, target), moment_intervals(estimate[cells], (others + slope)[cells],
      others[cells], 130, 0.9, target))
  }
  expect_equal(law_null_std_error(law, evidence), sqrt(diag(sample)))
  # Filters that cannot be told apart have no interval.
  alike <- replace(law, "places", list(places[, c(1, 1, 2), ]))
  expect_identical(law_intervals(alike, evidence, NULL, "wilson", 0.9, cells, "sample"), list(low = c(NA_real_, NA_real_), high = c(NA_real_, NA_real_)))
  expect_error(law_unbiased(alike, evidence), class = "candor_error_no_information")
  expect_error(law_unbiased(replace(law, "truths", 11), evidence), class = "candor_error_no_information")
})

test_that("bits are doubted beyond those of nobody and of everybody, at half of alpha; and so is a sum of shares far from 1", {
  expect_false(law_unlikely(law, evidence, 0.01))
  odd <- function(count) {
    changed <- ones
    changed[5, 2] <- count
    law_unlikely(law, new_evidence(law, as.vector(rbind(changed, n)), 130, 130, 3), 0.01)
  }
  # Ten bits, two tails, half of alpha.
  low <- stats::qbinom(0.005 / 20, 70, zero)
  expect_false(odd(low))
  expect_true(odd(low - 1))
  # Many more bits than the filters of one report each have: each likely by itself, their sum of shares is not.
  many <- function(share) new_evidence(law, as.vector(rbind(round(4000 * (zero + (one - zero) * share)) * cbind(rep(1, 5), 1, 1), 4000)), 12000, 12000, 3)
  total <- sum(law_unbiased(law, many(0.8)))
  expect_gt(total, 1.2)
  expect_true(law_unlikely(law, many(0.8), 0.01))
})

test_that("as many filters as categories, of one report, are solved exactly; memory is that of two copies of filters and three squares", {
  single <- new_rr_law("bloom", "", truths = 5, bits = 5, cohorts = 1, one = one, zero = zero,
                       places = array(c(2L, 4L, 1L, 5L, 3L), c(1, 5, 1)), gives = "inverse")
  evidence <- new_evidence(single, c(1, 0, 0, 1, 0, 1), 1, 1, 5)
  expect_equal(law_unbiased(single, evidence), (c(0, 1, 1, 0, 0) - zero) / (one - zero))
  bytes <- NULL
  f <- with_calls(law_unbiased.rr_law_bloom, check_memory = function(b, ...) bytes <<- b)
  f(single, evidence)
  expect_equal(bytes, 8 * (2 * 25 + 3 * 25))
  f(law, new_evidence(law, counts, 130, 130, 3))
  expect_equal(bytes, 8 * (2 * 10 * 3 + 3 * 9))
})

test_that("a sum of shares is doubted one standard deviation beyond its normal quantile, to both sides, for as many categories as have a covariance", {
  many <- function(share) new_evidence(law, as.vector(rbind(round(4000 * (zero + (one - zero) * share)) * matrix(1, 5, 3), 4000)), 12000, 12000, 3)
  f <- law_unlikely.rr_law_bloom
  for (share in c(0.33, 0.46)) {
    evidence <- many(share)
    z <- (sum(law_unbiased(law, evidence)) - 1) / sqrt(sum(unbiased_covariance(law, evidence, 1:3, "sample", TRUE)))
    alpha <- 4 * stats::pnorm(abs(z) - 1, lower.tail = FALSE)
    expect_true(abs(z) > 1.5)
    expect_false(f(law, evidence, alpha * 0.99))
    expect_true(f(law, evidence, min(alpha * 1.01, 1)))
  }
  expect_true(with_calls(f, covariance_cells = 3)(law, many(0.8), 0.01))
  expect_false(with_calls(f, covariance_cells = 2)(law, many(0.8), 0.01))
})

test_that("the blanket is that of all filters and all reports, by enumeration", {
  for (design in list(c(2, 0.7, 0.25), c(3, 0.6, 0.3), c(3, 0.2, 0.45))) {
    hashes <- design[1]
    p <- design[2:3]
    reports <- as.matrix(expand.grid(rep(list(0:1), 5)))
    chance <- apply(utils::combn(5, hashes), 2, function(filter) {
      one <- ifelse(1:5 %in% filter, p[1], p[2])
      apply(reports, 1, function(bits) prod(ifelse(bits == 1, one, 1 - one)))
    })
    weight <- sum(apply(chance, 1, min))
    distance <- max(apply(utils::combn(ncol(chance), 2), 2, function(pair) sum(abs(chance[, pair[1]] - chance[, pair[2]])) / 2))
    bloom <- new_rr_law("bloom", "", truths = 3, bits = 5, cohorts = 1, one = p[1], zero = p[2], places = array(1L, c(hashes, 3, 1)), gives = "bits")
    expect_equal(law_blanket(bloom, 3, 2), two_level_blanket(weight, distance, 2))
  }
})

test_that("kept reports have the probabilities of their bits and of a cohort, over their largest", {
  reports <- as.matrix(expand.grid(rep(list(0:1), 5)))
  storage.mode(reports) <- "integer"
  bytes <- .Call(C_rr_matrix_to_bits, reports)$bits
  # The number of the cohort in four bytes, the lowest first: 2, and 257 of as many, which has the filters of the second.
  rows_of <- function(law, cohort, index) {
    bits <- cbind(bytes[index, , drop = FALSE], matrix(as.raw(cohort), length(index), 4, byrow = TRUE))
    rows <- bloom_rows(replace(law, "sets", list(list(bits = bits))))
    expect_equal(apply(rows$matrix, 1, max), rep(1, length(index)))
    rows$matrix * exp(rows$logs)
  }
  chance <- vapply(1:3, function(x) {
    p <- ifelse(X[[2]][, x] == 1, one, zero)
    apply(reports, 1, function(bits) prod(ifelse(bits == 1, p, 1 - p)))
  }, numeric(32))
  expect_equal(rows_of(law, c(2, 0, 0, 0), 1:32), chance / 3)
  expect_equal(rows_of(law, c(2, 0, 0, 0), 9), chance[9, , drop = FALSE] / 3)
  many <- replace(law, c("cohorts", "places"), list(257, places[, , rep_len(1:3, 257)]))
  expect_equal(rows_of(many, c(1, 1, 0, 0), 1:32), chance / 257)
})
