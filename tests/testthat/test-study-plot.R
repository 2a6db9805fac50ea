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
  # The axis is that of what differs.
  expect_match(ggplot2::autoplot(by_epsilon)$labels$x, "epsilon")
  expect_no_match(ggplot2::autoplot(by_n)$labels$x, "epsilon")
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
  # Four numbers of respondents are all named, of five the powers of ten.
  named <- function(n) {
    several <- sets[rep(1:2, length(n)), ]
    several[c("metric", "n", "estimate")] <- list("coverage", rep(n, each = 2), 0.9)
    draw_joint(several, "coverage")$scales$get_scales("x")$breaks
  }
  expect_identical(named(c(100, 200, 500, 1000)), c(100, 200, 500, 1000))
  expect_equal(named(10^(1:5))(c(10, 1e5)), c(100, 10000))
  # Two truths have panels of their own, with their own means.
  truths <- rbind(both, transform(both, truth = "steep", estimate = estimate / 2))
  means <- ggplot2::layer_data(draw_joint(truths, "coverage"), 3)
  means <- means[order(means$PANEL, means$group, means$x), ]
  expect_identical(as.integer(means$PANEL), rep(1:2, each = 4))
  expect_equal(means$y, c(0.93, 0.945, 0.8, 0.9, c(0.93, 0.945, 0.8, 0.9) / 2))
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

# The drawn risks of truths named by letters, at these numbers of respondents or privacy levels.
lines_of <- function(n, epsilon = 1, truths = "a", linear = FALSE, told = suppressMessages) {
  by_epsilon <- length(n) == 1
  figures <- expand.grid(n = n, epsilon = epsilon, truth = truths, method = c("inv", "mle"), stringsAsFactors = FALSE)
  figures <- cbind(figures, k = 2, metric = "mse", estimate = seq(0.1, 0.9, length.out = nrow(figures)), mc.error = 0.01)
  data <- drawn_risks(figures, "mse", c("inv", "mle"))
  data$x <- if (by_epsilon) data$epsilon else data$n
  data$mechanism <- factor(data$method)
  shares <- lapply(setNames(truths, truths), function(name) c(0.7, 0.3))
  told(risk_lines(data, shares, by_epsilon, linear))
}

test_that("three rows of a grid have room on a usual picture, four have not, nor three whose names have six lines", {
  skip_if_not_installed("ggplot2")
  grid <- function(truths) lines_of(c(100, 1000), 1:2, truths, told = identity)
  expect_no_message(grid(letters[1:3]), class = "candor_message_height")
  expect_message(grid(letters[1:4]), class = "candor_message_height")
  long <- vapply(letters[1:3], function(letter) paste(rep(strrep(letter, 11), 6), collapse = " "), "")
  expect_message(grid(long), class = "candor_message_height")
  expect_no_message(grid(long[1:2]), class = "candor_message_height")
})

test_that("an axis names all of four values if its panels are wide, and the first and the last if three stand side by side", {
  skip_if_not_installed("ggplot2")
  named <- function(...) lines_of(...)$scales$get_scales("x")$breaks
  four <- c(100, 200, 500, 1000)
  expect_identical(named(four), four)
  expect_identical(named(four, truths = c("a", "b")), four)
  expect_identical(named(four, truths = c("a", "b", "c")), c(100, 1000))
  expect_identical(named(50, c(1, 2, 3, 4)), c(1, 2, 3, 4))
  expect_identical(named(four, 1:2), four)
  # Of five values, and in the narrow columns of three privacy levels, powers of ten alone.
  expect_identical(named(c(100, 300, 1000, 3000, 10000)), c(100, 1000, 10000))
  expect_identical(named(c(100, 300, 1000, 3000, 10000), 1:2), c(100, 1000, 10000))
  expect_identical(named(c(100, 1000, 3000, 10000), 1:3), c(100, 1000, 10000))
  # Errors from 1 to 1e6: seven powers, three if there are panels below.
  powers <- function(...) lines_of(...)$scales$get_scales("y")$breaks(c(1, 1e6))
  expect_equal(powers(four, truths = c("a", "b", "c")), 10^(0:6))
  for (truths in list(letters[1:4], letters[1:2])) expect_equal(powers(four, if (length(truths) == 2) 1:2 else 1, truths), 10^c(0, 3, 6))
})

