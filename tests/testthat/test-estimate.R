# Counts are random, enumerated or at the edges on purpose.
rr_estimate <- estimate_odd

test_that("mle, inv, invn and invp match the 60-digit vectors, interior, boundary and p < q", {
  for (file in c("rr_estimators", "rr_estimators_boundary", "rr_estimators_p_less_q")) {
    for (case in golden(file)) {
      tally <- rr_counts(case$input$counts, golden_grr(case$input))
      fits <- lapply(c(mle = "mle", inv = "inv", inv_n = "invn", inv_p = "invp"), function(m) rr_estimate(tally, method = m))
      for (name in names(fits)) expect_golden(coef(fits[[name]]), case$expected[[name]], label = paste(file, name))
      expect_golden(as.numeric(logLik(fits$mle)), case$expected$loglik_mle)
      if (!is.null(case$expected$mle_unique)) expect_identical(fits$mle$details[[1]]$unique, case$expected$mle_unique)
    }
  }
})

test_that("the iterative Bayesian update matches the 60-digit vectors after every stated number of steps", {
  for (case in golden("ibu_rr")) {
    n <- sum(case$input$counts)
    fit <- rr_estimate(rr_counts(case$input$counts, golden_grr(case$input)), method = "ibu", iterations = case$input$iterations)
    expect_golden(coef(fit), case$expected$theta)
    expect_golden(as.numeric(logLik(fit)) / n, case$expected$mean_loglik)
    expect_golden(fit$details[[1]]$gap / n, case$expected$gap_log)
    trace <- tidy(fit, type = "trace")
    expect_identical(trace$iteration, seq(0, case$input$iterations) + 0)
    expect_golden(tail(trace$loglik, 1) / n, case$expected$mean_loglik)
  }
})

test_that("covariance of the maximum likelihood estimate on its support matches the 60-digit vectors", {
  for (case in golden("rr_mle_covariance")) {
    if (!is.null(case$input$channel)) next # a general channel, tested with its own solver
    fit <- rr_estimate(rr_counts(case$input$counts, golden_grr(case$input)))
    expect_golden(vcov(fit), case$expected$cov)
    # Those that are held at 0 or 1 have variance 0 here and no error there.
    errors <- sqrt(diag(vcov(fit)))
    errors[coef(fit) %in% c(0, 1) & errors == 0] <- NA
    expect_equal(errors, setNames(tidy(fit)$std.error, fit$mechanism$levels), tolerance = 1e-9)
  }
})

test_that("estimated covariances of inversion match the 60-digit vectors, for both targets", {
  for (case in golden("rr_inv_variance_estimate")) {
    fit <- rr_estimate(rr_counts(case$input$counts, golden_grr(case$input)), method = "inv")
    expect_golden(vcov(fit, target = "sample"), case$expected$cov_hat_fixed_truth)
    expect_golden(vcov(fit, target = "population"), case$expected$cov_hat_iid_truth)
  }
})

test_that("exact intervals match the 60-digit vectors", {
  for (case in golden("rr_binomial_interval")) {
    k <- case$input$k
    rest <- case$input$n - case$input$count
    counts <- c(case$input$count, rest %/% (k - 1) + (seq_len(k - 1) <= rest %% (k - 1)))
    fit <- rr_estimate(rr_counts(counts, rr_grr(k, epsilon = case$input$epsilon)), method = "inv", interval = "exact", conf.level = 1 - case$input$alpha)
    expect_lte(max(abs(confint(fit)[1, ] - case$expected$theta_interval)), 1e-10)
  }
})

# All histograms of n reports over k categories, with their probabilities under fixed truths (each truth its own
# row of the channel) and under sampled ones: the small worlds in which every claim can be summed up exactly.
enumerate_histograms <- function(truth, matrix) {
  n <- sum(truth)
  k <- length(truth)
  reports <- as.matrix(expand.grid(rep(list(seq_len(k)), n)))
  rows <- rep(seq_len(k), truth)
  fixed <- apply(reports, 1, function(y) prod(matrix[cbind(rows, y)]))
  shares <- as.vector(truth / n) %*% matrix
  iid <- apply(reports, 1, function(y) prod(shares[y]))
  key <- apply(reports, 1, function(y) paste(tabulate(y, k), collapse = " "))
  counts <- do.call(rbind, lapply(strsplit(unique(key), " "), as.numeric))
  list(counts = counts, sample = as.vector(tapply(fixed, factor(key, unique(key)), sum)), population = as.vector(tapply(iid, factor(key, unique(key)), sum)))
}

