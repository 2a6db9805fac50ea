scrambled <- function(design) {
  cards <- function(x) data.frame(value = x$values, prob = x$prob)
  suppressWarnings(rr_scramble(design$range, cards(design$multiply), cards(design$add), design$truth, design$inside), classes = "candor_warning_reveals")
}

test_that("golden: eleven designs, three sizes", {
  channels <- 0
  for (case in golden("scrambled")) {
    m <- scrambled(case$input$design)
    e <- case$expected
    reports <- case$input$reports
    close <- function(actual, expected) expect_golden(actual, expected, 1e-10, case$input$design$name)
    s <- rr_score(reports, m)
    close(s[1:5], e$scores_first)
    close(m$moments$v, e$variance_polynomial)
    close(c(m$moments$alpha, m$moments$beta), c(e$alpha, e$beta))
    close(m$codec$range, e$reports_range)
    fit <- rr_estimate(reports, m)
    close(coef(fit), c(e$mean, e$variance_of_truth))
    close(tidy(fit)$std.error, c(e$se_population, e$se_variance_of_truth))
    if (e$variance_sample_target >= 0) {
      close(vcov(rr_estimate(reports, m, target = "sample"))[1, 1], e$variance_sample_target)
    } else {
      expect_identical(tidy(rr_estimate(reports, m, target = "sample"))$std.error[1], NA_real_)
    }
    if (is.null(e$channel)) next
    channels <- channels + 1
    channel <- rr_channel(m, levels = case$input$levels)
    close(channel$numeric_levels, e$channel_reports)
    close(rr_matrix(channel), e$channel)
  }
  expect_identical(channels, 11)
})

test_that("every pack, report and truth of two respondents by enumeration: mean, variances and truth's variance are unbiased", {
  # An oracle of its own: the pairs of reports with their probabilities, from the cards.
  pack <- expand.grid(w = c(0.5, 1, 2), u = c(-1, 4))
  m <- rr_scramble(c(0, 9), c(0.5, 1, 2), c(-1, 4), truth = 0.25, inside = TRUE)
  law <- function(y) data.frame(z = c(y, pack$w * (y + pack$u)), p = c(0.25, rep(0.75 / 6, 6)))
  y <- c(2, 7)
  one <- law(y[1])
  two <- law(y[2])
  expected <- c(mean = 0, mean.variance = 0, variance = 0)
  for (i in 1:7) for (j in 1:7) {
    reports <- c(one$z[i], two$z[j])
    fit <- rr_estimate(reports, m)
    s <- rr_score(reports, m)
    v <- m$moments$v
    squares <- (mean(s^2) - v[1] - v[2] * mean(s)) / (1 + v[3])
    expected <- expected + one$p[i] * two$p[j] * c(coef(fit)[1], sum(v * c(1, mean(s), squares)) / 2, coef(fit)[2])
  }
  spread <- function(x) sum(x$p * x$z^2) - sum(x$p * x$z)^2
  alpha <- 0.25 + 0.75 * 3.5 / 3
  expect_equal(expected, c(mean = 4.5, mean.variance = (spread(one) + spread(two)) / 4 / alpha^2, variance = 12.5), tolerance = 1e-10)
})

test_that("reports are drawn from the cards as the channel says", {
  set.seed(31)
  designs <- list(rr_scramble(c(0, 10), c(1, 2, 2), c(0, 5), truth = 0.3),
                  rr_scramble(c(0, 10), data.frame(value = 1:2, prob = c(0.9, 0.1)), c(1, 5), inside = TRUE))
  for (m in designs) {
    channel <- rr_channel(m, levels = c(0, 3, 10))
    for (y in c(0, 3, 10)) {
      found <- rr_tally(rr_perturb(rep(y, 20000), m, rng = "R"), channel)$counts
      p <- rr_matrix(channel)[as.character(y), ]
      # 5 standard deviations of a binomial count; nothing where the channel has nothing.
      expect_true(all(abs(found - 20000 * p) <= 5 * sqrt(20000 * p * (1 - p))))
    }
  }
})

test_that("equal products are one report, however they are written", {
  channel <- rr_channel(rr_scramble(c(0, 10), c(0.3, 1, 2), 1), levels = c(0, 3, 10))
  # 0.3 * 10 + 1 and 1 * 3 + 1.
  expect_equal(unname(rr_matrix(channel)[, "4"]), c(0, 1, 1) / 3)
  expect_equal(sum(rr_tally(c(0.1 * 3 * 10 + 1, 4, 3 * 0.3 + 1), channel)$counts), 3)
})

test_that("the distribution comes back from the channel", {
  set.seed(32)
  levels <- 0:4
  m <- rr_scramble(c(0, 4), c(1, 2, 3), c(1, 2, 4))
  truth <- sample(levels, 20000, replace = TRUE, prob = c(5, 3, 2, 1, 1))
  fit <- rr_estimate(rr_perturb(truth, m, rng = "R"), rr_channel(m, levels = levels))
  expect_lte(max(abs(coef(fit) - proportions(table(truth))) / sqrt(diag(vcov(fit)))), 4.5)
})

