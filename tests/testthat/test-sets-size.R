noisy <- function(seen, flip) {
  out <- xor(seen == 1, runif(length(seen)) < rep(rep_len(flip, ncol(seen)), each = nrow(seen)))
  storage.mode(out) <- "integer"
  out
}

test_that("unions and intersections agree with the golden vectors", {
  for (case in golden("union_cardinality")) {
    bits <- case$input$bits
    flip <- case$input$q
    expected <- case$expected
    scale <- 1e-11 * max(1, abs(unlist(expected)))
    union <- rr_set_size(bits, flip)
    both <- rr_set_size(bits, flip, "intersection")
    totals <- set_totals(read_sets(bits, flip))
    expect_lte(abs(coef(union) - expected$union), scale)
    expect_lte(abs(coef(both) - expected$intersection), scale)
    expect_lte(abs(totals$union_variance - expected$union_var_hat), scale)
    expect_lte(abs(totals$intersection_variance - expected$intersection_var_hat), scale)
    if (expected$union_var_hat >= 0) expect_lte(abs(vcov(union) - expected$union_var_hat), scale)
    if (expected$intersection_var_hat >= 0) expect_lte(abs(vcov(both) - expected$intersection_var_hat), scale)
    # A flip for each set takes another path when all rows of the matrix agree.
    if (all(flip == rep(flip[1, ], each = nrow(flip)))) expect_lte(abs(coef(rr_set_size(bits, flip[1, ])) - expected$union), scale)
  }
})

test_that("means and covariances are exact by enumeration", {
  # two elements, two sets: 16 reports
  flip <- c(0.2, 0.3)
  reports <- all_bits(4)
  totals <- apply(reports, 1, function(y) unlist(set_totals(read_sets(matrix(y, 2), flip))))
  difference <- apply(reports, 1, function(y) coef(rr_set_size(matrix(y, 2), flip, "difference")))
  for (i in 1:16) {
    x <- reports[i, ]
    sets <- matrix(x, 2)
    p <- apply(reports, 1, report_chance, truth = x, flip = rep(flip, each = 2))
    mean <- function(v) sum(p * v)
    expect_equal(mean(totals["union", ]), sum(rowSums(sets) > 0), tolerance = 1e-12)
    expect_equal(mean(totals["intersection", ]), sum(rowSums(sets) == 2), tolerance = 1e-12)
    expect_equal(mean(difference), sum(sets[, 1] == 1 & sets[, 2] == 0), tolerance = 1e-12)
    covariance <- mean(totals["union", ] * totals["intersection", ]) - mean(totals["union", ]) * mean(totals["intersection", ])
    expect_equal(mean(totals["covariance", ]), covariance, tolerance = 1e-11)
    expect_equal(mean(totals["union_variance", ]), mean(totals["union", ]^2) - mean(totals["union", ])^2, tolerance = 1e-11)
  }
})

test_that("a matrix, a list, a tally and a data frame of the same sets agree", {
  set.seed(1)
  bits <- noisy(matrix(as.integer(runif(1200) < 0.3), 300), 0.1)
  lists <- lapply(1:4, function(j) which(bits[, j] == 1))
  whole <- rr_set_size(bits, 0.1)
  expect_identical(rr_set_size(lists, 0.1, universe = 300)$table, whole$table)
  expect_identical(rr_set_size(as.data.frame(bits), 0.1)$table, whole$table)
  expect_identical(rr_set_size(bits == 1, 0.1)$table, whole$table)
  tally <- rr_tally(ones = rowSums(bits), n = 4, flip = 0.1)
  expect_equal(tidy(rr_set_size(tally), conf.int = TRUE), tidy(whole, conf.int = TRUE), tolerance = 1e-12)
  named <- lapply(lists, function(i) paste0("p", i))
  expect_identical(rr_set_size(named, 0.1, universe = paste0("p", 1:300))$table, whole$table)
  flip <- c(0.1, 0.2, 0.1, 0.3)
  mixed <- c(rr_tally(bits[, c(1, 3)], flip = 0.1), rr_tally(bits[, 2, drop = FALSE], flip = 0.2), rr_tally(bits[, 4, drop = FALSE], flip = 0.3))
  expect_equal(coef(rr_set_size(mixed, what = "intersection")), coef(rr_set_size(bits, flip, "intersection")), tolerance = 1e-11)
  expect_equal(coef(rr_set_size(mixed, what = "jaccard")), coef(rr_set_size(bits, flip, "jaccard")), tolerance = 1e-11)
  expect_equal(tidy(rr_set_size(mixed))$std.error.max, tidy(rr_set_size(bits, flip))$std.error.max, tolerance = 1e-11)
  expect_equal(coef(rr_set_size(bits, matrix(flip, 300, 4, byrow = TRUE))), coef(rr_set_size(bits, flip)), tolerance = 1e-11)
})

test_that("sets may be of any type of label, and empty", {
  full <- rr_set_size(list(c("a", "b"), character()), 0.1, universe = c("a", "b", "c"))$table
  expect_identical(rr_set_size(list(factor(c("a", "b")), NULL), 0.1, universe = c("a", "b", "c"))$table, full)
  days <- as.Date("2024-01-01") + 0:2
  expect_identical(rr_set_size(list(days[1:2], days[0]), 0.1, universe = days)$table, full)
})

