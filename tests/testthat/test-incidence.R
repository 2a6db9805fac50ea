test_that("the channel is the convolution of two binomials, and its closed-form inverse is its inverse", {
  for (flip in c(0.05, 0.3, 0.8)) {
    for (n in c(1, 3, 8)) {
      channel <- .Call(C_rr_incidence_channel, n, flip, FALSE)
      inverse <- .Call(C_rr_incidence_channel, n, flip, TRUE)
      expect_equal(channel, t(sum_channel(n, flip)), tolerance = 1e-13)
      expect_equal(inverse, solve(channel), tolerance = 1e-8)
      expect_equal(1 - inverse[, 1], tidy(rr_any(rr_bit_counts(0:n, n, flip)))$estimate, tolerance = 1e-11)
    }
  }
})

test_that("counts are unbiased, and so is their covariance, by enumeration", {
  for (flip in list(0.2, c(0.1, 0.3, 0.7))) {
    # two elements, three sets: 64 reports
    reports <- all_bits(6)
    fits <- apply(reports, 1, function(y) rr_incidence(matrix(y, 2), flip), simplify = FALSE)
    estimates <- vapply(fits, coef, numeric(4))
    covariances <- vapply(fits, function(f) as.vector(vcov(f)), numeric(16))
    for (i in c(1, 4, 23, 38, 64)) {
      x <- reports[i, ]
      p <- apply(reports, 1, report_chance, truth = x, flip = rep(rep_len(flip, 3), each = 2))
      expect_equal(as.vector(estimates %*% p), as.vector(table(factor(rowSums(matrix(x, 2)), 0:3))), tolerance = 1e-10)
      centred <- estimates - as.vector(estimates %*% p)
      expect_equal(as.vector(covariances %*% p), as.vector(centred %*% (p * t(centred))), tolerance = 1e-9)
    }
  }
})

test_that("unions and intersections are its ends", {
  set.seed(1)
  bits <- matrix(as.integer(runif(900) < 0.4), 300)
  for (flip in list(0.1, c(0.1, 0.2, 0.3), matrix(runif(900, 0, 0.3), 300))) {
    table <- tidy(rr_incidence(bits, flip))
    union <- tidy(rr_union_size(bits, flip))
    both <- tidy(rr_intersection_size(bits, flip))
    expect_equal(table$estimate[table$term == "at least 1"], union$estimate, tolerance = 1e-10)
    expect_equal(table$std.error[table$term == "at least 1"], union$std.error, tolerance = 1e-9)
    expect_equal(table$estimate[table$term == "exactly 3"], both$estimate, tolerance = 1e-10)
    expect_equal(table$std.error[table$term == "exactly 3"], both$std.error, tolerance = 1e-9)
    expect_equal(sum(table$estimate[table$type == "exactly"]), 300, tolerance = 1e-10)
  }
  # Equal flips given one by one and as a matrix take other paths to the same answer.
  expect_equal(vcov(rr_incidence(bits, 0.1)), vcov(rr_incidence(bits, matrix(0.1, 300, 3))), tolerance = 1e-9)
})

test_that("maximum likelihood is the inversion where that is inside, and certified where not", {
  set.seed(2)
  seen <- matrix(runif(15000) < 0.4, 5000)
  bits <- xor(seen, runif(15000) < 0.1)
  inv <- rr_incidence(bits, 0.1)
  mle <- rr_incidence(bits, 0.1, method = "mle", target = "sample")
  expect_true(all(coef(inv) > 0))
  # The certificate bounds the likelihood by 1e-8; estimates then agree to about sqrt(1e-8) standard errors.
  expect_lte(max(abs(coef(inv) - coef(mle)) / sqrt(diag(vcov(inv)))), 1e-3)
  expect_equal(vcov(mle), vcov(inv), tolerance = 1e-3)
  expect_lte(mle$gap, 1e-8)
  population <- rr_incidence(bits, 0.1, method = "mle")
  share <- coef(mle) / 5000
  expect_equal(diag(vcov(population)) - diag(vcov(mle)), 5000 * share * (1 - share), tolerance = 1e-6)

  few <- rr_incidence(rbind(c(1, 1, 0), c(0, 0, 0)), 0.2, method = "mle")
  expect_true(all(coef(few) >= 0))
  expect_equal(sum(coef(few)), 2)
  # The certificate by hand: no score exceeds 1.
  channel <- .Call(C_rr_incidence_channel, 3, 0.2, FALSE)
  reported <- as.vector((coef(few) / 2) %*% channel)
  expect_lte(max(channel[, c(1, 3)] %*% (0.5 / reported[c(1, 3)])), 1 + 1e-8)
})

