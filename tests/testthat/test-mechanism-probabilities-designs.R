# Sensitive categories, Kuk's design with several draws, optional answers.

small_cases <- function(op) Filter(function(case) case$input$op == op, golden("next_small"))

test_that("golden vectors: some categories are sensitive", {
  for (case in small_cases("sensitive")) {
    input <- case$input
    expected <- case$expected
    mechanism <- rr_grr(input$K, input$epsilon, sensitive = input$sensitive)
    expect_golden(rr_matrix(mechanism), expected$matrix, 1e-9)
    inv <- rr_estimate(rr_counts(input$counts, mechanism), method = "inv")
    expect_golden(coef(inv), expected$inv, 1e-9)
    expect_golden(sqrt(diag(vcov(inv))), expected$se_population, 1e-9)
    expect_golden(coef(rr_estimate(rr_counts(input$counts, mechanism))), expected$mle, 1e-9)
    expect_golden(rr_epsilon(mechanism), expected$epsilon, 1e-9)
    expect_golden(rr_epsilon(mechanism, sensitive = input$sensitive), expected$epsilon_sensitive, 1e-9)
  }
})

test_that("the budget of sensitive truths, by hand, and what is refused", {
  mechanism <- rr_grr(c("a", "b", "c"), 1, sensitive = "b")
  # A report of b has probability 1 from b and 1 / e from anybody else.
  expect_equal(unname(rr_matrix(mechanism)[, "b"]), c(exp(-1), 1, exp(-1)), tolerance = 1e-12)
  expect_identical(rr_epsilon(mechanism, sensitive = c("b", "a")), Inf)
  expect_equal(rr_epsilon(rr_forced(c(a = 0.1, b = 0.2)), sensitive = "a"), log(0.8 / 0.1), tolerance = 1e-12)
  expect_identical(rr_grr(3, 1, sensitive = 1:3), rr_grr(3, 1))
  expect_refused(rr_grr(3, 1, sensitive = "z"), rr_grr(3, p = 0.5, sensitive = 1), rr_grr(3, 1, sensitive = 4), rr_grr(3, 1, sensitive = character()),
                 rr_epsilon(rr_grr(3, 1), sensitive = NA))
})

test_that("golden vectors: Kuk's design with several draws", {
  for (case in small_cases("kuk")) {
    input <- case$input
    expected <- case$expected
    n <- sum(input$counts)
    mechanism <- rr_kuk(input$p1, input$p2, draws = input$draws)
    tally <- rr_counts(input$counts, mechanism)
    expect_golden(rr_matrix(mechanism), expected$channel, 1e-9)
    inv <- rr_estimate(tally, method = "inv")
    expect_golden(coef(inv)[["yes"]], expected$moment, 1e-9)
    expect_golden(vcov(inv)["yes", "yes"], expected$variance_moment_population, 1e-9)
    # For these people the variance is estimated from the scores u of the cards: u^2 - u, without bias.
    u <- ((0:input$draws) / input$draws - input$p2) / (input$p1 - input$p2)
    expect_equal(vcov(inv, target = "sample")["yes", "yes"], max(0, sum(input$counts * (u^2 - u))) / n^2, tolerance = 1e-9)
    mle <- rr_estimate(tally)
    expect_golden(coef(mle)[["yes"]], expected$mle, 1e-9)
    if (expected$mle > 0) expect_golden(tidy(mle)$std.error[2], expected$se_mle_observed, 1e-9)
    expect_golden(as.numeric(logLik(mle)), expected$loglik, 1e-9)
    expect_golden(rr_epsilon(mechanism), expected$epsilon, 1e-9)
  }
})

test_that("draws of cards: epsilon, simulation, and one draw is what it was", {
  expect_identical(rr_kuk(0.7, 0.4, draws = 1), rr_kuk(0.7, 0.4))
  expect_equal(rr_epsilon(rr_kuk(epsilon = 1.5, draws = 4)), 1.5, tolerance = 1e-12)
  mechanism <- rr_kuk(0.7, 0.4, draws = 5)
  set.seed(3)
  reports <- rr_perturb(rep(c("no", "yes"), c(30000, 10000)), mechanism, rng = "R")
  # Means of 5 draws: standard errors .004 and .006 cards.
  expect_equal(as.vector(tapply(as.numeric(reports), rep(1:2, c(30000, 10000)), mean)), c(2, 3.5), tolerance = 0.01)
  expect_refused(rr_kuk(0.7, 0.4, draws = 0), rr_kuk(0.7, 0.4, draws = 1.5), rr_kuk(1.2, 0.4, draws = 3))
  expect_refused(rr_estimate(rr_counts(c(3, 4, 5), rr_kuk(0.4, 0.4, draws = 2))), class = "no_information")
})

