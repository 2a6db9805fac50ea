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
