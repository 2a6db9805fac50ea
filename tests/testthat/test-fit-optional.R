# Packages that take "a model" really run on our estimates, and say what our own verbs say.
survey <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
grouped <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(460, 300, 240)), rr_grr(c("never", "once", "often"), epsilon = 1)))

test_that("methods of other packages' generics ignore arguments that are meant for other classes", {
  # A function of another package that asks any model.
  elsewhere <- function(generic, ...) generic(survey, ...)
  environment(elsewhere) <- list2env(list(survey = survey), parent = asNamespace("generics"))
  asked <- list(list(vcov, complete = FALSE), list(coef, complete = FALSE), list(nobs, use.fallback = TRUE),
                list(tidy, exponentiate = FALSE, vcov = NULL), list(glance, gof_map = "all"), list(augment, data = NULL), list(summary, correlation = FALSE))
  for (one in asked) {
    generic <- one[[1]]
    expect_silent(said <- do.call(elsewhere, one))
    expect_identical(said, generic(survey))
    # Who writes the call is told.
    expect_warning(do.call(generic, c(list(survey), one[-1])), names(one)[2], class = "candor_warning_argument")
    expect_warning(lapply(list(survey), generic, conf_level = 0.5), "conf_level", class = "candor_warning_argument")
  }
  expect_warning(confint(survey, k = 0.5), "`k`", class = "candor_warning_argument")
  expect_warning(anova(grouped, "Chisq"), "unnamed", class = "candor_warning_argument")
  expect_warning(tidy(survey, conf_level = 0.5), "conf.level", class = "candor_warning_argument")
  expect_warning(predict(survey, newdata = data.frame(x = 1)), "reports", class = "candor_warning_argument")
  # The strictness stays in the package's own verbs.
  expect_error(rr_estimate(survey$tally, complete = FALSE), "complete", class = "candor_error_argument")
})

test_that("multcomp tests linear hypotheses with our covariance", {
  skip_if_not_installed("multcomp")
  K <- rbind(difference = c(0, 0, 1, 0, 0, -1))
  test <- summary(multcomp::glht(grouped, linfct = K))$test
  own <- rr_contrast(grouped, list(difference = c("men:often" = 1, "women:often" = -1)))
  expect_equal(unname(test$coefficients), own$estimate)
  expect_equal(unname(test$sigma), own$std.error)
  expect_equal(as.vector(test$pvalues), own$p.value, tolerance = 1e-6)
})

test_that("car's delta method and linear hypotheses", {
  skip_if_not_installed("car")
  odds <- car::deltaMethod(survey, "yes/no")
  p <- coef(survey)[["yes"]]
  expect_equal(odds$Estimate, p / (1 - p))
  expect_equal(odds$SE, tidy(survey)$std.error[2] / (1 - p)^2)
  test <- car::linearHypothesis(survey, "yes = 0.3")
  expect_equal(test$Chisq[2], ((p - 0.3) / tidy(survey)$std.error[2])^2)
})

test_that("lmtest", {
  skip_if_not_installed("lmtest")
  expect_equal(lmtest::coeftest(survey)[, "Std. Error"], sqrt(diag(vcov(survey))))
  expect_equal(unname(lmtest::coefci(survey)), unname(confint(survey, interval = "wald")), tolerance = 1e-6)
  pooled <- rr_estimate(rr_counts(c(880, 630, 490), rr_grr(c("never", "once", "often"), epsilon = 1)))
  test <- lmtest::lrtest(pooled, grouped)
  expect_equal(test$Chisq[2], 2 * as.numeric(logLik(grouped) - logLik(pooled)))
  expect_identical(test$Df[2], 2)
})

test_that("insight reads coefficients, covariance and errors", {
  skip_if_not_installed("insight")
  expect_equal(insight::get_parameters(survey)$Estimate, unname(coef(survey)))
  expect_equal(unname(as.matrix(insight::get_varcov(survey))), unname(vcov(survey)))
  expect_equal(as.numeric(insight::n_obs(survey)), nobs(survey))
  expect_true(all(c("Parameter", "CI_low") %in% names(insight::standardize_names(tidy(survey, conf.int = TRUE)))))
})

towns <- rr_estimate(rr_counts(cbind(North = c(no = 620, yes = 380), South = c(700, 300), West = c(660, 340)), rr_forced(1 / 6)))
# Forced response by hand: 2/3 of the truth and 1/6.
shares <- (c(380, 300, 340) / 1000 - 1 / 6) / (2 / 3)

