# Log-linear models of the joint truth, against the saturated and the independence fits, and against glm() without randomization.

benefit <- function() {
  questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
  rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions)
}

three_questions <- function(n = 4000, seed = 3) {
  set.seed(seed)
  a <- rbinom(n, 1, 0.4)
  b <- rbinom(n, 1, plogis(-0.8 + 1.2 * a))
  c <- 1L + rbinom(n, 2, plogis(-0.3 + 0.8 * b))
  survey <- rr_product(a = rr_warner(0.85), b = rr_forced(1 / 8), c = rr_grr(c("low", "middle", "high"), epsilon = 2))
  truth <- data.frame(a = a, b = b, c = c("low", "middle", "high")[c])
  list(tally = rr_tally(rr_perturb(truth, survey, rng = "R"), survey), truth = truth)
}

test_that("the saturated model is the maximum likelihood estimate of the product", {
  tally <- three_questions()$tally
  fit <- rr_loglinear(~ a * b * c, tally)
  mle <- rr_estimate(tally)
  expect_true(all(coef(mle) > 0))
  expect_equal(as.vector(as.table(fit)), unname(coef(mle)), tolerance = 1e-8)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(mle)), tolerance = 1e-12)
  errors <- predict(fit, se.fit = TRUE)$se.fit
  expect_equal(as.vector(errors), sqrt(diag(vcov(mle))), tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(glance(fit)$deviance, 0, tolerance = 1e-6)
})

test_that("the independence model is the product of the questions' own estimates", {
  tally <- three_questions()$tally
  fit <- rr_loglinear(~ a + b + c, tally)
  own <- lapply(names(tally$mechanism$questions), function(name) {
    margin <- apply(as.table(tally), name, sum)
    rr_estimate(rr_counts(margin, tally$mechanism$questions[[name]]))
  })
  expect_equal(as.vector(as.table(fit)), as.vector(outer(outer(coef(own[[1]]), coef(own[[2]])), coef(own[[3]]))), tolerance = 1e-8)
  expect_equal(as.numeric(logLik(fit)), sum(vapply(own, function(fit) as.numeric(logLik(fit)), 0)), tolerance = 1e-12)
})

test_that("without randomization it is Poisson regression of the table", {
  table <- as.table(apply(HairEyeColor, 1:2, sum))
  exact <- function(levels) rr_channel(diag(length(levels)), levels = levels)
  survey <- rr_product(Hair = exact(rownames(table)), Eye = exact(colnames(table)))
  fit <- rr_loglinear(~ Hair + Eye, rr_counts(table, survey))
  poisson <- glm(Freq ~ Hair + Eye, poisson, as.data.frame(table), control = list(epsilon = 1e-14))
  expect_equal(unname(coef(fit)), unname(coef(poisson)[-1]), tolerance = 1e-8)
  expect_equal(unname(vcov(fit)), unname(vcov(poisson)[-1, -1]), tolerance = 1e-7)
  expect_equal(glance(fit)$deviance, deviance(poisson), tolerance = 1e-8)
  expect_identical(glance(fit)$df.residual, df.residual(poisson) + 0)
})

