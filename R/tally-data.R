# Reports in a column of a data frame, beside groups and weights.

#' @rdname rr_tally
#' @export
rr_tally.data.frame <- function(x, mechanism, ..., column = NULL, weights = NULL, by = NULL, na.rm = FALSE,
                                match = c("exact", "relaxed"), keep = c("counts", "sets")) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  match <- check_choice(match, "match", c("exact", "relaxed"))
  keep <- check_choice(keep, "keep", c("counts", "sets"))
  parts <- frame_parts(x, mechanism, column, weights, by)
  tally_reports(parts$reports, mechanism, parts$weights, parts$by, na.rm, match, keep)
}

# What a data frame holds: the reports, the weights and the groups. Columns are named by text or a formula; vectors are
# taken as they are. Groups of dplyr::group_by() come first.
frame_parts <- function(x, mechanism, column, weights, by) {
  grouped <- setdiff(names(attr(x, "groups")), ".rows")
  original <- x
  x <- as_plain_frame(x)
  by <- frame_groups(x, by)
  if (length(grouped)) by <- c(as.list(x)[grouped], by[setdiff(names(by), grouped)])
  weighted <- frame_names(x, weights, "weights", one = TRUE)
  reports <- frame_reports(x, mechanism, column, c(names(by), weighted))
  if (is.data.frame(reports) && identical(names(reports), names(original))) reports <- original
  list(reports = reports,
       weights = if (is.null(weighted)) weights else x[[weighted]], by = by)
}

# Drop groups and foreign classes, so that `[` and `[[` do what base R documents.
as_plain_frame <- function(x) {
  structure(as.list(x), names = names(x), row.names = .set_row_names(nrow(x)), class = "data.frame")
}

frame_groups <- function(x, by) {
  named <- frame_names(x, by, "by")
  if (!is.null(named)) return(as.list(x)[named])
  if (is.null(by) || is.list(by)) return(as.list(by))
  list(group = by)
}

# The columns that an argument names, NULL where it is the values themselves.
frame_names <- function(x, given, arg, one = FALSE) {
  if (inherits(given, "formula")) {
    wanted <- formula_names(given, arg)
  } else if (is.character(given) && !is.object(given) && length(given) > 0L &&
             (length(given) != nrow(x) || all(given %in% names(x)))) {
    wanted <- given
  } else {
    return(NULL)
  }
  absent <- setdiff(wanted, names(x))
  if (length(absent)) {
    inner <- names(x)[startsWith(names(x), paste0(absent[1], "."))]
    short <- substring(inner, nchar(absent[1]) + 2)
    if (arg == "column" && length(inner) > 1L && any(c("value", "sign") %in% short)) {
      abort(c("{.arg {arg}} must name columns of the data.",
              x = "There is none called {.val {absent[1]}}; {.val {inner}} are what {.fn data.frame} made of it.",
              i = paste("Leave {.arg {arg}} out and rename them to {.val {short}}:",
                        "{.code names(x) <- sub(\"{absent[1]}.\", \"\", names(x), fixed = TRUE)}.")), "argument")
    }
    near <- nearest_label(absent[1], names(x))
    abort(c("{.arg {arg}} must name columns of the data.", x = "There is none called {.val {absent[1]}}.",
            i = if (!is.na(near)) "Did you mean {.val {near}}?" else "Its columns are {format_labels(names(x))}."),
          "argument")
  }
  if (one && length(wanted) != 1L) {
    abort(c("{.arg {arg}} must name one column.", x = "It names {length(wanted)}: {format_labels(wanted)}."),
          "argument")
  }
  unique(wanted)
}

formula_names <- function(formula, arg) {
  names <- function(e) {
    if (is.name(e)) return(as.character(e))
    if (is.call(e) && length(e) == 3L && identical(e[[1]], quote(`+`))) return(c(names(e[[2]]), names(e[[3]])))
    abort(c("{.arg {arg}} must be a formula of column names, such as {.code ~ region + year}.",
            x = "It holds {.code {deparse(e)[1]}}.", i = "Make it a column of the data first."), "argument")
  }
  if (length(formula) != 2L) {
    abort(c("{.arg {arg}} must be a formula with one side, such as {.code ~ region}.",
            x = "It has something on its left."),
          "argument")
  }
  names(formula[[2]])
}

# Is a report of this protocol a row of several columns, and are they there?
holds_rows <- function(mechanism, names) {
  if (inherits(mechanism, "rr_local_hash")) return(all(c("value") %in% names))
  if (inherits(mechanism, "rr_mean")) return(FALSE)
  if (inherits(mechanism, "rr_hadamard")) return(all(c("index", "sign") %in% names))
  !law_gives(rr_law(mechanism), "channel", length(mechanism$levels))
}

