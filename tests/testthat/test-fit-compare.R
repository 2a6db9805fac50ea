three <- function(...) rr_estimate(rr_counts(cbind(north = c(no = 620, yes = 380), south = c(700, 300), west = c(660, 340)), rr_warner(0.8)), ...)

test_that("differences are those of two binomial shares, through the design", {
  table <- rr_compare(three())
  yes <- c(380, 300, 340) / 1000
  share <- (yes - 0.2) / 0.6
  error <- sqrt(yes * (1 - yes) / 1000) / 0.6
  pairs <- combn(3, 2)
  expect_equal(table$estimate, share[pairs[2, ]] - share[pairs[1, ]])
  se <- sqrt(error[pairs[1, ]]^2 + error[pairs[2, ]]^2)
  expect_equal(table$std.error, se)
  expect_equal(table$p.value, 2 * pnorm(-abs(table$estimate / se)))
  expect_equal(table$p.adjusted, p.adjust(table$p.value, "holm"))
  expect_identical(table$term, rep("yes", 3))
  ratio <- rr_compare(three(), type = "ratio", adjust = "none")
  expect_equal(ratio$estimate, share[pairs[2, ]] / share[pairs[1, ]])
  expect_equal(ratio$std.error, ratio$estimate * sqrt((error / share)[pairs[1, ]]^2 + (error / share)[pairs[2, ]]^2))
  # Fieller: at an end r of the interval the test of y - r x = 0 is just at its level.
  for (r in list(ratio$conf.low, ratio$conf.high)) {
    z <- (share[pairs[2, ]] - r * share[pairs[1, ]]) / sqrt(error[pairs[2, ]]^2 + r^2 * error[pairs[1, ]]^2)
    expect_equal(abs(z), rep(1.959964, 3), tolerance = 1e-6)
  }
})

test_that("the interval of a ratio and its p-value agree, and both are told apart from the estimate", {
  # Reports of yes; the device alone gives 1/6 of them.
  yes <- c(a = 150, b = 170, c = 200, d = 215, e = 260, f = 300)
  fit <- rr_estimate(rr_counts(rbind(no = 750 - yes, yes = yes), rr_forced(1 / 6)))
  for (level in c(0.8, 0.95, 0.99)) {
    table <- rr_compare(fit, type = "ratio", conf.level = level)
    expect_identical(table$p.value < 1 - level, table$conf.low > 1 | table$conf.high < 1)
    expect_identical(table$p.value, rr_compare(fit)$p.value)
    expect_true(all(table$conf.low <= table$estimate & table$estimate <= table$conf.high))
    # The share of the first group may be 0: its ratio to nothing has no upper bound.
    first <- (150 / 750 - 1 / 6) * 1.5 - qnorm((1 + level) / 2) * sqrt(0.2 * 0.8 / 750) * 1.5
    expect_identical(is.infinite(table$conf.high[table$group1 == "a"]), rep(first < 0, 5))
  }
  # A design with covariance: at an end of the interval the test by svycontrast() is at its level.
  skip_if_not_installed("survey")
  set.seed(3)
  people <- data.frame(cluster = rep(1:30, each = 40), area = rep(c("N", "S"), 600), w = runif(1200, 0.5, 2))
  people$report <- ifelse(runif(1200) < ifelse(people$area == "N", 0.32, 0.42), "yes", "no")
  design <- survey::svydesign(id = ~cluster, weights = ~w, data = people)
  share <- rr_estimate(design, rr_forced(1 / 6), column = "report", by = "area", method = "inv")
  ratio <- rr_compare(share, type = "ratio")
  V <- vcov(share)
  at <- grep("yes", names(coef(share)))
  for (r in c(ratio$conf.low, ratio$conf.high)) {
    t <- sum(c(-r, 1) * coef(share)[at]) / sqrt(drop(c(-r, 1) %*% V[at, at] %*% c(-r, 1)))
    expect_equal(abs(t), stats::qt(0.975, share$df), tolerance = 1e-8)
  }
})