test_that("one interaction is the log odds ratio, with the error that the joint estimate gives it", {
  set.seed(4)
  a <- rbinom(3000, 1, 0.4)
  b <- rbinom(3000, 1, plogis(-0.5 + 1.5 * a))
  survey <- rr_product(a = rr_warner(0.85), b = rr_warner(0.9))
  tally <- rr_tally(rr_perturb(data.frame(a, b), survey, rng = "R"), survey)
  fit <- rr_loglinear(~ a * b, tally)
  share <- coef(rr_estimate(tally))
  gradient <- c(1, -1, -1, 1) / share
  expect_equal(coef(fit)[["ayes:byes"]], sum(c(1, -1, -1, 1) * log(share)), tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(vcov(fit)["ayes:byes", "ayes:byes"], drop(gradient %*% vcov(rr_estimate(tally)) %*% gradient), tolerance = 1e-6)
  # At the saturated maximum the observed information is the expected, and the model is right in any case.
  expect_equal(vcov(fit, "expected"), vcov(fit), tolerance = 1e-6)
  expect_equal(vcov(fit, "sandwich"), vcov(fit), tolerance = 1e-5)
})

test_that("groups: an association that is the same in all, as the multinomial logit has it", {
  set.seed(5)
  sex <- rbinom(4000, 1, 0.5)
  a <- rbinom(4000, 1, plogis(-0.5 + 0.6 * sex))
  b <- rbinom(4000, 1, plogis(-0.8 + a + 0.3 * sex))
  survey <- rr_product(a = rr_warner(0.85), b = rr_warner(0.9))
  reports <- rr_perturb(data.frame(a, b), survey, rng = "R")
  tally <- rr_tally(reports, survey, by = list(sex = sex))
  fit <- rr_loglinear(~ a * b * factor(sex), tally)
  other <- rr_multinom(~ sex, data.frame(reports, sex), survey)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(other)), tolerance = 1e-10)
  expect_identical(dim(predict(fit)), c(2L, 2L, 2L))
  expect_equal(as.vector(predict(fit)[, , 2]), unname(predict(other, data.frame(sex = 1))[1, ]), tolerance = 1e-6)
  same <- rr_loglinear(~ (a + b) * factor(sex) + a:b, tally)
  expect_identical(attr(logLik(fit), "df") - attr(logLik(same), "df"), 1L)
  expect_equal(sum(fitted(same)), 4000)
})

test_that("benefits: the boundary case of the literature", {
  expect_warning(fit <- rr_loglinear(~ item1 * item2, benefit()), class = "candor_warning_infinite")
  # van den Hout and van der Heijden (2002): .1650, 0, .1901, .6449.
  expect_lt(max(abs(as.vector(as.table(fit)) - c(0.6449, 0, 0.1901, 0.1650))), 0.5e-4 + 1e-12)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(rr_estimate(benefit()))), tolerance = 1e-11)
  expect_identical(unname(coef(fit)[c("item1yes", "item1yes:item2yes")]), c(-Inf, Inf))
  expect_true(all(is.na(vcov(fit)["item1yes", ])))
  errors <- predict(fit, se.fit = TRUE)$se.fit
  expect_true(all(is.finite(errors)))
  independent <- rr_loglinear(~ item1 + item2, benefit())
  expect_equal(anova(independent, fit)$Chisq[2], glance(independent)$deviance, tolerance = 1e-7)
})

test_that("the likelihood ratio test of independence has its level", {
  set.seed(6)
  survey <- rr_product(a = rr_warner(0.85), b = rr_warner(0.8))
  law <- as.vector(outer(c(0.6, 0.4), c(0.7, 0.3)) |> (\(x) t(rr_matrix(survey)) %*% as.vector(x))())
  p <- replicate(120, {
    glance(rr_loglinear(~ a + b, rr_counts(as.vector(rmultinom(1, 1500, law)), survey), starts = 1))$p.value
  })
  expect_lte(abs(mean(p < 0.05) - 0.05), 4 * sqrt(0.05 * 0.95 / 120))
})

test_that("bad input is refused", {
  tally <- benefit()
  expect_refused(rr_loglinear(item1 ~ item2, tally), rr_loglinear(~ item3, tally), rr_loglinear(~ 1, tally), rr_loglinear(~ item1, 1))
  flat <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_binary(0.5, 0.5))
  expect_refused(rr_loglinear(~ item1, rr_counts(c(1, 2, 3, 4), flat)), class = "no_information")
})

test_that("a table that is too large for one channel: independent questions are fitted by each question's own maximum", {
  withr::local_seed(5)
  questions <- list(a = rr_grr(8, p = 0.7), b = rr_grr(8, p = 0.6), c = rr_grr(9, p = 0.8))
  data <- as.data.frame(lapply(questions, function(question) {
    k <- length(question$levels)
    rr_perturb(sample(k, 2000, TRUE, prob = k:1), question, rng = "R")
  }))
  fit <- rr_loglinear(~ a + b + c, rr_tally(data, do.call(rr_product, questions)))
  # The likelihood of independent questions is the product of theirs.
  each <- Map(function(question, reports) rr_estimate(rr_tally(reports, question), method = "mle"), questions, data)
  alone <- Map(function(question, one, reports) {
    sum(table(factor(reports, question$levels)) * log(drop(coef(one) %*% rr_matrix(question))))
  }, questions, each, data)
  constant <- as.numeric(logLik(fit)) - sum(unlist(alone))
  expect_equal(as.vector(predict(fit)), as.vector(Reduce(outer, lapply(each, coef))), tolerance = 1e-6)
  expect_equal(constant, 0, tolerance = 1e-4)
})

