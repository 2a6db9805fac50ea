# Counts are made by hand here, also those that no truth makes likely.
rr_estimate <- estimate_odd

# All estimates are above 0: the boundary has its own tests below.
mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
fit <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), mechanism))

test_that("sums, differences and scores follow from the covariance matrix", {
  contrast <- rr_contrast(fit, list(ever = c("men:once", "men:often"), difference = c("men:never" = 1, "women:never" = -1)))
  expect_identical(contrast$term, c("ever", "difference"))
  V <- vcov(fit)
  expect_equal(contrast$estimate[1], unname(1 - coef(fit)["men:never"]))
  # Merging all but one category: the variance is that of the one left out.
  expect_equal(contrast$std.error[1], sqrt(V["men:never", "men:never"]))
  # Groups are independent.
  expect_equal(contrast$std.error[2], sqrt(V["men:never", "men:never"] + V["women:never", "women:never"]))
  expect_equal(contrast$statistic, contrast$estimate / contrast$std.error)
  expect_equal(contrast$conf.high - contrast$conf.low, 2 * stats::qnorm(0.975) * contrast$std.error)
  L <- rbind(c(1, 1, 1, 0, 0, 0), c(0, 1, 2, 0, -1, -2))
  by_matrix <- rr_contrast(fit, L)
  expect_equal(by_matrix$estimate, drop(L %*% coef(fit)))
  expect_equal(by_matrix$std.error, c(0, sqrt(drop(L[2, ] %*% V %*% L[2, ]))), tolerance = 1e-7)
})

test_that("a contrast of a few among very many categories needs no large matrix", {
  large <- rr_estimate(rr_counts(rep(c(30, 2), 5e4), rr_grr(1e5, epsilon = 3)), method = "inv")
  expect_equal(rr_contrast(large, c("1", "2"))$estimate, unname(sum(coef(large)[1:2])))
})

test_that("a contrast of a bootstrapped fit uses its replications", {
  set.seed(1)
  boot <- rr_estimate(rr_counts(c(50, 30, 20), mechanism), interval = "bootstrap", replications = 40)
  expect_equal(rr_contrast(boot, c("once", "often"))$std.error, stats::sd(colSums(boot$replicates[[1]][2:3, ])))
})

test_that("what is no contrast is refused", {
  names <- c("men:once", "men:once")
  for (odd in list(names, c("men:once" = 1, "men:once" = -1), matrix(1, 1, 2, dimnames = list(NULL, names)), "men:seldom")) {
    expect_error(rr_contrast(fit, odd), class = "candor_error_level")
  }
  for (empty in list(character(), list(), list(a = character()), matrix(0, 0, 6), matrix(0, 1, 6), NULL, NA, c(1, -1),
                     c("men:once" = 0), list("men:once", numeric(6)))) expect_error(rr_contrast(fit, empty), class = "candor_error_argument")
  expect_error(rr_contrast(1, 1), class = "candor_error_argument")
})

boundary <- function(object) suppressWarnings(object, classes = "candor_warning_boundary")

test_that("an estimate held at the boundary has no standard error of 0 and no test", {
  one <- rr_estimate(rr_counts(c(10, 90), rr_warner(0.8)))
  expect_warning(rr_contrast(one, "yes"), 'That of "yes" is not known', class = "candor_warning_boundary")
  yes <- boundary(rr_contrast(one, list("yes", "no", c(yes = 1, no = -1))))
  expect_identical(yes$estimate, c(1, 0, 1))
  for (column in c("std.error", "statistic", "p.value")) expect_identical(yes[[column]], rep(NA_real_, 3))
  # Wilson's interval of 80 of 100, the nearest that a truth gives to 90, by its own quadratic: |0.8 - m| = z sqrt(m (1 - m) / n).
  z2 <- stats::qnorm(0.975)^2
  m <- min(Re(polyroot(c(0.8^2, -(2 * 0.8 + z2 / 100), 1 + z2 / 100))))
  expect_equal(yes$conf.low, c((m - 0.2) / 0.6, 0, 2 * (m - 0.2) / 0.6 - 1), tolerance = 1e-10)
  expect_equal(yes$conf.high, c(1, 1 - (m - 0.2) / 0.6, 1), tolerance = 1e-10)
  # Where the reports are possible the interval of one category is the fit's own.
  three <- rr_estimate(rr_counts(c(18, 40, 42), rr_grr(c("a", "b", "c"), p = 0.6)), interval = "exact", method = "invp")
  ours <- boundary(rr_contrast(three, list("b", "c", c("a", "c")), conf.level = 0.9))
  own <- unname(confint(three, level = 0.9))
  expect_equal(cbind(ours$conf.low, ours$conf.high), rbind(own[2:3, ], 1 - own[2, 2:1]), tolerance = 1e-12)
})

