# Counts are made by hand here, also those that no truth makes likely.
rr_estimate <- estimate_odd

# The support law, by a protocol that lives in one file outside the package: helper-toy-unary.R.

colours <- c("red", "green", "blue")

test_that("a protocol of one file prints, and says its law", {
  expect_snapshot({
    toy_unary(colours)
    rr_law(toy_unary(colours))
  })
})

test_that("it perturbs: each bit has its probability, and the generator is the one asked for", {
  mechanism <- toy_unary(colours, 0.8, 0.3)
  set.seed(1)
  first <- rr_perturb(rep(colours, each = 2e4), mechanism, rng = "R")
  set.seed(1)
  expect_identical(rr_perturb(rep(1:3, each = 2e4), mechanism, rng = "R"), first)
  expect_identical(dim(first), c(60000L, 3L))
  share <- rowsum(first + 0, rep(1:3, each = 2e4)) / 2e4
  expected <- diag(0.5, 3) + 0.3
  # Nine binomial shares: 4.5 standard errors each.
  expect_true(all(abs(share - expected) < 4.5 * sqrt(expected * (1 - expected) / 2e4)))
  expect_identical(dim(rr_perturb("red", mechanism)), c(1L, 3L))
})

bits <- rbind(c(1, 0, 0), c(1, 1, 0), c(0, 0, 0), c(1, 1, 1), c(0, 1, 0)) == 1

test_that("it tallies: groups, weights, missing reports, and c() of parts", {
  mechanism <- toy_unary(colours)
  tally <- rr_tally(bits, mechanism)
  expect_identical(unclass(tally)[c("counts", "n", "effective_n")], list(counts = c(3, 3, 1), n = 5, effective_n = 5))
  expect_identical(tidy(tally)$share, c(0.6, 0.6, 0.2))
  group <- c("b", "a", "b", "a", "a")
  grouped <- rr_tally(bits, mechanism, by = group)
  expect_identical(unclass(grouped)[c("counts", "n")], list(counts = cbind(c(2, 3, 1), c(1, 0, 0)), n = c(3, 2)))
  expect_identical(grouped$groups$group, c("a", "b"))
  parts <- c(rr_tally(bits[1:2, ], mechanism, by = group[1:2]), rr_tally(bits[3:5, ], mechanism, by = group[3:5]))
  expect_identical(unclass(parts)[c("counts", "n", "groups", "effective_n")], unclass(grouped)[c("counts", "n", "groups", "effective_n")])
  expect_identical(c(rr_tally(bits[1:2, ], mechanism), rr_tally(bits[3:5, ], mechanism))$n, 5)
  weights <- c(1, 2, 3, 4, 5)
  weighted <- rr_tally(bits, mechanism, weights = weights)
  expect_equal(weighted$counts, drop(weights %*% bits), ignore_attr = TRUE)
  expect_equal(c(weighted$n, weighted$effective_n), c(15, 225 / 55))
  holes <- rbind(bits, NA)
  expect_message(dropped <- rr_tally(holes, mechanism, na.rm = TRUE, weights = c(weights, 9)), "1 missing")
  expect_equal(unclass(dropped)[c("counts", "n", "effective_n")], unclass(weighted)[c("counts", "n", "effective_n")])
  expect_refused(rr_tally(bits, mechanism, weights = 1), rr_tally(bits, mechanism, by = 1:2))
})

test_that("counts that exist need the number of respondents", {
  mechanism <- toy_unary(colours)
  tally <- rr_counts(c(green = 3, red = 3, blue = 1), mechanism, n = 5)
  expect_identical(unclass(tally)[c("counts", "n")], unclass(rr_tally(bits, mechanism))[c("counts", "n")])
  expect_identical(rr_counts(cbind(a = c(3, 3, 1), b = c(0, 0, 0)), mechanism, n = c(5, 4))$n, c(5, 4))
  expect_refused(rr_counts(c(3, 3, 1), mechanism), rr_counts(c(3, 3, 1), mechanism, n = c(5, 5)))
  expect_refused(rr_counts(c(3, 3, 1), mechanism, n = 2), class = "counts")
  expect_refused(rr_counts(c(5, 6), rr_warner(0.8), n = 12), class = "mismatch")
  expect_identical(rr_counts(c(5, 6), rr_warner(0.8), n = 11)$n, 11)
})

