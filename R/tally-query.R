# A tally as an SQL query: one GROUP BY, written in the dialect of the engine by dbplyr.

#' The query that tallies a database table
#'
#' A tally is a `GROUP BY`. `rr_query()` gives the SQL text that [rr_tally()] runs on a database table, but does not run it. The text is in the dialect of the
#' table's connection, which may be simulated by dbplyr; without a connection it is standard SQL. [rr_counts()] turns the result, as a data frame, into the same tally.
#' The engine groups and adds up; no single report leaves it.
#'
#' @param data A table of package dbplyr (`tbl_lazy`): `dplyr::tbl(connection, "name")`, perhaps filtered, or
#'   `dbplyr::lazy_frame(answer = "", con = dbplyr::simulate_hive())` for an engine that R is not connected to: only the names
#'   of its columns matter then. Names are in backticks for Hive and Spark, Impala, MySQL, SQLite and Access, else in the double quotes of standard SQL.
#' @param mechanism How the answers were randomised.
#' @param column The column that holds the reports: its name, or a formula such as `~ answer`. Not needed where it is the only column beside
#'   those of `by` and `weights`, nor for several questions ([rr_product()]), whose names are the columns.
#' @param by The columns of the groups, by name or as a formula such as `~ region + year`; the groups of `dplyr::group_by()` come first.
#' @param weights The column of the survey weights, by name or as a formula.
#' @param ... Not used, and refused.
#' @section Reports of the protocols:
#' They are counted by the engine in these forms. The first that fits the columns is taken.
#'
#' | mechanism | columns | query |
#' |---|---|---|
#' | [rr_hadamard()] | one of whole numbers | `GROUP BY` that number |
#' | [rr_hadamard()] of one bit | `index`, `sign` | `GROUP BY` both |
#' | [rr_local_hash()] | `slope`, `shift`, `value`, or `cohort`, `value` | `GROUP BY` all of them |
#' | [rr_sample_questions()], [rr_hierarchy()] | `question` or `depth`, and those of the reports | `GROUP BY` all of them |
#' | [rr_unary()], [rr_subset()] | one of 0 and 1 for each category, named like it | `SUM` of each |
#' | [rr_unary()], [rr_subset()] | `id` and `level`: a row for each category that a report supports | `GROUP BY level`, and the reports by their number of rows |
#' | [rr_unary()], [rr_subset()] | one of hexadecimal text, as `as.character()` of the reports gives it | `SUM` of each bit |
#' | [rr_bitflip()] | `position_1`, `position_2`, ... up to `d`, negative where the bit is 0 | `SUM` of each bucket's ones and zeros |
#' | [rr_bitflip()] | `id`, `level` and `bit`: a row for each bucket that a report is about | `GROUP BY level, bit`, and the reports by their number of rows |
#' | [rr_bitflip()] | one of 0 and 1 for each bucket, named like it, `NULL` where it was not drawn | `SUM` of each bucket's ones and zeros |
#' | [rr_bloom()], [rr_sketch_counts()] | `cohort`, and `bits`, hexadecimal text | `SUM` of each bit, `GROUP BY cohort` |
#' | [rr_bloom()], [rr_sketch_counts()] | `cohort`, and `bit_1`, `bit_2`, ... of 0 and 1 | the same |
#' | [rr_bloom()], [rr_sketch_counts()] | `id`, `cohort` and `level`: a row for each bit that is 1, with its number | `GROUP BY level, cohort`, and the reports by their number of rows |
#' | [rr_sketch_counts()] of one bit | `cohort`, `index`, `sign` | `GROUP BY` all of them |
#' | [rr_mean()] | one of numbers | `SUM` of the numbers and of their squares, as shares of the range of reports |
#'
#' A sum has the name of its category (of its report, for [rr_bitflip()] and [rr_mean()]; of its column, `bit_1` and so on, for [rr_bloom()]);
#' `reports_wrong` is the number of reports that the mechanism cannot give. The long forms, with an `id`, are counted by one
#' statement of two parts, the levels and the reports, and take no weights. In them a report that has no bit of 1 must have a row too, whose `level`
#' is `NULL`; the rows of one `id` must be of one group. Several different reports are rarely alike where `slope` and `shift` were drawn from many: the engine then returns about one
#' row for each, which R counts.
#' @section Upper and lower case:
#' `"b"` and `"B"` are different reports, groups and ids, whatever the collation of their column: SQLite, MySQL, MariaDB and SQL Server
#' compare their bytes. In PostgreSQL a column of type `citext`, or of a collation that is not deterministic, must be made text of collation `"C"` first.
#' @return SQL text of class `sql`. The query gives one row for each report (or cell of several questions) and group that occurs: the columns of
#'   reports and groups under their own names, the number of reports `n` and, with weights, `weight_sum`, the sum of squares
#'   `weight_squares`, how many weights are NULL `weight_missing`, and the extremes `weight_min` and `weight_max`.
#' @section Errors:
#' `candor_error_argument` where `data` is no database table, a column is not there or is called as one that the query makes;
#' `candor_error_law` for reports that an engine cannot count; `candor_error_too_large` for more than 1500 sums; `candor_error_package` without dbplyr.
#' @seealso [rr_tally()], which runs it.
#' @source Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7: the sums of weights and of their squares are what the effective number needs.
#' @examplesIf requireNamespace("dbplyr", quietly = TRUE)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' reports <- dbplyr::lazy_frame(answer = "", region = "", w = 1, con = dbplyr::simulate_hive())
#' rr_query(reports, mechanism, column = "answer", by = "region", weights = "w")
#'
#' # What an engine gave back, here typed in
#' answer <- data.frame(answer = c("often", "never", "once"), n = c(120, 610, 270))
#' rr_counts(answer, mechanism)
#' @export
rr_query <- function(data, mechanism, column = NULL, by = NULL, weights = NULL, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  if (!inherits(data, "tbl_lazy")) {
    abort(c("{.arg data} must be a database table, such as {.code dplyr::tbl(connection, \"reports\")}.",
            x = "It is {describe(data)}.",
            i = "For an engine that R is not connected to, describe the table with {.fn dbplyr::lazy_frame}."),
          "argument")
  }
  standard_names(tally_query(data, mechanism, column, by, weights)$query, dbplyr::remote_con(data))
}

