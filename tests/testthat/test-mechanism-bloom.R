test_that("probabilities and levels are the golden ones", {
  for (case in golden("ldp_rappor")) {
    input <- case$input
    m <- rr_bloom(5, bits = input$bits, hashes = input$hashes, f = input$f, p = input$p, q = input$q)
    expect_golden(c(m$one, m$zero, rr_epsilon(m)), unlist(case$expected))
  }
  m <- rr_bloom(5, epsilon = 1, bits = 16, hashes = 2, permanent = 3)
  # By hand: 2 h log((1 - f/2) / (f/2)) and h log(q* (1 - p*) / (p* (1 - q*))), h = 2.
  expect_equal(4 * log((1 - m$f / 2) / (m$f / 2)), 3)
  expect_equal(2 * log(m$one * (1 - m$zero) / (m$zero * (1 - m$one))), 1)
  expect_equal(rr_epsilon(m), c(report = 1, permanent = 3))
  expect_equal(rr_epsilon(m, reports = 1), 1)
  expect_equal(rr_epsilon(m, reports = 500), 3, tolerance = 1e-6)
})

test_that("of one stage every report is drawn anew: levels add up, nothing is kept, and nothing says 'in all'", {
  one <- rr_bloom(5, epsilon = 2)
  expect_equal(rr_epsilon(one), 2)
  expect_equal(rr_epsilon(one, reports = 52), 104)
  expect_equal(rr_epsilon(one, achieved = TRUE), 2, tolerance = 1e-12)
  expect_no_match(format(one), "in all")
  # From probabilities: no second stage, or a first one that keeps all bits.
  for (m in list(rr_bloom(5, f = 0.5, p = 0, q = 1), rr_bloom(5, f = 0, p = 0.25, q = 0.75))) {
    expect_equal(rr_epsilon(m), 4 * log(3))
    expect_equal(rr_epsilon(m, reports = 3), 12 * log(3))
  }
  set.seed(1)
  x <- rep(1:5, 100)
  expect_false(identical(rr_perturb(x, one, rng = "R"), rr_perturb(x, one, rng = "R")))
  expect_error(rr_perturb(x, one, memory = list()), class = "candor_error_argument")
})

test_that("epsilon is that of all reports of all pairs of filters", {
  # Filters of 2 of 4 bits; one report, then two of one permanent answer.
  m <- rr_bloom(4, bits = 4, hashes = 2, cohorts = 1, f = 0.4, p = 0.2, q = 0.7)
  filters <- combn(4, 2, function(x) as.numeric(1:4 %in% x))
  bits <- t(as.matrix(expand.grid(0:1, 0:1, 0:1, 0:1)))
  chance <- function(from, to, one, zero) prod(ifelse(to == 1, ifelse(from == 1, one, zero), 1 - ifelse(from == 1, one, zero)))
  table <- function(rows, one, zero) t(apply(rows, 2, function(from) apply(bits, 2, function(to) chance(from, to, one, zero))))
  permanent <- table(filters, 1 - 0.2, 0.2)
  report <- table(bits, 0.7, 0.2)
  level <- function(chances) max(log(apply(chances, 2, max) / apply(chances, 2, min)))
  expect_equal(level(permanent %*% report), rr_epsilon(m)[["report"]], tolerance = 1e-12)
  expect_equal(level(permanent), rr_epsilon(m)[["permanent"]], tolerance = 1e-12)
  twice <- report[, rep(1:16, 16)] * report[, rep(1:16, each = 16)]
  expect_equal(level(permanent %*% twice), rr_epsilon(m, reports = 2), tolerance = 1e-12)
})

