# Reports as columns: what tables of R and of the tidyverse do to rows they do to reports, and nothing else.

set.seed(11)
bits <- rr_perturb(rep(1:9, 4), rr_unary(9, 1), rng = "R")
sets <- rr_perturb(rep(1:20, 2)[1:36], rr_subset(20, 2.5, size = 2), rng = "R")
signs <- rr_perturb(rep(1:9, 4), rr_bitflip(9, 1, d = 3), rng = "R")

test_that("a tibble prints, cuts and binds columns of reports", {
  for (reports in list(bits, sets, signs)) {
    expect_length(reports, 36)
    table <- tibble::tibble(id = 1:36, report = reports)
    expect_output(print(table, n = 3), format(reports[1]), fixed = TRUE)
    expect_identical(table[c(5, 2), ]$report, reports[c(5, 2)])
    expect_identical(utils::head(table, 4)$report, reports[1:4])
    expect_identical(rbind(table, table)$report, c(reports, reports))
  }
})

test_that("dplyr filters, orders, counts, joins and binds them", {
  skip_if_not_installed("dplyr")
  for (reports in list(bits, sets, signs)) {
    table <- tibble::tibble(id = 1:36, report = reports)
    expect_identical(dplyr::filter(table, id %% 5 == 0)$report, reports[seq(5, 35, 5)])
    expect_identical(dplyr::arrange(table, dplyr::desc(id))$report, rev(reports))
    expect_identical(dplyr::bind_rows(table[1:7, ], table[-(1:7), ])$report, reports)
    expect_identical(dplyr::distinct(table, report)$report, reports[!duplicated(format(reports))])
    counted <- dplyr::count(table, report)
    expect_identical(sum(counted$n), 36L)
    expect_setequal(format(counted$report), format(reports))
    expect_identical(dplyr::arrange(counted, report), counted)
    # A row that a join makes has no report: not one of zeros.
    joined <- dplyr::left_join(tibble::tibble(id = c(3L, 99L)), table, by = "id")
    expect_identical(is.na(joined$report), c(FALSE, TRUE))
    expect_identical(joined$report[1], reports[3])
    expect_identical(format(joined$report)[2], NA_character_)
  }
  expect_error(dplyr::bind_rows(tibble::tibble(report = bits), tibble::tibble(report = rr_perturb(1:2, rr_unary(8, 1)))), class = "candor_error_mismatch")
})

test_that("missing reports are found where they are counted", {
  skip_if_not_installed("dplyr")
  mechanism <- rr_unary(9, 1)
  table <- dplyr::left_join(tibble::tibble(id = c(4L, 99L, 5L)), tibble::tibble(id = 1:36, report = bits), by = "id")
  expect_error(rr_tally(table$report, mechanism), "Report 2 is NA", class = "candor_error_missing")
  expect_message(tally <- rr_tally(table$report, mechanism, na.rm = TRUE), class = "candor_message_missing")
  expect_identical(tally$counts, rr_tally(bits[4:5], mechanism)$counts)
  expect_identical(tally$n, 2)
  expect_identical(is.na(c(table$report, bits)), c(FALSE, TRUE, FALSE, rep(FALSE, 36)))
  expect_identical(as.list(table$report)[[2]], NULL)
  expect_true(all(is.na(as.matrix(table$report)[2, ])))
  back <- as.character(table$report)
  expect_error(rr_tally(back, mechanism), "Report 2 is NA", class = "candor_error_missing")
})

test_that("data frames of R hold them", {
  for (reports in list(bits, sets, signs)) {
    frame <- data.frame(id = 1:36, report = reports)
    expect_identical(dim(frame), c(36L, 2L))
    expect_identical(frame[4:6, ]$report, reports[4:6])
    expect_identical(frame[frame$id > 30, "report"], reports[31:36])
    expect_identical(rbind(frame[1:9, ], frame[10:36, ])$report, reports)
    expect_identical(do.call(rbind, split(frame, frame$id %% 2))$report, reports[c(seq(2, 36, 2), seq(1, 36, 2))])
    expect_identical(merge(data.frame(id = c(3L, 1L)), frame)$report, reports[c(1, 3)])
    changed <- reports
    changed[2] <- reports[7]
    expect_identical(changed[1:3], reports[c(1, 7, 3)])
    expect_error(changed[2] <- 5, class = "candor_error")
  }
})

test_that("packages on vctrs compare and sort reports by their text", {
  skip_if_not_installed("vctrs")
  reports <- withr::with_seed(5, rr_perturb(rep(c("a", "b", "c"), 4), rr_unary(c("a", "b", "c"), 1), rng = "R"))
  text <- as.character(reports)
  rank <- match(text, sort(unique(text), method = "radix"))
  expect_identical(vctrs::vec_compare(reports[1:11], reports[2:12]), as.integer(sign(rank[1:11] - rank[2:12])))
  expect_identical(vctrs::vec_equal(reports, rev(reports)), text == rev(text))
  expect_identical(as.character(reports[vctrs::vec_order(reports)]), sort(text, method = "radix"))
})
