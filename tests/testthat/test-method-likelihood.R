# The iterative Bayesian update beside the maximum, which is known: its rate, its distance, its number of steps.

# Counts of the vectors are no sample of any truth, which fits remark upon.
estimate <- function(...) suppressWarnings(rr_estimate(...))

mechanism_of <- function(input) {
  if (input$op == "grr") return(rr_grr(input$k, p = input$p))
  fraction <- function(text) eval(parse(text = text))
  rr_channel(apply(input$channel, c(1, 2), fraction))
}

test_that("the rate of the update is the largest eigenvalue of its derivative, as in the vectors", {
  for (case in golden("doors_ibu")) {
    reports <- rr_counts(case$input$counts, mechanism_of(case$input))
    fit <- estimate(reports, method = "ibu", iterations = 5)
    expect_golden(glance(fit)$rate, case$expected$rate, 1e-9)
    expect_golden(coef(estimate(reports, method = "mle")), case$expected$mle, 1e-9)
  }
})

test_that("the distance from the maximum, and the steps to a distance, are those of the vectors", {
  for (case in golden("doors_ibu")) {
    if (is.null(case$input$after)) next
    reports <- rr_counts(case$input$counts, mechanism_of(case$input))
    trace <- tidy(estimate(reports, method = "ibu", iterations = 1000), type = "trace")
    distance <- trace$distance[trace$iteration == case$input$after]
    expect_golden(distance, case$expected$distance_after)
    rate <- glance(estimate(reports, method = "ibu", iterations = 1))$rate
    bound <- case$input$after + log(distance * 10^case$input$digits) / -log(rate)
    expect_equal(bound, case$expected$bound, tolerance = 1e-8)
    first <- trace$iteration[which(trace$distance <= 10^-case$input$digits)[1]]
    expect_identical(as.integer(first), as.integer(case$expected$observed))
  }
})

test_that("the rate is that of the iterates, also where the truth is the least likely report", {
  for (reports in list(
    rr_counts(c(38, 33, 29), rr_grr(3, p = 0.2)),
    rr_counts(c(40, 60), rr_warner(0.3)),
    rr_counts(c(50, 30, 20, 40), rr_geometric(4, epsilon = 2))
  )) {
    fit <- estimate(reports, method = "ibu", iterations = 400)
    distance <- tidy(fit, type = "trace")$distance
    last <- max(which(distance > 1e-9))
    # The ratio of successive distances is the rate up to the second largest eigenvalue.
    expect_equal(distance[last] / distance[last - 1], glance(fit)$rate, tolerance = 2e-3)
  }
})

test_that("where the maximum is not unique there is no distance, and no rate", {
  fit <- rr_estimate(rr_counts(c(1, 0, 0), rr_grr(3, p = 0)), method = "ibu", iterations = 3)
  expect_true(is.na(glance(fit)$rate))
  expect_true(all(is.na(tidy(fit, type = "trace")$distance)))
  expect_true(is.na(glance(rr_estimate(rr_counts(c(5, 4), rr_warner(0.8))))$rate))
})

test_that("the threshold of Algorithm 1 is the smallest share that is left, with its factor", {
  for (case in Filter(function(case) case$input$op == "ramp", golden("doors_small"))) {
    reports <- rr_counts(case$input$counts, rr_grr(case$input$k, p = case$input$p))
    details <- estimate(reports)$details[[1]]
    expect_golden(details$tau, case$expected$tau_star)
    expect_golden(details$c_tau, case$expected$c_tau)
    for (method in c("invn", "mle", "invp")) expect_golden(coef(estimate(reports, method = method)), case$expected[[method]])
  }
})
