pair_fit <- function(types, p, q, target) rr_tmdh(rr_rowtype(types), list(p = p, q = q), target = target)

test_that("covariance, correlation and their variances of estimates (math 3.5)", {
  for (case in golden("correlation_estimate")) {
    input <- case$input
    expected <- case$expected
    for (target in c("sample", "population")) {
      fit <- pair_fit(input$reported_row_types, input$p1, input$p0, target)
      table <- as.data.frame(rr_association(fit))
      n <- sum(input$reported_row_types)
      kind <- if (target == "sample") "fixed_truth" else "iid_rows"
      factor <- if (target == "sample") 1 else n / (n - 1)
      expect_golden(unname(coef(fit) / n), c(expected$x, expected$y, expected$z))
      expect_golden(table$covariance, if (target == "sample") expected$cov else expected$cov_iid_unbiased)
      expect_golden(table$correlation, expected$corr)
      expect_golden((table$covariance.error / factor)^2, expected[[paste0("var_cov_", kind)]])
      expect_golden(table$correlation.error^2, expected[[paste0("var_corr_", kind)]])
      expect_golden(pair_gradient(unname(coef(fit) / n), "correlation"), expected$grad_corr)
      expect_golden(pair_gradient(unname(coef(fit) / n), "covariance"), expected$grad_cov)
    }
  }
})

test_that("association of a known truth, with the errors its estimates will have", {
  for (case in golden("correlation_exact")) {
    input <- case$input
    expected <- case$expected
    x <- rr_pmdh(input$truth_row_types, list(p = input$p1, q = input$p0))
    sample <- as.data.frame(rr_association(x, target = "sample"))
    population <- as.data.frame(rr_association(x, target = "population"))
    expect_golden(sample$covariance, expected$cov)
    expect_golden(sample$correlation, expected$corr)
    expect_golden(sample$covariance.error^2, expected$var_cov_exact_fixed_truth)
    expect_golden(sample$correlation.error^2, expected$var_corr_delta_fixed_truth)
    expect_golden(population$covariance.error^2, expected$var_cov_delta_iid_rows)
    expect_golden(population$correlation.error^2, expected$var_corr_delta_iid_rows)
    expect_golden(pair_parts(truth_of(x), "sample", TRUE)$covariance.variance, expected$var_cov_delta_fixed_truth)
  }
})

test_that("the joint covariance of several correlations", {
  for (case in golden("correlation_matrix")) {
    input <- case$input
    pairs <- lapply(seq_len(nrow(input$pairs)), function(i) input$pairs[i, ] + 1)
    for (target in c("sample", "population")) {
      fit <- rr_tmdh(rr_rowtype(input$reported_row_types), list(p = input$p1, q = input$p0), target = target)
      all <- rr_association(fit)
      labels <- vapply(pairs, function(pair) paste0("x", pair, collapse = ":"), "")
      expect_golden(as.data.frame(all)$correlation[match(labels, paste(all$pairs$x, all$pairs$y, sep = ":"))], case$expected$corr)
      expect_golden(vcov(all, pairs), case$expected[[if (target == "sample") "cov_of_corr_fixed_truth" else "cov_of_corr_iid_rows"]])
    }
  }
})

test_that("a correlation that is not defined is NA", {
  table <- as.data.frame(rr_association(rr_tmdh(rr_rowtype(c(6, 0, 0, 0)), rr_warner(0.8))))
  for (measure in c("correlation", "cramers.v")) expect_identical(table[[measure]], NA_real_)
})
