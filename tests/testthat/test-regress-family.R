survey_of <- function(n, seed) {
  withr::with_seed(seed, {
    data <- data.frame(x = rnorm(n), g = factor(sample(letters[1:3], n, TRUE)), cluster = rep(seq_len(n / 25), each = 25))
    u <- rnorm(n / 25, sd = 0.8)[data$cluster]
    truth <- rbinom(n, 1, plogis(-0.4 + 0.7 * data$x + 0.5 * (data$g == "b") + u))
    data$y <- ifelse(runif(n) < 2 / 3, truth, rbinom(n, 1, 0.5))
    data
  })
}
forced <- rr_forced(c(1 / 6, 1 / 6))
exact <- list(epsilon = 1e-14, maxit = 100)
data <- survey_of(1500, 1)

test_that("glm() with the family agrees with the fitter, for every link and several mechanisms", {
  for (mechanism in list(forced, rr_crosswise(0.25), rr_triangular(0.25), rr_warner(0.7), rr_kuk(0.8, 0.3), rr_binary(1, 0))) {
    y <- withr::with_seed(2, rbinom(1500, 1, rr_matrix(mechanism)[1 + (data$x + rnorm(1500) > 0.5), 2]))
    for (link in c("logit", "probit", "cauchit", "cloglog")) {
      fit <- glm(y ~ x, rr_family(mechanism, link), cbind(data, y), control = exact)
      ours <- quietly(rr_glm(y ~ x, cbind(data, y), mechanism, link))
      expect_equal(coef(fit), coef(ours), tolerance = 1e-7)
      expect_equal(vcov(fit), vcov(ours, "expected"), tolerance = 1e-6)
      expect_equal(deviance(fit), deviance(ours), tolerance = 1e-10)
      expect_equal(AIC(fit), AIC(ours), tolerance = 1e-10)
      expect_equal(fit$null.deviance, ours$null.deviance, tolerance = 1e-8)
      expect_equal(unname(fit$weights), unname(ours$weights), tolerance = 1e-6)
    }
  }
})

test_that("the derivatives of the link are derivatives", {
  for (link in c("logit", "probit", "cloglog", "cauchit", "log", "identity")) {
    family <- rr_family(rr_crosswise(0.2), link)
    mu <- c(0.35, 0.5, 0.72)
    eta <- family$linkfun(mu)
    expect_equal(family$linkinv(eta), mu, tolerance = 1e-12)
    numeric <- function(f, h = 1e-5) (f(mu + h) - f(mu - h)) / (2 * h)
    expect_equal(1 / family$mu.eta(eta), numeric(family$linkfun), tolerance = 1e-7)
    expect_equal(family$d2link(mu), numeric(function(m) 1 / family$mu.eta(family$linkfun(m))), tolerance = 1e-6)
    expect_equal(family$d3link(mu), numeric(family$d2link), tolerance = 1e-6)
    expect_equal(family$d4link(mu), numeric(family$d3link), tolerance = 1e-6)
    expect_identical(family$link, sprintf("rr(%s)", link))
  }
})

test_that("glm()'s own tools work with the family", {
  fit <- glm(y ~ x + g, rr_family(forced), data, control = exact)
  small <- update(fit, . ~ . - g)
  expect_equal(anova(small, fit, test = "LRT")$Deviance[2], deviance(small) - deviance(fit))
  expect_identical(nrow(drop1(fit, test = "LRT")), 3L)
  expect_length(cooks.distance(fit), 1500)
  expect_identical(dim(simulate(fit, 2, seed = 1)), c(1500L, 2L))
  grouped <- aggregate(cbind(yes = y, n = 1) ~ g, data, sum)
  expect_equal(coef(glm(cbind(yes, n - yes) ~ g, rr_family(forced), grouped, control = exact)),
               coef(glm(y ~ g, rr_family(forced), data, control = exact)), tolerance = 1e-8)
  labels <- factor(c("no", "yes")[data$y + 1])
  expect_equal(coef(glm(labels ~ x, rr_family(forced), data, control = exact)), coef(glm(y ~ x, rr_family(forced), data, control = exact)))
  expect_error(glm(factor(y, labels = c("a", "b")) ~ x, rr_family(forced), data), class = "candor_error_level")
})

