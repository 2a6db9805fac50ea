# The nominal epsilon: exact where the truth is the least likely report, and never below what is achieved.

test_that("a rare truth has the epsilon of its ratio", {
  # log((1 - p) / p), from -log(p) + log1p(-p).
  for (p in c(3.2521e-17, 1e-12, 1e-6, 1e-300)) {
    expect_equal(rr_epsilon(rr_grr(2, p = p)), -log(p) + log1p(-p), tolerance = 1e-14)
    expect_equal(rr_epsilon(rr_warner(p)), -log(p) + log1p(-p), tolerance = 1e-14)
  }
  expect_equal(rr_epsilon(rr_binary(1e-20, 0.5)), log(0.5) + 20 * log(10), tolerance = 1e-14)
  expect_equal(rr_epsilon(rr_grr(5, p = 1e-9)), log((1 - 1e-9) / 4) + 9 * log(10), tolerance = 1e-14)
  expect_identical(rr_epsilon(rr_grr(3, p = 0)), Inf)
  expect_identical(rr_epsilon(rr_grr(3, p = 1)), Inf)
  expect_identical(rr_epsilon(rr_grr(7, p = 1 / 7)), 0)
})

test_that("what is achieved is never above it", {
  set.seed(1)
  # 1,400 mechanisms; the long tests, each week, draw 350,000.
  over <- function(make, n) sum(replicate(n * extended(1, 250), {
    mechanism <- make()
    isTRUE(achieved(mechanism)$epsilon > mechanism$epsilon)
  }))
  expect_identical(over(function() rr_grr(sample(2:20, 1), p = runif(1)^sample(c(1, 4, 40), 1)), 400), 0L)
  expect_identical(over(function() rr_binary(runif(1)^sample(c(1, 9), 1), runif(1)^sample(c(1, 9), 1)), 400), 0L)
  expect_identical(over(function() rr_warner(runif(1)), 200), 0L)
  expect_identical(over(function() rr_forced(prop.table(runif(4)) * runif(1)), 100), 0L)
  expect_identical(over(function() rr_channel(prop.table(matrix(runif(12), 3), 1)), 100), 0L)
  expect_identical(over(function() rr_geometric(sample(2:6, 1), runif(1, 0.1, 5)), 100), 0L)
  expect_identical(over(function() rr_compose(rr_grr(4, p = runif(1)), rr_grr(4, p = runif(1))), 100), 0L)
})

test_that("a negative zero is a zero", {
  for (mechanism in list(rr_binary(0.8, -0), rr_forced(-0), rr_kuk(0.8, -0))) expect_identical(rr_epsilon(mechanism), Inf)
})

test_that("no generator but the system's can stand for it", {
  entropy$source <- "R"
  on.exit(entropy$source <- "secure")
  set.seed(1)
  expect_error(rr_perturb(1:3, rr_grr(3, epsilon = 1)), class = "candor_error_entropy")
})

test_that("counts and merged tallies are exact up to 2^53, and no further", {
  expect_identical(rr_counts(c(2^53 - 1, 1, 0), rr_grr(3, epsilon = 1))$n, 2^53)
  expect_error(rr_counts(c(2^53, 1, 0), rr_grr(3, epsilon = 1)), class = "candor_error_counts")
  large <- rr_counts(c(2^53 - 1, 0, 0), rr_grr(3, epsilon = 1))
  one <- rr_counts(c(1, 0, 0), rr_grr(3, epsilon = 1))
  expect_identical(c(large, one)$n, 2^53)
  expect_error(c(large, one, one), class = "candor_error_counts")
  groups <- rr_counts(cbind(a = c(2^53 - 1, 0, 0), b = c(1, 0, 0)), rr_grr(3, epsilon = 1))
  expect_error(c(groups, rr_counts(cbind(a = c(1, 1, 0)), rr_grr(3, epsilon = 1))), class = "candor_error_counts")
})

# Largest log ratio within a column, of r reports drawn independently given the truth.
enumerated_epsilon <- function(C, r = 1) {
  joint <- Reduce(function(x, y) t(vapply(seq_len(nrow(C)), function(i) as.vector(outer(x[i, ], y[i, ])), numeric(ncol(x) * ncol(y)))), rep(list(unname(C)), r))
  joint <- joint[, colSums(joint) > 0, drop = FALSE]
  max(log(apply(joint, 2, max)) - log(apply(joint, 2, min)))
}

