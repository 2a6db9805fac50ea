# measure.R: the size of the package's R code, each figure beside its budget, which may only fall. Ends with status 1 if one
# is over; tools/lint prints them.
# Tokens are counted, not lines: a goal in lines is reached by density. A token is a word or a sign of the code; comments
# have none. A function is one that a file assigns to a name.
files <- list.files("R", pattern = "[.]R$", full.names = TRUE)

# The tokens within each line, and the functions with theirs.
measured <- lapply(files, function(file) {
  tree <- utils::getParseData(parse(file, keep.source = TRUE))
  tokens <- tree[tree$terminal & tree$token != "COMMENT", ]
  assigned <- Filter(function(id) {
    inner <- tree$id[tree$parent == id]
    length(inner) == 3L && tree$token[match(inner[2L], tree$id)] == "LEFT_ASSIGN" &&
      "FUNCTION" %in% tree$token[tree$parent == inner[3L]]
  }, tree$id[tree$parent == 0L & tree$token == "expr"])
  at <- match(assigned, tree$id)
  name <- vapply(assigned, function(id) {
    place <- match(id, tree$id)
    tokens$text[tokens$line1 == tree$line1[place] & tokens$col1 == tree$col1[place]][1L]
  }, "")
  size <- vapply(at, function(i) sum(tokens$line1 >= tree$line1[i] & tokens$line2 <= tree$line2[i]), 0L)
  list(tokens = nrow(tokens), lines = length(unique(tokens$line1)), functions = data.frame(name = name, size = size))
})
tokens <- vapply(measured, `[[`, 0L, "tokens")
lines <- vapply(measured, `[[`, 0L, "lines")
functions <- do.call(rbind, lapply(measured, `[[`, "functions"))
namespace <- readLines("NAMESPACE")
arrows <- system2(file.path(R.home("bin"), "Rscript"), c("tools/arrows.R", "R"), stdout = TRUE)
counted <- function(pattern) as.numeric(sub(pattern, "\\1", grep(pattern, arrows, value = TRUE)))

share_of_long <- sum(functions$size[functions$size > 330]) / sum(functions$size)
figures <- rbind(
  c("tokens of R code", sum(tokens), 328900),
  c("tokens of a line of code", round(sum(tokens) / sum(lines), 1), 10),
  c("per cent of tokens in functions over 330", round(100 * share_of_long, 1), 10),
  c("tokens of the longest function", max(functions$size), 490),
  c("questions for a class that is not one's own", counted(".*: ([0-9]+) questions for the class.*"), 12),
  c("circles of files", counted(".* files, ([0-9]+) circles.*"), 0),
  c("exports", sum(grepl("^export\\(", namespace) & !grepl("\\((tidy|glance|augment)\\)", namespace)), 80)
)
over <- as.numeric(figures[, 2]) > as.numeric(figures[, 3])
cat(sprintf("%-45s %8s  budget %6s%s\n", figures[, 1], figures[, 2], figures[, 3], ifelse(over, "  over", "")), sep = "")
if ("--long" %in% commandArgs(TRUE)) {
  long <- functions[order(-functions$size), ][1:25, ]
  cat(sprintf("%5d  %s\n", long$size, long$name), sep = "")
  step <- sub("^R/([a-z]+).*", "\\1", files)
  sums <- sort(tapply(tokens, step, sum), decreasing = TRUE)
  cat(sprintf("%6d  %s\n", sums, names(sums)), sep = "")
}
quit(status = as.integer(any(over)))
