# Variances and covariances of fits by the multinomial law of the reports, written out.

counts <- c(a = 500, b = 300, c = 200)
grr <- rr_grr(c("a", "b", "c"), 2)
channel <- rr_matrix(grr)

# The covariance of unbiased shares: of the reports, and less that of the truths.
by_hand <- function(counts, target) {
  n <- sum(counts)
  phi <- counts / n
  inverse <- solve(t(channel))
  V <- inverse %*% (diag(phi) - tcrossprod(phi)) %*% t(inverse)
  theta <- drop(inverse %*% phi)
  unname((if (target == "sample") V - (diag(theta) - tcrossprod(theta)) else V) / n)
}

test_that("covariances of both targets, of some estimates, of groups", {
  for (target in c("population", "sample")) {
    fit <- rr_estimate(rr_counts(counts, grr), target = target)
    V <- by_hand(counts, target)
    expect_equal(unname(vcov(fit)), V, tolerance = 1e-3)
    exact <- rr_estimate(rr_counts(counts, grr), target = target, method = "inv")
    n <- sum(counts)
    # Unbiased variances divide by n - 1.
    expect_equal(unname(vcov(exact)), if (target == "population") V * n / (n - 1) else unname(vcov(exact)), tolerance = 1e-10)
    expect_equal(fit_errors(exact, 1, c(3, 1)), unname(sqrt(diag(vcov(exact))))[c(3, 1)], tolerance = 1e-10)
    expect_equal(unname(estimate_covariance(grr, exact, 1, c(3, 1))), unname(vcov(exact))[c(3, 1), c(3, 1)], tolerance = 1e-10)
  }
  both <- rr_estimate(rr_counts(cbind(u = counts, v = c(200, 500, 100)), grr), method = "inv")
  one <- rr_estimate(rr_counts(c(200, 500, 100), grr), method = "inv")
  expect_equal(unname(vcov(both))[4:6, 4:6], unname(vcov(one)), tolerance = 1e-12)
  expect_equal(unname(vcov(both))[1:3, 4:6], matrix(0, 3, 3))
  expect_null(fit_between(both))
  expect_null(fit_between(one))
  expect_equal(fit_errors(both, 2), unname(sqrt(diag(vcov(one)))), tolerance = 1e-12)
})

test_that("bootstrap errors are the standard deviations of the replicates, and their covariance", {
  fit <- withr::with_seed(3, rr_estimate(rr_counts(counts, grr), interval = "bootstrap", replications = 50))
  expect_identical(dim(fit$replicates[[1]]), c(3L, 50L))
  expect_equal(fit_errors(fit, 1, 2), sd(fit$replicates[[1]][2, ]))
  expect_equal(contrast_covariance(fit, 1, c(1, 3)), var(t(fit$replicates[[1]][c(1, 3), ])), ignore_attr = TRUE)
  expect_equal(contrast_covariance(fit, 1, 2), matrix(var(fit$replicates[[1]][2, ])), ignore_attr = TRUE)
})

test_that("variances of functions: exact zeros stay zeros, and more than 2000 have no covariance", {
  fit <- rr_estimate(rr_counts(counts, grr), method = "inv")
  V <- unname(vcov(fit))
  contrasts <- rbind(c(1, 1, 1), c(1, -1, 0), c(0, 0.5, 2))
  found <- contrast_variances(fit, 1, contrasts)
  expect_identical(found$variance[1], 0)
  expect_equal(found$variance[2:3], diag(contrasts %*% V %*% t(contrasts))[2:3], tolerance = 1e-10)
  expect_equal(unname(found$covariance)[2, 3], (contrasts %*% V %*% t(contrasts))[2, 3], tolerance = 1e-10)
  many <- contrasts[rep(2:3, c(1, contrast_limit - 1)), ]
  expect_false(is.null(contrast_variances(fit, 1, many)$covariance))
  more <- contrast_variances(fit, 1, rbind(many, contrasts[2, ]))
  expect_null(more$covariance)
  expect_equal(more$variance[c(1, 2, 2001)], found$variance[c(2, 3, 2)], tolerance = 1e-10)
})