test_that("filters depend on labels, key and cohort alone, have as many bits as said, and look drawn at random", {
  labels <- c("a", "b", "a long label of more than sixteen bytes", "a long label of more than sixteen bytes!", "\u00fc", sprintf("x%d", 1:195))
  m <- rr_bloom(labels, 1, bits = 20, hashes = 3, cohorts = 30)
  again <- rr_bloom(c(rev(labels), "new"), 1, bits = 20, hashes = 3, cohorts = 30)
  expect_identical(again$places[, match(labels, again$levels), ], m$places)
  expect_false(identical(rr_bloom(labels, 1, bits = 20, hashes = 3, cohorts = 30, key = 2)$places, m$places))
  expect_true(all(apply(m$places, 2:3, function(x) length(unique(x))) == 3))
  expect_true(all(range(m$places) == c(1, 20)))
  # 18,000 places of 20: chi-square with 19 degrees of freedom; two categories share a first bit in one of 20 cohorts.
  expect_gt(chisq.test(table(m$places))$p.value, 1e-4)
  same <- mean(m$places[1, -1, ] == m$places[1, -length(labels), ])
  expect_lte(abs(same - 1 / 20), 5 * sqrt(0.05 * 0.95 / (199 * 30)))
  # Every subset alike: 4 bits, 2 of them, 6 subsets.
  small <- rr_bloom(labels, 1, bits = 4, hashes = 2, cohorts = 30)
  sets <- apply(small$places, 2:3, function(x) sum(2^x))
  expect_identical(length(table(sets)), 6L)
  expect_gt(chisq.test(table(sets))$p.value, 1e-4)
})

test_that("truth bit by permanent bit by report bit: nothing is kept that should not be", {
  n <- 20000
  m <- rr_bloom(3, bits = 8, hashes = 2, cohorts = 3, f = 0.5, p = 0.35, q = 0.8)
  answers <- rep(1:3, length.out = n)
  first <- rr_perturb(answers, m, memory = list())
  memory <- first$memory
  first <- first$reports
  second <- rr_perturb(answers, m, memory = memory)
  expect_identical(second$memory, memory)
  second <- second$reports
  expect_identical(first$cohort, second$cohort)
  truth <- t(vapply(seq_len(n), function(i) 1:8 %in% m$places[, answers[i], first$cohort[i]], logical(8)))
  permanent <- as.matrix(memory$permanent) == 1
  near <- function(x, p) expect_lte(abs(mean(x) - p), 5 * sqrt(p * (1 - p) / length(x)))
  near(permanent[truth], 0.75)
  near(permanent[!truth], 0.25)
  for (reports in list(as.matrix(first$bits), as.matrix(second$bits))) {
    near(reports[permanent], 0.8)
    near(reports[!permanent], 0.35)
  }
  near(as.matrix(second$bits)[truth], m$one)
  near(as.matrix(second$bits)[!truth], m$zero)
  near(first$cohort == 1, 1 / 3)
})

test_that("estimates are unbiased, vary as the sandwich says, and intervals cover, for both targets", {
  set.seed(31)
  k <- 8
  theta <- zipf_shares(k, 1)
  n <- 5000
  m <- rr_bloom(k, bits = 16, hashes = 2, cohorts = 6, f = 0.5, p = 0.4, q = 0.75)
  runs <- 250
  for (target in c("population", "sample")) {
    fixed <- round(n * theta)
    truths <- if (target == "sample") matrix(fixed, k, runs) else rmultinom(runs, n, theta)
    share <- if (target == "sample") fixed / sum(fixed) else theta
    # Surveys are groups of one tally, which are estimated apart.
    counts <- apply(truths, 2, function(truth) simulate_counts(m, as.double(truth), 1))
    colnames(counts) <- paste("survey", seq_len(runs))
    fit <- rr_estimate(rr_counts(counts, m, n = colSums(truths)), method = "inv", target = target)
    bounds <- confint(fit)
    errors <- matrix(coef(fit) - share, k)
    variance <- rowMeans(matrix(tidy(fit)$std.error^2, k))
    expect_lte(max(abs(rowMeans(errors)) / sqrt(variance / runs)), 5)
    expect_lte(max(abs(apply(errors, 1, var) / variance - 1)), 5 * sqrt(2 / runs))
    expect_gte(mean(bounds[, 1] <= share & share <= bounds[, 2]), 0.95 - 3 * sqrt(0.05 * 0.95 / (runs * k)) - 0.005)
  }
})

