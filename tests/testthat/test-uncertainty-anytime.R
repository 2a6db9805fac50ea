# Intervals while looking, against 40-digit arithmetic, lattice paths, and simulated looks.

channel <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.15, 0.05, 0.8)))
anytime <- function(counts, mechanism, ...) rr_estimate(rr_counts(counts, mechanism), interval = "anytime", ...)

test_that("golden vectors: tuning, shares, any estimate, differences, the probability of ever missing", {
  for (case in golden("next_anytime")) {
    input <- case$input
    expected <- case$expected
    if (input$op == "tuning") {
      expect_golden(candor:::anytime_x(input$level, 1, 1), expected$x, 1e-9)
      expect_golden(candor:::anytime_quantile(input$level, 7, 7) / qnorm((1 + input$level) / 2), expected$narrowest_over_fixed, 1e-9)
    } else if (input$op == "share") {
      level <- 1 - (1 - input$level) / input$simultaneous
      reported <- candor:::anytime_interval(input$count / input$n, input$n, level)
      expect_golden(unlist(reported), expected$reported, 1e-9)
      fit <- suppressWarnings(anytime(c(input$n - input$count, input$count), rr_binary(input$p, input$q), method = "inv", conf.level = level))
      expect_golden(drop(confint(fit, "yes")), expected$share, 1e-9)
    } else if (input$op == "estimate") {
      half <- sqrt(input$variance) * candor:::anytime_quantile(input$level, input$n, input$plan)
      expect_golden(half, expected$half_width, 1e-9)
      expect_golden(half / (sqrt(input$variance) * qnorm((1 + input$level) / 2)), expected$over_fixed, 1e-9)
    } else if (input$op == "difference") {
      counts <- rbind(no = input$n - input$count, yes = input$count)[, 2:1]
      for (method in c("inv", "mle")) {
        found <- rr_compare(anytime(counts, rr_binary(input$p, input$q), plan = input$plan, method = method), conf.level = input$level)
        expect_golden(found$estimate, expected$difference, 1e-9)
        # The vectors' variance has n for n - 1.
        stretch <- sqrt(sum(found$std.error^2) / expected$variance)
        expect_equal(stretch, 1, tolerance = 1e-3)
        expect_golden(c(found$conf.low, found$conf.high) - found$estimate, (expected$asymptotic - expected$difference) * stretch, 1e-9)
      }
    } else {
      # Paths that have not missed yet, by the number of yes.
      inside <- 1
      for (n in seq_len(input$until)) {
        inside <- c(inside, 0) * (1 - input$reported_probability) + c(0, inside) * input$reported_probability
        if (n %% input$look_every > 0) next
        bounds <- candor:::anytime_interval((0:n) / n, n, input$level)
        inside[bounds$low > input$reported_probability | bounds$high < input$reported_probability] <- 0
      }
      expect_golden(1 - sum(inside), expected$probability, 1e-9)
    }
  }
})

test_that("exact limits are where the mixture is 1 / alpha times the likelihood, and follow from a fact of the law", {
  ratio <- function(m, s, n) lbeta(0.5 + s, 0.5 + n - s) - lbeta(0.5, 0.5) - s * log(m) - (n - s) * log(1 - m)
  unary <- rr_unary(4, epsilon = 2)
  counts <- c(200, 120, 90, 70)
  fit <- rr_estimate(rr_counts(counts, unary, n = 600), method = "inv", interval = "anytime")
  reported <- unary$q + (unary$p - unary$q) * confint(fit)[1, ]
  expect_equal(ratio(reported, 200, 600), rep(log(20), 2), tolerance = 1e-8, ignore_attr = TRUE)
  # A matrix of this form has them by its law alone, whatever the plan.
  grr <- rr_grr(3, epsilon = 1)
  same <- rr_channel(unname(rr_matrix(grr)))
  expect_equal(confint(anytime(c(300, 200, 150), grr)), confint(anytime(c(300, 200, 150), same, plan = 9)), ignore_attr = TRUE)
  # Other channels have the asymptotic limits of the inversion.
  plain <- rr_estimate(rr_counts(c(300, 200, 100), channel), method = "inv")
  looked <- anytime(c(300, 200, 100), channel, method = "inv", plan = 200)
  half <- sqrt(diag(vcov(plain))) * candor:::anytime_quantile(0.95, 600, 200)
  expect_equal(unname(confint(looked)), unname(cbind(pmax(coef(plain) - half, 0), coef(plain) + half)), tolerance = 1e-8)
  # All together: the error is divided by the number of categories.
  together <- anytime(c(300, 200, 150), grr, simultaneous = TRUE)
  expect_equal(confint(together, level = 0.95), confint(anytime(c(300, 200, 150), grr, conf.level = 1 - 0.05 / 3)), ignore_attr = TRUE)
  # Weighted counts are not binomial.
  d <- data.frame(x = rep(0:1, c(300, 200)), w = rep(c(1, 2), 250))
  weighted <- rr_estimate(d, rr_warner(0.8, levels = 0:1), column = "x", weights = "w", interval = "anytime", method = "inv")
  half <- candor:::anytime_quantile(0.95, weighted$tally$effective_n, 500) * sqrt(vcov(weighted)[2, 2])
  expect_equal(unname(diff(confint(weighted)[2, ])) / 2, half, tolerance = 1e-8)
})

