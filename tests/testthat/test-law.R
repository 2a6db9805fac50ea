# What a law cannot give is refused, by the law's own words, also when the check before it was forgotten.

test_that("a law without a channel, a simulation, a likelihood or an update gives an error of its class", {
  laws <- list(support = rr_law(rr_unary(3, 1)), bloom = rr_law(rr_bloom(3, 1)))
  evidence <- list(counts = c(5, 3, 2), n = 8, k = 3)
  for (law in laws) {
    expect_error(law_axes(law, 3), law$words, class = "candor_error_law", fixed = TRUE)
    expect_error(law_axes(law, 3), "known probabilities|matrix|channel", class = "candor_error_argument")
  }
  mean <- new_rr_law("toy", "nobody knows what a report says")
  expect_error(law_simulate(mean, c(1, 2), 3), "counts that can be simulated", class = "candor_error_law")
  expect_error(report_channel(mean, evidence), "nobody knows what a report says", class = "candor_error_law")
  expect_identical(law_impossible(mean, c(1, 2)), 0)
  # Nothing is learned where all truths have the same reports.
  expect_true(law_tells_nothing(replace(mean, "difference", 0)))
  expect_false(law_tells_nothing(replace(mean, "difference", 1e-6)))
  expect_false(law_tells_nothing(mean))
})

test_that("weights become shares, and none are even shares", {
  expect_identical(to_sum_1(c(1, 3)), c(0.25, 0.75))
  expect_identical(to_sum_1(c(0, 0, 0, 0)), rep(0.25, 4))
})

test_that("an absent category has the standard error of its unbiased scores, under each law", {
  n <- 1000
  channels <- list(rr_grr(4, epsilon = 1), rr_forced(c(a = 0.1, b = 0.2, c = 0.15)), rr_geometric(1:4, 1), rr_triangular(0.3), rr_hadamard(5, 1),
                   rr_hadamard(5, 1.5, blocks = 2), rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.15, 0.05, 0.8))), rr_projective(4, 1))
  for (m in channels) {
    C <- unname(rr_matrix(m))
    k <- nrow(C)
    for (absent in c(1, k)) {
      theta <- prop.table(replace(k:1, absent, 0))
      phi <- drop(theta %*% C)
      evidence <- new_evidence(rr_law(m), n * phi, n, n, k, m)
      unbiased <- law_unbiased(rr_law(m), evidence)
      expect_equal(unbiased, theta, tolerance = 1e-9, ignore_attr = TRUE)
      # The score of a report for each truth, from estimates of that report alone.
      scores <- vapply(seq_along(phi), function(y) law_unbiased(rr_law(m), new_evidence(rr_law(m), 1 * (seq_along(phi) == y), 1, 1, k, m)), theta)
      expect_equal(rep_len(evidence$blank_error(), k)[absent], sqrt(sum(phi * scores[absent, ]^2) / n), tolerance = 1e-9)
    }
  }
  # A bit of an absent category is 1 with probability q.
  for (m in list(rr_unary(4, 1), rr_unary(4, p = 0.7, q = 0.4), rr_subset(5, 1), rr_local_hash(5, 1), rr_bitflip(5, 1, d = 5))) {
    law <- rr_law(m)
    evidence <- group_evidence(withr::with_seed(1, rr_tally(rr_perturb(rep(1, 500), m, rng = "R"), m)), 1)
    expect_equal(evidence$blank_error()[1], sqrt(law$q[1] * (1 - law$q[1]) / 500) / abs(law$p[1] - law$q[1]), tolerance = 1e-9)
  }
})

test_that("some of the covariances, one too, are those of the whole matrix at their places", {
  set.seed(6)
  mechanisms <- list(rr_grr(4, 1), rr_unary(4, 1), rr_geometric(4, 1), rr_hadamard(4, 1, blocks = 2), rr_bitflip(4, 2, d = 2),
                     rr_bloom(4, 3, bits = 8, cohorts = 2), rr_hierarchy(4, 2, fanout = 2))
  for (mechanism in mechanisms) {
    law <- rr_law(mechanism)
    evidence <- new_evidence(law, rr_tally(rr_perturb(rep(1:4, 40:37), mechanism, rng = "R"), mechanism)$counts, 154, 154, 4, mechanism)
    for (map in list(identity_map(4), list(jacobian = matrix(0.5, 4, 4), unbiased = FALSE))) {
      V <- law_covariance(law, evidence, map, 1:4, "sample")
      expect_identical(dim(V), c(4L, 4L))
      for (cells in list(2L, c(4L, 1L))) {
        expect_equal(law_covariance(law, evidence, map, cells, "sample"), V[cells, cells, drop = FALSE])
        expect_equal(law_variances(law, evidence, map, cells, "sample"), diag(V)[cells])
      }
    }
  }
})

