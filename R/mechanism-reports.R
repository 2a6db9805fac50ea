# The form of a protocol's reports, and the class of reports that are bits or positions, are here.
#
# A protocol declares the form once, as `mechanism$codec`; drawing, reading, counting, queries and
# files follow from it. If a mechanism has no codec, a report is a category, or another package's.

# The codec of a protocol's reports:
#   numbers          columns of whole numbers: c(from, to, by) for each, by name; a single one is a
#                    plain vector
#   width            the number of bits, which stand alone, or beside `numbers` in a column `bits`
#   levels           the labels of the bits, `numeric_levels` if these are numbers
#   columns          the names of columns of bits
#   ones             how many bits are 1, if that is fixed: a report may then be so many positions
#   drawn            how many bits a report has, if not all: a report is so many positions,
#                    negative for a bit of 0
#   log_positive     of drawn bits, the logarithm of the probability that no bit of a report is 0
#   range            the least and the largest report, if a report is a number: its powers are
#                    summed, and `real` is TRUE
#   is_two_valued    TRUE if only these two numbers are reports
#   part             the column that names the submechanism of a report
#   block            the column that names the block of people in which a report was made
report_codec <- function(
  ..., levels = NULL, columns = levels, numeric_levels = NULL, ones = NULL, drawn = NULL,
  log_positive = 0, range = NULL, is_two_valued = FALSE, part = NULL, block = NULL
) {
  numbers <- lapply(list(...), function(range) {
    if (length(range) == 2L) c(range, 1) else range
  })
  list(
    numbers = numbers,
    width = if (!is.null(levels)) as.double(length(levels)),
    levels = levels,
    columns = columns,
    numeric_levels = numeric_levels,
    ones = ones,
    drawn = drawn,
    log_positive = log_positive,
    real = !is.null(range),
    range = range,
    is_two_valued = is_two_valued,
    part = part,
    block = block
  )
}

# The codec of a mechanism, also of another package's protocol, whose reports are stored elsewhere
# as bits of the categories that they support.
stored_codec <- function(mechanism) {
  if (!is.null(mechanism$codec) || !is.null(mechanism$questions)) return(mechanism$codec)
  if (law_gives(rr_law(mechanism), "support")) {
    report_codec(levels = mechanism$levels, numeric_levels = mechanism$numeric_levels)
  }
}

# Are reports bits, or a few positions, and nothing else? A column of text or of a list holds them,
# or several columns.
is_bits <- function(codec) !is.null(codec$width) && !length(codec$numbers)

# The codec of bits that are numbered, beside the cohort that gives them their meaning.
cohort_codec <- function(bits, cohorts) {
  report_codec(
    cohort = c(1, cohorts), levels = number_text(seq_len(bits)),
    columns = filter_columns(bits)
  )
}

filter_columns <- function(number) paste0("bit_", seq_len(number))

codec_bytes <- function(codec) (codec$width + 7) %/% 8

# Is such a report stored as packed bits? A few positions take less room.
packs_bits <- function(codec) {
  is.null(codec$drawn) &&
    (codec$ones %||% Inf) * log2(codec$width) >= codec$width
}

# The columns of a table that a report takes, NULL if it is one: whole numbers, and bits beside
# them.
report_fields <- function(codec) {
  beside <- c(codec$part, codec$block)
  last <- if (!is.null(beside)) "report" else if (!is.null(codec$width)) "bits"
  fields <- c(beside, names(codec$numbers), last)
  if (length(fields) > 1L) fields
}

# The forms in which a table may hold reports that are not one column of categories or whole
# numbers; NULL for these two. Rows of a few numbers are grouped by an engine, and other forms added
# up.
#   columns   the names of the columns of each form; the first that fits is taken
#   alone     the form of a single column of any name
stored_forms <- function(mechanism) {
  codec <- stored_codec(mechanism)
  if (isTRUE(codec$real)) return(list(alone = "number"))
  if (is.null(codec$width)) {
    fields <- report_fields(codec)
    return(if (!is.null(fields)) list(columns = list(rows = fields)))
  }
  beside <- names(codec$numbers)
  forms <- list(
    positions = if (!is.null(codec$drawn)) paste0("position_", seq_len(codec$drawn)),
    text = if (length(beside)) c(beside, "bits"),
    bits = c(beside, codec$columns),
    long = c("id", beside, "level", if (!is.null(codec$drawn)) "bit")
  )
  alone <- if (is.null(codec$drawn)) "text" else if (codec$drawn == 1) "positions"
  list(
    columns = forms[lengths(forms) > 0L],
    alone = if (!length(beside)) alone
  )
}

# The columns as one table: a plain data frame for cohorts and bits, since only that prints columns
# of reports below each other.
join_columns <- function(columns, bits = NULL) {
  if (is.null(bits)) {
    return(if (length(columns) > 1L) as_tibble(columns) else columns[[1]])
  }
  if (!length(columns)) return(bits)
  structure(
    c(columns, list(bits = bits)),
    class = "data.frame",
    row.names = .set_row_names(length(bits))
  )
}

# An error before anything is drawn if reports of a bit a category may need more memory than there
# is. A count copies them, which doubles the need.
check_report_memory <- function(answers, mechanism) {
  check_memory(
    2 * length(answers) * ceiling(length(mechanism$levels) / 8), "x", "Counting these reports"
  )
}

# ---- the class ----

