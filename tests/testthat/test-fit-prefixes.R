drinks <- c("tea", "ale", "gin", "rum", "cider", "water", "waterfall")
shares <- c(0.3, 0.2, 0.02, 0.08, 0.2, 0.15, 0.05)

test_that("a search by hand: without randomization it finds what is there, and nothing else", {
  # At epsilon 44 nothing is randomized but groups and functions.
  m <- rr_prefixes(44, c(1, 3, 5), width = 512, functions = 64)
  set.seed(4)
  truth <- rep(drinks, 400 * c(3, 2, 1, 1, 2, 1, 1))
  tally <- rr_tally(rr_perturb(truth, m, rng = "R"), m)
  found <- rr_heavy_hitters(tally)
  # "water" and "waterfall" have the same five characters.
  expect_setequal(found$term, c("tea", "ale", "gin", "rum", "cider", "water"))
  search <- attr(found, "search")
  expect_identical(search$length, c(1, 3, 5))
  # Prefixes t, a, g, r, c, w; then those of three characters; the first step looks at 26 letters and the empty string.
  expect_identical(search$found, c(6, 6, 6))
  expect_identical(search$candidates, c(27, 6 * (1 + 26 + 26^2), 6 * (1 + 26 + 26^2)))
  held <- candor:::submechanism_tally(tally, "held out")
  expect_identical(attr(found, "n"), held$n)
  expect_identical(sum(search$n) + held$n, 4400)
  expect_equal(found$estimate[found$term == "water"], 2 / 11, tolerance = 0.15)
  # Of two survivors a step the last are among those found.
  expect_length(intersect(rr_heavy_hitters(tally, most = 2)$term, found$term), 2)
  expect_identical(nrow(rr_heavy_hitters(tally, alphabet = "xyz")), 0L)
})

test_that("prefixes of short strings are their own", {
  expect_identical(candor:::prefix_of(c("ab", "abc", "abcd", "", "\u00fcber"), 3), c("ab\u0004", "abc", "abc", "\u0004", "\u00fcbe"))
  expect_setequal(candor:::prefix_extensions(c("a", "z\u0004"), c("x", "y"), 2, 3), c("z\u0004", "a\u0004", "ax\u0004", "ay\u0004", "axx", "axy", "ayx", "ayy"))
  # Nobody's answers are a table without rows.
  expect_identical(nrow(rr_perturb(character(), rr_prefixes(1, 1:2), rng = "R")), 0L)
})

