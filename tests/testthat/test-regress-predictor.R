# A randomized covariate, by moments and by likelihood, against 60-digit arithmetic, known truths, and simulations.

golden_predictor <- function(case, method) {
  input <- case$input
  data <- data.frame(z = input$z, q = input$reports + 1L, o = input$outcome)
  rr_predictor(o ~ z + q, data, list(q = rr_channel(input$channel)), family = getExportedValue("stats", input$family), method = method,
               truth = if (identical(input$prior, "constant")) ~ 1 else ~ .)
}

# The likelihood's coefficients, variances and height.
expect_likelihood <- function(fit, expected) {
  expect_golden(coef(fit), expected$coef, 1e-8)
  expect_golden(coef(fit, "truth"), expected$prior_coef, 1e-8)
  expect_golden(as.numeric(logLik(fit)), expected$loglik, 1e-8)
  expect_golden(vcov(fit, part = "all"), expected$vcov_observed, 1e-8)
  if (!is.null(expected$sigma)) expect_golden(sigma(fit), expected$sigma, 1e-8)
}

test_that("golden vectors: likelihood and moments", {
  for (case in golden("regression_predictor")) {
    expect_likelihood(golden_predictor(case, "ml"), case$expected)
    if (is.null(case$expected$moment_coef)) next
    fit <- golden_predictor(case, "moments")
    expect_golden(coef(fit), case$expected$moment_coef, 1e-8)
    expect_golden(vcov(fit), case$expected$moment_vcov_sandwich, 1e-8)
  }
})

test_that("golden vectors: both sides randomized", {
  for (case in golden("regression_both_sides")) {
    input <- case$input
    data <- data.frame(z = input$z, o = input$report_outcome + 1L, q = input$report_predictor + 1L)
    mechanisms <- list(o = rr_channel(input$channel_outcome), q = rr_channel(input$channel_predictor))
    expect_likelihood(rr_predictor(o ~ z + q, data, mechanisms, family = binomial()), case$expected)
  }
})

often <- function() rr_grr(levels(exam_simulated$cheating), p = 0.8)
forced <- rr_forced(1 / 6)

test_that("without randomization both methods are lm() and glm(), and the sandwich is White's", {
  exact <- list(true_cheating = rr_channel(diag(3), levels = levels(exam_simulated$true_cheating)))
  d <- exam_simulated
  cases <- list(list(grade ~ semester * true_cheating, gaussian()), list(true_plagiarism ~ semester + true_cheating, binomial()),
                list(semester ~ female + true_cheating, poisson()))
  for (case in cases) {
    direct <- glm(case[[1]], case[[2]], d, control = list(epsilon = 1e-14))
    for (method in c("moments", "ml")) {
      fit <- rr_predictor(case[[1]], d, exact, case[[2]], method = method)
      expect_equal(coef(fit), coef(direct), tolerance = 1e-8)
    }
    if (case[[2]]$family == "binomial") expect_equal(unname(vcov(fit)), unname(vcov(direct)), tolerance = 1e-7)
  }
  linear <- lm(cases[[1]][[1]], d)
  x <- model.matrix(linear)
  white <- solve(crossprod(x)) %*% crossprod(x * residuals(linear)) %*% solve(crossprod(x))
  fit <- rr_predictor(cases[[1]][[1]], d, exact)
  expect_equal(unname(vcov(fit)), unname(white), tolerance = 1e-8)
  expect_equal(sigma(fit), sigma(linear), tolerance = 1e-8)
})

test_that("moments are the corrected normal equations, with an interaction too", {
  d <- exam_simulated
  fit <- rr_predictor(grade ~ semester * plagiarism, d, list(plagiarism = forced))
  u <- ((d$plagiarism == "yes") - 1 / 6) / (2 / 3)
  z <- cbind(1, d$semester)
  uz <- u * z
  left <- rbind(cbind(crossprod(z), crossprod(z, uz)), cbind(crossprod(uz, z), crossprod(uz, z)))
  b <- solve(left, c(crossprod(z, d$grade), crossprod(uz, d$grade)))
  expect_equal(unname(coef(fit)), b, tolerance = 1e-10)
})

test_that("the moments hold their coverage where the likelihood's model of the errors is wrong", {
  set.seed(21)
  n <- 800
  run <- function() {
    z <- rnorm(n)
    truth <- rbinom(n, 1, plogis(1.5 * z))
    o <- z + truth + rnorm(n, sd = ifelse(truth == 1, 1.6, 0.8))
    q <- ifelse(runif(n) < 0.6, truth, rbinom(n, 1, 0.5))
    fit <- rr_predictor(o ~ z + q, data.frame(o, z, q), list(q = rr_warner(0.8)))
    c(coef(fit)[[3]], sqrt(vcov(fit)[3, 3]))
  }
  runs <- replicate(150, run())
  expect_lte(abs(mean(runs[1, ]) - 1), 4 * sd(runs[1, ]) / sqrt(150))
  covered <- mean(abs(runs[1, ] - 1) < 1.96 * runs[2, ])
  expect_lte(abs(covered - 0.95), 4 * sqrt(0.95 * 0.05 / 150))
})

test_that("the likelihood covers where its model is right: logistic outcome, both sides randomized", {
  set.seed(22)
  n <- 800
  run <- function() {
    z <- rnorm(n)
    truth <- rbinom(n, 1, plogis(-0.3 + 0.5 * z))
    o <- rbinom(n, 1, plogis(-0.5 + 0.5 * z + truth))
    q <- ifelse(runif(n) < 0.7, truth, rbinom(n, 1, 0.5))
    r <- ifelse(runif(n) < 0.8, o, rbinom(n, 1, 0.5))
    mechanisms <- list(q = rr_warner(0.85), r = rr_warner(0.9))
    fit <- rr_predictor(r ~ z + q, data.frame(r, z, q), mechanisms, binomial(), starts = 1)
    c(coef(fit)[[3]], sqrt(vcov(fit)[3, 3]), coef(fit, "truth")[[2]], sqrt(vcov(fit, part = "truth")[2, 2]))
  }
  runs <- replicate(70, run())
  # Four standard deviations of a share of 70; above, all of them.
  expect_gte(mean(abs(runs[1, ] - 1) < 1.96 * runs[2, ]), 0.95 - 4 * sqrt(0.95 * 0.05 / 70))
  expect_gte(mean(abs(runs[3, ] - 0.5) < 1.96 * runs[4, ]), 0.95 - 4 * sqrt(0.95 * 0.05 / 70))
  # Errors that are too large would cover as well: those of the estimates have a standard deviation known to 1 / sqrt(140).
  for (k in c(1, 3)) expect_lt(abs(mean(runs[k + 1, ]) / sd(runs[k, ]) - 1), 4 / sqrt(140))
})

