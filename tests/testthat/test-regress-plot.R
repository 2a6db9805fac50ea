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
