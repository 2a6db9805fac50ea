# The likelihood of channels: derivatives by differences, and dense algebra on small matrices.

C <- rbind(c(0.5, 0.2, 0.2, 0.1), c(0.15, 0.45, 0.1, 0.3), c(0.05, 0.15, 0.6, 0.2))
law <- new_law_channel(list(list(matrix = t(C))))
shares_of <- function(counts) counts / sum(counts)
evidence_of <- function(counts, law, k) new_evidence(law, counts, sum(counts), sum(counts), k)
# The maximum by plain EM.
maximum_of <- function(C, phi, steps = 20000) {
  theta <- rep(1 / nrow(C), nrow(C))
  for (i in seq_len(steps)) theta <- theta * drop(C %*% (phi / drop(theta %*% C)))
  theta
}
inside <- c(50, 60, 61, 49)
edge <- c(70, 20, 60, 10)

test_that("the maximum is that of plain EM, with the certificate N log max g and what is known of its uniqueness", {
  for (counts in list(inside, edge)) {
    fit <- law_maximum(law, evidence_of(counts, law, 3), list(iterations = 10000))
    expect_equal(fit$estimate, maximum_of(C, shares_of(counts)), tolerance = 1e-6)
    g <- C %*% (shares_of(counts) / drop(fit$estimate %*% C))
    expect_equal(fit$gap, max(0, sum(counts) * log(max(g))), tolerance = 1e-10)
    expect_true(fit$unique && fit$converged && !fit$stalled)
    expect_identical(fit$tolerance, 1e-8)
  }
  expect_identical(maximize(law$axes, 1e7 * inside, n = 2.2e9)$tolerance, 2.2e-5)
  # One step is too few for a tolerance, and says so.
  one <- maximize(law$axes, edge, 1e-12, 1, n = sum(edge))
  expect_false(one$converged)
  expect_identical(one$iterations, 1)
  expect_gt(one$gap, 1e-12)
  # As many steps as are asked for, in runs of four or fewer.
  flat <- 0.2 + 0.01 * diag(5) - 0.002
  slow <- function(iterations) maximize(list(list(matrix = t(flat[, 1:5]))), c(400, 100, 150, 150, 200), 1e-300, iterations, rep(0.2, 5), 1000)$iterations
  expect_identical(slow(6), 6)
  # One axis of a and b is solved as it stands, and reports that are left out are those nobody gave.
  additive <- maximize(list(list(a = 0.4, b = c(0.1, 0.2, 0.3))), c(30, 50, 60), n = 140)
  expect_equal(additive$estimate, ((c(30, 50, 60) / 140) - c(0.1, 0.2, 0.3)) / 0.4, tolerance = 1e-7)
  # A report that no truth can give.
  zero <- list(list(matrix = rbind(c(0.4, 1), c(0, 0), c(0.6, 0))))
  expect_equal(maximize(zero, c(3, 1, 2), n = 6), list(impossible = 2))
  # The middle truth is a mixture of the others: every share of it is as likely.
  mixture <- rbind(c(0.6, 0.4), c(0.4, 0.6), c(0.2, 0.8))
  expect_false(maximize(list(list(matrix = t(mixture))), c(40, 60), n = 100)$unique)
})

test_that("the rate is the largest eigenvalue of the update's derivative, from differences", {
  for (counts in list(inside, edge, c(120, 1, 9, 1))) {
    phi <- shares_of(counts)
    theta <- law_maximum(law, evidence_of(counts, law, 3), list(iterations = 10000, tolerance = 1e-13))$estimate
    step <- function(theta) theta * drop(C %*% (phi / drop(theta %*% C)))
    D <- vapply(1:3, function(j) {
      h <- 1e-6 * (1:3 == j)
      below <- pmax(theta - h, 0)
      (step(theta + h) - step(below)) / sum(theta + h - below)
    }, numeric(3))
    B <- rbind(diag(2), -1)
    expect_equal(update_rate(law, evidence_of(counts, law, 3), theta), max(eigen(qr.solve(B, D %*% B))$values), tolerance = 1e-5)
  }
  # One share alone: the factors of the others.
  corner <- c(90, 5, 5, 5)
  g <- C %*% (shares_of(corner) / C[1, ])
  expect_equal(channel_update_rate(law$axes, evidence_of(corner, law, 3), c(1, 0, 0)), max(g[-1]))
})

