test_that("a study has a row of panels for each truth and a column for each privacy level", {
  skip_if_not_installed("ggplot2")
  study <- rr_study(list(even = zipf_shares(20, 0.01), steep = zipf_shares(20, 2)), c(1, 4), c(100, 1000), replications = 10, seed = 1)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(study))
  expect_equal(nrow(built$layout$layout), 4)
  drawn <- ggplot2::layer_data(ggplot2::autoplot(study, "tv", "mle"), 2)
  expect_equal(sort(10^drawn$y), sort(study$estimate[study$metric == "tv" & study$method == "mle"]))
  expect_refused(ggplot2::autoplot(study, "error"), ggplot2::autoplot(study, methods = "ibu"))
})
