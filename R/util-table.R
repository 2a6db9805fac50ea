# What tables of all steps have in common, and what stands between estimates and the tables that show them.

# The columns that tables of tallies, fits and traces put next to the groups and the questions.
result_columns <- c("term", "count", "share", "estimate", "std.error", "conf.low", "conf.high", ".fitted", ".resid",
                    "iteration", "loglik", "gap")

check_result_names <- function(names, must_not, one) {
  reserved <- intersect(names, result_columns)
  if (!length(reserved)) return(invisible())
  abort(c(paste(must_not, "the names of result columns."), x = "{.val {reserved[1]}} is one.",
          i = "Rename that {one}."), "argument")
}

# As a plain data frame. data.frame() hands on the arguments of as.data.frame(); what other packages add is ignored.
plain_frame <- function(table, row.names = NULL, optional = FALSE, ..., stringsAsFactors = FALSE) {
  frame <- as.data.frame(table)
  if (stringsAsFactors) frame[] <- lapply(frame, function(column) if (is.character(column)) factor(column) else column)
  if (!is.null(row.names)) row.names(frame) <- row.names
  frame
}

# Standard errors; an unbiased estimate of a variance may be below 0 and then has none.
root <- function(variance) sqrt(ifelse(variance < 0, NA_real_, variance))

# The matrix that confint() gives, its columns named as R does: "2.5 %".
bounds_matrix <- function(low, high, level, labels) {
  tails <- format(50 * c(1 - level, 1 + level), trim = TRUE, digits = 3, scientific = FALSE, decimal.mark = ".")
  matrix(c(low, high), ncol = 2, dimnames = list(labels, paste(tails, "%")))
}

# One label for each row of group keys: "north" or, of two keys, "north.2024".
group_labels <- function(groups) {
  if (!is.null(groups)) do.call(paste, c(lapply(unname(as.list(groups)), label_text), sep = "."))
}

# The first rows of a table, and how many more there are.
print_rows <- function(table, n, digits, total = nrow(table), more = "more; see tidy()") {
  shown <- as.data.frame(utils::head(table, n))
  # A share of 1e-17 is a rounding of 0, and would have all others printed as 1.000e+00.
  if (is.numeric(shown$estimate)) shown$estimate[which(abs(shown$estimate) < 1e-15)] <- 0
  print(shown, digits = digits, row.names = FALSE)
  if (total > n) cat("  ... and ", format_count(total - n), " ", more, "\n", sep = "")
}

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
