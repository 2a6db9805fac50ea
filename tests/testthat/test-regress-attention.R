# Attention with covariates, beside the regression of the truth.

attention_data <- function(input) {
  data <- data.frame(y = input$y, a = input$anchor, w = if (is.null(input$weights)) 1 else input$weights)
  data$x <- input$x[, -1, drop = FALSE]
  if (ncol(input$v) > 1) data$v <- input$v[, -1, drop = FALSE]
  data
}

test_that("golden vectors: coefficients, both variances, log-likelihood", {
  for (case in golden("next_attention")) {
    input <- case$input
    if (input$op != "regression") next
    expected <- case$expected
    # The vectors climb from the moments. For the 160 rows of one of them the likelihood is higher, -177.880, at infinity.
    starts <- if (length(input$y) == 160) 1 else 20
    fit <- suppressMessages(suppressWarnings(
      rr_glm(y ~ x, attention_data(input), rr_crosswise(input$p), anchor = list(a = rr_anchor(rr_crosswise(input$anchor_p))), weights = w,
             attention = if (ncol(input$v) > 1) ~v else ~1, attention.by = input$attention, starts = starts)))
    expect_golden(coef(fit), c(expected$coef, expected$attention), 1e-8)
    expect_golden(fit$loglik, expected$loglik, 1e-8)
    expect_golden(vcov(fit, "observed"), expected$vcov_observed, 1e-8)
    expect_golden(vcov(fit, "sandwich"), expected$vcov_sandwich, 1e-8)
    expect_identical(vcov(fit), vcov(fit, if (input$attention == "question") "sandwich" else "observed"))
  }
})

careless_survey <- function(n, seed) {
  set.seed(seed)
  x <- rnorm(n)
  attentive <- rbinom(n, 1, plogis(1 - 0.5 * x)) == 1
  truth <- rbinom(n, 1, plogis(-1 + 0.7 * x))
  said <- function(p) ifelse(attentive, rbinom(n, 1, p), rbinom(n, 1, 0.5))
  data.frame(x, y = said(ifelse(truth == 1, 0.15, 0.85)), a = said(0.8))
}

test_that("attention that is one number is what anchor = alone estimates", {
  data <- careless_survey(800, 2)
  anchor <- list(a = rr_anchor(rr_crosswise(0.2)))
  fit <- rr_glm(y ~ x, data, rr_crosswise(0.15), anchor = anchor, attention = ~1, attention.by = "person")
  known <- rr_glm(y ~ x, data, rr_crosswise(0.15), anchor = anchor)
  expect_equal(fit$loglik, known$loglik, tolerance = 1e-10)
  expect_equal(coef(fit)[1:2], coef(known), tolerance = 1e-6)
  expect_equal(1 - plogis(coef(fit)[[3]]), known$parameter[["inattentive"]], tolerance = 1e-6)
})