test_that("frequent strings are found, and their estimates from those held out are unbiased where those of the search are not", {
  set.seed(9)
  runs <- extended(25, 40)
  results <- lapply(seq_len(runs), function(i) {
    m <- rr_prefixes(3, c(1, 3), width = 256, functions = 32, key = 50 * i)
    truth <- sample(c("tea", "ale", "gin", "rum", "cid"), 8000, TRUE, c(0.5, 0.25, 0.14, 0.075, 0.035))
    tally <- rr_tally(rr_perturb(truth, m, rng = "R"), m)
    found <- rr_heavy_hitters(tally)
    # What the step that selected them said of the same strings.
    biased <- if (nrow(found)) rr_estimate(candor:::submechanism_tally(tally, "3"), candidates = found$term)$estimate
    list(found = found, biased = biased)
  })
  true <- c(tea = 0.5, ale = 0.25, gin = 0.14, rum = 0.075, cid = 0.035)
  terms <- unlist(lapply(results, function(r) r$found$term))
  recall <- vapply(names(true), function(term) mean(vapply(results, function(r) term %in% r$found$term, NA)), 0)
  # Thresholds are about 0.08: the three above are nearly always found, the two below sometimes or never.
  threshold <- mean(vapply(results, function(r) attr(r$found, "search")$threshold[2], 0))
  expect_true(all(recall[c("tea", "ale", "gin")] > 0.9))
  expect_lt(recall[["cid"]], 0.5)
  # At most alpha of the searches keep anything that nobody holds, in each of two steps: 0.1, and four standard deviations of so many runs.
  absent <- mean(vapply(results, function(r) !all(r$found$term %in% names(true)), NA))
  expect_lte(absent, 0.1 + 4 * sqrt(0.1 * 0.9 / runs))
  # Errors of all that was found, in standard errors: mean 0, within four of its own errors.
  z <- unlist(lapply(results, function(r) (r$found$estimate - ifelse(is.na(true[r$found$term]), 0, true[r$found$term])) / r$found$std.error))
  expect_lt(abs(mean(z)), 4 / sqrt(length(z)))
  expect_equal(sd(z), 1, tolerance = 0.2)
  # Found in spite of a small share: those held out are unbiased, those of the search too large.
  lucky <- unlist(lapply(results, function(r) (r$biased - true[r$found$term])[r$found$term %in% c("rum", "cid")]))
  fair <- unlist(lapply(results, function(r) (r$found$estimate - true[r$found$term])[r$found$term %in% c("rum", "cid")]))
  expect_gt(mean(lucky), threshold / 10)
  error <- unlist(lapply(results, function(r) r$found$std.error[r$found$term %in% c("rum", "cid")]))
  expect_lt(abs(mean(fair)), 4 * sqrt(mean(error^2) / length(error)))
  covered <- unlist(lapply(results, function(r) {
    share <- ifelse(is.na(true[r$found$term]), 0, true[r$found$term])
    r$found$conf.low <= share & share <= r$found$conf.high
  }))
  expect_equal(mean(covered), 0.95, tolerance = 4 * sqrt(0.05 * 0.95 / length(covered)))
})

test_that("the threshold is that of a random draw from the table", {
  m <- rr_prefixes(4, c(1, 2), width = 16, functions = 8)
  set.seed(2)
  tally <- candor:::submechanism_tally(rr_tally(rr_perturb(rep(c("a", "b", "c"), c(900, 80, 20)), m, rng = "R"), m), "2")
  asked <- candor:::candidate_tally(tally$mechanism, tally, "x")
  law <- rr_law(asked$mechanism)
  # 200,000 strings that nobody holds, each with a bucket of every function. The bound is above the quantile: of a normal by sqrt(2 log(1 / alpha)) to its
  # quantile, here by up to a quarter more.
  table <- matrix(tally$counts, 17)[1:16, ]
  sums <- rowSums(vapply(1:8, function(j) sample(table[, j], 2e5, TRUE), numeric(2e5)))
  for (alpha in c(0.05, 1e-3, 1e-4)) {
    quantile <- (quantile(sums, 1 - alpha, names = FALSE) / tally$n - law$q) / law$difference
    threshold <- candor:::absent_threshold(tally, asked, alpha)
    expect_gt(threshold, quantile)
    expect_lt(threshold, 1.25 * quantile * sqrt(-2 * log(alpha)) / qnorm(1 - alpha))
  }
})

test_that("groups use different functions, and the whole string can be asked for", {
  m <- rr_prefixes(4, c(2, 4), one_bit = TRUE, width = 256, functions = 32, key = 2^32 - 1)
  expect_identical(unname(vapply(m$parts, function(part) part$key, 0)), c(2^32 - 1, 0, 1))
  expect_identical(rr_epsilon(m), 4)
  expect_lte(rr_epsilon(m, achieved = TRUE), 4)
  set.seed(1)
  reports <- rr_perturb(rep(c("coffee", "tea"), 1500), m, rng = "R")
  expect_identical(names(reports), c("part", "cohort", "index", "sign"))
  fit <- rr_estimate(rr_tally(reports, m), candidates = c("coffee", "coff", "tea"))
  # Four characters are the whole string: the same question under two names.
  expect_identical(fit$estimate[["coffee"]], fit$estimate[["coff"]])
  found <- rr_heavy_hitters(reports, m, target = "sample", simultaneous = TRUE)
  expect_setequal(found$term, c("coff", "tea"))
  expect_s3_class(attr(found, "fit"), "rr_fit")
})

