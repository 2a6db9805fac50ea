flips <- list(c(0.25, 0.25, 0.25), c(0.1, 0.3, 0.45), c(0.75, 0.2, 0.9), c(0, 0.3, 1), 0.05)

test_that("OR and AND agree with the golden vectors", {
  for (case in golden("hehir_or_and")) {
    bits <- as.vector(case$input$bits)
    flip <- as.vector(case$input$q)
    any <- rr_extreme(bits, flip)
    all <- rr_extreme(bits, flip, type = "all")
    expected <- lapply(case$expected, golden_number)
    largest <- max(1, abs(unlist(expected))[is.finite(unlist(expected))])
    expect_lte(abs(any$estimate - expected$or), 1e-11 * largest)
    expect_lte(abs(all$estimate - expected$and), 1e-11 * largest)
    expect_lte(abs(any$variance - expected$or_var_hat), 1e-11 * largest)
    expect_lte(abs(all$variance - expected$and_var_hat), 1e-11 * largest)
    expect_equal(any$sign, expected$one_minus_or_sign)
    expect_golden(any$log, expected$log_abs_one_minus_or)
  }
})

test_that("variance estimates are the golden vectors on average over all reports", {
  for (case in golden("hehir_variance")) {
    x <- as.vector(case$input$true_bits)
    flip <- as.vector(case$input$q)
    reports <- all_bits(length(x))
    p <- apply(reports, 1, report_chance, truth = x, flip = flip)
    for (type in c("any", "all")) {
      fit <- rr_extreme(reports, flip, type)
      expected <- golden_number(case$expected[[c(any = "or_var", all = "and_var")[[type]]]])
      # 1e-10 of the second moment: rounding of up to 64 terms
      expect_lte(abs(sum(p * fit$variance) - expected), 1e-10 * (1 + sum(p * fit$estimate^2)))
    }
  }
})

test_that("a million bits agree with the golden vectors in the log domain", {
  for (case in golden("hehir_log_domain")) {
    n <- case$input$n
    value <- suppressWarnings(rr_extreme(rr_tally(ones = case$input$noisy_ones, n = n, flip = case$input$q)))
    expected <- case$expected
    expect_equal(value$sign, expected$one_minus_or_sign)
    expect_lte(abs(value$log / expected$log_abs_one_minus_or - 1), 1e-12)
    expect_lte(abs(value$log_bound / expected$log_var_plus_one_all_zero - 1), 1e-12)
    if (!is.null(expected$or)) expect_lte(abs(value$estimate - expected$or), 1e-12 * abs(expected$or))
  }
})

test_that("per-bit flips keep 1e-11 at a million bits, where they could be equal", {
  set.seed(1)
  bits <- as.integer(runif(1e6) < 0.2)
  for (q in c(0.1, 1 / 3, 1e-4)) {
    equal <- suppressWarnings(rr_extreme(bits, q))
    flip <- rep(q, 1e6)
    flip[1] <- flip[1] * (1 + 2^-52) # unequal, so that the other path runs; changes the logarithm by 1e-16
    each <- suppressWarnings(rr_extreme(bits, flip))
    expect_lte(abs(each$log - equal$log), 1e-11 + 4e-16 * abs(equal$log))
    expect_identical(each$sign, equal$sign)
  }
})

test_that("Theorems 1 and 3 hold by enumeration of every truth and report", {
  for (flip in flips) {
    n <- if (length(flip) == 1) 4 else length(flip)
    flip <- rep_len(flip, n)
    reports <- all_bits(n)
    for (type in c("any", "all")) {
      estimate <- rr_extreme(reports, flip, type)
      for (i in seq_len(nrow(reports))) {
        x <- reports[i, ]
        p <- apply(reports, 1, report_chance, truth = x, flip = flip)
        goal <- as.numeric(if (type == "any") any(x == 1) else all(x == 1))
        scale <- 1 + sum(p * estimate$estimate^2)
        exact <- sum(p * estimate$estimate^2) - goal
        # 1e-10 of the second moment: rounding of up to 16 terms
        expect_lte(abs(sum(p * estimate$estimate) - goal), 1e-10 * scale)
        expect_lte(abs(sum(p * estimate$variance) - exact), 1e-10 * scale)
        # The closed form of the page.
        v <- flip * (1 - flip) / (1 - 2 * flip)^2
        expect_lte(abs(prod((if (type == "any") 1 - x else x) + v) - (goal != (type == "any")) - exact), 1e-10 * scale)
        expect_lte(exact, estimate$bound[1] * (1 + 1e-12) + 1e-12)
      }
    }
  }
})

