# Quantiles of an exact variable within true classes, against 40-digit arithmetic, tests at every value one by one, and the survey package.

golden_class <- function(input) {
  data <- data.frame(y = input$y, x = input$report, w = if (is.null(input$weights)) rep(1, length(input$y)) else input$weights)
  two <- function(p) rr_channel(matrix(c(p, 1 - p, 1 - p, p), 2))
  if (input$kind != "rate") return(rr_predictor(y ~ 0 + x, data, list(x = if (input$kind == "p") two(input$p) else rr_channel(input$channel)), weights = w))
  # A report that is drawn from both classes with probability r is the truth with probability 1 - r / 2.
  data$rate <- paste("rate", input$rate)
  rates <- lapply(split(input$rate, data$rate), function(rate) two(1 - rate[1] / 2))
  rr_predictor(y ~ 0 + x, data, list(x = rates), weights = w, arm = rate)
}

# The test at every value by itself: `variance` of the sum of the scores s.
oracle <- function(y, scores, prob, z, variance) {
  values <- sort(unique(y))
  ends <- c(-Inf, values)
  accepted <- vapply(ends, function(t) {
    s <- scores * ((y <= t) - prob)
    sum(s)^2 <= z^2 * variance(s)
  }, NA)
  reached <- vapply(values, function(t) sum(scores[y <= t]), 0) / sum(scores)
  times <- vapply(values, function(t) sum(y == t), 0)
  reached <- pmin(pmax(isoreg(rep(reached, times))$yf, 0), 1)[cumsum(times)]
  at <- values[which(c(reached[-length(reached)], 1) >= prob - 1e-12)[1]]
  c(at, range(at, ends[accepted][1], c(ends, Inf)[max(which(accepted)) + 1]))
}

# The scores of each row, the rows of the inverse, and their second moments if the truth is the class.
golden_scores <- function(input) {
  n <- length(input$y)
  two <- function(p) matrix(c(p, 1 - p, 1 - p, p), 2)
  channels <- switch(input$kind,
    rate = lapply(input$rate, function(rate) two(1 - rate / 2)),
    p = rep(list(two(input$p)), n),
    rep(list(input$channel), n)
  )
  row <- function(i) {
    C <- channels[[i]]
    inverse <- if (nrow(C) == ncol(C)) solve(C) else candor:::unbiased_matrix(C)
    c(inverse[input$report[i], ], rowSums(C * t(inverse)^2))
  }
  values <- t(vapply(seq_len(n), row, numeric(2 * nrow(channels[[1]]))))
  k <- ncol(values) / 2
  list(u = values[, seq_len(k)], m = values[, k + seq_len(k)])
}

# The test of one class at every value, with the variance at the tested probability.
golden_limits <- function(input, k, prob, target) {
  scores <- golden_scores(input)
  u <- scores$u[, k]
  w <- if (is.null(input$weights)) rep(1, length(u)) else input$weights
  noise <- if (target == "sample") w^2 else 0 * w
  member <- sum((w^2 * scores$m[, k] - noise) * u) / sum(w * u)
  variance <- function(g) sum((w^2 * u^2 - noise * u) * g^2)
  scored <- function(g) variance(g) + sum(w * u * g) * member * (prob^2 - (1 - prob)^2)
  oracle(input$y, w * u, prob, qnorm((1 + input$level) / 2), function(s) scored(s / (w * u)))
}

# Zou and Donner's limits of the difference of two estimates with limits, a column each, whose sums have these covariances.
difference_limits <- function(limits, products) {
  r <- products[1, 2] / sqrt(prod(diag(products)))
  reach <- function(a, b) if (is.infinite(a + b)) Inf else sqrt(a^2 + b^2 - 2 * r * a * b)
  x <- limits[, 1]
  y <- limits[, 2]
  y[1] - x[1] + c(-reach(y[1] - y[2], x[3] - x[1]), reach(y[3] - y[1], x[1] - x[2]))
}

# The difference of two classes, with the correlation of both sums.
golden_difference <- function(prob, input, pair) {
  w <- if (is.null(input$weights)) rep(1, length(input$y)) else input$weights
  limits <- vapply(pair, golden_limits, numeric(3), input = input, prob = prob, target = "population")
  u <- golden_scores(input)$u[, pair]
  products <- crossprod(w * u * (outer(input$y, limits[1, ], `<=`) - prob))
  difference_limits(limits, products)
}

