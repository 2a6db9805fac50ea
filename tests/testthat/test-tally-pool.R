counts_of <- function(rows, mechanism) lapply(seq_len(nrow(rows)), function(i) with(rows[i, ], rr_counts(c(no = no, yes = yes), mechanism(p, q))))

test_that("two decks of the exam survey pooled give the published share", {
  rows <- subset(exam_survey, item == "copied" & design != "direct")
  fit <- rr_estimate(rr_pool(counts_of(rows, rr_binary)))
  # Published: .246; standard error from the information of both decks together.
  expect_equal(coef(fit)[["yes"]], 0.246, tolerance = 5e-4 / 0.246)
  share <- coef(fit)[["yes"]]
  information <- sum(vapply(1:2, function(i) {
    lambda <- with(rows[i, ], q + (p - q) * share)
    with(rows[i, ], (yes / lambda^2 + no / (1 - lambda)^2) * (p - q)^2)
  }, 0))
  expect_equal(sqrt(vcov(fit)[["yes", "yes"]]), 1 / sqrt(information), tolerance = 1e-6)
})

test_that("the pooled maximum is that of the product of the likelihoods", {
  designs <- list(rr_warner(0.8), rr_forced(1 / 6), rr_binary(1, 0))
  yes <- c(40, 35, 12)
  no <- c(60, 70, 48)
  fit <- rr_estimate(Map(function(design, y, n) rr_counts(c(no = n, yes = y), design), designs, yes, no))
  p <- c(0.8, 5 / 6, 1)
  q <- c(0.2, 1 / 6, 0)
  loglik <- function(t) sum(yes * log(q + (p - q) * t) + no * log(1 - q - (p - q) * t))
  best <- optimize(loglik, c(0.001, 0.999), maximum = TRUE, tol = 1e-12)$maximum
  expect_equal(coef(fit)[["yes"]], best, tolerance = 1e-6)
})

test_that("a direct question is a design like any other, in any order of labels, and groups stay apart", {
  a <- rr_counts(cbind(x = c(no = 60, yes = 40), y = c(50, 50)), rr_warner(0.8))
  b <- rr_counts(cbind(x = c(yes = 10, no = 30), y = c(20, 20)), rr_binary(1, 0, levels = c("no", "yes")))
  fit <- rr_estimate(rr_pool(a, direct = b))
  alone <- rr_estimate(rr_pool(rr_counts(c(no = 60, yes = 40), rr_warner(0.8)), rr_counts(c(yes = 10, no = 30), rr_binary(1, 0))))
  expect_equal(unname(coef(fit)[1:2]), unname(coef(alone)), tolerance = 1e-6)
  expect_true("direct: yes" %in% fit$mechanism$reports)
})

test_that("a group of a pool has the estimates that it has alone, whatever share of it met each design", {
  # Expected reports of the share .1 in a, most of whom met the first design, and .5 in b.
  warner <- rr_counts(cbind(a = c(no = 6660, yes = 2340), b = c(500, 500)), rr_warner(0.8))
  forced <- rr_counts(cbind(a = c(no = 767, yes = 233), b = c(4500, 4500)), rr_forced(1 / 6))
  pool <- rr_pool(warner = warner, forced = forced)
  for (target in c("population", "sample")) {
    fit <- rr_estimate(pool, method = "inv", target = target)
    expect_equal(coef(fit)[c("a:yes", "b:yes")], c("a:yes" = 0.1, "b:yes" = 0.5), tolerance = 1e-3)
    alone <- rr_estimate(rr_pool(warner = warner["a"], forced = forced["a"]), method = "inv", target = target)
    expect_equal(tidy(fit["a"], conf.int = TRUE), tidy(alone, conf.int = TRUE), tolerance = 1e-9)
    expect_equal(vcov(fit)[1:2, 1:2], vcov(alone), tolerance = 1e-9)
  }
  # The shares .26 and .2333 of yes of those who met each design.
  expect_equal(fitted(rr_estimate(pool))[, "a"], c(6660, 2340, 766.67, 233.33), ignore_attr = TRUE, tolerance = 1e-3)
  drawn <- simulate(rr_estimate(pool), 200, seed = 1)
  expect_equal(sum(rowMeans(drawn[1:2, -(1:2)])), 9000, tolerance = 0.005)
})

test_that("a pool counts each tally by its effective number, if that is 1 too, and adds up what was missing", {
  one <- suppressMessages(rr_tally(c("no", NA, NA), rr_warner(0.8), na.rm = TRUE))
  weighted <- rr_counts(c(no = 60, yes = 40), rr_warner(0.7), effective_n = 50)
  pool <- rr_pool(one, b = weighted, one)
  expect_equal(pool$counts, c(1, 0, 30, 20, 1, 0))
  expect_identical(pool$missing, 4)
  expect_identical(pool$mechanism$reports, paste(rep(c("design 1", "b", "design 3"), each = 2), c("no", "yes"), sep = ": "))
  # A respondent meets the second design with the probability 50 / 52.
  expect_equal(unname(rr_matrix(pool$mechanism)), rbind(c(0.8, 0.2, 35, 15, 0.8, 0.2), c(0.2, 0.8, 15, 35, 0.2, 0.8)) / 52)
  expect_equal(pool$mechanism$shares, c(`design 1` = 1, b = 50, `design 3` = 1) / 52)
  expect_identical(rr_pool(one, rr_counts(c(3, 4), rr_grr(c("yes", "no"), 1)))$mechanism$levels, c("no", "yes"))
  expect_named(rr_pool(a = one, a = weighted)$mechanism$designs, c("a", "a.1"))
  expect_error(rr_pool(one, suppressMessages(rr_tally("no", rr_warner(0.8), weights = 0))), class = "candor_error_empty")
})

