grr3 <- rr_grr(c("never", "once", "often"), epsilon = 1)

test_that("every kind of report is tallied to the counts of table()", {
  set.seed(1)
  text <- sample(grr3$levels, 5000, replace = TRUE, prob = c(5, 2, 1))
  expected <- as.double(table(factor(text, grr3$levels)))
  codes <- match(text, grr3$levels)
  # Levels in another order, and one that never occurs, too
  for (x in list(text, factor(text, grr3$levels), factor(text, c("often", "other", "never", "once")), codes, as.double(codes), table(text))) {
    expect_identical(unclass(rr_tally(x, grr3))[c("counts", "n")], list(counts = expected, n = 5000))
  }
})

test_that("yes/no reports may be logical, 0/1 or labels", {
  x <- c(TRUE, FALSE, FALSE, TRUE, FALSE)
  for (reports in list(x, as.integer(x), as.double(x), ifelse(x, "yes", "no"))) expect_identical(rr_tally(reports, rr_warner(0.7))$counts, c(3, 2))
})

test_that("levels given as numbers are matched as labels, not positions", {
  digits <- rr_grr(0:9, epsilon = 1)
  expect_identical(rr_tally(c(0L, 9L, 9L), digits)$counts, c(1, rep(0, 8), 2))
  spaced <- rr_grr(c(10, 20, 40), epsilon = 1)
  expect_identical(rr_tally(c(40, 10, 40), spaced)$counts, c(1, 0, 2))
  expect_error(rr_tally(2, spaced), class = "candor_error_level")
})

test_that("the kernel agrees with tabulate() on either side of its switch of algorithm", {
  for (k in c(2, 5, 4096, 4097, 20000)) {
    set.seed(k)
    codes <- sample.int(k, 30001, replace = TRUE)
    expect_identical(rr_tally(codes, rr_grr(k, epsilon = 1))$counts, as.double(tabulate(codes, k)))
    # Long runs of one code are the case the interleaved partial counts are for
    expect_identical(rr_tally(sort(codes), rr_grr(k, epsilon = 1))$counts, as.double(tabulate(codes, k)))
  }
})

test_that("weights add up, and set the effective number of respondents", {
  tally <- rr_tally(c("once", "never", "once"), grr3, weights = c(0.5, 2, 1))
  expect_identical(tally$counts, c(2, 1.5, 0))
  expect_equal(tally$effective_n, 3.5^2 / (0.25 + 4 + 1))
  expect_equal(rr_tally(c("once", "never"), grr3, weights = c(3, 3))$effective_n, 2)
})

test_that("chunks merge to the tally of the whole, in any order and grouping", {
  set.seed(2)
  x <- sample(grr3$levels, 1000, replace = TRUE)
  chunks <- lapply(split(x, rep(1:5, 200)), rr_tally, grr3)
  expect_identical(c(chunks[[1]], chunks[[2]], chunks[[3]], chunks[[4]], chunks[[5]]), rr_tally(x, grr3))
  expect_identical(c(c(chunks[[5]], chunks[[3]]), c(chunks[[1]], chunks[[4]], chunks[[2]])), rr_tally(x, grr3))
  expect_identical(c(rr_tally(character(), grr3), rr_tally(x, grr3)), rr_tally(x, grr3))

  group <- sample(c("a", "b", "c"), 1000, replace = TRUE)
  first <- seq_len(300)
  late <- group == "c" & seq_along(group) <= 300
  group[late] <- "a" # a group that only the second chunk has
  merged <- c(rr_tally(x[first], grr3, by = group[first]), rr_tally(x[-first], grr3, by = group[-first]))
  expect_identical(merged, rr_tally(x, grr3, by = group))

  weights <- runif(1000)
  merged <- c(rr_tally(x[first], grr3, weights = weights[first]), rr_tally(x[-first], grr3, weights = weights[-first]))
  expect_equal(merged, rr_tally(x, grr3, weights = weights), tolerance = 1e-14)
  # A chunk without weights counts each report once
  mixed <- c(rr_tally(c("never", "once"), grr3), rr_tally("often", grr3, weights = 2))
  expect_identical(mixed$counts, c(1, 1, 2))
  expect_equal(mixed$effective_n, 16 / 6)
})