test_that("the maximum is certified for many sets, where inversion is hopeless", {
  set.seed(5)
  seen <- matrix(runif(2000 * 60) < 0.2, 2000)
  fit <- rr_incidence(xor(seen, runif(length(seen)) < 0.25), 0.25, method = "mle")
  expect_lte(fit$gap, 1e-8)
  expect_equal(sum(coef(fit)), 2000)
  # the mean of t is well determined: 60 * 0.2, within four standard errors of a mean of 2000 debiased sums
  expect_lte(abs(sum(0:60 * coef(fit)) / 2000 - mean(rowSums(seen))), 4 * sqrt(60 * 0.75 / 2000))
})

test_that("with unequal flips the likelihood uses the mean over subsets", {
  set.seed(3)
  flip <- c(0.05, 0.2, 0.3)
  seen <- matrix(runif(30000) < 0.3, 10000)
  bits <- xor(seen, matrix(runif(30000) < rep(flip, each = 10000), 10000))
  mle <- tidy(rr_incidence(bits, flip, method = "mle"))
  truth <- c(table(factor(rowSums(seen), 0:3)), vapply(1:3, function(t) sum(rowSums(seen) >= t), 1))
  # sets are exchangeable here, so the working channel is right: 4 standard errors for 7 counts
  expect_lte(max(abs(mle$estimate - truth) / mle$std.error, na.rm = TRUE), 4)
})

test_that("intervals cover", {
  set.seed(4)
  seen <- matrix(runif(4 * 1500) < 0.4, 1500)
  truth <- c(table(factor(rowSums(seen), 0:4)), vapply(1:4, function(t) sum(rowSums(seen) >= t), 1))
  hit <- vapply(1:300, function(i) {
    table <- tidy(rr_incidence(xor(seen, runif(6000) < 0.1), 0.1), conf.int = TRUE)
    table$conf.low <= truth & truth <= table$conf.high
  }, logical(9))
  # 300 replications of 9 intervals: binomial standard error 0.013 each, three of them allowed
  expect_true(all(rowMeans(hit) > 0.95 - 0.04))
})

test_that("bad input and limits", {
  bits <- cbind(c(0, 1), c(1, 1))
  expect_snapshot(error = TRUE, {
    rr_incidence(bits, 0.5)
    rr_incidence(cbind(c(0, 1), c(2, 1)), c(0.1, 0.2))
    rr_incidence(bits, matrix(c(0.1, 0.5, 0.1, 0.1), 2))
    rr_incidence(bits, matrix(0.1, 2, 2), method = "mle")
    rr_incidence(c(rr_bit_counts(1:2, 3, 0.1), rr_bit_counts(1:2, 3, 0.2)))
    rr_incidence(rr_bit_counts(1:2, 2000, 0.4))
    rr_incidence(rr_bit_counts(1:2, 6000, 0.01))
    rr_incidence(bits, 0.1, tolerance = 0)
  })
})

test_that("printing, tables and pictures", {
  bits <- cbind(c(0, 1, 1, 1), c(1, 1, 0, 1))
  expect_snapshot({
    rr_incidence(bits, 0.1)
    rr_incidence(bits, 0.1, method = "mle", tolerance = 1e-6)
    tidy(rr_incidence(bits, 0.1), conf.int = TRUE)
  })
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(rr_incidence(bits, 0.1))
  expect_identical(picture$data$estimate, tidy(rr_incidence(bits, 0.1))$estimate)
})
