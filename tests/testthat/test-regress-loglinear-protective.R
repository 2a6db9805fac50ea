# Respondents who protect themselves: the golden vectors (Newton in 34 digits), the survey of exam cheating, simulation.

protective_case <- function(input) {
  names <- paste0("q", seq_len(input$questions))
  survey <- do.call(rr_product, stats::setNames(Map(rr_kuk, input$p, input$q), names))
  terms <- vapply(input$terms, function(term) paste(names[term], collapse = ":"), "")
  list(tally = rr_counts(input$counts, survey), formula = stats::reformulate(terms), names = names, answer = if (input$safe == "all no") "no" else "uniform")
}

apply_margins <- function(table) vapply(seq_along(dim(table)), function(i) apply(table, i, sum)[[2]], 0)

test_that("golden vectors", {
  # Each number of questions, set of terms and safe answer, with somebody and nobody who is protective.
  for (case in golden("self_protective")[extended(c(1, 3, 5, 6, 9, 10, 14, 18, 20, 22, 25, 26, 29, 30), 1:31)]) {
    wanted <- case$expected
    given <- protective_case(case$input)
    none <- wanted$self_protective == 0
    fit <- withCallingHandlers(rr_loglinear(given$formula, given$tally, protective = given$answer),
                               candor_message_boundary = function(m) {
                                 expect_true(none)
                                 invokeRestart("muffleMessage")
                               })
    row <- tidy(fit, type = "parameters")
    expect_goldens(list(coef = unname(coef(fit)), se_coef = unname(sqrt(diag(vcov(fit)))), self_protective = row$estimate, p_value = row$p.value,
                        truth = as.vector(as.table(fit)), prevalence = apply_margins(as.table(fit))), wanted, 1e-7)
    if (none) expect_identical(row$std.error, NA_real_) else expect_golden(row$std.error, wanted$se_self_protective, 1e-7)
    expect_equal(as.numeric(logLik(fit)), wanted$loglik, tolerance = 1e-9)
    # A case has two maxima without the class.
    without <- suppressWarnings(rr_loglinear(given$formula, given$tally), classes = "candor_warning_maxima")
    expect_equal(as.numeric(logLik(without)), wanted$loglik_without, tolerance = 1e-9)
    expect_golden(anova(without, fit)$`Pr(>Chi)`[2], wanted$p_value, 1e-7)
    expect_equal(sum(fitted(fit)), sum(case$input$counts))
  }
})