test_that("devices by row, other links, offsets: the likelihood written out", {
  data <- careless_survey(700, 3)
  data$arm <- rep(c("die", "direct"), length.out = 700)
  data$y[data$arm == "direct"] <- 1 - data$y[data$arm == "direct"]
  arms <- list(die = rr_crosswise(0.15), direct = rr_binary(0.9, 0.05))
  anchor <- rr_anchor(rr_crosswise(0.2), answer = c(0.4, 0.6))
  p <- ifelse(data$arm == "die", 0.15, 0.9)
  q <- ifelse(data$arm == "die", 0.85, 0.05)
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  for (by in c("question", "person")) {
    fit <- rr_glm(y ~ x + offset(x / 10), data, arms, arm = arm, anchor = list(a = anchor), attention = ~x, attention.by = by, link = "probit")
    row_loglik <- function(b, y, a) {
      truth <- pnorm(b[1] + b[2] * data$x + data$x / 10)
      gamma <- plogis(b[3] + b[4] * data$x)
      attentive <- list(of(q + (p - q) * truth, y), of(rep(0.8, 700), a))
      chance <- list(of(0.6, y), of(0.6, a))
      if (by == "person") return(log(gamma * attentive[[1]] * attentive[[2]] + (1 - gamma) * chance[[1]] * chance[[2]]))
      log(gamma * attentive[[1]] + (1 - gamma) * chance[[1]]) + log(gamma * attentive[[2]] + (1 - gamma) * chance[[2]])
    }
    loglik <- function(b) sum(row_loglik(b, data$y, data$a))
    at <- coef(fit)
    expect_equal(fit$loglik, loglik(at), tolerance = 1e-12)
    expect_gte(fit$loglik, -optim(at * 0.9, function(b) -loglik(b), method = "BFGS", control = list(reltol = 1e-14))$value - 1e-9)
    expect_equal(unname(solve(vcov(fit, "observed"))), -unname(optimHess(at, loglik, control = list(ndeps = rep(1e-4, 4)))), tolerance = 1e-4)
    new <- data.frame(x = c(-1, 2), arm = c("direct", "die"))
    eta <- at[[1]] + (at[[2]] + 0.1) * new$x
    gamma <- plogis(at[[3]] + at[[4]] * new$x)
    expect_equal(unname(predict(fit, new)), pnorm(eta), tolerance = 1e-12)
    expect_equal(unname(predict(fit, new, type = "attention")), gamma, tolerance = 1e-12)
    report <- gamma * (c(0.05, 0.85) + c(0.85, -0.7) * pnorm(eta)) + (1 - gamma) * 0.6
    expect_equal(unname(predict(fit, new, type = "report")), report, tolerance = 1e-12)

    # What a row would score with each pair of answers, the question's first, and the chance of each pair given inattention, no and yes.
    groups <- possible_reports(fit)
    expect_identical(lapply(groups, `[[`, "rows"), list(which(data$arm == "die"), which(data$arm == "direct")))
    cells <- list(y = c(0, 1, 0, 1), a = c(0, 0, 1, 1))
    for (i in 1:2) {
      rows <- groups[[i]]$rows
      expect_identical(groups[[i]]$counts, outer(seq_len(4), 1 + data$y[rows] + 2 * data$a[rows], `==`) * 1)
      yes <- c(0.6, q[rows[1]], p[rows[1]])
      expect_equal(unname(groups[[i]]$channel), mapply(function(y, a) of(yes, rep(y, 3)) * of(c(0.6, 0.8, 0.8), rep(a, 3)), cells$y, cells$a),
        tolerance = 1e-12)
      for (cell in 1:4) {
        slopes <- difference_gradient(function(b) row_loglik(b, rep(cells$y[cell], 700), rep(cells$a[cell], 700)), unname(at))
        expect_equal(groups[[i]]$scores[cell, , ], slopes[rows, ], tolerance = 1e-6)
      }
    }
  }
})

test_that("the methods of regressions: effects, tables, tests, clusters", {
  data <- careless_survey(800, 2)
  data$g <- rep(1:200, 4)
  anchor <- list(a = rr_anchor(rr_crosswise(0.2)))
  fit <- rr_glm(y ~ x, data, rr_crosswise(0.15), anchor = anchor, attention = ~x)
  effects <- rr_effects(fit)
  share <- plogis(cbind(1, data$x) %*% coef(fit)[1:2])
  expect_equal(effects$estimate[1], mean(share), tolerance = 1e-12)
  slope <- colMeans(as.vector(share * (1 - share)) * cbind(1, data$x))
  expect_equal(effects$std.error[1], sqrt(drop(slope %*% vcov(fit)[1:2, 1:2] %*% slope)), tolerance = 1e-10)
  expect_identical(tidy(fit)$term, c("(Intercept)", "x", "attention:(Intercept)", "attention:x"))
  expect_equal(unname(residuals(fit)), data$y - unname(fitted(fit)))
  # Twice the same people, as clusters: the variance of the scores' sums, with C / (C - 1).
  twice <- rr_glm(y ~ x, rbind(data, data), rr_crosswise(0.15), anchor = anchor, attention = ~x)
  expect_equal(vcov(twice, cluster = rep(1:800, 2)), vcov(fit) * 800 / 799, tolerance = 1e-6)
  expect_refused(anova(fit, fit))
  person <- function(attention) rr_glm(y ~ x, data, rr_crosswise(0.15), anchor = anchor, attention = attention, attention.by = "person")
  test <- anova(person(~1), person(~x))
  expect_equal(test[["Chisq"]][2], 2 * (person(~x)$loglik - person(~1)$loglik))
  expect_snapshot(print(fit))
})

