test_that("GRR parameters from epsilon match the 60-digit vectors to 1e-14", {
  for (case in golden("rr_params_from_epsilon")) {
    if (case$input$epsilon <= 0) next # not a privacy level: refused below
    mechanism <- rr_grr(case$input$k, epsilon = case$input$epsilon)
    for (name in c("p", "q", "p_minus_q")) {
      expected <- case$expected[[name]]
      expect_lte(abs(mechanism[[name]] - expected), max(1e-14 * abs(expected), 1e-300), label = name)
    }
    expect_identical(rr_epsilon(mechanism), as.double(case$input$epsilon))
  }
})

test_that("GRR parameters from p match the 60-digit vectors", {
  for (case in golden("rr_params_from_p")) {
    mechanism <- rr_grr(case$input$k, p = case$input$p)
    for (name in c("q", "p_minus_q")) expect_golden(mechanism[[name]], case$expected[[name]])
    expect_golden(rr_epsilon(mechanism), case$expected$epsilon_ldp)
  }
})

test_that("epsilon survives the way to (p, q) and back, from 1e-12 to 700", {
  each <- expand.grid(k = c(2, 3, 50, 1e6), epsilon = c(1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1, 5, 30, 300, 700))
  mechanisms <- Map(function(k, epsilon) rr_grr(k, epsilon = epsilon), each$k, each$epsilon)
  of <- function(name) vapply(mechanisms, `[[`, 0, name)
  # The mechanism with the largest error is named.
  expect_ones <- function(ratio, tolerance) {
    at <- order(-abs(ratio - 1), na.last = FALSE)[1]
    expect_lte(abs(ratio[at] - 1), tolerance, label = paste("k", each$k[at], "epsilon", each$epsilon[at]))
  }
  # log1p of the odds is the definition log(p / q) without cancellation.
  expect_ones(log1p(of("odds")) / each$epsilon, 1e-14)
  expect_ones(of("p_minus_q") / of("q") / expm1(each$epsilon), 1e-14)
  expect_ones(of("p") + (each$k - 1) * of("q"), 1e-15)
})

test_that("the classical designs are the special cases their authors describe", {
  # Probabilities worked out by hand from the drawing of each design.
  expect_pq <- function(mechanism, p, q) {
    expect_equal(c(mechanism$p, mechanism$q), c(p, q), tolerance = 1e-15)
    expect_equal(mechanism$p_minus_q, p - q, tolerance = 1e-15)
  }
  expect_pq(rr_warner(0.7), 0.7, 0.3)
  expect_pq(rr_warner(epsilon = log(7 / 3)), 0.7, 0.3)
  expect_pq(rr_crosswise(0.25), 0.25, 0.75)
  expect_pq(rr_triangular(0.25), 1, 0.25)
  expect_pq(rr_warner(0.7, t = 0.5), 0.85, 0.15)
  expect_pq(rr_warner(0.7, t = 0), 0.7, 0.3)
  # Mangat (1994), another design with the same p: yes from all who hold it, and from 1 - p of the others.
  expect_pq(rr_binary(1, 0.3), 1, 0.3)
  expect_identical(rr_epsilon(rr_binary(1, 0.3)), Inf)
  expect_equal(coef(rr_estimate(rr_counts(c(no = 42, yes = 58), rr_binary(1, 0.3))))[["yes"]], (0.58 - 0.3) / 0.7)
  expect_pq(rr_kuk(0.8, 0.2), 0.8, 0.2)
})

test_that("rows of every matrix are truths and add up to 1", {
  mechanisms <- list(
    rr_grr(2, epsilon = 1), rr_grr(7, epsilon = 0.1), rr_grr(4, p = 0.1), rr_grr(3, p = 1), rr_warner(0.7),
    rr_crosswise(0.2), rr_triangular(0.3), rr_warner(0.6, t = 0.2), rr_kuk(0.9, 0.3), rr_forced(1 / 6),
    rr_forced(c(a = 0.1, b = 0, c = 0.3)), rr_unrelated(0.7, c(0.2, 0.3, 0.5))
  )
  for (mechanism in mechanisms) {
    matrix <- rr_matrix(mechanism)
    expect_equal(unname(rowSums(matrix)), rep(1, nrow(matrix)), tolerance = 1e-15)
    expect_true(all(matrix >= 0))
    expect_named(dimnames(matrix), c("truth", "report"))
    # The definition of epsilon, entry by entry
    ratios <- apply(matrix, 2, function(column) if (max(column) == 0) 0 else log(max(column) / min(column)))
    expect_equal(rr_epsilon(mechanism), max(ratios), tolerance = 1e-12)
  }
  expect_equal(unname(rr_matrix(rr_forced(c(a = 0.1, b = 0.2, c = 0.3)))[1, ]), c(0.5, 0.2, 0.3))
})

