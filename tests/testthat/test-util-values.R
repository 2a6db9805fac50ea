# Input in other encodings and odd shapes, each of which once ended in an error of R's own.

test_that("labels in latin1 are labels", {
  latin1 <- iconv("caf\u00e9", "UTF-8", "latin1")
  expect_identical(Encoding(latin1), "latin1")
  for (m in list(rr_grr(c("tea", latin1), epsilon = 1), rr_warner(0.8, levels = c("tea", latin1)),
                 rr_forced(0.2, levels = c("tea", latin1)), rr_misclassification(0.8, 0.9, levels = c("tea", latin1)),
                 rr_channel(matrix(c(0.8, 0.2, 0.2, 0.8), 2), levels = c("tea", latin1)))) {
    expect_identical(m$levels[2], "caf\u00e9")
    expect_identical(rr_tally(c(latin1, "caf\u00e9", "tea"), m)$counts, c(1, 2))
  }
  bytes <- "caf\xe9"
  Encoding(bytes) <- "bytes"
  expect_refused(rr_grr(c("tea", bytes), epsilon = 1), rr_sketch(bytes, "bloom", bits = 64))
})

test_that("text that is hashed is read byte by byte, or refused", {
  sketch <- rr_count_mean_sketch(5, 64, 8)
  prefixes <- rr_prefixes(4, 1:3, 64, 8)
  latin1 <- iconv("caf\u00e9", "UTF-8", "latin1")
  utf8 <- "caf\u00e9"
  draw <- function(x, mechanism) {
    set.seed(1)
    rr_perturb(x, mechanism, rng = "R")
  }
  expect_identical(draw(latin1, sketch), draw(utf8, sketch))
  expect_identical(draw(factor(latin1), sketch), draw(utf8, sketch))
  expect_identical(draw(latin1, prefixes), draw(utf8, prefixes))
  expect_identical(rr_sketch("a", key = latin1), rr_sketch("a", key = utf8))
  expect_identical(rr_bloom(c("a", latin1), 1)$places, rr_bloom(c("a", utf8), 1)$places)
  reports <- rr_tally(draw(rep(utf8, 500), sketch), sketch)
  expect_identical(coef(rr_estimate(reports, candidates = latin1)), coef(rr_estimate(reports, candidates = utf8)))

  refused <- function(bad) {
    for (m in list(sketch, prefixes)) {
      error <- expect_error(rr_perturb(c("tea", bad), m), "Answer 2 is not valid in its encoding", class = "candor_error_argument")
      # Nobody's answer is shown.
      expect_no_match(conditionMessage(error), "caf")
      expect_refused(rr_perturb(factor(1:2, labels = c("tea", bad)), m), draw_reports(m, bad))
    }
    expect_refused(rr_estimate(reports, candidates = c("tea", bad)), rr_heavy_hitters(rr_tally(draw(rep("tea", 99), prefixes), prefixes), alphabet = bad),
                   rr_sketch(c("tea", bad)), rr_sketch("tea", key = bad), rr_bloom(c("tea", bad), 1))
  }
  bytes <- "caf\xe9"
  Encoding(bytes) <- "bytes"
  refused(bytes)
  wrong <- "caf\xe9"
  Encoding(wrong) <- "UTF-8"
  refused(wrong)
  # R in a locale that knows ASCII alone would hash its own escapes of unmarked text.
  before <- Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", before))
  Sys.setlocale("LC_CTYPE", "C")
  refused("caf\xc3\xa9")
  expect_error(rr_perturb("caf\xc3\xa9", sketch), "Encoding(x) <-", fixed = TRUE)
  expect_identical(draw(latin1, sketch), draw(utf8, sketch))
  Sys.setlocale("LC_CTYPE", before)
  skip_if_not(l10n_info()[["UTF-8"]])
  refused("caf\xe9")
  expect_identical(draw("caf\xc3\xa9", sketch), draw(utf8, sketch))
})

test_that("sets that are counted already add nothing", {
  set.seed(1)
  b <- matrix(rbinom(300, 1, 0.4), 100, 3)
  for (sets in list(list(c("x1", "x2")), "x1:x2", list("x1"))) expect_identical(rr_cooccurrence(b, sets = sets)$values, rr_cooccurrence(b)$values)
})

