# Counts are random, enumerated or at the edges on purpose.
rr_estimate <- estimate_odd

grr_counts <- function(k, s, epsilon, n, replication = 0) {
  form <- rr_law(rr_grr(k, epsilon = epsilon))
  .Call(C_rr_study_counts, zipf_shares(k, s), NULL, n, form$a, form$b, form$odds, 17, 1, replication, 1)[, 1]
}

test_that("the three valid estimates are one ramp with three thresholds", {
  # max(0, n - t) / sum max(0, n - t): the claim that `combine` rests on.
  for (s in c(0.01, 1.3, 2.5)) {
    counts <- grr_counts(80, s, 2, 3000)
    form <- rr_law(rr_grr(80, epsilon = 2))
    profile <- count_profile(counts, 3000)
    ramp <- function(t) pmax(0, counts - t) / sum(pmax(0, counts - t))
    # The threshold of the likelihood solves sum max(0, n - t) = t (e^epsilon - 1).
    likelihood <- stats::uniroot(function(t) sum(pmax(0, counts - t)) - t * expm1(2), c(0, max(counts)), tol = 1e-12)$root
    t <- c(invn = 3000 * form$b, mle = likelihood, invp = projection_threshold(profile, form$a))
    for (m in names(t)) {
      expect_equal(ramp(t[[m]]), estimate_counts(rr_grr(80, epsilon = 2), counts, m, 3000)$estimate, tolerance = 1e-9)
    }
    expect_false(is.unsorted(t))
  }
})

test_that("leaving one report out estimates the inner product without bias", {
  # Every multinomial outcome of N = 4 reports in K = 3 categories, and a fixed threshold: the estimate from N reports with one taken
  # away is an estimate from N - 1, so that its mean is the inner product at N - 1.
  form <- list(a = 0.4, b = 0.2)
  theta <- c(0.6, 0.3, 0.1)
  m <- form$b + form$a * theta
  outcomes <- function(n) {
    all <- as.matrix(expand.grid(0:n, 0:n, 0:n))
    all[rowSums(all) == n, ]
  }
  f <- function(x, t) pmax(0, x - t) / sum(pmax(0, x - t))
  mean_inner <- function(n, t) {
    rows <- outcomes(n)
    sum(apply(rows, 1, function(x) stats::dmultinom(x, prob = m) * sum(theta * f(x, t))))
  }
  mean_estimate <- function(n, t) {
    rows <- outcomes(n)
    sum(apply(rows, 1, function(x) stats::dmultinom(x, prob = m) * threshold_moments(count_profile(x, sum(x)), form, t)$inner))
  }
  # Below 1/3 of a report the threshold keeps some report of N - 1 = 3 wherever they lie.
  expect_equal(mean_estimate(4, 0), mean_inner(3, 0), tolerance = 1e-12)
  expect_equal(mean_estimate(5, 0.25), mean_inner(4, 0.25), tolerance = 0.02)
})

# All tallies of n reports in k categories, one a row.
all_tallies <- function(n, k) {
  if (k == 1) return(matrix(n))
  do.call(rbind, lapply(0:n, function(first) cbind(first, all_tallies(n - first, k - 1), deparse.level = 0)))
}

# The estimate of each of some tallies, the rows of a matrix: as groups of one tally, which are estimated apart.
estimate_of <- function(tallies, mechanism, method) {
  counts <- matrix(t(tallies), ncol(tallies), dimnames = list(NULL, paste("tally", seq_len(nrow(tallies)))))
  fit <- rr_estimate(rr_counts(counts, mechanism), method = method)
  estimates <- matrix(coef(fit), ncol = nrow(tallies))
  names <- apply(tallies, 1, paste, collapse = " ")
  function(counts) estimates[, match(paste(counts, collapse = " "), names)]
}