test_that("standard errors: replications of both targets, means and variances", {
  skip_on_cran()
  set.seed(33)
  m <- rr_scramble(c(0, 60), c(0.5, 1, 1.5), c(-10, 0, 20), truth = 0.4)
  # A survey is a group.
  survey <- rep(1:600, each = 400)
  fit <- rr_estimate(rr_tally(rr_perturb(pmin(rgamma(600 * 400, 2, 0.2), 60), m, rng = "R"), m, by = survey))
  variance <- vcov(fit)
  fits <- rbind(matrix(coef(fit), 2), matrix(sqrt(diag(variance)), 2), variance[cbind(2 * 1:600 - 1, 2 * 1:600)])
  # A standard deviation of 600 values has a relative error of 0.03, with heavy tails 0.04; six of these.
  expect_lte(abs(sd(fits[1, ]) / mean(fits[3, ]) - 1), 0.18)
  expect_lte(abs(sd(fits[2, ]) / mean(fits[4, ]) - 1), 0.24)
  expect_lte(abs(cov(fits[1, ], fits[2, ]) - mean(fits[5, ])) / (mean(fits[3, ]) * mean(fits[4, ])), 0.2)
  y <- pmin(rgamma(400, 2, 0.2), 60)
  fit <- rr_estimate(rr_tally(rr_perturb(rep(y, 600), m, rng = "R"), m, by = survey), target = "sample")
  fixed <- rbind(coef(fit), diag(vcov(fit)))[, 2 * 1:600 - 1]
  expect_lte(abs(mean(fixed[1, ]) - mean(y)), 5 * sd(fixed[1, ]) / sqrt(600))
  expect_lte(abs(sd(fixed[1, ]) / sqrt(mean(fixed[2, ])) - 1), 0.18)
})

test_that("groups, weights, merging, files and several questions are as for other means", {
  m <- rr_scramble(c(0, 50), c(0.5, 1.5), c(1, 4), truth = 0.2)
  set.seed(34)
  reports <- rr_perturb(round(runif(300, 0, 50)), m, rng = "R")
  region <- rep(c("north", "south", "south"), 100)
  tally <- rr_tally(reports, m, by = region)
  fit <- rr_estimate(tally)
  alone <- lapply(split(reports, region), rr_estimate, mechanism = m)
  expect_equal(unname(coef(fit)), unname(unlist(lapply(alone, coef))))
  expect_equal(tidy(fit)$std.error, unname(unlist(lapply(alone, function(x) tidy(x)$std.error))))
  s <- rr_score(reports, m)
  one <- rr_estimate(reports, m)
  expect_equal(glance(one)$truth.share, unname(coef(one)[2]) / var(s))
  parts <- c(rr_tally(reports[1:100], m, by = region[1:100]), rr_tally(reports[101:300], m, by = region[101:300]))
  expect_equal(tidy(rr_estimate(parts)), tidy(fit))
  # A weight of 2 is the report twice, but for the number of respondents.
  w <- rep(1:2, 150)
  expect_equal(unname(coef(rr_estimate(rr_tally(reports, m, weights = w)))[1]), weighted.mean(s, w))
  expect_equal(rr_tally(reports, m, weights = rep(1, 300), by = region)$counts, tally$counts)
  file <- withr::local_tempfile()
  rr_write(tally, file)
  expect_equal(tidy(rr_estimate(rr_read(file))), tidy(fit))
  for (other in list(rr_scramble(c(0, 1), 1, data.frame(value = 1:2, prob = c(0.1, 0.9))),
                     rr_scramble(c(0, 1), list(mean = 1, sd = 0.1, range = c(0.5, 2)), c(1, 2)))) {
    rr_write(other, file)
    expect_identical(rr_read(file), other)
  }
  # A tally of one question of several.
  both <- rr_product(money = m, drugs = rr_warner(0.8), asked = 1)
  people <- data.frame(money = runif(200, 0, 50), drugs = rep(0:1, 100))
  expect_s3_class(rr_estimate(rr_perturb(people, both, rng = "R"), both)$money, "rr_mean_fit")
})

test_that("a database adds up what R does", {
  skip_without("RSQLite", "dbplyr")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  m <- rr_scramble(c(0, 50), c(0.5, 1.5), c(-1, 4), truth = 0.2)
  set.seed(35)
  frame <- data.frame(money = rr_perturb(runif(200, 0, 50), m, rng = "R"), region = rep(1:2, 100))
  DBI::dbWriteTable(connection, "people", frame)
  people <- dplyr::tbl(connection, "people")
  expect_equal(rr_tally(people, m, column = "money", by = "region")$counts, rr_tally(frame, m, column = "money", by = "region")$counts, tolerance = 1e-12)
  DBI::dbWriteTable(connection, "wrong", data.frame(money = c(1, 80)))
  expect_error(rr_tally(dplyr::tbl(connection, "wrong"), m, column = "money"), class = "candor_error_report")
})

