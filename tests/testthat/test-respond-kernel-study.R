# inst/studies/samplers.R: its table says what its text and NEWS say, and its newest parts still run.

table_of <- function(folder) utils::read.csv(file.path(folder, "samplers.csv"))

test_that("the table of the study of samplers says what the text says", {
  folder <- study_folder()
  table <- table_of(folder)
  # The statistics, p-values and standardized differences belong together.
  p <- stats::pchisq(table$statistic, table$df, lower.tail = FALSE)
  expect_equal(table$p.value, p, tolerance = 1e-3)
  chances <- table[table$kind == "frequency", ]
  z <- (chances$observed - chances$expected) * sqrt(chances$decisions / (chances$expected * (1 - chances$expected)))
  expect_equal(chances$z, z, tolerance = 1e-3)
  text <- paste(readLines(file.path(folder, "README.md")), collapse = " ")
  reports <- table[table$kind == "report", ]
  expect_length(unique(table$protocol), 31)
  expect_match(text, sprintf("`samplers.csv`, %d tests that overlap", nrow(table)), fixed = TRUE)
  expect_match(text, sprintf("%d tests of whole reports (%d to %s cells): p-values from .0018 to .928", nrow(reports), min(reports$cells),
                             format(max(reports$cells), big.mark = ",")), fixed = TRUE)
  expect_equal(round(range(reports$p.value), 3), c(0.002, 0.928))
  expect_match(text, sprintf("%d probabilities", nrow(chances)), fixed = TRUE)
  expect_lt(max(abs(chances$observed - chances$expected)), 1.7e-4)
  expect_equal(round(max(abs(chances$z)), 2), 1.97)
  expect_true(all(reports$decisions >= 1e8))
  # Nothing is wrong with any of them: 97 tests have a p-value below 1e-5 with a probability below .001.
  expect_gt(min(table$p.value), 1e-5)
})

test_that("the study runs for the mechanisms that are asked for", {
  skip_on_cran()
  folder <- study_folder()
  skip_if("pkgload" %in% loadedNamespaces(), "an installed package")
  into <- withr::local_tempdir()
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  # Few draws, too few to judge chances: that cells and laws fit together, and that no impossible report comes.
  arguments <- c(shQuote(file.path(folder, "samplers.R")), shQuote(into), "2e4", shQuote("sketch|mean|hierarchy|question|prefixes"))
  expect_null(attr(system2(file.path(R.home("bin"), "Rscript"), arguments, stdout = TRUE, stderr = TRUE), "status"))
  table <- table_of(into)
  expect_identical(names(table), names(table_of(folder)))
  expect_length(unique(table$protocol), 8)
  # Of 21 tests one is below 1e-6 with a probability of 2e-5; there is no seed.
  expect_gt(min(table$p.value), 1e-6)
})
