# The channel law against dense matrices: C with more reports than truths, and a product of two questions.

C <- rbind(c(0.5, 0.2, 0.2, 0.1), c(0.15, 0.45, 0.1, 0.3), c(0.05, 0.15, 0.6, 0.2))
law <- new_law_channel(list(list(matrix = t(C))))
counts <- c(50, 60, 61, 49)
n <- sum(counts)
phi <- counts / n
# Least squares under the constraint of the sum, by its equations with a multiplier.
equations <- solve(rbind(cbind(C %*% t(C), 1), c(1, 1, 1, 0)))
L <- equations[1:3, 1:3] %*% C + equations[1:3, 4]
evidence <- new_evidence(law, counts, n, n, 3)

forced <- list(a = 0.5, b = c(0.1, 0.25, 0.15))
coin <- rbind(c(0.8, 0.2), c(0.3, 0.7))
product <- new_law_channel(list(forced, list(matrix = t(coin))))
C2 <- kronecker(coin, matrix(forced$b, 3, 3, byrow = TRUE) + 0.5 * diag(3))

test_that("estimate, covariances and linear functions are those of L", {
  theta <- drop(L %*% phi)
  expect_equal(t(left_inverse(law$axes[[1]])$matrix), L)
  expect_equal(law_unbiased(law, evidence), theta)
  second <- L %*% diag(phi) %*% t(L)
  population <- second - tcrossprod(theta)
  cells <- c(3L, 1L)
  expect_equal(term_products(law, evidence, cells), second[cells, cells])
  expect_equal(term_squares(law, evidence, cells), diag(second)[cells])
  J <- rbind(c(1, 2, 0), c(0.5, -1, 3))
  on <- c(TRUE, FALSE, TRUE)
  u <- c(0.6, 0, 0.3)
  M <- 1.4 * (diag(3) - outer(u, rep(1, 3))) %*% diag(on * 1)
  square <- rbind(J, c(1, 1, 0))
  for (target in c("population", "sample")) {
    V <- if (target == "sample") (second - diag(theta)) / n else population / n
    unbiased <- if (target == "sample") V else population / (n - 1)
    expect_equal(law_covariance(law, evidence, identity_map(3), cells, target), unbiased[cells, cells])
    expect_equal(law_variances(law, evidence, identity_map(3), cells, target), diag(unbiased)[cells])
    expect_equal(law_covariance(law, evidence, identity_map(3, FALSE), cells, target), V[cells, cells])
    expect_equal(law_functions(law, evidence, J, target), J %*% unbiased %*% t(J))
    expect_equal(law_functions(law, evidence, J, target, variances = TRUE), diag(J %*% unbiased %*% t(J)))
    for (map in list(list(support = on, alpha = 1.4, u = u, unbiased = FALSE), list(jacobian = square, unbiased = FALSE))) {
      move <- map$jacobian %||% M
      expect_equal(law_covariance(law, evidence, map, cells, target), (move %*% V %*% t(move))[cells, cells])
      expect_equal(law_variances(law, evidence, map, 1:3, target), diag(move %*% V %*% t(move)))
    }
    # A projection shifts what is left above 0: alpha of 1, and a u of 0 elsewhere.
    shift <- (diag(3) - outer(c(0.5, 0, 0.5), rep(1, 3))) %*% diag(on * 1)
    projected <- list(support = on, alpha = 1, u = c(0.5, 0, 0.5), unbiased = FALSE)
    expect_equal(law_covariance(law, evidence, projected, 1:3, target), shift %*% V %*% t(shift))
    cut <- list(support = on, alpha = 1, u = numeric(3), unbiased = FALSE)
    expect_equal(law_covariance(law, evidence, cut, 1:3, target), V * outer(on, on))
    expect_equal(law_variances(law, evidence, cut, 1:3, target), diag(V) * on)
  }
  # Terms of functions, by report.
  terms <- t(J %*% L)
  expect_equal(functions_by_terms(law, evidence, J, terms, "population", FALSE), J %*% population %*% t(J) / (n - 1))
  expect_equal(functions_by_terms(law, evidence, J, terms, "population", TRUE), diag(J %*% population %*% t(J)) / (n - 1))
  expect_equal(functions_by_terms(law, evidence, J, terms, "sample", FALSE), J %*% (second - diag(theta)) %*% t(J) / n)
  expect_equal(functions_by_terms(law, evidence, J, terms, "sample", TRUE), diag(J %*% (second - diag(theta)) %*% t(J)) / n)
})