test_that("a session with a decimal comma prints without a warning", {
  withr::local_options(OutDec = ",", warn = 2)
  set.seed(1)
  m <- rr_grr(c(0.5, 1.5, 3), 1)
  tally <- rr_tally(sample(c(0.5, 1.5, 3), 3000, TRUE), m, by = sample(c(0.5, 2), 3000, TRUE))
  fit <- rr_estimate(tally)
  frame <- data.frame(y = rep(0:1, 1000), x = rnorm(2000))
  bits <- matrix(rbinom(4000, 1, 0.4), 2000, dimnames = list(NULL, c("a", "b")))
  shown <- list(m, tally, tally["0.5"], fit, summary(fit), confint(fit), generics::tidy(fit), generics::glance(fit),
                rr_compare(fit), rr_hadamard(3000, 1), rr_square_wave(c(0, 0.5, 1.5), 1), rr_mean(c(0, 1.5), 1),
                rr_hierarchy(64, 1), rr_product(a = rr_warner(0.8)), rr_bloom(50, 1), rr_glm(y ~ x, frame, rr_warner(0.8)),
                rr_tmdh(rr_cooccurrence(bits), rr_warner(0.8)), rr_set_size(rr_tally(bits, flip = 0.1)), rr_power(m, n = 1000, share = 0.2))
  for (x in shown) expect_output(print(x))
  expect_identical(names(tally), c("0.5", "2"))
})

test_that("a label that nobody can print is refused", {
  long <- strrep("a", 10000)
  expect_error(rr_grr(c(paste0(long, "a"), "b"), 1), "10,000", class = "candor_error_argument")
  tally <- rr_tally(c(long, "b", "b"), rr_grr(c(long, "b"), 1))
  for (x in list(tally, rr_estimate(tally))) expect_output(print(x))
})

test_that("numbers of things are written out up to 1e16, and have 15 digits beyond", {
  expect_identical(format_count(c(0, 1234567, 2^53, 0.5)), c("0", "1,234,567", "9,007,199,254,740,992", "0.5"))
  expect_identical(format_count(c(2e90, 12)), c("2e+90", "12"))
})

test_that("no line of a heading is wider than 80 columns", {
  printed <- function(x) capture.output(print(x))
  deck <- rr_dealt(3, cards = 15)
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  objects <- list(
    deck, rr_dealt(c(no = 0, yes = 600), cards = 1000), rr_anchor(rr_crosswise(0.15)),
    rr_noncompliance(rr_forced(1 / 6), 0.1, "no"), rr_product(a = rr_warner(0.8), b = rr_forced(1 / 6), asked = 1),
    rr_compose(rr_grr(3, p = 0.8), rr_grr(3, p = 0.7)), rr_prefixes(c(4, 8), epsilon = 1),
    rr_recommend(8, epsilon = 1, n = 1e4), rr_device("forced", 1.7, n = 28), rr_device("warner", 1),
    rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often))
  )
  set.seed(1)
  weighted <- data.frame(y = c(NA, rep(c("never", "once", "often"), 333)), g = 1:2, w = runif(1000, 0.5, 2))
  pages <- rr_bloom(c("home", "news", "shop"), epsilon = 2, bits = 16, hashes = 2, cohorts = 4, permanent = 4)
  people <- expand.grid(item = c("a", "b", "c", "d"), id = 1:60)
  people$y <- rbinom(240, 1, 0.3)
  objects <- c(objects, suppressMessages(suppressWarnings(list(
    rr_tally(weighted, often, column = "y", by = "g", weights = "w", na.rm = TRUE),
    rr_tally(rr_perturb(rep(c("home", "news"), 50), pages, memory = list(), rng = "R")$reports, pages),
    rr_tally(ones = rep(123456, 200000), n = 1e6, flip = 0.05), c(rr_tally(c(0, 1), flip = 0.1), rr_tally(c(0, 0, 0), flip = 0.2)),
    rr_compose(rr_crosswise(0.15), rr_noncompliance(rr_crosswise(0.15), 0.1, "no")),
    rr_choose_method(rr_counts(c(500, 300, 200), rr_grr(3, 3)), replications = 20, seed = 1),
    rr_study(c(0.2, 0.3, 0.5), epsilon = 1, n = 100, replications = 2, seed = 2147483000),
    rr_new_method("halfway", "Half-way to uniform, for whom the half of every estimate of a share is too much", needs = c("inverse", "binomial", "exact"),
      estimate = function(evidence, options) (evidence$unbiased() + 1 / evidence$k) / 2),
    rr_multinom(cheating ~ semester * female + I(semester^2) + I((semester - 4)^3), exam_simulated, often),
    summary(rr_glm(plagiarism ~ semester, exam_simulated, rr_forced(1 / 6), weights = rep(1e5, nrow(exam_simulated)))),
    rr_glm(y ~ 1, data.frame(y = rep(c(0, 1), c(550, 50))), rr_unrelated(0.25, 0.7)),
    rr_glm(y ~ 0 + item + (1 | id), people, rr_forced(1 / 6), protective = "no")
  ))))
  withr::with_options(list(width = 80), for (object in objects) expect_lte(max(nchar(printed(object))), 80, label = class(object)[1]))
  # Columns keep their gaps, and a number its name.
  expect_match(printed(deck), "^  epsilon     1.386  \\(a report", all = FALSE)
  lines <- within_80(paste0("  p     q ", strrep("word ", 14), "p = 0.85"))
  expect_match(lines, "^  p     q word .*word$|^    (word )*p = 0.85$")
  expect_length(lines, 2)
  expect_identical(within_80("short"), "short")
})

