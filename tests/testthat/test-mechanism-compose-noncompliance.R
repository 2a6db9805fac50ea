test_that("noncompliance is the mixture of the design and the behaviour", {
  design <- rr_grr(c("a", "b", "c"), epsilon = 1)
  C <- unname(rr_matrix(design))
  mixed <- function(...) unname(rr_matrix(rr_noncompliance(design, 0.2, ...)))
  expect_equal(mixed(), 0.8 * C + 0.2 / 3)
  expect_equal(mixed("b"), 0.8 * C + 0.2 * rep(c(0, 1, 0), each = 3))
  expect_equal(mixed(c(0.5, 0.3, 0.2)), 0.8 * C + 0.2 * rep(c(0.5, 0.3, 0.2), each = 3))
  expect_equal(mixed("truth"), 0.8 * C + 0.2 * diag(3))
  expect_equal(mixed(rep(0, 3) + c(0, 0, 1)), mixed("c"))
  expect_equal(unname(rr_matrix(rr_noncompliance(design, 0))), C)
})

test_that("a tenth who say no whatever the die shows: the estimate by hand", {
  # P(yes) = 0.9 (1/6 + 2/3 theta), so theta = (831/2435 / 0.9 - 1/6) 3/2.
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_noncompliance(rr_forced(1 / 6), 0.1, "no")))
  expect_equal(coef(fit)[["yes"]], (831 / 2435 / 0.9 - 1 / 6) * 1.5)
})

test_that("noncompliance prints, and refuses what it cannot mean", {
  skip_on_cran()
  expect_snapshot(rr_noncompliance(rr_forced(1 / 6), 0.1, "no"))
  expect_refused(rr_noncompliance(rr_forced(1 / 6), 1, "no"), rr_noncompliance(rr_forced(1 / 6), 0.1, "maybe"),
                 rr_noncompliance(rr_product(a = rr_warner(0.8)), 0.1))
})

test_that("answers are read as the design reads them, whatever those do who do not comply", {
  designs <- list(rr_warner(0.8), suppressMessages(rr_crosswise(0.3, levels = c("1", "0"))), rr_forced(1 / 6, levels = c("clean", "doped")),
                  rr_binary(0.9, 0.2, levels = c("FALSE", "TRUE")), rr_grr(2, epsilon = 1), rr_grr(c("1", "3"), epsilon = 1),
                  rr_binary(0.9, 0.1, levels = c("2", "1")), rr_channel(matrix(c(0.8, 0.3, 0.2, 0.7), 2)), rr_grr(3, epsilon = 1))
  # These have the labels of Warner's design.
  designs <- c(designs, extended(NULL, list(rr_unrelated(0.7, 0.4), rr_compose(rr_warner(0.9), rr_warner(0.8)))))
  answers <- list(c(0, 1, 1), c(1L, 2L, 2L), c(0, 2), c(3, 1), c(TRUE, FALSE, FALSE), c("0", "1", "1"), factor(c("TRUE", "TRUE")),
                  c("no", "yes"), c(0.5, 1), c(NA, 1))
  # The class and the words after the name of the function, for what is refused.
  read <- function(x, mechanism) tryCatch(rr_tally(x, mechanism)$counts, candor_error = function(e) c(class(e), conditionMessage(e)))
  for (number in seq_along(designs)) {
    design <- designs[[number]]
    # Every other answer, to the next design the others: a refusal takes long to word.
    asked <- answers[(seq_along(answers) + number) %% extended(2, 1) == 0]
    mixed <- lapply(list("truth", "uniform", design$reports[1]), function(answer) rr_noncompliance(design, 0.2, answer))
    plain <- lapply(asked, read, design)
    refused <- vapply(plain, is.character, NA)
    for (one in mixed) expect_identical(lapply(asked[!refused], read, one), plain[!refused], label = format(one))
    # What is refused is tried on one of the three in turn.
    turn <- mixed[seq_along(asked) %% 3 + 1]
    expect_identical(Map(read, asked[refused], turn[refused]), plain[refused], label = format(design))
  }
  set.seed(3)
  asked <- rr_perturb(rep(0:1, c(400, 400)), rr_noncompliance(rr_warner(0.9), 0.5, "truth"), rng = "R")
  # 0.95 of each keep their answer: 380 give or take four times sqrt(400 * 0.95 * 0.05).
  expect_lt(max(abs(c(sum(asked[1:400] == 0), sum(asked[401:800] == 1)) - 380)), 18)
  both <- rr_product(a = rr_noncompliance(rr_warner(0.8), 0.1, "truth"), b = rr_warner(0.8))
  expect_identical(as.vector(as.table(rr_tally(data.frame(a = c(0, 1, 1), b = c(0, 1, 0)), both))), c(1, 1, 0, 1))
  skip_on_cran()
  expect_error(rr_tally(c(0, 1, 2), rr_noncompliance(rr_warner(0.8), 0.1, "truth")), class = "candor_error_level")
})
