# The text of queries, piece by piece, as SQL has it; what it counts is in test-tally-query-sets.R and test-tally-database.R.

skip_if_not_installed("dbplyr")
engine <- function(class) structure(list(), class = c(class, "TestConnection", "DBIConnection"))

test_that("conditions are joined in groups of 30, so that none is deep", {
  expect_identical(any_of(c("a", "b", "c")), "a OR b OR c")
  expect_identical(join_sql(letters[1:3], "+"), "a + b + c")
  terms <- sprintf("t%d", 1:31)
  expect_identical(any_of(terms), paste0("(", paste(terms[1:30], collapse = " OR "), ") OR (t31)"))
  expect_identical(any_of(terms[1:30]), paste(terms[1:30], collapse = " OR "))
  # 30 * 30 + 1 terms are three levels.
  deep <- any_of(sprintf("t%d", 1:901))
  expect_identical(max(cumsum(c(`(` = 1, `)` = -1)[regmatches(deep, gregexpr("[()]", deep))[[1]]])), 2)
  expect_identical(lengths(regmatches(deep, gregexpr("t[0-9]+", deep))), 901L)
  expect_identical(one_if("x"), "CASE WHEN x THEN 1 ELSE 0 END")
})

test_that("a select with groups, conditions and sums; long lists have a line each", {
  plain <- structure(list(), class = "DBIConnection")
  quote <- function(names, connection) sprintf("\"%s\"", names)
  text <- function(keys, sums, ...) {
    exact <- function(values, connection) if (inherits(connection, "SQLiteConnection")) paste(values, "X") else values
    as.character(with_calls(select_text, quote_names = quote, exact_values = exact)(keys, sums, ...))
  }
  expect_identical(text(c("a", "b"), c(n = "COUNT(*)"), "t", connection = plain), "SELECT a, b, COUNT(*) AS \"n\"\nFROM t\nGROUP BY a, b")
  expect_identical(text(character(), c(n = "COUNT(*)"), "t", c("x > 1", "y"), plain), "SELECT COUNT(*) AS \"n\"\nFROM t\nWHERE (x > 1) AND (y)")
  expect_identical(text("a", c(n = "N"), "t", connection = engine("SQLiteConnection")), "SELECT a, N AS \"n\"\nFROM t\nGROUP BY a X")
  # 80 characters fit on a line.
  key <- strrep("k", 80 - nchar("SELECT , N AS \"n\""))
  expect_match(text(key, c(n = "N"), "t", connection = plain), sprintf("^SELECT %s, N AS", key))
  expect_match(text(paste0(key, "k"), c(n = "N"), "t", connection = plain), "^SELECT\n  k+,\n  N AS")
})

test_that("bytes are compared, by the words of each engine", {
  expect_identical(exact_values("a", engine("SQLiteConnection")), "a COLLATE BINARY")
  for (class in c("MariaDBConnection", "MySQLConnection", "MySQL")) expect_identical(exact_values("a", engine(class)), "CAST(a AS BINARY)")
  expect_identical(exact_values("a", engine("Microsoft SQL Server")), "CAST(a AS VARBINARY(MAX))")
  expect_identical(exact_values("a", engine("PqConnection")), "a")
})

test_that("bits of hexadecimal text: the first digit of a byte has its upper four bits", {
  words <- list(character_at = function(position) sprintf("c%d", position))
  bit <- function(j, text) {
    sql <- sql_bit(j, words)
    position <- as.integer(sub(".*WHEN c([0-9]+) IN.*", "\\1", sql))
    digits <- strsplit(gsub("'", "", sub(".*IN \\((.*)\\) THEN.*", "\\1", sql)), ", ")[[1]]
    as.integer(substr(text, position, position) %in% digits)
  }
  # 0xa7 has the bits 1, 1, 1, 0, 0, 1, 0, 1 from the lowest on, and 0x1F in capitals five ones.
  expect_identical(vapply(0:15, bit, 0L, "a71F"), c(1L, 1L, 1L, 0L, 0L, 1L, 0L, 1L, 1L, 1L, 1L, 1L, 1L, 0L, 0L, 0L))
  expect_identical(sql_digits(c("a", "1")), "'a', '1', 'A'")
})

