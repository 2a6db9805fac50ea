survey <- rr_product(drugs = rr_warner(0.8), theft = rr_crosswise(0.25), income = rr_grr(c("low", "middle", "high"), epsilon = 2))

test_that("levels add up, and cells run with the first question fastest", {
  expect_equal(rr_epsilon(survey), c(drugs = log(4), theft = log(3), income = 2, total = log(4) + log(3) + 2))
  expect_length(survey$levels, 12)
  expect_identical(survey$levels[1:3], c("no, no, low", "yes, no, low", "no, yes, low"))
  expect_equal(rr_matrix(survey)["yes, no, low", "no, no, low"], 0.2 * 0.25 * rr_matrix(survey$questions$income)[1, 1])
  expect_identical(rr_product(list(a = rr_warner(0.8)))$sizes, c(a = 2L))
})

test_that("a data frame is tallied by the names of its columns, whatever their type", {
  data <- data.frame(income = c("low", "high", "high", "middle"), drugs = c(TRUE, FALSE, FALSE, TRUE), other = 1:4, theft = c(0, 1, 1, 0))
  tally <- rr_tally(data, survey)
  expected <- table(factor(c("no", "yes"))[data$drugs + 1], factor(c("no", "yes"))[data$theft + 1], factor(data$income, c("low", "middle", "high")))
  expect_identical(as.vector(tally$counts), as.double(expected))
  expect_identical(dimnames(as.table(tally)), list(drugs = c("no", "yes"), theft = c("no", "yes"), income = c("low", "middle", "high")))
  expect_identical(rr_counts(as.table(tally), survey)$counts, tally$counts)
  grouped <- rr_tally(data, survey, by = c("x", "x", "y", "y"), weights = 1:4)
  expect_identical(colSums(grouped$counts), c(3, 7))
  data$theft[2] <- NA
  expect_message(dropped <- rr_tally(data, survey, na.rm = TRUE), "1 missing")
  expect_identical(dropped$n, 3)
  bits <- rr_product(a = rr_warner(0.9), b = rr_warner(0.9))
  expect_identical(rr_tally(cbind(a = c(0, 1, 1), b = c(0, 0, 1)), bits)$counts, c(1, 1, 0, 1))
})

test_that("the joint estimate is that of the joint channel", {
  set.seed(1)
  counts <- stats::rpois(12, 40)
  joint <- rr_channel(unname(rr_matrix(survey)))
  for (method in c("mle", "inv", "invp")) {
    options <- if (method == "mle") list(tolerance = 1e-12)
    fits <- lapply(list(survey, joint), function(m) do.call(rr_estimate, c(list(rr_counts(counts, m), method = method), options)))
    expect_equal(unname(coef(fits[[1]])), unname(coef(fits[[2]])), tolerance = 1e-6)
    expect_equal(unname(vcov(fits[[1]])), unname(vcov(fits[[2]])), tolerance = 1e-5)
    expect_equal(unname(confint(fits[[1]])), unname(confint(fits[[2]])), tolerance = 1e-5)
  }
  fit <- rr_estimate(rr_counts(counts, survey))
  expect_lte(certificate(unname(rr_matrix(survey)), counts, coef(fit)), 1e-8)
  expect_equal(sum(as.table(fit)), 1)
  expect_named(tidy(fit), c("term", "drugs", "theft", "income", "estimate", "std.error"))
  expect_identical(tidy(fit)$income, rep(c("low", "middle", "high"), each = 4))
})

test_that("independent truths are recovered as products of their margins from exact expectations", {
  shares <- list(c(0.8, 0.2), c(0.9, 0.1), c(0.5, 0.3, 0.2))
  truth <- as.vector(outer(outer(shares[[1]], shares[[2]]), shares[[3]]))
  fit <- rr_estimate(rr_counts(1e6 * drop(truth %*% rr_matrix(survey)), survey, effective_n = 1e6))
  expect_equal(unname(coef(fit)), truth, tolerance = 1e-9)
  # The closed form: the inversion is a distribution, and needs no iterations.
  expect_identical(fit$details[[1]]$iterations, 0)
})

