# A case's columns as the three ways in which a user may describe them.
case_mechanism <- function(input, how = "numbers") switch(how, numbers = list(p = input$p1, q = input$p0), list = Map(rr_binary, input$p1, input$p0))

test_that("row types and joint counts are the same histogram, exactly (Carette equations 47 and 68)", {
  for (case in golden("row_type_transform")) {
    types <- case$input$row_types
    counts <- rowtype(types)
    # The golden order is by bit mask; ours by size and then lexicographically.
    expect_identical(counts$values, as.double(case$expected$cooccurrence_by_bitmask)[1 + set_masks(case$input$columns)])
    expect_identical(unname(rowtype(counts)), as.double(types))
  }
})

test_that("Lemma 3.4, equations 24 and 25: M, its inverse and P", {
  for (case in golden("moment_matrices")) {
    input <- case$input
    m <- full_moment_matrix(input$p1, input$p0, order = input$max_order)
    expect_golden(m, case$expected$M)
    expect_golden(attr(m, "P"), case$expected$P)
    expect_golden(full_moment_matrix(input$p1, input$p0, order = input$max_order, inverse = TRUE), case$expected$M_inverse)
  }
})

test_that("Theorems 3.1, 3.2 and 3.3: mean and covariance of the reported histogram", {
  for (case in golden("pmdh")) {
    input <- case$input
    expected <- case$expected
    for (how in c("numbers", "list")) {
      x <- rr_pmdh(input$truth_row_types, case_mechanism(input, how), order = input$max_order)
      expect_golden(coef(x), expected$mean)
      expect_golden(vcov(x, target = "sample"), expected$cov_fixed_truth)
      expect_golden(vcov(x, target = "population"), expected$cov_iid_rows)
      expect_golden(tidy(x, target = "sample")$std.error^2, diag(as.matrix(expected$cov_fixed_truth)))
    }
  }
})

test_that("Theorems 3.5 and 3.6 in form (136): estimated truth and its covariance, both targets", {
  for (case in golden("tmdh")) {
    input <- case$input
    expected <- case$expected
    for (how in c("numbers", "list")) {
      counts <- rowtype(input$reported_row_types)
      expect_golden(shown_values(rr_cooccurrence(as.table(array(input$reported_row_types, rep(2, input$columns))), input$max_order)), expected$c)
      fit <- rr_tmdh(counts, case_mechanism(input, how), order = input$max_order)
      expect_golden(coef(fit), expected$mean)
      fixed <- suppressWarnings(vcov(fit, target = "sample"))
      expect_golden(as.matrix(fixed), expected$cov_fixed_truth)
      expect_golden(suppressWarnings(vcov(fit, sets = names(coef(fit)), target = "sample")), expected$cov_fixed_truth)
      expect_golden(vcov(fit, target = "population"), expected$cov_iid_rows)
      if (!is.null(expected$row_type_estimate)) expect_golden(rowtype(fit), expected$row_type_estimate)
    }
  }
})

test_that("equation 33: the exact covariance of the estimate for a known truth", {
  for (case in golden("tmdh_exact_covariance")) {
    input <- case$input
    x <- rr_pmdh(input$truth_row_types, case_mechanism(input), input$max_order)
    expect_golden(vcov(x, target = "sample", of = "estimate"), case$expected$cov_fixed_truth)
    expect_golden(vcov(x, target = "population", of = "estimate"), case$expected$cov_iid_rows)
  }
})

test_that("Lemma B.1, equation 55 with its comma: the law of one reported count", {
  for (case in golden("cooccurrence_pmf")) {
    input <- case$input
    expect_golden(rr_law(case_mechanism(input), truth = input$truth_row_types, set = input$set + 1)$probability, case$expected$pmf)
  }
})

test_that("appendix A: the law of the whole histogram of row types", {
  for (case in golden("row_type_histogram_pmf")) {
    input <- case$input
    law <- rr_law(case_mechanism(input), truth = input$truth_row_types)
    key <- function(x) apply(x, 1, paste, collapse = " ")
    at <- match(key(case$expected$row_type_histograms), key(law$histograms))
    expect_false(anyNA(at))
    expect_golden(law$probability[at], case$expected$pmf)
    expect_equal(sum(law$probability), 1, tolerance = 1e-13)
  }
})

