mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
fit <- rr_estimate(rr_counts(c(never = 420, once = 330, often = 250), mechanism))
boundary <- suppressWarnings(rr_estimate(rr_counts(c(54, 40, 6), rr_grr(3, epsilon = 0.5))), "candor_warning_unlikely")

test_that("a fit prints what a reader needs", {
  expect_snapshot(boundary)
  expect_snapshot(rr_estimate(rr_counts(c(5, 0, 0), rr_grr(3, p = 0))))
  long <- estimate_odd(rr_counts(rep(c(30, 2), 10), rr_grr(20, epsilon = 2)))
  expect_snapshot(print(long, n = 3))
})

test_that("the accessors agree with each other and with the definitions", {
  counts <- c(420, 330, 250)
  expect_named(coef(fit), mechanism$levels)
  expect_identical(nobs(fit), 1000)
  shares <- as.vector(coef(fit) %*% rr_matrix(mechanism))
  best <- sum(counts * log(shares))
  expect_equal(c(logLik(fit), AIC(fit), BIC(fit)), c(best, -2 * best + 2 * 2, -2 * best + 2 * log(1000)))
  expect_equal(unname(fitted(fit)), 1000 * shares)
  expect_equal(unname(residuals(fit, "response")), counts - 1000 * shares)
  expect_equal(unname(residuals(boundary)), unname((c(54, 40, 6) - fitted(boundary)) / sqrt(fitted(boundary) * (1 - fitted(boundary) / 100))))
  expect_equal(vcov(fit, c("never", "often")), vcov(fit)[c(1, 3), c(1, 3)])
  expect_equal(unname(rowSums(vcov(fit))), rep(0, 3), tolerance = 1e-12)
  expect_identical(unname(confint(fit, "once", level = 0.9)), unname(confint(fit, level = 0.9)[2, , drop = FALSE]))
  expect_identical(colnames(confint(fit)), c("2.5 %", "97.5 %"))
  expect_identical(as.data.frame(fit), as.data.frame(tidy(fit, conf.int = TRUE)))
})

test_that("tidy, glance and augment keep broom's contract", {
  expect_named(tidy(fit), c("term", "estimate", "std.error"))
  expect_named(tidy(fit, conf.int = TRUE), c("term", "estimate", "std.error", "conf.low", "conf.high"))
  expect_named(glance(fit), c("method", "target", "categories", "nobs", "respondents", "effective_n", "epsilon", "logLik", "df", "AIC",
                              "BIC", "boundary", "gap", "rate", "unlikely"))
  expect_named(augment(fit), c("term", "count", ".fitted", ".resid"))
  grouped <- rr_estimate(rr_counts(cbind(men = c(50, 30, 20), women = c(10, 40, 30)), mechanism))
  expect_identical(names(tidy(grouped, conf.int = TRUE))[1:2], c("group", "term"))
  expect_identical(nrow(augment(grouped)), 6L)
})

test_that("simulated tallies follow the fitted truth, under both targets", {
  expect_identical(simulate(fit, 2, seed = 3), simulate(fit, 2, seed = 3))
  expect_s3_class(simulate(fit), "data.frame")
  for (target in c("population", "sample")) {
    for (design in list(mechanism, rr_grr(3, p = 0.1))) {
      model <- rr_estimate(rr_counts(c(420, 330, 250), design), target = target)
      draws <- as.matrix(simulate(model, 4000, seed = 8)[-1])
      expect_true(all(colSums(draws) == 1000))
      # A mean of 4000 draws: allow 4.5 of its standard errors for each of 3 categories
      expect_lte(max(abs(rowMeans(draws) - fitted(model)) / (apply(draws, 1, sd) / sqrt(4000))), 4.5)
      matrix <- rr_matrix(design)
      truth <- coef(model)
      shares <- as.vector(truth %*% matrix)
      exact <- if (target == "population") 1000 * (diag(shares) - tcrossprod(shares)) else 1000 * (diag(shares) - crossprod(sqrt(truth) * matrix))
      # Whole truth counts round n theta by less than 1 in 1000; the rest is Monte Carlo error of 4000 draws
      expect_equal(var(t(draws)), exact, tolerance = 0.08, ignore_attr = TRUE)
    }
  }
})

test_that("accessors refuse what they do not know", {
  expect_refused(vcov(fit, "always"), vcov(fit, 4), tidy(fit, terms = "always"), ggplot2::autoplot(fit, terms = "always"), class = "level")
  large <- rr_estimate(rr_counts(rep(1, 6000), rr_grr(6000, epsilon = 1)))
  expect_refused(vcov(large), confint(fit, level = 1.2), confint(fit, interval = "bootstrap"), print(fit, n = "a"), residuals(fit, "deviance"),
                 simulate(fit, nsim = 0), simulate(fit, nsim = 2^31), simulate(fit, seed = "a"))
})

