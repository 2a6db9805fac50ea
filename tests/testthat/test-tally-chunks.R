# A function that gives these chunks, one after the other.
in_turn <- function(chunks) {
  i <- 0
  function() {
    i <<- i + 1
    if (i <= length(chunks)) chunks[[i]]
  }
}

grr <- rr_grr(c("a", "b", "c"), epsilon = 1)

some_people <- function(n = 1000) {
  set.seed(5)
  data.frame(answer = sample(c("a", "b", "c"), n, TRUE), region = sample(c("01", "2"), n, TRUE), w = runif(n),
             batch = rep(1:10, length.out = n))
}

test_that("chunks add up to the tally of the whole", {
  people <- some_people()
  parts <- split(people, people$batch)
  expect_identical(rr_tally_chunks(in_turn(lapply(parts, `[[`, "answer")), grr), rr_tally(people$answer, grr))
  whole <- rr_tally(people, grr, column = "answer", by = "region", weights = "w")
  by_chunk <- rr_tally_chunks(in_turn(parts), grr, column = ~answer, by = ~region, weights = ~w)
  # Sums of weights in another order: their roundings may differ.
  expect_equal(by_chunk, whole, tolerance = 1e-14)
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  rows <- data.frame(a = c(0, 1, 1, 0), b = c(1, 1, 0, 0))
  expect_identical(rr_tally_chunks(in_turn(list(rows[1:3, ], rows[0, ], rows[4, ])), survey), rr_tally(rows, survey))
  unary <- rr_unary(5, epsilon = 1)
  reports <- rr_perturb(rep(1:5, 20), unary, rng = "R")
  expect_identical(rr_tally_chunks(in_turn(list(reports[1:30], reports[31:100])), unary, keep = "sets")$counts, rr_tally(reports, unary)$counts)
  first <- rr_tally_chunks(in_turn(parts[1:4]), grr, column = "answer")
  expect_identical(rr_tally_chunks(in_turn(parts[5:10]), grr, column = "answer", onto = first), rr_tally(people$answer, grr))
})

test_that("a file is read block by block, from any connection, with the same result", {
  people <- some_people()
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(people, file, row.names = FALSE)
  whole <- rr_tally(people, grr, column = "answer", by = "region", weights = "w")
  # 1000 rows are 10 blocks, or one and a part, or less than one: also where the last block is full.
  for (rows in c(1, 100, 999, 1000, 1001)) {
    tally <- rr_tally_chunks(file, grr, column = "answer", by = "region", weights = "w", rows = rows)
    expect_equal(tally, whole, tolerance = 1e-13)
  }
  zipped <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(zipped, "wt")
  write.table(people, con, sep = ";", dec = ",", row.names = FALSE)
  close(con)
  expect_equal(rr_tally_chunks(gzfile(zipped), grr, column = "answer", by = "region", weights = ~w, rows = 300, csv = list(sep = ";", dec = ",")),
               whole, tolerance = 1e-14)
  # A connection that is open stays open, and begins where it stands.
  con <- file(file, "rt")
  readLines(con, 1)
  expect_error(rr_tally_chunks(con, grr, column = "answer"), class = "candor_error_chunk")
  expect_true(isOpen(con))
  close(con)
  # Codes with leading zeros are text; numbers where somebody says so.
  expect_identical(names(rr_tally_chunks(file, grr, column = "answer", by = "region")), c("01", "2"))
  numbers <- rr_tally_chunks(file, grr, column = "answer", by = "batch", csv = list(colClasses = c(batch = "integer")))
  expect_identical(numbers$groups$batch, 1:10)
  # No connection is left open.
  before <- nrow(showConnections())
  try(rr_tally_chunks(file, grr, column = "nowhere"), silent = TRUE)
  rr_tally_chunks(file, grr, column = "answer")
  expect_identical(nrow(showConnections()), before)
})

test_that("blank lines and other encodings are read as read.csv() reads them; a field of two lines is refused", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("answer,note", "a,\"two, three\"", "", "b,\"\"", "c,\"say \"\"x\"\"\"", "", ""), file)
  expect_identical(rr_tally_chunks(file, grr, column = "answer", rows = 1)$counts, c(1, 1, 1))
  writeLines(c("answer,note", "", "a,\"two", "lines, here\"", "b,x"), file)
  for (rows in c(1, 2, 3, 100)) {
    expect_error(rr_tally_chunks(file, grr, column = "answer", rows = rows), "[Ll]ine 3 ", class = "candor_error_chunk")
  }
  umlaut <- rr_grr(c("j\u00e4", "n\u00f6"), epsilon = 1)
  writeBin(c(charToRaw("answer\nj"), as.raw(0xe4), charToRaw("\nn"), as.raw(0xf6), charToRaw("\nn"), as.raw(0xf6), charToRaw("\n")), file)
  expect_identical(rr_tally_chunks(file, umlaut, rows = 2, csv = list(fileEncoding = "latin1"))$counts, c(1, 2))
})

