test_that("variances of one report are the golden ones", {
  for (case in golden("ldp_mean")) {
    for (protocol in names(case$expected)) {
      parts <- candor:::mean_variance(rr_mean(c(-1, 1), case$input$epsilon, protocol))
      expect_golden(parts$constant + parts$slope * case$input$value^2, case$expected[[protocol]], label = protocol)
    }
  }
})

# P(cell | answer) of a grid, rows are answers.
window_law <- function(grid) {
  cells <- grid$steps + grid$window
  t(vapply(0:grid$steps, function(i) {
    grid$chance / grid$window * (seq_len(cells) - 1 >= i & seq_len(cells) - 1 < i + grid$window) + grid$other / cells
  }, numeric(cells)))
}

test_that("small grids: every ratio is e^epsilon at most, and every answer is read without bias", {
  for (steps in c(1, 2, 5, 12)) for (epsilon in c(0.3, 1, 3)) {
    grid <- candor:::window_grid(steps, epsilon)
    law <- window_law(grid)
    expect_equal(rowSums(law), rep(1, steps + 1))
    ratios <- apply(law, 2, function(column) max(column) / min(column))
    expect_equal(log(max(ratios)), epsilon, tolerance = 1e-12)
    expect_lte(log(max(ratios)), epsilon)
    values <- candor:::window_values(grid, seq_len(ncol(law)) - 1)
    expect_equal(as.vector(law %*% values), seq(-1, 1, length.out = steps + 1), tolerance = 1e-12)
  }
  # One step is Duchi's protocol: (e + 1) / (e - 1) with probability 1/2 + t (e - 1) / (2 (e + 1)).
  duchi <- candor:::window_grid(1, 1)
  expect_equal(candor:::window_values(duchi, 0:1), c(-1, 1) * (exp(1) + 1) / (exp(1) - 1), tolerance = 1e-12)
  expect_equal(window_law(duchi)[2, 2], 1 / 2 + (exp(1) - 1) / (2 * (exp(1) + 1)), tolerance = 1e-12)
})

test_that("the fine grid has the variance of the continuous protocol, and its epsilon is not above the nominal", {
  for (epsilon in c(1e-3, 0.1, 1, 5, 12)) {
    m <- rr_mean(c(-1, 1), epsilon, "piecewise")
    grid <- m$fine
    parts <- candor:::mean_variance(m)
    # Second moments of N cells in a row about the centre, `away` from it: (N^2 - 1) / 12 + away^2.
    cells <- grid$steps + grid$window
    for (t in c(-1, -0.5, 0, 1)) {
      start <- (t + 1) / 2 * grid$steps
      away <- start + (grid$window - 1) / 2 - (cells - 1) / 2
      second <- grid$chance * ((grid$window^2 - 1) / 12 + away^2) + (1 - grid$chance) * (cells^2 - 1) / 12
      variance <- (2 / (grid$steps * grid$chance))^2 * second - t^2
      expect_equal(variance / (parts$constant + parts$slope * t^2), 1, tolerance = 1e-6)
    }
  }
  for (epsilon in c(1e-12, 0.1, 1, 10, 40, 700)) for (protocol in c("duchi", "piecewise", "hybrid")) {
    m <- rr_mean(c(0, 10), epsilon, protocol)
    expect_lte(rr_epsilon(m, achieved = TRUE), epsilon)
    expect_true(all(is.finite(unlist(candor:::mean_variance(m)))))
    # From answers on the scale from -1 to 1: rr_perturb() refuses levels out of reach.
    expect_true(all(is.finite(draw_reports(m, c(-1, -0.4, 1)))))
    if (epsilon <= 40) expect_true(all(is.finite(rr_perturb(c(0, 3, 10), m))))
  }
})

test_that("the worst cases of Duchi's and the piecewise protocol cross, and the hybrid begins, where they should", {
  expect_equal(candor:::hybrid_from, 0.609352493, tolerance = 1e-9)
  worst <- function(epsilon, protocol) {
    parts <- candor:::mean_variance(rr_mean(c(-1, 1), epsilon, protocol))
    parts$constant + max(parts$slope, 0)
  }
  expect_equal(uniroot(function(e) worst(e, "duchi") - worst(e, "piecewise"), c(1, 2), tol = 1e-10)$root, 1.28979, tolerance = 1e-5)
  for (epsilon in c(0.3, 0.7, 1, 3)) expect_lte(worst(epsilon, "hybrid"), min(worst(epsilon, "duchi"), worst(epsilon, "piecewise")) + 1e-9)
})

