# The law of a tree of five levels and two depths, of 2 and 5 nodes, by matrices: X has a row for each node, and the levels are
# least squares with the sum of 1, K from the equations of that constraint.

tree <- rr_hierarchy(5, 2, fanout = 3, oracle = rr_grr)
law <- rr_law(tree)
X <- rbind(c(1, 1, 1, 0, 0), c(0, 0, 0, 1, 1), diag(5))
depth <- rep(1:2, c(2, 5))
C <- lapply(tree$parts, function(part) unname(rr_matrix(part)))
L <- lapply(C, function(C) t(solve(C)))
counts <- list(c(95, 75), c(12, 73, 40, 35, 70))
n <- 400
evidence <- new_evidence(law, c(170, counts[[1]], 230, counts[[2]]), n, n, 5)
least_squares_of <- function(variances) {
  weighted <- X / variances[depth]
  K <- solve(rbind(cbind(crossprod(X, weighted), 1), c(rep(1, 5), 0)))[1:5, ]
  list(matrix = K[, 1:5] %*% t(weighted), constant = K[, 6])
}
fit <- least_squares_of(law$unit / c(170, 230))
phi <- list(counts[[1]] / 170, counts[[2]] / 230)
theta <- drop(fit$matrix %*% c(L[[1]] %*% phi[[1]], L[[2]] %*% phi[[2]])) + fit$constant
population <- Reduce(`+`, lapply(1:2, function(l) {
  terms <- fit$matrix[, depth == l] %*% L[[l]]
  terms %*% (diag(phi[[l]]) - tcrossprod(phi[[l]])) %*% t(terms) / (c(170, 230)[l] - 1)
}))
# Sampled truths add (diag(theta) - theta theta') / N, of which this estimate is unbiased.
sample <- population - (diag(theta) - tcrossprod(theta) + population) / n

test_that("its covariances are those of both depths' reports, less what comes from sampling the truths", {
  expect_equal(law_unbiased(law, evidence), theta)
  J <- rbind(c(1, 1, 0, 0, 0), 1:5, c(0, 2, -1, 0, 0))
  for (target in c("population", "sample")) {
    V <- list(population = population, sample = sample)[[target]]
    expect_equal(law_functions(law, evidence, J, target), J %*% V %*% t(J))
    expect_equal(law_functions(law, evidence, J, target, variances = TRUE), diag(J %*% V %*% t(J)))
    expect_equal(unbiased_covariance(law, evidence, c(4L, 1L), target, TRUE), V[c(4, 1), c(4, 1)])
    expect_equal(unbiased_variances(law, evidence, c(4L, 1L), target, TRUE), diag(V)[c(4, 1)])
  }
  variances <- (law$unit / c(170, 230))[depth]
  expect_equal(law_null_std_error(law, evidence), sqrt(drop(fit$matrix^2 %*% variances)))
})

test_that("its intervals are score intervals with the second moment that was estimated", {
  for (target in c("population", "sample")) {
    variance <- n * diag(list(population = population, sample = sample)[[target]])
    second <- variance + pmax(if (target == "population") theta^2 else theta, 0)
    expect_equal(law_intervals(law, evidence, NULL, "wilson", 0.9, 5:1, target), moment_intervals(theta[5:1], second[5:1], second[5:1], n, 0.9, target))
  }
  expect_true(any(theta < 0))
})

test_that("the mean squares of a linear function, given each truth, are those of all reports of all depths", {
  weights <- c(2, -1, 0.5, 3, 1)
  drawn <- least_squares_of(law$unit)
  constant <- sum(weights * drawn$constant)
  expected <- Reduce(`+`, lapply(1:2, function(l) {
    terms <- 2 * drop(weights %*% drawn$matrix[, depth == l] %*% L[[l]]) + constant
    drop(crossprod(X[depth == l, ], C[[l]] %*% terms^2)) / 2
  }))
  expect_equal(law_second_moments(law, 5, weights), expected)
})

test_that("expected reports are shares of both depths; reports of the deepest support the levels", {
  shares <- c(0.4, 0.1, 0.2, 0.25, 0.05)
  expect_equal(law_expected(law, shares), c(1, shares %*% t(X[1:2, ]) %*% C[[1]], 1, shares %*% C[[2]]) / 2)
  expect_equal(supporting_counts(law, evidence), list(counts = counts[[2]], n = 230))
  expect_error(law_unbiased(law, replace(evidence, "counts", list(c(0, 0, 0, 230, counts[[2]])))), class = "candor_error_empty")
})

test_that("a report that no truth gives is found at its depth, and each depth is doubted at its part of alpha", {
  never <- law
  never$laws <- lapply(c(2, 5), function(k) new_law_support(replace(rep(0.5, k), 1, 0), replace(rep(0.2, k), 1, 0)))
  expect_equal(law_impossible(never, c(9, 0, 1, 9, 0, 1, 1, 1, 1)), 0)
  expect_equal(law_impossible(never, c(9, 1, 1, 9, 1, 1, 1, 1, 1)), 2)
  expect_equal(law_impossible(never, c(9, 0, 1, 9, 1, 1, 1, 1, 1)), 5)
  # Of 230 reports of the fifth level nobody holds: a binomial tail of alpha, over two depths and two tails of five counts.
  low <- stats::qbinom(0.01 / 2 / 10, 230, C[[2]][1, 2])
  odd <- function(count) law_unlikely(law, replace(evidence, "counts", list(c(170, counts[[1]], 230, replace(counts[[2]], 5, count)))), 0.01)
  expect_identical(c(odd(low), odd(low - 1)), c(FALSE, TRUE))
})

