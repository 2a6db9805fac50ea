# Protocols whose reports are not categories, with so few reports that these can be listed.

test_that("entries are those by hand", {
  e <- exp(1)
  C <- rr_matrix(rr_unary(c("a", "b"), 1))
  expect_identical(dimnames(C), list(truth = c("a", "b"), report = c("00", "10", "01", "11")))
  # p = 1 / 2, q = 1 / (e + 1).
  expect_equal(unname(C["a", ]), c(e, e, 1, 1) / (2 * (e + 1)), tolerance = 1e-14)
  C <- rr_matrix(rr_subset(c("a", "b", "c", "d"), 1, size = 2))
  expect_identical(colnames(C), c("{a, b}", "{a, c}", "{a, d}", "{b, c}", "{b, d}", "{c, d}"))
  expect_equal(unname(C["c", ]), c(1, e, 1, e, 1, e) / (3 * e + 3), tolerance = 1e-14)
  # Each bit has half of epsilon; two of three buckets are drawn.
  C <- rr_matrix(rr_bitflip(c("a", "b", "c"), 2, d = 2))
  expect_identical(colnames(C)[5:8], c("a = 0, c = 0", "a = 1, c = 0", "a = 0, c = 1", "a = 1, c = 1"))
  expect_equal(unname(C["c", 5:8]), c(e, 1, e^2, e) / (e + 1)^2 / 3, tolerance = 1e-14)
  expect_equal(unname(C["b", 5:8]), c(e^2, e, e, 1) / (e + 1)^2 / 3, tolerance = 1e-14)
  # The column of a Hadamard matrix, drawn uniformly, with its own sign.
  H <- kronecker(matrix(c(1, 1, 1, -1), 2), matrix(c(1, 1, 1, -1), 2))
  C <- rr_matrix(rr_hadamard(4, 1, one_bit = TRUE))
  expect_identical(colnames(C)[c(1, 8)], c("0: 1", "3: -1"))
  expect_equal(unname(C), cbind(ifelse(H > 0, e, 1), ifelse(H > 0, 1, e)) / (4 * (e + 1)), tolerance = 1e-14)
})

test_that("rows add up to 1, epsilon is that of the columns, and supports have the probabilities of the law", {
  mechanisms <- list(rr_unary(4, 1), rr_unary(5, 1, optimized = FALSE), rr_unary(3, p = 0.2, q = 0.7), rr_unary(3, 40, optimized = FALSE), rr_subset(7, 1),
                     rr_subset(5, 0.3, size = 4), rr_subset(5, 30), rr_bitflip(5, 1), rr_bitflip(5, 1, d = 3), rr_bitflip(4, 1, d = 4),
                     rr_bitflip(9, 1, d = 2, buckets = 4),
                     rr_bloom(4, 1, bits = 5, hashes = 2, cohorts = 2), rr_bloom(4, 1, bits = 4, cohorts = 2, permanent = 2),
                     rr_hadamard(5, 1, one_bit = TRUE), rr_hadamard(7, 2, blocks = 3), rr_square_wave(6, 1), rr_longitudinal(3, 2, 1),
                     rr_local_hash(5, 1, cohorts = 3))
  for (m in mechanisms) {
    C <- rr_matrix(m)
    expect_equal(unname(rowSums(C)), rep(1, nrow(C)), tolerance = 1e-13)
    expect_equal(max(log(apply(C, 2, max) / apply(C, 2, min))), rr_epsilon(m)[[1]], tolerance = 1e-10)
    expect_identical(rownames(C), m$levels)
    expect_false(anyDuplicated(colnames(C)) > 0)
  }
  m <- rr_unary(4, 1)
  bits <- do.call(rbind, strsplit(colnames(rr_matrix(m)), "")) == "1"
  expect_equal(unname(rr_matrix(m) %*% bits), m$q + diag(m$p - m$q, 4), tolerance = 1e-13)
})