test_that("pictures have the layers they should, at few and at many categories", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit)
  expect_s3_class(picture, "ggplot")
  points <- ggplot2::layer_data(picture, 3)
  expect_equal(sort(points$x), sort(c(coef(fit), 0.42, 0.33, 0.25)), ignore_attr = TRUE) # estimates and reported shares
  expect_equal(sort(ggplot2::layer_data(picture, 2)$x), sort(tidy(fit, conf.int = TRUE)$conf.low))
  # Interval, point and reported share of a category are on one line.
  expect_identical(as.numeric(points$y[points$x == coef(fit)[["once"]]]), 2)
  once <- ggplot2::autoplot(fit, terms = "once")
  expect_equal(ggplot2::layer_data(once, 3)$x, c(coef(fit)[["once"]], 0.33))

  set.seed(1)
  many <- rr_estimate(rr_counts(as.vector(rmultinom(1, 1e5, rr_matrix(rr_grr(300, epsilon = 4))[1, ])), rr_grr(300, epsilon = 4)))
  ranks <- ggplot2::autoplot(many)
  # From the largest down; what is not above half a report is left out.
  expect_equal(ggplot2::layer_data(ranks, 3)$y, log10(sort(coef(many)[coef(many) > 0.5 / 1e5], decreasing = TRUE)), ignore_attr = TRUE)
  # Numbers as levels have an order of their own, and so has an ordered factor.
  ages <- rr_grr(18:99, epsilon = 3)
  ordered <- rr_estimate(rr_counts(rpois(82, 400), ages))
  line <- ggplot2::layer_data(ggplot2::autoplot(ordered), 4)
  expect_equal(line$x, 18:99)
  expect_equal(line$y, unname(coef(ordered)))
  # Days run along an axis.
  days <- rep(as.Date("2026-01-01") + 0:4, each = 200)
  daily <- rr_estimate(rr_tally(rep(c("no", "yes"), 500), rr_warner(0.8), by = list(day = days)))
  points <- ggplot2::layer_data(ggplot2::autoplot(daily), 3)
  expect_equal(sort(unique(points$x)), as.numeric(as.Date("2026-01-01") + 0:4))
})

test_that("standard errors for these respondents keep their digits where p rounds to 1, and exact zeros are not known", {
  # K = 2, epsilon = 50: variance of a category everyone reports is q (1 - q) / (N (p - q)^2) = exp(-50) / N.
  fit <- rr_estimate(rr_counts(c(0, 100), rr_grr(2, epsilon = 50)), method = "inv", target = "sample")
  expect_equal(tidy(fit)$std.error, rep(sqrt(exp(-50) / 100), 2), tolerance = 1e-10)
  # p = 0: whoever is in a category never reports it. Of categories that nobody reports the estimated variance is 0, which is not known.
  fit <- rr_estimate(rr_counts(c(0, 3, 0, 0, 5), rr_grr(5, p = 0)), method = "inv", target = "sample")
  expect_identical(tidy(fit)$std.error[c(1, 3, 4)], rep(NA_real_, 3))
  expect_identical(unname(diag(vcov(fit))[c(1, 3, 4)]), c(0, 0, 0))
})

test_that("an update stopped far from the maximum claims no standard error, however loose the tolerance asked for", {
  tally <- rr_counts(c(420, 330, 250), rr_grr(3, epsilon = 1))
  expect_true(all(is.na(tidy(rr_estimate(tally, method = "ibu", tolerance = 50))$std.error)))
  near <- tidy(rr_estimate(tally, method = "ibu", iterations = 5000))
  expect_equal(near$std.error, tidy(rr_estimate(tally))$std.error, tolerance = 1e-6)
})

test_that("estimates that do not add up to 1 have no likelihood, and simulate from their projection", {
  tally <- rr_counts(c(1, 0), rr_grr(2, epsilon = 1))
  fit <- rr_estimate(tally, method = "base_cut")
  expect_identical(unname(coef(fit)), c(0, 0))
  expect_true(is.na(logLik(fit)))
  expect_true(is.na(glance(fit)$AIC))
  expect_equal(colSums(simulate(fit, 3, seed = 1)[-1]), c(sim_1 = 1, sim_2 = 1, sim_3 = 1))
  expect_silent(rr_estimate(tally, method = "base_cut", interval = "bootstrap", replications = 20))
  over <- estimate_doubted(rr_counts(c(0, 1000), rr_grr(2, epsilon = 1)), method = "base_cut")
  expect_silent(residuals(over))
})

test_that("a report that was expected always, and given always, has residual 0", {
  for (method in c("mle", "inv")) expect_identical(unname(residuals(rr_estimate(rr_counts(c(0, 5, 0), rr_grr(3, p = 1)), method = method))), c(0, 0, 0))
})