test_that("one set, and no noise, are what they should be", {
  bits <- cbind(c(1, 0, 1, 1), c(0, 0, 1, 0))
  expect_equal(unname(coef(rr_set_size(bits, 0))), 3)
  expect_equal(unname(coef(rr_set_size(bits, 0, "intersection"))), 1)
  expect_equal(unname(coef(rr_set_size(bits, 0, "difference"))), 2)
  expect_equal(unname(coef(rr_set_size(bits, 0, "jaccard"))), 1 / 3)
  expect_equal(tidy(rr_set_size(bits, 0))$std.error, 0)
  one <- bits[, 1, drop = FALSE]
  expect_equal(coef(rr_set_size(one, 0.2))[[1]], (3 - 4 * 0.2) / 0.6)
  expect_equal(coef(rr_set_size(one, 0.2))[[1]], coef(rr_set_size(one, 0.2, "intersection"))[[1]])
})

test_that("accumulating sets gives each step's estimate", {
  set.seed(2)
  bits <- noisy(matrix(as.integer(runif(2000) < 0.2), 400), 0.1)
  steps <- tidy(rr_set_size(bits, 0.1, cumulative = TRUE))
  expect_equal(steps$sets, 1:5)
  for (k in 1:5) expect_equal(steps$estimate[k], coef(rr_set_size(bits[, 1:k, drop = FALSE], 0.1))[[1]], tolerance = 1e-12)
})

# Coverage over 400 sets of reports: with true coverage 0.95 fewer than 0.92 is seen with probability 0.007, more than 0.98
# with 0.001; seeds are fixed.
coverage <- function(estimate, truth, replications = 400) {
  mean(vapply(seq_len(replications), function(i) {
    table <- estimate()$table
    table$conf.low <= truth && truth <= table$conf.high
  }, TRUE))
}

test_that("normal intervals cover", {
  set.seed(10)
  seen <- matrix(as.integer(runif(4 * 2000) < 0.15), 2000)
  union <- sum(rowSums(seen) > 0)
  both <- sum(rowSums(seen[, 1:2]) == 2)
  only <- sum(seen[, 1] == 1 & rowSums(seen[, -1]) == 0)
  flip <- c(0.1, 0.15, 0.1, 0.2)
  expect_gt(at <- coverage(function() rr_set_size(noisy(seen, flip), flip), union), 0.92)
  expect_lt(at, 0.98)
  expect_gt(at <- coverage(function() rr_set_size(noisy(seen[, 1:2], 0.1), 0.1, "intersection"), both), 0.92)
  expect_lt(at, 0.98)
  expect_gt(at <- coverage(function() rr_set_size(noisy(seen, flip), flip, "difference"), only), 0.92)
  expect_lt(at, 0.98)
  expect_gt(at <- coverage(function() rr_set_size(noisy(seen[, 1:2], 0.1), 0.1, "jaccard"), both / sum(rowSums(seen[, 1:2]) > 0)), 0.92)
  expect_lt(at, 0.985) # a ratio: normal to first order only
})

# Where all flips are equal, elements count by the number of sets that they are reported in: what was seen has its table.
remembered <- function(draw, flip, ...) {
  seen <- new.env()
  function() {
    bits <- draw()
    key <- paste(tabulate(rowSums(bits) + 1, ncol(bits) + 1), collapse = " ")
    seen[[key]] <- seen[[key]] %||% rr_set_size(bits, flip, ..., interval = "exact")
    seen[[key]]
  }
}

test_that("exact intervals cover, also where the normal one does not", {
  set.seed(11)
  # Few elements, empty sets: the estimate is skewed and the normal interval too short.
  empty <- matrix(0L, 12, 6)
  expect_gte(coverage(remembered(function() noisy(empty, 0.15), 0.15), 0), 0.95)
  full <- matrix(1L, 12, 3)
  expect_gte(coverage(remembered(function() noisy(full, 0.1), 0.1, "intersection"), 12), 0.95)
  # The number of sets is enough.
  bits <- noisy(empty, 0.3)
  turned <- t(apply(bits, 1, rev))[12:1, ]
  expect_identical(rr_set_size(turned, 0.15, interval = "exact")$table, rr_set_size(bits, 0.15, interval = "exact")$table)
  mixed <- rbind(matrix(1L, 5, 3), matrix(0L, 20, 3), matrix(c(0L, 1L, 0L), 15, 3, byrow = TRUE))
  flip <- c(0.1, 0.2, 0.05)
  expect_gte(coverage(function() rr_set_size(noisy(mixed, flip), flip, interval = "exact"), 20, 200), 0.95)
})