test_that("twelve yes/no questions are certified in 4096 cells", {
  set.seed(2)
  twelve <- do.call(rr_product, stats::setNames(rep(list(rr_warner(0.8)), 12), paste0("q", 1:12)))
  counts <- stats::rpois(4096, stats::rexp(4096, 1 / 20))
  fit <- rr_estimate(rr_counts(counts, twelve))
  axes <- channel_axes(twelve)
  g <- apply_channel(axes, counts / sum(counts) / apply_channel(axes, coef(fit)), "adjoint")
  expect_lte(sum(counts) * log(max(g)), 1.01e-8)
  expect_equal(sum(coef(fit)), 1)
})

test_that("answers are randomized question by question", {
  set.seed(3)
  truth <- data.frame(drugs = rep(c(TRUE, FALSE), 2000), theft = FALSE, income = "middle", id = 1:4000)
  expect_message(reports <- rr_perturb(truth, survey, rng = "R", keep = "id"), class = "candor_message_keep")
  expect_identical(names(reports), c("id", "drugs", "theft", "income"))
  expect_identical(reports$id, truth$id)
  # 0.8, 0.75 and 0.787 within six standard deviations.
  expect_lt(abs(mean(reports$drugs == truth$drugs) - 0.8), 0.04)
  expect_lt(abs(mean(reports$theft) - 0.75), 0.05)
  expect_lt(abs(mean(reports$income == "middle") - survey$questions$income$p), 0.04)
})

test_that("simulated tallies and the bootstrap know products and channels", {
  set.seed(4)
  fit <- rr_estimate(rr_counts(c(30, 20, 50, 10), rr_product(a = rr_warner(0.8), b = rr_warner(0.9))), interval = "bootstrap", replications = 50)
  expect_true(all(confint(fit)[, 1] <= confint(fit)[, 2]))
  expect_identical(dim(simulate(fit, 3)), c(4L, 4L))
  sample <- rr_estimate(fit$tally, target = "sample")
  expect_identical(colSums(simulate(sample, 2, seed = 1)[-1]), c(sim_1 = 110, sim_2 = 110))
})

test_that("products print, and wrong ones are refused", {
  skip_on_cran()
  expect_snapshot(survey)
  for (questions in list(list(rr_warner(0.8)), list(a = 0.8), list(a = survey))) expect_error(rr_product(questions), class = "candor_error_argument")
  data <- data.frame(drugs = c(TRUE, NA), theft = c(TRUE, FALSE), income = c("low", "rich"))
  expect_error(rr_tally(data[1:2], survey), class = "candor_error_argument")
  expect_error(rr_tally(data, survey), class = "candor_error_level")
  expect_error(rr_tally(transform(data, income = "low"), survey), class = "candor_error_missing")
  expect_error(rr_counts(array(1, c(2, 3, 2)), survey), class = "candor_error_argument")
  huge <- do.call(rr_product, stats::setNames(rep(list(rr_warner(0.8)), 30), paste0("q", 1:30)))
  expect_error(rr_tally(as.data.frame(stats::setNames(rep(list(TRUE), 30), paste0("q", 1:30))), huge), class = "candor_error_argument")
})

test_that("tables of bits are read as bits, and named dimensions in any order", {
  bits <- data.frame(a = c(0, 0, 1, 1, 1), b = c(0, 1, 1, 1, 0))
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  expected <- rr_tally(bits, survey)$counts
  expect_identical(rr_counts(table(bits$a, bits$b), survey)$counts, expected)
  expect_identical(rr_counts(table(bits$a == 1, bits$b == 1), survey)$counts, expected)
  expect_identical(rr_counts(table(bits), survey)$counts, expected)
  expect_identical(rr_counts(table(bits[c("b", "a")]), survey)$counts, expected)
  expect_error(rr_counts(table(x = bits$a, y = bits$b), survey), class = "candor_error_mismatch")
})

