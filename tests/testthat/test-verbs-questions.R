# Cases of other people with their right values: textbooks, issues of other packages, published tables.

stranger <- function(id) Filter(function(case) case$id == id, golden("questions"))[[1]]

expect_stranger <- function(case, actual, expected) {
  expect_true(all(abs(unname(actual) - unname(unlist(expected))) <= case$tolerance), label = case$id)
}

yes_of <- function(no, yes, mechanism, ...) coef(rr_estimate(rr_counts(c(no = no, yes = yes), mechanism), ...))[[2]]

test_that("one coin, an innocuous question and a survey of athletes give the printed shares", {
  case <- stranger("one-coin-30")
  fit <- rr_estimate(rr_counts(c(no = 12, yes = 18), rr_forced(c(no = 0, yes = 1 / 2))))
  expect_stranger(case, c(coef(fit)[2], tidy(fit)$std.error[2]), case$expected)
  case <- stranger("one-coin-213")
  fit <- rr_estimate(rr_counts(c(no = 213, yes = 87), rr_forced(c(no = 1 / 2, yes = 0))))
  expect_stranger(case, c(coef(fit)[2], tidy(fit)$std.error[2]), case$expected)
  case <- stranger("unrelated-80")
  expect_stranger(case, vapply(case$input$p, function(p) yes_of(60, 20, rr_unrelated(p, 0.3)), 0), case$expected)
  case <- stranger("doping")
  yes <- Map(function(yes, n) {
    tally <- rr_counts(c(no = n - yes, yes = yes), rr_unrelated(2 / 3, 0.5))
    unlist(tidy(rr_estimate(tally), conf.int = TRUE)[2, c("estimate", "conf.low", "conf.high")])
  }, case$input$yes, case$input$n)
  expect_stranger(case, do.call(rbind, yes), case$expected)
})

test_that("posteriors are those of integration and of a chain of another program", {
  case <- stranger("noisy-coin-250")
  table <- tidy(rr_posterior(rr_counts(c(no = 110, yes = 140), rr_binary(0.6, 0.4))))
  expect_stranger(case, table$estimate[2], case$expected$mean)
  case <- stranger("forced-80")
  posterior <- rr_posterior(rr_counts(c(no = 20, yes = 80), rr_forced(c(no = 0, yes = 1 / 2))))
  table <- tidy(posterior, conf.int = TRUE)
  expect_stranger(case, unlist(table[2, c("estimate", "conf.low", "conf.high")]), case$expected)
})

test_that("answers in codes are read by one rule", {
  grr <- rr_grr(c("no", "yes"), p = 0.9)
  expect_identical(coef(rr_estimate(rep(1, 10), grr)), coef(rr_estimate(rep(TRUE, 10), grr)))
  case <- stranger("zero-one-validated")
  study <- rr_misclassification(table = rbind(no = c(no = 272, yes = 2), yes = c(15, 130)))
  # (.2 - 2/274) / (130/145 - 2/274), Rogan and Gladen
  expect_equal(coef(rr_estimate(case$input$x, study))[[2]], (0.2 - 2 / 274) / (130 / 145 - 2 / 274), tolerance = 1e-6)
  expect_stranger(case, coef(rr_estimate(case$input$x, study))[[2]], case$expected)
})

test_that("matrices of others are channels: unfolding, readout, categories, counts of birthdays", {
  case <- stranger("pyunfold-four")
  tally <- rr_counts(c(100, 150), rr_channel(case$input$response))
  expect_stranger(case, 250 * coef(rr_estimate(tally, method = "ibu", iterations = 4)), case$expected$unfolded)
  # By maximum likelihood, to the tolerance of its steps.
  expect_equal(unname(250 * coef(rr_estimate(tally))), case$expected$mle, tolerance = 1e-6)
  case <- stranger("readout-calibration")
  labels <- case$input$levels
  table <- matrix(case$input$calibration, 4, dimnames = list(labels, labels))
  fit <- rr_estimate(rr_counts(case$input$counts, rr_misclassification(table = table)), method = "inv")
  expect_stranger(case, 1e4 * coef(fit), case$expected$counts)
  case <- stranger("race-epsilon-1.5")
  fit <- rr_estimate(rr_counts(case$input$counts, rr_grr(7, epsilon = 1.5)), method = "inv")
  expect_stranger(case, 100 * coef(fit), case$expected)
  case <- stranger("single-sample-count")
  laws <- rbind(c(dbinom(0:4, 4, 0.5), 0), c(0, dbinom(0:4, 4, 0.5)))
  tally <- rr_counts(case$input$counts, rr_channel(laws, c("no", "yes"), 0:5))
  expect_stranger(case, coef(rr_estimate(tally))[[2]], case$expected$yes)
  expect_stranger(case, confint(rr_estimate(tally, interval = "profile"))[2, ], case$expected$profile)
})

