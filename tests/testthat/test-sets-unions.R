# A sketch with these reported bits, as it would be if its items were hashed.
reported_sketch <- function(bits, flip, settings, type) new_rr_sketch(bits, type, settings, "k", flip)

# The sketches of a golden case, from its texts of bits.
golden_sketches <- function(input) {
  type <- if (input$op == "pcsa") "pcsa" else if (input$hashes == 1) "linear" else "bloom"
  settings <- if (type == "pcsa") c(buckets = input$buckets, levels = input$levels) else c(bits = input$m, hashes = input$hashes)
  bits <- lapply(strsplit(input$bits, ""), as.integer)
  Map(reported_sketch, bits, input$flip, MoreArgs = list(settings, type))
}

# The numbers of the golden sets of sketches: sketch j is worth 2^(j - 1).
set_numbers <- function(sets) vapply(sets, function(set) sum(2^(unlist(set) - 1)), 0)

expect_set_sizes <- function(size, expected, tolerance) {
  table <- tidy(size)
  expect_golden(table$estimate, expected$estimate, tolerance)
  expect_golden(table$std.error, expected$std.error, tolerance)
}

test_that("sizes of unions of sketches, and of what they make, are the golden vectors", {
  for (case in golden("doors_sketch")) {
    if (!case$input$op %in% c("bloom", "pcsa")) next
    pcsa <- case$input$op == "pcsa"
    tolerance <- if (pcsa) 1e-7 else 1e-9
    sketches <- golden_sketches(case$input)
    index <- set_numbers(case$expected$sets)
    unions <- sketch_unions(sketch_patterns(sketches), case$input$flip, sketches[[1]]$settings)
    expect_golden(unions$size[index], case$expected$sizes, tolerance)
    expect_golden(unions$covariance[index, index], case$expected$vcov, tolerance)
    for (what in c("intersection", "difference", "jaccard")) {
      expect_set_sizes(rr_set_size(sketches, what = what), case$expected[[what]], tolerance)
    }
    # The union of PCSA sketches has an error of its own, from the noise that is expected: 5.3% from the vectors at most.
    union <- tidy(rr_set_size(sketches))
    expect_golden(union$estimate, case$expected$union$estimate, tolerance)
    expect_lte(abs(union$std.error / case$expected$union$std.error - 1), if (pcsa) 0.06 else 1e-9)
  }
})

test_that("the noise of the zeros is unbiased, by enumeration of every report", {
  flip <- c(0.1, 0.3, 0.2)
  reports <- all_bits(3)
  # The zeros of a union in the reports of one bit are a product of z = (1 - q - bit) / (1 - 2q).
  z <- t((1 - flip - t(reports)) / (1 - 2 * flip))
  index <- seq_len(7)
  zeros <- vapply(index, function(s) apply(z[, bitwAnd(s, c(1, 2, 4)) > 0, drop = FALSE], 1, prod), numeric(8))
  code <- drop(reports %*% c(1, 2, 4)) + 1
  expect_equal(t(zero_products(flip)[-1, code]), zeros, tolerance = 1e-14)
  for (i in seq_len(8)) {
    p <- apply(reports, 1, report_chance, truth = reports[i, ], flip = flip)
    mean <- colSums(p * zeros)
    exact <- crossprod(zeros, p * zeros) - outer(mean, mean)
    # Two bits with this truth: their noise adds up.
    estimates <- lapply(seq_len(8), function(y) zero_noise(zero_products(flip), tabulate(code[y], 8)))
    expect_equal(Reduce(`+`, Map(`*`, estimates, p)), exact, tolerance = 1e-12)
    # The reports that are expected have this noise itself.
    expected <- numeric(8)
    expected[code] <- p
    expect_equal(zero_noise(zero_products(flip), expected), exact, tolerance = 1e-12)
  }
})

test_that("sketches that are planned have the golden standard errors", {
  for (case in golden("doors_sketch")) {
    if (case$input$op != "plan_sketch") next
    input <- case$input
    n <- length(input$flip)
    regions <- set_numbers(lapply(input$regions, `[[`, 1))
    items <- vapply(input$regions, function(region) as.double(region[[2]]), 0)
    index <- seq_len(2^n) - 1
    size <- vapply(index, function(s) sum(items[bitwAnd(regions, s) > 0]), 0)
    zeros <- input$m * exp(-input$hashes * size / input$m)
    # The bits of each true pattern: zeros of a union count the patterns that have no bit of it.
    true <- solve(outer(index, index, function(s, x) +(bitwAnd(s, x) == 0)), zeros)
    counts <- matrix(expected_patterns(true, input$flip))
    unions <- sketch_unions(counts, input$flip, c(bits = input$m, hashes = input$hashes))
    expect_equal(unions$size, size[-1], tolerance = 1 / input$m)
    for (what in c("union", "intersection", "difference", "jaccard")) {
      # The vectors have the sizes themselves; a counter's logarithm of 1 - 1/m differs by 1 / (2m).
      row <- union_function(what, n, n, size[-1])
      expect_golden(row$estimate, case$expected[[what]]$estimate, 1e-9)
      error <- sqrt(drop(row$gradient %*% unions$covariance %*% row$gradient))
      expect_golden(error, case$expected[[what]]$std.error, 1e-9)
    }
  }
})

