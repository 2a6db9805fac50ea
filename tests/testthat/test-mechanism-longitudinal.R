test_that("both stages and the levels of repeated reports are the golden ones", {
  for (case in golden("ldp_longitudinal")) {
    input <- case$input
    want <- case$expected
    k <- if (is.null(input$K)) 5 else input$K
    make <- function() rr_longitudinal(k, input$permanent, input$report, tolower(input$protocol))
    if (!is.null(want$error)) {
      expect_refused(make())
      expect_no_error(rr_longitudinal(k, input$permanent, want$largest * (1 - 1e-9), tolower(input$protocol)))
      next
    }
    m <- make()
    expect_s3_class(m, "rr_compose")
    expect_golden(c(m$first$p, m$first$q, m$second$p, m$second$q, m$p, m$q), unlist(want[c("p1", "q1", "p2", "q2", "p", "q")]))
    expect_golden(m$q * (1 - m$q) / (m$p - m$q)^2, want$variance_theta_0_n_1)
    expect_equal(rr_epsilon(m), c(report = input$report, permanent = input$permanent), tolerance = 1e-12)
    repeated <- vapply(as.numeric(names(want$epsilon_after)), function(r) rr_epsilon(m, reports = r), 0)
    expect_golden(repeated, unlist(want$epsilon_after))
  }
})

test_that("two stages of bits are one unary encoding", {
  m <- rr_compose(rr_unary(3, p = 0.7, q = 0.2), rr_unary(3, p = 0.9, q = 0.15))
  # p1 p2 + (1 - p1) q2, and q1 p2 + (1 - q1) q2
  expect_equal(c(m$p, m$q), c(0.675, 0.3))
  expect_equal(rr_epsilon(m)[["report"]], log(0.675 * 0.7 / (0.3 * 0.325)))
  law <- rr_law(m)
  expect_equal(c(law$p, law$q, law$both_own, law$both_other, law$difference), c(0.675, 0.3, 0.675 * 0.3, 0.09, 0.375))
  # Epsilon of all pairs of reports of three bits, by enumeration over permanent answers.
  bits <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  chance <- function(truth, p, q) apply(bits, 1, function(b) prod(ifelse(b == 1, ifelse(truth, p, q), 1 - ifelse(truth, p, q))))
  stage <- apply(bits, 1, function(b) chance(b == 1, 0.9, 0.15))
  reports <- vapply(1:3, function(x) {
    permanent <- chance(1:3 == x, 0.7, 0.2)
    pairs <- 0
    for (z in 1:8) pairs <- pairs + permanent[z] * outer(stage[, z], stage[, z])
    as.vector(pairs)
  }, numeric(64))
  expect_equal(rr_epsilon(m, reports = 2), max(log(apply(reports, 1, max) / apply(reports, 1, min))), tolerance = 1e-12)
})

test_that("permanent answers are kept, and reports are those of both stages: bits", {
  n <- 60000
  m <- rr_longitudinal(3, permanent = 2, epsilon = 1, protocol = "oue-sue")
  answers <- rep(1:3, each = n / 3)
  first <- rr_perturb(answers, m, memory = list())
  memory <- first$memory
  first <- first$reports
  second <- rr_perturb(answers, m, memory = memory)
  expect_identical(second$memory, memory)
  second <- second$reports
  permanent <- as.matrix(memory$permanent)
  truth <- outer(answers, 1:3, "==")
  near <- function(x, p) expect_lte(abs(mean(x) - p), 5 * sqrt(p * (1 - p) / length(x)))
  # Truth bit by permanent bit, permanent bit by report bit: a bit that is never cleared, or never set, shows.
  near(permanent[truth], m$first$p)
  near(permanent[!truth], m$first$q)
  for (reports in list(as.matrix(first), as.matrix(second))) {
    near(reports[permanent == 1], m$second$p)
    near(reports[permanent == 0], m$second$q)
    near(reports[truth], m$p)
    near(reports[!truth], m$q)
  }
  # Given the permanent bit the two reports are independent.
  on <- permanent == 1
  expect_lte(abs(cor(as.matrix(first)[on], as.matrix(second)[on])), 5 / sqrt(sum(on)))
  # Somebody whose answer changes and comes back has the permanent answer of before.
  changed <- replace(answers, 1:100, 2L)
  third <- rr_perturb(changed, m, memory = memory)
  memory <- third$memory
  third <- third$reports
  expect_equal(length(memory$permanent), n + 100)
  fourth <- rr_perturb(answers, m, memory = memory)
  expect_identical(fourth$memory, memory)
})