test_that("the sampler follows the law of a small grid", {
  grid <- candor:::window_grid(5, 1)
  law <- window_law(grid)
  # Answers on the grid, and between two places of it: a mixture of both.
  for (t in c(-1, 0.2, 1, 0.5)) {
    place <- (t + 1) / 2 * 5
    share <- place - floor(place)
    expected <- (1 - share) * law[floor(place) + 1, ] + share * law[min(floor(place) + 2, 6), ]
    values <- candor:::draw_window(rep(t, 60000), grid, "secure")
    drawn <- tabulate(round((values - candor:::window_values(grid, 0)) / (2 / (grid$steps * grid$chance))) + 1, ncol(law)) / 60000
    # Five standard deviations: one cell in two million leaves them.
    expect_true(all(abs(drawn - expected) <= 5 * sqrt(expected * (1 - expected) / 60000)))
  }
})

test_that("reports of each protocol have the mean and the variance of the formula, in their own units", {
  set.seed(5)
  n <- 40000
  for (epsilon in c(0.5, 1.5)) for (protocol in c("duchi", "piecewise", "hybrid")) {
    m <- rr_mean(c(10, 30), epsilon, protocol)
    parts <- candor:::mean_variance(m)
    for (x in c(10, 18, 30)) {
      reports <- rr_perturb(rep(x, n), m, rng = "R")
      variance <- 100 * (parts$constant + parts$slope * ((x - 20) / 10)^2)
      expect_lte(abs(mean(reports) - x), 5 * sqrt(variance / n))
      # Of bounded reports the fourth moment is at most their reach squared times the second.
      expect_lte(abs(var(reports) - variance), 5 * sqrt(max((10 * m$reach + 10)^2 * variance - variance^2, 0) / n))
    }
  }
})

test_that("the estimate is the mean of the reports, and its standard error is right for both targets", {
  skip_on_cran()
  set.seed(6)
  m <- rr_mean(c(0, 24), 1.5, "piecewise")
  x <- 24 * rbeta(1500, 2, 4)
  reports <- rr_perturb(x, m, rng = "R")
  fit <- rr_estimate(reports, m)
  expect_equal(unname(coef(fit)), mean(reports), tolerance = 1e-12)
  expect_equal(unname(sqrt(diag(vcov(fit)))), sd(reports) / sqrt(1500), tolerance = 1e-12)
  expect_equal(unname(confint(fit)[1, ]), mean(reports) + c(-1, 1) * qnorm(0.975) * sd(reports) / sqrt(1500), tolerance = 1e-12)
  # Fixed truths: replications differ by the randomization alone.
  x <- x[1:300]
  for (protocol in c("duchi", "piecewise", "hybrid")) {
    m <- rr_mean(c(0, 24), 1.5, protocol)
    fit <- rr_estimate(rr_tally(rr_perturb(rep(x, 400), m, rng = "R"), m, by = rep(1:400, each = 300)), target = "sample")
    fits <- rbind(coef(fit), diag(vcov(fit)))
    expect_lte(abs(mean(fits[1, ]) - mean(x)), 5 * sd(fits[1, ]) / 20)
    # A variance of 400 values has a relative error of sqrt(2 / 399) = 0.07. Duchi's is an upper bound.
    ratio <- var(fits[1, ]) / mean(fits[2, ])
    expect_lte(ratio, 1 + 5 * sqrt(2 / 399))
    if (protocol != "duchi") expect_gte(ratio, 1 - 5 * sqrt(2 / 399))
  }
})

test_that("intervals of the population's mean cover", {
  skip_on_cran()
  set.seed(7)
  m <- rr_mean(c(0, 1), 1)
  bounds <- confint(rr_estimate(rr_tally(rr_perturb(rbeta(400 * 300, 1, 3), m, rng = "R"), m, by = rep(1:400, each = 300))))
  covered <- bounds[, 1] <= 0.25 & 0.25 <= bounds[, 2]
  # 95 % of 400, five standard deviations of 0.011 below.
  expect_gte(mean(covered), 0.95 - 5 * 0.011)
})