test_that("what is the same whatever the data is certain, and is not tested", {
  for (counts in list(c(20, 180), c(100, 100))) {
    sum <- expect_silent(rr_contrast(rr_estimate(rr_counts(counts, rr_warner(0.8))), c("no", "yes")))
    expect_identical(unlist(sum[-1]), c(estimate = 1, std.error = 0, statistic = NA, p.value = NA, conf.low = 1, conf.high = 1))
  }
  # Of these very respondents, asked directly, everything is known.
  direct <- rr_estimate(rr_counts(c(0, 10, 20), rr_grr(3, p = 1)), target = "sample")
  expect_identical(expect_silent(rr_contrast(direct, c("1", "2")))$std.error, 0)
  expect_warning(rr_contrast(rr_estimate(rr_counts(c(0, 10, 20), rr_grr(3, p = 1))), "1"), class = "candor_warning_boundary")
})

test_that("a merged category has the interval of the question that asks for it", {
  # Merging the last two of three categories of a forced response gives a forced response of two.
  counts <- c(15, 60, 45)
  for (interval in c("wilson", "exact")) for (target in c("population", "sample")) {
    whole <- rr_estimate(rr_counts(counts, rr_forced(c(a = 0.15, b = 0.1, c = 0.2))), target = target, interval = interval)
    merged <- rr_estimate(rr_counts(c(counts[1], sum(counts[2:3])), rr_forced(c(0.15, 0.3))), target = target, interval = interval)
    expect_identical(unname(coef(whole)[1]), 0)
    ours <- boundary(rr_contrast(whole, c("b", "c")))
    other <- boundary(rr_contrast(merged, "yes"))
    expect_equal(c(ours$conf.low, ours$conf.high), c(other$conf.low, other$conf.high), tolerance = 1e-12)
  }
})

test_that("in channels without closed form one category has its interval, and several the score interval of their sum", {
  channel <- rr_estimate(rr_counts(c(5, 90, 5, 3), rr_geometric(c("a", "b", "c", "d"), 1)))
  # The boundary of this fit: b alone.
  expect_equal(unname(coef(channel)), c(0, 1, 0, 0))
  ours <- boundary(rr_contrast(channel, list("b", c("a", "c", "d"), c("a", "b"))))
  expect_identical(ours$std.error, rep(NA_real_, 3))
  own <- confint(channel, "b")
  expect_equal(c(ours$conf.low[1:2], ours$conf.high[1:2]), c(own[1], 0, 1, 1 - own[1]), tolerance = 1e-12)
  # It is close to the profile's, which lets the other categories follow.
  expect_equal(own[1], confint(channel, "b", interval = "profile")[1], tolerance = 0.01)
  profile <- boundary(rr_contrast(rr_estimate(channel$tally, interval = "profile"), c("a", "b")))
  expect_equal(c(ours$conf.low[3], ours$conf.high[3]), c(profile$conf.low, profile$conf.high), tolerance = 0.01)
  expect_lt(ours$conf.low[3], 0.99)
  # Not of several questions together.
  product <- rr_estimate(rr_counts(c(60, 15, 15, 0), rr_product(a = rr_warner(0.8), b = rr_warner(0.8))))
  sums <- boundary(rr_contrast(product, names(coef(product))[c(1, 4)]))
  expect_identical(sums$conf.low, NA_real_)
})

# Every possible count, with its probability: coverage without simulation.
enumerated <- function(mechanism, n, theta, bounds) {
  x <- 0:n
  stats::dbinom(x, n, mechanism$q + mechanism$p_minus_q * theta)[bounds$conf.low - 1e-12 <= theta & theta <= bounds$conf.high + 1e-12]
}

test_that("intervals of a share cover at and near the boundary as often as stated", {
  skip_on_cran()
  mechanism <- rr_warner(0.8)
  for (interval in c("wilson", "exact", "wald")) for (n in c(30, 200)) {
    x <- 0:n
    fit <- rr_estimate(rr_counts(rbind(no = n - x, yes = x), mechanism), interval = interval)
    bounds <- boundary(rr_contrast(fit, as.list(paste0(x + 1, ":yes"))))
    for (theta in c(0, 0.01, 0.05, 0.2, 0.5, 0.95, 1)) {
      # Wald's intervals of interior fits are in it: 0.944 at n = 200 and a half. At the boundary it is above 0.98.
      expect_gte(sum(enumerated(mechanism, n, theta, bounds)), if (theta %in% 0:1) 0.98 else 0.94)
    }
  }
})

