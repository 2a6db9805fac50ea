# The additive law P(y | x) = b[y] + a 1{x = y}, each function against its matrix C, which is written out here, and
# the left inverse L = (I - b 1') / a: unequal b, unequal counts, and maps that are no identity.

a <- 0.4
b <- c(0.08, 0.21, 0.17, 0.14)
law <- new_law_additive(a, b)
C <- matrix(b, 4, 4, byrow = TRUE) + a * diag(4)
L <- (diag(4) - b) / a
counts <- c(31, 58, 22, 29)
n <- 140
phi <- counts / n
evidence <- new_evidence(law, counts, n, n, 4)

test_that("its matrix, expected shares, estimate and second moments are those of C", {
  expect_equal(law_matrix(law, 4), C)
  expect_equal(law_matrix(new_law_additive(-0.2, 0.3), 4), matrix(0.3, 4, 4) - 0.2 * diag(4))
  theta <- c(0.4, 0.3, 0.2, 0.1)
  expect_equal(law_expected(law, theta), drop(theta %*% C))
  expect_equal(law_expected(law, 5 * theta), drop(5 * theta %*% C))
  expect_equal(law_unbiased(law, evidence), drop(L %*% phi))
  w <- c(2, -1, 0.5, 3)
  expect_equal(law_second_moments(law, 4, w), drop(C %*% drop(w %*% L)^2))
  expect_equal(law_second_moments(new_law_additive(0.2, 0.2), 4, w), drop((0.2 + 0.2 * diag(4)) %*% drop(w %*% ((diag(4) - 0.2) / 0.2))^2))
  # One axis: the matrix of two answers, else a and b for each.
  expect_equal(law_axes(new_law_additive(0.5, c(0.2, 0.3)), 2), list(list(matrix = rbind(c(0.7, 0.2), c(0.3, 0.8)))))
  expect_identical(law_axes(new_law_additive(0.4, 0.2), 3), list(list(a = 0.4, b = c(0.2, 0.2, 0.2))))
})

test_that("the covariance under each map is the map times L diag(phi) L', less products or truths", {
  theta <- drop(L %*% phi)
  second <- L %*% diag(phi) %*% t(L)
  population <- second - tcrossprod(theta)
  on <- c(TRUE, FALSE, TRUE, TRUE)
  u <- c(0.5, 0, 0.2, 0.3)
  M <- 1.7 * (diag(4) - outer(u, rep(1, 4))) %*% diag(on * 1)
  J <- matrix(c(1, 2, 0, -1, 0.5, 1, 3, 0, 1, 1, 1, 2, 0, 0, 4, 1), 4)
  cells <- c(4L, 1L, 2L)
  expect_map <- function(map, move, target, divisor) {
    V <- move %*% (if (target == "sample") second - diag(theta) else population) %*% t(move) / divisor
    expect_equal(law_covariance(law, evidence, map, cells, target), V[cells, cells])
    expect_equal(law_variances(law, evidence, map, cells, target), diag(V)[cells])
  }
  expect_map(identity_map(4), diag(4), "population", n - 1)
  expect_map(identity_map(4, FALSE), diag(4), "population", n)
  expect_map(identity_map(4), diag(4), "sample", n)
  for (target in c("population", "sample")) {
    expect_map(list(support = on, alpha = 1.7, u = u, unbiased = FALSE), M, target, n)
    expect_map(list(jacobian = J, unbiased = FALSE), J, target, n)
  }
  # All weights of linear functions, with and without their covariances.
  V <- J %*% population %*% t(J) / (n - 1)
  expect_equal(law_functions(law, evidence, J, "population"), V)
  expect_equal(law_functions(law, evidence, J, "population", TRUE), diag(V))
})

test_that("a variance that is exactly 0 is no rounding", {
  sure <- new_law_additive(1, 0)
  truths <- new_evidence(sure, c(3, 0, 7), 10, 10, 3)
  expect_identical(law_variances(sure, truths, identity_map(3), 1:3, "sample"), numeric(3))
  expect_equal(law_variances(sure, truths, identity_map(3), 1:3, "population"), c(0.21, 0, 0.21) / 9)
  # One category in all reports: its rescaled share is 1, whatever happens.
  one <- new_evidence(law, c(140, 0, 0, 0), n, n, 4)
  map <- list(support = c(TRUE, FALSE, FALSE, FALSE), alpha = 3, u = c(1, 0, 0, 0), unbiased = FALSE)
  for (target in c("population", "sample")) {
    expect_identical(law_variances(law, one, map, 1:4, target), numeric(4))
    expect_identical(law_covariance(law, one, map, 1:4, target), matrix(0, 4, 4))
  }
})