test_that("a probability of 1/k written in floating point means that reports carry nothing", {
  for (k in c(2, 3, 5, 49, 98, 103, 1e5)) expect_identical(rr_grr(k, p = 1 / k)$p_minus_q, 0)
  expect_identical(rr_epsilon(rr_warner(0.5)), 0)
})

test_that("mechanisms print their design, epsilon and transition probabilities", {
  expect_snapshot(rr_grr(c("never", "once", "often"), epsilon = 1))
  expect_snapshot(rr_grr(41270, epsilon = 4))
  expect_snapshot(rr_crosswise(0.25))
  expect_snapshot(rr_triangular(0.25))
  expect_snapshot(rr_forced(c(none = 0.1, some = 0.1, many = 0.2)))
  expect_identical(format(rr_warner(0.7)), "Warner's design (p = 0.7, q = 0.3), 2 categories, epsilon = 0.8473")
})

test_that("wrong descriptions of a mechanism are refused", {
  for (epsilon in list(0, -1, NaN, Inf, c(1, 2), "1")) expect_refused(rr_grr(5, epsilon = epsilon))
  for (levels in list(1, 2.5, character(), c("a", "b", "a"), c("a", NA), list(1, 2))) expect_refused(rr_grr(levels, epsilon = 1))
  for (p in list(1.5, NA)) expect_refused(rr_grr(5, p = p))
  expect_refused(rr_grr(5, epsilon = 1, p = 0.5), rr_grr(5), rr_binary(1.2, 0.1), rr_binary(0.8, 0.2, levels = c("a", "b", "c")), rr_warner(),
                 rr_warner(0.7, t = 2), rr_warner(epsilon = 1, t = 0.2), rr_forced(0.6), rr_forced(c(0.1, 0.1, 0.1), levels = c("a", "b")),
                 rr_unrelated(0.7, c(0.2, 0.2)), rr_unrelated(0.7, 0.2, levels = c("a", "b", "c")), rr_epsilon("grr"), rr_matrix(rr_grr(20000, epsilon = 1)))
  expect_refused(rr_forced(c(a = 0.1, b = 0.1), levels = c("x", "y")), class = "mismatch")
})

test_that("p = q up to the rounding of its making is p = q, whatever the constructor", {
  # Each pair is equal in exact arithmetic: 0.2 * 5/8 + 3/8 = 1/2, 0.3 * 5/7 + 2/7 = 1/2, 0.1 + 0.2 = 0.3.
  designs <- list(rr_warner(0.2, t = 0.375), rr_warner(0.3, t = 2 / 7), rr_binary(0.1 + 0.2, 0.3), rr_kuk(0.3, 0.1 + 0.2),
                  rr_warner(0.8 - 0.3), rr_crosswise(0.8 - 0.3), rr_triangular(0.7 + 0.2 + 0.1),
                  rr_misclassification(1 - 0.9, 0.9), rr_forced(c(0.1 + 0.2, 0.7)), rr_unrelated(2^-55, 0.3),
                  rr_grr(49, p = 1 / 49))
  for (number in seq_along(designs)) {
    design <- designs[[number]]
    # Mistakes are no randomization.
    expect_identical(rr_epsilon(design), if (isTRUE(design$error)) Inf else 0, label = format(design))
    reports <- rr_counts(rep(10, length(design$levels)), design)
    # All methods where the first design is asked, one of them for each of the others.
    methods <- c("mle", "inv", "ibu", "power")
    for (method in if (number == 1) methods else methods[number %% 4 + 1]) {
      expect_error(rr_estimate(reports, method = method), class = "candor_error_no_information")
    }
  }
  # Along the whole curve (1 - t)(1 - p) = 1/2.
  p <- seq(0.001, 0.499, 0.001)
  expect_identical(vapply(p, function(p) rr_epsilon(rr_warner(p, t = (1 - 2 * p) / (2 - 2 * p))), 0), numeric(499))
  # A difference that is none of rounding stays one.
  expect_equal(rr_epsilon(rr_binary(2e-17, 1e-17)), log(2), tolerance = 1e-12)
  expect_gt(rr_epsilon(rr_warner(epsilon = 1e-12)), 0)
})

