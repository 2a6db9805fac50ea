zipf <- function(k) 1 / seq_len(k) / sum(1 / seq_len(k))

test_that("the variance, and what sharing functions adds to it, are the golden ones", {
  for (case in golden("ldp_cohort")) {
    input <- case$input
    n <- sum(unlist(input$truth))
    theta <- unlist(input$truth) / n
    # The same law for local hashing with an ideal hash, whose buckets are hash values.
    g <- input$width
    law <- if (input$protocol == "count_mean_sketch") {
      sketch <- rr_count_mean_sketch(input$epsilon, g, input$functions)
      rr_law(candor:::candidate_tally(sketch, rr_counts(numeric(length(sketch$reports)), sketch, n = n), "x")$mechanism)
    } else {
      p <- exp(input$epsilon) / (exp(input$epsilon) + g - 1)
      list(p = p, q = 1 / g, difference = p - 1 / g)
    }
    d <- law$difference
    expect_golden((law$q * (1 - law$q) + theta * d * (1 - law$p - law$q)) / (n * d^2), case$expected$variance_fresh_hashes)
    expect_golden(candor:::collision_variance(theta, sum(theta^2), n, input$functions, g, "sample"), case$expected$variance_of_the_collisions)
  }
})

# All ways to send three strings to m buckets, and the joint law of supports of v and w given the truth x, from the law of one bucket.
test_that("p, q, r1 and r2 are those of all hash functions", {
  for (m in 2:4) for (one_bit in c(FALSE, TRUE)) {
    sketch <- rr_count_mean_sketch(1.3, m, 5, one_bit)
    law <- rr_law(candor:::candidate_tally(sketch, rr_counts(numeric(length(sketch$reports)), sketch, n = 2), "x")$mechanism)
    both <- function(x, v, w) {
      # P(report supports the buckets v and w | truth in bucket x): bits are independent; signs of two rows agree half the time.
      chance <- function(bucket) if (bucket == x) sketch$p else sketch$q
      if (v == w) chance(v) else chance(v) * chance(w)
    }
    maps <- expand.grid(x = seq_len(m), v = seq_len(m), w = seq_len(m))
    average <- function(f) mean(apply(maps, 1, function(h) f(h[["x"]], h[["v"]], h[["w"]])))
    expect_equal(law$p, sketch$p)
    expect_equal(law$q, average(function(x, v, w) both(x, v, v)), tolerance = 1e-12)
    expect_equal(law$both_own, average(function(x, v, w) both(x, x, v)), tolerance = 1e-12)
    expect_equal(law$both_other, average(both), tolerance = 1e-12)
    expect_equal(law$difference, law$p - law$q, tolerance = 1e-12)
  }
})

test_that("of one bit, supports of two buckets are as if independent", {
  # Columns of the Hadamard matrix of 4, the sign of the truth's row kept with probability p.
  H <- outer(0:3, 0:3, Vectorize(function(i, j) (-1)^sum(bitwAnd(i, j) %/% c(1, 2) %% 2)))
  p <- plogis(1)
  for (x in 1:4) for (v in 1:4) for (w in setdiff(1:4, v)) {
    kept <- mean(H[x, ] == H[v, ] & H[x, ] == H[w, ])
    flipped <- mean(H[x, ] != H[v, ] & H[x, ] != H[w, ])
    expect_equal(p * kept + (1 - p) * flipped, (if (v == x) p else 1 / 2) * (if (w == x) p else 1 / 2))
  }
})

