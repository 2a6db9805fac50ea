# Survey designs in regressions. Truth: survey's own fits of direct answers; for randomized ones the linearization by numerical derivatives of a
# log-likelihood that is written here, and loops over the replicate weights.
skip_if_not_installed("survey")

often <- c("never", "once", "often")
people <- withr::with_seed(11, {
  data <- data.frame(town = rep(1:24, each = 25), stratum = rep(1:4, each = 150), x = rnorm(600), part = rep(c("a", "b", "b"), 200))
  data$w <- exp(rnorm(600, sd = 0.5)) * (1 + data$stratum)
  eta <- 0.5 + 0.8 * data$x + rnorm(24, sd = 0.6)[data$town]
  data$yes <- rbinom(600, 1, plogis(eta - 1))
  data$times <- factor(often[1 + rbinom(600, 2, plogis(eta - 1))], often)
  data$amount <- 1 + 2 * (data$times == "once") + 3 * (data$times == "often") + data$x + rnorm(600)
  data$yes_said <- ifelse(runif(600) < 2 / 3, data$yes, rbinom(600, 1, 0.5))
  data$times_said <- factor(ifelse(runif(600) < 0.7, as.character(data$times), sample(often, 600, TRUE)), often)
  data
})
linear <- survey::svydesign(~town, strata = ~stratum, weights = ~w, data = people)
designs <- list(linear = linear, jackknife = survey::as.svrepdesign(linear),
                bootstrap = withr::with_seed(2, survey::as.svrepdesign(linear, type = "subbootstrap", replicates = 16, mse = TRUE)))
die <- rr_forced(c(1 / 6, 1 / 6))
three <- rr_grr(often, p = 0.8)
direct <- rr_grr(often, p = 1)

