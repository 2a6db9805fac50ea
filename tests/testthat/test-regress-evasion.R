# Evasion beside a random intercept: the vectors' maxima, variances, posteriors; the exams of ETH and Bern.

evasion_people <- function(input) {
  n <- sum(input$count)
  pattern <- input$patterns[rep(seq_along(input$count), input$count), ]
  people <- data.frame(id = rep(seq_len(n), input$items), item = factor(rep(seq_len(input$items), each = n)), y = as.vector(pattern))
  if (!is.null(input$covariate)) people$z <- rep(rep(input$covariate, input$count), input$items)
  people$arm <- paste0("q", people$item)
  people
}

evasion_arms <- function(input) stats::setNames(Map(rr_binary, input$p, input$q), paste0("q", seq_along(input$p)))

test_that("golden vectors: maximum, variance, test, posterior and prevalences", {
  for (case in golden("next_evasion")) {
    input <- case$input
    expected <- case$expected
    people <- evasion_people(input)
    by_covariate <- !is.null(input$covariate)
    fit <- suppressWarnings(rr_glm(if (by_covariate) y ~ 0 + item + z + (1 | id) else y ~ 0 + item + (1 | id), people, evasion_arms(input), arm = arm,
                                   protective = if (by_covariate) ~z else c("no", "yes")[input$safe[1] + 1]))
    own <- fit$evasion
    expect_lte(abs(fit$without$loglik / expected$without$loglik - 1), 1e-10)
    expect_golden(own$share, expected$share, 1e-7)
    expect_golden(own$statistic, expected$LR, 1e-6)
    if (!by_covariate) expect_golden(own$p.value, expected$p_value, 1e-7)
    if (expected$share == 0) {
      expect_identical(coef(fit), coef(fit$without))
      expect_identical(unique(unname(predict(fit, type = "evasion"))), 0)
      next
    }
    expect_lte(abs(fit$loglik / expected$loglik - 1), 1e-10)
    expect_golden(c(coef(fit), fit$sigma, own$coefficients), c(expected$coef, expected$sigma, expected$evasion_logit), 1e-7)
    expect_golden(own$covariance, expected$vcov_observed, 1e-7)
    if (!by_covariate) {
      expect_golden(own$std.error, expected$se_share, 1e-7)
      expect_golden(as.vector(tapply(predict(fit), people$item, mean)), expected$prevalence_of_compliers, 1e-7)
    }
    safe <- apply(input$patterns, 1, function(row) all(row == input$safe)) & input$count > 0
    person <- cumsum(c(1, input$count))[seq_along(input$count)]
    expect_golden(predict(fit, type = "evasion")[person[safe]], expected$posterior_of_safe_pattern, 1e-7)
    expect_true(all(predict(fit, type = "evasion")[person[!safe & input$count > 0]] == 0))
  }
})

test_that("exams at ETH and in Bern: 6 per cent evade, and the device matters more than the class", {
  path <- Sys.getenv("CANDOR_SHARED_DATA")
  skip_if(!nzchar(path) || !file.exists(file.path(path, "ethbe_forced_patterns.csv")))
  cells <- read.csv(file.path(path, "ethbe_forced_patterns.csv"), colClasses = "character")
  row <- rep(seq_len(nrow(cells)), as.numeric(cells$Freq))
  bits <- do.call(rbind, strsplit(cells$pattern, ""))[row, ]
  people <- data.frame(id = rep(seq_along(row), 5), item = factor(rep(1:5, each = length(row))), y = as.numeric(bits),
                       group = ifelse(as.numeric(cells$p1[row]) < 0.7, "die", "card"))
  fit <- function(card) {
    suppressWarnings(rr_glm(y ~ 0 + item + (1 | id), people, list(die = rr_binary(2 / 3 + 1 / 6, 1 / 6), card = rr_binary(3 / 4 + card, card)),
                            arm = group, protective = "no"))
  }
  sixth <- fit(1 / 6)
  expect_equal(c(sixth$without$loglik, sixth$loglik), c(-3643.6825, -3640.5400), tolerance = 1e-8)
  expect_equal(c(sixth$evasion$statistic, sixth$evasion$share, sixth$evasion$std.error, sixth$without$sigma, sixth$sigma),
               c(6.285, 0.0585, 0.0233, 2.44, 1.80), tolerance = 5e-3)
  expect_identical(coef(sixth)[["item5"]], -Inf)
  prevalence <- function(fit) as.vector(tapply(predict(fit), people$item, mean))
  # Published to three digits.
  expect_equal(round(prevalence(sixth$without), 3), c(0.247, 0.158, 0.003, 0.029, 0))
  expect_equal(round(prevalence(sixth), 3), c(0.277, 0.183, 0.006, 0.040, 0))
  eighth <- fit(1 / 8)
  expect_equal(c(eighth$without$loglik, eighth$loglik), c(-3653.8315, -3652.0389), tolerance = 1e-8)
  expect_equal(c(eighth$evasion$statistic, eighth$evasion$share, eighth$evasion$std.error), c(3.585, 0.0532, 0.0284), tolerance = 2e-3)
})

