# Counts are random, enumerated or at the edges on purpose.
rr_estimate <- estimate_odd

# What answers mean. The truth is base R's: the number of times as.character() gives each label.

by_label <- function(x, labels) as.double(table(factor(as.character(x), labels)))

test_that("answers that are labels are read by label through every door, in whatever order the labels stand", {
  x <- c(TRUE, TRUE, TRUE, FALSE)
  bits <- list(logical = x, integer = as.integer(x), double = as.double(x))
  for (labels in list(c(TRUE, FALSE), c(FALSE, TRUE), c("1", "0"), c("0", "1"), c(1, 0), c(0, 1))) {
    own <- as.character(labels)
    # Nothing is flipped, so the reports are the answers.
    direct <- suppressMessages(list(rr_binary(1, 0, labels), rr_forced(0, levels = labels), rr_grr(labels, p = 1),
                   rr_compose(rr_grr(labels, p = 1), rr_binary(1, 0, labels))))
    for (mechanism in direct) {
      for (type in names(bits)) {
        answers <- bits[[type]]
        label <- paste(class(mechanism)[1], own[1], type)
        expected <- c(sum(answers == (own[1] %in% c("TRUE", "1"))), sum(answers == (own[2] %in% c("TRUE", "1"))))
        product <- rr_product(a = mechanism)
        read <- list(counted = rr_tally(answers, mechanism)$counts, column = as.vector(rr_tally(data.frame(a = answers), product)$counts),
                     perturbed = rr_perturb(answers, mechanism), perturbed_column = rr_perturb(data.frame(a = answers), product)$a)
        expected <- as.double(expected)
        expect_identical(read, list(counted = expected, column = expected, perturbed = answers, perturbed_column = answers), label = label)
      }
      for (text in list(own[c(1, 1, 2)], factor(own[c(1, 1, 2)], own[2:1]))) {
        read <- list(counted = rr_tally(text, mechanism)$counts, given = rr_counts(table(text), mechanism)$counts,
                     perturbed = as.character(rr_perturb(text, mechanism)))
        expect_identical(read, list(counted = c(2, 1), given = c(2, 1), perturbed = as.character(text)), label = own[1])
      }
    }
  }
})

test_that("bits of another dress follow labels that are bits", {
  turned <- suppressMessages(rr_warner(0.8, levels = c(TRUE, FALSE)))
  expect_identical(rr_tally(c("1", "1", "0"), turned)$counts, c(2, 1))
  expect_identical(rr_tally(factor(c(1, 1, 0)), turned)$counts, c(2, 1))
  expect_identical(rr_counts(c("0" = 1, "1" = 2), turned)$counts, c(2, 1))
  expect_identical(rr_tally(c(TRUE, TRUE, FALSE), suppressMessages(rr_warner(0.8, levels = c("1", "0"))))$counts, c(2, 1))
  # Of dimensions only the labels themselves, in their order, are taken.
  two <- rr_product(a = turned, b = turned)
  expect_error(rr_counts(table(a = c(FALSE, TRUE), b = c(FALSE, TRUE)), two), class = "candor_error_level")
})

test_that("numbers are read by label wherever a label is a number", {
  for (labels in list(c("3", "2", "1"), c("0", "1", "2"), c("2019", "2020", "2021"), c("-1", "0", "0.5"),
                      c("100000", "1", "2"), c("2", "1"), c("1", "2"))) {
    mechanism <- rr_grr(labels, p = 1)
    x <- as.numeric(labels[c(1, 1, 2, length(labels))])
    expect_identical(rr_tally(x, mechanism)$counts, as.double(table(factor(x, as.numeric(labels)))))
    expect_identical(rr_perturb(x, mechanism), x)
  }
  expect_error(rr_tally(1, rr_grr(c("2019", "2020"), p = 0.9)), class = "candor_error_level")
  # A yes/no question whose labels are 1 and 2, counted or given
  for (mechanism in list(rr_forced(0, levels = 2), rr_binary(1, 0, c("1", "2")), rr_binary(1, 0, c(1, 2)))) {
    expect_identical(rr_tally(c(1, 1, 2), mechanism)$counts, c(2, 1))
    expect_identical(rr_perturb(c(1, 1, 2), mechanism), c(1, 1, 2))
    expect_identical(rr_tally(c(FALSE, TRUE, TRUE), mechanism)$counts, c(1, 2))
  }
  # Some labels are numbers: places where they agree, labels where they do not
  expect_identical(rr_tally(c(1, 2, 3), rr_grr(c("1", "2", "3+"), p = 0.9))$counts, c(1, 1, 1))
  expect_identical(rr_tally(c(0, 1, 1), rr_grr(c("0", "1", "2+"), p = 0.9))$counts, c(1, 2, 0))
  expect_error(rr_tally(2, rr_grr(c("0", "1", "2+"), p = 0.9)), class = "candor_error_level")
  # "01" is not what R calls 1
  expect_identical(rr_tally(c(1, 1, 2), rr_grr(c("02", "01"), p = 0.9))$counts, c(2, 1))
  expect_error(rr_perturb(c(0, 2), suppressMessages(rr_warner(0.8, levels = c("1", "0")))), class = "candor_error_level")
})

