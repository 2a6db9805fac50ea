# The truth is memory: what an engine adds up of the protocols' reports is what rr_tally() counts of the reports themselves.

stored <- database_of_tests("reports")
connection <- environment(stored)$connection

set.seed(20)
n <- 250
answers <- sample(9, n, TRUE)
region <- sample(c("n", "s"), n, TRUE)
# Weights that are sums of few powers of two: their sums are exact in every order.
w <- sample(c(0.5, 1, 2), n, TRUE)

# What tells clients that do not randomize is counted in memory alone.
in_memory <- function(...) {
  tally <- rr_tally(...)
  tally$witness <- NULL
  tally
}

# Alone, and by group with the weights, where there are any.
expect_same <- function(frame, reports, mechanism, ..., weights = TRUE) {
  table <- stored(frame)
  plain <- dplyr::select(table, !dplyr::any_of(c("region", "w")))
  engine <- rr_tally(plain, mechanism, ...)
  expect_equal(engine, in_memory(reports, mechanism))
  if (!weights) return(expect_same_groups(table, reports, mechanism, ...))
  expect_equal(rr_tally(table, mechanism, ..., by = "region", weights = "w"), in_memory(reports, mechanism, by = list(region = region), weights = w))
  expect_identical(rr_estimate(engine, method = "inv")$estimate, rr_estimate(rr_tally(reports, mechanism), method = "inv")$estimate)
}

expect_same_groups <- function(table, reports, mechanism, ...) {
  engine <- rr_tally(dplyr::select(table, !dplyr::any_of("w")), mechanism, ..., by = "region")
  expect_equal(engine, in_memory(reports, mechanism, by = list(region = region)))
}

test_that("numbers are a GROUP BY: Hadamard responses, one bit of them, hash values, cohorts, questions and depths", {
  cases <- list(rr_hadamard(9, 1), rr_hadamard(9, 2, blocks = 3), rr_hadamard(9, 1, one_bit = TRUE), rr_local_hash(9, 1),
                rr_local_hash(9, 1, cohorts = 5), rr_hierarchy(9, 1, fanout = 3))
  for (mechanism in cases) {
    reports <- rr_perturb(answers, mechanism, rng = "R")
    frame <- if (is.data.frame(reports)) as.data.frame(reports) else data.frame(report = reports)
    expect_same(cbind(frame, region = region, w = w), reports, mechanism, weights = !inherits(mechanism, "rr_hierarchy"))
    text <- rr_query(dplyr::tbl(connection, "reports"), mechanism, column = if (length(frame) == 1) "report", by = "region")
    expect_match(text, "GROUP BY")
    # The engine sends what is different, not what is there.
    expect_identical(nrow(DBI::dbGetQuery(connection, as.character(text))), nrow(unique(cbind(frame, region))))
  }
})

test_that("bits are sums: of columns, and of hexadecimal text", {
  for (k in c(3, 8, 20)) {
    labels <- c("some", "many \"odd\"", LETTERS)[seq_len(k)]
    # Sets of a fixed size are bits as others are, and checked for their size.
    for (mechanism in c(list(rr_unary(labels, 1)), if (k == 20) list(rr_subset(labels, 1, size = 2)))) {
      reports <- rr_perturb(labels[(answers - 1) %% k + 1], mechanism, rng = "R")
      packed <- candor:::new_rr_reports(candor:::report_sets(mechanism, reports), k)
      bits <- stats::setNames(as.data.frame(as.matrix(packed)), labels)
      expect_same(cbind(bits, region = region, w = w), reports, mechanism)
      hex <- as.character(packed)
      hex[1:9] <- toupper(hex[1:9])
      expect_same(data.frame(hex = hex, region = region, w = w), reports, mechanism, column = "hex")
      if (k == 8) for (form in list(bits, data.frame(hex = hex))) {
        expect_same_groups(stored(cbind(form, region = region)), reports, mechanism, column = if (length(form) == 1) "hex")
      }
    }
  }
  # In blocks of their own: hashed reports may also be stored as what they support.
  text <- rr_query(dplyr::tbl(connection, "reports"), mechanism, column = "hex")
  expect_match(text, "SUM")
  back <- DBI::dbGetQuery(connection, as.character(text))
  expect_identical(nrow(back), 1L)
  expect_equal(rr_counts(unlist(back[mechanism$levels]), mechanism, n = back$n), rr_tally(reports, mechanism))
})

