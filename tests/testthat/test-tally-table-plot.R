skip_if_not_installed("ggplot2")

panels_of <- function(picture) levels(picture$data$panel)

test_that("totals of depths and cohorts are no bars: each has a panel with the shares of its own reports", {
  set.seed(1)
  days <- rr_hierarchy(0:15, 1)
  tally <- rr_tally(rr_perturb(rep(0:15, 200), days, rng = "R"), days)
  picture <- ggplot2::autoplot(tally)
  counts <- setNames(tally$counts, days$reports)
  expect_identical(panels_of(picture), sprintf("Depth %d (%s)", 1:2, format(counts[c("1", "2")], big.mark = ",", trim = TRUE)))
  # k-ary or Hadamard reports of one depth add up to 1.
  expect_equal(as.vector(tapply(picture$data$share, picture$data$panel, sum)), c(1, 1))
  expect_false(any(picture$data$share == counts["1"] / 3200))
  filters <- rr_bloom(c("a", "b"), epsilon = 2, cohorts = 3, bits = 8)
  tally <- rr_tally(rr_perturb(rep(c("a", "b"), 300), filters, rng = "R"), filters)
  picture <- ggplot2::autoplot(tally)
  expect_length(panels_of(picture), 3)
  expect_identical(nrow(picture$data), 24L)
  counts <- matrix(tally$counts, 9)
  expect_equal(picture$data$share, as.vector(sweep(counts[1:8, ], 2, counts[9, ], `/`)))
  many <- rr_bloom(c("a", "b"), epsilon = 2, cohorts = 40, bits = 8)
  expect_length(panels_of(ggplot2::autoplot(rr_tally(rr_perturb(rep(c("a", "b"), 300), many, rng = "R"), many))), 12)
})

test_that("the tallest of thousands of bars is drawn as tall as it is", {
  counts <- rep(100, 5000)
  counts[1] <- 1000
  drawn <- ggplot2::layer_data(ggplot2::autoplot(rr_counts(counts, rr_grr(5000, epsilon = 3))))
  # Lines have a width of their own, whatever the number of categories; columns would be 0.1 pixels wide.
  expect_true(all(drawn$linewidth > 0) && identical(drawn$x, drawn$xend))
  expect_equal(max(drawn$yend), 1000 / 500900)
})

test_that("bins of numbers have an axis of numbers", {
  set.seed(2)
  wave <- rr_square_wave(seq(0, 200, 5), 2)
  fit <- rr_estimate(rr_perturb(200 * rbeta(4000, 2, 6), wave, rng = "R"), wave)
  picture <- ggplot2::autoplot(fit)
  expect_equal(picture$data$at, seq(2.5, 197.5, 5))
  # Few bins keep their labels, and so do those that are ordered by their share.
  few <- rr_square_wave(seq(0, 10, 2), 2)
  expect_null(ggplot2::autoplot(rr_estimate(rr_perturb(runif(500, 0, 10), few, rng = "R"), few))$data[["at"]])
  expect_null(ggplot2::autoplot(fit, order = TRUE)$data[["at"]])
})