test_that("what is no search is refused", {
  m <- rr_prefixes(1, c(1, 2), width = 8, functions = 2)
  set.seed(1)
  tally <- rr_tally(rr_perturb(rep("ab", 200), m, rng = "R"), m)
  expect_error(rr_prefixes(1, c(2, 2)), class = "candor_error_argument")
  expect_error(rr_prefixes(1, 1:40, functions = 500), class = "candor_error_too_large")
  for (odd in list(3, "a\u0004")) expect_error(rr_perturb(odd, m), class = "candor_error_argument")
  expect_refused(rr_heavy_hitters(rr_counts(c(1, 2), rr_warner(0.8))), rr_heavy_hitters(tally, alphabet = c("a", "bc")))
  for (alphabet in list(NA_character_, character(), 1:3, "", "aa", c("a", "b", "a"), c("a", "\u0004"), NULL)) {
    expect_refused(rr_heavy_hitters(tally, alphabet = alphabet))
  }
  expect_refused(rr_heavy_hitters(tally, alpha = 0), rr_heavy_hitters(tally, most = 0), rr_heavy_hitters(tally, conf.level = 1),
                 rr_heavy_hitters(tally, simultaneous = NA), rr_heavy_hitters(tally, target = "x"), rr_heavy_hitters(rep("ab", 3)))
  expect_identical(check_alphabet("xyz"), c("x", "y", "z"))
  many <- rr_prefixes(1, 9, 8, 2)
  expect_error(rr_heavy_hitters(rr_tally(rr_perturb(rep("a", 50), many, rng = "R"), many)), class = "candor_error_too_large")
  expect_error(rr_estimate(tally), class = "candor_error_argument")
  expect_error(rr_heavy_hitters(rr_counts(numeric(length(m$reports)), m, n = 5)), class = "candor_error_empty")
})

test_that("strings are listed with limits by rank among those that were found", {
  m <- rr_prefixes(epsilon = 4, lengths = c(1, 3), width = 64)
  set.seed(5)
  found <- rr_heavy_hitters(rr_perturb(sample(c("tea", "ale", "gin", "rum"), 8000, TRUE, c(5, 3, 2, 1)), m, rng = "R"), m)
  k <- nrow(found)
  expect_gte(k, 3)
  fit <- attr(found, "fit")
  # The lower bound of the row of rank r is that at level 1 - 0.05 r / K, the upper one that at 0.95.
  for (r in seq_len(k)) {
    expect_equal(found$conf.low[r], confint(fit, found$term[r], level = 1 - 0.05 * r / k)[[1]])
    expect_equal(found$conf.high[r], confint(fit, found$term[r])[[2]])
  }
})

test_that("lengths of prefixes are whole numbers from 1 that increase", {
  for (lengths in list(0, -1, c(2, 1), c(1, 1), 1.5, NA_real_, Inf, numeric(), "1", c(0, 2))) {
    expect_error(rr_prefixes(epsilon = 2, lengths = lengths), class = "candor_error_argument")
  }
})

test_that("what survives is above the threshold, from the largest down, and so many at most", {
  expect_identical(largest_above(c(0.5, 0.1, 0.9, 0.3, 0.2), 0.2, 9), c(3L, 1L, 4L))
  expect_identical(largest_above(c(0.5, 0.1, 0.9, 0.3), 0.2, 2), c(3L, 1L))
  expect_identical(largest_above(0.1, 0.2, 2), integer())
})

test_that("prefixes have hash functions of their own, and no answer with the sign of an end", {
  # The key of each group is one more, and begins again after 2^32 - 1.
  m <- rr_prefixes(4, c(1, 3), width = 16, functions = 8, key = 2^32 - 1)
  alone <- lapply(c(2^32 - 1, 0, 1), function(key) rr_count_mean_sketch(4, 16, 8, key = key))
  expect_identical(unname(m$parts), alone)
  expect_error(rr_prefixes(4, 1:40, width = 2^16, functions = 1000), class = "candor_error_too_large")
  expect_refused(rr_perturb("a\u0004", m))
})

