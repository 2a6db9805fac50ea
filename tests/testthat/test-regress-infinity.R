# Parameters at infinity: cones by the enumeration of their generators, models of groups whose shares are 0, 1 or between.

test_that("a direction is in a cone if as many of its generators as there are dimensions make it with weights of at least 0", {
  # By Caratheodory no more are needed.
  enumerated <- function(cone, direction) {
    some <- utils::combn(nrow(cone), ncol(cone))
    any(apply(some, 2, function(rows) {
      A <- t(cone[rows, ])
      abs(det(A)) > 1e-9 && all(solve(A, direction) > -1e-9)
    }))
  }
  withr::local_seed(91)
  inside <- logical()
  for (i in 1:80) {
    dimensions <- c(3, 5)[1 + i %% 2]
    cone <- matrix(rnorm(dimensions * sample(dimensions + 0:4, 1)), ncol = dimensions)
    # Half of the directions are sums of generators.
    direction <- if (i %% 4 > 1) drop(rexp(nrow(cone)) %*% cone) else rnorm(dimensions)
    known <- enumerated(cone, direction)
    expect_identical(in_cone(cone, direction), known)
    opposite <- enumerated(cone, -direction)
    sign <- if (known) 1 else if (opposite) -1 else NA_real_
    expect_identical(cone_signs(cone, rbind(direction, deparse.level = 0)), sign)
    inside <- c(inside, known)
  }
  expect_true(mean(inside) > 0.5 && mean(inside) < 0.9)
  # Generators themselves, their sums, and what lies on an edge; several that are the same.
  cone <- rbind(c(1, 0, 0), c(0, 2, 0), c(1, 0, 0), c(0, 2, 0))
  expect_true(in_cone(cone, c(3, 0, 0)) && in_cone(cone, c(1, 1, 0)) && in_cone(cone, c(1, 1e6, 0)))
  expect_false(in_cone(cone, c(1, -1e-4, 0)) || in_cone(cone, c(1, 1, 1e-4)) || in_cone(cone, c(-1, 0, 0)))
  expect_identical(cone_signs(cone, rbind(c(1, 1, 0), c(-1, -1, 0), c(1, -1, 0), c(0, 0, 1))), c(1, -1, NA, NA))
})

test_that("rows at infinity are directions of their signs, each once, without rows that stay", {
  move <- rbind(c(3, 4), c(0, 0), c(-6, -8), c(0, 5), c(1e-8, 0), c(1, 0))
  expect_equal(infinite_cone(move, c(2, 1, -1, -3, 1, 7)), rbind(c(0.6, 0.8), c(0, -1), c(1, 0)))
  expect_identical(is_flat(rbind(c(1, 0), c(0, 1), c(0, 1e9)), rbind(c(1, 1), c(0, 0), c(1, 0))), c(TRUE, FALSE, FALSE))
})

test_that("an inverse of parts of very different size is symmetric and right", {
  A <- crossprod(matrix(c(3, 1, 2, 5, 1, 4, 1, 2, 7), 3)) * outer(10^(3 * 1:3), 10^(3 * 1:3))
  inverse <- invert_positive(A)
  expect_identical(inverse, t(inverse))
  expect_equal(inverse %*% A, diag(3), tolerance = 1e-8)
  expect_equal(invert_positive(diag(c(1e200, 4))) * c(1e200, 4), diag(2), tolerance = 1e-12)
  expect_error(invert_positive(rbind(c(1, 2), c(2, 1))))
})

# Groups with answers that are known, and a column for each but the first.
group_limits <- function(yes, n, prior = NULL) {
  group <- rep(seq_along(n), each = 2)
  weight <- as.vector(rbind(yes, n - yes))
  x <- cbind(1, outer(group, seq_along(n)[-1], `==`) * 1)
  data <- list(x = x, y = rep(c(1, 0), length(n)), weight = weight, offset = NULL, arm = NULL, device = cbind(c(1, 0, 0, 1, 1)), link = "logit",
               unknown = NULL)
  model <- regress_model(take_rows(data, weight > 0), prior)
  eta <- ifelse(yes == 0, -300, ifelse(yes == n, 300, qlogis(yes / n)))
  limits_of(model, coordinates(model, c(eta[1], eta[-1] - eta[1])))
}