test_that("a sole survivor has variance 0, and a table does not say that it is known", {
  fit <- rr_estimate(rr_counts(c(1, 0, 0), rr_grr(3, epsilon = 1e-12)), method = "invn")
  expect_identical(unname(diag(vcov(fit))), c(0, 0, 0))
  expect_identical(tidy(fit)$std.error, rep(NA_real_, 3))
})

test_that("rescaling all weights changes neither likelihood, nor certificate, nor standard errors", {
  x <- rep(c("a", "b", "c"), c(50, 30, 20))
  weights <- rep(c(1, 2, 0.5, 1), 25)
  grr3 <- rr_grr(c("a", "b", "c"), epsilon = 1)
  for (method in c("mle", "ibu")) {
    one <- rr_estimate(x, grr3, weights = weights, method = method)
    thousand <- rr_estimate(x, grr3, weights = 1000 * weights, method = method)
    expect_equal(as.numeric(logLik(one)), as.numeric(logLik(thousand)), tolerance = 1e-9)
    expect_equal(c(AIC(one), BIC(one)), c(AIC(thousand), BIC(thousand)), tolerance = 1e-9)
    expect_equal(tidy(one)$std.error, tidy(thousand)$std.error, tolerance = 1e-6)
  }
  # Kish: 25 * 4.5 = 112.5 and 25 * 6.25 = 156.25
  expect_equal(attr(logLik(one), "nobs"), 112.5^2 / 156.25)
  one <- rr_estimate(rr_counts(c(5, 3, 2), grr3, effective_n = 80), method = "mle")
  thousand <- rr_estimate(rr_counts(c(5, 3, 2) * 1000, grr3, effective_n = 80), method = "mle")
  expect_equal(residuals(one), residuals(thousand), tolerance = 1e-12)
  expect_equal(simulate(one, 5, seed = 1)[-1], simulate(thousand, 5, seed = 1)[-1])
  expect_equal(unname(colSums(simulate(one, 5, seed = 1)[-1])), rep(80, 5))
  # A general channel: its certificate is about the same number of respondents.
  channel <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.7, 0.2), c(0.2, 0.1, 0.7)))
  for (method in c("mle", "ibu")) {
    gap <- function(scale) rr_estimate(rr_counts(c(5, 30, 65) * scale, channel, effective_n = 80), method = method)$details[[1]]$gap
    expect_equal(gap(1e-3), gap(1), tolerance = 0.01)
    expect_equal(gap(1e3), gap(1), tolerance = 0.01)
  }
})

test_that("the covariance of Norm-Cut is that of its derivative", {
  mechanism <- rr_grr(5, epsilon = 1)
  counts <- c(400, 260, 150, 110, 80)
  fit <- estimate_doubted(rr_counts(counts, mechanism), method = "norm_cut")
  expect_true(any(coef(fit) == 0) && sum(coef(fit) > 0) > 1)
  inverted <- unname(coef(estimate_doubted(rr_counts(counts, mechanism), method = "inv")))
  # Numerically; 1e-6 steps of a map of curvature about 1 leave 1e-6.
  jacobian <- sapply(1:5, function(i) (postprocess_norm_cut(inverted + 1e-6 * (1:5 == i)) - postprocess_norm_cut(inverted)) / 1e-6)
  n <- sum(counts)
  phi <- counts / n
  truth <- jacobian %*% ((diag(phi) - outer(phi, phi)) / (n * mechanism$p_minus_q^2)) %*% t(jacobian)
  expect_equal(unname(vcov(fit)), truth, tolerance = 1e-4)
})

test_that("some rows of the table are those rows of the whole table, for every kind of fit", {
  set.seed(8)
  counts <- cbind(a = c(400, 310, 0, 290), b = c(100, 500, 2, 30))
  grr <- rr_grr(4, epsilon = 1)
  channel <- rr_geometric(4, epsilon = 1)
  fits <- suppressWarnings(classes = "candor_warning_unlikely", list(
    rr_estimate(rr_counts(counts, grr)), rr_estimate(rr_counts(counts, grr), target = "sample"),
    rr_estimate(rr_counts(counts, rr_forced(c(0.1, 0.2, 0.05, 0.1))), method = "inv", target = "sample", simultaneous = TRUE),
    rr_estimate(rr_counts(counts, grr), method = "invn", interval = "exact"),
    rr_estimate(rr_counts(counts, grr), method = "invp", interval = "wald"),
    rr_estimate(rr_counts(counts, grr), interval = "bootstrap", replications = 30),
    rr_estimate(rr_counts(counts, grr), interval = "profile"), rr_estimate(rr_counts(counts, grr), method = "power"),
    rr_estimate(rr_counts(counts, channel)), rr_estimate(rr_counts(counts, channel), method = "inv"),
    rr_estimate(rr_tally(data.frame(x = rep(0:1, 40), y = rep(c(0, 1, 1, 1), 20)), rr_product(x = rr_warner(0.8), y = rr_crosswise(0.2)),
                         by = rep(c("a", "b"), c(30, 50))))
  ))
  for (fit in fits) {
    whole <- tidy(fit, conf.int = TRUE)
    expect_identical(tidy_rows(fit, TRUE, fit$conf.level, c(2, 4), 2), whole[c(6, 8), ])
    expect_identical(tidy_rows(fit, TRUE, fit$conf.level, 1:4, 1), whole[1:4, ])
  }
})