test_that("questions, groups and results never share a name, and that is found before any work", {
  two <- rr_product(a = rr_warner(0.9), b = rr_warner(0.9))
  data <- data.frame(a = c(0, 1, 1), b = c(1, 1, 0))
  for (name in result_columns) expect_error(rr_product(stats::setNames(list(rr_warner(0.8), rr_warner(0.7)), c(name, "age"))), class = "candor_error_argument")
  # The bad answer is not reached.
  data$b[3] <- 7
  expect_refused(rr_tally(data, two, by = list(a = 1:3)), rr_estimate(data, two, by = list(a = 1:3)),
                 rr_tally(data, rr_product(group = rr_warner(0.9)), by = 1:3))
  data$b[3] <- 0
  table <- tidy(rr_estimate(data, two, by = list(wave = c(1, 1, 2)), method = "inv"))
  expect_named(table, c("wave", "term", "a", "b", "estimate", "std.error"))
})

test_that("grouped counts of two questions are one row per cell and one column per group", {
  two <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  mixed <- rr_product(a = rr_warner(0.8), b = rr_grr(c("x", "y", "z"), epsilon = 1))
  for (mechanism in list(two, mixed)) {
    cells <- length(mechanism$reports)
    each <- list(men = seq_len(cells) + 0, women = rev(seq_len(cells)) + 10)
    grouped <- do.call(cbind, each)
    apart <- lapply(each, rr_counts, mechanism)
    for (rows in list(NULL, mechanism$reports)) {
      rownames(grouped) <- rows
      tally <- rr_counts(grouped, mechanism)
      expect_identical(tally$groups$group, names(each))
      for (g in 1:2) expect_identical(tally$counts[, g], apart[[g]]$counts)
    }
    turned <- rr_counts(grouped[rev(mechanism$reports), ], mechanism)
    expect_identical(turned$counts, tally$counts)
    expect_equal(unname(coef(rr_estimate(tally))[seq_len(cells)]), unname(coef(rr_estimate(apart$men))))
  }
  # Fewer rows, as many as the first question has answers, that name their cells
  some <- matrix(1:4, 2, dimnames = list(c("yes, yes", "no, no"), c("men", "women")))
  expect_identical(rr_counts(some, two)$counts, cbind(c(2, 0, 0, 1), c(4, 0, 0, 3)))
  # Still a table of the questions, with or without labels
  expect_identical(rr_counts(matrix(1:4, 2), two)$counts, c(1, 2, 3, 4))
  expect_error(rr_counts(matrix(1:6, 3), two), class = "candor_error_argument")
})

test_that("cells have different labels, or there is no product", {
  expect_error(rr_product(u = rr_grr(c("a", "a, b"), epsilon = 1), v = rr_grr(c("b, c", "c"), epsilon = 1)), class = "candor_error_argument")
  fine <- rr_product(u = rr_grr(c("a", "b, c"), epsilon = 1), v = rr_grr(c("d, e", "f"), epsilon = 1))
  expect_identical(rr_counts(c("b, c, d, e" = 3), fine)$counts, c(0, 3, 0, 0))
})

# Every mechanism whose reports support categories, or are bits or rows of a matrix, as a question. Three categories each.
protocol_questions <- list(
  unary = rr_unary(3, 2), subset = rr_subset(3, 2, size = 1), local_hash = rr_local_hash(3, 2), cohorts = rr_local_hash(3, 2, cohorts = 5),
  hadamard = rr_hadamard(3, 2), block = rr_hadamard(3, 2, blocks = 1), two_blocks = rr_hadamard(3, 2, blocks = 2),
  projective = rr_projective(3, 2), bit = rr_hadamard(3, 2, one_bit = TRUE),
  bitflip = rr_bitflip(3, 2), buckets = rr_bitflip(3, 2, d = 2), bloom = rr_bloom(3, 2, bits = 8, cohorts = 3)
)

