test_that("a left inverse takes every row to its unit vector and keeps the sum", {
  set.seed(1)
  for (size in list(c(3, 3), c(3, 7), c(5, 6))) {
    C <- random_channel(size[1], size[2])
    L <- t(left_inverse(list(matrix = t(C)))$matrix)
    expect_equal(L %*% t(C), diag(size[1]))
    expect_equal(colSums(L), rep(1, size[2]))
  }
  expect_null(left_inverse(list(matrix = t(random_channel(4, 3)))))
  expect_null(left_inverse(list(matrix = cbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2)))))
  expect_equal(t(left_inverse(list(a = 0.3, b = rep(0.7 / 3, 3)))$matrix), solve(diag(0.3, 3) + 0.7 / 3), tolerance = 1e-12)
})

test_that("rectangular inversion is least squares under the constraint of the sum", {
  skip_if_not_installed("quadprog")
  set.seed(2)
  C <- random_channel(3, 6)
  counts <- c(10, 20, 5, 30, 12, 9)
  phi <- counts / sum(counts)
  by_quadprog <- quadprog::solve.QP(C %*% t(C), C %*% phi, matrix(1, 3, 1), 1, meq = 1)$solution
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, rr_channel(C)), method = "inv"))), by_quadprog)
})

test_that("covariances of inversion equal the enumeration over all histograms, for both targets", {
  C <- rbind(c(0.6, 0.3, 0.1), c(0.2, 0.2, 0.6))
  channel <- rr_channel(C)
  n <- 3
  reports <- as.matrix(expand.grid(rep(list(1:3), n)))
  counts <- t(apply(reports, 1, tabulate, 3))
  fits <- apply(counts, 1, function(x) {
    inv <- rr_estimate(rr_counts(x, channel), method = "inv")
    c(coef(inv), vcov(inv), vcov(inv, target = "sample"))
  })
  expectation <- function(weights) {
    mean <- drop(fits %*% weights)
    second <- fits[1:2, ] %*% (weights * t(fits[1:2, ]))
    list(estimate = mean[1:2], covariance = second - outer(mean[1:2], mean[1:2]), population = mean[3:6], sample = mean[7:10])
  }
  theta <- c(0.3, 0.7)
  sampled <- expectation(apply(reports, 1, function(y) prod(drop(theta %*% C)[y])))
  expect_equal(unname(sampled$estimate), theta)
  expect_equal(as.vector(sampled$covariance), unname(sampled$population))
  # Truths 1, 2, 2.
  fixed <- expectation(apply(reports, 1, function(y) prod(C[cbind(c(1, 2, 2), y)])))
  expect_equal(unname(fixed$estimate), c(1, 2) / 3)
  expect_equal(as.vector(fixed$covariance), unname(fixed$sample))
})

test_that("the covariance of the maximum is the inverse information, by numerical differentiation", {
  set.seed(3)
  C <- random_channel(3, 5)
  counts <- as.vector(round(2000 * drop(c(0.5, 0.3, 0.2) %*% C)))
  fit <- rr_estimate(rr_counts(counts, rr_channel(C)), tolerance = 1e-10)
  loglik <- function(free) {
    theta <- c(free, 1 - sum(free))
    sum(counts * log(drop(theta %*% C)))
  }
  hessian <- stats::optimHess(unname(coef(fit))[1:2], loglik, control = list(ndeps = c(1e-4, 1e-4)))
  expect_equal(unname(vcov(fit))[1:2, 1:2], unname(solve(-hessian)), tolerance = 1e-4)
  expect_equal(unname(rowSums(vcov(fit))), rep(0, 3), tolerance = 1e-12)
})

test_that("score intervals cover in a rectangular channel", {
  set.seed(4)
  C <- random_channel(3, 5, 0.5)
  channel <- rr_channel(C)
  theta <- c(0.05, 0.35, 0.6)
  counts <- stats::rmultinom(400, 300, drop(theta %*% C))
  covered <- apply(counts, 2, function(x) {
    bounds <- confint(rr_estimate(rr_counts(x, channel)))
    bounds[, 1] <= theta & theta <= bounds[, 2]
  })
  # Nominal 0.95; the standard error of a mean of 400 is 0.011.
  expect_true(all(rowMeans(covered) > 0.915))
})