test_that("reports that nobody gave are left out and proportional ones are merged, no others", {
  M <- rbind(c(0.2, 0.1, 0.3), c(0.1, 0.4, 0.2), c(0.4, 0.2, 0.3), c(0.1, 0.05, 0.15), c(0.2, 0.25, 0.05))
  merged <- collapse_reports(M, c(3, 0, 5, 4, 6))
  kept <- rbind(M[3, ], M[5, ], M[1, ] + M[4, ])
  order <- order(merged$counts)
  expect_equal(merged$counts[order], c(5, 6, 7))
  expect_equal(merged$axes[[1]]$matrix[order, ], kept)
  # Three in a row, and a neighbour that is off by 1e-10.
  near <- rbind(c(0.1, 0.3), c(0.2, 0.6), c(0.05, 0.15 + 1e-10), c(0.3, 0.9), c(0.4, 0.1))
  merged <- collapse_reports(near, c(1, 2, 4, 8, 16))
  expect_setequal(merged$counts, c(11, 4, 16))
})

test_that("the search starts at the inversion if that is a distribution, and only if it is cheap", {
  square <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.6, 0.3), c(0.2, 0.2, 0.6))
  axes <- list(list(matrix = t(square)))
  theta <- c(0.5, 0.2, 0.3)
  expect_equal(inverse_start(axes, drop(theta %*% square)), theta)
  expect_null(inverse_start(axes, c(0.9, 0.05, 0.05)))
  expect_null(inverse_start(law$axes, shares_of(inside)))
  expect_null(inverse_start(list(list(matrix = matrix(0.5, 2, 2))), c(0.5, 0.5)))
  wide <- function(k) list(list(a = 0.5, b = rep(0.5 / k, k)))
  expect_length(inverse_start(wide(100), rep(0.01, 100)), 100)
  expect_null(inverse_start(wide(101), rep(1 / 101, 101)))
  expect_null(inverse_start(c(wide(2), wide(101)), rep(1 / 202, 202)))
  # A share of 0 is one.
  expect_identical(inverse_start(wide(2), c(0.75, 0.25)), c(1, 0))
  # A channel with more reports than truths beside one that can be inverted has no inverse.
  axes <- law_axes(rr_law(rr_product(a = rr_warner(0.8), b = rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.2, 0.2, 0.6))))), 4)
  expect_null(inverse_start(axes, rep(1 / 6, 6)))
})

test_that("columns of the maximum are its derivatives by the reported shares", {
  for (counts in list(inside, edge)) {
    phi <- shares_of(counts)
    theta <- maximum_of(C, phi)
    theta[theta < 1e-8] <- 0
    D <- likelihood_columns(C, theta)
    for (j in 2:4) {
      h <- 1e-5 * (1:4 == 1) - 1e-5 * (1:4 == j)
      # At the maximum of the model the reports are those of theta: the derivative there.
      model <- drop(theta %*% C)
      change <- (maximum_of(C, model + h) - maximum_of(C, model - h)) / 2
      if (all(theta > 0)) expect_equal(drop(D %*% h), change, tolerance = 1e-4)
      expect_equal(sum(D %*% h), 0)
      expect_identical(drop(D %*% h)[theta == 0], numeric(sum(theta == 0)))
    }
  }
  # On two truths: the derivative in closed form, I^-1 = 1 / sum (difference^2 / m).
  theta <- c(0.4, 0, 0.6)
  m <- drop(theta %*% C)
  difference <- C[1, ] - C[3, ]
  expect_equal(likelihood_columns(C, theta), rbind(difference / m, 0, -difference / m) / sum(difference^2 / m), ignore_attr = TRUE)
  expect_identical(likelihood_columns(C, c(0, 1, 0)), matrix(0, 3, 4))
})

