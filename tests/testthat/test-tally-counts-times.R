# Rows that stand for several reports: `count` is the number of respondents, and a tally of it that of all rows written out.

die <- rr_forced(1 / 6)
rows <- data.frame(answer = c("no", "yes", "no", "yes", "yes"), region = c("N", "N", "S", "S", "S"), times = c(30, 12, 40, 9, 0))
written <- rows[rep(1:5, rows$times), ]

expect_same_tally <- function(a, b) {
  fields <- c("counts", "n", "effective_n", "weight_squares", "respondents", "groups")
  expect_equal(unclass(a)[fields], unclass(b)[fields])
}

test_that("a row with a count is so many respondents, in each source of reports", {
  whole <- rr_tally(written, die, column = "answer")
  expect_same_tally(rr_tally(rows, die, column = "answer", count = "times"), rr_tally(written$answer, die))
  expect_same_tally(rr_tally(rows[c("answer", "times")], die, count = ~times), whole)
  expect_same_tally(rr_tally(rows$answer, die, count = rows$times), whole)
  expect_same_tally(rr_tally(rows, die, column = "answer", by = "region", count = "times"), rr_tally(written, die, column = "answer", by = "region"))
  parts <- list(rows[1:2, ], rows[3:5, ])
  at <- 0
  chunks <- function() if ((at <<- at + 1) <= 2) parts[[at]]
  expect_same_tally(rr_tally(chunks, die, column = "answer", count = "times"), whole)
  fit <- rr_estimate(rows, die, column = "answer", count = "times", by = "region")
  expect_identical(tidy(fit), tidy(rr_estimate(written, die, column = "answer", by = "region")))
  # By hand: of 91 reports 21 say yes, (21 / 91 - 1 / 6) / (2 / 3), with the binomial error.
  share <- tidy(rr_estimate(rows, die, column = "answer", count = "times"))[2, ]
  expect_equal(share$estimate, (21 / 91 - 1 / 6) * 3 / 2)
  expect_equal(share$std.error, sqrt(21 * 70 / 91^3) * 3 / 2)
})

test_that("reports of protocols and of several questions are counted so too", {
  bits <- rr_unary(c("a", "b"), p = 0.8, q = 0.3)
  few <- data.frame(a = c(1, 0, 1), b = c(0, 1, 1), times = c(5, 2, 3))
  all <- few[rep(1:3, few$times), 1:2]
  for (keep in c("counts", "sets")) {
    counted <- rr_tally(few, bits, column = c("a", "b"), count = "times", keep = keep)
    expect_same_tally(counted, rr_tally(all, bits, keep = keep))
    expect_equal(coef(rr_estimate(counted)), coef(rr_estimate(rr_tally(all, bits, keep = keep))))
  }
  two <- rr_product(x = die, y = die)
  pairs <- data.frame(x = c("no", "yes"), y = c("yes", "yes"), times = c(4, 6))
  expect_same_tally(rr_tally(pairs, two, count = "times"), rr_tally(pairs[rep(1:2, pairs$times), 1:2], two))
  sums <- rr_mean(c(0, 10), epsilon = 1)
  numbers <- rr_perturb(c(1, 5, 9), sums, rng = "R")
  expect_equal(rr_tally(numbers, sums, count = c(2, 3, 4))$counts, rr_tally(rep(numbers, 2:4), sums)$counts)
})

test_that("missing reports and groups are counted as respondents", {
  lost <- rbind(rows, data.frame(answer = NA, region = "N", times = 7))
  expect_message(tally <- rr_tally(lost, die, column = "answer", count = "times", na.rm = TRUE), "7 missing", class = "candor_message_missing")
  expect_identical(tally$missing, 7)
  expect_identical(tally$n, 91)
})

test_that("a database adds them up", {
  skip_if_not_installed("dbplyr")
  skip_if_not_installed("RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "rows", rows)
  table <- dplyr::tbl(connection, "rows")
  expect_same_tally(rr_tally(table, die, column = "answer", by = "region", count = "times"), rr_tally(written, die, column = "answer", by = "region"))
  text <- rr_query(table, die, column = "answer", count = "times")
  answer <- DBI::dbGetQuery(connection, text)
  expect_same_tally(rr_counts(answer, die, column = "answer"), rr_tally(written$answer, die))
  few <- data.frame(a = c(1, 0, 1), b = c(0, 1, 1), times = c(5, 2, 3))
  DBI::dbWriteTable(connection, "few", few)
  bits <- rr_unary(c("a", "b"), p = 0.8, q = 0.3)
  expect_same_tally(rr_tally(dplyr::tbl(connection, "few"), bits, column = c("a", "b"), count = "times"), rr_tally(few[rep(1:3, few$times), 1:2], bits))
  for (bad in list(-1, NA, 0.5)) {
    DBI::dbWriteTable(connection, "bad", transform(rows, times = replace(times, 2, bad)), overwrite = TRUE)
    expect_refused(rr_tally(dplyr::tbl(connection, "bad"), die, column = "answer", count = "times"))
  }
})

test_that("what is no number of respondents is refused, and frequencies among the weights are told", {
  expect_refused(rr_tally(rows$answer, die, count = c(1, 2, 3, 4, -1)), rr_tally(rows$answer, die, count = c(1, 2, 3, 4, 0.5)),
                 rr_tally(rows$answer, die, count = c(1, 2, 3, 4, NA)), rr_tally(rows$answer, die, count = 1:4),
                 rr_tally(rows, die, column = "answer", count = "times", weights = "times"), rr_tally(rows, die, column = "answer", count = "time"),
                 rr_estimate(rr_tally(rows$answer, die), count = 1:5))
  expect_message(rr_tally(rows$answer, die, weights = rows$times), class = "candor_message_weights")
  expect_no_message(rr_tally(rows$answer, die, weights = c(0.5, 1, 2, 1.5, 1)), class = "candor_message_weights")
  expect_no_message(rr_tally(rows$answer, die, weights = rep(1, 5)), class = "candor_message_weights")
  skip_if_not_installed("survey")
  design <- survey::svydesign(~1, weights = ~times, data = rows[1:4, ])
  expect_no_message(rr_estimate(design, die, column = ~answer), class = "candor_message_weights")
  expect_refused(rr_estimate(design, die, column = ~answer, count = "times"))
})

test_that("shares of a number of reports are its counts: the histogram phi of Pinzon et al.", {
  grr <- rr_grr(3, p = 0.6)
  expect_equal(coef(rr_estimate(rr_counts(c(0.05, 0.35, 0.6), grr, n = 100))), coef(rr_estimate(rr_counts(c(5, 35, 60), grr))))
  expect_identical(nobs(rr_estimate(rr_counts(c(0.07, 0.28, 0.65), grr, n = 100))), 100)
  # Two groups, and shares of a table that are no whole counts: (count / n - q) / (p - q) by hand.
  shares <- cbind(a = c(0.2, 0.3, 0.5), b = c(1 / 3, 1 / 3, 1 / 3))
  fit <- rr_estimate(rr_counts(shares, grr, n = c(50, 100)), method = "inv")
  expect_equal(unname(coef(fit)), as.vector((shares - 0.2) / 0.4))
  expect_refused(rr_counts(c(0.05, 0.35, 0.61), grr, n = 100), class = "counts")
  expect_refused(rr_counts(c(0.05, 0.35, 0.6), grr), class = "counts")
})
