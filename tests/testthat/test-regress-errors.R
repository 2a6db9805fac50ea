data <- data.frame(x = rep(c(-1, 0, 1, 2), 10), y = rep(c(0, 1, 1, 0, 1), 8), arm = rep(c("a", "b"), 20))
warner <- rr_warner(0.8)

test_that("what a regression cannot use is named with its remedy", {
  expect_snapshot(error = TRUE, {
    rr_glm()
    rr_glm(y ~ x, data)
    rr_glm(y ~ x, data, "warner")
    rr_glm(y ~ x, data, rr_grr(3, p = 0.8))
    rr_glm(y ~ x, data, rr_binary(0.3, 0.3))
    rr_glm(y ~ x, data, warner, link = "probti")
    rr_glm(y ~ x, data, warner, wieghts = 1)
    rr_glm(~x, data, warner)
    rr_glm("y", data, warner)
    rr_glm(I(y * 2) ~ x, data, warner)
    rr_glm(c("nope", "yes")[y + 1] ~ x, data, warner)
    rr_glm(cbind(y, 1 - y, y) ~ x, data, warner)
    rr_glm(cbind(y, -y) ~ x, data, warner)
    rr_glm(y ~ x, data, warner, weights = replace(rep(1, 40), 3, -1))
    rr_glm(y ~ x, data, warner, weights = replace(rep(1, 40), 4, NA), na.action = na.fail)
    rr_glm(y ~ x, data, warner, weights = rep(0, 40))
    rr_glm(y ~ x, data, warner, offset = 1:3)
    rr_glm(y ~ x, data, warner, offset = replace(x, 2, Inf))
    rr_glm(y ~ I(1 / x), data, warner)
    rr_glm(y ~ x, data, warner, arm = arm)
    rr_glm(y ~ x, data, list(a = warner, b = rr_binary(1, 0)))
    rr_glm(y ~ x, data, list(a = warner, c = rr_binary(1, 0)), arm = arm)
    rr_glm(y ~ x, data, list(warner, rr_binary(1, 0)), arm = arm)
    rr_glm(y ~ x, data, list(a = warner, b = rr_grr(2, p = 0.8)), arm = arm)
    rr_glm(y ~ x, replace(data, "y", list(replace(data$y, 7, NA))), warner, na.action = na.fail)
    rr_glm(y ~ x, replace(data, "y", NA_real_), warner)
    rr_glm(y ~ x, data, rr_binary(0, 0))
    rr_glm(y ~ x, data[1, ], warner)
    rr_glm(y ~ x + 0, data, warner, link = "identity")
    rr_glm(y ~ x, data, warner, start = "a")
    rr_glm(y ~ x, data, warner, penalty = "lasso")
    rr_glm(y ~ x, data, warner, starts = 0)
    rr_glm(y ~ x, data, warner, design = data)
    rr_glm(y ~ x, data, list(a = rr_lie_detector(0.2), b = rr_unrelated(0.2, pi = NULL)), arm = arm)
    rr_glm(y ~ x, data, list(a = rr_lie_detector(0.2), b = rr_lie_detector(0.2)), arm = arm)
    rr_lie_detector(2)
    rr_family(list(warner))
    rr_family(warner, "logistic")
  })
})

test_that("each error has its class", {
  expect_error(rr_glm(y ~ x, data, rr_grr(3, p = 0.8)), class = "candor_error_argument")
  expect_error(rr_glm(y ~ x, data, rr_binary(0.3, 0.3)), class = "candor_error_no_information")
  expect_error(rr_glm(c("nope", "yes")[y + 1] ~ x, data, warner), class = "candor_error_level")
  expect_error(rr_glm(c("nope", "yes")[y + 1] ~ x, data, warner), class = "candor_error_input")
  expect_error(rr_glm(y ~ x, data, list(a = warner, c = warner), arm = arm), class = "candor_error_mismatch")
  expect_error(rr_glm(y ~ x, replace(data, "y", NA_real_), warner), class = "candor_error_missing")
})

test_that("methods name what they cannot do", {
  fit <- quietly(rr_glm(y ~ x, data, warner))
  both <- quietly(rr_glm(y ~ x, data, list(a = warner, b = rr_binary(1, 0)), arm = arm))
  expect_snapshot(error = TRUE, {
    vcov(fit, "robust")
    vcov(fit, "sandwich", cluster = 1:3)
    vcov(fit, "survey")
    confint(fit, "age")
    confint(fit, level = 2)
    predict(fit, type = "probability")
    predict(fit, data.frame(x = 1), "posterior")
    predict(both, data.frame(x = 1), "report")
    rr_effects(lm(y ~ x, data))
    rr_effects(fit, "age")
    confint(quietly(rr_glm(y ~ x, data, warner, penalty = "bias")), method = "profile")
  })
})

