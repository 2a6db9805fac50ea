# A direct question makes rr_glm() a plain logistic regression, whose tests other packages have.
direct <- rr_binary(1, 0)

people <- function() {
  data <- data.frame(cluster = rep(1:8, each = 30), weight = rep(c(1, 2, 1.5), 80), z = rep(cos(1:8), each = 30), x = sin(1:240),
                     group = factor(rep(c("a", "b", "c"), length.out = 240)))
  data$y <- as.numeric(0.3 * data$x + 0.4 * data$z + cos(17 * (1:240)) > 0.2)
  data
}

exactly <- stats::glm.control(epsilon = 1e-14, maxit = 100)

test_that("car::Anova, MASS::dropterm and addterm of a direct question are those of glm()", {
  skip_without("car", "MASS")
  data <- people()
  fit <- quietly(rr_glm(y ~ group * x + z, data, direct))
  plain <- stats::glm(y ~ group * x + z, stats::binomial(), data, control = exactly)
  for (type in c("II", "III")) {
    ours <- car::Anova(fit, type = type)
    theirs <- car::Anova(plain, type = type)
    expect_identical(dimnames(ours), dimnames(theirs))
    expect_equal(as.matrix(ours), as.matrix(theirs), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(as.matrix(car::Anova(fit, type = type, test.statistic = "Wald")),
                 as.matrix(car::Anova(plain, type = type, test.statistic = "Wald")), tolerance = 1e-7, ignore_attr = TRUE)
  }
  expect_error(car::Anova(fit, test.statistic = "F"), class = "candor_error_argument")
  ours <- MASS::dropterm(fit, test = "Chisq", k = 5)
  theirs <- MASS::dropterm(plain, test = "Chisq", k = 5)
  expect_identical(rownames(ours), rownames(theirs))
  expect_equal(ours$AIC, theirs$AIC, tolerance = 1e-7)
  expect_equal(ours$`Pr(>Chi)`, theirs$`Pr(Chi)`, tolerance = 1e-6)
  small <- quietly(rr_glm(y ~ z, data, direct))
  more <- MASS::addterm(small, ~ . + x + group, k = 5)
  expect_equal(more["x", "AIC"], -2 * as.numeric(logLik(quietly(rr_glm(y ~ z + x, data, direct)))) + 15, tolerance = 1e-8)
})

test_that("step() and stepAIC() choose by the price of a parameter that they are given", {
  skip_if_not_installed("MASS")
  data <- people()
  fit <- quietly(rr_glm(y ~ x + z + group, data, direct))
  plain <- stats::glm(y ~ x + z + group, stats::binomial(), data)
  chosen <- lapply(c(0.01, 2, log(240), 50), function(k) {
    ours <- formula(quietly(step(fit, trace = 0, k = k)))
    expect_identical(attr(stats::terms(ours), "term.labels"), attr(stats::terms(step(plain, trace = 0, k = k)), "term.labels"))
    expect_identical(formula(quietly(MASS::stepAIC(fit, trace = 0, k = k))), ours)
    ours
  })
  # From all covariates to none.
  expect_identical(vapply(chosen, function(formula) length(attr(stats::terms(formula), "term.labels")), 0L)[c(1, 4)], c(3L, 0L))
})

test_that("tests of terms keep the penalty and the unknown number of a design", {
  skip_if_not_installed("car")
  data <- people()
  penalized <- quietly(rr_glm(y ~ x + z, data, rr_warner(0.85), penalty = "bias"))
  without <- quietly(rr_glm(y ~ x, data, rr_warner(0.85), penalty = "bias"))
  expect_equal(car::Anova(penalized)["z", "LR Chisq"], 2 * (penalized$loglik - without$loglik), tolerance = 1e-7)
})

test_that("tests of survey designs are Wald's, with the degrees of freedom of the design", {
  skip_if_not_installed("survey")
  design <- survey::svydesign(~cluster, weights = ~weight, data = people())
  fit <- quietly(rr_glm(y ~ group + z, design, direct))
  plain <- survey::svyglm(y ~ group + z, design, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
  # 8 clusters have 7, three slopes take 3.
  expect_identical(df.residual(fit), 4)
  expect_identical(df.residual(fit), as.numeric(df.residual(plain)))
  expect_identical(glance(fit)$df.residual, 4)
  test <- survey::regTermTest(fit, ~group)
  theirs <- survey::regTermTest(plain, ~group)
  expect_equal(c(test$Ftest, test$df, test$ddf, test$p), c(theirs$Ftest, 2, 4, theirs$p), tolerance = 1e-7)
  # By hand.
  b <- coef(fit)[2:3]
  f <- drop(b %*% solve(vcov(fit)[2:3, 2:3], b)) / 2
  expect_equal(drop(test$Ftest), f, tolerance = 1e-10)
  # It would compare deviances with chi-squared.
  expect_error(survey::regTermTest(fit, ~group, method = "LRT"))
  expect_true(is.na(deviance(fit)))
  if (requireNamespace("car", quietly = TRUE)) {
    table <- car::Anova(fit)
    expect_equal(table["group", "F"], f, tolerance = 1e-8)
    expect_equal(table["group", "Pr(>F)"], pf(f, 2, 4, lower.tail = FALSE), tolerance = 1e-8)
    expect_equal(as.matrix(table), as.matrix(car::Anova(plain, test.statistic = "F")), tolerance = 1e-6, ignore_attr = TRUE)
    hypothesis <- car::linearHypothesis(fit, c("groupb = 0", "groupc = 0"))
    expect_equal(hypothesis$`Pr(>F)`[2], pf(f, 2, 4, lower.tail = FALSE), tolerance = 1e-8)
    expect_equal(car::linearHypothesis(fit, c("groupb = 0", "groupc = 0"), test = "Chisq")$Chisq[2], 2 * f, tolerance = 1e-8)
    expect_error(car::Anova(fit, test.statistic = "LR"), class = "candor_error_argument")
  }
  if (requireNamespace("lmtest", quietly = TRUE)) {
    expect_equal(unclass(lmtest::coeftest(fit))[, ], summary(fit)$coefficients, tolerance = 1e-12)
    expect_equal(lmtest::coefci(fit), confint(fit), tolerance = 1e-12)
    expect_equal(lmtest::coefci(fit, df = Inf)[, 2], coef(fit) + qnorm(0.975) * sqrt(diag(vcov(fit))), tolerance = 1e-12)
    small <- quietly(rr_glm(y ~ z, design, direct))
    expect_equal(lmtest::waldtest(fit, small)$`Pr(>F)`[2], pf(f, 2, 4, lower.tail = FALSE), tolerance = 1e-8)
    expect_error(lmtest::lrtest(fit, small), class = "candor_error_argument")
  }
  for (test in list(drop1, MASS::dropterm, function(fit) step(fit, trace = 0), function(fit) MASS::stepAIC(fit, trace = 0))) {
    expect_error(test(fit), class = "candor_error_argument")
  }
})

test_that("no test is given where no degrees of freedom are left, or coefficients are infinite", {
  skip_without("survey", "car")
  data <- people()
  few <- survey::svydesign(~cluster, weights = ~weight, data = data[data$cluster <= 3, ])
  fit <- quietly(rr_glm(y ~ group + x, few, direct))
  # 3 clusters, 4 coefficients.
  expect_identical(df.residual(fit), -1)
  expect_refused(car::Anova(fit), car::linearHypothesis(fit, "x = 0"))
  skip_if_not_installed("lmtest")
  expect_error(lmtest::coeftest(fit), class = "candor_error_argument")
  data$y <- as.numeric(data$group == "b")
  sure <- suppressWarnings(quietly(rr_glm(y ~ group, data, rr_warner(0.9))))
  expect_error(car::Anova(sure, test.statistic = "Wald"), class = "candor_error_argument")
})

test_that("tidy() and confint() have the standard errors of summary(), by type and cluster", {
  data <- people()
  fit <- quietly(rr_glm(y ~ x + z, data, rr_warner(0.85)))
  for (asked in list(list(type = "sandwich"), list(cluster = ~cluster), list(type = "sandwich", cluster = data$cluster), list(type = "expected"))) {
    table <- do.call(summary, c(list(fit), asked))$coefficients
    tidied <- do.call(tidy, c(list(fit, conf.int = TRUE, conf.level = 0.9), asked))
    expect_equal(unname(table), as.matrix(tidied[2:5]), tolerance = 1e-12, ignore_attr = TRUE)
    ends <- coef(fit) + outer(table[, 2], qnorm(c(.05, .95)))
    expect_equal(do.call(confint, c(list(fit, level = 0.9), asked)), ends, tolerance = 1e-12, ignore_attr = TRUE)
    expect_equal(as.matrix(tidied[6:7]), ends, tolerance = 1e-12, ignore_attr = TRUE)
  }
  # Without them nothing changes: profile intervals.
  expect_equal(confint(fit), confint(fit, method = "profile"))
  expect_equal(tidy(fit, conf.int = TRUE)$conf.low, unname(confint(fit)[, 1]))
  expect_refused(confint(fit, method = "profile", type = "sandwich"), tidy(fit, type = "robust"), tidy(fit, type = "survey"))
})

test_that("the other regressions are compared by two fits, and their data are read", {
  data <- people()
  data$answer <- rep(c("a", "b", "c", "a", "c"), 48)
  mechanism <- rr_grr(c("a", "b", "c"), p = 0.7)
  fit <- quietly(rr_multinom(answer ~ x + z, data, mechanism))
  small <- quietly(rr_multinom(answer ~ x, data, mechanism))
  table <- anova(small, fit)
  expect_equal(table$Chisq[2], 2 * (fit$loglik - small$loglik), tolerance = 1e-10)
  expect_equal(table$`Pr(>Chi)`[2], exp(-table$Chisq[2] / 2), tolerance = 1e-8)
  expect_identical(stats::model.frame(fit)$x, data$x)
  # Nothing is tested by a wrong number of parameters.
  expect_error(drop1(fit))
  expect_error(add1(fit, ~ . + group))
  if (requireNamespace("car", quietly = TRUE)) expect_error(car::Anova(fit), class = "candor_error_argument")
})

test_that("the goodness of fit of the reports: Hosmer and Lemeshow's of direct answers, and by hand", {
  withr::local_seed(21)
  data <- data.frame(x = rnorm(800), z = rbinom(800, 1, 0.4))
  truth <- rbinom(800, 1, plogis(-0.6 + data$x + 0.5 * data$z))
  data$y <- ifelse(runif(800) < 2 / 3, truth, rbinom(800, 1, 0.5))
  data$truth <- truth
  by_hand <- function(mu, y) {
    group <- findInterval(mu, quantile(mu, 1:9 / 10), left.open = TRUE)
    n <- tapply(y, group, length)
    yes <- tapply(y, group, sum)
    expected <- tapply(mu, group, sum)
    c(sum((yes - expected)^2 / (expected * (1 - expected / n))), 2 * sum(yes * log(yes / expected) + (n - yes) * log((n - yes) / (n - expected))))
  }
  plain <- glm(truth ~ x + z, binomial(), data)
  test <- rr_goodness_of_fit(rr_glm(truth ~ x + z, data, rr_binary(1, 0)))
  expect_equal(test$statistic, by_hand(fitted(plain), truth), tolerance = 1e-6)
  expect_identical(test$df, c(8, 8))
  expect_equal(test$p.value, pchisq(test$statistic, 8, lower.tail = FALSE))
  randomized <- rr_glm(y ~ x + z, data, rr_forced(c(1 / 6, 1 / 6)))
  mu <- 1 / 6 + 2 / 3 * plogis(drop(cbind(1, data$x, data$z) %*% coef(randomized)))
  expect_equal(rr_goodness_of_fit(randomized)$statistic, by_hand(mu, data$y), tolerance = 1e-8)
  # Of a table of few rows each is a group, and the degrees of freedom are those of the deviance.
  table <- aggregate(cbind(yes = y, n = 1) ~ I(cut(x, 4)) + z, data, sum)
  names(table)[1] <- "x"
  fit <- rr_glm(cbind(yes, n - yes) ~ x + z, table, rr_forced(c(1 / 6, 1 / 6)))
  test <- rr_goodness_of_fit(fit)
  expect_equal(test$statistic[2], deviance(fit), tolerance = 1e-8)
  expect_identical(test$df[2], df.residual(fit) + 0)
  # A saturated model has nothing left to test.
  expect_true(all(is.na(rr_goodness_of_fit(rr_glm(y ~ z, data, rr_forced(c(1 / 6, 1 / 6))))$p.value)))
  skip_if_not_installed("survey")
  weighted <- rr_glm(y ~ x, survey::svydesign(~1, weights = ~1, data = data), rr_warner(0.8))
  expect_error(rr_goodness_of_fit(weighted), "design", class = "candor_error_argument")
})

test_that("the goodness of fit of few rows: cells without answers, rows of weight 0, and as many groups as rows", {
  table <- data.frame(x = c(0:3, 9), yes = c(0, 3, 9, 20, 0), n = c(10, 8, 15, 20, 0))
  fit <- suppressWarnings(rr_glm(cbind(yes, n - yes) ~ x, table, direct))
  mu <- plogis(coef(fit)[1] + coef(fit)[2] * 0:3)
  seen <- with(table[1:4, ], cbind(yes, n - yes))
  expected <- table$n[1:4] * cbind(mu, 1 - mu)
  statistic <- c(sum((seen - expected)^2 / expected), 2 * sum((seen * log(seen / expected))[seen > 0]))
  for (groups in c(4, 10)) {
    test <- rr_goodness_of_fit(fit, groups)
    expect_equal(test$statistic, statistic, tolerance = 1e-6)
    expect_identical(test$df, c(2, 2))
  }
  expect_identical(rr_goodness_of_fit(fit, 3)$df, c(1, 1))
  expect_refused(rr_goodness_of_fit(fit, 2))
  # Fifths of eleven rows end at the third, fifth, seventh and ninth row, which belong to the group below.
  table <- data.frame(x = 0:10, yes = c(4, 9, 8, 14, 15, 24, 22, 30, 33, 34, 41), n = 50)
  fit <- suppressWarnings(rr_glm(cbind(yes, n - yes) ~ x, table, direct))
  mu <- plogis(coef(fit)[1] + coef(fit)[2] * table$x)
  sums <- function(x) rowsum(x, c(1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5))
  seen <- sums(cbind(table$yes, 50 - table$yes))
  expected <- sums(50 * cbind(mu, 1 - mu))
  test <- rr_goodness_of_fit(fit, 5)
  expect_equal(test$statistic, c(sum((seen - expected)^2 / expected), 2 * sum(seen * log(seen / expected))), tolerance = 1e-6)
  expect_identical(test$df, c(3, 3))
  measured <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5), yes = c(10, 40)))
  expect_error(rr_goodness_of_fit(suppressWarnings(rr_glm(y ~ x, people(), measured))), class = "candor_error_law")
})

