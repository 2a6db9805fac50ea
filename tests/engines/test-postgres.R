skip_if(!length(ports("POSTGRES")), "PostgreSQL did not start")

test_that("PostgreSQL gives what memory gives", {
  connection <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(connection))
  expect_as_in_memory(function(data, name) {
    DBI::dbWriteTable(connection, name, data, overwrite = TRUE, temporary = TRUE)
    dplyr::tbl(connection, name)
  })
})

test_that("counts come back as 64-bit integers and are understood", {
  connection <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "counted", people(100), temporary = TRUE)
  rows <- DBI::dbGetQuery(connection, rr_query(dplyr::tbl(connection, "counted"), m, column = "answer"))
  expect_s3_class(rows$n, "integer64")
  expect_identical(rr_counts(rows, m), rr_tally(people(100), m, column = "answer"))
  # 64-bit integers as reports, with a NULL among them
  DBI::dbExecute(connection, "CREATE TEMPORARY TABLE big (x bigint)")
  DBI::dbExecute(connection, "INSERT INTO big VALUES (1), (3), (3), (NULL)")
  table <- dplyr::tbl(connection, "big")
  expect_error(rr_tally(table, m), class = "candor_error_missing")
  expect_identical(suppressMessages(rr_tally(table, m, na.rm = TRUE))$counts, c(1, 0, 2))
})

test_that("logical columns are bits, though PostgreSQL does not multiply them", {
  connection <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(connection))
  for (d in c(3, 8)) {
    logical <- as.data.frame(lapply(bits(200, d), as.logical))
    DBI::dbWriteTable(connection, "truths", logical, overwrite = TRUE, temporary = TRUE)
    expect_identical(rr_cooccurrence(dplyr::tbl(connection, "truths")), rr_cooccurrence(logical))
  }
  expect_identical(rr_tally(dplyr::select(dplyr::tbl(connection, "truths"), b1), rr_warner(0.8)), rr_tally(logical["b1"], rr_warner(0.8)))
})

test_that("a schema, a view and a column of another type", {
  connection <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(connection))
  run(connection, "DROP SCHEMA IF EXISTS survey CASCADE", "CREATE SCHEMA survey", "CREATE TABLE survey.reports (answer text, day date, w text)",
                 "INSERT INTO survey.reports VALUES ('no', '2026-01-01', '1'), ('some', '2026-01-02', '2')",
                 "CREATE VIEW survey.late AS SELECT * FROM survey.reports WHERE day > '2026-01-01'")
  table <- dplyr::tbl(connection, dbplyr::in_schema("survey", "reports"))
  expect_identical(rr_tally(table, m, column = "answer")$counts, c(1, 1, 0))
  expect_identical(rr_tally(table, m, column = "answer", by = "day")$groups$day, as.Date(c("2026-01-01", "2026-01-02")))
  expect_identical(rr_tally(dplyr::tbl(connection, dbplyr::in_schema("survey", "late")), m, column = "answer")$counts, c(0, 1, 0))
  expect_error(rr_tally(table, m, column = "day"), class = "candor_error_argument")
  expect_error(rr_tally(table, m, column = "answer", weights = "w"), class = "candor_error_database")
  expect_error(rr_tally(table, m, column = "answer", weights = "day"), class = "candor_error_database")
})

test_that("a server that ends the connection in mid-query is an error of its class", {
  connection <- postgres(ports("POSTGRES")[1])
  other <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(other))
  run(other, "DROP TABLE IF EXISTS dropped")
  DBI::dbWriteTable(other, "dropped", people(10))
  table <- dplyr::tbl(connection, "dropped")
  tally <- rr_tally(table, m, column = "answer")
  # The query itself takes its server process down: rows were read, none arrives.
  suicidal <- dplyr::filter(table, dplyr::sql("pg_terminate_backend(pg_backend_pid())"))
  expect_error(rr_tally(suicidal, m, column = "answer"), class = "candor_error_database")
  expect_identical(tally$n, 10)
  suppressWarnings(try(DBI::dbDisconnect(connection), silent = TRUE))
})

test_that("a long table that a writer adds to while it is tallied is counted at one moment", {
  connection <- postgres(ports("POSTGRES")[1])
  on.exit(DBI::dbDisconnect(connection))
  run(connection, "DROP TABLE IF EXISTS growing",
      "CREATE TABLE growing AS SELECT i AS id, chr((97 + i % 3)::int) AS level FROM generate_series(1, 200000) i")
  writer <- parallel::mcparallel({
    own <- postgres(ports("POSTGRES")[1])
    for (i in 1:100) {
      run(own, sprintf("INSERT INTO growing SELECT %d + i, chr((97 + i %% 3)::int) FROM generate_series(1, 1000) i", 200000L + i * 1000L))
      Sys.sleep(0.02)
    }
    DBI::dbDisconnect(own)
  })
  one <- rr_subset(letters[1:3], 1, size = 1)
  tallies <- lapply(1:5, function(i) rr_tally(dplyr::tbl(connection, "growing"), one))
  parallel::mccollect(writer)
  n <- vapply(tallies, `[[`, 0, "n")
  # The writer was at work, and each report has its one row.
  expect_gt(max(n), min(n))
  expect_identical(vapply(tallies, function(tally) sum(tally$counts), 0), n)
})
