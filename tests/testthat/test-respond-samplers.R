# Of every protocol: epsilon by all reports, the sampler bit by bit, what the order says, and intervals. What is tested elsewhere is named in the
# last lines of each test.

test_that("epsilon is that of all reports, for up to five categories", {
  largest <- function(law) max(log(apply(law, 1, max) / apply(law, 1, min)))
  for (k in 2:5) {
    # dBitFlip: which positions were drawn says nothing, each bit of them has its own probability.
    for (d in seq_len(min(k, 3))) {
      for (compatible in c(FALSE, TRUE)) {
        m <- rr_bitflip(k, 1.3, d = d, compatible = compatible)
        law <- do.call(rbind, utils::combn(k, d, simplify = FALSE, FUN = function(at) {
          bits <- as.matrix(expand.grid(rep(list(0:1), d)))
          vapply(seq_len(k), function(x) {
            apply(bits, 1, function(b) prod(ifelse(b == 1, ifelse(at == x, m$p, m$q), 1 - ifelse(at == x, m$p, m$q))))
          }, numeric(nrow(bits))) / choose(k, d)
        }))
        expect_equal(colSums(law), rep(1, k))
        expect_equal(rr_epsilon(m), largest(law), tolerance = 1e-12)
      }
    }
    # Unary encoding and subset selection.
    for (m in list(rr_unary(k, 1.3), rr_unary(k, 1.3, optimized = FALSE), rr_unary(k, p = 0.3, q = 0.7))) {
      bits <- as.matrix(expand.grid(rep(list(0:1), k)))
      law <- vapply(seq_len(k), function(x) {
        one <- ifelse(seq_len(k) == x, m$p, m$q)
        apply(bits, 1, function(b) prod(ifelse(b == 1, one, 1 - one)))
      }, numeric(2^k))
      expect_equal(rr_epsilon(m), largest(law), tolerance = 1e-12)
    }
    for (size in seq_len(k - 1)) {
      m <- rr_subset(k, 1.3, size = size)
      inside <- vapply(utils::combn(k, size, simplify = FALSE), function(set) seq_len(k) %in% set, logical(k))
      # p is the share of the reports with the truth.
      law <- t(ifelse(inside, m$p / choose(k - 1, size - 1), (1 - m$p) / choose(k - 1, size)))
      expect_equal(colSums(law), rep(1, k))
      expect_equal(rr_epsilon(m), largest(law), tolerance = 1e-12)
    }
    # Hadamard response with any number of blocks.
    for (chunks in seq_len(k)) {
      m <- rr_hadamard(k, 1.3, blocks = chunks)
      expect_equal(rr_epsilon(m), largest(t(rr_matrix(m))), tolerance = 1e-12)
    }
    # Local hashing: the function is drawn without the truth, its value by direct reporting among g.
    m <- rr_local_hash(k, 1.3, g = 3)
    functions <- expand.grid(slope = seq_len(m$prime - 1), shift = seq_len(m$prime) - 1L)
    table <- .Call(candor:::C_rr_hash_table, functions$slope, functions$shift, candor:::hash_sizes(m), m$codes)
    direct <- rr_matrix(rr_grr(3, epsilon = 1.3))
    law <- do.call(rbind, lapply(1:3, function(value) t(matrix(direct[cbind(as.vector(table), value)], k)) / nrow(functions)))
    expect_equal(colSums(law), rep(1, k))
    expect_equal(rr_epsilon(m), largest(law), tolerance = 1e-12)
    m <- rr_local_hash(k, 1.3, cohorts = 7)
    # Seven functions may give all categories of two one value: then they say less.
    expect_lte(largest(t(rr_matrix(m))), 1.3 + 1e-12)
  }
  # Of Bloom filters, questions drawn, hierarchies, means, longitudinal reports, square waves: in their own files.
})

# Supports of reports as a logical matrix.
supports_of <- function(m, reports) {
  if (inherits(m, "rr_hadamard") && !m$one_bit) return(t(unname(rr_matrix(m)) > 1.0000001 * min(rr_matrix(m)))[reports + 1, ])
  if (inherits(m, "rr_bitflip")) {
    # NA where the bit was not drawn.
    sets <- as.matrix(reports)
    bits <- matrix(NA, nrow(sets), m$buckets)
    bits[cbind(as.vector(row(sets)), as.vector(abs(sets)))] <- as.vector(sets > 0)
    return(bits)
  }
  as.matrix(candor:::new_rr_reports(candor:::report_sets(m, reports), length(m$levels))) == 1
}

