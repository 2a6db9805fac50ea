# run-tests.R <counts> [filter [folder]]: the testthat suite (that of tests/testthat, or of another folder) against the
# installed package, each expectation counted; the closing counts go to the file <counts>, so that a crash leaves none.
# What was skipped or warned about is named.
arguments <- commandArgs(trailingOnly = TRUE)
filter <- if (length(arguments) > 1L && nzchar(arguments[2L])) arguments[2L]
folder <- if (length(arguments) > 2L) arguments[3L] else file.path("tests", "testthat")
library(testthat)

results <- test_dir(
  folder, package = "candor", load_package = "installed", filter = filter,
  reporter = SummaryReporter$new(show_praise = FALSE, max_reports = 50L), stop_on_failure = FALSE
)

totals <- c(success = 0, failure = 0, error = 0, skip = 0, warning = 0)
named <- c(skip = "skipped ", warning = "warned  ")
cat("\n")
for (test in results) {
  for (expectation in test$results) {
    kind <- sub("^expectation_", "", class(expectation)[1L])
    if (!kind %in% names(totals)) kind <- "error"
    totals[kind] <- totals[kind] + 1
    if (kind %in% names(named)) {
      reason <- strsplit(conditionMessage(expectation), "\n", fixed = TRUE)[[1L]][1L]
      cat(named[kind], " ", test$file, ": ", test$test, " (", reason, ")\n", sep = "")
    }
  }
}
failures <- totals["failure"] + totals["error"]
cat(sprintf("%d passed, %d failed, %d skipped\n", totals["success"], failures, totals["skip"]),
    file = arguments[1L])
