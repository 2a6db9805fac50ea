# Checks speak the user's language: which argument, what it was, what is needed. Each returns its
# argument, ready for use. Formatting happens only when a check fails, so a good call pays nothing.

check_number <- function(x, arg, min = -Inf, max = Inf, min_open = FALSE, max_open = FALSE,
                         remedy = NULL) {
  good <- is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) &&
    (if (min_open) x > min else x >= min) && (if (max_open) x < max else x <= max)
  if (good) return(as.double(x))
  bound <- function(value, open, words) {
    if (is.finite(value)) paste(words[1 + open], format(value, digits = 15))
    else if (open) "finite"
  }
  range <- unique(c(bound(min, min_open, c("at least", "above")), bound(max, max_open, c("at most", "below"))))
  wanted <- if (length(range)) paste("one number", paste(range, collapse = " and ")) else "one number"
  abort(c("{.arg {arg}} must be {wanted}.", x = "It is {describe(x)}.", i = remedy),
        "argument")
}

# A confidence level. 95 for 0.95 is the commonest slip.
check_level <- function(x, arg = deparse1(substitute(x))) {
  percent <- is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) && x >= 50 && x < 100
  check_number(x, arg, min = 0, max = 1, min_open = TRUE, max_open = TRUE,
               remedy = if (percent) sprintf("Did you mean %s?", format(x / 100, digits = 15)))
}

# A significance level.
check_alpha <- function(x) {
  check_number(x, "alpha", min = 0, max = 1, min_open = TRUE, max_open = TRUE, remedy = percent_remedy(x))
}

# Where percent were given for a share. Numbers up to 2 are rather positions or slips.
percent_remedy <- function(x) {
  percent <- is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) && x > 2 && x <= 100
  if (percent) sprintf("Did you mean %s?", format(x / 100, digits = 15))
}

# The range in which every digit of an epsilon survives the way to its probabilities and back to the estimates.
epsilon_range <- c(1e-12, 700)

check_epsilon <- function(x, remedy = NULL) {
  if (is.numeric(x) && length(x) > 1L) {
    remedy <- paste("Where respondents have different ones: a mechanism and a tally for each. Of designs whose reports",
                    "are categories {.fn rr_pool} puts the tallies together; otherwise estimate each, and weigh the",
                    "estimates by the inverse of their variances.")
  }
  check_number(x, "epsilon", min = epsilon_range[1], max = epsilon_range[2], remedy = remedy)
}

check_epsilons <- function(x) {
  x <- check_grid(x, "epsilon")
  bad <- which(x < epsilon_range[1] | x > epsilon_range[2])
  if (!length(bad)) return(x)
  abort(c("{.arg epsilon} must be from {epsilon_range[1]} to {epsilon_range[2]}.",
          x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}."), "argument")
}

check_grid <- function(x, arg, whole = FALSE) {
  what <- if (whole) "whole numbers, at least 1" else "finite numbers above 0"
  if (!is.numeric(x) || is.object(x) || !length(x)) {
    abort(c("{.arg {arg}} must be {what}.",
            x = if (length(x)) "It is {describe(x)}." else "It is empty: the grid has no cells."),
          "argument")
  }
  bad <- which(!is.finite(x) | (if (whole) x < 1 | x > 2^53 | x != floor(x) else x <= 0))
  if (length(bad)) {
    abort(c("{.arg {arg}} must be {what}.", x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}."), "argument")
  }
  if (length(x) > 1 && anyDuplicated(x)) {
    abort(c("{.arg {arg}} must all differ.", x = "{format(x[anyDuplicated(x)], digits = 15)} appears more than once."),
          "argument")
  }
  as.double(x)
}

check_probability <- function(x, arg) {
  # + 0 turns a negative zero, whose logarithm is not a number, into a zero.
  if (is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) && x >= 0 && x <= 1) return(as.double(x) + 0)
  abort(c("{.arg {arg}} must be one probability, from 0 to 1.", x = "It is {describe(x)}.", i = percent_remedy(x)),
        "argument")
}

# A vector of probabilities whose sum is left to the caller.
check_probabilities <- function(x, arg) {
  if (!is.numeric(x) || is.object(x) || length(x) == 0L) {
    abort(c("{.arg {arg}} must be a vector of probabilities.", x = "It is {describe(x)}."),
          "argument")
  }
  bad <- which(is.na(x) | x < 0 | x > 1)
  if (length(bad)) {
    abort(c("{.arg {arg}} must hold probabilities, from 0 to 1.",
            x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}.", i = percent_remedy(x[bad[1]])), "argument")
  }
  storage.mode(x) <- "double"
  x + 0
}

# A whole number that may be as large as a double counts exactly.
check_count <- function(x, arg, min = 0, max = 2^53, remedy = NULL) {
  if (is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) && x >= min && x <= max &&
      x == floor(x)) {
    return(as.double(x))
  }
  # Mention an extreme upper limit only when it is exceeded.
  met <- is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) && x > max
  wanted <- if (max < .Machine$integer.max) sprintf("one whole number from %s to %s", format(min), format(max))
            else if (met) sprintf("one whole number from %s to %s", format(min), format_count(max))
            else paste("one whole number, at least", format(min))
  abort(c("{.arg {arg}} must be {wanted}.", x = "It is {describe(x)}.", i = remedy),
        "argument")
}