test_that("tallies that are merged have the limits of all reports, and update() keeps the plan", {
  warner <- rr_warner(0.8)
  days <- list(rr_counts(c(200, 100), warner), rr_counts(c(230, 70), warner))
  merged <- do.call(c, days)
  expect_identical(confint(rr_estimate(merged, interval = "anytime")), confint(anytime(c(430, 170), warner)))
  fit <- anytime(c(330, 170, 100), channel, plan = 2000)
  expect_identical(update(fit, conf.level = 0.9)$plan, 2000)
  expect_output(print(fit), "anytime-valid")
  expect_gt(diff(confint(fit)[2, ]), diff(confint(rr_estimate(rr_counts(c(330, 170, 100), channel), interval = "wilson"))[2, ]))
  expect_identical(confint(rr_estimate(merged), interval = "anytime"), confint(rr_estimate(merged, interval = "anytime")))
})

test_that("contrasts and comparisons count the reports of their groups, and a p-value is below alpha where the interval excludes 0", {
  counts <- cbind(a = c(no = 620, yes = 380), b = c(700, 300), c = c(660, 340))
  fit <- anytime(counts, rr_warner(0.8), method = "inv", plan = 800)
  plain <- rr_estimate(rr_counts(counts, rr_warner(0.8)), method = "inv")
  found <- rr_compare(fit)
  half <- rr_compare(plain)$std.error * candor:::anytime_quantile(0.95, 2000, 800)
  expect_equal(found$conf.high - found$estimate, half, tolerance = 1e-9)
  by_hand <- rr_contrast(fit, list(c("b:yes" = 1, "a:yes" = -1)))
  expect_equal(c(by_hand$conf.low, by_hand$p.value), c(found$conf.low[1], found$p.value[1]), tolerance = 1e-9)
  one <- rr_contrast(fit, list("a:yes"))
  expect_equal(one$conf.high - one$estimate, one$std.error * candor:::anytime_quantile(0.95, 1000, 800), tolerance = 1e-9)
  # At its own p-value the interval of this time ends at 0, with x of level 0.95.
  for (shift in c(10, 60, 90, 120, 160)) {
    pair <- rr_compare(anytime(cbind(c(600, 400), c(600 + shift, 400 - shift)), rr_warner(0.8), method = "inv"))
    expect_identical(pair$p.value < 0.05, pair$conf.high < 0)
  }
  ratio <- rr_compare(fit, type = "ratio")
  expect_identical(ratio$conf.low > 1 | ratio$conf.high < 1, found$conf.low > 0 | found$conf.high < 0)
  expect_true(all(is.finite(rr_contrast(fit, list(list("a:yes", "b:yes")))$conf.high)))
  expect_error(rr_compare(list(fit["a"], plain["b"])), class = "candor_error_mismatch")
  expect_error(rr_compare(list(fit["a"], update(fit, plan = 100)["b"])), class = "candor_error_mismatch")
})

test_that("means have them too", {
  mechanism <- rr_mean(c(0, 10), epsilon = 1)
  set.seed(1)
  tally <- rr_tally(rr_perturb(runif(400, 0, 10), mechanism, rng = "R"), mechanism)
  plain <- rr_estimate(tally)
  fit <- rr_estimate(tally, interval = "anytime", plan = 300)
  half <- sqrt(vcov(plain)[1, 1]) * candor:::anytime_quantile(0.95, 400, 300)
  expect_equal(unname(confint(fit)), unname(coef(plain) + cbind(-half, half)), tolerance = 1e-9)
  expect_output(print(fit), "anytime-valid")
})

