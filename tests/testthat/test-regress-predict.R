# Predictions of rr_glm() by hand, with standard errors by differences.

predict_case <- function(link = "logit") {
  withr::local_seed(83)
  n <- 300
  d <- data.frame(x = round(rnorm(n), 1), g = factor(rep_len(c("u", "v", "w"), n)), arm = rep_len(c("s", "t"), n), off = rep_len(c(0, 0.3, 0.1), n))
  p <- c(s = 0.95, t = 0.8)[d$arm]
  q <- c(s = 0.1, t = 0.3)[d$arm]
  truth <- rbinom(n, 1, plogis(-0.5 + 0.7 * d$x + (d$g == "v") + d$off))
  d$y <- rbinom(n, 1, ifelse(truth == 1, p, q))
  mechanisms <- list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.3))
  list(data = d, mechanisms = mechanisms, fit = quietly(rr_glm(y ~ x + g, d, mechanisms, link, arm = arm, offset = off)), curve = stats::make.link(link))
}

test_that("each type, at new rows, with errors by the delta method and limits from those of the linear predictor", {
  new <- data.frame(x = c(-1.2, 0.4, 2), g = c("w", "u", "v"), arm = c("t", "s", "t"), off = c(0, 0.3, 0.1), y = c(1, 0, 0))
  x <- cbind(1, new$x, new$g == "v", new$g == "w")
  p <- c(0.8, 0.95, 0.8)
  q <- c(0.3, 0.1, 0.3)
  for (link in c("logit", "cloglog")) {
    case <- predict_case(link)
    fit <- case$fit
    values <- list(
      link = function(eta) eta, truth = function(eta) case$curve$linkinv(eta), report = function(eta) q + (p - q) * case$curve$linkinv(eta),
      posterior = function(eta) {
        truth <- case$curve$linkinv(eta)
        yes <- ifelse(new$y == 1, p, 1 - p) * truth
        yes / (yes + ifelse(new$y == 1, q, 1 - q) * (1 - truth))
      }
    )
    eta <- drop(x %*% coef(fit)) + new$off
    error <- sqrt(diag(x %*% vcov(fit) %*% t(x)))
    z <- qnorm(0.9)
    for (type in names(values)) {
      value <- values[[type]]
      found <- predict(fit, new, type, se.fit = TRUE)
      expect_equal(unname(found$fit), value(eta), tolerance = 1e-9)
      slope <- (value(eta + 1e-5) - value(eta - 1e-5)) / 2e-5
      expect_equal(unname(found$se.fit), abs(slope) * error, tolerance = 1e-6)
      limits <- predict(fit, new, type, interval = "confidence", level = 0.8)
      ends <- cbind(value(eta - z * error), value(eta + z * error))
      expect_equal(unname(limits), cbind(value(eta), pmin(ends[, 1], ends[, 2]), pmax(ends[, 1], ends[, 2])), tolerance = 1e-8)
      # Another covariance.
      twice <- predict(fit, new, type, se.fit = TRUE, vcov. = 4 * vcov(fit))
      expect_equal(twice$se.fit, 2 * found$se.fit, tolerance = 1e-9)
    }
    expect_identical(predict(fit, new, "response"), predict(fit, new, "truth"))
    expect_identical(names(predict(fit, new)), c("1", "2", "3"))
    # The rows of the fit are new rows like any.
    for (type in names(values)) expect_equal(unname(predict(fit, type = type)), unname(predict(fit, case$data, type)), tolerance = 1e-10)
    expect_equal(colnames(limits), c("fit", "lwr", "upr"))
    terms <- predict(fit, new, "terms")
    expect_equal(unname(rowSums(terms) + attr(terms, "constant")), eta - new$off, tolerance = 1e-9)
  }
  expect_error(predict(fit, new[-5], "posterior"), class = "candor_error_mismatch")
  expect_error(predict(fit, new[-3], "report"), class = "candor_error_mismatch")
  for (type in c("link", "terms")) expect_error(predict(fit, transform(new, g = "z"), type), class = "candor_error_level")
  expect_refused(predict(fit, new[-1]), predict(fit, as.list(new)), predict(fit, new, "mean"), predict(fit, new, interval = "confidence", level = 1),
    predict(fit, new, se.fit = 1),
                 predict(fit, transform(new, x = "1")), predict(fit, transform(new, x = Sys.Date())))
})

test_that("limits of bounded links stay in their range", {
  # Reported by 22 and 78 %: true shares of 1 / 30 and 29 / 30.
  d <- data.frame(x = rep(0:1, each = 200), y = rep(c(1, 0, 1, 0), c(44, 156, 156, 44)))
  fit <- quietly(rr_glm(y ~ x, d, rr_warner(0.8), "identity"))
  limits <- predict(fit, data.frame(x = 0:1), "truth", interval = "confidence", level = 0.999)
  eta <- drop(cbind(1, 0:1) %*% coef(fit))
  half <- qnorm(0.9995) * sqrt(diag(cbind(1, 0:1) %*% vcov(fit) %*% rbind(1, 0:1)))
  expect_equal(unname(limits[, 2:3]), cbind(pmax(eta - half, 0), pmin(eta + half, 1)), ignore_attr = TRUE, tolerance = 1e-8)
  expect_true(limits[1, 2] == 0 && limits[2, 3] == 1)
})

