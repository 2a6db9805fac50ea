# A column of reports as codes, for whoever needs respondents one by one.

# 1-based codes of a column of reports. `name` is the column's, for the message.
report_codes <- function(x, mechanism, name) {
  if (!(is.factor(x) || is.character(x) || is.numeric(x) || is.logical(x)) || length(dim(x)) > 1L) {
    abort(c("{.val {name}} must hold one report per row.", x = "It is {describe(x)}."), "argument")
  }
  x <- plain_reports(x, mechanism)
  tell_reading(x, mechanism)
  coded <- encode_reports(x, mechanism)
  codes <- as.integer(coded$codes) - coded$first + 1L
  bad <- which(is.na(codes) | codes < 1L | codes > length(mechanism$reports))
  if (!length(bad)) return(codes)
  value <- value_at(x, bad[1])
  if (is.na(value)) {
    abort(c("{.val {name}} must not have missing reports.", x = "Row {format_count(bad[1])} is NA.",
            i = "{.code na.action = na.omit} drops such rows."), "missing")
  }
  unknown <- unknown_reports(x, mechanism)
  row <- format_count(bad[1])
  lines <- unknown_lines(unknown, paste("Row", row), sprintf("reports, the first in row %s", row))
  abort(c("{.val {name}} must hold reports of its mechanism.",
          stats::setNames(sprintf("{lines[%d]}", seq_along(lines)), names(lines)),
          i = "The levels are {format_labels(mechanism$reports)}.",
          i = if (unknown$relaxed) relaxed_remedy), "level")
}
