# Multinomial and cumulative logit through a channel, against 60-digit arithmetic, nnet without randomization, and closed forms.

golden_multinom <- function(case) {
  input <- case$input
  data <- data.frame(x = input$x[, 2], y = input$y + 1L)
  data$w <- if (is.null(input$weights)) 1 else input$weights
  rr_multinom(y ~ x, data, rr_channel(input$channel), type = input$model, weights = w)
}

test_that("golden vectors: estimates, likelihood, both informations, truths and posteriors", {
  for (case in golden("regression_multinomial")) {
    fit <- golden_multinom(case)
    expected <- case$expected
    first <- seq_len(nrow(expected$first_truth))
    expect_goldens(list(coef = fit$coefficients, loglik = as.numeric(logLik(fit)), vcov_observed = vcov(fit), vcov_expected = vcov(fit, "expected"),
                        first_truth = predict(fit)[first, ], first_posterior = predict(fit, type = "posterior")[first, ]), expected, 1e-8)
  }
})

often <- function() rr_grr(ordered(levels(exam_simulated$cheating), c("never", "once", "often")), p = 0.8)
exam_fit <- function(...) rr_multinom(cheating ~ semester + female, exam_simulated, often(), ...)

test_that("without randomization it is nnet's multinomial logit and, of two categories, glm()", {
  identity <- rr_channel(diag(3), levels = levels(exam_simulated$true_cheating))
  fit <- rr_multinom(true_cheating ~ semester + female, exam_simulated, identity)
  skip_if_not_installed("nnet")
  other <- nnet::multinom(true_cheating ~ semester + female, exam_simulated, trace = FALSE, reltol = 1e-14, maxit = 500)
  expect_equal(coef(fit), coef(other), tolerance = 1e-5)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(other)), tolerance = 1e-9)
  expect_equal(vcov(fit), vcov(other), tolerance = 1e-4)
  two <- rr_multinom(true_plagiarism ~ semester, exam_simulated, rr_binary(1, 0))
  logistic <- glm(true_plagiarism ~ semester, binomial, exam_simulated, control = list(epsilon = 1e-14))
  expect_equal(as.vector(coef(two)), unname(coef(logistic)), tolerance = 1e-8)
  expect_equal(unname(vcov(two)), unname(vcov(logistic)), tolerance = 1e-8)
})

test_that("an intercept only is the estimate of the shares", {
  fit <- rr_multinom(cheating ~ 1, exam_simulated, often())
  shares <- rr_estimate(rr_tally(exam_simulated$cheating, often()))
  expect_equal(unname(predict(fit)[1, ]), unname(coef(shares)), tolerance = 1e-10)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(shares)), tolerance = 1e-12)
  expect_equal(unname(predict(fit, se.fit = TRUE)$se.fit[1, ]), tidy(shares)$std.error, tolerance = 1e-8)
})

test_that("a tally by groups is the same as its respondents, and weights are frequencies", {
  people <- exam_simulated
  fit <- rr_multinom(cheating ~ factor(semester), people, often())
  counted <- rr_multinom(~ factor(semester), rr_tally(people$cheating, often(), by = list(semester = people$semester)))
  expect_equal(coef(counted), coef(fit), tolerance = 1e-8)
  expect_equal(as.numeric(logLik(counted)), as.numeric(logLik(fit)), tolerance = 1e-12)
  twice <- rr_multinom(cheating ~ female, people, often(), weights = rep(2, 2000))
  expect_equal(vcov(twice), vcov(rr_multinom(cheating ~ female, people, often())) / 2, tolerance = 1e-8)
})

test_that("rows of weight 0 change no number of a fit, and are not among the rows that coefficients need", {
  d <- transform(exam_simulated[1:400, ], w = rep(1:2, 200))
  none <- transform(exam_simulated[401:430, ], w = 0)
  for (type in c("multinomial", "cumulative")) {
    fit <- function(d) rr_multinom(cheating ~ semester, d, often(), type, weights = w, starts = 1)
    numbers <- function(d) {
      fit <- fit(d)
      list(coef(fit), vcov(fit), vcov(fit, "expected"), vcov(fit, "sandwich"), nobs(fit), glance(fit)[c("logLik", "BIC", "df")])
    }
    expect_equal(numbers(rbind(none, d)), numbers(d), tolerance = 1e-6)
    few <- c(multinomial = 4, cumulative = 3)[[type]]
    expect_refused(fit(rbind(none, d[seq_len(few - 1), ])))
  }
})

