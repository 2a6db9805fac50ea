# Posteriors of shares, against exact arithmetic, each other, and Bayes' rule by brute force.

golden_posterior <- function(input, ...) {
  rr_posterior(rr_counts(c(input$n - input$yes, input$yes), rr_binary(input$p, input$q)), prior = c(input$prior_a, input$prior_b), ...)
}

test_that("golden vectors", {
  for (case in golden("proportion_posterior")) {
    fit <- golden_posterior(case$input)
    row <- tidy(fit)[2, ]
    found <- c(row$estimate, row$std.error, quantile(fit, c(0.025, 0.5, 0.975))[2, ], glance(fit)$log.evidence)
    expect_lte(max(abs(found - unlist(case$expected[c("mean", "sd", "quantiles", "log_marginal_likelihood")]))), 1e-10)
  }
})

# Independent draws: with a uniform prior and P(y | x) = b + a 1{x = y} the reported shares are Dirichlet(counts + 1), as
# long as the mechanism can give them.
rejection_draws <- function(counts, b, a, n) {
  m <- matrix(rgamma(3 * n, rep(counts + 1, each = n)), n)
  m <- m / rowSums(m)
  (m[rowSums(m < b) == 0, ] - b) / a
}

test_that("draws follow the posterior", {
  set.seed(31)
  severe <- rr_counts(c(80, 230), rr_crosswise(0.25))
  for (prior in list(c(1, 1), c(2, 5))) {
    fit <- rr_posterior(severe, prior = prior, n = 4000)
    row <- tidy(fit)[2, ]
    draws <- fit$draws[, "yes"]
    expect_lte(abs(mean(draws) - row$estimate), 4 * row$std.error / sqrt(4000))
    # Kolmogorov and Smirnov, through the posterior's own quantiles.
    expect_lte(abs(mean(draws < row$median) - 0.5), 4 * 0.5 / sqrt(4000))
  }
  tally <- rr_counts(c(420, 330, 250), rr_grr(c("a", "b", "c"), epsilon = 1))
  channel <- rr_matrix(tally$mechanism)
  direct <- rejection_draws(tally$counts, channel[1, 2], channel[1, 1] - channel[1, 2], 10000)
  expect_gt(nrow(direct), 4000)
  fit <- rr_posterior(tally, n = 4000)
  worth <- glance(fit)$effective
  expect_true(worth > 100 && worth <= 4000)
  expect_lte(max(abs(colMeans(direct) - coef(fit)) / (tidy(fit)$std.error * sqrt(1 / nrow(direct) + 1 / worth))), 4)
})