test_that("permanent answers are kept, and reports are those of both stages: categories and hash values", {
  n <- 40000
  answers <- rep(1:4, each = n / 4)
  m <- rr_longitudinal(4, permanent = 2, epsilon = 1, protocol = "grr-grr")
  first <- rr_perturb(answers, m, memory = list())
  memory <- first$memory
  first <- first$reports
  near <- function(x, p) expect_lte(abs(mean(x) - p), 5 * sqrt(p * (1 - p) / length(x)))
  near(memory$permanent == answers, m$first$p)
  near(first == memory$permanent, m$second$p)
  near(first == answers, m$p)
  expect_identical(rr_perturb(answers, m, memory = memory)$memory, memory)

  m <- rr_longitudinal(30, permanent = 2, epsilon = 1, protocol = "local-hash")
  expect_equal(rr_epsilon(m, reports = 1), 1)
  expect_equal(rr_epsilon(m, reports = 50), 2, tolerance = 1e-6)
  answers <- rep(c(1, 30), each = n / 2)
  first <- rr_perturb(answers, m, memory = list())
  memory <- first$memory
  first <- first$reports
  second <- rr_perturb(answers, m, memory = memory)$reports
  expect_identical(first$slope, second$slope)
  # What the kernels of the one-stage protocol take for supported is what is supported here.
  supports <- function(reports) .Call(C_rr_bits_to_matrix, report_sets(m, reports), 30) == 1
  for (reports in list(first, second)) {
    near(supports(reports)[cbind(seq_len(n), answers)], m$p)
    near(supports(reports)[cbind(seq_len(n), 31 - answers)], m$q)
  }
  hashed <- hash_values(m, answers, memory$functions)
  near(memory$permanent == hashed, rr_grr(m$g, epsilon = 2)$p)
  # Products beyond 2^53 keep their digits: 2^31 - 2 is -1 modulo the prime.
  large <- list(prime = 2147483647, codes = c(2147483646, 5), g = 2147483647 / 2^10)
  expect_identical(hash_values(large, c(1L, 2L), list(slope = c(2147483646, 2147483646), shift = c(0, 7))), (c(1, 2) * large$g) %/% large$prime + 1)
})

test_that("more hash values than categories mix no respondents up", {
  m <- rr_longitudinal(2, permanent = 6, epsilon = 3, protocol = "local-hash")
  expect_gt(m$g, 2)
  answers <- rep(1:2, 200)
  first <- rr_perturb(answers, m, memory = list())
  memory <- first$memory
  first <- first$reports
  expect_identical(length(memory$permanent), 400L)
  both <- suppressWarnings(rr_perturb(rev(answers), m, memory = memory), "candor_warning_memory") # all new, as in another order
  memory <- both$memory
  both <- both$reports
  expect_identical(anyDuplicated(memory$code), 0L)
  whose <- (memory$code - 1) %/% m$g + 1
  expect_setequal(whose, 1:400)
  expect_true(all(table(whose) <= 2))
})