test_that("blocks, sparse and dense covariances are the same numbers", {
  set.seed(7)
  p <- c(0.9, 0.8, 0.3, 0.75, 0.95)
  q <- c(0.2, 0.1, 0.6, 0.3, 0)
  bits <- matrix(rbinom(2000, 1, 0.4), 400)
  full <- rr_cooccurrence(bits, 5)
  for (order in 1:5) {
    fit <- rr_tmdh(full, list(p = p, q = q), order = order, target = "sample")
    sparse <- suppressWarnings(vcov(fit))
    expect_s4_class(sparse, "dsCMatrix")
    dense <- suppressWarnings(vcov(fit, sets = names(coef(fit))))
    expect_equal(as.matrix(sparse), dense, tolerance = 1e-12)
    expect_equal(tidy(fit)$std.error^2, unname(diag(dense)))
    # Pairs of sets that share a column.
    shared <- tcrossprod(vapply(paste0("x", 1:5), grepl, logical(nrow(dense)), x = rownames(dense))) > 0
    expect_equal(length(sparse@x), sum(shared[upper.tri(shared, TRUE)]))
    whole <- vcov(fit, target = "population")
    sets <- list("x2", c("x1", "x5"), 3:5)[seq_len(min(order, 3))]
    block <- vcov(fit, sets = sets, target = "population")
    expect_equal(block, whole[rownames(block), rownames(block), drop = FALSE])
    expect_gt(min(eigen(whole, symmetric = TRUE, only.values = TRUE)$values), -1e-9 * max(whole))
    expect_equal(tidy(rr_tmdh(full, list(p = p, q = q), order = order))$std.error^2, unname(diag(whole)))
  }
})

test_that("only the counts that a covariance needs must have been tallied", {
  set.seed(8)
  bits <- matrix(rbinom(3000, 1, 0.4), 500, dimnames = list(NULL, letters[1:6]))
  pairs <- rr_cooccurrence(bits, 2)
  triples <- rr_cooccurrence(bits, 3)
  skew <- list(p = 0.8, q = 0.1)
  # Symmetric designs need no triples, up to rounding of the estimate of zero.
  expect_equal(suppressWarnings(vcov(rr_tmdh(pairs, rr_warner(0.8), target = "sample"))),
               suppressWarnings(vcov(rr_tmdh(triples, rr_warner(0.8), order = 2, target = "sample"))))
  expect_s4_class(suppressWarnings(vcov(rr_tmdh(triples, skew, order = 2, target = "sample"))), "dsCMatrix")
  all <- rr_tmdh(rr_cooccurrence(bits, 6), skew, order = 2)
  sets <- list("a", c("a", "b"), c("c", "f"), c("d", "e"))
  named <- rr_tmdh(rr_cooccurrence(bits, 2, sets = sets), skew)
  expect_equal(vcov(named, sets = sets), vcov(all, sets = sets))
  # The union of the two last pairs that overlap.
  expect_error(vcov(rr_tmdh(pairs, skew, target = "sample")), "d:e:f", class = "candor_error_order")
  for (refused in expression(vcov(rr_tmdh(triples, skew)), rr_tmdh(pairs, skew, order = 3),
                             vcov(rr_tmdh(pairs, skew), sets = list(c("a", "b"), c("c", "d"))),
                             vcov(named, sets = list(c("a", "c"), c("b", "e"))))) expect_error(eval(refused), class = "candor_error_order")
})

test_that("ways of describing the columns agree, and wrong ones are refused", {
  set.seed(9)
  bits <- matrix(rbinom(600, 1, 0.4), 200, dimnames = list(NULL, c("a", "b", "c")))
  counts <- rr_cooccurrence(bits, 3)
  reference <- coef(rr_tmdh(counts, list(p = c(0.8, 0.7, 0.8), q = c(0.2, 0.3, 0.2))))
  expect_equal(coef(rr_tmdh(counts, list(b = rr_warner(0.7), a = rr_warner(0.8), c = rr_kuk(0.8, 0.2)))), reference)
  expect_equal(coef(rr_tmdh(counts, rr_warner(0.8))), coef(rr_tmdh(counts, list(p = 0.8, q = 0.2))))
  expect_equal(coef(rr_tmdh(counts, rr_forced(1 / 6))), coef(rr_tmdh(counts, list(p = 5 / 6, q = 1 / 6))))
  expect_equal(coef(rr_tmdh(counts, rr_grr(2, p = 0.8))), coef(rr_tmdh(counts, rr_warner(0.8))))
  expect_error(rr_tmdh(counts, list(p = c(0.8, 0.5, 0.8), q = c(0.2, 0.5, 0.2))), "\"b\"", class = "candor_error_no_information")
  expect_error(rr_tmdh(counts, rr_warner(0.8), order = 4), class = "candor_error_argument")
  expect_error(vcov(rr_tmdh(counts, rr_warner(0.8)), sets = "a:z"), class = "candor_error_level")
  for (wrong in list(list(a = rr_warner(0.7), z = rr_warner(0.8), c = rr_kuk(0.8, 0.2)), list(rr_warner(0.7), rr_warner(0.8)))) {
    expect_error(rr_tmdh(counts, wrong), class = "candor_error_mismatch")
  }
  for (wrong in list(list(p = c(0.8, 0.5), q = 0.1), list(p = 0.8, q = -0.1), list(rr_warner(0.7), 3, rr_warner(0.8)), 0.8,
                     rr_forced(c(0.1, 0.1, 0.2)))) expect_error(rr_tmdh(counts, wrong), class = "candor_error_argument")
  expect_refused(rr_tmdh(bits, rr_warner(0.8)), rr_tmdh(counts, rr_warner(0.8), target = "people"), rr_pmdh(1:3, rr_warner(0.8)))
})