test_that("a hierarchy of one depth has the variances of its oracle's functions, jointly up to 2000", {
  one_depth <- rr_hierarchy(3, 2, fanout = 3, oracle = rr_grr)
  fit <- rr_estimate(rr_counts(c(1000, unname(counts)), one_depth, n = 1000), method = "inv")
  contrasts <- rbind(c(1, 1, 1), c(1, -1, 0), c(0, 0.5, 2), c(0, 0, 1))
  V <- contrasts %*% by_hand(counts, "population") %*% t(contrasts) * 1000 / 999
  found <- contrast_variances(fit, 1, contrasts)
  expect_equal(found, list(variance = diag(V), covariance = V), tolerance = 1e-10)
  expect_identical(found$variance[1], 0)
  many <- contrast_variances(fit, 1, contrasts[rep(1:4, c(1, 1, 1, contrast_limit - 2)), ])
  expect_equal(many$variance[1:4], diag(V), tolerance = 1e-10)
  expect_null(many$covariance)
})

test_that("where the likelihood has many maxima, functions that they share have the binomial variance", {
  alike <- rr_channel(rbind(c(0.8, 0.2), c(0.2, 0.8), c(0.8, 0.2)), levels = c("a", "b", "c"), reports = c("x", "y"))
  fit <- rr_estimate(rr_counts(c(70, 30), alike))
  contrasts <- rbind(c(1, 0, 1), c(1, 0, 0), c(1, 1, 1), c(2, -1, 2))
  found <- contrast_variances(fit, 1, contrasts)
  expect_identical(found$identified, c(TRUE, FALSE, TRUE, TRUE))
  # The share of a and c is (m - 0.2) / 0.6 with the share m of x; the last function is three times that share less 1.
  V <- 0.7 * 0.3 / 100 / 0.6^2
  expect_equal(found$variance[-2], c(V, 0, 9 * V), tolerance = 1e-6)
  expect_identical(found$variance[3], 0)
  expect_equal(found$covariance[1, 4], 3 * V, tolerance = 1e-6)
  expect_false(found$edge)
  # Of 100 reports at most 80 are x: b is held at 0, and c could be all of it.
  expect_true(contrast_variances(suppressWarnings(rr_estimate(rr_counts(c(95, 5), alike))), 1, contrasts)$edge)
})

test_that("a variance of 0 is known only where the reports show fixed truths", {
  shown <- rr_binary(1, 0)
  all_no <- function(target, mechanism) suppressWarnings(suppressMessages(rr_estimate(rr_counts(c(50, 0), mechanism), target = target, method = "inv")))
  expect_identical(c(shows_truths(all_no("sample", shown)), shows_truths(all_no("population", shown)), shows_truths(all_no("sample", rr_binary(0, 1))),
                     shows_truths(all_no("sample", rr_warner(0.8))), shows_truths(all_no("sample", rr_channel(diag(2))))), c(TRUE, FALSE, TRUE, FALSE, TRUE))
  expect_identical(known_errors(all_no("sample", shown), 1, c(0, 0)), c(0, 0))
  expect_identical(known_errors(all_no("population", shown), 1, c(0, 0.2)), c(NA, 0.2))
  # Bits, and a channel of which some reports are certain, do not show every truth.
  some_certain <- rr_channel(rbind(c(0.8, 0.2, 0), c(0, 1, 0), c(0.1, 0.1, 0.8)))
  for (tally in list(rr_counts(c(30, 20, 5), some_certain), rr_counts(c(30, 20, 5), rr_unary(3, p = 0.5, q = 0), n = 110))) {
    expect_false(shows_truths(rr_estimate(tally, target = "sample", method = "inv")))
  }
  # Shares at 0 or 1: biased estimates are held there, one of them suffices.
  one_held <- rr_estimate(rr_counts(c(450, 345, 205), rr_grr(3, 1)))
  expect_identical(unname(at_boundary(one_held, 1)), c(FALSE, FALSE, TRUE))
  expect_true(held_at_boundary(one_held, 1))
  low <- suppressWarnings(rr_estimate(rr_counts(c(no = 850, yes = 150), rr_warner(0.8))))
  expect_identical(unname(at_boundary(low, 1)), c(TRUE, TRUE))
  expect_true(held_at_boundary(low, 1))
  # A design that drew everybody has an error of 0, unless the estimate is held.
  in_design <- function(fit) known_errors(replace(fit, "covariance", list(diag(c(0, 0.04)))), 1, c(0, 0.2))
  expect_identical(in_design(low), c(NA, 0.2))
  expect_identical(in_design(rr_estimate(rr_counts(c(no = 700, yes = 300), rr_warner(0.8)))), c(0, 0.2))
  inside <- rr_estimate(rr_counts(c(no = 700, yes = 300), rr_warner(0.8)))
  expect_identical(unname(at_boundary(inside, 1)), c(FALSE, FALSE))
  expect_false(held_at_boundary(inside, 1))
  unbiased <- suppressWarnings(rr_estimate(rr_counts(c(no = 850, yes = 150), rr_warner(0.8)), method = "inv"))
  expect_false(held_at_boundary(unbiased, 1))
})