test_that("scores go to functions of other packages", {
  m <- rr_scramble(c(0, 50), c(0.5, 1.5), c(1, 4), truth = 0.2)
  set.seed(36)
  x <- rep(0:1, 2000)
  reports <- rr_perturb(pmin(50, 10 + 5 * x + rexp(4000)), m, rng = "R")
  # 16 and 11 have standard errors of 0.2; five of these for the slope.
  slope <- coef(lm(rr_score(reports, m) ~ x))[[2]]
  expect_lte(abs(slope - 5), 5 * sd(rr_score(reports, m)) * 2 / sqrt(4000))
  skip_if_not_installed("survey")
  frame <- data.frame(money = reports, x, w = 1 + x)
  design <- survey::svydesign(ids = ~1, weights = ~w, data = frame)
  by_hand <- survey::svymean(~rr_score(money, m), design)
  # Of independent people with weights: the mean of the scores and the spread of weighted residuals, n / (n - 1).
  score <- rr_score(reports, m)
  mean <- sum(score * (1 + x)) / sum(1 + x)
  expect_equal(coef(by_hand)[[1]], mean)
  expect_equal(as.vector(survey::SE(by_hand)), sqrt(4000 / 3999 * sum(((1 + x) * (score - mean))^2)) / sum(1 + x))
})

test_that("scores of rr_mean() are its reports", {
  m <- rr_mean(c(0, 10), 1)
  set.seed(37)
  reports <- rr_perturb(c(1, 2, 3), m, rng = "R")
  expect_identical(rr_score(c(reports, NA), m), c(reports, NA))
  expect_error(rr_score(1e9, m), class = "candor_error_report")
  expect_error(rr_score(1, rr_hierarchy(4, 1)), class = "candor_error_law")
})

test_that("the score of each category has the expectation 1 for whoever holds it, and 0 for others", {
  for (m in list(rr_forced(c(a = 0.1, b = 0.05, c = 0.15)), rr_channel(rbind(a = c(0.9, 0.1, 0), b = c(0.2, 0.6, 0.2), c = c(0.1, 0.2, 0.7))),
                 rr_square_wave(0:3, 2))) {
    scores <- rr_score(m$reports, m)
    expect_identical(dimnames(scores), list(NULL, m$levels))
    expect_equal(unname(rr_matrix(m) %*% scores), diag(3), tolerance = 1e-12)
  }
  # Of bits: each report of three has the probability of its bits.
  m <- rr_unary(c("a", "b", "c"), 1)
  bits <- as.matrix(expand.grid(rep(list(0:1), 3)))
  chance <- vapply(1:3, function(truth) {
    one <- ifelse(col(bits) == truth, m$p, m$q)
    apply(ifelse(bits == 1, one, 1 - one), 1, prod)
  }, numeric(8))
  expect_equal(unname(t(chance) %*% rr_score(bits, m)), diag(3), tolerance = 1e-12)
  # The variances of their means over independent people are those of the estimate, whose covariances are not from the pairs of bits.
  set.seed(38)
  reports <- rr_perturb(rep(c("a", "b", "c"), c(50, 30, 20)), m, rng = "R")
  scores <- rr_score(reports, m)
  fit <- rr_estimate(reports, m, method = "inv")
  expect_equal(colMeans(scores), coef(fit), tolerance = 1e-12)
  expect_equal(apply(scores, 2, stats::var) / 100, diag(vcov(fit)), tolerance = 1e-12)
})

test_that("margins of the mean are planned for the truths of most noise", {
  m <- rr_scramble(c(0, 10), c(0.5, 1.5), c(1, 4))
  # At y = 10: Var W = 0.25, alpha = 1, Var U = 2.25, so v = 2.25 + 25; sample: the noise alone.
  n <- rr_power(m, margin = 0.5, target = "sample")$n
  expect_equal(n, ceiling((qnorm(0.975) / 0.5)^2 * 27.25))
  # A population of truths 0 and 10, P(10) = r: v and the variance of truths together, largest over r.
  r <- seq(0, 1, 1e-5)
  worst <- max(2.25 + 25 * r + 100 * r * (1 - r))
  expect_lte(abs(rr_power(m, margin = 0.5)$n - (qnorm(0.975) / 0.5)^2 * worst), 1)
})

test_that("the package warns of cards that hide nothing or show a truth of 0", {
  reveals <- expression(rr_scramble(c(0, 10), c(0.5, 1.5)), rr_scramble(c(0, 10), c(0.5, 1.5), truth = 0.4), rr_scramble(c(1, 10), 2, 3),
                        rr_scramble(c(1, 10), 1, 0, truth = 0.5))
  for (call in reveals) expect_warning(eval(call), class = "candor_warning_reveals")
  for (call in expression(rr_scramble(c(1, 10), c(0.5, 1.5)), rr_scramble(c(0, 10), 0, c(0, 10), truth = 0.5))) expect_no_warning(eval(call))
})

