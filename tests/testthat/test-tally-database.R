# The truth here is memory: whatever a table in a database gives must be what the same data frame gives.

m <- rr_grr(c("no", "some", "often"), epsilon = 2)
# Weights that are sums of few powers of two: their sums are exact in every order.
survey <- data.frame(answer = rep(c("no", "some", "often", "no"), 6), region = rep(c("n", "s"), each = 12), year = rep(2020:2021, 12), w = rep(c(0.5, 1, 2), 8))

stored <- database_of_tests("reports")
connection <- environment(stored)$connection
# The table in the database as the data frame.
expect_same_tally <- function(data, mechanism = m, ...) expect_identical(rr_tally(stored(data), mechanism, ...), rr_tally(data, mechanism, ...))

test_that("a database table is tallied as the data frame is", {
  expect_same_tally(survey, column = "answer")
  expect_same_tally(survey, column = ~ answer, by = ~ region + year)
  expect_same_tally(survey, column = "answer", by = ~ region, weights = ~ w)
  # Whole weights too: their squares do not leave the range of integers.
  heavy <- data.frame(answer = c("no", "some"), w = c(2^31 - 1, 2^30))
  expect_equal(rr_tally(stored(transform(heavy, w = as.integer(w)), "heavy"), m, weights = "w"), rr_tally(heavy, m, weights = "w"), tolerance = 1e-14)
  expect_identical(rr_estimate(stored(survey), m, column = "answer", by = ~ region), rr_estimate(survey, m, column = "answer", by = ~ region))
})

test_that("0 and 1 are no and yes of every mechanism with these labels, and 2 is neither", {
  for (mechanism in list(rr_grr(c("no", "yes"), p = 0.9), rr_warner(0.8), suppressMessages(rr_grr(c("yes", "no"), p = 0.9)))) {
    for (x in list(c(1, 0, 1), c(1L, 0L, 1L), c("1", "0", "1"), c("TRUE", "FALSE", "TRUE"), c("yes", "no", "yes"))) {
      counts <- suppressMessages(rr_tally(stored(data.frame(x = x)), mechanism))$counts
      expect_identical(counts[match(c("no", "yes"), mechanism$reports)], c(1, 2))
    }
    # Rows of only ones are of "yes".
    expect_identical(suppressMessages(rr_tally(stored(data.frame(x = c(1, 1))), mechanism))$counts, 2 * (mechanism$reports == "yes"))
    expect_refused(suppressMessages(rr_tally(stored(data.frame(x = c(1, 2))), mechanism)), class = "level")
  }
})

test_that("filters, groups of dplyr and a single column work as they do in memory", {
  table <- stored(survey)
  expect_identical(rr_tally(dplyr::filter(table, year == 2020L, w > 0.5), m, column = "answer"),
                   rr_tally(survey[survey$year == 2020 & survey$w > 0.5, ], m, column = "answer"))
  expect_identical(rr_tally(dplyr::group_by(table, region), m, column = "answer", by = "year"),
                   rr_tally(dplyr::group_by(survey, region), m, column = "answer", by = "year"))
  expect_identical(rr_tally(dplyr::select(table, answer), m), rr_tally(survey["answer"], m))
})

test_that("numbers, bits and logical values mean what they mean in memory", {
  expect_same_tally(data.frame(x = c(1, 3, 2, 2, 2)))
  expect_same_tally(data.frame(x = c(0L, 9L, 9L)), rr_grr(0:9, epsilon = 1))
  for (column in c("x", "y")) expect_same_tally(data.frame(x = c(0L, 1L, 1L), y = c("1", "0", "1")), rr_warner(0.8), column = column)
})

test_that("several questions are one GROUP BY over their columns", {
  product <- rr_product(a = m, b = rr_warner(0.8))
  frame <- data.frame(b = rep(c("no", "yes"), 12), g = survey$region, a = survey$answer, w = survey$w)
  expect_identical(rr_tally(stored(frame), product, by = "g", weights = "w"), rr_tally(frame, product, by = "g", weights = "w"))
  frame$a[1:3] <- NA
  frame$b[3:4] <- NA
  table <- stored(frame)
  expect_message(tally <- rr_tally(table, product, by = "g", na.rm = TRUE), "4 missing reports", class = "candor_message_missing")
  expect_identical(tally, suppressMessages(rr_tally(frame, product, by = "g", na.rm = TRUE)))
})

