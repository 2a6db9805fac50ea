# What pictures show, read from their layers, axes and labels.

skip_if_not_installed("ggplot2")

x_labels <- function(plot, panel = 1) {
  labels <- ggplot2::ggplot_build(plot)$layout$panel_params[[panel]]$x$get_labels()
  labels[!is.na(labels)]
}
y_labels <- function(plot, panel = 1) rev(ggplot2::ggplot_build(plot)$layout$panel_params[[panel]]$y$get_labels())
panel_names <- function(plot) as.character(ggplot2::ggplot_build(plot)$layout$layout$panel)
die <- rr_forced(1 / 6)
regions <- rr_counts(cbind(North = c(no = 300, yes = 200), South = c(220, 80), West = c(90, 30)), die)

test_that("comparisons are drawn in percentage points about 0, or as ratios about 1", {
  fit <- rr_estimate(regions)
  table <- rr_compare(fit)
  plot <- ggplot2::autoplot(table)
  expect_identical(y_labels(plot), c("South - North", "West - North", "West - South"))
  expect_equal(ggplot2::layer_data(plot, 1)$xintercept, 0)
  expect_equal(ggplot2::layer_data(plot, 2)[c("x", "xend")], data.frame(x = table$conf.low, xend = table$conf.high))
  expect_equal(ggplot2::layer_data(plot, 3)$x, table$estimate)
  ratios <- ggplot2::autoplot(rr_compare(fit, type = "ratio"))
  expect_identical(y_labels(ratios)[1], "South / North")
  expect_equal(10^ggplot2::layer_data(ratios, 1)$xintercept, 1)
  expect_equal(10^ggplot2::layer_data(ratios, 3)$x, rr_compare(fit, type = "ratio")$estimate)
  expect_identical(panel_names(ggplot2::autoplot(rr_compare(fit, terms = c("no", "yes")))), c("no", "yes"))
})

test_that("effects are changes about 0, and the average stands apart", {
  data <- data.frame(age = rep(20:69, 8), sex = rep(c("f", "m"), each = 200), y = rep(c("no", "yes", "yes", "no", "no"), 80))
  fit <- rr_glm(y ~ age + sex, data, die)
  effects <- rr_effects(fit)
  plot <- ggplot2::autoplot(effects)
  expect_identical(y_labels(plot), c("age, per unit", "sex: m - f"))
  expect_equal(ggplot2::layer_data(plot, 3)$x, effects$estimate[-1])
  by <- rr_effects(fit, "age", by = "sex")
  plot <- ggplot2::autoplot(by)
  expect_identical(panel_names(plot), c("Probability of a true yes, %", "age, per unit, percentage points"))
  expect_identical(y_labels(plot), c("f", "m"))
  expect_equal(sort(ggplot2::layer_data(plot, 3)$x), sort(100 * by$estimate))
})

test_that("common categories are ranked in each group, and hollow where they are not shown to be present", {
  grr <- rr_grr(c("a", "b", "c", "d"), epsilon = 2)
  top <- rr_top(rr_counts(cbind(x = c(300, 120, 52, 48), y = c(48, 300, 120, 52)), grr), n = 4)
  plot <- ggplot2::autoplot(top)
  points <- ggplot2::layer_data(plot, 3)
  expect_equal(points$x, top$estimate)
  expect_identical(points$shape, ifelse(top$present, 16, 21))
  expect_true(any(points$shape == 21) && any(points$shape == 16))
  shown <- function(panel) sub("^.*\r", "", rev(ggplot2::ggplot_build(plot)$layout$panel_params[[panel]]$y$limits))
  expect_identical(c(shown(1), shown(2)), top$term)
})

test_that("functions of shares have the axis of their kind, and cumulative shares say up to where", {
  fit <- rr_estimate(regions)
  L <- list(mean = c("North:yes" = 0.5, "South:yes" = 0.5), less = c("North:yes" = 1, "South:yes" = -1),
            over = list("North:yes", "South:yes"), score = c("North:yes" = 3, "North:no" = 1))
  axis <- function(functions) ggplot2::autoplot(rr_contrast(fit, functions))$labels$x
  kinds <- c(mean = "True proportion", less = "Difference, percentage points", over = "Ratio of proportions", score = "Estimate")
  expect_identical(vapply(names(L), function(name) axis(L[name]), ""), kinds)
  # Of several kinds they are numbers.
  all <- rr_contrast(fit, L)
  expect_identical(axis(L), "Estimate")
  expect_equal(ggplot2::layer_data(ggplot2::autoplot(all), 3)$x, all$estimate)
  ratio <- ggplot2::autoplot(rr_contrast(fit, L["over"]))
  expect_equal(10^ggplot2::layer_data(ratio, 3)$x, all$estimate[3])

  wave <- rr_square_wave(c(0, 10, 20, 30), epsilon = 2)
  cdf <- rr_contrast(rr_estimate(rr_counts(c(10, 20, 70), wave), method = "inv"), cumulative = TRUE)
  expect_true(all(cdf$conf.low >= 0 & cdf$conf.high <= 1))
  # Cut, but not to a point.
  expect_true(any(abs(cdf$estimate - 0.5) + 1.96 * cdf$std.error > 0.5 & cdf$std.error > 0))
  expect_true(all(cdf$conf.low < cdf$conf.high | cdf$std.error == 0))
  expect_identical(y_labels(ggplot2::autoplot(cdf)), c("up to 10", "up to 20", "up to 30"))
})

