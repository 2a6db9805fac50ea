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
