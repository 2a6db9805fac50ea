# site.R <package> <site>: the pages by pkgdown. A page whose packages are missing is left out and named.
arguments <- commandArgs(TRUE)
options(pkgdown.internet = FALSE)
source <- file.path(dirname(arguments[2]), "site-source")
unlink(source, recursive = TRUE)
dir.create(source)
kept <- c("DESCRIPTION", "NAMESPACE", "LICENSE", "README.md", "NEWS.md", "_pkgdown.yml", "R", "man", "data", "inst", "vignettes", "pkgdown")
stopifnot(file.copy(file.path(arguments[1], kept), source, recursive = TRUE))

for (article in list.files(file.path(source, "vignettes"), "[.]Rmd$", full.names = TRUE, recursive = TRUE)) {
  needed <- unique(unlist(regmatches(text <- readLines(article), gregexpr("(?<=library\\()[A-Za-z0-9.]+(?=\\))", text, perl = TRUE))))
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), needed)
  if (length(missing)) {
    message("left out: ", basename(article), " needs ", toString(missing))
    file.remove(article)
  }
}
# The pages of inst/mathematics are articles, with their links to each other.
mathematics <- list.files(file.path(source, "inst", "mathematics"), "[.]md$", full.names = TRUE)
for (page in mathematics) {
  text <- gsub("\\]\\(([a-z-]+)[.]md", "](mathematics-\\1.html", readLines(page))
  text <- gsub("<?doi:(10[.][^ ,;>)]*[^ ,;>).])>?", "<https://doi.org/\\1>", text)
  title <- sub("^# ", "", text[1])
  name <- paste0("mathematics-", sub("[.]md$", "", tolower(basename(page))), ".Rmd")
  writeLines(c("---", paste0("title: \"", title, "\""), "output: rmarkdown::html_vignette", "---", text[-1]),
             file.path(source, "vignettes", "articles", name))
}
# An address below that of the site is a link on it.
linked <- function(files, pattern, link) {
  for (file in files) writeLines(gsub(pattern, link, readLines(file), perl = TRUE), file)
}
linked(list.files(file.path(source, "man"), "[.]Rd$", full.names = TRUE), "\\\\code\\{((articles|studies)/[A-Za-z-]+[.](html|R))\\}",
       "\\\\href{../\\1}{\\1}")
linked(list.files(file.path(source, "vignettes"), "[.]Rmd$", full.names = TRUE), "`((articles|studies)/[A-Za-z-]+[.](html|R))`", "[\\1](../\\1)")
linked(file.path(source, "README.md"), "`(articles/[a-z-]+[.]html)`", "[\\1](\\1)")
package <- pkgdown::as_pkgdown(source, override = list(destination = arguments[2]))
pkgdown::build_site(package, preview = FALSE, devel = FALSE, new_process = FALSE, install = FALSE)

stopifnot(file.copy(file.path(source, "inst", "studies"), arguments[2], recursive = TRUE))

# The index of the search as a script, which a page can load from a folder too.
index <- readLines(file.path(arguments[2], "search.json"), warn = FALSE)
entries <- jsonlite::fromJSON(paste(index, collapse = "\n"), simplifyVector = FALSE)
page <- function(entry) {
  entry$path <- sub("^(https?://[^/]*)?/*", "", entry$path)
  entry[c("path", "id", "dir", "title", "what", "text")]
}
# A section without text has no entry.
entries <- lapply(Filter(function(entry) length(entry$path) > 0, entries), page)
stopifnot(!vapply(entries, function(entry) is.null(entry$title), NA))
# What pkgdown's index leaves out: an entry for each row of a table in an article, and for the concepts of each page of help.
table_entries <- function(path) {
  html <- xml2::read_html(file.path(arguments[2], path))
  title <- xml2::xml_text(xml2::xml_find_first(html, "//main//h1"))
  lapply(xml2::xml_find_all(html, "//main//table//tr[td]"), function(row) {
    heading <- xml2::xml_find_first(row, "ancestor::div[@class][starts-with(@class, 'section')][1]/*[starts-with(name(), 'h')]")
    cells <- xml2::xml_text(xml2::xml_find_all(row, "td"), trim = TRUE)
    list(path = path, id = xml2::xml_attr(heading, "id"), dir = "Articles", title = title,
         what = xml2::xml_text(heading), text = gsub("\\s+", " ", paste(cells, collapse = " ")))
  })
}
concept_entry <- function(name, path, title) {
  lines <- readLines(file.path(source, "man", name))
  concepts <- sub("^\\\\concept\\{(.*)\\}$", "\\1", grep("^\\\\concept\\{", lines, value = TRUE))
  list(path = file.path("reference", path), id = "", dir = "Reference", title = title, what = title, text = toString(concepts))
}
articles <- file.path("articles", list.files(file.path(arguments[2], "articles"), "[.]html$"))
topics <- package$topics
entries <- c(
  entries, unlist(lapply(articles, table_entries), recursive = FALSE),
  unname(Map(concept_entry, basename(topics$file_in), topics$file_out, topics$title))
)
writeLines(paste0("window.searchIndex = ", jsonlite::toJSON(entries, auto_unbox = TRUE, null = "null"), ";"), file.path(arguments[2], "search.js"))
dir.create(file.path(arguments[2], "katex"))