test_that("truths and reports of a channel are each read by their own labels", {
  C <- rbind(c(1, 0, 0), c(0, 0, 1))
  C[1, 2] <- 1e-300 # no report is impossible
  reads <- function(x, levels, reports) {
    mechanism <- rr_channel(C, levels = levels, reports = reports)
    rr_tally(rr_perturb(x, mechanism), mechanism)$counts
  }
  expect_identical(reads(c(TRUE, TRUE, FALSE), c("no", "yes"), c("x", "y", "z")), c(1, 0, 2))
  expect_identical(reads(c(TRUE, TRUE, FALSE), c(TRUE, FALSE), c("x", "y", "z")), c(2, 0, 1))
  expect_identical(reads(c(0, 0, 1), c("no", "yes"), c(0, 1, 2)), c(2, 0, 1))
  expect_identical(reads(c(1L, 1L, 0L), c(1, 0), c("x", "y", "z")), c(2, 0, 1))
  expect_identical(reads(c(1 / 3, 2 / 3, 2 / 3), c(1 / 3, 2 / 3), c(30, 20, 10)), c(1, 0, 2))
  # Through two stages: the truths of the first, the reports of the second
  stages <- rr_compose(rr_channel(C, levels = c(5, 7), reports = c(1, 2, 3)), rr_channel(diag(3), levels = 1:3, reports = c("3", "2", "1")))
  expect_identical(rr_perturb(c(5, 7, 7), stages), c(3, 1, 1))
})

test_that("joint counts of columns take a turned question for what its labels say", {
  # 60 of 100 reports are TRUE: P(TRUE | TRUE) = 0.9, P(TRUE | FALSE) = 0.2, so the share of TRUE is (0.6 - 0.2) / 0.7.
  counts <- rr_cooccurrence(data.frame(a = rep(c(TRUE, FALSE), c(60, 40))), order = 1)
  turned <- suppressMessages(rr_forced(c("TRUE" = 0.2, "FALSE" = 0.1), levels = c(TRUE, FALSE)))
  for (mechanism in list(turned, rr_binary(0.9, 0.2),
                         rr_channel(rbind("1" = c("1" = 0.9, "0" = 0.1), "0" = c(0.2, 0.8))))) {
    fit <- rr_tmdh(counts, mechanism)
    expect_equal(tidy(fit)$estimate[tidy(fit)$term == "a"], 100 * 0.4 / 0.7)
  }
  expect_equal(as.vector(rr_margin(rr_tmdh(counts, turned), "a")$estimate["TRUE"]), 0.4 / 0.7)
})

test_that("integer answers get reports that are levels, whatever the levels", {
  for (levels in list(c(1, 2.5), c(1, 3e9), c(-0.5, 1))) {
    set.seed(1)
    reports <- rr_perturb(rep(1L, 200), rr_grr(levels, p = 0.5001), rng = "R")
    expect_setequal(reports, levels)
    expect_type(reports, "double")
  }
  expect_identical(rr_perturb(3:1, rr_grr(c("1", "2", "3+"), p = 1)), 3:1)
  expect_type(rr_perturb(10L, rr_grr(c(10, 20), p = 1)), "integer")
})

