# Results in R Markdown.

skip_if_not_installed("knitr")

knitted <- function(...) {
  file <- withr::local_tempfile(fileext = ".Rmd")
  out <- withr::local_tempfile(fileext = ".md")
  writeLines(c("```{r}", ..., "```"), file)
  suppressMessages(knitr::knit(file, out, quiet = TRUE, envir = new.env(parent = globalenv())))
  readLines(out)
}

test_that("fits, margins and tallies become tables in R Markdown", {
  text <- knitted("library(candor)",
                  'tally <- rr_counts(cbind(men = c(420, 330, 250), "wo*men" = c(500, 300, 200)), rr_grr(c("a_b_c", "x|y", "often"), epsilon = 1))',
                  "tally", "rr_estimate(tally)")
  expect_true(any(grepl("^\\|group +\\|term +\\| +count\\| +share\\|$", text)))
  expect_true(any(grepl("^\\|men +\\|a\\\\_b\\\\_c +\\| +420\\| +0.42\\|$", text)))
  # A name with a star is no emphasis; one with a bar does not open a column.
  expect_true(any(grepl("wo\\*men", text, fixed = TRUE)))
  expect_identical(unique(lengths(strsplit(grep("^\\|(men|wo)", text, value = TRUE), "|", fixed = TRUE))), c(5L, 7L))
  expect_true(any(grepl("^Maximum likelihood of 3 categories from 2,000 reports in 2 groups", text)))
  # Lines that print() breaks are whole again.
  expect_true(any(grepl("have no standard error and bias the others: read the intervals$", text)))
})

test_that("long tables end with their number, and normal_print prints", {
  text <- knitted("library(candor)", "rr_counts(rep(3, 30), rr_grr(30, epsilon = 1))")
  expect_length(grep("^\\|[0-9]", text), 25)
  expect_true("... and 5 more; see `tidy()`." %in% text)
  # Outside of a document, as in one of another kind, it is what print() says.
  expect_output(knitr::knit_print(rr_counts(1:3, rr_grr(3, epsilon = 1))), "<rr_tally> 6 reports", fixed = TRUE)
})
