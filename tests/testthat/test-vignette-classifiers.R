# What vignettes/articles/classifiers.Rmd prints beside published tables, and says of its simulations.

inside <- function(limits, truth) all(limits[[1]] <= truth & truth <= limits[[2]])

test_that("the error-adjusted area is Olofsson's, and the readout is the inverted matrix", {
  class <- c("deforestation", "gain", "forest", "other")
  checked <- matrix(c(66, 0, 5, 4, 0, 55, 8, 12, 1, 0, 153, 11, 2, 1, 9, 313), 4, byrow = TRUE, dimnames = list(map = class, reference = class))
  pixels <- setNames(c(200000, 150000, 3200000, 6450000), class)
  expect_message(area <- rr_misclassification(table = checked, validation = "internal"), class = "candor_message_transposed")
  cover <- tidy(rr_estimate(rr_counts(pixels - rowSums(checked), area)))
  # Olofsson et al. (2014) print 21,158 hectares.
  expect_equal(round(0.09 * 1e7 * cover$estimate[1]), 21158)
  # Their stratified variance, by hand, once with n and once with n - 1: 6,144 and the printed 6,158 hectares.
  w <- pixels / sum(pixels)
  p <- checked[, 1] / rowSums(checked)
  margin <- function(n) round(1.96 * 0.09 * 1e7 * sqrt(sum(w^2 * p * (1 - p) / n)))
  expect_equal(margin(rowSums(checked) - 1), 6158)
  expect_equal(margin(rowSums(checked)), 6144)
  expect_equal(round(1.96 * 0.09 * 1e7 * cover$std.error[1]), 6144)

  states <- c("00", "01", "10", "11")
  shots <- rbind(c(9808, 95, 96, 1), c(107, 9788, 2, 103), c(95, 1, 9814, 90), c(1, 107, 87, 9805))
  dimnames(shots) <- list(truth = states, report = states)
  fit <- rr_estimate(rr_counts(setNames(c(4907, 111, 98, 4884), states), rr_misclassification(table = shots)))
  expect_equal(unname(1e4 * coef(fit)), solve(t(shots / 1e4), c(4907, 111, 98, 4884)), tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(unname(round(1e4 * coef(fit), 1)), c(5002.4, 10.4, 6.8, 4980.5))
  expect_identical(unname(confint(fit)[2:3, 1]), c(0, 0))
})

test_that("the rubric: all five intervals hold, and errors are shorter than those of labels and of prediction-powered inference", {
  set.seed(46)
  grades <- as.character(1:5)
  judge <- rbind(c(.60, .25, .10, .04, .01), c(.12, .50, .25, .10, .03), c(.03, .10, .50, .27, .10),
                 c(.01, .03, .11, .55, .30), c(0, .01, .04, .15, .80))
  shares <- c(.1, .2, .35, .25, .1)
  truth <- sample(grades, 3000, replace = TRUE, prob = shares)
  verdict <- grades[apply(judge[as.integer(truth), ], 1, function(p) sample(5, 1, prob = p))]
  label <- replace(truth, -sample(3000, 400), NA)
  fit <- rr_estimate(data.frame(verdict, label), rr_misclassification(labels = "label"), column = "verdict")
  expect_true(inside(as.data.frame(confint(fit)), shares))
  mean_grade <- rr_contrast(fit, list("mean grade" = setNames(1:5, grades)))
  expect_true(inside(mean_grade[c("conf.low", "conf.high")], sum(1:5 * shares)))
  expect_equal(round(mean(as.integer(verdict)), 2), 3.33)
  x <- as.integer(verdict)
  y <- as.integer(label)
  read <- !is.na(y)
  # The mean by hand: the labels' mean in each verdict, weighted by the share of the verdict.
  expect_equal(mean_grade$estimate, sum(prop.table(table(x)) * tapply(y, x, mean, na.rm = TRUE)), tolerance = 1e-10)
  powered <- sqrt(var((y - x)[read]) / 400 + var(x[!read]) / 2600)
  expect_equal(round(c(sd(y[read]) / 20, powered), 3), c(0.055, 0.049))
  expect_lt(mean_grade$std.error, powered)
})

test_that("two systems: the judge's errors nearly cancel", {
  set.seed(45)
  judge <- rr_misclassification(table = rbind(wrong = c(wrong = 85, right = 15), right = c(8, 92)))
  said <- sapply(c(A = 0.62, B = 0.68), function(share) rbinom(1, 2000, 0.92 * share + 0.15 * (1 - share)))
  fit <- rr_estimate(rr_counts(rbind(wrong = 2000 - said, right = said), judge))
  # The delta method by hand: one inverse slope, and the study's part of the difference.
  slope <- 0.92 - 0.15
  share <- (said / 2000 - 0.15) / slope
  study <- diff(share)^2 * (0.92 * 0.08 / 100 + 0.15 * 0.85 / 100)
  expected <- sqrt(sum(said / 2000 * (1 - said / 2000) / 2000) + study) / slope
  expect_equal(rr_compare(fit)$std.error, expected[[1]], tolerance = 1e-8)
  expect_equal(round(expected[[1]], 3), 0.020)
  expect_equal(round(sqrt(sum(subset(tidy(fit), term == "right")$std.error^2)), 3), 0.044)
})

test_that("a plan of labels: the least number within a margin, split by share and error", {
  plan <- rr_power(rr_misclassification(0.8, 0.95), n = 1000, share = 0.12, margin = 0.05, labels = NA)
  slope <- 0.8 + 0.95 - 1
  # Share times standard deviation of a label, of the truths no and yes.
  weights <- c(0.88 * sqrt(0.95 * 0.05), 0.12 * sqrt(0.8 * 0.2)) / slope
  reported <- 0.12 * 0.8 + 0.88 * 0.05
  labels <- sum(weights)^2 / ((0.05 / qnorm(0.975))^2 - reported * (1 - reported) / slope^2 / 1000)
  expect_equal(plan$people, ceiling(labels * weights / sum(weights)))
  expect_identical(plan$people, c(188, 47))
  expect_equal(plan$floor[1], qnorm(0.975) * sum(weights) / sqrt(labels), tolerance = 1e-8)
})
