golden_shuffled <- function(input) {
  switch(input$protocol, grr = rr_grr(input$K, epsilon = input$epsilon), subset = rr_subset(input$K, input$epsilon), oue = rr_unary(input$K, input$epsilon))
}

# The bound as Balle et al. have it, given the number M of blanket reports, by plain summation.
blanket_by_hand <- function(weight, one, both, n, epsilon, local) {
  gain <- expm1(local)
  loss <- expm1(epsilon)
  total <- 0
  for (m in 1:n) {
    grid <- expand.grid(a = 0:m, b = 0:m, c = 0:m)
    grid <- grid[rowSums(grid) <= m, ]
    p <- apply(grid, 1, function(x) dmultinom(c(x, m - sum(x)), prob = c(one, one, both, 1 - 2 * one - both)))
    s <- gain * (grid$a + grid$c - (1 + loss) * (grid$b + grid$c)) - loss * m
    total <- total + dbinom(m - 1, n - 1, weight) * weight / m * sum(p * pmax(s, 0))
  }
  total
}

test_that("the bound is the golden one", {
  for (case in golden("ldp_shuffle")) {
    input <- case$input
    m <- golden_shuffled(input)
    shares <- mechanism_blanket(m)
    expect_equal(shares$weight, case$expected$blanket_weight, tolerance = 1e-12)
    sums <- blanket_sums(shares, input$n, input$epsilon, 1e-20)
    expect_equal(blanket_delta(sums, input$n, input$central_epsilon, input$epsilon), case$expected$delta, tolerance = 1e-9)
    level <- rr_epsilon(m, shuffled = input$n, delta = case$expected$delta)
    expect_equal(as.vector(level), input$central_epsilon, tolerance = 1e-9)
    expect_identical(attr(level, "delta"), case$expected$delta)
  }
})

test_that("it is never below the exact value over all truths of the others", {
  number <- function(text) eval(parse(text = text))
  for (case in golden("ldp_shuffle_exact")) {
    input <- case$input
    local <- log(number(input$exp_epsilon))
    central <- log(number(input$exp_central_epsilon))
    m <- rr_grr(input$K, epsilon = local)
    sums <- blanket_sums(mechanism_blanket(m), input$n, local, 1e-20)
    expect_equal(blanket_delta(sums, input$n, central, local), case$expected$blanket_delta, tolerance = 1e-12)
    # At the delta that is truly reached no smaller level is claimed.
    expect_gte(as.vector(rr_epsilon(m, shuffled = input$n, delta = case$expected$exact_worst_delta)), central * (1 - 1e-12))
  }
})

test_that("the sum over all reports is that over blanket reports, for every kind of mechanism", {
  mechanisms <- list(rr_grr(4, epsilon = 1), rr_grr(2, p = 0.3), rr_unary(5, 1), rr_unary(5, p = 0.2, q = 0.6), rr_subset(6, 1),
                     rr_local_hash(7, 1), rr_hadamard(9, 2, blocks = 3), rr_hadamard(9, 1, blocks = 1), rr_hadamard(9, 1, one_bit = TRUE))
  for (m in mechanisms) {
    shares <- mechanism_blanket(m)
    local <- rr_epsilon(m)
    sums <- blanket_sums(shares, 7, local, 1e-20)
    expect_equal(blanket_delta(sums, 7, 0.2, local), blanket_by_hand(shares$weight, shares$p_single, shares$p_pair, 7, 0.2, local), tolerance = 1e-11)
  }
  # By hand: the table of the mathematics.
  e <- exp(1)
  expect_equal(unlist(mechanism_blanket(rr_hadamard(9, 1, blocks = 3))), c(weight = 6 / (e + 5), p_single = 1 / 6, p_pair = 0))
  expect_equal(unlist(mechanism_blanket(rr_hadamard(9, 1, one_bit = TRUE))), c(weight = 2 / (e + 1), p_single = 1 / 4, p_pair = 1 / 4))
  expect_equal(unlist(mechanism_blanket(rr_unary(9, 1))), c(weight = 0.5 / (1 - 1 / (e + 1)), p_single = e / (e + 1)^2, p_pair = 1 / (e + 1)^2))
  hash <- rr_local_hash(9, 1)
  collision <- candor:::hash_numbers(1, hash$g, hash$prime)$collision
  expect_equal(unlist(mechanism_blanket(hash)), c(weight = hash$g / (e + hash$g - 1), p_single = (1 - collision) / hash$g, p_pair = collision / hash$g))
  # Pairs of one block reveal less than pairs of two: only these are counted.
  apart <- blanket_by_hand(6 / (e + 5), 1 / 6, 0, 7, 0.2, 1)
  expect_gt(apart, blanket_by_hand(6 / (e + 5), 1 / 12, 1 / 12, 7, 0.2, 1))
})

