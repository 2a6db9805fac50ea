# Empirical Bayes. The truth is from elsewhere: sums by brute force over the same prior, levels and shares that are
# known, and the measured grid of inst/studies/eb.csv.gz.

zipf_tally <- function(k, n, epsilon, s = 1, seed = 1) {
  mechanism <- rr_grr(k, epsilon = epsilon)
  set.seed(seed)
  rr_counts(as.double(stats::rmultinom(1, n, mechanism$q + mechanism$p_minus_q * zipf_shares(k, s))), mechanism)
}

test_that("estimates are a distribution that keeps the order of the counts", {
  for (loss in c("squared", "absolute")) {
    for (n in c(50, 2000, 1e6)) {
      tally <- zipf_tally(60, n, 2)
      fit <- rr_estimate(tally, method = "eb", loss = loss)
      expect_equal(sum(coef(fit)), 1)
      expect_true(all(coef(fit) >= 0))
      expect_false(is.unsorted(coef(fit)[order(tally$counts)]))
    }
  }
})

test_that("posterior means are those of the prior that was learned, tilted to add up to 1", {
  tally <- zipf_tally(40, 3000, 2)
  form <- rr_law(tally$mechanism)
  result <- eb_fit(list(group_evidence(tally, 1)))[[1]]
  x <- result$prior$x
  lambda <- outer(rep(1, 40), 3000 * (form$b + form$a * x / 40))
  weight <- stats::dpois(tally$counts, lambda) * outer(rep(1, 40), result$prior$mass)
  tilt <- outer(result$tilted / 40, result$eta * x)
  weight <- weight * exp(-tilt + apply(tilt, 1, min))
  mean <- drop(weight %*% x) / rowSums(weight) / 40
  expect_equal(result$mean, mean, tolerance = 1e-8)
  expect_equal(result$variance, drop(weight %*% x^2) / rowSums(weight) / 1600 - mean^2, tolerance = 1e-6)
  expect_equal(sum(mean), 1, tolerance = 1e-6)
})

test_that("a two-level truth is found, an even one is called even", {
  mechanism <- rr_grr(100, epsilon = 4)
  expected <- function(theta, n) round(n * (mechanism$q + mechanism$p_minus_q * theta))
  levels <- c(rep(0.05, 10), rep(0.5 / 90, 90))
  expect_equal(unname(coef(rr_estimate(rr_counts(expected(levels, 1e6), mechanism), method = "eb"))), levels, tolerance = 1e-3)
  even <- rr_estimate(rr_counts(rep(50, 100), mechanism), method = "eb")
  expect_equal(unname(coef(even)), rep(0.01, 100))
  expect_gt(even$details[[1]]$weights[["uniform"]], 0.5)
})

test_that("bins change nothing that can be seen", {
  tally <- zipf_tally(3000, 1e8, 6)
  form <- rr_law(tally$mechanism)
  counts <- as.double(tally$counts)
  expect_gt(length(unique(counts)), 1000)
  fine <- eb_rows(counts, 1e8, form)
  expect_lt(length(fine$count), length(unique(counts)))
  expect_equal(sum(fine$categories), 3000)
  expect_equal(sum(fine$categories * fine$count), 1e8)
  expect_equal(fine$expand(fine$count), counts, tolerance = 1e-12)
})

test_that("standard errors are the posterior's, given the sum", {
  fit <- rr_estimate(zipf_tally(30, 2000, 3), method = "eb")
  v <- vcov(fit)
  expect_equal(unname(sqrt(diag(v))), tidy(fit)$std.error)
  free <- fit$details[[1]]$tilted
  expect_equal(sum(v[free, free]), 0, tolerance = 1e-12)
  sample <- rr_estimate(zipf_tally(30, 2000, 3), method = "eb", target = "sample")
  expect_true(all(is.na(tidy(sample)$std.error)) && all(is.na(vcov(sample))))
  expect_equal(fit$details[[1]]$expected.error, sum(diag(v)))
})

test_that("the reports' own estimate of the squared error is that of the vectors", {
  for (case in golden("eb_diagnostic")) {
    x <- case$input
    found <- eb_check(list(counts = x$counts, n = x$n), list(a = x$p - x$q, b = x$q), x$mean, x$variance, case$expected$stated)
    expect_equal(found$expected.range, c(case$expected$low, case$expected$upper), tolerance = 1e-9)
    expect_equal(found$delta, case$expected$delta, tolerance = 1e-9)
  }
})

test_that("standard errors that the reports do not bear out are NA everywhere, and the reason is said", {
  # Even shares are certain beforehand with so many categories: the posterior expects an error of 5e-6, and the error is .008.
  truth <- c(rep(0.04, 5), rep(0.8 / 49995, 49995))
  mechanism <- rr_grr(50000, epsilon = 0.5)
  withr::local_seed(1)
  fit <- rr_estimate(rr_counts(as.double(stats::rmultinom(1, 1000, mechanism$q + mechanism$p_minus_q * truth)), mechanism), method = "eb")
  expect_gt(sum((coef(fit) - truth)^2), 100 * fit$details[[1]]$expected.error)
  expect_true(all(is.na(tidy(fit)$std.error)))
  # Two groups: one whose error the reports bear out, one of few reports whose error they do not.
  truth <- zipf_shares(100, 1)
  mechanism <- rr_grr(factor(1:100, ordered = TRUE), epsilon = 4)
  expected <- mechanism$q + mechanism$p_minus_q * truth
  groups <- rr_counts(cbind(many = stats::rmultinom(1, 1e4, expected)[, 1], few = stats::rmultinom(1, 50, expected)[, 1]), mechanism)
  fit <- rr_estimate(groups, method = "eb")
  error <- matrix(tidy(fit)$std.error, 100)
  expect_true(all(error[, 1] > 0) && all(is.na(error[, 2])))
  v <- vcov(fit)
  expect_false(anyNA(v[1:100, 1:100]))
  expect_true(all(is.na(v[101:200, 101:200])))
  expect_true(all(is.na(confint(fit, interval = "wald")[101:200, ])))
  suppressMessages(compared <- rr_compare(fit, terms = 1:2))
  expect_true(all(is.na(unlist(compared[c("std.error", "p.value", "conf.low", "conf.high")]))))
  suppressMessages(contrast <- rr_contrast(fit, list(few = c("few:1", "few:2"), many = c("many:1", "many:2"))))
  expect_identical(is.na(contrast$std.error), c(TRUE, FALSE))
  # The interval of a sum is then the reports' own, as for all estimates without an error.
  expect_true(all(contrast$conf.low <= contrast$estimate & contrast$estimate < contrast$conf.high))
  expect_silent(quantiles <- rr_quantile(fit, 0.5))
  expect_false(anyNA(quantiles$conf.low))
})

test_that("every additive mechanism is taken: unequal innocuous answers, none, weights", {
  mechanism <- rr_forced(c(a = 0.1, b = 0.2, c = 0.05))
  counts <- c(3000, 5000, 2000)
  fit <- rr_estimate(rr_counts(counts, mechanism), method = "eb")
  expect_equal(sum(coef(fit)), 1)
  # Ten thousand reports about three shares: the prior matters little.
  expect_equal(coef(fit), coef(rr_estimate(rr_counts(counts, mechanism))), tolerance = 0.05)
  plain <- rr_estimate(rr_counts(c(30, 0, 50, 10, 10), rr_grr(5, p = 1)), method = "eb")
  expect_true(all(coef(plain) > 0))
  set.seed(4)
  mechanism <- rr_grr(letters[1:6], epsilon = 2)
  reports <- rr_perturb(sample(letters[1:6], 300, TRUE), mechanism, rng = "R")
  weighted <- rr_estimate(rr_tally(reports, mechanism, weights = stats::runif(300)), method = "eb")
  expect_equal(sum(coef(weighted)), 1)
})