test_that("the unbiased risk is that of leaving each report out, in every tally of a few reports", {
  skip_on_cran()
  methods <- c("inv", "invn", "invp", "norm_sub", "mle", "norm_cut", "combine", "merged", "base_cut", "power")
  cases <- list(list(n = 6, mechanism = rr_grr(3, epsilon = 1.2)), list(n = 4, mechanism = rr_grr(4, epsilon = 0.4)),
                list(n = 2, mechanism = rr_grr(3, epsilon = 3)), list(n = 9, mechanism = rr_warner(0.8)),
                list(n = 9, mechanism = rr_crosswise(0.25)), list(n = 7, mechanism = rr_binary(0.99, 0.01)))
  for (case in cases) {
    mechanism <- case$mechanism
    # Unbiased for the probabilities of the truths given one report, whatever the mechanism.
    inverse <- solve(rr_matrix(mechanism))
    n <- case$n
    tallies <- all_tallies(n, length(mechanism$levels))
    names <- apply(tallies, 1, paste, collapse = " ")
    for (m in methods) {
      estimate <- estimate_of(tallies, mechanism, m)
      estimate_fewer <- estimate_of(all_tallies(n - 1, length(mechanism$levels)), mechanism, m)
      by_hand <- apply(tallies, 1, function(counts) {
        left_out <- vapply(which(counts > 0), function(i) counts[i] / n * sum(inverse[i, ] * estimate_fewer(counts - (seq_along(counts) == i))), 0)
        pairs <- 0
        # |theta|^2 from all ordered pairs of two reports.
        for (i in which(counts > 0)) for (j in which(counts > 0)) pairs <- pairs + counts[i] * (counts[j] - (i == j)) * sum(inverse[i, ] * inverse[j, ])
        sum(estimate(counts)^2) - 2 * sum(left_out) + pairs / (n * (n - 1))
      })
      ours <- apply(tallies, 1, function(counts) unbiased_risk(mechanism, as.double(counts), m, n))
      expect_equal(stats::setNames(ours, names), stats::setNames(by_hand, names), tolerance = 1e-9, label = paste(mechanism$design, m))
    }
  }
})

test_that("the unbiased risk is unbiased, but for asking one report less about the truth", {
  # Exact means over all tallies of 6 reports, and of 5.
  mechanism <- rr_grr(3, epsilon = 1.2)
  theta <- c(0.6, 0.3, 0.1)
  reported <- drop(theta %*% rr_matrix(mechanism))
  mean_of <- function(n, f) {
    tallies <- all_tallies(n, 3)
    sum(apply(tallies, 1, stats::dmultinom, prob = reported) * apply(tallies, 1, function(x) f(as.double(x))))
  }
  for (m in c("invn", "invp", "mle", "combine", "norm_cut")) {
    estimate <- function(x) unname(coef(rr_estimate(rr_counts(x, mechanism), method = m)))
    expected <- mean_of(6, function(x) sum(estimate(x)^2)) - 2 * mean_of(5, function(x) sum(theta * estimate(x))) + sum(theta^2)
    expect_equal(mean_of(6, function(x) unbiased_risk(mechanism, x, m, sum(x))), expected, tolerance = 1e-10)
  }
})

test_that("the choice suits the data", {
  mechanism <- rr_grr(200, epsilon = 2)
  choose <- function(s) rr_choose_method(rr_counts(grr_counts(200, s, 2, 5000), mechanism), method = c("invn", "invp", "mle"), seed = 1)
  even <- choose(0.01)
  expect_equal(c(even$method[1], choose(2.5)$method[1]), c("invn", "invp"))
  expect_false(is.unsorted(even$risk))
  expect_equal(c(sum(even$wins), even$bias2 + even$variance), c(1, even$risk), tolerance = 1e-9)
  expect_identical(choose(0.01), even)
})

test_that("combined, merged and smoothed estimates are distributions", {
  estimate <- function(counts, mechanism, method) unname(coef(rr_estimate(rr_counts(counts, mechanism), method = method)))
  grr <- rr_grr(50, epsilon = 2)
  for (m in c("combine", "merged", "smoothed")) {
    shares <- estimate(grr_counts(50, 1.3, 2, 2000), grr, m)
    expect_true(all(shares >= 0) && abs(sum(shares) - 1) < 1e-12)
  }
  # Nothing but noise: the uniform distribution. No randomization: the shares. Merging nothing is maximum likelihood.
  for (m in c("combine", "merged")) expect_equal(estimate(rep(20, 50), rr_grr(50, epsilon = 1), m), rep(1 / 50, 50))
  expect_equal(estimate(c(3, 0, 5), rr_grr(3, p = 1), "combine"), c(3, 0, 5) / 8)
  clear <- list(c(500, 400, 300), rr_grr(3, epsilon = 3))
  expect_equal(estimate(clear[[1]], clear[[2]], "merged"), estimate(clear[[1]], clear[[2]], "mle"))
  # Smoothing a smooth truth beats leaving it rough, and reversing the order reverses the estimate.
  smooth <- prop.table(exp(-((1:50) - 20)^2 / 200))
  form <- rr_law(grr)
  counts <- .Call(C_rr_study_counts, smooth, NULL, 3000, form$a, form$b, form$odds, 5, 1, 0, 1)[, 1]
  loss <- function(m) sum((estimate(counts, grr, m) - smooth)^2)
  expect_lt(loss("smoothed"), loss("mle") / 2)
  expect_equal(rev(estimate(counts, grr, "smoothed")), estimate(rev(counts), grr, "smoothed"), tolerance = 1e-9)
})