test_that("a failed chunk counts nothing, and the error carries what was counted before", {
  chunks <- list(c("a", "b"), c("c", "c"), c("a", "zebra"), c("a", "a"))
  cnd <- expect_error(rr_tally_chunks(in_turn(chunks), grr), "zebra", class = "candor_error_chunk")
  expect_s3_class(cnd, "candor_error_level")
  expect_identical(cnd$tally, rr_tally(c("a", "b", "c", "c"), grr))
  expect_identical(cnd$chunk, 3)
  expect_s3_class(cnd$cause, "candor_error_level")
  # Mended, the work goes on.
  expect_identical(rr_tally_chunks(in_turn(chunks[4]), grr, onto = cnd$tally)$counts, c(3, 1, 2))
  # A connection that drops.
  i <- 0
  drops <- function() {
    i <<- i + 1
    if (i == 3) stop("connection reset by peer")
    "a"
  }
  cnd <- expect_error(rr_tally_chunks(drops, grr), "connection reset", class = "candor_error_chunk")
  expect_identical(cnd$tally$n, 2)
  cnd <- expect_error(rr_tally_chunks(in_turn(list("zebra")), grr), class = "candor_error_chunk")
  expect_null(cnd$tally)
  # A row that was cut off, a weight that is no number, a missing report.
  file <- withr::local_tempfile(fileext = ".csv")
  for (last in c("c", "c,x", ",1")) {
    writeLines(c("answer,w", "a,1", "b,1", last), file)
    cnd <- expect_error(rr_tally_chunks(file, grr, column = "answer", weights = "w", rows = 2), class = "candor_error_chunk")
    expect_identical(cnd$tally$n, 2)
  }
})

test_that("a chunk that comes twice is counted once", {
  people <- some_people()
  parts <- split(people, people$batch)
  label <- function(chunk) chunk$batch[1]
  once <- rr_tally_chunks(in_turn(parts[1:2]), grr, column = "answer", label = label)
  cnd <- expect_message(twice <- rr_tally_chunks(in_turn(parts[c(2, 3, 1)]), grr, column = "answer", label = label, onto = once), "2 chunks",
                        class = "candor_message_chunks")
  expect_match(conditionMessage(cnd), "2, 1")
  expect_identical(twice$counts, rr_tally(people$answer[people$batch <= 3], grr)$counts)
  expect_identical(twice$chunks, c("1", "2", "3"))
  # Also where they were counted in another session, or by another collector.
  expect_message(more <- rr_tally_chunks(in_turn(parts[3:4]), grr, column = "answer", label = label, onto = twice), "1 chunk ")
  expect_identical(more$chunks, as.character(1:4))
  expect_error(c(more, twice), class = "candor_error_mismatch")
  expect_output(print(more), "with the labels of 4 chunks")
  expect_output(print(rr_tally_chunks(in_turn(parts[1]), grr, column = "answer", label = label)), "with the label of 1 chunk\n")
  # A failed chunk is not among the labels, and an empty one is not either.
  bad <- transform(parts[[5]], answer = "zebra")
  cnd <- expect_error(rr_tally_chunks(in_turn(list(parts[[4]][0, ], parts[[6]], bad)), grr, column = "answer", label = function(chunk) c(chunk$batch, 4)[1]),
                      class = "candor_error_chunk")
  expect_identical(cnd$tally$chunks, "6")
  expect_error(rr_tally_chunks(in_turn(parts), grr, column = "answer", label = function(chunk) chunk$batch), "one text",
               class = "candor_error_chunk")
  # Groups that were cut out keep the labels: they may hold any of the chunks. Different groups share no report.
  grouped <- rr_tally_chunks(in_turn(parts), grr, column = "answer", by = "region", label = label)
  expect_identical(grouped["2"]$chunks, as.character(1:10))
  expect_error(c(grouped, grouped["2"]), class = "candor_error_mismatch")
  expect_error(c(grouped["2"], grouped["2"]), class = "candor_error_mismatch")
  expect_error(c(grouped["2", drop = TRUE], grouped["01", drop = TRUE]), class = "candor_error_mismatch")
  expect_identical(c(grouped["2"], grouped["01"]), grouped)
  expect_message(rr_tally_chunks(in_turn(parts[1]), grr, column = "answer", by = "region", label = label, onto = grouped["2"]), "1 chunk ")
})