test_that("five items of the exam survey: published truths of two devices, with and without the class", {
  # The figures of the second device are those of BFGS from 60 and 400 random points, with the likelihood written out. With two-way terms the 60 also found
  # -1809.565 (share 0.0397), at infinity, which rr_loglinear() misses.
  path <- file.path(Sys.getenv("CANDOR_SHARED_DATA"), "ethbe_forced_patterns.csv")
  skip_if_not(nzchar(Sys.getenv("CANDOR_SHARED_DATA")) && file.exists(path), "the folder of survey patterns is not there")
  data <- utils::read.csv(path, colClasses = c(pattern = "character"))
  items <- paste0("i", 1:5)
  # The first row has another maximum, of -1829.241 with the share 0.097. With pairs of items the published search ended
  # at lower maxima, of -1824.854 and -1809.687: the likelihood written out below is higher at the fit.
  wanted <- list(
    list(2 / 3, ~ i1 + i2 + i3 + i4 + i5, -1834.596, -1828.993, 11.21, 0.1039, c(0.2995, 0.2021, 0.0166, 0.0421, 0.0004)),
    list(2 / 3, ~ (i1 + i2 + i3 + i4 + i5)^2, -1826.934, -1824.854, 4.16, 0.0654, c(0.2775, 0.184, 0.0147, 0.0302, 0.0075)),
    list(3 / 4, ~ i1 + i2 + i3 + i4 + i5, -1828.376, -1819.864, 17.02, 0.1242, c(0.3166, 0.2137, 0.0341, 0.0779, 0.0143)),
    list(3 / 4, ~ (i1 + i2 + i3 + i4 + i5)^2, -1810.396, -1809.687, 1.42, 0.0388, c(0.2685, 0.1749, 0.0122, 0.0504, 0.0087)))
  for (row in wanted) {
    group <- data[abs(data$p1 - row[[1]]) < 1e-3, ]
    bits <- do.call(rbind, strsplit(group$pattern, "")) == "1"
    counts <- numeric(32)
    counts[1 + drop(bits %*% 2^(0:4))] <- group$Freq
    # A yes is forced with probability 1/6 for both, see exam_survey.
    yes <- 1 / 6
    survey <- do.call(rr_product, stats::setNames(rep(list(rr_binary(row[[1]] + yes, yes)), 5), items))
    tally <- rr_counts(counts, survey)
    without <- suppressWarnings(rr_loglinear(row[[2]], tally))
    fit <- suppressWarnings(rr_loglinear(row[[2]], tally, protective = "no"))
    expect_lt(abs(as.numeric(logLik(without)) - row[[3]]), 2e-3)
    # The channel written out: the log-likelihood of the estimates is what the fit says.
    other <- 1 - row[[1]] - yes
    channel <- Reduce(kronecker, rep(list(rbind(c(1 - yes, yes), c(other, 1 - other))), 5))
    share <- tidy(fit, type = "parameters")$estimate
    by_hand <- sum(counts * log((1 - share) * drop(as.vector(as.table(fit)) %*% channel) + share * (seq_along(counts) == 1)))
    expect_equal(as.numeric(logLik(fit)), by_hand, tolerance = 1e-10)
    expect_gt(by_hand, row[[4]] - 2e-3)
    if (length(coef(fit)) > 5) {
      expect_gt(by_hand, row[[4]] + 0.1)
      next
    }
    expect_lt(abs(by_hand - row[[4]]), 2e-3)
    # The test's statistic to its two digits, share and prevalences to three.
    expect_lt(abs(anova(without, fit)$Chisq[2] - row[[5]]), 0.0055)
    expect_lt(abs(share - row[[6]]), 0.0006)
    expect_lt(max(abs(apply_margins(as.table(fit)) - row[[7]])), 0.0011)
    # Another maximum lies below.
    if (row[[1]] < 0.7) expect_gt(by_hand, -1829.241)
  }
})

protective_tally <- function(share, n, seed, survey) {
  set.seed(seed)
  yes <- lapply(c(0.23, 0.4, 0.3), function(p) stats::rbinom(n, 1, p))
  reports <- rr_perturb(as.data.frame(stats::setNames(yes, c("a", "b", "c"))), survey, rng = "R")
  sly <- stats::runif(n) < share
  reports[sly, ] <- 0L
  list(reports = reports, tally = rr_tally(reports, survey))
}

three <- function() rr_product(a = rr_forced(1 / 6), b = rr_forced(1 / 6), c = rr_forced(1 / 6))

test_that("simulated: the share is found, its profile interval covers, what nobody is protective of has p-values of its mixture", {
  found <- vapply(1:25, function(seed) {
    fit <- rr_loglinear(~ a + b + c, protective_tally(0.2, 1500, seed, three())$tally, starts = 2, protective = "no")
    row <- tidy(fit, conf.int = TRUE, type = "parameters")
    c(row$estimate, row$std.error, row$conf.low <= 0.2 && 0.2 <= row$conf.high, as.table(fit)["yes", , ] |> sum())
  }, numeric(4))
  # Four standard errors of 25 samples.
  expect_lt(abs(mean(found[1, ]) - 0.2), 4 * 0.0294 / sqrt(25))
  expect_lt(abs(mean(found[4, ]) - 0.23), 4 * 0.03 / sqrt(25))
  # A standard deviation of 25 has a relative error of 14 per cent.
  expect_lt(abs(mean(found[2, ]) / sd(found[1, ]) - 1), 4 / sqrt(2 * 25))
  expect_gte(mean(found[3, ]), 0.95 - 4 * sqrt(0.95 * 0.05 / 25))
  p <- vapply(1:40, function(seed) {
    tally <- protective_tally(0, 800, 1000 + seed, three())$tally
    tidy(suppressMessages(rr_loglinear(~ a + b + c, tally, starts = 2, protective = "no")), type = "parameters")$p.value
  }, 0)
  # Half of the samples have the estimate 0, and a tenth of all a p-value below 0.1.
  expect_lt(abs(mean(p == 1) - 0.5), 4 * sqrt(0.25 / 40))
  expect_lt(abs(mean(p < 0.1) - 0.1), 4 * sqrt(0.09 / 40))
})