# A mechanism of every exported constructor of one question with a finite matrix.
one_question_mechanisms <- function() {
  list(
    rr_binary = rr_binary(0.8, 0.3), rr_binary = rr_binary(0.99, 0.01), rr_warner = rr_warner(0.8), rr_warner = rr_warner(0.2),
    rr_crosswise = rr_crosswise(0.25), rr_triangular = rr_triangular(0.3), rr_warner = rr_warner(0.7, t = 0.2), rr_binary = rr_binary(1, 0.3),
    rr_kuk = rr_kuk(0.8, 0.3),
    rr_grr = rr_grr(4, epsilon = 1), rr_grr = rr_grr(4, p = 0.1), rr_forced = rr_forced(c(0.1, 0.3)),
    rr_forced = rr_forced(c(0.1, 0.2, 0.3)), rr_unrelated = rr_unrelated(0.7, 0.3), rr_unrelated = rr_unrelated(0.7, 0.5),
    rr_channel = rr_channel(matrix(c(0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.1, 0.2, 0.7), 3, byrow = TRUE)),
    # More truths than reports, and more reports than truths.
    rr_channel = rr_channel(matrix(c(0.5, 0.5, 0.2, 0.8, 0.35, 0.65), 3, byrow = TRUE)),
    rr_channel = rr_channel(matrix(c(0.5, 0.3, 0.2, 0.2, 0.3, 0.5), 2, byrow = TRUE)),
    rr_square_wave = rr_square_wave(4, epsilon = 1), rr_square_wave = rr_square_wave(0:4, 1, reports = 6),
    rr_geometric = rr_geometric(4, epsilon = 1), rr_misclassification = rr_misclassification(0.9, 0.8),
    rr_compose = rr_compose(rr_warner(0.8), rr_warner(0.9)), rr_compose = rr_compose(rr_warner(0.8), rr_forced(c(0.1, 0.2))),
    rr_longitudinal = rr_longitudinal(permanent = rr_grr(4, epsilon = 2), instantaneous = rr_grr(4, epsilon = 1)),
    rr_noncompliance = rr_noncompliance(rr_warner(0.8), 0.1), rr_noncompliance = rr_noncompliance(rr_warner(0.8), 0.1, "no")
  )
}

test_that("every mechanism has a default choice", {
  mechanisms <- c(one_question_mechanisms(), rr_anchor = list(rr_anchor(rr_warner(0.8), 0.9, "yes")),
                  rr_product = list(rr_product(a = rr_warner(0.8), b = rr_kuk(0.7, 0.2))))
  # No constructor is left out: each exported one calls one of these.
  makers <- Filter(function(name) {
    body <- all.names(body(getExportedValue("candor", name)))
    any(c("new_rr_binary", "new_rr_mechanism", "new_rr_channel", "new_rr_innocuous", "rr_compose") %in% body)
  }, getNamespaceExports("candor"))
  protocols <- c("rr_unary", "rr_subset", "rr_local_hash", "rr_hadamard", "rr_projective", "rr_dealt",
                 "rr_bitflip", "rr_mean", "rr_scramble", "rr_hierarchy",
                 "rr_bloom", "rr_count_mean_sketch", "rr_prefixes")
  expect_identical(setdiff(makers, c(names(mechanisms), protocols, "rr_new_mechanism")), character())
  refused <- character()
  for (i in seq_along(mechanisms)) {
    mechanism <- mechanisms[[i]]
    tally <- rr_counts(20 + 10 * seq_along(mechanism$reports), mechanism)
    choice <- rr_choose_method(tally, replications = 20, seed = 1)
    expect_true(all(is.finite(c(choice$risk, choice$mc.error, choice$wins))), label = names(mechanisms)[i])
    expect_true("mle" %in% choice$method)
    # What is left out is refused where it is named: once for all mechanisms of one constructor that leave out the same.
    left_out <- setdiff(c("inv", "invn", "invp", "combine"), choice$method)
    kind <- paste(c(names(mechanisms)[i], left_out), collapse = " ")
    for (m in if (!kind %in% refused) left_out) {
      class <- if (m == "combine") "candor_error_argument" else "candor_error_no_information"
      expect_error(rr_choose_method(tally, method = c("mle", m), seed = 1), class = class)
      expect_error(rr_estimate(tally, method = m), class = class)
    }
    refused <- c(refused, kind)
    # Where other answers are all alike, they are so by the matrix.
    C <- unname(rr_matrix(mechanism))
    alike <- nrow(C) == ncol(C) && diff(range(C[row(C) != col(C)])) < 1e-14 && diff(range(diag(C))) < 1e-14 && (C[1, 1] > C[1, 2] || nrow(C) == 2)
    expect_identical("combine" %in% choice$method, alike, label = names(mechanisms)[i])
    expect_identical(unname(is.finite(choice$unbiased)), rep(alike, nrow(choice)), label = names(mechanisms)[i])
  }
})

