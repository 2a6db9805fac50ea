# Random intercepts: the vectors' maxima, score and information at given points, posterior of u, limits.

parts_of <- function(input) {
  n <- length(input$y)
  p <- rep_len(as.numeric(input$p), n)
  q <- rep_len(as.numeric(input$q), n)
  key <- match(paste(p, q), unique(paste(p, q)))
  first <- !duplicated(key)
  group <- match(input$group, unique(input$group))
  weight <- rep_len(if (length(input$weight)) as.numeric(input$weight) else 1, n)
  if (length(input$weight) == max(group)) weight <- as.numeric(input$weight)[group]
  mixed_model(matrix(as.numeric(input$x), n), as.numeric(input$y), key,
              rbind(p, q, 1 - p, 1 - q, p - q)[, first], match(input$link, c("logit", "probit")) - 1L,
              if (length(input$offset)) rep_len(as.numeric(input$offset), n) else numeric(n), group, weight[!duplicated(group)])
}

test_that("golden vectors: score and information where they are given", {
  for (case in golden("mixed_regression")) {
    model <- parts_of(case$input)
    for (at in case$expected$at) {
      value <- mixed_value(model, c(at$coef, at$sigma))
      expect_lte(abs(value$value - at$loglik), 1e-8)
      expect_golden(value$gradient, at$score, 1e-7)
      expect_golden(value$observed, at$information, 1e-7)
    }
  }
})

test_that("golden vectors: the maximum, the posterior of the intercepts, prevalences", {
  for (case in golden("mixed_regression")) {
    expected <- case$expected
    model <- parts_of(case$input)
    found <- mixed_maximum(model, expected$fixed$coef, expected$fixed$loglik)
    expect_null(found$limit)
    expect_lte(abs(found$value - expected$loglik), 1e-8)
    expect_golden(found$at, c(expected$coef, expected$sigma), 1e-7)
    value <- mixed_value(model, found$at)
    expect_golden(value$observed, expected$information, 1e-7)
    expect_golden(value$mean[model$of][expected$u$group], expected$u$mean, 1e-7)
    expect_golden(value$deviation[model$of][expected$u$group], expected$u$sd, 1e-7)
    eta <- drop(matrix(as.numeric(case$input$new_x), ncol = model$size) %*% found$at[seq_len(model$size)])
    expect_golden(mixed_truth(eta, found$sigma, model$parts[[7]]), expected$truth_population, 1e-7)
  }
})

test_that("golden vectors: the limit of sigma to infinity, and the way to it", {
  for (case in golden("mixed_regression", "infinite")) {
    expected <- case$expected
    model <- parts_of(case$input)
    fixed <- mixed_climb(model, numeric(model$size), 0)
    expect_lte(abs(fixed$value - expected$loglik_fixed), 1e-8)
    found <- mixed_maximum(model, fixed$at[seq_len(model$size)], fixed$value)
    expect_lte(abs(found$limit$value - expected$loglik), 1e-5)
    expect_golden(found$limit$ratio, expected$ratio, 1e-4)
    ladder <- found$ladder$loglik[match(expected$profile$sigma, found$ladder$sigma)]
    expect_lte(max(abs(ladder - expected$profile$loglik)), 1e-5)
    expect_golden(stats::pnorm(drop(unique(case$input$x) %*% found$limit$ratio)), expected$truth_population, 1e-4)
  }
})

test_that("rows and groups in another order, a group twice and its weight, and exchanged answers are the same", {
  case <- golden("mixed_regression")[[8]]$input
  at <- c(0.3, -0.2, 0.9)[c(seq_len(ncol(case$x)), 3)]
  value <- mixed_value(parts_of(case), at)$value
  order <- withr::with_seed(1, sample(length(case$y)))
  shuffled <- case
  for (part in c("x", "y", "group")) shuffled[[part]] <- if (part == "x") case$x[order, ] else case[[part]][order]
  for (part in intersect(c("p", "q", "offset"), names(case))) if (length(case[[part]]) > 1) shuffled[[part]] <- case[[part]][order]
  expect_equal(mixed_value(parts_of(shuffled), at)$value, value, tolerance = 1e-12)
  twice <- case
  twice$x <- rbind(case$x, case$x)
  twice$y <- c(case$y, case$y)
  twice$group <- c(case$group, case$group + max(case$group))
  expect_equal(mixed_value(parts_of(twice), at)$value, 2 * value, tolerance = 1e-12)
  expect_length(parts_of(twice)$weight, length(parts_of(case)$weight))
  exchanged <- case
  exchanged$y <- 1 - case$y
  exchanged[c("p", "q")] <- list(1 - case$p, 1 - case$q)
  expect_equal(mixed_value(parts_of(exchanged), at)$value, value, tolerance = 1e-12)
})
