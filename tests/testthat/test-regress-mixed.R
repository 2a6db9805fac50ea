#' @srrstats {G5.10, G5.11, G5.11a, G5.12} CANDOR_EXTENDED_TESTS runs the long tests, as CONTRIBUTING.md says; none of them downloads data.

# Random intercepts: the vectors' maxima, score and information at given points, posterior of u, limits.

rows_of <- function(input) {
  n <- length(input$y)
  p <- rep_len(as.numeric(input$p), n)
  q <- rep_len(as.numeric(input$q), n)
  group <- match(input$group, unique(input$group))
  weight <- rep_len(if (length(input$weight)) as.numeric(input$weight) else 1, n)
  if (length(input$weight) == max(group)) weight <- as.numeric(input$weight)[group]
  list(y = as.numeric(input$y), x = matrix(as.numeric(input$x), n), p = p, q = q, arm = match(paste(p, q), unique(paste(p, q))), group = group,
       weight = weight, offset = if (length(input$offset)) rep_len(as.numeric(input$offset), n) else numeric(n))
}

parts_of <- function(input) {
  rows <- rows_of(input)
  devices <- with(rows, rbind(p, q, 1 - p, 1 - q, p - q)[, !duplicated(arm)])
  data <- list(x = rows$x, y = rows$y, arm = rows$arm - 1L, device = devices, link = input$link, offset = rows$offset)
  mixed_model(data, TRUE, rows$group, rows$weight[!duplicated(rows$group)])
}

test_that("golden vectors: score and information where they are given", {
  for (case in golden("mixed_regression")) {
    model <- parts_of(case$input)
    for (at in case$expected$at) {
      value <- mixed_value(model, c(at$coef, at$sigma))
      expect_lte(abs(value$value - at$loglik), 1e-8)
      expect_golden(value$gradient, at$score, 1e-7)
      expect_golden(value$observed, at$information, 1e-7)
    }
  }
})

test_that("golden vectors: the maximum, the posterior of the intercepts, prevalences", {
  # Two cases of seven items take twice as long as all others together, one of which (19) has seven items too.
  for (case in golden("mixed_regression")[extended(setdiff(1:26, c(5, 13)), 1:26)]) {
    expected <- case$expected
    model <- parts_of(case$input)
    found <- mixed_maximum(model, expected$fixed$coef, expected$fixed$loglik)
    expect_null(found$limit)
    expect_lte(abs(found$value - expected$loglik), 1e-8)
    expect_golden(found$point, c(expected$coef, expected$sigma), 1e-7)
    value <- mixed_value(model, found$point)
    expect_golden(value$observed, expected$information, 1e-7)
    expect_golden(value$mean[model$of][expected$u$group], expected$u$mean, 1e-7)
    expect_golden(value$deviation[model$of][expected$u$group], expected$u$sd, 1e-7)
    eta <- drop(matrix(as.numeric(case$input$new_x), ncol = model$size) %*% found$point[seq_len(model$size)])
    expect_golden(mixed_curve(mixed_links[model$kernel[[7]] + 1], found$sigma)$yes(eta), expected$truth_population, 1e-7)
  }
})

test_that("golden vectors: the limit of sigma to infinity, and the way to it", {
  for (case in golden("mixed_regression", "infinite")) {
    expected <- case$expected
    model <- parts_of(case$input)
    fixed <- mixed_climb(model, numeric(model$size), 0)
    expect_lte(abs(fixed$value - expected$loglik_fixed), 1e-8)
    found <- mixed_maximum(model, fixed$point[seq_len(model$size)], fixed$value)
    expect_lte(abs(found$limit$value - expected$loglik), 1e-5)
    expect_golden(found$limit$ratio, expected$ratio, 1e-4)
    ladder <- found$ladder$loglik[match(expected$profile$sigma, found$ladder$sigma)]
    expect_lte(max(abs(ladder - expected$profile$loglik)), 1e-5)
    expect_golden(stats::pnorm(drop(unique(case$input$x) %*% found$limit$ratio)), expected$truth_population, 1e-4)
  }
})