# Every outcome of the bits of N respondents, and its probability if their truths are fixed.
outcomes <- function(n, k) as.matrix(expand.grid(rep(list(0:1), n * k)))
probabilities <- function(reports, truths, p, q, k) {
  chance <- ifelse(as.vector(outer(truths, seq_len(k), "==")), p, q)
  exp(drop(reports %*% log(chance) + (1 - reports) %*% log1p(-chance)))
}

test_that("inversion is unbiased and its covariances are, for both targets, by enumeration", {
  # N = 3 respondents, K = 2 or 3 categories, p < q too: all 2^(N K) reports.
  for (case in list(list(k = 3, p = 0.75, q = 0.25), list(k = 2, p = 0.6, q = 0.1), list(k = 3, p = 0.2, q = 0.5))) {
    k <- case$k
    mechanism <- toy_unary(letters[seq_len(k)], case$p, case$q)
    reports <- outcomes(3, k)
    counts <- t(apply(reports, 1, function(r) colSums(matrix(r, 3))))
    # One estimate for each vector of counts, a row each: the enumeration meets each many times.
    keys <- apply(counts, 1, paste, collapse = " ")
    fits <- t(apply(counts[!duplicated(keys), ], 1, function(x) {
      fit <- rr_estimate(rr_counts(x, mechanism, n = 3), method = "inv")
      c(coef(fit), outer(coef(fit), coef(fit)), vcov(fit), vcov(fit, target = "sample"))
    }))[match(keys, unique(keys)), ]
    means <- function(probability) {
      parts <- split(drop(probability %*% fits), rep(1:4, c(k, k^2, k^2, k^2)))
      c(list(estimate = unname(parts[[1]])), lapply(stats::setNames(parts[-1], c("square", "population", "sample")), matrix, k))
    }
    for (truths in list(c(1, 1, 2), c(2, 2, 2), seq_len(3) %% k + 1)) {
      mean <- means(probabilities(reports, truths, case$p, case$q, k))
      theta <- tabulate(truths, k) / 3
      expect_equal(mean$estimate, theta, tolerance = 1e-12)
      expect_equal(mean$sample, mean$square - outer(theta, theta), tolerance = 1e-12)
    }
    # Sampled truths: every triple of truths with its probability under theta.
    theta <- prop.table(seq_len(k)^2)
    triples <- as.matrix(expand.grid(rep(list(seq_len(k)), 3)))
    mean <- means(Reduce(`+`, apply(triples, 1, function(truths) {
      prod(theta[truths]) * probabilities(reports, truths, case$p, case$q, k)
    }, simplify = FALSE)))
    expect_equal(mean$estimate, theta, tolerance = 1e-12)
    expect_equal(mean$population, mean$square - outer(theta, theta), tolerance = 1e-12)
  }
})

