# A tally of given sets and times.
golden_sets <- function(input) {
  mechanism <- golden_protocol(input)
  k <- input$K
  sets <- if (is.matrix(input$support_sets)) split(input$support_sets, row(input$support_sets)) else input$support_sets
  member <- t(vapply(sets, function(set) as.integer(seq_len(k) %in% unlist(set)), integer(k)))
  tally <- rr_counts(as.vector(input$times %*% member), mechanism, n = sum(input$times))
  tally$sets <- list(list(bits = .Call(candor:::C_rr_matrix_to_bits, unname(member))$bits, times = as.double(input$times)))
  tally
}

test_that("the own likelihood and its maximum are the golden ones", {
  for (case in golden("ldp_likelihood")) {
    tally <- golden_sets(case$input)
    fit <- rr_estimate(tally, method = "mle", tolerance = 1e-11)
    expect_lte(max(abs(coef(fit) - case$expected$mle)), 1e-6)
    evidence <- candor:::group_evidence(tally, 1)
    at <- candor:::law_loglik(evidence$law, evidence, case$input$at)
    expect_lte(abs(at - case$expected$loglik_at_up_to_constant), 1e-9)
    expect_lte(abs(as.numeric(logLik(fit)) - at - case$expected$loglik_mle_minus_at), 1e-9)
    expect_lte(fit$details[[1]]$gap, 1e-9)
  }
})

test_that("kept sets give the same counts, merge, and are the default's likelihood", {
  set.seed(1)
  x <- sample(6, 2000, TRUE, 6:1)
  for (m in list(rr_unary(6, 1), rr_subset(6, 1, size = 2), rr_local_hash(6, 1), rr_hadamard(6, 1, one_bit = TRUE))) {
    reports <- rr_perturb(x, m, rng = "R")
    tally <- rr_tally(reports, m, keep = "sets")
    expect_identical(tally$counts, rr_tally(reports, m)$counts)
    expect_equal(colSums(.Call(candor:::C_rr_bits_to_matrix, tally$sets[[1]]$bits, 6) * tally$sets[[1]]$times), tally$counts)
    group <- rep(c("a", "b"), 1000)
    grouped <- rr_tally(reports, m, by = group, keep = "sets")
    part <- function(which) rr_tally(if (is.data.frame(reports)) reports[which, ] else reports[which], m, keep = "sets")
    whole <- c(part(1:700), part(701:2000))
    fit <- rr_estimate(tally)
    expect_identical(fit$method, "mle")
    expect_equal(coef(rr_estimate(whole)), coef(fit), tolerance = 1e-5)
    expect_equal(coef(rr_estimate(rr_tally(if (is.data.frame(reports)) reports[group == "a", ] else reports[group == "a"], m, keep = "sets"))),
                 coef(rr_estimate(grouped))[1:6], tolerance = 1e-4, ignore_attr = TRUE)
    # An estimate that is held at 0 has no standard error in the table; vcov() has them all.
    expect_identical(is.na(tidy(fit)$std.error), unname(coef(fit) == 0))
    expect_true(all(diag(vcov(rr_estimate(tally, target = "sample"))) <= diag(vcov(fit)) + 1e-12))
  }
  expect_error(rr_tally(c("1", "2"), rr_grr(2, 1), keep = "sets"), class = "candor_error_argument")
})

test_that("standard errors of the own likelihood are right", {
  set.seed(2)
  m <- rr_unary(3, 1, optimized = FALSE)
  answers <- rep(1:3, c(500, 300, 200))
  fits <- replicate(300, {
    fit <- rr_estimate(rr_tally(rr_perturb(answers, m, rng = "R"), m, keep = "sets"), target = "sample")
    c(coef(fit), tidy(fit)$std.error)
  })
  sd <- apply(fits[1:3, ], 1, sd)
  expect_true(all(abs(sd / rowMeans(fits[4:6, ]) - 1) < 4 / sqrt(600)))
})

