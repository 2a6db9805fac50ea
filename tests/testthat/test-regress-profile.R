# Profiles of rr_glm() against the best likelihood at each value by another optimiser.

profile_case <- function(offset = c(0, 0.4)) {
  withr::local_seed(85)
  n <- 150
  d <- data.frame(x = round(rnorm(n), 1), g = rep_len(0:1, n), arm = rep_len(c("s", "t", "t"), n), off = rep_len(offset, n), w = rep_len(c(1, 2), n))
  p <- c(s = 0.95, t = 0.8)[d$arm]
  q <- c(s = 0.1, t = 0.3)[d$arm]
  d$y <- rbinom(n, 1, q + (p - q) * plogis(-0.2 + d$x + d$off))
  fit <- quietly(rr_glm(y ~ x + g, d, list(s = rr_binary(0.95, 0.1), t = rr_binary(0.8, 0.3)), arm = arm, offset = off, weights = w))
  total <- function(b) {
    report <- q + (p - q) * plogis(drop(cbind(1, d$x, d$g) %*% b) + d$off)
    sum(d$w * (d$y * log(report) + (1 - d$y) * log(1 - report)))
  }
  best <- function(j, value) {
    -stats::optim(coef(fit)[-j], function(v) -total(append(unname(v), value, j - 1)), method = "BFGS", control = list(reltol = 1e-13, maxit = 500))$value
  }
  list(fit = fit, total = total, best = best)
}

test_that("limits, with an offset that is 0 in some rows, lie where the best likelihood has fallen by half the quantile", {
  for (offset in list(c(0, 0.4), 0)) {
    case <- profile_case(offset)
    fit <- case$fit
    expect_equal(fit$loglik, case$total(coef(fit)), tolerance = 1e-10)
    limits <- confint(fit, level = 0.9)
    for (j in 1:3) for (end in limits[j, ]) expect_equal(fit$loglik - case$best(j, end), qchisq(0.9, 1) / 2, tolerance = 1e-5)
    expect_true(all(limits[, 1] < coef(fit) & coef(fit) < limits[, 2]))
  }
  wald <- confint(fit, method = "wald", level = 0.9)
  expect_equal(unname(wald), unname(coef(fit) + outer(sqrt(diag(vcov(fit))), c(-1, 1) * qnorm(0.95))), tolerance = 1e-10)
  expect_equal(unname(confint(fit, "x", type = "sandwich")[1, ]), coef(fit)[["x"]] + c(-1, 1) * qnorm(0.975) * sqrt(vcov(fit, "sandwich")[2, 2]),
    tolerance = 1e-10)
})

test_that("the curve of a profile: twice the fall, with the sign of the side, over the interval", {
  case <- profile_case()
  fit <- case$fit
  curve <- profile(fit, "g", level = 0.9, points = 6)
  limits <- confint(fit, "g", level = 0.9)
  expect_identical(nrow(curve), 7L)
  expect_equal(range(curve$value), as.vector(limits), tolerance = 1e-8)
  fall <- vapply(curve$value, function(v) 2 * (fit$loglik - case$best(3, v)), 0)
  expect_equal(curve$deviance, pmax(fall, 0), tolerance = 1e-4)
  expect_equal(curve$z, sign(curve$value - coef(fit)[["g"]]) * sqrt(curve$deviance))
  expect_identical(unique(curve$term), "g")
  expect_refused(profile(fit, points = 4), profile(fit, points = 1001), profile(fit, level = 1))
})

