# Pictures of fits: what each layer draws, from the numbers of the fit.

skip_if_not_installed("ggplot2")
layer <- function(picture, i) ggplot2::layer_data(picture, i)
geoms <- function(picture) vapply(picture$layers, function(layer) class(layer$geom)[1], "")

test_that("which columns are times, and which numbers stand for levels", {
  days <- as.Date("2026-01-01") + 0:1
  expect_identical(c(is_time(days), is_time(days[c(1, 1)]), is_time(as.POSIXct(days)), is_time(c(1900, 2100)), is_time(c(1899, 1950)),
                     is_time(c(1950, 2101)), is_time(c(1950.5, 1960)), is_time(c("1950", "1960")), is_time(factor(1950:1951))),
                   c(TRUE, FALSE, TRUE, TRUE, FALSE, FALSE, FALSE, FALSE, FALSE))
  expect_identical(iso_dates(c("2026-01-31", "2026-02-01")), as.Date(c("2026-01-31", "2026-02-01")))
  for (text in list(c("2026-01-31", "2026-02-30"), c("2026-01-31", "later"), 20260131)) expect_identical(iso_dates(text), text)
  expect_identical(axis_numbers(list(breaks = c(0, 2, 6, 8), levels = letters[1:3])), c(1, 4, 7))
  expect_null(axis_numbers(list(breaks = c(0, 2, 6), levels = letters[1:3])))
  expect_null(axis_numbers(rr_grr(3, 1)))
  expect_identical(axis_numbers(rr_hierarchy(c(10, 20, 40, 80), epsilon = 1)), c(10, 20, 40, 80))
  expect_identical(position_labels(c("a", "b", "c"))(c(0, 1, 1.5, 3, 4)), c("", "a", "", "c", ""))
  # Ranks by panel, from the largest down; equal estimates by their reports.
  data <- data.frame(panel = factor(c("u", "u", "u", "v", "v")), estimate = c(0, 0.4, 0, 0.2, 0.1), reported = c(0.1, 0.3, 0.2, 0.9, 0.95), conf.high = 5:1)
  expect_identical(ranks_of(data), c(3, 1, 2, 1, 2))
  expect_identical(ranks_of(data[-3]), c(2, 1, 3, 1, 2))
})

groups_fit <- function(groups, levels = c("no", "yes"), ...) {
  counts <- matrix(rep_len(c(400, 310, 380, 290, 250, 270), length(levels)) + outer(seq_along(levels), seq_len(NROW(groups)) * 17), length(levels))
  mechanism <- if (length(levels) == 2) rr_warner(0.8) else rr_grr(levels, 1)
  table <- cbind(answer = rep(levels, NROW(groups)), n = as.vector(counts), groups[rep(seq_len(NROW(groups)), each = length(levels)), , drop = FALSE])
  rr_estimate(rr_counts(table, mechanism, column = "answer", by = names(groups)), ...)
}

test_that("rows: estimates, intervals and reported shares, a row for each category, the first on top", {
  fit <- rr_estimate(rr_counts(c(a = 400, b = 190, c = 300), rr_grr(c("a", "b", "c"), 1)))
  table <- tidy(fit, conf.int = TRUE)
  picture <- ggplot2::autoplot(fit)
  expect_identical(geoms(picture), c("GeomVline", "GeomSegment", "GeomPoint"))
  expect_identical(layer(picture, 1)$xintercept, 0)
  lines <- layer(picture, 2)
  expect_equal(lines[c("x", "xend")], data.frame(x = table$conf.low, xend = table$conf.high))
  expect_identical(as.integer(lines$y), 3:1)
  points <- layer(picture, 3)
  expect_equal(points$x, c(table$estimate, c(400, 190, 300) / 890))
  expect_identical(points$shape, rep(c(16, 1), each = 3))
  # Sorted by size, with intervals by rank; some categories alone.
  sorted <- layer(ggplot2::autoplot(fit, order = TRUE), 3)
  expect_identical(as.integer(sorted$y), rep(c(3L, 1L, 2L), 2))
  by_rank <- as.data.frame(rr_top(fit, 3))[c(1, 3, 2), c("conf.low", "conf.high")]
  expect_equal(layer(ggplot2::autoplot(fit, order = TRUE), 2)[c("x", "xend")], by_rank, ignore_attr = TRUE)
  some <- layer(ggplot2::autoplot(fit, terms = c("b", "c")), 3)
  expect_equal(some$x, c(table$estimate[2:3], c(190, 300) / 890))
})

