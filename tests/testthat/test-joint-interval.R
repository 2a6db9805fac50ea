# Counts are random, enumerated or at the edges on purpose.
rr_estimate <- estimate_odd

# Score intervals of joint shares. Truth: golden vectors (math-doors.md, B), Wilson's interval of base R, enumeration.

cases <- function(op) Filter(function(case) case$input$op == op, golden("doors_joint"))

test_that("joint counts of bits have the score intervals of the vectors, for any answers and both targets", {
  found <- Filter(function(case) is.null(case$input$weight), cases("bits"))
  expect_length(found, 9)
  for (case in found) {
    input <- case$input
    d <- length(input$p)
    counts <- rr_cooccurrence(matrix(input$rows, ncol = d), order = d)
    for (target in c("population", "sample")) {
      expected <- case$expected[[target]]$interval
      fit <- rr_tmdh(counts, list(p = input$p, q = input$q), target = target, conf.level = input$level)
      cell <- sum(input$answer * 2^(seq_len(d) - 1)) + 1
      margin <- rr_margin(fit, seq_len(d))
      expect_golden(as.vector(margin$estimate)[cell], case$expected$mean, 1e-9)
      expect_golden(confint(margin)[cell, ], expected, 1e-7)
      if (all(input$answer == 1)) expect_golden(confint(fit)[2^d - 1, ] / fit$n, expected, 1e-7)
    }
  }
})

test_that("margins of an unbiased fit have them too, and weights count as their effective number", {
  found <- cases("bits")
  expect_length(found, 10)
  for (case in found) {
    input <- case$input
    d <- length(input$p)
    questions <- setNames(Map(rr_binary, input$p, input$q), paste0("x", seq_len(d)))
    reports <- as.data.frame(matrix(c("no", "yes")[input$rows + 1], ncol = d, dimnames = list(NULL, names(questions))))
    for (target in c("population", "sample")) {
      # A tally keeps the weights' sums alone: the sample's moments would need more.
      if (target == "sample" && !is.null(input$weight)) next
      fit <- rr_estimate(reports, rr_product(questions), method = "inv", target = target, weights = input$weight, conf.level = input$level)
      cell <- sum(input$answer * 2^(seq_len(d) - 1)) + 1
      expect_golden(confint(rr_margin(fit, seq_len(d)))[cell, ], case$expected[[target]]$interval, 1e-7)
    }
  }
})

test_that("scores of more than two values have the intervals of the vectors", {
  found <- cases("scores")
  expect_length(found, 3)
  for (case in found) {
    input <- case$input
    # Channels of one size were read as one array.
    questions <- lapply(if (is.array(input$channels)) asplit(input$channels, 1) else input$channels, rr_channel)
    names(questions) <- letters[seq_along(questions)]
    reports <- as.data.frame(matrix(input$reports, ncol = length(questions), dimnames = list(NULL, names(questions))))
    counts <- rr_cooccurrence(reports, order = 2 * length(questions) - 1, mechanism = rr_product(questions))
    unbiased <- rr_tally(reports, rr_product(questions))
    at <- sum((input$categories - 1) * cumprod(c(1, vapply(questions, function(q) length(q$levels), 1L)))[seq_along(questions)]) + 1
    for (target in c("population", "sample")) {
      fit <- rr_tmdh(counts, rr_product(questions), target = target, conf.level = input$level)
      margin <- rr_margin(fit, names(questions))
      expect_golden(margin$estimate[at], case$expected$mean, 1e-9)
      expect_golden(confint(margin)[at, ], case$expected[[target]], 1e-7)
      inverse <- rr_margin(rr_estimate(unbiased, method = "inv", target = target, conf.level = input$level), names(questions))
      expect_golden(confint(inverse)[at, ], case$expected[[target]], 1e-7)
    }
  }
})

