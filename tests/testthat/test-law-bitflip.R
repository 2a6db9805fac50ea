# dBitFlip by enumeration: each pair of four buckets is drawn alike, and each of its two bits is 1 with probability p in
# the truth's bucket and q in any other.

p <- 0.7
q <- 0.2
law <- new_law_bitflip(4, 2, p, q, p - q)
pairs <- utils::combn(4, 2)
reports <- expand.grid(pair = 1:6, first = 0:1, second = 0:1)
bits <- cbind(reports$first, reports$second)
drawn <- t(pairs)[reports$pair, ]
C <- t(vapply(1:4, function(x) {
  one <- ifelse(drawn == x, p, q)
  chance <- ifelse(bits == 1, one, 1 - one)
  chance[, 1] * chance[, 2] / 6
}, numeric(24)))
# What each report counts: the ones of the buckets, then the zeros; and its term (b / d) (bit - q) / (p - q).
counted <- t(vapply(1:24, function(r) {
  x <- numeric(8)
  x[drawn[r, ] + 4 * (bits[r, ] == 0)] <- 1
  x
}, numeric(8)))
L <- 2 * (t(counted[, 1:4]) * (1 - q) - t(counted[, 5:8]) * q) / (p - q)
times <- c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4)
n <- sum(times)
evidence <- new_evidence(law, drop(times %*% counted), n, n, 4)

test_that("expected counts, estimate and moments are those of the enumeration", {
  expect_equal(rowSums(C), rep(1, 4))
  expect_equal(L %*% t(C), diag(4))
  theta <- c(0.4, 0.3, 0.2, 0.1)
  expect_equal(law_expected(law, theta), drop(theta %*% C %*% counted))
  expect_equal(law_expected(law, 3 * theta), drop(3 * theta %*% C %*% counted))
  expect_equal(law_unbiased(law, evidence), drop(L %*% times) / n)
  w <- c(2, -1, 0.5, 3)
  expect_equal(law_second_moments(law, 4, w), drop(C %*% drop(w %*% L)^2))
  given <- L^2 %*% t(C)
  expect_equal(bitflip_moment(law, 1), given[1, 1])
  expect_equal(bitflip_moment(law, 0), given[1, 2])
  expect_equal(law_null_std_error(law, evidence), sqrt(given[1, 2] / n))
  # At the estimate: moments are linear in the share, and no truth lies in two buckets.
  inv <- drop(L %*% times) / n
  squares <- given[1, 2] + inv * (given[1, 1] - given[1, 2])
  expect_equal(term_squares(law, evidence, c(4L, 2L)), squares[c(4, 2)])
  expect_equal(term_products(law, evidence, c(4L, 2L)), diag(squares[c(4, 2)]))
  expect_equal(term_products(law, evidence, 3L), matrix(squares[3]))
  expect_equal(max(abs(L[1, ] * L[2, ] * t(C[3:4, ]) %*% c(0.5, 0.5))) > 0, TRUE)
  expect_equal(drop(C %*% (L[1, ] * L[2, ])), numeric(4))
})

test_that("variances and intervals follow: fixed truths lose the share, sampled truths its square", {
  inv <- drop(L %*% times) / n
  moments <- c(bitflip_moment(law, 0), bitflip_moment(law, 1))
  squares <- moments[1] + inv * diff(moments)
  expect_equal(law_variances(law, evidence, identity_map(4), 1:4, "sample"), (squares - inv) / n)
  expect_equal(law_variances(law, evidence, identity_map(4), 1:4, "population"), (squares - inv^2) / (n - 1))
  expected <- moment_intervals(inv[c(4, 2)], moments[2], moments[1], n, 0.9, "sample")
  expect_equal(law_intervals(law, evidence, NULL, "wilson", 0.9, c(4L, 2L), "sample"), expected)
  # Ones of a bucket among those who drew it; nobody is a number above 0.
  binomial <- binomial_counts(law, evidence)
  expect_equal(binomial, list(counts = evidence$counts[1:4], n = evidence$counts[1:4] + evidence$counts[5:8]))
  expect_identical(binomial_counts(law, list(counts = c(0, 1, 2, 0, 0, 3, 1, 0)))$n, c(1e-6, 4, 3, 1e-6))
})

test_that("kept reports have the probabilities of the enumeration, over their largest", {
  # In bytes: the ones of the buckets, then which were drawn.
  is_drawn <- counted[, 1:4] + counted[, 5:8]
  kept <- law
  storage.mode(is_drawn) <- "integer"
  ones <- counted[, 1:4]
  storage.mode(ones) <- "integer"
  kept$sets <- list(bits = cbind(.Call(C_rr_matrix_to_bits, ones)$bits, .Call(C_rr_matrix_to_bits, is_drawn)$bits), times = times)
  rows <- bitflip_rows(kept)
  expect_equal(rows$matrix * exp(rows$logs), t(C))
  expect_equal(apply(rows$matrix, 1, max), rep(1, 24))
  single <- bitflip_rows(replace(kept, "sets", list(list(bits = kept$sets$bits[7, , drop = FALSE]))))
  expect_equal(single$matrix * exp(single$logs), rbind(C[, 7]))
  theta <- c(0.4, 0.3, 0.2, 0.1)
  expect_equal(law_loglik(kept, evidence, theta), sum(times * log(drop(theta %*% C))))
  expect_identical(set_bytes(law, 4), 2)
  expect_identical(set_bytes(law, 9), 4)
  expect_true(law_gives(kept, "likelihood"))
  expect_false(law_gives(law, "likelihood"))
})

test_that("a bucket is doubted beyond the ones of nobody and of everybody who drew it", {
  odd <- function(ones, people) law_unlikely(law, list(counts = c(ones, 18, 18, 18, people - ones, 22, 22, 22)), 0.01)
  low <- stats::qbinom(0.01 / 8, 60, q)
  high <- 60 - stats::qbinom(0.01 / 8, 60, 1 - p)
  expect_identical(c(odd(low - 1, 60), odd(low, 60), odd(high, 60), odd(high + 1, 60)), c(TRUE, FALSE, FALSE, TRUE))
})

test_that("the blanket is what all truths have in common, with the largest distance of two of them, by enumeration", {
  p <- 0.7
  q <- 0.3
  for (d in 1:3) {
    reports <- expand.grid(c(list(set = seq_len(choose(4, d))), rep(list(0:1), d)))
    drawn <- t(utils::combn(4, d))[reports$set, , drop = FALSE]
    chance <- vapply(1:4, function(x) {
      one <- ifelse(drawn == x, p, q)
      apply(ifelse(reports[-1] == 1, one, 1 - one), 1, prod) / choose(4, d)
    }, numeric(nrow(reports)))
    distance <- max(stats::dist(t(chance), "manhattan")) / 2
    local <- min(d, 2) * log(p / q)
    # Of two bits or more the bound is that of each report, p / q below a truth outside of its buckets.
    weight <- if (d == 1) sum(apply(chance, 1, min)) else q / p
    expect_lte(weight, sum(apply(chance, 1, min)) + 1e-12)
    expect_equal(law_blanket(new_law_bitflip(4, d, p, q, p - q), 4, local), two_level_blanket(weight, distance, local))
  }
})