test_that("a yes or no in groups has a row for each, the last key, in panels of the others", {
  keys <- data.frame(town = rep(c("u", "v"), each = 3), sex = rep(c("f", "m", "x"), 2))
  fit <- groups_fit(keys)
  table <- tidy(fit, conf.int = TRUE)
  yes <- table[table$term == "yes", ]
  picture <- ggplot2::autoplot(fit)
  points <- layer(picture, 3)
  points <- points[points$shape == 16, ]
  points <- points[order(points$PANEL, -points$y), ]
  expect_equal(points$x, yes$estimate[order(yes$town, yes$sex)])
  expect_identical(as.integer(points$y), rep(3:1, 2))
  expect_identical(as.integer(points$PANEL), rep(1:2, each = 3))
  # Five panels of the first key would be too many: a row for each pair.
  keys <- data.frame(town = rep(letters[1:5], each = 2), sex = rep(c("f", "m"), 5))
  points <- layer(ggplot2::autoplot(groups_fit(keys)), 3)
  expect_identical(sort(as.integer(points$y[points$shape == 16])), 1:10)
  expect_length(unique(points$PANEL), 1)
  # Four are not.
  points <- layer(ggplot2::autoplot(groups_fit(keys[1:8, ])), 3)
  expect_length(unique(points$PANEL), 4)
})

test_that("time along an axis: a line, or a line for each group with intervals beside each other", {
  days <- as.Date("2026-03-01") + c(0, 7, 14, 28)
  fit <- groups_fit(data.frame(day = days))
  yes <- tidy(fit, conf.int = TRUE)
  yes <- yes[yes$term == "yes", ]
  picture <- ggplot2::autoplot(fit)
  expect_identical(geoms(picture), c("GeomPoint", "GeomLinerange", "GeomLine", "GeomPoint"))
  expect_equal(layer(picture, 1)$x, as.numeric(days))
  expect_equal(layer(picture, 1)$y, as.vector(fit$tally$counts[2, ] / fit$tally$n))
  expect_equal(layer(picture, 2)[c("ymin", "ymax")], data.frame(ymin = yes$conf.low, ymax = yes$conf.high))
  expect_equal(layer(picture, 3)$y, yes$estimate)
  # Two towns: the same numbers, moved by less than a sixth of the smallest distance, 7 days.
  keys <- data.frame(day = rep(days, 2), town = rep(c("u", "v"), each = 4))
  fit <- groups_fit(keys)
  yes <- tidy(fit, conf.int = TRUE)
  yes <- yes[yes$term == "yes", ]
  picture <- ggplot2::autoplot(fit)
  points <- layer(picture, 3)
  expect_equal(points$y[order(points$group, points$x)], yes$estimate)
  offset <- points$x[order(points$group, points$x)] - as.numeric(keys$day)
  expect_equal(offset, rep(c(-1, 1) * 0.3 * 7 / 4, each = 4))
  bars <- layer(picture, 1)
  expect_equal(bars[order(bars$group, bars$x), c("ymin", "ymax")], yes[c("conf.low", "conf.high")], ignore_attr = TRUE)
  expect_equal(bars$x, points$x)
  expect_length(unique(layer(picture, 2)$linetype), 2)
  # Nine groups have no lines of their own, and two times neither.
  expect_identical(geoms(ggplot2::autoplot(groups_fit(data.frame(day = rep(days[1:2], 9), town = rep(letters[1:9], each = 2)))))[2], "GeomSegment")
  # Twelve categories have panels, thirteen have rows.
  many <- function(k, terms = NULL) ggplot2::autoplot(suppressWarnings(groups_fit(data.frame(day = days), paste0("x", seq_len(k)))), terms = terms)
  expect_length(unique(layer(many(3), 3)$PANEL), 3)
  expect_length(unique(layer(many(3, c("x1", "x3")), 3)$PANEL), 2)
  expect_identical(c("GeomSegment" %in% geoms(many(12)), "GeomSegment" %in% geoms(suppressMessages(many(13)))), c(FALSE, TRUE))
  expect_s3_class(ggplot2::autoplot(groups_fit(data.frame(day = days)))$facet, "FacetNull")
})