test_that("the interval of one column is Wilson's, carried through", {
  reports <- rbind(matrix(1, 30, 2), matrix(c(0, 1), 50, 2, byrow = TRUE))
  fit <- rr_tmdh(rr_cooccurrence(reports), list(p = c(0.8, 0.9), q = c(0.1, 0.3)))
  wilson <- function(x) suppressWarnings(stats::prop.test(x, 80, correct = FALSE)$conf.int)
  expect_equal(unname(confint(fit)[1, ]), 80 * as.vector(wilson(30) - 0.1) / 0.7, tolerance = 1e-8)
  # More were reported than any truth makes likely: to the end.
  expect_identical(confint(fit)[2, 2], 80)
})

test_that("sets of scores without second moments have no interval, and print says why", {
  questions <- list(x = rr_warner(0.8), y = rr_bloom(c("a", "b"), bits = 8, hashes = 1, cohorts = 1, f = 0.3, p = 0.25, q = 0.75))
  set.seed(1)
  reports <- suppressWarnings(Map(function(question, n) rr_perturb(rep(question$levels, n), question, rng = "R"), questions, 50))
  fit <- rr_tmdh(rr_cooccurrence(reports, order = 2, mechanism = questions), questions)
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(is.na(table$conf.low), grepl("y:", table$term))
  expect_false(anyNA(table$std.error))
  expect_output(print(fit), "second moments")
  expect_output(print(rr_margin(fit, c("x", "y"))), "second moments")
  expect_false(anyNA(confint(rr_margin(fit, "x"))))
})

test_that("intervals of pairs cover, by summing over all tables of reports", {
  # Warner's device and one with unequal probabilities; the pair is rare, and Wald's interval is a point where it is most likely.
  design <- list(p = c(0.75, 0.8), q = c(0.25, 0.1))
  n <- 16
  tables <- as.matrix(expand.grid(0:n, 0:n, 0:n))
  tables <- cbind(tables, n - rowSums(tables))[rowSums(tables) <= n, ]
  limits <- apply(tables, 1, function(cells) {
    confint(rr_tmdh(rr_cooccurrence(as.table(array(cells, c(2, 2))), 2), design))[3, ] / n
  })
  channel <- Reduce(function(a, b) kronecker(b, a), Map(function(p, q) rbind(c(1 - q, q), c(1 - p, p)), design$p, design$q))
  for (shares in list(c(0.81, 0.09, 0.09, 0.01), c(0.6, 0.2, 0.15, 0.05), c(0.4, 0.2, 0.1, 0.3), c(0.1, 0.2, 0.2, 0.5))) {
    prob <- apply(tables, 1, stats::dmultinom, prob = shares %*% channel)
    expect_gt(sum(prob[limits[1, ] <= shares[4] & shares[4] <= limits[2, ]]), 0.93)
  }
})

test_that("categories that were made to add up to 1 have intervals of the same share of their error", {
  survey <- rr_product(a = rr_unary(3, epsilon = 2), b = rr_warner(0.8))
  set.seed(3)
  reports <- rr_perturb(data.frame(a = sample(3, 400, TRUE), b = sample(c("no", "yes"), 400, TRUE)), survey, rng = "R")
  fit <- rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey)
  for (target in c("population", "sample")) {
    margin <- rr_margin(fit, "a", target = target)
    # Far from 0 and 1 the interval is nearly that of the standard error; 400 people make Wilson's shorter by 2 %.
    expect_equal(unname(confint(margin)[, 2] - confint(margin)[, 1]), 2 * 1.96 * tidy(margin)$std.error, tolerance = 0.03)
    # A column beside it keeps Wilson's.
    expect_equal(unname(confint(rr_margin(fit, "b", target = target))[2, ]), unname(confint(rr_tmdh(fit$counts, survey, target = target))[4, ] / 400),
      tolerance = 1e-9)
  }
})

test_that("second moments inside and outside differ by kappa, are no less than the least, and count shares from 0 to 1 only", {
  squares <- product_squares(c(3, 2, 0.5), c(0.5, 1.4, -0.3), c(2, 0.5, 1), smallest = c(0.1, 0.2, 0.7), largest = c(1.5, 3, 0.9))
  expect_equal(squares$second_other, c(3 - 2 * 0.5, 2 - 0.5, 0.7))
  expect_equal(squares$second_true, c(4, 2, 1.7))
  expect_equal(squares$min_second, c(0.1, 0.2, 0.9 - 1))
})
