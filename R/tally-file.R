#' Tallies and mechanisms in files
#'
#' `rr_write()` writes a tally or a mechanism to a file, and `rr_read()` reads it, so that designs can be sent to collectors and tallies to analysts. The file is
#' a short JSON text that other programs can write. Reading a file never runs code from it.
#'
#' `rr_read()` returns exactly the tally that was written, to the last bit. A tally for which this is impossible gives an error when it is written: a mechanism of
#' [rr_new_mechanism()], groups that are times with a class of their own, or text that is not valid. A file is written under another name first and then moved, so that there is never
#' an incomplete file.
#'
#' @section The format:
#' One object in UTF-8, described by the JSON schema in `system.file("schema", "tally-1.json", package = "candor")`:
#'
#' * `format`, `version`: the text `"candor tally"`, or `"candor mechanism"`, and the number 1.
#' * `mechanism`: an object: `constructor`, the name of a function such as `"rr_grr"`, and `arguments`, an object of its arguments.
#' * `groups`: for a grouped tally: an array of objects, one per column, with `name`, `type` (`"text"`, `"number"`, `"integer"`, `"logical"`, `"factor"`,
#'   `"ordered"`, `"date"`, `"time"`) and `values`. Factors also have `levels`, and times (seconds since 1970 in UTC) have `tz`.
#' * `n`: the number of respondents, or the sum of their weights: one number, or an array with one per group.
#' * `counts`: an array of counts in the order of the mechanism's reports; for a grouped tally an array of such arrays.
#' * `weight_squares`, `respondents`: of weighted reports, as `n`: sum of the squared weights, and number of respondents (optional).
#' * `missing`: optional: the number of missing reports that were dropped.
#' * `witness`: optional: of [rr_local_hash()] the number of different hash functions, of [rr_mean()] of reports outside the range of answers; reveals clients
#'   that do not randomize.
#' * `chunks`: optional: the labels of the chunks that were counted, see [`?chunks`][chunks].
#' * `sets`: of `rr_tally(keep = "sets")`: for each group an object with `bits` and `times`.
#' * `blocks`: of [rr_dealt()]: for each group an object with `label` and `counts`, an array of counts for each block.
#' * `checksum`: optional, the last member: `"md5:"` and the MD5 sum, in 32 hexadecimal digits, of all bytes of the file before `"checksum"`; required with `sets`.
#'
#' `constructor` is a function of this package that makes a mechanism, or `"rr_pool"` with the arguments `designs` and `shares`. Its arguments are written so:
#'
#' * Vectors are arrays. A matrix is an array of its rows, or an object of `matrix`, `rows` and `columns` (names). An argument that is left out has its default.
#' * An ordered factor is an object whose member `ordered` is the array of its labels. Labels have at most 10,000 bytes.
#' * Mechanisms are objects as `mechanism` is. [rr_product()] has the argument `questions`, an object of mechanisms in order. The
#'   `oracle` of [rr_hierarchy()] is an array of the mechanisms of its depths.
#'
#' `bits` has a hexadecimal text for each different report: the [packed bits][rr_reports] of the categories that it supports, except for these mechanisms:
#'
#' * [rr_bitflip()]: the buckets whose bit is 1, then the buckets that were drawn.
#' * [rr_bloom()]: the bits of the report, then the cohort in four bytes, the lowest first.
#' * [rr_hierarchy()]: the depth in one byte, the report in the form of its depth, then zeros up to the longest; the depth alone if its reports are categories.
#'
#' The checksum shows whether a file was damaged. It does not prove who wrote the file.
#'
#' @param tally A tally of [rr_tally()], [rr_counts()] or [rr_pool()]; or a mechanism.
#' @param file Name of a file.
#' @param ... Must be empty.
#' @return `rr_write()`: the tally or mechanism, invisibly. `rr_read()`: the tally (an object of class `rr_tally`, see [rr_tally()]) or the mechanism.
#' @section Errors:
#' * `candor_error_file`: a file that is not a valid tally, a tally that cannot be written, or a place that cannot be written to; with the reason.
#' * `candor_error_argument`: anything but a tally or a mechanism. `candor_error_package`: jsonlite is not installed.
#' @references Bray, T. (2017). The JavaScript Object Notation (JSON) data interchange format. RFC 8259. \doi{10.17487/RFC8259}
#'
#'   Ooms, J. (2014). The jsonlite package: a practical and consistent mapping between JSON data and R objects. arXiv:1403.2805
#' @seealso [rr_tally()]; [`?chunks`][chunks].
#' @concept JSON
#' @concept exchange of data
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' # How does a collector send a tally to the analyst?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' tally <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' file <- tempfile(fileext = ".json")
#' rr_write(tally, file)
#' cat(readLines(file), sep = "\n")
#' identical(rr_read(file), tally)   # TRUE
#'
#' # Tallies of several collectors are merged
#' c(rr_read(file), rr_read(file))
#'
#' # What another program needs to write
#' writeLines('{
#'   "format": "candor tally", "version": 1, "n": 310, "counts": [112, 198],
#'   "mechanism": {"constructor": "rr_crosswise", "arguments": {"p": 0.25}}
#' }', file)
#' rr_read(file)
#' @srrstats {G4.0} The file has the name that it is given: tallies have no customary suffix, and none is added.
#' @export
rr_write <- function(tally, file, ...) {
  check_dots_empty(...)
  if (!inherits(tally, c("rr_tally", "rr_mechanism"))) {
    must_be(tally, "tally", "a tally or a mechanism", remedy = tally_remedy(tally))
  }
  file <- check_path(file)
  check_installed("jsonlite", "to write a tally")
  design <- function(x) if (inherits(x, "rr_tally")) x$mechanism else x
  text <- tally_text(tally)
  # A file that would not give the same object is not written.
  back <- tryCatch(read_tally(charToRaw(text)), error = plain_message)
  is_same <- !is.character(back) && same_mechanism(design(back), design(tally)) &&
    identical(tally_text(back), text)
  if (!is_same) {
    abort(
      c(
        "This object cannot be written, or would not come back as it is.",
        x = if (is.character(back)) "{back}"
      ),
      "file"
    )
  }
  write_file(text, file)
  invisible(tally)
}

