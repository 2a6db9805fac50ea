# What vignettes/articles/channels.Rmd says in words of its figures.

printed <- function(object, value, digits) expect_equal(round(as.vector(unname(object)), digits), value, tolerance = 1e-12)

k <- 8
status_channel <- function() {
  distance <- abs(outer(1:k, 1:k, "-"))
  C <- ifelse(distance == 0, 0, 0.5^distance)
  rr_channel(0.3 * C / rowSums(C) + diag(0.7, k))
}
status <- datasets::occupationalStatus

test_that("post-randomization, undone", {
  expect_identical(sum(status), 3498L)
  pram <- status_channel()
  set.seed(1)
  released <- rr_perturb(rep(1:k, colSums(status)), pram, rng = "R")
  expect_identical(unname(colSums(status)), c(103L, 159L, 330L, 459L, 244L, 1186L, 593L, 424L) + 0)
  half <- rr_estimate(released, pram, target = "sample")
  bounds <- confint(half)
  truth <- prop.table(colSums(status))
  expect_identical(sum(bounds[, 1] <= truth & truth <= bounds[, 2]), 7L)
})

test_that("several questions at once", {
  set.seed(2027)
  both <- rr_product(father = status_channel(), son = status_channel())
  men <- data.frame(father = rep(rep(1:k, k), status), son = rep(rep(1:k, each = k), status))
  moved <- rr_perturb(men, both, rng = "R")
  joint <- rr_estimate(moved, both)
  stayed <- function(table) sum(diag(prop.table(table)))
  printed(c(stayed(status), stayed(table(moved)), stayed(as.table(joint))), c(0.3125, 0.2258, 0.3123), 4)
})

test_that("two stages", {
  first <- rr_binary(p = 0.75, q = 0.25)
  second <- rr_binary(p = 0.8, q = 0.4)
  expect_equal(as.vector(rr_matrix(rr_compose(first, second))), c(0.5, 0.3, 0.5, 0.7))
  expect_equal(as.vector(rr_matrix(rr_compose(second, first))), c(0.55, 0.35, 0.45, 0.65))
})

test_that("how it is known that this is the maximum", {
  set.seed(2029)
  geometric <- rr_geometric(50, epsilon = 0.3)
  bumps <- stats::dnorm(1:50, 12, 3) + 0.6 * stats::dnorm(1:50, 35, 5)
  tally <- rr_counts(as.vector(stats::rmultinom(1, 10000, crossprod(rr_matrix(geometric), bumps))), geometric)
  exact <- rr_estimate(tally)$details[[1]]
  expect_lte(exact$gap, 1e-8)
  # "About twenty steps": compilers may differ by a few.
  expect_lt(exact$iterations, 40)
  twins <- rr_channel(rbind(a = c(0.8, 0.2), b = c(0.3, 0.7), c = c(0.3, 0.7)))
  expect_false(rr_estimate(rr_counts(c(60, 40), twins))$details[[1]]$unique)
})
