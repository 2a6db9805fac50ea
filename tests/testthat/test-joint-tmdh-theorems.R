# The theorems of Carette (2022) against algebra written out by hand, enumeration and simulation. `q` and `p` here are the
# paper's: q = P(1 | 1), p = P(1 | 0), that is the package's p and q.
q <- 0.8
p <- 0.1
design <- list(p = q, q = p)
types <- c(40, 12, 9, 14, 3, 8, 6, 8) # rows 000, 100, 010, 110, 001, 101, 011, 111
truth <- rowtype(types, columns = c("i", "j", "k"))
t <- as.list(coef(truth))
N <- sum(types)

test_that("Lemma A.1, equation 47: rows of a type from the counts of sets", {
  expect_identical(unname(rowtype(truth)), as.double(types))
  expect_equal(types[2], t$i - t$`i:j` - t$`i:k` + t$`i:j:k`) # row 100
})

test_that("Theorem 3.1, equation 22: the mean of a reported count", {
  mean <- coef(rr_pmdh(truth, design))
  expect_equal(mean[["i"]], (q - p) * t$i + p * N)
  expect_equal(mean[["i:j"]], (q - p)^2 * t$`i:j` + p * (q - p) * (t$i + t$j) + p^2 * N)
})

test_that("Theorem 3.2, equation 28: the variance of a reported count", {
  variance <- function(set) vcov(rr_pmdh(truth, design), list(set), target = "sample")[1, 1]
  expect_equal(variance("i"), (q - p) * t$i * (1 - q - p) + p * (1 - p) * N)
  expect_equal(variance(c("i", "j")), (q - p)^2 * (1 - (q + p)^2) * t$`i:j` + (q - p) * p * (1 - (q + p) * p) * (t$i + t$j) + p^2 * (1 - p^2) * N)
})

test_that("Theorem 3.3, its examples (30) and (31), the latter for V(c_ij, c_jk)", {
  cov <- vcov(rr_pmdh(truth, design), target = "sample")
  expect_equal(cov["i", "i:j"], N * p^2 * (1 - p) + t$j * p * (q - p) * (1 - p) + t$i * p * (q - p) * (1 - q - p) + t$`i:j` * (q - p)^2 * (1 - q - p))
  expect_equal(cov["i:j", "j:k"], N * p^3 * (1 - p) + (t$i + t$k) * p^2 * (q - p) * (1 - p) + t$j * p^2 * (q - p) * (1 - q - p) +
    (t$`i:j` + t$`j:k`) * p * (q - p)^2 * (1 - q - p) + t$`i:k` * p * (q - p)^2 * (1 - p) + t$`i:j:k` * (q - p)^3 * (1 - q - p))
  expect_identical(cov["i", "j:k"], 0)
})

test_that("Lemma B.2, equation 62: within rows of one kind the covariance is N p_union (1 - p_intersection)", {
  one <- rowtype(c(0, 0, 0, 50, 0, 0, 0, 0), columns = c("i", "j", "k")) # all rows 110
  cov <- vcov(rr_pmdh(one, design), target = "sample")
  expect_equal(cov["i:j", "j:k"], 50 * q * q * p * (1 - q))
  expect_equal(cov["i:j:k", "i:j:k"], 50 * q * q * p * (1 - q * q * p))
  expect_equal(cov["i", "i:k"], 50 * q * p * (1 - q))
})

test_that("equation 45 holds for rows of one kind, and only there (errata C13)", {
  conditional_mean <- function(types, x, y) {
    law <- rr_law(design, truth = types)
    h <- law$histograms
    keep <- h[, 2] + h[, 4] == x & h[, 3] + h[, 4] == y
    sum(h[keep, 4] * law$probability[keep]) / sum(law$probability[keep])
  }
  expect_equal(conditional_mean(c(0, 0, 0, 4), 3, 2), 3 * 2 / 4)
  expect_equal(conditional_mean(c(2, 0, 0, 2), 2, 2), 1.8076, tolerance = 1e-4)
})

test_that("Theorem 3.5, equation 35: the estimate, unbiased", {
  counts <- rowtype(c(33, 15, 11, 9, 12, 7, 5, 8), columns = c("i", "j", "k"))
  c <- as.list(coef(counts))
  mu <- coef(rr_tmdh(counts, design))
  expect_equal(mu[["i"]], (c$i - p * 100) / (q - p))
  expect_equal(mu[["i:j"]], (c$`i:j` - p * (c$i + c$j) + p^2 * 100) / (q - p)^2)
  # E(mu) = t: the estimate of the expected reports is the truth.
  expected <- rr_pmdh(truth, design)
  class(expected)[1] <- "rr_cooccurrence"
  expect_equal(coef(rr_tmdh(expected, design)), coef(truth))
})

