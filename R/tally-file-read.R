# From the text of a file to a tally; what the text is: see tally-file.R.

tally_format <- "candor tally"
tally_version <- 1

read_tally <- function(bytes) {
  if (any(bytes == 0)) abort("It holds bytes that no text has.", "file")
  text <- rawToChar(bytes)
  if (!validUTF8(text)) abort("It is not text in UTF-8.", "file")
  Encoding(text) <- "UTF-8"
  # Text would end there.
  if (grepl("(?<!\\\\)(\\\\\\\\)*\\\\u0000", text, perl = TRUE)) {
    abort("It holds a character that no text has: {.code \\u0000}.", "file")
  }
  object <- tryCatch(parse_json_text(text), error = function(e) {
    abort("It is not JSON, or was cut off.", "file")
  })
  check_version(object)
  check_checksum(bytes)
  make_tally(object)
}

check_version <- function(object) {
  if (!is.list(object) || is.null(names(object)) || !identical(object$format, tally_format)) {
    abort("It does not say {.code \"format\": \"{tally_format}\"}.", "file")
  }
  version <- check_count(object$version, "version", min = 1)
  if (version > tally_version) {
    abort(c("It is of version {version} of the format, and this package reads version {tally_version}.",
            i = "A newer candor reads it."), "file")
  }
}

# The checksum is the last member, of all bytes before its name. Names and texts have no quotes inside that are not
# escaped.
check_checksum <- function(bytes) {
  found <- grepRaw("\"checksum\"[ \t\r\n]*:", bytes, all = TRUE)
  if (!length(found)) return(invisible())
  at <- found[length(found)]
  tail <- rawToChar(bytes[at:length(bytes)])
  pattern <- "^\"checksum\"[ \t\r\n]*:[ \t\r\n]*\"md5:([0-9a-f]{32})\"[ \t\r\n]*[}][ \t\r\n]*$"
  if (!grepl(pattern, tail)) {
    abort("Its {.field checksum} must be the last member: {.val md5:} and 32 hexadecimal digits.", "file")
  }
  if (sub(pattern, "\\1", tail) != md5(bytes[seq_len(at - 1)])) {
    abort("Its checksum is that of another text: the file was changed or damaged.", "file")
  }
}

make_tally <- function(object) {
  m <- recipe_members(object, c("format", "version", "mechanism", "n", "counts"),
                      c("groups", "weight_squares", "respondents", "missing", "witness", "chunks", "sets", "checksum"),
                      "file")
  check_label_numbers(m$mechanism, length(unlist(m$counts, use.names = FALSE)))
  mechanism <- recipe_mechanism(m$mechanism)
  if (inherits(mechanism, "rr_product")) check_joint(mechanism)
  groups <- if (!is.null(m$groups)) read_groups(m$groups, mechanism)
  number <- if (is.null(groups)) 1L else nrow(groups)
  weighted <- !is.null(m$weight_squares)
  counts <- read_counts(m$counts, length(mechanism$reports), groups)
  n <- read_numbers_of(m$n, "n", number)
  squares <- if (weighted) read_numbers_of(m$weight_squares, "weight_squares", number)
  respondents <- if (!is.null(m$respondents)) read_numbers_of(m$respondents, "respondents", number, whole = TRUE)
  if (!weighted && !is.null(respondents)) {
    abort("{.field respondents} is of weighted reports, with {.field weight_squares}.", "file")
  }
  check_adds_up(counts, n, squares, respondents, mechanism)
  tally <- new_rr_tally(mechanism, counts, groups = groups, weight_squares = squares, n = n, respondents = respondents,
                        missing = check_count(m$missing %||% 0, "missing"))
  if (!is.null(m$witness)) tally$witness <- check_count(m$witness, "witness")
  if (!is.null(m$sets)) tally$sets <- read_kept_sets(m$sets, tally)
  if (!is.null(m$chunks)) tally$chunks <- read_chunks(m$chunks)
  tally
}

# A number of categories that has nothing to do with the number of counts would only fill the memory.
check_label_numbers <- function(recipe, counts) {
  if (!is.list(recipe)) return(invisible())
  for (name in names(recipe)) {
    value <- recipe[[name]]
    if (is.list(value)) check_label_numbers(value, counts)
    if (name %in% c("levels", "reports", "cohorts", "blocks", "buckets") && is.numeric(value) && length(value) == 1L &&
        !is.na(value) && value > max(1e6, 100 * counts)) {
      abort("{.field {name}} is {format_count(value)}, and there are {format_count(counts)} counts.", "file")
    }
  }
  if (is.null(names(recipe))) for (part in recipe) check_label_numbers(part, counts)
}

read_counts <- function(counts, reports, groups) {
  columns <- if (is.null(groups)) list(counts) else counts
  if (!is.list(columns) || !is.null(names(columns)) || (!is.null(groups) && length(columns) != nrow(groups))) {
    abort("{.field counts} must be an array of {nrow(groups)} arrays, one for each group.", "file")
  }
  columns <- lapply(columns, read_numbers_of, "counts", reports, "report")
  if (is.null(groups)) columns[[1]] else matrix(unlist(columns, use.names = FALSE), reports)
}

