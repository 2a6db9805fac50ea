# Fits with a random intercept against sums over a fine grid of the intercept, written down here.

# Two devices, a covariate, an offset, weights of groups; two to four rows a group.
mixed_case <- function(link = "logit") {
  withr::local_seed(61)
  id <- rep(1:60, rep(2:4, 20))
  d <- data.frame(id = 100 + id, x = round(rnorm(length(id)), 1), arm = rep_len(c("s", "t", "t"), length(id)), off = rep_len(c(0, 0.3), length(id)))
  d$w <- c(1, 2, 1.5)[id %% 3 + 1]
  truth <- rbinom(nrow(d), 1, plogis(-0.3 + 0.8 * d$x + d$off + rnorm(60, sd = 1.8)[id]))
  p <- c(s = 0.95, t = 0.85)[d$arm]
  q <- c(s = 0.05, t = 0.25)[d$arm]
  d$y <- rbinom(nrow(d), 1, ifelse(truth == 1, p, q))
  fit <- quietly(rr_glm(y ~ x + (1 | id), d, list(s = rr_binary(0.95, 0.05), t = rr_binary(0.85, 0.25)), link, arm = arm, offset = off, weights = w))
  list(data = d, fit = fit, p = unname(p), q = unname(q), id = id, curve = stats::make.link(link)$linkinv)
}

grid <- seq(-9, 9, length.out = 161)

# The log-likelihood of each person, and the joint probabilities of its reports on the grid of u.
mixed_joint <- function(case, b) {
  d <- case$data
  truth <- case$curve(outer(b[1] + b[2] * d$x + d$off, b[3] * grid, `+`))
  report <- case$q + (case$p - case$q) * truth
  loglik <- unname(rowsum(log(d$y * report + (1 - d$y) * (1 - report)), case$id))
  joint <- exp(loglik) * rep(dnorm(grid), each = 60) * (grid[2] - grid[1])
  list(truth = truth, joint = joint, posterior = joint / rowSums(joint), loglik = log(rowSums(joint)))
}

test_that("two devices, an offset, weights of persons: every number of a fit, for each link", {
  for (link in c("logit", "probit", "cloglog")) {
    case <- mixed_case(link)
    fit <- case$fit
    d <- case$data
    b <- unname(c(coef(fit), fit$sigma))
    expect_true(fit$sigma > 0.5 && is.null(fit$limit))
    weight <- d$w[!duplicated(d$id)]
    total <- function(b) sum(weight * mixed_joint(case, b)$loglik)
    expect_equal(as.numeric(logLik(fit)), total(b), tolerance = 1e-9)
    expect_lt(max(abs(difference_gradient(total, b))), 1e-4)
    curvature <- -stats::optimHess(b, total, control = list(ndeps = rep(1e-3, 3)))
    expect_equal(unname(fit$variance), solve(curvature), tolerance = 1e-4)
    expect_identical(vcov(fit), fit$variance[1:2, 1:2])
    state <- mixed_joint(case, b)
    mean <- drop(state$posterior %*% grid)
    expect_equal(fit$random$estimate, fit$sigma * mean, tolerance = 1e-7)
    expect_equal(fit$random$std.error, fit$sigma * sqrt(drop(state$posterior %*% grid^2) - mean^2), tolerance = 1e-6)
    expect_identical(fit$random$level, as.character(101:160))
    expect_identical(c(fit$n, fit$ngrps, fit$df), c(180, 60, 3))
    # The truth of each row: at an intercept of 0, averaged over persons, given the person's reports.
    eta <- b[1] + b[2] * d$x + d$off
    expect_equal(unname(predict(fit, type = "link")), eta, tolerance = 1e-12)
    expect_equal(unname(predict(fit, random = "zero")), case$curve(eta), tolerance = 1e-12)
    average <- drop(state$truth %*% (dnorm(grid) * (grid[2] - grid[1])))
    expect_equal(unname(predict(fit)), average, tolerance = 1e-9)
    expect_equal(unname(predict(fit, type = "report")), case$q + (case$p - case$q) * average, tolerance = 1e-9)
    expect_equal(unname(fitted(fit)), case$q + (case$p - case$q) * average, tolerance = 1e-9)
    expect_equal(unname(predict(fit, random = "predicted")), rowSums(state$truth * state$posterior[case$id, ]), tolerance = 1e-7)
    # The intraclass correlation of the truths: the variances of the links' distributions.
    noise <- c(logit = pi^2 / 3, probit = 1, cloglog = pi^2 / 6)[[link]]
    expect_equal(glance(fit)$icc, fit$sigma^2 / (fit$sigma^2 + noise), tolerance = 1e-12)
    expect_identical(glance(fit)[c("nobs", "sigma", "ngrps")], tibble::tibble(nobs = 180L, sigma = fit$sigma, ngrps = 60L))
  }
  expect_refused(predict(fit, d, random = "predicted"))
  variances <- data.frame(group = "id", term = "(Intercept)", variance = fit$sigma^2, std.dev = fit$sigma)
  expect_equal(VarCorr.rr_glm_mixed(fit), variances)
  # Cauchy's distribution has no variance.
  fit$fixed$link <- "cauchit"
  expect_identical(glance(fit)$icc, NA_real_)
})