test_that("pieces of long sums lie above the whole, and near it", {
  for (m in list(rr_grr(10, epsilon = 2), rr_grr(2, epsilon = 1), rr_unary(5, 1), rr_local_hash(9, 1))) {
    shares <- mechanism_blanket(m)
    local <- rr_epsilon(m)
    n <- if (shares$p_pair > 0) 50 else 250
    chance <- c(single = 2 * shares$weight * shares$p_single, pair = shares$weight * shares$p_pair,
      none = shares$weight * (1 - 2 * shares$p_single - shares$p_pair))
    whole <- blanket_one_by_one(chance, n, exp(local))
    pieces <- blanket_in_pieces(chance, n, exp(local), 1e-20)
    for (epsilon in local * c(0.02, 0.1, 0.3, 0.6)) {
      ratio <- blanket_delta(pieces, n, epsilon, local) / blanket_delta(whole, n, epsilon, local)
      expect_gte(ratio, 1 - 1e-10)
    }
    level <- function(sums) uniroot(function(e) blanket_delta(sums, n, e, local) - 1e-4, c(0, local), tol = 1e-10)$root
    expect_lte(level(pieces), level(whole) * 1.04)
  }
  # Blocks of several pairs as well: values of the same bound by full sums in another implementation, to their digits.
  expect_equal(as.vector(rr_epsilon(rr_grr(10, epsilon = 2), shuffled = 1e6, delta = 1e-8)), 0.00917, tolerance = 1e-3)
  expect_equal(as.vector(rr_epsilon(rr_grr(1000, epsilon = 4), shuffled = 1e6, delta = 1e-8)), 0.00961, tolerance = 1e-3)
  known <- rbind(c(2, 1000, 1, 0.149), c(10, 1000, 1, 0.080), c(100, 1000, 1, 0.026), c(2, 1e4, 2, 0.115), c(10, 1e4, 2, 0.080), c(100, 1e4, 2, 0.029))
  for (i in seq_len(nrow(known))) {
    level <- rr_epsilon(rr_grr(known[i, 1], epsilon = known[i, 3]), shuffled = known[i, 2], delta = 1e-6)
    expect_lte(abs(level - known[i, 4]), 6e-4)
  }
})

test_that("the level falls with the number of reports and never exceeds that of one", {
  m <- rr_subset(20, 1)
  levels <- vapply(10^c(0:3, 6, 9), function(n) as.vector(rr_epsilon(m, shuffled = n, delta = 1e-9)), 0)
  expect_false(is.unsorted(rev(levels)))
  expect_lte(max(levels), 1)
  expect_warning(level <- rr_epsilon(rr_grr(5, epsilon = 1), shuffled = 3, delta = 0.9), class = "candor_warning_delta")
  expect_identical(as.vector(level), 0)
  expect_identical(as.vector(rr_epsilon(rr_grr(5, p = 1), shuffled = 100, delta = 1e-5)), Inf)
  expect_identical(as.vector(rr_epsilon(rr_grr(5, p = 0.2), shuffled = 100, delta = 1e-5)), 0)
  expect_lt(as.vector(rr_epsilon(rr_grr(1e6, epsilon = 8), shuffled = 1e9, delta = 1e-12)), 0.01)
  # Of two stages one report is shuffled.
  twice <- rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1))
  one <- rr_grr(4, epsilon = rr_epsilon(twice)[["report"]])
  expect_equal(rr_epsilon(twice, shuffled = 100, delta = 1e-4), rr_epsilon(one, shuffled = 100, delta = 1e-4), tolerance = 1e-9)
})

# The largest difference, over all truths of the others and all pairs of one's own, of the chances of the multisets of n
# reports: the hockey-stick divergence at each c, by listing all reports of everybody. Rows of C are truths.
exact_divergence <- function(C, n, c) {
  k <- nrow(C)
  given <- as.matrix(expand.grid(rep(list(seq_len(ncol(C))), n)))
  multiset <- apply(given, 1, function(reports) paste(sort(reports), collapse = " "))
  others <- as.matrix(expand.grid(rep(list(seq_len(k)), n - 1)))
  others <- others[!apply(others, 1, is.unsorted), , drop = FALSE]
  worst <- apply(others, 1, function(truths) {
    rest <- Reduce(`*`, lapply(seq_along(truths), function(j) C[truths[j], given[, j + 1]]))
    chances <- rowsum(t(C[, given[, 1]]) * rest, multiset)
    vapply(c, function(c) max(vapply(seq_len(k), function(x) max(colSums(pmax(chances[, x] - c * chances, 0))), 0)), 0)
  })
  apply(matrix(worst, length(c)), 1, max)
}

# The bound less the exact value, at each of some levels.
bound_above_exact <- function(shares, C, n, epsilon, local) {
  sums <- blanket_sums(shares, n, local, 1e-20)
  vapply(epsilon, function(epsilon) blanket_delta(sums, n, epsilon, local), 0) - exact_divergence(C, n, exp(epsilon))
}

test_that("the bound holds for reports of any number of levels: everybody's reports are listed", {
  tree <- rr_hierarchy(4, 1, fanout = 2, oracle = rr_grr)
  halves <- rbind(c(1, 0), c(1, 0), c(0, 1), c(0, 1))
  # A report is the depth, which is public, and the node.
  depths <- cbind(halves %*% rr_matrix(tree$parts[[1]]), rr_matrix(tree$parts[[2]])) / 2
  uneven <- rr_channel(rbind(c(0.6, 0.2, 0.1, 0.1), c(0.2, 0.5, 0.2, 0.1), c(0.25, 0.15, 0.2, 0.4)))
  mechanisms <- list(rr_bitflip(4, 1), rr_bitflip(4, 1, compatible = TRUE), rr_bitflip(4, 1, d = 2), rr_bitflip(3, 2, d = 3),
                     rr_bloom(4, 1, bits = 4, hashes = 2, cohorts = 1), rr_bloom(3, bits = 3, hashes = 1, cohorts = 2, f = 0.4, p = 0.6, q = 0.2),
                     rr_square_wave(5, 1, half_width = 1), rr_square_wave(c(0, 1, 2, 4), 2, reports = 6), rr_local_hash(4, 1, cohorts = 3),
                     rr_geometric(4, epsilon = 1), rr_forced(1 / 6, levels = c("n", "y")), rr_binary(0.9, 0.2), uneven, tree)
  for (m in mechanisms) {
    C <- if (identical(m, tree)) depths else rr_matrix(m)
    local <- rr_epsilon(m)[[1]]
    shares <- mechanism_blanket(m)
    # No more than the least likely truth gives each report, and chances that add up.
    expect_lte(shares$weight, sum(apply(C, 2, min)) + 1e-12)
    expect_lte(2 * shares$p_single + shares$p_pair, 1 + 1e-12)
    for (n in if (ncol(C) <= 16) 2:3 else 2) {
      expect_gte(min(bound_above_exact(shares, C, n, local * c(0.05, 0.3, 0.7), local)), -1e-12, label = paste(format(m), n))
    }
  }
})

