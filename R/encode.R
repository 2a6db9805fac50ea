# From what the user holds to the codes that the kernels read: shared by rr_perturb() and rr_tally().

# Positions of the reports among the labels. NA stays NA: the kernel finds it while it counts.
encode_reports <- function(x, mechanism, call = caller_env()) {
  labels <- mechanism$reports
  if (is.factor(x)) {
    if (identical(levels(x), labels)) return(list(codes = unclass_codes(x), first = 1L))
    positions <- match_labels(levels(x), mechanism)
    return(list(codes = translate(positions, x), first = 1L))
  }
  if (is.object(x) || !(is.character(x) || is.logical(x) || is.numeric(x))) {
    abort(c("{.arg x} must be a factor, or text, numbers or logical values.", x = "It is {describe(x)}.",
            i = if (inherits(x, "integer64")) "Convert it with {.code bit64::as.integer()}."),
          "argument", call = call)
  }
  if (length(dim(x)) > 1L) {
    abort(c("{.arg x} must be one vector.", x = "It has {nrow(x)} rows and {ncol(x)} columns.",
            i = "If these are counts, use {.fn rr_counts}."), "argument", call = call)
  }
  if (is.character(x)) return(list(codes = translate(match_labels(x, mechanism), x, own = TRUE), first = 1L))
  if (is.logical(x)) {
    if (length(labels) != 2L) {
      abort(c("{.arg x} is logical, but the mechanism has {length(labels)} categories."), "argument", call = call)
    }
    if (bits_turned(labels)) return(list(codes = 2L - x, first = 1L))
    return(list(codes = x, first = 0L))
  }
  first <- first_number(mechanism)
  if (!is.null(first)) return(list(codes = whole_codes(x, call), first = first))
  list(codes = translate(match(x, label_values(mechanism)), x, own = TRUE), first = 1L)
}

# Labels are the mechanism's own. Where 0 and 1 are answers, so are their labels, in whatever order a factor has them;
# but never some of these and some of those.
match_labels <- function(labels, mechanism) {
  positions <- match(labels, mechanism$reports)
  if (!all(is.na(positions)) || !takes_bits(mechanism)) return(positions)
  bits <- match_bits(labels)
  if (is.null(bits)) positions else if (bits_turned(mechanism$reports)) 3L - bits else bits
}

# Are two labels the bits themselves, the 1 or TRUE first?
bits_turned <- function(labels) identical(labels, c("1", "0")) || identical(labels, c("TRUE", "FALSE"))

# The number that stands for each label; a label that is no number has NA. Numbers are read by label wherever a label
# is a number, unless that only says what its place says.
label_values <- function(mechanism) {
  k <- length(mechanism$reports)
  places <- if (!takes_bits(mechanism)) seq_len(k)
    else if (bits_turned(mechanism$reports)) c(1, 0) else c(0, 1)
  values <- mechanism$numeric_levels
  if (is.null(values) || (anyNA(values) && all(values == places, na.rm = TRUE))) places else values
}

# The number of the first label if the others follow one by one, so that numbers are codes as they stand; else NULL.
first_number <- function(mechanism) {
  if (is.null(mechanism$numeric_levels) && !takes_bits(mechanism)) return(1L)
  values <- as.double(label_values(mechanism))
  start <- values[1]
  consecutive <- !anyNA(values) && start == floor(start) && abs(start) < 1e9 &&
    identical(values, start + seq_along(values) - 1)
  if (consecutive) as.integer(start)
}

# 1 for "0" and "FALSE", 2 for "1" and "TRUE", NA for what is neither; NULL where nothing is a bit.
match_bits <- function(labels) {
  for (bits in list(c("0", "1"), c("FALSE", "TRUE"))) {
    positions <- match(labels, bits)
    if (!all(is.na(positions))) return(positions)
  }
}

unclass_codes <- function(x) {
  attributes(x) <- NULL
  x
}

# Codes of `x` after relabelling; a report that has no label becomes 0, which the kernel refuses,
# while a missing one stays NA, also where NA is a level.
translate <- function(positions, x, own = FALSE) {
  positions[is.na(positions)] <- 0L
  if (own) {
    positions[is.na(x)] <- NA_integer_
    return(positions)
  }
  positions[is.na(levels(x))] <- NA_integer_
  codes <- unclass_codes(x)
  # A malformed factor: a code of 0 would silently drop its report.
  if (any(codes < 1L | codes > length(positions), na.rm = TRUE)) {
    codes[!is.na(codes) & (codes < 1L | codes > length(positions))] <- length(positions) + 1L
    positions <- c(positions, 0L)
  }
  positions[codes]
}

# What the user gave at a position, for a message: of a malformed factor its code.
value_at <- function(x, position) {
  if (!is.factor(x)) return(x[[position]])
  code <- unclass_codes(x)[position]
  if (!is.na(code) && (code < 1 || code > nlevels(x))) code else levels(x)[code]
}

whole_codes <- function(x, call) {
  if (is.integer(x)) return(x)
  bad <- which(!is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max))
  if (length(bad)) {
    abort(c("{.arg x} must hold whole numbers.", x = "Report {bad[1]} is {format(x[bad[1]], digits = 15)}.",
            i = "If these are counts, use {.fn rr_counts}."), "level", call = call)
  }
  as.integer(x)
}

abort_report <- function(x, position, mechanism, na.rm, call) {
  value <- value_at(x, position)
  at <- format_count(position)
  if (is.na(value)) {
    abort(c("{.arg x} must not have missing reports.", x = "Report {at} is NA.",
            i = "Use {.code na.rm = TRUE} to drop them."), "missing", call = call)
  }
  abort(c("{.arg x} must hold reports of this mechanism.",
          x = "Report {at} is {describe(value)}, which is not a level.", i = "{wanted_answers(x, mechanism)}",
          i = if (is.numeric(x)) "If these are counts, use {.fn rr_counts}."),
        "level", call = call)
}

# What would have been a level, for answers like `x`.
wanted_answers <- function(x, mechanism) {
  positions <- is.numeric(x) && is.null(mechanism$numeric_levels)
  if (!positions) return(paste("The levels are", format_labels(mechanism$reports)))
  if (!takes_bits(mechanism)) return(paste0("Positions run from 1 to ", format_count(length(mechanism$reports)), "."))
  order <- if (bits_turned(mechanism$reports)) c("second", "first") else c("first", "second")
  sprintf("Use 0 for the %s level and 1 for the %s, or the labels.", order[1], order[2])
}