test_that("a difference below what the estimators can tell is said to be one", {
  # Two of four categories are merged, whose b are then unequal.
  faint <- rr_compose(rr_grr(4, p = 1), rr_grr(4, epsilon = 1e-14 / 0.9 * 1e2))
  faint <- rr_noncompliance(faint, 0.999)
  expect_error(rr_estimate(rr_counts(c(0, 0, 1e9, 1e9), faint), method = "merged"), class = "candor_error_no_information")
  for (design in list(rr_unrelated(5e-15, c(0.3, 0.3, 0.4)), rr_binary(5e-15, 0))) {
    reports <- rr_counts(rep(10, length(design$levels)), design)
    expect_refused(rr_estimate(reports), rr_power(design, margin = 0.1), class = "no_information")
  }
})

test_that("forced probabilities that round to more than 1 leave no probability of the truth", {
  for (excess in c(1e-15, 5e-13, 9e-13)) {
    design <- rr_forced(c(0.5, 0.5 + excess), levels = 2)
    expect_identical(design$truth, 0)
    expect_identical(rr_epsilon(design), 0)
    expect_equal(sum(design$innocuous), 1, tolerance = 2^-52)
    expect_error(rr_estimate(rr_counts(c(5, 6), design)), class = "candor_error_no_information")
  }
  expect_error(rr_forced(c(0.5, 0.5 + 1e-11), levels = 2), class = "candor_error_argument")
})

test_that("every epsilon that a constructor takes can be estimated from, and no other is taken", {
  makers <- list(rr_grr, rr_geometric, function(k, epsilon) rr_warner(epsilon = epsilon))
  for (make in makers) {
    for (epsilon in c(0, 1e-150, 9.9e-13, 700.1, 1e5, Inf, NA)) expect_error(make(2, epsilon = epsilon), class = "candor_error_argument")
    for (epsilon in c(1e-12, 1e-6, 1, 700)) {
      reports <- rr_counts(c(40, 60), make(2, epsilon = epsilon))
      for (method in c("mle", "inv", "invn", "invp", "ibu", "norm_cut", "base_cut", "power")) {
        # A fixed number of steps says nothing about convergence: only its failure is looked for.
        expect_true(all(is.finite(coef(rr_estimate(reports, method = method)))), label = paste(format(reports$mechanism), method))
      }
      # Of two categories reported 40 and 60 times the second is the more frequent, and the only one if epsilon is
      # below logit(0.6): then even a truth of the second alone gives less than 60 per cent.
      if (epsilon < stats::qlogis(0.6)) expect_equal(unname(coef(rr_estimate(reports))), c(0, 1), tolerance = 1e-12)
      else expect_lt(coef(rr_estimate(reports))[1], coef(rr_estimate(reports))[2])
    }
  }
  expect_refused(rr_recommend(8, c(1, 701)), rr_recommend(8, 1e-13))
})

