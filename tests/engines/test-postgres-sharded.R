# One table over two servers: partitions that are foreign tables of postgres_fdw.
skip_if(!length(ports("POSTGRES")), "PostgreSQL did not start")

connections <- lapply(ports("POSTGRES"), postgres)
withr::defer(for (connection in connections) DBI::dbDisconnect(connection), teardown_env())
first <- connections[[1]]

frame <- people(4000)
columns <- "answer text, vote text, region text, wave integer, w double precision, heavy integer"

# Each server has a table of its own; the first also has a table that is made of both, by hash of `key`.
shard <- function(name, key) {
  for (connection in connections) run(connection, sprintf("DROP TABLE IF EXISTS %s_own CASCADE", name), sprintf("CREATE TABLE %s_own (%s)", name, columns))
  run(first, sprintf("DROP TABLE IF EXISTS %s CASCADE", name), sprintf("CREATE TABLE %s (%s) PARTITION BY HASH (%s)", name, columns, key))
  for (k in 1:2) {
    run(first, sprintf("CREATE FOREIGN TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS 2, REMAINDER %d) SERVER shard_%d OPTIONS (table_name '%s_own')",
                       name, k, name, k - 1L, k, name))
  }
  DBI::dbWriteTable(first, paste0(name, "_in"), frame, temporary = TRUE)
  run(first, sprintf("INSERT INTO %s SELECT * FROM %s_in", name, name))
  for (connection in connections) run(connection, sprintf("ANALYZE %s_own", name))
  dplyr::tbl(first, name)
}

link_servers(connections)

# The queries that PostgreSQL sends to its shards.
remote <- function(table, ...) {
  plan <- DBI::dbGetQuery(first, paste("EXPLAIN (VERBOSE, COSTS OFF)", rr_query(table, ...)))[[1]]
  trimws(sub("Remote SQL:", "", grep("Remote SQL:", plan, value = TRUE), fixed = TRUE))
}

test_that("a table sharded by a group is counted by both servers", {
  table <- shard("by_region", "region")
  expect_identical(rr_tally(table, m, column = "answer", by = "region", weights = "w"),
                   rr_tally(frame, m, column = "answer", by = "region", weights = "w"))
  expect_identical(rr_tally(table, both, by = ~ region + wave), rr_tally(frame, both, by = ~ region + wave))
  sent <- remote(table, m, column = "answer", by = "region", weights = "w")
  expect_length(sent, 2L)
  expect_match(sent, "^SELECT .*count\\(\\*\\).*sum\\(.* GROUP BY 1, 2$")
  # Both had people to count
  expect_true(all(vapply(connections, function(connection) nrow(DBI::dbGetQuery(connection, "SELECT 1 FROM by_region_own LIMIT 1")), 1L) == 1L))
})

test_that("a table sharded by the report is counted by both servers without groups", {
  table <- shard("by_answer", "answer")
  expect_identical(rr_tally(table, m, column = "answer"), rr_tally(frame, m, column = "answer"))
  sent <- remote(table, m, column = "answer")
  expect_length(sent, 2L)
  expect_match(sent, "^SELECT .*count\\(\\*\\).* GROUP BY 1$")
})

test_that("a table sharded by something else is right, and its shards' tallies merge to it", {
  table <- shard("by_wave", "wave")
  wanted <- rr_tally(frame, m, column = "answer", by = "region", weights = "w")
  # PostgreSQL 15 does not send halves of an aggregate: it fetches rows. The answer is the same.
  expect_identical(rr_tally(table, m, column = "answer", by = "region", weights = "w"), wanted)
  expect_false(any(grepl("GROUP BY", remote(table, m, column = "answer"))))
  # Each shard counts its own, and the tallies add up.
  parts <- lapply(1:2, function(k) dplyr::tbl(first, paste0("by_wave_", k)))
  for (part in parts) expect_match(remote(part, m, column = "answer", by = "region"), "GROUP BY 1, 2$")
  expect_identical(do.call(c, lapply(parts, rr_tally, m, column = "answer", by = "region", weights = "w")), wanted)
})

test_that("every form works through the foreign tables", {
  expect_as_in_memory(function(data, name) {
    quoted <- DBI::dbQuoteIdentifier(first, name)
    second <- connections[[2]]
    DBI::dbWriteTable(second, name, data, overwrite = TRUE)
    fields <- DBI::dbQuoteIdentifier(first, names(data))
    types <- DBI::dbDataType(second, data)
    run(first, sprintf("DROP FOREIGN TABLE IF EXISTS %s", quoted),
        sprintf("CREATE FOREIGN TABLE %s (%s) SERVER shard_2 OPTIONS (table_name %s)", quoted, paste(fields, types, collapse = ", "),
                DBI::dbQuoteLiteral(first, name)))
    dplyr::tbl(first, name)
  })
})