test_that("normal equations and the sandwich are those of products of whole matrices", {
  set.seed(5)
  m <- rr_bloom(7, 2, bits = 9, hashes = 3, cohorts = 4)
  law <- rr_law(m)
  filters <- do.call(rbind, lapply(1:4, function(j) candor:::cohort_filters(law, j)))
  counts <- as.vector(simulate_counts(m, c(900, 500, 300, 200, 50, 30, 20), 1))
  evidence <- candor:::new_evidence(law, counts, 2000, 2000, 7, m)
  regression <- candor:::bloom_regression(law, evidence)
  expect_identical(regression$filters, filters)
  w <- runif(36)
  expect_equal(candor:::weighted_squares(regression, w), crossprod(filters, w * filters))
  some <- candor:::some_candidates(regression, c(2, 5))
  expect_equal(candor:::weighted_squares(some, w), crossprod(filters[, c(2, 5)], w * filters[, c(2, 5)]))
  # H V H' with the map H from shares to the estimate and V by its definition, a block for each cohort.
  fit <- candor:::bloom_fit(law, evidence, candor:::least_squares)
  map <- solve(crossprod(filters, fit$weights * filters), t(fit$weights * filters))
  expect_equal(fit$estimate, drop(map %*% regression$shares))
  d <- law$one - law$zero
  v <- matrix(0, 36, 36)
  for (j in 1:4) {
    rows <- 9 * (j - 1) + 1:9
    x <- drop(filters[rows, ] %*% fit$estimate)
    noise <- pmax((law$zero * (1 - law$zero) + x * d * (1 - law$one - law$zero)) / d^2, 0)
    v[rows, rows] <- (filters[rows, ] %*% diag(fit$estimate) %*% t(filters[rows, ]) - outer(x, x) + diag(noise)) / regression$n[rows[1]]
  }
  expect_equal(candor:::bloom_covariance(law, evidence, "population"), map %*% v %*% t(map))
  expect_equal(candor:::bloom_covariance(law, evidence, "sample", variances = TRUE), diag(candor:::bloom_covariance(law, evidence, "sample")))
  expect_error(.Call(candor:::C_rr_filter_squares, array(9L, c(1, 2, 1)), 3, numeric(3)))
})

test_that("without noise the truth comes back; reports are counted as they are", {
  m <- rr_bloom(5, bits = 12, hashes = 2, cohorts = 4, f = 0.5, p = 0.3, q = 0.8)
  theta <- c(0.5, 0.3, 0.1, 0.1, 0)
  tally <- rr_counts(1e4 * law_expected(rr_law(m), theta), m, n = 1e4, effective_n = 1e4)
  expect_equal(unname(coef(rr_estimate(tally, method = "inv"))), theta, tolerance = 1e-10)
  reports <- rr_perturb(rep(1:5, 40), m, memory = list())$reports
  by <- rep(c("x", "y"), 100)
  whole <- rr_tally(reports, m)
  counts <- matrix(whole$counts, 13)
  bits <- as.matrix(reports$bits)
  for (j in 1:4) expect_equal(counts[, j], c(colSums(bits[reports$cohort == j, ]), sum(reports$cohort == j)))
  groups <- rr_tally(reports, m, by = by)
  expect_equal(rowSums(groups$counts), whole$counts)
  expect_equal(c(rr_tally(reports[1:70, ], m), rr_tally(reports[71:200, ], m))$counts, whole$counts)
  expect_equal(rr_tally(rr_reports(list(cohort = reports$cohort, bits = as.character(reports$bits)), m), m)$counts, whole$counts)
  # More categories than filters tell apart.
  many <- rr_bloom(40, bits = 8, hashes = 2, cohorts = 2, f = 0.5, p = 0.3, q = 0.8)
  tally <- rr_counts(1e4 * law_expected(rr_law(many), zipf_shares(40, 1.5)), many, n = 1e4, effective_n = 1e4)
  expect_error(rr_estimate(tally, method = "inv"), class = "candor_error_no_information")
  skip_if_not_installed("quadprog")
  fit <- rr_estimate(tally, method = "nnls")
  expect_true(all(coef(fit) >= 0))
  # The residual is 0, and shares of one filter bit are fitted.
  expect_equal(law_expected(rr_law(many), unname(coef(fit))), law_expected(rr_law(many), zipf_shares(40, 1.5)), tolerance = 1e-4)
  expect_error(rr_estimate(rr_counts(c(5, 4), rr_grr(2, epsilon = 1)), method = "nnls"), class = "candor_error_law")
})

