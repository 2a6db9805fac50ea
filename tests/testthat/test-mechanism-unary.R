test_that("parameters of all protocols are the golden ones", {
  for (case in golden("ldp_parameters")) {
    k <- case$input$K
    epsilon <- case$input$epsilon
    want <- case$expected
    for (kind in c("sue", "oue")) {
      m <- rr_unary(k, epsilon, optimized = kind == "oue")
      expect_golden(c(m$p, m$q, m$p_minus_q), unlist(want[[kind]][c("p", "q", "difference")]))
    }
    expect_identical(rr_local_hash(k, epsilon)$g, as.double(want$olh$g))
    expect_golden(rr_local_hash(k, epsilon)$p, want$olh$p)
    m <- rr_subset(k, epsilon)
    expect_identical(m$size, as.double(want$subset$omega))
    law <- rr_law(m)
    expect_golden(c(m$p, m$q, m$p_minus_q, law$both_own, law$both_other), unlist(want$subset[c("p", "q", "difference", "both_own", "both_other")]))
    m <- rr_hadamard(k, epsilon)
    expect_identical(c(m$blocks, m$size), as.double(c(want$hadamard$blocks, want$hadamard$block_size)))
    axis <- candor:::law_axes(rr_law(m), k)[[1]]
    expect_golden(c(axis$high, axis$low, candor:::hadamard_scale(rr_law(m))), unlist(want$hadamard[c("high", "low", "scale")]), tolerance = 1e-11)
  }
})

test_that("laws of small mechanisms are the golden ones, and epsilon is that of the enumerated reports", {
  for (case in golden("ldp_report_laws")) {
    input <- case$input
    k <- input$K
    want <- matrix(unlist(case$expected$law), nrow = k, byrow = !is.matrix(case$expected$law))
    if (is.matrix(case$expected$law)) want <- case$expected$law
    if (input$protocol == "hadamard") {
      expect_golden(rr_matrix(golden_protocol(input)), want)
    } else {
      supports <- switch(input$protocol,
        sue = , oue = , unary = case$expected$reports == 1,
        subset = t(apply(case$expected$reports, 1, function(set) seq_len(k) %in% set)),
        local_hash_affine = t(apply(case$expected$reports, 1, function(r) ((r[1] * (seq_len(k) - 1) + r[2]) %% input$P * input$g) %/% input$P + 1 == r[3])),
        hadamard_bit = t(apply(case$expected$reports, 1, function(r) {
          vapply(seq_len(k) - 1L, function(v) (-1)^sum(as.integer(intToBits(bitwAnd(as.integer(r[1]), v)))) == r[2], NA)
        }))
      )
      if (input$protocol == "subset" && input$omega == 1) supports <- diag(k) == 1
      law <- golden_law(input)
      # Every report's law is 1 + (E - 1) 1{supports}, up to a factor of its own.
      ratio <- t(want) / apply(want, 2, min)
      e <- exp(case$expected$epsilon)
      both <- rowSums(supports) > 0 & rowSums(supports) < k
      expect_equal(ratio[both, ], ifelse(supports[both, ], e, 1), tolerance = 1e-10, ignore_attr = TRUE)
      # p and q are those of the enumeration.
      support <- want %*% supports
      expect_golden(diag(support), rep(law$p, k))
      expect_golden(support[row(support) != col(support)], rep(law$q, k * (k - 1)))
    }
    if (!input$protocol %in% c("local_hash_affine")) {
      expect_equal(rr_epsilon(golden_protocol(input)), max(log(apply(want, 2, max) / apply(want, 2, min))), tolerance = 1e-10)
    }
  }
})

test_that("covariances and estimates are the golden ones", {
  for (case in golden("ldp_covariance")) {
    input <- case$input
    law <- golden_law(input)
    n <- sum(input$truth)
    k <- input$K
    tally <- rr_counts(n * law$q + law$difference * input$truth, law_mechanism(law, k), effective_n = n, n = n)
    fit <- rr_estimate(tally, method = "inv")
    # Of affine hashing the case has codes in plain order; the package's are in random order, which only variances do not see.
    part <- if (input$protocol == "local_hash_affine") diag else identity
    expect_golden(part(vcov(fit, target = "sample")), part(case$expected$sample), label = input$protocol)
    expect_golden(part(vcov(fit, target = "population")) * (n - 1) / n, part(case$expected$population), label = input$protocol)
  }
  for (case in golden("ldp_estimates")) {
    input <- case$input
    mechanism <- law_mechanism(golden_law(input), input$K)
    tally <- rr_counts(input$support_counts, mechanism, n = input$n)
    fit <- rr_estimate(tally, method = "inv")
    expect_golden(coef(fit), case$expected$inv)
    expect_golden(vcov(fit, target = "sample"), case$expected$sample)
    expect_golden(vcov(fit, target = "population"), case$expected$population)
    expect_golden(coef(rr_estimate(tally, method = "composite")), case$expected$composite_mle)
  }
})