test_that("parameters makes a table of estimates", {
  skip_if_not_installed("parameters")
  table <- parameters::model_parameters(survey)
  expect_identical(table$Parameter, c("no", "yes"))
  expect_equal(table$Coefficient[2], (831 / 2435 - 1 / 6) / (2 / 3))
  expect_equal(cbind(table$CI_low, table$CI_high), unname(confint(survey)), ignore_attr = TRUE)
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
  expect_identical(table[[ncol(table)]][table$term == "yes, West - South" & table$statistic == "estimate"], sprintf("%.4f", shares[3] - shares[2]))
})

test_that("broom and knitr", {
  skip_if_not_installed("broom")
  expect_identical(broom::tidy(survey, conf.int = TRUE), tidy(survey, conf.int = TRUE))
  expect_identical(broom::glance(survey), glance(survey))
  skip_if_not_installed("knitr")
  expect_match(paste(knitr::kable(as.data.frame(survey)), collapse = " "), "conf.low")
})

test_that("optional answers have Wald's limits, of all rows together, cut at 0 and 1 where the estimate is held", {
  first <- rr_counts(cbind(u = c(no = 120, yes = 80), v = c(250, 150)), rr_warner(0.7))
  second <- rr_counts(cbind(u = c(110, 90), v = c(240, 160)), rr_warner(0.9))
  pool <- rr_pool(first, second, optional = TRUE)
  free <- rr_estimate(pool, method = "inv", conf.level = 0.9)
  error <- sqrt(diag(vcov(free)))
  expect_equal(unname(confint(free)), unname(coef(free) + qnorm(0.95) * error %o% c(-1, 1)), tolerance = 1e-10)
  together <- rr_estimate(pool, method = "inv", conf.level = 0.9, simultaneous = TRUE)
  expect_equal(unname(confint(together)), unname(coef(free) + qnorm(1 - 0.1 / 4 / 2) * error %o% c(-1, 1)), tolerance = 1e-10)
  # No is 1 less yes.
  expect_equal(vcov(free)["u:no", "u:yes"], -error[[1]]^2)
  expect_equal(vcov(free)["u:no", "v:yes"], 0)
  expect_equal(vcov(free), t(vcov(free)))
  for (asked in list(list(method = "ibu"), list(interval = "wilson"), list(target = "sample"), list(other = 1))) {
    expect_error(do.call(rr_estimate, c(list(pool), asked)), class = "candor_error_argument")
  }
  expect_identical(coef(rr_estimate(pool, method = "mle", interval = "wald", target = "population")), coef(free))
  # -1/2 of 0.3 and 3/2 of 0.0625 is below 0: the limits of a held estimate are where the squares of its distance and of z errors add up to.
  held <- rr_estimate(rr_pool(rr_counts(c(168, 72), rr_warner(0.7)), rr_counts(c(150, 10), rr_warner(0.9)), optional = TRUE), simultaneous = TRUE)
  below <- 0.5 * 0.3 - 1.5 * 0.0625
  half <- sqrt(qnorm(1 - 0.05 / 2 / 2)^2 * (0.25 * 0.3 * 0.7 / 239 + 2.25 * 0.0625 * 0.9375 / 159) + below^2)
  expect_equal(confint(held)["yes", ], c(0, half - below), ignore_attr = TRUE, tolerance = 1e-10)
  expect_equal(confint(held)["no", ], 1 - rev(confint(held)["yes", ]), ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("optional answers: weights, variance and the share who used a device, by hand, and estimates held at 0 and 1", {
  fit <- function(first, second, ...) rr_estimate(rr_pool(rr_counts(first, rr_warner(0.7)), rr_counts(second, rr_warner(0.9)), optional = TRUE), ...)
  # A truth of 0.3 of whom half use a device: 0.15 + 0.5 (0.3 + 0.4 0.3) and 0.15 + 0.5 (0.1 + 0.8 0.3) say yes. The weights are -1/2 and 3/2.
  half <- fit(c(128, 72), c(272, 128))
  expect_equal(c(coef(half)[["yes"]], half$device.share), c(0.3, 0.5))
  expect_match(info_of(half, "notes"), "0\\.5|50")
  expect_null(optional_note(NA_real_))
  expect_equal(vcov(half)["yes", "yes"], 0.25 * 0.36 * 0.64 / 199 + 2.25 * 0.32 * 0.68 / 399)
  below <- list(c(140, 60), c(390, 10))
  expect_identical(unlist(tidy(do.call(fit, below))[2, c("estimate", "std.error")]), c(estimate = 0, std.error = NA))
  expect_identical(coef(do.call(fit, lapply(below, rev)))[["yes"]], 1)
  expect_equal(coef(do.call(fit, c(below, method = "inv")))[["yes"]], -0.5 * 0.3 + 1.5 * 0.025)
  expect_identical(dim(vcov(fit(c(1, 1), c(1, 1)))), c(2L, 2L))
  expect_error(fit(c(1, 0), c(1, 1)), class = "candor_error_empty")
})