test_that("what is no design, answer, report or level is refused", {
  expect_error(rr_scramble(c(0, 10), 0, 1:3), "by 0 on average", class = "candor_error_argument")
  for (cards in list(c(-1, 1), data.frame(value = 1:2, prob = c(-0.5, 1.5)), data.frame(value = 1:2, prob = c(0.5, 0.4)), c(1, NA), "a",
                     list(mean = 1, sd = -1, range = c(0, 2)), list(mean = 5, sd = 1, range = c(0, 2)))) expect_refused(rr_scramble(c(0, 10), cards, 1:2))
  m <- rr_scramble(c(0, 10), c(1, 2), 1:2)
  device <- rr_scramble(c(0, 10), list(mean = 1, sd = 0.2, range = c(0.5, 1.5)), 1:2)
  expect_refused(rr_scramble(c(0, 10), c(1, 2), 1:2, truth = 1), rr_scramble(c(0, 10), c(1, 2), 1:2, truth = -0.1), rr_scramble(c(10, 0), c(1, 2), 1:2),
                 rr_scramble(c(0, Inf), c(1, 2), 1:2), rr_channel(m, levels = c("a", "b")), rr_channel(m), rr_channel(m, levels = c(5, 20)),
                 rr_perturb(c(1, 2), device), rr_channel(device, levels = 1:3))
  expect_identical(rr_estimate(c(3, 4, 9), device)$rows$term, c("mean", "variance"))
  expect_refused(rr_perturb(11, m), class = "level")
  expect_refused(rr_perturb(NA_real_, m), class = "missing")
  expect_refused(rr_tally(c(1, 22.1), m), class = "report")
  expect_refused(rr_epsilon(m, shuffled = 100, delta = 1e-6), class = NULL)
  expect_identical(as.vector(rr_epsilon(m)), Inf)
})

test_that("the interval of the variance is that of truth and cards together, on the logarithm", {
  cards <- rr_scramble(c(0, 200), multiply = 1, add = c(-20, 20))
  set.seed(5)
  fit <- rr_estimate(rr_perturb(round(10 * rgamma(80, 2)), cards, rng = "R"), cards)
  row <- tidy(fit, conf.int = TRUE)[2, ]
  # The cards add a variance of 400, whatever the truth.
  whole <- row$estimate + 400
  expect_equal(log((row$conf.high + 400) / whole), qnorm(0.975) * row$std.error / whole)
  expect_equal(log((row$conf.low + 400) / whole), -qnorm(0.975) * row$std.error / whole)
  # Gamma truths of variance 200: 300 surveys of 100; .93 in inst/studies/scrambles.csv, less four standard errors.
  surveys <- rr_tally(rr_perturb(pmin(round(10 * rgamma(300 * 100, 2)), 200), cards, rng = "R"), cards, by = rep(1:300, each = 100))
  bounds <- confint(rr_estimate(surveys))[2 * 1:300, ]
  covered <- bounds[, 1] <= 200 & 200 <= bounds[, 2]
  expect_gt(mean(covered), 0.93 - 4 * sqrt(0.93 * 0.07 / 300))
  expect_output(print(rr_estimate(rr_perturb(rep(c(5, 150), c(49, 1)), cards, rng = "R"), cards)), "hold most of the variance")
  expect_false(grepl("hold most", paste(capture.output(print(rr_estimate(rr_perturb(rep(0:100, 5), cards, rng = "R"), cards))), collapse = "")))
})

test_that("anytime: the variance has limits of all looks on the logarithm, or none", {
  cards <- rr_scramble(c(0, 100), multiply = 1, add = c(-20, 20))
  set.seed(9)
  tally <- rr_tally(rr_perturb(round(runif(2000, 0, 100)), cards, rng = "R"), cards)
  fit <- rr_estimate(tally, interval = "anytime", plan = 800)
  row <- tidy(fit, conf.int = TRUE)[2, ]
  # The cards add 400. x is such that x - log(1 + x) = 2 log(20) at n = plan, by its root.
  root <- uniroot(function(x) x - log1p(x) - 2 * log(20), c(1, 20), tol = 1e-12)$root
  x <- root * 2000 / 800
  z <- sqrt((1 + 1 / x) * log((1 + x) / 0.0025))
  total <- row$estimate + 400
  expect_equal(log((c(row$conf.low, row$conf.high) + 400) / total), c(-z, z) * row$std.error / total, tolerance = 1e-8)
  # All together: half of the error each.
  both <- rr_estimate(tally, interval = "anytime", plan = 800, simultaneous = TRUE)
  expect_equal(confint(both, level = 0.9), confint(fit, level = 0.95), ignore_attr = TRUE, tolerance = 1e-10)
  # A variance that few respondents hold has none, and print() says so; too few reports have none.
  small <- rr_scramble(c(0, 100), multiply = 1, add = c(-2, 2))
  few <- rr_estimate(rr_perturb(rep(c(20, 100), c(300, 3)), small, rng = "R"), small, interval = "anytime")
  expect_true(is.na(confint(few)[2, 1]) && is.finite(confint(few)[1, 1]))
  expect_output(print(few), "no interval that holds at\\s+all looks")
  expect_message(none <- rr_estimate(rr_perturb(1:50, cards, rng = "R"), cards, interval = "anytime"), class = "candor_message_no_intervals")
  expect_true(all(is.na(confint(none))))
  # Exponential truths, six looks: one look's limits hold at all of them in 2 of 3 runs.
  skip_on_cran()
  cards <- rr_scramble(c(0, 150), multiply = c(0.5, 1, 1.5), add = c(0, 1))
  variance <- integrate(function(y) 2 * y * exp(-y / 15), 0, 150)$value - (15 * (1 - exp(-10)))^2
  looks <- c(500, 900, 1500, 2500, 4000)
  covered <- replicate(80, {
    reports <- rr_perturb(pmin(150, rexp(max(looks), 1 / 15)), cards, rng = "R")
    limits <- vapply(looks, function(n) confint(rr_estimate(rr_tally(reports[seq_len(n)], cards), interval = "anytime"))[2, ], numeric(2))
    all(limits[1, ] <= variance & variance <= limits[2, ], na.rm = TRUE)
  })
  expect_gt(mean(covered), 0.95 - 4 * sqrt(0.05 * 0.95 / 80))
})