test_that("survey::svyglm() has the family's expected information", {
  skip_if_not_installed("survey")
  for (case in golden("regression_binary")) {
    if (is.null(case$expected$vcov_survey_expected)) next
    data <- golden_regression(case$input)$data
    design <- survey::svydesign(~cluster, strata = ~strata, weights = ~weights, data = data, nest = TRUE)
    family <- rr_family(rr_binary(case$input$p, case$input$q), quasi = TRUE)
    fit <- survey::svyglm(y ~ x1 + x2, design, family = family, control = list(epsilon = 1e-14, maxit = 100))
    expect_golden(coef(fit), case$expected$coef, 1e-6)
    expect_golden(vcov(fit), case$expected$vcov_survey_expected, 1e-5)
  }
})

test_that("lme4::glmer() fits the randomized model, and not ordinary logistic regression", {
  skip_if_not_installed("lme4")
  met <- 0
  for (case in golden("regression_mixed")) {
    input <- case$input
    data <- data.frame(y = input$y, x1 = input$x[, 2], group = input$group)
    mixed <- function(family) {
      # Data of 84 rows: now and then its inner iteration fails by itself.
      tryCatch(suppressWarnings(suppressMessages(lme4::glmer(y ~ x1 + (1 | group), data, family, nAGQ = 25))), error = function(e) NULL)
    }
    fit <- mixed(rr_family(rr_binary(input$p, input$q), input$link))
    if (is.null(fit)) next
    met <- met + 1
    expect_equal(as.numeric(logLik(fit)), case$expected$loglik, tolerance = 1e-4)
    expect_equal(unname(lme4::fixef(fit)), case$expected$coef, tolerance = 0.02)
    expect_equal(unname(fit@theta), case$expected$sd, tolerance = 0.02)
    plain <- mixed(stats::binomial())
    expect_gt(max(abs(lme4::fixef(fit) - lme4::fixef(plain))), 0.02)
  }
  expect_gte(met, 1)
})

test_that("mgcv::gam() and bam() take the family, smooths and random effects included", {
  skip_if_not_installed("mgcv")
  fit <- mgcv::gam(y ~ x, rr_family(forced), data, method = "REML")
  expect_equal(unname(coef(fit)), unname(coef(rr_glm(y ~ x, data, forced))), tolerance = 1e-4)
  smooth <- mgcv::gam(y ~ s(x, k = 5) + s(cluster, bs = "re"), rr_family(forced), transform(data, cluster = factor(cluster)), method = "REML")
  expect_true(smooth$converged)
  big <- mgcv::bam(y ~ x, rr_family(forced), data)
  expect_equal(unname(coef(big)), unname(coef(fit)), tolerance = 1e-3)
})

test_that("sandwich and lmtest use observed information and our scores", {
  skip_without("sandwich", "lmtest")
  fit <- rr_glm(y ~ x + g, data, forced)
  expect_equal(sandwich::sandwich(fit), vcov(fit, "sandwich"), tolerance = 1e-10)
  expect_equal(sandwich::vcovCL(fit, cluster = data$cluster), vcov(fit, cluster = data$cluster), tolerance = 1e-10)
  table <- lmtest::coeftest(fit)
  expect_equal(table[, "Std. Error"], sqrt(diag(vcov(fit))), tolerance = 1e-12)
  expect_equal(lmtest::lrtest(rr_glm(y ~ x, data, forced), fit)$Chisq[2], anova(rr_glm(y ~ x, data, forced), fit)$LR[2])
  expect_equal(lmtest::coefci(fit)[, 1], confint(fit, method = "wald")[, 1], tolerance = 1e-10)
})

