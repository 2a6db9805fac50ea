# run-tests.R <counts> [filter [folder]]: the testthat suite (that of tests/testthat, or of another folder) against the
# installed package, each expectation counted; the closing counts go to the file <counts>, so that a crash leaves none.
# Prints a line for each file when it ends, and names what was skipped or warned about.
#
# Each file has a process of its own, TESTTHAT_CPUS at once (2 by default). The processes of testthat send each
# expectation to another that prints it, which takes a fifth of the time. If it is 1, all files run in this process, as
# covr needs it.
arguments <- commandArgs(trailingOnly = TRUE)
filter <- if (length(arguments) > 1L) arguments[2L] else ""
folder <- if (length(arguments) > 2L) arguments[3L] else file.path("tests", "testthat")
processes <- as.integer(Sys.getenv("TESTTHAT_CPUS", "2"))
Sys.setenv(TESTTHAT_PARALLEL = "false")
library(testthat)
library(candor)

kinds <- c(success = "passed", failure = "failed", error = "stopped", skip = "skipped", warning = "warned")

read_expectation <- function(expectation, test) {
  kind <- sub("^expectation_", "", class(expectation)[1L])
  if (!kind %in% names(kinds)) kind <- "error"
  line <- if (is.null(expectation$srcref)) "" else paste0(":", expectation$srcref[1L])
  # The message of one that holds would be laid out for nobody.
  said <- if (kind == "success") "" else conditionMessage(expectation)
  data.frame(kind = kind, place = paste0(test$file, line, ": ", test$test), said = said)
}

run_file <- function(file) {
  started <- proc.time()[["elapsed"]]
  tests <- suppressMessages(test_file(file.path(folder, paste0("test-", file, ".R")), package = "candor",
                                      load_package = "installed", reporter = "silent", stop_on_failure = FALSE))
  rows <- lapply(tests, function(test) lapply(test$results, read_expectation, test))
  found <- do.call(rbind, unlist(rows, recursive = FALSE))
  counts <- table(factor(found$kind, names(kinds)))
  bad <- found[found$kind %in% c("failure", "error"), ]
  cat(sprintf("%-32s %4.0f s  %s\n", file, proc.time()[["elapsed"]] - started,
              paste(counts[counts > 0], kinds[counts > 0], collapse = ", ")),
      sprintf("FAILED   %s\n%s\n", bad$place, bad$said), sep = "")
  list(counts = counts, told = found[found$kind %in% c("skip", "warning"), ])
}

files <- sub("^test-(.*)[.]R$", "\\1", list.files(folder, "^test-.*[.]R$"))
files <- files[grepl(filter, files)]
first <- strsplit(packageDescription("candor")[["Config/testthat/start-first"]], "[,[:space:]]+")[[1L]]
files <- c(intersect(first, files), setdiff(files, first))
# What many files load is loaded before the processes part.
for (package in c("DBI", "dbplyr", "ggplot2", "survey")) requireNamespace(package, quietly = TRUE)
results <- parallel::mclapply(files, run_file, mc.cores = processes, mc.preschedule = FALSE)

ended <- vapply(results, is.list, NA)
cat(sprintf("FAILED   test-%s.R did not run to its end\n", files[!ended]), sep = "")
told <- do.call(rbind, lapply(results[ended], `[[`, "told"))
cat("\n", sprintf("%-8s %s (%s)\n", kinds[told$kind], told$place, sub("\n.*", "", told$said)), sep = "")
totals <- Reduce(`+`, lapply(results[ended], `[[`, "counts"))
cat(sprintf("%d passed, %d failed, %d skipped\n", totals[["success"]], totals[["failure"]] + totals[["error"]] + sum(!ended),
            totals[["skip"]]), file = arguments[1L])
