test_that("covariances and estimates of Hadamard response are the golden ones", {
  for (case in golden("ldp_hadamard_covariance")) {
    input <- case$input
    m <- rr_hadamard(input$K, input$epsilon, blocks = input$blocks)
    expect_identical(m$size, as.double(input$block_size))
    n <- sum(input$truth)
    fit <- rr_estimate(rr_counts(as.vector(n * drop(input$truth / n) %*% rr_matrix(m)), m, effective_n = n), method = "inv")
    expect_golden(coef(fit), input$truth / n)
    expect_golden(vcov(fit, target = "sample"), case$expected$sample)
    expect_golden(vcov(fit, target = "population") * (n - 1) / n, case$expected$population)
    expect_equal(tidy(fit)$std.error, unname(sqrt(diag(vcov(fit)))))
  }
  for (case in golden("ldp_hadamard_estimates")) {
    input <- case$input
    fit <- rr_estimate(rr_counts(input$report_counts, rr_hadamard(input$K, input$epsilon, blocks = input$blocks)), method = "inv")
    expect_golden(coef(fit), case$expected$inv)
    expect_golden(vcov(fit, target = "sample"), case$expected$sample)
    expect_golden(vcov(fit, target = "population"), case$expected$population)
  }
})

test_that("maximum likelihood is that of the matrix", {
  set.seed(5)
  for (m in list(rr_hadamard(6, 1), rr_hadamard(6, 2, blocks = 2), rr_hadamard(7, 3, blocks = 4))) {
    k <- length(m$levels)
    tally <- rr_tally(rr_perturb(sample(k, 3000, TRUE, seq_len(k)), m, rng = "R"), m)
    fit <- rr_estimate(tally)
    dense <- rr_estimate(rr_counts(as.vector(tally$counts), rr_channel(unname(rr_matrix(m)))))
    expect_equal(coef(fit), coef(dense), tolerance = 1e-5, ignore_attr = TRUE)
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(dense)))
    expect_equal(vcov(fit), vcov(dense), tolerance = 1e-4, ignore_attr = TRUE)
    expect_lte(fit$details[[1]]$gap, 1e-8)
  }
})

test_that("in one block intervals are those of binomial support, in several they cover", {
  expect_true(all(confint(rr_estimate(rr_counts(c(38, 15, 10, 12), rr_hadamard(3, 1)), method = "inv", interval = "exact")) >= 0))
  set.seed(6)
  m <- rr_hadamard(6, 2, blocks = 3)
  truth <- c(0.8, 0.1, 0.06, 0.04, 0, 0)
  counts <- rmultinom(1500, 500, truth %*% rr_matrix(m))
  covered <- apply(counts, 2, function(c) {
    bounds <- confint(rr_estimate(rr_counts(c, m), method = "inv"))
    bounds[, 1] <= truth & truth <= bounds[, 2]
  })
  expect_true(all(rowMeans(covered) > 0.93))
})

test_that("many categories never need a matrix", {
  m <- rr_hadamard(1e5, 1)
  fit <- rr_estimate(rr_perturb(rep(c(1, 7, 99999), c(5000, 3000, 2000)), m), m, method = "inv")
  expect_lt(abs(coef(fit)[1] - 0.5), 6 * tidy(fit)$std.error[1])
  expect_error(rr_matrix(m), class = "candor_error_argument")
})

test_that("blocks of which none has a report raise no warning of R", {
  large <- rr_hierarchy(5000, 1)
  counts <- numeric(length(large$reports))
  counts[vapply(submechanism_rows(large$parts), `[`, 0, 1)] <- 10
  expect_no_warning(rr_estimate(rr_counts(counts, large, n = 10 * large$height), method = "inv"), message = "no non-missing")
})

test_that("simulated counts have the channel's mean, category by category, and every respondent one report", {
  for (m in list(rr_hadamard(5, 1), rr_hadamard(7, 2, blocks = 3))) {
    truth <- c(3000, 0, 1000, 500, 500, 0, 0)[seq_along(m$levels)]
    counts <- withr::with_seed(9, simulate_counts(m, truth, 60))
    expect_true(all(colSums(counts) == 5000))
    C <- unname(rr_matrix(m))
    mean <- drop(truth %*% C)
    variance <- drop(truth %*% (C * (1 - C)))
    # 60 replications: five standard errors of each mean, and of the mean square of all.
    expect_lte(max(abs(rowMeans(counts) - mean) / sqrt(variance / 60)), 5)
    z <- (counts - mean) / sqrt(variance)
    expect_lte(abs(mean(z^2) - 1), 5 * sqrt(2 / length(z)) + 0.05)
  }
})