test_that("missing reports are dropped only on request, and counted", {
  expect_message(tally <- rr_tally(c("never", NA, "once", NA), grr3, na.rm = TRUE), "2 missing reports dropped")
  expect_identical(tally$counts, c(1, 1, 0))
  expect_identical(tally$missing, 2)
})

test_that("counts that exist become a tally, by name or by place", {
  expect_identical(rr_counts(c(5, 3, 2), grr3)$counts, c(5, 3, 2))
  expect_identical(rr_counts(c(often = 2L, never = 5L), grr3)$counts, c(5, 0, 2))
  expect_identical(rr_counts(c(5, 3, 2), grr3), rr_tally(rep(grr3$levels, c(5, 3, 2)), grr3))
  grouped <- rr_counts(cbind(men = c(5, 3, 2), women = c(1, 0, 4)), grr3)
  expect_identical(grouped$groups$group, c("men", "women"))
  expect_identical(grouped$n, c(10, 5))
  expect_identical(rr_counts(c(1.5, 2, 0), grr3, effective_n = 3)$effective_n, 3)
  # Exact beyond 2^31
  expect_identical(rr_counts(c(2^52, 1, 0), grr3)$n, 2^52 + 1)
})

test_that("tallies print, and turn into data frames", {
  tally <- rr_counts(c(5, 3, 2), grr3)
  expect_snapshot(tally)
  expect_snapshot(rr_tally(c("once", "never"), grr3, by = c("a", "b")))
  expect_identical(as.data.frame(tally), data.frame(term = grr3$levels, count = c(5, 3, 2), share = c(0.5, 0.3, 0.2)))
})

test_that("bad reports, weights, groups and counts are refused", {
  warner <- rr_warner(0.7)
  for (x in list(c("never", NA), c(1L, NA))) expect_refused(rr_tally(x, grr3), class = "missing")
  expect_refused(rr_tally("never", grr3, by = NA), class = "missing")
  for (x in list(c("never", "always"), factor(c("never", "always")), c(1L, 4L), c(1, 0), c(1, 2.5))) expect_refused(rr_tally(x, grr3), class = "level")
  expect_refused(rr_tally(c(0L, 2L), warner), rr_tally(c(0L, 12L), rr_grr(0:9, epsilon = 1)), rr_counts(c(never = 5, always = 3), grr3),
                 rr_counts(c(never = 5, never = 3), grr3), class = "level")
  for (x in list(c(TRUE, FALSE), list("never"), as.Date("2020-01-01"))) expect_refused(rr_tally(x, grr3))
  for (weights in list(c(1, 2), -1, Inf, NaN, "1")) expect_refused(rr_tally("never", grr3, weights = weights))
  for (by in list(c("a", "b"), list(term = "a"), list("a", "b"), structure(2L, levels = "a", class = "factor"))) {
    expect_refused(rr_tally("never", grr3, by = by))
  }
  expect_refused(rr_tally("never", "grr"), rr_tally("never", grr3, weight = 1), rr_tally("never", grr3, na.rm = NA), rr_counts(c(5, 3), grr3),
                 rr_counts(c(5, 3, 2, 1), grr3), rr_counts("5", grr3), rr_counts(c(1.5, 2, 0), grr3, effective_n = -1), c(rr_counts(c(1, 2, 3), grr3), 5))
  for (bad in list(-3, NaN, Inf, NA, 2.5, 230 - 2^-45)) expect_refused(rr_counts(c(5, bad, 2), grr3), class = "counts")
  expect_error(rr_counts(c(0.5, 0.3, 0.2), grr3), "Shares", class = "candor_error_counts")
  expect_refused(rr_counts(c(0, 0, 0), grr3), class = "empty")
  expect_refused(c(rr_counts(c(1, 2, 3), grr3), rr_counts(c(1, 2), warner)), c(rr_counts(c(1, 2, 3), grr3), rr_tally("once", grr3, by = "a")),
                 class = "mismatch")
})

