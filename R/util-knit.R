# How results look in R Markdown: the lines above and below as text, the estimates as a table.

# `lines` and `notes` are lines as print() writes them, with those that continue a sentence further in.
knit_result <- function(x, lines, table, total, notes = NULL, digits = 4) {
  # Documents of other kinds than Markdown show what print() shows.
  if (!identical(knitr::opts_knit$get("out.format"), "markdown")) return(knitr::normal_print(x))
  joined <- function(lines) {
    text <- strsplit(gsub("\n {3,}", " ", paste(lines, collapse = "\n")), "\n", fixed = TRUE)[[1]]
    paste(escape_markdown(trimws(text)), collapse = "  \n")
  }
  numbers <- vapply(table, is.numeric, NA)
  cells <- as.data.frame(format(as.data.frame(table), digits = digits, justify = "none"))
  cells[!numbers] <- lapply(cells[!numbers], function(column) escape_markdown(trimws(column)))
  names(cells) <- escape_markdown(names(table))
  rows <- knitr::kable(cells, format = "pipe", align = ifelse(numbers, "r", "l"), row.names = FALSE)
  more <- if (total > nrow(table)) sprintf("... and %s more; see `tidy()`.", format_count(total - nrow(table)))
  parts <- c(joined(lines), paste(rows, collapse = "\n"), more, if (length(notes)) joined(notes))
  knitr::asis_output(paste0("\n\n", paste(parts, collapse = "\n\n"), "\n\n"))
}

# What Markdown would take for marks; the lines of tables are kable()'s to escape.
escape_markdown <- function(text) gsub("([\\\\`*_{}<>\\[\\]$~^])", "\\\\\\1", text, perl = TRUE)
