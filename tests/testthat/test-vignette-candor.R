# The numbers that the text of vignettes/candor.Rmd names. A value is asserted to its printed digits.

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

  printed(831 / 2435, 0.341, 3)
  fit <- rr_estimate(nigeria())
  printed(columns(fit), c(0.2619, 0.0144, 0.2341, 0.2905), 4)

  direct <- sqrt(0.2619 * 0.7381 / 2435)
  printed(direct, 0.0089, 4)
  expect_equal(unname(round(2435 * (direct / columns(fit)["std.error"])^2, -1)), 930)
})

test_that("what the interval is about", {
  printed(columns(rr_estimate(nigeria(), target = "sample")), c(0.2619, 0.0113, 0.2397, 0.2841), 4)
})

test_that("at the boundary", {
  work <- rr_counts(c(no = 587, yes = 108), rr_binary(p = 11 / 12, q = 1 / 6))
  printed(695 / 6, 116, 0)
  printed(columns(rr_estimate(work)), c(0, NA, 0, 0.0267), 4)
  printed(columns(rr_estimate(work))["conf.high"], 0.027, 3)

})

test_that("many categories", {
  # The seed fixes the truth and, with rng = "R", the reports
  withr::local_seed(1)
  mechanism <- rr_grr(1000, epsilon = 4)
  zipf <- (1 / 1:1000) / sum(1 / 1:1000)
  truth <- sample(1000, 200000, replace = TRUE, prob = zipf)
  reports <- rr_perturb(truth, mechanism, rng = "R")

  tally <- rr_tally(reports, mechanism)
  table <- tidy(rr_estimate(tally), conf.int = TRUE)[1:5, ]
  shares <- tabulate(truth, 1000) / 200000
  expect_lt(max(abs(table$estimate / shares[1:5] - 1)), 0.12)
  expect_true(all(table$conf.low <= shares[1:5] & shares[1:5] <= table$conf.high))

  methods <- c("inv", "invn", "invp", "mle", "eb")
  fits <- lapply(methods, function(method) coef(rr_estimate(tally, method = method)))
  expect_identical(vapply(fits, function(fit) sum(fit < 0), 0L), c(370L, 0L, 0L, 0L, 0L))
})

test_that("choosing epsilon", {
  epsilon <- c(0.5, 1, 2, 3, 4)
  mechanisms <- lapply(epsilon, function(e) rr_grr(10, epsilon = e))
  p <- vapply(mechanisms, function(m) m$p, 0)
  q <- vapply(mechanisms, function(m) m$q, 0)
  printed(exp(epsilon), c(1.6, 2.7, 7.4, 20.1, 54.6), 1)
  respondents <- ceiling(q * (1 - q) / (p - q)^2 / 0.01^2)
  expect_identical(respondents, c(229274, 36303, 3770, 772, 218))
  printed(respondents[2] / respondents[3], 9.6, 1)

  printed(rr_epsilon(rr_crosswise(0.25)), 1.10, 2)
  surveys <- rbind(benefit_survey[c("p", "q")], plagiarism_survey[c("p", "q")], exam_survey[c("p", "q")], dice_survey[c("p", "q")])
  levels <- mapply(function(p, q) rr_epsilon(rr_binary(p, q)), surveys$p, surveys$q)
  printed(range(levels[is.finite(levels)]), c(1.10, 2.30), 2)
})
