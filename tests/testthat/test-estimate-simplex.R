#' @srrstats {G5.4, G5.4a} One-step maxima against 60-digit vectors and against an oracle that tries every support.
#' @srrstats {G5.8, G5.8a} Empty counts, one category, all reports in one category.

# The routines of glue_simplex.c and glue_ibu.c called as they are, past R's checks.

# a, b and odds = a / b of k-ary randomized response.
grr <- function(k, epsilon) {
  q <- 1 / (exp(epsilon) + k - 1)
  list(a = expm1(epsilon) * q, b = q, odds = expm1(epsilon))
}
grr_p <- function(k, p) {
  q <- (1 - p) / (k - 1)
  list(a = p - q, b = q, odds = (p - q) / q)
}
golden_form <- function(input) {
  k <- length(input$counts)
  if (is.null(input$epsilon)) grr_p(k, input$p) else grr(k, input$epsilon)
}
mle <- function(counts, form) .Call(C_rr_mle, as.double(counts), form$a, form$b, form$odds)
# The log-likelihood and the certificate of theta: no step of the iterative update.
loglik <- function(counts, form, theta) .Call(C_rr_ibu, as.double(counts), form$a, form$b, theta, 0, 0, 0L, NULL)

# Naive oracles: every support tried; the projection by its definition over sorted values.
naive_mle <- function(counts, form) {
  counts <- as.double(counts)
  k <- length(counts)
  b <- rep_len(form$b, k)
  order <- order(counts / b, decreasing = form$a > 0)
  best <- list(value = -Inf)
  for (m in seq_len(k)) {
    on <- order[seq_len(m)]
    share <- counts[on] / sum(counts[on])
    theta <- replace(numeric(k), on, (share * (form$a + sum(b[on])) - b[on]) / form$a)
    # The true estimate may lie a rounding below 0; what is clipped must not leave a rounding of report mass behind.
    if (anyNA(theta) || min(theta) < -1e-12) next
    value <- sum((counts * log(pmax(b + form$a * pmax(theta, 0), 0)))[counts > 0])
    if (value > best$value) best <- list(value = value, theta = pmax(theta, 0))
  }
  best$theta
}
naive_project <- function(x, total) {
  falling <- sort(x, decreasing = TRUE)
  excess <- (cumsum(falling) - total) / seq_along(x)
  pmax(x - excess[max(which(falling > excess))], 0)
}

special_counts <- list(c(1, 0), c(0, 1), c(5, 5), c(1, 1, 1), c(0, 0, 9), c(1, 2, 97), c(3, 1, 4, 1, 5), c(1e15, 1, 0),
                       c(2^53, 2^53 - 1), c(0.5, 0.25, 1e-9), c(7, 7, 7, 6), c(1e-6, 2e-6, 0))

test_that("log-likelihood and certificate match the 60-digit vectors", {
  for (case in golden("rr_loglik")) {
    evaluate <- function() loglik(case$input$counts, golden_form(case$input), as.double(case$input$theta))
    if (is.null(case$expected$gradient)) {
      expect_error(evaluate())
      next
    }
    result <- evaluate()
    expect_golden(result$loglik, case$expected$loglik)
    expect_golden(result$gap, case$expected$gap_log)
  }
})

test_that("rr_mle, rr_inv, rr_invn, rr_invp match the 60-digit vectors, and rr_mle tells its support", {
  for (file in c("rr_estimators", "rr_estimators_boundary", "rr_estimators_p_less_q")) {
    for (case in golden(file)) {
      form <- golden_form(case$input)
      counts <- as.double(case$input$counts)
      fit <- mle(counts, form)
      expect_golden(fit$estimate, case$expected$mle, label = file)
      expect_golden(.Call(C_rr_inv, counts, form$a, form$b), case$expected$inv)
      expect_golden(.Call(C_rr_invn, counts, form$a, form$b), case$expected$inv_n)
      expect_golden(.Call(C_rr_invp, counts, form$a, form$b), case$expected$inv_p)
      expect_identical(fit$zeros, sum(fit$estimate == 0) + 0)
      if (!is.null(case$expected$mle_dropped)) {
        # At an exact tie rounding may drop anything between the strictly smaller and the equal ones.
        dropped <- length(counts) - fit$active
        expect_true(dropped >= case$expected$mle_dropped && dropped <= case$expected$mle_zeros)
        # ... and the threshold is one point of the same line either way.
        expect_equal(fit$threshold / sum(counts), case$expected$mle_threshold, tolerance = 1e-11)
      }
    }
  }
})

test_that("rr_ibu matches the 60-digit vectors, and resumes to the same place", {
  for (case in golden("ibu_rr")) {
    form <- golden_form(case$input)
    counts <- as.double(case$input$counts)
    steps <- as.double(case$input$iterations)
    result <- .Call(C_rr_ibu, counts, form$a, form$b, NULL, steps, 0, 2L, NULL)
    expect_golden(result$estimate, case$expected$theta)
    expect_golden(result$loglik / sum(counts), case$expected$mean_loglik)
    expect_golden(result$gap, case$expected$gap_log)
    expect_length(result$trace$gap, steps + 1)
    half <- .Call(C_rr_ibu, counts, form$a, form$b, NULL, floor(steps / 2), 0, 0L, NULL)
    expect_null(half$trace$gap)
    rest <- .Call(C_rr_ibu, counts, form$a, form$b, half$estimate, steps - floor(steps / 2), 0, 1L, NULL)
    expect_equal(rest$estimate, result$estimate, tolerance = 1e-12)
    expect_null(rest$trace$loglik)
  }
})