test_that("small helpers by hand: text of numbers, tables, limits, sums", {
  expect_identical(number_text(c(1, 1e5, 0.1, 1 / 3, NA, -0)), c("1", "100000", "0.1", "0.33333333333333331", NA, "0"))
  expect_identical(number_text(1 / 3, 15), "0.333333333333333")
  expect_identical(number_text(7L), "7")
  expect_identical(label_text(c(0.1, 0.1)), c("0.1", "0.1"))
  expect_identical(label_text(c(0.3, 0.1 + 0.2)), c("0.3", "0.30000000000000004"))
  expect_identical(written_numbers(c("1", "1e3", ".5", "5.", "x", "", "9007199254740991", "9007199254740992", "+2", "1e")),
    c(1, 1000, 0.5, 5, NA, NA, 2^53 - 1, NA, 2, NA))
  expect_identical(range_words(c(0, 24)), "0 to 24")
  expect_identical(c(number_of(1, "row"), number_of(2, "row"), number_of(0, "row"), category_words(1), category_words(1000)),
    c("1 row", "2 rows", "0 rows", "1 category", "1,000 categories"))
  expect_identical(meant_of("yess", c("yes", "no")), "Did you mean \"yes\"?")
  expect_null(meant_of("maybe", c("yes", "no")))
  expect_null(meant_of(1, "1"))
  expect_identical(factor_text(factor(c("b", NA, "a")), "x"), c("b", NA, "a"))
  expect_refused(factor_text(structure(c(1L, 3L), levels = c("a", "b"), class = "factor"), "x"),
    factor_text(structure(0L, levels = "a", class = "factor"), "x"))
  expect_equal(normal_quantile(0.9), qnorm(0.95))
  expect_identical(clamp(c(-1, 0.5, 2), 0, 1), c(0, 0.5, 1))
  expect_identical(sqrt_or_na(c(4, 0, -1, NA)), c(2, 0, NA, NA))
  expect_identical(group_sums(c(1, 2, 4), c(3, 1, 3), 4), c(2, 0, 5, 0))
  expect_identical(c(adds_up(c(0.5, 0.5 + 0.9e-6)), adds_up(c(0.5, 0.5 + 1.1e-6)), adds_up(c(1, -1e-5))), c(TRUE, FALSE, FALSE))
  expect_identical(bounds_matrix(1:2, 3:4, 0.9, c("a", "b")), matrix(1:4, 2, dimnames = list(c("a", "b"), c("5 %", "95 %"))))
  expect_identical(colnames(bounds_matrix(1, 2, 0.999, "a")), c("0.05 %", "99.95 %"))
  expect_identical(group_labels(data.frame(a = c("u", "v"), b = 1:2)), c("u.1", "v.2"))
  expect_null(group_labels(NULL))
  bound <- bind_groups(list(data.frame(x = 1:2), data.frame(x = 3)), data.frame(g = c("u", "v")))
  expect_identical(bound, tibble::tibble(g = c("u", "u", "v"), x = c(1, 2, 3)))
  expect_error(check_result_names(c("a", "estimate"), "Groups must not have"), class = "candor_error_argument")
  expect_error(check_result_names("a", "Groups must not have"), NA)
  # One digit fewer than 4 of the smallest error .0123: four decimals.
  table <- format_estimates(data.frame(estimate = c(1.23456, -0.00001), std.error = c(0.0123, 0.5)), 4)
  expect_identical(table$estimate, c("1.2346", "0.0000"))
  expect_identical(format_estimates(data.frame(estimate = 123456789, std.error = 0.001), 4)$estimate, 123456789)
  expect_identical(format_p(data.frame(p.value = c(0.01234, 1e-20)), 4)$p.value, format.pval(c(0.01234, 1e-20), digits = 3))
  expect_output(print_rows(data.frame(estimate = c(1e-17, 0.5, 0.25), x = 1:3), 2, 4), "and 1 more")
  expect_no_match(paste(capture.output(print_rows(data.frame(x = 1:2), 2, 4)), collapse = " "), "more")
  expect_identical(within_80(c("  short", paste0("  ", strrep("word ", 20)))), c("  short", paste0("  ", trimws(strrep("word ", 15))), paste0("    ",
    trimws(strrep("word ", 5)))))
  expect_identical(capitalise("abc"), "Abc")
  missing <- structure(c(1, 5, 8, 9, 10, 10.5, NA), na_values = 1, na_range = c(8, 10), class = "haven_labelled")
  expect_identical(as.vector(unclass(without_missing_codes(missing))), c(NA, 5, NA, NA, NA, 10.5, NA))
  expect_identical(column_numbers(factor(c("1", "2.5"))), c(1, 2.5))
  expect_identical(column_numbers(c("1", "x")), c("1", "x"))
  expect_identical(column_numbers(c("1", NA, "NA", " ")), c(1, NA, NA, NA))
})

