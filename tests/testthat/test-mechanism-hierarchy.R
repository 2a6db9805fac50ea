tree <- function(truths, fanout, height) list(truths = truths, fanout = fanout, nodes = ceiling(truths / fanout^(height - seq_len(height))))

# Generalized least squares by matrices: levels from the estimates of all nodes, with the sum constraint.
matrix_gls <- function(law, variances) {
  height <- length(law$nodes)
  rows <- do.call(rbind, lapply(seq_len(height), function(l) 1 * outer(seq_len(law$nodes[l]), (seq_len(law$truths) - 1) %/% law$fanout^(height - l) + 1, "==")))
  weight <- rep(1 / variances, law$nodes)
  inverse <- solve(crossprod(rows * sqrt(weight)))
  free <- inverse %*% t(rows * weight)
  direction <- rowSums(inverse) / sum(inverse)
  list(matrix = free - outer(direction, colSums(free)), constant = direction)
}

test_that("consistent levels and their covariances are the golden ones", {
  for (case in golden("ldp_hierarchy")) {
    height <- case$input$height
    law <- tree(case$input$fanout^height, case$input$fanout, height)
    nodes <- lapply(seq_len(height), function(l) as.vector(if (is.list(case$input$nodes)) case$input$nodes[[l]] else case$input$nodes[l, ]))
    expect_golden(candor:::consistent_nodes(law, nodes, rep(1, height))[[height]], case$expected$leaves)
    at <- candor:::node_functions(law, diag(law$truths), rep(1, height))
    expect_golden(Reduce(`+`, lapply(at, tcrossprod)), case$expected$covariance_over_node_variance)
  }
})