#' @rdname rr_write
#' @export
rr_read <- function(file, ...) {
  check_dots_empty(...)
  file <- check_path(file)
  check_installed("jsonlite", "to read a tally")
  if (!file.exists(file) || dir.exists(file)) {
    abort("{.arg file} must be a file that exists: {.file {file}}.", "file")
  }
  tryCatch(read_tally(readBin(file, "raw", file.size(file))), error = function(e) {
    reason <- plain_message(e)
    abort(c("{.file {file}} holds no tally that can be read.", x = "{reason}"), "file")
  })
}

# ---- writing ----

tally_format <- "candor tally"
mechanism_format <- "candor mechanism"
tally_version <- 1

tally_text <- function(tally) {
  if (inherits(tally, "rr_mechanism")) {
    return(signed_text(
      list(format = mechanism_format, version = tally_version, mechanism = plain_argument(tally))
    ))
  }
  if (!is.null(tally$labels)) {
    abort("A tally with labels by groups, or of a design, cannot be written to a file.")
  }
  array <- function(x) {
    if (!is.null(x)) {
      if (is.null(tally$groups)) as.double(x) else I(as.double(x))
    }
  }
  counts <- if (is.null(tally$groups)) {
    I(tally$counts)
  } else {
    lapply(seq_len(ncol(tally$counts)), function(g) {
      I(tally$counts[, g])
    })
  }
  members <- list(
    format = tally_format,
    version = tally_version,
    mechanism = plain_argument(tally$mechanism),
    groups = if (!is.null(tally$groups)) {
      unname(Map(group_column, names(tally$groups), tally$groups))
    },
    n = array(tally$n),
    weight_squares = array(tally$weight_squares),
    respondents = array(tally$respondents),
    missing = as.double(tally$missing),
    witness = tally$witness,
    chunks = if (!is.null(tally$chunks)) I(tally$chunks),
    counts = counts,
    sets = if (!is.null(tally$sets)) lapply(tally$sets, set_members),
    blocks = if (!is.null(tally$blocks)) lapply(tally$blocks, block_members)
  )
  signed_text(members[!vapply(members, is.null, NA)])
}