# Mechanisms that describe what people do, and the reports of those who do nothing wrong.
described_people <- function() {
  die <- rr_forced(1 / 6)
  grr <- rr_grr(3, epsilon = 1)
  warner <- rr_warner(epsilon = 1)
  geometric <- rr_geometric(3, epsilon = 0.5)
  mistakes <- rr_misclassification(0.9, 0.95)
  confused <- rr_misclassification(table = rbind(c(8, 1, 1), c(1, 8, 1), c(2, 2, 6)), validation = "exact")
  uneven <- rr_misclassification(table = rbind(a = c(x = 8, y = 1, z = 1), b = c(1, 8, 1)), validation = "exact")
  two <- rr_compose(grr, rr_grr(3, epsilon = 2))
  list(
    list(rr_noncompliance(grr, 0.3), rr_matrix(grr)), list(rr_noncompliance(die, 0.3, "no"), rr_matrix(die)),
    list(rr_noncompliance(die, 0.3, "truth"), rr_matrix(die)), list(rr_noncompliance(geometric, 0.2), rr_matrix(geometric)),
    list(rr_noncompliance(rr_noncompliance(grr, 0.3), 0.2, "truth"), rr_matrix(grr)),
    list(rr_noncompliance(two, 0.2), rr_matrix(two)), list(rr_compose(rr_noncompliance(grr, 0.3), rr_grr(3, epsilon = 2)), rr_matrix(two)),
    list(mistakes, diag(2)), list(confused, diag(3)), list(uneven, diag(2)), list(rr_noncompliance(mistakes, 0.2), diag(2)),
    list(rr_misclassification(0.5, 0.5), diag(2)),
    list(rr_compose(mistakes, warner), rr_matrix(warner)), list(rr_compose(warner, mistakes), rr_matrix(warner)),
    list(rr_compose(confused, grr), rr_matrix(grr)), list(rr_compose(grr, confused), rr_matrix(grr)),
    list(rr_compose(confused, geometric), rr_matrix(geometric)), list(rr_compose(mistakes, mistakes), diag(2)),
    list(rr_compose(uneven, rr_grr(c("x", "y", "z"), epsilon = 1)), rr_matrix(grr)),
    list(rr_compose(rr_compose(mistakes, warner), mistakes), rr_matrix(warner)),
    list(rr_lie_detector(0.3), rbind(c(0.3, 0.7), c(0, 1))), list(rr_cheater_detection(0.2, 0.1), rbind(c(0.8, 0.2), c(0.1, 0.9)))
  )
}

test_that("what people do wrong is no protection: the level is that of who does nothing wrong", {
  for (case in described_people()) {
    mechanism <- case[[1]]
    level <- enumerated_epsilon(case[[2]])
    latent <- inherits(mechanism, c("rr_lie_detector", "rr_cheater_detection"))
    given <- rr_epsilon(mechanism)[[1]]
    expect_gte(given, level - 1e-12)
    if (!latent) expect_equal(given, level, tolerance = 1e-12)
    # The same wherever a level is read.
    expect_identical(mechanism$epsilon, given)
    expect_gte(rr_epsilon(list(mechanism, rr_grr(3, epsilon = 1)))[[1]], level + 1 - 1e-12)
    expect_gte(rr_epsilon(rr_product(a = mechanism, b = rr_warner(epsilon = 1)))[["total"]], level + 1 - 1e-12)
    if (!isTRUE(mechanism$memoised)) {
      expect_gte(rr_epsilon(rr_product(a = mechanism, b = rr_warner(epsilon = 0.1), asked = 1))[["total"]], level - 1e-12)
      # No part of it on the grid is less.
      grid <- rr_epsilon(rr_product(a = mechanism, asked = 1), achieved = TRUE)[["total"]]
      expect_gte(grid, level * (1 - 1e-12))
    }
    expect_gte(rr_epsilon(mechanism, achieved = TRUE)[[1]], level * (1 - 1e-12))
  }
})