test_that("reports that are all alike do not say how they vary", {
  cards <- rr_scramble(c(0, 100), multiply = 1, add = c(-20, 20))
  for (mechanism in list(cards, rr_mean(c(0, 10), 1, protocol = "duchi"), rr_mean(c(0, 10), 1))) {
    report <- rr_perturb(4, mechanism, rng = "R")
    fit <- suppressWarnings(rr_estimate(rr_tally(rep(report, 60), mechanism)))
    expect_true(all(is.na(tidy(fit)$std.error)))
    expect_true(all(is.na(confint(fit))))
  }
})

test_that("one card, one respondent and nobody are drawn as any other", {
  card <- rr_scramble(c(0, 10), data.frame(value = 2, prob = 1), data.frame(value = c(1, 5), prob = c(0.5, 0.5)))
  expect_identical(rr_perturb(numeric(), card, rng = "R"), numeric())
  # 200 surveys of one respondent: 2 y + 1 or 2 y + 5, each half the time within five standard deviations.
  reports <- withr::with_seed(37, replicate(200, rr_perturb(3, card, rng = "R")))
  expect_setequal(reports, c(7, 11))
  expect_lte(abs(mean(reports == 7) - 0.5), 5 * sqrt(0.25 / 200))
  # A pack without probabilities: each card alike, 3 y plus 0, 1 or 2.
  pack <- rr_scramble(c(0, 10), 3, 0:2)
  reports <- withr::with_seed(38, rr_perturb(rep(4, 3000), pack, rng = "R"))
  expect_true(all(abs(table(factor(reports, 12:14)) - 1000) <= 5 * sqrt(3000 * 2 / 9)))
})

test_that("four sums of powers are counted in one pass, by group and weight, without missing reports", {
  m <- rr_scramble(c(0, 10), c(1, 2), c(0, 4))
  x <- c(0, 24, 6, 12, 24 + 1e-12, NA, 18)   # shares of 24: 0, 1, 1/4, 1/2, 1, none, 3/4
  share <- c(0, 1, 0.25, 0.5, 1, NA, 0.75)
  sums <- function(w) colSums(w * outer(share, 1:4, `^`), na.rm = TRUE)
  expect_identical(as.vector(rr_tally(x, m, na.rm = TRUE)$counts), sums(1))
  expect_identical(as.vector(rr_tally(as.integer(x[2:4]), m)$counts), colSums(outer(share[2:4], 1:4, `^`)))
  w <- c(4, 0.5, 2, 8, 0, 3, 1)
  g <- c("u", "v", "v", "u", "v", "u", "u")
  grouped <- rr_tally(data.frame(x, g, w), m, column = "x", by = "g", weights = "w", na.rm = TRUE)
  expect_identical(unname(grouped$counts), cbind(sums(w * (g == "u")), sums(w * (g == "v"))))
  expect_error(rr_tally(c(1, 25), m), class = "candor_error_report")
})

test_that("scrambled numbers have no finite epsilon, in theory or achieved", {
  m <- rr_scramble(c(0, 10), c(1, 2), c(0, 5))
  expect_identical(c(rr_epsilon(m), rr_epsilon(m, achieved = TRUE)), c(Inf, Inf))
})

test_that("cards are numbers, alike or with probabilities that add up to 1", {
  for (cards in list("a", NA, NaN, numeric(), TRUE, list(1), data.frame(value = "a", prob = 1), data.frame(value = 1:2, prob = c(0.5, 0.4)),
                     data.frame(value = 1:2, prob = c(1.5, -0.5)), data.frame(value = c(1, NA), prob = c(0.5, 0.5)))) {
    expect_refused(rr_scramble(c(0, 10), cards, 1), rr_scramble(c(0, 10), 2, cards))
  }
})

# ---- the pieces by enumeration ----