test_that("a share of 1 but for a rounding has no variance, and a small variance is one", {
  almost <- new_evidence(law, c(1 - 2^-53, 0, 0, 0), 1, 1, 4)
  map <- identity_map(4, FALSE)
  expect_identical(law_variances(law, almost, map, 1, "population"), 0)
  expect_identical(law_covariance(law, almost, map, 1, "population"), matrix(0))
  many <- new_evidence(law, 1e9 * phi, 1e9, 1e9, 4)
  expect_equal(law_variances(law, many, map, 1:4, "population"), phi * (1 - phi) / (1e9 * a^2))
})

test_that("the share of two categories has the interval of the binomial count of both, and a share of reports no truth can give is moved", {
  for (one in list(law, new_law_additive(-0.3, c(0.3, 0.5, 0.35, 0.15)))) {
    both_b <- one$b[2] + one$b[4]
    interval <- function(both) {
      evidence <- list(counts = c(40, both - 10, 100 - both, 10), n = 140, k = 4)
      law_share_interval(one, evidence, c(4L, 2L), NULL, "wilson", 0.9, "sample")
    }
    expected <- function(share) binomial_intervals(one$a, both_b, 1 - one$a, share, 140, "wilson", 0.9, "sample")
    expect_equal(interval(80), expected(80 / 140))
    ends <- sort(c(both_b, both_b + one$a))
    expect_equal(interval(15), expected(max(15 / 140, ends[1])))
    expect_equal(interval(139), expected(min(139 / 140, ends[2])))
  }
  expect_equal(law_intervals(law, evidence, NULL, "wilson", 0.9, c(4L, 2L), "sample"),
               binomial_intervals(a, b[c(4, 2)], 1 - a, phi[c(4, 2)], n, "wilson", 0.9, "sample"))
})

test_that("the maximum of equal b says its threshold: the smallest share that is left and the factor of those", {
  alike <- new_law_additive(0.4, 0.15, 8 / 3)
  few <- list(counts = c(60, 50, 10, 5), n = 125, k = 4)
  maximum <- law_maximum(alike, few)
  # Two categories are left: m = c phi with c (60 + 50) / 125 = 1 - 2 x 0.15.
  expect_equal(maximum$c_tau, 0.7 / (110 / 125))
  expect_equal(maximum$tau, 50 / 125)
  expect_equal(maximum$estimate, c((0.7 * 60 / 110 - 0.15) / 0.4, (0.7 * 50 / 110 - 0.15) / 0.4, 0, 0))
  expect_null(law_maximum(new_law_additive(-0.2, 0.3), few)$tau)
  expect_null(law_maximum(law, few)$tau)
})

test_that("the maximum's map is its derivative by the reported shares, on and off the boundary", {
  for (counts in list(c(31, 58, 22, 29), c(60, 50, 5, 25), c(100, 20, 5, 15))) {
    maximum <- function(phi) law_maximum(law, list(counts = 1e4 * phi, n = 1e4, k = 4))$estimate
    phi <- counts / n
    theta <- maximum(phi)
    # Directions that keep the sum of phi; the inversion moves by L times the direction.
    map <- law_likelihood_map(law, list(counts = counts, n = n, k = 4), theta)
    for (j in 2:4) {
      direction <- 1e-6 * replace(replace(numeric(4), j, -1), 1, 1)
      numeric <- (maximum(phi + direction) - maximum(phi - direction)) / 2e-6
      moved <- drop(L %*% direction) / 1e-6 * map$support
      expect_equal(map$alpha * (moved - map$u * sum(moved)), numeric, tolerance = 1e-6)
    }
    expect_identical(map$support, theta > 0)
  }
})

test_that("the rate of the update is the largest eigenvalue of its derivative, from differences", {
  step <- function(C, phi, theta) theta * drop(C %*% (phi / drop(theta %*% C)))
  for (world in list(list(law, C, c(31, 58, 22, 29)), list(law, C, c(70, 50, 2, 18)), list(law, C, c(60, 60, 3, 4)), list(
    new_law_additive(-0.25, c(0.3, 0.5, 0.45)), matrix(c(0.3, 0.5, 0.45), 3, 3, byrow = TRUE) - 0.25 * diag(3), c(20, 42, 38)
  ))) {
    k <- length(world[[3]])
    evidence <- list(counts = world[[3]], n = sum(world[[3]]), k = k)
    phi <- world[[3]] / evidence$n
    theta <- law_maximum(world[[1]], evidence)$estimate
    D <- vapply(seq_len(k), function(j) {
      h <- 1e-7 * (seq_len(k) == j)
      (step(world[[2]], phi, theta + h) - step(world[[2]], phi, pmax(theta - h, 0))) / (1e-7 + min(1e-7, theta[j]))
    }, numeric(k))
    # Moves that keep the sum: the eigenvalue of the sum itself is 0.
    B <- rbind(diag(k - 1), -1)
    rates <- eigen(qr.solve(B, D %*% B))$values
    expect_equal(update_rate(world[[1]], evidence, theta), max(Re(rates)), tolerance = 1e-5)
  }
  # The equation has its root between its two smallest poles, or at their common value; one pole has none.
  e <- c(0.5, 0.1, 0.3)
  w <- c(0.2, 0.05, 0.1)
  root <- smallest_secular_root(e, w)
  expect_true(root > 0.1 && root < 0.3)
  expect_equal(sum(w / (root - e)), 1)
  negative <- smallest_secular_root(e, -w)
  expect_true(negative > 0.1 && negative < 0.3)
  expect_equal(sum(-w / (negative - e)), 1)
  expect_identical(smallest_secular_root(c(0.3, 0.1, 0.1), w), 0.1)
  expect_null(smallest_secular_root(0.3, 0.1))
})