test_that("of one bit, variance and covariance are the published Hadamard form's", {
  m <- 7
  sketch <- rr_count_mean_sketch(1.2, m, 5, one_bit = TRUE)
  law <- rr_law(candor:::candidate_tally(sketch, rr_counts(numeric(length(sketch$reports)), sketch, n = 2), "x")$mechanism)
  c2 <- 1 / tanh(0.6)^2
  v <- 0.3
  w <- 0.2
  d <- law$difference
  expect_equal((law$q * (1 - law$q) + v * d * (1 - law$p - law$q)) / d^2, (m / (m - 1))^2 * (c2 - v - (1 - v) / m^2), tolerance = 1e-12)
  covariance <- ((v + w) * (law$both_own - law$p * law$q) + (1 - v - w) * (law$both_other - law$q^2)) / d^2
  expect_equal(covariance, (m / (m - 1))^2 * (c2 / m - (v + w) / m - (1 - v - w) / m^2), tolerance = 1e-12)
})

test_that("epsilon is that of all reports, and drawing keeps within it", {
  for (one_bit in c(FALSE, TRUE)) {
    sketch <- rr_count_mean_sketch(1, 3, 2, one_bit)
    expect_lte(rr_epsilon(sketch, achieved = TRUE), 1)
    expect_equal(rr_epsilon(sketch, achieved = TRUE), 1, tolerance = 1e-12)
  }
  # Three buckets, reports of one function: P(bits | bucket) for all bits.
  sketch <- rr_count_mean_sketch(1, 3, 1)
  bits <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  chance <- sapply(1:3, function(x) apply(bits, 1, function(b) {
    one <- ifelse(seq_along(b) == x, sketch$p, sketch$q)
    prod(ifelse(b == 1, one, 1 - one))
  }))
  expect_equal(max(log(chance[, 1] / chance[, 2])), 1, tolerance = 1e-12)
  # What the sampler does, bit by bit, in the bucket of the truth and outside: five standard deviations.
  sketch <- rr_count_mean_sketch(1, 8, 3)
  reports <- rr_perturb(rep("tea", 30000), sketch)
  own <- candor:::sketch_buckets(sketch, "tea")[reports$cohort, 1]
  seen <- as.matrix(reports$bits)
  expect_lt(abs(mean(seen[cbind(seq_along(own), own)]) - sketch$p), 5 * 0.5 / sqrt(30000))
  expect_lt(abs(mean(seen[cbind(seq_along(own), own %% 8 + 1)]) - sketch$q), 5 * 0.5 / sqrt(30000))
  expect_lt(max(abs(tabulate(reports$cohort, 3) / 30000 - 1 / 3)), 5 * 0.5 / sqrt(30000))
})

test_that("functions depend on the string, the key and nothing else, and buckets look drawn at random", {
  sketch <- rr_count_mean_sketch(1, 16, 200)
  strings <- c("", "a", "b", "\u00fc", "a string of more than sixteen bytes")
  places <- candor:::sketch_buckets(sketch, strings)
  expect_identical(candor:::sketch_buckets(sketch, rev(strings))[, 5:1], places)
  expect_identical(candor:::sketch_buckets(sketch, iconv("\u00fc", "UTF-8", "latin1"))[, 1] == places[, 4], rep(TRUE, 200))
  expect_false(identical(candor:::sketch_buckets(rr_count_mean_sketch(1, 16, 200, key = 2), strings), places))
  many <- candor:::sketch_buckets(sketch, sprintf("w%d", 1:300))
  # 60,000 buckets: chi-square on 15 degrees of freedom, a false alarm in a million.
  expect_lt(sum((tabulate(many, 16) - 3750)^2 / 3750), qchisq(1 - 1e-6, 15))
  # Pairs collide as often as they should: 200 functions of 299 pairs.
  expect_lt(abs(mean(many[, -1] == many[, -300]) - 1 / 16), 5 * sqrt(15 / 256 / (200 * 299)))
})

