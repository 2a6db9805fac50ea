# The numbers that the text of vignettes/articles/classroom.Rmd and vignettes/articles/top-ten.Rmd names.

test_that("in class: estimate, posterior, number of pupils and coverage", {
  fit <- rr_estimate(rr_counts(c(no = 16, yes = 12), rr_forced(1 / 6)))
  share <- (12 / 28 - 1 / 6) / (4 / 6)
  expect_equal(coef(fit)[["yes"]], share)
  expect_equal(round(unname(confint(fit)["yes", ]), 2), c(0.15, 0.66))
  posterior <- subset(predict(fit), term == "yes")$posterior
  expect_equal(posterior, c(1 / 6, 5 / 6) * share / (c(1 / 6, 5 / 6) * share + c(5 / 6, 1 / 6) * (1 - share)))
  expect_equal(round(posterior, 2), c(0.11, 0.76))
  plan <- rr_power(rr_forced(1 / 6), margin = 0.05)
  # z^2 / (4 margin^2) and its 36 / 16, by hand.
  expect_equal(c(plan$n, plan$direct), ceiling(qnorm(0.975)^2 / (4 * 0.05^2) * c(36 / 16, 1)))
  # Coverage of the page's interval for a share of 0.3, by enumeration of the 29 classes.
  yes <- 0:28
  classes <- rr_estimate(rr_counts(rbind(no = 28 - yes, yes = yes), rr_forced(1 / 6)), method = "inv")
  limits <- subset(tidy(classes, conf.int = TRUE), term == "yes")
  holds <- limits$conf.low <= 0.3 & limits$conf.high >= 0.3
  expect_equal(sum(dbinom(yes, 28, 1 / 6 + 0.2)[holds]), 0.956, tolerance = 0.02)
  devices <- rr_device("forced", epsilon = 1.7, n = 28)
  expect_identical(devices$device[2], "die")
})

test_that("a daily top ten: 68 of 70 intervals are right", {
  oracle <- rr_unary(paste0("page", 1:60), epsilon = 2)
  shares <- prop.table((1:60)^-1.1)
  tallies <- lapply(1:7, function(day) {
    set.seed(day)
    bits <- rr_perturb(sample(oracle$levels, 10000, replace = TRUE, prob = shares), oracle, rng = "R")
    rr_tally(data.frame(day = as.Date("2026-11-01") + day, bits = bits), oracle, column = "bits", by = "day")
  })
  daily <- rr_top(do.call(c, tallies))
  truth <- setNames(shares, oracle$levels)[daily$term]
  expect_identical(c(nrow(daily), sum(daily$conf.low <= truth & truth <= daily$conf.high)), c(70L, 68L))
  within <- subset(rr_recommend(60, epsilon = 2, n = 10000), mechanism == "oue")$within
  expect_equal(round(within, 2), 0.08)
})
