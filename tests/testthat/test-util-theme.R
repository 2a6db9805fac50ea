# Breaks, labels and lines of pictures, by the rules that their comments state.

test_that("few breaks are round, inside, two at least and no more than have room", {
  expect_equal(few_breaks(6)(c(0, 1)), seq(0, 1, 0.2))
  # 0, 0.5 and 1 would leave one inside.
  expect_equal(few_breaks(3)(c(0.02, 0.98)), c(0.2, 0.4, 0.6, 0.8))
  expect_equal(few_breaks(2)(c(0.31, 0.69)), c(0.4, 0.6))
  # Every second one stays, 0 among them.
  expect_equal(few_breaks(6, 3)(c(-0.4, 0.6)), c(-0.4, 0, 0.4))
  expect_equal(few_breaks(6, 3)(c(-0.2, 0.8)), c(0, 0.4, 0.8))
  for (limits in list(c(-3, 11), c(0.12, 0.13), c(1e-8, 3e-8), c(-1, 1))) {
    breaks <- few_breaks(5)(limits)
    expect_true(length(breaks) >= 3 && all(breaks >= limits[1] & breaks <= limits[2]))
    expect_equal(diff(breaks), rep(diff(breaks)[1], length(breaks) - 1))
  }
})

test_that("logarithmic breaks are 1, 2, 5 times powers of 10 if these are three to seven, else powers or round numbers", {
  inside <- function(limits) Filter(function(b) b >= limits[1] & b <= limits[2], log_breaks(limits))
  expect_equal(inside(c(1, 100)), c(1, 2, 5, 10, 20, 50, 100))
  expect_equal(inside(c(1, 200)), c(1, 10, 100))
  expect_equal(inside(c(20, 50)), c(20, 30, 40, 50))
  expect_equal(inside(c(0.003, 0.3)), c(0.005, 0.01, 0.02, 0.05, 0.1, 0.2))
  expect_equal(log_breaks(c(21, 49)), Filter(function(b) b > 0, pretty(c(21, 49), 4)))
  # Two of 1, 2, 5 do not show a scale: 200 and 500 alone are inside.
  expect_equal(inside(c(120, 640)), seq(200, 600, 100))
  expect_equal(few_log_breaks(7)(c(1, 100)), c(1, 2, 5, 10, 20, 50, 100))
  # If more than have room: powers of 10 in equal steps, or 1, 3, 10 within two decades.
  expect_equal(few_log_breaks(3)(c(1, 100)), c(1, 10, 100))
  expect_equal(few_log_breaks(4)(c(1, 100)), c(1, 10, 100))
  expect_equal(few_log_breaks(3)(c(1, 1e6)), c(1, 1e3, 1e6))
  expect_equal(few_log_breaks(3)(c(2, 60)), c(3, 10, 30))
})

test_that("whole numbers, percentages, points, powers and times have their labels", {
  expect_equal(whole_breaks(c(1.2, 5.7)), 2:5)
  expect_equal(whole_breaks(c(0, 13)), 0:13)
  expect_equal(whole_breaks(c(0, 14)), seq(0, 14, 2))
  expect_identical(percent_labels(c(0, 0.125, 1)), c("0%", "12.5%", "100%"))
  expect_identical(point_labels(c(-0.1, 0.005)), c("-10", "0.5"))
  expect_identical(power_labels(c(1e-4, 0.001, 0.5, 9999, 1e4, NA)), c("1e-4", "0.001", "0.5", "9999", "1e4", NA))
  times <- as.POSIXct("2026-03-01", tz = "UTC") + c(0, 3600 * 9.5)
  expect_identical(time_labels(times), c("2026-03-01", "2026-03-01\n09:30"))
})

test_that("labels are cut at blanks, names keep to their values, and an empty one can be seen", {
  expect_identical(cut_lines("one two three four", 10), c("one two", "three", "four"))
  expect_identical(cut_lines("sex: men, age: old", 12), c("sex: men,", "age: old"))
  expect_identical(cut_lines("a long name here: value", 12), c("a long name", "here: value"))
  expect_identical(wrap_labels(10)(c("", NA, "one two three")), c("(blank)", NA, "one two\nthree"))
  expect_identical(count_lines(c("one two three", "", "a\nb"), 10), c(2L, 1L, 2L))
})