test_that("every (truth bit, report bit) of every protocol has its probability", {
  # 90 bounds of 5 standard deviations: all hold but once in 20,000 seeds.
  set.seed(41)
  k <- 9
  x <- rep(seq_len(k), 4000)
  truth <- outer(x, seq_len(k), `==`)
  long <- rr_longitudinal(k, permanent = 2, epsilon = 1)
  cases <- list(rr_unary(k, 1), rr_subset(k, 1), rr_subset(k, 2, size = 3), rr_local_hash(k, 1), rr_hadamard(k, 1, one_bit = TRUE),
                rr_hadamard(k, 1, blocks = 1), rr_bitflip(k, 1, d = 3), long)
  for (m in cases) {
    reports <- if (identical(m, long)) rr_perturb(x, m, memory = list(), rng = "R")$reports else rr_perturb(x, m, rng = "R")
    if (!inherits(m, c("rr_hadamard", "rr_subset", "rr_local_hash", "rr_bitflip"))) reports <- rr_reports(as.character(reports), m)
    bits <- supports_of(m, reports)
    law <- if (inherits(m, "rr_hadamard") && !m$one_bit) list(p = stats::plogis(m$epsilon), q = 0.5) else rr_law(m)
    z <- vapply(seq_len(k), function(v) {
      off <- function(which, p) {
        seen <- bits[which & !is.na(bits[, v]), v]
        (mean(seen) - p) / sqrt(p * (1 - p) / length(seen))
      }
      c(off(truth[, v], law$p), off(!truth[, v], law$q))
    }, numeric(2))
    expect_lte(max(abs(z)), 5)
    # A bit that is never cleared, or never set, would be here.
    expect_true(all(apply(bits[truth[, 1], ], 2, function(bit) length(unique(bit[!is.na(bit)]))) == 2))
  }
  # Of several blocks: by the whole law in tests/core/test_protocols.c. Of Bloom filters: both stages in test-mechanism-bloom.R.
})

test_that("neither the order of what a report lists nor what it leaves out carries anything: truths permuted look the same", {
  set.seed(42)
  x <- sample(8L, 20000, TRUE)
  drawn <- abs(as.matrix(rr_perturb(x, rr_bitflip(8, 1.5, d = 3), rng = "R")))
  expect_true(all(drawn[, 1] < drawn[, 2] & drawn[, 2] < drawn[, 3]))
  sets <- table(apply(drawn, 1, paste, collapse = " "))
  expect_length(sets, choose(8, 3))
  expect_gt(stats::chisq.test(sets)$p.value, 1e-6)
  # How often the truth is among the positions, and first among them, if any answer were the truth.
  told <- function(x) c(mean(rowSums(drawn == x) > 0), mean(drawn[, 1] == x))
  permuted <- replicate(999, told(sample(x)))
  rank <- rowSums(permuted <= told(x)) + 0.5 * rowSums(permuted == told(x))
  expect_true(all(rank > 0.5 & rank < 998.5))
  # Members of a subset are in increasing order, so that a set has one report; which truth of its members made it, no order can say.
  x <- sample(40L, 20000, TRUE)
  numbers <- as.matrix(rr_perturb(x, rr_subset(40, 1.5, size = 3), rng = "R"))
  expect_true(all(numbers[, 1] < numbers[, 2] & numbers[, 2] < numbers[, 3]))
  holds <- rowSums(numbers == x) > 0
  member <- numbers[holds, ]
  own <- x[holds]
  # Under the law each of the three members is the truth with the same probability, whatever its place.
  expect_gt(stats::chisq.test(tabulate(apply(member == own, 1, which), 3))$p.value, 1e-6)
})