# Over functions, reports and, for the population, truths: bias, standard error and coverage.
sketch_runs <- function(one_bit, target, runs) {
  strings <- sprintf("word %d", 1:100)
  theta <- zipf(100)
  asked <- strings[c(1, 2, 5, 20, 100)]
  fixed <- rep(strings, round(theta * 3000))
  true <- if (target == "sample") as.vector(table(factor(fixed, strings))) / length(fixed) else theta
  true <- true[match(asked, strings)]
  found <- vapply(seq_len(runs), function(i) {
    # A new key: the functions are random too.
    sketch <- rr_count_mean_sketch(2, 32, 8, one_bit, key = i)
    truth <- if (target == "sample") fixed else sample(strings, 3000, TRUE, theta)
    fit <- rr_estimate(rr_perturb(truth, sketch, rng = "R"), sketch, candidates = asked, target = target)
    rows <- tidy(fit, conf.int = TRUE)
    cbind(rows$estimate - true, rows$std.error^2, rows$conf.low <= true & true <= rows$conf.high, fit$tally$counts[6] / fit$tally$n)
  }, matrix(0, 5, 4))
  list(error = found[, 1, ], variance = rowMeans(found[, 2, ]), covered = mean(found[, 3, ]), squares = mean(found[1, 4, ]))
}

test_that("estimates are unbiased, standard errors and the sum of squares right, and intervals cover", {
  set.seed(8)
  runs <- 80
  for (one_bit in c(FALSE, TRUE)) {
    result <- sketch_runs(one_bit, if (one_bit) "sample" else "population", runs)
    sd <- apply(result$error, 1, sd)
    # Four standard deviations of five means, and of a variance of 80 runs: 4 sqrt(2 / 79) = 0.64 for one, less for the average of five.
    expect_true(all(abs(rowMeans(result$error)) < 4 * sd / sqrt(runs)))
    expect_equal(mean(sd^2 / result$variance), 1, tolerance = 0.3)
    # 400 intervals, those of one run nearly independent: 4 sqrt(.05 .95 / 400) = 0.044.
    expect_equal(result$covered, 0.95, tolerance = 0.044)
    expect_equal(result$squares, sum(zipf(100)^2), tolerance = 0.25)
  }
})

test_that("without the collisions the standard error would be too small", {
  # 32 buckets and 8 functions: of the first word's variance at 3,000 respondents a part that no number of respondents lowers.
  strings <- sprintf("word %d", 1:100)
  sketch <- rr_count_mean_sketch(2, 32, 8)
  set.seed(1)
  fit <- rr_estimate(rr_perturb(sample(strings, 3000, TRUE, zipf(100)), sketch, rng = "R"), sketch, candidates = strings[100])
  law <- rr_law(fit$mechanism)
  fresh <- law$q * (1 - law$q) / (3000 * law$difference^2)
  expect_equal(tidy(fit)$std.error^2 - fresh, fit$tally$counts[2] / 3000 / (8 * 31), tolerance = 0.1)
  expect_gt(tidy(fit)$std.error^2, fresh)
})

test_that("a shifted estimate moves by I - 1 1'/K, also in what the shared functions add", {
  set.seed(5)
  strings <- c("tea", "milk", "juice", "water")
  sketch <- rr_count_mean_sketch(2, 32, 8)
  tally <- rr_tally(rr_perturb(sample(strings, 3000, TRUE, c(6, 2, 1, 1)), sketch, rng = "R"), sketch)
  shifted <- diag(4) - 1 / 4
  unbiased <- rr_estimate(tally, candidates = strings)
  covariance <- vcov(unbiased)
  fit <- rr_estimate(unbiased$tally, method = "norm")
  expect_equal(unname(vcov(fit)), shifted %*% unname(covariance) %*% shifted, tolerance = 1e-12)
  expect_equal(tidy(fit)$std.error, unname(sqrt(diag(vcov(fit)))), tolerance = 1e-12)
})

