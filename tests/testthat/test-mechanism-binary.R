# Yes/no designs: two by two matrices, rows truths, and epsilon from the largest ratio of a column.

epsilon_of <- function(C) max(abs(log(C[1, ] / C[2, ])))
two_by_two <- function(p, q) rbind(c(1 - q, q), c(1 - p, p))

test_that("each design has its matrix and its epsilon", {
  designs <- list(
    list(rr_binary(0.8, 0.3), two_by_two(0.8, 0.3)),
    list(rr_warner(0.7), two_by_two(0.7, 0.3)),
    list(rr_warner(0.2), two_by_two(0.2, 0.8)),
    list(rr_crosswise(0.2), two_by_two(0.2, 0.8)),
    list(rr_triangular(0.3), two_by_two(1, 0.3)),
    # Mangat and Singh: the truth with t, else Warner's question with p.
    list(rr_warner(0.7, t = 0.4), two_by_two(0.4 + 0.6 * 0.7, 0.6 * 0.3)),
    list(rr_mangat(0.7, variant = "1994"), two_by_two(1, 0.3)),
    list(rr_kuk(0.8, 0.3), two_by_two(0.8, 0.3))
  )
  for (design in designs) {
    expect_equal(rr_matrix(design[[1]]), design[[2]], ignore_attr = TRUE)
    expect_equal(rr_epsilon(design[[1]])[[1]], epsilon_of(design[[2]]))
    expect_equal(rr_law(design[[1]])$a, diff(design[[2]][, 2]))
  }
  for (design in list(rr_warner(epsilon = 1.3), rr_kuk(epsilon = 1.3))) {
    expect_equal(rr_matrix(design), two_by_two(plogis(1.3), plogis(-1.3)), ignore_attr = TRUE)
    expect_equal(rr_epsilon(design)[[1]], 1.3)
  }
  # Crosswise with epsilon: the innocuous attribute is the rarer.
  expect_equal(rr_matrix(rr_crosswise(epsilon = 1.3)), two_by_two(plogis(-1.3), plogis(1.3)), ignore_attr = TRUE)
  # At an epsilon of 40, p rounds to 1 and 1 - p is q still.
  expect_equal(rr_law(rr_warner(epsilon = 40))$b, rep(exp(-40), 2), tolerance = 1e-12)
  expect_equal(rr_epsilon(rr_crosswise(epsilon = 40))[[1]], 40)
})

test_that("designs that say nothing have an epsilon of 0, certain ones an infinite one", {
  expect_identical(rr_epsilon(rr_warner(0.5))[[1]], 0)
  expect_identical(rr_epsilon(rr_warner(0.5, t = 0))[[1]], 0)
  expect_identical(rr_epsilon(rr_binary(0.3, 0.3))[[1]], 0)
  expect_identical(rr_epsilon(rr_warner(1))[[1]], Inf)
})

test_that("Kuk's cards are counted: binomial numbers, the estimate of their mean, and epsilon by card", {
  m <- rr_kuk(0.8, 0.3, draws = 4)
  C <- rbind(dbinom(0:4, 4, 0.3), dbinom(0:4, 4, 0.8))
  expect_equal(rr_matrix(m), C, ignore_attr = TRUE)
  expect_equal(rr_epsilon(m)[[1]], epsilon_of(C))
  expect_equal(epsilon_of(C), 4 * log(0.7 / 0.2))
  counts <- c(20, 35, 40, 25, 30)
  mean <- sum(counts * 0:4) / 150 / 4
  yes <- (mean - 0.3) / 0.5
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, m), method = "inv"))), c(1 - yes, yes))
  # By epsilon: each of four cards has a quarter of it, whichever end it is read from.
  m <- rr_kuk(epsilon = 2, draws = 4)
  expect_equal(rr_matrix(m), rbind(dbinom(0:4, 4, plogis(-0.5)), dbinom(0:4, 4, plogis(0.5))), ignore_attr = TRUE)
  expect_equal(rr_epsilon(m)[[1]], 2)
  expect_identical(m$reports, as.character(0:4))
  # p1 below p2; p1 = p2 says nothing.
  expect_equal(rr_epsilon(rr_kuk(0.2, 0.6, draws = 3))[[1]], 3 * log(3))
  expect_equal(rr_epsilon(rr_kuk(0.2, 0.6, draws = 3))[[1]], epsilon_of(rbind(dbinom(0:3, 3, 0.6), dbinom(0:3, 3, 0.2))))
  expect_identical(rr_epsilon(rr_kuk(0.4, 0.4, draws = 3))[[1]], 0)
  # A number of cards that one truth never draws is said by an infinite epsilon, if the design means it.
  expect_identical(rr_epsilon(rr_kuk(1, 0.3, draws = 3))[[1]], Inf)
  expect_error(rr_kuk(0.999, 0.001, draws = 200), class = "candor_error_argument")
})

test_that("arguments that exclude each other, and labels, are checked", {
  refused <- function(call) expect_error(call, class = "candor_error_argument")
  refused(rr_warner())
  refused(rr_warner(0.7, epsilon = 1))
  refused(rr_warner(t = 0.5, epsilon = 1))
  refused(rr_crosswise(0.2, epsilon = 1))
  refused(rr_kuk(0.8, 0.3, epsilon = 1))
  refused(rr_binary(0.8, 0.3, levels = c("a", "b", "c")))
  # yes before no is a slip, unless the design treats both alike.
  refused(rr_binary(0.8, 0.3, levels = c("yes", "no")))
  refused(rr_triangular(0.3, levels = c("yes", "no")))
  refused(rr_kuk(0.8, 0.3, levels = c("yes", "no"), draws = 2))
  expect_no_error(rr_warner(0.7, levels = c("yes", "no")))
  refused(rr_kuk(0.8, 0.3, draws = 0))
  refused(rr_kuk(0.8, 0.3, draws = 1001))
  expect_no_error(rr_kuk(0.51, 0.49, draws = 1000))
})

test_that("a design treats no and yes alike if p + q = 1 to a rounding", {
  turned <- c("yes", "no")
  expect_message(rr_binary(0.8, 0.2 + 1e-13, turned), class = "candor_message_order")
  expect_refused(rr_binary(0.8, 0.2 + 1e-11, turned), rr_binary(0.8, 0.2 - 1e-11, turned))
})

test_that("the signal of two stages is the truth's share and Warner's part of the rest", {
  for (p in c(0.1, 0.7, 0.95)) for (t in c(0, 0.35, 0.8)) {
    m <- rr_warner(p, t = t)
    expect_equal(c(m$p, m$q, m$p_minus_q), c(t + (1 - t) * p, (1 - t) * (1 - p), t + (1 - t) * (2 * p - 1)))
    expect_equal(m$p - m$q, m$p_minus_q)
  }
  for (p in c(0.1, 0.7)) expect_equal(unlist(rr_crosswise(p)[c("p", "q", "p_minus_q")]), c(p = p, q = 1 - p, p_minus_q = 2 * p - 1))
  expect_equal(unlist(rr_triangular(0.3)[c("p", "q", "p_minus_q")]), c(p = 1, q = 0.3, p_minus_q = 0.7))
  expect_equal(unlist(rr_mangat(0.7, variant = "1994")[c("p", "q")]), c(p = 1, q = 0.3))
  expect_refused(rr_warner(0.7, t = 1.1), rr_warner(1.1, t = 0.5), rr_crosswise(-0.1), rr_triangular(2), rr_kuk(0.8), rr_kuk())
})
