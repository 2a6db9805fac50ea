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
  data.frame(answer = sample(c("a", "b", "c"), n, TRUE), region = sample(c("01", "2"), n, TRUE), w = runif(n), batch = rep(1:10, length.out = n))
}

test_that("chunks add up to the tally of the whole", {
  people <- some_people()
  parts <- split(people, people$batch)
  expect_identical(rr_tally(in_turn(lapply(parts, `[[`, "answer")), grr), rr_tally(people$answer, grr))
  whole <- rr_tally(people, grr, column = "answer", by = "region", weights = "w")
  by_chunk <- rr_tally(in_turn(parts), grr, column = ~answer, by = ~region, weights = ~w)
  # Sums of weights in another order: their roundings may differ.
  expect_equal(by_chunk, whole, tolerance = 1e-14)
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  rows <- data.frame(a = c(0, 1, 1, 0), b = c(1, 1, 0, 0))
  expect_identical(rr_tally(in_turn(list(rows[1:3, ], rows[0, ], rows[4, ])), survey), rr_tally(rows, survey))
  unary <- rr_unary(5, epsilon = 1)
  reports <- rr_perturb(rep(1:5, 20), unary, rng = "R")
  expect_identical(rr_tally(in_turn(list(reports[1:30], reports[31:100])), unary, keep = "sets")$counts, rr_tally(reports, unary)$counts)
  first <- rr_tally(in_turn(parts[1:4]), grr, column = "answer")
  expect_identical(rr_tally(in_turn(parts[5:10]), grr, column = "answer", onto = first), rr_tally(people$answer, grr))
})

test_that("a failed chunk counts nothing, and the error carries what was counted before", {
  chunks <- list(c("a", "b"), c("c", "c"), c("a", "zebra"), c("a", "a"))
  cnd <- expect_error(rr_tally(in_turn(chunks), grr), "zebra", class = "candor_error_chunk")
  expect_s3_class(cnd, "candor_error_level")
  expect_identical(cnd$tally, rr_tally(c("a", "b", "c", "c"), grr))
  expect_identical(cnd$chunk, 3)
  expect_s3_class(cnd$cause, "candor_error_level")
  # Mended, the work goes on.
  expect_identical(rr_tally(in_turn(chunks[4]), grr, onto = cnd$tally)$counts, c(3, 1, 2))
  # A connection that drops.
  i <- 0
  drops <- function() {
    i <<- i + 1
    if (i == 3) stop("connection reset by peer")
    "a"
  }
  cnd <- expect_error(rr_tally(drops, grr), "connection reset", class = "candor_error_chunk")
  expect_identical(cnd$tally$n, 2)
  cnd <- expect_error(rr_tally(in_turn(list("zebra")), grr), class = "candor_error_chunk")
  expect_null(cnd$tally)
})

test_that("a chunk that comes twice is counted once", {
  people <- some_people()
  parts <- split(people, people$batch)
  label <- function(chunk) chunk$batch[1]
  once <- rr_tally(in_turn(parts[1:2]), grr, column = "answer", label = label)
  cnd <- expect_message(twice <- rr_tally(in_turn(parts[c(2, 3, 1)]), grr, column = "answer", label = label, onto = once), "2 chunks",
                        class = "candor_message_chunks")
  expect_match(conditionMessage(cnd), "2, 1")
  expect_identical(twice$counts, rr_tally(people$answer[people$batch <= 3], grr)$counts)
  expect_identical(twice$chunks, c("1", "2", "3"))
  # Also where they were counted in another session, or by another collector.
  expect_message(more <- rr_tally(in_turn(parts[3:4]), grr, column = "answer", label = label, onto = twice), "1 chunk ")
  expect_identical(more$chunks, as.character(1:4))
  expect_error(c(more, twice), class = "candor_error_mismatch")
  # A failed chunk is not among the labels, and an empty one is not either.
  bad <- transform(parts[[5]], answer = "zebra")
  cnd <- expect_error(rr_tally(in_turn(list(parts[[4]][0, ], parts[[6]], bad)), grr, column = "answer", label = function(chunk) c(chunk$batch, 4)[1]),
                      class = "candor_error_chunk")
  expect_identical(cnd$tally$chunks, "6")
  expect_error(rr_tally(in_turn(parts), grr, column = "answer", label = function(chunk) chunk$batch), "one text", class = "candor_error_chunk")
  # Groups that were cut out keep the labels: they may hold any of the chunks. Different groups share no report.
  grouped <- rr_tally(in_turn(parts), grr, column = "answer", by = "region", label = label)
  expect_identical(grouped["2"]$chunks, as.character(1:10))
  expect_refused(c(grouped, grouped["2"]), c(grouped["2"], grouped["2"]), c(grouped["2", drop = TRUE], grouped["01", drop = TRUE]), class = "mismatch")
  expect_identical(c(grouped["2"], grouped["01"]), grouped)
  expect_message(rr_tally(in_turn(parts[1]), grr, column = "answer", by = "region", label = label, onto = grouped["2"]), "1 chunk ")
})

