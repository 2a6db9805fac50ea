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