test_that("the exact interval for one set has coverage by enumeration, and is no wider than it must be", {
  m <- 25
  q <- 0.2
  bounds <- vapply(0:m, function(s) exact_one_set(list(flip = q, m = m, bits = rep(1:0, c(s, m - s))), 0.9), numeric(2))
  for (t in 0:m) {
    p <- vapply(0:m, function(s) sum(dbinom(0:t, t, 1 - q) * dbinom(s - 0:t, m - t, q)), 1)
    expect_gte(sum(p[bounds[1, ] <= t & t <= bounds[2, ]]), 0.9)
  }
  # A flip above 1/2 is the complement's flip below it.
  bits <- matrix(rep(1:0, c(9, 16)), 25)
  expect_identical(tidy(rr_set_size(bits, 0.8, interval = "exact"), conf.int = TRUE)$conf.low,
                   tidy(rr_set_size(1 - bits, 0.2, interval = "exact"), conf.int = TRUE)$conf.low)
})

test_that("bad sets are errors", {
  bits <- cbind(a = c(0, 1, 1), b = c(1, 0, 0))
  tally <- rr_tally(ones = 1:3, n = 4, flip = 0.1)
  expect_error(rr_set_size(bits, 0.5), class = "candor_error_no_information")
  expect_refused(rr_set_size(c(0, 1), 0.1), rr_set_size(list(1:2), 0.1), rr_set_size(bits, 0.1, "jaccard", interval = "exact"),
                 rr_set_size(tally, what = "difference"))
  expect_error(rr_set_size(cbind(c(0L, NA), c(1L, 1L)), c(0.1, 0.2)), class = "candor_error_missing")
  expect_error(rr_set_size(list(1:2, 5), 0.1, universe = 4), class = "candor_error_level")
  expect_error(rr_set_size(list(), 0.1, universe = 4), class = "candor_error_empty")
  expect_identical(is.na(vcov(rr_set_size(bits, 0.1, cumulative = TRUE))), diag(2) == 0, ignore_attr = TRUE)
})

test_that("pictures are made of the estimates", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  bits <- noisy(matrix(as.integer(runif(500) < 0.3), 100), 0.1)
  size <- rr_set_size(bits, 0.1, cumulative = TRUE)
  picture <- ggplot2::autoplot(size, truth = c(30, 50, 60, 70, 75))
  expect_identical(picture$data$estimate, size$table$estimate)
  expect_equal(ggplot2::layer_data(picture, 2)$y, size$table$estimate)
  expect_equal(ggplot2::layer_data(picture, 3)$y, c(30, 50, 60, 70, 75))
})

test_that("a flip beside a tally must be the tally's own", {
  tally <- rr_tally(matrix(c(0, 1, 1, 0), 2), flip = 0.1)
  expect_identical(coef(rr_set_size(tally, 0.1)), coef(rr_set_size(tally)))
  for (f in list(rr_set_size, rr_incidence, rr_extreme)) {
    expect_refused(f(tally, 0.2), f(rr_tally(matrix(c(0, 1, 1, 0), 2), flip = c(0.1, 0.2)), 0.2), class = "mismatch")
  }
})

test_that("flips that name the sets go to the sets they name", {
  bits <- cbind(a = c(0, 1, 1), b = c(1, 1, 0))
  named <- c(b = 0.1, a = 0.2)
  expect_identical(coef(rr_set_size(bits, named)), coef(rr_set_size(bits, c(0.2, 0.1))))
  expect_identical(coef(rr_extreme(bits, named)), coef(rr_extreme(bits, c(0.2, 0.1))))
  expect_identical(coef(rr_extreme(c(a = 1, b = 0), named, type = "all")), coef(rr_extreme(c(1, 0), c(0.2, 0.1), type = "all")))
  expect_identical(coef(rr_incidence(bits, named)), coef(rr_incidence(bits, c(0.2, 0.1))))
})

test_that("names go wherever they can be matched, and where nothing has a name the order counts", {
  bits <- cbind(a = c(0, 1, 1), b = c(1, 1, 0))
  named <- c(b = 0.1, a = 0.2)
  expect_identical(coef(rr_set_size(list(a = 2:3, b = 1:2), named, universe = 3)), coef(rr_set_size(list(2:3, 1:2), c(0.2, 0.1), universe = 3)))
  entries <- cbind(b = c(0.1, 0.2, 0.3), a = c(0.15, 0.25, 0.35))
  expect_identical(coef(rr_extreme(bits, entries)), coef(rr_extreme(unname(bits), unname(entries[, 2:1]))))
  expect_identical(coef(rr_extreme(unname(bits), named)), coef(rr_extreme(bits, c(0.1, 0.2))))
  expect_identical(coef(rr_extreme(bits, c(all = 0.1))), coef(rr_extreme(bits, 0.1)))
  set.seed(12)
  merged <- rr_merge_bits(bits, named, rng = "R")
  set.seed(12)
  expect_identical(rr_merge_bits(bits, c(0.2, 0.1), rng = "R"), merged)
})

