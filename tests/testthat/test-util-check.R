# Checks of arguments: the value just inside each bound is returned, the bound or what lies beyond it is refused.

passes <- function(...) for (call in as.list(substitute(list(...)))[-1]) expect_error(eval(call, parent.frame()), NA, label = deparse1(call))

test_that("one number in a range, with ends that belong to it or not", {
  expect_identical(check_number(2L, "x", 2, 3), 2)
  expect_identical(check_number(3, "x", 2, 3), 3)
  expect_identical(check_number(2.5, "x", 2, 3, TRUE, TRUE), 2.5)
  expect_identical(check_number(-Inf, "x"), -Inf)
  expect_refused(check_number(1.9, "x", 2, 3), check_number(3.1, "x", 2, 3), check_number(2, "x", 2, 3, min_open = TRUE),
    check_number(3, "x", 2, 3, max_open = TRUE),
                 check_number(c(2, 3), "x"), check_number("2", "x"), check_number(NA_real_, "x"), check_number(Sys.Date(), "x"), check_number(TRUE, "x"),
                 check_number(-Inf, "x", min_open = TRUE), check_number(numeric(), "x"))
  expect_identical(check_number(3, "x", 2, 3, min_open = TRUE), 3)
  expect_identical(check_number(2, "x", 2, 3, max_open = TRUE), 2)
  expect_identical(check_conf_level(1e-9), 1e-9)
  expect_refused(check_conf_level(0), check_conf_level(1), check_alpha(1), check_alpha(0))
  # 95 is rather .95; up to 2 a slip, above 100 nothing.
  expect_match(percent_remedy(95), "0.95", fixed = TRUE)
  expect_match(percent_remedy(100), "1?", fixed = TRUE)
  expect_null(percent_remedy(2))
  expect_null(percent_remedy(101))
  expect_null(percent_remedy(c(5, 6)))
  expect_identical(check_epsilon(1e-12), 1e-12)
  expect_identical(check_epsilon(700), 700)
  expect_refused(check_epsilon(0.9e-12), check_epsilon(700.1))
  expect_identical(check_epsilons(c(2, 0.5)), c(2, 0.5))
  expect_refused(check_epsilons(c(2, 701)), check_epsilons(c(2, 2)), check_epsilons(0), check_epsilons(numeric()))
})

test_that("grids, counts, digits, flags", {
  expect_identical(check_grid(c(3, 1e-9), "x", FALSE), c(3, 1e-9))
  expect_identical(check_grid(c(1L, 5L), "x", TRUE), c(1, 5))
  expect_identical(check_grid(2^53, "x", TRUE), 2^53)
  expect_refused(check_grid(0, "x", FALSE), check_grid(Inf, "x", FALSE), check_grid(c(1, NA), "x", FALSE), check_grid(0, "x", TRUE), check_grid(1.5, "x", TRUE),
                 check_grid(2^53 + 2, "x", TRUE), check_grid(c(4, 4), "x", TRUE))
  expect_identical(check_count(0, "x"), 0)
  expect_identical(check_count(2^53, "x"), 2^53)
  expect_identical(check_count(7L, "x", 7, 9), 7)
  expect_identical(check_count(9, "x", 7, 9), 9)
  expect_refused(check_count(-1, "x"), check_count(2^53 + 2, "x"), check_count(6, "x", 7, 9), check_count(10, "x", 7, 9), check_count(7.5, "x", 7, 9),
                 check_count(c(7, 8), "x"), check_count("7", "x"), check_digits(0), check_digits(23))
  expect_identical(c(check_digits(1), check_digits(22)), c(1, 22))
  expect_identical(c(check_flag(TRUE, "x"), check_flag(FALSE, "x")), c(TRUE, FALSE))
  expect_refused(check_flag(NA, "x"), check_flag(1, "x"), check_flag(c(TRUE, TRUE), "x"), check_flag("TRUE", "x"))
})

