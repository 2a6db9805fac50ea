# The distribution of the number of true yes among several questions.

sum_cases <- function(op) Filter(function(case) case$input$op == op, golden("doors_small"))

# The joint counts that have these counts of sums, all in the first cell of each sum.
cells_of_sums <- function(counts) {
  items <- length(counts) - 1
  sums <- rowSums(expand.grid(rep(list(0:1), items)))
  replace(numeric(2^items), match(0:items, sums), counts)
}

# The coefficients of the polynomial prod_j ((1 - u_j) + s u_j) of a person, multiplied out.
polynomial_weights <- function(row, p, q) {
  u <- (row - q) / (p - q)
  Reduce(function(w, u) c(w * (1 - u), 0) + c(0, w * u), u, 1)
}

test_that("sums of equal devices: exact estimates, covariances and likelihoods, from sums and from answers", {
  for (case in sum_cases("sum_equal")) {
    input <- case$input
    expected <- case$expected
    device <- rr_binary(input$p, input$q)
    sums <- rr_channel(device, levels = 0:input$items)
    expect_golden(det(rr_matrix(sums)), expected$channel_det, 1e-9)
    tally <- rr_counts(input$counts, sums)
    likely <- rr_estimate(tally)
    expect_golden(coef(likely), expected$mle, 1e-7)
    expect_golden(as.numeric(logLik(likely)), expected$loglik_mle, 1e-8)
    items <- do.call(rr_product, setNames(rep(list(device), input$items), letters[seq_len(input$items)]))
    expect_identical(rr_matrix(rr_channel(items)), rr_matrix(sums))
    # All answers with one sum are in one cell, which is unlikely.
    joint <- rr_counts(cells_of_sums(input$counts), items)
    for (target in c("population", "sample")) {
      covariance <- expected[[paste0("vcov_", target)]]
      fit <- rr_estimate(tally, method = "inv", target = target)
      expect_golden(coef(fit), expected$inv, 1e-9)
      expect_golden(vcov(fit), covariance, 1e-9)
      unbiased <- suppressWarnings(rr_estimate(joint, method = "inv", target = target))
      margin <- rr_margin(unbiased, names(items$questions), sum = TRUE)
      expect_golden(coef(margin), expected$inv, 1e-9)
      expect_golden(vcov(margin), covariance, 1e-9)
    }
    # The mean number is the sum of the shares of yes.
    expect_golden(sum((0:input$items) * coef(margin)), expected$mean, 1e-9)
  }
})

test_that("sums of unequal devices: exact estimates and covariances, from answers and joint counts", {
  for (case in sum_cases("sum_rows")) {
    input <- case$input
    questions <- Map(rr_binary, input$p, input$q)
    names(questions) <- letters[seq_along(questions)]
    survey <- rr_product(questions)
    rows <- setNames(as.data.frame(input$rows), names(questions))
    weights <- apply(input$rows, 1, polynomial_weights, input$p, input$q)
    counts <- rr_cooccurrence(rows, order = length(questions))
    for (target in c("population", "sample")) {
      covariance <- case$expected[[paste0("vcov_", target)]]
      margins <- list(
        rr_margin(rr_estimate(rows, survey, method = "inv", target = target), names(questions), sum = TRUE),
        rr_margin(rr_tmdh(counts, survey, target = target), names(questions), sum = TRUE)
      )
      for (margin in margins) {
        expect_golden(coef(margin), case$expected$estimate, 1e-9)
        expect_golden(coef(margin), rowMeans(weights), 1e-9)
        expect_golden(vcov(margin), covariance, 1e-9)
      }
      expect_equal(confint(margins[[1]]), confint(margins[[2]]), tolerance = 1e-8)
    }
    expect_refused(rr_channel(survey))
  }
})

test_that("intervals of sums solve the score equation, with moments by enumeration", {
  skip_if_not_installed("quadprog")
  case <- sum_cases("sum_rows")[[1]]
  p <- case$input$p
  q <- case$input$q
  survey <- rr_product(a = rr_binary(p[1], q[1]), b = rr_binary(p[2], q[2]), c = rr_binary(p[3], q[3]))
  rows <- setNames(as.data.frame(case$input$rows), c("a", "b", "c"))
  n <- nrow(rows)
  fit <- rr_estimate(rows, survey, method = "inv")
  margin <- rr_margin(fit, 1:3, sum = TRUE)
  limits <- confint(margin)
  truths <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  weights <- apply(truths, 1, polynomial_weights, p, q)
  channel <- apply(truths, 1, function(y) {
    apply(truths, 1, function(x) prod(ifelse(y == 1, ifelse(x == 1, p, q), 1 - ifelse(x == 1, p, q))))
  })
  # E of each weight given each truth is the indicator of its sum.
  expect_equal(channel %*% t(weights), 1 * outer(rowSums(truths), 0:3, `==`), ignore_attr = TRUE)
  theta <- quadprog::solve.QP(diag(8), unname(coef(fit)), cbind(1, diag(8)), c(1, numeric(8)), meq = 1)$solution
  for (k in 1:3) {
    squares <- drop(channel %*% weights[k + 1, ]^2)
    inside <- rowSums(truths) == k
    mixed <- function(members) sum(theta[members] * squares[members]) / sum(theta[members])
    for (limit in limits[k + 1, ][limits[k + 1, ] > 0 & limits[k + 1, ] < 1]) {
      variance <- limit * mixed(inside) + (1 - limit) * mixed(!inside) - limit^2
      expect_equal(n * (coef(margin)[[k + 1]] - limit)^2 / variance, qnorm(0.975)^2, tolerance = 1e-6)
    }
  }
})

