# Slips of newcomers: what they wrote, and what they are told.

die <- rr_forced(1 / 6)
counts <- rr_counts(c(no = 1604, yes = 831), die)
fit <- rr_estimate(counts)
grouped <- rr_estimate(rr_counts(cbind(N = c(no = 800, yes = 400), S = c(804, 431)), die))

refused <- function(code, words) {
  expect_error(code, words, class = "candor_error_argument")
}

test_that("an inverted estimate that no share explains is remarked on like the likeliest one", {
  far <- rr_counts(c(no = 1604, yes = 100), die)
  words <- "unlikely under this design"
  expect_output(print(rr_estimate(far)), words)
  expect_output(print(rr_estimate(far, method = "inv")), words)
  # In one group of two.
  expect_output(print(rr_estimate(rr_counts(cbind(a = c(no = 1604, yes = 831), b = c(1604, 100)), die), method = "inv")), words)
  # A little below 0 is what chance gives: (0.16 - 1/6) / (2/3) = -0.01.
  near <- rr_estimate(rr_counts(c(no = 840, yes = 160), die), method = "inv")
  expect_equal(unname(coef(near)[2]), -0.01)
  printed <- capture.output(print(near))
  expect_no_match(paste(printed, collapse = " "), words)
  expect_match(paste(printed, collapse = " "), "unbiased estimates of shares near 0")
})

test_that("answers in another order than that of an ordered mechanism are refused", {
  words <- c("never", "once", "often")
  alphabet <- rr_grr(ordered(words, c("never", "often", "once")), epsilon = 1)
  right <- factor(words, words, ordered = TRUE)
  expect_error(rr_tally(right, alphabet), "never < once < often", class = "candor_error_mismatch")
  expect_error(rr_perturb(right, rr_geometric(c("often", "once", "never"), epsilon = 1)), class = "candor_error_mismatch")
  expect_identical(rr_tally(factor(right, ordered = FALSE), alphabet)$n, 3)
  expect_identical(rr_tally(as.character(right), alphabet)$n, 3)
  # Levels that nobody has, or that are left out, do not matter.
  expect_identical(rr_tally(droplevels(right[c(1, 3)]), alphabet)$n, 2)
  expect_identical(rr_tally(right, rr_grr(words, epsilon = 1))$n, 3)
  expect_output(print(alphabet), "never < often < once")
  expect_output(print(rr_grr(words, epsilon = 1)), "never, once, often")
  expect_output(print(rr_geometric(3, epsilon = 1)), "1, 2, 3")
})

test_that("the questions of a table without names of its dimensions are told", {
  both <- rr_product(drug = die, tax = rr_crosswise(0.25))
  answers <- data.frame(drug = rep(c("no", "yes"), c(30, 20)), tax = rep(c("no", "yes", "no"), c(25, 15, 10)))
  expect_message(rr_counts(table(answers$drug, answers$tax), both), "drug and tax", class = "candor_message_dimensions")
  expect_no_message(rr_counts(table(drug = answers$drug, tax = answers$tax), both))
  expect_no_message(rr_counts(table(tax = answers$tax, drug = answers$drug), both))
  # Only one question has these answers.
  other <- rr_product(drug = die, grade = rr_grr(c("a", "b"), epsilon = 1))
  expect_no_message(rr_counts(matrix(10:13, 2, dimnames = list(c("no", "yes"), c("a", "b"))), other))
})

test_that("hints say what to write instead", {
  grr <- rr_grr(c("home", "pay"), epsilon = 1)
  tree <- rr_hierarchy(0:9, 1)
  set.seed(1)
  reports <- rr_perturb(rep(0:9, 20), tree, rng = "R")
  fit <- rr_estimate(reports, tree)
  expect_snapshot(error = TRUE, {
    rr_sample_size(grr, std.error = 0.01)
    rr_sample_size(grr, precision = 0.01)
    rr_estimate(c("home", "pay"), grr, epsilon = 2)
    rr_perturb(data.frame(id = 1:2, page = c("home", "pay")), grr)
    rr_perturb(data.frame(id = 1:2), grr)
    rr_contrast(fit, list(low = 0:4))
    rr_tally(reports, tree, column = "report")
  })
  # What they say works.
  expect_length(rr_perturb(data.frame(id = 1:2, page = c("home", "pay"))$page, grr), 2)
  expect_equal(rr_contrast(fit, list(low = as.character(0:4)))$estimate, sum(coef(fit)[1:5]))
  expect_identical(rr_tally(reports, tree)$n, 200)
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
  expect_message(rr_counts(c(no = 66, yes = 34), die), "100 people", class = "candor_message_percentages")
  expect_message(rr_counts(cbind(a = c(no = 66, yes = 34), b = c(70, 30)), die), "each group", class = "candor_message_percentages")
  expect_no_message(rr_counts(c(no = 66, yes = 35), die))
  expect_message(rr_counts(data.frame(no = 66, yes = 34), die), class = "candor_message_percentages")
  # Nobody writes percentages so.
  expect_no_message(rr_counts(table(rep(c("no", "yes"), c(66, 34))), die))
  expect_no_message(rr_counts(c(no = 66L, yes = 34L), die))
  expect_no_message(rr_counts(data.frame(answer = c("no", "yes"), n = c(66, 34)), die))
})