test_that("a label that comes twice in one run is an error that names it", {
  people <- some_people()
  file <- withr::local_tempfile(fileext = ".csv")
  people$day <- rep(c("monday", "tuesday"), c(300, 700))
  write.csv(people, file, row.names = FALSE)
  day <- function(chunk) chunk$day[1]
  cnd <- expect_error(rr_tally_chunks(file, grr, column = "answer", label = day, rows = 300),
                      "\"tuesday\" is the label of chunk 2 as well", class = "candor_error_chunk")
  expect_identical(cnd$tally$chunks, c("monday", "tuesday"))
  expect_identical(cnd$chunk, 3)
  # To go on with this tally does not lose the others either.
  expect_error(suppressMessages(rr_tally_chunks(file, grr, column = "answer", label = day, rows = 300, onto = cnd$tally)),
               "tuesday", class = "candor_error_chunk")
})

test_that("a label is the same text whatever its type", {
  labelled <- function(label) rr_tally_chunks(in_turn(list("a")), grr, label = function(chunk) label)$chunks
  expect_identical(labelled(1e5), "100000")
  expect_identical(labelled(100000L), "100000")
  expect_identical(labelled("100000"), "100000")
  expect_identical(labelled(1e15), "1000000000000000")
  expect_identical(labelled(-0), "0")
  expect_identical(labelled(0.1), "0.1")
  expect_identical(labelled(0.1 + 0.2), "0.30000000000000004")
  expect_identical(labelled(as.Date("2026-01-01")), "2026-01-01")
  expect_identical(labelled(structure(20454L, class = "Date")), "2026-01-01")
  expect_identical(labelled(factor("x")), "x")
  noon <- as.POSIXct("2026-03-29 12:00:00", tz = "UTC")
  expect_identical(labelled(noon), "2026-03-29 12:00:00 UTC")
  expect_identical(labelled(as.POSIXct("2026-03-29 12:00", tz = "America/New_York")), "2026-03-29 16:00:00 UTC")
  expect_identical(labelled(noon + 0.25), "2026-03-29 12:00:00.25 UTC")
  expect_identical(labelled(noon + 0.75), "2026-03-29 12:00:00.75 UTC")
  expect_identical(labelled(as.POSIXct(-0.5, origin = "1970-01-01", tz = "UTC")), "1969-12-31 23:59:59.5 UTC")
  expect_error(labelled("caf\xe9"), "not valid", class = "candor_error_chunk")
  expect_error(labelled(TRUE), "one text", class = "candor_error_chunk")
})

test_that("what write.csv() makes of the reports of each protocol is read", {
  set.seed(8)
  x <- sample(9, 60, TRUE)
  words <- sample(c("home", "work"), 60, TRUE)
  numbers <- runif(60, 0, 9)
  protocols <- list(rr_grr(9, epsilon = 1), rr_unary(9, 1), rr_subset(9, 1), rr_local_hash(9, 1), rr_local_hash(9, 1, cohorts = 4), rr_hadamard(9, 1),
                    rr_hadamard(9, 1, one_bit = TRUE), rr_bitflip(9, 1, d = 3), rr_bloom(9, 1, bits = 16, cohorts = 4), rr_hierarchy(9, 1),
                    rr_hierarchy(9, 1, oracle = rr_unary), rr_hierarchy(9, 1, oracle = rr_local_hash), rr_mean(c(0, 9), 1), rr_mean(c(0, 9), 4, "piecewise"),
                    rr_sketch_counts(1, 32, 4), rr_sketch_counts(1, 32, 4, one_bit = TRUE), rr_prefixes(1, c(2, 3), 32, 4))
  file <- withr::local_tempfile(fileext = ".csv")
  for (m in protocols) {
    answers <- if (inherits(m, c("rr_sketch_counts", "rr_prefixes"))) words else if (inherits(m, "rr_mean")) numbers else x
    reports <- rr_perturb(answers, m, rng = "R")
    table <- if (is.data.frame(reports)) reports else data.frame(report = if (inherits(reports, "rr_reports")) as.character(reports) else reports)
    write.csv(table, file, row.names = FALSE)
    # Sums of numbers in another order, and 15 digits in the file.
    expect_equal(rr_tally_chunks(file, m, rows = 25)$counts, rr_tally(reports, m)$counts, tolerance = 1e-12, info = format(m))
  }
  # A field that is no number.
  m <- rr_local_hash(9, 1)
  write.csv(transform(rr_perturb(x, m), slope = replace(as.character(slope), 27, "abc")), file, row.names = FALSE)
  expect_error(rr_tally_chunks(file, m, rows = 25), "Report 2 has slope", class = "candor_error_chunk")
})