test_that("Wilson and exact intervals, and those of moments, cover for the protocols whose reports are drawn", {
  skip_on_cran()
  # 400 surveys of 500 by the sampler itself: the share covered may fall short of 0.95 by 4 standard errors, 0.044.
  set.seed(43)
  truth <- c(350, 100, 50, 0)
  answers <- rep(seq_along(truth), truth)
  cases <- list(rr_hadamard(4, 1, one_bit = TRUE), rr_hadamard(4, 2, blocks = 2), rr_bitflip(4, 2, d = 2), rr_unary(4, p = 0.3, q = 0.7),
                rr_longitudinal(4, permanent = 3, epsilon = 1.5))
  for (m in cases) {
    # Drawn from a population with these shares: what the intervals are about by default. A survey is a group.
    drawn <- sample(4, 400 * 500, TRUE, truth / 500)
    reports <- if (inherits(m, "rr_compose")) rr_perturb(drawn, m, memory = list(), rng = "R")$reports else rr_perturb(drawn, m, rng = "R")
    tally <- rr_tally(reports, m, by = rep(1:400, each = 500))
    for (interval in c("wilson", if (inherits(rr_law(m), "rr_law_support")) "exact")) {
      bounds <- confint(rr_estimate(tally, method = "inv", interval = interval))
      covered <- matrix(bounds[, 1] <= truth / 500 & truth / 500 <= bounds[, 2], 4)
      expect_true(all(rowMeans(covered) >= 0.95 - 4 * sqrt(0.05 * 0.95 / 400)), label = paste(format(m), interval))
    }
  }
})

test_that("more bits than the machine holds are refused before they are drawn", {
  skip_if_not(candor:::machine_memory() < 1.2e11)
  answers <- rep(1, 1e6)
  for (m in list(rr_unary(1e6, 1), rr_subset(1e6, 1))) expect_error(rr_perturb(answers, m), class = "candor_error_too_large")
  expect_length(rr_perturb(answers[1:10], rr_unary(20000, 1)), 10)
  # Three quarters of the memory fit, but not beside what is counted.
  number <- 0.75 * candor:::machine_memory() / 125000
  many <- list(levels = seq_len(1e6))
  expect_error(candor:::check_report_memory(seq_len(number), many), class = "candor_error_too_large")
  expect_no_error(candor:::check_report_memory(seq_len(number / 2), many))
})

test_that("reports of another kind of mechanism are a mismatch", {
  bits <- rr_perturb(1:9, rr_unary(9, 1))
  sets <- rr_perturb(1:20, rr_subset(20, 3))
  expect_refused(rr_tally(sets, rr_unary(20, 1)), rr_tally(bits, rr_bitflip(9, 1)), rr_tally(bits, rr_local_hash(9, 1)), class = "mismatch")
})

test_that("counts are not simulated of another number of levels, nor reports counted with weights that are none", {
  for (truth in list(c(3, 2), c(3, 2, 1, 5), c(3, -2, 1), c(3, NA, 1))) {
    expect_refused(simulate_counts(rr_grr(3, epsilon = 1), truth), simulate_counts(rr_unary(3, 1), truth))
  }
  for (mechanism in list(rr_hadamard(3, 1), rr_grr(3, epsilon = 1), rr_mean(c(0, 1), 1))) {
    reports <- rr_perturb(c(1, 1), mechanism, rng = "R")
    for (weights in list(c(-1, 1), c(NA, 1))) expect_error(count_reports(mechanism, reports, weights = weights), "weights", class = "candor_error_argument")
  }
})

test_that("bits of a kept first stage are drawn again by the second, symmetric, optimized or of any two probabilities", {
  n <- 20000
  first <- rr_unary(3, p = 0.9, q = 0.2)
  for (second in list(rr_unary(3, 1.5), rr_unary(3, 1.5, optimized = FALSE), rr_unary(3, p = 0.8, q = 0.3))) {
    m <- rr_compose(first, second)
    bits <- as.matrix(withr::with_seed(16, rr_perturb(rep(2, n), m, rng = "R", memory = list()))$reports)
    p <- second$q + c(0.2, 0.9, 0.2) * (second$p - second$q)
    expect_true(all(abs(colMeans(bits) - p) <= 5 * sqrt(p * (1 - p) / n)))
  }
})

