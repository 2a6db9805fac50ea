# Tables, tests and sandwiches of a regression of two devices with weights and dropped rows, from the probabilities of its reports.

glm_case <- function() {
  withr::local_seed(71)
  n <- 240
  d <- data.frame(x = round(rnorm(n), 1), g = factor(rep(c("u", "v", "w"), n / 3)), arm = rep_len(c("s", "t", "t"), n), off = rep_len(c(0, 0.4), n),
                  w = rep(c(1, 2, 1, 1.5), n / 4), school = rep(1:24, each = 10))
  d$twice <- 2 * d$x
  p <- c(s = 0.95, t = 0.8)[d$arm]
  q <- c(s = 0.1, t = 0.25)[d$arm]
  truth <- rbinom(n, 1, plogis(-0.4 + 0.9 * d$x + (d$g == "w") + d$off))
  d$y <- rbinom(n, 1, ifelse(truth == 1, p, q))
  d$y[c(3, 77)] <- NA
  fit <- suppressMessages(rr_glm(y ~ x + g + twice, d, list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.25)), arm = arm, offset = off, weights = w))
  use <- !is.na(d$y)
  list(data = d, fit = fit, d = d[use, ], p = unname(p)[use], q = unname(q)[use], x = cbind(1, d$x, d$g == "v", d$g == "w")[use, ])
}

report_of <- function(case, b) case$q + (case$p - case$q) * plogis(drop(case$x %*% b) + case$d$off)
glm_loglik <- function(case) function(b) {
  report <- report_of(case, b)
  log(case$d$y * report + (1 - case$d$y) * (1 - report))
}

test_that("variances of each type, with clusters, of a fit with a column that others make", {
  case <- glm_case()
  fit <- case$fit
  d <- case$d
  b <- unname(coef(fit)[1:4])
  expect_true(is.na(coef(fit)[["twice"]]))
  scores <- unname(row_scores(fit))
  expect_rows(fit, glm_loglik(case), b, d$w, scores, vcov(fit, complete = FALSE))
  V <- unname(vcov(fit, complete = FALSE))
  report <- report_of(case, b)
  truth <- plogis(drop(case$x %*% b) + d$off)
  weight <- d$w * ((case$p - case$q) * truth * (1 - truth))^2 / (report * (1 - report))
  expect_equal(unname(vcov(fit, "expected", complete = FALSE)), solve(crossprod(case$x * weight, case$x)), tolerance = 1e-8)
  expect_equal(unname(vcov(fit, "sandwich", complete = FALSE)), V %*% crossprod(scores) %*% V, tolerance = 1e-10)
  sums <- rowsum(scores, d$school)
  clustered <- V %*% crossprod(sums) %*% V * 24 / 23
  # One entry for each row that was used, or for each row; a formula; the pairs of two columns.
  for (cluster in list(d$school, case$data$school, ~ school)) {
    expect_equal(unname(vcov(fit, cluster = cluster, complete = FALSE)), clustered, tolerance = 1e-10)
  }
  pairs <- rowsum(scores, paste(d$school, d$g))
  m <- nrow(pairs)
  expect_equal(unname(vcov(fit, cluster = ~ school + g, complete = FALSE)), V %*% crossprod(pairs) %*% V * m / (m - 1), tolerance = 1e-10)
  expect_true(all(is.na(vcov(fit, cluster = rep(1, 238), complete = FALSE))))
  expect_refused(vcov(fit, cluster = 1:237), vcov(fit, cluster = replace(d$school, 5, NA)), vcov(fit, "observed", cluster = d$school), vcov(fit, "survey"))
  expect_identical(dim(vcov(fit)), c(5L, 5L))
  expect_true(all(is.na(vcov(fit)["twice", ])))
})

