skip_if_not_installed("ggplot2")

test_that("plans and comparisons are drawn", {
  plan <- rr_power(list(a = rr_warner(0.7), b = rr_warner(0.9)), margin = c(0.02, 0.05))
  expect_equal(sort(ggplot2::layer_data(ggplot2::autoplot(plan), 3)$y), sort(log10(plan$n)))
  power <- ggplot2::autoplot(rr_power(rr_warner(0.7), power = c(0.8, 0.9), share = c(0.05, 0.1)))
  expect_equal(nrow(ggplot2::ggplot_build(power)$layout$layout), 2)
  comparison <- ggplot2::autoplot(rr_recommend(c(4, 64), c(1, 2, 3), 1000))
  expect_equal(nrow(ggplot2::ggplot_build(comparison)$layout$layout), 2)
  expect_equal(power_labels(c(1e-5, 0.01, 1, 100, 1e6, NA)), c("1e-5", "0.01", "1", "100", "1e6", NA))
})

test_that("a plan of one margin, or about a share of 0, is drawn without a line or a logarithm that it has not", {
  designs <- list(a = rr_warner(0.7), b = rr_warner(0.9))
  # A row for each design from 0, and the direct question as a line.
  for (plan in list(rr_power(designs, margin = 0.02), rr_power(designs, n = 300, share = 0.1))) {
    one <- ggplot2::autoplot(plan)
    expect_equal(ggplot2::layer_data(one, 4)$xintercept, plan$direct[1])
    expect_equal(ggplot2::layer_data(one, 3)[c("x", "y")], data.frame(x = plan[["power"]] %||% plan$n, y = c(2, 1)), ignore_attr = TRUE)
  }
  none <- ggplot2::autoplot(rr_power(rr_warner(0.7), power = 0.8, share = c(0, 0.1), null = 0.3))
  expect_identical(sort(unique(ggplot2::layer_data(none, 2)$x)), c(0, 0.1))
})

test_that("a plan is drawn along what has several values, and designs that need the same stay visible", {
  designs <- list(warner = rr_warner(0.75), crosswise = rr_crosswise(0.25))
  powers <- rr_power(designs, share = 0.1, power = c(0.7, 0.8, 0.9))
  plot <- ggplot2::autoplot(powers)
  lines <- ggplot2::layer_data(plot, 2)
  expect_equal(unique(lines$x), c(0.7, 0.8, 0.9))
  expect_equal(sort(10^lines$y), sort(powers$n))
  # Both designs need the same: the second line is dashed, its points are hollow.
  expect_equal(lines$y[lines$group == 1], lines$y[lines$group == 2])
  expect_identical(unique(lines$linetype), c("solid", "84"))
  expect_equal(unique(ggplot2::layer_data(plot, 3)$shape), c(16, 2))
})

# The layers are held against rr_power() itself and, for the direct question, against 1 - (1 - share)^n: a test of "nobody"
# rejects as soon as anybody says yes.
test_that("powers are drawn along what has more values, beside an honest direct question", {
  designs <- list(warner = rr_warner(0.75), forced = rr_forced(1 / 6))
  power <- rr_power(designs, n = c(50, 100, 400), share = c(0.05, 0.1))
  plot <- ggplot2::autoplot(power)
  direct <- ggplot2::layer_data(plot, 1)
  expect_equal(direct$y, 1 - (1 - c(0.05, 0.1)[direct$PANEL])^(10^direct$x), tolerance = 1e-12)
  expect_setequal(ggplot2::layer_data(plot, 2)$y, power$power)

  along <- ggplot2::autoplot(rr_power(rr_warner(0.8), n = c(500, 1000), share = c(0, 0.1, 0.2, 0.3), null = 0.1, alpha = 0.01))
  expect_equal(sort(unique(ggplot2::layer_data(along, 2)$x)), c(0, 0.1, 0.2, 0.3))
})

test_that("every mechanism of a comparison has a line, two-stage protocols where they were asked for", {
  table <- rr_recommend(4, c(1, 5), 1000)
  plot <- ggplot2::autoplot(table)
  lines <- ggplot2::layer_data(plot, 1)
  expect_identical(length(unique(lines$group)), length(unique(table$mechanism)))
  # Binary local hashing is worse than the Hadamard response where epsilon is large, and as good where it is small.
  blh <- levels(plot$data$mechanism) == "blh"
  expect_equal(10^lines$y[lines$group == which(blh)], table$mse[table$mechanism == "blh"])
  expect_gt(table$mse[table$mechanism == "blh" & table$epsilon == 5], 2 * table$mse[table$mechanism == "hadamard" & table$epsilon == 5])
  staged <- rr_recommend(4, c(1, 2), 1000, permanent = 4)
  plot <- ggplot2::autoplot(staged)
  expect_setequal(levels(plot$data$mechanism), staged$mechanism[!is.na(staged$permanent)])
  expect_identical(nrow(ggplot2::layer_data(ggplot2::autoplot(staged[staged$epsilon == 1, ]), 3)), sum(staged$epsilon == 1))
  for (question in c("ranges", "mean", "strings")) {
    other <- if (question == "ranges") rr_recommend(8, c(1, 2), question = question) else rr_recommend(epsilon = c(1, 2), question = question)
    expect_identical(length(unique(ggplot2::layer_data(ggplot2::autoplot(other), 1)$group)), length(unique(other$mechanism)))
  }
})

