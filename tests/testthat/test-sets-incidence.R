test_that("the channel is the convolution of two binomials, and its closed-form inverse is its inverse", {
  for (flip in c(0.05, 0.3, 0.8)) {
    for (n in c(1, 3, 8)) {
      channel <- .Call(C_rr_incidence_channel, n, flip, FALSE)
      inverse <- .Call(C_rr_incidence_channel, n, flip, TRUE)
      expect_equal(channel, t(sum_channel(n, flip)), tolerance = 1e-13)
      expect_equal(inverse, solve(channel), tolerance = 1e-8)
      expect_equal(1 - inverse[, 1], tidy(rr_extreme(rr_tally(ones = 0:n, n = n, flip = flip)))$estimate, tolerance = 1e-11)
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
    union <- tidy(rr_set_size(bits, flip))
    both <- tidy(rr_set_size(bits, flip, "intersection"))
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
  skip_on_cran()
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

# The largest log-likelihood among distributions that put `share` on the cells `inside`, by EM within each part.
largest_given_share <- function(channel, counts, inside, share) {
  theta <- ifelse(inside, share / sum(inside), (1 - share) / sum(!inside))
  for (i in 1:20000) {
    last <- theta
    theta <- theta * as.vector(channel %*% (counts / as.vector(theta %*% channel)))
    theta[inside] <- share * theta[inside] / sum(theta[inside])
    theta[!inside] <- (1 - share) * theta[!inside] / sum(theta[!inside])
    if (max(abs(theta - last)) < 1e-15) break
  }
  sum((counts * log(as.vector(theta %*% channel)))[counts > 0])
}

test_that("intervals of maximum likelihood end where the profile does, found another way", {
  channel <- t(sum_channel(3, 0.2))
  for (counts in list(c(10, 10, 0, 0), c(30, 40, 20, 10))) {
    fit <- rr_incidence(rr_tally(ones = rep(0:3, counts), n = 3, flip = 0.2), method = "mle")
    table <- tidy(fit, conf.int = TRUE)
    top <- sum((counts * log(as.vector(coef(fit) / sum(counts)) %*% channel))[counts > 0])
    for (i in seq_len(nrow(table))) {
      inside <- if (table$type[i] == "exactly") 0:3 == table$sets[i] else 0:3 >= table$sets[i]
      for (bound in c(table$conf.low[i], table$conf.high[i])) {
        if (bound <= 0 || bound >= sum(counts)) next
        drop <- 2 * (top - largest_given_share(channel, counts, inside, bound / sum(counts)))
        expect_equal(drop, qchisq(0.95, 1), tolerance = 1e-4)
      }
    }
  }
})

test_that("what is estimated as 0, or as all, has no standard error but an interval", {
  bits <- matrix(c(rep(c(1, 0, 0), 10), rep(c(0, 0, 0), 10)), 20, 3, byrow = TRUE)
  for (target in c("population", "sample")) {
    fit <- rr_incidence(bits, 0.2, method = "mle", target = target)
    table <- tidy(fit, conf.int = TRUE)
    expect_identical(table$estimate, c(20, rep(0, 6)))
    expect_true(all(is.na(table$std.error)))
    expect_true(all(is.na(vcov(fit))))
    expect_lt(table$conf.low[1], 18)
    expect_true(all(table$conf.high[-1] > if (target == "population") 2 else 0.5))
  }
  # Without noise, and with no other elements, nothing is left open.
  exact <- tidy(rr_incidence(bits, 0, method = "mle", target = "sample"), conf.int = TRUE)
  expect_equal(exact$conf.low, exact$estimate)
  expect_equal(exact$conf.high, exact$estimate)
})

test_that("too many sets for a profile have no intervals", {
  fit <- rr_incidence(rr_tally(ones = c(0, 30, 201), n = 201, flip = 0.1), method = "mle")
  expect_true(all(is.na(tidy(fit, conf.int = TRUE)$conf.low)))
  expect_equal(sum(coef(fit)), 3)
})

# Elements in t sets with probability (or, for fixed elements, in the proportion) `share`.
incidence_coverage <- function(share, m, flip, target, replications) {
  n <- length(share) - 1
  truth <- m * c(share, rev(cumsum(rev(share)))[-1])
  # Few elements have few tallies, and a tally that was seen has the intervals that it had.
  seen <- new.env()
  hits <- vapply(seq_len(replications), function(i) {
    t <- if (target == "population") sample(0:n, m, TRUE, share) else rep(0:n, round(m * share))
    reports <- xor(outer(t, seq_len(n), `>=`), matrix(runif(m * n) < flip, m))
    key <- paste(tabulate(rowSums(reports) + 1, n + 1), collapse = " ")
    table <- seen[[key]]
    if (is.null(table)) {
      table <- tidy(rr_incidence(reports, flip, method = "mle", target = target), conf.int = TRUE)
      assign(key, table, seen)
    }
    # a truth at the end of the scale is held by an interval that ends there, but for rounding
    table$conf.low <= truth + 1e-6 & truth <= table$conf.high + 1e-6
  }, logical(2 * n + 1))
  rowMeans(hits)
}

test_that("intervals of maximum likelihood cover at the boundary and inside", {
  skip_on_cran()
  set.seed(6)
  # 100 replications of 7 intervals, and 50 inside, where few tallies are seen twice; 1,000 in the long tests each week. Three
  # binomial standard errors at 0.95 are allowed.
  times <- extended(100, 1000)
  inside <- extended(50, 1000)
  error <- sqrt(0.95 * 0.05 / times)
  for (target in c("population", "sample")) {
    expect_gte(min(incidence_coverage(c(0.9, 0.1, 0, 0), 20, 0.2, target, times)), 0.95 - 3 * error)
    expect_gte(min(incidence_coverage(c(0.5, 0.3, 0.15, 0.05), 100, 0.1, target, inside)), 0.95 - 3 * sqrt(0.95 * 0.05 / inside))
    # All elements in all sets fixes every share at once, which one degree of freedom does not allow for: 0.93 in 1000
    # replications, three standard errors from there
    expect_gte(min(incidence_coverage(c(0, 0, 0, 1), 40, 0.1, target, times)), 0.93 - 3.6 * error)
  }
})

test_that("bad input and limits", {
  bits <- cbind(c(0, 1), c(1, 1))
  expect_output(print(rr_incidence(bits, 0.1)), "2 elements in 2 noisy sets, by inversion", fixed = TRUE)
  expect_error(rr_incidence(bits, 0.5), class = "candor_error_no_information")
  expect_error(rr_incidence(cbind(c(0, 1), c(2, 1)), c(0.1, 0.2)), class = "candor_error_argument")
  expect_error(rr_incidence(bits, matrix(c(0.1, 0.5, 0.1, 0.1), 2)), class = "candor_error_no_information")
  tally <- function(n, flip) rr_tally(ones = 1:2, n = n, flip = flip)
  expect_refused(rr_incidence(c(tally(3, 0.1), tally(3, 0.2))), rr_incidence(tally(2000, 0.4)))
})

test_that("numbers of at least t sets are sums from the top, with the covariance of all of them", {
  set.seed(8)
  bits <- matrix(stats::rbinom(600, 1, 0.35), 200)
  x <- rr_incidence(bits, 0.1)
  table <- as.data.frame(tidy(x))
  estimate <- unname(coef(x))
  expect_equal(table$estimate, c(estimate, rev(cumsum(rev(estimate)))[2:4]))
  expect_identical(table$sets, c(0:3, 1:3))
  V <- unname(vcov(x))
  tail <- vapply(1:3, function(t) sum(V[(t:3) + 1, (t:3) + 1]), 0)
  expect_equal(table$std.error, sqrt(c(diag(V), tail)))
  bounds <- as.data.frame(tidy(x, conf.int = TRUE, conf.level = 0.9))
  expect_equal(bounds$conf.low, pmax(0, table$estimate - stats::qnorm(0.95) * table$std.error), tolerance = 1e-8)
  printed <- printed_table(x, 10)
  expect_equal(printed$at.least, c(200, table$estimate[5:7]))
  expect_equal(printed[[5]], c(0, table$std.error[5:7]))
  expect_identical(count_breaks(c(-150, 2000)), c(-100, -10, 0, 10, 100, 1000))
  expect_identical(count_breaks(c(0, 60)), c(0, 10, 20, 50))
  expect_identical(count_breaks(c(0, 100)), c(0, 10, 100))
})

test_that("limits are refused for what cannot be estimated", {
  expect_error(check_incidence(list(n = 5001, flip = 0.1, m = 3), "inv"), class = "candor_error_argument")
  expect_no_error(check_incidence(list(n = 5000, flip = 1e-5, m = 3), "inv"))
  # (1 - 2 q)^-n beyond e^300.
  n <- floor(300 / -log(0.4))
  expect_no_error(check_incidence(list(n = n, flip = 0.3, m = 3), "inv"))
  expect_error(check_incidence(list(n = n + 1, flip = 0.3, m = 3), "inv"), class = "candor_error_argument")
  expect_no_error(check_incidence(list(n = n + 1, flip = 0.3, m = 3), "mle"))
  apart <- list(n = 2, flip = c(0.1, 0.2), m = 3)
  expect_error(check_incidence(apart, "inv"), class = "candor_error_argument")
  expect_no_error(check_incidence(c(apart, list(bits = matrix(0, 3, 2))), "mle"))
  expect_error(check_incidence(list(n = 2, flip = matrix(0.1, 3, 2), m = 3, bits = matrix(0, 3, 2)), "mle"), class = "candor_error_argument")
})

test_that("numbers of ones are whole, from 0 to the number of bits", {
  tally <- rr_tally(ones = c(a = 0L, b = 5L), n = 5, flip = 0.1)
  expect_identical(unclass(tally)[c("ones", "n", "flip", "labels")], list(ones = c(0, 5), n = 5, flip = 0.1, labels = c("a", "b")))
  expect_identical(rr_tally(ones = 1, n = 1, flip = 0.1)$n, 1)
  for (flip in list(c(0.1, 0.1), matrix(0.1, 2, 1), matrix(0.1, 1, 2))) {
    expect_error(rr_tally(ones = 1, n = 5, flip = flip), class = "candor_error_argument")
  }
  for (ones in list(-1, 6, 2.5, NA_real_, numeric(), "2", c(1, 7), c(-1, 2))) {
    expect_error(rr_tally(ones = ones, n = 5, flip = 0.1), class = "candor_error_argument")
  }
})

test_that("a tolerance is above 0 and bounds the log-likelihood", {
  tally <- rr_tally(ones = rep(0:3, c(30, 40, 20, 10)), n = 3, flip = 0.2)
  expect_refused(rr_incidence(tally, method = "mle", tolerance = 0), rr_incidence(tally, method = "mle", tolerance = -1), rr_incidence(tally, conf.level = 1),
                 rr_incidence(tally, target = "people"), rr_incidence(tally, method = "em"))
  channel <- t(sum_channel(3, 0.2))
  likelihood <- function(tolerance) {
    fit <- rr_incidence(tally, method = "mle", tolerance = tolerance)
    expect_lte(fit$gap, tolerance)
    sum(c(30, 40, 20, 10) * log(drop((coef(fit) / 100) %*% channel)))
  }
  expect_lte(abs(likelihood(2) - likelihood(1e-10)), 2)
  expect_identical(rr_incidence(tally, method = "mle")$target, "population")
  # Inversion's errors are about the elements as they are.
  expect_identical(rr_incidence(tally)$target, "sample")
})

test_that("intervals of these very elements lose the sampling of a binomial, but keep their share of the variance", {
  m <- 500
  counts <- round(m * c(0.4, 0.3, 0.2, 0.1) %*% t(sum_channel(3, 0.1)))
  tally <- rr_tally(ones = rep(0:3, counts), n = 3, flip = 0.1)
  table <- function(target) tidy(rr_incidence(tally, method = "mle", target = target), conf.int = TRUE)
  sampled <- table("population")
  fixed <- table("sample")
  share <- sampled$estimate / m
  z2 <- qchisq(0.95, 1)
  # Without noise the bounds are those of a binomial likelihood.
  clear <- vapply(share, function(p) {
    drop <- function(b) 2 * m * (p * log(p / b) + (1 - p) * log((1 - p) / (1 - b))) - z2
    m * c(uniroot(drop, c(1e-9, p), tol = 1e-12)$root, uniroot(drop, c(p, 1 - 1e-9), tol = 1e-12)$root)
  }, c(0, 0))
  least <- (sampled$std.error^2 - m * share * (1 - share)) / sampled$std.error^2
  for (side in 1:2) {
    bound <- sampled[[c("conf.low", "conf.high")[side]]]
    distance <- bound - sampled$estimate
    sampling <- pmin((clear[side, ] - sampled$estimate)^2, z2 * bound * (1 - bound / m))
    expect_equal(fixed[[c("conf.low", "conf.high")[side]]], sampled$estimate + distance * sqrt(pmax(1 - sampling / distance^2, least)), tolerance = 1e-5)
  }
})

test_that("the picture has the numbers of exactly and of at least t sets, with their intervals, on an axis that is logarithmic beyond 1", {
  skip_if_not_installed("ggplot2")
  fit <- rr_incidence(cbind(rep(0:1, c(30, 20)), rep(c(0, 1, 0), c(10, 25, 15))), 0.1, conf.level = 0.9)
  table <- tidy(fit, conf.int = TRUE)
  picture <- ggplot2::autoplot(fit)
  points <- ggplot2::layer_data(picture, 2)
  expect_identical(as.integer(points$PANEL), rep(1:2, 3:2))
  expect_equal(points$x, c(0:2, 1:2))
  expect_equal(points$y, asinh(table$estimate / 2))
  bars <- ggplot2::layer_data(picture, 1)
  expect_equal(c(bars$ymin, bars$ymax), asinh(c(table$conf.low, table$conf.high) / 2))
})

test_that("numbers of elements have the variances of their sums, and likelihood none where it puts nobody or everybody", {
  covariance <- rbind(c(4, -1, 0.5), c(-1, 2, -0.25), c(0.5, -0.25, 3))
  # In exactly 0, 1 and 2 sets, then in at least 1 and 2.
  estimate <- c(0, 4, 6, 10, 6)
  variances <- c(4, 2, 3, 2 + 3 - 2 * 0.25, 3)
  x <- list(sets = 2, n = 10, method = "inv")
  expect_equal(incidence_variances(covariance, x, estimate), variances)
  expect_equal(incidence_variances(covariance, replace(x, "method", "mle"), estimate), replace(variances, c(1, 4), NA))
})

test_that("bounds of these very elements: at the estimate they stay, at 0 and at all elements sampling takes nothing, and noise of one set opens them", {
  fit <- rr_incidence(rr_tally(ones = rep(0:2, c(30, 50, 20)), n = 2, flip = 0.1), method = "mle", target = "sample")
  table <- tidy(fit)
  sampled <- tidy(rr_incidence(rr_tally(ones = rep(0:2, c(30, 50, 20)), n = 2, flip = 0.1), method = "mle"))
  share <- table$estimate / 100
  least <- 1 - 100 * share * (1 - share) / sampled$std.error^2
  low <- c(table$estimate[1], 0, 1, 10, 2)
  high <- c(100, table$estimate[2], 100, 99, 60)
  level <- 0.9
  bounds <- sample_bounds(fit, table, list(low = low, high = high), level)
  ends <- vapply(share, function(p) {
    excess <- function(b) 200 * (p * log(p / b) + (1 - p) * log((1 - p) / (1 - b))) - qchisq(level, 1)
    100 * c(uniroot(excess, c(1e-9, p), tol = 1e-12)$root, uniroot(excess, c(p, 1 - 1e-9), tol = 1e-12)$root)
  }, c(0, 0))
  expected <- function(bound, clear) {
    distance <- bound - table$estimate
    taken <- pmin((clear - table$estimate)^2, qchisq(level, 1) * bound * (1 - bound / 100))
    left <- ifelse(distance == 0, 0, pmax(distance^2 - taken, least * distance^2))
    table$estimate + sign(distance) * sqrt(left)
  }
  expect_equal(bounds, list(low = expected(low, ends[1, ]), high = expected(high, ends[2, ])), tolerance = 1e-5)
  expect_identical(bounds$low[1:2], low[1:2])
  expect_identical(bounds$high[1:3], high[1:3])
  # A set without noise beside a noisy one leaves the numbers open; sets that are all turned around do not.
  reports <- cbind(rep(0:1, c(60, 40)), rep(c(0, 1, 0, 1), c(40, 20, 15, 25)))
  table <- function(flip) tidy(rr_incidence(reports, flip, method = "mle", target = "sample"), conf.int = TRUE)
  open <- table(c(0, 0.2))
  expect_true(all(open$conf.low < open$estimate & open$estimate < open$conf.high))
  for (flip in list(1, c(0, 1))) {
    closed <- table(flip)
    expect_equal(closed$conf.low, closed$estimate)
    expect_equal(closed$conf.high, closed$estimate)
  }
})