test_that("with an anchor question in each of two arms, reports and posteriors are conditional on its answer, by Bayes' rule", {
  arms <- list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.3))
  data <- expand.grid(y = 0:1, a = 0:1, x = c(-1, 1), arm = c("s", "t"), stringsAsFactors = FALSE)
  data$n <- rep(c(40, 25, 60, 55), 4) + 5 * (data$x == data$y) + 9 * (data$arm == "s" & data$y == 0)
  fit <- rr_glm(y ~ x, data, arms, weights = n, arm = arm, anchor = list(a = rr_anchor(rr_crosswise(0.2))), starts = 1)
  new <- data.frame(x = c(0, 2, -1, 1), arm = c("t", "s", "s", "t"), a = c(1, 0, 1, 0), y = c(1, 1, 0, 0))
  truth <- plogis(coef(fit)[[1]] + coef(fit)[[2]] * new$x)
  attentive <- 1 - fit$parameter[["inattentive"]]
  # The probability of a report beside the answer of the anchor question, which the attentive answer yes with 0.8, the others with 1 / 2.
  beside <- function(yes) attentive * yes * ifelse(new$a == 1, 0.8, 0.2) + (1 - attentive) / 4
  p <- c(0.8, 0.95, 0.95, 0.8)
  q <- c(0.3, 0.1, 0.1, 0.3)
  yes <- truth * beside(p) + (1 - truth) * beside(q)
  no <- truth * beside(1 - p) + (1 - truth) * beside(1 - q)
  expect_equal(unname(predict(fit, new, "report")), yes / (yes + no), tolerance = 1e-10)
  expect_equal(unname(predict(fit, new, "posterior")), truth * ifelse(new$y == 1, beside(p) / yes, beside(1 - p) / no), tolerance = 1e-10)
})

test_that("limits of the log link end at 1, and those of reports are in order if a true yes makes a report of yes less likely", {
  d <- data.frame(x = rep(0:1, each = 200), y = rep(c(1, 0, 1, 0), c(90, 110, 154, 46)))
  fit <- quietly(rr_glm(y ~ x, d, rr_warner(0.8), "log"))
  at <- cbind(1, 0:1)
  eta <- drop(at %*% coef(fit))
  half <- qnorm(0.995) * sqrt(rowSums((at %*% vcov(fit)) * at))
  limits <- predict(fit, data.frame(x = 0:1), "truth", interval = "confidence", level = 0.99)
  expect_equal(unname(limits), cbind(exp(eta), exp(eta - half), pmin(exp(eta + half), 1)), ignore_attr = TRUE, tolerance = 1e-8)
  expect_true(limits[2, 3] == 1 && limits[1, 3] < 1)
  reversed <- quietly(rr_glm(y ~ x, d, rr_binary(0.2, 0.9)))
  eta <- drop(at %*% coef(reversed))
  error <- sqrt(rowSums((at %*% vcov(reversed)) * at))
  report <- function(eta) 0.9 - 0.7 * plogis(eta)
  z <- qnorm(0.9)
  found <- predict(reversed, data.frame(x = 0:1), "report", se.fit = TRUE, interval = "confidence", level = 0.8)
  expect_equal(unname(found$fit), cbind(report(eta), report(eta + z * error), report(eta - z * error)), ignore_attr = TRUE, tolerance = 1e-8)
  expect_equal(unname(found$se.fit), 0.7 * dlogis(eta) * error, tolerance = 1e-8)
  expect_identical(found$residual.scale, 1)
  # With a covariance from outside the quantile is normal, and aliased coefficients have no place.
  twice <- suppressMessages(quietly(rr_glm(y ~ x + I(2 * x), d, rr_warner(0.8))))
  plain <- quietly(rr_glm(y ~ x, d, rr_warner(0.8)))
  for (other in list(NULL, vcov(twice))) {
    expect_equal(predict(twice, data.frame(x = 0:1), se.fit = TRUE, vcov. = other)$se.fit, predict(plain, data.frame(x = 0:1), se.fit = TRUE)$se.fit,
                 tolerance = 1e-8)
  }
})