test_that("the profile interval is where the deviance of the model with that share reaches the quantile", {
  case <- protective_case(golden("self_protective")[[1]]$input)
  fit <- rr_loglinear(case$formula, case$tally, protective = "no")
  row <- tidy(fit, conf.int = TRUE, type = "parameters")
  counts <- case$tally$counts
  # Independent of the package: two questions with forced answers, the two prevalences by Nelder and Mead.
  height <- function(pi) {
    loglik <- function(b) {
      yes <- 1 / 6 + stats::plogis(b) * 2 / 3
      sum(counts * log((1 - pi) * as.vector(outer(c(1 - yes[1], yes[1]), c(1 - yes[2], yes[2]))) + pi * c(1, 0, 0, 0)))
    }
    stats::optim(c(-1, 0), loglik, control = list(fnscale = -1, reltol = 1e-14, maxit = 2000))$value
  }
  for (end in c(row$conf.low, row$conf.high)) expect_equal(2 * (as.numeric(logLik(fit)) - height(end)), stats::qchisq(0.95, 1), tolerance = 1e-4)
})

test_that("answers by question, groups with one share, robust errors, rows and pages of the fit", {
  survey <- rr_product(a = rr_forced(1 / 6), b = rr_forced(1 / 6), c = rr_forced(1 / 6))
  made <- protective_tally(0.2, 3000, 7, survey)
  fit <- rr_loglinear(~ a + b + c, made$tally, protective = "no")
  same <- rr_loglinear(~ a + b + c, made$tally, protective = list(c = "no", a = c(no = 1, yes = 0), b = "no"))
  expect_identical(coef(same), coef(fit))
  other <- rr_loglinear(~ a + b + c, made$tally, protective = c(a = "uniform", b = "no", c = "no"))
  expect_false(isTRUE(all.equal(logLik(other), logLik(fit))))
  expect_identical(names(coef(fit)), rownames(vcov(fit)))
  expect_identical(tidy(fit)$term, c("ayes", "byes", "cyes", "self-protective"))
  # The model is right: all variances estimate the same.
  expect_equal(vcov(fit, "expected"), vcov(fit), tolerance = 0.15)
  expect_equal(vcov(fit, "sandwich"), vcov(fit), tolerance = 0.15)
  expect_identical(attr(logLik(fit), "df"), 4L)
  expect_identical(glance(fit)$df.residual, 3)
  expect_identical(unname(exp(coef(fit))), tidy(fit, exponentiate = TRUE)$estimate[1:3])
  expect_identical(tidy(fit, exponentiate = TRUE)$estimate[4], tidy(fit)$estimate[4])
  errors <- predict(fit, "report", se.fit = TRUE)$se.fit
  expect_true(all(errors > 0 & errors < 40))
  # The same people twice are two groups with the same shares: halves of the variance.
  twice <- rr_tally(rbind(made$reports, made$reports), survey, by = list(g = rep(1:2, each = 3000)))
  grouped <- rr_loglinear(~ (a + b + c) * factor(g), twice, protective = "no")
  expect_equal(tidy(grouped, type = "parameters")$estimate, tidy(fit, type = "parameters")$estimate, tolerance = 1e-7)
  expect_equal(tidy(grouped, type = "parameters")$std.error, tidy(fit, type = "parameters")$std.error / sqrt(2), tolerance = 1e-6)
  expect_equal(as.vector(as.table(grouped)[, , , 2]), as.vector(as.table(fit)), tolerance = 1e-6)
})

test_that("bad input is refused, and so is what the reports cannot tell", {
  tally <- protective_tally(0.2, 500, 1, three())$tally
  expect_refused(rr_loglinear(~ a + b, tally, protective = "never"), rr_loglinear(~ a + b, tally, protective = c("no", "no")),
                 rr_loglinear(~ a + b, tally, protective = list(a = "no", b = "no", d = "no")))
  two <- rr_product(a = rr_forced(1 / 6), b = rr_forced(1 / 6))
  expect_refused(rr_loglinear(~ a * b * c, tally, protective = "no"), rr_loglinear(~ report, rr_counts(c(50, 20), rr_forced(1 / 6)), protective = "no"),
                 rr_loglinear(~ a * b, rr_counts(c(50, 20, 30, 10), two), protective = "no"), class = "no_information")
})