test_that("draws of cards never achieve more than their epsilon, also far out", {
  # All cards of one colour have the ratio (p1 / p2)^draws: epsilon of the design. At epsilon 80
  # p1 = plogis(40) is 1 as a double, and its complement is p2.
  for (epsilon in c(20, 70, 80, 700)) {
    mechanism <- rr_kuk(epsilon = epsilon, draws = 2)
    expect_equal(rr_epsilon(mechanism), epsilon, tolerance = 1e-14)
    p <- exp(-epsilon / 2) / (1 + exp(-epsilon / 2))
    no <- c((1 - p)^2, 2 * p * (1 - p), p^2)
    expect_equal(unclass(rr_matrix(mechanism)), rbind(no, rev(no)), tolerance = 1e-13, ignore_attr = TRUE)
    expect_equal(log(rr_matrix(mechanism)[["no", "2"]]), 2 * log(p), tolerance = 1e-13)
    expect_lte(rr_epsilon(mechanism, achieved = TRUE), epsilon)
  }
  # 0.48^1000 is 1.7e-319, a double, and 0.47^1000 is 1e-328, which is none.
  for (pair in list(c(0.48, 0.47), c(0.52, 0.53), c(0.4, 0.3), c(0.9, 0.01))) {
    error <- expect_error(rr_kuk(pair[1], pair[2], draws = 1000), class = "candor_error_argument")
    expect_match(conditionMessage(error), "draws")
  }
  for (draws in c(100, 900)) {
    mechanism <- rr_kuk(0.48, 0.47, draws = draws)
    expect_equal(rr_epsilon(mechanism), draws * log(0.48 / 0.47), tolerance = 1e-12)
    expect_lte(rr_epsilon(mechanism, achieved = TRUE), rr_epsilon(mechanism))
  }
  # A card that is certain reveals the truth by design.
  expect_identical(rr_epsilon(rr_kuk(1, 0.47, draws = 1000)), Inf)
})

test_that("golden vectors: optional answers", {
  for (case in small_cases("optional")) {
    input <- case$input
    expected <- case$expected
    tallies <- Map(function(p, q, yes, n) rr_counts(c(n - yes, yes), rr_binary(p, q)), input$p, input$q, input$yes, input$n)
    fit <- rr_estimate(rr_pool(tallies, optional = TRUE), method = "inv", conf.level = input$level)
    yes <- tidy(fit, conf.int = TRUE, terms = "yes")
    expect_golden(fit$weights[[1]], expected$weights, 1e-9)
    expect_golden(c(yes$estimate, yes$std.error, yes$conf.low, yes$conf.high), c(expected$estimate, expected$se, expected$interval), 1e-9)
    if (!is.null(expected$device_share_if_independent)) expect_golden(fit$device.share, expected$device_share_if_independent, 1e-9)
  }
})

test_that("optional answers are unbiased whoever opts out, by enumeration of the classes", {
  devices <- list(rr_binary(0.8, 0.1), rr_binary(0.7, 0.25), rr_binary(0.9, 0.2))
  # Users of the device and others, by truth: any shares.
  for (classes in list(c(0.05, 0.25, 0.6, 0.1), c(0.3, 0, 0.2, 0.5), c(0, 0.3, 0, 0.7))) {
    share <- vapply(devices, function(m) classes[1] + m$p * classes[2] + m$q * classes[3], 0)
    fit <- rr_estimate(rr_pool(Map(function(m, s) rr_counts(round(1e6 * c(1 - s, s)), m), devices, share), optional = TRUE))
    expect_equal(coef(fit)[["yes"]], classes[1] + classes[2], tolerance = 1e-9)
  }
})

