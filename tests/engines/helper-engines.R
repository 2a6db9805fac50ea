# What every engine must do, asked of each: a table in it gives what the same data frame gives in memory.

m <- rr_grr(c("no", "some", "often"), epsilon = 2)
both <- rr_product(answer = m, vote = rr_warner(0.8))

# Weights that are sums of few powers of two: their sums are exact in every order.
people <- function(n) {
  set.seed(n)
  data.frame(answer = sample(c("no", "some", "often"), n, TRUE, c(6, 3, 1)), vote = sample(c("no", "yes"), n, TRUE),
             region = sample(c("north", "south", "west"), n, TRUE), wave = sample(1:4, n, TRUE),
             w = sample(c(0.5, 1, 2, 3), n, TRUE), heavy = sample(c(1L, 70000L), n, TRUE))
}

bits <- function(n, d) {
  set.seed(n + d)
  as.data.frame(matrix(rbinom(n * d, 1L, 0.4), n, dimnames = list(NULL, paste0("b", seq_len(d)))))
}

# What tells clients that do not randomize is counted in memory alone.
in_memory <- function(...) {
  tally <- rr_tally(...)
  tally$witness <- NULL
  tally
}

# `stored(data, name)` puts a data frame into the engine and gives its table.
expect_as_in_memory <- function(stored, nulls = TRUE) {
  frame <- people(2000)
  table <- stored(frame, "people")
  same <- function(...) expect_identical(rr_tally(table, ...), rr_tally(frame, ...))
  same(m, column = "answer")
  same(m, column = ~ answer, by = ~ region + wave)
  same(m, column = "answer", weights = "w")
  same(m, column = "answer", by = "region", weights = ~ w)
  same(both)
  same(both, by = "wave", weights = "w")
  # 70,000^2 is beyond a 32-bit integer.
  same(m, column = "answer", weights = "heavy")
  expect_identical(rr_tally(dplyr::filter(table, wave < 3L, region != "west"), m, column = "answer", by = "region"),
                   rr_tally(frame[frame$wave < 3 & frame$region != "west", ], m, column = "answer", by = "region"))
  expect_identical(rr_tally(dplyr::group_by(table, region), m, column = "answer"),
                   rr_tally(dplyr::group_by(frame, region), m, column = "answer"))
  expect_identical(rr_estimate(table, m, column = "answer", by = ~ region), rr_estimate(frame, m, column = "answer", by = ~ region))

  # The text, run by hand
  connection <- dbplyr::remote_con(table)
  back <- function(...) DBI::dbGetQuery(connection, as.character(rr_query(table, ...)))
  expect_identical(rr_counts(back(m, column = "answer"), m), rr_tally(frame, m, column = "answer"))
  expect_identical(rr_counts(back(both, by = "region", weights = "w"), both), rr_tally(frame, both, by = "region", weights = "w"))

  # Numbers for labels
  expect_identical(rr_tally(table, rr_grr(4, epsilon = 1), column = "wave"), rr_tally(frame, rr_grr(4, epsilon = 1), column = "wave"))

  # What is wrong
  expect_error(rr_tally(table, m, column = "region"), class = "candor_error_level")
  expect_error(rr_tally(table, m, column = "anwser"), class = "candor_error_argument")
  expect_error(rr_tally(table, m, column = "answer", weights = "region"), class = "candor_error")
  expect_identical(sum(rr_tally(dplyr::filter(table, wave > 9L), m, column = "answer")$counts), 0)
  wrong <- frame
  wrong$w[7] <- -1
  expect_error(rr_tally(stored(wrong, "wrong"), m, column = "answer", weights = "w"), class = "candor_error_argument")

  # Names that would be commands
  odd <- frame
  names(odd)[3] <- "re\"gi'on; --"
  expect_identical(rr_tally(stored(odd, "x\"; DROP TABLE people; --"), m, column = "answer", by = "re\"gi'on; --"),
                   rr_tally(odd, m, column = "answer", by = "re\"gi'on; --"))
  expect_identical(rr_tally(table, m, column = "answer"), rr_tally(frame, m, column = "answer"))

  # Reports of the protocols: numbers are grouped, bits added up, long tables counted by level
  set.seed(3)
  own <- sample(9, 500, TRUE)
  side <- sample(c("n", "s"), 500, TRUE)
  for (mechanism in list(rr_hadamard(9, 1), rr_hadamard(9, 1, one_bit = TRUE), rr_local_hash(9, 1), rr_local_hash(9, 1, cohorts = 4))) {
    reports <- rr_perturb(own, mechanism)
    data <- if (is.data.frame(reports)) as.data.frame(reports) else data.frame(report = reports)
    expect_equal(rr_tally(stored(cbind(data, side = side), "numbers"), mechanism, by = "side"),
                 in_memory(reports, mechanism, by = list(side = side)))
  }
  for (mechanism in list(rr_unary(LETTERS[1:9], 1), rr_subset(LETTERS[1:9], 0.3))) {
    reports <- rr_perturb(LETTERS[own], mechanism)
    expected <- rr_tally(reports, mechanism, by = list(side = side))
    matrix <- as.matrix(reports)
    zeros <- stats::setNames(as.data.frame(matrix), LETTERS[1:9])
    expect_equal(rr_tally(stored(cbind(zeros, side = side), "zeros"), mechanism, by = "side"), expected)
    text <- data.frame(report = as.character(reports), side = side)
    expect_equal(rr_tally(stored(text, "hexes"), mechanism, column = "report", by = "side"), expected)
    long <- data.frame(id = row(matrix)[matrix == 1], level = LETTERS[col(matrix)[matrix == 1]])
    empty <- setdiff(1:500, long$id)
    if (nulls && length(empty)) long <- rbind(long, data.frame(id = empty, level = NA))
    long$side <- side[long$id]
    if (nulls || !length(empty)) expect_equal(rr_tally(stored(long, "longs"), mechanism, by = "side"), expected)
    text$report[7] <- "zzzz"
    expect_error(rr_tally(stored(text, "hexes"), mechanism, column = "report"), class = "candor_error_report")
  }
  # dBitFlip by its positions and its buckets, RAPPOR by hexadecimal text and by bits, numbers whose mean is wanted
  flip <- rr_bitflip(LETTERS[1:9], 2, d = 3)
  reports <- rr_perturb(LETTERS[own], flip)
  expected <- rr_tally(reports, flip, by = list(side = side))
  signed <- as.matrix(reports)
  positions <- stats::setNames(as.data.frame(signed), paste0("position_", 1:3))
  expect_equal(rr_tally(stored(cbind(positions, side = side), "positions"), flip, by = "side"), expected)
  drawn <- data.frame(id = as.vector(row(signed)), level = LETTERS[abs(signed)], bit = as.integer(signed > 0))
  drawn$side <- side[drawn$id]
  expect_equal(rr_tally(stored(drawn, "drawn"), flip, by = "side"), expected)
  positions$position_2[3] <- positions$position_1[3]
  expect_error(rr_tally(stored(positions, "positions"), flip), class = "candor_error_report")
  for (mechanism in list(rr_bloom(LETTERS[1:9], 2, bits = 16, hashes = 2, cohorts = 4), rr_count_mean_sketch(2, width = 16, functions = 4))) {
    reports <- rr_perturb(LETTERS[own], mechanism)
    expected <- rr_tally(reports, mechanism, by = list(side = side))
    text <- data.frame(cohort = reports$cohort, bits = as.character(reports$bits), side = side)
    expect_equal(rr_tally(stored(text, "filters"), mechanism, by = "side"), expected)
    matrix <- as.matrix(reports$bits)
    zeros <- cbind(cohort = reports$cohort, stats::setNames(as.data.frame(matrix), paste0("bit_", 1:16)), side = side)
    expect_equal(rr_tally(stored(zeros, "filter_bits"), mechanism, by = "side"), expected)
    long <- data.frame(id = row(matrix)[matrix == 1], level = col(matrix)[matrix == 1])
    long$cohort <- reports$cohort[long$id]
    long$side <- side[long$id]
    if (!length(setdiff(1:500, long$id))) expect_equal(rr_tally(stored(long, "filter_longs"), mechanism, by = "side"), expected)
  }
  for (protocol in c("duchi", "hybrid")) {
    mechanism <- rr_mean(c(0, 10), 1, protocol)
    numbers <- data.frame(report = rr_perturb(own, mechanism), side = side)
    expect_equal(rr_tally(stored(numbers, "means"), mechanism, column = "report", by = "side"),
                 in_memory(numbers, mechanism, column = "report", by = "side"))
  }

  # Joint counts: row types, sums, batches of sums
  few <- bits(500, 3)
  expect_identical(rr_cooccurrence(stored(few, "few")), rr_cooccurrence(few))
  many <- bits(500, 22)
  expect_identical(rr_cooccurrence(stored(many, "many")), rr_cooccurrence(many))
  expect_identical(rr_cooccurrence(dplyr::tbl(connection, "many"), 3), rr_cooccurrence(many, 3))

  # A long table of bits
  long <- data.frame(who = rep(sprintf("e%02d", 1:50), 4), site = rep(letters[1:4], each = 50), bit = bits(50, 4)[[1]])
  wide <- matrix(long$bit, 50, dimnames = list(unique(long$who), letters[1:4]))
  expect_identical(rr_tally(stored(long[order(long$bit, long$site), ], "long"), flip = 0.1, element = "who", set = "site"), rr_tally(wide, flip = 0.1))

  if (!nulls) return(invisible())
  empty <- frame
  empty$region <- NA_character_
  expect_error(rr_tally(stored(empty, "empty"), m, column = "answer", by = "region"), class = "candor_error_missing")
  expect_error(suppressMessages(rr_tally(dplyr::tbl(connection, "empty"), m, column = "answer", by = "region", na.rm = TRUE)),
               class = "candor_error_empty")
  holes <- frame
  holes$answer[1:5] <- NA
  holes$region[5:9] <- NA
  holes$w[20] <- NA
  table <- stored(holes, "holes")
  quiet <- function(...) suppressMessages(rr_tally(..., na.rm = TRUE))
  expect_identical(quiet(table, m, column = "answer", by = "region"), quiet(holes, m, column = "answer", by = "region"))
  expect_identical(quiet(table, both), quiet(holes, both))
  expect_error(rr_tally(table, m, column = "answer"), class = "candor_error_missing")
  expect_error(rr_tally(table, m, column = "vote", by = "region"), class = "candor_error")
  expect_error(rr_tally(table, m, column = "answer", weights = "w"), class = "candor_error_argument")
  gaps <- many
  gaps$b2[1:3] <- NA
  expect_error(rr_cooccurrence(stored(gaps, "gaps")), class = "candor_error_missing")
  expect_equal(suppressMessages(rr_cooccurrence(stored(gaps, "gaps"), na.rm = TRUE)),
               suppressMessages(rr_cooccurrence(gaps, na.rm = TRUE)))
}