# Truth: the largest log ratio, by hand.
test_that("a mechanism of one's own reveals at least what its law does, and its law is one", {
  own <- function(epsilon, law, levels = 2) rr_new_mechanism("own", levels, epsilon = epsilon, design = "Own", law = law)
  channel <- rr_new_law("channel", axes = rbind(c(0.9, 0.1), c(0.1, 0.9)))
  product <- rr_new_law("channel", axes = list(rbind(c(0.9, 0.1), c(0.1, 0.9)), rr_new_law("additive", a = 0.4, b = c(0.1, 0.2, 0.3))))
  additive <- rr_new_law("additive", a = 0.4, b = 0.2)
  uneven <- rr_new_law("additive", a = -0.1, b = c(0.5, 0.6))
  expect_refused(own(0.1, channel), own(log(9) - 1e-6, channel), own(log(3) - 1e-6, additive, 3), own(log(6 / 5), uneven),
                 own(log(45) - 1e-6, product, 6), own(Inf, rr_new_law("additive", a = 0.5, b = 0.2), 3), own(5, additive, 4))
  expect_equal(rr_epsilon(own(log(9), channel)), log(9))
  expect_equal(rr_epsilon(own(log(9) * (1 - 1e-12), channel)), log(9))
  expect_s3_class(own(log(3), additive, 3), "rr_own")
  expect_s3_class(own(log(5 / 4), uneven), "rr_own")
  expect_s3_class(own(log(9) + log(0.5 / 0.1), product, 6), "rr_own")
  expect_s3_class(own(Inf, rr_new_law("additive", a = 1, b = 0), 5), "rr_own")
  expect_refused(own(100, rr_new_law("additive", a = 0.5, b = c(0, 0.5))))
  expect_s3_class(own(1, rr_new_law("support", 0.75, 0.25)), "rr_own")
})

test_that("a law with more reports than truths has the epsilon of its largest ratio, whatever nobody reports", {
  own <- function(epsilon, law, levels, reports) rr_new_mechanism("own", levels, epsilon = epsilon, design = "Own", reports = reports, law = law)
  # By hand: 0.7 / 0.1 in the first column, 0.6 / 0.1 in the last.
  wide <- rr_new_law("channel", axes = rbind(c(0.7, 0.2, 0.1), c(0.1, 0.3, 0.6)))
  expect_identical(rr_epsilon(own(log(7), wide, 2, 3)), log(7))
  expect_refused(own(log(7) - 1e-6, wide, 2, 3))
  # A report that nobody gives reveals nothing, one that a single truth gives reveals all.
  expect_s3_class(own(0, rr_law(rr_kuk(1, 1, draws = 2)), 2, 3), "rr_own")
  expect_refused(own(100, rr_new_law("channel", axes = rbind(c(0.8, 0.1, 0.1), c(0.2, 0.8, 0))), 2, 3))
  tall <- rr_new_law("channel", axes = rbind(c(0.7, 0.3), c(0.5, 0.5), c(0.2, 0.8)))
  expect_s3_class(own(log(3.5), tall, 3, 2), "rr_own")
  expect_refused(own(log(3.5) - 1e-6, tall, 3, 2))
})

test_that("a recipe has the arguments that were given, and levels as few words as make them again", {
  expect_identical(rr_grr(3, p = 0.5)$recipe$arguments, list(p = 0.5))
  expect_identical(level_value(c("1", "2", "3"), NULL), 3)
  expect_identical(level_value(c("2", "1"), NULL), c("2", "1"))
  # Numbers are their text if it has all their digits.
  expect_identical(level_value(c("5", "2"), c(5, 2)), c("5", "2"))
  expect_identical(level_value(c("0.333333333333333", "1"), c(1 / 3, 1)), c(1 / 3, 1))
  expect_identical(level_value(c("1", "3+"), c(1, NA)), c("1", "3+"))
  expect_identical(level_value(c("low", "high"), NULL, TRUE), factor(c("low", "high"), c("low", "high"), ordered = TRUE))
  for (labels in list(c("No ", "YES"), c("FALSE", "TRUE"), c("0", "1"), c("different", "same"))) {
    expect_identical(list(no_yes_order(labels), no_yes_order(rev(labels))), list(1:2, 2:1))
    expect_identical(no_yes_index(rev(labels)), c(no = 2L, yes = 1L))
  }
  expect_null(no_yes_order(c("yes", "yes")))
  expect_null(no_yes_index(c("no", "yes", "maybe")))
  expect_identical(no_yes_index(c("a", "b")), c(no = 1L, yes = 2L))
})

test_that("a mechanism of one's own reads numbers as positions, and as no and yes if it is asked to", {
  own <- function(...) rr_new_mechanism("own", c("a", "b"), epsilon = log(3), design = "", law = rr_new_law("additive", 0.5, 0.25), ...)
  expect_identical(rr_tally(c(1, 2, 2), own())$counts, c(1, 2))
  expect_identical(rr_tally(c(0, 1, 1), own(yes_no = TRUE))$counts, c(1, 2))
  expect_error(rr_tally(c(0, 1), own()), class = "candor_error_level")
  expect_error(rr_tally(c(1, 2), own(yes_no = TRUE)), class = "candor_error_level")
})