test_that("each protocol is a question of a product: its joint table comes from rr_estimate() if reports are categories, else from rr_tmdh()", {
  set.seed(6)
  truth <- data.frame(a = rep(1:3, c(300, 200, 100)), b = rep(0:1, 300))
  shares <- c(table(truth) / 600)
  for (name in names(protocol_questions)) {
    question <- protocol_questions[[name]]
    survey <- rr_product(a = question, b = rr_warner(0.9))
    reports <- rr_perturb(truth, survey, rng = "R")
    joint <- rr_margin(rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey), c("a", "b"))
    expect_lt(max(abs(joint$estimate - shares)), 0.35, label = name)
    if (!has_categories(question)) {
      expect_error(rr_estimate(reports, survey), class = "candor_error_law")
      expect_error(rr_tally(reports, survey), class = "candor_error_law")
      next
    }
    fit <- rr_estimate(reports, survey, method = "inv")
    expect_equal(c(as.table(fit)), c(joint$estimate), info = name)
    expect_equal(unname(vcov(fit)), unname(joint$covariance), info = name)
    # Expected counts give the truth back. The variance over all reports: the estimate is the mean of what each alone would give.
    C <- rr_matrix(survey)
    each <- vapply(seq_len(ncol(C)), function(y) unname(coef(rr_estimate(rr_counts(replace(0 * C[1, ], y, 1), survey), method = "inv"))), shares)
    counts <- rr_counts(600 * drop(shares %*% C), survey, effective_n = 600)
    for (method in c("mle", "inv", "invp")) expect_equal(unname(coef(rr_estimate(counts, method = method))), shares, tolerance = 1e-6, info = name)
    second <- each %*% (drop(shares %*% C) * t(each))
    expect_equal(unname(vcov(rr_estimate(counts, method = "inv"))), (second - outer(shares, shares)) / 599, info = name)
    expect_equal(unname(vcov(rr_estimate(counts, method = "inv", target = "sample"))), (second - diag(shares)) / 600, info = name)
    # Each question is the same as alone.
    alone <- rr_estimate(reports["b"], rr_product(b = survey$questions$b), method = "inv")
    expect_equal(unname(c(rr_margin(rr_estimate(reports, survey, method = "inv"), "b")$estimate)), unname(coef(alone)), info = name)
    fit <- rr_estimate(reports, survey)
    expect_lte(certificate(unname(rr_matrix(survey)), fit$tally$counts, coef(fit)), 1e-8, label = name)
    expect_true(all(is.finite(confint(fit))))
  }
})

test_that("a question of several columns is read from a column that is a table, and from columns with its name in front", {
  set.seed(7)
  survey <- rr_product(a = rr_local_hash(5, 2, cohorts = 3), b = rr_warner(0.9))
  reports <- rr_perturb(data.frame(a = rep(1:5, 20), b = rep(0:1, 50)), survey, rng = "R")
  # Cells by hand: cohort by cohort the values, then the second question.
  g <- survey$questions$a$g
  cells <- table(factor((reports$a$cohort - 1) * g + reports$a$value, seq_len(3 * g)), factor(reports$b, 0:1))
  tally <- rr_tally(reports, survey)
  expect_identical(tally$counts, as.double(cells))
  file <- withr::local_tempfile()
  utils::write.csv(reports, file, row.names = FALSE)
  flat <- utils::read.csv(file)
  expect_named(flat, c("a.cohort", "a.value", "b"))
  expect_identical(rr_tally(flat, survey), tally)
  names(flat) <- c("a_cohort", "a_value", "b")
  expect_identical(rr_tally(flat, survey), tally)
  expect_identical(rr_tally(cbind(flat, g = rep(1:2, 50)), survey, by = "g")$n, c(50, 50))
  expect_identical(rr_counts(stats::aggregate(n ~ ., cbind(flat, n = 1), sum), survey), tally)
  flat$a_value[4] <- NA
  expect_error(rr_tally(flat, survey), "Row 4", class = "candor_error_missing")
  expect_message(dropped <- rr_tally(flat, survey, na.rm = TRUE), class = "candor_message_missing")
  expect_identical(dropped$counts, rr_tally(reports[-4, ], survey)$counts)
  flat$a_value[4] <- g + 1
  expect_error(rr_tally(flat, survey), class = "candor_error_report")
  expect_error(rr_tally(flat[-1], survey), class = "candor_error_report")
  expect_error(rr_tally(flat["b"], survey), class = "candor_error_argument")
})