test_that("a long table is a GROUP BY of its levels, with the number of reports", {
  for (mechanism in list(rr_unary(letters[1:9], 1), rr_subset(letters[1:9], 1, size = 3), rr_unary(9, 3))) {
    reports <- rr_perturb(mechanism$levels[answers], mechanism, rng = "R")
    bits <- as.matrix(candor:::new_rr_reports(candor:::report_sets(mechanism, reports), 9))
    level <- if (is.null(mechanism$numeric_levels)) mechanism$levels else seq_len(9)
    long <- data.frame(id = row(bits)[bits == 1], level = level[col(bits)[bits == 1]])
    empty <- setdiff(seq_len(n), long$id)
    if (length(empty)) long <- rbind(long, data.frame(id = empty, level = NA))
    long$region <- region[long$id]
    expect_same(long, reports, mechanism, weights = FALSE)
    # In memory the same: a report counts once, whatever its rows.
    expect_equal(rr_tally(long[c("id", "level")], mechanism), rr_tally(reports, mechanism))
    grouped <- rr_tally(long, mechanism, by = "region")
    expect_equal(grouped$n, as.vector(table(region)[as.character(grouped$groups$region)]))
  }
})

test_that("NULLs and what is no report are found by the same query", {
  unary <- rr_unary(letters[1:3], 1)
  subset <- rr_subset(letters[1:4], 1, size = 2)
  hash <- rr_local_hash(3, 1)
  bits <- data.frame(a = c(0L, 1L, NA, 1L), b = c(1L, 1L, 0L, 0L), c = 0L)
  expect_message(tally <- rr_tally(stored(bits), unary, na.rm = TRUE), "1 missing", class = "candor_message_missing")
  expect_identical(tally$counts, c(2, 2, 0))
  expect_identical(c(tally$n, tally$missing), c(3, 1))
  expect_refused(rr_tally(stored(bits), unary), rr_tally(stored(data.frame(a = c(0L, 2L), b = 1L, c = 0L)), unary),
                 rr_tally(stored(data.frame(a = c(0L, 1L), b = 1L, c = 0L, d = 0L)), subset),
                 rr_tally(stored(data.frame(x = c("01", "0f", "zz", "011"))), unary), rr_tally(stored(data.frame(x = c("03", "01"))), subset), class = NULL)
})