test_that("lines are in the panel of their truth and privacy level, whose columns stand in order right of the true shares", {
  skip_if_not_installed("ggplot2")
  picture <- lines_of(c(100, 1000), c(4, 0.5), c("a", "b"))
  built <- ggplot2::ggplot_build(picture)
  layout <- built$layout$layout
  expect_identical(as.character(layout$column), rep(c("True shares", "epsilon = 0.5", "epsilon = 4"), 2))
  expect_identical(as.character(layout$panel), rep(c("a", "b"), each = 3))
  # The bars have the first column of each row, the lines the others.
  expect_setequal(built$data[[length(built$data)]]$PANEL, c(1, 4))
  lines <- built$data[[2]]
  expect_setequal(lines$PANEL, c(2, 3, 5, 6))
  # Rows of the table: respondents, privacy level 4 and 0.5, truth a and b, method inv and mle.
  estimate <- seq(0.1, 0.9, length.out = 16)
  expect_equal(sort(10^lines$y[lines$PANEL == 2]), estimate[c(3, 4, 11, 12)])
  expect_equal(sort(10^lines$y[lines$PANEL == 6]), estimate[c(5, 6, 13, 14)])
  # Beside the lines of one level there are no other columns, and the bars are those of each panel.
  row <- ggplot2::ggplot_build(lines_of(c(100, 1000), truths = c("a", "b", "c", "d"), linear = TRUE))
  expect_identical(as.integer(row$layout$layout$COL), c(1:3, 1L))
  expect_identical(as.integer(row$layout$layout$ROW), c(1L, 1L, 1L, 2L))
  expect_setequal(row$data[[length(row$data)]]$PANEL, 1:4)
  # Likelihoods have an axis for each truth, on which the bars reach from the lowest to the highest ribbon.
  ribbon <- row$data[[1]]
  bars <- row$data[[length(row$data)]]
  for (panel in 1:4) {
    bar <- bars[bars$PANEL == panel, ]
    here <- ribbon[ribbon$PANEL == panel, ]
    expect_equal(range(bar$ymin, bar$ymax), range(here$ymin, here$ymax))
  }
})

test_that("bars are two fifths as wide as the lines, and end before them by a seventh of these", {
  data <- data.frame(x = c(10, 1000), conf.low = c(1, 2), conf.high = c(3, 100), truth = "t", panel = factor("t"),
                     column = factor("c", c("True shares", "c")))
  bars <- truth_bars(data, list(t = c(0.5, 0.5)), TRUE, TRUE)
  # The axis is logarithmic, from 1 to 3.
  expect_equal(log10(max(bars$xmax)), 1 - 0.15 * 2)
  expect_equal(log10(max(bars$xmax)) - log10(min(bars$xmin)), 0.4 * 2)
  expect_identical(as.character(bars$column), rep("c", 2))
  grid <- truth_bars(data, list(t = c(0.5, 0.5)), FALSE, TRUE)
  expect_identical(grid$column, factor(rep("True shares", 2), levels(data$column)))
  # In a grid a row has a scale of its own, side by side panels of errors have one.
  both <- rbind(data, transform(data, truth = "u", panel = factor("u"), conf.high = c(50, 1e4)))
  both$panel <- factor(both$truth)
  shares <- list(t = c(0.5, 0.5), u = c(0.5, 0.5))
  expect_equal(truth_bars(both, shares, FALSE, FALSE)$ymax, c(100, 100, 1e4, 1e4))
  expect_equal(truth_bars(both, shares, TRUE, FALSE)$ymax, rep(1e4, 4))
  expect_equal(truth_bars(both, shares, TRUE, TRUE)$ymax, c(100, 100, 1e4, 1e4))
})

test_that("one cell has a row for each method, in the order of the study, with two Monte Carlo errors on either side", {
  skip_if_not_installed("ggplot2")
  study <- rr_study(c(0.6, 0.3, 0.1), 1, 200, c("mle", "inv", "invn"), replications = 5, seed = 1, workers = 1)
  for (metric in c("mse", "nll")) {
    picture <- ggplot2::autoplot(study, metric)
    expect_identical(levels(picture$data$label), c("invn", "inv", "mle"))
    rows <- study[study$metric == metric, ]
    shown <- picture$data[match(rows$method, picture$data$method), ]
    expect_equal(shown$estimate, rows$estimate)
    expect_equal(shown$conf.high, rows$estimate + 2 * rows$mc.error)
    expect_identical(as.character(shown$label), rows$method)
    # Errors have a logarithmic axis, likelihoods a linear one.
    points <- ggplot2::layer_data(picture, 3)$x
    expect_equal(sort(if (metric == "mse") 10^points else points), sort(rows$estimate))
  }
  expect_identical(levels(ggplot2::autoplot(study, methods = c("inv", "mle"))$data$label), c("inv", "mle"))
  two <- rr_study(c(0.6, 0.3, 0.1), 1, c(100, 200), c("mle", "inv"), replications = 5, seed = 1, workers = 1)
  expect_identical(levels(ggplot2::autoplot(two)$data$mechanism), c("mle", "inv"))
})
