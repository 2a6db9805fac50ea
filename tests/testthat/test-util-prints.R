# What a print says beside its table, and how many digits the table has.

printed <- function(x, ...) {
  local_reproducible_output(width = 80)
  capture.output(print(x, ...))
}

test_that("estimates and limits have the decimals of the smallest standard error", {
  # Unbiased and by maximum likelihood: (m - 1/6) / (2/3), with the standard error sqrt(m (1 - m) / n) / (2/3).
  fit <- rr_estimate(rr_counts(c(no = 340, yes = 260), rr_forced(1 / 6)))
  m <- 260 / 600
  error <- sqrt(m * (1 - m) / 600) / (2 / 3)
  rows <- tail(printed(fit), 1)
  expect_match(rows, sprintf("yes +%.4f +%.4f +[0-9.]{6} +[0-9.]{6}$", (m - 1 / 6) * 1.5, error))
  expect_match(tail(printed(fit, digits = 6), 1), sprintf("yes +%.6f +%.6f ", (m - 1 / 6) * 1.5, error))
  table <- data.frame(term = 1:3, estimate = c(-0.133333, 0.66374, -1e-9), std.error = c(0.003394, 0.0412, NA), conf.low = c(-Inf, 0.8562, 0))
  shown <- format_estimates(table, 4)
  expect_equal(shown$estimate, c("-0.13333", "0.66374", "0.00000"))
  expect_equal(trimws(shown$std.error), c("0.00339", "0.04120", "NA"))
  expect_equal(trimws(shown$conf.low), c("-Inf", "0.85620", "0.00000"))
  # Numbers of very different sizes, and no standard error at all: as R prints them.
  wide <- transform(table, std.error = c(1e-9, 10, 1))
  expect_identical(format_estimates(wide, 4), wide)
  unknown <- transform(table, std.error = NA_real_)
  expect_identical(format_estimates(unknown, 4), unknown)
  # Totals of a survey.
  expect_equal(format_estimates(data.frame(estimate = 120345.6, std.error = 1234.5), 4)$estimate, "120346")
})

test_that("headings keep to 80 columns, and their lines their indent", {
  long <- paste("  Target:", strrep("word ", 30))
  cut <- within_80(c("<a> short", long))
  expect_true(all(nchar(cut) <= 80))
  expect_equal(gsub(" +", " ", paste(cut, collapse = " ")), gsub(" +", " ", trimws(paste("<a> short", long), "right")))
  expect_match(cut[2], "^  Target")
  expect_match(cut[-(1:2)], "^    word")
  groups <- data.frame(y = rep(c("no", "yes"), 60), school = rep(letters[1:12], each = 10))
  expect_true(all(nchar(printed(rr_estimate(groups, rr_warner(0.8), column = "y", by = "school"))) <= 80))
  set.seed(1)
  sketches <- lapply(1:3, function(i) rr_sketch(1:50 + i, "bloom", bits = 512, key = "k", flip = 0.1, rng = "R"))
  expect_true(all(nchar(printed(rr_set_size(sketches, what = "union"))) <= 80))
})

test_that("a plan prints what made its numbers", {
  plan <- printed(rr_power(rr_warner(0.8), power = 0.8, share = 0.3, versus = 0.2, design_effect = 1.5, response_rate = 0.6))
  plan <- paste(sub("^#", "", plan), collapse = "")
  for (words in c("one-sided test at level 5%", "50% in the first group", "design effect +1.5", "response rate 60%")) expect_match(plan, words)
  margin <- paste(sub("^#", "", printed(rr_power(rr_warner(0.8), margin = 0.03, conf.level = 0.9))), collapse = "")
  margin <- gsub(" +", " ", margin)
  for (words in c("two-sided 90% intervals", "target population", "least favourable share", "design effect 1;", "response rate 100%")) {
    expect_match(margin, words)
  }
})

test_that("a random intercept counts groups and reports; RAPPOR has a budget for life", {
  set.seed(1)
  people <- data.frame(id = rep(1:100, each = 4), y = rbinom(400, 1, 0.4))
  heading <- paste(printed(suppressMessages(rr_glm(y ~ 1 + (1 | id), people, rr_warner(0.8))))[1:2], collapse = "")
  expect_match(gsub(" +", " ", heading), "100 groups (id), 400 reports", fixed = TRUE)
  # exp(4) = 54.6
  expect_match(printed(rr_bloom(c("a", "b"), epsilon = 2, permanent = 4))[4], "lifetime +4 +.any series of reports changes .* 55.$")
  expect_no_match(printed(rr_bloom(c("a", "b"), epsilon = 2)), "lifetime")
})