test_that("emmeans speaks of the truth", {
  skip_if_not_installed("emmeans")
  fit <- rr_glm(y ~ x + g, data, forced)
  means <- summary(emmeans::emmeans(fit, "g", type = "response"))
  new <- data.frame(x = mean(data$x), g = levels(data$g))
  expect_equal(means$prob, unname(predict(fit, new, "truth")), tolerance = 1e-10)
  expect_equal(means$SE, unname(predict(fit, new, "truth", se.fit = TRUE)$se.fit), tolerance = 1e-8)
  pairs <- summary(emmeans::contrast(emmeans::emmeans(fit, "g"), "trt.vs.ctrl"))
  expect_equal(pairs$estimate, unname(coef(fit)[c("gb", "gc")]), tolerance = 1e-10)
})

test_that("marginaleffects has our averages of the truth", {
  marginaleffects <- from_cran("marginaleffects")
  # Its recent versions use an operator that R has only since 4.4.
  if (!exists("%||%", baseenv())) {
    assign("%||%", rlang::`%||%`, globalenv())
    withr::defer(rm("%||%", envir = globalenv()))
  }
  fit <- rr_glm(y ~ x + g, data, forced)
  effects <- rr_effects(fit)
  theirs <- as.data.frame(marginaleffects$avg_slopes(fit, type = "response"))
  expect_equal(theirs$estimate[theirs$term == "x"], effects$estimate[effects$term == "x"], tolerance = 1e-4)
  expect_equal(theirs$std.error[theirs$term == "x"], effects$std.error[effects$term == "x"], tolerance = 1e-3)
  average <- as.data.frame(marginaleffects$avg_predictions(fit, type = "response"))
  expect_equal(average$estimate, effects$estimate[1], tolerance = 1e-8)
})

test_that("clusters count by one rule in all regressions: that of sandwich::vcovCL() and survey::svyglm()", {
  skip_without("sandwich", "survey")
  d <- survey_of(500, 6)
  direct <- rr_binary(1, 0)
  d$y[c(3, 60)] <- NA
  d$cluster[7] <- 1000
  kept <- d[!is.na(d$y), ]
  known <- sandwich::vcovCL(glm(y ~ x, binomial(), d), kept$cluster)
  design <- survey::svydesign(~cluster, weights = ~1, data = kept)
  expect_equal(vcov(survey::svyglm(y ~ x, design, family = quasibinomial())), known, tolerance = 1e-6, ignore_attr = TRUE)
  fits <- function(mechanism) list(rr_glm(y ~ x, d, mechanism), rr_multinom(y ~ x, d, mechanism),
                                   rr_predictor(y ~ x, d, list(y = mechanism), binomial()),
                                   rr_predictor(y ~ x, d, list(y = mechanism), binomial(), method = "ml"))
  # As a column, as a vector for the rows that were used, and for all.
  for (fit in fits(direct)) for (cluster in list(~ cluster, kept$cluster, d$cluster)) {
    expect_equal(vcov(fit, cluster = cluster), known, tolerance = 1e-6, ignore_attr = TRUE)
  }
  die <- fits(rr_warner(0.9))[-3]
  for (fit in die) expect_equal(vcov(fit, cluster = ~ cluster), vcov(die[[1]], cluster = ~ cluster), tolerance = 1e-6, ignore_attr = TRUE)
  # One cluster has no variance between clusters, and a missing one is none.
  for (fit in die) {
    expect_true(all(is.na(vcov(fit, cluster = rep(1, 498)))))
    expect_error(vcov(fit, cluster = c(NA, kept$cluster[-1])), class = "candor_error_argument")
  }
})