# Rows are truths, columns are reports of the part `j` that was drawn, each equally likely.
drawn_matrix <- function(matrices, truths) do.call(cbind, Map(function(C, truth) C[truth, , drop = FALSE] / length(matrices), matrices, truths))

test_that("the bound holds for several questions, sketches and prefixes: everybody's reports are listed", {
  warner <- rr_warner(epsilon = 0.7)
  answers <- expand.grid(a = 1:3, b = 1:2)
  both <- function(a, b) kronecker(rr_matrix(b), rr_matrix(a))
  questions <- list(list(rr_grr(3, epsilon = 1), warner), list(rr_unary(3, 1), warner), list(rr_bitflip(3, 1, d = 2), warner),
                    list(rr_grr(3, epsilon = 1), rr_forced(1 / 6, levels = c("n", "y"))))
  cases <- list()
  for (q in questions) {
    named <- list(a = q[[1]], b = q[[2]])
    cases <- c(cases, list(list(m = rr_product(named), C = both(q[[1]], q[[2]])),
                           list(m = rr_product(named, asked = 1), C = drawn_matrix(lapply(q, rr_matrix), answers))))
  }
  # Three words in two buckets, under the hash functions as they are; then words that differ in every function.
  words <- c("ale", "gin", "tea", "cup")
  buckets <- function(sketch, words) {
    places <- sketch_buckets(sketch, words)
    drawn_matrix(rep(list(rr_matrix(sketch$bit)), sketch$cohorts), asplit(places, 1))
  }
  for (one_bit in c(FALSE, TRUE)) {
    sketch <- rr_count_mean_sketch(1.2, width = 2, functions = 3, one_bit = one_bit)
    cases <- c(cases, list(list(m = sketch, C = buckets(sketch, words)),
                           list(m = sketch, C = drawn_matrix(rep(list(rr_matrix(sketch$bit)), 3), asplit(rbind(1:2, 1:2, 2:1), 1)))))
  }
  prefixes <- rr_prefixes(1.2, lengths = 1, width = 2, functions = 2)
  cases <- c(cases, list(list(m = prefixes, C = do.call(cbind, Map(buckets, prefixes$parts, list(substr(words, 1, 1), words))) / 2)))
  for (case in cases) {
    m <- case$m
    local <- m$epsilon
    shares <- mechanism_blanket(m)
    C <- case$C
    expect_equal(rowSums(C), rep(1, nrow(C)), tolerance = 1e-12, ignore_attr = TRUE)
    # No pair of these truths reveals more than the level of one report, and the blanket is under all of them.
    expect_lte(max(apply(C, 2, function(p) log(max(p) / min(p)))), local + 1e-12)
    expect_lte(shares$weight, sum(apply(C, 2, min)) + 1e-12)
    expect_gte(shares$weight * shares$p_single * expm1(local), max(dist(C, "manhattan")) / 2 - 1e-12)
    for (n in if (ncol(C) <= 12) 2:3 else 2) {
      expect_gte(min(bound_above_exact(shares, C, n, local * c(0.05, 0.3, 0.7), local)), -1e-12, label = paste(format(m), n))
    }
  }
})

test_that("several questions, sketches and prefixes have the level of what they are made of", {
  level <- function(m) rr_epsilon(m, shuffled = 2000, delta = 1e-5)
  # A sketch reports bits, or one bit, about a bucket.
  expect_equal(level(rr_count_mean_sketch(2, width = 64)), level(rr_unary(64, 2, optimized = FALSE)), tolerance = 1e-9)
  expect_equal(level(rr_count_mean_sketch(2, width = 64, one_bit = TRUE)), level(rr_hadamard(64, 2, one_bit = TRUE)), tolerance = 1e-9)
  expect_equal(level(rr_prefixes(2, 1:3, width = 64)), level(rr_unary(64, 2, optimized = FALSE)), tolerance = 1e-6)
  # One question of several that are alike: the question says nothing.
  m <- rr_grr(5, epsilon = 2)
  expect_equal(level(rr_product(a = m, b = m, c = m, asked = 1)), level(m), tolerance = 1e-6)
  # The answers to two questions reveal more than those to one of them, and a question that protects completely nothing.
  expect_gt(level(rr_product(a = m, b = m)), level(m))
  expect_equal(level(rr_product(a = m, b = rr_grr(3, p = 1 / 3))), level(m), tolerance = 1e-6)
  for (several in list(rr_product(a = m, b = rr_unary(9, 1)), rr_product(a = m, hours = rr_mean(c(0, 24), 1), asked = 1), rr_prefixes(2, 1:3))) {
    levels <- vapply(c(1, 100, 1e6), function(n) as.vector(rr_epsilon(several, shuffled = n, delta = 1e-7)), 0)
    expect_false(is.unsorted(rev(levels)))
    expect_lte(max(levels), several$epsilon)
    expect_lt(levels[3], 0.03)
  }
})

