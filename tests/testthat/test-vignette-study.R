# The numbers that the text of vignettes/articles/which-estimator.Rmd and vignettes/articles/planning.Rmd names.

test_that("which estimator: the study", {
  truths <- list(even = zipf_shares(1000, 0.01), middling = zipf_shares(1000, 1.3), steep = zipf_shares(1000, 2.5))
  study <- rr_study(truths, epsilon = c(1, 4, 8), n = 10^(2:6), seed = 1, workers = 1)
  at <- study$epsilon == 4 & study$n == 10000
  steep <- study[at & study$truth == "steep", ]
  expect_equal(length(attr(study, "study")$results), 45)
  mse <- steep[steep$metric == "mse", ]
  inv <- study$estimate[at & study$metric == "mse" & study$method == "inv"]
  expect_equal(round(inv, 3), c(0.039, 0.039, 0.038))
  even <- study[at & study$truth == "even" & study$metric == "mse", ]
  expect_equal(round(even$estimate[2:4], 4), c(0.0019, 0.0062, 0.0050))
  expect_equal(round(mse$estimate[2:4], 4), c(0.2893, 0.0032, 0.0490))
})

test_that("which estimator: the choice", {
  withr::local_seed(7)
  mechanism <- rr_grr(100, epsilon = 2)
  answers <- sample(100, 2000, replace = TRUE, prob = zipf_shares(100, 2.5))
  choice <- rr_choose_method(rr_tally(rr_perturb(answers, mechanism, rng = "R"), mechanism), seed = 1)
  expect_equal(choice$method, c("eb", "combine", "invp", "mle", "inv", "invn"))
  expect_equal(choice$wins, c(0.415, 0.27, 0.27, 0.045, 0, 0))
})

test_that("which estimator: the papers' grid", {
  # What the scripts of inst/studies wrote; they are not run again here.
  choose <- read_study("choose.csv")
  expect_equal(nrow(choose), 180)
  papers <- choose[c("invn", "invp", "mle")]
  best <- do.call(pmin, papers)
  expect_equal(round(c(mean(choose$choice), mean(choose$mle), mean(best), mean(choose$combine), mean(choose$eb)), 3), c(0.051, 0.083, 0.047, 0.048, 0.045))
  expect_equal(sum(choose$eb / best > 1.1), 4)
  expect_equal(sum(choose$combine / best > 1.1), 19)
  expect_equal(sum(choose$combine / best > 1.1 & choose$n == 100), 7)
  worst <- choose[choose$combine / best > 3, ]
  expect_true(all(worst$k >= 1000 & worst$s == 0.01))
  expect_lt(mean(choose$choice), mean(choose$mle))
  expect_lt(mean(choose$combine), min(colMeans(papers)))
  grid <- read_study("pinzon-mse.csv")
  expect_equal(nrow(grid), 750)
  expect_true(all(grid$mle <= pmax(grid$invn, grid$invp) * (1 + 1e-5)))
  expect_gt(mean(grid$mle / pmin(grid$invn, grid$invp) > 2), 1 / 3)
})

test_that("planning: numbers of respondents", {
  plan <- rr_power(rr_forced(1 / 6), margin = 0.03)
  expect_equal(c(plan$n, plan$direct, plan$share, plan$margin), c(2401, 1068, 0.5, 0.03))
  mechanisms <- list(strict = rr_grr(20, epsilon = 1), mild = rr_grr(20, epsilon = 3))
  plan <- rr_power(mechanisms, margin = 0.005, share = 0.05, simultaneous = TRUE)
  expect_equal(plan$n, c(2774535, 72837))
  expect_equal(plan$direct, c(17368, 17368))
  expect_equal(round(plan$n[1] / plan$n[2]), 38)
})

test_that("planning: tests", {
  plan <- rr_power(rr_warner(0.8), power = c(0.8, 0.9), share = 0.1)
  expect_equal(plan$n, c(304, 428))
  expect_equal(plan$direct, c(16, 22))
  power <- rr_power(rr_warner(0.8), n = 500, share = c(0.05, 0.1, 0.2))
  expect_equal(round(power$level[1], 3), 0.043)
})

test_that("planning: mechanisms", {
  expect_equal(rr_recommend(8, epsilon = 1, n = 10000)$mechanism, c("subset", "grr", "projective", "oue", "olh", "sue", "hadamard", "blh"))
  expect_equal(round(3 * exp(1) + 2, 2), 10.15)
})

test_that("planning: by simulation", {
  study <- rr_study(zipf_shares(50, 1.3), n = 1000, mechanism = rr_grr(50, epsilon = 1), replications = 500, seed = 1)
  mse <- stats::setNames(study$estimate, study$method)[study$metric == "mse"]
  expect_equal(round(mse[["inv"]] / mse[["mle"]]), 7)
})

test_that("the ratios of many categories are those of the study", {
  folder <- study_folder()
  source(file.path(folder, "eb-summary.R"), local = TRUE)
  table <- summarise_eb(utils::read.csv(file.path(folder, "eb.csv.gz")))
  of <- function(k) round(unlist(table[table$cells == paste("K =", k), c("mle", "combine", "eb")], use.names = FALSE), 1)
  expect_equal(of(20), c(1.3, 1.1, 0.9))
  expect_equal(of(1000), c(3.2, 1.2, 0.9))
  expect_equal(of(41270), c(7.4, 1.3, 1))
})

test_that("the scripts of the studies call functions that there are", {
  scripts <- list.files(study_folder(), "[.]R$", full.names = TRUE)
  lines <- unlist(lapply(scripts, readLines))
  called <- unlist(regmatches(lines, gregexpr("(?<=candor:::)[A-Za-z_.]+", lines, perl = TRUE)))
  expect_gt(length(called), 10)
  expect_identical(Filter(function(name) !exists(name, asNamespace("candor"), inherits = FALSE), unique(called)), character())
})