test_that("the first value that is no level is shown, with its place and what may be meant", {
  m <- rr_grr(c("no", "some", "often"), epsilon = 2)
  expect_error(rr_tally(c("no", "oftn", "x"), m), "Report 2, \"oftn\".*Did you mean \"often\"", class = "candor_error_level")
  expect_error(rr_tally(data.frame(a = c("no", "No "), b = "no"), rr_product(a = m, b = m)), "\"a\".*Row 2, \"No \"", class = "candor_error_level")
})

test_that("hand-made calls of the kernel raise an error and never crash R", {
  call <- function(codes = 1L, first = 1L, k = 3, groups = NULL, n_groups = 1, weights = NULL, skip = FALSE) {
    .Call(candor:::C_rr_tally, codes, first, k, groups, n_groups, weights, skip)
  }
  for (bad in list(list(codes = "1"), list(codes = 1.5), list(k = -1), list(k = NA_real_), list(groups = c(1L, 2L)), list(weights = 1L), list(skip = NA),
                   list(k = 2^40, n_groups = 2^40))) expect_error(do.call(call, bad))
  expect_identical(call(k = 0)$position, 1)
  expect_identical(call(groups = 2L)$position, 1)
  expect_identical(call(codes = 1:4)$position, 4)
  # the bits of 64-bit integers are not doubles
  for (bad in list(1L, structure(1, class = "integer64"))) expect_error(.Call(candor:::C_rr_check_counts, bad, TRUE))
})

test_that("malformed factors, NA levels and tables of the wrong shape never lose a report in silence", {
  grr3 <- rr_grr(c("a", "b", "c"), epsilon = 1)
  malformed <- function(codes) structure(codes, levels = c("b", "a", "c"), class = "factor")
  expect_refused(rr_tally(malformed(c(1L, 0L, 2L)), grr3), rr_tally(malformed(c(1L, -1L)), grr3), rr_tally(malformed(5L), grr3),
                 rr_perturb(malformed(c(1L, 0L)), grr3), class = "level")
  missing <- addNA(factor(c("a", NA, "c")))
  expect_error(rr_tally(missing, grr3), class = "candor_error_missing")
  expect_message(tally <- rr_tally(missing, grr3, na.rm = TRUE), "1 missing")
  expect_identical(tally$counts, c(1, 0, 1))
  expect_error(rr_tally(matrix(1:2, 2, 2), grr3), class = "candor_error_argument")
})

test_that("groups cannot hide a column of a result, and totals stay where squares are numbers", {
  grr3 <- rr_grr(c("a", "b", "c"), epsilon = 1)
  for (name in c("count", "share", ".fitted", "iteration")) {
    expect_error(rr_tally("a", grr3, by = stats::setNames(list("x"), name)), class = "candor_error_argument")
  }
  expect_refused(rr_tally("a", grr3, by = list(g = 1, g = 2)), rr_counts(cbind(x = 1:3, x = 1:3), grr3))
  expect_refused(rr_counts(c(2^60, 1, 1), grr3), rr_counts(c(1.7e308, 1.7e308, 1), grr3), class = "counts")
  expect_refused(rr_tally(c("a", "b"), grr3, weights = c(1e200, 1e200)), rr_counts(1:3, grr3, effective_n = structure(9, class = "integer64")))
})

test_that("groups are the distinct combinations, however many there could be", {
  # 2 x 2000^6 is beyond 2^53; base R's paste() and unique() tell the combinations apart.
  n <- 4000
  set.seed(3)
  wave <- rep(1:2, each = n / 2)
  person <- rep(sample.int(n / 2), 2)
  by <- list(wave = wave, a = person, b = person, c = rev(person), d = person, e = person, f = person)
  tally <- rr_tally(rep(1:2, each = n / 2), rr_grr(2, p = 0.7), by = by)
  expect_identical(nrow(tally$groups), length(unique(do.call(paste, by))))
  expect_identical(nrow(tally$groups), 4000L)
  expect_identical(tally$n, rep(1, n))
  keys <- tally$groups
  expect_identical(order(keys$f, keys$c, keys$wave), seq_len(n))
  expect_identical(tally$counts[1, ], as.double(keys$wave == 1))
  halves <- lapply(1:2, function(w) rr_tally(rep(w, n / 2), rr_grr(2, p = 0.7), by = lapply(by, `[`, wave == w)))
  expect_identical(c(halves[[2]], halves[[1]]), tally)
})

