# rr_tally() of tables in databases against the engine's own GROUP BY through the same driver: to reach <= 1.1. SQLite
# always; `tools/test-engines --run tools/bench/run database` adds PostgreSQL and ClickHouse, alone and sharded over two servers.
# CANDOR_BENCH_ROWS says how many rows, 1e7 if it does not; CANDOR_BENCH_ENGINES which engines, say "sqlite clickhouse".
suppressPackageStartupMessages(library(candor))
source("common.R", chdir = TRUE)

rows <- as.numeric(Sys.getenv("CANDOR_BENCH_ROWS", "1e7"))
k <- 100L
mechanism <- rr_grr(k, epsilon = 1)
engines <- strsplit(Sys.getenv("CANDOR_BENCH_ENGINES", "sqlite postgres clickhouse"), " ")[[1L]]
ports <- function(engine) {
  if (!tolower(engine) %in% engines) return(integer())
  as.integer(strsplit(Sys.getenv(sprintf("CANDOR_%s_PORTS", engine)), " ")[[1L]])
}
password <- Sys.getenv("CANDOR_ENGINE_PASSWORD")
run <- function(connection, ...) for (text in c(...)) suppressMessages(DBI::dbExecute(connection, text))
count <- function(n) format(n, big.mark = ",", scientific = FALSE)

against_engine <- function(engine, connection, table, times, n = rows) {
  lazy <- dplyr::tbl(connection, table)
  own <- sprintf("SELECT x, count(*) AS n FROM %s GROUP BY x", table)
  DBI::dbGetQuery(connection, own)
  started <- Sys.time()
  DBI::dbGetQuery(connection, own)
  cat(sprintf("%s, %s rows, GROUP BY alone: %.3f s\n", engine, count(n), as.numeric(Sys.time() - started, units = "secs")))
  report(sprintf("%s, %s rows: rr_tally() / GROUP BY through the driver", engine, count(n)),
         ratio(rr_tally(lazy, mechanism, column = "x"), DBI::dbGetQuery(connection, own), times), "<= 1.1")
  started <- Sys.time()
  rr_tally(lazy, mechanism, column = "x", by = "g", weights = "w")
  cat(sprintf("  with groups and weights: %.2f s\n", as.numeric(Sys.time() - started, units = "secs")))
}

# The most memory that the process ever held, in MB.
peak <- function() as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024

# 20 columns, a tenth of the rows: all 210 sums in one scan.
joint <- function(engine, connection, table) {
  lazy <- dplyr::select(dplyr::tbl(connection, table), !!!rlang::syms(paste0("b", 1:20)))
  started <- Sys.time()
  counts <- rr_cooccurrence(lazy, 2)
  cat(sprintf("%s: rr_cooccurrence() to order 2 of 20 columns x %s rows, one scan: %.2f s\n", engine, count(counts$n),
              as.numeric(Sys.time() - started, units = "secs")))
}

# ---- SQLite -----------------------------------------------------------------------------------------------------

if ("sqlite" %in% engines) {
  file <- tempfile(fileext = ".sqlite")
  lite <- DBI::dbConnect(RSQLite::SQLite(), file)
  series <- "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d)"
  fill <- function(table, n) {
    run(lite, sprintf("CREATE TABLE %s (x INTEGER, g INTEGER, w REAL)", table),
        sprintf("INSERT INTO %s %s SELECT 1 + abs(random()) %% %d, abs(random()) %% 4, 1 + abs(random()) %% 3 FROM s", table,
                sprintf(series, as.integer(n)), k))
  }
  fill("small", rows / 10)
  against_engine("SQLite", lite, "small", 3, rows / 10)
  low <- peak()
  fill("reports", rows)
  against_engine("SQLite", lite, "reports", 3)
  cat(sprintf("peak memory of the R process with SQLite in it, more MB at %s than at %s rows: %.1f\n", count(rows), count(rows / 10), peak() - low))
  bits <- paste(sprintf("abs(random()) %% 2 AS b%d", 1:20), collapse = ", ")
  run(lite, sprintf("CREATE TABLE bits AS %s SELECT %s FROM s", sprintf(series, as.integer(rows / 10)), bits))
  joint("SQLite", lite, "bits")
  DBI::dbDisconnect(lite)
  unlink(file)
}

# ---- PostgreSQL -------------------------------------------------------------------------------------------------

