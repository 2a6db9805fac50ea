# This file has the SQL queries that count reports: one GROUP BY, written in the dialect of the
# engine by dbplyr.

#' The SQL query that tallies a database table
#'
#' A tally is a `GROUP BY`. `rr_query()` returns the SQL text that [rr_tally()] runs on a database table, without running it. The text is in the dialect of the
#' table's connection, which dbplyr may simulate; without a connection it is standard SQL. [rr_counts()] turns the result, as a data frame, into the same tally. The database
#' groups and adds up, and no single report leaves it.
#'
#' @section Forms of the reports:
#' The database counts reports of the protocols in these forms. The first form that fits the columns is used.
#'
#' * [rr_hadamard()], [rr_projective()]: columns: one of whole numbers; query: `GROUP BY` that number.
#' * [rr_hadamard()] of one bit: columns: `index`, `sign`; query: `GROUP BY` both.
#' * [rr_local_hash()]: columns: `slope`, `shift`, `value`, or `cohort`, `value`; query: `GROUP BY` all of them.
#' * [`rr_product(asked = 1)`][rr_product], [rr_hierarchy()]: columns: `question` or `depth`, and the columns of the reports; query: `GROUP BY` all of them.
#' * [rr_dealt()]: columns: the column of blocks and the column of reports; query: `GROUP BY` both.
#' * [rr_unary()], [rr_subset()]: columns: one of 0 and 1 for each category, named like it; query: `SUM` of each.
#' * [rr_unary()], [rr_subset()]: columns: `id` and `level`: a row for each category that a report supports; query: `GROUP BY level`, and the reports
#'   by their number of rows.
#' * [rr_unary()], [rr_subset()]: columns: one of hexadecimal text, as from `as.character()` of the reports; query: `SUM` of each bit.
#' * [rr_bitflip()]: columns: `position_1`, `position_2`, ... up to `d`, negative if the bit is 0; query: `SUM` of each bucket's ones and zeros.
#' * [rr_bitflip()]: columns: `id`, `level` and `bit`: a row for each bucket of a report; query: `GROUP BY level, bit`, and the reports by their
#'   number of rows.
#' * [rr_bitflip()]: columns: one of 0 and 1 for each bucket, named like it, `NULL` if it was not drawn; query: `SUM` of each bucket's ones and
#'   zeros.
#' * [rr_bloom()], [rr_count_mean_sketch()]: columns: `cohort`, and `bits`, hexadecimal text; query: `SUM` of each bit, `GROUP BY cohort`.
#' * [rr_bloom()], [rr_count_mean_sketch()]: columns: `cohort`, and `bit_1`, `bit_2`, ... of 0 and 1; query: the same.
#' * [rr_bloom()], [rr_count_mean_sketch()]: columns: `id`, `cohort` and `level`: a row for each bit that is 1, with its number; query: `GROUP BY
#'   level, cohort`, and the reports by their number of rows.
#' * [rr_count_mean_sketch()] of one bit: columns: `cohort`, `index`, `sign`; query: `GROUP BY` all of them.
#' * [rr_mean()]: columns: one of numbers; query: `SUM` of the numbers and of their squares, as shares of the range of reports; for [rr_scramble()]
#'   also of third and fourth powers.
#'
#' A sum has the name of its category. For [rr_bitflip()] and [rr_mean()] it has the name of its report, for [rr_bloom()] of its column. `reports_wrong` is the number of
#' reports that the mechanism cannot give. With fresh hash functions almost every report is distinct, so that the database returns about one row per report
#' and R does the counting.
#'
#' Hexadecimal text is slow in SQLite, which takes each digit apart: 500,000 reports of 60 bits took 3.4 seconds, and 0.4 seconds as chunks that R counts. Reports then come into R:
#' `result <- DBI::dbSendQuery(connection, "SELECT bits FROM reports")`, then [rr_tally()] of `function() if (nrow(chunk <- DBI::dbFetch(result, 1e5))) chunk`, see [`?chunks`][chunks].
#'
#' The long forms, with an `id`, take no weights. A report without a bit of 1 must have a row whose `level` is `NULL`, and all rows of an `id` must be of one group.
#' @section Upper and lower case:
#' `"b"` and `"B"` are different reports, groups and ids, whatever the collation of their column: SQLite, MySQL, MariaDB and SQL Server
#' compare their bytes. In PostgreSQL make a column of type `citext`, or of a collation that is not deterministic, text of collation `"C"` first.
#'
#' @param data A table of package dbplyr (`tbl_lazy`): `dplyr::tbl(connection, "name")`, possibly filtered. For an engine that R is not connected to:
#'   `dbplyr::lazy_frame(answer = "", con = dbplyr::simulate_hive())`; only the names of its columns matter then.
#' @param mechanism How the answers were randomized.
#' @param column The column of the reports: its name, or a formula such as `~ answer`. Not needed if it is the only column beside `by` and
#'   `weights`, nor for [rr_product()], whose names are the columns.
#' @param by The columns of the groups, by name or as a formula such as `~ region + year`; the groups of `dplyr::group_by()` come first.
#' @param count The column that says how many reports a row stands for, by name or as a formula.
#' @param weights The column of the survey weights, by name or as a formula.
#' @param ... Must be empty.
#' @return SQL text of class `sql`. The query gives one row for each report (or cell) and group that occurs, with these columns:
#'
#' * reports and groups: under their own names.
#' * `n`: number of reports.
#' * `weight_sum`, `weight_squares`: sums of the weights and of their squares.
#' * `weight_missing`, `weight_min`, `weight_max`: number of weights that are NULL, and their extremes.
#' @section Errors:
#' * `candor_error_argument`: `data` is not a database table; a column is absent, or named like a column of the query.
#' * `candor_error_law`: reports that a database cannot count. `candor_error_too_large`: more than 1,500 sums.
#' * `candor_error_package`: dbplyr is not installed.
#' @seealso [rr_tally()], which runs the query; [rr_counts()]; `articles/databases.html` of the site.
#' @references Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (the effective number needs the sums of weights and of their squares).
#' @concept SQL
#' @concept SQLite
#' @concept dbplyr
#' @examplesIf requireNamespace("dbplyr", quietly = TRUE)
#' # Which query counts the reports of each region in Hive?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' reports <- dbplyr::lazy_frame(answer = "", region = "", w = 1,
#'                               con = dbplyr::simulate_hive())
#' rr_query(reports, mechanism, column = "answer", by = "region",
#'          weights = "w")
#'
#' # The answer of a database, here typed in
#' answer <- data.frame(answer = c("often", "never", "once"),
#'                      n = c(120, 610, 270))
#' coef(rr_estimate(rr_counts(answer, mechanism)))   # 0.74, 0.24, 0.02
#' @export
rr_query <- function(
  data,
  mechanism,
  column = NULL,
  by = NULL,
  count = NULL,
  weights = NULL,
  ...
) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_that(
    inherits(data, "tbl_lazy"), data, "data", "a database table, as {.fn dplyr::tbl} makes it"
  )
  engine_names(
    tally_query(data, mechanism, column, by, weights, count)$sql, dbplyr::remote_con(data)
  )
}

