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
