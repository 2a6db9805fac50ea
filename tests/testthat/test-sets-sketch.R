test_that("sketches of the same items are the same, however the items are written", {
  expect_identical(rr_sketch(c("a", "b", "a")), rr_sketch(c("b", "a")))
  expect_identical(rr_sketch(1:100), rr_sketch(as.double(100:1)))
  expect_identical(rr_sketch(factor(c("x", "y"))), rr_sketch(c("y", "x")))
  latin <- iconv("caf\u00e9", "UTF-8", "latin1")
  expect_identical(rr_sketch(latin)$bits, rr_sketch("caf\u00e9")$bits)
  expect_false(identical(rr_sketch("a", key = "k1")$bits, rr_sketch("a", key = "k2")$bits))
  expect_identical(sum(rr_sketch(character())$bits), 0L)
  expect_identical(sum(rr_sketch("a", "linear")$bits), 1L)
  expect_lte(sum(rr_sketch("a", "bloom", hashes = 5)$bits), 5L)
})

test_that("hashing is fixed for ever: a published sketch can be merged next year", {
  expect_identical(which(rr_sketch(c("alpha", "beta"), "bloom", bits = 1000, hashes = 3)$bits == 1L), c(39L, 147L, 324L, 494L, 584L, 586L))
  expect_identical(which(rr_sketch(1:3, "pcsa", buckets = 16, levels = 8)$bits == 1L), c(1L, 32L, 33L))
})

test_that("without noise the size is right within its error", {
  for (n in c(10, 500, 3000)) {
    for (sketch in list(rr_sketch(seq_len(n), "linear"), rr_sketch(seq_len(n), "bloom", bits = 16384, hashes = 3),
                        rr_sketch(seq_len(n), "pcsa"))) {
      fit <- tidy(rr_set_size(sketch))
      # three standard errors of hashing: fixed items, a fixed hash
      expect_lte(abs(fit$estimate - n), 3 * fit$std.error)
    }
  }
})

# A sketch of n fresh items, on each of several sites with overlap, perturbed: coverage of the interval.
sketch_coverage <- function(type, epsilon, replications, ...) {
  hit <- vapply(seq_len(replications), function(i) {
    items <- 1500 * i + 1:1500
    sites <- list(items[1:800], items[500:1200], items[1000:1500])
    published <- lapply(sites, function(x) rr_sketch(x, type, ..., epsilon = epsilon, rng = "R"))
    fit <- tidy(rr_set_size(published), conf.int = TRUE)
    fit$conf.low <= 1500 && 1500 <= fit$conf.high
  }, TRUE)
  mean(hit)
}

test_that("intervals cover when sketches are perturbed and merged", {
  set.seed(1)
  # 200 replications: standard error 0.015 at 0.95, three allowed
  expect_gte(sketch_coverage("linear", 3, 200, bits = 2048), 0.95 - 0.046)
  expect_gte(sketch_coverage("bloom", 6, 200, bits = 4096, hashes = 2), 0.95 - 0.046)
  expect_gte(sketch_coverage("pcsa", 4, 200, buckets = 256, levels = 20), 0.95 - 0.046)
})

test_that("the estimate's spread is its standard error", {
  set.seed(2)
  fits <- lapply(1:150, function(i) {
    items <- paste("x", i, 1:1000)
    tidy(rr_set_size(rr_sketch(items, "linear", bits = 2048, epsilon = 2, rng = "R")))
  })
  estimate <- vapply(fits, `[[`, 1, "estimate")
  error <- vapply(fits, `[[`, 1, "std.error")
  # the relative error of a standard deviation of 150 is 0.058; bias within three standard errors of the mean
  expect_lte(abs(sd(estimate) / mean(error) - 1), 0.18)
  expect_lte(abs(mean(estimate) - 1000), 3 * sd(estimate) / sqrt(150))
})

