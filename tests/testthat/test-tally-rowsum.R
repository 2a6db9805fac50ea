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
  expect_refused(rowsum(both, ~absent), rowsum(both, 1:3), rowsum(both, ~ day, 1, 2))
  expect_refused(rowsum(rowsum(both, ~1), ~day))
})