test_that("questions of a product may have numbers, or several columns with its name in front", {
  survey <- rr_product(a = rr_local_hash(5, 2, cohorts = 3), b = rr_warner(0.9), c = rr_hadamard(3, 2))
  set.seed(1)
  reports <- rr_perturb(data.frame(a = rep(1:5, 20), b = rep(0:1, 50), c = rep(c(1, 2, 3, 1), 25)), survey, rng = "R")
  flat <- data.frame(a_cohort = reports$a$cohort, a_value = reports$a$value, reports[c("b", "c")], g = rep(1:2, 50))
  tally <- rr_tally(reports, survey, by = list(g = flat$g))
  expect_identical(rr_tally(stored(flat), survey, by = "g"), tally)
  expect_identical(rr_counts(DBI::dbGetQuery(connection, rr_query(stored(flat), survey, by = "g")), survey), tally)
})

test_that("NULLs are dropped and counted where that is asked for", {
  frame <- survey
  frame$answer[c(1, 5)] <- NA
  frame$region[c(5, 24)] <- NA
  table <- stored(frame)
  expect_message(tally <- rr_tally(table, m, column = "answer", na.rm = TRUE), "2 missing reports", class = "candor_message_missing")
  expect_identical(tally, suppressMessages(rr_tally(frame, m, column = "answer", na.rm = TRUE)))
  expect_message(expect_message(tally <- rr_tally(table, m, column = "answer", by = "region", weights = "w", na.rm = TRUE),
                                "2 reports without a group", class = "candor_message_missing"), "1 missing report")
  expect_identical(tally, suppressMessages(rr_tally(frame, m, column = "answer", by = "region", weights = "w", na.rm = TRUE)))
  # The second message is of the report that is NULL in a group that is known.
  expect_identical(tally$missing, 3)
})

test_that("the text of the query, run by anybody, leads to the same tally", {
  table <- stored(survey)
  back <- function(...) DBI::dbGetQuery(connection, rr_query(table, m, column = "answer", ...))
  expect_identical(rr_counts(back(), m), rr_tally(survey, m, column = "answer"))
  expect_identical(rr_counts(back(by = "region"), m), rr_tally(survey, m, column = "answer", by = "region"))
  rows <- back(by = ~ region + year, weights = "w")
  wanted <- rr_tally(survey, m, column = "answer", by = ~ region + year, weights = "w")
  expect_identical(rr_counts(rows, m), wanted)
  # The order of the rows says nothing.
  set.seed(1)
  expect_identical(rr_counts(rows[sample(nrow(rows)), ], m), wanted)
  expect_identical(rr_counts(rev(rows), m, by = c("region", "year")), wanted)
  # The extremes are not needed, but they are looked at where they are there.
  expect_identical(rr_counts(rows[c("answer", "region", "year", "n", "weight_sum", "weight_squares")], m), wanted)
  rows$weight_min[3] <- -1
  expect_refused(rr_counts(rows, m), rr_counts(back(weights = "w"), m, effective_n = 3))
  # Several questions
  product <- rr_product(a = m, b = rr_warner(0.8))
  frame <- data.frame(b = rep(c("no", "yes"), 12), g = survey$region, a = survey$answer)
  rows <- DBI::dbGetQuery(connection, rr_query(stored(frame), product, by = "g"))
  expect_identical(rr_counts(rows, product), rr_tally(frame, product, by = "g"))
})

test_that("rows may come in any order, twice, and as 64-bit integers", {
  asked <- list(answers = "answer", keys = "region", weight = NULL, layout = "categories")
  rows <- data.frame(answer = c("some", "no", "no", "often"), region = c("s", "n", "s", "n"), n = c(4, 3, 2, 1))
  wanted <- rr_counts(rows, m)
  expect_identical(tally_answer(rows, m, asked, FALSE), wanted)
  expect_identical(tally_answer(rows[c(3, 1, 4, 2), ], m, asked, FALSE), wanted)
  halves <- rows[c(1:4, 1:4), ]
  expect_identical(tally_answer(transform(halves, n = n / 2), m, asked, FALSE), wanted)
  # Frequencies are whole, weights need not be.
  expect_refused(tally_answer(transform(rows, n = 2.5), m, c(asked, count = "people"), FALSE), refuse_times(list(n = 1, max = 3)),
                 refuse_times(list(n = 0, max = "3")), refuse_times(list(n = 0, max = FALSE)))
  expect_null(refuse_times(list(n = 0, max = 3)))
  expect_null(refuse_times(list(n = NA, max = NA)))
  # The bits of 4, 3, 2 and 1 as 64-bit integers
  low <- matrix(c(4L, 3L, 2L, 1L, 0L, 0L, 0L, 0L), 2, byrow = TRUE)
  if (.Platform$endian == "big") low <- low[2:1, ]
  rows$n <- structure(readBin(writeBin(as.vector(low), raw()), "double", 4), class = "integer64")
  expect_identical(tally_answer(rows, m, asked, FALSE), wanted)
})