set_members <- function(sets) {
  list(
    bits = I(.Call(C_rr_to_hex, sets$bits)),
    times = I(sets$times)
  )
}

signed_text <- function(members) {
  lines <- paste0(
    "  ", vapply(names(members), json_text, ""), ": ",
    vapply(members, json_text, ""), collapse = ",\n"
  )
  text <- paste0("{\n", lines, ",\n  ")
  paste0(text, "\"checksum\": \"md5:", cli::hash_raw_md5(charToRaw(enc2utf8(text))), "\"\n}\n")
}

# The arguments of a constructor as lists, arrays and numbers for JSON.
plain_argument <- function(x) {
  if (inherits(x, "rr_mechanism")) {
    return(list(
      constructor = x$recipe$constructor,
      arguments = lapply(made_arguments(x), plain_argument)
    ))
  }
  if (is.ordered(x)) return(list(ordered = I(levels(x))))
  if (is.matrix(x)) {
    rows <- lapply(seq_len(nrow(x)), function(i) {
      I(unname(x[i, ]))
    })
    names <- list(rows = rownames(x), columns = colnames(x))
    return(if (is.null(dimnames(x))) {
      rows
    } else {
      c(list(matrix = rows), names[lengths(names) > 0])
    })
  }
  if (is.list(x)) lapply(x, plain_argument) else unname(x)
}

# The arguments that made a mechanism, see with_recipe().
made_arguments <- function(mechanism) {
  recipe <- mechanism$recipe
  if (is.null(recipe)) {
    abort(c(
      "A mechanism of class {.cls {class(mechanism)[1]}} cannot be written.",
      i = if (law_gives(rr_law(mechanism), "channel")) {
        "Its matrix can: {.code rr_channel(rr_matrix(mechanism))} has the same law."
      }
    ), "file")
  }
  value <- function(field) {
    switch(field, levels = level_argument(mechanism),
           reports = level_value(mechanism$reports, mechanism$numeric_levels),
           matrix = unname(mechanism$matrix), mechanism[[field]])
  }
  names <- if (is.null(names(recipe$fields))) recipe$fields else names(recipe$fields)
  names[!nzchar(names)] <- recipe$fields[!nzchar(names)]
  c(setNames(lapply(unname(recipe$fields), value), names), recipe$arguments)
}

# The type of a group's column in a file, by the class of a key.
group_types <- c(
  character = "text", numeric = "number", integer = "integer", logical = "logical",
  factor = "factor", ordered = "ordered", Date = "date", POSIXct = "time"
)

group_column <- function(name, key) {
  type <- unname(group_types[class(key)[1]])
  if (is.na(type)) {
    abort("Groups of class {.cls {class(key)[1]}}, as {.val {name}}, cannot be written.", "file")
  }
  values <- switch(
    type,
    date = ,
    factor = ,
    ordered = as.character(key),
    time = as.double(key),
    key
  )
  c(list(name = name, type = type, values = I(values)),
    if (is.factor(key)) list(levels = I(levels(key))),
    if (type == "time") list(tz = attr(key, "tzone")[1] %||% ""))
}

# ---- reading ----

