test_that("a study is drawn in the papers' layout", {
  skip_if_not_installed("ggplot2")
  study <- rr_study(list(even = zipf_shares(20, 0.01), steep = zipf_shares(20, 2)), c(1, 4), c(100, 1000), replications = 10, seed = 1)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(study))
  # Two truths by two privacy levels, and the truths on the left.
  expect_equal(nrow(built$layout$layout), 6)
  expect_equal(nrow(ggplot2::ggplot_build(ggplot2::autoplot(study, "tv", "mle", truth = FALSE))$layout$layout), 4)
  expect_refused(ggplot2::autoplot(study, "error"), ggplot2::autoplot(study, methods = "ibu"))
})