test_that("what attention is not for is refused", {
  data <- careless_survey(200, 2)
  anchor <- list(a = rr_anchor(rr_crosswise(0.2)))
  fit <- function(...) rr_glm(y ~ x, data, rr_crosswise(0.15), ...)
  expect_refused(fit(attention = ~x), fit(anchor = anchor, attention = y ~ x), fit(anchor = anchor, attention = "x"),
                 fit(anchor = anchor, attention = ~x, penalty = "prior"), fit(anchor = anchor, attention = ~x, link = "log"),
                 fit(anchor = anchor, attention = ~x, attention.by = "answer"))
})

test_that("intervals of both parts cover, whether attention belongs to persons or answers", {
  # 50 surveys; 95 per cent, less three simulation errors of 3.1. inst/studies/attention.csv has the coverage of 200.
  anchor <- list(a = rr_anchor(rr_crosswise(0.2)))
  inside <- vapply(1:50, function(seed) {
    fit <- suppressWarnings(rr_glm(y ~ x, careless_survey(2000, seed), rr_crosswise(0.15), anchor = anchor, attention = ~x, starts = 1))
    abs(coef(fit) - c(-1, 0.7, 1, -0.5)) <= 1.96 * sqrt(diag(vcov(fit)))
  }, logical(4))
  expect_true(all(rowMeans(inside) > 0.95 - 3 * 0.031))
})

test_that("steps of attention are found where the likelihood is highest there", {
  anchor <- list(a = rr_anchor(rr_crosswise(0.2)))
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  for (seed in c(16, 23)) {
    data <- withr::with_seed(seed, {
      x <- rnorm(600)
      attentive <- rbinom(600, 1, plogis(qlogis(0.8) - 0.3 * x)) == 1
      truth <- rbinom(600, 1, plogis(-1 + 0.7 * x))
      said <- function(p) ifelse(attentive, rbinom(600, 1, p), rbinom(600, 1, 0.5))
      data.frame(x, y = said(ifelse(truth == 1, 0.15, 0.85)), a = said(0.8))
    })
    fit <- function(...) suppressWarnings(rr_glm(y ~ x, data, rr_crosswise(0.15), anchor = anchor, attention = ~x, ...))
    # All respondents beyond a threshold are attentive, and none before: the best truth of each of many thresholds.
    step <- function(threshold, side) {
      gamma <- as.numeric(side * data$x > side * threshold)
      value <- function(b) {
        share <- gamma * of(0.85 - 0.7 * plogis(b[1] + b[2] * data$x), data$y) + (1 - gamma) * 0.5
        sum(log(share) + log(gamma * of(0.8, data$a) + (1 - gamma) * 0.5))
      }
      optim(c(-1, 0.7), value, control = list(fnscale = -1))$value
    }
    thresholds <- quantile(data$x, seq(0, 1, length.out = 41))
    best <- max(outer(thresholds, c(-1, 1), Vectorize(step)))
    high <- fit()
    expect_gte(high$loglik, best - 1e-6)
    expect_gt(high$loglik, fit(starts = 1)$loglik + 0.2)
    expect_true(any(is.infinite(coef(high)[3:4])))
  }
})