test_that("rows and groups in another order, a group twice and its weight, and exchanged answers are the same", {
  case <- golden("mixed_regression")[[8]]$input
  at <- c(0.3, -0.2, 0.9)[c(seq_len(ncol(case$x)), 3)]
  value <- mixed_value(parts_of(case), at)$value
  order <- withr::with_seed(1, sample(length(case$y)))
  shuffled <- case
  for (part in c("x", "y", "group")) shuffled[[part]] <- if (part == "x") case$x[order, ] else case[[part]][order]
  for (part in intersect(c("p", "q", "offset"), names(case))) if (length(case[[part]]) > 1) shuffled[[part]] <- case[[part]][order]
  expect_equal(mixed_value(parts_of(shuffled), at)$value, value, tolerance = 1e-12)
  twice <- case
  twice$x <- rbind(case$x, case$x)
  twice$y <- c(case$y, case$y)
  twice$group <- c(case$group, case$group + max(case$group))
  expect_equal(mixed_value(parts_of(twice), at)$value, 2 * value, tolerance = 1e-12)
  expect_length(parts_of(twice)$weight, length(parts_of(case)$weight))
  exchanged <- case
  exchanged$y <- 1 - case$y
  exchanged[c("p", "q")] <- list(1 - case$p, 1 - case$q)
  expect_equal(mixed_value(parts_of(exchanged), at)$value, value, tolerance = 1e-12)
})

# ---- through rr_glm() ----

front <- function(case) {
  rows <- rows_of(case$input)
  first <- !duplicated(rows$arm)
  mechanisms <- stats::setNames(Map(rr_binary, rows$p[first], rows$q[first]), rows$arm[first])
  data <- data.frame(rows[c("y", "arm", "group", "weight", "offset")], rows$x)
  formula <- stats::reformulate(c("0", names(data)[-(1:5)], "(1 | group)"), "y")
  suppressWarnings(rr_glm(formula, data, mechanisms, case$input$link, weights = weight, offset = offset, arm = arm))
}

test_that("golden vectors through rr_glm(): estimates, covariance, likelihood ratio", {
  # Both links; one, two and four arms. The maxima are above.
  for (case in golden("mixed_regression")[extended(c(6, 15, 24), c(1, 6, 13, 15, 24))]) {
    fit <- front(case)
    expected <- case$expected
    expect_lte(abs(as.numeric(logLik(fit)) - expected$loglik), 1e-8)
    expect_golden(c(coef(fit), fit$sigma), c(expected$coef, expected$sigma), 1e-7)
    expect_golden(vcov(fit), expected$vcov[seq_along(coef(fit)), seq_along(coef(fit))], 1e-7)
    expect_equal(2 * (fit$loglik - fit$fixed$loglik), expected$lr, tolerance = 1e-6)
  }
  expect_warning(fit <- suppressMessages(front(golden("mixed_regression", "infinite")[[1]])), NA)
  expect_identical(c(fit$sigma, glance(fit)$icc), c(Inf, 1))
  expect_true(all(is.infinite(coef(fit))))
})

test_that("direct answers: lme4 with 25 nodes", {
  skip_if_not_installed("lme4")
  withr::local_seed(3)
  data <- data.frame(id = rep(1:60, each = 3), x = rnorm(180))
  data$y <- rbinom(180, 1, plogis(-0.4 + 0.7 * data$x + rnorm(60)[data$id]))
  fit <- rr_glm(y ~ x + (1 | id), data, rr_binary(1, 0))
  tight <- lme4::glmerControl(optimizer = "bobyqa", tolPwrss = 1e-13, optCtrl = list(rhoend = 1e-12, maxfun = 1e5))
  other <- suppressMessages(lme4::glmer(y ~ x + (1 | id), data, binomial(), nAGQ = 25, control = tight))
  expect_lte(abs(as.numeric(logLik(fit)) - as.numeric(logLik(other))), 1e-8)
  expect_lte(max(abs(coef(fit) - lme4::fixef(other))), 1e-6)
  expect_lte(abs(fit$sigma - attr(lme4::VarCorr(other)$id, "stddev")[[1]]), 1e-6)
})

