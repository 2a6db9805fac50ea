# Counts are made by hand here, also those that no truth makes likely.
rr_estimate <- estimate_odd

test_that("the maximum matches the 40-digit vectors for general channels", {
  for (case in golden("mle_channel")) {
    channel <- rr_channel(case$input$channel)
    n <- sum(case$input$counts)
    fit <- rr_estimate(rr_counts(case$input$counts, channel), tolerance = 1e-13 * n)
    expect_lte(max(abs(coef(fit) - case$expected$theta)), 1e-9)
    expect_lte(abs(as.numeric(logLik(fit)) / n - case$expected$mean_loglik), 1e-13)
    expect_identical(which(unname(coef(fit)) > 1e-9) - 1L, case$expected$support)
    expect_true(fit$details[[1]]$unique)
    expect_true(fit$details[[1]]$converged)
  }
})

test_that("small problems come to the last digits without being asked", {
  for (case in golden("mle_channel")) {
    fit <- rr_estimate(rr_counts(case$input$counts, rr_channel(case$input$channel)))
    expect_lte(max(abs(coef(fit) - case$expected$theta)), 1e-11)
  }
  # Few reports: the tolerance of 1e-8 alone would leave 2e-9 here. Truth by Newton's method with 60 digits.
  channel <- rr_channel(rbind(c(99, 124, 3, 30), c(39, 82, 21, 114)) / 256)
  fit <- rr_estimate(rr_counts(c(7, 10, 15, 3), channel))
  expect_lte(abs(coef(fit)[[1]] - 0.026185279028939516), 1e-12)
  expect_identical(fit$details[[1]]$tolerance, 1e-8)
})

test_that("the iterative update matches the vectors for general channels, from any start", {
  for (case in golden("ibu_channel")) {
    n <- sum(case$input$counts)
    channel <- rr_channel(case$input$channel)
    channel["law"] <- list(NULL)
    start <- case$input$init
    fit <- rr_estimate(rr_counts(case$input$counts, channel), method = "ibu", iterations = case$input$iterations, start = start)
    expect_golden(coef(fit), case$expected$theta)
    expect_golden(as.numeric(logLik(fit)) / n, case$expected$mean_loglik)
    expect_golden(fit$details[[1]]$gap / n, case$expected$gap_log)
    expect_identical(nrow(tidy(fit, type = "trace")), as.integer(case$input$iterations) + 1L)
  }
})

test_that("likelihood and certificate at a given distribution match the vectors", {
  for (case in golden("rr_loglik")) {
    if (!is.numeric(case$expected$loglik)) next
    n <- sum(case$input$counts)
    grr <- golden_grr(case$input)
    for (channel in list(grr, as_general(grr))) {
      fit <- rr_estimate(rr_counts(case$input$counts, channel), method = "ibu", iterations = 0, start = case$input$theta)
      expect_golden(as.numeric(logLik(fit)), case$expected$loglik)
      trace <- tidy(fit, type = "trace")
      expect_golden(trace$loglik, case$expected$loglik)
      expect_golden(trace$gap / n, case$expected$gap_log)
    }
  }
})

test_that("the general solver agrees with the closed forms, estimates and covariances alike", {
  for (case in golden("rr_mle_covariance")) {
    general <- rr_estimate(rr_counts(case$input$counts, as_general(golden_grr(case$input))), tolerance = 1e-12)
    expect_golden(vcov(general), case$expected$cov, tolerance = 1e-8)
  }
  grr <- rr_grr(4, epsilon = 1)
  tallies <- lapply(list(grr, as_general(grr)), function(m) rr_counts(c(40, 30, 20, 10), m))
  for (target in c("population", "sample")) {
    for (method in c("mle", "inv", "invn", "invp", "norm_sub", "norm_cut", "power", "base_cut")) {
      fits <- lapply(tallies, rr_estimate, method = method, target = target)
      expect_equal(coef(fits[[1]]), coef(fits[[2]]), tolerance = 1e-10, label = method)
      expect_equal(vcov(fits[[1]]), vcov(fits[[2]]), tolerance = 1e-8, label = method)
      expect_equal(confint(fits[[1]]), confint(fits[[2]]), tolerance = 1e-8, label = method)
    }
  }
})

test_that("random channels of every shape are certified, by the definition", {
  set.seed(3)
  for (shape in c(0.2, 1, 20)) {
    for (size in list(c(2, 2), c(3, 9), c(9, 3), c(50, 80), c(60, 40))) {
      C <- random_channel(size[1], size[2], shape)
      counts <- stats::rpois(size[2], 40)
      fit <- rr_estimate(rr_counts(counts, rr_channel(C)))
      expect_lte(fit$details[[1]]$gap, 1e-8)
      expect_lte(certificate(C, counts, coef(fit)), 1.01e-8)
      expect_equal(sum(coef(fit)), 1)
      expect_true(all(coef(fit) >= 0))
    }
  }
})

