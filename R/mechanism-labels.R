# The user's values become the codes that the kernels read, in rr_perturb() and in rr_tally().

# The positions of the reports among the labels, as list(codes, first): `first` is the code of the
# first label. NA stays NA: the kernel finds it while it counts.
encode_reports <- function(x, mechanism) {
  x <- plain_reports(x, mechanism)
  labels <- mechanism$reports
  if (is.factor(x)) {
    if (identical(levels(x), labels)) {
      return(list(codes = unclass_codes(x), first = 1L))
    }
    positions <- match_labels(levels(x), mechanism)
    check_same_order(x, positions, mechanism)
    return(list(codes = relabelled_codes(positions, x), first = 1L))
  }
  is_vector <- !is.object(x) && (is.character(x) || is.logical(x) || is.numeric(x))
  if (!is_vector || length(dim(x)) > 1L) {
    abort(c(
      "{.arg x} must be one vector: a factor, text, numbers or logical values.",
      x = "It is {describe_kind(x)}."
    ))
  }
  if (is.character(x)) {
    return(list(
      codes = relabelled_codes(match_labels(x, mechanism), x, is_by_row = TRUE),
      first = 1L
    ))
  }
  if (is.logical(x)) {
    if (length(labels) != 2L) abort("{.arg x} is logical, and the mechanism has no two categories.")
    if (no_yes_index(labels)[["yes"]] == 1L) {
      return(list(codes = 2L - x, first = 1L))
    }
    return(list(codes = x, first = 0L))
  }
  first <- first_number(mechanism)
  if (is.null(first)) {
    return(list(
      codes = relabelled_codes(match(x, label_values(mechanism)), x, is_by_row = TRUE),
      first = 1L
    ))
  }
  broken <- if (!is.integer(x)) {
    which(
      !is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max)
    )
  }
  if (length(broken)) {
    abort(
      c(
        "{.arg x} must hold whole numbers.",
        x = "Report {broken[1]} is {format(x[broken[1]], digits = 15)}.",
        i = "If these are counts, use {.fn rr_counts}."
      ),
      "level", position = broken[1], problem = "is not a level"
    )
  }
  list(codes = as.integer(x), first = first)
}

# An error if the order of the answers is not that of the mechanism, in which cumulative shares, and
# some designs, are. The levels of true answers may be no more than the answers, so that the message
# does not have them.
check_same_order <- function(
  x, positions, mechanism, ordered = isTRUE(mechanism$ordered), what = "`x`"
) {
  if (!is.ordered(x) || !ordered || !identical(mechanism$levels, mechanism$reports) ||
      !is.unsorted(positions[!is.na(positions)])) return(invisible())
  abort(c("The order of {what} must be the order of the mechanism.",
          x = "The mechanism has {format_labels(mechanism$reports, between = ' < ')}."), "mismatch")
}

# The positions of labels among those of the mechanism. If 0 and 1 are answers, the labels "0" and
# "1" (or "FALSE" and "TRUE") are too, in whatever order a factor has them. The two kinds of labels
# are never mixed.
match_labels <- function(labels, mechanism) {
  positions <- match(labels, mechanism$reports)
  if (anyNA(positions)) {
    positions[is.na(positions)] <- match_numbers(labels[is.na(positions)], mechanism)
  }
  if (!all(is.na(positions)) || is.null(mechanism$bits)) return(positions)
  bit_positions(labels, mechanism$bits) %||% positions
}

# The positions of text that is the number of a label, written differently: "1e+05", "100000.0". It
# needs labels that are all numbers.
match_numbers <- function(text, mechanism) {
  different <- unique(text)
  numbers <- written_numbers(different)
  values <- if (!all(is.na(numbers))) mechanism$numeric_levels %||% label_numbers(mechanism$reports)
  if (is.null(values) || anyNA(values)) return(rep(NA_integer_, length(text)))
  match(numbers, values)[match(text, different)]
}

# The positions of the levels in a long table, which are read as answers are.
match_long <- function(level, codec) {
  labels <- list(reports = codec$levels, numeric_levels = codec$numeric_levels,
                 bits = answer_bits(codec$levels, FALSE))
  if (is.numeric(level)) return(match(level, label_values(labels), incomparables = NA))
  match_labels(as.character(level), labels)
}

# A message if the labels are "yes" and "no" in this order: 1 and TRUE are read as the first level,
# "yes", and not as the second, which is the level of regressions and pictures. Labels that are
# FALSE and TRUE themselves are read as they are.
tell_reversed <- function(x, labels) {
  if (!is_reversed(labels) || !is.null(match_bits(labels))) return(invisible())
  x <- plain_reports(x, list(reports = labels))
  has_numbers <- !is.object(x) && (is.logical(x) || is.numeric(x))
  if (!has_numbers || all(is.na(x))) return(invisible())
  one <- if (is.logical(x)) "TRUE" else "1"
  cli::cli_inform(c("{one} is read as {.val {labels[1]}}, the first level.",
                    i = "Regressions and pictures are about the second level, {.val {labels[2]}}."),
                  class = "candor_message_reading")
}