# A simulated connection of dbplyr quotes every name with backticks, whatever its engine. Where that is not the quote
# of the engine's own, it becomes that of standard SQL. Texts in quotes stay as they are.
standard_names <- function(query, connection) {
  backticks <- c("MariaDBConnection", "SQLiteConnection", "Hive", "Impala", "Spark SQL", "ACCESS")
  if (!inherits(connection, "TestConnection") || inherits(connection, backticks)) return(query)
  text <- as.character(query)
  at <- gregexpr("'(?:[^']|'')*'(*SKIP)(*F)|`(?:[^`]|``)*`", text, perl = TRUE)
  regmatches(text, at) <- lapply(regmatches(text, at), function(name) {
    bare <- gsub("``", "`", substr(name, 2, nchar(name) - 1), fixed = TRUE)
    sprintf("\"%s\"", gsub("\"", "\"\"", bare, fixed = TRUE))
  })
  dbplyr::sql(text)
}

# The table and its columns, as the grammar of data frames wants them: a data frame without rows.
table_columns <- function(data) {
  check_installed("dbplyr", "to read database tables")
  names <- colnames(data)
  structure(rep(list(logical()), length(names)), names = names, row.names = integer(), class = "data.frame")
}

# What is asked: the text of the query, the columns of the answers and of the groups, and that of the weights or NULL.
tally_query <- function(data, mechanism, column, by, weights) {
  frame <- table_columns(data)
  check_countable(mechanism)
  keys <- unique(c(dplyr::group_vars(data), frame_names(frame, by, "by") %||% refuse_vector(by, "by")))
  name_groups(as.list(frame)[keys], mechanism)
  weight <- frame_names(frame, weights, "weights", one = TRUE) %||% refuse_vector(weights, "weights")
  answers <- if (is.null(column)) set_columns(mechanism, setdiff(names(frame), c(keys, weight)))
  answers <- answers %||% report_columns(frame, mechanism, column, c(keys, weight), "a database table") %||%
    names(question_columns(frame, mechanism))
  both <- intersect(answers, keys)
  if (length(both)) {
    abort(c("The reports must not be groups as well.", x = "{.val {both[1]}} is both."), "argument")
  }
  form <- report_form(mechanism, answers)
  taken <- intersect(c(answers, keys), c(query_columns, if (form == "long") c("part", long_sums, long_sizes)))
  if (length(taken)) {
    abort(c("Columns of reports and groups must not be called as those that the query makes.",
            x = "{.val {taken[1]}} is one.", i = "Rename it with {.fn dplyr::rename}."), "argument")
  }
  if (form %in% sum_forms) return(sum_query(data, mechanism, form, answers, keys, weight))
  if (form == "long") return(long_query(data, mechanism, answers, keys, weight))
  sums <- c(n = "COUNT(*)",
            if (!is.null(weight)) translate_sums(weight_sums(rlang::sym(weight)), dbplyr::remote_con(data)))
  query <- group_query(data, c(answers, keys), sums)
  list(query = query, answers = answers, keys = keys, weight = weight, form = form)
}

# ---- one GROUP BY ----

# The text of a query that gives a row for each combination of `keys`, and the sums, which are named SQL expressions.
# dplyr::summarise() would give the same text, but takes 16 ms for each sum, mostly for messages of errors that cannot
# happen here, while a fast engine counts 1e7 rows in 70.
group_query <- function(data, keys, sums, limit = NULL) {
  connection <- dbplyr::remote_con(data)
  source <- query_source(data)
  select_text(quote_names(keys, connection), sums, source$from, source$where, limit, connection)
}

