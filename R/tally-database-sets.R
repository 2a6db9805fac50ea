# Reports of the protocols in a database: a few numbers, which the engine groups; bits, which it adds up; or a row for
# each category that a report supports.

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

# ---- a few numbers: rows that are alike are counted as one report with a weight ----

tally_rows <- function(rows, mechanism, asked, times, sums, dropped, na.rm) {
  reports <- lapply(rows[asked$answers], plain_numbers)
  gone <- Reduce(`|`, lapply(reports, is.na))
  missing <- sum(times[gone])
  if (missing > 0) {
    name <- asked$answers[vapply(reports, function(x) any(is.na(x)), NA)][1]
    if (!na.rm) abort_null(name, sum(times[is.na(reports[[name]])]), sum(times))
    cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
    if (all(gone)) abort_dropped("All {format_count(missing)} reports are NULL.")
  }
  keys <- as.list(rows)[asked$keys]
  by <- if (length(keys)) name_groups(lapply(keys, `[`, !gone), mechanism)
  sums <- lapply(sums, `[`, !gone)
  reports <- structure(lapply(reports, `[`, !gone), row.names = .set_row_names(sum(!gone)), class = "data.frame")
  groups <- make_groups(by, nrow(reports))
  counted <- tryCatch(rr_count_reports(mechanism, reports, groups = groups$codes, weights = sums$weight),
                      candor_error_report = function(e) abort_row(e, reports, times[!gone]))
  total <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  weighted <- !is.null(asked$weight)
  if (weighted) check_total(total(sums$weight), "weights")
  new_rr_tally(mechanism, counted$counts, groups = groups$keys, missing = missing + dropped, n = total(sums$weight),
               weight_squares = if (weighted) total(sums$squares), respondents = if (weighted) total(times[!gone]))
}

# The row of a query has no place in the table: it is told by what it holds.
abort_row <- function(e, reports, times) {
  at <- e$position
  if (is.null(at)) rlang::cnd_signal(e)
  row <- vapply(reports, function(x) as.character(x[at]), "")
  often <- format_count(times[at])
  abort(c("The database table must hold reports of this mechanism.",
          x = paste("The report {.val {paste(names(row), row, sep = ' = ', collapse = ', ')}}, given {often}",
                    "{if (often == '1') 'time' else 'times'}, {e$problem}.")), "report")
}

# ---- bits: sums ----

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
  taken <- intersect(c(names(table_columns(data)), mechanism$levels), c(query_columns, sum_columns))
  if (length(taken)) {
    abort(c("Columns and categories must not be called as the columns that the query makes.",
            x = "{.val {taken[1]}} is one.", i = "Rename it with {.fn dplyr::rename}."), "argument")
  }
  flagged <- dplyr::mutate(dplyr::ungroup(data), reports_missing = !!dbplyr::sql(sprintf("CASE WHEN %s THEN 1 ELSE 0 END",
                                                                                          sql$missing)))
  times <- if (!is.null(weight)) paste0(" * ", sql_words(data, weight)$column)
  sums <- stats::setNames(lapply(sprintf("SUM((%s)%s)", sql$bits, times %||% ""), dbplyr::sql), mechanism$levels)
  wrong <- dbplyr::sql(sprintf("SUM(CASE WHEN %s THEN 1 ELSE 0 END)", sql$wrong))
  grouped <- dplyr::group_by(flagged, !!!rlang::syms(c("reports_missing", keys)))
  all <- c(list(n = quote(n()), reports_wrong = wrong), sums,
           if (!is.null(weight)) weight_sums(rlang::sym(weight)))
  query <- dplyr::summarise(grouped, !!!all, .groups = "drop")
  list(query = query, answers = answers, keys = keys, weight = weight, form = form)
}

sum_columns <- c("reports_missing", "reports_wrong")

tally_sums_of <- function(rows, mechanism, asked, na.rm) {
  rows[] <- lapply(rows, plain_numbers)
  times <- as.double(rows$n)
  absent <- rows$reports_missing == 1
  missing <- sum(times[absent])
  if (sum(times) == 0) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  if (missing > 0 && !na.rm) abort_null(asked$answers[1], missing, sum(times))
  if (missing > 0) cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
  if (all(absent)) abort_dropped("All {format_count(missing)} reports are NULL.")
  rows <- rows[!absent, , drop = FALSE]
  times <- times[!absent]
  weighted <- !is.null(asked$weight)
  sums <- if (weighted) row_weights(rows, times) else list(weight = times)
  left <- keep_grouped(rows, asked$keys, times, na.rm)
  rows <- rows[left$kept, , drop = FALSE]
  times <- times[left$kept]
  sums <- lapply(sums, `[`, left$kept)
  refuse_wrong(sum(as.double(rows$reports_wrong)), sum(times), mechanism, asked$form)
  groups <- make_groups(if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism), nrow(rows))
  total <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  counts <- matrix(as.double(unlist(rows[mechanism$levels])), nrow(rows))
  counts <- if (is.null(groups)) colSums(counts) else t(unname(rowsum(counts, groups$codes)))
  if (weighted) check_total(total(sums$weight), "weights")
  new_rr_tally(mechanism, counts, groups = groups$keys, missing = missing + left$dropped, n = total(sums$weight),
               weight_squares = if (weighted) total(sums$squares), respondents = if (weighted) total(times))
}