test_that("golden vectors: means, distributions, quantiles with both targets, differences, rates by row, weights", {
  for (case in Filter(function(case) case$input$op == "class", golden("next_class"))) {
    input <- case$input
    classes <- case$expected$classes
    of <- function(what) vapply(classes, `[[`, 0, what)
    fit <- golden_class(input)
    expect_golden(coef(fit), of("mean"), 1e-9)
    expect_golden(sqrt(diag(vcov(fit))), of("se_mean"), 1e-9)
    last <- length(classes)
    difference <- replace(numeric(last), c(1, last), c(-1, 1))
    expect_golden(sqrt(drop(difference %*% vcov(fit) %*% difference)), case$expected$last_minus_first$se_mean, 1e-9)
    quantiles <- lapply(c(population = "population", sample = "sample"), function(target) rr_quantile(fit, input$tau, input$level, target))
    # All classes, and all quantiles of each.
    wanted <- function(what) unlist(lapply(classes, function(class) lapply(class$quantiles, function(one) golden_number(one[[what]]))))
    for (target in names(quantiles)) {
      found <- quantiles[[target]]
      expect_golden(found$estimate, wanted("quantile"), 1e-9, target)
      # The vectors have the variance at the estimated share.
      limits <- lapply(seq_along(classes), function(k) {
        vapply(input$tau, function(prob) golden_limits(input, k, prob, target)[2:3], c(0, 0))
      })
      expect_golden(as.vector(rbind(found$conf.low, found$conf.high)), unlist(limits), 1e-9, target)
    }
    # The standard deviation of S(t) at the quantile, over the total.
    errors <- lapply(seq_along(classes), function(k) {
      sums <- candor:::class_sums(candor:::read_classes(fit, "population"), k)
      spread <- sums$variances
      place <- match(vapply(classes[[k]]$quantiles, `[[`, 0, "quantile"), classes[[k]]$values)
      square <- (sums$below[place] - input$tau * sums$total)^2 / fit$n
      variance <- spread$below[place] - 2 * input$tau * spread$cross[place] + input$tau^2 * spread$total - square
      sqrt(variance) / sums$total
    })
    expect_golden(unlist(errors), wanted("se_cdf"), 1e-9)
    distribution <- rr_contrast(fit, cumulative = TRUE)
    m <- length(classes[[1]]$values)
    for (k in seq_along(classes)) {
      rows <- (k - 1) * m + seq_len(m)
      expect_golden(distribution$value[rows], classes[[k]]$values, 1e-9)
      expect_golden(distribution$estimate[rows], classes[[k]]$cdf, 1e-9)
      # Each step of the isotonic regression is seen by the quantiles just below and above it.
      monotone <- classes[[k]]$cdf_monotone
      probs <- sort(unique(c((monotone[-1] + monotone[-m])[diff(monotone) > 1e-9] / 2, 0.3, 0.6)))
      expected <- classes[[k]]$values[vapply(probs, function(prob) which(monotone >= prob)[1], 1L)]
      expect_identical(rr_quantile(fit, probs)$estimate[(k - 1) * length(probs) + seq_along(probs)], expected)
    }
    between <- rr_quantile(fit, input$tau, input$level, difference = TRUE)
    between <- between[between$group1 == 1 & between$group2 == last, ]
    expected <- vapply(case$expected$last_minus_first$quantiles, function(one) one$difference, 0)
    expect_golden(between$estimate, expected, 1e-9)
    limits <- vapply(input$tau, golden_difference, c(0, 0), input = input, pair = c(1, last))
    expect_golden(as.vector(rbind(between$conf.low, between$conf.high)), as.vector(limits), 1e-9)
  }
})

test_that("golden vectors: counts by report and bin, and means of the reported classes", {
  for (case in Filter(function(case) case$input$op == "bins", golden("next_class"))) {
    input <- case$input
    bins <- rr_channel(diag(ncol(input$counts)), levels = factor(seq_len(ncol(input$counts)), ordered = TRUE))
    two <- rr_channel(matrix(c(input$p, 1 - input$p, 1 - input$p, input$p), 2))
    joint <- rr_estimate(rr_counts(input$counts, rr_product(class = two, bin = bins)), method = "inv")
    expect_golden(t(matrix(coef(joint), 2)) * sum(input$counts), t(case$expected$class_counts), 1e-9)
    margin <- rr_margin(joint, "bin", given = "class")
    expect_golden(margin$estimate, t(case$expected$shares_within), 1e-9)
    found <- rr_quantile(margin, 0.6, breaks = input$breaks)
    # The polygon of the cumulative shares, which do not fall here.
    for (k in 1:2) expect_equal(found$estimate[k], approx(c(0, cumsum(case$expected$shares_within[k, ])), input$breaks, 0.6)$y)
  }
  for (case in Filter(function(case) case$input$op == "from reported means", golden("next_class"))) {
    n <- case$input$n
    p <- 1 - case$input$rate / 2
    data <- data.frame(x = rep(1:2, n), y = rep(case$input$mean, n))
    expect_golden(coef(rr_predictor(y ~ 0 + x, data, list(x = rr_channel(matrix(c(p, 1 - p, 1 - p, p), 2))))), case$expected$mean, 1e-9)
  }
})

class_survey <- function(n, p = 0.8) {
  x <- rbinom(n, 1, 0.4)
  data.frame(y = round(rexp(n, ifelse(x == 1, 0.3, 1)), 1), x = ifelse(runif(n) < p, x, 1 - x), w = sample(c(0.5, 1, 2), n, TRUE))
}
# A score has this square on average if the truth is the class.
warner_square <- function(p = 0.8) (p * p^2 + (1 - p) * (1 - p)^2) / (2 * p - 1)^2
# What the variance of s changes if sum(s) members of the class are moved above the value; `member` is that of one.
moved <- function(s, member, prob) sum(s) * member * (prob^2 - (1 - prob)^2)
scores_of <- function(x, p = 0.8) cbind(1 - x - (1 - p), x - (1 - p)) / (2 * p - 1)
limits_of <- function(found, k) unlist(found[found$x == k, c("estimate", "conf.low", "conf.high")], use.names = FALSE)