test_that("along an axis: bins at their middles, categories at their positions, others by rank on logarithmic axes", {
  square <- rr_square_wave(seq(0, 100, 5), 2)
  # 300 answers a bin at one end, 100 at the other, as the matrix says.
  fit <- rr_estimate(rr_counts(round(drop(seq(300, 100, length.out = 20) %*% rr_matrix(square))), square))
  picture <- ggplot2::autoplot(fit)
  expect_equal(sort(layer(picture, which(geoms(picture) == "GeomLine"))$x), seq(2.5, 97.5, 5))
  grr <- rr_grr(paste0("c", 1:41), 3)
  counts <- round(drop(c(40:1 * 20, 0) %*% rr_matrix(grr))) + rep_len(c(9, -9), 41)
  fit <- rr_estimate(rr_counts(counts, grr))
  estimates <- sort(coef(fit), decreasing = TRUE)
  picture <- suppressMessages(ggplot2::autoplot(fit))
  expect_identical(geoms(picture), c("GeomPoint", "GeomRibbon", "GeomLine"))
  line <- layer(picture, 3)
  expect_equal(10^line$x, seq_len(sum(estimates > 0.5 / sum(counts))))
  expect_equal(10^line$y, unname(estimates[estimates > 0.5 / sum(counts)]))
  expect_gt(sum(estimates == 0), 0)
  expect_match(picture$labels$caption, paste(sum(estimates <= 0), "of 41"), fixed = TRUE)
  # What lies below half a report is drawn there.
  expect_equal(10^min(layer(picture, 2)$ymin), 0.5 / sum(counts))
  # In their order if they have one; a line at 0 if an estimate is not above it.
  fit <- rr_estimate(rr_counts(unname(counts), rr_grr(1:41, 3)), method = "inv")
  picture <- suppressMessages(ggplot2::autoplot(fit))
  expect_identical(geoms(picture)[1:3], c(if (any(coef(fit) <= 0)) "GeomHline", "GeomPoint", "GeomLinerange", "GeomLine")[1:3])
  drawn <- layer(picture, which(geoms(picture) == "GeomLine"))
  expect_equal(drawn[c("x", "y")], data.frame(x = 1:41, y = unname(coef(fit))), ignore_attr = TRUE)
  # More than 200: a band, and no points of estimates.
  wide <- rr_estimate(rr_counts(rep_len(c(30, 50, 80), 201), rr_grr(1:201, 6)), method = "inv")
  expect_true("GeomRibbon" %in% geoms(suppressMessages(ggplot2::autoplot(wide))))
  less <- rr_estimate(rr_counts(rep_len(c(30, 50, 80), 200), rr_grr(1:200, 6)), method = "inv")
  expect_false("GeomRibbon" %in% geoms(suppressMessages(ggplot2::autoplot(less))))
  # The line of no share is drawn at 0, where an estimate is not above it; none of these is.
  fit <- suppressWarnings(rr_estimate(rr_counts(c(0, rep(90, 40)), rr_grr(1:41, 3)), method = "inv"))
  below <- suppressMessages(ggplot2::autoplot(fit))
  expect_identical(geoms(below), c("GeomHline", "GeomPoint", "GeomLinerange", "GeomLine", "GeomPoint"))
  expect_identical(layer(below, 1)$yintercept, 0)
  expect_false("GeomHline" %in% geoms(suppressMessages(ggplot2::autoplot(less))))
  # Estimates have points up to 100 categories, or as many in all panels that stand side by side; from 201 on there is a band.
  drawn <- function(k, panels) {
    fit <- suppressWarnings(groups_fit(data.frame(g = letters[seq_len(panels)]), seq_len(k), method = "inv"))
    geoms(suppressMessages(ggplot2::autoplot(fit)))
  }
  points <- function(k, panels) sum(drawn(k, panels) == "GeomPoint")
  expect_identical(c(points(100, 1), points(101, 1), points(50, 2), points(51, 2)), c(2L, 1L, 2L, 1L))
  expect_identical(c("GeomRibbon" %in% drawn(66, 3), "GeomRibbon" %in% drawn(67, 3)), c(FALSE, TRUE))
  # Forty have rows, and forty-one do not.
  rows <- function(k) "GeomSegment" %in% geoms(suppressMessages(ggplot2::autoplot(rr_estimate(rr_counts(rep(9, k), rr_grr(k, 1))))))
  expect_identical(c(rows(40), rows(41)), c(TRUE, FALSE))
})

test_that("the trace draws the distances of the iterates from the maximum", {
  fit <- rr_estimate(rr_counts(c(a = 400, b = 190, c = 300), rr_grr(c("a", "b", "c"), 1)), method = "ibu")
  table <- tidy(fit, type = "trace")
  table <- table[table$iteration > 0 & table$distance > 0, ]
  line <- layer(ggplot2::autoplot(fit, type = "trace"), 1)
  expect_equal(10^line$x, table$iteration, tolerance = 1e-9)
  expect_equal(10^line$y, table$distance, tolerance = 1e-9)
})

