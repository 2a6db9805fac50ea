# Reports of a protocol in columns of whole numbers.

# Whole numbers in named columns, each within its range: list(reports = tibble of integers, dropped). `mechanism`: whose
# reports `x` is, NULL for a part of them.
read_columns <- function(x, ranges, na.rm, mechanism = NULL) {
  if (is.matrix(x) && !is.null(colnames(x))) x <- as.data.frame(x)
  absent <- setdiff(names(ranges), names(x))
  if (!is.list(x) || length(absent)) {
    abort(c("{.arg x} must have the columns {.val {names(ranges)}}.",
            x = if (is.list(x)) "{.val {absent[1]}} is missing." else "It is {describe(x)}.",
            i = if (!is.null(mechanism) && are_answers(x, mechanism)) answers_remedy else "See {.fn rr_reports}."),
          other_reports(x))
  }
  columns <- lapply(x[names(ranges)], column_numbers)
  # As rr_perturb() returns them: looking closer would take longer than counting.
  if (all(mapply(all_within, columns, ranges))) {
    return(list(reports = tibble::as_tibble(lapply(columns, as.integer)), dropped = integer()))
  }
  for (name in names(ranges)) {
    if (!is.numeric(columns[[name]]) && !all(is.na(columns[[name]]))) {
      text <- columns[[name]]
      stray <- if (is.character(text)) which(is.na(suppressWarnings(as.numeric(text))) & !is.na(text))
      abort(c("Column {.val {name}} of {.arg x} must hold whole numbers.",
              x = if (length(stray)) "Report {format_count(stray[1])} has {.val {text[stray[1]]}}."
                  else "It is {describe(text)}."), "report")
    }
  }
  dropped <- drop_missing_reports(which(Reduce(`|`, lapply(columns, is.na))), na.rm)
  if (length(dropped)) columns <- lapply(columns, `[`, -dropped)
  for (name in names(ranges)) {
    values <- columns[[name]]
    bad <- which(values != floor(values) | values < ranges[[name]][1] | values > ranges[[name]][2])
    if (length(bad)) {
      abort_report_at(bad[1], sprintf("has %s %s; it is a whole number from %s to %s", name, format(values[bad[1]],
                                                                                                    digits = 15),
                                      format_count(ranges[[name]][1]), format_count(ranges[[name]][2])))
    }
  }
  list(reports = tibble::as_tibble(lapply(columns, as.integer)), dropped = dropped)
}

# Integers without a missing one, within their range.
all_within <- function(values, range) {
  is.integer(values) && length(values) && isTRUE(min(values) >= range[1] && max(values) <= range[2])
}