test_that("a plan has the variance of Theorem 3: the golden vectors", {
  for (case in golden("hehir_variance")) {
    x <- matrix(as.vector(case$input$true_bits), 1)
    flip <- as.vector(case$input$q)
    for (kind in c("or", "and")) {
      plan <- tidy(rr_set_size(x, flip, c(or = "union", and = "intersection")[[kind]], plan = TRUE))
      expect_identical(plan$estimate, as.double(case$expected[[kind]]))
      expect_golden(plan$std.error^2, case$expected[[paste0(kind, "_var")]])
    }
  }
  for (case in golden("doors_sketch")) {
    if (case$input$op != "plan_bits") next
    # Patterns become a matrix, or a list of rows if jsonlite sees too little.
    patterns <- do.call(rbind, lapply(seq_along(case$input$counts), function(i) as.vector(case$input$patterns[i, ])))
    truth <- patterns[rep(seq_len(nrow(patterns)), case$input$counts), ]
    for (what in c("union", "intersection")) {
      plan <- tidy(rr_set_size(truth, case$input$flip, what, plan = TRUE))
      expect_identical(plan$estimate, as.double(case$expected[[what]]))
      expect_golden(plan$std.error, case$expected[[paste0("se_", what)]], 1e-9)
    }
  }
})

test_that("a plan of a difference and of a Jaccard index, by enumeration of every report", {
  truth <- rbind(c(1, 0), c(1, 1), c(0, 1), c(0, 0))
  flip <- matrix(c(0.1, 0.2, 0.05, 0.3, 0.15, 0.1, 0.25, 0.2), 4)
  reports <- all_bits(8)
  p <- apply(reports, 1, report_chance, truth = c(truth), flip = c(flip))
  sizes <- function(what) apply(reports, 1, function(y) coef(suppressWarnings(rr_set_size(matrix(y, 4), flip, what))))
  estimates <- lapply(c(u = "union", i = "intersection", d = "difference"), sizes)
  moments <- function(x, y = x) sum(p * x * y) - sum(p * x) * sum(p * y)
  plan <- function(what) tidy(suppressWarnings(rr_set_size(truth, flip, what, plan = TRUE)))
  expect_equal(plan("difference")$std.error^2, moments(estimates$d), tolerance = 1e-12)
  expect_identical(c(plan("difference")$estimate, plan("jaccard")$estimate), c(1, 1 / 3))
  # The delta method at the truth: (I - J U) / U.
  linear <- (estimates$i - estimates$u / 3) / 3
  expect_equal(plan("jaccard")$std.error^2, moments(linear), tolerance = 1e-12)
  expect_refused(rr_set_size(rr_tally(truth, flip = 0.1), plan = TRUE), rr_set_size(truth, 0.1, plan = TRUE, interval = "exact"),
                 rr_set_size(truth, 0.1, plan = NA))
})

test_that("an element's estimate is 1 on average where it counts, and 0 elsewhere, under every membership pattern", {
  for (flip in list(0.2, c(0.1, 0.2, 0.3))) for (what in c("union", "intersection")) {
    law <- candor:::pattern_law(what, 3, flip)
    expect_equal(drop(law$out %*% law$y), numeric(nrow(law$out)), tolerance = 1e-12)
    expect_equal(drop(law$inside %*% law$y), rep(1, nrow(law$inside)), tolerance = 1e-12)
    # Patterns by their number of sets, or all of them; one alone is in no set, or in all.
    expect_identical(c(nrow(law$out), nrow(law$inside)), sort(c(1L, length(law$y) - 1L), decreasing = what == "intersection"))
    expect_identical(length(law$y), if (length(flip) == 1) 4L else 8L)
    expect_true(all(rbind(law$out, law$inside) > 0))
    expect_equal(rowSums(rbind(law$out, law$inside)), rep(1, length(law$y)))
  }
})

test_that("Chernoff's limits are the last sizes that no exponential bound excludes", {
  # One lambda after another, over a fine grid; 40 elements of 3 sets.
  law <- candor:::pattern_law("union", 3, 0.2)
  alpha <- 0.05
  m <- 40
  mgf <- function(lambda, rows) max(log(rows %*% exp(lambda * law$y)))
  for (estimate in c(3.3, 18, 39)) {
    refuted <- function(u, side) {
      any(vapply(side * exp(seq(-7, 2, length.out = 2000)), function(lambda) {
        -lambda * estimate + (m - u) * mgf(lambda, law$out) + u * mgf(lambda, law$inside) < log(alpha)
      }, NA))
    }
    low <- Find(function(u) !refuted(u, 1), 0:m)
    high <- Find(function(u) !refuted(u, -1), m:0)
    expect_equal(chernoff_size(estimate, m, law, alpha), c(low, high))
    # Half of what is left of the level on each side.
    expect_equal(exact_size("union", estimate, list(m = m, n = 3, flip = 0.2), 0.9), c(low, high))
  }
})

test_that("the exact interval of one set ends at the last sizes with a tail above alpha, at any size of the problem", {
  # Bin(t, 1 - q) + Bin(m - t, q), by convolution.
  tails <- function(s, t, m, q) {
    p <- convolve(dbinom(0:t, t, 1 - q), rev(dbinom(0:(m - t), m - t, q)), type = "open")
    c(upper = sum(p[0:m >= s]), lower = sum(p[0:m <= s]))
  }
  for (q in c(0.1, 0.35)) for (s in c(0, 7, 30)) {
    m <- 30
    limits <- exact_one_set(list(flip = q, m = m, bits = rep(1:0, c(s, m - s))), 0.9)
    is_possible <- vapply(0:m, function(t) all(tails(s, t, m, q) > 0.05), NA)
    if (any(is_possible)) expect_equal(limits, range((0:m)[is_possible]))
  }
})

