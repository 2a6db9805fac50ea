# prose.R: how readable the documents are, each figure beside the most that it may be. tools/lint prints them.
# A sentence ends with its paragraph, its item of a list, or a full stop. Code counts as one word; tables, examples,
# usage and references are left out, and so are the headings of comments. "--long" shows the long sentences, "--hits" the
# hits of the classes.
left_out <- c("\\usage", "\\examples", "\\preformatted", "\\tabular", "\\alias", "\\name", "\\keyword", "\\concept",
              "\\references", "\\seealso", "\\docType", "\\Rdversion", "\\encoding", "\\figure", "\\format", "COMMENT")
rd_text <- function(x) {
  tag <- attr(x, "Rd_tag")
  if (is.null(tag)) tag <- ""
  if (tag %in% left_out) return("")
  if (tag %in% c("\\eqn", "\\deqn")) x <- x[1L]
  inner <- if (is.list(x)) paste(vapply(x, rd_text, ""), collapse = if (tag == "\\item") ": " else "") else paste(x, collapse = "")
  if (tag %in% c("\\code", "\\eqn", "\\deqn", "\\verb", "\\link", "\\pkg", "\\doi", "\\url", "\\href")) {
    return(paste0("`", gsub("[[:space:].!?;:,`]", "", inner)))
  }
  if (tag %in% c("\\item", "\\title", "\\description", "\\details", "\\value", "\\section", "\\subsection")) inner <- paste0("\n\n", inner, "\n\n")
  inner
}
md_text <- function(file) {
  lines <- readLines(file)
  yaml <- which(lines == "---")
  if (length(yaml) > 1L && yaml[1L] == 1L) lines <- lines[-seq_len(yaml[2L])]
  lines <- lines[cumsum(grepl("^</?style", lines)) %% 2L == 0L]
  lines <- lines[cumsum(grepl("^ *```", lines)) %% 2L == 0L & !grepl("^ *(```|\\||<|#)", lines)]
  lines <- sub("^ *([-*+]|[0-9]+[.]) ", "\n\n", lines)
  text <- gsub("!?\\[([^]]*)\\]\\([^)]*\\)", "\\1", gsub("\\$[^$\n]+\\$", "x", paste(lines, collapse = "\n")))
  for (code in regmatches(text, gregexpr("`[^`]+`", text))[[1L]]) text <- sub(code, paste0("\u2018", gsub("[[:space:].!?;:,`]", "", code)), text, fixed = TRUE)
  sub("## References.*", "", text)
}
# Comments in the code of R and C, each block of lines a paragraph; those that roxygen2 reads are pages.
comment_text <- function(file) {
  lines <- readLines(file)
  if (endsWith(file, "R")) {
    # Lines that are indented further are lists and formulas.
    own <- grepl("^ *# [^ ]", lines) & !grepl("----", lines, fixed = TRUE)
    lines <- ifelse(own, sub("^ *# ", "", lines), "")
  } else {
    inside <- cumsum(grepl("/[*]", lines)) > cumsum(c(0L, utils::head(grepl("[*]/", lines), -1L)))
    lines <- ifelse(inside, gsub("^.*/[*]+|[*]+/.*$|^ *[*]", "", lines), "")
  }
  paste(lines, collapse = "\n")
}
sentences <- function(text) {
  paragraphs <- gsub("[[:space:]]+", " ", unlist(strsplit(text, "\n[[:space:]]*\n")))
  trimws(unlist(strsplit(paragraphs, "(?<=[.!?])[)\"']? +(?=[^a-z])", perl = TRUE)))
}
words <- function(x) lengths(gregexpr("[[:alnum:]][^[:space:]]*", x))

pages <- list.files("man", pattern = "[.]Rd$", full.names = TRUE)
parsed <- lapply(pages, tools::parse_Rd, permissive = TRUE)
articles <- list.files("vignettes", pattern = "[.]Rmd$", full.names = TRUE, recursive = TRUE)
all <- list(manual = sentences(vapply(parsed, rd_text, "")), articles = sentences(vapply(articles, md_text, "")),
            README = sentences(md_text("README.md")), NEWS = sentences(md_text("NEWS.md")),
            comments = sentences(vapply(list.files(c("R", "src"), "[.][RCch]$", full.names = TRUE, recursive = TRUE), comment_text, "")))
long <- lapply(all, function(x) x[words(x) > 35])
classes <- c(A = "^Of |[;:(] ?of (a|an|the|one|several|each|all|these|those|which)\\b|, of (which|whom)\\b",
             B = "\\b(that|those|such|the ones?) of\\b|\\bones? (that|whose|which)\\b", C = "\\b[Ww]here\\b")
hits <- lapply(classes, function(class) grep(class, all$manual, value = TRUE, perl = TRUE))
# Sentences of comments that do not begin with their subject.
late <- grep("^(Of|That|Those|What|Where|Which) ", all$comments, value = TRUE)
text <- unlist(lapply(articles, readLines))
exports <- gsub("\"", "", sub("^export\\((.*)\\)$", "\\1", grep("^export\\(", readLines("NAMESPACE"), value = TRUE)))
absent <- exports[!vapply(exports, function(name) any(grepl(paste0("\\b", name, "\\b"), text)), NA)]
unlinked <- pages[!vapply(pages, function(page) any(grepl("\\\\(seealso\\{|keyword\\{internal\\})", readLines(page))), NA)]

figures <- rbind(
  cbind(paste("sentences over 35 words:", names(all)), lengths(long), c(15, 3, 0, 0, 105)),
  cbind(paste("manual,", c("\"of ...\" before its noun", "\"that of\" as a noun", "\"where\" for \"if\"")), lengths(hits), c(3, 15, 15)),
  c("comments that begin without their subject, per cent", round(100 * length(late) / length(all$comments), 1), 8),
  c("manual pages", length(pages), 80),
  c("manual pages without See also", length(unlinked), 0),
  c("exports in no article", length(absent), 10)
)
over <- as.numeric(figures[, 2]) > as.numeric(figures[, 3])
cat(sprintf("%-50s %8s  goal %6s%s\n", figures[, 1], figures[, 2], figures[, 3], ifelse(over, "  over", "")), sep = "")
if ("--long" %in% commandArgs(TRUE)) print(long)
if ("--hits" %in% commandArgs(TRUE)) print(c(hits, list(comments = late, unlinked = unlinked, absent = absent)))