test_that("simulate() treats R's generator as simulate() of lm() does", {
  line <- lm(dist ~ speed, cars)
  after <- function(model, seed) {
    set.seed(5)
    before <- .Random.seed
    simulated <- simulate(model, 1, seed = seed)
    list(untouched = identical(.Random.seed, before), attribute = attr(simulated, "seed"))
  }
  expect_identical(after(fit, 42), after(line, 42))
  expect_true(after(fit, 42)$untouched)
  expect_false(after(fit, NULL)$untouched)
  expect_identical(after(fit, NULL)$attribute, after(line, NULL)$attribute)
})

# Draws of counts beyond R's own generators. Allowed error: 4.5 standard errors of a mean, and for variances of a
# chi-square with as many degrees, so a right sampler fails any one with probability below 1e-5.
expect_moments <- function(draws, mean, variance, label) {
  n <- ncol(draws)
  expect_lt(max(abs(rowMeans(draws) - mean) / sqrt(variance / n)), 4.5, label = label)
  ratio <- apply(draws, 1, stats::var) / variance
  expect_lt(max(abs(ratio - 1)), 4.5 * sqrt(2 / n), label = label)
}

test_that("simulation and bootstrap know no largest number of respondents below 2^53", {
  counts <- c(2e9, 3e9, 1e9)
  mechanisms <- list(grr = rr_grr(3, p = 0.6), least = rr_grr(3, p = 0.2), forced = rr_forced(c(0.1, 0.05, 0.2)),
                     geometric = rr_geometric(3, epsilon = 1), product = rr_product(a = rr_grr(3, p = 0.6)))
  for (name in names(mechanisms)) {
    mechanism <- mechanisms[[name]]
    rows <- unname(rr_matrix(mechanism))
    for (scale in c(1, 2^20)) {
      whole <- counts * scale
      for (target in c("population", "sample")) {
        fit <- suppressWarnings(rr_estimate(rr_counts(whole, mechanism), target = target))
        draws <- unname(as.matrix(simulate(fit, 2000, seed = 12)[-1]))
        expect_equal(colSums(draws), rep(sum(whole), 2000), tolerance = 0)
        theta <- unname(coef(fit))
        shares <- drop(theta %*% rows)
        each <- if (target == "population") shares * (1 - shares) else drop(theta %*% (rows * (1 - rows)))
        expect_moments(draws, sum(whole) * shares, sum(whole) * each, paste(name, scale, target))
      }
    }
  }
  for (target in c("population", "sample")) {
    set.seed(2)
    fit <- estimate_doubted(rr_counts(counts, mechanisms$grr), interval = "bootstrap", replications = 400, target = target)
    errors <- tidy(estimate_doubted(rr_counts(counts, mechanisms$grr), target = target))$std.error
    # The third is held at 0, where only the bootstrap has one. As ratios, since errors as small as these are all equal.
    expect_identical(is.na(errors), c(FALSE, FALSE, TRUE))
    expect_equal((tidy(fit)$std.error / errors)[1:2], c(1, 1), tolerance = 4.5 / sqrt(2 * 400))
  }
  largest <- rr_estimate(rr_counts(c(2^52, 2^51, 2^51), mechanisms$grr))
  expect_identical(sum(simulate(largest, seed = 1)$sim_1), 2^53)
  largest$target <- "sample"
  expect_identical(sum(simulate(largest, seed = 1)$sim_1), 2^53)
  beyond <- rr_estimate(rr_counts(c(2e20, 1e20, 1e20), mechanisms$grr, effective_n = 4e16))
  expect_error(simulate(beyond), class = "candor_error_counts")
})

test_that("respondents divide into whole numbers that add up", {
  expect_identical(whole_shares(10, c(0.25, 0.25, 0.5)), c(3, 2, 5))
  for (n in c(1, 7, 1e6, 2^31, 2^53 - 1, 2^53)) {
    for (shares in list(c(0.2, 0.5, 0.3), rep(1 / 3, 3), c(1, 0), rep(1 / 7, 7), 1 / 2^(c(1:20, 20)))) {
      counts <- whole_shares(n, shares)
      expect_identical(sum(counts), n)
      expect_lte(max(abs(counts - n * shares)), 8)
      expect_true(all(counts == floor(counts) & counts >= 0))
    }
  }
})