# The population covariance by its definition: that of the debiased rows, in two passes over the row types.
population_covariance <- function(types, p, q) {
  d <- length(p)
  bits <- outer(seq_along(types) - 1, seq_len(d), function(t, j) t %/% 2^(j - 1) %% 2)
  u <- sweep(sweep(bits, 2, q), 2, p - q, `/`)
  masks <- set_masks(d)[-1]
  sets <- vapply(masks, function(mask) apply(u[, mask %/% 2^(seq_len(d) - 1) %% 2 == 1, drop = FALSE], 1, prod), types + 0)
  n <- sum(types)
  centred <- sweep(sets, 2, colSums(types * sets) / n)
  crossprod(centred * types, centred) * n / (n - 1)
}

test_that("reports that do not vary have a standard error of exactly 0 under the population target", {
  set.seed(27)
  for (run in 1:60) {
    d <- sample(1:4, 1)
    p <- stats::runif(d, 0.6, 1)
    q <- stats::runif(d, 0, 0.4)
    swap <- stats::runif(d) < 0.3
    design <- list(p = ifelse(swap, q, p), q = ifelse(swap, p, q))
    types <- replace(numeric(2^d), sample(2^d, 1), sample(c(2, 37, 757594423), 1))
    fit <- rr_tmdh(rowtype(types), design)
    expect_true(all(tidy(fit)$std.error == 0))
    expect_true(all(vcov(fit) == 0))
    expect_true(all(vcov(fit, sets = as.list(seq_len(d))) == 0))
  }
  # A column that does not vary beside two that do, 2 rows apart from the rest.
  types <- c(0, 0, 2, 7, 0, 0, 91, 4e8)
  p <- c(0.9, 0.95, 0.3)
  q <- c(0.07, 0.2, 0.8)
  fit <- rr_tmdh(rowtype(types), list(p = p, q = q))
  cov <- vcov(fit)
  expect_true(all(cov["x2", ] == 0))
  expect_golden(cov, population_covariance(types, p, q))
  expect_golden(vcov(fit, sets = rownames(cov)), population_covariance(types, p, q))
  expect_golden(tidy(fit)$std.error^2, diag(population_covariance(types, p, q)))
  pairs <- rr_association(fit)$pairs
  expect_identical(pairs$covariance[c(1, 3)], c(0, 0))
  expect_identical(pairs$covariance.error[c(1, 3)], c(0, 0))
})

test_that("population covariances of nearly constant reports keep their digits, further sets too", {
  set.seed(28)
  for (run in 1:20) {
    d <- sample(2:5, 1)
    p <- stats::runif(d, 0.55, 1)
    q <- stats::runif(d, 0, 0.45)
    types <- stats::rpois(2^d, 1)
    types[sample(2^d, 1)] <- 1e9
    expected <- population_covariance(types, p, q)
    fit <- rr_tmdh(rowtype(types), list(p = p, q = q))
    expect_golden(vcov(fit), expected)
    expect_golden(vcov(fit, sets = rownames(vcov(fit))), expected)
    expect_gte(min(diag(vcov(fit))), 0)
    # Covariances that are not asked for in full, and those whose unions are further sets.
    bits <- outer(rep(seq_along(types) - 1, pmin(types, 40)), seq_len(d), function(t, j) as.integer(t %/% 2^(j - 1) %% 2))
    sets <- list(1, 1:2, seq_len(d))
    named <- rr_tmdh(rr_cooccurrence(bits, 1, sets = sets), list(p = p, q = q))
    block <- vcov(named, sets = sets)
    labels <- rownames(vcov(fit))
    expect_golden(block, population_covariance(pmin(types, 40), p, q)[match(rownames(block), labels), match(rownames(block), labels)])
  }
})

