test_that("designs made from a privacy level have it, by enumeration, and never exceed it when they are drawn", {
  for (epsilon in c(1e-6, 0.3, 1, 2.5, 8)) {
    designs <- list(rr_crosswise(epsilon = epsilon), rr_kuk(epsilon = epsilon), rr_forced(epsilon = epsilon),
                    rr_forced(epsilon = epsilon, levels = c("a", "b", "c")), rr_unrelated(pi = 0.2, epsilon = epsilon),
                    rr_unrelated(pi = c(a = 0.5, b = 0.3, c = 0.2), epsilon = epsilon))
    for (design in designs) {
      channel <- rr_matrix(design)
      ratio <- max(apply(channel, 2, function(column) max(column) / min(column)))
      expect_equal(log(ratio), epsilon, tolerance = 1e-9)
      expect_equal(rr_epsilon(design), epsilon, tolerance = 1e-9)
      expect_lte(rr_epsilon(design, achieved = TRUE), epsilon * (1 + 1e-9))
    }
  }
  # Of large levels as well: the probability of the lie is not lost beside 1.
  for (design in list(rr_crosswise(epsilon = 40), rr_kuk(epsilon = 40), rr_forced(epsilon = 40))) expect_equal(rr_epsilon(design), 40, tolerance = 1e-9)
  expect_lt(rr_matrix(rr_crosswise(epsilon = 1))[2, 2], 0.5)
  both <- list(function() rr_crosswise(0.2, epsilon = 1), function() rr_kuk(0.2, 0.3, epsilon = 1), function() rr_forced(0.2, epsilon = 1),
               function() rr_unrelated(0.2, 0.3, epsilon = 1), function() rr_crosswise(), function() rr_kuk(), function() rr_forced(),
               function() rr_unrelated(pi = 0.3), function() rr_kuk(0.8))
  for (call in both) expect_error(call(), class = "candor_error_argument")
  for (epsilon in list(0, -1, "1", 1e4)) expect_error(rr_forced(epsilon = epsilon), class = "candor_error_argument")
})