test_that("two categories fall back on maximum likelihood and say so; p < q is refused", {
  tally <- rr_counts(c(30, 40), rr_warner(0.7))
  fit <- rr_estimate(tally, method = "eb")
  expect_equal(coef(fit), coef(rr_estimate(tally)))
  expect_equal(tidy(fit)$std.error, tidy(rr_estimate(tally))$std.error)
  expect_error(rr_estimate(rr_counts(c(3, 4, 5), rr_grr(3, p = 0.1)), method = "eb"), class = "candor_error_argument")
  channel <- rr_channel(matrix(c(0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.1, 0.2, 0.7), 3, byrow = TRUE))
  expect_error(rr_estimate(rr_counts(c(3, 4, 5), channel), method = "eb"), class = "candor_error_argument")
})

test_that("counts of supported categories are taken as the binomials they are", {
  truth <- zipf_shares(100, 1)
  mechanism <- rr_unary(100, epsilon = 1)
  withr::local_seed(8)
  errors <- replicate(10, {
    counts <- simulate_counts(mechanism, as.double(stats::rmultinom(1, 20000, truth)))
    tally <- rr_counts(as.double(counts), mechanism, n = 20000)
    vapply(c("eb", "norm_sub"), function(method) {
      estimate <- coef(rr_estimate(tally, method = method))
      expect_equal(sum(estimate), 1)
      sum((estimate - truth)^2)
    }, 0)
  })
  # Each of the ten differences is in favour, which by chance alone happens once in a thousand.
  expect_true(all(errors["eb", ] < errors["norm_sub", ]))
  counts <- rr_counts(as.double(simulate_counts(mechanism, rep(200, 100))), mechanism, n = 20000)
  expect_error(rr_estimate(counts, method = "eb", ordered = TRUE), class = "candor_error_law")
  expect_equal(sum(coef(rr_estimate(counts, method = "eb", reference = truth))), 1)
})

test_that("each category of a Hadamard block and of dBitFlip has a binomial count", {
  # The law of one report, from its matrix: the chance to be counted for v, given each truth, among the reports that are about v.
  for (mechanism in list(rr_hadamard(5, 1.3, blocks = 1), rr_bitflip(5, 1.3, d = 2))) {
    C <- rr_matrix(mechanism)
    law <- rr_law(mechanism)
    form <- eb_additive(law)
    single <- lapply(seq_len(ncol(C)), function(y) {
      counts <- if (inherits(mechanism, "rr_hadamard")) replace(numeric(ncol(C)), y, 1) else {
        bits <- strsplit(colnames(C)[y], ", ")[[1]]
        at <- as.integer(sub(" =.*", "", bits))
        ones <- sub(".*= ", "", bits) == "1"
        replace(numeric(10), c(at[ones], 5 + at[!ones]), 1)
      }
      binomial_counts(law, new_evidence(law, counts, 1, 1, 5, mechanism))
    })
    counted <- vapply(single, function(one) one$counts, numeric(5))
    asked <- vapply(single, function(one) round(rep_len(one$n, 5)), numeric(5))
    expect_true(all(counted %in% 0:1 & counted <= asked))
    # Rows are truths, columns what is counted: whether a report is about v does not depend on the truth.
    about <- C %*% t(asked)
    expect_equal(unname(about), matrix(about[1, 1], 5, 5), tolerance = 1e-12)
    expect_equal(unname(C %*% t(counted) / about), form$b + form$a * diag(5), tolerance = 1e-12)
  }
})

test_that("with these counts it is near the oracle, far from inversion, and finds an even truth even", {
  withr::local_seed(14)
  k <- 100
  n <- 20000
  oracle <- function(counts, n, theta, form) {
    weight <- outer(seq_len(k), theta, function(i, share) stats::dbinom(round(counts[i]), round(rep_len(n, k)[i]), form$b + form$a * share))
    drop(weight %*% theta) / rowSums(weight)
  }
  for (mechanism in list(rr_hadamard(k, 2, blocks = 1), rr_bitflip(k, 2, d = 8))) {
    form <- eb_additive(rr_law(mechanism))
    for (truth in list(as.double(zipf_shares(k, 1)), rep(1 / k, k))) {
      errors <- replicate(8, {
        counts <- as.double(simulate_counts(mechanism, as.double(stats::rmultinom(1, n, truth)), 1))
        tally <- rr_counts(counts, mechanism, n = n)
        given <- binomial_counts(rr_law(mechanism), group_evidence(tally, 1))
        estimates <- list(eb = coef(rr_estimate(tally, method = "eb")), inv = coef(rr_estimate(tally, method = "inv")),
                          norm_sub = coef(rr_estimate(tally, method = "norm_sub")), oracle = oracle(given$counts, given$n, truth, form))
        expect_equal(sum(estimates$eb), 1, tolerance = 1e-9)
        vapply(estimates, function(estimate) sum((estimate - truth)^2), 0)
      })
      mse <- rowMeans(errors)
      # Each of the eight is nearer than inversion and its projection, which by chance alone happens once in 256.
      expect_true(all(errors["eb", ] < pmin(errors["inv", ], errors["norm_sub", ])))
      # Measured: 1.08 times the oracle's error for the Zipf law, 1 per cent of the projection's for the even one.
      if (truth[1] > truth[2]) expect_lt(mse[["eb"]], 1.3 * mse[["oracle"]]) else expect_lt(mse[["eb"]], 0.1 * mse[["norm_sub"]])
    }
  }
  # Options, weights, few reports, buckets that nobody drew.
  mechanism <- rr_bitflip(50, 2, d = 2)
  few <- coef(rr_estimate(rr_counts(c(2, 1, numeric(98)), mechanism, n = 2), method = "eb"))
  expect_true(all(few > 0) && few[1] > few[2] && few[2] > few[3])
  expect_equal(sum(few), 1, tolerance = 1e-9)
  reports <- rr_perturb(sample(50, 400, TRUE), mechanism, rng = "R")
  truth <- zipf_shares(50, 0.5)
  expect_equal(sum(coef(rr_estimate(rr_tally(reports, mechanism, weights = runif(400)), method = "eb", reference = truth))), 1, tolerance = 1e-9)
  pooled <- rr_estimate(rr_tally(reports, mechanism, by = rep(1:2, 200)), method = "eb", pool = TRUE, interval = "credible")
  expect_equal(colSums(pooled$estimate), c(1, 1), tolerance = 1e-9, ignore_attr = TRUE)
  expect_error(rr_estimate(rr_tally(reports, mechanism), method = "eb", ordered = TRUE), class = "candor_error_law")
  # Of a hundred equal rows a block says what unary encoding with the same p and q says.
  counts <- as.double(simulate_counts(rr_hadamard(20, 1, blocks = 1), rep(100, 20), 1))
  tally <- rr_counts(counts, rr_hadamard(20, 1, blocks = 1), n = 2000)
  bits <- rr_unary(20, p = stats::plogis(1), q = 0.5)
  support <- rr_counts(binomial_counts(rr_law(tally$mechanism), group_evidence(tally, 1))$counts, bits, n = 2000)
  expect_equal(coef(rr_estimate(tally, method = "eb")), coef(rr_estimate(support, method = "eb")), tolerance = 1e-9)
})

test_that("the bootstrap and the intervals of pooled groups see all groups", {
  mechanism <- rr_grr(20, epsilon = 2)
  tally <- rr_tally(rep(1:20, 30), mechanism, by = rep(1:3, 200))
  fit <- rr_estimate(tally, method = "eb", pool = TRUE, interval = "credible")
  expect_error(confint(fit[1:2]), class = "candor_error_argument")
  withr::local_seed(1)
  boot <- rr_estimate(tally, method = "eb", pool = TRUE, interval = "bootstrap", replications = 20)
  expect_length(boot$replicates, 3)
  expect_equal(unname(colSums(boot$replicates[[2]])), rep(1, 20))
})