test_that("panels stand side by side as their number and rows say", {
  expect_identical(vapply(1:3, panel_columns, 0, rows = 9), c(1, 2, 3))
  expect_identical(c(panel_columns(4, 3), panel_columns(4, 4)), c(2, 4))
  expect_identical(c(panel_columns(5, 9), panel_columns(6, 9), panel_columns(7, 3), panel_columns(7, 4)), c(3, 3, 3, 4))
  expect_identical(c(panel_columns(12, 2), panel_columns(13, 2)), c(3, 4))
  # Rows below each other are those of all panels in a column.
  layout <- row_layout(5, letters[1:4])
  expect_identical(c(layout$across, layout$down, layout$rows), c(3, 2, 8))
  expect_identical(row_layout(1, letters[1:4])$size, 9.6)
  heights <- vapply(c(5, 20, 60, 120), function(k) row_layout(1, sprintf("%03d", seq_len(k)))$height, 0)
  expect_false(is.unsorted(heights, strictly = TRUE))
  # Letters of 4.5 points are the least: each row takes as much of 72 points an inch, beside 1.6 inches.
  expect_equal(heights[4], ceiling(10 * (1.6 + 120 * 4.5 / 72)) / 10)
})

test_that("the layout of rows in panels: columns, titles, and the inches that they need, by hand", {
  # Two short rows in one panel: 9.6 points each, below 1.6 inches for title, legend, axis and caption.
  one <- row_layout(1, c("a", "b"))
  expect_identical(one[c("across", "down", "rows", "size", "title_width", "title_size")], list(across = 1, down = 1, rows = 2, size = 9.6,
    title_width = 60, title_size = 10))
  expect_equal(one$height, ceiling(10 * (1.6 + 2 * 9.6 / 72)) / 10)
  # Five panels of two rows: three beside each other, two lines of panels.
  five <- row_layout(5, c("a", "b"), letters[1:5])
  expect_identical(five[c("across", "down", "rows", "title_width")], list(across = 3, down = 2, rows = 4, title_width = 18))
  fixed <- 1.6 + 2 * (0.085 + 0.0165 * 10) + panel_gap(2) / 6 + 0.2
  expect_equal(five$height, ceiling(10 * (fixed + 2 * 2 * five$size / 72)) / 10)
  # Six fill their lines, so that no axis stands below an upper panel.
  expect_equal(row_layout(6, c("a", "b"), letters[1:6])$height, ceiling(10 * (fixed - 0.2 + 2 * 2 * 9.6 / 72)) / 10)
  # Two panels have a line of titles.
  expect_equal(row_layout(2, c("a", "b"), letters[1:2])$height, ceiling(10 * (1.6 + 0.085 + 0.0165 * 10 + 2 * 9.6 / 72)) / 10)
  # The longest title counts, one of two lines of 18 letters: beside it rows of 7 points or more have no room in 3 inches.
  titles <- c("a", "word word word word", "c", "d", "e")
  expect_equal(row_layout(5, c("a", "b"), titles)$height, ceiling(10 * (fixed + 2 * 0.0165 * 10 + 2 * 2 * 6.9 / 72)) / 10)
  # A title of more than two lines is set smaller, with more letters in a line.
  long <- paste(rep("word", 12), collapse = " ")
  expect_identical(row_layout(3, "a", c(long, "b", "c"))[c("title_size", "title_width")], list(title_size = 8, title_width = round(18 * 10 / 8)))
  expect_identical(c(panel_gap(1), panel_gap(2), panel_gap(3)), c(1.2, 1.2, 0.5))
  expect_identical(c(panel_columns(3, 9), panel_columns(4, 3), panel_columns(4, 4), panel_columns(6, 9), panel_columns(7, 9), panel_columns(7, 3),
    panel_columns(12, 3), panel_columns(13, 1)),
                   c(3, 2, 4, 3, 4, 3, 3, 4))
  expect_identical(c(row_points(list(rows = 21, across = 1)), row_points(list(rows = 20, across = 3)), row_points(list(rows = 20, across = 2))), c(1.4, 2, 2.6))
  expect_identical(c(own_axes(list(across = 1))$title_width, own_axes(list(across = 3))$title_width, own_axes(list(across = 6))$title_width), c(60, 12, 9))
  expect_identical(count_lines(c("a", "b\nc", strrep("word ", 4)), 10), c(1L, 2L, 2L))
  expect_identical(levels(rows_factor(c("b", "a", "b"))), c("a", "b"))
  expect_null(wrap_text(NULL))
  told <- function(height) length(testthat::capture_messages(with_height(list(), list(height = height, rows = 50))))
  expect_identical(c(told(4.2), told(4.3)), c(0L, 1L))
})

