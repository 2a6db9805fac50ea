test_that("the paper's figures: the formulas are exact from 10 respondents on, the normal law is approached", {
  path <- system.file("studies", "carette.R", package = "candor")
  if (!nzchar(path)) path <- test_path("..", "..", "inst", "studies", "carette.R")
  study <- new.env()
  sys.source(path, study)
  data <- study$carette_study(c(10, 300, 1e4), runs = 4000, seed = 3)
  exact <- data[data$metric %in% c("mean", "standard deviation", "covariance", "variance estimate") & data$mc.error > 0, ]
  expect_gt(nrow(exact), 90)
  # 100 comparisons with a simulation: 4.5 of its standard errors is once in 1,500 runs of this test; the seed is fixed.
  expect_lt(max(abs(exact$simulated - exact$analytic) / exact$mc.error), 4.5)
  rare <- data[data$term == "x1:x2:x3:x4" & data$metric == "skewness" & data$what == "reported", ]
  expect_gt(rare$simulated[1], 2)
  expect_lt(abs(rare$simulated[3]), 0.2)
})