test_that("kept sets are no likelihood where the law does not say how much likelier a truth they support is", {
  m <- rr_unary(3, 1)
  law <- candor:::tally_law(rr_tally(rr_perturb(c(1, 2, 3, 3), m), m, keep = "sets"), 1)
  expect_true(candor:::law_gives(law, "likelihood"))
  law <- replace(rr_new_law("support", law$p, law$q), "sets", list(law$sets))
  expect_false(candor:::law_gives(law, "likelihood"))
})

test_that("maximum likelihood of reports keeps their sets itself", {
  truth <- withr::with_seed(3, sample(c("a", "b", "c"), 300, TRUE, c(0.6, 0.3, 0.1)))
  for (mechanism in list(
    rr_unary(c("a", "b", "c"), 2), rr_local_hash(c("a", "b", "c"), 2), rr_subset(c("a", "b", "c", "d"), 1),
    rr_bitflip(c("a", "b", "c"), 2), rr_bloom(c("a", "b", "c"), 4, bits = 16, hashes = 1, cohorts = 2)
  )) {
    reports <- withr::with_seed(4, rr_perturb(truth, mechanism, rng = "R"))
    direct <- rr_estimate(reports, mechanism, method = "mle")
    by_hand <- rr_estimate(rr_tally(reports, mechanism, keep = "sets"), method = "mle")
    expect_identical(coef(direct), coef(by_hand))
    # Counts alone, and methods that need no likelihood, keep none.
    expect_null(rr_estimate(reports, mechanism, method = "inv")$tally$sets)
  }
})

test_that("maximum likelihood of the reports of a hierarchy keeps their sets too", {
  tree <- rr_hierarchy(4, epsilon = 3, oracle = rr_unary)
  truth <- withr::with_seed(5, sample(4, 200, TRUE, c(4, 3, 2, 1)))
  reports <- withr::with_seed(6, rr_perturb(truth, tree, rng = "R"))
  by_hand <- rr_estimate(rr_tally(reports, tree, keep = "sets"), method = "mle")
  expect_identical(coef(rr_estimate(reports, tree, method = "mle")), coef(by_hand))
})

test_that("the mean squares of linear functions, given each truth, are those of all reports of bits", {
  p <- 0.7
  q <- 0.2
  bits <- as.matrix(expand.grid(rep(list(0:1), 4)))
  C <- t(vapply(1:4, function(x) {
    one <- ifelse(1:4 == x, p, q)
    apply(bits, 1, function(r) prod(ifelse(r == 1, one, 1 - one)))
  }, numeric(16)))
  w <- c(2, -1, 0.5, 3)
  expected <- drop(C %*% drop((bits - q) %*% w / (p - q))^2)
  expect_equal(law_second_moments(bits_law(p, q), 4, w), expected)
  # Without pairs they are independent; pairs of a subset are not.
  expect_equal(law_second_moments(new_law_support(p, q), 4, w), expected)
  numbers <- subset_numbers(4, 1.2, 2)
  sets <- utils::combn(4, 2)
  member <- apply(sets, 2, function(s) 1:4 %in% s)
  C <- t(apply(member, 1, function(m) prop.table(ifelse(m, exp(1.2), 1))))
  law <- new_law_support(numbers$p, numbers$q, numbers$both_own, numbers$both_other)
  expect_equal(law_second_moments(law, 4, w), drop(C %*% drop(w %*% (member - numbers$q) / (numbers$p - numbers$q))^2))
  for (unlike in list(new_law_support(c(0.7, 0.6, 0.7, 0.7), q), new_law_support(p, c(0.2, 0.1, 0.2, 0.2)), new_law_support(p, q, rep(0.1, 4)),
                      new_law_support(p, q, NULL, matrix(0.04, 4, 4)), new_law_support(p, q, matrix(0.1, 4, 4)))) {
    expect_null(law_second_moments(unlike, 4, w))
  }
  for (unlike in list(new_law_support(c(0.7, 0.6), q), new_law_support(p, c(0.2, 0.1)), new_law_support(p, q, c(0.1, 0.2)))) {
    expect_null(law_second_moments(unlike, 2, 1:2))
  }
})

