# Counts are enumerated here, also those that no truth makes likely.
rr_estimate <- estimate_odd

# Coverage summed up over all outcomes, not simulated: reports of one category are binomial, and for fixed truths
# the sum of two binomials.
# The outcomes are groups of one tally, whose intervals serve all shares.
coverage <- function(thetas, n, mechanism, interval, target, level = 0.95) {
  counts <- rbind(n - 0:n, 0:n)
  dimnames(counts) <- list(NULL, paste("outcome", 0:n))
  bounds <- confint(rr_estimate(rr_counts(counts, mechanism), target = target, interval = interval, conf.level = level))[2 * (0:n + 1), ]
  form <- rr_matrix(mechanism)
  q <- form[1, 2]
  p <- form[2, 2]
  vapply(thetas, function(theta) {
    yes <- round(n * theta)
    probability <- if (target == "population") dbinom(0:n, n, q + (p - q) * theta) else {
      convolution <- numeric(n + 1)
      for (kept in 0:yes) {
        rest <- dbinom(0:(n - yes), n - yes, q)
        at <- kept + seq_along(rest)
        convolution[at] <- convolution[at] + dbinom(kept, yes, p) * rest
      }
      convolution
    }
    truth <- if (target == "sample") yes / n else theta
    sum(probability[bounds[, 1] <= truth + 1e-12 & truth <= bounds[, 2] + 1e-12])
  }, 0)
}

test_that("exact intervals cover at least as often as stated, at the boundary too, for both targets", {
  for (mechanism in list(rr_warner(0.75), rr_triangular(0.3), rr_crosswise(0.2))) {
    for (target in c("population", "sample")) for (level in c(0.95, 0.8)) {
      for (covered in coverage(c(0, 0.05, 0.3, 0.5, 1), 40, mechanism, "exact", target, level)) expect_gte(covered, level - 1e-12)
    }
  }
})

test_that("Wilson intervals cover close to the stated level", {
  # A score interval for a binomial share is known to dip a little below its level for some shares
  # (Agresti and Coull 1998: mean coverage near 0.95, minimum near 0.93 away from 0 and 1); cutting it
  # to [0, 1] in a design that hides much can only add coverage near 0 and 1.
  for (target in c("population", "sample")) {
    for (mechanism in list(rr_warner(0.75), rr_crosswise(0.2))) {
      covered <- coverage(seq(0.05, 0.95, 0.1), 60, mechanism, "wilson", target)
      expect_gte(min(covered), 0.92)
      expect_gte(mean(covered), 0.94)
      expect_lte(mean(covered), 0.97)
    }
  }
})

test_that("only Wald intervals leave [0, 1], and all but those of inversion contain the estimate", {
  tally <- rr_counts(c(400, 100, 90, 80, 75, 70, 5), rr_grr(7, epsilon = 1.5))
  for (method in c("mle", "inv", "invn", "invp")) {
    for (interval in c("wilson", "exact", "bootstrap")) {
      set.seed(1)
      table <- tidy(rr_estimate(tally, method = method, interval = interval, replications = 50), conf.int = TRUE)
      expect_true(all(table$conf.low >= 0 & table$conf.high <= 1 & table$conf.low <= table$conf.high))
      if (method != "inv" && interval != "bootstrap") expect_true(all(table$conf.low <= table$estimate & table$estimate <= table$conf.high))
    }
  }
  wald <- tidy(rr_estimate(tally, method = "inv", interval = "wald"), conf.int = TRUE)
  expect_lt(min(wald$conf.low), 0)
  expect_equal(wald$conf.high - wald$conf.low, 2 * qnorm(0.975) * wald$std.error)
})

test_that("simultaneous intervals hold together", {
  mechanism <- rr_grr(6, epsilon = 2)
  theta <- c(0.4, 0.25, 0.15, 0.1, 0.07, 0.03)
  shares <- as.vector(theta %*% rr_matrix(mechanism))
  set.seed(6)
  all_in <- apply(rmultinom(400, 500, shares), 2, function(counts) {
    bounds <- confint(rr_estimate(rr_counts(counts, mechanism), interval = "exact", simultaneous = TRUE))
    all(bounds[, 1] <= theta & theta <= bounds[, 2])
  })
  # Exact intervals are conservative: 400 draws at 0.95 fall below 0.92 with probability under 0.005
  expect_gte(mean(all_in), 0.92)
  one <- rr_estimate(rr_counts(c(50, 40, 30, 20, 10, 9), mechanism))
  many <- rr_estimate(rr_counts(c(50, 40, 30, 20, 10, 9), mechanism), simultaneous = TRUE)
  # Never Wilson's, which is not the stated level far out.
  for (kind in c("wilson", "exact")) {
    expect_equal(confint(many, interval = kind), confint(one, level = 1 - 0.05 / 6, interval = "exact"), tolerance = 1e-12, ignore_attr = TRUE)
  }
})