test_that("devices of an unknown number are lines in it, given the answer to another question, and stay probabilities", {
  lines <- cbind(c(0.7, 0.2, 0.1, 0.1, 1, 0), c(0.4, 0.3, 0.2, -0.1, 0.9, 0.1))
  expect_equal(other_answer(lines, 0.5), c(1, 0.95))
  # P(yes | yes), P(yes | no), P(no | yes), P(no | no) and the difference of the first two.
  expected <- cbind(c(0.8, 0.15, 0.2, 0.85, 0.65), c(0.55, 0.15, 0.4, 0.8, 0.4) / 0.95)
  expect_equal(unknown_at(lines, 0.5), expected)
  # A rounding beyond 0 or 1 is none, and an answer that nobody gives says nothing.
  edge <- cbind(c(1 + 1e-9, 0, -1e-9, 0, 1, 0), c(0, 0, 0, 0, 0, 0))
  expect_identical(unknown_at(edge, 0.3)[1:4, ], cbind(c(1, 0, 0, 1), numeric(4)))
  # Lines of a known device have no slope; one group, or two alike, cannot tell the number.
  groups <- list(a = rr_unrelated(0.7, pi = NULL), b = rr_binary(0.9, 0.2))
  lines <- unknown_devices(groups, cbind(numeric(5), regress_device(groups$b)))
  expect_equal(lines[, 2], c(0.9, 0, 0.2, 0, 1, 0))
  # P(yes) = 0.7 truth + 0.3 psi.
  expect_equal(lines[, 1], c(0.7, 0.3, 0, 0.3, 1, 0))
  for (alike in list(groups["a"], groups[c("a", "a")])) expect_error(unknown_devices(alike, matrix(0, 5, 2)), class = "candor_error_no_information")
})

test_that("numbers of yes and of no are two columns of finite numbers, none negative", {
  read <- counted_response(cbind(c(3, 0), c(1, 4)), c("no", "yes"), NULL)
  expect_equal(read$y * read$n, c(3, 0))
  expect_identical(read$weights, c(4, 4))
  # A row without answers has weight 0.
  read <- counted_response(cbind(c(3, 0, 1), c(1, 0, 0)), c("no", "yes"), c(2, 5, 1))
  expect_identical(read, list(y = c(0.75, 0, 1), weights = c(8, 0, 1), n = c(4, 0, 1)))
  for (bad in list(cbind(c(3, -1), c(1, 4)), cbind(c(3, Inf), c(1, 4)), cbind(c(3, NA), c(1, 4)), cbind(3, 1, 2), cbind("3", "1"))) {
    expect_refused(counted_response(bad, c("no", "yes"), NULL))
  }
})

test_that("a linear predictor is valid as long as its truth is a probability that rounding tells from 0 and 1", {
  inside <- list(logit = c(-30, 30), probit = c(-30, 30), cloglog = c(-30, 30), cauchit = c(-1e7, 1e7), log = c(-30, 0), identity = c(0, 1))
  outside <- list(logit = c(-40, 40), probit = c(-40, 40), cloglog = c(-40, 40), cauchit = c(-1e9, 1e9), log = c(-40, 1e-9), identity = c(-1e-9, 1 + 1e-9))
  for (link in names(inside)) {
    valid <- rr_family(rr_warner(0.8), link)$valideta
    expect_true(valid(inside[[link]]))
    for (bad in c(outside[[link]], NA, -Inf)) expect_false(valid(c(inside[[link]], bad)), label = paste(link, bad))
  }
  # Surveys ask for a dispersion, and reports of single answers have none.
  expect_identical(family(quietly(rr_glm(y ~ 1, data, forced)))$family, "binomial")
  expect_identical(rr_family(forced, quasi = TRUE)$family, "quasibinomial")
  valid <- rr_family(rr_warner(0.8))$validmu
  expect_true(valid(c(0, 0.5, 1)))
  for (bad in c(-0.1, 1.1, NaN)) expect_false(valid(c(0.5, bad)))
})

test_that("shares with weights are as many answers: the AIC of glm() is that of binomial reports", {
  survey <- data.frame(yes = c(9, 12, 20), n = c(20, 30, 40), x = c(0, 1, 3))
  fit <- glm(yes / n ~ x, rr_family(rr_warner(0.8)), survey, weights = n, control = exact)
  report <- 0.2 + 0.6 * plogis(coef(fit)[[1]] + coef(fit)[[2]] * survey$x)
  expect_equal(AIC(fit), 4 - 2 * sum(dbinom(survey$yes, survey$n, report, log = TRUE)), tolerance = 1e-10)
  counts <- glm(cbind(yes, n - yes) ~ x, rr_family(rr_warner(0.8)), survey, control = exact)
  expect_equal(AIC(counts), AIC(fit))
})