test_that("supports of unequal probabilities and pairs have the covariance of their definition", {
  # P(v and w | x) in full: x is v, x is w, or neither.
  p <- c(0.7, 0.6, 0.8)
  q <- c(0.2, 0.1, 0.3)
  r1 <- rbind(c(NA, 0.05, 0.22), c(0.13, NA, 0.2), c(0.15, 0.09, NA))
  r2 <- rbind(c(NA, 0.015, 0.05), c(0.015, NA, 0.04), c(0.05, 0.04, NA))
  r1[is.na(r1)] <- r2[is.na(r2)] <- 0
  law <- new_law_support(p, q, r1, r2)
  counts <- c(80, 60, 90)
  evidence <- new_evidence(law, counts, 200, 200, 3)
  phi <- counts / 200
  theta <- (phi - q) / (p - q)
  cells <- c(3L, 1L)
  for (target in c("population", "sample")) {
    V <- matrix(0, 3, 3)
    for (v in 1:3) for (w in 1:3) {
      given <- vapply(1:3, function(x) {
        pair <- if (v == w) (if (x == v) p else q)[v] else if (x == v) r1[v, w] else if (x == w) r1[w, v] else r2[v, w]
        pair - if (target == "sample") (if (x == v) p else q)[v] * (if (x == w) p else q)[w] else 0
      }, 0)
      # Truths add up to 1 but for noise, which is the others' part.
      others <- if (v == w) 1 - theta[v] else 1 - theta[v] - theta[w]
      x <- setdiff(1:3, c(v, w))[1]
      mean <- if (v == w) theta[v] * given[v] + others * given[x] else theta[v] * given[v] + theta[w] * given[w] + others * given[x]
      V[v, w] <- (mean - if (target == "population") phi[v] * phi[w] else 0) / ((p - q)[v] * (p - q)[w])
    }
    divisor <- if (target == "population") 199 else 200
    expect_equal(unbiased_covariance(law, evidence, cells, target, TRUE), V[cells, cells] / divisor)
    expect_equal(unbiased_variances(law, evidence, cells, target, TRUE), diag(V)[cells] / divisor)
  }
  # Without pairs they are independent.
  alone <- new_law_support(p, q)
  independent <- new_law_support(p, q, outer(p, q), outer(q, q))
  for (target in c("population", "sample")) {
    expect_equal(unbiased_covariance(alone, evidence, cells, target, TRUE), unbiased_covariance(independent, evidence, cells, target, TRUE))
  }
  # One pair probability for each truth.
  each <- new_law_support(0.7, 0.2, c(0.1, 0.12, 0.14), 0.03)
  by_matrix <- new_law_support(0.7, 0.2, matrix(c(0.1, 0.12, 0.14), 3, 3), matrix(0.03, 3, 3))
  for (target in c("population", "sample")) {
    expect_equal(unbiased_covariance(each, evidence, c(3L, 2L), target, FALSE), unbiased_covariance(by_matrix, evidence, c(3L, 2L), target, FALSE))
  }
})

