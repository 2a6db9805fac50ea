# Hadamard response from its definition: Sylvester's matrix, the channel C and the terms c h of the estimate, written
# out for five categories in two blocks of four columns, and in one block of eight.

sylvester <- function(size) if (size == 1) matrix(1) else kronecker(matrix(c(1, 1, 1, -1), 2), sylvester(size / 2))

hadamard_world <- function(k, blocks, size, epsilon, counts) {
  h <- matrix(0, k, blocks * size)
  for (v in seq_len(k) - 1) {
    block <- v %% blocks
    h[v + 1, block * size + seq_len(size)] <- sylvester(size)[v %/% blocks + 2, ]
  }
  E <- exp(epsilon)
  Z <- E + 2 * blocks - 1
  n <- sum(counts)
  law <- new_law_hadamard(k, blocks, size, epsilon)
  list(law = law, h = h, C = 2 / (size * Z) * (1 + (E - 1) * (h == 1)), L = Z / (E - 1) * h, c = Z / (E - 1), n = n, k = k,
       phi = counts / n, evidence = new_evidence(law, counts, n, n, k))
}
two <- hadamard_world(5, 2, 4, 1.1, c(20, 31, 12, 25, 40, 22, 18, 27))
one <- hadamard_world(5, 1, 8, 0.8, c(20, 31, 12, 25, 40, 22, 18, 27))

test_that("matrix, scale, expected shares and estimate are those of the definition", {
  expect_equal(hadamard_signs(c(3L, 0L, 3L, 1L), 0:3), sylvester(4)[c(4, 1, 4, 2), ])
  expect_identical(odd_bits(c(0L, 1L, 3L, 7L, 65536L, 65537L, 2^30)), c(0L, 1L, 0L, 1L, 1L, 0L, 1L))
  for (world in list(two, one)) {
    expect_equal(hadamard_scale(world$law), world$c)
    expect_equal(law_matrix(world$law, 5), world$C)
    theta <- c(0.4, 0.1, 0.2, 0.05, 0.25)
    expect_equal(law_expected(world$law, theta), drop(theta %*% world$C))
    expect_equal(world$L %*% t(world$C), diag(5))
    expect_equal(law_unbiased(world$law, world$evidence), drop(world$L %*% world$phi))
    expect_equal(hadamard_terms(world$law, rbind(1:5, c(2, -1, 0, 3, 0.5))), t(rbind(1:5, c(2, -1, 0, 3, 0.5)) %*% world$L))
  }
})

test_that("covariances, moments and linear functions are those of the terms", {
  J <- rbind(c(1, 2, 0, -1, 0.5), c(0, 0, 1, 1, 0))
  cells <- c(5L, 1L, 4L, 2L)
  # Products of terms of rows whose xor is nobody's row have the mean 0, which counts of a truth have exactly.
  for (world in list(two, one)) {
    world <- hadamard_world(5, world$law$blocks, world$law$size, world$law$epsilon, 200 * drop(c(0.4, 0.1, 0.2, 0.05, 0.25) %*% world$C))
    theta <- drop(world$L %*% world$phi)
    second <- world$L %*% diag(world$phi) %*% t(world$L)
    expect_equal(term_products(world$law, world$evidence, cells), second[cells, cells])
    expect_equal(term_squares(world$law, world$evidence, cells), diag(second)[cells])
    population <- (second - tcrossprod(theta)) / (world$n - 1)
    sample <- (second - diag(theta)) / world$n
    expect_equal(law_covariance(world$law, world$evidence, identity_map(5), cells, "population"), population[cells, cells])
    expect_equal(law_variances(world$law, world$evidence, identity_map(5), cells, "sample"), diag(sample)[cells])
    expect_equal(law_functions(world$law, world$evidence, J, "population"), J %*% population %*% t(J))
    expect_equal(law_functions(world$law, world$evidence, J, "sample", TRUE), diag(J %*% sample %*% t(J)))
    w <- c(2, -1, 0.5, 3, 1)
    expect_equal(law_second_moments(world$law, 5, w), drop(world$C %*% drop(w %*% world$L)^2))
    # The square of each term is c^2 if the report lies in the block.
    expect_equal(rep_len(law_null_std_error(world$law, world$evidence), 5), sqrt(diag(second) / world$n))
  }
})