test_that("draws in blocks are the draws in one", {
  set.seed(4)
  whole <- stats::rmultinom(5, 1000, rep(1, 50000))
  set.seed(4)
  # 50,000 numbers a column: four columns a block.
  expect_identical(draw_multinomial(5, 1000, rep(1, 50000)), whole)
})

test_that("update estimates again", {
  fit <- rr_estimate(rr_counts(c(no = 60, yes = 40), rr_warner(0.8)))
  inverse <- update(fit, method = "inv", conf.level = 0.9)
  expect_identical(tidy(inverse, conf.int = TRUE), tidy(rr_estimate(fit$tally, method = "inv", conf.level = 0.9), conf.int = TRUE))
  expect_identical(tidy(update(fit)), tidy(fit))
  expect_refused(update(fit, "inv"), update(fit, mispelt = 1))
  # A level next to 1 has bounds, not NaN.
  expect_true(all(is.finite(confint(fit, level = 1 - 2^-53))))
})

test_that("an estimate that is held at 0 or 1 has no standard error in tables, and one where the boundary is not active has", {
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  held <- estimate_doubted(rr_counts(c(60, 38, 2), grr))
  expect_identical(unname(coef(held)[3]), 0)
  expect_identical(is.na(tidy(held)$std.error), c(FALSE, FALSE, TRUE))
  expect_identical(unname(vcov(held)[3, 3]), 0)
  # The interval is there all the same.
  expect_false(anyNA(confint(held)))
  # The unbiased estimate is not held, and a bootstrap knows how much it varies.
  expect_false(anyNA(tidy(estimate_doubted(held$tally, method = "inv"))$std.error))
  set.seed(1)
  expect_false(anyNA(tidy(estimate_doubted(held$tally, interval = "bootstrap", replications = 50))$std.error))
  # Asked directly of these very respondents, 0 is known: no noise, no sample.
  direct <- rr_estimate(rr_counts(c(5, 0, 3), rr_grr(3, p = 1)), target = "sample")
  expect_identical(tidy(direct)$std.error, c(0, 0, 0))
})

test_that("glance() says where reports were not randomized, and compares only maxima of likelihoods", {
  # True answers of a steep truth, read as reports at epsilon 1: the first category has a third of them, and could have a sixteenth at most.
  shares <- zipf_shares(50, 1)
  raw <- rr_counts(round(20000 * shares), rr_grr(50, epsilon = 1))
  for (method in c("inv", "mle")) {
    expect_warning(fit <- rr_estimate(raw, method = method), class = "candor_warning_unlikely")
    expect_true(glance(fit)$unlikely)
  }
  # Expected counts of that truth are as likely as counts can be.
  m <- rr_grr(50, epsilon = 1)
  fair <- rr_counts(round(20000 * (m$q + m$p_minus_q * shares)), m)
  expect_false(glance(rr_estimate(fair))$unlikely)
  expect_identical(is.na(unlist(glance(rr_estimate(fair, method = "inv"))[c("AIC", "BIC")], use.names = FALSE)), c(TRUE, TRUE))
  expect_equal(glance(rr_estimate(fair))$AIC, AIC(rr_estimate(fair)))
})

test_that("the trace shows how far the update is", {
  tally <- rr_counts(c(10, 20, 30, 40), rr_grr(4, epsilon = 0.5))
  trace <- tidy(rr_estimate(tally, method = "ibu", iterations = 50), type = "trace")
  # The certificate holds at every iterate, and the likelihood never falls.
  best <- as.numeric(logLik(rr_estimate(tally)))
  expect_true(all(best - trace$loglik <= trace$gap + 1e-10))
  expect_true(all(diff(trace$loglik) >= -1e-10))
  grouped <- rr_estimate(rr_counts(cbind(a = c(10, 20), b = c(5, 9)), rr_warner(0.8)), method = "ibu", iterations = 5)
  expect_identical(tidy(grouped, type = "trace")$group, rep(c("a", "b"), each = 6))
})

test_that("posteriors are Bayes' rule by hand", {
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  share <- coef(fit)[["yes"]]
  table <- predict(fit)
  yes <- table$posterior[table$report == "yes" & table$term == "yes"]
  expect_equal(yes, share * 5 / 6 / (share * 5 / 6 + (1 - share) / 6))
  # The odds change by the ratio of the likelihoods, (5/6)/(1/6), which is exp(epsilon) here.
  expect_equal(table$odds.factor, c(5, 1 / 5, 1 / 5, 5))
  expect_equal(exp(rr_epsilon(fit$mechanism)), 5)
})

test_that("no report changes the odds of two answers by more than the mechanism says", {
  mechanism <- rr_grr(5, epsilon = 1.3)
  table <- predict(rr_estimate(rr_counts(c(30, 25, 20, 40, 35), mechanism)))
  expect_equal(as.vector(tapply(table$posterior, table$report, sum)), rep(1, 5))
  expect_true(all(abs(log(table$odds.factor)) <= 1.3 + 1e-12))
})