test_that("one query is sent, and at most one row for each category and group comes back", {
  table <- stored(survey)
  sent <- new.env()
  sent$queries <- character()
  watched <- function(query) {
    sent$queries <- c(sent$queries, as.character(query))
    rows <- DBI::dbGetQuery(connection, query)
    expect_lte(nrow(rows), 3 * 2)
    rows
  }
  asked <- tally_query(table, m, "answer", "region", "w")
  expect_identical(tally_answer(watched(asked$sql), m, asked, FALSE), rr_tally(table, m, column = "answer", by = "region", weights = "w"))
  expect_length(gregexpr("SELECT", sent$queries)[[1]], 1L)
  expect_match(sent$queries, "GROUP BY `answer` COLLATE BINARY, `region` COLLATE BINARY$")
})

test_that("columns of one table, filtered or sorted, are grouped where they lie; what else a pipeline does comes first", {
  table <- stored(survey)
  text <- function(data, ...) as.character(rr_query(data, m, column = "answer", ...))
  plain <- "SELECT `answer`, COUNT(*) AS `n`\nFROM `reports`\nGROUP BY `answer` COLLATE BINARY"
  expect_identical(text(table), plain)
  expect_identical(text(dplyr::select(table, answer, w)), plain)
  expect_silent(sorted <- text(dplyr::arrange(table, w)))
  expect_identical(sorted, plain)
  tricky <- "it's 'GROUP BY w\nLIMIT 3"
  filtered <- dplyr::arrange(dplyr::filter(table, w > 0.5, region != tricky), w)
  expect_match(text(filtered), "FROM `reports`\nWHERE (`w` > 0.5) AND (`region` != 'it''s ''GROUP BY w\nLIMIT 3')\nGROUP BY", fixed = TRUE)
  same <- function(data, memory, ...) expect_identical(rr_tally(data, m, column = "answer", ...), rr_tally(memory, m, column = "answer", ...))
  same(filtered, survey[survey$w > 0.5, ], by = "region")
  # The schema of a table, with quotes and without.
  for (schema in list(dbplyr::in_schema("main", "reports"), dbplyr::ident_q("main.reports"))) {
    named <- dplyr::filter(dplyr::tbl(connection, schema), w > 0.5)
    expect_match(text(named), "FROM `?main`?[.]`?reports`?\nWHERE [^\n]*\nGROUP BY")
    same(named, survey[survey$w > 0.5, ], by = "region")
  }
  nested <- list(head(dplyr::arrange(table, w, answer, region, year), 9), dplyr::mutate(table, late = year > 2020L), dplyr::distinct(table),
                 dplyr::rename(table, place = region), dplyr::union_all(table, table), dplyr::filter(table, w == max(w, na.rm = TRUE)),
                 head(dplyr::filter(table, w > 0.5), 3), dplyr::tbl(connection, dplyr::sql("SELECT * FROM reports LIMIT 5")))
  for (data in nested) {
    expect_match(text(data), "FROM \\(\n", perl = TRUE)
    same(data, dplyr::collect(data), by = names(dplyr::collect(data))[2])
  }
})

test_that("names are quoted by the dialect, whatever they are", {
  odd <- 'x"; DROP TABLE reports; --'
  frame <- survey
  names(frame)[1:2] <- c('a`b"c', "it's; --")
  stored(survey)
  expect_identical(rr_tally(stored(frame, odd), m, column = 'a`b"c', by = "it's; --"), rr_tally(frame, m, column = 'a`b"c', by = "it's; --"))
  expect_true(all(c("reports", odd) %in% DBI::dbListTables(connection)))
})

