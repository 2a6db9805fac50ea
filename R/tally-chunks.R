#' Tally reports chunk by chunk
#'
#' Counts reports that do not fit into memory, or that arrive in parts: each chunk is tallied, its counts are added, and the chunk is forgotten. The memory
#' needed is that of one chunk and of the tally, however many chunks there are.
#'
#' A chunk that cannot be tallied (a report that is not a level, a row with too few fields, a connection that drops) stops the work, and nothing of this chunk is counted. The
#' error then has class `candor_error_chunk` and holds the tally of the chunks before it. Catch the error, take its field `tally` and the number of the
#' `chunk`, correct what was wrong and continue with `onto`.
#'
#' @section Labels:
#' Chunks that are sent twice would be counted twice. `label` identifies a chunk, by a day, a file or a batch number, for example. A chunk whose label the
#' tally already holds is left out, with a message. Tallies keep their labels, also in files ([rr_write()]), and tallies that hold the same
#' chunk are not merged by `c()`, unless they are of different groups. Some groups of a tally, as `tally["north"]`, keep all its labels.
#'
#' Two chunks of one run must not have the same label: blocks of rows of a file with a day as their label would be parts of this day. That is an error.
#'
#' The same label has the same text, whatever its type. Numbers are written without an exponent (`1e5` and `100000L` are `"100000"`), dates as `"2026-01-31"`,
#' times in UTC with fractions of a second (`"2026-01-31 23:59:59.5 UTC"`). Text is taken as it is, and must be valid in its encoding.
#'
#' @param next_chunk Where the chunks come from. A **function** without arguments that returns the next chunk, in anything that [rr_tally()] takes, and
#'   `NULL` when there are no more. Or a **CSV file**, by its name or as a connection (of [file()], [gzfile()], [url()], ...), which [utils::read.csv()] reads block by block;
#'   its first line names the columns, and each further line is a row: a field that holds the end of a line is an error. A connection that is not open is opened, and closed in the end. What [write.csv()] makes of the reports of [rr_perturb()] is read,
#'   for every mechanism whose reports are a column or a data frame of columns. A file that is cut off inside its last field looks like a whole one, but for the end of its last line:
#'   where that is missing a warning says so.
#' @param mechanism How the answers were randomised.
#' @param ... Not used.
#' @param column,by,weights Columns of the chunks, where these are data frames: by name, or as a formula such as `~ region`, see [rr_tally()].
#' @param na.rm,match,keep As for [rr_tally()].
#' @param onto A tally to continue: the chunks are added to it.
#' @param label A function of a chunk that returns one text or number, its label; or `NULL`, where chunks have none.
#' @param rows For a CSV file: number of rows in a chunk.
#' @param csv For a CSV file: a list of further arguments of [utils::read.csv()], such as `sep`, `dec`, `na.strings`, `fileEncoding` or `colClasses`. Columns are
#'   read as text, those of `weights` and reports whose labels are numbers as numbers, unless `colClasses` says otherwise, by the names of columns or for all in their order. So a group has the same name in each
#'   block. Reports that are numbers are read from such text; where their decimal sign is not a point, say that they are `"numeric"`.
#' @param progress Show a progress bar? It appears when the work takes more than two seconds.
#' @section Several reports of one respondent:
#' Chunks of different days may hold reports of the same people. The sum of all days is then no sample of different respondents, and its standard errors are too
#' small: estimate each day on its own (`by`), or see [rr_tally()] for the way.
#'
#' @return An object of class `rr_tally`, see [rr_tally()]. With `label` it has an element `chunks`, the labels.
#' @section Errors:
#' `candor_error_chunk`, and the class of what went wrong, for a chunk that cannot be tallied or read; its fields are `tally` (`NULL` where no chunk was counted), `chunk` (its
#' number) and `cause` (the error of the chunk). `candor_error_argument` for other arguments, `candor_error_mismatch` for an `onto` of
#' another mechanism or other groups, `candor_error_empty` when there was no chunk.
#' @source The counts of a union of disjoint sets of reports are the sums of their counts; nothing is estimated.
#' @seealso [rr_tally()], whose tallies are merged with `c()`; [rr_write()].
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' # Days of reports, made as they are asked for
#' reports_of <- function(day) {
#'   truths <- sample(mechanism$levels, 1000, replace = TRUE, prob = c(6, 3, 1))
#'   data.frame(day = day, answer = rr_perturb(truths, mechanism))
#' }
#' day <- 0
#' next_day <- function() {
#'   if (day == 3) return(NULL)
#'   day <<- day + 1
#'   reports_of(day)
#' }
#' day_of <- function(chunk) chunk$day[1]
#' tally <- rr_tally_chunks(next_day, mechanism, column = "answer", label = day_of)
#' tally
#'
#' # The third day is sent again, with a fourth: it is counted once
#' day <- 2
#' late <- function() {
#'   if (day == 4) return(NULL)
#'   day <<- day + 1
#'   reports_of(day)
#' }
#' rr_tally_chunks(late, mechanism, column = "answer", label = day_of, onto = tally)
#'
#' # A file, 200 rows at a time
#' file <- tempfile(fileext = ".csv")
#' people <- reports_of(1)
#' people$region <- c("north", "south")
#' write.csv(people, file, row.names = FALSE)
#' rr_tally_chunks(file, mechanism, column = "answer", by = "region", rows = 200)
#' @export
rr_tally_chunks <- function(next_chunk, mechanism, ..., column = NULL, by = NULL, weights = NULL, na.rm = FALSE,
                            match = c("exact", "relaxed"), keep = c("counts",
                                                                    "sets"), onto = NULL, label = NULL, rows = 100000,
                            csv = list(), progress = interactive()) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_flag(na.rm, "na.rm")
  match <- check_choice(match, "match", c("exact", "relaxed"))
  keep <- check_choice(keep, "keep", c("counts", "sets"))
  if (!is.null(label) && !is.function(label)) {
    abort(c("{.arg label} must be a function of a chunk.", x = "It is {describe(label)}.",
            i = "For example {.code function(chunk) chunk$day[1]}."), "argument")
  }
  check_chunk_columns(by, weights)
  check_flag(progress, "progress")
  total <- check_onto(onto, mechanism)
  rows <- check_count(rows, "rows", min = 1, max = .Machine$integer.max)
  columns <- list(column = column, by = by, weights = weights)
  source <- chunk_source(next_chunk, rows, csv, columns, mechanism)
  on.exit(source$close())
  bar <- if (progress) chunk_bar()
  number <- 0
  left_out <- character()
  # The labels of this run, and the numbers of their chunks.
  seen <- numeric()
  repeat {
    number <- number + 1
    # Nothing is assigned to `total` before a chunk has passed as a whole.
    result <- tryCatch({
      chunk <- source$read()
      if (!is.null(chunk)) {
        one_chunk(chunk, mechanism, total, label, seen, columns, na.rm = na.rm, match = match, keep = keep)
      }
    }, error = function(e) abort_chunk(e, number, total))
    if (is.null(result)) break
    if (result$known) left_out <- c(left_out, result$name)
    seen[result$name] <- number
    total <- result$tally
    if (progress) cli::cli_progress_update(id = bar)
  }
  if (length(left_out)) {
    cli::cli_inform(c("{length(left_out)} chunk{?s} that {?was/were} counted before {?is/are} left out.",
                      i = "{cli::qty(left_out)}{?Its label is/Their labels are} {format_labels(left_out)}."),
                    class = "candor_message_chunks")
  }
  if (is.null(total)) {
    abort(c("There was no chunk to tally.", i = "{.arg next_chunk} must return reports before it returns NULL."),
          "empty")
  }
  total
}

