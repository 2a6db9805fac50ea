# Probabilities are multiples of 2^-64. A mechanism whose epsilon needs a smaller one is refused by rr_perturb().

step <- 64 * log(2)

# The largest epsilon by hand: one step of 2^-64 is left for what the truth does not say. If one report in f supports a
# category, epsilon is then log(1 + f (2^64 - 1)), which is 64 log(2) + log(f) in doubles; of a bit that is turned over log(2^64 - 1).
largest <- list(
  list(function(e) rr_grr(10, epsilon = e), step + log(10)),
  list(function(e) rr_warner(epsilon = e), step + log(2)),
  list(function(e) rr_unary(5, e), step),
  list(function(e) rr_unary(5, e, optimized = FALSE), 2 * step),
  list(function(e) rr_subset(12, e, size = 3), step + log(4)),
  list(function(e) rr_local_hash(12, e, g = 7), step + log(7)),
  list(function(e) rr_local_hash(12, e, g = 7, cohorts = 3), step + log(7)),
  list(function(e) rr_hadamard(12, e, blocks = 1), step + log(2)),
  list(function(e) rr_hadamard(12, e, blocks = 3), step + log(6)),
  list(function(e) rr_hadamard(12, e, one_bit = TRUE), step + log(2)),
  list(function(e) rr_bitflip(5, e), step),
  list(function(e) rr_bitflip(5, e, d = 2), 2 * step),
  # Two filters of one hash differ in two bits, of two hashes in four.
  list(function(e) rr_bloom(5, epsilon = e, hashes = 1), 2 * step),
  list(function(e) rr_bloom(5, epsilon = e, hashes = 2), 4 * step),
  list(function(e) rr_hierarchy(8, e, oracle = rr_unary), step),
  list(function(e) rr_product(a = rr_grr(2, epsilon = 1), b = rr_grr(3, epsilon = e), asked = 1), step + log(3)),
  list(function(e) rr_product(a = rr_grr(2, epsilon = 1), b = rr_grr(3, epsilon = e)), step + log(3))
)

answers <- function(m) if (inherits(m, c("rr_product", "rr_sampled")) && !inherits(m, "rr_hierarchy")) data.frame(a = 1L, b = 2L) else 1L
draws <- function(m) rr_perturb(answers(m), m)

test_that("epsilon up to the largest is drawn, and one more is told with the largest", {
  for (case in largest) {
    expect_no_error(draws(case[[1]](case[[2]] - 0.02)))
    for (epsilon in c(case[[2]] + 3, 600)) {
      told <- tryCatch(draws(case[[1]](epsilon)), error = identity, warning = identity)
      # Of answers to questions it is a warning.
      parts <- c(list(case[[1]](epsilon)), case[[1]](epsilon)$parts, case[[1]](epsilon)$questions)
      answers <- any(vapply(parts, inherits, NA, c("rr_grr", "rr_binary")))
      expect_s3_class(told, if (answers) "candor_warning_precision" else "candor_error_precision")
      named <- as.numeric(sub(".*at most ([0-9.]+)\\..*", "\\1", gsub("\n *", " ", conditionMessage(told))))
      # Rounded down to two digits.
      expect_lt(abs(named + 0.005 - case[[2]]), 0.0051)
    }
  }
  expect_error(rr_perturb(1L, rr_longitudinal(5, 60, 1), memory = list()), class = "candor_error_precision")
})

test_that("what is achieved below the largest is at most a 64th short, and 44 is always drawn", {
  for (case in largest) for (epsilon in c(1, 30, 41, 43, 43.6, 43.7, 44)) {
    m <- case[[1]](epsilon)
    expect_no_error(draws(m))
    if (!is.null(m$parts) || !is.null(m$questions)) next
    short <- 1 - rr_epsilon(m, achieved = TRUE)[[1]] / epsilon
    expect_gte(short, -1e-14)
    expect_lte(short, if (epsilon <= 30) 1e-6 / epsilon else 1 / 64)
  }
})