test_that("estimates vary as the formulas say", {
  set.seed(21)
  truth <- c(200, 100, 60, 40, 0)
  for (protocol in c("oue-sue", "sue-oue", "local-hash")) {
    m <- rr_longitudinal(5, permanent = 3, epsilon = 1, protocol = protocol)
    # The sampler of two stages, each time with permanent answers of its own.
    reports <- rr_perturb(rep(rep(1:5, truth), 500), m, rng = "R", memory = list())$reports
    estimates <- matrix(coef(rr_estimate(rr_tally(reports, m, by = rep(1:500, each = sum(truth))), method = "inv")), 5)
    law <- rr_law(m)
    theta <- truth / sum(truth)
    variance <- (law$q * (1 - law$q) + theta * law$difference * (1 - law$p - law$q)) / (sum(truth) * law$difference^2)
    expect_lte(max(abs(rowMeans(estimates) - theta) / sqrt(variance / 500)), 5)
    expect_lte(max(abs(apply(estimates, 1, var) / variance - 1)), 5 * sqrt(2 / 499))
  }
})

test_that("reports are read as those of the one-stage protocol", {
  m <- rr_longitudinal(c("a", "b", "c"), permanent = 2, epsilon = 1)
  reports <- rr_perturb(rep(c("a", "b"), 20), m, memory = list())$reports
  expect_identical(rr_reports(as.character(reports), m)[1:40], reports[1:40])
  bits <- rr_matrix(m)
  expect_equal(max(log(apply(bits, 2, max) / apply(bits, 2, min))), rr_epsilon(m)[["report"]])
})

test_that("levels and labels are told, what is wrong is refused", {
  withr::local_options(cli.width = 100)
  expect_snapshot(rr_longitudinal(c("a", "b", "c"), permanent = 2, epsilon = 1))
  m <- rr_longitudinal(3, permanent = 2, epsilon = 1)
  memory <- rr_perturb(c(1, 2), m, memory = list())$memory
  expect_warning(rr_perturb(c(1, 2), m), class = "candor_warning_memory")
  expect_no_warning(rr_perturb(c(1, 2), rr_compose(rr_grr(3, epsilon = 2), rr_grr(3, epsilon = 1))))
  expect_snapshot(memory)
  expect_refused(rr_longitudinal(3, permanent = 1, epsilon = 1), rr_longitudinal(3, permanent = 1, epsilon = 0.9, protocol = "sue-oue"),
                 rr_longitudinal(3, permanent = rr_grr(3, epsilon = 2), instantaneous = rr_grr(3, epsilon = 1)),
                 rr_longitudinal(permanent = rr_grr(3, epsilon = 2), instantaneous = rr_grr(3, epsilon = 1), protocol = "grr-grr"),
                 rr_longitudinal(3, permanent = 2, epsilon = 1, instantaneous = rr_grr(3, epsilon = 1)),
                 rr_perturb(c(1, 2), m, memory = 1:2), rr_perturb(c(1, 2), rr_grr(3, epsilon = 1), memory = list()))
  expect_refused(rr_longitudinal(permanent = rr_grr(3, epsilon = 2), instantaneous = rr_unary(3, 1)),
                 rr_longitudinal(permanent = rr_unary(3, 2), instantaneous = rr_unary(4, 1)), rr_perturb(c(1, 2, 3), m, memory = memory),
                 rr_perturb(c(1, 2), rr_longitudinal(3, permanent = 3, epsilon = 1), memory = memory), class = "mismatch")
})

test_that("extreme levels keep their digits", {
  for (protocol in c("oue-sue", "sue-sue", "oue-oue", "sue-oue", "grr-grr", "local-hash")) {
    for (levels in list(c(1e-6, 1e-9), c(1, 1e-6), c(700, 1), c(600, 5))) {
      m <- rr_longitudinal(4, levels[1], levels[2], protocol)
      if (protocol %in% c("oue-sue", "sue-sue", "oue-oue", "sue-oue")) {
        expect_equal(log1p(rr_law(m)$odds), levels[2], tolerance = 1e-9)
        expect_lte(log1p(m$first$p_minus_q * m$second$p_minus_q / (m$q * (1 - m$p))), levels[2] * (1 + 1e-9))
      }
      expect_identical(rr_epsilon(m)[["report"]], levels[2])
    }
  }
})

