# Plans of the people whose truth is found out. Truth: golden vectors, formulas of Rogan and Gladen (1978) and Tenenbein
# (1970) by hand, and enumeration of all splits.

planned <- function(input) rr_channel(input$channel, levels = letters[seq_along(input$shares)])

test_that("golden splits, margins and numbers of labels", {
  for (case in Filter(function(case) case$input$op == "plan", golden("doors_validated"))) {
    input <- case$input
    expected <- case$expected
    category <- if (input$category == "all") letters[seq_along(input$shares)] else as.integer(input$category)
    plan <- rr_power(planned(input), n = input$n, labels = input$labels, share = input$shares, category = category, conf.level = input$level)
    expect_golden(plan$split, expected$split, 1e-8 * min(expected$split))
    expect_golden(plan$std.error^2, rep(expected$study_variance + expected$field_variance, nrow(plan)), 1e-10)
    if (length(category) > 1) {
      expect_true(all(is.na(plan$margin)))
      next
    }
    expect_golden(plan$floor, rep(expected$floor_margin, nrow(plan)), 1e-8)
    needed <- rr_power(planned(input), n = input$n, margin = input$margin, labels = NA, share = input$shares, category = category, conf.level = input$level)
    expect_equal(sum(needed$split), expected$labels_needed, tolerance = 1e-8)
    expect_equal(needed$labels[1], ceiling(expected$labels_needed))
    expect_gte(min(needed$people), 20)
    expect_true(all(needed$people >= needed$split & (needed$people < needed$split + 1 | needed$people == 20)))
  }
})

test_that("a yes/no test: its split is the best of all, with the variance of Rogan and Gladen", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  variance <- function(yes, no, n, theta = 0.12) {
    phi <- 0.05 + 0.75 * theta
    (phi * (1 - phi) / n + theta^2 * 0.16 / yes + (1 - theta)^2 * 0.0475 / no) / 0.75^2
  }
  plan <- rr_power(test, n = 1000, labels = 150, share = 0.12)
  expect_identical(plan$truth, c("no", "yes"))
  splits <- vapply(1:149, function(yes) variance(yes, 150 - yes, 1000), 0)
  expect_lte(abs(which.min(splits) - plan$split[2]), 1)
  expect_equal(plan$margin[1], qnorm(0.975) * sqrt(variance(plan$split[2], plan$split[1], 1000)))
  expect_equal(plan$floor[1], qnorm(0.975) * sqrt(variance(plan$split[2], plan$split[1], Inf)))
  # The respondents for a margin, with 600 labels.
  found <- rr_power(test, margin = 0.04, labels = 600, share = 0.12)
  margin <- function(n) qnorm(0.975) * sqrt(variance(found$split[2], found$split[1], n))
  expect_lte(margin(found$n[1]), 0.04)
  expect_gt(margin(found$n[1] - 1), 0.04)
  # The table of a pilot study is the planned channel, and the position or name of a category counts.
  pilot <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5), yes = c(10, 40)))
  expect_equal(rr_power(pilot, n = 1000, labels = 150, share = 0.12)$split, plan$split)
  expect_equal(rr_power(pilot, n = 1000, labels = 150, share = c(yes = 0.12, no = 0.88))$split, plan$split)
  expect_equal(rr_power(pilot, n = 1000, labels = 150, share = 0.88, category = "no")$split, plan$split)
  expect_identical(nrow(rr_power(list(a = test, b = pilot), n = c(500, Inf), labels = c(100, 200), share = 0.12)), 16L)
})

test_that("costs: no other plan of the same margin is cheaper", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  plan <- rr_power(test, margin = 0.04, labels = NA, share = 0.12, costs = c(label = 20, report = 1))
  labels_for <- function(n) {
    vapply(n, function(n) sum(rr_power(test, n = n, margin = 0.04, labels = NA, share = 0.12)$split), 0)
  }
  n <- seq(plan$n[1] * 0.6, plan$n[1] * 1.6, length.out = 25)
  cost <- 20 * labels_for(round(n)) + round(n)
  expect_lte(20 * sum(plan$split) + plan$n[1], min(cost) + 1)
  expect_equal(plan$margin[1], 0.04)
})

