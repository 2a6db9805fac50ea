#' Tally reports in chunks
#'
#' Counts reports that do not fit into memory, or that arrive in parts. Each chunk is tallied, its counts are added, and the chunk is forgotten. The memory
#' needed is the size of one chunk and of the tally.
#'
#' A chunk that cannot be tallied (a report that is not a level, a connection that drops) stops the work, and nothing of this chunk is counted. The
#' error then has class `candor_error_chunk` and holds the tally of the chunks before it. Catch the error, take its fields `tally` and `chunk`, correct the fault
#' and continue with `onto`.
#'
#' A chunk that is sent twice is counted twice. The function that returns the chunks can keep their names, and leave out what it returned before.
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
#' @param column,by,weights Columns of chunks that are data frames: names, or formulas such as `~ region`, see [rr_tally()].
#' @param na.rm,keep As for [rr_tally()].
#' @param onto A tally to continue: the chunks are added to it.
#' @param progress Logical. Show a progress bar? It appears if the work takes more than two seconds.
#' @return An object of class `rr_tally`, see [rr_tally()].
#' @section Errors:
#' * `candor_error_chunk`, with the class of the cause: a chunk that cannot be tallied or read. Its fields are `tally` (`NULL` if no chunk was counted), `chunk` (its
#'   number) and `cause`.
#' * `candor_error_mismatch`: an `onto` of another mechanism or other groups. `candor_error_empty`: no chunk. `candor_error_argument`: other arguments.
#' @references The counts of a union of disjoint sets of reports are the sums of their counts; nothing is estimated.
#' @seealso [rr_tally()]; [rr_write()]; `vignette("databases", package = "candor")`.
#' @concept streaming
#' @concept large files
#' @name chunks
#' @aliases rr_tally.function
#' @examples
#' # What do the reports of three days add up to?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' set.seed(1)
#' reports_of <- function(day) {
#'   truths <- sample(mechanism$levels, 1000, replace = TRUE, prob = c(6, 3, 1))
#'   data.frame(day = day, answer = rr_perturb(truths, mechanism, rng = "R"))
#' }
#' day <- 0
#' next_day <- function() if (day < 3) reports_of(day <<- day + 1)
#' tally <- rr_tally(next_day, mechanism, column = "answer")
#' tally   # 3,000 reports
#' # A fourth day is added later
#' late <- function() if (day < 4) reports_of(day <<- day + 1)
#' rr_tally(late, mechanism, column = "answer", onto = tally)   # 4,000 reports
#'
#' # A file, 200 lines at a time
#' csv <- tempfile(fileext = ".csv")
#' write.csv(reports_of(1), csv, row.names = FALSE)
#' connection <- file(csv, "r")
#' columns <- scan(connection, "", sep = ",", nlines = 1, quiet = TRUE)
#' next_lines <- function() {
#'   lines <- readLines(connection, 200)
#'   if (!length(lines)) return(NULL)
#'   read.csv(text = lines, header = FALSE, col.names = columns, colClasses = "character")
#' }
#' rr_tally(next_lines, mechanism, column = "answer")
#' close(connection)
#' @export
rr_tally.function <- function(x, mechanism, ..., column = NULL, weights = NULL, by = NULL, na.rm = FALSE,
                              keep = c("counts", "sets"), onto = NULL, progress = interactive()) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  # Vectors would be those of all chunks.
  if (!is.character(by) && !inherits(by, "formula")) refuse_vector(by, "by")
  if (!is.character(weights) && !inherits(weights, "formula")) refuse_vector(weights, "weights")
  if (!is.null(onto) && !same_mechanism(check_class(onto, "onto", "rr_tally", "a tally")$mechanism, mechanism)) {
    abort(c("{.arg onto} must be of the same mechanism.",
            x = "{mechanism_difference(onto$mechanism, mechanism)}"), "mismatch")
  }
  columns <- list(column = column, by = by, weights = weights)
  columns <- columns[lengths(columns) > 0L]
  bar <- if (check_flag(progress, "progress")) {
    cli::cli_progress_bar(format = "Tallying: {cli::pb_current} chunks in {cli::pb_elapsed}", total = NA, clear = TRUE)
  }
  total <- onto
  number <- 0
  repeat {
    number <- number + 1
    # Nothing is assigned to `total` before a chunk has passed as a whole. A chunk without reports adds nothing.
    added <- tryCatch({
      chunk <- x()
      if (is.null(chunk)) break
      if (length(columns) && !is.data.frame(chunk)) {
        abort("{.arg column}, {.arg by} and {.arg weights} name columns of data frames.", "argument")
      }
      if (report_number(chunk) > 0L) {
        tally <- do.call(rr_tally, c(list(chunk, mechanism, na.rm = na.rm, keep = keep), columns))
        if (is.null(total)) tally else c(total, tally)
      }
    }, error = function(e) abort_chunk(e, number, total))
    total <- added %||% total
    if (progress) cli::cli_progress_update(id = bar)
  }
  total %||% abort("There was no chunk to tally: the function must return reports before it returns NULL.", "empty")
}

# The error of a chunk, with what was counted before it. It is of the class of its cause as well.
abort_chunk <- function(error, number, total) {
  reason <- plain_message(error)
  kind <- sub("^candor_error_", "", grep("^candor_error_", class(error), value = TRUE))
  abort(c("Chunk {format_count(number)} could not be tallied, and nothing of it was counted.", x = "{reason}",
          i = if (!is.null(total)) "Its field {.field tally} has the chunks before: go on with {.arg onto}."),
        c("chunk", kind), tally = total, chunk = number, cause = error)
}
