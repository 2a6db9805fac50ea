ordered_grr <- function(k = 4) rr_grr(factor(letters[1:k], ordered = TRUE), epsilon = 1)

test_that("cumulative shares are sums with the errors of the covariance matrix", {
  tally <- rr_counts(cbind(north = c(300, 250, 250, 200), south = c(220, 260, 290, 230)), ordered_grr())
  for (method in c("inv", "mle")) {
    fit <- rr_estimate(tally, method = method)
    cdf <- rr_contrast(fit, cumulative = TRUE)
    expect_identical(cdf$term, sub(":", ":up to ", names(coef(fit))))
    expect_identical(dimnames(vcov(cdf)), list(cdf$term, cdf$term))
    expect_equal(cdf$estimate, c(cumsum(fit$estimate[, 1]), cumsum(fit$estimate[, 2])), ignore_attr = TRUE)
    lower <- kronecker(diag(2), lower.tri(diag(4), diag = TRUE))
    variance <- diag(lower %*% vcov(fit) %*% t(lower))
    expect_equal(cdf$std.error[-c(4, 8)]^2, variance[-c(4, 8)])
    expect_identical(cdf$std.error[c(4, 8)], c(0, 0))
    sums <- list("north:b" = c("north:a", "north:b"), "south:b" = c("south:a", "south:b"))
    same <- c("estimate", "std.error", "conf.low", "conf.high")
    expect_equal(rr_contrast(fit, "b", conf.level = 0.9, cumulative = TRUE)[same], rr_contrast(fit, sums, conf.level = 0.9)[same], ignore_attr = TRUE)
  }
  # Of independent binomial counts: the sum of two categories of k-ary randomized response is binomial.
  one <- rr_estimate(rr_counts(c(300, 250, 250, 200), ordered_grr()), method = "inv")
  m <- ordered_grr()
  expect_equal(rr_contrast(one, cumulative = TRUE)$std.error[2], sqrt(0.55 * 0.45 / 999) / (m$p - m$q), tolerance = 1e-12)
})

test_that("quantiles are interpolated in bins, and levels where there are none", {
  # The truth is told nearly always: shares .1, .4, .3, .2.
  sharp <- function(levels) rr_grr(levels, epsilon = 500)
  counts <- c(100, 400, 300, 200)
  named <- rr_quantile(rr_estimate(rr_counts(counts, sharp(factor(letters[1:4], ordered = TRUE)))), c(0, 0.1, 0.11, 0.5, 0.51, 1))
  expect_identical(named$level, c("a", "a", "b", "b", "c", "d"))
  expect_identical(named$estimate, c(1, 1, 2, 2, 3, 4))
  numbers <- rr_quantile(rr_estimate(rr_counts(counts, sharp(c(10, 20, 30, 60)))), 0.6)
  expect_identical(numbers$estimate, 30)
  probs <- c(0.05, 0.5, 0.85)
  edges <- c(0, 10, 20, 30, 60)
  binned <- rr_quantile(rr_estimate(rr_counts(counts, sharp(c(10, 20, 30, 60)))), probs, breaks = edges)
  expect_equal(binned$estimate, c(5, 20, 37.5))
  # By hand: which points of the polygons through the limits of binomial shares of 1000, at the breaks, reach the probability?
  shares <- c(0, 0.1, 0.5, 0.8, 1)
  half <- qnorm(0.975) * sqrt(shares * (1 - shares) / 1000)
  expect_equal(binned$conf.low, approx(shares + half, edges, probs)$y, tolerance = 1e-8)
  expect_equal(binned$conf.high, approx(shares - half, edges, probs)$y, tolerance = 1e-8)
  expect_equal(binned$std.error, (binned$conf.high - binned$conf.low) / (2 * qnorm(0.975)))
  # The square wave brings its own breaks.
  wave <- rr_square_wave(c(0, 10, 20, 30, 60), 600)
  expect_equal(rr_quantile(rr_estimate(rr_counts(counts, wave)), 0.5)$estimate, 20, tolerance = 1e-9)
})