select_text <- function(keys, sums, from, where = NULL, limit = NULL, connection) {
  columns <- c(keys, sprintf("%s AS %s", sums, quote_names(names(sums), connection)))
  groups <- exact_groups(keys, connection)
  # Each engine has words of its own for a limit.
  if (!is.null(limit)) {
    return(dbplyr::sql_query_select(connection, dbplyr::sql(columns), dbplyr::sql(from), where = where,
                                    group_by = dbplyr::sql(groups), limit = limit))
  }
  clause <- function(word, parts, between) {
    if (!length(parts)) return(NULL)
    line <- paste(word, paste(parts, collapse = paste0(between, " ")))
    if (length(parts) == 1L || nchar(line) <= 80L) return(line)
    paste0(word, "\n  ", paste(parts, collapse = paste0(between, "\n  ")))
  }
  dbplyr::sql(paste(c(clause("SELECT", columns, ","), paste("FROM", from),
                      clause("WHERE", if (length(where)) sprintf("(%s)", where), " AND"),
                      clause("GROUP BY", groups, ",")), collapse = "\n"))
}

# Engines whose columns may ignore case, where "b" and "B" are one group. There text is compared by its bytes.
exact_values <- function(values, connection) {
  if (inherits(connection, "SQLiteConnection")) return(paste(values, "COLLATE BINARY"))
  if (inherits(connection, c("MariaDBConnection", "MySQLConnection", "MySQL"))) {
    return(sprintf("CAST(%s AS BINARY)", values))
  }
  if (inherits(connection, "Microsoft SQL Server")) return(sprintf("CAST(%s AS VARBINARY(MAX))", values))
  values
}

# A column that is selected must stand in the GROUP BY as it is, but for SQLite.
exact_groups <- function(keys, connection) {
  exact <- if (length(keys)) exact_values(keys, connection) else keys
  if (identical(exact, keys) || inherits(connection, "SQLiteConnection")) return(exact)
  as.vector(rbind(keys, exact))
}

# In the words of the engine. COUNT(*) is everybody's.
translate_sums <- function(sums, connection) {
  stats::setNames(as.character(dbplyr::translate_sql_(sums, con = connection, window = FALSE)), names(sums))
}

quote_names <- function(names, connection) {
  # Of no name dbplyr makes an empty one.
  if (!length(names)) return(character())
  as.character(dbplyr::escape(dbplyr::ident(names), parens = FALSE, collapse = NULL, con = connection))
}

# What stands after FROM and WHERE. Columns of one table are read from it as it is, with the conditions of
# dplyr::filter(), since some engines of several servers fetch the rows of a query within a query before they group
# them.
# Every other pipeline is such a query. The text that dbplyr writes decides, not its objects, which change with its
# versions: where it is not that of its parts put together, it stays as it is.
query_source <- function(data) {
  connection <- dbplyr::remote_con(data)
  built <- dbplyr::sql_build(data, connection)
  if (dbplyr::is.ident(built)) {
    return(list(from = as.character(dbplyr::escape(built, parens = FALSE, con = connection))))
  }
  text <- as.character(dbplyr::sql_render(built, connection))
  name <- "(?:\"(?:[^\"\\\\]|\"\")+\"|`(?:[^`\\\\]|``)+`)"
  columns <- sprintf("(?:(?:%s[.])?[*]|%s(?:,\\s+%s)*)", name, name, name)
  plain <- regexpr(sprintf("^SELECT\\s+%s\\nFROM (%s(?:[.]%s)*)(?=$|\\n)", columns, name, name), text, perl = TRUE)
  if (plain == 1L) {
    start <- attr(plain, "capture.start")[1]
    from <- substring(text, start, start + attr(plain, "capture.length")[1] - 1L)
    if (attr(plain, "match.length") == nchar(text)) return(list(from = from))
    if (inherits(built, "select_query")) {
      again <- dbplyr::sql_query_select(connection, built$select, dbplyr::sql(from), where = built$where,
                                        order_by = built$order_by)
      if (identical(as.character(again), text)) return(list(from = from, where = built$where))
    }
  }
  # An inner query has no order, if it has no limit.
  if (inherits(built, "select_query")) {
    text <- as.character(dbplyr::sql_render(built, connection, subquery = TRUE, lvl = 1L))
  }
  list(from = sprintf("(\n%s\n) %s", sub("^ *", "  ", text), quote_names("q01", connection)))
}

# Names that no column has.
free_names <- function(wanted, taken) utils::tail(make.unique(c(taken, wanted), sep = "_"), length(wanted))

# A database holds the columns, so vectors of R's cannot be beside them.
refuse_vector <- function(given, arg) {
  if (is.null(given)) return(NULL)
  abort(c("{.arg {arg}} must name columns of the database table, as text or a formula.",
          x = "It is {describe(given)}."), "argument")
}

# Categories are a GROUP BY, and so are reports that are a few numbers; of supports an engine adds up the bits.
check_countable <- function(mechanism) {
  if (inherits(mechanism, "rr_product")) return(check_joint(mechanism))
  if (!is.null(report_fields(mechanism)) || inherits(mechanism, "rr_sampled")) return(invisible())
  law <- rr_law(mechanism)
  if (law_gives(law, "channel", length(mechanism$levels)) || !is.null(stored_forms(mechanism))) return(invisible())
  abort(c("A database cannot count the reports of this mechanism.", x = "The mechanism is: {format(mechanism)}.",
          i = "Fetch them, and give the data frame to {.fn rr_tally}."), "law")
}