test_that("given reports keep their places, groups their shares, and strangers are refused", {
  fit <- rr_estimate(rr_counts(cbind(a = c(no = 70, yes = 30), b = c(40, 60)), rr_warner(0.8)))
  table <- predict(fit, c("yes", "no"))
  expect_identical(table$row, rep(c(1L, 1L, 2L, 2L), 2))
  expect_identical(table$report, rep(c("yes", "yes", "no", "no"), 2))
  expect_identical(table$group, rep(c("a", "b"), each = 4))
  expect_error(predict(fit, "maybe"), class = "candor_error_level")
  expect_error(predict(estimate_doubted(rr_counts(c(95, 5), rr_warner(0.8)), method = "inv")), class = "candor_error_argument")
})

test_that("simulations that will not fit are refused", {
  fit <- rr_estimate(rr_counts(c(40, 30, 30), rr_grr(3, epsilon = 1)))
  expect_error(simulate(fit, nsim = 2^31), class = "candor_error_argument")
  skip_if_not(machine_memory() < 1.5e11)
  expect_refused(simulate(fit, nsim = 2147483647), rr_estimate(fit$tally, interval = "bootstrap", replications = 1e15))
})

test_that("tidy() and confint() give the interval that they are asked for, and refuse the same", {
  fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  # Clopper and Pearson's limits of the reports, from which the sixth that is forced is taken.
  reported <- stats::binom.test(831, 2435)$conf.int
  bounds <- unname(unlist(tidy(fit, conf.int = TRUE, interval = "exact", terms = "yes")[c("conf.low", "conf.high")]))
  expect_equal(bounds, as.vector(reported - 1 / 6) / (2 / 3), tolerance = 1e-12)
  for (kind in c("wilson", "exact", "wald", "profile")) {
    table <- tidy(fit, conf.int = TRUE, conf.level = 0.9, interval = kind)
    expect_identical(cbind(table$conf.low, table$conf.high), unname(confint(fit, level = 0.9, interval = kind)))
  }
  expect_refused(tidy(fit, interval = "bootstrap"), tidy(fit, interval = "credible"), tidy(fit, interval = "exat"))
})

test_that("likelihood, expected counts, residuals and rows of a fit with weights and groups, by hand", {
  grr <- rr_grr(c("a", "b", "c"), 2)
  counts <- cbind(u = c(500, 300, 200), v = c(120, 300, 180))
  fit <- rr_estimate(rr_counts(counts, grr, effective_n = c(800, 400)))
  C <- rr_matrix(grr)
  expected <- unname(crossprod(C, fit$estimate)) * rep(c(1000, 600), each = 3)
  expect_equal(unname(fitted(fit)), expected, tolerance = 1e-10)
  scale <- c(0.8, 400 / 600)
  loglik <- sum(colSums(counts * log(expected / rep(c(1000, 600), each = 3))) * scale)
  expect_equal(as.numeric(logLik(fit)), loglik, tolerance = 1e-10)
  expect_identical(c(attr(logLik(fit), "df"), attr(logLik(fit), "nobs")), c(4, 1200))
  expect_equal(unname(residuals(fit, "response")), unname(as.vector(counts) - expected), tolerance = 1e-6)
  away <- fit
  away$estimate[] <- c(0.5, 0.3, 0.2)
  expected <- unname(crossprod(C, away$estimate)) * rep(c(1000, 600), each = 3)
  n <- rep(c(1000, 600), each = 3)
  pearson <- (as.vector(counts) - expected) / sqrt(rep(1 / scale, each = 3) * expected * (1 - expected / n))
  expect_equal(unname(residuals(away)), unname(pearson), tolerance = 1e-8)
  one <- glance(fit)
  expect_equal(unlist(one[c("nobs", "effective_n", "logLik", "df", "AIC", "BIC", "boundary")], use.names = FALSE),
               c(1600, 1200, loglik, 4, 8 - 2 * loglik, 4 * log(1200) - 2 * loglik, 0), tolerance = 1e-9)
  expect_equal(one$epsilon, 2)
  # An unbiased estimate is no maximum of a likelihood.
  expect_true(is.na(glance(rr_estimate(rr_counts(counts, grr), method = "inv"))$AIC))
  expect_identical(augment(fit)$.fitted, as.vector(fitted(fit)))
  expect_identical(nobs(fit), 1600)
  expect_equal(unname(vcov(fit, c("c", "a")))[3:4, 3:4], unname(vcov(fit))[c(6, 4), c(6, 4)])
  expect_equal(unname(vcov(fit, target = "sample")), unname(vcov(update(fit, target = "sample"))))
  expect_refused(vcov(fit, target = "people"), confint(fit, level = 1), residuals(fit, "deviance"), tidy(fit, type = "trace"), simulate(fit, 0),
    tidy(fit, conf.int = NA))
  expect_error(vcov(fit, "d"), class = "candor_error_level")
  table <- printed_table(fit, 4)
  expect_identical(attr(table, "total"), 6L)
  expect_identical(nrow(printed_table(fit, 2)), 2L)
  expect_identical(boundary_count(away), 0L)
  away$estimate[] <- c(0, 1, 0, 0.2, 0.3, 0.5)
  away$details <- list(list(), list())
  expect_identical(boundary_count(away), 3L)
})