test_that("cumulative shares that fall are made the nearest that do not", {
  expect_equal(candor:::monotone_shares(c(0.5, -0.1, 0.2, 0.4)), c(0.45, 0.45, 0.6, 1))
  expect_equal(candor:::monotone_shares(c(-0.1, 0.6, 0.6, -0.1)), c(0, 0.5, 1, 1))
  expect_equal(candor:::monotone_shares(c(0.2, 0.3, 0.5)), c(0.2, 0.5, 1))
})

test_that("intervals of quantiles cover", {
  skip_on_cran()
  set.seed(1)
  m <- rr_hierarchy(32, 2)
  theta <- dbinom(0:31, 31, 0.3)
  # The median of numbers that are uniform within their bins.
  cumulative <- cumsum(theta)
  at <- which(cumulative >= 0.5)[1]
  median <- at - 1 + (0.5 - cumulative[at - 1]) / theta[at]
  # 200 surveys are drawn at once.
  reports <- rr_perturb(sample(32, 3000 * 200, TRUE, theta), m, rng = "R")
  counts <- rr_tally(reports, m, by = rep(1:200, each = 3000))$counts
  covered <- apply(counts, 2, function(counts) {
    found <- rr_quantile(rr_estimate(rr_counts(counts, m, n = 3000)), 0.5, breaks = 0:32)
    found$conf.low <= median && median <= found$conf.high
  })
  # 95 in 100 of 200, five standard deviations of 0.0154 below.
  expect_gte(mean(covered), 0.95 - 5 * 0.0154)
})

test_that("the limits are levels at which the cumulative limits, one by one, reach the probability", {
  set.seed(2)
  probs <- c(0.03, 0.5, 0.9, 0.97)
  for (k in c(16, 64)) {
    mechanism <- rr_hierarchy(k, epsilon = 2)
    truth <- sample(k, 800, TRUE, dbinom(1:k - 1, k - 1, 0.3))
    fit <- rr_estimate(rr_perturb(mechanism$levels[truth], mechanism, rng = "R"), mechanism)
    found <- rr_quantile(fit, probs)
    lower <- 1 * outer(seq_len(k - 1), seq_len(k), `>=`)
    colnames(lower) <- names(coef(fit))
    sums <- rr_contrast(fit, lower)
    values <- as.numeric(mechanism$levels)
    # Limits of more levels may rise and fall, so that there are several; of few levels the first is the limit.
    crossings <- function(limit, p) values[limit >= p & c(-Inf, limit[-length(limit)]) < p]
    for (i in seq_along(probs)) {
      low <- pmin(crossings(c(sums$conf.high, 1), probs[i]), found$estimate[i])
      high <- pmax(crossings(c(sums$conf.low, 1), probs[i]), found$estimate[i])
      if (k == 16) expect_identical(c(found$conf.low[i], found$conf.high[i]), c(low[1], high[1]))
      expect_true(found$conf.low[i] %in% low && found$conf.high[i] %in% high)
    }
  }
})

test_that("intervals of high quantiles cover, where noise carries the cumulative share to 1", {
  skip_on_cran()
  set.seed(3)
  mechanism <- rr_hierarchy(16, epsilon = 2)
  theta <- dbinom(0:15, 15, 0.3)
  probs <- c(0.03, 0.5, 0.97, 0.99)
  truth <- vapply(probs, function(p) which(cumsum(theta) >= p)[1], 1L)
  reports <- rr_perturb(mechanism$levels[sample(16, 500 * 200, TRUE, theta)], mechanism, rng = "R")
  found <- rr_quantile(rr_estimate(rr_tally(reports, mechanism, by = rep(1:200, each = 500))), probs)
  covered <- matrix(found$conf.low <= truth & found$conf.high >= truth, length(probs))
  # 95 in 100 of 200, three standard deviations of 0.0154 below; Woodruff's limits covered .76 and .55 at .97 and .99.
  expect_gte(min(rowMeans(covered)), 0.95 - 3 * 0.0154)
})

