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
  if (!inherits(rr_law(mechanism), "rr_law_support")) return(NULL)
  if (all(mechanism$levels %in% left)) return(mechanism$levels)
  if (all(c("id", "level") %in% left)) c("id", "level")
}

report_form <- function(mechanism, answers) {
  if (inherits(mechanism, "rr_product")) return("categories")
  if (length(report_fields(mechanism)) || inherits(mechanism, "rr_sampled")) return("rows")
  if (!inherits(rr_law(mechanism), "rr_law_support")) return("categories")
  if (identical(answers, mechanism$levels)) return("bits")
  if (identical(answers, c("id", "level"))) return("long")
  if (length(answers) == 1L) return("text")
  abort(c("The table must hold the reports in a form that an engine can add up.",
          x = "Its columns are {format_labels(answers)}.",
          i = paste("That is a column for each category, named like it; or {.val id} and {.val level}; or one column",
                    "of hexadecimal text, named in {.arg column}. See {.fn rr_query}.")), "argument")
}

# ---- bits: sums ----

# How many sums one query may ask for: PostgreSQL gives at most 1664 columns, SQLite 2000.
query_width <- 1500L

sum_columns <- c("reports_missing", "reports_wrong")

# The engine's own words for a place of a text, its length and the text without some characters.
sql_words <- function(data, name) {
  connection <- dbplyr::remote_con(data)
  word <- function(expression) as.character(dbplyr::translate_sql_(list(expression), con = connection))
  column <- rlang::sym(name)
  place <- word(rlang::expr(substr(!!column, 987654321L, 987654321L)))
  list(place = function(at) gsub("987654321", format(at, scientific = FALSE), place, fixed = TRUE),
       length = word(rlang::expr(nchar(!!column))), column = word(column))
}

# For each level the SQL of a bit, 0 or 1, and the condition under which a report is wrong.
sql_bits <- function(data, mechanism, form, answers) {
  k <- length(mechanism$levels)
  if (form == "bits") {
    bits <- vapply(answers, function(name) sql_words(data, name)$column, "", USE.NAMES = FALSE)
    missing <- paste(sprintf("%s IS NULL", bits), collapse = " OR ")
    wrong <- sprintf("%s NOT IN (0, 1)", bits)
  } else {
    words <- sql_words(data, answers)
    digits <- c(0:9, letters[1:6])
    width <- (k + 7) %/% 8
    bit <- function(j) {
      # The first digit of a byte has its upper four bits.
      at <- 2 * (j %/% 8) + if (j %% 8 < 4) 2 else 1
      ones <- digits[bitwAnd(0:15, bitwShiftL(1L, j %% 4)) > 0]
      sprintf("CASE WHEN %s IN (%s) THEN 1 ELSE 0 END", words$place(at),
              paste(sprintf("'%s'", unique(c(ones, toupper(ones)))), collapse = ", "))
    }
    bits <- vapply(seq_len(8 * width) - 1, bit, "")
    bare <- words$column
    for (digit in unique(c(digits, toupper(digits)))) bare <- sprintf("REPLACE(%s, '%s', '')", bare, digit)
    missing <- sprintf("%s IS NULL", words$column)
    padding <- if (8 * width > k) sprintf("%s = 1", bits[-seq_len(k)])
    wrong <- c(sprintf("%s <> %d", words$length, as.integer(2 * width)), sprintf("%s <> ''", bare), padding)
    bits <- bits[seq_len(k)]
  }
  if (!is.null(mechanism$size)) wrong <- c(wrong, sprintf("(%s) <> %d", paste(bits, collapse = " + "),
                                                          as.integer(mechanism$size)))
  list(bits = bits, missing = missing, wrong = paste(wrong, collapse = " OR "))
}

sum_query <- function(data, mechanism, form, answers, keys, weight) {
  k <- length(mechanism$levels)
  if (k > query_width) {
    abort(c("One query cannot add up so many categories.",
            x = "There are {format_count(k)}; the limit is {format_count(query_width)}.",
            i = "Store the reports as a long table with the columns {.val id} and {.val level}."), "too_large")
  }
  sql <- sql_bits(data, mechanism, form, answers)
  taken <- intersect(c(colnames(data), mechanism$levels), c(query_columns, sum_columns))
  if (length(taken)) {
    abort(c("Columns and categories must not be called as the columns that the query makes.",
            x = "{.val {taken[1]}} is one.", i = "Rename it with {.fn dplyr::rename}."), "argument")
  }
  flag <- function(condition) dbplyr::sql(sprintf("CASE WHEN %s THEN 1 ELSE 0 END", condition))
  # A sum is called like its column, which ClickHouse would then take for the sum in every other one: no other sum may
  # read these columns.
  flagged <- dplyr::mutate(dplyr::ungroup(data), reports_missing = !!flag(sql$missing),
                           reports_wrong = !!flag(sql$wrong))
  times <- if (!is.null(weight)) paste0(" * ", sql_words(data, weight)$column)
  sums <- stats::setNames(lapply(sprintf("SUM((%s)%s)", sql$bits, times %||% ""), dbplyr::sql), mechanism$levels)
  wrong <- rlang::expr(sum(!!rlang::sym("reports_wrong"), na.rm = TRUE))
  grouped <- dplyr::group_by(flagged, !!!rlang::syms(c("reports_missing", keys)))
  all <- c(list(n = quote(n()), reports_wrong = wrong), sums,
           if (!is.null(weight)) weight_sums(rlang::sym(weight)))
  query <- dplyr::summarise(grouped, !!!all, .groups = "drop")
  list(query = dbplyr::sql_render(query), answers = answers, keys = keys, weight = weight, form = form)
}

# ---- long tables ----

long_query <- function(data, keys, weight) {
  if (!is.null(weight)) {
    abort(c("{.arg weights} are not for long tables, where a report has several rows.",
            i = "Store one report a row: as 0 and 1, or as hexadecimal text."), "argument")
  }
  data <- dplyr::ungroup(data)
  id <- rlang::sym("id")
  summed <- function(data, by, ...) {
    dplyr::summarise(dplyr::group_by(data, !!!rlang::syms(by)), !!!list(...), .groups = "drop")
  }
  flag <- function(column) rlang::expr(ifelse(is.na(!!column), 1L, 0L))
  levels <- summed(data, c("level", keys), n = quote(n()), reports = rlang::call2("n_distinct", id))
  sizes <- summed(data, c("id", keys), size = quote(n()),
                  without = rlang::expr(sum(!!flag(rlang::sym("level")), na.rm = TRUE)),
                  lost = rlang::expr(max(!!flag(id), na.rm = TRUE)))
  reports <- summed(sizes, c("size", "without", "lost", keys), n = quote(n()))
  list(query = dbplyr::sql_render(levels), reports = dbplyr::sql_render(reports),
       answers = c("id", "level"), keys = keys, weight = NULL, form = "long")
}
