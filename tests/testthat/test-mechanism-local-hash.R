test_that("parameters of affine hashing are the golden ones", {
  for (case in golden("ldp_affine_parameters")) {
    numbers <- candor:::hash_numbers(case$input$epsilon, case$input$g, case$input$P)
    expect_golden(c(numbers$collision, numbers$p, numbers$q, numbers$difference), unlist(case$expected[c("collision", "p", "q", "difference")]))
  }
})

test_that("joint supports are those of all functions and all orders of the codes", {
  for (sizes in list(c(3, 2), c(7, 3), c(11, 4), c(13, 2))) {
    prime <- sizes[1]
    g <- sizes[2]
    numbers <- candor:::hash_numbers(1, g, prime)
    functions <- expand.grid(slope = seq_len(prime - 1), shift = seq_len(prime) - 1)
    buckets <- floor(((outer(functions$slope, seq_len(prime) - 1) + functions$shift) %% prime) * g / prime)
    q <- 1 / (exp(1) + g - 1)
    # The probability of a value given that of the truth.
    told <- function(value, truth) ifelse(value == truth, exp(1) * q, q)
    # Slopes and shifts take any ordered pair of codes to any other: the first two may be 0 and 1.
    own <- mean((buckets[, 1] == buckets[, 2]) * told(buckets[, 1], buckets[, 1]))
    other <- mean(vapply(3:prime, function(w) mean((buckets[, 2] == buckets[, w]) * told(buckets[, 2], buckets[, 1])), 0))
    expect_equal(c(numbers$both_own, numbers$both_other), c(own, other), tolerance = 1e-12)
  }
})

test_that("support counts of affine hashing are the golden ones, by both kernels", {
  for (case in golden("ldp_affine_counts")) {
    input <- case$input
    hash <- as.integer(c(input$P, input$g))
    codes <- seq_len(input$K) - 1L
    for (order in list(NULL, order(input$slope) - 1L)) {
      counts <- .Call(candor:::C_rr_count_hashed, input$slope, input$shift, input$value, hash, codes, order, NULL, 1, NULL)$counts
      expect_identical(as.vector(counts), as.double(case$expected$support_counts))
    }
    expect_identical(as.vector(.Call(candor:::C_rr_hash_table, input$slope[1], input$shift[1], hash, codes)), as.integer(case$expected$hash_of_first))
  }
})

test_that("an ideal hash has the golden variances, of which affine hashing falls short by its collisions", {
  for (case in golden("ldp_cohort")[1:2]) {
    input <- case$input
    g <- input$width
    p <- exp(input$epsilon) / (exp(input$epsilon) + g - 1)
    n <- sum(input$truth)
    k <- length(input$truth)
    law <- rr_new_law("support", p, 1 / g)
    tally <- rr_counts(n / g + law$difference * input$truth, law_mechanism(law, k), effective_n = n, n = n)
    expect_golden(diag(vcov(rr_estimate(tally, method = "inv"), target = "sample")), case$expected$variance_fresh_hashes)
  }
})

test_that("codes and functions are public: the same for the same sizes, all different", {
  m <- rr_local_hash(1000, 1)
  expect_identical(m, rr_local_hash(1000, 1))
  expect_identical(anyDuplicated(m$codes), 0L)
  expect_true(all(m$codes >= 0 & m$codes < m$prime))
  expect_gte(m$prime, 1000)
  far <- rr_local_hash(10, 14)
  expect_identical(anyDuplicated(far$codes), 0L)
  expect_gte(far$prime, 64 * far$g)
  expect_identical(rr_local_hash(3, 700)$g, 33554431)
})

test_that("the slope kernel and the direct one agree, weighted and grouped", {
  set.seed(3)
  m <- rr_local_hash(40, 1)
  reports <- rr_perturb(sample(40, 3000, TRUE), m)
  weights <- sample(4, 3000, TRUE) / 4
  group <- sample(c("a", "b"), 3000, TRUE)
  tally <- rr_tally(reports, m, weights = weights, by = group)
  count <- function(reports, groups, number, weights) {
    .Call(candor:::C_rr_count_hashed, reports$slope, reports$shift, reports$value, candor:::hash_sizes(m), m$codes, NULL, groups, number, weights)$counts
  }
  direct <- count(reports, match(group, c("a", "b")), 2, weights)
  expect_equal(unname(tally$counts), direct)
  # Few reports: one at a time.
  expect_identical(rr_tally(reports[1:5, ], m)$counts, as.vector(count(reports[1:5, ], NULL, 1, NULL)))
})