test_that("dBitFlip: positions, bits of the buckets and long tables are sums and counts", {
  for (mechanism in list(rr_bitflip(letters[1:9], 2, d = 3), rr_bitflip(9, 1), rr_bitflip(9, 2, d = 2, buckets = 4))) {
    b <- mechanism$buckets
    d <- mechanism$d
    reports <- rr_perturb(if (b == 9) mechanism$levels[answers] else answers, mechanism, rng = "R")
    signed <- as.matrix(reports)
    positions <- stats::setNames(as.data.frame(signed), paste0("position_", seq_len(d)))
    # As engines return them, in any order within a report
    positions <- positions[sample(d)]
    names(positions) <- paste0("position_", seq_len(d))
    bits <- matrix(NA_integer_, n, b)
    bits[cbind(as.vector(row(signed)), abs(as.vector(signed)))] <- as.integer(signed > 0)
    wide <- stats::setNames(as.data.frame(bits), mechanism$levels)
    long <- data.frame(id = as.vector(row(signed)), level = mechanism$levels[abs(signed)], bit = as.integer(signed > 0))
    for (form in list(positions, wide, long)) {
      # In memory the same
      expect_identical(unclass(rr_reports(form, mechanism)), unclass(reports))
      expect_equal(rr_tally(form, mechanism), rr_tally(reports, mechanism))
      rows <- if (nrow(form) == n) seq_len(n) else form$id
      expect_same(cbind(form, region = region[rows], w = w[rows]), reports, mechanism, weights = is.null(form$id))
    }
  }
  # One bit a report: a column of any name
  mechanism <- rr_bitflip(9, 1)
  reports <- rr_perturb(answers, mechanism, rng = "R")
  expect_same(data.frame(what = as.vector(as.matrix(reports)), region = region, w = w), reports, mechanism, column = "what")
  back <- DBI::dbGetQuery(connection, as.character(rr_query(dplyr::tbl(connection, "reports"), mechanism, column = "what")))
  expect_identical(nrow(back), 1L)
  expect_equal(rr_counts(unlist(back[mechanism$reports]), mechanism, n = back$n), rr_tally(reports, mechanism))
})

test_that("RAPPOR and the count-mean sketch: bits by cohort are sums, long tables counts, signs a GROUP BY", {
  pages <- letters[1:9]
  cases <- list(rr_bloom(pages, 2, bits = 11, hashes = 2, cohorts = 3), rr_bloom(pages, 4, bits = 16, hashes = 1, cohorts = 1),
                rr_count_mean_sketch(2, width = 10, functions = 4))
  # How bits were randomized is nothing to who counts them.
  cases <- c(cases, extended(NULL, list(rr_bloom(pages, f = 0.2, p = 0.3, q = 0.8, bits = 8, hashes = 3, cohorts = 5))))
  for (mechanism in cases) {
    answer <- pages[answers]
    reports <- if (isTRUE(mechanism$memoised)) rr_perturb(answer, mechanism, rng = "R", memory = list())$reports else rr_perturb(answer, mechanism, rng = "R")
    matrix <- as.matrix(reports$bits)
    hex <- data.frame(cohort = reports$cohort, bits = as.character(reports$bits))
    wide <- cbind(cohort = reports$cohort, stats::setNames(as.data.frame(matrix), paste0("bit_", seq_len(ncol(matrix)))))
    long <- data.frame(id = row(matrix)[matrix == 1], level = col(matrix)[matrix == 1])
    empty <- setdiff(seq_len(n), long$id)
    if (length(empty)) long <- rbind(long, data.frame(id = empty, level = NA))
    long <- data.frame(id = long$id, cohort = reports$cohort[long$id], level = long$level)
    blobs <- data.frame(cohort = reports$cohort)
    blobs$bits <- as.list(reports$bits)
    for (form in list(hex, wide, long, blobs)) {
      expect_equal(rr_tally(form, mechanism), rr_tally(reports, mechanism))
      if (nrow(form) == n) expect_equal(rr_reports(form, mechanism), as.data.frame(reports))
      if (is.list(form$bits)) next
      rows <- if (nrow(form) == n && is.null(form$id)) seq_len(n) else form$id
      table <- stored(cbind(form, region = region[rows], w = w[rows]))
      expect_equal(rr_tally(dplyr::select(table, !dplyr::any_of(c("region", "w"))), mechanism), rr_tally(reports, mechanism))
      expect_equal(rr_tally(dplyr::select(table, !dplyr::any_of("w")), mechanism, by = "region"), in_memory(reports, mechanism, by = list(region = region)))
      if (is.null(form$id)) {
        expect_equal(rr_tally(table, mechanism, by = "region", weights = "w"), in_memory(reports, mechanism, by = list(region = region), weights = w))
      }
    }
    # A row a cohort, whatever the number of reports
    expect_identical(nrow(DBI::dbGetQuery(connection, as.character(rr_query(stored(hex), mechanism)))), as.integer(mechanism$cohorts))
  }
  mechanism <- rr_count_mean_sketch(2, width = 10, functions = 4, one_bit = TRUE)
  reports <- rr_perturb(pages[answers], mechanism, rng = "R")
  table <- stored(cbind(as.data.frame(reports), region = region, w = w))
  expect_equal(rr_tally(table, mechanism, by = "region", weights = "w"), rr_tally(reports, mechanism, by = list(region = region), weights = w))
})

