# Closed forms against enumeration (golden), Monte Carlo against closed forms.

# The mean squared error of inversion, summed over categories, from the variances that plans use.
exact_risk <- function(mechanism, theta, n, targets = c("population", "sample")) {
  vapply(targets, function(target) {
    sum(vapply(seq_along(theta), function(i) category_model(mechanism, i)$variance(theta[i], target), 0)) / n
  }, 0, USE.NAMES = FALSE)
}

# The risks of one cell of a study.
cell_risk <- function(...) {
  study <- rr_study(..., workers = 1)
  figures <- function(metric) study[study$metric == metric, ]
  list(mse = figures("mse")$estimate, bias2 = figures("bias2")$estimate, variance = figures("variance")$estimate,
       mc.error = figures("mse")$mc.error)
}

test_that("the risk of inversion is the exact one", {
  for (case in golden("rr_inv_variance")) {
    truth <- as.double(case$input$truth_counts)
    n <- sum(truth)
    risk <- exact_risk(golden_grr(case$input, length(truth)), truth / n, n)
    exact <- c(case$expected$mse_iid_truth, case$expected$mse_fixed_truth)
    expect_equal(risk, exact, tolerance = 1e-11)
  }
  # Enumerated (errata P3): truth (2, 1, 0), p = 3/5: 7/6 with these respondents, 71/54 with a sample of three.
  mechanism <- rr_grr(3, p = 3 / 5)
  expect_equal(exact_risk(mechanism, c(2, 1, 0) / 3, 3), c(71 / 54, 7 / 6), tolerance = 1e-12)
  # Errata P4: at a fixed epsilon N MSE / K^2 tends to a constant.
  scaled <- vapply(c(100, 1e4, 1e5), function(k) {
    # All categories are alike.
    k * category_model(rr_grr(k, epsilon = 1), 1)$variance(1 / k, "sample") / k^2
  }, 0)
  expect_equal(scaled, c(0.347, 0.3388, 0.3387), tolerance = 5e-4)
})

test_that("other mechanisms have theirs, by the sum of binomial variances", {
  cases <- list(list(rr_forced(c(a = 0.1, b = 0.3, c = 0.2)), c(0.2, 0.5, 0.3), 0.4), list(rr_triangular(0.25), c(0.8, 0.2), 0.75))
  for (case in cases) {
    rows <- rr_matrix(case[[1]])
    theta <- case[[2]]
    m <- drop(theta %*% rows)
    # Fixed truths: each of N theta_x reports y with C[x, y].
    exact <- c(sum(m * (1 - m)), sum(theta * rows * (1 - rows))) / 50 / case[[3]]^2
    expect_equal(exact_risk(case[[1]], theta, 50), exact)
  }
})

test_that("products have the risk of inverting their joint channel, also where innocuous answers are unequally likely", {
  for (question in list(rr_forced(c(0.1, 0.05, 0.15)), rr_unrelated(0.7, c(0.5, 0.2, 0.3)), rr_compose(rr_forced(c(0.1, 0.05, 0.15)), rr_grr(3, p = 0.8)))) {
    survey <- rr_product(x = question, y = rr_warner(0.8))
    K <- rr_matrix(survey)
    theta <- (6:1) / 21
    targets <- lapply(c("population", "sample"), function(target) {
      cell_risk(theta, n = 210, method = "inv", replications = 2000, seed = 1, mechanism = survey, target = target)
    })
    risk <- do.call(Map, c(list(c), targets))
    m <- drop(theta %*% K)
    covariances <- list(diag(m) - tcrossprod(m), diag(m) - t(K) %*% (theta * K))
    exact <- vapply(covariances, function(v) sum(diag(t(solve(K)) %*% v %*% solve(K))), 0) / 210
    # 2000 replications: within 4.5 of their standard errors, 3.3% each.
    expect_lt(max(abs(risk$mse - exact) / risk$mc.error), 4.5)
    expect_lt(max(risk$mc.error / exact), 0.033)
    expect_lt(max(risk$bias2 / exact), 0.01)
  }
})

test_that("a truth's names go to the levels they name", {
  # a channel that treats its levels differently
  mechanism <- rr_channel(rbind(a = c(0.9, 0.05, 0.05), b = c(0.2, 0.6, 0.2), c = c(0.1, 0.2, 0.7)), reports = c("a", "b", "c"))
  risk <- function(mechanism, truth) cell_risk(truth, n = 100, method = c("mle", "inv"), replications = 20, seed = 1, mechanism = mechanism)
  expect_identical(risk(mechanism, c(c = 0.5, a = 0.3, b = 0.2)), risk(mechanism, c(0.3, 0.2, 0.5)))
  forced <- rr_forced(c(0.1, 0.05, 0.2))
  expect_identical(risk(forced, c("3" = 0.5, "1" = 0.3, "2" = 0.2)), risk(forced, c(0.3, 0.2, 0.5)))
  # data name their shares too, and bits are yes and no
  expect_identical(risk(rr_binary(0.9, 0.2), c("0" = 0.7, "1" = 0.3)), risk(rr_binary(0.9, 0.2), rep(c("yes", "no"), c(3, 7))))
})

