test_that("dates and the same dates as text are one group, whichever tally comes first", {
  tally <- function(day) rr_tally(data.frame(answer = c("no", "yes"), day), rr_warner(0.8), column = "answer", by = "day")
  dates <- tally(as.Date("2026-01-01") + 0:1)
  text <- tally(c("2026-01-01", "2026-01-05"))
  for (both in list(c(dates, text), c(text, dates))) {
    expect_identical(both$groups$day, c("2026-01-01", "2026-01-02", "2026-01-05"))
    expect_identical(both$n, c(2, 1, 1))
  }
  expect_identical(c(dates, tally(1:2))$n, rep(1, 4))
  expect_s3_class(c(dates, dates)$groups$day, "Date")
})

test_that("tallies whose levels stand in another order merge", {
  a <- rr_counts(c(a = 1, b = 2, c = 3), rr_grr(c("a", "b", "c"), epsilon = 1))
  b <- rr_counts(c(a = 10, b = 20, c = 30), rr_grr(c("c", "a", "b"), epsilon = 1))
  expect_identical(c(a, b)$counts, c(11, 22, 33))
  expect_identical(c(b, a)$counts, c(33, 11, 22))
  # With groups
  grouped <- function(levels) rr_tally(c("a", "a", "c"), rr_grr(levels, epsilon = 1), by = c(1, 2, 2))
  expect_identical(c(grouped(c("a", "b", "c")), grouped(c("c", "b", "a")))$counts, cbind(c(2, 0, 0), c(2, 0, 2)))
  # Probabilities that go with the labels
  one <- rr_counts(c(a = 1, b = 2, c = 3), rr_forced(c(a = 0.1, b = 0.2, c = 0.3), levels = c("a", "b", "c")))
  two <- rr_counts(c(a = 1, b = 2, c = 3), rr_forced(c(a = 0.1, b = 0.2, c = 0.3), levels = c("b", "c", "a")))
  expect_identical(c(one, two)$counts, c(2, 4, 6))
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.2, 0.2, 0.6))
  o <- c(3, 1, 2)
  channel <- function(o) rr_counts(c(x = 1, y = 2, z = 3), rr_channel(C[o, o], levels = c("x", "y", "z")[o]))
  expect_identical(c(channel(1:3), channel(o))$counts, c(2, 4, 6))
})

test_that("tallies of other mechanisms are not merged", {
  counts <- function(...) rr_counts(c(1, 2, 3), rr_grr(...))
  one <- counts(3, epsilon = 1)
  # The last digits of an epsilon that follows from p depend on the machine.
  expect_error(c(one, counts(3, p = 0.576116884765829)), "`epsilon` is 1[.]0{10,}[0-9]+, and 1", class = "candor_error_mismatch")
  forced <- function(levels) rr_counts(1:3, rr_forced(c(0.1, 0.2, 0.3), levels = levels))
  two <- function(p) rr_counts(1:4, rr_product(a = rr_warner(0.8), b = rr_warner(p)))
  # With "1", "2", "3" the labels are the same, but numbers in the data are labels of the one and positions of the other.
  expect_refused(c(one, counts(c("1", "2", "3"), epsilon = 1)), c(one, counts(3, epsilon = 1 + 2^-52)), c(one, counts(c("a", "b", "c"), epsilon = 1)),
                 c(one, rr_counts(1:4, rr_grr(4, epsilon = 1))), c(one, rr_counts(1:3, rr_forced(0.1, levels = 3))),
                 c(forced(c("a", "b", "c")), forced(c("c", "b", "a"))), rr_estimate(one, rr_grr(3, epsilon = 2)), c(two(0.7), two(0.75)),
                 c(rr_counts(1:2, rr_warner(0.8, levels = c("a", "b"))), rr_counts(1:2, rr_warner(0.8, levels = c("b", "a")))), class = "mismatch")
  # 1 is "yes" in both orders, but "b" in the one and "a" in the other.
  expect_identical(c(rr_counts(1:2, rr_warner(0.8)), rr_counts(1:2, suppressMessages(rr_warner(0.8, levels = c("yes", "no")))))$counts, c(3, 3))
})