test_that("cohorts are a channel with a likelihood of its own", {
  set.seed(4)
  m <- rr_local_hash(c("a", "b", "c"), 2, cohorts = 8)
  expect_equal(rowSums(rr_matrix(m)), rep(1, 3), ignore_attr = TRUE)
  expect_equal(max(rr_matrix(m)) / min(rr_matrix(m)), exp(2))
  reports <- rr_perturb(rep(c("a", "b", "c"), c(6000, 3000, 1000)), m)
  expect_named(reports, c("cohort", "value"))
  fit <- rr_estimate(reports, m)
  expect_identical(fit$method, "mle")
  expect_true(all(abs(coef(fit) - c(0.6, 0.3, 0.1)) < 5 * sqrt(diag(vcov(fit)))))
})

test_that("the default number of values is the least whose excess t has t (t + 1) >= E^2, near the best there is", {
  for (epsilon in c(0.1, 0.3, 0.5, 1, 1.7, 2, 3, 4.4, 6)) {
    E <- exp(epsilon)
    t <- 1
    while (t * (t + 1) < E^2) t <- t + 1
    expect_equal(best_buckets(epsilon), t + 1)
    # Of an ideal hash the variance of an empty category is q (1 - q) / d^2.
    variance <- function(g) {
      p <- E / (E + g - 1)
      (1 / g) * (1 - 1 / g) / (p - 1 / g)^2
    }
    expect_equal(variance(t + 1), min(vapply(2:(2 * t + 4), variance, 0)))
  }
  expect_identical(best_buckets(17.01), 33554431)
  expect_lt(best_buckets(17), 33554431)
  numbers <- ideal_hash(1.2, 5)
  E <- exp(1.2)
  expect_equal(numbers, list(p = E / (E + 4), q = 0.2, lie = 4 / (E + 4), difference = E / (E + 4) - 0.2))
  # Of values without end: E times as many of 1 as there are of others.
  expect_equal(ideal_hash(1.2, Inf), list(p = 0.5, q = 0, lie = 0.5, difference = -expm1(-1.2) / 2))
  for (prime in list(c(5, 2, 131), c(200, 2, 211), c(3, 3, 193), c(128, 2, 131), c(500, 3, 503))) expect_equal(hash_prime(prime[1], prime[2]), prime[3])
  # The smallest fields: 2 has no three categories.
  two <- hash_numbers(1, 2, 2)
  expect_equal(two$collision, 0)
  expect_equal(c(two$both_own, two$both_other), c(0, 0))
})

test_that("the hash value is floor(((a z + b) mod P) g / P) + 1 in whole numbers, however large", {
  m <- rr_local_hash(50, 2, g = 5)
  functions <- list(slope = c(3, 200, 317), shift = c(0, 17, 300))
  answers <- c(4L, 50L, 23L)
  expect_equal(hash_values(m, answers, functions), floor(((functions$slope * m$codes[answers] + functions$shift) %% m$prime) * 5 / m$prime) + 1)
  # Products beyond 2^53, by digits: 2147483629 x 2147483587 mod 2147483647 is (-18) (-60) = 1080.
  large <- list(prime = 2147483647, codes = 2147483587, g = 7)
  expect_equal(hash_values(large, 1L, list(slope = 2147483629, shift = 5)), floor(1085 * 7 / 2147483647) + 1)
  expect_equal(hash_values(large, 1L, list(slope = 2147483629, shift = 1073741824)), floor((1080 + 1073741824) * 7 / 2147483647) + 1)
})

test_that("cohorts have the matrix of their functions, and scores that are its inverse", {
  m <- rr_local_hash(4, 1.3, g = 3, cohorts = 5)
  table <- hash_table(m)
  C <- rr_matrix(m)
  for (x in 1:4) for (cohort in 1:5) for (value in 1:3) {
    expected <- (if (table[x, cohort] == value) exp(1.3) else 1) / (exp(1.3) + 2) / 5
    expect_equal(C[x, (cohort - 1) * 3 + value], expected, ignore_attr = TRUE)
  }
  expect_identical(m$reports[c(1, 3, 4, 15)], c("1:1", "1:3", "2:1", "5:3"))
  reports <- withr::with_seed(2, rr_perturb(c(1, 4, 2, 2, 3), m, rng = "R"))
  scores <- rr_score(reports, m)
  index <- (reports$cohort - 1) * 3 + reports$value
  terms <- vapply(index, function(y) law_unbiased(rr_law(m), new_evidence(rr_law(m), 1 * (1:15 == y), 1, 1, 4, m)), numeric(4))
  expect_equal(unname(scores), t(terms))
})