test_that("what is wrong is named", {
  withr::local_options(cli.width = 100)
  m <- rr_bloom(c("a", "b", "c"), 1, bits = 8, cohorts = 2, permanent = 2)
  expect_snapshot(m)
  expect_refused(rr_bloom(3), rr_bloom(3, 1, f = 0.5, p = 0.2, q = 0.7), rr_bloom(3, f = 0.5, p = 0.2), rr_bloom(3, f = 0.5, p = 0.2, q = 0.2),
                 rr_bloom(3, f = 1, p = 0.2, q = 0.7), class = NULL)
  expect_warning(rr_perturb("a", m), class = "candor_warning_memory")
})

test_that("more categories than bits of all cohorts are refused before the work", {
  m <- rr_bloom(5000, epsilon = 2, bits = 32, hashes = 2, cohorts = 4)
  tally <- rr_tally(rr_perturb(1:2000, m, rng = "R"), m)
  expect_error(rr_estimate(tally, method = "inv"), "5,000 categories have at most 128 filters", class = "candor_error_no_information")
})

test_that("filters of many cohorts have the likelihood of their bits, one by one, in their own cohort", {
  # A cohort's number takes two bytes: one byte holds 255.
  m <- rr_bloom(3, 2, bits = 4, hashes = 2, cohorts = 300)
  reports <- withr::with_seed(6, rr_perturb(rep(1:3, c(400, 150, 50)), m, rng = "R"))
  expect_gt(max(reports$cohort), 256)
  bits <- as.matrix(reports$bits)
  chances <- t(vapply(seq_len(nrow(reports)), function(i) {
    vapply(1:3, function(v) {
      one <- ifelse(1:4 %in% m$places[, v, reports$cohort[i]], m$one, m$zero)
      prod(ifelse(bits[i, ] == 1, one, 1 - one)) / 300
    }, 0)
  }, numeric(3)))
  fit <- rr_estimate(rr_tally(reports, m, keep = "sets"), method = "mle", tolerance = 1e-10)
  theta <- unname(coef(fit))
  # The maximum of a concave function is where no category raises the mean of its ratios above 1.
  ratios <- colMeans(chances / drop(chances %*% theta))
  expect_lte(max(ratios), 1 + 1e-7)
  expect_equal(ratios[theta > 0], rep(1, sum(theta > 0)), tolerance = 1e-6)
  even <- fit
  even$estimate[] <- 1 / 3
  expect_equal(as.numeric(logLik(fit)) - as.numeric(logLik(even)), sum(log(chances %*% theta / rowMeans(chances))), tolerance = 1e-8)
})

test_that("the covariance of estimates is what their linear functions have, whole and by its diagonal", {
  m <- rr_bloom(6, 2, bits = 12, hashes = 2, cohorts = 4)
  tally <- withr::with_seed(7, rr_tally(rr_perturb(rep(1:6, 60:55 * 10), m, rng = "R"), m))
  fit <- rr_estimate(tally, method = "inv")
  expect_equal(sqrt(diag(vcov(fit))), tidy(fit)$std.error, ignore_attr = TRUE)
  contrasts <- rr_contrast(fit, list(c(1, -1, 0, 0, 0, 0), c(0, 1, 1, 0, 0, 1)))
  L <- rbind(c(1, -1, 0, 0, 0, 0), c(0, 1, 1, 0, 0, 1))
  expect_equal(contrasts$std.error, sqrt(diag(L %*% vcov(fit) %*% t(L))), tolerance = 1e-8)
  V <- unbiased_covariance(rr_law(m), group_evidence(tally, 1), c(2, 5), "population", TRUE)
  expect_equal(V, unname(vcov(fit)[c(2, 5), c(2, 5)]), tolerance = 1e-10)
})

test_that("RAPPOR's p and q without f are one stage: bits of the truth are 1 with q, others with p", {
  mechanism <- rr_bloom(3, p = 0.35, q = 0.65)
  # Two bits differ each way, each with the odds (.65 / .35)^2.
  expect_equal(rr_epsilon(mechanism), 4 * log(0.65 / 0.35))
  expect_equal(mechanism$f, 0)
})

test_that("counts are named cohort after cohort, by bit, with all reports last", {
  expect_identical(bloom_reports(2, 3), c("1: bit 1", "1: bit 2", "1: all", "2: bit 1", "2: bit 2", "2: all", "3: bit 1", "3: bit 2", "3: all"))
})

