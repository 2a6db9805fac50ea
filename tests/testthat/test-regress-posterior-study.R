# Posteriors of a channel that a validation study measured. Truth: golden vectors (exact rationals, Beta mixtures with 40
# digits), enumeration of the true answers behind the reports, probabilities that add up to 1.

posterior_cases <- function(op) Filter(function(case) case$input$op == op, golden("doors_validated"))

measured <- function(table, ...) {
  names <- c("no", "yes")
  if (nrow(table) > 2) names <- letters[seq_len(nrow(table))]
  reports <- if (ncol(table) == nrow(table)) names else paste0("r", seq_len(ncol(table)))
  rr_misclassification(table = structure(table, dimnames = list(names, reports)), ...)
}

study_posterior_of <- function(input, validation = "external", ...) {
  mechanism <- measured(input$validation, validation = validation)
  rr_posterior(rr_counts(input$counts, mechanism), prior = stats::setNames(input$prior, mechanism$levels), ...)
}

test_that("yes/no questions: the golden mixtures, and the answers' probabilities add up to 1", {
  for (case in posterior_cases("posterior_external")) {
    fit <- study_posterior_of(case$input)
    row <- tidy(fit)[2, ]
    quantiles <- quantile(fit, c(0.025, 0.5, 0.975))
    expect_golden(c(row$estimate, row$std.error), unlist(case$expected$yes[c("mean", "sd")]), 1e-8)
    expect_golden(quantiles["yes", ], case$expected$yes$quantiles, 1e-6)
    expect_equal(unname(quantiles["no", ]), 1 - rev(unname(quantiles["yes", ])), tolerance = 1e-10)
    expect_equal(vcov(fit)[1, 2], -row$std.error^2)
    # A share is above its quantile with the probability that is left.
    above <- summary(fit, above = quantiles["yes", ])
    expect_equal(above$probability[above$term == "yes"], c(0.975, 0.5, 0.025), tolerance = 1e-7)
    expect_equal(sum(summary(fit, above = 0.1)$probability + rev(summary(fit, above = 0.9)$probability)), 2, tolerance = 1e-9)
  }
  mechanism <- measured(rbind(c(5, 1), c(2, 7)))
  evidence <- vapply(0:6, function(k) glance(rr_posterior(rr_counts(c(6 - k, k), mechanism), prior = c(2, 3)))$log.evidence, 0)
  expect_equal(sum(choose(6, 0:6) * exp(evidence)), 1, tolerance = 1e-12)
})

test_that("summary() of a posterior without a region is the posterior; a known channel has regions too", {
  fit <- rr_posterior(rr_counts(c(no = 7, yes = 3), rr_binary(1, 0)))
  expect_identical(summary(fit), fit)
  expect_equal(summary(fit, above = c(0.2, 0.9))$probability, pbeta(c(0.2, 0.2, 0.9, 0.9), c(8, 4, 8, 4), c(4, 8, 4, 8), lower.tail = FALSE), tolerance = 1e-8)
  expect_refused(summary(fit, above = 20), summary(fit, above = NA))
  three <- withr::with_seed(1, rr_posterior(rr_counts(c(a = 300, b = 50, c = 50), rr_grr(c("a", "b", "c"), epsilon = 3)), n = 500))
  expect_equal(summary(three, above = 0.1)$probability, unname(colMeans(three$draws > 0.1)))
})

