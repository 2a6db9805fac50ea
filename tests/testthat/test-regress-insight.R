# The package performance is one of CRAN alone, which the project does not ask for.
performance <- function(name) getExportedValue("performance", name)

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
  table <- function(link, exponentiate) parameters::parameters(fits[[link]], exponentiate = exponentiate, ci_method = "wald")
  names <- mapply(function(...) attr(table(...), "coefficient_name"), rep(c("logit", "log"), each = 2), c(TRUE, FALSE))
  expect_identical(unname(names), c("Odds Ratio", "Log-Odds", "Risk Ratio", "Log-Risk"))
  table <- table("logit", TRUE)
  own <- tidy(fits$logit, conf.int = TRUE, conf.method = "wald", exponentiate = TRUE)
  expect_equal(table$Coefficient, own$estimate)
  skip_if_not_installed("insight", "1.0.0")
  expect_equal(c(table$p, table$CI_low), c(own$p.value, own$conf.low))
})

test_that("fits of survey designs are of the t distribution there too", {
  skip_without("parameters", "survey")
  design <- survey::svydesign(~area, data = survey, weights = ~1)
  fit <- rr_glm(report ~ age, design, rr_forced(1 / 6))
  # 20 clusters less 1, less one slope.
  expect_identical(as.double(insight::get_df(fit, type = "wald")), 18)
  # By default parameters would profile, and take p-values of profiles for normal.
  for (table in list(parameters::model_parameters(fit), parameters::model_parameters(rr_multinom(report ~ age, design, rr_forced(1 / 6))))) {
    expect_equal(table$p, unname(summary(fit)$coefficients[, 4]), tolerance = 1e-6)
    expect_equal(table$CI_low, unname(confint(fit)[, 1]), tolerance = 1e-6)
  }
  if (requireNamespace("emmeans", quietly = TRUE)) expect_equal(summary(emmeans::emmeans(fit, "age"))$df, 18)
  skip_if_not_installed("insight", "1.0.0")
  expect_equal(parameters::parameters(fit, ci_method = "wald")$p, tidy(fit)$p.value)
})

# Two fits of which the reports prefer the larger: the density of the reports, by hand, says which.
set.seed(7)
contacts <- data.frame(age = rep(18:77, 20), sex = factor(rep(c("f", "m"), 600)))
truth <- stats::rbinom(1200, 1, stats::plogis(-2 + 0.03 * (contacts$age - 50) + 0.6 * (contacts$sex == "m")))
die <- sample(6, 1200, TRUE)
contacts$report <- ifelse(die == 1, "no", ifelse(die == 6 | truth == 1, "yes", "no"))
small <- rr_glm(report ~ age, contacts, rr_forced(1 / 6))
large <- rr_glm(report ~ age + sex, contacts, rr_forced(1 / 6))
# Rates of the reports are 1/6 + 2/3 of those of the truth.
density_of <- function(fit) {
  rate <- 1 / 6 + 2 / 3 * stats::plogis(as.vector(stats::model.matrix(fit) %*% coef(fit)))
  stats::dbinom(as.integer(contacts$report == "yes"), 1, rate, log = TRUE)
}
lik <- c(sum(density_of(small)), sum(density_of(large)))

test_that("the likelihood that insight gives is that of the reports", {
  skip_if_not_installed("insight")
  value <- insight::get_loglikelihood(large)
  expect_equal(as.numeric(value), lik[2], tolerance = 1e-10)
  expect_equal(attr(value, "per_obs"), density_of(large), tolerance = 1e-10)
  expect_identical(attr(value, "df"), 3)
  # Counts of yes among several reports have a binomial coefficient each.
  towns <- data.frame(x = 1:4, yes = c(6, 9, 8, 14), no = c(14, 11, 12, 6))
  fit <- rr_glm(cbind(yes, no) ~ x, towns, rr_forced(1 / 6))
  rate <- 1 / 6 + 2 / 3 * fitted(fit, "truth")
  expect_equal(attr(insight::get_loglikelihood(fit), "per_obs"), stats::dbinom(towns$yes, 20, unname(rate), log = TRUE))
})