test_that("the information of pairs is that of the dependence, from expected second derivatives by hand", {
  case <- mixed_case()
  d <- case$data
  b <- unname(coef(case$fit$fixed))
  # Under independence the log-likelihood of two reports has the derivative s_i s_j in sigma^2 beside terms of one report.
  truth <- plogis(b[1] + b[2] * d$x + d$off)
  report <- case$q + (case$p - case$q) * truth
  omega <- ((case$p - case$q) * truth * (1 - truth))^2 / (report * (1 - report))
  pairs <- tapply(omega, case$id, function(w) sum(outer(w, w)[upper.tri(diag(length(w)))]))
  weight <- d$w[!duplicated(d$id)]
  expect_equal(case$fit$information.pairs, 1 / sqrt(sum(weight * pairs)), tolerance = 1e-6)
})

test_that("Wald's limits are symmetric, that of sigma in its logarithm; profile limits lie half a quantile below the maximum", {
  case <- mixed_case()
  fit <- case$fit
  b <- unname(c(coef(fit), fit$sigma))
  error <- sqrt(diag(fit$variance))
  z <- qnorm(0.95)
  wald <- wald_limits_with_sigma(fit, NULL, 0.9)
  expect_equal(wald[1:2, ], b[1:2] + outer(error[1:2], c(-z, z)), ignore_attr = TRUE)
  expect_equal(unname(wald[3, ]), unname(b[3] * exp(c(-z, z) * error[3] / b[3])))
  expect_equal(confint(fit, "x", 0.9, method = "wald")[1, ], wald["x", ], ignore_attr = TRUE)
  weight <- case$data$w[!duplicated(case$data$id)]
  total <- function(b) sum(weight * mixed_joint(case, b)$loglik)
  profile <- confint(fit, level = 0.9)
  drop <- qchisq(0.9, 1) / 2
  for (j in 2:3) for (end in profile[j, ]) {
    others <- stats::optim(b[-j], function(v) -total(append(v, end, j - 1)), method = "BFGS", control = list(reltol = 1e-12))
    expect_equal(total(b) + others$value, drop, tolerance = 1e-3)
  }
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.9)
  expect_equal(as.matrix(table[c("conf.low", "conf.high")]), profile, ignore_attr = TRUE)
  expect_identical(names(table)[1:3], c("effect", "group", "term"))
  expect_equal(table$std.error, unname(error))
  expect_equal(tidy(fit, effects = "fixed")$statistic, b[1:2] / unname(error[1:2]))
  expect_identical(tidy(fit, effects = "ran_pars")$group, "id")
  people <- tidy(fit, effects = "ran_vals")
  expect_identical(list(people$group[1], people$level, people$estimate, people$std.error),
                   list("id", fit$random$level, fit$random$estimate, fit$random$std.error))
})