# ---- every number of a fit, from the law of its reports ----

loglinear_case <- function() {
  withr::local_seed(91)
  a <- rr_grr(c("x", "y", "z"), p = 0.8)
  b <- rr_binary(0.85, 0.1)
  mechanism <- rr_product(a = a, b = b)
  channel <- kronecker(rr_matrix(b), rr_matrix(a))
  n <- 900
  town <- rep(c("u", "v"), c(500, 400))
  truth_a <- sample(3, n, TRUE, c(0.5, 0.3, 0.2))
  truth_b <- rbinom(n, 1, plogis(-0.5 + 0.5 * (truth_a == 2) - 0.4 * (truth_a == 3) + 0.3 * (town == "v")))
  data <- data.frame(a = rr_perturb(c("x", "y", "z")[truth_a], a, rng = "R"), b = rr_perturb(truth_b, b, rng = "R"), town = town)
  tally <- rr_tally(data, mechanism, by = "town")
  # Cells of the truths, a fastest, for both towns: effects of y and z, of yes, of both, and of no in the second town.
  cell <- expand.grid(a = 1:3, b = 0:1, town = 0:1)
  x <- with(cell, cbind(a == 2, a == 3, b, (a == 2) * b, (a == 3) * b, (1 - b) * town))
  shares <- function(beta) {
    e <- matrix(exp(x %*% beta), 6)
    e / rep(colSums(e), each = 6)
  }
  list(tally = tally, channel = unname(channel), shares = shares, counts = unname(tally$counts))
}

test_that("two questions of two towns: estimates, variances, predictions and deviance", {
  case <- loglinear_case()
  fit <- rr_loglinear(~ a * b + b:town, case$tally)
  beta <- unname(fit$estimate)
  # The last column is that of no with another sign, within the towns.
  expect_identical(names(coef(fit)), c("ay", "az", "byes", "ay:byes", "az:byes", "bno:townv", "byes:townv"))
  expect_equal(unname(coef(fit)), c(beta, NA))
  reports <- function(beta) crossprod(case$channel, case$shares(beta))
  total <- function(beta) sum(case$counts * log(reports(beta)))
  expect_equal(as.numeric(logLik(fit)), total(beta), tolerance = 1e-10)
  expect_lt(max(abs(difference_gradient(total, beta))), 1e-3)
  expect_equal(unname(vcov(fit)), solve(-stats::optimHess(beta, total, control = list(ndeps = rep(1e-3, 6)))), tolerance = 1e-4)
  slopes <- difference_gradient(function(beta) as.vector(log(reports(beta))), beta)
  n <- rep(colSums(case$counts), each = 6)
  expect_equal(unname(vcov(fit, "expected")), solve(crossprod(slopes * (n * as.vector(reports(beta))), slopes)), tolerance = 1e-6)
  V <- unname(vcov(fit))
  expect_equal(unname(vcov(fit, "sandwich")), V %*% crossprod(slopes * sqrt(as.vector(case$counts))) %*% V, tolerance = 1e-6)
  for (type in c("truth", "report")) {
    value <- function(beta) as.vector(if (type == "truth") case$shares(beta) else reports(beta) * n)
    found <- predict(fit, type, se.fit = TRUE)
    expect_equal(as.vector(found$fit), value(beta), tolerance = 1e-10)
    slope <- difference_gradient(value, beta)
    expect_equal(as.vector(found$se.fit), sqrt(rowSums((slope %*% V) * slope)), tolerance = 1e-6)
  }
  expect_identical(dim(predict(fit)), c(3L, 2L, 2L))
  expect_identical(as.vector(regression_reports(fit)), as.vector(case$counts))
  # The saturated model has the reports' own shares where these are possible.
  one <- glance(fit)
  deviance <- 2 * (sum(case$counts * log(case$counts / n)) - total(beta))
  expect_identical(one$df.residual, 4)
  expect_equal(c(one$deviance, one$p.value), c(deviance, pchisq(deviance, 4, lower.tail = FALSE)), tolerance = 1e-6)
  # Channels of each question, one after the other, are the channel of all.
  axes <- list(rr_matrix(rr_grr(3, p = 0.8)), rr_matrix(rr_binary(0.85, 0.1)))
  v <- matrix(sin(1:12), 6)
  expect_equal(through_axes(axes, v), crossprod(case$channel, v), ignore_attr = TRUE)
  expect_equal(through_axes(axes, v, TRUE), case$channel %*% v, ignore_attr = TRUE)
  expect_equal(through_axes(list(case$channel), v), crossprod(case$channel, v), ignore_attr = TRUE)
})