test_that("one parameter alone has the limits of its share, and infinite ones where the likelihood does not fall", {
  d <- data.frame(y = rep(0:1, c(60, 40)))
  fit <- quietly(rr_glm(y ~ 1, d, rr_warner(0.8)))
  limits <- confint(fit)
  loglik <- function(m) 40 * log(m) + 60 * log(1 - m)
  ends <- vapply(list(c(0.21, 0.4), c(0.4, 0.79)), function(range) uniroot(function(m) loglik(0.4) - loglik(m) - qchisq(0.95, 1) / 2, range,
    tol = 1e-12)$root, 0)
  expect_equal(as.vector(limits), qlogis((ends - 0.2) / 0.6), tolerance = 1e-6)
  # 25 of 100: a share of 1 / 12, and none at all is within the fall.
  d$y <- rep(0:1, c(75, 25))
  fit <- quietly(rr_glm(y ~ 1, d, rr_warner(0.8)))
  low <- confint(fit)
  expect_identical(low[1, 1], -Inf)
  expect_true(is.finite(low[1, 2]))
  # Its curve begins six standard errors below.
  curve <- profile(fit, level = 0.95, points = 5)
  below <- coef(fit)[[1]] - 6 * sqrt(vcov(fit)[[1]])
  expect_equal(curve$value, sort(c(coef(fit)[[1]], seq(below, low[1, 2], length.out = 5))))
  report <- 0.2 + 0.6 * plogis(curve$value)
  expect_equal(curve$deviance, 2 * (25 * log(0.25) + 75 * log(0.75) - 25 * log(report) - 75 * log(1 - report)))
  # Two maxima of one parameter are two points.
  shared <- shared_profile(utils::modifyList(fit, list(ends = rbind(c(-3, 1)), starts = c(-9, -8))), 1)
  expect_equal(shared$b[1, 1:3], c(coef(fit)[[1]], 1, -3))
})

test_that("the values at which a limit is looked for", {
  profile <- list(drop = 2, std_error = 0.5, range = 300, unit = 1)
  # Wald's limit is 1 + 2 * .5.
  expect_equal(profile_rungs(profile, 1, 1, TRUE), c(300, 5, 2.1))
  expect_equal(profile_rungs(profile, 1, -1, TRUE), c(-300, -3, -0.1))
  ladder <- 300 / 2^(0:10)
  expect_equal(profile_rungs(profile, 1, 1, FALSE), sort(unique(c(ladder[ladder > 1], 1 + 2^(-3:3))), decreasing = TRUE))
  below <- c(ladder[ladder < 1], 0, -ladder, 1 - 2^(-3:3))
  expect_equal(profile_rungs(profile, 1, -1, FALSE), sort(unique(below)))
})

# A profile whose best log-likelihood at v is `height(v, near)`, with the points of the branches that it knows as `near`.
walk <- function(f, height, asked = function(v, near) NULL) {
  with_calls(f, profile_maximum = function(profile, v, near = NULL) {
    asked(v, near)
    height(v, near)
  })
}
fake_profile <- list(top = 0, drop = 2, is_regular = FALSE, is_alone = FALSE, unit = 1, range = 300, std_error = 1, starts = cbind(1, 2, 3))

test_that("the root of a fall: further out if a climb from all starts is higher there, and inside of what has no likelihood", {
  # A parabola about 0 that falls by 2 at 2. All starts know another one about 3 too, half as deep at its top, which falls by 2 at 3 + sqrt(3).
  height <- function(v, near) {
    values <- c(-v^2 / 2, -(v - 3)^2 / 2 - 0.5)
    known <- if (is.null(near)) 1:2 else unique(near[1, ])
    best <- known[which.max(values[known])]
    list(value = values[best], near = cbind(c(best, v)))
  }
  columns <- NULL
  root <- walk(profile_root, height, function(v, near) columns <<- c(columns, NCOL(near)))
  expect_equal(root(fake_profile, 1, c(10, -50), cbind(c(1, 0)), 1), 3 + sqrt(3), tolerance = 1e-8)
  expect_identical(max(columns), 2L)
  columns <- NULL
  expect_equal(root(fake_profile, 1, c(10, -50), cbind(c(1, 0)), 7), 3 + sqrt(3), tolerance = 1e-8)
  expect_identical(max(columns), 7L)
  # To the left of both parabolas, a bound with no second one; one parameter alone has no other maximum.
  expect_equal(root(fake_profile, -1, c(-10, -50), cbind(c(1, 0)), 1), -2, tolerance = 1e-8)
  expect_equal(root(replace(fake_profile, "is_alone", TRUE), 1, c(10, -50), cbind(c(1, 0)), 1), 2, tolerance = 1e-8)
  # What is as low as that already is the root.
  expect_identical(root(fake_profile, -2.5, c(-10, -50), cbind(c(1, 0)), 1), -2.5)
  # Beyond 2.5 there is no likelihood, nor at the first value that is looked at.
  bounded <- walk(profile_root, function(v, near) if (v > 2.5) list(value = -Inf) else list(value = -v^2 / 2, near = cbind(v)))
  expect_equal(bounded(fake_profile, 1, c(10, -Inf), NULL, 1), 2, tolerance = 1e-8)
  expect_equal(bounded(fake_profile, -1, c(-10, -50), NULL, 1), -2, tolerance = 1e-8)
})

