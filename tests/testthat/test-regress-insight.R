# What parameters, modelsummary and other packages on insight say of a fit of rr_glm().
survey <- data.frame(age = rep(20:69, 8), area = rep(1:20, 20), report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
links <- c("logit", "log", "probit", "cloglog", "identity")
fits <- lapply(stats::setNames(nm = links), function(link) rr_glm(report ~ age, survey, rr_forced(1 / 6), link = link))

test_that("insight reads the link of the truth, and the statistic of the tests", {
  skip_if_not_installed("insight")
  for (link in links) {
    expect_identical(insight::link_inverse(fits[[link]])(-0.3), stats::make.link(link)$linkinv(-0.3))
    expect_identical(insight::link_function(fits[[link]])(0.3), stats::make.link(link)$linkfun(0.3))
    expect_identical(insight::model_info(fits[[link]])$link_function, link)
  }
  expect_true(insight::model_info(fits$logit)$is_logit)
  expect_identical(insight::get_df(fits$logit, type = "wald"), Inf)
  expect_identical(as.double(insight::get_df(fits$logit)), 398)
  # Predictions are of the truth, as those of predict() are.
  expect_equal(as.vector(insight::get_predicted(fits$logit, predict = "expectation")), unname(predict(fits$logit, type = "response")))
})

test_that("parameters calls exponentiated coefficients what they are", {
  skip_if_not_installed("parameters")
  name_of <- function(fit, exponentiate) {
    table <- parameters::parameters(fit, exponentiate = exponentiate, ci_method = "wald")
    attr(table, "coefficient_name")
  }
  expect_identical(vapply(fits, name_of, "", exponentiate = TRUE),
                   c(logit = "Odds Ratio", log = "Risk Ratio", probit = "Coefficient", cloglog = "Coefficient", identity = "Coefficient"))
  expect_identical(name_of(fits$logit, FALSE), "Log-Odds")
  expect_identical(name_of(fits$log, FALSE), "Log-Risk")
  table <- parameters::parameters(fits$logit, exponentiate = TRUE, ci_method = "wald")
  own <- tidy(fits$logit, conf.int = TRUE, method = "wald", exponentiate = TRUE)
  expect_equal(table$Coefficient, own$estimate)
  skip_if_not_installed("insight", "1.0.0")
  expect_equal(table$p, own$p.value)
  expect_equal(table$CI_low, own$conf.low)
})

test_that("fits of survey designs are of the t distribution there too", {
  skip_if_not_installed("parameters")
  skip_if_not_installed("survey")
  design <- survey::svydesign(~area, data = survey, weights = ~1)
  fit <- rr_glm(report ~ age, design = design, mechanism = rr_forced(1 / 6))
  # 20 clusters less 1, less one slope.
  expect_identical(as.double(insight::get_df(fit, type = "wald")), 18)
  skip_if_not_installed("insight", "1.0.0")
  expect_equal(parameters::parameters(fit, ci_method = "wald")$p, tidy(fit)$p.value)
})

test_that("modelsummary exponentiates them", {
  modelsummary <- from_cran("modelsummary")$modelsummary
  table <- modelsummary(fits$logit, exponentiate = TRUE, output = "data.frame", fmt = 4)
  shown <- table[[ncol(table)]][table$term == "age" & table$statistic == "estimate"]
  expect_identical(shown, sprintf("%.4f", exp(coef(fits$logit)[["age"]])))
})