test_that("inversion is unbiased and so is its covariance, by enumeration, for every design and both targets", {
  worlds <- list(list(c(2, 1, 0), rr_grr(3, p = 0.6)), list(c(1, 3), rr_triangular(0.3)), list(c(2, 2), rr_crosswise(0.2)),
                 list(c(1, 2, 1), rr_forced(c(a = 0.1, b = 0.2, c = 0.05))), list(c(2, 1, 1), rr_grr(3, p = 0.1)))
  for (world in worlds) {
    truth <- world[[1]]
    mechanism <- world[[2]]
    histograms <- enumerate_histograms(truth, rr_matrix(mechanism))
    for (target in c("sample", "population")) {
      probability <- histograms[[target]]
      fits <- apply(histograms$counts, 1, function(n) rr_estimate(rr_counts(n, mechanism), method = "inv", target = target))
      estimates <- vapply(fits, coef, numeric(length(truth)))
      mean <- as.vector(estimates %*% probability)
      expect_equal(mean, truth / sum(truth), tolerance = 1e-12)
      exact <- estimates %*% (probability * t(estimates)) - tcrossprod(mean)
      estimated <- matrix(vapply(fits, vcov, numeric(length(truth)^2)) %*% probability, length(truth))
      expect_equal(estimated, unname(exact), tolerance = 1e-12)
    }
  }
})

test_that("enumerated histograms and covariances agree with the 60-digit vectors", {
  for (case in golden("rr_inv_variance")) {
    truth <- case$input$truth_counts
    if (length(truth)^sum(truth) > 5000) next
    mechanism <- golden_grr(case$input, length(truth))
    histograms <- enumerate_histograms(truth, rr_matrix(mechanism))
    estimates <- apply(histograms$counts, 1, function(n) coef(rr_estimate(rr_counts(n, mechanism), method = "inv")))
    for (target in c("sample", "population")) {
      mean <- as.vector(estimates %*% histograms[[target]])
      exact <- estimates %*% (histograms[[target]] * t(estimates)) - tcrossprod(mean)
      expect_golden(exact, case$expected[[c(sample = "cov_fixed_truth", population = "cov_iid_truth")[[target]]]])
    }
  }
})

# What maximum likelihood means: no other distribution is more likely. For concave problems it is enough that no
# category's gradient exceeds its mean (Karush, Kuhn and Tucker): max g <= 1.
kkt_gap <- function(fit) {
  counts <- fit$tally$counts
  matrix <- rr_matrix(fit$mechanism)
  shares <- as.vector(coef(fit) %*% matrix)
  seen <- counts > 0
  max(matrix[, seen, drop = FALSE] %*% (counts[seen] / sum(counts) / shares[seen])) - 1
}

test_that("every closed form satisfies the conditions of a maximum, on random data and designs", {
  set.seed(4)
  wrong <- character()
  for (i in seq_len(extended(300, 20000))) {
    k <- sample(2:9, 1)
    mechanism <- switch(sample(5, 1), rr_grr(k, epsilon = rexp(1) + 0.01), rr_grr(k, p = runif(1, 0, 1 / k)),
                        rr_forced(setNames(diff(c(0, sort(runif(k)))) * 0.9, letters[1:k])),
                        rr_unrelated(runif(1, 0.05, 1), prop.table(rexp(k))), rr_binary(runif(1), runif(1)))
    k <- length(mechanism$levels)
    fit <- rr_estimate(rr_counts(as.vector(rmultinom(1, sample(c(1, 10, 1000), 1), rexp(k)^3)), mechanism))
    holds <- c(sum = abs(sum(coef(fit)) - 1) <= 1e-13, sign = min(coef(fit)) >= 0, gap = kkt_gap(fit) <= 1e-11)
    if (!all(holds)) wrong <- c(wrong, paste(c(i, format(mechanism), names(which(!holds))), collapse = " "))
  }
  expect_identical(wrong, character())
})

