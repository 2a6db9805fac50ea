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

test_that("composite likelihood is that of C reports with p / (p + (K - 1) q), and its map its derivative", {
  m <- rr_unary(4, p = 0.6, q = 0.2)
  counts <- c(60, 50, 26, 40)
  total <- 0.6 + 3 * 0.2
  C <- matrix(0.2 / total, 4, 4) + 0.4 / total * diag(4)
  maximum <- function(counts) {
    theta <- rep(0.25, 4)
    phi <- counts / sum(counts)
    for (i in 1:4000) theta <- theta * drop(C %*% (phi / drop(theta %*% C)))
    theta
  }
  for (counts in list(c(60, 50, 26, 40), c(90, 60, 10, 40))) {
    tally <- rr_counts(counts, m, n = 120)
    evidence <- group_evidence(tally, 1)
    estimate <- estimate_composite(evidence, list())$estimate
    expect_equal(estimate, maximum(counts), tolerance = 1e-6)
    # The unbiased estimate moves by a count over N d; the composite by its map of these moves.
    map <- composite_map(estimate, evidence)
    on <- which(estimate > 0)
    expect_identical(which(map$support), on)
    for (j in on) {
      h <- 1e-3 * (1:4 == j)
      change <- (estimate_composite(replace(evidence, "counts", list(counts + h)), list())$estimate -
                   estimate_composite(replace(evidence, "counts", list(counts - h)), list())$estimate) / 2
      moved <- map$support * h / (120 * 0.4)
      expect_equal(map$alpha * (moved - map$u * sum(moved)), change, tolerance = 1e-5)
    }
  }
  # Who is reported by nobody has a share of 0.
  some <- group_evidence(rr_counts(c(60, 50, 0, 40), m, n = 100), 1)
  expect_identical(estimate_composite(some, list())$estimate[3], 0)
  expect_gt(estimate_composite(some, list())$estimate[1], 0.4)
  none <- group_evidence(rr_counts(c(0, 0, 0, 0), m, n = 5), 1)
  expect_identical(estimate_composite(none, list())$estimate, rep(0.25, 4))
  expect_null(composite_map(c(0, 0, 0, 0), none))
  expect_equal(composite_binomial(none), list(a = 0.4 / total, b = 0.2 / total, odds = 2))
})

test_that("a start is a distribution in the order of the levels, by names, or as a table over questions", {
  evidence <- group_evidence(rr_counts(c(30, 20, 50), rr_grr(c("a", "b", "c"), epsilon = 1)), 1)
  read <- function(x) distribution_option(x, "start", evidence)
  expect_null(read(NULL))
  expect_identical(read(c(0.2, 0.3, 0.5)), c(0.2, 0.3, 0.5))
  expect_identical(read(c(c = 0.5, a = 0.2, b = 0.3)), c(0.2, 0.3, 0.5))
  expect_identical(read(as.table(c(b = 0.3, c = 0.5, a = 0.2))), c(0.2, 0.3, 0.5))
  expect_identical(read(c(0.2, 0.3, 0.5 + 0.9e-8)), c(0.2, 0.3, 0.5 + 0.9e-8))
  for (bad in list(c(0.2, 0.3, 0.5 + 2e-8), c(0.5, 0.5), c(-0.1, 0.6, 0.5), "a")) expect_error(read(bad), class = "candor_error_argument")
  # Two questions: rows are the first, columns the second.
  survey <- rr_product(x = rr_grr(c("u", "v", "w"), p = 0.8), y = rr_warner(0.8))
  two <- group_evidence(rr_counts(rep(10, 6), survey), 1)
  table <- matrix(c(0.1, 0.2, 0.05, 0.25, 0.3, 0.1), 3, dimnames = list(x = c("u", "v", "w"), y = c("no", "yes")))
  expect_equal(distribution_option(as.table(table), "start", two), as.vector(table))
  expect_error(distribution_option(as.table(table[3:1, 2:1]), "start", two), class = "candor_error_level")
})