test_that("performance compares fits by the likelihood of the reports", {
  skip_if_not_installed("performance")
  table <- performance("compare_performance")(small, large, verbose = FALSE)
  aic <- -2 * lik + 2 * 2:3
  expect_equal(table$AIC, aic, tolerance = 1e-8)
  expect_equal(table$BIC, -2 * lik + log(1200) * 2:3, tolerance = 1e-8)
  expect_equal(table$AICc, aic + 2 * 2:3 * 3:4 / (1200 - 2:3 - 1), tolerance = 1e-8)
  expect_false(any(c("RMSE", "R2_Tjur", "Log_loss", "Sigma", "Score_log") %in% names(table)))
  test <- performance("test_likelihoodratio")(small, large)
  expect_equal(test$p[2], stats::pchisq(2 * diff(lik), 1, lower.tail = FALSE), tolerance = 1e-6)
  expect_equal(test$p[2], anova(small, large)$`Pr(>Chi)`[2], tolerance = 1e-6)
  skip_if_not_installed("performance", "0.14.0")
  # McFadden's measure asks for likelihoods alone.
  null <- as.numeric(logLik(rr_glm(report ~ 1, contacts, rr_forced(1 / 6))))
  expect_equal(as.numeric(performance("r2_mcfadden")(large)$R2), 1 - lik[2] / null, tolerance = 1e-8)
})

test_that("a survey design has its corrected AIC there, and no likelihood", {
  skip_without("performance", "survey")
  design <- survey::svydesign(~1, data = transform(contacts, w = rep(c(0.5, 1.5), 600)), weights = ~w)
  fit <- rr_glm(report ~ age, design, rr_forced(1 / 6))
  expect_error(insight::get_loglikelihood(fit), "pseudo-likelihood", class = "candor_error_argument")
  table <- performance("model_performance")(fit)
  expect_named(table, "AIC")
  expect_equal(table$AIC, AIC(fit))
  expect_error(suppressMessages(performance("test_likelihoodratio")(fit, fit)), "pseudo-likelihood")
  modelsummary <- from_cran("modelsummary")$modelsummary
  expect_false("Log.Lik." %in% modelsummary(fit, output = "data.frame")$term)
})

test_that("modelsummary prints the likelihoods of the reports, and exponentiates", {
  modelsummary <- from_cran("modelsummary")$modelsummary
  table <- modelsummary(list(small, large), output = "data.frame")
  row <- function(term) unlist(table[table$term == term, c("(1)", "(2)")], use.names = FALSE)
  expect_identical(list(row("Log.Lik."), row("AIC")), list(sprintf("%.3f", lik), sprintf("%.1f", -2 * lik + 2 * 2:3)))
  expect_false(any(c("RMSE", "R2 Tjur") %in% table$term))
  table <- modelsummary(fits$logit, exponentiate = TRUE, output = "data.frame", fmt = 4)
  expect_identical(table[[ncol(table)]][table$term == "age" & table$statistic == "estimate"], sprintf("%.4f", exp(coef(fits$logit)[["age"]])))
})

# Three answers, from a channel that hides a third of them.
often <- rr_grr(c("never", "once", "often"), p = 2 / 3)
contacts$times <- rep(c("never", "once", "never", "often", "never", "once", "often", "once"), 150)
two <- rr_multinom(times ~ age, contacts, often)

test_that("regressions that insight does not know have their likelihoods, and name the outcome of a coefficient", {
  skip_without("parameters", "performance")
  # With the constant alone the rates of the reports are their shares.
  one <- rr_multinom(times ~ 1, contacts, often)
  shares <- c(never = 3, once = 3, often = 2) / 8
  expect_equal(performance("model_performance")(one)$BIC, -2400 * sum(shares * log(shares)) + 2 * log(1200), tolerance = 1e-8)
  table <- parameters::model_parameters(two)
  expect_identical(table$Parameter, c("once, (Intercept)", "once, age", "often, (Intercept)", "often, age"))
  expect_equal(parameters::model_parameters(two, exponentiate = TRUE, keep = "age")$Coefficient, unname(exp(two$coefficients[c(2, 4)])))
})