test_that("moments of terms: given each truth, of an empty category, and of a cell against the others", {
  w <- c(2, -1, 0.5)
  expect_equal(law_second_moments(law, 3, w), drop(C %*% drop(w %*% L)^2))
  expect_null(law_second_moments(product, 6, 1:6))
  others <- function(i, theta, C, L) {
    theta[i] <- 0
    if (sum(theta) < 1e-8) theta <- replace(rep(1, length(theta)), i, 0)
    sum(L[i, ]^2 * drop(theta %*% C)) / sum(theta)
  }
  theta <- c(0.5, 0.2, 0.3)
  squares <- mean_squares(law$axes, inverse_axes(law), theta)
  expect_equal(squares$second_true, rowSums(L^2 * C))
  expect_equal(squares$second_other, vapply(1:3, others, 0, theta, C, L))
  # The inverse of a square product, question by question.
  L2 <- t(solve(C2))
  shares <- c(0.3, 0.1, 0.05, 0.25, 0.2, 0.1)
  squares <- mean_squares(product$axes, inverse_axes(product), shares)
  expect_equal(squares$second_true, rowSums(L2^2 * C2))
  expect_equal(squares$second_other, vapply(1:6, others, 0, shares, C2, L2))
  # Nothing but one cell: all others count alike.
  squares <- mean_squares(law$axes, inverse_axes(law), c(0, 1, 0))
  expect_equal(squares$second_other[2], mean(drop(C[c(1, 3), ] %*% L[2, ]^2)))
  expect_equal(squares$second_other[c(1, 3)], drop(L[c(1, 3), ]^2 %*% C[2, ]))
  # The projection of an inversion inside is itself.
  expect_true(all(L %*% phi > 0))
  expect_equal(law_null_std_error(law, evidence), sqrt(vapply(1:3, others, 0, drop(L %*% phi), C, L) / n))
})

test_that("intervals of one share, and of two together, are score intervals with these moments", {
  theta <- c(0.5, 0.2, 0.3)
  others <- vapply(1:3, function(i) sum(L[i, ]^2 * drop(replace(theta, i, 0) %*% C)) / (1 - theta[i]), 0)
  expected <- moment_intervals(drop(L %*% phi), rowSums(L^2 * C), others, n, 0.9, "sample")
  expect_equal(law_intervals(law, evidence, theta, "wilson", 0.9, c(3L, 2L), "sample"), lapply(expected, `[`, 3:2))
  # Two of three shares: their terms are sums of rows, whose squares are mixed by the inversion.
  inv <- drop(L %*% phi)
  squares <- drop(C %*% colSums(L[c(1, 3), ])^2)
  expected <- moment_intervals(
    sum(inv[c(1, 3)]), sum(squares[c(1, 3)] * inv[c(1, 3)]) / sum(inv[c(1, 3)]), squares[2], n, 0.9, "population"
  )
  expect_equal(law_share_interval(law, evidence, c(3L, 1L), NULL, "wilson", 0.9, "population"), expected)
  expect_null(law_share_interval(law, evidence, c(3L, 1L), NULL, "wald", 0.9, "population"))
  expect_null(law_share_interval(law, evidence, 3L, NULL, "wilson", 0.9, "population"))
  # Without an inverse there is none.
  flat <- new_law_channel(list(list(matrix = matrix(0.5, 2, 3))))
  expect_null(law_second_moments(flat, 3, 1:3))
  expect_identical(law_intervals(flat, list(counts = c(3, 4), n = 7, k = 3), rep(1 / 3, 3), "wilson", 0.9, 1:2, "sample"),
                   list(low = c(NA_real_, NA_real_), high = c(NA_real_, NA_real_)))
  expect_equal(conditional_shares(c(0.1, 0.3, 0.6), c(TRUE, TRUE, FALSE)), c(0.25, 0.75))
  expect_equal(conditional_shares(c(0.9e-8, 0, 1), c(TRUE, TRUE, FALSE)), c(0.5, 0.5))
  expect_equal(conditional_shares(c(1.1e-8, 0, 1), c(TRUE, TRUE, FALSE)), c(1, 0))
})