test_that("the likelihood at a point that is no maximum, with and without respondents who use no device", {
  case <- loglinear_case()
  table <- loglinear_table(~ a * b + b:town, case$tally)
  # A report that nobody gave, and one of a single respondent.
  table$worth[c(4, 9)] <- c(0, 1)
  case$counts <- table$worth
  x <- table$x
  for (free in c(FALSE, TRUE)) {
    if (free) {
      table$protective <- protective_reports(c(b = "no", a = "x"), table$questions)
      expect_identical(table$protective, c(1, 0, 0, 0, 0, 0))
      expect_refused(protective_reports(c(b = "no", c = "x"), table$questions), protective_reports(c(b = "no"), table$questions),
                     protective_reports(c(b = "no", a = "x", c = "x"), table$questions))
      table$logit <- NA
    }
    model <- loglinear_model(table)
    total <- function(v) {
      e <- matrix(exp(x %*% model$natural(v)[1:6]), 6)
      share <- if (free) plogis(v[7]) else 0
      reports <- (1 - share) * crossprod(case$channel, e / rep(colSums(e), each = 6)) + share * table$protective
      sum(case$counts * log(reports))
    }
    off <- c(0.3, -0.2, 0.4, 0.1, -0.3, 0.2, if (free) -1.5)
    expect_evaluated(model$kernel$evaluate, total, off)
    # Climbs begin at equal shares. What may be infinite: the distances of the truths below the likeliest of their town, and the logit.
    expect_equal(model$start, c(numeric(6), if (free) qlogis(0.1)))
    eta <- function(v) matrix(x %*% model$natural(v)[1:6], 6)
    top <- cbind(apply(eta(off), 2, which.max), 1:2)
    distances <- function(v) c(t(rep(eta(v)[top], each = 6) - eta(v)), v[-(1:6)])
    expect_equal(model$reach(off), max(abs(c(x %*% model$natural(off)[1:6], off[-(1:6)]))), tolerance = 1e-10)
    N <- cbind(rev(off), seq_along(off))
    expect_equal(model$unbounded(off, N), list(eta = distances(off), move = apply(N, 2, distances)), tolerance = 1e-12)
    # The fallback is the information of the truths, given the reports: that of their mean log-likelihood.
    complete <- model$kernel$evaluate(off, 2L)$fallback
    expect_true(min(eigen(complete, TRUE)$values) > 0)
    if (!free) {
      e <- matrix(exp(x %*% model$natural(off)), 6)
      theta <- e / rep(colSums(e), each = 6)
      z <- x %*% model$slope(off)
      information <- Reduce(`+`, lapply(1:2, function(g) {
        rows <- (g - 1) * 6 + 1:6
        sum(case$counts[, g]) * crossprod(z[rows, ], (diag(theta[, g]) - tcrossprod(theta[, g])) %*% z[rows, ])
      }))
      expect_equal(unname(complete), unname(information), tolerance = 1e-8)
    }
  }
})