test_that("a support law by hand is checked: sizes, ranges, symmetric pairs", {
  refused <- function(...) expect_error(rr_new_law("support", ...), class = "candor_error_argument")
  refused(p = 1.1, q = 0.2)
  refused(p = c(0.7, 0.6), q = c(0.1, 0.2, 0.3), difference = 0.5)
  refused(p = c(0.7, 0.6, 0.5), q = 0.2, both_other = 0.1 + 0 * diag(2))
  refused(p = 0.7, q = 0.2, both_own = matrix(0.1, 2, 3))
  refused(p = 0.7, q = 0.2, both_other = rbind(c(0, 0.1), c(0.2, 0)))
  refused(p = 0.7, q = 0.2, both_other = c(0.1, 0.2))
  refused(p = 0.7, q = c(0.2, 0.1), difference = c(0.5, 0.5, 0.5))
  refused(p = c(0.7, 0.6), q = 0.2, both_own = c(0.1, 0.1, 0.1))
  refused(p = 0.7, q = -0.1)
  refused(p = 0.7, q = 0.2, both_own = 1.1)
  refused(p = 0.7, q = 0.2, both_other = -0.1)
  expect_no_error(rr_new_law("support", p = 0.7, q = 0.2, both_other = rbind(c(0, 0.1), c(0.1, 0))))
  expect_no_error(rr_new_law("support", p = c(0.7, 0.6), q = 0.2, both_own = c(0.1, 0.2), both_other = 0.1))
  expect_true(law_gives(rr_new_law("support", 0.5, 0.5 - 1.1e-14), "binomial"))
  expect_false(law_gives(rr_new_law("support", 0.5, 0.5 - 0.9e-14), "binomial"))
  expect_false(law_gives(rr_new_law("support", c(0.5, 0.3), c(0.2, 0.3)), "binomial"))
  # A report of a category that no truth supports.
  never <- new_law_support(c(0.5, 0, 0.6), c(0.2, 0, 0))
  expect_identical(law_impossible(never, c(3, 1, 2)), 2L)
  expect_identical(law_impossible(never, c(3, 0, 2)), 0L)
})

test_that("the numbers of a support law are kept without names; bits that are drawn one by one have their odds ratio and pairs", {
  numbers <- list(p = c(0.7, 0.6), q = c(0.2, 0.1), both_own = c(0.15, 0.12), both_other = rbind(c(0, 0.05), c(0.05, 0)), difference = c(0.5, 0.4), odds = 3)
  named <- lapply(numbers[1:3], stats::setNames, c("a", "b"))
  pairs <- matrix(numbers$both_other, 2, dimnames = list(c("a", "b"), c("a", "b")))
  law <- rr_new_law("support", named$p, named$q, named$both_own, pairs, odds = 3, difference = c(a = 0.5, b = 0.4))
  expect_identical(unclass(law)[names(numbers)], numbers)
  expect_identical(law$binomial, list(a = c(0.5, 0.4), b = c(0.2, 0.1), odds = 3))
  # 0.6 x 0.7 / (0.3 x 0.4) = 3.5.
  expect_equal(unclass(bits_law(0.6, 0.3))[names(numbers)], list(p = 0.6, q = 0.3, both_own = 0.18, both_other = 0.09, difference = 0.3, odds = 2.5))
})

test_that("a set is 1 + odds times as likely if it holds the truth, in numbers of at most 1, and counts by effective reports", {
  sets <- list(bits = matrix(as.raw(c(1, 6))), times = c(3, 5))
  channel <- function(odds) {
    law <- replace(new_law_support(0.5, 0.2, odds = odds), "sets", list(sets))
    report_channel(law, new_evidence(law, c(3, 5, 5), 8, 4, 3))
  }
  axis <- function(low, high) list(bits = sets$bits, truths = 3, low = low, high = high)
  for (case in list(list(3, 1 / 4, 1, log(4)), list(-0.5, 1, 0.5, 0), list(Inf, 0, 1, 0))) {
    found <- channel(case[[1]])
    expect_equal(found$law$axes, list(axis(case[[2]], case[[3]])))
    expect_equal(found$logs, rep(case[[4]], 2))
  }
  expect_equal(channel(3)$evidence$counts, c(1.5, 2.5))
})