test_that("a study heeds the numbers of the categories", {
  study <- function(truth) rr_study(truth, 1, 100, "inv", replications = 5, mechanism = rr_geometric, seed = 1, progress = FALSE)
  expect_identical(study(c("3" = 0.5, "1" = 0.3, "2" = 0.2))$estimate, study(c(0.3, 0.2, 0.5))$estimate)
  expect_identical(study(c(z = 0.5, x = 0.3, y = 0.2))$estimate, study(c(0.5, 0.3, 0.2))$estimate)
})

test_that("at a privacy level that doubles can hardly hold, maximum likelihood is right", {
  # (e^700 - 1) times 1e5 reports overflows.
  study <- rr_study(c(1, 0, 0), 700, 1e5, method = "mle", replications = 10, seed = 1, workers = 1)
  expect_equal(study$estimate, rep(0, 5))
})

test_that("the oracle is the posterior mean of a share, if the shares are those of the categories in any order", {
  posterior <- function(theta, counts, n, p, q) {
    weights <- vapply(theta, function(share) dbinom(counts, n, q + (p - q) * share), counts)
    drop(weights %*% theta) / rowSums(weights)
  }
  mechanism <- rr_grr(5, epsilon = 1.5)
  p <- exp(1.5) / (exp(1.5) + 4)
  q <- 1 / (exp(1.5) + 4)
  theta <- c(0.4, 0.3, 0.1, 0.1, 0.1)
  counts <- c(31, 25, 16, 0, 28)
  expect_equal(study_oracle(mechanism, theta, counts, 100), posterior(theta, counts, 100, p, q), tolerance = 1e-10)
  # Direct answers: nobody reports a category that nobody holds.
  expect_equal(study_oracle(rr_binary(1, 0), c(1, 0), c(50, 0), 50), c(1, 0))
  direct <- rr_grr(3, p = 1)
  expect_equal(study_oracle(direct, c(0.6, 0.4, 0), c(1, 2, 0), 3), posterior(c(0.6, 0.4, 0), c(1, 2, 0), 3, 1, 0), tolerance = 1e-10)
  # More than 200 different counts.
  theta <- zipf_shares(450, 0.7)
  counts <- 100 + 2 * seq_len(450)
  n <- sum(counts)
  many <- rr_grr(450, epsilon = 6)
  grr <- c(exp(6), 1) / (exp(6) + 449)
  expect_equal(study_oracle(many, theta, counts, n), posterior(theta, counts, n, grr[1], grr[2]), tolerance = 1e-8)
  # Many shares are classes, narrower than a fiftieth of the standard deviation of a count.
  theta <- zipf_shares(1600, 0.5)
  counts <- round(2e4 * rev(theta)) + 30
  n <- sum(counts)
  grr <- c(exp(7), 1) / (exp(7) + 1599)
  exact <- posterior(theta, counts, n, grr[1], grr[2])
  expect_lt(max(abs(study_oracle(rr_grr(1600, epsilon = 7), theta, counts, n) / exact - 1)), 1e-3)
  # A lie is likelier than the truth: no oracle.
  expect_refused(study_oracle(rr_binary(0.2, 0.8), c(0.4, 0.6), c(50, 50), 100), class = "law")
})

test_that("the streams of a study are Lehmer's, and leave the generator as it was", {
  # (1 + 5) 48271, then (289626 + 2) 48271, and (289626 + 2^33 + 3) 48271, modulo 2^31 - 1.
  expect_identical(c(name_stream(5), name_stream(5, 2), name_stream(5, 2^33 + 3)), c(289626, 1095731306, 1095972661))
  withr::local_seed(1, .rng_kind = "Wichmann-Hill")
  kinds <- RNGkind()
  before <- .Random.seed
  drawn <- keep_generator(7, runif(2))
  expect_identical(RNGkind(), kinds)
  expect_identical(.Random.seed, before)
  expect_identical(drawn, withr::with_seed(7, runif(2), .rng_kind = "Mersenne-Twister"))
  rm(".Random.seed", envir = globalenv())
  keep_generator(7, runif(1))
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  expect_identical(RNGkind(), kinds)
})

test_that("bias, variance and their jackknife, by leaving out each of four replications", {
  errors <- cbind(c(0.1, -0.1), c(0.3, -0.3), c(-0.2, 0.2), c(0.1, 0))
  losses <- rbind(colSums(errors^2), colSums(abs(errors)) / 2, 1:4)
  split <- function(x) {
    variance <- sum(apply(x, 1, var))
    c(sum(rowMeans(x)^2) - variance / ncol(x), variance)
  }
  risks <- summed_risks(losses, errors, 1:4)
  left_out <- sapply(1:4, function(r) split(errors[, -r]))
  expect_equal(risks$estimate, c(rowMeans(losses), split(errors)))
  expect_equal(risks$error, c(apply(losses, 1, sd) / 2, sqrt(3 / 4 * rowSums((left_out - rowMeans(left_out))^2))))
  # One replication has a loss, and no variance.
  one <- rr_study(c(0.6, 0.4), 1, 50, "inv", replications = 1, seed = 1, workers = 1)
  expect_identical(is.na(one$estimate), rep(c(FALSE, TRUE), 3:2))
  expect_identical(is.na(one$mc.error), rep(TRUE, 5))
})

