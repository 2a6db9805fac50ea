# Every number printed in vignettes/which-estimator.Rmd and vignettes/planning.Rmd, in their order, to its printed digits.

shown <- function(object, value, digits) expect_equal(unname(signif(object, digits)), value, tolerance = 1e-9)

test_that("which estimator: the study", {
  truths <- list(even = zipf_shares(1000, 0.01), middling = zipf_shares(1000, 1.3), steep = zipf_shares(1000, 2.5))
  study <- rr_study(truths, epsilon = c(1, 4, 8), n = 10^(2:6), seed = 1, workers = 1)
  at <- study$epsilon == 4 & study$n == 10000
  steep <- study[at & study$truth == "steep", ]
  expect_equal(length(attr(study, "study")$results), 45)
  mse <- steep[steep$metric == "mse", ]
  shown(mse$estimate, c(0.03848, 0.2893, 0.003186, 0.04897), 4)
  shown(mse$mc.error, c(0.0002420, 0.001154, 0.0002144, 0.0009966), 4)
  inv <- study$estimate[at & study$metric == "mse" & study$method == "inv"]
  expect_equal(round(inv, 3), c(0.039, 0.039, 0.038))
  even <- study[at & study$truth == "even" & study$metric == "mse", ]
  expect_equal(round(even$estimate[2:4], 4), c(0.0019, 0.0062, 0.0050))
  expect_equal(round(mse$estimate[2:4], 4), c(0.2893, 0.0032, 0.0490))
  expect_equal(round(steep$estimate[steep$metric == "bias2"], 5), c(-0.00001, 0.28791, 0.00087, 0.04667))
  expect_equal(round(steep$estimate[steep$metric == "variance"], 5), c(0.03849, 0.00140, 0.00232, 0.00230))
})

test_that("which estimator: the choice", {
  withr::local_seed(7)
  mechanism <- rr_grr(100, epsilon = 2)
  answers <- sample(100, 2000, replace = TRUE, prob = zipf_shares(100, 2.5))
  reports <- rr_tally(rr_perturb(answers, mechanism, rng = "R"), mechanism)
  choice <- rr_choose(reports, seed = 1)
  expect_equal(choice$method, c("eb", "combine", "invp", "mle", "inv", "invn"))
  shown(choice$risk, c(0.01477, 0.01648, 0.01977, 0.04554, 0.1376, 0.2299), 4)
  shown(choice$mc.error, c(0.000561, 0.000722, 0.0009858, 0.001739, 0.001559, 0.002459), 4)
  shown(choice$bias2, c(0.006504, 0.006969, 0.006125, 0.03187, -0.00008184, 0.2195), 4)
  shown(choice$variance, c(0.008266, 0.009515, 0.01364, 0.01366, 0.1377, 0.01044), 4)
  expect_equal(choice$share, c(0.415, 0.27, 0.27, 0.045, 0, 0))
  shown(choice$unbiased, c(0.03262, 0.01213, 0.02326, 0.04844, 0.1369, 0.2729), 4)
  expect_output(print(choice), "risk 12% larger")

  truth <- zipf_shares(100, 2.5)
  loss <- function(method) sum((coef(rr_estimate(reports, method = method)) - truth)^2)
  expect_equal(round(sapply(c("inv", "invn", "invp", "mle", "combine", "eb"), loss, USE.NAMES = FALSE), 4), c(0.1505, 0.1891, 0.0158, 0.0302, 0.0175, 0.0211))
  details <- rr_estimate(reports, method = "combine")$details[[1]]
  shown(c(details$threshold, details$weight), c(27.12718, 0.9911495), 7)
})

test_that("which estimator: the papers' grid", {
  # What the scripts of inst/studies wrote; they are not run again here.
  read <- function(name) utils::read.csv(system.file("studies", name, package = "candor", mustWork = TRUE))
  choose <- read("choose.csv")
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
  grid <- read("pinzon-mse.csv")
  expect_equal(nrow(grid), 750)
  expect_true(all(grid$mle <= pmax(grid$invn, grid$invp) * (1 + 1e-5)))
  expect_gt(mean(grid$mle / pmin(grid$invn, grid$invp) > 2), 1 / 3)
})