test_that("reports are drawn with these probabilities", {
  # Chi-squared of 20,000 reports under one seed; a right matrix fails at 1e-4 once in 10,000 seeds.
  fits <- function(m, drawn, truth) {
    C <- rr_matrix(m)[truth, ]
    counts <- table(factor(drawn, names(C)))
    expect_gt(pchisq(sum((counts - 20000 * C)^2 / (20000 * C)), length(C) - 1, lower.tail = FALSE), 1e-4)
  }
  set.seed(5)
  draw <- function(m, truth) rr_perturb(rep(m$levels[truth], 20000), m, rng = "R")
  bits <- function(x) apply(as.matrix(x) * 1L, 1, paste, collapse = "")
  m <- rr_unary(c("a", "b", "c"), 1)
  fits(m, bits(draw(m, 2)), 2)
  m <- rr_subset(c("a", "b", "c", "d", "e"), 0.2)
  fits(m, apply(as.matrix(draw(m, 4)) * 1L, 1, function(x) paste0("{", paste(m$levels[if (all(x %in% 0:1)) x == 1 else x], collapse = ", "), "}")), 4)
  m <- rr_hadamard(c("a", "b", "c"), 1, one_bit = TRUE)
  reports <- draw(m, 3)
  fits(m, paste0(reports$index, ": ", reports$sign), 3)
  m <- rr_bloom(c("a", "b"), 2, bits = 3, hashes = 1, cohorts = 2)
  reports <- draw(m, 1)
  fits(m, paste0(reports$cohort, ": ", bits(reports$bits)), 1)
})

test_that("more reports than can be listed are refused", {
  expect_identical(dim(rr_matrix(rr_unary(13, 1))), c(13L, 8192L))
  for (mechanism in list(rr_unary(14, 1), rr_unary(2000, 1), rr_subset(30, 0.1), rr_bitflip(100, 1, d = 3), rr_bloom(4, 1), rr_local_hash(4, 1))) {
    expect_error(rr_matrix(mechanism), class = "candor_error_law")
  }
})

test_that("the number of reports that a matrix lists is that of all buckets and bits, and of all filters of all cohorts", {
  # choose(12, 4) 2^4 = 7,920 and choose(14, 4) 2^4 = 16,016; 2 and 3 cohorts of 2^12.
  expect_identical(dim(rr_matrix(rr_bitflip(12, 1, d = 4))), c(12L, 7920L))
  expect_identical(dim(rr_matrix(rr_bloom(3, 1, bits = 12, cohorts = 2))), c(3L, 8192L))
  expect_refused(rr_matrix(rr_bitflip(14, 1, d = 4)), rr_matrix(rr_bloom(3, 1, bits = 12, cohorts = 3)), class = "law")
  expect_no_error(check_report_number(list(levels = 1:3), 10000))
  expect_refused(check_report_number(list(levels = 1:3), 10001), check_report_number(list(levels = 1:10001), 3), class = "law")
})

test_that("truths are told apart if the matrix has full row rank, however small epsilon is, and its inverse has no bias", {
  expect_error(identified_channel(rr_channel(rbind(c(0.5, 0.3, 0.2), c(0.3, 0.5, 0.2), c(0.4, 0.4, 0.2)))), class = "candor_error_no_information")
  # Three truths and two reports; two truths alike.
  expect_error(identified_channel(rr_channel(cbind(c(0.5, 0.4, 0.3), c(0.5, 0.6, 0.7)))), class = "candor_error_no_information")
  expect_error(identified_channel(rr_channel(rbind(c(0.5, 0.5), c(0.5, 0.5)))), class = "candor_error_no_information")
  weak <- rr_grr(3, 1e-6)
  expect_identical(identified_channel(weak), rr_matrix(weak))
  for (C in list(rbind(c(0.7, 0.3), c(0.2, 0.8)), rbind(c(0.5, 0.3, 0.2), c(0.1, 0.3, 0.6)))) expect_equal(C %*% unbiased_matrix(C), diag(2))
})

test_that("categories are drawn by their closed form if they have one, and else by their matrix", {
  plan <- function(mechanism) category_sampler(mechanism)[c("kind", "numbers")]
  # 0.9 0.1 + 2 0.05 0.45, and 0.9 0.45 + 0.05 0.1 + 0.05 0.45.
  expect_equal(plan(rr_compose(rr_grr(3, p = 0.9), rr_grr(3, p = 0.1))), list(kind = "grr", numbers = c(0.135, 0.4325, 0.135 - 0.4325)))
  # The truth goes on with (0.8 - 0.1) (0.7 - 0.15).
  expect_equal(plan(rr_compose(rr_grr(3, p = 0.8), rr_grr(3, p = 0.7))), list(kind = "innocuous", numbers = c(0.385, rep((1 - 0.385) / 3, 3))))
})