test_that("tables of coefficients, limits, ratios of likelihoods", {
  case <- glm_case()
  fit <- case$fit
  error <- sqrt(diag(vcov(fit, complete = FALSE)))
  b <- coef(fit)[1:4]
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.8, conf.method = "wald")[1:4, ]
  expect_identical(table$term, names(b))
  expect_equal(table$std.error, unname(error))
  expect_equal(table$statistic, unname(b / error))
  expect_equal(table$p.value, unname(2 * pnorm(-abs(b / error))))
  z <- qnorm(0.9)
  expect_equal(table[c("conf.low", "conf.high")], tibble::tibble(conf.low = unname(b - z * error), conf.high = unname(b + z * error)))
  odds <- tidy(fit, conf.int = TRUE, conf.level = 0.8, conf.method = "wald", exponentiate = TRUE)[1:4, ]
  expect_equal(odds[c("estimate", "conf.low", "conf.high")], exp(table[c("estimate", "conf.low", "conf.high")]), ignore_attr = TRUE)
  expect_identical(odds[c("std.error", "p.value")], table[c("std.error", "p.value")])
  by_school <- tidy(fit, cluster = ~ school)
  expect_equal(by_school$std.error, unname(sqrt(diag(vcov(fit, cluster = ~ school)))))
  expect_equal(unname(summary(fit)$coefficients), unname(as.matrix(table[2:5])))
  expect_identical(colnames(summary(fit)$coefficients), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  # A t distribution, coefficients at infinity, names in another order.
  made <- coefficient_table(c(a = 2, b = -Inf, c = 1), diag(c(c = 4, a = 9, b = 1)) |> `dimnames<-`(list(c("c", "a", "b"), c("c", "a", "b"))), 7)
  expect_equal(made$std.error, c(3, NA, 2))
  expect_equal(made$p.value, c(2 * pt(-2 / 3, 7), NA, 2 * pt(-0.5, 7)))
  expect_equal(wald_limits(made, 0.9, 7)[3, ], 1 + c(-1, 1) * qt(0.95, 7) * 2)
  expect_equal(slope_error(rbind(c(1, 2), c(0, 3)), matrix(c(2, 0.5, 0.5, 1), 2)), sqrt(c(2 + 2 + 4, 9)))
  expect_identical(slope_error(rbind(c(1, 1)), -diag(2)), 0)
  expect_identical(exponentiated(data.frame(estimate = 0:1, conf.low = 0), 2)$estimate, c(0, exp(1)))
  expect_identical(colnames(summary_matrix(table, 5)), c("Estimate", "Std. Error", "t value", "Pr(>|t|)"))
  # An intercept alone beside it: twice the difference, two numbers fewer; in either order.
  small <- suppressMessages(rr_glm(y ~ x, case$data, list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.25)), arm = arm, offset = off, weights = w))
  ratio <- 2 * (as.numeric(logLik(fit)) - as.numeric(logLik(small)))
  tested <- anova(small, fit)
  expect_equal(tested[2, ncol(tested)], pchisq(ratio, 2, lower.tail = FALSE))
  three <- rr_grr(3, p = 0.8)
  people <- transform(case$d, z = 1 + (w > 1) + (x > 0), off = rep_len(c(0, 1, 0, 0, 1, 1, 0), 238))
  large <- rr_multinom(z ~ off + y, people, three)
  less <- rr_multinom(z ~ y, people, three)
  ratio <- 2 * (as.numeric(logLik(large)) - as.numeric(logLik(less)))
  for (tested in list(anova(large, less), anova(less, large))) {
    expect_equal(tested$Chisq, c(NA, ratio))
    expect_identical(as.numeric(tested$Df), c(4, 6))
    expect_identical(as.numeric(tested$Df.diff), c(NA, 2))
    expect_equal(tested$`Pr(>Chi)`[2], pchisq(ratio, 2, lower.tail = FALSE))
  }
  expect_equal(glance(large)[c("nobs", "df", "BIC")], tibble::tibble(nobs = 238L, df = 6L, BIC = log(238) * 6 - 2 * as.numeric(logLik(large))),
    ignore_attr = TRUE)
  # Free to one side only: half of the tail of one degree of freedom fewer; nothing is below 0.
  expect_equal(ratio_p_values(c(NA, 3, 5, -1e-12), c(NA, 1, 2, 1), c(FALSE, TRUE, TRUE, FALSE)),
               c(NA, pchisq(3, 1, lower.tail = FALSE) / 2, (pchisq(5, 2, lower.tail = FALSE) + pchisq(5, 1, lower.tail = FALSE)) / 2, 1))
  expect_refused(anova(large, large), anova(large, rr_multinom(z ~ 1, people[-1, ], three)), anova(fit, rr_multinom(y ~ x, case$d, rr_binary(0.9, 0.2))))
})

