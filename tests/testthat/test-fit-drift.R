# Are the tables of validation studies one channel, and does the estimate depend on which is taken? Truth: golden vectors,
# Fisher's exact test, formulas by hand, enumeration.

study <- function(table, ...) {
  dimnames(table) <- rep(list(letters[seq_len(nrow(table))]), 2)
  rr_misclassification(table = table, ...)
}

test_that("golden tests of one channel, and differences of the estimates of one field", {
  for (case in Filter(function(case) case$input$op == "drift", golden("doors_validated"))) {
    first <- study(case$input$first)
    second <- study(case$input$second)
    k <- nrow(case$input$first)
    test <- withr::with_seed(1, anova(first, second))
    expect_s3_class(test, c("anova", "data.frame"), exact = TRUE)
    expect_identical(rownames(test), c(letters[seq_len(k)], "all"))
    all <- test["all", ]
    expect_golden(c(all$Chisq, all$Deviance), c(case$expected$chisq, case$expected$deviance), 1e-10)
    expect_equal(all$Df, case$expected$df)
    # With few people of a cell the p-value is that of the redistribution.
    expect_equal(all[["Pr(>Chisq)"]], case$expected$p, tolerance = if (min(case$input$first) < 5) 0.02 else 1e-10)
    fits <- lapply(list(first = first, second = second), function(m) rr_estimate(rr_counts(case$input$counts, m), method = "mle"))
    table <- rr_compare(fits, terms = letters[seq_len(k)], paired = TRUE)
    expect_golden(table$estimate, case$expected$difference, 1e-8)
    expect_golden(table$std.error^2, case$expected$variance_of_difference, 1e-8)
    expect_equal(table$p.value, 2 * pnorm(-abs(case$expected$difference) / sqrt(case$expected$variance_of_difference)), tolerance = 1e-7)
    expect_equal(nobs(table), sum(case$input$counts))
    # By inversion, variances are those of the unbiased estimate: the field's part has n - 1.
    fits <- lapply(list(first, second), function(m) rr_estimate(rr_counts(case$input$counts, m), method = "inv"))
    expect_equal(rr_compare(fits, terms = letters[seq_len(k)], paired = TRUE)$std.error^2, case$expected$variance_of_difference, tolerance = 1e-3)
  }
})

test_that("each truth has a row: a specificity that fell, several studies, reports that nobody gives", {
  test <- anova(study(rbind(c(380, 20), c(30, 170))), study(rbind(c(340, 60), c(30, 170))))
  truth <- suppressWarnings(chisq.test(rbind(c(380, 20), c(340, 60)), correct = FALSE))
  expect_equal(test["a", "Chisq"], truth$statistic[[1]])
  expect_equal(test[["Pr(>Chisq)"]][1], truth$p.value)
  expect_equal(test["b", "Chisq"], 0)
  three <- anova(study(rbind(c(90, 10), c(20, 80))), study(rbind(c(80, 20), c(30, 70))), study(rbind(c(85, 15), c(20, 80))))
  expect_identical(three$Df, c(2, 2, 4))
  none <- rbind(c(50, 50, 0), c(20, 70, 10), c(30, 30, 40))
  expect_identical(anova(study(none), study(none))$Df, c(1, 2, 2, 5))
})

# P(X^2 as large) given the sums: tables of two rows and columns by the hypergeometric distribution, truths independent.
test_that("few people: the p-value is that of their redistribution, by enumeration", {
  first <- rbind(c(18, 2), c(1, 9))
  second <- rbind(c(15, 5), c(4, 6))
  laws <- lapply(1:2, function(x) {
    counts <- rbind(first[x, ], second[x, ])
    n <- 0:sum(counts[, 1])
    n <- n[n <= sum(counts[1, ]) & sum(counts[, 1]) - n <= sum(counts[2, ])]
    expected <- outer(rowSums(counts), colSums(counts)) / sum(counts)
    chisq <- (n - expected[1, 1])^2 * sum(1 / expected)
    list(prob = dhyper(n, sum(counts[1, ]), sum(counts[2, ]), sum(counts[, 1])), chisq = chisq, seen = chisq[n == counts[1, 1]])
  })
  exact <- sum(outer(laws[[1]]$prob, laws[[2]]$prob) * (outer(laws[[1]]$chisq, laws[[2]]$chisq, "+") >= laws[[1]]$seen + laws[[2]]$seen - 1e-9))
  set.seed(1)
  test <- anova(study(first), study(second))
  # 9,999 draws: four standard errors.
  expect_lte(abs(test["all", "Pr(>Chisq)"] - exact), 4 * sqrt(exact * (1 - exact) / 9999))
  each <- sum(laws[[2]]$prob[laws[[2]]$chisq >= laws[[2]]$seen - 1e-9])
  expect_lte(abs(test["b", "Pr(>Chisq)"] - each), 4 * sqrt(each * (1 - each) / 9999))
})

