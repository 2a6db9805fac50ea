test_that("p-values are binomial tails, intervals those of all categories at once", {
  mechanism <- rr_grr(4, epsilon = 1)
  counts <- c(60, 45, 50, 45)
  top <- rr_top(rr_counts(counts, mechanism), m = Inf)
  order <- order(counts, decreasing = TRUE)
  expect_identical(top$term, as.character(order))
  expect_equal(top$p.value, pbinom(counts[order] - 1, 200, mechanism$q, lower.tail = FALSE))
  expect_equal(top$estimate, (counts[order] / 200 - mechanism$q) / mechanism$p_minus_q)
  # Wilson's interval of the reported share at level 1 - .05 / 4, carried through.
  z <- qnorm(1 - 0.05 / 8)
  phi <- counts[order] / 200
  low <- (phi + z^2 / 400 - z * sqrt(phi * (1 - phi) / 200 + z^2 / (4 * 200^2))) / (1 + z^2 / 200)
  expect_equal(top$conf.low, pmax(0, (low - mechanism$q) / mechanism$p_minus_q))
})

test_that("the false discovery rate holds where 95 of 100 categories are empty", {
  # 300 surveys; the mean false discovery proportion then has a standard error of about .006, so .05 + .018.
  withr::local_seed(5)
  mechanism <- rr_grr(100, epsilon = 3)
  truth <- c(rep(0.2, 5), rep(0, 95))
  reported <- mechanism$q + mechanism$p_minus_q * truth
  false <- replicate(300, {
    top <- rr_top(rr_counts(drop(rmultinom(1, 2000, reported)), mechanism), m = Inf)
    found <- as.integer(top$term[top$present])
    if (length(found)) mean(found > 5) else 0
  })
  expect_lt(mean(false), 0.068)
})

test_that("simultaneous intervals hold for the ten largest", {
  # 300 surveys of 500 categories: at least 95 % of them must have all ten inside; .95 has a standard error of .0126.
  withr::local_seed(6)
  mechanism <- rr_grr(500, epsilon = 4)
  truth <- rr_zipf(500, 1.1)
  reported <- mechanism$q + mechanism$p_minus_q * truth
  inside <- replicate(300, {
    top <- rr_top(rr_counts(drop(rmultinom(1, 20000, reported)), mechanism))
    at <- as.integer(top$term)
    all(top$conf.low <= truth[at] & truth[at] <= top$conf.high)
  })
  expect_gt(mean(inside), 0.95 - 2 * 0.0126)
})

test_that("groups, other channels and designs against the truth are ranked too", {
  grouped <- rr_top(rr_counts(cbind(a = c(30, 50, 20), b = c(50, 20, 30)), rr_grr(3, p = 0.6)), m = 2)
  expect_identical(grouped$group, c("a", "a", "b", "b"))
  expect_identical(grouped$rank, c(1L, 2L, 1L, 2L))
  expect_identical(grouped$term, c("2", "1", "1", "3"))
  channel <- rr_top(rr_counts(c(500, 300, 200), rr_geometric(3, 1)), m = 3)
  expect_true(all(is.finite(channel$p.value)))
  against <- rr_top(rr_counts(c(10, 50, 40), rr_grr(3, p = 0.1)), m = 1)
  expect_identical(against$term, "1")
  expect_output(print(grouped), "categories are present")
  expect_error(rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), m = 0), class = "candor_error_argument")
  expect_error(rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), adjust = "x"), class = "candor_error_argument")
  expect_error(rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), alpha = 5), class = "candor_error_argument")
})

test_that("categories of protocols without counts of their own are tested by the error of an absent one", {
  set.seed(3)
  truth <- sample(12, 6000, TRUE, c(5, 3, 2, 1, 1, rep(0, 7)))
  for (m in list(rr_hadamard(12, 3, blocks = 3), rr_bitflip(12, 3, d = 4), rr_hierarchy(12, 3))) {
    top <- rr_top(rr_perturb(truth, m, rng = "R"), m = 12, mechanism = m)
    expect_identical(top$term[1], "1")
    expect_true(all(top$present[1:2]))
    # Seven absent categories, false discovery rate 0.05: more than two found are hardly chance.
    expect_lte(sum(top$present & as.integer(top$term) > 5), 2)
  }
  expect_error(rr_top(c(4, 5, 6), mechanism = rr_mean(c(0, 10), 1)), "one question", class = "candor_error_argument")
})