test_that("margins say which question is which", {
  survey <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
  joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), survey), method = "inv")
  expect_setequal(y_labels(ggplot2::autoplot(rr_margin(joint, c("theft", "drugs")))), y_labels(ggplot2::autoplot(joint)))
  given <- rr_margin(joint, "theft", given = "drugs")
  plot <- ggplot2::autoplot(given)
  expect_identical(panel_names(plot), c("drugs: no", "drugs: yes"))
  expect_identical(y_labels(plot), c("no", "yes"))
  drawn <- ggplot2::layer_data(plot, 3)
  expect_equal(drawn$x[order(drawn$PANEL, -drawn$y)], tidy(given)$estimate)
})

test_that("a survey design looks like the plain fit of the same table", {
  skip_if_not_installed("survey")
  data <- data.frame(answer = rep(c("no", "yes"), c(200, 100)), area = rep(c("N", "S", "S"), 100))
  fit <- ggplot2::autoplot(rr_estimate(data, die, column = "answer", by = "area"))
  design <- survey::svydesign(~1, weights = ~1, data = data)
  survey <- ggplot2::autoplot(rr_estimate(design, die, column = ~answer, by = ~area))
  expect_identical(y_labels(survey), y_labels(fit))
  expect_equal(ggplot2::layer_data(survey, 3)$x, ggplot2::layer_data(fit, 3)$x)
  total <- rr_estimate(design, die, column = ~answer, total = TRUE)
  expect_equal(ggplot2::layer_data(ggplot2::autoplot(total, terms = "yes"), 3)$x, coef(total)[["yes"]])
})

test_that("times run along an axis that says the year, with a line for each further group", {
  keys <- expand.grid(month = as.Date(c("2023-11-01", "2023-12-01", "2024-01-01")), area = c("N", "S"), stringsAsFactors = FALSE)
  keys <- keys[rep(1:6, each = 50), ]
  answers <- rep(c("no", "no", "yes"), 100)
  plot <- ggplot2::autoplot(fit <- rr_estimate(rr_tally(answers, die, by = keys)))
  months <- unique(keys$month)
  # Months by hand; the year stands below the first month of each year.
  years <- ifelse(duplicated(format(months, "%Y")), "", format(months, "\n%Y"))
  expect_identical(x_labels(plot), paste0(format(months, "%b"), years))
  lines <- ggplot2::layer_data(plot, 2)
  expect_identical(length(unique(lines$colour)), 2L)
  expect_equal(sort(lines$y), sort(tidy(fit)$estimate[tidy(fit)$term == "yes"]))
  years <- ggplot2::autoplot(rr_estimate(rr_tally(answers, die, by = list(year = rep(2019:2021, each = 100)))))
  expect_identical(x_labels(years), c("2019", "2020", "2021"))
  # SQLite has no dates: text of days is an axis of days, and other text is not.
  text <- ggplot2::autoplot(rr_estimate(rr_tally(answers, die, by = transform(keys, month = format(month)))))
  expect_identical(ggplot2::layer_data(text, 2), lines)
  expect_s3_class(iso_dates(c("2026-02-28", "2026-03-01")), "Date")
  for (other in list(c("2026-02-29", "2026-03-01"), c("2026-03-01", "march"), 2026:2027)) expect_identical(iso_dates(other), other)
  # Numbers that are no years stay rows.
  expect_identical(y_labels(ggplot2::autoplot(rr_estimate(rr_tally(answers, die, by = list(ward = rep(1:3, each = 100)))))), c("1", "2", "3"))
})

test_that("regressions and posteriors have titles, intervals and named values", {
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  fit <- rr_multinom(cheating ~ female + semester, exam_simulated[1:400, ], often)
  plot <- ggplot2::autoplot(fit, "semester", conf.level = 0.9)
  band <- ggplot2::layer_data(plot, 1)
  line <- ggplot2::layer_data(plot, 2)
  expect_true(all(band$ymin < line$y & line$y < band$ymax & band$ymin >= 0 & band$ymax <= 1))
  # By hand on the logit scale.
  at <- predict(fit, data.frame(semester = band$x[1], female = mean(exam_simulated$female[1:400])), se.fit = TRUE)
  half <- qnorm(0.95) * at$se.fit[1] / (at$fit[1] * (1 - at$fit[1]))
  expect_equal(band$ymin[band$x == band$x[1] & band$group == 1], plogis(qlogis(at$fit[1]) - half))
  posterior <- ggplot2::autoplot(rr_posterior(regions))
  expect_identical(y_labels(posterior), c("North", "South", "West"))
  expect_equal(ggplot2::layer_data(posterior, 1)$xintercept, 0)
})

test_that("one point of a study or a comparison is a row for each method, without remarks of ggplot2", {
  study <- rr_study(list(even = rep(0.25, 4)), epsilon = 1, n = 100, method = c("mle", "inv"), replications = 5, seed = 1)
  plot <- ggplot2::autoplot(study)
  expect_silent(shown <- ggplot2::layer_data(plot, 3))
  own <- study[study$metric == "mse", ]
  expect_equal(10^shown$x, own$estimate)
  expect_identical(y_labels(plot), own$method)
  table <- rr_recommend(8, 1)
  plot <- ggplot2::autoplot(table)
  expect_silent(shown <- ggplot2::layer_data(plot, 3))
  expect_identical(anyDuplicated(shown$y), 0L)
  expect_equal(sort(10^shown$x), sort(table$mse))
})

