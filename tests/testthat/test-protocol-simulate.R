test_that("simulated bits are those of the people who hold the category, and of all others", {
  bits <- function(p, q) simulate_bits(list(sampler = list(p = p, q = q)), c(3, 0, 7), 2)
  expect_identical(bits(1, 0), matrix(c(3, 0, 7), 3, 2))
  expect_identical(bits(0, 1), matrix(c(7, 10, 3), 3, 2))
  expect_identical(bits(1, 1), matrix(10, 3, 2))
})

test_that("reports are drawn and counted in chunks of 800 million categories, each respondent once", {
  sizes <- NULL
  simulate <- with_calls(
    simulate_counts.rr_mechanism,
    draws_bits = function(mechanism) FALSE,
    rr_law = function(mechanism) list(),
    law_gives = function(law, need) FALSE,
    simulates_counts = function(mechanism) TRUE,
    draw_reports = function(mechanism, answers, rng) {
      sizes <<- c(sizes, length(answers))
      answers
    },
    decode_answers = function(mechanism, reports, answers) reports,
    count_reports = function(mechanism, reports) list(counts = tabulate(reports, 3))
  )
  mechanism <- list(levels = seq_len(1e6), reports = 1:3)
  expect_identical(simulate(mechanism, c(500, 700, 100), 2), matrix(c(500, 700, 100), 3, 2))
  expect_identical(sizes, rep(c(800L, 500L), 2))
  # One at least.
  sizes <- NULL
  expect_identical(simulate(replace(mechanism, "levels", list(seq_len(9e8))), c(1, 0, 1)), cbind(c(1, 0, 1)))
  expect_identical(sizes, c(1L, 1L))
})

test_that("a mechanism that simulates its counts does so; without a law or reports that can be counted it is refused", {
  own <- rr_new_mechanism("own", c("a", "b"), epsilon = 1, design = "d", law = rr_new_law("support", 0.7, 0.2),
                          simulate = function(mechanism, truth, nsim) list(truth, nsim))
  expect_identical(simulate_counts(own, c(2, 3), 4), list(c(2, 3), 4))
  none <- rr_new_mechanism("none", c("a", "b"), epsilon = 1, design = "d", law = rr_new_law("support", 0.7, 0.2))
  expect_error(simulate_counts(none, c(2, 3)), class = "candor_error_law")
  expect_identical(vapply(list(own, none, rr_unary(3, 1), rr_dealt(c(1, 1), 4)), simulates_counts, NA), c(TRUE, FALSE, TRUE, FALSE))
  for (truth in list(1:3, c(-1, 2), numeric())) expect_error(simulate_counts(rr_warner(0.8), truth), class = "candor_error_argument")
})

test_that("simulated counts of those who tell the truth are theirs, and reports of a size support as many categories", {
  for (mechanism in list(rr_warner(1), rr_unary(2, p = 1, q = 0), rr_grr(2, p = 1))) {
    expect_identical(unname(simulate_counts(mechanism, c(0, 5), 2)), matrix(c(0, 5), 2, 2))
    expect_identical(dim(simulate_counts(mechanism, c(0, 5))), c(2L, 1L))
    expect_identical(unname(simulate_counts(mechanism, c(0, 0))), matrix(0, 2, 1))
  }
  counts <- withr::with_seed(1, simulate_counts(rr_subset(4, 1, size = 2), c(3, 0, 2, 1), 3))
  expect_identical(colSums(counts), c(12, 12, 12))
  expect_true(all(counts >= 0 & counts <= 6))
  expect_refused(simulate_counts(rr_warner(0.8), c(1, 2, 3)), simulate_counts(rr_warner(0.8), c(3, -1)))
})
