# Reports as they come back, read into rows of bits, positions and numbers that are written down here.

bits <- rbind(c(1, 0, 1, 0, 0, 0, 0, 0, 0, 1), c(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), c(1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
bit_bytes <- matrix(as.raw(c(5, 0, 255, 2, 0, 3)), 3)
ten <- rr_unary(10, 1)
five <- rr_subset(5, 1, size = 2)
flip <- rr_bitflip(6, 1, d = 2)

test_that("bits of ten categories: bytes, text, digits, columns, blobs and long tables are one thing", {
  expected <- new_rr_reports(bit_bytes, 10)
  long <- data.frame(id = c("u", "u", "u", "v", rep("w", 10)), level = c(1, 3, 10, NA, 1:10))
  forms <- list(expected, bit_bytes, c("0502", "0000", "ff03"), c("0x0502", "0x0000", "0xff03"), c("\\x0502", "\\x0000", "\\xff03"),
    factor(c("0502", "0000", "ff03")),
                c("1010000001", "0000000000", "1111111111"), bits, bits == 1, as.data.frame(bits), split(bit_bytes, 1:3), long)
  for (form in forms) expect_identical(unname(rr_reports(form, ten)), expected)
  # Bits of a report beyond the last, other sizes, other digits.
  for (bad in list(matrix(as.raw(c(5, 4)), 1), "0504", "05", "050200", c("1010000001", "101000000"), c("1010000001", "1010000002"), bits[, -1], bits + 1,
                   list(as.raw(5)), list("0502"), list(c(5, 2)), new_rr_reports(bit_bytes, 11), letters[1:2])) {
    expect_error(rr_reports(bad, ten), class = "candor_error_report")
  }
  expect_error(rr_reports(new_rr_reports(bit_bytes, 11), ten), class = "candor_error_mismatch")
  expect_error(rr_reports(c("0502", NA), ten), class = "candor_error_missing")
  read <- read_reports(c("0502", NA, "ff03"), ten, TRUE, c(1L, 2L, 2L), c(3, 4, 5))
  expect_identical(read, list(reports = expected[c(1, 3)], dropped = 2L, groups = c(1L, 2L), weights = c(3, 5), each = 2))
  # A report whose bits are partly missing is missing.
  expect_identical(read_reports(rbind(bits, replace(bits[1, ], 3, NA)), ten, TRUE)$dropped, 4L)
  expect_identical(read_reports(list(as.raw(c(5, 2)), NULL, as.raw(c(0, 0))), ten, TRUE)$dropped, 2L)
  expect_identical(read_reports(c("1010000001", NA), ten, TRUE)$reports, expected[1])
  # The position of the first that is wrong.
  at <- function(form, mechanism = ten) tryCatch(rr_reports(form, mechanism), candor_error_report = function(e) e$position)
  expect_identical(at(c("0502", "0000", "0504")), 3L)
  expect_identical(at(rbind(bits, replace(bits[1, ], 7, 2))), 4)
  expect_identical(at(bits + 0.5), 1)
  # Two bits are two hexadecimal digits, and one digit a bit otherwise.
  expect_identical(rr_reports(c("03", "01"), rr_unary(2, 1)), new_rr_reports(matrix(as.raw(c(3, 1))), 2))
  expect_identical(rr_reports(c("110", "001"), rr_unary(3, 1)), new_rr_reports(matrix(as.raw(c(3, 4))), 3))
})

test_that("positions of a subset: in any order and form, sorted; each once, as many as the mechanism has", {
  expected <- as.matrix(rr_reports(rbind(c(1, 4), c(2, 3)), five))
  expect_identical(unname(expected), rbind(c(1L, 4L), c(2L, 3L)))
  for (form in list(rbind(c(4, 1), c(2, 3)), c("4 1", "2 3"), c(" 1  4 ", "3 2"), list(c(4, 1), c(3, 2)),
    data.frame(position_2 = c(1, 2), position_1 = c(4, 3)),
                    rbind(c(1, 0, 0, 1, 0), c(0, 1, 1, 0, 0)), c("09", "06"), c("10010", "01100"), data.frame(id = c(1, 2, 1, 2), level = c(4, 2, 1, 3)))) {
    expect_identical(as.matrix(rr_reports(form, five)), expected)
  }
  again <- rr_reports(c("1 4", "2 3"), five)
  expect_identical(rr_reports(again, five), again)
  expect_error(rr_reports(again, rr_unary(5, 1)), class = "candor_error_mismatch")
  expect_identical(read_reports(c("1 4", NA), five, TRUE)$dropped, 2L)
  for (bad in list(c("1 4", "1 x"), rbind(c(1, 1)), rbind(c(0, 1)),
    rbind(c(1, 6)), rbind(c(1, 2, 3)), "1 2 3", "1 x", "1 1", list(c(1, 2), 3), rbind(c(1, 1, 1, 0, 0)), "07",
                   rbind(c(1, 2.5)), data.frame(id = c(1, 1, 1), level = 1:3), data.frame(id = c(1, 1), level = c(2, 2)))) {
    expect_error(rr_reports(bad, five), class = "candor_error_report")
  }
})

test_that("signed positions: a bucket that was not drawn is missing, and one whose bit is 0 is negative", {
  expected <- rbind(c(-2L, 5L), c(1L, 3L))
  for (form in list(expected, rbind(c(5, -2), c(3, 1)), c("-2 5", "1 3"), list(c(5, -2), c(1, 3)), rbind(c(NA, 0, NA, NA, 1, NA), c(1, NA, 1, NA, NA, NA)),
                    data.frame(id = c("a", "b", "a", "b"), level = c(2, 1, 5, 3), bit = c(0, 1, 1, 1)))) {
    expect_identical(unname(as.matrix(rr_reports(form, flip))), expected)
  }
  # No bit at all is a missing report; one of two drawn bits is a wrong one.
  empty <- rbind(c(NA, 0, NA, NA, 1, NA), rep(NA, 6))
  expect_identical(read_reports(empty, flip, TRUE)$dropped, 2L)
  for (bad in list(rbind(c(NA, 0, NA, NA, NA, NA)), rbind(c(1, -1)), rbind(c(1, 7)), "1 -1", data.frame(id = c(1, 1), level = 1:2, bit = c(1, 2)))) {
    expect_error(rr_reports(bad, flip), class = "candor_error_report")
  }
  one <- rr_bitflip(4, 1, d = 1)
  expect_identical(unname(as.matrix(rr_reports(c(2, -3), one))), rbind(2L, -3L))
  # Answers are never negative: of few reports that may be so by chance, of many it may not.
  some <- function(n) matrix(rep(c(1, 2), n), ncol = 2, byrow = TRUE)
  limit <- log(1e-8) / flip$codec$log_positive
  # The truth's bucket is one of the two of six that are drawn in a third of all reports.
  expect_equal(exp(flip$codec$log_positive), flip$p * flip$q / 3 + flip$q^2 * 2 / 3, tolerance = 1e-9)
  expect_error(rr_tally(some(ceiling(limit) + 1), flip), class = "candor_error_report")
  expect_s3_class(rr_tally(some(floor(limit)), flip), "rr_tally")
})

test_that("numbers of reports are whole, in their ranges, from text and columns in any order", {
  hash <- rr_local_hash(5, 1)
  g <- hash$g
  expected <- rr_reports(data.frame(slope = c(7L, hash$prime - 1L), shift = c(0L, 3L), value = c(1L, g)), hash)
  expect_identical(lapply(as.list(expected), as.integer), list(slope = c(7L, as.integer(hash$prime - 1)), shift = c(0L, 3L), value = c(1L, as.integer(g))))
  for (form in list(data.frame(value = c(1, g), shift = c("0", "3"), slope = c(7, hash$prime - 1)),
    sprintf(" %d %d  %d", expected$slope, expected$shift, expected$value),
                    cbind(slope = expected$slope, shift = expected$shift, value = expected$value), as.list(expected))) {
    expect_identical(as.list(rr_reports(form, hash)), as.list(expected))
  }
  expect_identical(tryCatch(rr_reports(c("7 0 1", "7", "7 0"), hash), candor_error_report = function(e) e$position), 2L)
  expect_identical(read_reports(c("7 0 1", NA), hash, TRUE)$dropped, 2L)
  wrong <- function(...) transform(as.data.frame(expected), ...)
  for (bad in list(wrong(slope = "x"), wrong(slope = 0),
    wrong(slope = hash$prime), wrong(shift = -1), wrong(shift = hash$prime), wrong(value = 0), wrong(value = g + 1),
    wrong(value = 1.5),
                   "7 0", "7 0 1 1", data.frame(slope = 1, shift = 1))) {
    expect_error(rr_reports(bad, hash), class = "candor_error_report")
  }
  # A sign has a step of 2, and cells of an index and a sign are counted with the last fastest.
  signs <- rr_hadamard(4, 1, one_bit = TRUE)
  expect_error(rr_reports(data.frame(index = 1, sign = 0), signs), class = "candor_error_report")
  expect_identical(number_cells(data.frame(a = c(2, 3, 5), b = c(0, 1, 3)), list(numbers = list(a = c(2, 5, 1), b = c(0, 3, 1)))), c(0L, 5L, 15L))
  expect_identical(number_cells(c(4, 9), list(numbers = list(a = c(4, 9, 1)))), c(0L, 5L))
})

test_that("cohorts and bits: columns, long tables, and counts cohort by cohort with the numbers of reports", {
  bloom <- rr_bloom(c("a", "b", "c"), 1, bits = 5, hashes = 1, cohorts = 2)
  rows <- rbind(c(1, 0, 0, 1, 0), c(0, 0, 0, 0, 0), c(0, 1, 1, 0, 1), c(1, 1, 1, 1, 1))
  cohort <- c(2, 1, 2, 2)
  wide <- data.frame(cohort, bit = rows)
  names(wide) <- c("cohort", paste0("bit_", 1:5))
  expected <- rr_reports(data.frame(cohort = cohort, bits = I(rows)), bloom)
  for (form in list(wide[c(1, 6:2)], data.frame(cohort = cohort, bits = c("09", "00", "16", "1f")),
                    data.frame(id = c(1, 1, 2, 3, 3, 3, rep(4, 5)), cohort = c(2, 2, 1, 2, 2, 2, rep(2, 5)), level = c(1, 4, NA, 2, 3, 5, 1:5)))) {
    expect_identical(rr_reports(form, bloom), expected)
  }
  for (bad in list(transform(wide, cohort = 3), transform(wide, cohort = 0), transform(wide, bit_1 = 2), wide[-1], wide[-2],
                   data.frame(id = c(1, 1), cohort = 1:2, level = 1:2))) {
    expect_error(rr_reports(bad, bloom), class = "candor_error_report")
  }
  mixed <- data.frame(id = c(1, 1, 2, 3, 3), cohort = c(1, 1, 2, 1, 2), level = c(1, 2, 3, 1, 2))
  expect_identical(tryCatch(rr_reports(mixed, bloom), candor_error_report = function(e) e$position), 3L)
  counted <- count_reports(bloom, wide, groups = c(1L, 1L, 2L, 2L), weights = c(1, 2, 3, 4))
  by_hand <- function(use) {
    w <- c(1, 2, 3, 4) * use
    c(vapply(1:2, function(c) c(colSums(rows * w * (cohort == c)), sum(w * (cohort == c))), numeric(6)))
  }
  expect_equal(counted$counts, cbind(by_hand(c(1, 1, 0, 0)), by_hand(c(0, 0, 1, 1))), ignore_attr = TRUE)
})

test_that("a long table lacks the reports without a category if 20 of them are expected", {
  # Each of k bits is 1 by q, but for the truth's: at least (1 - q)^(k - 1) (1 - p) of all have none.
  unary <- rr_unary(4, p = 0.5, q = 0.2)
  expected <- 0.8^3 * 0.5
  long <- function(n) data.frame(id = seq_len(n), level = 1)
  least <- ceiling(20 / expected)
  expect_error(rr_reports(long(least), unary), class = "candor_error_report")
  expect_length(rr_reports(long(least - 1), unary), least - 1)
  with_empty <- rbind(long(least), data.frame(id = 0, level = NA))
  expect_length(rr_reports(with_empty, unary), least + 1)
  expect_error(rr_reports(data.frame(id = c(1, 1), level = c(NA, 2)), unary), class = "candor_error_report")
  expect_error(rr_reports(data.frame(id = c(1, NA), level = 1:2), unary), class = "candor_error_report")
  # One group and one weight a report.
  table <- data.frame(id = c("b", "b", "a"), level = c(1, 2, 4))
  one <- one_row_each(table, unary, c(2, 2, 3), list(town = c("u", "u", NA)))
  expect_identical(one[c("weights", "by")], list(weights = c(2, 3), by = list(town = c("u", NA))))
  expect_identical(as.matrix(one$x), rbind(c(1L, 1L, 0L, 0L), c(0L, 0L, 0L, 1L)), ignore_attr = TRUE)
  expect_refused(one_row_each(table, unary, c(2, 1, 3), NULL), one_row_each(table, unary, c(2, 2, 3), list(c("u", NA, "u"))))
})

test_that("sets of bits with cohorts have four bytes of the cohort, the lowest first", {
  bloom <- rr_bloom(c("a", "b", "c"), 1, bits = 5, hashes = 1, cohorts = 300)
  expect_true(keeps_sets(bloom))
  sets <- report_sets(bloom, data.frame(cohort = c(1, 300), bits = c("09", "1f")))
  expect_identical(sets, rbind(as.raw(c(9, 1, 0, 0, 0)), as.raw(c(31, 44, 1, 0, 0))))
  expect_identical(report_sets(five, rbind(c(1, 4))), matrix(as.raw(9)))
  expect_error(report_sets(rr_grr(3, 1), 1:3), class = "candor_error_argument")
  # Categories and numbers support no set.
  expect_identical(vapply(list(five, ten, rr_grr(3, 1), rr_mean(c(0, 1), 1)), keeps_sets, NA), c(TRUE, TRUE, FALSE, FALSE))
})

test_that("signs of columns support the categories with their sign: half of the transform", {
  # Rows of the Hadamard matrix by the parity of common bits.
  odd <- function(i, j) vapply(bitwAnd(i, j), function(b) sum(as.integer(intToBits(b))) %% 2, 0)
  H <- 1 - 2 * outer(0:3, 0:3, odd)
  reports <- data.frame(cohort = c(1, 1, 2, 2, 2), index = c(0, 3, 1, 1, 2), sign = c(1, -1, 1, -1, -1))
  found <- count_signs(list(reports = reports, each = 1, groups = NULL, weights = NULL), 4, 3, 2)
  by_hand <- vapply(1:2, function(c) {
    rows <- reports[reports$cohort == c, ]
    c(colSums(H[rows$index + 1, 1:3, drop = FALSE] == rows$sign), nrow(rows))
  }, numeric(4))
  expect_equal(found, by_hand)
})

test_that("codes of categories, missing ones if they may be, and weights of at least 0", {
  grr <- rr_grr(c("a", "b", "c"), 1)
  expect_identical(report_codes(c("c", "a"), grr), c(3L, 1L))
  expect_identical(report_codes(c("c", NA), grr, absent = TRUE), c(3L, NA))
  expect_error(report_codes(c("c", NA), grr), class = "candor_error")
  expect_error(report_codes(c("c", "d"), grr), class = "candor_error_level")
  counted <- count_reports(grr, c("a", "c", "c", "b"), groups = c(1L, 2L, 2L, 1L), weights = c(1, 2, 0.5, 3))
  expect_equal(counted$counts, cbind(c(1, 3, 0), c(0, 0, 2.5)))
  expect_equal(counted[c("n", "respondents", "weight_squares")], list(n = c(4, 2.5), respondents = c(2, 2), weight_squares = c(10, 4.25)))
  expect_identical(count_reports(grr, c("a", "c", "c"))$respondents, NULL)
  expect_identical(rr_reports(c("c", "a"), grr), c("c", "a"))
  expect_error(rr_reports(c("c", "d"), grr), class = "candor_error_level")
  expect_refused(rr_reports("a", "rr_grr"), count_reports(grr, "a", weights = -1), count_reports(grr, data.frame(x = "a")))
  expect_identical(tally_sums(c(1, 2)), 3)
  expect_identical(tally_sums(cbind(c(1, 2), c(5, 6))), c(3, 11))
})

test_that("a long table of filters lacks the reports without a bit if 20 of them are expected", {
  # Two bits of the string are 1 with probability 0.7, the three others with 0.2.
  bloom <- rr_bloom(c("a", "b"), bits = 5, hashes = 2, cohorts = 1, f = 0, p = 0.2, q = 0.7, places = rbind(1:2, 4:5))
  least <- ceiling(20 / (0.8^3 * 0.3^2))
  expect_error(check_empty_reports(bloom, least, 0), class = "candor_error_report")
  expect_null(check_empty_reports(bloom, least - 1, 0))
  expect_null(check_empty_reports(bloom, least, 1))
  # Bits of a set of fixed size are not independent.
  expect_null(check_empty_reports(rr_subset(5, 1, size = 2), 1e9, 0))
})

test_that("one report in columns with names is a report, whatever their order and number", {
  three <- rr_unary(c("a", "b", "c"), 1)
  expect_identical(as.matrix(rr_reports(data.frame(c = 1, a = 1, b = 0), three)), cbind(1L, 0L, 1L), ignore_attr = TRUE)
  expect_identical(unname(as.matrix(rr_reports(data.frame(sent = 8, position_1 = c(2, -3)), rr_bitflip(4, 1, d = 1)))), rbind(2L, -3L))
  bloom <- rr_bloom(c("a", "b", "c"), 1, bits = 5, hashes = 1, cohorts = 2)
  # Numbers of bits may come as text, as files have them.
  read <- function(level) rr_reports(data.frame(id = 1:2, cohort = c(2, 1), level = level), bloom)
  expect_identical(read(c("4.0", "1")), read(c(4, 1)))
})

test_that("the last category of a report and the first of the next are two", {
  expect_identical(as.matrix(rr_reports(data.frame(id = 1:2, level = c(3, 1)), rr_unary(3, 1))), rbind(c(0L, 0L, 1L), c(1L, 0L, 0L)), ignore_attr = TRUE)
})

test_that("twenty reports without a category are expected of 160, each of which has none with 1/8", {
  unary <- rr_unary(2, p = 0.75, q = 0.5)
  expect_error(check_empty_reports(unary, 160, 0), class = "candor_error_report")
  expect_null(check_empty_reports(unary, 159, 0))
})

test_that("counts without groups are a vector, of one group too, and a weight of 0 is one", {
  expect_identical(count_reports(ten, bits)$counts, c(2, 1, 2, 1, 1, 1, 1, 1, 1, 2))
  expect_identical(count_reports(ten, bits, groups = c(1L, 1L, 1L))$counts, c(2, 1, 2, 1, 1, 1, 1, 1, 1, 2))
  expect_identical(count_reports(ten, bits, groups = c(2L, 1L, 2L))$counts, cbind(numeric(10), c(2, 1, 2, 1, 1, 1, 1, 1, 1, 2)))
  expect_equal(count_reports(rr_grr(2, 1), c(1, 2), weights = c(0, 2))[c("counts", "respondents")], list(counts = c(0, 2), respondents = 2))
  bloom <- rr_bloom(c("a", "b", "c"), 1, bits = 3, hashes = 1, cohorts = 2)
  # The ones of each bit, then the number of reports.
  expect_silent(counted <- count_reports(bloom, data.frame(cohort = c(2, 2, 1), bits = c("05", "01", "02"))))
  expect_identical(counted$counts, c(0, 1, 0, 1, 2, 0, 1, 2))
})

test_that("signs are counted group by group, and cohort by cohort within a group", {
  reports <- data.frame(cohort = c(1, 2, 1, 2, 2), index = c(0, 1, 1, 0, 1), sign = c(1, 1, -1, -1, 1))
  found <- count_signs(list(reports = reports, groups = c(1L, 1L, 2L, 2L, 2L), each = 2, weights = NULL), 2, 2, 2)
  # Columns 0 and 1 of the Hadamard matrix are (1, 1) and (1, -1).
  expect_equal(found, cbind(c(1, 1, 1), c(1, 0, 1), c(0, 1, 1), c(1, 0, 2)))
})

test_that("counts that would not fit in memory are refused", {
  expect_error(count_reports(rr_grr(1e5, 1), c(1, 2), groups = c(1L, 2000000000L)), class = "candor_error_too_large")
})