test_that("several reports and shuffled ones are those of who does nothing wrong", {
  grr <- rr_grr(3, epsilon = 1)
  warner <- rr_warner(epsilon = 1)
  mistakes <- rr_misclassification(0.9, 0.95)
  two <- rr_compose(grr, rr_grr(3, epsilon = 2))
  careless <- rr_noncompliance(grr, 0.3)
  expect_equal(rr_epsilon(careless), 1, tolerance = 1e-12)
  expect_equal(rr_epsilon(list(grr, careless)), 2, tolerance = 1e-12)
  expect_equal(rr_epsilon(careless, reports = 5), 5, tolerance = 1e-12)
  expect_identical(rr_epsilon(careless, shuffled = 1000, delta = 1e-6), rr_epsilon(grr, shuffled = 1000, delta = 1e-6))
  expect_identical(rr_epsilon(rr_product(a = careless, b = warner), shuffled = 1000, delta = 1e-6),
                   rr_epsilon(rr_product(a = grr, b = warner), shuffled = 1000, delta = 1e-6))
  expect_identical(rr_epsilon(rr_product(a = careless, b = warner, asked = 1), shuffled = 1000, delta = 1e-6),
                   rr_epsilon(rr_product(a = grr, b = warner, asked = 1), shuffled = 1000, delta = 1e-6))
  expect_identical(rr_epsilon(mistakes, shuffled = 1000, delta = 1e-6)[[1]], Inf)
  expect_identical(rr_epsilon(list(grr, mistakes), reports = 2), Inf)
  # A mistaken answer that is asked of again and again.
  asked <- rr_compose(mistakes, warner)
  expect_identical(rr_epsilon(asked)[["permanent"]], Inf)
  for (r in 2:3) {
    expect_equal(rr_epsilon(asked, reports = r), enumerated_epsilon(rr_matrix(warner), r), tolerance = 1e-9)
    expect_equal(rr_epsilon(list(asked), reports = r), r, tolerance = 1e-9)
    expect_identical(rr_epsilon(rr_noncompliance(two, 0.2), reports = r), rr_epsilon(two, reports = r))
  }
  expect_equal(rr_epsilon(asked, reports = 2:3), vapply(2:3, enumerated_epsilon, 0, C = rr_matrix(warner)), tolerance = 1e-9)
  expect_refused(rr_epsilon(asked, reports = c(1, 0)))
  expect_lte(abs(rr_epsilon(rr_compose(confused <- rr_misclassification(table = diag(3) + 1, validation = "exact"), grr), shuffled = 500, delta = 1e-6) -
                   rr_epsilon(grr, shuffled = 500, delta = 1e-6)), 1e-6)
})

test_that("what two stages achieve is never above nominal, nor nominal above what was asked for", {
  protocols <- c("oue-sue", "sue-sue", "grr-grr", "oue-oue", "sue-oue", "local-hash")
  makers <- c(lapply(stats::setNames(nm = protocols), function(protocol) {
    function(epsilon, permanent) rr_longitudinal(4, permanent, epsilon, protocol)
  }), bloom = function(epsilon, permanent) rr_bloom(4, epsilon, bits = 16, hashes = 2, cohorts = 2, permanent = permanent),
  bloom_3 = function(epsilon, permanent) rr_bloom(4, epsilon, bits = 16, hashes = 3, cohorts = 1, permanent = permanent))
  levels <- c(1e-6, 2.5e-6, 1e-5, 7e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.7, 1, 1.7, 2, 3.1, 4, 5.5, 8)
  # Here every third pair of levels, for each protocol another third; the long tests, each week, have all.
  pairs <- subset(expand.grid(times = c(1.0001, 1.1, 1.5, 2, 3, 10, 1e4), epsilon = levels), epsilon * times <= 30)
  step <- extended(3, 1)
  made <- 0
  for (i in seq_along(makers)) {
    make <- makers[[i]]
    wrong <- list(above = character(), asked = character(), below = character())
    for (row in seq(i %% step + 1, nrow(pairs), step)) {
      epsilon <- pairs$epsilon[row]
      times <- pairs$times[row]
      # The forms with coins do not reach every level.
      mechanism <- tryCatch(make(epsilon, epsilon * times), candor_error_argument = function(e) NULL)
      if (is.null(mechanism)) next
      made <- made + 1
      nominal <- rr_epsilon(mechanism)
      achieved <- rr_epsilon(mechanism, achieved = TRUE)
      # Nor is it far below: a bound that says nothing would hold as well.
      found <- c(any(achieved > nominal), any(nominal > c(epsilon, epsilon * times)), any(achieved < nominal * (1 - 1e-7)))
      for (kind in names(wrong)[found]) wrong[[kind]] <- c(wrong[[kind]], paste(epsilon, times))
    }
    expect_identical(wrong, list(above = character(), asked = character(), below = character()), label = names(makers)[i])
  }
  expect_gt(made, extended(260, 800))
})

