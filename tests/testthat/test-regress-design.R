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
                bootstrap = withr::with_seed(2, survey::as.svrepdesign(linear, type = "subbootstrap", replicates = 40, mse = TRUE)))
die <- rr_forced(c(1 / 6, 1 / 6))
three <- rr_grr(often, p = 0.8)
direct <- rr_grr(often, p = 1)

test_that("direct answers: rr_glm(), rr_multinom() and rr_predictor() of a design are survey::svyglm()", {
  for (design in designs) {
    known <- survey::svyglm(yes ~ x + part, design, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
    fits <- list(rr_glm(yes ~ x + part, mechanism = rr_binary(1, 0), design = design),
                 rr_multinom(yes ~ x + part, mechanism = rr_binary(1, 0), design = design))
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
    expect_equal(unname(vcov(rr_multinom(yes ~ x, mechanism = rr_binary(1, 0), design = domain))), matrix(vcov(few), 2), tolerance = 1e-5)
    known <- survey::svyglm(amount ~ x + times, design)
    fits <- list(rr_predictor(amount ~ x + times, mechanisms = list(times = direct), design = design))
    for (fit in fits) {
      expect_equal(unname(coef(fit)), unname(coef(known)), tolerance = 1e-9)
      expect_equal(unname(vcov(fit)), matrix(vcov(known), 4), tolerance = 1e-9)
      expect_equal(tidy(fit)$p.value, unname(summary(known)$coefficients[, 4]), tolerance = 1e-7)
    }
    known <- survey::svyglm(yes ~ x + times, design, family = stats::quasibinomial(), control = stats::glm.control(epsilon = 1e-14))
    fit <- rr_predictor(yes ~ x + times, mechanisms = list(times = direct), family = binomial(), design = design)
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
  fit <- rr_multinom(times_said ~ x, mechanism = three, design = linear)
  multinomial <- function(b) {
    e <- cbind(1, exp(b[1] + b[2] * people$x), exp(b[3] + b[4] * people$x))
    log(rowSums(e / rowSums(e) * channel[said, ]))
  }
  expect_equal(unname(vcov(fit)), by_hand(multinomial, fit$coefficients, people), tolerance = 1e-5)
  ordered_three <- rr_grr(factor(often, often, ordered = TRUE), p = 0.8)
  fit <- rr_multinom(times_said ~ x, mechanism = ordered_three, type = "cumulative", design = linear)
  cumulative <- function(b) {
    below <- plogis(cbind(b[1] - b[3] * people$x, b[2] - b[3] * people$x))
    log(rowSums(cbind(below[, 1], below[, 2] - below[, 1], 1 - below[, 2]) * channel[said, ]))
  }
  expect_equal(unname(vcov(fit)), by_hand(cumulative, fit$coefficients, people), tolerance = 1e-5)
  # Standard errors of predictions follow.
  share <- predict(fit, data.frame(x = 0), se.fit = TRUE)
  expect_equal(share$se.fit[1, 1], dlogis(coef(fit)[[1]]) * sqrt(vcov(fit)[1, 1]), tolerance = 1e-8)
  fit <- rr_predictor(amount ~ yes_said, mechanisms = list(yes_said = die), truth = ~ x, method = "ml", design = linear)
  mixture <- function(b) {
    pi <- plogis(b[1] + b[2] * people$x)
    p <- ifelse(people$yes_said == 1, 5 / 6, 1 / 6)
    log(pi * p * dnorm(people$amount, b[3] + b[4], exp(b[5])) + (1 - pi) * (1 - p) * dnorm(people$amount, b[3], exp(b[5])))
  }
  expect_equal(unname(vcov(fit, part = "all")), by_hand(mixture, fit$estimate, people), tolerance = 1e-5)
})

test_that("randomized answers: replicate weights by a loop", {
  fitters <- list(
    function(...) rr_glm(yes_said ~ x + part, mechanism = die, ...),
    function(...) rr_glm(yes_said ~ x, mechanism = die, penalty = "prior", ...),
    function(...) rr_multinom(times_said ~ x, mechanism = three, ...),
    function(...) rr_predictor(amount ~ x + times_said, mechanisms = list(times_said = three), ...),
    function(...) rr_predictor(amount ~ yes_said, mechanisms = list(yes_said = die), truth = ~ x, method = "ml", ...)
  )
  for (design in designs[-1]) {
    replicates <- weights(design, "analysis")
    for (fitter in fitters[-2]) {
      fit <- fitter(design = design)
      thetas <- apply(replicates, 2, function(w) quietly(fitter(data = people[w > 0, ], weights = w[w > 0] / mean(w)))$coefficients)
      centre <- if (design$mse) fit$coefficients else rowMeans(thetas)
      known <- design$scale * (thetas - centre) %*% (design$rscales * t(thetas - centre))
      expect_equal(unname(vcov(fit)), unname(known), tolerance = 1e-5)
    }
    # The prior is that of all rows, and hardly changes with the replicate.
    ratio <- diag(vcov(fitters[[2]](design = design))) / diag(vcov(rr_glm(yes_said ~ x, mechanism = die, design = design)))
    expect_true(all(ratio > 0.6 & ratio < 1.05))
  }
})

test_that("a replicate without information about a coefficient leaves it without a standard error", {
  people$rare <- ifelse(people$town == 3 & people$x > 0, "only here", "elsewhere")
  one <- survey::as.svrepdesign(survey::svydesign(~town, weights = ~w, data = people), type = "JK1")
  for (fitter in list(function(f) rr_glm(f, mechanism = die, design = one), function(f) rr_multinom(f, mechanism = rr_binary(5 / 6, 1 / 6), design = one))) {
    expect_warning(fit <- fitter(yes_said ~ x + rare), "replicate", class = "candor_warning_infinite")
    # The other coefficients of that replicate are those without the column.
    thetas <- apply(weights(one, "analysis"), 2, function(w) {
      formula <- if (any(people$rare[w > 0] == "only here")) yes_said ~ x + rare else yes_said ~ x
      coef(quietly(rr_glm(formula, people[w > 0, ], die, weights = w[w > 0] / mean(w))))[1:2]
    })
    centred <- thetas - rowMeans(thetas)
    expect_equal(unname(vcov(fit))[1:2, 1:2], unname(one$scale * centred %*% (one$rscales * t(centred))), tolerance = 1e-5)
    expect_true(all(is.na(vcov(fit)[3, ])))
  }
  # A factor of many levels, each of which one replicate has no rows of.
  expect_warning(fit <- rr_glm(yes_said ~ 0 + factor(town) + x, mechanism = die, design = one), "24 of 24", class = "candor_warning_infinite")
  slopes <- apply(weights(one, "analysis"), 2, function(w) {
    coef(quietly(rr_glm(yes_said ~ 0 + factor(town) + x, people[w > 0, ], die, weights = w[w > 0] / mean(w))))[["x"]]
  })
  expect_equal(vcov(fit)["x", "x"], one$scale * sum(one$rscales * (slopes - mean(slopes))^2), tolerance = 1e-5)
})

test_that("what is no design, or has none of the variances, is refused", {
  for (design in list(people, 1)) {
    expect_refused(rr_multinom(times_said ~ x, mechanism = three, design = design),
                   rr_predictor(amount ~ yes_said, mechanisms = list(yes_said = die), design = design))
  }
  expect_refused(rr_multinom(times_said ~ x, mechanism = three, design = linear, weights = w),
                 rr_glm(yes_said ~ x, mechanism = die, design = designs$jackknife, penalty = "bias"),
                 rr_glm(yes_said ~ x + (1 | town), mechanism = die, design = designs$jackknife))
})