# The posterior by enumeration: of n[y] reports t[x, y] have the truth x.
enumerated_posterior <- function(V, counts, prior) {
  splits <- function(n) if (nrow(V) == 2) cbind(0:n, n:0) else {
    pairs <- as.matrix(expand.grid(0:n, 0:n))
    pairs <- pairs[rowSums(pairs) <= n, ]
    cbind(pairs, n - rowSums(pairs))
  }
  by_report <- lapply(counts, splits)
  index <- as.matrix(expand.grid(lapply(by_report, function(s) seq_len(nrow(s)))))
  log_beta <- function(a) sum(lgamma(a)) - lgamma(sum(a))
  terms <- apply(index, 1, function(i) {
    r <- vapply(seq_along(i), function(y) by_report[[y]][i[y], ], numeric(nrow(V)))
    ways <- sum(lgamma(counts + 1)) - sum(lgamma(r + 1))
    c(ways + log_beta(prior + rowSums(r)) + sum(vapply(seq_len(nrow(V)), function(x) log_beta(1 + V[x, ] + r[x, ]), 0)), prior + rowSums(r))
  })
  weight <- exp(terms[1, ] - max(terms[1, ]))
  shape <- terms[-1, ]
  total <- sum(prior) + sum(counts)
  mean <- drop(shape %*% weight) / sum(weight) / total
  second <- drop((shape * (shape + 1)) %*% weight) / sum(weight) / total / (total + 1)
  list(mean = mean, sd = sqrt(second - mean^2))
}

# Means of draws are within four of their errors. Their standard deviation has the relative error sqrt(1 / 2 n).
expect_draws <- function(fit, mean, sd) {
  row <- tidy(fit)
  worth <- glance(fit)$effective
  expect_lte(max(abs(row$estimate - mean) / sd) * sqrt(worth), 4)
  expect_lte(max(abs(row$std.error / sd - 1)) * sqrt(2 * worth), 5)
}

test_that("more categories: independent draws, of golden moments", {
  for (case in posterior_cases("posterior_external_small")) {
    V <- case$input$validation
    sd <- sqrt(diag(case$expected$vcov))
    enumerated <- enumerated_posterior(V, case$input$counts, case$input$prior)
    expect_golden(c(enumerated$mean, enumerated$sd), c(case$expected$mean, sd), 1e-8)
    if (nrow(V) == 2) {
      expect_golden(vcov(study_posterior_of(case$input)), case$expected$vcov, 1e-8)
      next
    }
    set.seed(5)
    fit <- study_posterior_of(case$input, n = 4000)
    expect_identical(glance(fit)$method, "independent draws")
    expect_gt(glance(fit)$effective, 500)
    expect_draws(fit, case$expected$mean, sd)
    expect_lte(max(abs(vcov(fit) - case$expected$vcov)), 0.004)
    # A prior that is not uniform.
    prior <- c(4, 1, 2)
    weighted <- enumerated_posterior(V, case$input$counts, prior)
    expect_draws(study_posterior_of(replace(case$input, "prior", list(prior)), n = 4000), weighted$mean, weighted$sd)
  }
})

test_that("more reports than truths, and reports that no truth explains well: data augmentation", {
  V <- rbind(c(6, 2, 1), c(1, 3, 7))
  truth <- enumerated_posterior(V, c(5, 4, 6), c(1, 2))
  set.seed(2)
  fit <- rr_posterior(rr_counts(c(5, 4, 6), measured(V)), prior = c(no = 1, yes = 2), n = 150)
  expect_match(glance(fit)$method, "augmentation")
  expect_draws(fit, truth$mean, truth$sd)
  # All of three truths report what few of them do.
  V <- rbind(c(30, 1, 1), c(1, 30, 1), c(30, 2, 40))
  fit <- rr_posterior(rr_counts(c(1, 1, 60), measured(V)), n = 20)
  expect_match(glance(fit)$method, "augmentation")
})

test_that("many answers of a yes/no question: draws as of the mixture", {
  V <- rbind(c(450, 50), c(60, 340))
  counts <- c(2600, 1000)
  exact <- rr_posterior(rr_counts(counts, measured(V)))
  set.seed(4)
  drawn <- candor:::independent_posterior(counts, V, c(1, 1), 4000)
  expect_lte(max(abs(drawn$mean - coef(exact)) / tidy(exact)$std.error) * sqrt(drawn$effective), 4)
  # 3,201 times 3,201 terms are too many.
  expect_refused(rr_posterior(rr_counts(c(3200, 3200), measured(V))))
  expect_identical(glance(rr_posterior(rr_counts(c(3200, 3200), measured(V)), n = 100))$method, "independent draws")
})