test_that("the numbers of filters end where no filter is left, or tells nothing", {
  expect_refused(rr_bloom(3, 1, bits = 1), rr_bloom(3, 1, bits = 4097), rr_bloom(3, 1, bits = 4, hashes = 4), rr_bloom(3, 1, hashes = 0),
                 rr_bloom(3, 1, cohorts = 0), rr_bloom(3, 1, cohorts = 1e6 + 1), rr_bloom(3, 1, permanent = 1), rr_bloom(3, 1, permanent = 701),
                 rr_bloom(3, f = 1, p = 0.2, q = 0.7), rr_bloom(3, f = -0.1, p = 0.2, q = 0.7), rr_bloom(3, p = 0.3, q = 0.1 + 0.2),
                 rr_bloom(3, p = -0.1, q = 0.7),
                 rr_bloom(3, p = 0.2, q = 1.1), rr_bloom(3, permanent = 2, p = 0.2, q = 0.7), rr_bloom(3, 1, key = 2^32), rr_bloom(3, 1, key = -1))
  for (m in list(rr_bloom(3, 1, bits = 2, hashes = 1, cohorts = 1), rr_bloom(3, 1, bits = 4, hashes = 3), rr_bloom(3, 1, permanent = 700, key = 2^32 - 1),
                 rr_bloom(3, 1, bits = 4096, hashes = 1, cohorts = 1, key = 0))) expect_identical(rr_epsilon(m)[[1]], 1)
  expect_no_error(check_filters(5e7))
  expect_refused(check_filters(5e7 + 1), rr_bloom(2, 1, bits = 30, hashes = 26, cohorts = 1e6), class = "too_large")
})

test_that("the places of a map file count on through the cohorts, a row for each category", {
  # Three categories, two hashes and two cohorts of five bits.
  places <- rbind(c(1, 2, 6, 10), c(3, 5, 7, 8), c(4, 1, 9, 6))
  m <- rr_bloom(3, 1, bits = 5, hashes = 2, cohorts = 2, places = places)
  expect_equal(m$places[, , 1], cbind(1:2, c(3, 5), c(4, 1)))
  expect_equal(m$places[, , 2], cbind(c(1, 5), 2:3, c(4, 1)))
  expect_identical(rr_bloom(3, 1, bits = 5, hashes = 2, cohorts = 2, places = as.data.frame(places))$places, m$places)
  wrong <- function(...) rr_bloom(3, 1, bits = 5, hashes = 2, cohorts = 2, places = ...)
  expect_refused(wrong(places[, 4:1]), wrong(places[1:2, ]), wrong(places[, 1:3]), wrong(replace(places, 1, 0)), wrong(replace(places, 12, 11)),
                 wrong(t(places)))
  # Hashes may meet: as many pairs of bits as hashes may differ, also if more than half of the bits are set.
  expect_identical(rr_bloom(2, 1, bits = 3, hashes = 2, cohorts = 1, places = rbind(c(1, 1), c(2, 3)))$pairs, 2)
  expect_identical(rr_bloom(2, 1, bits = 3, hashes = 2, cohorts = 1)$pairs, 1)
})

test_that("a likelihood needs bits that are never certain", {
  for (p in c(0, 0.2)) for (q in c(0.7, 1)) expect_identical(rr_law(rr_bloom(3, p = p, q = q))$has_likelihood, p > 0 && q < 1)
})

test_that("a client's test expects equal reports and supports of the truth as often as all reports have them", {
  for (permanent in list(NULL, 3)) {
    m <- rr_bloom(3, 2, bits = 4, hashes = 2, cohorts = 2, permanent = permanent)
    C <- rr_matrix(m)
    reports <- withr::with_seed(1, suppressWarnings(rr_perturb(rep(2, 20), m, rng = "R")))
    facts <- client_facts(m, reports, 2)
    expect_equal(facts$p_equal, sum(C[2, ]^2))
    # Each cohort's reports whose bits of the truth are both 1.
    bits <- do.call(rbind, strsplit(sub(".*: ", "", colnames(C)), "")) == "1"
    cohort <- as.integer(sub(":.*", "", colnames(C)))
    is_support <- vapply(seq_along(cohort), function(y) all(bits[y, m$places[, 2, cohort[y]]]), NA)
    expect_equal(facts$p_support, sum(C[2, is_support]))
    # A kept filter keeps a bit with 1 - f / 2 and shows it with q, else with p; without one reports are drawn anew.
    twice <- if (is.null(permanent)) m$one^2 else (1 - m$f / 2) * m$given_1^2 + m$f / 2 * m$given_0^2
    expect_equal(facts$p_support_twice, twice^2)
    truth <- t(vapply(reports$cohort, function(j) 1:4 %in% m$places[, 2, j], logical(4)))
    expect_identical(reports_support(m, reports, rep(2, 20)), rowSums(facts$bits * truth) == 2)
  }
})