test_that("a hierarchy has a likelihood if each of its depths has one", {
  expect_true(law_gives(law, "likelihood"))
  bits <- new_law_support(0.6, 0.2)
  for (laws in list(list(law$laws[[1]], bits), list(bits, law$laws[[2]]))) expect_false(law_gives(replace(law, "laws", list(laws)), "likelihood"))
  expect_false(law_gives(law, "simulation"))
})

test_that("a depth that nobody drew is refused, whatever its oracle; one person is enough", {
  bits <- rr_law(rr_hierarchy(4, 2, fanout = 2, oracle = rr_unary))
  expect_error(law_unbiased(bits, new_evidence(bits, c(0, 0, 0, 8, 3, 2, 2, 1), 8, 8, 4)), class = "candor_error_empty")
  few <- replace(evidence, "counts", list(c(1, 0, 1, 230, counts[[2]])))
  drawn <- least_squares_of(law$unit / c(1, 230))
  expect_equal(law_unbiased(law, few), drop(drawn$matrix %*% c(L[[1]] %*% c(0, 1), L[[2]] %*% phi[[2]])) + drawn$constant)
})

test_that("kept sets go to the depth of their first byte, with as many bytes as its oracle has, or none", {
  unary <- rr_law(rr_hierarchy(9, 2, fanout = 3, oracle = rr_unary))
  mixed <- rr_law(rr_hierarchy(9, 2, fanout = 3, oracle = function(k, epsilon) if (k > 3) rr_unary(k, epsilon) else rr_grr(k, epsilon)))
  # Three bits are one byte, nine are two; and one byte says which depth.
  expect_identical(c(set_bytes(unary, 9), set_bytes(mixed, 9), set_bytes(law, 5)), c(3, 3, 0))
  bits <- rbind(as.raw(c(2, 5, 1)), as.raw(c(1, 6, 0)), as.raw(c(2, 2, 0)))
  sets <- list(bits = bits, times = c(3, 4, 5))
  by_depth <- function(law) lapply(depth_laws(replace(law, "sets", list(sets))), `[[`, "sets")
  deepest <- list(bits = bits[c(1, 3), 2:3], times = c(3, 5))
  expect_identical(by_depth(unary), list(list(bits = matrix(as.raw(6)), times = 4), deepest))
  expect_identical(by_depth(mixed), list(NULL, deepest))
})

test_that("variances are computed for as many levels at a time as make two million weights", {
  chunks <- function(truths) {
    asked <- list()
    variances <- with_calls(unbiased_variances.rr_law_hierarchy, unit_rows = function(cells, k) cells, law_functions = function(law, evidence, cells, ...) {
      asked[[length(asked) + 1]] <<- cells
      -cells
    })
    expect_identical(variances(list(truths = truths), NULL, 5:1, "population", TRUE), -(5:1))
    asked
  }
  expect_identical(chunks(1e6), list(5:4, 3:2, 1L))
  expect_identical(chunks(5e5), list(5:2, 1L))
  expect_identical(chunks(3e6), list(5L, 4L, 3L, 2L, 1L))
})

test_that("a function of a hierarchy has no second moments if those of one depth are not known", {
  # All truths give the same reports.
  flat <- function(k) new_law_channel(list(list(matrix = matrix(0.5, 2, k))))
  for (laws in list(list(law$laws[[1]], flat(5)), list(flat(2), law$laws[[2]]))) {
    expect_null(law_second_moments(replace(law, "laws", list(laws)), 5, 1:5))
  }
})

test_that("the rows of a depth are the probabilities of its reports given each node, of kept sets but for a factor", {
  grr <- rr_grr(3, 1)
  expect_equal(node_rows(rr_law(grr), 3), list(matrix = t(unname(rr_matrix(grr))), logs = numeric(3)))
  supports <- bits_law(0.7, 0.2)
  bits <- rbind(c(1L, 0L, 0L), c(1L, 0L, 1L))
  supports$sets <- list(bits = .Call(C_rr_matrix_to_bits, bits)$bits, times = c(5, 2))
  chances <- vapply(1:3, function(node) {
    one <- replace(rep(0.2, 3), node, 0.7)
    apply(bits, 1, function(bit) prod(ifelse(bit == 1, one, 1 - one)))
  }, numeric(2))
  rows <- node_rows(supports, 3)
  expect_equal(rows$matrix / rowSums(rows$matrix), chances / rowSums(chances))
  expect_length(rows$logs, 2)
})

test_that("kept sets of a hierarchy count as many people as their weights are worth", {
  bits <- rr_law(rr_hierarchy(4, 2, fanout = 2, oracle = rr_unary))
  # Depth 1 has two bits, depth 2 four.
  bits$sets <- list(bits = rbind(as.raw(c(1, 1)), as.raw(c(2, 5)), as.raw(c(1, 3)), as.raw(c(2, 8))), times = c(3, 4, 2, 1))
  counts <- c(5, 5, 2, 5, 4, 0, 4, 1)
  reports <- function(effective_n) report_channel(bits, new_evidence(bits, counts, 10, effective_n, 4))
  expect_equal(reports(10)$evidence$counts, c(3, 2, 4, 1))
  expect_equal(reports(5)$evidence$counts, c(1.5, 1, 2, 0.5))
  # Two leaves are below each node of the first depth.
  matrix <- reports(10)$law$axes[[1]]$matrix
  expect_identical(matrix[1:2, c(1, 3)], matrix[1:2, c(2, 4)])
})