test_that("rows are over their largest number, and each group has its own sets and its labels by effective reports", {
  rows <- scaled_rows(log(rbind(c(0.2, 0.5), c(0.3, 0.1))), 2)
  expect_equal(rows, list(matrix = rbind(c(0.4, 1), c(1, 1 / 3)), logs = log(c(0.5, 0.3)) + 2))
  tally <- list(n = c(10, 24), effective_n = c(10, 6), labels = list(diag(2), matrix(1:4, 2)))
  expect_equal(tally_law(tally, 2, list(a = 1)), list(a = 1, internal = matrix(1:4 / 4, 2)))
  expect_equal(tally_law(list(sets = list(1, 2)), 2, list(a = 1)), list(a = 1, sets = 2))
})

test_that("kept sets are the different ones, and how often each was given, in weights and groups", {
  bits <- .Call(C_rr_matrix_to_bits, rbind(c(1L, 0L), c(0L, 1L), c(1L, 0L), c(1L, 1L), c(0L, 1L)))$bits
  kept <- keep_sets(bits, c(1, 2, 1, 2, 2), c(1, 2, 3, 4, 5), 2)
  expect_identical(lapply(kept, `[[`, "times"), list(4, c(7, 4)))
  expect_identical(kept[[2]]$bits, bits[c(2, 4), , drop = FALSE])
  expect_identical(keep_sets(bits, NULL, NULL, 1)[[1]]$times, c(2, 2, 1))
  merged <- merge_sets(list(kept[[1]], kept[[2]], list(bits = bits[2, , drop = FALSE], times = 10)))
  expect_identical(merged$times, c(4, 17, 4))
  # 2^31 bits fit, one more report does not.
  expect_no_error(check_sets_size(2^21, 2^10))
  expect_error(check_sets_size(2^21 + 1, 2^10), class = "candor_error_too_large")
  expect_no_error(check_rows_size(2.5e8, 1))
  expect_error(check_rows_size(2.5e8 + 1, 1), class = "candor_error_too_large")
  expect_error(check_rows_size(2.5e4 + 1, 1e4), class = "candor_error_too_large")
})

test_that("shared hash functions add their collisions to variances, covariances and limits", {
  p <- 0.7
  q <- 0.3
  law <- new_rr_law("sketch_candidates", "", p = p, q = q, both_own = 0.22, both_other = 0.1, difference = p - q, functions = 5, width = 9)
  bare <- new_law_support(p, q, 0.22, 0.1)
  counts <- c(80, 60, 100)
  evidence <- new_evidence(law, c(counts, 0.2 * 200), 200, 200, 3)
  plain <- new_evidence(bare, counts, 200, 200, 3)
  theta <- (counts / 200 - q) / (p - q)
  inside <- pmax(theta, 0)
  collisions <- list(population = (1 - 1 / 200) * (0.2 - inside^2) / 40, sample = (0.2 - inside^2 - (1 - inside) / 200) / 40)
  collisions <- lapply(collisions, pmax, 0)
  expect_equal(law_unbiased(law, evidence), theta)
  for (target in c("population", "sample")) {
    expect_equal(unbiased_variances(law, evidence, c(3L, 1L), target, TRUE), unbiased_variances(bare, plain, c(3L, 1L), target,
      TRUE) + collisions[[target]][c(3, 1)])
    V <- unbiased_covariance(bare, plain, 1:3, target, TRUE) + tcrossprod(inside) / 40
    diag(V) <- unbiased_variances(bare, plain, 1:3, target, TRUE) + collisions[[target]]
    expect_equal(unbiased_covariance(law, evidence, c(3L, 1L), target, TRUE), V[c(3, 1), c(3, 1)])
    others <- q * (1 - q) / 0.16 + 200 * collisions[[target]]
    expect_equal(law_intervals(law, evidence, NULL, "wilson", 0.9, 2:3, target), moment_intervals(theta[2:3], (others + (1 - 2 * q) / 0.4)[2:3],
      others[2:3], 200, 0.9, target))
  }
  expect_equal(law_null_std_error(law, evidence), sqrt(q * (1 - q) / 200 / 0.16 + 0.2 / 40))
})