test_that("the mean of numbers has the blanket of its windows", {
  # Duchi's protocol tells one of two ends as k-ary randomized response of two categories does.
  expect_equal(rr_epsilon(rr_mean(c(0, 24), 1, "duchi"), shuffled = 1000, delta = 1e-5), rr_epsilon(rr_grr(2, epsilon = 1), shuffled = 1000, delta = 1e-5),
               tolerance = 1e-10)
  # A window on a small grid, whose reports can be listed.
  grid <- window_grid(4, 1)
  cells <- grid$steps + grid$window
  C <- t(vapply(0:4, function(start) grid$other / cells + grid$chance * (seq_len(cells) - 1) %in% (start + seq_len(grid$window) - 1) / grid$window,
                numeric(cells)))
  shares <- law_blanket.rr_law_mean(list(chance = grid$chance, other = grid$other), 1, 1)
  expect_equal(shares$weight, sum(apply(C, 2, min)), tolerance = 1e-12)
  expect_equal(shares, two_level_blanket(shares$weight, max(dist(C, "manhattan")) / 2, 1), tolerance = 1e-12)
  expect_gte(min(bound_above_exact(shares, C, 3, c(0.1, 0.4), 1)), -1e-12)
  expect_lt(as.vector(rr_epsilon(rr_mean(c(0, 1), 2), shuffled = 1e6, delta = 1e-8)), 0.03)
})

test_that("reports of two levels lose nothing by the general way", {
  for (m in list(rr_grr(5, epsilon = 1), rr_square_wave(7, 1, half_width = 2), rr_local_hash(5, 1, cohorts = 4))) {
    C <- rr_matrix(m)
    # gamma, and the chances under the blanket of reports that are E times as likely as there, of one truth and not of the other.
    least <- apply(C, 2, min)
    high <- C > 1.5 * rep(least, each = nrow(C))
    pairs <- combn(nrow(C), 2, function(x) sum(least[high[x[1], ] & !high[x[2], ]]))
    expect_equal(two_level_blanket(sum(least), max(dist(C, "manhattan")) / 2, 1)[1:2], list(weight = sum(least), p_single = max(pairs) / sum(least)),
      tolerance = 1e-10)
  }
  # More categories, the columns, than pairs can be tried of: what no pair exceeds.
  wide <- 1 + outer(1:1000, 1:2001, function(report, truth) abs(2 * report - truth) < 200)
  wide <- wide / rep(colSums(wide), each = 1000)
  expect_gte(largest_distance(wide), sum(abs(wide[, 1] - wide[, 2001])) / 2)
})

test_that("the level of other protocols falls with the number of reports too, from that of one", {
  for (m in list(rr_bitflip(20, 1, d = 4), rr_bloom(9, 2, permanent = 4), rr_square_wave(16, 1), rr_local_hash(20, 1, cohorts = 5), rr_hierarchy(20, 1))) {
    level <- function(n) suppressWarnings(as.vector(rr_epsilon(m, shuffled = n, delta = 1e-7)), classes = "candor_warning_linked")
    levels <- vapply(c(1, 100, 1e6), level, 0)
    expect_false(is.unsorted(rev(levels)))
    expect_lte(max(levels), rr_epsilon(m)[[1]])
    expect_lt(levels[3], 0.02)
  }
})

test_that("several reports of one kept answer: all sequences are tried", {
  # Categories: every sequence of three reports.
  first <- rr_grr(3, epsilon = 2)
  second <- rr_grr(3, epsilon = 1.3)
  a <- rr_matrix(first)
  b <- rr_matrix(second)
  sequences <- as.matrix(expand.grid(1:3, 1:3, 1:3))
  chances <- apply(sequences, 1, function(y) a %*% (b[, y[1]] * b[, y[2]] * b[, y[3]]))
  by_hand <- max(apply(chances, 2, function(p) log(max(p) / min(p))))
  expect_equal(rr_epsilon(rr_compose(first, second), reports = 3), by_hand, tolerance = 1e-12)
  # Yes and no, with designs that are not symmetric.
  first <- rr_binary(0.9, 0.2)
  second <- rr_binary(0.7, 0.1)
  a <- rr_matrix(first)
  b <- rr_matrix(second)
  sequences <- as.matrix(expand.grid(1:2, 1:2, 1:2, 1:2))
  chances <- apply(sequences, 1, function(y) a %*% apply(b[, y], 1, prod))
  by_hand <- max(apply(chances, 2, function(p) log(max(p) / min(p))))
  expect_equal(rr_epsilon(rr_compose(first, second), reports = 4), by_hand, tolerance = 1e-12)
  twice <- rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1))
  expect_equal(rr_epsilon(twice, reports = 1), rr_epsilon(twice)[["report"]])
  expect_equal(rr_epsilon(twice, reports = 1e6), 2)
  # Without a first stage that is kept they add up.
  expect_identical(rr_epsilon(rr_grr(4, epsilon = 0.5), reports = 7), 3.5)
})

test_that("what cannot be answered is refused", {
  grr <- rr_grr(4, epsilon = 1)
  expect_refused(rr_epsilon(grr, shuffled = 100), rr_epsilon(grr, shuffled = 100, delta = 0), rr_epsilon(grr, shuffled = 2e9, delta = 1e-12),
                 rr_epsilon(grr, delta = 0.1), rr_epsilon(grr, shuffled = 100, delta = 0.1, reports = 3), rr_epsilon(grr, reports = 0),
                 rr_epsilon(rr_product(a = rr_warner(0.7), asked = 1), shuffled = 100, delta = 1e-5, achieved = TRUE))
  expect_refused(rr_epsilon(rr_product(a = rr_warner(0.7), b = toy_unary(4, 0.7)), shuffled = 100, delta = 1e-5),
                 rr_epsilon(rr_compose(rr_geometric(4, epsilon = 1), rr_grr(4, epsilon = 1)), reports = 3), class = "law")
})