test_that("weighted quantiles are those of the test at every value", {
  set.seed(31)
  for (n in c(15, 60, 200)) {
    d <- class_survey(n)
    fit <- suppressMessages(rr_predictor(y ~ 0 + x, d, list(x = rr_warner(0.8, levels = 0:1)), weights = w))
    u <- scores_of(d$x)
    if (any(colSums(d$w * u) <= 0)) next
    for (prob in c(0.1, 0.5, 0.75)) for (k in 1:2) {
      squares <- sum(d$w^2 * u[, k]) / sum(d$w * u[, k])
      variance <- function(s) sum(s^2) + moved(s, warner_square() * squares, prob)
      expect_equal(limits_of(rr_quantile(fit, prob), k - 1), oracle(d$y, d$w * u[, k], prob, qnorm(0.975), variance))
      # For the respondents themselves: w^2 (u^2 - u) in place of the squares.
      ratio <- 1 - 1 / u[, k]
      sample <- limits_of(rr_quantile(fit, prob, target = "sample"), k - 1)
      variance <- function(s) sum(s^2 * ratio) + moved(s, (warner_square() - 1) * squares, prob)
      expect_equal(sample, oracle(d$y, d$w * u[, k], prob, qnorm(0.975), variance))
    }
    for (target in c("population", "sample")) {
      limits <- vapply(0:1, limits_of, c(0, 0, 0), found = rr_quantile(fit, 0.6, target = target))
      between <- rr_quantile(fit, 0.6, target = target, difference = TRUE)
      scores <- d$w * u * (outer(d$y, limits[1, ], `<=`) - 0.6)
      products <- crossprod(scores) - if (target == "sample") diag(colSums(scores^2 / u)) else 0
      expect_equal(c(between$conf.low, between$conf.high), difference_limits(limits, products), tolerance = 1e-8)
    }
  }
})

test_that("in a survey design the variance is the survey package's at every value", {
  skip_if_not_installed("survey")
  set.seed(32)
  n <- 150
  d <- class_survey(n)
  # Few values, each of which is asked of the survey package.
  d$y <- round(2 * d$y) / 2
  d$cluster <- rep(1:30, each = 5)
  d$stratum <- rep(1:3, each = 50)
  d$id <- seq_len(n)
  d$clusters <- 40
  d$people <- 8
  # Strata of one cluster, which is drawn for certain, of two, and of more.
  d$sampled <- cut(d$cluster, c(0, 1, 3, 10, 20, 30))
  d$units <- ifelse(d$cluster == 1, 1, 40)
  u <- scores_of(d$x)
  stratified <- survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = d)
  designs <- list(stratified,
                  survey::svydesign(ids = ~cluster + id, strata = ~stratum, weights = ~w, fpc = ~clusters + people, data = d),
                  survey::svydesign(ids = ~cluster, strata = ~sampled, weights = ~w, fpc = ~units, data = d),
                  survey::as.svrepdesign(stratified), survey::as.svrepdesign(stratified, type = "bootstrap", replicates = 40))
  for (design in designs) {
    fit <- rr_predictor(y ~ 0 + x, design, list(x = rr_warner(0.8, levels = 0:1)))
    z <- qt(0.975, fit$df.residual)
    # What the finite population hides of the squares: the share of it that is drawn, over all stages.
    hidden <- if (is.null(design$fpc$popsize)) rep(0, n) else apply(design$fpc$sampsize / design$fpc$popsize, 1, prod)
    for (k in 1:2) {
      variance <- function(s) {
        design$variables$s <- s / d$w
        noise <- sum(hidden * s^2 * (1 - 1 / u[, k]))
        member <- sum((warner_square() - hidden) * d$w^2 * u[, k]) / sum(d$w * u[, k])
        as.vector(vcov(survey::svytotal(~s, design))) + noise + moved(s, member, 0.6)
      }
      expect_equal(limits_of(rr_quantile(fit, 0.6), k - 1), oracle(d$y, d$w * u[, k], 0.6, z, variance), tolerance = 1e-6)
    }
    between <- rr_quantile(fit, 0.6, difference = TRUE)
    limits <- vapply(0:1, limits_of, c(0, 0, 0), found = rr_quantile(fit, 0.6))
    expect_equal(between$estimate, diff(limits[1, ]))
    scores <- design$variables[c("one", "two")] <- u * (outer(d$y, limits[1, ], `<=`) - 0.6)
    noise <- crossprod(sqrt(hidden) * d$w * scores) - diag(colSums(hidden * d$w^2 * scores^2 / u))
    products <- vcov(survey::svytotal(~ one + two, design)) + noise
    expect_equal(c(between$conf.low, between$conf.high), difference_limits(limits, products), tolerance = 1e-6)
  }
  calibrated <- survey::calibrate(stratified, ~ w, c(`(Intercept)` = 160, w = 200))
  expect_error(rr_quantile(rr_predictor(y ~ 0 + x, calibrated, list(x = rr_warner(0.8, levels = 0:1)))), class = "candor_error_argument")
})