test_that("a limit is beyond all values within the fall; a regular profile is looked at far out and near Wald's limit alone", {
  # The likelihood comes back from 150 to 160.
  height <- function(v, near) list(value = if (v < 50) -v^2 / 2 else -pmax(150 - v, v - 160, 0), near = cbind(v))
  asked <- list()
  limit <- walk(profile_limit, height, function(v, near) asked[[length(asked) + 1]] <<- list(v, near))
  environment(limit)$profile_root <- walk(profile_root, height)
  expect_equal(limit(fake_profile, 0, 1), 162, tolerance = 1e-8)
  expect_equal(limit(fake_profile, 0, -1), -2, tolerance = 1e-8)
  expect_true(all(vapply(asked, function(call) is.null(call[[2]]), NA)))
  # Within the fall at 300, the first value.
  expect_identical(walk(profile_limit, function(v, near) list(value = -abs(v) / 150, near = cbind(v)))(fake_profile, 0, 1), Inf)
  expect_identical(walk(profile_limit, function(v, near) list(value = -abs(v) / 150, near = cbind(v)))(fake_profile, 0, -1), -Inf)
  # Wald's limit is 2: the values are 300, 8 and 2.2, and then the estimate; the last two have the estimate's own start.
  asked <- list()
  regular <- replace(fake_profile, "is_regular", TRUE)
  expect_equal(limit(regular, 0, 1), 2, tolerance = 1e-8)
  expect_equal(vapply(asked, `[[`, 0, 1), c(300, 8, 2.2, 0))
  expect_identical(lapply(asked, `[[`, 2), list(NULL, NULL, cbind(1), cbind(1)))
})

test_that("limits of bounded links stay inside of them, without a warning of the search", {
  for (yes in c(90, 95, 99)) {
    d <- data.frame(y = rep(0:1, c(100 - yes, yes)))
    share <- yes / 100
    loglik <- function(m) yes * log(m) + (100 - yes) * log(1 - m)
    limits <- vapply(list(c(0.5, share), c(share, 1 - 1e-9)), function(range) {
      uniroot(function(m) loglik(share) - loglik(m) - qchisq(0.95, 1) / 2, range, tol = 1e-13)$root
    }, 0)
    fit <- function(link) rr_glm(y ~ 1, d, rr_binary(1, 0), link = link)
    expect_no_warning(expect_equal(as.vector(confint(fit("log"))), log(limits), tolerance = 1e-7))
    expect_no_warning(expect_equal(as.vector(confint(fit("identity"))), limits, tolerance = 1e-7))
  }
})

test_that("limits of a covariate follow its unit and origin", {
  d <- data.frame(y = rep(c(0, 1, 1, 0, 1), 30), x = sin(1:150))
  d$time <- 1.6e12 + 1e9 * d$x
  fit <- function(formula) quietly(rr_glm(formula, d, rr_binary(0.9, 0.2)))
  expect_equal(as.vector(confint(fit(y ~ time), "time")) * 1e9, as.vector(confint(fit(y ~ x), "x")), tolerance = 1e-5)
})

test_that("the curve of an infinite coefficient leads back from far out, with the falls of its closed form", {
  d <- data.frame(g = rep(c("a", "b"), c(40, 12)), y = c(rep(1:0, c(16, 24)), rep(1, 12)))
  for (side in c(1, -1)) {
    d$said <- if (side > 0) d$y else 1 - d$y
    fit <- suppressWarnings(rr_glm(said ~ g, d, rr_binary(1, 0)))
    expect_identical(coef(fit)[["gb"]], side * Inf)
    fall <- function(v) {
      loglik <- function(a) 16 * plogis(a, log.p = TRUE) + 24 * plogis(-a, log.p = TRUE) + 12 * plogis(a + side * v, log.p = TRUE)
      2 * (16 * log(0.4) + 24 * log(0.6) - optimize(loglik, c(-5, 5), maximum = TRUE, tol = 1e-10)$objective)
    }
    limit <- side * uniroot(function(v) fall(side * v) - qchisq(0.9, 1), c(-2, 9), tol = 1e-10)$root
    expect_equal(as.vector(confint(fit, "gb", level = 0.9)), sort(c(limit, side * Inf)), tolerance = 1e-6)
    curve <- profile(fit, "gb", level = 0.9, points = 6)
    # Twenty units, each of which moves what the constant does not explain by 1 in the mean of squares.
    far <- side * 20 * 52 / sqrt(12 * 40)
    expect_equal(curve$value, sort(seq(limit, far, length.out = 6)[-6]), tolerance = 1e-6)
    expect_equal(curve$deviance, vapply(curve$value, fall, 0), tolerance = 1e-5)
    expect_equal(curve$z, -side * sqrt(curve$deviance))
  }
})