test_that("identities hold: K = 2 is Warner's design, IBU reaches the closed form, merging changes nothing", {
  counts <- c(370, 630)
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, rr_grr(2, p = 0.7))))),
               unname(coef(rr_estimate(rr_counts(counts, rr_warner(0.7))))), tolerance = 1e-15)

  tally <- rr_counts(c(300, 210, 100, 60, 30), rr_grr(5, epsilon = 1))
  exact <- rr_estimate(tally)
  ibu <- rr_estimate(tally, method = "ibu", tolerance = 1e-9)
  expect_true(ibu$details[[1]]$converged)
  expect_lte(as.numeric(logLik(exact) - logLik(ibu)), 1e-9)
  expect_equal(coef(ibu), coef(exact), tolerance = 1e-5)
  # Away from the boundary the unbiased estimate is the maximum likelihood estimate
  inner <- rr_counts(c(300, 250, 200), rr_grr(3, epsilon = 3))
  for (method in c("inv", "invn", "invp")) expect_equal(coef(rr_estimate(inner, method = method)), coef(rr_estimate(inner)), tolerance = 1e-14)
  # No estimator draws random numbers
  set.seed(9)
  state <- .Random.seed
  for (method in c("mle", "inv", "invn", "invp", "ibu", "base_cut", "norm", "norm_cut", "norm_sub", "power", "power_ns")) rr_estimate(tally, method = method)
  expect_identical(.Random.seed, state)
})

test_that("the direct question is returned as asked", {
  fit <- rr_estimate(rr_counts(c(2, 3, 5), rr_grr(3, p = 1)))
  expect_identical(unname(coef(fit)), c(0.2, 0.3, 0.5))
  expect_equal(unname(vcov(fit, target = "sample")), matrix(0, 3, 3))
})

test_that("projection agrees with a quadratic programme", {
  skip_if_not_installed("quadprog")
  set.seed(5)
  for (i in 1:20) {
    k <- sample(3:12, 1)
    counts <- as.vector(rmultinom(1, 200, rexp(k)^2))
    mechanism <- rr_grr(k, epsilon = runif(1, 0.3, 2))
    inv <- unname(coef(rr_estimate(rr_counts(counts, mechanism), method = "inv")))
    oracle <- quadprog::solve.QP(diag(k), inv, cbind(1, diag(k)), c(1, rep(0, k)), meq = 1)$solution
    expect_equal(unname(coef(rr_estimate(rr_counts(counts, mechanism), method = "invp"))), oracle, tolerance = 1e-10)
  }
})

test_that("groups are estimated one by one", {
  mechanism <- rr_grr(3, epsilon = 1)
  counts <- cbind(a = c(50, 30, 20), b = c(10, 40, 30))
  fit <- rr_estimate(rr_counts(counts, mechanism))
  single <- rr_estimate(rr_counts(counts[, "b"], mechanism))
  expect_identical(unname(fit$estimate[, 2]), unname(coef(single)))
  expect_identical(tidy(fit)$estimate[4:6], tidy(single)$estimate)
  expect_identical(names(tidy(fit))[1], "group")
  expect_identical(unname(vcov(fit)[4:6, 4:6]), unname(vcov(single)))
  expect_equal(unname(confint(fit)[4:6, ]), unname(confint(single)))
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(single)) + as.numeric(logLik(rr_estimate(rr_counts(counts[, "a"], mechanism)))))
})