# ---- rows of numbers of several kinds ----

interval_data <- function(kind, estimate = c(0.2, 0.5), panel = factor(rep("all", 2))) {
  data.frame(label = factor(c("a", "b"), c("b", "a")), panel = panel, kind = kind, estimate = estimate, conf.low = estimate / 2, conf.high = estimate * 2)
}

test_that("the axis of intervals is that of their kind: where nothing lies, logarithmic for ratios, units in panels", {
  picture <- draw_intervals(interval_data("share"), "t", "c")
  expect_identical(layer(picture, 1)$xintercept, 0)
  expect_equal(layer(picture, 3)$x, c(0.2, 0.5))
  picture <- draw_intervals(interval_data("ratio", c(0.5, 2)), "t", "c")
  expect_equal(layer(picture, 1)$xintercept, 0)
  expect_equal(layer(picture, 3)$x, log10(c(0.5, 2)))
  expect_equal(layer(picture, 2)$x, log10(c(0.25, 1)))
  # Values have no place of nothing.
  expect_identical(nrow(layer(draw_intervals(interval_data("value"), "t", "c"), 1)), 0L)
  # Two kinds: shares in per cent, ratios as they are, each in a panel.
  picture <- draw_intervals(interval_data(c("ratio", "share")), "t", "c")
  points <- layer(picture, 3)
  expect_equal(points$x[order(points$PANEL)], c(50, 0.2))
  expect_setequal(layer(picture, 1)$xintercept, c(0, 1))
  expect_error(draw_intervals(interval_data("share")[0, ], "t", "c"), class = "candor_error_empty")
  many <- function(n) draw_intervals(interval_data("share")[rep(1, n), ], "t", "c", most = 5)
  expect_s3_class(many(5), "ggplot")
  expect_refused(many(6))
  # Hollow points by a column of two kinds; reported shares beside estimates.
  data <- transform(interval_data("share"), seen = factor(c("no", "yes"), c("yes", "no")), reported = c(0.3, 0.4))
  expect_identical(layer(draw_intervals(data, "t", "c", shown = "seen"), 3)$shape, c(21, 16))
  both <- layer(draw_intervals(data, "t", "c", reported = c("E", "R")), 3)
  expect_equal(both$x, c(0.2, 0.5, 0.3, 0.4))
  expect_identical(both$shape, c(16, 16, 1, 1))
})

test_that("numbers that a logarithmic axis cannot hold are left out, and an interval from 0 begins to the left of all", {
  data <- data.frame(estimate = c(2, 0, NA, 3), conf.low = c(0, -1, NA, 1.5), conf.high = c(4, 1, NA, 6))
  expect_equal(positive_rows(data), data.frame(estimate = c(2, NA, NA, 3), conf.low = c(1 / 1.5, NA, NA, 1.5), conf.high = c(4, 1, NA, 6)))
  expect_identical(c(panel_scales(TRUE, TRUE), panel_scales(TRUE, FALSE), panel_scales(FALSE, TRUE), panel_scales(FALSE, FALSE)),
                   c("free_x", "free", "free_y", "fixed"))
  data <- kind_panels(interval_data(c("ratio", "share")), c("share", "ratio"))
  expect_equal(data[c("estimate", "conf.low", "conf.high")], data.frame(estimate = c(0.2, 50), conf.low = c(0.1, 25), conf.high = c(0.4, 100)))
  expect_identical(as.character(data$panel), c("Ratios", "Proportions, %"))
  expect_identical(row_name(c("u\ra", "b")), c("a", "b"))
  # Panels that exist stay.
  panels <- factor(c("u", "v"))
  expect_identical(kind_panels(interval_data(c("ratio", "share"), panel = panels), c("share", "ratio"))$panel, panels)
})

test_that("where panels stand: one below the other if each has an axis or long names of its own", {
  wide <- function(n, panels, name = "a") data.frame(label = factor(rep(name, n)), panel = factor(rep(seq_len(panels), length.out = n)))
  across <- function(data, free = FALSE, mixed = FALSE) intervals_layout(data, free, mixed)$across
  expect_identical(c(across(wide(3, 3)), across(wide(6, 3), mixed = TRUE), across(wide(4, 4)), across(wide(16, 4))), c(3, 1, 2, 4))
  long <- strrep("x", 17)
  expect_identical(c(across(wide(6, 3, long), TRUE), across(wide(31, 3, long), TRUE), across(wide(30, 3, long), TRUE),
    across(wide(6, 3, strrep("x", 16)), TRUE)),
                   c(1, 2, 1, 3))
})