# A product takes the columns called as its questions; a protocol whose reports are rows takes the frame; every other
# mechanism has one column of reports, which need not be named where it is the only one left.
frame_reports <- function(x, mechanism, column, others) {
  columns <- report_columns(x, mechanism, column, others)
  if (is.null(columns)) return(x)
  # A column of numbers stays a table: one number a report.
  if (length(columns) == 1L && is_packed(mechanism) && !is.data.frame(x[[columns]])) {
    return(if (holds_packed(x[[columns]])) x[[columns]] else x[columns])
  }
  if (length(columns) > 1L || (is.null(column) && holds_rows(mechanism, columns))) x[columns] else x[[columns]]
}

# Mechanisms whose reports are bits or a few numbers each: a column of text or of a list may hold them, or several
# columns.
is_packed <- function(mechanism) inherits(mechanism, c("rr_unary", "rr_subset", "rr_bitflip"))

holds_packed <- function(values) {
  !is.data.frame(values) && (is.character(values) || is.factor(values) || is.list(values) ||
                               inherits(values, "rr_reports"))
}

# The columns that hold the reports, NULL where the names of the questions say it.
report_columns <- function(x, mechanism, column, others, table = "a data frame") {
  column <- frame_names(x, column, "column") %||% refuse_column(column)
  if (inherits(mechanism, "rr_product")) {
    if (is.null(column)) return(NULL)
    abort(c("{.arg column} is not for several questions: their names are the columns.",
            i = "The questions are {.val {names(mechanism$questions)}}."), "argument")
  }
  left <- setdiff(names(x), others)
  packed <- if (is.null(column) && is_packed(mechanism) && length(left) > 1L) {
    left[vapply(left, function(name) holds_packed(x[[name]]), NA)]
  }
  if (is.null(column) && is_packed(mechanism)) {
    named <- set_columns(mechanism, left)
    if (!is.null(named)) return(named)
  }
  # A table within the table, as tibble(day, report = rr_perturb()) makes it.
  inner <- if (is.null(column) && length(left) > 1L) {
    left[vapply(left, function(name) is.data.frame(x[[name]]) && holds_fields(x[[name]], mechanism), NA)]
  }
  if (length(inner)) packed <- inner
  if (length(packed) != 1L && is.null(column) && holds_rows(mechanism, left)) return(left)
  if (length(column) == 1L || (length(column) > 1L && is_packed(mechanism))) return(column)
  if (is.null(column) && length(left) == 1L) return(left)
  likely <- if (length(packed)) packed else left[vapply(left, function(name) holds_reports(x[[name]], mechanism), NA)]
  if (length(likely) > 1L && "report" %in% likely) likely <- "report"
  abort(c(if (is.null(column)) "{.arg column} is needed: the name of the column that holds the reports."
          else "{.arg column} must name one column, since the mechanism has one question.",
          x = if (is.null(column)) "{.arg x} is {table} with {length(x)} columns: {format_labels(names(x))}."
              else "It names {length(column)}.",
          i = if (is.null(column) && any(count_names %in% left)) "A table of counts is for {.fn rr_counts}.",
          i = if (length(likely) == 1L) "For example {.code column = \"{likely}\"}."
              else "For several questions describe the mechanism with {.fn rr_product}."), "argument")
}

refuse_column <- function(column) {
  if (is.null(column)) return(NULL)
  abort(c("{.arg column} must be the name of a column, as text or a formula such as {.code ~ answer}.",
          x = "It is {describe(column)}."), "argument")
}

# Could this column hold reports of the mechanism? The answer is only used for a hint in an error.
holds_reports <- function(values, mechanism) {
  if (is.data.frame(values)) return(holds_fields(values, mechanism))
  if (inherits(values, "rr_reports")) return(TRUE)
  values <- unique(label_text(if (is.factor(values)) levels(values) else values))
  values <- values[!is.na(values)]
  length(values) > 0L && !anyNA(match_labels(values, mechanism))
}

# Are these the columns of its reports?
holds_fields <- function(values, mechanism) {
  fields <- if (inherits(mechanism, "rr_sampled")) mechanism$part_column else report_fields(mechanism)
  forms <- c(if (length(fields)) list(fields), stored_forms(mechanism)$columns)
  any(vapply(forms, function(columns) all(columns %in% names(values)), NA))
}

# ---- counts in data frames ----

