# Checks speak the user's language: which argument, what it was, what is needed. Each returns its
# argument, ready for use. Formatting happens only when a check fails, so a good call pays nothing.

# Dates, factors and their like are no plain numbers.
is_numbers <- function(x) is.numeric(x) && !is.object(x)

is_number <- function(x) is_numbers(x) && length(x) == 1L && !is.na(x)

# The error for an argument that is wrong: it must be `noun`.
must_be <- function(x, arg, noun, class = "argument", remedy = NULL) {
  abort(
    c(paste0("{.arg {arg}} must be ", noun, "."), x = "It is {describe(x)}.", i = remedy), class
  )
}

# The argument if a condition is TRUE, else the error: for conditions that have no other check.
check_that <- function(is_valid, x, arg, noun, class = "argument") {
  if (isTRUE(is_valid)) invisible(x) else must_be(x, arg, noun, class)
}

check_number <- function(
  x, arg, min = -Inf, max = Inf, min_open = FALSE, max_open = FALSE, remedy = NULL
) {
  is_above <- is_number(x) && (if (min_open) x > min else x >= min)
  if (is_above && (if (max_open) x < max else x <= max)) {
    return(as.double(x))
  }
  range <- c(
    if (is.finite(min)) paste(if (min_open) "above" else "at least", number_text(min)),
    if (is.finite(max)) paste(if (max_open) "below" else "at most", number_text(max)),
    if ((min_open && min == -Inf) || (max_open && max == Inf)) "finite"
  )
  must_be(
    x, arg, trimws(paste("one number", paste(range, collapse = " and "))), remedy = remedy
  )
}

# A confidence level. 95 for 0.95 is the commonest slip.
check_conf_level <- function(x, arg = deparse1(substitute(x))) {
  check_number(
    x, arg, min = 0, max = 1, min_open = TRUE, max_open = TRUE,
    remedy = percent_remedy(x)
  )
}

# A significance level.
check_alpha <- function(x) check_conf_level(x, "alpha")

# The remedy if percent were given for a share, else NULL. Numbers up to 2 are rather positions or
# slips.
percent_remedy <- function(x) {
  if (is_number(x) && x > 2 && x <= 100) {
    sprintf("Did you mean %s?", number_text(x / 100, 15))
  }
}

# The range in which every digit of an epsilon survives the way to its probabilities and back to the
# estimates.
epsilon_range <- c(1e-12, 700)

check_epsilon <- function(x, remedy = NULL) {
  check_number(x, "epsilon", min = epsilon_range[1], max = epsilon_range[2], remedy = remedy)
}

check_epsilons <- function(x) vapply(check_grid(x, "epsilon", is_whole = FALSE), check_epsilon, 0)

check_grid <- function(x, arg, is_whole = TRUE) {
  in_range <- function(x) {
    if (is_whole) x >= 1 & x <= 2^53 & x == floor(x) else x > 0
  }
  is_valid <- is_numbers(x) && length(x) && all(is.finite(x) & in_range(x))
  noun <- paste(
    if (is_whole) "whole numbers, at least 1," else "finite numbers above 0", "which all differ"
  )
  as.double(check_that(is_valid && !anyDuplicated(x), x, arg, noun))
}

# Numbers above 0 and below `below`.
check_open <- function(x, arg, below = 1) {
  is_valid <- is_numbers(x) && length(x) && !anyNA(x) &&
    all(x > 0 & x < below)
  check_that(is_valid, x, arg, paste("numbers between 0 and", below))
  as.double(x)
}

check_probability <- function(x, arg) {
  # + 0 turns a negative zero, whose logarithm is not a number, into a zero.
  if (is_number(x) && x >= 0 && x <= 1) return(as.double(x) + 0)
  must_be(x, arg, "one probability, from 0 to 1", remedy = percent_remedy(x))
}

# A vector of probabilities whose sum is left to the caller.
check_probabilities <- function(x, arg) {
  numbers <- is_numbers(x) && length(x)
  bad <- if (numbers) x[is.na(x) | x < 0 | x > 1]
  if (!numbers || length(bad)) {
    must_be(
      if (numbers) bad[1] else x, arg, "probabilities, from 0 to 1", remedy = percent_remedy(bad[1])
    )
  }
  storage.mode(x) <- "double"
  x + 0
}

# The shares of a distribution, or of a table.
check_distribution <- function(x) {
  if (is.table(x)) x <- prop.table(as.vector(x))
  check_that(
    is_numbers(x) && length(x) > 1 && !anyNA(x) &&
      all(x >= 0) && abs(sum(x) - 1) <= 1e-8,
    x, "truth", "at least 2 probabilities that add up to 1"
  )
  as.double(x) / sum(x)
}