test_that("at the boundary the interval of a ratio is of the intervals of the shares", {
  fit <- suppressWarnings(rr_estimate(rr_counts(rbind(no = c(3, 30), yes = c(97, 70)), rr_forced(1 / 6))))
  ratio <- suppressWarnings(rr_compare(fit, type = "ratio"))
  difference <- suppressWarnings(rr_compare(fit))
  expect_identical(ratio$p.value, difference$p.value)
  # The level at which the interval of the difference ends at 0 is found between two, to about 1e-4 of a share.
  at <- suppressWarnings(rr_compare(fit, type = "ratio", conf.level = 1 - ratio$p.value))
  expect_equal(at$conf.high, 1, tolerance = 1e-3)
  expect_gt(ratio$conf.low, 0)
})

test_that("separate fits of independent samples compare like groups", {
  mechanisms <- list(rr_warner(0.8), rr_forced(1 / 6))
  fits <- list(rr_estimate(rr_counts(c(no = 620, yes = 380), mechanisms[[1]])), rr_estimate(rr_counts(c(no = 700, yes = 300), mechanisms[[2]])))
  table <- rr_compare(fits)
  expect_equal(table$estimate, coef(fits[[2]])[["yes"]] - coef(fits[[1]])[["yes"]])
  expect_equal(table$std.error, sqrt(vcov(fits[[1]])[2, 2] + vcov(fits[[2]])[2, 2]))
})

test_that("fits of one group stand beside each other, and are called by their groups", {
  fit <- three()
  pair <- rr_compare(fit[c("north", "west")])
  expect_identical(rr_compare(list(fit["north"], fit["west"])), pair)
  expect_identical(pair$group1, "north")
  expect_identical(rr_compare(list(a = fit["north"], b = fit["west"]))$group2, "b")
  other <- rr_estimate(rr_counts(c(no = 660, yes = 340), rr_warner(0.8)))
  expect_identical(rr_compare(list(fit["north"], other))$group2, "fit 2")
  expect_equal(rr_compare(list(fit["north"], other))$estimate, pair$estimate)
})

test_that("at the boundary the interval is Newcombe's and a warning says so", {
  fit <- rr_estimate(rr_counts(cbind(a = c(no = 85, yes = 15), b = c(60, 40)), rr_warner(0.8)))
  expect_warning(table <- rr_compare(fit), class = "candor_warning_boundary")
  bounds <- confint(fit)
  side <- function(name) c(coef(fit)[[name]], bounds[name, ])
  a <- side("a:yes")
  b <- side("b:yes")
  expect_equal(table$conf.low, unname(b[1] - a[1] - sqrt((b[1] - b[2])^2 + (a[3] - a[1])^2)))
  expect_equal(table$conf.high, unname(b[1] - a[1] + sqrt((b[3] - b[1])^2 + (a[1] - a[2])^2)))
})

test_that("anova() of kept sets pools the sets of all groups", {
  unary <- rr_unary(3, epsilon = 2)
  set.seed(7)
  reports <- rr_perturb(rep(c(1, 2, 1, 3), 50), unary, rng = "R")
  tally <- rr_tally(reports, unary, by = rep(c("x", "y"), each = 100), keep = "sets")
  fit <- rr_estimate(tally, method = "mle")
  # P(bits) is a product: 1/2 for the truth's bit, q for the ones of others.
  bits <- as.matrix(reports) == 1
  q <- 1 / (exp(2) + 1)
  likelihood <- function(rows) function(theta) {
    each <- sapply(1:3, function(x) 0.5 * apply(bits[rows, -x, drop = FALSE], 1, function(b) prod(ifelse(b, q, 1 - q))))
    sum(log(each %*% theta))
  }
  best <- function(rows) {
    fit <- optim(c(0, 0), function(eta) -likelihood(rows)(exp(c(eta, 0)) / sum(exp(c(eta, 0)))), control = list(reltol = 1e-14, maxit = 2000))
    -fit$value
  }
  expect_equal(anova(fit)$Chisq[2], 2 * (best(1:100) + best(101:200) - best(1:200)), tolerance = 1e-4)
})

test_that("anova() is the likelihood ratio of pooled against grouped, by hand", {
  table <- anova(three())
  yes <- c(380, 300, 340)
  grouped <- sum(dbinom(yes, 1000, yes / 1000, log = TRUE))
  pooled <- sum(dbinom(yes, 1000, sum(yes) / 3000, log = TRUE))
  expect_equal(table$Chisq[2], 2 * (grouped - pooled))
  expect_equal(table$Df[2], 2)
  expect_equal(table$`Pr(>Chisq)`[2], pchisq(2 * (grouped - pooled), 2, lower.tail = FALSE))
  both <- anova(rr_estimate(rr_counts(c(no = 1980, yes = 1020), rr_warner(0.8))), three())
  expect_equal(both$Chisq, table$Chisq)
})

