# Channels that a validation study measured, in regressions. Truth: the golden vectors of 40 digits (math-doors.md A2), and refits at
# tables that differ a little, whose differences are the derivatives of the estimates in the shares.

cases_of <- function(...) Filter(function(case) case$input$op %in% c(...), golden("doors_validated"))

study_table <- function(V) structure(V, dimnames = rep(list(as.character(seq_len(nrow(V)))), 2))

study_of <- function(input) rr_misclassification(table = study_table(input$validation))
exact_of <- function(input) rr_misclassification(table = study_table(input$validation), validation = "exact")

study_data <- function(input) {
  data <- data.frame(x = input$x[, 2], report = factor(input$report, seq_len(nrow(input$validation))))
  data[intersect(names(input), c("stratum", "cluster", "person"))] <- input[intersect(names(input), c("stratum", "cluster", "person"))]
  data$w <- input$weight %||% rep(1, nrow(data))
  data
}

study_design <- function(input) survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = study_data(input), nest = TRUE)

expect_study <- function(fit, case, expected = case$expected$vcov, tolerance = 1e-8, ...) {
  expect_golden(coef(fit), case$expected$coef, tolerance)
  expect_golden(vcov(fit, ...), expected, tolerance)
}

test_that("rr_glm() with a design, clusters or a random intercept has the vectors' covariance", {
  skip_if_not_installed("survey")
  found <- cases_of("glm_design", "glm_cluster", "glm_intercept")
  expect_length(found, 4)
  for (case in found) {
    input <- case$input
    if (input$op == "glm_design") {
      fit <- rr_glm(report ~ x, study_design(input), study_of(input), link = input$link)
      expect_study(fit, case)
      # The likelihood's part, and AIC, are those of the known channel.
      expect_equal(AIC(fit), AIC(rr_glm(report ~ x, study_design(input), exact_of(input), link = input$link)))
    } else if (input$op == "glm_cluster") {
      expect_study(rr_glm(report ~ x, study_data(input), study_of(input)), case, cluster = ~cluster)
    } else {
      fit <- rr_glm(report ~ x + (1 | person), study_data(input), study_of(input))
      expect_study(fit, case, tolerance = 1e-6)
      expect_golden(fit$sigma, case$expected$sigma, 1e-6)
      expect_message(limits <- confint(fit), class = "candor_message_wald")
      expect_equal(limits[1:2, 2], coef(fit) + qnorm(0.975) * sqrt(diag(vcov(fit))), ignore_attr = TRUE)
      expect_equal(log(limits["sigma", ]) - log(fit$sigma), qnorm(c(0.025, 0.975)) * sqrt(fit$variance[3, 3]) / fit$sigma, ignore_attr = TRUE)
      expect_refused(confint(fit, method = "profile"), anova(fit, fit$fixed))
    }
  }
})

test_that("rr_multinom() has the vectors' covariance, with a design too", {
  skip_if_not_installed("survey")
  found <- cases_of("multinom", "multinom_design")
  expect_length(found, 2)
  for (case in found) {
    data <- if (case$input$op == "multinom") study_data(case$input) else study_design(case$input)
    fit <- rr_multinom(report ~ x, data, study_of(case$input))
    expect_golden(t(coef(fit)), case$expected$coef, 1e-7)
    expect_golden(vcov(fit), case$expected$vcov, 1e-7)
    expect_refused(anova(rr_multinom(report ~ 1, data, study_of(case$input)), fit))
  }
})

test_that("rr_predictor() has the vectors' covariance, by moments and by likelihood", {
  found <- cases_of("predictor_moments", "predictor_ml")
  expect_length(found, 4)
  for (case in found) {
    input <- case$input
    data <- study_data(input)
    data$z <- input$outcome
    method <- sub("predictor_", "", input$op)
    family <- get(input$family, envir = asNamespace("stats"))()
    fit <- rr_predictor(z ~ x + report, data, list(report = study_of(input)), family, method = method)
    estimate <- if (method == "ml") unlist(coef(fit, "both")) else coef(fit)
    order <- if (method == "ml") c(3:5, 1:2) else seq_len(nrow(vcov(fit)))
    expect_golden(estimate, case$expected$coef, 1e-7)
    V <- if (method == "ml") vcov(fit, part = "all") else vcov(fit)
    expect_golden(V[order, order], case$expected$vcov, 1e-7)
  }
})

