#' @srrstats {G5.5, G5.6, G5.6a, G5.6b} Simulated surveys of fixed seeds against the best of random climbs.
#' @srrstats {G5.9, G5.9b} Other starts and other orders of rows and columns lead to the same maximum.

# The estimate is the largest likelihood that was found. The references here know nothing of the package: its likelihood
# is written anew, and optim() climbs it from random points.
designs <- list(forced = rr_forced(c(1 / 6, 1 / 6)), warner = rr_warner(0.75), crosswise = rr_crosswise(0.25), unrelated = rr_unrelated(0.7, 0.3),
                kuk = rr_kuk(0.8, 0.2))

rare_survey <- function(seed, mechanism) {
  M <- rr_matrix(mechanism)
  withr::with_seed(seed, {
    n <- sample(c(100, 200, 300, 500), 1)
    share <- c(0.02, 0.05, 0.1)[sample(3, 1)]
    data <- data.frame(x = rnorm(n), z = rbinom(n, 1, 0.4))
    truth <- rbinom(n, 1, plogis(qlogis(share) + 0.6 * data$x))
    data$y <- rbinom(n, 1, M[cbind(truth + 1, 2)])
    data
  })
}

likelihood <- function(x, y, mechanism) {
  M <- unname(rr_matrix(mechanism))[, y + 1]
  function(b) {
    share <- plogis(drop(x %*% b))
    sum(log(M[1, ] * (1 - share) + M[2, ] * share))
  }
}

# Its gradient in the coefficients: without it optim() takes differences, four times as long.
score <- function(x, y, mechanism) {
  M <- unname(rr_matrix(mechanism))[, y + 1]
  function(b) {
    share <- plogis(drop(x %*% b))
    drop(crossprod(x, (M[2, ] - M[1, ]) * share * (1 - share) / (M[1, ] * (1 - share) + M[2, ] * share)))
  }
}

climbed <- function(value, gradient, starts) {
  max(apply(starts, 2, function(b) optim(b, value, gradient, method = "BFGS", control = list(fnscale = -1, maxit = 500))$value))
}

fit_of <- function(formula, data, ...) suppressWarnings(rr_glm(formula, data, ...))

# The surveys that two tests look at, with their fits. inst/studies/regression-starts.R has 500 others, and the long tests 1,000.
rare_fits <- list()
rare_fit <- function(k) {
  if (k > length(rare_fits)) {
    mechanism <- designs[[(k - 1) %% 5 + 1]]
    data <- rare_survey(5000 + k, mechanism)
    rare_fits[[k]] <<- list(mechanism = mechanism, data = data, fit = fit_of(y ~ x + z, data, mechanism))
  }
  rare_fits[[k]]
}

test_that("a supremum at infinity is reached if the rows beside its threshold are narrow", {
  # Survey 871286 of inst/studies/regression-starts.R: 1.8e-4 of x between two rows, so that a slope of 130,000 was 9.5e-6 short.
  set.seed(871286)
  mechanism <- rr_warner(0.75)
  n <- sample(c(100, 200, 300, 500), 1)
  intercept <- qlogis(sample(c(0.02, 0.05, 0.1), 1))
  data <- data.frame(x = rnorm(n), z = rbinom(n, 1, 0.4))
  truth <- rbinom(n, 1, plogis(intercept + 1.5 * data$x - data$z))
  data$y <- rbinom(n, 1, c(0.25, 0.75)[truth + 1])
  # By enumeration: in each half of z the truths are yes beyond one threshold of x.
  best <- vapply(split(data, data$z), function(half) {
    y <- half$y[order(half$x, decreasing = TRUE)]
    gain <- log(3) * (2 * y - 1)
    sum(log(ifelse(y == 1, 0.25, 0.75))) + max(cumsum(c(0, gain)))
  }, 0)
  expect_equal(fit_of(y ~ x + z, data, mechanism)$loglik, sum(best), tolerance = 1e-9)
})