test_that("the overlap of supports enters the covariance: subset selection, by enumeration", {
  # One report is a subset of 2 of 4 categories, with E = e^epsilon times the probability if it holds the truth.
  k <- 4
  E <- 3
  sets <- utils::combn(k, 2)
  member <- apply(sets, 2, function(s) seq_len(k) %in% s)
  chance <- t(vapply(seq_len(k), function(x) prop.table(ifelse(member[x, ], E, 1)), numeric(ncol(sets))))
  both <- function(x, v, w) sum(chance[x, member[v, ] & member[w, ]])
  law <- rr_new_law("support", both(1, 1, 1), both(1, 2, 2), both(1, 1, 2), both(1, 2, 3))
  evidence <- function(counts, n) new_evidence(law, counts, n, n, k)
  truths <- c(1, 1, 3)
  triples <- as.matrix(expand.grid(rep(list(seq_len(ncol(sets))), 3)))
  weight <- apply(triples, 1, function(i) prod(chance[cbind(truths, i)]))
  counts <- apply(triples, 1, function(i) rowSums(member[, i]))
  estimates <- apply(counts, 2, function(c) law_unbiased(law, evidence(c, 3)))
  theta <- tabulate(truths, k) / 3
  expect_equal(drop(estimates %*% weight), theta, tolerance = 1e-12)
  covariances <- apply(counts, 2, function(c) law_covariance(law, evidence(c, 3), identity_map(k), seq_len(k), "sample"))
  expect_equal(matrix(covariances %*% weight, k), estimates %*% (weight * t(estimates)) - outer(theta, theta), tolerance = 1e-12)
  # A subset of 2 of 4 supports two: the estimates add up to 1 whatever the reports, and no variance is left of the sum.
  expect_equal(colSums(estimates), rep(1, ncol(estimates)), tolerance = 1e-12)
  expect_equal(sum(covariances %*% weight), 0, tolerance = 1e-12)
})

test_that("Wilson's and exact intervals are those of the binomial counts, carried through", {
  mechanism <- toy_unary(colours)
  fit <- rr_estimate(rr_counts(c(400, 300, 260), mechanism, n = 1000), method = "inv", interval = "exact")
  expected <- t(vapply(c(400, 300, 260), function(x) (stats::binom.test(x, 1000)$conf.int - 0.25) / 0.5, numeric(2)))
  expect_equal(unname(confint(fit)), pmin(pmax(expected, 0), 1), tolerance = 1e-10)
  wilson <- t(vapply(c(400, 300, 260), function(x) (stats::prop.test(x, 1000, correct = FALSE)$conf.int - 0.25) / 0.5, numeric(2)))
  expect_equal(unname(confint(fit, interval = "wilson")), pmin(pmax(wilson, 0), 1), tolerance = 1e-8)
  # GRR is the support law of sets of one category: the same intervals, the same standard errors.
  grr <- rr_grr(3, epsilon = 1)
  counts <- c(500, 300, 200)
  direct <- rr_estimate(rr_counts(counts, grr), method = "inv")
  law <- rr_new_law("support", grr$p, grr$q, 0, 0)
  for (target in c("population", "sample")) {
    evidence <- new_evidence(law, counts, 1000, 1000, 3)
    expect_equal(law_covariance(law, evidence, identity_map(3), 1:3, target), unname(vcov(direct, target = target)), tolerance = 1e-12)
    expect_equal(law_covariance(law, evidence, list(support = c(TRUE, FALSE, TRUE), alpha = 1.1, u = c(0.5, 0, 0.5), unbiased = FALSE), 1:3, target),
                 law_covariance(rr_law(grr), new_evidence(rr_law(grr), counts, 1000, 1000, 3),
                                list(support = c(TRUE, FALSE, TRUE), alpha = 1.1, u = c(0.5, 0, 0.5), unbiased = FALSE), 1:3, target),
                 tolerance = 1e-10)
    for (interval in c("wilson", "exact")) {
      bounds <- law_intervals(law, evidence, unname(coef(direct)), interval, 0.9, 1:3, target)
      direct$target <- target
      expect_equal(cbind(pmax(bounds$low, 0), pmin(bounds$high, 1)), unname(confint(direct, level = 0.9, interval = interval)), tolerance = 1e-12)
    }
  }
})