test_that("Theorem 2: the three existing methods are this one", {
  for (flip in c(0.05, 0.25, 0.4)) {
    for (n in 1:5) {
      for (ones in 0:n) {
        bits <- rep(1:0, c(ones, n - ones))
        estimate <- rr_extreme(bits, flip)$estimate
        # 1e-12 relative: what solving a system of 32 equations leaves at flip 0.4
        expect_equal(or_by_convolution(bits, flip), estimate, tolerance = 1e-12)
        expect_equal(or_by_patterns(bits, rep(flip, n)), estimate, tolerance = 1e-12)
        expect_equal(or_by_merging(bits, rep(flip, n)), estimate, tolerance = 1e-12)
      }
    }
  }
  # with different flips, where the convolution is not defined
  flip <- c(0.1, 0.3, 0.2)
  for (i in 1:8) {
    bits <- all_bits(3)[i, ]
    estimate <- rr_extreme(bits, flip)$estimate
    expect_equal(or_by_patterns(bits, flip), estimate, tolerance = 1e-12)
    expect_equal(or_by_merging(bits, flip), estimate, tolerance = 1e-12)
  }
})

test_that("the closed form for equal flips has the sign that the paper's lacks", {
  # Erratum H1: one bit, flip 1/4, reported 1
  expect_equal(rr_extreme(1, 0.25)$estimate, 3 / 2, tolerance = 1e-15)
  expect_equal(rr_extreme(rep(1, 3), 0.25)$estimate, 1 + 0.25^3 / 0.5^3, tolerance = 1e-15)
})

test_that("all forms of the same bits give the same answer", {
  set.seed(2)
  bits <- as.integer(runif(203) < 0.1)
  whole <- rr_extreme(bits, 0.01)
  expect_identical(rr_extreme(as.logical(bits), 0.01), whole)
  expect_identical(rr_extreme(as.double(bits), 0.01), whole)
  packed <- packBits(c(bits, rep(0L, 5)))
  expect_identical(rr_extreme(rr_tally(packed, flip = 0.01, n = 203)), whole)
  expect_identical(rr_extreme(rr_tally(ones = sum(bits), n = 203, flip = 0.01)), whole)
  expect_equal(rr_extreme(rr_tally(packed, flip = rep(c(0.01, 0.02), c(200, 3)), n = 203)), rr_extreme(bits, rep(c(0.01, 0.02), c(200, 3))))
  expect_equal(rr_extreme(matrix(bits, 1), rep(0.01, 203))$estimate, whole$estimate)
  expect_equal(rr_extreme(matrix(bits, 1), matrix(0.01, 1, 203))$log, whole$log, tolerance = 1e-13)
})

test_that("a stream in pieces is the whole, in any order and however it is cut", {
  set.seed(3)
  bits <- as.integer(runif(600) < 0.3)
  flip <- runif(600, 0.001, 0.4)
  pieces <- split(seq_len(600), rep(1:12, each = 50))
  tallies <- lapply(pieces, function(i) rr_tally(bits[i], flip = flip[i]))
  whole <- suppressWarnings(rr_extreme(bits, flip))
  merged <- suppressWarnings(rr_extreme(do.call(c, unname(tallies))))
  expect_equal(merged$log, whole$log, tolerance = 1e-14)
  expect_identical(merged$sign, whole$sign)
  for (i in 1:5) expect_identical(suppressWarnings(rr_extreme(do.call(c, unname(tallies[sample(12)])))), merged)
  expect_identical(length(do.call(c, unname(tallies))$state), 12L) # constant space
  equal <- lapply(pieces, function(i) rr_tally(bits[i], flip = 0.2))
  expect_identical(do.call(c, unname(equal)), rr_tally(bits, flip = 0.2))
})