test_that("bootstrap intervals and errors agree with theory away from the boundary", {
  tally <- rr_counts(c(500, 300, 200), rr_grr(3, epsilon = 2))
  for (target in c("population", "sample")) {
    set.seed(7)
    boot <- rr_estimate(tally, interval = "bootstrap", target = target, replications = 2000)
    theory <- rr_estimate(tally, target = target)
    # The standard deviation of 2000 draws has a relative error of 1/sqrt(4000) = 1.6 %; allow four of those
    expect_equal(tidy(boot)$std.error, tidy(theory)$std.error, tolerance = 0.064)
    expect_equal(confint(boot), confint(theory, interval = "wald"), tolerance = 0.02, ignore_attr = TRUE)
  }
})

test_that("a weighted tally is as uncertain as its effective number of respondents", {
  mechanism <- rr_grr(3, epsilon = 2)
  fit <- rr_estimate(rr_counts(c(50.5, 30.25, 19.25), mechanism, effective_n = 40), method = "inv")
  plain <- rr_estimate(rr_counts(c(5050, 3025, 1925), mechanism), method = "inv")
  expect_equal(diag(vcov(fit)), diag(vcov(plain)) * (10000 - 1) / (40 - 1), tolerance = 1e-12)
})

# More or fewer reports than any truth makes likely: the share nearest to them is an end, and an interval holds the shares
# whose squared distance to them, in standard deviations, exceeds that of the end by at most z^2. Here the other bound
# is found by searching for the share where it does.
other_bound <- function(phi, end, q, p, n, level = 0.95, sample = FALSE) {
  squared <- function(t) {
    m <- q + (p - q) * t
    (phi - m)^2 / ((m * (1 - m) - if (sample) (p - q)^2 * t * (1 - t) else 0) / n)
  }
  uniroot(function(t) squared(t) - squared(end) - qnorm((1 + level) / 2)^2, 0:1, tol = 1e-13)$root
}

test_that("more or fewer reports than any truth makes likely do not make an interval a point", {
  expect_bounds <- function(fit, low, high) expect_equal(unname(confint(fit)), cbind(c(1 - high, low), c(1 - low, high)), tolerance = 1e-11)
  # Of 100 reports 20 to 80 say yes, whatever the truth; under the design with p = 0.2 those who say yes mean no.
  many <- rr_counts(c(10, 90), rr_warner(0.8))
  low <- other_bound(0.9, 1, 0.2, 0.8, 100)
  for (method in c("mle", "inv", "invp", "norm")) expect_bounds(rr_estimate(many, method = method), low, 1)
  expect_bounds(rr_estimate(many, conf.level = 0.5), other_bound(0.9, 1, 0.2, 0.8, 100, 0.5), 1)
  expect_bounds(rr_estimate(many, target = "sample"), other_bound(0.9, 1, 0.2, 0.8, 100, sample = TRUE), 1)
  expect_bounds(rr_estimate(rr_counts(c(10, 90), rr_warner(0.2))), 0, 1 - low)
  expect_bounds(rr_estimate(rr_counts(c(19, 1), rr_warner(0.8))), 0, other_bound(0.05, 0, 0.2, 0.8, 20))
  # As few as 20 would be, by the effective number.
  expect_bounds(rr_estimate(rr_counts(c(190, 10), rr_warner(0.8), effective_n = 20)), 0, other_bound(0.05, 0, 0.2, 0.8, 20))
  # Clopper and Pearson's is cut, to a point if need be.
  expect_bounds(rr_estimate(many, interval = "exact"), 1, 1)
  few <- rr_counts(c(81, 19), rr_warner(0.8))
  expect_bounds(rr_estimate(few, interval = "exact"), 0, (binom.test(19, 100)$conf.int[2] - 0.2) / 0.6)
  grouped <- rr_estimate(rr_counts(cbind(a = c(10, 90), b = c(50, 50)), rr_warner(0.8)))
  expect_equal(unname(confint(grouped)[1:2, ]), unname(confint(rr_estimate(many))))
  # Of three categories the first is reported by a fifth who mean another.
  three <- rr_estimate(rr_counts(c(5, 50, 45), rr_grr(3, p = 0.6)))
  expect_equal(confint(three)[1, 2], other_bound(0.05, 0, 0.2, 0.6, 100), tolerance = 1e-11)
})

