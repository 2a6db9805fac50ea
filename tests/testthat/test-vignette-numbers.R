# What the text of vignettes/articles/numbers.Rmd says of its figures.

people <- function() {
  set.seed(1)
  n <- 20000
  ages <- ifelse(runif(n) < 0.6, rnorm(n, 34, 9), rnorm(n, 66, 8))
  ages <- pmin(18 + abs(ages - 18), 98)
  list(ages = ages, incomes = pmin(rlnorm(n, log(2600), 0.6), 20000))
}

test_that("numbers: smoothing helps, and maximum likelihood leaves many ages without mass", {
  ages <- people()$ages
  years <- 18:98
  wave <- rr_square_wave(years, epsilon = 2)
  tally <- rr_tally(rr_perturb(ages, wave, rng = "R"), wave)
  mle <- rr_estimate(tally)
  smoothed <- rr_estimate(tally, method = "smoothed")
  expect_gt(sum(coef(mle) < 1e-6), 20)
  truth <- as.vector(table(cut(ages, years, right = FALSE, include.lowest = TRUE))) / 20000
  distance <- function(fit) mean(abs(cumsum(coef(fit)) - cumsum(truth)))
  grr <- rr_grr(wave$levels, epsilon = 2)
  bins <- wave$levels[findInterval(ages, years, rightmost.closed = TRUE)]
  categories <- rr_estimate(rr_perturb(bins, grr, rng = "R"), grr)
  expect_lt(distance(smoothed), distance(mle))
  expect_lt(5 * distance(mle), distance(categories))
})

test_that("numbers: a tree has smaller errors of ranges than none", {
  ages <- people()$ages
  tree <- rr_hierarchy(18:97, epsilon = 2)
  fit <- rr_estimate(rr_perturb(pmin(floor(ages), 97), tree, rng = "R"), tree)
  flat <- rr_hadamard(18:97, epsilon = 2)
  flat_fit <- rr_estimate(rr_perturb(pmin(floor(ages), 97), flat, rng = "R"), flat, method = "norm")
  ranges <- list(as.character(18:29), as.character(30:49), as.character(50:64), as.character(65:97))
  expect_true(all(rr_contrast(flat_fit, ranges)$std.error > 1.4 * rr_contrast(fit, ranges)$std.error))
})

test_that("numbers: the error of a mean is proportional to the range", {
  incomes <- people()$incomes
  errors <- vapply(c(20000, 10000), function(top) {
    m <- rr_mean(c(0, top), epsilon = 1)
    sqrt(as.vector(vcov(rr_estimate(rr_perturb(pmin(incomes, top), m, rng = "R"), m))))
  }, 0)
  expect_equal(errors[1] / errors[2], 2, tolerance = 0.05)
})
