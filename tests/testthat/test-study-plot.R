two_truths <- list(even = zipf_shares(20, 0.01), steep = zipf_shares(20, 2))

test_that("a study has a row of panels for each truth, a column for its shares and for each privacy level", {
  skip_if_not_installed("ggplot2")
  study <- rr_study(two_truths, c(1, 4), c(100, 1000), replications = 10, seed = 1)
  picture <- ggplot2::autoplot(study)
  built <- ggplot2::ggplot_build(picture)
  expect_equal(nrow(built$layout$layout), 6)
  expect_equal(as.character(unique(built$layout$layout$column)), c("True shares", "epsilon = 1", "epsilon = 4"))
  expect_equal(picture$labels$subtitle, "K = 20")
  drawn <- ggplot2::layer_data(ggplot2::autoplot(study, "tv", "mle"), 2)
  expect_equal(sort(10^drawn$y), sort(study$estimate[study$metric == "tv" & study$method == "mle"]))
  expect_refused(ggplot2::autoplot(study, "error"), ggplot2::autoplot(study, methods = "ibu"))
})

test_that("one privacy level or one number of respondents is a row of panels with the true shares at the left of each", {
  skip_if_not_installed("ggplot2")
  by_n <- rr_study(two_truths, 2, c(100, 1000), replications = 4, seed = 1)
  by_epsilon <- rr_study(two_truths, c(1, 2, 4), 100, replications = 4, seed = 1)
  for (study in list(by_n, by_epsilon)) {
    picture <- ggplot2::autoplot(study)
    built <- ggplot2::ggplot_build(picture)
    expect_equal(built$layout$layout$ROW, c(1, 1), ignore_attr = TRUE)
    bars <- built$data[[length(built$data)]]
    lines <- built$data[[2]]
    for (panel in 1:2) {
      bar <- bars[bars$PANEL == panel, ]
      # Twenty bars of one width stand left of the lines, and the logarithm of their heights is to the largest as the shares are.
      expect_equal(nrow(bar), 20)
      expect_lt(max(bar$xmax), min(lines$x))
      expect_equal(diff(bar$xmin), rep(diff(bar$xmin)[1], 19))
      height <- bar$ymax - bar$ymin
      expect_equal(height / max(height), two_truths[[panel]] / max(two_truths[[panel]]))
    }
  }
  expect_equal(ggplot2::autoplot(by_n)$labels$subtitle, "K = 20, epsilon = 2")
  expect_equal(ggplot2::autoplot(by_epsilon)$labels$subtitle, "K = 20, N = 100")
})

test_that("bars of many categories are means of neighbours, and a likelihood has a linear scale", {
  skip_if_not_installed("ggplot2")
  theta <- zipf_shares(100, 1)
  study <- rr_study(list(theta), 2, c(100, 1000), replications = 4, seed = 1)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(study, "nll"))
  bars <- built$data[[length(built$data)]]
  sums <- colSums(matrix(theta, 5))
  expect_equal((bars$ymax - bars$ymin) / max(bars$ymax - bars$ymin), sums / max(sums))
  ribbon <- built$data[[1]]
  expect_equal(range(bars$ymin, bars$ymax), range(ribbon$ymin, ribbon$ymax))
  # Classes of 50 categories have two or three of them: equal shares have bars of one height.
  even <- rr_study(list(rep(0.02, 50)), 2, c(100, 1000), replications = 4, seed = 1)
  bars <- tail(ggplot2::ggplot_build(ggplot2::autoplot(even, "nll"))$data, 1)[[1]]
  expect_equal(bars$ymax, rep(bars$ymax[1], 20))
})

test_that("twelve truths side by side name the height of their four rows, and each name has its lines", {
  skip_if_not_installed("ggplot2")
  truths <- setNames(rep(two_truths[1], 12), paste("a distribution of", 1:12, "steps"))
  study <- rr_study(truths, 2, c(100, 1000), replications = 2, seed = 1)
  expect_message(picture <- ggplot2::autoplot(study), "4 rows", class = "candor_message_height")
  layout <- ggplot2::ggplot_build(picture)$layout$layout
  expect_equal(range(layout$ROW, layout$COL), c(1, 4), ignore_attr = TRUE)
  grid <- rr_study(truths[1:5], c(1, 2), c(100, 1000), replications = 2, seed = 1)
  expect_message(ggplot2::autoplot(grid), "5 rows", class = "candor_message_height")
})
