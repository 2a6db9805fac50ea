attacks <- function(op) Filter(function(case) case$input$op == op, golden("next_attack"))

# The success of a case as the package has it: from the numbers of its plan, or from the matrix of the mechanism.
attack_success <- function(input) {
  k <- input$K
  once <- input$reports %||% 1
  switch(
    input$kind,
    grr = if (once == 1) subset(rr_recommend(k, input$epsilon), mechanism == "grr")$success else NA,
    unary = support_success(k, input$p, input$q, once),
    subset = matrix_success(rr_matrix(rr_subset(k, input$epsilon, size = input$w))),
    `local hash, ideal` = support_success(k, plogis(input$epsilon - log(input$g - 1)), 1 / input$g, once),
    hadamard = hadamard_success(k, input$epsilon, input$blocks),
    `hadamard, one bit` = matrix_success(rr_matrix(rr_hadamard(k, input$epsilon, one_bit = TRUE))),
    bitflip = matrix_success(rr_matrix(rr_bitflip(k, input$epsilon, d = input$bits))),
    `bloom, disjoint bits` = support_success(k, input$p, input$q, input$hashes * once)
  )
}

test_that("success of the best guess is that of the vectors", {
  cases <- attacks("success")
  actual <- vapply(cases, function(case) attack_success(case$input), 0)
  expected <- vapply(cases, function(case) case$expected$success, 0)
  # Several reports of k-ary randomized response are not offered.
  several <- vapply(cases, function(case) case$input$kind == "grr" && !is.null(case$input$reports), NA)
  expect_identical(is.na(actual), several)
  expect_equal(actual[!several], expected[!several], tolerance = 1e-9)
  both <- kronecker(unclass(rr_matrix(rr_grr(4, 1))), unclass(rr_matrix(rr_unary(3, p = 0.75, q = 0.25))))
  expect_equal(matrix_success(both), attacks("success of a product")[[1]]$expected$success, tolerance = 1e-9)
})

test_that("success is that of all reports enumerated, whatever the plan", {
  for (k in c(2, 3, 5, 7, 9, 13)) for (epsilon in c(0.3, 1, 2, 3.5)) {
    table <- rr_recommend(k, epsilon)
    made <- list(grr = rr_grr, hadamard = rr_hadamard, projective = rr_projective, subset = rr_subset, oue = if (k < 8) rr_unary)
    for (name in names(Filter(Negate(is.null), made))) {
      channel <- unclass(rr_matrix(made[[name]](k, epsilon)))
      expect_equal(table$success[table$mechanism == name], sum(apply(channel, 2, max)) / k, tolerance = 1e-12, label = paste(name, k, epsilon))
    }
  }
  # Orders and numbers of categories that no plan has.
  for (order in c(2, 3, 4, 5, 9)) for (k in c(2:6, 8, 12, 20, 27)) {
    channel <- unclass(rr_matrix(rr_projective(k, 1.3, order = order)))
    expect_equal(projective_success(k, 1.3, order), sum(apply(channel, 2, max)) / k, tolerance = 1e-12, label = paste(order, k))
  }
})

test_that("the influence of one report is that of the vectors, and the largest estimate that one report makes", {
  # One bit of Hadamard response has the p and q of binary local hashing.
  rows <- c(grr = "grr", unary = "oue", subset = "subset", `local hash, ideal` = "olh", `hadamard, one bit` = "blh")
  for (case in attacks("influence")) {
    input <- case$input
    table <- rr_recommend(input$K, input$epsilon %||% qlogis(1 - input$q), n = 50)
    row <- table[table$mechanism == rows[[input$kind]], ]
    expect_equal(c(row$p, row$q), c(case$expected$p, case$expected$q), tolerance = 1e-9)
    expect_equal(50 * row$influence, case$expected$one, tolerance = 1e-9)
  }
  for (k in c(3, 7, 12)) for (epsilon in c(0.5, 2, 4)) {
    mechanism <- rr_hadamard(k, epsilon)
    alone <- vapply(seq_along(mechanism$reports), function(y) {
      max(abs(coef(suppressMessages(rr_estimate(rr_counts(1 * (seq_along(mechanism$reports) == y), mechanism), method = "inv")))))
    }, 0)
    expect_equal(subset(rr_recommend(k, epsilon), mechanism == "hadamard")$influence, max(alone), tolerance = 1e-10)
  }
  survey <- rr_recommend(epsilon = 1.2, n = 200, question = "survey")
  expect_equal(survey$success, plogis(survey$privacy), tolerance = 1e-12)
  expect_equal(survey$influence, exp(survey$privacy) / expm1(survey$privacy) / 200, tolerance = 1e-12)
})