test_that("simulated effects are found, by both methods, with several randomized covariates", {
  d <- exam_simulated
  both <- list(cheating = often(), plagiarism = forced)
  for (method in c("moments", "ml")) {
    fit <- rr_predictor(grade ~ semester + cheating + plagiarism, d, both, method = method)
    z <- (coef(fit) - c(4, 0.05, 0.2, 0.5, 0)) / sqrt(diag(vcov(fit)))
    expect_lt(max(abs(z)), 3.5)
  }
  # The chain's truth model: plagiarism given cheating, .5 and 1.
  truth <- coef(fit, "truth")
  expect_true(all(c("plagiarismyes ~ cheatingonce", "plagiarismyes ~ cheatingoften") %in% names(truth)))
  at <- c("cheatingoften ~ semester", "plagiarismyes ~ cheatingoften")
  expect_lt(max(abs(truth[at] - c(0.25, 1)) / sqrt(diag(vcov(fit, part = "truth")))[at]), 3.5)
  outcome <- rr_predictor(plagiarism ~ semester, d, list(plagiarism = forced), binomial())
  other <- rr_multinom(plagiarism ~ semester, d, forced)
  expect_equal(unname(coef(outcome)), as.vector(coef(other)), tolerance = 1e-7)
  expect_equal(unname(vcov(outcome)), unname(vcov(other)), tolerance = 1e-6)
})

test_that("predictions: at a truth, over the truths, of the truths", {
  d <- exam_simulated
  fit <- rr_predictor(grade ~ semester + cheating, d, list(cheating = often()), method = "ml")
  new <- data.frame(semester = c(2, 7))
  at <- sapply(levels(d$cheating), function(level) predict(fit, new, list(cheating = level)))
  b <- coef(fit)
  expect_equal(unname(at[, 3]), unname(b[1] + b[2] * new$semester + b[4]), tolerance = 1e-10)
  shares <- predict(fit, new, type = "truth")
  posterior <- predict(fit, type = "posterior")
  expect_equal(c(rowSums(shares), rowSums(posterior)), rep(1, 2002), tolerance = 1e-12, ignore_attr = TRUE)
  expect_equal(unname(predict(fit, new)), rowSums(at * shares), tolerance = 1e-10, ignore_attr = TRUE)
  g <- c(1, 2, 0, 1)
  expect_equal(unname(predict(fit, new, list(cheating = "often"), se.fit = TRUE)$se.fit[1]), sqrt(drop(g %*% vcov(fit) %*% g)), tolerance = 1e-10)
  # On average the posterior is the truth.
  expect_equal(unname(colMeans(posterior)), unname(colMeans(predict(fit, type = "truth"))), tolerance = 1e-6)
  expect_identical(nrow(augment(fit)), 2000L)
  moments <- rr_predictor(grade ~ semester + cheating, d, list(cheating = often()))
  expect_refused(predict(moments, new), coef(moments, "truth"), logLik(moments))
  expect_true(is.na(glance(moments)$logLik))
})

test_that("clusters and weights: twice the respondents, half the variance, and one cluster a pair has it back", {
  d <- exam_simulated[1:600, ]
  fit <- function(d, ...) rr_predictor(grade ~ semester + plagiarism, d, list(plagiarism = forced), ...)
  once <- fit(d)
  twice <- fit(rbind(d, d))
  expect_equal(vcov(twice), vcov(once) / 2, tolerance = 1e-10)
  expect_equal(vcov(twice, cluster = rep(1:600, 2)), vcov(once) * 600 / 599, tolerance = 1e-10)
  plain <- fit(d, method = "ml")
  heavy <- fit(d, method = "ml", weights = rep(2, 600))
  shown <- function(fit, times) list(coef(fit), times * vcov(fit), vcov(fit, "sandwich"))
  expect_equal(shown(heavy, 2), shown(plain, 1), tolerance = 1e-6)
})

test_that("rows of weight 0 change no number of a fit, and are not among the rows that coefficients need", {
  d <- transform(exam_simulated[1:240, ], w = rep(1:2, 120))
  none <- transform(exam_simulated[241:270, ], w = 0)
  for (method in c("moments", "ml")) {
    fit <- function(d) rr_predictor(grade ~ semester + plagiarism, d, list(plagiarism = forced), method = method, weights = w, starts = 1)
    numbers <- function(d) {
      fit <- fit(d)
      list(coef(fit, "both"), vcov(fit, part = "all"), vcov(fit, "sandwich"), sigma(fit), nobs(fit), glance(fit)[c("logLik", "BIC", "df")])
    }
    expect_equal(numbers(rbind(none, d)), numbers(d), tolerance = 1e-6)
    few <- c(moments = 3, ml = 6)[[method]]
    expect_refused(fit(rbind(none, d[seq_len(few - 1), ])))
  }
})

test_that("weights that are not whole are told if a likelihood would take them for numbers of respondents", {
  d <- transform(exam_simulated[1:100, ], w = rep(c(0.5, 1.5), 50))
  fit <- function(data, method, weights = "w") {
    rr_predictor(grade ~ plagiarism, data, list(plagiarism = forced), method = method, weights = weights, starts = 1)
  }
  expect_message(fit(d, "ml"), class = "candor_message_weights")
  expect_no_message(fit(d, "moments"))
  expect_no_message(fit(transform(d, w = 2 * w), "ml"))
  skip_if_not_installed("survey")
  expect_no_message(rr_predictor(grade ~ plagiarism, survey::svydesign(~1, weights = ~w, data = d), list(plagiarism = forced), method = "ml", starts = 1))
})

test_that("new rows need the columns of the models that are asked, and no others", {
  fit <- rr_predictor(grade ~ semester + plagiarism, exam_simulated[1:400, ], list(plagiarism = forced), truth = ~ female, method = "ml", starts = 1)
  at <- list(plagiarism = "yes")
  b <- coef(fit, "both")
  expect_equal(unname(predict(fit, data.frame(semester = 3), at)), sum(b$outcome * c(1, 3, 1)), tolerance = 1e-10)
  share <- plogis(sum(b$truth * c(1, 1)))
  expect_equal(unname(predict(fit, data.frame(female = 1), type = "truth")), cbind(1 - share, share), ignore_attr = TRUE, tolerance = 1e-10)
  expect_equal(unname(predict(fit, data.frame(semester = 3, female = 1))), sum(b$outcome * c(1, 3, share)), tolerance = 1e-10)
  expect_refused(predict(fit, data.frame(semester = 3)), predict(fit, data.frame(female = 1)), predict(fit, data.frame(female = 1), at),
                 predict(fit, data.frame(semester = 3), type = "truth"))
  # A linear predictor and a standard error are those of a truth.
  expect_refused(predict(fit, type = "link"), predict(fit, se.fit = TRUE))
})

test_that("the standard deviation of errors is a weighted mean square, with n / (n - p) and at least 1 below, and 0 if the square is negative", {
  rows <- list(family = gaussian(), response = "o", mechanisms = list(), outcome = c(0.1, 0.3, 9), weights = c(1, 2, 0),
               x = list(cbind(1, c(0, 1, 2)), cbind(1, c(1, 1, 2))))
  u <- cbind(c(2, -1, 0), c(-1, 6, 0))
  # 2 * 0.05^2 - (0.25 - 0.1)^2 - (0.05 - 0.1)^2 + 6 * (0.25 - 0.1)^2 with the fitted 0.05 and 0.15; n = p = 2.
  square <- 2 * 0.05^2 - 0.15^2 - 0.05^2 + 6 * 0.15^2
  expect_equal(moment_sigma(rows, u, c(0.05, 0.1)), sqrt(square / 3 * 2 / 1))
  expect_identical(moment_sigma(rows, -u, c(0.05, 0.1)), 0)
  expect_null(moment_sigma(replace(rows, "family", list(poisson())), u, c(0.05, 0.1)))
  expect_null(moment_sigma(replace(rows, "mechanisms", list(list(o = 1))), u, c(0.05, 0.1)))
})

