# Pictures of regressions: the numbers along a covariate and the rows of coefficients.

skip_if_not_installed("ggplot2")

plot_case <- function() {
  withr::local_seed(87)
  d <- data.frame(x = round(rnorm(200), 1), g = factor(rep_len(c("u", "v", "v"), 200)), z = rep_len(1:4, 200))
  d$y <- rbinom(200, 1, 0.2 + 0.6 * plogis(d$x - (d$g == "v")))
  list(data = d, fit = quietly(rr_glm(y ~ x * g + z, d, rr_warner(0.8))))
}

test_that("a line for each value of the covariate that interacts, the others at their means, with the band of predict()", {
  case <- plot_case()
  grid <- seq(min(case$data$x), max(case$data$x), length.out = 101)
  new <- data.frame(x = rep(grid, 2), g = rep(c("u", "v"), each = 101), z = 2.5)
  wanted <- predict(case$fit, new, "truth", interval = "confidence", level = 0.9)
  picture <- ggplot2::autoplot(case$fit, conf.level = 0.9)
  band <- ggplot2::layer_data(picture, 1)
  band <- band[order(band$group, band$x), ]
  expect_equal(band$x, rep(grid, 2))
  expect_equal(band[c("ymin", "ymax")], as.data.frame(wanted[, c("lwr", "upr")]), ignore_attr = TRUE, tolerance = 1e-8)
  line <- ggplot2::layer_data(picture, 2)
  expect_equal(line$y[order(line$group, line$x)], unname(wanted[, "fit"]), tolerance = 1e-8)
  # A factor has a row for each value, the first on top, at the mean of the numbers; by = none.
  points <- ggplot2::layer_data(ggplot2::autoplot(case$fit, "g", by = character()), 1)
  at <- predict(case$fit, data.frame(x = mean(case$data$x), g = c("u", "v"), z = 2.5), "truth")
  expect_equal(points$x, unname(at), tolerance = 1e-8)
  expect_equal(as.numeric(points$y), 2:1)
  # The axis begins at 0 and ends at 1 if a share comes above one half.
  expect_equal(picture$coordinates$limits$y, c(0, 1))
  grid <- covariate_grid(case$fit, effect_data(case$fit), "z")
  expect_identical(c(grid$variable, grid$line), c("z", "TRUE"))
  expect_identical(unique(grid$new$g), factor("v", c("u", "v")), ignore_attr = TRUE)
  expect_refused(ggplot2::autoplot(case$fit, "w"), ggplot2::autoplot(case$fit, conf.level = 1))
  expect_identical(typical_value(c(1, 2, 6), FALSE), 3)
  expect_identical(typical_value(c(1, 2, 2), TRUE), 2)
  expect_identical(typical_value(c("b", "a", "b"), FALSE), "b")
})

test_that("a row for each coefficient but the constant, as factors on a logarithmic axis", {
  case <- plot_case()
  table <- tidy(case$fit, conf.int = TRUE)[-1, ]
  rows <- ggplot2::layer_data(ggplot2::autoplot(case$fit, type = "coefficients"), 3)
  expect_equal(rows$x, table$estimate)
  expect_identical(as.integer(rows$y), 4:1)
  factors <- ggplot2::layer_data(ggplot2::autoplot(case$fit, type = "coefficients", exponentiate = TRUE), 2)
  expect_equal(10^cbind(factors$x, factors$xend), exp(as.matrix(table[c("conf.low", "conf.high")])), ignore_attr = TRUE, tolerance = 1e-8)
  three <- rr_grr(3, p = 0.8)
  withr::local_seed(88)
  d <- transform(case$data, k = rr_perturb(sample(3, 200, TRUE), three, rng = "R"))
  fit <- quietly(rr_multinom(k ~ x, d, three))
  drawn <- ggplot2::layer_data(draw_coefficients(fit, 0.95, FALSE), 3)
  expect_equal(drawn$x, unname(coef(fit)[, "x"]))
  expect_identical(as.integer(drawn$PANEL), 1:2)
})