test_that("tallies merge, group, weigh, and chunks are the whole", {
  set.seed(3)
  words <- sample(letters, 400, TRUE)
  for (one_bit in c(FALSE, TRUE)) {
    sketch <- rr_count_mean_sketch(3, 20, 6, one_bit)
    reports <- rr_perturb(words, sketch, rng = "R")
    whole <- rr_tally(reports, sketch)
    expect_identical(c(rr_tally(reports[1:150, ], sketch), rr_tally(reports[151:400, ], sketch)), whole)
    grouped <- rr_tally(reports, sketch, by = rep(c("x", "y"), 200))
    expect_equal(unname(rowSums(grouped$counts)), whole$counts)
    odd <- rr_tally(reports[seq(1, 399, 2), ], sketch)
    expect_equal(rr_estimate(grouped, candidates = c("a", "b"))$estimate[, "x"], rr_estimate(odd, candidates = c("a", "b"))$estimate)
    # Weights of 1 and 0 leave some out.
    weighted <- rr_tally(reports, sketch, weights = rep(1:0, 200))
    expect_equal(weighted$counts, odd$counts)
    # A column of a data frame and back.
    expect_equal(rr_tally(rr_reports(reports, sketch), sketch), whole)
    expect_identical(rr_estimate(whole, candidates = c("b", "a"))$estimate[["a"]], rr_estimate(whole, candidates = "a")$estimate[["a"]])
  }
})

test_that("one bit is counted as its support of each bucket, by hand", {
  sketch <- rr_count_mean_sketch(1, 4, 2, one_bit = TRUE)
  reports <- data.frame(cohort = c(1, 1, 2), index = c(0, 1, 3), sign = c(1, -1, 1))
  # Rows of the Hadamard matrix at columns 0, 1 and 3: (+ + + +), (+ - + -), (+ - - +).
  expect_identical(rr_tally(reports, sketch)$counts, c(1, 2, 1, 2, 2, 1, 0, 0, 1, 1))
})

test_that("nonsense is refused", {
  sketch <- rr_count_mean_sketch(1, 4, 2)
  expect_refused(rr_count_mean_sketch(1, width = 1), rr_count_mean_sketch(1, functions = 1e+05), rr_count_mean_sketch(1, key = -1),
                 rr_perturb(1:3, sketch), class = NULL)
})

test_that("intervals hold over new keys, and for Bloom filters with a kept one, as the page says", {
  skip_on_cran()
  withr::local_options(candor.study.functions.only = TRUE)
  study <- new.env()
  sys.source(study_file("sketch-keys.R"), study)
  table <- read_study("sketch-keys.csv")
  expect_gt(min(table$new_keys), 0.94)
  expect_identical(table$below_half, c(4L, 2L, 0L, 0L))
  expect_identical(table$below_80[3:4], c(3L, 0L))
  # Four surveys, 236 intervals: .95 less four standard errors is .89 if strings were independent; a function has several.
  again <- study$study_keys(surveys = 4, seed = 2)
  expect_gt(min(again$new_keys), 0.85)
  # The same strings are missed again.
  expect_gte(again$below_half[1], 3)
})

test_that("the sum of squares: that of the buckets without noise and collisions, functions weighted by their reports, by hand", {
  sketch <- rr_count_mean_sketch(2, 4, 3)
  p <- exp(1) / (1 + exp(1))
  q <- 1 - p
  # Of three functions with 10, 40 and 1 reports the last shows no noise; the squares of the others are weighted 1 to 4.
  bits <- cbind(c(8, 4, 2, 5), c(25, 20, 10, 11), 1)
  squares <- function(bits, n) {
    share <- (bits / n - q) / (p - q)
    sum(share^2 - bits / n * (1 - bits / n) / (n - 1) / (p - q)^2)
  }
  mean_square <- (squares(bits[, 1], 10) + 4 * squares(bits[, 2], 40)) / 5
  # One bucket in four is shared by chance: s + (1 - s) / 4.
  s <- (mean_square - 1 / 4) / (1 - 1 / 4)
  expect_true(s > 0 && s < 1)
  expect_equal(sketch_squares(sketch, rbind(bits, c(10, 40, 1))), s, tolerance = 1e-10)
  expect_identical(sketch_squares(sketch, rbind(bits, 1)), 1)
})

