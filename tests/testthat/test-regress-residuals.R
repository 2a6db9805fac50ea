# Residuals, simulations and pictures of fits that are no glm.

often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
students <- exam_simulated[1:600, ]
fit <- rr_multinom(cheating ~ semester + female, students, often)

test_that("residuals of categories are orthogonal to the design, as the score equations say", {
  truth <- residuals(fit, "truth")
  x <- model.matrix(~ semester + female, students)
  # Posterior less prior is the score of a multinomial logit: at the maximum its products with the covariates are 0.
  expect_lt(max(abs(crossprod(x, truth))), 1e-5)
  expect_lt(max(abs(rowSums(truth))), 1e-12)
  report <- residuals(fit)
  expect_equal(report[cbind(1:600, as.integer(students$cheating))], 1 - predict(fit, type = "report")[cbind(1:600, as.integer(students$cheating))])
  expect_equal(unname(report + predict(fit, type = "report")), unname(diag(3)[as.integer(students$cheating), ]), ignore_attr = TRUE)
})

test_that("Pearson's residuals of a log-linear model are those of its table of reports", {
  questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
  independent <- rr_loglinear(~ item1 + item2, rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions))
  counts <- xtabs(count ~ item1 + item2, benefit_survey)
  # Independent truths give independent reports, so the fit is that of the table's margins.
  classical <- suppressWarnings(chisq.test(counts, correct = FALSE))
  expect_equal(as.vector(residuals(independent)), as.vector(classical$residuals), tolerance = 1e-6)
  expect_equal(as.vector(residuals(independent, "response")), as.vector(counts - classical$expected), tolerance = 1e-6)
})

test_that("simulated reports have the fitted shares, the labels, and leave the generator alone", {
  set.seed(3)
  before <- .Random.seed
  draws <- simulate(fit, 200, seed = 1)
  expect_identical(.Random.seed, before)
  expect_identical(draws, simulate(fit, 200, seed = 1))
  expect_identical(list(dim(draws), levels(draws$sim_1)), list(c(600L, 200L), levels(students$cheating)))
  # 120,000 draws: a standard error below .0015.
  expect_lt(max(abs(prop.table(table(unlist(draws))) - colMeans(predict(fit, type = "report")))), 0.006)
})

test_that("pictures show the predicted truths and the posterior's quantiles", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit, "semester")
  # The line, on its band.
  shown <- ggplot2::layer_data(picture, 2)
  expect_identical(nrow(shown), 303L)
  at_five <- predict(fit, data.frame(semester = 5.5, female = mean(students$female)))
  expect_equal(sort(shown$y[shown$x == 5.5]), sort(as.vector(at_five)))
  posterior <- rr_posterior(rr_counts(c(no = 10, yes = 20), rr_warner(0.8)))
  shown <- ggplot2::layer_data(ggplot2::autoplot(posterior), 3)
  expect_equal(sort(shown$x), sort(unname(quantile(posterior, 0.5)[, 1])))
})