test_that("real data: no log-likelihood exceeds the maximum of the paper's table, and prevalences are finite at infinity", {
  data <- data_from_cran("GLMMRR", "Plagiarism")
  data$question <- factor(data$question)
  # Their supremum is at infinity, which is said; other warnings are not the subject.
  fit_of <- function(arm, mechanism) {
    suppressWarnings(expect_warning(fit <- rr_glm(response ~ 0 + question + (1 | id), data[data$RRmodel == arm, ], mechanism),
                                    class = "candor_warning_infinite"), classes = "candor_warning")
    fit
  }
  crosswise <- fit_of("Crosswise", rr_crosswise(0.25))
  expect_identical(crosswise$sigma, Inf)
  expect_lte(abs(as.numeric(logLik(crosswise)) + 378.5524), 1e-4)
  expect_lte(max(abs(unique(predict(crosswise)) - c(0.219, 0.063))), 6e-4)
  expect_equal(unname(confint(crosswise, "sigma")[1, ]), c(0, Inf))
  direct <- fit_of("DQ", rr_binary(1, 0))
  expect_lte(abs(as.numeric(logLik(direct)) + 27.9382), 1e-4)
  expect_lte(abs(confint(direct, "sigma")[1] - 0.98), 0.005)
  # One prevalence, 308 persons: the two probabilities of a pattern by R's own quadrature. Their table has -377.2564 at
  # infinity, which is the value at sigma = 32: the maximum is finite, and above it.
  data <- data[data$RRmodel == "Crosswise" & !is.na(data$Gender), ]
  fit <- quietly(rr_glm(response ~ 1 + (1 | id), data, rr_crosswise(0.25)))
  loglik <- function(b, sigma) {
    patterns <- table(rowsum(data$response, data$id), table(data$id))
    probability <- Vectorize(function(yes, items) {
      stats::integrate(function(u) {
        report <- 0.75 - 0.5 * stats::plogis(b + sigma * u)
        report^yes * (1 - report)^(items - yes) * stats::dnorm(u)
      }, -12, 12, subdivisions = 5000, rel.tol = 1e-11)$value
    })
    sum(patterns * log(outer(0:2, 1:2, probability)), na.rm = TRUE)
  }
  expect_equal(as.numeric(logLik(fit)), loglik(coef(fit)[[1]], fit$sigma), tolerance = 1e-10)
  expect_gt(as.numeric(logLik(fit)), -377.2550)
})

test_that("real data: MTURK and ETHBE", {
  maximum <- function(name, arms, formula = y ~ 0 + Question + (1 | id)) {
    survey <- glmmrr_survey(name)
    data <- survey$data[survey$data$RRmodel %in% arms, ]
    fit <- suppressMessages(suppressWarnings(rr_glm(formula, data, survey$mechanisms[unique(data$arm)], arm = arm)))
    c(fit$loglik, fit$sigma)
  }
  expect_equal(maximum("MTURK", "Crosswise"), c(-5938.1981, 0.639), tolerance = 1e-3)
  expect_lte(abs(maximum("MTURK", "Forced")[1] + 3650.4734), 1e-4)
  expect_lte(abs(maximum("ETHBE", "Forced")[1] + 3643.6826), 1e-4)
  expect_lte(abs(maximum("ETHBE", "DQ")[1] + 850.2685), 1e-4)
  # All arms share the items' effects and the random intercept, and each has an effect of its own.
  all <- c("DQ", "Crosswise", "UQM", "Forced")
  joint <- y ~ 0 + Question + RRmodel + (1 | id)
  expect_lte(max(abs(maximum("MTURK", all, joint) - c(-14563.8099, 0.774))), 5e-4)
  expect_lte(max(abs(maximum("ETHBE", all, joint) - c(-10490.2178, 1.805))), 5e-4)
})

