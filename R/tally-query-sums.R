# The queries that add up what reports say: bits, positions, numbers. One row comes back for each group, however many
# reports there are.

# How many sums one query may ask for: PostgreSQL gives at most 1664 columns, SQLite 2000.
query_width <- 1500L

sum_columns <- c("reports_missing", "reports_wrong")

sum_forms <- c("bits", "text", "positions", "number")

# The engine's own words for a place of a text, its length and the text without some characters.
sql_words <- function(data, name) {
  connection <- dbplyr::remote_con(data)
  word <- function(expression) as.character(dbplyr::translate_sql_(list(expression), con = connection))
  column <- rlang::sym(name)
  place <- word(rlang::expr(substr(!!column, 987654321L, 987654321L)))
  list(place = function(at) gsub("987654321", format(at, scientific = FALSE), place, fixed = TRUE),
       length = word(rlang::expr(nchar(!!column))), column = word(column))
}

# A OR B OR C: engines count how deep an expression is, which in a chain is how long it is, SQLite up to 1000.
any_of <- function(conditions) join_sql(conditions, "OR")

join_sql <- function(terms, operator) {
  while (length(terms) > 30) {
    some <- split(terms, (seq_along(terms) - 1) %/% 30)
    terms <- vapply(some, function(each) sprintf("(%s)", join_sql(each, operator)), "", USE.NAMES = FALSE)
  }
  paste(terms, collapse = sprintf(" %s ", operator))
}

one_if <- function(condition) sprintf("CASE WHEN %s THEN 1 ELSE 0 END", condition)

# What is added up, named SQL of a number for each report; the condition under which a report is missing, and that under
# which it is wrong; `split`, a column whose values are added up apart.
sql_sums <- function(data, mechanism, form, answers) {
  if (!is.null(mechanism$cohorts)) return(sql_cohorts(data, mechanism, form, answers))
  if (form == "number") return(sql_number(data, mechanism, answers))
  if (!inherits(mechanism, "rr_bitflip")) return(sql_bits(data, mechanism, form, answers))
  columns <- quote_names(answers, dbplyr::remote_con(data))
  if (form == "positions") sql_positions(mechanism, columns) else sql_drawn(mechanism, columns)
}