# The query with names in the quotes of its engine. The simulated connections of older versions of
# dbplyr quote every name with backticks, that of Hive in newer ones as standard SQL does. Other
# quotes of names are replaced by the quote of the engine. Texts in quotes stay as they are.
engine_names <- function(query, connection) {
  backticks <- c(
    "MariaDBConnection", "MySQLConnection", "SQLiteConnection", "Hive", "Impala", "Spark SQL",
    "ACCESS"
  )
  engine_quote <- if (inherits(connection, backticks)) "`" else "\""
  quote <- substr(quote_names("x", connection), 1, 1)
  if (!inherits(connection, "TestConnection") || quote %in% c(engine_quote, "[")) return(query)
  text <- as.character(query)
  matches <- gregexpr(
    gsub("Q", quote, "'(?:[^']|'')*'(*SKIP)(*F)|Q(?:[^Q]|QQ)*Q"), text, perl = TRUE
  )
  regmatches(text, matches) <- lapply(regmatches(text, matches), function(name) {
    bare <- gsub(
      strrep(quote, 2), quote, substr(name, 2, nchar(name) - 1),
      fixed = TRUE
    )
    sprintf(
      "%s%s%s", engine_quote, gsub(engine_quote, strrep(engine_quote, 2), bare, fixed = TRUE),
      engine_quote
    )
  })
  dbplyr::sql(text)
}

