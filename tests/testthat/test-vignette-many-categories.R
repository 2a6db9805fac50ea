# Every number printed in vignettes/articles/which-estimator.Rmd that its text leans on, and the figures that method = "eb" must
# meet over the grid of inst/studies/eb.csv.gz.

example <- function() {
  mechanism <- rr_grr(1000, epsilon = 4)
  withr::local_seed(1)
  rr_counts(rmultinom(1, 20000, mechanism$q + mechanism$p_minus_q * zipf_shares(1000, 1))[, 1], mechanism)
}

test_that("many categories: the example", {
  reports <- example()
  truth <- zipf_shares(1000, 1)
  estimates <- sapply(c("inv", "mle", "invp", "combine", "eb"), function(m) coef(rr_estimate(reports, method = m)))
  squared <- colSums((estimates - truth)^2)
  expect_equal(unname(signif(squared, 3)), c(0.0194, 0.00384, 0.00327, 0.00193, 0.00189))
  study <- rr_study(list(zipf = truth), epsilon = 4, n = 20000, method = c("mle", "combine", "eb", "oracle"), replications = 20, seed = 1, workers = 1)
  mse <- study$estimate[study$metric == "mse"]
  expect_equal(signif(mse, 3), c(0.00453, 0.00251, 0.00221, 0.00189))
  fit <- rr_estimate(reports, method = "eb")
  expect_equal(unname(order(-coef(fit))[1:5]), c(1, 3, 2, 4, 5))
  width <- function(kind) {
    bounds <- confint(fit, interval = kind)
    mean(bounds[, 2] - bounds[, 1])
  }
  expect_equal(signif(width("wilson"), 3), 0.0118)
  expect_lt(width("credible"), 0.55 * width("wilson"))
  expected <- rr_estimate(reports, method = "eb", reference = zipf_shares(1000, 0.9))
  expect_equal(signif(sum((coef(expected) - truth)^2), 3), 0.0012)
})

test_that("many categories: the grid", {
  grid <- read_study("eb.csv.gz")
  here <- new.env()
  sys.source(study_file("eb-summary.R"), here)
  table <- here$summarise_eb(grid)
  expect_equal(nrow(grid), 1296)
  expect_lte(table$eb[1], 0.97)
  expect_lte(table$eb.tv[1], 0.95)
  expect_true(all(table$eb[-(1:2)] <= 1.05))
  expect_true(all(table$eb[-(1:2)] < table$combine[-(1:2)]))
  expect_true(all(is.finite(grid$kl.eb)))
  # "up to 1.22 times the squared error of mle (20 categories; at five up to 2.0 times)", and no cell is uncertain about 1.25.
  above <- grid$mse.eb / grid$mse.mle
  expect_equal(round(max(above[grid$k >= 20]), 2), 1.22)
  expect_lt(max((above * exp(2 * grid$mle.ratio.error))[grid$k >= 20]), 1.25)
  expect_equal(round(max(above[grid$k == 5]), 1), 2)
  # "a few per cent of that of maximum likelihood, at most a tenth": even truths.
  expect_lt(max(above[grid$truth == "uniform"]), 0.1)
  expect_lte(table$worst[2], 6)
  expect_equal(range(grid$replications), c(5, 27309))
  expect_true(all(grid$mse.ratio.error <= 0.05))
  expect_gt(mean(is.infinite(grid$kl.mle)), 0.5)
  many <- grid[grid$k >= 20, ]
  expect_lt(mean(many$credible.top), 0.8)
  expect_gte(mean(many$wilson.top), 0.94)
  more <- read_study("eb-more.csv.gz")
  choice <- more[more$part == "rr_choose" & more$truth != "uniform", ]
  geometric <- signif(tapply(log(choice$ratio), choice$method, function(x) exp(mean(x))), 2)
  expect_equal(geometric[c("choice with eb", "choice without eb", "eb")], c(0.48, 0.69, 0.43), ignore_attr = TRUE)
})