test_that("direct answers have the Beta distribution, few and many, and a uniform prior a truncated one", {
  probs <- c(1e-6, 0.025, 0.5, 0.975, 1 - 1e-6)
  for (counts in list(c(1, 0), c(7, 3), c(400, 2), c(6e5, 4e5))) for (prior in list(c(1, 1), c(0.5, 0.5), c(0.2, 3), c(40, 2))) {
    fit <- rr_posterior(rr_counts(counts, rr_binary(1, 0)), prior = prior)
    shape <- prior + rev(counts)
    expect_equal(quantile(fit, probs)[2, ], qbeta(probs, shape[1], shape[2]), tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(tidy(fit)$estimate[2], shape[1] / sum(shape), tolerance = 1e-9)
    expect_equal(tidy(fit)$std.error[2], sqrt(prod(shape) / sum(shape)^2 / (sum(shape) + 1)), tolerance = 1e-9)
    expect_equal(glance(fit)$log.evidence, lbeta(shape[1], shape[2]) - lbeta(prior[1], prior[2]), tolerance = 1e-9)
    expect_identical(unname(quantile(fit, c(0, 1))[2, ]), c(0, 1))
  }
  # Ten billion answers lie between two points of the grid that finds them.
  expect_equal(quantile(rr_posterior(rr_counts(c(6e9, 4e9), rr_binary(1, 0))), probs)[2, ], qbeta(probs, 4e9 + 1, 6e9 + 1), tolerance = 1e-10,
    ignore_attr = TRUE)
  # rr_forced(1 / 6): reports of yes from 1/6 to 5/6.
  inside <- pbeta(c(1, 5) / 6, 1801, 8201)
  reported <- qbeta(inside[1] + probs * diff(inside), 1801, 8201)
  fit <- rr_posterior(rr_counts(c(8200, 1800), rr_forced(1 / 6)))
  expect_equal(quantile(fit, probs)[2, ], (reported - 1 / 6) / (2 / 3), tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("extreme posteriors stay inside", {
  # Fewer yes than the die alone gives: all the mass near 0, none below.
  for (n in c(1e3, 1e6, 1e9)) {
    fit <- rr_posterior(rr_counts(c(0.9, 0.1) * n, rr_forced(1 / 6)))
    bounds <- quantile(fit, c(0.001, 0.5, 0.999))["yes", ]
    expect_true(all(is.finite(bounds) & bounds >= 0 & bounds <= 1) && all(diff(bounds) > 0))
    # Near the boundary it is exponential, with the slope of the log-likelihood.
    slope <- n * (0.1 / (1 / 6) - 0.9 / (5 / 6)) * (2 / 3)
    if (n >= 1e6) expect_equal(bounds[[2]], log(2) / -slope, tolerance = 0.01)
    if (n >= 1e6) expect_equal(tidy(fit)$estimate[2], -1 / slope, tolerance = 0.01)
  }
  expect_true(all(is.finite(unlist(tidy(rr_posterior(rr_counts(c(1e8, 9e8), rr_crosswise(0.25)), prior = c(0.5, 0.5)), conf.int = TRUE)[-1]))))
})

test_that("groups one by one, shapes, and the generator only for draws", {
  tally <- rr_tally(c(rep(0:1, c(60, 40)), rep(0:1, c(30, 70))), rr_warner(0.8), by = list(g = rep(c("a", "b"), each = 100)))
  draws <- function() {
    set.seed(1)
    rr_posterior(tally, n = 5)
  }
  first <- draws()
  state <- .Random.seed
  fit <- rr_posterior(tally)
  expect_identical(.Random.seed, state)
  alone <- rr_posterior(rr_counts(c(30, 70), rr_warner(0.8)))
  expect_equal(c(coef(fit)[3:4], confint(fit, "b:yes")), c(coef(alone), confint(alone, "yes")), ignore_attr = TRUE)
  expect_error(confint(fit, "b.yes"), class = "candor_error_level")
  expect_identical(dim(as.data.frame(first)), c(10L, 3L))
  expect_identical(draws()$draws, first$draws)
  expect_identical(dimnames(rr_posterior(alone$tally, n = 1)$draws), list(NULL, c("no", "yes")))
})

test_that("bad input is refused", {
  tally <- rr_counts(c(60, 40), rr_warner(0.8))
  expect_refused(rr_posterior(tally, prior = c(0, 1)), rr_posterior(tally, prior = c(1, 1, 1)), rr_posterior(rr_counts(c(1, 2, 3), rr_grr(3, epsilon = 1))),
                 rr_posterior(rr_tally(c(0, 1), rr_warner(0.8), weights = c(1.5, 2))))
  expect_refused(rr_posterior(rr_counts(c(1, 2), rr_warner(0.5))), class = "no_information")
  named <- rr_posterior(tally, prior = c(no = 5, yes = 2))
  expect_equal(coef(named), coef(rr_posterior(tally, prior = c(2, 5))))
})

test_that("every mechanism: the posterior of Bayes' rule about the truth that was perturbed, or a refusal", {
  two <- c("no", "yes")
  abc <- c("a", "b", "c")
  right <- list(rr_warner(0.8), rr_forced(1 / 6), rr_grr(two, epsilon = 1), rr_hadamard(two, 1), rr_hadamard(abc, 1),
                rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.3, 0.6)), two), rr_compose(rr_warner(0.8), rr_warner(0.9)),
                rr_noncompliance(rr_warner(0.8), 0.1), rr_misclassification(0.9, 0.8, levels = two),
                rr_grr(abc, epsilon = 1), rr_geometric(1:3, 1), rr_square_wave(c(0, 1, 2, 3), 2))
  set.seed(34)
  for (mechanism in right) {
    k <- length(mechanism$levels)
    truth <- c(0.7, 0.3, 0.4)[seq_len(k)] / c(1, 1.4)[k - 1]
    tally <- rr_tally(rr_perturb(rep(mechanism$levels, round(4200 * truth)), mechanism, rng = "R"), mechanism)
    fit <- rr_posterior(tally, prior = 2, n = if (k == 2) 0 else 2000)
    row <- tidy(fit)
    # Five standard deviations and no more: the data follow the law of the posterior.
    expect_true(all(abs(row$estimate - truth) < 5 * row$std.error))
    C <- rr_matrix(mechanism)
    grid <- seq(0.0025, 0.9975, by = 0.005)
    theta <- if (k == 2) cbind(1 - grid, grid) else as.matrix(cbind(expand.grid(grid, grid), 0))
    if (k == 3) theta[, 3] <- 1 - theta[, 1] - theta[, 2]
    theta <- theta[theta[, k] > 0, , drop = FALSE]
    value <- drop(log(theta %*% C) %*% tally$counts) + rowSums(log(theta))
    weight <- exp(value - max(value)) / sum(exp(value - max(value)))
    # Beta(2, 2) has the density 6 t (1 - t).
    if (k == 2) expect_equal(glance(fit)$log.evidence, max(value) + log(6 * mean(exp(value - max(value)))), tolerance = 1e-7)
    # Chains of 2000 draws are worth 20 at least: their mean is within a standard deviation.
    expect_true(all(abs(row$estimate - colSums(weight * theta)) < if (k == 2) 1e-6 else row$std.error))
  }
  answers <- rep(abc, c(60, 30, 10))
  for (mechanism in list(rr_unary(abc, 1), rr_unary(two, 1), rr_subset(abc, 1, 1), rr_subset(abc, 1, 2), rr_local_hash(abc, 1),
                         rr_bloom(abc, 1, bits = 4, hashes = 1, cohorts = 2), rr_bitflip(abc, 1), rr_bitflip(abc, 1, d = 2))) {
    own <- if (length(mechanism$levels) == 2) rep(two, 50) else answers
    tally <- rr_tally(rr_perturb(own, mechanism, rng = "R"), mechanism, by = list(g = rep(c("u", "v"), 50)))
    expect_refused(rr_posterior(tally, n = 10), rr_multinom(~ g, tally), class = "law")
    if (length(mechanism$levels) == 2) expect_error(rr_glm(~ g, tally), class = "candor_error_law")
  }
  expect_error(rr_posterior(rr_tally(rr_perturb(rep(1:8, 50), rr_hierarchy(1:8, 1), rng = "R"), rr_hierarchy(1:8, 1)), n = 10), class = "candor_error_law")
})

test_that("intervals are equal-tailed at their level: a Beta distribution's of direct answers", {
  fit <- rr_posterior(rr_counts(c(no = 7, yes = 3), rr_binary(1, 0)))
  for (level in c(0.8, 0.95)) {
    limits <- qbeta(c(1 - level, 1 + level) / 2, 4, 8)
    expect_equal(confint(fit, "yes", level = level)[1, ], limits, tolerance = 1e-8, ignore_attr = TRUE)
    row <- tidy(fit, conf.int = TRUE, conf.level = level)
    expect_equal(c(row$conf.low[2], row$conf.high[2]), limits, tolerance = 1e-8)
    expect_equal(c(row$conf.low[1], row$conf.high[1]), 1 - rev(limits), tolerance = 1e-8)
  }
})

test_that("draws that are alike count less: the worth of a chain, and what the title says", {
  x <- withr::with_seed(35, as.vector(stats::filter(rnorm(20000), 0.6, "recursive")))
  # An autoregression of order one: n (1 - r) / (1 + r) = n / 4, known to some per cent.
  expect_equal(effective_draws(x), 5000, tolerance = 0.15)
  expect_identical(effective_draws(rep(1, 50)), 50L)
  expect_output(print(withr::with_seed(36, rr_posterior(rr_counts(c(60, 40), rr_warner(0.8)), n = 40))), "Shares given 100 reports.*40 draws")
  frame <- as.data.frame(withr::with_seed(1, rr_posterior(rr_tally(rep(0:1, 20), rr_warner(0.8), by = rep(c("a", "b"), c(10, 30))), n = 3)))
  expect_identical(as.character(frame[[1]]), rep(c("a", "b"), each = 3))
  expect_equal(frame$no + frame$yes, rep(1, 6))
})

test_that("draws that satisfy a constraint are those of the prior restricted to it, by a grid over the shares", {
  set.seed(31)
  mechanism <- rr_grr(3, p = 0.7)
  counts <- c(3, 5, 4)
  draws <- rr_posterior(rr_counts(counts, mechanism), prior = c(1, 2, 1), n = 8000)$draws
  kept <- draws[draws[, 3] < draws[, 2], ]
  step <- 1 / 400
  grid <- expand.grid(a = seq(step / 2, 1, step), b = seq(step / 2, 1, step))
  theta <- cbind(grid$a, grid$b, 1 - grid$a - grid$b)
  theta <- theta[theta[, 3] > 0, ]
  reported <- theta %*% rr_matrix(mechanism)
  density <- exp(log(reported) %*% counts) * theta[, 2]
  inside <- theta[, 3] < theta[, 2]
  expect_equal(nrow(kept) / nrow(draws), sum(density[inside]) / sum(density), tolerance = 0.05)
  # Four Monte Carlo errors: standard deviations are near .17, and 8,000 dependent draws are worth 1,000 or more.
  exact <- colSums(theta[inside, ] * density[inside]) / sum(density[inside])
  expect_lt(max(abs(colMeans(kept) - exact)), 4 * 0.17 / sqrt(1000))
})

test_that("a question of a product that a study measured is refused, not read as exact", {
  measured <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5), yes = c(10, 40)))
  questions <- rr_product(a = measured, b = rr_warner(0.8))
  expect_error(rr_posterior(rr_counts(c(30, 20, 25, 25), questions)), class = "candor_error_argument")
})