ports <- function(engine) as.integer(strsplit(Sys.getenv(sprintf("CANDOR_%s_PORTS", engine)), " ")[[1L]])

postgres <- function(port, database = "postgres") {
  DBI::dbConnect(getExportedValue("RPostgres", "Postgres")(), host = "127.0.0.1", port = port, user = "candor",
                 password = Sys.getenv("CANDOR_ENGINE_PASSWORD"), dbname = database)
}

clickhouse <- function(port) {
  DBI::dbConnect(getExportedValue("RClickhouse", "clickhouse")(), host = "127.0.0.1", port = port, user = "default",
                 password = Sys.getenv("CANDOR_ENGINE_PASSWORD"))
}

run <- function(connection, ...) suppressMessages(for (text in c(...)) DBI::dbExecute(connection, text))

# The servers of `connections` as foreign servers of PostgreSQL, shard_1, shard_2.
link_servers <- function(connections) {
  first <- connections[[1]]
  run(first, "CREATE EXTENSION IF NOT EXISTS postgres_fdw", "SET enable_partitionwise_aggregate = on")
  for (k in seq_along(connections)) {
    run(first, sprintf("DROP SERVER IF EXISTS shard_%d CASCADE", k),
        sprintf("CREATE SERVER shard_%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%d', dbname 'postgres', async_capable 'true')",
                k, ports("POSTGRES")[k]),
        sprintf("CREATE USER MAPPING FOR candor SERVER shard_%d OPTIONS (user 'candor', password '%s')", k, Sys.getenv("CANDOR_ENGINE_PASSWORD")))
  }
}