# The column of counts: dplyr::count() calls it n, tidy() of a tally count, as.data.frame() of a table Freq.
count_names <- c("n", "count", "Freq")

# A data frame of counts as a vector or matrix of counts, and the groups of its columns. Two shapes: a column for each
# report (the surveys of this package), or one row per report with its label and its count (dplyr::count(), tidy() of
# a tally).
frame_counts <- function(counts, mechanism, column, by) {
  counts <- as_plain_frame(counts)
  by <- frame_names(counts, by, "by") %||% refuse_names(by)
  if (is.null(column) && all(mechanism$reports %in% names(counts))) return(wide_counts(counts, mechanism, by))
  check_wide(counts, mechanism, column)
  long_counts(counts, mechanism, column, by)
}

refuse_names <- function(by) {
  if (is.null(by)) return(NULL)
  abort(c("{.arg by} must name columns of {.arg counts}.", x = "It is {describe(by)}."), "argument")
}

wide_counts <- function(counts, mechanism, by) {
  values <- t(as.matrix(as.data.frame(lapply(counts[mechanism$reports], plain_numbers), check.names = FALSE)))
  dimnames(values) <- list(mechanism$reports, NULL)
  if (nrow(counts) == 1L && is.null(by)) return(list(counts = values[, 1]))
  if (is.null(by)) {
    by <- setdiff(names(counts), c(mechanism$reports, total_columns(counts, colSums(values))))
    if (!length(by) || anyDuplicated(counts[by])) {
      counts$group <- seq_len(nrow(counts))
      by <- "group"
    }
  }
  list(counts = values, groups = distinct_groups(counts[by]))
}

# Columns of the totals of the counts are no groups.
total_columns <- function(counts, totals) {
  names(counts)[vapply(counts, function(column) is.numeric(column) && isTRUE(all.equal(as.vector(column), totals)), NA)]
}

# One column a report, but not quite: the long form, which is tried next, would ask for something else.
check_wide <- function(counts, mechanism, column) {
  reports <- mechanism$reports
  numeric <- names(counts)[vapply(counts, is.numeric, NA)]
  there <- intersect(reports, numeric)
  missing <- setdiff(reports, there)
  if (length(there) && !length(missing)) {
    abort(c("{.arg column} is for one row per report.", x = "{.arg counts} has a column for each report.",
            i = "Leave {.arg column} out."), "argument")
  }
  alike <- numeric[match(relax(reports), relax(numeric))]
  if (!anyNA(alike)) {
    abort(c("{.arg counts} must have columns called as the reports are, {.val {reports}}.",
            x = "They are called {.val {alike}}.",
            i = paste("Rename them, or make the mechanism with these labels",
                      if (length(alike) <= 6L) ": {.code levels = {deparse1(alike)}}." else ".", sep = "")), "argument")
  }
  if (!is.null(column) || !length(there)) return(invisible())
  left <- missing[1]
  above <- Filter(function(name) isTRUE(all(counts[[name]] >= rowSums(counts[there]))), setdiff(numeric, there))
  rest <- if (length(missing) == 1L && length(above)) {
    sprintf("If {.val %s} is the number of all: {.code counts$%s <- counts$%s - %s}.", above[1], left, above[1],
            paste0("counts$", there, collapse = " - "))
  }
  abort(c("{.arg counts} must have a column for each report, or one row per report.",
          x = "There is a column {.val {there}}, and none called {.val {missing}}.",
          i = rest %||% "A report that nobody gave has a column of 0."), "argument")
}

distinct_groups <- function(groups) {
  twice <- anyDuplicated(groups)
  if (!twice) return(tibble::as_tibble(groups))
  abort(c("{.arg counts} must have one row per group.",
          x = "Row {twice} is of a group that another row is of: {format_group(groups, twice)}."), "argument")
}

