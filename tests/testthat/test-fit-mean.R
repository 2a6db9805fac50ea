# The mean of numbers and the variance of scrambled truths, from the formulas of the cards written out here.

cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
# A report is t m + a: E a = 5, Var a = 50 / 3, E m = 1, Var m = 1 / 6.
reports <- c(12, 31, 5.5, 60, 44, 22, 80, 17, 9, 51, 26, 38)

test_that("the mean of scrambled numbers, and the variance of the truths, unbiased, with errors of the delta method", {
  fit <- rr_estimate(rr_tally(reports, cards))
  n <- length(reports)
  s <- reports - 5
  m <- mean(s)
  c2 <- mean((s - m)^2)
  c3 <- mean((s - m)^3)
  c4 <- mean((s - m)^4)
  # Var(s) = 50 / 3 + (sd^2 + mean^2) / 6 + sd^2, and E m^2 = mean^2 + Var(s) / n.
  variance <- (c2 * n / (n - 1) * (1 + 1 / 6 / n) - 50 / 3 - m^2 / 6) / (7 / 6)
  # Its slopes in the first two moments.
  turn <- m / 3
  error <- sqrt((c4 - c2^2 - 2 * turn * c3 + turn^2 * c2) / (7 / 6)^2 / n)
  expect_equal(unname(coef(fit)), c(m, variance), tolerance = 1e-9)
  expect_equal(tidy(fit)$std.error, c(sqrt(c2 / (n - 1)), error), tolerance = 1e-9)
  expect_equal(vcov(fit)[1, 2], (c3 - turn * c2) / (7 / 6) / n, tolerance = 1e-9)
  expect_equal(vcov(fit)[2, 1], vcov(fit)[1, 2])
  expect_equal(glance(fit)$truth.share, variance / (c2 * n / (n - 1)), tolerance = 1e-9)
  # The interval of the variance: symmetric in the logarithm of the variance of truths and cards together.
  card <- (50 / 3 + m^2 / 6) / (7 / 6)
  factor <- exp(qnorm(0.975) * error / (variance + card))
  bounds <- confint(fit)
  expect_equal(unname(bounds[2, ]), c((variance + card) / factor, (variance + card) * factor) - card, tolerance = 1e-8)
  expect_equal(unname(bounds[1, ]), m + c(-1, 1) * qnorm(0.975) * sqrt(c2 / (n - 1)), tolerance = 1e-8)
  # Of these respondents alone: what the cards add to answers with this mean square.
  alone <- rr_estimate(rr_tally(reports, cards), target = "sample")
  square <- (mean(s^2) - 50 / 3) / (7 / 6)
  expect_equal(tidy(alone)$std.error[1], sqrt((50 / 3 + square / 6) / n), tolerance = 1e-8)
  expect_true(is.na(vcov(alone)[1, 2]))
})

test_that("groups: each as alone; simultaneous limits of all rows", {
  group <- rep(c("u", "v", "v"), 4)
  fit <- rr_estimate(rr_tally(reports, cards, by = group), simultaneous = TRUE, conf.level = 0.9)
  alone <- rr_estimate(rr_tally(reports[group == "v"], cards))
  expect_equal(unname(coef(fit))[3:4], unname(coef(alone)))
  expect_identical(names(coef(fit)), c("u, mean", "u, variance", "v, mean", "v, variance"))
  expect_equal(unname(vcov(fit))[3:4, 3:4], unname(vcov(alone)))
  expect_equal(unname(vcov(fit))[1:2, 3:4], matrix(0, 2, 2))
  z <- qnorm(1 - 0.1 / 4 / 2)
  table <- tidy(fit, conf.int = TRUE)
  expect_equal(table$conf.high[c(1, 3)], (table$estimate + z * table$std.error)[c(1, 3)])
  total <- table$estimate[c(2, 4)] + fit$cards
  expect_equal(table$conf.high[c(2, 4)], total * exp(z * table$std.error[c(2, 4)] / total) - fit$cards)
  expect_identical(nobs(fit), 12)
  expect_identical(mean_labels(NULL, c("mean", "variance")), c("mean", "variance"))
  expect_identical(mean_labels(data.frame(g = c("u", "v")), "mean"), c("u", "v"))
})