test_that("axes: dates that were fitted, names of questions, heights; a note of what is lost", {
  days <- as.Date("2026-03-01") + c(0, 7, 14, 28)
  picture <- ggplot2::autoplot(groups_fit(data.frame(day = days)))
  expect_equal(as.numeric(ggplot2::layer_scales(picture)$x$get_breaks()), as.numeric(days))
  expect_identical(sequence_layout(factor("a"))$height, row_layout(1, "", "a")$height)
  two <- factor(c("a", "b"))
  expect_identical(sequence_layout(two)$height, 1.6 + 0.75 * row_layout(2, "", c("a", "b"))$down)
  product <- rr_product(smokes = rr_warner(0.8), drinks = rr_warner(0.9))
  joint <- rr_estimate(rr_counts(c(400, 300, 200, 300), product))
  expect_identical(ggplot2::autoplot(joint)$labels$y, "smokes, drinks")
  expect_null(ggplot2::autoplot(rr_estimate(rr_counts(c(400, 190, 300), rr_grr(3, 1))))$labels$y)
  many <- function(counts, ...) suppressMessages(suppressWarnings(ggplot2::autoplot(rr_estimate(rr_counts(counts, rr_grr(paste0("c", 1:41), 5)), ...))))
  expect_match(many(c(rep(100, 40), 0), method = "inv")$labels$caption, "Estimated as 0 or less: 1 of 41.", fixed = TRUE)
  expect_no_match(many(rep(100, 41), method = "inv")$labels$caption, "Estimated as 0")
})

test_that("reported shares stand beside estimates only if reports are answers to the question", {
  channel <- rbind(low = c(low = 0.8, high = 0.2), high = c(0.3, 0.7))
  drawn <- function(channel) ggplot2::autoplot(rr_estimate(rr_counts(c(30, 70), rr_channel(channel))))$data
  expect_equal(drawn(channel)$reported, c(0.3, 0.7))
  colnames(channel) <- c("A1", "A2")
  expect_false("reported" %in% names(drawn(channel)))
})

test_that("sorted pictures keep intervals that were asked for by name; rows without a number say so", {
  for (asked in list(list(interval = "wald"), list(simultaneous = TRUE))) {
    fit <- do.call(rr_estimate, c(list(rr_counts(c(a = 400, b = 190, c = 300), rr_grr(c("a", "b", "c"), 1))), asked))
    lines <- layer(ggplot2::autoplot(fit, order = TRUE), 2)
    expect_equal(lines[c("x", "xend")], tidy(fit, conf.int = TRUE)[c("conf.low", "conf.high")], ignore_attr = TRUE)
  }
  data <- interval_data("ratio", c(0.5, NA))
  picture <- draw_intervals(data, "t", "c")
  expect_identical(geoms(picture)[4], "GeomLabel")
  expect_identical(as.integer(layer(picture, 4)$y), 1L)
  expect_identical(layer(picture, 4)$x, 0)
  expect_false("GeomLabel" %in% geoms(draw_intervals(interval_data("value", c(0.5, NA)), "t", "c")))
})

test_that("groups that are rows are sorted by their estimates, with intervals of their own", {
  fit <- rr_estimate(rr_counts(cbind(u = c(no = 600, yes = 400), v = c(500, 500), w = c(700, 300)), rr_warner(0.8)))
  picture <- ggplot2::autoplot(fit, order = TRUE)
  table <- tidy(fit, conf.int = TRUE)[c(2, 4, 6), ]
  expect_identical(levels(picture$data$label), c("w", "u", "v"))
  expect_equal(as.list(picture$data[c("conf.low", "conf.high")]), as.list(table[c("conf.low", "conf.high")]))
})

test_that("ranks are those of each group, down to half a report of the largest", {
  grr <- rr_grr(paste0("c", 1:41), 3)
  counts <- cbind(u = c(0, 1:40 * 20), v = c(40:1 * 200, 0))
  fit <- suppressWarnings(rr_estimate(rr_counts(counts, grr), method = "inv"))
  data <- suppressMessages(ggplot2::autoplot(fit))$data
  for (group in c("u", "v")) {
    rows <- data[data$group == group, ]
    expect_identical(rows$at, rank(-rows$estimate))
  }
  expect_identical(min(data$conf.low, data$reported), 0.5 / sum(counts[, "v"]))
})