test_that("plans of means and coefficients are drawn in their own unit", {
  cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
  plan <- rr_power(cards, n = 400, share = c(15, 16, 17), sd = 8, null = 14)
  expect_setequal(ggplot2::layer_data(ggplot2::autoplot(plan), 2)$y, plan$power)
})

test_that("values of a plan in words: counts, percentages of shares alone, and power as it is", {
  words <- function(column, x, estimand = "share") value_words(column, x, estimand)
  expect_identical(words("n", c(1200, NA)), c("Respondents 1,200", "Respondents of any answers"))
  expect_identical(words("share", 0.05), "True proportion 5%")
  expect_identical(words("margin", 0.02), "Margin of error 2%")
  expect_identical(words("margin", 0.02, "mean"), "Margin of error 0.02")
  expect_identical(c(words("power", 0.8), words("power", 0.8, "mean")), rep("Power 0.8", 2))
  expect_identical(words("coefficient", 0.5, "coefficient"), "True coefficient 0.5")
  caption <- function(...) gsub("\n", " ", plan_caption(...))
  one <- data.frame(power = 0.8, null = 0.1)
  expect_identical(caption(one, 0.05, "share", percent_labels),
                   "One-sided test of \"the share is 10%\" at level 5%. Dotted grey: a direct question, answered honestly.")
  expect_match(caption(transform(one, versus = 0.2), 0.01, "mean", point_format), "test of equal means in two groups at level 1%.", fixed = TRUE)
  expect_identical(caption(one["null"], 0.05, "share", percent_labels), "Dotted grey: a direct question, answered honestly.")
})

test_that("rows of a comparison: the best device of each design, two stages where they are, panels by both numbers", {
  rows <- data.frame(k = c(4, 4, 64, 64), n = 1000, epsilon = c(1, 2, 1, 2), mechanism = c("u", "v", "u", "v"), mse = 1:4)
  drawn <- drawn_recommendations(rows)
  expect_identical(drawn$panel, factor(rep(c("K = 4, N = 1,000", "K = 64, N = 1,000"), each = 2)))
  expect_identical(levels(drawn$mechanism), c("u", "v"))
  # Panels are in the order of their numbers.
  expect_identical(levels(drawn_recommendations(rows[4:1, ])$panel), c("K = 4, N = 1,000", "K = 64, N = 1,000"))
  expect_identical(levels(drawn_recommendations(data.frame(n = c(1000, 20), epsilon = 1, mechanism = "u"))$panel), c("N = 20", "N = 1,000"))
  devices <- data.frame(n = 9, epsilon = 1, mechanism = c("u", "u", "v"), device = c("coin", "die", "die"))
  expect_identical(drawn_recommendations(devices)$device, c("coin", "die"))
  staged <- transform(rows, permanent = c(NA, 3, NA, 3))
  expect_identical(drawn_recommendations(staged)$mse, c(2L, 4L))
  expect_identical(drawn_recommendations(staged[staged$epsilon == 1, ])$mse, c(1L, 3L))
})

# What a picture says of its axes: breaks, the names of lines at the right, and the kinds of its layers.
axis_of <- function(picture, axis) picture$scales$get_scales(axis)
line_names <- function(picture) {
  right <- axis_of(picture, "y")$secondary.axis
  if (!inherits(right, "waiver")) right$labels
}
has_layer <- function(picture, geom) geom %in% vapply(picture$layers, function(layer) class(layer$geom)[1], "")
has_panels <- function(picture) inherits(picture$facet, "FacetWrap")