# The study's part of the variance from refits at tables whose row x is moved towards each report: a central difference leaves out the
# third derivative times h^2.
part_by_refits <- function(V, refit, h = 1e-3) {
  C <- V / rowSums(V)
  part <- 0
  for (x in seq_len(nrow(V))) {
    moved <- function(y, h) refit(replace(C, cbind(x, seq_len(ncol(C))), (1 - h) * C[x, ] + h * (seq_len(ncol(C)) == y)))
    J <- vapply(seq_len(ncol(V)), function(y) (moved(y, h) - moved(y, -h)) / (2 * h), numeric(length(refit(C))))
    part <- part + J %*% (diag(C[x, ]) - tcrossprod(C[x, ])) %*% t(J) / sum(V[x, ])
  }
  part
}

expect_part <- function(V, fit, estimate = coef, variance = vcov, tolerance = 1e-4) {
  known <- function(C) suppressMessages(fit(rr_misclassification(table = C, validation = "exact")))
  found <- variance(suppressMessages(fit(rr_misclassification(table = V)))) - variance(known(V / rowSums(V)))
  part <- part_by_refits(V, function(C) as.vector(estimate(known(C))))
  expect_lte(max(abs(found - part)), tolerance * max(abs(part)))
}

drawn <- function(n, V, seed) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::rnorm(n), person = rep(seq_len(n / 4), each = 4))
  k <- nrow(V)
  labels <- rownames(V)
  effect <- stats::rnorm(n / 4)[data$person]
  truth <- function(eta) findInterval(eta + effect + stats::rlogis(n), stats::qlogis(seq_len(k - 1) / k)) + 1L
  report <- function(truth) {
    factor(labels[vapply(truth, function(t) sample.int(k, 1, prob = V[t, ]), 0L)], labels)
  }
  data$a <- truth(0.5 * data$x)
  data$b <- truth(data$a - 1.5)
  data$z <- stats::rpois(n, exp(0.2 * data$a - 0.3 * data$x))
  data$ra <- report(data$a)
  data$rb <- report(data$b)
  data$arm <- rep(c("first", "second", "die"), length.out = n)
  data
}

two <- rbind(no = c(no = 93, yes = 7), yes = c(12, 68))
three <- rbind(low = c(low = 68, mid = 8, high = 4), mid = c(7, 65, 8), high = c(3, 9, 78))

test_that("refits at tables that differ a little give the study's part: several arms, random intercepts, levels in order", {
  data <- drawn(400, two, 1)
  arms <- function(m) list(first = m, second = m, die = rr_forced(1 / 6))
  expect_part(two, function(m) rr_glm(ra ~ x, data, arms(m), arm = arm))
  expect_part(two, function(m) rr_glm(ra ~ x + (1 | person), data, arms(m), arm = arm), function(fit) c(coef(fit), fit$sigma), function(fit) fit$variance)
  expect_part(two, function(m) rr_glm(ra ~ x + (1 | person), data, m, link = "cloglog"), function(fit) c(coef(fit), fit$sigma), function(fit) fit$variance)
  # Likewise if sigma is 0, as it is for the fit without the term.
  for (seed in 1:9) {
    data$single <- withr::with_seed(seed, sample(data$person))
    none <- suppressWarnings(rr_glm(ra ~ x + (1 | single), data, rr_misclassification(table = two)))
    if (none$sigma == 0) break
  }
  expect_identical(none$sigma, 0)
  expect_equal(vcov(none), vcov(rr_glm(ra ~ x, data, rr_misclassification(table = two))), tolerance = 1e-6)
  data <- drawn(400, three, 2)
  expect_part(three, function(m) rr_multinom(ra ~ x, data, m, type = "cumulative"))
})

test_that("two variables that were measured by one study share its error, a randomized outcome too", {
  data <- drawn(400, two, 3)
  for (method in c("moments", "ml")) {
    outcome <- function(fit) if (method == "ml") unlist(coef(fit, "both"))[c(seq_along(fit$truth) + length(coef(fit)), seq_along(coef(fit)))] else coef(fit)
    all <- function(fit) if (method == "ml") vcov(fit, part = "all") else vcov(fit)
    expect_part(two, function(m) rr_predictor(z ~ x + ra + rb, data, list(ra = m, rb = m), poisson(), method = method, starts = 1), outcome, all)
    expect_part(two, function(m) rr_predictor(rb ~ x + ra, data, list(ra = m, rb = m), binomial(), method = method, starts = 1), outcome, all)
    arms <- function(m) list(first = m, second = rr_warner(0.8), die = m)
    expect_part(two, function(m) rr_predictor(z ~ x + ra, data, list(ra = arms(m)), poisson(), method = method, arm = arm, starts = 1), outcome, all)
  }
  data <- drawn(400, three, 4)
  expect_part(three, function(m) rr_predictor(z ~ x + ra, data, list(ra = m), poisson(), method = "moments"))
})