test_that("extreme tallies give distributions: one count, one category, N < K, counts near 2^53", {
  mechanism <- rr_grr(50, epsilon = 3)
  one <- function(counts) {
    for (loss in c("squared", "absolute")) {
      estimate <- coef(estimate_odd(rr_counts(counts, mechanism), method = "eb", loss = loss))
      expect_equal(sum(estimate), 1)
      expect_true(all(is.finite(estimate) & estimate >= 0))
    }
  }
  one(rep(7, 50))
  one(c(1, rep(0, 49)))
  one(c(5000, rep(0, 49)))
  one(rep(c(1, 0), c(10, 40)))
  one(rep(c(2^46, 2^47), c(40, 10)))
  one(c(2^52, rep(0, 49)))
  expect_error(rr_estimate(rr_counts(rep(0, 50), mechanism), method = "eb"), class = "candor_error_empty")
})

test_that("a reference helps where it is right and is left where it is not", {
  k <- 50
  mechanism <- rr_grr(k, epsilon = 2)
  truth <- zipf_shares(k, 1)
  set.seed(5)
  tally <- rr_counts(as.double(stats::rmultinom(1, 2000, mechanism$q + mechanism$p_minus_q * truth)), mechanism)
  error <- function(...) sum((coef(rr_estimate(tally, method = "eb", ...)) - truth)^2)
  plain <- error()
  expect_lt(error(reference = truth), plain / 4)
  expect_equal(error(reference = rev(truth)), plain)
  expect_lt(rr_estimate(tally, method = "eb", reference = rev(truth))$details[[1]]$gain, 0)
})

test_that("groups that learn one prior are each a distribution", {
  mechanism <- rr_grr(letters[1:8], epsilon = 2)
  set.seed(6)
  reports <- rr_perturb(sample(letters[1:8], 1200, TRUE), mechanism, rng = "R")
  tally <- rr_tally(reports, mechanism, by = rep(1:6, c(100, 300, 200, 200, 200, 200)))
  fit <- rr_estimate(tally, method = "eb", pool = TRUE)
  expect_equal(colSums(fit$estimate), rep(1, 6), ignore_attr = TRUE)
  alone <- rr_estimate(tally, method = "eb")
  error <- function(fit) sum((fit$estimate - 1 / 8)^2)
  expect_lt(error(fit), error(alone))
  far <- rr_counts(cbind(few = rep(1, 8), many = rep(2e8, 8)), mechanism)
  expect_error(rr_estimate(far, method = "eb", pool = TRUE), class = "candor_error_argument")
})

test_that("prior weights are those chosen for the numbers of categories of the study, and lie between them elsewhere", {
  expect_equal(eb_weights(1000), c(0.75, 0.15, 0.1 * 1000 / 1020, 0))
  expect_equal(eb_weights(41270), c(0.85, 0.12, 0.03 * 41270 / 41290, 0))
  # A geometric mean of 20 and 100 is half way.
  expect_equal(eb_weights(sqrt(2000))[c(1, 4)], c(0.375, 0.3))
  expect_equal(eb_weights(3), c(0.6, 0.2, 0.04 * 3 / 23, 0.16))
})

test_that("credible intervals hold their estimates, and are refused where they mean nothing", {
  tally <- zipf_tally(100, 5000, 2)
  fit <- rr_estimate(tally, method = "eb", interval = "credible")
  bounds <- confint(fit)
  expect_true(all(bounds[, 1] <= coef(fit) & coef(fit) <= bounds[, 2]))
  wilson <- confint(fit, interval = "wilson")
  expect_lt(mean(bounds[, 2] - bounds[, 1]), mean(wilson[, 2] - wilson[, 1]))
  expect_true(all(confint(fit, level = 0.5)[, 2] <= bounds[, 2]))
  few <- rr_counts(c(3, 4, 5, 1, 1), rr_grr(5, epsilon = 1))
  expect_refused(rr_estimate(few, method = "eb", interval = "credible"), rr_estimate(tally, interval = "credible"),
                 rr_estimate(tally, method = "eb", interval = "credible", target = "sample"))
})

test_that("credible intervals stay wide where the default takes the shares for even, whatever learns the prior", {
  # The counts are those of even shares, and say little: twice the share moves the expected count by an eighth of its standard deviation.
  mechanism <- rr_grr(100, epsilon = 1)
  even <- rr_counts(rep(50, 100), mechanism)
  widest <- function(...) {
    bounds <- confint(rr_estimate(..., method = "eb", interval = "credible"))
    expect_equal(min(bounds[, 1]), 0)
    100 * max(bounds[, 2])
  }
  days <- rr_counts(cbind(a = rep(50, 100), b = rep(30, 100)), mechanism)
  expect_gt(widest(even), 2)
  expect_gt(widest(days), 2)
  expect_gt(widest(days, pool = TRUE), 2)
  expect_gt(widest(even, ordered = TRUE), 2)
  reference <- zipf_shares(100, 0.5)
  alike <- rr_counts(round(5000 * (mechanism$q + mechanism$p_minus_q * reference)), mechanism)
  fit <- rr_estimate(alike, method = "eb", reference = reference, interval = "credible")
  expect_gt(fit$details[[1]]$gain, 0)
  expect_gt(max(confint(fit)[, 2] / reference), 2)
})

test_that("the hull holds the intervals under the default prior, which is still the estimate's", {
  fit <- rr_estimate(zipf_tally(100, 5000, 2), method = "eb", interval = "credible")
  evidence <- fit_evidence(fit)
  alone <- eb_interval(eb_fit(list(evidence[[1]]), c(0.025, 0.975))[[1]], evidence[[1]], 0.95)
  bounds <- confint(fit)
  expect_true(all(bounds[, 1] <= alone$low + 1e-12 & alone$high <= bounds[, 2] + 1e-12))
})

test_that("credible intervals hold for many nearly equal shares beside a few large ones", {
  # The prior was sure of an atom at 0: upper limits of 2.5e-5 where nearly all shares are 5e-5, coverage .08 (seed 2).
  k <- 4000
  n <- 1e5
  mechanism <- rr_unary(k, epsilon = 3)
  for (seed in c(2, 4)) {
    set.seed(seed)
    rest <- exp(0.2 * stats::rnorm(k - 2))
    truth <- c(0.6, 0.2, 0.2 * rest / sum(rest))
    held <- drop(stats::rmultinom(1, n, truth))
    counts <- stats::setNames(stats::rbinom(k, held, mechanism$p) + stats::rbinom(k, n - held, mechanism$q), mechanism$levels)
    bounds <- confint(rr_estimate(rr_counts(counts, mechanism, n = n), method = "eb", interval = "credible"))
    expect_gt(mean(bounds[, 1] <= truth & truth <= bounds[, 2]), 0.93)
  }
})

test_that("what the reports bear out is the mean square of errors in units of the noise, for any prior", {
  # A hand-made posterior: no shrinkage leaves the noise itself, and 0 for all the spread of the counts about it.
  mechanism <- rr_unary(500, p = 0.5, q = 0.25)
  set.seed(9)
  counts <- stats::setNames(stats::rbinom(500, 1e4, 0.25), mechanism$levels)
  evidence <- group_evidence(rr_counts(counts, mechanism, n = 1e4), 1)
  noise <- 0.25 * 0.75 / 1e4 / 0.25^2
  atom <- eb_allowed_error(list(mean = numeric(500), variance = numeric(500), tilted = rep(TRUE, 500)), evidence)
  z2 <- (counts - 2500)^2 / (1e4 * 0.25 * 0.75)
  expect_equal(unname(atom^2), rep(noise * (max(0, mean(z2) - 1) + 2 * sqrt((2 + 1 / 2500) / 500)), 500), tolerance = 1e-9)
  plain <- eb_allowed_error(list(mean = unname((counts / 1e4 - 0.25) / 0.25), variance = rep(noise, 500), tilted = rep(c(TRUE, FALSE), 250)), evidence)
  expect_identical(unique(plain[c(FALSE, TRUE)]), 0)
  expect_equal(mean(plain[c(TRUE, FALSE)]), sqrt(noise), tolerance = 0.01)
})

