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
