one_hot <- function(answer, levels) +outer(as.character(answer), levels, `==`)

test_that("directly reported categories: the estimate and both covariances are those of linear inversion", {
  set.seed(11)
  question <- rr_grr(c("x", "y", "z"), p = 0.6)
  answers <- sample(question$levels, 800, TRUE, c(0.5, 0.3, 0.2))
  reports <- rr_perturb(answers, question, rng = "R")
  counts <- rr_cooccurrence(one_hot(reports, question$levels), 3)
  for (target in c("sample", "population")) {
    fit <- rr_tmdh(counts, question, order = 1, target = target)
    inversion <- rr_estimate(reports, question, method = "inv", target = target)
    expect_equal(unname(coef(fit)) / 800, unname(coef(inversion)))
    expect_equal(unname(as.matrix(suppressWarnings(vcov(fit)))) / 800^2, unname(vcov(inversion)))
  }
})

test_that("a question of several categories beside yes/no questions: cross counts, and refusals inside", {
  set.seed(12)
  n <- 4e5
  question <- rr_grr(c("x", "y", "z"), p = 0.7)
  answer <- sample(question$levels, n, TRUE, c(0.5, 0.3, 0.2))
  yes <- stats::runif(n) < ifelse(answer == "x", 0.6, 0.2)
  bits <- cbind(one_hot(rr_perturb(answer, question, rng = "R"), question$levels), rr_perturb(yes, rr_kuk(0.9, 0.3), rng = "R"))
  colnames(bits) <- c("x", "y", "z", "yes")
  counts <- rr_cooccurrence(bits, 4)
  fit <- rr_tmdh(counts, list(question, rr_kuk(0.9, 0.3)), order = 2, target = "sample")
  table <- tidy(fit)
  expect_identical(table$term, c("x", "y", "z", "yes", "x:yes", "y:yes", "z:yes"))
  true <- c(table(answer), sum(yes), tapply(yes, answer, sum))
  expect_lt(max(abs(table$estimate - true) / table$std.error), 4)
  cov <- suppressWarnings(vcov(fit))
  expect_identical(list(names(coef(fit)), rownames(confint(fit)), dimnames(cov)), list(table$term, table$term, list(table$term, table$term)))
  numbers <- list(p = c(0.7, 0.7, 0.7, 0.9), q = c(0.15, 0.15, 0.15, 0.3), block = c("question", "question", "question", NA))
  same <- rr_tmdh(counts, numbers, order = 2, target = "sample")
  expect_equal(tidy(same), table)
  expect_equal(suppressWarnings(vcov(same)), cov)
  expect_refused(vcov(fit, sets = list(c("x", "y"))), rr_margin(fit, c("x", "y")), rowtype(fit),
                 rr_tmdh(counts, list(p = 0.8, q = 0.1, block = 1)))
  # Numbers do not say how likely a report supports two categories.
  expect_refused(rr_pmdh(counts, numbers), class = "law")
  expect_identical(as.data.frame(rr_association(fit))$y, rep("yes", 3))
})

test_that("hashed reports: unbiased estimates with their covariance, by enumerating hashes and reports", {
  # Two rows of one question hashed into 2 values; every hash function of 3 categories, every report.
  g <- 2
  keep <- 0.8
  mechanism <- rr_new_mechanism("toy_hash", letters[1:3], epsilon = log(keep / (1 - keep)), design = "hash")
  registerS3method("rr_law", "rr_toy_hash", function(mechanism) rr_new_law("support", keep, 1 / g, keep / g, 1 / g^2), envir = asNamespace("candor"))
  hashes <- as.matrix(expand.grid(rep(list(seq_len(g)), 3)))
  rows <- do.call(rbind, lapply(c(1, 3), function(x) {
    do.call(rbind, lapply(seq_len(nrow(hashes)), function(h) {
      do.call(rbind, lapply(seq_len(g), function(y) {
        data.frame(x = x, probability = (if (hashes[h, x] == y) keep else 1 - keep) / nrow(hashes), t(+(hashes[h, ] == y)))
      }))
    }))
  }))
  first <- rows[rows$x == 1, ]
  second <- rows[rows$x == 3, ]
  mean <- numeric(3)
  products <- estimated <- matrix(0, 3, 3)
  for (a in seq_len(nrow(first))) for (b in seq_len(nrow(second))) {
    weight <- first$probability[a] * second$probability[b]
    bits <- rbind(as.integer(first[a, 3:5]), as.integer(second[b, 3:5]))
    fit <- rr_tmdh(rr_cooccurrence(bits, 3), mechanism, order = 1, target = "sample")
    mu <- unname(coef(fit))
    mean <- mean + weight * mu
    products <- products + weight * outer(mu, mu)
    estimated <- estimated + weight * suppressWarnings(unname(as.matrix(vcov(fit))))
  }
  expect_equal(mean, c(1, 0, 1))
  expect_equal(estimated, products - outer(mean, mean))
})