test_that("a candidate that everybody holds shares its bucket with nobody, also if its estimate is above 1", {
  collisions <- with_calls(law_collisions, law_unbiased = function(law, evidence) 1.3)
  expect_identical(collisions(list(functions = 4, width = 8), list(k = 1, counts = c(90, 100), n = 100), 1, "sample"), 0)
})

test_that("width, functions and their product have an end", {
  expect_refused(rr_count_mean_sketch(1, 65537, 1), rr_count_mean_sketch(1, 4, 0), rr_count_mean_sketch(1, 4, 2, one_bit = NA))
  expect_identical(rr_count_mean_sketch(1, 2, 1)$reports, c("1: bit 1", "1: bit 2", "1: all"))
  # Each function has a count for each bucket and one of its reports.
  small <- with_calls(rr_count_mean_sketch, sketch_cells = 12)
  expect_identical(length(small(1, 3, 3)$reports), 12L)
  expect_refused(small(1, 5, 3), small(1, 2, 5), class = "too_large")
})

test_that("a candidate has the reports of its bucket under each function, and groups their own collisions, by hand", {
  sketch <- rr_count_mean_sketch(2, 4, 3)
  strings <- c("tea", "milk", "juice")
  buckets <- sketch_buckets(sketch, strings)
  counts <- list(u = rbind(c(8, 4, 2, 5, 10), c(25, 20, 10, 11, 40), c(3, 6, 9, 1, 12)), v = rbind(c(2, 7, 1, 1, 9), c(6, 1, 1, 2, 8), c(5, 5, 1, 0, 13)))
  tally <- rr_counts(sapply(counts, function(rows) as.vector(t(rows))), sketch, n = c(62, 30), effective_n = c(31, 30))
  found <- candidate_tally(sketch, tally, strings)
  supports <- sapply(counts, function(rows) sapply(1:3, function(s) sum(rows[cbind(1:3, buckets[, s])])))
  # Counts are as many as there are effective reports.
  squares <- c(sketch_squares(sketch, as.vector(t(counts$u)) / 2), sketch_squares(sketch, as.vector(t(counts$v))))
  expect_equal(unname(found$counts), unname(rbind(supports, squares * c(62, 30))))
  expect_equal(found$mechanism$collision, sqrt(max(squares) / (3 * 3)))
  expect_equal(c(found$n, found$effective_n), c(62, 30, 31, 30))
  expect_identical(found$mechanism$levels, strings)
  one <- candidate_tally(sketch, tally["v"], strings[2])
  expect_equal(as.vector(one$counts), c(supports[[2, "v"]], squares[2] * 30))
  # What the shared functions add to the standard error of a string that nobody holds.
  evidence <- list(k = 1, counts = c(0, 20), n = 40)
  law <- rr_law(one$mechanism)
  null <- law$q * (1 - law$q) / law$difference^2 / 40
  expect_equal(law_null_std_error(law, evidence), sqrt(null + 0.5 / 9))
})

test_that("reports of prefixes are none of a sketch", {
  sketch <- rr_count_mean_sketch(2, 4, 3)
  reports <- as.data.frame(rr_perturb(rep("tea", 3), sketch, rng = "R"))
  reports$part <- "held out"
  expect_error(rr_tally(reports, sketch), class = "candor_error_mismatch")
})

test_that("the variance of shared functions is that of the other strings' squares, less what is known of these respondents", {
  # Two strings of shares 0.5 and 0.3 in 3 functions of 5 buckets, the sum of squares 0.4; 50 respondents.
  expect_equal(collision_variance(c(0.5, 0.3), 0.4, 50, 3, 5, "population"), (1 - 1 / 50) * (0.4 - c(0.25, 0.09)) / 12)
  expect_equal(collision_variance(c(0.5, 0.3), 0.4, 50, 3, 5, "sample"), (0.4 - c(0.25, 0.09) - c(0.5, 0.7) / 50) / 12)
  expect_identical(collision_variance(0.7, 0.4, 50, 3, 5, "population"), 0)
  expect_identical(collision_variance(0.1, 0.01, 5, 3, 5, "sample"), 0)
  sketch <- rr_count_mean_sketch(2, 4, 3)
  numbers <- sketch_numbers(sketch)
  expect_equal(numbers$q, sketch$p / 4 + sketch$q * 3 / 4)
  expect_equal(numbers$difference, sketch$p - numbers$q)
})