test_that("the goodness of fit holds its level under the true model, and finds a square that was left out", {
  withr::local_seed(5)
  rejected <- function(square, surveys) mean(replicate(surveys, {
    data <- data.frame(x = rnorm(1500), z = rnorm(1500))
    truth <- rbinom(1500, 1, plogis(-0.8 + 0.8 * data$x + 0.4 * data$z + square * data$x^2))
    data$y <- ifelse(runif(1500) < 2 / 3, truth, rbinom(1500, 1, 0.5))
    rr_goodness_of_fit(suppressWarnings(rr_glm(y ~ x + z, data, rr_forced(c(1 / 6, 1 / 6)), starts = 1)))$p.value < 0.05
  }) |> matrix(2) |> rowMeans() |> mean())
  # Three standard errors of 200 surveys: 0.046. A power far above a half is seen in 30.
  expect_lt(abs(rejected(0, 200) - 0.05), 0.046)
  expect_gt(rejected(0.8, 30), 0.5)
})

test_that("a larger model is never below a smaller one: where its climb stopped short, it goes on from there", {
  data <- data.frame(x = rep(1:6, 2), z = rep(0:1, each = 6), n = 40, yes = c(9, 12, 14, 18, 20, 25, 12, 13, 18, 20, 26, 28), o = rep(c(-0.2, 0.3), 6))
  for (formula in list(cbind(yes, n - yes) ~ x, cbind(yes, n - yes) ~ x + offset(o))) {
    small <- rr_glm(formula, data, rr_warner(0.9))
    large <- rr_glm(update(formula, ~ . + z), data, rr_warner(0.9))
    ratio <- 2 * as.numeric(logLik(large) - logLik(small))
    expect_gt(ratio, 0)
    stopped <- large
    stopped$loglik <- small$loglik - 3
    for (table in list(anova(small, large), anova(small, stopped), anova(stopped, small))) {
      expect_equal(max(table$LR, na.rm = TRUE), ratio, tolerance = 1e-5)
      expect_equal(sort(table$logLik), c(logLik(small), logLik(large)), tolerance = 1e-7)
      expect_equal(min(table[["Pr(>Chi)"]], na.rm = TRUE), pchisq(ratio, 1, lower.tail = FALSE), tolerance = 1e-5)
    }
  }
})