test_that("the error of a mean where reports show nothing of their spread, and of fixed answers", {
  duchi <- rr_mean(c(-1, 1), 1, "duchi")
  c2 <- 1 / tanh(0.5)^2
  # Reports are plus or minus c: the population's error whatever the target.
  for (target in c("population", "sample")) expect_equal(mean_error(duchi, 0.2, c2, 100, target), (c2 - 0.04) / 99, tolerance = 1e-12)
  expect_identical(mean_error(duchi, sqrt(c2), c2, 100, "population"), NA_real_)
  expect_true(is.na(mean_error(duchi, 0.2, c2, 1, "population")))
  # A direct question of fixed answers has no error.
  shown <- suppressWarnings(rr_scramble(c(-1, 1)))
  expect_identical(mean_error(shown, 0.2, 0.5, 100, "sample"), 0)
  expect_identical(mean_covariance(c(1, 2), numeric(), NULL), diag(c(1, 2)))
  expect_identical(mean_covariance(c(1, 2), c(3, 4), c(0.5, NA)), rbind(c(1, 0.5, 0, 0), c(0.5, 3, 0, 0), c(0, 0, 2, NA), c(0, 0, NA, 4)))
})

test_that("a variance is heavy if its error is above a quarter of it, or a tenth at all looks", {
  expect_identical(is_heavy(3, 1, c(1, 1.01)), c(FALSE, TRUE))
  expect_identical(is_heavy(3, 1, c(0.4, 0.41), max_looked_fraction), c(FALSE, TRUE))
  expect_null(heavy_note(3, 1, 1, NULL))
  expect_match(paste(heavy_note(3, 1, 1.01, NULL), collapse = " "), "may be too low")
  expect_match(paste(heavy_note(3, 1, 0.41, 50), collapse = " "), "no interval")
  expect_null(heavy_note(3, 1, NA, NULL))
  expect_null(variance_note(c(1, 2)))
  expect_match(paste(variance_note(c(1, NA)), collapse = " "), "standard error +is NA")
})

test_that("means and mean squares that no answers have are told beyond the bounds of Hoeffding and Maurer alone", {
  limit <- log(4 / 1e-6)
  n <- 5000
  # The mean square of the second cards is least at the end -1.
  mechanisms <- list(cards, rr_scramble(c(60, 120), multiply = c(-1, 3)), rr_mean(c(0, 24), 1, "duchi"), rr_mean(c(0, 24), 1, "piecewise"))
  for (mechanism in mechanisms) {
    moments <- mean_variance(mechanism)
    line <- score_line(mechanism)
    reach <- max(abs(line[1]), abs(line[1] + line[2]))
    squares <- moments$constant + moments$linear * seq(-1, 1, 1e-3) + (moments$slope + 1) * seq(-1, 1, 1e-3)^2
    low <- min(squares)
    high <- max(squares)
    flagged <- function(mean, second) unlikely_mean(mechanism, mean, second, n, 1e-6)
    step <- sqrt(limit * 2 * reach^2 / n)
    inside <- (low + high) / 2
    expect_identical(c(flagged(1 + step * 0.999, inside), flagged(1 + step * 1.001, inside), flagged(-1 - step * 1.001, inside)), c(FALSE, TRUE, TRUE))
    down <- sqrt(limit * 2 * reach^2 * low / n)
    expect_identical(c(flagged(0, low - down * 0.999), flagged(0, low - down * 1.001)), c(FALSE, TRUE))
    up <- sqrt(limit * reach^4 / 2 / n)
    expect_identical(c(flagged(0, high + up * 0.999), flagged(0, high + up * 1.001)), c(FALSE, TRUE))
  }
})