test_that("fits of rare truths reach what optim() reaches, their own starts, and their nested models", {
  for (k in seq_len(extended(10, 1000))) {
    survey <- rare_fit(k)
    mechanism <- survey$mechanism
    data <- survey$data
    fit <- survey$fit
    x <- cbind(1, data$x, data$z)
    value <- likelihood(x, data$y, mechanism)
    starts <- withr::with_seed(k, matrix(rnorm(36, 0, c(2, 3, 2)), 3))
    expect_gte(fit$loglik, climbed(value, score(x, data$y, mechanism), starts) - 1e-6)
    expect_gte(fit$loglik, max(fit$starts) - 1e-9)
    # A finite point has this likelihood.
    expect_true(all(is.finite(fit$point)))
    expect_equal(value(fit$point), fit$loglik, tolerance = 1e-12)
    for (small in list(y ~ 1, y ~ x, y ~ z)) expect_gte(fit$loglik, fit_of(small, data, mechanism)$loglik - 1e-6)
  }
})

test_that("surveys whose limits were once named wrongly reach their supremum", {
  data <- rare_survey(9147, designs$unrelated)
  fit <- fit_of(y ~ x + z, data, designs$unrelated)
  expect_equal(fit$loglik, -41.9983, tolerance = 1e-5)
  expect_identical(is.finite(coef(fit)), c(FALSE, TRUE, FALSE), ignore_attr = TRUE)
  expect_identical(coef(fit)[-2], c(-Inf, Inf), ignore_attr = TRUE)
  expect_gte(anova(fit_of(y ~ 1, data, designs$unrelated), fit)$LR[2], 0)
  data <- rare_survey(9103, designs$warner)
  # The prototype's search ended at -167.360; rows in between, put on the other side, are worth .009 more.
  expect_gte(fit_of(y ~ x + z, data, designs$warner)$loglik, -167.352)
  # A start far out, which once ended in an error of R itself.
  far <- fit_of(y ~ x + z, data, designs$warner, start = c(-455.7384858, 186.168397, 163.63098))
  expect_gte(far$loglik, -167.352)
})

# The largest likelihood of truths that are 1 beyond a line in the plane of x and z and 0 before it: a supremum is at least as large.
best_division <- function(data, mechanism, ways = 400) {
  M <- log(unname(rr_matrix(mechanism)))
  gain <- (M[2, ] - M[1, ])[data$y + 1]
  found <- vapply(seq(0, 2 * base::pi, length.out = ways), function(turn) {
    z <- cos(turn) * data$x + 3 * sin(turn) * data$z
    order <- order(-z)
    max(0, cumsum(gain[order])[c(diff(z[order]) != 0, TRUE)])
  }, 0)
  sum(M[1, ][data$y + 1]) + max(found)
}

test_that("a maximum at infinity is found from steep starts, where climbs from gentle ones slide back", {
  # Four respondents without z beyond x = 2.3: the likelihood is that of truths 1 for them and 0 for all others.
  data <- withr::with_seed(20268236, {
    data <- data.frame(x = rnorm(800), z = rbinom(800, 1, 0.35))
    share <- runif(1, 0.02, 0.1)
    slopes <- 0.7 * data$x + 0.4 * data$z
    constant <- uniroot(function(i) mean(plogis(i + slopes)) - share, c(-9, 1))$root
    cbind(data, y = rbinom(800, 1, 0.25 + 0.5 * plogis(constant + slopes)))
  })
  few <- data$z == 0 & data$x > 2.3
  expect_identical(sum(few), 4L)
  fit <- fit_of(y ~ x + z, data, rr_warner(0.75))
  expect_equal(fit$loglik, sum(dbinom(data$y, 1, ifelse(few, 0.75, 0.25), log = TRUE)), tolerance = 1e-9)
  expect_identical(coef(fit), c(-Inf, Inf, -Inf), ignore_attr = TRUE)
  # Each of six mechanisms twice.
  for (k in seq_len(extended(12, 1000))) {
    mechanism <- c(designs, list(mangat = rr_warner(0.7, t = 0.6)))[[k %% 6 + 1]]
    data <- rare_survey(7000 + k, mechanism)
    fit <- fit_of(y ~ x + z, data, mechanism, link = c("logit", "probit", "cloglog")[k %% 3 + 1])
    expect_gte(fit$loglik, best_division(data, mechanism) - 1e-6)
  }
})

