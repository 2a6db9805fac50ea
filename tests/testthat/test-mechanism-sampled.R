survey <- function() {
  rr_product(drugs = rr_warner(epsilon = 2), often = rr_unary(c("never", "once", "often"), epsilon = 1), hours = rr_mean(c(0, 24), epsilon = 1.5), asked = 1)
}

answers <- function(n) {
  data.frame(id = seq_len(n), drugs = rbinom(n, 1, 0.2), often = sample(c("never", "once", "often"), n, TRUE, c(6, 3, 1)), hours = runif(n, 0, 8))
}

test_that("epsilon is the largest of the questions', by enumeration of all reports and rows of answers", {
  m <- rr_product(a = rr_grr(3, epsilon = 1), b = rr_warner(epsilon = 0.4), asked = 1)
  expect_equal(rr_epsilon(m), c(a = 1, b = 0.4, total = 1))
  expect_true(all(rr_epsilon(m, achieved = TRUE) <= rr_epsilon(m)))
  rows <- expand.grid(a = 1:3, b = 1:2)
  whole <- cbind(rr_matrix(m$parts$a)[rows$a, ], rr_matrix(m$parts$b)[rows$b, ]) / 2
  expect_equal(max(log(apply(whole, 2, max) / apply(whole, 2, min))), 1, tolerance = 1e-12)
})

test_that("each respondent answers one question, drawn uniformly, and each is estimated from those who drew it", {
  set.seed(1)
  m <- survey()
  people <- answers(30000)
  reports <- rr_perturb(people, m)
  expect_identical(names(reports), c("question", "report"))
  # Uniform over three: five standard deviations.
  expect_true(all(abs(table(reports$question) - 10000) <= 5 * sqrt(30000 * 2 / 9)))
  # Which was drawn does not depend on the answers.
  expect_gt(suppressWarnings(chisq.test(table(reports$question, people$often))$p.value), 1e-6)
  fits <- rr_estimate(reports, m, method = "inv")
  expect_identical(names(fits), c("drugs", "often", "hours"))
  expect_lte(abs(coef(fits$drugs)[["yes"]] - mean(people$drugs)), 5 * tidy(fits$drugs)$std.error[2])
  expect_true(all(abs(coef(fits$often) - c(0.6, 0.3, 0.1)) <= 5 * tidy(fits$often)$std.error))
  expect_lte(abs(coef(fits$hours) - mean(people$hours)), 5 * tidy(fits$hours)$std.error)
  expect_identical(sum(vapply(fits, nobs, 0)), 30000)
})

test_that("a part of the tally is the tally of those who drew it", {
  set.seed(2)
  m <- survey()
  people <- answers(600)
  reports <- rr_perturb(people, m, rng = "R")
  region <- rep(c("n", "s", "s"), 200)
  w <- runif(600, 0.5, 1.5)
  tally <- rr_tally(reports, m, by = region, weights = w)
  for (name in names(m$parts)) {
    at <- reports$question == name
    direct <- rr_tally(reports$report[at], m$parts[[name]], by = region[at], weights = w[at])
    part <- candor:::submechanism_tally(tally, name)
    expect_equal(part$counts, direct$counts)
    expect_equal(part$n, direct$n)
    # Kish's effective number, of which each question has its share by weight: n (sum of w) / (sum of w^2).
    expect_equal(part$effective_n, as.vector(direct$n * rowsum(w, region) / rowsum(w^2, region)))
  }
  merged <- c(rr_tally(reports[1:200, ], m, by = region[1:200], weights = w[1:200]),
              rr_tally(reports[201:600, ], m, by = region[201:600], weights = w[201:600]))
  expect_equal(merged$counts, tally$counts)
  expect_equal(lapply(rr_estimate(merged, method = "inv"), coef), lapply(rr_estimate(tally, method = "inv"), coef))
})

test_that("reports of one kind stand in one column", {
  people <- data.frame(a = c("x", "y", "x", "y"), b = c("u", "u", "v", "v"))
  grr <- rr_product(a = rr_grr(c("x", "y"), epsilon = 1), b = rr_grr(c("u", "v"), epsilon = 1), asked = 1)
  expect_type(rr_perturb(people, grr)$report, "character")
  hash <- rr_product(a = rr_local_hash(c("x", "y"), epsilon = 1), b = rr_local_hash(c("u", "v"), epsilon = 1), asked = 1)
  expect_identical(names(rr_perturb(people, hash)), c("question", "slope", "shift", "value"))
  bits <- rr_product(a = rr_unary(c("x", "y"), epsilon = 1), b = rr_unary(c("u", "v"), epsilon = 1), asked = 1)
  expect_s3_class(rr_perturb(people, bits)$report, "rr_reports")
  for (m in list(grr, hash, bits)) {
    reports <- rr_perturb(people[rep(1:4, 50), ], m)
    expect_equal(sum(rr_tally(reports, m)$counts[c(1, 1 + length(m$parts$a$reports) + 1)]), 200)
    expect_identical(rr_reports(reports, m), reports)
  }
})