test_that("fits with as many coefficients have a ratio and no test; fits of other rows or devices have none", {
  data <- people()
  fits <- lapply(list(y ~ x, y ~ z), function(formula) quietly(rr_glm(formula, data, direct)))
  table <- anova(fits[[1]], fits[[2]])
  expect_equal(table$LR[2], 2 * as.numeric(logLik(fits[[2]]) - logLik(fits[[1]])))
  expect_identical(is.na(table[["Pr(>Chi)"]]), c(TRUE, TRUE))
  expect_error(anova(fits[[1]], quietly(rr_glm(y ~ x + z, data, rr_warner(0.9)))), class = "candor_error_mismatch")
  expect_error(anova(fits[[1]], quietly(rr_glm(y ~ x + z, data[-1, ], direct))), class = "candor_error_mismatch")
  expect_refused(anova(fits[[1]], stats::glm(y ~ x + z, stats::binomial(), data)), drop1(fits[[1]], k = "2"), extractAIC(fits[[1]], k = "2"))
  skip_without("car", "lmtest", "survey")
  large <- quietly(rr_glm(y ~ x * z, data, direct))
  for (type in 2:3) expect_identical(car::Anova(large, type = type), car::Anova(large, type = c("", "II", "III")[type]))
  # Another covariance has normal tests, in a design too.
  fit <- quietly(rr_glm(y ~ x, survey::svydesign(~cluster, weights = ~weight, data = data), direct))
  test <- lmtest::coeftest(fit, vcov. = 4 * vcov(fit))
  expect_equal(unname(test[, 4]), unname(2 * pnorm(-abs(coef(fit) / (2 * sqrt(diag(vcov(fit))))))), tolerance = 1e-10)
})