test_that("numbers whose mean is wanted are two sums", {
  for (protocol in c("duchi", "piecewise", "hybrid")) {
    mechanism <- rr_mean(c(-3, 21), 1, protocol)
    reports <- rr_perturb(answers, mechanism, rng = "R")
    frame <- data.frame(hours = reports, region = region, w = w)
    table <- stored(frame)
    counted <- rr_tally(frame, mechanism, column = "hours", by = "region", weights = "w")
    alone <- rr_tally(reports, mechanism)
    counted$witness <- alone$witness <- NULL
    expect_equal(rr_tally(table, mechanism, column = "hours", by = "region", weights = "w"), counted)
    expect_equal(rr_tally(dplyr::select(table, "hours"), mechanism), alone)
    expect_error(rr_tally(stored(data.frame(x = c(reports[1:3], 1e4))), mechanism), class = "candor_error_report")
    expect_error(rr_tally(stored(data.frame(x = c(reports[1:3], NA))), mechanism), class = "candor_error_missing")
  }
  expect_error(rr_tally(stored(data.frame(x = c(0, 9))), rr_mean(c(0, 9), 1, "duchi")), class = "candor_error_report")
})

test_that("many categories: engines count how deep an expression is", {
  mechanism <- rr_unary(1200, 2)
  reports <- rr_perturb(rep(1:4, 5), mechanism, rng = "R")
  wide <- stats::setNames(as.data.frame(as.matrix(reports)), mechanism$levels)
  expect_equal(rr_tally(stored(wide), mechanism), rr_tally(reports, mechanism))
  subset <- rr_subset(1100, 1, size = 300)
  reports <- rr_perturb(rep(1:4, 2), subset, rng = "R")
  packed <- candor:::new_rr_reports(candor:::report_sets(subset, reports), 1100)
  expect_equal(rr_tally(stored(data.frame(x = as.character(packed))), subset), rr_tally(reports, subset))
})

test_that("wrong and missing reports of positions, cohorts and numbers", {
  flip <- rr_bitflip(letters[1:4], 1, d = 2)
  bloom <- rr_bloom(letters[1:4], 2, bits = 8, hashes = 2, cohorts = 3)
  flips <- function(...) stored(data.frame(...))
  expect_message(tally <- rr_tally(flips(position_1 = c(1L, NA, -4L), position_2 = c(-2L, 2L, 3L)), flip, na.rm = TRUE), "1 missing")
  expect_identical(tally$counts, c(1, 0, 1, 0, 0, 1, 0, 1))
  expect_message(tally <- rr_tally(flips(cohort = c(1, 2, NA), bits = c("01", NA, "ff")), bloom, na.rm = TRUE), "2 missing")
  expect_identical(c(tally$n, tally$missing), c(1, 2))
  expect_message(again <- rr_tally(data.frame(cohort = c(1, 2, NA), bits = c("01", NA, "ff")), bloom, na.rm = TRUE), "2 missing")
  expect_equal(again, tally)
  expect_refused(rr_tally(flips(position_1 = c(1L, 2L), position_2 = c(-2L, -2L)), flip),
                 rr_tally(flips(position_1 = c(1L, 5L), position_2 = c(-2L, 0L)), flip),
                 rr_tally(flips(position_1 = c(1L, NA), position_2 = c(-2L, 1L)), flip), rr_tally(flips(a = c(1L, 1L), b = c(0L, 2L), c = NA, d = NA), flip),
                 rr_tally(flips(a = c(1L, 1L), b = c(0L, 1L), c = c(NA, 0L), d = NA), flip), class = NULL)
})

