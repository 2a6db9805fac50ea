# What README.md says in figures, and what its picture shows.

test_that("the three lines print what the README prints", {
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  table <- tidy(fit, conf.int = TRUE)
  expect_identical(table$term, c("no", "yes"))
  expect_equal(round(table$estimate, 3), c(0.738, 0.262))
  expect_equal(round(table$std.error, 4), c(0.0144, 0.0144))
  expect_equal(round(table$conf.low, 3), c(0.709, 0.234))
  expect_equal(round(table$conf.high, 3), c(0.766, 0.291))
  expect_equal(round(100 * c(831 / 2435, table$estimate[2], table$conf.low[2], table$conf.high[2]), 1),
               c(34.1, 26.2, 23.4, 29.1))
  expect_equal(round(exp(c(1, 2, 4)), c(1, 1, 0)), c(2.7, 7.4, 55))
})

test_that("the picture: the report is the truth for 28 in 100, and the intervals cover the truth", {
  # The draws of tools/readme/make-picture.R
  withr::local_seed(2026)
  answers <- c("never", "once", "a few times", "monthly", "weekly", "most days", "daily", "all day")
  mechanism <- rr_grr(answers, epsilon = 1)
  expect_equal(round(mechanism$p, 2), 0.28)
  truth <- sample(answers, 20000, replace = TRUE, prob = c(0.34, 0.24, 0.15, 0.10, 0.08, 0.05, 0.03, 0.01))
  reports <- rr_perturb(truth, mechanism, rng = "R")
  table <- tidy(rr_estimate(reports, mechanism, target = "sample"), conf.int = TRUE)
  held <- tabulate(factor(truth, answers), 8) / 20000
  expect_true(all(table$conf.low <= held & held <= table$conf.high))
})

test_that("every block of R code runs as printed", {
  path <- testthat::test_path("..", "..", "README.md")
  skip_if_not(file.exists(path), "README.md beside the tests")
  lines <- readLines(path)
  starts <- which(lines == "```r")
  expect_gte(length(starts), 2)
  env <- new.env(parent = globalenv())
  for (start in starts) {
    end <- start + which(lines[-seq_len(start)] == "```")[1]
    code <- parse(text = lines[(start + 1):(end - 1)])
    for (expression in code) expect_error(eval(expression, env), NA)
  }
})

test_that("the ratios of many categories are those of the study", {
  folder <- system.file("studies", package = "candor")
  skip_if_not(nzchar(folder))
  source(file.path(folder, "eb-summary.R"), local = TRUE)
  table <- summarise_eb(utils::read.csv(file.path(folder, "eb.csv.gz")))
  of <- function(k) round(unlist(table[table$cells == paste("K =", k), c("mle", "combine", "eb")], use.names = FALSE), 1)
  expect_equal(of(20), c(1.3, 1.1, 0.9))
  expect_equal(of(1000), c(3.2, 1.2, 0.9))
  expect_equal(of(41270), c(7.4, 1.3, 1))
})