test_that("the Jaccard index of two sets has the delta method's error, from products of debiased bits by hand", {
  q <- 0.15
  bits <- cbind(rep(c(1, 0, 1, 0), c(60, 25, 20, 95)), rep(c(1, 1, 0, 0), c(60, 25, 20, 95)))
  debiased <- (bits - q) / (1 - 2 * q)
  a <- debiased[, 1]
  b <- debiased[, 2]
  v <- q * (1 - q) / (1 - 2 * q)^2
  intersection <- sum(a * b)
  union <- sum(a + b - a * b)
  # Unbiased: E a^2 is v too large.
  v_both <- sum(v * (a^2 + b^2) - v^2)
  v_any <- sum(v * ((1 - a)^2 + (1 - b)^2) - v^2)
  shared <- sum(v * (a + b)) - v_both
  jaccard <- intersection / union
  size <- function(what) rr_set_size(bits, q, what)$table
  expect_equal(c(size("intersection")$std.error, size("union")$std.error), sqrt(c(v_both, v_any)), tolerance = 1e-10)
  expect_equal(size("jaccard")$estimate, jaccard, tolerance = 1e-10)
  expect_equal(size("jaccard")$std.error, sqrt(v_both - 2 * jaccard * shared + jaccard^2 * v_any) / union, tolerance = 1e-10)
  # No truth makes the error of a size larger than that of elements of both sets, or of none.
  largest <- sqrt(200 * (2 * v + v^2))
  expect_equal(c(size("union")$std.error.max, size("jaccard")$std.error.max), largest * c(1, (1 + jaccard) / union), tolerance = 1e-10)
  # The index means little where the union is not above two of its standard errors.
  few <- bits * 0
  few[1:40] <- 1
  expect_warning(rr_set_size(few, q, "jaccard"), class = "candor_warning_ratio")
  expect_silent(rr_set_size(bits, q, "jaccard"))
})

test_that("sets of different flips, added up or apart, have the errors of products of debiased bits by hand", {
  bits <- cbind(rep(c(1, 0, 1, 0), c(60, 25, 20, 95)), rep(c(1, 1, 0, 0), c(60, 25, 20, 95)))
  q <- c(0.1, 0.2)
  v <- q * (1 - q) / (1 - 2 * q)^2
  a <- (bits[, 1] - q[1]) / (1 - 2 * q[1])
  b <- (bits[, 2] - q[2]) / (1 - 2 * q[2])
  # Unbiased: E a^2 is v too large.
  v_both <- sum(v[1] * b^2 + v[2] * a^2 - v[1] * v[2])
  v_any <- sum(v[1] * (1 - b)^2 + v[2] * (1 - a)^2 - v[1] * v[2])
  shared <- sum(v[1] * b + v[2] * a) - v_both
  jaccard <- sum(a * b) / sum(a + b - a * b)
  v_jaccard <- (v_both - 2 * jaccard * shared + jaccard^2 * v_any) / sum(a + b - a * b)^2
  tally <- c(rr_tally(bits[, 1, drop = FALSE], flip = q[1]), rr_tally(bits[, 2, drop = FALSE], flip = q[2]))
  for (sets in list(list(bits, q), list(bits, matrix(q, 200, 2, byrow = TRUE)), list(tally, NULL))) {
    error <- function(what) rr_set_size(sets[[1]], sets[[2]], what)$table$std.error
    expect_equal(c(error("union"), error("intersection"), error("jaccard"))^2, c(v_any, v_both, v_jaccard), tolerance = 1e-10)
  }
  # As sets are added: one after the other.
  for (flip in list(q, matrix(q, 200, 2, byrow = TRUE))) {
    steps <- rr_set_size(bits, flip, cumulative = TRUE)
    expect_equal(coef(steps), c(union.1 = sum(a), union.2 = sum(a + b - a * b)), tolerance = 1e-10)
    expect_equal(steps$table$std.error, sqrt(c(200 * v[1], v_any)), tolerance = 1e-10)
  }
})

test_that("a negative estimate of a variance leaves the interval of the largest, cut to what is possible", {
  # Two sets of 50 elements that report none of them: every debiased bit is -1 / 8, with the noise 9 / 64.
  nothing <- rr_set_size(matrix(0, 50, 2), 0.1, "intersection")$table
  largest <- sqrt(50 * (2 * 9 / 64 + (9 / 64)^2))
  expect_identical(nothing$std.error, NA_real_)
  expect_equal(c(nothing$estimate, nothing$std.error.max), c(50 / 64, largest))
  expect_equal(c(nothing$conf.low, nothing$conf.high), c(0, 50 / 64 + qnorm(0.975) * largest))
  everything <- rr_set_size(matrix(1, 50, 2), 0.1)$table
  expect_equal(c(everything$conf.low, everything$conf.high), c(50 - 50 / 64 - qnorm(0.975) * largest, 50))
  expect_identical(rr_set_size(matrix(1, 50, 2), 0.1, "jaccard")$table$conf.high, 1)
})