test_that("cards have the moments of their numbers, and devices moments that numbers in a range can have", {
  cards <- read_cards(data.frame(value = c(1, 2, 4), prob = c(0.5, 0.3, 0.2)), "multiply")
  expect_equal(cards[c("mean", "variance", "range")], list(mean = 1.9, variance = 0.5 * 0.81 + 0.3 * 0.01 + 0.2 * 2.1^2, range = c(1, 4)))
  even <- read_cards(c(1, 2, 6), "multiply")
  expect_equal(even[c("mean", "variance")], list(mean = 3, variance = (4 + 1 + 9) / 3))
  expect_null(even$prob)
  # At most (largest - mean) (mean - least): 2 x 3.
  device <- function(sd, mean = 4) read_cards(list(mean = mean, sd = sd, range = c(1, 6)), "multiply")
  expect_equal(device(sqrt(6)), list(mean = 4, variance = 6, range = c(1, 6)))
  for (bad in list(list(sqrt(6) + 1e-6), list(-1), list(1, 7), list(1, 0))) expect_error(do.call(device, bad), class = "candor_error_argument")
  for (bad in list(list(value = 1:2, prob = c(0.5, 0.4)), list(value = 1:2, prob = 1), list(value = 1:2, prob = c(1.5, -0.5)), "a", NULL, c(1, NA),
    c(1, Inf))) {
    expect_error(read_cards(bad, "multiply"), class = "candor_error_argument")
  }
})

test_that("means and variances of scores are those of all pairs of cards and of the truth", {
  w <- read_cards(data.frame(value = c(0.5, 1, 3), prob = c(0.2, 0.5, 0.3)), "multiply")
  u <- read_cards(c(-1, 0, 4), "add")
  for (truth in c(0, 0.3)) for (inside in c(FALSE, TRUE)) {
    moments <- scramble_moments(w, u, truth, inside)
    pairs <- expand.grid(i = 1:3, j = 1:3)
    A <- c(w$value[pairs$i], 1)
    B <- c(if (inside) w$value[pairs$i] * u$value[pairs$j] else u$value[pairs$j], 0)
    p <- c((1 - truth) * w$prob[pairs$i] / 3, truth)
    expect_equal(c(moments$alpha, moments$beta), c(sum(p * A), sum(p * B)))
    for (y in c(-2, 0, 3.5)) {
      score <- (A * y + B - moments$beta) / moments$alpha
      expect_equal(sum(p * score), y)
      expect_equal(sum(moments$v * c(1, y, y^2)), sum(p * (score - y)^2))
    }
    m <- rr_scramble(c(-2, 4), multiply = list(value = w$value, prob = w$prob), add = c(-1, 0, 4), truth = truth, inside = inside)
    all <- outer(A, c(-2, 4)) + B
    expect_equal(m$codec$range, range(all[p > 0, ]))
    # On given levels: the probabilities of equal reports together.
    channel <- scrambled_channel(m, c(-2, 1, 4))
    reports <- outer(A, c(-2, 1, 4)) + B
    expect_equal(channel$reports, sort(unique(round(as.vector(reports[p > 0, ]), 10))))
    expected <- t(vapply(1:3, function(x) vapply(channel$reports, function(r) sum(p[abs(reports[, x] - r) < 1e-9]), 0), numeric(length(channel$reports))))
    expect_equal(unname(channel$matrix), expected)
    if (truth > 0) expect_equal(sum(card_pairs(m)$prob), 0.7)
  }
})

test_that("warnings say what cards show, and no others", {
  revealing <- function(...) tryCatch({
    rr_scramble(...)
    FALSE
  }, candor_warning_reveals = function(w) TRUE)
  expect_true(revealing(c(0, 10), multiply = 2, add = 3))
  expect_true(revealing(c(0, 10), truth = 0.5))
  # The truth or a constant function of it: two reports of one person differ.
  expect_false(revealing(c(0, 10), multiply = 2, add = 3, truth = 0.5))
  expect_false(revealing(c(0, 10), multiply = 1, add = 3, truth = 0.5))
  expect_true(revealing(c(0, 10), multiply = c(1, 2)))
  expect_true(revealing(c(-1, 10), multiply = c(1, 2)))
  expect_false(revealing(c(1, 10), multiply = c(1, 2)))
  expect_false(revealing(c(0, 10), multiply = c(0, 2)))
  expect_false(revealing(c(0, 10), multiply = c(1, 2), add = c(0, 1)))
  # Cards that multiply by 0 on average say nothing of the truth.
  expect_error(suppressWarnings(rr_scramble(c(0, 10), multiply = c(-1, 1))), class = "candor_error_argument")
  expect_error(rr_scramble(c(0, 10), multiply = c(1, 2), truth = 1), class = "candor_error_argument")
})