test_that("the covariance of a maximum is the inverse information on its support, less the sampling of truths", {
  for (counts in list(inside, edge)) {
    phi <- shares_of(counts)
    n <- sum(counts)
    theta <- law_maximum(law, evidence_of(counts, law, 3), list(iterations = 10000, tolerance = 1e-13))$estimate
    on <- which(theta > 0)
    expect_identical(length(on), if (identical(counts, inside)) 3L else 2L)
    m <- drop(theta %*% C)
    information <- C[on, ] %*% diag(phi / m^2) %*% t(C[on, ])
    population <- solve(information) - tcrossprod(theta[on])
    block <- information_block(law, evidence_of(counts, law, 3), theta, "population")
    expect_identical(block$cells, on)
    expect_equal(block$covariance, population / n, tolerance = 1e-7)
    # Sampled truths, by their unbiased estimate, move the reports by C and the maximum by I^-1 scores.
    equations <- solve(rbind(cbind(C %*% t(C), 1), c(1, 1, 1, 0)))
    truths <- drop(equations[1:3, 1:3] %*% C %*% phi + equations[1:3, 4])
    map <- population %*% C[on, ] %*% (t(C) / m)
    sample <- population - map %*% diag(truths) %*% t(map)
    expect_equal(information_block(law, evidence_of(counts, law, 3), theta, "sample")$covariance, sample / n, tolerance = 1e-7)
    # The same by one linear system for each function; the truths that are sampled are then those of the estimate.
    w <- rbind(c(1, 0.5, -1), c(0, 2, 1))
    solved <- information_functions(law, evidence_of(counts, law, 3), theta, w, "population")
    expect_equal(solved, w[, on] %*% population %*% t(w[, on]) / n, tolerance = 1e-6)
    own <- population - map[, on] %*% diag(theta[on]) %*% t(map[, on])
    expect_equal(information_functions(law, evidence_of(counts, law, 3), theta, w, "sample"), w[, on] %*% own %*% t(w[, on]) / n, tolerance = 1e-6)
    map <- list(information = theta)
    expect_equal(law_covariance(law, evidence_of(counts, law, 3), map, c(3L, on[1]), "population"),
                 (placed_block(population / n, on, 1:3))[c(3, on[1]), c(3, on[1])], tolerance = 1e-7)
  }
  # One truth alone does not vary, whatever a study says of its reports.
  alone <- information_block(new_law_channel(law$axes, 100 * C), evidence_of(c(90, 5, 5, 5), law, 3), c(1, 0, 0), "population")
  expect_equal(alone, list(cells = 1L, covariance = matrix(0)))
  # Truths that the reports do not tell apart have no information.
  expect_null(information_block(new_law_channel(list(list(matrix = matrix(0.5, 2, 2)))), list(counts = c(3, 4), n = 7), c(0.5, 0.5), "population"))
  expect_identical(placed_block(matrix(1:4, 2), c(2L, 5L), c(5L, 1L, 2L)), rbind(c(4, 0, 2), c(0, 0, 0), c(3, 0, 1)))
})

test_that("uniqueness is decided of at most 300 truths and four million probabilities", {
  decide <- function(k) {
    even <- rep(1 / k, k)
    decide_unique(list(axes = list(list(a = 0.5, b = even / 2)), counts = rep(1, k)), list(estimate = even, score = rep(1, k), fitted = even))
  }
  expect_identical(c(decide(300), decide(301)), c(TRUE, NA))
  expect_identical(decide_unique(list(counts = rep(1, 2e6 + 1)), list(estimate = c(0.5, 0.5), score = c(1, 1))), NA)
  # One report that was given, and the truth that gives it most.
  axes <- list(list(matrix = cbind(c(0.7, 0.3), c(0.2, 0.8))))
  expect_true(decide_unique(list(axes = axes, counts = c(5, 0)), list(estimate = c(1, 0), score = c(1, 2 / 7), fitted = c(0.7, 0.3))))
  # More truths than reports that were given are never the only maximum.
  expect_false(decide_unique(list(counts = c(3, 0, 4)), list(estimate = c(0.3, 0.3, 0.4), score = rep(1, 3))))
})