test_that("simulated counts of a protocol do not depend on how many reports are drawn at once", {
  # At this epsilon a report of one category is the truth; 2 reports at a time, whoever they are of.
  by_two <- with_calls(simulate_counts.rr_mechanism, floor = function(x) 2)
  truth <- c(5, 0, 4, 2)
  counts <- by_two(rr_subset(4, 40, size = 1), truth, 2)
  expect_identical(unname(counts), cbind(truth, truth, deparse.level = 0))
  expect_refused(simulate_counts(rr_unary(3, 1), c(1, 2)), simulate_counts(rr_unary(3, 1), c(1, 2, -1)))
})

test_that("bits are drawn once more in pieces of any size", {
  bits <- rr_reports(rbind(c(1, 0, 1), c(0, 0, 0), c(1, 1, 1), c(0, 1, 0), c(0, 0, 1)), rr_unary(3, 1))
  by_two <- with_calls(draw_second_bits, floor = function(x) 2)
  # Bits that are kept for certain, and that are turned over.
  for (n in c(5, 4, 1, 0)) {
    some <- bits[seq_len(n)]
    expect_identical(by_two(suppressMessages(rr_unary(3, p = 1, q = 0)), some, "R"), some)
    turned <- by_two(suppressMessages(rr_unary(3, p = 0, q = 1)), some, "R")
    expect_equal(length(turned), n)
    if (n > 0) expect_equal(as.matrix(turned), 1 - as.matrix(some), ignore_attr = TRUE)
  }
})

test_that("a generator that fails is told by its kind, and positions and bits of others are checked", {
  grr <- rr_grr(3, 1)
  failed <- function(generator) list(failed = TRUE)
  expect_error(run_kernel(grr, "R", failed), class = "candor_error_generator")
  expect_error(run_kernel(grr, "secure", failed), class = "candor_error_entropy")
  expect_refused(run_kernel(grr, "R", function(generator) list(failed = FALSE, position = 2)), draw_reports(grr, c(1L, 4L), "R"))
  expect_identical(c(generator("secure"), generator("R"), with_calls(generator, entropy = list(source = "none"))("secure")), 0:2)
  expect_identical(with_calls(generator, entropy = list(source = "none"))("R"), 1L)
  # A row of TRUE and FALSE for each answer.
  unary <- rr_unary(3, 1)
  bits <- rbind(c(TRUE, FALSE, TRUE), c(FALSE, FALSE, TRUE))
  expect_equal(as.matrix(drawn_bits(bits, unary, 2L)), 1 * bits, ignore_attr = TRUE)
  expect_identical(drawn_bits(rr_reports(bits, unary), unary, 2L), rr_reports(bits, unary))
  for (bad in list(1 * bits, bits[, 1:2], replace(bits, 4, NA), bits[1, ], t(bits))) expect_refused(drawn_bits(bad, unary, 2L))
  expect_refused(drawn_bits(bits, unary, 3L))
})

test_that("coins and numbers that are certain need no draw, and others have their chance", {
  set.seed(39)
  before <- .Random.seed
  expect_identical(draw_uniform(3, 1, "R"), numeric(3))
  expect_identical(draw_uniform(0, 5, "R"), numeric())
  expect_identical(draw_coins(3, 0, 1, "R"), logical(3))
  expect_identical(draw_coins(0, 0.5, 0.5, "R"), logical())
  expect_identical(.Random.seed, before)
  expect_identical(draw_coins(3, 1, 0, "R"), rep(TRUE, 3))
  # Five standard deviations.
  expect_true(all(abs(table(factor(draw_uniform(8000, 4, "R"), 0:3)) - 2000) <= 5 * sqrt(8000 * 3 / 16)))
  expect_lte(abs(sum(draw_coins(8000, 0.3, 0.7, "R")) - 2400), 5 * sqrt(8000 * 0.21))
  for (size in c(2, 3, 7)) {
    counts <- table(factor(draw_uniform(4000, size, "R"), seq_len(size) - 1))
    expect_identical(sum(counts), 4000L)
    expect_true(all(abs(counts - 4000 / size) <= 5 * sqrt(4000 / size * (1 - 1 / size))))
  }
  for (p in c(0.2, 0.5, 0.9)) expect_lte(abs(mean(draw_coins(4000, p, 1 - p, "R")) - p), 5 * sqrt(p * (1 - p) / 4000))
})