test_that("a truth of an order with further sets has the variances of its debiased rows, and refusals name the set", {
  design <- list(p = c(0.9, 0.8, 0.7), q = c(0.2, 0.1, 0.3))
  types <- c(30, 12, 8, 9, 0, 0, 0, 20)
  bits <- outer(rep(0:7, types), 0:2, function(t, j) t %/% 2^j %% 2)
  fit <- rr_tmdh(rr_cooccurrence(bits, 2, sets = list(1:3)), design, order = 1)
  table <- tidy(rr_pmdh(fit), of = "estimate")
  # Sets of one column, and the set of all three.
  shown <- c(1:3, 7)
  expect_identical(table$term, c("x1", "x2", "x3", "x1:x2:x3"))
  expect_equal(table$std.error^2, diag(population_covariance(types, design$p, design$q))[shown] * 78 / 79)
  pairs <- rr_tmdh(rr_cooccurrence(bits, 2), design)
  expect_error(vcov(pairs, sets = list(1:2, 2:3)), "x1:x2:x3", class = "candor_error_order")
  expect_refused(rr_tmdh(rr_cooccurrence(bits[1, , drop = FALSE]), design), class = "empty")
  expect_refused(rr_tmdh(rr_cooccurrence(bits), design, conf.level = 1), vcov(pairs, target = "people"))
})

test_that("a histogram of one column is the sum of two binomial counts, and one of more than a million values is refused", {
  device <- rr_warner(0.8)
  law <- rr_law(device, truth = c(90, 110))
  expect_equal(law$histograms, cbind(0:200, 200:0))
  # Rows of no: 90 times 0.8 and 110 times 0.2.
  expect_equal(law$probability, convolve(dbinom(0:90, 90, 0.8), rev(dbinom(0:110, 110, 0.2)), type = "open"))
  # 180 rows of four types: choose(183, 3) is 1,004,731.
  expect_refused(rr_law(device, truth = c(177, 1, 1, 1)))
})

test_that("counts in scores have the variances and covariances of the sums of their products, row by row", {
  skewed <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.6, 0.3), c(0.2, 0.1, 0.7)), letters[1:3])
  survey <- rr_product(a = skewed, b = rr_warner(0.8))
  reports <- withr::with_seed(12, data.frame(a = sample(letters[1:3], 80, TRUE), b = sample(c("no", "yes"), 80, TRUE)))
  counts <- rr_cooccurrence(reports, 2, mechanism = survey)
  expect_false(is.null(counts$scores))
  u <- t(solve(t(unname(rr_matrix(skewed)))))[match(reports$a, letters), ]
  yes <- ((reports$b == "yes") - 0.2) / 0.6
  products <- cbind(u, yes, u * yes)
  sets <- c("a:a", "a:b", "a:c", "b", "a:a:b", "a:b:b", "a:c:b")
  # Rows that hold two sets together, estimated by the product of the scores of their union; nobody holds two categories.
  together <- matrix(0, 7, 7)
  for (j in 1:3) {
    together[c(j, 4, j + 4), c(j, 4, j + 4)] <- sum(products[, j + 4])
    together[j, j] <- sum(products[, j])
  }
  together[4, 4] <- sum(yes)
  expected <- list(population = 80 * stats::cov(products), sample = crossprod(products) - together)
  for (target in c("population", "sample")) {
    fit <- rr_tmdh(counts, survey, target = target)
    table <- tidy(fit)
    expect_setequal(table$term, sets)
    V <- suppressWarnings(vcov(fit, sets))
    expect_equal(V, expected[[target]], ignore_attr = TRUE)
    expect_equal(table$std.error[match(sets, table$term)]^2, pmax(diag(V), 0), ignore_attr = TRUE)
  }
})

test_that("sets of two categories have no law, direct reports support one category, and sets are at most 2^26", {
  survey <- list(a = rr_grr(c("u", "v", "w"), 1), b = rr_warner(0.8))
  truth <- table(a = c("u", "v", "w"), b = c("no", "yes", "no"))
  expect_refused(rr_law(survey, truth = truth, set = c("a:u", "a:v")))
  bits <- cbind("a:u" = c(1, 1), "a:v" = c(0, 1), "a:w" = 0, b = 0:1)
  expect_error(rr_tmdh(rr_cooccurrence(bits, 2), survey), class = "candor_error_impossible")
  # The sets of at most three of 700 columns are 57,085,051, and of 740 more than 2^26 = 67,108,864.
  expect_equal(check_order(3, 700), 3)
  expect_error(check_order(3, 740), class = "candor_error_order")
})
