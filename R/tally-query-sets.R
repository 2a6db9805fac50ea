# The queries of reports that are no categories: a few numbers, which the engine groups; bits, which it adds up; or a
# row for each category that a report supports.

# The columns of such reports by their names; NULL where `column` must say it, or there is but one.
set_columns <- function(mechanism, left) {
  fields <- report_fields(mechanism)
  if (!is.null(fields)) return(if (all(fields %in% left)) fields)
  if (inherits(mechanism, "rr_sampled")) {
    key <- mechanism$part_column
    return(if (all(c(key, "report") %in% left)) c(key, "report") else if (key %in% left) left)
  }
  Find(function(columns) all(columns %in% left), stored_forms(mechanism)$columns)
}

report_form <- function(mechanism, answers) {
  if (inherits(mechanism, "rr_product")) return("categories")
  if (length(report_fields(mechanism)) || inherits(mechanism, "rr_sampled")) return("rows")
  forms <- stored_forms(mechanism)
  if (is.null(forms)) return("categories")
  form <- names(Filter(function(columns) identical(answers, columns), forms$columns))
  if (length(form)) return(form[1])
  if (length(answers) == 1L && !is.null(forms$alone)) return(forms$alone)
  alone <- switch(forms$alone %||% "none", text = "one column of hexadecimal text, named in {.arg column}",
                  positions = "one column of positions", number = "one column of numbers")
  columns <- vapply(forms$columns, function(columns) {
    if (identical(columns, mechanism$levels)) "a column for each category, named like it" else format_labels(columns)
  }, "")
  abort(c("The table must hold the reports in a form that an engine can add up.",
          x = "Its columns are {format_labels(answers)}.",
          i = paste0("They may be ", paste(c(sprintf("{columns[%d]}", seq_along(columns)), alone), collapse = "; or "),
                     ". See {.fn rr_query}.")), "argument")
}

# ---- long tables ----

# One query counts the rows by what they say, the other the reports by how many rows they have. `split` is a column that
# says the same in all rows of a report, such as its cohort; `bit` one that says whether the level is supported.
long_query <- function(data, answers, keys, weight) {
  if (!is.null(weight)) {
    abort(c("{.arg weights} are not for long tables, where a report has several rows.",
            i = "Store one report a row: as 0 and 1, or as hexadecimal text."), "argument")
  }
  data <- dplyr::ungroup(data)
  id <- rlang::sym("id")
  summed <- function(data, by, sums) {
    dplyr::summarise(dplyr::group_by(data, !!!rlang::syms(by)), !!!sums, .groups = "drop")
  }
  flag <- function(column) rlang::expr(ifelse(is.na(!!column), 1L, 0L))
  split <- setdiff(answers, c("id", "level", "bit"))
  bit <- intersect(answers, "bit")
  level <- rlang::sym("level")
  levels <- summed(data, c("level", bit, split, keys), list(n = quote(n()), reports = rlang::call2("n_distinct", id)))
  sums <- list(size = quote(n()), without = rlang::expr(sum(!!flag(level), na.rm = TRUE)),
               lost = rlang::expr(max(!!flag(id), na.rm = TRUE)))
  if (length(bit)) sums$different <- rlang::call2("n_distinct", level)
  sizes <- summed(data, c("id", split, keys), sums)
  reports <- summed(sizes, c(names(sums), split, keys), list(n = quote(n())))
  list(query = dbplyr::sql_render(levels), reports = dbplyr::sql_render(reports),
       answers = answers, keys = keys, weight = NULL, form = "long", split = if (length(split)) split)
}
