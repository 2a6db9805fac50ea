#' @srrstats {G5.8b, G5.8c, G5.8d} What cannot be a report is refused, NA alone among it.

m <- rr_grr(c("no", "some", "often"), epsilon = 2)
survey <- data.frame(answer = rep(c("no", "some", "often", "no"), 6), region = rep(c("n", "s"), each = 12), year = rep(2020:2021, 12), w = rep(c(0.5, 1, 2), 8))

# The vectors themselves are the truth here: what a data frame gives must be what they give.
test_that("a data frame is tallied by the names of its columns", {
  plain <- rr_tally(survey$answer, m, by = survey["region"], weights = survey$w)
  expect_identical(rr_tally(survey, m, column = "answer", by = "region", weights = "w"), plain)
  expect_identical(rr_tally(survey, m, column = ~ answer, by = ~ region, weights = ~ w), plain)
  expect_identical(rr_tally(survey, m, column = "answer", by = survey["region"], weights = survey$w), plain)
  both <- rr_tally(survey$answer, m, by = survey[c("region", "year")])
  for (by in list(~ region + year, c("region", "year"))) expect_identical(rr_tally(survey, m, column = "answer", by = by), both)
  # One column, or one that is left, needs no name
  for (one in list(survey["answer"], tibble::as_tibble(survey["answer"]))) expect_identical(rr_tally(one, m), rr_tally(survey$answer, m))
  expect_identical(rr_tally(survey[c("answer", "region")], m, by = "region"), rr_tally(survey$answer, m, by = survey["region"]))
  # Estimation takes the same
  named <- rr_estimate(survey, m, column = "answer", by = ~ region, weights = ~ w)
  expect_identical(named$tally$question, "answer")
  named$tally$question <- NULL
  expect_identical(named, rr_estimate(plain))
})

test_that("a text vector of groups is not mistaken for names", {
  groups <- rep(c("region", "z"), 12)
  expect_identical(rr_tally(survey, m, column = "answer", by = groups), rr_tally(survey$answer, m, by = groups))
})

test_that("groups of a grouped tibble become groups", {
  skip_if_not_installed("dplyr")
  expect_identical(rr_tally(dplyr::group_by(survey, region), m, column = "answer"), rr_tally(survey$answer, m, by = survey["region"]))
  expect_identical(rr_tally(dplyr::group_by(survey, region), m, column = "answer", by = "year"), rr_tally(survey$answer, m, by = survey[c("region", "year")]))
  expect_identical(rr_counts(dplyr::count(survey, region, answer), m), rr_tally(survey$answer, m, by = survey["region"]))
})

test_that("questions of a product are found by name, groups and weights too", {
  product <- rr_product(a = m, b = rr_warner(0.8))
  frame <- data.frame(b = rep(c("no", "yes"), 12), g = survey$region, a = survey$answer, w = survey$w)
  expect_identical(rr_tally(frame, product, by = "g", weights = "w"), rr_tally(frame[c("a", "b")], product, by = frame["g"], weights = frame$w))
  expect_error(rr_tally(frame, product, column = "a"), class = "candor_error_argument")
  tally <- rr_tally(frame, product, by = "g")
  expect_identical(rr_counts(tidy(tally), product), tally)
  expect_identical(rr_counts(as.data.frame(table(frame[c("a", "b")])), product), rr_tally(frame, product))
})