# Significant digits to print: what format() takes.
check_digits <- function(x) check_count(x, "digits", min = 1, max = 22)

check_flag <- function(x, arg) {
  if (is.logical(x) && length(x) == 1L && !is.na(x)) return(x)
  abort(c("{.arg {arg}} must be TRUE or FALSE.", x = "It is {describe(x)}."), "argument")
}

# `choices` in full, or the default vector itself, which means its first element. `renamed` says what former choices
# are called now.
check_choice <- function(x, arg, choices, renamed = NULL, remedy = NULL) {
  if (identical(x, choices)) return(choices[1L])
  if (is.character(x) && length(x) == 1L && x %in% choices) return(x)
  now <- if (is.character(x) && length(x) == 1L && x %in% names(renamed)) renamed[[x]]
  near <- if (is.character(x) && length(x) == 1L && is.null(now)) nearest_label(x, choices) else NA
  abort(c("{.arg {arg}} must be one of {.or {.val {choices}}}.", x = "It is {describe(x)}.",
          i = if (!is.null(now)) "It is called {.val {now}} now.",
          i = if (!is.na(near) && is.null(remedy)) "Did you mean {.val {near}}?", i = remedy),
        "argument")
}

# Text in the encoding that R compares and converts without asking: labels of latin1 files become UTF-8.
check_text <- function(text, arg, unreadable = Encoding(text) == "bytes" | !validEnc(text), answers = FALSE) {
  bad <- which(unreadable)
  if (length(bad)) {
    # What somebody answered is not shown.
    bytes <- if (!answers) paste0(": ", encodeString(iconv(text[bad[1]], "latin1", "ASCII", "byte"), quote = "\""))
    abort(c("{.arg {arg}} must be text that can be read.",
            x = "{if (answers) 'Answer' else 'Entry'} {format_count(bad[1])} is not valid in its encoding{bytes}.",
            i = if (validUTF8(text[bad[1]])) "If it is UTF-8, say so: {.code Encoding(x) <- \"UTF-8\"}."
                else "Read the data with its encoding, or convert it with {.fn iconv}."), "argument")
  }
  enc2utf8(text)
}

# Text of which every byte counts, as hash functions read it. In a locale that is not of UTF-8, enc2utf8() writes
# bytes that the locale does not know as "<c3><a9>": another text than respondents in other sessions have.
check_hashed_text <- function(text, arg, answers = FALSE) {
  unreadable <- Encoding(text) == "bytes" | !validEnc(text)
  if (!l10n_info()[["UTF-8"]]) {
    unreadable <- unreadable | (Encoding(text) == "unknown" & !is.na(text) & is.na(iconv(text, to = "UTF-8")))
  }
  check_text(text, arg, unreadable, answers)
}