# Truth: every ratio of the designs' matrices, which are written by hand.
test_that("epsilon of sensitive truths is that of the design, whatever people and interviewers do with it", {
  even <- function(k, p) diag(p - (1 - p) / (k - 1), k) + (1 - p) / (k - 1)
  forced <- diag(0.7, 3) + rep(c(0.1, 0.2, 0), each = 3)
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.05, 0.15, 0.8))
  kuk <- rbind(dbinom(0:3, 3, 0.4), dbinom(0:3, 3, 0.7))
  warner <- even(2, 0.8)
  grr <- function(p) rr_grr(3, p = p)
  designs <- list(
    list(rr_warner(0.8), warner), list(grr(0.5), even(3, 0.5)), list(rr_forced(c(0.1, 0.2, 0)), forced), list(rr_channel(C), C),
    list(rr_kuk(0.7, 0.4, draws = 3), kuk), list(rr_geometric(3, 1), prop.table(exp(-abs(outer(1:3, 1:3, "-"))) * rep(c(1, 1 - exp(-1), 1), each = 3), 1)),
    list(rr_product(a = rr_warner(0.8), b = rr_noncompliance(grr(0.5), 0.3)), kronecker(warner, even(3, 0.5))),
    list(rr_product(a = rr_misclassification(0.9, 0.8), b = grr(0.5)), kronecker(diag(2), even(3, 0.5))),
    list(rr_misclassification(0.9, 0.8), diag(2)), list(rr_misclassification(table = diag(3) + 1), diag(3)),
    list(rr_noncompliance(rr_warner(0.8), 0.3), warner), list(rr_noncompliance(rr_channel(C), 0.3, "truth"), C),
      list(rr_noncompliance(rr_forced(c(0.1, 0.2, 0)), 0.1, "1"), forced),
    list(rr_compose(rr_misclassification(table = diag(3) + 1, validation = "exact"), grr(0.5)), even(3, 0.5), diag(3)),
    list(rr_compose(grr(0.9), grr(0.5)), even(3, 0.9) %*% even(3, 0.5), even(3, 0.9)),
    list(rr_noncompliance(rr_compose(rr_channel(C), grr(0.5)), 0.2), C %*% even(3, 0.5), C),
    list(rr_longitudinal(3, 2, 1, "grr-grr"), NULL, even(3, plogis(2 - log(2))))
  )
  ratio <- function(C, sensitive) max(apply(C, 2, function(column) if (any(column[sensitive] > 0)) log(max(column[sensitive]) / min(column)) else -Inf))
  for (i in seq_along(designs)) {
    mechanism <- designs[[i]][[1]]
    matrix <- designs[[i]][[2]]
    k <- length(mechanism$levels)
    for (sensitive in list(1, k, seq_len(k))) {
      found <- rr_epsilon(mechanism, sensitive = sensitive)
      label <- paste(format(mechanism), toString(sensitive))
      if (!is.null(matrix)) expect_equal(found[[1]], ratio(matrix, sensitive), tolerance = 1e-9, label = label)
      if (length(designs[[i]]) == 2L) expect_length(found, 1L)
      else expect_equal(found[["permanent"]], ratio(designs[[i]][[3]], sensitive), tolerance = 1e-9, label = label)
    }
    # All truths are sensitive: the epsilon of the mechanism.
    nominal <- rr_epsilon(mechanism)
    expect_equal(unname(found), if (is.null(mechanism$questions)) unname(nominal) else nominal[["total"]], tolerance = 1e-9)
  }
  warner <- rr_warner(0.8)
  expect_refused(rr_epsilon(warner, sensitive = "yes", reports = 5), rr_epsilon(warner, sensitive = "yes", achieved = TRUE),
                 rr_epsilon(warner, sensitive = "yes", shuffled = 1000, delta = 1e-6))
  dealt <- rr_epsilon(rr_dealt(c(no = 3, yes = 1), 10), sensitive = "yes")
  expect_equal(dealt, c(report = log(0.7 / 0.1), informed = Inf))
})