is_reversed <- function(labels) identical(no_yes_order(labels), 2:1)

# An error or message if the first label of a yes/no design is the one for yes. If its probabilities
# are those of yes, it would be another design. If both answers are treated alike (`even`), only the
# statements about the second level change.
check_no_first <- function(labels, even = FALSE) {
  if (!is_reversed(labels)) return(invisible())
  order <- paste(encodeString(rev(labels), quote = "\""), collapse = ", ")
  if (!even) {
    abort("{.arg levels} must begin with the label for \"no\": {.code levels = c({order})}.")
  }
  cli::cli_inform(
    c(
      paste0(
        "Regressions, contrasts, power and pictures are about the second level, ",
        "here {.val {labels[2]}}."
      ),
      i = "If that is not meant: {.code levels = c({order})}."
    ),
    class = "candor_message_order"
  )
}

# The mechanism whose reports are the truths.
truth_side <- function(mechanism) {
  if (!identical(mechanism$levels, mechanism$reports)) {
    mechanism["numeric_levels"] <- list(mechanism$numeric_truths)
  }
  mechanism$reports <- mechanism$levels
  mechanism["bits"] <- list(mechanism$truth_bits)
  mechanism
}

# The number that stands for each label; NA for a label that is not a number. Numbers are read as
# labels if a label is a number, unless some labels are not numbers and the others are their
# positions.
label_values <- function(mechanism) {
  k <- length(mechanism$reports)
  positions <- seq_len(k)
  if (!is.null(mechanism$bits)) positions <- unname(match(1:2, mechanism$bits)) - 1
  values <- mechanism$numeric_levels
  if (is.null(values)) return(positions)
  if (anyNA(values) && all(values == positions, na.rm = TRUE)) positions else values
}

# The number of the first label if the others follow one by one, so that numbers are codes as they
# are; else NULL.
first_number <- function(mechanism) {
  if (is.null(mechanism$numeric_levels) && is.null(mechanism$bits)) return(1L)
  values <- as.double(label_values(mechanism))
  start <- values[1]
  if (!anyNA(values) && start == floor(start) && abs(start) < 1e9 &&
        identical(values, start + seq_along(values) - 1)) as.integer(start)
}

unclass_codes <- function(x) `attributes<-`(x, NULL)

# The codes of `x` after relabelling. `positions` are those of its levels, or of its elements if it
# `is_by_row`. A report that has no label becomes 0, which the kernel refuses, while a missing one
# stays NA, also if NA is a level.
relabelled_codes <- function(positions, x, is_by_row = FALSE) {
  positions[is.na(positions)] <- 0L
  if (is_by_row) return(replace(positions, is.na(x), NA_integer_))
  positions[is.na(levels(x))] <- NA_integer_
  codes <- unclass_codes(x)
  # A code of 0 in a malformed factor would silently drop its report.
  is_malformed <- !is.na(codes) & (codes < 1L | codes > length(positions))
  codes[is_malformed] <- length(positions) + 1L
  c(positions, 0L)[codes]
}

# The user's value at a position, for a message; for a malformed factor its code.
value_at <- function(x, position) {
  if (!is.factor(x)) return(x[[position]])
  code <- unclass_codes(x)[position]
  is_malformed <- !is.na(code) && (code < 1 || code > nlevels(x))
  if (is_malformed) code else levels(x)[code]
}

# The error of a report that is missing or no level; `name` is the column's, if there are several.
# The error has the position of a value that is no level, for callers that have more to add.
abort_report <- function(x, position, mechanism, name = NULL) {
  x <- plain_reports(x, mechanism)
  what <- if (is.null(name)) "{.arg x}" else "{.val {name}}"
  where <- paste(if (is.null(name)) "Report" else "Row", format_count(position))
  value <- value_at(x, position)
  answers <- levels(x) %||% unique(as.character(x[!is.na(x)]))
  answers <- answers[order(match(simple_text(answers), simple_text(mechanism$reports)))]
  if (is.na(value)) {
    abort(
      c(
        paste(what, "must not have missing reports."), x = "{where} is NA.",
        i = paste0(
          "{.code na.rm = TRUE} of tallies and {.code na.action = na.omit} of regressions ",
          "drop them."
        )
      ),
      "missing"
    )
  }
  abort(
    c(
      paste(what, "must hold reports of this mechanism."),
      x = "{where}, {describe(value)}, is not a level.",
      i = if (is.character(value)) meant_of(value, mechanism$reports),
      i = "{wanted_answers(x, mechanism)}",
      i = sprintf("{.val {mechanism$reports[2]}} means: %s.", report_meaning(mechanism)),
      i = if (is.character(value) && nzchar(value)) recode_words(answers, mechanism$reports),
      i = empty_words(value),
      i = if (is.numeric(x)) "If these are counts, use {.fn rr_counts}."
    ),
    "level", position = position, problem = "is not a level"
  )
}

