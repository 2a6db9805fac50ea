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

test_that("few categories have a panel for each group, and a yes or no a row for each group", {
  grr <- rr_grr(c("a", "b", "c"), 1)
  picture <- ggplot2::autoplot(rr_counts(cbind(u = c(5, 3, 2), v = c(1, 2, 17)), grr))
  expect_equal(picture$data$share, c(0.5, 0.3, 0.2, 0.05, 0.1, 0.85))
  expect_identical(levels(picture$data$label), c("c", "b", "a"))
  expect_identical(as.character(picture$data$panel), rep(c("u", "v"), each = 3))
  has_panels <- function(picture) !inherits(picture$facet, "FacetNull")
  yes <- ggplot2::autoplot(rr_counts(cbind(u = c(no = 6, yes = 4), v = c(1, 3)), rr_warner(0.8)))
  expect_equal(yes$data$share, c(0.4, 0.75))
  expect_identical(as.character(yes$data$label), c("u", "v"))
  alone <- ggplot2::autoplot(rr_counts(c(no = 6, yes = 4), rr_warner(0.8)))
  expect_equal(alone$data$share, c(0.6, 0.4))
  expect_identical(c(has_panels(picture), has_panels(yes), has_panels(alone)), c(TRUE, FALSE, FALSE))
  groups <- function(n) rr_counts(matrix(3, 3, n, dimnames = list(NULL, seq_len(n))), grr)
  expect_s3_class(suppressMessages(ggplot2::autoplot(groups(60))), "ggplot")
  expect_refused(ggplot2::autoplot(groups(61)))
})

test_that("more than 40 categories stand along an axis, the most common first if they have no order", {
  counts <- c(2, 9, 4, rep(1, 38))
  shares <- function(mechanism) ggplot2::autoplot(rr_counts(counts, mechanism))$data$share * sum(counts)
  expect_equal(shares(rr_grr(paste0("v", 1:41), 1)), c(9, 4, 2, rep(1, 38)))
  expect_equal(shares(rr_grr(1:41, 1)), counts)
  expect_equal(shares(rr_channel(matrix(1 / 41, 2, 41) * c(1:41, 41:1) / 21)), counts)
  expect_null(tally_panels(rr_grr(40, 1)))
  # Two groups have a panel each, sorted in itself.
  both <- ggplot2::autoplot(rr_counts(cbind(u = counts, v = rev(counts)), rr_grr(paste0("v", 1:41), 1)))
  expect_equal(both$data$share, rep(c(9, 4, 2, rep(1, 38)) / 53, 2))
  expect_identical(both$data$position, rep(1:41, 2))
  expect_identical(panels_of(both), c("u", "v"))
  alone <- ggplot2::autoplot(rr_counts(counts, rr_grr(1:41, 1)))
  expect_identical(c(inherits(both$facet, "FacetNull"), inherits(alone$facet, "FacetNull")), c(FALSE, TRUE))
  geom <- function(k) class(report_bars(k)$geom)[1]
  expect_identical(c(geom(200), geom(201)), c("GeomCol", "GeomSegment"))
  expect_gt(report_bars(1000)$aes_params$linewidth, report_bars(1001)$aes_params$linewidth)
})

test_that("one question of many has a panel of its own reports, and one that nobody drew has none of them", {
  asked <- rr_product(a = rr_warner(0.8), b = rr_grr(c("x", "y", "z"), 1), asked = 1)
  picture <- ggplot2::autoplot(rr_counts(c(30, 12, 18, 10, 5, 3, 2), asked, n = 40))
  expect_equal(picture$data$share, c(0.4, 0.6, 0.5, 0.3, 0.2))
  expect_identical(picture$data$position, c(1:2, 1:3))
  expect_identical(as.character(picture$data$panel), rep(c("Question a (30)", "Question b (10)"), 2:3))
  none <- ggplot2::autoplot(rr_counts(c(30, 12, 18, 0, 0, 0, 0), asked, n = 30))
  expect_identical(none$data$share[3:5], c(0, 0, 0))
  # Groups first, and not more than twelve panels.
  groups <- ggplot2::autoplot(rr_counts(matrix(c(30, 12, 18, 10, 5, 3, 2), 7, 7, dimnames = list(NULL, letters[1:7])), asked, n = rep(40, 7)))
  expect_identical(panels_of(groups)[1:3], c("a, Question a (30)", "a, Question b (10)", "b, Question a (30)"))
  expect_length(panels_of(groups), 12)
  expect_match(groups$labels$caption, " 12 .* 14 ")
})