test_that("flips of an item's epsilon", {
  expect_equal(rr_sketch(1:10, "bloom", hashes = 2, epsilon = 2, rng = "R")$flip, 1 / (1 + exp(1)))
  expect_equal(rr_sketch(1:10, "pcsa", epsilon = 2, rng = "R")$flip, 1 / (1 + exp(2)))
  set.seed(3)
  flipped <- rr_sketch(integer(), "linear", bits = 1e5, flip = 0.2, rng = "R")
  expect_lte(abs(mean(flipped$bits) - 0.2), 4 * sqrt(0.16 / 1e5)) # four standard errors
  expect_true(all(rr_sketch(1:10, epsilon = 1)$bits %in% 0:1)) # the secure generator
})

test_that("merged bits are randomized responses with the flip they say", {
  set.seed(4)
  flip <- c(0.05, 0.2, 0.9)
  truths <- all_bits(3)
  for (type in c("any", "all")) {
    for (i in c(1, 2, 4, 8)) {
      truth <- matrix(rep(truths[i, ], each = 40000), 40000)
      merged <- rr_merge_bits(xor(truth == 1, runif(120000) < rep(flip, each = 40000)), flip, type, rng = "R")
      goal <- if (type == "any") any(truths[i, ] == 1) else all(truths[i, ] == 1)
      star <- attr(merged, "flip")
      # four standard errors
      expect_lte(abs(mean(merged) - if (goal) 1 - star else star), 4 * sqrt(0.25 / 40000))
    }
  }
})

test_that("merging two by two costs what merging at once costs", {
  pairwise <- merged_pair(merged_pair(0.05, 0.2), 0.1)
  expect_equal(merged_flip(c(0.05, 0.2, 0.1)), pairwise, tolerance = 1e-14)
  expect_equal(merged_flip(c(0.95, 0.2, 0.9)), pairwise, tolerance = 1e-14)
  expect_equal(attr(rr_merge_bits(cbind(0, 1, 1), c(0.05, 0.2, 0.1)), "flip"), pairwise, tolerance = 1e-14)
  expect_identical(merged_flip(0), 0)
  # q* is the least flip possible: the merge's own probabilities touch 0 or 1
  star <- pairwise
  estimate <- rr_extreme(all_bits(3), c(0.05, 0.2, 0.1))$estimate
  expect_equal(min(star + (1 - 2 * star) * estimate), 0, tolerance = 1e-12)
})

test_that("merged sketches count the union", {
  set.seed(5)
  published <- lapply(list(1:900, 500:1500), rr_sketch, type = "linear", epsilon = 3, rng = "R")
  merged <- rr_merge_bits(published, rng = "R")
  expect_s3_class(merged, "rr_sketch")
  expect_equal(merged$flip, merged_flip(rep(plogis(-3), 2)))
  fit <- tidy(rr_set_size(merged))
  expect_lte(abs(fit$estimate - 1500), 3 * fit$std.error)
  # merging costs precision
  expect_gt(fit$std.error, tidy(rr_set_size(published))$std.error)
})

# Sketches of n items by drawing their places, so that neither the hash nor the package's formulas are believed.
drawn_sketch <- function(n, type, settings, flip) {
  bits <- if (type == "linear") tabulate(sample.int(settings[["bits"]], n, TRUE), settings[["bits"]]) > 0 else {
    levels <- settings[["levels"]]
    items <- stats::rmultinom(1, n, 2^-c(seq_len(levels - 1), levels - 1))
    # 60 items a bucket fill every one but with probability 1e-23.
    as.vector(vapply(pmin(items, 60 * settings[["buckets"]]), function(k) {
      tabulate(sample.int(settings[["buckets"]], k, TRUE), settings[["buckets"]]) > 0
    }, logical(settings[["buckets"]])))
  }
  new_rr_sketch(as.integer(xor(bits, stats::runif(length(bits)) < flip)), type, settings, "k", flip)
}

