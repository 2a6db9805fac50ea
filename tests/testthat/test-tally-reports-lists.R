test_that("reports of a few numbers are read back from text, lists, tables and data frames", {
  set.seed(1)
  truth <- sample(60, 200, TRUE)
  subset <- rr_subset(60, 3)
  one <- rr_subset(60, 8, size = 1)
  flips <- rr_bitflip(60, 2, d = 3)
  flip <- rr_bitflip(60, 2)
  for (m in list(subset, one, flips, flip)) {
    x <- rr_perturb(truth, m, rng = "R")
    expect_s3_class(x, "rr_reports")
    tally <- rr_tally(x, m)
    text <- as.character(x)
    forms <- list(text, factor(text), as.list(x), lapply(as.list(x), as.double), as.matrix(x), as.data.frame(as.matrix(x)))
    for (form in forms) {
      expect_identical(rr_reports(form, m), x)
      expect_identical(rr_tally(form, m), tally)
    }
    by <- rep(c("a", "b"), 100)
    grouped <- rr_tally(x, m, by = by)
    expect_identical(rr_tally(data.frame(group = by, report = text), m, column = "report", by = "group"), grouped)
    expect_identical(rr_tally(data.frame(group = by, report = text), m, by = "group"), grouped)
    wide <- data.frame(group = by, as.matrix(x))
    expect_identical(rr_tally(wide, m, by = "group"), grouped)
    expect_identical(rr_tally(wide, m, column = names(wide)[-1], by = "group"), grouped)
    # Missing ones in each form.
    gone <- c(3, 9)
    left <- rr_tally(x[-gone], m)$counts
    text[gone] <- NA
    list <- replace(as.list(x), gone, list(NULL, NA))
    matrix <- replace(as.matrix(x), cbind(rep(gone, each = ncol(as.matrix(x))), seq_len(ncol(as.matrix(x)))), NA)
    for (form in list(text, list, matrix)) {
      expect_error(rr_tally(form, m), "Report 3 is NA", class = "candor_error_missing")
      expect_identical(suppressMessages(rr_tally(form, m, na.rm = TRUE))$counts, left)
    }
  }
})

test_that("hexadecimal text of subsets stays hexadecimal, also where all of its digits are numbers", {
  # 2 of 20 categories: "120000" is bits 2 and 5. 1 of 8: "3" is a number, "04" is bit 3.
  two <- rr_subset(20, 2, size = 2)
  expect_identical(as.matrix(rr_reports("120000", two)), matrix(c(2L, 5L), 1))
  expect_identical(as.matrix(rr_reports(c("2 5", " 5  2 "), two)), matrix(c(2L, 5L), 2, 2, byrow = TRUE))
  one <- rr_subset(8, 3, size = 1)
  expect_identical(rr_reports("04", one), rr_reports("3", one))
})

test_that("reports of another form, or of other numbers of categories, are refused", {
  levels <- letters[1:5]
  truth <- rep(levels, 400)
  set.seed(2)
  sets <- rr_perturb(truth, rr_subset(levels, 1), rng = "R")
  expect_refused(rr_tally(sets, rr_hadamard(levels, 1)), rr_tally(sets, rr_subset(letters[1:6], 1)),
                 rr_reports(rr_perturb(truth, rr_unary(levels, 1), rng = "R"), rr_hadamard(levels, 1)), class = "mismatch")
  # All bits are 1, which flips never are.
  expect_refused(rr_tally(sets, rr_bitflip(levels, 1)), rr_tally(match(truth, levels), rr_bitflip(levels, 1)), class = "report")
  # By hand: with d = 1 of 5 a bit is 1 with probability q + (p - q) / 5 = 0.361; 18 such reports have 1.1e-8, 19 fewer than 1e-8.
  expect_s3_class(rr_tally(rep(1L, 18), rr_bitflip(levels, 1)), "rr_tally")
  expect_error(rr_tally(rep(1L, 19), rr_bitflip(levels, 1)), class = "candor_error_report")
  hashed <- rr_perturb(truth, rr_local_hash(levels, 1), rng = "R")
  three <- rr_subset(60, 3)
  expect_refused(rr_tally(c("1 5 9", "1 5"), three), rr_tally(c("1 5 9", "1 5 x"), three), rr_tally("1 5 61", three), rr_tally("1 5 5", three),
                 rr_tally(list(1:3, 1:4), three), rr_tally(rr_perturb(truth, rr_bloom(levels, 1)), rr_grr(levels, 1)),
                 rr_tally(hashed, rr_hadamard(levels, 1)), rr_tally(data.frame(day = 1, report = hashed), rr_local_hash(levels, 1)),
                 rr_tally(data.frame(day = 1, report = hashed), rr_local_hash(levels, 1), column = "report"), class = NULL)
})

test_that("a column of text is found in a data frame", {
  set.seed(3)
  levels <- letters[1:5]
  unary <- rr_unary(levels, 1)
  x <- rr_perturb(rep(levels, 40), unary, rng = "R")
  tally <- rr_tally(x, unary)
  expect_identical(rr_tally(data.frame(oue = as.character(x)), unary), tally)
  expect_identical(rr_tally(data.frame(day = 1, as.matrix(x)), unary, column = paste0("X", 1:5)), tally)
  named <- data.frame(day = 1, stats::setNames(as.data.frame(as.matrix(x)), levels))
  expect_identical(rr_tally(named, unary), tally)
  expect_error(rr_tally(data.frame(day = 1, oue = as.character(x)), unary), class = "candor_error_report")
  expect_identical(rr_tally(data.frame(day = 1, oue = as.character(x)), unary, column = "oue"), tally)
})