# The table of data; all else as it is.
tabulated <- function(x) {
  if (is.character(x) || is.logical(x) || is.factor(x)) table(x) else x
}

# A whole number that may be as large as a double counts exactly.
check_count <- function(x, arg, min = 0, max = 2^53) {
  if (is_number(x) && x >= min && x <= max && x == floor(x)) {
    return(as.double(x))
  }
  # Mention an extreme upper limit only when it is exceeded.
  is_limited <- max < .Machine$integer.max || (is_number(x) && x > max)
  range <- paste("one whole number,", if (is_limited) "from" else "at least", format_count(min))
  must_be(
    x, arg, paste0(range, if (is_limited) paste(" to", format_count(max)))
  )
}

# Significant digits to print: what format() takes.
check_digits <- function(x) check_count(x, "digits", min = 1, max = 22)

check_flag <- function(x, arg) {
  check_that(
    is.logical(x) && length(x) == 1L && !is.na(x), x, arg, "TRUE or FALSE"
  )
}

# One of the `choices`, in full, or the default vector itself, which means its first element. If
# `choices` is NULL, they are the default of the caller's argument, as in match.arg().
check_choice <- function(x, arg = deparse1(substitute(x)), choices = NULL) {
  choices <- choices %||% eval(formals(sys.function(sys.parent()))[[arg]])
  if (identical(x, choices)) return(choices[1L])
  if (is.character(x) && length(x) == 1L && x %in% choices) return(x)
  must_be(
    x, arg, paste("one of", toString(dQuote(choices, FALSE))),
    remedy = meant_of(x, choices)
  )
}

# A mechanism; one whose table is a column of the data only where these are given, `has_data`.
check_mechanism <- function(x, arg = "mechanism", has_data = FALSE) {
  if (inherits(x, "rr_mechanism")) {
    if (!has_data && !is.null(x[["labels"]])) refuse_without_labels()
    return(x)
  }
  must_be(
    x, arg, "a mechanism",
    remedy = if (is.list(x)) {
      "Several designs are for {.fn rr_pool}, or for {.arg arm} in {.fn rr_glm}."
    } else {
      paste(
        "Describe how the answers were randomized: {.fn rr_grr}, {.fn rr_binary},",
        "{.fn rr_forced}, ..., or {.fn rr_channel} of a matrix of probabilities."
      )
    }
  )
}

check_formula <- function(formula, response = TRUE) {
  check_that(
    inherits(formula, "formula") && (!response || length(formula) == 3L), formula, "formula",
    "a formula with a response, as in {.code answer ~ age + sex}"
  )
}

check_one_sided <- function(formula, arg) {
  check_that(inherits(formula, "formula") && length(formula) == 2L, formula, arg,
             "a one-sided formula, as in {.code ~ age}")
}

# An object of one of the classes; `noun` is these in words.
check_class <- function(x, arg, class, noun) {
  if (inherits(x, class)) x else must_be(x, arg, noun)
}

# An error for arguments in `...`, which are almost always misspelt ones, and for required ones that
# are missing.
check_dots_empty <- function(...) {
  if (...length() == 0L) return(check_given(sys.function(sys.parent()), parent.frame()))
  names <- ...names() %||% rep("", ...length())
  if (!all(nzchar(names))) abort("Arguments after the first ones must be named.")
  drops_missing <- "na.action" %in% names(formals(sys.function(sys.parent())))
  abort(c(
    paste(
      "{cli::qty(length(names))}{?This argument is/These arguments are} not known here:",
      "{.arg {names}}."
    ),
    i = if ("na.rm" %in% names && drops_missing) {
      "Rows with missing values are dropped, unless {.arg na.action} says otherwise."
    }
  ))
}

# An error if an argument without a default is missing.
check_given <- function(verb, frame) {
  needed <- Filter(function(default) identical(default, quote(expr = )), formals(verb))
  for (name in setdiff(names(needed), "...")) {
    if (eval(call("missing", as.name(name)), frame)) abort("{.arg {name}} must be given.")
  }
}