# The rows of rr_set_size()'s table, without its text, and without the warning of a full sketch, which is tested below.
drawn_sizes <- function(replications, n, type, settings, flip) {
  estimate <- if (type == "pcsa") pcsa_size else bloom_size
  estimate <- with_calls(estimate, warn_saturated = function() NULL)
  rows <- lapply(seq_len(replications), function(i) {
    sketch <- drawn_sketch(n, type, settings, flip)
    row <- estimate(matrix(sketch$bits), flip, sketch$settings, stats::qnorm(0.975))
    if (i <= 2) expect_identical(suppressWarnings(rr_set_size(sketch))$table[names(row)], data.frame(row))
    row
  })
  as.data.frame(lapply(stats::setNames(nm = names(rows[[1]])), function(name) vapply(rows, `[[`, 0, name)))
}

# 200 replications of each setting: standard error 0.0154 at 0.95. Three are allowed in each, and in the mean of all.
expect_covered <- function(covered) {
  expect_true(all(covered >= 0.95 - 0.046))
  expect_gte(mean(covered), 0.95 - 0.046 / sqrt(length(covered)))
}

test_that("PCSA without noise is the maximum of the likelihood, also where whole levels are full", {
  for (n in c(3, 1000, 17000, 30000, 1e5, 1e6)) {
    sketch <- rr_sketch(seq_len(n), "pcsa")
    zeros <- 256 - colSums(matrix(sketch$bits, 256))
    x <- function(log_n) exp(log_n) * 2^-c(1:23, 23) / 256
    minus <- function(log_n) sum(zeros * x(log_n) - ifelse(zeros < 256, (256 - zeros) * log(-expm1(-x(log_n))), 0))
    most <- stats::optimize(minus, log(n) + c(-1, 1), tol = 1e-10)$minimum
    # a maximum is found to about the square root of the precision of the function
    expect_equal(coef(rr_set_size(sketch))[["items"]], exp(most), tolerance = 1e-6)
    turned <- rr_sketch(seq_len(n), "pcsa", flip = 1, rng = "R")
    expect_equal(rr_set_size(turned)$table, rr_set_size(sketch)$table, tolerance = 1e-12)
  }
})

test_that("PCSA is unbiased to its standard error and covers, from a thousand items to a million", {
  skip_on_cran()
  set.seed(7)
  covered <- c()
  # Sizes without and with noise in turn; weekly each with both.
  settings <- data.frame(flip = c(0, 0.1), n = c(1e3, 2e4, 1e5, 1e6))
  settings <- extended(settings, unique(rbind(settings, transform(settings, flip = rev(flip)))))
  for (i in seq_len(nrow(settings))) {
    n <- settings$n[i]
    table <- drawn_sizes(200, n, "pcsa", c(buckets = 256, levels = 24), settings$flip[i])
    # 200 replications: mean within 3 standard errors of n (1.05 allows a bias of the order of its variance), the relative
    # error of a standard deviation is 0.05, that of a coverage of 0.95 is 0.0154; three of each are allowed
    expect_lte(abs(mean(table$estimate) - n), 3 * sd(table$estimate) / sqrt(200) + 1.05 * var(table$estimate) / n)
    expect_lte(abs(sd(table$estimate) / mean(table$std.error) - 1), 0.15)
    covered <- c(covered, mean(table$conf.low <= n & n <= table$conf.high))
  }
  expect_covered(covered)
})

test_that("intervals cover where few bits are left at 0, or none", {
  skip_on_cran()
  set.seed(8)
  covered <- c()
  # Sizes without and with noise in turn; weekly each with both.
  for (flip in c(0, 0.05)) {
    for (n in extended(if (flip) c(150, 400) else c(60, 250), c(60, 150, 250, 400))) {
      table <- drawn_sizes(200, n, "linear", c(bits = 64, hashes = 1), flip)
      covered <- c(covered, mean(table$conf.low <= n & n <= table$conf.high))
      expect_true(all(is.finite(table$conf.low)))
      expect_true(all(table$conf.high[is.infinite(table$estimate)] == Inf))
    }
    for (n in extended(if (flip) c(200, 600) else c(400, 1000), c(200, 400, 600, 1000))) {
      table <- drawn_sizes(200, n, "pcsa", c(buckets = 16, levels = 4), flip)
      covered <- c(covered, mean(table$conf.low <= n & n <= table$conf.high))
      expect_true(all(is.finite(table$conf.low)))
    }
  }
  expect_covered(covered)
})

