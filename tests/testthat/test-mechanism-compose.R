test_that("composition matches the vectors, in the order first then second", {
  for (case in golden("binary_composition")) {
    # The file gives (P(1|0), P(1|1)); rr_binary(p, q) takes p = P(1|1).
    binary <- function(pair) rr_binary(pair[2], pair[1])
    composed <- rr_compose(first = binary(case$input$inner), second = binary(case$input$outer))
    reverse <- rr_compose(first = binary(case$input$outer), second = binary(case$input$inner))
    expect_golden(rr_matrix(composed)[, 2], case$expected$composed)
    expect_golden(rr_matrix(reverse)[, 2], case$expected$reverse_composed)
    expect_identical(isTRUE(all.equal(rr_matrix(composed), rr_matrix(reverse), tolerance = 1e-9)), case$expected$commute)
  }
})

test_that("closed forms equal the product of the matrices, without ever forming it", {
  pairs <- list(
    list(rr_grr(5, epsilon = 2), rr_grr(5, epsilon = 1)), list(rr_warner(0.8), rr_crosswise(0.3)),
    list(rr_forced(c(0.1, 0.2, 0.05)), rr_grr(3, epsilon = 1)), list(rr_grr(3, p = 0.1), rr_grr(3, epsilon = 1))
  )
  for (pair in pairs) {
    pair <- lapply(pair, function(m) {
      m$levels <- m$reports <- as.character(seq_along(m$levels))
      m
    })
    composed <- rr_compose(pair[[1]], pair[[2]])
    expect_false(is.null(composed$law))
    expect_equal(unname(rr_matrix(composed)), unname(rr_matrix(pair[[1]]) %*% rr_matrix(pair[[2]])))
    expect_equal(composed$epsilon, matrix_epsilon(rr_matrix(pair[[1]]) %*% rr_matrix(pair[[2]])))
  }
  large <- rr_compose(rr_grr(1e5, epsilon = 4), rr_grr(1e5, epsilon = 5))
  expect_equal(sum(coef(rr_estimate(rr_counts(rep(c(10, 1), 5e4), large)))), 1)
})

test_that("general channels compose by their matrices", {
  set.seed(1)
  first <- rr_channel(random_channel(3, 4))
  second <- rr_channel(random_channel(4, 2))
  composed <- rr_compose(first, second)
  expect_equal(unname(rr_matrix(composed)), unname(rr_matrix(first) %*% rr_matrix(second)))
  expect_equal(unname(rr_epsilon(composed)["permanent"]), rr_epsilon(first))
})

test_that("a two-stage estimate is unbiased: the mean report maps to the truth", {
  weekly <- rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1))
  truth <- c(0.4, 0.3, 0.2, 0.1)
  counts <- 1e6 * drop(truth %*% rr_matrix(weekly))
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, weekly, effective_n = 1e6)))), truth, tolerance = 1e-10)
})

test_that("compositions print both levels, and mismatches are refused", {
  skip_on_cran()
  expect_snapshot(rr_compose(rr_grr(3, epsilon = 2), rr_grr(3, epsilon = 1)))
  expect_refused(rr_compose(rr_grr(3, epsilon = 2), rr_grr(4, epsilon = 1)), rr_compose(rr_grr(c("a", "b"), p = 0.9), rr_grr(c("b", "a"), p = 0.9)),
                 class = "mismatch")
  expect_error(rr_compose(3, rr_warner(0.8)), class = "candor_error_argument")
})

test_that("a composed yes/no question has its p and q", {
  composed <- rr_compose(rr_binary(p = 0.8, q = 0.3), rr_binary(p = 0.7, q = 0.1))
  expect_equal(c(composed$p, composed$q), c(0.58, 0.28)) # 0.1 + 0.6 * 0.8 and 0.1 + 0.6 * 0.3
})