test_that("intervals of a difference between groups cover at and near the boundary", {
  skip_on_cran()
  # Enumerated without random numbers; the limits hold for both sizes.
  n <- extended(c(20, 40), c(30, 60))
  mechanism <- rr_warner(0.7)
  x <- 0:n[1]
  y <- 0:n[2]
  counts <- cbind(rbind(no = n[1] - x, yes = x), rbind(no = n[2] - y, yes = y))
  colnames(counts) <- c(paste0("a", x), paste0("b", y))
  fit <- rr_estimate(rr_counts(counts, mechanism))
  cells <- expand.grid(x = x, y = y)
  L <- Map(function(i, j) stats::setNames(c(1, -1), paste0(c("a", "b"), c(i, j), ":yes")), cells$x, cells$y)
  bounds <- boundary(rr_contrast(fit, L))
  for (theta in list(c(0, 0), c(0, 0.1), c(0.05, 0.3), c(0.9, 1), c(0.5, 0.5), c(0, 1), c(1, 0.4))) {
    m <- mechanism$q + mechanism$p_minus_q * theta
    weight <- stats::dbinom(cells$x, n[1], m[1]) * stats::dbinom(cells$y, n[2], m[2])
    d <- theta[1] - theta[2]
    # Of 30 and 60 it is 0.934 at (0, 1), where both estimates must reach their ends; with Wald's intervals of interior fits 0.947 at a half.
    expect_gte(sum(weight[bounds$conf.low - 1e-12 <= d & d <= bounds$conf.high + 1e-12]), if (identical(theta, c(0, 1))) 0.93 else 0.94)
  }
  expect_true(all(bounds$conf.low < bounds$conf.high))
})

test_that("functions of more cells than a covariance matrix may have come from one linear system each", {
  # Against the matrix, where there is one; both targets, questions of several kinds.
  set.seed(3)
  survey <- rr_product(a = rr_warner(0.8), b = rr_grr(3, p = 0.6), c = rr_forced(c(0.1, 0.05, 0.15)), d = rr_triangular(0.6))
  reported <- drop(prop.table(rexp(36)^3) %*% rr_matrix(survey))
  tally <- rr_counts(as.vector(rmultinom(1, 5000, reported)), survey)
  weights <- rbind(rnorm(36), as.numeric(1:36 %% 2), c(1, -1, rep(0, 34)))
  fit <- rr_estimate(tally)
  functions <- function(fit) {
    evidence <- group_evidence(fit$tally, 1)
    information_functions(evidence$law, evidence, fit_map(fit, 1, evidence)$information, weights, fit$target)
  }
  expect_equal(functions(fit), unname(weights %*% vcov(fit) %*% t(weights)), tolerance = 1e-7)
  # Fixed truths, by the same matrix: what sampling the truths as estimated would add is taken away.
  fixed <- rr_estimate(tally, target = "sample")
  theta <- coef(fit)
  on <- theta > 0
  m <- drop(theta %*% rr_matrix(survey))
  inverse <- vcov(fit)[on, on] * fit$tally$n
  map <- inverse %*% rr_matrix(survey)[on, ] %*% (t(rr_matrix(survey)[on, ]) / m)
  left <- (inverse - map %*% (theta[on] * t(map))) / fit$tally$n
  expect_equal(functions(fixed), unname(weights[, on] %*% left %*% t(weights[, on])), tolerance = 1e-7)

  # Twelve questions: a margin's standard error is about that of the question asked alone.
  questions <- lapply(stats::setNames(seq(0.65, 0.95, length.out = 12), paste0("q", 1:12)), rr_warner)
  joint <- rr_product(questions)
  large <- rr_estimate(rr_counts(as.vector(rmultinom(1, 1e6, reported_shares(joint, prop.table(rexp(4096))))), joint))
  expect_gt(sum(coef(large) > 0), 1000)
  expect_true(all(is.na(tidy(large)$std.error)))
  yes <- as.numeric(slice.index(array(0, rep(2, 12)), 12) == 2)
  margin <- suppressWarnings(rr_contrast(large, matrix(yes, 1, dimnames = list("q12", names(coef(large))))))
  lambda <- 0.05 + 0.9 * margin$estimate
  expect_equal(margin$std.error, sqrt(lambda * (1 - lambda) / 1e6) / 0.9, tolerance = 0.01)
})