test_that("what follows from the inversion is there, the rest is refused by the law", {
  mechanism <- toy_unary(colours)
  tally <- rr_counts(c(540, 300, 240), mechanism, n = 1000)
  inv <- c(0.58, 0.10, -0.02)
  expect_equal(unname(coef(rr_estimate(tally, method = "inv"))), inv)
  expect_equal(unname(coef(rr_estimate(tally, method = "norm"))), inv + (1 - sum(inv)) / 3)
  expect_equal(unname(coef(rr_estimate(tally, method = "invn"))), c(0.58, 0.10, 0) / 0.68)
  expect_equal(sum(coef(rr_estimate(tally, method = "invp"))), 1)
  # Adding the same to all so that the sum is known takes its noise away.
  norm <- rr_estimate(tally, method = "norm")
  expect_equal(sum(vcov(norm)), 0, tolerance = 1e-12)
  expect_lt(sum(diag(vcov(norm))), sum(diag(vcov(rr_estimate(tally, method = "inv")))))
  for (method in subset(rr_methods(), grepl("inverse", needs) & standard.error)$method) {
    fit <- rr_estimate(tally, method = method)
    # Finite, but for what is held at 0.
    expect_identical(is.finite(tidy(fit)$std.error), unname(coef(fit)) != 0, label = method)
  }
  contrast <- rr_contrast(rr_estimate(tally, method = "inv"), c("red", "green"))
  expect_equal(contrast$std.error, sqrt(sum(vcov(rr_estimate(tally, method = "inv"))[1:2, 1:2])))
  expect_identical(glance(norm)$logLik, NA_real_)
  expect_equal(unname(fitted(rr_estimate(tally, method = "inv"))), c(540, 300, 240))
  for (method in rr_methods()$method[!grepl("inverse|shares|support|binomial", rr_methods()$needs)]) {
    expect_error(rr_estimate(tally, method = method), class = "candor_error_law")
  }
  expect_refused(rr_estimate(tally, method = "inv", interval = "profile"), rr_estimate(tally, method = "inv", interval = "bootstrap"),
                 rr_matrix(mechanism), class = "law")
  expect_error(rr_estimate(rr_counts(c(3, 4, 5), toy_unary(colours, 0.5, 0.5), n = 10), method = "inv"), class = "candor_error_no_information")
  expect_snapshot(rr_estimate(tally, method = "inv"))
})

test_that("a protocol that can simulate its counts has a bootstrap", {
  mechanism <- toy_unary(colours, simulate = function(mechanism, truth, nsim) {
    k <- length(truth)
    matrix(rbinom(k * nsim, truth, mechanism$p) + rbinom(k * nsim, sum(truth) - truth, mechanism$q), k)
  })
  tally <- rr_counts(c(400, 300, 260), mechanism, n = 1000)
  set.seed(2)
  for (target in c("population", "sample")) {
    fit <- rr_estimate(tally, method = "inv", interval = "bootstrap", replications = 2000, target = target)
    plain <- rr_estimate(tally, method = "inv", target = target)
    # The bootstrap draws from the projected estimate, which is close here; a standard deviation of 2,000 draws is known to 1.6 %.
    expect_equal(tidy(fit)$std.error, tidy(plain)$std.error, tolerance = 0.1)
  }
})

test_that("laws are checked", {
  expect_refused(rr_law(3), rr_new_law("support", p = 2, q = 0.1), rr_new_mechanism("two words", 3, epsilon = 1, design = "d"))
  expect_refused(rr_new_mechanism("mine", 3))
})

test_that("a category mechanism of one constructor and a law does all that the package's own do", {
  mine <- rr_new_mechanism("toy_grr", c("a", "b", "c"), epsilon = log(0.6 / 0.2), design = "Toy")
  registerS3method("rr_law", "rr_toy_grr", function(mechanism) rr_new_law("additive", 0.4, 0.2), envir = asNamespace("candor"))
  own <- rr_grr(c("a", "b", "c"), p = 0.6)
  counts <- c(50, 30, 20)
  expect_equal(coef(rr_estimate(rr_counts(counts, mine))), coef(rr_estimate(rr_counts(counts, own))), tolerance = 1e-12)
  expect_equal(rr_matrix(mine), rr_matrix(own), tolerance = 1e-12)
  expect_length(rr_perturb(c("a", "b"), mine), 2)
  product <- rr_product(x = mine, y = rr_warner(0.8))
  expect_equal(unname(rr_matrix(product)), kronecker(unname(rr_matrix(rr_warner(0.8))), unname(rr_matrix(own))), tolerance = 1e-12)
  channel <- rr_new_law("channel", list(unname(rr_matrix(own)), unname(rr_matrix(rr_warner(0.8)))))
  expect_equal(law_matrix(channel, 6), unname(rr_matrix(product)), tolerance = 1e-12)
  study <- rr_study(c(0.5, 0.3, 0.2), epsilon = 1, n = 100, method = c("mle", "inv"), replications = 20, seed = 1,
                    mechanism = function(k, epsilon) mine, progress = FALSE)
  expect_true(all(is.finite(study$estimate)))
})