evading_survey <- function(n, items, gamma, seed, mechanism = rr_forced(1 / 6), sigma = 1.2) {
  set.seed(seed)
  people <- expand.grid(item = factor(seq_len(items)), id = seq_len(n))
  evades <- runif(n) < gamma
  truth <- rbinom(n * items, 1, plogis(-1.5 + 0.3 * as.numeric(people$item) + sigma * rnorm(n)[people$id]))
  people$y <- ifelse(evades[people$id], 0, rbinom(n * items, 1, rr_matrix(mechanism)[truth + 1, 2]))
  people
}

test_that("the likelihood written out, with weights, offsets and another link", {
  people <- evading_survey(150, 4, 0.3, 4)
  people$w <- rep(c(1, 2, 3), length.out = 150)[people$id]
  people$o <- rep(c(-0.2, 0, 0.1), length.out = 150)[people$id]
  fit <- suppressWarnings(rr_glm(y ~ item + offset(o) + (1 | id), people, rr_forced(1 / 6), link = "probit", weights = w, protective = "no"))
  device <- rr_matrix(rr_forced(1 / 6))[, 2]
  # The trapezoidal rule converges faster than any power of its step where the integrand and all its derivatives vanish at both ends.
  u <- seq(-9, 9, length.out = 201)
  nodes <- dnorm(u) * diff(u)[1]
  # Respondents of the same answers and offset have the same likelihood: it is computed once, with their weights added up.
  kind <- vapply(split(people, people$id), function(one) paste(c(one$y, one$o[1]), collapse = " "), "")
  worth <- as.vector(tapply(people$w[!duplicated(people$id)], factor(kind, unique(kind)), sum))
  kinds <- people[people$id %in% which(!duplicated(kind)), ]
  x <- model.matrix(~item, kinds)
  safe <- as.vector(tapply(kinds$y, kinds$id, sum)) == 0
  loglik <- function(at) {
    eta <- drop(x %*% at[1:4]) + kinds$o
    yes <- device[1] + diff(device) * pnorm(outer(eta, at[5] * u, `+`))
    groups <- drop(exp(rowsum(log(kinds$y * yes + (1 - kinds$y) * (1 - yes)), kinds$id)) %*% nodes)
    gamma <- plogis(at[6])
    sum(worth * log((1 - gamma) * groups + gamma * safe))
  }
  at <- unname(fit$evasion$point)
  expect_equal(fit$loglik, loglik(at), tolerance = 1e-10)
  expect_equal(unname(solve(fit$evasion$covariance)), -optimHess(at, loglik, control = list(ndeps = rep(1e-4, 6))), tolerance = 1e-4)
  # The profile's end: the likelihood at its best over the others has fallen by the quantile.
  end <- confint(fit, "self-protective", method = "profile")[2]
  best <- optim(at[1:5], function(b) -loglik(c(b, qlogis(end))), method = "BFGS", control = list(reltol = 1e-13))
  expect_equal(2 * (fit$loglik + best$value), qchisq(0.95, 1), tolerance = 1e-3)
  # Wald's interval of the share, on its logit.
  share <- fit$evasion$share
  half <- qnorm(0.975) * fit$evasion$std.error / (share * (1 - share))
  expect_equal(unname(confint(fit, "self-protective")[1, ]), plogis(qlogis(share) + c(-half, half)), tolerance = 1e-9)
  expect_equal(confint(fit, "sigma")[[2]], fit$sigma * exp(1.959964 * sqrt(fit$evasion$covariance["sigma", "sigma"]) / fit$sigma), tolerance = 1e-6)
})