test_that("hash values and tables of cohorts have an end", {
  expect_refused(rr_local_hash(3, 1, g = 1), rr_local_hash(3, 1, g = 33554432), rr_local_hash(3, 1, cohorts = 0))
  expect_identical(rr_local_hash(3, 1, g = 33554431)$g, 33554431)
  # 1e8 cells of categories by cohorts by values.
  expect_refused(rr_local_hash(4, 1, g = 5, cohorts = 5e6 + 1), class = "too_large")
  expect_identical(rr_local_hash(2, 1, FALSE)$g, 2)
})

test_that("slopes are numbers from 1 and shifts from 0 below the prime, in shared functions and in reports", {
  shared <- rr_local_hash(4, 1, g = 2, cohorts = 5000)
  expect_identical(shared$prime, 131)
  # 5,000 draws of 131 numbers leave one out with probability 131 exp(-38).
  expect_identical(range(shared$functions$slope), c(1L, 130L))
  expect_identical(range(shared$functions$shift), c(0L, 130L))
  m <- rr_local_hash(4, 1, g = 2)
  report <- function(slope, shift, value) rr_tally(data.frame(slope = slope, shift = shift, value = value), m)
  expect_no_error(report(c(1, 130), c(0, 130), 1:2))
  for (bad in list(c(0, 1, 1), c(131, 1, 1), c(1, -1, 1), c(1, 131, 1), c(1, 1, 0), c(1, 1, 3))) {
    expect_error(do.call(report, as.list(bad)), class = "candor_error")
  }
})

test_that("few different hash functions are as unlikely as all sets of so many functions make them", {
  # A prime of 5 has 4 5 = 20 functions: 10 reports lie in one of 190 pairs with probability 0.1^10 each.
  m <- structure(list(prime = 5), class = "rr_local_hash")
  expect_equal(witness_chance(m, c(1, 2), 10), log(c(20 * 0.05^10, 190 * 0.1^10)))
  expect_equal(witness_chance(m, 25, 10), 0)
})

test_that("a client's test of hashed reports has the share of residues of each value, and no pairs of two others", {
  m <- rr_local_hash(4, 1, g = 3)
  reports <- withr::with_seed(1, rr_perturb(rep(2, 5), m, rng = "R"))
  facts <- client_facts(m, reports, 2)
  expect_equal(facts$values, tabulate(floor((seq_len(m$prime) - 1) * 3 / m$prime) + 1) / m$prime)
  other <- c(TRUE, FALSE, TRUE, TRUE)
  expect_identical(unname(is.na(facts$both)), outer(other, other) == 1 & !diag(4))
  expect_equal(facts$both[2, ], replace(rep(rr_law(m)$both_own, 4), 2, m$p))
})

test_that("a client hashes if the value times the prime is below 2^52", {
  # The prime is the least from 64 g on: 64 g^2 is 4.1e15 and 4.6e15, 2^52 = 4.5e15.
  expect_identical(client_plan(rr_local_hash(3, 1, g = 8e6))$kind, "hash")
  expect_error(client_plan(rr_local_hash(3, 1, g = 8.5e6)), class = "candor_error_law")
})

test_that("codes and shared functions are the public numbers of their sizes, as a client draws them", {
  public <- function(key, below, number, different = FALSE) .Call(C_rr_public_numbers, key, below, number, different)
  expect_identical(public_codes(6, 131), public(c(0, 6, 131), 131, 6, TRUE))
  functions <- shared_functions(4, 131, 5)
  expect_identical(functions, list(slope = 1L + public(c(1, 4, 131, 5, 1), 130, 5), shift = public(c(1, 4, 131, 5, 2), 131, 5)))
  # Below large primes the first different ones of a longer series.
  far <- public_codes(6, 5000011)
  expect_identical(far, unique(public(c(0, 6, 5000011), 5000011, 76))[1:6])
  expect_identical(public_codes(6, 4e6), public(c(0, 6, 4e6), 4e6, 6, TRUE))
  expect_identical(public_codes(8.5e5, 4.1e6), unique(public(c(0, 8.5e5, 4.1e6), 4.1e6, 1.7e6 + 64))[1:8.5e5])
})