test_that("probabilities, one and many, and distributions", {
  expect_identical(1 / check_probability(-0, "x"), Inf)
  expect_identical(check_probability(1L, "x"), 1)
  expect_refused(check_probability(-1e-9, "x"), check_probability(1 + 1e-9, "x"), check_probability(NA_real_, "x"), check_probability(c(0.1, 0.2), "x"))
  expect_identical(check_probabilities(c(a = 0L, b = 1L), "x"), c(a = 0, b = 1))
  expect_refused(check_probabilities(c(0.5, -0.1), "x"), check_probabilities(c(0.5, 1.1), "x"), check_probabilities(c(0.5, NA), "x"),
                 check_probabilities(numeric(), "x"), check_probabilities("0.5", "x"))
  expect_equal(check_distribution(c(0.25, 0.75 + 0.9e-8)), c(0.25, 0.75 + 0.9e-8) / (1 + 0.9e-8), tolerance = 1e-15)
  expect_identical(check_distribution(table(c("a", "b", "b", "b"))), c(0.25, 0.75))
  expect_identical(check_distribution(c(0, 1)), c(0, 1))
  expect_refused(check_distribution(c(0.25, 0.75 + 2e-8)), check_distribution(1), check_distribution(c(-0.1, 1.1)), check_distribution(c(0.5, NA)))
  expect_identical(as.vector(tabulated(c("a", "b", "a"))), c(2L, 1L))
  expect_identical(as.vector(tabulated(c(TRUE, FALSE, TRUE))), 1:2)
  expect_identical(tabulated(c(3, 4)), c(3, 4))
})

test_that("one of some choices, in full, and the default vector for its first", {
  verb <- function(kind = c("one", "two")) check_choice(kind)
  expect_identical(c(verb(), verb("two"), verb("one")), c("one", "two", "one"))
  expect_refused(verb("tw"), verb(c("two", "one")), verb(1), verb("three"))
  expect_identical(check_choice("b", "x", c("a", "b")), "b")
  none <- function(a, ..., b = 1) check_dots_empty(...)
  passes(none(1), none(1, b = 3))
  expect_refused(none(1, c = 3), none(1, 2), none())
})

test_that("labels: text, numbers, factors, a number of categories", {
  expect_identical(check_levels(3), list(labels = c("1", "2", "3"), numeric = NULL))
  expect_identical(check_levels(2), list(labels = c("1", "2"), numeric = c(1, 2)))
  expect_identical(check_levels(c(10, 1e5)), list(labels = c("10", "100000"), numeric = c(10, 1e5)))
  expect_identical(check_levels(c("a", "b")), list(labels = c("a", "b"), numeric = NULL))
  expect_identical(check_levels(c("7", "1e+05")), list(labels = c("7", "100000"), numeric = c(7, 1e5)))
  expect_identical(check_levels(factor(c("u", "v")))$labels, c("u", "v"))
  expect_identical(check_levels(ordered(c("v", "u"), c("v", "u")))[c("labels", "ordered")], list(labels = c("v", "u"), ordered = TRUE))
  expect_identical(check_levels(c(FALSE, TRUE))$labels, c("FALSE", "TRUE"))
  expect_refused(check_levels(1), check_levels(2.5), check_levels("a"), check_levels(c("a", NA)), check_levels(c("a", "a")), check_levels(c("1", "1.0")),
                 check_levels(c(3, 3)), check_levels(list("a", "b")), check_levels(c("a", strrep("x", 10001))))
  passes(check_levels(c("a", strrep("x", 10000))))
  expect_identical(label_numbers(c("1", "2.5", "x")), c(1, 2.5, NA))
  expect_identical(label_numbers(c("01", "x")), NULL)
  expect_identical(label_numbers(c("1e+05", "5")), c(1e5, 5))
  expect_identical(label_numbers(c("10e+05", "5")), c(NA, 5))
  expect_identical(with_order(list(), list(ordered = TRUE)), list(ordered = TRUE))
  expect_identical(with_order(list(), list()), list())
})

test_that("a vector over levels is by their names, or by position", {
  levels <- c("a", "b", "c")
  expect_identical(match_levels(c(1, 2, 3), levels, "x"), c(1, 2, 3))
  expect_identical(match_levels(c(c = 1, a = 2, b = 3), levels, "x"), c(2, 3, 1))
  expect_identical(match_levels(c(c = 1), levels, "x", absent = 0), c(0, 0, 1))
  expect_identical(match_levels(c(`1` = 0.3, `0` = 0.7), c("no", "yes"), "x", bits = c(1, 2)), c(0.7, 0.3))
  expect_identical(match_levels(c(`1` = 0.3, `0` = 0.7), c("yes", "no"), "x", bits = c(2, 1)), c(0.3, 0.7))
  expect_error(match_levels(c(c = 1), levels, "x"), class = "candor_error_mismatch")
  expect_error(match_levels(c(a = 1, a = 2, b = 3, c = 1), levels, "x"), class = "candor_error_mismatch")
  expect_error(match_levels(c(a = 1, d = 2), levels, "x", absent = 0), class = "candor_error_mismatch")
  expect_identical(match_bits(c("1", "0", "x")), c(2L, 1L, NA))
  expect_identical(match_bits(c("TRUE", "FALSE")), c(2L, 1L))
  expect_null(match_bits("yes"))
  expect_identical(bit_positions(c("0", "1"), c(no = 4, yes = 5)), c(4, 5))
  expect_null(bit_positions("x", c(1, 2)))
  expect_identical(match_rows(NULL, letters[1:3], "things"), 1:3)
  expect_identical(match_rows(c("c", "a"), letters[1:3], "things"), c(3L, 1L))
  expect_identical(match_rows(c(3, 1), letters[1:3], "things"), c(3L, 1L))
  for (bad in list("d", 4, 0, 1.5, character(), TRUE, NA_character_)) expect_error(match_rows(bad, letters[1:3], "things"), class = "candor_error_level")
})