test_that("tallies and fits have one order, and every row a name or a message", {
  letters30 <- rr_counts(31:60, rr_grr(paste("category", 1:30), epsilon = 3))
  expect_message(plot <- ggplot2::autoplot(rr_estimate(letters30)), NA)
  expect_identical(y_labels(plot), paste("category", 1:30))
  # 30 rows of this text have room in a picture of 4 inches.
  expect_identical(attr(plot, "row_layout")$rows, 30)
  expect_true(attr(plot, "row_layout")$size > 5 && attr(plot, "row_layout")$height <= 4)
  small <- rr_counts(c(50, 30, 20), rr_grr(c("never", "once", "often"), epsilon = 1))
  expect_identical(y_labels(ggplot2::autoplot(rr_estimate(small))), c("never", "once", "often"))
  bars <- ggplot2::layer_data(ggplot2::autoplot(small))
  axis <- ggplot2::ggplot_build(ggplot2::autoplot(small))$layout$panel_params[[1]]$y
  # The first category is on top, as the first row of the fit is.
  expect_identical(axis$get_labels()[order(axis$break_positions(), decreasing = TRUE)], c("never", "once", "often"))
  expect_equal(bars$x, c(0.5, 0.3, 0.2))
})

test_that("labels of neighbouring panels do not touch at 5 by 3 inches", {
  plots <- list(ggplot2::autoplot(rr_estimate(rr_counts(cbind(x = c(40, 30, 20, 10), y = c(10, 20, 30, 40), z = 25), rr_grr(4, epsilon = 2)))),
                ggplot2::autoplot(rr_counts(cbind(x = c(40, 30, 20, 10), y = c(10, 20, 30, 40), z = 25), rr_grr(4, epsilon = 2))))
  grDevices::pdf(NULL, width = 5, height = 3)
  withr::defer(grDevices::dev.off())
  for (plot in plots) {
    build <- ggplot2::ggplot_build(plot)
    table <- ggplot2::ggplot_gtable(build)
    panels <- grep("^panel", table$layout$name)
    fixed <- sum(grid::convertWidth(table$widths, "in", valueOnly = TRUE))
    across <- length(unique(table$layout$l[panels]))
    width <- (5 - fixed) / across
    gap <- grid::convertWidth(plot$theme$panel.spacing.x, "in", valueOnly = TRUE)
    axis <- build$layout$panel_params[[1]]$x
    labels <- axis$get_labels()
    # From 0 to 1 in the panel.
    at <- axis$break_positions()
    expect_true(all(at > 0 & at < 1))
    wide <- vapply(labels, function(label) grid::convertWidth(grid::stringWidth(label), "in", valueOnly = TRUE), 0) * 9.6 / 12
    n <- length(labels)
    # From the right end of the last label to the left end of the first of the next panel.
    between <- gap + (1 - at[n]) * width - wide[n] / 2 + at[1] * width - wide[1] / 2
    expect_gt(between, 0.05)
  }
})

# The height of a panel is what the device has less all that has a height of its own.
panel_height <- function(built, width, height) {
  grDevices::pdf(NULL, width = width, height = height)
  withr::defer(grDevices::dev.off())
  table <- ggplot2::ggplot_gtable(built)
  rows <- unique(table$layout$t[grep("^panel", table$layout$name)])
  (height - sum(grid::convertHeight(table$heights, "in", valueOnly = TRUE))) / length(rows)
}

test_that("a picture of the height that the layout tells has room for the letters of all rows", {
  set.seed(9)
  ordinal <- rr_grr(c("never", "rarely", "sometimes", "often", "always"), epsilon = 2)
  wards <- function(n) matrix(20 + rpois(5 * n, 20), 5, dimnames = list(NULL, sprintf("Ward %02d of the city", seq_len(n))))
  long <- rr_grr(paste("A long answer that nobody reads in one line, number", 1:3), epsilon = 2)
  quiet <- function(x) suppressMessages(ggplot2::autoplot(x))
  plots <- list(quiet(rr_estimate(rr_counts(wards(8), ordinal))), quiet(rr_estimate(rr_counts(wards(12), ordinal))),
                quiet(rr_counts(wards(12), ordinal)), quiet(rr_estimate(rr_counts(wards(extended(16, 40)), ordinal))),
                quiet(rr_estimate(rr_counts(cbind(a = c(30, 20, 10), b = 20), long))), quiet(rr_compare(rr_estimate(rr_counts(wards(4), ordinal)))))
  for (plot in plots) {
    layout <- attr(plot, "row_layout")
    # The same letters in one line each, or in the lines that the width asks for.
    built <- ggplot2::ggplot_build(plot)
    lines <- count_lines(built$layout$panel_params[[1]]$y$get_labels(), 1000)
    expect_gt(panel_height(built, 7, max(4, layout$height)), 0.9 * sum(lines) * layout$size / 72)
  }
  expect_identical(attr(plots[[1]], "row_layout")$across, 4)
})

test_that("a yes/no tally of several groups has a bar for each, as its fit has a row", {
  plot <- ggplot2::autoplot(regions)
  expect_identical(y_labels(plot), c("North", "South", "West"))
  expect_equal(ggplot2::layer_data(plot)$x, c(200 / 500, 80 / 300, 30 / 120))
})

test_that("an axis has two ticks at least, where one would say nothing of its scale", {
  expect_identical(few_breaks(2)(c(-35, 35)), c(-20, 0, 20))
  expect_identical(few_breaks(2)(c(0, 0.62)), c(0, 0.5))
  for (limits in list(c(-8, 17), c(-0.2, 13), c(0.1, 0.2), c(99, 101))) expect_gte(length(few_breaks(1)(limits)), 2)
})

test_that("a picture of ranks says below how many have no place on it", {
  fit <- rr_estimate(rr_counts(c(500, 300, rep(5, 58)), rr_grr(60, epsilon = 3)))
  plot <- ggplot2::autoplot(fit)
  expect_match(plot$labels$caption, sprintf("Estimated as 0 or less: %d of 60.", sum(coef(fit) <= 0)), fixed = TRUE)
})