test_that("profile limits of a constant alone, and of a sigma that is 0, finite or infinite, by the likelihood of pairs", {
  u <- seq(-9, 9, length.out = 4001)
  weight <- dnorm(u) / sum(dnorm(u))
  patterns <- rbind(c(1, 1), c(1, 0), c(0, 1), c(0, 0))
  drop <- qchisq(0.9, 1) / 2
  for (case in list(list(0.8, c(55, 80, 80, 85)), list(0.95, c(70, 40, 40, 50)), list(0.8, c(20, 0, 0, 20)))) {
    pairs <- patterns[rep(1:4, case[[2]]), ]
    d <- data.frame(id = rep(seq_len(nrow(pairs)), each = 2), y = as.vector(t(pairs)))
    fit <- suppressWarnings(rr_glm(y ~ 1 + (1 | id), d, rr_warner(case[[1]])))
    loglik <- function(b, sigma) {
      yes <- 1 - case[[1]] + (2 * case[[1]] - 1) * plogis(b + sigma * u)
      sum(case[[2]] * log(c(sum(weight * yes^2), rep(sum(weight * yes * (1 - yes)), 2), sum(weight * (1 - yes)^2))))
    }
    limits <- confint(fit, level = 0.9)
    expect_identical(unname(limits["sigma", ] %in% c(0, Inf)), fit$sigma == c(0, Inf))
    for (end in Filter(is.finite, limits["sigma", limits["sigma", ] > 0])) {
      best <- optimize(loglik, c(-9, 9), sigma = end, maximum = TRUE, tol = 1e-8)$objective
      expect_equal(fit$loglik - best, drop, tolerance = 1e-4)
    }
    for (end in Filter(is.finite, limits["(Intercept)", ])) {
      best <- optimize(function(sigma) loglik(end, sigma), c(0, 9), maximum = TRUE)$objective
      expect_equal(fit$loglik - best, drop, tolerance = 1e-4)
    }
  }
  # Of 200 pairs that are alike the likelihood is lower at 32 than at infinity, where each is alike with probability 0.34, by more than that.
  expect_gt(200 * log(0.34) - 5 * loglik(0, 32), drop)
  d <- data.frame(id = rep(1:200, each = 2), y = rep(0:1, each = 200))
  far <- suppressWarnings(rr_glm(y ~ 1 + (1 | id), d, rr_warner(0.8)))
  expect_identical(confint(far, level = 0.9), rbind(c(NA, NA), c(32, Inf)), ignore_attr = TRUE)
  # What is finite is the average over persons alone.
  expect_equal(unname(predict(far)), rep(0.5, 400), tolerance = 1e-6)
  expect_refused(predict(far, type = "link"), predict(far, random = "zero"), predict(far, random = "predicted"), simulate(far))
})

test_that("weights are persons in any unit; a column that others determine has no coefficient and no part in predictions", {
  case <- mixed_case()
  d <- transform(case$data, w = w / 8, twice = 2 * x + 1)
  fit <- quietly(rr_glm(y ~ x + twice + (1 | id), d, list(s = rr_binary(0.95, 0.05), t = rr_binary(0.85, 0.25)), arm = arm, offset = off, weights = w))
  expect_equal(c(coef(fit), fit$sigma), c(coef(case$fit), case$fit$sigma), tolerance = 1e-6)
  expect_equal(8 * c(fit$loglik, fit$ladder$loglik), c(case$fit$loglik, case$fit$ladder$loglik), tolerance = 1e-6)
  expect_equal(fit$variance / 8, case$fit$variance, tolerance = 1e-5)
  expect_equal(fit$random[-1], case$fit$random[-1], tolerance = 1e-6)
  for (type in c("truth", "report", "link")) expect_equal(predict(fit, d[1:9, ], type), predict(case$fit, case$data[1:9, ], type), tolerance = 1e-6)
})

test_that("roots of a profile: both sides, far away, and none", {
  # A parabola with the estimate 3 and the error 2: the roots are Wald's limits.
  roots <- outer_roots(function(v) 1.92 - ((v - 3) / 2)^2 / 2, 3, 2, 1.92)
  expect_equal(roots, 3 + c(-2, 2) * sqrt(2 * 1.92), tolerance = 1e-5)
  # Flatter to the right: 1.92 is reached at 3 + 40.
  roots <- outer_roots(function(v) 1.92 - ifelse(v < 3, ((v - 3) / 2)^2 / 2, (v - 3) * 1.92 / 40), 3, 2, 1.92)
  expect_equal(roots, c(3 - 2 * sqrt(2 * 1.92), 43), tolerance = 1e-5)
  expect_identical(outer_roots(function(v) ifelse(v < 0, -1, 1), 3, 1, 1.92)[2], Inf)
  expect_identical(outer_roots(function(v) ifelse(v > 5, -1, 1), 3, 1, 1.92)[1], -Inf)
})