test_that("errors of a method of its own: diag(d) - c c', with the reason if they are unknown", {
  spread <- function(diagonal, common, ...) function(theta, evidence, target) list(diagonal = diagonal, common = common, ...)
  fit <- rr_estimate(rr_counts(counts, grr))
  fit$estimator$spread <- spread(c(0.04, 0.09, 0.01), c(0.1, 0.2, 0.2))
  expect_equal(fit_errors(fit, 1), sqrt(c(0.03, 0.05, 0)))
  V <- diag(c(0.04, 0.09, 0.01)) - tcrossprod(c(0.1, 0.2, 0.2))
  diag(V) <- pmax(diag(V), 0)
  expect_equal(estimate_covariance(grr, fit, 1, 1:3), V)
  expect_equal(estimate_covariance(grr, fit, 1, c(3, 1)), V[c(3, 1), c(3, 1)])
  expect_null(errors_unknown(fit))
  fit$estimator$spread <- spread(c(0.04, 0.09, 0.01), c(0.1, 0.2, 0.2), unknown = "a reason")
  expect_identical(errors_unknown(fit), "Standard errors are NA: a reason")
  expect_null(errors_unknown(replace(unclass(fit), "replicates", list(list(1)))))
  # It has the estimates, and what they were made of.
  fit$estimator$spread <- function(theta, evidence, target) list(diagonal = theta^2, common = numeric(evidence$k))
  expect_equal(fit_errors(fit, 1), unname(coef(fit)))
  for (wrong in list(spread(1, 1), spread(1, c(0.1, 0.2, 0.2)), spread(c(0.04, 0.09, 0.01), 1))) {
    fit$estimator$spread <- wrong
    expect_error(method_covariance(fit, 1, group_evidence(fit$tally, 1)), class = "candor_error_argument")
  }
  fit$estimator$spread <- NULL
  expect_null(method_covariance(fit, 1, group_evidence(fit$tally, 1)))
  fit$covariance <- diag(c(0.04, -1e-9, 0.01))
  expect_identical(fit_errors(fit, 1, c(1, 3)), c(0.2, 0.1))
  # The second group's estimates are the fourth to the sixth.
  fit$covariance <- diag((1:6)^2)
  expect_identical(fit_errors(fit, 2, c(3, 1)), c(6, 4))
})