test_that("replications that are drawn in parts are those that are drawn at once", {
  mechanism <- rr_grr(3, epsilon = 1)
  judge <- function(f) f(mechanism, c(0.5, 0.3, 0.2), NULL, 50, list(inv = "inv", mle = "mle"), 12, 7, 1)
  in_parts <- judge(with_calls(judge_methods, chunks = function(replications, size) list(c(0, 5), c(5, 1), c(6, 6))))
  expect_equal(in_parts, judge(judge_methods), tolerance = 1e-12)
})

test_that("reports that truths determine are counted as the truths are, whichever law draws them", {
  # Each truth has one report, of the next category; bits are those of the truth.
  next_one <- rr_channel(rbind(a = c(0, 1, 0), b = c(0, 0, 1), c = c(1, 0, 0)), reports = c("a", "b", "c"))
  bits <- rr_unary(3, p = 1, q = 0)
  drawn <- function(mechanism, truth, first = 0, replications = 40) {
    study_counts(mechanism, c(0.2, 0.3, 0.5), truth, 100, 5, 2, first, replications)
  }
  expect_identical(drawn(next_one, c(20, 30, 50)), matrix(c(50, 20, 30), 3, 40))
  expect_identical(drawn(bits, c(20, 30, 50)), matrix(c(20, 30, 50), 3, 40))
  means <- list(c(50, 20, 30), c(20, 30, 50))
  for (i in 1:2) {
    counts <- drawn(list(next_one, bits)[[i]], NULL)
    expect_identical(colSums(counts), rep(100, 40))
    # Means of 40 tallies of 100 respondents: 4.5 of their standard errors of 0.8.
    expect_lt(max(abs(rowMeans(counts) - means[[i]])), 4.5 * 0.8)
    expect_gt(nrow(unique(t(counts))), 20)
    # A replication has the reports of its number, in whatever part it is drawn.
    expect_identical(drawn(list(next_one, bits)[[i]], NULL, 3, 4), counts[, 4:7])
  }
  # A truth of one respondent, and one of nobody.
  expect_identical(study_counts(next_one, c(0.2, 0, 0.8), c(1, 0, 4), 5, 5, 2, 0, 2), matrix(c(4, 1, 0), 3, 2))
  # A noisy channel and noisy bits of fixed truths have the means of their channels and bits.
  noisy <- rr_channel(rbind(a = c(0.8, 0.15, 0.05), b = c(0.1, 0.2, 0.7), c = c(0.3, 0.6, 0.1)), reports = c("a", "b", "c"))
  truth <- c(20, 30, 50)
  expected <- list(drop(truth %*% rr_matrix(noisy)), 0.9 * truth + 0.2 * (100 - truth))
  for (i in 1:2) {
    mechanism <- list(noisy, rr_unary(3, p = 0.9, q = 0.2))[[i]]
    for (target in list(truth, NULL)) expect_lt(max(abs(rowMeans(drawn(mechanism, target)) - expected[[i]])), 4.5 * 5 / sqrt(40))
    expect_identical(drawn(mechanism, truth, 3, 4), drawn(mechanism, truth)[, 4:7])
  }
})

test_that("a channel's likelihood of reports is that of its probabilities, and the oracle of a study that of the true shares", {
  noisy <- rr_channel(rbind(a = c(0.8, 0.15, 0.05), b = c(0.1, 0.2, 0.7), c = c(0.3, 0.6, 0.1)), reports = c("a", "b", "c"))
  truth <- c(0.2, 0.3, 0.5)
  counts <- study_counts(noisy, truth, NULL, 100, 5, 1, 0, 4)
  own <- function(counts, mechanism) (counts + 1) / sum(counts + 1)
  study <- rr_study(truth, n = 100, mechanism = noisy, method = list(own = own), replications = 4, seed = 5, workers = 1)
  estimates <- apply(counts, 2, own)
  by_hand <- cbind(mse = colSums((estimates - truth)^2), tv = colSums(abs(estimates - truth)) / 2,
                   nll = -colSums(counts * log(t(rr_matrix(noisy)) %*% estimates)) / 100)
  expect_equal(study$estimate[1:3], unname(colMeans(by_hand)), tolerance = 1e-12)
  grr <- rr_grr(3, epsilon = 1)
  counts <- study_counts(grr, truth, NULL, 100, 5, 1, 0, 4)
  errors <- apply(counts, 2, function(x) study_oracle(grr, truth, x, 100)) - truth
  study <- rr_study(truth, n = 100, mechanism = grr, method = "oracle", replications = 4, seed = 5, workers = 1)
  expect_equal(study$estimate[1], mean(colSums(errors^2)), tolerance = 1e-12)
})