test_that("risk differences and ratios of conditional shares are the textbook's where nothing is randomized", {
  direct <- rr_binary(1, 0)
  # Drugs no and yes in turn, for theft no and then yes.
  n <- c(180, 90, 40, 70)
  fit <- rr_estimate(rr_counts(n, rr_product(drugs = direct, theft = direct)), method = "inv")
  given <- rr_margin(fit, "theft", given = "drugs")
  table <- rr_contrast(given, list(difference = c("yes:yes" = 1, "yes:no" = -1), ratio = list("yes:yes", "yes:no")))
  risk <- c(70 / 160, 40 / 220)
  # The unbiased covariance divides by n - 1.
  wider <- 380 / 379
  expect_equal(table$estimate, c(risk[1] - risk[2], risk[1] / risk[2]))
  expect_equal(table$std.error[1], sqrt(wider * sum(risk * (1 - risk) / c(160, 220))))
  # Katz et al. (1978): the variance of the logarithm of the ratio.
  log_error <- sqrt(wider * sum((1 - risk) / (risk * c(160, 220))))
  expect_equal(table$std.error[2] / table$estimate[2], log_error)
  expect_equal(c(table$conf.low[2], table$conf.high[2]), table$estimate[2] * exp(c(-1, 1) * stats::qnorm(0.975) * log_error))
  expect_equal(table$statistic[2], log(table$estimate[2]) / log_error)
  # The same conditional share as a ratio of the joint fit.
  joint <- rr_contrast(fit, list(given = list("yes, yes", c("yes, no", "yes, yes"))))
  expect_equal(joint$estimate, risk[1])
  expect_equal(joint$std.error, tidy(given)$std.error[tidy(given)$drugs == "yes" & tidy(given)$theft == "yes"])
})

test_that("contrasts of randomized margins are the delta method by hand", {
  survey <- rr_product(drugs = rr_warner(0.8), theft = rr_forced(1 / 6))
  fit <- rr_estimate(rr_counts(c(180, 90, 80, 110), survey), method = "inv")
  given <- rr_margin(fit, "theft", given = "drugs")
  table <- rr_contrast(given, list(d = c("yes:yes" = 1, "yes:no" = -1), r = list("yes:yes", "yes:no"), all = c("no:no", "yes:no")))
  # Cells no:no, yes:no, no:yes, yes:yes of drugs and theft.
  t <- unname(coef(fit))
  f <- function(t) c(t[4] / (t[2] + t[4]) - t[3] / (t[1] + t[3]), t[4] / (t[2] + t[4]) / (t[3] / (t[1] + t[3])))
  slope <- vapply(1:4, function(i) (f(t + 1e-6 * (1:4 == i)) - f(t - 1e-6 * (1:4 == i))) / 2e-6, numeric(2))
  expect_equal(table$estimate[1:2], f(t))
  expect_equal(table$std.error[1:2], sqrt(diag(slope %*% vcov(fit) %*% t(slope))), tolerance = 1e-6)
  expect_equal(unname(vcov(table)[1, 2]), drop(slope[1, ] %*% vcov(fit) %*% slope[2, ]), tolerance = 1e-6)
  # Conditional shares add up to 1 whatever the data.
  expect_identical(c(table$std.error[3], table$p.value[3]), c(0, NA))
  expect_identical(nobs(table), 460)
})

test_that("ratios without a positive part are not known, and odd ones refused", {
  fit <- rr_estimate(rr_counts(c(300, 80, 20), rr_grr(c("a", "b", "c"), p = 0.8)), method = "inv")
  expect_lt(coef(fit)[["c"]], 0)
  expect_identical(is.na(rr_contrast(fit, list(x = list("a", "c"), y = list("a", "b")))$std.error), c(TRUE, FALSE))
  expect_error(rr_contrast(fit, list(x = list("a"))), class = "candor_error_argument")
  expect_error(rr_contrast(fit, list(x = list("a", "z"))), class = "candor_error_level")
})

test_that("a function that all maxima share has its standard error, others have none", {
  fit <- rr_estimate(list(rr_counts(c(no = 60, yes = 40), rr_unrelated(0.7, NULL)), rr_counts(c(no = 55, yes = 45), rr_unrelated(0.3, NULL))))
  classes <- fit$mechanism$parameters[[1]][[1]]
  table <- rr_contrast(fit, list(share = names(coef(fit))[classes], one = names(coef(fit))[classes[1]]))
  # Two equations in two unknowns: .7 s + .3 u = .40 and .3 s + .7 u = .45.
  inverse <- solve(rbind(c(0.7, 0.3), c(0.3, 0.7)))
  expect_equal(table$estimate[1], drop(inverse %*% c(0.4, 0.45))[1], tolerance = 1e-6)
  expect_equal(table$std.error[1], sqrt((inverse^2 %*% c(0.4 * 0.6, 0.45 * 0.55) / 100)[1]), tolerance = 1e-6)
  expect_identical(is.na(c(table$std.error[2], table$conf.low[2])), c(TRUE, TRUE))
})