test_that("the others of a coefficient have its linear predictors, and what they do not explain of its column", {
  fit <- profile_case()$fit
  shared <- shared_profile(fit, 1.5)
  x <- shared$data$x
  w <- shared$data$weight
  expect_equal(shared$points, apply(shared$b, 2, function(b) coordinates(regress_model(shared$data), b)), ignore_attr = TRUE)
  expect_equal(shared$b[, 1], unname(coef(fit)))
  for (j in 1:3) {
    profile <- coefficient_profile(fit, j, shared)
    expect_equal(drop(crossprod(x[, -j], w * profile$column)), numeric(2), tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(profile$model$z %*% profile$starts + profile$column %o% profile$values, x %*% shared$b, ignore_attr = TRUE)
    expect_equal(profile$values, shared$b[j, ])
    expect_equal(profile$unit, 1 / sqrt(sum(w * profile$column^2) / sum(w)))
    expect_equal(c(profile$range, profile$std_error), c(300 * profile$unit, sqrt(vcov(fit)[j, j])))
    expect_false(profile$is_alone)
  }
  expect_null(coefficient_profile(fit, 4, shared))
  # An unknown number stands behind the coefficients.
  d <- data.frame(y = rep(0:1, c(50, 40)), sample = rep(c("a", "b"), 45), x = rep(c(-1, 0.5, 2), 30))
  unknown <- suppressWarnings(rr_glm(y ~ x, d, list(a = rr_unrelated(0.7, pi = NULL), b = rr_unrelated(0.3, pi = NULL)), arm = sample))
  expect_equal(shared_profile(unknown, 1)$b[, 1], c(coef(unknown), unknown$parameter), ignore_attr = TRUE)
  # With no other column all is that of the column itself.
  d <- data.frame(y = rep(0:1, c(60, 40)), x = rep_len(c(1, 3), 100))
  one <- quietly(rr_glm(y ~ x - 1, d, rr_warner(0.8), "cauchit"))
  profile <- coefficient_profile(one, 1, shared_profile(one, 1.5))
  expect_true(profile$is_alone)
  expect_equal(c(profile$unit, profile$range), c(1, 1e6) / sqrt(5))
})

test_that("a profile is regular without other maxima near the fall, nor a bound, nor a design of an unknown number", {
  fit <- profile_case()$fit
  is_regular <- function(drop = 1.5, ...) {
    shared_profile(utils::modifyList(fit, list(...)), drop)$is_regular
  }
  expect_true(is_regular())
  expect_false(is_regular(boundary = list(coefficients = character())))
  expect_false(is_regular(link = "identity"))
  others <- function(below) list(ends = cbind(1:3, unname(coef(fit)), 4:6), starts = fit$loglik - c(below, 0, 9))
  for (below in c(2.4, 2.6)) {
    other <- others(below)
    expect_identical(is_regular(ends = other$ends, starts = other$starts), below > 2.5)
  }
  # The maxima are in the order of their log-likelihood, behind the point itself.
  shared <- shared_profile(replace(fit, c("ends", "starts"), others(1)), 1.5)
  expect_equal(shared$b[, 1:4], cbind(coef(fit), coef(fit), 1:3, 4:6), ignore_attr = TRUE)
  expect_identical(shared$n_maxima, 4L)
})

test_that("with one other parameter the ends of climbs are a row, at the best log-likelihood of the value", {
  d <- data.frame(x = rep_len(c(-1, 0.5, 2), 90), y = rep(0:1, c(40, 50)))
  fit <- quietly(rr_glm(y ~ x, d, rr_warner(0.8)))
  profile <- coefficient_profile(fit, 2, shared_profile(fit, 1.5))
  data <- profile$data
  for (v in c(-1, 0.3)) {
    loglik <- function(eta) {
      report <- 0.2 + 0.6 * plogis(eta)
      sum(data$weight * (data$y * log(report) + (1 - data$y) * log(1 - report)))
    }
    best <- optimize(function(a) loglik(a + v * data$x[, 2]), c(-9, 9), maximum = TRUE, tol = 1e-10)$objective
    for (near in list(NULL, profile$starts[, 1:3])) {
      maximum <- profile_maximum(profile, v, if (!is.null(near)) rbind(near))
      expect_equal(maximum$value, best, tolerance = 1e-9)
      expect_identical(nrow(maximum$near), 1L)
      expect_equal(loglik(drop(profile$model$z %*% maximum$near[, 1] + v * profile$column)), best, tolerance = 1e-9)
    }
  }
})

test_that("starts at a value: the best two of the starts as they are and scaled to it, and all maxima unless the profile is regular", {
  passed <- NULL
  starts <- function(values, is_regular, rows) {
    with_calls(profile_starts,
      promising_starts = function(model, starts) {
        passed <<- list(model$kernel$offset, starts)
        starts
      },
      climb = function(model, starts, is_rough) list(points = starts + 0.5, value = c(-3, -1, -2.001, -2.004, -1.5, -1.5)[seq_len(ncol(starts))])
    )(list(values = values, starts = rbind(1:4, 5:8)[rows, , drop = FALSE], sample = list(), sample_rows = c(1, 3), is_regular = is_regular, n_maxima = 2),
      list(k = 1, kernel = list(offset = c(10, 20, 30))), 2)
  }
  expect_equal(starts(c(1, -2, 0, 4), TRUE, 1:2), cbind(c(2, 6), c(2, 5)) + 0.5)
  expect_equal(passed, list(c(10, 30), cbind(rbind(1:4, 5:8), c(2, 5), c(2, 8))))
  expect_equal(starts(c(1, -2, 0, 4), FALSE, 1:2), cbind(c(2.5, 6.5), c(2.5, 5.5), c(1, 5), c(2, 6)))
  starts(c(0.25, -2, 0, 4), TRUE, 1:2)
  expect_equal(passed[[2]], cbind(rbind(1:4, 5:8), c(8, 5), c(2, 8)))
  expect_equal(starts(c(-1, -2, 0, 4), TRUE, 1), cbind(2.5, 2.5))
  expect_equal(passed[[2]], rbind(c(1:4, 2)))
})

test_that("the best ends at a value are those of different log-likelihoods, the highest first, without those that have none", {
  offset <- NULL
  best <- function(values) {
    profile <- list(is_alone = FALSE, data = list(offset = c(10, 20)), column = c(1, 3), model = list(kernel = list()))
    with_calls(profile_maximum, climb = function(model, starts) {
      offset <<- model$kernel$offset
      list(points = starts, value = values)
    })(profile, 2, rbind(seq_along(values)))
  }
  expect_identical(best(c(-5, -3, -Inf, -3 - 1e-8, -4, -9, -7)), list(value = -3, near = rbind(c(2L, 5L, 1L, 7L))))
  expect_identical(offset, c(12, 26))
  expect_identical(best(-5), list(value = -5, near = cbind(1L)))
  expect_identical(ncol(best(-Inf)$near), 0L)
})

test_that("the constant beside an unknown number alone has limits where the best likelihood has fallen by half the quantile", {
  # The innocuous share is inside, and 0. Beside 0 a climb may end on the plateau of its logit, by 0.005 too low.
  for (yes in list(c(350, 450), c(70, 20))) {
    allowed <- if (yes[1] == 350) 1e-5 else 5e-3
    d <- data.frame(y = rep(c(1, 0, 1, 0), c(yes[1], 1000 - yes[1], yes[2], 1000 - yes[2])), sample = rep(c("a", "b"), each = 1000))
    fit <- suppressWarnings(rr_glm(y ~ 1, d, list(a = rr_unrelated(0.7, pi = NULL), b = rr_unrelated(0.3, pi = NULL)), arm = sample))
    best <- function(v) {
      loglik <- function(psi) {
        report <- c(0.7, 0.3) * plogis(v) + c(0.3, 0.7) * psi
        sum(yes * log(report) + (1000 - yes) * log(1 - report))
      }
      optimize(loglik, c(0, 1), maximum = TRUE, tol = 1e-12)$objective
    }
    limits <- confint(fit, level = 0.9)
    for (end in limits) expect_equal(fit$loglik - best(end), qchisq(0.9, 1) / 2, tolerance = allowed)
    expect_true(limits[1] < coef(fit) && coef(fit) < limits[2])
    curve <- profile(fit, level = 0.9, points = 5)
    expect_equal(curve$deviance, 2 * pmax(fit$loglik - vapply(curve$value, best, 0), 0), tolerance = allowed)
  }
})

test_that("limits are Wald's where there is no likelihood of a known channel, and a profile is refused there", {
  d <- data.frame(x = rep_len(c(-1, 0.5, 2, 1), 80), y = rep(0:1, c(38, 42)), school = rep(1:10, 8))
  plain <- quietly(rr_glm(y ~ x, d, rr_warner(0.8)))
  wald <- function(fit, quantile = qnorm(0.95), ...) {
    unname(coef(fit) + outer(sqrt(diag(vcov(fit, ...))), c(-1, 1) * quantile))
  }
  expect_identical(confint(plain, level = 0.9), confint(plain, level = 0.9, method = "profile"))
  expect_false(isTRUE(all.equal(unname(confint(plain, level = 0.9)), wald(plain), tolerance = 1e-3)))
  expect_equal(unname(confint(plain, level = 0.9, method = "wald")), wald(plain), tolerance = 1e-10)
  prior <- quietly(rr_glm(y ~ x, d, rr_warner(0.8), penalty = "prior"))
  expect_equal(unname(confint(prior, level = 0.9)), wald(prior), tolerance = 1e-10)
  expect_equal(unname(confint(plain, level = 0.9, type = "observed")), wald(plain), tolerance = 1e-10)
  expect_equal(unname(confint(plain, level = 0.9, cluster = d$school)), wald(plain, cluster = d$school), tolerance = 1e-10)
  expect_refused(confint(prior, method = "profile"), confint(plain, method = "profile", type = "observed"),
                 confint(plain, method = "profile", cluster = d$school), confint(plain, method = "both"))
  measured <- rr_misclassification(table = rbind(c(90, 10), c(20, 180)), validation = "external")
  studied <- quietly(rr_glm(y ~ x, transform(d, y = measured$reports[y + 1]), measured))
  expect_message(limits <- confint(studied, level = 0.9), class = "candor_message_wald")
  expect_equal(unname(limits), wald(studied), tolerance = 1e-10)
  expect_no_message(expect_equal(confint(studied, level = 0.9, method = "wald"), limits))
  expect_refused(confint(studied, method = "profile"))
  skip_if_not_installed("survey")
  design <- quietly(rr_glm(y ~ x, survey::svydesign(~school, weights = ~1, data = d), rr_warner(0.8)))
  # Ten clusters less 1, less a slope.
  expect_equal(unname(confint(design, level = 0.9)), wald(design, qt(0.95, 8)), tolerance = 1e-10)
  expect_refused(confint(design, method = "profile"))
})

test_that("a curve has 20 values and the estimate over the interval of 99 in 100, of all coefficients, unless others are wanted", {
  fit <- quietly(rr_glm(y ~ x, data.frame(x = rep_len(c(-1, 0.5, 2), 90), y = rep(0:1, c(40, 50))), rr_warner(0.8)))
  curve <- profile(fit)
  expect_identical(as.data.frame(curve), as.data.frame(profile(fit, c("(Intercept)", "x"), 0.99, 20)))
  expect_identical(as.vector(table(factor(curve$term, names(coef(fit))))), c(21L, 21L))
  expect_equal(range(curve$value[curve$term == "x"]), as.vector(confint(fit, "x", 0.99)), tolerance = 1e-8)
  expect_equal(range(curve$z), c(-1, 1) * qnorm(0.995), tolerance = 1e-5)
})