test_that("nobody protects themselves: the fit without the class, and a message", {
  case <- Find(function(case) case$expected$self_protective == 0, golden("self_protective"))
  given <- protective_case(case$input)
  expect_message(fit <- rr_loglinear(given$formula, given$tally, protective = "no"), class = "candor_message_boundary")
  without <- rr_loglinear(given$formula, given$tally, starts = 100)
  expect_identical(coef(fit), coef(without))
  expect_identical(vcov(fit), vcov(without))
  row <- tidy(fit, conf.int = TRUE, type = "parameters")
  expect_identical(row$conf.low, 0)
  expect_gt(row$conf.high, 0)
  expect_lt(row$conf.high, 0.2)
  expect_equal(fitted(fit), fitted(without))
})

test_that("the share is climbed for from the fit without it, brought in from far out, and must raise its log-likelihood", {
  table <- loglinear_table(~ a + b + c, protective_tally(0.2, 300, 1, three())$tally)
  begun <- NULL
  maximum <- function(values, reach) {
    with_calls(protective_maximum,
      even_starts = function(model, starts) cbind(c(9, 9, 9, starts)),
      highest_maximum = function(model, starts) {
        begun <<- unname(starts)
        list(values = values)
      }
    )(table, "no", list(b = c(1, 2, 3), value = -100, model = list(reach = function(b) reach)), 7)
  }
  found <- maximum(-100 + c(2e-7, 5e-8), 12)
  # Linear predictors of at most 6, beside the point itself.
  expect_equal(begun, cbind(c(0.5, 1, 1.5, qlogis(0.1)), c(0.5, 1, 1.5, qlogis(0.02)), c(1, 2, 3, qlogis(0.3)), c(9, 9, 9, 7)))
  expect_identical(found$best, list(values = -100 + 2e-7))
  expect_identical(c(found$table$logit, found$without), c(NA, -100))
  expect_equal(found$table$protective, c(1, numeric(7)))
  maximum(-90, 3)
  expect_identical(begun[1:3, 1:2], cbind(1:3, 1:3) + 0)
  expect_message(none <- maximum(-100 + 5e-8, 12), class = "candor_message_boundary")
  expect_identical(none$best$b, c(1, 2, 3))
  expect_identical(none$table$logit, -Inf)
})

test_that("answers by question stand in their cell, the first question fastest, in whatever order they are named", {
  expect_identical(protective_reports(c(b = "no", c = "no", a = "yes"), three()$questions), replace(numeric(8), 2, 1))
  expect_identical(protective_reports("yes", three()$questions), replace(numeric(8), 8, 1))
  expect_equal(protective_reports(list("no", c(0.3, 0.7), "yes"), three()$questions), c(0, 0, 0, 0, 0.3, 0, 0.7, 0))
})