# The tally with this chunk. `columns` names the columns of a data frame, `seen` the labels of this run.
one_chunk <- function(chunk, mechanism, total, label, seen, columns, ...) {
  name <- if (!is.null(label)) chunk_label(label(chunk))
  # A chunk without reports is none: what comes under its label later counts.
  if (report_number(chunk) == 0L) return(list(tally = total, known = FALSE))
  check_new_label(name, seen)
  if (!is.null(name) && name %in% total$chunks) return(list(tally = total, known = TRUE, name = name))
  tally <- if (is.data.frame(chunk)) {
    rr_tally(chunk, mechanism, column = columns$column, by = columns$by, weights = columns$weights, ...)
  } else {
    check_plain_chunk(chunk, columns)
    rr_tally(chunk, mechanism, ...)
  }
  tally$chunks <- name
  list(tally = if (is.null(total)) tally else c(total, tally), known = FALSE, name = name)
}

# Two chunks of one run with one label are rather parts of a day than the same reports: to leave one out would lose
# them.
check_new_label <- function(name, seen) {
  if (is.null(name) || !name %in% names(seen)) return(invisible())
  before <- seen[[name]]
  abort(c("{.arg label} must return another label for each chunk.",
          x = "{.val {name}} is the label of chunk {format_count(before)} as well.",
          i = "Let a chunk be all that has one label, or make it of more: of the day and a number, for example."),
        "argument")
}

check_plain_chunk <- function(chunk, columns) {
  if (all(vapply(columns, is.null, NA))) return(invisible())
  abort(c("{.arg column}, {.arg by} and {.arg weights} name columns of the chunks.",
          x = "A chunk is {describe(chunk)}.",
          i = "Let {.arg next_chunk} return data frames."), "argument")
}