test_that("the study of nearly equal shares holds what ?intervals says, and comes out again", {
  study <- read_study("eb-even.csv")
  here <- new.env()
  sys.source(study_file("eb-even.R"), here)
  cells <- here$even_cells()
  expect_equal(study[names(cells)], cells, ignore_attr = TRUE)
  expect_gt(min(study$covered), 0.93)
  at <- which(cells$k == 100 & cells$large == "0.5" & cells$spread == 0.2 & cells$n == 1e5 & cells$epsilon == 3)
  expect_equal(here$run_even(cells[at, ], 10, 20261200 + at), study[at, ], ignore_attr = TRUE)
})

test_that("the study of intervals and errors says what the help page quotes, and says it again", {
  study <- read_study("eb-uncertainty.csv")
  by_k <- function(x, f = mean) as.vector(tapply(x, study$k, f))
  expect_equal(round(by_k(study$hull), 2), c(0.97, 0.99, 1, 1))
  # The lowest cell has 800 shares, 40 tallies of 20: a coverage of .95 has a standard deviation of .008.
  expect_gt(min(study$hull), 0.92)
  expect_equal(round(by_k(study$alone), 2), c(0.96, 0.99, 1, 1))
  expect_equal(round(by_k(study$shown), 2), c(0.75, 0.39, 0.05, 0.02))
  # Where errors are shown with 20 and 300 categories, their squares are half to twice the squared error in 98 of 100 surveys.
  shown <- study[study$shown > 0 & study$k <= 300, ]
  near <- abs(log(shown$ratio.shown)) < log(2)
  expect_gt(stats::weighted.mean(near, shown$shown * shown$tallies), 0.975)
  # Two cells anew, with seeds of their own. Averages over 5,000 categories differ by .001 between tallies, those over 300 by .02.
  here <- new.env()
  sys.source(study_file("eb-uncertainty.R"), here)
  again <- function(k, truth, tallies, tolerance) {
    cell <- study[study$k == k & study$truth == truth & study$n == 1e5 & study$epsilon == 2, ]
    new <- here$run_cell(cell, tallies, 77)
    expect_lt(max(abs(new[c("alone", "hull")] - cell[c("alone", "hull")])), tolerance)
  }
  again(5000, "bell", 2, 0.01)
  again(300, "gamma", 5, 0.05)
})

test_that("the oracle is the posterior mean under the known shares", {
  theta <- c(0.5, 0.3, 0.1, 0.1)
  mechanism <- rr_grr(4, epsilon = 1)
  counts <- c(40, 30, 20, 10)
  m <- mechanism$q + mechanism$p_minus_q * theta
  weight <- outer(counts, m, function(c, m) stats::dbinom(c, 100, m))
  expect_equal(study_oracle(mechanism, theta, counts, 100), drop(weight %*% theta) / rowSums(weight), tolerance = 1e-10)
  expect_error(rr_study(theta, 1, 100, method = "oracle", replications = 2, mechanism = function(k, epsilon) rr_grr(k, p = 0.1)),
               class = "candor_error_argument")
})

test_that("protocols without a count for each category are refused", {
  set.seed(1)
  for (mechanism in list(rr_hadamard(8, 1, blocks = 2), rr_hierarchy(8, 1), rr_bloom(letters[1:8], epsilon = 1))) {
    tally <- rr_tally(rr_perturb(rep(mechanism$levels, 40), mechanism, rng = "R"), mechanism)
    expect_error(rr_estimate(tally, method = "eb"), class = "candor_error_law")
  }
})

test_that("prior weights of a reference, and of the second fit of a hull, are those of the study: probabilities of the shapes", {
  for (k in c(3, 500)) {
    # The reference as it is and its multiples; shapes that are not tried have the weight 0.
    expect_identical(eb_prior_weights(k, FALSE, TRUE), c(0.4, 0.6, 0, 0))
    expect_identical(eb_prior_weights(k, TRUE, TRUE), c(0.01, 0.99, 0, 0))
    # The second fit hardly favours even shares, whatever the number of categories.
    expect_equal(sum(eb_prior_weights(k, TRUE)), 1)
    expect_identical(eb_prior_weights(k, TRUE)[1], 0.01)
    expect_identical(eb_prior_weights(k, FALSE), eb_weights(k))
  }
})

test_that("what a fit says of its error is what its details hold", {
  m <- rr_grr(30, epsilon = 2)
  tally <- rr_counts(round(3000 * drop(prop.table(30:1) %*% rr_matrix(m))), m)
  fit <- rr_estimate(tally, method = "eb")
  print <- paste(trimws(utils::capture.output(print(fit, n = 1))), collapse = " ")
  error <- vapply(fit$details[[1]]$expected.error, format, "", digits = 2)
  expect_match(print, paste0("Expected squared error of all shares together: ", error, ";"), fixed = TRUE)
  two <- rr_estimate(rr_counts(c(no = 30, yes = 71), rr_warner(0.8)), method = "eb")
  expect_match(paste(utils::capture.output(print(two)), collapse = " "), "nothing to learn from each other")
  expect_no_match(print, "nothing to learn")
  # A reference that is far off is not used, and one that is near is.
  off <- suppressWarnings(rr_estimate(tally, method = "eb", reference = prop.table((1:30)^6)))
  expect_match(paste(trimws(utils::capture.output(print(off, n = 1))), collapse = " "), "likelier without the reference")
  near <- rr_estimate(tally, method = "eb", reference = prop.table(30:1))
  expect_no_match(paste(trimws(utils::capture.output(print(near, n = 1))), collapse = " "), "without the reference")
})

# ---- the pieces by hand ----

test_that("rows are the distinct counts of categories that are alike, and values of rows go back to categories", {
  counts <- c(5, 3, 5, 0, 7, 3)
  rows <- eb_rows(counts, 23, list(a = 0.4, b = 0.1, binomial = TRUE))
  expect_equal(rows[c("count", "categories")], list(count = c(0, 3, 5, 7), categories = c(1, 2, 2, 1)))
  expect_equal(rows[c("base", "slope", "trials", "share")], list(base = rep(2.3, 4), slope = rep(23 * 0.4 / 6, 4), trials = rep(23, 4), share = rep(1 / 6, 4)))
  expect_identical(rows$expand(c(10, 20, 30, 40)), c(30, 20, 30, 10, 40, 20))
  expect_null(eb_rows(counts, 23, list(a = 0.4, b = 0.1, binomial = FALSE))$trials)
  # Bins: of a twentieth of a standard deviation; the first and the last count stand alone.
  value <- c(0, 1, 1e6 + 0:60, 2e6, 2e6 + 1)
  bins <- floor(20 * sqrt(value + 0.375))
  expected <- match(c(-1, bins[2:64], Inf), unique(c(-1, bins[2:64], Inf)))
  expect_identical(count_bins(value), expected)
  # Unlike: a row for each of count, base, slope and number of reports, in rising order of where shares may begin.
  additive <- list(a = c(0.4, 0.4, 0.5, 0.4, 0.4, 0.4), b = c(0.1, 0.1, 0.1, 0.2, 0.1, 0.1), binomial = TRUE)
  counts <- c(9, 9, 9, 9, 30, 9)
  n <- c(40, 40, 40, 40, 40, 50)
  share <- c(0.2, 0.2, 0.2, 0.2, 0.1, 0.1)
  rows <- eb_rows_unlike(counts, n, additive, share)
  expect_length(rows$count, 5)
  expect_equal(sort(rows$categories), c(1, 1, 1, 1, 2))
  for (pair in list(list(rows$count, counts), list(rows$base, n * additive$b), list(rows$slope, n * additive$a * share), list(rows$trials, n),
                    list(rows$share, share))) {
    expect_equal(rows$expand(pair[[1]]), pair[[2]])
  }
  expect_equal(rows$expand(rows$categories), c(2, 2, 1, 1, 1, 1))
  expect_false(is.unsorted(eb_begin(rows$count, rows$base, rows$slope)))
  expect_null(eb_rows_unlike(counts, n, replace(additive, "binomial", FALSE), share)$trials)
  # A count of 9 may come from 1.75 standard deviations below on the scale of roots.
  expect_equal(eb_begin(c(9, 1, 9), c(1, 0, 50), 2), c(((sqrt(9.375) - 1.75)^2 - 1) / 2, 0, 0))
})

