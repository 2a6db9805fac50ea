# Association in tables of any size: derivatives by differences, Wald's test and the score test by dense algebra.

table_of <- rbind(c(0.15, 0.1, 0.05), c(0.1, 0.2, 0.02), c(0.03, 0.05, 0.18), c(0.02, 0.06, 0.04))
multinomial <- function(p, n) (diag(p) - tcrossprod(p)) / n

test_that("Cramer's V and its error are those of the formula and of its derivatives", {
  phi2 <- function(s) sum((s - outer(rowSums(s), colSums(s)))^2 / outer(rowSums(s), colSums(s)))
  v <- function(s) sqrt(phi2(s) / 2)
  V <- multinomial(as.vector(table_of), 80)
  gradient <- vapply(1:12, function(i) {
    h <- 1e-6 * (1:12 == i)
    # Tables that add up to 1 alone: the formula of phi^2 + 1 is taken off them.
    general <- function(s) sqrt((sum(s^2 / outer(rowSums(s), colSums(s))) - 1) / 2)
    (general(table_of + h) - general(table_of - h)) / 2e-6
  }, 0)
  result <- cramers_v(table_of, V)
  expect_equal(result$cramers.v, v(table_of))
  expect_equal(result$cramers.v.error, sqrt(drop(gradient %*% V %*% gradient)), tolerance = 1e-6)
  # Independence has no error, a margin of 0 or 1 no V.
  expect_identical(cramers_v(outer(c(0.25, 0.75), c(0.5, 0.5)), multinomial(rep(0.25, 4), 10)), list(cramers.v = 0, cramers.v.error = NA_real_))
  empty <- cramers_v(rbind(c(0.5, 0, 0.1), c(0.2, 0, 0.2)), diag(6))
  expect_identical(empty, list(cramers.v = NA_real_, cramers.v.error = NA_real_))
  expect_identical(cramers_v(rbind(c(0.6, 0.4), 0), diag(4))$cramers.v, NA_real_)
})

test_that("Wald's test of interactions is that of their numerical derivatives", {
  interactions <- function(s) as.vector((s - outer(rowSums(s), colSums(s)))[-1, -1])
  # Any covariance of tables whose sum is known.
  set.seed(1)
  half <- matrix(stats::rnorm(12 * 20), 12)
  half <- half - rep(colMeans(half), each = 12)
  V <- tcrossprod(half) / 1000
  J <- vapply(1:12, function(i) {
    h <- matrix(1e-5 * (1:12 == i), 4)
    (interactions(table_of + h) - interactions(table_of - h)) / 2e-5
  }, numeric(6))
  u <- interactions(table_of)
  test <- interaction_test(table_of, V, 100)
  expect_equal(test$statistic, drop(u %*% solve(J %*% V %*% t(J)) %*% u), tolerance = 1e-6)
  expect_identical(test$df, 6)
  # A covariance that is none has no test.
  expect_identical(interaction_test(table_of, -V, 100), list(statistic = NA_real_, df = 6))
  expect_identical(interaction_test(table_of, 0 * V, 100)$statistic, NA_real_)
})

test_that("the score test is Pearson's where all contrasts get through, and one direction's where one does", {
  row <- rowSums(table_of)
  column <- colSums(table_of)
  side <- function(first, contrasts) list(first = first, second = diag(first), contrasts = contrasts)
  all_of <- function(k) rbind(-1, diag(k - 1))
  test <- support_test(list(questions = list(side(row, all_of(4)), side(column, all_of(3))), between = table_of), 50)
  expect_equal(test$statistic, 50 * sum((table_of - outer(row, column))^2 / outer(row, column)))
  expect_identical(test$df, 6)
  # The unit of the contrasts does not matter, nor a column that others make but for a rounding.
  for (unit in c(1e-6, 1e12)) {
    expect_equal(support_test(list(questions = list(side(row, unit * all_of(4)), side(column, all_of(3) / unit)), between = table_of), 50), test)
  }
  flat <- list(first = numeric(3), second = diag(3), contrasts = outer(c(0.1, 0.3, 0), c(1, 3, 7)))
  expect_identical(support_test(list(questions = list(flat, side(column, all_of(3))), between = diag(3)), 50)$df, 2)
  # One direction a side, m: (m1' S^- C T^- m2)^2 / (m1' S^- m1 m2' T^- m2); for categories m' S^- is m / first.
  m1 <- c(0.3, -0.1, 0.1, -0.3)
  m2 <- c(0.2, -0.3, 0.1)
  test <- support_test(list(questions = list(side(row, cbind(m1)), side(column, cbind(m2, 2 * m2))), between = table_of), 50)
  C <- table_of - outer(row, column)
  expect_equal(test$statistic, 50 * drop((m1 / row) %*% C %*% (m2 / column))^2 / (sum(m1^2 / row) * sum(m2^2 / column)))
  expect_identical(test$df, 1)
  # Supports that never vary, or whose means no truth moves, say nothing.
  still <- list(first = 0.5, second = matrix(0.25), contrasts = matrix(1))
  expect_identical(support_test(list(questions = list(still, side(column, all_of(3))), between = t(0.5 * column)), 50), list(statistic = NA_real_, df = 0))
  expect_identical(support_test(list(questions = list(side(row, cbind(0 * m1)), side(column, all_of(3))), between = table_of), 50)$df, 0)
})