test_that("rr_mle agrees with an oracle that tries every support, over special counts and designs", {
  for (counts in special_counts) {
    k <- length(counts)
    forms <- list(grr(k, 0.1), grr(k, 1), grr(k, 6), list(a = 0.5, b = seq_len(k) / sum(seq_len(k)) / 2, odds = NA_real_),
                  list(a = 0.5, b = c(0, rep(0.5 / (k - 1), k - 1)), odds = NA_real_))
    for (form in forms) {
      fit <- mle(counts, form)
      expect_equal(fit$estimate, naive_mle(counts, form), tolerance = 1e-9)
      expect_lte(abs(sum(fit$estimate) - 1), 2e-15)
      expect_true(all(fit$estimate >= 0))
      expect_lte(loglik(counts, form, fit$estimate)$gap, 1e-12)
    }
  }
})

test_that("p < q in any number of categories, and a vector b below it, is certified", {
  set.seed(1)
  for (k in c(2, 3, 5, 40)) {
    for (counts in list(rpois(k, 3) + c(1, numeric(k - 1)), c(9, numeric(k - 1)), rep(4, k))) {
      for (form in list(grr(k, -0.7), grr(k, -5), list(a = -0.1 / k, b = rep(c(0.9, 1.1), length.out = k), odds = NA_real_))) {
        if (length(form$b) > 1) form$b <- form$b / sum(form$b) * (1 - form$a)
        fit <- mle(counts, form)
        expect_lte(loglik(counts, form, fit$estimate)$gap, 1e-12)
        expect_lte(abs(sum(fit$estimate) - 1), 2e-15)
      }
    }
  }
})

test_that("a binary design is the same whichever report comes first", {
  for (yes in 0:10) {
    straight <- mle(c(10 - yes, yes), list(a = 0.6, b = c(0.3, 0.1), odds = NA_real_))
    turned <- mle(c(yes, 10 - yes), list(a = -0.6, b = c(0.7, 0.9), odds = NA_real_))
    expect_equal(straight$estimate, turned$estimate, tolerance = 1e-14)
    expect_equal(straight$estimate[2], min(max((yes / 10 - 0.1) / 0.6, 0), 1), tolerance = 1e-14)
  }
})

test_that("rr_project and rr_invp agree with the projection by its definition", {
  set.seed(2)
  for (i in seq_len(extended(50, 5000))) {
    x <- rnorm(sample(1:40, 1)) * 10^sample(-3:3, 1)
    expect_equal(.Call(C_rr_project, x, 2), naive_project(x, 2), tolerance = 1e-12)
  }
  for (counts in special_counts) {
    form <- grr(length(counts), 0.8)
    expect_equal(.Call(C_rr_invp, counts, form$a, form$b), naive_project(.Call(C_rr_inv, counts, form$a, form$b), 1), tolerance = 1e-9)
  }
})

test_that("inputs made to crash raise errors", {
  good <- c(3, 1, 2)
  form <- grr(3, 1)
  for (counts in list(1:3, structure(good, class = "integer64"), numeric(0), c(1, NaN, 2), c(1, -1, 2), c(0, 0, 0), NULL)) {
    expect_error(.Call(C_rr_mle, counts, form$a, form$b, form$odds))
    expect_error(.Call(C_rr_invp, counts, form$a, form$b))
  }
  for (bad in list(list(0, 1 / 3, 0), list(c(1, 2), form$b, form$odds), list(form$a, c(0.1, 0.2), form$odds), list(form$a, NULL, form$odds),
                   list(form$a, 0.9, form$odds), list(form$a, form$b, NA_real_))) expect_error(.Call(C_rr_mle, good, bad[[1]], bad[[2]], bad[[3]]))
  for (a in list("a", NA_real_)) for (routine in list(C_rr_inv, C_rr_invn)) expect_error(.Call(routine, good, a, form$b))
  for (bad in list(list(c(1, NA), 1), list(good, 0), list(numeric(0), 1))) expect_error(.Call(C_rr_project, bad[[1]], bad[[2]]))
  ibu <- function(start = NULL, steps = 1, tolerance = 0, keep = 0L, a = form$a, b = form$b) .Call(C_rr_ibu, good, a, b, start, steps, tolerance, keep, NULL)
  for (bad in list(list(c(0.5, 0.5)), list(c(0.5, 0.5, 0.5)), list(steps = -1), list(tolerance = NaN), list(keep = 3L), list(c(1, 0, 0), a = 1, b = 0))) {
    expect_error(do.call(ibu, bad))
  }
  for (theta in list(c(0.5, 0.5), c(2, -1, 0))) expect_error(loglik(good, form, theta))
})