test_that("a table of counts has the intervals of its rows, and within bins those of a fine grid", {
  set.seed(33)
  d <- class_survey(900)
  breaks <- c(0, 0.5, 1, 2, 3, 5, 20)
  d$bin <- cut(d$y, breaks, labels = FALSE, include.lowest = TRUE)
  warner <- rr_warner(0.8, levels = 0:1)
  bins <- rr_channel(diag(6), levels = factor(1:6, ordered = TRUE))
  joint <- rr_estimate(rr_counts(table(x = d$x, bin = d$bin), rr_product(x = warner, bin = bins)), method = "inv")
  margin <- rr_margin(joint, "bin", given = "x")
  rows <- rr_quantile(rr_predictor(bin ~ 0 + x, d, list(x = warner)))
  expect_equal(as.data.frame(rr_quantile(margin))[2:3], as.data.frame(rows)[2:3])
  expect_identical(rr_quantile(margin)$conf.low, rows$conf.low)
  expect_identical(rr_quantile(margin)$conf.high, rows$conf.high)
  # Linear between bins: the test on a grid of the outcome, with the mean products of the joint shares.
  found <- rr_quantile(margin, 0.7, breaks = breaks)
  grid <- seq(0, 20, length.out = 20001)
  part <- vapply(1:6, function(b) pmin(pmax((grid - breaks[b]) / (breaks[b + 1] - breaks[b]), 0), 1), numeric(length(grid)))
  labels <- expand.grid(x = 0:1, bin = 1:6)
  for (k in 0:1) {
    L <- matrix(0, length(grid), 12)
    L[, labels$x == k] <- part - 0.7
    # At the tested share members are moved, whose squared scores have the mean `member`; the square of S is not taken off.
    S <- drop(L %*% coef(joint))
    member <- sum(c(0.8, 0.2) * scores_of(0:1)[, 1]^2)
    variance <- (1 - 1 / 900) * rowSums((L %*% vcov(joint)) * L) + (S^2 + S * member * (2 * 0.7 - 1)) / 900
    accepted <- grid[S^2 <= qnorm(0.975)^2 * variance]
    expect_equal(limits_of(found, k)[2:3], range(accepted), tolerance = 2e-3)
  }
  between <- rr_quantile(margin, 0.7, breaks = breaks, difference = TRUE)
  expect_equal(between$estimate, diff(found$estimate))
  # Alone, the variable is exact: no class is rare.
  expect_equal(rr_quantile(rr_margin(joint, "bin"), 0.7)$estimate, as.numeric(quantile(d$bin, 0.7, type = 1)))
})

test_that("limits of a table near the end of a class have the variance of the tested share, of randomized bins too", {
  bins <- rr_grr(factor(1:5, ordered = TRUE), epsilon = 3)
  counts <- as.table(matrix(c(70, 80, 30, 8, 5, 20, 50, 30, 22, 15), 5, dimnames = list(bin = 1:5, x = 0:1)))
  n <- sum(counts)
  joint <- rr_estimate(rr_counts(counts, rr_product(bin = bins, x = rr_warner(0.85, levels = 0:1))), method = "inv")
  theta <- coef(joint)
  # The probabilities of reports, the bin varying fastest, the scores that undo them, and the mean square of a member's score.
  b <- 1 / (exp(3) + 4)
  channel <- kronecker(matrix(c(0.85, 0.15, 0.15, 0.85), 2), diag(1 - 5 * b, 5) + b)
  scores <- solve(channel)
  member <- sum(c(0.85, 0.15) * scores_of(0:1, 0.85)[, 1]^2)
  bin <- rep(1:5, 2)
  for (target in c("population", "sample")) for (k in 0:1) for (prob in c(0.5, 0.8, 0.9, 0.95, 0.99)) {
    class <- rep(0:1, each = 5) == k
    known <- target == "sample"
    accepted <- vapply(1:5, function(t) {
      w <- class * ((bin <= t) - prob)
      S <- sum(w * theta)
      each <- drop(drop(w %*% scores)^2 %*% channel) - known * w^2
      # S members are moved above t: to the levels there, or beyond the last.
      above <- if (t < 5) mean(each[class & bin > t]) else prob^2 * (member - known)
      S^2 <= qnorm(0.975)^2 * (sum(theta * each) + S * (above - mean(each[class & bin <= t]))) / n
    }, NA)
    found <- rr_quantile(rr_margin(joint, "bin", given = "x", target = target), prob)
    found <- found[found$x == k, ]
    expect_identical(found$conf.high, max(c(2:5, Inf)[accepted], found$estimate))
    expect_identical(found$conf.low, min(which(accepted), found$estimate))
  }
})

