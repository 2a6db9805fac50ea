# The order of the rows changes nothing: rows as they came, reversed and sorted by their columns have one
# log-likelihood. Small surveys with rare truths, where the likelihood has several maxima.

grr3 <- rr_grr(c("a", "b", "c"), p = 0.7)
forced <- rr_forced(1 / 6)

ordered_survey <- function(seed, n = 150) {
  withr::with_seed(seed, {
    x <- rnorm(n)
    truth <- c("a", "b", "c")[1 + rbinom(n, 2, plogis(x - 2))]
    rare <- rbinom(n, 1, plogis(x - 2))
    data.frame(
      x,
      k = rr_perturb(truth, grr3, rng = "R"),
      q = rr_perturb(rare, forced, rng = "R"),
      o = 0.5 * x + rare + rnorm(n),
      b = rbinom(n, 1, plogis(x + rare - 1)),
      g = sample(c("t", "s"), n, TRUE)
    )
  })
}

fit_classes <- list(
  multinom = function(d) rr_multinom(k ~ x, d, grr3),
  cumulative = function(d) rr_multinom(k ~ x, d, grr3, type = "cumulative"),
  predictor = function(d) rr_predictor(o ~ x + q, d, list(q = forced), method = "ml"),
  logistic = function(d) rr_predictor(b ~ x + q, d, list(q = forced), binomial()),
  loglinear = function(d) rr_loglinear(~ k + q + k:g, rr_tally(d, rr_product(k = grr3, q = forced), by = "g"))
)

# The heights of the maxima of one data set, in three orders of its rows.
order_heights <- function(fit, data) {
  rows <- list(seq_len(nrow(data)), rev(seq_len(nrow(data))), do.call(order, unname(as.list(data))))
  vapply(rows, function(index) suppressMessages(suppressWarnings(fit(data[index, ])))$loglik, 0)
}

test_that("rows reversed and sorted have the same log-likelihood", {
  for (name in names(fit_classes)) {
    for (seed in seq_len(extended(8, 50))) {
      heights <- order_heights(fit_classes[[name]], ordered_survey(seed))
      expect_lt(diff(range(heights)), 1e-8, label = paste(name, seed))
    }
  }
})

test_that("weights of any size give the coefficients of equal weights, with their log-likelihood and variance", {
  data <- ordered_survey(3, 300)
  fitters <- list(
    function(d) rr_multinom(k ~ x, d, grr3, weights = w),
    function(d) rr_multinom(k ~ x, d, grr3, type = "cumulative", weights = w),
    function(d) rr_predictor(o ~ x + q, d, list(q = forced), method = "ml", weights = w)
  )
  quiet <- function(fit) suppressMessages(suppressWarnings(fit))
  for (fit in fitters) {
    equal <- quiet(fit(transform(data, w = 1)))
    for (size in c(1e-12, 1e12)) {
      weighted <- quiet(fit(transform(data, w = size)))
      expect_equal(coef(weighted), coef(equal), tolerance = 1e-7)
      expect_equal(weighted$loglik / size, equal$loglik, tolerance = 1e-10)
      expect_equal(vcov(weighted) * size, vcov(equal), tolerance = 1e-6)
      expect_equal(vcov(weighted, "sandwich"), vcov(equal, "sandwich"), tolerance = 1e-6)
    }
    expect_equal(coef(quiet(fit(transform(data, w = 1e-300)))), coef(equal), tolerance = 1e-7)
  }
})

test_that("covariates in Unix milliseconds have the slopes of minutes, and 64-bit integers are numbers", {
  data <- transform(ordered_survey(4, 300), minute = seq_len(300), ms = 1.7e12 + 6e4 * seq_len(300))
  # The bits of an integer below 2^31 in the lower half of a double.
  data$wide <- structure(as.double(data$minute) * 2^-1074, class = "integer64")
  fitters <- list(
    function(formula) rr_multinom(update(formula, k ~ .), data, grr3),
    function(formula) rr_predictor(update(formula, o ~ . + q), data, list(q = forced)),
    function(formula) rr_predictor(update(formula, o ~ . + q), data, list(q = forced), method = "ml")
  )
  slope <- function(fit) if (is.matrix(coef(fit))) coef(fit)[, 2] else coef(fit)[[2]]
  for (fit in fitters) {
    minute <- slope(suppressWarnings(fit(~ minute)))
    expect_equal(slope(suppressWarnings(fit(~ ms))) * 6e4, minute, tolerance = 1e-4)
    expect_identical(slope(suppressWarnings(fit(~ wide))), minute)
  }
})

test_that("what has no result is refused by one sentence that names what is missing", {
  data <- ordered_survey(5, 300)
  expect_refused(rr_multinom(k ~ 0, data, grr3))
  for (size in c(1e153, 1e-153)) {
    data$y <- data$o * size
    for (method in c("moments", "ml")) {
      expect_refused(rr_predictor(y ~ x + q, data, list(q = forced), method = method))
    }
  }
  fit <- suppressWarnings(rr_predictor(b ~ x + q, data, list(q = forced), binomial()))
  expect_error(anova(fit), "two fits", class = "candor_error_argument")
  expect_error(rr_effects(fit), "predict", class = "candor_error_argument")
})