test_that("of truths that reports do not tell apart sums are identified, with the variance of the collapsed channel", {
  # Truths 2 and 3 give the same reports.
  alike <- rbind(c(0.7, 0.2, 0.1), c(0.2, 0.3, 0.5), c(0.2, 0.3, 0.5))
  theta <- c(0.4, 0.35, 0.25)
  phi <- drop(theta %*% alike)
  w <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 1, 1), c(2, -1, -1))
  known <- identified_functions(alike, phi, theta, 200, w)
  expect_identical(known$identified, c(TRUE, FALSE, TRUE, TRUE))
  expect_equal(known$value, drop(w %*% theta))
  expect_identical(known$free, 1:3)
  two <- alike[1:2, ]
  V <- (solve(two %*% (t(two) / phi)) - tcrossprod(c(0.4, 0.6))) / 200
  combinations <- rbind(c(1, 0), c(0, 1), c(2, -1))
  expect_equal(known$covariance[c(1, 3, 4), c(1, 3, 4)], combinations %*% V %*% t(combinations))
  expect_true(all(is.na(known$covariance[2, ])) && all(is.na(known$covariance[, 2])))
})

test_that("beside truths that are alike, a truth of a lower score is 0 for certain, and a report that was not given tells nothing", {
  # A maximum by design: the scores C (phi / m) are 1, 1, 1 and 0.7; nobody gave the first report.
  C <- rbind(c(0.1, 0.3, 0.2, 0.2, 0.2), c(0.2, 0.1, 0.1, 0.6, 0), c(0.2, 0.1, 0.1, 0.6, 0), c(0.3, 0.1, 0.2, 0.2, 0.2))
  ratio <- c(0, 1.5, 1, 1.25, 0.5)
  expect_equal(drop(C %*% ratio), c(1, 1, 1, 0.7))
  theta <- c(0.4, 0.35, 0.25, 0)
  m <- drop(theta %*% C)
  w <- rbind(c(1, 0, 0, 5), c(0, 0, 0, 1), c(0, 3, 3, 0), c(0, 0, -0.5, 0))
  known <- identified_functions(C, m * ratio, theta, 200, w)
  expect_identical(known$free, 1:3)
  expect_identical(known$identified, c(TRUE, TRUE, TRUE, FALSE))
  expect_equal(known$value, c(0.4, 0, 1.8, -0.125))
  # The two truths that are left have the information sum(C_i C_j phi / m^2).
  V <- (solve(C[1:2, ] %*% (t(C[1:2, ]) * ratio / m)) - tcrossprod(c(0.4, 0.6))) / 200
  combinations <- rbind(c(1, 0), c(0, 0), c(0, 3))
  expect_equal(known$covariance[1:3, 1:3], combinations %*% V %*% t(combinations))
  expect_true(all(is.na(known$covariance[4, ])) && all(is.na(known$covariance[, 4])))
  # All give one report, which two truths give alike: their sum is 1 for certain.
  known <- identified_functions(rbind(c(0.7, 0.3), c(0.7, 0.3), c(0.2, 0.8)), c(1, 0), c(0.5, 0.5, 0), 50, rbind(c(1, 1, 0), c(1, 0, 0)))
  expect_equal(known, list(value = c(1, 0.5), covariance = rbind(c(0, NA), NA), identified = c(TRUE, FALSE), free = 1:2))
})

test_that("a log-likelihood counts what was given only, and has the constants of merged reports", {
  expect_equal(sum_log(c(2, 0, 3), c(0.5, 0, 0.25)), 2 * log(0.5) + 3 * log(0.25))
  expect_identical(sum_log(c(2, 1, 3), c(0.5, 0, 0.25)), -Inf)
  theta <- c(0.5, 0.2, 0.3)
  # A set of a report of three bits: P(set | x) over x by hand.
  p <- 0.7
  q <- 0.2
  bits <- rbind(c(1L, 0L, 0L), c(1L, 0L, 1L), c(0L, 0L, 0L))
  times <- c(5, 2, 4)
  supports <- bits_law(p, q)
  supports$sets <- list(bits = .Call(C_rr_matrix_to_bits, bits)$bits, times = times)
  chance <- vapply(1:3, function(x) {
    one <- ifelse(1:3 == x, p, q)
    apply(bits, 1, function(r) prod(ifelse(r == 1, one, 1 - one)))
  }, numeric(3))
  blank <- apply(bits, 1, function(r) prod(ifelse(r == 1, q, 1 - q)))
  evidence <- new_evidence(supports, c(7, 0, 2), 11, 11, 3)
  # Up to the constant: over the probability of the same set of someone who holds none of them, times (1 - p) / (1 - q).
  expected <- sum(times * log(drop(chance %*% theta) / blank * (1 - q) / (1 - p)))
  expect_equal(law_loglik(supports, evidence, theta), expected)
  # Weights that are worth half as many people halve it.
  expect_equal(law_loglik(supports, new_evidence(supports, c(7, 0, 2), 11, 5.5, 3), theta), expected / 2)
})