test_that("coefficients of several categories are tested by name, and not by the columns of a model matrix", {
  skip_if_not_installed("car")
  skip_if_not_installed("survey")
  grades <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  design <- survey::svydesign(~semester, weights = ~1, data = exam_simulated)
  for (data in list(exam_simulated, design)) {
    fits <- list(
      suppressMessages(rr_multinom(cheating ~ female + semester, data, grades)),
      suppressMessages(rr_multinom(cheating ~ female + semester, data, grades, type = "cumulative"))
    )
    names <- list(c("once:female", "often:female"), "female")
    for (i in 1:2) {
      b <- setNames(c(t(coef(fits[[i]]))), rownames(vcov(fits[[i]])))[names[[i]]]
      wald <- drop(b %*% solve(vcov(fits[[i]])[names[[i]], names[[i]]], b))
      table <- car::linearHypothesis(fits[[i]], paste(names[[i]], "= 0"), test = "Chisq")
      expect_equal(table$Chisq[2], wald, tolerance = 1e-10)
      expect_error(survey::regTermTest(fits[[i]], ~female), class = "candor_error_argument")
    }
  }
})

test_that("tables of terms of a direct question have all numbers of glm(), whichever way the fits and terms are named", {
  data <- people()
  fit <- quietly(rr_glm(y ~ x + group + z, data, direct))
  plain <- stats::glm(y ~ x + group + z, stats::binomial(), data, control = exactly)
  steps <- anova(fit)
  theirs <- anova(plain, test = "LRT")
  expect_identical(rownames(steps), rownames(theirs))
  expect_identical(steps$`Model Df`, c(1, 2, 4, 5))
  expect_equal(steps$logLik, -theirs$`Resid. Dev` / 2, tolerance = 1e-8)
  expect_equal(unclass(steps)[c("Df", "LR", "Pr(>Chi)")], unclass(theirs)[c("Df", "Deviance", "Pr(>Chi)")], tolerance = 1e-6, ignore_attr = TRUE)
  expect_identical(names(anova(fit, test = "none")), c("Model Df", "logLik", "Df", "LR"))
  # Two fits, the smaller one first or last.
  small <- quietly(rr_glm(y ~ z, data, direct))
  below <- stats::glm(y ~ z, stats::binomial(), data, control = exactly)
  ratio <- 2 * as.numeric(logLik(plain) - logLik(below))
  for (order in 1:2) {
    fits <- list(small, fit)[c(order, 3 - order)]
    table <- anova(fits[[1]], fits[[2]])
    expect_equal(unlist(table[2, ]), c(c(5, 2)[order], logLik(list(plain, below)[[order]]), c(3, -3)[order], ratio, pchisq(ratio, 3, lower.tail = FALSE)),
                 tolerance = 1e-7, ignore_attr = TRUE)
    expect_true(all(is.na(table[1, 3:5])))
  }
  same <- function(ours, theirs, df) {
    expect_identical(rownames(ours), rownames(theirs))
    expect_equal(ours$Df, theirs$Df)
    expect_equal(ours$AIC, theirs$AIC, tolerance = 1e-8)
    expect_equal(ours$logLik, (df * 3 - theirs$AIC) / 2, tolerance = 1e-8)
    expect_equal(cbind(ours$LRT, ours$`Pr(>Chi)`), cbind(theirs$LRT, theirs$`Pr(>Chi)`), tolerance = 1e-6)
  }
  same(drop1(fit, k = 3), drop1(plain, k = 3, test = "LRT"), c(5, 4, 3, 4))
  for (scope in list(~ z + x, c("z", "x"))) same(drop1(fit, scope, k = 3), drop1(plain, scope, k = 3, test = "LRT"), c(5, 4, 4))
  for (scope in list(~ . + x + group, c("x", "group"))) same(add1(small, scope, k = 3), add1(below, scope, k = 3, test = "LRT"), c(2, 3, 4))
  expect_identical(names(drop1(fit, test = "none")), c("Df", "logLik", "AIC"))
  skip_without("car", "MASS")
  expect_identical(rownames(MASS::dropterm(fit, sorted = TRUE)), rownames(MASS::dropterm(plain, sorted = TRUE)))
  expect_identical(rownames(MASS::addterm(small, ~ . + x + group, sorted = TRUE)), rownames(MASS::addterm(below, ~ . + x + group, sorted = TRUE)))
  # A term that says nothing new has no test.
  data$again <- 2 * data$x
  aliased <- suppressMessages(quietly(rr_glm(y ~ x + again + z, data, direct)))
  table <- car::Anova(aliased)
  expect_identical(table$Df, c(0, 0, 1))
  expect_identical(is.na(table$`LR Chisq`), c(TRUE, TRUE, FALSE))
  expect_identical(is.na(table$`Pr(>Chisq)`), c(TRUE, TRUE, FALSE))
})

