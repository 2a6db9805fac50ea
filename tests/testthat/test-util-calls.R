# Errors name the function that the user called.

expect_names <- function(expression, name) {
  cnd <- expect_error(eval(expression), class = "candor_error")
  expect_identical(deparse(conditionCall(cnd)[[1]]), name)
}

test_that("errors name the function that the user called, however deep they arise", {
  fit <- rr_estimate(rr_counts(c(no = 780, yes = 420), rr_forced(1 / 6)))
  expect_names(quote(rr_warner(-1)), "rr_warner")
  expect_names(quote(rr_tally("maybe", rr_warner(0.8))), "rr_tally")
  expect_names(quote(rr_estimate("maybe", rr_warner(0.8))), "rr_estimate")
  expect_names(bquote(confint(.(fit), level = 2)), "confint")
  expect_names(quote(lapply("maybe", rr_tally, rr_warner(0.8))), "FUN")
})

test_that("an error of a call that is an argument names this call, as in a pipe", {
  cnd <- expect_error(rr_estimate(rr_tally("maybe", rr_warner(0.8))), class = "candor_error_level")
  expect_identical(as.character(conditionCall(cnd)[[1]]), "rr_tally")
})

test_that("the lines of an error are what cli makes of each line, also if a value holds the mark between them", {
  arg <- "x"
  for (value in c("maybe", "one\036two", "{odd}")) {
    lines <- c("{.arg {arg}} must be {.val {value}}.", x = "It is {value}.", i = "{{Braces}} and none.")
    here <- environment()
    expect_identical(unname(format_lines(lines, here)), unname(vapply(lines, cli::format_inline, "", .envir = here)))
    cnd <- tryCatch(abort(lines, "argument", .envir = here), error = identity)
    expect_identical(unname(c(cnd$message, cnd$body)), unname(vapply(lines, cli::format_inline, "", .envir = here)))
  }
})