read_tally <- function(bytes) {
  text <- rawToChar(bytes)
  # Text would end at a character U+0000.
  if (!validUTF8(text) || grepl("(?<!\\\\)(\\\\\\\\)*\\\\u0000", text, perl = TRUE)) {
    abort("It is not text in UTF-8, or holds the character U+0000.", "file")
  }
  Encoding(text) <- "UTF-8"
  if (has_half_character(text)) abort("A text of it has half of a character.", "file")
  object <- tryCatch(parse_json_text(text), error = function(e) {
    abort("It is not JSON, or was cut off.", "file")
  })
  has_format <- is.list(object) && isTRUE(object[["format"]] %in% c(tally_format, mechanism_format))
  if (!has_format || !identical(object[["version"]], tally_version)) {
    abort(
      "It is not of {.field format} {.val {tally_format}} and {.field version} {tally_version}.",
      "file"
    )
  }
  check_checksum(bytes, needed = !is.null(object[["sets"]]))
  if (object[["format"]] == tally_format) return(make_tally(object))
  read_mechanism(
    file_members(object, c("format", "version", "mechanism"), "checksum", "file")$mechanism
  )
}

# An error if the checksum is wrong. It is the last member, the sum of all bytes before its name.
# Names and texts have no quotes inside that are not escaped. Only the checksum shows that the sets
# are those that were counted.
check_checksum <- function(bytes, needed) {
  starts <- grepRaw("\"checksum\"[ \t\r\n]*:", bytes, all = TRUE)
  if (!length(starts) && needed) {
    abort("A file with {.field sets} must have its {.field checksum}.", "file")
  }
  if (!length(starts)) return(invisible())
  start <- starts[length(starts)]
  tail <- rawToChar(bytes[start:length(bytes)])
  pattern <- "^\"checksum\"[ \t\r\n]*:[ \t\r\n]*\"md5:([0-9a-f]{32})\"[ \t\r\n]*[}][ \t\r\n]*$"
  checksum <- cli::hash_raw_md5(bytes[seq_len(start - 1)])
  if (!grepl(pattern, tail) || sub(pattern, "\\1", tail) != checksum) {
    abort(
      paste(
        "Its {.field checksum} is of another text, or not the last member:",
        "the file was changed or damaged."
      ),
      "file"
    )
  }
}

make_tally <- function(object) {
  m <- file_members(
    object, c("format", "version", "mechanism", "n", "counts"),
    c(
      "groups", "weight_squares", "respondents", "missing", "witness", "chunks", "sets", "blocks",
      "checksum"
    ),
    "file"
  )
  check_sizes(m$mechanism, length(unlist(m$counts)))
  mechanism <- read_mechanism(m$mechanism)
  if (!is.null(mechanism$questions)) check_joint(mechanism)
  groups <- if (!is.null(m$groups)) read_groups(m$groups, mechanism)
  n_groups <- if (is.null(groups)) 1L else nrow(groups)
  counts <- read_counts(m$counts, groups, length(mechanism$reports))
  n <- file_numbers(m$n, "n", n_groups)
  optional_numbers <- function(name, is_whole = FALSE) {
    if (!is.null(m[[name]])) file_numbers(m[[name]], name, n_groups, is_whole)
  }
  squares <- optional_numbers("weight_squares")
  respondents <- optional_numbers("respondents", is_whole = TRUE)
  if (is.null(squares) && !is.null(respondents)) {
    abort("{.field respondents} needs {.field weight_squares}.", "file")
  }
  check_adds_up(counts, n, squares, respondents, mechanism)
  tally <- new_rr_tally(
    mechanism,
    counts,
    groups = groups,
    weight_squares = squares,
    n = n,
    respondents = respondents,
    missing = check_count(m$missing %||% 0, "missing")
  )
  with_file_fields(tally, m)
}

# A tally with the fields that only some files have beside counts.
with_file_fields <- function(tally, m) {
  if (!is.null(m$witness)) tally$witness <- check_count(m$witness, "witness")
  if (!is.null(m$sets)) tally$sets <- read_kept_sets(m$sets, tally)
  if (!is.null(m$blocks)) {
    tally <- with_blocks(tally, read_blocks(m$blocks, tally))
  }
  if (anyDuplicated(m$chunks)) abort("{.field chunks} must be labels that all differ.", "file")
  if (!is.null(m$chunks)) tally$chunks <- as.character(m$chunks)
  tally
}