test_that("types of columns are those that were given, or refused", {
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(data.frame(day = c(1, 2, 10), answer = c("a", "b", "c")), file, row.names = FALSE)
  types <- function(classes) rr_tally_chunks(file, grr, column = "answer", by = "day", csv = list(colClasses = classes))$groups$day
  expect_identical(types(c("integer", "character")), c(1L, 2L, 10L))
  expect_identical(types(c(day = "numeric")), c(1, 2, 10))
  expect_identical(types(NULL), c("1", "10", "2"))
  for (classes in list(NA, c("integer", NA), c(day = "integer", "character"), list("integer"))) {
    expect_error(types(classes), "colClasses", class = "candor_error_argument")
  }
  before <- nrow(showConnections())
  try(types(NA), silent = TRUE)
  expect_identical(nrow(showConnections()), before)
})

test_that("a file that was cut off stops the work, or is told of", {
  file <- withr::local_tempfile(fileext = ".csv")
  m <- rr_local_hash(9, 1)
  write.csv(data.frame(slope = c(5, 6, 7), shift = c(10, 11, 12), value = c(1, 2, 1)), file, row.names = FALSE)
  whole <- readBin(file, "raw", 1e4)
  cut <- function(bytes, rows) {
    writeBin(whole[seq_len(length(whole) - bytes)], file)
    rr_tally_chunks(file, m, rows = rows)$n
  }
  for (rows in c(1, 2, 3, 100)) {
    expect_identical(cut(0, rows), 3)
    # Only the end of the line is missing; then the last field, and then its comma.
    expect_warning(expect_identical(cut(1, rows), 3), "end of a line", class = "candor_warning_file")
    expect_error(suppressWarnings(cut(2, rows)), class = "candor_error_chunk")
    expect_error(suppressWarnings(cut(3, rows)), class = "candor_error_chunk")
  }
  con <- base::file(file)
  expect_warning(cut(1, 2), class = "candor_warning_file")
  expect_warning(rr_tally_chunks(con, m), class = "candor_warning_file")
  # Inside of quotes, in a short block and in a long one; lines of other systems and encodings end as well.
  for (rows in list("\"b", c("a", "\"b"), c(rep("a", 8), "\"b"))) {
    writeLines(c("answer", rows), file)
    expect_error(rr_tally_chunks(file, grr), class = "candor_error_chunk")
  }
  writeBin(charToRaw("answer\r\na\r\nb\r\n"), file)
  expect_no_warning(expect_identical(rr_tally_chunks(file, grr)$n, 2))
  writeBin(iconv("answer\na\nb\n", "UTF-8", "UTF-16LE", toRaw = TRUE)[[1]], file)
  expect_no_warning(expect_identical(rr_tally_chunks(file, grr, csv = list(fileEncoding = "UTF-16LE"))$n, 2))
})

test_that("memory does not grow with the number of chunks", {
  # Each chunk takes 0.8 MB as text, so that a hundred kept would be 80 MB. The collector runs at every fifth: what may be
  # added is what it has not yet taken away.
  peak <- function(number) {
    i <- 0
    next_chunk <- function() if (i < number) {
      i <<- i + 1
      if (i %% 5 == 0) gc()
      sample(c("a", "b", "c"), 1e5, TRUE)
    }
    gc(reset = TRUE)
    rr_tally_chunks(next_chunk, grr)
    sum(gc()[, 6])
  }
  peak(2)
  expect_lt(peak(100) - peak(5), 15)
})