# The exponential of a coefficient is what it is wherever it is asked for: that of a logit is an odds ratio, of a
# Poisson outcome a ratio of rates; that of a mean is nothing.
test_that("exponentiated coefficients are obeyed, or refused where they are no logarithms, alike by all", {
  skip_if_not_installed("parameters")
  die <- rr_forced(1 / 6)
  contacts$other <- rep(c("no", "no", "yes", "no", "yes", "yes"), 200)
  contacts$caught <- as.integer(contacts$age %% 3 == 0)
  ordered <- rr_grr(factor(often$levels, often$levels, ordered = TRUE), p = 2 / 3)
  pair <- rr_tally(contacts[c("report", "other")], rr_product(report = die, other = die))
  outcome <- function(family) rr_predictor(caught ~ age + report, contacts, list(report = die), family = family)
  fits <- list(two, rr_multinom(times ~ age, contacts, ordered, type = "cumulative"), rr_loglinear(~ report * other, pair),
               outcome(binomial()), outcome(poisson()))
  ends <- c("estimate", "conf.low", "conf.high")
  for (fit in fits) {
    plain <- tidy(fit, conf.int = TRUE)
    expected <- replace(plain, ends, lapply(plain[ends], exp))
    expect_equal(tidy(fit, conf.int = TRUE, exponentiate = TRUE), expected)
    expect_equal(parameters::model_parameters(fit, exponentiate = TRUE)$Coefficient, expected$estimate)
  }
  for (method in c("moments", "ml")) for (shown in list(tidy, parameters::model_parameters)) {
    linear <- rr_predictor(age ~ report, contacts, list(report = die), method = method)
    expect_error(shown(linear, exponentiate = TRUE), "differences of means", class = "candor_error_argument")
  }
})

test_that("the exponential of a coefficient has its error by the delta method, and a share of respondents stays", {
  skip_if_not_installed("parameters")
  questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
  fit <- rr_loglinear(~ item1 + item2, rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions), protective = "no")
  share <- tidy(fit, type = "parameters")
  table <- parameters::model_parameters(fit, exponentiate = TRUE)
  expect_equal(table$Coefficient, c(exp(unname(coef(fit))), share$estimate))
  expect_equal(table$SE, c(exp(unname(coef(fit))) * sqrt(unname(diag(vcov(fit)))), share$std.error))
})

test_that("what puts the fitted values of a glm beside the reports gets the reports' probabilities", {
  mu <- 1 / 6 + 2 / 3 * stats::plogis(as.vector(stats::model.matrix(large) %*% coef(large)))
  y <- as.integer(contacts$report == "yes")
  expect_equal(unname(fitted(large)), mu, tolerance = 1e-10)
  expect_equal(unname(residuals(large, "response")), y - mu, tolerance = 1e-10)
  skip_if_not_installed("performance", "0.14.0")
  hosmer <- performance("performance_hosmer")(large)
  expect_equal(hosmer$chisq, rr_goodness_of_fit(large)$statistic[1], tolerance = 1e-8)
  expect_equal(as.numeric(performance("performance_mse")(large)), mean((y - mu)^2), tolerance = 1e-8)
  bins <- performance("binned_residuals")(large, n_bins = 10, show_dots = FALSE)
  expect_true(all(bins$xbar > 1 / 6 & bins$xbar < 5 / 6))
  expect_equal(as.numeric(performance("performance_logloss")(large)), -lik[2] / 1200, tolerance = 1e-8)
  for (name in c("r2_tjur", "r2_efron")) expect_error(performance(name)(large), class = "candor_error_argument")
  expect_error(performance("model_performance")(large, metrics = "RMSE"), "AICc", class = "candor_error_argument")
})

test_that("emmeans takes a column that others make, and other covariances", {
  skip_if_not_installed("emmeans")
  doubled <- transform(contacts, twice = 2 * age)
  fit <- suppressMessages(rr_glm(report ~ age + twice + sex, doubled, rr_forced(1 / 6)))
  b <- coef(large)
  at <- rbind(f = c(1, mean(contacts$age), 0), m = c(1, mean(contacts$age), 1))
  means <- function(...) as.data.frame(summary(emmeans::emmeans(fit, "sex", ...)))
  expect_equal(means()$emmean, unname(drop(at %*% b)), tolerance = 1e-6)
  expect_equal(means()$SE, unname(sqrt(rowSums((at %*% vcov(large)) * at))), tolerance = 1e-6)
  V <- diag(c(1, 4, NA, 4))
  for (other in list(V, function(fit) V)) expect_equal(means(vcov. = other)$SE, unname(sqrt(rowSums(at^2 %*% c(1, 4, 4)))), tolerance = 1e-6)
  # The effect of age where its double stays is not estimated.
  expect_true(all(is.na(means(at = list(age = 0, twice = 1))$emmean)))
})