test_that("the noise of many sets is warned of, but not that of a ratio", {
  # An element's estimate of twelve sets has a variance of up to 7^12, flips of 0.4 having 6 each.
  bits <- matrix(rep(0:1, 30), 5, 12)
  expect_warning(rr_set_size(bits, 0.4), class = "candor_warning_variance")
  said <- testthat::capture_warnings(rr_set_size(bits, 0.4, "jaccard"))
  expect_length(said, 1)
})

test_that("what is no universe, no level and no exact interval is refused", {
  bits <- matrix(c(0, 1, 1, 0, 1, 1), 3)
  tally <- rr_tally(bits, flip = 0.1)
  mixed <- rr_tally(bits, flip = c(0.1, 0.2))
  expect_refused(
    rr_set_size(list(1:2), 0.1, universe = 0), rr_set_size(list(1:2), 0.1, universe = c(1, 2, 2)), rr_set_size(list(1:2), 0.1, universe = c(1, 2, NA)),
    rr_set_size(list(1:2), 0.1, universe = list(1, 2)), rr_set_size(list(1:2), 0.1, universe = integer()), rr_set_size(bits, 0.1, conf.level = 1),
    rr_set_size(tally, cumulative = TRUE), confint(rr_set_size(bits, 0.1), level = 0.9), rr_set_size(mixed, interval = "exact"),
    rr_set_size(bits, matrix(0.1, 3, 2), interval = "exact"), rr_set_size(matrix(1, 3, 9), 1:9 / 20, interval = "exact"),
    rr_set_size(bits), rr_set_size(bits, "0.1"), rr_set_size(bits, c(0.1, 0.2, 0.3))
  )
  # A universe of one element, or of numbers that are no positions.
  expect_equal(coef(rr_set_size(list("a", character()), 0, universe = "a")), c(union = 1))
  expect_equal(coef(rr_set_size(list(c(10, 30), 20), 0, universe = c(10, 20, 30))), c(union = 3))
})

test_that("the exact interval of one set is the same from its tally", {
  # Bin(t, 0.8) + Bin(6 - t, 0.2) is 5 or more, and 5 or less, each with a probability above 0.05.
  tails <- vapply(0:6, function(t) {
    p <- convolve(dbinom(0:t, t, 0.8), rev(dbinom(0:(6 - t), 6 - t, 0.2)), type = "open")
    c(sum(p[6:7]), sum(p[1:6]))
  }, c(0, 0))
  size <- rr_set_size(rr_tally(ones = c(1, 1, 0, 1, 1, 1), n = 1, flip = 0.2), conf.level = 0.9, interval = "exact")
  expect_equal(unname(confint(size)[1, ]), range(which(tails[1, ] > 0.05 & tails[2, ] > 0.05) - 1))
})

test_that("eight flips that are nearly 0 leave the exact size alone", {
  bits <- diag(8)[c(1:8, 1, 3), ]
  bits[10, ] <- 0
  flip <- 1:8 * 1e-9
  exact <- function(what) rr_set_size(bits, flip, what, interval = "exact")$table
  expect_equal(unlist(exact("union")[c("conf.low", "conf.high")], use.names = FALSE), c(9, 9))
  expect_equal(unlist(exact("intersection")[c("conf.low", "conf.high")], use.names = FALSE), c(0, 0))
})

test_that("more than ten sketches have sizes as they are added, and no known covariances", {
  # No noise: the first k sketches hold items 1 to 3 k. Zeros of 64 bits, by hand.
  sketches <- lapply(1:11, function(k) rr_sketch(seq_len(3 * k), "linear", bits = 64))
  size <- rr_set_size(sketches, cumulative = TRUE, interval = "exact")
  zeros <- vapply(sketches, function(sketch) sum(sketch$bits == 0), 0)
  expect_equal(unname(coef(size)), log(zeros / 64) / log(63 / 64))
  # Linear counting: m (exp(rho) - 1 - rho), rho = -log(zeros / m).
  variance <- 64 * (64 / zeros - 1 + log(zeros / 64))
  expect_equal(diag(vcov(size)), variance, ignore_attr = TRUE)
  expect_true(all(is.na(vcov(size)[upper.tri(diag(11))])))
  # Of unions that grow, the smaller one's variance is their covariance.
  expect_equal(vcov(rr_set_size(sketches[1:3], cumulative = TRUE)), outer(1:3, 1:3, function(i, j) variance[pmin(i, j)]), ignore_attr = TRUE)
})

test_that("a size alone stands in the middle of its picture, with its interval", {
  skip_if_not_installed("ggplot2")
  size <- rr_set_size(cbind(rep(0:1, 20), 1), 0.1)
  picture <- ggplot2::autoplot(size)
  expect_identical(picture$scales$get_scales("x")$limits, c(1, 3))
  expect_equal(unlist(ggplot2::layer_data(picture, 1)[c("ymin", "ymax")], use.names = FALSE), as.vector(confint(size)))
})

