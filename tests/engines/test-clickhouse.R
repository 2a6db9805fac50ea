# One Distributed table over two servers.
skip_if(!length(ports("CLICKHOUSE")), "ClickHouse did not start")

connections <- lapply(ports("CLICKHOUSE"), clickhouse)
withr::defer(for (connection in connections) DBI::dbDisconnect(connection), teardown_env())
first <- connections[[1]]
distributed <- function(data, name) distribute(connections, data, name)

test_that("a Distributed table of ClickHouse gives what memory gives", {
  expect_as_in_memory(distributed)
})

test_that("both servers aggregate: the second sends counts, not reports", {
  table <- distributed(people(3000), "watched")
  rr_tally(table, m, column = "answer", by = "region")
  log <- NULL
  for (attempt in 1:50) {
    Sys.sleep(0.2)
    log <- tryCatch(DBI::dbGetQuery(connections[[2]], paste(
      "SELECT query, read_rows, result_rows FROM system.query_log",
      "WHERE type = 2 AND is_initial_query = 0 AND query LIKE '%watched_own%GROUP BY%'")), error = function(e) NULL)
    if (NROW(log)) break
  }
  expect_gt(NROW(log), 0)
  expect_true(all(as.double(log$read_rows) == 1500))
  expect_true(all(as.double(log$result_rows) <= 9))
})

test_that("a filter and a choice of columns do not bring the reports to the first server", {
  frame <- people(3000)
  some <- dplyr::select(dplyr::filter(distributed(frame, "filtered"), wave > 1L), answer, region)
  expect_identical(rr_tally(some, m, column = "answer", by = "region"), rr_tally(frame[frame$wave > 1, ], m, column = "answer", by = "region"))
  sent <- rr_query(some, m, column = "answer", by = "region")
  expect_length(gregexpr("SELECT", sent)[[1]], 1L)
})

test_that("counts come back as ClickHouse's unsigned 64-bit integers and are understood", {
  table <- distributed(people(100), "counted")
  rows <- DBI::dbGetQuery(first, as.character(rr_query(table, m, column = "answer")))
  expect_identical(rr_counts(rows, m), rr_tally(people(100), m, column = "answer"))
})

test_that("the text for Spark means here what it means on Spark", {
  distributed(people(200), "df")
  lazy <- dbplyr::lazy_frame(answer = "", region = "", w = 1, con = dbplyr::simulate_hive())
  text <- as.character(rr_query(lazy, m, column = "answer", by = "region", weights = "w"))
  expect_identical(rr_counts(DBI::dbGetQuery(first, text), m), rr_tally(people(200), m, column = "answer", by = "region", weights = "w"))
})
