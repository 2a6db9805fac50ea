test_that("the discrete square wave is the golden channel, and epsilon is the nominal one", {
  for (case in golden("ldp_square_wave_discrete")) {
    input <- case$input
    m <- rr_square_wave(input$levels, input$epsilon, half_width = input$b)
    expect_golden(m$matrix, case$expected$matrix)
    expect_golden(c(m$p, m$q, m$epsilon), c(case$expected$p, case$expected$q, case$expected$epsilon))
    expect_lte(rr_epsilon(m, achieved = TRUE), m$epsilon)
    expect_s3_class(m, c("rr_square_wave", "rr_channel", "rr_mechanism"), exact = TRUE)
  }
})

test_that("the continuous square wave on a grid is the golden channel", {
  for (case in golden("ldp_square_wave")) {
    input <- case$input
    m <- rr_square_wave(seq(-3, 7, length.out = input$truth_bins + 1), input$epsilon, reports = input$report_bins)
    expect_golden(m$matrix, case$expected$matrix)
    expect_golden(c(m$half_width, m$p, m$q), unlist(case$expected[c("half_width", "p", "q")]))
    expect_lte(m$epsilon, input$epsilon)
  }
})

test_that("bins of any width have the probabilities that quadrature gives", {
  breaks <- c(0, 1, 4, 4.5, 10)
  m <- rr_square_wave(breaks, 1.5, reports = 7)
  ends <- seq(-m$half_width, 1 + m$half_width, length.out = 8)
  for (x in 1:4) for (y in 1:7) {
    inside <- function(u) {
      near <- pmax(0, pmin(u + m$half_width, ends[y + 1]) - pmax(u - m$half_width, ends[y]))
      m$q * (ends[y + 1] - ends[y]) + (m$p - m$q) * near
    }
    # The integrand has kinks: the middle of 20,000 cells is good to 1e-8.
    cells <- (breaks[x] + (seq_len(20000) - 0.5) / 20000 * (breaks[x + 1] - breaks[x])) / 10
    expect_lte(abs(m$matrix[x, y] - mean(inside(cells))), 1e-7)
  }
  # A wave that is narrow beside the bins loses no digits: within it lie 2 b E / (2 b E + 1) = 39 / 40, to 15 digits, of the reports.
  narrow <- rr_square_wave(0:4, 40, reports = 4)
  expect_equal(unname(diag(narrow$matrix)), rep(39 / 40 + 1 / 160, 4), tolerance = 1e-12)
})

test_that("epsilon holds for all reports and truths, by enumeration", {
  for (d in 2:5) for (epsilon in c(0.2, 1, 3)) {
    m <- rr_square_wave(d, epsilon)
    ratios <- apply(rr_matrix(m), 2, function(column) max(column) / min(column))
    expect_equal(log(max(ratios)), epsilon, tolerance = 1e-13)
    expect_equal(unname(rowSums(rr_matrix(m))), rep(1, d), tolerance = 1e-14)
  }
})

test_that("the best half width is that of the continuous wave for many levels, and maximizes its bound", {
  # Li et al. (2020), section 5.2: half of the range as epsilon goes to 0.
  expect_equal(candor:::wave_half_width(1e-9), 0.5, tolerance = 1e-8)
  expect_equal(candor:::wave_half_width(0.5 - 1e-12), candor:::wave_half_width(0.5), tolerance = 1e-9)
  # The formula itself loses no digits of large epsilon, and 1 / 2 - epsilon / 3 + epsilon^2 / 9 is good to epsilon^3 of small.
  large <- c(0.6, 3, 20)
  E <- exp(large)
  expect_equal(vapply(large, wave_half_width, 0), (large * E - E + 1) / (2 * E * (E - 1 - large)), tolerance = 1e-12)
  expect_equal(wave_half_width(1e-3), 1 / 2 - 1e-3 / 3 + 1e-6 / 9, tolerance = 1e-9)
  for (epsilon in c(0.3, 1, 2, 4)) {
    expect_lte(abs(rr_square_wave(1000, epsilon)$half_width - 1000 * candor:::wave_half_width(epsilon)), 1.5)
    b <- candor:::wave_half_width(epsilon)
    bound <- function(b) {
      p <- exp(epsilon) / (2 * b * exp(epsilon) + 1)
      log(1 + 2 * b) + 2 * b * p * log(p) + p * exp(-epsilon) * log(p * exp(-epsilon))
    }
    expect_equal(optimize(bound, c(0.001, 1), maximum = TRUE, tol = 1e-10)$maximum, b, tolerance = 1e-5)
  }
  expect_identical(rr_square_wave(50, 1e-12)$half_width, rr_square_wave(50, 1e-4)$half_width)
})