test_that("the lower bound of a full counter is where it fills within the error that is allowed", {
  full <- suppressWarnings(rr_set_size(rr_sketch(1:1000, "linear", bits = 64)))$table
  expect_identical(c(full$estimate, full$conf.high), c(Inf, Inf))
  # how many of 64 bits n items set, one item at a time
  law <- c(1, numeric(64))
  for (i in seq_len(floor(full$conf.low))) law <- law * (0:64) / 64 + c(0, law[-65] * (64:1) / 64)
  # by the score of a count of 0 with its continuity correction: exp(-4.75) = 0.0087 rather than 0.025 for a Poisson count,
  # and a little more for hashing, which spreads less
  expect_lte(law[65], 0.025)
  expect_gte(law[65], 0.0087)
})

test_that("noise beyond a full or an empty sketch still leaves an interval", {
  for (type in c("linear", "pcsa")) {
    settings <- if (type == "linear") c(bits = 64, hashes = 1) else c(buckets = 16, levels = 4)
    ones <- new_rr_sketch(rep(1L, 64), type, settings, "k", 0.2)
    full <- suppressWarnings(rr_set_size(ones))$table
    expect_identical(c(full$estimate, full$conf.high), c(Inf, Inf))
    expect_true(is.finite(full$conf.low) && full$conf.low > 64)
    empty <- rr_set_size(new_rr_sketch(integer(64), type, settings, "k", 0.2))$table
    expect_lte(empty$estimate, 0)
    expect_true(empty$conf.low == 0 && empty$conf.high > 1 && empty$conf.high < 64)
  }
})

test_that("a flip beside sketches must be theirs", {
  set.seed(9)
  sketches <- lapply(c(0.1, 0.2), function(q) rr_sketch(1:10, bits = 64, flip = q, rng = "R"))
  for (flip in list(0.1, c(0.2, 0.1), c(0.1, 0.2, 0.1), NA, "a")) expect_error(rr_merge_bits(sketches, flip), class = "candor_error_mismatch")
  set.seed(10)
  merged <- rr_merge_bits(sketches, rng = "R")
  set.seed(10)
  expect_identical(rr_merge_bits(sketches, c(0.1, 0.2), rng = "R"), merged)
  expect_s3_class(rr_merge_bits(sketches[1], 0.1), "rr_sketch")
})

test_that("a full sketch says so", {
  expect_warning(size <- rr_set_size(rr_sketch(1:1000, "linear", bits = 32)), class = "candor_warning_saturated")
})

test_that("bad sketches", {
  sketch <- rr_sketch(1:10, "linear", bits = 64)
  expect_error(rr_sketch(c("a", NA)), class = "candor_error_missing")
  expect_error(rr_sketch(1, flip = 0.5), class = "candor_error_no_information")
  for (other in list(rr_sketch(1:10, "linear", bits = 128), rr_sketch(1:10, "linear", bits = 64, key = "other"),
                     rr_sketch(1:10, "pcsa"), 3)) expect_error(rr_set_size(list(sketch, other)), class = "candor_error_mismatch")
  expect_refused(rr_set_size(rep(list(rr_sketch(1:10, flip = 0.45, rng = "R")), 300)), rr_merge_bits(matrix(0L, 1, 5000), 0.4), class = "no_information")
})

