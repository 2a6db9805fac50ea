test_that("the ban on minarets is estimated in one call, as published", {
  groups <- subset(minaret_survey, design != "direct")
  fit <- rr_estimate(lapply(1:2, function(i) with(groups[i, ], rr_counts(c(no = no, yes = yes), rr_lie_detector(1 - q)))))
  table <- tidy(fit, type = "parameters")
  expect_identical(table$term, c("yes", "honesty"))
  # RRreg: .870695 (.041118), t = .635806 (.017344); its standard errors divide by n - 1 in each group.
  expect_equal(table$estimate, c(0.870695, 0.635806), tolerance = 1e-6)
  n <- groups$yes + groups$no
  expect_equal(table$std.error, c(0.041118, 0.017344) * sqrt(mean((n - 1) / n)), tolerance = 1e-4)
  expect_true(all(table$conf.low < table$estimate & table$estimate < table$conf.high))
  expect_true(all(table$identified))
})

test_that("an unrelated question of unknown prevalence identifies the shares, not how they go together", {
  fit <- rr_estimate(list(rr_counts(c(no = 60, yes = 40), rr_unrelated(0.7, NULL)), rr_counts(c(no = 55, yes = 45), rr_unrelated(0.3, NULL))))
  expect_false(fit$details[[1]]$unique)
  table <- tidy(fit, type = "parameters")
  # Two equations in two unknowns: .7 s + .3 u = .40 and .3 s + .7 u = .45.
  expect_equal(table$estimate, solve(rbind(c(0.7, 0.3), c(0.3, 0.7)), c(0.4, 0.45)), tolerance = 1e-6)
  inverse <- solve(rbind(c(0.7, 0.3), c(0.3, 0.7)))
  expect_equal(table$std.error, sqrt(diag(inverse %*% diag(c(0.4 * 0.6, 0.45 * 0.55) / 100) %*% t(inverse))), tolerance = 1e-6)
})

test_that("cheater detection gives the closed form of Clark and Desharnais", {
  # P(yes) = yes + (forced)(no): lambda = pi + p beta, with beta the honest no.
  n <- c(500, 500)
  said <- c(190, 310)
  p <- c(0.25, 0.75)
  fit <- rr_estimate(Map(function(y, m, forced) rr_counts(c(no = m - y, yes = y), rr_cheater_detection(forced)), said, n, p))
  lambda <- said / n
  honest_no <- diff(lambda) / diff(p)
  share <- lambda[1] - p[1] * honest_no
  expect_equal(tidy(fit, type = "parameters")$estimate, c(share, 1 - share - honest_no), tolerance = 1e-6)
  slope <- rbind(c(1 + p[1] / diff(p), -p[1] / diff(p)), c(-1 + (1 - p[1]) / diff(p), -(1 - p[1]) / diff(p)))
  variance <- lambda * (1 - lambda) / n
  expect_equal(tidy(fit, type = "parameters")$std.error, sqrt(rowSums(slope^2 %*% diag(variance))), tolerance = 1e-6)
})

test_that("one sample does not identify an unknown parameter, and says so", {
  table <- tidy(rr_estimate(rr_counts(c(no = 60, yes = 40), rr_lie_detector(0.8))), type = "parameters")
  expect_false(any(table$identified))
  expect_true(all(is.na(table$estimate)))
})

test_that("standard errors of the lie detector cover", {
  # 150 surveys; the coverage of a 95 % interval then has a standard error of .018: .902 is 2.7 of them below.
  withr::local_seed(11)
  truth <- 0.3
  honesty <- 0.7
  hit <- replicate(150, {
    tallies <- lapply(c(0.2, 0.8), function(p) {
      yes <- rbinom(1, 2000, truth * honesty + (1 - truth) * (1 - p))
      rr_counts(c(no = 2000 - yes, yes = yes), rr_lie_detector(p))
    })
    table <- tidy(rr_estimate(tallies), type = "parameters")
    abs(table$estimate - c(truth, honesty)) <= 1.96 * table$std.error
  })
  expect_gt(min(rowMeans(hit, na.rm = TRUE)), 0.902)
})