test_that("numbers are written as labels without exponent, and text is read as the number that it is", {
  big <- c(1e5, 2e5, 1234567, 1e15)
  written <- c("100000", "200000", "1234567", "1000000000000000")
  # A label of 15 digits is enough, unless two would be the same.
  numbers <- list(list(big, written), list(c(0.1 + 0.2, 1 / 3, 1e-5), c("0.3", "0.333333333333333", "1e-05")),
                  list(c(0.3, 0.1 + 0.2), c("0.3", "0.30000000000000004")), list(c(-0.5, -2, 0), c("-0.5", "-2", "0")),
                  list(c("1e+05", "2e+05"), written[1:2]), list(factor(c(1e5, 5)), c("5", "100000")))
  for (one in numbers) expect_identical(rr_grr(one[[1]], 1)$levels, one[[2]])
  m <- rr_grr(c(1e5, 2e5), 1)
  x <- c("100000", "1e+05", "1e5", "100000.0", "2E+05", "0200000", "+200000.", NA)
  expect_identical(suppressMessages(rr_tally(x, m, na.rm = TRUE))$counts, c(4, 3))
  expect_identical(rr_tally(factor(x[1:7]), m)$counts, c(4, 3))
  expect_identical(rr_tally(c("2e+05", "1.0"), rr_grr(2e5, 1))$counts[c(1, 2e5)], c(1, 1))
  # Half a number, another number, hexadecimal digits and space are none of the labels.
  for (stray in c("1e5x", "100001", "0x186A0", " 100000", "Inf", "1e+05 ")) expect_error(rr_tally(stray, m), class = "candor_error_level")
  expect_error(rr_tally("9007199254740993", rr_grr(c(2^53, 1), 1)), class = "candor_error_level")
  # Labels that are not all numbers are text.
  expect_error(rr_tally("1.0", rr_grr(c("1", "2", "3+"), 1)), class = "candor_error_level")
  # The same number twice
  for (twice in list(c("1e+05", "100000"), c("1", "01"), c("0.5", ".5", "2"))) expect_error(rr_grr(twice, 1), "differ", class = "candor_error_argument")
  # More digits than a double holds
  expect_identical(rr_grr(c("12345678901234567890", "12345678901234567891"), 1)$levels, c("12345678901234567890", "12345678901234567891"))
})

test_that("reports of large mechanisms are read as text through every door", {
  m <- rr_hadamard(2e5, 1)
  expect_identical(m$reports[c(1, 100001, 200001)], c("0", "100000", "200000"))
  expect_identical(rr_tally(c("100000", "1e+05", "1e5", "100000.0", "0100000"), m)$counts[100001], 5)
  expect_identical(rr_counts(c("100000" = 5), m)$counts[100001], 5)
  expect_identical(rr_counts(c("1e+05" = 5), m)$counts[100001], 5)
  expect_identical(rr_counts(data.frame(report = c("100000", "7"), n = 5:4), m)$counts[c(8, 100001)], c(4, 5))
  long <- data.frame(id = 1:2, level = c("1e+05", "100000"))
  expect_identical(rr_tally(long, rr_unary(c(1e5, 3), 1))$counts, c(2, 0))
  expect_identical(rr_tally(transform(long, level = c(1e5, 3)), rr_unary(c(1e5, 3), 1))$counts, c(1, 1))
  # The file of the review, smaller: every report that is a multiple of 100,000 is there.
  m <- rr_hadamard(1e6, 1)
  numbers <- seq(0, 1e6, 1e5)
  for (reports in list(numbers, as.integer(numbers), format(numbers, scientific = FALSE, trim = TRUE))) {
    file <- textConnection(utils::capture.output(utils::write.csv(data.frame(report = rep(reports, 3)), row.names = FALSE)))
    columns <- readLines(file, 1)
    block <- function() {
      lines <- readLines(file, 20)
      if (length(lines)) utils::read.csv(text = lines, header = FALSE, col.names = columns, colClasses = "character")
    }
    counts <- rr_tally(block, m, progress = FALSE)$counts
    close(file)
    expect_identical(which(counts > 0) - 1, numbers)
    expect_identical(sum(counts), 33)
  }
  # Depths of many nodes
  tree <- rr_hierarchy(2^17, 1, fanout = 2^17, oracle = rr_hadamard)
  expect_identical(sum(rr_tally(data.frame(depth = 1, report = c("100000", "1e+05", "3")), tree)$counts[c(5, 100002)]), 3)
})

test_that("text columns of a database are read as the numbers that they are", {
  stored <- database_of_tests("answers")
  answers <- stored(data.frame(id = 1:4, report = c("100000", "1e+05", "2e5", "200000.0"), half = 0.5))
  expect_identical(rr_tally(answers, rr_grr(c(1e5, 2e5), 1), column = "report")$counts, c(2, 2))
  expect_identical(rr_tally(answers, rr_hadamard(2e5, 1), column = "report")$counts[c(100001, 200001)], c(2, 2))
  expect_identical(rr_tally(answers, rr_grr(c(0.5, 2), 1), column = "half")$counts, c(4, 0))
  rows <- stored(data.frame(id = 1:4, level = c("100000", "1e+05", "2e5", "200000.0")), "rows")
  expect_identical(rr_tally(rows, rr_unary(c(1e5, 2e5), 1))$counts, c(2, 2))
})