# The remedy if an empty text is among reports; else NULL.
empty_words <- function(reports) {
  if ("" %in% reports) paste(
    "{.arg na.rm} drops NA and NULL, and no empty text: filter such rows out, or read them from a",
    "file with {.code na.strings = c('NA', '')}."
  )
}

# The meaning of the second report, if it is no answer to the question: "yes" of a crosswise
# question says that two answers are the same. Other designs have none: NULL.
report_meaning <- function(mechanism) {
  switch(mechanism$recipe$constructor %||% "", rr_crosswise = "the answers are the same",
         rr_triangular = "a yes to either question",
         rr_noncompliance = report_meaning(mechanism$first))
}

# The remedy for answers in other words, for a message: answers that differ from the labels by case
# and spaces, as many different `answers` as there are labels, or others. The message fills in the
# `answers`, which are in the order of the labels if it is known.
recode_words <- function(answers, labels) {
  if (length(answers) != length(labels) || length(labels) > 8L) {
    return(paste(
      "The answers are {format_labels(answers)}. Other words for the same answers go into",
      "{.code levels = } of the mechanism, that for no first; others are recoded, or {.code NA}."
    ))
  }
  if (identical(simple_text(answers), simple_text(labels))) {
    return("Name these answers in the mechanism: {.code levels = c({quoted_list(answers)})}.")
  }
  paste(
    "The answers are {format_labels(answers)}: recode them, or name them in the mechanism by",
    "{.code levels = }, that for no first. They are then the names of the true answers too."
  )
}

# Text without capitals and spaces at its ends, if it can be read.
simple_text <- function(text) {
  if (all(validEnc(text))) tolower(trimws(text)) else text
}

quoted_list <- function(text) toString(encodeString(text, quote = "\""))

# The values of other classes that stand for labels or numbers.
plain_reports <- function(x, mechanism) {
  if (!is.object(x)) return(x)
  if (inherits(x, c("haven_labelled", "labelled"))) return(labelled_reports(x, mechanism))
  plain_numbers(x)
}

# The labels of labelled values, as from SPSS or Stata files. If no label is a report, the values
# themselves may be the reports. Values declared missing are missing.
labelled_reports <- function(x, mechanism) {
  labels <- attr(x, "labels", exact = TRUE)
  limits <- attr(x, "na_range", exact = TRUE)
  values <- unclass_codes(x)
  values[values %in% attr(x, "na_values", exact = TRUE)] <- NA
  if (length(limits) == 2L) {
    values[!is.na(values) & values >= limits[1] & values <= limits[2]] <- NA
  }
  if (is.null(labels)) return(values)
  text <- label_text(values)
  value_text <- label_text(labels)
  if (!any(names(labels) %in% mechanism$reports) && any(value_text %in% mechanism$reports)) {
    return(text)
  }
  index <- match(text, value_text)
  ifelse(is.na(index), text, names(labels)[index])
}

# The values that would be levels, for answers of the type of `x`.
wanted_answers <- function(x, mechanism) {
  positions <- is.numeric(x) && is.null(mechanism$numeric_levels)
  if (!positions) return(paste("The levels are", format_labels(mechanism$reports)))
  if (is.null(mechanism$bits)) {
    return(paste0("Positions run from 1 to ", format_count(length(mechanism$reports)), "."))
  }
  words <- encodeString(mechanism$reports[mechanism$bits], quote = "\"")
  text <- paste(
    "Use 0 for %s and 1 for %s, or the labels.",
    "Codes such as 1 and 2 are labels: `levels = c(1, 2)`."
  )
  sprintf(text, words[1], words[2])
}

# The positions of the sensitive categories.
sensitive_index <- function(sensitive, labels) {
  if (is.factor(sensitive)) sensitive <- as.character(sensitive)
  index <- if (is.atomic(sensitive)) {
    match(sensitive, if (is.character(sensitive)) labels else seq_along(labels))
  }
  is_valid <- length(index) && !anyNA(index)
  noun <- "labels or positions of categories"
  check_that(is_valid, sensitive, "sensitive", noun, c("level", "argument"))
  unique(index)
}

# The position of a category, the last by default.
category_position <- function(mechanism, category) {
  k <- length(mechanism$levels)
  index <- if (is.null(category)) {
    k
  } else if (is.character(category)) {
    match(category, mechanism$levels)
  } else {
    category
  }
  is_valid <- is.numeric(index) && isTRUE(index >= 1 & index <= k & index == floor(index))
  check_that(is_valid, category, "category", "one category of the mechanism", "level")
  index
}

# Are the levels in an order: an ordered factor, or numbers? Levels that are only a number of
# categories have no order.
in_order <- function(mechanism) {
  isTRUE(mechanism$ordered) ||
    (length(mechanism$levels) > 2L && !is.null(level_numbers(mechanism)))
}

level_numbers <- function(mechanism) {
  numbers <- mechanism$numeric_truths %||% mechanism$numeric_levels
  if (length(numbers) == length(mechanism$levels) && !anyNA(numbers)) numbers
}