test_that("weights do not change which functions are identified", {
  channel <- rr_channel(rbind(c(0.8, 0.2), c(0.2, 0.8), c(0.8, 0.2)), levels = c("a", "b", "c"), reports = c("x", "y"))
  plain <- rr_contrast(rr_estimate(rr_counts(c(70, 30), channel)), list(ac = c("a", "c"), a = "a"))
  counted <- rr_contrast(rr_estimate(rr_counts(c(700, 300), channel, effective_n = 100)), list(ac = c("a", "c"), a = "a"))
  # Of 100 reports .7 are x: (.7 - .2) / .6, with the binomial variance over .36.
  expect_equal(plain$estimate[1], 5 / 6, tolerance = 1e-6)
  expect_equal(plain$std.error, c(sqrt(0.21 / 100 / 0.36), NA), tolerance = 1e-6)
  expect_equal(counted$std.error, plain$std.error, tolerance = 1e-6)
})

test_that("dplyr takes contrasts for the tables that they are", {
  skip_if_not_installed("dplyr")
  fit <- rr_estimate(rr_counts(c(no = 30, maybe = 20, yes = 50), rr_grr(c("no", "maybe", "yes"), epsilon = 2)))
  both <- rr_contrast(fit, list(a = c(0, 1, 1), b = c(1, 0, -1)))
  a <- rr_contrast(fit, list(a = c(0, 1, 1)))
  only <- dplyr::filter(both, term == "a")
  expect_equal(tidy(only, conf.int = TRUE), tidy(a, conf.int = TRUE))
  expect_equal(vcov(only), vcov(a))
  expect_equal(vcov(dplyr::arrange(both, dplyr::desc(term))), vcov(both)[2:1, 2:1])
  bound <- dplyr::bind_rows(first = a, second = both, .id = "fit")
  expect_identical(bound$estimate, c(a$estimate, both$estimate))
  # Of rows of two contrasts nobody knows the covariance.
  expect_identical(is.na(vcov(bound)), diag(3) == 0, ignore_attr = TRUE)
  expect_equal(sqrt(diag(vcov(bound))), bound$std.error, ignore_attr = TRUE)
})

test_that("a variance of 0 of reports that are all alike is unknown, for each law, method and target", {
  zero <- list(
    direct = list(rr_counts(c(50, 0), rr_binary(1, 0)), 2),
    forced = list(rr_counts(c(50, 0), rr_binary(0.8, 0)), 2),
    channel = list(rr_counts(c(30, 20, 0), rr_channel(rbind(c(0.8, 0.2, 0), c(0.1, 0.9, 0), c(0.1, 0.1, 0.8)))), 3),
    product = list(rr_counts(c(50, 0, 0, 0), rr_product(a = rr_binary(1, 0), b = rr_warner(0.8))), 2),
    unary = list(rr_counts(c(30, 20, 0), rr_unary(3, p = 0.5, q = 0), n = 50), 3),
    hadamard = list(rr_counts(rep(c(5, 0), c(4, 4)), rr_hadamard(6, epsilon = 6, blocks = 2)), 2)
  )
  for (law in names(zero)) for (target in c("population", "sample")) {
    fit <- suppressWarnings(rr_estimate(zero[[law]][[1]], method = "inv", target = target))
    cell <- fit$mechanism$levels[zero[[law]][[2]]]
    error <- tidy(fit, terms = cell)$std.error
    # Fixed truths that the reports show have no variance.
    if (law == "direct" && target == "sample") {
      expect_identical(error, 0)
      next
    }
    expect_identical(error, NA_real_)
    contrast <- boundary(rr_contrast(fit, cell))
    expect_identical(contrast$std.error, NA_real_)
    expect_equal(c(contrast$conf.low, contrast$conf.high), unname(confint(fit, cell)[1, ]), tolerance = 1e-9)
    expect_gt(contrast$conf.high, contrast$conf.low)
  }
  # All answers of two direct questions are known, their sum whatever is said.
  shown <- rr_estimate(rr_counts(c(50, 0, 0, 0), rr_product(a = rr_binary(1, 0), b = rr_binary(1, 0))), method = "inv", target = "sample")
  expect_identical(tidy(shown)$std.error, numeric(4))
})