test_that("a general optimiser finds no higher likelihood", {
  set.seed(4)
  C <- random_channel(12, 15)
  counts <- stats::rpois(15, 30)
  ours <- as.numeric(logLik(rr_estimate(rr_counts(counts, rr_channel(C)))))
  # Free logits, the last one fixed.
  minus <- function(free) -sum(counts * log(drop(crossprod(C, exp(c(free, 0)) / sum(exp(c(free, 0)))))))
  for (start in 1:5) {
    theirs <- stats::optim(stats::rnorm(11), minus, method = "BFGS", control = list(maxit = 1000, reltol = 1e-14))
    expect_gte(ours, -theirs$value - 1e-8)
  }
})

test_that("hard channels reach 1e-10 an observation", {
  set.seed(5)
  grr <- rr_matrix(rr_grr(500, epsilon = 0.5))
  geometric <- rr_matrix(rr_geometric(200, epsilon = 0.5))
  kernel <- exp(-outer(1:200, 1:200, "-")^2 / 200) + 1e-12
  kernel <- kernel / rowSums(kernel)
  near <- random_channel(100, 100)
  near[100, ] <- near[1, ] * (1 + 1e-7 * stats::runif(100))
  near[100, ] <- near[100, ] / sum(near[100, ])
  expect_lt(min(svd(near)$d), 1e-7)
  for (C in list(grr, geometric, kernel, near)) {
    channel <- rr_channel(unname(C))
    channel["law"] <- list(NULL)
    truth <- stats::rexp(nrow(C))
    counts <- as.vector(stats::rmultinom(1, 1e5, drop(crossprod(C, truth / sum(truth)))))
    fit <- rr_estimate(rr_counts(counts, channel))
    expect_lte(certificate(C, counts, coef(fit)), 1e-10 * 1e5)
    expect_true(fit$details[[1]]$converged)
  }
})

test_that("empty and proportional reports change nothing", {
  set.seed(6)
  C <- random_channel(4, 5)
  counts <- c(30, 12, 0, 25, 18)
  # Report 5 split in two of the same meaning; a further report that nobody gave.
  split <- cbind(C[, 1:4], 0.3 * C[, 5], 0.7 * C[, 5])
  collapsed <- collapse_reports(unname(t(split)), c(counts[1:4], 10, 8))
  expect_length(collapsed$counts, 4)
  expect_identical(sort(collapsed$counts), c(12, 18, 25, 30))
  # Near the maximum the likelihood is flat: theta is known to about the root of the gap.
  expect_equal(unname(coef(rr_estimate(rr_counts(c(counts[1:4], 10, 8), rr_channel(split)), tolerance = 1e-12))),
               unname(coef(rr_estimate(rr_counts(counts, rr_channel(C)), tolerance = 1e-12))), tolerance = 1e-5)
})

test_that("an inversion that is a distribution is the maximum", {
  C <- rbind(c(0.9, 0.05, 0.05), c(0.15, 0.7, 0.15), c(0.1, 0.1, 0.8))
  fit <- rr_estimate(rr_counts(c(400, 300, 300), rr_channel(C)))
  expect_equal(unname(coef(fit)), drop(solve(t(C), c(0.4, 0.3, 0.3))))
  expect_identical(fit$details[[1]]$iterations, 0)
})

test_that("maxima that are not unique are told from those that are", {
  unique <- function(C, counts) rr_estimate(rr_counts(counts, rr_channel(C)))$details[[1]]$unique
  expect_true(unique(rbind(c(0.8, 0.2), c(0.3, 0.7)), c(50, 50)))
  expect_false(unique(rbind(c(0.8, 0.2), c(0.3, 0.7), c(0.3, 0.7)), c(50, 50)))
  # The second truth is a mixture of the others, and the data lie between.
  expect_false(unique(rbind(c(0.8, 0.1, 0.1), c(0.45, 0.1, 0.45), c(0.1, 0.1, 0.8)), c(30, 10, 40)))
  # At a vertex of the channel the maximum is unique although three truths share two reports.
  expect_true(unique(rbind(c(0.9, 0.1), c(0.5, 0.5), c(0.1, 0.9)), c(100, 0)))
})