test_that("1 and TRUE that are read as the first level are told", {
  die <- suppressMessages(rr_warner(0.7, levels = c("yes", "no")))
  told <- function(expr) expect_message(expr, class = "candor_message_reading")
  told(counts <- rr_tally(c(1, 0, 1), die)$counts)
  expect_identical(counts, c(2, 1))
  expect_snapshot(write_said(counts <- rr_tally(c(TRUE, FALSE, NA), die, na.rm = TRUE)$counts))
  expect_identical(counts, c(1, 1))
  told(rr_tally(data.frame(a = c(1L, 0L)), die))
  told(rr_tally(c(TRUE, FALSE), rr_grr(c("Yes ", "NO"), epsilon = 1)))
  told(rr_glm(y ~ 1, data.frame(y = rep(c(0, 1, 1, 0), 200)), die))
  # Text is read as it stands, and so are labels that are bits.
  quiet <- expression(rr_tally(c("yes", "no"), die), rr_tally(factor(c("yes", "no")), die), rr_tally(1:2, rr_grr(c("a", "b"), epsilon = 1)),
                      rr_tally(c(TRUE, FALSE), suppressMessages(rr_warner(0.7, levels = c("TRUE", "FALSE")))), rr_tally(c(TRUE, FALSE), rr_warner(0.7)),
                      rr_tally(c(1, 0), rr_warner(0.7, levels = c("a", "b"))))
  for (call in quiet) expect_no_message(eval(call))
})

test_that("a group all of whose reports are missing has counts of 0, whatever the protocol", {
  for (mechanism in list(rr_hadamard(3, 1), rr_grr(3, epsilon = 1), rr_mean(c(0, 3), 1, "piecewise"))) {
    expect_message(tally <- rr_tally(c(1, NA), mechanism, by = c("a", "b"), na.rm = TRUE), class = "candor_message_missing")
    expect_identical(tally$groups$group, c("a", "b"))
    expect_identical(tally$n, c(1, 0))
    expect_identical(tally$counts[, 2], numeric(length(mechanism$reports)))
    expect_identical(tally$counts[, 1], rr_tally(1, mechanism)$counts)
  }
})

test_that("a group that is taken keeps its own sets", {
  unary <- rr_unary(3, 1)
  set.seed(1)
  reports <- rr_perturb(rep(c(1, 3), each = 200), unary, rng = "R")
  tally <- rr_tally(reports, unary, by = rep(c("a", "b"), each = 200), keep = "sets")
  alone <- rr_tally(reports[201:400], unary, keep = "sets")
  expect_identical(tally["b"]$sets, alone$sets)
  expect_identical(unname(coef(rr_estimate(tally["b"]))), unname(coef(rr_estimate(alone))))
})

test_that("groups have base R's counts, order and types", {
  set.seed(4)
  n <- 500
  by <- data.frame(sex = factor(sample(c("m", "f"), n, TRUE), c("m", "x", "f")), wave = sample(c(3.5, -1), n, TRUE),
                   day = as.Date("2024-05-01") + sample(0:2, n, TRUE), old = sample(c(TRUE, FALSE), n, TRUE))
  x <- sample(grr3$levels, n, TRUE)
  for (names in list("sex", "wave", c("sex", "day"), names(by), rev(names(by)))) {
    tally <- rr_tally(x, grr3, by = by[names])
    counts <- table(c(list(factor(x, grr3$levels)), by[names]))
    counts <- matrix(counts, 3)[, colSums(matrix(counts, 3)) > 0]
    expect_identical(unname(tally$counts), counts + 0)
    for (name in names) expect_identical(class(tally$groups[[name]]), class(by[[name]]))
    expect_setequal(do.call(paste, tally$groups), do.call(paste, by[names]))
  }
  expect_identical(nrow(rr_tally(character(), grr3, by = list(a = character(), b = integer()))$groups), 0L)
})

