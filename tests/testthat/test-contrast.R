mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
fit <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), mechanism))

test_that("sums, differences and scores follow from the covariance matrix", {
  contrast <- rr_contrast(fit, list(ever = c("men:once", "men:often"), difference = c("men:never" = 1, "women:never" = -1)))
  expect_identical(contrast$term, c("ever", "difference"))
  V <- vcov(fit)
  expect_equal(contrast$estimate[1], unname(1 - coef(fit)["men:never"]))
  # Merging all but one category: the variance is that of the one left out.
  expect_equal(contrast$std.error[1], sqrt(V["men:never", "men:never"]))
  # Groups are independent.
  expect_equal(contrast$std.error[2], sqrt(V["men:never", "men:never"] + V["women:never", "women:never"]))
  expect_equal(contrast$statistic, contrast$estimate / contrast$std.error)
  expect_equal(contrast$conf.high - contrast$conf.low, 2 * stats::qnorm(0.975) * contrast$std.error)
  L <- rbind(c(1, 1, 1, 0, 0, 0), c(0, 1, 2, 0, -1, -2))
  by_matrix <- rr_contrast(fit, L)
  expect_equal(by_matrix$estimate, drop(L %*% coef(fit)))
  expect_equal(by_matrix$std.error, c(0, sqrt(drop(L[2, ] %*% V %*% L[2, ]))), tolerance = 1e-7)
})

test_that("a contrast of a few among very many categories needs no large matrix", {
  large <- rr_estimate(rr_counts(rep(c(30, 2), 5e4), rr_grr(1e5, epsilon = 3)), method = "inv")
  expect_equal(rr_contrast(large, c("1", "2"))$estimate, unname(sum(coef(large)[1:2])))
})

test_that("a contrast of a bootstrapped fit uses its replications", {
  set.seed(1)
  boot <- rr_estimate(rr_counts(c(50, 30, 20), mechanism), interval = "bootstrap", replications = 40)
  expect_equal(rr_contrast(boot, c("once", "often"))$std.error, stats::sd(colSums(boot$replicates[[1]][2:3, ])))
})

test_that("what is no contrast is refused", {
  skip_on_cran()
  expect_snapshot(error = TRUE, rr_contrast(1, 1))
  expect_snapshot(error = TRUE, rr_contrast(fit, "men:seldom"))
  expect_snapshot(error = TRUE, rr_contrast(fit, c(1, -1)))
  expect_snapshot(error = TRUE, rr_contrast(fit, NA))
})

test_that("a selection is neither repeated nor empty", {
  names <- c("men:once", "men:once")
  expect_error(rr_contrast(fit, names), class = "candor_error_level")
  expect_error(rr_contrast(fit, c("men:once" = 1, "men:once" = -1)), class = "candor_error_level")
  expect_error(rr_contrast(fit, matrix(1, 1, 2, dimnames = list(NULL, names))), class = "candor_error_level")
  for (empty in list(character(), numeric(), list(), list(a = character()), matrix(0, 0, 6), matrix(0, 1, 6), NULL,
                     c("men:once" = 0), list("men:once", numeric(6)))) {
    expect_error(rr_contrast(fit, empty), class = "candor_error_argument")
  }
  skip_on_cran()
  expect_snapshot(error = TRUE, rr_contrast(fit, names))
  expect_snapshot(error = TRUE, rr_contrast(fit, list("men:once", "ever {now}" = c("men:once" = 1, "men:once" = -1))))
  expect_snapshot(error = TRUE, rr_contrast(fit, list("men:once", character())))
  expect_snapshot(error = TRUE, rr_contrast(fit, rbind(c(1, 0, 0, -1, 0, 0), 0)))
  expect_snapshot(error = TRUE, rr_contrast(fit, matrix(0, 0, 3)))
})
