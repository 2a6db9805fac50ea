# Profiles: the curve behind the intervals.

test_that("the profile of a binomial share is its likelihood ratio", {
  # Asked directly: 30 of 100, by hand.
  curve <- profile(rr_estimate(rr_counts(c(no = 70, yes = 30), rr_binary(1, 0))), "yes")
  t <- curve$value
  by_hand <- 2 * (30 * log(0.3 / t) + 70 * log(0.7 / (1 - t)))
  expect_equal(curve$deviance, by_hand, tolerance = 1e-6)
  expect_identical(sign(curve$z), sign(round(t - 0.3, 12)))
  expect_equal(curve$z^2, curve$deviance)
  # It reaches to the 99 per cent interval.
  expect_equal(max(curve$deviance[c(1, nrow(curve))]), stats::qchisq(0.99, 1), tolerance = 1e-5)
})

test_that("the curve of a share meets its interval, for groups and pools too", {
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  fit <- rr_estimate(rr_counts(cbind(n = c(400, 320, 280), s = c(90, 60, 50)), grr))
  curve <- profile(fit, c("a", "b"), level = 0.95)
  expect_identical(names(curve), c("group", "term", "value", "deviance", "z"))
  expect_identical(confint(curve), confint(fit, c("a", "b"), interval = "profile"))
  ends <- vapply(split(curve$value, paste(curve$group, curve$term, sep = ":")), range, c(0, 0))
  expect_equal(unname(t(ends)), unname(confint(curve)), tolerance = 1e-8)
  # The other shares are fitted again: less than with them held at their estimates.
  south <- curve[curve$group == "s" & curve$term == "a", ]
  theta <- coef(fit["s"])
  held <- vapply(south$value, function(v) {
    other <- theta * (1 - v) / (1 - theta[[1]])
    other[1] <- v
    2 * (sum(c(90, 60, 50) * log(drop(theta %*% rr_matrix(grr)))) - sum(c(90, 60, 50) * log(drop(other %*% rr_matrix(grr)))))
  }, 0)
  expect_true(all(south$deviance <= held + 1e-8))

  pool <- rr_pool(a = rr_counts(c(no = 60, yes = 40), rr_binary(0.8, 0.2)), b = rr_counts(c(no = 70, yes = 30), rr_binary(0.9, 0.3)))
  both <- profile(rr_estimate(pool), "yes")
  report <- function(t, p, q) q + (p - q) * t
  loglik <- function(t) 40 * log(report(t, 0.8, 0.2)) + 60 * log(1 - report(t, 0.8, 0.2)) + 30 * log(report(t, 0.9, 0.3)) + 70 * log(1 - report(t, 0.9, 0.3))
  top <- optimize(loglik, c(0, 1), maximum = TRUE, tol = 1e-10)$objective
  expect_equal(both$deviance, 2 * (top - loglik(both$value)), tolerance = 1e-6)
})

test_that("the profile of a coefficient is the fall of the likelihood with it held by an offset", {
  design <- rr_forced(1 / 6)
  set.seed(3)
  people <- data.frame(x = rep(c(-1, 0, 1, 2), 150), z = sample(0:1, 600, TRUE))
  people$report <- rr_perturb(rbinom(600, 1, plogis(-1 + 0.7 * people$x)), design, rng = "R")
  fit <- rr_glm(report ~ x + z, people, design)
  curve <- profile(fit, "x", points = 6)
  for (row in c(1, 3, 5)) {
    people$held <- curve$value[row] * people$x
    expect_equal(curve$deviance[row], 2 * (fit$loglik - rr_glm(report ~ z, people, design, offset = held)$loglik), tolerance = 1e-6)
  }
  expect_identical(confint(curve), confint(fit, "x"))
  expect_identical(sort(curve$z), curve$z)
  expect_identical(unique(profile(fit, points = 5)$term), names(coef(fit)))
})

test_that("an infinite coefficient has the side that leads back from infinity", {
  people <- data.frame(x = rep(0:1, each = 40), y = c(rep(0:1, each = 20), rep(0, 40)))
  fit <- suppressWarnings(rr_glm(y ~ x, people, rr_forced(1 / 6)))
  expect_identical(unname(coef(fit)[2]), -Inf)
  curve <- profile(fit, "x", level = 0.95)
  expect_true(all(diff(curve$deviance) >= 0) && all(curve$z >= 0))
  expect_equal(max(curve$value), confint(fit)["x", 2], tolerance = 1e-8)
  expect_identical(confint(curve), confint(fit)["x", , drop = FALSE])
})

test_that("what has no profile says so", {
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  fit <- rr_estimate(rr_counts(c(40, 32, 28), grr))
  set.seed(8)
  people <- data.frame(x = rep(0:1, 200), y = rep(c(0, 1, 1, 0, 0), 80), often = sample(c("a", "b", "c"), 400, TRUE))
  expect_refused(profile(rr_estimate(fit$tally, target = "sample")), profile(rr_glm(y ~ x, people, rr_warner(0.9), penalty = "bias")))
  expect_error(profile(fit, "d"), class = "candor_error_level")
  expect_error(profile(fit, points = 2), "`points`", class = "candor_error_argument")
  expect_error(confint(profile(fit, "a"), "b"), "is not one", class = "candor_error_level")
})

test_that("profiles are drawn, up to twelve", {
  skip_if_not_installed("ggplot2")
  fit <- rr_estimate(rr_counts(c(400, 320, 280), rr_grr(3, epsilon = 1)))
  picture <- ggplot2::autoplot(profile(fit, points = 5))
  curve <- ggplot2::layer_data(picture, 3)
  expect_identical(max(as.integer(curve$PANEL)), 3L)
  # The dotted ends are those of the interval.
  expect_equal(sort(ggplot2::layer_data(picture, 2)$x), sort(as.vector(confint(fit, interval = "profile"))))
  many <- profile(rr_estimate(rr_counts(rep(20, 13), rr_grr(13, epsilon = 2))), points = 5)
  expect_error(ggplot2::autoplot(many), class = "candor_error_argument")
})

test_that("a profile is drawn as half of its deviance below 0, to the level and the limits that are asked for", {
  skip_if_not_installed("ggplot2")
  fit <- rr_estimate(rr_counts(cbind(u = c(400, 320, 280), v = c(100, 80, 60)), rr_grr(3, epsilon = 1)))
  curve <- profile(fit, c("1", "3"), points = 5)
  picture <- ggplot2::autoplot(curve, conf.level = 0.8)
  expect_equal(unique(ggplot2::layer_data(picture, 1)$yintercept), -qchisq(0.8, 1) / 2)
  ends <- ggplot2::layer_data(picture, 2)
  expect_equal(ends$x[order(ends$PANEL, ends$x)], as.vector(t(confint(fit, c("1", "3"), 0.8, interval = "profile"))))
  lines <- ggplot2::layer_data(picture, 3)
  expect_equal(sort(lines$y), sort(-curve$deviance / 2))
  top <- ggplot2::layer_data(picture, 4)
  expect_equal(top$x[order(top$PANEL)], unname(coef(fit)[c("u:1", "u:3", "v:1", "v:3")]))
  expect_equal(top$y, rep(0, 4))
  full <- profile(rr_estimate(rr_counts(rep(20, 12), rr_grr(12, epsilon = 2))), points = 5)
  expect_s3_class(ggplot2::autoplot(full), "ggplot")
})