long_counts <- function(counts, mechanism, column, by) {
  sums <- weight_columns(counts)
  number <- if (is.null(sums)) count_column(counts, mechanism) else query_columns[["sum"]]
  questions <- names(mechanism$questions)
  answers <- if (length(questions) && all(questions %in% names(counts))) questions
  label <- frame_names(counts, column, "column", one = TRUE) %||% refuse_column(column) %||%
    if (is.null(answers)) label_column(counts, mechanism, c(number, by, names(sums)))
  keys <- by %||% setdiff(names(counts), c(number, names(sums), label, answers, "share", if (!is.null(answers)) "term"))
  if (is.null(label)) {
    cells <- encode_questions(counts[answers], mechanism, FALSE) + 1L
  } else {
    reports <- encode_reports(plain_reports(counts[[label]], mechanism), mechanism)
    cells <- as.integer(reports$codes) - reports$first + 1L
    bad <- which(is.na(cells) | cells < 1L | cells > length(mechanism$reports))
    if (length(bad)) abort_report(counts[[label]], bad[1], mechanism, FALSE, counting = TRUE)
  }
  numbers <- plain_numbers(counts[[number]])
  if (!is.numeric(numbers) || is.object(numbers)) {
    abort(c("Column {.val {number}} of {.arg counts} must be numbers.", x = "It is {describe(numbers)}."), "argument")
  }
  groups <- if (length(keys)) make_groups(name_groups(as.list(counts[keys]), mechanism), nrow(counts))
  place <- cells + length(mechanism$reports) * ((groups$codes %||% 1L) - 1L)
  if (anyDuplicated(place)) {
    row <- anyDuplicated(place)
    abort(c("{.arg counts} must have one row for each report (and group).",
            x = "Row {row} is of a report that another row is of: {.val {mechanism$reports[cells[row]]}}.",
            i = "Name the columns of the groups in {.arg by}, or add the counts up first."), "argument")
  }
  values <- matrix(0, length(mechanism$reports), groups$n %||% 1L, dimnames = list(mechanism$reports, NULL))
  values[place] <- numbers
  total <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  list(counts = if (is.null(groups)) values[, 1] else values, groups = groups$keys,
       weight_squares = if (!is.null(sums)) total(sums$weight_squares),
       respondents = if (!is.null(sums)) total(sums$n))
}

count_column <- function(counts, mechanism) {
  found <- intersect(count_names, names(counts))
  if (length(found)) return(found[1])
  reports <- mechanism$reports
  numeric <- names(counts)[vapply(counts, is.numeric, NA)]
  wide <- length(numeric) == length(reports)
  abort(c("{.arg counts} must have a column of counts, or one for each report.",
          x = "Its columns are {format_labels(names(counts))}.",
          i = "A column of counts is called {.val n}, {.val count} or {.val Freq}.",
          i = if (wide) "Columns for the reports are called {.val {reports}}: rename {.val {numeric}}."
              else "Columns for the reports are called as they are: {format_labels(reports)}."), "argument")
}

label_column <- function(counts, mechanism, others) {
  left <- setdiff(names(counts), others)
  if ("term" %in% left) return("term")
  likely <- left[vapply(left, function(name) holds_reports(counts[[name]], mechanism), NA)]
  if (length(likely) == 1L) return(likely)
  if (!length(likely) && length(left) == 1L) return(left)
  abort(c("{.arg column} is needed: the name of the column that says which report was counted.",
          x = if (length(likely)) "Each of {.val {likely}} holds reports of the mechanism."
              else "No column holds reports of the mechanism only; there are {format_labels(left)}.",
          i = "The reports are {format_labels(mechanism$reports)}."), "argument")
}

# ---- matching without case and space ----

# Reports with the labels that they have but for case and surrounding space.
relax_reports <- function(x, mechanism) {
  if (is.null(mechanism$questions)) return(relax_labels(x, mechanism))
  x <- question_frame(x, mechanism)
  for (name in intersect(names(x), names(mechanism$questions))) {
    x[[name]] <- relax_labels(x[[name]], mechanism$questions[[name]])
  }
  x
}

relax_labels <- function(x, mechanism) {
  x <- plain_reports(x, mechanism)
  if (!is.character(x) && !is.factor(x)) return(x)
  labels <- mechanism$reports
  keys <- relax(labels)
  if (anyDuplicated(keys)) {
    alike <- labels[keys == keys[anyDuplicated(keys)]]
    abort(c("{.arg match} cannot be {.val relaxed} for this mechanism.",
            x = "Its levels {.val {alike}} differ only in case or space."), "argument")
  }
  settle <- function(text) {
    place <- match(relax(text), keys)
    place[is.na(place)] <- match_numbers(relax(text[is.na(place)]), mechanism)
    change <- !is.na(place) & !text %in% labels
    text[change] <- labels[place[change]]
    text
  }
  if (is.factor(x)) {
    levels(x) <- settle(levels(x))
    return(x)
  }
  distinct <- unique(x)
  settle(distinct)[match(x, distinct)]
}

# ---- one name for a group ----

format_group <- function(groups, g) {
  values <- vapply(groups, function(key) encodeString(label_text(key[g])), "")
  if (identical(names(groups), "group")) return(values[[1]])
  paste(names(groups), values, sep = " = ", collapse = ", ")
}