# The columns of a table as a data frame without rows.
table_columns <- function(data) {
  check_installed("dbplyr", "to read database tables")
  names <- colnames(data)
  structure(
    rep(list(logical()), length(names)),
    names = names,
    row.names = integer(),
    class = "data.frame"
  )
}

# The query of a tally: the fields of tally_columns(), those of the query of its layout, and
#   sql       its text
#   copies    the queries about copies, see copy_queries(), or NULL
tally_query <- function(data, mechanism, column, by, weights, count = NULL, id = NULL) {
  columns <- tally_columns(data, mechanism, column, by, weights, count, id)
  answers <- columns$answers
  keys <- columns$keys
  each <- c(columns$weight, columns$count)
  if (!is.null(columns$id)) {
    columns$copies <- copy_queries(data, columns$id, answers)
    data <- without_copies(data, columns$id, c(keys, each))
  }
  n <- if (is.null(columns$count)) {
    "COUNT(*)"
  } else {
    sprintf("SUM(%s)", sql_words(data, columns$count)$column)
  }
  weight <- columns$weight
  sums <- c(n = n, if (!is.null(weight)) weight_sums(data, weight))
  query <- switch(
    columns$layout,
    categories = ,
    rows = list(sql = group_query(data, c(answers, keys), sums)),
    long = long_query(data, mechanism, answers, keys, each),
    sum_query(data, mechanism, columns$layout, answers, keys, each, sums)
  )
  c(query, columns)
}

# The names of the columns of a table:
#   answers   the columns of the answers
#   keys      the columns of the groups
#   weight    the column of the weights, or NULL
#   count     the column of numbers of reports, or NULL
#   id        the column of the identifiers, or NULL
#   layout    how the columns hold the reports
tally_columns <- function(data, mechanism, column, by, weights, count, id) {
  frame <- table_columns(data)
  check_countable(mechanism)
  keys <- unique(c(
    dplyr::group_vars(data), frame_names(frame, by, "by") %||% refuse_vector(by, "by")
  ))
  name_groups(as.list(frame)[keys], mechanism)
  single <- function(value, arg) {
    frame_names(frame, value, arg, single = TRUE) %||% refuse_vector(value, arg)
  }
  weight <- single(weights, "weights")
  times <- single(count, "count")
  id <- single(id, "id")
  if (!is.null(times) && !is.null(weight)) abort("Give {.arg count} or {.arg weights}.")
  answers <- report_columns(frame, mechanism, column, c(keys, weight, times, id))
  if (!is.null(id) && identical(answers, "level")) {
    abort("Long tables take no {.arg id}: their column {.val id} says which report a row is of.")
  }
  if (any(answers %in% keys)) abort("The reports must not be groups as well.")
  layout <- report_layout(mechanism, answers)
  reserved <- c(
    query_columns, if (layout == "long") c("part", long_sums, long_sizes),
    if (!is.null(id)) copy_columns
  )
  check_free_names(c(answers, keys), reserved)
  list(
    answers = answers,
    keys = keys,
    weight = weight,
    count = times,
    id = id,
    layout = layout
  )
}

# ---- copies of reports ----

# The columns that queries about copies add.
copy_columns <- c("copy_number", "copy_differs")

# The table without copies: each identifier keeps its first row in the order of the columns
# `sorted`, since rows of a database have no order.
without_copies <- function(data, id, sorted) {
  connection <- dbplyr::remote_con(data)
  key <- exact_values(quote_names(id, connection), connection)
  sorted <- if (length(sorted)) quote_names(sorted, connection) else key
  number <- sprintf("ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s)", key, toString(sorted))
  numbered <- dplyr::mutate(dplyr::ungroup(data), copy_number = !!dbplyr::sql(number))
  dplyr::filter(numbered, !!quote(copy_number == 1L))
}