test_that("nor in channels without closed form, where the score interval knows the others as fitted", {
  # To split each report at random adds nothing: the channel is the binary design in four reports.
  split <- rr_channel(rbind(no = c(0.4, 0.4, 0.1, 0.1), yes = c(0.1, 0.1, 0.4, 0.4)))
  binary <- rr_warner(0.8)
  for (target in c("population", "sample")) for (method in c("mle", "inv")) for (yes in seq(0, 100, 10)) {
    expect_equal(confint(rr_estimate(rr_counts(c(100 - yes, 0, yes, 0), split), method = method, target = target, interval = "wilson")),
                 confint(rr_estimate(rr_counts(c(100 - yes, yes), binary), method = method, target = target)), tolerance = 1e-9)
  }
  # The only cell of the fit. For its row of the inverse N Var = t A + (1 - t) B - t^2, with the mean squares A under it
  # and B under the others, in equal parts.
  C <- rr_matrix(rr_geometric(c("a", "b", "c", "d"), 1))
  counts <- c(5, 90, 5, 3)
  inv <- sum(counts * solve(C)[, 2]) / 103
  squares <- C %*% solve(C)[, 2]^2
  squared <- function(t) (inv - t)^2 / ((t * squares[2] + (1 - t) * mean(squares[-2]) - t^2) / 103)
  fit <- rr_estimate(rr_counts(counts, rr_geometric(c("a", "b", "c", "d"), 1)))
  expect_gt(inv, 1)
  low <- uniroot(function(t) squared(t) - squared(1) - qnorm(0.975)^2, 0:1, tol = 1e-13)$root
  expect_equal(unname(confint(fit, "b"))[1, ], c(low, 1), tolerance = 1e-9)
})

test_that("intervals are points only where nothing is random, and cover at and near the ends", {
  skip_on_cran()
  n <- 30
  x <- 0:n
  triples <- unname(as.matrix(subset(expand.grid(x, x, x), Var1 + Var2 + Var3 == n)))
  # With its p of 1 the triangular design has the dip of Wilson's interval for shares near 1.
  cases <- list(list(rr_warner(0.6), cbind(n - x, x), 0.945), list(rr_triangular(0.3), cbind(n - x, x), 0.93),
                list(rr_warner(0.1), cbind(n - x, x), 0.945),
                list(rr_channel(rbind(no = c(0.8, 0.15, 0.05), yes = c(0.1, 0.1, 0.8))), triples, 0.945))
  for (case in cases) for (target in c("population", "sample")) {
    counts <- unname(t(case[[2]]))
    colnames(counts) <- seq_len(ncol(counts))
    bounds <- confint(rr_estimate(rr_counts(counts, case[[1]]), target = target))[2 * seq_len(ncol(counts)), ]
    expect_gt(min(bounds[, 2] - bounds[, 1]), 0.01)
    if (target == "sample") next
    # An end is covered unless the reports lie beyond it by chance, in at most 2.5 in 100 as the normal curve has it;
    # the 30 reports are that far from normal.
    for (theta in c(0, 0.01, 0.02, 0.05, 0.95, 0.98, 0.99, 1)) {
      chance <- apply(counts, 2, dmultinom, prob = c(1 - theta, theta) %*% rr_matrix(case[[1]]))
      expect_gte(sum(chance[bounds[, 1] <= theta & theta <= bounds[, 2]]), case[[3]])
    }
  }
  asked <- rr_estimate(rr_counts(c(3, 7), rr_warner(1)), target = "sample")
  expect_equal(unname(confint(asked)[2, ]), c(0.7, 0.7))
})