test_that("labels follow neither the decimal sign of the session nor its penalty for exponents", {
  look <- function() {
    fit <- rr_estimate(rr_counts(rbind(c(5000, 1e5), c(4000, 3e5), c(3000, 2e5)), rr_grr(c(0.5, 5, 1e5), 1)))
    fit$tally$groups <- tibble::tibble(income = c(0.25, 1e5))
    table <- as.data.frame(rr_tally(c(5, 5), rr_grr(c(0.5, 5), 1), by = c(0.5, 1e5)))
    list(rr_grr(c(0.5, 5, 1e5), 1)$levels, rr_square_wave(c(0, 0.5, 1.5, 1e5), 1)$levels, rr_hadamard(9, 1)$reports,
         rownames(confint(fit)), colnames(confint(fit)), names(coef(fit)), table,
         rr_tally(c("0.5", "5"), rr_grr(c(0.5, 5), 1))$counts)
  }
  plain <- look()
  expect_identical(plain[[1]], c("0.5", "5", "100000"))
  expect_identical(plain[[2]], c("0 to 0.5", "0.5 to 1.5", "1.5 to 100000"))
  for (options in list(list(OutDec = ","), list(scipen = -10), list(scipen = 100), list(digits = 3))) {
    expect_identical(withr::with_options(options, look()), plain)
  }
})

test_that("noncompliance leaves answers what they were", {
  for (mechanism in list(rr_grr(c("a", "b"), p = 0.9), rr_warner(0.9), rr_warner(0.9, levels = c("a", "b")))) for (answer in c("uniform", "truth")) {
    x <- if (is.null(mechanism$bits)) c(1, 2, 2) else c(0, 1, 1)
    expect_identical(rr_tally(x, rr_noncompliance(mechanism, 0.1, answer))$counts, c(1, 2))
  }
})

test_that("0 and 1, FALSE and TRUE and their texts are no and yes for every mechanism of two categories called no and yes", {
  yes <- c(TRUE, FALSE, FALSE, TRUE, FALSE)
  study <- rbind(no = c(no = 90, yes = 10), yes = c(5, 95))
  channel <- matrix(c(0.9, 0.2, 0.1, 0.8), 2)
  named <- function(labels) {
    dimnames(channel) <- rep(list(labels), 2)
    list(rr_grr(labels, p = 0.9), rr_channel(channel), rr_warner(0.8, levels = labels), rr_forced(1 / 6, levels = labels),
         rr_noncompliance(rr_grr(labels, p = 0.9), 0.1), rr_compose(rr_grr(labels, p = 0.9), rr_grr(labels, p = 0.9)),
         rr_new_mechanism("other", labels, epsilon = log(3), design = "", law = rr_new_law("additive", 0.5, 0.25)))
  }
  mechanisms <- c(named(c("no", "yes")), named(c("No", "YES ")), named(c("FALSE", "TRUE")), suppressMessages(named(c("yes", "no"))),
                  list(rr_misclassification(table = study), rr_misclassification(0.9, 0.8)))
  # Five reports of which two are yes, in each dress.
  dresses <- list(yes, yes + 0, as.integer(yes), as.character(yes), as.character(yes + 0), factor(yes), factor(yes + 0))
  for (mechanism in mechanisms) {
    count <- ifelse(tolower(trimws(mechanism$reports)) %in% c("yes", "true"), 2, 3)
    read <- function(x, ...) suppressMessages(rr_tally(x, mechanism, ...))$counts
    for (x in dresses) {
      expect_identical(read(x), count)
      expect_identical(read(data.frame(x, g = 1), column = "x"), count)
      # A chunk of only ones is of "yes".
      parts <- split(x, c(1, 2, 2, 1, 2))
      chunk <- 0
      expect_identical(read(function() if (chunk < 2) parts[[chunk <<- chunk + 1]]), count)
      if (is.logical(x) || is.numeric(x)) expect_identical(suppressMessages(rr_perturb(x[1:2], rr_grr(mechanism$reports, p = 1))), x[1:2])
    }
    expect_identical(rr_counts(c("1" = 2, "0" = 3), mechanism)$counts, count)
    expect_identical(rr_counts(c("FALSE" = 3, "TRUE" = 2), mechanism)$counts, count)
    expect_identical(suppressMessages(rr_counts(data.frame(x = 0:1, n = c(3, 2)), mechanism, column = "x"))$counts, count)
    # Codes 1 and 2 say nothing of yes and no, nor may a number be a position here.
    expect_refused(suppressMessages(rr_tally(c(1, 2, 2), mechanism)), suppressMessages(rr_tally("2", mechanism)),
                   suppressMessages(rr_perturb(2L, mechanism)), class = "level")
  }
  # Truths of protocols, and the rows of a long table.
  unary <- rr_unary(c("no", "yes"), 2)
  reports <- lapply(list(c(1, 0), c(TRUE, FALSE), c("yes", "no")), function(x) {
    set.seed(1)
    as.matrix(rr_perturb(rep(x, 50), unary, rng = "R"))
  })
  expect_identical(reports[1:2], reports[c(3, 3)])
  expect_identical(rr_tally(data.frame(id = 1:3, level = c(1, 1, 0)), unary)$counts, c(1, 2))
  expect_refused(rr_perturb(2, unary), class = "level")
})