test_that("a validation study adds its effects to the covariance of a design, for totals times their sizes", {
  names <- c("no", "yes")
  measured <- rr_misclassification(table = matrix(c(45, 6, 5, 34), 2, dimnames = list(truth = names, report = names)))
  fit <- rr_estimate(rr_counts(c(600, 400), measured), method = "inv")
  effects <- fit_effects(fit, 1)
  size <- 7
  base <- list(covariance = diag(c(0.2, 0.3)), inversion = list(variance = matrix(c(0.01, 0.01))))
  found <- with_study_error(base, fit, size)
  expect_equal(found$covariance, diag(c(0.2, 0.3)) + tcrossprod(7 * effects), ignore_attr = TRUE)
  expect_equal(found$inversion$field_variance, base$inversion$variance)
  expect_equal(as.vector(found$inversion$variance), 0.01 + rowSums(effects^2), ignore_attr = TRUE, tolerance = 1e-10)
  expect_null(with_study_error(base["covariance"], fit, size)$inversion)
  expect_equal(fit_effects(fit, 1, 2), effects[2, , drop = FALSE])
  # A method with errors of its own does not say how it moves with the study.
  fit$estimator$spread <- function(...) NULL
  expect_identical(with_study_error(base, fit, size)$covariance, matrix(NA_real_, 2, 2))
  plain <- rr_estimate(rr_counts(c(600, 400), rr_warner(0.9)), method = "inv")
  expect_identical(with_study_error(base, plain, size), base)
  expect_null(fit_effects(plain, 1))
})

test_that("what groups share moves with the map of each: the covariance times both maps, unknown without a map", {
  fit <- rr_estimate(rr_counts(cbind(u = counts, v = c(200, 500, 100)), grr))
  B <- crossprod(matrix(c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8), 6))
  J <- list(matrix(c(1, 0, 2, 0, 1, 1, 3, 0, 1), 3), matrix(c(2, 1, 0, 0, 1, 0, 1, 0, 4), 3))
  between <- function(fit, maps) {
    with_calls(fit_between, law_group_covariance = function(...) B, fit_map = function(fit, g, evidence) maps[[g]])(fit)
  }
  whole <- rbind(cbind(J[[1]], matrix(0, 3, 3)), cbind(matrix(0, 3, 3), J[[2]]))
  expect_equal(between(fit, lapply(J, function(J) list(jacobian = J))), whole %*% B %*% t(whole))
  unknown <- between(fit, list(list(jacobian = J[[1]]), NULL))
  expect_equal(unknown[1:3, 1:3], J[[1]] %*% B[1:3, 1:3] %*% t(J[[1]]))
  expect_true(all(is.na(unknown[4:6, ])) && all(is.na(unknown[, 4:6])))
  fit$estimator$unbiased <- TRUE
  expect_identical(between(fit, NULL), B)
})

test_that("functions of a hierarchy's shares of which some are cut to 0 have the variance of those that are kept", {
  h <- rr_hierarchy(8, 2, fanout = 2)
  set.seed(3)
  tally <- rr_tally(rr_perturb(sample(8, 3000, TRUE, prob = 8:1), h, rng = "R"), h)
  cut <- suppressMessages(suppressWarnings(rr_estimate(tally, method = "base_cut")))
  w <- c(1, -1, 0, 0, 0, 0, 0, 2)
  kept <- w * (coef(cut) > 0)
  expect_false(identical(kept, w))
  V <- vcov(rr_estimate(tally, method = "inv"))
  found <- suppressWarnings(rr_contrast(cut, w))
  expect_equal(as.data.frame(found)$std.error, sqrt(drop(kept %*% V %*% kept)))
})