test_that("methods: tables, tests, reports, simulation", {
  people <- evading_survey(600, 5, 0.2, 6)
  people$female <- rep(0:1, 300)[people$id]
  fit <- rr_glm(y ~ 0 + item + (1 | id), people, rr_forced(1 / 6), protective = ~female)
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(table$term[7:8], paste0("self-protective:", c("(Intercept)", "female")))
  expect_identical(table$effect, c(rep("fixed", 5), "ran_pars", "evasion", "evasion"))
  gamma <- plogis(sum(table$estimate[7:8]))
  expect_equal(predict(fit, data.frame(item = "2", female = 1), type = "evasion")[[1]], gamma, tolerance = 1e-10)
  truth <- predict(fit, data.frame(item = "2", female = 1))[[1]]
  expect_equal(predict(fit, data.frame(item = "2", female = 1), type = "report")[[1]], (1 - gamma) * (1 / 6 + 2 / 3 * truth), tolerance = 1e-10)
  constant <- rr_glm(y ~ 0 + item + (1 | id), people, rr_forced(1 / 6), protective = "no")
  test <- anova(constant, constant$without)
  expect_equal(test[["Pr(>Chi)"]][2], constant$evasion$p.value, tolerance = 1e-10)
  expect_equal(mean(unlist(simulate(constant, 20, seed = 3)) == "yes"), mean(fitted(constant)), tolerance = 0.02)
  expect_snapshot(print(constant))
})

test_that("what cannot tell evasion is refused", {
  people <- evading_survey(100, 3, 0.2, 1)
  people$half <- rep(0:1, 150)
  fit <- function(data = people, formula = y ~ 0 + item + (1 | id), ...) rr_glm(formula, data, rr_forced(1 / 6), ...)
  expect_refused(fit(people[people$item != "3", ], protective = "no"), class = "no_information")
  expect_refused(fit(people[people$item == "1", ], y ~ 1 + (1 | id), protective = "no"), class = "no_information")
  expect_refused(fit(protective = "never"), fit(protective = ~half), fit(protective = y ~ half), fit(protective = 1),
                 fit(formula = y ~ item, protective = "no"), fit(protective = "no", penalty = "prior"))
})

test_that("the share's interval covers, and nobody evading is found rarely", {
  # 40 surveys of the smallest setting: 95 per cent, with a simulation error of 3.4, leave 86 and more.
  inside <- vapply(1:40, function(seed) {
    fit <- suppressWarnings(rr_glm(y ~ 0 + item + (1 | id), evading_survey(800, 4, 0.15, seed), rr_forced(1 / 6), protective = "no"))
    ends <- confint(fit, "self-protective")
    c(ends[1] <= 0.15 && 0.15 <= ends[2], fit$evasion$p.value < 0.05)
  }, c(NA, NA))
  expect_gt(mean(inside[1, ]), 0.86)
  expect_gt(mean(inside[2, ]), 0.5)
})