test_that("a survey of 23 designs whose limit was once an error is fitted", {
  survey <- glmmrr_survey("ETHBE")
  data <- survey$data[survey$data$Question == "drugs", ]
  data <- data[stats::complete.cases(data[, c("y", "gender", "gpa")]), ]
  fit <- suppressWarnings(rr_glm(y ~ gender + gpa, data, survey$mechanisms, arm = arm))
  # The best of 200 climbs of BFGS from random points.
  expect_lte(abs(fit$loglik + 1808.192724), 1e-6)
})

test_that("signs at infinity are those of every sequence that reaches the value; others are NA", {
  # For each infinite coefficient: a point of the named sign, far out, has the value; and for NA one of each sign.
  undetermined <- 0
  for (k in seq_len(extended(12, 20))) {
    survey <- rare_fit(k)
    mechanism <- survey$mechanism
    data <- survey$data
    fit <- survey$fit
    if (is.null(fit$boundary)) next
    value <- likelihood(cbind(1, data$x, data$z), data$y, mechanism)
    b <- fit$point
    out <- which(names(coef(fit)) %in% fit$boundary$coefficients)
    # Random points of the same face: moves in the flat directions that turn no infinite predictor.
    eta <- fit$linear.predictors
    move <- cbind(1, data$x, data$z)[is.infinite(eta), , drop = FALSE] %*% fit$flat
    side <- sign(eta[is.infinite(eta)])
    # Around the way in which the point itself went.
    base <- qr.coef(qr(move), (cbind(1, data$x, data$z) %*% b)[is.infinite(eta)])
    noise <- withr::with_seed(k, matrix(rnorm(400 * length(base)), length(base)))
    ways <- cbind(base, base + noise * sqrt(sum(base^2)) * rep(10^-(0:3), each = 100 * length(base)))
    inside <- ways[, colSums((move %*% ways) * side < 0) == 0, drop = FALSE]
    if (!ncol(inside)) next
    signs <- sign(fit$flat %*% inside)
    for (j in out) if (!is.na(coef(fit)[j])) expect_true(all(signs[j, ] == sign(coef(fit)[j]))) else undetermined <- undetermined + 1
    expect_equal(value(b + 1e4 * drop(fit$flat %*% inside[, 1])), fit$loglik, tolerance = 1e-8)
  }
  expect_gt(undetermined, 0)
})

test_that("the order, sign and coding of columns and answers change nothing", {
  for (k in c(2, 3, 20)) {
    survey <- rare_fit(k)
    mechanism <- survey$mechanism
    data <- survey$data
    M <- rr_matrix(mechanism)
    value <- survey$fit$loglik
    expect_equal(fit_of(y ~ z + x, data, mechanism)$loglik, value, tolerance = 1e-9)
    expect_equal(fit_of(y ~ I(-x) + I(1 - z), data, mechanism)$loglik, value, tolerance = 1e-9)
    expect_equal(fit_of(I(1 - y) ~ x + z, data, rr_binary(M[1, 1], M[2, 1]))$loglik, value, tolerance = 1e-9)
  }
})

test_that("a factor of 150 levels is fitted, with what is known of each level by itself", {
  data <- withr::with_seed(150, data.frame(g = factor(sample(150, 2500, TRUE), 1:150), y = rbinom(2500, 1, 0.3)))
  fit <- fit_of(y ~ g, data, designs$forced)
  share <- tapply(data$y, data$g, mean)
  # Saturated: each level has its clipped moment estimate.
  truth <- pmin(1, pmax(0, (share - 1 / 6) / (2 / 3)))
  expect_equal(as.vector(predict(fit, data.frame(g = factor(1:150, 1:150)), "truth")), as.vector(truth), tolerance = 1e-8)
  n <- as.vector(table(data$g))
  m <- 1 / 6 + 2 / 3 * truth
  expect_equal(fit$loglik, sum(n * (share * log(m) + (1 - share) * log(1 - m))), tolerance = 1e-10)
  expect_true(all(is.finite(sqrt(diag(vcov(fit)))[is.finite(coef(fit))])))
  skip_on_cran()
  # With covariates: as many coefficients as 10 times the time of glm() allows.
  data <- withr::with_seed(1, transform(data, x = rnorm(2500), z = rbinom(2500, 1, 0.5)))
  seconds <- function(run) system.time(run(), gcFirst = FALSE)[["user.self"]]
  ours <- seconds(function() fit_of(y ~ g + x + z, data, designs$forced))
  # 10 are wanted; the margin is for the noise of a machine with other work.
  expect_lt(ours / seconds(function() glm(y ~ g + x + z, binomial, data)), 15)
})