test_that("ranks of totals are drawn down to half a person", {
  labels <- paste0("c", 1:41)
  people <- data.frame(report = rep(labels, 60:20), weight = 30)
  design <- survey::svydesign(~1, weights = ~weight, data = people)
  fit <- suppressWarnings(rr_estimate(design, rr_grr(labels, 3), column = ~report, total = TRUE, method = "inv"))
  expect_lt(min(confint(fit)), 0.5)
  expect_identical(min(suppressMessages(ggplot2::autoplot(fit))$data$conf.low), 0.5)
})

test_that("a trace has a line for each group, and none without a distance", {
  fit <- rr_estimate(rr_counts(cbind(u = c(a = 400, b = 190, c = 300), v = c(100, 250, 200)), rr_grr(c("a", "b", "c"), 1)), method = "ibu")
  table <- tidy(fit, type = "trace")
  line <- layer(ggplot2::autoplot(fit, type = "trace"), 1)
  for (g in 1:2) {
    rows <- table[table$group == c("u", "v")[g] & table$iteration > 0 & table$distance > 0, ]
    expect_equal(10^line$y[line$group == g], rows$distance, tolerance = 1e-9)
  }
  same <- rr_channel(rbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2), c(0.2, 0.2, 0.6)))
  expect_refused(ggplot2::autoplot(rr_estimate(rr_counts(c(40, 30, 31), same), method = "ibu"), type = "trace"))
})

test_that("totals are numbers of people, beside which no shares of reports are drawn", {
  skip_if_not_installed("survey")
  people <- data.frame(answer = rep(c("no", "yes"), c(28, 12)), town = rep(1:10, 4), year = rep(2021:2024, each = 10))
  design <- survey::svydesign(~town, weights = ~rep(500, 40), data = people)
  total <- rr_estimate(design, rr_warner(0.8), column = "answer", total = TRUE)
  picture <- ggplot2::autoplot(total)
  # 20,000 people, of whom 30% report yes: (0.3 - 0.2) / 0.6 of them.
  expect_equal(layer(picture, 3)$x, 20000 * c(5, 1) / 6)
  expect_identical(as.character(picture$data$kind), c("number", "number"))
  expect_identical(picture$scales$get_scales("x")$get_labels(2000), "2,000")
  expect_identical(ggplot2::autoplot(rr_estimate(design, rr_warner(0.8), column = "answer"))$scales$get_scales("x")$get_labels(0.2), "20%")
})

test_that("marks of an axis of categories are the names of those that stand there, and of numbers the numbers", {
  marks <- function(levels) {
    fit <- rr_estimate(rr_counts(rep(90, 41), rr_grr(levels, 3)), method = "inv")
    axis <- ggplot2::layer_scales(suppressMessages(ggplot2::autoplot(fit)))$x
    data.frame(at = axis$get_breaks(), label = axis$get_labels())
  }
  steps <- sprintf("step %02d", 1:41)
  named <- marks(factor(steps, ordered = TRUE))
  expect_gt(nrow(named), 2)
  expect_identical(named$label, steps[named$at])
  numbers <- marks(seq(10, 410, 10))
  expect_equal(as.numeric(numbers$label), numbers$at)
  expect_true(all(numbers$at %in% 10:410))
})

test_that("several panels have one axis unless they have rows of their own; long titles and legends have lines of their own", {
  panels <- factor(c("u", "v"))
  drawn <- function(...) draw_intervals(interval_data("share", panel = panels), "t", "c", ...)
  expect_identical(drawn()$facet$params$free, list(x = FALSE, y = FALSE))
  expect_identical(drawn(free = TRUE)$facet$params$free, list(x = FALSE, y = TRUE))
  expect_identical(drawn(scales = "free_x")$facet$params$free, list(x = TRUE, y = FALSE))
  alone <- function(data = interval_data("share"), ...) draw_intervals(data, "t", "c", ...)
  expect_s3_class(alone()$facet, "FacetNull")
  # The title and the names of the rows, of one letter, have 66 characters together.
  title <- function(n) alone(axis = paste0(strrep("x", n - nchar(", percentage points")), ", percentage points"))$labels$x
  expect_identical(c(title(65), title(66)), paste0(strrep("x", 46:47), c(", percentage points", ",\npercentage points")))
  # Two kinds of points, each with six characters for its sign, have 62 beside the names.
  data <- transform(interval_data("share"), seen = factor(c("no", "yes"), c("yes", "no")), reported = c(0.3, 0.4))
  direction <- function(n) alone(data, reported = c(strrep("e", n), strrep("r", 25)))$theme$legend.direction
  expect_null(direction(24))
  expect_identical(direction(25), "vertical")
  # A legend of what is hollow, if anything is.
  legend <- function(kinds) alone(replace(data, "seen", factor(kinds, c("yes", "no"))), shown = "seen")$scales$get_scales("shape")$guide
  expect_identical(c(legend(c("no", "yes")), legend(c("no", "no")), legend(c("yes", "yes"))), c("legend", "legend", "none"))
})