test_that("a share that is estimated as 0 has a profile interval, and the others keep theirs", {
  people <- withr::with_seed(1, {
    id <- rep(1:400, each = 5)
    item <- rep(1:5, 400)
    u <- rnorm(400, 0, 1.2)
    truth <- rbinom(2000, 1, plogis(c(-1.5, -1.2, -0.9, -0.5, -1)[item] + u[id]))
    data.frame(id, item = factor(item), y = rbinom(2000, 1, 1 / 6 + 2 / 3 * truth))
  })
  fit <- rr_glm(y ~ 0 + item + (1 | id), people, rr_forced(1 / 6), protective = "no")
  expect_identical(fit$evasion$share, 0)
  limits <- confint(fit, c("item1", "sigma", "self-protective"), method = "profile")
  expect_true(all(is.finite(limits)))
  expect_identical(limits[3, 1], 0)
  # The likelihood written out on 121 nodes, at its best over items and sigma with the share at the limit.
  patterns <- matrix(people$y, 400, byrow = TRUE)
  u <- seq(-7, 7, length.out = 121)
  density <- dnorm(u) * (u[2] - u[1])
  loglik <- function(b, share) {
    report <- 1 / 6 + 2 / 3 * plogis(outer(b[6] * u, b[1:5], `+`))
    given <- exp(log(report) %*% t(patterns) + log(1 - report) %*% t(1 - patterns))
    sum(log((1 - share) * drop(density %*% given) + share * (rowSums(patterns) == 0)))
  }
  best <- function(share) {
    optim(c(coef(fit), fit$sigma), loglik, share = share, method = "BFGS",
          control = list(fnscale = -1, reltol = 1e-10))$value
  }
  expect_equal(2 * (best(0) - best(limits[3, 2])), qchisq(0.95, 1), tolerance = 1e-4)
})