test_that("variances and predictions beside respondents who protect themselves follow from the law of the reports", {
  tally <- protective_tally(0.2, 2000, 7, three())$tally
  fit <- rr_loglinear(~ a + b + c, tally, starts = 2, protective = "no")
  cells <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  channel <- Reduce(kronecker, rep(list(rbind(c(5, 1), c(1, 5)) / 6), 3))
  truth <- function(b) exp(drop(cells %*% b[1:3])) / sum(exp(cells %*% b[1:3]))
  reports <- function(b) (1 - plogis(b[4])) * drop(truth(b) %*% channel) + plogis(b[4]) * c(1, numeric(7))
  counts <- as.vector(tally$counts)
  b <- unname(fit$estimate)
  total <- function(b) sum(counts * log(reports(b)))
  expect_equal(as.numeric(logLik(fit)), total(b), tolerance = 1e-10)
  V <- solve(-stats::optimHess(b, total, control = list(ndeps = rep(1e-3, 4))))
  slopes <- difference_gradient(function(b) log(reports(b)), b)
  expected <- solve(crossprod(slopes * (2000 * reports(b)), slopes))
  sandwich <- V %*% crossprod(slopes * counts, slopes) %*% V
  expect_equal(unname(vcov(fit)), V[1:3, 1:3], tolerance = 1e-4)
  expect_equal(unname(vcov(fit, "expected")), expected[1:3, 1:3], tolerance = 1e-6)
  expect_equal(unname(vcov(fit, "sandwich")), sandwich[1:3, 1:3], tolerance = 1e-4)
  for (type in c("truth", "report")) {
    value <- function(b) if (type == "truth") truth(b) else 2000 * reports(b)
    found <- predict(fit, type, se.fit = TRUE)
    expect_equal(as.vector(found$fit), value(b), tolerance = 1e-10)
    slope <- difference_gradient(value, b)
    expect_equal(as.vector(found$se.fit), sqrt(rowSums((slope %*% V) * slope)), tolerance = 1e-4)
  }
  # Beside them the reports may have any law, with 7 degrees of freedom.
  deviance <- 2 * sum(counts * log(counts / (2000 * reports(b))))
  one <- glance(fit)
  expect_equal(c(one$deviance, one$p.value), c(deviance, pchisq(deviance, 3, lower.tail = FALSE)), tolerance = 1e-6)
})

test_that("the row of the share: its error from the logit, half of the p-value, and where the profile falls by the quantile", {
  fit <- list(table = list(logit = NA, x = matrix(0, 8, 3)), estimate = c(1, 2, 3, qlogis(0.2)), b = c(4, 5, 6, 7), loglik = -10, without = -12)
  fit$vcov <- matrix(0.09, 1, 1, dimnames = list("self-protective", "self-protective"))
  begun <- NULL
  # The profile falls by `curvature` times the squared distance from the share 0.2.
  row_of <- function(curvature, ...) {
    with_calls(protective_row, loglinear_model = identity, climb = function(model, start) {
      begun <<- start
      list(value = c(-10 - curvature * (plogis(model$logit) - 0.2)^2, -99))
    })(fit, ...)
  }
  row <- row_of(200, FALSE, 0.95)
  expect_equal(as.list(row), list(term = "self-protective", estimate = 0.2, std.error = 0.2 * 0.8 * 0.3, statistic = 2, p.value = pnorm(-2)))
  row <- row_of(60, TRUE, 0.9)
  expect_equal(c(row$conf.low, row$conf.high), 0.2 + c(-1, 1) * qnorm(0.95) / sqrt(120), tolerance = 1e-8)
  expect_identical(begun, cbind(c(4, 5, 6), 0))
  row <- row_of(20, TRUE, 0.95)
  expect_equal(c(row$conf.low, row$conf.high), c(0, 0.2 + qnorm(0.975) / sqrt(40)), tolerance = 1e-8)
  # An estimate of 0, whose log-likelihood rounding may leave below.
  fit[c("table", "without")] <- list(list(logit = -Inf, x = matrix(0, 8, 3)), -10 + 1e-9)
  expect_identical(as.list(row_of(20, FALSE, 0.95))[-1], list(estimate = 0, std.error = NA_real_, statistic = 0, p.value = 1))
})

test_that("reports that nobody gave, or one respondent, are among those that may have any law", {
  counts <- c(300, 60, 80, 25, 70, 20, 1, 0)
  fit <- suppressMessages(suppressWarnings(rr_loglinear(~ a + b + c, rr_counts(counts, three()), starts = 2, protective = "no")))
  seen <- counts[counts > 0]
  expect_equal(glance(fit)$deviance, 2 * (sum(seen * log(seen / sum(counts))) - as.numeric(logLik(fit))), tolerance = 1e-8)
})

test_that("the interval of the share ends at 1 if the reports do not rule out that nobody uses the device", {
  questions <- rr_product(a = rr_warner(0.9), b = rr_warner(0.9), c = rr_warner(0.9))
  fit <- quietly(rr_loglinear(~ a + b + c, rr_counts(array(1, c(2, 2, 2)), questions), protective = list("uniform", "uniform", "uniform")))
  # Everybody at random has the log-likelihood 8 log(1 / 8), the largest of all: no share near 1 is below it.
  expect_identical(tidy(fit, conf.int = TRUE, type = "parameters")$conf.high, 1)
})