test_that("what cannot hold is refused or NA", {
  counts <- c(300, 200, 100)
  expect_refused(anytime(counts, channel, target = "sample"), anytime(counts, channel, plan = 0), anytime(counts, channel, plan = NA))
  expect_message(fit <- anytime(c(40, 30, 29), channel), class = "candor_message_no_intervals")
  expect_true(all(is.na(confint(fit))))
  # 19 reports speak for the third category, 20 are enough.
  few <- function(last) suppressWarnings(anytime(c(150, 131, last), channel))
  expect_message(fit <- few(19), class = "candor_message_no_intervals")
  expect_identical(unname(is.na(confint(fit)[, 1])), c(FALSE, FALSE, TRUE))
  expect_true(all(is.finite(confint(few(20)))))
  # The exact interval holds from the first report on; differences are asymptotic.
  groups <- cbind(c(300, 200), c(30, 20))
  fit <- anytime(groups, rr_warner(0.8))
  expect_true(all(is.finite(confint(fit))))
  expect_message(found <- rr_compare(fit), class = "candor_message_no_intervals")
  expect_true(is.na(found$conf.low) && is.na(found$p.value) && is.finite(found$estimate))
  mechanism <- rr_mean(c(-1, 1), epsilon = 1)
  set.seed(2)
  tally <- rr_tally(rr_perturb(rep(c(-1, 1), 20), mechanism, rng = "R"), mechanism)
  expect_message(mean <- rr_estimate(tally, interval = "anytime"), class = "candor_message_no_intervals")
  expect_true(all(is.na(confint(mean))))
  expect_refused(rr_estimate(tally, interval = "anytime", target = "sample"))
  studied <- rr_misclassification(table = rbind(c(90, 10), c(15, 85)))
  expect_error(rr_estimate(rr_counts(c(300, 200), studied), interval = "anytime"), class = "candor_error_argument")
})

test_that("at no look of 100 the exact interval misses in more than 5 of 100 runs, and asymptotic differences do not either", {
  skip_on_cran()
  set.seed(36)
  looks <- seq(100, 5000, by = 100)
  missed <- replicate(400, {
    yes <- cumsum(rbinom(length(looks), 100, 0.25 + 0.5 * 0.07))
    bounds <- candor:::anytime_interval(yes / looks, looks, 0.95)
    any(bounds$low > 0.285 | bounds$high < 0.285)
  })
  # 5 in 100 at most, and four standard errors of 400 runs.
  expect_lte(mean(missed), 0.05 + 4 * sqrt(0.05 * 0.95 / 400))
  crossed <- replicate(400, {
    p <- sapply(1:2, function(g) cumsum(rbinom(length(looks), 100, 0.4)) / looks)
    error <- sqrt(rowSums(p * (1 - p) / (looks - 1)))
    any(abs(p[, 1] - p[, 2]) > error * candor:::anytime_quantile(0.95, 2 * looks, 500))
  })
  expect_lte(mean(crossed), 0.05 + 4 * sqrt(0.05 * 0.95 / 400))
})

test_that("the reports of the cell itself are counted, under every law", {
  counted <- function(mechanism, counts) {
    tally <- rr_counts(counts, mechanism, n = sum(counts))
    candor:::supporting_counts(rr_law(mechanism), candor:::group_evidence(tally, 1L))$counts
  }
  # Nobody reports "1, yes": its score varies among reports of other cells, which say nothing of it.
  product <- rr_product(a = rr_grr(10, epsilon = 4), b = rr_warner(0.95))
  cells <- c(18, rep(18, 9), 0, rep(3, 9))
  expect_equal(unname(counted(product, cells)), cells)
  expect_message(fit <- suppressWarnings(anytime(cells, product, method = "inv")), class = "candor_message_no_intervals")
  expect_true(all(is.na(confint(fit)[11:20, ])))
  # The same above 1,000 cells, where 150 people are fewer than 20 a cell.
  large <- rr_product(a = rr_grr(40, epsilon = 3), b = rr_grr(30, epsilon = 3))
  few <- suppressMessages(suppressWarnings(anytime(replace(numeric(1200), 1:5, c(40, 30, 30, 30, 20)), large, method = "inv")))
  expect_identical(unname(which(!is.na(confint(few)[, 1]))), 1:5)
  # Any channel: a report counts whose score is nearer to 1 than to 0, by the inverse matrix.
  scores <- solve(rr_matrix(channel))
  expect_equal(unname(counted(channel, c(30, 40, 50))), unname(drop(c(30, 40, 50) %*% (scores > 0.5))))
  # Two blocks of Hadamard's: reports of the block that support the category, by hand from the matrix.
  hadamard <- rr_hadamard(6, epsilon = 3, blocks = 2)
  n_reports <- length(hadamard$reports)
  likely <- rr_matrix(hadamard)
  expect_equal(counted(hadamard, seq_len(n_reports)), unname(drop((likely == max(likely)) %*% seq_len(n_reports))))
  # No more filters have all bits of a category than have its rarest one.
  bloom <- rr_bloom(3, bits = 8, hashes = 2, cohorts = 2, epsilon = 3)
  ones <- rbind(matrix(c(3, 9, 4, 7, 2, 8, 5, 6, 1, 9, 3, 8, 4, 7, 2, 6), 8), c(12, 11))
  rarest <- sapply(1:3, function(v) sum(sapply(1:2, function(j) min(ones[bloom$places[, v, j], j]))))
  expect_equal(counted(bloom, as.vector(ones)), rarest)
  # A study of one time is no stream of reports.
  studied <- rr_misclassification(table = rbind(c(90, 10), c(15, 85)), validation = "internal")
  expect_error(rr_estimate(rr_counts(c(300, 200), studied), interval = "anytime"), class = "candor_error_argument")
})