test_that("arguments of other functions lead to ours", {
  answers <- data.frame(answer = rep(c("no", "yes"), c(6, 4)))
  refused(rr_tally(answers, die, column = "answer", design = 1), "rr_estimate")
  refused(rr_estimate(answers, die, column = "answer", conf.int = TRUE), "tidy")
  refused(rr_estimate(answers, die, column = "answer", interval = "bootstrap", R = 200), "replications")
  refused(rr_estimate(counts, method = "em"), "mle")
  refused(rr_sample_size(die, 0.03, n = 200), "rr_power")
  refused(rr_power(die, n = 500, p1 = 0.1, p2 = 0.2), "p1.*share")
  refused(rr_sample_size(c(die, rr_crosswise(0.25)), 0.03), "list")
})

test_that("a die given in other ways is shown as it is given here", {
  refused(rr_forced(1 / 6, 1 / 6), "rr_forced\\(c\\(no = 1 / 6")
  refused(rr_forced(1, 6), "rr_forced\\(c\\(no = 1 / 6")
  refused(rr_forced(2 / 3), "rr_forced\\(1 / 6\\)")
  refused(rr_forced(0.7), "rr_forced\\(0.15\\)")
})

test_that("what tables can do is told of a fit", {
  refused(head(fit), "tidy")
  refused(subset(grouped, term == "yes"), "tidy")
  refused(round(fit, 2), "coef")
  skip_if_not_installed("dplyr")
  refused(dplyr::filter(fit, term == "yes"), "tidy")
  refused(dplyr::mutate(fit, a = 1), "tidy")
  refused(dplyr::select(fit, term), "tidy")
  refused(dplyr::arrange(fit, estimate), "tidy")
  skip_if_not_installed("ggplot2")
  refused(ggplot2::ggplot(fit), "autoplot")
})

test_that("a category or group in the place of a field is refused to users, and absent fields are NULL", {
  user <- new.env(parent = globalenv())
  user$fit <- fit
  user$grouped <- grouped
  refused(eval(quote(fit$yes), user), "coef")
  refused(eval(quote(grouped$N), user), "fit\\[\"N\"\\]")
  refused(eval(quote(grouped$tally$N), user), "tally\\[\"N\"\\]")
  refused(eval(quote(fit$tally$yes), user), "tidy")
  expect_null(eval(quote(fit$nothing), user))
  expect_identical(eval(quote(fit$tally$n), user), 2435)
  # Packages look for fields that are not there.
  expect_null(fit$yes)
})

test_that("the test of one group, and the columns of a recommendation, are said below or above their tables", {
  expect_output(print(rr_power(die, n = 1000, share = 0.1)), "one-sided")
  expect_output(print(rr_sample_size(die, power = 0.8, share = 0.05)), "one-sided")
  printed <- capture.output(print(rr_sample_size(die, margin = 0.03)))
  expect_no_match(paste(printed, collapse = " "), "one-sided")
  expect_output(print(rr_recommend(10, 1)), "within: .*smallest.*n = 1")
  expect_no_match(paste(capture.output(print(rr_recommend(10, 1, n = 1000))), collapse = " "), "n = 1 ")
})

test_that("three dimensions of counts are called so", {
  table <- as.table(array(1:8, c(2, 2, 2), list(a = c("no", "yes"), b = 1:2, c = 1:2)))
  refused(rr_counts(table, die), "3 dimensions")
})