test_that("the exact interval of one large set ends where a sum over all binomial terms passes the level", {
  m <- 20000
  q <- 0.1
  s <- 11000
  limits <- exact_one_set(list(flip = q, m = m, bits = rep(1:0, c(s, m - s))), 0.9)
  upper <- function(t) sum(dbinom(0:t, t, 1 - q) * pbinom(s - 0:t - 1, m - t, q, lower.tail = FALSE))
  lower <- function(t) sum(dbinom(0:t, t, 1 - q) * pbinom(s - 0:t, m - t, q))
  expect_identical(c(upper(limits[1]) > 0.05, upper(limits[1] - 1) > 0.05), c(TRUE, FALSE))
  expect_identical(c(lower(limits[2]) > 0.05, lower(limits[2] + 1) > 0.05), c(TRUE, FALSE))
})

test_that("sketches that are nearly full, and full ones", {
  size <- function(ones, flip, m = 8, ...) rr_set_size(new_rr_sketch(rep(1:0, c(ones, m - ones)), ..., key = "k", flip = flip))
  # (7 - 1 / 2) / (7 / 8) of 8 bits are 1, so that 4 / 7 of a bit is 0.
  nearly <- size(7, 1 / 16, type = "linear", settings = c(bits = 8, hashes = 1))
  expect_equal(coef(nearly), log(4 / 7 / 8) / log(7 / 8), ignore_attr = TRUE)
  expect_warning(full <- size(8, 0, type = "linear", settings = c(bits = 8, hashes = 1)), class = "candor_warning_saturated")
  expect_identical(c(coef(full), confint(full)[2]), c(items = Inf, Inf))
  expect_true(is.finite(confint(full)[1]))
  expect_warning(all <- size(8, 0, type = "pcsa", settings = c(buckets = 4, levels = 2)), class = "candor_warning_saturated")
  expect_identical(c(coef(all), confint(all)[2]), c(items = Inf, Inf))
  expect_silent(size(5, 0, type = "pcsa", settings = c(buckets = 4, levels = 2)))
})

test_that("numbers that a score does not refute: beyond the grid it is refuted no more than at its end", {
  range_of <- function(score, peak) {
    root_between <- function(f, k) uniroot(f, c(k, k + 1), tol = 1e-10)$root
    unrefuted_range(function(x, side, state) score(x), root_between, NULL, 1:3, peak, 1.2)
  }
  # 3.5, 2 and 0.5 standard deviations: the last is its best, from which 1.2 more are allowed.
  expect_equal(range_of(function(x) 5 - 1.5 * x, 3), c(2.2, Inf))
  expect_equal(range_of(function(x) 0.5 - x, 0), c(0, 2.2))
  # Inside, 1.2 on each side.
  expect_equal(range_of(function(x) 4 - 2 * x, 2), c(1.4, 2.6))
})

test_that("Chernoff's limits of many elements are those of the best lambda, by a one-dimensional search", {
  m <- 1e5
  alpha <- 0.05
  for (what in c("union", "intersection")) {
    law <- candor:::pattern_law(what, 3, 0.35)
    mgf <- function(lambda, rows) max(log(rows %*% exp(lambda * law$y)))
    for (estimate in m * c(0.1, 0.5, 0.9)) {
      bound <- function(lambda) {
        a <- mgf(lambda, law$out)
        (log(alpha) + lambda * estimate - m * a) / (mgf(lambda, law$inside) - a)
      }
      search <- function(side) side * optimize(function(log) side * bound(side * exp(log)), log(c(1e-3, 0.1)), maximum = TRUE, tol = 1e-10)$objective
      expect_equal(chernoff_size(estimate, m, law, alpha), c(ceiling(search(1)), floor(search(-1))))
    }
  }
})

test_that("the first sets keep their bits and flips, lists mark their elements, and sizes are named by how many sets they have", {
  bits <- cbind(a = c(0L, 1L, 1L), b = c(1L, 1L, 0L), c = c(0L, 0L, 1L))
  data <- list(bits = bits, m = 3, n = 3, flip = c(0.1, 0.2, 0.3))
  expect_identical(first_sets(data, 2), list(bits = bits[, 1:2], m = 3, n = 2, flip = c(0.1, 0.2)))
  expect_identical(first_sets(data, 1)$bits, bits[, 1, drop = FALSE])
  expect_identical(first_sets(replace(data, "flip", 0.1), 2)$flip, 0.1)
  expect_identical(first_sets(replace(data, "flip", list(bits / 10)), 2)$flip, bits[, 1:2] / 10)
  tally <- list(tally = 1, m = 3, n = 3, flip = 0.1)
  expect_identical(first_sets(tally, 3), tally)
  expect_identical(list_to_bits(list(a = c("v", "u"), b = character(), c = "w"), c("u", "v", "w")), cbind(a = c(1L, 1L, 0L), b = 0L, c = c(0L, 0L, 1L)))
  expect_identical(unname(list_to_bits(list(c(1, 3), 2), 3)), cbind(c(1L, 0L, 1L), c(0L, 1L, 0L)))
  expect_error(list_to_bits(list(), 3), class = "candor_error_empty")
  expect_error(list_to_bits(list(1, 4), 3), class = "candor_error_level")
  expect_refused(list_to_bits(list(1), 0), list_to_bits(list(1), c(1, 1)), list_to_bits(list(1), c(1, NA)),
    list_to_bits(list(1), NULL), list_to_bits(list(1), 1.5))
  for (least in 0:5) expect_identical(least_size(function(t) t >= least, 5), as.double(least))
  grown <- rr_set_size(bits, 0.1, cumulative = TRUE)
  expect_named(coef(grown), c("union.1", "union.2", "union.3"))
  expect_identical(grown$table$sets, 1:3)
  expect_named(coef(rr_set_size(bits, 0.1, "intersection")), "intersection")
  # Without noise sizes are those of the sets.
  sizes <- function(what) unname(coef(suppressWarnings(rr_set_size(bits, 0, what, cumulative = TRUE))))
  expect_equal(sizes("union"), c(2, 3, 3))
  expect_equal(sizes("intersection"), c(2, 1, 0))
  expect_equal(sizes("difference"), c(2, 1, 0))
  expect_equal(sizes("jaccard"), c(1, 1 / 3, 0))
})