test_that("without randomization cumulative shares are proportions, and Fieller's limits are Wilson's", {
  d <- data.frame(y = c(1, 2, 2, 3, 4, 5, 6, 7, 8, 9), x = rep(0:1, 5))
  found <- rr_contrast(rr_predictor(y ~ 0 + x, d, list(x = rr_binary(1, 0, levels = 0:1))), c(0, 4, 9), cumulative = TRUE)
  expect_equal(found$estimate, c(0, 3 / 5, 1, 0, 2 / 5, 1), tolerance = 1e-12)
  # Wilson's limits of 3 in 5 and of 5 in 5.
  wilson <- function(x, n) as.vector(suppressWarnings(prop.test(x, n, correct = FALSE))$conf.int)
  expect_equal(c(found$conf.low[2], found$conf.high[2]), wilson(3, 5), tolerance = 1e-12)
  expect_equal(c(found$conf.low[6], found$conf.high[6]), wilson(5, 5), tolerance = 1e-12)
  expect_equal(c(found$conf.low[1], found$conf.high[1]), wilson(0, 5), tolerance = 1e-12)
  expect_equal(found$std.error[2], sqrt(0.6 * 0.4 / 5), tolerance = 1e-12)
})

test_that("without randomization quantiles are those whose share Wilson's test accepts, up to both ends", {
  d <- data.frame(y = c(1:100, 101:200), x = rep(0:1, each = 100))
  direct <- list(x = rr_binary(1, 0, levels = 0:1))
  probs <- c(0, 0.01, 0.02, 0.25, 0.5, 0.95, 0.99, 1)
  found <- rr_quantile(rr_predictor(y ~ 0 + x, d, direct), probs)
  # Which numbers of 100 below t are compatible with a share, by |x - n p| <= z sqrt(n p (1 - p)).
  for (i in seq_along(probs)) {
    p <- probs[i]
    accepted <- which(abs(0:100 - 100 * p) <= qnorm(0.975) * sqrt(100 * p * (1 - p)) + 1e-12) - 1
    expect_identical(found$conf.low[i], c(-Inf, 1:100)[min(accepted) + 1])
    expect_identical(found$conf.high[i], c(1:100, Inf)[max(accepted) + 1])
    # By enumeration of the binomial numbers below the quantile: normal theory at the estimated share covers .63 at .99.
    covered <- sum(dbinom(accepted, 100, p))
    expect_gte(covered, 0.92)
  }
  # Any scale of the weights is the same.
  scaled <- function(scale) rr_quantile(rr_predictor(y ~ 0 + x, d, direct, weights = rep(scale, 200)), probs)
  for (scale in c(1e155, 1e-165)) expect_identical(scaled(scale)$conf.high, found$conf.high)
})

test_that("quantiles and cumulative shares near the end of a rare class cover", {
  skip_on_cran()
  set.seed(35)
  warner <- rr_warner(0.8, levels = 0:1)
  probs <- c(0.01, 0.5, 0.95, 0.99)
  covered <- replicate(200, {
    truth <- rbinom(120, 1, 0.3)
    y <- rexp(120, 2 - truth)
    d <- data.frame(y, x = rr_perturb(truth, warner, rng = "R"))
    fit <- rr_predictor(y ~ 0 + x, d, list(x = warner))
    found <- suppressMessages(rr_quantile(fit, probs))[5:8, ]
    shares <- rr_contrast(fit, qexp(probs), cumulative = TRUE)[5:8, ]
    c(found$conf.low <= qexp(probs) & found$conf.high >= qexp(probs), shares$conf.low <= probs & shares$conf.high >= probs)
  })
  # 93 in 100 of 200, three standard deviations of 0.018 below; the estimated share's variance gave .3 at .99.
  expect_gte(min(rowMeans(covered, na.rm = TRUE)), 0.93 - 3 * 0.018)
})

test_that("rates that differ by row are kept apart, by both methods, and in finite populations", {
  set.seed(34)
  n <- 400
  truth <- rbinom(n, 1, 0.5)
  rate <- sample(c("low", "high"), n, TRUE)
  p <- ifelse(rate == "low", 0.95, 0.7)
  d <- data.frame(o = 1 + truth + rnorm(n), x = ifelse(runif(n) < p, truth, 1 - truth), rate)
  two <- list(x = list(low = rr_warner(0.95, levels = 0:1), high = rr_warner(0.7, levels = 0:1)))
  moments <- rr_predictor(o ~ x, d, two, arm = ~rate)
  u <- (d$x - (1 - p)) / (2 * p - 1)
  expect_equal(coef(moments)[[2]], sum(u * d$o) / sum(u) - sum((1 - u) * d$o) / sum(1 - u), tolerance = 1e-10)
  # The likelihood by hand: at its maximum no parameter raises it.
  ml <- rr_predictor(o ~ x, d, two, arm = "rate", method = "ml")
  loglik <- function(b, share, sigma) {
    given <- cbind(ifelse(d$x == 0, p, 1 - p), ifelse(d$x == 1, p, 1 - p))
    sum(log(given[, 1] * (1 - share) * dnorm(d$o, b[1], sigma) + given[, 2] * share * dnorm(d$o, b[1] + b[2], sigma)))
  }
  share <- plogis(coef(ml, "truth")[[1]])
  top <- loglik(coef(ml), share, sigma(ml))
  expect_equal(as.numeric(logLik(ml)), top, tolerance = 1e-10)
  for (step in c(-1e-3, 1e-3)) {
    expect_lt(loglik(coef(ml) + c(step, 0), share, sigma(ml)), top)
    expect_lt(loglik(coef(ml) + c(0, step), share, sigma(ml)), top)
    expect_lt(loglik(coef(ml), share + step, sigma(ml)), top)
  }
  skip_if_not_installed("survey")
  # A census: what is left is the randomization, (u^2 - u) (o - mean)^2 of each row for the mean of a class.
  d$all <- n
  census <- rr_predictor(o ~ 0 + x, survey::svydesign(ids = ~1, fpc = ~all, data = d), two, arm = rate)
  own <- sum((u^2 - u) * (d$o - coef(census)[[2]])^2) / sum(u)^2
  expect_equal(vcov(census)[2, 2], own, tolerance = 1e-8)
})