test_that("the score of a group moves with the probability of a report as differences say, also where one person gave it", {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.2, 0.3, 0.5))
  theta <- c(0.4, 0.6)
  design <- cbind(c(-0.6, 0.4), c(1, -2 / 3))
  counts <- c(1, 5, 0)
  state <- function(C) {
    m <- drop(theta %*% C)
    list(counts = counts, theta = theta, m = m, design = design, slope = t(C) %*% (design * theta) / m)
  }
  score <- function(C) drop(counts %*% state(C)$slope)
  for (x in 1:2) {
    moved <- cell_slopes(state(C), list(matrix(1, 2, 3)), 1:2 == x)
    for (y in 1:3) {
      step <- replace(matrix(0, 2, 3), cbind(x, y), 1e-6)
      expect_equal(unname(moved[y, ]), (score(C + step) - score(C - step)) / 2e-6, tolerance = 1e-7)
    }
  }
  # One term.
  design <- design[, 1, drop = FALSE]
  expect_identical(dim(cell_slopes(state(C), list(matrix(1, 2, 3)), c(TRUE, FALSE))), c(3L, 1L))
})

test_that("questions and groups keep names that are no words of R", {
  survey <- rr_product(`drug use` = rr_warner(0.8))
  answers <- data.frame(`drug use` = rep(c("yes", "no", "yes", "no"), c(40, 60, 50, 50)), check.names = FALSE)
  tally <- rr_tally(answers, survey, by = list(`my town` = rep(c("a", "b"), each = 100)))
  fit <- rr_loglinear(~ `drug use` * `my town`, tally)
  # By hand: (0.4 - 0.2) / 0.6 = 1 / 3 in the first town, 1 / 2 in the other.
  expect_equal(unname(coef(fit)), c(-log(2), log(2)), tolerance = 1e-8)
})

test_that("degrees of freedom are the cells of each group but one, of the reports if some respondents use no device", {
  table <- list(x = matrix(0, 16, 5), counts = matrix(0, 12, 2), protective = 0)
  expect_identical(loglinear_freedom(table, 3), (8 - 1) * 2 - 3)
  expect_identical(loglinear_freedom(replace(table, "protective", list(numeric(12))), 3), (12 - 1) * 2 - 3)
})

test_that("the first question changes fastest", {
  for (q in 1:3) expect_equal(answers_to(q, c(3, 2, 4)), expand.grid(1:3, 1:2, 1:4)[[q]])
})

test_that("truths have their labels and reports theirs, and one degree of freedom is a test", {
  channel <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.3, 0.6))
  survey <- rr_product(a = rr_channel(channel, c("clean", "used"), c("no", "unclear", "yes")), b = rr_warner(0.8))
  fit <- rr_loglinear(~ a + b, rr_counts(c(120, 70, 60, 60, 45, 45), survey))
  expect_identical(dimnames(predict(fit)), list(a = c("clean", "used"), b = c("no", "yes")))
  reports <- predict(fit, "report")
  expect_identical(dimnames(reports), list(a = c("no", "unclear", "yes"), b = c("no", "yes")))
  expect_equal(unname(reports), 400 * t(channel) %*% unname(predict(fit)) %*% unname(rr_matrix(rr_warner(0.8))), tolerance = 1e-10)
  # Four truths have three degrees of freedom, of which two are used.
  one <- glance(fit)
  expect_identical(one$df.residual, 1)
  expect_equal(one$p.value, pchisq(one$deviance, 1, lower.tail = FALSE))
})

test_that("one question is one term, with the binomial error of its share; one respondent is one report, and none are no tally", {
  errors <- predict(rr_loglinear(~report, rr_counts(c(120, 80), rr_warner(0.8))), se.fit = TRUE)$se.fit
  expect_equal(as.vector(errors), rep(sqrt(0.24 / 200) / 0.6, 2), tolerance = 1e-7)
  expect_error(rr_loglinear(~report, rr_counts(c(0, 0), rr_warner(0.8))), class = "candor_error_empty")
  expect_identical(unname(loglinear_table(~report, rr_counts(c(1, 0), rr_warner(0.8)))$worth), cbind(c(1, 0)))
})

