# What is read in one way only, or refused.

die <- rr_forced(1 / 6)
counts <- rr_counts(c(no = 1604, yes = 831), die)
fit <- rr_estimate(counts)

test_that("answers in another order than that of an ordered mechanism are refused", {
  words <- c("never", "once", "often")
  alphabet <- rr_grr(ordered(words, c("never", "often", "once")), epsilon = 1)
  right <- factor(words, words, ordered = TRUE)
  expect_refused(rr_tally(right, alphabet), rr_perturb(right, rr_geometric(c("often", "once", "never"), epsilon = 1)), class = "mismatch")
  expect_identical(rr_tally(factor(right, ordered = FALSE), alphabet)$n, 3)
  expect_identical(rr_tally(as.character(right), alphabet)$n, 3)
  # Levels that nobody has, or that are left out, do not matter.
  expect_identical(rr_tally(droplevels(right[c(1, 3)]), alphabet)$n, 2)
  expect_identical(rr_tally(right, rr_grr(words, epsilon = 1))$n, 3)
})

test_that("the questions of a table without names of its dimensions are told", {
  both <- rr_product(drug = die, tax = rr_crosswise(0.25))
  answers <- data.frame(drug = rep(c("no", "yes"), c(30, 20)), tax = rep(c("no", "yes", "no"), c(25, 15, 10)))
  expect_message(rr_counts(table(answers$drug, answers$tax), both), "drug and tax", class = "candor_message_dimensions")
  expect_no_message(rr_counts(table(drug = answers$drug, tax = answers$tax), both))
  expect_no_message(rr_counts(table(tax = answers$tax, drug = answers$drug), both))
})

test_that("no error shows an answer that is a fraction", {
  for (m in list(rr_grr(0:9, epsilon = 1), rr_unary(0:9, 1), rr_hierarchy(0:9, 1), rr_local_hash(0:9, 1), rr_grr(10, epsilon = 1))) {
    error <- expect_error(rr_perturb(c(1, 0.46872), m), "Answer 2 is not a (level|whole number)", class = "candor_error_level")
    expect_no_match(conditionMessage(error), "46872")
  }
  # Levels may be fractions.
  halves <- rr_grr(c(0, 0.5, 1), epsilon = 1)
  expect_length(rr_perturb(c(0, 0.5), halves), 2)
  expect_error(rr_perturb(c(0, 0.5, 0.7), halves), "Answer 3 is not a level", class = "candor_error_level")
})

test_that("counts that may be percentages are told of, once a session", {
  hundred <- c(no = 66, yes = 34)
  suppressMessages(rr_counts(hundred, die))
  expect_no_message(rr_counts(hundred, die))
  before <- options(rlib_message_verbosity = "verbose")
  on.exit(options(before))
  expect_message(rr_counts(c(no = 66, yes = 34), die), class = "candor_message_percentages")
  expect_message(rr_counts(cbind(a = c(no = 66, yes = 34), b = c(70, 30)), die), class = "candor_message_percentages")
  expect_no_message(rr_counts(c(no = 66, yes = 35), die))
  expect_message(rr_counts(data.frame(no = 66, yes = 34), die), class = "candor_message_percentages")
  # Nobody writes percentages so.
})

test_that("weights of 0 are not nobody", {
  people <- data.frame(tax = rep(c("no", "yes"), c(30, 21)), zone = rep(c("a", "b", "a"), 17), w = rep(c(1, 0, 1), 17))
  expect_message(rr_estimate(people, die, column = "tax", by = "zone", weights = "w"), "all weights are 0", class = "candor_message_empty")
  expect_refused(rr_estimate(people, die, column = "tax", weights = numeric(51)), rr_estimate(rr_tally(character(), die)), class = "empty")
})
