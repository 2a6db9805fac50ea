# Groups of every kind of column: the truth is base R's sorted distinct values, and counting row by row.

m <- rr_grr(c("no", "some", "often"), epsilon = 2)

expect_groups <- function(key, values = sort(unique(key))) {
  set.seed(1)
  reports <- sample(m$levels, length(key), TRUE)
  tally <- rr_tally(reports, m, by = data.frame(key = key))
  expect_identical(tally$groups$key, values)
  expect_identical(tally$counts, unname(vapply(as.character(values), function(value) {
    as.double(table(factor(reports[as.character(key) == value], m$levels)))
  }, numeric(3))))
}

test_that("groups are the sorted values that occur, of the type that they have", {
  set.seed(2)
  for (size in c(30, 20000)) {
    for (values in list(c(3L, -7L, 12L), c(.Machine$integer.max, -.Machine$integer.max, 0L), 5:7, 1:3, c(0.5, -2, 1e300), c("b", "a", "\u00e4"), c(TRUE, FALSE),
                        as.Date(c("2026-01-02", "2025-12-31")), structure(c(20000L, 20400L), class = "Date"))) expect_groups(sample(values, size, TRUE))
    # Levels keep their order; those that no row has are no groups, but stay levels.
    expect_groups(factor(sample(c("x", "z"), size, TRUE), c("z", "y", "x")), factor(c("z", "x"), c("z", "y", "x")))
  }
  expect_identical(nrow(rr_tally(character(), m, by = list(a = character(), b = integer()))$groups), 0L)
  # A value that only a late row has
  expect_groups(c(rep("b", 10000), "a", "c"))
  expect_groups(c(rep(0.5, 10000), 0.25))
})

test_that("of several columns the combinations that occur are groups, the first running fastest", {
  set.seed(3)
  for (values in list(1:3, sample.int(1e6, 200))) {
    by <- data.frame(a = sample(values, 500, TRUE), b = sample(c("u", "v", "w"), 500, TRUE), c = sample(values, 500, TRUE))
    by <- by[!(by$a == values[1] & by$b == "v"), ]
    tally <- rr_tally(sample(m$levels, nrow(by), TRUE), m, by = by)
    wanted <- unique(by)
    wanted <- wanted[order(wanted$c, wanted$b, wanted$a, method = "radix"), ]
    expect_identical(as.data.frame(tally$groups), data.frame(wanted, row.names = NULL))
    expect_identical(tally$n, as.double(table(factor(do.call(paste, by), do.call(paste, wanted)))))
  }
})

test_that("groups are taken by position, label, condition or factor, each once", {
  tally <- rr_counts(cbind(u = c(no = 5, yes = 2), v = c(1, 1), w = c(3, 9)), rr_warner(0.8))
  expect_identical(match_groups(c("w", "u"), tally), c(3L, 1L))
  expect_identical(match_groups(c(3, 1), tally), c(3L, 1L))
  expect_identical(match_groups(-2, tally), c(1L, 3L))
  expect_identical(match_groups(c(TRUE, FALSE, TRUE), tally), c(1L, 3L))
  expect_identical(match_groups(factor("v"), tally), 2L)
  for (bad in list("x", 4, c(1, 1), 1.5, NA, c(TRUE, FALSE), list(1), Sys.Date())) expect_error(match_groups(bad, tally), class = "candor_error_level")
  for (none in list(character(), c(FALSE, FALSE, FALSE), -(1:3), 0)) expect_error(match_groups(none, tally), class = "candor_error_empty")
  some <- tally[c("w", "u")]
  expect_identical(unname(some$counts), cbind(c(3, 9), c(5, 2)))
  expect_identical(some$n, c(12, 7))
  expect_identical(names(some), c("w", "u"))
  expect_identical(unname(tally["v", drop = TRUE]$counts), c(1, 1))
  expect_null(tally["v", drop = TRUE]$groups)
  expect_identical(length(tally["v"]), 1L)
  expect_identical(unname(tally[["v"]]$counts), cbind(c(1, 1)))
  expect_identical(tally[["n"]], c(7, 2, 12))
  expect_identical(names(as.list(tally)), c("u", "v", "w"))
  expect_identical(names(subset(tally, group != "v")), c("u", "w"))
  single <- rr_counts(c(no = 5, yes = 2), rr_warner(0.8))
  expect_identical(single[[1]], single)
  expect_null(single[["v"]])
  expect_identical(c(length(single), length(tally)), c(1L, 3L))
  expect_error(single[1], class = "candor_error")
  expect_refused(tally[1, 2], tally[[c(1, 2)]], subset(tally, 1:3))
})