test_that("what cannot be answered is refused, NA, or infinite", {
  d <- data.frame(y = 1:12, z = 1:12, x = c(rep("no", 10), "yes", "no"))
  warner <- rr_warner(0.8)
  fit <- rr_predictor(y ~ 0 + x, d, list(x = warner))
  # Fewer reported yes than a prevalence of 0 gives: its total is negative.
  expect_message(found <- rr_quantile(fit, 0.5), class = "candor_message_empty")
  expect_identical(is.na(found$estimate), c(FALSE, TRUE))
  expect_true(all(is.na(limits_of(found[0, ], "yes"))) && is.na(found$conf.low[2]) && is.na(found$conf.high[2]))
  expect_message(between <- rr_quantile(fit, 0.5, difference = TRUE), class = "candor_message_empty")
  expect_true(is.na(between$estimate) && is.na(between$conf.low))
  # A total above 0, but by less than its error.
  few <- rr_quantile(rr_predictor(y ~ 0 + x, transform(d, x = c(rep("no", 9), rep("yes", 3))), list(x = warner)), 0.5)
  expect_identical(c(few$conf.low[2], few$conf.high[2]), c(-Inf, Inf))
  expect_identical(few$std.error[2], NA_real_)
  expect_output(print(few), "infinite")
  expect_refused(rr_quantile(rr_predictor(y ~ z + x, d, list(x = warner))), rr_quantile(rr_predictor(x ~ z, d, list(x = warner))),
                 rr_quantile(fit, 1.5), rr_quantile(fit, target = "both"), rr_quantile(fit, difference = NA), rr_quantile(fit, breaks = 1:3),
                 rr_contrast(fit, "a", cumulative = TRUE), rr_contrast(fit))
  arms <- list(x = list(a = warner, b = rr_warner(0.7)))
  expect_refused(rr_predictor(y ~ 0 + x, d, arms), rr_predictor(x ~ z, transform(d, a = "a"), arms, arm = a))
  expect_error(rr_predictor(y ~ 0 + x, transform(d, a = "c"), arms, arm = a), class = "candor_error_mismatch")
  other <- list(x = list(a = warner, b = rr_warner(0.7, levels = c("nein", "ja"))))
  expect_error(rr_predictor(y ~ 0 + x, transform(d, a = "a"), other, arm = a), class = "candor_error_mismatch")
  joint <- rr_estimate(rr_counts(c(40, 10, 10, 40), rr_product(a = warner, b = warner)), method = "inv")
  expect_refused(rr_quantile(rr_margin(joint, c("a", "b"))), rr_quantile(rr_margin(joint, "a", given = "b"), breaks = 1:2))
})

test_that("intervals of quantiles cover: 2,000 respondents, 20 in 100 of a class, a lognormal variable", {
  skip_on_cran()
  set.seed(35)
  warner <- rr_warner(0.75)
  covered <- replicate(120, {
    truth <- rbinom(2000, 1, 0.2)
    d <- data.frame(y = rlnorm(2000, truth, 0.7), x = c("no", "yes")[1 + ifelse(runif(2000) < 0.75, truth, 1 - truth)])
    found <- rr_quantile(rr_predictor(y ~ 0 + x, d, list(x = warner)), 0.75)
    target <- qlnorm(0.75, 0:1, 0.7)
    found$conf.low <= target & target <= found$conf.high
  })
  # 95 in 100 of 120, four standard deviations of 0.02; above, all of them.
  expect_gt(min(rowMeans(covered)), 0.95 - 4 * 0.02)
})

test_that("shares of a class and their limits do not depend on the unit of the weights", {
  shares <- function(unit) {
    sums <- list(
      below = unit * c(3, 11, 20), total = unit * 20, member = unit * 0.8,
      variances = list(below = unit^2 * c(4, 7, 9), cross = unit^2 * c(2, 5, 9), total = unit^2 * 9)
    )
    with_calls(class_shares, class_sums = function(classes, k) sums)(NULL, 1L, 0:3, 1.96)
  }
  expected <- shares(1)
  expect_equal(expected$estimate, c(0, 3, 11, 20) / 20)
  for (unit in c(1e-3, 0.03, 0.3, 50)) expect_equal(shares(unit), expected, tolerance = 1e-10)
  # Fieller's limits: the roots of S^2 - z^2 V with S = below - p total.
  p <- c(expected$conf.low[3], expected$conf.high[3])
  S <- 11 - p * 20
  V <- 7 - 2 * p * 5 + p^2 * 9 - S * 0.8 * (1 - 2 * p)
  expect_equal(S^2, 1.96^2 * V, tolerance = 1e-8)
})