test_that("axes of probabilities end at 1, or at a round number above a low curve; lines, rows and panels by the kind of covariate", {
  along <- list(line = TRUE, values = 1:3, variable = "x", typical = character())
  table <- function(top) data.frame(value = 1:3, fit = c(0.1, 0.2, 0.3), lwr = 0.05, upr = top, level = factor("a"))
  ends <- function(top) draw_along(table(top), along, "P", 0.95)$coordinates$limits$y
  expect_equal(list(ends(0.51), ends(0.5), ends(0.33)), list(c(0, 1), c(0, 0.5), c(0, 0.35)))
  # A factor's probabilities lie along the other axis.
  rows <- draw_along(table(0.33), replace(along, "line", FALSE), "P", 0.95)
  expect_equal(rows$coordinates$limits$x, c(0, 0.35))
  expect_match(rows$labels$caption, "Bars: 95% intervals.", fixed = TRUE)
  drawn <- ggplot2::layer_data(rows, 1)
  expect_equal(drawn[c("x", "xmin", "xmax")], data.frame(x = c(0.1, 0.2, 0.3), xmin = 0.05, xmax = 0.33), ignore_attr = TRUE)
  picture <- draw_along(table(0.33), replace(along, "typical", list(c("g = u", "z = 2"))), "P", 0.9)
  expect_match(picture$labels$caption, "Band: 90% intervals. Others: g = u, z = 2.", fixed = TRUE)
  expect_identical(c(picture$labels$x, picture$labels$y, rows$labels$x, rows$labels$y), c("x", "P", "P", "x"))
  # A single level has no legend; several have one, unless they are named at their ends.
  guides <- function(levels, ends = NULL) vapply(level_colours(levels, ends)[1:3], function(scale) identical(scale$guide, "none"), NA)
  expect_identical(c(guides("a"), guides(c("a", "b")), guides(c("a", "b"), list())), rep(c(TRUE, FALSE, TRUE), each = 3))
  colours <- function(k) level_colours(letters[seq_len(k)])[[1]]$palette(k)
  few <- length(line_colours)
  expect_identical(unname(colours(few)), unname(line_colours))
  expect_identical(unname(colours(few + 1)), grDevices::hcl.colors(few + 1, "Dark 3"))
})

test_that("the covariate with lines is one that interacts and has few values; forms of numbers, dates and times", {
  data <- data.frame(x = 1:20, g = rep_len(c("u", "v"), 20), h = rep_len(1:5, 20), many = 20:1)
  lines <- function(formula, variable, by = NULL) line_covariate(by, variable, terms(formula), data)
  few <- length(line_colours)
  expect_null(lines(~ x + g, "x"))
  expect_identical(lines(~ x * g, "x"), "g")
  expect_identical(lines(~ x * many, "x"), character())
  expect_identical(lines(~ x * many * h, "x"), "h")
  expect_identical(lines(~ x * g * h, "x"), "g")
  expect_identical(lines(~ log(x):g + h, "x"), "g")
  expect_null(lines(~ g:h + x, "x"))
  expect_identical(lines(~ x + g, "x", "h"), "h")
  expect_error(lines(~ x, "x", "many"), "20", class = "candor_error")
  data$edge <- rep_len(seq_len(few), 20)
  expect_identical(lines(~ x, "x", "edge"), "edge")
  data$edge <- rep_len(seq_len(few + 1), 20)
  expect_error(lines(~ x, "x", "edge"), class = "candor_error")
  expect_identical(format_value(as.POSIXct("2026-03-01 09:30", tz = "UTC")), "2026-03-01 09:30")
  expect_identical(format_value(1 / 3), "0.333")
  expect_identical(format_value(as.Date("2026-03-01")), "2026-03-01")
  expect_identical(typical_value(as.Date("2026-03-01") + c(0, 4), FALSE), as.Date("2026-03-03"))
  expect_identical(typical_value(c(TRUE, FALSE, TRUE), FALSE), TRUE)
})