test_that("evasion by a covariate beside two devices that deny by opposite reports: shares, intercepts and reports by quadrature", {
  devices <- list(card = rr_crosswise(0.15, levels = c("no", "yes")), die = rr_forced(1 / 6))
  q <- c(0.85, 1 / 6)
  d <- c(-0.7, 2 / 3)
  people <- withr::with_seed(9, {
    id <- rep(sample(120), 4)
    item <- rep(1:4, each = 120)
    device <- 1 + (id + item) %% 2
    truth <- rbinom(480, 1, plogis(c(-1, -0.5, 0, -1.5)[item] + 1.3 * rnorm(120)[id]))
    evades <- runif(120) < ifelse(seq_len(120) %% 3 == 0, 0.4, 0.1)
    y <- ifelse(evades[id], device == 1, rbinom(480, 1, q[device] + d[device] * truth))
    data.frame(id, item = factor(item), arm = names(devices)[device], y, v = c(1, 0, 0)[1 + id %% 3], w = c(1, 2)[1 + id %% 2])
  })
  fit <- quietly(suppressWarnings(rr_glm(y ~ 0 + item + (1 | id), people, devices, arm = arm, weights = w, protective = ~v)))
  own <- fit$evasion
  at <- unname(own$point)
  u <- seq(-8, 8, length.out = 161)
  nodes <- dnorm(u) * diff(u)[1]
  device <- match(people$arm, names(devices))
  yes <- q[device] + d[device] * plogis(outer(at[1:4][people$item], at[5] * u, `+`))
  joint <- exp(rowsum(log(people$y * yes + (1 - people$y) * (1 - yes)), people$id))
  one <- people[match(1:120, people$id), ]
  safe <- drop(rowsum(1 * (people$y != (device == 1)), people$id)) == 0
  gamma <- plogis(at[6] + at[7] * one$v)
  follow <- drop(joint %*% nodes)
  total <- (1 - gamma) * follow + gamma * safe
  expect_equal(fit$loglik, sum(one$w * log(total)), tolerance = 1e-9)
  tau <- gamma * safe / total
  expect_equal(unname(predict(fit, type = "evasion")), unname(tau[people$id]), tolerance = 1e-7)
  # Persons who evade may have any intercept.
  density <- (1 - tau) * joint / follow + tau
  mean <- drop(density %*% (nodes * u))
  random <- fit$random[match(1:120, fit$random$level), ]
  expect_equal(random$estimate, unname(at[5] * mean), tolerance = 1e-6)
  expect_equal(random$std.error, unname(at[5] * sqrt(drop(density %*% (nodes * u^2)) - mean^2)), tolerance = 1e-6)
  weight <- one$w / sum(one$w)
  expect_gt(own$share, 0.05)
  expect_equal(own$share, sum(weight * gamma), tolerance = 1e-10)
  slope <- colSums(weight * gamma * (1 - gamma) * cbind(1, one$v))
  expect_equal(own$std.error, sqrt(drop(slope %*% own$covariance[6:7, 6:7] %*% slope)), tolerance = 1e-8)
  expect_equal(own$statistic, 2 * (fit$loglik - fit$without$loglik), tolerance = 1e-10)
  expect_equal(own$p.value, pchisq(own$statistic, 2, lower.tail = FALSE), tolerance = 1e-10)
  expect_identical(fit$df, 7)
  new <- data.frame(item = c("2", "4", "4"), arm = c("card", "die", "card"), v = c(0, 1, 1))
  use <- c(1, 2, 1)
  truth <- drop(plogis(outer(at[c(2, 4, 4)], at[5] * u, `+`)) %*% nodes)
  gamma <- plogis(at[6] + at[7] * new$v)
  expect_equal(unname(predict(fit, new, type = "report")), (1 - gamma) * (q[use] + d[use] * truth) + gamma * c(1, 0, 1), tolerance = 1e-7)
  expect_equal(unname(predict(fit, new)), truth, tolerance = 1e-7)
  # At a point that is no maximum, in coordinates of its own: value, gradient, its derivative, and the squares of the persons' scores.
  persons <- function(at) {
    yes <- q[device] + d[device] * plogis(outer(at[1:4][people$item], at[5] * u, `+`))
    joint <- exp(rowsum(log(people$y * yes + (1 - people$y) * (1 - yes)), people$id))
    gamma <- plogis(at[6] + at[7] * one$v)
    log((1 - gamma) * drop(joint %*% nodes) + gamma * safe)
  }
  model <- evasion_model(own$groups, 1)
  off <- backsolve(model$slope(), at) + c(0.3, -0.2, 0.4, 0.1, 0.2, -0.3, 0.25)
  state <- model$kernel$evaluate(off, 2L)
  expect_equal(state$value, sum(one$w * persons(model$natural(off))), tolerance = 1e-9)
  scores <- difference_gradient(function(v) persons(model$natural(v)), off)
  expect_equal(state$gradient, colSums(one$w * scores), tolerance = 1e-5, ignore_attr = TRUE)
  expect_equal(state$fallback, crossprod(scores, one$w * scores), tolerance = 1e-5, ignore_attr = TRUE)
  curvature <- -difference_gradient(function(v) model$kernel$evaluate(v, 2L)$gradient, off)
  expect_equal(state$observed, curvature, tolerance = 1e-5, ignore_attr = TRUE)
  # One report may be named in place of the device's: then it denies in all rows.
  expect_identical(denying_reports(fit$fixed, list(y = 0:1), "yes"), c(1, 1))
  expect_identical(denying_reports(fit$fixed, list(y = 0:1), "no"), c(0, 0))
})