test_that("the text for Spark, run on an engine that reads it, means what is meant", {
  lazy <- dbplyr::lazy_frame(answer = "", region = "", year = 1L, w = 1, con = dbplyr::simulate_hive())
  stored(survey, "df")
  text <- as.character(rr_query(lazy, m, column = "answer", by = ~ region + year, weights = "w"))
  expect_identical(rr_counts(DBI::dbGetQuery(connection, text), m), rr_tally(survey, m, column = "answer", by = ~ region + year, weights = "w"))
})

test_that("what a database gets wrong is said, and counted, by class", {
  table <- stored(survey)
  wrong <- stored(data.frame(x = c("no", "oftn", "oftn", "Some", NA), y = c(1, 1.5, 9, 9, NA), g = NA_character_,
                             w = c(1, -1, 2, 3, 4), gap = c(1, NA, 1, 1, NA), text = letters[1:5]), "wrong")
  mixed <- stored(data.frame(x = 1:3, w = 1:3), "mixed")
  DBI::dbExecute(connection, "INSERT INTO mixed VALUES ('no', 'much')")
  expect_refused(rr_tally(table, m, column = NULL), rr_tally(table, m, column = "anwser"), rr_tally(table, m, column = "answer", weights = survey$w),
                 rr_tally(dplyr::rename(table, n = region), m, column = "answer", by = "n"), rr_tally(table, rr_product(answer = m, q = m)),
                 rr_tally(table, rr_unary(3, epsilon = 1)), rr_tally(table, m, column = "answer", keep = "sets"), rr_query(survey, m),
                 suppressMessages(rr_tally(mixed, m, column = "x")), suppressMessages(rr_tally(mixed, m, column = "x", weights = "w")))
  for (by in list("regoin", survey$region, 1:24, "answer")) expect_refused(rr_tally(table, m, column = "answer", by = by))
  for (weights in c("w", "gap", "text")) expect_refused(rr_tally(wrong, m, column = "x", weights = weights))
  expect_error(rr_tally(wrong, m, column = "x", na.rm = TRUE), "x = Some", class = "candor_error_level")
  expect_refused(rr_tally(wrong, m, column = "y", na.rm = TRUE), rr_tally(wrong, rr_product(x = m, text = m), na.rm = TRUE), class = "level")
  expect_refused(rr_tally(dplyr::filter(wrong, x == "no" | is.na(x)), m, column = "x"), rr_tally(dplyr::filter(wrong, x == "no"), m, column = "x", by = "g"),
                 class = "missing")
  expect_refused(suppressMessages(rr_tally(dplyr::filter(wrong, x == "no"), m, column = "x", by = "g", na.rm = TRUE)), class = "empty")
  expect_refused(rr_tally(dbplyr::lazy_frame(answer = "", con = dbplyr::simulate_hive()), m), class = "database")
  # Reports that are all missing are none, as in memory.
  expect_message(none <- rr_tally(dplyr::filter(wrong, is.na(x)), m, column = "x", na.rm = TRUE), class = "candor_message_missing")
  expect_identical(c(none$n, none$missing), c(0, 1))
})

test_that("a connection that drops is an error, and nothing is merged", {
  other <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbWriteTable(other, "reports", survey)
  table <- dplyr::tbl(other, "reports")
  tally <- rr_tally(table, m, column = "answer")
  DBI::dbRemoveTable(other, "reports")
  expect_error(rr_tally(table, m, column = "answer"), "no such table", class = "candor_error_database")
  DBI::dbDisconnect(other)
  expect_error(tally <- c(tally, rr_tally(table, m, column = "answer")), class = "candor_error_database")
  expect_identical(tally$n, 24)
})