test_that("the study of sketches runs, and its table says what the help pages say", {
  withr::local_options(candor.study.functions.only = TRUE)
  study <- new.env()
  sys.source(study_file("sketches.R"), study)
  short <- study$study_sketches(epsilons = 4, numbers = c(1, 3), replications = 4)
  table <- read_study("sketches.csv")
  expect_named(short, names(table))
  expect_true(all(short$median.error < 0.2))
  # 60 replications a cell: 0.95 less three standard errors of 25 cells' mean is 0.933
  estimated <- table[table$joined == "estimated", ]
  expect_true(all(tapply(estimated$coverage, estimated$sketch, mean) > 0.933))
  # merging costs precision, noise costs precision, sketches cost precision
  merged <- table[table$joined == "merged" & table$sketches > 1, ]
  other <- estimated[match(paste(merged$sketch, merged$epsilon, merged$sketches), paste(estimated$sketch, estimated$epsilon, estimated$sketches)), ]
  expect_gt(mean(merged$median.error >= other$median.error), 0.8)
  linear <- estimated[estimated$sketch == "linear", ]
  expect_gt(linear$median.error[linear$epsilon == 1 & linear$sketches == 16], 1)
  expect_lt(max(linear$median.error[linear$epsilon >= 3]), 0.05)
})

test_that("linear counting: estimate, error and limits by the occupancy of boxes, with and without noise", {
  m <- 64
  z <- qnorm(0.95)
  for (flip in c(0, 0.1)) for (h in 1:2) for (ones in c(20, 45)) {
    bits <- rep(1:0, c(ones, m - ones))
    fit <- tidy(rr_set_size(new_rr_sketch(bits, "bloom", c(bits = m, hashes = h), "k", flip), conf.level = 0.9), conf.int = TRUE)
    zeros <- m - (ones - flip * m) / (1 - 2 * flip)
    # n items leave a box empty with probability (1 - 1 / m)^(h n).
    items <- function(zeros) log(zeros / m) / (h * log(1 - 1 / m))
    expect_equal(fit$estimate, items(zeros), tolerance = 1e-9)
    # The number of empty boxes varies by m e^-t (1 - (1 + t) e^-t), t balls a box; flipped bits add theirs.
    occupancy <- function(zeros) {
      t <- -log(zeros / m)
      1 - (1 + t) * exp(-t)
    }
    noise <- m * flip * (1 - flip) / (1 - 2 * flip)^2
    expect_equal(fit$std.error, sqrt(noise + zeros * occupancy(zeros)) * m / (h * zeros), tolerance = 1e-6)
    end <- function(side, range) {
      uniroot(function(zero) side * (zero - zeros) - occupancy(zero) / 2 - z * sqrt(noise + zero * occupancy(zero)), range, tol = 1e-11)$root
    }
    expect_equal(c(fit$conf.low, fit$conf.high), items(c(end(1, c(zeros, m)), end(-1, c(1e-9, zeros)))), tolerance = 1e-6)
  }
})

test_that("probabilistic counting without noise is maximum likelihood of independent buckets, with its information", {
  buckets <- 16
  levels <- 5
  share <- 2^-c(1:4, 4)
  zeros <- c(1, 5, 8, 12, 13)
  bits <- unlist(lapply(zeros, function(k) rep(0:1, c(k, buckets - k))))
  fit <- tidy(rr_set_size(new_rr_sketch(bits, "pcsa", c(buckets = buckets, levels = levels), "k", 0)))
  loglik <- function(n) sum(-zeros * n * share / buckets + (buckets - zeros) * log(-expm1(-n * share / buckets)))
  best <- optimize(loglik, c(1, 1000), maximum = TRUE, tol = 1e-10)$maximum
  expect_equal(fit$estimate, best, tolerance = 1e-5)
  x <- best * share / buckets
  information <- sum(buckets * (share / buckets)^2 * exp(-x) / -expm1(-x))
  # The items are a fixed number, not a Poisson variable, whose variance is taken away.
  expect_equal(fit$std.error, sqrt(1 / information - best), tolerance = 1e-5)
  # One level: occupancy of one set of boxes.
  one <- tidy(rr_set_size(new_rr_sketch(rep(1:0, c(9, 7)), "pcsa", c(buckets = 16, levels = 1), "k", 0)))
  expect_equal(one$estimate, 16 * log(16 / 7), tolerance = 1e-6)
})

