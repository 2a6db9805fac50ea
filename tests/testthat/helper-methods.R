# Snapshots say <all methods> for their list, which each new method would change: all of them in their order, or nothing is
# replaced.
name_all_methods <- function(lines) name_methods(lines, rr_methods()$method, "<all methods>")

name_methods <- function(lines, methods, word) {
  names <- sprintf("\"%s\"", methods)
  last <- length(names)
  for (before in c(", or ", ", and ", ", ")) {
    list <- paste0(paste(names[-last], collapse = ", "), before, names[last])
    lines <- gsub(list, word, lines, fixed = TRUE)
  }
  lines
}