test_that("a ledger of mechanisms refuses what it does not know, and what is no mechanism", {
  ledger <- list(rr_warner(0.8), rr_grr(3, epsilon = 1))
  expect_equal(rr_epsilon(ledger), log(4) + 1)
  expect_refused(rr_epsilon(ledger, report = 2), rr_epsilon(list()), rr_epsilon(list(rr_warner(0.8), 1)), rr_epsilon(ledger, shuffled = 100))
})

test_that("a questionnaire in a list has the sum of its questions, each with its own permanent answer", {
  kept <- rr_compose(rr_grr(4, 2), rr_grr(4, 1))
  both <- rr_product(a = rr_warner(epsilon = 0.7), b = kept)
  expect_equal(rr_epsilon(list(both), reports = 3), 3 * 0.7 + rr_epsilon(kept, reports = 3))
  expect_equal(rr_epsilon(list(both, rr_grr(3, 0.4)), reports = c(1, 5)), 0.7 + rr_epsilon(kept)[["report"]] + 5 * 0.4)
})

test_that("two answers have the epsilon of up to a million reports, which is that of the permanent answer", {
  two <- rr_compose(rr_binary(0.6, 0.3), rr_binary(0.7, 0.1))
  limit <- with_calls(reports_epsilon, two_answers_epsilon = function(mechanism, r) r)
  expect_identical(limit(two, 1e6), 1e6)
  expect_refused(rr_epsilon(two, reports = 1e6 + 1))
  # Ten thousand reports tell the permanent answer: 0.3 / 0.6.
  expect_equal(rr_epsilon(two, reports = 1e4), log(2), tolerance = 1e-9)
})

test_that("a ledger counts what an informed reader learns, and takes numbers of reports by name only if the names differ", {
  expect_identical(rr_epsilon(list(rr_dealt(c(no = 3, yes = 1), 10), rr_warner(0.8))), Inf)
  expect_identical(rr_epsilon(list(rr_dealt(c(no = 3, yes = 1), 10)), reports = 2), Inf)
  warner <- rr_warner(0.8)
  grr <- rr_grr(3, epsilon = 1)
  expect_equal(rr_epsilon(list(a = warner, b = grr), reports = c(b = 2, a = 5)), 5 * log(4) + 2)
  expect_equal(rr_epsilon(list(a = warner, b = grr), reports = 3), 3 * log(4) + 3)
  expect_refused(rr_epsilon(list(a = warner, a = grr), reports = c(a = 2, a = 5)), rr_epsilon(list(warner, grr), reports = c(a = 2, b = 5)),
                 rr_epsilon(warner, delta = 1e-6), rr_epsilon(warner, grr), rr_epsilon(warner, achieved = NA))
})

test_that("the matrix of a stage as it is drawn has a + b on its diagonal and b beside it, up to 2,000 categories", {
  expect_equal(achieved_matrix(list(a = 0.4, b = c(0.1, 0.2, 0.3)), list(levels = 1:3)), rbind(c(0.5, 0.2, 0.3), c(0.1, 0.6, 0.3), c(0.1, 0.2, 0.7)))
  expect_refused(achieved_matrix(list(a = 0.4, b = 0.3), list(levels = 1:2001)), class = "too_large")
})

