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

# ---- the pieces by hand ----

test_that("patterns of three sketches are counted level by level, with the first sketch as their lowest bit", {
  bits <- list(c(1, 0, 1, 1, 0, 0), c(0, 0, 1, 0, 0, 1), c(0, 1, 1, 0, 0, 1))
  sketches <- lapply(bits, function(b) list(bits = b, settings = list(buckets = 3, levels = 2)))
  counts <- sketch_patterns(sketches)
  # Level 1: 100 -> 1, 001 -> 4, 111 -> 7; level 2: 100 -> 1, 0, 011 -> 6.
  expected <- matrix(0, 8, 2)
  expected[cbind(c(1, 4, 7, 1, 0, 6) + 1, c(1, 1, 1, 2, 2, 2))] <- 1
  expect_equal(counts, expected)
  one <- lapply(bits, function(b) list(bits = b, settings = c(bits = 6, hashes = 2)))
  expect_equal(sketch_patterns(one), matrix(rowSums(expected)))
  expect_identical(union_numbers(3), c(1, 2, 4))
  expect_identical(joined_unions(3), rbind(c(1L, 3L, 3L), c(3L, 2L, 3L), c(3L, 3L, 3L)))
  # Debiased zeros of a union are 1 on average where no sketch of it has the bit, and 0 elsewhere.
  flip <- c(0.1, 0.2, 0.35)
  mean <- pattern_channel(flip) %*% t(zero_products(flip))
  patterns <- 0:7
  expect_equal(mean, outer(patterns, 0:7, function(p, u) 1 * (bitwAnd(p, u) == 0)))
  expect_equal(drop(expected_patterns(1:8, flip)), drop(1:8 %*% pattern_channel(flip)))
})

test_that("functions of sizes and their gradients: inclusion and exclusion of the first sketches", {
  size <- c(50, 40, 70, 30, 68, 55, 85)
  expect_equal(union_function("union", 2, 3, size), list(estimate = 70, gradient = c(0, 0, 1, 0, 0, 0, 0)))
  expect_equal(union_function("intersection", 2, 3, size)$estimate, 50 + 40 - 70)
  expect_equal(union_function("intersection", 3, 3, size)$estimate, 50 + 40 + 30 - 70 - 68 - 55 + 85)
  expect_equal(union_function("intersection", 3, 3, size)$gradient, c(1, 1, -1, 1, -1, -1, 1))
  # In the first and none of the others: the union of all less that of the others.
  expect_equal(union_function("difference", 3, 3, size)$estimate, 85 - 55)
  expect_equal(union_function("difference", 2, 3, size)$gradient, c(0, -1, 1, 0, 0, 0, 0))
  expect_equal(union_function("difference", 1, 3, size)$estimate, 50)
  jaccard <- union_function("jaccard", 3, 3, size)
  ratio <- function(size) sum(c(1, 1, -1, 1, -1, -1, 1) * size) / size[7]
  expect_equal(jaccard$estimate, ratio(size))
  expect_equal(jaccard$gradient, vapply(1:7, function(i) (ratio(size + 1e-4 * (1:7 == i)) - ratio(size - 1e-4 * (1:7 == i))) / 2e-4, 0), tolerance = 1e-7)
})

test_that("linear counting: size, slope and load of the zeros", {
  zeros <- cbind(c(300, 200, 120, -3))
  unions <- bloom_unions(zeros, 500, 3)
  size <- function(z) log(z / 500) / (3 * log(1 - 1 / 500))
  expect_equal(unions$size, c(size(c(300, 200, 120)), Inf))
  # By the load alone: the derivative of -m log(zeros / m) / h.
  expect_equal(unions$slope[1:3], -500 / (3 * c(300, 200, 120)))
  expect_equal(drop(unions$load)[1:3], -log(c(300, 200, 120) / 500))
  expect_equal(level_shares(1), 1)
  expect_equal(level_shares(4), c(0.5, 0.25, 0.125, 0.125))
  # No zero left, or none within three errors of it.
  full <- function(error) check_not_full(list(size = 10, zeros = cbind(12), slope = cbind(-2), covariance = matrix(error^2)))
  expect_no_error(full(7.99))
  expect_error(full(8), class = "candor_error_no_information")
  expect_error(check_not_full(list(size = c(3, Inf), zeros = cbind(c(4, 0)), slope = cbind(c(-1, -1)), covariance = diag(2) * 0)),
    class = "candor_error_no_information")
})