test_that("direct answers: rr_glm(), rr_multinom() and rr_predictor() of a design are survey::svyglm()", {
  for (design in designs) {
    known <- survey::svyglm(yes ~ x + part, design, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
    fits <- list(rr_glm(yes ~ x + part, design, rr_binary(1, 0)),
                 rr_multinom(yes ~ x + part, design, rr_binary(1, 0)))
    for (fit in fits) {
      # The other package stops its replicates at 1e-8 of the deviance.
      expect_equal(unname(fit$coefficients), unname(coef(known)), tolerance = 1e-7)
      expect_equal(unname(vcov(fit)), matrix(vcov(known), 3), tolerance = 1e-5)
      expect_equal(summary(fit)$coefficients[, 4], summary(known)$coefficients[, 4], tolerance = 1e-4, ignore_attr = TRUE)
      expect_equal(fit$df.residual, known$df.residual)
      half <- qt(0.975, known$df.residual) * sqrt(diag(vcov(fit)))
      expect_equal(unname(confint(fit)[, 2]), unname(fit$coefficients + half), tolerance = 1e-10)
      expect_refused(logLik(fit), anova(fit, fit))
      expect_true(is.na(glance(fit)$logLik))
    }
    domain <- subset(design, x > -0.5)
    few <- survey::svyglm(yes ~ x, domain, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
    expect_equal(unname(vcov(rr_multinom(yes ~ x, domain, rr_binary(1, 0)))), matrix(vcov(few), 2), tolerance = 1e-5)
    known <- survey::svyglm(amount ~ x + times, design)
    fits <- list(rr_predictor(amount ~ x + times, design, list(times = direct)))
    for (fit in fits) {
      expect_equal(unname(coef(fit)), unname(coef(known)), tolerance = 1e-9)
      expect_equal(unname(vcov(fit)), matrix(vcov(known), 4), tolerance = 1e-9)
      expect_equal(tidy(fit)$p.value, unname(summary(known)$coefficients[, 4]), tolerance = 1e-7)
    }
    known <- survey::svyglm(yes ~ x + times, design, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
    fit <- rr_predictor(yes ~ x + times, design, list(times = direct), family = binomial())
    expect_equal(unname(coef(fit)), unname(coef(known)), tolerance = 1e-7)
    expect_equal(unname(vcov(fit)), matrix(vcov(known), 4), tolerance = 1e-5)
  }
})

# The design's variance of a maximum, by central differences of the log-likelihood of each row.
by_hand <- function(rows, b, data) {
  h <- 1e-4
  step <- function(j) replace(numeric(length(b)), j, h)
  scores <- function(b) vapply(seq_along(b), function(j) (rows(b + step(j)) - rows(b - step(j))) / (2 * h), numeric(nrow(data)))
  expect_lt(max(abs(colSums(data$w * scores(b)))) / sum(data$w), 1e-6)
  J <- vapply(seq_along(b), function(j) -colSums(data$w * (scores(b + step(j)) - scores(b - step(j)))) / (2 * h), b)
  values <- data$w * scores(b) %*% solve(J)
  V <- 0
  for (s in unique(data$stratum)) {
    totals <- rowsum(values[data$stratum == s, ], data$town[data$stratum == s])
    V <- V + stats::cov(totals) * nrow(totals)
  }
  unname(V)
}

test_that("randomized answers: linearized variances by numerical derivatives", {
  channel <- matrix(0.1, 3, 3) + diag(0.7, 3)
  said <- as.integer(people$times_said)
  fit <- rr_multinom(times_said ~ x, linear, three)
  multinomial <- function(b) {
    e <- cbind(1, exp(b[1] + b[2] * people$x), exp(b[3] + b[4] * people$x))
    log(rowSums(e / rowSums(e) * channel[said, ]))
  }
  expect_equal(unname(vcov(fit)), by_hand(multinomial, fit$coefficients, people), tolerance = 1e-5)
  ordered_three <- rr_grr(factor(often, often, ordered = TRUE), p = 0.8)
  fit <- rr_multinom(times_said ~ x, linear, ordered_three, type = "cumulative")
  cumulative <- function(b) {
    below <- plogis(cbind(b[1] - b[3] * people$x, b[2] - b[3] * people$x))
    log(rowSums(cbind(below[, 1], below[, 2] - below[, 1], 1 - below[, 2]) * channel[said, ]))
  }
  expect_equal(unname(vcov(fit)), by_hand(cumulative, fit$coefficients, people), tolerance = 1e-5)
  # Standard errors of predictions follow.
  share <- predict(fit, data.frame(x = 0), se.fit = TRUE)
  expect_equal(share$se.fit[1, 1], dlogis(coef(fit)[[1]]) * sqrt(vcov(fit)[1, 1]), tolerance = 1e-8)
  fit <- rr_predictor(amount ~ yes_said, linear, list(yes_said = die), truth = ~ x, method = "ml")
  mixture <- function(b) {
    pi <- plogis(b[1] + b[2] * people$x)
    p <- ifelse(people$yes_said == 1, 5 / 6, 1 / 6)
    log(pi * p * dnorm(people$amount, b[3] + b[4], exp(b[5])) + (1 - pi) * (1 - p) * dnorm(people$amount, b[3], exp(b[5])))
  }
  expect_equal(unname(vcov(fit, part = "all")), by_hand(mixture, fit$estimate, people), tolerance = 1e-5)
})

# As whole numbers, to six digits: for others each fit says that it takes them for numbers of respondents.
whole_weights <- function(w) round(1e6 * w[w > 0] / mean(w))

test_that("randomized answers: replicate weights by a loop", {
  fitters <- list(
    function(data, ...) rr_glm(yes_said ~ x + part, data, die, ...),
    function(data, ...) rr_glm(yes_said ~ x, data, die, penalty = "prior", ...),
    function(data, ...) rr_multinom(times_said ~ x, data, three, ...),
    function(data, ...) rr_predictor(amount ~ x + times_said, data, list(times_said = three), ...),
    function(data, ...) rr_predictor(amount ~ yes_said, data, list(yes_said = die), truth = ~ x, method = "ml", ...)
  )
  for (design in designs[-1]) {
    replicates <- weights(design, "analysis")
    for (fitter in fitters[-2]) {
      fit <- fitter(design)
      thetas <- apply(replicates, 2, function(w) fitter(data = people[w > 0, ], weights = whole_weights(w), starts = 1)$coefficients)
      centre <- if (design$mse) fit$coefficients else rowMeans(thetas)
      known <- design$scale * (thetas - centre) %*% (design$rscales * t(thetas - centre))
      expect_equal(unname(vcov(fit)), unname(known), tolerance = 1e-5)
    }
    # The prior is that of all rows, and hardly changes with the replicate.
    ratio <- diag(vcov(fitters[[2]](design))) / diag(vcov(rr_glm(yes_said ~ x, design, die)))
    expect_true(all(ratio > 0.6 & ratio < 1.05))
  }
})

# ---- finite populations: the towns drawn are 90, 50, 75 and 100 per cent of their strata ----

drawn <- c(0.9, 0.5, 0.75, 1)
people$towns <- (6 / drawn)[people$stratum]
finite <- survey::svydesign(~town, strata = ~stratum, weights = ~w, fpc = ~towns, data = people)
steady <- rr_binary(5 / 6, 1 / 6)

test_that("in finite populations a model without covariates is rr_estimate(), in every design", {
  people$persons <- 25 / 0.4
  people$all <- 600
  totals <- c(`(Intercept)` = 1.1, x = 1.3) * colSums(cbind(1, people$x) * people$w)
  designs <- list(strata = finite, domain = subset(finite, x > -0.5),
                  stages = survey::svydesign(~ town + I(1:600), strata = ~ stratum + town, fpc = ~ towns + persons, data = people),
                  census = survey::svydesign(~1, fpc = ~all, data = people),
                  calibrated = survey::calibrate(finite, ~x, totals))
  designs$jackknife <- survey::as.svrepdesign(finite)
  designs$jackknife_calibrated <- survey::calibrate(designs$jackknife, ~x, totals)
  for (name in names(designs)) {
    design <- designs[[name]]
    # Replicates are refitted, and their spread is not quite that of the delta method.
    tolerance <- if (inherits(design, "svyrep.design")) 0.03 else 1e-6
    yes <- rr_estimate(design, steady, column = ~yes_said, method = "inv")
    share <- coef(yes)[[2]]
    expect_equal(vcov(rr_glm(yes_said ~ 1, design, die))[[1]], vcov(yes)[2, 2] / (share * (1 - share))^2, tolerance = tolerance, label = name)
    moments <- rr_predictor(yes_said ~ 1, design, list(yes_said = steady))
    expect_equal(vcov(moments)[[1]], vcov(yes)[2, 2], tolerance = 1e-8, label = name)
    shares <- rr_estimate(design, three, column = ~times_said, method = "inv")
    slope <- cbind(-1 / coef(shares)[1], diag(1 / coef(shares)[-1]))
    expect_equal(unname(vcov(rr_multinom(times_said ~ 1, design, three))), unname(slope %*% vcov(shares) %*% t(slope)),
                 tolerance = tolerance, label = name)
  }
})

# The design's variance, and what it leaves out of the randomization. rows(b, said) are the log-likelihoods of the rows if they had said
# that. A respondent adds s s' less the sum over truths t of U[said, t] m(t) m(t)': m(t) is the mean of the score s given the truth t, and
# U the unbiased estimate of the truth.
finite_by_hand <- function(rows, said, b, data, channel) {
  h <- 1e-4
  step <- function(j) replace(numeric(length(b)), j, h)
  scores <- function(b, said) vapply(seq_along(b), function(j) (rows(b + step(j), said) - rows(b - step(j), said)) / (2 * h), numeric(nrow(data)))
  J <- vapply(seq_along(b), function(j) -colSums(data$w * (scores(b + step(j), said) - scores(b - step(j), said))) / (2 * h), b)
  values <- data$w * scores(b, said)
  V <- 0
  for (s in unique(data$stratum)) {
    totals <- rowsum(values[data$stratum == s, ], data$town[data$stratum == s])
    V <- V + stats::cov(totals) * nrow(totals) * (1 - drawn[s])
  }
  each <- lapply(seq_len(ncol(channel(1))), function(y) scores(b, rep(y, nrow(data))))
  for (i in seq_len(nrow(data))) {
    C <- channel(i)
    U <- t(C) %*% solve(C %*% t(C))
    S <- t(vapply(each, function(s) s[i, ], b))
    V <- V + data$w[i]^2 * drawn[data$stratum[i]] * (tcrossprod(S[said[i], ]) - crossprod(C %*% S * U[said[i], ], C %*% S))
  }
  unname(solve(J, t(solve(J, V))))
}

test_that("what a finite population hides of the randomization is added to every model, by numerical derivatives", {
  x <- people$x
  times <- as.integer(people$times_said)
  channel <- function(i) matrix(0.1, 3, 3) + diag(0.7, 3)
  fit <- rr_multinom(times_said ~ x, finite, three)
  multinomial <- function(b, said) {
    e <- cbind(1, exp(b[1] + b[2] * x), exp(b[3] + b[4] * x))
    log(rowSums(e / rowSums(e) * channel()[said, ]))
  }
  expect_equal(unname(vcov(fit)), finite_by_hand(multinomial, times, fit$coefficients, people, channel), tolerance = 1e-5)
  fit <- rr_multinom(times_said ~ x, finite, rr_grr(factor(often, often, ordered = TRUE), p = 0.8), type = "cumulative")
  cumulative <- function(b, said) {
    below <- plogis(cbind(b[1] - b[3] * x, b[2] - b[3] * x))
    log(rowSums(cbind(below[, 1], below[, 2] - below[, 1], 1 - below[, 2]) * channel()[said, ]))
  }
  expect_equal(unname(vcov(fit)), finite_by_hand(cumulative, times, fit$coefficients, people, channel), tolerance = 1e-5)
  # Two mechanisms; and another question that everybody without attention answers by chance: reports 1 and 2 beside its no, 3 and 4 beside
  # its yes.
  people$arm <- rep(c("a", "b"), 300)
  people$anchor <- rep(c(0, 0, 1, 0, 0, 1, 0), length.out = 600)
  design <- survey::svydesign(~town, strata = ~stratum, weights = ~w, fpc = ~towns, data = people)
  two <- list(a = die, b = rr_warner(0.9))
  p <- ifelse(people$arm == "a", 5 / 6, 0.9)
  fit <- rr_glm(yes_said ~ x, design, two, arm = arm)
  binary <- function(b, said) dbinom(said - 1, 1, 1 - p + (2 * p - 1) * plogis(b[1] + b[2] * x), log = TRUE)
  devices <- function(i) cbind(c(p[i], 1 - p[i]), c(1 - p[i], p[i]))
  expect_equal(unname(vcov(fit)), finite_by_hand(binary, people$yes_said + 1, coef(fit), people, devices), tolerance = 1e-5)
  fit <- rr_glm(yes_said ~ x, design, two, arm = arm, anchor = list(anchor = rr_anchor(rr_warner(0.8))))
  together <- function(psi, i) (1 - psi) * kronecker(t(c(0.8, 0.2)), devices(i)) + psi / 4
  anchored <- function(b, said) {
    truth <- plogis(b[1] + b[2] * x)
    yes <- said %% 2 == 0
    given <- function(share) (1 - b[3]) * ifelse(said > 2, 0.2, 0.8) * ifelse(yes, share, 1 - share) + b[3] / 4
    log(truth * given(p) + (1 - truth) * given(1 - p))
  }
  b <- c(coef(fit), fit$parameter)
  known <- finite_by_hand(anchored, 1 + people$yes_said + 2 * people$anchor, b, people, function(i) together(b[3], i))
  expect_equal(unname(vcov(fit, parameter = TRUE)), known, tolerance = 1e-5)
  # A randomized covariate, and one beside a randomized outcome.
  fit <- rr_predictor(amount ~ yes_said, finite, list(yes_said = steady), truth = ~ x, method = "ml")
  mixture <- function(b, said) {
    truth <- plogis(b[1] + b[2] * x)
    yes <- ifelse(said == 2, 5, 1) / 6
    log(truth * yes * dnorm(people$amount, b[3] + b[4], exp(b[5])) + (1 - truth) * (1 - yes) * dnorm(people$amount, b[3], exp(b[5])))
  }
  device <- function(i) cbind(c(5, 1), c(1, 5)) / 6
  expect_equal(unname(vcov(fit, part = "all")), finite_by_hand(mixture, people$yes_said + 1, fit$estimate, people, device), tolerance = 1e-5)
  fit <- rr_predictor(yes_said ~ times_said, finite, list(times_said = three, yes_said = steady), family = binomial(), truth = ~ 1)
  both <- function(b, said) {
    e <- c(1, exp(b[1:2])) / sum(1, exp(b[1:2]))
    yes <- plogis(b[3] + c(0, b[4:5]))
    log(as.vector(t(channel()) %*% (e * cbind(1 - yes, yes)) %*% device())[said])
  }
  pair <- function(i) kronecker(device(), channel())
  expect_equal(unname(vcov(fit, part = "all")), finite_by_hand(both, times + 3 * people$yes_said, fit$estimate, people, pair), tolerance = 1e-4)
})

test_that("moments of a finite population: the difference of two means, by hand", {
  # With u the unbiased score of yes, the means of the outcome o are sum(w u o) / sum(w u) and sum(w (1 - u) o) / sum(w (1 - u)). A report
  # moves u by 1 / (p - q), and has the variance 5 / 36 whatever the truth.
  u <- (people$yes_said - 1 / 6) / (2 / 3)
  w <- people$w
  o <- people$amount
  yes <- sum(w * u * o) / sum(w * u)
  no <- sum(w * (1 - u) * o) / sum(w * (1 - u))
  effect <- w * (u * (o - yes) / sum(w * u) - (1 - u) * (o - no) / sum(w * (1 - u)))
  die <- 1.5^2 * w^2 * ((o - yes) / sum(w * u) + (o - no) / sum(w * (1 - u)))^2 * 5 / 36
  known <- as.vector(vcov(survey::svytotal(~I(effect / w), update(finite, effect = effect)))) + sum(drawn[people$stratum] * die)
  fit <- rr_predictor(amount ~ yes_said, finite, list(yes_said = steady))
  expect_equal(coef(fit)[[2]], yes - no, tolerance = 1e-10)
  expect_equal(vcov(fit)[2, 2], known, tolerance = 1e-8)
})

test_that("reports from permanent answers need an infinite population", {
  kept <- rr_longitudinal(2, 2, 1, "grr-grr")
  people$code <- people$yes_said + 1
  infinite <- survey::svydesign(~town, weights = ~w, data = people)
  expect_refused(rr_glm(code - 1 ~ x, update(finite, code = people$code), kept), rr_multinom(code ~ x, update(finite, code = people$code), kept))
  expect_s3_class(rr_multinom(code ~ x, infinite, kept), "rr_multinom")
})

test_that("rows of counts are as many answers", {
  towns <- unique(people[c("town", "stratum", "towns")])
  people$level <- people$town / 10
  towns$level <- towns$town / 10
  yes <- rowsum(people$yes_said, people$town)[as.character(towns$town), ]
  towns$yes <- yes
  towns$no <- 25 - yes
  single <- rr_glm(yes_said ~ level, survey::svydesign(~town, strata = ~stratum, fpc = ~towns, data = people), die)
  counted <- rr_glm(cbind(yes, no) ~ level, survey::svydesign(~town, strata = ~stratum, fpc = ~towns, data = towns), die)
  expect_equal(vcov(counted), vcov(single), tolerance = 1e-8)
})

test_that("intervals of a survey of most of a population cover", {
  # 80 per cent of 400 people. Without the hidden part .78 would cover. The error of a coverage of .95 over 100 surveys is .022: four of them.
  set.seed(31)
  all <- data.frame(x = rnorm(400), size = 400)
  all$truth <- rbinom(400, 1, plogis(-0.5 + all$x))
  target <- coef(glm(truth ~ x, binomial(), all))
  covered <- replicate(100, {
    some <- all[sample(400, 320), ]
    some$report <- rbinom(320, 1, 1 / 6 + 2 / 3 * some$truth)
    bounds <- confint(rr_glm(report ~ x, survey::svydesign(~1, fpc = ~size, data = some), die, starts = 1))
    bounds[, 1] <= target & target <= bounds[, 2]
  })
  expect_gt(min(rowMeans(covered)), 0.95 - 4 * 0.022)
})

test_that("a replicate without information about a coefficient leaves it without a standard error", {
  people$rare <- ifelse(people$town == 3 & people$x > 0, "only here", "elsewhere")
  one <- survey::as.svrepdesign(survey::svydesign(~town, weights = ~w, data = people), type = "JK1")
  for (fitter in list(function(f) rr_glm(f, one, die), function(f) rr_multinom(f, one, rr_binary(5 / 6, 1 / 6)))) {
    expect_warning(fit <- fitter(yes_said ~ x + rare), "replicate", class = "candor_warning_infinite")
    # The other coefficients of that replicate are those without the column.
    thetas <- apply(weights(one, "analysis"), 2, function(w) {
      formula <- if (any(people$rare[w > 0] == "only here")) yes_said ~ x + rare else yes_said ~ x
      coef(rr_glm(formula, people[w > 0, ], die, weights = whole_weights(w), starts = 1))[1:2]
    })
    centred <- thetas - rowMeans(thetas)
    expect_equal(unname(vcov(fit))[1:2, 1:2], unname(one$scale * centred %*% (one$rscales * t(centred))), tolerance = 1e-5)
    expect_true(all(is.na(vcov(fit)[3, ])))
  }
  # A factor of many levels, each of which one replicate has no rows of.
  expect_warning(fit <- rr_glm(yes_said ~ 0 + factor(town) + x, one, die), "24 of 24", class = "candor_warning_infinite")
  slopes <- apply(weights(one, "analysis"), 2, function(w) {
    coef(quietly(rr_glm(yes_said ~ 0 + factor(town) + x, people[w > 0, ], die, weights = whole_weights(w), starts = 1)))[["x"]]
  })
  expect_equal(vcov(fit)["x", "x"], one$scale * sum(one$rscales * (slopes - mean(slopes))^2), tolerance = 1e-5)
})

test_that("what is no design, or has none of the variances, is refused", {
  people$second <- rep(c(TRUE, FALSE), 300)
  phases <- survey::twophase(id = list(~town, ~town), subset = ~second, data = people)
  for (design in list(phases, 1)) {
    expect_refused(rr_glm(yes_said ~ x, design, die), rr_multinom(times_said ~ x, design, three),
                   rr_predictor(amount ~ yes_said, design, list(yes_said = die)))
  }
  expect_refused(rr_multinom(times_said ~ x, linear, three, weights = w),
                 rr_glm(yes_said ~ x, designs$jackknife, die, penalty = "bias"),
                 rr_glm(yes_said ~ x + (1 | town), designs$jackknife, die))
})

test_that("replicates of a fit with a prior are the modes of the posterior with their weights and the prior of all rows", {
  few <- people[people$town %% 3 == 0, ]
  design <- survey::as.svrepdesign(survey::svydesign(~town, weights = ~w, data = few), type = "JK1")
  fit <- rr_glm(yes_said ~ x, design, die, penalty = "prior")
  # Weights count respondents: their mean is 1.
  scale <- nrow(few) / sum(few$w)
  mean <- weighted.mean(few$x, few$w)
  deviation <- sqrt(weighted.mean((few$x - mean)^2, few$w))
  mode <- function(w) {
    posterior <- function(b) {
      report <- 1 / 6 + 2 / 3 * plogis(b[1] + b[2] * few$x)
      sum(w * scale * log(ifelse(few$yes_said == 1, report, 1 - report))) - ((b[1] + mean * b[2]) / 5)^2 / 2 - (deviation * b[2] / 2.5)^2 / 2
    }
    optim(coef(fit), posterior, method = "BFGS", control = list(fnscale = -1, reltol = 1e-14))$par
  }
  expect_equal(unname(mode(few$w)), unname(coef(fit)), tolerance = 1e-4)
  modes <- apply(weights(design, "analysis"), 2, mode)
  deviations <- modes - rowMeans(modes)
  expect_equal(unname(vcov(fit)), unname(design$scale * deviations %*% (design$rscales * t(deviations))), tolerance = 1e-3)
})

test_that("a column that others determine changes no variance of replicates, and has none", {
  twice <- transform(people, double = 2 * x + 1)
  design <- survey::as.svrepdesign(survey::svydesign(~town, strata = ~stratum, weights = ~w, data = twice))
  fit <- rr_glm(yes_said ~ x + part, design, die)
  aliased <- suppressMessages(rr_glm(yes_said ~ x + double + part, design, die))
  V <- vcov(aliased)
  estimated <- !is.na(coef(aliased))
  expect_identical(unname(estimated), c(TRUE, TRUE, FALSE, TRUE))
  expect_equal(V[names(coef(fit)), names(coef(fit))], vcov(fit), tolerance = 1e-5)
  expect_true(all(is.na(V[!rownames(V) %in% names(coef(fit)), ])))
})

test_that("a number of the mechanism that is estimated beside them varies over the replicates too", {
  two <- list(a = rr_unrelated(0.7, NULL), b = rr_unrelated(0.3, NULL))
  data <- withr::with_seed(16, {
    data <- data.frame(town = rep(1:10, each = 40), x = rnorm(400), arm = rep(c("a", "b"), 200), w = 1)
    truth <- rbinom(400, 1, plogis(0.5 * data$x - 0.5))
    data$said <- ifelse(runif(400) < ifelse(data$arm == "a", 0.7, 0.3), truth, rbinom(400, 1, 0.4))
    data
  })
  design <- survey::as.svrepdesign(survey::svydesign(~town, weights = ~w, data = data), type = "JK1")
  fit <- rr_glm(said ~ x, design, two, arm = arm)
  loglik <- function(b, w) {
    p <- ifelse(data$arm == "a", 0.7, 0.3)
    report <- p * plogis(b[1] + b[2] * data$x) + (1 - p) * plogis(b[3])
    sum(w * log(ifelse(data$said == 1, report, 1 - report)))
  }
  best <- apply(weights(design, "analysis"), 2, function(w) {
    optim(c(coef(fit), qlogis(0.4)), loglik, w = w, method = "BFGS", control = list(fnscale = -1, reltol = 1e-14))$par
  })
  best[3, ] <- plogis(best[3, ])
  deviations <- best - rowMeans(best)
  replicated <- design$scale * deviations %*% (design$rscales * t(deviations))
  expect_equal(unname(vcov(fit)), unname(replicated[1:2, 1:2]), tolerance = 1e-3)
  expect_equal(tidy(fit)$std.error, unname(sqrt(diag(replicated))), tolerance = 1e-3)
})

test_that("a fit to replicate weights whose coefficients are all infinite has no standard errors", {
  skip_if_not_installed("survey")
  data <- data.frame(y = rep(c("no", "yes"), c(12, 8)), x = rep(0:1, c(12, 8)))
  design <- survey::as.svrepdesign(survey::svydesign(ids = ~1, weights = ~1, data = data), type = "JK1")
  expect_warning(fit <- rr_glm(y ~ x, design, rr_binary(1, 0)), class = "candor_warning_infinite")
  expect_identical(unname(coef(fit)), c(-Inf, Inf))
  expect_true(all(is.na(vcov(fit))))
})

test_that("rows of which a finite population hides nothing add nothing to its part", {
  # The scores of the reports no and yes are -1 and 2 in the second row, which said yes; a share of 4 * 0.5^2 of it is hidden.
  hidden <- with_calls(hidden_meat, fitted_in = function(fit, design) 2:3, hidden_squares = function(design) c(9, 0, 4),
                       possible_reports = function(fit) {
                         list(list(rows = 1:2, scores = array(c(5, 7, -1, 2), c(2, 2, 1)), counts = diag(2), channel = rbind(c(0.8, 0.2), c(0.2, 0.8))))
                       })
  # Means given the truths are -0.4 and 1.4, the unbiased estimates of the truths -1 / 3 and 4 / 3.
  expect_equal(drop(hidden(list(weight.scale = 0.5))), 2^2 - (1.4^2 * 4 / 3 - 0.4^2 / 3), tolerance = 1e-12)
})

test_that("scores of the reports that rows might have are in order of report, row and parameter, and 0 / 0 is 0", {
  said <- list(cbind(1:3, 11:13), cbind(c(4, NaN, 6), 14:16))
  counts <- rbind(c(1, 0, 2), c(0, 1, 5))
  some <- scored_reports(said, counts, diag(2), c(3, 2))
  expect_identical(some$rows, c(3, 2))
  expect_identical(some$scores, array(c(3, 6, 2, 0, 13, 16, 12, 15), c(2, 2, 2)))
  expect_identical(some$counts, counts[, 3:2])
  expect_identical(some$channel, diag(2))
  expect_identical(scored_reports(said, counts, diag(2)), scored_reports(said, counts, diag(2), 1:3))
  # One row, and one parameter.
  one <- scored_reports(lapply(said, function(s) s[, 1, drop = FALSE]), counts, diag(2), 3)
  expect_identical(one$scores, array(c(3, 6), c(2, 1, 1)))
  expect_identical(one$counts, cbind(c(2, 5)))
})

test_that("coefficients of a design have its degrees of freedom, and others are normal", {
  of_design <- function(df) list(design = linear, df.residual = df)
  expect_identical(coefficient_freedom(of_design(3)), 3)
  expect_identical(coefficient_freedom(of_design(0.5)), 0.5)
  expect_identical(c(coefficient_freedom(of_design(0)), coefficient_freedom(of_design(-1))), c(NA_real_, NA_real_))
  expect_identical(c(coefficient_freedom(of_design(3), "sandwich"), coefficient_freedom(list(df.residual = 3))), c(Inf, Inf))
  expect_equal(coefficient_quantile(of_design(3), 0.9), qt(0.95, 3))
  expect_equal(coefficient_quantile(of_design(3), 0.9, "observed"), qnorm(0.95))
  expect_identical(has_design(list(of_design(3), list(design = NULL), 1, NULL)), c(TRUE, FALSE, FALSE, FALSE))
  expect_no_error(refuse_pseudo(list(list(design = NULL))))
  for (class in c("rr_glm", "rr_glm_attention", "rr_multinom")) expect_refused(refuse_pseudo(list(list(), structure(of_design(3), class = class))))
})

test_that("the variance of replicates is the survey package's, NA for what a replicate does not give, and empty for nothing", {
  fit <- list(model = people)
  for (design in designs[-1]) {
    both <- function(w) c(weighted.mean(people$amount, w), weighted.mean(people$x, w))
    centre <- stats::setNames(both(weights(design, "sampling")), c("amount", "x"))
    expect_no_warning(V <- replicate_vcov(fit, design, centre, both))
    expect_equal(V, matrix(vcov(survey::svymean(~ amount + x, design)), 2), tolerance = 1e-10, ignore_attr = TRUE)
    expect_identical(dimnames(V), list(c("amount", "x"), c("amount", "x")))
    calls <- 0
    lost <- function(w) {
      calls <<- calls + 1
      replace(both(w), 2, if (calls == 3) NA else both(w)[2])
    }
    expect_warning(partial <- replicate_vcov(fit, design, centre, lost), class = "candor_warning_infinite")
    expect_equal(partial, replace(V, 2:4, NA), tolerance = 1e-10)
    expect_identical(replicate_vcov(fit, design, numeric(), both), matrix(0, 0, 0))
  }
  expect_null(replicate_vcov(fit, linear, c(a = 1), mean))
})