test_that("a solver runs four steps at a time until it is done or out of steps, and tells after two seconds how far the gap has come", {
  told <- NULL
  bar <- list(
    cli_progress_bar = function(name, total, clear) told <<- c(told, total),
    cli_progress_update = function(id, set) told <<- c(told, set)
  )
  # Each call of the core ends with the next gap; the last of them is the end.
  run <- function(gaps, seconds, iterations, tolerance, end = 0) {
    told <<- steps <<- NULL
    clock <- c(0, seconds)
    state <- with_calls(run_solver,
      `::` = function(package, name) bar[[deparse(substitute(name))]],
      .Call = function(name, solver, n) {
        steps <<- c(steps, n)
        used <- length(steps)
        c(if (used == length(gaps)) end else 1, gaps[used], sum(steps))
      },
      proc.time = function() {
        now <- clock[1]
        clock <<- clock[-1]
        list(0, 0, now)
      }
    )("solver", tolerance, iterations)
    list(state = state, steps = steps, told = told)
  }
  steps <- NULL
  # A percentage of the orders of magnitude from the gap at the first message, 1e2, to 1e-8; a gap that rises is at 0.
  expect_identical(run(10^c(4, 3, 2, -3, 5, -6), c(1.9, 2, 2.1, 9, 9), 100, 1e-8),
                   list(state = c(0, 1e-6, 24), steps = rep(4, 6), told = c(100, 0, 50, 0, 80)))
  # Below the tolerance all is done; a step that was left over is the last.
  expect_identical(run(c(1, 1e-4, 1e-9, 1e-9), c(3, 3, 3), 14, 1e-8, end = 1), list(state = c(1, 1e-9, 14), steps = c(4, 4, 4, 2), told = c(100, 0, 100, 100)))
  expect_identical(run(1e-9, 0, 3, 1e-8), list(state = c(0, 1e-9, 3), steps = 3, told = NULL))
})

test_that("a report that cannot be has probability 0, whatever the others have", {
  expect_identical(sum_log(c(2, 3, 1), c(0.5, 0, 0.2)), -Inf)
  expect_equal(sum_log(c(2, 0, 3), c(0.5, 0, 0.2)), 2 * log(0.5) + 3 * log(0.2))
})

test_that("functions of an inner maximum have the covariance of inversion, and those of a corner have none", {
  square <- rbind(c(0.6, 0.3, 0.1), c(0.2, 0.5, 0.3), c(0.1, 0.2, 0.7))
  theta <- c(0.5, 0.3, 0.2)
  phi <- drop(theta %*% square)
  inverse <- solve(t(square))
  for (weights in list(rbind(c(1, 1, 0)), rbind(c(1, 2, 4), c(0, 1, -1)))) {
    functions <- identified_functions(square, phi, theta, 50, weights)
    expect_equal(functions$value, drop(weights %*% theta))
    moved <- weights %*% inverse
    expect_equal(functions$covariance, (moved %*% (diag(phi) - tcrossprod(phi)) %*% t(moved)) / 50, tolerance = 1e-9)
    expect_true(all(functions$identified))
  }
  # All give the first report, of which the first truth has the largest probability.
  corner <- identified_functions(C, c(1, 0, 0, 0), c(1, 0, 0), 50, rbind(diag(3), c(1, 2, 4)))
  expect_equal(corner$value, c(1, 0, 0, 1))
  expect_identical(corner$free, 1L)
  expect_equal(corner$covariance, matrix(0, 4, 4))
})