test_that("groups have quantiles of their own, and at the boundary intervals are there without a warning", {
  fit <- rr_estimate(rr_counts(cbind(n = c(100, 400, 300, 200), s = c(400, 300, 200, 100)), rr_grr(c(10, 20, 30, 40), epsilon = 5)))
  found <- rr_quantile(fit, c(0.25, 0.5))
  expect_identical(found$group, c("n", "n", "s", "s"))
  expect_equal(found$estimate[3:4], rr_quantile(fit["s"], c(0.25, 0.5))$estimate)
  held <- estimate_doubted(rr_counts(c(500, 480, 10, 10), ordered_grr()))
  expect_silent(edge <- rr_quantile(held, c(0.5, 0.9)))
  expect_true(all(edge$conf.low <= edge$estimate & edge$estimate <= edge$conf.high))
  # Where no standard error is known there is no interval.
  wave <- rr_square_wave(0:4, 2)
  expect_message(smoothed <- rr_quantile(rr_estimate(rr_counts(seq(20, 70, by = 10)[seq_along(wave$reports)], wave), method = "smoothed"), 0.5),
                 class = "candor_message_no_intervals")
  expect_true(is.finite(smoothed$estimate) && is.na(smoothed$conf.low))
})

test_that("what has no order, and bad arguments, are refused", {
  fit <- rr_estimate(rr_counts(c(3, 4, 5, 6), ordered_grr()))
  for (read in list(rr_quantile, function(fit) rr_contrast(fit, cumulative = TRUE))) {
    expect_refused(read(1), read(rr_estimate(rr_counts(1:3, rr_grr(c("a", "b", "c"), epsilon = 1)))),
                   read(rr_estimate(rr_counts(1:4, rr_product(a = rr_warner(0.8), b = rr_warner(0.8))))))
  }
  expect_error(rr_contrast(fit, "z", cumulative = TRUE), class = "candor_error_level")
  expect_error(rr_quantile(fit, 2), class = "candor_error_argument")
  for (breaks in list(1:3, c(1, 2, 3, 3, 4))) expect_error(rr_quantile(fit, breaks = breaks), class = "candor_error_argument")
})

test_that("cumulative shares at the boundary have intervals for channels too, which cover", {
  # k-ary randomized response as any channel: the reports of several categories are binomial, and the score interval is Wilson's.
  grr <- ordered_grr(5)
  channel <- rr_channel(unname(rr_matrix(grr)), levels = factor(letters[1:5], ordered = TRUE))
  counts <- c(300, 280, 260, 80, 80)
  boundary <- function(mechanism) suppressWarnings(rr_contrast(rr_estimate(rr_counts(counts, mechanism), method = "mle"), cumulative = TRUE))
  known <- boundary(grr)
  same <- boundary(channel)
  expect_true(anyNA(same$std.error))
  expect_equal(same[c("estimate", "conf.low", "conf.high")], known[c("estimate", "conf.low", "conf.high")], tolerance = 1e-6)
  # All samples of 12 reports under a truth at the boundary, with their probabilities. Normal theory would give no interval or a point.
  geometric <- rr_geometric(1:4, epsilon = 1)
  truth <- c(0.6, 0.4, 0, 0)
  samples <- unname(as.matrix(expand.grid(0:12, 0:12, 0:12)))
  samples <- cbind(samples, 12 - rowSums(samples))
  samples <- samples[samples[, 4] >= 0, ]
  chance <- apply(samples, 1, stats::dmultinom, prob = drop(truth %*% unname(rr_matrix(geometric))))
  # Rare samples are left out and count as not covered.
  samples <- samples[chance > 2e-4, ]
  chance <- chance[chance > 2e-4]
  # Samples are groups of one tally, with two cumulative shares each.
  cdf <- suppressWarnings(rr_contrast(rr_estimate(rr_counts(t(samples), geometric)), 2:3, cumulative = TRUE))
  expect_identical(cdf$term[1:4], c("1:up to 2", "1:up to 3", "2:up to 2", "2:up to 3"))
  expect_identical(cdf$term[is.na(cdf$conf.low)], character())
  covered <- matrix(cdf$conf.low <= 1 & cdf$conf.high >= 1 - 1e-12, 2)
  expect_true(all(covered %*% chance > 0.94))
})