test_that("a regression reads numbers as a tally does, whichever of no and yes is the first level", {
  people <- data.frame(y = rep(c(1, 0), c(60, 140)))
  # 30% yes by a die that forces 1/6 of each: (0.3 - 1/6) / (2/3) = 0.2
  for (labels in list(c("no", "yes"), c("yes", "no"), c(1, 0), c(TRUE, FALSE))) {
    die <- suppressMessages(rr_forced(1 / 6, levels = labels))
    yes <- if (which(as.character(labels) %in% c("yes", "1", "TRUE")) == 2) 0.2 else 0.8
    for (y in list(people$y, people$y == 1, as.character(people$y), factor(people$y == 1))) {
      fit <- suppressMessages(rr_glm(y ~ 1, data.frame(y = y), die))
      expect_equal(unname(plogis(coef(fit))), yes, tolerance = 1e-6)
    }
  }
  expect_refused(rr_family(suppressMessages(rr_warner(0.8, levels = c("yes", "no")))))
})

test_that("a report in other words is told of levels, and of the label that is meant", {
  expect_error(rr_estimate(c("s\u00ed", "no"), rr_forced(1 / 6)), "levels =", fixed = TRUE, class = "candor_error_level")
  expect_error(rr_estimate(c("Yes ", "no"), rr_forced(1 / 6)), "Did you mean \"yes\"", fixed = TRUE, class = "candor_error_level")
  spanish <- rr_forced(1 / 6, levels = c("no", "s\u00ed"))
  # (4/10 - 1/6) / (2/3)
  expect_equal(coef(rr_estimate(rep(c("s\u00ed", "no"), c(4, 6)), spanish))[[2]], (0.4 - 1 / 6) / (2 / 3))
})

test_that("the remedy for answers in other words fits the answers", {
  remedy <- function(x, mechanism = rr_warner(0.8)) conditionMessage(tryCatch(rr_tally(x, mechanism), candor_error_level = identity))
  # Answers that differ by case and spaces stand in the order of the labels, so that the call is right as it is.
  expect_match(remedy(c("Yes ", "No", "Yes ")), 'levels = c("No", "Yes ")', fixed = TRUE)
  codes <- structure(c(1, 2, 1), labels = c(Yes = 1, No = 2), class = c("haven_labelled", "vctrs_vctr", "double"))
  expect_match(remedy(codes), 'levels = c("No", "Yes")', fixed = TRUE)
  expect_equal(rr_tally(codes, rr_warner(0.8, levels = c("No", "Yes")))$counts, c(1, 2))
  expect_match(remedy(factor(c("ja", "nein"))), "ja.*nein.*levels =")
  expect_match(remedy(c("ja", "nein", "vielleicht")), "Other words")
  expect_match(remedy(c("{stop()}", "{1 + 1}")), "{stop()}, {1 + 1}", fixed = TRUE)
  expect_match(remedy(c("no", "yes"), rr_warner(0.8, levels = c("No", "Yes"))), 'levels = c("no", "yes")', fixed = TRUE)
})