test_that("the worth of a chain is that of its initial positive sequence, written out", {
  worth <- function(x) {
    n <- length(x)
    centred <- x - mean(x)
    rho <- function(lag) sum(centred[seq_len(n - lag)] * centred[lag + seq_len(n - lag)]) / sum(centred^2)
    sum <- 0
    lag <- 1
    while (lag < min(n - 1, 1000) && rho(lag) + rho(lag + 1) >= 0) {
      sum <- sum + rho(lag) + rho(lag + 1)
      lag <- lag + 2
    }
    n / max(1, 1 + 2 * sum)
  }
  for (n in c(10, 11, 60, 400)) {
    x <- withr::with_seed(n, as.vector(stats::filter(rnorm(n), 0.9, "recursive")))
    expect_equal(effective_draws(x), worth(x), tolerance = 1e-10)
    expect_equal(effective_draws(cumsum(x)), worth(cumsum(x)), tolerance = 1e-10)
  }
  # Correlations beyond a thousand draws are not summed.
  expect_equal(effective_draws(1:6000), worth(1:6000), tolerance = 1e-10)
  # Draws that alternate are worth no more than their number.
  expect_identical(effective_draws(rep(c(1, -1), 20)), 40)
  expect_identical(effective_draws(c(1, 1, 1, 2, 2, 2, 3, 3, 3)), 9L)
})