test_that("bad designs are refused", {
  expect_refused(rr_lie_detector(2), rr_lie_detector(0.2, levels = c("a", "b", "c")), rr_cheater_detection(0.7, 0.7),
                 tidy(rr_estimate(rr_counts(c(1, 2), rr_warner(0.8))), type = "parameters"))
})

# Twice the fall of the log-likelihood of a lie detector from its maximum, by another parametrisation and optimiser: the
# share of yes is maximized over for each honesty.
lie_deviance <- function(yes, n, p) {
  fall <- function(share, honesty) {
    chance <- share * honesty + (1 - share) * (1 - p)
    min(-2 * sum(stats::dbinom(yes, n, chance, log = TRUE)), 1e9)
  }
  best <- function(honesty) stats::optimize(fall, c(0, 1), honesty = honesty, tol = 1e-12)$objective
  honesties <- seq(0, 1, 0.001)
  least <- min(vapply(honesties, best, 0))
  function(honesty) best(honesty) - least
}

lie_tallies <- function(yes, n, p) Map(function(y, p) rr_counts(c(no = n - y, yes = y), rr_lie_detector(p)), yes, p)

test_that("the interval of honesty is that of the profile likelihood, up to 1", {
  p <- c(0.2, 0.8)
  # Inside; where everybody seems honest; where more say yes than honesty can explain; where nobody seems honest.
  for (yes in list(c(141, 62), c(172, 88), c(190, 120), c(148, 30))) {
    table <- tidy(rr_estimate(lie_tallies(yes, 200, p)), type = "parameters")
    deviance <- lie_deviance(yes, 200, p)
    honesty <- table[table$term == "honesty", ]
    expect_true(honesty$identified)
    expect_lte(deviance(honesty$estimate), 0.01)
    for (end in c("conf.low", "conf.high")) {
      bound <- honesty[[end]]
      if (bound %in% 0:1) expect_lte(deviance(bound), 3.8415 + 1e-3) else expect_equal(deviance(bound), stats::qchisq(0.95, 1), tolerance = 2e-3)
    }
  }
  everybody <- tidy(rr_estimate(lie_tallies(c(190, 120), 200, p)), type = "parameters")
  expect_identical(c(everybody$estimate[2], everybody$conf.high[2]), c(1, 1))
  expect_gt(everybody$conf.low[2], 0.5)
})

test_that("without a yes the reports say nothing about honesty", {
  table <- tidy(rr_estimate(lie_tallies(c(170, 30), 200, c(0.2, 0.8))), type = "parameters")
  expect_identical(table$estimate, c(0, NA))
  expect_identical(table$identified, c(TRUE, FALSE))
  expect_identical(c(table$conf.low[2], table$conf.high[2]), c(0, 1))
  # One such group is no reason to stop the others.
  group <- rep(c("a", "b"), each = 400)
  said <- function(yes) rep(c("yes", "no", "yes", "no"), c(yes[1], 200 - yes[1], yes[2], 200 - yes[2]))
  said <- c(said(c(170, 30)), said(c(141, 62)))
  first <- rep(rep(c(TRUE, FALSE), each = 200), 2)
  by <- rr_estimate(list(rr_tally(said[first], rr_lie_detector(0.2), by = group[first]), rr_tally(said[!first], rr_lie_detector(0.8), by = group[!first])))
  expect_identical(is.na(tidy(by, type = "parameters")$estimate), c(FALSE, TRUE, FALSE, FALSE))
})

test_that("intervals of honesty cover, also where everybody is honest", {
  withr::local_options(candor.study.functions.only = TRUE)
  study <- new.env()
  sys.source(study_file("parameters.R"), study)
  table <- read_study("parameters.csv")
  # 1,000 surveys a cell: .93 is 2.9 standard errors below .95.
  expect_gt(min(table$coverage), 0.93)
  expect_identical(table$without_interval, c(0L, 0L, 0L))
  first <- function() mean(vapply(1:40, function(seed) study$one_survey(table$share[1], table$honesty[1], table$n[1], seed)[["hit"]], 0))
  again <- extended(first(), study$study_parameters(replications = 40)$first_40)
  expect_equal(again, table$first_40[seq_along(again)])
})