test_that("an empty text among reports has its remedy through every door of R", {
  remedy <- function(code) conditionMessage(expect_error(code, class = "candor_error"))
  warner <- rr_warner(0.8)
  bits <- rr_unary(8, 1)
  rappor <- rr_bloom(8, 1)
  answers <- data.frame(a = c("no", ""), x = 1:2)
  chunks <- local({
    parts <- list(c("no", "yes"), c("yes", ""))
    i <- 0
    function() if (i < 2) parts[[i <<- i + 1]]
  })
  for (message in list(
    remedy(rr_tally(c("no", ""), warner)), remedy(rr_tally(factor(c("no", "")), warner)), remedy(rr_tally(answers, warner, column = "a")),
    remedy(rr_tally(answers, rr_product(a = warner, x = rr_grr(2, 1)))), remedy(rr_tally(chunks, warner)),
    remedy(rr_tally(c("ff", ""), bits)), remedy(rr_tally(c("1 0f", ""), rappor)), remedy(rr_glm(a ~ x, answers, warner)),
    remedy(rr_multinom(a ~ x, answers, rr_grr(c("no", "yes"), p = 0.8)))
  )) expect_match(message, "na.rm")
  # The remedy works: both ways leave the empty text out.
  expect_equal(rr_tally(c("no", NA, "yes")[1:2], warner, na.rm = TRUE)$counts, rr_tally("no", warner)$counts)
})

test_that("designs whose yes is no answer to the question say what it is", {
  message_of <- function(mechanism) conditionMessage(expect_error(rr_tally(c("A: gleich", "B: anders"), mechanism), class = "candor_error_level"))
  expect_match(message_of(rr_crosswise(0.25)), "the answers are the same")
  expect_match(message_of(rr_triangular(0.25)), "a yes to either question")
  expect_no_match(message_of(rr_warner(0.75)), "the same\\b")
  # With levels in this order "gleich" counts as yes: (0.7 + 0.25 - 1) / (2 * 0.25 - 1), Yu, Tian and Tang (2008).
  mechanism <- rr_crosswise(0.25, levels = c("B: anders", "A: gleich"))
  fit <- rr_estimate(rr_tally(rep(c("A: gleich", "B: anders"), c(70, 30)), mechanism))
  expect_equal(coef(fit)[["A: gleich"]], 0.1)
})

test_that("negative and positive are no and yes: 1 is positive in whatever order a table has them", {
  study <- rbind(positive = c(positive = 40, negative = 10), negative = c(5, 95))
  for (mechanism in list(rr_misclassification(table = study), rr_misclassification(table = study[2:1, 2:1]))) {
    expect_equal(sum(suppressMessages(rr_tally(c(1, 0, 0), mechanism))$counts[mechanism$levels == "positive"]), 1)
    expect_equal(sum(suppressMessages(rr_tally(c(TRUE, FALSE, FALSE), mechanism))$counts[mechanism$levels == "positive"]), 1)
  }
  expect_message(rr_tally(c(1, 0, 0), rr_misclassification(table = study)), class = "candor_message_reading")
  expect_refused(rr_forced(no = 0.1, yes = 0.2, levels = c("positive", "negative")))
})

test_that("ordered factors and three numbers or more have an order", {
  expect_true(in_order(rr_grr(c(1, 2, 5), epsilon = 1)))
  expect_true(in_order(rr_grr(factor(c("low", "high"), c("low", "high"), ordered = TRUE), epsilon = 1)))
  expect_false(in_order(rr_grr(c(0, 1), epsilon = 1)))
  expect_false(in_order(rr_grr(c("a", "b", "c"), epsilon = 1)))
  expect_false(in_order(rr_grr(3, epsilon = 1)))
  expect_false(in_order(rr_grr(c("1", "2", "3+"), epsilon = 1)))
})

test_that("an ordered factor has the order of an ordered mechanism, with or without some of its levels", {
  sizes <- c("low", "mid", "high")
  ordered_by <- function(levels) factor("mid", levels, ordered = TRUE)
  m <- rr_grr(factor(sizes, sizes, ordered = TRUE), epsilon = 1)
  for (levels in list(rev(sizes), c("high", "mid"))) {
    expect_error(rr_tally(ordered_by(levels), m), class = "candor_error_mismatch")
    expect_error(rr_perturb(ordered_by(levels), m), class = "candor_error_mismatch")
    for (x in list(factor("mid", levels), "mid")) expect_identical(rr_tally(x, m)$counts, c(0, 1, 0))
    expect_identical(rr_tally(ordered_by(levels), rr_grr(sizes, epsilon = 1))$counts, c(0, 1, 0))
  }
  for (levels in list(sizes, sizes[-1], sizes[-3], c("low", "none", "mid"))) expect_identical(rr_tally(ordered_by(levels), m)$counts, c(0, 1, 0))
})

