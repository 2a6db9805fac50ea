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

# A table of a study, by hand.
study_table <- function(...) {
  data.frame(truth = "even", k = 2, n = 100, epsilon = 1, method = "mle", metric = "mse", estimate = 1, mc.error = 0.1, ..., stringsAsFactors = FALSE)
}

test_that("what all rows have in common stands below the title, and panels are named by what differs", {
  data <- study_table()[c(1, 1), ]
  expect_identical(common_facts(data), "K = 2, N = 100, epsilon = 1")
  data$n <- c(100, 2000)
  expect_identical(common_facts(data), "K = 2, epsilon = 1")
  data$epsilon <- 1:2
  data$k <- c(2, 3)
  expect_null(common_facts(data))
  expect_identical(risk_panels(data), factor(c("even, K = 2", "even, K = 3")))
  data$truth <- c("steep", "K = 3, even")
  expect_identical(as.character(risk_panels(data)), c("steep, K = 2", "K = 3, even"))
  expect_identical(levels(risk_panels(data)), c("steep, K = 2", "K = 3, even"))
  data$mechanism <- c("u", "v")
  data$k <- 2
  expect_identical(as.character(risk_panels(data)), c("steep, u", "K = 3, even, v"))
})

test_that("errors have two Monte Carlo standard errors on either side, and a tenth of themselves at least", {
  data <- rbind(
    study_table(), replace(study_table(), "mc.error", 0.6), replace(study_table(), "mc.error", NA), replace(study_table(), "estimate", 0),
    replace(study_table(), "estimate", Inf), replace(study_table(), "method", "inv"), replace(study_table(), "metric", "tv")
  )
  drawn <- drawn_risks(data, "mse", "mle")
  expect_equal(drawn[c("estimate", "conf.low", "conf.high")], data.frame(estimate = 1, conf.low = c(0.8, 0.1, 1), conf.high = c(1.2, 2.2, 1)),
    ignore_attr = TRUE)
  expect_refused(drawn_risks(data, "nll", "mle"), drawn_risks(data[4, ], "mse", "mle"))
})

test_that("joint counts: biases in their Monte Carlo errors, rows or lines beside what a perfect interval has", {
  skip_if_not_installed("ggplot2")
  sets <- data.frame(term = c("a", "b", "a:b"), order = c(1, 1, 2), truth = "even", k = 2, n = 100, epsilon = 1, metric = "bias", estimate = c(3, -1, NA),
                     mc.error = c(2, 0.5, 1))
  bias <- draw_joint(sets, "bias")
  lines <- ggplot2::layer_data(bias, 2)
  expect_equal(lines[c("x", "xend")], data.frame(x = c(-0.5, -4), xend = c(3.5, 0)))
  expect_identical(as.integer(lines$y), 2:1)
  expect_equal(ggplot2::layer_data(bias, 3)$x, c(1.5, -2))
  target <- function(name) {
    picture <- draw_joint(transform(sets, metric = name, estimate = 0.9), name)
    layers <- length(picture$layers)
    lines <- ggplot2::layer_data(picture, 2)
    expect_equal(lines$xend - lines$x, 4 * sets$mc.error)
    ggplot2::layer_data(picture, layers)$xintercept
  }
  expect_identical(unname(c(ggplot2::layer_data(bias, length(bias$layers))$xintercept, target("std.error"), target("coverage"))), c(0, 1, 0.95))
  expect_error(draw_joint(sets, "coverage"), class = "candor_error_empty")
  # Two numbers of respondents: a point for each set, a line for the mean of each order.
  both <- transform(rbind(sets, sets), metric = "coverage", n = rep(c(100, 1000), each = 3), estimate = c(0.9, 0.96, 0.8, 0.94, 0.95, 0.9))
  picture <- draw_joint(both, "coverage")
  expect_identical(ggplot2::layer_data(picture, 1)$yintercept, 0.95)
  points <- ggplot2::layer_data(picture, 2)
  expect_equal(sort(points$y), sort(both$estimate))
  means <- ggplot2::layer_data(picture, 3)
  means <- means[order(means$group, means$x), ]
  expect_equal(means[c("x", "y")], data.frame(x = c(2, 3, 2, 3), y = c(0.93, 0.945, 0.8, 0.9)), ignore_attr = TRUE)
  expect_identical(picture$labels$subtitle, "K = 2, epsilon = 1")
})

test_that("errors above 0 are drawn with two Monte Carlo errors, but down to a tenth of them at most", {
  figures <- data.frame(truth = "t", k = 3, n = 1:6, method = rep(c("inv", "mle"), c(5, 1)), metric = "mse",
                        estimate = c(1, 0.5, 0, NA, 2, 3), mc.error = c(0.1, 0.4, 0.1, 0.1, NA, 0.1))
  drawn <- drawn_risks(figures, "mse", "inv")
  expect_equal(drawn$n, c(1, 2, 5))
  expect_equal(drawn$conf.low, c(0.8, 0.05, 2))
  expect_equal(drawn$conf.high, c(1.2, 1.3, 2))
  expect_refused(drawn_risks(figures, "tv", "inv"), drawn_risks(figures[3, ], "mse", "inv"))
})

test_that("the bars of the true shares are as high as the shares on the scale of their panel, or as the means of twenty classes", {
  data <- data.frame(x = c(10, 1000), conf.low = c(1, 2), conf.high = c(3, 100), truth = "t", panel = factor("t"), column = factor("c"))
  bars <- truth_bars(data, list(t = c(0.5, 0.3, 0.2)), TRUE, TRUE)
  expect_equal(bars$ymin, rep(1, 3))
  expect_equal(bars$ymax, 1 + 99 * c(1, 0.6, 0.4))
  expect_equal(log10(truth_bars(data, list(t = c(0.5, 0.3, 0.2)), TRUE, FALSE)$ymax), 2 * c(1, 0.6, 0.4))
  # Side by side, left of the first value.
  expect_equal(bars$xmin[-1], bars$xmax[-3])
  expect_lt(max(bars$xmax), 10)
  forty <- truth_bars(data, list(t = (1:40) / 820), TRUE, TRUE)
  expect_equal((forty$ymax - 1) / 99, seq(1.5, 39.5, 2) / 39.5)
})