test_that("published: Nigeria, civic participation on contact with armed groups, and a constant truth is not a logit's", {
  nigeria <- data_from_cran("rr", "nigeria")
  fit <- rr_predictor(civic ~ cov.asset.index + cov.married + I(cov.age / 10) + I((cov.age / 10)^2) + cov.education + cov.female + rr.q1,
                      nigeria, list(rr.q1 = rr_forced(1 / 6)), family = binomial())
  all <- sqrt(diag(vcov(fit, part = "all")))
  digits <- function(x, value, n) expect_lt(max(abs(unname(x) - value)), 0.5 * 10^-n + 1e-12)
  digits(as.numeric(logLik(fit)), -3127.07706, 5)
  digits(coef(fit)[c("rr.q1yes", "(Intercept)")], c(0.40656, -3.18301), 5)
  digits(all[c("rr.q1yes", "(Intercept)")], c(0.16111, 0.31872), 5)
  digits(coef(fit, "truth")[c("rr.q1yes ~ (Intercept)", "rr.q1yes ~ cov.female")], c(-0.42116, -0.56880), 5)
  digits(all[c("rr.q1yes ~ (Intercept)", "rr.q1yes ~ cov.female")], c(0.49980, 0.16332), 5)
})

test_that("bad input is refused", {
  d <- exam_simulated
  m <- list(plagiarism = forced)
  expect_refused(rr_predictor(grade ~ semester, d, m), rr_predictor(grade ~ semester + plagiarism, d, forced),
                 rr_predictor(grade ~ semester + plagiarism, d, list(plagiarism = rr_product(a = forced))),
                 rr_predictor(grade ~ semester + plagiarism, d, m, family = binomial()),
                 rr_predictor(cheating ~ semester, d, list(cheating = often()), binomial()), rr_predictor(plagiarism ~ semester, d, m, method = "ml"),
                 rr_predictor(grade ~ semester + plagiarism, d, m, weights = rep(NA_real_, 2000), na.action = na.pass),
                 rr_predictor(grade ~ semester + plagiarism, d[1:2, ], m))
  expect_refused(rr_predictor(grade ~ semester + plagiarism, d, list(plagiarism = rr_binary(0.3, 0.3))), class = "no_information")
  fit <- rr_predictor(grade ~ semester + plagiarism, d, m)
  expect_refused(vcov(fit, "observed"))
  expect_refused(predict(fit, truth = list(plagiarism = "perhaps")),
                 rr_predictor(grade ~ semester + plagiarism, transform(d, plagiarism = "perhaps"), m), class = "level")
  set.seed(5)
  state <- .Random.seed
  rr_predictor(grade ~ semester + plagiarism, d, m, method = "ml")
  expect_identical(.Random.seed, state)
})

test_that("every function calls a coefficient by one name, and those of the truth are no interactions", {
  fit <- rr_predictor(grade ~ semester * plagiarism, exam_simulated, list(plagiarism = forced), method = "ml")
  outcome <- c("(Intercept)", "semester", "plagiarismyes", "semester:plagiarismyes")
  truth <- c("plagiarismyes ~ (Intercept)", "plagiarismyes ~ semester")
  expect_identical(lapply(coef(fit, "both"), names), list(outcome = outcome, truth = truth))
  expect_identical(rownames(vcov(fit, part = "all")), c(truth, outcome, "log(sigma)"))
  expect_identical(tidy(fit)[c("component", "term")], tibble::tibble(component = rep(c("outcome", "truth"), c(4, 2)), term = c(outcome, truth)))
  expect_identical(names(tidy(fit))[1:2], c("component", "term"))
  expect_identical(names(glance(fit))[1:3], c("method", "family", "sigma"))
  skip_if_not_installed("parameters")
  expect_identical(parameters::model_parameters(fit)$Parameter, c(outcome, truth))
})

test_that("conditions of a truth of several levels are that truth's", {
  d <- exam_simulated
  three <- list(cheating = often())
  # The share of "often" among three, by the mean of the unbiased scores of that level.
  fit <- rr_predictor(grade ~ I(cheating == "often"), d, three)
  u <- solve(rr_matrix(often()))[d$cheating, "often"]
  b <- solve(rbind(c(nrow(d), sum(u)), c(sum(u), sum(u))), c(sum(d$grade), sum(u * d$grade)))
  expect_equal(unname(coef(fit)), b, tolerance = 1e-10)
  expect_message(rr_predictor(grade ~ cheating + I(cheating == "often"), d, three), class = "candor_message_aliased")
})

test_that("dates are covariates like numbers: the origin of the calendar changes the intercept alone", {
  d <- transform(exam_simulated, number = rep(0:99, 20))
  d$day <- as.Date("2026-03-01") + d$number
  d$time <- as.POSIXct(d$day, tz = "UTC")
  for (method in c("moments", "ml")) {
    fit <- function(formula) rr_predictor(formula, d, list(plagiarism = forced), method = method)
    number <- fit(grade ~ number + plagiarism)
    for (case in list(list(fit(grade ~ day + plagiarism), 1), list(fit(grade ~ time + plagiarism), 86400))) {
      error <- function(fit) unname(sqrt(diag(vcov(fit)))[2:3])
      expect_equal(unname(coef(case[[1]])[2:3]) * c(case[[2]], 1), unname(coef(number)[2:3]), tolerance = 1e-5)
      expect_equal(error(case[[1]]) * c(case[[2]], 1), error(number), tolerance = 1e-5)
    }
  }
})

test_that("new data of another kind are refused", {
  d <- transform(exam_simulated, town = rep(c("large", "small"), 1000))
  fit <- rr_predictor(grade ~ semester + town + plagiarism, d, list(plagiarism = forced), method = "ml")
  good <- data.frame(semester = 2, town = "small")
  at <- list(plagiarism = "yes")
  expect_equal(unname(predict(fit, good, at)), sum(coef(fit) * c(1, 2, 1, 1)), tolerance = 1e-10)
  for (predicted in list(function(new) predict(fit, new, at), function(new) predict(fit, new, type = "truth"))) {
    expect_error(predicted(replace(good, "semester", "2")), class = "candor_error_argument")
    expect_error(predicted(replace(good, "town", "tiny")), class = "candor_error_level")
    expect_error(predicted(good[-1]), class = "candor_error_argument")
  }
})