# The same text for the same label, whatever its type: integer or double, factor or text, a time in any zone.
chunk_label <- function(label) {
  known <- is.character(label) || is.numeric(label) || is.factor(label) || inherits(label, c("Date", "POSIXct"))
  if (!known || length(label) != 1L || is.na(label)) {
    abort(c("{.arg label} must return one text or number for each chunk.", x = "It returned {describe(label)}."),
          "argument")
  }
  if (inherits(label, "POSIXct")) return(time_text(label))
  if (inherits(label, "Date")) return(format(label, "%Y-%m-%d"))
  if (is.numeric(label)) return(number_text(label))
  check_text(as.character(label), "label")
}

# A time in UTC, with its fraction of a second if it has one, to the microsecond.
time_text <- function(time) {
  micros <- round(as.double(time) * 1e6)
  seconds <- floor(micros / 1e6)
  fraction <- micros - seconds * 1e6
  text <- format(.POSIXct(seconds, "UTC"), "%Y-%m-%d %H:%M:%S", tz = "UTC")
  paste0(text, if (fraction > 0) sub("0+$", "", sprintf(".%06.0f", fraction)), " UTC")
}

# Vectors would be those of all chunks.
check_chunk_columns <- function(by, weights) {
  given <- list(by = by, weights = weights)
  for (arg in names(given)) {
    value <- given[[arg]]
    if (!is.null(value) && !is.character(value) && !inherits(value, "formula")) {
      abort(c("{.arg {arg}} must name columns of the chunks, as text or as a formula.",
              x = "It is {describe(value)}."), "argument")
    }
  }
}

check_onto <- function(onto, mechanism) {
  if (is.null(onto)) return(NULL)
  if (!inherits(onto, "rr_tally")) abort(c("{.arg onto} must be a tally.", x = "It is {describe(onto)}."), "argument")
  if (!same_mechanism(onto$mechanism, mechanism)) {
    abort(c("{.arg onto} must be of the same mechanism.",
            x = "{mechanism_difference(onto$mechanism, mechanism, 'The tally', 'The mechanism')}"), "mismatch")
  }
  onto
}

# The error of a chunk, with what was counted before it. It is of the class of its cause as well.
abort_chunk <- function(error, number, total) {
  reason <- plain_message(error)
  kind <- sub("^candor_error_", "", grep("^candor_error_", class(error), value = TRUE))
  before <- if (is.null(total)) "No chunk was counted." else
    "The tally of what was counted before it is in the field {.field tally} of this error: go on with {.arg onto}."
  abort(c("Chunk {format_count(number)} could not be tallied, and nothing of it was counted.", x = "{reason}",
          i = before),
        c("chunk", kind), tally = total, chunk = number, cause = error)
}

chunk_bar <- function() {
  cli::cli_progress_bar(format = "Tallying: {cli::pb_current} chunks in {cli::pb_elapsed}", total = NA, clear = TRUE,
                        .envir = parent.frame())
}

# ---- where chunks come from ----

# read(): the next chunk or NULL; close(): what was opened here is closed.
chunk_source <- function(x, rows, csv, columns, mechanism) {
  if (is.function(x)) return(list(read = function() x(), close = function() NULL))
  if (is.character(x) || inherits(x, "connection")) return(csv_source(x, rows, csv, columns, mechanism))
  abort(c("{.arg next_chunk} must be a function that returns the next chunk, or a CSV file.",
          x = "It is {describe(x)}.",
          i = "Reports that are in memory are tallied by {.fn rr_tally}."), "argument")
}