test_that("bits of reports have the counts and errors of their program's own tests", {
  case <- stranger("unary-bit-errors")
  input <- case$input
  tables <- Map(function(n, p, q, y) {
    # Some of these counts are those of no share.
    tally <- rr_counts(c(no = n - y, yes = y), rr_binary(q, p))
    fit <- suppressWarnings(rr_estimate(tally, method = "inv", target = "sample"))
    n * c(coef(fit)[[2]], tidy(fit)$std.error[2])
  }, input$n, input$p, input$q, input$y)
  expect_stranger(case, do.call(rbind, tables), case$expected)
})

test_that("tables of validation studies are read by their names, and refused where a number would be wrong", {
  case <- stranger("caret-orientation")
  names <- list(Prediction = c("neg", "pos"), Reference = c("neg", "pos"))
  table <- as.table(matrix(case$input$table, 2, dimnames = names))
  expect_message(study <- rr_misclassification(table = table), class = "candor_message_transposed")
  expect_stranger(case, coef(rr_estimate(rr_counts(c(neg = 700, pos = 300), study)))[[2]], case$expected)
  counts <- rbind(no = c(no = 95, yes = 5), yes = c(10, 40))
  expect_refused(rr_misclassification(table = addmargins(as.table(counts))))
  answered <- function(case, counts, ...) {
    rr_posterior(rr_counts(counts, rr_misclassification(table = do.call(rbind, lapply(case$input$table, unlist)), ...)), n = 2000)
  }
  case <- stranger("posterior-validated-1555")
  fit <- withr::with_seed(1, answered(case, c(neg = 1055, pos = 500)))
  expect_stranger(case, c(tidy(fit)$estimate[2], tidy(fit)$std.error[2], quantile(fit, c(0.025, 0.975))[2, ]), case$expected)
  # Its answer in words: around Tenenbein's estimate .4340, with its standard error .0344.
  case <- stranger("posterior-internal")
  fit <- withr::with_seed(1, answered(case, unlist(case$input$counts), validation = "internal"))
  expect_stranger(case, c(coef(fit)[2], tidy(fit)$std.error[2]), c(0.4340, 0.0344))
  case <- stranger("adjusted-area-2013")
  table <- case$input$table
  dimnames(table) <- list(map = 1:3, reference = 1:3)
  study <- suppressMessages(rr_misclassification(table = t(table), validation = "internal"))
  fit <- rr_estimate(rr_counts(case$input$pixels - rowSums(table), study))
  expect_stranger(case, c(coef(fit), tidy(fit)$std.error), case$expected)
})

test_that("sum scores of hunters have the largest likelihood, not the printed one", {
  case <- stranger("sum-score-hunting")
  sums <- rr_channel(rr_forced(1 / 6), levels = 0:3)
  tally <- rr_counts(case$input$sums_0_to_3, sums)
  fit <- rr_estimate(tally)
  expect_stranger(case, coef(fit), case$expected$share)
  # The value of the case is at shares rounded to a sum of 1.0001, which adds 189 log(1.0001).
  expect_stranger(case, as.numeric(logLik(fit)), case$expected$logLik_kernel - 189 * log(1.0001))
})

test_that("a validated test is refused by a family, which would leave the error of the study out", {
  expect_match(stranger("family-validated")$expected, "an error")
  study <- rr_misclassification(table = rbind(no = c(no = 60, yes = 20), yes = c(8, 72)))
  expect_refused(rr_family(study))
})

test_that("a homework's q gives shares that add up to more than 1; the package computes it", {
  case <- stranger("homework-q")
  k <- case$input$K
  # The expected shares of reports under equal true shares are equal.
  mechanism <- rr_grr(k, epsilon = case$input$epsilon)
  p <- rr_matrix(mechanism)[1, 1]
  wrong <- (1 - p) / (exp(case$input$epsilon) + k - 1)
  expect_stranger(case, (1 - k * wrong) / (p - wrong), case$expected$sum_of_wrong_shares)
  counts <- c(300, rep(100, k - 1))
  expect_stranger(case, sum(coef(rr_estimate(rr_counts(counts, mechanism), method = "inv"))), case$expected$sum_right)
})