test_that("a large offset of the truth shifts its intercept alone", {
  data <- careless_survey(300, 4)
  fit <- function(offset) {
    data$shift <- offset
    suppressWarnings(rr_glm(y ~ x + offset(shift), data, rr_crosswise(0.15),
                            anchor = list(a = rr_anchor(rr_crosswise(0.2))), attention = ~x))
  }
  near <- fit(0)
  for (offset in c(33, 1000)) {
    far <- fit(offset)
    expect_equal(far$loglik, near$loglik, tolerance = 1e-9)
    expect_equal(coef(far), coef(near) - c(offset, 0, 0, 0), tolerance = 1e-6)
  }
})

test_that("attention by person and by question at a point that is no maximum: value, gradient, curvature; scores of rows", {
  withr::local_seed(92)
  n <- 80
  x <- cbind(1, round(rnorm(n), 1))
  v <- cbind(1, rep_len(c(0, 1, 1), n))
  data <- list(x = x, y = rep_len(c(0, 1, 1, 0, 1), n), weight = rep_len(c(1, 2, 1.5), n), offset = rep_len(c(0, 0.3), n), arm = NULL,
               device = cbind(c(0.9, 0.2, 0.1, 0.8, 0.7)))
  anchor <- rep_len(c(1, 1, 0, 1), n)
  mechanism <- rr_anchor(rr_crosswise(0.15))
  given <- mechanism$attention
  for (link in c("logit", "cloglog")) for (by in c("person", "question")) {
    data$link <- link
    rows <- anchor_devices(data, list(a = mechanism), anchor, by)
    model <- attention_model(sorted_attention(rows, v, 1, c(0, 0)))
    loglik <- function(b) {
      truth <- stats::make.link(link)$linkinv(drop(x %*% b[1:2]) + data$offset)
      gamma <- plogis(drop(v %*% b[3:4]))
      of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
      question <- of(0.2 + 0.7 * truth, data$y)
      second <- of(0.85, anchor)
      chance <- list(of(0.5, data$y), of(0.5, anchor))
      if (by == "person") return(log(gamma * question * second + (1 - gamma) * chance[[1]] * chance[[2]]))
      log(gamma * question + (1 - gamma) * chance[[1]]) + log(gamma * second + (1 - gamma) * chance[[2]])
    }
    off <- c(0.3, -0.4, 0.5, 0.2)
    expect_evaluated(function(b, need) regress_value(model, b), function(b) sum(data$weight * loglik(model$natural(b))), off)
    b <- c(-0.2, 0.5, 0.4, -0.3)
    expect_equal(attention_scores(rows, v, b), data$weight * difference_gradient(loglik, b), tolerance = 1e-6)
    # The fallback is the sum of squared scores.
    scores <- difference_gradient(function(b) loglik(model$natural(b)), off)
    fallback <- regress_value(model, off)$expected
    expect_equal(fallback, crossprod(scores, data$weight * scores), tolerance = 1e-6, ignore_attr = TRUE)
  }
  # Moments: attention from the anchor's share, the truth from what is left, both kept within .05 and .95.
  w <- data$weight / sum(data$weight)
  gamma <- (sum(w * anchor) - 0.5) / 0.35
  truth <- ((sum(w * data$y) - 0.5) / min(max(gamma, 0.05), 0.95) + 0.5 - 0.2) / 0.7
  inside <- function(share) min(max(share, 0.05), 0.95)
  data$link <- "logit"
  expect_equal(attention_start(data, anchor, given), c(qlogis(inside(truth)), qlogis(inside(gamma))), tolerance = 1e-10)
  expect_equal(attention_start(data, rep(0, n), given)[2], qlogis(0.05))
})

# 30 clusters of unequal weights.
careless_clusters <- function() {
  data <- careless_survey(600, 6)
  transform(data, id = rep(1:30, each = 20), w = 1 + rep(1:30, each = 20) %% 5, fpc = 60)
}