test_that("a law is alike if its other answers are equal; two answers with p < q are read backwards", {
  expect_identical(alike_law(new_law_additive(0.4, 0.2, 2)), list(a = 0.4, b = 0.2, odds = 2, reversed = FALSE))
  # Without odds they are a / b.
  expect_equal(alike_law(new_law_additive(0.4, c(0.2, 0.2, 0.2))), list(a = 0.4, b = 0.2, odds = 2, reversed = FALSE))
  # p = 0.3, q = 0.7: a report of one category is one of the other with a = 0.4, b = 0.3.
  expect_equal(alike_law(new_law_additive(-0.4, 0.7)), list(a = 0.4, b = 0.3, odds = 4 / 3, reversed = TRUE))
  expect_identical(alike_law(new_law_additive(-1, 1)), list(a = 1, b = 0, odds = Inf, reversed = TRUE))
  # A rounding of 1 makes no difference, ten of them do.
  expect_false(is.null(alike_law(new_law_additive(0.4, c(0.3, 0.3 + 4e-16)))))
  expect_null(alike_law(new_law_additive(0.4, c(0.3, 0.3 + 4e-15))))
  expect_null(alike_law(new_law_additive(-0.2, 0.4)))
  expect_null(alike_law(new_law_additive(0, 0.5)))
  expect_null(alike_law(law))
  expect_null(alike_law(rr_law(rr_unary(3, 1))))
  expect_true(law_gives(new_law_additive(0.4, 0.2), "alike"))
  expect_false(law_gives(law, "alike"))
})

test_that("nothing is learned without a difference, and reports that no truth gives are found", {
  expect_false(law_tells_nothing(new_law_additive(1.5e-14, c(0.5, 0.5))))
  expect_true(law_tells_nothing(new_law_additive(0.5e-14, c(0.5, 0.5))))
  expect_true(law_tells_nothing(new_law_additive(0, 0.5)))
  # With its odds a difference may be as small as 1e-100 of a probability.
  expect_false(law_tells_nothing(new_law_additive(1e-20, 0.5)))
  expect_true(law_tells_nothing(new_law_additive(1e-20, 0.5, 1e-101)))
  expect_false(law_tells_nothing(new_law_additive(1e-20, 0.5, 1e-99)))
  expect_false(law_tells_nothing(new_law_additive(1e-20, 0.5, -1e-99)))
  expect_true(law_tells_nothing(new_law_additive(1e-151, 0.5, 1)))
  zero <- new_law_additive(-0.5, c(0.5, 0, 1))
  expect_identical(law_impossible(zero, c(3, 2, 1)), 2L)
  expect_identical(law_impossible(zero, c(3, 0, 1)), 0L)
  expect_identical(law_impossible(new_law_additive(0.5, c(0.5, 0)), c(3, 2)), 0)
  expect_identical(law_impossible(new_law_additive(-0.5, 0), c(3, 2)), 0)
})

test_that("simulated counts have the mean and the variance of fixed truths, whichever way they are drawn", {
  truth <- c(40, 10, 0, 30)
  for (drawn in list(list(law, C), list(new_law_additive(-0.2, 0.3), 0.3 - 0.2 * diag(4)), list(new_law_additive(0.2, 0.2), 0.2 + 0.2 * diag(4)))) {
    set.seed(3)
    x <- law_simulate(drawn[[1]], truth, 3000)
    expect_identical(dim(x), c(4L, 3000L))
    expect_equal(colSums(x), rep(80, 3000))
    variance <- drop(truth %*% (drawn[[2]] * (1 - drawn[[2]])))
    # Four standard errors of a mean and of a variance.
    expect_true(all(abs(rowMeans(x) - drop(truth %*% drawn[[2]])) < 4 * sqrt(variance / 3000)))
    expect_true(all(abs(apply(x, 1, var) / variance - 1) < 4 * sqrt(2 / 3000)))
  }
  expect_identical(law_simulate(new_law_additive(1, 0), c(3, 0, 7), 2), matrix(c(3, 0, 7, 3, 0, 7), 3))
  # More respondents than whole numbers of 32 bits.
  many <- law_simulate(new_law_additive(0.4, 0.3), c(3e9, 1e9), 3)
  expect_equal(colSums(many), rep(4e9, 3))
  expect_true(all(abs(many[1, ] - (0.7 * 3e9 + 0.3 * 1e9)) < 5 * sqrt(4e9 * 0.21)))
})