test_that("new rows have the basis and the contrasts of the fit: alone as among all others, and as predict.lm() has them", {
  set.seed(41)
  n <- 400
  d <- data.frame(x = rnorm(n), z = runif(n), g = factor(rep(c("a", "b", "c", "a"), n / 4)))
  d$truth <- rbinom(n, 1, plogis(d$x))
  d$report <- rr_perturb(d$truth, rr_warner(0.8), rng = "R")
  d$y <- 1 + d$truth / 2 + d$x^2 + 2 * (d$g == "b") + rnorm(n)
  at <- list(report = "yes")
  new <- d[c(7, 3, 100), ]
  for (formula in list(y ~ poly(x, 2) + report, y ~ splines::ns(x, 3) + report, y ~ splines::bs(x, df = 4) + report,
                       y ~ scale(x) * report + g)) {
    direct <- replace(d, "report", d["truth"])
    expect_equal(unname(predict(rr_predictor(formula, direct, list(report = rr_binary(1, 0))), new, list(report = "yes"))),
                 unname(predict(lm(formula, direct), replace(new, "report", 1))), tolerance = 1e-8)
    for (method in c("moments", "ml")) {
      fit <- rr_predictor(formula, d, list(report = rr_warner(0.8)), truth = ~ poly(x, 2) + scale(z), method = method, starts = 1)
      ways <- function(new, rows) {
        at <- predict(fit, new, at, se.fit = TRUE)
        means <- if (method == "ml") list(predict(fit, new, type = "truth")[rows, ], predict(fit, new)[rows])
        lapply(c(list(at$fit[rows], at$se.fit[rows]), means), unname)
      }
      for (rows in list(7L, c(7L, 3L, 100L))) expect_equal(ways(d[rows, ], seq_along(rows)), ways(NULL, rows), tolerance = 1e-12)
    }
  }
  contrasts <- function(name) options(contrasts = c(name, "contr.poly"))
  old <- contrasts("contr.sum")
  withr::defer(options(old))
  fit <- rr_predictor(y ~ g * report, d, list(report = rr_warner(0.8)), truth = ~ g, method = "ml")
  ways <- function() list(predict(fit, new, at), predict(fit, truth = at), predict(fit, new), predict(fit, new, type = "truth"))
  fitted <- ways()
  for (name in c("contr.helmert", "contr.treatment")) {
    contrasts(name)
    expect_equal(ways(), fitted, tolerance = 1e-12)
  }
})

test_that("counts that only one truth has: the mean of the other is 0, and the likelihood is that of the limit", {
  withr::local_seed(3)
  n <- 150
  truth <- rbinom(n, 1, 0.5)
  warner <- rr_warner(0.9)
  x <- rr_perturb(truth, warner, rng = "R")
  y <- ifelse(truth == 1, rpois(n, 3), 0)
  expect_warning(fit <- rr_predictor(y ~ x, data.frame(y, x), list(x = warner), family = poisson(), method = "ml"), class = "candor_warning_infinite")
  minus <- function(v) {
    share <- stats::plogis(v[2])
    held <- stats::dpois(y, exp(v[1])) * share
    -sum(log(ifelse(x == 1, 0.9, 0.1) * held + ifelse(x == 1, 0.1, 0.9) * (y == 0) * (1 - share)))
  }
  limit <- stats::optim(c(1, 0), minus, method = "BFGS", control = list(reltol = 1e-15))
  expect_equal(as.numeric(logLik(fit)), -limit$value, tolerance = 1e-8)
  expect_identical(unname(coef(fit)[1:2]), c(-Inf, Inf))
})

# ---- every number of a fit, from the probabilities of its rows ----

# Two covariates, of three categories with four reports and of two in two arms; rows in an order without a pattern.
chain_data <- function(n = 90) {
  withr::local_seed(31)
  d <- data.frame(z = round(rnorm(n), 1), arm = rep(c("one", "two", "two"), n / 3), w = rep(c(1, 2, 1.5, 3, 1), n / 5))
  q <- sample(3, n, TRUE, c(0.3, 0.5, 0.2))
  s <- rbinom(n, 1, plogis(d$z / 2 + (q == 3)))
  channel <- rbind(c(0.7, 0.1, 0.15, 0.05), c(0.1, 0.6, 0.1, 0.2), c(0.05, 0.1, 0.75, 0.1))
  d$q <- vapply(q, function(k) sample(4, 1, prob = channel[k, ]), 0L)
  yes <- cbind(no = c(one = 0.1, two = 0.25), yes = c(one = 0.95, two = 0.8))
  d$s <- ifelse(runif(n) < yes[cbind(d$arm, c("no", "yes")[s + 1])], "yes", "no")
  d$mean <- 0.4 + 0.5 * d$z + c(0, 1, -1)[q] + 0.7 * s
  d$o <- d$mean + rnorm(n, sd = 0.6)
  mechanisms <- list(q = rr_channel(channel, levels = c("a", "b", "c"), reports = 1:4),
                     s = list(one = rr_binary(0.95, 0.1), two = rr_binary(0.8, 0.25)))
  list(data = d, mechanisms = mechanisms, channel = channel, yes = yes)
}

# P(q, s | z), an array of rows, three and two truths, by a logit of q and a logit of s given q.
chain_shares <- function(b, z) {
  e <- cbind(1, exp(b[1] + b[2] * z), exp(b[3] + b[4] * z))
  q <- e / rowSums(e)
  s <- plogis(outer(b[5] + b[6] * z, c(0, b[7], b[8]), `+`))
  array(c(q * (1 - s), q * s), c(length(z), 3, 2))
}

# The joint probabilities of the truths, the reports and the outcome.
chain_joint <- function(case, b, density) {
  d <- case$data
  reports <- array(0, c(nrow(d), 3, 2))
  mean <- reports
  for (q in 1:3) for (s in 1:2) {
    yes <- case$yes[cbind(d$arm, c("no", "yes")[s])]
    reports[, q, s] <- case$channel[q, d$q] * ifelse(d$s == "yes", yes, 1 - yes)
    mean[, q, s] <- b[9] + b[10] * d$z + c(0, b[11], b[12])[q] + c(0, b[13])[s]
  }
  chain_shares(b, d$z) * reports * density(mean)
}