test_that("estimates where sigma is 0, positive or infinite", {
  base <- matrix(c(2, 0.5, 0.5, 1), 2, dimnames = list(c("a", "b"), c("a", "b")))
  information <- matrix(c(4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2), 3)
  inside <- mixed_estimates(list(point = c(1, 2, 0.7), sigma = 0.7, value = -9), information, c("a", "b"), base)
  expect_equal(unname(inside$variance), solve(information), tolerance = 1e-12)
  expect_equal(inside$vcov, inside$variance[1:2, 1:2])
  expect_identical(inside[c("coefficients", "sigma", "loglik", "df", "infinite")],
                   list(coefficients = c(a = 1, b = 2), sigma = 0.7, loglik = -9, df = 3, infinite = NULL))
  one <- mixed_estimates(list(point = c(1, 0.7), sigma = 0.7, value = -9), information[c(1, 3), c(1, 3)], "a", base)
  expect_equal(one$vcov, solve(information[c(1, 3), c(1, 3)])[1, 1, drop = FALSE], ignore_attr = TRUE)
  expect_identical(dimnames(one$vcov), list("a", "a"))
  zero <- mixed_estimates(list(point = c(1, 2, 0), sigma = 0, value = -9), information, c("a", "b"), base)
  expect_identical(zero$vcov, base)
  expect_true(all(is.na(zero$variance["sigma", ])))
  far <- list(point = c(1, 2, 40), sigma = 40, value = -9, limit = list(ratio = c(-0.3, 1e-7), value = -8))
  far <- mixed_estimates(far, information, c("a", "b"), base)
  expect_identical(far[c("coefficients", "sigma", "loglik", "infinite")],
                   list(coefficients = c(a = -Inf, b = NA), sigma = Inf, loglik = -8, infinite = c("a", "b")))
  expect_true(all(is.na(far$variance)))
  # The unit of weights: three numbers of a maximum are log-likelihoods.
  scaled <- mixed_in_units(list(value = -2, ladder = data.frame(sigma = 1:2, loglik = c(-3, -4)), limit = list(ratio = 5, value = -1)), 10)
  expect_identical(scaled, list(value = -20, ladder = data.frame(sigma = 1:2, loglik = c(-30, -40)), limit = list(ratio = 5, value = -10)))
  # Rivals are within 2 units, and elsewhere.
  best <- list(value = -10, sigma = 1)
  rival <- function(value, sigma) is_rival(list(value = value, sigma = sigma), best)
  expect_identical(c(rival(-11.9, 1.2), rival(-12, 1.2), rival(-11, 0.9), rival(-11, 0.8)), c(TRUE, FALSE, FALSE, TRUE))
})

test_that("each warning of a fit comes for its reason alone", {
  fit <- list(limit = NULL, vcov = diag(1), infinite = NULL, starts = -3, information.pairs = 1.6)
  expect_silent(warn_mixed(fit))
  warned <- function(...) class(tryCatch(warn_mixed(utils::modifyList(fit, list(...))), warning = identity))[1]
  expect_identical(warned(information.pairs = 1.61), "candor_warning_information")
  expect_identical(warned(starts = c(-3, NA)), "candor_warning_maxima")
  expect_identical(warned(vcov = matrix(NA_real_)), "candor_warning_infinite")
  expect_identical(warned(limit = list(value = -3)), "candor_warning_infinite")
  expect_silent(warn_mixed(utils::modifyList(fit, list(vcov = matrix(NA_real_), infinite = "x"))))
})

test_that("the formula without its random intercept, and with it", {
  parts <- function(formula) {
    found <- random_intercept(formula)
    if (is.null(found)) NULL else c(deparse1(found$fixed), deparse1(found$group))
  }
  expect_identical(parts(y ~ x + (1 | id)), c("y ~ x", "id"))
  expect_identical(parts(y ~ (1 | id) + x), c("y ~ x", "id"))
  expect_identical(parts(y ~ (1 | school:class)), c("y ~ 1", "school:class"))
  expect_identical(parts(y ~ 0 + x + (1 | id)), c("y ~ 0 + x", "id"))
  expect_identical(parts(y ~ x + (1 | id) - 1), c("y ~ x - 1", "id"))
  expect_identical(parts(y ~ x + (1 | id) + z), c("y ~ x + z", "id"))
  expect_identical(parts(y ~ (x + (1 | id)) + z), c("y ~ (x) + z", "id"))
  expect_identical(parts(y ~ (1 | id) - 1), c("y ~ -1", "id"))
  expect_null(parts(y ~ x))
  expect_null(parts(y ~ (x | id)))
  expect_null(parts(y ~ (1 | id) + (1 | x)))
  expect_null(random_intercept("y ~ (1 | id)"))
})

