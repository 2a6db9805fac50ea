# k-ary randomized response: P(report = truth) is e^epsilon times the probability of any other report.

test_that("p, q, their difference and odds follow from epsilon, or from p, with the sign of p - q", {
  for (k in c(2, 5)) for (epsilon in c(0.3, 2)) {
    numbers <- grr_numbers(k, epsilon)
    p <- exp(epsilon) / (exp(epsilon) + k - 1)
    q <- 1 / (exp(epsilon) + k - 1)
    expect_equal(numbers, list(p = p, q = q, p_minus_q = p - q, odds = p / q - 1, epsilon = epsilon))
    expect_equal(grr_numbers(k, p = p), numbers)
  }
  low <- grr_numbers(4, p = 0.1)
  expect_equal(low, list(p = 0.1, q = 0.3, p_minus_q = -0.2, odds = -2 / 3, epsilon = -log(3)))
  expect_equal(rr_epsilon(rr_grr(4, p = 0.1))[[1]], log(3))
  # 1 / k is no information, also where 49 (1 / 49) misses 1 by a rounding.
  expect_identical(grr_numbers(49, p = 1 / 49)[c("p_minus_q", "epsilon")], list(p_minus_q = 0, epsilon = 0))
  expect_gt(grr_numbers(49, p = 1 / 49 + 1e-14)$epsilon, 0)
  expect_equal(rr_matrix(rr_grr(3, p = 0.5)), 0.25 * diag(3) + 0.25, ignore_attr = TRUE)
  expect_error(rr_grr(3), class = "candor_error_argument")
  expect_error(rr_grr(3, epsilon = 1, p = 0.5), class = "candor_error_argument")
})

test_that("sensitive categories alone are forced: others never appear unless they are true", {
  m <- rr_grr(c("a", "b", "c", "d"), epsilon = 1.2, sensitive = c("b", "d"))
  C <- rr_matrix(m)
  f <- 1 / (2 + expm1(1.2))
  expect_equal(C, (1 - 2 * f) * diag(4) + matrix(c(0, f, 0, f), 4, 4, byrow = TRUE), ignore_attr = TRUE)
  expect_equal(log(C[2, 2] / C[1, 2]), 1.2)
  expect_identical(rr_matrix(rr_grr(3, epsilon = 1.2, sensitive = 1:3)), rr_matrix(rr_grr(3, epsilon = 1.2)))
  expect_error(rr_grr(3, p = 0.5, sensitive = 1), class = "candor_error_argument")
})