test_that("memory is refused from the first byte above what is free, and bytes have their unit", {
  check <- with_calls(check_memory, machine_memory = function() 1000)
  passes(check(1000, "x", "It"))
  expect_error(check(1001, "x", "It"), class = "candor_error_too_large")
  expect_identical(c(format_bytes(999), format_bytes(1000), format_bytes(2.5e9), format_bytes(1e28)), c("1000 B", "1 kB", "2.5 GB", "10000 YB"))
})

test_that("a seed is for one call, and without one R's generator goes on", {
  draw <- function(seed) {
    kept <- keep_seed(seed)
    list(kept = kept, x = runif(1))
  }
  set.seed(9)
  before <- .Random.seed
  one <- draw(4)
  expect_identical(.Random.seed, before)
  expect_identical(one$x, withr::with_seed(4, runif(1)))
  expect_identical(c(one$kept), 4)
  expect_identical(attr(one$kept, "kind"), as.list(RNGkind()))
  free <- draw(NULL)
  expect_identical(free$kept, before)
  expect_false(identical(.Random.seed, before))
  expect_refused(draw(1.5), draw(2^31))
  passes(draw(-.Machine$integer.max))
})

test_that("values in the words of an error: short, and an answer only by its kind", {
  expect_identical(vapply(list(NULL, mean, data.frame(a = 1, b = 2), "x", NA_character_, 1 / 3, TRUE, 1:3, c("a", "b"), list(1, 2), Sys.Date() + 0:1,
    quote(a)), describe, ""),
                   c("NULL", "a function", "a data frame with 2 columns", "\"x\"", "NA", "0.333333333333333", "TRUE", "an integer vector of length 3",
                     "a character vector of length 2", "a list", "an object of class Date", "of type symbol"))
  expect_identical(vapply(list("x", 2, 2L, FALSE, c(1, 2)), describe_kind, ""), c("text", "a number", "a number", "TRUE or FALSE",
    "a numeric vector of length 2"))
  expect_identical(c(larger_words(1.92), larger_words(2), larger_words(93.2)), c("92% larger", "2 times as large", "93 times as large"))
  expect_identical(format_count(c(1e6, 12.5, 123456789012345)), c("1,000,000", "12.5", "123,456,789,012,345"))
  expect_identical(format_count(1e16), "1e+16")
})

test_that("arguments of other functions have their remedy", {
  data <- data.frame(y = c("no", "yes"), x = 1:2)
  expect_error(rr_glm(y ~ x, data, rr_warner(0.8), na.rm = TRUE), "na.action", class = "candor_error_argument")
  expect_error(rr_misclassification(0.9, 0.96, n = c(120, 200)), "table", class = "candor_error_argument")
  expect_error(rr_new_mechanism("mine", c("no", "yes"), design = "Mine"), "epsilon.*must be given", class = "candor_error_argument")
  expect_error(rr_product(work = diag(3)), "rr_channel", class = "candor_error_argument")
  expect_error(rr_epsilon(rr_warner(0.8), rr_warner(0.7), reports = 9), "list", class = "candor_error_argument")
})

test_that("what needs another package asks for it before it does anything", {
  needs <- list(dbplyr = list(table_columns), glmnet = list(estimate_lasso), quadprog = list(estimate_nnls), survey = list(check_design),
                ggplot2 = list(autoplot.rr_estimates, autoplot.rr_fit, autoplot.rr_tally, draw, picture_of_sizes))
  absent <- function(package, why) stop(structure(class = c(package, "error", "condition"), list(message = "absent")))
  for (package in names(needs)) for (f in needs[[package]]) {
    expect_error(with_calls(f, check_installed = absent)(stop("Nothing else is asked.")), class = package)
  }
  file <- withr::local_tempfile()
  expect_error(with_calls(rr_write, check_installed = absent)(rr_warner(0.8), file), class = "jsonlite")
  expect_error(with_calls(rr_read, check_installed = absent)(file), class = "jsonlite")
})

