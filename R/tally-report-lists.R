# Reports that are a few numbers each, as columns, lists and text hold them.

# An integer matrix, a column a report, NA where a report is missing; NULL where `x` has another form. `size`: how many
# numbers a report has; `refuse(position, number)` is for another number. `digits`: of a report as hexadecimal text,
# which has no space and as many digits, more than any number of a category has.
number_lists <- function(x, mechanism, size, refuse, digits = Inf) {
  if (is.factor(x)) x <- as.character(x)
  if (is.data.frame(x)) {
    columns <- lapply(as.list(x), column_numbers)
    if (length(columns) != size || !all(vapply(columns, is.numeric, NA))) return(NULL)
    return(t(whole_matrix(do.call(cbind, unname(columns)))))
  }
  if (is.matrix(x)) return(if (is.numeric(x) && ncol(x) == size) t(whole_matrix(x)))
  if (inherits(x, "rr_reports") || is.object(x)) return(NULL)
  if (is.character(x)) {
    parts <- text_numbers(x, mechanism, digits)
  } else if (is.list(x)) {
    parts <- lapply(x, function(one) if (is.null(one) || identical(one, NA)) NA_real_ else plain_numbers(one))
    bad <- which(!vapply(parts, is.numeric, NA))
    if (1L %in% bad) return(NULL)
    if (length(bad)) abort_report_at(bad[1], paste("is", describe(parts[[bad[1]]])))
  } else {
    return(NULL)
  }
  if (is.null(parts)) return(NULL)
  gone <- vapply(parts, anyNA, NA)
  wrong <- which(!gone & lengths(parts) != size)
  if (length(wrong)) refuse(wrong[1], length(parts[[wrong[1]]]))
  parts[gone] <- list(rep(NA_real_, size))
  t(whole_matrix(matrix(unlist(parts), ncol = size, byrow = TRUE)))
}

# The numbers of each report, as as.character() of them writes them; NULL where the first one is none.
text_numbers <- function(x, mechanism, digits) {
  numbers <- "^ *-?[0-9]+( +-?[0-9]+)* *$"
  first <- x[!is.na(x)][1]
  hexadecimal <- !grepl(" ", first, fixed = TRUE) && isTRUE(nchar(first) >= digits)
  if (hexadecimal || !grepl(numbers, first)) return(NULL)
  bad <- which(!is.na(x) & !grepl(numbers, x))
  if (length(bad)) {
    abort_report_at(bad[1], sprintf("is %s, which is no list of numbers", encodeString(x[bad[1]], quote = "\"")),
                    are_answers(x, mechanism))
  }
  lapply(strsplit(trimws(x), " +"), as.numeric)
}