test_that("what cannot be estimated is refused", {
  grr3 <- rr_grr(3, epsilon = 1)
  tally <- rr_counts(c(5, 3, 2), grr3)
  expect_refused(rr_estimate(rr_counts(c(5, 5), rr_warner(0.5))), rr_estimate(rr_counts(c(5, 5), rr_forced(0.5))), class = "no_information")
  expect_refused(rr_estimate(integer(), grr3), class = "empty")
  expect_refused(rr_estimate(tally, rr_grr(3, epsilon = 2)), rr_estimate(tally, rr_warner(0.7)), class = "mismatch")
  expect_refused(rr_estimate(c(1, 2, 9), grr3), class = "level")
  expect_refused(rr_estimate(tally, method = "best"), rr_estimate(tally, method = c("mle", "inv")), rr_estimate(tally, conf.level = 95),
                 rr_estimate(tally, steps = 10), rr_estimate(tally, by = c("a", "b")), rr_estimate(tally, method = "ibu", start = c(1, 1, 1)),
                 rr_estimate(tally, method = "ibu", iterations = -1), rr_estimate(tally, method = "base_cut", alpha = 2),
                 rr_estimate(tally, interval = "bootstrap", replications = 3), rr_estimate(rr_estimate(tally)), rr_estimate(c(1, 2, 3)),
                 tidy(rr_estimate(tally), type = "trace"))
})

test_that("counts that leave the iterative update no correct digit are refused, and its remedy works", {
  # An answer always turned round: one "yes" beside 1e15 "no" is a share of "no" of 1e-15.
  tally <- rr_counts(c(no = 1e15, yes = 1), rr_binary(p = 0, q = 1))
  expect_error(rr_estimate(tally, method = "ibu"), class = "candor_error_precision")
  expect_equal(coef(rr_estimate(tally, method = "mle"))[["no"]], 1 / (1e15 + 1), tolerance = 1e-12)
})

test_that("IBU keeps its certificate honest where the truth is the least likely report", {
  # One step multiplies by sum(b phi / m), above 1 for p < q, what the sum of theta is off: left alone for 64 steps
  # that ended in a certificate of 0 far from the maximum, or in NaN.
  cases <- list(list(c(1, 1), rr_binary(0.1681069, 0.6875)), list(c(861348, 554100), rr_grr(2, p = 0.4040584)),
                list(c(213225, 99309, 350045), rr_grr(3, p = 0)), list(c(811805, 393087), rr_binary(0.3251216, 0.8453948)))
  for (case in cases) {
    tally <- rr_counts(case[[1]], case[[2]])
    best <- as.numeric(logLik(rr_estimate(tally)))
    fit <- rr_estimate(tally, method = "ibu", tolerance = 1e-3)
    missed <- best - as.numeric(logLik(fit))
    # The rounding of a log-likelihood of 1e6 is 1e-9.
    expect_lte(missed, fit$details[[1]]$gap + 1e-8)
    expect_equal(sum(coef(fit)), 1, tolerance = 1e-14)
    expect_true(fit$details[[1]]$converged)
  }
})

test_that("inversion outside the distributions may be likelier than the maximum over them, and inside is that maximum", {
  grr <- rr_grr(3, epsilon = 1)
  outside <- rr_counts(c(5, 400, 600), grr)
  inv <- rr_estimate(outside, method = "inv")
  expect_lt(min(coef(inv)), 0)
  # It gives the reports their own shares, which no probabilities beat.
  expect_equal(as.numeric(logLik(inv)), sum(c(5, 400, 600) * log(c(5, 400, 600) / 1005)))
  expect_gt(logLik(inv), logLik(rr_estimate(outside)))
  inside <- rr_counts(c(300, 350, 400), grr)
  expect_equal(logLik(rr_estimate(inside, method = "inv")), logLik(rr_estimate(inside)))
})

test_that("shares of a group are its totals over its people", {
  fit <- list(estimate = cbind(c(30, 10), c(4, 6)), total = TRUE, tally = list(n = c(40, 10)))
  expect_identical(fitted_truth(fit, 2), c(0.4, 0.6))
  expect_identical(fitted_truth(replace(fit, "total", FALSE), 2), c(4, 6))
  expect_identical(group_estimate(list(estimate = c(a = 0.3, b = 0.7)), 1), c(0.3, 0.7))
})
