# Every number printed in vignettes/candor.Rmd, in its order. A value is asserted to its printed digits.

printed <- function(object, value, digits) expect_equal(round(unname(object), digits), value, tolerance = 1e-12)

columns <- function(fit, term = "yes") {
  table <- tidy(fit, conf.int = TRUE)
  unlist(table[table$term == term, c("estimate", "std.error", "conf.low", "conf.high")])
}

nigeria <- function() rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6))

test_that("from a sensitive question to an estimate", {
  die <- rr_forced(1 / 6)
  printed(rr_epsilon(die), 1.609, 3)
  expect_equal(exp(rr_epsilon(die)), 5, tolerance = 1e-12)
  printed(as.vector(rr_matrix(die)), c(0.8333, 0.1667, 0.1667, 0.8333), 4)

  printed(831 / 2435, 0.341, 3)
  fit <- rr_estimate(nigeria())
  printed(columns(fit), c(0.2619, 0.0144, 0.2341, 0.2905), 4)
  printed(columns(fit, "no"), c(0.7381, 0.0144, 0.7095, 0.7659), 4)
  printed(columns(fit)["std.error"], 0.01441, 5)

  direct <- sqrt(0.2619 * 0.7381 / 2435)
  printed(direct, 0.0089, 4)
  expect_equal(unname(round(2435 * (direct / columns(fit)["std.error"])^2, -1)), 930)
})

test_that("what the interval is about", {
  fit <- rr_estimate(nigeria(), target = "sample")
  printed(columns(fit), c(0.2619, 0.0113, 0.2397, 0.2841), 4)
  printed(columns(fit)["std.error"], 0.01133, 5)
  printed(columns(fit, "no")[3:4], c(0.7159, 0.7603), 4)
})

test_that("other designs", {
  crosswise <- subset(plagiarism_survey, design == "crosswise")
  counts <- rbind(no = crosswise$no, yes = crosswise$yes)
  colnames(counts) <- crosswise$item
  table <- tidy(rr_estimate(rr_counts(counts, rr_crosswise(0.25))), conf.int = TRUE)
  yes <- table[table$term == "yes", ]
  expect_identical(yes$group, c("partial", "severe"))
  printed(yes$estimate, c(0.2226, 0.0161), 4)
  printed(yes$std.error, c(0.0546, 0.0497), 4)
  printed(yes$conf.low, c(0.1196, 0), 4)
  printed(yes$conf.high, c(0.3323, 0.1191), 4)
  expect_identical(subset(plagiarism_survey, item == "partial" & design == "direct")$yes, 7)
})

test_that("at the boundary", {
  work <- rr_counts(c(no = 587, yes = 108), rr_binary(p = 11 / 12, q = 1 / 6))
  printed(695 / 6, 116, 0)
  printed(columns(rr_estimate(work, method = "inv")), c(-0.0150, 0.0183, 0, 0.0267), 4)
  printed(columns(rr_estimate(work, method = "inv"), "no"), c(1.0150, 0.0183, 0.9733, 1), 4)
  printed(columns(rr_estimate(work)), c(0, NA, 0, 0.0267), 4)
  printed(columns(rr_estimate(work))["conf.high"], 0.027, 3)

  kuk <- rr_kuk(0.8, 0.2)
  printed(columns(rr_estimate(rr_counts(xtabs(count ~ item1, benefit_survey), kuk)))[1:2], c(0.1521, 0.0373), 4)
  printed(columns(rr_estimate(rr_counts(xtabs(count ~ item2, benefit_survey), kuk)))[1:2], c(0.3584, 0.0405), 4)
  questions <- rr_product(item1 = kuk, item2 = kuk)
  joint <- rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions)
  printed(as.vector(as.table(rr_estimate(joint, method = "inv"))), c(0.6667, -0.0251, 0.1812, 0.1772), 4)
  printed(as.vector(as.table(rr_estimate(joint))), c(0.6449, 0, 0.1901, 0.1650), 4)
})

test_that("what no estimator can mend", {
  estimate_yes <- function(p, q, no, yes) coef(rr_estimate(rr_counts(c(no = no, yes = yes), rr_binary(p, q)), method = "inv"))[["yes"]]
  shares <- with(dice_survey, mapply(estimate_yes, p, q, no, yes))
  printed(shares, c(0.411, 0.605, 0.451, 0.706, -0.043, 0.088, 0.149, 0.008), 3)
})

test_that("many categories", {
  # The seed fixes the truth and, with rng = "R", the reports
  withr::local_seed(1)
  mechanism <- rr_grr(1000, epsilon = 4)
  zipf <- (1 / 1:1000) / sum(1 / 1:1000)
  truth <- sample(1000, 200000, replace = TRUE, prob = zipf)
  reports <- rr_perturb(truth, mechanism, rng = "R")
  printed(mean(reports == truth), 0.05194, 5)

  tally <- rr_tally(reports, mechanism)
  table <- tidy(rr_estimate(tally), conf.int = TRUE)[1:5, ]
  shares <- tabulate(truth, 1000) / 200000
  printed(signif(table$estimate, 3), c(0.134, 0.0579, 0.0398, 0.0326, 0.0268), 4)
  printed(shares[1:5], c(0.1326, 0.0653, 0.0437, 0.0336, 0.0271), 4)
  expect_lt(max(abs(table$estimate / shares[1:5] - 1)), 0.12)
  expect_true(all(table$conf.low <= shares[1:5] & shares[1:5] <= table$conf.high))

  methods <- c("inv", "invn", "invp", "mle", "eb")
  fits <- lapply(methods, function(method) coef(rr_estimate(tally, method = method)))
  printed(vapply(fits, function(fit) sum(abs(fit - shares)) / 2, 0), c(0.532, 0.331, 0.278, 0.279, 0.192), 3)
  expect_identical(vapply(fits, function(fit) sum(fit < 0), 0L), c(370L, 0L, 0L, 0L, 0L))
})

test_that("choosing epsilon", {
  epsilon <- c(0.5, 1, 2, 3, 4)
  mechanisms <- lapply(epsilon, function(e) rr_grr(10, epsilon = e))
  p <- vapply(mechanisms, function(m) m$p, 0)
  q <- vapply(mechanisms, function(m) m$q, 0)
  printed(exp(epsilon), c(1.6, 2.7, 7.4, 20.1, 54.6), 1)
  printed(p, c(0.155, 0.232, 0.451, 0.691, 0.858), 3)
  printed(sqrt(q * (1 - q) / 1000) / (p - q), c(0.1514, 0.0603, 0.0194, 0.0088, 0.0047), 4)
  respondents <- ceiling(q * (1 - q) / (p - q)^2 / 0.01^2)
  expect_identical(respondents, c(229274, 36303, 3770, 772, 218))
  printed(respondents[2] / respondents[3], 9.6, 1)

  printed(rr_epsilon(rr_crosswise(0.25)), 1.10, 2)
  surveys <- rbind(benefit_survey[c("p", "q")], plagiarism_survey[c("p", "q")], exam_survey[c("p", "q")], dice_survey[c("p", "q")])
  levels <- mapply(function(p, q) rr_epsilon(rr_binary(p, q)), surveys$p, surveys$q)
  printed(range(levels[is.finite(levels)]), c(1.10, 2.30), 2)
})
