# Arguments that no function knows: our own verbs refuse all of them, methods of foreign generics those that were meant for them.
die <- rr_forced(1 / 6)
fit <- rr_estimate(rr_counts(c(no = 780, yes = 420), die))
survey <- data.frame(age = rep(20:69, 8), report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
model <- rr_glm(report ~ age, survey, die)

test_that("every exported function takes an unknown argument to say what it is called", {
  # These four are an interface for mechanisms of other packages, whose methods need not take more; rr_methods() has no arguments.
  extensions <- c("rr_law", "rr_draw_reports", "rr_simulate_counts", "rr_reports", "rr_methods")
  taking <- vapply(exported(), function(f) "..." %in% names(formals(f)), NA)
  expect_setequal(names(taking)[!taking], extensions)
})

test_that("other words for our arguments, and slips, are told what was meant", {
  expect_snapshot(error = TRUE, {
    rr_top(fit, n = 3)
    rr_posterior(fit$tally, seed = 1)
    rr_perturb("no", die, seed = 1)
    rr_forced(yes = 1 / 6, no = 1 / 6)
    rr_forced(1 / 6, c("no", "yes"), 3)
    rr_warner(epsilom = 1)
    rr_compare(fit, conf_level = 0.9)
    rr_cdf(fit, alpha = 0.1)
    rr_counts(c(1, 2), die, group = "x")
    rr_margin(fit, question = "a")
    rr_goodness_of_fit(fit, nsim = 100)
    rr_kuk(0.8, 0.2, whatever = 1)
    rr_bloom(3, 1, whatever = 1)
    rr_tally(data = survey, mechanism = die)
    rr_power(die, n = 100, prob = 0.2)
    rr_glm(report ~ age, survey, die, cluster = ~age)
  })
})

test_that("answers that stand in the wrong place are not printed", {
  cnd <- expect_error(rr_perturb("no", die, "R", NULL, NULL, "heroin"), class = "candor_error_argument")
  expect_no_match(conditionMessage(cnd), "heroin")
})

test_that("methods of foreign generics refuse what was nearly meant for them, and ignore the rest", {
  expect_snapshot(error = TRUE, {
    tidy(fit, conf_level = 0.9)
    tidy(fit, conf.int = TRUE, level = 0.9)
    tidy(fit, variable = "yes")
    confint(fit, conf.level = 0.9)
    confint(fit, method = "wald")
    confint(model, parameter = "age")
    predict(model, nwdata = survey)
    vcov(fit, type = "sandwich")
    vcov(model, clusters = ~age)
    summary(fit, conf.level = 0.9)
    summary(model, robust = TRUE)
    tidy(model, vcov = "HC1")
    lapply(list(fit), tidy, conf_level = 0.9)
  })
  skip_if_not_installed("ggplot2")
  expect_snapshot(error = TRUE, {
    plot(fit, variable = "yes")
    ggplot2::autoplot(model, terms = "age")
  })
})

test_that("code of other packages may pass what it likes", {
  foreign <- function(x) tidy(x, conf_level = 0.9)
  environment(foreign) <- list2env(list(tidy = tidy), parent = asNamespace("testthat"))
  expect_identical(foreign(fit), tidy(fit))
  # The same function of a user's.
  environment(foreign) <- list2env(list(tidy = tidy), parent = globalenv())
  expect_error(foreign(fit), "conf.level", class = "candor_error_argument")
})

test_that("formulas and names of columns where a mechanism or reports are needed say how to name columns", {
  answers <- data.frame(region = c("N", "S"), answer = c("no", "yes"))
  expect_snapshot(error = TRUE, {
    rr_estimate(answer ~ region, answers, die)
    rr_tally(~answer, answers, die)
    rr_estimate(answers, answer, die)
    rr_tally(answers$answer, nowhere)
    rr_estimate(answers$answer, die, "inv", 3)
    coef(fit, "yes")
  })
  # An error inside of what is given stays what it is.
  inner <- function(z) rr_tally(answers$answer, z)
  expect_error(inner(nowhere), "object 'nowhere' not found")
})