test_that("truths of a multinomial regression: intervals of Wald on the logit scale, a panel for each truth where lines are compared", {
  withr::local_seed(89)
  d <- data.frame(x = round(rnorm(300), 1), g = rep_len(c("u", "v", "v"), 300))
  three <- rr_grr(c("a", "b", "c"), p = 0.8)
  d$k <- rr_perturb(sample(c("a", "b", "c"), 300, TRUE), three, rng = "R")
  fit <- quietly(rr_multinom(k ~ x + g, d, three))
  grid <- seq(min(d$x), max(d$x), length.out = 101)
  # The logit of each share moves with the coefficients by its numerical differences.
  limits <- function(new, level, conf.level) {
    index <- match(level, c("a", "b", "c"))
    logit <- function(b) {
      x <- cbind(1, new$x, new$g == "v")
      e <- exp(cbind(0, x %*% b[1:3], x %*% b[4:6]))
      qlogis((e / rowSums(e))[, index])
    }
    b <- as.vector(t(coef(fit)))
    slope <- difference_gradient(logit, b)
    half <- qnorm((1 + conf.level) / 2) * sqrt(rowSums((slope %*% vcov(fit)) * slope))
    data.frame(ymin = plogis(logit(b) - half), ymax = plogis(logit(b) + half))
  }
  band <- ggplot2::layer_data(ggplot2::autoplot(fit, "x", conf.level = 0.9), 1)
  for (i in 1:3) {
    one <- band[band$group == i, ]
    one <- one[order(one$x), ]
    expect_equal(one$x, grid)
    expect_equal(one[c("ymin", "ymax")], limits(data.frame(x = grid, g = "v"), letters[i], 0.9), tolerance = 1e-5, ignore_attr = TRUE)
  }
  panels <- ggplot2::layer_data(ggplot2::autoplot(fit, "x", by = "g"), 1)
  for (i in 1:3) for (g in 1:2) {
    one <- panels[panels$PANEL == i & panels$group == g, ]
    one <- one[order(one$x), ]
    expect_equal(one[c("ymin", "ymax")], limits(data.frame(x = grid, g = c("u", "v")[g]), letters[i], 0.95), tolerance = 1e-5, ignore_attr = TRUE)
  }
})

test_that("axes of coefficients say what they are; those at infinity and other parts are left out", {
  case <- plot_case()
  label <- function(fit, ...) draw_coefficients(fit, 0.95, ...)$labels$x
  probit <- quietly(rr_glm(y ~ x, case$data, rr_warner(0.8), link = "probit"))
  expect_identical(c(label(case$fit, FALSE), label(case$fit, TRUE), label(probit, FALSE), label(probit, TRUE)),
                   c("Log odds ratio", "Odds ratio", "Coefficient", "Factor"))
  mixed <- suppressMessages(suppressWarnings(rr_glm(y ~ x + (1 | g), transform(case$data, g = rep(1:20, 10)), rr_warner(0.8))))
  rows <- ggplot2::layer_data(draw_coefficients(mixed, 0.95, FALSE), 3)
  expect_equal(rows$x, tidy(mixed)$estimate[tidy(mixed)$term == "x"])
  # All of a group say yes: its coefficient is infinite.
  sure <- transform(case$data, g = rep(0:1, c(180, 20)), y = ifelse(seq_len(200) > 180, 1, y))
  sure <- suppressWarnings(suppressMessages(rr_glm(y ~ g + x, sure, rr_binary(1, 0))))
  expect_identical(coef(sure)[["g"]], Inf)
  expect_equal(ggplot2::layer_data(draw_coefficients(sure, 0.95, FALSE), 3)$x, coef(sure)[["x"]])
})

test_that("shares of a posterior: medians and limits, a row for each group of a yes or no", {
  withr::local_seed(90)
  counts <- data.frame(answer = rep(c("no", "yes"), 2), n = c(300, 200, 350, 150), g = rep(c("u", "v"), each = 2))
  posterior <- rr_posterior(rr_counts(counts, rr_warner(0.8), column = "answer", by = "g"))
  table <- tidy(posterior, conf.int = TRUE, conf.level = 0.9)
  yes <- table[table$term == "yes", ]
  picture <- ggplot2::autoplot(posterior, conf.level = 0.9)
  lines <- ggplot2::layer_data(picture, 2)
  expect_equal(lines[c("x", "xend")], data.frame(x = yes$conf.low, xend = yes$conf.high))
  expect_identical(as.integer(lines$y), 2:1)
  expect_equal(ggplot2::layer_data(picture, 3)$x, yes$median)
  expect_match(picture$labels$caption, "90%", fixed = TRUE)
  expect_match(picture$labels$x, "yes", fixed = TRUE)
  # One group has both.
  alone <- rr_posterior(rr_counts(c(no = 300, yes = 200), rr_warner(0.8)))
  rows <- ggplot2::layer_data(ggplot2::autoplot(alone), 3)
  expect_equal(rows$x, tidy(alone)$median)
  expect_identical(as.integer(rows$y), 2:1)
})

test_that("each level of a picture has a line type", {
  scale <- level_colours(c("a", "b"))[[3]]
  expect_identical(scale$aesthetics, "linetype")
  expect_named(scale$palette(2), c("a", "b"))
})

