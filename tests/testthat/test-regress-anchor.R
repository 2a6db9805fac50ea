# The likelihood of both answers, written out: an inattentive respondent gives both by chance.
anchor_loglik <- function(b, share, x, y, a, device, anchor, chance) {
  truth <- plogis(as.vector(x %*% b))
  yes <- device[2, 2] * truth + device[1, 2] * (1 - truth)
  attentive <- ifelse(y == 1, yes, 1 - yes) * ifelse(a == 1, anchor, 1 - anchor)
  sum(log((1 - share) * attentive + share * ifelse(y == 1, chance, 1 - chance) * ifelse(a == 1, chance, 1 - chance)))
}

inattentive_survey <- function(n, item, anchor, share, chance = 0.5, seed = 3) {
  set.seed(seed)
  x <- rnorm(n)
  careless <- rbinom(n, 1, share) == 1
  truth <- rbinom(n, 1, plogis(-1 + 0.7 * x))
  y <- ifelse(careless, rbinom(n, 1, chance), rbinom(n, 1, rr_matrix(item)[truth + 1, 2]))
  a <- ifelse(careless, rbinom(n, 1, chance), rbinom(n, 1, rr_matrix(anchor)[1, 2]))
  data.frame(x, y, a)
}

test_that("shares that the model makes are its estimates", {
  # Cells of (report, anchor report) at a true share of .3 and 15 per cent inattentive, in a randomized and a direct arm.
  cells <- expand.grid(y = 0:1, a = 0:1, arm = c("crosswise", "direct"), stringsAsFactors = FALSE)
  yes <- ifelse(cells$arm == "direct", 0.3, 0.85 * 0.7 + 0.15 * 0.3)
  cells$n <- 2e5 * (0.85 * ifelse(cells$y == 1, yes, 1 - yes) * ifelse(cells$a == 1, 0.75, 0.25) + 0.15 / 4)
  arms <- list(crosswise = rr_crosswise(0.15), direct = rr_binary(1, 0))
  anchor <- list(a = rr_anchor(rr_crosswise(0.25)))
  one <- rr_glm(y ~ 1, subset(cells, arm == "crosswise"), arms$crosswise, weights = n, anchor = anchor)
  expect_equal(plogis(coef(one)[[1]]), 0.3, tolerance = 1e-7)
  expect_equal(one$parameter[["inattentive"]], 0.15, tolerance = 1e-7)
  both <- rr_glm(y ~ arm, cells, arms, weights = n, arm = arm, anchor = anchor)
  expect_equal(unname(coef(both)), c(qlogis(0.3), 0), tolerance = 1e-6)
  expect_equal(both$parameter[["inattentive"]], 0.15, tolerance = 1e-7)
  # Reports of the anchor question alone: (yes - 1/2) / (3/4 - 1/2) of the respondents are attentive.
  alone <- rr_estimate(rr_counts(c(355, 645), anchor$a))
  expect_equal(unname(coef(alone)), c(0.58, 0.42), tolerance = 1e-9)
})