test_that("more shares than a matrix is formed for have no covariance", {
  law <- new_law_support(0.6, 0.2)
  evidence <- new_evidence(law, c(40, 30, 20), 100, 100, 3)
  map <- list(support = c(TRUE, TRUE, FALSE), alpha = 2, u = c(0.5, 0.5, 0), jacobian = NULL, unbiased = FALSE)
  for (limit in 1:3) {
    mapped <- with_calls(mapped_covariance, covariance_cells = limit)(law, evidence, map, c(3L, 1L), "population")
    expect_identical(is.na(mapped), matrix(limit < 2, 2, 2))
    moved <- with_calls(jacobian_covariance, covariance_cells = limit)(law, evidence, list(jacobian = diag(3), unbiased = FALSE), c(3L, 1L), "population")
    expect_identical(is.na(moved), matrix(limit < 3, 2, 2))
    channel <- new_law_channel(list(list(matrix = 0.2 + 0.4 * diag(3))))
    block <- with_calls(information_block, covariance_cells = limit)(channel, evidence, c(0.4, 0.6, 0), "population")
    expect_identical(is.null(block), limit < 2)
  }
})

test_that("evidence is counted in the effective number of people, and an unbiased variance divides by one less", {
  law <- new_law_support(0.6, 0.2)
  evidence <- new_evidence(law, c(40, 30, 20), 100, 50, 2)
  expect_equal(evidence$counts, c(20, 15, 10))
  expect_identical(evidence$raw, list(counts = c(40, 30, 20), n = 100))
  expect_equal(binomial_counts(law, evidence), list(counts = c(20, 15), n = 50))
  expect_equal(evidence$unbiased(), c(0.5, 0.25))
  expect_equal(evidence$blank_error(), sqrt(0.2 * 0.8 / 50) / 0.4)
  expect_identical(vapply(c(0.5, 1.5, 3), function(n) sampling_divisor(list(n = n), TRUE), 0), c(0, 0.5, 2))
  expect_identical(sampling_divisor(list(n = 3), FALSE), 3)
  # By hand: phi (1 - phi) / ((n - 1) a^2), for a function of one share too.
  few <- new_evidence(new_law_additive(0.5, 0.25), c(0.9, 0.6), 1.5, 1.5, 2)
  expect_equal(law_variances(few$law, few, identity_map(2), 1L, "population"), 0.24 / (0.5 * 0.25))
  expect_equal(functions_by_terms(few$law, few, diag(2), (diag(2) - 0.25) / 0.5, "population", TRUE), c(0.96, 0.96) / 0.5)
})

test_that("unbiased shares are rescaled, or projected, by hand", {
  law <- new_law_support(0.6, 0.2)
  evidence <- new_evidence(law, 100 * (0.2 + 0.4 * c(0.5, 0.6, -0.1)), 100, 100, 3)
  expect_equal(law_rescaled(law, evidence), c(5, 6, 0) / 11)
  expect_equal(law_projected(law, evidence), c(0.45, 0.55, 0))
})

test_that("a report speaks for a category if its unbiased score is above a half", {
  # Three truths, four reports; the last report is nearly as likely under the first two truths.
  C <- rbind(c(0.6, 0.1, 0.1, 0.2), c(0.1, 0.6, 0.1, 0.2), c(0.1, 0.1, 0.7, 0.1))
  law <- new_law_channel(list(list(matrix = t(C))))
  evidence <- new_evidence(law, c(7, 5, 0, 3), 15, 15, 3)
  scores <- vapply(1:4, function(y) law_unbiased(law, list(counts = 1 * (1:4 == y), n = 1, k = 3)), numeric(3))
  expect_equal(supporting_counts(law, evidence), list(counts = drop((scores > 0.5) %*% c(7, 5, 0, 3)), n = 15))
  expect_equal(supporting_counts(law, evidence)$counts[1:2], c(7, 5))
  expect_identical(supporting_counts(new_law_additive(0.4, 0.2), list(counts = c(3, 4, 5), n = 12, k = 3)), list(counts = c(3, 4, 5), n = 12))
  expect_error(check_law(list(a = 1)), class = "candor_error_argument")
})

test_that("a law alone has what its kind was given, and has no other arguments", {
  toy <- new_rr_law("toy", "w", size = 3)
  expect_s3_class(toy, c("rr_law_toy", "rr_law"), exact = TRUE)
  expect_identical(toy[c("size", "words", "gives", "has_likelihood", "adds_up", "by_information")],
    list(size = 3, words = "w", gives = character(), has_likelihood = FALSE, adds_up = FALSE, by_information = FALSE))
  expect_null(toy$binomial)
  expect_false(law_gives(replace(toy, "sets", list(1)), "likelihood"))
  expect_refused(rr_law(rr_warner(0.8), other = 1), rr_law("yes"))
  # A difference of 1e-14 itself is one.
  expect_false(law_tells_nothing(replace(toy, "difference", 1e-14)))
  expect_true(law_tells_nothing(replace(toy, "difference", list(c(0, -0.9e-14)))))
  expect_false(law_tells_nothing(replace(toy, "difference", list(c(0, -0.5)))))
  expect_output(print(rr_new_law("support", 1 / 3, 1 / 7)), "p = 0.3333\n  q = 0.1429\n", fixed = TRUE)
})