test_that("a random intercept is refused beside what it does not have", {
  case <- mixed_case()
  d <- case$data
  fit <- function(...) quietly(rr_glm(y ~ x + (1 | id), mechanism = rr_binary(0.9, 0.1), ...))
  expect_refused(fit(d, penalty = "firth"), fit(d, "log", start = c(-1, 0)), fit(d, weights = seq_len(nrow(d))))
  expect_refused(fit(transform(d, id = replace(id, 3, NA)), na.action = na.pass))
  expect_refused(fit(transform(d, id = seq_along(id))), fit(transform(d, id = 1)), class = "no_information")
})

test_that("simulated surveys: a person's reports go together, and those who evade all deny", {
  case <- mixed_case()
  fit <- case$fit
  # Of an exact device with a huge sigma all rows of a person are alike, with either answer.
  fit$sigma <- 1e6
  fit$fixed$device[] <- rbind(1, 0, 0, 1, 1)
  drawn <- simulate(fit, 3, seed = 4)
  expect_identical(dim(drawn), c(180L, 3L))
  for (one in drawn) {
    expect_setequal(tapply(one == fit$fixed$labels[2], case$id, mean), 0:1)
    expect_identical(levels(one), fit$fixed$labels)
  }
  fit$evasion <- list(gamma = 1, safe = 1)
  expect_true(all(simulate(fit, 1, seed = 4)[[1]] == fit$fixed$labels[2]))
  fit$evasion <- list(gamma = 0, safe = 1)
  expect_identical(simulate(fit, 1, seed = 4)[[1]], drawn[[1]])
  expect_refused(simulate(replace(fit, "limit", list(list(value = 0)))))
  # The squares of the sums of persons, of 200 surveys: they have the normal distribution of u, and the device of each row.
  fit <- case$fit
  truth <- case$curve(outer(predict(fit, type = "link"), fit$sigma * grid, `+`))
  report <- case$q + (case$p - case$q) * truth
  density <- dnorm(grid) / sum(dnorm(grid))
  expected <- drop((rowsum(report, case$id)^2 + rowsum(report * (1 - report), case$id)) %*% density)
  squares <- vapply(simulate(fit, 200, seed = 5), function(one) rowsum(1 * (one == fit$fixed$labels[2]), case$id)[, 1]^2, numeric(60))
  expect_lt(abs(mean(squares) - mean(expected)), 4 * sd(squares) / sqrt(200 * 60))
})

test_that("what a study of the channel adds moves with the channel as differences say", {
  case <- mixed_case()
  fit <- case$fit
  b <- unname(c(coef(fit), fit$sigma))
  weight <- case$data$w[!duplicated(case$data$id)]
  posterior <- random_posterior(fit)
  # Groups of the same rows and reports count once.
  expect_equal(sum(fit$model$weight), sum(weight))
  expect_equal(rowSums(posterior$weights), rep(1, nrow(posterior$weights)), ignore_attr = TRUE)
  score <- function(h, truth) {
    changed <- case
    is_arm <- case$data$arm == "t"
    name <- if (truth) "p" else "q"
    changed[[name]] <- case[[name]] + h * is_arm
    difference_gradient(function(b) sum(weight * mixed_joint(changed, b)$loglik), b)
  }
  is_arm <- fit$model$kernel$arm == match("t", c("s", "t")) - 1
  for (truth in c(FALSE, TRUE)) {
    found <- person_slopes(fit, posterior, is_arm, truth)
    expect_equal(found, (score(1e-4, truth) - score(-1e-4, truth)) / 2e-4, tolerance = 1e-4)
  }
})