test_that("quartiles are the default, in rising order, whatever was estimated", {
  quartiles <- c(0.25, 0.5, 0.75)
  ordered <- rr_grr(1:4, epsilon = 2)
  expect_identical(rr_quantile(rr_estimate(rr_counts(c(40, 30, 20, 10), ordered)))$prob, quartiles)
  expect_identical(rr_quantile(rr_estimate(rr_counts(cbind(a = c(40, 30, 20, 10), b = c(10, 30, 40, 20)), ordered)))$prob, rep(quartiles, 2))
  joint <- rr_estimate(rr_counts(rep(c(40, 30, 20, 10), 2), rr_product(a = ordered, b = rr_warner(0.8))), method = "inv")
  expect_identical(rr_quantile(rr_margin(joint, "a"))$prob, quartiles)
  posterior <- rr_posterior(rr_counts(c(no = 60, yes = 41), rr_warner(0.8)))
  expect_identical(colnames(quantile(posterior)), c("2.5%", "25.0%", "50.0%", "75.0%", "97.5%"))
  expect_false(is.unsorted(quantile(posterior)["yes", ]))
})

test_that("cumulative shares, the level that reaches a probability, and the levels that are looked at, by hand", {
  expect_equal(monotone_shares(c(0.2, 0.5, 0.3)), c(0.2, 0.7, 1))
  # Sums of .4, .3, 1: the first two are pooled to .35.
  expect_equal(monotone_shares(c(0.4, -0.1, 0.7)), c(0.35, 0.35, 1))
  expect_equal(monotone_shares(c(-0.2, 0.5, 0.8)), c(0, 0.3, 1))
  shares <- c(0.2, 0.7, 0.7, 1)
  expect_identical(reach_share(shares, c(0, 0.2, 0.2 + 1e-13, 0.21, 0.7, 1, NA), list(values = c(10, 20, 30, 40))),
                   list(level = c(1L, 1L, 1L, 2L, 2L, 4L, NA), value = c(10, 10, 10, 20, 20, 40, NA)))
  # Within a bin by its part of the share: .45 is half of the second bin.
  binned <- reach_share(shares, c(0, 0.1, 0.45, 0.85, 1), list(breaks = c(0, 2, 6, 7, 9)))
  expect_equal(binned$value, c(0, 1, 4, 8, 9))
  # Nobody is in the first bin, which reaches 0 at its start.
  expect_identical(reach_share(c(0, 0.5, 1), c(0, 0.25), list(breaks = c(3, 4, 6, 7)))$value, c(3, 5))
  expect_identical(inner_levels(0.5, c(0.1, NA, NA, 0.4, NA, NA, NA, 0.9, 1)), 5:7)
  expect_identical(inner_levels(0.5, c(NA, NA, 1)), 1:2)
  expect_identical(inner_levels(0.5, c(rep(NA, 16), 1)), 8L)
  expect_identical(inner_levels(0.5, c(rep(NA, 15), 1)), 1:15)
  expect_identical(inner_levels(0.5, c(0.1, 0.6, 1)), integer())
  expect_identical(quantile_edges(rr_grr(c("a", "b", "c"), 1), NULL), list(values = 1:3))
  expect_identical(quantile_edges(rr_grr(c(5, 7, 9), 1), NULL), list(values = c(5, 7, 9)))
  expect_refused(quantile_edges(rr_grr(3, 1), c(0, 1, 2)), quantile_edges(rr_grr(3, 1), c(0, 1, 1, 2)), quantile_edges(rr_grr(3, 1), c(0, 1, 2, Inf)))
})