# Text in the encoding that R compares and converts without asking: labels of latin1 files become
# UTF-8.
check_text <- function(text, arg, unreadable = FALSE, answers = FALSE) {
  bad <- which(unreadable | Encoding(text) == "bytes" | !validEnc(text))
  if (length(bad)) {
    # An answer of a respondent is not shown.
    bytes <- if (!answers) {
      paste0(
        ": ",
        encodeString(iconv(text[bad[1]], "latin1", "ASCII", "byte"), quote = "\"")
      )
    }
    abort(c(
      "{.arg {arg}} must be text that can be read.",
      x = paste(
        "{if (answers) 'Answer' else 'Entry'} {format_count(bad[1])} is not valid in its",
        "encoding{bytes}."
      ),
      i = if (validUTF8(text[bad[1]])) "If it is UTF-8, say so: {.code Encoding(x) <- \"UTF-8\"}."
    ))
  }
  enc2utf8(text)
}

# Text of which every byte counts, as hash functions read it. In a locale that is not of UTF-8,
# enc2utf8() writes bytes that the locale does not know as "<c3><a9>": another text than respondents
# in other sessions have.
check_hashed_text <- function(text, arg, answers = FALSE) {
  foreign <- !l10n_info()[["UTF-8"]] & Encoding(text) == "unknown" & !is.na(text) &
    is.na(iconv(text, to = "UTF-8"))
  check_text(text, arg, foreign, answers)
}

# list(labels, numeric, ordered): labels from labels, or from a number of categories. `ordered` is
# TRUE if they are an ordered factor. `numeric` has the numbers that the labels are (levels 0:9, or
# "0" to "9"), NULL if numbers in the data can only be positions.
check_levels <- function(levels, arg = "levels") {
  if (is.ordered(levels)) {
    return(c(check_levels(base::levels(levels), arg), ordered = TRUE))
  }
  if (is.factor(levels)) levels <- base::levels(levels)
  if (is_numbers(levels) && length(levels) == 1L) {
    k <- check_count(levels, arg, min = 2, max = .Machine$integer.max)
    # The numbers of many categories are the positions; a yes/no question would take them for 0 and
    # 1.
    return(list(
      labels = as.character(seq_len(k)),
      numeric = if (k == 2) c(1, 2)
    ))
  }
  is_valid <- is.character(levels) || is.logical(levels) || is_numbers(levels)
  check_that(is_valid && length(levels) >= 2L && !anyNA(levels), levels, arg,
             "labels of at least 2 categories, none of them NA, or a number of categories")
  numeric <- if (is.numeric(levels)) as.double(levels)
  labels <- if (is.null(numeric)) check_text(as.character(levels), arg) else label_text(levels)
  check_label_bytes(labels, arg)
  if (is.null(numeric) && !is.null(numeric <- label_numbers(labels))) {
    # R may have written them with an exponent.
    index <- which(!is.na(numeric))
    labels[index] <- number_text(numeric[index])
  }
  check_labels_differ(labels, if (is.character(levels)) written_numbers(labels), arg)
  list(labels = labels, numeric = numeric)
}

# An error if labels are equal. Text that is all numbers differs if these do.
check_labels_differ <- function(labels, numbers, arg) {
  twice <- anyDuplicated(if (anyNA(numbers)) labels else numbers %||% labels)
  if (twice) abort("{.arg {arg}} must all differ: {.val {labels[twice]}} appears twice.")
}

# An error for labels of more than 10,000 bytes: functions that print labels fail with millions of
# letters.
check_label_bytes <- function(labels, arg) {
  if (max(nchar(labels, "bytes"), 0) > 1e4) {
    abort("{.arg {arg}} must be labels of at most 10,000 bytes.")
  }
}

# Levels given as an ordered factor keep their order in pictures.
with_order <- function(mechanism, levels) {
  if (isTRUE(levels$ordered)) mechanism$ordered <- TRUE
  mechanism
}

# The numbers that labels of text are when written as number_text() writes numbers, or as R does
# (1e+05). NA for other labels; NULL if no label is one.
label_numbers <- function(labels) {
  numbers <- written_numbers(labels)
  odd <- which(number_text(numbers) != labels)
  numbers[odd[!grepl("^-?[1-9]([.][0-9]*[1-9])?e[+][0-9]{2}$", labels[odd])]] <- NA
  if (!all(is.na(numbers))) numbers
}

