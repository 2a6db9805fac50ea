# Counts as users write them: vectors, shares, tables, matrices, frames; and the bounds of what is read.

warner <- rr_warner(0.8)
three <- rr_grr(c("a", "b", "c"), 1)

test_that("counts by name in any order, absent ones 0; matrices with a column for each group", {
  tally <- rr_counts(c(c = 5, a = 2), three)
  expect_identical(unname(tally$counts), c(2, 0, 5))
  expect_identical(tally$n, 7)
  expect_identical(unname(rr_counts(c(4, 5, 6), three)$counts), c(4, 5, 6))
  grouped <- rr_counts(rbind(b = c(u = 1, v = 2), a = c(3, 4)), three)
  expect_identical(unname(grouped$counts), cbind(c(3, 1, 0), c(4, 2, 0)))
  expect_identical(grouped$n, c(4, 6))
  expect_identical(as.character(grouped$groups$group), c("u", "v"))
  expect_identical(as.character(rr_counts(cbind(1:3, 4:6), three)$groups$group), c("1", "2"))
  expect_refused(rr_counts(c(4, 5), three), rr_counts(rbind(c(a = 1, b = 2, c = 3), 4:6), three), rr_counts(cbind(u = 1:3, u = 4:6), three),
                 rr_counts("5", three), rr_counts(array(1, c(3, 2, 2)), three), rr_counts(c(1, 2, 3), three, column = "x"))
  expect_error(rr_counts(c(a = 1, d = 2), three), class = "candor_error_level")
  expect_error(rr_counts(c(a = 1, a = 2), three), class = "candor_error_level")
  expect_error(rr_counts(c(0, 0, 0), three), class = "candor_error_empty")
})

test_that("whole counts up to 2^53; weighted ones from 1e-100 to 1e100 with their effective number", {
  for (bad in list(c(-1, 2, 3), c(1.5, 2, 3), c(1, NA, 3), c(Inf, 1, 1), c(2^53, 1, 0))) expect_error(rr_counts(bad, three), class = "candor_error_counts")
  expect_identical(rr_counts(c(2^53, 0, 0), three)$n, 2^53)
  weighted <- rr_counts(c(1.5, 2, 3), three, effective_n = 4)
  expect_identical(c(weighted$effective_n, weighted$weight_squares), c(4, 6.5^2 / 4))
  expect_refused(rr_counts(c(1.5, 2, 3), three, effective_n = 0.99), rr_counts(c(1.5, 2, 3), three, effective_n = c(4, 4)),
    rr_counts(c(1.5, 2, 3), three, effective_n = Inf))
  expect_identical(rr_counts(c(1.5, 2, 3), three, effective_n = 1)$effective_n, 1)
  expect_error(rr_counts(c(1e100, 1e99, 0), three, effective_n = 4), class = "candor_error_counts")
  expect_error(rr_counts(c(1e-101, 0, 0), three, effective_n = 4), class = "candor_error_counts")
  expect_identical(rr_counts(c(1e100, 0, 0), three, effective_n = 4)$n, 1e100)
  expect_identical(rr_counts(c(1e-100, 0, 0), three, effective_n = 4)$n, 1e-100)
})

test_that("shares of n reports become counts, whole within a rounding", {
  tally <- rr_counts(c(no = 0.83, yes = 0.17), warner, n = 100)
  expect_identical(unname(tally$counts), c(83, 17))
  expect_null(tally$weight_squares)
  rounded <- rr_counts(c(no = 0.333, yes = 0.667), warner, n = 100)
  expect_equal(unname(rounded$counts), c(33.3, 66.7))
  expect_identical(rounded$effective_n, 100)
  grouped <- rr_counts(cbind(u = c(no = 0.5, yes = 0.5), v = c(0.75, 0.25)), warner, n = c(10, 8))
  expect_identical(unname(grouped$counts), cbind(c(5, 5), c(6, 2)))
  expect_identical(c(is_shares(c(0.5, 0.5)), is_shares(c(0, 1)), is_shares(c(0.5, 1.5)), is_shares(c(0.5, NA)), is_shares(c(-0.5, 0.5))),
    c(TRUE, FALSE, FALSE, FALSE, FALSE))
  expect_error(rr_counts(c(0.5, 0.5 + 2e-6), warner, n = 10), class = "candor_error_counts")
  expect_equal(sum(share_counts(c(0.5, 0.5 + 0.9e-6), 10, 1)), 10, tolerance = 1e-6)
  expect_refused(rr_counts(c(0.5, 0.5), warner, n = 0), rr_counts(c(0.5, 0.5), warner, n = 2e100), rr_counts(c(0.5, 0.5), warner, n = c(5, 5)))
  # At most 1e100 reports; one number is that of each group.
  expect_equal(share_counts(c(0.25, 0.75), 1e100, 1), c(0.25e100, 0.75e100))
  expect_identical(share_counts(c(0.5, 0.5, 0.75, 0.25), 8, 2), c(4, 4, 6, 2))
  for (n in list(c(10, 8, 6), c(10, 0), c(10, NA), "10", NULL)) expect_error(share_counts(rep(0.5, 4), n, 2), class = "candor_error_argument")
  expect_identical(whole_within_rounding(c(3 + 2e-9, 1e6 + 5e-4)), c(3, 1e6))
  for (values in list(c(3 + 4e-9, 5), c(0.5, 2), c(2e-9, 1))) expect_identical(whole_within_rounding(values), values)
  expect_identical(whole_within_rounding(c(0.9e-9, 1)), c(0, 1))
})