test_that("estimates, information and scores are those of the likelihood written out", {
  for (case in list(list(rr_crosswise(0.15), rr_crosswise(0.25), 0, "uniform", 0.5, 0.2),
                    list(rr_forced(c(1 / 6, 1 / 6)), rr_warner(0.8), 0.1, c(0.3, 0.7), 0.7, 0.3))) {
    item <- case[[1]]
    anchor <- rr_anchor(case[[2]], case[[3]], case[[4]])
    data <- inattentive_survey(700, item, anchor, case[[6]], case[[5]])
    fit <- rr_glm(y ~ x, data, item, anchor = list(a = anchor))
    loglik <- function(at, rows = seq_len(700)) {
      anchor_loglik(at[1:2], at[3], cbind(1, data$x)[rows, , drop = FALSE], data$y[rows], data$a[rows], rr_matrix(item), rr_matrix(anchor)[1, 2], case[[5]])
    }
    at <- c(coef(fit), fit$parameter)
    found <- optim(c(0, 0, 0.2), function(b) -loglik(b), method = "L-BFGS-B", lower = c(-9, -9, 1e-3), upper = c(9, 9, 0.99), control = list(factr = 10))
    # A minimiser without derivatives in closed form stops at about five digits.
    expect_equal(unname(at), found$par, tolerance = 1e-3)
    expect_equal(fit$loglik, loglik(at), tolerance = 1e-12)
    expect_gte(fit$loglik, -found$value - 1e-9)
    expect_equal(unname(solve(vcov(fit, parameter = TRUE))), -unname(optimHess(at, loglik, control = list(ndeps = rep(1e-4, 3)))), tolerance = 1e-4)
    slopes <- vapply(1:3, function(j) {
      step <- replace(numeric(3), j, 1e-5)
      vapply(1:50, function(i) (loglik(at + step, i) - loglik(at - step, i)) / 2e-5, 0)
    }, numeric(50))
    expect_equal(unname(candor:::row_scores(fit)[1:50, ]), slopes, tolerance = 1e-6)
    # The expected information is the observed one on average: within 15 per cent here, of a standard error.
    expect_equal(sqrt(diag(vcov(fit, "expected", parameter = TRUE))), sqrt(diag(vcov(fit, parameter = TRUE))), tolerance = 0.15)
    # The posterior by Bayes' rule over attention and truth.
    row <- data[1, ]
    truth <- predict(fit, row, type = "truth")[[1]]
    joint <- function(t) {
      (1 - at[[3]]) * rr_matrix(item)[t + 1, row$y + 1] * rr_matrix(anchor)[1, row$a + 1] +
        at[[3]] * rr_matrix(anchor)[2, row$y + 1] * rr_matrix(anchor)[2, row$a + 1]
    }
    expect_equal(predict(fit, row, type = "posterior")[[1]], truth * joint(1) / (truth * joint(1) + (1 - truth) * joint(0)), tolerance = 1e-10)
    # A profile end: the likelihood written out, at its best over the others, has fallen by the quantile.
    end <- confint(fit, "x")[2]
    best <- optim(at[c(1, 3)], function(o) -loglik(c(o[1], end, o[2])), method = "L-BFGS-B", lower = c(-9, 1e-3),
                  upper = c(9, 0.99), control = list(factr = 10))
    expect_equal(2 * (fit$loglik + best$value), qchisq(0.95, 1), tolerance = 1e-4)
  }
})

test_that("a share of inattentive respondents of 0 leaves the regression as it is", {
  item <- rr_crosswise(0.15)
  data <- inattentive_survey(600, item, rr_anchor(rr_crosswise(0.25)), 0)
  data$a <- rep(c(1, 1, 1, 1, 0), 120)
  plain <- rr_glm(y ~ x, data, item)
  expect_warning(fit <- rr_glm(y ~ x, data, item, anchor = list(a = rr_anchor(rr_crosswise(0.25)))), class = "candor_warning_boundary")
  expect_identical(fit$parameter[["inattentive"]], 0)
  expect_equal(coef(fit), coef(plain), tolerance = 1e-8)
  expect_equal(vcov(fit), vcov(plain), tolerance = 1e-8)
  expect_equal(vcov(fit, "sandwich"), vcov(plain, "sandwich"), tolerance = 1e-8)
  expect_equal(confint(fit, "x"), confint(plain, "x"), tolerance = 1e-6)
  expect_equal(fit$loglik, plain$loglik + 480 * log(0.75) + 120 * log(0.25), tolerance = 1e-10)
  expect_identical(attr(fit$parameter, "std.error"), NA_real_)
})