test_that("one question asked several times: evasion beside an intercept alone, and a person with one answer", {
  # Numbers of yes among four answers of a person, by people of each number.
  people <- c(60, 20, 30, 25, 15)
  answers <- data.frame(id = rep(1:150, each = 4), y = unlist(lapply(rep(0:4, people), function(yes) rep(1:0, c(yes, 4 - yes)))))
  answers <- rbind(answers, data.frame(id = 151, y = 1))
  fit <- quietly(suppressWarnings(rr_glm(y ~ 1 + (1 | id), answers, rr_warner(0.9), protective = "no")))
  u <- seq(-8, 8, length.out = 161)
  loglik <- function(b) {
    yes <- 0.1 + 0.8 * plogis(b[1] + b[2] * u)
    share <- vapply(0:4, function(k) sum(yes^k * (1 - yes)^(4 - k) * dnorm(u)) * 0.1, 0)
    alone <- sum(yes * dnorm(u)) * 0.1
    sum(people * log((1 - plogis(b[3])) * share + plogis(b[3]) * c(1, 0, 0, 0, 0))) + log((1 - plogis(b[3])) * alone)
  }
  at <- unname(fit$evasion$point)
  best <- optim(c(0, 1, -1), loglik, method = "BFGS", control = list(fnscale = -1, reltol = 1e-14))
  expect_equal(c(fit$loglik, best$value), rep(loglik(at), 2), tolerance = 1e-8)
  expect_equal(unname(solve(fit$evasion$covariance)), -optimHess(at, loglik, control = list(ndeps = rep(1e-4, 3))), tolerance = 1e-4)
  # The highest log-likelihood at a value of one of them, also from where nobody evades.
  nobody <- fit$evasion
  nobody$share <- 0
  nobody$point[3] <- -Inf
  for (j in 1:3) {
    value <- at[j] + c(0.4, -0.3, 0.5)[j]
    others <- optim(at[-j], function(b) loglik(append(b, value, j - 1)), method = "BFGS", control = list(fnscale = -1, reltol = 1e-14))
    expect_equal(evasion_height(fit$evasion, j, value), others$value, tolerance = 1e-8)
    if (j < 3) expect_equal(evasion_height(nobody, j, value), others$value, tolerance = 1e-8)
  }
})

test_that("limits of evasion: Wald's by hand, and profiles that fall by the quantile or reach 0", {
  answers_of <- function(people) {
    data.frame(id = rep(seq_len(sum(people)), each = 4), y = unlist(lapply(rep(0:4, people), function(yes) rep(1:0, c(yes, 4 - yes)))))
  }
  u <- seq(-8, 8, length.out = 121)
  reaches <- NULL
  for (people in list(c(240, 40, 50, 60, 90), c(60, 55, 48, 40, 22), c(58, 66, 66, 33, 8))) {
    fit <- quietly(suppressWarnings(rr_glm(y ~ 1 + (1 | id), answers_of(people), rr_warner(0.95), protective = "no")))
    loglik <- function(b) {
      yes <- 0.05 + 0.9 * plogis(b[1] + b[2] * u)
      share <- vapply(0:4, function(k) sum(yes^k * (1 - yes)^(4 - k) * dnorm(u)) * diff(u)[1], 0)
      sum(people * log((1 - b[3]) * share + b[3] * c(1, 0, 0, 0, 0)))
    }
    at <- c(coef(fit), fit$sigma, fit$evasion$share)
    top <- loglik(at)
    expect_equal(fit$loglik, top, tolerance = 1e-8)
    # The best of the others, the share on its logit.
    best <- function(j, value) {
      full <- function(b) {
        b <- append(b, value, j - 1)
        if (j != 3) b[3] <- plogis(b[3])
        loglik(b)
      }
      start <- replace(at, 3, qlogis(min(max(at[3], 0.01), 0.99)))[-j]
      optim(start, full, method = "BFGS", control = list(fnscale = -1, reltol = 1e-12))$value
    }
    profile <- confint(fit, level = 0.9, method = "profile")
    expect_identical(rownames(profile), c("(Intercept)", "sigma", "self-protective"))
    for (j in 1:3) for (side in 1:2) {
      fall <- 2 * (top - best(j, profile[j, side]))
      if (side == 1 && j > 1 && profile[j, 1] == 0) expect_lte(fall, qchisq(0.9, 1)) else expect_equal(fall, qchisq(0.9, 1), tolerance = 1e-3)
      expect_true(if (side == 1) profile[j, 1] < at[j] else profile[j, 2] > at[j])
    }
    reaches <- rbind(reaches, profile[2:3, 1] == 0)
    wald <- confint(fit, level = 0.9)
    error <- sqrt(diag(fit$evasion$covariance))
    half <- qnorm(0.95) * error
    b <- unname(fit$evasion$point)
    expect_equal(unname(wald), unname(rbind(b[1] + c(-1, 1) * half[1], b[2] * exp(c(-1, 1) * half[2] / b[2]), plogis(b[3] + c(-1, 1) * half[3]))),
                 tolerance = 1e-10)
  }
  expect_identical(unname(reaches), cbind(c(FALSE, FALSE, TRUE), c(FALSE, TRUE, TRUE)))
})