test_that("a row counts in the derivatives by the channel as often as its weight says, in any unit of the weights", {
  data <- drawn(160, two, 7)
  data$w <- data$person %% 3 + 1
  m <- rr_misclassification(table = two)
  regressions <- list(
    function(data) rr_glm(ra ~ x, data, m, weights = w), function(data) rr_multinom(ra ~ x, data, m, weights = w),
    function(data) rr_predictor(z ~ x + ra, data, list(ra = m), poisson(), method = "moments", weights = w),
    function(data) rr_predictor(z ~ x + ra, data, list(ra = m), poisson(), method = "ml", weights = w, starts = 1),
    function(data) rr_glm(ra ~ x + (1 | person), data, m, weights = w)
  )
  slopes <- function(fit) unlist(lapply(channel_slopes(suppressMessages(fit)), `[[`, "slopes"))
  often <- data.frame(data[rep(1:160, data$w), names(data) != "w"], w = 1)
  for (regression in regressions) {
    found <- slopes(regression(data))
    expect_equal(8 * slopes(regression(transform(data, w = w / 8))), found, tolerance = 1e-5)
    if (!identical(regression, regressions[[5]])) expect_equal(slopes(regression(often)), found, tolerance = 1e-5)
  }
})

test_that("limits of a random intercept with a study are Wald's, which is told, since a profile takes the channel for known", {
  fit <- suppressMessages(rr_glm(ra ~ x + (1 | person), drawn(160, two, 8), rr_misclassification(table = two)))
  expect_message(limits <- confint(fit, level = 0.9), class = "candor_message_wald")
  half <- qnorm(0.95) * sqrt(diag(fit$variance))
  expect_equal(limits[1:2, ], coef(fit) + outer(half[1:2], c(-1, 1)), ignore_attr = TRUE)
  expect_equal(limits[3, ], fit$sigma * exp(c(-1, 1) * half[[3]] / fit$sigma), ignore_attr = TRUE)
  expect_refused(confint(fit, method = "profile"))
})

test_that("replicate weights and finite populations leave the study's part", {
  skip_if_not_installed("survey")
  data <- drawn(400, two, 5)
  data$size <- 200
  designs <- list(survey::as.svrepdesign(survey::svydesign(ids = ~person, weights = ~1, data = data)),
    survey::svydesign(ids = ~person, weights = ~1, data = data, fpc = ~size))
  for (design in designs) {
    expect_part(two, function(m) rr_glm(ra ~ x, design, m))
    expect_part(two, function(m) rr_multinom(ra ~ x, design, m))
    expect_part(two, function(m) rr_predictor(z ~ x + ra, design, list(ra = m), poisson(), method = "moments"))
  }
})

test_that("what has no place for the error of a study refuses it", {
  data <- drawn(400, two, 6)
  external <- rr_misclassification(table = two)
  internal <- rr_misclassification(table = two, validation = "internal")
  expect_refused(rr_glm(ra ~ x, data, internal), rr_multinom(ra ~ x, data, internal), rr_predictor(z ~ ra, data, list(ra = internal), poisson()),
    rr_glm(ra ~ x + (1 | person), data, external, protective = "no"), class = "law")
  spare <- rr_misclassification(table = cbind(two, unclear = c(5, 5)))
  expect_refused(rr_predictor(z ~ ra, data, list(ra = spare), poisson(), method = "moments"), class = "law")
  expect_error(rr_predictor(z ~ ra, data, list(ra = spare), poisson(), method = "ml"), NA)
  # More reports than truths of one covariate are enough.
  wide <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.2, 0.7)), c("no", "yes"), c("no", "unclear", "yes"))
  expect_refused(rr_predictor(z ~ ra + rb, data, list(ra = external, rb = wide), poisson(), method = "moments"), class = "law")
})