test_that("a delta that promises nothing is a warning", {
  m <- rr_grr(100, epsilon = 4)
  expect_warning(rr_epsilon(m, shuffled = 1e6, delta = 1e-2), class = "candor_warning_delta")
  expect_warning(rr_epsilon(m, shuffled = 1000, delta = 1.1e-3), class = "candor_warning_delta")
  expect_silent(rr_epsilon(m, shuffled = 1000, delta = 0.9e-3))
})

# ---- the pieces, one by one ----

test_that("the blanket is what all truths have in common, and its distance the largest total variation, from matrices", {
  largest <- function(C) max(stats::dist(C, "manhattan")) / 2
  forced <- rr_forced(c(a = 0.1, b = 0.25, c = 0.15))
  uneven <- rr_channel(rbind(c(0.6, 0.2, 0.1, 0.1), c(0.2, 0.5, 0.2, 0.1), c(0.25, 0.15, 0.2, 0.4)))
  for (m in list(rr_grr(4, epsilon = 1.3), rr_grr(3, p = 0.1), forced, uneven, rr_hadamard(5, 1, blocks = 2), rr_product(x = forced, y = rr_warner(0.8)))) {
    C <- rr_matrix(m)
    shares <- mechanism_blanket(m)
    gain <- expm1(m$epsilon) * shares$weight
    # Independent questions have what all have in common, and no more distance than one of them shows.
    common <- sum(apply(C, 2, min))
    expect_equal(shares$weight, common)
    expect_equal(gain * shares$p_single, if (is.null(m$questions)) largest(C) else 1 - 0.5 * 0.4)
    expect_equal(gain * (shares$p_single + shares$p_pair), 1 - common)
  }
  # Bits: those of two truths under a third that they do not support; a bit of 1 against its truth is a 0 for it.
  odds <- 0.7 * 0.8 / (0.3 * 0.2)
  for (m in list(rr_unary(3, p = 0.7, q = 0.2), suppressMessages(rr_unary(3, p = 0.3, q = 0.8)))) {
    shares <- mechanism_blanket(m)
    expect_equal(shares$weight, 0.3 + 0.7 / odds)
    expect_equal(shares$weight * shares$p_single, 0.7 * 0.8 / odds)
    expect_equal(shares$weight * shares$p_pair, 0.7 * 0.2 / odds)
  }
  expect_equal(joint_blanket(rbind(c(0.5, 0.4), c(0.5, 0.6)), 3)$weight, 0.2)
  wide <- joint_blanket(rbind(c(0.5, 0.9), c(0.1, 0.05)), 3)
  expect_equal(wide$p_single * wide$weight * expm1(3), 1 - 0.9 * 0.95)
  # The weight alone bounds the distance: p_single is at most all that is supported, and what is not.
  expect_equal(two_level_blanket(0.5, 0.4, log(3)), list(weight = 0.5, p_single = 0.4, p_pair = 0.1))
  expect_equal(two_level_blanket(0.4, 0.55, log(3)), list(weight = 0.4, p_single = 0.25, p_pair = 0.5))
  expect_equal(two_level_blanket(0.9, 0.5, log(3)), list(weight = 0.9, p_single = 1 / 18, p_pair = 0))
  expect_equal(two_level_blanket(1, 0.5, log(3))$p_single, 0)
  # dBitFlip: a report has at least q / p of its largest probability.
  for (m in list(rr_bitflip(5, 1.2, d = 2), rr_bitflip(4, 1.2, d = 3), rr_bitflip(4, 1.2, d = 1))) {
    C <- rr_matrix(m)
    shares <- mechanism_blanket(m)
    gain <- expm1(rr_epsilon(m)[[1]]) * shares$weight
    expect_equal(gain * shares$p_single, largest(C))
    expect_equal(gain * (shares$p_single + shares$p_pair), 1 - shares$weight)
    expect_equal(shares$weight, if (m$d == 1) 2 * m$q else m$q / m$p)
  }
  # Bloom filters: all filters of h of b bits, all reports.
  for (p in list(c(0.7, 0.2), c(0.3, 0.6))) for (h in 1:2) {
    bits <- as.matrix(expand.grid(rep(list(0:1), 5)))
    filters <- utils::combn(5, h)
    C <- apply(filters, 2, function(f) apply(bits, 1, function(r) {
      one <- ifelse(1:5 %in% f, p[1], p[2])
      prod(ifelse(r == 1, one, 1 - one))
    }))
    law <- structure(list(one = p[1], zero = p[2], bits = 5, places = array(1L, c(h, 3, 1))), class = c("rr_law_bloom", "rr_law"))
    local <- h * abs(diff(log(p / (1 - p))))
    shares <- law_blanket(law, 3, local)
    gain <- expm1(local) * shares$weight
    expect_equal(shares$weight, sum(apply(C, 1, min)))
    expect_equal(gain * shares$p_single, min(largest(t(C)), 1 - shares$weight))
  }
})

test_that("the bound is the mean of the positive parts, whatever terms it gets", {
  sums <- list(coins = c(0, 3, 7, 1), unit = c(-2, -9, -30, 4), weight = c(0.1, 0.4, 0.3, 0.15), outside = 0.05)
  local <- 1.2
  for (epsilon in c(0, 0.1, 0.5, 1.1)) {
    gain <- exp(local) - 1
    loss <- exp(epsilon) - 1
    inside <- mapply(function(t, unit, weight) {
      x <- 0:t
      weight * sum(stats::dbinom(x, t, 0.5) * pmax(gain * (2 + loss) * x - gain * t + loss * unit, 0))
    }, sums$coins, sums$unit, sums$weight)
    expect_equal(blanket_delta(sums, 11, epsilon, local), sum(inside) / 11 + 0.05 * (gain - loss))
  }
  expect_identical(blanket_delta(sums, 11, 1.2, 1.2), 0)
  expect_identical(blanket_delta(sums, 11, 1.3, 1.2), 0)
})