test_that("what two stages achieve on the grid is not above the nominal, and hardly below", {
  for (protocol in eval(formals(rr_longitudinal)$protocol)) for (levels in list(c(0.3, 0.1), c(2, 1), c(6, 1.5))) {
    m <- rr_longitudinal(7, permanent = levels[1], epsilon = levels[2], protocol)
    achieved <- rr_epsilon(m, achieved = TRUE)
    expect_identical(names(achieved), c("report", "permanent"))
    # Roundings of the formula itself: a few times 1e-16 of probabilities, over a level of 0.1.
    expect_true(all(achieved <= rr_epsilon(m) * (1 + 1e-13)), label = protocol)
    expect_equal(achieved, rr_epsilon(m), tolerance = 1e-12, label = protocol)
  }
  # By hand: two of Warner's devices, and stages of different kinds.
  two <- rr_compose(rr_warner(0.9), rr_warner(0.8))
  expect_equal(rr_epsilon(two, achieved = TRUE), c(report = log(0.74 / 0.26), permanent = log(9)), tolerance = 1e-12)
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.05, 0.15, 0.8))
  whole <- rr_matrix(rr_grr(3, epsilon = 1)) %*% C
  level <- max(log(apply(whole, 2, max) / apply(whole, 2, min)))
  expect_equal(rr_epsilon(rr_compose(rr_grr(3, epsilon = 1), rr_channel(C)), achieved = TRUE)[["report"]], level, tolerance = 1e-12)
  bloom <- rr_bloom(5, epsilon = 1, permanent = 3)
  expect_equal(rr_epsilon(bloom, achieved = TRUE), rr_epsilon(bloom), tolerance = 1e-12)
  expect_equal(rr_epsilon(rr_bloom(5, epsilon = 1), achieved = TRUE), 1, tolerance = 1e-12)
  # Categories that are all alike need no matrix; others do.
  expect_equal(rr_epsilon(rr_longitudinal(5000, 2, 1, "grr-grr"), achieved = TRUE), c(report = 1, permanent = 2), tolerance = 1e-12)
  forced <- rr_compose(rr_forced(c(0.1, 0.2, 0.3)), rr_forced(c(0.2, 0.1, 0.1)))
  whole <- rr_matrix(rr_forced(c(0.1, 0.2, 0.3))) %*% rr_matrix(rr_forced(c(0.2, 0.1, 0.1)))
  expect_equal(rr_epsilon(forced, achieved = TRUE)[["report"]], max(log(apply(whole, 2, max) / apply(whole, 2, min))), tolerance = 1e-12)
  expect_error(rr_epsilon(two, achieved = TRUE, reports = 2), class = "candor_error_argument")
})

test_that("reports carry no answer: the memory comes apart from them, whatever they are", {
  set.seed(1)
  for (m in list(rr_longitudinal(4, 2, 1), rr_longitudinal(4, 2, 1, "grr-grr"), rr_longitudinal(4, 2, 1, "local-hash"), rr_bloom(4, 1, permanent = 2))) {
    x <- rep(1:4, 50)
    drawn <- rr_perturb(x, m, memory = list(), rng = "R")
    expect_identical(names(drawn), c("reports", "memory"))
    expect_s3_class(drawn$memory, "rr_memory")
    expect_no_message(rr_tally(drawn$reports, m))
    # What is saved of the reports has no permanent answer, nor the answers that they are of.
    file <- withr::local_tempfile()
    saveRDS(drawn$reports, file)
    back <- readRDS(file)
    parts <- c(names(attributes(back)), unlist(lapply(as.list(back), function(part) names(attributes(part)))))
    expect_false(any(c("memory", "permanent", "code") %in% parts))
    # Without a memory there are reports alone.
    expect_identical(class(suppressWarnings(rr_perturb(x, m, rng = "R"))), class(drawn$reports))
  }
})