test_that("more draws than R's generator takes are a multinomial too: sums, and counts within five standard deviations", {
  n <- 2^40
  shares <- c(2, 3, 5, 0)
  counts <- withr::with_seed(8, draw_multinomial(3, n, shares))
  expect_identical(dim(counts), c(4L, 3L))
  expect_equal(colSums(counts), rep(n, 3), tolerance = 1e-15)
  p <- shares / 10
  expect_lt(max(abs(counts - n * p)[1:3, ] / sqrt(n * p * (1 - p))[1:3]), 5)
  expect_identical(counts[4, ], c(0, 0, 0))
  # Each column is a draw of its own.
  expect_false(anyDuplicated(counts[1, ]) > 0)
})

test_that("chunks are of 200,000 numbers, and of one column if that has more", {
  expect_equal(unname(chunks(5, 1e5)), list(c(0, 2), c(2, 2), c(4, 1)))
  expect_equal(unname(chunks(2, 3e5)), list(c(0, 1), c(1, 1)))
})

test_that("64-bit integers are read from their bits, and classes that leave numbers as they are go", {
  # Halves of 32 bits, the lower first; NA stands for the bit of the sign alone.
  wide <- function(low, high) structure(readBin(writeBin(rbind(low, high)[seq_len(2 * length(low))], raw()), "double", length(low)), class = "integer64")
  skip_if(.Platform$endian == "big")
  numbers <- wide(c(5L, -1L, NA, 1L, 0L, -2L), c(0L, -1L, 0L, 1L, NA, 0L))
  expect_identical(plain_numbers(numbers), c(5, -1, 2^31, 2^32 + 1, NA, 2^32 - 2))
  named <- structure(numbers[1:2], class = "integer64", names = c("a", "b"))
  expect_identical(plain_numbers(named), c(a = 5, b = -1))
  expect_identical(plain_numbers(Sys.Date()), Sys.Date())
  expect_identical(data_numbers(I(c(1, 2))), c(1, 2))
  expect_identical(data_numbers(stats::ts(3:4)), 3:4)
  expect_identical(data_numbers(structure(c(1, 9), na_values = 9, class = "haven_labelled")), c(1, NA))
  expect_identical(data_numbers(structure(c(1, 9), na_range = c(8, 9), class = "labelled")), c(1, NA))
  expect_identical(data_numbers(I("a")), I("a"))
  expect_identical(data_numbers(as.Date("2026-01-01")), as.Date("2026-01-01"))
  # The ends of a range are missing too, numbers beside it are not.
  coded <- structure(c(7, 8, 9, 10), na_range = c(8, 9), class = "haven_labelled")
  expect_identical(data_numbers(coded), c(7, NA, NA, 10))
})