test_that("a long table that is written to while it is tallied gives counts and respondents of one moment", {
  subset <- rr_subset(letters[1:9], 1, size = 3)
  reports <- rr_perturb(letters[answers], subset, rng = "R")
  bits <- as.matrix(candor:::new_rr_reports(candor:::report_sets(subset, reports), 9))
  long <- data.frame(id = row(bits)[bits == 1], level = letters[col(bits)[bits == 1]])
  table <- stored(long)
  expected <- rr_tally(reports, subset)
  # Another 100 reports, each with its 3 rows, arrive after every query.
  arrive <- function() DBI::dbExecute(connection, "INSERT INTO reports SELECT id + (SELECT MAX(id) FROM reports), level FROM reports WHERE id <= 100")
  watched <- function(...) {
    rows <- run_query(...)
    arrive()
    rows
  }
  counting <- with_calls(rr_tally.tbl_lazy, run_query = watched)
  tally <- counting(table, subset)
  expect_identical(sum(tally$counts), 3 * tally$n)
  expect_identical(tally$counts, expected$counts)
  expect_length(rr_query(table, subset), 1)
})

test_that("an engine that reads a long table twice, at two moments, is found out", {
  unary <- rr_unary(letters[1:3], 1)
  asked <- tally_query(stored(data.frame(id = c(1, 1, 2, 3), level = c("a", "b", "c", NA))), unary, NULL, NULL, NULL)
  rows <- DBI::dbGetQuery(connection, asked$sql)
  expect_identical(tally_answer(rows, unary, asked, FALSE)$counts, c(1, 1, 1))
  at <- which(rows$level == "c")
  rows$n[at] <- rows$n[at] + 1
  expect_error(tally_answer(rows, unary, asked, FALSE), "must not change while it is counted", class = "candor_error_database")
})

test_that("ids and levels of a long table, and the groups of bits, are told apart by their letters' case", {
  unary <- rr_unary(c("a", "A"), 1)
  frame <- data.frame(id = c("r", "R", "R", "s"), level = c("a", "A", "a", NA))
  DBI::dbExecute(connection, "CREATE TABLE longer (id TEXT COLLATE NOCASE, level TEXT COLLATE NOCASE)")
  DBI::dbWriteTable(connection, "longer", frame, append = TRUE)
  expect_identical(rr_tally(dplyr::tbl(connection, "longer"), unary), rr_tally(frame, unary))
  expect_identical(rr_tally(dplyr::tbl(connection, "longer"), unary)$counts, c(2, 1))
  bits <- data.frame(a = c(1L, 0L, 1L), A2 = c(0L, 1L, 1L), region = c("x", "X", "x"))
  DBI::dbExecute(connection, "CREATE TABLE wider (a INT, A2 INT, region TEXT COLLATE NOCASE)")
  DBI::dbWriteTable(connection, "wider", bits, append = TRUE)
  two <- rr_unary(c("a", "A2"), 1)
  expect_equal(rr_tally(dplyr::tbl(connection, "wider"), two, by = "region"), rr_tally(bits, two, by = "region"))
})

test_that("an error shows up to three wrong reports and their rule, before the long query if the first rows have one", {
  bits <- rr_unary(4, epsilon = 2)
  wrong <- c("zz", "8", "0x", "80")
  tables <- list(rep(c("00", wrong), 10), c(rep("00", 1200), wrong))
  for (x in tables) {
    table <- stored(data.frame(bits = x))
    error <- expect_error(rr_tally(table, bits, column = "bits"), class = "candor_error_report")
    message <- conditionMessage(error)
    shown <- vapply(wrong, function(text) grepl(sprintf("\"%s\"", text), message, fixed = TRUE), NA)
    expect_identical(sum(shown), 3L)
    expect_match(message, "2 hexadecimal digits")
    # Only the long query knows how many are wrong.
    expect_match(message, if (length(x) > 1000) "4 of 1,204" else "first reports")
  }
  error <- expect_error(rr_tally(stored(data.frame(id = c(1, 1, 2), level = c(1, 1, 2))), bits), class = "candor_error_report")
  expect_match(conditionMessage(error), "Among them: \"1\"")
  error <- expect_error(rr_tally(stored(data.frame(id = c(1, 1, 2), level = c(1, 9, 2))), bits), class = "candor_error_report")
  expect_match(conditionMessage(error), "Among them: \"9\"")
})