test_that("in all regressions a report is its fitted probability, that of the truth sent through the design, and its residual", {
  set.seed(12)
  yes_no <- rr_binary(0.9, 0.3)
  asked <- data.frame(x = rnorm(240), id = rep(1:80, 3))
  asked$y <- rr_perturb(rbinom(240, 1, plogis(asked$x + rnorm(80)[asked$id])), yes_no, rng = "R")
  asked$z <- rr_perturb(rbinom(240, 1, 0.5), yes_no, rng = "R")
  reported <- function(truth) unname(0.3 + 0.6 * truth)
  indicators <- function(codes, k) diag(k)[codes, ]
  expect_fitted <- function(fit, report, fitted, ...) {
    expect_equal(as.vector(fitted(fit)), as.vector(fitted), tolerance = 1e-12)
    expect_equal(as.vector(fitted(fit) + residuals(fit, ...)), as.vector(report), tolerance = 1e-12)
  }
  plain <- rr_glm(y ~ x, asked, yes_no)
  expect_fitted(plain, asked$y, reported(predict(plain, type = "truth")), "response")
  mixed <- suppressWarnings(rr_glm(y ~ x + (1 | id), asked, yes_no))
  expect_fitted(mixed, asked$y, reported(predict(mixed)))
  C <- rr_matrix(often)
  for (type in c("multinomial", "cumulative")) {
    several <- suppressMessages(rr_multinom(cheating ~ semester, students, often, type = type))
    expect_fitted(several, indicators(as.integer(students$cheating), 3), predict(several) %*% C)
  }
  both <- suppressWarnings(rr_multinom(~ x, asked, rr_product(y = yes_no, z = yes_no)))
  expect_fitted(both, indicators(1 + asked$y + 2 * asked$z, 4), predict(both) %*% kronecker(rr_matrix(yes_no), rr_matrix(yes_no)))
  tally <- rr_counts(array(c(40, 30, 25, 55), c(2, 2), list(a = c("no", "yes"), b = c("no", "yes"))), rr_product(a = yes_no, b = yes_no))
  table <- suppressWarnings(rr_loglinear(~ a + b, tally))
  expect_fitted(table, c(40, 30, 25, 55), 150 * t(rr_matrix(yes_no)) %*% predict(table) %*% rr_matrix(yes_no), "response")
  # An outcome that is not randomized is its own report.
  seen <- suppressWarnings(rr_predictor(grade ~ semester + cheating, students, list(cheating = often), method = "ml"))
  expect_fitted(seen, students$grade, predict(seen))
  hidden <- suppressWarnings(rr_predictor(y ~ x + z, asked, list(y = yes_no, z = yes_no), binomial()))
  expect_fitted(hidden, asked$y, reported(predict(hidden)))
  line <- rr_predictor(y ~ x, asked, list(y = yes_no))
  expect_fitted(line, asked$y, reported(predict(line)))
  at <- list(z = "yes")
  expect_equal(predict(hidden, truth = at, type = "report", se.fit = TRUE)$se.fit, 0.6 * predict(hidden, truth = at, se.fit = TRUE)$se.fit)
  # By moments nothing is known of the truth, so that there is no mean over it.
  moments <- rr_predictor(grade ~ semester + cheating, students, list(cheating = often))
  expect_refused(fitted(moments), residuals(moments))
})

test_that("what has no simulations or pictures has none", {
  predictor <- rr_predictor(grade ~ semester + cheating, students, list(cheating = often))
  expect_error(simulate(predictor))
  expect_error(simulate(rr_multinom(~1, rr_counts(c(60, 25, 15), often))), class = "candor_error_argument")
  skip_if_not_installed("ggplot2")
  expect_refused(ggplot2::autoplot(fit, "age"), ggplot2::autoplot(rr_multinom(cheating ~ 1, students, often)))
})

test_that("standard errors of reports, posteriors and terms follow from the truth's by hand", {
  set.seed(7)
  data <- data.frame(x = rnorm(400))
  data$y <- rr_perturb(rbinom(400, 1, plogis(data$x)), rr_warner(0.8), rng = "R")
  fit <- rr_glm(y ~ x, data, rr_warner(0.8))
  at <- function(type) predict(fit, type = type, se.fit = TRUE)
  # P(yes reported) = 0.2 + 0.6 truth; the log odds of a posterior are those of the truth and log(4) or -log(4).
  expect_equal(at("report")$fit, 0.2 + 0.6 * at("truth")$fit)
  expect_equal(at("report")$se.fit, 0.6 * at("truth")$se.fit)
  posterior <- plogis(at("link")$fit + ifelse(data$y == 1, log(4), -log(4)))
  expect_equal(at("posterior")$fit, posterior)
  expect_equal(at("posterior")$se.fit, posterior * (1 - posterior) * at("link")$se.fit)
  terms <- predict(fit, data.frame(x = c(-1, 2)), "terms")
  expect_equal(unname(terms[, "x"]), coef(fit)[["x"]] * (c(-1, 2) - mean(data$x)))
  expect_equal(attr(terms, "constant"), coef(fit)[["(Intercept)"]] + coef(fit)[["x"]] * mean(data$x))
})