test_that("small levels that round to nothing are told, too", {
  # Truth with probability 1e-12 / 1e6, which is 18.4 steps of 2^-64: 18 are left.
  many <- rr_grr(1e6, epsilon = 1e-12)
  expect_equal(rr_epsilon(many, achieved = TRUE), 1e6 * 18 * 2^-64, tolerance = 1e-9)
  expect_warning(rr_perturb(1L, many), "fewer categories", class = "candor_warning_precision")
  expect_no_error(rr_perturb(1L, rr_grr(1000, epsilon = 1e-12)))
  forced <- rr_forced(c(0.5, 0.5) * (1 - 1e-15))
  expect_no_error(rr_perturb("1", forced))
  expect_warning(rr_perturb("no", rr_binary(1e-25, 3e-25)), class = "candor_warning_precision")
  expect_warning(rr_perturb("no", rr_binary(1e-25, 0)), class = "candor_warning_precision")
  expect_error(rr_perturb(1L, rr_unary(4, p = 1e-25, q = 0.5)), class = "candor_error_precision")
  expect_warning(rr_perturb(1L, rr_grr(3, p = 1e-25)), class = "candor_warning_precision")
  expect_warning(rr_perturb(1L, rr_channel(rbind(c(1 - 1e-25, 1e-25), c(0.5, 0.5)))), class = "candor_warning_precision")
})

test_that("certainty is no matter of precision", {
  for (m in list(rr_grr(3, p = 1), rr_grr(3, p = 0), rr_grr(3, p = 1 / 3), rr_unary(3, p = 0.5, q = 0), rr_bloom(3, f = 0, p = 0, q = 1))) {
    expect_no_error(rr_perturb(1L, m))
  }
  expect_no_error(rr_perturb("no", rr_triangular(0.3)))
})

test_that("both stages must be in reach", {
  expect_no_error(rr_perturb(1L, rr_longitudinal(5, 44, 30), memory = list()))
  expect_refused(rr_perturb(1L, rr_longitudinal(5, 60, 1), memory = list()),
                 rr_perturb(1L, rr_longitudinal(permanent = rr_grr(5, epsilon = 60), instantaneous = rr_grr(5, epsilon = 1)), memory = list()),
                 rr_perturb(1L, rr_bloom(5, epsilon = 1, permanent = 300), memory = list()), class = "precision")
})

test_that("a small share of turned bits keeps its digits: no bit of a filter is certain", {
  # 1 - f / 2 is 1 in doubles from epsilon 74 on; the bit was never cleared then.
  for (epsilon in c(40, 60, 74, 80, 88)) {
    m <- rr_bloom(5, epsilon = epsilon, hashes = 1)
    expect_lte(rr_epsilon(m, achieved = TRUE), epsilon)
    # One turned bit of n steps of 2^-64, n = exp(64 log 2 - epsilon / 2) or the next whole number.
    n <- exp(step - epsilon / 2)
    expect_gte(rr_epsilon(m, achieved = TRUE), epsilon - 2 * log((n + 2) / n))
  }
})

test_that("planning and estimation need no drawing", {
  m <- rr_grr(3, epsilon = 700)
  expect_equal(rr_epsilon(m, achieved = TRUE), step + log(3), tolerance = 1e-12)
  expect_equal(unname(coef(rr_estimate(rr_counts(c(5, 3, 2), m)))), c(0.5, 0.3, 0.2))
  expect_no_error(rr_study(c(0.5, 0.3, 0.2), n = 100, method = "inv", mechanism = m, replications = 2, seed = 1))
})

test_that("designs with an unknown parameter are drawn: their element `parameters` is no p", {
  denied <- rr_perturb(rep("yes, denied", 20), rr_lie_detector(0.7), rng = "R")
  cheating <- rr_perturb(rep("cheating", 20), rr_cheater_detection(0.3, 0.1), rng = "R")
  both <- rr_perturb(rep("yes and innocuous yes", 20), rr_unrelated(0.7, pi = NULL), rng = "R")
  expect_identical(unique(c(denied, cheating)), "no")
  expect_identical(unique(both), "yes")
})