test_that("a connection that drops while the text is written or types are asked for is an error of its class too", {
  other <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbWriteTable(other, "bits", data.frame(who = c("a", "a", "b", "b"), site = c(1, 2, 1, 2), bit = c(0, 1, 1, 0)))
  table <- dplyr::tbl(other, "bits")
  asked <- list(function(x) rr_tally(x, rr_grr(2, 1), column = "site"), function(x) rr_cooccurrence(dplyr::select(x, bit)),
                function(x) rr_tally(x, flip = 0.1, element = "who", set = "site"))
  for (ask in asked) ask(table)
  expect_refused(rr_tally(table, flip = 0.1, element = c("who", "site"), set = "site"))
  # Some drivers quote names with the help of the server: RPostgres connects again first.
  registerS3method("sql_build", "lost_query", function(op, con, ...) stop("lost connection"), envir = asNamespace("dbplyr"))
  lost <- table
  class(lost$lazy_query) <- c("lost_query", class(lost$lazy_query))
  for (ask in asked) expect_error(ask(lost), "lost connection", class = "candor_error_database")
  DBI::dbDisconnect(other)
  for (ask in asked) expect_error(ask(table), class = "candor_error_database")
})

test_that("a column that ignores case is counted as its bytes say", {
  frame <- data.frame(answer = c("a", "a", "b", "B"), region = c("x", "X", "x", "X"), w = c(1, 2, 0.5, 4))
  DBI::dbExecute(connection, "CREATE TABLE nocase (answer TEXT COLLATE NOCASE, region TEXT COLLATE NOCASE, w REAL)")
  DBI::dbWriteTable(connection, "nocase", frame, append = TRUE)
  table <- dplyr::tbl(connection, "nocase")
  four <- rr_grr(c("a", "A", "b", "B"), epsilon = 1)
  expect_identical(rr_tally(table, four, column = "answer")$counts, c(2, 0, 1, 1))
  expect_identical(rr_tally(table, four, column = "answer", by = "region", weights = "w"),
                   rr_tally(frame, four, column = "answer", by = "region", weights = "w"))
  expect_error(rr_tally(table, rr_grr(c("a", "b", "c"), epsilon = 1), column = "answer"), "= B", class = "candor_error_level")
  text <- function(con) as.character(rr_query(dbplyr::lazy_frame(answer = "", w = 1, con = con), four, column = "answer"))
  expect_match(text(dbplyr::simulate_mysql()), "GROUP BY `answer`, CAST(`answer` AS BINARY)", fixed = TRUE)
  # SQL Server reads names in quotes, and in brackets as newer versions of dbplyr write them.
  standard <- gsub("[][]", "\"", text(dbplyr::simulate_mssql()))
  expect_match(standard, "FROM \"df\"\nGROUP BY \"answer\", CAST(\"answer\" AS VARBINARY(MAX))", fixed = TRUE)
})

test_that("a text for standard SQL quotes names as standard SQL does", {
  standard <- list(NULL, dbplyr::simulate_dbi(), dbplyr::simulate_postgres(), dbplyr::simulate_snowflake(), dbplyr::simulate_oracle())
  for (con in standard) {
    lazy <- dbplyr::lazy_frame(answer = "", "a`b\"c" = "", w = 1, con = con)
    text <- as.character(rr_query(dplyr::filter(lazy, answer != "it's `so`"), m, column = "answer", by = "a`b\"c", weights = "w"))
    expect_match(text, "GROUP BY \"answer\", \"a`b\"\"c\"", fixed = TRUE)
    expect_match(text, "(\"answer\" != 'it''s `so`')", fixed = TRUE)
    expect_no_match(gsub("'it''s `so`'|a`b", "", text), "`", fixed = TRUE)
  }
  # Engines for which a name in double quotes is a text.
  for (con in list(dbplyr::simulate_hive(), dbplyr::simulate_impala(), dbplyr::simulate_mysql(), dbplyr::simulate_access())) {
    lazy <- dbplyr::lazy_frame("a`b\"c" = "", w = 1, con = con)
    text <- as.character(rr_query(dplyr::filter(lazy, `a\`b"c` != "it's \"so\""), m, column = "a`b\"c", weights = "w"))
    expect_match(text, "^SELECT\\s+`a``b\"c`,")
    expect_match(text, "FROM `df`\nWHERE \\(`a``b\"c` (!=|<>) ('it''s \"so\"'|\"it's \"\"so\"\"\")\\)\nGROUP BY `a``b\"c`")
  }
  # SQLite reads both; the text means what is meant.
  stored(survey, "df")
  lazy <- dbplyr::lazy_frame(answer = "", region = "", w = 1, con = dbplyr::simulate_postgres())
  rows <- DBI::dbGetQuery(connection, as.character(rr_query(lazy, m, column = "answer", by = "region", weights = "w")))
  expect_identical(rr_counts(rows, m), rr_tally(survey, m, column = "answer", by = "region", weights = "w"))
})

