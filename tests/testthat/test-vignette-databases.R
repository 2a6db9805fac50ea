# What vignettes/articles/databases.Rmd states beside its printed tallies: database and memory are one, and nobody is lost.
skip_without("dbplyr", "RSQLite")

test_that("the table's tally is that of its data frame, and wrong reports are told with their number", {
  mechanism <- rr_grr(c("never", "sometimes", "daily"), epsilon = 1.5)
  set.seed(1)
  country <- sample(c("Chile", "Ghana", "Nepal"), 60000, replace = TRUE)
  often <- c(Chile = 0.10, Ghana = 0.20, Nepal = 0.30)[country]
  draw <- runif(60000)
  truth <- ifelse(draw < often, "daily", ifelse(draw < often + 0.25, "sometimes", "never"))
  reports <- data.frame(answer = rr_perturb(truth, mechanism, rng = "R"), country = country, day = sample(1:30, 60000, replace = TRUE))
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "reports", reports)
  table <- dplyr::tbl(connection, "reports")
  tally <- rr_tally(table, mechanism, column = "answer", by = "country")
  expect_identical(tally, rr_tally(reports, mechanism, column = "answer", by = "country"))
  # Truths of the simulation: each estimate is within 4 standard errors (a false alarm in 1 of 1,700 for nine of them).
  table_of <- tidy(rr_estimate(tally))
  wanted <- rbind(0.75 - c(0.10, 0.20, 0.30), 0.25, c(0.10, 0.20, 0.30))
  expect_true(all(abs(table_of$estimate - as.vector(wanted)) < 4 * table_of$std.error))
  changed <- DBI::dbExecute(connection, "UPDATE reports SET answer = 'Daily' WHERE day = 3 AND country = 'Chile'")
  expect_error(rr_tally(table, mechanism, column = "answer"), sprintf("%d\\s+times", changed), class = "candor_error_level")
  nulls <- DBI::dbExecute(connection, "UPDATE reports SET answer = NULL WHERE day = 4 AND country = 'Nepal'")
  lower <- dplyr::mutate(table, answer = tolower(answer))
  expect_error(rr_tally(lower, mechanism, column = "answer"), sprintf("%d of 60,000", nulls), class = "candor_error_missing")
  tally <- suppressMessages(rr_tally(lower, mechanism, column = "answer", na.rm = TRUE))
  expect_identical(c(tally$n, tally$missing), c(60000 - nulls, nulls + 0))
})