test_that("normal intervals are cut, but to no point, wherever an estimate leaves its range", {
  # The bound inside is where the squared distance from the estimate has grown by z^2 variances since the end of the range.
  expect_row <- function(row, least, most, bounds = c(row$conf.low, row$conf.high)) {
    end <- if (row$estimate < least) least else most
    expect_true(row$estimate < least || row$estimate > most)
    grown <- function(t) (row$estimate - t)^2 - (row$estimate - end)^2 - (qnorm(0.975) * row$std.error)^2
    far <- end + (if (end == least) 10 else -10) * row$std.error
    other <- min(max(uniroot(grown, sort(c(end, far)), tol = 1e-12)$root, least), most)
    expect_equal(sort(bounds), sort(c(end, other)), tolerance = 1e-8)
    expect_gt(diff(bounds), 0.1 * row$std.error)
  }
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  # Shares of a given b = yes; b = no has none.
  margin <- rr_margin(rr_estimate(rr_counts(c(5, 5, 90, 6), survey), method = "inv"), "a", "b")
  for (i in 3:4) expect_row(tidy(margin, conf.int = TRUE)[i, ], 0, 1)
  expect_equal(unname(confint(margin)), unname(as.matrix(tidy(margin, conf.int = TRUE)[c("conf.low", "conf.high")])))
  # Far fewer ones than noise alone gives.
  bits <- cbind(rep(c(1, 0), c(50, 950)), rep(c(0, 1, 0), c(60, 60, 880)))
  for (fit in list(rr_set_size(bits, 0.2), rr_set_size(1 - bits, 0.2, "intersection"), rr_set_size(bits, 0.2, "difference"))) {
    row <- fit$table
    if (is.na(row$std.error)) row$std.error <- row$std.error.max
    if (row$estimate < 0 || row$estimate > 1000) expect_row(row, 0, 1000) else fail(paste(row$term, "is possible"))
  }
  incidence <- tidy(rr_incidence(bits, 0.2), conf.int = TRUE)
  outside <- which((incidence$estimate < 0 | incidence$estimate > 1000) & !is.na(incidence$std.error))
  expect_gt(length(outside), 2)
  for (i in outside) expect_row(incidence[i, ], 0, 1000)
  x <- rep(0:1, 50)
  together <- rr_association(rr_tmdh(rr_cooccurrence(cbind(x, y = c(1 - x[1:10], x[11:100]))), list(p = 0.8, q = 0.2)))
  measures <- tidy(together, conf.int = TRUE)
  expect_row(measures[measures$measure == "correlation", ], -1, 1)
  expect_row(measures[measures$measure == "cramers.v", ], 0, 1)
})

test_that("an iteration near a maximum on the boundary has the maximum's errors, intervals and comparisons", {
  # An iterate is never exactly 0: the boundary is the maximum's. Random channels of three truths and four reports.
  set.seed(11)
  boundary <- 0
  for (i in 1:40) {
    C <- matrix(rexp(12), 3) + diag(2, 3, 4)
    tally <- rr_counts(drop(rmultinom(1, 400, c(0.68, 0.3, 0.02) %*% (C / rowSums(C)))), rr_channel(C / rowSums(C)))
    iterated <- rr_estimate(tally, method = "ibu")
    if (!isTRUE(iterated$details[[1]]$gap <= 1e-4)) next
    maximum <- rr_estimate(tally)
    held <- coef(maximum) == 0
    boundary <- boundary + any(held)
    expect_identical(is.na(tidy(iterated)$std.error), unname(held))
    expect_equal(tidy(iterated)$std.error, tidy(maximum)$std.error, tolerance = 1e-6)
    expect_equal(unname(confint(iterated)), unname(confint(maximum)), tolerance = 0.002)
    expect_identical(glance(iterated)$boundary, sum(held))
    if (!any(held)) next
    expect_warning(contrast <- rr_contrast(iterated, as.double(held)), class = "candor_warning_boundary")
    expect_true(is.na(contrast$std.error))
    expect_gt(contrast$conf.high, 0.01)
  }
  expect_gt(boundary, 10)
})