test_that("a fit of groups is as near its maximum as the farthest of them, after the steps of the slowest", {
  fit <- rr_estimate(rr_counts(cbind(a = c(no = 600, yes = 400), b = c(1200, 800)), rr_warner(0.8)))
  fit$details <- list(list(gap = 0.1, rate = 0.2, iterations = 3), list(gap = 0.4, rate = 0.1, iterations = 7))
  expect_identical(unlist(glance(fit)[c("gap", "rate")]), c(gap = 0.4, rate = 0.2))
  expect_match(certificate_line(fit), "^7 .* 0\\.4 ")
  # With 2000 respondents in the larger group, distances below 2e-10 are roundings.
  fit$details <- list(list(gap = 1e-12), list(gap = 0))
  expect_match(certificate_line(fit), " 2e-10 ")
  fit$details <- list(list(gap = 3e-10), list(gap = 0))
  expect_match(certificate_line(fit), " 3e-10 ")
  fit$details <- list(list(gap = 0), list(gap = 0))
  expect_no_match(certificate_line(fit), "[0-9]")
  fit$details <- list(list(), list())
  expect_null(certificate_line(fit))
  expect_identical(glance(fit)$rate, NA_real_)
})

test_that("a reader is told in a line each: how near the maximum is, what is held, below 0, unlikely, or about another estimate", {
  n_notes <- function(counts, mechanism, ...) {
    fit <- suppressWarnings(rr_estimate(rr_counts(counts, mechanism), ...))
    length(fit_notes(fit, rr_law(mechanism), boundary_count(fit)))
  }
  grr <- rr_grr(3, 1)
  both <- function(counts) c(n_notes(counts, grr), n_notes(counts, grr, method = "inv"))
  expect_identical(both(c(420, 330, 250)), c(0L, 0L))
  # Held at 0, or below 0, by chance; and so far that the design is doubted as well.
  expect_identical(both(c(450, 345, 205)), c(1L, 1L))
  expect_identical(both(c(600, 385, 15)), c(2L, 2L))
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("no", "yes"), reports = c("x", "y", "z"))
  counts <- c(420, 300, 280)
  expect_identical(c(n_notes(counts, wide), n_notes(counts, wide, interval = "wilson"), n_notes(counts, wide, method = "inv")), c(1L, 2L, 0L))
  # Several maxima, the people of a validation study, intervals that are not for what looks largest: a line each.
  alike <- rr_channel(rbind(c(0.8, 0.2), c(0.2, 0.8), c(0.8, 0.2)), levels = c("a", "b", "c"), reports = c("x", "y"))
  both_alike <- rr_channel(rbind(c(0.8, 0.2), c(0.2, 0.8)), levels = c("a", "b"), reports = c("x", "y"))
  expect_identical(n_notes(c(70, 30), alike) - n_notes(c(70, 30), both_alike), 1L)
  study <- function(...) rr_misclassification(table = matrix(c(45, 6, 5, 34), 2, dimnames = rep(list(c("no", "yes")), 2)), ...)
  expect_identical(n_notes(c(600, 400), study()) - n_notes(c(600, 400), rr_warner(0.9)), 2L)
  expect_identical(n_notes(c(600, 400), study(validation = "exact")), 0L)
  twenty <- c(60, rep(c(14, 13), c(8, 11)))
  of_eb <- vapply(c("wald", "credible"), function(interval) n_notes(twenty, rr_grr(20, 2), method = "eb", interval = interval), 0L)
  expect_identical(of_eb[["credible"]], of_eb[["wald"]] + 1L)
  some_held <- function(k) c(60, rep(c(14, 9), c(8, k - 9)))
  expect_identical(c(n_notes(some_held(19), rr_grr(19, 2)), n_notes(some_held(20), rr_grr(20, 2))), 1:2)
  # From 20 categories on, of which more than a quarter are 0, there is a better method for positive designs.
  sparse <- function(k, n_boundary, mechanism = rr_grr(k, 1), method = "mle") {
    is_sparse(list(method = method, estimate = numeric(k)), rr_law(mechanism), n_boundary)
  }
  expect_identical(c(sparse(20, 5), sparse(20, 6), sparse(20, 6, method = "inv"), sparse(20, 6, rr_grr(20, p = 0.01)), sparse(3, 3, rr_geometric(3, 1))),
                   c(FALSE, TRUE, FALSE, FALSE, FALSE))
})