# list(numbers, differing): the query of the numbers of rows, identifiers, rows without one, and
# identifiers of different reports; and that of the latter identifiers. Two reports of an identifier
# are copies if each column has one value, or is NULL in both.
copy_queries <- function(data, id, answers) {
  connection <- dbplyr::remote_con(data)
  quoted <- quote_names(answers, connection)
  values <- exact_values(quoted, connection)
  differs <- c(
    sprintf("COUNT(DISTINCT %s) > 1", values),
    sprintf("(COUNT(%s) > 0 AND COUNT(%s) < COUNT(*))", quoted, quoted)
  )
  sums <- c(copy_number = "COUNT(*)", copy_differs = one_if(any_of(differs)))
  reports <- group_query(data, id, sums)
  text <- rlang::expr(trimws(as.character(!!rlang::sym(id))))
  blank <- sprintf(
    "%s IS NULL OR %s = ''", quote_names(id, connection),
    dbplyr::translate_sql_(list(text), con = connection)
  )
  columns <- quote_names(copy_columns, connection)
  from <- sprintf("(\n%s\n) %s", reports, quote_names("q02", connection))
  numbers <- c(
    n_rows = sprintf("SUM(%s)", columns[1]),
    n_ids = "COUNT(*)",
    n_differing = sprintf("SUM(%s)", columns[2]),
    n_blank = sprintf("SUM(CASE WHEN %s THEN %s ELSE 0 END)", blank, columns[1])
  )
  list(
    numbers = select_text(character(), numbers, from, connection = connection),
    differing = dbplyr::sql(
      sprintf("SELECT %s FROM %s WHERE %s = 1", quote_names(id, connection), from, columns[2])
    )
  )
}

# An error if an engine cannot count the reports. It groups categories, and reports that are a few
# numbers; it adds up the bits of supports.
check_countable <- function(mechanism) {
  if (!is.null(mechanism$questions)) return(check_joint(mechanism))
  if (is.null(stored_forms(mechanism)) && !has_categories(mechanism)) {
    abort(
      c(
        "A database cannot count the reports of this mechanism.", x = "It is: {format(mechanism)}."
      ),
      "law"
    )
  }
}

# The query of how many rows have a number of reports that is missing or no whole number from 0 to
# 2^53, and of the largest number. Its type is seen in R: text is larger than numbers.
times_query <- function(data, count) {
  column <- sql_words(data, count)$column
  rounded <- as.character(
    dbplyr::translate_sql_(
      list(rlang::expr(round(!!rlang::sym(count), 0L))),
      con = dbplyr::remote_con(data)
    )
  )
  wrong <- c(
    sprintf("%s IS NULL", column), sprintf("%s < 0", column),
    sprintf("%s > 9007199254740992", column), sprintf("%s <> %s", column, rounded)
  )
  sums <- c(
    n = sprintf("SUM(%s)", one_if(any_of(wrong))), max = sprintf("MAX(%s)", column)
  )
  group_query(data, character(), sums)
}

check_free_names <- function(names, reserved) {
  taken <- intersect(names, reserved)
  if (!length(taken)) return(invisible())
  abort("{.val {taken[1]}} is the name of a column of the query: rename that column or category.")
}

# ---- one GROUP BY ----

# The text of a query that returns a row for each combination of `keys`, with the sums, which are
# named SQL expressions. dplyr::summarise() would give the same text, but takes 16 ms for each sum,
# mostly for messages of errors that cannot happen here. A fast engine takes 70 ms for 1e7 rows.
group_query <- function(data, keys, sums) {
  connection <- dbplyr::remote_con(data)
  source <- query_source(data)
  select_text(quote_names(keys, connection), sums, source$from, source$where, connection)
}

select_text <- function(keys, sums, from, where = NULL, connection) {
  columns <- c(keys, sprintf("%s AS %s", sums, quote_names(names(sums), connection)))
  clause <- function(word, terms, between) {
    if (!length(terms)) return(NULL)
    line <- paste(word, paste(terms, collapse = paste0(between, " ")))
    if (length(terms) == 1L || nchar(line) <= 80L) return(line)
    paste0(word, "\n  ", paste(terms, collapse = paste0(between, "\n  ")))
  }
  groups <- if (length(keys)) exact_values(keys, connection) else keys
  # A column that is selected must stand in the GROUP BY as it is, but for SQLite.
  if (!identical(groups, keys) && !inherits(connection, "SQLiteConnection")) {
    groups <- as.vector(rbind(keys, groups))
  }
  dbplyr::sql(paste(c(clause("SELECT", columns, ","), paste("FROM", from),
                      clause("WHERE", if (length(where)) sprintf("(%s)", where), " AND"),
                      clause("GROUP BY", groups, ",")), collapse = "\n"))
}