# Numbers that are no negative ones, as many as there should be.
read_numbers_of <- function(x, name, number, per = "group", whole = FALSE) {
  if (!is.numeric(x) || length(x) != number) {
    abort(c("{.field {name}} must be {format_count(number)}{cli::qty(number)} number{?s}, one per {per}.",
            x = "It is {describe(x)}.", i = if (!is.numeric(x)) "Whole numbers without exponent are at most 2^53."),
          "file")
  }
  x <- as.double(x)
  bad <- which(!is.finite(x) | x < 0 | (whole & x != floor(x)))
  if (length(bad)) {
    abort(c("{.field {name}} must be {if (whole) 'whole ' else ''}numbers of at least 0.",
            x = "Number {format_count(bad[1])} is {format(x[bad[1]], digits = 15)}."), "file")
  }
  x
}

# What counts and numbers of respondents must have in common, whoever wrote them.
check_adds_up <- function(counts, n, squares, respondents, mechanism) {
  weighted <- !is.null(squares)
  whole <- if (holds_sums(mechanism)) n else c(counts, n)
  if (!weighted && any(whole != floor(whole) | whole > 2^53)) {
    abort(c("Counts must be whole numbers up to 2^53.", i = "Sums of weights come with {.field weight_squares}."),
          "file")
  }
  columns <- as.matrix(counts)
  categories <- law_gives(rr_law(mechanism), "channel", length(mechanism$levels))
  sums <- unname(colSums(columns))
  wrong <- if (!categories) apply(columns, 2, max) > n * (1 + 1e-9) else abs(sums - n) > if (weighted) 1e-9 * n else 0
  if (any(wrong)) {
    g <- which(wrong)[1]
    found <- if (categories) sums[g] else max(columns[, g])
    abort(paste(if (categories) "The counts add up to" else "A count is",
                "{format(found, digits = 17)}, and {.field n} is {format(n[g], digits = 17)}."), "file")
  }
  if (!weighted) return(invisible())
  # sum w^2 <= (sum w)^2 <= m sum w^2 for m weights.
  if (any((squares == 0) != (n == 0)) || any(squares > n^2 * (1 + 1e-9)) ||
      (!is.null(respondents) && any(n^2 > respondents * squares * (1 + 1e-9)))) {
    abort("{.field n}, {.field weight_squares} and {.field respondents} are not those of any weights.", "file")
  }
}

# Sums of numbers stand where others have counts.
holds_sums <- function(mechanism) {
  inherits(mechanism, "rr_mean") || any(vapply(mechanism$parts %||% list(), holds_sums, NA))
}

read_groups <- function(columns, mechanism) {
  if (!is.list(columns) || !is.null(names(columns)) || !length(columns)) {
    abort("{.field groups} must be an array of columns.", "file")
  }
  columns <- lapply(columns, recipe_members, c("name", "type", "values"), c("levels", "tz"), "group column")
  names <- vapply(columns, function(column) one_text(column$name), "")
  keys <- name_groups(stats::setNames(lapply(columns, read_group), names), mechanism)
  if (length(unique(lengths(keys))) != 1L || !length(keys[[1]])) {
    abort("The columns of {.field groups} must have as many values as there are groups.", "file")
  }
  if (anyNA(keys, recursive = TRUE)) abort("A group is missing, or no value of its type.", "file")
  groups <- tibble::as_tibble(keys)
  if (anyDuplicated(as.data.frame(groups))) abort("A group is there twice.", "file")
  groups
}

read_group <- function(column) {
  type <- check_choice(column$type, "type", c("text", "number", "integer", "logical", "factor", "ordered", "date",
                                              "time"))
  values <- column$values
  right <- switch(type, number = , integer = , time = is.numeric(values), logical = is.logical(values),
                  is.character(values))
  if (!right) {
    abort(c("{.field values} of a group must be of its type, {.val {type}}.", x = "It is {describe(values)}."), "file")
  }
  if ((type %in% c("factor", "ordered")) != !is.null(column$levels) || (type == "time") != !is.null(column$tz)) {
    abort("{.field levels} belong to groups that are factors, {.field tz} to times.", "file")
  }
  switch(type, text = , logical = values, number = as.double(values), integer = as_whole(values),
         factor = , ordered = read_factor(values, column$levels, type == "ordered"),
         date = read_dates(values), time = .POSIXct(as.double(values), check_zone(column$tz)))
}

as_whole <- function(values) {
  if (all(is.finite(values) & values == floor(values) & abs(values) <= .Machine$integer.max)) return(as.integer(values))
  abort("{.field values} of a group must be whole numbers below 2^31.", "file")
}