test_that("groups of direct answers: covariances, evidence, regions and tables of Beta distributions", {
  tally <- rr_tally(c(rep(0:1, c(3, 9)), rep(0:1, c(30, 70))), rr_binary(1, 0, levels = 0:1), by = list(g = rep(c("a", "b"), c(12, 100))))
  shapes <- list(c(2 + 9, 5 + 3), c(2 + 70, 5 + 30))
  fit <- rr_posterior(tally, prior = c(2, 5))
  mean <- vapply(shapes, function(s) s[1] / sum(s), 0)
  variance <- vapply(shapes, function(s) prod(s) / sum(s)^2 / (sum(s) + 1), 0)
  expect_equal(unname(vcov(fit)), kronecker(diag(variance), matrix(c(1, -1, -1, 1), 2)), tolerance = 1e-8)
  expect_equal(unname(coef(fit)), as.vector(rbind(1 - mean, mean)), tolerance = 1e-8)
  table <- as.data.frame(fit)
  expect_equal(table$std.error, rep(sqrt(variance), each = 2), tolerance = 1e-8)
  expect_equal(table$median[c(2, 4)], vapply(shapes, function(s) qbeta(0.5, s[1], s[2]), 0), tolerance = 1e-8)
  one <- glance(fit)
  expect_equal(one$log.evidence, sum(vapply(shapes, function(s) lbeta(s[1], s[2]) - lbeta(2, 5), 0)), tolerance = 1e-8)
  expect_identical(unlist(one[c("nobs", "draws", "effective")], use.names = FALSE), c(112, 0, NA))
  expect_identical(one$method, "quadrature")
  regions <- summary(fit, above = c(0.7, 0, 1))
  expect_identical(regions$above, rep(c(0.7, 0, 1), each = 4))
  expect_equal(regions$conf.low, rep(confint(fit)[, 1], 3), ignore_attr = TRUE)
  yes <- vapply(shapes, function(s) pbeta(0.7, s[1], s[2], lower.tail = FALSE), 0)
  no <- vapply(shapes, function(s) pbeta(0.7, s[2], s[1], lower.tail = FALSE), 0)
  expect_equal(regions$probability, c(rbind(no, yes), rep(1:0, each = 4)), tolerance = 1e-7)
  drawn <- withr::with_seed(1, rr_posterior(tally, prior = c(2, 5), n = 30))
  expect_identical(unlist(glance(drawn)[c("draws", "effective")], use.names = FALSE), c(30, 30))
  expect_identical(lapply(drawn$draws, dim), list(c(30L, 2L), c(30L, 2L)), ignore_attr = TRUE)
})