test_that("in a survey design, without covariates: the moment estimate and its variance", {
  skip_if_not_installed("survey")
  data <- careless_clusters()
  anchor <- rr_anchor(rr_crosswise(0.2))
  glm <- function(design) rr_glm(y ~ 1, design, rr_crosswise(0.15), anchor = list(a = anchor), attention = ~1)
  # With a finite population too, whose census leaves the randomization alone.
  for (fpc in list(NULL, ~fpc)) {
    design <- survey::svydesign(~id, weights = ~w, fpc = fpc, data = data)
    moments <- rr_estimate(design, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = anchor)
    fit <- glm(design)
    share <- coef(moments)[c("yes", "attentive")]
    expect_equal(unname(coef(fit)), unname(qlogis(share)), tolerance = 1e-6)
    slope <- diag(1 / (share * (1 - share)))
    expect_equal(unname(vcov(fit)), slope %*% vcov(moments)[2:3, 2:3] %*% slope, tolerance = 1e-5)
  }
  df <- survey::degf(design) + 1 - 2
  table <- tidy(fit, conf.int = TRUE)
  expect_equal(table$conf.high, table$estimate + qt(0.975, df) * table$std.error, tolerance = 1e-12)
  effects <- rr_effects(fit)
  expect_equal(effects$conf.high, effects$estimate + qt(0.975, df) * effects$std.error, tolerance = 1e-12)
  # The likelihood has the moments as its maximum with the weights of each replicate.
  replicates <- survey::as.svrepdesign(survey::svydesign(~id, weights = ~w, data = data), type = "JK1")
  by_hand <- survey::withReplicates(replicates, function(w, data) {
    gamma <- (weighted.mean(data$a, w) - 0.5) / 0.3
    qlogis(c(((weighted.mean(data$y, w) - 0.5) / gamma + 0.5 - 0.85) / -0.7, gamma))
  })
  expect_equal(unname(vcov(glm(replicates))), unname(attr(by_hand, "var")), tolerance = 1e-5, ignore_attr = TRUE)
  expect_refused(logLik(fit), anova(fit, fit))
})

test_that("in a survey design, with covariates: the linearized variance of the likelihood written out", {
  skip_if_not_installed("survey")
  data <- careless_clusters()
  design <- survey::svydesign(~id, weights = ~w, data = data)
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  loglik <- function(b) {
    gamma <- plogis(b[3] + b[4] * data$x)
    log(gamma * of(0.85 - 0.7 * plogis(b[1] + b[2] * data$x), data$y) * of(0.8, data$a) + (1 - gamma) / 4)
  }
  fit <- rr_glm(y ~ x, design, rr_crosswise(0.15), anchor = list(a = rr_anchor(rr_crosswise(0.2))), attention = ~x, attention.by = "person")
  b <- coef(fit)
  scores <- vapply(1:4, function(j) (loglik(b + replace(numeric(4), j, 1e-5)) - loglik(b - replace(numeric(4), j, 1e-5))) / 2e-5, numeric(600))
  expect_lt(max(abs(colSums(data$w * scores))), 1e-3)
  bread <- solve(-optimHess(b, function(b) sum(data$w * loglik(b)), control = list(ndeps = rep(1e-4, 4))))
  meat <- unname(vcov(survey::svytotal(scores, design)))
  expect_equal(unname(vcov(fit)), unname(bread %*% meat %*% bread), tolerance = 1e-4)
})

test_that("a picture along a covariate has the truth, with the delta method on the scale of the link", {
  skip_if_not_installed("ggplot2")
  device <- rr_crosswise(0.2)
  data <- withr::with_seed(4, {
    x <- rnorm(800)
    truth <- ifelse(rbinom(800, 1, plogis(0.6 * x - 1)) == 1, "yes", "no")
    attentive <- runif(800) < 0.9
    by_coin <- function(reports) ifelse(attentive, as.character(reports), sample(c("no", "yes"), 800, TRUE))
    data.frame(x, y = by_coin(rr_perturb(truth, device, rng = "R")), a = by_coin(rr_perturb(rep("no", 800), device, rng = "R")))
  })
  fit <- rr_glm(y ~ x, data, device, anchor = list(a = rr_anchor(device)), attention = ~1)
  seen <- ggplot2::autoplot(fit, "x")$data
  at <- cbind(1, seen$value)
  eta <- drop(at %*% coef(fit)[1:2])
  half <- qnorm(0.975) * sqrt(rowSums(at %*% vcov(fit)[1:2, 1:2] * at))
  expect_equal(seen$fit, plogis(eta), tolerance = 1e-8)
  expect_equal(seen$lwr, plogis(eta - half), tolerance = 1e-8)
  expect_equal(seen$upr, plogis(eta + half), tolerance = 1e-8)
  coefficients <- ggplot2::autoplot(fit, type = "coefficients")
  expect_identical(as.character(coefficients$data$term), "x")
})