test_that("a difference of two domains hardly needs labels", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  plan <- rr_power(test, n = 1000, labels = 150, share = 0.3, versus = 0.2, allocation = 0.4)
  phi <- 0.05 + 0.75 * c(0.3, 0.2)
  field <- sum(phi * (1 - phi) / c(400, 600)) / 0.75^2
  study <- 0.1^2 * (sqrt(0.16) + sqrt(0.0475))^2 / 150 / 0.75^2
  expect_equal(plan$std.error[1]^2, field + study)
  expect_equal(plan$split, 150 * sqrt(c(0.0475, 0.16)) / sum(sqrt(c(0.0475, 0.16))))
})

test_that("labels of the respondents themselves, by their reports: Tenenbein's variance", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  plan <- rr_power(test, n = 1000, labels = 200, share = 0.12, validation = "internal")
  expect_identical(plan$report, c("no", "yes"))
  phi <- c(0.88 * 0.95 + 0.12 * 0.2, 0.88 * 0.05 + 0.12 * 0.8)
  P <- c(0.12 * 0.2, 0.12 * 0.8) / phi
  variance <- function(m) sum(phi^2 * P * (1 - P) / m) + (sum(phi * P^2) - 0.12^2) / 1000
  expect_equal(plan$std.error[1]^2, variance(plan$split))
  splits <- vapply(1:199, function(yes) variance(c(200 - yes, yes)), 0)
  expect_lte(abs(which.min(splits) - plan$split[2]), 1)
  # The same by a fit of such counts, 1,000 times as many, whose others are the field.
  V <- round(rbind(no = c(no = 0.88 * 0.95, yes = 0.88 * 0.05), yes = c(0.12 * 0.2, 0.12 * 0.8)) * rep(1000 * plan$split / phi, each = 2))
  fit <- rr_estimate(rr_counts(round(1e6 * phi) - colSums(V), rr_misclassification(table = V, validation = "internal")))
  expect_equal(sqrt(1000) * tidy(fit)$std.error[2], plan$std.error[1], tolerance = 1e-4)
})

test_that("two tests of the same people are one report, the pair", {
  pairs <- rbind(no = c("no.no" = 0.9, "yes.no" = 0.05, "no.yes" = 0.04, "yes.yes" = 0.01), yes = c(0.05, 0.1, 0.15, 0.7))
  plan <- rr_power(rr_channel(pairs), n = 1000, labels = 150, share = 0.12)
  single <- rr_power(rr_misclassification(0.8, 0.94), n = 1000, labels = 150, share = 0.12)
  expect_lt(plan$margin[1], single$margin[1])
})

test_that("impossible plans and bad input", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  expect_message(plan <- rr_power(test, n = 100, margin = 0.02, labels = NA, share = 0.12), class = "candor_message_floor")
  expect_identical(plan$labels, c(Inf, Inf))
  expect_message(plan <- rr_power(test, labels = 50, margin = 0.02, share = 0.12), class = "candor_message_floor")
  expect_identical(plan$n, c(Inf, Inf))
  # Nobody of a truth that is absent adds an error: 20 people are the least.
  expect_identical(rr_power(test, n = 1000, labels = 150, share = 0)$people, c(150, 20))
  expect_refused(rr_power(test, labels = 50, share = 0.12), rr_power(test, n = 10, margin = 0.1, labels = 50, share = 0.12),
    rr_power(test, n = 10, labels = NA, share = 0.12), rr_power(test, n = 100, labels = 50), rr_power(test, n = 100, labels = 50, share = 0.1, power = 0.8),
    rr_power(test, n = 100, labels = 0.5, share = 0.1), rr_power(test, n = 100, labels = 50, share = c(0.1, 0.2)),
    rr_power(test, n = 100, labels = NA, margin = 0.1, share = 0.1, costs = c(label = 1, report = 1)),
    rr_power(test, labels = NA, margin = 0.1, share = 0.1, costs = c(1, 2)),
    rr_power(test, labels = NA, margin = 0.1, share = 0.1, costs = c(label = 1, price = 2)),
    rr_power(test, labels = NA, margin = 0.1, share = 0.1, costs = c(label = 1, label = 2, report = 1)),
    rr_power(test, n = 100, labels = 50, share = 0.1, versus = 0.2, validation = "internal"),
    rr_power(test, n = 100, labels = NA, margin = 0.1, share = 0.1, category = c("no", "yes")),
    rr_power(rr_binary(1, 0), n = 100, labels = 50, share = 0.1), rr_power(test, n = 100, share = 0.1, validation = "internal"),
    rr_power(test, margin = 0.1, share = 0.1, costs = c(label = 1, report = 1)))
  expect_refused(rr_power(rr_misclassification(0.5, 0.5), n = 100, labels = 50, share = 0.1), class = "no_information")
})