test_that("levels by rank, limits that hold the estimate, and limits of designs, by hand", {
  expect_equal(ranked_level(c(0.1, 0.4, 0.1, 0.3), 0.9), 1 - 0.1 * c(3, 1, 3, 2) / 4)
  bounds <- list(low = c(-0.1, 0.3, 0.2), high = c(0.2, 1.2, 0.25))
  expect_equal(include_estimate(bounds, c(-0.2, 0.1, 0.3), TRUE), list(low = c(0, 0.3, 0.2), high = c(0.2, 1, 0.25)))
  expect_equal(include_estimate(bounds, c(-0.2, 0.1, 0.3), FALSE), list(low = c(0, 0.1, 0.2), high = c(0.2, 1, 0.3)))
  fit <- rr_estimate(rr_counts(cbind(u = c(a = 500, b = 300, c = 200), v = c(230, 300, 470)), rr_grr(c("a", "b", "c"), 3)))
  alone <- fit_intervals(fit, 0.9, which = c(3, 1), groups = 2)
  expect_identical(lapply(alone, dim), list(low = c(2L, 1L), high = c(2L, 1L)))
  # Simultaneous: 6 estimates, or those of a family, by exact intervals.
  all <- fit
  all$simultaneous <- TRUE
  expect_equal(fit_intervals(all, 0.9, which = 1, groups = 1), fit_intervals(fit, 1 - 0.1 / 6, "exact", 1, 1))
  all$family <- 20
  expect_equal(fit_intervals(all, 0.9, which = 1, groups = 1), fit_intervals(fit, 1 - 0.1 / 20, "exact", 1, 1))
  # By rank: the lower end of the second of three is that of an interval at level 1 - .1 2 / 3, the upper one at .9.
  ranked <- fit_intervals(fit, 0.9, groups = 1, ranked = TRUE)
  expect_equal(ranked$low[2], fit_intervals(fit, 1 - 0.1 * 2 / 3, "exact", 2, 1)$low[1])
  expect_equal(ranked$high[2], fit_intervals(fit, 0.9, "exact", 2, 1)$high[1])
  # Exact intervals are Clopper and Pearson's of the reports, through the device.
  p <- exp(3) / (exp(3) + 2)
  q <- 1 / (exp(3) + 2)
  pearson <- c(qbeta(0.05, 300, 701), qbeta(0.95, 301, 700))
  expect_equal(unlist(fit_intervals(fit, 0.9, "exact", 2, 1), use.names = FALSE), (pearson - q) / (p - q), tolerance = 1e-10)
  fit$replicates <- list(matrix(c(0.2, -0.1, 0.5, 0.3), 1), matrix(0, 1, 4))
  expect_equal(unlist(group_intervals(fit, 1, 0.5, "bootstrap", 1), use.names = FALSE), unname(quantile(c(0.2, -0.1, 0.5, 0.3), c(0.25, 0.75))))
  wald <- rr_estimate(rr_counts(c(a = 500, b = 300, c = 200), rr_grr(c("a", "b", "c"), 3)), interval = "wald", conf.level = 0.9)
  expect_equal(unname(confint(wald)), unname(coef(wald) + outer(sqrt(diag(vcov(wald))), c(-1, 1) * qnorm(0.95))))
  # A design: t quantiles, or Wilson's interval of scores between two ends.
  design <- list(estimate = c(0.3, 0.7), covariance = diag(c(0.01, 0.04)), df = 9, interval = "wald", tally = list(n = 50),
    mechanism = list(levels = c("a", "b")), details = list(list()), estimator = list(unbiased = TRUE))
  half <- qt(0.95, 9) * c(0.1, 0.2)
  expect_equal(design_intervals(design, 1, 0.9, 1:2), list(low = c(0.3, 0.7) - half, high = c(0.3, 0.7) + half))
  design <- c(design[names(design) != "interval"], list(interval = "wilson",
                                                         inversion = list(estimate = cbind(c(0.3, 0.7)), low = c(-0.5, -0.5), high = c(1.5, 1.5),
                                                           variance = cbind(c(0.01, 0.04)))))
  wilson <- function(share, worth) {
    z2 <- qt(0.95, 9)^2 / worth
    bounds <- (share + z2 / 2 + c(-1, 1) * sqrt(z2 * (share * (1 - share) + z2 / 4))) / (1 + z2)
    pmin(pmax(-0.5 + 2 * bounds, 0), 1)
  }
  share <- (0.3 + 0.5) / 2
  limits <- function() unlist(design_intervals(design, 1, 0.9, 1), use.names = FALSE)
  expect_equal(limits(), wilson(share, share * (1 - share) * 4 / 0.01), tolerance = 1e-10)
  # Reports that are all alike are worth their number; an estimate beyond 0 is taken for 0.
  design$tally$effective_n <- 50
  for (variance in c(0, NA)) {
    design$inversion$variance[1] <- variance
    expect_equal(limits(), wilson(share, 50), tolerance = 1e-10)
  }
  design$inversion$estimate[1] <- -0.2
  expect_equal(limits(), wilson(0.25, 50), tolerance = 1e-10)
})