test_that("a report that no truth gives has a finite predictor, and a predictor far out a report below 1", {
  family <- rr_family(rr_warner(0.8))
  end <- qlogis(.Machine$double.eps)
  expect_equal(family$linkfun(c(0.1, 0.5, 0.95)), c(end, 0, -end))
  direct <- rr_family(rr_binary(1, 0))
  expect_identical(direct$linkinv(c(-800, 0, 800)), c(.Machine$double.eps, 0.5, 1 - .Machine$double.eps))
  # 1 / 6 of the answers are a forced yes, 1 / 6 a forced no.
  expect_equal(rr_family(forced)$linkinv(c(-2, 0, 3)), 1 / 6 + 2 / 3 * plogis(c(-2, 0, 3)), tolerance = 1e-15)
})

test_that("each row has the device of its arm", {
  expect_identical(match_arms(c("b", "a", "b"), c("a", "b"), 3), c(1L, 0L, 1L))
  expect_identical(match_arms(factor(c("b", "a")), c("a", "b"), 2), c(1L, 0L))
  expect_refused(match_arms("a", c("a", "b"), 2), match_arms("a", NULL, 1), match_arms("a", c("a", "a"), 1))
  expect_refused(match_arms(c("a", "c"), c("a", "b"), 2), match_arms(c("a", NA), c("a", "b"), 2), class = "mismatch")
  device <- cbind(c(0.9, 0.2, 0.1, 0.8, 0.7), c(0.3, 0.7, 0.7, 0.3, -0.4))
  expect_identical(row_device(device, c(1L, 0L), 2), list(p = c(0.3, 0.9), q = c(0.7, 0.2), d = c(-0.4, 0.7)))
  expect_identical(row_device(device[, 1, drop = FALSE], NULL, 2), list(p = c(0.9, 0.9), q = c(0.2, 0.2), d = c(0.7, 0.7)))
  expect_equal(reported(device, c(1L, 0L), cbind(c(0.5, 1), c(0, 0))), cbind(c(0.5, 0.9), c(0.7, 0.2)))
})

test_that("a regression takes the two probabilities of yes, which must differ, of a yes/no question whose yes comes second", {
  expect_equal(regress_device(rr_channel(rbind(c(0.8, 0.2), c(0.1, 0.9)))), c(p = 0.9, q = 0.2, p_no = 0.1, q_no = 0.8, d = 0.7))
  expect_refused(rr_family(rr_binary(0.3, 0.3)), class = "no_information")
  # The difference has the digits of the smaller numbers: 3e-12 - 1e-13.
  small <- c(1e-13, 3e-12)
  for (matrix in list(cbind(1 - small, small), cbind(rev(small), 1 - rev(small)))) {
    device <- with_calls(regress_device, rr_matrix = function(mechanism) matrix)(rr_channel(rbind(c(0.8, 0.2), c(0.1, 0.9))))
    expect_equal(device[["d"]], 2.9e-12, tolerance = 1e-12)
  }
  three <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.2, 0.7))
  expect_refused(rr_family(rr_channel(three)), rr_family(rr_channel(t(three) / 0.8)), rr_family(rr_warner(0.8), "sqrt"), rr_family(0.8),
                 suppressMessages(rr_family(rr_warner(0.8, levels = c("yes", "no")))))
})

test_that("devices of arms: one law each with the same labels, or lines in one unknown number", {
  two <- regress_devices(list(a = rr_binary(0.9, 0.2), b = rr_warner(0.7)), c("b", "a", "b"), 3)
  expect_equal(two$device, cbind(c(0.9, 0.2, 0.1, 0.8, 0.7), c(0.7, 0.3, 0.3, 0.7, 0.4)))
  expect_identical(two[c("arm", "labels", "unknown", "parameter")], list(arm = c(1L, 0L, 1L), labels = c("no", "yes"), unknown = NULL, parameter = NULL))
  # P(yes) = 0.7 truth + 0.3 psi, beside a device that is known.
  unknown <- regress_devices(list(a = rr_unrelated(0.7, pi = NULL), b = rr_binary(0.9, 0.2)), c("a", "b"), 2)
  expect_equal(unknown$unknown, cbind(c(0.7, 0.3, 0, 0.3, 1, 0), c(0.9, 0, 0.2, 0, 1, 0)))
  expect_null(unknown$device)
  expect_identical(unknown$parameter, "innocuous")
  expect_refused(regress_devices(list(a = rr_warner(0.8), b = rr_warner(0.8, levels = c("never", "ever"))), c("a", "b"), 2),
                 regress_devices(list(a = rr_unrelated(0.7, pi = NULL), b = rr_lie_detector(0.7)), c("a", "b"), 2), class = "mismatch")
  expect_refused(regress_devices(list(a = 0.8), "a", 1), regress_devices("a", NULL, 1))
  expect_identical(regress_devices(rr_warner(0.8), NULL, 2)["arm"], list(arm = NULL))
})