test_that("axes of intervals: logarithmic for ratios alone, in per cent or points, with fewer marks if numbers are long", {
  scale <- function(kinds, across = 1L, marks = c(0.1, 0.2)) intervals_scale(kinds, list(across = across, breaks = function(limits) marks))
  labels <- function(kinds) scale(kinds)$labels(0.2)
  drawn <- c(labels("share"), labels("difference"), labels("ratio"), labels("number"), labels(c("share", "ratio")))
  expect_identical(drawn, c("20%", "20", "0.2", "0.2", "0.2"))
  is_log <- function(kinds) scale(kinds)$transform(100) == 2
  expect_identical(c(is_log("ratio"), is_log("error"), is_log("share"), is_log(c("ratio", "error"))), c(TRUE, TRUE, FALSE, FALSE))
  # Ratios in panels that stand side by side have three marks at most.
  powers <- function(across) scale("ratio", across)$breaks(c(1, 1e6))
  expect_equal(powers(2L), c(1, 1e3, 1e6))
  expect_gt(length(powers(1L)), 3)
  # Five marks of 10,000 to 50,000 take 8 characters each, with two between them: 40. From 20,000 to 100,000 they take one more.
  n_marks <- function(step, across = 1L) length(scale("number", across, 1:5 * step)$breaks(c(0, 5 * step)))
  expect_identical(c(n_marks(1e4), n_marks(2e4), n_marks(2e4, 2L)), c(5L, 3L, 5L))
})

test_that("a caption tells of estimates below 0 or above 1, of which there are intervals that end there", {
  is_told <- function(counts, mechanism, ...) {
    fit <- suppressWarnings(rr_estimate(rr_counts(counts, mechanism), ...))
    inside <- fit
    inside$estimate[] <- 1 / length(fit$estimate)
    plot_caption(fit, "Lines") != plot_caption(inside, "Lines")
  }
  below <- function(...) is_told(c(450, 345, 205), rr_grr(3, 1), ...)
  expect_identical(c(below(method = "inv"), below(method = "inv", interval = "wald"), below()), c(TRUE, FALSE, FALSE))
  expect_true(is_told(c(190, 810), rr_warner(0.8), method = "inv"))
  expect_false(is_told(c(no = 0, yes = 90), rr_binary(1, 0), method = "inv"))
})

test_that("two groups of a yes or no are two rows; three keys are one if the first two make more than four panels", {
  fit <- groups_fit(data.frame(town = c("u", "v")))
  points <- layer(ggplot2::autoplot(fit), 3)
  expect_equal(points$x[points$shape == 16], unname(coef(fit)[c("u:yes", "v:yes")]))
  rows <- function(n_towns) {
    keys <- expand.grid(area = c("n", "s"), town = letters[seq_len(n_towns)], sex = c("f", "m"), stringsAsFactors = FALSE)
    points <- layer(ggplot2::autoplot(groups_fit(keys)), 3)
    table(points$PANEL[points$shape == 16])
  }
  expect_identical(as.vector(rows(2)), rep(2L, 4))
  expect_identical(as.vector(rows(3)), 12L)
})