test_that("trees with any number of levels and any variances agree with least squares by matrices", {
  set.seed(1)
  for (design in list(c(7, 2, 3), c(10, 3, 3), c(5, 4, 2), c(3, 3, 1), c(17, 4, 3))) {
    law <- tree(design[1], design[2], design[3])
    variances <- runif(design[3], 0.5, 2)
    nodes <- lapply(law$nodes, rnorm)
    gls <- matrix_gls(law, variances)
    fitted <- candor:::consistent_nodes(law, nodes, variances)
    expect_equal(fitted[[design[3]]], as.vector(gls$matrix %*% unlist(nodes)) + gls$constant, tolerance = 1e-10)
    expect_equal(sum(fitted[[design[3]]]), 1)
    at <- candor:::node_functions(law, diag(law$truths), variances)
    expect_equal(do.call(cbind, at), gls$matrix, tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("ranges of a tree have the published mean variances, in units of a node's", {
  # Exact means over all ranges of 64 levels: fanout 2 7.26, 4 6.58, 8 6.79; without a tree but with the sum known 10.8.
  mean_range <- function(k, fanout) {
    height <- round(log(k, fanout))
    law <- tree(k, fanout, height)
    ranges <- do.call(rbind, lapply(seq_len(k), function(from) t(vapply(from:k, function(to) 1 * (seq_len(k) >= from & seq_len(k) <= to), numeric(k)))))
    at <- candor:::node_functions(law, ranges, rep(1, height))
    # Each depth has 1 / height of the respondents.
    height * mean(Reduce(`+`, lapply(at, function(a) rowSums(a^2))))
  }
  expect_equal(mean_range(64, 2), 7.26, tolerance = 1e-3)
  expect_equal(mean_range(64, 4), 6.58, tolerance = 1e-3)
  expect_equal(mean_range(64, 8), 6.79, tolerance = 1e-3)
  expect_equal(mean_range(64, 64), 10.8, tolerance = 1e-2)
})

test_that("epsilon holds for all reports, by enumeration", {
  for (oracle in list(rr_hadamard, rr_grr)) for (k in c(3, 5)) {
    m <- rr_hierarchy(k, 1.2, fanout = 2, oracle = oracle)
    law <- rr_law(m)
    whole <- do.call(cbind, lapply(seq_len(m$height), function(l) rr_matrix(m$parts[[l]])[candor:::node_of(law, l), ] / m$height))
    expect_equal(unname(rowSums(whole)), rep(1, k))
    expect_equal(max(log(apply(whole, 2, max) / apply(whole, 2, min))), 1.2, tolerance = 1e-12)
    expect_equal(rr_epsilon(m), 1.2)
    expect_lte(rr_epsilon(m, achieved = TRUE), 1.2)
  }
})

test_that("reports are drawn as the law says", {
  m <- rr_hierarchy(6, 1, fanout = 2)
  truth <- c(0.3, 0.1, 0, 0.2, 0.4, 0)
  n <- 60000
  tally <- rr_tally(rr_perturb(rep(1:6, truth * n), m), m)
  expected <- candor:::law_expected(rr_law(m), truth)
  # Each count is binomial at most: five standard deviations.
  expect_true(all(abs(tally$counts / n - expected) <= 5 * sqrt(expected * (1 - expected) / n)))
  expect_equal(tally$n, n)
})

# Simulated counts: estimates, of levels, a range and scores, against the truth, and their variances against the mean of the estimated ones.
expect_errors <- function(m, theta, n, replications) {
  k <- length(theta)
  law <- rr_law(m)
  functions <- rbind(diag(k), c(1, 1, rep(0, k - 2)), seq_len(k))
  for (target in c("sample", "population")) {
    truths <- if (target == "sample") matrix(theta * n, k, replications) else rmultinom(replications, n, theta)
    # Surveys are groups of one tally.
    reports <- rr_perturb(rep(rep(seq_len(k), replications), truths), m, rng = "R")
    counts <- rr_tally(reports, m, by = rep(seq_len(replications), each = n))$counts
    evidence <- apply(counts, 2, function(counts) candor:::new_evidence(law, counts, n, n, k, m))
    estimates <- vapply(evidence, function(one) drop(functions %*% one$unbiased()), numeric(nrow(functions)))
    # The mean of the estimated variances is known far better from 40 of them than the variance of all estimates.
    variances <- function(one) candor:::law_functions(law, one, functions, target, variances = TRUE)
    variance <- rowMeans(vapply(evidence[1:40], variances, numeric(nrow(functions))))
    expect_true(all(abs(rowMeans(estimates) - drop(functions %*% theta)) <= 5 * sqrt(variance / replications)), label = paste(target, "means"))
    # Variances of 400 values are known to 7 in 100, so five times that are 35 in 100.
    expect_true(all(abs(apply(estimates, 1, var) / variance - 1) <= 5 * sqrt(2 / (replications - 1))), label = paste(target, "variances"))
  }
}

test_that("estimates are unbiased and vary as their standard errors say, for both targets", {
  skip_on_cran()
  set.seed(11)
  # Large epsilon, so that the difference between the targets is not lost in the noise: half of the variance of some functions.
  expect_errors(rr_hierarchy(6, 4, fanout = 2), c(0.5, 0.2, 0, 0.1, 0.2, 0), 600, 400)
  expect_errors(rr_hierarchy(5, 4, fanout = 3, oracle = rr_unary), c(0.5, 0.2, 0, 0.1, 0.2), 500, 300)
  expect_errors(rr_hierarchy(5, 4, fanout = 3, oracle = rr_grr), c(0.5, 0.2, 0, 0.1, 0.2), 500, 300)
  # From reports, with the sampler: five standard errors of 100 estimates.
  m <- rr_hierarchy(6, 2, fanout = 2)
  truth <- c(300, 100, 0, 100, 80, 20)
  fits <- replicate(100, coef(rr_estimate(rr_perturb(rep(1:6, truth), m, rng = "R"), m)))
  errors <- tidy(rr_estimate(rr_perturb(rep(1:6, truth), m, rng = "R"), m, target = "sample"))$std.error
  expect_true(all(abs(rowMeans(fits) - truth / 600) <= 5 * errors / 10))
})

test_that("functions of levels have the variances of the whole covariance matrix", {
  set.seed(2)
  m <- rr_hierarchy(20, 1)
  fit <- rr_estimate(rr_perturb(sample(20, 3000, TRUE, 20:1), m, rng = "R"), m)
  covariance <- vcov(fit)
  weights <- rbind(as.numeric(1:20 <= 7), 1:20, 1)
  found <- rr_contrast(fit, weights)
  expect_equal(found$std.error[1:2]^2, diag(weights %*% covariance %*% t(weights))[1:2], tolerance = 1e-10)
  expect_identical(found$std.error[3], 0)
  expect_equal(found$estimate[3], 1)
  expect_equal(tidy(fit)$std.error^2, unname(diag(covariance)), tolerance = 1e-10)
  # Hadamard's functions by transforms, against its covariance matrix.
  law <- rr_law(rr_hadamard(9, 2, blocks = 2))
  evidence <- candor:::new_evidence(law, rpois(2 * law$size, 50), 800, 800, 9)
  for (target in c("sample", "population")) {
    dense <- candor:::law_functions.rr_law(law, evidence, diag(9)[1:4, ], target)
    expect_equal(candor:::law_functions(law, evidence, diag(9)[1:4, ], target), dense, tolerance = 1e-10)
    expect_equal(candor:::law_functions(law, evidence, diag(9)[1:4, ], target, variances = TRUE), diag(dense), tolerance = 1e-10)
  }
})

test_that("intervals of levels cover", {
  skip_on_cran()
  set.seed(3)
  m <- rr_hierarchy(8, 1, fanout = 2)
  theta <- c(0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05, 0)
  covered <- replicate(100, {
    bounds <- confint(rr_estimate(rr_perturb(sample(8, 1000, TRUE, theta), m, rng = "R"), m))
    bounds[, 1] <= theta & theta <= bounds[, 2]
  })
  # 800 intervals, eight of a fit together, taken for 200: five standard deviations below 95 in 100.
  expect_gte(mean(covered), 0.95 - 5 * sqrt(0.05 * 0.95 / 200))
})

test_that("any oracle serves, reports go through a data frame, and tallies merge and weigh", {
  set.seed(4)
  truth <- sample(9, 4000, TRUE, 9:1)
  for (oracle in list(rr_hadamard, rr_grr, rr_unary, rr_local_hash, rr_subset, function(levels, epsilon) rr_hadamard(levels, epsilon, one_bit = TRUE))) {
    m <- rr_hierarchy(letters[1:9], 2, fanout = 3, oracle = oracle)
    reports <- rr_perturb(letters[truth], m, rng = "R")
    expect_s3_class(reports, "tbl_df")
    tally <- rr_tally(reports, m)
    fit <- rr_estimate(tally)
    expect_equal(sum(coef(fit)), 1)
    errors <- tidy(fit)$std.error
    expect_true(all(abs(coef(fit) - tabulate(truth, 9) / 4000) <= 5 * errors))
    parts <- c(rr_tally(reports[1:1500, ], m), rr_tally(reports[1501:4000, ], m))
    expect_equal(parts$counts, tally$counts)
    grouped <- rr_tally(reports, m, by = rep(1:2, 2000))
    expect_equal(rowSums(grouped$counts), tally$counts)
    weighted <- rr_tally(reports, m, weights = rep(2, 4000))
    expect_equal(coef(rr_estimate(weighted)), coef(fit))
    expect_equal(vcov(rr_estimate(weighted)), vcov(fit))
    expect_identical(rr_reports(reports, m), reports)
  }
  # A hierarchy of one depth is its oracle, with the sum known.
  flat <- rr_hierarchy(4, 1, fanout = 4, oracle = rr_grr)
  counts <- c(900, 700, 500, 400)
  expect_equal(coef(rr_estimate(rr_counts(c(2500, counts), flat, n = 2500))),
               coef(rr_estimate(rr_counts(counts, rr_grr(4, epsilon = 1)), method = "inv")), tolerance = 1e-12)
})

test_that("distributions, the bootstrap and simulation are had of a hierarchy", {
  set.seed(5)
  m <- rr_hierarchy(10, 2, fanout = 4)
  tally <- rr_tally(rr_perturb(sample(10, 2000, TRUE, 10:1), m, rng = "R"), m)
  fit <- rr_estimate(tally, method = "norm_sub", interval = "bootstrap", replications = 50)
  expect_true(all(coef(fit) >= 0))
  expect_equal(sum(coef(fit)), 1)
  expect_true(all(tidy(fit)$std.error > 0))
  expect_identical(dim(simulate(fit, nsim = 2, seed = 1)), c(length(m$reports), 3L))
  bits <- rr_hierarchy(10, 2, fanout = 4, oracle = rr_unary)
  expect_refused(rr_estimate(rr_tally(rr_perturb(1:10, bits, rng = "R"), bits), method = "mle"), rr_estimate(tally, interval = "profile"), class = "law")
})

test_that("bad arguments and reports are refused", {
  m <- rr_hierarchy(10, 1)
  for (oracle in list("hadamard", function(levels, epsilon) 3, function(levels, epsilon) rr_grr(levels, epsilon = 2 * epsilon),
                      function(levels, epsilon) rr_mean(c(0, 1), epsilon))) expect_error(rr_hierarchy(10, 1, oracle = oracle), class = "candor_error_argument")
  expect_error(rr_hierarchy(10, 1, fanout = 11), class = "candor_error_argument")
  expect_error(rr_perturb(c(1, 11), m), class = "candor_error_level")
  for (x in list(1:3, data.frame(depth = c("1", "3"), report = c(0, 0)), data.frame(depth = c("1", "2"), report = c(0, 1000)))) {
    expect_error(rr_tally(x, m), class = "candor_error_report")
  }
  expect_error(rr_tally(data.frame(depth = c("1", NA), report = c(0, 0)), m), class = "candor_error_missing")
  expect_error(rr_estimate(data.frame(depth = c("1", "1"), report = c(0, 1)), m), class = "candor_error_empty")
})

test_that("a tree of fewer than four levels has one depth by default", {
  expect_identical(rr_hierarchy(3, 1)$fanout, 3)
  expect_identical(rr_hierarchy(2, 1)$height, 1)
  expect_identical(rr_hierarchy(5, 1)$fanout, 4)
})

test_that("an oracle has the nodes of each depth, tells them apart, and keeps no answer", {
  made <- function(oracle, ...) rr_hierarchy(9, 1, fanout = 3, oracle = oracle, ...)
  by_depth <- list(rr_grr(3, epsilon = 1), rr_unary(9, 1))
  expect_identical(made(by_depth)$parts[["2"]], by_depth[[2]])
  expect_refused(made(by_depth[1]), made(rev(by_depth)), made(function(levels, epsilon) rr_grr(levels + 1, epsilon = epsilon)),
                 made(function(levels, epsilon) rr_grr(levels, p = 1 / levels)), made(function(levels, epsilon) rr_longitudinal(levels, 2 * epsilon, epsilon)),
                 made(function(levels, epsilon) rr_grr(levels, epsilon = epsilon * (1 + 2e-9))), rr_hierarchy(9, 1, fanout = 1))
  expect_s3_class(made(function(levels, epsilon) rr_grr(levels, epsilon = epsilon * (1 + 0.5e-9))), "rr_hierarchy")
})

test_that("a tree has as many depths as its fanout needs, and a report is the node above an answer at the depth that was drawn", {
  shape <- function(...) {
    m <- rr_hierarchy(..., epsilon = 1, oracle = rr_grr)
    list(m$height, unname(m$nodes))
  }
  expect_equal(shape(5, fanout = 2), list(3, c(2, 3, 5)))
  expect_equal(shape(8, fanout = 2), list(3, c(2, 4, 8)))
  expect_equal(shape(9, fanout = 3), list(2, c(3, 9)))
  expect_equal(shape(3, fanout = 3), list(1, 3))
  expect_equal(shape(17), list(3, c(2, 5, 17)))
  expect_equal(shape(3), list(1, 3))
  # Certain reports, at a large epsilon.
  m <- rr_hierarchy(c("a", "b", "c", "d", "e"), 40, fanout = 2, oracle = rr_grr)
  reports <- withr::with_seed(3, rr_perturb(rep(m$levels, 30), m, rng = "R"))
  depth <- as.integer(reports$depth)
  expect_setequal(depth, 1:3)
  expect_equal(as.integer(reports$report), (rep(1:5, 30) - 1) %/% 2^(3 - depth) + 1)
  oracle <- function(...) rr_hierarchy(5, 1, fanout = 2, oracle = ...)
  expect_refused(oracle(function(levels, epsilon) rr_grr(4, epsilon)), oracle(function(levels, epsilon) rr_grr(levels, 1.1)), oracle(rr_warner(0.8)),
                 oracle(function(levels, epsilon) rr_longitudinal(levels, 2, epsilon)), oracle(function(levels, epsilon) 1),
                 oracle(list(rr_grr(2, 1), rr_grr(3, 1))), oracle(function(levels, epsilon) rr_grr(levels, p = 1 / levels)),
                 rr_hierarchy(5, 1, fanout = 1), rr_hierarchy(5, 1, fanout = 6), rr_hierarchy(5, 1, fanout = 2.5))
  own <- list(rr_grr(2, 1), rr_unary(3, 0.5), rr_subset(5, 1))
  expect_identical(unname(oracle(own)$parts), own)
})

test_that("what a likelihood keeps of a report is its depth, and what its oracle keeps", {
  m <- rr_hierarchy(20, 1, fanout = 4, oracle = rr_unary)
  reports <- withr::with_seed(5, rr_perturb(rep(1:20, 2), m, rng = "R"))
  bits <- report_sets(m, reports)
  # Nodes of the depths: 2, 5 and 20, of which the last take three bytes.
  expect_identical(dim(bits), c(40L, 4L))
  depth <- as.integer(reports$depth)
  expect_identical(as.integer(bits[, 1]), depth)
  for (l in 1:3) {
    rows <- which(depth == l)
    width <- c(1, 1, 3)[l]
    expect_identical(bits[rows, 1 + seq_len(width)], drop(report_sets(m$parts[[l]], submechanism_reports(reports["report"], rows))))
    expect_true(all(bits[rows, -seq_len(1 + width)] == 0))
  }
})
