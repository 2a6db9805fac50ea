# Whatever is given per level is read by its names: the truth of each test is the same call without names, in the order
# of the levels.

expect_same_matrix <- function(object, expected) expect_equal(rr_matrix(object), rr_matrix(expected), tolerance = 1e-15)

test_that("the answer of those who do not comply is matched to the reports", {
  die <- rr_forced(1 / 6)
  always <- function(answer) rr_noncompliance(die, 0.5, answer)
  expect_same_matrix(always(c(yes = 0, no = 1)), always("no"))
  expect_same_matrix(always(c(no = 1)), always("no"))
  expect_same_matrix(always(c("1" = 1, "0" = 0)), always("yes"))
  # Half follow the die, whose row of "no" is 5/6, 1/6.
  expect_equal(unname(rr_matrix(always(c(yes = 0, no = 1)))["no", ]), c(11, 1) / 12, tolerance = 1e-15)
  expect_same_matrix(always(c(0.3, 0.7)), always(c(yes = 0.7, no = 0.3)))
  expect_refused(always(c(yes = 0.3, maybe = 0.7)), always(c(yes = 0.3, yes = 0.7)), class = "mismatch")
})

test_that("forced answers and innocuous ones are matched to the levels", {
  levels <- c("never", "once", "often")
  expect_same_matrix(rr_forced(c(often = 0.3, never = 0.1, once = 0.2), levels), rr_forced(c(0.1, 0.2, 0.3), levels))
  expect_same_matrix(rr_unrelated(0.7, c(often = 0.5, never = 0.2, once = 0.3), levels), rr_unrelated(0.7, c(0.2, 0.3, 0.5), levels))
  expect_same_matrix(rr_unrelated(0.7, c(no = 0.2)), rr_unrelated(0.7, 0.8))
  expect_same_matrix(rr_unrelated(0.7, c(yes = 0.2)), rr_unrelated(0.7, 0.2))
  expect_refused(rr_forced(c(often = 0.3, never = 0.1, twice = 0.2), levels), rr_unrelated(0.7, c(often = 0.5, never = 0.5), c("never", "once")),
                 class = "mismatch")
})

test_that("a start is matched to the levels by every method that takes one", {
  additive <- rr_grr(c("a", "b", "c"), p = 0.6)
  channel <- rr_channel(rbind(a = c(0.9, 0.05, 0.05), b = c(0.1, 0.8, 0.1), c = c(0.15, 0.15, 0.7)))
  for (mechanism in list(additive, channel)) {
    steps <- function(start) unname(coef(rr_estimate(rr_counts(c(4, 5, 5), mechanism), method = "ibu", start = start, iterations = 2)))
    expect_identical(steps(c(c = 0.2, b = 0.3, a = 0.5)), steps(c(0.5, 0.3, 0.2)))
    expect_identical(steps(c(c = 0.5, a = 0.5)), steps(c(0.5, 0, 0.5)))
    expect_refused(steps(c(c = 0.2, b = 0.3, d = 0.5)), class = "mismatch")
  }
  solve <- function(start) suppressWarnings(coef(rr_estimate(rr_counts(c(4, 50, 5), channel), start = start, iterations = 0)))
  expect_identical(solve(c(c = 0.2, b = 0.3, a = 0.5)), solve(c(0.5, 0.3, 0.2)))
  expect_identical(solve(c(0.5, 0.3, 0.2)), c(a = 0.5, b = 0.3, c = 0.2))
  expect_refused(solve(c(c = 0.2, b = 0.3, d = 0.5)), class = "mismatch")
  # Bits name the answers of a yes/no question, as they do in counts.
  warner <- rr_counts(c(40, 60), rr_warner(0.8))
  one <- function(start) coef(rr_estimate(warner, method = "ibu", start = start, iterations = 1))
  expect_identical(one(c("1" = 0.9, "0" = 0.1)), one(c(0.1, 0.9)))
})

test_that("a start over several questions may be a table of them, in any order", {
  reports <- rr_counts(c(5, 9, 8, 4, 7, 6), rr_product(a = rr_warner(0.9), b = rr_grr(c("x", "y", "z"), epsilon = 2)))
  steps <- function(start) coef(rr_estimate(reports, method = "ibu", start = start, iterations = 2))
  table <- array(1:6 / 21, c(2, 3), list(a = c("no", "yes"), b = c("x", "y", "z")))
  expect_identical(steps(table), steps(1:6 / 21))
  expect_identical(steps(aperm(table)), steps(1:6 / 21))
  expect_error(steps(unname(aperm(table))), class = "candor_error_argument")
})

test_that("the truth of a risk is matched to the levels, data among them", {
  die <- rr_forced(c(never = 0.1, once = 0.3, often = 0.05))
  risk <- function(truth) {
    rr_study(truth, n = 100, method = "inv", target = "sample", mechanism = die, replications = 10, seed = 1, workers = 1)$estimate
  }
  expect_identical(risk(c(often = 0.2, never = 0.5, once = 0.3)), risk(c(0.5, 0.3, 0.2)))
  expect_identical(risk(rep(c("often", "never", "once"), c(2, 5, 3))), risk(c(0.5, 0.3, 0.2)))
  expect_identical(risk(rep(c("often", "never"), c(2, 8))), risk(c(0.8, 0, 0.2)))
  expect_refused(risk(c(often = 0.2, never = 0.5, twice = 0.3)), class = "mismatch")
})

test_that("matrices over levels are matched to them", {
  C <- rbind(a = c(x = 0.7, y = 0.3), b = c(0.2, 0.8))
  expect_identical(rr_matrix(rr_channel(C, levels = c("b", "a"), reports = c("y", "x"))), rr_matrix(rr_channel(unname(C[2:1, 2:1]), c("b", "a"), c("y", "x"))))
  # Other labels rename, as documented.
  expect_identical(unname(rr_matrix(rr_channel(C, levels = c("u", "v")))), unname(C))
  table <- rbind(no = c(no = 90, yes = 10), yes = c(20, 80))
  expect_equal(rr_matrix(rr_misclassification(table = table, levels = c("yes", "no")))["yes", "no"], 0.2)
})

test_that("a share of another category is not taken for that of the one asked about", {
  expect_identical(rr_power(rr_warner(0.8), margin = 0.05, share = c(yes = 0.1))$n, rr_power(rr_warner(0.8), margin = 0.05, share = 0.1)$n)
  expect_identical(rr_power(rr_warner(0.8), 100, c(no = 0.1), null = 0.5, category = "no")$power,
                   rr_power(rr_warner(0.8), 100, 0.1, null = 0.5, category = "no")$power)
  # Names that are no categories say something else.
  expect_identical(rr_power(rr_warner(0.8), 100, c(low = 0.1, high = 0.2))$share, c(0.1, 0.2))
  expect_refused(rr_power(rr_warner(0.8), margin = 0.05, share = c(no = 0.9)), rr_power(rr_warner(0.8), power = 0.8, share = c(no = 0.9)),
                 rr_power(rr_warner(0.8), 100, c(no = 0.9)), class = "mismatch")
})