test_that("three categories that are seen: draws of a Dirichlet distribution, with a number of the prior for each level", {
  levels <- c("a", "b", "c")
  fit <- withr::with_seed(37, rr_posterior(rr_counts(c(6, 2, 12), rr_channel(diag(3), levels = levels)), prior = c(c = 1, a = 0.5, b = 4), n = 4000))
  shape <- c(0.5, 4, 1) + c(6, 2, 12)
  mean <- shape / sum(shape)
  covariance <- (diag(mean) - tcrossprod(mean)) / (sum(shape) + 1)
  # Four errors of a mean of 4000 draws, and of their variance.
  expect_lt(max(abs(coef(fit) - mean) / sqrt(diag(covariance))), 4 / sqrt(4000))
  expect_equal(diag(vcov(fit)), diag(covariance), tolerance = 4 * sqrt(2 / 4000), ignore_attr = TRUE)
  expect_lt(vcov(fit)[1, 3], 0)
  # What the draws say themselves.
  expect_identical(unname(coef(fit)), unname(colMeans(fit$draws)))
  expect_equal(unname(quantile(fit, c(0.1, 0.9))["b", ]), unname(quantile(fit$draws[, "b"], c(0.1, 0.9))))
  expect_equal(summary(fit, above = 0.3)$probability, unname(colMeans(fit$draws > 0.3)))
  expect_identical(glance(fit)$log.evidence, NA_real_)
  expect_identical(glance(fit)$method, "data augmentation")
  expect_gt(glance(fit)$effective, 3000)
})

test_that("a report that no truth gives is impossible, and without one its column changes nothing", {
  channel <- rbind(c(0.7, 0.3), c(0.2, 0.8))
  impossible <- rr_channel(cbind(channel - 0.05, 0.1))
  impossible$matrix[] <- cbind(channel, 0)
  expect_error(rr_posterior(rr_counts(c(5, 5, 1), impossible)), class = "candor_error_impossible")
  expect_equal(coef(rr_posterior(rr_counts(c(5, 5, 0), impossible))), coef(rr_posterior(rr_counts(c(5, 5), rr_channel(channel)))), tolerance = 1e-10)
})

test_that("the grid of a posterior: its density by hand, from end to end of its mass, with a hundred nodes for its sharpest bend", {
  channel <- rbind(c(0.7, 0.1, 0.2), c(0.2, 0.5, 0.3))
  # In the last of them the mass is near 0, and bends sharply there.
  for (case in list(c(1, 1, 5, 9), c(0.2, 3, 5, 9), c(6, 0.5, 5, 9), c(1, 1, 2000, 100))) {
    a <- case[1]
    b <- case[2]
    counts <- c(case[3:4], 0)
    reported <- function(eta) cbind(0.7 - 0.5 * plogis(eta), 0.1 + 0.4 * plogis(eta))
    log_density <- function(eta) {
      a * log(plogis(eta)) + b * log(plogis(-eta)) + drop(log(reported(eta)) %*% counts[1:2])
    }
    eta <- c(-3, -0.5, 0, 0.4, 6)
    expect_equal(posterior_density(counts, channel, a, b)(eta), log_density(eta), tolerance = 1e-10)
    # The terms of the second derivative, each as far from 0 as it may be.
    h <- 1e-4
    first <- (reported(eta + h) - reported(eta - h)) / (2 * h) / reported(eta)
    second <- (reported(eta + h) - 2 * reported(eta) + reported(eta - h)) / h^2 / reported(eta)
    bend_at <- function(eta) (a + b) * plogis(eta) * plogis(-eta) + drop((first^2 + abs(second)) %*% counts[1:2])
    expect_equal(posterior_bend(counts, channel, a, b, plogis(eta)), bend_at(eta), tolerance = 1e-5)
    curve <- posterior_grid(counts, channel, a, b)
    fine <- seq(-600, 600, 1e-3)
    height <- log_density(fine)
    height[!is.finite(height)] <- -Inf
    log_mass <- max(height) + log(sum(exp(height - max(height))) * 1e-3)
    expect_equal(curve$evidence, log_mass - lbeta(a, b), tolerance = 1e-8)
    expect_equal(curve$density, exp(log_density(curve$grid) - log_mass), tolerance = 1e-8)
    ends <- range(fine[height > max(height) - 50])
    widest <- 80 / min(a, b, 1) + log(sum(counts) + 2)
    expect_lt(max(abs(range(curve$grid) - ends)), 2 * widest / 1e4 + 1e-3)
    expect_true(curve$grid[1] <= ends[1] && tail(curve$grid, 1) >= ends[2])
    bend <- max(posterior_bend(counts, channel, a, b, plogis(fine[height > max(height) - 20])))
    step <- min(1 / sqrt(bend), 0.4) / 100
    expect_equal((curve$grid[2] - curve$grid[1]) / step, 1, tolerance = 0.02)
  }
})