test_that("numbers of reports are those that a data frame may have", {
  counts <- list(c(2, 3), c(2L, 3L), c(0, 4), c(0, 0), c(2^53, 0), c(2.5, 2.5), c("2", "3"), c("2.0", "3"), c(1e300, 1), c(2^53 + 2, 0), c(-1, 2), c(1, NA))
  mechanism <- rr_warner(0.8)
  for (n in counts) {
    data <- data.frame(x = c("no", "yes"), people = n)
    read <- function(data) tryCatch(rr_tally(data, mechanism, column = "x", count = "people"), candor_error_argument = function(e) "refused")
    expect_identical(read(stored(data)), read(data), label = toString(n))
  }
})

test_that("a table without rows is tallied as a data frame without rows is", {
  empty <- dplyr::filter(stored(survey), FALSE)
  for (by in list(NULL, "region")) for (weights in list(NULL, "w")) {
    expect_identical(rr_tally(empty, m, column = "answer", by = by, weights = weights), rr_tally(survey[0, ], m, column = "answer", by = by, weights = weights))
    expect_error(rr_estimate(empty, m, column = "answer", by = by, weights = weights), class = "candor_error_empty")
  }
  nobody <- dplyr::filter(stored(data.frame(x = c("no", "yes"), people = 2:3)), FALSE)
  expect_identical(rr_tally(nobody, rr_warner(0.8), column = "x", count = "people")$counts, c(0, 0))
  protocols <- list(list(rr_unary(3, 1), data.frame(id = 1:2, level = 1:2)), list(rr_unary(c("a", "b"), 1), data.frame(a = 0:1, b = 0:1)),
                    list(rr_hadamard(3, 1), data.frame(x = 1:2)), list(rr_mean(c(0, 1), 1), data.frame(x = c(0, 1))))
  for (one in protocols) {
    expect_identical(rr_tally(dplyr::filter(stored(one[[2]]), FALSE), one[[1]])$counts, numeric(length(one[[1]]$reports)))
  }
})

test_that("a report that came again under its identifier counts once, in SQL as in memory", {
  set.seed(31)
  sent <- data.frame(id = sprintf("u%03d", 1:60), answer = sample(m$levels, 60, TRUE), region = rep(c("n", "s"), 30), w = rep(c(0.5, 1, 2), 20))
  sent$id[2] <- "U001"
  again <- sent[c(1:60, 5, 9, 9, 40), ]
  for (arguments in list(list(), list(by = "region"), list(by = ~region, weights = "w"))) {
    tally <- function(x, ...) do.call(rr_tally, c(list(x, m, column = "answer"), arguments, list(...)))
    expect_message(counted <- tally(stored(again), id = "id"), "4 reports that came again", class = "candor_message_copies")
    suppressMessages(expect_identical(counted, tally(again, id = "id")))
    expect_identical(counted, tally(sent))
    expect_no_message(expect_identical(tally(stored(sent), id = ~id), tally(sent)))
  }
  # Upper and lower case differ. A filter comes first; one column that is left holds the reports.
  expect_identical(suppressMessages(rr_tally(dplyr::select(dplyr::filter(stored(again), region == "n"), id, answer), m, id = "id")),
                   rr_tally(sent[sent$region == "n", ], m, column = "answer"))
  # Of copies in two groups the first group in their order counts.
  days <- data.frame(id = c("a", "a", "b"), answer = "no", day = c("2026-02-02", "2026-02-01", "2026-02-02"))
  expect_identical(suppressMessages(rr_tally(stored(days), m, column = "answer", by = "day", id = "id"))$n, c(1, 1))
  # A missing report that came again is one missing report.
  hole <- again
  hole$answer[hole$id == "u009"] <- NA
  expect_identical(suppressMessages(rr_tally(stored(hole), m, column = "answer", id = "id", na.rm = TRUE))$missing, 1)
  bits <- rr_unary(4, epsilon = 2)
  reports <- data.frame(id = c(1:40, 7), bits = as.character(rr_perturb(rep(1:4, 10), bits, rng = "R"))[c(1:40, 7)])
  expect_identical(suppressMessages(rr_tally(stored(reports), bits, column = "bits", id = "id")), rr_tally(reports[1:40, ], bits, column = "bits"))
})