test_that("what a mean refuses", {
  tally <- rr_tally(reports, cards)
  expect_refused(rr_estimate(tally, method = "mle"), rr_estimate(tally, interval = "wilson"), rr_estimate(tally, interval = "anytime", target = "sample"),
                 rr_estimate(tally, other = 1))
})

test_that("means have limits of all looks from 100 reports on, 20 at either end", {
  duchi <- rr_mean(c(0, 24), 1, "duchi")
  ends <- duchi$codec$range
  known <- function(low, high) {
    reports <- rep(ends, c(low, high))
    fit <- suppressMessages(rr_estimate(rr_tally(reports, duchi), interval = "anytime"))
    !anyNA(confint(fit))
  }
  # With weights of 2 they are as many people.
  weighted <- data.frame(r = rep(ends, c(70, 30)), w = 2)
  expect_false(anyNA(confint(rr_estimate(weighted, duchi, column = "r", weights = "w", interval = "anytime"))))
  expect_identical(c(known(80, 20), known(20, 80), known(50, 49), known(81, 19), known(19, 81)), c(TRUE, TRUE, FALSE, FALSE, FALSE))
})

test_that("a group of means keeps target, level, plan and the family of its limits", {
  group <- rep(c("u", "v", "v"), 100)
  set.seed(2)
  tally <- rr_tally(rr_perturb(runif(300, 0, 60), cards, rng = "R"), cards, by = group)
  for (asked in list(list(target = "sample"), list(conf.level = 0.8, simultaneous = TRUE), list(interval = "anytime", plan = 200))) {
    fit <- do.call(rr_estimate, c(list(tally), asked))
    expect_equal(as.list(tidy(fit["v"], conf.int = TRUE)), as.list(tidy(fit, conf.int = TRUE)[3:4, ]))
    expect_identical(glance(fit["v"])$conf.level, glance(fit)$conf.level)
    expect_identical(glance(fit["v"])$target, glance(fit)$target)
  }
})

test_that("pictures have the means alone, or variances if none other is asked for, and groups as rows", {
  skip_if_not_installed("ggplot2")
  fit <- rr_estimate(rr_tally(reports, cards, by = rep(c("u", "v", "v"), 4)))
  picture <- ggplot2::autoplot(fit)
  expect_equal(picture$data$estimate, unname(coef(fit)[c("u, mean", "v, mean")]))
  expect_identical(as.character(picture$data$label), c("u", "v"))
  expect_equal(ggplot2::autoplot(fit, terms = "u, variance")$data$estimate, coef(fit)[["u, variance"]])
})

test_that("two reports have a spread, roundings have none, and squares of answers in a range are from 0 to 1", {
  duchi <- rr_mean(c(-1, 1), 1, "duchi")
  expect_equal(mean_error(duchi, 0.2, 0.5, 2, "population"), 0.46)
  expect_identical(mean_error(duchi, 1.1, 1.21 * (1 + 1e-13), 100, "population"), NA_real_)
  expect_equal(mean_error(duchi, 1.1, 1.21 * (1 + 1e-9), 100, "population"), 1.21e-9 / 99, tolerance = 1e-5)
  expect_equal(mean_error(duchi, 0, 1e-8, 100, "population"), 1e-8 / 99)
  piecewise <- rr_mean(c(-1, 1), 1, "piecewise")
  moments <- mean_variance(piecewise)
  # Of these respondents: constant + linear m + slope s, s the mean square of the answers.
  for (square in c(-0.5, 0.5, 1.5)) {
    second <- moments$constant + moments$linear * 0.2 + (moments$slope + 1) * square
    s <- min(max(square, 0), 1)
    expect_equal(mean_error(piecewise, 0.2, second, 100, "sample"), (moments$constant + moments$linear * 0.2 + moments$slope * s) / 100)
  }
})