test_that("the picture has a bar for each truth", {
  skip_if_not_installed("ggplot2")
  plan <- rr_power(rr_misclassification(0.8, 0.95), n = 1000, labels = c(100, 300), share = 0.12)
  picture <- ggplot2::autoplot(plan)
  values <- lapply(seq_along(picture$layers), function(i) ggplot2::layer_data(picture, i)[["x"]])
  expect_true(any(vapply(values, setequal, NA, plan$people)))
})

test_that("labels of respondents for all of three categories: the sum of the variances within reports and between them", {
  C <- rbind(a = c(a = 0.8, b = 0.15, c = 0.05), b = c(0.1, 0.7, 0.2), c = c(0.05, 0.25, 0.7))
  theta <- c(a = 0.2, b = 0.5, c = 0.3)
  plan <- function(category) rr_power(rr_channel(C), n = 1000, labels = 200, share = theta, category = category, validation = "internal")
  # P(truth given report), rows are reports: labels have the multinomial variances of a report, the n respondents those between reports.
  phi <- drop(theta %*% C)
  P <- t(theta * C) / phi
  for (category in list("b", c("a", "c"), c("a", "b", "c"))) {
    within <- rowSums(P[, category, drop = FALSE] * (1 - P[, category, drop = FALSE]))
    between <- sum(phi * rowSums(P[, category, drop = FALSE]^2)) - sum(theta[category]^2)
    found <- plan(category)
    expect_equal(found$split, unname(200 * phi * sqrt(within) / sum(phi * sqrt(within))))
    expect_equal(found$std.error[1]^2, sum(phi * sqrt(within))^2 / 200 + between / 1000)
  }
})

test_that("numbers of a plan of labels that cannot be are refused; those that are given are kept", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  plan <- rr_power(test, n = c(100, Inf), labels = 150, share = 0.12)
  expect_identical(c(plan$labels, plan$n), c(150, 150, 150, 150, 100, 100, Inf, Inf))
  expect_equal(plan$margin[3:4], plan$floor[3:4])
  # Shares that add up to 1 but for a rounding.
  rounded <- rr_power(test, n = 100, labels = 50, share = c(0.88, 0.12 + 0.9e-8))
  expect_equal(rounded$split, rr_power(test, n = 100, labels = 50, share = 0.12)$split, tolerance = 1e-6)
  costs <- function(costs, ...) rr_power(test, share = 0.1, labels = NA, costs = costs, ...)
  expect_refused(costs(c(label = 0, report = 1), margin = 0.1), costs(c(label = 1, report = Inf), margin = 0.1), costs(c(label = 1, report = 1), n = 100),
                 rr_power(test, n = c(100, 100), labels = 50, share = 0.1), rr_power(test, n = c(100, NA), labels = 50, share = 0.1),
                 rr_power(test, n = 0.5, labels = 50, share = 0.1), rr_power(test, n = 100, labels = 50, share = c(0.88, 0.12 + 2e-8)),
                 rr_power(test, n = 100, labels = 50, share = 0.1, versus = 0.2, allocation = 1))
})

test_that("somebody of each report is labelled", {
  test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
  expect_identical(rr_power(test, n = 1000, labels = 1, share = 0.12, validation = "internal")$people, c(1, 1))
})

test_that("people are the labels of a whole split, and 20 of a truth without errors, however many labels are wanted", {
  # Truths of equal weight share the labels equally.
  equal <- rr_power(rr_misclassification(0.8, 0.8), n = 1000, labels = 100, share = 0.5)
  expect_equal(equal$split, c(50, 50))
  expect_identical(equal$people, c(50, 50))
  certain <- rr_misclassification(sensitivity = 0.8, specificity = 1)
  expect_message(plan <- rr_power(certain, n = 100, margin = 0.01, labels = NA, share = 0.12), class = "candor_message_floor")
  expect_identical(plan$split, c(0, Inf))
  expect_identical(plan$people, c(20, Inf))
})