test_that("a yes/no question stays one through further stages: its reports may be 0 and 1", {
  bits <- c(0L, 1L, 1L, 0L, 1L)
  twice <- rr_compose(rr_warner(0.9), rr_warner(0.8))
  for (mechanism in list(twice, rr_noncompliance(rr_warner(0.8), 0.1), rr_noncompliance(twice, 0.1), rr_compose(rr_forced(1 / 6), rr_warner(0.9)))) {
    expect_identical(rr_tally(bits, mechanism)$counts, c(2, 3))
    expect_identical(rr_tally(data.frame(q = bits), rr_product(q = mechanism))$counts, c(2, 3))
    expect_true(all(rr_perturb(bits, mechanism) %in% 0:1))
  }
  expect_error(rr_tally(c(0, 1), rr_compose(rr_grr(2, epsilon = 1), rr_grr(2, epsilon = 1))), class = "candor_error_level")
})

test_that("a channel that a study estimated is no stage, and cannot be disobeyed", {
  measured <- rr_misclassification(table = rbind(no = c(no = 60, yes = 20), yes = c(8, 72)))
  expect_refused(rr_compose(measured, rr_warner(0.8)), rr_compose(rr_warner(0.8), measured), rr_noncompliance(measured, 0.1), class = "law")
})

test_that("two stages of bits have the probabilities of a bit that is drawn twice", {
  first <- rr_unary(3, 2)
  for (pair in list(c(0.7, 0.2), c(0.2, 0.7), c(0.5, 0.5))) {
    second <- suppressMessages(rr_unary(3, p = pair[1], q = pair[2]))
    both <- suppressMessages(rr_compose(first, second))
    twice <- function(one) one * pair[1] + (1 - one) * pair[2]
    p <- twice(first$p)
    q <- twice(first$q)
    expect_equal(c(both$p, both$q, both$p_minus_q), c(p, q, p - q))
    expect_equal(both$epsilon, abs(log(p * (1 - q) / (q * (1 - p)))))
    expect_equal(rr_law(both)$odds, p * (1 - q) / (q * (1 - p)) - 1, tolerance = 1e-10)
  }
  expect_refused(rr_compose(first, rr_grr(3, 1)), rr_compose(first, rr_unary(4, 1)), rr_compose(rr_grr(3, 1), first), class = NULL)
})

test_that("two additive laws make one: the truth stays with the product, and others get there by either stage", {
  first <- list(a = 0.5, b = c(0.1, 0.2, 0.2))
  second <- list(a = 0.4, b = c(0.3, 0.1, 0.2))
  matrix_of <- function(law) diag(law$a, 3) + matrix(law$b, 3, 3, byrow = TRUE)
  law <- compose_additive(first, second)
  expect_equal(matrix_of(law), matrix_of(first) %*% matrix_of(second))
  # Equal others are one number, to a rounding.
  even <- compose_additive(list(a = 0.7, b = 0.1), list(a = 0.4, b = rep(0.2, 3)))
  expect_length(even$b, 1)
  expect_equal(c(even$a, even$b), c(0.28, 0.24))
})

test_that("an answer of those who do not comply is a report, all alike, or a distribution by name or position", {
  answer <- function(x, bits = NULL) noncompliant_answer(x, c("a", "b", "c"), bits)
  expect_identical(answer("b"), c(0, 1, 0))
  expect_identical(answer("uniform"), rep(1 / 3, 3))
  expect_identical(answer(c(0.2, 0.3, 0.5)), c(0.2, 0.3, 0.5))
  expect_identical(answer(c(b = 0.25, a = 0.75)), c(0.75, 0.25, 0))
  expect_identical(answer(c(c = 1)), c(0, 0, 1))
  expect_equal(sum(answer(c(0.2, 0.3, 0.5 + 0.9e-8))), 1, tolerance = 1e-15)
  expect_identical(noncompliant_answer(c(`1` = 0.25, `0` = 0.75), c("no", "yes"), c(1, 2)), c(0.75, 0.25))
  # A report that is called so goes before the word.
  expect_identical(noncompliant_answer("uniform", c("uniform", "other"), NULL), c(1, 0))
  for (bad in list("d", c("a", "b"), c(0.2, 0.3), c(0.2, 0.3, 0.5 + 2e-8), c(0.5, 0.6, -0.1), c(a = 0.5, d = 0.5), NA_character_, TRUE)) {
    expect_error(answer(bad), class = "candor_error")
  }
})
