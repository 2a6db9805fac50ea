# One element's bits, reported by many, and the probabilities that a report is wrong.

test_that("ones are counted, and a first bit that is none is refused as any other", {
  tally <- rr_tally(c(1, 0, 1, 1), flip = 0.1)
  expect_equal(c(tally$ones, tally$n), c(3, 4))
  packed <- as.raw(5)   # the bits 1, 0, 1, 0, 0, ...
  expect_equal(tally_bits(packed, 0.1, 3, "bits")$ones, 2)
  for (bits in list(c(2, 0, 1), c(0, 1, 2))) expect_refused(rr_tally(bits, flip = 0.1))
  expect_error(rr_tally(c(NA, 0, 1), flip = 0.1), class = "candor_error_missing")
})

test_that("a flip is plain numbers: one, one for each bit, or one for each entry", {
  expect_identical(check_flip(0.1, 1, 3), 0.1)
  expect_identical(check_flip(c(0.1, 0.2, 0.3), 1, 3), c(0.1, 0.2, 0.3))
  expect_identical(check_flip(c(b = 0.2, a = 0.1), 1, 2, c("a", "b")), c(0.1, 0.2))
  entries <- matrix(1:6 / 20, 2)
  expect_identical(check_flip(entries, 2, 3), entries)
  expect_refused(
    check_flip(structure(0.1, class = "units"), 1, 1), check_flip("0.1", 1, 1), check_flip(numeric(), 1, 1), check_flip(c(0.1, 0.2), 1, 3)
  )
})

test_that("a flip may be a row of a matrix, and what is no probability, or names other sets, is refused", {
  flip <- c(0.1, 0.2, 0.3)
  # Theorem 1: 1 - prod((1 - q - y) / (1 - 2 q)).
  expect_equal(rr_extreme(c(0, 1, 0), matrix(flip, 1))$estimate, 1 - prod((1 - flip - c(0, 1, 0)) / (1 - 2 * flip)))
  expect_refused(rr_extreme(c(0, 1), c(0.1, -0.1)), rr_extreme(numeric(10001), c(rep(0.1, 10000), 1.5)), rr_extreme(numeric(10001), c(NA, rep(0.1, 10000))))
  named <- c(a = 0, b = 1)
  expect_refused(rr_extreme(named, c(a = 0.1, a = 0.2)), rr_extreme(named, c(a = 0.1, z = 0.2)), class = "mismatch")
  # No set has a name: the order counts.
  expect_equal(check_flip(c(x = 0.1, y = 0.2), 1, 2, c("", "")), c(0.1, 0.2))
})

test_that("bits are whole numbers, logical values or packed, in rows or alone", {
  expect_identical(check_bits(c(a = 0, b = 1)), c(a = 0L, b = 1L))
  expect_identical(check_bits(data.frame(a = c(TRUE, FALSE))), cbind(a = c(TRUE, FALSE)))
  expect_refused(check_bits(factor(0:1)), check_bits("1"), check_bits(array(0L, c(2, 2, 2))), check_bits(matrix(as.raw(1))),
                 check_bits(structure(1L, class = "units")), check_bits(list(1)))
  expect_refused(check_bits(logical()), check_bits(numeric()), class = "empty")
  expect_refused(check_bits(c(0, NA)), check_bits(cbind(0, NaN)), class = "missing")
  expect_error(check_bits(cbind(c(0, 1), c(1, 3))), "[2, 2] is 3", fixed = TRUE, class = "candor_error_argument")
  # The first two of eight packed bits.
  expect_identical(rr_tally(as.raw(5), flip = 0.1)$n, 8)
  expect_identical(rr_tally(as.raw(5), flip = c(0.1, 0.2), n = 2)$ones, 1)
  expect_refused(rr_tally(as.raw(5), flip = 0.1, n = 9), rr_tally(as.raw(5), flip = 0.1, n = 0), rr_tally(cbind(0, 1), flip = 0.1, n = 2))
})

test_that("a tally without labels takes those of the other", {
  named <- rr_tally(ones = c(a = 1, b = 2), n = 3, flip = 0.1)
  bare <- rr_tally(ones = 1:2, n = 3, flip = 0.1)
  for (merged in list(c(named, bare), c(bare, named))) {
    expect_identical(unclass(merged)[c("ones", "n", "labels")], list(ones = c(2, 4), n = 6, labels = c("a", "b")))
  }
  expect_null(c(bare, bare)$labels)
})

test_that("flips with names go to the sets that they name, each once, of a matrix column by column", {
  sets <- c("a", "b", "c")
  expect_identical(check_flip(c(c = 0.3, a = 0.1, b = 0.2), 1, 3, sets), c(0.1, 0.2, 0.3))
  expect_identical(check_flip(c(a = 0.1, b = 0.2, c = 0.3), 1, 3, sets), c(0.1, 0.2, 0.3))
  entries <- matrix(c(0.3, 0.4, 0.1, 0.15, 0.2, 0.25), 2, dimnames = list(NULL, c("c", "a", "b")))
  expect_identical(unname(check_flip(entries, 2, 3, sets)), unname(entries[, c(2, 3, 1)]))
  for (names in list(c("a", "b", "d"), c("a", "b", "b"), c("a", "a", "d"))) {
    expect_error(check_flip(setNames(c(0.1, 0.2, 0.3), names), 1, 3, sets), class = "candor_error_mismatch")
    expect_error(check_flip(structure(entries, dimnames = list(NULL, names)), 2, 3, sets), class = "candor_error_mismatch")
  }
  # One flip for all needs no name of theirs.
  expect_identical(check_flip(c(all = 0.1), 1, 3, sets), 0.1)
})