test_that("a memory of respondents in another order is told", {
  set.seed(2)
  truth <- sample(5, 2000, TRUE, c(.4, .3, .15, .1, .05))
  for (protocol in c("oue-sue", "grr-grr", "local-hash")) {
    m <- rr_longitudinal(5, 3, 1, protocol)
    memory <- rr_perturb(truth, m, memory = list(), rng = "R")$memory
    expect_warning(rr_perturb(sample(truth), m, memory = memory, rng = "R"), "another order", class = "candor_warning_memory")
    # The same respondents, of whom half answer anew.
    moved <- ifelse(rep(c(TRUE, FALSE), 1000), truth, sample(truth))
    expect_no_warning(rr_perturb(moved, m, memory = memory, rng = "R"))
  }
})

test_that("a ledger says what grows with each round", {
  kept <- rr_longitudinal(letters[1:4], permanent = 2, epsilon = 1)
  fresh <- rr_grr(5, epsilon = 0.5)
  expect_equal(rr_epsilon(list(fresh, fresh)), 1)
  expect_equal(rr_epsilon(list(kept, kept)), c(report = 2, permanent = 4))
  mixed <- c(report = 1.5, kept = 2, each_round = 0.5)
  expect_equal(rr_epsilon(list(kept, fresh)), mixed)
  # A product is as good as its questions.
  rows <- rr_product(a = kept, b = fresh)
  expect_equal(rr_epsilon(list(rows)), mixed)
  expect_equal(rr_epsilon(list(rows, fresh)), c(report = 2, kept = 2, each_round = 1))
  # Fresh ones times their number, kept ones as they are known to be, and never above the permanent answer.
  for (r in c(1, 2, 7, 1000)) {
    together <- rr_epsilon(kept, reports = r)
    expect_lte(together, min(r, 2) * (1 + 1e-12))
    expect_equal(rr_epsilon(list(kept, fresh), reports = r), together + 0.5 * r, tolerance = 1e-12)
    expect_equal(rr_epsilon(rows, reports = r), c(a = together, b = 0.5 * r, total = together + 0.5 * r), tolerance = 1e-12)
  }
  expect_equal(rr_epsilon(list(weekly = kept, asked = fresh), reports = c(asked = 3, weekly = 52)), rr_epsilon(kept, reports = 52) + 1.5)
  # Where the exact level is not known the bound stands for it.
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.05, 0.15, 0.8))
  odd <- rr_longitudinal(permanent = rr_channel(C), instantaneous = rr_grr(3, epsilon = 1))
  expect_error(rr_epsilon(odd, reports = 3), class = "candor_error_law")
  expect_equal(rr_epsilon(list(odd), reports = 1e6), rr_epsilon(odd)[["permanent"]])
  # One of several questions may be drawn each time.
  asked <- rr_product(a = fresh, b = rr_grr(3, epsilon = 1), asked = 1)
  expect_equal(rr_epsilon(asked, reports = 3), c(a = 1.5, b = 3, total = 3))
  for (reports in list(c(asked = 3, week = 52), 1:3, 0.5)) {
    expect_error(rr_epsilon(list(weekly = kept, asked = fresh), reports = reports), class = "candor_error_argument")
  }
})

test_that("a permanent answer that nothing keeps is refused, or told how to keep it", {
  kept <- list(
    rr_longitudinal(4, 2, 1), rr_longitudinal(4, 2, 1, "grr-grr"), rr_longitudinal(4, 2, 1, "local-hash"),
    rr_longitudinal(permanent = rr_grr(4, epsilon = 2), instantaneous = rr_grr(4, epsilon = 1)), rr_bloom(4, 1, permanent = 2)
  )
  for (one in kept) expect_refused(rr_product(a = one, b = rr_grr(3, epsilon = 1), asked = 1), rr_hierarchy(4, 1, oracle = function(levels, epsilon) one))
  # What the warning of a product advises works.
  rows <- rr_product(a = kept[[1]], b = rr_grr(3, epsilon = 1))
  expect_warning(rr_perturb(data.frame(a = 1:4, b = 1), rows, rng = "R"), class = "candor_warning_memory")
  first <- rr_perturb(1:4, rows$questions$a, memory = list())
  expect_no_warning(rr_perturb(1:4, rows$questions$a, memory = first$memory))
})

