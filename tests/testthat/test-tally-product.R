# Where the reports of each question stand in a table.

test_that("a question has the column of its name, or those that begin with it", {
  questions <- list(a = rr_warner(0.8), b = rr_local_hash(5, 1))
  fields <- function(...) question_fields(c(...), questions)
  several <- c("b_slope", "b_shift", "b_value")
  expect_identical(fields("z", "b_slope", "a", "b_shift", "bb", "b_value"), list(a = "a", b = several))
  expect_identical(fields("a", "b.slope", "b.shift", "b.value"), list(a = "a", b = c("b.slope", "b.shift", "b.value")))
  expect_identical(fields("a", several, "b"), list(a = "a", b = "b"))
  # A category has no columns of its own.
  expect_error(fields("a_1", several), class = "candor_error_argument")
  expect_error(fields("a", "slope"), class = "candor_error_argument")
  expect_identical(question_fields(several, questions, needed = FALSE), list(a = NULL, b = several))
  # The columns lose the name of the question, and rows stay.
  table <- data.frame(b_slope = 1:2, a = c("no", "yes"), b_shift = 3:4, b_value = 5:6)
  expect_identical(question_reports(table, questions), list(a = c("no", "yes"), b = data.frame(slope = 1:2, shift = 3:4, value = 5:6)))
})

test_that("the columns of a matrix are the questions in their order, if it has as many and no names", {
  mechanism <- rr_product(drugs = rr_warner(0.8), often = rr_grr(3, 1))
  answers <- cbind(c("no", "yes"), c("1", "3"))
  expect_equal(question_frame(answers, mechanism), data.frame(drugs = c("no", "yes"), often = c("1", "3")))
  expect_named(question_frame(`colnames<-`(answers, c("often", "drugs")), mechanism), c("often", "drugs"))
  expect_false(any(names(mechanism$questions) %in% names(question_frame(cbind(answers, "2"), mechanism))))
  expect_error(question_frame(c("no", "yes"), mechanism), class = "candor_error_argument")
})

test_that("cells of answers run over the first question fastest, from 0; one that is missing has none, or is refused", {
  # Reports of hashing: three cohorts, of four values each, the value fastest.
  hashed <- rr_local_hash(5, 1, g = 4, cohorts = 3)
  mechanism <- rr_product(a = rr_grr(c("x", "y", "z"), 1), h = hashed)
  answers <- data.frame(a = c("z", "x", "y"), h_cohort = c(1, 3, NA), h_value = c(1, 2, 3))
  expect_identical(encode_questions(answers, mechanism, TRUE), c(2L, 3L * 9L, NA))
  expect_identical(encode_question(data.frame(cohort = c(3, NA, 1), value = c(2, 1, 1)), hashed), list(codes = c(9L, NA, 0L), first = 0L))
  expect_error(encode_questions(answers, mechanism, FALSE), class = "candor_error_missing")
  expect_error(encode_questions(transform(answers, a = c("z", "w", "y")), mechanism, TRUE), class = "candor_error_level")
  expect_error(encode_questions(transform(answers, h_value = 5), mechanism, TRUE), class = "candor_error_report")
})

test_that("the scores of a report are on average 1 of the truth and 0 of other categories", {
  for (mechanism in list(rr_grr(3, 1), rr_forced(c(0.1, 0.2, 0.05)), rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7))))) {
    scores <- score_reader(mechanism, "q")(mechanism$reports)
    expect_equal(unname(rr_matrix(mechanism)) %*% scores, diag(length(mechanism$levels)))
  }
  unary <- rr_unary(2, p = 0.7, q = 0.2)
  # (y - q) / (p - q)
  expect_equal(score_reader(unary, "q")(rbind(c(1, 0), c(1, 1))), rbind(c(0.8, -0.2), c(0.8, 0.8)) / 0.5)
  expect_error(score_reader(rr_mean(c(0, 1), 1), "q"), class = "candor_error_law")
})