# Labels from labels, or from a number of categories; `ordered` if they are an ordered factor. `numeric` tells the
# numbers that the labels are (levels 0:9, or "0" to "9"), NULL where numbers in the data can only be positions.
check_levels <- function(levels, arg = "levels") {
  if (is.ordered(levels)) return(c(check_levels(base::levels(levels), arg), list(ordered = TRUE)))
  if (is.factor(levels)) levels <- base::levels(levels)
  if (is.numeric(levels) && !is.object(levels) && length(levels) == 1L) {
    k <- check_count(levels, arg, min = 2, max = .Machine$integer.max,
                     remedy = "Give the number of categories, or their labels.")
    # Of many categories the numbers are the positions; a yes/no question would take them for 0 and 1.
    return(list(labels = as.character(seq_len(k)), numeric = if (k == 2) c(1, 2)))
  }
  if (!(is.character(levels) || is.logical(levels) || (is.numeric(levels) && !is.object(levels)))) {
    abort(c("{.arg {arg}} must be labels, or a number of categories.", x = "It is {describe(levels)}."),
          "argument")
  }
  numeric <- if (is.numeric(levels)) as.double(levels)
  labels <- if (is.null(numeric)) check_text(as.character(levels), arg) else label_text(levels)
  if (anyNA(labels)) {
    abort(c("{.arg {arg}} must not be missing.", x = "Label {which(is.na(labels))[1]} is NA."),
          "argument")
  }
  check_label_bytes(labels, arg)
  if (length(labels) < 2L) {
    abort(c("{.arg {arg}} must name at least 2 categories.", x = "It names {length(labels)}."),
          "argument")
  }
  if (is.null(numeric) && !is.null(numeric <- label_numbers(labels))) {
    # R may have written them with an exponent.
    known <- which(!is.na(numeric))
    labels[known] <- number_text(numeric[known])
  }
  numbers <- if (is.character(levels)) written_numbers(labels)
  twice <- anyDuplicated(if (anyNA(numbers)) labels else numbers %||% labels)
  if (twice) {
    twice <- labels[twice]
    abort(c("{.arg {arg}} must all differ.", x = "{.val {twice}} appears more than once."),
          "argument")
  }
  list(labels = labels, numeric = numeric)
}

# What prints labels fails with millions of letters.
check_label_bytes <- function(labels, arg) {
  bytes <- nchar(labels, "bytes")
  if (max(bytes, 0) <= 10000) return(invisible())
  abort(c("{.arg {arg}} must be labels of at most 10,000 bytes.", x = "A label has {format_count(max(bytes))}."),
        "argument")
}

# Levels given as an ordered factor keep their order in pictures.
with_order <- function(mechanism, levels) {
  if (isTRUE(levels$ordered)) mechanism$ordered <- TRUE
  mechanism
}

# The numbers that labels of text are when written as number_text() writes numbers, or as R does (1e+05). NA for other
# labels; NULL where no label is one.
label_numbers <- function(labels) {
  numbers <- written_numbers(labels)
  odd <- which(number_text(numbers) != labels)
  numbers[odd[!grepl("^-?[1-9]([.][0-9]*[1-9])?e[+][0-9]{2}$", labels[odd])]] <- NA
  if (!all(is.na(numbers))) numbers
}

# A vector over levels, in their order: names say which level an entry is of, and without names it is its position.
# `absent` is what a level without an entry gets, where not each must have one. Bits name the levels of a yes/no
# question.
match_levels <- function(x, levels, arg, absent = NULL, bits = FALSE) {
  names <- names(x)
  if (is.null(names) || identical(names, levels)) return(unname(x))
  place <- match(names, levels)
  if (all(is.na(place)) && bits) place <- match_bits(names) %||% place
  missing <- setdiff(seq_along(levels), place)
  problem <- if (anyNA(place)) "{.val {names[is.na(place)][1]}} is not one."
    else if (anyDuplicated(place)) "{.val {names[anyDuplicated(place)]}} appears more than once."
    else if (length(missing) && is.null(absent)) "{.val {levels[missing[1]]}} is missing."
  if (!is.null(problem)) {
    abort(c("The names of {.arg {arg}} must be the levels, in any order.", x = problem,
            i = "The levels are {format_labels(levels)}. Without names the order is theirs."), "mismatch")
  }
  values <- rep(absent %||% NA_real_, length(levels))
  values[place] <- x
  values
}

# 1 for "0" and "FALSE", 2 for "1" and "TRUE", NA for any other label; NULL where no label is a bit.
match_bits <- function(labels) {
  for (bits in list(c("0", "1"), c("FALSE", "TRUE"))) {
    positions <- match(labels, bits)
    if (!all(is.na(positions))) return(positions)
  }
}

check_installed <- function(package, why) {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  abort(c("The package {.pkg {package}} is needed {why}.",
          i = "Install it with {.code install.packages(\"{package}\")}."), "package")
}