# The members of an object, checked: all that are required, none that is not known, none twice.
file_members <- function(object, required, optional = character(), noun) {
  names <- names(object)
  absent <- setdiff(required, names)
  if (!is.list(object) || length(absent)) {
    abort("The {noun} must have the member {.field {absent[1]}}.", "file")
  }
  stray <- c(setdiff(names, c(required, optional)), names[duplicated(names)])
  if (length(stray)) {
    abort("The {noun} has a member that is not known, or twice: {describe(stray[1])}.", "file")
  }
  object
}

# ---- mechanisms: constructors, which check their arguments ----

file_constructors <- c(
  "rr_binary", "rr_bitflip", "rr_bloom", "rr_channel", "rr_cheater_detection", "rr_compose",
  "rr_count_mean_sketch", "rr_crosswise", "rr_dealt", "rr_forced", "rr_geometric", "rr_grr",
  "rr_hadamard", "rr_hierarchy", "rr_kuk", "rr_lie_detector", "rr_local_hash", "rr_longitudinal",
  "rr_mangat", "rr_mean", "rr_misclassification", "rr_noncompliance", "rr_pool", "rr_prefixes",
  "rr_product", "rr_projective", "rr_sample_questions", "rr_scramble", "rr_square_wave",
  "rr_subset", "rr_triangular", "rr_unary", "rr_unrelated", "rr_warner"
)

# An error if a mechanism is larger than the file's number of `counts`. A file with fewer counts
# cannot hold its tally, and making the mechanism to see so might take all memory. Categories that
# share bits or buckets may be more than the counts.
check_sizes <- function(object, counts) {
  if (!is.list(object)) return(invisible())
  sizes <- c(
    "bits", "buckets", "cohorts", "reports",
    if (!any(c("bits", "buckets") %in% names(object))) "levels"
  )
  large <- Filter(
    function(size) is_number(size) && size > max(counts, 1000),
    object[intersect(sizes, names(object))]
  )
  if (length(large)) {
    abort(
      paste(
        "{.field {names(large)[1]}} is {format_count(large[[1]])},",
        "but the file has {number_of(counts, 'count')}."
      ),
      "file"
    )
  }
  for (element in object) check_sizes(element, counts)
}

read_mechanism <- function(object) {
  m <- file_members(object, c("constructor", "arguments"), noun = "mechanism")
  name <- m$constructor
  is_constructor <- is.character(name) && length(name) == 1L && name %in% file_constructors
  check_that(is_constructor, name, "constructor", "of a mechanism of this package", "file")
  make <- if (name == "rr_pool") read_pooled else get(name, mode = "function")
  arguments <- lapply(as.list(m$arguments), read_argument)
  # R would match the beginning of a name to the argument.
  formal_names <- names(formals(make))
  cut <- Filter(
    function(argument) any(startsWith(formal_names, argument)),
    setdiff(names(arguments), formal_names)
  )
  if (length(cut)) {
    abort("The mechanism has an argument that is not known: {describe(cut[1])}.", "file")
  }
  # An argument that was left out is NULL if it has no default.
  needed <- names(
    Filter(function(default) identical(default, quote(expr = )), formals(make))
  )
  arguments[setdiff(needed, c("...", names(arguments)))] <- list(NULL)
  suppressMessages(do.call(make, arguments), classes = "candor_message_order")
}