# Truth: all pairs of reports of two stages, enumerated. Two reports may reveal more than twice what one does: the second says what the first left open.
test_that("a ledger has a bound where several reports have no closed form: what each says about the permanent answer, and at most that answer", {
  first <- rr_forced(c(a = 0.1, b = 0.2, c = 0.3))
  kept <- rr_compose(first, rr_grr(c("a", "b", "c"), 0.3))
  expect_error(rr_epsilon(kept, reports = 2), class = "candor_error_law")
  expect_equal(rr_epsilon(list(kept), reports = 2), 2 * 0.3)
  expect_equal(rr_epsilon(list(rr_noncompliance(kept, 0.1)), reports = 2), 2 * 0.3)
  # The rarest card is 0.1, the truth 0.4.
  expect_equal(rr_epsilon(list(kept, rr_warner(0.8)), reports = c(100, 1)), log(0.5 / 0.1) + log(4))
  weak <- rr_compose(rr_forced(c(a = 0.02, b = 0.4, c = 0.45)), rr_geometric(c("a", "b", "c"), 0.8))
  A <- rr_matrix(weak$first)
  B <- rr_matrix(weak$second)
  pairs <- expand.grid(1:3, 1:3)
  ratios <- apply(A %*% (B[, pairs[[1]]] * B[, pairs[[2]]]), 2, function(column) max(column) / min(column))
  expect_gt(log(max(ratios)), 2 * weak$epsilon)
  expect_gte(rr_epsilon(list(weak), reports = 2), log(max(ratios)))
})

test_that("the pieces of several reports, of two stages and of sensitive truths, by hand", {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0, 0.4, 0.6))
  # Reports that the sensitive truth never gives do not count.
  expect_equal(sensitive_ratio(C, 3), log(6))
  expect_identical(sensitive_ratio(C, c(3, 1)), Inf)
  expect_equal(sensitive_ratio(C[1:2, ], 2), log(0.8 / 0.2))
  expect_identical(sensitive_ratio(C[c(1, 1), ], 1), 0)
  for (pair in list(c(0.8, 0.3), c(0.3, 0.8))) {
    expect_equal(power_mixture(0.6, pair[1], pair[2], 4), (0.6 * pair[1]^4 + 0.4 * pair[2]^4) / 0.8^4)
  }
  expect_identical(power_mixture(0.6, 0.5, 0.5, 4), 1)
  # The bit of the first truth is always 1, that of the second always 0.
  always <- function(one, r) one * 0.8^r + (1 - one) * 0.3^r
  never <- function(one, r) one * 0.2^r + (1 - one) * 0.7^r
  for (r in c(1, 3)) {
    expected <- log(always(0.7, r) * never(0.2, r) / (always(0.2, r) * never(0.7, r)))
    expect_equal(bits_epsilon(list(p = 0.7, q = 0.2), list(p = 0.8, q = 0.3), r), expected)
    expect_equal(bits_epsilon(list(p = 0.2, q = 0.7), list(p = 0.8, q = 0.3), r), expected)
  }
  expect_equal(achieved_report_epsilon(list(p = 0.7, q = 0.2), list(p = 0.8, q = 0.3), NULL), log(0.65 * 0.6 / (0.4 * 0.35)))
  expect_equal(achieved_report_epsilon(list(p = 0.2, q = 0.7), list(p = 0.8, q = 0.3), NULL), log(0.65 * 0.6 / (0.4 * 0.35)))
  matrix_of <- function(law) diag(law$a, 2) + matrix(law$b, 2, 2, byrow = TRUE)
  first <- list(a = 0.5, b = c(0.2, 0.3))
  second <- list(a = 0.4, b = c(0.35, 0.25))
  both <- matrix_of(first) %*% matrix_of(second)
  expect_equal(achieved_report_epsilon(first, second, NULL), max(abs(log(both[1, ] / both[2, ]))))
})