# SQL of values that are compared by their bytes, for engines whose columns may ignore case: "b" and
# "B" would be one group.
exact_values <- function(values, connection) {
  if (inherits(connection, "SQLiteConnection")) return(paste(values, "COLLATE BINARY"))
  if (inherits(connection, c("MariaDBConnection", "MySQLConnection", "MySQL"))) {
    return(sprintf("CAST(%s AS BINARY)", values))
  }
  if (inherits(connection, "Microsoft SQL Server")) {
    return(sprintf("CAST(%s AS VARBINARY(MAX))", values))
  }
  values
}

# The sums in SQL of the engine, under their names. Every engine has COUNT(*).
translate_sums <- function(sums, connection) {
  setNames(
    as.character(dbplyr::translate_sql_(sums, con = connection, window = FALSE)), names(sums)
  )
}

quote_names <- function(names, connection) {
  # For no name dbplyr would return an empty one.
  if (!length(names)) return(character())
  as.character(
    dbplyr::escape(dbplyr::ident(names), parens = FALSE, collapse = NULL, con = connection)
  )
}

# list(from, where): the SQL after FROM and WHERE. Columns of one table are read from it as it is,
# with the conditions of dplyr::filter(). Some engines of several servers get all rows of a query
# within a query before they group them. Every other pipeline is such a query. The text that dbplyr
# writes decides, not its objects, which change with its versions: if it is not the text of its
# parts put together, it stays as it is.
query_source <- function(data) {
  connection <- dbplyr::remote_con(data)
  built <- dbplyr::sql_build(data, connection)
  if (dbplyr::is.ident(built)) {
    return(list(
      from = as.character(dbplyr::escape(built, parens = FALSE, con = connection))
    ))
  }
  text <- as.character(dbplyr::sql_render(built, connection))
  simple <- regexpr(simple_select(), text, perl = TRUE)
  if (simple == 1L) {
    start <- attr(simple, "capture.start")[1]
    from <- substring(text, start, start + attr(simple, "capture.length")[1] - 1L)
    if (attr(simple, "match.length") == nchar(text)) return(list(from = from))
    if (inherits(built, "select_query")) {
      copy <- dbplyr::sql_query_select(
        connection, built$select, dbplyr::sql(from), where = built$where, order_by = built$order_by
      )
      if (identical(as.character(copy), text)) {
        return(list(from = from, where = built$where))
      }
    }
  }
  # An inner query has no order if it has no limit.
  if (inherits(built, "select_query")) {
    text <- as.character(dbplyr::sql_render(built, connection, subquery = TRUE, lvl = 1L))
  }
  list(
    from = sprintf("(\n%s\n) %s", sub("^ *", "  ", text), quote_names("q01", connection))
  )
}

# The pattern of a query that only selects columns; its table is captured.
simple_select <- function() {
  name <- "(?:\"(?:[^\"\\\\]|\"\")+\"|`(?:[^`\\\\]|``)+`|\\[(?:[^]\\\\]|\\]\\])+\\])"
  columns <- sprintf("(?:(?:%s[.])?[*]|%s(?:,\\s+%s)*)", name, name, name)
  # A user who writes schema.table need not quote it.
  table <- sprintf("(?:%s|[[:alpha:]_]\\w*)", name)
  sprintf("^SELECT\\s+%s\\nFROM (%s(?:[.]%s)*)(?=$|\\n)", columns, table, table)
}

# The `wanted` names, changed if a column has them.
free_names <- function(wanted, taken) {
  tail(make.unique(c(taken, wanted), sep = "_"), length(wanted))
}