test_that("a product with bits has a column for each combination of reports", {
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  bits <- rr_unary(c("x", "y"), p = 0.7, q = 0.2)
  C <- rr_matrix(rr_product(first = grr, second = bits))
  expect_identical(dim(C), c(6L, 12L))
  expect_equal(unname(rowSums(C)), rep(1, 6))
  # Of truth (a, y): report b, and the bits 1 and 0 in this order.
  expect_equal(C["a, y", "b, 10"], rr_matrix(grr)["a", "b"] * 0.2 * 0.3)
  for (other in list(rr_subset(4, 1), rr_bitflip(3, 1), rr_hadamard(3, 1, one_bit = TRUE), rr_bloom(2, 1, bits = 3, cohorts = 2))) {
    C <- rr_matrix(rr_product(first = grr, second = other))
    expect_equal(unname(C), kronecker(unname(rr_matrix(other)), unname(rr_matrix(grr))))
    expect_identical(colnames(C)[1:4], paste(c("a", "b", "c", "a"), colnames(rr_matrix(other))[c(1, 1, 1, 2)], sep = ", "))
  }
  expect_error(rr_matrix(rr_product(first = grr, second = rr_unary(20, 1))), class = "candor_error_argument")
})

test_that("one question of several is asked as 1, and joint tables are refused by their size", {
  for (asked in list(2, 0, c(1, 1), NA, "1", TRUE)) expect_refused(rr_product(a = rr_warner(0.8), asked = asked))
  expect_identical(rr_product(a = rr_warner(0.8), b = rr_warner(0.7), asked = 1L), rr_product(a = rr_warner(0.8), b = rr_warner(0.7), asked = 1))
  # 2^24 cells have a table, 2^25 have none.
  many <- function(n) do.call(rr_product, stats::setNames(rep(list(rr_warner(0.8)), n), paste0("q", seq_len(n))))
  expect_no_error(check_joint(list(questions = list(), sizes = rep(2, 24), report_sizes = rep(2, 24))))
  expect_error(check_joint(many(25)), class = "candor_error_argument")
  expect_identical(lengths(many(25)[c("levels", "reports")]), c(levels = 0L, reports = 0L))
})

test_that("cells run through the first question fastest, and tables of two questions are told from counts by group", {
  m <- rr_product(a = rr_warner(0.8), b = rr_grr(c("u", "v", "w"), 1))
  expect_identical(m$reports, c("no, u", "yes, u", "no, v", "yes, v", "no, w", "yes, w"))
  expect_identical(cell_answers(m, "reports"), list(a = rep(c("no", "yes"), 3), b = rep(c("u", "v", "w"), each = 2)))
  expect_identical(cell_answers(m, "levels", times = 2), list(a = rep(c("no", "yes"), 6), b = rep(rep(c("u", "v", "w"), each = 2), 2)))
  expect_identical(cell_answers(m, "levels", cells = c(4, 5)), list(a = c("yes", "no"), b = c("v", "w")))
  expect_null(cell_answers(rr_warner(0.8), "levels"))
  by_group <- function(counts) has_cells_by_groups(counts, m)
  expect_true(by_group(matrix(1, 6, 2)))
  expect_false(by_group(matrix(1, 2, 3)))
  expect_false(by_group(array(1, c(6, 1, 1))))
  expect_true(by_group(matrix(1, 2, 2, dimnames = list(c("yes, u", "no, w"), c("north", "south")))))
  expect_false(by_group(matrix(1, 2, 3, dimnames = list(c("no", "yes"), c("u", "v", "w")))))
  expect_false(by_group(matrix(1, 6, 2, dimnames = list(b = NULL, a = NULL))))
  # A table by the names of its dimensions, or in the order of the questions.
  table <- matrix(1:6, 2, dimnames = list(a = c("no", "yes"), b = c("u", "v", "w")))
  expect_identical(flatten_questions(table, m), 1:6)
  expect_identical(flatten_questions(t(table), m), 1:6)
  expect_identical(flatten_questions(unname(table), m), 1:6)
  expect_identical(flatten_questions(matrix(1:6, 2, dimnames = list(a = c("FALSE", "TRUE"), b = NULL)), m), 1:6)
  expect_identical(flatten_questions(matrix(1:6, 2, dimnames = list(a = c("0", "1"), b = NULL)), m), 1:6)
  expect_identical(flatten_questions(matrix(1:6, 2, dimnames = list(a = c("no", "yes"), c("u", "v", "w"))), m), 1:6)
  # Truths and reports may be of other numbers.
  wide <- rr_product(a = rr_channel(rbind(no = c(x = 0.6, y = 0.3, z = 0.1), yes = c(0.1, 0.2, 0.7))), b = rr_warner(0.8))
  expect_identical(flatten_questions(matrix(1:4, 2), wide, side = "levels"), 1:4)
  expect_identical(flatten_questions(matrix(1:6, 3), wide), 1:6)
  expect_refused(flatten_questions(matrix(1:6, 3), wide, side = "levels"), flatten_questions(matrix(1:4, 2), wide))
  expect_identical(flatten_questions(c(3, 4), rr_warner(0.8)), c(3, 4))
  expect_error(flatten_questions(matrix(1:6, 2, dimnames = list(a = c("yes", "no"), b = NULL)), m), class = "candor_error_level")
  expect_error(flatten_questions(matrix(1:6, 2, dimnames = list(a = NULL, c = NULL)), m), class = "candor_error_mismatch")
  expect_error(flatten_questions(matrix(1:6, 3), m), class = "candor_error_argument")
  # Questions with the same answers may be swapped in a table without names.
  two <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  expect_message(flatten_questions(matrix(1:4, 2, dimnames = list(c("no", "yes"), c("no", "yes"))), two), class = "candor_message_dimensions")
  expect_no_message(flatten_questions(matrix(1:4, 2), two))
  expect_no_message(flatten_questions(matrix(1:4, 2, dimnames = list(a = c("no", "yes"), b = c("no", "yes"))), two))
})