test_that("empirical Bayes competes from 20 categories on, where it can be had", {
  among <- function(mechanism) "eb" %in% rr_choose_method(rr_counts(20 + seq_along(mechanism$levels), mechanism), replications = 20, seed = 1)$method
  C <- matrix((1 - seq(0.5, 0.9, length.out = 20)) / 19, 20, 20)
  diag(C) <- seq(0.5, 0.9, length.out = 20)
  mechanisms <- list(rr_grr(20, epsilon = 1), rr_grr(19, epsilon = 1), rr_grr(20, p = 0.01), rr_channel(C))
  expect_identical(vapply(mechanisms, among, NA), c(TRUE, FALSE, FALSE, FALSE))
})

test_that("the risks of a yes/no question are those that all of its tallies have", {
  skip_on_cran()
  n <- 60
  for (mechanism in list(rr_warner(0.8), rr_warner(0.2), rr_kuk(0.8, 0.3))) {
    # Few of one answer, so that the methods differ.
    counts <- if (identical(mechanism$p, 0.2)) c(15, 45) else c(45, 15)
    choice <- rr_choose_method(rr_counts(counts, mechanism), replications = 300, seed = 5)
    p <- rr_matrix(mechanism)[, 2]
    # The smoothed truth: of `combine`, or the maximum of the likelihood (here by its one equation) with sqrt(n) uniform respondents.
    yes <- min(max((counts[2] / n - p[[1]]) / (p[[2]] - p[[1]]), 0), 1)
    truth <- if ("combine" %in% choice$method) unname(coef(rr_estimate(rr_counts(counts, mechanism), method = "combine")))[2]
      else (n * yes + sqrt(n) / 2) / (n + sqrt(n))
    chance <- stats::dbinom(0:n, n, p[[1]] + (p[[2]] - p[[1]]) * truth)
    for (i in seq_len(nrow(choice))) {
      estimates <- coef(rr_estimate(rr_counts(rbind(n - 0:n, 0:n, deparse.level = 0), mechanism), method = choice$method[i]))[2 * (0:n + 1)]
      risk <- 2 * sum(chance * (estimates - truth)^2)
      # Within 4.5 Monte Carlo standard errors.
      expect_lt(abs(choice$risk[i] - risk), 4.5 * choice$mc.error[i] + 1e-12)
      expect_equal(choice$bias2[i] + choice$variance[i], choice$risk[i], tolerance = 1e-9)
    }
  }
})

test_that("a device that speaks against the truth is one that speaks for the opposite, and k-ary response over two labels is Warner's", {
  share <- function(counts, mechanism, m) unname(coef(rr_estimate(rr_counts(counts, mechanism), method = m)))
  counts <- c(412, 188)
  for (m in c("combine", "merged", "mle")) {
    expect_equal(share(counts, rr_warner(0.2), m), share(rev(counts), rr_warner(0.8), m), tolerance = 1e-12)
    expect_equal(share(counts, rr_grr(2, epsilon = 1), m), share(counts, rr_warner(epsilon = 1), m), tolerance = 1e-12)
  }
  expect_error(share(c(3, 4, 5), rr_grr(3, p = 0.1), "combine"), class = "candor_error_argument")
})

test_that("weights tell no more than how many respondents they are worth", {
  mechanism <- rr_grr(10, epsilon = 2)
  reports <- rep(mechanism$levels, grr_counts(10, 1.2, 2, 500))
  plain <- rr_tally(reports, mechanism)
  methods <- setdiff(possible_methods(mechanism), "ibu")
  choose <- function(tally) lapply(rr_choose_method(tally, method = methods, replications = 20, seed = 1), identity)
  expected <- choose(plain)
  for (weight in c(0.1, 1e6)) {
    weighted <- rr_tally(reports, mechanism, weights = rep(weight, 500))
    for (m in possible_methods(mechanism)) {
      # Steps of the certified iteration end at the same place, to its tolerance.
      expect_equal(coef(rr_estimate(weighted, method = m)), coef(rr_estimate(plain, method = m)), tolerance = 1e-7)
    }
    expect_equal(choose(weighted), expected, tolerance = 1e-9)
  }
})