test_that("two covariates of a chain, four reports of three, two arms, weights: every number of a Gaussian fit", {
  case <- chain_data()
  d <- case$data
  fit <- quietly(rr_predictor(o ~ z + q + s, d, case$mechanisms, method = "ml", arm = arm, weights = w, starts = 1))
  b <- c(coef(fit, "truth"), coef(fit), log(sigma(fit)))
  joint <- function(b) chain_joint(case, b, function(mean) dnorm(d$o, mean, exp(b[14])))
  loglik <- function(b) log(rowSums(joint(b), dims = 1))
  expect_rows(fit, loglik, b, d$w, fit$scores, vcov(fit, part = "all"))
  # A point that is no maximum, in coordinates of its own.
  mixture <- suppressMessages(new_mixture(fit$rows))
  model <- mixture_model(mixture, NULL, fit$b)
  off <- fit$b + c(0.3, -0.2, 0.1, 0.4, -0.3, 0.2, -0.1, 0.25, 0.15, -0.35, 0.05, 0.2, -0.15, 0.1)
  total <- function(v) sum(d$w * loglik(model$natural(v))) / mixture$rows$unit
  expect_evaluated(model$kernel$evaluate, total, off)
  expect_lt(mixture_evaluate(mixture, replace(off, 14, 31), 0L)$value, -1e300)
  # EM's information is the curvature of the mean of the complete log-likelihood, without terms between the error and others.
  before <- joint(model$natural(off))
  given_reports <- before / rowSums(before)
  complete <- function(v) sum(d$w * given_reports * log(joint(model$natural(v)))) / mixture$rows$unit
  curvature <- -stats::optimHess(off, complete, control = list(ndeps = rep(1e-3, 14)))
  curvature[14, -14] <- curvature[-14, 14] <- 0
  expect_equal(unname(mixture_evaluate(mixture, off, 2L)$fallback), unname(curvature), tolerance = 1e-4)

  shares <- matrix(chain_shares(b, d$z), nrow(d))
  posterior <- matrix(joint(unname(b)), nrow(d))
  expect_equal(unname(predict(fit, type = "truth")), shares, tolerance = 1e-10)
  expect_equal(unname(predict(fit, type = "posterior")), posterior / rowSums(posterior), tolerance = 1e-7)
  expect_identical(colnames(predict(fit, type = "truth")), c("a, no", "b, no", "c, no", "a, yes", "b, yes", "c, yes"))
  effects <- c(outer(c(0, b[11:12]), c(0, b[13]), `+`))
  mean <- b[9] + b[10] * d$z + shares %*% effects
  expect_equal(unname(predict(fit)), as.vector(mean), tolerance = 1e-10)
  expect_equal(unname(fitted(fit)), as.vector(mean), tolerance = 1e-10)
  new <- data.frame(z = c(-1.3, 0.4), q = 1, s = "no", arm = "one")
  expect_equal(unname(predict(fit, new)), as.vector(b[9] + b[10] * new$z + matrix(chain_shares(b, new$z), 2) %*% effects), tolerance = 1e-10)
  at <- predict(fit, new, list(s = "yes", q = "c"), type = "link", se.fit = TRUE)
  x <- cbind(1, new$z, 0, 1, 1)
  expect_equal(unname(at$fit), drop(x %*% b[9:13]), tolerance = 1e-10)
  expect_equal(unname(at$se.fit), sqrt(diag(x %*% vcov(fit) %*% t(x))), tolerance = 1e-10)
  V <- vcov(fit, part = "all")
  scores <- fit$scores
  expect_equal(unname(vcov(fit, "sandwich", part = "all")), unname(V %*% crossprod(scores) %*% V), tolerance = 1e-10)
  expect_identical(vcov(fit, part = "truth"), V[1:8, 1:8])
  expect_identical(vcov(fit), V[9:13, 9:13])
  expect_equal(glance(fit)[c("sigma", "nobs", "df")], tibble::tibble(sigma = unname(exp(b[14])), nobs = 90L, df = 14L), ignore_attr = TRUE)

  # What a row would score with each pair of reports, in the order of the arm's reports.
  by_arm <- possible_reports(fit)
  expect_identical(lapply(by_arm, `[[`, "rows"), list(which(d$arm == "one"), which(d$arm == "two")))
  for (arm in 1:2) {
    group <- by_arm[[arm]]
    pairs <- expand.grid(q = 1:4, s = c("no", "yes"), stringsAsFactors = FALSE)
    yes <- case$yes[arm, ]
    s <- rbind(no = c(1 - yes[["no"]], yes[["no"]]), yes = c(1 - yes[["yes"]], yes[["yes"]]))
    expect_equal(unname(group$channel), unname(kronecker(s, case$channel)), tolerance = 1e-12)
    expect_equal(unname(group$counts), outer(seq_len(8), match(paste(d$q, d$s), paste(pairs$q, pairs$s))[group$rows], `==`))
    for (i in c(2, 7)) {
      changed <- case
      changed$data[c("q", "s")] <- pairs[rep(i, 90), ]
      slopes <- difference_gradient(function(b) {
        log(rowSums(chain_joint(changed, b, function(mean) dnorm(d$o, mean, exp(b[14]))), dims = 1))
      }, unname(b))
      expect_equal(unname(group$scores[i, , ]), slopes[group$rows, ], tolerance = 1e-6)
    }
  }
})

test_that("the same chain and counts: every number of a Poisson fit; a yes or no whose reports are random too", {
  case <- chain_data(240)
  d <- case$data
  withr::local_seed(32)
  d$o <- rpois(240, exp(d$mean / 2))
  case$data <- d
  fit <- quietly(rr_predictor(o ~ z + q + s, d, case$mechanisms, poisson(), method = "ml", arm = arm, weights = w, starts = 1))
  b <- c(coef(fit, "truth"), coef(fit))
  loglik <- function(b) log(rowSums(chain_joint(case, b, function(mean) dpois(d$o, exp(mean))), dims = 1))
  expect_rows(fit, loglik, b, d$w, fit$scores, vcov(fit, part = "all"))
  at <- predict(fit, d[4:6, ], list(q = "b", s = "no"), se.fit = TRUE)
  x <- cbind(1, d$z[4:6], 1, 0, 0)
  mean <- drop(exp(x %*% b[9:13]))
  expect_equal(unname(at$fit), mean, tolerance = 1e-10)
  expect_equal(unname(at$se.fit), mean * sqrt(diag(x %*% vcov(fit) %*% t(x))), tolerance = 1e-10)

  case <- chain_data(600)
  d <- case$data
  d$o <- rbinom(600, 1, 0.2 + 0.6 * plogis(d$mean))
  case$data <- d
  mechanisms <- c(case$mechanisms, list(o = rr_binary(0.8, 0.2)))
  fit <- quietly(rr_predictor(o ~ z + q + s, d, mechanisms, binomial(), arm = arm, weights = w, starts = 1))
  b <- c(coef(fit, "truth"), coef(fit))
  reported <- function(mean) 0.8 - 0.6 * plogis(mean) + d$o * (1.2 * plogis(mean) - 0.6)
  loglik <- function(b) log(rowSums(chain_joint(case, b, reported), dims = 1))
  expect_rows(fit, loglik, b, d$w, fit$scores, vcov(fit, part = "all"))
  at <- predict(fit, d[4:6, ], list(q = "b", s = "no"), se.fit = TRUE)
  yes <- predict(fit, d[4:6, ], list(q = "b", s = "no"), type = "report", se.fit = TRUE)
  expect_equal(unname(yes$fit), unname(0.2 + 0.6 * at$fit), tolerance = 1e-10)
  expect_equal(unname(yes$se.fit), unname(0.6 * at$se.fit), tolerance = 1e-10)
  expect_equal(unname(predict(fit, type = "report")), unname(0.2 + 0.6 * predict(fit)), tolerance = 1e-10)
  expect_identical(unname(regression_reports(fit)), as.double(d$o))
})

test_that("models of the truth: what each covariate is given", {
  case <- chain_data(60)
  names_of <- function(truth, formula = o ~ z + q + s) {
    frame <- case$data
    rows <- predictor_rows(quote(f(data = d, arm = arm)), formula, frame, case$mechanisms, truth, environment())
    lapply(rows$truth_formulas, function(f) all.vars(f))
  }
  expect_identical(names_of(~ .), list(q = "z", s = c("z", "q")))
  expect_identical(names_of(~ 1), list(q = character(), s = character()))
  expect_identical(names_of(~ z), list(q = "z", s = "z"))
  expect_identical(names_of(~ q), list(q = character(), s = "q"))
  expect_identical(names_of(~ . + w), list(q = c("z", "w"), s = c("z", "q", "w")))
  expect_identical(names_of(~ ., o ~ z * q + s), list(q = "z", s = c("z", "q")))
})