# Sums of the weights and of their squares, in the words of the engine. Weights are multiplied by
# 1e0, since squares of integers may leave the range of integers. MIN, MAX and the number of NULLs
# come with them: the weights are judged by the query that adds them up.
weight_sums <- function(data, name) {
  weight <- rlang::sym(name)
  double <- rlang::call2("*", weight, dbplyr::sql("1e0"))
  sums <- list(
    sum = rlang::expr(sum(!!double, na.rm = TRUE)),
    squares = rlang::expr(sum(!!double * !!weight, na.rm = TRUE)),
    missing = rlang::expr(
      sum(ifelse(is.na(!!weight), 1L, 0L), na.rm = TRUE)
    ),
    min = rlang::expr(min(!!weight, na.rm = TRUE)),
    max = rlang::expr(max(!!weight, na.rm = TRUE))
  )
  translate_sums(setNames(sums, query_columns[names(sums)]), dbplyr::remote_con(data))
}

# ---- reports that are no categories: bits, positions and numbers are added up ----

# One row comes back for each group, however many reports there are.

# The largest number of sums in one query: PostgreSQL returns at most 1664 columns, SQLite 2000.
query_width <- 1500L

# The engine's SQL for a column: list(character_at(position), length, column), one character of its
# text, the number of characters, and the column.
sql_words <- function(data, name) {
  connection <- dbplyr::remote_con(data)
  word <- function(expression) {
    as.character(dbplyr::translate_sql_(list(expression), con = connection))
  }
  column <- rlang::sym(name)
  digit <- word(rlang::expr(substr(!!column, 987654321L, 987654321L)))
  list(
    character_at = function(position) {
      gsub("987654321", format(position, scientific = FALSE), digit, fixed = TRUE)
    },
    length = word(rlang::expr(nchar(!!column))),
    column = word(column)
  )
}

# A OR B OR C: engines count how deep an expression is, which in a chain is how long it is, SQLite
# up to 1000.
any_of <- function(conditions) join_sql(conditions, "OR")

join_sql <- function(terms, operator) {
  while (length(terms) > 30) {
    some <- split(terms, (seq_along(terms) - 1) %/% 30)
    terms <- vapply(
      some, function(each) sprintf("(%s)", join_sql(each, operator)), "", USE.NAMES = FALSE
    )
  }
  paste(terms, collapse = sprintf(" %s ", operator))
}

one_if <- function(condition) sprintf("CASE WHEN %s THEN 1 ELSE 0 END", condition)

# The SQL of what is added up:
#   sums      named SQL of a number for each report
#   missing   the condition under which a report is missing
#   wrong     the condition under which it is wrong
#   split     a column whose values are added up apart
sql_sums <- function(data, mechanism, layout, answers) {
  if (layout == "number") return(sql_number(data, mechanism, answers))
  codec <- stored_codec(mechanism)
  if (!is.null(codec$drawn)) {
    columns <- quote_names(answers, dbplyr::remote_con(data))
    return(if (layout == "positions") {
      sql_positions(mechanism, codec, columns)
    } else {
      sql_drawn(mechanism, codec, columns)
    })
  }
  beside <- names(codec$numbers)
  sql <- sql_bits(data, codec, layout, setdiff(answers, beside))
  if (!length(beside)) return(sql)
  sql$missing <- any_of(c(
    sprintf("%s IS NULL", sql_words(data, beside)$column), sql$missing
  ))
  c(sql, split = beside)
}

# The SQL of a bit, 0 or 1, for each level, with the fields of sql_sums().
sql_bits <- function(data, codec, layout, answers) {
  k <- codec$width
  if (layout == "bits") {
    bits <- quote_names(answers, dbplyr::remote_con(data))
    missing <- sprintf("(%s) IS NULL", join_sql(bits, "+"))
    wrong <- sprintf("(%s <> 0 AND %s <> 1)", bits, bits)
  } else {
    words <- sql_words(data, answers)
    width <- (k + 7) %/% 8
    bits <- vapply(seq_len(8 * width) - 1, sql_bit, "", words)
    digits <- vapply(seq_len(2 * width), words$character_at, "")
    missing <- sprintf("%s IS NULL", words$column)
    padding <- if (8 * width > k) sprintf("%s = 1", bits[-seq_len(k)])
    wrong <- c(sprintf("%s <> %d", words$length, as.integer(2 * width)),
               sprintf("%s NOT IN (%s)", digits, sql_digits(hexadecimal)), padding)
    bits <- bits[seq_len(k)]
  }
  if (!is.null(codec$ones)) {
    wrong <- c(
      wrong, sprintf("(%s) <> %d", join_sql(bits, "+"), as.integer(codec$ones))
    )
  }
  list(sums = setNames(bits, codec$columns), missing = missing, wrong = any_of(wrong))
}

