# What README.md says in figures, and what its picture shows.

test_that("the first estimate is the one that README prints", {
  table <- tidy(rr_estimate(exam_simulated, rr_forced(1 / 6), column = "plagiarism"), conf.int = TRUE)
  expect_identical(table$term, c("no", "yes"))
  expect_equal(round(as.matrix(table[-1]), 4), cbind(estimate = c(0.7505, 0.2495), std.error = 0.0158,
                                                     conf.low = c(0.7191, 0.2190), conf.high = c(0.7810, 0.2809)))
  expect_equal(round(colMeans(exam_simulated[c("plagiarism", "true_plagiarism")] == "yes"), 2), c(plagiarism = 0.33, true_plagiarism = 0.25))
  nigeria <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  expect_equal(unname(round(coef(nigeria)[2], 3)), 0.262)
})

test_that("the picture: the report is the truth for 28 in 100, and the intervals cover the truth", {
  # The draws of tools/readme/make-picture.R
  withr::local_seed(2026)
  answers <- c("never", "once", "a few times", "monthly", "weekly", "most days", "daily", "all day")
  mechanism <- rr_grr(answers, epsilon = 1)
  expect_equal(round(mechanism$p, 2), 0.28)
  truth <- sample(answers, 20000, replace = TRUE, prob = c(0.34, 0.24, 0.15, 0.10, 0.08, 0.05, 0.03, 0.01))
  table <- tidy(rr_estimate(rr_perturb(truth, mechanism, rng = "R"), mechanism, target = "sample"), conf.int = TRUE)
  held <- tabulate(factor(truth, answers), 8) / 20000
  expect_true(all(table$conf.low <= held & held <= table$conf.high))
})

test_that("every block of R code runs as printed", {
  path <- testthat::test_path("..", "..", "README.md")
  skip_if_not(file.exists(path), "README.md beside the tests")
  lines <- readLines(path)
  starts <- which(lines == "```r")
  expect_gte(length(starts), 1)
  env <- new.env(parent = globalenv())
  for (start in starts) {
    end <- start + which(lines[-seq_len(start)] == "```")[1]
    code <- parse(text = lines[(start + 1):(end - 1)])
    for (expression in code) expect_error(eval(expression, env), NA)
  }
})
