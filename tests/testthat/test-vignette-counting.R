# Every number printed in vignettes/counting.Rmd, in its order, from the same seed. A value is asserted to its printed digits.

printed <- function(object, value, digits) expect_equal(round(as.vector(unlist(object)), digits), value, tolerance = 1e-12)

size_columns <- function(size, digits = 1) {
  table <- tidy(size, conf.int = TRUE)
  round(unlist(table[c("estimate", "std.error", "std.error.max", "conf.low", "conf.high")], use.names = FALSE), digits)
}

test_that("the vignette on counting prints these numbers", {
  set.seed(1)
  size <- c(0.12, 0.10, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02)
  habit <- rgamma(20000, shape = 0.5, rate = 0.5)
  visited <- sapply(size, function(s) runif(20000) < pmin(1, habit * s))
  expect_identical(colSums(visited), c(2431, 1999, 1567, 1200, 1058, 802, 615, 348))

  flip <- plogis(-3)
  printed(flip, 0.04742587, 8)
  expect_identical(round(1 / flip), 21)
  reports <- visited
  reports[] <- rr_perturb(c(visited), rr_warner(epsilon = 3), rng = "R")
  printed(mean(!visited[reports[, 8], 8]), 0.7436293, 7)

  # the union
  expect_identical(round(1 - (1 - flip)^8, 2), 0.32) # "a third"
  expect_identical(sum(rowSums(reports) > 0), 10431L)
  expect_identical(sum(rowSums(visited) > 0), 6093L)
  union <- rr_set_size(reports, flip)
  expect_identical(size_columns(union), c(6072.1, 88.2, 103.6, 5899.3, 6244.8))

  growth <- tidy(rr_set_size(reports, flip, cumulative = TRUE), conf.int = TRUE)
  printed(growth$estimate, c(2387, 3700, 4523, 5050, 5456, 5717, 5937, 6072), 0)
  printed(growth$std.error, c(33.21, 45.00, 53.97, 61.73, 68.74, 75.45, 81.83, 88.16), 2)
  printed(growth$std.error.max[1:7], c(33.21, 47.61, 59.11, 69.21, 78.46, 87.17, 95.50), 2)
  printed(growth$std.error.max[8], 103.6, 1)
  printed(growth$conf.low, c(2322, 3612, 4418, 4929, 5321, 5569, 5777, 5899), 0)
  printed(growth$conf.high, c(2452, 3789, 4629, 5171, 5591, 5865, 6097, 6245), 0)
  truth <- sapply(1:8, function(k) sum(rowSums(visited[, 1:k, drop = FALSE]) > 0))
  expect_identical(truth, c(2431L, 3722L, 4546L, 5073L, 5485L, 5772L, 5994L, 6093L))
  # the picture's text alternative says that the intervals hold the true numbers
  expect_true(all(growth$conf.low <= truth & truth <= growth$conf.high))

  # both, neither, and how alike
  two <- reports[, 1:2]
  expect_identical(size_columns(rr_set_size(two, flip, "intersection")), c(684.5, 17.4, 47.6, 650.4, 718.6))
  expect_identical(size_columns(rr_set_size(two, flip, "difference")), c(1702.4, 34.4, 47.6, 1634.9, 1769.9))
  jaccard <- tidy(rr_set_size(two, flip, "jaccard"), conf.int = TRUE)
  printed(jaccard[c("estimate", "conf.low", "conf.high")], c(0.1850, 0.1745, 0.1955), 4)
  printed(jaccard$std.error, 0.005367, 6)
  printed(jaccard$std.error.max, 0.01525, 5)
  both <- sum(visited[, 1] & visited[, 2])
  expect_identical(c(both, sum(visited[, 1] & !visited[, 2])), c(708L, 1723L))
  printed(both / sum(visited[, 1] | visited[, 2]), 0.1902, 4)

  # regulars
  regulars <- rr_incidence(reports, flip)
  table <- tidy(regulars)
  printed(table$estimate[1:9], c(13927.948, 3678.576, 1488.544, 541.853, 215.384, 91.324, 41.036, 13.154, 2.181), 3)
  printed(table$std.error[1:9], c(88.157, 121.734, 82.218, 47.922, 26.658, 15.113, 8.624, 4.364, 1.556), 3)
  printed(table$estimate[10:17], c(6072.052, 2393.476, 904.932, 363.079, 147.695, 56.371, 15.335, 2.181), 3)
  printed(table$std.error[10:17], c(88.157, 62.149, 37.161, 20.864, 11.875, 6.994, 3.850, 1.556), 3)
  expect_identical(tabulate(rowSums(visited) + 1, 9), c(13907L, 3710L, 1417L, 593L, 228L, 95L, 41L, 8L, 1L))
  printed(coef(rr_incidence(reports, flip, method = "mle")), c(13927.9, 3678.6, 1488.5, 541.9, 215.4, 91.3, 41.0, 13.2, 2.2), 1)

  # every library chooses its own noise
  epsilon <- c(4, 4, 4, 3, 3, 3, 2, 2)
  own <- sapply(1:8, function(j) rr_perturb(visited[, j], rr_warner(epsilon = epsilon[j]), rng = "R"))
  printed(range(plogis(-epsilon)), c(0.018, 0.119), 3)
  expect_identical(size_columns(rr_set_size(own, plogis(-epsilon))), c(6062.5, 102.4, 121.1, 5861.9, 6263.2))

  # a report at a time
  merged <- c(rr_bit_tally(reports[, 4:8], flip), rr_bit_tally(reports[, 1:3], flip))
  expect_equal(rr_set_size(merged)$table, union$table, tolerance = 1e-12)

  # how much noise can it bear?
  worst <- Vectorize(function(sets, epsilon) sqrt(20000 * rr_extreme_variance(rep(0, sets), plogis(-epsilon))))
  printed(outer(c(1, 2, 4, 8, 16), 1:4, worst), c(136, 232, 502, 1919, 26190, 60, 89, 138, 236, 516, 33, 48, 69, 104, 165, 19, 28, 40, 57, 84), 0)
  noisy <- visited
  noisy[] <- rr_perturb(c(visited), rr_warner(epsilon = 1), rng = "R")
  expect_warning(rr_set_size(noisy, plogis(-1)), "1,920 elements.*1,710", class = "candor_warning_variance")

  # sketches
  addresses <- paste0("reader", 1:30000, "@example.org")
  sites <- lapply(1:5, function(j) sample(addresses, 6000 - 800 * j))
  published <- lapply(sites, function(s) rr_sketch(s, "linear", bits = 32768, epsilon = 3, rng = "R"))
  expect_identical(sum(published[[1]]$bits), 5904L)
  linear <- tidy(rr_set_size(published), conf.int = TRUE)
  printed(linear[c("estimate", "std.error", "conf.low", "conf.high")], c(14323.7, 143.2, 14044.9, 14606.2), 1)
  expect_identical(length(unique(unlist(sites))), 14185L)
  pcsa <- lapply(sites, function(s) rr_sketch(s, "pcsa", buckets = 1366, epsilon = 3, rng = "R"))
  printed(tidy(rr_set_size(pcsa), conf.int = TRUE)[c("estimate", "std.error", "conf.low", "conf.high")], c(13881.3, 341.0, 13226.7, 14561.0), 1)

  # merged bits
  merged <- rr_merge_bits(reports, flip, rng = "R")
  printed(attr(merged, "flip"), 0.2511546, 7)
  after <- rr_set_size(cbind(merged), attr(merged, "flip"))
  expect_identical(size_columns(after), c(6051.8, 123.2, 123.2, 5810.2, 6293.3))
  expect_gt(after$table$std.error, union$table$std.error) # "larger than without it"
})