test_that("an answer that one respondent gave counts in draws: a Dirichlet distribution", {
  drawn <- withr::with_seed(5, drawn_posterior(c(1, 0, 12), diag(3), rep(1, 3), 4000))$draws
  mean <- c(2, 1, 13) / 16
  # Four errors of a mean of 4,000 draws.
  expect_lt(max(abs(colMeans(drawn) - mean) / sqrt(mean * (1 - mean) / 17 / 4000)), 4)
})

test_that("the grid of direct answers has the density of a logit of a Beta variable, and ends where it is e^-50 of the highest", {
  for (counts in list(c(4, 9), c(2000, 100), c(0, 3))) {
    curve <- posterior_grid(counts, diag(2), 2, 0.5)
    shape <- c(2, 0.5) + rev(counts)
    density <- exp(shape[1] * plogis(curve$grid, log.p = TRUE) + shape[2] * plogis(-curve$grid, log.p = TRUE) - lbeta(shape[1], shape[2]))
    expect_equal(curve$density, density, tolerance = 1e-8)
    ends <- log(curve$density[c(1, length(density))] / max(curve$density))
    # A hundred nodes for the radius of the sharpest bend, and 250 for a logit.
    near <- curve$grid[density > max(density) * exp(-20)]
    radius <- min(1 / sqrt(max(posterior_bend(counts, diag(2), 2, 0.5, plogis(near)))), 0.4)
    expect_lte(100 * (curve$grid[2] - curve$grid[1]) / radius, 1.02)
    # The step of the coarse grid is the width, 80 / 0.5 and the logarithm, by 10,000; the density falls by its shape in each of two.
    step <- (160 + log(sum(counts) + 2)) / 1e4
    expect_true(all(ends <= -50 & ends >= -50 - 3 * step * shape))
    expect_equal(curve$evidence, lbeta(shape[1], shape[2]) - lbeta(2, 0.5), tolerance = 1e-8)
  }
})

test_that("the bend of a posterior adds the bends of its terms, each as far from 0 as it may be", {
  channel <- rbind(c(0.7, 0.1, 0.2), c(0.2, 0.5, 0.3))
  eta <- c(-3, -0.5, 0, 0.4, 2)
  yes <- plogis(eta)
  slope <- yes * (1 - yes)
  # Derivatives by the logit of log(c + d yes) are d slope / (c + d yes), whose square and d slope (1 - 2 yes) / (c + d yes) are the second's parts.
  term <- function(c, d) (d * slope / (c + d * yes))^2 + abs(d * slope * (1 - 2 * yes) / (c + d * yes))
  expect_equal(posterior_bend(c(5, 0, 1), channel, 1.5, 0.3, yes), 1.8 * slope + 5 * term(0.7, -0.5) + term(0.2, 0.1))
  expect_equal(posterior_density(c(5, 0, 9), channel, 1.5, 0.3)(eta),
               1.5 * log(yes) + 0.3 * log(1 - yes) + 5 * log(0.7 - 0.5 * yes) + 9 * log(0.2 + 0.1 * yes))
})