test_that("weighted reports have no likelihood ratio between groups", {
  # Each group has a scale of its own: here the pooled fit would have the larger likelihood of two nested ones.
  weighted <- data.frame(report = rep(c("no", "yes", "no"), 100), area = rep(c("a", "b"), each = 150), w = c(rep(1, 150), rep(c(1, 9, 1, 1, 4), 30)))
  fit <- rr_estimate(weighted, rr_warner(0.8), column = "report", by = "area", weights = "w")
  whole <- rr_estimate(weighted, rr_warner(0.8), column = "report", weights = "w")
  expect_gt(as.numeric(logLik(whole)), as.numeric(logLik(fit)))
  expect_refused(anova(fit), anova(whole, fit))
})

test_that("what cannot be compared is refused", {
  alone <- rr_estimate(rr_counts(c(no = 620, yes = 380), rr_warner(0.8)))
  expect_refused(rr_compare(alone), rr_compare(list(alone)))
  expect_error(rr_compare(list(alone, rr_estimate(rr_counts(1:3, rr_grr(3, p = 0.5))))), class = "candor_error_mismatch")
  expect_error(rr_compare(three(), terms = "maybe"), class = "candor_error_level")
  expect_refused(rr_compare(three(), adjust = "none at all"), anova(alone), anova(three(method = "inv")))
  expect_error(anova(alone, rr_estimate(rr_counts(c(no = 1, yes = 1), rr_warner(0.8)))), class = "candor_error_mismatch")
})

test_that("p-values of estimates at the boundary are those of the intervals", {
  mechanism <- rr_grr(letters[1:6], epsilon = 1)
  # The last two categories have fewer reports than noise alone gives.
  fit <- estimate_doubted(rr_counts(cbind(x = c(420, 260, 200, 160, 90, 80), y = c(330, 330, 170, 190, 100, 60)), mechanism))
  expect_true(all(colSums(as.matrix(fit$estimate) == 0) > 0))
  table <- suppressWarnings(rr_compare(fit))
  known <- which(!is.na(table$p.value))
  expect_gte(length(known), 4L)
  for (level in c(0.8, 0.95, 0.99)) {
    at <- suppressWarnings(rr_compare(fit, conf.level = level))
    expect_identical((at$p.value < 1 - level)[known], (at$conf.low > 0 | at$conf.high < 0)[known])
  }
  # At the level of 1 less the p-value an end of the interval is 0. The level lies between two that are a tenth apart in
  # standard deviations, and the reach of the interval is nearly linear there: 1e-4 of a share is allowed.
  for (row in setdiff(known, which(table$p.value > 1 - 1e-5))) {
    at <- suppressWarnings(rr_compare(fit, conf.level = 1 - table$p.value[row]))[row, ]
    expect_lt(min(abs(c(at$conf.low, at$conf.high))), 1e-4)
  }
  # Here no level is low enough: the p-value is 1.
  expect_equal(table$p.value[3], 1, tolerance = 1e-5)
  # The hypothesis of a ratio is the same; inside nothing changed: Wald's test by hand.
  expect_equal(suppressWarnings(rr_compare(fit, type = "ratio"))$p.value, table$p.value)
  inside <- rr_compare(rr_estimate(rr_counts(cbind(x = c(no = 600, yes = 400), y = c(500, 500)), rr_forced(1 / 6))))
  z <- 0.1 / sqrt(0.4 * 0.6 / 1000 + 0.25 / 1000)
  expect_equal(inside$p.value, 2 * stats::pnorm(-z), tolerance = 1e-6)
})

test_that("two groups at the same boundary do not differ: p-value 1", {
  for (counts in list(c(0, 0), c(40, 60))) {
    fit <- estimate_doubted(rr_counts(cbind(a = c(40 - counts[1], counts[1]), b = c(60 - counts[2], counts[2])), rr_warner(0.8)))
    for (type in c("difference", "ratio")) {
      compared <- suppressWarnings(rr_compare(fit, type = type))
      expect_identical(compared$p.value, 1)
      expect_true(is.na(compared$std.error))
    }
  }
})