test_that("the value at a position is what the user gave: an element, a level, or a code that has none", {
  expect_identical(value_at(c(7, 9), 2), 9)
  f <- structure(c(2L, 3L, 0L, NA), levels = c("u", "v"), class = "factor")
  expect_identical(lapply(1:4, function(i) value_at(f, i)), list("v", 3L, 0L, NA_character_))
  expect_null(empty_words(c("no", NA)))
  expect_type(empty_words(c("no", "")), "character")
  expect_identical(simple_text(c(" Yes ", "NO")), c("yes", "no"))
  expect_identical(simple_text(c(" Yes ", "\xff")), c(" Yes ", "\xff"))
  # Bits are 0 and 1 whatever the order of no and yes; other labels are their own numbers, or positions.
  turned <- suppressMessages(rr_warner(0.8, levels = c("yes", "no")))
  expect_identical(lapply(list(rr_warner(0.8), turned, rr_grr(c("a", "b", "c"), 1), rr_grr(c(5, 2), 1)), label_values),
                   list(c(0, 1), c(1, 0), 1:3, c(5, 2)))
})

test_that("one of no and yes in the other order is told of, if numbers are read and no labels", {
  turned <- suppressMessages(rr_warner(0.8, levels = c("yes", "no")))
  for (x in list(c(0, 1), c(TRUE, NA))) expect_message(tell_reversed(x, turned$reports), class = "candor_message_reading")
  for (x in list(c("no", "yes"), factor("no"), c(NA, NA), NA_real_)) expect_no_message(tell_reversed(x, turned$reports))
  for (labels in list(c("no", "yes"), c("a", "b"), c("TRUE", "FALSE"), c("1", "0"))) expect_no_message(tell_reversed(c(0, 1), labels))
})

test_that("codes of numbers are whole numbers, and labelled values are labels unless the values themselves are reports", {
  m <- rr_grr(3, 1)
  expect_identical(encode_reports(c(3, NA, 1), m), list(codes = c(3L, NA, 1L), first = 1L))
  for (x in list(c(1, 2.5), c(1, 3e9), c(NA, -3e9))) expect_error(encode_reports(x, m), class = "candor_error_level")
  # A code without a level, and a label without a position, are 0; a level NA is missing.
  f <- structure(c(2L, 0L, 4L, NA, 1L, 3L), levels = c("u", "v", NA), class = "factor")
  expect_identical(relabelled_codes(c(5L, NA, NA), f), c(0L, 0L, 0L, NA, 5L, NA))
  expect_identical(relabelled_codes(c(5L, NA, NA), c("u", "v", NA), is_by_row = TRUE), c(5L, 0L, NA))
  file <- function(values, ...) structure(values, labels = c(...))
  answers <- file(c(1, 2, 9, 4), no = 1, yes = 2, refused = 9)
  expect_identical(labelled_reports(answers, rr_warner(0.8)), c("no", "yes", "refused", "4"))
  expect_identical(labelled_reports(answers, rr_grr(c("1", "2"), 1)), c("1", "2", "9", "4"))
  expect_identical(labelled_reports(structure(answers, na_range = c(4, 9)), rr_warner(0.8)), c("no", "yes", NA, NA))
  expect_identical(labelled_reports(structure(answers, na_values = c(1, 9)), rr_warner(0.8)), c(NA, "yes", NA, "4"))
  expect_identical(labelled_reports(structure(c(1, 5), na_range = c(4, 9)), rr_warner(0.8)), c(1, NA))
})