test_that("a number, or `which`, draws the diagnostics of a linear model, and the name of a covariate its truths", {
  plotted <- with_calls(plot.rr_glm, draw = function(x, ...) list(...), getS3method = function(generic, class) {
    function(x, which, ...) list(generic, class, which)
  })
  fit <- structure(list(), class = c("rr_glm", "glm", "lm"))
  expect_identical(list(plotted(fit, 2), plotted(fit, which = 3)), list(list("plot", "lm", 2), list("plot", "lm", 3)))
  expect_identical(plotted(fit, "x", by = "g", conf.level = 0.9)[c("variable", "by", "conf.level")], list(variable = "x", by = "g", conf.level = 0.9))
  expect_null(plotted(fit)$variable)
  expect_refused(plotted(fit, "x", level = 0.9))
})

test_that("lines are named at their ends where there is one panel, and in a legend where there are several, or rows", {
  along <- list(line = TRUE, values = 1:3, variable = "x", typical = character())
  data <- data.frame(value = rep(1:3, 2), fit = c(0.1, 0.2, 0.3, 0.6, 0.7, 0.8), level = factor(rep(c("u", "v"), each = 3)))
  data[c("lwr", "upr")] <- data$fit + c(rep(-0.05, 6), rep(0.05, 6))
  is_named <- function(...) identical(draw_along(data, ..., what = "P", conf.level = 0.95, title = "g")$scales$get_scales("colour")$guide, "none")
  expect_identical(c(is_named(along), is_named(along, panels = 2L), is_named(replace(along, "line", FALSE))), c(TRUE, FALSE, FALSE))
  expect_length(draw_along(data, along, "P", 0.95)$layers, 3)
  expect_length(draw_along(data, along, "P", 0.95, panels = 2L)$layers, 2)
})

test_that("a picture of coefficients has the model of the outcome, and the first of several lines that are wanted", {
  data <- withr::with_seed(91, data.frame(x = round(rnorm(120), 1), z = rep_len(0:2, 120), k = rep(c("no", "yes", "yes"), 40)))
  data$y <- data$x + (data$k == "yes") + sin(1:120)
  fit <- quietly(suppressWarnings(rr_predictor(y ~ x + k, data, list(k = rr_warner(0.9)), truth = ~ x + z, method = "ml")))
  table <- tidy(fit)
  shown <- table[table$component == "outcome" & table$term != "(Intercept)", ]
  rows <- ggplot2::layer_data(draw_coefficients(fit, 0.95, FALSE), 3)
  expect_equal(rows$x, shown$estimate)
  expect_equal(nrow(shown), 2)
  lines <- data.frame(x = 1:20, g = rep_len(c("u", "v"), 20), h = rep_len(1:5, 20))
  expect_identical(line_covariate(c("h", "g"), "x", terms(~ x + g + h), lines), "h")
})

test_that("groups of a posterior have their own names as rows, in their order", {
  counts <- data.frame(answer = rep(c("no", "yes"), 2), n = c(300, 200, 350, 150), g = rep(c("u", "v"), each = 2))
  picture <- ggplot2::autoplot(rr_posterior(rr_counts(counts, rr_warner(0.8), column = "answer", by = "g")))
  expect_identical(rev(ggplot2::ggplot_build(picture)$layout$panel_params[[1]]$y$get_labels()), c("u", "v"))
  grades <- rr_posterior(rr_counts(cbind(u = c(30, 20, 10), v = c(10, 25, 40)), rr_grr(3, p = 0.8)), n = 200)
  expect_identical(length(unique(ggplot2::layer_data(ggplot2::autoplot(grades), 3)$PANEL)), 2L)
})

test_that("a picture of a fit has the truths, and its coefficients are no factors unless they are wanted", {
  case <- plot_case()
  labels <- function(...) ggplot2::autoplot(case$fit, ...)$labels
  expect_identical(labels()$y, labels(type = "truth", conf.level = 0.95)$y)
  expect_identical(labels()$x, "x")
  expect_identical(labels(type = "coefficients")$x, labels(type = "coefficients", exponentiate = FALSE)$x)
  three <- quietly(rr_multinom(y ~ x, transform(case$data, y = c("no", "yes")[y + 1]), rr_warner(0.8)))
  class(three) <- "rr_regression"
  expect_refused(autoplot.rr_regression(three, level = 0.9))
})