test_that("intervals of the share of inattentive respondents and of the slope cover", {
  # 50 surveys; 95 per cent, less three simulation errors of 3.1. inst/studies/attention.csv has the coverage of 200.
  item <- rr_crosswise(0.15)
  anchor <- rr_anchor(rr_crosswise(0.25))
  inside <- vapply(1:50, function(seed) {
    fit <- rr_glm(y ~ x, inattentive_survey(1500, item, anchor, 0.2, seed = seed), item, anchor = list(a = anchor), starts = 1)
    abs(c(coef(fit), fit$parameter) - c(-1, 0.7, 0.2)) <= 1.96 * sqrt(diag(vcov(fit, parameter = TRUE)))
  }, logical(3))
  expect_true(all(rowMeans(inside) > 0.95 - 3 * 0.031))
})

test_that("reports of new respondents need those of the anchor question", {
  item <- rr_crosswise(0.15)
  anchor <- rr_anchor(rr_crosswise(0.25))
  data <- inattentive_survey(1000, item, anchor, 0.2)
  fit <- rr_glm(y ~ x, data, item, anchor = list(a = anchor))
  expect_equal(predict(fit, data, type = "report"), predict(fit, type = "report"))
  expect_equal(predict(fit, data.frame(x = 0), type = "truth")[[1]], plogis(coef(fit)[[1]]))
  expect_error(predict(fit, data.frame(x = 0), type = "report"), class = "candor_error_mismatch")
  labelled <- transform(data, a = c("no", "yes")[a + 1], y = c("no", "yes")[y + 1])
  expect_identical(coef(rr_glm(y ~ x, labelled, item, anchor = list(a = anchor))), coef(fit))
  expect_true(all(simulate(fit, 1, seed = 1)[[1]] %in% 0:1))
  data$a[3] <- NA
  expect_message(fewer <- rr_glm(y ~ x, data, item, anchor = list(a = anchor)), class = "candor_message_missing")
  expect_length(fewer$y, 999)
})

test_that("anchors that tell nothing are refused", {
  item <- rr_crosswise(0.15)
  data <- inattentive_survey(50, item, rr_anchor(rr_crosswise(0.25)), 0.2)
  detectors <- list(u = rr_lie_detector(0.2), v = rr_lie_detector(0.8))
  data$g <- rep(c("u", "v"), 25)
  anchor <- list(a = rr_anchor(rr_crosswise(0.25)))
  expect_refused(rr_anchor(rr_crosswise(0.25), share = 0.5), class = "no_information")
  expect_refused(rr_anchor(rr_grr(3, p = 0.8)), rr_anchor(rr_crosswise(0.25), answer = "perhaps"), rr_anchor(rr_crosswise(0.25), answer = "truth"),
                 rr_glm(y ~ x, data, item, anchor = "a"), rr_glm(y ~ x, data, item, anchor = list(a = item)),
                 rr_glm(y ~ x, data, item, anchor = list(a = anchor$a, x = anchor$a)), rr_glm(y ~ x, data, item, anchor = anchor$a),
                 rr_glm(y ~ x, data, detectors, arm = g, anchor = anchor), rr_glm(y ~ x, data, item, anchor = anchor, penalty = "bias"))
  expect_refused(rr_glm(y ~ x, data, item, anchor = list(x = rr_anchor(item))), class = "level")
})

test_that("an anchor question is a channel of its own kind", {
  expect_identical(class(rr_anchor(rr_crosswise(0.15))), c("rr_anchor", "rr_channel", "rr_mechanism"))
})

test_that("the law of an anchor question, by hand", {
  anchor <- rr_anchor(rr_binary(0.9, 0.2), share = 0.25, answer = c(0.3, 0.7))
  # Attentive respondents report yes with probability 0.25 * 0.9 + 0.75 * 0.2 = 0.375.
  expect_equal(unname(rr_matrix(anchor)), rbind(c(0.625, 0.375), c(0.3, 0.7)), tolerance = 1e-12)
  expect_equal(rr_epsilon(anchor), log(0.625 / 0.3), tolerance = 1e-12)
  expect_equal(anchor$attention, list(attentive = 0.375, inattentive = 0.7), tolerance = 1e-12)
  expect_equal(unname(rr_matrix(rr_anchor(rr_binary(0.9, 0.2), answer = "no"))), rbind(c(0.8, 0.2), c(1, 0)), tolerance = 1e-12)
  expect_equal(unname(rr_matrix(rr_anchor(rr_binary(0.9, 0.2)))), rbind(c(0.8, 0.2), c(0.5, 0.5)), tolerance = 1e-12)
  # 0 and 1 are reports, and no truths.
  expect_identical(unname(rr_tally(c(0, 1, 1), anchor)$counts), c(1, 2))
  expect_refused(rr_perturb(c(0, 1), anchor), class = "level")
})