test_that("the variance of a multiple of a function is its square times that of the function, and the sum of all shares has none", {
  contrasts <- rbind(c(1, 1, 1), c(1, -1, 0), c(0, 0.5, 2))
  alike <- rr_channel(rbind(c(0.8, 0.2), c(0.2, 0.8), c(0.8, 0.2)), levels = c("a", "b", "c"), reports = c("x", "y"))
  uneven <- c(a = 900, b = 60, c = 40)
  sharp <- rr_grr(names(uneven), 5)
  fits <- list(rr_estimate(rr_counts(counts, grr)), rr_estimate(rr_counts(counts, grr), method = "inv"), rr_estimate(rr_counts(uneven, sharp)),
               rr_estimate(rr_counts(uneven, sharp), target = "sample"))
  expect_multiples <- function(variances, contrasts, tolerance = 1e-9) {
    whole <- variances(contrasts)$variance
    expect_identical(whole[1], 0)
    expect_true(all(whole[-1] > 0))
    for (size in list(1e-7, 1e5, c(1e5, 1e-7, 1))) expect_equal(variances(size * contrasts)$variance / size^2, whole, tolerance = tolerance)
  }
  for (fit in fits) expect_multiples(function(contrasts) contrast_variances(fit, 1, contrasts), contrasts)
  # A billion times the reports have a billionth of the variances.
  for (method in c("mle", "inv")) {
    variances <- function(size) contrast_variances(rr_estimate(rr_counts(size * counts, grr), method = method), 1, contrasts)$variance
    expect_equal((variances(1e9) / variances(1))[-1] * 1e9, c(1, 1), tolerance = 2e-3)
  }
  # The maximum shares the functions of a and c together alone.
  many <- rr_estimate(rr_counts(c(70, 30), alike))
  expect_multiples(function(contrasts) contrast_variances(many, 1, contrasts), rbind(c(1, 1, 1), c(1, 0, 1), c(2, -1, 2)))
  # The covariance of many cells is never made: each function is solved for, and has the same variance.
  joint <- rr_estimate(rr_counts(c(300, 220, 270, 210), rr_product(a = rr_warner(0.8), b = rr_warner(0.9))))
  solved <- function(contrasts) with_calls(contrast_variances, needs_functions = function(g, fit) TRUE)(joint, 1, contrasts)
  contrasts <- rbind(1, c(1, 1, 0, 0), c(0, 0.5, 2, -1))
  expect_equal(solved(contrasts), contrast_variances(joint, 1, contrasts), tolerance = 1e-7, ignore_attr = TRUE)
  expect_multiples(solved, contrasts, 1e-7)
  unknown <- with_calls(contrast_variances, needs_functions = function(g, fit) TRUE, fit_map = function(...) NULL)(joint, 1, contrasts)
  expect_identical(unknown, list(variance = rep(NA_real_, 3), covariance = matrix(NA_real_, 3, 3)))
})

test_that("more than 1000 shares above 0 of a maximum by information have no matrix of covariances; a method without a map has unknown ones", {
  questions <- do.call(rr_product, setNames(rep(list(rr_warner(0.8)), 10), letters[1:10]))
  needs <- function(positive, mechanism = questions, likelihood = TRUE, ...) {
    needs_functions(1, list(estimator = list(likelihood = likelihood), mechanism = mechanism, estimate = rep(c(1, 0), c(positive, 1024 - positive)), ...))
  }
  expect_identical(c(needs(1000), needs(1001), needs(1001, rr_grr(1024, 1)), needs(1001, likelihood = NULL), needs(1001, replicates = list())),
                   c(FALSE, TRUE, FALSE, FALSE, FALSE))
  even <- rr_new_method("even", "Even shares", function(evidence, options) rep(1 / 3, 3))
  fit <- rr_estimate(rr_counts(counts, grr), method = even)
  expect_identical(unname(vcov(fit)), matrix(NA_real_, 3, 3))
  expect_identical(unname(vcov(fit, c("a", "c"))), matrix(NA_real_, 2, 2))
  expect_identical(fit_errors(fit, 1, 2), NA_real_)
})

test_that("many maxima count where the likelihood alone decides: of a population, without replicates, with a known channel, up to 1000 cells", {
  cells <- function(...) do.call(rr_product, lapply(list(...), rr_grr, 1))
  shown <- list(method = "mle", target = "population", details = list(list(unique = FALSE)), mechanism = cells(a = 2, b = 3))
  is_many <- function(...) many_maxima(replaced(shown, list(...)), 1)
  expect_true(is_many())
  expect_identical(c(is_many(method = "ibu"), is_many(target = "sample"), is_many(replicates = list(1)), is_many(details = list(list(unique = TRUE))),
                     is_many(mechanism = rr_grr(3, 1)), is_many(details = list(list(unique = NULL)))), logical(6))
  study <- matrix(c(45, 6, 5, 34), 2, dimnames = rep(list(c("no", "yes")), 2))
  expect_false(is_many(mechanism = suppressMessages(rr_misclassification(table = study))))
  expect_identical(c(is_many(mechanism = cells(a = 10, b = 10, c = 10)), is_many(mechanism = cells(a = 7, b = 11, c = 13))), c(TRUE, FALSE))
})