test_that("possible shares are drawn again as often as their weights say, up to one, if they are worth 1% of a batch", {
  batches <- 0
  drawn <- function(weights, n) {
    batches <<- 0
    with_calls(independent_posterior, propose_shares = function(counts, V, prior, n) {
      expect_identical(n, 1000)
      batches <<- batches + 1
      list(shares = cbind((batches - 1) * length(weights) + seq_along(weights), 1), log_weights = log(weights) - 800)
    })(NULL, NULL, NULL, n)
  }
  # Ten alike are worth 10 of 1000, nine are not, and none are worth nothing.
  posterior <- drawn(rep(3, 10), 10)
  expect_identical(posterior$draws[, 1], as.double(1:10))
  expect_equal(posterior$effective, 10)
  for (weights in list(rep(3, 9), numeric())) expect_null(drawn(weights, 10))
  # 1, 2, ..., 20 are worth 210^2 / 2870; each prefix of the rows comes as often as its weight, up to one.
  for (n in c(20, 40)) {
    posterior <- drawn(1:20, n)
    expect_identical(batches, n / 20)
    expect_equal(posterior$effective, n / 20 * 210^2 / 2870)
    counts <- tabulate(posterior$draws[, 1], n)
    expect_lt(max(abs(cumsum(counts) - cumsum(rep(1:20, n / 20)) / 210 * 20)), 1)
  }
})

test_that("shares of two batches keep their weights, and one draw or one possible share is a row", {
  batches <- 0
  weights <- list(1:20, 20:1)
  of <- function(n) {
    batches <<- 0
    with_calls(independent_posterior, propose_shares = function(counts, V, prior, n) {
      batches <<- batches + 1
      list(shares = cbind((batches - 1) * 20 + 1:20, 1), log_weights = log(weights[[batches]]))
    })(NULL, NULL, NULL, n)
  }
  drawn <- of(40)$draws[, 1]
  # Each prefix of the rows comes as often as its weight says, up to one.
  expect_lt(max(abs(cumsum(tabulate(drawn, 40)) - cumsum(unlist(weights)) / 420 * 40)), 1)
  expect_identical(dim(of(1)$draws), c(1L, 2L))
  one <- withr::with_seed(1, propose_shares(c(1e9, 3e9), 1e9 * rbind(c(0.9, 0.1), c(0.2, 0.8)), c(1, 1), 1))
  # P(yes) = 0.75 = 0.1 + 0.7 theta.
  expect_equal(one$shares, cbind(1 - 0.65 / 0.7, 0.65 / 0.7), tolerance = 1e-3)
  expect_length(one$log_weights, 1)
})

test_that("proposals of counts without end are the shares that the channel inverts, with the density of theirs", {
  # Numbers of 1e16 have a relative error of 1e-8: theta = phi C^-1, weight prod(theta^(prior - 1)) / |det C|.
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.1, 0.8), c(0.05, 0.8, 0.15))
  theta <- c(0.5, 0.2, 0.3)
  prior <- c(2, 1, 4)
  proposals <- withr::with_seed(1, propose_shares(1e16 * drop(theta %*% C), 1e16 * C, prior, 5))
  expect_equal(proposals$shares, matrix(theta, 5, 3, byrow = TRUE), tolerance = 1e-6)
  expect_equal(proposals$log_weights, rep(log(0.5 * 0.3^3) - log(abs(det(C))), 5), tolerance = 1e-6)
  # Nobody of any distribution reports the first answer so often.
  none <- withr::with_seed(1, propose_shares(1e16 * c(0.9, 0.05, 0.05), 1e16 * C, prior, 5))
  expect_identical(dim(none$shares), c(0L, 3L))
})

test_that("draws of the mixture and of its groups", {
  set.seed(6)
  mechanism <- measured(rbind(c(95, 5), c(10, 40)))
  tally <- rr_counts(cbind(a = c(880, 120), b = c(800, 200)), mechanism)
  fit <- rr_posterior(tally, n = 2000)
  row <- tidy(fit)[2, ]
  expect_lte(abs(mean(fit$draws[[1]][, "yes"]) - row$estimate), 4 * row$std.error / sqrt(2000))
  expect_equal(coef(fit)[3:4], coef(rr_posterior(rr_counts(c(800, 200), mechanism))), ignore_attr = TRUE)
  # Groups share the error of the study.
  expect_true(all(is.na(vcov(fit)[1:2, 3:4])))
})