test_that("groups are tallied side by side, in sorted order", {
  x <- c("never", "once", "once", "often", "never")
  region <- c("south", "north", "south", "north", "north")
  tally <- rr_tally(x, grr3, by = region)
  expect_identical(tally$groups$group, c("north", "south"))
  expect_identical(tally$counts, cbind(c(1, 1, 1), c(1, 1, 0)))
  two <- rr_tally(x, grr3, by = data.frame(region = region, wave = c(2L, 1L, 1L, 1L, 1L)))
  expect_identical(as.list(two$groups), list(region = c("north", "south", "south"), wave = c(1L, 1L, 2L)))
  expect_identical(two$counts, cbind(c(1, 1, 1), c(0, 1, 0), c(1, 0, 0)))
  factored <- rr_tally(x, grr3, by = factor(region, c("west", "south", "north")))
  expect_identical(as.character(factored$groups$group), c("south", "north"))
})

test_that("a level NA is a missing group, and text in another encoding is no answer", {
  areas <- addNA(factor(c("north", NA, "south", "north")))
  answers <- c("no", "yes", "no", "yes")
  die <- rr_forced(1 / 6)
  expect_refused(rr_tally(answers, die, by = areas), rr_tally(data.frame(answers, areas), die, column = "answers", by = "areas"), class = "missing")
  kept <- suppressMessages(rr_tally(answers, die, by = areas, na.rm = TRUE))
  expect_identical(kept$counts, rr_tally(answers[-2], die, by = c("north", "south", "north"))$counts)
  expect_identical(kept$missing, 1)
  latin <- rawToChar(as.raw(c(0x63, 0x61, 0x66, 0xe9)))
  drinks <- rr_grr(c("caf\u00e9", "tea"), 1)
  expect_refused(rr_tally(c(latin, "tea"), drinks), rr_perturb(latin, drinks), class = "level")
})

test_that("a tally of no reports has counts of 0 and no groups, and merges", {
  none <- data.frame(x = character(), w = numeric(), g = character())
  die <- rr_warner(0.8)
  for (weights in list(NULL, "w")) {
    expect_identical(rr_tally(none, die, column = "x", weights = weights)$counts, c(0, 0))
    grouped <- rr_tally(none, die, column = "x", weights = weights, by = "g")
    expect_identical(dim(grouped$counts), c(2L, 0L))
    expect_output(print(grouped), "0 reports")
    expect_error(rr_estimate(grouped), class = "candor_error_empty")
  }
  some <- rr_tally(c("no", "yes"), die, by = list(g = c("a", "b")))
  expect_identical(c(rr_tally(none, die, column = "x", by = "g"), some), some)
})

test_that("every field of a tally is known to those who take groups", {
  reports <- data.frame(x = c("no", "yes", "no", "yes"), g = c("a", "b", "a", "b"))
  tally <- rr_tally(reports, rr_warner(0.8), column = "x", by = "g")
  expect_identical(tally["b"]$n, 2)
  # A field that nobody described is an error, and not forgotten.
  tally$other <- 1:2
  expect_error(tally["b"])
})

test_that("consoles see the fields of a tally, as of the list that it is", {
  tally <- rr_tally(rep(c("no", "yes"), c(30, 20)), rr_warner(0.8))
  expect_setequal(utils::.DollarNames(tally, ""), names(unclass(tally)))
  expect_identical(utils::.DollarNames(tally, "^coun"), "counts")
  expect_identical(utils::capture.output(utils::str(tally, max.level = 1, give.attr = FALSE)),
                   utils::capture.output(utils::str(unclass(tally), max.level = 1, give.attr = FALSE)))
})