test_that("shares up to a value by hand: the standard error of a ratio, limits at every share, classes that may be empty", {
  set.seed(36)
  d <- class_survey(120)
  warner <- rr_warner(0.8, levels = 0:1)
  fit <- suppressMessages(rr_predictor(y ~ 0 + x, d, list(x = warner), weights = w))
  points <- c(-1, 0.1, 0.75, 2, 30)
  u <- scores_of(d$x)
  tested <- seq(0, 1, 5e-4)
  for (level in c(0.5, 0.95)) {
    shares <- rr_contrast(fit, points, cumulative = TRUE, conf.level = level)
    expect_identical(as.numeric(as.character(shares$x)), rep(c(0, 1), each = 5))
    for (k in 1:2) for (i in seq_along(points)) {
      row <- shares[shares$x == k - 1 & shares$value == points[i], ]
      s <- function(p) d$w * u[, k] * ((d$y <= points[i]) - p)
      share <- sum(s(0)) / sum(d$w * u[, k])
      expect_equal(row$estimate, share, tolerance = 1e-12)
      expect_equal(row$std.error, sqrt(sum(s(share)^2)) / sum(d$w * u[, k]), tolerance = 1e-10)
      member <- warner_square() * sum(d$w^2 * u[, k]) / sum(d$w * u[, k])
      accepted <- vapply(tested, function(p) sum(s(p))^2 <= qnorm((1 + level) / 2)^2 * (sum(s(p)^2) + moved(s(p), member, p)), NA)
      limits <- pmin(pmax(range(share, tested[accepted]), 0), 1)
      expect_lt(max(abs(c(row$conf.low, row$conf.high) - limits)), 5.1e-4)
    }
  }
  # Without points: at all values.
  expect_identical(rr_contrast(fit, cumulative = TRUE)$value, rep(sort(unique(d$y)), 2))
  # A class may be empty: any share, or none.
  few <- function(yes) rr_contrast(rr_predictor(y ~ 0 + x, data.frame(y = 1:12, x = rep(0:1, c(12 - yes, yes))), list(x = warner)), 6, cumulative = TRUE)[2, ]
  expect_identical(c(few(3)$conf.low, few(3)$conf.high), c(0, 1))
  expect_identical(is.na(unlist(few(1)[c("estimate", "std.error", "conf.low", "conf.high")], use.names = FALSE)), rep(TRUE, 4))
})

test_that("quantiles and shares of classes do not depend on the unit of the weights, though their squares overflow", {
  set.seed(37)
  d <- class_survey(60)
  warner <- list(x = rr_warner(0.8, levels = 0:1))
  fits <- lapply(c(1, 1e200, 1e-200), function(unit) suppressMessages(rr_predictor(y ~ 0 + x, transform(d, w = w * unit), warner, weights = w)))
  for (fit in fits[-1]) for (target in c("population", "sample")) {
    expect_equal(rr_quantile(fit, c(0, 0.3, 0.6), target = target), rr_quantile(fits[[1]], c(0, 0.3, 0.6), target = target), tolerance = 1e-9)
    expect_equal(as.data.frame(rr_contrast(fit, 1:3, cumulative = TRUE)), as.data.frame(rr_contrast(fits[[1]], 1:3, cumulative = TRUE)), tolerance = 1e-9)
  }
  expect_identical(names(rr_contrast(fits[[1]], 1:3, cumulative = TRUE))[1:6], c("x", "value", "estimate", "std.error", "conf.low", "conf.high"))
})

test_that("running variances of sums, of sums of groups and of totals are those of each sum by itself", {
  d <- c(1, -2, 3, 0.5, 4, -1)
  last_rows <- c(2L, 3L, 6L)
  group <- c("b", "a", "b", "a", "c", "c")
  factor <- c(2, 3, 2, 3, 0.5, 0.5)
  variance <- function(spread, prob) spread$below - 2 * prob * spread$cross + prob^2 * spread$total
  for (prob in c(0, 0.3, 1)) {
    s <- lapply(last_rows, function(last) d * ((seq_along(d) <= last) - prob))
    expect_equal(variance(square_spread(d^2, last_rows), prob), vapply(s, function(s) sum(s^2), 0))
    expect_equal(variance(total_spread(cumsum(d)[last_rows], 0.7), prob), vapply(s, function(s) 0.7 * sum(s)^2, 0))
    of_groups <- vapply(s, function(s) sum(tapply(s, group, sum)^2 * c(3, 2, 0.5)), 0)
    expect_equal(variance(group_spread(d, last_rows, factor, group), prob), of_groups)
    both <- add_spread(square_spread(d^2, last_rows), group_spread(d, last_rows, factor, group))
    expect_equal(variance(both, prob), vapply(s, function(s) sum(s^2), 0) + of_groups)
  }
})

