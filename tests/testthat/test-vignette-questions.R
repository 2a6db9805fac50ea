# Words that strangers typed and that no page had. Each is a concept, a title or an alias of a help
# page, which `??` searches, and is in one of two articles; tools/site types it into the search of the site.

strangers_words <- readLines(testthat::test_path("golden", "words.txt"))

holds_word <- function(word, text) any(grepl(paste0("\\b", word, "\\b"), text, ignore.case = TRUE))

test_that("every word of a stranger is found by ??", {
  pages <- tools::Rd_db("candor")
  searched <- lapply(pages, function(page) {
    tags <- vapply(page, attr, "", "Rd_tag")
    vapply(page[tags %in% c("\\concept", "\\title", "\\alias")], function(part) paste(unlist(part), collapse = ""), "")
  })
  lost <- Filter(function(word) !holds_word(word, unlist(searched)), strangers_words)
  expect_identical(lost, character())
})

test_that("every word of a stranger is in the questions or in coming-from", {
  paths <- testthat::test_path("..", "..", "vignettes", c("questions.Rmd", "articles/coming-from.Rmd"))
  skip_if_not(all(file.exists(paths)), "vignettes beside the tests")
  text <- unlist(lapply(paths, readLines, encoding = "UTF-8"))
  lost <- Filter(function(word) !holds_word(word, text), strangers_words)
  expect_identical(lost, character())
})
