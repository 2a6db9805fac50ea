# What vignettes/counting.Rmd says in words of its figures, from the same seed; the truths are those that it draws.
test_that("the intervals hold the true numbers, parts merge to the whole, and merging bits costs precision", {
  set.seed(1)
  size <- c(0.12, 0.10, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02)
  habit <- rgamma(20000, shape = 0.5, rate = 0.5)
  visited <- sapply(size, function(s) runif(20000) < pmin(1, habit * s))
  expect_identical(colSums(visited), c(2431, 1999, 1567, 1200, 1058, 802, 615, 348))

  flip <- plogis(-3)
  expect_identical(round(1 / flip), 21)
  reports <- visited
  reports[] <- rr_perturb(c(visited), rr_warner(epsilon = 3), rng = "R")
  union <- rr_set_size(reports, flip)

  growth <- tidy(rr_set_size(reports, flip, cumulative = TRUE), conf.int = TRUE)
  truth <- sapply(1:8, function(k) sum(rowSums(visited[, 1:k, drop = FALSE]) > 0))
  # the picture's text alternative says that the intervals hold the true numbers
  expect_true(all(growth$conf.low <= truth & truth <= growth$conf.high))

  both <- tidy(rr_set_size(reports[, 1:2], flip, "intersection"), conf.int = TRUE)
  expect_true(both$conf.low <= sum(visited[, 1] & visited[, 2]) && sum(visited[, 1] & visited[, 2]) <= both$conf.high)
  regulars <- tidy(rr_incidence(reports, flip), conf.int = TRUE)[1:9, ]
  exactly <- tabulate(rowSums(visited) + 1, 9)
  expect_lt(max(abs(regulars$estimate - exactly) / regulars$std.error), 3)
  # Every library chooses its own noise.
  epsilon <- c(4, 4, 4, 3, 3, 3, 2, 2)
  own <- sapply(1:8, function(j) rr_perturb(visited[, j], rr_warner(epsilon = epsilon[j]), rng = "R"))
  own <- tidy(rr_set_size(own, plogis(-epsilon)), conf.int = TRUE)
  expect_true(own$conf.low <= truth[8] && truth[8] <= own$conf.high)
  # a report at a time
  merged <- c(rr_tally(reports[, 4:8], flip = flip), rr_tally(reports[, 1:3], flip = flip))
  expect_equal(rr_set_size(merged)$table, union$table, tolerance = 1e-12)

  noisy <- visited
  noisy[] <- rr_perturb(c(visited), rr_warner(epsilon = 1), rng = "R")
  expect_warning(rr_set_size(noisy, plogis(-1)), "1,920", class = "candor_warning_variance")

  merged <- rr_merge_bits(reports, flip, rng = "R")
  after <- rr_set_size(cbind(merged), attr(merged, "flip"))
  expect_gt(after$table$std.error, union$table$std.error) # "larger than without it"
})