test_that("the number of respondents is the sum of categories, and at least each count of support", {
  expect_identical(check_respondents(NULL, c(3, 4), 7), 7)
  expect_identical(check_respondents(7 * (1 + 0.9e-9), c(3, 4), 7), 7)
  expect_error(check_respondents(7 * (1 + 1.1e-9), c(3, 4), 7), class = "candor_error_mismatch")
  expect_identical(check_respondents(4, c(3, 4), NULL), 4)
  expect_identical(check_respondents(5, cbind(c(3, 4), c(5, 2)), NULL), c(5, 5))
  expect_error(check_respondents(c(5, 4), cbind(c(3, 4), c(5, 2)), NULL), class = "candor_error_counts")
  expect_refused(check_respondents(0, c(3, 4), NULL), check_respondents(c(5, 5), c(3, 4), NULL), check_respondents(1e101, c(3, 4), NULL),
    check_respondents("5", 4, NULL))
  unary <- rr_unary(3, 1)
  expect_identical(rr_counts(c(0, 0, 0), unary, n = 9)$n, 9)
  expect_refused(rr_counts(c(3, 0, 2), unary))
})

test_that("a hundred reports are told once, percentages or not", {
  told <- function(values) {
    rlang::reset_message_verbosity("candor_message_percentages")
    length(testthat::capture_messages(inform_hundreds(values)))
  }
  expect_identical(c(told(c(40, 60)), told(c(0, 100)), told(c(40, 61)), told(cbind(c(40, 60), c(0, 100))), told(cbind(c(40, 60), c(50, 51)))),
    c(1L, 0L, 0L, 1L, 0L))
  # Counts that a function made are no percentages.
  read <- function(counts) {
    rlang::reset_message_verbosity("candor_message_percentages")
    length(testthat::capture_messages(rr_counts(counts, warner)))
  }
  expect_identical(c(read(c(40, 60)), read(c(40L, 60L)), read(data.frame(said = c("no", "yes"), n = c(40, 60))), read(data.frame(no = 40, yes = 60)),
                     read(as.table(c(no = 40, yes = 60)))), c(1L, 0L, 0L, 1L, 0L))
})

test_that("frames: a column for each report, or a row for each, with groups and totals", {
  wide <- data.frame(town = c("u", "v"), yes = c(3, 4), no = c(7, 6), total = c(10, 10))
  tally <- rr_counts(wide, warner)
  expect_identical(unname(tally$counts), cbind(c(7, 3), c(6, 4)))
  expect_identical(names(tally$groups), "town")
  expect_identical(unname(rr_counts(wide[1, c("no", "yes")], warner)$counts), c(7, 3))
  # Without other columns rows are groups by number.
  expect_identical(as.character(rr_counts(wide[c("no", "yes")], warner)$groups$group), c("1", "2"))
  # A column that is not the total is a group.
  expect_identical(names(rr_counts(transform(wide, total = c(10, 11)), warner)$groups), c("town", "total"))
  expect_refused(rr_counts(transform(wide, town = "u"), warner, by = "town"))
  long <- data.frame(town = c("u", "u", "v", "v"), said = c("yes", "no", "no", "yes"), n = c(3, 7, 6, 4))
  expect_identical(unname(rr_counts(long, warner)$counts), cbind(c(7, 3), c(6, 4)))
  for (name in c("count", "Freq")) expect_identical(unname(rr_counts(stats::setNames(long, c("town", "said", name)), warner)$counts), cbind(c(7, 3), c(6, 4)))
  expect_refused(rr_counts(stats::setNames(long, c("town", "said", "people")), warner), rr_counts(rbind(long, long[1, ]), warner),
    rr_counts(transform(long, n = "a"), warner))
  expect_identical(label_column(data.frame(term = 1, said = "yes"), warner, character()), "term")
  expect_identical(label_column(data.frame(x = "u", said = c("yes", "no")), warner, character()), "said")
  expect_identical(label_column(data.frame(x = "u", n = 3), warner, "n"), "x")
  expect_refused(label_column(data.frame(x = c("yes", NA), said = "no"), warner, character()), label_column(data.frame(x = "u", y = "v"), warner, character()))
  three_columns <- data.frame(a = 1, b = 2, town = "u")
  expect_refused(rr_counts(three_columns, three))
  sums <- data.frame(said = c("no", "yes"), n = c(3, 4))
  expect_identical(rr_counts(stats::xtabs(n ~ said, sums), warner)$n, 7)
  expect_refused(rr_tally(table(c("no", "yes")), warner, by = "x"), rr_counts(c(1, 2), rr_dealt(3, cards = 15)))
})

test_that("counts of one question are numbers in a vector, a matrix or a table, and of no other class or shape", {
  warner <- rr_warner(0.8)
  expect_identical(rr_counts(as.table(c(no = 3, yes = 4)), warner)$counts, c(3, 4))
  expect_refused(rr_counts(array(1:4, c(2, 1, 2)), warner), rr_counts(c("3", "4"), warner), rr_counts(factor(3:4), warner),
                 rr_counts(as.difftime(3:4, units = "mins"), warner), rr_counts(c(TRUE, FALSE), warner))
})