read_argument <- function(x) {
  if (!is.list(x)) return(x)
  if (is.character(x[["constructor"]])) return(read_mechanism(x))
  if (is.character(x[["ordered"]])) {
    return(factor(x[["ordered"]], x[["ordered"]], ordered = TRUE))
  }
  numbers <- function(rows) {
    length(rows) && is.null(names(rows)) && all(vapply(rows, is.numeric, NA))
  }
  if (numbers(x)) x <- list(matrix = x)
  if (!numbers(x[["matrix"]])) return(lapply(x, read_argument))
  if (length(unique(lengths(x[["matrix"]]))) != 1L) {
    abort("A matrix must have rows of one length.", "file")
  }
  matrix <- do.call(rbind, x[["matrix"]])
  dimnames(matrix) <- if (length(x) > 1L) {
    list(x[["rows"]], x[["columns"]])
  }
  matrix
}

# ---- numbers ----

# The numbers of a field: `n` of them, none negative.
file_numbers <- function(x, name, n, is_whole = FALSE) {
  is_valid <- is.numeric(x) && length(x) == n &&
    !any(!is.finite(x) | x < 0 | (is_whole & x != floor(x)))
  if (!is_valid) {
    abort(
      "{.field {name}} must have {format_count(n)} {if (is_whole) 'whole '}numbers of at least 0.",
      "file"
    )
  }
  x
}

# The counts of a file: a vector, or with groups a matrix with a column for each group.
read_counts <- function(counts, groups, n_reports) {
  if (is.null(groups)) return(file_numbers(counts, "counts", n_reports))
  counts <- lapply(counts, file_numbers, "counts", n_reports)
  if (length(counts) != nrow(groups)) {
    abort("{.field counts} must be an array for each group.", "file")
  }
  matrix(unlist(counts), ncol = nrow(groups))
}

# An error if counts and numbers of respondents contradict each other, whoever wrote them.
check_adds_up <- function(counts, n, squares, respondents, mechanism) {
  weighted <- !is.null(squares)
  exact <- if (holds_sums(mechanism)) n else c(counts, n)
  if (!weighted && any(exact != floor(exact) | exact > 2^53)) {
    abort(
      "Counts must be whole numbers up to 2^53: sums of weights come with {.field weight_squares}.",
      "file"
    )
  }
  # A report in a block of people is one category, too.
  categories <- has_categories(mechanism) || !is.null(mechanism$codec$block)
  # Counts of categories add up to all respondents. No count of other reports exceeds their number.
  totals <- apply(as.matrix(counts), 2, if (categories) sum else max)
  differs <- if (categories) {
    abs(totals - n) > weighted * 1e-9 * n
  } else {
    totals > n * (1 + 1e-9)
  }
  if (any(differs)) {
    abort(
      "{.field counts} must add up to {.field n}, or not be above it if a report supports sets.",
      "file"
    )
  }
  if (!weighted) return(invisible())
  # sum w^2 <= (sum w)^2 <= m sum w^2 for m weights.
  is_large <- squares > n^2 * (1 + 1e-9)
  is_small <- if (!is.null(respondents)) n^2 > respondents * squares * (1 + 1e-9)
  if (any((squares == 0) != (n == 0)) || any(is_large) ||
      any(is_small)) {
    abort(
      "{.field n}, {.field weight_squares} and {.field respondents} are not those of any weights.",
      "file"
    )
  }
}

# Does a mechanism have sums of numbers in place of counts?
holds_sums <- function(mechanism) {
  isTRUE(mechanism$codec$real) ||
    any(vapply(mechanism$parts %||% list(), holds_sums, NA))
}

# ---- groups and chunks ----

read_groups <- function(columns, mechanism) {
  columns <- lapply(
    columns, file_members, c("name", "type", "values"), c("levels", "tz"), "group column"
  )
  names <- vapply(columns, function(column) as.character(column$name), "")
  keys <- name_groups(setNames(lapply(columns, read_group), names), mechanism)
  groups <- as_tibble(keys, .name_repair = "minimal")
  if (!length(keys) || anyDuplicated(as.data.frame(groups))) {
    abort("A group is there twice, or none is.", "file")
  }
  groups
}