test_that("rr_loglinear() has the vectors' covariance, and that of refits", {
  found <- cases_of("loglinear")
  expect_length(found, 2)
  for (case in found) {
    input <- case$input
    fit_of <- function(m) {
      tally <- rr_counts(input$counts, rr_product(A = m, B = rr_channel(input$other)))
      rr_loglinear(if (input$formula == "main") ~ A + B else ~ A + B + I((as.integer(A) - 1) * (as.integer(B) - 1)), tally)
    }
    expect_study(fit_of(study_of(input)), case, tolerance = 1e-7)
  }
  counts <- cbind(g = c(60, 30, 25, 40), h = c(50, 30, 35, 60))
  expect_part(two, function(m) rr_loglinear(~ a * b, rr_counts(counts, rr_product(a = m, b = m))))
  fit <- rr_loglinear(~ a * b, rr_counts(counts, rr_product(a = rr_misclassification(table = two), b = rr_warner(0.9))))
  expect_refused(anova(rr_loglinear(~ a + b, fit$tally), fit), rr_loglinear(~ a + b, fit$tally, protective = "no"), rr_multinom(~1, fit$tally),
    rr_estimate(fit$tally), rr_posterior(fit$tally), rr_power(fit$mechanism, n = 100, share = 0.3, null = 0.2), rr_choose_method(fit$tally),
    rr_goodness_of_fit(fit), rr_compose(fit$mechanism, fit$mechanism), rr_top(fit$tally))
})

test_that("a sandwich has the places that have a variance, and sums by report have a column for each", {
  bread <- rbind(c(2, NA, 1), NA, c(0.5, NA, 3))
  meat <- rbind(c(1, 7, 0.2), 8:10, c(0.2, 9, 4))
  inner <- rbind(c(2, 1), c(0.5, 3)) %*% rbind(c(1, 0.2), c(0.2, 4)) %*% rbind(c(2, 0.5), c(1, 3))
  expected <- matrix(NA_real_, 3, 3)
  expected[c(1, 3), c(1, 3)] <- inner
  expect_equal(sandwich(bread, meat), expected)
  # Scores of the places that have a variance alone.
  expect_equal(sandwich(bread, meat[c(1, 3), c(1, 3)]), expected)
  expect_equal(sandwich(matrix(3), matrix(2)), matrix(18))
  expect_equal(sums_by_report(cbind(1:4, c(10, 20, 30, 40)), c(2, 1, 2, 2), 3), rbind(c(2, 8, 0), c(20, 80, 0)))
})

test_that("a study of respondents, and what is named beside any study, is refused, and mechanisms that are known are not", {
  study <- rbind(c(90, 10), c(20, 180))
  outer <- rr_misclassification(table = study, validation = "external")
  inner <- rr_misclassification(table = study, validation = "internal")
  expect_null(refuse_study_beside(list(outer, rr_warner(0.8)), "it", c(weights = FALSE)))
  expect_error(refuse_study_beside(list(outer), "it", c(weights = FALSE, clusters = TRUE)), "clusters", class = "candor_error_law")
  expect_error(refuse_study_beside(list(rr_warner(0.8), inner), "it"), class = "candor_error_law")
  expect_no_error(refuse_study_beside(list(rr_warner(0.8)), "it", c(weights = TRUE)))
  data <- data.frame(y = rep(outer$reports, c(60, 40)))
  known <- quietly(rr_glm(y ~ 1, data, rr_misclassification(table = study, validation = "exact")))
  studied <- quietly(rr_glm(y ~ 1, data, outer))
  expect_identical(c(has_study(list(known)), has_study(list(known, studied))), c(FALSE, TRUE))
  expect_identical(study_covariance(known, vcov(known)), 0)
  # A share (m - q) / (p - q) with q = 0.1, p = 0.9: its variance on the logit scale, of reports and of both rows of the study.
  m <- 0.4
  share <- (m - 0.1) / 0.8
  variance <- (m * (1 - m) / 100 + (1 - share)^2 * 0.1 * 0.9 / 100 + share^2 * 0.1 * 0.9 / 200) / 0.8^2 / (share * (1 - share))^2
  expect_equal(vcov(studied)[[1]], variance, tolerance = 1e-8)
})

test_that("rows whose truth is at infinity take no part in the error of a study", {
  outer <- rr_misclassification(table = rbind(c(90, 10), c(20, 180)), validation = "external")
  # In b 19 of 20 said yes, more than the study allows; weights of two answers each.
  data <- data.frame(g = rep(c("a", "b"), c(60, 20)), y = outer$reports[c(rep(1:2, c(35, 25)), rep(1:2, c(1, 19)))], w = rep(1:2, 40))
  fit <- suppressWarnings(suppressMessages(rr_glm(y ~ g, data, outer, weights = w)))
  expect_identical(coef(fit)[["gb"]], Inf)
  alone <- suppressMessages(quietly(rr_glm(y ~ 1, data[data$g == "a", ], outer, weights = w)))
  expect_equal(vcov(fit)[1, 1], vcov(alone)[1, 1], tolerance = 1e-6)
  expect_true(all(is.na(vcov(fit)["gb", ])))
})