test_that("with a validation study terms have Wald's tests, each beside all others", {
  data <- people()
  measured <- rr_misclassification(table = rbind(c(90, 10), c(20, 180)), validation = "external")
  data$y <- factor(measured$reports[data$y + 1], measured$reports)
  data$again <- 2 * data$z
  fit <- suppressMessages(quietly(rr_glm(y ~ x + group + z + again, data, measured)))
  table <- suppressMessages(anova(fit))
  expect_identical(rownames(table), c("x", "group", "z", "again"))
  expect_identical(table$Df, c(1L, 2L, 1L, 0L))
  b <- coef(fit)
  V <- vcov(fit)
  wald <- c(b[[2]]^2 / V[2, 2], b[3:4] %*% solve(V[3:4, 3:4]) %*% b[3:4], b[[5]]^2 / V[5, 5], NA)
  expect_equal(table$Wald, wald, tolerance = 1e-8)
  expect_equal(table$`Pr(>Chi)`, pchisq(wald, c(1, 2, 1, 0), lower.tail = FALSE), tolerance = 1e-8)
  expect_identical(names(suppressMessages(anova(fit, test = "none"))), c("Df", "Wald"))
  # All of one group say yes, more than the study allows.
  data$y <- factor(measured$reports[1 + (data$group == "b")], measured$reports)
  sure <- suppressWarnings(suppressMessages(rr_glm(y ~ group, data, measured)))
  expect_true(any(is.infinite(coef(sure))))
  expect_refused(anova(sure))
})