test_that("terms have the mean of the reports, one by one and in pieces", {
  local <- 1.1
  for (prob in list(c(single = 0.3, pair = 0.1, none = 0.2), c(single = 0.3, pair = 0, none = 0.2), c(single = 0.2, pair = 0.15, none = 0))) {
    mean <- -((exp(local) - 1) * (prob[[1]] / 2 + prob[[2]]) + sum(prob))
    for (n in c(12, 30000)) {
      sums <- if (n == 12) blanket_one_by_one(prob, n, exp(local)) else blanket_in_pieces(prob, n, exp(local), 1e-14)
      expect_equal(sum(sums$weight) + sums$outside, 1, tolerance = 1e-9)
      expect_equal(sum(sums$weight * ((exp(local) - 1) * sums$coins / 2 + sums$unit)), n * mean, tolerance = 1e-7)
      expect_equal(sums$exact, n == 12)
    }
  }
})

test_that("blocks keep the mass and the mean of a binomial, and small ones are its numbers", {
  edges <- c(2, 5, 6, 11)
  weights <- block_weights(edges, 15, 0.4)
  blocks <- list(2:5, 6, 7:11)
  for (i in 1:3) {
    p <- stats::dbinom(blocks[[i]], 15, 0.4)
    expect_equal(sum(weights[i, ]), sum(p))
    expect_equal(sum(weights[i, ] * edges[i + 0:1]), sum(p * blocks[[i]]))
  }
  few <- binomial_blocks(40, 0.3, 1e-6)
  low <- stats::qbinom(1e-6, 40, 0.3) - 1
  high <- stats::qbinom(1e-6, 40, 0.3, lower.tail = FALSE) + 1
  expect_equal(few[c("start", "stop", "mean_at")], list(start = low:high, stop = low:high, mean_at = low:high))
  expect_equal(few$weight, stats::dbinom(low:high, 40, 0.3))
  expect_equal(few$outside, 1 - sum(few$weight))
  many <- binomial_blocks(60000, 0.3, 1e-10)
  expect_length(many$start, 398)
  expect_equal(sum(many$weight) + many$outside, 1)
  expect_equal(sum(many$weight * many$mean_at), 18000, tolerance = 1e-8)
  expect_true(all(many$start < many$stop) && all(many$mean_at == many$start | many$mean_at == many$stop))
  expect_true(all(tapply(many$mean_at == many$stop, many$start, sum) == 1))
  expect_identical(head(sort(unique(many$start)), -1)[-1], head(sort(unique(many$stop)), -2))
  # A number of people of which some lie at the ends: no block leaves 0 to n.
  expect_equal(range(binomial_blocks(5, 0.5, 1e-12)$start), c(0, 5))
})

test_that("coarse grids keep the mass and the mean", {
  points <- grid_points(c(2, 3.7, 9, 4.1), c(0.1, 0.4, 0.2, 0.3))
  expect_equal(points[1:25], seq(2, 9, length.out = 25))
  expect_equal(sum(points[26:50]), 1)
  expect_equal(sum(points[1:25] * points[26:50]), sum(c(2, 3.7, 9, 4.1) * c(0.1, 0.4, 0.2, 0.3)))
  # Each value is on the two points beside it.
  expect_equal(which(points[26:50] > 0), c(1, 6, 7, 8, 9, 24, 25)[c(TRUE, TRUE, TRUE, TRUE, TRUE, FALSE, TRUE)])
  expect_identical(grid_points(c(3, 3), c(0.4, 0.6)), c(rep(3, 25), 1, numeric(24)))
  coarse <- coarse_binomial(c(5000, 12, 0), 0.3, 1e-12)
  expect_identical(dim(coarse$values), c(25L, 3L))
  expect_equal(colSums(coarse$weights), rep(1, 3), tolerance = 1e-10)
  expect_equal(colSums(coarse$values * coarse$weights), 0.3 * c(5000, 12, 0), tolerance = 1e-9)
  expect_identical(coarse_binomial(c(5, 7), 0, 1e-9), list(values = matrix(0, 25, 2), weights = rbind(c(1, 1), matrix(0, 24, 2))))
  both <- other_values(0.2, 0.4, 3, c(500, 900), 1e-12)
  expect_equal(colSums(both$weights), c(1, 1), tolerance = 1e-9)
  expect_equal(colSums(both$values * both$weights), c(500, 900) * (0.2 * 3 + 0.4), tolerance = 1e-8)
  expect_identical(other_values(0, 0.4, 3, 50, 1e-12), coarse_binomial(50, 0.4, 1e-12))
})

test_that("the level is the least whose bound is met, to its digits", {
  for (n in c(30, 5000)) {
    m <- rr_grr(4, epsilon = 1.5)
    level <- as.vector(rr_epsilon(m, shuffled = n, delta = 1e-4))
    sums <- blanket_sums(mechanism_blanket(m), n, 1.5, 1e-20)
    expect_identical(sums$exact, n == 30)
    expect_lte(blanket_delta(sums, n, level * (1 + (if (n == 30) 1e-5 else 2e-3)), 1.5), 1e-4)
    expect_gt(blanket_delta(sums, n, level * (1 - (if (n == 30) 1e-5 else 2e-3)), 1.5), 1e-4)
  }
  # Nothing is hidden above an epsilon of 50, and there is nothing to hide at 0.
  expect_identical(as.vector(rr_epsilon(rr_grr(3, epsilon = 51), shuffled = 100, delta = 1e-3)), 51)
  expect_no_warning(rr_epsilon(rr_grr(3, epsilon = 1), shuffled = 100, delta = 0.01))
  expect_warning(rr_epsilon(rr_grr(3, epsilon = 1), shuffled = 100, delta = 0.0101), class = "candor_warning_delta")
})

