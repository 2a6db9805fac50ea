# The likelihood of a hierarchy against sums over its reports, one at a time, and their maximum by plain EM.

# P(report | level) of each report, from `chance_of` a report given each node of its depth; a row a report, a column a level.
report_chances <- function(reports, m, chance_of = matrix_chances) {
  t(vapply(seq_len(nrow(reports)), function(i) {
    depth <- as.integer(reports$depth[i])
    node <- (seq_along(m$levels) - 1) %/% m$fanout^(m$height - depth) + 1
    chance_of(m$parts[[depth]], reports$report[i])[node] / m$height
  }, numeric(length(m$levels))))
}

# Hadamard's reports begin with 0.
matrix_chances <- function(part, report) unname(rr_matrix(part))[, report + inherits(part, "rr_hadamard")]

# Unary encoding bit by bit: bytes in hexadecimal, bits lowest first.
unary_chances <- function(part, report) {
  starts <- seq(1, nchar(report), by = 2)
  bits <- as.integer(rawToBits(as.raw(strtoi(substring(report, starts, starts + 1), 16))))[seq_along(part$levels)]
  vapply(seq_along(bits), function(v) {
    one <- ifelse(seq_along(bits) == v, part$p, part$q)
    prod(ifelse(bits == 1, one, 1 - one))
  }, 0)
}

plain_em <- function(rows, steps) {
  theta <- rep(1 / ncol(rows), ncol(rows))
  for (step in seq_len(steps)) theta <- theta * colMeans(rows / drop(rows %*% theta))
  unname(theta)
}