test_that("one person who was held out is enough for an estimate, nobody is not", {
  m <- rr_prefixes(4, 1:2, width = 4, functions = 3)
  held <- m$reports %in% c("held out", "held out: 2: bit 2", "held out: 2: all")
  estimate <- function(counts) coef(rr_estimate(rr_counts(counts, m, n = 1), method = "inv", candidates = c("ab", "cd")))
  expect_true(all(is.finite(estimate(1 * held))))
  expect_error(estimate(1 * (m$reports %in% c("1", "1: 2: bit 2", "1: 2: all"))), class = "candor_error_empty")
})

# A small search: "cab" has the two characters "ca".
small_tally <- local({
  tally <- NULL
  function() {
    tally <<- tally %||% withr::with_seed(3, {
      m <- rr_prefixes(8, c(1, 2), width = 32, functions = 8)
      rr_tally(rr_perturb(sample(c("ab", "ba", "c", "cab"), 2000, TRUE, c(5, 3, 2, 1)), m, rng = "R"), m)
    })
  }
})

test_that("each step has the threshold of its share of alpha, the error of an absent string, and ends if nothing survives", {
  tally <- small_tally()
  step <- function(i, candidates, alpha) {
    part <- submechanism_tally(tally, as.character(i))
    listed <- candidate_tally(part$mechanism, part, candidates)
    evidence <- group_evidence(listed, 1)
    threshold <- absent_threshold(part, listed, alpha / length(candidates))
    list(length = i, candidates = length(candidates), n = part$n, error = evidence$blank_error(), threshold = threshold,
         found = sum(evidence$unbiased() > threshold))
  }
  first <- c("\u0004", "a", "b", "c")
  second <- c(outer(c("a", "b", "c"), c("\u0004", "a", "b", "c"), paste0))
  for (alpha in c(0.05, 0.3)) {
    search <- as.list(attr(rr_heavy_hitters(tally, alphabet = "abc", alpha = alpha), "search"))
    expect_equal(search, Map(c, step(1, first, alpha), step(2, second, alpha)))
  }
  none <- rr_heavy_hitters(tally, alphabet = "xyz")
  search <- attr(none, "search")
  expect_identical(search$candidates, c(4, 0))
  expect_identical(search$found, c(0, 0))
  expect_identical(is.na(search$threshold), c(FALSE, TRUE))
  expect_identical(dim(as.data.frame(none)), c(0L, 5L))
  names_alphabet <- function(x) any(grepl("`alphabet`", capture.output(print(x)), fixed = TRUE))
  expect_identical(c(names_alphabet(none), names_alphabet(rr_heavy_hitters(tally, alphabet = "abc"))), c(TRUE, FALSE))
  # A table in which all buckets are alike tells nothing.
  part <- submechanism_tally(tally, "1")
  listed <- candidate_tally(part$mechanism, part, "x")
  part$counts[] <- 7
  expect_identical(absent_threshold(part, listed, 0.05), Inf)
  # One function alone, of which a bucket is full: the string may be in it by chance of one in 16.
  one <- rr_prefixes(44, 1, width = 16, functions = 1)
  part <- submechanism_tally(rr_tally(withr::with_seed(2, rr_perturb(rep("a", 100), one, rng = "R")), one), "1")
  listed <- candidate_tally(part$mechanism, part, "a")
  expect_equal(absent_threshold(part, listed, 1e-3), unname(group_evidence(listed, 1)$unbiased()), tolerance = 0.01)
})