test_that("a summary, a row of glance(), and rows of augment() by hand", {
  case <- glm_case()
  fit <- case$fit
  d <- case$d
  b <- unname(coef(fit)[1:4])
  one <- glance(fit)
  loglik <- as.numeric(logLik(fit))
  expect_equal(unlist(one[c("logLik", "AIC", "BIC")], use.names = FALSE), c(loglik, 8 - 2 * loglik, log(238) * 4 - 2 * loglik), tolerance = 1e-10)
  expect_identical(c(one$df.residual, one$df.null, one$nobs, one$boundary), c(234L, 237L, 238L, 0L))
  # The larger of the two devices' epsilon.
  expect_equal(one$epsilon, max(log(0.95 / 0.1), log(0.9 / 0.05), log(0.8 / 0.25), log(0.75 / 0.2)))
  table <- augment(fit)
  truth <- plogis(drop(case$x %*% b) + d$off)
  report <- report_of(case, b)
  expect_equal(table$.truth, truth, tolerance = 1e-10)
  expect_equal(table$.report, report, tolerance = 1e-10)
  expect_equal(table$.posterior, truth * ifelse(d$y == 1, case$p / report, (1 - case$p) / (1 - report)), tolerance = 1e-10)
  expect_equal(table$.resid, (2 * d$y - 1) * sqrt(-2 * d$w * glm_loglik(case)(b)), tolerance = 1e-10)
  # Leverages add up to the number of coefficients.
  weight <- d$w * ((case$p - case$q) * truth * (1 - truth))^2 / (report * (1 - report))
  hat <- weight * rowSums(case$x * t(solve(crossprod(case$x * weight, case$x), t(case$x))))
  expect_equal(table$.hat, hat, tolerance = 1e-8)
  expect_refused(augment(fit, d[-1, ]))
  expect_identical(augment(fit, case$data)$school, d$school)
  # A column of I() is a plain one.
  square <- augment(quietly(rr_glm(y ~ I(x^2), d, rr_binary(0.9, 0.2))))
  expect_identical(square[["I(x^2)"]], d$x^2)
  expect_equal(unname(row_posterior(fit, fitted_rows(fit), rep(0.3, 238))),
               truth * (0.3 * case$p / report + 0.7 * (1 - case$p) / (1 - report)), tolerance = 1e-10)
  short <- summary(fit)
  expect_identical(short$df, c(4L, 234L, 5L))
  expect_identical(unname(short$aliased), c(FALSE, FALSE, FALSE, FALSE, TRUE))
  expect_equal(short$cov.scaled, vcov(fit, complete = FALSE))
})

test_that("what a row would score with another report, by the arms that it may have", {
  case <- glm_case()
  fit <- case$fit
  b <- unname(coef(fit)[1:4])
  for (y in 0:1) {
    changed <- case
    changed$d$y <- rep(y, 238)
    slopes <- difference_gradient(glm_loglik(changed), b)
    expect_equal(unname(answer_scores(fit, rep(as.double(y), 238), fit$arm)), slopes, tolerance = 1e-6)
  }
  # What one answer adds to the sum that is estimated, whatever its weight.
  influences <- difference_gradient(glm_loglik(case), b) %*% vcov(fit, complete = FALSE)
  expect_equal(influence(fit, "linearised"), influences, tolerance = 1e-6, ignore_attr = TRUE)
  # How the scores move with the probabilities of a device: q, and p.
  moved <- share_slopes(fit)
  G <- lapply(c("s", "t"), function(arm) {
    is_arm <- case$d$arm == arm
    vapply(c("q", "p"), function(name) {
      score <- function(h) {
        changed <- case
        changed[[name]] <- case[[name]] + h * is_arm
        colSums(case$d$w * difference_gradient(glm_loglik(changed), b))
      }
      (score(1e-4) - score(-1e-4)) / 2e-4
    }, numeric(4))
  })
  for (arm in 1:2) {
    is_arm <- case$d$arm == c("s", "t")[arm]
    expect_equal(unname(crossprod(case$x * moved$weight, is_arm * moved$score)), unname(G[[arm]]), tolerance = 1e-4)
  }
})