test_that("average truths and their derivatives are integrals", {
  for (link in mixed_links) {
    inverse <- stats::make.link(link)$linkinv
    integral <- function(eta, sigma) stats::integrate(function(u) inverse(eta + sigma * u) * dnorm(u), -9, 9, rel.tol = 1e-11, subdivisions = 2000)$value
    for (sigma in c(0.8, 3)) {
      curve <- mixed_curve(link, sigma)
      eta <- c(-1.2, 0.4)
      value <- function(eta) vapply(eta, integral, 0, sigma)
      expect_equal(as.vector(curve$yes(eta)), value(eta), tolerance = 1e-7)
      expect_equal(as.vector(curve$derivative(eta, 1)), (value(eta + 1e-4) - value(eta - 1e-4)) / 2e-4, tolerance = 1e-5)
      expect_equal(as.vector(curve$derivative(eta, 2)), (value(eta + 1e-3) - 2 * value(eta) + value(eta - 1e-3)) / 1e-6, tolerance = 1e-3)
      by_sigma <- (vapply(eta, integral, 0, sigma + 1e-4) - vapply(eta, integral, 0, sigma - 1e-4)) / 2e-4
      expect_equal(as.vector(curve$by_sigma(eta, 1)), by_sigma, tolerance = 1e-5)
    }
    expect_identical(as.vector(mixed_curve(link, 0)$by_sigma(eta, 1)), c(0, 0))
    expect_equal(as.vector(mixed_curve(link, 0)$yes(eta)), inverse(eta), tolerance = 1e-9)
  }
})

test_that("the limit of sigma to infinity is a sum over the intervals between the thresholds, with its gradient", {
  case <- mixed_case()
  model <- case$fit$model
  ratio <- c(0.3, -0.7)
  # A truth is yes above its threshold of u: by a fine grid of u, of quantiles of the normal distribution.
  u <- qnorm((seq_len(10001) - 0.5) / 10001)
  value <- function(model, ratio) {
    truth <- outer(drop(model$x %*% ratio), u, `+`) > 0
    device <- matrix(model$kernel$device, 5)[, model$kernel$arm + 1L]
    yes <- device[2, ] + truth * device[5, ]
    report <- model$kernel$y * yes + (1 - model$kernel$y) * (1 - yes)
    group <- rep(seq_along(model$weight), diff(model$first))
    sum(model$weight * log(rowMeans(exp(rowsum(log(report), group)))))
  }
  # Also where a truth of yes, or of no, has one report alone.
  sure <- list(model$kernel$device, cbind(c(1, 0.3, 0, 0.7, 0.7), c(1, 0.1, 0, 0.9, 0.9)), cbind(c(0.8, 0, 0.2, 1, 0.8), c(0.6, 0, 0.4, 1, 0.6)))
  for (device in sure) {
    model$kernel$device <- device
    found <- mixed_limit(model, ratio)
    expect_equal(found$value, value(model, ratio), tolerance = 1e-4)
    expect_equal(unname(found$gradient), difference_gradient(function(r) mixed_limit(model, r)$value, ratio), tolerance = 1e-6)
  }
})

test_that("beside a fit at infinity the supremum is sought from the middle too, and nearer by", {
  begun <- NULL
  supremum <- function(boundary, first, further, nearer) {
    begun <<- list()
    with_calls(mixed_supremum,
      mixed_maximum = function(model, b, value) {
        begun <<- c(begun, list(c(b, value)))
        if (length(begun) == 1) first else further
      },
      mixed_climb = function(model, start, sigma = NA, halvings = 0) {
        begun <<- c(begun, list(c(start, sigma, halvings)))
        if (is.na(sigma)) nearer else list(point = c(0.5, -0.5, sigma))
      }
    )(list(size = 2L), list(loglik = -9, boundary = boundary), c(30, 1))
  }
  at <- function(value, ...) list(point = c(40, -3, 0.2), value = value, sigma = 0.2, ...)
  low <- list(point = c(1, 2, -0.7), value = -99)
  expect_identical(supremum(NULL, at(-5), at(-1), low), at(-5))
  expect_identical(begun, list(c(30, 1, -9)))
  boundary <- list(1)
  expect_identical(supremum(boundary, at(-5), at(-6), low), at(-5))
  expect_identical(begun, list(c(30, 1, -9), c(0, 0, 0.5, 0), c(0.5, -0.5, -9), c(10, -3, 0.2, NA, 1)))
  expect_identical(supremum(boundary, at(-5), at(-4), low), at(-4))
  # Limits count as the values that they are.
  limit <- at(-6, limit = list(value = -3))
  expect_identical(supremum(boundary, at(-5), limit, low), limit)
  expect_identical(supremum(boundary, limit, at(-4), low), limit)
  # A maximum nearer by is taken if it is higher than the rounding, with its sigma above 0, unless the supremum is a limit.
  for (rise in c(5e-10, 2e-9)) {
    expect_identical(supremum(boundary, at(-5), at(-6), replace(low, "value", -5 + rise)),
                     if (rise < 1e-9) at(-5) else list(point = c(1, 2, 0.7), value = -5 + rise, sigma = 0.7))
  }
  expect_identical(supremum(boundary, limit, at(-9), replace(low, "value", -2)), limit)
})