test_that("what is not a picture's argument is refused, and not read as a confidence level", {
  skip_if_not_installed("ggplot2")
  data <- data.frame(y = rep(c("no", "yes"), c(60, 40)), x = rep(1:2, 50), id = rep(1:50, each = 2))
  expect_error(plot(suppressWarnings(rr_glm(y ~ x + (1 | id), data, rr_warner(0.8))), "x"), class = "candor_error_argument")
})

test_that("tests of terms in a design name the Wald test that works", {
  skip_if_not_installed("survey")
  device <- rr_crosswise(0.2)
  data <- withr::with_seed(8, data.frame(
    y = sample(c("no", "yes"), 300, TRUE, c(0.6, 0.4)), a = sample(c("no", "yes"), 300, TRUE, c(0.25, 0.75)), x = rnorm(300), w = runif(300, 1, 2)
  ))
  design <- survey::svydesign(ids = ~1, weights = ~w, data = data)
  fit <- suppressWarnings(rr_glm(y ~ x, design, device, anchor = list(a = rr_anchor(device)), attention = ~1))
  expect_error(anova(fit, fit), "regTermTest", class = "candor_error_argument")
  skip_if_not_installed("car")
  expect_error(car::Anova(fit), "regTermTest", class = "candor_error_argument")
  tested <- survey::regTermTest(fit, ~x)
  expect_equal(drop(tested$Ftest), unname(coef(fit)["x"]^2 / vcov(fit)["x", "x"]), tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("attention with a column that others make, weights of 0 and labels of answers: the fit of the rows written out", {
  data <- careless_survey(300, 8)
  # Some answers of some people, each as often as its weight says.
  data[c("y", "a")] <- lapply(data[c("y", "a")], function(y) c("no", "yes")[y + 1])
  data <- transform(data, twice = 2 * x, times = rep_len(c(2, 1, 0, 1), 300))
  device <- rr_crosswise(0.15, levels = c("no", "yes"))
  anchor <- list(a = rr_anchor(rr_crosswise(0.2, levels = c("no", "yes"))))
  fitted_to <- function(formula, data) {
    suppressMessages(rr_glm(formula, data, device, anchor = anchor, attention = ~x, attention.by = "question", starts = 1, weights = times))
  }
  fit <- fitted_to(y ~ x + twice, data)
  rows <- rep(seq_len(300), data$times)
  alone <- fitted_to(y ~ x, transform(data[rows, ], times = 1))
  expect_equal(c(coef(fit), fit$loglik, nobs(fit)), c(coef(alone), alone$loglik, 225), tolerance = 1e-7)
  for (type in c("observed", "sandwich")) expect_identical(dimnames(vcov(fit, type)), dimnames(vcov(alone)))
  expect_equal(vcov(fit, "observed"), vcov(alone, "observed"), tolerance = 1e-6)
  gamma <- plogis(drop(cbind(1, data$x) %*% coef(fit)[3:4]))
  expect_match(fit$note, format_share(signif(mean(gamma[rows]), 3)), fixed = TRUE)
  expect_equal(unname(fit$scores / data$times)[rows, ], unname(alone$scores), tolerance = 1e-5)
  new <- data.frame(x = c(-1, 2), twice = 0)
  for (type in c("truth", "link", "report", "attention")) expect_equal(predict(fit, new, type = type), predict(alone, new, type = type), tolerance = 1e-6)
  expect_equal(rr_effects(fit, "x")$estimate[1], rr_effects(alone, "x")$estimate[1], tolerance = 1e-6)
  # One device: one group of rows, whose scores have no weights.
  possible <- possible_reports(fit)
  expect_length(possible, 1)
  expect_identical(possible[[1]]$rows, 1:300)
  scores <- cbind(possible_reports(alone)[[1]]$scores[3, , ])
  expect_equal(unname(possible[[1]]$scores[3, rows, ]), unname(scores), tolerance = 1e-5)
})

test_that("steps of the truth and of attention divide the rows where the log-likelihood is highest, by enumeration of all divisions", {
  data <- list(x = cbind(1, c(1, 2, 4, 5, 7, 8)), y = c(0, 0, 1, 0, 1, 1), weight = c(1, 2, 1, 1.5, 1, 2), offset = c(0, 0.3, 0, 0.2, 0, 0), arm = NULL,
               device = cbind(c(0.9, 0.2, 0.1, 0.8, 0.7)), link = "logit")
  v <- cbind(1, c(3, 1, 6, 2, 5, 4))
  anchor <- c(1, 0, 1, 0, 1, 1)
  for (by in c("person", "question")) {
    rows <- anchor_devices(data, list(a = rr_anchor(rr_crosswise(0.15))), anchor, by)
    model <- attention_model(sorted_attention(rows, v, 1, c(0, 0)))
    of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
    loglik <- function(truth, gamma) {
      question <- of(0.2 + 0.7 * truth, data$y)
      second <- of(0.85, anchor)
      if (by == "person") return(log(gamma * question * second + (1 - gamma) / 4))
      log(gamma * question + (1 - gamma) / 2) + log(gamma * second + (1 - gamma) / 2)
    }
    near <- cbind(c(0.3, -0.4, 0.5, 0.2))
    b <- model$natural(near[, 1])
    truth <- plogis(drop(data$x %*% b[1:2]) + data$offset)
    gamma <- plogis(drop(v %*% b[3:4]))
    divisions <- function(x) unlist(lapply(c(1, -1), function(side) lapply(x, function(t) as.numeric(side * x >= side * t))), recursive = FALSE)
    for (index in 1:2) {
      column <- list(data$x, v)[[index]]
      k <- list(1:2, 3:4)[[index]]
      possible <- divisions(column[, 2])
      value <- vapply(possible, function(step) sum(data$weight * if (index == 1) loglik(step, gamma) else loglik(truth, step)), 0)
      starts <- attention_steps(model, index, near, 1)
      # Its gentle and its steep start.
      expect_identical(ncol(starts), 2L)
      for (j in 1:2) {
        expect_equal(starts[-k, j], near[-k, 1])
        step <- as.numeric(column %*% model$natural(starts[, j])[k] > 0)
        expect_equal(sum(data$weight * if (index == 1) loglik(step, gamma) else loglik(truth, step)), max(value))
      }
    }
  }
})

test_that("starts of attention: one of the moments alone, else those that lie evenly and steps, each kind beside the best of the other", {
  asked <- list()
  starts <- with_calls(attention_starts,
    climb = function(model, starts, is_rough) list(points = unname(starts) + 1),
    even_starts = function(model, starts) rbind(-seq_len(starts)),
    loglik_at = function(model, points) c(-3, -1, -2)[seq_len(ncol(points))],
    attention_steps = function(model, index, near, max_starts) {
      asked[[length(asked) + 1]] <<- list(index, near, max_starts)
      if (length(asked) != 2) 10 * length(asked) + rbind(1:3)
    }
  )
  expect_identical(starts(list(start = 5), 1), cbind(5))
  # A fifth of 11 starts is 3 at most. Attention has no steps at first.
  expect_equal(starts(list(start = 5), 11), rbind(c(-(1:4), 6, 11:13, 31:33, 41:43)), ignore_attr = TRUE)
  expect_equal(asked, list(list(1L, rbind(5:6 + 0), 3), list(2L, rbind(5:6 + 0), 3), list(1L, NULL, 3), list(2L, rbind(12), 3)), ignore_attr = TRUE)
})
