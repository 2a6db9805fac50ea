drop_constant <- function(x) structure(x, P = NULL)

test_that("appendix B.5: M and its inverse for three columns, block by block", {
  p <- 0.8 # Carette's q
  q <- 0.1 # Carette's p
  d <- p - q
  k21 <- rbind(c(1, 1, 0), c(1, 0, 1), c(0, 1, 1))
  m <- full_moment_matrix(p, q, columns = 3)
  expect_equal(unname(m[4:6, 1:3]), q * d * k21)
  expect_equal(unname(m[7, ]), c(rep(q^2 * d, 3), rep(q * d^2, 3), d^3))
  inverse <- full_moment_matrix(p, q, columns = 3, inverse = TRUE)
  expect_equal(unname(inverse[4:6, 1:3]), -q * d * k21 / d^3)
  expect_equal(unname(inverse[7, ]), c(rep(q^2, 3), rep(-q, 3), 1) / d^3)
})

test_that("equation 27 as corrected: a known total taken into the matrix, and its inverse", {
  p <- c(0.8, 0.8, 0.8, 0.9)
  q <- c(0.1, 0.1, 0.1, 0.3)
  for (order in 1:3) {
    with <- full_moment_matrix(p, q, order, total = 1:3)
    inverse <- full_moment_matrix(p, q, order, inverse = TRUE, total = 1:3)
    expect_equal(unname(with %*% inverse), diag(nrow(with)), tolerance = 1e-10)
    # One question of three categories: everybody has exactly one, so N comes out of the equation.
    types <- numeric(16)
    types[c(2, 3, 5, 10, 11, 13)] <- c(10, 20, 30, 5, 15, 25)
    truth <- rowtype(types)
    t <- shown_values(truth)[seq_len(nrow(with))]
    expected <- shown_values(rr_pmdh(truth, list(p = p, q = q)))[seq_len(nrow(with))]
    expect_equal(unname(drop(with %*% t)), expected)
    # As printed, with p times a matrix of ones, it is only right for order 1 and all columns.
    plain <- drop_constant(full_moment_matrix(p, q, order)) + 0.1
    expect_gt(max(abs(plain %*% t - expected)), 1)
  }
  expect_equal(unname(full_moment_matrix(0.8, 0.1, 1, columns = 3, total = 1:3)), 0.7 * diag(3) + 0.1)
})

test_that("a design that tells nothing is refused", {
  expect_error(full_moment_matrix(c(0.8, 0.3), c(0.1, 0.3), inverse = TRUE), class = "candor_error_no_information")
  expect_refused(full_moment_matrix(0.8, 1.1, columns = 2), full_moment_matrix(0.8, 0.1, columns = 2, order = 3))
  expect_error(full_moment_matrix(0.8, 0.1, columns = 2, total = "z"), class = "candor_error_level")
})

test_that("the moment matrix of expected and of estimated counts is that of the golden vectors, and maps truths to reports", {
  for (case in golden("moment_matrices")) {
    input <- case$input
    truth <- rowtype(rep(1, 2^input$columns))
    expected <- rr_pmdh(truth, list(p = input$p1, q = input$p0), order = input$max_order)
    M <- rr_matrix(expected)
    expect_golden(structure(M, constant = NULL), case$expected$M)
    expect_golden(attr(M, "constant"), case$expected$P)
    expect_golden(solve(M), case$expected$M_inverse, tolerance = 1e-9)
  }
  types <- rowtype(c(60, 15, 15, 10))
  reported <- rr_pmdh(types, rr_warner(0.8))
  M <- rr_matrix(reported)
  expect_equal(drop(M %*% c(25, 25, 10)) + 100 * attr(M, "constant"), coef(reported), ignore_attr = TRUE)
  expect_identical(rr_matrix(rr_tmdh(types, rr_warner(0.8))), M)
  expect_identical(dimnames(M), list(c("x1", "x2", "x1:x2"), c("x1", "x2", "x1:x2")))
  bits <- matrix(rbinom(13 * 50, 1, 0.5), 50)
  expect_refused(rr_matrix(rr_tmdh(rr_cooccurrence(bits, order = 7), rr_warner(0.8))), class = "too_large")
  expect_refused(rr_matrix(rr_cooccurrence(bits)))
})

test_that("counts of row types are named by their bits, the first column first", {
  truth <- expand.grid(a = 0:1, b = 0:1, c = 0:1)
  bits <- as.matrix(truth)[rep(1:8, 8:1), ]
  counts <- rowtype(rr_cooccurrence(bits, 3))
  expect_identical(names(counts), do.call(paste0, unname(truth)))
  expect_equal(unname(counts), as.double(8:1))
  expect_equal(counts[["101"]], sum(bits[, "a"] == 1 & bits[, "b"] == 0 & bits[, "c"] == 1))
})