test_that("limits of ratios are Fieller's: where the interval of y - r x holds 0", {
  x <- 0.3
  y <- 0.2
  vx <- 0.03
  vy <- 0.02
  cross <- 0.0002
  z <- 1.7
  side <- list(x = z * vx, y = z * vy)
  found <- ratio_bounds(x, y, side, side, z^2 * cross)
  edge <- function(r) abs(y - r * x) - z * sqrt(vy^2 + r^2 * vx^2 - 2 * r * cross)
  expect_equal(found$low, uniroot(edge, c(0.01, y / x), tol = 1e-12)$root, tolerance = 1e-8)
  expect_equal(found$high, uniroot(edge, c(y / x, 3), tol = 1e-12)$root, tolerance = 1e-8)
  # Reaches that are not alike on both sides: y down and x up for the lower end.
  down <- list(x = 0.05, y = 0.06)
  up <- list(x = 0.02, y = 0.09)
  found <- ratio_bounds(x, y, down, up)
  low <- uniroot(function(r) (y - r * x) - sqrt(0.06^2 + r^2 * 0.05^2), c(0.01, y / x), tol = 1e-12)$root
  high <- uniroot(function(r) (r * x - y) - sqrt(0.09^2 + r^2 * 0.02^2), c(y / x, 3), tol = 1e-12)$root
  expect_equal(c(found$low, found$high), c(low, high), tolerance = 1e-8)
  # A share that may be 0 has no lower, or no upper limit; an unknown one has none.
  expect_identical(ratio_bounds(0.3, 0.2, list(x = 0.1, y = 0.2), list(x = 0.1, y = 0.1))$low, 0)
  expect_identical(ratio_bounds(0.3, 0.2, list(x = 0.1, y = 0.1), list(x = 0.3, y = 0.1))$high, Inf)
  expect_identical(unlist(ratio_bounds(NA_real_, 0.2, side, side)), c(low = NA_real_, high = NA_real_))
  ratio <- share_ratio(list(share = x, error = vx), list(share = y, error = vy), cross)
  expect_equal(ratio$error, sqrt(vy^2 / x^2 + y^2 * vx^2 / x^4 - 2 * y * cross / x^3), tolerance = 1e-12)
  expect_identical(share_ratio(list(share = 0, error = 0.1), list(share = y, error = vy), 0)$estimate, NA_real_)
})

test_that("one pair of samples: errors with a covariance, t quantiles, tests, and zeros", {
  x <- list(share = c(0.3, 0.5), error = c(0.03, 0.04), edge = FALSE, df = Inf)
  y <- list(share = c(0.2, 0.6), error = c(0.02, 0.05), edge = FALSE, df = Inf)
  cross <- c(0.0002, 0)
  found <- compare_pair(x, y, cross, 0.9, 12, "difference")
  error <- sqrt(c(0.03^2 + 0.02^2 - 0.0004, 0.04^2 + 0.05^2))
  expect_equal(found$estimate, c(-0.1, 0.1))
  expect_equal(found$std.error, error)
  expect_equal(found$conf.low, c(-0.1, 0.1) - qt(0.95, 12) * error)
  expect_equal(found$conf.high, c(-0.1, 0.1) + qt(0.95, 12) * error)
  expect_equal(found$p.value, 2 * pt(-abs(c(-0.1, 0.1) / error), 12))
  ratio <- compare_pair(x, y, cross, 0.9, 12, "ratio")
  expect_equal(ratio$estimate, c(2 / 3, 1.2))
  expect_equal(ratio$p.value, found$p.value)
  bounds <- ratio_bounds(x$share, y$share, list(x = qt(0.95, 12) * x$error, y = qt(0.95, 12) * y$error),
    list(x = qt(0.95, 12) * x$error, y = qt(0.95, 12) * y$error), qt(0.95, 12)^2 * cross)
  expect_equal(c(ratio$conf.low, ratio$conf.high), c(bounds$low, bounds$high))
  # No error at all: equal shares do not differ, others have no test.
  sure <- function(share) list(share = share, error = 0, edge = FALSE, df = Inf)
  expect_identical(compare_pair(sure(0.2), sure(0.2), 0, 0.9, Inf, "difference")$p.value, 1)
  expect_identical(compare_pair(sure(0.2), sure(0.3), 0, 0.9, Inf, "difference")$p.value, NA_real_)
  expect_identical(compare_pair(sure(0.2), sure(0.3), 0, 0.9, Inf, "difference")$std.error, NA_real_)
  # Welch's degrees of freedom of two surveys.
  expect_equal(pair_freedom(list(error = c(3, 0), df = 10), list(error = c(4, 0), df = 20)), c(25^2 / (81 / 10 + 256 / 20), Inf))
  # At the boundary the limits of the shares reach.
  at <- pair_reaches(list(share = 0.1, error = 9, low = 0.04, high = 0.3), list(share = 0.5, error = 9, low = 0.45, high = 0.52), 2, TRUE)
  expect_equal(at, list(down = list(y = 0.05, x = 0.2), up = list(y = 0.02, x = 0.06)))
  expect_identical(pair_reaches(list(share = 0.1, error = 3), list(share = 0.5, error = 4), 2, FALSE), list(down = list(y = 8, x = 6), up = list(y = 8, x = 6)))
  expect_equal(unlist(share_difference_limits(0.4, NA, 2, TRUE, at)[3:4]), c(conf.low = 0.4 - sqrt(0.05^2 + 0.2^2), conf.high = 0.4 + sqrt(0.02^2 + 0.06^2)))
  effects <- list(effects = rbind(c(1, 2), c(0, 1)), mechanism = rr_warner(0.8))
  other <- list(effects = rbind(c(3, 1), c(2, 2)), mechanism = rr_warner(0.8))
  expect_identical(shared_variance(effects, other), c(5, 2))
  expect_identical(shared_variance(effects, replace(other, "mechanism", list(rr_warner(0.7)))), 0)
  # The level at which limits that grow with z reach each other: here z times both errors.
  wide <- function(share, error) list(share = share, intervals = function(level) {
    z <- qnorm((1 + level) / 2)
    list(low = share - z * error, high = share + z * error)
  })
  expect_equal(interval_p_value(wide(0.2, 0.03), wide(0.33, 0.04), 0.13, 1.96), 2 * pnorm(-0.13 / 0.05), tolerance = 1e-6)
  expect_equal(interval_p_value(wide(0.33, 0.03), wide(0.2, 0.04), -0.13, 1.96), 2 * pnorm(-0.13 / 0.05), tolerance = 1e-6)
  expect_identical(interval_p_value(list(), wide(0.2, 0.1), 0.1, 1.96), NA_real_)
})