test_that("bad input", {
  two <- study(rbind(c(95, 5), c(10, 40)))
  other <- study(rbind(c(180, 20), c(15, 85)))
  expect_refused(anova(two), anova(two, rr_warner(0.8)), anova(two, 3), anova(rr_misclassification(0.8, 0.9), two))
  expect_error(anova(two, study(diag(20, 3) + 1)), class = "candor_error_mismatch")
  fit <- function(m, counts = c(880, 120), ...) rr_estimate(rr_counts(counts, m), ...)
  expect_error(rr_compare(list(fit(two), fit(other, c(881, 119))), paired = TRUE), class = "candor_error_mismatch")
  outside <- suppressWarnings(list(fit(two, c(990, 10)), fit(other, c(990, 10))))
  one_outside <- suppressWarnings(list(fit(rr_warner(0.8), c(850, 150)), fit(rr_warner(0.9), c(850, 150))))
  expect_refused(suppressWarnings(rr_compare(outside, paired = TRUE)), suppressWarnings(rr_compare(one_outside, paired = TRUE)))
  expect_refused(rr_compare(list(fit(two), fit(two)), paired = TRUE), rr_compare(list(fit(two), fit(other, target = "sample")), paired = TRUE),
    rr_compare(fit(two, cbind(a = c(880, 120), b = c(700, 300))), paired = TRUE), rr_compare(list(fit(two), fit(other, method = "inv")), paired = TRUE),
      rr_compare(list(fit(two), fit(other)), paired = NA))
})

test_that("five people expected in each cell are enough for chi-squared; fewer must be whole numbers, and zeros add nothing to a deviance", {
  tables <- list(rbind(c(4, 16), c(6, 14)), rbind(c(0, 20), c(10, 10)))
  expected <- list(rbind(c(5, 15), c(5, 15)), rbind(c(5, 15), c(5, 15)))
  chisq <- c(2 / 5 + 2 / 15, 2 * 25 / 5 + 2 * 25 / 15)
  test <- homogeneity_tests(tables)
  expect_equal(test$Chisq, c(chisq, sum(chisq)))
  expect_equal(test[["Pr(>Chisq)"]], pchisq(test$Chisq, c(1, 1, 2), lower.tail = FALSE))
  deviance <- 2 * c(4 * log(4 / 5) + 16 * log(16 / 15) + 6 * log(6 / 5) + 14 * log(14 / 15), 20 * log(20 / 15) + 10 * log(2) + 10 * log(2 / 3))
  expect_equal(test$Deviance, c(deviance, sum(deviance)))
  expect_refused(homogeneity_tests(list(tables[[1]], rbind(c(1.5, 2), c(2, 2)))))
  # Few of equal rows: all redistributions are as far from what is expected. A report that one person gave is a report.
  few <- withr::with_seed(1, homogeneity_tests(list(rbind(c(3, 2), c(3, 2)), rbind(c(10, 1), c(9, 0)))))
  expect_identical(few[["Pr(>Chisq)"]][1], 1)
  expect_identical(few$Df, c(1, 1, 2))
  # Fractions are no matter if there are enough.
  expect_equal(homogeneity_tests(list(tables[[1]] * 1.3))$Chisq[1], 1.3 * chisq[1])
})

test_that("paired fits are of one mechanism each, without intervals of all looks, by the same reports of as many people", {
  two <- study(rbind(c(95, 5), c(10, 40)))
  other <- study(rbind(c(180, 20), c(15, 85)))
  third <- study(rbind(c(80, 20), c(25, 75)))
  fit <- function(m, ..., effective_n = NULL) rr_estimate(rr_counts(c(880, 320), m, effective_n = effective_n), ...)
  expect_identical(nrow(rr_compare(list(fit(two), fit(other), fit(third)), paired = TRUE)), 3L)
  expect_refused(rr_compare(list(fit(two), fit(other), fit(two)), paired = TRUE))
  expect_error(rr_compare(list(fit(two), fit(other, effective_n = 700)), paired = TRUE), class = "candor_error_mismatch")
  known <- list(rr_warner(0.8), rr_warner(0.9))
  looking <- lapply(known, fit, interval = "anytime", plan = 500, method = "inv")
  expect_refused(rr_compare(looking, paired = TRUE))
  # The same reports through two devices, unbiased: (s - q) / (p - q) each, so that the errors are those of s, times 1 / 0.8 - 1 / 0.6.
  compared <- rr_compare(lapply(known, fit, method = "inv"), paired = TRUE)
  s <- 320 / 1200
  expect_equal(compared$estimate, (s - 0.1) / 0.8 - (s - 0.2) / 0.6)
  expect_equal(compared$std.error, abs(1 / 0.8 - 1 / 0.6) * sqrt(s * (1 - s) / 1199))
})