test_that("positions, drawn bits and numbers as SQL: what is added, missing and wrong", {
  flip <- rr_bitflip(3, 1, d = 2)
  codec <- stored_codec(flip)
  sql <- sql_positions(flip, codec, c("p", "q"))
  expect_identical(unname(sql$sums), c(one_if(c("p = 1 OR q = 1", "p = 2 OR q = 2", "p = 3 OR q = 3", "p = -1 OR q = -1", "p = -2 OR q = -2",
    "p = -3 OR q = -3"))))
  expect_identical(sql$missing, "p IS NULL OR q IS NULL")
  expect_identical(sql$wrong, "abs(p) NOT IN (1, 2, 3) OR abs(q) NOT IN (1, 2, 3) OR abs(p) = abs(q)")
  drawn <- sql_drawn(flip, codec, c("a", "b", "c"))
  expect_identical(unname(drawn$sums), one_if(c("a = 1", "b = 1", "c = 1", "a = 0", "b = 0", "c = 0")))
  count <- paste(one_if(c("a IS NOT NULL", "b IS NOT NULL", "c IS NOT NULL")), collapse = " + ")
  expect_identical(drawn$missing, sprintf("(%s) = 0", count))
  expect_identical(drawn$wrong, sprintf("a NOT IN (0, 1) OR b NOT IN (0, 1) OR c NOT IN (0, 1) OR (%s) <> 2", count))
  faults <- long_faults(c("r", "e", "d", "id"), list(width = 3))
  expect_identical(faults, c(empty = "e > 0", wrong = "e > 0 AND r > 1", twice = "d < r - e", lost = "id IS NULL"))
  expect_identical(long_faults(c("r", "e", "d", "id"), list(ones = 2, width = 3))[["wrong"]], "e > 0 OR r <> 2")
  expect_identical(free_names(c("n", "x"), c("n", "m")), c("n_1", "x"))
  expect_error(check_free_names(c("a", "n"), c("n", "m")), class = "candor_error_argument")
  expect_error(check_free_names(c("a", "b"), c("n", "m")), NA)
})

test_that("a table of positions and a table of drawn bits have queries of their own, and a cohort splits the bits beside it", {
  table <- dbplyr::lazy_frame(p = 1L, con = dbplyr::simulate_sqlite())
  flip <- rr_bitflip(3, 1, d = 2)
  codec <- stored_codec(flip)
  expect_identical(sql_sums(table, flip, "positions", c("p", "q")), sql_positions(flip, codec, c("`p`", "`q`")))
  expect_identical(sql_sums(table, flip, "bits", c("a", "b", "c")), sql_drawn(flip, codec, c("`a`", "`b`", "`c`")))
  bloom <- rr_bloom(3, 1, bits = 4, cohorts = 2)
  sql <- sql_sums(table, bloom, "bits", c("cohort", paste0("bit_", 1:4)))
  expect_identical(sql$sums, setNames(sprintf("`bit_%d`", 1:4), paste0("bit_", 1:4)))
  expect_identical(sql$missing, "`cohort` IS NULL OR (`bit_1` + `bit_2` + `bit_3` + `bit_4`) IS NULL")
  expect_identical(sql$wrong, paste(sprintf("(`bit_%d` <> 0 AND `bit_%d` <> 1)", 1:4, 1:4), collapse = " OR "))
  expect_identical(sql$split, "cohort")
  unary <- sql_sums(table, rr_unary(2, 1), "bits", c("a", "b"))
  expect_identical(unary, list(sums = c(`1` = "`a`", `2` = "`b`"), missing = "(`a` + `b`) IS NULL",
    wrong = "(`a` <> 0 AND `a` <> 1) OR (`b` <> 0 AND `b` <> 1)"))
  # A subset has as many ones as its size.
  expect_match(sql_sums(table, rr_subset(3, 1, size = 2), "bits", c("a", "b", "c"))$wrong, "(`a` + `b` + `c`) <> 2", fixed = TRUE)
  # A number is missing where its column is, and its sums are those of its share of the range.
  mean <- sql_sums(table, rr_mean(c(0, 4), 1, protocol = "duchi"), "number", "p")
  expect_identical(mean$missing, "`p` IS NULL")
})

test_that("names get the quotes of their engine, whatever quotes dbplyr simulates, and texts stay", {
  renamed <- function(query, quote, class) {
    quoted <- function(names, connection) paste0(quote, names, quote)
    as.character(with_calls(engine_names, quote_names = quoted)(dbplyr::sql(query), engine(class)))
  }
  # Names a`b"c and n, and texts that hold quotes of both kinds.
  standard <- "SELECT \"a`b\"\"c\", \"n\" WHERE \"n\" = 'it''s \"so\"' OR 'x`y' = \"n\""
  backticks <- "SELECT `a``b\"c`, `n` WHERE `n` = 'it''s \"so\"' OR 'x`y' = `n`"
  for (class in c("Hive", "Impala", "Spark SQL", "ACCESS", "MySQLConnection", "MariaDBConnection", "SQLiteConnection")) {
    expect_identical(renamed(standard, "\"", class), backticks)
    expect_identical(renamed(backticks, "`", class), backticks)
  }
  expect_identical(renamed(backticks, "`", "PqConnection"), standard)
  expect_identical(renamed(standard, "\"", "PqConnection"), standard)
  # SQL Server's brackets, and the quotes of a connection that is none of a simulation, stay.
  expect_identical(renamed("SELECT [a`b]", "[", "Microsoft SQL Server"), "SELECT [a`b]")
  real <- structure(list(), class = c("PqConnection", "DBIConnection"))
  expect_identical(with_calls(engine_names, quote_names = function(names, connection) "`x`")("SELECT `x`", real), "SELECT `x`")
})