test_that("named probabilities go to the columns they name, whatever their order", {
  counts <- rr_cooccurrence(matrix(c(0, 1, 1, 1, 0, 1, 0, 0), 4, dimnames = list(NULL, c("a", "b"))))
  expected <- coef(rr_tmdh(counts, list(p = c(0.9, 0.8), q = c(0.2, 0.1))))
  expect_identical(coef(rr_tmdh(counts, list(p = c(b = 0.8, a = 0.9), q = c(b = 0.1, a = 0.2)))), expected)
  expect_error(rr_tmdh(counts, list(p = c(a = 0.9, z = 0.8), q = 0.1)), class = "candor_error_mismatch")
})

test_that("direct reports composed with direct reports are direct reports", {
  bits <- diag(3)[c(1, 2, 2, 3, 1), ]
  composed <- rr_compose(rr_grr(3, epsilon = 2), rr_grr(3, epsilon = 1))
  matrix <- rr_matrix(composed)
  expect_equal(c(composed$p, composed$q), c(matrix[1, 1], matrix[1, 2]))
  expect_equal(coef(rr_tmdh(rr_cooccurrence(bits), composed)), coef(rr_tmdh(rr_cooccurrence(bits), rr_grr(3, p = matrix[1, 1]))))
})

# One question of three categories, with unequal probabilities of its own, and one yes/no question: all ways to say so.
mixed_counts <- function(columns, order = c(1, 2, 3, 4)) {
  set.seed(31)
  bits <- cbind(diag(3)[sample(3, 50, TRUE), ], stats::rbinom(50, 1, 0.4))[, order]
  rr_cooccurrence(matrix(as.integer(bits), 50, dimnames = list(NULL, columns[order])), 2)
}

test_that("mechanisms of categorical questions go to the columns that their names speak of, in whatever order", {
  g <- rr_grr(c("u", "v", "w"), p = 0.7)
  w <- rr_binary(0.8, 0.1)
  # u, v, w and b, as numbers: the truth that no name is needed for.
  numbers <- function(order) list(p = c(0.7, 0.7, 0.7, 0.8)[order], q = c(0.15, 0.15, 0.15, 0.1)[order], block = c("q", "q", "q", NA)[order])
  dressed <- list(c("u", "v", "w", "b"), c("q:u", "q:v", "q:w", "b"), c("q.u", "q.v", "q.w", "b"), c("q_u", "q_v", "q_w", "b"))
  for (columns in dressed) {
    for (order in list(1:4, c(4, 1, 2, 3), c(3, 4, 1, 2), 4:1)) {
      counts <- mixed_counts(columns, order)
      expected <- tidy(rr_tmdh(counts, numbers(order)))
      for (mechanism in list(list(q = g, b = w), list(b = w, q = g), rr_product(b = w, q = g))) expect_equal(tidy(rr_tmdh(counts, mechanism)), expected)
    }
  }
  # Two questions with the same categories are told apart by their names; so are categories in another order.
  both <- rr_cooccurrence(cbind(diag(3)[c(1, 2, 2, 3), ], diag(3)[c(3, 3, 1, 2), ]), 2)
  both$columns <- c("r:u", "r:v", "r:w", "s:u", "s:v", "s:w")
  s <- rr_grr(c("w", "v", "u"), p = 0.9)
  expect_equal(rr_tmdh(both, list(s = s, r = g))$design$p, rep(c(0.7, 0.9), each = 3))
  expect_equal(rr_tmdh(both, list(s = s, r = g))$design$block, c(2, 2, 2, 1, 1, 1))
  # Labels that had to be made different still say enough for the order; so do no labels at all.
  both$columns <- make.unique(rep(c("u", "v", "w"), 2))
  expect_equal(rr_tmdh(both, list(r = g, s = rr_grr(c("u", "v", "w"), p = 0.9)))$design$p, rep(c(0.7, 0.9), each = 3))
  expect_equal(rr_tmdh(mixed_counts(paste0("x", 1:4)), list(q = g, b = w))$design$p, c(0.7, 0.7, 0.7, 0.8))
  expect_equal(rr_tmdh(mixed_counts(c("u", "v", "w", "b")), list(g, w))$design$p, c(0.7, 0.7, 0.7, 0.8))
})