test_that("numbers between 0 and a bound, formulas and text that can be read", {
  expect_identical(check_open(c(1e-9, 0.5), "x"), c(1e-9, 0.5))
  expect_identical(check_open(1L, "x", 2), 1)
  expect_refused(check_open(0, "x"), check_open(1, "x"), check_open(1.5, "x"), check_open(c(0.5, 1.2), "x"), check_open(c(-0.5, 0.5), "x"),
                 check_open(c(0.5, NA), "x"), check_open(NA_real_, "x"), check_open(numeric(), "x"), check_open("0.5", "x"), check_open(2, "x", 2))
  expect_identical(1 / check_probabilities(c(-0, 1), "x"), c(Inf, 1))
  passes(check_formula(y ~ x), check_formula(~x, FALSE), check_formula(y ~ x, FALSE), check_one_sided(~x, "f"))
  expect_refused(check_formula(~x), check_formula("y ~ x"), check_formula("y ~ x", FALSE), check_one_sided(y ~ x, "f"), check_one_sided(c("a", "b"), "f"))
  bytes <- "a"
  Encoding(bytes) <- "bytes"
  broken <- "caf\xe9"
  Encoding(broken) <- "UTF-8"
  expect_identical(check_text(c("a", "\u00e9"), "x"), c("a", "\u00e9"))
  expect_refused(check_text("a", "x", unreadable = TRUE), check_text(c("a", broken), "x"))
  expect_refused(check_text(c("b", "caf\xe9"), "x", unreadable = c(FALSE, TRUE)))
  passes(check_class(structure(1, class = "a"), "x", c("a", "b"), "an a"))
  expect_refused(check_class(1, "x", c("a", "b"), "an a"))
  for (x in list(rr_warner(0.8), rr_grr(3, 1))) expect_identical(check_mechanism(x), x)
  expect_refused(check_mechanism(1), check_mechanism(list(rr_warner(0.8))), check_mechanism(rr_misclassification(labels = "gold")))
  passes(check_mechanism(rr_misclassification(labels = "gold"), has_data = TRUE))
})

test_that("the error of a check names the argument, and says what it was", {
  said <- function(...) {
    frame <- parent.frame()
    for (call in as.list(substitute(list(...)))[-1]) {
      message <- conditionMessage(expect_error(eval(call, frame), class = "candor_error"))
      expect_match(message, "`size`.*4711", label = deparse1(call))
    }
  }
  said(check_number(4711, "size", max = 5), check_number("4711", "size"), check_count(4711.5, "size"), check_count(4711, "size", max = 5),
       check_probability(4711, "size"), check_probabilities(c(0.5, 4711), "size"), check_probabilities("4711", "size"), check_open(4711, "size"),
       check_grid(-4711, "size"), check_flag(4711, "size"), check_choice("4711", "size", c("a", "b")), check_mechanism(4711, "size"),
       check_one_sided(4711, "size"), check_class(4711, "size", "a", "an a"), check_that(FALSE, 4711, "size", "less"), check_levels(4711.5, "size"),
       check_conf_level(4711, "size"), match_rows("4711", letters, "things", "size"))
})

test_that("an error in one line has its headline and what follows it without bullets, others their message", {
  error <- tryCatch(check_number("a", "size"), candor_error = identity)
  expect_match(plain_message(error), "^`size` must be one number[.] It is \"a\"[.]$")
  expect_identical(plain_message(simpleError("plain")), "plain")
  fields <- tryCatch(abort(c("Head.", x = "What.", i = "Mend."), c("level", "argument"), position = 3), candor_error = identity)
  expect_identical(plain_message(fields), "Head. What. Mend.")
  expect_s3_class(fields, c("candor_error_level", "candor_error_argument", "candor_error"))
  expect_identical(fields$position, 3)
  # Braces are filled in where the caller stands, also if a value holds the mark between lines.
  value <- "a\036b"
  expect_length(format_lines(c("One {1 + 1}.", x = "{value}"), environment()), 2)
  expect_identical(unname(format_lines(c("One {1 + 1}.", x = "Two."), environment())), c("One 2.", "Two."))
  expect_identical(format_lines(c("One.", x = "Two."), environment()), c("One.", x = "Two."))
  expect_true(passes_calls_on(baseenv()) && passes_calls_on(asNamespace("stats")))
  expect_false(passes_calls_on(globalenv()) || passes_calls_on(asNamespace("testthat")))
  # The session's decimal sign comes back.
  withr::local_options(OutDec = ",")
  expect_error(check_number(0.5, "size", min = 1.5), "0\\.5", class = "candor_error_argument")
  expect_identical(getOption("OutDec"), ",")
})