test_that("reports are drawn from the channel", {
  # 4 x 6 cells of 40,000 draws each: five standard deviations, which one cell in 2 million leaves.
  for (m in list(rr_square_wave(c(0, 1, 2, 5, 6), 1), rr_square_wave(c(0, 1, 2, 5, 6), 2, reports = 6))) {
    for (x in 1:4) {
      drawn <- tabulate(match(rr_perturb(rep(c(0.5, 1, 3, 6)[x], 40000), m), m$numeric_levels), length(m$reports)) / 40000
      p <- m$matrix[x, ]
      expect_true(all(abs(drawn - p) <= 5 * sqrt(p * (1 - p) / 40000)))
    }
  }
})

test_that("numbers are put in their bins, and answers outside are refused without their value", {
  m <- rr_square_wave(c(0, 0.5, 1, 2.5, 10), 40)
  expect_identical(m$levels, c("0 to 0.5", "0.5 to 1", "1 to 2.5", "2.5 to 10"))
  expect_equal(rr_perturb(c(0, 0.4999, 0.5, 2.5, 10), m), c(1, 1, 2, 4, 4))
  expect_equal(rr_perturb(c(a = 3L), m), c(a = 4L))
  expect_identical(rr_perturb("0.5 to 1", m), "2")
  # Ordered levels without breaks take positions and labels.
  rating <- rr_square_wave(c("bad", "fair", "good"), 40)
  expect_equal(rr_perturb(c("good", "bad"), rating), c("3", "1"))
  expect_equal(rr_perturb(2L, rating), 2L)
  expect_refused(rr_perturb(c(1, 77.25, -3), m), rr_perturb(c(1, NA), m), rr_perturb(Inf, m), class = NULL)
})

test_that("maximum likelihood and smoothed EM recover a distribution", {
  set.seed(3)
  breaks <- seq(0, 1, length.out = 129)
  x <- rbeta(40000, 5, 2)
  truth <- diff(pbeta(breaks, 5, 2))
  m <- rr_square_wave(breaks, 2)
  tally <- rr_tally(rr_perturb(x, m, rng = "R"), m)
  smoothed <- rr_estimate(tally, method = "smoothed")
  expect_equal(sum(coef(smoothed)), 1)
  # By the Wasserstein distance to the truth far nearer than a mechanism of the same epsilon that knows no order.
  distance <- function(theta) mean(abs(cumsum(theta) - cumsum(truth)))
  grr <- rr_grr(m$levels, epsilon = 2)
  bins <- cut(x, breaks, labels = m$levels, include.lowest = TRUE, right = FALSE)
  expect_lt(distance(coef(smoothed)), distance(coef(rr_estimate(rr_perturb(bins, grr, rng = "R"), grr))) / 5)
  mle <- suppressWarnings(rr_estimate(tally))
  expect_gte(as.numeric(logLik(mle)), as.numeric(logLik(smoothed)))
  # The mean by maximum likelihood, against its own standard error.
  middles <- (breaks[-1] + breaks[-129]) / 2
  mean <- suppressWarnings(rr_contrast(mle, middles))
  expect_lt(abs(mean$estimate - mean(x)), 4 * max(mean$std.error, 0.004))
})

test_that("smoothed EM of a channel and of its closed form are the same", {
  grr <- rr_grr(6, epsilon = 1)
  channel <- rr_channel(unname(rr_matrix(grr)), reports = letters[1:6])
  counts <- c(120, 90, 60, 40, 30, 160)
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, channel), method = "smoothed"))),
               unname(coef(rr_estimate(rr_counts(counts, grr), method = "smoothed"))), tolerance = 1e-12)
  # Several questions have no order of their cells.
  expect_error(rr_estimate(rr_counts(1:4, rr_product(a = rr_warner(0.8), b = rr_warner(0.8))), method = "smoothed"), class = "candor_error_law")
})