test_that("a simulated survey has the errors that its standard errors say", {
  mechanism <- toy_unary(colours)
  theta <- c(0.6, 0.3, 0.1)
  set.seed(11)
  n <- 500
  # 400 surveys are groups of one tally.
  reports <- rr_perturb(sample(3, 400 * n, TRUE, theta), mechanism, rng = "R")
  tally <- rr_tally(reports, mechanism, by = rep(1:400, each = n))
  estimates <- matrix(coef(rr_estimate(tally, method = "inv")), ncol = 3, byrow = TRUE)
  m <- 0.25 + 0.5 * theta
  expect_true(all(abs(colMeans(estimates) - theta) < 4 * sqrt(m * (1 - m) / (n * 0.25) / 400)))
  # A variance of 400 draws has a relative standard error of sqrt(2 / 399).
  expect_true(all(abs(apply(estimates, 2, var) / (m * (1 - m) / (n * 0.25)) - 1) < 4 * sqrt(2 / 399)))
})

test_that("what a law of supports has one of a category has one length, whichever two differ", {
  expect_refused(
    checked_support(c(0.6, 0.7), c(0.1, 0.2, 0.3), difference = 0.4), checked_support(c(0.6, 0.7), 0.1, c(0.1, 0.1, 0.1), difference = 0.4),
    checked_support(0.6, c(0.1, 0.2), NULL, matrix(0.01, 3, 3), difference = 0.4), checked_support(0.6, 0.1, difference = c(0.5, 0.5), both_own = rep(0.1, 3)),
    checked_support(0.6, 0.1, both_other = c(0.01, 0.01)), checked_support(0.6, 0.1, both_other = rbind(c(0, 0.1), c(0.2, 0))),
    checked_support(0.6, 0.1, both_own = matrix(0.1, 2, 3)), checked_support(1.6, 0.1), checked_support(0.6, -0.1), checked_support(0.6, 0.1, both_own = 1.1)
  )
  law <- checked_support(c(a = 0.6, b = 0.7), 0.1, c(0.06, 0.07), matrix(0.01, 2, 2, dimnames = list(1:2, 1:2)))
  expect_equal(law[c("p", "q", "both_own", "both_other", "difference")],
    list(p = c(0.6, 0.7), q = 0.1, both_own = c(0.06, 0.07), both_other = matrix(0.01, 2, 2), difference = c(0.5, 0.6)))
  expect_identical(c(law_impossible(new_law_support(c(0.6, 0, 0), c(0.1, 0, 0.1)), c(1, 2, 3)), law_impossible(law, c(1, 2))), c(2L, 0L))
  expect_identical(law_impossible(new_law_support(c(0.6, 0), c(0.1, 0)), c(1, 0)), 0L)
  bits <- bits_law(0.7, 0.2)
  expect_equal(bits[c("both_own", "both_other", "odds", "difference")], list(both_own = 0.14, both_other = 0.04, odds = 0.5 / (0.2 * 0.3), difference = 0.5))
  expect_true(bits$has_likelihood)
  expect_false(law$has_likelihood)
  expect_identical(c(law_gives(law, "binomial"), law_gives(new_law_support(0.3, 0.3), "binomial")), c(TRUE, FALSE))
  expect_equal(pair_block(c(1, 2, 3), c(3L, 1L), NULL), rbind(c(3, 3), c(1, 1)))
  expect_equal(pair_block(5, 1:2, NULL), matrix(5, 2, 2))
  expect_identical(pair_block(NULL, 1:2, "independent"), "independent")
})