test_that("missing reports and questions are dropped on request", {
  m <- rr_product(a = rr_warner(0.8), b = rr_mean(c(0, 1), 1), asked = 1)
  reports <- data.frame(question = c("a", "a", "b", NA, "b"), report = c(1, NA, 0.5, 0, NA))
  expect_message(tally <- rr_tally(reports, m, na.rm = TRUE), "3 missing")
  expect_equal(tally$n, 2)
  expect_equal(tally$counts[c(1, 4)], c(1, 1))
})

test_that("bad questions, answers and reports are refused", {
  m <- rr_product(a = rr_grr(c("x", "y", "z"), epsilon = 1), b = rr_warner(0.8), asked = 1)
  expect_snapshot(print(survey()))
  for (parts in list(list(), list(rr_warner(0.8)), list(a = 1), list(a = rr_product(b = rr_warner(0.8))), list(a = m),
                     list(estimate = rr_warner(0.8)))) expect_error(rr_product(parts, asked = 1), class = "candor_error_argument")
  expect_refused(rr_product(q = m), rr_perturb(data.frame(a = "x"), m))
  expect_error(rr_perturb(data.frame(a = c("x", "w"), b = 0), m), class = "candor_error_level")
  expect_error(rr_perturb(data.frame(a = "x", b = NA), m), class = "candor_error_missing")
  expect_refused(rr_tally("x", m), rr_tally(data.frame(question = c("a", "c"), report = c("x", "x")), m), class = "report")
  expect_error(rr_tally(data.frame(question = c("a", "a"), report = c("x", "w")), m), "Report 2", class = "candor_error_level")
  expect_error(rr_estimate(data.frame(question = c("a", "a"), report = c("x", "y")), m), class = "candor_error_empty")
  expect_error(rr_matrix(m), class = "candor_error_law")
})

test_that("few respondents, or none, are randomized too", {
  m <- survey()
  for (n in 0:3) expect_identical(nrow(rr_perturb(answers(n), m)), as.integer(n))
  tree <- rr_hierarchy(9, 1, fanout = 2, oracle = rr_subset)
  for (n in 0:3) expect_identical(nrow(rr_perturb(rep(4L, n), tree)), as.integer(n))
})

test_that("filters stand beside reports of other kinds", {
  set.seed(6)
  mechanism <- rr_product(a = rr_bloom(5, 2, bits = 16, cohorts = 2), b = rr_warner(0.8), asked = 1)
  answers <- data.frame(a = rep(1:5, 20), b = rep(0:1, 50))
  reports <- rr_perturb(answers, mechanism, rng = "R")
  tally <- rr_tally(reports, mechanism)
  # By hand: the ones of the reports of each cohort, one report after the other.
  own <- strsplit(reports$report[reports$question == "a"], " ")
  cohort <- vapply(own, `[`, "", 1)
  bits <- lapply(own, function(one) as.integer(rawToBits(as.raw(strtoi(substring(one[2], c(1, 3), c(2, 4)), 16L)))))
  ones <- vapply(1:2, function(j) c(Reduce(`+`, bits[cohort == j]), sum(cohort == j)), numeric(17))
  expect_equal(tally$counts[1 + seq_along(ones)], as.vector(ones), ignore_attr = TRUE)
})