test_that("the maximum and the log-likelihood are those of all reports, one by one", {
  set.seed(1)
  truth <- sample(5, 400, TRUE, c(5, 3, 0, 1, 2))
  for (oracle in list(rr_hadamard, rr_grr)) {
    m <- rr_hierarchy(5, 1.5, fanout = 2, oracle = oracle)
    reports <- rr_perturb(truth, m, rng = "R")
    rows <- report_chances(reports, m)
    fit <- rr_estimate(rr_tally(reports, m), method = "mle", tolerance = 1e-10)
    expect_lte(glance(fit)$gap, 1e-10)
    em <- plain_em(rows, 8000)
    # EM creeps towards the boundary: its likelihood is within what its last steps gain.
    expect_equal(unname(coef(fit)), em, tolerance = 1e-4)
    expect_gte(sum(log(rows %*% coef(fit))), sum(log(rows %*% em)) - 1e-9)
    expect_equal(as.numeric(logLik(fit)), sum(log(rows %*% coef(fit))), tolerance = 1e-12)
    # No distribution near it is likelier, by Lindsay's condition.
    expect_lte(max(colSums(rows / drop(rows %*% coef(fit)))) - 400, 1e-6)
    expect_equal(coef(rr_estimate(rr_tally(reports, m), method = "ibu", iterations = 300)), plain_em(rows, 300), tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("reports that support sets have the likelihood of the sets that were kept", {
  set.seed(2)
  truth <- sample(5, 400, TRUE, c(5, 3, 0, 1, 2))
  m <- rr_hierarchy(5, 1.5, fanout = 2, oracle = rr_unary)
  reports <- rr_perturb(truth, m, rng = "R")
  rows <- report_chances(reports, m, unary_chances)
  tally <- rr_tally(reports, m, keep = "sets")
  fit <- rr_estimate(tally, method = "mle", tolerance = 1e-10)
  expect_lte(max(colSums(rows / drop(rows %*% coef(fit)))) - 400, 1e-6)
  expect_equal(unname(coef(fit)), plain_em(rows, 5000), tolerance = 1e-4)
  # Ratios of likelihoods are those of the reports.
  even <- fit
  even$estimate[] <- 0.2
  expect_equal(as.numeric(logLik(fit)) - as.numeric(logLik(even)), sum(log(rows %*% coef(fit))) - sum(log(rows %*% rep(0.2, 5))), tolerance = 1e-10)
  # Chunks, groups and weights.
  merged <- c(rr_tally(reports[1:150, ], m, keep = "sets"), rr_tally(reports[151:400, ], m, keep = "sets"))
  expect_equal(coef(rr_estimate(merged, method = "mle")), coef(rr_estimate(tally, method = "mle")), tolerance = 1e-6)
  grouped <- rr_estimate(rr_tally(reports, m, by = rep(1:2, 200), keep = "sets"), method = "mle")
  own <- rr_estimate(rr_tally(reports[seq(2, 400, 2), ], m, keep = "sets"), method = "mle")
  expect_equal(unname(grouped$estimate[, 2]), unname(coef(own)), tolerance = 1e-6)
  doubled <- rr_estimate(rr_tally(reports, m, weights = rep(2, 400), keep = "sets"), method = "mle")
  expect_equal(coef(doubled), coef(fit), tolerance = 1e-5)
  expect_equal(vcov(doubled), vcov(fit), tolerance = 1e-3)
})

test_that("all oracles with a likelihood have it, and the trees of one depth are their oracles", {
  set.seed(3)
  truth <- sample(9, 3000, TRUE, 9:1)
  oracles <- list(rr_unary, rr_local_hash, rr_subset, function(levels, epsilon) rr_hadamard(levels, epsilon, one_bit = TRUE),
                  function(levels, epsilon) rr_bloom(levels, epsilon, bits = 12, cohorts = 4), rr_bitflip,
                  function(levels, epsilon) if (levels > 4) rr_unary(levels, epsilon) else rr_grr(levels, epsilon = epsilon))
  for (oracle in oracles) {
    m <- rr_hierarchy(9, 2, fanout = 3, oracle = oracle)
    fit <- rr_estimate(rr_tally(rr_perturb(truth, m, rng = "R"), m, keep = "sets"), method = "mle")
    expect_equal(sum(coef(fit)), 1)
    errors <- tidy(fit)$std.error
    inside <- !is.na(errors)
    expect_true(all(abs(coef(fit) - tabulate(truth, 9) / 3000)[inside] <= 5 * errors[inside]))
    expect_true(is.finite(logLik(fit)))
  }
  for (oracle in list(rr_unary, rr_hadamard)) {
    flat <- rr_hierarchy(4, 1.5, fanout = 4, oracle = oracle)
    plain <- flat$parts[[1]]
    reports <- rr_perturb(sample(4, 500, TRUE, 4:1), flat, rng = "R")
    keep <- if (inherits(plain, "rr_unary")) "sets" else "counts"
    a <- rr_estimate(rr_tally(reports, flat, keep = keep), method = "mle", tolerance = 1e-9)
    b <- rr_estimate(rr_tally(reports$report, plain, keep = keep), method = "mle", tolerance = 1e-9)
    expect_equal(unname(coef(a)), unname(coef(b)), tolerance = 1e-6)
    expect_equal(as.numeric(logLik(a)), as.numeric(logLik(b)), tolerance = 1e-10)
    expect_equal(unname(vcov(a)), unname(vcov(b)), tolerance = 1e-5)
  }
})

test_that("estimates by the likelihood vary as their standard errors say, less than without it, and Wald's intervals cover", {
  skip_on_cran()
  set.seed(4)
  theta <- c(0.35, 0.25, 0.2, 0.12, 0.08)
  m <- rr_hierarchy(5, 3, fanout = 2)
  runs <- 300
  for (target in c("population", "sample")) {
    # The runs are groups of one tally.
    truth <- if (target == "sample") rep(rep(1:5, 1000 * theta), runs) else sample(5, 1000 * runs, TRUE, theta)
    tally <- rr_tally(rr_perturb(truth, m, rng = "R"), m, by = rep(seq_len(runs), each = 1000))
    fit <- rr_estimate(tally, method = "mle", target = target)
    estimate <- matrix(coef(fit), 5)
    error <- matrix(tidy(fit)$std.error, 5)
    expect_false(anyNA(error))
    draws <- rbind(estimate, error^2, abs(estimate - theta) <= 1.96 * error, matrix(coef(rr_estimate(tally)), 5))
    variance <- rowMeans(draws[6:10, ])
    # Nearly unbiased inside: 5 standard errors of the mean; variances of 300 runs are known to 8 in 100, 5 times that.
    expect_lte(max(abs(rowMeans(draws[1:5, ]) - theta) / sqrt(variance / runs)), 5)
    expect_lte(max(abs(apply(draws[1:5, ], 1, var) / variance - 1)), 5 * sqrt(2 / (runs - 1)))
    # 1,500 intervals, five of a fit together, taken for 300.
    expect_gte(mean(draws[11:15, ]), 0.95 - 4 * sqrt(0.05 * 0.95 / runs))
    expect_lt(sum(apply(draws[1:5, ], 1, var)), sum(apply(draws[16:20, ], 1, var)))
  }
})

test_that("what has no likelihood, or too large a one, is refused", {
  set.seed(5)
  bits <- rr_hierarchy(6, 1, fanout = 2, oracle = rr_unary)
  hadamard <- rr_hierarchy(2e4, 1, fanout = 200)
  tally <- rr_tally(rr_perturb(1:1000, hadamard, rng = "R"), hadamard)
  expect_error(rr_estimate(rr_tally(rr_perturb(1:6, bits, rng = "R"), bits), method = "mle"), class = "candor_error_law")
  expect_error(rr_estimate(tally, method = "mle"), class = "candor_error_too_large")
  expect_error(rr_estimate(rr_counts(c(4, 3, 1, 4, 1, 1, 1, 1), rr_hierarchy(4, 1, fanout = 2, oracle = rr_grr), n = 8), method = "mle", interval = "profile"),
               class = "candor_error_law")
  expect_error(rr_tally(rr_perturb(1:6, rr_hierarchy(6, 1, fanout = 2), rng = "R"), rr_hierarchy(6, 1, fanout = 2), keep = "sets"),
               class = "candor_error_argument")
})