test_that("the posterior of evasion is Bayes' rule, and if nobody evades a likelihood stays, however small", {
  groups <- list(v = cbind(1, c(0, 1, 1)), safe = c(TRUE, FALSE, TRUE))
  follow <- c(0.2, 0.3, 0.5)
  gamma <- plogis(c(-1, -0.5, -0.5))
  total <- (1 - gamma) * follow + gamma * groups$safe
  expect_equal(evasion_posterior(groups, log(follow), c(-1, 0.5)),
               list(gamma = gamma, slack = 1 - gamma, tau = gamma * groups$safe / total, loglik = log(total)))
  loglik <- c(-800, -1, -800)
  expect_identical(evasion_posterior(groups, loglik, c(-Inf, -Inf)), list(gamma = numeric(3), slack = c(1, 1, 1), tau = numeric(3), loglik = loglik))
})

test_that("evasion is climbed for from the fit without it and from one without intercepts, and must raise its log-likelihood", {
  groups <- list(size = 1L, x = matrix(1, 2, 1, dimnames = list(NULL, "(Intercept)")), v = cbind(c(1, 1)))
  without <- list(point = c(-1, 0.8), fixed = list(point = c(other = 9, `(Intercept)` = -0.5)), loglik = -10)
  begun <- NULL
  maximum <- function(values, estimate = c(-1, 0.9, -3), limit = NULL) {
    begun <<- NULL
    with_calls(evasion_maximum,
      evasion_model = function(groups, halvings = 0) list(halvings = halvings, slope = function() diag(3)),
      highest_maximum = function(model, starts) {
        begun <<- c(begun, list(unname(starts)))
        list(b = c(0.5, -1.5, -2), value = values[1 + model$halvings], values = values[1] - c(0, 1.9, 2.1))
      },
      fit_likelihood = function(model, best) list(estimate = estimate, coefficients = estimate, vcov = diag(3))
    )(groups, c(without, list(limit = limit)))
  }
  shares <- qlogis(c(0.02, 0.1, 0.3))
  found <- maximum(c(-9, -9))
  # The finer grid begins at the end of the coarser one; the likelihood is even in sigma.
  expect_equal(begun, list(cbind(rbind(-1, 0.8, shares), rbind(-0.5, 0.5, shares), deparse.level = 0), cbind(c(0.5, 1.5, -2))), ignore_attr = TRUE)
  expect_identical(found, list(estimate = c(-1, 0.9, -3), coefficients = c(-1, 0.9, -3), vcov = diag(3), starts = c(-9, -10.9)))
  expect_null(maximum(c(-10 + 5e-8, -9)))
  expect_null(maximum(c(-9, -10 + 5e-8)))
  # Without evasion the likelihood is higher where sigma is infinite.
  expect_null(maximum(c(-9, -9), limit = list(value = -8)))
  expect_refused(maximum(c(-9, -9), c(-1, 41, -3)), class = "no_information")
  expect_identical(maximum(c(-9, -9), c(-1, 39, -3))$estimate[2], 39)
  zero <- maximum(c(-9, -9), c(-1, 5e-5, -3))
  expect_identical(zero[c("estimate", "coefficients")], list(estimate = c(-1, 0, -3), coefficients = c(-1, 0, -3)))
  expect_identical(zero$vcov, rbind(c(1, NA, 0), NA, c(0, NA, 1)))
})