test_that("tallies of many elements merge element by element", {
  set.seed(4)
  bits <- matrix(as.integer(runif(700) < 0.4), 70, dimnames = list(paste0("e", 1:70), NULL))
  flip <- rep(c(0.1, 0.2, 0.3), c(4, 3, 3))
  merged <- c(rr_tally(bits[, 1:4], flip = 0.1), rr_tally(bits[, 5:7], flip = 0.2), rr_tally(bits[, 8:10], flip = 0.3))
  expect_equal(coef(rr_extreme(merged, type = "all")), coef(rr_extreme(bits, flip, type = "all")), tolerance = 1e-12)
  expect_equal(rr_extreme(merged)$estimate, 1 - apply(bits, 1, function(y) prod((1 - flip - y) / (1 - 2 * flip))), ignore_attr = TRUE, tolerance = 1e-12)
})

test_that("intervals of a bit hold, by enumeration of every report under every number of holders", {
  reports <- all_bits(8)
  truths <- unique(rbind(1 * outer(0:8, 1:8, `>=`), 1 * outer(0:8, 8:1, `>=`)))
  several <- list(c(0.002, 0.01, 0.005, 0.02, 0.05, 0.1, 0.3, 0.9), seq(0.001, 0.008, 0.001))
  for (flip in c(list(0.03, 0.05, 0.1, 0.3, 0.45, 0.9), several)) {
    chances <- apply(truths, 1, function(truth) apply(reports, 1, report_chance, truth = truth, flip = rep_len(flip, 8)))
    for (type in c("any", "all")) {
      goal <- as.numeric(if (type == "any") rowSums(truths) > 0 else rowSums(truths) == 8)
      for (level in c(0.4, 0.9, 0.95)) {
        bounds <- confint(suppressWarnings(rr_extreme(reports, flip, type)), level = level)
        expect_true(all(bounds == 0 | bounds == 1) && all(bounds[, 1] <= bounds[, 2]))
        covered <- outer(bounds[, 1], goal, `<=`) & outer(bounds[, 2], goal, `>=`)
        expect_gte(min(colSums(chances * covered)), level)
      }
    }
  }
})

test_that("intervals of a bit are the values that a test does not reject", {
  # Eight bits, flip 1/20: none is reported as 1 although somebody holds the bit in at most 0.05 0.95^7 = 3.5% of cases;
  # three and more are where nobody does in 0.6%, two and more in 5.7%.
  bounds <- confint(rr_extreme(rr_tally(ones = c(0, 1, 2, 3, 8), n = 8, flip = 0.05)))
  expect_identical(unname(bounds), cbind(c(0, 0, 0, 1, 1), c(0, 1, 1, 1, 1)))
  # AND of bits is not OR of their complements.
  all <- confint(rr_extreme(rr_tally(ones = 8 - c(0, 1, 2, 3, 8), n = 8, flip = 0.05), type = "all"))
  expect_identical(unname(all), 1 - unname(bounds)[, 2:1])
  # A flip above 1/2 turns each bit round.
  expect_identical(unname(confint(rr_extreme(rr_tally(ones = 8 - c(0, 1, 2, 3, 8), n = 8, flip = 0.95)))), unname(bounds))
  # Bits without noise are what they say.
  expect_identical(unname(confint(rr_extreme(rbind(c(0, 0), c(0, 1)), 0))), cbind(c(0, 1), c(0, 1)))
  # With different flips by Cantelli's inequality: 0 is rejected if B / (B + estimate^2) <= 0.05, B the largest variance.
  fit <- rr_extreme(all_bits(3), c(0.01, 0.02, 0.005))
  expect_identical(unname(confint(fit)[, 1]), as.numeric(fit$estimate > 0 & fit$bound / (fit$bound + fit$estimate^2) <= 0.05))
  expect_identical(unname(confint(fit)[1, ]), c(0, 0))
  # Beyond the range of a double nothing is rejected.
  expect_identical(unname(confint(suppressWarnings(rr_extreme(rep(0, 5000), rep(c(0.4, 0.45), 2500))))), cbind(0, 1))
})

test_that("estimates beyond a double keep sign and logarithm", {
  expect_warning(value <- rr_extreme(rep(0, 5000), 0.4), "1e2113", class = "candor_warning_variance")
  expect_identical(value$estimate, -Inf)
  expect_equal(value$log, 5000 * log(3), tolerance = 1e-14)
  expect_identical(value$sign, 1)
})