test_that("shuffling does not promise anonymity to reports that can be linked", {
  hashed <- rr_longitudinal(20, 2, 1, "local-hash")
  expect_warning(level <- rr_epsilon(hashed, shuffled = 1000, delta = 1e-5), class = "candor_warning_linked")
  expect_lt(level, 1)
  expect_warning(level <- rr_epsilon(rr_bloom(5, 1, permanent = 2, cohorts = 3), shuffled = 1000, delta = 1e-5), class = "candor_warning_linked")
  expect_no_warning(rr_epsilon(rr_longitudinal(20, 2, 1), shuffled = 1000, delta = 1e-5))
  expect_no_warning(rr_epsilon(rr_local_hash(20, 1), shuffled = 1000, delta = 1e-5))
  # Of 20,000 devices nearly all have a hash function of their own, and keep it.
  set.seed(7)
  many <- rr_longitudinal(20000, 2, 1, "local-hash")
  truth <- sample(20000, 2e4, TRUE)
  first <- rr_perturb(truth, many, memory = list(), rng = "R")
  second <- rr_perturb(truth, many, memory = first$memory, rng = "R")
  expect_identical(first$reports[c("slope", "shift")], second$reports[c("slope", "shift")], ignore_attr = TRUE)
  expect_lt(mean(duplicated(first$reports[c("slope", "shift")])), 0.001)
})

test_that("a memory follows respondents who leave and join", {
  levels <- letters[1:4]
  mechanisms <- list(rr_longitudinal(levels, 3, 1), rr_longitudinal(levels, 3, 1, "local-hash"),
                     rr_bloom(levels, epsilon = 2, permanent = 4, bits = 16, cohorts = 4))
  for (m in mechanisms) {
    set.seed(3)
    answers <- sample(levels, 12, TRUE)
    memory <- suppressWarnings(rr_perturb(answers, m, memory = list()))$memory
    joined <- suppressWarnings(rr_perturb(c("a", "d"), m, memory = list()))$memory
    left <- c(memory[c(12, 3:5)], joined)
    # Everybody gives the answer of before: no permanent answer is drawn, so the memory stays as it is.
    again <- rr_perturb(c(answers[c(12, 3:5)], "a", "d"), m, memory = left)$memory
    expect_identical(again, left)
    # The permanent answer of the twelfth respondent is the first now.
    code <- function(x, who) x$permanent[which((x$code - 1) %/% candor:::memory_size(x$first) + 1 == who)]
    expect_identical(as.character(code(left, 1)), as.character(code(memory, 12)))
    expect_refused(memory[13], memory[c(1, 1)])
    expect_error(c(memory, list()), class = "candor_error_mismatch")
  }
  expect_error(c(rr_perturb("a", mechanisms[[1]], memory = list())$memory, memory), class = "candor_error_mismatch")
})

test_that("bits that are turned over by the second stage have the epsilon of the series of reports that says most", {
  m <- rr_compose(rr_unary(3, p = 0.7, q = 0.2), suppressMessages(rr_unary(3, p = 0.15, q = 0.9)))
  # P(r reports alike) = w p^r + (1 - w) q^r, w the probability of a permanent 1: zeros speak for the truth, ones against it.
  alike <- function(w, p, q, r) w * p^r + (1 - w) * q^r
  for (r in 2:4) {
    zeros <- alike(0.7, 0.85, 0.1, r) / alike(0.2, 0.85, 0.1, r)
    ones <- alike(0.2, 0.15, 0.9, r) / alike(0.7, 0.15, 0.9, r)
    expect_equal(rr_epsilon(m, reports = r), log(zeros) + log(ones), tolerance = 1e-12)
  }
})