refuse_wrong <- function(number, total, mechanism, form) {
  if (number == 0) return(invisible())
  k <- length(mechanism$levels)
  what <- if (form == "bits") "0 or 1 in each column"
    else sprintf("%s hexadecimal digits, no bit beyond the last of %s categories", format_count(2 * ((k + 7) %/% 8)),
                 format_count(k))
  size <- if (!is.null(mechanism$size)) sprintf(", and %s bits of 1", format_count(mechanism$size))
  abort(c("The database table must hold reports of this mechanism.",
          x = "{format_count(number)} of {format_count(total)} are none.", i = "A report has {what}{size}."), "report")
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
  levels <- summed(data, c("level", keys), n = quote(n()), reports = rlang::expr(n_distinct(!!id)))
  sizes <- summed(data, c("id", keys), size = quote(n()),
                  without = rlang::expr(sum(!!flag(rlang::sym("level")), na.rm = TRUE)),
                  lost = rlang::expr(max(!!flag(id), na.rm = TRUE)))
  reports <- summed(sizes, c("size", "without", "lost", keys), n = quote(n()))
  list(query = levels, reports = reports, answers = c("id", "level"), keys = keys, weight = NULL, form = "long")
}

tally_long <- function(rows, reports, mechanism, asked, na.rm) {
  rows[] <- lapply(rows, plain_numbers)
  reports[] <- lapply(reports, plain_numbers)
  if (!nrow(rows)) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  refuse <- function(x, i = NULL) {
    abort(c("The database table must hold reports of this mechanism.", x = x, i = i), "report")
  }
  if (any(reports$lost == 1)) refuse("{.val id} is NULL in some rows: it says which report a row is of.")
  twice <- which(as.double(rows$n) > as.double(rows$reports))
  if (length(twice)) {
    shown <- describe(rows$level[twice[1]])
    refuse("Some reports support {shown} twice.")
  }
  kept <- keep_grouped(reports, asked$keys, as.double(reports$n), na.rm)
  reports <- reports[kept$kept, , drop = FALSE]
  rows <- rows[Reduce(`&`, lapply(rows[asked$keys], function(key) !is.na(key)), rep(TRUE, nrow(rows))), , drop = FALSE]
  times <- as.double(reports$n)
  size <- mechanism$size
  empty <- reports$without > 0
  wrong <- if (is.null(size)) empty & reports$size > 1 else empty | reports$size != size
  if (any(wrong)) {
    wanted <- if (is.null(size)) "A report that supports no category has one row, whose level is NULL."
      else sprintf("Each report has %s rows.", format_count(size))
    refuse("{format_count(sum(times[wrong]))} of {format_count(sum(times))} have other rows.", wanted)
  }
  check_empty_reports(mechanism, sum(times), sum(times[empty]))
  some <- !is.na(rows$level)
  level <- rows$level
  place <- if (is.numeric(level) && is.null(mechanism$numeric_levels)) as.integer(ifelse(level == floor(level), level, NA))
    else match(as.character(level), mechanism$levels)
  place[!place %in% seq_along(mechanism$levels)] <- NA
  stray <- which(some & is.na(place))
  if (length(stray)) {
    shown <- encodeString(as.character(level[stray[1]]), quote = "\"")
    often <- as.double(rows$n)[stray[1]]
    refuse("{often} row{?s} support{?s/} {shown}, which is not a level.",
           "The levels are {format_labels(mechanism$levels)}.")
  }
  keys <- function(rows) if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism)
  both <- make_groups(keys(rbind(reports[asked$keys], rows[asked$keys])), nrow(reports) + nrow(rows))
  group <- function(at) if (is.null(both)) rep(1L, length(at)) else both$codes[at]
  counts <- matrix(0, length(mechanism$levels), max(1L, both$n))
  cells <- cbind(place, group(nrow(reports) + seq_len(nrow(rows))))[some, , drop = FALSE]
  summed <- rowsum(as.double(rows$n)[some], (cells[, 2] - 1) * nrow(counts) + cells[, 1])
  counts[as.integer(rownames(summed))] <- summed
  n <- as.vector(rowsum(times, group(seq_len(nrow(reports)))))
  new_rr_tally(mechanism, if (is.null(both)) as.vector(counts) else counts, groups = both$keys, missing = kept$dropped,
               n = n)
}