test_that("two categories of one pair of groups are two rows of one panel, and of two pairs two panels", {
  skip_if_not_installed("ggplot2")
  counts <- cbind(u = c(a = 500, b = 300, c = 200), v = c(230, 300, 470), w = c(300, 300, 400))
  drawn <- function(groups) {
    fit <- rr_estimate(rr_counts(counts[, groups], rr_grr(c("a", "b", "c"), 3)))
    ggplot2::autoplot(rr_compare(fit, terms = c("a", "b")))$data
  }
  expect_setequal(as.character(drawn(c("u", "v"))$label), c("a", "b"))
  expect_length(unique(drawn(c("u", "v"))$panel), 1)
  expect_setequal(as.character(drawn(c("u", "v", "w"))$panel), c("a", "b"))
})

test_that("groups that share decks: the covariance of two is that of their reports alone, moved by the projections of both onto the shares", {
  deck <- rr_dealt(c(x = 1, y = 1, z = 1), cards = 9)
  data <- data.frame(block = rep(1:8, each = 6), group = c("a", "b", "c"), report = rep_len(c("x", "y", "x", "z", "y", "x", "y"), 48))
  data$report[data$group == "c"] <- c("x", "y")
  estimate <- function(rows, method) rr_estimate(data[rows, ], deck, column = "report", by = "group", method = method)
  unbiased <- estimate(TRUE, "inv")
  projected <- estimate(TRUE, "norm_sub")
  projection <- function(g) {
    free <- 1 * (coef(projected)[3 * g - 2:0] > 0)
    diag(free) - outer(free, free) / sum(free)
  }
  expect_identical(coef(projected)[["c:z"]], 0)
  compared <- rr_compare(unbiased, "y")
  pairs <- combn(3, 2)
  for (j in 1:3) {
    first <- 3 * pairs[1, j] - 2:0
    second <- 3 * pairs[2, j] - 2:0
    between <- vcov(estimate(data$group %in% c("a", "b", "c")[pairs[, j]], "inv"))[1:3, 4:6]
    expect_gt(max(abs(between)), 1e-3)
    expect_equal(vcov(unbiased)[first, second], between, ignore_attr = TRUE, tolerance = 1e-12)
    expect_equal(compared$std.error[j]^2, sum(diag(vcov(unbiased))[c(first[2], second[2])]) - 2 * between[2, 2], tolerance = 1e-12)
    moved <- projection(pairs[1, j]) %*% between %*% projection(pairs[2, j])
    expect_equal(vcov(projected)[first, second], moved, ignore_attr = TRUE, tolerance = 1e-12)
  }
})

