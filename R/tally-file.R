#' Tallies in files
#'
#' `rr_write()` writes a tally to a file, `rr_read()` reads it, so that collectors can send tallies to analysts. The file is
#' a short JSON text which other programs can write as well. Reading a file never runs code from it.
#'
#' `rr_read()` returns exactly the tally that was written: whole counts up to \eqn{2^{53}}, sums of weights and probabilities to the last bit. A tally for which this is impossible
#' (a mechanism made by [rr_new_mechanism()], of which the package does not know how it is made; groups that are times with a class of
#' their own; groups or labels of chunks whose bytes are not valid text) is refused when it is written. A file is written under another name first and then moved into place, so that there is never an incomplete file.
#'
#' @section The format:
#' One object in UTF-8, described by the JSON schema in `system.file("schema", "tally-1.json", package = "candor")`:
#'
#' | member | what |
#' |---|---|
#' | `format` | the text `"candor tally"` |
#' | `version` | the number 1; files of higher versions are refused |
#' | `mechanism` | an object: its `kind`, such as `"grr"`, and the arguments that make it, such as `levels` and `epsilon` |
#' | `groups` | for a grouped tally: an array of objects, one per column, with `name`, `type` (`"text"`, `"number"`, `"integer"`, `"logical"`, `"factor"`, `"ordered"`, `"date"`, `"time"`) and `values`; for factors also `levels`, for times (seconds since 1970 in UTC) also `tz` |
#' | `n` | the number of respondents, or the sum of their weights: an array with one number per group, or one number |
#' | `counts` | an array of counts in the order of the mechanism's reports; for a grouped tally an array of such arrays |
#' | `weight_squares`, `respondents` | of weighted reports, as `n`: sum of the squared weights, and number of respondents (which may be left out) |
#' | `missing` | the number of missing reports that were dropped; may be left out |
#' | `witness` | of [rr_local_hash()] the number of different hash functions, of [rr_mean()] that of reports outside of the range of answers: tells clients that do not randomise; may be left out |
#' | `chunks` | the labels of the chunks that were counted, see [chunks]; may be left out |
#' | `sets` | of `rr_tally(keep = "sets")`: for each group an object with `bits` (hexadecimal text, see below) and `times`; may be left out |
#' | `checksum` | the last member; may be left out: `"md5:"` and the MD5 sum, in 32 hexadecimal digits, of all bytes of the file before `"checksum"` |
#'
#' The members of `mechanism` are named as the arguments of the constructors. `levels` are labels, of at most 10,000 bytes as those of groups, or the number of categories. The yes/no designs are of kind
#' `"binary"` with `p` and `q`; forced response and unrelated questions have `truth` and `innocuous`; any channel has its `matrix`, whose rows are truths;
#' `"product"` has `questions`, an array of objects with `name` and `mechanism`.
#'
#' `bits` has a text for each different report. The bytes are the [packed bits][rr_reports] of the categories that the report supports; of [rr_bitflip()] the buckets whose bit is
#' 1, then those that were drawn; of [rr_bloom()] the bits of the report, then the cohort in four bytes, the least first; of [rr_hierarchy()] the depth in one byte, then the report
#' in the form of its own depth, then zeros up to the longest. (Where a depth has reports that are categories, the depth is all that is kept: the counts say the rest.) What is read must add up to
#' the counts.
#'
#' The checksum shows whether a file was damaged. It does not prove who wrote the file.
#'
#' @param tally A tally of [rr_tally()], [rr_counts()] or [rr_pool()].
#' @param file The name of a file.
#' @param ... Not used, and refused.
#' @return `rr_write()` the tally, invisibly. `rr_read()` an object of class `rr_tally`, see [rr_tally()].
#' @section Errors:
#' `candor_error_file` for a file that is no tally, with the reason: not JSON or cut off, of a newer version, with another checksum, counts that
#' are negative, do not add up to `n`, or are whole numbers above \eqn{2^{53}} without exponent, wrong lengths, probabilities that are none, members that are not known; for a tally that cannot be written, and a
#' place that cannot be written to. `candor_error_argument` for anything but a tally and the name of a file; `candor_error_package` where
#' jsonlite is not installed.
#' @source Bray, T. (2017). The JavaScript Object Notation (JSON) data interchange format. RFC 8259. \doi{10.17487/RFC8259}
#'
#'   Ooms, J. (2014). The jsonlite package: a practical and consistent mapping between JSON data and R objects. arXiv:1403.2805, which reads it.
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' tally <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' file <- tempfile(fileext = ".json")
#' rr_write(tally, file)
#' cat(readLines(file), sep = "\n")
#' identical(rr_read(file), tally)
#'
#' # Tallies of several collectors are merged
#' c(rr_read(file), rr_read(file))
#'
#' # What another program needs to write
#' writeLines('{"format": "candor tally", "version": 1, "n": 310, "counts": [112, 198],
#'   "mechanism": {"kind": "binary", "levels": ["no", "yes"], "p": 0.25, "q": 0.75}}', file)
#' rr_read(file)
#' @export
rr_write <- function(tally, file, ...) {
  check_dots_empty(...)
  if (!inherits(tally, "rr_tally")) {
    abort(c("{.arg tally} must be a tally.", x = "It is {describe(tally)}.",
            i = "{tally_remedy(tally)}"), "argument")
  }
  file <- check_path(file)
  check_installed("jsonlite", "to write a tally")
  text <- tally_text(tally)
  # A file that would not give the same tally is not written.
  back <- tryCatch(read_tally(charToRaw(text)), error = identity)
  if (inherits(back, "error") || !same_tally(back, tally)) {
    reason <- if (inherits(back, "error")) plain_message(back) else "It would not come back as it is."
    abort(c("This tally cannot be written.", x = "{reason}",
            i = "Write {.code as.data.frame(tally)}, and give it to {.fn rr_counts} with the mechanism."), "file")
  }
  write_whole(text, file)
  invisible(tally)
}