test_that("weights, numbers of reports and totals at their bounds", {
  warner <- rr_warner(0.8)
  x <- c("no", "yes", "yes")
  expect_refused(rr_tally(x, warner, weights = c(1, 2)), rr_tally(x, warner, weights = c(1, -1, 2)), rr_tally(x, warner, weights = c(1, NA, 2)),
    rr_tally(x, warner, weights = c(1, Inf, 2)),
                 rr_tally(x, warner, count = c(1, 2)), rr_tally(x, warner, count = c(1, 1.5, 2)), rr_tally(x, warner, count = c(1, -1, 2)),
                   rr_tally(x, warner, count = c(1, 2^53 + 2, 2)),
                 rr_tally(x, warner, count = 1:3, weights = 1:3), rr_tally(x, warner, keep = "all"), rr_tally(x, warner, na.rm = NA))
  expect_identical(check_times(c(0, 2^53), 2), c(0, 2^53))
  expect_identical(check_weights(c(0, 0.5), 2), c(0, 0.5))
  for (total in c(0, 1e-100, 1e100)) expect_error(check_total_weight(total), NA)
  for (total in c(0.9e-100, 1.1e100)) expect_error(check_total_weight(total), class = "candor_error_argument")
  weighted <- suppressMessages(rr_tally(x, warner, weights = c(1, 2, 0.5), by = c("u", "v", "v")))
  expect_identical(unclass(weighted)[c("n", "weight_squares", "respondents", "effective_n")],
    list(n = c(1, 2.5), weight_squares = c(1, 4.25), respondents = c(1, 2), effective_n = c(1, 2.5^2 / 4.25)))
  many <- rr_tally(c(x, NA), warner, count = c(3, 0, 4, 5), na.rm = TRUE) |> suppressMessages()
  expect_identical(list(unname(many$counts), many$n, many$missing), list(c(3, 4), 7, 5))
  # Rows without a group.
  lost <- suppressMessages(rr_tally(x, warner, count = c(3, 2, 4), by = c("u", NA, "v"), na.rm = TRUE))
  expect_identical(list(unname(lost$counts), lost$missing), list(cbind(c(3, 0), c(0, 4)), 2))
  expect_error(suppressMessages(rr_tally(x, warner, by = c(NA, NA, NA), na.rm = TRUE)), class = "candor_error_empty")
  told <- function(w) length(testthat::capture_messages(inform_frequencies(w)))
  expect_identical(c(told(c(2, 2)), told(c(1, 2.5, 4)), told(c(1, 2)), told(c(1, 3)), told(c(5, NA)), told(NULL)), c(1L, 0L, 0L, 1L, 0L, 0L))
  expect_identical(c(report_number(data.frame(a = 1:3, b = 1)), report_number(matrix(0, 4, 2)), report_number(1:5)), c(3L, 4L, 5L))
})

test_that("what a method of counting must return", {
  warner <- rr_warner(0.8)
  expect_identical(check_counted(list(counts = 1:2), warner, NULL)$counts, c(1, 2))
  expect_identical(check_counted(list(counts = 1:4), warner, 2L)$counts, rbind(c(1, 3), c(2, 4)))
  expect_identical(check_counted(list(counts = 1:2, dropped = 3), warner, 2L)$counts, rbind(c(1, 0), c(2, 0)))
  expect_identical(dim(check_counted(list(), warner, 0L)$counts), c(2L, 0L))
  for (bad in list(list(counts = 1:3), list(counts = c(1, NA)), list(counts = c(1, -1)), list(counts = "1"), 5, list(counts = 1:2))) {
    expect_error(check_counted(bad, warner, if (identical(bad, list(counts = 1:2))) 2L), class = "candor_error_counts")
  }
  expect_identical(missing_reports(list(missing = 3), NULL), 3)
  expect_identical(missing_reports(list(dropped = c(2, 5)), NULL), 2L)
  expect_identical(missing_reports(list(dropped = c(2, 3)), c(5, 6, 7)), 13)
  expect_identical(missing_reports(list(n = c(4, 5)), c(5, 6, 7)), 9)
  joined <- joined_evidence(rr_counts(cbind(u = c(30, 70), v = c(10, 40)), warner, effective_n = c(50, 40)))
  expect_equal(joined[c("counts", "n", "k", "categories")], list(counts = c(15, 35, 8, 32), n = c(50, 50, 40, 40), k = 4, categories = 2L))
  expect_null(joined_evidence(rr_counts(cbind(u = c(30, 70), v = c(0, 0)), warner)))
})