test_that("prints leave out what says nothing", {
  expect_no_match(paste(capture.output(print(fit)), collapse = " "), "boundary")
  expect_output(print(rr_estimate(rr_counts(c(no = 2000, yes = 100), die))), "2 of 2 estimates on the\\s+boundary")
  expect_output(print(rr_product(a = die)), "Product of 1 question,")
  exact <- rr_estimate(rr_counts(c(30, 40, 50), rr_geometric(3, epsilon = 3)))
  expect_output(print(exact), "The estimate is exact")
})

test_that("columns and labels without quotes, and columns in the place of the method, get their cure", {
  people <- data.frame(tax = rep(c("no", "yes"), c(30, 21)), zone = rep(c("a", "b", "a"), 17))
  refused(rr_tally(people, die, tax, by = zone), 'column = "tax"')
  refused(rr_tally(people, die, column = "tax", by = zone), 'by = "zone"')
  refused(rr_tally(people, die, colum = tax), "Did you mean `column`")
  refused(rr_estimate(people, die, tax), 'column = "tax"')
  refused(rr_estimate(people, die, "tax"), 'column = "tax"')
  refused(rr_estimate(people$tax, die, mle_), "rr_methods")
  refused(rr_noncompliance(die, 0.15, no), 'answer = "no"')
  both <- rr_estimate(data.frame(tax = people$tax, drug = rev(people$tax)), rr_product(tax = die, drug = die))
  refused(rr_margin(both, tax), 'vars = "tax"')
  refused(rr_margin(both, "drug", given = tax), 'given = "tax"')
  refused(rr_margin(both, c(tax, drug)), 'vars = c.*"tax", "drug"')
  refused(rr_contrast(fit, yes), 'L = "yes"')
  # An error of the user's own code stays what it is.
  expect_error(rr_tally(people, die, stop("mine")), "^mine$")
  expect_error(rr_contrast(fit, stop("mine")), "^mine$")
  # Methods are methods, also where a column has the name of one.
  expect_identical(rr_estimate(data.frame(inv = people$tax), die, "inv")$method, "inv")
  expect_snapshot(error = TRUE, {
    rr_tally(people, die, tax)
    rr_estimate(people, die, tax)
    rr_estimate(people, die, "tax")
    rr_estimate(people$tax, die, mle_)
  })
})

test_that("shares without their numbers of answers are no regression", {
  towns <- data.frame(x = 1:4, yes = c(40, 55, 70, 85), no = c(160, 145, 130, 115))
  expect_snapshot(error = TRUE, rr_glm(yes / (yes + no) ~ x, towns, die))
  weighted <- rr_glm(yes / (yes + no) ~ x, towns, die, weights = yes + no)
  expect_equal(coef(weighted), coef(rr_glm(cbind(yes, no) ~ x, towns, die)))
})

test_that("plans and contrasts say what was meant", {
  refused(rr_sample_size(die, std.error = 0.02), "1.96")
  refused(rr_sample_size(die, margin = 0.02, deff = 1.5), "design_effect")
  refused(rr_sample_size(die, margin = 0.02, response = 60), "Did you mean 0.6")
  refused(rr_sample_size(data.frame(x = 1), margin = 0.02), "object of class data.frame|data frame with 1 column")
  refused(rr_noncompliance(die, 15, "no"), "Did you mean 0.15")
  refused(rr_noncompliance(die, 0.15, "No"), 'Did you mean "no"')
  refused(rr_contrast(grouped, c(1, -1)), '"N:yes" = 1, "S:yes" = -1')
  refused(rr_choose(data.frame(tax = "no"), die, column = "tax"), "rr_tally")
  expect_snapshot(error = TRUE, rr_contrast(grouped, c(1, -1)))
  skip_if_not_installed("survey")
  design <- survey::svydesign(~1, weights = ~1, data = data.frame(x = 1:3))
  refused(rr_sample_size(design, margin = 0.02), "design_effect")
})

test_that("weights of 0 are not nobody", {
  people <- data.frame(tax = rep(c("no", "yes"), c(30, 21)), zone = rep(c("a", "b", "a"), 17), w = rep(c(1, 0, 1), 17))
  expect_message(rr_estimate(people, die, column = "tax", by = "zone", weights = "w"), "all weights are 0", class = "candor_message_empty")
  expect_error(rr_estimate(people, die, column = "tax", weights = numeric(51)), "must not all be 0", class = "candor_error_empty")
  expect_error(rr_estimate(rr_tally(character(), die)), "all counts are 0", class = "candor_error_empty")
})

test_that("the summary of a mechanism is its print", {
  expect_identical(capture.output(summary(die)), capture.output(print(die)))
})