test_that("a contrast at the boundary is scaled, turned and added to what is certain, and two groups combine as Newcombe's", {
  fit <- rr_estimate(rr_counts(cbind(men = c(10, 90), women = c(60, 40)), rr_warner(0.8)))
  # Men: 90 of 100 say yes, the nearest that a truth gives is 80; Wilson's limits by prop.test().
  men <- (prop.test(80, 100, correct = FALSE)$conf.int[1] - 0.2) / 0.6
  women <- (prop.test(40, 100, correct = FALSE)$conf.int[1:2] - 0.2) / 0.6
  weights <- rbind(c(0, 0.5, 0, 0), c(0, -0.5, 0, 0), c(0, 0.5, 1, 1), c(1, 1, 0, -2), c(0, 0.5, 0, -0.5))
  ours <- boundary(rr_contrast(fit, weights))
  below <- sqrt(((1 - men) / 2)^2 + ((women[2] - 1 / 3) / 2)^2)
  expect_equal(ours$estimate, c(0.5, -0.5, 1.5, 1 / 3, 1 / 3), tolerance = 1e-8)
  expect_equal(ours$conf.low[-4], c(men / 2, -0.5, 1 + men / 2, 1 / 3 - below), tolerance = 1e-7)
  expect_equal(ours$conf.high[-4], c(0.5, -men / 2, 1.5, 1 / 3 + (1 / 3 - women[1]) / 2), tolerance = 1e-7)
  # All men are certain, so that women alone have an error: that of a share within.
  error <- 2 * sqrt(0.4 * 0.6 / 100) / 0.6
  expect_equal(ours$std.error, c(NA, NA, NA, error, NA), tolerance = 1e-7)
})

test_that("functions of a covariance matrix, with what is unknown, and their quotients", {
  V <- matrix(c(4, 1, NA, 1, 9, NA, NA, NA, NA), 3)
  map <- rbind(c(1, -1, 0), c(0, 2, 0), c(0, 1, 1))
  found <- linear_covariance(V, map)
  expect_equal(found[1:2, 1:2], rbind(c(11, -16), c(-16, 36)))
  expect_true(all(is.na(found[3, ])) && all(is.na(found[, 3])))
  fit <- list(covariance = matrix(c(4, -4, -4, 4 + 1e-13), 2), boundary = 1)
  sums <- matrix_variances(fit, rbind(c(1, 1), c(1, 0)))
  expect_identical(sums$variance[, 1], c(v = 0, v = 4), ignore_attr = TRUE)
  expect_identical(sums$edge, c(FALSE, TRUE))
  expect_identical(matrix_variances(replace(fit, "boundary", 0), rbind(c(1, 0)))$edge, FALSE)
  # The second estimate alone has a variance.
  one <- matrix_variances(list(covariance = diag(c(NA, 4))), rbind(c(0, 0.5), c(0, 1), c(1, 1)))
  expect_identical(as.vector(one$variance), c(1, 4, NA))
  # y / x: the gradient is (-y / x^2, 1 / x); limits and test on the logarithmic scale.
  p <- function(ratio, reports) 2 * pnorm(-abs(ratio))
  C <- matrix(c(0.04, 0.01, 0.01, 0.09), 2)
  result <- list(value = c(2, 4), covariance = C, edge = c(FALSE, TRUE), z = 1.5, p = p, table = tibble::tibble(estimate = c(2, 4), std.error = 0,
    statistic = 0, p.value = 0, conf.low = 0, conf.high = 0))
  quotient <- contrast_ratios(list(divisor = c(2, 0), is_shown = c(TRUE, FALSE)), result)
  g <- c(1 / 4, -2 / 16)
  error <- sqrt(drop(g %*% C %*% g))
  row <- quotient$table
  expect_equal(unlist(row, use.names = FALSE), c(0.5, error, log(0.5) / (error / 0.5), p(log(0.5) * 0.5 / error), 0.5 * exp(-1.5 * error / 0.5),
    0.5 * exp(1.5 * error / 0.5)))
  expect_identical(quotient$edge, TRUE)
  expect_equal(quotient$covariance, matrix(error^2), ignore_attr = TRUE)
  # While looking each function has a quantile and a number of reports: the larger ones hold for both.
  looking <- replace(result, c("z", "reports", "p"), list(c(1.5, 2), c(300, 200), function(ratio, reports) reports))
  row <- contrast_ratios(list(divisor = c(2, 0), is_shown = c(TRUE, FALSE)), looking)$table
  expect_equal(c(row$conf.low, row$conf.high, row$p.value), c(0.5 * exp(c(-2, 2) * error / 0.5), 300))
  none <- contrast_ratios(list(divisor = c(2, 0), is_shown = c(TRUE, FALSE)), replace(result, "value", list(c(-2, 4))))
  expect_true(is.na(none$table$std.error))
  # Nothing above or below has no error; without an error there is no test; a function that is divided by nothing is at the edge by itself.
  read <- list(divisor = c(2, 0), is_shown = c(TRUE, TRUE))
  quotients <- function(...) contrast_ratios(read, utils::modifyList(result[names(result) != "table"], list(..., table = result$table[c(1, 1), ])))
  expect_identical(is.na(quotients(value = c(0, 4))$table$std.error), c(TRUE, FALSE))
  nothing <- quotients(value = c(2, 0))$table
  expect_identical(c(nothing$estimate[1], nothing$std.error[1]), c(NA_real_, NA_real_))
  expect_identical(quotients(covariance = matrix(0, 2, 2))$table$statistic[1], NA_real_)
  edges <- function(...) quotients(edge = c(...))$edge
  expect_identical(c(edges(FALSE, FALSE), edges(TRUE, FALSE), edges(FALSE, TRUE)), c(FALSE, FALSE, TRUE, FALSE, TRUE, TRUE))
  expect_refused(contrast_ratios(list(divisor = c(2, 0), is_shown = c(TRUE, FALSE)), result[names(result) != "covariance"]))
  expect_equal(t_quantile(0.9, 7), qt(0.95, 7))
  expect_equal(t_quantile(0.9, NULL), qnorm(0.95))
})