test_that("several reports of a kept answer say most if they are all alike, of two answers by all their numbers", {
  grr <- function(k, epsilon) c(exp(epsilon), 1) / (exp(epsilon) + k - 1)
  first <- grr(3, 2)
  second <- grr(3, 1)
  kept <- rr_compose(rr_grr(3, 2), rr_grr(3, 1))
  for (r in 2:4) {
    same <- function(p) p * second[1]^r + (1 - p) * second[2]^r
    expect_equal(rr_epsilon(kept, reports = r), log(same(first[1]) / same(first[2])))
  }
  expect_identical(rr_epsilon(kept, reports = 1), kept$epsilon)
  # Two reports of a yes/no question: none, one or both are yes.
  two <- rr_compose(rr_binary(0.9, 0.2), rr_binary(0.7, 0.1))
  given <- function(yes) vapply(0:2, function(n) yes * 0.7^n * 0.3^(2 - n) + (1 - yes) * 0.1^n * 0.9^(2 - n), 0)
  expect_equal(rr_epsilon(two, reports = 2), max(abs(log(given(0.9) / given(0.2)))))
  uneven <- rr_compose(rr_forced(c(a = 0.1, b = 0.2, c = 0.3)), rr_grr(c("a", "b", "c"), 0.3))
  expect_error(rr_epsilon(uneven, reports = 2), class = "candor_error_law")
  # Questions add up; of one that is drawn the largest counts, drawn anew each time.
  survey <- rr_product(a = kept, b = rr_warner(epsilon = 0.4))
  a <- rr_epsilon(kept, reports = 3)
  expect_equal(rr_epsilon(survey, reports = 3), c(a = a, b = 1.2, total = a + 1.2))
  drawn <- rr_product(a = rr_grr(3, 0.7), b = rr_warner(epsilon = 0.4), asked = 1)
  expect_equal(rr_epsilon(drawn, reports = 3), c(a = 2.1, b = 1.2, total = 2.1))
  expect_equal(rr_epsilon(rr_hierarchy(9, 0.7), reports = 2), 1.4)
  expect_equal(rr_epsilon(drawn, achieved = TRUE), c(a = 0.7, b = 0.4, total = 0.7), tolerance = 1e-9)
})

# Truth: all sequences of two and three reports, enumerated. The first two truths are nearly alike, the third is not.
test_that("several reports with two answers reveal what they say about any two truths, not the first two alone", {
  A <- rbind(c(0.7, 0.2, 0.1), c(0.6, 0.3, 0.1), c(0.1, 0.1, 0.8))
  B <- rbind(c(0.9, 0.1), c(0.6, 0.4), c(0.2, 0.8))
  kept <- rr_longitudinal(permanent = rr_channel(A), instantaneous = rr_channel(B))
  for (r in 2:3) {
    sequences <- as.matrix(expand.grid(rep(list(1:2), r)))
    chance <- A %*% apply(sequences, 1, function(reports) apply(B[, reports], 1, prod))
    expect_equal(rr_epsilon(kept, reports = r), max(log(apply(chance, 2, max) / apply(chance, 2, min))), tolerance = 1e-12)
    expect_identical(rr_epsilon(list(kept), reports = r), rr_epsilon(kept, reports = r))
  }
  # A truth that rules a permanent answer out.
  A[3, ] <- c(0, 0, 1)
  B[3, ] <- 0:1
  sure <- rr_longitudinal(permanent = rr_channel(A), instantaneous = rr_channel(B))
  expect_identical(rr_epsilon(sure, reports = 2), Inf)
})

# Truth: all filters of six bits that a permanent answer can be, enumerated in each cohort.
test_that("the permanent answer of a sensitive truth is a whole filter, in RAPPOR", {
  mechanism <- rr_bloom(letters[1:9], 1, permanent = 2, bits = 6, cohorts = 2)
  filters <- as.matrix(expand.grid(rep(list(0:1), 6)))
  flip <- mechanism$f / 2
  ratio <- function(j, sensitive) {
    own <- t(vapply(1:9, function(x) replace(numeric(6), mechanism$places[, x, j], 1), numeric(6)))
    different <- own %*% t(1 - filters) + (1 - own) %*% t(filters)
    chance <- flip^different * (1 - flip)^(6 - different)
    max(log(apply(chance[sensitive, , drop = FALSE], 2, max) / apply(chance, 2, min)))
  }
  for (sensitive in list(1, 8, c(2, 9))) {
    expect_equal(rr_epsilon(mechanism, sensitive = sensitive)[["permanent"]], max(ratio(1, sensitive), ratio(2, sensitive)), tolerance = 1e-9)
  }
})

test_that("several numbers of reports have a column each for several questions, and a report each for dealt answers", {
  warner <- rr_warner(0.8)
  both <- rr_product(a = warner, b = rr_grr(3, 1))
  expect_equal(rr_epsilon(both, reports = 1:3), outer(c(a = log(4), b = 1, total = log(4) + 1), 1:3))
  expect_equal(rr_epsilon(rr_product(a = warner, b = rr_grr(3, 1), asked = 1), reports = 2:3), outer(c(a = log(4), b = 1, total = log(4)), 2:3))
  expect_equal(unname(rr_epsilon(rr_dealt(c(no = 1, yes = 2), 10), reports = 1:2)), c(log(8), 2 * log(8), Inf))
})