test_that("the answers of a sketch are text or factors, also in an array of one dimension", {
  sketch <- rr_count_mean_sketch(2, 4, 3)
  expect_identical(as.vector(prepare_answers(sketch, array(c("tea", "milk")))), c("tea", "milk"))
  expect_identical(prepare_answers(sketch, factor(c("tea", "milk"))), c("tea", "milk"))
  expect_refused(prepare_answers(sketch, matrix("tea")), prepare_answers(sketch, TRUE))
  expect_error(prepare_answers(sketch, c("tea", NA)), class = "candor_error_missing")
})

test_that("score limits are the shares at which the estimate is as far as its standard error allows, collisions and all", {
  sketch <- rr_count_mean_sketch(3, 16, 8)
  reports <- withr::with_seed(12, rr_perturb(rep(c("tea", "milk", "juice"), c(1200, 500, 300)), sketch, rng = "R"))
  tally <- rr_tally(reports, sketch)
  z <- qnorm(0.975)
  for (target in c("population", "sample")) {
    fit <- rr_estimate(tally, candidates = c("tea", "milk", "juice"), method = "inv", target = target)
    law <- rr_law(fit$mechanism)
    estimate <- unname(coef(fit))
    squares <- fit$tally$counts[4] / 2000
    others <- pmax(squares - estimate^2, 0)
    collisions <- if (target == "sample") pmax(others - (1 - estimate) / 2000, 0) else (1 - 1 / 2000) * others
    for (bound in list(confint(fit)[, 1], confint(fit)[, 2])) {
      supported <- law$q + law$difference * bound
      # A share of these respondents has no variance of its own.
      own <- if (target == "sample") bound * (1 - bound) else 0
      variance <- (supported * (1 - supported) / law$difference^2 - own) / 2000 + collisions / (8 * 15)
      expect_equal(unname(estimate - bound)^2, unname(z^2 * variance), tolerance = 1e-8)
    }
    # The functions that are shared add to covariances the product of the shares.
    evidence <- group_evidence(fit$tally, 1)
    added <- unbiased_covariance(law, evidence, 1:3, target, TRUE) - unbiased_covariance(support_law(law), evidence, 1:3, target, TRUE)
    expect_equal(added[row(added) != col(added)], (outer(estimate, estimate) / 120)[row(added) != col(added)])
    expect_equal(diag(added), collisions / 120)
  }
})

test_that("a single function that has reports is enough for the sum of squares", {
  sketch <- rr_count_mean_sketch(2, 4, 3)
  bits <- cbind(c(8, 4, 2, 5), c(25, 20, 10, 11), 1)
  p <- sketch$p
  q <- sketch$q
  squares <- sum((bits[, 2] / 40 - q)^2 - bits[, 2] / 40 * (1 - bits[, 2] / 40) / 39) / (p - q)^2
  expect_equal(sketch_squares(sketch, rbind(bits, c(0, 40, 1))), min(1, max(0, (squares - 1 / 4) / (3 / 4))))
})

test_that("buckets are the public numbers of a text's print", {
  sketch <- rr_count_mean_sketch(1, 16, 5, key = 3)
  places <- vapply(c("a", "tea"), function(text) .Call(C_rr_public_numbers, c(5, 3, label_print(text, 3)), 16, 5, FALSE) + 1L, integer(5))
  expect_identical(sketch_buckets(sketch, c("a", "tea")), unname(places))
})