test_that("what was found has the estimates of those held out, from the largest down, as they are asked for", {
  tally <- small_tally()
  found <- rr_heavy_hitters(tally, alphabet = "abc")
  expect_identical(found$term, c("ab", "ba", "c"))
  fit <- rr_estimate(tally, candidates = found$term)
  expect_equal(found$estimate, unname(coef(fit)))
  expect_equal(found$std.error, tidy(fit)$std.error)
  # Nearly half hold "ab", and nobody "ac".
  begun <- coef(rr_estimate(tally, candidates = c("ab", "ac")))
  expect_gt(begun[["ab"]] - begun[["ac"]], 0.2)
  expect_identical(info_of(found, "target"), "population")
  asked <- rr_heavy_hitters(tally, alphabet = "abc", simultaneous = TRUE, conf.level = 0.8, target = "sample")
  fit <- rr_estimate(tally, candidates = found$term, simultaneous = TRUE, conf.level = 0.8, target = "sample")
  expect_equal(as.list(tidy(asked, conf.int = TRUE)), as.list(tidy(fit, conf.int = TRUE)))
  expect_identical(c(glance(asked)$target, glance(found)$target), c("sample", "population"))
  expect_identical(c(glance(asked)$conf.level, glance(found)$conf.level), c(0.8, 0.95))
  expect_identical(nobs(found), submechanism_tally(tally, "held out")$n)
  # The likeliest survives alone, and only those who go on from it.
  expect_identical(rr_heavy_hitters(tally, alphabet = "abc", most = 1)$term, "ab")
  grouped <- rr_tally(withr::with_seed(1, rr_perturb(rep("ab", 20), tally$mechanism, rng = "R")), tally$mechanism, by = rep(1:2, 10))
  expect_refused(rr_heavy_hitters(grouped), rr_heavy_hitters(rr_counts(c(1, 2), rr_warner(0.8))), rr_heavy_hitters(3))
  for (alphabet in list(c("a", NA), 1:3, "aa", c("a", "\u0004"), c("a", "bc"))) expect_refused(check_alphabet(alphabet))
  expect_identical(check_alphabet(c("a", "b")), c("a", "b"))
  expect_error(prefix_extensions("", letters, 5, 5), class = "candor_error_too_large")
})

test_that("each length has a sketch with a key of its own, and a report is about the letters of its length or the whole prefix", {
  m <- rr_prefixes(40, c(1, 3), width = 64, functions = 3, key = 2^32 - 1)
  expect_identical(names(m$parts), c("1", "3", "held out"))
  # Keys go on from 0 after the last.
  expect_identical(vapply(m$parts, `[[`, 0, "key", USE.NAMES = FALSE), c(2^32 - 1, 0, 1))
  expect_identical(prefix_of(c("ab", "abc", "abcd"), 3), c("ab\u0004", "abc", "abc"))
  # At this epsilon a report has one bit, that of its bucket.
  words <- rep(c("tea", "t", "teapot", "ale"), 15)
  reports <- withr::with_seed(4, rr_perturb(words, m, rng = "R"))
  expect_setequal(reports$part, names(m$parts))
  bits <- as.matrix(reports$bits)
  for (part in names(m$parts)) {
    rows <- which(reports$part == part)
    buckets <- sketch_buckets(m$parts[[part]], prefix_of(words[rows], if (part == "1") 1 else 3))
    expect_identical(max.col(bits[rows, ], "first"), buckets[cbind(reports$cohort[rows], seq_along(rows))])
  }
  expect_identical(rowSums(bits), rep(1, 60))
  expect_refused(rr_prefixes(1, c(2, 1)), rr_prefixes(1, 0), rr_prefixes(1, 1.5), rr_prefixes(1, c(1, 1)), rr_prefixes(1, numeric()), rr_prefixes(1, Inf),
                 rr_prefixes(1, "1"), rr_prefixes(1, 1, key = -1), rr_perturb("a\u0004", m), rr_perturb(1, m))
  # Two functions of three buckets and their reports, of one length and the whole: 16 numbers.
  limited <- function(cells) with_calls(rr_prefixes, sketch_cells = cells)(1, 1, width = 3, functions = 2)
  expect_identical(limited(16)$lengths, 1)
  expect_error(limited(15), class = "candor_error_too_large")
})