test_that("tests print a verdict", {
  groups <- rr_counts(cbind(a = c(no = 300, yes = 100), b = c(250, 150), c = c(252, 148)), rr_warner(0.9))
  compared <- rr_compare(rr_estimate(groups))
  expect_equal(sum(compared$p.adjusted < 0.05), 2)
  expect_equal(printed(compared)[2], "  Significant at level 0.05: 2 of 3 pairs")
  expect_match(printed(compared[3, ])[2], "0 of 1 pair$")
  # The smallest of 3 p-values times 3.
  expect_equal(goodness_verdict(c(0.01, 0.5, NA, 0.9)), "The reports do not fit (p = 0.03, adjusted for 3 tests)")
  expect_equal(goodness_verdict(0.2), "No misfit was found (p = 0.2)")
  expect_equal(goodness_verdict(1e-20), "The reports do not fit (p <2e-16)")
  expect_equal(goodness_verdict(NA_real_), "Nothing can be tested.")
  few <- rr_estimate(rr_counts(c(no = 587, yes = 108), rr_binary(11 / 12, 1 / 6)))
  expect_match(printed(rr_goodness_of_fit(few, replications = 99, seed = 1))[1], "^<rr_goodness_of_fit> No misfit was found .p = 0")
})

test_that("no two columns of a print have one name", {
  set.seed(1)
  data <- data.frame(a = rbinom(200, 1, 0.5), b = rbinom(200, 1, 0.5))
  found <- suppressMessages(rr_association(data, mechanism = list(a = rr_warner(0.9), b = rr_warner(0.9))))
  expect_false(anyDuplicated(names(printed_table(found, 10))) > 0)
})

test_that("regressions of several answers name what their odds are against, and summaries their likelihood", {
  set.seed(2)
  data <- data.frame(x = rnorm(200), y = sample(c("a", "b", "c"), 200, TRUE))
  mechanism <- rr_grr(c("a", "b", "c"), p = 0.8)
  fit <- rr_multinom(y ~ x, data, mechanism)
  expect_match(printed(fit)[2], 'y ~ x; log odds against "a"', fixed = TRUE)
  cumulative <- suppressMessages(rr_multinom(y ~ x, data, mechanism, type = "cumulative"))
  expect_match(printed(cumulative)[2], "log odds of higher levels, and thresholds", fixed = TRUE)
  lines <- printed(summary(fit))
  value <- as.numeric(logLik(fit))
  expect_match(tail(lines, 1), sprintf("log-likelihood %s on 4 degrees of freedom", format(value, digits = 7)), fixed = TRUE)
  expect_match(tail(lines, 1), sprintf("AIC %s", format(8 - 2 * value, digits = 7)), fixed = TRUE)
  # A row for each coefficient, with the ratio of its two numbers.
  row <- grep("^b:x", lines, value = TRUE)
  numbers <- as.numeric(strsplit(trimws(row), " +")[[1]][2:4])
  expect_equal(numbers[1] / numbers[2], numbers[3], tolerance = 0.01)
  share <- rr_glm(y ~ x, transform(data, y = as.numeric(y == "a")), rr_warner(0.9))
  expect_true(any(grepl("standard errors: sandwich", printed(summary(share, type = "sandwich")))))
})

test_that("reports and sketches print how many and how large they are", {
  set.seed(3)
  unary <- rr_perturb(rep(c("a", "b", "c"), 5), rr_unary(c("a", "b", "c"), 1), rng = "R")
  expect_identical(printed(unary)[1], "<rr_reports> 15 reports of 3 bits")
  expect_identical(printed(unary, n = 4)[3], "  ... and 11 more")
  expect_identical(length(printed(unary[1:10])), 2L)
  expect_identical(trimws(sub("^\\[1\\]", "", printed(unary[2])[2])), as.character(unary)[2])
  positions <- rr_perturb(rep(1:4, 3), rr_bitflip(4, 1, d = 2), rng = "R")
  expect_identical(printed(positions)[1], "<rr_reports> 12 reports of 2 of 4 categories")
  sketch <- rr_sketch(1:50, "bloom", bits = 512, hashes = 2, key = "k", flip = 0.1, rng = "R")
  # Two bits an item, each with odds of nine to one.
  expect_match(printed(sketch)[2], "0.1 (epsilon 4.394 an item)", fixed = TRUE)
  expect_equal(2 * log(9), 4.394, tolerance = 1e-3)
  expect_match(printed(sketch)[1], paste("ones:", sum(sketch$bits)))
  expect_match(printed(rr_sketch(1:50, "bloom", bits = 512, key = "k", flip = 0))[2], "none: do not publish")
})

test_that("labels of positions are those of levels, between them nothing", {
  expect_identical(position_labels(c("low", "high"))(c(0, 1, 1.5, 2, 3)), c("", "low", "", "high", ""))
})