test_that("two questions are a product, whose cells are the categories", {
  questions <- rr_product(cheating = often(), plagiarism = rr_forced(1 / 6))
  fit <- rr_multinom(~ female, exam_simulated, questions)
  expect_identical(dim(coef(fit)), c(5L, 2L))
  saturated <- vapply(0:1, function(sex) as.numeric(logLik(rr_estimate(rr_tally(exam_simulated[exam_simulated$female == sex, ], questions)))), 0)
  expect_equal(as.numeric(logLik(fit)), sum(saturated), tolerance = 1e-10)
  posterior <- predict(fit, exam_simulated[1:3, ], "posterior")
  expect_equal(posterior, predict(fit, type = "posterior")[1:3, ], tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("predictions: rows add up, standard errors are numerical derivatives, reports go through the channel", {
  for (type in c("multinomial", "cumulative")) {
    fit <- exam_fit(type = type)
    new <- data.frame(semester = c(1, 9), female = c(0, 1), cheating = c("often", "never"))
    truth <- predict(fit, new, se.fit = TRUE)
    expect_equal(unname(rowSums(truth$fit)), c(1, 1), tolerance = 1e-12)
    expect_equal(predict(fit, new, "report"), truth$fit %*% rr_matrix(often()), tolerance = 1e-12, ignore_attr = TRUE)
    joint <- truth$fit * t(rr_matrix(often())[, new$cheating])
    expect_equal(unname(predict(fit, new, "posterior")), unname(joint / rowSums(joint)), tolerance = 1e-12)
    expect_identical(as.character(predict(fit, new, "class")), colnames(truth$fit)[max.col(truth$fit)])
    b <- fit$coefficients
    x <- multinom_newdata(fit, new, FALSE)$x
    slopes <- vapply(seq_along(b), function(j) {
      up <- down <- unname(b)
      up[j] <- up[j] + 1e-5
      down[j] <- down[j] - 1e-5
      as.vector(fit$model$truths(up, x)$theta - fit$model$truths(down, x)$theta) / 2e-5
    }, numeric(6))
    expect_equal(as.vector(truth$se.fit), sqrt(rowSums((slopes %*% vcov(fit)) * slopes)), tolerance = 1e-7)
  }
})

test_that("the sandwich is the sum of squared scores; one cluster a respondent is n / (n - 1) of it", {
  for (type in c("multinomial", "cumulative")) {
    fit <- exam_fit(type = type)
    scores <- regression_scores(fit)
    expect_lt(max(abs(colSums(scores))), 1e-5)
    plain <- vcov(fit, "sandwich")
    expect_equal(unname(plain), unname(vcov(fit) %*% crossprod(scores) %*% vcov(fit)), tolerance = 1e-12)
    expect_equal(vcov(fit, cluster = seq_len(2000)), plain * 2000 / 1999, tolerance = 1e-12)
    expect_equal(vcov(fit, cluster = ~ semester), vcov(fit, cluster = exam_simulated$semester), tolerance = 1e-12)
    # The model is right, so that all three are near each other.
    expect_equal(sqrt(diag(plain)), sqrt(diag(vcov(fit))), tolerance = 0.1)
    expect_equal(sqrt(diag(vcov(fit, "expected"))), sqrt(diag(vcov(fit))), tolerance = 0.05)
  }
})

test_that("R's questions have answers of the promised shapes", {
  fit <- exam_fit()
  expect_equal(AIC(fit), -2 * as.numeric(logLik(fit)) + 12)
  expect_equal(unname(confint(fit, "once:female")[1, ]), unname(fit$coefficients["once:female"] + c(-1, 1) * qnorm(0.975) *
                                                                sqrt(vcov(fit)["once:female", "once:female"])))
  small <- rr_multinom(cheating ~ semester, exam_simulated, often())
  table <- anova(fit, small)
  expect_equal(table$Chisq[2], 2 * as.numeric(logLik(fit) - logLik(small)))
  expect_identical(table$Df.diff[2], 2)
})

test_that("the same start twice gives the same fit, and R's generator is not touched", {
  set.seed(7)
  state <- .Random.seed
  first <- exam_fit()
  expect_identical(.Random.seed, state)
  expect_identical(coef(exam_fit()), coef(first))
  expect_equal(coef(exam_fit(starts = 1)), coef(first), tolerance = 1e-8)
})

test_that("Wald intervals cover: 150 surveys of 400", {
  set.seed(11)
  beta <- c(-0.5, 0.8, -1, -0.5)
  hits <- 0
  for (run in 1:150) {
    x <- rnorm(400)
    e <- cbind(1, exp(beta[1] + beta[2] * x), exp(beta[3] + beta[4] * x))
    truth <- 1 + rowSums(runif(400) > t(apply(e / rowSums(e), 1, cumsum))[, 1:2])
    data <- data.frame(x, y = ifelse(runif(400) < 0.7, truth, sample(3, 400, TRUE)))
    bounds <- confint(suppressWarnings(rr_multinom(y ~ x, data, rr_grr(3, p = 0.8), starts = 1)))
    hits <- hits + mean(bounds[, 1] < beta & beta < bounds[, 2])
  }
  # Four intervals a survey, so an error of at most that of 150 independent ones; four of them above are more than all.
  expect_gte(hits / 150, 0.95 - 4 * sqrt(0.95 * 0.05 / 150))
  expect_lt(hits / 150, 1)
})

test_that("a group without a category has its estimate at infinity, told, and the limit's likelihood", {
  counts <- rbind(a = c(60, 20, 20), b = c(30, 40, 30))
  # In group a both other categories are reported as often as the device alone gives them, or less.
  counts[1, ] <- c(90, 3, 7)
  data <- data.frame(group = rep(rownames(counts), each = 3), y = rep(1:3, 2), n = as.vector(t(counts)))
  grr <- rr_grr(3, p = 0.8)
  expect_warning(fit <- rr_multinom(y ~ group, data, grr, weights = n), class = "candor_warning_infinite")
  best <- sum(vapply(1:2, function(g) as.numeric(logLik(rr_estimate(rr_counts(counts[g, ], grr)))), 0))
  expect_equal(as.numeric(logLik(fit)), best, tolerance = 1e-9)
  expect_true(all(coef(fit)[, "(Intercept)"] == -Inf))
  expect_true(all(is.na(tidy(fit)$std.error[is.infinite(tidy(fit)$estimate)])))
  expect_equal(unname(predict(fit, data.frame(group = "b"))[1, ]), unname(coef(rr_estimate(rr_counts(counts[2, ], grr)))), tolerance = 1e-6)
  expect_equal(unname(predict(fit, data.frame(group = "b"), se.fit = TRUE)$se.fit[1, ]),
               tidy(rr_estimate(rr_counts(counts[2, ], grr)))$std.error, tolerance = 1e-4)
  expect_error(vcov(fit, "expected"), class = "candor_error_argument")
})

test_that("bad input is refused, or told", {
  people <- exam_simulated
  grr <- often()
  expect_refused(rr_multinom(cheating ~ semester, people, 1), rr_multinom(cheating ~ semester, people, grr, weights = rep(-1, 2000)),
                 rr_multinom(cheating ~ semester, people[1:3, ], grr),
                 rr_multinom(plagiarism ~ semester, people, rr_forced(1 / 6), type = "cumulative"),
                 rr_multinom(cheating ~ semester - 1, people, grr, type = "cumulative"), rr_multinom(cheating ~ semester, rr_tally(people$cheating, grr)),
                 rr_multinom(~1, rr_tally(people$cheating, grr), subset = TRUE))
  expect_refused(rr_multinom(grade ~ semester, people, grr), class = "level")
  expect_refused(rr_multinom(cheating ~ semester, people, rr_grr(levels(people$cheating), p = 1 / 3)),
                 rr_multinom(cheating ~ semester, people, rr_channel(rbind(c(0.5, 0.25, 0.25), c(0.25, 0.5, 0.25), c(0.375, 0.375, 0.25)),
                                                                     levels(people$cheating))), class = "no_information")
  fit <- exam_fit()
  expect_refused(predict(fit, data.frame(semester = 1)), predict(fit, data.frame(semester = 1, female = 1), "posterior"), vcov(fit, cluster = 1:3),
                 anova(fit, fit))
  # Two other ways of saying the same are told, and estimated.
  people$months <- 6 * people$semester
  expect_message(fit <- rr_multinom(cheating ~ semester + months, people, grr), class = "candor_message_aliased")
  expect_true(all(is.na(coef(fit)[, "months"])))
  # Any type of report: labels, codes.
  expect_equal(coef(rr_multinom(as.character(cheating) ~ semester, people, grr)), coef(rr_multinom(cheating ~ semester, people, grr)))
  expect_equal(coef(rr_multinom(as.integer(cheating) ~ semester, people, grr)), coef(rr_multinom(cheating ~ semester, people, grr)))
})

test_that("a cumulative logit is in an order that somebody gave, or it is told", {
  people <- exam_simulated
  fit <- function(answers, mechanism) rr_multinom(answers ~ semester, data.frame(answers, semester = people$semester), mechanism, type = "cumulative")
  wanted <- coef(exam_fit(type = "cumulative"))
  plain <- rr_grr(levels(people$cheating), p = 0.8)
  turned <- factor(people$cheating, c("often", "never", "once"), ordered = TRUE)
  for (mechanism in list(plain, often())) {
    expect_error(fit(turned, mechanism), class = "candor_error_mismatch")
    expect_length(capture_messages(fit(ordered(people$cheating), mechanism)), 0)
  }
  expect_message(told <- fit(people$cheating, plain), "never < once < often", class = "candor_message_order")
  expect_length(capture_messages(known <- fit(people$cheating, often())), 0)
  expect_identical(coef(told), coef(known))
  # Numbers have an order.
  expect_length(capture_messages(fit(as.integer(people$cheating), rr_grr(c(1, 2, 3), p = 0.8))), 0)
  expect_message(rr_multinom(~ semester, rr_tally(people$cheating, plain, by = people["semester"]), type = "cumulative"), class = "candor_message_order")
})

test_that("a cumulative model whose supremum lies at infinity reaches what climbs from random points reach", {
  withr::local_seed(1)
  mechanism <- rr_grr(c("a", "b", "c"), p = 0.9)
  x <- rep(0:1, each = 60)
  y <- c("a", "b", "c")[ifelse(x == 1, 3L, sample(1:2, 120, TRUE))]
  expect_warning(suppressMessages(fit <- rr_multinom(y ~ x, data.frame(y, x), mechanism, type = "cumulative")), class = "candor_warning_infinite")
  given <- table(x, y)
  channel <- rr_matrix(mechanism)
  minus <- function(v) {
    below <- rbind(stats::plogis(cumsum(c(v[1], exp(v[2])))), stats::plogis(cumsum(c(v[1], exp(v[2]))) - v[3]))
    -sum(given * log(cbind(below[, 1], below[, 2] - below[, 1], 1 - below[, 2]) %*% channel))
  }
  climbs <- vapply(1:8, function(i) {
    tryCatch(-stats::optim(stats::rnorm(3, sd = 3), minus, method = "BFGS", control = list(maxit = 2000, reltol = 1e-14))$value, error = function(e) -Inf)
  }, 0)
  # Climbs approach the supremum from below.
  expect_gte(as.numeric(logLik(fit)), max(climbs) - 1e-8)
  expect_lt(as.numeric(logLik(fit)), max(climbs) + 1e-3)
  expect_identical(unname(is.finite(coef(fit))), c(TRUE, FALSE, FALSE))
  # At x = 1 nobody is below "c"; at x = 0 nobody is "c".
  expect_equal(unname(as.matrix(predict(fit, data.frame(x = 0:1)))[cbind(1:2, c(3, 3))]), c(0, 1), tolerance = 1e-6)
})

test_that("counts in a column for each report are the rows that they count", {
  set.seed(22)
  mechanism <- rr_grr(c("low", "middle", "high"), p = 0.8)
  data <- data.frame(x = rep(c(0, 1, 3), each = 120), w = 1)
  truth <- vapply(data$x, function(x) sample(mechanism$levels, 1, prob = exp(c(0, 0.3 * x, -0.2 + 0.1 * x))), "")
  data$y <- rr_perturb(factor(truth, mechanism$levels), mechanism, rng = "R")
  counts <- as.data.frame.matrix(table(data$x, data$y))
  counts$x <- as.double(rownames(counts))
  rows <- rr_multinom(y ~ x, data, mechanism)
  fits <- list(
    rr_multinom(cbind(low, middle, high) ~ x, counts, mechanism), rr_multinom(cbind(high, low, middle) ~ x, counts, mechanism),
    rr_multinom(~x, rr_tally(data, mechanism, column = "y", by = "x"))
  )
  for (fit in fits) {
    expect_equal(unname(coef(fit)), unname(coef(rows)), tolerance = 1e-7)
    # A sandwich of counts is that of the people.
    for (type in c("observed", "expected", "sandwich")) {
      expect_equal(unname(vcov(fit, type = type)), unname(vcov(rows, type = type)), tolerance = 1e-6)
    }
    expect_equal(logLik(fit), logLik(rows), ignore_attr = TRUE)
    expect_equal(nobs(fit), nobs(rows))
  }
  renamed <- setNames(counts, c("a", "b", "c", "x"))
  expect_message(fit <- rr_multinom(cbind(a, b, c) ~ x, renamed, mechanism), class = "candor_message_dimensions")
  expect_equal(unname(coef(fit)), unname(coef(rows)), tolerance = 1e-7)
  counts$plain <- unname(as.matrix(counts[1:3]))
  expect_message(fit <- rr_multinom(plain ~ x, counts, mechanism), class = "candor_message_dimensions")
  expect_equal(unname(coef(fit)), unname(coef(rows)), tolerance = 1e-7)
  suppressMessages(ordered <- rr_multinom(cbind(low, middle, high) ~ x, counts, mechanism, type = "cumulative"))
  suppressMessages(expect_equal(coef(ordered), coef(rr_multinom(y ~ x, data, mechanism, type = "cumulative")), tolerance = 1e-6))
  suppressMessages(twice <- rr_multinom(cbind(low, middle, high) ~ x, counts, mechanism, weights = c(2, 2, 2)))
  expect_equal(vcov(twice), vcov(rows) / 2, tolerance = 1e-6)
  expect_refused(rr_multinom(cbind(low, middle) ~ x, counts, mechanism), rr_multinom(cbind(low, middle, -high) ~ x, counts, mechanism))
  expect_refused(rr_multinom(cbind(low, middle, hi = high) ~ x, counts, mechanism), class = "level")
  skip_if_not_installed("survey")
  design <- survey::svydesign(~1, weights = rep(1, 3), data = counts)
  expect_refused(rr_multinom(cbind(low, middle, high) ~ x, design, mechanism))
})

test_that("weights that are not whole are told, of rows and of counts, but those of a design", {
  d <- transform(exam_simulated[1:300, ], w = rep(c(0.5, 1.5), 150))
  fit <- function(data) rr_multinom(cheating ~ 1, data, often(), weights = w, starts = 1)
  expect_message(fit(d), class = "candor_message_weights")
  expect_no_message(fit(transform(d, w = 2 * w)))
  counts <- data.frame(never = c(50, 40), once = c(0, 20), often = c(30, 9), x = 0:1, w = 0.25)
  # A count of 0 is a count.
  expect_no_message(rr_multinom(cbind(never, once, often) ~ 1, counts, often(), starts = 1))
  expect_message(rr_multinom(cbind(never, once, often) ~ 1, counts, often(), weights = w, starts = 1), class = "candor_message_weights")
  skip_if_not_installed("survey")
  expect_no_message(rr_multinom(cheating ~ 1, survey::svydesign(~1, weights = ~w, data = d), often(), starts = 1))
})

test_that("a tally has its own mechanism and groups of any name, and neither tallies nor counts have reports of new rows", {
  people <- exam_simulated[1:500, ]
  tally <- rr_tally(people$cheating, often(), by = list(`is female` = people$female))
  fit <- rr_multinom(~ `is female`, tally, often(), starts = 1)
  expect_equal(unname(coef(fit)), unname(coef(rr_multinom(cheating ~ female, people, often(), starts = 1))), tolerance = 1e-6)
  expect_error(rr_multinom(~ `is female`, tally, rr_grr(levels(people$cheating), p = 0.7)), class = "candor_error_mismatch")
  counts <- data.frame(never = c(50, 40), once = c(10, 20), often = c(30, 9), x = 0:1)
  counted <- rr_multinom(cbind(never, once, often) ~ x, counts, often(), starts = 1)
  expect_refused(predict(fit, data.frame(`is female` = 1, check.names = FALSE), "posterior"), predict(counted, data.frame(x = 1, y = 1), "posterior"))
  questions <- rr_product(cheating = often(), plagiarism = rr_forced(1 / 6))
  expect_refused(rr_multinom(~ female, people[c("female", "cheating")], questions))
  expect_error(rr_multinom(~ female, people, rr_product(cheating = often(), plagiarism = rr_unary(c("no", "yes"), 1))), class = "candor_error_law")
})

test_that("a regression has at most 200 truths", {
  d <- data.frame(y = 1:2)
  rows_of <- function(k) multinom_rows(quote(f(data = d)), y ~ 1, d, rr_grr(k, p = 0.5), environment())
  expect_identical(dim(rows_of(200)$channel), c(200L, 200L))
  expect_refused(rows_of(201))
})

test_that("in a design the standard errors of predictions are those of its coefficients, by differences", {
  skip_if_not_installed("survey")
  d <- transform(exam_simulated[1:400, ], w = rep(c(1, 3), 200), school = rep(1:40, 10))
  fit <- rr_multinom(cheating ~ semester, survey::svydesign(~school, weights = ~w, data = d), often(), starts = 1)
  shares <- function(b) {
    e <- c(1, exp(b[1] + 4 * b[2]), exp(b[3] + 4 * b[4]))
    e / sum(e)
  }
  slopes <- difference_gradient(shares, as.vector(t(coef(fit))))
  found <- predict(fit, data.frame(semester = 4), se.fit = TRUE)
  expect_equal(as.vector(found$se.fit), sqrt(diag(slopes %*% vcov(fit) %*% t(slopes))), tolerance = 1e-6)
})

# ---- every number of a fit, from the probabilities of its rows ----

# Five reports of four truths, weights, a factor and a number.
wide_channel <- rbind(c(0.6, 0.1, 0.1, 0.15, 0.05), c(0.1, 0.7, 0.05, 0.05, 0.1), c(0.2, 0.1, 0.5, 0.05, 0.15), c(0.05, 0.05, 0.1, 0.75, 0.05))

wide_case <- function() {
  withr::local_seed(51)
  n <- 160
  d <- data.frame(x = round(rnorm(n), 1), f = factor(rep(c("u", "v", "v", "t"), n / 4)), w = rep(c(1, 2, 1.5, 1, 3), n / 5))
  truth <- 1 + rowSums(outer(d$x / 2 + (d$f == "u") + rlogis(n), c(-1, 0.2, 1.5), `>`))
  d$y <- vapply(truth, function(k) sample(5, 1, prob = wide_channel[k, ]), 0L)
  list(data = d, mechanism = rr_channel(wide_channel, levels = ordered(c("a", "b", "c", "d")), reports = 1:5), x = cbind(d$x, d$f == "u", d$f == "v"))
}

wide_shares <- list(
  multinomial = function(b, x) {
    e <- cbind(1, exp(cbind(1, x) %*% matrix(b, ncol(x) + 1)))
    e / rowSums(e)
  },
  cumulative = function(b, x) {
    below <- cbind(0, stats::plogis(outer(drop(-x %*% b[-(1:3)]), b[1:3], `+`)), 1)
    t(diff(t(below)))
  }
)

test_that("four truths with five reports and weights: every number of both models", {
  case <- wide_case()
  d <- case$data
  for (type in names(wide_shares)) {
    fit <- quietly(rr_multinom(y ~ x + f, d, case$mechanism, type = type, weights = w))
    shares <- wide_shares[[type]]
    b <- unname(fit$coefficients)
    loglik <- function(b, channel = wide_channel, y = d$y) log(rowSums(shares(b, case$x) * t(channel[, y])))
    scores <- regression_scores(fit)
    expect_rows(fit, loglik, b, d$w, scores)
    reports <- shares(b, case$x) %*% wide_channel
    slopes <- lapply(1:5, function(y) difference_gradient(function(b) loglik(b, y = rep(y, nrow(d))), b))
    expected <- Reduce(`+`, lapply(1:5, function(y) crossprod(slopes[[y]] * (d$w * reports[, y]), slopes[[y]])))
    expect_equal(unname(vcov(fit, "expected")), solve(expected), tolerance = 1e-6)
    expect_equal(unname(vcov(fit, "sandwich")), unname(vcov(fit) %*% crossprod(scores) %*% vcov(fit)), tolerance = 1e-10)

    # A point that is no maximum, in the coordinates of the climbs.
    rows <- multinom_rows(quote(f(data = d, weights = w)), y ~ x + f, d, case$mechanism, environment())
    model <- list(multinomial = multinomial_model, cumulative = cumulative_model)[[type]](rows)
    off <- seq(-0.4, 0.5, length.out = model$size)
    natural <- function(v) model$natural(v)
    expect_evaluated(model$kernel$evaluate, function(v) sum(d$w * loglik(natural(v))) / model$unit, off)
    expect_equal(unname(model$slope(off)), unname(difference_gradient(natural, off)), tolerance = 1e-6)
    expect_equal(unname(model$expected(b)), expected, tolerance = 1e-6)
    # The largest change of a linear predictor; of a cumulative logit that of thresholds and that of centred columns.
    step <- model$slope(off) %*% off
    centred <- scale(case$x, colSums(case$x * d$w) / sum(d$w), FALSE)
    moved <- if (type == "multinomial") max(abs(cbind(1, case$x) %*% matrix(step, 4))) else max(abs(off[1:3])) + max(abs(centred %*% step[-(1:3)]))
    expect_equal(model$reach(off), moved, tolerance = 1e-8)
    # Where the curvature is indefinite: that of the complete data, or the expected one.
    fallback <- if (type == "multinomial") {
      before <- shares(natural(off), case$x) * t(wide_channel[, d$y])
      -stats::optimHess(off, function(v) sum(d$w * before / rowSums(before) * log(shares(natural(v), case$x))), control = list(ndeps = rep(1e-3, 12)))
    } else {
      there <- lapply(1:5, function(y) difference_gradient(function(v) loglik(natural(v), y = rep(y, nrow(d))), off))
      share <- shares(natural(off), case$x) %*% wide_channel
      Reduce(`+`, lapply(1:5, function(y) crossprod(there[[y]] * (d$w * share[, y]), there[[y]])))
    }
    expect_equal(unname(model$kernel$evaluate(off, 2L)$fallback), fallback / model$unit, tolerance = 1e-4)

    # What each row would score, and how the score moves with the channel: a weight to each pair of truth and report.
    group <- possible_reports(fit)[[1]]
    expect_identical(group$counts, outer(1:5, d$y, `==`))
    expect_equal(unname(group$channel), wide_channel)
    for (y in c(2, 5)) expect_equal(unname(group$scores[y, , ]), slopes[[y]], tolerance = 1e-6)
    moved <- channel_slopes(fit)[[1]]$slopes
    for (cell in list(c(1, 2), c(3, 5), c(4, 1))) {
      total <- function(h) {
        channel <- replace(wide_channel, cbind(cell[1], cell[2]), wide_channel[cell[1], cell[2]] + h)
        colSums(d$w * difference_gradient(function(b) loglik(b, channel), b))
      }
      expect_equal(unname(moved[[cell[1]]][, cell[2]]), (total(1e-4) - total(-1e-4)) / 2e-4, tolerance = 1e-5)
    }

    # Predictions of new rows.
    new <- data.frame(x = c(-0.7, 1.9), f = c("v", "t"), y = c(5, 2))
    x <- cbind(new$x, 0, c(1, 0))
    truth <- shares(b, x)
    expect_equal(unname(predict(fit, new)), truth, tolerance = 1e-10)
    joint <- truth * t(wide_channel[, new$y])
    expect_equal(unname(predict(fit, new, "posterior")), joint / rowSums(joint), tolerance = 1e-10)
    expect_identical(as.character(predict(fit, new, "class")), c("a", "b", "c", "d")[max.col(truth)])
    for (what in c("truth", "report")) {
      value <- function(b) as.vector(if (what == "report") shares(b, x) %*% wide_channel else shares(b, x))
      se <- sqrt(rowSums((difference_gradient(value, b) %*% vcov(fit)) * difference_gradient(value, b)))
      answer <- predict(fit, new, what, se.fit = TRUE)
      expect_equal(as.vector(answer$fit), value(b), tolerance = 1e-10)
      expect_equal(as.vector(answer$se.fit), unname(se), tolerance = 1e-6)
    }
    table <- augment(fit)
    expect_identical(names(table), c("y", "x", "f", paste0(".truth.", letters[1:4]), paste0(".posterior.", letters[1:4]), ".class"))
    expect_equal(table$.truth.c, shares(b, case$x)[, 3], tolerance = 1e-10)
    expect_identical(unname(regression_reports(fit)), 1 * outer(d$y, 1:5, `==`))
    one <- glance(fit)
    expect_identical(c(one$type, one$categories, one$nobs), c(type, "4", "160"))
    if (type == "multinomial") {
      expect_equal(unname(coef(fit)), t(matrix(b, 4)))
      expect_identical(dimnames(coef(fit)), list(c("b", "c", "d"), c("(Intercept)", "x", "fu", "fv")))
      expect_identical(names(tidy(fit))[1:2], c("y.level", "term"))
      expect_identical(names(one)[1:2], c("type", "categories"))
      expect_identical(tidy(fit)$y.level, rep(c("b", "c", "d"), each = 4))
      expect_identical(tidy(fit)$term, rep(c("(Intercept)", "x", "fu", "fv"), 3))
    } else {
      expect_identical(names(fit$coefficients), c("a|b", "b|c", "c|d", "x", "fu", "fv"))
    }
  }
})

test_that("where climbs begin and what may be infinite, by hand", {
  # Unbiased shares of 6 to 2, and of 1 to 0, through a device of .8 and .2: off the boundary by a 20th of half.
  channel <- rbind(c(0.8, 0.2), c(0.2, 0.8))
  expect_equal(start_shares(c(1, 1, 2), c(4, 2, 2), channel), c(0.75 - 0.2, 0.25 - 0.2) / 0.6, tolerance = 1e-12)
  expect_equal(start_shares(1, 1, channel), c(4 / 3, 0.025) / (4 / 3 + 0.025), tolerance = 1e-12)
  expect_identical(report_totals(c(1, 3, 3), c(2, 0.5, 4), 3), c(2, 0, 4.5))
  # Means of columns times log odds, column by column of the truth.
  z <- cbind(1, c(-2, 1, 4))
  expect_equal(constant_start(z, c(1, 2, 1), c(0.2, 0.5, 0.3)), c(log(2.5), log(2.5), log(1.5), log(1.5)), tolerance = 1e-12)
  # Thresholds from logarithms of distances.
  expect_equal(ordered_thresholds(c(-1, log(2), log(0.5), 7, 8), 1:3), c(-1, 1, 1.5, 7, 8))
  expect_equal(threshold_slopes(c(-1, log(2), log(0.5), 7), 1:3),
               difference_gradient(function(b) ordered_thresholds(b, 1:3), c(-1, log(2), log(0.5), 7)), tolerance = 1e-8)
  # Predictors that may be infinite: thresholds in rows, and distances below 0 alone.
  z <- cbind(c(1, -2))
  far <- cumulative_distances(z, 1:3, c(-1, 0.5, -3, 0.25), diag(4)[, c(3, 4)])
  expect_equal(far$eta, c(c(-1, -1 + exp(0.5), -1 + exp(0.5) + exp(-3))[rep(1:3, each = 2)] - c(0.25, -0.5), -3), tolerance = 1e-12)
  expect_equal(unname(far$move), rbind(cbind(c(0, 0, 0, 0, exp(-3), exp(-3)), c(-1, 2, -1, 2, -1, 2)), c(1, 0)), tolerance = 1e-12)
  # Are reports unlikely whatever the truth? Five no of 100, where at least 20 are expected.
  rows <- list(codes = rep(1:2, c(95, 5)), weights = rep(1, 100), mechanism = rr_warner(0.8))
  expect_true(answers_doubt(rows, NULL))
  expect_false(answers_doubt(replace(rows, "codes", list(rep(1:2, c(80, 20)))), NULL))
  expect_false(answers_doubt(replace(rows, "weights", list(rep(0.009, 100))), NULL))
  # A design's weights count with the respondents that they are worth: 100 of weight .001 are 100.
  heavy <- replace(rows, "weights", list(rep(1e-3, 100)))
  expect_identical(answers_doubt(heavy, list()), answers_doubt(rows, NULL))
})

test_that("reports are doubted by the number of respondents that their weights are worth", {
  mechanism <- rr_grr(3, p = 0.9)
  # All say the same, which 9 of 10 would if it were true of all.
  doubted <- function(weights, design = NULL) answers_doubt(list(codes = rep(2L, length(weights)), weights = weights, mechanism = mechanism), design)
  expect_true(doubted(rep(1, 200)))
  expect_true(doubted(rep(50, 4)))
  expect_false(doubted(rep(1, 4)))
  # The weights of a design that are equal are worth a respondent each.
  expect_true(doubted(rep(50, 200), "design"))
  expect_false(doubted(rep(50, 4), "design"))
  expect_false(doubted(c(200, rep(0.1, 200)), "design"))
  # All yes of Warner's 0.8 has the probability 0.8^30 = 0.0012 at most, 0.8^32 = 0.0008; a design is doubted below 0.001.
  for (n in c(30, 32)) {
    all_yes <- list(codes = rep(2L, n), weights = rep(3, n), mechanism = rr_warner(0.8))
    expect_identical(answers_doubt(replace(all_yes, "weights", list(rep(1, n))), NULL), n == 32)
    expect_identical(answers_doubt(all_yes, "design"), n == 32)
  }
})

test_that("a row alone has the shares, slopes and counts that it has among others", {
  z <- c(1.3, 0.2)
  b <- c(-1, 0.5, 2, 0.3, -0.8)
  at <- cumulative_truths(b, rbind(z))
  shares <- function(b) diff(c(0, plogis(b[1:3] - sum(z * b[4:5])), 1))
  expect_equal(as.vector(at$theta), shares(b), tolerance = 1e-12)
  slopes <- t(vapply(1:4, function(j) as.vector(at$expand(at$slope(j))), numeric(5)))
  expect_equal(slopes, difference_gradient(shares, b), tolerance = 1e-7)
  logit <- c(0.4, -1, 0.3, 0.5, 1, -0.2)
  at <- multinomial_parts(logit, rbind(z))
  shares <- function(b) c(1, exp(z %*% matrix(b, 2))) / sum(1, exp(z %*% matrix(b, 2)))
  expect_equal(as.vector(at$theta), shares(logit), tolerance = 1e-12)
  slopes <- t(vapply(1:4, function(j) as.vector(at$expand(at$slope(j))), numeric(6)))
  expect_equal(slopes, difference_gradient(shares, logit), tolerance = 1e-7)
  # By hand: (0.6 - 0.1, 0.25 - 0.1, 0.15 - 0.1) / 0.7.
  counts <- data.frame(never = 120, once = 50, often = 30)
  fit <- rr_multinom(cbind(never, once, often) ~ 1, counts, often(), starts = 1)
  expect_equal(unname(predict(fit)[1, ]), c(0.5, 0.15, 0.05) / 0.7, tolerance = 1e-7)
  expect_identical(nobs(fit), 200)
})

test_that("a cumulative logit anywhere: value, slopes, curvature and expected information are those of the probabilities of its reports", {
  for (case in list(list(channel = wide_channel, b = c(-0.7, 0.2, -0.4, 0.5, -0.3)), list(channel = wide_channel[1:3, ], b = c(0.4, -0.6, 0.2, 0.7)))) {
    m <- nrow(case$channel) - 1L
    z <- cbind(c(0.3, -1, 2, 0.5, 1.2), c(1, 0.4, -0.6, -2, 0.1))
    rows <- list(channel = case$channel, codes = c(5L, 1L, 2L, 4L, 3L), weights = c(1, 2, 0.5, 0, 3))
    reported <- function(b) {
      a <- c(b[1], b[1] + cumsum(exp(b[2:m])))
      below <- cbind(0, plogis(outer(-drop(z %*% b[-seq_len(m)]), a, `+`)), 1)
      t(diff(t(below))) %*% case$channel
    }
    loglik <- function(b) log(reported(b)[cbind(1:5, rows$codes)])
    state <- cumulative_value(rows, z, case$b, 2L)
    expect_equal(state$value, sum(rows$weights * loglik(case$b)), tolerance = 1e-12)
    expect_identical(cumulative_value(rows, z, case$b, 0L), list(value = state$value))
    expect_equal(state$gradient, drop(rows$weights %*% difference_gradient(loglik, case$b)), tolerance = 1e-7)
    slope <- function(b) cumulative_value(rows, z, b, 1L)$gradient
    expect_equal(state$observed, -difference_gradient(slope, case$b), tolerance = 1e-6)
    expect_null(cumulative_value(rows, z, case$b, 1L)$fallback)
    information <- 0
    for (y in 1:5) {
      slopes <- difference_gradient(function(b) reported(b)[, y], case$b)
      information <- information + crossprod(slopes, slopes * rows$weights / reported(case$b)[, y])
    }
    expect_equal(state$fallback, information, tolerance = 1e-6)
  }
})

test_that("questions of a product count in their order, the first fastest", {
  questions <- rr_product(a = rr_grr(c("x", "y", "z"), p = 0.8), b = rr_warner(0.8), c = rr_grr(c("k", "l"), p = 0.7))
  all <- expand.grid(a = c("x", "y", "z"), b = c("no", "yes"), c = c("k", "l"))
  expect_identical(product_codes(all, questions), 1:12)
})

test_that("questions are columns of the data, not variables beside it, and the dot is all other columns", {
  d <- withr::with_seed(4, data.frame(x = rnorm(120), a = sample(c("no", "yes"), 120, TRUE), b = sample(c("no", "yes"), 120, TRUE)))
  questions <- rr_product(a = rr_warner(0.9), b = rr_warner(0.9))
  all <- suppressWarnings(rr_multinom(~ ., d, questions, starts = 1))
  expect_equal(coef(all), coef(suppressWarnings(rr_multinom(~ x, d, questions, starts = 1))), tolerance = 1e-10)
  b <- d$b
  expect_refused(rr_multinom(~ x, d[c("x", "a")], questions, starts = 1))
})

test_that("a threshold whose distance overflows is Inf with a warning, and not a number of 200 digits", {
  set.seed(13)
  levels <- c("a", "b", "c")
  data <- data.frame(x = rnorm(100), y = sample(levels, 100, TRUE, c(0.6, 0.25, 0.15)))
  expect_warning(fit <- rr_multinom(y ~ x, data, rr_grr(ordered(levels), p = 0.7), type = "cumulative"), class = "candor_warning_infinite")
  expect_identical(fit$coefficients[["b|c"]], Inf)
  expect_true(is.na(tidy(fit)$std.error[2]))
  # Nobody is "c": a logistic regression of "b" by the reports 0.7 and 0.15.
  loglik <- function(b) {
    share <- plogis(b[1] - b[2] * data$x)
    sum(log(0.7 * (data$y == "a") * share + 0.7 * (data$y == "b") * (1 - share) + 0.15 * (data$y != "a") * share + 0.15 * (data$y != "b") * (1 - share)))
  }
  own <- optim(c(1, 0), loglik, control = list(fnscale = -1, reltol = 1e-14))
  expect_equal(c(fit$loglik, fit$coefficients[["a|b"]]), c(own$value, own$par[1]), tolerance = 1e-4)
})

test_that("weights that are all 0 are refused by every regression", {
  data <- data.frame(x = rep(1:4, 5), y = rep(c("no", "yes"), 10), w = 0)
  device <- rr_warner(0.9)
  expect_refused(rr_multinom(y ~ x, data, device, weights = w), rr_predictor(x ~ y, data, list(y = device), weights = w),
                 rr_glm(y ~ x, data, device, weights = w))
})