test_that("the mean square of a score, given the truth, is the sum over the reports, for several covariates, rows and weights", {
  set.seed(38)
  d <- data.frame(y = c(3, 1, 2, 1, 5, 4, 4, 2), a = rep(0:1, 4), b = rep(c("u", "v", "w"), length.out = 8), w = c(1, 2, 1, 1, 3, 1, 2, 1))
  three <- rr_channel(rbind(c(0.8, 0.1, 0.1), c(0.2, 0.7, 0.1), c(0, 0.1, 0.9)), levels = c("u", "v", "w"))
  fit <- suppressMessages(rr_predictor(y ~ 0 + a:b, d, list(a = rr_warner(0.8, levels = 0:1), b = three), weights = w))
  rows <- fit$rows
  C <- list(rbind(c(0.8, 0.2), c(0.2, 0.8)), rbind(c(0.8, 0.1, 0.1), c(0.2, 0.7, 0.1), c(0, 0.1, 0.9)))
  # E(u^2) of each truth: the sum over reports of P(report | truth) times the square of the entry of the inverse.
  one <- lapply(C, function(C) rowSums(C * t(solve(C)^2)))
  cells <- as.data.frame(rows$cells)
  of_cells <- one[[1]][match(as.character(cells$a), c("0", "1"))] * one[[2]][match(as.character(cells$b), c("u", "v", "w"))]
  expect_equal(unname(truth_squares(rows)), matrix(of_cells, 8, 6, byrow = TRUE), tolerance = 1e-10)
  for (target in c("population", "sample")) {
    classes <- read_classes(fit, target)
    expect_identical(classes$values, c(1, 2, 3, 4, 5))
    expect_identical(classes$sizes, c(2L, 2L, 1L, 2L, 1L))
    expect_identical(classes$last_rows, c(2L, 4L, 5L, 7L, 8L))
    u <- solve(C[[1]])[d$a + 1, ][, match(as.character(cells$a), c("0", "1"))] *
      solve(C[[2]])[match(d$b, c("u", "v", "w")), ][, match(as.character(cells$b), c("u", "v", "w"))]
    expect_equal(unname(classes$u), unname(u[order(d$y), ]), tolerance = 1e-10)
    w <- d$w / 3
    expect_equal(unname(classes$total), unname(colSums(w * u)), tolerance = 1e-10)
    expect_equal(unname(classes$squares), unname(colSums(w^2 * u) * of_cells), tolerance = 1e-10)
    for (k in c(1, 4)) {
      sums <- class_sums(classes, k)
      s <- (w * u[, k])[order(d$y)]
      noise <- if (target == "sample") (w^2)[order(d$y)] else 0 * w
      expect_equal(sums$below, cumsum(s)[c(2, 4, 5, 7, 8)], tolerance = 1e-10)
      expect_equal(sums$total, sum(s), tolerance = 1e-10)
      expect_equal(sums$member, (sum(w^2 * u[, k]) * of_cells[k] - sum(noise * u[order(d$y), k])) / sum(s), tolerance = 1e-10)
    }
  }
})

test_that("replicates that count for nothing are in no variance and in no centre", {
  skip_if_not_installed("survey")
  set.seed(39)
  d <- class_survey(40)
  warner <- list(x = rr_warner(0.8, levels = 0:1))
  weights <- d$w * matrix(rexp(40 * 6), 40)
  design <- function(columns, rscales, mse = FALSE) {
    survey::svrepdesign(data = d, weights = ~w, repweights = weights[, columns], type = "other", scale = 0.5, rscales = rscales,
                        combined.weights = TRUE, mse = mse)
  }
  for (mse in c(FALSE, TRUE)) {
    counted <- rr_predictor(y ~ 0 + x, design(2:6, c(1, 0.2, 1, 3, 1), mse), warner)
    more <- rr_predictor(y ~ 0 + x, design(1:6, c(0, 1, 0.2, 1, 3, 1), mse), warner)
    # The degrees of freedom are of all replicates.
    more$df.residual <- counted$df.residual
    expect_equal(as.data.frame(rr_quantile(more, 0.4, difference = TRUE)), as.data.frame(rr_quantile(counted, 0.4, difference = TRUE)), tolerance = 1e-8)
    expect_equal(as.data.frame(rr_contrast(more, 1, cumulative = TRUE)), as.data.frame(rr_contrast(counted, 1, cumulative = TRUE)), tolerance = 1e-8)
  }
})

test_that("quantiles of classes are quartiles of the population without differences unless others are wanted", {
  set.seed(40)
  fit <- rr_predictor(y ~ 0 + x, class_survey(80), list(x = rr_warner(0.8, levels = 0:1)))
  expect_identical(rr_quantile(fit), rr_quantile(fit, c(0.25, 0.5, 0.75), 0.95, target = "population", difference = FALSE))
  expect_false(identical(rr_quantile(fit)$conf.low, rr_quantile(fit, target = "sample")$conf.low))
})

test_that("rows of weight 0 change nothing of quantiles in true classes", {
  device <- rr_warner(0.75)
  set.seed(6)
  for (n in rep(60, 40)) {
    data <- data.frame(y = rnorm(n), class = sample(device$levels, n, TRUE), w = sample(0:3, n, TRUE))
    quantiles_of <- function(data) {
      table <- quietly(rr_quantile(rr_predictor(y ~ 0 + class, data, list(class = device), weights = w), c(0.1, 0.5, 0.9)))
      table[c("estimate", "conf.low", "conf.high")]
    }
    expect_equal(quantiles_of(data), quantiles_of(subset(data, w > 0)), tolerance = 1e-12)
  }
})