test_that("products as operators are their Kronecker products; sizes; what cannot be inverted", {
  x <- c(0.3, 0.1, 0.05, 0.25, 0.2, 0.1)
  expect_equal(law_matrix(product, 6), C2)
  expect_equal(law_expected(product, x), drop(x %*% C2))
  y <- c(1, 3, 2, 5, 4, 7)
  expect_equal(apply_channel(product$axes, y, "adjoint"), drop(C2 %*% y))
  expect_equal(apply_channel(product$axes, y, "square"), drop(C2^2 %*% y))
  expect_equal(law_unbiased(product, list(counts = y, n = 22, k = 6)), drop(solve(t(C2), y / 22)))
  expect_identical(axis_sizes(law$axes), 3L)
  expect_identical(axis_sizes(law$axes, "reports"), 4L)
  expect_identical(axis_sizes(product$axes), 3:2)
  bits <- list(truths = 3, low = 0.2, high = 0.8, bits = as.raw(c(1, 2, 3, 4, 5)))
  bits$bits <- matrix(bits$bits)
  expect_identical(axis_sizes(list(bits)), 3L)
  expect_identical(axis_sizes(list(bits), "reports"), 5L)
  expect_identical(axis_sizes(list(list(truths = 5, blocks = 2, size = 4)), "reports"), 8L)
  expect_null(left_inverse(list(a = 0, b = c(0.4, 0.6))))
  expect_null(left_inverse(list(matrix = matrix(c(0.5, 0.5, 0.2, 0.8, 0.3, 0.7), 2))))
  expect_null(left_inverse(bits))
  expect_null(left_inverse(list(a = 0.5, b = rep(0.5 / 5001, 5001))))
  # The middle truth is a mixture of the others, with more reports than truths too.
  dependent <- rbind(c(0.6, 0.2, 0.1, 0.1), c(0.4, 0.25, 0.2, 0.15), c(0.2, 0.3, 0.3, 0.2))
  expect_null(left_inverse(list(matrix = t(dependent))))
  expect_identical(left_inverse(list(matrix = diag(2), inverse = 2 * diag(2))), list(matrix = 2 * diag(2)))
  expect_true(law_gives(law, "inverse"))
  expect_false(law_gives(new_law_channel(list(list(matrix = t(dependent)))), "inverse"))
  expect_error(law_unbiased(new_law_channel(list(list(matrix = t(dependent)))), evidence), class = "candor_error_law")
  # A question alone is one; its product is none.
  expect_identical(c(law_gives(law, "question"), law_gives(product, "question")), c(TRUE, FALSE))
})

test_that("nothing is learned if all questions say nothing; a report that no truth can give is found", {
  even <- list(matrix = matrix(0.5, 2, 2))
  expect_true(law_tells_nothing(new_law_channel(list(even))))
  expect_true(law_tells_nothing(new_law_channel(list(even, list(a = 0, b = c(0.4, 0.6))))))
  expect_false(law_tells_nothing(new_law_channel(list(even, list(a = 0.1, b = c(0.4, 0.5))))))
  expect_false(law_tells_nothing(new_law_channel(list(list(matrix = cbind(c(0.5, 0.5), c(0.5, 0.5), c(0.5, 0.5) + c(2e-15, -2e-15)))))))
  zero <- new_law_channel(list(list(matrix = rbind(c(0.4, 1), c(0, 0), c(0.6, 0)))))
  expect_equal(law_impossible(zero, c(3, 1, 2)), 2)
  expect_equal(law_impossible(zero, c(3, 0, 2)), 0)
})

test_that("spare reports: more reports than truths without a closed form", {
  expect_true(has_spare_reports(law, 3))
  expect_false(has_spare_reports(new_law_channel(list(list(matrix = diag(2)))), 2))
  expect_false(has_spare_reports(rr_law(rr_grr(3, 1)), 3))
  expect_false(has_spare_reports(rr_law(rr_unary(3, 1)), 3))
  expect_false(has_spare_reports(new_law_internal(law$axes, matrix(2, 3, 4)), 3))
})

test_that("simulated counts of fixed truths have the means and variances of their rows", {
  set.seed(4)
  truth <- c(30, 0, 50)
  x <- law_simulate(law, truth, 3000)
  expect_identical(colSums(x), rep(80, 3000))
  variance <- drop(truth %*% (C * (1 - C)))
  expect_true(all(abs(rowMeans(x) - drop(truth %*% C)) < 4 * sqrt(variance / 3000)))
  expect_true(all(abs(apply(x, 1, var) / variance - 1) < 4 * sqrt(2 / 3000)))
})

