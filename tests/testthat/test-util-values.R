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
  withr::with_options(list(width = 80), for (object in objects) expect_lte(max(nchar(printed(object))), 80))
  # Columns keep their gaps, and a number its name.
  expect_match(printed(deck), "^  epsilon     1.386  \\(a report", all = FALSE)
  lines <- within_80(paste0("  p     q ", strrep("word ", 14), "p = 0.85"))
  expect_match(lines, "^  p     q word .*word$|^    (word )*p = 0.85$")
  expect_length(lines, 2)
  expect_identical(within_80("short"), "short")
})