test_that("bits of the first stage are turned over with f / 2, whether nearly never or without a finite epsilon", {
  turned <- function(f, permanent) unlist(turned_bits(list(f = f, permanent = permanent, pairs = 2, bits_number = 4))[c("p", "q")], use.names = FALSE)
  # Two pairs of bits: epsilon is 2 2 log((1 - f / 2) / (f / 2)).
  expect_equal(turned(0.4, 4 * log(0.8 / 0.2)), c(0.8, 0.2))
  expect_identical(turned(0, Inf), c(1, 0))
  expect_equal(turned(2 * plogis(-350), 1400), c(1, exp(-350)), tolerance = 1e-12)
  m <- rr_bloom(c("a", "b"), 3, bits = 8, hashes = 2)
  expect_equal(m$f, 2 / (1 + exp(3 / 4)))
  # A small epsilon keeps its digits: what is drawn is never above it. One that cannot is refused.
  for (epsilon in c(1e-12, 2e-12, 5e-12)) {
    achieved <- rr_epsilon(rr_bloom(c("a", "b"), epsilon, hashes = 1), achieved = TRUE)
    expect_lte(achieved, epsilon)
    expect_gt(achieved, epsilon * (1 - 1e-6))
  }
  expect_refused(rr_perturb("a", rr_bloom(c("a", "b"), 1e-12, hashes = 2)))
})

test_that("scores of a filter are on average 1 of the truth and 0 of other categories, over all reports of its cohorts", {
  m <- rr_bloom(c("a", "b", "c"), 3, bits = 6, hashes = 2, cohorts = 2)
  law <- rr_law(m)
  bits <- as.matrix(expand.grid(rep(list(0:1), 6)))
  averages <- lapply(1:2, function(j) {
    scores <- score_reader(m, "q")(list(cohort = rep(j, 64), bits = bits))
    filters <- cohort_filters(law, j)
    t(vapply(1:3, function(x) {
      p <- ifelse(filters[, x] == 1, law$one, law$zero)
      colSums(scores * apply(bits, 1, function(b) prod(ifelse(b == 1, p, 1 - p))))
    }, numeric(3)))
  })
  expect_equal(Reduce(`+`, averages) / 2, diag(3))
})

test_that("keys are whole numbers below 2^32, and places a matrix of numbers of the size of the filters", {
  expect_identical(c(check_key(0), check_key(2^32 - 1)), c(0, 2^32 - 1))
  expect_refused(check_key(2^32), check_key(-1), check_key(0.5))
  places <- rbind(c(1, 2, 6, 10), c(3, 5, 7, 8), c(4, 1, 9, 6))
  filters <- map_filters(places, 3, 5, 2, 2)
  expect_equal(filters[, , 1], t(places[, 1:2]))
  expect_equal(filters[, , 2], t(places[, 3:4] - 5))
  refused <- list(places[1:2, ], places[, 1:3], matrix(as.character(places), 3), as.vector(places), replace(places, 1, 6), replace(places, 7, 5))
  for (bad in refused) expect_error(map_filters(bad, 3, 5, 2, 2), class = "candor_error_argument")
})

test_that("the numbers of a filter follow from the level of all reports and of one, or are those that are given", {
  # Two pairs of bits differ: each bit is kept with the odds e^(epsilon / 4).
  one <- bloom_numbers(2, NULL, NULL, NULL, NULL, 2)
  expect_equal(one$f, 2 / (1 + exp(0.5)))
  expect_equal(c(one$p, one$q, one$permanent, one$one, one$zero), c(0, 1, 2, 1 - one$f / 2, one$f / 2))
  two <- bloom_numbers(1, 3, NULL, NULL, NULL, 2)
  expect_equal(c(two$f, two$permanent, two$p + two$q), c(2 / (1 + exp(0.75)), 3, 1))
  expect_equal(c(two$one, two$zero), (1 - two$f / 2) * c(two$q, two$p) + two$f / 2 * c(two$p, two$q))
  expect_equal(4 * log(two$one / two$zero), 1)
  given <- bloom_numbers(NULL, NULL, 0.4, 0.3, 0.8, 2)
  expect_equal(unlist(given[c("f", "p", "q", "one", "zero", "permanent")]), c(f = 0.4, p = 0.3, q = 0.8, one = 0.7, zero = 0.4, permanent = 4 * log(4)))
})