test_that("what groups share by one study of the channel: the error of a sum less the errors of its parts, by differences of the inverse", {
  study <- rbind(c(80, 15, 5), c(10, 70, 20), c(5, 25, 120))
  measured <- rr_misclassification(table = study)
  counts <- cbind(men = c(420, 330, 250), women = c(300, 260, 440))
  fit <- rr_estimate(rr_counts(counts, measured), method = "inv")
  # The estimates of both groups, from the shares of the study's rows.
  estimates <- function(C) as.vector(solve(t(matrix(C, 3)), sweep(counts, 2, colSums(counts), `/`)))
  C <- prop.table(study, 1)
  slope <- difference_gradient(estimates, as.vector(C))
  # The study's rows are multinomial.
  V <- matrix(0, 9, 9)
  for (x in 1:3) V[x + 3 * 0:2, x + 3 * 0:2] <- (diag(C[x, ]) - tcrossprod(C[x, ])) / sum(study[x, ])
  W <- rbind(c(0, 1, 0, 0, -1, 0), c(0, 1, 2, 0, 0, 0), c(1, 0, 0, 0, 0, 1))
  total <- W %*% slope %*% V %*% t(slope) %*% t(W)
  parts <- Reduce(`+`, lapply(list(1:3, 4:6), function(g) {
    W[, g] %*% slope[g, ] %*% V %*% t(slope[g, ]) %*% t(W[, g])
  }))
  shared <- shared_variances(fit, W)
  expect_length(shared, 1)
  expect_equal(unname(shared[[1]]), unname(total - parts), tolerance = 1e-6)
})

test_that("functions of estimates with a covariance have t intervals and tests; what needs an unknown estimate is unknown", {
  fit <- list(covariance = diag(c(0.04, 0.09, NA)), df = 7, is_held = c(FALSE, FALSE, FALSE))
  found <- contrast_values(fit, rbind(c(1, -1, 0), c(0, 1, 1), c(0, 0, 0)), c(0.5, 0.2, NA), 0.9)
  error <- sqrt(0.04 + 0.09)
  half <- qt(0.95, 7) * error
  expect_equal(found$table$estimate, c(0.3, NA, 0))
  expect_equal(found$table$std.error, c(error, NA, 0))
  expect_equal(found$table$statistic, c(0.3 / error, NA, NA))
  expect_equal(found$table$p.value, c(2 * pt(-0.3 / error, 7), NA, NA))
  expect_equal(cbind(found$table$conf.low, found$table$conf.high), rbind(0.3 + c(-1, 1) * half, NA, 0))
  expect_identical(found$edge, c(FALSE, FALSE, FALSE))
  # Without degrees of freedom the normal distribution's; a function of what is held at 0 or 1 is at the edge.
  fit$df <- NULL
  fit$is_held <- c(TRUE, FALSE, FALSE)
  found <- contrast_values(fit, rbind(c(1, -1, 0), c(0, 1, 0)), c(0.5, 0.2, NA), 0.9)
  expect_equal(found$table$conf.high[1], 0.3 + qnorm(0.95) * error)
  expect_identical(found$edge, c(TRUE, FALSE))
})

test_that("a cell of a margin that is held at 0 has no error of 0, and all cells together are 1", {
  fit <- suppressWarnings(rr_estimate(rr_counts(c(500, 60, 200, 3), rr_product(a = rr_forced(1 / 6), b = rr_warner(0.8)))))
  margin <- rr_margin(fit, c("a", "b"))
  cells <- c("no:no", "yes:no", "no:yes", "yes:yes")
  expect_warning(found <- rr_contrast(margin, list("yes:yes", cells)), class = "candor_warning_boundary")
  expect_identical(found$std.error, c(NA, 0))
  expect_identical(found$conf.high[1], NA_real_)
})