test_that("the error of a study is added to the variances that are known", {
  add <- with_calls(with_mixed_study, has_study = function(fits) TRUE, study_covariance = function(fit, variance) variance / 2)
  fit <- function(...) {
    variance <- diag(c(...))
    dimnames(variance) <- list(c("a", "b"), c("a", "b"))
    list(variance = variance, vcov = variance["a", "a", drop = FALSE])
  }
  expect_identical(add(fit(2, NA))$vcov[["a", "a"]], 3)
  expect_identical(add(fit(2, NA))$variance[["a", "a"]], 3)
  expect_identical(add(fit(NA, NA)), fit(NA, NA))
})

test_that("the intraclass correlation is the part of sigma^2 in the variance of the latent truths, which the link has", {
  fit <- mixed_case()$fit
  s2 <- fit$sigma^2
  correlation <- function(link, ...) glance(utils::modifyList(fit, list(fixed = list(link = link), ...)))$icc
  # Variances of the logistic, normal and Gumbel distributions; Cauchy's has none.
  expect_equal(correlation("logit"), s2 / (s2 + base::pi^2 / 3))
  expect_equal(correlation("probit"), s2 / (s2 + 1))
  expect_equal(correlation("cloglog"), s2 / (s2 + base::pi^2 / 6))
  expect_identical(correlation("cauchit"), NA_real_)
  expect_identical(correlation("probit", sigma = 0), 0)
  expect_identical(correlation("logit", sigma = Inf), 1)
  expect_identical(glance(fit)$ngrps, 60L)
})

test_that("effects of a random intercept are tables of their own, in any number, and intercepts are read by their group", {
  fit <- mixed_case()$fit
  all <- tidy(fit, conf.int = TRUE)
  expect_identical(all$term, c("(Intercept)", "x", "sd__(Intercept)"))
  expect_identical(all$group, c(NA, NA, "id"))
  expect_identical(tidy(fit, "fixed"), tidy(fit)[1:2, ])
  expect_identical(tidy(fit, "ran_pars"), tidy(fit)[3, ])
  expect_equal(unname(as.matrix(all[c("conf.low", "conf.high")])), unname(confint(fit)), tolerance = 1e-10)
  odds <- tidy(fit, exponentiate = TRUE)
  expect_equal(odds$estimate, c(exp(coef(fit)), fit$sigma), ignore_attr = TRUE)
  intercepts <- tidy(fit, "ran_vals")
  expect_identical(intercepts$level, as.character(101:160))
  expect_identical(unique(intercepts$group), "id")
  values <- ranef.rr_glm_mixed(fit)
  expect_identical(values[as.character(101:160), "(Intercept)"], intercepts$estimate)
  expect_identical(unlist(VarCorr.rr_glm_mixed(fit)[c("variance", "std.dev")], use.names = FALSE), c(fit$sigma^2, fit$sigma))
  expect_refused(tidy(fit, "random"), tidy(fit, c("fixed", "random")))
})

test_that("persons of weight 0 are not counted, and tests against the fit without the intercept are as if they were left out", {
  set.seed(8)
  people <- data.frame(id = rep(1:80, each = 4), x = rep(rnorm(80), each = 4), w = rep(rep(0:1, c(30, 50)), each = 4))
  people$y <- rbinom(320, 1, 0.1 + 0.8 * plogis(people$x + rep(rnorm(80), each = 4)))
  fits_of <- function(people) {
    list(rr_glm(y ~ x, people, rr_warner(0.9), weights = w), rr_glm(y ~ x + (1 | id), people, rr_warner(0.9), weights = w))
  }
  all <- quietly(fits_of(people))
  used <- quietly(fits_of(subset(people, w > 0)))
  expect_equal(c(nobs(all[[2]]), all[[2]]$ngrps, BIC(all[[2]])), c(200, 50, BIC(used[[2]])), tolerance = 1e-8)
  expect_equal(anova(all[[1]], all[[2]])[["Pr(>Chi)"]], anova(used[[1]], used[[2]])[["Pr(>Chi)"]], tolerance = 1e-6)
  expect_identical(nrow(simulate(all[[2]], seed = 1)), 320L)
})