test_that("achieved epsilon is never above the nominal one", {
  for (epsilon in c(1e-12, 1e-6, 0.1, 1, 3, 10, 40, 700)) {
    for (m in list(rr_unary(7, epsilon), rr_unary(7, epsilon, optimized = FALSE), rr_subset(7, epsilon), rr_subset(7, epsilon, size = 3),
                   rr_hadamard(7, epsilon), rr_hadamard(7, epsilon, blocks = 3), rr_hadamard(7, epsilon, one_bit = TRUE),
                   rr_local_hash(7, epsilon, g = 3), rr_bitflip(7, epsilon, d = 3), rr_bitflip(7, epsilon))) {
      achieved <- rr_epsilon(m, achieved = TRUE)
      expect_lte(achieved, epsilon)
      if (epsilon <= 10) expect_gte(achieved, epsilon * (1 - 1e-8) - 1e-17)
    }
  }
  expect_identical(rr_epsilon(rr_unary(3, p = 0.5, q = 0)), Inf)
  expect_equal(rr_epsilon(rr_unary(3, p = 0.125, q = 0.75)), log(21))
  expect_identical(rr_epsilon(rr_bitflip(4, 2, compatible = TRUE)), 1)
})

test_that("p, q, r1 and r2 of the samplers are those of the laws", {
  for (m in list(rr_unary(5, 1), rr_unary(5, 2, optimized = FALSE), rr_unary(3, p = 0.2, q = 0.6), rr_subset(6, 1), rr_subset(6, 1, size = 4),
                 rr_local_hash(5, 1), rr_hadamard(6, 1, one_bit = TRUE))) expect_supports(m, 1e5)
})

test_that("estimates vary as the formulas say, sums too", {
  skip_on_cran()
  set.seed(13)
  truth <- c(200, 100, 60, 30, 10, 0)
  for (m in list(rr_unary(6, 1), rr_subset(6, 1, size = 2), rr_local_hash(6, 1), rr_hadamard(6, 1), rr_hadamard(6, 2, blocks = 2),
                 rr_hadamard(6, 1, one_bit = TRUE))) expect_simulated(m, truth, 600)
})

test_that("Wilson and exact intervals cover", {
  skip_on_cran()
  set.seed(14)
  truth <- c(0.9, 0.07, 0.03, 0)
  n <- 400
  for (m in list(rr_unary(4, 1), rr_subset(4, 1), rr_local_hash(4, 1))) {
    law <- rr_law(m)
    # Of drawn truths the counts are binomial.
    counts <- matrix(rbinom(4 * 600, n, law$q + law$difference * truth), 4, dimnames = list(NULL, paste("survey", 1:600)))
    for (interval in c("wilson", "exact")) {
      bounds <- confint(rr_estimate(rr_counts(counts, m, n = rep(n, 600)), method = "inv", interval = interval))
      covered <- matrix(bounds[, 1] <= truth & truth <= bounds[, 2], 4)
      # Three standard deviations below.
      expect_true(all(rowMeans(covered) > 0.95 - 3 * sqrt(0.05 * 0.95 / 600)), label = paste(format(m), interval))
    }
  }
})

test_that("wrong arguments are named", {
  expect_refused(rr_unary(3), rr_unary(3, 1, p = 0.5, q = 0.2), rr_unary(3, p = 0.5), rr_subset(5, 1, size = 5), rr_hadamard(5, 1, blocks = 6),
                 rr_hadamard(5, 1, blocks = 2, one_bit = TRUE), rr_local_hash(5, 1, g = 1))
  expect_error(rr_local_hash(1e5, 1, cohorts = 1e4), class = "candor_error_too_large")
  expect_error(rr_bitflip(5, 1, d = 6), class = "candor_error_argument")
  expect_error(rr_estimate(rr_counts(c(5, 3, 3), rr_unary(3, p = 0.3, q = 0.3), n = 10), method = "inv"), class = "candor_error_no_information")
})

test_that("the p and q of RAPPOR are told, since two categories fit them with their shares exchanged", {
  expect_message(turned <- rr_unary(2, p = 0.25, q = 0.75), class = "candor_message_order")
  expect_equal(rr_epsilon(turned), log(9))
  expect_no_message(rr_unary(2, p = 0.75, q = 0.25))
})

test_that("text that cannot be read is refused by class", {
  expect_refused(rr_tally(c("a\xff", "b"), rr_unary(2, 1)))
})

test_that("a bit as likely for all categories is not turned", {
  expect_no_message(rr_unary(2, p = 0.5, q = 0.5))
})