test_that("nested fits stand in the order of their parameters, whose test needs some more; estimates on the boundary warn", {
  pooled <- rr_estimate(rr_counts(c(no = 1980, yes = 1020), rr_warner(0.8)))
  table <- anova(three(), pooled, three())
  # The largest log-likelihood of yes or no is that of the reported shares.
  loglik <- function(counts) sum(counts * log(counts / sum(counts)))
  groups <- loglik(c(620, 380)) + loglik(c(700, 300)) + loglik(c(660, 340))
  expect_identical(names(table), c("groups", "parameters", "logLik", "Df", "Chisq", "Pr(>Chisq)"))
  expect_identical(table$groups, c(1L, 3L, 3L))
  expect_identical(table$parameters, c(1, 3, 3))
  expect_equal(table$logLik, c(loglik(c(1980, 1020)), groups, groups))
  expect_identical(table$Df, c(NA, 2, 0))
  expect_identical(is.na(table[["Pr(>Chisq)"]]), c(TRUE, FALSE, TRUE))
  held <- estimate_doubted(rr_counts(cbind(a = c(no = 95, yes = 5), b = c(70, 40)), rr_warner(0.8)))
  expect_warning(anova(held), class = "candor_warning_boundary")
  expect_silent(anova(three()))
})

test_that("a comparison counts the people of all fits, tells equal names apart, and takes intervals of one kind and plan", {
  fit <- three()
  expect_identical(nobs(rr_compare(fit)), 3000)
  expect_identical(nobs(rr_compare(list(fit["north"], fit["south"]))), 2000)
  same <- rr_compare(list(fit["north"], fit["north"]))
  expect_identical(c(same$group1, same$group2), c("north", "north.1"))
  looking <- three(interval = "anytime", plan = 500)
  others <- list(fit["south"], update(looking, plan = 400)["south"])
  for (other in others) expect_error(rr_compare(list(looking["north"], other)), class = "candor_error_mismatch")
})

test_that("differences of direct answers at 0 or 1 have the limits that Newcombe (1998) printed, whatever the intervals of the shares", {
  # Method 10 of 0/29 and 5/56, 0/20 and 0/10, and so on.
  printed <- rbind(c(0, 29, 5, 56, -0.0381, 0.1926), c(0, 20, 0, 10, -0.1611, 0.2775), c(0, 20, 10, 10, 0.6791, 1), c(0, 10, 10, 10, 0.6075, 1))
  for (method in c("mle", "inv")) for (interval in c("wilson", "wald")) for (case in split(printed, 1:4)) {
    tally <- rr_counts(cbind(a = c(no = case[2] - case[1], yes = case[1]), b = c(case[4] - case[3], case[3])), rr_binary(1, 0))
    fit <- rr_estimate(tally, method = method, interval = interval, simultaneous = interval == "wilson")
    expect_warning(found <- rr_compare(fit), class = "candor_warning_boundary")
    expect_equal(round(c(found$conf.low, found$conf.high), 4), case[5:6])
  }
})

test_that("categories of several fits are matched by their names, and rows are named by term and groups", {
  first <- rr_estimate(rr_counts(c(a = 500, b = 300, c = 200), rr_grr(c("a", "b", "c"), 3)))
  second <- rr_estimate(rr_counts(c(c = 400, b = 350, a = 250), rr_grr(c("c", "b", "a"), 3)))
  found <- rr_compare(list(first, second))
  # Each share is (reported - q) / (1 - 3 q).
  expect_equal(found$estimate, c(-0.25, 0.05, 0.2) / (1 - 3 / (exp(3) + 2)))
  expect_identical(names(coef(rr_compare(list(u = first, v = second), c("c", "a")))), c("c:v - u", "a:v - u"))
  expect_identical(names(coef(rr_compare(three(), type = "ratio")))[2], "yes:west / north")
  # z = 3.8 of south and north, and 1.9 of the other pairs, whose p-values of 0.06 Holm doubles.
  expect_match(title_of(rr_compare(three()))[2], "1 of 3 pairs")
  expect_match(title_of(rr_compare(three(), conf.level = 0.8))[2], "3 of 3 pairs")
  expect_match(title_of(rr_compare(three())[2:3, ])[2], "0 of 2 pairs")
})