read_factor <- function(values, levels, ordered) {
  if (is.character(levels) && !anyNA(levels) && !anyDuplicated(levels) && all(values %in% levels)) {
    return(factor(values, levels, ordered = ordered))
  }
  abort("{.field values} of a group must be among its {.field levels}.", "file")
}

read_dates <- function(values) {
  dates <- if (all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", values))) as.Date(values, "%Y-%m-%d")
  if (!is.null(dates) && !anyNA(dates)) return(dates)
  abort("{.field values} of a group must be dates such as {.val 2024-02-29}.", "file")
}

check_zone <- function(zone) {
  if (is.character(zone) && length(zone) == 1L && zone %in% c("", "UTC", "GMT", OlsonNames())) return(zone)
  abort(c("{.field tz} must be a time zone.", x = "It is {describe(zone)}."), "file")
}

read_chunks <- function(chunks) {
  if (is.list(chunks) && !length(chunks)) chunks <- character()
  if (is.character(chunks) && !anyNA(chunks) && !anyDuplicated(chunks)) return(chunks)
  abort("{.field chunks} must be labels that all differ.", "file")
}

# Counts are sums over the sets, so that sets of other reports are found out.
read_kept_sets <- function(sets, tally) {
  mechanism <- tally$mechanism
  if (!keeps_sets(mechanism) || !is.list(sets) || !is.null(names(sets)) || length(sets) != length(tally$n)) {
    abort("{.field sets} must have an object for each group, of a mechanism whose reports support sets or are bits.",
          "file")
  }
  law <- rr_law(mechanism)
  width <- set_bytes(law, length(mechanism$levels))
  lapply(seq_along(sets), function(g) {
    one <- recipe_members(sets[[g]], c("bits", "times"), what = "entry of sets")
    if (!is.character(one$bits) || anyDuplicated(one$bits)) {
      abort("{.field bits} must be texts that all differ.", "file")
    }
    times <- read_numbers_of(one$times, "times", length(one$bits), "set")
    read <- .Call(C_rr_from_hex, one$bits, as.double(width))
    if (read$position > 0) abort("{.field bits} must be hexadecimal text of {width} bytes.", "file")
    counts <- kept_counts(law, read$bits, times, length(mechanism$levels))
    # What the sets do not say is missing: it is in the counts alone.
    apart <- abs(counts - group_counts(tally, g))
    if (any(apart > 1e-9 * pmax(1, tally$n[g]), na.rm = TRUE) || abs(sum(times) - tally$n[g]) > 1e-9 * tally$n[g]) {
      abort("{.field sets} are not those that were counted.", "file")
    }
    list(bits = read$bits, times = times)
  })
}

# The counts of kept sets (rows of `bits`, each so many `times`), as report_sets() lays them out.
kept_counts <- function(law, bits, times, k) UseMethod("kept_counts")

kept_counts.rr_law_support <- function(law, bits, times, k) sum_kept(bits, times, k)

kept_counts.rr_law_bitflip <- function(law, bits, times, k) {
  first <- seq_len(ncol(bits) / 2)
  ones <- bits[, first, drop = FALSE]
  drawn <- bits[, -first, drop = FALSE]
  if (any((ones & !drawn) != 0)) abort_kept()
  ones <- sum_kept(ones, times, law$truths)
  c(ones, sum_kept(drawn, times, law$truths, law$d) - ones)
}

kept_counts.rr_law_bloom <- function(law, bits, times, k) {
  width <- ncol(bits) - 4
  cohort <- drop(matrix(as.integer(bits[, width + 1:4]), ncol = 4) %*% 256^(0:3))
  if (any(cohort < 1 | cohort > law$cohorts)) abort_kept()
  unlist(lapply(seq_len(law$cohorts), function(j) {
    own <- cohort == j
    c(sum_kept(bits[own, seq_len(width), drop = FALSE], times[own], law$bits), sum(times[own]))
  }))
}

kept_counts.rr_law_hierarchy <- function(law, bits, times, k) {
  depth <- as.integer(bits[, 1])
  if (any(depth < 1 | depth > length(law$laws))) abort_kept()
  unlist(lapply(seq_along(law$laws), function(l) {
    own <- depth == l
    width <- set_bytes(law$laws[[l]], law$nodes[l])
    if (any(bits[own, -seq_len(1 + width)] != 0)) abort_kept()
    part <- if (width == 0) rep(NA_real_, length(law$rows[[l]]) - 1)
      else kept_counts(law$laws[[l]], bits[own, 1 + seq_len(width), drop = FALSE], times[own], law$nodes[l])
    c(sum(times[own]), part)
  }))
}

# How many have each of the k bits; `size`, of how many bits each set is.
sum_kept <- function(bits, times, k, size = -1) {
  counted <- .Call(C_rr_count_bits, bits, as.double(k), as.double(size), NULL, 1L, times)
  if (counted$position > 0) abort_kept()
  as.vector(counted$counts)
}

abort_kept <- function() abort("{.field sets} hold something that is no report of this mechanism.", "file")