test_that("blocks of people have at most as many as the deck has cards, and those of one label are added up", {
  dealt <- rr_dealt(c(no = 1, yes = 1), 5)
  expect_no_error(check_block_sizes(c("a", "b"), c(5, 4), dealt))
  expect_error(check_block_sizes(c("a", "b", "a"), c(3, 4, 3), dealt), class = "candor_error_report")
  expect_no_error(check_block_sizes(c("a", "b", "a"), c(3, 4, 2), dealt))
  merged <- merge_blocks(list(list(label = c("b", "a"), counts = cbind(c(1, 2), c(0, 3))), list(label = c("c", "b"), counts = cbind(c(2, 2), c(1, 0)))))
  expect_identical(merged, list(label = c("b", "a", "c"), counts = cbind(c(2, 2), c(0, 3), c(2, 2))))
  tally <- rr_counts(c(3, 5), rr_warner(0.8))
  tally$mechanism <- dealt
  blocks <- list(list(label = c("a", "b"), counts = cbind(c(1, 4), c(2, 1))))
  expect_identical(with_blocks(tally, blocks)$blocks, blocks)
  expect_error(with_blocks(tally, list(list(label = c("a", "a"), counts = cbind(c(1, 4), c(2, 1))))), class = "candor_error_report")
})

test_that("reports without a group are left out with their weights and numbers, and groups have their own effective numbers", {
  lost <- function(...) suppressMessages(leave_out_ungrouped(list(reports = c("a", "b", "c", "d"), by = list(g = c("u", NA, "v", NA)), ...)))
  answers <- lost(weights = c(1, 2, 3, 4), squares = c(5, 6, 7, 8))
  expect_identical(answers, list(reports = c("a", "c"), by = list(g = c("u", "v")), weights = c(1, 3), squares = c(5, 7), ungrouped = 2L))
  counted <- lost(times = c(4, 3, 2, 1))
  expect_identical(counted, list(reports = c("a", "c"), by = list(g = c("u", "v")), times = c(4, 2), ungrouped = 4))
  whole <- list(reports = c("a", "b"), by = list(g = c("u", "v")), times = c(2, 3))
  expect_no_message(expect_identical(leave_out_ungrouped(whole), c(whole, ungrouped = 0)))
  expect_message(leave_out_ungrouped(list(reports = 1:2, by = list(g = c("u", NA)), times = c(5, 4))), "4", class = "candor_message_missing")
  warner <- rr_warner(0.8)
  tally <- new_rr_tally(warner, cbind(c(1, 2), c(0, 0)), data.frame(g = c("u", "v")), weight_squares = c(4.5, 0))
  expect_identical(unclass(tally)[c("n", "effective_n", "missing", "respondents")], list(n = c(3, 0), effective_n = c(2, 0), missing = 0, respondents = NULL))
  expect_identical(new_rr_tally(warner, c(1, 2))$effective_n, 3)
  expect_identical(list(group_counts(tally, 1), group_counts(tally, 2), group_counts(new_rr_tally(warner, c(1, 2)), 1)), list(c(1, 2), c(0, 0), c(1, 2)))
  evidence <- group_evidence(tally, 1)
  expect_identical(evidence[c("counts", "n", "k", "raw")], list(counts = c(1, 2) * (2 / 3), n = 2, k = 2L, raw = list(counts = c(1, 2), n = 3)))
  expect_identical(evidence$mechanism, warner)
  expect_identical(evidence$law, rr_law(warner))
  alone <- joined_evidence(new_rr_tally(warner, c(1, 3), weight_squares = 8))
  expect_equal(alone[c("counts", "n", "k", "categories")], list(counts = c(0.5, 1.5), n = 2, k = 2, categories = 2L))
  expect_null(joined_evidence(rr_counts(c(5, 6, 7), rr_geometric(3, 1))))
})