test_that("weights count with the number of respondents that they are worth, in each group", {
  yes <- rep(c(1, 0, 1, 0), c(40, 60, 110, 90))
  town <- rep(c("a", "b"), c(100, 200))
  weights <- c(rep(c(1, 2), 50), rep(c(1, 1, 4, 1), 50))
  tally <- rr_tally(yes, rr_warner(0.8), by = list(town = town), weights = weights)
  fit <- rr_loglinear(~ report * town, tally)
  sums <- function(x) as.vector(tapply(x, town, sum))
  m <- sums(weights * yes) / sums(weights)
  share <- (m - 0.2) / 0.6
  worth <- sums(weights)^2 / sums(weights^2)
  variance <- m * (1 - m) / worth / 0.6^2 / (share * (1 - share))^2
  expect_equal(unname(coef(fit)), qlogis(share) - c(0, qlogis(share[1])), tolerance = 1e-7)
  expect_equal(unname(vcov(fit)), cbind(variance[1] * c(1, -1), c(-variance[1], sum(variance))), tolerance = 1e-7)
  expect_equal(as.numeric(logLik(fit)), sum(worth * (m * log(m) + (1 - m) * log(1 - m))), tolerance = 1e-10)
})

test_that("a table of truths has at most 65,536 cells, those of all groups counted", {
  questions <- stats::setNames(rep(list(rr_warner(0.8)), 8), letters[1:8])
  of_groups <- function(n) list(counts = matrix(0, 1, n), groups = list(town = seq_len(n)))
  cells <- truth_cells(questions, of_groups(256))
  # The first question changes fastest, groups are the last.
  expect_identical(lapply(cells[c(2, 3, 257), c("a", "b", "h", "town")], as.vector),
                   list(a = c("yes", "no", "no"), b = c("no", "yes", "no"), h = c("no", "no", "no"), town = c(1L, 1L, 2L)))
  expect_identical(dim(cells), c(65536L, 9L))
  expect_refused(truth_cells(questions, of_groups(257)))
})

test_that("a group without reports counts nothing, one report counts as one, and none at all is refused", {
  fit <- rr_loglinear(~report, rr_counts(cbind(a = c(60, 40), b = c(0, 0), c = c(0, 1)), rr_warner(0.8)))
  expect_equal(coef(fit), c(reportyes = qlogis((41 / 101 - 0.2) / 0.6)), tolerance = 1e-8)
  expect_identical(fit$n, 101)
  expect_refused(rr_loglinear(~report, rr_counts(c(0, 0), rr_warner(0.8))), class = "empty")
})

test_that("shares stay finite far out, and a report that is impossible and that nobody gave takes nothing from the likelihood", {
  table <- loglinear_table(~report, rr_counts(cbind(a = c(no = 7, yes = 0), b = c(3, 0)), rr_binary(1, 0)))
  # One column, which is -1/2 and 1/2 in each group.
  expect_equal(unname(table$x[, 1]), c(-0.5, 0.5, -0.5, 0.5))
  expect_equal(loglinear_shares(table, log(3)), cbind(c(0.25, 0.75), c(0.25, 0.75)))
  expect_equal(loglinear_shares(table, 2000), cbind(0:1, 0:1))
  expect_equal(loglinear_shares(table, -2000), cbind(1:0, 1:0))
  expect_equal(loglinear_value(table, table$x, -2000, 0L)$value, 0)
  expect_equal(loglinear_value(table, table$x, log(3), 0L)$value, 10 * log(0.25))
  expect_identical(loglinear_value(table, table$x, 2000, 0L)$value, -Inf)
})

test_that("the table of a log-linear model has no intervals unless they are wanted, and no parameters but with a share", {
  fit <- rr_loglinear(~ item1 + item2, benefit())
  table <- tidy(fit)
  expect_identical(table$term, names(coef(fit)))
  expect_false("conf.low" %in% names(table))
  limits <- tidy(fit, conf.int = TRUE, conf.level = 0.9, exponentiate = TRUE)
  error <- sqrt(diag(vcov(fit)))
  expect_equal(limits$conf.high, unname(exp(coef(fit) + qnorm(0.95) * error)), tolerance = 1e-10)
  expect_refused(tidy(fit, type = "parameters"))
  protective <- rr_loglinear(~ item1 + item2, benefit(), protective = "no", starts = 5)
  expect_identical(tidy(protective)$term, c(names(coef(protective)), "self-protective"))
  expect_identical(tidy(protective, type = "parameters")$term, "self-protective")
  expect_equal(tidy(protective)[3, ], tidy(protective, type = "parameters"))
})