test_that("tallies of numbers merge, group and weigh as others do", {
  m <- rr_mean(c(0, 10), 1)
  set.seed(1)
  reports <- rr_perturb(runif(300, 0, 10), m, rng = "R")
  region <- rep(c("north", "south", "south"), 100)
  tally <- rr_tally(reports, m, by = region)
  fit <- rr_estimate(tally)
  expect_equal(unname(coef(fit)), as.vector(tapply(reports, region, mean)))
  expect_identical(names(coef(fit)), c("north", "south"))
  parts <- c(rr_tally(reports[1:100], m, by = region[1:100]), rr_tally(reports[101:300], m, by = region[101:300]))
  expect_equal(tidy(rr_estimate(parts), conf.int = TRUE), tidy(fit, conf.int = TRUE))
  w <- runif(300)
  expect_equal(unname(coef(rr_estimate(rr_tally(reports, m, weights = w)))), weighted.mean(reports, w))
  frame <- data.frame(hours = reports, region = region)
  expect_equal(rr_tally(frame, m, by = "region")$counts, tally$counts)
  expect_message(missing <- rr_tally(c(reports, NA), m, na.rm = TRUE), class = "candor_message_missing")
  expect_equal(missing$n, 300)
  wide <- confint(rr_estimate(tally, simultaneous = TRUE))
  expect_equal(wide, confint(rr_estimate(tally), level = 0.975), ignore_attr = TRUE)
  expect_snapshot(print(rr_estimate(rr_counts(c(4, 2.5), rr_mean(c(0, 10), 1), n = 10, effective_n = 10))))
  expect_snapshot({
    print(rr_mean(c(0, 10), 1))
    print(rr_mean(c(0, 10), 0.5))
  })
})

test_that("what is no answer, report or argument is refused", {
  duchi <- rr_mean(c(0, 10), 1, "duchi")
  expect_identical(names(rr_reports(rr_perturb(c(a = 5), duchi), duchi)), "a")
  expect_refused(rr_mean(c(1, 0), 1), rr_mean(3, 1), rr_mean(c(0, Inf), 1), rr_mean(c(0, 1), -1), rr_mean(c(0, 1), 1, "best"), class = NULL)
})

# ---- the pieces by hand ----

test_that("a window is e^epsilon times as likely as other cells, and a cell is read so that its mean is the answer", {
  for (world in list(c(1, 1), c(6, 0.8), c(40, 2.5))) {
    grid <- window_grid(world[1], world[2])
    expect_identical(grid$window, max(1, round(world[1] * exp(-world[2] / 2))))
    cells <- world[1] + grid$window
    inside <- grid$chance / grid$window + grid$other / cells
    expect_equal(inside / (grid$other / cells), exp(world[2]))
    expect_equal(grid$chance + grid$other, 1)
    for (start in 0:world[1]) {
      p <- grid$other / cells + grid$chance / grid$window * (seq_len(cells) - 1 >= start & seq_len(cells) - 1 < start + grid$window)
      expect_equal(sum(p * window_values(grid, seq_len(cells) - 1)), 2 * start / world[1] - 1, tolerance = 1e-12)
    }
  }
})

test_that("the variance of a score is that of its report, on the scale from -1 to 1", {
  # Duchi: reports of +-1 / tanh(epsilon / 2).
  duchi <- mean_variance(rr_mean(c(0, 10), 1.3, "duchi"))
  expect_equal(duchi, list(constant = 1 / tanh(0.65)^2, linear = 0, slope = -1))
  # Piecewise: Wang et al. (2019), t^2 / (e^(epsilon / 2) - 1) + (e^(epsilon / 2) + 3) / (3 (e^(epsilon / 2) - 1)^2).
  s <- exp(0.65)
  expect_equal(mean_variance(rr_mean(c(0, 10), 1.3, "piecewise")), list(constant = (s + 3) / (3 * (s - 1)^2), linear = 0, slope = 1 / (s - 1)))
  hybrid <- mean_variance(rr_mean(c(0, 10), 1.3))
  share <- 1 - exp(-0.65)
  expect_equal(hybrid, list(constant = share * (s + 3) / (3 * (s - 1)^2) + (1 - share) / tanh(0.65)^2, linear = 0, slope = 0))
  expect_identical(rr_mean(c(0, 10), 0.6)$share, 0)
  expect_equal(mean_variance(rr_mean(c(0, 10), 0.6)), list(constant = 1 / tanh(0.3)^2, linear = 0, slope = -1))
  # Cards: v1 + v2 y + v3 y^2 with y = 5 + 5 t, over 25.
  cards <- rr_scramble(c(0, 10), multiply = c(0.5, 1, 2), add = c(0, 4))
  v <- cards$moments$v
  moments <- mean_variance(cards)
  for (t in c(-1, -0.3, 0.8)) {
    y <- 5 + 5 * t
    expect_equal(moments$constant + moments$linear * t + moments$slope * t^2, (v[1] + v[2] * y + v[3] * y^2) / 25)
  }
  # The largest over all truths of fixed t, and over all distributions of t with the variance of these.
  t <- seq(-1, 1, length.out = 2001)
  fixed <- moments$constant + moments$linear * t + moments$slope * t^2
  expect_equal(largest_mean_variance(cards, "sample"), max(fixed))
  # Two ends with mean m: E t^2 = 1.
  sampled <- moments$constant + moments$slope + moments$linear * t + 1 - t^2
  expect_equal(largest_mean_variance(cards, "population"), max(sampled), tolerance = 1e-6)
  expect_equal(largest_mean_variance(rr_mean(c(0, 10), 1.3, "duchi"), "sample"), 1 / tanh(0.65)^2)
  expect_equal(largest_mean_variance(rr_mean(c(0, 10), 1.3, "duchi"), "population"), 1 / tanh(0.65)^2)
})