test_that("a plan of sketches is the one of their own bits", {
  sites <- list(1:900, 600:1500, 300:1000)
  for (type in c("linear", "bloom", "pcsa")) {
    sketches <- lapply(sites, rr_sketch, type = type)
    for (what in c("union", "intersection", "difference", "jaccard")) {
      plan <- tidy(rr_set_size(sketches, c(0.05, 0.1, 0.02), what, plan = TRUE))
      exact <- tidy(rr_set_size(sketches, what = what))
      # The levels of PCSA have weights that depend on the noise.
      expect_lte(abs(plan$estimate - exact$estimate), if (type == "pcsa") exact$std.error else 1e-9 * exact$estimate)
      # Noise can only add; without noise nothing is added.
      expect_gt(plan$std.error, exact$std.error)
      still <- tidy(rr_set_size(sketches, 0, what, plan = TRUE))
      expect_equal(still$std.error, exact$std.error, tolerance = if (type == "pcsa" && what == "union") 0.05 else 1e-9)
    }
  }
  # The standard deviation of 400 surveys of the same bits is the noise's alone: its relative error is 0.035.
  sketches <- lapply(sites[1:2], rr_sketch, type = "linear", bits = 2048)
  set.seed(1)
  flip <- c(0.1, 0.05)
  estimates <- replicate(400, {
    noisy <- Map(function(s, q) reported_sketch(as.integer(xor(s$bits, runif(2048) < q)), q, s$settings, "linear"), sketches, flip)
    coef(rr_set_size(noisy, what = "intersection"))
  })
  plan <- tidy(rr_set_size(sketches, flip, "intersection", plan = TRUE))
  exact <- tidy(rr_set_size(sketches, what = "intersection"))
  expect_lte(abs(sd(estimates) / sqrt(plan$std.error^2 - exact$std.error^2) - 1), 0.11)
})

test_that("sizes as sketches are added have their covariance", {
  set.seed(2)
  sketches <- lapply(list(1:400, 200:600, 100:300), rr_sketch, type = "linear", bits = 1024, epsilon = 3, rng = "R")
  for (what in c("union", "intersection", "difference", "jaccard")) {
    grown <- suppressWarnings(rr_set_size(sketches, what = what, cumulative = TRUE))
    alone <- lapply(1:3, function(k) suppressWarnings(rr_set_size(sketches[1:k], what = what)))
    expect_equal(unname(coef(grown)), unname(vapply(alone, coef, 0)), tolerance = 1e-12)
    expect_equal(unname(sqrt(diag(vcov(grown)))), vapply(alone, function(x) tidy(x)$std.error, 0), tolerance = 1e-9)
    expect_equal(unname(confint(grown)), unname(do.call(rbind, lapply(alone, confint))), tolerance = 1e-9)
    expect_true(all(is.finite(vcov(grown))))
  }
  # The golden order: {1}, {2}, {3}, ... ; grown unions are the numbers 1, 3 and 7.
  unions <- sketch_unions(sketch_patterns(sketches), rep(plogis(-3), 3), sketches[[1]]$settings)
  expect_equal(unname(vcov(rr_set_size(sketches, cumulative = TRUE))), unions$covariance[c(1, 3, 7), c(1, 3, 7)], tolerance = 1e-9)
})

test_that("what sketches cannot say is refused", {
  sketch <- function(items, ...) rr_sketch(items, "linear", bits = 64, ...)
  full <- list(sketch(1:400), sketch(200:600))
  for (what in c("intersection", "difference", "jaccard")) {
    expect_error(rr_set_size(full, what = what), class = "candor_error_no_information")
    expect_error(rr_set_size(list(rr_sketch(1:1e5, "pcsa", buckets = 4, levels = 2), rr_sketch(1:3, "pcsa", buckets = 4, levels = 2)), what = what),
                 class = "candor_error_no_information")
    expect_error(rr_set_size(list(sketch(1:3), sketch(1:3, key = "other")), what = what), class = "candor_error_mismatch")
    expect_error(rr_set_size(list(sketch(1:3), rr_sketch(1:3, "linear", bits = 128)), what = what), class = "candor_error_mismatch")
    expect_refused(rr_set_size(rep(list(sketch(1:3)), 11), what = what), rr_set_size(full, what = what, interval = "exact"))
  }
  noisy <- sketch(1:3, flip = 0.1, rng = "R")
  expect_refused(rr_set_size(list(noisy), 0.1, plan = TRUE), rr_set_size(list(sketch(1:3)), plan = TRUE))
  expect_error(rr_set_size(list(sketch(1:3)), 0.5, plan = TRUE), class = "candor_error_no_information")
})

test_that("the study of functions of sketches runs, and its intervals hold", {
  withr::local_options(candor.study.functions.only = TRUE)
  study <- new.env()
  sys.source(study_file("sketch-sets.R"), study)
  short <- study$study_sets(replications = 2, epsilons = 4)
  table <- read_study("sketch-sets.csv")
  expect_named(short, names(table))
  expect_identical(nrow(table), 108L)
  # 400 surveys a cell: standard error 0.011 at 0.95; three in a cell, and three of the mean of 36 cells of independent surveys.
  expect_gte(min(table$coverage), 0.95 - 0.033)
  expect_gte(mean(table$coverage), 0.95 - 0.0055)
  expect_lte(max(abs(table$bias)), 0.2)
})