test_that("the derivatives of two shares are those of one share", {
  theta <- c(0.3, 0, 0.7)
  difference <- C[1, ] - C[3, ]
  reported <- drop(theta %*% C)
  # The score of the share t of truth 1 is sum phi d / m, and its information is sum d^2 / m.
  by_hand <- difference / reported / sum(difference^2 / reported)
  expect_equal(likelihood_columns(C, theta), rbind(by_hand, 0, -by_hand), ignore_attr = TRUE)
  expect_equal(likelihood_columns(C, c(0, 1, 0)), matrix(0, 3, 4))
})

test_that("a report that two truths give alike tells nothing of their shares", {
  alike <- rbind(c(0.6, 0.3, 0.1), c(0.6, 0.1, 0.3), c(0.2, 0.4, 0.4))
  fit <- law_maximum(new_law_channel(list(list(matrix = t(alike)))), evidence_of(c(10, 0, 0), law, 3), list(iterations = 10000))
  expect_false(fit$unique)
  expect_equal(sum(fit$estimate[1:2]), 1, tolerance = 1e-6)
})

test_that("kept sets have the log-likelihood of 1 + (E - 1) theta(S), whether the truth is likelier, less likely or certain", {
  member <- rbind(c(1L, 0L, 0L), c(1L, 0L, 1L), c(1L, 1L, 0L))
  times <- c(5, 2, 4)
  theta <- c(0.5, 0.2, 0.3)
  kept <- list(bits = .Call(C_rr_matrix_to_bits, member)$bits, times = times)
  for (odds in c(3, -0.6, Inf)) {
    law <- replace(new_law_support(0.6, 0.2, odds = odds), "sets", list(kept))
    ratio <- if (is.finite(odds)) 1 + odds * drop(member %*% theta) else drop(member %*% theta)
    expect_equal(law_loglik(law, new_evidence(law, drop(times %*% member), 11, 11, 3), theta), sum(times * log(ratio)))
  }
})

test_that("a small search goes on to the last digits, and a rate of more than 500 shares is not computed", {
  mechanism <- rr_geometric(20, epsilon = 0.5)
  maximum <- maximize(law_axes(rr_law(mechanism), 20), c(rep(40, 5), rep(10, 10), rep(60, 5)), n = 600)
  expect_lte(maximum$gap, 600 * 1e-13)
  expect_identical(maximum$tolerance, 1e-8)
  expect_identical(channel_update_rate(list(list(a = 0.5, b = rep(0.5 / 501, 501))), list(counts = rep(1, 501), n = 501), rep(1 / 501, 501)), NA_real_)
})

test_that("the first report that no truth can give is found before the search, the very first too", {
  axes <- function(report) list(list(matrix = rbind(c(0, 0), c(0.4, 0.7), c(0.6, 0.3))[order(c(report, setdiff(1:3, report))), ]))
  for (report in 1:3) {
    expect_equal(maximize(axes(report), c(3, 1, 2), n = 6), list(impossible = report))
    expect_null(maximize(axes(report), replace(c(3, 1, 2), report, 0), n = 5)$impossible)
  }
})

test_that("reports are merged if all of their probabilities are proportional, not if some sums of them agree by accident", {
  # Two rows that agree in the first column, in their sum and in the sum that collapse_reports() compares.
  weights <- cospi(1:4 * sqrt(2))
  apart <- c(0, weights[4] - weights[3], weights[2] - weights[4], weights[3] - weights[2])
  rows <- rbind(0.25 + 0.02 * apart, 0.25 - 0.02 * apart)
  expect_lt(abs(diff(drop(rows %*% weights))), 1e-15)
  expect_setequal(collapse_reports(rows, c(3, 4))$counts, c(3, 4))
  expect_setequal(collapse_reports(rbind(rows, 2 * rows[1, ]), c(3, 4, 5))$counts, c(4, 8))
})

test_that("truths that reports hardly tell apart have no covariance, beside others that they do", {
  nearly <- function(by) rbind(c(0.6, 0.3, 0.1), c(0.2, 0.5, 0.3), c(0.2 + by, 0.5, 0.3 - by))
  block <- function(by) {
    C <- nearly(by)
    theta <- c(0.3, 0.3, 0.4)
    information_block(new_law_channel(list(list(matrix = t(C)))), list(counts = 100 * drop(theta %*% C), n = 100, k = 3), theta, "population")
  }
  expect_null(block(3e-8))
  expect_identical(block(0.05)$cells, 1:3)
})