test_that("letters of rows are as large as their lines have room for, and lines as long as the columns of panels allow, by hand", {
  # Two rows in 1.4 inches: 9.6 points, and lines by the number of columns.
  expect_equal(row_letters(c("a", "b"), 1, 1, 1.6), list(size = 9.6, width = 28, height = 2 * 9.6 / 72))
  expect_equal(vapply(2:5, function(across) row_letters(c("a", "b"), across, 1, 1.6)$width, 0), c(26, 22, 18, 18))
  # Twenty rows have 5.04 points in 3 inches and 8.64 in 4: the first size below 7. Lines are longer by 15 per cent at most.
  expect_equal(row_letters(letters[1:20], 2, 1, 1.6), list(size = 6.9, width = round(26 * 1.15), height = 20 * 6.9 / 72))
  # Two lines of ten panels each need twice the height; forty rows have 4.32 points and get 4.5, with twice the letters.
  expect_equal(row_letters(letters[1:10], 2, 2, 1.6)$height, 2 * 10 * 6.9 / 72)
  expect_equal(row_letters(1:40, 2, 1, 1.6), list(size = 4.5, width = 52, height = 40 * 4.5 / 72))
  # Lines of several lines have a gap of a quarter: three rows of two lines.
  two_lines <- paste(strrep(letters[1:3], 25), strrep(letters[1:3], 25))
  expect_equal(row_letters(two_lines, 1, 1, 1.6), list(size = 9.6, width = 28, height = 1.25 * 6 * 9.6 / 72))
  # Five labels of 29 letters in two lines would have 8.06 points; in one line of 30 letters they have 9. Six have a line of 44.
  long <- paste(strrep(letters[1:6], 14), strrep(letters[1:6], 14))
  expect_equal(row_letters(long[-6], 1, 1, 1.6), list(size = 9, width = 30, height = 5 * 9 / 72))
  expect_equal(row_letters(long, 1, 1, 1.6), list(size = 9.6, width = 44, height = 6 * 9.6 / 72))
  expect_equal(row_letters(long[1:3], 1, 2, 1.6)$width, 44)
  expect_equal(row_letters(long, 2, 1, 1.6)$width, 30)
  # A label of 45 letters: the others have lines of 30, as five have.
  expect_equal(row_letters(replace(long, 1, strrep("a", 45)), 1, 1, 1.6)$width, 30)
})

test_that("titles of three lines are smaller, several panels have fewer ticks, those beside long labels two", {
  words <- function(n) paste(rep("word", n), collapse = " ")
  # Three words in a line of 18 letters.
  expect_identical(row_layout(3, "a", c(words(6), "b", "c"))$title_size, 10)
  expect_identical(row_layout(3, "a", c(words(7), "b", "c"))$title_size, 8)
  expect_identical(row_layout(2, "a", c(words(12), "b"))$title_size, 8)
  expect_identical(row_layout(1, "a", words(60))$title_size, 10)
  expect_equal(vapply(1:5, function(n) row_layout(n, "a", across = n)$title_width, 0), c(60, 24, 18, 14, 14))
  # Inside 0 and 1: every fifth, every half, both ends.
  ticks <- function(panels, label) length(row_layout(panels, c(label, "b"))$breaks(c(0, 1)))
  expect_identical(c(ticks(1, "a"), ticks(2, "a"), ticks(3, "a")), c(6L, 3L, 3L))
  # Three panels: steps of a half, and every second of four steps.
  expect_equal(row_layout(3, "a")$breaks(c(0, 0.6)), c(0, 0.5))
  expect_equal(row_layout(3, "a")$breaks(c(-0.2, 0.4)), c(0, 0.4))
  expect_identical(row_layout(2, "a")$breaks(c(0, 1.6)), few_breaks(3)(c(0, 1.6)))
  expect_false(identical(few_breaks(3)(c(0, 1.6)), few_breaks(2, 3)(c(0, 1.6))))
  # Of 9.6 points 17 letters are 163 points, 18 are 173, beyond 1.2 inches of narrow letters; 22 are a line.
  expect_identical(c(ticks(3, strrep("a", 17)), ticks(3, strrep("a", 18)), ticks(3, strrep("a", 60)), ticks(2, strrep("a", 18))), c(3L, 2L, 2L, 3L))
})