test_that("offsets of the formula and of the argument add up at new rows, and rows with missing values are NA where they were excluded", {
  case <- predict_case()
  d <- transform(case$data, more = rep_len(c(-0.4, 0, 0.2), 300))
  fit <- quietly(rr_glm(y ~ x + offset(more) + offset(2 * more), d, case$mechanisms, arm = arm, offset = off))
  new <- data.frame(x = c(0, 1), more = c(0.1, -0.3), off = c(0.5, 0.2))
  expect_equal(unname(predict(fit, new)), coef(fit)[[1]] + coef(fit)[[2]] * new$x + 3 * new$more + new$off, tolerance = 1e-10)
  expect_equal(unname(predict(fit)), coef(fit)[[1]] + coef(fit)[[2]] * d$x + 3 * d$more + d$off, tolerance = 1e-10)
  d$x[4] <- NA
  excluded <- suppressMessages(quietly(rr_glm(y ~ x, d, case$mechanisms, arm = arm, na.action = na.exclude)))
  for (type in c("link", "truth", "report", "posterior")) {
    value <- predict(excluded, type = type)
    expect_length(value, 300)
    expect_identical(which(is.na(value)), c(`4` = 4L))
    expect_equal(unname(value[-4]), unname(predict(excluded, d[-4, ], type)), tolerance = 1e-10)
  }
  expect_identical(which(is.na(predict(excluded, se.fit = TRUE)$se.fit)), c(`4` = 4L))
  expect_identical(which(is.na(fitted(excluded, "truth"))), c(`4` = 4L))
  expect_identical(which(is.na(residuals(excluded, "truth"))), c(`4` = 4L))
})

test_that("a combination of infinite coefficients that is finite has its standard error, and other rows have none", {
  # Nobody in a seems to be a yes; 21 of 60 reports in b are a share of (0.35 - 0.2) / 0.6.
  some <- data.frame(g = rep(c("a", "b"), each = 60), y = rep(c(0, 1, 0, 1), c(57, 3, 39, 21)))
  fit <- suppressWarnings(rr_glm(y ~ g, some, rr_warner(0.8)))
  expect_identical(unname(coef(fit)), c(-Inf, Inf))
  new <- data.frame(g = c("b", "a"))
  for (rows in list(new, some[c(61, 1), ])) {
    truth <- predict(fit, rows, "truth", se.fit = TRUE)
    expect_equal(unname(truth$fit), c(0.25, 0), tolerance = 1e-7)
    expect_equal(unname(truth$se.fit), c(sqrt(0.35 * 0.65 / 60) / 0.6, NA), tolerance = 1e-6)
    error <- unname(truth$se.fit[1]) / (0.25 * 0.75)
    limits <- predict(fit, rows, "truth", interval = "confidence", level = 0.9)
    expect_equal(unname(limits[1, ]), plogis(qlogis(0.25) + c(0, -1, 1) * qnorm(0.95) * error), tolerance = 1e-6)
  }
  expect_warning(predict(fit, new, "truth", unknown = 1), class = "candor_warning_argument")
})

test_that("an offset of other rows than the new ones is refused, and not repeated or cut", {
  set.seed(5)
  data <- data.frame(x = rnorm(200), y = rbinom(200, 1, 0.4))
  shift <- rnorm(200)
  outside <- quietly(rr_glm(y ~ x, data, rr_forced(1 / 6), offset = shift))
  expect_refused(predict(outside, data.frame(x = c(0.1, 0.2)), "truth"), predict(outside, data.frame(x = rnorm(400)), "truth"),
                 rr_effects(outside, newdata = data.frame(x = 0)), class = "mismatch")
  data$shift <- shift
  inside <- quietly(rr_glm(y ~ x, data, rr_forced(1 / 6), offset = shift))
  expect_refused(predict(inside, data.frame(x = rep(0, 200)), "truth"), class = "mismatch")
  b <- coef(inside)
  expect_equal(unname(predict(inside, data.frame(x = 2, shift = 0.3))), b[[1]] + 2 * b[[2]] + 0.3, tolerance = 1e-12)
})

test_that("standard errors of terms are those of vcov(), with a survey design as without", {
  skip_if_not_installed("survey")
  set.seed(31)
  data <- data.frame(x = rnorm(600), k = factor(sample(c("a", "b", "c"), 600, TRUE)), cluster = rep(1:60, each = 10))
  data$y <- rbinom(600, 1, 1 / 6 + 2 / 3 * plogis(-0.5 + 0.6 * data$x + rnorm(60)[data$cluster]))
  design <- survey::svydesign(~cluster, weights = ~1, data = data)
  for (source in list(data, design)) {
    fit <- quietly(rr_glm(y ~ x + k, source, rr_forced(1 / 6)))
    V <- vcov(fit)
    at <- rbind(c(-1 - mean(data$x), 1 - mean(data$k == "b"), -mean(data$k == "c")))
    expected <- c(x = abs(at[1]) * sqrt(V["x", "x"]), k = sqrt(drop(at[, 2:3] %*% V[3:4, 3:4] %*% at[, 2:3])))
    new <- data.frame(x = -1, k = "b")
    expect_equal(predict(fit, new, "terms", se.fit = TRUE)$se.fit[1, ], expected, tolerance = 1e-8)
    expect_equal(predict(fit, new, "terms", se.fit = TRUE, terms = "k")$se.fit[[1, "k"]], expected[["k"]], tolerance = 1e-8)
    all <- predict(fit, type = "terms", se.fit = TRUE)
    expect_equal(unname(all$se.fit[, "x"]), abs(data$x - mean(data$x)) * sqrt(V["x", "x"]), tolerance = 1e-8)
    expect_identical(dimnames(all$se.fit), dimnames(all$fit))
  }
})