test_that("a fit never claims a tolerance it did not reach", {
  set.seed(7)
  tally <- rr_counts(stats::rpois(30, 50), rr_channel(random_channel(20, 30)))
  expect_warning(early <- rr_estimate(tally, iterations = 2), class = "candor_warning_not_converged")
  expect_false(early$details[[1]]$converged)
  expect_gt(early$details[[1]]$gap, 1e-8)
  # Below the rounding errors of the certificate: either nothing at all is left to be had, or it says so.
  last <- suppressWarnings(rr_estimate(tally, tolerance = 0), classes = "candor_warning_not_converged")
  expect_identical(last$details[[1]]$converged, last$details[[1]]$gap == 0)
  expect_lte(last$details[[1]]$gap, 1e-9)
})

test_that("impossible data name the report", {
  # rr_channel() refuses a column of zeros; a composition can have one.
  first <- rr_channel(rbind(c(x = 0.7, y = 0.3), c(0.2, 0.8)))
  second <- rr_channel(rbind(x = c(a = 0.9, b = 0.1, c = 0), y = c(0.5, 0.4, 0.1)))
  impossible <- rr_compose(first, second)
  expect_s3_class(rr_estimate(rr_counts(c(1, 1, 5), impossible)), "rr_fit")
  impossible$matrix[, "c"] <- 0
  expect_error(rr_estimate(rr_counts(c(5, 3, 2), impossible)), "\"c\"", class = "candor_error_impossible")
})

test_that("channels that carry nothing, or cannot be inverted, are refused where they must be", {
  flat <- rr_channel(rbind(c(0.2, 0.3, 0.5), c(0.2, 0.3, 0.5)))
  singular <- rr_channel(rbind(c(0.8, 0.2), c(0.5, 0.5), c(0.2, 0.8)))
  expect_refused(rr_estimate(rr_counts(c(1, 2, 3), flat)), rr_estimate(rr_counts(c(1, 2), singular), method = "inv"), class = "no_information")
  expect_error(rr_estimate(rr_counts(c(1, 2), singular), interval = "exact"), class = "candor_error_argument")
  expect_true(all(is.na(confint(rr_estimate(rr_counts(c(10, 2), singular))))))
})

test_that("weighted and grouped counts are estimated as they are", {
  set.seed(8)
  C <- random_channel(3, 4)
  channel <- rr_channel(C)
  weighted <- rr_estimate(rr_counts(c(10.5, 3.25, 7, 9), channel, effective_n = 20))
  expect_lte(certificate(C, c(10.5, 3.25, 7, 9), coef(weighted)), 1e-8)
  expect_identical(weighted$tally$effective_n, 20)
  grouped <- rr_estimate(rr_counts(cbind(a = c(10, 3, 7, 9), b = c(2, 30, 4, 8)), channel))
  expect_equal(unname(grouped$estimate[, 2]), unname(coef(rr_estimate(rr_counts(c(2, 30, 4, 8), channel)))))
})

test_that("a solver dies with its session and refuses anything else", {
  expect_error(.Call(C_rr_solver_run, NULL, 1), "solver")
  solver <- .Call(C_rr_solver, list(list(matrix = diag(2))), c(1, 2), NULL, 1e-8)
  restored <- unserialize(serialize(solver, NULL))
  expect_error(.Call(C_rr_solver_run, restored, 1), "solver")
  expect_error(.Call(C_rr_solver_run, getLoadedDLLs()[["stats"]][["info"]], 1), "solver of this session")
  for (bad in list(list(list(list(matrix = diag(2))), 1), list(list(1), c(1, 2)))) expect_error(.Call(C_rr_solver, bad[[1]], bad[[2]], NULL, 1e-8))
})

test_that("an update that stops short of the tolerance asked for says so", {
  for (mechanism in list(rr_grr(3, epsilon = 0.5), rr_geometric(3, epsilon = 0.5))) {
    reports <- rr_counts(c(1, 20, 70), mechanism)
    expect_warning(rr_estimate(reports, method = "ibu", iterations = 3, tolerance = 1e-8), class = "candor_warning_not_converged")
    expect_silent(rr_estimate(reports, method = "ibu", iterations = 3))
  }
})

test_that("a start under which a given report is impossible is refused", {
  channel <- rr_channel(rbind(c(0.5, 0.5, 0), c(0.2, 0.7, 0.1), c(0, 0.2, 0.8)))
  expect_error(rr_estimate(rr_counts(c(0, 5, 5), channel), method = "ibu", iterations = 3, start = c(1, 0, 0)), class = "candor_error_argument")
  expect_error(rr_estimate(rr_counts(c(0, 5, 5), rr_grr(3, p = 1)), method = "ibu", iterations = 3, start = c(1, 0, 0)), class = "candor_error_argument")
  expect_silent(rr_estimate(rr_counts(c(5, 5, 0), channel), method = "ibu", iterations = 3, start = c(1, 0, 0)))
})
