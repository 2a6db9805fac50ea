# Every number that the text of vignettes/survey-designs.Rmd leans on.

test_that("the estimates of the NHANES sample are those that the text names", {
  people <- subset(data_from_cran("survey", "nhanes"), !is.na(HI_CHOL))
  people$truth <- factor(ifelse(people$HI_CHOL == 1, "yes", "no"), c("no", "yes"))
  die <- rr_forced(1 / 6)
  withr::local_seed(2)
  people$answer <- rr_perturb(people$truth, die, rng = "R")
  design <- survey::svydesign(ids = ~SDMVPSU, strata = ~SDMVSTRA, weights = ~WTMEC2YR, nest = TRUE, data = people)
  fit <- rr_estimate(design, die, column = ~answer)
  direct <- survey::svymean(~truth, design)
  expect_identical(nrow(people), 7846L)
  expect_equal(fit$df, 16)
  error <- tidy(fit)$std.error[2]
  expect_lt(abs(coef(fit)[["yes"]] - coef(direct)[["truthyes"]]), error)
  expect_equal(round(error / survey::SE(direct)[[2]], 1), 2.2)
  plain <- tidy(rr_estimate(people, die, column = "answer"))$std.error[2]
  expect_equal(round(1 - plain / error, 1), 0.4)
  replicates <- tidy(rr_estimate(survey::as.svrepdesign(design, type = "JKn"), die, column = ~answer))
  expect_equal(round(replicates$std.error, 4), round(tidy(fit)$std.error, 4))
  expect_equal(round(sum(weights(design)) / 1e6), 255)
  ages <- tidy(rr_estimate(design, die, column = ~answer, by = ~agecat), conf.int = TRUE)
  expect_identical(ages$conf.low[ages$agecat == "(0,19]" & ages$term == "yes"], 0)
})
