survey <- data.frame(age = rep(20:69, 8), area = rep(1:20, 20), report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40),
                     often = factor(rep(c("never", "once", "often", "never"), 100)))
die <- rr_forced(1 / 6)
three <- rr_grr(c("never", "once", "often"), epsilon = 1)

test_that("terms of mixed and additive models are refused, with what takes their place", {
  # Where survival is attached there is a strata().
  unattached <- report ~ strata(area) + age
  environment(unattached) <- baseenv()
  expect_snapshot(error = TRUE, {
    rr_glm(report ~ s(age), survey, die)
    rr_glm(report ~ age + (1 | area), survey, die)
    rr_glm(report ~ age + (1 + age || area), survey, die)
    rr_glm(report ~ age + cluster(area), survey, die)
    rr_glm(report ~ ns(age, 3), survey, die)
    rr_glm(unattached, survey, die)
    rr_glm(report ~ lag_of(age), survey, die)
    rr_multinom(often ~ s(age), survey, three)
    rr_multinom(often ~ age + (1 | area), survey, three)
    rr_predictor(age ~ report + (1 | area), survey, list(report = die))
  })
})

test_that("mgcv's own s() does not make a smooth term of it", {
  skip_if_not_installed("mgcv")
  formula <- report ~ s(age)
  environment(formula) <- list2env(list(s = mgcv::s), parent = environment())
  expect_error(rr_glm(formula, survey, die), "smooth", class = "candor_error_argument")
})

test_that("a user's own function may have such a name", {
  s <- function(x) x - 45
  fit <- rr_glm(report ~ s(age), survey, die)
  expect_equal(coef(fit)[[2]], coef(rr_glm(report ~ age, survey, die))[["age"]], tolerance = 1e-6)
  expect_s3_class(suppressWarnings(rr_glm(report ~ splines::ns(age, 2) + I(age > 30 | area == 1), survey, die)), "rr_glm")
})
