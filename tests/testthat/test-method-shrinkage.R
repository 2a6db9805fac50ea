# Skewed numbers: the smoothing moves the estimates by far more than they vary.
skewed_wave <- function() {
  set.seed(5)
  wave <- rr_square_wave(seq(0, 1, length.out = 41), 1)
  rr_tally(rr_perturb(rbeta(20000, 2, 6), wave, rng = "R"), wave)
}

test_that("smoothed estimates have neither standard errors nor intervals, wherever they are read", {
  tally <- skewed_wave()
  fit <- rr_estimate(tally, method = "smoothed")
  told <- "candor_message_no_intervals"
  expect_silent(table <- tidy(fit))
  expect_true(all(is.na(table$std.error)))
  expect_message(table <- tidy(fit, conf.int = TRUE), class = told)
  expect_true(all(is.na(table$conf.low)) && all(is.na(table$conf.high)))
  expect_message(bounds <- confint(fit, 1:3), class = told)
  expect_true(all(is.na(bounds)))
  for (read in list(function(fit) rr_contrast(fit, cumulative = TRUE), rr_quantile, function(fit) rr_contrast(fit, list(1:40)),
                    function(fit) rr_contrast(fit, list(low = fit$mechanism$levels[1:9])))) {
    expect_message(table <- read(fit), class = told)
    expect_true(all(is.na(table$std.error)) && all(is.na(table$conf.low)) && all(is.finite(table$estimate)))
  }
  expect_true(all(is.na(vcov(fit))))
  expect_identical(update(fit)$interval, "none")
  expect_identical(update(fit, method = "inv")$interval, "wilson")
  for (kind in c("wilson", "wald", "exact", "profile")) expect_error(rr_estimate(tally, method = "smoothed", interval = kind), class = "candor_error_argument")
  expect_refused(rr_estimate(tally, method = "smoothed", interval = "bootstrap"), rr_estimate(tally, method = "smoothed", interval = "none"),
                 confint(fit, interval = "wilson"), confint(rr_estimate(tally), interval = "none"))
})

test_that("the reason: percentiles of the bootstrap would not hold the truth, those of maximum likelihood's median do", {
  skip_on_cran()
  tally <- skewed_wave()
  truth <- diff(pbeta(seq(0, 1, length.out = 41), 2, 6))
  draws <- candor:::bootstrap(rr_estimate(tally, method = "smoothed"), 60, list())[[1]]
  bounds <- apply(draws, 1, quantile, c(0.025, 0.975))
  # One set of reports: half of the shares would be far from 95 in 100.
  expect_lt(mean(bounds[1, ] <= truth & truth <= bounds[2, ]), 0.5)
  median <- qbeta(0.5, 2, 6)
  wave <- rr_square_wave(seq(0, 1, length.out = 41), 1)
  covered <- vapply(1:40, function(i) {
    set.seed(i)
    found <- rr_quantile(suppressWarnings(rr_estimate(rr_perturb(rbeta(20000, 2, 6), wave, rng = "R"), wave)), 0.5)
    found$conf.low <= median && median <= found$conf.high
  }, NA)
  # 95 in 100 of 40, four standard deviations of 0.034 below.
  expect_gte(mean(covered), 0.95 - 4 * 0.034)
})