test_that("limits of a kind that nobody reported are complements, for any number of reports", {
  for (n in c(1, 50, 1e9, 2^53)) {
    bounds <- candor:::anytime_interval(c(0, 1), n, 0.95)
    expect_identical(bounds$low[1], 0)
    expect_identical(bounds$high[2], 1)
    # s = 0: B(1/2, 1/2 + n) / B(1/2, 1/2) = (1 - m)^n alpha has one root.
    root <- -expm1((lbeta(0.5, 0.5 + n) - lbeta(0.5, 0.5) + log(0.05)) / n)
    expect_equal(c(bounds$high[1], 1 - bounds$low[2]), c(root, root), tolerance = 1e-6 + 1e-15 / root)
  }
  expect_identical(unname(suppressWarnings(confint(anytime(c(2^53, 0), rr_warner(0.8))))), cbind(c(1, 0), c(1, 0)))
})

test_that("a hierarchy's levels are supported by the reports of its deepest depth", {
  m <- rr_hierarchy(8, 2, fanout = 2, oracle = rr_grr)
  reports <- withr::with_seed(4, rr_perturb(rep(1:8, c(200, 30, 20, 10, 10, 10, 10, 10)), m, rng = "R"))
  tally <- rr_tally(reports, m)
  evidence <- group_evidence(tally, 1)
  support <- supporting_counts(evidence$law, evidence)
  deepest <- reports$report[reports$depth == 3]
  expect_equal(support$counts, tabulate(match(deepest, m$parts[[3]]$reports), 8))
  expect_equal(support$n, length(deepest))
  # No interval where fewer than 20 of them speak for a level.
  limits <- suppressMessages(confint(rr_estimate(tally, method = "inv", interval = "anytime")))
  expect_identical(unname(is.na(limits[, 1])), support$counts < 20)
})

test_that("prints and captions say of comparisons and contrasts that their intervals hold while looking, and of others nothing", {
  skip_if_not_installed("ggplot2")
  counts <- cbind(a = c(no = 620, yes = 380), b = c(700, 300))
  ordered <- rr_grr(as.character(1:3), epsilon = 2)
  tables <- function(fit) {
    numbers <- update(rr_estimate(rr_counts(c(300, 500, 200), ordered), method = "inv"), interval = fit$interval)
    list(rr_compare(fit), rr_compare(fit, type = "ratio"), rr_contrast(fit, c("b:yes" = 1, "a:yes" = -1)), rr_top(fit),
         rr_quantile(numbers, 0.5), rr_contrast(numbers, 2, cumulative = TRUE))
  }
  says <- function(x) c(any(grepl("anytime-valid", capture.output(print(x)))), grepl("anytime-valid", ggplot2::autoplot(x)$labels$caption))
  for (table in tables(anytime(counts, rr_warner(0.8), method = "inv"))) expect_identical(says(table), c(TRUE, TRUE))
  for (table in tables(rr_estimate(rr_counts(counts, rr_warner(0.8)), method = "inv"))) expect_identical(says(table), c(FALSE, FALSE))
})

test_that("the p-value of the limit itself is alpha, at the plan and at any other number; the best x solves its equation", {
  for (level in c(0.8, 0.95, 0.999)) for (n in c(50, 200, 3000)) {
    x <- anytime_x(level, n, 200) * 200 / n
    expect_equal(x - log1p(x), -2 * log(1 - level))
    limit <- anytime_quantile(level, n, 200)
    # |value| / error = sqrt((1 + 1 / x) log((1 + x) / alpha^2)).
    x <- x * n / 200
    expect_equal(limit, sqrt((1 + 1 / x) * log((1 + x) / (1 - level)^2)))
    expect_equal(anytime_p_value(c(limit, -limit, 0), level, n, 200), c(1 - level, 1 - level, 1))
  }
})
