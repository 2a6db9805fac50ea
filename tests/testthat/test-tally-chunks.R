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

test_that("quoted lines, blank lines and other encodings are read as read.csv() reads them", {
  file <- withr::local_tempfile(fileext = ".csv")
  writeLines(c("answer,note", "a,\"two", "lines, here\"", "", "b,\"\"", "c,x", "", ""), file)
  expect_identical(rr_tally_chunks(file, grr, column = "answer", rows = 1)$counts, c(1, 1, 1))
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
  expect_message(twice <- rr_tally_chunks(in_turn(parts[c(1, 2, 2, 3, 1)]), grr, column = "answer", label = label), "2 chunks",
                 class = "candor_message_chunks")
  expect_identical(twice$counts, rr_tally(people$answer[people$batch <= 3], grr)$counts)
  expect_identical(twice$chunks, c("1", "2", "3"))
  # Also where they were counted in another session, or by another collector.
  expect_message(more <- rr_tally_chunks(in_turn(parts[3:4]), grr, column = "answer", label = label, onto = twice), "1 chunk ")
  expect_identical(more$chunks, as.character(1:4))
  expect_error(c(more, twice), class = "candor_error_mismatch")
  expect_output(print(more), "from 4 labelled chunks")
  # A failed chunk is not among the labels, and an empty one is not either.
  bad <- transform(parts[[5]], answer = "zebra")
  cnd <- expect_error(rr_tally_chunks(in_turn(list(parts[[4]][0, ], parts[[6]], bad)), grr, column = "answer", label = function(chunk) c(chunk$batch, 4)[1]),
                      class = "candor_error_chunk")
  expect_identical(cnd$tally$chunks, "6")
  expect_error(rr_tally_chunks(in_turn(parts), grr, column = "answer", label = function(chunk) chunk$batch), "one text",
               class = "candor_error_chunk")
  # Groups that were cut out no longer say which chunks they hold.
  grouped <- rr_tally_chunks(in_turn(parts), grr, column = "answer", by = "region", label = label)
  expect_null(grouped["2"]$chunks)
  expect_identical(c(grouped["2"], grouped["01"])$counts, grouped$counts)
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
