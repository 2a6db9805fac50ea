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

test_that("numbers for plans are those of the matrix: supports, errors, the best guess and the best number of blocks", {
  for (world in list(c(5, 1.1, 2), c(7, 0.6, 3), c(6, 2, 1), c(4, 1.5, 4), c(9, 0.9, 4))) {
    k <- world[1]
    epsilon <- world[2]
    blocks <- world[3]
    m <- rr_hadamard(k, epsilon, blocks = blocks)
    C <- unclass(unname(rr_matrix(m)))
    supports <- C > 1.0001 * min(C)
    given <- C %*% t(supports)
    numbers <- hadamard_numbers(k, epsilon, blocks)
    expect_equal(numbers$p, given[1, 1])
    expect_equal(numbers$lie, 1 - given[1, 1])
    expect_equal(numbers$q, mean(given[row(given) != col(given)]))
    expect_equal(numbers$difference, numbers$p - numbers$q)
    # Pairs of categories in one block.
    block <- (seq_len(k) - 1) %% blocks
    expect_equal(block_pairs(k, blocks), sum(outer(block, block, `==`)) - k)
    # The best guess of one of k equally likely categories.
    expect_equal(hadamard_success(k, epsilon, blocks), sum(apply(C, 2, max)) / k)
    # N Var for fixed truths, in all: the squares of the terms c h of each truth, less 1.
    scale <- (exp(epsilon) + 2 * blocks - 1) / (exp(epsilon) - 1)
    in_block <- outer(block, rep(seq_len(blocks) - 1, each = m$size), `==`)
    for (theta in list(rep(1 / k, k), prop.table(seq_len(k)))) {
      squares <- scale^2 * drop(in_block %*% drop(theta %*% C))
      expect_equal(hadamard_risk(k, epsilon, blocks, theta)$total, sum(squares - theta))
    }
    expect_equal(hadamard_risk(k, epsilon, blocks)$total, hadamard_risk(k, epsilon, blocks, rep(1 / k, k))$total)
    # Nobody holds it, and its block has the share 1 / B of the truths: its reports are E / Z more likely there.
    z <- exp(epsilon) + 2 * blocks - 1
    in_own <- (exp(epsilon) + 1) / z
    in_other <- 2 / z
    expect_equal(hadamard_risk(k, epsilon, blocks)$blank, scale^2 * (in_own / blocks + in_other * (1 - 1 / blocks)))
  }
  for (k in c(2, 5, 12, 30)) for (epsilon in c(0.5, 1, 2, 4)) {
    total <- vapply(seq_len(k), function(blocks) hadamard_risk(k, epsilon, blocks)$total, 0)
    expect_equal(hadamard_risk(k, epsilon, rr_hadamard(k, epsilon)$blocks)$total, min(total))
  }
  # Of so many categories only numbers near (e^epsilon - 1) / 2, and all of them, are tried.
  expect_identical(best_blocks(2e6, 3), round(expm1(3) / 2))
  expect_identical(c(hadamard_size(5, 2), hadamard_size(6, 2), hadamard_size(7, 2), hadamard_size(4, 4), hadamard_size(7, 1)), c(4, 4, 8, 2, 8))
})

test_that("scores of reports are on average 1 of the truth and 0 of other categories, over all reports of the matrix", {
  bits <- as.matrix(expand.grid(rep(list(0:1), 3)))
  flips <- do.call(rbind, lapply(list(c(1, 2), c(1, 3), c(2, 3)), function(pair) cbind(c(-1, 1) * pair[1], c(-1, -1, 1, 1) * pair[2])))
  single <- rr_hadamard(5, 1, one_bit = TRUE)
  worlds <- list(
    list(rr_hadamard(5, 1, blocks = 1), 0:7), list(rr_hadamard(7, 2, blocks = 3), 0:11), list(rr_projective(6, 1, order = 2), 1:7),
    list(single, data.frame(index = rep(0:7, 2), sign = rep(c(1, -1), each = 8))),
    list(rr_unary(3, 1), rr_reports(bits, rr_unary(3, 1))), list(rr_bitflip(3, 2, d = 2), rr_reports(flips, rr_bitflip(3, 2, d = 2)))
  )
  for (world in worlds) {
    m <- world[[1]]
    expect_equal(unname(rr_matrix(m) %*% rr_score(world[[2]], m)), diag(length(m$levels)), tolerance = 1e-10, label = m$design)
  }
  # The sign of a category in a column is that of the report that supports it.
  reports <- data.frame(index = c(0, 3, 5), sign = c(1, -1, 1))
  columns <- hadamard_columns(single, c(1, 4, 6))
  expect_identical(dim(columns), c(5L, 3L))
  kept <- .Call(C_rr_bits_to_matrix, report_sets(single, reports), 5)
  expect_identical(kept == 1, t(columns) * reports$sign > 0)
  # Signs of the matrix, by the bits that row and column share.
  shared <- outer(0:4, c(0, 3, 5), Vectorize(function(row, column) sum(as.integer(intToBits(bitwAnd(row, column))))))
  expect_equal(columns, (-1)^shared)
  # The first category has no minus: a client's test expects one value of it, and both of any other.
  expect_identical(client_facts(single, reports, 1)$values, c(0, 1))
  expect_identical(client_facts(single, reports, 2)$values, c(0.5, 0.5))
  expect_equal(rr_tally(reports, single)$counts, colSums(kept))
})