test_that("predictions are averages over persons; simulate and refit; a person's mean of the truth", {
  withr::local_seed(4)
  people <- data.frame(id = rep(1:200, each = 4), item = factor(rep(1:4, 200)))
  u <- rnorm(200)
  truth <- rbinom(800, 1, plogis(c(-1, -0.5, 0, 0.5)[people$item] + 1.5 * u[people$id]))
  die <- rr_forced(1 / 6)
  people$y <- rr_perturb(factor(truth, 0:1, c("no", "yes")), die, rng = "R")
  fit <- rr_glm(y ~ 0 + item + (1 | id), people, die)
  expect_equal(unname(predict(fit)[1:4]), mixed_curve("logit", fit$sigma)$yes(unname(coef(fit))), tolerance = 1e-12)
  report <- predict(fit, people[1:4, ], type = "report")
  expect_equal(unname(report), 1 / 6 + 2 / 3 * unname(predict(fit)[1:4]), tolerance = 1e-12)
  plain <- rr_glm(y ~ 0 + item, people, die)
  both <- list(anova(plain, fit), anova(fit, plain))
  for (table in both) {
    expect_equal(table$Chisq[2], 2 * as.numeric(logLik(fit) - logLik(plain)))
    expect_equal(table$`Pr(>Chi)`[2], pchisq(table$Chisq[2], 1, lower.tail = FALSE) / 2)
  }
  # The posterior means of the truths add up to the averages of the truths, at the maximum with a free mean for each item.
  each <- tapply(predict(fit, random = "predicted"), people$item, mean)
  expect_lt(max(abs(each - predict(fit)[1:4])), 0.03)
  again <- people
  again$y <- simulate(fit, 1, seed = 8)[[1]]
  refit <- rr_glm(y ~ 0 + item + (1 | id), again, die)
  # Four standard errors.
  expect_lt(max(abs(coef(refit) - coef(fit)) / sqrt(diag(vcov(fit)))), 4)
  ends <- confint(fit, "sigma")
  expect_true(ends[1] < fit$sigma && fit$sigma < ends[2])
  # At the ends of a profile the log-likelihood has fallen by half the quantile.
  fallen <- mixed_climb(fit$model, coef(fit), ends[2], halvings = 1)$value
  expect_equal(fit$loglik - fallen, qchisq(0.95, 1) / 2, tolerance = 1e-4)
})

test_that("what is not available is refused, and one row a group has no sigma", {
  people <- data.frame(id = rep(1:30, each = 2), x = rep(0:1, 30), y = rep(c(0, 1, 1), 20), w = seq_len(60))
  die <- rr_forced(1 / 6)
  fit <- function(...) suppressWarnings(rr_glm(..., mechanism = die))
  expect_refused(fit(y ~ x + (1 | id), people, penalty = "prior"), fit(y ~ x + (1 | id), people, link = "identity", start = c(0.5, 0)),
                 fit(y ~ x + (x | id), people), fit(y ~ x + (1 | id) + (1 | x), people), fit(y ~ x + (1 | id), people, weights = w))
  expect_refused(fit(y ~ x + (1 | w), people), class = "no_information")
})

test_that("average truths of a random intercept are integrals, with the delta method in sigma too", {
  set.seed(8)
  people <- expand.grid(item = c("a", "b", "c", "d"), id = 1:400)
  people$age <- rnorm(400)[people$id]
  truth <- rbinom(1600, 1, plogis(c(-1, 0, 0.5, -0.5)[people$item] + 0.4 * people$age + rnorm(400, sd = 1.5)[people$id]))
  die <- rr_forced(1 / 6)
  people$report <- rr_perturb(factor(truth, 0:1, c("no", "yes")), die, rng = "R")
  cells <- data.frame(item = c("a", "c", "d"), age = c(-1, 0.3, 2), people = c(5, 2, 3))
  for (link in c("logit", "probit", "cloglog")) {
    fit <- quietly(rr_glm(report ~ item + age + (1 | id), people, die, link = link))
    expect_gt(fit$sigma, 0.3)
    curve <- stats::make.link(link)$linkinv
    x <- model.matrix(~ item + age, rbind(cells[1:2], people[c("item", "age")]))[1:3, ]
    value <- function(b, x) sum(c(0.5, 0.2, 0.3) * apply(x, 1, function(row) {
      stats::integrate(function(u) curve(sum(row * b[1:5]) + b[6] * u) * dnorm(u), -Inf, Inf, rel.tol = 1e-10)$value
    }))
    delta <- function(value) {
      b <- c(coef(fit), fit$sigma)
      gradient <- vapply(1:6, function(k) {
        h <- replace(numeric(6), k, 1e-4)
        (value(b + h) - value(b - h)) / 2e-4
      }, 0)
      c(value(b), sqrt(drop(gradient %*% fit$variance %*% gradient)))
    }
    post <- rr_effects(fit, newdata = cells, weights = people)
    found <- function(row) unlist(post[row, c("estimate", "std.error")], use.names = FALSE)
    expect_equal(found(1), delta(function(b) value(b, x)), tolerance = 1e-6)
    at <- function(column, one) {
      x[, 2:4] <- 0
      x[, column] <- one
      x
    }
    # The table has three of the four items: the first of them is the reference.
    expect_equal(found(2), delta(function(b) value(b, at("itemc", TRUE)) - value(b, at("itemc", FALSE))), tolerance = 1e-6)
    moved <- function(h) x + h * outer(rep(1, nrow(x)), colnames(x) == "age")
    expect_equal(found(4), delta(function(b) (value(b, moved(1e-3)) - value(b, moved(-1e-3))) / 2e-3), tolerance = 1e-5)
  }
  # All fitted rows: the mean of the predictions.
  expect_equal(rr_effects(fit, character())$estimate, mean(predict(fit)), tolerance = 1e-12)
  expect_error(rr_effects(fit, type = "sandwich"), class = "candor_error_argument")
})