test_that("a larger risk is said in per cent, and from twice on as a multiple", {
  expect_identical(larger_words(1.084), "8.4% larger")
  expect_identical(larger_words(1.999), "100% larger")
  expect_identical(larger_words(2), "2 times as large")
  choice <- rr_choose_method(rr_counts(30:11 * 10, rr_grr(20, epsilon = 2)), method = c("mle", "inv"), replications = 20, seed = 1)
  lines <- utils::capture.output(print(choice))
  expect_match(lines[1], choice$method[1], fixed = TRUE)
  expect_match(lines[2], larger_words(choice$risk[2] / choice$risk[1]), fixed = TRUE)
})

test_that("a choice is for one tally that has reports, with replications in their range", {
  warner <- rr_warner(0.8)
  one <- rr_counts(c(45, 15), warner)
  choose <- function(x, replications = 20, seed = 1) rr_choose_method(x, method = c("mle", "inv"), replications = replications, seed = seed)
  expect_equal(choose(rr_counts(cbind(a = c(45, 15)), warner)), choose(one))
  expect_refused(choose(rr_counts(cbind(a = c(45, 15), b = c(30, 30)), warner)), choose(one, 19), choose(one, 1e7 + 1), choose(one, seed = -1))
  expect_refused(choose(rr_counts(c(0, 0), warner)), class = "empty")
  measured <- rr_misclassification(table = rbind(no = c(no = 60, yes = 20), yes = c(8, 72)))
  expect_refused(choose(rr_counts(c(45, 15), measured)), class = "law")
})

test_that("the unbiased risk needs two reports, and is left out for more than 200 different counts", {
  expect_identical(unbiased_risk(rr_warner(0.8), c(1, 0), "inv", 1), NA_real_)
  # By hand: sum phi (1 - phi) / (n - 1) / a^2, half of each.
  expect_equal(unbiased_risk(rr_warner(0.8), c(1, 1), "inv", 2), 0.5 / 0.6^2)
  risk <- function(k) unbiased_risk(rr_grr(k, epsilon = 6), as.double(seq_len(k)), "invn", k * (k + 1) / 2)
  expect_true(is.finite(risk(200)))
  expect_identical(risk(201), NA_real_)
  # A count of 0 is none of the 200: no report of it can be left out.
  expect_true(is.finite(unbiased_risk(rr_grr(201, epsilon = 6), as.double(0:200), "invn", 20100)))
})

test_that("a projection onto the shares that can be is never further from the truth, and other risks are unknown", {
  choice <- rr_choose_method(rr_counts(c(13, 15, 12), rr_grr(3, epsilon = 1)), method = c("invp", "inv"), replications = 20, seed = 1)
  expect_identical(choice$wins[match(c("invp", "inv"), choice$method)], c(1, 0))
  C <- matrix(c(0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.1, 0.2, 0.7), 3, byrow = TRUE)
  unknown <- list(unbiased_risk(rr_channel(C), c(4, 3, 3), "inv", 10), unbiased_risk(rr_grr(3, epsilon = 1), c(1, 0, 0), "inv", 1),
                  unbiased_risk(rr_grr(3, p = 1), c(4, 3, 3), "inv", 10))
  expect_identical(unknown, rep(list(NA_real_), 3))
  # Two reports: sum m (1 - m) / (n - 1) / a^2 at the shares 1 / 2, 1 / 2 and 0.
  expect_equal(unbiased_risk(rr_grr(3, p = 0.5), c(1, 1, 0), "inv", 2), 0.5 / 0.25^2)
})

test_that("methods of equal risk are best together, and the next one is named beside a risk above 0", {
  lines <- function(...) {
    choice <- with_class(tibble::tibble(method = c("mle", "inv", "invp")[seq_along(c(...))], risk = c(...)), "rr_choice")
    shown <- utils::capture.output(print(choice))
    lapply(shown[grepl("\"", shown)], function(line) regmatches(line, gregexpr("(?<=\")[a-z]+(?=\")", line, perl = TRUE))[[1]])
  }
  expect_identical(lines(1e-6, 1.5e-6), list("mle", "inv"))
  expect_identical(lines(2, 2 + 1e-9, 3), list(c("mle", "inv"), "invp"))
  expect_identical(lines(2e-6, 2.1e-6, 3e-6), list("mle", "inv"))
  expect_identical(lines(0, 0.1), list("mle"))
  expect_identical(lines(0, 0, 0.1), list(c("mle", "inv")))
  expect_identical(lines(0.1), list("mle"))
})
