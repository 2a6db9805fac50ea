#' Tally reports in chunks
#'
#' Counts reports that do not fit into memory, or that arrive in parts. Each chunk is tallied, its counts are added, and the chunk is forgotten. The memory
#' needed is the size of one chunk and of the tally.
#'
#' A chunk that cannot be tallied (a report that is not a level, a connection that drops) stops the work, and nothing of this chunk is counted. The
#' error then has class `candor_error_chunk` and holds the tally of the chunks before it. Catch the error, take its fields `tally` and `chunk`, correct the fault
#' and continue with `onto`.
#'
#' @section Labels:
#' A chunk that is sent twice would be counted twice. `label` identifies a chunk, for example by a day, a file or a batch number. A chunk whose label the
#' tally already holds is left out, with a message. Tallies keep their labels, including in files ([rr_write()]). Tallies that share a label are not merged by `c()`, unless
#' they are of different groups. Some groups of a tally, as in `tally["north"]`, keep all its labels. Two chunks of one run with the same label give an error.
#'
#' Labels are compared as text: numbers without an exponent (`1e5` and `100000L` are `"100000"`), dates as `"2026-01-31"`, times in UTC with fractions of a second.
#'
#' @section Files:
#' Any reader of files can make the chunks. Read columns as text, as in the last example: a reader that guesses types in each block may turn one group into two, such
#' as `"01"` and `1`. A database such as DuckDB counts files directly, see [rr_tally()].
#'
#' @section Several reports of one respondent:
#' Chunks of different days may hold reports of the same people. Their sum is not a sample of different respondents, and its standard errors are too small. Estimate
#' each day alone (`by`), or see [rr_tally()].
#'
#' @param x A function without arguments that returns the next chunk, in any form that [rr_tally()] takes, and `NULL` if there are no more.
#' @param mechanism How the answers were randomized.
#' @param ... Must be empty.
#' @param column,by,count,weights Columns of chunks that are data frames: names, or formulas such as `~ region`, see [rr_tally()].
#' @param na.rm,keep As for [rr_tally()].
#' @param onto A tally to continue: the chunks are added to it.
#' @param label A function of a chunk that returns its label, one text or number; or `NULL` (default), without labels.
#' @param progress Logical. Show a progress bar? It appears if the work takes more than two seconds.
#' @return An object of class `rr_tally`, see [rr_tally()]. With `label` it has an element `chunks`, the labels.
#' @section Errors:
#' * `candor_error_chunk`, with the class of the cause: a chunk that cannot be tallied or read. Its fields are `tally` (`NULL` if no chunk was counted), `chunk` (its
#'   number) and `cause`.
#' * `candor_error_mismatch`: an `onto` of another mechanism or other groups. `candor_error_empty`: no chunk. `candor_error_argument`: other arguments.
#' @references The counts of a union of disjoint sets of reports are the sums of their counts; nothing is estimated.
#' @seealso [rr_tally()]; [rr_write()]; `articles/databases.html` of the site.
#' @concept streaming
#' @concept large files
#' @name chunks
#' @aliases rr_tally.function
#' @examples
#' # What do the reports of three days add up to?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' set.seed(1)
#' reports_of <- function(day) {
#'   truths <- sample(mechanism$levels, 1000, replace = TRUE,
#'                    prob = c(6, 3, 1))
#'   data.frame(day = day, answer = rr_perturb(truths, mechanism, rng = "R"))
#' }
#' day_of <- function(chunk) chunk$day[1]
#' day <- 0
#' next_day <- function() if (day < 3) reports_of(day <<- day + 1)
#' tally <- rr_tally(next_day, mechanism, column = "answer", label = day_of)
#' tally   # 3,000 reports
#' # The third day is sent again, with a fourth: it is counted once
#' day <- 2
#' late <- function() if (day < 4) reports_of(day <<- day + 1)
#' rr_tally(late, mechanism, column = "answer", label = day_of, onto = tally)
#' # 4,000 reports
#'
#' # A file without quoted fields, 200 lines at a time. Without quote = "" an
#' # inch mark would open a field that ends at the next inch mark, and take
#' # the rows between with it.
#' csv <- tempfile(fileext = ".csv")
#' write.csv(reports_of(1), csv, row.names = FALSE, quote = FALSE)
#' connection <- file(csv, "r")
#' columns <- scan(connection, "", sep = ",", nlines = 1, quiet = TRUE)
#' next_lines <- function() {
#'   lines <- readLines(connection, 200)
#'   if (!length(lines)) return(NULL)
#'   read.csv(text = lines, header = FALSE, col.names = columns,
#'            colClasses = "character", quote = "")
#' }
#' rr_tally(next_lines, mechanism, column = "answer")
#' close(connection)
#' @export
rr_tally.function <- function(
  x,
  mechanism,
  ...,
  column = NULL,
  count = NULL,
  weights = NULL,
  by = NULL,
  na.rm = FALSE,
  keep = c("counts", "sets"),
  onto = NULL,
  label = NULL,
  progress = interactive()
) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  check_that(is.null(label) || is.function(label), label, "label", "a function of a chunk")
  # A vector would hold the values of all chunks.
  columns <- list(column = column, by = by, weights = weights, count = count)
  for (name in c("by", "weights", "count")) {
    if (!is.character(columns[[name]]) && !inherits(columns[[name]], "formula")) {
      refuse_vector(columns[[name]], name)
    }
  }
  if (!is.null(onto)) check_onto(onto, mechanism)
  columns <- columns[lengths(columns) > 0L]
  tally_chunk <- function(chunk) {
    if (length(columns) && !is.data.frame(chunk)) abort("Columns can be named in data frames only.")
    do.call(rr_tally, c(list(chunk, mechanism, na.rm = na.rm, keep = keep), columns))
  }
  check_flag(progress, "progress")
  total <- tally_chunks(x, tally_chunk, onto, label, progress)
  total %||% abort(
    "There was no chunk to tally: the function must return reports before it returns NULL.", "empty"
  )
}

