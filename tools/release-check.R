# release-check.R: links between files of the package, addresses, the width of the help, and spelling. Called by tools/release-check, from the top of the clone.
bad <- character()
complain <- function(...) bad <<- c(bad, sprintf(...))

# Links of Markdown to a file: it is there, and it travels with the tarball.
ignored <- readLines(".Rbuildignore")
pages <- c(list.files(".", "[.]md$"), list.files(c("inst", "vignettes"), "[.]R?md$", recursive = TRUE, full.names = TRUE))
travels <- function(path) !any(vapply(ignored, grepl, NA, path, perl = TRUE, ignore.case = TRUE))
for (page in pages) {
  text <- paste(readLines(page, encoding = "UTF-8"), collapse = "\n")
  links <- unlist(regmatches(text, gregexpr("(?<=\\]\\()[^)# ]+|(?<=src=\")[^\"]+", text, perl = TRUE)))
  for (link in links[!grepl("^(https?|mailto|doi):", links) & grepl("[./]", links)]) {
    target <- sub("^[.]/", "", if (dirname(page) == ".") link else file.path(dirname(page), link))
    if (basename(dirname(page)) == "articles") target <- sub("[.]html$", ".Rmd", target)
    if (!file.exists(target)) complain("%s: no file %s", page, link)
    else if (travels(sub("^[.]/", "", page)) && !travels(target)) complain("%s: %s is not in the tarball", page, link)
  }
}
# The index of articles says of each what it is about.
for (page in list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE)) {
  if (!any(startsWith(readLines(page, 10), "description: "))) complain("%s: no description", page)
}
# A vignette and a file of the package that a page names are shipped; an article is there, and has the address of the site as DESCRIPTION has it.
named <- function(text, pattern) unique(unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE))))
site <- sub(",.*", "", read.dcf("DESCRIPTION", "URL")[1])
shipped <- c(list.files("R", "[.]R$", full.names = TRUE), "README.md", list.files("vignettes", "[.]Rmd$", full.names = TRUE))
for (page in shipped) {
  text <- readLines(page, encoding = "UTF-8")
  for (name in named(text, "(?<=vignette\\(\")[a-z-]+(?=\")")) {
    if (!file.exists(file.path("vignettes", paste0(name, ".Rmd")))) complain("%s: the vignette %s is not shipped", page, name)
  }
  for (name in gsub("\", \"", "/", named(text, "(?<=system[.]file\\(\")(studies|mathematics)\", \"[A-Za-z.-]+(?=\")"), fixed = TRUE)) {
    if (!file.exists(file.path("inst", name)) || !travels(file.path("inst", name))) complain("%s: %s is not shipped", page, name)
  }
  for (name in named(text, "(?<=articles/)[a-z-]+(?=[.]html)")) {
    if (!file.exists(file.path("vignettes", "articles", paste0(name, ".Rmd")))) complain("%s: no article %s", page, name)
  }
  for (name in named(text, "(?<=`studies/)[a-z-]+[.]R(?=`)")) {
    if (!file.exists(file.path("inst/studies", name))) complain("%s: no study %s", page, name)
  }
  if (!is.na(site) && any(grepl("`(articles|studies)/", text))) complain("%s: `articles/ or `studies/ without the address of the site, %s", page, site)
}
# Addresses that go nowhere: CRAN wants https, and DOIs as \doi{}.
sources <- c(list.files("man", "[.]Rd$", full.names = TRUE), pages, "DESCRIPTION", "inst/CITATION")
for (file in sources) {
  lines <- readLines(file, encoding = "UTF-8")
  old <- grep("http://|\\\\url\\{https://(dx[.])?doi[.]org", lines)
  if (length(old)) complain("%s:%d: an address without https, or a DOI that is no \\doi{}", file, old[1])
}
# The help in a terminal has 80 columns. Only an address has no place to break.
options(width = 80)
for (page in list.files("man", "[.]Rd$", full.names = TRUE)) {
  text <- utils::capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE), stages = c("build", "install", "render")))
  for (line in text[nchar(text, "width") > 80 & !grepl("^ *<https://[^ ]+$", text)]) complain("%s: over 80 columns in the help: %s", page, trimws(line))
}
# Spelling: hunspell's dictionaries and inst/WORDLIST, which spelling::update_wordlist() makes longer.
if (requireNamespace("spelling", quietly = TRUE)) {
  found <- as.data.frame(spelling::spell_check_package(".", vignettes = TRUE))
  # Names of persons and products begin with a capital: nobody has to list them.
  found <- found[grepl("^[[:lower:]]", found$word), ]
  for (i in seq_len(nrow(found))) complain("spelling: %s (%s)", found$word[i], toString(found$found[[i]]))
} else cat("the package spelling is not installed: words are not checked\n")
writeLines(bad)
quit(status = length(bad) > 0)