test_that("a survey with strata, clusters, raking and a validated test has the error of the delta method", {
  skip_if_not_installed("survey")
  case <- stranger("complex-seroprevalence")
  # Sums of the weights by cell, to which all estimates here belong.
  people <- utils::read.csv(test_path("golden", "seroprevalence.csv"))
  design <- survey::svydesign(~cluster, strata = ~stratum, weights = ~weight, data = people, nest = TRUE)
  raked <- survey::calibrate(design, ~ factor(age) + factor(sex), c(60970, 35928, 28849), calfun = "raking")
  observed <- survey::svymean(~positive, raked)
  expect_stranger(case, c(coef(observed), survey::SE(observed)), case$expected$observed)
  table <- case$input$table
  dimnames(table) <- list(c("no", "yes"), c("no", "yes"))
  fit <- rr_estimate(raked, rr_misclassification(table = table), column = "positive")
  expect_stranger(case, unlist(tidy(fit)[2, c("estimate", "std.error")]), case$expected[c("share", "se")])
})

test_that("a device for each person, as in Stata, and an outcome whose slopes depend on the sensitive answer", {
  # The scripts that drew the data of the two cases are lost: their values cannot be compared. Own likelihoods are.
  case <- stranger("stata-by-person")$input
  set.seed(case$seed)
  people <- data.frame(x = rnorm(case$n), w = rep(case$pwarner, length.out = case$n), s = rep(case$pyes, each = case$n / 3))
  device <- function(w, s, no = case$pno) rr_binary(s + (1 - s - no) * w, s + (1 - s - no) * (1 - w))
  p <- people$s + (1 - people$s - case$pno) * cbind(1 - people$w, people$w)
  truth <- rbinom(case$n, 1, plogis(-0.5 + 0.4 * people$x))
  people$y <- rbinom(case$n, 1, p[cbind(seq_len(case$n), 1 + truth)])
  minus <- function(b) {
    yes <- plogis(b[1] + b[2] * people$x)
    -sum(dbinom(people$y, 1, yes * p[, 2] + (1 - yes) * p[, 1], log = TRUE))
  }
  best <- optim(c(0, 0), minus, method = "BFGS", hessian = TRUE, control = list(reltol = 1e-14))
  fit <- rr_glm(y ~ x, people, ~ device(w, s))
  expect_equal(unname(coef(fit)), best$par, tolerance = 1e-4)
  expect_equal(unname(sqrt(diag(vcov(fit)))), sqrt(diag(solve(best$hessian))), tolerance = 1e-3)

  case <- stranger("joint-binary-outcome")$input
  set.seed(case$seed)
  people <- data.frame(x1 = runif(case$n, -1, 1), x2 = sample(0:2, case$n, replace = TRUE, prob = c(0.5, 0.3, 0.2)))
  x <- cbind(1, people$x1, people$x2)
  share <- function(b) plogis(drop(x %*% b))
  y <- rbinom(case$n, 1, share(c(-1, -1, 1.2)))
  people$z <- rbinom(case$n, 1, ifelse(y == 1, share(c(-1.2, 1.2, 1.2)), share(c(-1, -0.5, 1.5))))
  people$y <- ifelse(runif(case$n) < case$p, y, rbinom(case$n, 1, case$c))
  minus <- function(b) {
    yes <- share(b[1:3])
    given <- function(report) dbinom(report, 1, 0.5) * (1 - case$p)
    outcome <- cbind(dbinom(people$z, 1, share(b[4:6])), dbinom(people$z, 1, share(b[7:9])))
    -sum(log((1 - yes) * outcome[, 1] * (given(people$y) + case$p * (people$y == 0)) +
               yes * outcome[, 2] * (given(people$y) + case$p * (people$y == 1))))
  }
  best <- optim(rep(0, 9), minus, method = "BFGS", control = list(reltol = 1e-14, maxit = 500))
  fit <- rr_predictor(z ~ y * (x1 + x2), people, list(y = rr_unrelated(case$p, case$c)), binomial(), truth = ~ x1 + x2)
  expect_equal(as.numeric(logLik(fit)), -best$value, tolerance = 1e-7)
  b <- unname(c(coef(fit), coef(fit, part = "truth")))
  # The outcome's coefficients: intercept, y, x1, x2, y:x1, y:x2; then those of the truth.
  expect_equal(c(b[7:9], b[c(1, 3, 4)], b[c(1, 3, 4)] + b[c(2, 5, 6)]), best$par, tolerance = 1e-3)
})