test_that("codes without gaps, combinations, and rows without a group", {
  expect_identical(without_gaps(c(5, 2, 5), 6), list(codes = c(2L, 1L, 2L), n = 2L))
  expect_identical(without_gaps(c(5, 2, 5), 1e9), list(codes = c(2L, 1L, 2L), n = 2L))
  expect_identical(without_gaps(c(1, 2), 2), list(codes = 1:2, n = 2L))
  expect_refused(without_gaps(c(1, 7), 6))
  expect_identical(value_codes(c("b", "a", "b")), list(codes = c(2L, 1L, 2L), n = 2L))
  groups <- make_groups(list(a = c("y", "x", "y", "x"), b = c(2, 1, 1, 2)), 4)
  expect_identical(groups$codes, c(4L, 1L, 2L, 3L))
  expect_identical(as.list(groups$keys), list(a = c("x", "y", "x", "y"), b = c(1, 1, 2, 2)))
  expect_identical(rows_without_group(list(a = c(NA, 1, 2), b = c("x", "y", NA)), 3), c(1L, 3L))
  expect_refused(make_groups(list(a = 1:3), 4), name_groups(list(1:2, b = 3:4), rr_warner(0.8)), name_groups(list(a = 1, a = 2), rr_warner(0.8)),
    name_groups(list(estimate = 1), rr_warner(0.8)))
  expect_error(make_groups(list(a = c(1, NA)), 2), class = "candor_error_missing")
  expect_identical(names(name_groups(1:2, rr_warner(0.8))), "group")
  expect_identical(levels(name_groups(addNA(factor(c("u", NA))), rr_warner(0.8))$group), "u")
  expect_null(name_groups(list(), rr_warner(0.8)))
  labelled <- structure(c(2, 1, 2, 3), labels = c(low = 1, high = 2), class = "haven_labelled")
  expect_identical(base_key(labelled), factor(c("high", "low", "high", "3"), c("low", "high", "3")))
})

test_that("groups without a report are left out and named, unless all are, and one report is enough", {
  tally <- rr_counts(cbind(u = c(no = 5, yes = 2), v = 0, w = c(1, 0)), rr_warner(0.8))
  expect_message(some <- drop_empty_groups(tally), class = "candor_message_empty")
  expect_identical(some, tally[c("u", "w")])
  expect_silent(same <- drop_empty_groups(some))
  expect_identical(same, some)
  none <- tally
  none$n <- c(0, 0, 0)
  expect_silent(same <- drop_empty_groups(none))
  expect_identical(same, none)
  expect_error(drop_empty_groups(rr_tally(character(), m, by = list(a = character()))), class = "candor_error_empty")
})

test_that("groups have the names of their columns, one without a name is called group, and each has an entry a report", {
  warner <- rr_warner(0.8)
  expect_identical(names(name_groups(list(town = 1:2), warner)), "town")
  expect_identical(names(name_groups(list(town = 1:2, year = 3:4), warner)), c("town", "year"))
  for (by in list(1:2, list(1:2))) expect_identical(name_groups(by, warner), list(group = 1:2))
  expect_refused(name_groups(list(1:2, 3:4), warner), name_groups(list(a = 1:2, 3:4), warner), name_groups(list(a = 1:2, a = 3:4), warner),
                 name_groups(list(q = 1:2), rr_product(q = warner, r = warner)), make_groups(list(g = 1:2), 3), make_groups(list(g = list(1, 2)), 2))
  expect_error(make_groups(list(g = c("a", NA)), 2), class = "candor_error_missing")
})

test_that("labels are those of labelled values alone", {
  labels <- c(north = 2, south = 1)
  expect_identical(base_key(structure(c(2, 1, 3), labels = labels, class = "haven_labelled")), factor(c("north", "south", "3"), c("south", "north", "3")))
  plain <- structure(c(2, 1), labels = labels)
  expect_identical(base_key(plain), plain)
  # A labelled column of a file need not have labels.
  unlabelled <- structure(c(2, 1), class = "haven_labelled")
  expect_identical(base_key(unlabelled), unlabelled)
})

test_that("groups called like a column of results, or of a regression of the tally, are refused", {
  data <- data.frame(answer = rep(c("no", "yes"), 4), group = rep(c("a", "b"), each = 4))
  for (name in c("term", "count", "estimate", "conf.low", ".fitted", ".report", ".count", "loglik")) {
    names(data)[2] <- name
    expect_refused(rr_tally(data, rr_warner(0.8), column = "answer", by = name))
  }
})