test_that("joint tables have up to 2^24 cells of categories, and labels that differ", {
  wide <- function(k) rr_product(a = rr_grr(4096, 1), b = rr_grr(k, 1))
  expect_no_error(check_joint(list(questions = list(a = rr_warner(0.8)), sizes = c(4096, 4096), report_sizes = c(4096, 4096))))
  expect_error(check_joint(list(questions = list(a = rr_warner(0.8)), sizes = c(4096, 4097), report_sizes = 2)), class = "candor_error_argument")
  expect_error(check_joint(list(questions = list(a = rr_warner(0.8)), sizes = 2, report_sizes = c(4096, 4097))), class = "candor_error_argument")
  expect_error(check_joint(rr_product(a = rr_warner(0.8), b = rr_unary(3, 1))), class = "candor_error_law")
  expect_identical(length(wide(4097)$reports), 0L)
  expect_refused(rr_product(a = rr_grr(c("a", "a, b"), 1), b = rr_grr(c("b, c", "c"), 1)), rr_product(), rr_product(rr_warner(0.8)),
                 rr_product(a = rr_warner(0.8), a = rr_warner(0.7)), rr_product(a = rr_warner(0.8), rr_warner(0.7)), rr_product(estimate = rr_warner(0.8)),
                 rr_product(a = rr_product(b = rr_warner(0.8))), rr_product(a = rr_warner(0.8), asked = 2), rr_product(a = rr_dealt(1, cards = 5)))
  expect_no_error(rr_product(a = rr_grr(c("a", "b"), 1), b = rr_grr(c("b, c", "c"), 1)))
  # A list of questions is the questions.
  expect_identical(rr_product(list(a = rr_warner(0.8), b = rr_grr(3, 1))), rr_product(a = rr_warner(0.8), b = rr_grr(3, 1)))
  expect_equal(unname(rr_matrix(rr_product(a = rr_warner(0.8), b = rr_forced(1 / 6)))), kronecker(unname(rr_matrix(rr_forced(1 / 6))),
    unname(rr_matrix(rr_warner(0.8)))))
  expect_equal(submechanism_rows(list(a = rr_warner(0.8), b = rr_grr(3, 1))), list(a = 1:3, b = 4:7))
  expect_identical(vapply(list(rr_unary(3, 1), rr_subset(4, 1), rr_grr(3, 1), rr_hierarchy(4, 1), rr_mean(c(0, 1), 1)), is_about_bits, NA),
                   c(TRUE, TRUE, FALSE, FALSE, FALSE))
  expect_refused(rr_product(a = rr_mean(c(0, 1), 1)), rr_product(a = rr_hierarchy(4, 1)))
})
