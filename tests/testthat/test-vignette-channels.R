# Every number printed in vignettes/channels.Rmd, in its order. A value is asserted to its printed digits; what the
# solver finds is known to about the root of its certified gap, far beyond them.

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
  printed(rr_matrix(pram)[1:3, 1:5], c(0.700, 0.101, 0.044, 0.151, 0.700, 0.087, 0.076, 0.101, 0.700, 0.038, 0.051, 0.087, 0.019, 0.025, 0.044), 3)
  printed(rr_epsilon(pram), 5.691, 3)
  set.seed(1)
  released <- rr_perturb(rep(1:k, colSums(status)), pram, rng = "R")
  fit <- rr_estimate(released, pram)
  expect_identical(unname(colSums(status)), c(103L, 159L, 330L, 459L, 244L, 1186L, 593L, 424L) + 0)
  expect_identical(tabulate(released, k), c(137L, 195L, 336L, 465L, 372L, 925L, 624L, 444L))
  printed(nobs(fit) * coef(fit), c(123.3, 150.6, 322.8, 474.3, 238.5, 1112.0, 618.5, 458.0), 1)
  half <- rr_estimate(released, pram, target = "sample")
  printed(coef(half), c(0.035, 0.043, 0.092, 0.136, 0.068, 0.318, 0.177, 0.131), 3)
  bounds <- confint(half)
  printed(bounds[, 1], c(0.028, 0.033, 0.081, 0.123, 0.055, 0.301, 0.161, 0.118), 3)
  printed(bounds[, 2], c(0.043, 0.053, 0.104, 0.149, 0.082, 0.335, 0.193, 0.144), 3)
  truth <- prop.table(colSums(status))
  printed(truth, c(0.029, 0.045, 0.094, 0.131, 0.070, 0.339, 0.170, 0.121), 3)
  expect_identical(sum(bounds[, 1] <= truth & truth <= bounds[, 2]), 7L)
  contrast <- rr_contrast(half, list(as.character(1:4), c("7" = 1, "8" = -1)))
  printed(contrast$estimate, c(0.3062, 0.0459), 4)
  printed(contrast$std.error[1], 0.006008, 6)
  printed(contrast$std.error[2], 0.01327, 5)
  printed(contrast$statistic, c(50.96, 3.46), 2)
  printed(contrast$p.value[2], 0.0005438, 7)
  printed(c(contrast$conf.low, contrast$conf.high), c(0.2944, 0.0199, 0.3180, 0.0719), 4)
})

test_that("several questions at once", {
  set.seed(2027)
  both <- rr_product(father = status_channel(), son = status_channel())
  men <- data.frame(father = rep(rep(1:k, k), status), son = rep(rep(1:k, each = k), status))
  moved <- rr_perturb(men, both, rng = "R")
  joint <- rr_estimate(moved, both)
  stayed <- function(table) sum(diag(prop.table(table)))
  printed(c(stayed(status), stayed(table(moved)), stayed(as.table(joint))), c(0.3125, 0.2258, 0.3123), 4)
  printed(rr_epsilon(both), c(5.691, 5.691, 11.383), 3)
  expect_identical(sum(benefit_survey$count), 412)
  item <- rr_binary(benefit_survey$p[1], benefit_survey$q[1])
  tally <- rr_counts(stats::xtabs(count ~ item1 + item2, benefit_survey), rr_product(item1 = item, item2 = item))
  printed(as.table(rr_estimate(tally)), c(0.6449, 0, 0.1901, 0.1650), 4)
  expect_lt(coef(rr_estimate(tally, method = "inv"))[["yes, no"]], 0)
})

test_that("two stages", {
  levels <- c("A", "B", "C", "D")
  permanent <- rr_grr(levels, epsilon = 2)
  weekly <- rr_compose(permanent, rr_grr(levels, epsilon = 1))
  printed(rr_epsilon(weekly), c(0.6454, 2), 4)
  printed(rr_matrix(weekly)[1, 1:2], c(0.3886, 0.2038), 4)
  printed(c(permanent$p, weekly$second$p, weekly$second$q), c(0.7112, 0.4754, 0.1749), 4)
  printed(permanent$q, 0.09626, 5)
  set.seed(2028)
  kept <- rr_perturb(rep(levels, c(2500, 1500, 750, 250)), permanent, rng = "R")
  weeks <- replicate(20, rr_perturb(kept, weekly$second, rng = "R"))
  first <- rr_estimate(weeks[, 1], weekly)
  printed(coef(first), c(0.523, 0.308, 0.063, 0.106), 3)
  printed(confint(first), c(0.455, 0.244, 0.002, 0.045, 0.592, 0.375, 0.126, 0.170), 3)
  printed(rowMeans(apply(weeks, 2, function(week) coef(rr_estimate(week, weekly)))), c(0.507, 0.295, 0.138, 0.060), 3)
  printed(coef(rr_estimate(kept, permanent)), c(0.503, 0.294, 0.146, 0.057), 3)
  first <- rr_binary(p = 0.75, q = 0.25)
  second <- rr_binary(p = 0.8, q = 0.4)
  expect_equal(as.vector(rr_matrix(rr_compose(first, second))), c(0.5, 0.3, 0.5, 0.7))
  expect_equal(as.vector(rr_matrix(rr_compose(second, first))), c(0.55, 0.35, 0.45, 0.65))
})

test_that("when respondents ignore the instructions", {
  yes <- function(share) coef(rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_noncompliance(rr_forced(1 / 6), share, answer = "no"))))[["yes"]]
  printed(c(yes(0), yes(0.05), yes(0.1)), c(0.2619, 0.2889, 0.3188), 4)
})

test_that("how it is known that this is the maximum", {
  set.seed(2029)
  geometric <- rr_geometric(50, epsilon = 0.3)
  bumps <- stats::dnorm(1:50, 12, 3) + 0.6 * stats::dnorm(1:50, 35, 5)
  tally <- rr_counts(as.vector(stats::rmultinom(1, 10000, crossprod(rr_matrix(geometric), bumps))), geometric)
  trace <- tidy(rr_estimate(tally, method = "ibu", iterations = 10000), type = "trace")
  shown <- trace[trace$iteration %in% c(0, 10, 100, 1000, 10000), ]
  printed(shown$loglik, c(-39234, -37098, -37083, -37078, -37077), 0)
  for (i in 1:5) printed(shown$gap[i], c(7097, 144.6, 47.50, 2.831, 0.104)[i], c(0, 1, 2, 3, 4)[i])
  exact <- rr_estimate(tally)$details[[1]]
  expect_lte(exact$gap, 1e-8)
  # "About twenty steps": compilers may differ by a few.
  expect_lt(exact$iterations, 40)
  twins <- rr_channel(rbind(a = c(0.8, 0.2), b = c(0.3, 0.7), c = c(0.3, 0.7)))
  expect_false(rr_estimate(rr_counts(c(60, 40), twins))$details[[1]]$unique)
})