test_that("effects, errors and predictions at infinity are NA", {
  fit <- fit_of(y ~ x + z, rare_survey(9147, designs$unrelated), designs$unrelated)
  expect_warning(effects <- rr_effects(fit), "penalty", class = "candor_warning_infinite")
  expect_true(all(is.na(effects$std.error)) && all(is.na(effects$conf.low)) && all(is.finite(effects$estimate)))
  expect_true(all(is.na(predict(fit, se.fit = TRUE)$se.fit[is.infinite(predict(fit))])))
  # Between an observed yes and an observed no of the limit, a truth is not determined.
  split <- fit_of(y ~ x, data.frame(x = rep(c(0, 1), each = 30), y = rep(c(0, 1), each = 30)), rr_warner(0.75))
  expect_identical(unname(predict(split, data.frame(x = c(-1, 0.5, 2)), "truth")), c(0, NA, 1))
  expect_identical(unname(coef(split)), c(-Inf, Inf))
})

test_that("a prior gives the mode of the posterior, with its curvature", {
  data <- rare_survey(9103, designs$warner)
  fit <- rr_glm(y ~ x + z, data, designs$warner, penalty = "prior")
  value <- likelihood(cbind(1, data$x, data$z), data$y, designs$warner)
  # Slopes per standard deviation of a number and per step of two values, the intercept at the mean of numbers.
  spread <- sqrt(mean((data$x - mean(data$x))^2))
  posterior <- function(b) value(b) - ((b[1] + mean(data$x) * b[2]) / 5)^2 / 2 - (spread * b[2] / 2.5)^2 / 2 - (b[3] / 2.5)^2 / 2
  found <- optim(c(-2, 0, 0), posterior, method = "BFGS", control = list(fnscale = -1, reltol = 1e-15), hessian = TRUE)
  expect_equal(unname(coef(fit)), found$par, tolerance = 1e-4)
  expect_equal(max(fit$starts), found$value, tolerance = 1e-9)
  expect_equal(fit$loglik, value(fit$point), tolerance = 1e-12)
  expect_equal(unname(vcov(fit)), solve(-found$hessian), tolerance = 1e-3)
})

test_that("several categories: more starts never lead lower, nor covariates, and climbs from random points seldom higher", {
  mechanisms <- list(rr_grr(3, p = 0.8), rr_grr(3, p = 0.6), rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.2, 0.6, 0.2), c(0.1, 0.2, 0.7))))
  below <- vapply(seq_len(extended(6, 9)), function(k) {
    mechanism <- mechanisms[[k %% 3 + 1]]
    C <- unname(rr_matrix(mechanism))
    data <- withr::with_seed(100 + k, {
      n <- c(150, 200, 400)[k %% 3 + 1]
      data <- data.frame(x = rnorm(n), z = rbinom(n, 1, 0.4))
      e <- cbind(1, exp(-2 + 0.6 * data$x), exp(-2.5 - 0.5 * data$x + 0.5 * data$z))
      truth <- 1 + rowSums(runif(n) > t(apply(e / rowSums(e), 1, cumsum))[, 1:2])
      data$code <- vapply(truth, function(t) sample(3, 1, prob = C[t, ]), 0L)
      data
    })
    data$y <- mechanism$reports[data$code]
    x <- cbind(1, data$x, data$z)
    seen <- t(C[, data$code])
    # The shares of the categories, up to a factor of each row.
    shares <- function(b) {
      eta <- x %*% matrix(b, 3)
      exp(cbind(0, eta) - pmax(0, eta[, 1], eta[, 2]))
    }
    value <- function(b) {
      e <- shares(b)
      sum(log(rowSums(e * seen) / rowSums(e)))
    }
    gradient <- function(b) {
      e <- shares(b)
      as.vector(crossprod(x, (e * seen / rowSums(e * seen) - e / rowSums(e))[, -1]))
    }
    fit <- function(formula, starts) suppressWarnings(rr_multinom(formula, data, mechanism, starts = starts))
    few <- fit(y ~ x + z, 1)
    many <- fit(y ~ x + z, 12)
    expect_gte(many$loglik, few$loglik - 1e-8)
    for (small in list(y ~ 1, y ~ x)) expect_gte(many$loglik, fit(small, 1)$loglik - 1e-6)
    # The reported point is finite and has this likelihood.
    expect_equal(value(many$estimate), many$loglik, tolerance = 1e-10)
    starts <- withr::with_seed(k, matrix(rnorm(72, 0, c(2, 3, 2)), 6))
    many$loglik < climbed(value, gradient, starts) - 0.01
  }, NA)
  # No search is certain: of 25 such surveys one was below the best of 20 climbs with 20 starts, 11 were above.
  expect_lte(sum(below), 1)
})