test_that("tidy, coef and print", {
  seen <- rbind(a = c(1, 1, 0), b = c(0, 0, 0), c = c(1, 1, 1))
  fit <- rr_extreme(seen, 0.1)
  expect_identical(coef(fit), setNames(tidy(fit)$estimate, c("a", "b", "c")))
  expect_identical(is.na(tidy(fit)$std.error), fit$variance < 0)
  expect_output(print(fit), "OR of 3 noisy bits, flip 0.1", fixed = TRUE)
  expect_output(print(c(rr_tally(c(0, 1), flip = 0.1), rr_tally(1, flip = 0.2))), "different\\s+from set to set")
})

test_that("bad bits and flips are errors", {
  m <- matrix(c(0L, 1L, 1L, 0L), 2)
  expect_refused(rr_extreme(c(0, 1), c(0.1, 0.5)), rr_extreme(m, matrix(c(0.1, 0.1, 0.5, 0.1), 2)), class = "no_information")
  for (flip in list(1.5, c(0.1, NA), c(0.1, 0.2, 0.3), "a", NULL)) expect_error(rr_extreme(c(0, 1), flip), class = "candor_error_argument")
  expect_error(rr_extreme(c(0, 2), 0.1), "Entry 2 is 2", class = "candor_error_argument")
  expect_error(rr_extreme(c(0, NA), 0.1), class = "candor_error_missing")
  expect_error(rr_extreme(integer(), 0.1), class = "candor_error_empty")
})

test_that("tallies of different elements do not merge", {
  expect_refused(rr_tally(c(0, 1), rr_warner(0.9), flip = 0.1), rr_tally(flip = 0.1), rr_tally(c(0, 2), flip = 0.1), rr_tally(c(0, 1), flip = 0.1, n = 2))
  one <- rr_tally(ones = c(a = 1, b = 2), n = 3, flip = 0.1)
  for (other in list(rr_tally(ones = 1:3, n = 3, flip = 0.1), rr_tally(ones = c(b = 1, a = 2), n = 3, flip = 0.1), 3)) {
    expect_error(c(one, other), class = "candor_error_mismatch")
  }
})

test_that("a hand-made call cannot crash R", {
  for (call in expression(.Call(C_rr_extreme_bits, 1:3, c(0.1, 0.2)), .Call(C_rr_extreme_merge, numeric(12), numeric(24)),
                          .Call(C_rr_extreme_value, numeric(5), 0L), .Call(C_rr_extreme_value, numeric(12), 0L), .Call(C_rr_count_ones, as.raw(1), 9),
                          .Call(C_rr_extreme_rows, 1:4, 2, 3, 0.1, FALSE), .Call(C_rr_bits, 1:3))) expect_error(eval(call))
})

test_that("elements without names are numbered, and their bits are independent", {
  fit <- rr_extreme(rbind(c(1, 0), c(0, 0), c(1, 1)), 0.1)
  expect_identical(names(coef(fit)), c("1", "2", "3"))
  covariance <- vcov(fit)
  expect_true(all(covariance[row(covariance) != col(covariance)] == 0))
  expect_equal(unname(diag(covariance)), fit$variance)
  expect_identical(dim(vcov(rr_extreme(c(1, 0), 0.1))), c(1L, 1L))
})

test_that("the tails of a bit are those of sums of binomials; if flips differ they are Cantelli's", {
  tally <- rr_tally(ones = 0:3, n = 3, flip = 0.2)
  # By hand: Bin(3, 0.2) is as large if nobody holds the bit; Bin(1, 0.8) + Bin(2, 0.2) is as small if one does.
  none <- c(1, 0.488, 0.104, 0.008)
  one <- c(0.128, 0.704, 0.968, 1)
  expect_equal(count_tails(rr_extreme(tally)), list(zero = none, one = one))
  expect_equal(count_tails(rr_extreme(tally, type = "all")), list(zero = rev(one), one = rev(none)))
  # B / (B + distance^2), and 1 on the near side.
  expect_equal(variance_tails(list(bound = 0.5, estimate = c(-1, 0, 2))), list(zero = c(1, 1, 1 / 9), one = c(1 / 9, 1 / 3, 1)))
})

test_that("warnings begin at a variance above a million, and at a union within two errors of 0", {
  expect_silent(warn_variance(1e6))
  expect_warning(warn_variance(1.01e6), class = "candor_warning_variance")
  expect_silent(warn_ratio(10, 4.9))
  expect_warning(warn_ratio(10, 5.1), class = "candor_warning_ratio")
})