test_that("a term that stands alone is tested against the unknown number alone, at its best", {
  yes <- c(350, 450)
  d <- data.frame(y = rep(c(1, 0, 1, 0), c(350, 650, 450, 550)), sample = rep(c("a", "b"), each = 1000), x = rep_len(c(1, 2, 1.5), 2000))
  d$off <- 0.2
  mechanisms <- list(a = rr_unrelated(0.7, pi = NULL), b = rr_unrelated(0.3, pi = NULL))
  for (off in c(FALSE, TRUE)) {
    fit <- suppressWarnings(rr_glm(if (off) y ~ x + offset(off) - 1 else y ~ x - 1, d, mechanisms, arm = sample))
    alone <- optimize(function(psi) {
      report <- c(0.7, 0.3) * plogis(if (off) 0.2 else 0) + c(0.3, 0.7) * psi
      sum(yes * log(report) + (1000 - yes) * log(1 - report))
    }, c(0, 1), maximum = TRUE, tol = 1e-12)$objective
    ratio <- 2 * (as.numeric(logLik(fit)) - alone)
    expect_equal(anova(fit)$logLik, c(alone, logLik(fit)), tolerance = 1e-9)
    expect_identical(anova(fit)$`Model Df`, c(1, 2))
    table <- drop1(fit)
    expect_equal(table$LRT[2], ratio, tolerance = 1e-7)
    expect_equal(table$AIC[2], 2 - 2 * alone, tolerance = 1e-9)
    expect_equal(table$`Pr(>Chi)`[2], pchisq(ratio, 1, lower.tail = FALSE), tolerance = 1e-5)
  }
})

