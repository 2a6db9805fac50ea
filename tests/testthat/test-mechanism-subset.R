# Subset selection: all subsets of w of k categories, e^epsilon times as likely if they hold the truth.

enumerated <- function(k, epsilon, w) {
  sets <- utils::combn(k, w)
  member <- apply(sets, 2, function(s) seq_len(k) %in% s)
  list(member = member, C = t(apply(member, 1, function(m) prop.table(ifelse(m, exp(epsilon), 1)))))
}

test_that("probabilities of supports, of pairs and of subsets are those of the enumeration", {
  for (world in list(c(5, 1.1, 2), c(6, 0.7, 3), c(4, 2, 1), c(4, 0.5, 3), c(3, 1, 2), c(2, 1, 1))) {
    k <- world[1]
    w <- world[3]
    all <- enumerated(k, world[2], w)
    numbers <- subset_numbers(k, world[2], w)
    both <- function(x, ...) sum(all$C[x, colSums(all$member[c(...), , drop = FALSE]) == length(c(...))])
    expect_equal(numbers$p, both(1, 1))
    expect_equal(numbers$lie, 1 - both(1, 1))
    expect_equal(numbers$q, both(1, 2))
    expect_equal(numbers$difference, both(1, 1) - both(1, 2))
    expect_equal(numbers$both_own, both(1, 1, 2))
    if (k > 2) expect_equal(numbers$both_other, both(1, 2, 3)) else expect_identical(numbers$both_other, 0)
    m <- rr_subset(k, world[2], size = w)
    expect_equal(rr_matrix(m), all$C, ignore_attr = TRUE)
    law <- rr_law(m)
    expect_equal(unname(unlist(law[c("p", "q", "both_own", "both_other", "difference", "odds")])),
                 unname(c(unlist(numbers[c("p", "q", "both_own", "both_other", "difference")]), expm1(world[2]))))
  }
  expect_identical(colnames(rr_matrix(rr_subset(c("x", "y", "z"), 1, size = 2))), c("{x, y}", "{x, z}", "{y, z}"))
})

test_that("the best size has the least variance of all", {
  for (k in c(2, 3, 7, 20)) for (epsilon in c(0.1, 0.5, 1, 2, 4, 8)) {
    variance <- vapply(seq_len(k - 1), function(w) {
      numbers <- subset_numbers(k, epsilon, w)
      numbers$q * (1 - numbers$q) / numbers$difference^2
    }, 0)
    # (w E + K - w)^2 / (w (K - w)) is, but for a factor, p (1 - p) of an average category: the criterion of Ye and Barg.
    criterion <- (1:(k - 1) * exp(epsilon) + k - 1:(k - 1))^2 / (1:(k - 1) * (k - 1:(k - 1)))
    expect_identical(as.integer(rr_subset(k, epsilon)$size), which.min(criterion))
    expect_lte(variance[rr_subset(k, epsilon)$size], 1.5 * min(variance))
  }
  expect_error(rr_subset(4, 1, size = 4), class = "candor_error_argument")
  expect_error(rr_subset(4, 1, size = 0), class = "candor_error_argument")
  expect_no_error(rr_subset(4, 1, size = 3))
})