#' @rdname rr_write
#' @export
rr_read <- function(file, ...) {
  check_dots_empty(...)
  file <- check_path(file)
  check_installed("jsonlite", "to read a tally")
  if (!file.exists(file) || dir.exists(file)) {
    abort(c("{.arg file} must be the name of a file that exists.", x = "It is {.file {file}}."), "file")
  }
  tryCatch(read_tally(readBin(file, "raw", file.size(file))), error = function(e) {
    reason <- plain_message(e)
    abort(c("{.file {file}} holds no tally that can be read.", x = "{reason}"), "file")
  })
}

# ---- writing ----

tally_text <- function(tally) {
  array <- function(x) if (!is.null(x)) if (is.null(tally$groups)) as.double(x) else I(as.double(x))
  counts <- if (is.null(tally$groups)) I(tally$counts)
    else lapply(seq_len(ncol(tally$counts)), function(g) I(tally$counts[, g]))
  members <- list(format = tally_format, version = tally_version, mechanism = mechanism_recipe(tally$mechanism),
                  groups = if (!is.null(tally$groups)) group_columns(tally$groups),
                  n = array(tally$n), weight_squares = array(tally$weight_squares),
                  respondents = array(tally$respondents),
                  missing = as.double(tally$missing), witness = tally$witness,
                  chunks = if (!is.null(tally$chunks)) I(tally$chunks),
                  counts = counts, sets = if (!is.null(tally$sets)) lapply(tally$sets, set_members))
  members <- members[!vapply(members, is.null, NA)]
  lines <- paste0("  ", vapply(names(members), json_text, ""), ": ", vapply(members, json_text, ""), collapse = ",\n")
  text <- paste0("{\n", lines, ",\n  ")
  paste0(text, "\"checksum\": \"md5:", md5(charToRaw(enc2utf8(text))), "\"\n}\n")
}

set_members <- function(sets) list(bits = I(.Call(C_rr_to_hex, sets$bits)), times = I(sets$times))

group_columns <- function(groups) unname(Map(group_column, names(groups), as.list(groups)))

group_column <- function(name, key) {
  type <- if (inherits(key, "Date")) "date"
    else if (inherits(key, "POSIXct")) "time"
    else if (is.ordered(key)) "ordered"
    else if (is.factor(key)) "factor"
    else if (is.object(key)) NA
    else switch(typeof(key), character = "text", integer = "integer", double = "number", logical = "logical", NA)
  if (is.na(type)) {
    abort(c("Groups of class {.cls {class(key)[1]}} cannot be written.", x = "{.val {name}} is such a column.",
            i = "Make it text."), "file")
  }
  values <- switch(type, date = , factor = , ordered = as.character(key), time = as.double(key), key)
  c(list(name = name, type = type, values = I(values)),
    if (is.factor(key)) list(levels = I(levels(key))),
    if (type == "time") list(tz = attr(key, "tzone")[1] %||% ""))
}

# Alike in all that counts; whole numbers may be kept as integers, and dates may be.
same_tally <- function(x, y) {
  plain <- function(tally) {
    fields <- unclass(tally)
    fields$missing <- as.double(fields$missing)
    fields["groups"] <- list(if (!is.null(fields$groups)) lapply(as.list(fields$groups), function(key) {
      if (inherits(key, c("Date", "POSIXct"))) storage.mode(key) <- "double"
      if (inherits(key, "POSIXct")) attr(key, "tzone") <- attr(key, "tzone")[1] %||% ""
      key
    }))
    fields[sort(names(fields))]
  }
  same_mechanism(x$mechanism, y$mechanism) && identical(plain(x), plain(y))
}