test_that("optional answers: groups, files, and what cannot tell them", {
  two <- function(counts, p = 0.7) rr_counts(matrix(counts, 2, dimnames = list(NULL, c("x", "z"))), rr_warner(p))
  pool <- rr_pool(a = two(c(206, 94, 150, 60)), b = two(c(928, 272, 500, 90), 0.9), optional = TRUE)
  fit <- rr_estimate(pool)
  # With two designs of Warner the weights are -1/2 and 3/2.
  expect_equal(coef(fit)[c(2, 4)], c(`x:yes` = -0.5 * 94 / 300 + 1.5 * 272 / 1200, `z:yes` = -0.5 * 60 / 210 + 1.5 * 90 / 590), tolerance = 1e-12)
  file <- tempfile()
  on.exit(unlink(file))
  rr_write(pool, file)
  expect_equal(coef(rr_estimate(rr_read(file))), coef(fit), tolerance = 1e-12)
  expect_identical(rr_epsilon(pool$mechanism), Inf)
  low <- rr_estimate(rr_pool(rr_counts(c(100, 100), rr_warner(0.7)), rr_counts(c(180, 20), rr_warner(0.9)), optional = TRUE))
  expect_identical(c(coef(low)[["yes"]], is.na(tidy(low)$std.error)), c(0, 1, 1))
  # -1/2 of .5 and 3/2 of .1 is -.1: the limits are where the distance is that of 0 and z standard errors in squares.
  half <- sqrt(qnorm(0.975)^2 * (0.25 * 0.25 / 199 + 2.25 * 0.09 / 199) + 0.1^2)
  expect_equal(unname(confint(low)), cbind(c(1.1 - half, 0), c(1, half - 0.1)), ignore_attr = TRUE, tolerance = 1e-9)
  expect_refused(rr_pool(rr_counts(c(1, 2), rr_triangular(0.2)), rr_counts(c(3, 4), rr_warner(0.7)), optional = TRUE),
                 rr_pool(rr_counts(c(1, 2), rr_warner(0.7)), rr_counts(c(3, 4), rr_warner(0.7)), optional = TRUE), class = "no_information")
  expect_refused(rr_pool(rr_counts(c(1, 2), rr_warner(0.7)), rr_counts(c(3, 4), rr_warner(0.8)), optional = NA),
                 rr_pool(rr_counts(1:3, rr_grr(3, 1)), rr_counts(1:3, rr_grr(3, 2)), optional = TRUE),
                 rr_estimate(pool, interval = "exact"), rr_estimate(pool, target = "sample"))
})

test_that("coins, cards and a spinner have the law of their faces, and half a law names them", {
  # On heads say yes: P(yes | no) = 1/2, P(yes | yes) = 1. Textbook: (18 - 15) / 15.
  coin <- rr_forced(c(no = 0, yes = 1 / 2))
  expect_equal(unname(rr_matrix(coin)[, 2]), c(1 / 2, 1))
  expect_equal(unname(coef(rr_estimate(rr_counts(c(no = 12, yes = 18), coin)))[2]), 0.2)
  # Of four pairs of faces one says yes, one says no, two tell the truth.
  expect_equal(unname(rr_matrix(rr_forced(1 / 4))), rbind(c(3, 1), c(1, 3)) / 4)
  expect_equal(unname(rr_matrix(rr_forced(c(no = 5, yes = 5) / 20))), rbind(c(3, 1), c(1, 3)) / 4)
  expect_message(rr_forced(0.5), class = "candor_message_forced")
  expect_no_message(coin <- rr_forced(c(no = 0, yes = 1 / 2)))
  expect_error(rr_forced(yes = 0.5), "one coin", ignore.case = TRUE, class = "candor_error_argument")
  expect_error(rr_forced(c(yes = 0.5)), "one coin", ignore.case = TRUE, class = "candor_error_argument")
  faces <- rr_forced(c(0, 1 / 2), levels = c("tails", "heads"))
  expect_equal(unname(coef(rr_estimate(rep(c("heads", "tails"), c(6, 4)), faces))[2]), (0.6 - 0.5) / 0.5)
})

test_that("the epsilon of two probabilities keeps its digits near 1, far from 1 and beyond all doubles, and is never below", {
  expect_identical(ratio_epsilon(0, 0, 0), 0)
  expect_identical(ratio_epsilon(0, 0.5, -0.5), Inf)
  # log(1 + z) = z - z^2 / 2 + ...
  z <- 1e-12 / 0.3
  expect_equal(ratio_epsilon(0.3 + 1e-12, 0.3, 1e-12), z - z^2 / 2, tolerance = 1e-14)
  expect_equal(ratio_epsilon(0.3 - 1e-12, 0.3, -1e-12), z + z^2 / 2, tolerance = 1e-14)
  expect_equal(ratio_epsilon(0.2, 0.8, -0.6), log(4), tolerance = 1e-14)
  # A ratio above the largest double, and one below the smallest.
  expect_equal(ratio_epsilon(0.5, 1e-310, 0.5), log(0.5) + 310 * log(10), tolerance = 1e-12)
  expect_equal(ratio_epsilon(1e-320, 0.5, -0.5), log(0.5) - log(1e-320), tolerance = 1e-12)
  for (x in c(1e-300, 0.1, log(2), 40)) expect_true(round_up(x) > x && round_up(x) < x * (1 + 1e-14))
  expect_identical(round_sums_up(0), 0)
  expect_true(round_sums_up(1e-300) > 1e-15 && round_sums_up(1e-300) < 1e-14)
  # 49 / 49 misses 1 by a rounding, of which four may come together.
  expect_identical(snap_to_zero(49 * (1 / 49) - 1, 1), 0)
  expect_identical(snap_to_zero(-4 * 2^-52, 1), 0)
  expect_identical(snap_to_zero(5 * 2^-52, 1), 5 * 2^-52)
  expect_identical(snap_to_zero(4 * 2^-52, 0.5), 4 * 2^-52)
})