test_that("rowsum() adds up groups: the tally of the data by fewer or other groups", {
  set.seed(41)
  mechanism <- rr_grr(c("a", "b", "c"), epsilon = 1)
  data <- data.frame(answer = sample(mechanism$levels, 300, TRUE), day = rep(c("mon", "tue", "wed"), 100), version = rep(1:2, each = 150))
  data$w <- rep(c(0.5, 1, 2), each = 100)
  data$answer[1:3] <- NA
  for (weights in list(NULL, "w")) {
    tally_by <- function(by, x = data) suppressMessages(rr_tally(x, mechanism, column = "answer", by = by, weights = weights, na.rm = TRUE))
    both <- tally_by(~ day + version)
    expect_identical(rowsum(both, ~day), tally_by(~day))
    expect_identical(rowsum(both, "version"), tally_by("version"))
    expect_identical(rowsum(both, ~ version + day), tally_by(~ version + day))
    expect_identical(rowsum(both, ~1), tally_by(NULL))
    # New groups, of which `both` has six: days run fastest.
    part <- ifelse(both$groups$day == "mon", "start", "later")
    data$part <- ifelse(data$day == "mon", "start", "later")
    expect_identical(rowsum(both, list(part = part)), tally_by("part", data))
    expect_identical(names(rowsum(both, part)$groups), "group")
  }
  bits <- rr_unary(3, epsilon = 2)
  reports <- rr_perturb(rep(1:3, 20), bits, rng = "R")
  sets <- rr_tally(reports, bits, by = list(g = rep(1:4, 15)), keep = "sets")
  # The different reports may stand in another order.
  whole <- rr_tally(reports, bits, keep = "sets")
  expect_identical(rowsum(sets, ~1)$counts, whole$counts)
  expect_equal(logLik(rr_estimate(rowsum(sets, ~1))), logLik(rr_estimate(whole)))
  dealt <- rr_dealt(c(no = 2, yes = 2), cards = 8)
  cards <- data.frame(block = rep(1:6, each = 8), answer = rep(c("no", "yes"), 24), g = rep(1:3, each = 16))
  by_group <- rr_tally(cards, dealt, by = "g")
  expect_identical(rowsum(by_group, ~1), rr_tally(cards[c("block", "answer")], dealt))
  # Chunks of two groups are one day's once.
  label <- function(chunk) chunk$day[1]
  chunks <- split(data[4:300, ], data$day[4:300])
  next_chunk <- function() {
    chunk <- chunks[[1]]
    chunks <<- chunks[-1]
    chunk
  }
  take <- function() if (length(chunks)) next_chunk()
  labelled <- rr_tally(take, mechanism, column = "answer", by = "version", label = label)
  expect_setequal(rowsum(labelled, ~1)$chunks, c("mon", "tue", "wed"))
  expect_refused(rowsum(both, ~absent), rowsum(both, 1:3), rowsum(both, NULL), rowsum(both, ~ day, 1, 2))
  expect_refused(rowsum(rowsum(both, ~1), ~day))
})

test_that("whole counts merge up to 2^53 in each group, also where the sum of doubles rounds down to it", {
  for (numbers in list(numeric(), 2^53, c(2^53, 0), c(1, 2^53 - 1), c(2^52, 2^52))) expect_false(beyond_exact(numbers))
  for (numbers in list(c(2^53, 1), c(1, 1, 2^53 - 1), c(2^52, 2^52 + 1))) expect_true(beyond_exact(numbers))
  group <- function(name, n) rr_counts(matrix(c(n, 0), dimnames = list(NULL, name)), rr_warner(0.8))
  expect_identical(c(group("u", 2^53 - 1), group("v", 5), group("u", 1))$n, c(2^53, 5))
  expect_error(c(group("u", 2^53), group("v", 5), group("u", 1)), class = "candor_error_counts")
  heavy <- function(n) rr_counts(c(n, 0), rr_warner(0.8), effective_n = 10)
  expect_identical(c(heavy(2^53), heavy(2^54))$n, 3 * 2^53)
})

test_that("a field that one of the tallies lacks is not in their sum, and a chunk may have reports of two groups", {
  one <- rr_counts(c(1, 2), rr_warner(0.8))
  seen <- function(n) replace(one, "witness", n)
  expect_identical(c(seen(2), seen(3))$witness, 5)
  expect_null(c(seen(2), one)$witness)
  group <- function(g) {
    tally <- rr_tally(c("no", "yes"), rr_warner(0.8), by = c(g, g))
    tally$chunks <- "monday"
    tally
  }
  both <- c(group("u"), group("v"))
  expect_identical(both$chunks, "monday")
  expect_identical(both$counts, cbind(c(1, 1), c(1, 1)))
  expect_error(c(group("u"), group("u")), class = "candor_error_mismatch")
  ungrouped <- replace(one, "chunks", list("monday"))
  expect_error(c(ungrouped, ungrouped), class = "candor_error_mismatch")
})

test_that("levels in another order merge only if nothing rests on their order", {
  sets <- function(levels, keep) rr_tally(list(as.raw(1), as.raw(6)), rr_unary(levels, 1), keep = keep)
  expect_error(c(sets(c("a", "b", "c"), "sets"), sets(c("c", "b", "a"), "sets")), class = "candor_error_mismatch")
  product <- function(levels) rr_counts(1:6, rr_product(a = rr_grr(levels, 1), b = rr_warner(0.8)))
  expect_error(c(product(c("a", "b", "c")), product(c("c", "b", "a"))), class = "candor_error_mismatch")
  # The truths in another order alone, with their rows.
  channel <- function(rows) rr_counts(1:2, rr_channel(cbind(c(0.9, 0.2), c(0.1, 0.8))[rows, ], levels = c("a", "b")[rows], reports = c("x", "y")))
  expect_error(c(channel(1:2), channel(2:1)), class = "candor_error_mismatch")
  both <- function(o, p = o) rr_channel(cbind(c(0.9, 0.2), c(0.1, 0.8))[o, p], levels = c("a", "b")[o], reports = c("x", "y")[p])
  expect_identical(c(rr_counts(1:2, both(1:2)), rr_counts(3:4, both(2:1)))$counts, c(5, 5))
  # Other probabilities with the same labels.
  expect_error(c(rr_counts(1:2, both(1:2)), rr_counts(3:4, rr_channel(cbind(c(0.7, 0.1), c(0.3, 0.9)), levels = c("b", "a"), reports = c("y", "x")))),
               class = "candor_error_mismatch")
})
