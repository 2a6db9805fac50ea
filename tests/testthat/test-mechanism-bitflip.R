test_that("parameters and variances of dBitFlip are the golden ones", {
  for (case in golden("ldp_dbitflip")) {
    input <- case$input
    m <- rr_bitflip(input$buckets, input$epsilon, d = input$d, compatible = TRUE)
    expect_golden(c(m$p, m$q, m$epsilon), unlist(case$expected[c("p", "q", "epsilon_report")]))
    n <- sum(input$truth)
    fit <- rr_estimate(rr_counts(candor:::law_expected(rr_law(m), input$truth / n) * n, m, effective_n = n, n = n), method = "inv")
    expect_golden(coef(fit), input$truth / n)
    expect_golden(diag(vcov(fit, target = "sample")), case$expected$variance_sample)
  }
})

test_that("estimates vary as the formula says", {
  set.seed(8)
  expect_simulated(rr_bitflip(5, 2, d = 2), c(200, 100, 60, 40, 0), 600)
  expect_simulated(rr_bitflip(5, 2), c(200, 100, 60, 40, 0), 600)
})

test_that("neighbours lie in one bucket, by whole numbers", {
  m <- rr_bitflip(6, 80, d = 3, buckets = 3)
  expect_identical(m$levels, c("1 to 2", "3 to 4", "5 to 6"))
  # All bits are told as they are.
  expect_identical(as.matrix(rr_perturb(c(1, 2, 3, 6), m)), rbind(c(1L, -2L, -3L), c(1L, -2L, -3L), c(-1L, 2L, -3L), c(-1L, -2L, 3L)))
  expect_error(rr_perturb(7, m), class = "candor_error_level")
})

test_that("bad reports are named", {
  m <- rr_bitflip(5, 1, d = 2)
  expect_refused(rr_reports(rbind(c(1, 2), c(1, 6)), m), rr_reports(rbind(c(1, 2), c(3, -3)), m), rr_reports(rbind(c(1, 2, 3)), m), class = "report")
  expect_identical(as.matrix(rr_reports(rbind(c(4, -2)), m)), rbind(c(-2L, 4L)))
})

test_that("the own likelihood of kept reports is that of enumeration, and its maximum that of plain EM", {
  for (d in c(1, 3)) {
    m <- rr_bitflip(5, epsilon = 2, d = d)
    set.seed(d)
    reports <- rr_perturb(sample(5, 500, TRUE, c(5, 3, 2, 1, 1)), m, rng = "R")
    tally <- rr_tally(reports, m, keep = "sets")
    positions <- as.matrix(reports)
    # P(buckets, bits | v) by hand.
    chance <- sapply(1:5, function(v) apply(positions, 1, function(r) {
      one <- ifelse(abs(r) == v, m$p, m$q)
      prod(ifelse(r > 0, one, 1 - one)) / choose(5, d)
    }))
    theta <- rep(0.2, 5)
    for (i in 1:20000) theta <- theta * colMeans(chance / drop(chance %*% theta))
    fit <- rr_estimate(tally, method = "mle")
    expect_equal(unname(fit$estimate), theta, tolerance = 1e-5)
    expect_equal(as.numeric(logLik(fit)), sum(log(chance %*% fit$estimate)), tolerance = 1e-10)
    expect_true(all(tidy(fit)$std.error[fit$estimate > 0] > 0))
    expect_error(rr_estimate(rr_tally(reports, m), method = "mle"), class = "candor_error_law")
  }
})

test_that("of more bits than a client's test looks at, the bit of the truth and that its bucket was drawn are among them", {
  m <- rr_bitflip(60, epsilon = 2, d = 3)
  reports <- rr_reports(rbind(c(58, -59, 60), c(1, 2, -60)), m)
  facts <- client_facts(m, reports, 60)
  # 60 bits of the buckets, then 60 that say which were drawn.
  expect_setequal(paired_bits(facts, 2), c(60, 120))
  expect_equal(facts$bits[, c(1, 59, 60, 61, 119, 120)], rbind(c(0, 0, 1, 0, 1, 1), c(1, 0, 0, 1, 0, 1)))
})

test_that("buckets are two or more, and a report has between one and all of them", {
  expect_refused(rr_bitflip(6, 1, buckets = 1), rr_bitflip(6, 1, buckets = 7), rr_bitflip(6, 1, d = 0), rr_bitflip(6, 1, d = 4, buckets = 3),
                 rr_bitflip(6, 1, compatible = NA))
  expect_identical(rr_bitflip(6, 1, d = 2, buckets = 2)$levels, c("1 to 3", "4 to 6"))
  expect_identical(rr_bitflip(5, 1, buckets = 3)$levels, c("1 to 2", "3 to 4", "5"))
  # One bit has all of epsilon, or half of it as in the paper; each of two has half, and a report all.
  for (m in list(rr_bitflip(6, 2), rr_bitflip(6, 2, d = 2), rr_bitflip(6, 4, compatible = TRUE))) {
    expect_equal(rr_epsilon(m), 2)
    expect_equal(rr_epsilon(m, achieved = TRUE), 2, tolerance = 1e-12)
  }
  expect_equal(c(rr_bitflip(6, 2)$p, rr_bitflip(6, 2, d = 2)$p), plogis(2:1))
})

test_that("a client's test expects the bits, their pairs and equal reports as often as all reports have them", {
  m <- rr_bitflip(3, epsilon = 2, d = 2)
  # All reports in the order of the matrix: three pairs of buckets, each with four pairs of bits.
  all <- do.call(rbind, lapply(list(c(1, 2), c(1, 3), c(2, 3)), function(pair) cbind(c(-1, 1) * pair[1], c(-1, -1, 1, 1) * pair[2])))
  for (x in 1:3) {
    prob <- rr_matrix(m)[x, ]
    facts <- client_facts(m, rr_reports(all, m), x)
    expect_equal(facts$both, crossprod(facts$bits, prob * facts$bits), ignore_attr = TRUE)
    expect_equal(facts$p_support, sum(prob[facts$bits[, x] == 1]))
    expect_equal(c(facts$p_support_twice, facts$p_equal), c(facts$p_support^2, sum(prob^2)))
  }
})

test_that("drawn bits are all 1 with the probability of the draw that has the bit of the truth, or has not", {
  for (d in 1:3) {
    m <- rr_bitflip(4, 1.2, d = d)
    # The bit of the truth is among d of 4 with d / 4.
    expect_equal(exp(m$codec$log_positive), d / 4 * m$p * m$q^(d - 1) + (1 - d / 4) * m$q^d)
  }
})