test_that("kinds of intervals are refused where they do not hold", {
  grr <- rr_grr(c("a", "b", "c"), 2)
  tally <- rr_counts(c(a = 500, b = 300, c = 200), grr)
  expect_refused(rr_estimate(tally, interval = "credible"), rr_estimate(tally, interval = "profile", target = "sample"),
    rr_estimate(tally, interval = "anytime", target = "sample"),
                 confint(rr_estimate(tally), interval = "bootstrap"), confint(rr_estimate(tally), interval = "normal"),
                 rr_estimate(rr_counts(c(300, 200, 250), rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)))), interval = "exact"))
  expect_identical(with_interval(rr_estimate(tally), "anytime")$plan, 500)
  expect_identical(tail_interval("wilson", tally), "exact")
  expect_identical(tail_interval("wald", tally), "wald")
  expect_identical(tail_interval("wilson", rr_counts(c(300, 200, 250), rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7))))), "wilson")
})

test_that("a kind of intervals is a row of the table", {
  expect_identical(names(interval_kinds), eval(formals(candor::rr_estimate)$interval))
  limits <- function(fit, g, level, which) list(low = rep(-0.2, length(which)), high = rep(level / 2, length(which)))
  toy <- list(label = "toy", limits = limits, target = "population", is_known = TRUE, needs = "inverse", categories = 2)
  package <- asNamespace("candor")
  add_kind <- function(row) assign("interval_kinds", c(kinds, list(toy = row)), package)
  kinds <- package$interval_kinds
  unlockBinding("interval_kinds", package)
  withr::defer({
    assign("interval_kinds", kinds, package)
    lockBinding("interval_kinds", package)
  })
  add_kind(toy)
  # 30 of 100 are yes: (0.3 - 0.2) / (0.8 - 0.2). Limits are cut at 0.
  tally <- rr_counts(c(70, 30), rr_warner(0.8))
  fit <- rr_estimate(tally, interval = "toy", method = "inv", conf.level = 0.8)
  expect_equal(unname(confint(fit)[2, ]), c(0, 0.4))
  expect_output(print(fit), "80% toy intervals")
  add_kind(c(toy, is_rough = TRUE))
  expect_equal(unname(confint(fit)[2, ]), c(-0.2, 0.4))
  measured <- suppressMessages(rr_misclassification(table = rbind(c(9, 1), c(1, 9))))
  expect_refused(rr_estimate(tally, interval = "toy", target = "sample"), rr_estimate(rr_counts(c(70, 30), measured), interval = "toy"),
                 rr_estimate(rr_counts(c(70, 30, 5), rr_grr(3, epsilon = 1)), interval = "toy"))
  vague <- rr_channel(rbind(c(0.9, 0.1), c(0.5, 0.5), c(0.1, 0.9)))
  expect_refused(rr_estimate(rr_counts(c(70, 30), vague), interval = "toy", method = "mle"), class = "law")
})

test_that("credible intervals are for 20 categories or more", {
  estimate <- function(k) {
    tally <- rr_counts(rep_len(c(40, 70, 55), k), rr_grr(k, epsilon = 3))
    suppressMessages(suppressWarnings(rr_estimate(tally, method = "eb", interval = "credible")))
  }
  expect_identical(dim(confint(estimate(20))), c(20L, 2L))
  expect_refused(estimate(19))
})