test_that("reports of different kinds are text that files and databases hold", {
  set.seed(4)
  n <- 300
  m <- rr_product(bits = rr_unary(letters[1:4], 1), one = rr_grr(3, epsilon = 1), mean = rr_mean(c(0, 10), 1), hash = rr_local_hash(5, 1),
                           filter = rr_bloom(9, 2, bits = 16, cohorts = 4), set = rr_subset(6, 1), column = rr_hadamard(9, 1),
                           bit = rr_hadamard(9, 1, one_bit = TRUE), flips = rr_bitflip(8, 1, d = 3), asked = 1)
  people <- lapply(m$parts, function(part) if (inherits(part, "rr_mean")) runif(n, 0, 10) else sample(part$levels, n, TRUE))
  reports <- rr_perturb(as.data.frame(people), m, rng = "R")
  expect_type(reports$report, "character")
  expect_setequal(reports$question, names(m$parts))
  tally <- rr_tally(reports, m)
  # Numbers have all their digits: what is read back is the same number.
  means <- reports$report[reports$question == "mean"]
  expect_identical(candor:::number_text(as.numeric(means)), means)
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(reports, file, row.names = FALSE)
  expect_identical(rr_tally(read.csv(file, colClasses = "character"), m), tally)
  expect_identical(rr_tally(transform(reports, report = factor(report)), m), tally)
  # A report of several columns that has lost one.
  lost <- transform(reports, report = replace(report, match("hash", question), "3 4"))
  expect_error(rr_tally(lost, m), "not the numbers slope, shift, value", class = "candor_error_report")
  stored <- database_of_tests("reports")
  expect_equal(rr_tally(stored(as.data.frame(reports)), m)$counts, tally$counts, tolerance = 1e-12)
})

test_that("reports of two questions stand in one column if their form is one, in width too, and are text if not", {
  set.seed(7)
  questions <- list(bits = rr_unary(9, 1), narrow = rr_unary(3, 1), set = rr_subset(20, 2.5, size = 2), filter = rr_bloom(4, 2, bits = 16, cohorts = 2),
                    wide = rr_bloom(4, 2, bits = 24, cohorts = 2), flips = rr_bitflip(8, 1, d = 3))
  form <- function(a, b) {
    people <- data.frame(a = rep(1:3, 20), b = rep(1:2, 30))
    m <- rr_product(a = questions[[a]], b = questions[[b]], asked = 1)
    reports <- rr_perturb(people, m, rng = "R")
    tally <- rr_tally(reports, m)
    # Where a question begins: the number who drew it.
    expect_equal(tally$counts[c(1, 2 + length(questions[[a]]$reports))], as.vector(table(factor(reports$question, c("a", "b")))))
    if (identical(lapply(reports, class), list(question = "character", report = "character"))) "text" else names(reports)
  }
  expect_identical(form("bits", "bits"), c("question", "report"))
  expect_identical(form("bits", "narrow"), "text")
  expect_identical(form("set", "set"), "text")
  expect_identical(form("filter", "filter"), c("question", "cohort", "bits"))
  expect_identical(form("filter", "wide"), "text")
  expect_identical(form("flips", "bits"), "text")
})

test_that("missing reports are left out of groups and weights, and a group that drew no question has none of its reports", {
  m <- rr_product(a = rr_warner(0.8), b = rr_mean(c(0, 1), 1), asked = 1)
  reports <- data.frame(question = c("a", "a", "b", "b", "a", NA), report = c(1, NA, 0.5, NA, 0, 1))
  tally <- suppressMessages(rr_tally(reports, m, by = c("u", "u", "v", "v", "u", "v"), weights = c(1, 2, 3, 4, 5, 6), na.rm = TRUE))
  # How many by weight, no and yes; how many, shares and their squares: 0.5 is in the middle.
  expect_equal(unname(tally$counts), cbind(c(6, 5, 1, 0, 0, 0), c(0, 0, 0, 3, 1.5, 0.75)))
  expect_equal(c(tally$n, tally$missing), c(6, 3, 3))
  expect_equal(tally$effective_n, c(6^2 / 26, 1))
  # Nobody of v was asked a, of u b.
  expect_equal(c(submechanism_tally(tally, "a")$n, submechanism_tally(tally, "b")$effective_n), c(6, 0, 0, 1))
})

test_that("a group whose reports are all missing has no weight at any question", {
  m <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7), asked = 1)
  reports <- data.frame(question = c("a", "b", "a", "b", "a"), report = c(1, 0, 1, NA, NA))
  tally <- suppressMessages(rr_tally(reports, m, by = c("u", "u", "u", "v", "v"), weights = c(1, 2, 3, 4, 5), na.rm = TRUE))
  parts <- lapply(c("a", "b"), submechanism_tally, tally = tally)
  expect_identical(lapply(parts, `[[`, "n"), list(c(4, 0), c(2, 0)))
  # The squares of weights, 1 + 4 + 9, are shared out by the sums of weights.
  expect_equal(lapply(parts, `[[`, "weight_squares"), list(c(14 * 4 / 6, 0), c(14 * 2 / 6, 0)))
})
