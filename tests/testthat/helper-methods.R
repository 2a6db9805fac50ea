# Snapshots say <all methods> for their list, which each new method would change: all of them in their order, or nothing is
# replaced.
name_all_methods <- function(lines) {
  names <- sprintf("\"%s\"", rr_methods()$method)
  last <- length(names)
  for (before in c(", or ", ", and ", ", ")) {
    list <- paste0(paste(names[-last], collapse = ", "), before, names[last])
    lines <- gsub(list, "<all methods>", lines, fixed = TRUE)
  }
  lines
}