test_that("plot() gives back the picture, to be added to", {
  fit <- rr_estimate(rr_counts(c(no = 800, yes = 400), rr_forced(1 / 6)))
  picture <- withVisible(plot(fit))
  expect_false(picture$visible)
  expect_s3_class(picture$value, "ggplot")
  expect_s3_class(plot(fit$tally), "ggplot")
  expect_s3_class(plot(fit, terms = "yes", order = NULL), "ggplot")
})

test_that("the curve of a rare truth has an axis of its own", {
  # About one yes in ten.
  set.seed(20261122)
  people <- data.frame(age = rep(20:79, 100), sex = rep(c("f", "m"), each = 3000))
  people$answer <- rr_perturb(rbinom(6000, 1, plogis(-3 + 0.01 * people$age)), rr_warner(0.9), rng = "R")
  expect_lte(ggplot2::autoplot(rr_glm(answer ~ age + sex, people, rr_warner(0.9)))$coordinates$limits$y[2], 0.5)
})

test_that("rows that the device has no room for are told when they are drawn, however that is", {
  counts <- matrix(rep(c(60, 40), 24), 2, dimnames = list(c("no", "yes"), paste("group", 1:24)))
  fit <- rr_estimate(rr_counts(counts, rr_forced(1 / 6)))
  expect_length(capture_messages(picture <- ggplot2::autoplot(fit)), 0)
  file <- withr::local_tempfile(fileext = ".pdf")
  expect_message(ggplot2::ggsave(file, picture, width = 5, height = 3), "24 rows need a picture 3.9 inches high", class = "candor_message_height")
  expect_length(capture_messages(ggplot2::ggsave(file, picture, width = 7, height = 4)), 0)
  grDevices::pdf(file, width = 5, height = 3)
  expect_message(print(picture), class = "candor_message_height")
  # Once, and not twice.
  messages <- capture_messages(plot(fit))
  grDevices::dev.off()
  expect_length(messages, 1)
})

test_that("an open device with room for the rows needs no word, and a lower one does", {
  counts <- matrix(rep(c(60, 40), 60), 2, dimnames = list(c("no", "yes"), paste("group", 1:60)))
  fit <- rr_estimate(rr_counts(counts, rr_forced(1 / 6)))
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file, width = 5, height = 12)
  expect_no_message(ggplot2::autoplot(fit), class = "candor_message_height")
  grDevices::dev.off()
  grDevices::pdf(file, width = 5, height = 5)
  expect_message(ggplot2::autoplot(fit), class = "candor_message_height")
  grDevices::dev.off()
})

test_that("means, quantiles and frequent strings are drawn with their intervals", {
  mechanism <- rr_mean(c(0, 24), epsilon = 1)
  set.seed(8)
  reports <- rr_perturb(runif(300, 4, 20), mechanism, rng = "R")
  fit <- rr_estimate(rr_tally(reports, mechanism, by = rep(c("day", "night", "off"), 100)), simultaneous = TRUE)
  plot <- ggplot2::autoplot(fit)
  expect_identical(y_labels(plot), c("day", "night", "off"))
  expect_equal(ggplot2::layer_data(plot, 3)$x, unname(coef(fit)))
  expect_equal(unname(as.matrix(ggplot2::layer_data(plot, 2)[c("x", "xend")])), unname(confint(fit)))

  wave <- rr_square_wave(seq(0, 100, by = 20), epsilon = 2)
  one <- rr_quantile(rr_estimate(rr_counts(c(10, 20, 40, 20, 10), wave), method = "inv"), c(0.9, 0.1, 0.5))
  plot <- ggplot2::autoplot(one)
  expect_identical(y_labels(plot), c("0.9", "0.1", "0.5"))
  expect_equal(ggplot2::layer_data(plot, 3)$x, one$estimate)
  expect_equal(ggplot2::layer_data(plot, 2)$xend, one$conf.high)
  both <- rr_estimate(rr_counts(cbind(north = c(10, 20, 40, 20, 10), south = c(20, 40, 20, 10, 10)), wave), method = "inv")
  half <- ggplot2::autoplot(rr_quantile(both, 0.5))
  expect_identical(y_labels(half), c("north", "south"))
  expect_identical(c(half$labels$x, half$labels$y), c("The 0.5 quantile", "group"))
  expect_identical(panel_names(ggplot2::autoplot(rr_quantile(both, c(0.9, 0.5)))), c("0.9 quantile", "0.5 quantile"))

  found <- tibble::tibble(term = c("tea", "ale"), estimate = c(0.4, 0.2), conf.low = c(0.3, 0.1), conf.high = c(0.5, 0.3))
  found <- new_rr_table(found, "rr_heavy_hitters", n = 1200, conf.level = 0.9, simultaneous = TRUE)
  plot <- ggplot2::autoplot(found)
  expect_identical(y_labels(plot), c("tea", "ale"))
  expect_equal(ggplot2::layer_data(plot, 2)[c("x", "xend")], data.frame(x = c(0.3, 0.1), xend = c(0.5, 0.3)))
  expect_error(ggplot2::autoplot(found[0, ]), class = "candor_error_empty")
})