test_that("hulls of what is accepted: of levels, and of quadratics within bins", {
  hull <- level_hull(c(10, 20, 30))
  # The excess is at -Inf and at each value; what is accepted ends before the next value.
  expect_identical(hull(c(1, -1, 1, 1)), c(10, 20))
  expect_identical(hull(c(1, -1, 1, -1)), c(10, Inf))
  expect_identical(hull(c(-1, 1, 1, 1)), c(-Inf, 10))
  expect_identical(hull(c(1, 0, 1, 1)), c(10, 20))
  expect_null(hull(c(1, 1, 1, 1)))
  # (t - 1.2)(t - 3) at the breaks and halfway.
  bins <- bin_hull(c(0, 2, 4, 8))
  f <- function(t) (t - 1.2) * (t - 3)
  expect_equal(bins(f(c(0, 1, 2, 3, 4, 6, 8))), c(1.2, 3), tolerance = 1e-10)
  g <- function(t) (t - 1.2) * (t + 3)
  expect_equal(bins(g(c(0, 1, 2, 3, 4, 6, 8))), c(-Inf, 1.2), tolerance = 1e-10)
  expect_equal(bins(-g(c(0, 1, 2, 3, 4, 6, 8))), c(1.2, Inf), tolerance = 1e-10)
  expect_null(bins(rep(1, 7)))
  # The score of a probability: S^2 - z^2 V, with S = below - prob total and what a member adds.
  sums <- list(below = c(30, 80, 100), total = 100, member = 0.5, variances = list(below = c(4, 6, 9), cross = c(3, 5, 9), total = 9))
  z <- 1.7
  seen <- NULL
  inverted_limits(0.4, z, sums, function(excess) {
    seen <<- excess
    c(0, 0)
  })
  below <- c(0, sums$below)
  V <- c(0, 4, 6, 9) - 2 * 0.4 * c(0, 3, 5, 9) + 0.4^2 * 9
  # S members are moved above the level: each counts (1 - .4)^2 below it and .4^2 above.
  S <- below - 40
  expect_equal(seen, S^2 - z^2 * (V - S * 0.5 * (0.6^2 - 0.4^2)), tolerance = 1e-10)
})

test_that("quantiles of a class in bins: where numbers below it, even within bins, are not told apart from the share of all", {
  breaks <- c(0, 2, 5, 10)
  below <- c(30, 70, 100)
  sigma <- crossprod(matrix(c(5, 2, 1, 3, 6, 2, 1, 2, 4), 3))
  # The numbers below x and below them all, as weights of those at the breaks.
  x <- seq(0, 10, by = 1e-3)
  weights <- vapply(1:3, function(j) approx(breaks, c(0, 1:3 == j), x)$y, x)
  # What members add is known for the levels alone, or 0; between levels it changes evenly.
  for (crossing in list(c(0, 0, 0), c(0.3, 0.9, 0.6))) for (prob in c(0.4, 0.9, 0.999)) {
    excess <- sweep(weights, 2, prob * c(0, 0, 1))
    S <- drop(excess %*% below)
    moved <- S * (2 * prob * crossing[3] - approx(breaks, crossing[c(1, 1:3)], x)$y)
    variance <- rowSums((excess %*% sigma) * excess) + moved
    accepted <- x[S^2 <= 1.96^2 * variance]
    row <- level_quantiles(prob, 1.96, below, sigma, crossing, list(breaks = breaks))
    # The value reaches the share; a limit at an end is infinite.
    expect_equal(row$estimate, approx(c(0, below / 100), breaks, prob)$y, tolerance = 1e-10)
    expect_equal(row$place, approx(c(0, below / 100), 0:3, prob)$y, tolerance = 1e-10)
    limits <- range(accepted)
    expect_equal(c(row$low, row$high), ifelse(limits %in% c(0, 10), c(-Inf, Inf), limits), tolerance = 1e-3)
  }
})

test_that("a cumulative share without limits may be any, and the others keep theirs", {
  fit <- rr_estimate(rr_counts(c(30, 50, 40, 80), rr_grr(letters[1:4], epsilon = 2)))
  second <- sum(coef(fit)[1:2])
  limits_of <- function(values) {
    with_calls(cumulative_limits, contrast_values = values)(fit, 1L, c(0.1, 0.3, 0.5, 0.7), 0.95)
  }
  known <- limits_of(contrast_values)
  lost <- limits_of(function(...) {
    value <- contrast_values(...)
    value$table[abs(value$table$estimate - second) < 1e-12, c("conf.low", "conf.high")] <- NA
    value
  })
  expect_false(anyNA(unlist(known)))
  expect_identical(c(lost$low[2], lost$high[2]), c(0, 1))
  expect_identical(lapply(lost, `[`, -2), lapply(known, `[`, -2))
  none <- limits_of(function(...) list(table = data.frame(conf.low = NA_real_, conf.high = NA_real_)[rep(1, 3), ]))
  expect_true(all(is.na(unlist(none))))
})