test_that("what a fit of a randomized covariate must be, at its boundaries", {
  case <- chain_data(60)
  d <- transform(case$data, o = o + 5)
  m <- case$mechanisms
  fit <- function(..., data = d, mechanisms = m["q"]) suppressMessages(rr_predictor(..., data = data, mechanisms = mechanisms))
  expect_refused(fit(o ~ z + q, truth = o ~ z), fit(o ~ z + q, truth = "z"), fit(o ~ z + q, truth = ~ (1 | z)), fit(o ~ z + q + offset(z)),
                 fit(o ~ z + (1 | w) + q), fit("o"), fit(o ~ z + q, data = as.list(d)), fit(o ~ z + q, family = binomial("probit")),
                 fit(o ~ z + q, family = "gaussian"), fit(o ~ z + q, method = "em"), fit(o ~ z + q, starts = 0, method = "ml"),
                 fit(o ~ z + q, mechanisms = stats::setNames(m[c("q", "q")], c("q", "q"))), fit(o ~ z + q, mechanisms = unname(m["q"])),
                 fit(o ~ z + q + s, mechanisms = list(q = m$q, s = 5)), fit(o ~ z + q + s, mechanisms = stats::setNames(m, c("q", ""))),
                 fit(factor(z > 0) ~ q), fit(cbind(o, o) ~ q), fit(o ~ z + q, data = replace(d, "o", list(replace(d$o, 7, Inf)))),
                 fit(o ~ z + q, family = poisson()), fit(q ~ z, mechanisms = list(q = list(a = rr_grr(4, p = 0.7), b = rr_grr(4, p = 0.8)))))
  expect_error(rr_predictor(o ~ z + s, d, list(s = list(one = rr_binary(0.9, 0.1), two = rr_binary(0.9, 0.1, levels = c("n", "y")))), arm = arm),
               class = "candor_error_mismatch")
  # A function of a family; counts and answers at their smallest and largest.
  expect_identical(fit(o ~ z + q, family = gaussian)$estimate, fit(o ~ z + q)$estimate)
  whole <- transform(d, n = c(0, 0, 1, 2, 3), yes = z > 0, text = factor(z > 0, labels = c("no", "yes")))
  expect_identical(quietly(fit(n ~ z + q, poisson(), data = whole))$rows$outcome, as.double(whole$n))
  expect_refused(fit(n ~ z + q, poisson(), data = transform(whole, n = n - 1)), fit(n ~ z + q, poisson(), data = transform(whole, n = n + 0.5)),
                 fit(n ~ w + q, binomial(), data = whole))
  for (name in c("yes", "text")) {
    formula <- stats::reformulate(c("w", "q"), name)
    expect_identical(suppressWarnings(fit(formula, binomial(), method = "moments", data = whole))$rows$outcome, as.double(whole$z > 0))
  }
  expect_identical(check_size(c(-1e99, 0), "o"), c(-1e99, 0))
  expect_identical(check_size(c(1.1e-100, 0), "o"), c(1.1e-100, 0))
  expect_identical(check_size(c(0, 0), "o"), c(0, 0))
  expect_refused(check_size(c(0, -1e100), "o"), check_size(c(1e-100, 0), "o"))
  # At most 1000 combinations of truths.
  many <- data.frame(o = seq_len(50), a = rep(1:10, 5), b = rep(1:10, each = 5), c = rep(10:1, 5))
  ten <- function(k) rr_grr(as.character(seq_len(k)), p = 0.9)
  frame_of <- function(k) randomized_parts(list(a = ten(10), b = ten(10), c = ten(k)), many, c("a", "b", "c"))
  expect_identical(nrow(frame_of(10)$cells), 1000L)
  expect_refused(frame_of(11))
  # Parts of a fit.
  moments <- fit(o ~ z + q)
  expect_refused(coef(moments, "truth"), vcov(moments, part = "truth"), tidy(moments, exponentiate = TRUE), predict(moments, type = "posterior"),
                 predict(moments, type = "truth"), predict(moments, truth = list(s = "no")))
  expect_error(predict(moments, truth = list(q = c("a", "b"))), class = "candor_error_level")
  both <- fit(o ~ z + q + s, mechanisms = list(q = m$q, s = rr_binary(0.9, 0.2)))
  expect_error(predict(both, truth = list(q = c("a", "b"), s = "no")), class = "candor_error_level")
  never <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.2, 0.7, 0.1)))
  never$matrix[] <- rbind(c(0.7, 0.3, 0), c(0.2, 0.8, 0))
  expect_error(fit(o ~ z + q, mechanisms = list(q = never), data = transform(d, q = pmin(q, 3))), class = "candor_error_impossible")
  likely <- fit(o ~ z + q, method = "ml", truth = ~ 1)
  expect_refused(predict(likely, d, type = "posterior"))
  expect_identical(names(coef(likely, "truth")), c("qb ~ (Intercept)", "qc ~ (Intercept)"))
  answer <- fit(s ~ z, mechanisms = list(s = rr_binary(0.9, 0.2)))
  expect_refused(sigma(answer))
  expect_identical(glance(answer)$sigma, NA_real_)
  # A randomized outcome by moments: the unbiased score is the outcome.
  score <- ((d$s == "yes") - 0.2) / 0.7
  expect_equal(unname(coef(answer)), unname(coef(lm(score ~ z, d))), tolerance = 1e-10)
  expect_identical(unname(regression_reports(answer)), as.double(d$s == "yes"))
  expect_equal(unname(predict(answer, type = "report")), unname(0.2 + 0.7 * predict(answer)), tolerance = 1e-12)
})

test_that("by moments: a Poisson regression with weights, two covariates and arms is the root of the corrected equations", {
  case <- chain_data()
  d <- transform(case$data, o = rep(c(0, 1, 3, 0, 2, 1), 15))
  fit <- rr_predictor(o ~ z + q + s, d, case$mechanisms, poisson(), weights = w, arm = arm)
  # Rows of C' with C'U = 1: for four reports of three truths the least-squares inverse.
  u <- (t(case$channel) %*% solve(case$channel %*% t(case$channel)))[d$q, ]
  p <- case$yes[d$arm, ]
  yes <- ((d$s == "yes") - p[, "no"]) / (p[, "yes"] - p[, "no"])
  score <- function(b) {
    sum <- 0
    for (q in 1:3) for (s in 0:1) {
      x <- cbind(1, d$z, q == 2, q == 3, s)
      sum <- sum + x * (u[, q] * (if (s == 1) yes else 1 - yes) * (d$o - exp(drop(x %*% b))))
    }
    d$w * sum
  }
  b <- unname(coef(fit))
  expect_lt(max(abs(colSums(score(b)))), 1e-6)
  bread <- solve(-difference_gradient(function(b) colSums(score(b)), b))
  expect_equal(unname(vcov(fit)), bread %*% crossprod(score(b)) %*% t(bread), tolerance = 1e-5)
  expect_equal(unname(fit$scores), unname(score(b)), tolerance = 1e-8)
  d$mean <- case$data$o
  linear <- rr_predictor(mean ~ z + q + s, d, case$mechanisms, weights = w, arm = arm)
  square <- 0
  for (q in 1:3) for (s in 0:1) {
    x <- cbind(1, d$z, q == 2, q == 3, s)
    square <- square + sum(d$w * u[, q] * (if (s == 1) yes else 1 - yes) * (d$mean - drop(x %*% coef(linear)))^2)
  }
  expect_equal(sigma(linear), sqrt(square / sum(d$w) * 90 / 85), tolerance = 1e-8)
})