# The reports in `values`, a row each: raw bytes of packed bits, or integer positions. `missing` is
# TRUE for reports that are missing, as a join of tables leaves them, since bits alone cannot show
# it.
new_rr_reports <- function(values, width, missing = NULL) {
  structure(
    values,
    width = as.double(width),
    missing = if (any(missing)) missing,
    class = "rr_reports"
  )
}

report_values <- function(x) {
  attributes(x) <- list(dim = attr(x, "dim"))
  x
}

# To R and to tibble a report is one element: the matrix stays inside.
#' @export
dim.rr_reports <- function(x) NULL

#' @export
is.matrix.rr_reports <- function(x) FALSE

#' @export
is.array.rr_reports <- function(x) FALSE

#' @export
length.rr_reports <- function(x) attr(x, "dim")[1]

#' @export
is.na.rr_reports <- function(x) attr(x, "missing") %||% logical(length(x))

# A position that no report has gives a missing one.
#' @export
`[.rr_reports` <- function(x, i, ...) {
  index <- seq_len(length(x))[if (missing(i)) TRUE else i]
  new_rr_reports(
    report_values(x)[index, , drop = FALSE],
    attr(x, "width"),
    is.na(index) | is.na(x)[index]
  )
}

#' @export
`[[.rr_reports` <- function(x, i, ...) x[i]

# The reports with some replaced, also beyond the last one: rbind() of data frames needs that.
#' @export
`[<-.rr_reports` <- function(x, i, value) {
  index <- seq_len(length(x))
  index[if (missing(i)) TRUE else i] <- length(x) + seq_along(value)
  c(x, value)[index]
}

#' @export
c.rr_reports <- function(...) {
  pieces <- list(...)
  forms <- lapply(pieces, function(x) {
    if (inherits(x, "rr_reports")) {
      c(typeof(x), attr(x, "width"), attr(x, "dim")[2])
    }
  })
  if (length(unique(forms)) > 1L) abort("Only reports of one form can be put together.", "mismatch")
  new_rr_reports(
    do.call(rbind, lapply(pieces, report_values)),
    attr(pieces[[1]], "width"),
    unlist(lapply(pieces, is.na))
  )
}

#' @export
unique.rr_reports <- function(x, ...) x[!duplicated(as.character(x))]

#' @export
as.character.rr_reports <- function(x, ...) {
  values <- report_values(x)
  text <- if (is.raw(values)) {
    .Call(C_rr_to_hex, values)
  } else {
    do.call(paste, unname(as.data.frame(values)))
  }
  replace(text, is.na(x), NA)
}

#' @export
format.rr_reports <- function(x, ...) as.character(x)

#' @export
as.matrix.rr_reports <- function(x, ...) {
  values <- report_values(x)
  if (is.raw(values)) values <- .Call(C_rr_bits_to_matrix, values, attr(x, "width"))
  values[attr(x, "missing"), ] <- NA
  values
}

#' @export
as.list.rr_reports <- function(x, ...) {
  values <- report_values(x)
  report_of <- function(i, is_missing) if (!is_missing) values[i, ]
  Map(report_of, seq_len(nrow(values)), is.na(x))
}

#' @export
as.data.frame.rr_reports <- function(
  x, row.names = NULL, optional = FALSE, ..., nm = deparse1(substitute(x))
) {
  structure(
    list(x),
    names = if (!optional) nm,
    row.names = row.names %||% seq_len(length(x)),
    class = "data.frame"
  )
}

#' @export
print.rr_reports <- function(x, ..., n = 10) {
  values <- report_values(x)
  cat(
    "<rr_reports> ", format_count(length(x)), " reports of ",
    if (!is.raw(values)) paste0(format_count(ncol(values)), " of "),
    format_count(attr(x, "width")), if (is.raw(values)) " bits\n" else " categories\n", sep = ""
  )
  text <- format(x[seq_len(min(length(x), n))])
  if (length(text)) print(short_reports(text), quote = FALSE)
  if (length(x) > n) {
    cat("  ... and ", format_count(length(x) - n), " more\n", sep = "")
  }
  invisible(x)
}

short_reports <- function(text) {
  ifelse(
    nchar(text) > 60, paste0(substr(text, 1, 57), "..."), text
  )
}

# ---- tibble and dplyr ----

# vctrs, which tibble and dplyr cut and bind columns with, gets rows that it can cut. A row that a
# join made of nothing is not `here`.
#' @exportS3Method vctrs::vec_proxy
vec_proxy.rr_reports <- function(x, ...) {
  structure(
    list(values = report_values(x), here = !is.na(x)),
    row.names = seq_len(length(x)),
    class = "data.frame"
  )
}

#' @exportS3Method vctrs::vec_restore
vec_restore.rr_reports <- function(x, to, ...) {
  new_rr_reports(
    x$values,
    attr(to, "width"),
    is.na(x$here) | !x$here
  )
}

# Raw vectors have no order in vctrs; text has.
#' @exportS3Method vctrs::vec_proxy_compare
vec_proxy_compare.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_proxy_order
vec_proxy_order.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_proxy_equal
vec_proxy_equal.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.rr_reports.rr_reports <- function(x, y, ...) c(x[0], y[0])

#' @exportS3Method vctrs::vec_cast
vec_cast.rr_reports.rr_reports <- function(x, to, ...) c(x, to[0])

#' @exportS3Method pillar::pillar_shaft
pillar_shaft.rr_reports <- function(x, ...) {
  pillar::new_pillar_shaft_simple(short_reports(format(x)), align = "left")
}