test_that("the columns are groups or classes, the probability, the estimate with its error, and the limits", {
  numbers <- c("prob", "estimate", "std.error", "conf.low", "conf.high")
  fit <- rr_estimate(rr_counts(cbind(n = c(200, 300, 280, 220), s = c(260, 240, 250, 250)), ordered_grr()))
  expect_identical(names(rr_quantile(fit, 0.5)), append(c("group", numbers), "level", 2))
  expect_identical(attr(rr_quantile(fit, 0.5), "keys"), c("group", "prob"))
  data <- data.frame(y = 1:40, x = rep(c("no", "yes"), c(10, 30)))
  classes <- rr_predictor(y ~ 0 + x, data, list(x = rr_warner(0.9)))
  expect_identical(names(rr_quantile(classes, 0.5)), c("x", numbers))
  expect_identical(names(rr_quantile(classes, 0.5, difference = TRUE)), c("group1", "group2", numbers))
})

test_that("limits of differences are Zou and Donner's with the correlation of both sums; rows of a class reach to its estimate", {
  x <- list(estimate = c(3, 2), low = c(1, 0), high = c(6, 4), place = c(7, 5))
  y <- list(estimate = c(8, 9), low = c(7, 5), high = c(12, Inf), place = c(4, 6))
  asked <- NULL
  found <- quantile_differences(list(x, y), c("u", "v"), c(0.2, 0.6), function(pair, places, prob) {
    asked <<- rbind(asked, c(pair, places, prob))
    0.3
  })
  expect_identical(asked, rbind(c(1, 2, 7, 4, 0.2), c(1, 2, 5, 6, 0.6)))
  # Towards the lower end y reaches down and x up: sqrt(a^2 + b^2 - 2 r a b).
  reach <- function(a, b) sqrt(a^2 + b^2 - 0.6 * a * b)
  by_hand <- data.frame(group1 = "u", group2 = "v", prob = c(0.2, 0.6), estimate = c(5, 7))
  by_hand$low <- by_hand$estimate - c(reach(1, 3), reach(4, 2))
  by_hand$high <- c(5 + reach(4, 2), Inf)
  expect_equal(as.data.frame(found), by_hand)
  none <- replace(x, "estimate", list(c(NA_real_, NA_real_)))
  expect_identical(quantile_differences(list(none, y), c("u", "v"), c(0.2, 0.6), stop)$high, c(NA_real_, NA_real_))
  expect_refused(quantile_differences(list(x), "u", c(0.2, 0.6), stop))
  expect_equal(known_correlation(rbind(c(4, 3), c(3, 9))), 0.5)
  expect_identical(known_correlation(rbind(c(4, 3), c(3, 0))), 0)
  expect_identical(c(known_correlation(rbind(c(1, 2), c(2, 1))), known_correlation(rbind(c(1, -2), c(-2, 1)))), c(1, -1))
  limits <- rbind(c(1, 6, NA), c(4, 6.5, NA))
  rows <- class_rows(c(0.2, 0.5, 0.7), c(3, 5, 8), limits, 10, 1:3)
  expect_identical(rows[c("low", "high")], list(low = c(1, 5, 8), high = c(4, 6.5, 8)))
  expect_true(all(is.na(unlist(class_rows(c(0.2, 0.5, 0.7), c(3, 5, 8), limits, 0, 1:3)[c("estimate", "low", "high")]))))
})

test_that("levels that are too coarse for an interval leave no standard error", {
  found <- rr_quantile(rr_estimate(rr_counts(c(220, 300, 260, 220) * 1e4, ordered_grr())), c(0.25, 0.5))
  expect_identical(found$conf.low, found$conf.high)
  expect_identical(found$std.error, c(NA_real_, NA_real_))
})