test_that("if nobody evades the fit is that without the class, at a share of 0, but for an infinite sigma", {
  without <- list(point = c(-1, 0.8), variance = diag(2:3), loglik = -10, starts = -10, infinite = character())
  none <- evasion_none(without, list(v = cbind(1, 1:2)))
  V <- matrix(NA_real_, 4, 4)
  V[1:2, 1:2] <- diag(2:3)
  expect_identical(none[c("coefficients", "estimate", "vcov")], list(coefficients = c(-1, 0.8, -Inf, -Inf), estimate = c(-1, 0.8, -Inf, -Inf), vcov = V))
  expect_identical(none[c("loglik", "starts", "infinite")], without[c("loglik", "starts", "infinite")])
  expect_refused(evasion_none(c(without, list(limit = list(value = -9))), NULL), class = "no_information")
})

test_that("an infinite coefficient has no profile beside evasion", {
  evasion <- list(point = c(a = -Inf, sigma = 1, share = -2), covariance = matrix(NA_real_, 3, 3), shares = list(v = cbind(`(Intercept)` = 1)))
  expect_identical(evasion_profile(list(evasion = evasion, loglik = -10), 1, 2), c(NA_real_, NA_real_))
})

test_that("evasion is climbed for in columns that are orthogonal over weighted reports, and those of the share over weighted persons", {
  x <- cbind(1, c(0, 1, 3, 2, 5, 1), c(1, 1, 0, 0, 1, 0))
  v <- cbind(1, c(2, 0, 7))
  groups <- list(x = x, person = c(1, 1, 2, 2, 2, 3), v = v, weight = c(2, 1, 4), size = 3L, names = c("a", "b", "c", "sigma", "share", "share:v"))
  model <- evasion_model(groups)
  to <- model$slope()
  worth <- c(2, 2, 1, 1, 1, 4)
  z <- x %*% to[1:3, 1:3]
  expect_equal(crossprod(z, worth * z) / sum(worth), diag(3), tolerance = 1e-10)
  share <- v %*% to[5:6, 5:6]
  expect_equal(crossprod(share, groups$weight * share) / 7, diag(2), tolerance = 1e-10)
  expect_identical(to[4, ], c(0, 0, 0, 1, 0, 0))
  expect_equal(model$metric, diag(7, 6))
  # Linear predictors of reports and logits of shares may be infinite, and sigma.
  b <- c(0.3, -1, 0.5, 0.7, -2, 0.4)
  at <- model$natural(b)
  eta <- model$unbounded(b, diag(6))$eta
  expect_equal(eta[c(1:6, 8:10)], c(drop(x %*% at[1:3]), drop(v %*% at[5:6])), tolerance = 1e-10)
})

test_that("the next report of a fitted person is by the posterior of evasion, and not by the share", {
  set.seed(9)
  n <- 150
  people <- data.frame(id = rep(1:n, each = 5), item = factor(1:5))
  truth <- rbinom(5 * n, 1, plogis(seq(-1, 1, 0.5) + rep(rnorm(n), each = 5)))
  people$y <- ifelse(rep(runif(n) < 0.25, each = 5), 0, rbinom(5 * n, 1, 1 / 6 + 2 / 3 * truth))
  fit <- quietly(rr_glm(y ~ 0 + item + (1 | id), people, rr_forced(1 / 6), protective = "no"))
  # Bayes' rule on a grid of the intercept.
  u <- seq(-8, 8, 0.02)
  report <- 1 / 6 + 2 / 3 * plogis(outer(coef(fit)[people$item], fit$sigma * u, `+`))
  joint <- exp(rowsum(log(people$y * report + (1 - people$y) * (1 - report)), people$id)) * rep(dnorm(u) * 0.02, each = n)
  share <- fit$evasion$share
  evades <- (rowsum(people$y, people$id)[, 1] == 0) * share
  tau <- evades / (evades + (1 - share) * rowSums(joint))
  follows <- rowSums(report * (joint / rowSums(joint))[people$id, ])
  expect_equal(unname(predict(fit, type = "report", random = "predicted")), unname((1 - tau[people$id]) * follows), tolerance = 1e-6)
})