test_that("in a design Wald tests of every regression have its degrees of freedom, and none has infinite coefficients", {
  skip_if_not_installed("car")
  skip_if_not_installed("survey")
  data <- withr::with_seed(1, transform(exam_simulated, y = rbinom(2000, 1, 0.4)))
  design <- survey::svydesign(~semester, weights = ~1, data = data)
  grades <- rr_grr(levels(data$cheating), p = 0.8)
  fits <- list(
    suppressMessages(rr_multinom(cheating ~ female, design, grades)), rr_predictor(y ~ cheating, design, list(cheating = grades)),
    rr_glm(plagiarism ~ female, design, rr_forced(1 / 6))
  )
  names <- list(c("once:female", "often:female"), c("cheatingonce", "cheatingoften"), "female")
  for (i in 1:3) {
    b <- setNames(c(t(coef(fits[[i]]))), rownames(vcov(fits[[i]])))[names[[i]]]
    k <- length(b)
    f <- drop(b %*% solve(vcov(fits[[i]])[names[[i]], names[[i]]], b)) / k
    table <- car::linearHypothesis(fits[[i]], paste(names[[i]], "= 0"))
    expect_equal(table$F[2], f, tolerance = 1e-8)
    expect_equal(table$`Pr(>F)`[2], pf(f, k, df.residual(fits[[i]]), lower.tail = FALSE), tolerance = 1e-8)
  }
  sure <- suppressWarnings(suppressMessages(rr_multinom(answer ~ group, data.frame(
    answer = rep(c("a", "b", "c", "a", "b"), c(30, 20, 10, 30, 30)), group = rep(c("u", "v"), c(60, 60))
  ), rr_channel(diag(3), levels = c("a", "b", "c")))))
  expect_true(any(is.infinite(coef(sure))))
  expect_error(car::linearHypothesis(sure, "b:groupv = 0"), class = "candor_error_argument")
})