test_that("the terms of few reports are the triples of a multinomial, with their values, and more than 40,000 are pieces", {
  multinomial <- function(blanket, n, local) {
    one <- blanket$weight * blanket$p_single
    pair <- blanket$weight * blanket$p_pair
    none <- max(0, blanket$weight - 2 * one - pair)
    grid <- expand.grid(single = 0:n, pair = if (pair > 0) 0:n else 0, none = 0:n)
    grid <- grid[rowSums(grid) <= n, ]
    prob <- c(2 * one, pair, none, 1 - blanket$weight)
    weight <- apply(cbind(grid, n - rowSums(grid)), 1, function(x) dmultinom(x, prob = prob))
    list(coins = grid$single, unit = -exp(local) * (grid$single + grid$pair) - grid$none, weight = unname(weight))
  }
  sorted <- function(sums) as.data.frame(sums[1:3])[order(sums$coins, sums$unit), ]
  # A blanket that all reports support, one of pairs, and one of single reports alone.
  for (blanket in list(list(weight = 0.6, p_single = 0.3, p_pair = 0.25), list(weight = 0.6, p_single = 0.3, p_pair = 0),
                       list(weight = 0.4, p_single = 0.3, p_pair = 0.4 + 1e-17), list(weight = 0.7, p_single = 0.5 + 1e-16, p_pair = 0))) {
    sums <- blanket_sums(blanket, 9, 1.2, 1e-12)
    expect_equal(sorted(sums), sorted(multinomial(blanket, 9, 1.2)), ignore_attr = TRUE)
    expect_identical(sums[4:5], list(outside = 0, exact = TRUE))
  }
  # Triples below n are (n + 1)^3 / 6 or so, pairs half of (n + 1)^2.
  is_exact <- function(n, p_pair) blanket_sums(list(weight = 0.5, p_single = 0.2, p_pair = p_pair), n, 1, 1e-12)$exact
  expect_identical(c(is_exact(61, 0.1), is_exact(62, 0.1), is_exact(281, 0), is_exact(282, 0)), c(TRUE, FALSE, TRUE, FALSE))
})

test_that("several reports of one kept answer: sequences of bits, of reports that are impossible, and of answers turned over", {
  # The largest ratio of two truths over all sequences of r reports; rows of A are truths, of B permanent answers.
  all_sequences <- function(A, B, r) {
    sequences <- as.matrix(expand.grid(rep(list(seq_len(ncol(B))), r)))
    prob <- A %*% apply(sequences, 1, function(y) apply(B[, y, drop = FALSE], 1, prod))
    prob <- prob[, colSums(prob) > 0]
    max(log(apply(prob, 2, max) / apply(prob, 2, min)))
  }
  first <- rr_binary(0.9, 0.2)
  for (second in list(rr_binary(1, 0.3), rr_binary(0.6, 0), rr_binary(0.3, 0.8), rr_binary(1, 0))) for (r in 2:3) {
    expect_equal(rr_epsilon(rr_compose(first, second), reports = r), all_sequences(rr_matrix(first), rr_matrix(second), r))
  }
  # Two bits, each drawn again: of the pair (p, q) that holds the truth and the one that does not.
  first <- rr_unary(2, p = 0.8, q = 0.3)
  A <- rbind(kronecker(c(0.2, 0.8), c(0.7, 0.3)), kronecker(c(0.7, 0.3), c(0.2, 0.8)))
  for (p in list(c(0.7, 0.1), c(0.6, 0.55), c(0.2, 0.7))) for (r in 2:3) {
    bit <- cbind(1 - rev(p), rev(p))
    second <- suppressMessages(rr_unary(2, p = p[1], q = p[2]))
    expect_equal(rr_epsilon(suppressMessages(rr_compose(first, second)), reports = r), all_sequences(A, kronecker(bit, bit), r))
  }
  # Two categories and more that are alike; a stage that says nothing.
  for (k in 2:3) {
    first <- rr_grr(k, 2)
    second <- rr_grr(k, 1.3)
    expect_equal(rr_epsilon(rr_compose(first, second), reports = 4), all_sequences(rr_matrix(first), rr_matrix(second), 4))
    expect_equal(rr_epsilon(rr_compose(rr_grr(k, p = 1 / k), second), reports = 2), 0)
    expect_equal(rr_epsilon(rr_compose(first, rr_grr(k, p = 1 / k)), reports = 2), 0)
  }
  # Categories that are not alike, or whose truth is avoided.
  for (pair in list(list(rr_forced(c(a = 0.1, b = 0.2, c = 0.3)), rr_grr(letters[1:3], 1)), list(rr_grr(3, 2), rr_grr(3, p = 0.2)),
                    list(rr_grr(3, p = 0.2), rr_grr(3, 2)))) {
    expect_error(rr_epsilon(do.call(rr_compose, pair), reports = 2), class = "candor_error_law")
  }
  twice <- rr_compose(rr_binary(0.9, 0.2), rr_binary(0.7, 0.1))
  expect_equal(rr_epsilon(twice, reports = 1e6), rr_epsilon(twice)[["permanent"]])
  expect_error(rr_epsilon(twice, reports = 1e6 + 1), class = "candor_error_argument")
})