test_that("numbers stand for labels, for positions, or for no and yes, and are codes if they follow one by one", {
  labels <- function(k, ...) list(reports = letters[seq_len(k)], ...)
  expect_identical(label_values(labels(3)), 1:3)
  expect_equal(label_values(labels(2, bits = c(no = 1L, yes = 2L))), c(0, 1))
  expect_equal(label_values(labels(2, bits = c(no = 2L, yes = 1L))), c(1, 0))
  expect_identical(label_values(labels(3, numeric_levels = c(5, 2, 9))), c(5, 2, 9))
  # Labels that are no numbers beside their positions, or beside other numbers.
  expect_identical(label_values(labels(3, numeric_levels = c(1, 2, NA))), 1:3)
  expect_identical(label_values(labels(3, numeric_levels = c(5, 2, NA))), c(5, 2, NA))
  expect_identical(first_number(labels(3)), 1L)
  expect_identical(first_number(labels(3, numeric_levels = c(-2, -1, 0))), -2L)
  expect_identical(first_number(labels(2, bits = c(no = 1L, yes = 2L))), 0L)
  for (numbers in list(c(3, 5, 6), c(3, 2, 1), c(0.5, 1.5, 2.5), c(1e9, 1e9 + 1, 1e9 + 2), c(1, 2.5, 3), c(2, 3, NA))) {
    expect_null(first_number(labels(3, numeric_levels = numbers)))
  }
  expect_null(first_number(labels(2, bits = c(no = 2L, yes = 1L))))
  expect_identical(match_numbers(c("1e+05", "x", "7.0", "7"), list(numeric_levels = c(7, 1e5))), c(2L, NA, 1L, 1L))
  expect_identical(match_numbers(c("1.0", "2"), list(reports = c("1", "2", "x"))), c(NA_integer_, NA))
  expect_identical(match_numbers(c("1.0", "2"), list(reports = c("2", "1"))), c(2L, 1L))
  codec <- report_codec(levels = c("no", "yes"))
  expect_identical(list(match_long(c("yes", "no", "x"), codec), match_long(c(1, 0, 2, NA), codec)), list(c(2L, 1L, NA), c(2L, 1L, NA, NA)))
  numbers <- report_codec(levels = c("5", "2"), numeric_levels = c(5, 2))
  expect_identical(list(match_long(c(2, 5, 1), numbers), match_long(c("2.0", "5"), numbers)), list(c(2L, 1L, NA), c(2L, 1L)))
})

test_that("codes of factors are those of their levels, 0 without a label, and NA only where a report is missing", {
  x <- factor(c("b", "a", NA, "c"), c("a", "b", "c"))
  expect_identical(relabelled_codes(c(2L, NA, 1L), x), c(0L, 2L, NA, 1L))
  expect_identical(relabelled_codes(c(2L, NA, 1L), c("u", NA, "v"), is_by_row = TRUE), c(2L, NA, 1L))
  expect_identical(relabelled_codes(c(2L, NA), c("u", "w"), is_by_row = TRUE), c(2L, 0L))
  expect_identical(relabelled_codes(c(1L, 2L), addNA(factor(c("a", NA)))), c(1L, NA))
  malformed <- structure(c(1L, 0L, 3L), levels = c("a", "b"), class = "factor")
  expect_identical(relabelled_codes(c(1L, 2L), malformed), c(1L, 0L, 0L))
  expect_identical(lapply(1:3, function(i) value_at(malformed, i)), list("a", 0L, 3L))
  expect_identical(value_at(c(7, 8), 2), 8)
  expect_identical(value_at(x, 3), NA_character_)
})

test_that("sensitive categories are labels or positions, each once, and levels have an order if they say so or are numbers", {
  labels <- c("a", "b", "c")
  expect_identical(list(sensitive_index("b", labels), sensitive_index(factor(c("c", "a")), labels), sensitive_index(c(3, 1, 3), labels)), list(2L, c(3L, 1L),
    c(3L, 1L)))
  for (bad in list("d", 4, 0, NA, character(), list("a"), 1.5)) expect_error(sensitive_index(bad, labels), class = "candor_error_level")
  expect_identical(vapply(list(rr_grr(c(5, 7, 9), 1), rr_grr(c(5, 7), 1), rr_grr(3, 1), rr_grr(labels, 1), rr_grr(ordered(labels), 1),
                               rr_grr(ordered(c("a", "b")), 1), rr_grr(c("1", "2", "3+"), 1)), in_order, NA), c(TRUE, FALSE, FALSE, FALSE, TRUE, TRUE, FALSE))
  expect_identical(level_numbers(rr_grr(c(5, 7), 1)), c(5, 7))
  expect_null(level_numbers(rr_grr(c("1", "x"), 1)))
  expect_identical(level_numbers(rr_hadamard(c(5, 7, 9), 1)), c(5, 7, 9))
  expect_null(level_numbers(rr_hadamard(3, 1)))
})

test_that("ordered answers must have the order of an ordered mechanism, of other mechanisms any", {
  low <- ordered(c("low", "high"), c("low", "high"))
  high <- ordered(c("low", "high"), c("high", "low"))
  m <- rr_grr(ordered(c("low", "mid", "high"), c("low", "mid", "high")), 1)
  expect_identical(rr_tally(low, m)$counts, c(1, 0, 1))
  expect_error(rr_tally(high, m), class = "candor_error_mismatch")
  expect_identical(rr_tally(factor(high, ordered = FALSE), m)$counts, c(1, 0, 1))
  expect_identical(rr_tally(high, rr_grr(c("low", "mid", "high"), 1))$counts, c(1, 0, 1))
})