test_that("average truths are those of the plain fit if sigma is 0, and have no standard error if it is infinite", {
  # Of two items of 300 persons both are yes 55 times; with independent reports they would be 60 times.
  pairs <- rbind(c(1, 1), c(1, 0), c(0, 1), c(0, 0))[rep(1:4, c(55, 90, 70, 85)), ]
  table <- data.frame(id = rep(1:300, each = 2), item = rep(c("a", "b"), 300), y = as.vector(t(pairs)))
  fit <- suppressWarnings(rr_glm(y ~ item + (1 | id), table, rr_warner(0.8)))
  expect_identical(c(fit$sigma, glance(fit)$icc), c(0, 0))
  # Nothing is half of an upper tail then.
  expect_identical(anova(fit$fixed, fit)$`Pr(>Chi)`[2], 1)
  # By hand: a share of (m - 0.2) / 0.6, with the binomial variance of m.
  m <- c(145, 125) / 300
  post <- rr_effects(fit, character(), newdata = data.frame(item = c("a", "b")), weights = c(2, 1))
  expect_equal(post$estimate, sum(c(2, 1) / 3 * (m - 0.2) / 0.6), tolerance = 1e-7)
  expect_equal(post$std.error, sqrt(sum(c(4, 1) / 9 * m * (1 - m) / 300 / 0.36)), tolerance = 1e-7)
  alike <- data.frame(id = rep(1:200, each = 2), y = rep(c(1, 1, 0, 0), c(100, 100, 100, 100)))
  far <- suppressWarnings(rr_glm(y ~ 1 + (1 | id), alike, rr_warner(0.8)))
  expect_identical(far$sigma, Inf)
  expect_warning(post <- rr_effects(far), class = "candor_warning_infinite")
  expect_equal(post$estimate, 0.5, tolerance = 1e-6)
  expect_true(is.na(post$std.error))
})

test_that("the study of simulated surveys has the figures of its page, and still runs", {
  table <- read_study("random-intercepts.csv.gz")
  own <- table[table$way == "rr_glm", ]
  expect_identical(c(nrow(own), sum(own$failed)), c(900L, 0L))
  held <- c(mean(own$wald_low <= 0.5 & own$wald_high >= 0.5), mean(own$profile_low <= 0.5 & own$profile_high >= 0.5))
  expect_equal(round(held, 3), c(0.951, 0.942))
  # Two standard errors of 900 surveys: 0.0145.
  expect_true(all(abs(held - 0.95) < 0.0145))
  # Simpson's rule, which the package does not use, gives the log-likelihood at the estimate.
  expect_lte(max(abs(own$loglik - own$exact)), 2e-5)
  study <- new.env()
  study$commandArgs <- function(...) c(withr::local_tempdir(), "1")
  utils::capture.output(sys.source(study_file("random-intercepts.R"), study))
  expect_equal(study$table$slope, own$slope[1], tolerance = 1e-4)
})