test_that("the probabilities of several truths have a panel each, with a line for each value of another covariate", {
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  data <- exam_simulated[1:400, ]
  data$sex <- factor(data$female, labels = c("man", "woman"))
  fit <- rr_multinom(cheating ~ sex + semester, data, often)
  plot <- ggplot2::autoplot(fit, "semester", by = "sex")
  expect_identical(panel_names(plot), levels(exam_simulated$cheating))
  line <- ggplot2::layer_data(plot, 2)
  expect_identical(length(unique(line$colour)), 2L)
  ends <- line[line$x == max(line$x), ]
  expect_equal(ends$y[order(ends$PANEL, ends$group)], as.vector(predict(fit, data.frame(semester = max(data$semester), sex = factor(c("man", "woman"))))))
  expect_error(ggplot2::autoplot(fit, "sex", by = "semester"), "at most 8", class = "candor_error_argument")
})

test_that("on a device narrower than 5 inches letters, points and gaps shrink with the width", {
  picture <- ggplot2::autoplot(rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))) +
    ggplot2::labs(title = "Contact with armed groups in the last year")
  small <- shrunk(picture, 3.3 / 5)
  expect_equal(small$theme$text$size, 12 * 3.3 / 5)
  expect_equal(as.numeric(small$theme$plot.margin), as.numeric(picture$theme$plot.margin) * 3.3 / 5)
  size <- function(plot) vapply(plot$layers, function(layer) layer$aes_params$size %||% NA_real_, 0)
  expect_equal(size(small), size(picture) * 3.3 / 5)
  # Every letter is inside: the title, the widest text, ends before the right edge.
  grDevices::pdf(NULL, width = 3.3, height = 2.5)
  on.exit(grDevices::dev.off())
  expect_identical(print(picture), picture)
  wide <- function(plot) {
    title <- ggplot2::ggplotGrob(plot)
    title <- title$grobs[[which(title$layout$name == "title")]]
    grid <- asNamespace("grid")
    grid$convertWidth(grid$grobWidth(title$children[[1]]), "inches", valueOnly = TRUE)
  }
  expect_gt(wide(structure(picture, class = setdiff(class(picture), "rr_picture"))), 3.3)
  expect_lt(wide(small), 3.3)
})

test_that("two grouping variables are rows and panels", {
  keys <- data.frame(sex = rep(c("men", "women"), each = 200), age = rep(c("young", "old"), 200))
  answers <- rep(c("no", "yes", "no", "no"), 100)
  plot <- ggplot2::autoplot(rr_estimate(rr_tally(answers, rr_forced(1 / 6), by = keys)))
  expect_identical(panel_names(plot), c("sex: men", "sex: women"))
  expect_setequal(y_labels(plot), c("young", "old"))
  expect_identical(plot$labels$y, "age")
})

test_that("coefficients have a row each, for rr_glm() and for a randomized covariate", {
  fit <- rr_glm(plagiarism ~ semester + female, exam_simulated, rr_forced(1 / 6))
  plot <- ggplot2::autoplot(fit, type = "coefficients")
  expect_setequal(y_labels(plot), c("semester", "female"))
  expect_equal(plot$data$estimate, unname(coef(fit)[-1]))
  expect_equal(c(plot$data$conf.low, plot$data$conf.high), unname(c(confint(fit)[-1, ])), tolerance = 1e-6)
  ratio <- ggplot2::autoplot(fit, type = "coefficients", exponentiate = TRUE)
  expect_equal(ratio$data$estimate, unname(exp(coef(fit)[-1])))
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  predictor <- rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often))
  expect_equal(ggplot2::autoplot(predictor)$data$estimate, unname(coef(predictor)[-1]))
})

# Draws a picture on a device of this size, without a warning. A legend begins where the panels do, a title at the left
# edge, a strip at its panel: all must end on the device.
expect_drawn <- function(picture, width, height) {
  grDevices::pdf(NULL, width = width, height = height)
  withr::defer(grDevices::dev.off())
  expect_no_warning(suppressMessages(print(picture)))
  table <- grid::grid.get("layout")
  inches <- function(x) sum(grid::convertWidth(x, "in", valueOnly = TRUE))
  drawn <- function(pattern) {
    places <- grep(pattern, table$layout$name)
    places[!vapply(table$grobs[places], inherits, NA, "zeroGrob")]
  }
  before <- seq_len(min(table$layout$l[grep("^panel", table$layout$name)]) - 1)
  legends <- vapply(drawn("^guide-box"), function(at) inches(table$widths[before]) + inches(table$grobs[[at]]$widths), 0)
  titles <- vapply(drawn("^(title|subtitle|caption|xlab)"), function(at) text_width(table$grobs[[at]], inches), 0)
  # Panels share the width that is left by all else; a strip may reach over the gap and the margin at its right.
  fixed <- vapply(seq_along(table$widths), function(i) inches(table$widths[i]), 0)
  panels <- unique(table$layout$l[grep("^panel", table$layout$name)])
  shared <- (width - sum(fixed[-panels])) / length(panels)
  beside <- sum(fixed[-seq_len(max(panels))]) / if (length(panels) > 1L) 1 else 0.5
  strips <- vapply(drawn("^strip-t"), function(at) text_width(table$grobs[[at]], inches), 0)
  expect_lte(max(0, legends, titles), width)
  expect_lte(max(0, strips), shared + beside + 0.05)
}

# The widest text of a part of a picture.
text_width <- function(grob, inches) {
  if (inherits(grob, "text")) return(inches(grid::grobWidth(grob)))
  parts <- c(grob$grobs, as.list(grob$children))
  max(0, vapply(parts, text_width, 0, inches = inches))
}