test_that("the reports of an anchor question are one no or yes in each row", {
  anchor <- rr_anchor(rr_crosswise(0.25))
  for (column in list(c(0, 1), c(FALSE, TRUE), c("no", "yes"))) expect_identical(anchor_reports(column, anchor), 0:1)
  expect_refused(anchor_reports(c(0.5, 1), anchor), anchor_reports(cbind(1:0, 0:1), anchor), class = "level")
})

test_that("each device has an arm for each report of the anchor question, with probabilities linear in the share of the inattentive", {
  # Attentive respondents say yes to the anchor question with probability 0.2 * 0.8 + 0.8 * 0.3 = 0.4, the inattentive to both with 0.7.
  anchor <- list(a = rr_anchor(rr_binary(0.8, 0.3), share = 0.2, answer = c(0.3, 0.7)))
  devices <- list(device = rbind(p = c(0.9, 0.75), q = c(0.2, 0.1)), arm = c(0L, 1L, 1L, 0L), unknown = NULL, labels = c("no", "yes"))
  for (by in c("person", "question")) {
    found <- anchor_devices(devices, anchor, c(1, 0, 1, 0), by)
    expect_identical(found$arm, c(1L, 2L, 3L, 0L))
    expect_identical(found$separate, by == "question")
    expect_identical(found[c("parameter", "labels")], list(parameter = "inattentive", labels = c("no", "yes")))
    expect_null(found$device)
    for (psi in c(0, 0.3, 1)) {
      attentive <- (1 - psi) * if (by == "person") rep(c(0.6, 0.4), 2) else 1
      inattentive <- psi * 0.7 * if (by == "person") rep(c(0.3, 0.7), 2) else 1
      at <- rbind(found$unknown[1, ] + psi * found$unknown[2, ], found$unknown[3, ] + psi * found$unknown[4, ], found$unknown[5, ] + psi * found$unknown[6, ])
      expect_equal(at[1, ], attentive * c(0.9, 0.9, 0.75, 0.75) + inattentive)
      expect_equal(at[2, ], attentive * c(0.2, 0.2, 0.1, 0.1) + inattentive)
      expect_equal(at[3, ], (1 - psi) * rep(c(0.6, 0.4), 2) + psi * rep(c(0.3, 0.7), 2))
    }
  }
  # One mechanism has no arms yet.
  one <- anchor_devices(replace(devices, "arm", list(NULL)), anchor, c("no", "yes", "yes"))
  expect_identical(one$arm, c(0L, 1L, 1L))
  expect_refused(anchor_devices(replace(devices, "unknown", list(diag(6))), anchor, c(0, 1)))
})

test_that("an anchor question is randomized by a mechanism that is known, and shares are probabilities", {
  measured <- rr_misclassification(table = rbind(c(90, 10), c(20, 180)), validation = "external")
  expect_refused(rr_anchor(measured), class = "law")
  expect_refused(rr_anchor(1), rr_anchor(NULL), rr_anchor(rr_crosswise(0.2), share = 1.1), rr_anchor(rr_crosswise(0.2), share = "0"),
                 rr_anchor(rr_crosswise(0.2), answer = c(0.3, 0.3)), rr_anchor(rr_crosswise(0.2), unknown = 1))
  expect_identical(rr_matrix(rr_anchor(rr_crosswise(0.2))), rr_matrix(rr_anchor(rr_crosswise(0.2), 0, "uniform")))
})