test_that("a law by hand is checked: its ranges, and a sum of 1", {
  expect_error(rr_new_law("additive", 0.5, c(0.2, 0.2)), class = "candor_error_argument")
  expect_error(rr_new_law("additive", 0.5, c(0.2, 0.3 + 2e-8)), class = "candor_error_argument")
  expect_no_error(rr_new_law("additive", 0.5, c(0.2, 0.3 + 0.5e-8)))
  expect_error(rr_new_law("additive", 1.01, 0), class = "candor_error_argument")
  expect_error(rr_new_law("additive", -1.01, 0.5), class = "candor_error_argument")
  expect_no_error(rr_new_law("additive", -1, 1))
  expect_error(rr_new_law("additive", 0.5, 0.1, odds = -1.5), class = "candor_error_argument")
  # One b for all, of any number of categories, has no sum.
  expect_no_error(rr_new_law("additive", 0.4, 0.2))
  expect_identical(rr_new_law("additive", 0.4, c(x = 0.2, y = 0.4))$odds, NA_real_)
  expect_identical(rr_new_law("additive", 0.4, 0.2)$odds, 2)
})

test_that("groups that are taken together have people of their own, and as many other answers each", {
  # Two groups of three categories: b and the categories of one group.
  for (one in list(new_law_additive(0.4, 0.2), new_law_additive(0.4, c(0.1, 0.3, 0.2)))) {
    counts <- c(30, 50, 20, 70, 60, 70)
    n <- rep(c(100, 200), each = 3)
    phi <- counts / n
    together <- list(counts = counts, n = n, k = 6, categories = 3)
    expect_equal(other_answers(one, together), 0.6)
    cells <- c(5L, 1L, 3L)
    q <- rep_len(one$b, 6)[cells]
    expect_equal(law_variances(one, together, identity_map(6), cells, "population"), (phi * (1 - phi) / (n - 1))[cells] / 0.16)
    # Fixed truths: b (1 - b) + theta a (1 - a - 2 b), with theta a = phi - b.
    expect_equal(law_variances(one, together, identity_map(6), cells, "sample"), (q * (1 - q) + (phi[cells] - q) * (0.6 - 2 * q)) / n[cells] / 0.16)
    expect_equal(law_intervals(one, together, NULL, "wilson", 0.9, cells, "sample"),
                 binomial_intervals(0.4, q, 0.6, phi[cells], n[cells], "wilson", 0.9, "sample"))
  }
})

test_that("the root between the two smallest poles is that of the quadratic or cubic equation", {
  # (r - 0.5) (r - 0.1) = 0.2 (r - 0.1) + 0.3 (r - 0.5), and with weights below 0.
  expect_equal(smallest_secular_root(c(0.5, 0.1), c(0.2, 0.3)), (1.1 - sqrt(1.1^2 - 0.88)) / 2, tolerance = 1e-10)
  expect_equal(smallest_secular_root(c(0.5, 0.1), c(-0.2, -0.3)), 0.4, tolerance = 1e-10)
  e <- c(0.9, 0.1, 0.5)
  w <- c(0.1, 0.2, 0.4)
  product <- function(roots) c(prod(roots), -sum(utils::combn(roots, 2, prod)), sum(roots), -1) * -1
  two <- function(r) c(prod(r), -sum(r), 1, 0)
  roots <- Re(polyroot(product(e) - w[1] * two(e[-1]) - w[2] * two(e[-2]) - w[3] * two(e[-3])))
  expect_equal(smallest_secular_root(e, w), roots[roots > 0.1 & roots < 0.5], tolerance = 1e-8)
  expect_identical(smallest_secular_root(c(0.7, 0.2, 0.2), w), 0.2)
  expect_null(smallest_secular_root(0.3, 0.1))
  # Other answers are alike only if none of them differs, also if one of them is the mean of all.
  expect_null(alike_law(new_law_additive(0.4, c(0.1, 0.2, 0.3))))
  expect_identical(alike_law(new_law_additive(0.4, c(0.2, 0.2, 0.2)))[c("a", "b", "reversed")], list(a = 0.4, b = 0.2, reversed = FALSE))
})