# A vector over levels, in their order: names say which level an entry is of, and without names it
# is its position. `absent` is the value of a level without an entry; if it is NULL each level must
# have one. `bits` are the positions of no and yes if 0 and 1 may be names of levels.
match_levels <- function(x, levels, arg, absent = NULL, bits = NULL) {
  names <- names(x)
  if (is.null(names) || identical(names, levels)) return(unname(x))
  index <- match(names, levels)
  if (all(is.na(index)) && !is.null(bits)) {
    index <- bit_positions(names, bits) %||% index
  }
  missing <- setdiff(seq_along(levels), index)
  if (anyNA(index) || anyDuplicated(index) || (length(missing) && is.null(absent))) {
    wrong <- c(names[is.na(index) | duplicated(index)], levels[missing])
    odd <- wrong[1]
    abort(
      c(
        "The names of {.arg {arg}} must be the levels, each once, in any order.",
        x = "{.val {odd}} is not.", i = "The levels are {format_labels(levels)}."
      ),
      "mismatch"
    )
  }
  values <- rep(absent %||% NA_real_, length(levels))
  values[index] <- x
  values
}

# 1 for "0" and "FALSE", 2 for "1" and "TRUE", NA for any other label; NULL if no label is a bit.
match_bits <- function(labels) {
  positions <- match(labels, c("0", "1"))
  if (all(is.na(positions))) positions <- match(labels, c("FALSE", "TRUE"))
  if (!all(is.na(positions))) positions
}

# The positions in `bits` of labels that are bits, NA for any other label; NULL if no label is a
# bit.
bit_positions <- function(labels, bits) {
  no_yes <- match_bits(labels)
  if (!is.null(no_yes)) unname(bits[no_yes])
}

check_installed <- function(package, why) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort(c("The package {.pkg {package}} is needed {why}.",
            i = "Install it with {.code install.packages(\"{package}\")}."), "package")
  }
}

# ---- work that will not fit in the machine's memory is refused before it begins ----

# The bytes of main memory that are free, or that the process may have; infinite if the system does
# not state them.
machine_memory <- function() {
  stated <- function(file, name) {
    lines <- tryCatch(
      readLines(file, warn = FALSE), error = function(e) "", warning = function(w) ""
    )
    is_stated <- grepl(sprintf("^%s:? *[0-9]+", name), lines)
    if (any(is_stated)) {
      as.numeric(sub(sprintf("^%s:? *([0-9]+).*", name), "\\1", lines[is_stated][1]))
    } else {
      Inf
    }
  }
  min(
    1024 * stated("/proc/meminfo", "MemAvailable"), stated("/proc/self/limits", "Max address space")
  )
}

check_memory <- function(bytes, arg, noun) {
  if (bytes > machine_memory()) {
    abort(
      c(
        "{.arg {arg}} is too large for this machine's memory.",
        x = "{noun} would take {format_bytes(bytes)}."
      ),
      c("too_large", "argument")
    )
  }
}

format_bytes <- function(bytes) {
  power <- min(floor(log(bytes, 1000)), 8)
  units <- c("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")
  paste(format(signif(bytes / 1000^power, 2)), units[power + 1])
}

# The attribute "seed" that stats::simulate() describes. A seed is for the calling function alone,
# as in simulate() of lm(); if there is none R's generator goes on.
keep_seed <- function(seed, frame = parent.frame()) {
  if (!is.null(seed)) {
    check_count(seed, "seed", min = -.Machine$integer.max, max = .Machine$integer.max)
  }
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) runif(1)
  state <- get(".Random.seed", envir = globalenv(), inherits = FALSE)
  if (is.null(seed)) return(invisible(state))
  do.call(
    on.exit,
    list(
      bquote(assign(".Random.seed", .(state), envir = globalenv())),
      add = TRUE
    ),
    envir = frame
  )
  set.seed(seed)
  invisible(structure(seed, kind = as.list(RNGkind())))
}

# The rows that `parm` says by label or position; all where it is NULL.
match_rows <- function(parm, labels, what, arg = "parm") {
  if (is.null(parm)) return(seq_along(labels))
  index <- if (is.character(parm)) {
    match(parm, labels)
  } else if (is.numeric(parm)) {
    match(parm, seq_along(labels))
  }
  if (length(index) && !anyNA(index)) return(index)
  example <- if (is.atomic(parm) && length(parm)) {
    parm[is.na(index)][1]
  } else {
    describe(parm)
  }
  abort(
    c(
      "{.arg {arg}} must hold labels or positions of {what}.", x = "{.val {example}} is not one.",
      i = if (length(meant_of(parm, labels))) "{meant_of(parm, labels)}",
      i = "The {what} are {format_labels(labels)}."
    ),
    "level"
  )
}

# The error if a mechanism of labels is used without the data that hold them.
refuse_without_labels <- function() {
  abort(
    c(
      "The labels of {.arg mechanism} are a column of the data.",
      i = "Give both to {.fn rr_estimate}: a data frame, or a survey design."
    ),
    c("law", "argument")
  )
}