test_that("limits of groups: infinite where all say the same, undetermined where two infinities meet, with the variances of the others", {
  logit <- function(yes, n) log(yes / (n - yes))
  variance <- function(yes, n) 1 / yes + 1 / (n - yes)
  limits <- group_limits(c(16, 12, 0, 6), c(40, 12, 8, 20))
  expect_equal(limits$coefficients, c(logit(16, 40), Inf, -Inf, logit(6, 20) - logit(16, 40)), tolerance = 1e-8)
  expect_identical(limits$infinite, c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(limits$point[c(1, 4)], limits$coefficients[c(1, 4)])
  a <- variance(16, 40)
  expected <- matrix(NA_real_, 4, 4)
  expected[c(1, 4), c(1, 4)] <- rbind(c(a, -a), c(-a, a + variance(6, 20)))
  for (kind in c("observed", "expected")) expect_equal(unname(limits[[kind]]), expected, tolerance = 1e-6)
  # The difference of the first and the last group does not depend on the infinite ones.
  expect_equal(drop(c(1, 0, 0, 1) %*% limits$contrast_vcov %*% c(1, 0, 0, 1)), variance(6, 20), tolerance = 1e-6)
  expect_equal(dim(limits$flat), c(4L, 2L))
  expect_equal(unname(limits$flat[c(1, 4), ]), matrix(0, 2, 2), tolerance = 1e-8)
  # The first group is at infinity: so are all differences from it, and those of two infinities are not determined.
  limits <- group_limits(c(40, 3, 8, 0), c(40, 12, 8, 20))
  expect_identical(limits$coefficients, c(Inf, -Inf, NA, -Inf))
  expect_true(all(is.na(limits$observed)))
  # A prior of the differences: none of them is infinite.
  expect_identical(group_limits(c(16, 12), c(40, 12), diag(2))$infinite, c(FALSE, FALSE))
  # A prior that is worth as much as the answers halves the variances of 16 of 40 and 6 of 20.
  information <- rbind(c(9.6 + 4.2, 4.2), c(4.2, 4.2))
  limits <- group_limits(c(16, 6), c(40, 20), information)
  expect_identical(limits$infinite, c(FALSE, FALSE))
  expect_equal(unname(limits$observed), solve(information) / 2, tolerance = 1e-8)
})

test_that("predictors of new rows: finite, infinite where the rows say so, else NA", {
  d <- data.frame(g = rep(c("a", "b", "c"), c(40, 12, 8)), y = c(rep(1:0, c(16, 24)), rep(1, 12), rep(0, 8)), o = 0.3, w = c(rep(1, 59), 2))
  fit <- suppressWarnings(suppressMessages(rr_glm(y ~ g + offset(o), d, rr_binary(1, 0), weights = w)))
  x <- rbind(c(1, 0, 0), c(1, 1, 0), c(1, 0, 1), c(1, 0.5, 0), c(1, 1, 1), c(1, 2, -1), c(1, 0, 0), c(0, 0, -2))
  expect_equal(limit_predictor(fit, x, rep(c(0.3, 0), c(6, 2))),
               c(qlogis(0.4), Inf, -Inf, Inf, NA, Inf, qlogis(0.4) - 0.3, Inf), tolerance = 1e-8)
  expect_equal(limit_predictor(fit, x[c(1, 7), ]), rep(qlogis(0.4) - 0.3, 2), tolerance = 1e-8)
  # Rows that are alike, and one alone.
  expect_identical(limit_predictor(fit, x[c(2, 2, 3, 2, 3), ]), c(Inf, Inf, -Inf, Inf, -Inf))
  expect_identical(limit_predictor(fit, x[3, , drop = FALSE]), -Inf)
  # One coefficient that is infinite, beside another or alone.
  two <- suppressWarnings(suppressMessages(rr_glm(y ~ g, d[d$g != "c", ], rr_binary(1, 0))))
  expect_equal(limit_predictor(two, x[c(1, 2), 1:2]), c(qlogis(0.4), Inf), tolerance = 1e-8)
  expect_identical(limit_predictor(two, x[2, 1:2, drop = FALSE]), Inf)
  alone <- suppressWarnings(suppressMessages(rr_glm(y ~ 1, d[d$g == "b", ], rr_binary(1, 0))))
  expect_identical(limit_predictor(alone, cbind(c(1, -2, 0))), c(Inf, -Inf, 0))
  # Without infinite coefficients the predictor is that of the coefficients.
  finite <- rr_glm(y ~ g, transform(d, y = rep(0:1, 30)), rr_binary(1, 0))
  expect_equal(limit_predictor(finite, x, 1:8), drop(x %*% coef(finite)) + 1:8, tolerance = 1e-8)
})

test_that("linear predictors of groups whose answers are all alike are infinite, with the sign of their answers", {
  answers <- list(a = c(1, 0, 0), b = c(1, 1), c = c(0, 0), d = c(1, 1, 1), e = 0, f = 1)
  d <- data.frame(g = rep(names(answers), lengths(answers)), y = unlist(answers))
  fit <- suppressWarnings(suppressMessages(rr_glm(y ~ g, d, rr_binary(1, 0))))
  expected <- c(a = qlogis(1 / 3), b = Inf, c = -Inf, d = Inf, e = -Inf, f = Inf)
  expect_equal(unname(fit$linear.predictors), unname(expected[d$g]), tolerance = 1e-8)
  expect_identical(unname(coef(fit)[-1]), unname(expected[-1]))
})

test_that("a maximum is described by the likelihood of its limit: an infinite coefficient, a column that others make, an unknown number", {
  # Answers about the question with p, else about the other question, of whose answers pi are yes. In group b all truths are yes.
  p <- c(0.75, 0.35, 0.75, 0.35)
  unknown <- function(y) {
    d <- data.frame(g = c("a", "a", "b", "b"), arm = c("one", "two"), y = y, n = c(200, 150, 100, 180))
    d$twice <- 2 * (d$g == "b")
    quietly(suppressWarnings(suppressMessages(
      rr_glm(cbind(y, n - y) ~ g + twice, d, list(one = rr_unrelated(0.75, pi = NULL), two = rr_unrelated(0.35, pi = NULL)), arm = arm)
    )))
  }
  counts <- cbind(yes = c(75, 74, 94, 142), no = c(125, 76, 6, 38))
  fit <- unknown(counts[, "yes"])
  truth <- function(b) c(plogis(b[1]), plogis(b[1]), 1, 1)
  report <- function(b) p * truth(b) + (1 - p) * b[2]
  loglik <- function(b) sum(counts * log(cbind(report(b), 1 - report(b))))
  best <- optim(c(-1, 0.5), function(b) -loglik(c(b[1], plogis(b[2]))), method = "BFGS", control = list(reltol = 1e-15))$par
  best[2] <- plogis(best[2])
  expect_equal(fit$loglik, loglik(best), tolerance = 1e-10)
  expect_equal(unname(c(coef(fit), fit$parameter)), c(best[1], Inf, NA, best[2]), tolerance = 1e-5)
  expect_equal(fit$boundary[c("rows", "truth", "coefficients")], list(rows = 3:4, truth = c(1, 1), coefficients = "gb"))
  observed <- expected <- matrix(NA_real_, 4, 4)
  observed[c(1, 4), c(1, 4)] <- solve(-optimHess(best, loglik, control = list(ndeps = rep(1e-4, 2))))
  slopes <- cbind(p * truth(best) * (1 - truth(best)), 1 - p)
  expected[c(1, 4), c(1, 4)] <- solve(crossprod(slopes, slopes * rowSums(counts) / (report(best) * (1 - report(best)))))
  expect_equal(unname(fit$variance$observed), observed, tolerance = 1e-5)
  expect_equal(unname(fit$variance$expected), expected, tolerance = 1e-5)
  expect_equal(fit$contrast_vcov[1, 1], observed[1, 1], tolerance = 1e-5)
  expect_equal(attr(fit$parameter, "std.error"), sqrt(observed[4, 4]), tolerance = 1e-5)
  expect_identical(is.na(diag(fit$contrast_vcov)), c(FALSE, FALSE, TRUE))
  expect_equal(unname(fit$flat / fit$flat[2, 1]), cbind(c(0, 1, 0)), tolerance = 1e-6)
  expect_identical(unname(fit$linear.predictors), c(rep(fit$point[1], 2), Inf, Inf))
  # More answers are yes than the other question explains: its share is 1, and taken for known.
  counts <- cbind(yes = c(90, 120, 100, 180), no = c(110, 30, 0, 0))
  fit <- unknown(counts[, "yes"])
  loglik <- function(eta) sum((counts * log(cbind(report(c(eta, 1)), 1 - report(c(eta, 1)))))[1:2, ])
  best <- optimize(loglik, c(-9, 9), maximum = TRUE, tol = 1e-10)
  expect_identical(structure(as.vector(fit$parameter), std.error = attr(fit$parameter, "std.error")), structure(1, std.error = NA_real_))
  expect_equal(fit$loglik, best$objective, tolerance = 1e-10)
  expect_equal(unname(coef(fit)), c(best$maximum, Inf, NA), tolerance = 1e-6)
  observed <- replace(matrix(NA_real_, 4, 4), 1, -1 / optimHess(best$maximum, loglik, control = list(ndeps = 1e-4)))
  expect_equal(unname(fit$variance$observed), observed, tolerance = 1e-5)
})