test_that("labelled values are what their labels say", {
  labelled <- function(x, labels, ...) structure(x, labels = labels, ..., class = c("haven_labelled", "vctrs_vctr", "double"))
  codes <- c(1, 2, 2, 3)
  expect_identical(rr_tally(labelled(codes, c(no = 1, some = 2, often = 3)), m)$counts, c(1, 2, 1))
  # Yes and no the other way round: the labels decide, not the numbers
  expect_identical(rr_tally(labelled(c(0, 1, 1), c(yes = 0, no = 1)), rr_warner(0.8))$counts, c(2, 1))
  expect_error(rr_tally(labelled(c(0, 1, 1), c(Yes = 0, No = 1)), rr_warner(0.8)), class = "candor_error_level")
  # The values are the levels
  expect_identical(rr_tally(labelled(codes, c(never = 1, once = 2, often = 3)), rr_grr(3, epsilon = 1))$counts, c(1, 2, 1))
  missing <- structure(c(1, 2, 9), labels = c(no = 1, some = 2, often = 3, refused = 9), na_values = 9,
                       class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
  expect_message(expect_identical(rr_tally(missing, m, na.rm = TRUE)$counts, c(1, 1, 0)), class = "candor_message_missing")
  # As a group
  groups <- labelled(c(2, 1, 2, 1), c(south = 1, north = 2))
  expect_identical(rr_tally(survey$answer[1:4], m, by = groups)$groups$group, factor(c("south", "north"), c("south", "north")))
  # And as a true answer
  expect_true(all(rr_perturb(labelled(codes, c(no = 1, some = 2, often = 3)), m) %in% m$levels))
})

test_that("what cannot be found in a data frame is an error", {
  expect_error(rr_tally(survey, m, column = "anwser"), "Did you mean \"answer\"?", fixed = TRUE, class = "candor_error_argument")
  for (column in list(NULL, c("answer", "region"), 1, ~ cut(year), year ~ region)) expect_refused(rr_tally(survey, m, column = column))
  for (by in list(~ cut(year), year ~ region, ~ 1)) expect_refused(rr_tally(survey, m, column = "answer", by = by))
  expect_refused(rr_tally(survey$answer, m, by = ~ region), rr_tally(data.frame(a = "no"), rr_product(a = m), column = "a"),
                 rr_tally(rr_counts(c(1, 2, 3), m), m, column = "answer"), rr_estimate(rr_counts(c(1, 2, 3), m), column = "answer"))
})

test_that("case and space count, and are mended before the tally", {
  typed <- c("No", " no", "SOME", "often\t", "no", NA)
  expect_refused(rr_tally(typed, m, na.rm = TRUE), rr_tally(data.frame(a = "NO", b = "some"), rr_product(a = m, b = m)), class = "level")
  expect_refused(rr_tally(typed, m, match = "relaxed"))
  expect_message(tally <- rr_tally(trimws(tolower(typed)), m, na.rm = TRUE), class = "candor_message_missing")
  expect_identical(tally$counts, c(3, 1, 1))
})

test_that("counts are read from data frames of two shapes", {
  wide <- nigeria_survey[c("no", "yes")]
  expect_identical(rr_counts(wide, rr_forced(1 / 6)), rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  expect_error(rr_counts(exam_survey[c(1, 1), ], rr_forced(1 / 6), by = "item"), class = "candor_error_argument")
  two <- rr_counts(exam_survey[1:2, c("p", "no", "yes")], rr_forced(1 / 6))
  expect_identical(two$counts, rbind(exam_survey$no[1:2], exam_survey$yes[1:2]) + 0)
  expect_identical(names(two$groups), "p")
  expect_identical(rr_counts(data.frame(no = 1:2, yes = 3:4), rr_warner(0.8))$groups$group, 1:2)

  tally <- rr_tally(survey, m, column = "answer", by = ~ region + year)
  expect_identical(rr_counts(tidy(tally), m), tally)
  expect_identical(rr_counts(as.data.frame(table(survey$answer)), m)$counts, rr_tally(survey$answer, m)$counts)
  long <- data.frame(region = c("a", "a", "b"), answer = c("no", "often", "no"), n = c(5L, 3L, 2L))
  expect_identical(rr_counts(long, m)$counts, cbind(c(5, 0, 3), c(2, 0, 0)))
  expect_identical(rr_counts(long, m)$groups$region, c("a", "b"))
  for (bad in list(rbind(long, long), long[c("region", "answer")], data.frame(u = "x", v = "y", n = 1), transform(long, n = "1"),
                   data.frame(region = c("a", NA), answer = "no", n = 1))) expect_error(rr_counts(bad, m), class = "candor_error")
  expect_error(rr_counts(data.frame(answer = c("no", "nein"), n = 1:2), m), "nein", class = "candor_error_level")
  expect_refused(rr_counts(long, m, by = character()), rr_counts(c(1, 2, 3), m, by = "region"))
})

test_that("64-bit counts are read with or without bit64", {
  # The bits of 3, 2^40 + 5 and 1 as 64-bit integers
  halves <- c(3L, 0L, 5L, 256L, 1L, 0L)
  if (.Platform$endian == "big") halves <- halves[c(2, 1, 4, 3, 6, 5)]
  big <- structure(readBin(writeBin(halves, raw()), "double", 3), class = "integer64")
  expect_identical(rr_counts(big, m)$counts, c(3, 2^40 + 5, 1))
  expect_identical(plain_numbers(structure(-1, class = "numeric")), structure(-1, class = "numeric"))
  skip_if_not_installed("bit64")
  expect_identical(plain_numbers(bit64::as.integer64(c(-7, 2^31, NA, 0, -2^40))), c(-7, 2^31, NA, 0, -2^40))
})

test_that("missing groups are dropped when asked, and reported", {
  by <- c("a", NA, "b", "a")
  expect_error(rr_tally(survey$answer[1:4], m, by = by), class = "candor_error_missing")
  expect_message(tally <- rr_tally(survey$answer[1:4], m, by = by, weights = 1:4, na.rm = TRUE), "without a group", class = "candor_message_missing")
  kept <- c(1, 3, 4)
  expect_identical(tally[names(tally) != "missing"], rr_tally(survey$answer[kept], m, by = by[kept], weights = kept)[names(tally) != "missing"])
  expect_identical(tally$missing, 1)
})

test_that("weighted reports are counted as well as weighed", {
  w <- survey$w
  tally <- rr_tally(survey, m, column = "answer", weights = ~ w)
  expect_identical(tally$respondents, 24)
  expect_identical(rr_tally(survey, m, column = "answer", weights = ~ w, by = ~ region)$respondents, c(12, 12))
  expect_identical(c(tally, tally)$respondents, 48)
  expect_identical(c(tally, rr_tally(survey$answer, m))$respondents, 48)
  expect_null(c(tally, rr_counts(c(1, 2, 3), m, effective_n = 4))$respondents)
  glanced <- glance(rr_estimate(tally))
  expect_identical(glanced$respondents, 24)
  expect_equal(glanced$effective_n, sum(w)^2 / sum(w^2))
})

test_that("groups without reports are named and left out", {
  counts <- cbind(N = c(3, 4, 5), W = 0, E = c(1, 2, 3))
  expect_message(fit <- rr_estimate(rr_counts(counts, m)), "\"W\"", class = "candor_message_empty")
  expect_identical(coef(fit), coef(rr_estimate(rr_counts(counts[, c("N", "E")], m))))
  expect_error(rr_estimate(rr_tally("no", m, weights = 0)), class = "candor_error_empty")
})

test_that("wide tables of counts that lack something are refused", {
  die <- rr_forced(1 / 6)
  wide <- data.frame(region = c("N", "S"), no = c(10, 20), yes = c(5, 6))
  # The numbers of "yes" could be read as answers: 0 is no, and 1 is yes.
  expect_refused(rr_counts(stats::setNames(wide, c("region", "No", "YES")), die), rr_counts(data.frame(yes = 0:1, n = c(15, 26)), die),
                 rr_counts(wide[c("region", "no")], die), rr_counts(as.matrix(wide[c("no", "yes")]), die), rr_counts(wide, die, column = "region"))
  # Totals are no groups.
  given <- data.frame(region = c("N", "S"), yes = c(5, 6), n = c(15, 26))
  given$no <- given$n - given$yes
  expect_identical(rr_counts(given, die), rr_counts(wide, die))
  expect_identical(unname(rr_counts(t(as.matrix(wide[c("no", "yes")])), die)$counts), unname(rr_counts(wide, die)$counts))
  skip_if_not_installed("dbplyr")
  lazy <- dbplyr::lazy_frame(answer = "no", n = 1, con = dbplyr::simulate_sqlite())
  expect_refused(rr_counts(lazy, die), rr_perturb(lazy, die))
})

test_that("a data frame of reports is a column of a tibble, which must be named", {
  set.seed(6)
  x <- sample(9, 40, TRUE)
  words <- sample(c("home", "work"), 40, TRUE)
  protocols <- list(rr_local_hash(9, 1), rr_local_hash(9, 1, cohorts = 4), rr_hadamard(9, 1, one_bit = TRUE), rr_bloom(9, 1, bits = 16, cohorts = 4),
                    rr_hierarchy(9, 1), rr_count_mean_sketch(1, 32, 4), rr_count_mean_sketch(1, 32, 4, one_bit = TRUE), rr_prefixes(1, c(2, 3), 32, 4),
                    rr_unary(9, 1), rr_subset(9, 1), rr_hadamard(9, 1), rr_grr(9, epsilon = 1))
  for (m in protocols) {
    reports <- rr_perturb(if (inherits(m, c("rr_count_mean_sketch", "rr_prefixes"))) words else x, m, rng = "R")
    data <- tibble::tibble(day = 1, report = reports)
    expect_identical(rr_tally(data, m, column = "report"), rr_tally(reports, m), info = format(m))
    expect_error(rr_tally(data, m), class = "candor_error", info = format(m))
  }
  # A sketch does not count reports of prefixes, whose columns it would know.
  m <- rr_prefixes(1, c(2, 3), 32, 4)
  expect_error(rr_tally(rr_perturb(words, m), rr_count_mean_sketch(1, 32, 4)), "rr_prefixes", class = "candor_error_mismatch")
})

test_that("one identifier is one report: copies count once, two different reports are refused, and an empty one is none", {
  mechanism <- rr_warner(0.8)
  posted <- data.frame(id = c("a", "b", "a", "c", "b"), report = c("yes", "no", "yes", "no", "no"), time = 1:5)
  expect_message(tally <- rr_tally(posted, mechanism, column = "report", id = "id"), "2 reports that came again", class = "candor_message_copies")
  # By hand: a yes, b no, c no.
  expect_identical(unname(tally$counts), c(2, 1))
  posted$report[3] <- "no"
  expect_error(rr_tally(posted, mechanism, column = "report", id = "id"), "Different reports", class = "candor_error_argument")
  posted$report[3] <- NA
  expect_error(rr_tally(posted, mechanism, column = "report", id = "id", na.rm = TRUE), "Different reports", class = "candor_error_argument")
  for (id in c("", " ", NA)) {
    expect_error(rr_tally(replace(posted, "id", c(id, letters[1:4])), mechanism, column = "report", id = "id", na.rm = TRUE), "identifiers",
                 class = "candor_error_argument")
  }
  # Reports of several columns, of several questions, and packed ones.
  hash <- rr_local_hash(letters[1:3], 1)
  unary <- rr_unary(letters[1:3], 1)
  several <- rr_product(x = mechanism, y = mechanism)
  set.seed(5)
  bits <- data.frame(id = 1:4)
  bits$report <- rr_perturb(c("a", "b", "c", "a"), unary, rng = "R")
  of <- function(reports) cbind(id = 1:4, as.data.frame(reports))
  answers <- data.frame(x = c("no", "yes", "no", "yes"), y = "no")
  for (case in list(list(hash, of(rr_perturb(c("a", "b", "c", "a"), hash, rng = "R"))), list(several, of(rr_perturb(answers, several, rng = "R"))),
                    list(unary, bits))) {
    data <- case[[2]]
    count <- function(rows, ...) rr_tally(data[rows, ], case[[1]], id = "id", ...)
    expect_identical(suppressMessages(count(c(1:4, 2, 2)))$counts, count(1:4)$counts)
    data$id <- c(1, 2, 3, 1)
    expect_identical(suppressMessages(count(c(1:3, 1)))$counts, count(1:3)$counts)
    is_same <- identical(format(case[[2]][4, -1]), format(case[[2]][1, -1]))
    if (!is_same) expect_error(count(1:4), "Different reports", class = "candor_error_argument")
  }
})

test_that("each group has somebody without a label, and a label of each of its reports", {
  mechanism <- rr_warner(0.8)
  # Rows of labels are truths, columns reports.
  labels <- list(rbind(c(0, 0), c(3, 2)))
  expect_no_error(check_labels(cbind(c(1, 0)), labels, mechanism, NULL))
  expect_no_error(check_labels(cbind(c(4, 5)), labels, mechanism, NULL))
  expect_error(check_labels(cbind(c(0, 0)), labels, mechanism, NULL), class = "candor_error_empty")
  nobody <- list(rbind(c(0, 3), c(0, 2)))
  expect_error(check_labels(cbind(c(4, 5)), nobody, mechanism, NULL), class = "candor_error_no_information")
  # Nobody gave the report that has no label.
  expect_no_error(check_labels(cbind(c(0, 5)), nobody, mechanism, NULL))
  expect_error(check_labels(cbind(c(4, 5), c(4, 5)), c(labels, nobody), mechanism, NULL), class = "candor_error_no_information")
})