test_that("shuffling: one report hides behind nobody, delta is a probability, and is told if a report may not be hidden", {
  mechanism <- rr_grr(4, epsilon = 1)
  expect_equal(as.numeric(rr_epsilon(mechanism, shuffled = 1, delta = 1e-6)), 1, tolerance = 1e-5)
  for (delta in c(0, 1)) expect_refused(rr_epsilon(mechanism, shuffled = 1000, delta = delta))
  for (n in c(0, 1e9 + 1)) expect_refused(rr_epsilon(mechanism, shuffled = n, delta = 1e-10))
  expect_no_warning(rr_epsilon(mechanism, shuffled = 1000, delta = 1 / 1000))
  expect_warning(rr_epsilon(mechanism, shuffled = 1000, delta = 1.01 / 1000), class = "candor_warning_delta")
})

test_that("a question that says nothing hides nothing and shows nothing, and many truths have a bound of their distance", {
  grr <- rr_grr(4, epsilon = 1.2)
  for (several in list(rr_product(a = grr, b = rr_grr(3, p = 1 / 3)), rr_product(b = rr_grr(2, p = 0.5), a = grr))) {
    expect_equal(mechanism_blanket(several), mechanism_blanket(grr), tolerance = 1e-12)
  }
  # Drawn with half: the mean of the weights, and half of the distance.
  half <- mechanism_blanket(rr_product(a = grr, b = rr_grr(3, p = 1 / 3), asked = 1))
  one <- mechanism_blanket(grr)
  expect_equal(half$weight, (one$weight + 1) / 2)
  expect_equal(half$weight * half$p_single, one$weight * one$p_single / 2)
  expect_equal(as.vector(rr_epsilon(rr_grr(3, p = 1 / 3), shuffled = 100, delta = 1e-6)), 0)
  # Columns are truths. Two differ by one half; all together have nothing in common.
  C <- cbind(c(0.5, 0.5, 0), c(0, 0.5, 0.5), c(0.5, 0, 0.5))
  expect_equal(largest_distance(C), 0.5)
  expect_equal(with_calls(largest_distance, ncol = function(x) 1e5)(C), 1)
  # No report says more than a coin of 0.01 / 4.
  expect_identical(as.vector(rr_epsilon(rr_grr(2, epsilon = 0.01), shuffled = 100, delta = 0.009)), 0)
})

test_that("a question whose answers tell nothing hides nothing of another and adds nothing; one of epsilon 1 is as near to its neighbours as they are", {
  level <- function(...) as.vector(rr_epsilon(rr_product(...), shuffled = 10000, delta = 1e-6))
  alone <- as.vector(rr_epsilon(rr_warner(epsilon = 2), shuffled = 10000, delta = 1e-6))
  expect_equal(level(a = rr_warner(epsilon = 2), b = rr_warner(0.5)), alone)
  near <- vapply(c(0.99, 1, 1.01), function(epsilon) level(a = rr_warner(epsilon = 1.5), b = rr_warner(epsilon = epsilon)), 0)
  # The second difference is of the order of 0.01^2.
  expect_lt(abs(diff(near, differences = 2)), 1e-4)
  expect_gt(diff(near)[1], 1e-3)
})

test_that("a question drawn from several has the mean of their blankets and distances, and a question that tells nothing is all blanket", {
  uneven <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.2, 0.5, 0.3), c(0.25, 0.15, 0.6)))
  questions <- list(a = uneven, b = rr_grr(4, epsilon = 0.8), c = rr_grr(3, p = 1 / 3))
  matrices <- lapply(questions, rr_matrix)
  weight <- mean(vapply(matrices, function(C) sum(apply(C, 2, min)), 0))
  distance <- mean(vapply(matrices, function(C) max(stats::dist(C, "manhattan")) / 2, 0))
  shares <- mechanism_blanket(rr_product(questions, asked = 1))
  gain <- expm1(rr_epsilon(uneven)) * weight
  expect_equal(shares, list(weight = weight, p_single = distance / gain, p_pair = (1 - weight - distance) / gain))
  expect_null(mechanism_blanket(rr_product(a = uneven, b = toy_unary(4), asked = 1)))
})

test_that("a report of k-ary randomized response from the blanket is any category, never one for two truths", {
  for (k in c(2, 3, 7, 10)) {
    m <- rr_grr(k, epsilon = 1.3)
    shares <- mechanism_blanket(m)
    expect_equal(shares, list(weight = k / (exp(1.3) + k - 1), p_single = 1 / k, p_pair = 0))
    # A pair of a rounding error would be a third sum.
    expect_identical(shares$p_pair, 0)
  }
})

test_that("the distance of up to 4e9 differences is that of the pair that is farthest apart", {
  # 100 reports of 400 truths: each truth prefers one report, by up to a tenth.
  wide <- outer(1:100, 1:400, function(report, truth) 1 + 0.1 * (report == 1 + (truth - 1) %% 100) * truth / 400)
  wide <- wide / rep(colSums(wide), each = 100)
  expect_equal(largest_distance(wide), sum(abs(wide[, 400] - wide[, 399])) / 2, tolerance = 1e-12)
})

test_that("a support law whose categories have probabilities of their own has no blanket", {
  blanket <- function(p, q) law_blanket(new_law_support(p, q, p * q, q^2, odds = 5), 2, log(5))
  expect_type(blanket(0.7, 0.2), "list")
  expect_null(blanket(c(0.7, 0.6), 0.2))
  expect_null(blanket(0.7, c(0.2, 0.3)))
})