test_that("tables of a random intercept have the rows of broom.mixed, and the accessors of lme4", {
  withr::local_seed(1)
  data <- data.frame(x = rnorm(150), id = rep(1:50, each = 3))
  data$y <- rr_perturb(rbinom(150, 1, plogis(data$x + rnorm(50)[data$id])), rr_warner(0.9), rng = "R")
  fit <- suppressWarnings(rr_glm(y ~ x + (1 | id), data, rr_warner(0.9)))
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(table$effect, c("fixed", "fixed", "ran_pars"))
  expect_identical(table$term, c("(Intercept)", "x", "sd__(Intercept)"))
  expect_equal(table$estimate, unname(c(coef(fit), fit$sigma)))
  expect_equal(as.matrix(table[c("conf.low", "conf.high")]), confint(fit), ignore_attr = TRUE)
  expect_equal(tidy(fit, exponentiate = TRUE)$estimate, unname(c(exp(coef(fit)), fit$sigma)))
  people <- tidy(fit, effects = "ran_vals")
  expect_refused(tidy(fit, effects = "Fixed"), tidy(fit, effects = c("fixed", "none")))
  expect_identical(nrow(people), 50L)
  expect_equal(unname(confint(fit, method = "wald")["x", ]), coef(fit)[["x"]] + c(-1, 1) * qnorm(0.975) * table$std.error[2])
  expect_equal(glance(fit)$icc, fit$sigma^2 / (fit$sigma^2 + pi^2 / 3))
  expect_identical(formula(fit), y ~ x + (1 | id), ignore_formula_env = TRUE)
  skip_if_not_installed("lme4")
  expect_equal(lme4::ranef(fit)[, 1], people$estimate)
  expect_identical(lme4::fixef(fit), coef(fit))
  expect_equal(lme4::VarCorr(fit)$std.dev, fit$sigma)
})

test_that("the ladder goes from 0 to 32 by doubling, with coefficients in proportion, until the value has fallen by 20", {
  sigmas <- 2^(-1:5)
  ladder <- function(link, value, heights) {
    starts <<- NULL
    with_calls(mixed_ladder, mixed_climb = function(model, start, sigma, tolerance) {
      starts <<- cbind(starts, start)
      list(point = c(1.1 * start, sigma), value = heights[sigmas == sigma])
    })(list(kernel = list(link = link)), c(1, -2), value)
  }
  starts <- NULL
  for (link in 0:3) {
    rungs <- ladder(link, -60, c(-50, -30, -49, -49.9, -40, -45, -90))
    expect_identical(vapply(rungs, function(rung) rung$point[3], 0), c(0, sigmas))
    expect_identical(rungs[[1]], list(point = c(1, -2, 0), value = -60))
    # The logit is flatter than the probit by 0.346, and so on.
    expect_equal(starts, c(1, -2) %o% (1.1^(0:6) * sqrt(1 + c(0.346, 1, 0.5, 1)[link + 1] * sigmas^2)), ignore_attr = TRUE)
  }
  # From 2 on: at 0.5 and 1 the value may rise again.
  expect_length(ladder(0L, -5, c(-30, -30, -26, -1, -1, -1, -1)), 4)
  expect_length(ladder(0L, -60, c(-50, -30, -49, -50.1, -1, -1, -1)), 5)
})