test_that("what a report shows of the truth is listed: which numbers explain it, card by card", {
  # Cards 1 and 2 of 0 to 4, nothing added: a report r is explained by r and r / 2, those of the range.
  m <- suppressWarnings(rr_scramble(c(1, 4), multiply = c(1, 2)))
  evidence <- report_evidence.rr_scramble(m)
  # Weights are p / w: of a truth above 2 the card 1 is explained by r (1/2) and r / 2 (1/4); the card 2 by 2 r > 4 alone.
  # A truth of 3: report 3 is 3 or 1.5: 2/3; report 6 is 3 alone (6 > 4). (2/3 + 1) / 2.
  # A truth of 1.5: report 1.5 is 1.5 alone (0.75 < 1); report 3 is 3 or 1.5: 1/3 for 1.5. (1 + 1/3) / 2.
  expect_equal(evidence$guess, (2 / 3 + 1) / 2)
  expect_equal(evidence$certain, 0.5)
  # With the truth itself on half of the cards: of a truth of 3 report 3 is 3 by 1/4 + 1/2, 1.5 by 1/8; of 1.5 only report 3 leaves doubt.
  half <- report_evidence.rr_scramble(suppressWarnings(rr_scramble(c(1, 4), multiply = c(1, 2), truth = 0.5)))
  expect_equal(half$guess, 0.75 * 6 / 7 + 0.25)
  expect_equal(half$certain, 0.75)
  expect_equal(explaining_numbers(c(6, 3), c(1, 2), c(0, 1)), rbind(c(6, 2.5), c(3, 1)))
  truths <- evidence_truths(c(1, 2), c(0, 0), 1, 4)
  # Cards reach an end at 1, 2, 0.5 or 4, 8, 2: changes at 1, 2, 4 and numbers between.
  expect_setequal(truths, c(1, 4, 1.5, 3))
})

test_that("a report lies within what the cards can make of an answer, or is the truth", {
  # The largest reports: 1.5 * 60 + 10, 1.5 * (60 + 10), and the truth itself.
  worlds <- list(
    list(rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10)), 100),
    list(rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10), inside = TRUE), 105),
    list(rr_scramble(c(0, 60), multiply = c(0.1, 0.2), add = c(0, 1), truth = 0.5), 60)
  )
  for (world in worlds) {
    expect_no_error(rr_tally(c(0, world[[2]]), world[[1]]))
    for (number in c(-0.01, world[[2]] + 0.01)) expect_error(rr_tally(number, world[[1]]), class = "candor_error_report")
  }
})

test_that("the error of the mean of these respondents is from the cards alone", {
  # Var(report | y) = Var(add) + Var(multiply) y^2 = 50 / 3 + y^2 / 6, and E(score^2) = E(y^2) + that: math-scramble, (2).
  cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
  reports <- c(12, 30.5, 41, 8, 25, 60, 33, 17)
  squares <- (mean((reports - 5)^2) - 50 / 3) / (7 / 6)
  sample <- tidy(rr_estimate(reports, cards, target = "sample"))
  expect_equal(sample$estimate[1], mean(reports) - 5)
  expect_equal(sample$std.error[1], sqrt((50 / 3 + squares / 6) / 8))
  expect_equal(tidy(rr_estimate(reports, cards))$std.error[1], sd(reports) / sqrt(8))
})

test_that("channels are on different numbers of the range, two at least, and not on reports without end", {
  m <- rr_scramble(c(0, 10), c(1, 2), 1:2)
  expect_no_error(rr_channel(m, levels = c(0, 10)))
  expect_refused(rr_channel(m, levels = 5), rr_channel(m, levels = c(5, 5)), rr_channel(m, levels = c(-1, 5)), rr_channel(m, levels = c(5, NA)))
  # Numbers that differ in a double's last digit have one report of a constant.
  expect_refused(rr_channel(suppressWarnings(rr_scramble(c(0, 10), 2, 3)), levels = c(5, 5 + 1e-15)))
  expect_refused(rr_channel(rr_scramble(c(0, 6000), 1, c(0, 1e4)), levels = 0:6000), class = "law")
})

test_that("a device has one mean, one standard deviation and two ends", {
  for (bad in list(list(mean = c(1, 1), sd = 0.1, range = c(0, 2)), list(mean = 1, sd = c(0.1, 0.1), range = c(0, 2)), list(mean = 1, sd = 0.1, range = 2),
                   list(mean = 1, sd = 0.1, range = c(0, 1, 2)), list(mean = "1", sd = 0.1, range = c(0, 2)), list(mean = 1, sd = NA, range = c(0, 2)))) {
    expect_error(read_cards(bad, "multiply"), class = "candor_error_argument")
  }
  expect_identical(read_cards(list(range = c(0, 2), sd = 0, mean = 1), "multiply"), list(mean = 1, variance = 0, range = c(0, 2)))
})