test_that("several rows of panels have few marks, and lines of groups the names of the groups at their ends", {
  fit <- rr_estimate(rr_counts(c(400, 300, 300), rr_grr(3, 1)))
  marks <- function(scales, i, down, across, limits) {
    scale <- scales(fit, list(down = down, across = across, breaks = identity), NULL)[[i]]
    if (is.function(scale$breaks)) scale$breaks(limits) else "all"
  }
  rank_marks <- function(...) marks(function(fit, layout, values) rank_scales(fit, layout, 3), ...)
  expect_identical(rank_marks(2, 1, 1, c(1e-6, 1)), "all")
  expect_equal(rank_marks(2, 2, 1, c(1e-6, 1)), c(1e-6, 1e-3, 1))
  expect_equal(rank_marks(1, 1, 1, c(1, 1e6)), c(1, 1e2, 1e4, 1e6))
  expect_equal(rank_marks(1, 1, 2, c(1, 1e6)), c(1, 1e3, 1e6))
  expect_identical(marks(category_scales, 2, 1, 1, c(0, 1)), "all")
  expect_equal(marks(category_scales, 2, 2, 1, c(0, 1)), c(0, 0.5, 1))
  days <- as.Date("2026-03-01") + c(0, 7, 14, 28)
  axis <- function(keys, levels) ggplot2::autoplot(suppressWarnings(groups_fit(keys, levels)))$scales$get_scales("y")
  towns <- expand.grid(day = days, town = c("u", "v"), stringsAsFactors = FALSE)
  has_names <- function(...) !inherits(axis(...)$secondary.axis, "waiver")
  expect_identical(c(has_names(data.frame(day = days), c("no", "yes")), has_names(towns, c("no", "yes")), has_names(towns, c("x", "y", "z"))),
                   c(FALSE, TRUE, FALSE))
  # Ten weeks: up to five days of one category, three in each of several panels.
  weekly <- groups_fit(data.frame(day = days[1] + 7 * 0:9), c("x", "y", "z"))
  n_days <- function(terms) sum(!is.na(ggplot2::layer_scales(ggplot2::autoplot(weekly, terms = terms))$x$get_breaks()))
  expect_identical(c(n_days("x"), n_days(c("x", "y"))), c(5L, 3L))
  has_few <- function(k) is.function(axis(data.frame(day = days), paste0("x", seq_len(k)))$breaks)
  expect_identical(c(has_few(3), has_few(4)), c(FALSE, TRUE))
})

test_that("the legend has a line for estimates, which are a line, and a point for reported shares", {
  legend <- sequence_legend(c("Estimate", "Reported"), TRUE)
  drawn <- legend$guide$override.aes %||% legend$guide$params$override.aes
  expect_identical(drawn$linetype > 0, c(TRUE, FALSE))
  expect_identical(is.na(drawn$shape), c(TRUE, FALSE))
  expect_identical(legend$palette(2), c(Estimate = colour_estimate, Reported = colour_reported))
  expect_identical(sequence_legend(c("Estimate", "Reported"), FALSE)$guide, "legend")
})

test_that("an interval of a small ratio from 0 on begins to the left of all, and numbers are short", {
  small <- positive_rows(data.frame(estimate = c(0.5, 0.3), conf.low = c(0, 0.2), conf.high = c(0.8, 0.4)))
  expect_equal(small$conf.low, c(0.2 / 1.5, 0.2))
  expect_equal(small[c("estimate", "conf.high")], data.frame(estimate = c(0.5, 0.3), conf.high = c(0.8, 0.4)))
  none <- positive_rows(data.frame(estimate = c(0, NA), conf.low = c(0, NA), conf.high = c(0.8, 0.4)))
  expect_equal(none, data.frame(estimate = c(NA_real_, NA), conf.low = c(NA_real_, NA), conf.high = c(0.8, 0.4)))
  expect_identical(point_format(c(100, 0.5)), c("100", "0.5"))
  expect_identical(point_format(1e6), "1000000")
  expect_identical(point_format(0.12345), "0.123")
})

test_that("a caption says if there are no intervals, and if they end before an estimate, below or above", {
  bits <- cbind(a = rep(c(0, 1), c(30, 70)), b = rep(c(1, 0), c(35, 65)), c = rep(c(0, 1), 50), d = rep(c(0, 1), c(2, 98)))
  fit <- rr_tmdh(rr_cooccurrence(bits, 2), rr_warner(0.8))
  rows <- tidy(fit, conf.int = TRUE)
  below <- rows$term[rows$estimate < rows$conf.low]
  above <- rows$term[rows$estimate > rows$conf.high]
  expect_true("a:b" %in% below && "d" %in% above)
  caption <- function(terms, x = fit) ggplot2::autoplot(x, terms = terms)$labels$caption
  inside <- caption(c("c", "a:c"))
  expect_identical(caption("c"), inside)
  expect_identical(caption(c("c", "a:b")), caption(c("c", "d")))
  expect_true(caption("d") != inside && caption("a:b") != inside)
})

test_that("means are drawn without variances, which have an axis of their own", {
  cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
  drawn <- function(...) ggplot2::autoplot(rr_estimate(rr_tally(rep(c(10, 20, 45), 40), cards)), ...)
  both <- drawn()
  expect_identical(as.character(both$data$term), "mean")
  expect_identical(both$labels[c("x", "title")], drawn(terms = "mean")$labels[c("x", "title")])
  variance <- drawn(terms = "variance")
  expect_identical(as.character(variance$data$term), "variance")
  expect_false(variance$labels$x == both$labels$x || variance$labels$title == both$labels$title)
})