test_that("each protocol has its two stages, and one report the epsilon that was asked for", {
  e <- exp(2)
  firsts <- list(oue = c(1 / 2, 1 / (e + 1)), sue = c(exp(1), 1) / (exp(1) + 1))
  for (protocol in c("oue-sue", "sue-sue", "oue-oue", "sue-oue")) {
    m <- rr_longitudinal(4, 2, 0.7, protocol)
    stages <- strsplit(protocol, "-")[[1]]
    first <- firsts[[stages[1]]]
    expect_equal(c(m$first$p, m$first$q), first)
    second <- c(m$second$p, m$second$q)
    if (stages[2] == "sue") expect_equal(sum(second), 1) else expect_equal(second[1], 1 / 2)
    expect_equal(c(m$p, m$q), second[2] + first * (second[1] - second[2]), tolerance = 1e-12)
    expect_equal(log(m$p * (1 - m$q) / (m$q * (1 - m$p))), 0.7, tolerance = 1e-12)
    expect_equal(rr_epsilon(m), c(report = 0.7, permanent = 2))
  }
  grr <- rr_longitudinal(4, 2, 0.7, "grr-grr")
  expect_equal(grr$first$p, e / (e + 3))
  expect_equal(c(grr$p, grr$q), c(exp(0.7), 1) / (exp(0.7) + 3))
  expect_equal(unname(rr_matrix(grr$first) %*% rr_matrix(grr$second)), (diag(4) * expm1(0.7) + 1) / (exp(0.7) + 3), tolerance = 1e-12)
  hash <- rr_longitudinal(4, 2, 0.7, "local-hash")
  g <- best_buckets(0.7)
  expect_identical(c(hash$g, hash$first$g, length(hash$second$levels)), rep(g, 3))
  # The value stays with e^2 / (e^2 + g - 1) and the second p, or comes back.
  kept <- e / (e + g - 1)
  second <- hash$second
  expect_equal(kept * second$p + (1 - kept) * second$q, exp(0.7) / (exp(0.7) + g - 1), tolerance = 1e-12)
  expect_true(all(vapply(list(grr, hash), is_memoised, NA)))
  expect_refused(rr_longitudinal(4, 2, 2), rr_longitudinal(4, 2, 2.1), rr_longitudinal(4, 701, 1), rr_longitudinal(4, 2, 0.7, "oue"),
                 rr_longitudinal(4, rr_grr(4, 2), instantaneous = rr_grr(4, 1)),
                 rr_longitudinal(permanent = rr_grr(4, 2), epsilon = 1, instantaneous = rr_grr(4, 1)),
                 rr_longitudinal(permanent = rr_grr(4, 2)), rr_longitudinal(4, 2, 0.7, instantaneous = rr_grr(4, 1)))
  own <- rr_longitudinal(permanent = rr_grr(4, 2), instantaneous = rr_grr(4, 1))
  expect_identical(list(own$first, own$second, own$memoised), list(rr_grr(4, 2), rr_grr(4, 1), TRUE))
})

test_that("a second stage that keeps half of the ones reaches an epsilon that grows with the first, and no larger", {
  for (first in c("oue", "sue")) {
    p <- if (first == "oue") 1 / 2 else plogis(1)
    q <- if (first == "oue") plogis(-2) else plogis(-1)
    # Without a 1 by mistake: p / 2 and q / 2.
    largest <- log(p * (1 - q / 2) / (q * (1 - p / 2)))
    protocol <- paste0(first, "-oue")
    near <- rr_longitudinal(4, 2, largest * (1 - 1e-6), protocol)
    expect_lt(near$second$q, 1e-5)
    expect_error(rr_longitudinal(4, 2, largest * (1 + 1e-6), protocol), class = "candor_error_argument")
  }
  # What is left of a signal is a trifle less than the quotient, and never below 0.
  expect_true(signal_left(0.5, 0.3) < 0.5 && signal_left(0.5, 0.3) > 0.5 - 1e-14)
  expect_identical(signal_left(1e-16, 0.3), 0)
})