test_that("internal studies: golden moments, draws, groups of labels", {
  for (case in posterior_cases("posterior_internal")) {
    set.seed(7)
    fit <- study_posterior_of(case$input, "internal", n = 4000)
    expect_golden(coef(fit), case$expected$mean, 1e-8)
    expect_golden(vcov(fit), case$expected$vcov, 1e-8)
    draws <- as.matrix(as.data.frame(fit))
    expect_lte(max(abs(colMeans(draws) - case$expected$mean) / sqrt(diag(case$expected$vcov))), 4 / sqrt(4000))
    expect_equal(unname(cov(draws)), case$expected$vcov, tolerance = 0.1)
  }
  expect_refused(study_posterior_of(case$input, "internal"))
  # A group of labels in the data is a study of its own.
  data <- data.frame(g = rep(c("u", "v"), c(100, 140)), verdict = rep(c("no", "yes", "no", "yes"), c(60, 40, 70, 70)))
  data$truth <- NA
  data$truth[c(1:12, 61:70, 101:115, 171:180)] <- rep(c("no", "yes", "yes", "no", "no", "yes", "yes"), c(10, 2, 8, 2, 14, 1, 10))
  tally <- rr_tally(data, rr_misclassification(labels = "truth"), column = "verdict", by = "g")
  fit <- rr_posterior(tally, n = 50)
  V <- table(data$truth[1:100], data$verdict[1:100])
  alone <- rr_posterior(rr_counts(c(48, 30), measured(unclass(V), validation = "internal")), n = 50)
  expect_equal(coef(fit)[1:2], coef(alone), ignore_attr = TRUE)
})

test_that("a yes/no question whose products of answers are few has a mixture, else independent draws, else data augmentation", {
  posterior <- with_calls(study_posterior,
    mixture_posterior = function(counts, V, prior, n) list("mixture", counts, V, prior, n),
    independent_posterior = function(counts, V, prior, n) if (counts[1] < 5000) list("independent", counts, V, prior, n),
    drawn_posterior = function(counts, channel, prior, n, V) list("drawn", counts, channel, prior, n, V),
    labelled_posterior = function(V, counts, prior, n) list("labelled", V, counts, prior, n)
  )
  V <- matrix(1:4, 2)
  of <- function(counts, n, V) posterior(list(validation = V), counts, "channel", "prior", n)
  # 3162^2 < 1e7 < 3163^2.
  expect_identical(of(c(3161, 3161), 0, V), list("mixture", c(3161, 3161), V, "prior", 0))
  expect_identical(of(c(3162, 3162), 9, V), list("independent", c(3162, 3162), V, "prior", 9))
  expect_identical(of(c(5000, 5000), 9, V), list("drawn", c(5000, 5000), "channel", "prior", 9, V))
  expect_refused(of(c(3162, 3162), 0, V), of(1:3, 0, diag(3)))
  expect_identical(of(1:3, 9, diag(3))[[1]], "independent")
  expect_identical(of(1:3, 9, matrix(1, 2, 3))[[1]], "drawn")
  expect_identical(posterior(list(internal = V), 1:2, "channel", "prior", 9), list("labelled", V, 1:2, "prior", 9))
})

test_that("the two steps of a mixture: a convolution of exponentials, and Beta distributions whose sum is linear", {
  expect_equal(log_convolution(log(1:3), log(4:5)), log(c(4, 13, 22, 15)))
  # 2 (1 - x) / 4 + 2 x 3 / 4 = 1 / 2 + x: a mean of 7 / 12, a mean square of 5 / 12.
  mixture <- beta_mixture(c(1, 3) / 4, 1:2, 2:1, 0)
  expect_equal(mixture$mean, c(5, 7) / 12)
  expect_equal(mixture$sd, rep(sqrt(11), 2) / 12)
  expect_equal(mixture$covariance(), 11 / 144 * cbind(c(1, -1), c(-1, 1)))
  for (x in c(0, 0.2, 0.7, 1)) {
    expect_equal(mixture$above(x)[2], 1 - (x + x^2) / 2)
    expect_equal(mixture$above(1 - x)[1], (x + x^2) / 2)
    expect_equal(mixture$quantile((x + x^2) / 2)[2], x)
    expect_equal(mixture$quantile(1 - (x + x^2) / 2)[1], 1 - x)
  }
})

