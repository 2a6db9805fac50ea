#' @srrstats {G5.2b} Each class of errors is raised by bad input that once gave a number.

# Faults that reviews found by breaking the package, each replayed with its own data: wrong numbers without a word, and errors of somebody else.
# The mends are tested where they belong; these are the calls that once went wrong. Faults of reading files by chunks went with the reader:
# rr_tally() now takes a function that gives the chunks.

hushed <- function(expr) suppressMessages(suppressWarnings(expr))
three <- rr_grr(c("a", "b", "c"), epsilon = 1)

predictor_data <- function() {
  set.seed(1)
  n <- 400
  data <- data.frame(x = rnorm(n), g = factor(rep(c("a", "b"), n / 2)))
  truth <- rbinom(n, 1, 0.4)
  data$told <- rr_perturb(truth, rr_warner(0.8), rng = "R")
  data$y <- 1 + 0.5 * truth + data$x^2 + 2 * (data$g == "b") + rnorm(n)
  data
}

test_that("a predicted row does not depend on the rows beside it: poly(), ns(), scale()", {
  data <- predictor_data()
  for (formula in c(y ~ poly(x, 2) + told, y ~ splines::ns(x, 3) + told, y ~ scale(x) + told)) {
    fit <- hushed(rr_predictor(formula, data, list(told = rr_warner(0.8))))
    all_rows <- predict(fit, data, truth = list(told = "yes"))
    expect_equal(predict(fit, data[1:5, ], truth = list(told = "yes")), all_rows[1:5], tolerance = 1e-12)
    expect_equal(predict(fit, data[7, ], truth = list(told = "yes")), all_rows[7], tolerance = 1e-12)
  }
})

test_that("predictions keep the contrasts of the fit", {
  data <- predictor_data()
  withr::local_options(contrasts = c("contr.sum", "contr.poly"))
  fit <- hushed(rr_predictor(y ~ g + told, data, list(told = rr_warner(0.8))))
  before <- predict(fit, data[1:2, ], truth = list(told = "yes"))
  for (contrasts in c("contr.helmert", "contr.treatment")) {
    options(contrasts = c(contrasts, "contr.poly"))
    expect_equal(predict(fit, data[1:2, ], truth = list(told = "yes")), before, tolerance = 1e-12)
  }
})

test_that("the posterior of reports that are no categories is refused", {
  unary <- rr_unary(letters[1:4], 3)
  set.seed(1)
  tally <- rr_tally(rr_perturb(rep(letters[1:4], c(5000, 3000, 1500, 500)), unary, rng = "R"), unary)
  expect_error(rr_posterior(tally, n = 50), class = "candor_error")
})

test_that("coefficients at infinity with an unknown parameter have a summary, predictions and a profile, or a reason", {
  set.seed(1)
  # The review's data had 800 rows, whose profile takes five times as long.
  n <- extended(120, 800)
  data <- data.frame(x = rnorm(n), arm = rep(c("d", "f"), n / 2))
  truth <- rbinom(n, 1, plogis(0.3 * data$x))
  data$r <- ifelse(data$arm == "d", rr_perturb(truth, rr_warner(0.7), rng = "R"), rr_perturb(truth, rr_warner(0.3), rng = "R"))
  fit <- hushed(rr_glm(r ~ x, data, list(d = rr_lie_detector(0.7), f = rr_lie_detector(0.3)), arm = arm))
  expect_identical(unname(is.infinite(coef(fit))), c(TRUE, TRUE))
  or_reason <- function(expr) tryCatch(hushed(expr), candor_error = function(e) NULL)
  expect_error(or_reason(summary(fit)), NA)
  expect_error(or_reason(predict(fit, type = "truth", se.fit = TRUE)), NA)
  expect_error(or_reason(vcov(fit, type = "sandwich")), NA)
  expect_error(or_reason(influence(fit)), NA)
  expect_error(or_reason(profile(fit)), NA)
})

test_that("what R would refuse in words of its own names the argument", {
  questions <- rr_product(a = rr_warner(0.8), b = rr_warner(0.9))
  reports <- data.frame(a = c(0, 1), b = c(1, 1))
  expect_error(rr_check_client(reports, questions, truth = c("a", "b")), "`truth` must be a data frame", class = "candor_error_argument")
  expect_error(rr_check_client(reports["a"], questions, truth = reports), "`reports` must have a column", class = "candor_error_argument")
  for (verb in list(rr_merge_bits, rr_set_size)) expect_error(verb(list(), 0.1), "holds no", class = "candor_error_empty")
  fit <- suppressWarnings(rr_glm(am ~ wt, mtcars, rr_warner(0.9)))
  expect_error(rr_effects(fit, newdata = mtcars[1:9, ], weights = rep(1, 30)), "one number for each row", class = "candor_error_argument")
  for (criterion in list(AIC, extractAIC, drop1)) expect_error(criterion(fit, k = "x"), "`k` must be", class = "candor_error_argument")
  labels <- sample(c("a", "b", "c"), 32, TRUE)
  fit <- rr_multinom(labels ~ wt, mtcars, rr_grr(c("a", "b", "c"), 3))
  expect_error(suppressWarnings(anova(fit, test = "Chisq")), "nested", class = "candor_error_argument")
})

test_that("a decimal comma makes no warning", {
  fit <- rr_estimate(rr_counts(c(500, 300, 200), three))
  withr::local_options(OutDec = ",")
  expect_silent(capture.output(print(fit)))
})

test_that("a database column that ignores case is tallied by the labels", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection))
  DBI::dbExecute(connection, "create table nc(a text collate nocase)")
  DBI::dbExecute(connection, "insert into nc values ('a'),('a'),('b'),('B')")
  table <- dplyr::tbl(connection, "nc")
  expect_identical(as.vector(rr_tally(table, rr_grr(c("a", "A", "b", "B"), epsilon = 1), column = "a")$counts), c(2, 0, 1, 1))
  expect_error(rr_tally(table, three, column = "a"), class = "candor_error")
})

test_that("files of tallies with forged numbers are refused", {
  skip_if_not_installed("jsonlite")
  file <- withr::local_tempfile()
  tally <- function(counts, n, extra = "", levels = '["a","b","c"]') {
    form <- '{"format":"candor tally","version":1,"mechanism":{"kind":"grr","levels":%s,"epsilon":1},"n":%s,"counts":%s%s}'
    writeLines(sprintf(form, levels, n, counts, extra), file)
    rr_read(file)
  }
  expect_error(tally("[true,2,3]", "6"), class = "candor_error")
  expect_error(tally("[9007199254740993,0,0]", "9007199254740993"), class = "candor_error")
  expect_error(tally("[1,2,3]", "6", ',"weight_squares":1000'), class = "candor_error")
  expect_error(tally("[1,2,3]", "6", levels = '["a","b","c\\u0000d"]'), class = "candor_error")
})