test_that("a picture on a narrow device is a reduced copy", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::ggplot(data.frame(x = 1:2, y = 1:2), ggplot2::aes(x, y)) + ggplot2::geom_point(size = 3, stroke = 2, alpha = 0.5) + theme_candor()
  small <- shrunk(picture, 0.5)
  points <- ggplot2::layer_data(small, 1)
  expect_equal(unique(points[c("size", "stroke", "alpha")]), data.frame(size = 1.5, stroke = 1, alpha = 0.5), ignore_attr = TRUE)
  expect_equal(small$theme$text$size, 6)
  # The margin, and the gap between the legend and the panel.
  for (gap in c("plot.margin", "legend.box.spacing")) expect_equal(as.numeric(small$theme[[gap]]), as.numeric(picture$theme[[gap]]) / 2)
  expect_identical(shrunk(picture, 1), picture)
})

test_that("dates are days and months, with the year below the first of each", {
  withr::local_locale(c(LC_TIME = "C"))
  days <- as.Date(c("2026-10-05", NA, "2026-11-01", "2027-01-09"))
  expect_identical(date_labels(days), c("5 Oct\n2026", NA, "1 Nov", "9 Jan\n2027"))
  expect_identical(date_labels(as.Date(c("2026-10-01", "2026-11-01"))), c("Oct\n2026", "Nov"))
  expect_identical(date_labels(as.Date(c("2026-01-01", "2027-01-01"))), c("2026", "2027"))
})

test_that("in grey no colour is left, and names keep different greys", {
  skip_if_not_installed("ggplot2")
  fit <- rr_glm(plagiarism ~ semester * female, exam_simulated, rr_forced(1 / 6))
  shares <- rr_estimate(rr_counts(c(no = 620, yes = 380), rr_warner(0.8)))
  withr::local_options(candor.palette = "grey")
  for (object in list(fit, shares)) {
    picture <- in_palette(ggplot2::autoplot(object))
    layers <- ggplot2::ggplot_build(picture)$data
    colours <- unique(unlist(lapply(layers, function(layer) unlist(layer[intersect(c("colour", "fill"), names(layer))]))))
    channels <- grDevices::col2rgb(colours[!is.na(colours)])
    expect_true(all(channels[1, ] == channels[2, ] & channels[2, ] == channels[3, ]))
  }
  lines <- ggplot2::ggplot_build(in_palette(ggplot2::autoplot(fit)))$data
  expect_length(unique(lines[[2]]$colour), 2)
  # Luminance by hand: pure red is 0.299 of white.
  expect_identical(grey_of("#FF0000"), grDevices::grey(0.299))
  options(candor.palette = "sepia")
  expect_error(in_palette(ggplot2::autoplot(shares)), class = "candor_error_argument")
})

test_that("in grey a scale of names has steps from black to light, one of numbers a ramp to dark, and a scale of sizes stays", {
  skip_if_not_installed("ggplot2")
  names <- grey_scale(ggplot2::scale_colour_manual(values = c(b = "red", a = "blue", c = "green")))
  # Steps are even in the power 2.2 of the grey.
  steps <- grDevices::grey(c(0, (0.7^2.2 / 2)^(1 / 2.2), 0.7))
  expect_identical(names$palette(2), setNames(steps, c("b", "a", "c")))
  expect_identical(grey_scale(ggplot2::scale_fill_hue())$palette(3), steps)
  numbers <- grey_scale(ggplot2::scale_fill_gradient())$palette
  expect_identical(numbers(c(0, 0.5, 1, -1, 2)), grDevices::grey(c(0.97, 0.72, 0.47, 0.97, 0.47)))
  # A correlation that is not known has the colour that the scale has for it.
  table <- data.frame(x = 1:4, r = c(-1, 0, 1, NA))
  heat <- ggplot2::ggplot(table, ggplot2::aes(x, 1, fill = r)) + ggplot2::geom_tile() + scale_correlation()
  withr::local_options(candor.palette = "grey")
  expect_identical(ggplot2::layer_data(in_palette(heat))$fill, c(grDevices::grey(c(0.97, 0.72, 0.47)), "grey85"))
  size <- ggplot2::scale_size()
  expect_identical(grey_scale(size), size)
})