test_that("an update that stops short is told if a tolerance was promised, and has a maximum nearby if its gap is small", {
  reports <- rr_counts(c(80, 68, 52), rr_grr(3, p = 0.5))
  expect_no_warning(rr_estimate(reports, method = "ibu", iterations = 2))
  expect_warning(rr_estimate(reports, method = "ibu", iterations = 2, tolerance = 1e-9), class = "candor_warning_not_converged")
  expect_no_warning(rr_estimate(reports, method = "ibu", iterations = 2, tolerance = 0))
  short <- rr_estimate(reports, method = "ibu", iterations = 2)$details[[1]]
  expect_null(short$maximum)
  expect_equal(nrow(short$trace), 3)
  expect_identical(short$trace$iteration, c(0, 1, 2))
  long <- rr_estimate(reports, method = "ibu")$details[[1]]
  expect_lt(long$gap, 1e-8)
  # Without a number of steps they end there; with one all of them are made.
  more <- rr_estimate(reports, method = "ibu", iterations = long$iterations + 20)$details[[1]]
  expect_identical(nrow(more$trace), nrow(long$trace) + 20L)
  # p = 1/2, q = 1/4: the inversion (phi - q) / (p - q) is inside.
  expect_equal(unname(long$maximum), (c(0.4, 0.34, 0.26) - 0.25) * 4)
  # Log-likelihoods of even shares, whose reports are even too.
  expect_equal(long$trace$loglik[1], 200 * log(1 / 3))
  # Each step is one of EM.
  C <- 0.25 + 0.25 * diag(3)
  theta <- rep(1 / 3, 3)
  for (i in 1:2) theta <- theta * drop(C %*% (c(0.4, 0.34, 0.26) / drop(theta %*% C)))
  expect_equal(unname(coef(rr_estimate(reports, method = "ibu", iterations = 2))), theta)
  expect_equal(short$trace$distance[3], sqrt(sum((theta - long$maximum)^2)))
  g <- drop(C %*% (c(0.4, 0.34, 0.26) / drop(theta %*% C)))
  expect_equal(short$gap, 200 * log(max(g)))
  # A start without a share that a report needs is refused.
  sure <- rr_counts(c(5, 3, 2), rr_grr(3, p = 1))
  expect_error(rr_estimate(sure, method = "ibu", start = c(0.5, 0.5, 0)), class = "candor_error_argument")
  expect_no_error(rr_estimate(sure, method = "ibu", start = c(0.5, 0.4, 0.1)))
  # Two digits at a rate r take 2 log(10) / -log(r) steps: the note says it for one, rounded up.
  fit <- rr_estimate(reports, method = "ibu", iterations = 2)
  rate <- fit$details[[1]]$rate
  expect_match(ibu_notes(fit$details), sprintf("about %.0f steps", ceiling(log(10) / -log(rate))))
  expect_match(ibu_notes(list(utils::modifyList(fit$details[[1]], list(rate = 1)))), "infinitely many")
  # Of several groups the slowest, where the rate 0.9 takes 21.9 steps.
  two <- lapply(c(0.5, 0.9), function(rate) utils::modifyList(fit$details[[1]], list(rate = rate)))
  for (groups in list(two, rev(two))) expect_match(ibu_notes(groups), "about 22 steps")
  expect_null(ibu_notes(list(utils::modifyList(fit$details[[1]], list(gap = 1e-5)))))
  expect_null(ibu_notes(list(utils::modifyList(fit$details[[1]], list(rate = NA_real_)))))
})

test_that("a search that reaches its maximum says nothing, one that does not warns; a start has 0 for what has no name in it", {
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("no", "yes"), reports = c("x", "y", "z"))
  tally <- rr_counts(c(300, 250, 260), wide)
  expect_no_warning(fit <- rr_estimate(tally, method = "mle"))
  expect_true(fit$details[[1]]$converged)
  expect_warning(rr_estimate(tally, method = "mle", iterations = 1, tolerance = 1e-12), class = "candor_warning_not_converged")
  evidence <- group_evidence(rr_counts(c(30, 20, 50), rr_grr(c("a", "b", "c"), epsilon = 1)), 1)
  expect_identical(distribution_option(c(c = 0.4, a = 0.6), "start", evidence), c(0.6, 0, 0.4))
})

test_that("the maximum near an iterate is the unique one, or one of many, if the gap is at most 1e-4", {
  alike <- new_law_channel(list(list(matrix = cbind(c(0.7, 0.2, 0.1), c(0.2, 0.3, 0.5), c(0.2, 0.3, 0.5)))))
  # Reports as of shares 0.4 and, of the truths that are alike, 0.6.
  evidence <- new_evidence(alike, 1000 * c(0.4, 0.26, 0.34), 1000, 1000, 3)
  near <- function(gap, unique = NULL) nearby_maximum(alike, evidence, c(0.41, 0.5, 0.09), gap, unique)
  expect_null(near(1.1e-4))
  expect_equal(near(1e-4)[1], 0.4, tolerance = 1e-5)
  expect_equal(sum(near(1e-4)), 1)
  expect_identical(near(1e-5, c(0.4, 0.3, 0.3)), c(0.4, 0.3, 0.3))
  expect_null(ibu_map(c(0.5, 0.5), list(details = list())))
})

test_that("the options of both searches are checked, also where the maximum has a closed form", {
  reports <- rr_counts(c(80, 68, 52), rr_grr(3, p = 0.5))
  for (method in c("mle", "ibu")) {
    refused <- function(...) expect_error(rr_estimate(reports, method = method, ...), class = "candor_error_argument")
    refused(tolerance = -1e-9)
    refused(tolerance = "small")
    refused(iterations = -1)
    refused(iterations = 2.5)
    refused(start = c(0.5, 0.6, 0))
  }
  # p = 1/2, q = 1/4: a tolerance of 0 is met by the inversion.
  expect_equal(unname(coef(rr_estimate(reports, method = "mle", tolerance = 0))), c(0.6, 0.36, 0.04))
  expect_null(rr_estimate(rr_counts(c(80, 68, 52), rr_geometric(3, 1)), method = "mle")$details[[1]]$stalled)
})