test_that("the package's rooms take the square wave", {
  m <- rr_square_wave(0:4, 1)
  survey <- rr_product(age = m, yes = rr_warner(0.8))
  set.seed(1)
  reports <- rr_perturb(data.frame(age = runif(400, 0, 4), yes = rbinom(400, 1, 0.3)), survey, rng = "R")
  expect_length(coef(rr_estimate(reports, survey)), 8)
  expect_lt(rr_epsilon(rr_compose(m, rr_grr(m$reports, epsilon = 1)))[["report"]], m$epsilon)
})

test_that("bad arguments are refused", {
  expect_refused(rr_square_wave(c(0, 1), 1), rr_square_wave(c(0, 2, 1), 1), rr_square_wave(c(0, NA, 1), 1), rr_square_wave(0:4, -1),
                 rr_square_wave(0:4, 1, reports = 1), class = NULL)
})

test_that("breaks have as few digits as tell them apart, all of a double's if they must", {
  expect_identical(rr_square_wave(c(0, 0.123456, 0.123457, 1), 1)$levels, c("0 to 0.123456", "0.123456 to 0.123457", "0.123457 to 1"))
  expect_identical(rr_square_wave(c(0, 0.123456, 1), 1)$levels, c("0 to 0.123", "0.123 to 1"))
  breaks <- c(0, 1, 1 + 2^-52, 2)
  levels <- rr_square_wave(breaks, 1)$levels
  expect_identical(as.numeric(unlist(strsplit(levels, " to "))), breaks[c(1, 2, 2, 3, 3, 4)])
})

test_that("a wave of no width is k-ary randomized response, and wider ones end at the range", {
  expect_equal(unname(rr_matrix(rr_square_wave(4, 1.3, half_width = 0))), unname(rr_matrix(rr_grr(4, 1.3))))
  expect_identical(dim(rr_matrix(rr_square_wave(4, 1, half_width = 3))), c(4L, 10L))
  expect_refused(rr_square_wave(4, 1, half_width = 4), rr_square_wave(4, 1, half_width = -1), rr_square_wave(c(0, 1, 1), 1), rr_square_wave(4, 1, reports = 5),
                 rr_square_wave(0:2, 1, reports = 4, half_width = 0), rr_square_wave(0:2, 1, reports = 4, half_width = 1.01))
  expect_no_error(rr_square_wave(0:2, 1, reports = 2, half_width = 1))
})

test_that("the half width of the discrete wave is that of the largest difference of entropies, that of the continuous one its formula", {
  for (d in c(2, 5, 12, 40)) for (epsilon in c(0.3, 1, 3)) {
    # The most that reports can vary, all d + 2 b alike, less what they vary for one truth.
    bound <- vapply(seq_len(d) - 1, function(b) {
      p <- exp(epsilon) / ((2 * b + 1) * exp(epsilon) + d - 1)
      q <- p * exp(-epsilon)
      log(d + 2 * b) + (2 * b + 1) * p * log(p) + (d - 1) * q * log(q)
    }, 0)
    expect_identical(discrete_half_width(d, epsilon), which(bound >= max(bound) - 1e-12)[1] - 1)
    expect_equal(wave_probability(d, epsilon, 1), exp(epsilon) / (3 * exp(epsilon) + d - 1))
  }
  for (epsilon in c(0.2, 0.49, 0.5, 2)) {
    E <- exp(epsilon)
    expect_equal(wave_half_width(epsilon), (epsilon * E - E + 1) / (2 * E * (E - 1 - epsilon)), tolerance = 1e-10)
  }
  wave <- continuous_wave(c(0, 1, 3), 1.2, 5, 0.25)
  expect_equal(c(wave$p, wave$q), c(exp(1.2), 1) / (0.5 * exp(1.2) + 1))
  # A report is within the wave with 2 b p: on average over a bin of truths too.
  expect_equal(rowSums(wave$matrix), c(1, 1))
  expect_equal(rowSums(wave_overlap(c(0, 1 / 3, 1), seq(-0.25, 1.25, length.out = 6), 0.25)), c(0.5, 0.5))
})