test_that("planning: numbers of respondents", {
  plan <- rr_power(rr_forced(1 / 6), margin = 0.03)
  expect_equal(c(plan$n, plan$direct, plan$share, plan$margin), c(2401, 1068, 0.5, 0.03))
  shown(plan$epsilon, 1.609, 4)
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
  shown(plan$epsilon, c(1.386, 1.386), 4)
  power <- rr_power(rr_warner(0.8), n = 500, share = c(0.05, 0.1, 0.2))
  shown(power$level, rep(0.04341, 3), 4)
  shown(power$power, c(0.4750, 0.9317, 1.000), 4)
})

test_that("planning: mechanisms", {
  table <- rr_recommend(8, epsilon = 1, n = 10000)
  expect_equal(table$mechanism, c("subset", "grr", "oue", "olh", "sue", "hadamard", "blh"))
  shown(table$p, c(0.4754, 0.2797, 0.5, 0.4754, 0.6225, 0.7311, 0.7311), 4)
  shown(table$q, c(0.2178, 0.1029, 0.2689, 0.25, 0.3775, 0.5, 0.5), 4)
  shown(table$mse, c(0.002261, 0.002799, 0.003134, 0.003163, 0.003222, 0.003734, 0.003734), 4)
  shown(table$std.error, c(0.01603, 0.01718, 0.01919, 0.01921, 0.01979, 0.02164, 0.02164), 4)
  shown(table$within, c(0, 0.2379, 0.3859, 0.3987, 0.4248, 0.6512, 0.6512), 4)
  # Subsets are one of 28; local hashing sends slope, shift and value: 256 slopes by 257 shifts by 4 values, and 130 by 131 by 2.
  shown(table$bits, signif(c(log2(28), 3, 8, log2(256 * 257 * 4), 8, 4, log2(130 * 131 * 2)), 4), 4)
  expect_equal(round(3 * exp(1) + 2, 2), 10.15)
  expect_output(print(table), "24% larger")
  table <- rr_recommend(c(2, 4, 8, 16, 32, 64), epsilon = c(0.5, 1, 2, 3, 4))
  table <- table[table$mechanism == "grr", ]
  expect_equal(as.vector(round(100 * xtabs(within ~ k + epsilon, table))),
               c(0, 3, 62, 180, 421, 906, 0, 0, 24, 92, 237, 530, 0, 0, 0, 13, 61, 166, 0, 0, 0, 0, 3, 36, rep(0, 6)))
})

test_that("planning: by simulation", {
  risk <- rr_risk(rr_grr(50, epsilon = 1), zipf_shares(50, 1.3), n = 1000, target = "population", replications = 500, seed = 1)
  shown(risk$mse, c(0.8877, 0.1108, 0.1401, 0.1298), 4)
  shown(risk$bias2, c(0, 0.07632, 0.02873, 0.03542), 4)
  shown(risk$variance, c(0.8877, 0.03444, 0.1113, 0.09437), 4)
  shown(risk$mc.error, c(0, 0.001247, 0.002787, 0.002511), 4)
  expect_equal(round(risk$mse[1] / risk$mse[4]), 7)
})

test_that("the ratios of many categories are those of the study", {
  folder <- system.file("studies", package = "candor")
  skip_if_not(nzchar(folder))
  source(file.path(folder, "eb-summary.R"), local = TRUE)
  table <- summarise_eb(utils::read.csv(file.path(folder, "eb.csv.gz")))
  of <- function(k) round(unlist(table[table$cells == paste("K =", k), c("mle", "combine", "eb")], use.names = FALSE), 1)
  expect_equal(of(20), c(1.3, 1.1, 0.9))
  expect_equal(of(1000), c(3.2, 1.2, 0.9))
  expect_equal(of(41270), c(7.4, 1.3, 1))
})