test_that("sums of a likelihood fit, of some questions, given another, and refusals", {
  set.seed(5)
  survey <- rr_product(a = rr_forced(1 / 6), b = rr_warner(0.8), c = rr_forced(1 / 4), sex = rr_binary(1, 0), k = rr_grr(3, p = 0.8))
  people <- data.frame(a = rbinom(900, 1, 0.4), b = rbinom(900, 1, 0.3), c = rbinom(900, 1, 0.2), sex = rbinom(900, 1, 0.5), k = 1)
  fit <- suppressWarnings(rr_estimate(rr_perturb(people, survey, rng = "R"), survey))
  joint <- as.table(fit)
  items <- apply(joint, 1:3, sum)
  sums <- tapply(as.vector(items), rowSums(expand.grid(0:1, 0:1, 0:1)), sum)
  margin <- rr_margin(fit, c("a", "b", "c"), sum = TRUE)
  expect_equal(unname(coef(margin)), as.vector(sums))
  expect_identical(names(tidy(margin)), c("sum", "estimate", "std.error"))
  pairs <- apply(joint, c(1, 3, 4), sum)
  given <- vapply(1:2, function(s) {
    as.vector(tapply(as.vector(pairs[, , s]), c(0, 1, 1, 2), sum)) / sum(pairs[, , s])
  }, numeric(3))
  conditional <- suppressWarnings(rr_margin(fit, c("a", "c"), given = "sex", sum = TRUE))
  expect_equal(unname(coef(conditional)), as.vector(given))
  # The mean by a contrast: the sum of the shares of yes.
  means <- c(apply(joint, 1, sum)[2], apply(joint, 2, sum)[2], apply(joint, 3, sum)[2])
  contrast <- suppressWarnings(rr_contrast(margin, list(mean = 0:3)))
  expect_equal(tidy(contrast)$estimate, sum(means))
  expect_output(print(margin), "Number of yes to a, b, c")
  expect_refused(
    rr_margin(fit, c("a", "k"), sum = TRUE), rr_margin(fit, "a", sum = NA), rr_channel(survey),
    rr_channel(rr_warner(0.8)), rr_channel(rr_warner(0.8), levels = 1:3), rr_channel(rr_grr(3, p = 0.8), levels = 0:3),
    rr_channel(rr_product(a = rr_warner(0.8), b = rr_warner(0.8)), levels = 0:3),
    rr_channel(rr_misclassification(table = rbind(no = c(no = 90, yes = 10), yes = c(5, 95))), levels = 0:2)
  )
})

test_that("the picture of a sum has a row for each number", {
  skip_if_not_installed("ggplot2")
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  fit <- rr_estimate(rr_counts(c(40, 30, 20, 10), survey), method = "inv")
  picture <- ggplot2::autoplot(rr_margin(fit, 1:2, sum = TRUE))
  # From the bottom up.
  expect_identical(levels(picture$data$label), c("2", "1", "0"))
})

test_that("sums in a survey design are the design's means of each person's polynomial", {
  skip_if_not_installed("survey")
  case <- sum_cases("sum_rows")[[1]]
  p <- case$input$p
  q <- case$input$q
  people <- setNames(as.data.frame(case$input$rows), c("a", "b", "c"))
  people$cluster <- rep(1:8, 5)
  people$w <- rep(1:5, 8)
  survey <- rr_product(a = rr_binary(p[1], q[1]), b = rr_binary(p[2], q[2]), c = rr_binary(p[3], q[3]))
  people[paste0("w", 0:3)] <- t(apply(case$input$rows, 1, polynomial_weights, p, q))
  design <- survey::svydesign(~cluster, weights = ~w, data = people)
  mean <- survey::svymean(~ w0 + w1 + w2 + w3, design)
  margin <- rr_margin(rr_estimate(design, survey, method = "inv"), c("a", "b", "c"), sum = TRUE)
  expect_equal(unname(coef(margin)), unname(coef(mean)))
  expect_equal(unname(vcov(margin)), unname(matrix(vcov(mean), 4)))
})