read_group <- function(column) {
  values <- column$values
  if (identical(column$type, "integer")) values[values != floor(values)] <- NA
  key <- switch(
    check_choice(column$type, "type", unname(group_types)),
    text = as.character(values),
    number = as.double(values),
    integer = as.integer(values),
    logical = as.logical(values),
    factor = factor(values, column$levels),
    ordered = factor(values, column$levels, ordered = TRUE),
    date = as.Date(values, "%Y-%m-%d"),
    time = .POSIXct(as.double(values), column$tz)
  )
  if (anyNA(key)) {
    abort("{.field values} of a group must be of its type, {.val {column$type}}.", "file")
  }
  key
}

# ---- kept sets ----

read_kept_sets <- function(sets, tally) {
  mechanism <- tally$mechanism
  is_array <- is.null(names(sets)) && length(sets) == length(tally$n)
  if (!keeps_sets(mechanism) || !is_array) {
    abort(
      paste(
        "{.field sets} must have an object for each group,",
        "of a mechanism whose reports support sets or are bits."
      ),
      "file"
    )
  }
  width <- set_bytes(rr_law(mechanism), length(mechanism$levels))
  lapply(seq_along(sets), function(g) {
    entry <- file_members(sets[[g]], c("bits", "times"), noun = "entry of sets")
    if (anyDuplicated(entry$bits)) abort("{.field bits} must be texts that all differ.", "file")
    times <- file_numbers(entry$times, "times", length(entry$bits))
    read <- .Call(C_rr_from_hex, as.character(entry$bits), width)
    if (read$position > 0) abort("{.field bits} must be hexadecimal text of {width} bytes.", "file")
    n <- tally$n[g]
    if (abs(sum(times) - n) > 1e-9 * n) {
      abort("{.field sets} must add up to {.field n}.", "file")
    }
    list(bits = read$bits, times = times)
  })
}

# ---- blocks of people ----

block_members <- function(blocks) {
  list(
    label = I(blocks$label),
    counts = lapply(seq_len(ncol(blocks$counts)), function(j) {
      I(blocks$counts[, j])
    })
  )
}

read_blocks <- function(blocks, tally) {
  is_array <- is.null(names(blocks)) && length(blocks) == length(tally$n)
  if (is.null(tally$mechanism$codec$block) || !is_array) {
    abort("{.field blocks} must have an object for each group, of a mechanism of blocks.", "file")
  }
  k <- length(tally$mechanism$reports)
  lapply(seq_along(blocks), function(g) {
    entry <- file_members(blocks[[g]], c("label", "counts"), noun = "entry of blocks")
    counts <- matrix(unlist(lapply(entry$counts, file_numbers, "counts", k, TRUE)), k)
    if (length(entry$label) != ncol(counts) || anyDuplicated(entry$label) ||
        any(colSums(counts) == 0)) {
      abort(
        "{.field blocks} must have counts of people for each {.field label}, which all differ.",
        "file"
      )
    }
    if (any(rowSums(counts) != group_counts(tally, g))) {
      abort("{.field blocks} must add up to {.field counts}.", "file")
    }
    list(label = as.character(entry$label), counts = counts)
  })
}

# ---- files ----

# The text is written beside the file, read back and moved into its place, so that there is always a
# complete file.
write_file <- function(text, file) {
  bytes <- charToRaw(enc2utf8(text))
  beside <- tempfile(paste0(".", basename(file), "-"), dirname(file))
  is_written <- tryCatch(
    {
      writeBin(bytes, beside)
      identical(readBin(beside, "raw", length(bytes) + 1), bytes) &&
        file.rename(beside, file)
    },
    error = function(e) FALSE, warning = function(w) FALSE
  )
  if (!is_written) {
    unlink(beside)
    abort("The file {.file {file}} cannot be written.", "file")
  }
}

check_path <- function(x, arg = "file") {
  path.expand(
    check_that(
      is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x),
      x, arg, "the name of one file"
    )
  )
}