test_that("the supremum is the highest end of climbs from the peaks of the ladder, sigma 0, or the limit if it is as high", {
  begun <- NULL
  maximum <- function(values, ends = NULL, far = NULL) {
    begun <<- NULL
    ladder <- Map(function(sigma, value) list(point = c(9, sigma), value = value), c(0, 0.5, 1, 2, 4, 8), values)
    with_calls(mixed_maximum,
      mixed_ladder = function(model, b, value) ladder,
      mixed_end = function(model, start) {
        begun <<- c(begun, start[2])
        end <- ends[[as.character(start[2])]] %||% c(start[2], -50)
        list(point = c(7, end[1]), value = end[2], sigma = end[1])
      },
      mixed_far = function(model, maxima) far
    )(list(size = 1L), 3, values[1])
  }
  values <- c(-10, -8, -9, -7, -7.5, -12)
  best <- maximum(values, list(`0.5` = c(0.6, -7.9), `2` = c(2.2, -6.9)))
  expect_setequal(begun, c(0.5, 2))
  expect_identical(best[1:4], list(point = c(7, 2.2), value = -6.9, sigma = 2.2, ladder = data.frame(sigma = c(0, 0.5, 1, 2, 4, 8), loglik = values)))
  expect_true(best$rival)
  expect_null(best$limit)
  expect_false(maximum(values, list(`0.5` = c(2.25, -7.9), `2` = c(2.2, -6.9)))$rival)
  expect_false(maximum(values, list(`0.5` = c(0.6, -9.9), `2` = c(2.2, -6.9)))$rival)
  # A tiny sigma is 0, with the value of the fit without it, and is no rival of itself.
  zero <- maximum(values, list(`0.5` = c(1e-6, -9.9), `2` = c(2.2, -11)))
  expect_identical(zero[1:3], list(point = c(3, 0), value = -10, sigma = 0))
  expect_true(zero$rival)
  # The end beyond 40 is none.
  for (fall in c(5e-7, 2e-6)) {
    best <- maximum(values, list(`0.5` = c(0.6, -7.9), `2` = c(50, -1)), list(value = -7.9 - fall))
    expect_identical(best$sigma, 0.6)
    expect_identical(best$limit, if (fall < 1e-6) list(value = -7.9 - fall))
  }
  # The first step is climbed from in any case, a peak at the ends from the rung within.
  maximum(c(-1, -2, -3, -4, -5, -6))
  expect_identical(begun, 0.5)
  maximum(c(-9, -8, -7, -6, -5, -4))
  expect_setequal(begun, c(8, 0.5))
  maximum(c(-9, -8, -8, -9, -9.5, -10))
  expect_setequal(begun, c(0.5, 1))
})

test_that("an end is climbed to on finer grids until it stands still, with sigma above 0; edges with weight ask for a wider one", {
  asked <- function(values) {
    calls <- NULL
    result <- with_calls(mixed_end, mixed_climb = function(model, start, halvings = 0) {
      calls <<- c(calls, halvings)
      list(point = start + c(1, 0), value = values[halvings + 1])
    })(list(size = 1), c(0, -2))
    list(calls, result)
  }
  expect_identical(asked(c(-5, -5 + 5e-10, 0)), list(c(0, 1), list(point = c(2, 2), value = -5 + 5e-10, sigma = 2)))
  expect_identical(asked(c(-5, -5 - 2e-9, -4)), list(c(0, 1, 2), list(point = c(3, 2), value = -4, sigma = 2)))
  pass <- function(value, edge) {
    with_calls(mixed_value, mixed_pass = function(model, point, width = 8.5) list(value = value, edge = edge, width = width))(NULL, 1)$width
  }
  expect_identical(c(pass(-1, c(0, 0.9e-14)), pass(-1, c(0, 1.1e-14)), pass(-Inf, 1)), c(8.5, 10.5, 8.5))
})

test_that("the limit of sigma is sought from the highest point that got to 32, by its ratio", {
  limit <- function(top) function(model, ratio) list(value = top - sum(c(1, 3) * (ratio - c(0.2, -0.5))^2), gradient = -2 * c(1, 3) * (ratio - c(0.2, -0.5)))
  begun <- NULL
  far <- function(sigmas, top = -4) {
    begun <<- NULL
    maxima <- Map(function(sigma, value) list(point = c(sigma / 4, sigma / 2, sigma), value = value), sigmas, -seq_along(sigmas))
    with_calls(mixed_far, mixed_limit = function(model, ratio) {
      begun <<- begun %||% ratio
      limit(top)(model, ratio)
    })(list(size = 2), maxima)
  }
  expect_null(far(c(0, 8, 31)))
  expect_null(far(c(40, 64), -Inf))
  best <- far(c(8, 64, 32, 128))
  expect_identical(begun, c(0.25, 0.5))
  expect_equal(best, list(ratio = c(0.2, -0.5), value = -4), tolerance = 1e-7)
})