test_that("weights are a multiple of the share of some cells: the fewer if the sum is known, those that are not 0 if it is free", {
  expect_identical(share_multiple(c(0, 2, 2), TRUE), list(scale = -2, cells = 1L))
  expect_identical(share_multiple(c(0, 2, 2), FALSE), list(scale = 2, cells = 2:3))
  expect_identical(share_multiple(c(1, 1, 3), TRUE), list(scale = 2, cells = 3L))
  expect_identical(share_multiple(c(1, 1, 1), TRUE), list(scale = 0))
  expect_identical(share_multiple(c(0, 0, 0), FALSE), list(scale = 0))
  for (free in list(c(1, 1, 1), c(1, 1, 3), c(0, 1, 2))) expect_null(share_multiple(free, FALSE))
  expect_null(share_multiple(c(0, 1, 2), TRUE))
})

test_that("what is certain varies with nothing, and of what is not known nothing is known", {
  V <- matrix(c(4, 1, 2, 1, 9, 3, 2, 3, 5), 3)
  expect_identical(with_variances(V, c(6, 0, NA)), rbind(c(6, 0, NA), c(0, 0, 0), c(NA, 0, NA)))
})

test_that("functions of groups have the variances of both, with what groups share, and no more than those that a law identifies", {
  grr <- rr_grr(3, 2)
  fit <- rr_estimate(rr_counts(cbind(a = c(500, 300, 200), b = c(230, 300, 470)), grr), method = "inv")
  weights <- rbind(c(1, -1, 0, 0, 2, 0), c(0, 0, 0, 1, 1, 1), c(0, 0, 0, 0, 1, -1))
  V <- unname(vcov(fit))
  own <- cbind(diag(weights[, 1:3] %*% V[1:3, 1:3] %*% t(weights[, 1:3])), diag(weights[, 4:6] %*% V[4:6, 4:6] %*% t(weights[, 4:6])))
  own[2, ] <- 0
  found <- group_variances(fit, weights)
  expect_equal(found$variance, own)
  total <- weights %*% V %*% t(weights)
  total[2, ] <- total[, 2] <- 0
  expect_equal(found$covariance, total)
  expect_identical(found[c("edge", "unidentified")], list(edge = logical(3), unidentified = logical(3)))
  # Something that groups share, as one more column.
  shared <- with_calls(group_variances, shared_variances = function(fit, weights) list(tcrossprod(c(0.1, 0, 0.3))))(fit, weights)
  expect_equal(shared$variance, cbind(own, c(0.01, 0, 0.09)))
  expect_equal(shared$covariance, total + tcrossprod(c(0.1, 0, 0.3)))
  # A law that identifies the last function alone in one group, where the variance of the other is a rounding below 0.
  some <- with_calls(group_variances, contrast_variances = function(fit, g, contrasts) {
    known <- rep(c(FALSE, TRUE), c(nrow(contrasts) - 1, 1))
    list(variance = ifelse(known, 0.04, -1e-20), covariance = diag(nrow(contrasts)), identified = if (g == 2) known)
  })(fit, weights)
  expect_identical(some$unidentified, c(TRUE, TRUE, FALSE))
  expect_identical(some$variance, cbind(c(0.04, 0, 0), c(NA, NA, 0.04)))
})

test_that("a sum of two shares at the boundary has the profile interval of the sum, by optimization within each pair", {
  counts <- c(a = 400, b = 300, c = 330, d = 60)
  grr <- rr_grr(names(counts), 1)
  fit <- rr_estimate(rr_counts(counts, grr), interval = "profile")
  expect_identical(coef(fit)[["d"]], 0)
  p <- exp(1) / (exp(1) + 3)
  q <- 1 / (exp(1) + 3)
  # The largest log-likelihood of two categories that have the share s together.
  pair <- function(n, s) {
    loglik <- function(t) sum(n * log(q + (p - q) * c(t, s - t)))
    max(optimize(loglik, c(0, s), maximum = TRUE, tol = 1e-10)$objective, loglik(0), loglik(s))
  }
  loglik <- function(s) pair(counts[1:2], s) + pair(counts[3:4], 1 - s)
  top <- optimize(loglik, 0:1, maximum = TRUE, tol = 1e-10)
  excess <- function(s) 2 * (top$objective - loglik(s)) - qchisq(0.95, 1)
  limits <- c(uniroot(excess, c(0.3, top$maximum), tol = 1e-10)$root, uniroot(excess, c(top$maximum, 0.999), tol = 1e-10)$root)
  found <- boundary(rr_contrast(fit, c("a", "b")))
  expect_equal(c(found$conf.low, found$conf.high), limits, tolerance = 1e-5)
})