test_that("flips of sketches are theirs, those of a plan are given, and so many are refused", {
  sketch <- function(flip) list(flip = flip)
  expect_identical(sketch_flips(list(sketch(0.1), sketch(0.2)), NULL, FALSE), c(0.1, 0.2))
  expect_identical(sketch_flips(list(sketch(0), sketch(0)), 0.1, TRUE), c(0.1, 0.1))
  expect_identical(sketch_flips(list(sketch(0), sketch(0)), c(0.1, 0.2), TRUE), c(0.1, 0.2))
  expect_refused(sketch_flips(list(sketch(0), sketch(0.1)), 0.1, TRUE))
  # The variance of a bit is a product of 1 + q (1 - q) / (1 - 2 q)^2 = 1 / (4 (1 / 2 - q)^2): log 4 each for q = 1 / 4.
  each <- log1p(0.25 * 0.75 / 0.25)
  most <- floor(600 / each)
  expect_length(sketch_flips(rep(list(sketch(0.25)), most), NULL, FALSE), most)
  expect_error(sketch_flips(rep(list(sketch(0.25)), most + 1), NULL, FALSE), class = "candor_error_no_information")
})

test_that("planned variances are those of products of debiased bits, element by element, also of sets turned around", {
  bits <- rbind(c(1, 0, 1), c(0, 0, 0), c(1, 1, 1), c(0, 1, 0))
  storage.mode(bits) <- "integer"
  # The mean square of a debiased bit of a truth x, from its two reports.
  square <- function(x, q) (1 - q) * ((x - q) / (1 - 2 * q))^2 + q * ((1 - x - q) / (1 - 2 * q))^2
  for (invert in list(NULL, c(FALSE, TRUE, TRUE))) {
    for (flips in list(c(0.1, 0.2, 0.3), matrix(1:12 / 30, 4, 3))) {
      q <- if (is.matrix(flips)) flips else matrix(flips, 4, 3, byrow = TRUE)
      x <- if (is.null(invert)) bits else abs(bits - rep(invert, each = 4))
      of_all <- apply(x, 1, prod)
      of_none <- apply(1 - x, 1, prod)
      expected <- list(union = sum(1 - of_none), union_variance = sum(apply(square(1 - x, q), 1, prod) - of_none),
        intersection = sum(of_all), intersection_variance = sum(apply(square(x, q), 1, prod) - of_all))
      expect_equal(true_totals(bits, flips, invert), expected)
    }
  }
})

test_that("exact intervals are those of half the error on each side, and need few flips", {
  data <- list(bits = matrix(0L, 30, 2), m = 30, n = 2, flip = 0.1)
  for (flip in list(0.1, c(0.1, 0.2))) {
    data$flip <- flip
    expect_identical(exact_size("union", 11.2, data, 0.9), chernoff_size(11.2, 30, candor:::pattern_law("union", 2, flip), 0.05))
  }
  expect_refused(
    exact_size("union", 11, replace(data, "flip", list(matrix(0.1, 30, 2))), 0.9),
    exact_size("union", 11, replace(data, c("n", "flip"), list(9, rep(0.1, 9))), 0.9),
    exact_size("union", 11, replace(data, "tally", list(list(state = 1))), 0.9)
  )
  # One flip is enough for many sets.
  expect_length(exact_size("union", 11, replace(data, c("n", "flip"), list(9, 0.1)), 0.9), 2)
  # One set of which all or none was reported, by the tails of the binomial distribution.
  one <- list(bits = rep(1L, 5), m = 5, n = 1, flip = 0.1)
  tail <- function(t) sum(0.9^t * 0.1^(5 - t))
  expect_identical(as.double(exact_size("union", 5, one, 0.9)), c(min(which(vapply(0:5, tail, 0) > 0.05)) - 1, 5))
  expect_identical(as.double(exact_size("union", 5, replace(one, c("bits", "flip"), list(rep(0L, 5), 0.9)), 0.9)), as.double(exact_size("union", 5, one, 0.9)))
})