# A Distributed table of ClickHouse: every second row lies on the other server.
distribute <- function(connections, data, name) {
  first <- connections[[1]]
  type_of <- function(x) {
    type <- if (is.character(x)) "String" else if (is.integer(x)) "Int32" else "Float64"
    if (anyNA(x)) sprintf("Nullable(%s)", type) else type
  }
  quoted <- dbplyr::escape(dbplyr::ident(c(name, paste0(name, "_own"))), con = first, collapse = NULL)
  fields <- paste(dbplyr::escape(dbplyr::ident(names(data)), con = first, collapse = NULL), vapply(data, type_of, ""), collapse = ", ")
  for (k in 1:2) {
    run(connections[[k]], sprintf("DROP TABLE IF EXISTS %s", quoted[2]),
        sprintf("CREATE TABLE %s (%s) ENGINE = MergeTree ORDER BY tuple()", quoted[2], fields))
    DBI::dbWriteTable(connections[[k]], paste0(name, "_own"), data[seq(k, nrow(data), 2), , drop = FALSE], append = TRUE, row.names = FALSE)
  }
  own <- gsub("'", "\\\\'", paste0(name, "_own"))
  run(first, sprintf("DROP TABLE IF EXISTS %s", quoted[1]),
      sprintf("CREATE TABLE %s (%s) ENGINE = Distributed(candor, default, '%s')", quoted[1], fields, own))
  dplyr::tbl(first, name)
}