hexadecimal <- c(0:9, letters[1:6])

# Bit `j`, from 0, of hexadecimal text: the first digit of a byte has its upper four bits.
sql_bit <- function(j, words) {
  position <- 2 * (j %/% 8) + if (j %% 8 < 4) 2 else 1
  ones <- hexadecimal[bitwAnd(0:15, bitwShiftL(1L, j %% 4)) > 0]
  one_if(sprintf("%s IN (%s)", words$character_at(position), sql_digits(ones)))
}

sql_digits <- function(digits) {
  toString(sprintf("'%s'", unique(c(digits, toupper(digits)))))
}

# The SQL of positions, which are negative if the bit is 0. The same position twice is wrong.
sql_positions <- function(mechanism, codec, columns) {
  signed <- c(seq_len(codec$width), -seq_len(codec$width))
  sums <- vapply(
    signed, function(position) one_if(any_of(sprintf("%s = %d", columns, as.integer(position)))),
    ""
  )
  pairs <- if (length(columns) > 1L) combn(columns, 2)
  buckets <- paste(seq_len(codec$width), collapse = ", ")
  list(
    sums = setNames(sums, mechanism$reports),
    missing = any_of(sprintf("%s IS NULL", columns)),
    wrong = any_of(c(
      sprintf("abs(%s) NOT IN (%s)", columns, buckets),
      if (!is.null(pairs)) sprintf("abs(%s) = abs(%s)", pairs[1, ], pairs[2, ])
    ))
  )
}

# The SQL of columns of 0 and 1, one for each bucket, NULL if it was not drawn.
sql_drawn <- function(mechanism, codec, columns) {
  drawn <- join_sql(one_if(sprintf("%s IS NOT NULL", columns)), "+")
  sums <- one_if(
    sprintf(
      "%s = %d", rep(columns, 2), rep(1:0, each = length(columns))
    )
  )
  list(
    sums = setNames(sums, mechanism$reports),
    missing = sprintf("(%s) = 0", drawn),
    wrong = any_of(c(
      sprintf("%s NOT IN (0, 1)", columns), sprintf("(%s) <> %d", drawn, as.integer(codec$drawn))
    ))
  )
}

# The tolerance of reports at the ends of their range: reports that went through text have lost some
# digits.
report_slack <- 1e-6

# The SQL of numbers, as shares of the range of reports, and of their powers: see
# R/mechanism-mean.R.
sql_number <- function(data, mechanism, answers) {
  column <- sql_words(data, answers)$column
  range <- mechanism$codec$range
  number <- function(x) sprintf("%.17g", x)
  share <- sprintf("((%s - (%s)) / %s)", column, number(range[1]), number(diff(range)))
  near <- number(report_slack)
  wrong <- c(sprintf("%s < -%s", share, near), sprintf("%s > 1 + %s", share, near))
  if (mechanism$codec$is_two_valued) {
    wrong <- c(wrong, sprintf("(%s > %s AND %s < 1 - %s)", share, near, share, near))
    share <- one_if(sprintf("%s > 0.5", share))
  }
  powers <- vapply(seq_along(mechanism$reports)[-1], function(power) {
    paste(rep(sprintf("(%s)", share), power), collapse = " * ")
  }, "")
  list(sums = setNames(c(share, powers), mechanism$reports),
       missing = sprintf("%s IS NULL", column), wrong = any_of(wrong))
}