test_that("reports are shares of their range, two-valued ones its ends, and no others are reports", {
  two <- rr_mean(c(0, 10), 1, "duchi")
  ends <- 5 + c(-5, 5) / tanh(0.5)
  expect_equal(two$codec$range, ends)
  expect_identical(report_shares(ends[c(1, 2, 2)], two), c(0, 1, 1))
  expect_error(report_shares(c(ends, 5), two), class = "candor_error_report")
  wide <- rr_mean(c(0, 10), 2, "piecewise")
  limits <- wide$codec$range
  expect_equal(report_shares(limits[1] + c(0, 0.25, 1) * diff(limits), wide), c(0, 0.25, 1))
  expect_error(report_shares(limits[2] + 0.01, wide), class = "candor_error_report")
  expect_error(report_shares(limits[1] - 0.01, wide), class = "candor_error_report")
  expect_equal(score_line(wide), c(-wide$reach, 2 * wide$reach))
  cards <- rr_scramble(c(0, 10), multiply = c(0.5, 1, 2), add = c(0, 4))
  # Reports from 0 to 24; a score is (report - beta) / alpha.
  alpha <- 3.5 / 3
  expect_equal(cards$codec$range, c(0, 24))
  expect_equal(score_line(cards), c(((0 - 2) / alpha - 5) / 5, 24 / alpha / 5))
  expect_equal(read_scores(c(3, 9), cards), (c(3, 9) - 2) / alpha)
})

test_that("two sums of shares are counted, by group and weight", {
  wide <- rr_mean(c(0, 10), 2, "piecewise")
  limits <- wide$codec$range
  share <- c(0.1, 0.5, 0.9, 0.3)
  tally <- rr_tally(limits[1] + share * diff(limits), wide)
  expect_equal(as.vector(tally$counts), c(sum(share), sum(share^2)))
  weights <- c(1, 2, 3, 4)
  weighted <- rr_tally(limits[1] + share * diff(limits), wide, by = c("b", "a", "b", "a"), weights = weights)
  expect_equal(unname(weighted$counts), cbind(c(2 * 0.5 + 4 * 0.3, 2 * 0.25 + 4 * 0.09), c(0.1 + 3 * 0.9, 0.01 + 3 * 0.81)))
})

test_that("answers are numbers within the range, its ends among them, and nothing else", {
  m <- rr_mean(c(0.1, 0.7), 1)
  expect_equal(prepare_answers(m, c(0.1, 0.4, 0.7)), c(-1, 0, 1))
  expect_identical(prepare_answers(rr_mean(c(0, 1), 1), c(TRUE, FALSE)), c(1, -1))
  for (x in list(0.0999, 0.7001, Inf)) expect_refused(rr_perturb(x, m), class = "level")
  expect_refused(rr_perturb(c(0.4, NA), m), class = "missing")
  expect_refused(rr_perturb("0.4", m), rr_perturb(factor(0.4), m), rr_perturb(matrix(0.4, 2, 2), m), rr_tally(matrix(0.4, 2, 2), m), class = NULL)
})