test_that("a study adds, for each truth, its share squared times the covariance of its row", {
  V <- rbind(c(12, 5, 3, 2), c(4, 15, 1, 6), c(1, 2, 20, 7))
  shares <- V / rowSums(V)
  D <- rbind(c(1, 0.5, -2, 3), c(0, 1, 1, 2))
  S <- function(x) (diag(shares[x, ]) - tcrossprod(shares[x, ])) / sum(V[x, ])
  expect_equal(tcrossprod(study_effects(V[1, ], D)), D %*% S(1) %*% t(D))
  measured <- new_law_channel(list(list(matrix = t(shares))), V)
  theta <- c(0.5, 0.2, 0.3)
  total <- Reduce(`+`, lapply(1:3, function(x) theta[x]^2 * D %*% S(x) %*% t(D)))
  expect_equal(tcrossprod(validation_effects(measured, theta, D)), total)
  known <- new_law_channel(list(list(matrix = t(shares))))
  L <- t(left_inverse(known$axes[[1]])$matrix)
  inv <- drop(L %*% phi)
  added <- Reduce(`+`, lapply(1:3, function(x) inv[x]^2 * L %*% S(x) %*% t(L)))
  for (target in c("population", "sample")) {
    bare <- law_covariance(known, evidence, identity_map(3), 1:3, target)
    expect_equal(law_covariance(measured, evidence, identity_map(3), 3:1, target), (bare + added)[3:1, 3:1])
    expect_equal(law_variances(measured, evidence, identity_map(3), 2:3, target), diag(bare + added)[2:3])
    expect_equal(law_variances(measured, evidence, identity_map(3), 3L, target), (bare + added)[3, 3])
  }
  # Two more people in each row, spread evenly over the four reports.
  smooth <- (V + 0.5) / (rowSums(V) + 2)
  terms <- c(1, -0.5, 2, 0.3)
  variance <- (drop(smooth %*% terms^2) - drop(smooth %*% terms)^2) / rowSums(V)
  expect_equal(study_variances(measured, theta, cbind(terms, 2 * terms)), sum(theta^2 * variance) * c(1, 4), ignore_attr = TRUE)
  expect_equal(study_variances(known, theta, cbind(terms)), 0)
  # Intervals have it beside the variance of the reports, at the unbiased shares, which are a distribution here.
  added <- function(terms) {
    row_variance <- (drop(smooth %*% terms^2) - drop(smooth %*% terms)^2) / rowSums(V)
    n * sum(inv^2 * row_variance)
  }
  expect_true(all(inv > 0))
  squares <- mean_squares(known$axes, inverse_axes(known), inv)
  study <- apply(L, 1, added)
  expected <- moment_intervals(inv, squares$second_true + study, squares$second_other + study, n, 0.9, "sample")
  expect_equal(law_intervals(measured, evidence, theta, "wilson", 0.9, 1:3, "sample"), expected)
  squares <- drop(shares %*% colSums(L[1:2, ])^2)
  study <- added(colSums(L[1:2, ]))
  expected <- moment_intervals(sum(inv[1:2]), sum(squares[1:2] * inv[1:2]) / sum(inv[1:2]) + study, squares[3] + study, n, 0.9, "sample")
  expect_equal(law_share_interval(measured, evidence, 1:2, NULL, "wilson", 0.9, "sample"), expected)
  # Drawn again: the same people in each row, and the channel of their shares.
  set.seed(2)
  drawn <- draw_validation(measured)
  expect_identical(rowSums(drawn$validation), rowSums(V))
  expect_equal(drawn$axes[[1]]$matrix, t(drawn$validation / rowSums(V)))
  expect_false(identical(drawn$validation, V))
})