test_that("simulated responses have the form of the reports: numbers, logical values, labels, factors, two columns", {
  set.seed(8)
  x <- rep(0:1, 60)
  y <- rbinom(120, 1, 0.5)
  drawn <- function(form) unname(simulate(rr_glm(form(y) ~ x, mechanism = rr_warner(0.8)), 1, seed = 3)[[1]])
  numbers <- drawn(identity)
  expect_setequal(numbers, 0:1)
  labels <- c("no", "yes")
  forms <- list(function(y) y == 1, function(y) labels[y + 1], function(y) factor(labels[y + 1], labels))
  for (form in forms) expect_identical(drawn(form), form(numbers))
  expect_equal(drawn(function(y) cbind(y, 1 - y, deparse.level = 0)), cbind(numbers, 1 - numbers, deparse.level = 0))
})

test_that("with each binomial number at its mean, simulated responses are the fitted values, of counts and shares with their weights", {
  drawn <- function(fit) {
    simulate_means <- with_calls(simulate.rr_glm, rbinom = function(n, size, prob) rep_len(size, n) * prob)
    simulate_means(fit, 1, seed = 1)[[1]]
  }
  arms <- list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.3))
  data <- data.frame(yes = c(30, 25, 42, 50), no = c(70, 55, 38, 60), arm = c("s", "t", "s", "t"), x = c(0, 1, 1, 2))
  data <- transform(data, n = yes + no, share = yes / (yes + no))
  counts <- rr_glm(cbind(yes, no) ~ x, data, arms, arm = arm, starts = 1)
  report <- unname(fitted(counts))
  expect_equal(drawn(counts), data$n * cbind(report, 1 - report), ignore_attr = TRUE)
  expect_equal(drawn(rr_glm(share ~ x, rbind(data, replace(data[1, ], "n", 0)), arms, arm = arm, weights = n, starts = 1)), c(report, 0))
  # Weights of answers that are yes or no are no numbers of answers.
  one <- suppressMessages(rr_glm(y ~ 1, data.frame(y = rep(0:1, c(60, 40)), w = 0.4), rr_warner(0.8), weights = w, starts = 1))
  expect_equal(drawn(one), rep(0.4, 100))
})

several <- fit
test_that("arguments that a method of a fit does not have are told, and those that it has are not", {
  fit <- rr_glm(y ~ x, data.frame(x = rep(1:4, 25), y = rep(c(0, 1, 1, 0, 1), 20)), rr_warner(0.9))
  ignored <- list(
    function(...) residuals(fit, "truth", ...), function(...) influence(fit, "deletion", ...), function(...) extractAIC(fit, ...),
    function(...) predict(fit, ...), function(...) anova(fit, ...), function(...) residuals(several, "truth", ...),
    function(...) residuals(several, type = "report", ...)
  )
  for (call in ignored) {
    expect_warning(call(unknown = 1), class = "candor_warning_argument")
    expect_no_warning(call(), class = "candor_warning_argument")
  }
})

test_that("residuals of the truth and leverages are 0 where all is at infinity, and simulated numbers of surveys have their names", {
  # All of b say yes, and the device never says so of a no: their truth is a yes.
  data <- data.frame(g = rep(c("a", "b"), c(40, 12)), y = c(rep(1:0, c(16, 24)), rep(1, 12)))
  fit <- suppressWarnings(rr_glm(y ~ g, data, rr_binary(0.8, 0)))
  expect_identical(coef(fit)[["gb"]], Inf)
  # P(yes | report): 1 after a yes; after a no 0.5 * 0.2 / 0.6, with a share of 0.4 / 0.8.
  expect_equal(unname(residuals(fit, "truth")), c(rep(0.5, 16), rep(1 / 6 - 0.5, 24), rep(0, 12)), tolerance = 1e-6)
  expect_equal(unname(hatvalues(fit)), c(rep(1 / 40, 40), rep(0, 12)), tolerance = 1e-6)
  # Minus the second derivatives of the logarithms of 0.8 share and 1 - 0.8 share by the logit, at a share of a half.
  no <- function(eta) log(1 - 0.8 * plogis(eta))
  curvature <- rep(c(0.25, -(no(1e-3) - 2 * no(0) + no(-1e-3)) / 1e-6, 0), c(16, 24, 12))
  expect_equal(unname(hatvalues(fit, "observed")), curvature / sum(curvature), tolerance = 1e-5)
  expect_named(simulate(fit, 3, seed = 1), c("sim_1", "sim_2", "sim_3"))
  expect_refused(simulate(fit, 0), simulate(fit, 1.5))
})