test_that("the blanket of numbers is what all answers have in common, and the ends are farthest apart, by enumeration", {
  fine <- window_grid(12, 1)
  coarse <- window_grid(1, 1)
  laws <- list(window_law(fine), window_law(coarse))
  share <- c(0.3, 0.7)
  common <- sum(share * vapply(laws, function(law) sum(apply(law, 2, min)), 0))
  distance <- sum(share * vapply(laws, function(law) sum(abs(law[1, ] - law[nrow(law), ])) / 2, 0))
  blanket <- law_blanket(new_law_mean(0.3, fine, coarse), 1, 1)
  expect_equal(blanket$weight, common, tolerance = 1e-12)
  expect_equal(expm1(1) * blanket$weight * blanket$p_single, distance, tolerance = 1e-12)
})

test_that("the achieved epsilon is the nominal one, but for the margin", {
  for (protocol in c("duchi", "piecewise", "hybrid")) for (epsilon in c(0.5, 2)) {
    expect_equal(as.vector(rr_epsilon(rr_mean(c(0, 1), epsilon, protocol), achieved = TRUE)), epsilon, tolerance = 1e-12)
  }
})

test_that("reports outside of the range of answers are as likely as the cells that lie there, by all cells of a grid", {
  for (share in c(0, 0.4, 1)) {
    fine <- window_grid(1e5, 2)
    m <- structure(list(share = share, fine = fine, coarse = window_grid(1, 2), reach = -window_values(fine, 0)), class = "rr_mean")
    outside <- mean(abs(window_values(fine, 0:(fine$steps + fine$window - 1))) > 1)
    # Cells outside are drawn with all cells at least; both cells of Duchi's grid are outside.
    p <- share * fine$other * outside + (1 - share)
    expect_equal(exp(witness_chance(m, 2, 5)), sum(dbinom(0:2, 5, p)), tolerance = 1e-3)
  }
  # Where epsilon is so large that its two reports are the ends of the range, none is.
  certain <- structure(list(share = 0, fine = fine, coarse = window_grid(1, 40), reach = 1), class = "rr_mean")
  expect_identical(witness_chance(certain, 0, 5), 0)
})

test_that("cards around the sum, or none at all, add a variance that is linear in the answer too", {
  for (cards in list(rr_scramble(c(2, 10), multiply = c(0.5, 1, 2), add = c(0, 4), truth = 0.3),
                     rr_scramble(c(2, 10), multiply = c(0.5, 1, 2), add = c(0, 4), inside = TRUE))) {
    # Half of the range is 4, its middle 6.
    v <- cards$moments$v
    expect_gt(abs(v[2]), 0.1)
    moments <- mean_variance(cards)
    t <- c(-1, -0.3, 0, 0.8)
    y <- 6 + 4 * t
    expect_equal(moments$constant + moments$linear * t + moments$slope * t^2, (v[1] + v[2] * y + v[3] * y^2) / 16)
  }
})

test_that("numbers in an array of one dimension are answers and reports", {
  m <- rr_mean(c(0, 10), 2, "piecewise")
  expect_equal(as.vector(prepare_answers(m, array(c(0, 5, 10)))), c(-1, 0, 1))
  expect_identical(rr_tally(array(c(1, 9)), m)$counts, rr_tally(c(1, 9), m)$counts)
})

test_that("reports that no answer gives are refused in tallies, and those beyond the answers are counted", {
  two <- rr_mean(c(0, 10), 1, "duchi")
  wide <- rr_mean(c(0, 10), 2, "piecewise")
  limits <- wide$codec$range
  for (report in c(limits[1] - 0.01, limits[2] + 0.01)) expect_error(rr_tally(c(5, report), wide), class = "candor_error_report")
  expect_error(rr_tally(c(two$codec$range, 5), two), class = "candor_error_report")
  expect_identical(count_reports(wide, c(limits, 0, 10, 5, -0.1, 10.1))$witness, 4L)
  # Both reports of Duchi's protocol are beyond.
  expect_identical(count_reports(two, rep(two$codec$range, 2:3))$witness, 5L)
  # Roundings of the two reports are these.
  expect_identical(as.vector(rr_tally(rep(two$codec$range, 2:3) * (1 + 1e-12), two)$counts), c(3, 3))
})

# Truth: answers themselves are all within their range, however many do not answer.
test_that("missing reports are none outside the answers' range", {
  tally <- suppressMessages(rr_tally(c(0:10, NA, NA), rr_mean(c(0, 10), 1), na.rm = TRUE))
  expect_identical(tally$witness, 0)
})