test_that("a factor of many levels may stand alone", {
  data <- data.frame(f = factor(rep(1:14, each = 40)), y = as.integer(sequence(rep(40, 14)) <= rep(10:23, each = 40)))
  fit <- rr_glm(y ~ 0 + f, data, rr_binary(5 / 6, 1 / 6))
  # Each level has a share of its own, the moment estimate.
  expect_equal(unname(coef(fit)), qlogis((10:23 / 40 - 1 / 6) * 3 / 2), tolerance = 1e-9)
})

test_that("a prior's scales are those of weighted columns: of two values their step, from the lower; the intercept where numbers have their mean", {
  data <- rare_survey(9104, designs$warner)
  data$w <- rep(c(1, 3), length.out = nrow(data))
  data$group <- 1 + 2 * data$z
  fit <- rr_glm(y ~ x + group, data, designs$warner, penalty = "prior", weights = w)
  mean <- weighted.mean(data$x, data$w)
  spread <- sqrt(weighted.mean((data$x - mean)^2, data$w))
  value <- function(b) {
    reported <- drop(cbind(1 - plogis(cbind(1, data$x, data$group) %*% b), plogis(cbind(1, data$x, data$group) %*% b)) %*% rr_matrix(designs$warner)[, 2])
    sum(data$w * log(ifelse(data$y == 1, reported, 1 - reported)))
  }
  posterior <- function(b) value(b) - ((b[1] + mean * b[2] + b[3]) / 5)^2 / 2 - (spread * b[2] / 2.5)^2 / 2 - (2 * b[3] / 2.5)^2 / 2
  best <- optim(c(-2, 0, 0), posterior, method = "BFGS", control = list(fnscale = -1, reltol = 1e-15))
  expect_equal(unname(coef(fit)), best$par, tolerance = 1e-4)
  expect_equal(max(fit$starts), best$value, tolerance = 1e-9)
})

test_that("the first start is the truth of constant share that gives the reports' mean, beside an offset as near to it as may be", {
  data <- withr::with_seed(17, data.frame(x = rnorm(80), z = rbinom(80, 1, 0.4), o = rnorm(80, 0, 0.3), y = rbinom(80, 1, 0.45)))
  share <- (mean(data$y) - 1 / 6) / (2 / 3)
  for (formula in list(y ~ x + z, y ~ x + z + offset(o))) {
    model <- regress_model(fitted_data(rr_glm(formula, data, designs$forced)))
    start <- regress_starts(model, 1)
    goal <- qlogis(share) - if (length(model$data$offset)) data$o else 0
    expect_identical(ncol(start), 1L)
    expect_equal(drop(model$z %*% start[, 1]), unname(fitted(lm(rep(goal, length.out = 80) ~ data$x + data$z))), tolerance = 1e-8, ignore_attr = TRUE)
    # Directions are unit ones, those of columns first, and none is the constant.
    directions <- start_directions(model, project(model, rep(1, 80)), row_devices(model$data), share)
    units <- directions[[1]]
    expect_equal(colSums(units^2), rep(1, ncol(units)), tolerance = 1e-8)
    expect_lte(max(abs(colMeans(model$z %*% units))), 1e-8)
    # Score and two columns, then 36 on the half circle, 5 degrees from each other.
    expect_identical(ncol(units), directions[[2]] + 36L)
    turns <- crossprod(units[, -seq_len(directions[[2]])])
    expect_equal(turns[cbind(1:35, 2:36)], rep(cos(base::pi / 36), 35), tolerance = 1e-8)
  }
})
