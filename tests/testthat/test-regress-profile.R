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
  low <- confint(quietly(rr_glm(y ~ 1, d, rr_warner(0.8))))
  expect_identical(low[1, 1], -Inf)
  expect_true(is.finite(low[1, 2]))
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