test_that("fitted values, residuals, leverages and influence are of the kind that their pages name first", {
  data <- data.frame(x = rep(c(-1, 0, 2, 1), 25), y = rep(c(0, 1, 1, 0, 1), 20))
  direct <- quietly(rr_glm(y ~ x, data, rr_binary(0.9, 0.2)))
  expect_identical(fitted(direct), fitted(direct, "report"))
  expect_equal(unname(fitted(direct)), 0.2 + 0.7 * unname(fitted(direct, "truth")), tolerance = 1e-10)
  expect_identical(residuals(direct), residuals(direct, "deviance"))
  expect_identical(hatvalues(direct), hatvalues(direct, "expected"))
  expect_identical(names(influence(direct)), names(influence(direct, "glm")))
  expect_identical(predict(direct), predict(direct, NULL, "link", FALSE, "none"))
  expect_length(simulate(direct, seed = 2), 1)
  expect_identical(residuals(fit), residuals(fit, "report"))
  expect_length(simulate(fit, seed = 2), 1)
  table <- rr_loglinear(~ a + b, rr_counts(array(c(40, 30, 25, 55), c(2, 2), list(a = c("no", "yes"), b = c("no", "yes"))),
                                           rr_product(a = rr_warner(0.9), b = rr_warner(0.9))))
  expect_identical(residuals(table), residuals(table, "pearson"))
  expect_equal(residuals(table) * sqrt(fitted(table)), residuals(table, "response"), tolerance = 1e-10)
  expect_identical(predict(table), predict(table, "truth", FALSE))
  expect_equal(sum(predict(table)), 1)
})

test_that("simulated counts have the sizes of the rows also if all reports of each row are alike", {
  counts <- data.frame(yes = c(3, 0, 2, 0, 0, 1), no = c(0, 4, 0, 2, 5, 0), x = c(1, 2, 3, 4, 5, 6.5))
  drawn <- simulate(suppressWarnings(rr_glm(cbind(yes, no) ~ x, counts, rr_forced(1 / 6))), 2, seed = 1)
  for (survey in drawn) expect_equal(unname(rowSums(survey)), counts$yes + counts$no)
  # More than a machine integer can count: 2^31 answers whose reports are all in one row.
  large <- simulate(rr_glm(cbind(yes, no) ~ 1, data.frame(yes = 2^31, no = 2^31), rr_forced(1 / 6)), 1, seed = 1)[[1]]
  expect_equal(large[[1, 1]] / 2^32, 0.5, tolerance = 1e-3)
})

test_that("simulated reports of labels that begin with yes can be fitted again in every form", {
  set.seed(3)
  labels <- c("yes", "no")
  mechanism <- rr_channel(matrix(c(0.9, 0.1, 0.1, 0.9), 2, dimnames = list(labels, labels)))
  yes <- runif(4000) < 0.2
  data <- data.frame(number = 1 * yes, logical = yes, text = ifelse(yes, "yes", "no"))
  data$counts <- cbind(yes, !yes, deparse.level = 0) * 1
  data$named <- cbind(no = !yes, yes = yes) * 1
  # The truth is "no": (0.8 - 0.1) / 0.8.
  for (form in names(data)) {
    fit <- quietly(rr_glm(reformulate("1", form), data, mechanism))
    expect_equal(unname(plogis(coef(fit))), (mean(!yes) - 0.1) / 0.8, tolerance = 1e-6)
    data[[form]] <- simulate(fit, 1, seed = 1)[[1]]
    # The standard error is 0.4 / 0.8 / sqrt(4000), about 0.008.
    expect_lt(abs(plogis(coef(quietly(update(fit, data = data)))) - plogis(coef(fit))), 0.04)
  }
})