test_that("a recipe holds numbers as doubles and matrices as they are, and levels that make the mechanism again", {
  expect_identical(rr_mean(0:1, 1)$recipe$arguments$range, c(0, 1))
  places <- rbind(c(1, 2, 6, 10), c(3, 5, 7, 8), c(4, 1, 9, 6))
  filters <- rr_bloom(3, 1, bits = 5L, hashes = 2, cohorts = 2, places = places)
  expect_identical(filters$recipe$arguments$places, places)
  expect_identical(filters$recipe$arguments$bits, 5)
  # A label that is no number: the others need all their digits, which their text has not.
  expect_identical(level_value(c("0.333333333333333", "x"), c(1 / 3, NA)), c("0.333333333333333", "x"))
  for (levels in list(4, 2, c("u", "v"), c(2, 7), c(1 / 3, 1), ordered(c("low", "high"), c("low", "high")))) {
    for (make in list(rr_grr, rr_unary, rr_hadamard)) {
      m <- make(levels, 1)
      expect_identical(make(level_argument(m), 1), m)
    }
  }
})

test_that("the epsilon of one factor of a law is its largest log ratio, whatever nobody reports", {
  # Columns are truths, rows reports.
  expect_equal(axis_epsilon(list(matrix = rbind(c(0.5, 0.25), c(0, 0), c(0.5, 0.75)))), log(2))
  expect_equal(axis_epsilon(list(a = 0.5, b = c(0.1, 0.4))), log(6))
  expect_equal(axis_epsilon(list(a = -0.2, b = c(0.5, 0.7))), log(5 / 3))
  expect_identical(axis_epsilon(list(a = 0.6, b = c(0, 0.4))), Inf)
  expect_equal(axis_epsilon(list(a = 0, b = c(0, 1))), 0)
})

test_that("a mechanism of one's own has a word for its kind, before the class of its reports", {
  own <- function(kind, ...) rr_new_mechanism(kind, c("a", "b"), epsilon = log(3), design = "Own", ...)
  expect_s3_class(own("own.kind_2"), c("rr_own.kind_2", "rr_mechanism"), exact = TRUE)
  expect_s3_class(own("own", bits = TRUE), c("rr_own", "rr_protocol", "rr_mechanism"), exact = TRUE)
  expect_refused(own(c("a", "b")), own("two words"), own(1), own(""), own("2a"), own(NA_character_), own("a", bits = NA), own("a", yes_no = 1))
  expect_refused(rr_new_mechanism("own", c("a", "b"), epsilon = -1, design = ""), rr_new_mechanism("own", c("a", "a"), epsilon = 1, design = ""),
                 rr_new_mechanism("own", c("a", "b"), reports = c("x", "x"), epsilon = 1, design = ""))
})

test_that("up to eight categories a print has the matrix, beyond them and of protocols the probabilities of the law", {
  shown <- function(mechanism) capture.output(print(mechanism))
  has_matrix <- function(mechanism) any(grepl("rows are truths", shown(mechanism), fixed = TRUE))
  expect_identical(c(has_matrix(rr_grr(8, p = 2 / 3)), has_matrix(rr_grr(9, p = 2 / 3)), has_matrix(rr_unary(3, 1)), has_matrix(rr_mean(c(0, 1), 1))),
                   c(TRUE, FALSE, FALSE, FALSE))
  expect_match(shown(rr_grr(9, p = 2 / 3)), "0\\.6667", all = FALSE)
  expect_match(shown(rr_grr(9, p = 2 / 3)), "0\\.04167", all = FALSE)
  expect_match(shown(rr_unary(3, p = 0.8125, q = 0.25)), "0\\.8125", all = FALSE)
  # Forced answers of several shares: from the least to the largest.
  expect_match(shown(rr_forced(c(0.0625, rep(0.03125, 9)))), "0\\.03125 to 0\\.0625", all = FALSE)
})