test_that("a label that comes twice in one run is an error that names it", {
  people <- some_people()
  people$day <- rep(c("monday", "tuesday"), c(300, 700))
  parts <- split(people, rep(1:4, each = 300)[1:1000])
  day <- function(chunk) chunk$day[1]
  cnd <- expect_error(rr_tally(in_turn(parts), grr, column = "answer", label = day), "\"tuesday\"", class = "candor_error_chunk")
  expect_identical(cnd$tally$chunks, c("monday", "tuesday"))
  expect_identical(cnd$chunk, 3)
  # To go on with this tally does not lose the others either.
  expect_error(suppressMessages(rr_tally(in_turn(parts), grr, column = "answer", label = day, onto = cnd$tally)), "tuesday", class = "candor_error_chunk")
})

test_that("a label is the same text whatever its type", {
  labelled <- function(label) rr_tally(in_turn(list("a")), grr, label = function(chunk) label)$chunks
  noon <- as.POSIXct("2026-03-29 12:00:00", tz = "UTC")
  texts <- list(list(1e5, "100000"), list(100000L, "100000"), list("100000", "100000"), list(1e15, "1000000000000000"), list(-0, "0"), list(0.1, "0.1"),
                list(0.1 + 0.2, "0.30000000000000004"), list(as.Date("2026-01-01"), "2026-01-01"), list(structure(20454L, class = "Date"), "2026-01-01"),
                list(factor("x"), "x"), list(noon, "2026-03-29 12:00:00 UTC"), list(noon + 0.25, "2026-03-29 12:00:00.25 UTC"),
                list(as.POSIXct("2026-03-29 12:00", tz = "America/New_York"), "2026-03-29 16:00:00 UTC"),
                list(as.POSIXct(-0.5, origin = "1970-01-01", tz = "UTC"), "1969-12-31 23:59:59.5 UTC"))
  for (one in texts) expect_identical(labelled(one[[1]]), one[[2]])
  expect_refused(labelled("caf\xe9"), labelled(TRUE), class = "chunk")
})

test_that("memory does not grow with the number of chunks", {
  # Each chunk takes 0.8 MB as text, so that forty kept would be 32 MB. The collector runs at every fifth, for what is young:
  # what may be added is what it has not yet taken away.
  peak <- function(number) {
    i <- 0
    next_chunk <- function() if (i < number) {
      i <<- i + 1
      if (i %% 5 == 0) gc(full = FALSE)
      sample(c("a", "b", "c"), 1e5, TRUE)
    }
    gc(reset = TRUE)
    rr_tally(next_chunk, grr)
    sum(gc()[, 6])
  }
  # Once for what is loaded when it is first needed.
  rr_tally("a", grr)
  expect_lt(peak(40) - peak(5), 15)
})

test_that("arguments are refused", {
  one <- function() in_turn(list("a"))
  expect_refused(rr_tally(one(), 1), rr_tally(one(), grr, label = "x"), rr_tally(one(), grr, by = 1:3), rr_tally(one(), grr, weights = 1),
                 rr_tally(one(), grr, column = "x"), rr_tally(one(), grr, onto = 1), rr_tally(one(), grr, mispelt = 1))
  expect_refused(rr_tally(one(), grr, onto = rr_counts(1:3, rr_grr(c("a", "b", "c"), epsilon = 2))),
                 rr_tally(one(), grr, onto = rr_tally("a", grr, by = "x")), class = "mismatch")
  expect_refused(rr_tally(in_turn(list()), grr), class = "empty")
  expect_refused(rr_tally(one(), grr, label = function(chunk) NULL), class = "chunk")
  # A file is none of what is tallied: its name is no report.
  expect_refused(rr_tally("reports.csv", grr), class = "level")
  expect_identical(rr_tally(one(), grr, progress = TRUE)$counts, c(1, 0, 0))
})

test_that("the recipe of ?chunks keeps rows with inch marks", {
  sizes <- rr_grr(c("5\" pipe", "1/2\" pipe", "hose"), p = 0.8)
  reports <- data.frame(day = 1:900, answer = rep(sizes$levels, each = 300))
  csv <- withr::local_tempfile(fileext = ".csv")
  write.csv(reports, csv, row.names = FALSE, quote = FALSE)
  # The lines of the help page, from the page.
  page <- tools::Rd_db("candor")
  page <- if (length(page)) page[["chunks.Rd"]] else tools::parse_Rd(testthat::test_path("../../man/chunks.Rd"))
  code <- trimws(capture.output(tools::Rd2ex(page)), "right")
  start <- grep("^connection <- ", code)
  recipe <- parse(text = code[start:grep("^close", code)])
  mechanism <- sizes
  tally <- NULL
  for (line in as.list(recipe)) {
    value <- eval(line)
    if (inherits(value, "rr_tally")) tally <- value
  }
  expect_identical(tally$counts, c(300, 300, 300))
})

test_that("a label of a chunk is one text, number or date; times are told apart to the microsecond", {
  at <- function(seconds) chunk_label(as.POSIXct(seconds, origin = "1970-01-01", tz = "UTC"))
  expect_identical(c(at(1e-6), at(0.9999996)), c("1970-01-01 00:00:00.000001 UTC", "1970-01-01 00:00:01 UTC"))
  expect_refused(chunk_label(NA), chunk_label(NA_character_), chunk_label(c("a", "b")), chunk_label(character()), chunk_label(TRUE), chunk_label(list(1)))
})