test_that("possible shares are those of the drawn channels and reported shares, weighted by the prior and the channel's determinant", {
  drawn <- list(cbind(c(0.63, 0.05, 0.5), c(0.37, 0.95, 0.5)), cbind(c(0.9, 0.9, 0.8), c(0.1, 0.1, 0.2)), cbind(c(0.2, 0.2, 0.4), c(0.8, 0.8, 0.6)))
  shapes <- NULL
  proposals <- with_calls(propose_shares, draw_dirichlet = function(n, shape) {
    shapes <<- rbind(shapes, c(n, shape))
    drawn[[nrow(shapes)]]
  })(c(7, 3), rbind(c(9, 1), c(2, 8)), c(2, 4), 3)
  expect_equal(shapes, rbind(c(3, 8, 4), c(3, 10, 2), c(3, 3, 9)))
  # The second reported share is beyond the channel: 0.95 > 0.8.
  yes <- c((0.37 - 0.1) / 0.7, (0.5 - 0.2) / 0.4)
  expect_equal(proposals, list(shares = cbind(1 - yes, yes, deparse.level = 0), log_weights = log(1 - yes) + 3 * log(yes) - log(c(0.7, 0.4))))
})

test_that("a mixture is the posterior by enumeration of the truths behind the reports, and its evidence the probability of the reports", {
  log_beta <- function(a) sum(lgamma(a)) - lgamma(sum(a))
  V <- rbind(c(5, 1), c(2, 7))
  for (prior in list(c(2, 3), c(1, 1), c(4, 0.5))) {
    evidence <- vapply(0:5, function(yes) {
      counts <- c(5 - yes, yes)
      found <- mixture_posterior(counts, V, prior, 0)
      known <- enumerated_posterior(V, counts, prior)
      expect_equal(found[c("mean", "sd")], known, tolerance = 1e-10)
      # i of the reported no and j of the reported yes have the truth yes.
      splits <- expand.grid(i = 0:counts[1], j = 0:counts[2])
      terms <- Map(function(i, j) {
        choose(counts[1], i) * choose(counts[2], j) *
          exp(log_beta(prior + c(5 - i - j, i + j)) - log_beta(prior) +
                log_beta(1 + V[1, ] + counts - c(i, j)) - log_beta(1 + V[1, ]) + log_beta(1 + V[2, ] + c(i, j)) - log_beta(1 + V[2, ]))
      }, splits$i, splits$j)
      expect_equal(found$evidence, log(sum(unlist(terms))), tolerance = 1e-10)
      found$evidence
    }, 0)
    expect_equal(sum(choose(5, 0:5) * exp(evidence)), 1, tolerance = 1e-10)
  }
})

test_that("quantiles of a mixture of 0 and 1 are the ends, and its draws have its mean and are of all components", {
  mixture <- withr::with_seed(3, beta_mixture(c(0.25, 0.75), c(900, 100), c(100, 900), 4000))
  expect_identical(mixture$quantile(c(0, 1)), rbind(c(0, 1), c(0, 1)))
  yes <- mixture$draws[, 2]
  expect_equal(mixture$draws[, 1], 1 - yes)
  # The components lie near 0.9 and 0.1: 4 standard errors of a share of a quarter.
  expect_lt(abs(mean(yes > 0.5) - 0.25), 4 * sqrt(0.25 * 0.75 / 4000))
  expect_equal(mean(yes[yes > 0.5]), 0.9, tolerance = 0.01)
  expect_equal(mean(yes[yes < 0.5]), 0.1, tolerance = 0.02)
  expect_identical(mixture$effective, 4000)
  expect_identical(dim(beta_mixture(1, 2, 3, 0)$draws), c(0L, 2L))
})