test_that("identifiers of different reports, or none, are refused", {
  frame <- data.frame(id = c("a", "a", "b", "b", "c", "c", "d", "d"), answer = c("no", "some"))
  error <- expect_error(rr_tally(stored(frame), m, column = "answer", id = "id"), class = "candor_error_argument")
  expect_match(conditionMessage(error), "and 1 more")
  for (empty in list(NA, "", "  ")) {
    expect_refused(rr_tally(stored(transform(frame[1:2, ], id = c("a", empty))), m, column = "answer", id = "id"))
  }
  half <- data.frame(id = c("a", "a"), answer = c("no", NA))
  expect_refused(rr_tally(stored(half), m, column = "answer", id = "id", na.rm = TRUE), rr_tally(stored(half), m, column = "answer", id = "x"),
                 rr_tally(stored(data.frame(id = 1, level = 2)), rr_unary(4, epsilon = 2), id = "id"))
})

test_that("sums of weights are numbers of weights that are finite, at least 0 and there", {
  sums <- data.frame(n = c(2, 1), weight_sum = c(3, 0), weight_squares = c(5, 0), weight_missing = 0, weight_min = c(1, 0), weight_max = c(2, 0))
  expect_identical(weight_columns(sums), as.list(sums))
  expect_identical(weight_columns(sums[3:1]), as.list(sums[1:3]))
  expect_null(weight_columns(sums[c("n", "weight_sum")]))
  expect_null(weight_columns(sums[c("weight_sum", "weight_squares")]))
  wrong <- list(weight_min = -1, weight_min = NA_real_, weight_max = Inf, weight_squares = Inf, weight_missing = 0:1, weight_sum = c("3", "0"),
                weight_squares = factor(5:6))
  for (i in seq_along(wrong)) expect_refused(weight_columns(replace(sums, names(wrong)[i], wrong[i])))
  # No rows have no sums, whatever the type of their column.
  none <- sums[0, ]
  none$weight_sum <- logical()
  expect_identical(weight_columns(none)$weight_sum, numeric())
})

test_that("numbers of copies in a database: identifiers that are blank or of different reports are refused, copies told", {
  told <- function(blank, differing, rows, ids) {
    inform <- with_calls(inform_stored_copies, run_query = function(data, query, n) query)
    queries <- list(numbers = data.frame(n_blank = blank, n_differing = differing, n_rows = rows, n_ids = ids), differing = data.frame(id = c("a", "b")))
    messages <- testthat::capture_messages(inform(NULL, queries))
    as.integer(sub("\\D*(\\d+).*", "\\1", messages))
  }
  expect_identical(told(0, 0, 7, 7), integer())
  expect_identical(told(0, 0, 9, 7), 2L)
  expect_identical(told(0L, 0L, 8L, 7L), 1L)
  # No rows have no sums.
  expect_identical(told(NA_real_, NA_real_, 0, 0), integer())
  expect_identical(told(0, 0, NA_real_, 0), integer())
  expect_refused(told(1, 0, 9, 7), told(0, 1, 9, 7), told(0, 2, 9, 9))
})

test_that("numbers of reports of a database are whole, and its errors keep their class", {
  expect_no_error(refuse_times(data.frame(max = c(5), n = 0)))
  expect_no_error(refuse_times(data.frame(max = NA_real_, n = NA_real_)))
  expect_refused(refuse_times(data.frame(max = 5, n = 1)), refuse_times(data.frame(max = "5", n = 0)))
  expect_error(from_database(stop("lost")), class = "candor_error_database")
  expect_error(from_database(abort("No report is left.", "empty")), class = "candor_error_empty")
  expect_identical(from_database(7), 7)
  expect_refused(from_database(warning("Column `a`: mixed type, first seen")))
  expect_warning(from_database(warning("slow")), "slow")
})

test_that("a wrong report beyond the first thousand is found too", {
  unary <- rr_unary(4, 1)
  bits <- rep(c("01", "03"), 600)
  expect_identical(rr_tally(stored(data.frame(b = bits)), unary, column = "b")$counts, c(1200, 600, 0, 0))
  expect_error(rr_tally(stored(data.frame(b = replace(bits, 1200, "13"))), unary, column = "b"), class = "candor_error_report")
  expect_error(rr_tally(stored(data.frame(b = replace(bits, 2, "13"))), unary, column = "b"), class = "candor_error_report")
})