test_that("a category stands alone four standard deviations from its neighbours and eight above the noise", {
  alone <- function(count, base = 5, categories = rep(1, length(count))) eb_alone(list(count = count, categories = categories, base = rep(base, length(count))))
  # Roots of 2 sqrt(count + 3 / 8) more than 8 apart.
  gap <- function(low) (sqrt(low + 0.375) + 4)^2 - 0.375
  expect_identical(alone(c(1, 2, gap(2) + 0.01, 300)), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(alone(c(1, 2, gap(2) - 0.01, 300)), c(FALSE, FALSE, FALSE, TRUE))
  expect_identical(alone(c(1, 2, gap(2) + 0.01, gap(gap(2) + 0.01) - 0.01)), c(FALSE, FALSE, FALSE, FALSE))
  # Not if several are alike, at 30 or fewer, or within the noise of its base.
  expect_identical(alone(c(1, 2, 300), categories = c(1, 1, 2)), c(FALSE, FALSE, FALSE))
  expect_identical(alone(c(0, 0.5, 30), base = 0), c(FALSE, FALSE, FALSE))
  expect_identical(alone(c(0, 0.5, 30.1), base = 0), c(FALSE, FALSE, TRUE))
  expect_identical(alone(c(1, 2, 180), base = 100), c(FALSE, FALSE, FALSE))
  expect_identical(alone(c(1, 2, 181), base = 100), c(FALSE, FALSE, TRUE))
  # Two others are left at least.
  expect_identical(alone(c(1, 200)), c(FALSE, FALSE))
  expect_identical(alone(c(1, 200), categories = c(2, 1)), c(FALSE, TRUE))
})

test_that("a share is precise if its count varies by less than 0.045 of what speaks for it, two left at least", {
  additive <- list(a = 0.4, b = 0.1)
  # sqrt(c) = 0.045 (c - 10): c of about 514.7.
  edge <- uniroot(function(c) sqrt(c) - 0.045 * (c - 10), c(100, 1000), tol = 1e-10)$root
  expect_identical(is_precise(c(5, edge + 0.1, edge - 0.1, 0), 100, additive), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(is_precise(c(800, 900, 700, 1000), 100, additive), c(FALSE, TRUE, FALSE, TRUE))
  expect_identical(is_precise(c(800, 900, 3), 100, additive), c(FALSE, TRUE, FALSE))
  # Two are left: the smallest count is precise, since nobody reports its category by chance.
  expect_identical(is_precise(c(600, 620, 640), 100, list(a = 1, b = c(0, 1, 1))), c(TRUE, FALSE, FALSE))
  expect_identical(is_precise(c(600, 620, 700), 100, list(a = 1, b = c(0, 1, 1))), c(FALSE, FALSE, TRUE))
})

test_that("the density of a prior spreads each atom half-way to its neighbours", {
  prior <- data.frame(x = c(0.2, 0.6, 1.4), mass = c(0.3, 0.5, 0.2))
  # Edges 0, 0.4, 1, 1.4.
  expect_equal(prior_density(prior, c(0.1, 0.39, 0.5, 0.99, 1.2, 1.4, 3)), c(0.3 / 0.4, 0.3 / 0.4, 0.5 / 0.6, 0.5 / 0.6, 0.5, 0.5, 0.5))
})

test_that("exact categories come back with normal quantiles, variances with the sum known", {
  result <- list(mean = c(0.1, 0.2), variance = c(0.01, 0.02), tilted = c(TRUE, FALSE), finest = c(0.001, 0.002), quantile = rbind(c(0.05, 0.1, 0.2),
    c(0.1, 0.2, 0.3)))
  all <- with_exact(result, c(FALSE, TRUE, FALSE), c(9, 0.7, 9), c(9, 0.04, 9), c(0.1, NA, 0.8))
  expect_equal(all$mean, c(0.1, 0.7, 0.2))
  expect_equal(all$variance, c(0.01, 0.04, 0.02))
  expect_identical(all$tilted, c(TRUE, FALSE, FALSE))
  expect_equal(all$finest, c(0.001, 0, 0.002))
  expect_equal(all$quantile, rbind(c(0.05, 0.1, 0.2), 0.7 + 0.2 * c(stats::qnorm(0.1), 0, stats::qnorm(0.8)), c(0.1, 0.2, 0.3)))
  # Given the sum, a share loses v^2 / sum of the v: the diagonal of diag(v) - v v' / sum(v).
  posterior <- list(variance = c(0.01, 0.02, 0.05), tilted = c(TRUE, FALSE, TRUE))
  expect_equal(eb_variance(posterior), c(0.01 - 0.01^2 / 0.06, 0.02, 0.05 - 0.05^2 / 0.06))
  expect_equal(eb_variance(list(variance = c(0, 0.3), tilted = c(TRUE, FALSE))), c(0, 0.3))
  details <- c(posterior, list(delta = 4, expected.error = 0.07, expected.range = c(0.07, 0.2)))
  spread <- eb_covariance(NULL, list(k = 3, details = details), "population")
  covariance <- diag(spread$diagonal) - tcrossprod(spread$common)
  expect_equal(diag(covariance), eb_variance(posterior))
  expect_equal(covariance[1, 3], -0.01 * 0.05 / 0.06)
  expect_equal(covariance[2, 3], 0)
  # Unknown if the reports allow more than four times the error, or less than their least.
  unknown <- function(...) all(is.na(eb_covariance(NULL, list(k = 3, details = utils::modifyList(details, list(...))), "population")$diagonal))
  expect_false(unknown())
  expect_true(unknown(delta = 4.001))
  expect_true(unknown(expected.error = 0.0699))
  expect_true(unknown(delta = NA))
  expect_match(eb_covariance(NULL, list(k = 3, details = details), "sample")$unknown, "population")
  expect_null(eb_covariance(NULL, list(k = 2, details = list(fallback = TRUE)), "population"))
  # Nothing that was tilted has a variance.
  none <- eb_covariance(NULL, list(k = 2, details = utils::modifyList(details, list(variance = c(0, 0.3), tilted = c(TRUE, FALSE)))), "population")
  expect_equal(none[c("diagonal", "common")], list(diagonal = c(0, 0.3), common = c(0, 0)))
})

test_that("a bucket that nobody was asked about leaves the error unknown, and an expected error of 0 is never enough", {
  checked <- function(n) eb_check(list(counts = c(20, 0, 7), n = c(50, n, 30)), list(a = 0.5, b = 0.1), c(0.5, 0.3, 0.2), c(0.01, 0.5, 0.02), 0.03)
  expect_true(is.na(checked(1e-6)$delta) && all(is.na(checked(0.99)$expected.range)))
  expect_false(anyNA(unlist(checked(1))))
  expect_identical(eb_check(list(counts = 20, n = 50), list(a = 0.5, b = 0.1), 0.5, 0.01, 0)$delta, Inf)
})

test_that("options exclude each other, and a reference is a distribution with all shares above 0", {
  tally <- rr_counts(c(30, 20, 25, 25), rr_grr(c("a", "b", "c", "d"), epsilon = 1))
  evidence <- group_evidence(tally, 1)
  expect_identical(eb_options(list(), evidence), list(loss = "squared", pool = FALSE, ordered = FALSE, reference = NULL))
  given <- eb_options(list(reference = c(d = 0.4, a = 0.1, b = 0.2, c = 0.3), loss = "absolute"), evidence)
  expect_identical(given[c("loss", "reference")], list(loss = "absolute", reference = c(0.1, 0.2, 0.3, 0.4)))
  expect_equal(eb_options(list(reference = as.table(c(a = 1, b = 2, c = 3, d = 4))), evidence)$reference, (1:4) / 10)
  refused <- function(...) expect_error(eb_options(list(...), evidence), class = "candor_error_argument")
  refused(loss = "cubic")
  refused(ordered = TRUE, pool = TRUE)
  refused(ordered = TRUE, reference = rep(0.25, 4))
  refused(pool = TRUE, reference = rep(0.25, 4))
  refused(reference = c(0.5, 0.5, 0, 0))
  refused(reference = c(0.5, 0.4, 0.05, 0.04))
})

test_that("limits are drawn in by the sum, reach 0 where the reports do, and are no narrower than the reports allow", {
  mechanism <- rr_unary(4, p = 0.5, q = 0.25)
  evidence <- group_evidence(rr_counts(c(300, 260, 240, 285), mechanism, n = 1000), 1)
  evidence$estimate <- c(0.35, 0.2, 0.1, 0.35)
  result <- list(mean = c(0.3, 0.2, 0.1, 0.4), variance = c(0.004, 0.002, 0.001, 0.003), tilted = c(TRUE, TRUE, FALSE, TRUE),
                 finest = c(0.01, 0.01, 0.2, 0.01), quantile = rbind(c(0.1, 0.5), c(0, 0.3), c(0.02, 0.15), c(0.35, 0.55)))
  inv <- (c(300, 260, 240, 285) / 1000 - 0.25) / 0.25
  wilson <- vapply(c(300, 260, 240, 285), function(x) (as.vector(stats::prop.test(x, 1000, conf.level = 0.9,
    correct = FALSE)$conf.int) - 0.25) / 0.25, numeric(2))
  wilson[1, inv <= 0] <- 0
  draw <- sqrt(c(1 - c(0.004, 0.002) / 0.009, 1, 1 - 0.003 / 0.009))
  # The mean square of errors in units of the noise, at the posterior mean.
  phi <- 0.25 + 0.25 * result$mean
  noise <- phi * (1 - phi) / 1000 / 0.25^2
  among <- result$tilted
  risk <- sum((((inv - result$mean)^2 + 2 * result$variance) / noise - 1)[among])
  most <- max(risk, 0) + 2 * sqrt(sum((2 + 1 / (1000 * phi))[among]))
  allowed <- sqrt(noise * min(most / 3, 1)) * among
  expect_equal(eb_allowed_error(result, evidence), allowed)
  half <- stats::qnorm(0.95) * allowed
  low <- ifelse(result$quantile[, 1] <= 0 | wilson[1, ] <= 0, 0, result$mean + (result$quantile[, 1] - result$mean) * draw)
  high <- result$mean + (result$quantile[, 2] - result$mean) * draw
  limits <- eb_interval(result, evidence, 0.9)
  expect_equal(limits$low, pmin(low, evidence$estimate, pmax(result$mean - half, wilson[1, ], 0)), tolerance = 1e-7)
  expect_equal(limits$high, pmax(high, result$finest, evidence$estimate, pmin(result$mean + half, wilson[2, ], 1)), tolerance = 1e-7)
})

test_that("the smallest count may stand alone too", {
  rows <- function(count) list(count = count, categories = rep(1, length(count)), base = rep(5, length(count)))
  # 2 sqrt(100) and 2 sqrt(400) are 20 apart; 400 and 401 are not.
  expect_identical(eb_alone(rows(c(100, 400, 401))), c(TRUE, FALSE, FALSE))
})

test_that("exact categories keep their inversion, and are as likely as the prior is dense there", {
  n <- 10000
  counts <- c(1100, 3000, 1050, 2500, 1020)
  reference <- c(0.1, 0.25, 0.15, 0.4, 0.1)
  evidence <- group_evidence(rr_counts(counts, rr_unary(5, p = 0.5, q = 0.1), n = n), 1)
  asked <- NULL
  mass <- c(0.1, 0.2, 0.3, 0.4)
  core <- function(rows, totals, k, max_x, weights, relative, probs) {
    asked <<- list(rows = rows[[1]], rest = list(totals, k, max_x, weights, relative, probs))
    list(list(mean = c(0.02, 0.03, 0.04), variance = c(1, 2, 3), tilted = rep(TRUE, 3), finest = rep(0.1, 3), quantile = cbind(c(4, 5, 6)),
              loglik = -7, prior = data.frame(x = c(0, 0.5, 1.5, 3), mass = mass)))
  }
  fit_reference <- with_calls(eb_fit_reference, call_eb = core)
  result <- fit_reference(evidence, reference, 0.9)
  # Counts of 3000 and 2500 vary by 55 and 50, less than 0.045 of the 2000 and 1500 above the base of 1000.
  expect_equal(asked$rest, list(1 - 0.5 - 0.375, 5, 10, c(0.4, 0.6, 0, 0), 0.03, 0.9))
  expect_equal(asked$rows$expand(asked$rows$count), counts[-c(2, 4)])
  expect_equal(asked$rows$expand(asked$rows$tilt), reference[-c(2, 4)])
  expect_equal(asked$rows$expand(asked$rows$slope), n * 0.4 * reference[-c(2, 4)])
  expect_equal(result$mean, c(0.02, 0.5, 0.03, 0.375, 0.04))
  expect_equal(result$variance, c(1, 3000 / 4000^2, 2, 2500 / 4000^2, 3))
  expect_equal(result$quantile, cbind(c(4, 0.5 + stats::qnorm(0.9) * sqrt(3000) / 4000, 5, 0.375 + stats::qnorm(0.9) * sqrt(2500) / 4000, 6)))
  # Multiples 2 and 0.9375 of the reference: atoms 1.5, from 1 to 2.25, and 0.5, from 0.25 to 1. A count's density is 1 / sqrt(2 pi count) at its top.
  width <- sqrt(2 * pi * c(3000, 2500)) / (n * 0.4 * c(0.25, 0.4))
  expect_equal(result$loglik, -7 + sum(log(c(0.3 / 1.25, 0.2 / 0.75) * width)))
  mass[3] <- 0
  expect_equal(fit_reference(evidence, reference, 0.9, wary = TRUE)$loglik, -7 + log(1e-300) + log(0.2 / 0.75 * width[2]))
  expect_identical(asked$rest[[4]], c(0.01, 0.99, 0, 0))
})

test_that("a reference is used if it makes the counts likelier, not if they are as likely", {
  evidence <- group_evidence(zipf_tally(6, 2000, 2), 1)
  fitted <- function(gain) {
    evidence$details$gain <- gain
    eb_results(list(evidence), list(pool = FALSE, ordered = FALSE, reference = prop.table(1:6)))[[1]]
  }
  alone <- eb_fit(list(evidence))[[1]]$mean
  expect_identical(fitted(0)$mean, alone)
  expect_identical(fitted(0)$gain, 0)
  expect_false(isTRUE(all.equal(fitted(0.5)$mean, alone)))
})

test_that("groups of exactly 1e8 times the smallest are pooled, larger ones are refused", {
  pooled <- function(many) rr_estimate(rr_counts(cbind(few = c(1, 1, 2, 0), many = many), rr_grr(4, epsilon = 2)), method = "eb", pool = TRUE)
  expect_equal(colSums(pooled(rep(1e8, 4))$estimate), c(1, 1), ignore_attr = TRUE)
  expect_error(pooled(c(1e8, 1e8, 1e8, 1e8 + 1)), class = "candor_error_argument")
  apart <- rr_counts(cbind(few = c(1, 1, 2, 0), many = c(1e8, 1e8, 1e8, 1e8 + 1)), rr_grr(4, epsilon = 2))
  expect_equal(colSums(rr_estimate(apart, method = "eb")$estimate), c(1, 1), ignore_attr = TRUE)
  # One category whose reports speak against their truth.
  against <- new_evidence(new_law_support(c(0.7, 0.7, 0.2), c(0.2, 0.2, 0.7)), c(40, 40, 40), 100, 100, 3)
  expect_error(estimate_eb(list(against), list()), class = "candor_error_argument")
})

test_that("errors that reports allow are Stein's estimate, or none, and two of its standard deviations", {
  # Bits with p = 1/2 and q = 1/4 of 1000 people, about 20 shares of 1/20: phi = 0.2625.
  noise <- 0.2625 * 0.7375 / 1000 / 0.25^2
  reach <- 2 * sqrt(20 * (2 + 1 / 262.5))
  allowed <- function(distance, variance) {
    counts <- 1000 * (0.25 + 0.25 * (0.05 + distance))
    result <- list(mean = rep(0.05, 20), variance = rep(variance, 20), tilted = rep(TRUE, 20))
    eb_allowed_error(result, list(law = new_law_support(0.5, 0.25), counts = rep(counts, 20), n = 1000, k = 20))
  }
  expect_equal(allowed(0, noise / 4), rep(sqrt(noise * reach / 20), 20))
  expect_equal(allowed(sqrt(1.2 * noise), noise / 20), rep(sqrt(noise * (20 * (1.2 + 0.1 - 1) + reach) / 20), 20))
})

test_that("errors that reports allow: the noise at most, for the only share that is tilted too; limits end at 1", {
  evidence <- group_evidence(rr_counts(c(300, 260, 240), rr_unary(3, p = 0.5, q = 0.25), n = 1000), 1)
  inv <- (c(300, 260, 240) / 1000 - 0.25) / 0.25
  allowed <- function(mean, tilted) eb_allowed_error(list(mean = mean, variance = rep(1e-9, 3), tilted = tilted), evidence)
  noise <- function(mean) (0.25 + 0.25 * mean) * (0.75 - 0.25 * mean) / 1000 / 0.25^2
  # Far from the reports, and at them: Stein's estimate is below 0 there, and 2 sqrt(2) of it above 1.
  expect_equal(allowed(c(0.9, 0.2, 0.1), c(TRUE, FALSE, FALSE)), c(sqrt(noise(0.9)), 0, 0))
  expect_equal(allowed(inv, c(TRUE, TRUE, FALSE)), c(sqrt(noise(inv[1:2])), 0))
  expect_identical(allowed(inv, rep(FALSE, 3)), numeric(3))
  evidence$estimate <- c(0.5, 0.3, 0.2)
  result <- list(mean = c(0.9, 0.3, 0.2), variance = rep(0.01, 3), tilted = rep(FALSE, 3), finest = rep(0.01, 3),
                 quantile = cbind(c(0.8, 0.1, 0.1), c(1.3, 0.4, 0.3)))
  expect_identical(eb_interval(result, evidence, 0.9)$high[1], 1)
  # The limit of the reports alone, and 0.95 and its error, are above 1.
  above <- group_evidence(rr_counts(c(33, 5, 2, 1, 2, 0), rr_subset(6, 2.9, size = 1), n = 43), 1)
  above$estimate <- c(1, 0, 0, 0, 0, 0)
  result <- list(mean = c(0.95, rep(0.01, 5)), variance = rep(0.01, 6), tilted = c(TRUE, rep(FALSE, 5)), finest = rep(0.01, 6),
                 quantile = cbind(c(0.8, rep(0, 5)), c(1, rep(0.4, 5))))
  expect_identical(eb_interval(result, above, 0.9)$high[1], 1)
})

# ---- the calls by hand ----

test_that("many distinct counts are binned: no category is lost, nor the sum, and a value between bins is interpolated", {
  additive <- list(a = 0.4, b = 0.1, binomial = TRUE)
  expect_equal(eb_rows(0:999, 5e5, additive)$count, 0:999)
  counts <- c(1500, 0:1500, 700)
  rows <- eb_rows(counts, 2e6, additive)
  expect_lt(length(rows$count), 1000)
  expect_equal(sum(rows$categories), 1503)
  expect_equal(sum(rows$categories * rows$count), sum(counts))
  # The first and the last bin hold one count: a straight line through all bins is each count itself.
  expect_equal(rows$expand(rows$count), counts)
  expect_equal(rows$expand(2 - 3 * rows$count), 2 - 3 * counts)
  expect_equal(unique(rows$base), 2e5)
  expect_equal(unique(rows$slope), 2e6 * 0.4 / 1503)
  expect_identical(lengths(rows[c("trials", "share", "slope", "base")], use.names = FALSE), rep(length(rows$count), 4))
  alike <- function(a, b) is_alike(list(a = a, b = b))
  expect_identical(c(alike(0.4, c(0.1, 0.1)), alike(c(0.4, 0.5), 0.1), alike(0.4, c(0.1, 0.2))), c(TRUE, FALSE, FALSE))
})

test_that("shares that stand alone are not tilted, if categories are alike and of as many reports", {
  fitted <- with_calls(eb_fit, call_eb = function(rows, totals, k, max_x, weights, relative, probs) {
    list(rows = rows, rest = list(totals, k, max_x, weights, relative, probs))
  })
  counts <- c(110, 120, 400)
  tilts <- function(law, groups = 1) {
    evidence <- list(law = law, counts = counts, n = 630, k = 3)
    fit <- fitted(rep(list(evidence), groups), 0.9)
    expect_equal(fit$rest, list(rep(1, groups), 3, 3, eb_weights(3 * groups), 0, 0.9))
    expect_length(fit$rows, groups)
    last <- fit$rows[[groups]]
    last$expand(last$tilt)
  }
  # 2 sqrt(400) is 18 above 2 sqrt(120), and 400 is 25 standard deviations above the base of 126.
  expect_equal(tilts(new_law_additive(0.4, 0.2)), c(1, 1, 0) / 3)
  expect_equal(tilts(new_law_additive(0.4, 0.2), 2), c(1, 1, 0) / 3)
  expect_equal(tilts(new_law_additive(0.4, c(0.19, 0.2, 0.21))), rep(1 / 3, 3))
  expect_identical(fitted(list(list(law = new_law_additive(0.4, 0.2), counts = counts, n = 630, k = 3)), wary = TRUE)$rest[[4]],
                   eb_prior_weights(3, TRUE))
  # Buckets that unlike numbers of people were asked about.
  by_bucket <- list(law = new_law_bitflip(3, 2, 0.7, 0.2, 0.5), counts = c(counts, 300, 290, 10), n = 600, k = 3)
  rows <- fitted(list(by_bucket))$rows[[1]]
  expect_equal(rows$expand(rows$tilt), rep(1 / 3, 3))
})

test_that("the core has the rows of all groups in rising order, and each group its own results", {
  asked <- NULL
  call <- with_calls(call_eb, .Call = function(name, columns, ...) {
    if (identical(name, C_rr_eb)) asked <<- list(columns = columns, rest = list(...)) else return(.Call(name, columns, ...))
    m <- length(columns[[1]])
    list(mean = columns[[1]] / 100, variance = columns[[1]] - 4, quantile = cbind(columns[[1]], -columns[[1]]), eta = c(0.5, 0.7), x = c(0, 0.25, 1),
         weights = 1:5 / 15, loglik = -3, prior = c(0.2, 0.3, 0.5))
  })
  group <- function(count, share, tilt) {
    list(count = count, categories = c(1, 2), base = c(1, 1), slope = c(2, 2), share = share, tilt = tilt, trials = c(50, 60),
         expand = function(x) x[c(2, 1, 2)])
  }
  groups <- list(group(c(9, 100), c(0.2, 0.4), c(0.2, 0)), group(c(25, 49), c(0.1, 0.3), c(0, 0.3)))
  results <- call(groups, c(0.9, 0.8), 3, 7, c(0.4, 0.3, 0.2, 0.1), 0.03, c(0.1, 0.9))
  expect_equal(asked$columns, list(c(9, 25, 49, 100), c(1, 1, 2, 2), rep(1, 4), rep(2, 4), c(0.2, 0.1, 0.3, 0.4), c(0.2, 0, 0.3, 0), c(50, 50, 60, 60)))
  expect_equal(asked$rest, list(c(1, 2, 2, 1), c(0.9, 0.8), 7, c(6, 0.4, 0.3, 0.2, 0.1, 0.03, 1), c(0.1, 0.9)))
  second <- results[[2]]
  share <- c(0.3, 0.1, 0.3)
  count <- c(49, 25, 49)
  expect_equal(second[c("mean", "variance", "tilted", "quantile", "finest", "eta", "loglik")], list(
    mean = share * count / 100, variance = share^2 * (count - 4), tilted = c(TRUE, FALSE, TRUE), quantile = cbind(share * count, -share * count),
    finest = share / 4, eta = 0.7, loglik = -3
  ))
  expect_equal(second$prior, data.frame(x = c(0, 0.25, 1), mass = c(0.2, 0.3, 0.5)))
  expect_equal(second$weights, c(uniform = 1, power = 2, pair = 3, single = 4, free = 5) / 15)
  expect_equal(results[[1]]$mean, c(0.4, 0.2, 0.4) * c(100, 9, 100) / 100)
  # A variance that rounds below 0 is 0.
  expect_equal(call(list(group(c(1, 9), c(0.2, 0.4), c(1, 1))), 1, 3, 3, rep(0.25, 4), 0, c(0.1, 0.9))[[1]]$variance, c(0.16 * 5, 0, 0.16 * 5))
})

test_that("groups are pooled on request, else each has its reference: smoothed shares with a thousandth of even ones, or that given", {
  asked <- list()
  results <- with_calls(
    eb_results,
    eb_fit = function(groups, probs, wary) {
      lapply(groups, function(group) list(base = group$name, together = length(groups), probs = probs, wary = wary, loglik = -10))
    },
    eb_fit_reference = function(evidence, reference, probs, wary) list(reference = reference, probs = probs, wary = wary, loglik = evidence$loglik),
    estimate_smoothed = function(evidence, options) list(estimate = c(0.5, 0.3, 0.2, 0))
  )
  groups <- list(list(name = "a", loglik = -9), list(name = "b", loglik = -11))
  options <- function(...) utils::modifyList(list(pool = FALSE, ordered = FALSE), list(...))
  expect_identical(vapply(results(groups, options(pool = TRUE)), `[[`, 0L, "together"), c(2L, 2L))
  expect_identical(vapply(results(groups, options()), `[[`, 0L, "together"), c(1L, 1L))
  expect_null(results(groups, options())[[1]]$gain)
  ordered <- results(groups, options(ordered = TRUE), 0.7, TRUE)
  expect_equal(ordered[[1]], list(reference = (c(0.5, 0.3, 0.2, 0) + 0.00025) / 1.001, probs = 0.7, wary = TRUE, loglik = -9, gain = 1))
  expect_equal(ordered[[2]], list(base = "b", together = 1L, probs = 0.7, wary = TRUE, loglik = -10, gain = -1))
  expect_equal(results(groups, options(reference = c(0.4, 0.3, 0.2, 0.1)))[[1]]$reference, c(0.4, 0.3, 0.2, 0.1))
})

test_that("estimates are posterior means or the shares of least absolute error, above 0 and with a sum of 1", {
  result <- list(mean = c(0.6, 0.3, 0), variance = c(0.01, 0.02, 0.03), tilted = c(TRUE, TRUE, FALSE), quantile = cbind(c(0.5, 0.3, -0.1)),
                 weights = 1:5, gain = 2)
  asked <- NULL
  estimate <- with_calls(estimate_eb, eb_results = function(groups, options, probs) {
    asked <<- probs
    rep(list(result), length(groups))
  })
  evidence <- group_evidence(rr_counts(c(30, 20, 10), rr_unary(3, p = 0.5, q = 0.25), n = 100), 1)
  fit <- estimate(list(evidence, evidence), list())[[2]]
  expect_equal(fit$estimate, c(2, 1, 0) / 3)
  expect_gt(fit$estimate[3], 0)
  expect_identical(asked, double())
  expect_identical(fit[c("variance", "tilted", "weights", "gain")], result[c("variance", "tilted", "weights", "gain")])
  # Two variances share the sum: 0.01 - 0.01^2 / 0.03 and 0.02 - 0.02^2 / 0.03.
  expect_equal(fit$expected.error, 2 * 0.02 / 3 + 0.03)
  expect_identical(fit$eb$groups, 2L)
  share <- c(0.3, 0.2, 0.1)
  noise <- share * (1 - share) / 100 / 0.0625
  risk <- sum((result$mean - (share - 0.25) / 0.25)^2 - noise + 2 * result$variance * share / (0.25 + 0.25 * result$mean))
  expect_equal(fit$expected.range, risk + c(-2, 2) * sqrt(2 * sum(noise^2)))
  expect_equal(estimate(list(evidence), list(loss = "absolute"))[[1]]$estimate, c(0.625, 0.375, 0))
  expect_identical(asked, NA_real_)
  # Two bits have two counts; two answers have one degree of freedom.
  expect_null(rr_estimate(rr_counts(c(30, 40), rr_unary(2, 1), n = 100), method = "eb")$details[[1]]$fallback)
})

test_that("credible limits are the hull of both fits, of the groups that were asked for and of all that learn one prior", {
  credible <- with_calls(
    eb_credible,
    eb_results = function(groups, options, probs, wary) {
      lapply(groups, function(group) list(x = group$x, wary = wary, probs = probs, learned = length(groups)))
    },
    eb_interval = function(result, evidence, conf.level) {
      expect_identical(result$x, evidence$x)
      expect_equal(c(result$probs, conf.level), c(0.05, 0.95, 0.9))
      expect_identical(result$learned, learned)
      list(low = result$x + c(0.2, 0.1) * c(1, -1)[1 + result$wary], high = result$x + c(0.4, 0.5) * c(1, -1)[1 + result$wary])
    }
  )
  groups <- lapply(c(1, 2, 3), function(x) list(x = x, details = list(eb = list(pool = FALSE, groups = 3L))))
  learned <- 2L
  limits <- credible(groups, c(3, 1), 0.9)
  expect_equal(limits, list(list(low = c(2.8, 2.9), high = c(3.4, 3.5)), list(low = c(0.8, 0.9), high = c(1.4, 1.5))))
  groups <- lapply(groups, function(group) utils::modifyList(group, list(details = list(eb = list(pool = TRUE)))))
  learned <- 3L
  expect_equal(credible(groups, c(3, 1), 0.9), limits)
  expect_error(credible(groups[1:2], 1, 0.9), class = "candor_error_argument")
})

test_that("one group alone tells its expected error and its range, if that is known; gains that are none are told of any group", {
  group <- list(expected.error = 0.01, expected.range = c(0.005, 0.02), delta = 2)
  note <- eb_notes(list(group))
  expect_identical(regmatches(note, gregexpr("0[.][0-9]+", note)), list(c("0.01", "0.005", "0.02")))
  expect_null(eb_notes(list(group, group)))
  expect_null(eb_notes(list(replace(group, "delta", NA))))
  expect_length(eb_notes(list(list(fallback = TRUE))), 1)
  gains <- function(...) length(eb_notes(lapply(list(...), function(gain) list(gain = gain))))
  expect_identical(c(gains(0.1, 0.2), gains(0.1, 0), gains(-1)), c(0L, 1L, 1L))
})