test_that("Theorem 3.6 in form (136): its examples (41) to (44), (42) with its factor over all terms (errata C1, C2)", {
  counts <- rowtype(c(33, 15, 11, 9, 12, 7, 5, 8), columns = c("i", "j", "k"))
  c <- as.list(coef(counts))
  n <- 100
  fit <- rr_tmdh(counts, design, target = "sample")
  cov <- as.matrix(suppressWarnings(vcov(fit)))
  d <- q - p
  expect_equal(cov["i", "i"], (q * p * n + (1 - p - q) * c$i) / d^2)
  expect_equal(cov["i:j", "i:j"], (((1 - 2 * p)^2 - d^2) * c$`i:j` + p * (p * (1 - 2 * p) + d^2) * (c$i + c$j) - p^2 * q * (q - 2 * p) * n) / d^4)
  expect_equal(cov["i:j", "i"], ((1 - q - p) * (c$`i:j` - p * c$i) + q * p * (c$j - p * n)) / d^3)
  expect_equal(cov["i:j", "j:k"], ((1 - p - q) * (c$`i:j:k` - p * (c$`i:j` + c$`j:k`) + p^2 * c$j) + p * q * (c$`i:k` - p * (c$i + c$k) + p^2 * n)) / d^4)
  one <- rr_tmdh(rowtype(c(4, 6)), design, target = "sample")
  expect_equal(as.matrix(vcov(one))[1, 1], 20 / 7) # (40) as printed would give -390 / 49
})

test_that("a variance estimate may be negative, and then there is a warning (errata C20)", {
  nobody <- rr_tmdh(rowtype(c(100, 0, 0, 0)), design, target = "sample")
  expect_warning(cov <- vcov(nobody), class = "candor_warning_indefinite")
  expect_equal(as.matrix(cov)["x1:x2", "x1:x2"], -4800 / 2401)
  expect_true(is.na(tidy(nobody)$std.error[3]))
  expect_snapshot(write_said(vcov(nobody, sets = "x1:x2")))
  expect_silent(vcov(nobody, target = "population"))
})

test_that("simulation of many surveys agrees with mean and covariance, for both targets", {
  # Entries are judged against their Monte Carlo standard error; 5 of them is once in two million.
  set.seed(20220615)
  runs <- extended(2e5, 1e6)
  truth <- c(20, 5, 10, 15)
  design <- list(p = c(0.8, 0.9), q = c(0.1, 0.3))
  one <- expand.grid(a = c(0.1, 0.8), b = c(0.3, 0.9))
  channel <- t(apply(one, 1, function(y) c((1 - y[1]) * (1 - y[2]), y[1] * (1 - y[2]), (1 - y[1]) * y[2], y[1] * y[2])))
  reports <- list(
    sample = Reduce(`+`, lapply(1:4, function(x) stats::rmultinom(runs, truth[x], channel[x, ]))),
    population = stats::rmultinom(runs, 50, drop((truth / 50) %*% channel))
  )
  expected <- rr_pmdh(truth, design)
  for (target in names(reports)) {
    y <- reports[[target]]
    c <- rbind(y[2, ] + y[4, ], y[3, ] + y[4, ], y[4, ])
    mu <- rbind((c[1, ] - 0.1 * 50) / 0.7, (c[2, ] - 0.3 * 50) / 0.6, (c[3, ] - 0.3 * c[1, ] - 0.1 * c[2, ] + 0.03 * 50) / 0.42)
    for (what in c("reports", "estimate")) {
      x <- if (what == "reports") c else mu
      mean <- if (what == "reports") coef(expected) else coef(expected$truth)
      cov <- vcov(expected, target = target, of = what)
      expect_lt(max(abs(rowMeans(x) - mean) / sqrt(diag(cov) / runs)), 5)
      centred <- x - rowMeans(x)
      for (a in 1:3) for (b in 1:3) {
        product <- centred[a, ] * centred[b, ]
        expect_lt(abs(mean(product) - cov[a, b]) / (stats::sd(product) / sqrt(runs)), 5)
      }
    }
  }
})