csv_source <- function(x, rows, csv, columns, mechanism) {
  if (!is.list(csv) || (length(csv) && (is.null(names(csv)) || !all(nzchar(names(csv)))))) {
    abort(c("{.arg csv} must be a list of arguments of {.fn utils::read.csv}, with their names.",
            x = "It is {describe(csv)}."),
          "argument")
  }
  taken <- intersect(names(csv), c("file", "text", "nrows", "header", "col.names", "row.names", "stringsAsFactors",
                                   "fill", "skip", "comment.char", "blank.lines.skip"))
  if (length(taken)) abort("{.arg csv} must not set {.arg {taken[1]}}, which reading by blocks needs.", "argument")
  given <- check_classes(csv$colClasses)
  mine <- is.character(x)
  if (mine) x <- open_csv(x, csv)
  opened <- !mine && !isOpen(x)
  if (opened) open(x, "rt")
  csv[c("fileEncoding", "colClasses")] <- NULL
  named <- function(by) if (inherits(by, "formula")) all.vars(by) else by
  # Hexadecimal text would lose its zeros.
  numeric <- is.null(stored_forms(mechanism)) && !inherits(mechanism, "rr_sampled") &&
    (!is.null(mechanism$numeric_levels) || setequal(mechanism$levels, seq_along(mechanism$levels)))
  header <- NULL
  line <- 0
  # A row is a line: other readers would take all between two stray quotes for one field.
  parse <- function(lines, ...) {
    some <- grep("\\S", lines, perl = TRUE, useBytes = TRUE)
    block <- tryCatch(do.call(utils::read.csv, c(list(text = lines[some], header = FALSE, ...), csv)),
                      warning = identity, error = identity)
    if (is.data.frame(block) && nrow(block) == length(some)) return(block)
    quote <- csv$quote %||% "\""
    marks <- nchar(gsub(sprintf("[^%s]", quote), "", lines))
    open <- which(nzchar(quote) & marks %% 2 == 1)[1]
    abort(c("A row of the file is not whole.",
            x = if (!is.na(open)) "Line {format_count(line + open)} has a quote that is not closed on it."
                else if (inherits(block, "condition")) "R says: {conditionMessage(block)}.",
            i = if (!is.na(open)) "A field must not hold the end of a line."), "file")
  }
  # The next lines, of which at least one holds something; NULL at the end.
  next_lines <- function(number) {
    lines <- withCallingHandlers(readLines(x, number), warning = function(w) {
      if (!grepl("incomplete final line", conditionMessage(w), fixed = TRUE)) return()
      warn(c("The file does not end with the end of a line: its last row may be cut off.",
             i = "It is counted as it is. Compare it with where the file comes from."), "file")
      invokeRestart("muffleWarning")
    })
    if (!length(lines)) return(NULL)
    if (nzchar(trimws(lines[1])) || any(nzchar(trimws(lines)))) return(lines)
    line <<- line + length(lines)
    next_lines(number)
  }
  read <- function() {
    if (is.null(header)) {
      lines <- next_lines(1L)
      if (is.null(lines)) return(NULL)
      header <<- unlist(parse(lines, colClasses = "character"), use.names = FALSE)
      line <<- line + 1
      if (anyDuplicated(header)) abort("The first line of the file must name the columns, all differently.", "file")
      unknown <- setdiff(names(given), header)
      if (length(unknown)) abort("{.arg colClasses} names {.val {unknown[1]}}, which is no column.", "argument")
      check_header(setdiff(header, c(named(columns$by), named(columns$weights))), columns$column, mechanism)
    }
    classes <- stats::setNames(rep("character", length(header)), header)
    if (is.null(names(given))) {
      if (length(given)) classes[] <- rep_len(given, length(classes))
    } else {
      classes[names(given)] <- given
    }
    lines <- next_lines(rows)
    if (is.null(lines)) return(NULL)
    block <- parse(lines, col.names = header, colClasses = unname(classes), check.names = FALSE, fill = FALSE)
    line <<- line + length(lines)
    # Numbers may stand in quotes, and with an exponent.
    numbers <- c(named(columns$weights), if (numeric) setdiff(header, named(columns$by)))
    for (name in intersect(numbers, header)) {
      if (is.character(block[[name]])) block[[name]] <- column_numbers(chartr(csv$dec %||% ".", ".", block[[name]]))
    }
    block
  }
  list(read = read, close = function() if (mine) close(x) else if (opened) close(x))
}

# The name of the only column is a report: it would be lost.
check_header <- function(left, column, mechanism) {
  if (!is.null(column) || length(left) != 1L) return(invisible())
  if (!tryCatch(inherits(suppressMessages(rr_tally(left, mechanism)), "rr_tally"), error = function(e) FALSE)) {
    return(invisible())
  }
  abort(c("The first line of the file must name the columns.", x = "It is {.val {left}}, which is a report.",
          i = "If it is the name of the column say so: {.code column = \"{left}\"}."), "file")
}

# A type may be given for some columns by their names, or for all in their order.
check_classes <- function(classes) {
  if (is.null(classes)) return(NULL)
  named <- names(classes)
  if (!is.character(classes) || anyNA(classes) || (!is.null(named) && !all(nzchar(named)))) {
    abort(c("{.arg colClasses} must say types of columns, as text: by the names of columns, or for all in their order.",
            x = if (!is.null(named) && !all(nzchar(named))) "Only some of its entries have names."
                else "It is {describe(classes)}.",
            i = "A type that R finds out for itself may be another one in each block."), "argument")
  }
  classes
}

open_csv <- function(file, csv) {
  file <- check_path(file, "next_chunk")
  if (!file.exists(file)) {
    abort(c("{.arg next_chunk} must be the name of a file that exists.", x = "It is {.file {file}}."), "file")
  }
  base::file(file, "rt", encoding = csv$fileEncoding %||% getOption("encoding"))
}
