# What parameters and modelsummary say of estimates and comparisons.
survey <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
towns <- rr_estimate(rr_counts(cbind(North = c(no = 620, yes = 380), South = c(700, 300), West = c(660, 340)), rr_forced(1 / 6)))
# Forced response by hand: 2/3 of the truth and 1/6.
shares <- (c(380, 300, 340) / 1000 - 1 / 6) / (2 / 3)

test_that("parameters makes a table of estimates", {
  skip_if_not_installed("parameters")
  table <- parameters::model_parameters(survey)
  expect_identical(table$Parameter, c("no", "yes"))
  expect_equal(table$Coefficient[2], (831 / 2435 - 1 / 6) / (2 / 3))
  expect_equal(cbind(table$CI_low, table$CI_high), unname(confint(survey)), ignore_attr = TRUE)
  expect_output(print(table), "yes")
  narrow <- parameters::model_parameters(survey, ci = 0.5)
  expect_equal(narrow$CI_low, tidy(survey, conf.int = TRUE, conf.level = 0.5)$conf.low)
  table <- parameters::model_parameters(towns)
  expect_identical(table$Parameter[c(2, 4, 6)], c("North, yes", "South, yes", "West, yes"))
  expect_equal(table$Coefficient[c(2, 4, 6)], shares)
  expect_equal(parameters::model_parameters(towns, keep = "South")$Coefficient, c(1 - shares[2], shares[2]))
  pairs <- parameters::model_parameters(rr_compare(towns))
  expect_identical(pairs$Parameter, paste("yes,", c("South - North", "West - North", "West - South")))
  expect_equal(pairs$Coefficient, c(shares[2] - shares[1], shares[3] - shares[1], shares[3] - shares[2]))
})

test_that("modelsummary sets fits, groups and comparisons without a word of shape", {
  modelsummary <- from_cran("modelsummary")$modelsummary
  table <- modelsummary(list(all = survey, towns = towns), output = "data.frame", fmt = 4)
  expect_identical(table$towns[table$term == "South, yes" & table$statistic == "estimate"], sprintf("%.4f", shares[2]))
  # Reports are one in six forced: exp(epsilon) = (5/6) / (1/6).
  expect_identical(table$all[table$term == "epsilon"], as.character(signif(log(5), 4)))
  expect_setequal(table$term[table$part == "gof"], c("Num.Obs.", "AIC", "BIC", "Log.Lik.", "method", "epsilon"))
  rates <- c(1604, 831) / 2435
  expect_identical(table$all[table$term == "Log.Lik."], sprintf("%.3f", sum(c(1604, 831) * log(rates))))
  expect_no_warning(table <- modelsummary(rr_compare(towns), output = "data.frame", fmt = 4))
  expect_identical(table[[ncol(table)]][table$term == "yes, West - South" & table$statistic == "estimate"],
                   sprintf("%.4f", shares[3] - shares[2]))
})

test_that("modelsummary is told of estimates on the boundary", {
  modelsummary <- from_cran("modelsummary")$modelsummary
  edge <- rr_estimate(rr_counts(c(no = 900, yes = 100), rr_forced(1 / 6)))
  expect_true("boundary" %in% modelsummary(edge, output = "data.frame")$term)
})