test_that("different reports are kept once a group, with their weights, without those that were dropped", {
  unary <- rr_unary(3, 1)
  reports <- c("01", "02", "01", NA, "06", "02")
  tally <- function(...) suppressMessages(rr_tally(reports, unary, na.rm = TRUE, keep = "sets", ...))$sets
  kept <- function(bits, times) list(bits = matrix(as.raw(bits)), times = times)
  expect_identical(tally(), list(kept(c(1, 2, 6), c(2, 2, 1))))
  expect_identical(tally(weights = c(1, 2, 0.5, 9, 4, 8)), list(kept(c(1, 2, 6), c(1.5, 10, 4))))
  expect_identical(tally(count = c(3, 1, 2, 9, 0, 5)), list(kept(c(1, 2, 6), c(5, 6, 0))))
  expect_identical(tally(by = list(g = c("v", "u", "v", "u", "u", "u"))), list(kept(c(2, 6), c(2, 1)), kept(1, 2)))
  merged <- merge_sets(list(kept(c(1, 2), c(3, 4)), kept(c(6, 2, 1), c(5, 6, 7))))
  expect_identical(merged, kept(c(1, 2, 6), c(10, 10, 5)))
  expect_identical(merge_sets(list(kept(c(2, 1), c(3, 4)))), kept(c(2, 1), c(3, 4)))
  expect_no_error(check_sets_size(2^21, 2^10))
  expect_error(check_sets_size(2^21 + 1, 2^10), class = "candor_error_too_large")
  expect_no_error(check_rows_size(2.5e5, 1000))
  expect_error(check_rows_size(2.5e5 + 1, 1000), class = "candor_error_too_large")
})

test_that("weights are squared, told if they look like frequencies, and refused beyond the totals that have squares", {
  warner <- rr_warner(0.8)
  x <- c("no", "yes", "yes")
  tally <- rr_tally(x, warner, weights = c(1, 2, 0.5))
  expect_identical(unclass(tally)[c("counts", "n", "weight_squares", "respondents", "missing")],
    list(counts = c(1, 2.5), n = 3.5, weight_squares = 5.25, respondents = 3, missing = 0))
  expect_message(rr_tally(x, warner, weights = c(1, 2, 3)), class = "candor_message_weights")
  expect_no_message(rr_tally(x, warner, count = c(1, 2, 3)))
  expect_refused(rr_tally(x, warner, weights = c(1e100, 1e100, 0.5)), rr_tally(x, warner, weights = c(1e-101, 0, 0)))
  expect_identical(rr_tally(x, warner, weights = c(0, 0, 0))$effective_n, 0)
  gap <- suppressMessages(rr_tally(c(x, NA), warner, weights = c(1, 2, 0.5, 7), na.rm = TRUE))
  expect_identical(unclass(gap)[c("n", "weight_squares", "respondents", "missing")], list(n = 3.5, weight_squares = 5.25, respondents = 3, missing = 1))
  expect_match(tally_remedy(structure(list(), class = "rr_fit")), "fit$tally", fixed = TRUE)
  expect_match(tally_remedy(structure(list(), class = "rr_survey")), "fit$tally", fixed = TRUE)
  expect_no_match(tally_remedy(3), "fit$tally", fixed = TRUE)
})

test_that("weights and numbers of reports are numbers, one a report, and labels of groups are of at most 10,000 bytes", {
  expect_refused(
    check_times(c(1, 2), 3), check_times("1", 1), check_times(list(1), 1), check_times(NA_real_, 1), check_times(c(1, NaN), 2), check_times(-1, 1),
    check_times(0.5, 1), check_times(2^53 + 2, 1), check_times(Inf, 1), check_times(c(2, 1), 1)
  )
  expect_identical(check_times(c(3L, 0L), 2), c(3, 0))
  expect_refused(check_weights(c(1, 2), 3), check_weights("1", 1), check_weights(list(1), 1), check_weights(NaN, 1), check_weights(-1, 1))
  expect_refused(check_weights(c(2, 1), 1))
  expect_identical(check_weights(c(3L, 0L), 2), c(3, 0))
  expect_null(check_weights(NULL, 2))
  warner <- rr_warner(0.8)
  expect_equal(joined_evidence(rr_counts(cbind(u = c(0, 1), v = c(1, 1)), warner))$n, c(1, 1, 2, 2))
  for (size in 10000:10001) {
    label <- strrep("a", size)
    for (key in list(label, factor(label))) {
      made <- tryCatch(new_rr_tally(warner, cbind(c(1, 2)), tibble(g = key)), candor_error = function(e) NULL)
      expect_identical(is.null(made), size > 10000)
    }
  }
  expect_s3_class(new_rr_tally(warner, cbind(c(1, 2)), tibble(g = 1)), "rr_tally")
})