# One of each kind, and groups by each type of column.
pictured <- function() {
  set.seed(7)
  n <- 600
  three <- rr_grr(c("never", "once", "often"), epsilon = 2)
  data <- data.frame(use = sample(three$levels, n, TRUE, c(0.6, 0.3, 0.1)), theft = sample(c("no", "yes"), n, TRUE, c(0.6, 0.4)),
                     day = as.Date("2026-10-20") + rep(0:13, length.out = n), year = rep(2020:2026, length.out = n),
                     hour = as.POSIXct("2026-10-20", tz = "UTC") + 3600 * rep(0:11, length.out = n), semester = rep(1:10, length.out = n),
                     area = rep(c("north", "south", "west"), each = n / 3), sex = rep(c("men", "women"), n / 2))
  data$text <- format(data$day)
  keys <- list("day", "text", "year", "hour", "semester", "area", c("day", "area"), c("year", "sex"), c("area", "sex"), c("semester", "area", "sex"))
  names(keys) <- vapply(keys, paste, "", collapse = " and ")
  yes <- lapply(keys, function(by) rr_estimate(data, die, column = "theft", by = by))
  use <- lapply(keys[-10], function(by) rr_estimate(data, three, column = "use", by = by))
  pages <- rr_grr(paste("Page", 1:200), epsilon = 4)
  visits <- rr_tally(rr_perturb(sample(pages$levels, 20000, TRUE, 1 / 1:200), pages, rng = "R"), pages, by = list(week = rep(c("week 43", "week 44"), 10000)))
  hours <- rr_mean(c(0, 24), epsilon = 1)
  means <- lapply(keys[c(1, 3, 6)], function(by) rr_estimate(rr_tally(rr_perturb(rep(8, n), hours, rng = "R"), hours, by = data[by])))
  wave <- rr_square_wave(seq(0, 100, 10), epsilon = 2)
  ages <- rr_estimate(rr_tally(rr_perturb(rep(c(20, 40), n / 2), wave, rng = "R"), wave, by = data["area"]))
  tree <- rr_hierarchy(0:63, 2)
  nodes <- rr_tally(rr_perturb(rep(0:63, 40), tree, rng = "R"), tree)
  designs <- list(warner = rr_warner(0.75), forced = die)
  list(yes = yes, use = use, tallies = lapply(c(yes[c(1, 6)], use[c(1, 6, 9)]), `[[`, "tally"), means = means,
       many = list(rr_estimate(visits), visits, rr_top(visits, 5), rr_estimate(nodes), nodes, ages, rr_quantile(ages, c(0.5, 0.9))),
       tables = list(rr_compare(yes[[6]]), rr_compare(use[[6]]), rr_posterior(yes[[6]]$tally, n = 50), rr_posterior(use[[6]]$tally, n = 50),
                     profile(yes[[6]], "yes"), profile(use[[6]][["north"]])),
       models = list(rr_glm(theft ~ semester * sex, data, die), rr_glm(theft ~ day, data, die), rr_glm(theft ~ area, data, die),
                     rr_multinom(use ~ semester, data, three), rr_multinom(use ~ semester * sex, data, three)),
       plans = list(rr_power(designs, n = c(100, 500, 2000), share = 0.1), rr_power(designs, n = c(100, 500, 2000), share = c(0.05, 0.1)),
                    rr_power(unname(designs), n = c(100, 2000), share = 0.1), rr_power(designs, margin = 0.02),
                    rr_recommend(64, c(1, 2, 4), 1e4), rr_recommend(c(4, 64, 1000), c(1, 2, 4), c(1e3, 1e5)),
                    rr_study(list(even = rep(0.25, 4), steep = c(0.7, 0.1, 0.1, 0.1)), c(1, 2), c(100, 1000), replications = 3, seed = 1)))
}
objects <- suppressWarnings(suppressMessages(pictured()))
drawings <- suppressMessages(lapply(objects, lapply, ggplot2::autoplot))

test_that("every picture is drawn, at 3.3 by 2.5 inches and at 6.5 by 4.5, and nothing is cut", {
  each <- object_of_each_class()
  methods <- get(".__S3MethodsTable__.", asNamespace("ggplot2"))
  classes <- sub("autoplot.", "", grep("^autoplot[.]rr_", ls(methods), value = TRUE), fixed = TRUE)
  pictures <- Filter(function(object) inherits(object, classes), each)
  expect_setequal(unlist(lapply(pictures, function(object) intersect(class(object), classes)[1])), classes)
  crosswise <- rr_crosswise(0.25, levels = c("answer B: only one is a yes", "answer A: both are the same"))
  # The lists have a picture of most classes.
  listed <- unlist(lapply(objects, lapply, class))
  others <- Filter(function(object) !class(object)[1] %in% listed, pictures)
  kinds <- suppressMessages(lapply(c(others, list(rr_estimate(rr_counts(c(80, 230), crosswise)))), ggplot2::autoplot))
  # Text of days is drawn as days, as a test above says.
  small <- lapply(drawings, replace, "text", NULL)
  for (picture in c(kinds, unlist(unname(small), recursive = FALSE))) expect_drawn(picture, 3.3, 2.5)
  # There letters have two thirds of their size on half of the width, so what has room there has room here. One of each
  # list is enough.
  large <- extended(lapply(drawings, `[`, 1), c(drawings, list(kinds)))
  for (picture in unlist(unname(large), recursive = FALSE)) expect_drawn(picture, 6.5, 4.5)
})