test_that("labels within the sample: estimate, covariance and interval by hand", {
  V <- rbind(c(8, 2, 1, 0), c(1, 9, 0, 0), c(1, 1, 6, 4))
  internal <- new_law_internal(law$axes, V)
  counts <- c(40, 50, 30, 20)
  observed <- new_evidence(internal, counts, 140, 140, 3)
  seen <- c(10, 12, 7, 4)
  all <- 173
  phi <- (counts + seen) / all
  P <- V / rep(seen, each = 3)
  theta <- drop(P %*% phi)
  expect_equal(law_unbiased(internal, observed), theta)
  labels <- Reduce(`+`, lapply(1:4, function(y) phi[y]^2 / seen[y] * (diag(P[, y]) - tcrossprod(P[, y]))))
  population <- labels + (P %*% diag(phi) %*% t(P) - tcrossprod(theta)) / all
  sample <- population - (diag(theta) - tcrossprod(theta)) / all
  cells <- c(3L, 1L)
  for (target in c("population", "sample")) {
    V0 <- list(population = population, sample = sample)[[target]]
    expect_equal(unbiased_covariance(internal, observed, cells, target, TRUE), V0[cells, cells])
    expect_equal(unbiased_variances(internal, observed, cells, target, TRUE), diag(V0)[cells])
    expect_equal(unbiased_variances(internal, observed, 2L, target, TRUE), V0[2, 2])
    # The last report's four labels agree: half a label more, spread over three truths.
    share <- c(1, 1, 25) / 27
    variance <- (diag(V0) + phi[4]^2 / 4 * share * (1 - share))[cells]
    people <- theta[cells] * (1 - theta[cells]) / variance
    expect_equal(law_intervals(internal, observed, theta, "wilson", 0.9, cells, target),
                 wilson_interval(theta[cells], people, stats::qnorm(0.95)^2))
  }
  maximum <- law_maximum(internal, observed, list())
  expect_identical(maximum[c("unique", "converged", "gap", "iterations")], list(unique = TRUE, converged = TRUE, gap = 0, iterations = 0))
  expect_null(law_second_moments(internal, 3, 1:3))
  expect_error(law_update(internal, observed, list()), class = "candor_error_law")
})

test_that("a channel by hand is checked: shape, range, rows, reports that nobody gives", {
  refused <- function(C, ...) expect_error(rr_new_law("channel", C, ...), class = "candor_error_argument")
  refused(matrix(1, 1, 1))
  refused(cbind(c(0.5, 0.5)))
  refused(rbind(c(0.5, 0.5)))
  refused(rbind(c(0.5, 0.5), c(1.2, -0.2)))
  refused(rbind(c(0.5, 0.5), c(0.5, 0.5 + 2e-8)))
  refused(rbind(c(0.5, 0.5), c(NA, 1)))
  refused(rbind(c(0.5, 0.5, 0), c(0.1, 0.9, 0)))
  refused(list(rr_new_law("additive", 0.4, 0.2)))
  for (C in list(rbind(c(0.5, 0.5), c(0.5, 0.5 + 0.5e-8)), rbind(c(1, 0), c(0, 1)), data.frame(x = c(0.6, 0.3), y = c(0.4, 0.7)))) {
    expect_equal(colSums(rr_new_law("channel", C)$axes[[1]]$matrix), c(1, 1), tolerance = 1e-15)
  }
  # Rows are truths; a row that is off by roundings alone stays as it is.
  C <- rbind(c(0.1, 0.2, 0.7), c(0.3, 0.3, 0.4))
  expect_identical(rr_new_law("channel", C)$axes[[1]]$matrix, t(C))
  mixed <- rr_new_law("channel", list(rr_new_law("additive", 0.5, c(0.2, 0.3)), C))
  expect_equal(law_matrix(mixed, 4), kronecker(C, rbind(c(0.7, 0.3), c(0.2, 0.8))))
})

test_that("an additive law alone is a channel; sums of rows are those but for roundings", {
  expect_equal(law_matrix(rr_new_law("channel", rr_new_law("additive", 0.5, c(0.2, 0.3))), 2), rbind(c(0.7, 0.3), c(0.2, 0.8)))
  # Three roundings of a sum of three stay, the fourth is taken out.
  near <- function(eps) rbind(c(0.25, 0.25 + eps * .Machine$double.eps, 0.5), c(0.5, 0.25, 0.25))
  expect_identical(check_stochastic(near(3), 1e-8), near(3))
  expect_false(identical(check_stochastic(near(4), 1e-8), near(4)))
  expect_identical(check_stochastic(data.frame(x = c(1, 0), y = 0:1), 0), cbind(x = c(1, 0), y = c(0, 1)))
  expect_refused(check_stochastic(rbind(c(0.5, 0.5)), 0), check_stochastic(cbind(c(1, 1)), 0))
})

test_that("shares among members are theirs by their sum, or alike if that is nothing", {
  expect_equal(conditional_shares(c(0.2, 0.5, 0.3, 0), c(TRUE, FALSE, TRUE, TRUE)), c(0.4, 0.6, 0))
  expect_identical(conditional_shares(c(1e-8, 0, 1), c(TRUE, TRUE, FALSE)), c(1, 0))
  expect_identical(conditional_shares(c(0.9e-8, 0, 1), c(TRUE, TRUE, FALSE)), c(0.5, 0.5))
})