test_that("many rows are searched by a part of them: the maximum is that of all", {
  withr::local_seed(33)
  n <- 4100
  d <- data.frame(z = rnorm(n))
  truth <- rbinom(n, 1, plogis(d$z))
  d$o <- d$z + truth + rnorm(n)
  d$q <- ifelse(runif(n) < 0.8, truth, 1 - truth)
  fit <- quietly(rr_predictor(o ~ z + q, d, list(q = rr_warner(0.8)), method = "ml", starts = 2))
  loglik <- function(b) {
    share <- plogis(b[1] + b[2] * d$z)
    density <- function(s) dnorm(d$o, b[3] + b[4] * d$z + b[5] * s, exp(b[6])) * ifelse(d$q == s, 0.8, 0.2)
    log((1 - share) * density(0) + share * density(1))
  }
  expect_rows(fit, loglik, c(coef(fit, "truth"), coef(fit), log(sigma(fit))), 1, fit$scores, vcov(fit, part = "all"))
  mixture <- suppressMessages(new_mixture(fit$rows))
  model <- mixture_model(mixture, rownames(vcov(fit, part = "all")), mixture_start(fit$rows, mixture))
  points <- mixture_starts(mixture, model, 2)
  expect_identical(points[, 1], model$start)
  expect_true(ncol(points) %in% 2:3 && all(is.finite(points)))
  # What the climbs of a part reach is near the maximum of all.
  expect_lt(min(colSums(abs(points[, -1, drop = FALSE] - fit$b))), 1)
  expect_identical(ncol(mixture_starts(mixture, model, 1)), 1L)
})

test_that("a likelihood ratio compares fits with the same randomized variables", {
  set.seed(61)
  warner <- rr_warner(0.8)
  d <- data.frame(u = rbinom(300, 1, 0.4), v = rbinom(300, 1, 0.3))
  d$y <- rbinom(300, 1, 0.2 + 0.4 * d$u)
  d[c("u", "v")] <- lapply(d[c("u", "v")], function(x) rr_perturb(x, warner, rng = "R"))
  both <- rr_predictor(y ~ u + v, d, list(u = warner, v = warner), family = binomial())
  one <- rr_predictor(y ~ u, d, list(u = warner), family = binomial())
  # The likelihood of `one` has no reports of v: more than 100 bits less.
  expect_gt(as.numeric(logLik(one)) - as.numeric(logLik(both)), 50)
  expect_refused(anova(one, both), anova(both))
})

test_that("a truth that is not named, and a mechanism without its variable, have their remedy", {
  data <- data.frame(y = rep(c(1, 2, 4), 20), a = rep(c("no", "yes"), 30), b = rep(c("no", "no", "yes"), 20))
  mechanisms <- list(a = rr_warner(0.9), b = rr_warner(0.8))
  fit <- suppressWarnings(rr_predictor(y ~ a + b, data, mechanisms, method = "moments"))
  expect_error(predict(fit, truth = list(a = "no")), "b.*missing", class = "candor_error_argument")
  expect_error(predict(fit, truth = list(a = "no", b = "no", c = "no")), class = "candor_error_argument")
  expect_error(rr_predictor(y ~ a, data, mechanisms), "out of `mechanisms`", class = "candor_error_argument")
})

test_that("factors of the outcome stand beside those of the truth's model, each in its component", {
  set.seed(1)
  data <- data.frame(x = rnorm(400), y = rbinom(400, 1, 0.4), q = rep(c("no", "yes"), c(220, 180)))
  for (family in list(binomial(), poisson())) {
    fit <- rr_predictor(y ~ x + q, data, list(q = rr_warner(0.9)), family = family, method = "ml")
    table <- tidy(fit, exponentiate = TRUE)
    expect_equal(setNames(table$estimate, table$term)[table$component == "outcome"], exp(coef(fit)))
    expect_equal(setNames(table$estimate, table$term)[table$component == "truth"], exp(coef(fit, "truth")))
  }
})

test_that("the likelihood is climbed from the shares without covariates and the outcome's moments", {
  case <- chain_data()
  d <- case$data
  d$n <- rep(c(0, 1, 3, 0, 2, 1), 15)
  d$flat <- d$z / 10 + rep(c(-1, 1), 45) / 1e4
  d$far <- d$o + 100
  mechanisms <- c(case$mechanisms["q"], list(s = rr_binary(0.95, 0.1)))
  by <- function(method, ...) quietly(suppressWarnings(rr_predictor(..., data = d, weights = w, method = method, starts = 1)))
  started <- function(...) {
    rows <- by("ml", ...)$rows
    mixture <- suppressMessages(new_mixture(rows))
    start <- mixture_start(rows, mixture)
    mixture_model(mixture, NULL, start)$natural(start)
  }
  # The least-squares inverse of four reports of three truths.
  share <- drop(xtabs(w ~ q, d) %*% t(case$channel) %*% solve(case$channel %*% t(case$channel))) / sum(d$w)
  yes <- (sum(d$w * (d$s == "yes")) / sum(d$w) - 0.1) / 0.85
  truth <- c(log(share[2] / share[1]), 0, log(share[3] / share[1]), 0, qlogis(yes), 0, 0, 0)
  linear <- by("moments", o ~ z + q + s, mechanisms = mechanisms)
  expect_equal(started(o ~ z + q + s, mechanisms = mechanisms), unname(c(truth, coef(linear), log(sigma(linear)))), tolerance = 1e-8)
  counts <- by("moments", n ~ z + q + s, mechanisms = mechanisms, family = poisson())
  expect_equal(started(n ~ z + q + s, mechanisms = mechanisms, family = poisson()), unname(c(truth, coef(counts))), tolerance = 1e-6)
  # The error is 0.3 standard deviations of the outcome at least; an outcome ten of them from 0 is climbed from 0.
  near <- by("moments", flat ~ z + q + s, mechanisms = mechanisms)
  expect_equal(tail(started(flat ~ z + q + s, mechanisms = mechanisms), 6), unname(c(coef(near), log(0.3 * sd(d$flat)))), tolerance = 1e-6)
  expect_equal(tail(started(far ~ z + q + s, mechanisms = mechanisms), 6), c(0, 0, 0, 0, 0, log(sigma(linear))), tolerance = 1e-8)
  # An answer that is random too has its unbiased score in place of the outcome.
  answer <- by("moments", s ~ z, mechanisms = mechanisms["s"], family = binomial())
  expect_equal(started(s ~ z, mechanisms = mechanisms["s"], family = binomial()), unname(coef(answer)), tolerance = 1e-6)
})

