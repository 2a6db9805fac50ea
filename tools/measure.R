# measure.R: the size of the package's R code, each figure beside the most that it may be. tools/lint prints them.
# A line of code is neither blank nor a comment. Lines of messages are those of the calls that throw, warn or inform,
# with the conditions that guard them.
is_code <- function(lines) !grepl("^\\s*(#|$)", lines)
speakers <- c("abort", "must_be", "warn", "cli_inform", "cli_warn", "cli_abort", "inform", "stop", "warning", "message")
stack <- c("sys.call", "sys.calls", "sys.frame", "sys.frames", "sys.function", "sys.nframe", "sys.parent", "sys.parents")

files <- list.files("R", pattern = "[.]R$", full.names = TRUE)
measured <- lapply(files, function(file) {
  lines <- readLines(file)
  tree <- utils::getParseData(parse(file, keep.source = TRUE))
  parent <- stats::setNames(tree$parent, tree$id)
  at <- function(id) tree[match(id, tree$id), ]
  up <- function(id) unname(parent[as.character(id)])
  first_child <- function(id) tree$token[tree$parent == id][1L]
  messages <- integer()
  for (call in tree$id[tree$token == "SYMBOL_FUNCTION_CALL" & tree$text %in% speakers]) {
    node <- up(up(call))
    # Outwards through braces that hold nothing else, to the condition.
    repeat {
      above <- up(node)
      if (!isTRUE(above > 0L)) break
      alone <- first_child(above) == "'{'" && sum(tree$parent == above & tree$token == "expr") == 1L
      if (!alone && first_child(above) != "IF") break
      node <- above
      if (!alone) break
    }
    messages <- c(messages, at(node)$line1:at(node)$line2)
  }
  top <- tree[tree$parent == 0L & tree$token == "expr", ]
  functions <- lapply(top$id, function(id) {
    inner <- tree[tree$parent == id, ]
    if (nrow(inner) < 3L || inner$token[2L] != "LEFT_ASSIGN" || first_child(inner$id[3L]) != "FUNCTION") return(NULL)
    name <- gsub("[`\"]", "", paste(tree$text[tree$parent == inner$id[1L]], collapse = ""))
    within <- tree$line1 >= at(id)$line1 & tree$line2 <= at(id)$line2
    data.frame(name = name, first = at(id)$line1, last = at(id)$line2,
               stack = any(tree$text[within & tree$token == "SYMBOL_FUNCTION_CALL"] %in% stack))
  })
  functions <- do.call(rbind, functions)
  functions$length <- vapply(seq_len(NROW(functions)), function(k) {
    sum(is_code(lines[functions$first[k]:functions$last[k]]))
  }, 0L)
  list(code = sum(is_code(lines)), messages = sum(is_code(lines[unique(messages)])), functions = functions)
})
code <- vapply(measured, `[[`, 0L, "code")
functions <- do.call(rbind, lapply(measured, `[[`, "functions"))
tests <- unlist(lapply(list.files("tests", pattern = "[.]R$", recursive = TRUE, full.names = TRUE), readLines))
namespace <- readLines("NAMESPACE")

figures <- rbind(
  c("lines of R code", sum(code), 15500),
  c("of them messages and their conditions, per cent", round(100 * sum(vapply(measured, `[[`, 0L, "messages")) / sum(code), 1), 8),
  c("registered S3 methods", sum(grepl("^S3method", namespace)), 420),
  c("exports", sum(grepl("^export\\(", namespace)), 85),
  c("functions that read the call stack", sum(functions$stack), 1),
  c("R files", length(files), 130),
  c("R files under 30 lines of code", sum(code < 30L), 5),
  c("lines of the longest function", max(functions$length), 60),
  c("lines of R tests", sum(is_code(tests)), 14500)
)
over <- as.numeric(figures[, 2]) > as.numeric(figures[, 3])
cat(sprintf("%-50s %8s  goal %6s%s\n", figures[, 1], figures[, 2], figures[, 3], ifelse(over, "  over", "")), sep = "")
if ("--long" %in% commandArgs(TRUE)) {
  long <- functions[order(-functions$length), ][1:15, ]
  cat(sprintf("%5d  %s\n", long$length, long$name), sep = "")
  step <- sub("^R/([a-z]+).*", "\\1", files)
  sums <- sort(tapply(code, step, sum), decreasing = TRUE)
  cat(sprintf("%6d  %s\n", sums, names(sums)), sep = "")
}
