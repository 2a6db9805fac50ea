# A tally of given sets and times.
golden_sets <- function(input) {
  mechanism <- golden_protocol(input)
  k <- input$K
  sets <- if (is.matrix(input$support_sets)) split(input$support_sets, row(input$support_sets)) else input$support_sets
  member <- t(vapply(sets, function(set) as.integer(seq_len(k) %in% unlist(set)), integer(k)))
  tally <- rr_counts(as.vector(input$times %*% member), mechanism, n = sum(input$times))
  tally$sets <- list(list(bits = .Call(candor:::C_rr_matrix_to_bits, unname(member))$bits, times = as.double(input$times)))
  tally
}

test_that("the own likelihood and its maximum are the golden ones", {
  for (case in golden("ldp_likelihood")) {
    tally <- golden_sets(case$input)
    fit <- rr_estimate(tally, method = "mle", tolerance = 1e-11)
    expect_lte(max(abs(coef(fit) - case$expected$mle)), 1e-6)
    evidence <- candor:::group_evidence(tally, 1)
    at <- candor:::law_loglik(evidence$law, evidence, case$input$at)
    expect_lte(abs(at - case$expected$loglik_at_up_to_constant), 1e-9)
    expect_lte(abs(as.numeric(logLik(fit)) - at - case$expected$loglik_mle_minus_at), 1e-9)
    expect_lte(fit$details[[1]]$gap, 1e-9)
  }
})

test_that("kept sets give the same counts, merge, and are the default's likelihood", {
  set.seed(1)
  x <- sample(6, 2000, TRUE, 6:1)
  for (m in list(rr_unary(6, 1), rr_subset(6, 1, size = 2), rr_local_hash(6, 1), rr_hadamard(6, 1, one_bit = TRUE))) {
    reports <- rr_perturb(x, m, rng = "R")
    tally <- rr_tally(reports, m, keep = "sets")
    expect_identical(tally$counts, rr_tally(reports, m)$counts)
    expect_equal(colSums(.Call(candor:::C_rr_bits_to_matrix, tally$sets[[1]]$bits, 6) * tally$sets[[1]]$times), tally$counts)
    group <- rep(c("a", "b"), 1000)
    grouped <- rr_tally(reports, m, by = group, keep = "sets")
    part <- function(which) rr_tally(if (is.data.frame(reports)) reports[which, ] else reports[which], m, keep = "sets")
    whole <- c(part(1:700), part(701:2000))
    fit <- rr_estimate(tally)
    expect_identical(fit$method, "mle")
    expect_equal(coef(rr_estimate(whole)), coef(fit), tolerance = 1e-5)
    expect_equal(coef(rr_estimate(rr_tally(if (is.data.frame(reports)) reports[group == "a", ] else reports[group == "a"], m, keep = "sets"))),
                 coef(rr_estimate(grouped))[1:6], tolerance = 1e-4, ignore_attr = TRUE)
    # An estimate that is held at 0 has no standard error in the table; vcov() has them all.
    expect_identical(is.na(tidy(fit)$std.error), unname(coef(fit) == 0))
    expect_true(all(diag(vcov(rr_estimate(tally, target = "sample"))) <= diag(vcov(fit)) + 1e-12))
  }
  expect_error(rr_tally(c("1", "2"), rr_grr(2, 1), keep = "sets"), class = "candor_error_argument")
})

test_that("standard errors of the own likelihood are right", {
  set.seed(2)
  m <- rr_unary(3, 1, optimized = FALSE)
  answers <- rep(1:3, c(500, 300, 200))
  fits <- replicate(300, {
    fit <- rr_estimate(rr_tally(rr_perturb(answers, m, rng = "R"), m, keep = "sets"), target = "sample")
    c(coef(fit), tidy(fit)$std.error)
  })
  sd <- apply(fits[1:3, ], 1, sd)
  expect_true(all(abs(sd / rowMeans(fits[4:6, ]) - 1) < 4 / sqrt(600)))
})

test_that("kept sets are no likelihood where the law does not say how much likelier a truth they support is", {
  m <- rr_unary(3, 1)
  law <- candor:::tally_law(rr_tally(rr_perturb(c(1, 2, 3, 3), m), m, keep = "sets"), 1)
  expect_true(candor:::law_gives(law, "likelihood"))
  law <- replace(rr_new_law("support", law$p, law$q), "sets", list(law$sets))
  expect_false(candor:::law_gives(law, "likelihood"))
})

test_that("maximum likelihood of reports keeps their sets itself", {
  truth <- withr::with_seed(3, sample(c("a", "b", "c"), 300, TRUE, c(0.6, 0.3, 0.1)))
  for (mechanism in list(
    rr_unary(c("a", "b", "c"), 2), rr_local_hash(c("a", "b", "c"), 2), rr_subset(c("a", "b", "c", "d"), 1),
    rr_bitflip(c("a", "b", "c"), 2), rr_bloom(c("a", "b", "c"), 4, bits = 16, hashes = 1, cohorts = 2)
  )) {
    reports <- withr::with_seed(4, rr_perturb(truth, mechanism, rng = "R"))
    direct <- rr_estimate(reports, mechanism, method = "mle")
    by_hand <- rr_estimate(rr_tally(reports, mechanism, keep = "sets"), method = "mle")
    expect_identical(coef(direct), coef(by_hand))
    # Counts alone, and methods that need no likelihood, keep none.
    expect_null(rr_estimate(reports, mechanism, method = "inv")$tally$sets)
  }
})

test_that("maximum likelihood of the reports of a hierarchy keeps their sets too", {
  tree <- rr_hierarchy(4, epsilon = 3, oracle = rr_unary)
  truth <- withr::with_seed(5, sample(4, 200, TRUE, c(4, 3, 2, 1)))
  reports <- withr::with_seed(6, rr_perturb(truth, tree, rng = "R"))
  by_hand <- rr_estimate(rr_tally(reports, tree, keep = "sets"), method = "mle")
  expect_identical(coef(rr_estimate(reports, tree, method = "mle")), coef(by_hand))
})