if (length(ports("POSTGRES"))) {
  servers <- lapply(ports("POSTGRES"), function(port) {
    DBI::dbConnect(getExportedValue("RPostgres", "Postgres")(), host = "127.0.0.1", port = port, user = "candor", password = password,
                   dbname = "postgres")
  })
  first <- servers[[1L]]
  columns <- "(x integer, g integer, w double precision)"
  drawn <- "SELECT 1 + floor(random() * %d)::integer, floor(random() * 4)::integer, 1 + floor(random() * 3) FROM generate_series(1, %d)"
  for (table in c("small", "reports")) {
    n <- if (table == "small") rows / 10 else rows
    run(first, sprintf("DROP TABLE IF EXISTS %s CASCADE", table), sprintf("CREATE TABLE %s %s", table, columns),
        paste("INSERT INTO", table, sprintf(drawn, k, as.integer(n))), paste("VACUUM ANALYZE", table))
    if (table == "small") {
      against_engine("PostgreSQL", first, table, 5, n)
      low <- peak()
    }
  }
  against_engine("PostgreSQL", first, "reports", 5)
  cat(sprintf("peak memory of the R process, more MB at %s than at %s rows: %.1f\n", count(rows), count(rows / 10), peak() - low))
  run(first, "DROP TABLE IF EXISTS bits", sprintf("CREATE TABLE bits AS SELECT %s FROM generate_series(1, %d)",
      paste(sprintf("floor(random() * 2)::integer AS b%d", 1:20), collapse = ", "), as.integer(rows / 10)), "VACUUM ANALYZE bits")
  joint("PostgreSQL", first, "bits")

  # The same rows over two servers, by hash of the report.
  run(first, "CREATE EXTENSION IF NOT EXISTS postgres_fdw", "SET enable_partitionwise_aggregate = on", "DROP TABLE IF EXISTS sharded CASCADE",
      sprintf("CREATE TABLE sharded %s PARTITION BY HASH (x)", columns))
  for (s in 1:2) {
    run(servers[[s]], "DROP TABLE IF EXISTS own CASCADE", paste("CREATE TABLE own", columns))
    run(first, sprintf("DROP SERVER IF EXISTS shard_%d CASCADE", s),
        sprintf(paste("CREATE SERVER shard_%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%d', dbname 'postgres',",
                      "async_capable 'true', batch_size '1000')"), s, ports("POSTGRES")[s]),
        sprintf("CREATE USER MAPPING FOR candor SERVER shard_%d OPTIONS (user 'candor', password '%s')", s, password),
        sprintf("CREATE FOREIGN TABLE sharded_%d PARTITION OF sharded FOR VALUES WITH (MODULUS 2, REMAINDER %d) SERVER shard_%d OPTIONS (table_name 'own')",
                s, s - 1L, s))
  }
  run(first, "INSERT INTO sharded SELECT * FROM reports")
  for (server in servers) run(server, "VACUUM ANALYZE own")
  one <- dplyr::tbl(first, "reports")
  two <- dplyr::tbl(first, "sharded")
  report("PostgreSQL: two servers / one, as they are set up (two workers a query)",
         ratio(rr_tally(two, mechanism, column = "x"), rr_tally(one, mechanism, column = "x"), 5), "none")
  # One worker a server, as on machines of one core.
  run(first, "SET max_parallel_workers_per_gather = 0", "ALTER SYSTEM SET max_parallel_workers_per_gather = 0", "SELECT pg_reload_conf()")
  run(servers[[2L]], "ALTER SYSTEM SET max_parallel_workers_per_gather = 0", "SELECT pg_reload_conf()")
  Sys.sleep(1)
  report("PostgreSQL: two servers / one, one core each", ratio(rr_tally(two, mechanism, column = "x"), rr_tally(one, mechanism, column = "x"), 5),
         "<= 0.7 where two cores are free")
  for (server in servers) DBI::dbDisconnect(server)
}

# ---- ClickHouse -------------------------------------------------------------------------------------------------

if (length(ports("CLICKHOUSE"))) {
  servers <- lapply(ports("CLICKHOUSE"), function(port) {
    DBI::dbConnect(getExportedValue("RClickhouse", "clickhouse")(), host = "127.0.0.1", port = port, user = "default", password = password)
  })
  first <- servers[[1L]]
  columns <- "(x Int32, g Int32, w Float64)"
  drawn <- "INSERT INTO %s SELECT toInt32(1 + rand(1) %% %d), toInt32(rand(2) %% 4), toFloat64(1 + rand(3) %% 3) FROM system.numbers LIMIT %d"
  make <- function(server, table, n) {
    run(server, paste("DROP TABLE IF EXISTS", table), sprintf("CREATE TABLE %s %s ENGINE = MergeTree ORDER BY tuple()", table, columns),
        sprintf(drawn, table, k, as.integer(n)))
  }
  make(first, "small", rows / 10)
  against_engine("ClickHouse", first, "small", 21, rows / 10)
  low <- peak()
  make(first, "reports", rows)
  against_engine("ClickHouse", first, "reports", 21)
  cat(sprintf("peak memory of the R process, more MB at %s than at %s rows: %.1f\n", count(rows), count(rows / 10), peak() - low))
  for (server in servers) make(server, "own", rows / 2)
  run(first, "DROP TABLE IF EXISTS sharded", sprintf("CREATE TABLE sharded %s ENGINE = Distributed(candor, default, 'own')", columns))
  against_engine("ClickHouse, two servers", first, "sharded", 21)
  one <- dplyr::tbl(first, "reports")
  two <- dplyr::tbl(first, "sharded")
  report("ClickHouse: two servers / one, as they are set up (every core a query)",
         ratio(rr_tally(two, mechanism, column = "x"), rr_tally(one, mechanism, column = "x"), 21), "none")
  for (server in servers) run(server, "SET max_threads = 1")
  report("ClickHouse: two servers / one, one core each",
         ratio(rr_tally(two, mechanism, column = "x"), rr_tally(one, mechanism, column = "x"), 21), "<= 0.7 where two cores are free")
  for (server in servers) DBI::dbDisconnect(server)
}