test_that("arguments are refused with a reason", {
  one <- function() in_turn(list("a"))
  expect_error(rr_tally_chunks(1, grr), class = "candor_error_argument")
  expect_error(rr_tally_chunks("nowhere.csv", grr), class = "candor_error_file")
  expect_error(rr_tally_chunks(one(), 1), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, label = "x"), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, by = 1:3), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, weights = 1), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, column = "x"), "data frames", class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, rows = 0), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, onto = 1), class = "candor_error_argument")
  expect_error(rr_tally_chunks(one(), grr, onto = rr_counts(1:3, rr_grr(c("a", "b", "c"), epsilon = 2))), class = "candor_error_mismatch")
  expect_error(rr_tally_chunks(one(), grr, onto = rr_tally("a", grr, by = "x")), class = "candor_error_mismatch")
  expect_error(rr_tally_chunks(one(), grr, mispelt = 1), "mispelt", class = "candor_error_argument")
  expect_error(rr_tally_chunks(in_turn(list()), grr), class = "candor_error_empty")
  file <- withr::local_tempfile()
  for (lines in list(character(), "answer", c("answer", ""))) {
    writeLines(lines, file)
    expect_error(rr_tally_chunks(file, grr), class = "candor_error_empty")
  }
  writeLines(c("answer", "a"), file)
  expect_error(rr_tally_chunks(file, grr, csv = list(1)), class = "candor_error_argument")
  expect_error(rr_tally_chunks(file, grr, csv = list(header = FALSE)), class = "candor_error_argument")
  expect_error(rr_tally_chunks(file, grr, csv = list(colClasses = c(b = "integer"))), class = "candor_error_argument")
  expect_identical(rr_tally_chunks(file, grr, progress = TRUE)$counts, c(1, 0, 0))
})

test_that("stray quotes neither lose a row nor count one twice", {
  file <- withr::local_tempfile(fileext = ".csv")
  rows <- paste0(c("a", "b", "c"), ",", 1:999)
  expect_refused <- function(rows, line, size) {
    writeLines(c("x,g", rows), file)
    setTimeLimit(elapsed = 20, transient = TRUE)
    on.exit(setTimeLimit())
    cnd <- expect_error(rr_tally_chunks(file, grr, column = "x", rows = size), sprintf("[Ll]ine %d ", line), class = "candor_error_chunk")
    # What was counted before are whole chunks.
    expect_identical(sum(0, cnd$tally$n), (line - 2) %/% size * size)
  }
  for (size in c(100, 1e5)) {
    # Never closed, in the first row and further down
    for (at in c(1, 3, 7, 150)) expect_refused(replace(rows, at, "a,\"1"), at + 1, size)
    # Two inch marks, far apart and in one block
    expect_refused(replace(rows, c(100, 250), paste0(rows[c(100, 250)], "\"")), 101, size)
    expect_refused(replace(rows, c(220, 250), paste0(rows[c(220, 250)], "\"")), 221, size)
  }
})

test_that("weights in quotes are numbers, and so are reports written with an exponent", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("\"x\",\"w\"", "\"a\",\"1.5\"", "\"b\",\"2\""), file)
  expect_identical(rr_tally_chunks(file, grr, column = "x", weights = "w")$counts, c(1.5, 2, 0))
  writeLines(c("x;w", "a;\"1,5\"", "b;2"), file)
  expect_identical(rr_tally_chunks(file, grr, column = "x", weights = ~ w, csv = list(sep = ";", dec = ","))$counts, c(1.5, 2, 0))
  writeLines(c("x,w", "a,much"), file)
  expect_error(rr_tally_chunks(file, grr, column = "x", weights = "w"), class = "candor_error_chunk")
  # data.table::fwrite() of c(200000, 1, 200000)
  writeLines(c("x", "2e+05", "1", "2e+05"), file)
  tally <- rr_tally_chunks(file, rr_grr(2e5, epsilon = 1))
  expect_identical(tally$counts[c(1, 2e5)], c(1, 2))
})

test_that("a file without a header does not lose its first report", {
  file <- withr::local_tempfile(fileext = ".csv")
  for (case in list(list(grr, c("a", "b", "c")), list(rr_hadamard(9, 1), c("5", "7", "0")), list(rr_unary(9, 1), c("0501", "0100")))) {
    writeLines(case[[2]], file)
    expect_error(rr_tally_chunks(file, case[[1]]), sprintf("\"%s\"", case[[2]][1]), class = "candor_error_chunk")
  }
  # Who names the column knows its name.
  writeLines(c("a", "b", "c"), file)
  expect_identical(rr_tally_chunks(file, grr, column = "a")$counts, c(0, 1, 1))
})