test_that("blocks named by column go to their columns, and unknown elements of a list of probabilities are refused", {
  counts <- mixed_counts(c("u", "v", "w", "b"))
  expected <- rr_tmdh(counts, list(p = 0.8, q = 0.1, block = c("q", "q", "q", NA)))$design
  expect_equal(rr_tmdh(counts, list(p = 0.8, q = 0.1, block = c(b = NA, w = "q", v = "q", u = "q")))$design, expected)
  for (wrong in list(list(z = 3), list(blocks = c("q", "q", "q", NA)), list(3), list(p = 0.3))) {
    expect_error(rr_tmdh(counts, c(list(p = 0.8, q = 0.1), wrong)), class = "candor_error_argument")
  }
  expect_error(rr_tmdh(counts, list(p = 0.8, q = 0.1, block = c(b = NA, w = "q", v = "q", z = "q"))), class = "candor_error_mismatch")
})

test_that("counts that direct reports cannot have are refused", {
  direct <- list(q = rr_grr(c("u", "v", "w"), p = 0.7), b = rr_binary(0.8, 0.1))
  bits <- cbind(diag(3)[c(1, 2, 2, 3), ], c(1, 0, 0, 1))
  colnames(bits) <- c("u", "v", "w", "b")
  two <- none <- bits
  two[2, "w"] <- 1
  none[3, "v"] <- 0
  expect_s3_class(rr_tmdh(rr_cooccurrence(bits), direct), "rr_tmdh")
  # Hashed reports may support any number of categories.
  hashed <- rr_new_mechanism("toy_hash_2", c("u", "v", "w"), epsilon = log(4), design = "hash")
  registerS3method("rr_law", "rr_toy_hash_2", function(mechanism) rr_new_law("support", 0.8, 0.5, 0.4, 0.25), envir = asNamespace("candor"))
  expect_s3_class(rr_tmdh(rr_cooccurrence(two), list(q = hashed, b = rr_binary(0.8, 0.1))), "rr_tmdh")
  composed <- rr_compose(rr_grr(c("u", "v", "w"), p = 0.9), rr_grr(c("u", "v", "w"), p = 0.7))
  expect_refused(rr_tmdh(rr_cooccurrence(two), direct), rr_tmdh(rr_cooccurrence(two, 1), direct), rr_tmdh(rr_cooccurrence(none), direct),
                 rr_tmdh(rr_cooccurrence(two[, 1:3]), composed), class = "impossible")
  # One report with two categories and one with none: only the joint counts tell.
  both <- bits
  both[1, "v"] <- 1
  both[4, "w"] <- 0
  expect_error(rr_tmdh(rr_cooccurrence(both), direct), class = "candor_error_impossible")
})

test_that("a channel that a validation study measured has no part for its error here, and is refused", {
  study <- rr_misclassification(table = rbind(no = c(no = 90, yes = 10), yes = c(20, 80)))
  bits <- data.frame(a = c(0, 1, 1, 0), b = c(1, 1, 0, 0))
  counts <- rr_cooccurrence(bits)
  expect_refused(rr_tmdh(counts, study), rr_tmdh(counts, list(a = study, b = rr_warner(0.8))),
                 rr_association(bits, list(a = study)), class = "law")
})

test_that("columns without names have margins under their own names only", {
  fit <- rr_tmdh(rr_cooccurrence(matrix(c(0, 1, 1, 0, 1, 1, 0, 0), 4)), list(a = rr_warner(0.8), b = rr_warner(0.7)))
  expect_equal(sum(coef(rr_margin(fit, "x1"))), 1)
  expect_error(rr_margin(fit, "a"), class = "candor_error_level")
})

test_that("missing reports of every form are seen: vectors, lists, rows", {
  expect_identical(absent_reports(c("a", NA)), c(FALSE, TRUE))
  expect_identical(absent_reports(list(1:2, NULL, c(1, NA), NA)), c(FALSE, TRUE, TRUE, TRUE))
  expect_identical(absent_reports(data.frame(a = c(1, NA, 3), b = c(1, 2, NA))), c(FALSE, TRUE, TRUE))
})