test_that("two yes/no questions under a survey design have the F distribution, and without one the chi-squared", {
  survey <- rr_product(x = rr_warner(0.8), y = rr_binary(0.9, 0.2))
  counts <- round(200 * drop(c(0.4, 0.15, 0.2, 0.25) %*% rr_matrix(survey)))
  fit <- rr_estimate(rr_counts(counts, survey), method = "inv")
  margin <- rr_margin(fit, c("x", "y"))
  row <- margin_association(margin)
  # Both channels are square: Pearson's statistic of the reported table.
  expect_equal(row$statistic, unname(suppressWarnings(stats::chisq.test(matrix(counts, 2), correct = FALSE))$statistic))
  expect_equal(row$p.value, stats::pchisq(row$statistic, 1, lower.tail = FALSE))
  s <- margin$estimate
  expect_equal(row$covariance, (s[2, 2] - sum(s[2, ]) * sum(s[, 2])) * 200 / 199, ignore_attr = TRUE)
  expect_equal(row$odds.ratio, s[1, 1] * s[2, 2] / (s[1, 2] * s[2, 1]))
  expect_equal(c(row$share.x, row$share.y, row$share.both), c(sum(s[2, ]), sum(s[, 2]), s[2, 2]))
  expect_equal(row$x.x, sum(margin$covariance[c(2, 4), c(2, 4)]))
  expect_equal(row$x.both, sum(margin$covariance[c(2, 4), 4]))
  V <- margin$covariance
  g <- 1 / as.vector(s) * c(1, -1, -1, 1)
  expect_equal(row$odds.ratio.error, row$odds.ratio * sqrt(drop(g %*% V %*% g)))
  # Eight degrees of freedom of a design, none of which the one interaction takes.
  margin$df <- 8
  designed <- margin_association(margin)
  wald <- interaction_test(unname(margin$estimate), margin$covariance, margin$n)$statistic
  expect_equal(designed$statistic, wald)
  expect_equal(designed$p.value, stats::pf(wald, 1, 8, lower.tail = FALSE))
  expect_equal(designed$covariance, s[2, 2] - sum(s[2, ]) * sum(s[, 2]), ignore_attr = TRUE)
  # These very respondents: Wald's test of their table.
  sampled <- margin_association(rr_margin(fit, c("x", "y"), target = "sample"))
  V <- vcov(fit, target = "sample")
  u <- s[2, 2] - sum(s[2, ]) * sum(s[, 2])
  a <- c(sum(s[2, ]) * sum(s[, 2]), -(1 - sum(s[2, ])) * sum(s[, 2]), -sum(s[2, ]) * (1 - sum(s[, 2])), (1 - sum(s[2, ])) * (1 - sum(s[, 2])))
  expect_equal(sampled$statistic, u^2 / drop(a %*% V %*% a), ignore_attr = TRUE)
})

test_that("larger designs: p-values by F with the degrees that are left, none where none are", {
  survey <- rr_product(x = rr_grr(3, p = 0.8), y = rr_grr(4, p = 0.7))
  fit <- rr_estimate(rr_counts(c(30, 20, 10, 12, 25, 14, 9, 18, 22, 11, 16, 27), survey), method = "inv")
  margin <- rr_margin(fit, c("x", "y"))
  for (df in c(9, 6, 5)) {
    margin$df <- df
    row <- margin_association(margin)
    expect_identical(row$df, 6)
    expected <- if (df == 5) NA_real_ else stats::pf(row$statistic * (df - 5) / (df * 6), 6, df - 5, lower.tail = FALSE)
    expect_equal(row$p.value, expected)
  }
  expect_refused(rr_association(rr_margin(fit, "x")), rr_association(fit, measure = "covariance"))
})

test_that("associations of categories with a yes are the covariances of their scores, of indicators and of any channel", {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.5, 0.4), c(0.3, 0.1, 0.6))
  a <- rep(1:3, c(20, 30, 30))
  b <- rep(c(0, 1, 1, 0, 1, 1, 1, 1, 0, 0), 8)
  for (first in list(rr_grr(c("u", "v", "w"), p = 0.8), rr_channel(C, levels = c("u", "v", "w")))) {
    survey <- list(a = first, b = rr_warner(0.8))
    reports <- data.frame(a = first$reports[a], b)
    table <- as.data.frame(rr_association(rr_tmdh(rr_cooccurrence(reports, mechanism = survey), survey)))
    expect_identical(table$y, rep("b", 3))
    scores <- unname(solve(rr_matrix(first)))[a, ]
    expect_equal(table$covariance, drop(cov(scores, (b - 0.2) / 0.6)))
    expect_equal(table$statistic, 80 * drop(cor(scores, b))^2)
  }
})

test_that("the score test does not depend on the unit of supports, and is Pearson's in tables of many sizes", {
  set.seed(30)
  side <- function(first, contrasts, unit = 1) list(first = unit * first, second = unit^2 * diag(first), contrasts = unit * contrasts)
  for (trial in 1:25) {
    k <- sample(2:7, 2, TRUE)
    shares <- matrix(stats::rgamma(prod(k), 2), k[1])
    shares <- shares / sum(shares)
    row <- rowSums(shares)
    column <- colSums(shares)
    # The rows of any channel less the first of them.
    contrasts <- lapply(k, function(k) {
      C <- prop.table(matrix(stats::rgamma(k^2, 1), k), 1)
      t(C[-1, , drop = FALSE]) - C[1, ]
    })
    pearson <- 40 * sum((shares - outer(row, column))^2 / outer(row, column))
    for (unit in c(1, 1e-4)) {
      test <- support_test(list(questions = list(side(row, contrasts[[1]], unit), side(column, contrasts[[2]])), between = unit * shares), 40)
      expect_equal(test, list(statistic = pearson, df = prod(k - 1)))
    }
  }
})
