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
