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
    rr_tally(next_chunk, grr)
    sum(gc()[, 6])
  }
  peak(2)
  expect_lt(peak(100) - peak(5), 15)
})

test_that("arguments are refused", {
  one <- function() in_turn(list("a"))
  expect_refused(rr_tally(one(), 1), rr_tally(one(), grr, by = 1:3), rr_tally(one(), grr, weights = 1),
                 rr_tally(one(), grr, column = "x"), rr_tally(one(), grr, onto = 1), rr_tally(one(), grr, mispelt = 1))
  expect_refused(rr_tally(one(), grr, onto = rr_counts(1:3, rr_grr(c("a", "b", "c"), epsilon = 2))),
                 rr_tally(one(), grr, onto = rr_tally("a", grr, by = "x")), class = "mismatch")
  expect_refused(rr_tally(in_turn(list()), grr), class = "empty")
  # A file is none of what is tallied: its name is no report.
  expect_refused(rr_tally("reports.csv", grr), class = "level")
  expect_identical(rr_tally(one(), grr, progress = TRUE)$counts, c(1, 0, 0))
})