test_that("row types are a vector, or a table with two categories in each dimension", {
  counts <- c(40, 10, 20, 30, 5, 6, 7, 8)
  expect_equal(unname(coef(rr_pmdh(counts, rr_binary(1, 0)))), unname(coef(rr_pmdh(array(counts, c(2, 2, 2)), rr_binary(1, 0)))))
  for (wrong in list(matrix(counts, 4, 2), matrix(counts, 1, 8), matrix(counts, 8, 1), counts[1:6], counts[1], array(counts, c(2, 4)))) {
    expect_refused(rr_pmdh(wrong, rr_warner(0.8)))
  }
  expect_refused(rr_pmdh(replace(counts, 2, -1), rr_warner(0.8)), rr_pmdh(replace(counts, 2, NA), rr_warner(0.8)), class = "counts")
  # A dimension whose first category is the 1 is turned.
  table <- as.table(array(counts[1:4], c(2, 2), list(a = c("0", "1"), b = c("0", "1"))))
  expect_equal(coef(rr_pmdh(table[2:1, ], rr_warner(0.8))), coef(rr_pmdh(table, rr_warner(0.8))))
  expect_equal(coef(rr_pmdh(table[, 2:1], rr_warner(0.8))), coef(rr_pmdh(table, rr_warner(0.8))))
})

test_that("numbers of rows are whole, finite and not negative, and a table of 1 before 0 means its labels", {
  for (bad in list(c(3, -1), c(3, NA), c(3, Inf), c(3, 1.5))) expect_error(row_type_counts(bad, "x", TRUE), class = "candor_error_counts")
  expect_identical(row_type_counts(c(3, 1.5), "x")$values, c(3, 1.5))
  for (shape in list(1:3, 1, "1", as.Date(c("2024-01-01", "2024-01-02")), matrix(1:8, 2))) expect_refused(row_type_counts(shape, "x"))
  # Rows a, columns b: 4 of (1, 1), 3 of (1, 0), 2 of (0, 1), 1 of (0, 0); the first column is the first bit.
  turned <- array(c(4, 2, 3, 1), c(2, 2), list(a = c("1", "0"), b = c("1", "0")))
  straight <- array(c(1, 3, 2, 4), c(2, 2), list(a = c("0", "1"), b = c("0", "1")))
  for (x in list(turned, straight)) {
    read <- row_type_counts(x, "x")
    expect_identical(read$values, c(1, 3, 2, 4))
    expect_identical(as.character(read$columns), c("a", "b"))
  }
  expect_identical(row_type_counts(array(1:4, c(2, 2), list(a = c("no", "yes"), b = NULL)), "x")$values, c(1, 2, 3, 4))
  # Labels are kept if all dimensions have them.
  levels_of <- function(dim, ...) row_type_counts(array(1:4, dim, list(...)), "x")$levels
  labels <- list(a = c("no", "yes"), b = c("0", "1"))
  expect_identical(levels_of(c(2, 2), a = labels$a, b = labels$b), labels)
  expect_null(c(levels_of(c(2, 2), a = labels$a, b = NULL), levels_of(4, letters[1:4])))
})

test_that("a table keeps its dimensions' names if all have one, and its unbiased shares may be negative", {
  named <- function(names) names(coef(rr_pmdh(as.table(array(1:4, c(2, 2), stats::setNames(list(0:1, 0:1), names))), rr_warner(0.8))))
  expect_identical(named(c("a", "b")), c("a", "b", "a:b"))
  expect_identical(named(c("a", "a")), c("a", "a.1", "a:a.1"))
  expect_identical(named(c("a", "")), c("x1", "x2", "x1:x2"))
  # Ten of a hundred yes, of whom twenty are expected if nobody is: (0.1 - 0.2) / 0.6.
  fit <- rr_tmdh(rowtype(c(90, 10)), rr_warner(0.8))
  expect_equal(as.vector(as.table(fit, "unbiased")), c(7, -1) / 6)
  expect_equal(as.vector(as.table(fit)), c(1, 0))
  # Without noise and without variation a cell is what it is.
  expect_equal(as.vector(as.table(rr_tmdh(rowtype(c(0, 0, 0, 5)), rr_binary(1, 0)), "truncated")), c(0, 0, 0, 1))
})

test_that("truncated shares are the means of normal variables above 0, with the variances of the rows' debiased indicators", {
  p <- c(0.9, 0.8, 0.7)
  q <- c(0.2, 0.1, 0.35)
  counts <- c(40, 10, 20, 30, 5, 6, 7, 8)
  inverses <- Map(function(p, q) solve(rbind(c(1 - q, q), c(1 - p, p))), p, q)
  # A row for each report, a column for each truth, the first bit running fastest.
  debiased <- kronecker(inverses[[3]], kronecker(inverses[[2]], inverses[[1]]))
  share <- colSums(counts * debiased) / 126
  error <- sqrt((colSums(counts * debiased^2) / 126 - share^2) / 125)
  above <- mapply(function(mean, sd) {
    moment <- function(power) integrate(function(x) x^power * dnorm(x, mean, sd), 0, 2, rel.tol = 1e-10)$value
    moment(1) / moment(0)
  }, share, error)
  fit <- rr_tmdh(rowtype(counts), list(p = p, q = q))
  expect_equal(as.vector(as.table(fit, "truncated")), above / sum(above), tolerance = 1e-8)
  expect_refused(as.table(rowtype(counts), "truncated"))
})
