# Tables of counts that are given as if they were data of respondents.

die <- rr_forced(1 / 6)
regions <- data.frame(region = rep(c("N", "S"), each = 2), answer = c("no", "yes"), n = c(400, 200, 380, 220))

test_that("a table of counts whose counts nobody asked for is refused, and rr_counts() takes it", {
  expect_error(rr_tally(regions[1:2, 2:3], die, column = "answer"), "rr_counts", class = "candor_error_argument")
  expect_error(rr_estimate(regions[1:2, 2:3], die, column = "answer"), "rr_counts", class = "candor_error_argument")
  expect_error(rr_tally(regions, die, column = "answer", by = "region"), "rr_counts", class = "candor_error_argument")
  # With three categories, and as a table calls its column.
  grr <- rr_grr(c("never", "once", "often"), epsilon = 1)
  expect_error(rr_tally(as.data.frame(table(answer = rep(grr$levels, 3:5))), grr, column = "answer"), "rr_counts",
               class = "candor_error_argument")
  # Two questions.
  both <- rr_product(a = die, b = die)
  table <- data.frame(a = c("no", "no", "yes", "yes"), b = c("no", "yes"), n = 10:13)
  expect_error(rr_tally(table, both), "rr_counts", class = "candor_error_argument")
  expect_identical(rr_counts(table, both)$n, 46)
  # The way there says so too.
  expect_error(rr_estimate(regions, die), "rr_counts", class = "candor_error_argument")
})

test_that("rows that differ only with other columns are told of, and counted", {
  expect_message(tally <- rr_tally(regions, die, column = "answer"), "rr_counts", class = "candor_message_counts")
  expect_identical(tally$n, 4)
})

test_that("a regression of the rows of a table of counts says so", {
  expect_message(suppressWarnings(rr_glm(answer ~ region, regions, die)), "rr_counts", class = "candor_message_counts")
  # The tally of it is the model of all respondents.
  counted <- rr_counts(regions, die)
  expect_no_message(fit <- rr_glm(answer ~ region, counted))
  expect_identical(sum(counted$n), 1200)
  people <- data.frame(answer = rep(c("no", "yes"), c(600, 300)), region = c("N", "S"), n = 2)
  expect_no_message(rr_glm(answer ~ region, people, die))
})

test_that("respondents are not taken for counts", {
  people <- data.frame(answer = rep(c("no", "yes"), c(6, 4)), region = rep(c("N", "S"), 5), n = 1:10)
  expect_no_message(rr_tally(people, die, column = "answer"))
  # Each with a number of its own; two of them; and a column of anything else.
  expect_no_message(rr_tally(cbind(regions, id = 1:4), die, column = "answer"))
  expect_no_message(rr_tally(data.frame(answer = c("no", "yes"), age = c(30, 41)), die, column = "answer"))
  expect_no_message(rr_tally(data.frame(answer = c("no", "yes"), n = c(1.5, 2)), die, column = "answer"))
  expect_no_message(rr_tally(data.frame(answer = c("no", "yes"), n = 1), die, column = "answer"))
})

test_that("the same holds of a table of a database", {
  skip_if_not_installed("dbplyr")
  skip_if_not_installed("RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "regions", regions)
  DBI::dbWriteTable(connection, "people", data.frame(answer = rep(c("no", "yes"), c(6, 4)), n = 1:10, w = 20))
  table <- dplyr::tbl(connection, "regions")
  one <- dplyr::select(dplyr::filter(table, region == "N"), answer, n)
  expect_error(rr_tally(one, die, column = "answer"), "rr_counts", class = "candor_error_argument")
  expect_error(rr_tally(table, die, column = "answer", by = "region"), "rr_counts", class = "candor_error_argument")
  expect_message(rr_tally(table, die, column = "answer"), class = "candor_message_counts")
  expect_message(rr_tally(one, die, column = "answer", weights = "n"), class = "candor_message_counts")
  people <- dplyr::tbl(connection, "people")
  expect_no_message(rr_tally(people, die, column = "answer"))
  expect_no_message(rr_tally(people, die, column = "answer", weights = "w"))
})