test_that("simulated tallies of a direct question are the truths, of as many people as are asked for; so are their estimates", {
  counts <- cbind(u = c(3, 0, 7), v = c(8, 2, 10))
  fit <- rr_estimate(rr_counts(counts, rr_grr(3, p = 1)), target = "sample")
  expect_equal(simulate_group(fit, 1, 2), matrix(c(3, 0, 7), 3, 2))
  expect_equal(simulate_group(fit, 2, 1), cbind(counts[, 2]), ignore_attr = TRUE)
  expect_equal(simulate_group(fit, 1, 2, 20.4), matrix(c(6, 0, 14), 3, 2))
  expect_equal(colSums(simulate_group(fit, 1, 3, 0.2)), rep(1, 3))
  expect_error(simulate_group(fit, 1, 2, 2^54), class = "candor_error_counts")
  shares <- lapply(1:2, function(g) matrix(counts[, g] / sum(counts[, g]), 3, 4))
  expect_equal(bootstrap(fit, 4, list()), shares)
  bits <- rr_estimate(rr_counts(counts, rr_unary(3, p = 1, q = 0), n = c(10, 20)), method = "inv", target = "sample")
  expect_equal(bootstrap(bits, 4, list()), shares)
  # Six estimates, four times, in three copies of eight bytes.
  bytes <- NULL
  with_calls(bootstrap, check_memory = function(asked, ...) bytes <<- asked)(fit, 4, list())
  expect_identical(bytes, 6 * 4 * 3 * 8)
  # Sampled people vary, but nobody holds the second answer; bits are those of as many people.
  for (mechanism in list(rr_grr(3, p = 1), rr_unary(3, p = 1, q = 0))) {
    sampled <- suppressMessages(rr_estimate(rr_counts(c(30, 0, 70), mechanism, n = 100), method = "inv"))
    drawn <- withr::with_seed(5, simulate_group(sampled, 1, 300))
    expect_identical(colSums(drawn), rep(100, 300))
    expect_equal(drawn[2, ], numeric(300))
    # A binomial count: a mean within four standard errors, a variance within four of its own.
    expect_lt(abs(mean(drawn[1, ]) - 30), 4 * sqrt(21 / 300))
    expect_lt(abs(var(drawn[1, ]) / 21 - 1), 4 * sqrt(2 / 299))
  }
})

test_that("limits of a measured channel in a design are those of as many people as its variance is worth", {
  names <- c("a", "b", "c")
  study <- matrix(c(80, 12, 9, 15, 70, 21, 5, 18, 120), 3, dimnames = list(truth = names, report = names))
  fit <- rr_estimate(rr_counts(c(420, 330, 250), rr_misclassification(table = study)), method = "inv")
  law <- rr_law(fit$mechanism)
  known <- new_law_channel(law$axes)
  # A known channel has the variance of the unbiased estimate over n: 300 and 700 people are worth these, and nobody knows what 0 is worth.
  variance <- unbiased_variances(known, group_evidence(fit$tally, 1), 1:3, "population", FALSE) * 1000
  fit$inversion <- list(field_variance = cbind(variance / c(300, 700, Inf)))
  people <- c(300, 700, 1000)
  limits <- measured_intervals(fit, 1, stats::qnorm(0.95), c(3, 1, 2))
  for (i in 1:3) {
    cell <- c(3, 1, 2)[i]
    evidence <- new_evidence(law, c(420, 330, 250), 1000, people[cell], 3)
    expected <- law_intervals(law, evidence, unname(coef(fit)), "wilson", 0.9, cell, "population")
    expect_equal(c(limits$low[i], limits$high[i]), c(expected$low, expected$high))
  }
})

test_that("decks that are full have exact limits far out; one that is not leaves Wilson's to all groups", {
  deck <- rr_dealt(c(no = 1, yes = 1), cards = 4)
  answers <- rep_len(c("no", "yes", "no", "no", "yes", "yes", "no"), 48)
  data <- data.frame(block = rep(1:12, each = 4), area = rep(c("full", "part"), each = 24), y = answers)[-48, ]
  estimate <- function(rows, ...) rr_estimate(data[rows, ], deck, column = "y", by = "area", ...)
  far_out <- function(rows, interval) confint(estimate(rows), level = 1 - 0.05 / (2 * length(unique(data$area[rows]))), interval = interval)
  expect_equal(confint(estimate(1:47, simultaneous = TRUE)), far_out(1:47, "wilson"), ignore_attr = TRUE)
  expect_equal(confint(estimate(1:24, simultaneous = TRUE)), far_out(1:24, "exact"), ignore_attr = TRUE)
  expect_gt(max(abs(far_out(1:24, "exact") - far_out(1:24, "wilson"))), 0.01)
})

test_that("two clusters that are each of one mind are worth one respondent: Wilson's interval with t of one degree of freedom", {
  skip_if_not_installed("survey")
  data <- data.frame(unit = rep(1:2, each = 10), answer = rep(c("yes", "no"), each = 10))
  fit <- rr_estimate(survey::svydesign(ids = ~unit, weights = ~1, data = data), rr_binary(1, 0), column = ~answer)
  t2 <- qt(0.975, 1)^2
  half <- sqrt(t2 * (0.25 + t2 / 4))
  limits <- (0.5 + t2 / 2 + c(-1, 1) * half) / (1 + t2)
  expect_equal(unname(confint(fit)), rbind(limits, limits), ignore_attr = TRUE)
})