test_that("a plan of one panel says in words what does not vary, and names its lines at their ends", {
  designs <- list(warner = rr_warner(0.75), crosswise = rr_crosswise(0.25))
  one <- ggplot2::autoplot(rr_power(designs, power = c(0.7, 0.8, 0.9), share = 0.1))
  expect_identical(unlist(one$labels[c("title", "subtitle", "x", "y")], use.names = FALSE),
                   c("Respondents needed, by power", "True proportion 10%", "Power", "Respondents needed"))
  expect_identical(line_names(one), names(designs))
  expect_identical(c(has_panels(one), has_layer(one, "GeomPoint")), c(FALSE, TRUE))
  # Names of equal powers are 0.08 of the axis from 0 to 1 apart.
  power <- ggplot2::autoplot(rr_power(designs, n = seq(100, 1300, 100), share = 0.1))
  ends <- ggplot2::layer_data(power, which(vapply(power$layers, function(layer) inherits(layer$geom, "GeomSegment"), NA)))
  expect_equal(abs(diff(ends$yend)), 0.08)
  expect_identical(c(axis_of(power, "y")$limits, power$labels$y), c("0", "1", "Power"))
  # Thirteen numbers are a line without points.
  expect_false(has_layer(power, "GeomPoint"))
  bar <- ggplot2::autoplot(rr_power(rr_warner(0.8), margin = 0.02))
  expect_identical(bar$labels$subtitle, "Margin of error 2%, True proportion 50%")
  # 1.96^2 / 4 / 0.02^2
  expect_identical(ggplot2::layer_data(bar, 4)$xintercept, 2401)
})

test_that("a plan of several panels has them in the order of their numbers, without names of lines", {
  designs <- list(warner = rr_warner(0.75), crosswise = rr_crosswise(0.25))
  two <- ggplot2::autoplot(rr_power(designs, n = c(400, 50, 100), share = c(0.1, 0.05)))
  expect_identical(levels(two$data$panel), c("True proportion 5%", "True proportion 10%"))
  expect_null(two$labels$subtitle)
  expect_null(line_names(two))
  expect_identical(c(has_panels(two), has_layer(two, "GeomSegment")), c(TRUE, FALSE))
  # A break for each of up to three numbers in panels side by side, of up to seven in one.
  breaks <- function(n, share) axis_of(ggplot2::autoplot(rr_power(rr_warner(0.75), n = n, share = share)), "x")$breaks
  expect_identical(axis_of(two, "x")$breaks, c(50, 100, 400))
  expect_type(breaks(c(50, 100, 200, 400), c(0.1, 0.05)), "closure")
  expect_identical(breaks(7:1 * 100, 0.1), 1:7 * 100)
  expect_type(breaks(8:1 * 100, 0.1), "closure")
  # Panels below each other have room for three breaks, one panel for 1, 2, 5, 10, ...
  needed <- function(power) axis_of(ggplot2::autoplot(rr_power(rr_warner(0.75), power = power, share = c(0.1, 0.15, 0.2, 0.3, 0.4))), "y")$breaks(c(10, 500))
  expect_true(all(c(10, 20, 50, 100, 200, 500) %in% needed(0.8)))
  expect_length(needed(c(0.7, 0.75, 0.8, 0.9)), 3)
})

test_that("a direct question that needs nobody has no place on a logarithmic axis, one without power has", {
  direct <- function(...) ggplot2::layer_data(ggplot2::autoplot(rr_power(rr_warner(0.8), ...)), 1)
  expect_equal(direct(margin = 0.05, share = c(0, 0.1, 0.2))$x, c(0.1, 0.2))
  # One respondent or two: 1.96^2 share (1 - share) / 0.5^2 is 0.3, 0.7 and 1.4.
  expect_equal(10^direct(margin = 0.5, share = c(0.02, 0.05, 0.1))$y, c(1, 1, 2))
  # No count of 5 or 20 is as unlikely as 5% under "10%": 0.9^20 = 0.12. Of 60 up to one yes is.
  expect_equal(direct(n = c(5, 20, 60), share = 0.05, null = 0.1)$y, c(0, 0, pbinom(1, 60, 0.05)), tolerance = 1e-12)
})

test_that("unions are drawn by their sets, and labels by plan", {
  union <- function(...) ggplot2::autoplot(rr_power(rr_warner(0.8), share = 0.1, ...))
  several <- union(n = c(50, 1500), sets = c(1, 3, 7))
  expect_identical(levels(several$data$panel), paste(c("50", "1,500"), "elements, 10% in the union"))
  expect_null(several$labels$subtitle)
  expect_true(has_panels(several))
  expect_equal(axis_of(several, "x")$breaks, c(1, 3, 7))
  one <- union(n = 50, sets = 1:13)
  expect_identical(one$labels$subtitle, "50 elements, 10% in the union")
  expect_identical(c(has_panels(one), has_layer(one, "GeomPoint")), c(FALSE, FALSE))
  expect_type(axis_of(one, "x")$breaks, "closure")
  expect_true(has_layer(union(n = 50, sets = 1:12), "GeomPoint"))
  test <- rr_misclassification(0.8, 0.95)
  labels <- function(mechanisms) levels(ggplot2::autoplot(rr_power(mechanisms, n = 1000, labels = c(300, 100), share = 0.12))$data$panel)
  expect_identical(labels(test), paste(c("300", "100"), "labels, 1,000 respondents"))
  expect_identical(labels(list(a = test, b = test))[4], "b, 100 labels, 1,000 respondents")
})