test_that("little information, several maxima and aliased columns are told", {
  data$twice <- 2 * data$x
  expect_message(fit <- quietly(rr_glm(y ~ x + twice, data, warner)), "twice", class = "candor_message_aliased")
  expect_true(is.na(coef(fit)[["twice"]]))
  expect_equal(coef(fit)[1:2], coef(quietly(rr_glm(y ~ x, data, warner))))
  expect_true(all(is.finite(predict(fit, data, "truth"))))
  expect_identical(confint(fit)[3, ], c(`2.5 %` = NA_real_, `97.5 %` = NA_real_))
})

test_that("a constant text and a condition in quotes are named", {
  data$one <- "a"
  expect_error(rr_glm(y ~ one + x, data, warner), "\"one\" is \"a\" in every row", class = "candor_error_argument")
  expect_error(rr_glm(y ~ factor(one) + x, data, warner), "in every row", class = "candor_error_argument")
  expect_error(rr_glm(y ~ x, data, warner, subset = "arm == 'a'"), "without quotes", class = "candor_error_argument")
  # Names of rows are what stats::glm() takes for text.
  expect_identical(nobs(quietly(rr_glm(y ~ x, data, warner, subset = as.character(1:30)))), 30L)
})

test_that("slips with other verbs are led to the right one", {
  data <- data.frame(age = rep(20:69, 8), sex = rep(c("f", "m"), 200), report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
  fit <- rr_glm(report ~ age + sex, data, rr_forced(1 / 6))
  # Text in place of a number.
  for (type in c("response", "terms", "link")) {
    expect_error(predict(fit, data.frame(age = "50", sex = "m"), type = type), "numbers", class = "candor_error_argument")
  }
  expect_error(predict(rr_multinom(report ~ age, data, rr_forced(1 / 6)), data.frame(age = "50")), "numbers", class = "candor_error_argument")
  expect_equal(unname(predict(fit, data.frame(age = 50L, sex = "m"))), sum(coef(fit) * c(1, 50, 1)))
  two <- rr_product(drug = rr_forced(1 / 6), tax = rr_crosswise(0.25))
  expect_error(rr_glm(report ~ age, data, two), "rr_predictor", class = "candor_error_argument")
  shares <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  expect_error(predict(shares, newdata = data.frame(sex = "f")), "no covariates", class = "candor_error_argument")
  expect_error(predict(shares, data.frame(sex = "f")), "no covariates", class = "candor_error_argument")
  ordered <- rr_estimate(rr_counts(c(never = 300, once = 200, often = 200), rr_grr(c("never", "once", "often"), epsilon = 1)))
  expect_error(rr_mean(ordered), "rr_contrast(fit, 1:3)", fixed = TRUE, class = "candor_error_argument")
})

test_that("reports that no truth makes likely are told, with the cure, where the maximum is at infinity", {
  # p and pi exchanged: 70 % of a quarter, and more, would say yes; 9 % do.
  data <- data.frame(group = rep(c("a", "b"), 300), y = rep(c(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), length.out = 600), weight = rep(c(1, 2), 300))
  wrong <- rr_unrelated(0.25, 0.7)
  told <- NULL
  fit <- withCallingHandlers(rr_glm(y ~ group, data, wrong), warning = function(w) {
    told <<- c(told, list(w))
    invokeRestart("muffleWarning")
  })
  # One warning, not three.
  expect_length(told, 1)
  expect_s3_class(told[[1]], "candor_warning_unlikely")
  expect_s3_class(told[[1]], "candor_warning_infinite")
  expect_snapshot(quietly(rr_glm(y ~ group, data, wrong)))
  expect_warning(rr_glm(y ~ group, data, wrong, penalty = "jeffreys"), class = "candor_warning_unlikely")
  # Infinite for another reason: everybody in one group says yes, which the design allows.
  data$y[data$group == "b"] <- 1
  expect_warning(quietly(rr_glm(y ~ group, data, rr_forced(1 / 6), starts = 3)), "infinity", class = "candor_warning_infinite")
  quarters <- rr_forced(c(a = .3, b = .3, c = .3))
  many <- data.frame(x = rep(0:1, 300), y = rep(c("a", "b"), each = 300))
  expect_warning(rr_multinom(y ~ x, many, quarters), "unlikely under this design", class = "candor_warning_unlikely")
  pair <- rr_product(first = quarters, second = rr_warner(0.8))
  both <- data.frame(x = rep(0:1, 300), first = rep(c("a", "b"), each = 300), second = rep(c("no", "yes", "no"), 200))
  expect_warning(suppressMessages(rr_multinom(~x, both, pair, starts = 1)), class = "candor_warning_unlikely")
})