test_that("what cannot be pooled is refused", {
  tally <- rr_counts(c(no = 60, yes = 40), rr_warner(0.8))
  expect_refused(rr_pool(tally), rr_pool(tally, 3), rr_pool(list(tally, tally), tally))
  # Several questions, sets of categories, more reports than a matrix may have, and a channel that a study measured.
  large <- matrix_limit + 1
  measured <- rr_misclassification(table = rbind(no = c(no = 9, yes = 1), yes = c(1, 9)))
  for (one in list(rr_counts(1:4, rr_product(a = rr_warner(0.8), b = rr_warner(0.8))), rr_counts(1:3, rr_unary(3, 1), n = 9),
                   rr_counts(rep(1, large), rr_grr(large, 1)), rr_counts(c(60, 40), measured))) expect_refused(rr_pool(one, one))
  half <- rr_counts(cbind(a = c(6, 4), b = 0), rr_warner(0.8))
  expect_error(rr_pool(half, half), class = "candor_error_empty")
  expect_refused(rr_pool(tally, rr_counts(1:3, rr_grr(3, p = 0.5))), rr_pool(tally, rr_counts(cbind(a = 1:2, b = 2:3), rr_warner(0.8))), class = "mismatch")
})

test_that("the default interval of a pool is the likelihood's, which gives the sharper design its weight, and covers", {
  withr::local_seed(41)
  pool <- function(yes) rr_pool(rr_counts(c(no = 250 - yes[1], yes = yes[1]), rr_warner(0.6)), rr_counts(c(no = 60 - yes[2], yes = yes[2]), rr_warner(0.9)))
  hit <- width <- wide <- NULL
  for (i in 1:150) {
    fit <- rr_estimate(pool(stats::rbinom(2, c(250, 60), c(0.4 + 0.2 * 0.2, 0.1 + 0.8 * 0.2))))
    bounds <- confint(fit, "yes")
    hit[i] <- bounds[1] <= 0.2 && 0.2 <= bounds[2]
    width[i] <- diff(bounds[1, ])
    wide[i] <- diff(confint(fit, "yes", interval = "wilson")[1, ])
  }
  expect_identical(fit$interval, "profile")
  # 95 per cent; with 150 surveys the standard error of the coverage is .018.
  expect_gt(mean(hit), 0.95 - 2.6 * 0.018)
  # Each end is where twice the log-likelihood is 3.84 below its maximum.
  counts <- fit$tally$counts
  twice <- function(t) 2 * sum(counts * log(c(rbind(1 - c(0.4 + 0.2 * t, 0.1 + 0.8 * t), c(0.4 + 0.2 * t, 0.1 + 0.8 * t)))))
  ends <- confint(fit, "yes")
  expect_equal(twice(coef(fit)[["yes"]]) - c(twice(ends[1]), twice(ends[2])), rep(stats::qchisq(0.95, 1), 2), tolerance = 1e-4)
  # Wilson's interval is of an inverse that does not.
  expect_lt(mean(width), 0.85 * mean(wide))
  expect_identical(rr_estimate(fit$tally, method = "inv")$interval, "wilson")
  expect_identical(rr_estimate(fit$tally, target = "sample")$interval, "wilson")
})

test_that("a pool takes questions with as many reports as a matrix may have, and no more", {
  tally <- rr_counts(c(5, 6, 7), rr_grr(3, 1))
  expect_silent(with_calls(check_pool, matrix_limit = 3)(list(tally, tally)))
  expect_error(with_calls(check_pool, matrix_limit = 2)(list(tally, tally)), class = "candor_error_argument")
})

test_that("the weights of optional answers have the least variance among those that are unbiased, by Lagrange's equations", {
  designs <- list(rr_warner(0.7), rr_warner(0.9), rr_binary(0.8, 0.1), rr_binary(0.6, 0.5))
  devices <- optional_devices(designs, c("no", "yes"))
  # A yes of those who answer directly, of those whose truth is yes, and of those whose truth is no.
  expect_equal(devices, rbind(1, c(0.7, 0.9, 0.8, 0.6), c(0.3, 0.1, 0.1, 0.5)))
  variance <- c(2, 1, 0.5, 4)
  weights <- optional_weights(devices, variance)
  equations <- rbind(cbind(diag(variance), t(devices)), cbind(devices, diag(0, 3)))
  expect_equal(weights, solve(equations, c(0, 0, 0, 0, 1, 1, 0))[1:4])
  # Two of Warner's devices leave one choice: w1 + w2 = 1 and 0.3 w1 + 0.1 w2 = 0.
  expect_equal(optional_weights(devices[, 1:2], c(2, 1)), c(-0.5, 1.5))
  for (designs in list(designs[c(1, 3)], designs[c(1, 1)])) expect_error(optional_devices(designs, c("no", "yes")), class = "candor_error_no_information")
})