test_that("an empty text among the reports of a database is told, with the way out", {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "uploads", data.frame(bits = c("80", "", "c0")))
  error <- expect_error(rr_tally(dplyr::tbl(connection, "uploads"), rr_unary(3, 1), column = "bits"), class = "candor_error_report")
  expect_match(conditionMessage(error), "empty text")
})

test_that("numbers may lie beyond the ends of their range by a millionth of it; of two numbers each is one or the other", {
  read <- function(x, mechanism) rr_tally(stored(data.frame(x = x)), mechanism)$counts
  mechanism <- rr_mean(c(-3, 21), 1, "piecewise")
  ends <- mechanism$codec$range
  unit <- 1e-6 * diff(ends)
  for (off in list(c(-1.1, 0), c(0, 1.1))) expect_error(read(ends + off * unit, mechanism), class = "candor_error_report")
  # Shares of the range and their squares: 0, 1 and a third.
  expect_equal(read(c(ends + c(-0.9, 0.9) * unit, ends[1] + diff(ends) / 3), mechanism)[1:2], 1 + c(1 / 3, 1 / 9), tolerance = 1e-5)
  mechanism <- rr_mean(c(-3, 21), 1, "duchi")
  ends <- mechanism$codec$range
  unit <- 1e-6 * diff(ends)
  expect_identical(read(ends + c(0.9, -0.9) * unit, mechanism), rep(1, length(mechanism$reports)))
  for (off in list(c(1.1, 0), c(0, -1.1))) expect_error(read(ends + off * unit, mechanism), class = "candor_error_report")
})

test_that("a row of a long table in a database needs its id, cohort, level and bit", {
  flip <- rr_bitflip(letters[1:4], 1, d = 1)
  bloom <- rr_bloom(letters[1:4], 2, bits = 8, hashes = 2, cohorts = 3)
  rows <- function(...) stored(data.frame(...))
  expect_identical(rr_tally(rows(id = 1:2, level = c("a", "d"), bit = 1:0), flip)$counts, c(1, 0, 0, 0, 0, 0, 0, 1))
  # The bits of each cohort, then how many reports it has.
  expect_identical(rr_tally(rows(id = c(1, 1, 2), cohort = c(2, 2, 3), level = c(1, 8, NA)), bloom)$counts, c(rep(0, 9), 1, rep(0, 6), 1, 1, rep(0, 8), 1))
  expect_refused(rr_tally(rows(id = 1:2, level = c("a", "d"), bit = 1:2), flip), rr_tally(rows(id = 1:2, level = c("a", "d"), bit = c(1, NA)), flip),
                 rr_tally(rows(id = c(1, 1), level = c("a", "d"), bit = 1:0), flip), rr_tally(rows(id = c(1, NA), level = c("a", "d"), bit = 1:0), flip),
                 rr_tally(rows(id = 1:2, cohort = c(2, NA), level = 1:2), bloom), rr_tally(rows(id = 1:2, cohort = c(2, 4), level = 1:2), bloom),
                 rr_tally(rows(id = c(1, 1), cohort = c(2, 2), level = c(3, 3)), bloom), rr_tally(rows(id = 1, cohort = 1, level = 9), bloom),
                 rr_tally(rows(cohort = 0, bits = "01"), bloom), class = "report")
})