test_that("a report of a score just above a half speaks for its category, weighted or not", {
  # The second report is a little likelier under the first truth.
  C <- rbind(c(0.6, 0.34, 0.06), c(0.08, 0.26, 0.66))
  law <- new_law_channel(list(list(matrix = t(C))))
  scores <- vapply(1:3, function(y) law_unbiased(law, list(counts = 1 * (1:3 == y), n = 1, k = 2)), numeric(2))
  expect_true(scores[1, 2] > 0.5 && scores[1, 2] < 0.75)
  expect_equal(scores %*% t(C), diag(2))
  expect_equal(supporting_counts(law, new_evidence(law, c(7, 5, 3), 15, 15, 2)), list(counts = c(12, 3), n = 15))
})

test_that("the rate of the update of kept sets is the largest eigenvalue of its derivative at the maximum", {
  law <- rr_law(rr_unary(3, epsilon = 2))
  member <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 1), c(1, 1, 0), c(0, 1, 1), c(0, 0, 0))
  times <- c(50, 40, 30, 20, 10, 30)
  law$sets <- list(bits = matrix(as.raw(c(1, 2, 4, 3, 6, 0))), times = times)
  evidence <- new_evidence(law, drop(times %*% member), 180, 180, 3)
  chance <- 1 + (exp(2) - 1) * member
  update <- function(theta) theta * drop((times / 180 / drop(chance %*% theta)) %*% chance)
  maximum <- rep(1 / 3, 3)
  for (i in 1:2000) maximum <- update(maximum)
  derivative <- vapply(1:3, function(v) (update(maximum + 1e-5 * (1:3 == v)) - update(maximum - 1e-5 * (1:3 == v))) / 2e-5, numeric(3))
  expect_equal(update_rate(law, evidence, maximum), max(Re(eigen(derivative)$values)), tolerance = 1e-6)
})

test_that("the covariance under a map is that of its matrix, whether it scales, moves towards shares, or both", {
  law <- new_law_support(c(0.6, 0.7, 0.55), c(0.2, 0.1, 0.25))
  evidence <- new_evidence(law, c(40, 30, 50), 100, 100, 3)
  whole <- unbiased_covariance(law, evidence, 1:3, "sample", FALSE)
  moved <- c(0.25, 0.5, 0)
  for (support in list(c(TRUE, TRUE, FALSE), rep(TRUE, 3))) {
    for (alpha in c(1, 2)) {
      for (u in list(numeric(3), moved, c(1, 0, 0), replace(moved, 2, 1))) {
        map <- list(support = support, alpha = alpha, u = u, unbiased = FALSE)
        matrix <- alpha * (diag(3) - u) * outer(support, support)
        expected <- matrix %*% whole %*% t(matrix)
        for (cells in list(1:3, c(3L, 2L), 3L)) {
          expect_equal(mapped_covariance(law, evidence, map, cells, "sample"), expected[cells, cells, drop = FALSE])
        }
        expect_identical(is_identity_map(map), alpha == 1 && all(u == 0))
      }
    }
  }
  map <- list(support = c(TRUE, TRUE, FALSE), alpha = 1, u = numeric(3), unbiased = TRUE)
  expect_equal(law_variances(law, evidence, map, c(3L, 1L), "population"), c(0, 0.4 * 0.6 / 99 / 0.4^2))
  expect_false(is_identity_map(c(identity_map(3), list(jacobian = diag(3)))))
  expect_false(is_identity_map(c(identity_map(3), list(information = c(0.5, 0.5, 0)))))
  expect_equal(placed_block(rbind(c(1, 2), c(3, 4)), c(5L, 2L), c(2L, 9L, 5L)), rbind(c(4, 0, 3), 0, c(2, 0, 1)))
})

test_that("linear functions of shares have a whole covariance, or its diagonal if that is asked for", {
  law <- new_law_support(0.6, 0.2)
  evidence <- new_evidence(law, c(40, 30, 50), 100, 100, 3)
  whole <- unbiased_covariance(law, evidence, 1:3, "sample", FALSE)
  functions <- rbind(c(1, -1, 0), c(0.5, 0, 2))
  expected <- functions %*% whole %*% t(functions)
  expect_equal(law_functions(law, evidence, functions, "sample"), expected)
  expect_equal(law_functions(law, evidence, functions, "sample", variances = TRUE), diag(expected))
  one <- jacobian_covariance(law, evidence, list(jacobian = rbind(c(2, 1, 0), 0, 0), unbiased = FALSE), 1L, "sample")
  expect_equal(one, matrix(sum(whole[1:2, 1:2] * c(4, 2, 2, 1))))
})