test_that("a picture is called as its question, and its axes, panels or lines name the groups", {
  titles <- function(list) vapply(unname(list), function(picture) picture$labels$title, "")
  by <- c("day", "text", "year", "hour", "semester", "area", "day and area", "year and sex", "area and sex", "semester, area and sex")
  expect_identical(gsub("\n", " ", titles(drawings$yes)), paste("theft, by", by))
  expect_identical(titles(drawings$use), paste("use, by", by[-10]))
  by <- c("semester and sex", "day", "area", "semester", "semester and sex")
  expect_identical(titles(drawings$models), paste0(c("theft", "theft", "theft", "use", "use"), ", by ", by))
  data <- data.frame(theft = rep(c("no", "yes"), c(60, 40)))
  fits <- list(rr_estimate(data, die, column = "theft"), rr_estimate(data, die, column = ~theft))
  expect_identical(titles(lapply(fits, ggplot2::autoplot)), c("theft", "theft"))
  # Without a name what is drawn is the title.
  fits <- list(rr_estimate(data$theft, die), rr_estimate(regions))
  expect_identical(titles(lapply(fits, ggplot2::autoplot)), c("True proportions", "True proportion of \"yes\", by group"))
  named <- function(picture) {
    built <- ggplot2::ggplot_build(picture)
    c(unlist(picture$labels[c("x", "y", "colour")]), as.character(built$layout$layout$panel))
  }
  for (i in 1:6) expect_true(names(objects$yes[[i]]$tally$groups) %in% named(drawings$yes[[i]]))
  expect_true("day" %in% named(drawings$use[[1]]) && "area: west" %in% named(drawings$use[[6]]))
  expect_true("area: west, sex: men" %in% named(drawings$use[[9]]) && "area: west" %in% named(drawings$yes[[9]]))
  expect_identical(panel_names(drawings$many[[3]]), c("week: week 43", "week: week 44"))
  for (picture in c(drawings$means, drawings$tables[c(1, 3)])) expect_true(any(c("day", "year", "area") %in% named(picture)))
})

test_that("lines are named at their ends, which is not a legend, and nowhere twice", {
  ends <- function(picture) {
    axis <- ggplot2::ggplot_build(picture)$layout$panel_params[[1]]$y.sec
    data.frame(name = axis$get_labels(), at = axis$break_positions())
  }
  picture <- drawings$yes[[7]]
  expect_setequal(ends(picture)$name, c("north", "south", "west"))
  expect_identical(picture$scales$get_scales("colour")$guide, "none")
  # Not nearer than letters are high.
  recommended <- ends(drawings$plans[[5]])
  expect_true(all(diff(sort(recommended$at)) > 0.06))
  expect_setequal(recommended$name, objects$plans[[5]]$mechanism)
  # Long names have a legend.
  expect_false(identical(drawings$plans[[3]]$scales$get_scales("colour")$guide, "none"))
  # By hand: least squares under gaps of 1 moves 0 and 0 by 1/2 each; the range keeps 10 where it is.
  expect_equal(separate_positions(c(0, 10, 0), 1, c(-5, 10)), c(-0.5, 10, 0.5))
  expect_equal(separate_positions(c(0, 0), 1, c(0, 10)), c(0, 1))
})

test_that("whole numbers have marks at whole numbers, and times of day a line of their own", {
  for (picture in c(drawings$models[c(1, 4, 5)], drawings$yes[3])) {
    marks <- as.numeric(x_labels(picture))
    expect_true(length(marks) > 1L && all(marks == round(marks)))
  }
  expect_true("2026-10-20\n06:00" %in% x_labels(drawings$yes[[4]]))
})

test_that("many categories are sorted by their counts, those that are estimated alike too", {
  visits <- objects$many[[2]]
  tallied <- ggplot2::autoplot(visits[["week 43"]])
  expect_equal(ggplot2::layer_data(tallied, 1)$y, sort(visits[["week 43"]]$counts, decreasing = TRUE) / visits[["week 43"]]$n)
  expect_identical(tallied$labels$x, "Rank among 200 categories")
  drawn <- drawings$many[[1]]$data
  for (week in split(drawn, drawn$panel)) {
    week <- week[order(week$at), ]
    expect_identical(week$at, as.numeric(1:200))
    expect_false(is.unsorted(-week$estimate) || is.unsorted(-week$reported[week$estimate == min(week$estimate)]))
  }
})

test_that("marks of a logarithmic axis are even, and as many as there is room for", {
  for (n in 3:7) for (limits in list(c(3e-4, 1.3), c(1e-15, 1.2), c(2, 40), c(90, 1.2e6), c(0.011, 0.013))) {
    marks <- candor:::few_log_breaks(n)(limits)
    expect_true(length(marks) >= 2 && length(marks) <= n && all(marks >= limits[1] * (1 - 1e-9) & marks <= limits[2] * (1 + 1e-9)))
    if (diff(log10(limits)) > 3) expect_lt(diff(range(diff(log10(marks)))), 1e-9)
  }
})

test_that("a factor has a row for each value, and the interval of predict()", {
  data <- transform(exam_simulated, year = factor(semester > 5, c(FALSE, TRUE), c("the first five semesters", "all later semesters")))
  fit <- rr_glm(plagiarism ~ year + female, data, die)
  picture <- ggplot2::autoplot(fit, "year")
  built <- ggplot2::ggplot_build(picture)
  expect_identical(built$layout$panel_params[[1]]$y$get_labels(), rev(levels(data$year)))
  layer <- ggplot2::layer_data(picture)
  truth <- predict(fit, data.frame(year = levels(data$year), female = mean(data$female)), "truth", interval = "confidence")
  rows <- order(-as.numeric(layer$y))
  expect_equal(unname(as.matrix(layer[rows, c("x", "xmin", "xmax")])), unname(as.matrix(truth)), tolerance = 1e-6)
})