test_that("groups that are taken out keep their rows, of a bootstrap too", {
  tally <- rr_counts(cbind(u = c(no = 600, yes = 400), v = c(500, 500), w = c(700, 300)), rr_warner(0.8))
  for (interval in c("wilson", "bootstrap")) {
    set.seed(1)
    fit <- rr_estimate(tally, interval = interval, replications = 20, simultaneous = interval == "wilson")
    expect_equal(as.list(tidy(fit[c("w", "u")], conf.int = TRUE)), as.list(tidy(fit, conf.int = TRUE)[c(5, 6, 1, 2), ]))
  }
  shape <- function(...) dim(fit[...]$estimate)
  expect_identical(list(shape("v"), shape(c("w", "u")), shape(c("w", "u"), drop = TRUE), shape("v", drop = TRUE)), list(2:1, c(2L, 2L), c(2L, 2L), NULL))
  expect_identical(names(coef(fit["v", drop = TRUE])), c("no", "yes"))
})

test_that("an estimate of 1 beside two of 0 has no standard error, though its variance is a rounding", {
  channel <- rr_channel(rbind(x = c(0.7, 0.2, 0.1), y = c(0.1, 0.6, 0.3), z = c(0.2, 0.2, 0.6)), reports = c("p", "q", "r"))
  fit <- suppressWarnings(rr_estimate(rr_counts(c(2, 20, 8), channel)))
  expect_equal(coef(fit)[["y"]], 1)
  expect_identical(tidy(fit)$std.error, rep(NA_real_, 3))
})

test_that("a bootstrap says nothing of another target, whose covariance is the formula's", {
  set.seed(5)
  fit <- rr_estimate(rr_counts(c(no = 700, yes = 300), rr_warner(0.8)), interval = "bootstrap", replications = 50)
  # p (1 - p) / (n (p - q)^2), whatever the share.
  expect_equal(vcov(fit, "yes", target = "sample")[[1]], 0.16 / (1000 * 0.36), tolerance = 1e-12)
  expect_equal(vcov(fit, "yes")[[1]], var(fit$replicates[[1]][2, ]))
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.8))
  joint <- rr_estimate(rr_counts(c(500, 200, 200, 100), survey), interval = "bootstrap", replications = 50)
  expect_equal(tidy(rr_margin(joint, "a", target = "sample"))$std.error, rep(sqrt(0.16 / (1000 * 0.36)), 2), tolerance = 1e-9)
})

test_that("groups of a bootstrapped fit share the error of a validation study", {
  V <- rbind(no = c(no = 95, yes = 5), yes = c(10, 40))
  tally <- rr_counts(cbind(a = c(no = 880, yes = 120), b = c(800, 200)), rr_misclassification(table = V))
  set.seed(6)
  fit <- rr_estimate(tally, interval = "bootstrap", replications = 400)
  # Rogan and Gladen: the shares are .07 / .75 and .2.
  covariance <- (0.07 / 0.75 * 0.2 * 0.16 / 50 + (1 - 0.07 / 0.75) * 0.8 * 0.0475 / 100) / 0.75^2
  expect_equal(vcov(fit)["a:yes", "b:yes"], covariance, tolerance = 1e-9)
  # The error of the difference, by the delta method: .0234.
  expect_equal(rr_contrast(fit, c("b:yes" = 1, "a:yes" = -1))$std.error, 0.0234, tolerance = 0.15)
  expect_equal(rr_compare(fit)$std.error, 0.0234, tolerance = 0.15)
})

test_that("covariances of some estimates of groups that share decks are those of all; more than 5000 rows are refused", {
  deck <- rr_dealt(c(x = 1, y = 1, z = 1), cards = 9)
  data <- data.frame(block = rep(1:8, each = 6), group = c("a", "b"), report = rep_len(c("x", "y", "x", "z", "y", "x", "y"), 48))
  fit <- rr_estimate(data, deck, column = "report", by = "group")
  some <- c("a:z", "a:x", "b:z", "b:x")
  expect_equal(vcov(fit, c("z", "x"))[some, some], vcov(fit)[some, some])
  expect_gt(abs(vcov(fit)["a:x", "b:x"]), 1e-6)
  wide <- matrix(50, 2501, 2, dimnames = list(NULL, c("u", "v")))
  large <- rr_estimate(rr_counts(wide, rr_grr(2501, 8)), method = "inv")
  expect_refused(vcov(large))
  expect_identical(dim(vcov(large, 1:3)), c(6L, 6L))
  # What is printed is computed, of one category at least.
  rows <- vapply(c(0, 1, 4, 2501, 2502), function(n) nrow(printed_table(large, n)), 0L)
  expect_identical(rows, c(1L, 1L, 4L, 2501L, 5002L))
  expect_identical(attr(printed_table(large, 4), "total"), 5002L)
})