test_that("a comparison is bars at one privacy level and lines along several, of variances or mean squared errors", {
  rows <- function(k, epsilon, question = "shares") {
    table <- expand.grid(mechanism = c("u", "v"), epsilon = epsilon, k = k)
    table <- tibble::tibble(transform(table, n = 9, mse = seq_len(nrow(table))))
    structure(table, class = c("rr_recommendation", class(table)), question = question)
  }
  bars <- ggplot2::autoplot(rows(4, 2))
  expect_identical(c(bars$labels$title, bars$labels$subtitle), c("Mean squared error, by mechanism", "Privacy level epsilon 2"))
  # The least error is on top.
  expect_identical(levels(bars$data$label), c("v", "u"))
  # Errors are points without an interval.
  expect_equal(ggplot2::layer_data(bars, 3)$x, log10(c(1, 2)))
  expect_true(all(is.na(bars$data[c("conf.low", "conf.high")])))
  lines <- ggplot2::autoplot(rows(4, 1:13, "mean"))
  expect_identical(unlist(lines$labels[c("title", "subtitle", "x", "y")], use.names = FALSE),
                   c("Variance, by privacy level", "K = 4, N = 9", "Privacy level epsilon", "Variance"))
  expect_identical(line_names(lines), c("u", "v"))
  expect_identical(c(has_panels(lines), has_layer(lines, "GeomPoint")), c(FALSE, FALSE))
  panels <- ggplot2::autoplot(rows(c(4, 64), 1:3))
  expect_null(panels$labels$subtitle)
  expect_null(line_names(panels))
  expect_identical(c(has_panels(panels), panels$facet$params$free$y), c(TRUE, TRUE))
  # Panels below each other have room for three breaks, and one panel for six.
  breaks <- function(k) axis_of(ggplot2::autoplot(rows(k, 1:3)), "y")$breaks(c(10, 500))
  expect_identical(lengths(list(breaks(4), breaks(c(2, 4, 8, 16)))), c(6L, 3L))
})

test_that("margins of unions stand over their numbers of sets, with a mark for each of up to seven", {
  plan <- function(sets) data.frame(mechanism = factor("a"), sets = sets, n = 50, share = 0.1, margin = 10 * sets + 3)
  picture <- union_picture(plan(c(1, 3, 7)))
  line <- ggplot2::layer_data(picture, which(vapply(picture$layers, function(layer) inherits(layer$geom, "GeomLine"), NA)))
  expect_equal(line[c("x", "y")], data.frame(x = c(1, 3, 7), y = log10(c(13, 33, 73))), ignore_attr = TRUE)
  expect_equal(axis_of(union_picture(plan(c(1:6, 9))), "x")$breaks, c(1:6, 9))
  expect_type(axis_of(union_picture(plan(1:8)), "x")$breaks, "closure")
})

test_that("direct questions that need nobody are left out, and powers of 0 are drawn", {
  plan <- data.frame(mechanism = factor("a"), x = c(0.1, 0.2, 0.3), direct = c(0, 30, 20), n = c(100, 200, 300), panel = factor("one"))
  needed <- plan_lines(plan, "n", "share", percent_labels, 3)
  expect_equal(ggplot2::layer_data(needed, 1)[c("x", "y")], data.frame(x = c(0.2, 0.3), y = log10(c(30, 20))), ignore_attr = TRUE)
  power <- plan_lines(transform(plan, direct = c(0, 0.3, 0.5), power = c(0.1, 0.2, 0.4)), "power", "n", format_count, 3)
  expect_equal(ggplot2::layer_data(power, 1)[c("x", "y")], data.frame(x = log10(c(0.1, 0.2, 0.3)), y = c(0, 0.3, 0.5)), ignore_attr = TRUE)
  expect_equal(axis_of(power, "x")$breaks, c(0.1, 0.2, 0.3))
})

test_that("labels of several designs are drawn in panels of their own, from 0 to their people, whatever the order of columns", {
  plan <- data.frame(mechanism = rep(c("a", "b"), each = 2), n = 1000, labels = 50, report = c("no", "yes"), people = c(30, 20, 10, 40))
  picture <- label_picture(plan)
  expect_identical(levels(picture$data$panel), paste0(c("a", "b"), ", 50 labels, 1,000 respondents"))
  expect_equal(picture$data[c("estimate", "conf.low", "conf.high")], data.frame(estimate = plan$people, conf.low = 0, conf.high = plan$people))
  expect_identical(row_name(as.character(picture$data$label)), plan$report)
})