test_that("a single group, a variable label and a single pair are named", {
  counts <- cbind(north = c(no = 620, yes = 380), south = c(700, 300))
  fit <- rr_estimate(rr_counts(counts, rr_warner(0.8)))
  expect_match(ggplot2::autoplot(fit["north"])$labels$title, "north")
  data <- data.frame(q1 = rep(c("no", "yes"), c(62, 38)), day = "2026-10-20")
  labelled <- data
  attr(labelled$q1, "label") <- "Ever evaded taxes"
  title <- function(data) ggplot2::autoplot(rr_estimate(data, rr_warner(0.8), column = "q1", by = "day"))$labels$title
  expect_identical(c(title(data), title(labelled)), c("q1, day: 2026-10-20", "Ever evaded taxes, day: 2026-10-20"))
  three <- rr_estimate(rr_counts(cbind(A = c(a = 50, b = 30, c = 20), B = c(30, 30, 40)), rr_grr(c("a", "b", "c"), epsilon = 3)))
  picture <- ggplot2::autoplot(rr_compare(three))
  expect_identical(levels(picture$data$label), c("c", "b", "a"))
  expect_identical(picture$labels$subtitle, "B - A")
  looked <- rr_estimate(rr_counts(counts, rr_warner(0.8)), interval = "anytime")
  expect_match(ggplot2::autoplot(rr_compare(looked))$labels$caption, "anytime-valid")
})

test_that("a ratio that is unknown says so, and numbers stand on the axis of a hierarchy", {
  none <- suppressWarnings(rr_estimate(rr_counts(cbind(A = c(no = 840, yes = 160), B = c(850, 150)), rr_warner(0.8))))
  picture <- ggplot2::autoplot(suppressWarnings(rr_compare(none, type = "ratio")))
  labels <- unlist(lapply(ggplot2::ggplot_build(picture)$data, function(layer) layer$label))
  expect_identical(as.character(labels), "unknown")
  expect_match(gsub("\n", " ", picture$labels$caption), "estimated as 0 or less")
  tree <- rr_hierarchy(64, 1)
  set.seed(1)
  fit <- rr_estimate(rr_perturb(sample(64, 500, TRUE), tree, rng = "R"), tree)
  marks <- x_labels(ggplot2::autoplot(fit))
  expect_true(length(marks) > 2 && all(marks %in% tree$levels))
})

test_that("leaders go from the last known point of a line to its name, a twentieth of the axis beyond, and names keep apart", {
  line <- factor(c("a", "a", "b", "b", "b"))
  leaders <- end_leaders(c(0, 2, 0, 1, 2), c(0.2, 0.5, 0.1, 0.5, NA), line, c(0, 1), "", 0.08)
  expect_equal(leaders, data.frame(x = c(2, 1), xend = 2.1, y = c(0.5, 0.5), yend = c(0.46, 0.54), line = factor(c("a", "b"))))
  # On logarithmic axes all are of the exponents: from 1 to 100 a gap of 0.16, and 1 to 10 with a twentieth more.
  logs <- end_leaders(c(1, 10, 1, 10), c(5, 10, 7, 10), line[-5], c(1, 100), "xy", 0.08)
  expect_equal(logs$xend, rep(10^1.05, 2))
  expect_equal(log10(logs$yend), c(0.92, 1.08))
  expect_equal(logs[c("x", "y")], data.frame(x = c(10, 10), y = c(10, 10)))
  # Three names have no more room than half of the range each.
  three <- end_leaders(1:3, c(1, 1, 1), factor(letters[1:3]), c(0, 2), "", 0.9)
  expect_equal(three$yend, c(0, 1, 2))
})

test_that("lines are named at their ends if they are two to eight and their names have two lines of 16 letters", {
  ends <- function(names) line_ends(seq_along(names), rep(0.5, length(names)), factor(names, names), c(0, 1))
  expect_null(ends("a"))
  expect_null(ends(paste("name", 1:9)))
  expect_false(is.null(ends(paste("name", 1:8))))
  expect_null(ends(c("a", "three words that are too many for two")))
  leaders <- function(names) ends(names)$layers[[1]]$data
  expect_equal(leaders(c("a", "b"))$yend, c(0.46, 0.54))
  # A name of two lines needs twice the gap.
  expect_equal(leaders(c("a", "two words of a design"))$yend, c(0.42, 0.58))
})

test_that("titles list what is drawn and by what, a single group by its value", {
  expect_identical(picture_title("theft", c("area", "sex")), "theft, by area and sex")
  expect_identical(picture_title(NULL, NULL, "Shares"), "Shares")
  expect_identical(picture_title(c("a", "b", "c"), "area", "Shares"), "a, b and c, by area")
  expect_identical(picture_title("theft", data.frame(area = "north")), "theft, area: north")
  expect_identical(picture_title("theft", data.frame(area = c("north", "south"))), "theft, by area")
  expect_identical(answer_name(theft ~ x), "theft")
  expect_null(answer_name(~x))
  expect_null(answer_name(log(theft) ~ x))
  expect_identical(keys_axis(c("area", "sex")), "area, sex")
  expect_null(keys_axis(NULL))
  rows <- data.frame(area = c("north", "south", "north"), group = c("u", "u", "v"))
  expect_identical(group_panel(rows, c("area", "group")), factor(c("area: north, u", "area: south, u", "area: north, v"), c("area: north, u", "area: south, u",
    "area: north, v")))
  expect_identical(levels(group_panel(rows, "area", named = FALSE)), c("north", "south"))
  expect_identical(group_panel(rows, NULL), factor(c("", "", "")))
  expect_identical(line_values(c("x", "y", "z"), 1:2), c(x = 1L, y = 2L, z = 1L))
})