test_that("tables of results are plain data frames on request, and keep their columns and attributes with a class", {
  table <- with_class(tibble::tibble(a = c("u", "v"), b = 1:2), "rr_thing", level = 0.9)
  expect_identical(class(table), c("rr_thing", "tbl_df", "tbl", "data.frame"))
  expect_identical(attr(table, "level"), 0.9)
  expect_identical(plain_frame(tibble::tibble(a = c("u", "v"), b = 1:2)), data.frame(a = c("u", "v"), b = 1:2))
  factors <- plain_frame(tibble::tibble(a = c("v", "u"), b = 1:2), row.names = c("x", "y"), stringsAsFactors = TRUE)
  expect_identical(factors, data.frame(a = factor(c("v", "u")), b = 1:2, row.names = c("x", "y")))
  # A value for each cell, or one for all.
  expect_identical(values_of_cells(c(5, 6, 7), c(1, 3)), c(5, 7))
  expect_identical(values_of_cells(9, c(1, 3)), c(9, 9))
  seeds <- withr::with_seed(1, replicate(20, draw_seed()))
  expect_true(all(seeds == floor(seeds) & seeds >= 0 & seeds < 2^52))
  expect_gt(max(seeds), 2^48)
  expect_false(anyDuplicated(seeds) > 0)
})

test_that("whole shares add up to n, are nearest to n times the shares, and give what is left to the largest remainders", {
  expect_identical(whole_shares(10, c(0.26, 0.26, 0.48)), c(3, 2, 5))
  expect_identical(whole_shares(10, c(0.16, 0.19, 0.65)), c(2, 2, 6))
  expect_identical(whole_shares(7, c(0.5, 0.5)), c(4, 3))
  expect_identical(whole_shares(4, c(0.25, 0.75)), c(1, 3))
  shares <- c(0.123, 0.456, 0.421)
  for (n in c(1, 9, 1000, 2^52 + 1)) {
    counts <- whole_shares(n, shares)
    expect_identical(sum(counts), n)
    expect_true(all(abs(counts - n * shares) <= 1 + n * 1e-15) && all(counts == floor(counts)))
  }
})

test_that("a label is meant if a third of the letters differ at most, and not all of its own", {
  # Two of six letters, three of nine, one of any word; two of five are too many.
  for (pair in list(c("abcdef", "abxxef"), c("abcdefghi", "abcxxxghi"), c("yess", "yes"), c("ab", "ac"), c("YES", "yes"), c(" no", "no"))) {
    expect_identical(meant_of(pair[1], c("zzzzzzzzzzzz", pair[2])), sprintf("Did you mean \"%s\"?", pair[2]))
  }
  for (pair in list(c("abcde", "abxxe"), c("abcdefgh", "abcxxxgh"), c("a", "b"))) expect_null(meant_of(pair[1], pair[2]))
  expect_null(meant_of("a", character()))
  expect_null(meant_of(NA_character_, "a"))
  # The first that is no label.
  expect_identical(meant_of(c("no", "yess", "na"), c("no", "yes")), "Did you mean \"yes\"?")
  expect_identical(meant_of(factor("yess"), c("no", "yes")), "Did you mean \"yes\"?")
})

test_that("decimals of estimates follow the smallest standard error that is known and not 0", {
  rows <- data.frame(estimate = c(0.5, 1.25, 2, 3), std.error = c(0, 0.0123, Inf, NA), conf.low = c(0, 1, 2, 3), x = 1:4)
  shown <- format_estimates(rows, 4)
  expect_identical(shown$estimate, c("0.5000", "1.2500", "2.0000", "3.0000"))
  expect_identical(shown$conf.low, c("0.0000", "1.0000", "2.0000", "3.0000"))
  expect_identical(shown$x, 1:4)
  # One significant digit of the error at least.
  expect_identical(format_estimates(rows, 1)$estimate, c("0.50", "1.25", "2.00", "3.00"))
  expect_identical(format_estimates(data.frame(estimate = 12.3, std.error = 123), 4)$estimate, "12")
  for (same in list(transform(rows, std.error = 0), rows["std.error"], rows[c("estimate", "x")], transform(rows, conf.low = "a"))) {
    expect_identical(format_estimates(same, 4), same)
  }
})

test_that("multinomial counts have a column for each draw, by R's generator", {
  shares <- c(2, 3, 5)
  counts <- withr::with_seed(3, draw_multinomial(40, 1000, shares))
  expect_identical(counts, withr::with_seed(3, rmultinom(40, 1000, shares)))
  # 100,000 shares are drawn two at a time.
  many <- withr::with_seed(3, draw_multinomial(5, 10, rep(1, 1e5)))
  expect_identical(dim(many), c(100000L, 5L))
  expect_identical(colSums(many), rep(10, 5))
})