test_that("probabilistic counting of two noisy sketches is the root of the score that is weighted by their noise", {
  buckets <- 32
  levels <- 4
  share <- 2^-c(1:3, 3)
  flip <- c(0.1, 0.25)
  published <- withr::with_seed(12, lapply(1:2, function(i) {
    truth <- unlist(lapply(c(30, 22, 14, 12), function(ones) rep(1:0, c(ones, buckets - ones))))
    new_rr_sketch(as.integer(xor(truth == 1, runif(128) < flip[i])), "pcsa", c(buckets = buckets, levels = levels), "k", flip[i])
  }))
  empty <- Reduce(`*`, Map(function(sketch, f) 1 - (sketch$bits - f) / (1 - 2 * f), published, flip))
  zeros <- colSums(matrix(empty, buckets))
  # A bit that is 0 everywhere is estimated with the variance prod(1 + v) - 1, one that is 1 in the noisiest sketch alone with
  # v_max times the product of the other factors.
  v <- flip * (1 - flip) / (1 - 2 * flip)^2
  score <- function(n) {
    x <- n * share / buckets
    variance <- exp(-x) * (1 - exp(-x)) + exp(-x) * (prod(1 + v) - 1) + (1 - exp(-x)) * v[2] * (1 + v[1])
    sum(share * exp(-x) * (buckets * exp(-x) - zeros) / (buckets * variance))
  }
  fit <- rr_set_size(published)$table
  expect_equal(fit$estimate, uniroot(score, c(1, 500), tol = 1e-9)$root, tolerance = 1e-6)
  x <- fit$estimate * share / buckets
  variance <- exp(-x) * (1 - exp(-x)) + exp(-x) * (prod(1 + v) - 1) + (1 - exp(-x)) * v[2] * (1 + v[1])
  information <- sum((share * exp(-x))^2 / (buckets * variance))
  expect_equal(fit$std.error, sqrt(1 / information - fit$estimate), tolerance = 1e-5)
})

test_that("linear counting of two noisy sketches has the error of their union's empty bits", {
  flip <- c(0.1, 0.2)
  published <- withr::with_seed(13, lapply(1:2, function(i) {
    truth <- rep(c(1, 0, 1, 0), c(30, 20, i, 78 - i))
    new_rr_sketch(as.integer(xor(truth == 1, runif(128) < flip[i])), "linear", c(bits = 128, hashes = 1), "k", flip[i])
  }))
  clear <- Map(function(sketch, f) 1 - (sketch$bits - f) / (1 - 2 * f), published, flip)
  v <- flip * (1 - flip) / (1 - 2 * flip)^2
  zeros <- sum(clear[[1]] * clear[[2]])
  noise <- sum(v[1] * clear[[2]]^2 + v[2] * clear[[1]]^2 - prod(v))
  t <- -log(zeros / 128)
  table <- rr_set_size(published)$table
  expect_equal(table$estimate, log(zeros / 128) / log(1 - 1 / 128), tolerance = 1e-8)
  expect_equal(table$std.error, sqrt(noise + zeros * (1 - (1 + t) * exp(-t))) * 128 / zeros, tolerance = 1e-8)
})

test_that("the peak of a score is where its integral is largest, by trapezes, of the places where it stops being positive", {
  expect_identical(highest_peak(c(3, 1, -1, -2)), 2)
  expect_identical(highest_peak(c(-1, -2, -1)), 0)
  expect_identical(highest_peak(c(1, 2, 1)), 3)
  # Two peaks: areas up to the second zero decide.
  expect_identical(highest_peak(c(4, 1, -2, -1, 1, 1, -1)), 2)
  expect_identical(highest_peak(c(1, 1, -1, -1, 4, 4, -1)), 6)
  for (seed in 1:20) {
    scores <- withr::with_seed(seed, round(rnorm(9), 2))
    last_positive <- which(c(scores > 0, FALSE) & c(scores[-1] <= 0, TRUE, TRUE))
    areas <- c(0, cumsum((scores[-1] + scores[-9]) / 2))
    height <- c(if (scores[1] <= 0) 0, areas[last_positive])
    expect_equal(highest_peak(scores), c(if (scores[1] <= 0) 0, last_positive)[which.max(height)])
  }
})