test_that("an axis of numbers has few breaks: powers of ten, or ones and threes where powers are fewer than three", {
  breaks <- few_log_breaks(3)
  expect_equal(breaks(c(1, 1e6)), c(1, 1e3, 1e6))
  expect_equal(breaks(c(2, 45)), c(3, 10, 30))
  expect_equal(breaks(c(8, 40)), c(10, 30))
})

test_that("an axis has its positions as ticks if these are few and whole, days and times too, else round numbers", {
  skip_if_not_installed("ggplot2")
  breaks <- function(...) scale_x_positions(...)$breaks
  expect_identical(breaks(c(2022, 2020, 2021, 2020), 5), c(2020, 2021, 2022))
  expect_identical(breaks(1:6, 5), 1:6)
  # One more than that: whole numbers alone.
  expect_equal(breaks(1:12, 5)(c(1, 12)), c(2, 4, 6, 8, 10, 12))
  expect_equal(breaks(1:7, 5)(c(1, 2.2)), c(1, 2))
  expect_equal(breaks(c(0.5, 1), 5)(c(0.5, 1)), few_breaks(5)(c(0.5, 1)))
  days <- as.Date("2026-10-20") + 0:5
  expect_identical(breaks(rev(days), 5), days)
  expect_true(is.function(breaks(c(days, days + 6), 5)))
  expect_s3_class(scale_x_positions(days, 5), "ScaleContinuousDate")
  expect_identical(scale_x_positions(days, 5)$labels(days[1]), "20 Oct\n2026")
  times <- as.POSIXct("2026-10-20", tz = "UTC") + 3600 * 0:2
  expect_s3_class(scale_x_positions(times, 5), "ScaleContinuousDatetime")
  expect_identical(breaks(times, 5), times)
  expect_identical(scale_x_positions(1:3, 5, c(0.1, 0))$expand, c(0.1, 0))
})

test_that("a legend has columns if names are wider than a picture, as many as have room", {
  skip_if_not_installed("ggplot2")
  columns <- function(letters) {
    guide <- line_legend(strrep("a", letters))
    guide$ncol %||% guide$params$ncol
  }
  # Each name takes 6 letters more than its own: 66 in one row, then 60 shared by the longest.
  expect_null(columns(c(27, 27)))
  expect_equal(columns(c(27, 28)), 2)
  expect_equal(columns(c(28, 29)), 1)
  expect_equal(columns(rep(9, 5)), 4)
  expect_equal(columns(c(9, rep(14, 4))), 3)
})

test_that("few marks of a logarithmic axis without powers of 10 are some of its round numbers", {
  # 1, 2, 5 times powers: 5, 10, 20, 50 of which no two of 3, 10, 30 are inside.
  expect_equal(few_log_breaks(2)(c(4, 25)), c(5, 20))
  expect_equal(few_log_breaks(3)(c(12, 55)), c(20, 30, 50))
  expect_equal(few_log_breaks(3)(c(1, 1000)), c(1, 100))
  expect_equal(few_log_breaks(2)(c(1, 1e5)), c(1, 1e3))
})