test_that("at the boundary a p-value needs limits that are known at every level: Wilson's, also for Wald's, and of the profile", {
  p <- function(interval) {
    fit <- rr_estimate(rr_counts(cbind(a = c(no = 170, yes = 30), b = c(120, 80)), rr_warner(0.8)), interval = interval)
    suppressWarnings(rr_compare(fit))$p.value
  }
  expect_identical(is.na(c(p("wilson"), p("wald"), p("profile"), p("exact"))), c(FALSE, FALSE, FALSE, TRUE))
})

test_that("estimates of one kind are compared: none of a survey beside others", {
  skip_if_not_installed("survey")
  people <- data.frame(answer = rep(c("no", "yes"), c(30, 10)), town = 1:10)
  weighted <- rr_estimate(survey::svydesign(~town, weights = ~1, data = people), rr_warner(0.8), column = "answer")
  plain <- three()["north"]
  expect_refused(rr_compare(list(plain, weighted)), rr_compare(list(weighted, plain)), rr_compare(list(plain, plain, 3)))
  # Two surveys: t of Welch's degrees of freedom, nine each.
  rare <- transform(people, answer = rep(c("no", "yes", "no"), c(20, 10, 10)))
  other <- rr_estimate(survey::svydesign(~town, weights = ~1, data = rare[c(1:38, 1, 2), ]), rr_warner(0.8), column = "answer")
  found <- rr_compare(list(weighted, other))
  v <- c(vcov(weighted)[2, 2], vcov(other)[2, 2])
  df <- sum(v)^2 / sum(v^2 / c(weighted$df, other$df))
  expect_equal(found$p.value, 2 * pt(-abs(found$estimate) / sqrt(sum(v)), df))
})

test_that("a comparison of estimates whose errors are unknown says so, of groups and of several fits", {
  fit <- three()
  unknown <- three()
  unknown$estimator$spread <- function(theta, evidence, target) list(diagonal = c(NA_real_, NA), common = c(0, 0), unknown = "a reason")
  expect_message(found <- rr_compare(unknown), class = "candor_message_no_intervals")
  expect_true(all(is.na(found$std.error)))
  expect_message(rr_compare(list(unknown["north"], unknown["south"])), class = "candor_message_no_intervals")
  expect_message(rr_compare(list(fit["north"], unknown["south"])), class = "candor_message_no_intervals")
  expect_silent(rr_compare(list(fit["north"], fit["south"])))
})

test_that("a sample of joint estimates is that of its group and labels, with intervals of each alone", {
  cells <- c(60, 160, 180, 600, 90, 120, 200, 390)
  data <- data.frame(y = rep(rep(c(0, 1), 4), cells), a = rep(rep(c(0, 0, 1, 1), 2), cells), g = rep(c("x", "z"), c(1000, 800)))
  estimate <- function(data, ...) {
    rr_estimate(data, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.15)), ...)
  }
  fit <- estimate(data, by = "g", simultaneous = TRUE)
  labels <- c("attentive", "yes")
  for (g in 1:2) {
    alone <- estimate(data[data$g == c("x", "z")[g], ], conf.level = 0.9)
    found <- joint_sample(fit, labels, g, 0.9)
    expect_equal(found$share, unname(coef(alone)[labels]))
    expect_equal(found$error, unname(sqrt(diag(vcov(alone))[labels])))
    expect_equal(found$intervals(0.9), list(low = confint(alone)[labels, 1], high = confint(alone)[labels, 2]), ignore_attr = TRUE)
    expect_equal(found[c("low", "high")], found$intervals(0.9))
    expect_identical(found$index, as.numeric(3 * g - c(0, 1)))
  }
  # One group is the first, unless another one is named.
  expect_identical(joint_sample(fit, labels, conf.level = 0.9)$share, joint_sample(fit, labels, 1L, 0.9)$share)
  # Estimates of different kinds are not compared.
  cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
  mean <- rr_estimate(rr_tally(rep(c(10, 20, 45), 40), cards))
  expect_refused(rr_compare(list(fit["x"], mean)), rr_compare(list(mean, fit["x"])))
})