test_that("probabilities are p and q once each, and a block of no column is none", {
  counts <- rr_cooccurrence(matrix(c(0, 1, 1, 1, 0, 1, 0, 0), 4, dimnames = list(NULL, c("a", "b"))))
  expect_refused(rr_tmdh(counts, list(p = 0.8, q = 0.1, p = 0.9)), rr_tmdh(counts, list(p = 0.8)), rr_tmdh(counts, list(p = 0.8, q = "0.1")),
                 rr_tmdh(counts, list(p = numeric(), q = 0.1)), rr_tmdh(counts, NULL))
  alone <- rr_tmdh(counts, list(p = 0.8, q = 0.1, block = c(NA, NA)))
  expect_identical(coef(alone), coef(rr_tmdh(counts, list(p = 0.8, q = 0.1))))
  # A matrix of reports has its questions in its columns.
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  expect_identical(rr_cooccurrence(cbind(a = c("no", "yes"), b = "yes"), mechanism = survey)$values, c(2, 1, 2, 1))
})

test_that("evidence of a category: subsets, bits and direct reports by their closed forms, a yes in whatever order", {
  facts <- function(mechanism) evidence_columns(mechanism)[c("p", "q", "both_own", "both_other")]
  # A subset of two of five has the truth with the odds 2 e to 3, its other members are equally likely.
  p <- 2 * exp(1) / (2 * exp(1) + 3)
  subset <- rr_subset(letters[1:5], 1, size = 2)
  expect_equal(facts(subset), list(p = p, q = p / 4 + (1 - p) / 2, both_own = p / 4, both_other = (1 - p) / 6))
  q <- 1 / (exp(1) + 1)
  expect_equal(facts(rr_unary(3, 1)), list(p = 0.5, q = q, both_own = 0.5 * q, both_other = q^2))
  expect_equal(facts(rr_grr(3, p = 0.6)), list(p = 0.6, q = 0.2, both_own = 0, both_other = 0))
  kinds <- function(mechanism) unlist(evidence_columns(mechanism)[c("width", "direct", "rivals")])
  expect_equal(kinds(subset), c(width = 5, direct = 0, rivals = 1))
  expect_equal(kinds(rr_grr(3, p = 0.6)), c(width = 3, direct = 1, rivals = 1))
  answers <- rbind("1" = c("1" = 0.8, "0" = 0.2), "0" = c(0.3, 0.7))
  for (order in list(1:2, 2:1)) {
    expect_equal(evidence_columns(rr_channel(answers[order, ])), list(p = 0.8, q = 0.3, width = 1L, rivals = FALSE))
  }
  expect_null(evidence_columns(rr_channel(rbind(a = c(a = 0.8, b = 0.1, c = 0.1), b = c(0.3, 0.5, 0.2)))))
  expect_identical(c(is_yes_no(rr_warner(0.8)), is_yes_no(subset), is_yes_no(rr_hadamard(6, epsilon = 3, blocks = 2))), c(TRUE, FALSE, FALSE))
  expect_error(support_columns(rr_hadamard(6, epsilon = 3, blocks = 2)), class = "candor_error_law")
})

test_that("columns of questions have the numbers, blocks and labels of their question, in the order of the columns", {
  grr <- rr_grr(c("u", "v", "w"), p = 0.6)
  q <- 1 / (exp(1) + 1)
  mechanisms <- list(b = rr_warner(0.8), c = rr_unary(c("x", "y", "z"), 1), a = grr)
  columns <- c("a:w", "c:z", "b", "a:u", "c:x", "a:v", "c:y")
  design <- list_columns(mechanisms, columns)
  of <- c(3, 2, 1, 3, 2, 3, 2)
  expect_equal(design$p, c(0.8, 0.5, 0.6)[of])
  expect_equal(design$q, c(0.2, q, 0.2)[of])
  expect_identical(design$block, c(-1L, 2L, 3L)[of])
  expect_equal(design$both_own, c(NA, 0.5 * q, 0)[of])
  expect_equal(design$both_other, c(NA, q^2, 0)[of])
  expect_identical(unname(design$direct), 3L)
  expect_identical(design$questions, list(c = list(index = c(5L, 7L, 2L), levels = c("x", "y", "z")),
                                          a = list(index = c(4L, 6L, 1L), levels = c("u", "v", "w"))))
  expect_identical(design$levels, replace(rep(list(NULL), 7), 3, list(c("no", "yes"))))
  expect_null(list_columns(list(b = rr_warner(0.8)), "b")$block)
  # Questions without a name have no margin under it.
  expect_length(list_columns(list(grr), c("u", "v", "w"))$questions, 0)
  expect_error(list_columns(mechanisms, columns[-1]), class = "candor_error_mismatch")
})