test_that("the shape of a sketch: its defaults, and the least and the largest that are allowed", {
  expect_identical(rr_sketch(1)$settings, c(bits = 4096, hashes = 2))
  expect_identical(rr_sketch(1, "linear")$settings, c(bits = 4096, hashes = 1))
  expect_identical(rr_sketch(1, "pcsa")$settings, c(buckets = 256, levels = 24))
  expect_identical(rr_sketch(1, "linear")$flip, 0)
  expect_length(rr_sketch(1, "linear", bits = 2)$bits, 2)
  expect_length(rr_sketch(1, bits = 8, hashes = 64)$bits, 8)
  expect_identical(sum(rr_sketch(1, "pcsa", buckets = 1, levels = 1)$bits), 1L)
  expect_length(rr_sketch(1, "pcsa", buckets = 1, levels = 32)$bits, 32)
  expect_refused(
    rr_sketch(1, bits = 1), rr_sketch(1, hashes = 0), rr_sketch(1, hashes = 65), rr_sketch(1, "linear", hashes = 2),
    rr_sketch(1, "pcsa", buckets = 0), rr_sketch(1, "pcsa", buckets = 2^26 + 1), rr_sketch(1, "pcsa", levels = 0),
    rr_sketch(1, "pcsa", levels = 33), rr_sketch(1, key = NA_character_), rr_sketch(1, key = c("a", "b")), rr_sketch(1, key = 1),
    rr_sketch(1, epsilon = 0), rr_sketch(1, epsilon = 1, flip = 0.1), rr_sketch(1, epsilon = 1, flip = 1.1), rr_sketch(TRUE)
  )
  # Items are none, or text or numbers.
  expect_identical(rr_sketch(NULL), rr_sketch(character()))
  expect_refused(rr_sketch(as.Date("2026-01-01")), rr_sketch(list(1)), rr_sketch(1, size = 64))
  # Noise is secret unless R's generator is asked for.
  withr::with_seed(1, {
    seed <- .Random.seed
    rr_sketch(1, flip = 0.1)
    expect_identical(.Random.seed, seed)
  })
})

test_that("bits are merged row by row under their names, and what is packed, no bit or has a flip for each entry is refused", {
  rows <- rbind(p = c(1, 0), q = c(0, 0), r = c(1, 1))
  # Without noise the merge is OR, or AND.
  expect_identical(rr_merge_bits(rows, 0), structure(c(p = 1L, q = 0L, r = 1L), flip = 0))
  expect_identical(rr_merge_bits(rows, c(0, 1), "all"), structure(c(p = 1L, q = 0L, r = 0L), flip = 0))
  expect_identical(rr_merge_bits(as.data.frame(rows), 0)[["q"]], 0L)
  expect_identical(rr_merge_bits(c(a = 0, b = 1), c(b = 1, a = 0)), structure(0L, flip = 0))
  expect_refused(rr_merge_bits(as.raw(1), 0.1), rr_merge_bits(rows, matrix(0.1, 3, 2)), rr_merge_bits(cbind(0L, 2L), 0.1), rr_merge_bits(rows, 0.1, "some"))
  expect_identical(rr_merge_bits(rr_sketch(1:3, "linear", bits = 16)), rr_sketch(1:3, "linear", bits = 16))
})

