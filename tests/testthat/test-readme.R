# What README.md says in figures, and what its picture shows.

readme_lines <- function() {
  path <- testthat::test_path("..", "..", "README.md")
  skip_if_not(file.exists(path), "README.md beside the tests")
  readLines(path, encoding = "UTF-8")
}

# The value of the last expression of all blocks of R code.
readme_value <- function() {
  lines <- readme_lines()
  starts <- which(lines == "```r")
  expect_gte(length(starts), 1)
  env <- new.env(parent = globalenv())
  for (start in starts) {
    end <- start + which(lines[-seq_len(start)] == "```")[1]
    for (expression in parse(text = lines[(start + 1):(end - 1)])) value <- eval(expression, env)
  }
  value
}

test_that("README has at most 600 words", {
  expect_lte(sum(lengths(strsplit(trimws(readme_lines()), "[[:space:]]+"))), 600)
})

test_that("the estimate of all students is the one that README names", {
  table <- tidy(rr_estimate(exam_simulated, rr_forced(1 / 6), column = "plagiarism"), conf.int = TRUE)
  expect_identical(table$term, c("no", "yes"))
  expect_equal(round(as.matrix(table[-1]), 4), cbind(estimate = c(0.7505, 0.2495), std.error = 0.0158,
                                                     conf.low = c(0.7191, 0.2190), conf.high = c(0.7810, 0.2809)))
  expect_equal(round(colMeans(exam_simulated[c("plagiarism", "true_plagiarism")] == "yes"), 2), c(plagiarism = 0.33, true_plagiarism = 0.25))
  nigeria <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  expect_equal(unname(round(coef(nigeria)[2], 3)), 0.262)
})

test_that("the code draws ten intervals, which all have the truth", {
  skip_if_not_installed("ggplot2")
  picture <- readme_value()
  expect_s3_class(picture, "ggplot")
  drawn <- picture$data
  yes <- subset(tidy(rr_estimate(exam_simulated, rr_forced(1 / 6), column = "plagiarism", by = "semester"), conf.int = TRUE), term == "yes")
  expect_setequal(round(drawn$estimate, 12), round(yes$estimate, 12))
  truth <- tapply(exam_simulated$true_plagiarism == "yes", exam_simulated$semester, mean)
  expect_length(truth, 10)
  expect_true(all(yes$conf.low <= truth & truth <= yes$conf.high))
  # The share of reports that say yes, less the forced ones, over the share of those who tell the truth.
  expect_equal(yes$estimate, as.vector((tapply(exam_simulated$plagiarism == "yes", exam_simulated$semester, mean) - 1 / 6) / (2 / 3)))
})

test_that("the figures of evidence and the differences from other packages are those of the studies", {
  validation <- read_study("validation.csv")
  text <- paste(readme_lines(), collapse = " ")
  numbers <- format(c(sum(validation$ok), nrow(validation)), big.mark = ",", trim = TRUE)
  expect_match(text, sprintf("**%s of %s** measured figures", numbers[1], numbers[2]), fixed = TRUE)
  starts <- read_study("regression-starts.csv.gz")
  expect_match(text, sprintf("**%d of %d** regressions", sum(starts$failed), nrow(starts)), fixed = TRUE)
  peers <- subset(validation, area == "peer")
  largest <- function(package) max(peers$value[grepl(package, peers$case)])
  expect_lte(largest("^RRreg.*share"), 2e-16)
  expect_lte(largest("^rr .*coefficients"), 8e-6)
  expect_lte(largest("^GLMMRR.*coefficients"), 2e-6)
})