sum_query <- function(data, mechanism, layout, answers, keys, weight, counted) {
  codec <- stored_codec(mechanism)
  k <- if (length(codec$numbers)) codec$width else length(mechanism$reports)
  if (k > query_width) {
    abort("One query adds up at most {format_count(query_width)} sums, not {k}.", "too_large")
  }
  sql <- sql_sums(data, mechanism, layout, answers)
  check_free_names(
    c(colnames(data), names(sql$sums)), c(query_columns, "reports_missing", "reports_wrong")
  )
  flag <- function(condition) dbplyr::sql(one_if(condition))
  # A sum has the name of its column. ClickHouse would read the sum for the column in all other
  # sums, so that no other sum may read these columns.
  flagged <- dplyr::mutate(dplyr::ungroup(data), reports_missing = !!flag(sql$missing),
                           reports_wrong = !!flag(sql$wrong))
  wrong_query <- function(flagged) {
    is_wrong <- quote(reports_missing == 0L & reports_wrong == 1L)
    group_query(dplyr::filter(flagged, !!is_wrong), answers, c(n = "COUNT(*)"))
  }
  times <- if (!is.null(weight)) paste0(" * ", sql_words(data, weight)$column)
  wrong <- quote_names("reports_wrong", dbplyr::remote_con(data))
  sums <- c(
    counted[1], reports_wrong = sprintf("SUM(%s)", wrong),
    setNames(sprintf("SUM((%s)%s)", sql$sums, times %||% ""), names(sql$sums)),
    counted[-1]
  )
  list(
    sql = group_query(flagged, c("reports_missing", sql$split, keys), sums),
    sums = names(sql$sums),
    split = sql$split,
    wrong = wrong_query(flagged),
    first_wrong = wrong_query(head(flagged, 1000))
  )
}

# The columns that a query adds, by what they hold.
query_columns <- c(
  n = "n", sum = "weight_sum", squares = "weight_squares", missing = "weight_missing",
  min = "weight_min", max = "weight_max"
)

# list(sql, split): the query of a long table, one statement, so that the engine reads the table at
# one moment. Part 1 has the numbers of rows by level, part 2 those of reports. `split` is a column
# with the same value in all rows of a report, such as its cohort; the column `bit` is 1 if the
# level is supported.
long_query <- function(data, mechanism, answers, keys, weight) {
  if (!is.null(weight)) {
    abort("Long tables take no {.arg count} and {.arg weights}: a report has several rows.")
  }
  connection <- dbplyr::remote_con(data)
  split <- setdiff(answers, c("id", "level", "bit"))
  support_columns <- c("level", intersect(answers, "bit"))
  shared_columns <- c(split, keys)
  alias <- quote_names(c(long_sizes, "id"), connection)
  level <- quote_names("level", connection)
  sizes <- c("COUNT(*)", sprintf("SUM(%s)", one_if(paste(level, "IS NULL"))),
             sprintf("COUNT(DISTINCT %s)", exact_values(level, connection)))
  reports <- group_query(data, c("id", shared_columns), setNames(sizes, long_sizes))
  faults <- long_faults(alias, stored_codec(mechanism))
  sums <- sprintf("SUM(%s)", c(alias[1], one_if(faults)))
  # The columns of both parts stand in one order.
  branch <- function(number, n, sums) {
    c(part = number, n = n, setNames(sums, long_sums))
  }
  nothing <- setNames(rep("NULL", length(support_columns)), support_columns)
  second <- select_text(
    quote_names(shared_columns, connection), c(nothing, branch("2", "COUNT(*)", sums)),
    sprintf("(\n%s\n) %s", reports, quote_names("q02", connection)), connection = connection
  )
  first <- group_query(
    data, c(shared_columns, support_columns),
    branch("1", "COUNT(*)", rep("0", length(long_sums)))
  )
  list(
    sql = dbplyr::sql(paste(first, second, sep = "\nUNION ALL\n")),
    split = if (length(split)) split,
    wrong = dbplyr::sql(sprintf(
      "SELECT %s FROM (\n%s\n) %s WHERE %s", quote_names("id", connection), reports,
      quote_names("q02", connection), any_of(sprintf("(%s)", faults[c("wrong", "twice")]))
    ))
  )
}

# The conditions of the faults of a report, in the order of `long_sums`, from its columns
# `long_sizes`.
long_faults <- function(alias, codec) {
  size <- codec$ones %||% codec$drawn
  wrong <- if (is.null(size)) sprintf("%s > 0 AND %s > 1", alias[2], alias[1])
    else sprintf("%s > 0 OR %s <> %d", alias[2], alias[1], as.integer(size))
  c(
    empty = paste(alias[2], "> 0"),
    wrong = wrong,
    twice = sprintf("%s < %s - %s", alias[3], alias[1], alias[2]),
    lost = paste(alias[4], "IS NULL")
  )
}