test_that("limits of probabilistic counting are where its score is z standard deviations from 0, corrected by half a bit", {
  buckets <- 16
  levels <- 5
  share <- 2^-c(1:4, 4)
  z <- qnorm(0.95)
  bits <- unlist(lapply(c(3, 6, 9, 12, 13), function(zeros) rep(0:1, c(zeros, buckets - zeros))))
  for (flip in c(0, 0.02)) {
    zeros <- (buckets * (1 - flip) - colSums(matrix(bits, buckets))) / (1 - 2 * flip)
    v <- flip * (1 - flip) / (1 - 2 * flip)^2
    # A bit is 1 with 1 - exp(-x), and a zero is estimated with v more, whatever it is.
    deviations <- function(n, side) {
      x <- n * share / buckets
      weight <- share * exp(-x) / (buckets * (exp(-x) * (1 - exp(-x)) + v))
      information <- sum(weight * share * exp(-x))
      half <- weight[levels] * (1 - exp(-x[levels])) / 2
      (sum(weight * (buckets * exp(-x) - zeros)) + side * half) / sqrt(information * (1 - n * information))
    }
    fit <- tidy(rr_set_size(new_rr_sketch(bits, "pcsa", c(buckets = buckets, levels = levels), "k", flip), conf.level = 0.9), conf.int = TRUE)
    expect_equal(deviations(fit$conf.low, -1), z, tolerance = 1e-6)
    expect_equal(deviations(fit$conf.high, 1), -z, tolerance = 1e-6)
  }
})

test_that("bits that are merged have the flip of their odds, and those of turned sets are turned back", {
  # (1 - q) / (1 - 2 q) of the merged bit is the product of those of the bits: 9 / 8 and 4 / 3 make 3 / 2.
  expect_equal(merged_flip(c(0.1, 0.2)), 0.25)
  expect_equal(merged_flip(c(0.9, 0.2)), 0.25)
  expect_equal(c(merged_flip(0.1), merged_flip(0.7), merged_flip(0), merged_flip(c(1, 0.3))), c(0.1, 0.3, 0, 0.3))
  expect_equal(merged_flip(c(1e-12, 1e-12)), 2e-12)
  expect_identical(merged_flip(rep(0.4999, 200)), 0.5)
  rows <- rbind(c(0, 1), c(0, 0), c(1, 1))
  expect_identical(merge_rows(rows, c(0, 1), "any", "R"), list(bits = c(0L, 1L, 1L), flip = 0))
  expect_identical(merge_rows(rows, c(0, 0), "all", "R"), list(bits = c(0L, 0L, 1L), flip = 0))
  expect_error(merge_rows(matrix(0, 1, 200), rep(0.4999, 200), "any", "R"), class = "candor_error_no_information")
  expect_identical(draw_bits(c(1, 2, 2, 1), c(0, 1), "R"), c(0L, 1L, 1L, 0L))
  # An item sets as many bits as there are hashes, of which each has the odds (1 - q) / q.
  bloom <- rr_sketch(1:3, "bloom", bits = 64, hashes = 2, flip = 0.1, rng = "R")
  expect_output(print(bloom), paste("epsilon", format(2 * log(9), digits = 4)), fixed = TRUE)
  expect_output(print(rr_sketch(1:3, "pcsa", buckets = 4, levels = 3, flip = 0.9, rng = "R")), paste("epsilon", format(log(9), digits = 4)), fixed = TRUE)
  expect_equal(rr_sketch(1, "bloom", bits = 8, hashes = 4, epsilon = 2)$flip, 1 / (1 + exp(1 / 2)))
  expect_equal(rr_sketch(1, "pcsa", buckets = 4, levels = 3, epsilon = 2)$flip, 1 / (1 + exp(2)))
  sketches <- list(bloom, bloom)
  expect_identical(check_sketches(sketches, 0.1), sketches)
  expect_identical(check_sketches(sketches, c(0.1, 0.1)), sketches)
  for (flip in list(0.2, c(0.1, 0.2), c(0.1, 0.1, 0.1), "0.1", NA_real_)) expect_error(check_sketches(sketches, flip), class = "candor_error_mismatch")
  expect_error(check_sketches(list(), NULL), class = "candor_error_empty")
  expect_error(check_sketches(list(bloom, replace(bloom, "key", "other")), NULL), class = "candor_error_mismatch")
  expect_error(check_sketches(list(bloom, 1), NULL), class = "candor_error_mismatch")
})