test_that("the interval has the moments of a truth and of the others as they are mixed; one block has binomial counts", {
  theta <- c(0.4, 0.1, 0.2, 0.05, 0.25)
  others <- vapply(1:5, function(v) sum(two$L[v, ]^2 * drop(replace(theta, v, 0) %*% two$C)) / (1 - theta[v]), 0)
  truth <- rowSums(two$L^2 * two$C)
  for (target in c("population", "sample")) {
    expected <- moment_intervals(drop(two$L %*% two$phi), truth, others, two$n, 0.9, target)
    expect_equal(law_intervals(two$law, two$evidence, theta, "wilson", 0.9, c(4L, 1L), target), lapply(expected, `[`, c(4, 1)))
    # A report supports the truth with E / (E + 1), any other category with 1 / 2.
    supports <- drop((one$h == 1) %*% one$phi)
    p <- exp(0.8) / (exp(0.8) + 1)
    expected <- binomial_intervals(p - 0.5, 0.5, 1.5 - p, supports, one$n, "wilson", 0.9, target)
    expect_equal(law_intervals(one$law, one$evidence, theta, "wilson", 0.9, c(4L, 1L), target), lapply(expected, `[`, c(4, 1)))
  }
  expect_equal(binomial_counts(one$law, one$evidence), list(counts = one$n * drop((one$h == 1) %*% one$phi), n = one$n))
  expect_identical(c(law_gives(one$law, "exact"), law_gives(two$law, "exact")), c(TRUE, FALSE))
})

test_that("an axis as a matrix has the terms as its inverse, made to add up to 1", {
  for (world in list(two, one)) {
    axis <- dense_axis(law_axes(world$law)[[1]])
    expect_equal(axis$matrix, t(world$C))
    terms <- t(world$L)
    expect_equal(axis$inverse, terms + (1 - rowSums(terms)) / 5)
  }
  bits <- rbind(c(1L, 0L, 0L), c(1L, 0L, 1L), c(0L, 1L, 1L))
  sets <- list(truths = 3, bits = .Call(C_rr_matrix_to_bits, bits)$bits, low = 0.2, high = 0.6, q = 0.25, difference = 0.5)
  axis <- dense_axis(sets)
  expect_equal(axis$matrix, 0.2 + 0.4 * bits)
  terms <- (bits - 0.25) / 0.5
  expect_equal(axis$inverse, terms + (1 - rowSums(terms)) / 3)
  dense <- list(matrix = diag(2))
  expect_identical(dense_axis(dense), dense)
  expect_error(dense_axis(list(truths = 6000, blocks = 1, size = 8192)), class = "candor_error_too_large")
})

test_that("simulated counts have the mean and variance of fixed truths", {
  set.seed(6)
  truth <- c(30, 0, 20, 5, 10)
  for (world in list(two, one)) {
    x <- law_simulate(world$law, truth, 3000)
    expect_identical(colSums(x), rep(65, 3000))
    mean <- drop(truth %*% world$C)
    variance <- drop(truth %*% (world$C * (1 - world$C)))
    expect_true(all(abs(rowMeans(x) - mean) < 4 * sqrt(variance / 3000)))
    expect_true(all(abs(apply(x, 1, var) / variance - 1) < 5 * sqrt(2 / 3000)))
  }
})

test_that("counts are doubted from one standard deviation beyond the normal tail, below only", {
  # Everybody reports columns where category 1 of one block has the sign -1: its estimate is -c times their share.
  doubt <- function(share, alpha) {
    counts <- 1000 * ifelse(one$h[1, ] == -1, share, 1 - share) / 4
    law_unlikely(one$law, new_evidence(one$law, counts, 1000, 1000, 5), alpha)
  }
  # z = sqrt(1000) (1 - 2 share): the limit of five categories.
  limit <- -stats::qnorm(0.01 / 5) + 1
  expect_false(doubt(0.5 + (limit - 0.01) / sqrt(1000) / 2, 0.01))
  expect_true(doubt(0.5 + (limit + 0.01) / sqrt(1000) / 2, 0.01))
  expect_false(doubt(0.5 - (limit + 0.5) / sqrt(1000) / 2, 0.01))
  empty <- new_evidence(two$law, c(4, 5, 3, 6, 0, 0, 0, 0), 18, 18, 5)
  expect_false(law_unlikely(two$law, empty, 0.01))
})

test_that("the blanket is the least likely report, as often as there are reports, with the largest distance of two truths; a bit supports its half", {
  for (world in list(two, one)) {
    weight <- 8 * min(world$C)
    distance <- max(stats::dist(world$C, "manhattan")) / 2
    expect_equal(law_blanket(world$law, 5, world$law$epsilon), two_level_blanket(weight, distance, world$law$epsilon))
  }
  # A column of four and a sign, which is that of the truth's row with the odds of E.
  E <- exp(0.8)
  signs <- cbind(sylvester(4)[2:4, ], -sylvester(4)[2:4, ])
  C <- ifelse(signs == 1, E, 1) / (E + 1) / 4
  both <- function(x, v, w) sum(C[x, signs[v, ] == 1 & signs[w, ] == 1])
  law <- hadamard_bit_law(0.8)
  expect_equal(unclass(law)[c("p", "q", "both_own", "both_other", "difference", "odds")],
               list(p = both(1, 1, 1), q = both(1, 2, 2), both_own = both(1, 1, 2), both_other = both(1, 2, 3),
                    difference = both(1, 1, 1) - both(1, 2, 2), odds = E - 1))
  # In one block counts are binomial.
  expect_equal(one$law$binomial, list(a = E / (E + 1) - 1 / 2, b = 1 / 2, odds = E - 1))
  expect_null(two$law$binomial)
})