check_onto <- function(onto, mechanism) {
  check_class(onto, "onto", "rr_tally", "a tally")
  if (!same_mechanism(onto$mechanism, mechanism)) {
    abort(c("{.arg onto} must be of the same mechanism.",
            x = "{mechanism_difference(onto$mechanism, mechanism)}"), "mismatch")
  }
}

# The tally of all chunks that `x` returns before NULL, added to `total`; NULL if there is neither.
tally_chunks <- function(x, tally_chunk, total, label, progress) {
  bar <- if (progress) {
    cli::cli_progress_bar(
      format = "Tallying: {cli::pb_current} chunks in {cli::pb_elapsed}", total = NA, clear = TRUE
    )
  }
  index <- 0
  # The labels of this run, and those whose chunks were counted before.
  seen <- repeated <- character()
  repeat {
    index <- index + 1
    # Nothing is assigned to `total` before a chunk has passed as a whole.
    result <- tryCatch(
      {
        chunk <- x()
        if (!is.null(chunk)) {
          add_chunk(
            total, chunk, if (!is.null(label)) chunk_label(label(chunk)), seen, tally_chunk
          )
        }
      },
      error = function(e) abort_chunk(e, index, total)
    )
    if (is.null(result)) break
    total <- result$tally
    seen <- c(seen, result$name)
    if (result$is_repeated) repeated <- c(repeated, result$name)
    if (progress) cli::cli_progress_update(id = bar)
  }
  inform_repeated_chunks(repeated)
  total
}

inform_repeated_chunks <- function(labels) {
  if (length(labels)) {
    cli::cli_inform(
      c(
        "{length(labels)} chunk{?s} that {?was/were} counted before {?is/are} left out.",
        i = "{cli::qty(labels)}{?Its label is/Their labels are} {format_labels(labels)}."
      ),
      class = "candor_message_chunks"
    )
  }
}

# list(tally, is_repeated, name): the tally with this chunk, or without it if it was counted before.
# `name` is the text of its label.
add_chunk <- function(total, chunk, name, seen, tally_chunk) {
  # A chunk without reports is none: what comes under its label later counts.
  if (report_number(chunk) == 0L) return(list(tally = total, is_repeated = FALSE))
  # Two chunks of one run with one label are rather parts of a day than the same reports: to leave
  # one out would lose them.
  if (!is.null(name) && name %in% seen) {
    abort("{.arg label} must return another label for each chunk, and {.val {name}} comes twice.")
  }
  if (!is.null(name) && name %in% total$chunks) {
    return(list(tally = total, is_repeated = TRUE, name = name))
  }
  tally <- tally_chunk(chunk)
  tally$chunks <- name
  list(
    tally = if (is.null(total)) tally else c(total, tally),
    is_repeated = FALSE,
    name = name
  )
}

# The same text for the same label, whatever its type: integer or double, factor or text, a time in
# any zone.
chunk_label <- function(label) {
  is_valid <- is.character(label) || is.numeric(label) || is.factor(label) ||
    inherits(label, c("Date", "POSIXct"))
  check_that(
    is_valid && length(label) == 1L && !is.na(label), label, "label",
    "one text or number for each chunk"
  )
  if (inherits(label, "POSIXct")) {
    # The text is in UTC, with its fraction of a second if it has one, to the microsecond.
    micros <- round(as.double(label) * 1e6)
    text <- format(.POSIXct(micros %/% 1e6, "UTC"), "%Y-%m-%d %H:%M:%S", tz = "UTC")
    return(paste0(
      text, if (micros %% 1e6) sub("0+$", "", sprintf(".%06.0f", micros %% 1e6)),
      " UTC"
    ))
  }
  if (is.numeric(label)) return(number_text(label))
  check_text(as.character(label), "label")
}

# The error of a chunk, with what was counted before it. It is of the class of its cause as well.
abort_chunk <- function(error, index, total) {
  reason <- plain_message(error)
  kind <- sub("^candor_error_", "", grep("^candor_error_", class(error), value = TRUE))
  abort(
    c(
      "Chunk {format_count(index)} could not be tallied, and nothing of it was counted.",
      x = "{reason}",
      i = if (!is.null(total)) {
        "Its field {.field tally} has the chunks before: go on with {.arg onto}."
      }
    ),
    c("chunk", kind), tally = total, chunk = index, cause = error
  )
}