test_that("levels of confidence, parts and methods that a regression does not have are refused", {
  fit <- glm_case()$fit
  expect_refused(confint(fit, level = 1), confint(fit, level = 0), tidy(fit, conf.int = NA), tidy(fit, exponentiate = 1))
  # The headline stands before the numbers.
  capture.output(expect_refused(print(fit, digits = 0), print(fit, digits = 23)))
  expect_refused(confint(fit, "z"), confint(fit, 9), class = "level")
  expect_refused(extractAIC(rr_multinom(y ~ x, glm_case()$d, rr_binary(0.9, 0.2))))
  expect_output(print(fit, digits = 22), "respondents")
  expect_output(print(fit, digits = 1), "2 rows with\\s+missing values dropped")
})

test_that("scores of a design with an unknown number, and of each report that a row might have had", {
  withr::local_seed(72)
  n <- 300
  d <- data.frame(x = round(rnorm(n), 1), g = rep_len(c("a", "b"), n))
  p <- ifelse(d$g == "a", 0.75, 0.35)
  # An answer is about the other question with 1 - p, and of these 60 % are yes.
  d$y <- rbinom(n, 1, p * plogis(-0.5 + d$x) + (1 - p) * 0.6)
  fit <- quietly(rr_glm(y ~ x, d, list(a = rr_unrelated(0.75, pi = NULL), b = rr_unrelated(0.35, pi = NULL)), arm = g))
  loglik <- function(b, y = d$y) {
    report <- p * plogis(b[1] + b[2] * d$x) + (1 - p) * b[3]
    y * log(report) + (1 - y) * log(1 - report)
  }
  b <- c(coef(fit), as.vector(fit$parameter))
  expect_rows(fit, loglik, b, 1, row_scores(fit), vcov(fit, parameter = TRUE))
  for (y in 0:1) expect_equal(unname(answer_scores(fit, rep(as.double(y), n), fit$arm)), difference_gradient(function(b) loglik(b, y), unname(b)),
    tolerance = 1e-6)
  # The unknown number has limits by its logit, and no test.
  last <- tail(tidy(fit, conf.int = TRUE, conf.level = 0.9), 1)
  psi <- b[[3]]
  error <- sqrt(vcov(fit, parameter = TRUE)[3, 3])
  expect_equal(c(last$conf.low, last$conf.high), plogis(qlogis(psi) + c(-1, 1) * qnorm(0.95) * error / (psi * (1 - psi))), tolerance = 1e-8)
  expect_true(is.na(last$statistic) && is.na(last$p.value))
  # A step of Newton without the row, and without the row's leverage.
  change <- difference_gradient(loglik, unname(b)) %*% vcov(fit, parameter = TRUE)
  expect_equal(influence(fit, "linearised"), change, tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(influence(fit, "deletion"), change / (1 - hatvalues(fit, "observed")), tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("two clusters are enough, one is not", {
  case <- glm_case()
  V <- unname(vcov(case$fit, complete = FALSE))
  half <- rep(1:2, 119)
  sums <- rowsum(unname(row_scores(case$fit)), half)
  expect_equal(unname(vcov(case$fit, cluster = half, complete = FALSE)), V %*% crossprod(sums) %*% V * 2, tolerance = 1e-10)
})

test_that("the effective number of parameters of a design is a trace, and designs are not compared with other fits", {
  skip_if_not_installed("survey")
  withr::local_seed(73)
  d <- data.frame(x = rnorm(200), w = rep(c(1, 3), 100), id = rep(1:40, each = 5))
  d$y <- rbinom(200, 1, 0.2 + 0.6 * plogis(d$x))
  design <- survey::svydesign(~ id, weights = ~ w, data = d)
  fit <- quietly(rr_glm(y ~ x, design, rr_warner(0.8)))
  plain <- quietly(rr_glm(y ~ x, d, rr_warner(0.8)))
  w <- d$w / mean(d$w)
  loglik <- sum(w * local({
    report <- 0.2 + 0.6 * plogis(coef(fit)[1] + coef(fit)[2] * d$x)
    d$y * log(report) + (1 - d$y) * log(1 - report)
  }))
  parameters <- sum(diag(solve(fit$variance$observed) %*% vcov(fit)))
  expect_equal(AIC(fit), -2 * loglik + 2 * parameters, tolerance = 1e-8)
  expect_equal(AIC(fit, k = 5), -2 * loglik + 5 * parameters, tolerance = 1e-8)
  expect_equal(unname(extractAIC(fit)), c(parameters, -2 * loglik + 2 * parameters), tolerance = 1e-8)
  both <- AIC(fit, fit)
  expect_equal(both$AIC, rep(AIC(fit), 2))
  expect_error(AIC(fit, plain), class = "candor_error_argument")
  expect_equal(AIC(plain), -2 * as.numeric(logLik(plain)) + 4)
  expect_refused(AIC(fit, k = "2"), logLik(fit), anova(fit, plain))
  expect_true(is.na(glance(fit)$logLik))
})

test_that("a likelihood ratio compares fits of the same reports, in every class", {
  set.seed(71)
  warner <- rr_warner(0.8)
  three <- rr_grr(3, p = 0.8)
  d <- data.frame(x = rep(0:3, 50), id = rep(1:50, each = 4))
  d[c("y", "z", "w")] <- lapply(c(0.2, 0.4, 0.6), function(p) rr_perturb(rbinom(200, 1, p), warner, rng = "R"))
  d[c("k", "l")] <- lapply(1:2, function(i) rr_perturb(sample(3, 200, TRUE, c(i, 1, 1)), three, rng = "R"))
  cells <- function(names) quietly(rr_tally(d[names], rr_product(stats::setNames(rep(list(warner), length(names)), names))))
  one <- quietly(rr_glm(y ~ 1, d, warner))
  expect_refused(anova(one, quietly(rr_glm(z ~ x, d, warner))), anova(quietly(rr_multinom(k ~ 1, d, three)), quietly(rr_multinom(l ~ x, d, three))),
                 anova(quietly(rr_loglinear(~ y * z, cells(c("y", "z")))), quietly(rr_loglinear(~ y * z * w, cells(c("y", "z", "w"))))),
                 anova(one, quietly(rr_glm(z ~ x + (1 | id), d, warner))), class = "mismatch")
  # Another form of the same reports, or another order of the variables, is the same data.
  expect_s3_class(anova(one, quietly(rr_glm(factor(y) ~ x, d, warner))), "anova")
  expect_s3_class(anova(quietly(rr_glm(y ~ x, d, warner)), quietly(rr_glm(y ~ x + (1 | id), d, warner))), "anova")
  swapped <- list(quietly(rr_predictor(x ~ y + z, d, list(y = warner, z = warner), method = "ml")),
                  quietly(rr_predictor(x ~ y * z, d, list(z = warner, y = warner), method = "ml")))
  expect_s3_class(anova(swapped[[1]], swapped[[2]]), "anova")
})

test_that("the sandwich of counts is that of the people whom they count, for answers and categories", {
  set.seed(72)
  warner <- rr_warner(0.8)
  d <- data.frame(x = rep(0:3, each = 100))
  d$y <- rr_perturb(rbinom(400, 1, 0.2 + 0.1 * d$x), warner, rng = "R")
  people <- vcov(rr_glm(y ~ x, d, warner), "sandwich")
  # By hand: products of the scores of single people, between the inverse of the observed information.
  fit <- rr_glm(y ~ x, d, warner)
  scores <- function(b) {
    truth <- plogis(b[1] + b[2] * d$x)
    report <- 0.2 + 0.6 * truth
    yes <- d$y == 1
    cbind(1, d$x) * ifelse(yes, 1 / report, -1 / (1 - report)) * 0.6 * truth * (1 - truth)
  }
  bread <- vcov(fit, "observed")
  expect_equal(unname(people), unname(bread %*% crossprod(scores(coef(fit))) %*% bread), tolerance = 1e-6)
  counts <- data.frame(x = 0:3, yes = tapply(d$y, d$x, sum))
  counts$no <- 100 - counts$yes
  expect_equal(vcov(rr_glm(cbind(yes, no) ~ x, counts, warner), "sandwich"), people, tolerance = 1e-6)
  expect_equal(vcov(rr_glm(~x, rr_tally(d, warner, column = "y", by = "x")), "sandwich"), people, tolerance = 1e-6)
})

test_that("in a design: what each row would score with each report, of counts in two arms, with an anchor question, with an unknown number", {
  skip_if_not_installed("survey")
  withr::local_seed(74)
  n <- 90
  d <- data.frame(x = round(rnorm(n), 1), arm = rep_len(c("s", "t", "t"), n), w = rep_len(c(1, 3, 0, 2), n), a = rep_len(c(1, 1, 0, 1, 1), n))
  d$y <- rbinom(n, 1, 0.2 + 0.6 * plogis(d$x))
  d$yes <- rep_len(0:2, n)
  d$no <- 3 - d$yes
  design <- survey::svydesign(~1, weights = ~w, data = d)
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  # `reports` holds the reports of a row, `law(truths, report, rows)` their probabilities in these rows, given shares of yes.
  expect_reports <- function(fit, reports, arms, law, counts) {
    at <- unname(c(coef(fit), if (is.finite(attr(fit$parameter, "std.error") %||% NA)) fit$parameter))
    possible <- possible_reports(fit)
    expect_identical(lapply(possible, `[[`, "rows"), arms)
    for (i in seq_along(arms)) {
      rows <- arms[[i]]
      group <- possible[[i]]
      expect_equal(unname(group$channel), t(vapply(0:1, function(t) law(t, reports, rows[1], at), numeric(nrow(reports)))), tolerance = 1e-10)
      expect_equal(unname(group$counts), t(counts[rows, ]), tolerance = 1e-10)
      for (report in seq_len(nrow(reports))) {
        loglik <- function(b) log(law(plogis(b[1] + b[2] * d$x[rows]), reports[rep(report, length(rows)), ], rows, b))
        expect_equal(unname(group$scores[report, , ]), difference_gradient(loglik, at), tolerance = 1e-6)
      }
    }
  }
  arms <- unname(split(seq_len(n), d$arm))
  p <- ifelse(d$arm == "s", 0.95, 0.8)
  q <- ifelse(d$arm == "s", 0.1, 0.25)
  devices <- list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.25))
  answers <- expand.grid(y = 0:1, a = 0)
  answer <- function(truth, reports, rows, b) of(q[rows] + (p - q)[rows] * truth, reports$y)
  fit <- quietly(suppressWarnings(rr_glm(cbind(yes, no) ~ x, design, devices, arm = arm)))
  expect_reports(fit, answers, arms, answer, cbind(d$no, d$yes) * (d$w > 0))
  pairs <- expand.grid(y = 0:1, a = 0:1)
  both <- function(truth, reports, rows, b) {
    (1 - b[3]) * answer(truth, reports, rows, b) * of(0.8, reports$a) + b[3] / 4
  }
  fit <- quietly(suppressWarnings(rr_glm(y ~ x, design, devices, arm = arm, anchor = list(a = rr_anchor(rr_crosswise(0.2))))))
  expect_true(fit$parameter > 0 && fit$parameter < 1)
  expect_reports(fit, pairs, arms, both, outer(1 + d$y + 2 * d$a, 1:4, `==`) * (d$w > 0))
  # With one device the arms are those of the anchor's reports.
  one <- function(truth, reports, rows, b) (1 - b[3]) * of(0.2 + 0.6 * truth, reports$y) * of(0.8, reports$a) + b[3] / 4
  fit <- quietly(suppressWarnings(rr_glm(y ~ x, design, rr_warner(0.8), anchor = list(a = rr_anchor(rr_crosswise(0.2))))))
  expect_reports(fit, pairs, list(seq_len(n)), one, outer(1 + d$y + 2 * d$a, 1:4, `==`) * (d$w > 0))
  share <- ifelse(d$arm == "s", 0.8, 0.3)
  other <- function(truth, reports, rows, b) of(share[rows] * truth + (1 - share[rows]) * b[3], reports$y)
  fit <- quietly(suppressWarnings(rr_glm(y ~ x, design, list(s = rr_unrelated(0.8, pi = NULL), t = rr_unrelated(0.3, pi = NULL)), arm = arm)))
  expect_true(fit$parameter > 0 && fit$parameter < 1)
  expect_reports(fit, answers, arms, other, cbind(1 - d$y, d$y) * (d$w > 0))
})

test_that("tables, summaries and prints of regressions that are no glm have the numbers of their covariance and likelihood", {
  data <- withr::with_seed(72, data.frame(x = round(rnorm(150), 1), k = sample(c("a", "b", "c"), 150, TRUE), w = rep_len(c(1, 2, 0), 150)))
  fit <- quietly(rr_multinom(k ~ x, data, rr_grr(c("a", "b", "c"), p = 0.9)))
  b <- c(t(coef(fit)))
  error <- unname(sqrt(diag(vcov(fit))))
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.8)
  expect_equal(table$estimate, b)
  expect_equal(table$conf.low, b - qnorm(0.9) * error, tolerance = 1e-10)
  expect_equal(table$conf.high, b + qnorm(0.9) * error, tolerance = 1e-10)
  expect_equal(unname(confint(fit, level = 0.8)), cbind(table$conf.low, table$conf.high), tolerance = 1e-10)
  expect_equal(unname(confint(fit, 3)[1, ]), b[3] + c(-1, 1) * qnorm(0.975) * error[3], tolerance = 1e-10)
  odds <- tidy(fit, conf.int = TRUE, conf.level = 0.8, exponentiate = TRUE)
  expect_equal(odds[c("estimate", "conf.low", "conf.high")], exp(table[c("estimate", "conf.low", "conf.high")]), tolerance = 1e-10)
  expect_identical(odds$std.error, table$std.error)
  expect_identical(as.data.frame(fit), as.data.frame(tidy(fit, conf.int = TRUE)))
  short <- summary(fit)
  expect_equal(unname(short$coefficients), cbind(b, error, b / error, 2 * pnorm(-abs(b / error))), ignore_attr = TRUE)
  expect_identical(rownames(short$coefficients), rownames(vcov(fit)))
  printed <- paste(capture.output(print(short)), collapse = "\n")
  for (number in c(fit$loglik, AIC(fit), BIC(fit))) expect_match(printed, format(number, digits = 7), fixed = TRUE)
  expect_match(paste(capture.output(print(fit)), collapse = "\n"), "150", fixed = TRUE)
  # A fit by moments has no likelihood.
  moments <- rr_predictor(x ~ k, data, list(k = rr_grr(c("a", "b", "c"), p = 0.9)))
  expect_no_match(capture.output(print(summary(moments))), "AIC")
  expect_refused(logLik(moments))
  expect_identical(glance(moments)$decrement, NA_real_)
  # Rows of weight 0 are nobody.
  weighted <- suppressMessages(quietly(rr_multinom(k ~ x, data, rr_grr(c("a", "b", "c"), p = 0.9), weights = w)))
  expect_equal(nobs(weighted), 100, ignore_attr = TRUE)
  expect_equal(vcov(weighted, "sandwich"), vcov(quietly(rr_multinom(k ~ x, data[data$w > 0, ], rr_grr(c("a", "b", "c"), p = 0.9), weights = w)), "sandwich"),
               tolerance = 1e-6)
})

test_that("tables and covariances of a glm have no intervals, factors or unknown number unless they are wanted", {
  d <- data.frame(y = rep(0:1, c(50, 40)), sample = rep(c("a", "b"), 45), x = rep(c(-1, 0.5, 2), 30))
  mechanisms <- list(a = rr_unrelated(0.7, pi = NULL), b = rr_unrelated(0.3, pi = NULL))
  fit <- suppressWarnings(rr_glm(y ~ x + I(2 * x), d, mechanisms, arm = sample)) |> suppressMessages()
  b <- names(coef(fit))
  expect_identical(rownames(vcov(fit)), b)
  expect_identical(vcov(fit), vcov(fit, "observed", NULL, FALSE, TRUE))
  expect_identical(rownames(vcov(fit, parameter = TRUE)), c(b, names(fit$parameter)))
  expect_identical(rownames(vcov(fit, complete = FALSE)), b[1:2])
  table <- tidy(fit)
  expect_identical(names(table), c("term", "estimate", "std.error", "statistic", "p.value"))
  expect_equal(table$estimate[-4], unname(coef(fit)))
  expect_equal(table$estimate[4], fit$parameter[[1]])
  # The number has no test, and limits on its logit.
  expect_identical(is.na(table$p.value), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(is.na(table$statistic), c(FALSE, FALSE, TRUE, TRUE))
  odds <- tidy(fit, conf.int = TRUE, conf.level = 0.9, exponentiate = TRUE, conf.method = "wald")
  psi <- fit$parameter[[1]]
  half <- qnorm(0.95) * table$std.error[4] / (psi * (1 - psi))
  expect_equal(unlist(odds[4, c("estimate", "conf.low", "conf.high")], use.names = FALSE), plogis(qlogis(psi) + c(0, -half, half)), tolerance = 1e-10)
  expect_equal(odds$estimate[1:2], unname(exp(coef(fit)[1:2])))
  expect_identical(rownames(summary(fit)$coefficients), b[1:2])
  loglik <- as.numeric(logLik(fit))
  # Two coefficients and the number.
  expect_equal(c(AIC(fit), AIC(fit, k = 3)), c(6, 9) - 2 * loglik, tolerance = 1e-10)
  expect_equal(extractAIC(fit)[2], AIC(fit))
  expect_refused(AIC(fit, k = "2"), extractAIC(fit, k = NA))
})

test_that("rows of weight 0 are no parameters to extractAIC(), and step() takes its number", {
  data <- data.frame(x = rep(c(-1, 0, 2, 1), 25), y = rep(c(0, 1, 1, 0, 1), 20), w = rep(c(1, 0, 2, 1, 1), 20))
  fit <- quietly(rr_glm(y ~ x, data, rr_binary(0.9, 0.2), weights = w))
  used <- quietly(rr_glm(y ~ x, subset(data, w > 0), rr_binary(0.9, 0.2), weights = w))
  for (k in c(2, 5)) {
    expect_equal(extractAIC(fit, k = k), c(2, AIC(used, k = k)), tolerance = 1e-8)
    expect_equal(drop1(fit, k = k)["<none>", "AIC"], extractAIC(fit, k = k)[2], tolerance = 1e-8)
  }
})

test_that("clusters whose rows all have weight 0 are no clusters", {
  data <- data.frame(x = rep(c(-1, 0, 2, 1), 25), y = rep(c(0, 1, 1, 0, 1), 20), id = rep(1:10, each = 10))
  data$w <- 1 * (data$id > 4)
  data$text <- c("no", "yes")[data$y + 1]
  fits_of <- function(data) {
    device <- rr_binary(0.9, 0.2)
    list(rr_glm(y ~ x, data, device, weights = w), rr_multinom(text ~ x, data, device, weights = w),
         rr_predictor(x ~ text, data, list(text = device), weights = w))
  }
  Map(function(fit, used) {
    expect_equal(vcov(fit, cluster = data$id), vcov(used, cluster = rep(5:10, each = 10)), tolerance = 1e-6)
  }, quietly(fits_of(data)), quietly(fits_of(subset(data, w > 0))))
})

test_that("augment() has the rows of the fit also with na.exclude, which pads residuals", {
  data <- data.frame(x = c(NA, rep(c(-1, 0, 2, 1), 25)), y = c(1, rep(c(0, 1, 1, 0, 1), 20)))
  padded <- augment(quietly(rr_glm(y ~ x, data, rr_binary(0.9, 0.2), na.action = na.exclude)))
  expect_equal(padded, augment(quietly(rr_glm(y ~ x, data, rr_binary(0.9, 0.2)))), tolerance = 1e-10)
})