test_that("a ratio has a lower limit above 0 if the second share cannot be 0, and a finite upper one if the first cannot", {
  low <- function(reach) ratio_bounds(0.3, 0.2, list(x = 0.1, y = reach), list(x = 0.1, y = 0.1))$low
  expect_identical(c(low(0.2), low(0.21), low(0.25)), c(0, 0, 0))
  expect_gt(low(0.19), 0)
  # y - r x less its reach is 0 there.
  expect_equal(0.2 - 0.3 * low(0.19), sqrt(0.19^2 + low(0.19)^2 * 0.1^2))
  high <- function(reach) ratio_bounds(0.3, 0.2, list(x = 0.1, y = 0.1), list(x = reach, y = 0.1))$high
  expect_identical(c(high(0.3), high(0.31), high(0.35)), c(Inf, Inf, Inf))
  expect_equal(0.3 * high(0.25) - 0.2, sqrt(0.1^2 + high(0.25)^2 * 0.25^2))
})

test_that("a picture has a row for each pair and a panel for each category, or a row for each category of a single pair", {
  counts <- cbind(u = c(a = 500, b = 300, c = 200), v = c(230, 300, 470), w = c(300, 300, 400))
  fit <- rr_estimate(rr_counts(counts, rr_grr(c("a", "b", "c"), 3)))
  drawn <- function(groups, terms, type = "difference") {
    table <- rr_compare(fit[groups], terms = terms, type = type)
    drawn_of(table, as.data.frame(table), labels_of(table))
  }
  pairs <- drawn(1:3, c("a", "b"))
  expect_identical(as.character(pairs$data$label), rep(c("v - u", "w - u", "w - v"), each = 2))
  expect_identical(pairs$data$panel, factor(rep(c("a", "b"), 3)))
  expect_null(pairs$subtitle)
  single <- drawn(1:2, c("a", "b"))
  expect_identical(as.character(single$data$label), c("a", "b"))
  expect_identical(c(nlevels(single$data$panel), single$subtitle), c("1", "v - u"))
  expect_null(single$rows)
  one <- drawn(1:2, "b", "ratio")
  expect_identical(as.character(one$data$label), "v / u")
  expect_identical(as.character(one$data$panel), "b")
  expect_null(one$subtitle)
  expect_identical(c(unique(one$data$kind), unique(single$data$kind)), c("ratio", "difference"))
})

test_that("one share on the boundary is enough for a warning, and one fit with weights for a refusal", {
  fit <- estimate_doubted(rr_counts(cbind(u = c(a = 40, b = 300, c = 260), v = c(230, 200, 170)), rr_grr(c("a", "b", "c"), 1)))
  expect_identical(sum(fit$estimate <= 0), 1L)
  expect_warning(anova(fit), class = "candor_warning_boundary")
  answers <- rep(c("no", "yes"), c(60, 40))
  plain <- rr_estimate(rr_tally(answers, rr_warner(0.8)))
  weighted <- rr_estimate(rr_tally(answers, rr_warner(0.8), weights = rep(c(1, 1.5), 50)))
  expect_refused(anova(plain, weighted), anova(weighted, plain))
})

test_that("a p-value at the boundary is of the limits between the shares: the lower of the larger, the upper of the smaller", {
  # Limits below reach twice as far as those above.
  skew <- function(share, error) list(share = share, intervals = function(level) {
    z <- qnorm((1 + level) / 2)
    list(low = share - 2 * z * error, high = share + z * error)
  })
  p <- function(x, y) interval_p_value(x, y, y$share - x$share, 1.96)
  low <- skew(0.2, 0.03)
  high <- skew(0.33, 0.04)
  expected <- 2 * pnorm(-0.13 / sqrt(0.03^2 + (2 * 0.04)^2))
  expect_equal(c(p(low, high), p(high, low)), c(expected, expected), tolerance = 1e-6)
  # Farther than eight standard deviations there is no smaller level.
  expect_equal(p(skew(0.1, 1e-4), skew(0.9, 1e-4)), 2 * pnorm(-8))
  both <- list(share = c(0.2, 0.33), intervals = function(level) Map(c, low$intervals(level), high$intervals(level)))
  other <- list(share = c(0.33, 0.2), intervals = function(level) Map(c, high$intervals(level), low$intervals(level)))
  expect_equal(p(both, other), c(expected, expected), tolerance = 1e-6)
})