test_that("the noise of a function is at most that of the pattern of most variance, by its definition", {
  flip <- c(0.1, 0.3)
  unions <- list(slope = cbind(c(-1, -2, -1.5)), n_positions = 40)
  gradient <- c(1, 0.5, -2)
  variance <- vapply(0:3, function(truth) {
    p <- vapply(0:3, function(seen) prod(ifelse(bitwXor(truth, seen) %/% 1:2 %% 2 == 1, flip, 1 - flip)), 0)
    z <- vapply(0:3, function(seen) {
      zero <- (1 - flip - (seen %/% 1:2 %% 2)) / (1 - 2 * flip)
      sum(gradient * c(-1, -2, -1.5) * c(zero, prod(zero)))
    }, 0)
    sum(p * z^2) - sum(p * z)^2
  }, 0)
  expect_equal(max_noise(gradient, unions, flip), 40 * max(variance))
})

test_that("the ratio is doubted if the union of the sketches it is about, the largest of them, may be empty", {
  index <- 1:7
  warned <- function(error, n_sets, union = 7, size = 20) {
    unions <- list(size = rep(20, 7), zeros = cbind(rep(1e4, 7)), slope = cbind(rep(-1, 7)), n_positions = 1e5, covariance = diag(7))
    unions$size[union] <- size
    unions$covariance[union, union] <- error * abs(error)
    what <- NULL
    withCallingHandlers(union_functions("jaccard", n_sets, c(0.1, 0.1, 0.1), unions, 0.95), warning = function(w) {
      what <<- class(w)[1]
      invokeRestart("muffleWarning")
    })
    identical(what, "candor_warning_ratio")
  }
  # Within two standard errors of 0, those themselves too.
  expect_identical(vapply(c(9.9, 10, 10.1, -30), warned, NA, 1:3), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(vapply(c(9.9, 10.1), warned, NA, 3), c(FALSE, TRUE))
  expect_identical(vapply(index, function(union) warned(30, 1:3, union), NA), index == 7)
  expect_identical(vapply(index, function(union) warned(30, 1:2, union), NA), index == 3)
  expect_identical(vapply(index, function(union) warned(30, 1, union), NA), index == 1)
  # Other functions have no denominator.
  unions <- list(size = rep(20, 7), zeros = cbind(rep(1e4, 7)), slope = cbind(rep(-1, 7)), n_positions = 1e5, covariance = 900 * diag(7))
  expect_no_warning(union_functions("intersection", 1:3, c(0.1, 0.1, 0.1), unions, 0.95))
})

test_that("limits of functions of unions are normal, from 0 on, and up to 1 for a ratio; a variance below 0 leaves the largest", {
  flip <- c(0.1, 0.3)
  unions <- list(size = c(60, 50, 100), zeros = cbind(rep(1e4, 3)), slope = cbind(rep(-1, 3)), n_positions = 100, covariance = diag(c(9, 16, 25)))
  z <- qnorm(0.95)
  both <- union_functions("intersection", 2, flip, unions, 0.9)$table
  expect_equal(unlist(both[c("estimate", "std.error", "conf.low", "conf.high")]), c(10, sqrt(50), 0, 10 + z * sqrt(50)), ignore_attr = TRUE)
  all <- union_functions("union", 2, flip, unions, 0.9)$table
  expect_equal(unlist(all[c("estimate", "std.error", "conf.low", "conf.high")]), c(100, 5, 100 - z * 5, 100 + z * 5), ignore_attr = TRUE)
  ratio <- union_functions("jaccard", 2, flip, replace(unions, "size", list(c(99, 99, 100))), 0.9)$table
  expect_equal(c(ratio$estimate, ratio$conf.high), c(0.98, 1))
  below <- union_functions("union", 2, flip, replace(unions, "covariance", list(diag(c(9, 16, -25)))), 0.9)$table
  largest <- sqrt(max_noise(c(0, 0, 1), unions, flip))
  expect_identical(below$std.error, NA_real_)
  expect_equal(c(below$conf.low, below$conf.high), c(max(0, 100 - z * largest), 100 + z * largest))
})