test_that("counts that are simulated have the mean of the law, bit by bit, and every respondent one cohort", {
  m <- rr_bloom(3, 2, bits = 6, hashes = 2, cohorts = 2)
  truth <- c(300, 100, 50)
  expect_identical(dim(withr::with_seed(1, simulate_counts(m, truth))), c(14L, 1L))
  counts <- withr::with_seed(1, simulate_counts(m, truth, 100))
  expect_identical(dim(counts), c(14L, 100L))
  all <- c(7, 14)
  expect_identical(colSums(counts[all, ]), rep(450, 100))
  # A bit of a cohort is 1 for a binomial number of respondents: five standard errors of a mean of 100.
  p <- law_expected(rr_law(m), truth / 450)
  expect_true(all(abs(rowMeans(counts) - 450 * p) <= 5 * sqrt(450 * p * (1 - p) / 100)))
  expect_true(all(counts[-all, ] <= counts[rep(all, each = 6), ]))
})

test_that("the print of a label is a chain of public numbers over its bytes, sixteen at a time, and its length", {
  numbers <- function(...) .Call(C_rr_public_numbers, c(...), 2147483647, 2, FALSE)
  expect_equal(label_print("ab", 7), numbers(3, 7, numbers(3, 7, 0, 0, 97 + 98 * 256, 0, 0, 0), 2, 0, 0, 0))
  # Seventeen letters are two blocks: "a" sixteen times, and once.
  word <- 97 * sum(256^(0:3))
  first <- numbers(3, 1, 0, 0, rep(word, 4))
  expect_equal(label_print(strrep("a", 17), 1), numbers(3, 1, numbers(3, 1, first, 97, 0, 0, 0), 17, 0, 0, 0))
  expect_equal(label_print("", 1), numbers(3, 1, 0, 0, 0, 0, 0, 0))
})

test_that("filters have the places that the numbers of a label's print choose among those that are left", {
  m <- rr_bloom(c("a", "b"), 1, bits = 7, hashes = 3, cohorts = 4, key = 9)
  for (x in 1:2) {
    print <- label_print(c("a", "b")[x], 9)
    chosen <- matrix(0L, 0, 4)
    for (j in 1:3) {
      r <- .Call(C_rr_public_numbers, c(4, 9, print, j), 7 - j + 1, 4, FALSE)
      # The place that has r free ones before it.
      place <- vapply(1:4, function(cohort) setdiff(1:7, chosen[, cohort])[r[cohort] + 1], 0L)
      chosen <- rbind(chosen, place)
    }
    expect_equal(m$places[, x, ], chosen, ignore_attr = TRUE)
  }
})

test_that("a client's test expects the bits of each report's cohort, and their pairs as if independent", {
  m <- rr_bloom(3, 2, bits = 4, hashes = 2, cohorts = 2)
  reports <- withr::with_seed(1, rr_perturb(rep(2, 9), m, rng = "R"))
  facts <- client_facts(m, reports, 2)
  p <- t(vapply(reports$cohort, function(j) ifelse(1:4 %in% m$places[, 2, j], m$one, m$zero), numeric(4)))
  expect_equal(facts$both, replace(crossprod(p) / 9, cbind(1:4, 1:4), colMeans(p)))
  expect_equal(facts$covariance, diag(colMeans(p * (1 - p))))
  expect_identical(facts$bits, as.matrix(reports$bits))
  plan <- client_plan(m)
  expect_equal(plan$cohorts, 2)
  expect_identical(as.integer(plan$places[[2]][[3]]), m$places[, 3, 2] - 1L)
  kept <- client_plan(rr_bloom(3, 2, bits = 4, hashes = 2, cohorts = 2, permanent = 3))
  expect_identical(c(plan$kind, kept$kind, kept$first$kind), c("bloom", "memoised", "bloom"))
})