test_that("a picture tells its height when it is drawn on a device that has no room for its rows, reduced as they are", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::ggplot(data.frame(x = 1:2, y = 1:2), ggplot2::aes(x, y)) + ggplot2::geom_point() + theme_candor()
  expect_s3_class(picture, "rr_picture")
  told <- function(width, height, needed = 4) {
    grDevices::pdf(NULL, width = width, height = height)
    on.exit(grDevices::dev.off())
    classes <- character()
    withCallingHandlers(
      expect_identical(print(structure(picture, row_layout = list(height = needed, rows = 30))), structure(picture, row_layout = list(height = needed,
        rows = 30))),
      message = function(m) {
        classes <<- c(classes, class(m)[1])
        invokeRestart("muffleMessage")
      }
    )
    identical(classes, "candor_message_height")
  }
  # A quarter of an inch is no matter: 4 inches on 3.7 and on 3.8.
  expect_identical(c(told(5, 3.7), told(5, 3.8), told(9, 3.7), told(9, 3.8)), c(TRUE, FALSE, TRUE, FALSE))
  # On half of the width letters have half of their size, on a third no less.
  expect_identical(c(told(2.5, 1.7), told(2.5, 1.8), told(1.7, 1.7), told(1.7, 1.8)), c(TRUE, FALSE, TRUE, FALSE))
  # A picture of more than 4.2 inches said so before.
  expect_false(told(5, 3, needed = 4.3))
  grDevices::pdf(NULL, width = 5, height = 8)
  withr::defer(grDevices::dev.off())
  said <- function(height) length(testthat::capture_messages(with_height(picture, list(height = height, rows = 50))))
  expect_identical(c(said(7.9), said(8.1)), c(0L, 1L))
  expect_identical(attr(with_height(picture, list(height = 4, rows = 3)), "row_layout"), list(height = 4, rows = 3))
})

test_that("rows and panels follow their layout", {
  skip_if_not_installed("ggplot2")
  layout <- row_layout(3, sprintf("label %d", 1:30), c("a", "b", "c"), across = 1)
  theme <- row_theme(layout)
  expect_equal(as.numeric(theme$axis.text.y$size), layout$size / 9.6)
  expect_equal(as.numeric(theme$panel.spacing.y), 0.5)
  expect_equal(as.numeric(row_theme(row_layout(2, "a", across = 1))$panel.spacing.y), 1.2)
  overlap <- function(rows) {
    guide <- row_labels(list(rows = rows, width = 10))$guide
    guide$check.overlap %||% guide$params$check.overlap
  }
  expect_identical(c(overlap(50), overlap(51)), c(FALSE, TRUE))
  expect_identical(row_labels(list(rows = 3, width = 10), toupper)$labels("one two three"), "ONE TWO\nTHREE")
  panels <- row_panels(list(across = 2, title_width = 10, title_size = 8), "free_y")
  expect_equal(panels[[1]]$params$ncol, 2)
  expect_identical(unlist(panels[[1]]$params$free), c(x = FALSE, y = TRUE))
  expect_equal(as.numeric(panels[[2]]$strip.text$size), 8 / 12)
  expect_identical(row_panels(list(across = 1, title_width = 9, title_size = 10))[[1]]$params$free$y, FALSE)
  # Names of correlations: from one end to the other, none in the middle.
  scale <- scale_correlation(0.4)
  expect_identical(scale$limits, c(-0.4, 0.4))
  expect_identical(scale_correlation(0.4, 0)$limits, c(0, 0.4))
})

test_that("lines have points up to twelve, and a legend unless they are named at their ends", {
  skip_if_not_installed("ggplot2")
  designs <- factor(c("a", "b"))
  parts <- function(...) Filter(Negate(is.null), design_lines(designs, ...))
  has_points <- function(...) any(vapply(parts(...), function(part) inherits(part, "Layer") && inherits(part$geom, "GeomPoint"), NA))
  scale <- function(aesthetic, ...) Filter(function(part) inherits(part, "Scale") && aesthetic %in% part$aesthetics, parts(...))
  expect_identical(c(has_points(12), has_points(13)), c(TRUE, FALSE))
  expect_identical(c(length(scale("shape", 12)), length(scale("shape", 13))), 1:0)
  expect_identical(scale("colour", 3, line_labels = list(layers = NULL))[[1]]$guide, "none")
  expect_false(identical(scale("colour", 3)[[1]]$guide, "none"))
  expect_equal(scale("colour", 3)[[1]]$palette(2), c(a = line_colours[1], b = line_colours[2]))
  expect_equal(scale("linetype", 3)[[1]]$palette(2), c(a = "solid", b = "84"))
  # The second point is hollow.
  expect_equal(scale("shape", 3)[[1]]$palette(2), c(a = 16, b = 2))
})