# For each level the SQL of a bit, 0 or 1.
sql_bits <- function(data, mechanism, form, answers) {
  k <- length(mechanism$levels)
  if (form == "bits") {
    bits <- quote_names(answers, dbplyr::remote_con(data))
    missing <- sprintf("(%s) IS NULL", join_sql(bits, "+"))
    wrong <- sprintf("(%s <> 0 AND %s <> 1)", bits, bits)
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
  if (!is.null(mechanism$size)) {
    wrong <- c(wrong, sprintf("(%s) <> %d", join_sql(bits, "+"), as.integer(mechanism$size)))
  }
  list(sums = stats::setNames(bits, mechanism$levels), missing = missing, wrong = any_of(wrong))
}

# Bits by cohort, named as the columns of such bits are.
sql_cohorts <- function(data, mechanism, form, answers) {
  sql <- sql_bits(data, mechanism$bit, form, setdiff(answers, "cohort"))
  names(sql$sums) <- filter_columns(mechanism$bits_number)
  sql$missing <- any_of(c(sprintf("%s IS NULL", sql_words(data, "cohort")$column), sql$missing))
  c(sql, split = "cohort")
}

# Positions, negative where the bit is 0. The same position twice is wrong.
sql_positions <- function(mechanism, columns) {
  signed <- c(seq_len(mechanism$buckets), -seq_len(mechanism$buckets))
  sums <- vapply(signed, function(at) one_if(any_of(sprintf("%s = %d", columns, as.integer(at)))), "")
  pairs <- if (length(columns) > 1L) utils::combn(columns, 2)
  known <- paste(seq_len(mechanism$buckets), collapse = ", ")
  list(sums = stats::setNames(sums, mechanism$reports), missing = any_of(sprintf("%s IS NULL", columns)),
       wrong = any_of(c(sprintf("abs(%s) NOT IN (%s)", columns, known),
                        if (!is.null(pairs)) sprintf("abs(%s) = abs(%s)", pairs[1, ], pairs[2, ]))))
}

# A column of 0 and 1 for each bucket, NULL where it was not drawn.
sql_drawn <- function(mechanism, columns) {
  drawn <- join_sql(one_if(sprintf("%s IS NOT NULL", columns)), "+")
  sums <- one_if(sprintf("%s = %d", rep(columns, 2), rep(1:0, each = length(columns))))
  list(sums = stats::setNames(sums, mechanism$reports), missing = sprintf("(%s) = 0", drawn),
       wrong = any_of(c(sprintf("%s NOT IN (0, 1)", columns), sprintf("(%s) <> %d", drawn, as.integer(mechanism$d)))))
}

# Reports that went through text have lost some digits.
report_slack <- 1e-6

# Numbers, as shares of the range of reports, and their squares: see R/mechanism-mean.R.
sql_number <- function(data, mechanism, answers) {
  column <- sql_words(data, answers)$column
  half <- diff(mechanism$range) / 2 * mechanism$reach
  number <- function(x) sprintf("%.17g", x)
  share <- sprintf("((%s - (%s)) / %s)", column, number(mean(mechanism$range) - half), number(2 * half))
  near <- number(report_slack)
  wrong <- c(sprintf("%s < -%s", share, near), sprintf("%s > 1 + %s", share, near))
  if (mechanism$share == 0) {
    wrong <- c(wrong, sprintf("(%s > %s AND %s < 1 - %s)", share, near, share, near))
    share <- one_if(sprintf("%s > 0.5", share))
  }
  list(sums = stats::setNames(c(share, sprintf("(%s) * (%s)", share, share)), mechanism$reports),
       missing = sprintf("%s IS NULL", column), wrong = any_of(wrong))
}

sum_query <- function(data, mechanism, form, answers, keys, weight) {
  long <- stored_forms(mechanism)$columns$long
  k <- switch(class(mechanism)[1], rr_bitflip = 2 * mechanism$buckets, rr_mean = 2, mechanism$bits_number %||%
                length(mechanism$levels))
  if (k > query_width) {
    what <- if (inherits(mechanism, "rr_bitflip")) "bits that are 1 and 0"
      else if (is.null(mechanism$bits_number)) "categories" else "bits"
    abort(c("One query cannot add up so many {what}.",
            x = "There are {format_count(k)}; the limit is {format_count(query_width)}.",
            i = "Store the reports as a long table with the columns {.val {long}}."), "too_large")
  }
  sql <- sql_sums(data, mechanism, form, answers)
  taken <- intersect(c(colnames(data), names(sql$sums)), c(query_columns, sum_columns))
  if (length(taken)) {
    abort(c("Columns and categories must not be called as the columns that the query makes.",
            x = "{.val {taken[1]}} is one.", i = "Rename it with {.fn dplyr::rename}."), "argument")
  }
  flag <- function(condition) dbplyr::sql(one_if(condition))
  # A sum is called like its column, which ClickHouse would then take for the sum in every other one: no other sum may
  # read these columns.
  flagged <- dplyr::mutate(dplyr::ungroup(data), reports_missing = !!flag(sql$missing),
                           reports_wrong = !!flag(sql$wrong))
  times <- if (!is.null(weight)) paste0(" * ", sql_words(data, weight)$column)
  wrong <- quote_names("reports_wrong", dbplyr::remote_con(data))
  sums <- c(n = "COUNT(*)", reports_wrong = sprintf("SUM(%s)", wrong),
            stats::setNames(sprintf("SUM((%s)%s)", sql$sums, times %||% ""), names(sql$sums)),
            if (!is.null(weight)) translate_sums(weight_sums(rlang::sym(weight)), dbplyr::remote_con(data)))
  list(query = group_query(flagged, c("reports_missing", sql$split, keys), sums), answers = answers, keys = keys,
       weight = weight, form = form, sums = names(sql$sums), split = sql$split)
}