test_that("numbers are shares of the category that is called yes, and the response is that of the second, whichever it is", {
  forms <- list(c(1, 0, 0.25), c(TRUE, FALSE, NA), factor(c("yes", "no", "no")), c("yes", "no", NA))
  seconds <- list(c(1, 0, 0.25), c(1, 0, NA), c(1, 0, 0), c(1, 0, NA))
  for (k in seq_along(forms)) {
    expect_identical(read_response(forms[[k]], c("no", "yes")), list(y = seconds[[k]], weights = c(1, 1, 1), n = c(1, 1, 1)))
    expect_identical(read_response(forms[[k]], c("yes", "no"))$y, 1 - seconds[[k]])
  }
  # Columns of counts: yes first, or by their names.
  expect_identical(read_response(cbind(3, 1), c("no", "yes"))$y, 0.75)
  expect_identical(read_response(cbind(no = 3, yes = 1), c("no", "yes"), 2), list(y = 0.25, weights = 8, n = 4))
  expect_refused(read_response("maybe", c("no", "yes")), read_response(c(0, 2), c("no", "yes")), read_response(c(0, -1), c("no", "yes")), class = "level")
  expect_refused(read_response(list(1), c("no", "yes")))
})

test_that("rows have one mechanism if all digits of its columns agree, and none if one is missing", {
  # 0.1 + 0.7 is not 0.8.
  data <- data.frame(p = c(0.8, 0.1 + 0.7, NA, 0.8), q = c(0.2, 0.2, 0.2, 0.2), other = c(NA, 1, 2, 3))
  found <- row_mechanisms(~ rr_binary(p, q), data, NULL)
  expect_identical(match(found$arm, names(found$mechanisms)), c(1L, 2L, NA, 1L))
  expect_identical(vapply(unname(found$mechanisms), function(mechanism) mechanism$p, 0), c(0.8, 0.1 + 0.7))
  expect_identical(match(formula_labels(~ rr_binary(p, q), data[4:1, ]), names(found$mechanisms)), c(1L, NA, 2L, 1L))
  expect_null(row_mechanisms(rr_warner(0.8), data, NULL))
  expect_refused(row_mechanisms(rr_binary(p, q) ~ p, data, NULL), row_mechanisms(~ rr_binary(p, q), as.list(data), NULL),
                 row_mechanisms(~ rr_binary(p, q), data, "a"), row_mechanisms(~ p, data, NULL), row_mechanisms(~ rr_warner(0.8), data, NULL))
  device <- 0.3
  expect_identical(row_mechanisms(~ rr_binary(p, device), data[1, ], NULL)$mechanisms[[1]]$q, 0.3)
})

test_that("glm() begins at the truths that binomial() begins at", {
  begun <- function(family) {
    y <- c(0, 1, 1)
    weights <- c(1, 1, 1)
    nobs <- 3
    etastart <- start <- mustart <- NULL
    eval(family$initialize)
    mustart
  }
  truth <- begun(binomial())
  family <- rr_family(rr_binary(0.9, 0.2))
  expect_equal(begun(family), 0.2 + 0.7 * truth)
  expect_equal(unname(c(family$p, family$q)), c(0.9, 0.2), tolerance = 1e-15)
  # A report of yes speaks for no.
  expect_equal(begun(rr_family(rr_binary(0.3, 0.8))), 0.8 - 0.5 * (1 - truth))
})