test_that("a corrected AIC needs more rows than parameters and one, and a fit by moments has no measures", {
  towns <- data.frame(x = c(1, 4, 2, 3), yes = c(6, 9, 8, 14), no = c(14, 11, 12, 6))
  for (rows in 3:4) {
    fit <- quietly(rr_glm(cbind(yes, no) ~ x, towns[seq_len(rows), ], rr_forced(1 / 6)))
    loglik <- as.numeric(logLik(fit))
    table <- model_performance.rr_glm(fit)
    expect_equal(table$AIC, 4 - 2 * loglik)
    expect_equal(table$BIC, 2 * log(rows) - 2 * loglik)
    # 2 k (k + 1) / (n - k - 1) is 12 / 1 with four rows, and 12 / 0 with three.
    expect_equal(table$AICc, if (rows == 4) 16 - 2 * loglik)
    expect_named(model_performance.rr_glm(fit, "bic"), "BIC")
  }
  data <- data.frame(y = c(1, 4, 2, 6, 3, 8), x = c("no", "yes", "no", "yes", "yes", "no"))
  moments <- rr_predictor(y ~ x, data, list(x = rr_warner(0.9)))
  expect_identical(dim(model_performance.rr_regression(moments)), c(1L, 0L))
  expect_null(glance_custom.rr_regression(moments))
  expect_identical(glance_custom.rr_regression(two), data.frame(logLik = two$loglik))
  expect_null(glance_custom.rr_regression(replace(two, "design", list(1))))
})

test_that("the likelihoods of rows whose reports are all no or all yes are those of the binomial distribution", {
  skip_if_not_installed("insight")
  towns <- data.frame(x = c(1, 2, 1, 2), yes = c(0, 9, 20, 10), no = c(20, 0, 0, 15))
  fit <- quietly(rr_glm(cbind(yes, no) ~ x, towns, rr_forced(1 / 6)))
  value <- get_loglikelihood.rr_glm(fit)
  rate <- 1 / 6 + 2 / 3 * plogis(coef(fit)[[1]] + coef(fit)[[2]] * towns$x)
  expect_equal(attr(value, "per_obs"), dbinom(towns$yes, towns$yes + towns$no, rate, log = TRUE), tolerance = 1e-10)
  expect_equal(as.numeric(value), sum(attr(value, "per_obs")), tolerance = 1e-10)
  expect_identical(attr(value, "nall"), attr(logLik(fit), "nobs"))
  expect_identical(get_df.rr_glm(fit, "normal"), Inf)
  expect_equal(as.double(insight::get_df(fit, type = "model")), 2)
})

test_that("the basis of emmeans has the rows of the grid, the coefficients and what the columns leave open", {
  twice <- transform(contacts, twice = 2 * age)
  fit <- suppressMessages(rr_glm(report ~ age + twice + sex, twice, rr_forced(1 / 6)))
  grid <- data.frame(age = c(20, 30), twice = c(40, 60), sex = c("m", "f"))
  basis <- emm_basis.rr_glm(fit, stats::delete.response(terms(fit)), fit$xlevels, grid)
  expect_equal(unname(basis$X), cbind(1, c(20, 30), c(40, 60), c(1, 0)), ignore_attr = TRUE)
  expect_identical(basis$bhat, coef(fit))
  expect_equal(basis$V, vcov(fit)[-3, -3])
  # 2 age - twice is 0.
  expect_identical(dim(basis$nbasis), c(4L, 1L))
  expect_equal(abs(drop(basis$nbasis)), c(0, 2, 1, 0) / sqrt(5), tolerance = 1e-6)
  expect_lt(basis$nbasis[2] * basis$nbasis[3], 0)
  expect_identical(basis$dffun(NULL, basis$dfargs), Inf)
  expect_identical(basis$misc[c("tran", "inv.lbl")], list(tran = "logit", inv.lbl = "prob"))
  expect_identical(emm_basis.rr_glm(large, stats::delete.response(terms(large)), large$xlevels, grid)$nbasis, matrix(NA))
  expect_null(emm_basis.rr_glm(fits$identity, stats::delete.response(terms(fits$identity)), NULL, grid)$misc$tran)
})

test_that("odds ratios of several categories have the error of the coefficient times the ratio, and coefficients their own", {
  skip_if_not_installed("parameters")
  b <- c(t(coef(two)))
  error <- unname(sqrt(diag(vcov(two))))
  for (exponentiate in c(TRUE, FALSE)) {
    table <- model_parameters.rr_regression(two, ci = 0.9, exponentiate = exponentiate)
    ratio <- if (exponentiate) exp(b) else 1
    expect_equal(table$SE, error * ratio, tolerance = 1e-10)
    expect_equal(table$Coefficient, if (exponentiate) ratio else b, tolerance = 1e-10)
    high <- b + qnorm(0.95) * error
    expect_equal(table$CI_high, if (exponentiate) exp(high) else high, tolerance = 1e-10)
  }
  expect_false("CI_high" %in% names(model_parameters.rr_regression(two, ci = NULL)))
})