test_that("a card of 0 hides the truth, and cards around the sum are those of the products, by all numbers of a fine grid", {
  none <- report_evidence(rr_scramble(c(1, 4), multiply = c(0, 2)))
  # The other card is explained by the truth alone.
  expect_equal(none, list(guess = 0.5, certain = 0.5))
  cards <- expand.grid(w = c(1, 2), u = c(0, 1))
  x <- seq(1, 4, 0.001)
  figures <- vapply(x, function(x) {
    explained <- outer(cards$w * (x + cards$u), seq_len(4), function(z, j) z / cards$w[j] - cards$u[j])
    possible <- explained > 1 - 1e-9 & explained < 4 + 1e-9
    is_truth <- abs(explained - x) < 1e-9
    c(mean((is_truth %*% (1 / cards$w)) / (possible %*% (1 / cards$w))), mean(rowSums(possible & !is_truth) == 0))
  }, numeric(2))
  evidence <- report_evidence(rr_scramble(c(1, 4), multiply = c(1, 2), add = c(0, 1), inside = TRUE))
  expect_equal(evidence, list(guess = max(figures[1, ]), certain = max(figures[2, ])))
  # At most 500 numbers are looked at, the ends among them.
  truths <- evidence_truths(rep(1, 900), seq(0, 1, length.out = 900)^2, 0, 1)
  expect_identical(c(length(truths), range(truths)), c(500, 0, 1))
})

test_that("a plan rounds reports to the digits before which the largest stands", {
  digits <- function(...) client_plan(rr_scramble(...))$digits
  # The largest reports and answers: 12, 10.25, 10, 10, and 2e15 of 16 digits.
  expect_equal(c(digits(c(0, 10), add = c(-2, 0, 2)), digits(c(0, 10), multiply = c(0.125, 1), add = c(-2, 0.25)), digits(c(1, 10), multiply = c(0.25, 1)),
    digits(c(1, 10), multiply = c(0.25, 0.5)), digits(c(0, 1e15), multiply = c(1, 2), add = 1)), c(12, 12, 13, 13, 0))
})

test_that("a plan has the cards with the decimals of their numbers, and a device without cards has no plan", {
  expect_identical(c(number_decimals(c(1.5, 2.25, 3)), number_decimals(c(10, 200)), number_decimals(0.001), number_decimals(1e-5)), c(2L, 0L, 3L, 5L))
  m <- rr_scramble(c(0, 10), multiply = c(1, 2), add = c(0, 0.25), truth = 0.3, inside = TRUE)
  plan <- client_plan(m)
  expect_equal(plan$decimals, 2)
  expect_equal(c(plan$low, plan$high), c(0, 10))
  expect_identical(plan$inside, TRUE)
  expect_equal(as.vector(plan$multiply$values), c(1, 2))
  expect_equal(as.vector(plan$add$values), c(0, 0.25))
  expect_identical(plan$lie, coin_words(0.3, 0.7))
  # One cut between two cards, none of one card: probabilities of 1/4 and 1/2 are 2^62 and 2^63 of 2^64, in hexadecimal digits.
  uneven <- client_plan(rr_scramble(c(0, 10), multiply = data.frame(value = c(1, 2), prob = c(0.25, 0.75)), add = 0:1))
  expect_identical(as.character(uneven$multiply$cuts[[1]]), "4000000000000000")
  expect_identical(as.character(uneven$add$cuts[[1]]), "8000000000000000")
  expect_identical(lengths(list(plan$multiply$cuts[[1]], client_plan(rr_scramble(c(0, 10), 2, c(0, 5)))$multiply$cuts[[1]])), 1:0)
  device <- rr_scramble(c(0, 10), multiply = list(mean = 1, sd = 0.2, range = c(0.5, 1.5)), add = 0:1)
  expect_refused(client_plan(device), rr_perturb(5, device), card_pairs(device))
  expect_error(client_plan(suppressWarnings(rr_scramble(c(0, 10)))), class = "candor_error_law")
  pairs <- card_pairs(rr_scramble(c(0, 10), multiply = data.frame(value = c(1, 2), prob = c(0.25, 0.75)), add = c(0, 1, 5), truth = 0.2))
  expect_equal(as.data.frame(pairs), data.frame(multiply = rep(c(1, 2), 3), add = rep(c(0, 1, 5), each = 2), prob = 0.8 * rep(c(0.25, 0.75), 3) / 3))
  expect_identical(card_argument(data.frame(value = 1:2, prob = c(0.5, 0.5))), list(value = c(1, 2), prob = c(0.5, 0.5)))
  expect_identical(card_argument(1:2), 1:2)
})

test_that("a truth that is told stays as it is, and others are what the cards make of it, each as often as its cards", {
  m <- rr_scramble(c(0, 10), multiply = data.frame(value = c(1, 3), prob = c(0.25, 0.75)), add = c(1, 2), truth = 0.2, inside = TRUE)
  reports <- withr::with_seed(41, rr_perturb(rep(4, 4000), m, rng = "R"))
  # 4 with 0.2; 5, 6, 15 and 18 with 0.8 times 1/8, 1/8, 3/8, 3/8. Five standard deviations.
  p <- c(0.2, 0.1, 0.1, 0.3, 0.3)
  counts <- table(factor(reports, c(4, 5, 6, 15, 18)))
  expect_identical(sum(counts), 4000L)
  expect_true(all(abs(counts - 4000 * p) <= 5 * sqrt(4000 * p * (1 - p))))
  expect_identical(names(withr::with_seed(1, rr_perturb(c(a = 4, b = 0), m, rng = "R"))), c("a", "b"))
})