test_that("columns of designs become orthogonal columns of the same space, with a map back to each design", {
  x <- c(0.5, -1, 2, 0.3, 1.7)
  w <- c(1, 2, 0.5, 3, 1)
  designs <- list(cbind(1, x), cbind(x, 2 * x - 3, x^2), cbind(rep(1, 5)))
  found <- exact_columns(designs, w)
  expect_identical(found$columns, list(rep(1, 5), x, 2 * x - 3, x^2))
  expect_equal(crossprod(found$z * w / sum(w), found$z), diag(3), tolerance = 1e-12)
  for (d in 1:3) expect_equal(found$z %*% found$maps[[d]], designs[[d]], tolerance = 1e-12, ignore_attr = TRUE)
  alone <- exact_columns(list(cbind(x)), w)
  expect_equal(abs(drop(alone$z)), abs(x) / sqrt(sum(w * x^2) / sum(w)), tolerance = 1e-12)
  expect_equal(drop(alone$z %*% alone$maps[[1]]), x, tolerance = 1e-12)
})

test_that("what may be infinite: the logit of the truth, and the outcome's predictor unless it is Gaussian, in rows whose truth is possible", {
  # Only a true yes is reported as yes.
  d <- data.frame(z = c(-1.2, 0.3, 0.8, 1.9, -0.4, 0.6), y = c(0, 2, 1, 3, 1, 0))
  for (family in list(poisson(), gaussian())) for (q in list(c(0, 1, 0, 0, 1, 0), rep(1, 6))) {
    d$q <- q
    rows <- predictor_rows(quote(f(data = d)), y ~ z + q, d, list(q = rr_binary(0.6, 0)), ~., environment())
    rows$family <- family
    rows$outcome <- predictor_outcome(rows, "ml")
    mixture <- suppressMessages(new_mixture(rows))
    b <- c(0.2, -0.3, 0.4, 0.1, 0.5, if (family$family == "gaussian") 0.1)
    N <- cbind(rev(b), seq_along(b))
    first <- mixture$rows$first
    predictors <- function(v) {
      v <- drop(mixture$back %*% v)
      in_rows <- function(rows, k) {
        z <- d$z[rows]
        c(v[1] + v[2] * z, if (family$family == "poisson") v[3] + v[4] * z + v[5] * k)
      }
      c(in_rows(first[d$q[first] == 0], 0), in_rows(first, 1))
    }
    found <- mixture_rows(mixture, b, N)
    expect_equal(found$eta, predictors(b), tolerance = 1e-12)
    expect_equal(found$move, apply(N, 2, predictors), tolerance = 1e-12)
  }
})

test_that("more than 4,000 rows are searched by 2,000 of them, whose two best ends that differ by a tenth are starts", {
  small <- NULL
  starts <- function(n, starts, value = c(-5, -3, -Inf, -3.04, -4)) {
    mixture <- list(rows = list(weights = seq_len(n), outcome = -seq_len(n), exact = cbind(seq_len(n), 0), loglik_reports = cbind(seq_len(n))))
    with_calls(mixture_starts,
      mixture_model = function(mixture, names, start) {
        small <<- mixture$rows
        list(names = names, start = start)
      },
      even_starts = function(model, starts) rbind(seq_len(starts) + model$start),
      promising_starts = function(model, starts) starts + model$start,
      climb = function(model, starts, is_rough) list(value = value, points = if (is_rough) starts)
    )(mixture, list(names = "b", start = 10), starts)
  }
  expect_equal(starts(4000, 5), rbind(11:15))
  expect_equal(starts(4001, 1), cbind(11))
  expect_null(small)
  expect_equal(starts(4001, 5), rbind(c(10, 22, 25)))
  expect_length(unique(small$weights), 2000)
  expect_gt(max(small$weights), 3990)
  expect_identical(small, list(weights = small$weights, outcome = -small$weights, exact = cbind(small$weights, 0), loglik_reports = cbind(small$weights)))
  expect_equal(starts(4001, 2, c(-Inf, -3)), rbind(c(10, 22)))
})

test_that("the estimate with other weights is that of respondents who stand as often in the data, or none where they do not determine it", {
  case <- chain_data(60)
  d <- case$data
  d$q <- d$q %% 2
  often <- rep_len(c(1, 2, 0, 3, 1), nrow(d))
  again <- rep(seq_len(nrow(d)), often)
  mechanism <- list(q = rr_warner(0.9))
  for (method in c("moments", "ml")) {
    fit <- quietly(suppressWarnings(rr_predictor(o ~ z + q, d, mechanism, method = method, starts = 1)))
    other <- quietly(suppressWarnings(rr_predictor(o ~ z + q, d[again, ], mechanism, method = method, starts = 1)))
    mixture <- if (method == "ml") new_mixture(fit$rows)
    expect_equal(unname(predictor_replicate(fit, mixture, often)), unname(other$estimate), tolerance = 1e-6)
  }
  moments <- rr_predictor(o ~ z + q, d, mechanism)
  expect_identical(predictor_replicate(moments, NULL, numeric(nrow(d))), rep(NA_real_, 3))
})

test_that("scores of reports that were not given are derivatives of their log-likelihood, row by row and without weights", {
  d <- chain_data(60)$data
  d$q <- d$q %% 2
  d$w <- rep_len(1:3, nrow(d))
  fit <- quietly(suppressWarnings(rr_predictor(o ~ z + q, d, list(q = rr_warner(0.8)), method = "ml", weights = w, starts = 1)))
  other <- 1 - d$q
  loglik <- function(b) {
    share <- plogis(b[1] + b[2] * d$z)
    density <- function(s) dnorm(d$o, b[3] + b[4] * d$z + b[5] * s, exp(b[6])) * ifelse(other == s, 0.8, 0.2)
    log((1 - share) * density(0) + share * density(1))
  }
  b <- unname(c(coef(fit, "truth"), coef(fit), log(sigma(fit))))
  h <- 1e-5
  slopes <- vapply(seq_along(b), function(j) (loglik(b + h * (seq_along(b) == j)) - loglik(b - h * (seq_along(b) == j))) / (2 * h), d$z)
  scores <- mixture_scores(suppressMessages(new_mixture(fit$rows)), list(q = other + 1L), fit$b)
  # Central differences have an error of h^2 and 1e-16 / h.
  expect_equal(unname(scores), slopes, tolerance = 1e-7)
})

test_that("devices beside moments are refused only if a study measured more reports than truths", {
  square <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5), yes = c(10, 40)))
  expect_no_error(refuse_predictor_study(list(square), "moments"))
  expect_no_error(refuse_predictor_study(list(rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.2, 0.7)))), "moments"))
  spare <- rr_misclassification(table = rbind(no = c(no = 90, perhaps = 6, yes = 4), yes = c(10, 5, 35)))
  expect_refused(refuse_predictor_study(list(square, spare), "moments"))
  expect_no_error(refuse_predictor_study(list(square, spare), "ml"))
})