test_that("tables of terms have tests and a price of 2 for a parameter unless others are wanted, and those of MASS have none", {
  data <- people()
  fit <- quietly(rr_glm(y ~ x + z, data, direct))
  for (call in list(function(...) anova(fit, ...), function(...) drop1(fit, ...), function(...) add1(fit, ~ . + group, ...))) {
    expect_identical(call(), call(test = "LRT"))
    expect_true("Pr(>Chi)" %in% names(call()))
    expect_refused(call(test = "F"))
  }
  expect_identical(drop1(fit)$AIC, drop1(fit, k = 2)$AIC)
  expect_equal(drop1(fit)$AIC[1], AIC(fit), tolerance = 1e-10)
  expect_equal(add1(fit, ~ . + group)$AIC[1], AIC(fit), tolerance = 1e-10)
  skip_without("car", "MASS")
  expect_identical(MASS::dropterm(fit), drop1(fit, test = "none"))
  expect_identical(MASS::addterm(fit, ~ . + group), add1(fit, ~ . + group, test = "none"))
  crossed <- quietly(rr_glm(y ~ x * z, data, direct))
  expect_identical(car::Anova(crossed), car::Anova(crossed, type = "II"))
})

test_that("the goodness of fit of a cell with one answer and of a cell with none, by hand", {
  table <- data.frame(x = 0:3, yes = c(1, 0, 6, 11), n = c(12, 9, 12, 12))
  fit <- suppressWarnings(rr_glm(cbind(yes, n - yes) ~ x, table, direct))
  mu <- plogis(coef(fit)[1] + coef(fit)[2] * table$x)
  seen <- c(table$yes, table$n - table$yes)
  expected <- c(table$n * mu, table$n * (1 - mu))
  test <- rr_goodness_of_fit(fit)
  expect_equal(test$statistic, c(sum((seen - expected)^2 / expected), 2 * sum((seen * log(seen / expected))[seen > 0])), tolerance = 1e-6)
  expect_identical(test$test, c("Pearson", "deviance"))
})

test_that("steps of a penalized fit are the log-likelihoods of its penalized estimates", {
  data <- people()
  for (penalty in c("prior", "jeffreys")) {
    fit <- quietly(rr_glm(y ~ x + z, data, direct, penalty = penalty))
    steps <- quietly(anova(fit))
    expect_equal(steps$logLik[3], as.numeric(logLik(fit)), tolerance = 1e-8)
    expect_equal(steps$logLik[2], as.numeric(logLik(quietly(rr_glm(y ~ x, data, direct, penalty = penalty)))), tolerance = 1e-6)
    dropped <- quietly(drop1(fit))
    expect_equal(dropped$logLik[3], steps$logLik[2], tolerance = 1e-6)
  }
})

test_that("added terms stay in their order unless they are to be sorted, and with a study Anova() has Wald's tests", {
  skip_without("car", "MASS")
  data <- people()
  small <- quietly(rr_glm(y ~ 1, data, direct))
  table <- MASS::addterm(small, ~ . + z + x)
  expect_identical(rownames(table), c("<none>", "z", "x"))
  expect_identical(rownames(MASS::addterm(small, ~ . + z + x, sorted = TRUE)), rownames(table)[order(table$AIC)])
  expect_false(identical(order(table$AIC), 1:3))
  expect_identical(rownames(MASS::dropterm(quietly(rr_glm(y ~ z + x, data, direct)))), c("<none>", "z", "x"))
  measured <- rr_misclassification(table = rbind(c(90, 10), c(20, 180)), validation = "external")
  fit <- quietly(rr_glm(y ~ x, transform(data, y = measured$reports[y + 1]), measured))
  wald <- coef(fit)[["x"]]^2 / vcov(fit)["x", "x"]
  table <- car::Anova(fit)
  expect_equal(table["x", "Chisq"], wald, tolerance = 1e-8)
  expect_refused(car::Anova(fit, test.statistic = "LR"), car::Anova(fit, test.statistic = "F"))
})

test_that("a scope that names no term of the fit is refused, as by R's drop1()", {
  fit <- quietly(rr_glm(y ~ x, data.frame(x = rep(c(-1, 0, 2, 1), 25), y = rep(c(0, 1, 1, 0, 1), 20)), rr_binary(0.9, 0.2)))
  expect_refused(drop1(fit, "z"), drop1(fit, ~ x:z), drop1(fit, c("x", "z")))
  expect_identical(row.names(drop1(fit, ~ x)), c("<none>", "x"))
})
