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
        # To a mechanism that is not about yes and no, numbers are positions where no label is a number.
        if (inherits(mechanism, "rr_grr") && is.logical(labels) && type != "logical") next
        answers <- bits[[type]]
        label <- paste(class(mechanism)[1], own[1], type)
        expected <- c(sum(answers == (own[1] %in% c("TRUE", "1"))), sum(answers == (own[2] %in% c("TRUE", "1"))))
        expect_identical(rr_tally(answers, mechanism)$counts, as.double(expected), label = label)
        expect_identical(rr_perturb(answers, mechanism), answers, label = label)
        expect_identical(rr_perturb(data.frame(a = answers), rr_product(a = mechanism))$a, answers, label = label)
        expect_identical(as.vector(rr_tally(data.frame(a = answers), rr_product(a = mechanism))$counts),
                         as.double(expected), label = label)
      }
      for (text in list(own[c(1, 1, 2)], factor(own[c(1, 1, 2)], own[2:1]))) {
        expect_identical(rr_tally(text, mechanism)$counts, c(2, 1))
        expect_identical(rr_counts(table(text), mechanism)$counts, c(2, 1))
        expect_identical(as.character(rr_perturb(text, mechanism)), as.character(text))
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
  turned <- function(levels) suppressMessages(rr_warner(0.8, levels = levels))
  expect_snapshot(error = TRUE, {
    rr_perturb(c(0, 1), rr_grr(c("0", "1", "2+"), p = 0.9))
    rr_tally(c(0, 2), rr_grr(c("0", "1", "2+"), p = 0.9))
    rr_tally(c(0, 2), turned(c(TRUE, FALSE)))
    rr_perturb(c(0, 2), turned(c("1", "0")))
  })
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
  expect_identical(reads(c(1, 1, 2), c("no", "yes"), c(0, 1, 2)), c(2, 0, 1))
  expect_identical(reads(c(1L, 1L, 0L), c(1, 0), c("x", "y", "z")), c(2, 0, 1))
  expect_identical(reads(c(1 / 3, 2 / 3, 2 / 3), c(1 / 3, 2 / 3), c(30, 20, 10)), c(1, 0, 2))
  # Through two stages: the truths of the first, the reports of the second
  stages <- rr_compose(rr_channel(C, levels = c(5, 7), reports = c(1, 2, 3)),
                       rr_channel(diag(3), levels = 1:3, reports = c("3", "2", "1")))
  expect_identical(rr_perturb(c(5, 7, 7), stages), c(3, 1, 1))
})

test_that("noncompliance leaves answers what they were", {
  for (mechanism in list(rr_grr(c("a", "b"), p = 0.9), rr_warner(0.9))) {
    x <- if (takes_bits(mechanism)) c(0, 1, 1) else c(1, 2, 2)
    expect_identical(rr_tally(x, rr_noncompliance(mechanism, 0.1))$counts, rr_tally(x, mechanism)$counts)
  }
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
  fit <- rr_tmdh(counts, turned)
  expect_equal(as.vector(rr_margin(fit, "a")$estimate["TRUE"]), 0.4 / 0.7)
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

test_that("text for numbered categories is told to be numbers or labels, and never to take the levels from the reports", {
  m <- rr_grr(20, epsilon = 4)
  message <- function(x) conditionMessage(tryCatch(rr_tally(x, m), error = identity))
  expect_match(message(sprintf("%02d", c(1, 3))), "as.integer(x)", fixed = TRUE)
  expect_match(message(factor("1.0")), "as.integer(as.character(x))", fixed = TRUE)
  for (x in list(c("yes", "no"), c("1", "21"))) {
    expect_match(gsub("\\s+", " ", message(x)), "all labels of the questionnaire", fixed = TRUE)
    expect_no_match(message(x), "unique")
  }
  expect_no_match(message(factor(c("yes", "no"))), "levels(x)", fixed = TRUE)
})