test_that("a question is a linear map from its columns to its categories, whose shares add up to 1", {
  fit <- list(columns = c("b", "a:u", "a:v", "a:w"),
              design = list(questions = list(a = list(index = 2:4, levels = c("u", "v", "w"))), levels = list(c("sober", "drunk"), NULL, NULL, NULL)))
  yes <- margin_question(fit, "b")
  expect_identical(yes[c("index", "levels")], list(index = 1L, levels = c("sober", "drunk")))
  expect_equal(drop(yes$map %*% c(1, 0.3)), c(0.7, 0.3))
  wide <- margin_question(fit, "a")
  expect_identical(wide[c("index", "levels")], list(index = 2:4, levels = c("u", "v", "w")))
  # 0.1 are missing in all: each category gets a third of it.
  expect_equal(drop(wide$map %*% c(1, 0.2, 0.3, 0.4)), c(0.2, 0.3, 0.4) + 0.1 / 3)
  expect_equal(drop(wide$raw %*% c(1, 0.2, 0.3, 0.4)), c(0.2, 0.3, 0.4))
  expect_identical(column_levels(fit), list(b = c("sober", "drunk"), "a:u" = c("0", "1"), "a:v" = c("0", "1"), "a:w" = c("0", "1")))
  counted <- c(fit, list(counts = list(levels = c(list(c("f", "t")), rep(list(NULL), 3)))))
  expect_identical(column_levels(counted)$b, c("f", "t"))
})

test_that("columns whose names were made different are those of their categories in order, and questions without names take any", {
  g <- rr_grr(c("u", "v", "w"), p = 0.7)
  made <- c("u", "v", "w", "u.1", "v.1", "w.1")
  for (mechanisms in list(list(g, g), list(r = g, s = g))) {
    expect_identical(mechanism_columns(mechanisms, c(3L, 3L), made), list(1:3, 4:6), ignore_attr = TRUE)
    expect_error(mechanism_columns(mechanisms, c(3L, 3L), made[c(1:3, 5, 4, 6)]), class = "candor_error_mismatch")
  }
  expect_identical(mechanism_columns(list(q = g, rr_warner(0.8)), c(3L, 1L), c("u", "v", "w", "any")), list(1:3, 4L), ignore_attr = TRUE)
  expect_identical(mechanism_columns(list(rr_warner(0.8), q = g), c(1L, 3L), c("any", "u", "v", "w")), list(1L, 2:4), ignore_attr = TRUE)
  expect_error(mechanism_columns(list(q = g, b = rr_warner(0.8)), c(3L, 1L), c("u", "v", "w", "any")), class = "candor_error_mismatch")
  expect_identical(mechanism_columns(list(q = g, b = rr_warner(0.8)), c(3L, 1L), paste0("x", 1:4)), list(1:3, 4L), ignore_attr = TRUE)
})

test_that("questions are a list of mechanisms, each with a name of its own", {
  w <- rr_warner(0.8)
  named <- list(a = w, b = w)
  expect_identical(check_question_names(named), named)
  expect_refused(check_question_names(w), check_question_names(list()), check_question_names(list(w, w)), check_question_names(list(a = w, w)),
                 check_question_names(list(a = w, a = w)), check_question_names("a"), check_question_names(c(a = 1)), check_question_names(NULL))
})

test_that("moments of questions counted in scores are means of the scores and of their products", {
  survey <- rr_product(page = rr_hadamard(6, epsilon = 3, blocks = 2), setting = rr_bitflip(3, 3, d = 2))
  truth <- data.frame(page = rep(1:6, 10), setting = rep(c(1, 1, 2, 2, 3), 12))
  reports <- withr::with_seed(5, rr_perturb(truth, survey, rng = "R"))
  fit <- rr_tmdh(rr_cooccurrence(reports, mechanism = survey), survey)
  names <- c("page", "setting")
  found <- margin_supports(fit, lapply(names, margin_question, fit = fit))
  scores <- Map(function(report, mechanism) unname(rr_score(report, mechanism)), question_reports(reports, survey$questions, "bits"), survey$questions)
  expect_equal(found$between, crossprod(scores[[1]], scores[[2]]) / 60, ignore_attr = TRUE)
  for (i in 1:2) {
    expect_equal(found$questions[[i]]$first, colMeans(scores[[i]]), ignore_attr = TRUE)
    expect_equal(found$questions[[i]]$second, crossprod(scores[[i]]) / 60, ignore_attr = TRUE)
  }
})