test_that("rows of a query with the same keys are added up, and numbers of reports in them are whole", {
  query <- list(layout = "categories", answers = "answer", keys = "g", count = NULL, weight = NULL)
  rows <- data.frame(answer = c("no", "often", "no", NA, "some"), g = c("v", "u", "v", "u", "u"), n = c(3L, 2L, 4L, 5L, 1L))
  tally <- function(rows, query, na.rm = TRUE) suppressMessages(tally_answer(rows, m, query, na.rm))
  whole <- tally(rows, query)
  expect_identical(unname(whole$counts), cbind(c(0, 1, 2), c(7, 0, 0)))
  expect_identical(unclass(whole)[c("n", "missing")], list(n = c(3, 7), missing = 5))
  expect_null(whole$weight_squares)
  expect_error(tally(rows, query, FALSE), class = "candor_error_missing")
  expect_identical(tally(rows[-4, ], query, FALSE)$counts, whole$counts)
  counted <- replace(query, "count", "times")
  expect_identical(tally(rows, counted)$counts, whole$counts)
  expect_refused(tally(transform(rows, n = c(3, 2.5, 4, 5, 1)), counted))
  expect_error(tally(transform(rows, answer = c("no", "never", "no", NA, "some")), query), class = "candor_error_level")
  weighted <- cbind(rows, weight_sum = c(6, 2.5, 4, 9, 1), weight_squares = c(14, 4, 4, 20, 1))
  sums <- tally(weighted, replace(query, "weight", "w"))
  expect_identical(unname(sums$counts), cbind(c(0, 1, 2.5), c(10, 0, 0)))
  expect_identical(unclass(sums)[c("n", "weight_squares", "respondents", "missing")],
    list(n = c(3.5, 10), weight_squares = c(5, 18), respondents = c(3, 7), missing = 5))
})

test_that("sums of bits are added to the counts of their group, and rows of missing reports are dropped", {
  unary <- rr_unary(c("a", "b"), 1)
  rows <- data.frame(reports_missing = c(0, 1, 0, 0), reports_wrong = c(0, 1, 0, 0), a = c(3, NA, 1, 2), b = c(5, NA, 0, 1))
  query <- list(layout = "text", sums = c("a", "b"), answers = "x", keys = "g")
  times <- c(5, 2, 4, 3)
  count <- function(groups, na.rm = TRUE, r = rows) count_answer(r, unary, query, times, groups, NULL, na.rm)[c("counts", "dropped")]
  expect_identical(count(NULL), list(counts = c(6, 6), dropped = 2L))
  expect_equal(count(c(2L, 1L, 1L, 2L)), list(counts = cbind(c(1, 0), c(5, 6)), dropped = 2L), ignore_attr = TRUE)
  expect_error(count(NULL, FALSE), class = "candor_error_missing")
  expect_error(count(NULL, r = transform(rows, reports_wrong = c(0, 0, 2, 0))), class = "candor_error_report")
  # Without a wrong report it does not matter how many are missing.
  expect_identical(count_answer(rows[-2, ], unary, query, times[-2], NULL, NULL, FALSE)$counts, c(6, 6))
  expect_identical(count_answer(rows[-2, ], unary, query, times[-2], NULL, NULL, FALSE)$dropped, integer())
  pairs <- rr_product(u = rr_warner(0.8), v = rr_warner(0.7))
  answered <- data.frame(u = c("no", "yes", NA, "no"), v = c("yes", "yes", "no", NA))
  both <- list(layout = "categories", answers = c("u", "v"))
  counted <- count_answer(answered, pairs, both, times, c(1L, 2L, 2L, 1L), times, TRUE)
  expect_identical(counted$dropped, 3:4)
  expect_equal(counted$counts, cbind(c(0, 0, 5, 0), c(0, 0, 0, 2)), ignore_attr = TRUE)
  wrong <- transform(answered[1:2, ], v = c("maybe", "yes"))
  bad <- expect_error(count_answer(wrong, pairs, both, times[1:2], NULL, times[1:2], FALSE), class = "candor_error_level")
  expect_match(conditionMessage(bad), "maybe.*5 times")
})
