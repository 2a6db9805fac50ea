# This file turns values of other packages and files into base R's types, and into text, tables and
# counts.

# Numbers without the class integer64, whose values are 64-bit integers in the bits of doubles. They
# are read without bit64, whose methods may not be loaded: the halves as 32-bit integers, the lower
# one without a sign.
plain_numbers <- function(x) {
  if (!inherits(x, "integer64")) return(x)
  bytes <- writeBin(as.vector(unclass(x)), raw())
  halves <- matrix(readBin(bytes, "integer", 2L * length(x), 4L), 2L)
  if (.Platform$endian == "big") halves <- halves[2:1, , drop = FALSE]
  low <- as.double(halves[1, ])
  low[is.na(low)] <- -2^31
  low[low < 0] <- low[low < 0] + 2^32
  structure(
    halves[2, ] * 2^32 + low,
    names = names(x),
    dim = dim(x)
  )
}

is_labelled <- function(x) inherits(x, c("haven_labelled", "labelled"))

# Labelled values, NA if the file declares them to be missing.
without_missing_codes <- function(x) {
  limits <- attr(x, "na_range", exact = TRUE)
  class <- oldClass(x)
  x <- unclass(x)
  is_missing <- x %in% attr(x, "na_values", exact = TRUE)
  if (length(limits) == 2L) {
    is_missing <- is_missing |
      (!is.na(x) & x >= limits[1] & x <= limits[2])
  }
  x[is_missing] <- NA
  oldClass(x) <- class
  x
}

# The numbers of data without a class that leaves them as they are, such as I(), ts(), or that of
# labelled columns.
data_numbers <- function(x) {
  if (is_labelled(x)) x <- without_missing_codes(x)
  if (is.numeric(x) &&
      (is_labelled(x) || inherits(x, c("AsIs", "ts")))) {
    as.vector(unclass(x))
  } else {
    plain_numbers(x)
  }
}

# The numbers of a column, which files and databases may give as text. If one is no number, the
# column stays as it is.
column_numbers <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  x <- plain_numbers(x)
  if (!is.character(x)) return(x)
  numbers <- suppressWarnings(as.numeric(x))
  is_text <- is.na(numbers) & !is.na(x) & nzchar(trimws(x)) & x != "NA"
  if (any(is_text)) x else numbers
}

# Numbers as text, each the same whatever its type and the options of the session: whole ones
# without an exponent, others with as many digits as give the same number again.
number_text <- function(x, digits = 17) {
  if (is.integer(x)) return(as.character(x))
  x <- as.double(plain_numbers(x))
  text <- rep(NA_character_, length(x))
  is_whole <- !is.na(x) & x == floor(x) & is.finite(x)
  text[is_whole] <- sprintf("%.0f", x[is_whole] + 0)
  is_fraction <- !is.na(x) & !is_whole
  text[is_fraction] <- sprintf("%.15g", x[is_fraction])
  short <- if (digits > 15) which(is_fraction & as.numeric(text) != x)
  text[short] <- sprintf("%.17g", x[short])
  text
}

# The text of labels. Numbers have the 15 digits that R and files show, unless two of them would be
# the same.
label_text <- function(x) {
  if (!is.numeric(x)) return(as.character(x))
  text <- number_text(x, digits = 15)
  if (anyDuplicated(text[!duplicated(x)])) number_text(x) else text
}

# The number of text, however it is written. NA for other text, and from 2^53 on, where a double no
# longer holds every unit.
written_numbers <- function(text) {
  numbers <- rep(NA_real_, length(text))
  is_valid <- grepl("^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$", text, perl = TRUE)
  numbers[is_valid] <- as.numeric(text[is_valid])
  numbers[which(abs(numbers) >= 2^53)] <- NA
  numbers
}

# The ends of a range of numbers: "0 to 24".
range_words <- function(range) {
  paste(format(range, digits = 15, trim = TRUE), collapse = " to ")
}

# "1 element", "50 elements".
number_of <- function(n, noun, plural = "s") {
  paste0(format_count(n), " ", noun, if (n != 1) plural)
}

# "1 category", "50 categories".
category_words <- function(k) {
  paste(format_count(k), if (k == 1) "category" else "categories")
}

# The label that somebody may have meant by the first of some names that is none: the nearest by
# edits, whatever its case, for an error; NULL if none is near.
meant_of <- function(names, labels) {
  if (!is.character(names) && !is.factor(names)) return(NULL)
  value <- setdiff(as.character(names), labels)[1]
  # Text in an undeclared encoding is near nothing.
  is_readable <- !is.na(value) && !is.na(nchar(value, allowNA = TRUE))
  if (!is_readable || length(labels) > 1e4) return(NULL)
  distance <- as.vector(utils::adist(trimws(value), labels, ignore.case = TRUE))
  index <- which.min(distance)
  near <- length(index) && distance[index] <= max(1, nchar(value) %/% 3) &&
    distance[index] < nchar(labels[index])
  if (near) sprintf("Did you mean %s?", encodeString(labels[index], quote = "\""))
}

# The text of a factor, or an error: codes may be no positions of its levels if it was made by hand
# or damaged.
factor_text <- function(x, arg) {
  codes <- x
  attributes(codes) <- NULL
  if (is.integer(codes) && is.character(levels(x)) &&
      all(is.na(codes) | (codes >= 1L & codes <= length(levels(x))))) {
    return(levels(x)[codes])
  }
  abort("{.arg {arg}} must be a proper factor, whose codes are all places among its levels.")
}

# The number of standard deviations that a two-sided interval reaches. It is from the upper tail,
# which keeps its digits if the confidence level is next to 1.
normal_quantile <- function(conf.level) qnorm((1 - conf.level) / 2, lower.tail = FALSE)

capitalise <- function(text) {
  paste0(toupper(substr(text, 1, 1)), substring(text, 2))
}

# ---- tables of results ----

# The columns that tables of tallies, fits and traces, and regressions of tallies, put next to the
# groups and the questions.
result_columns <- c(
  "term", "count", "share", "estimate", "std.error", "conf.low", "conf.high", ".fitted", ".resid",
  ".report", ".count", "iteration", "loglik", "gap"
)

check_result_names <- function(names, must_not) {
  reserved <- intersect(names, result_columns)
  if (length(reserved)) {
    abort(c(paste(must_not, "the names of result columns."), x = "{.val {reserved[1]}} is one."))
  }
}

# A data frame with a further class and further attributes. (structure() would leave row names that
# are no longer automatic.)
with_class <- function(table, class, ...) {
  attributes <- list(...)
  for (name in names(attributes)) attr(table, name) <- attributes[[name]]
  class(table) <- c(class, base::class(table))
  table
}

# A table as a data frame without further classes. data.frame() hands on the arguments of
# as.data.frame(); what other packages add is ignored.
plain_frame <- function(table, row.names = NULL, optional = FALSE, ..., stringsAsFactors = FALSE) {
  warn_ignored(..., accepted = names(formals()))
  frame <- as.data.frame(table)
  if (stringsAsFactors) {
    frame[] <- lapply(frame, function(column) {
      if (is.character(column)) factor(column) else column
    })
  }
  if (!is.null(row.names)) row.names(frame) <- row.names
  frame
}

clamp <- function(x, low = 0, high = 1) pmin(pmax(x, low), high)

# The values of `cells`, if `x` has those of all cells, or of the first and repeats them.
values_of_cells <- function(x, cells) x[(cells - 1) %% length(x) + 1]

# Standard errors, NA if the unbiased estimate of a variance is below 0.
sqrt_or_na <- function(variance) sqrt(ifelse(variance < 0, NA_real_, variance))

# The sum of each group, 0 for a group without values.
group_sums <- function(values, groups, n_groups) {
  as.vector(
    rowsum(c(values, numeric(n_groups)), c(groups, seq_len(n_groups)))
  )
}

# The tables of all groups as one, with the keys of the groups first.
bind_groups <- function(tables, groups) {
  rows <- rep(seq_along(tables), vapply(tables, nrow, 0L))
  as_tibble(c(
    lapply(as.list(groups), `[`, rows), as.list(do.call(rbind, tables))
  ))
}

# Do shares add up to 1? "base_cut" and "power" leave the sum free.
adds_up <- function(theta) abs(sum(theta) - 1) <= 1e-6

# The matrix that confint() gives, its columns named as R does: "2.5 %".
bounds_matrix <- function(low, high, conf.level, labels) {
  tails <- format(
    50 * c(1 - conf.level, 1 + conf.level), trim = TRUE, digits = 3,
    scientific = FALSE, decimal.mark = "."
  )
  matrix(
    c(low, high), ncol = 2, dimnames = list(labels, paste(tails, "%"))
  )
}

# One label for each row of group keys: "north" or, of two keys, "north.2024".
group_labels <- function(groups) {
  if (!is.null(groups)) {
    do.call(paste, c(lapply(unname(as.list(groups)), label_text), sep = "."))
  }
}

# P-values as text: a number that double precision cannot tell from 0 is "<2e-16".
format_p <- function(table, digits) {
  p <- intersect(c("p.value", "p.adjusted"), names(table))
  table[p] <- lapply(
    table[p], format.pval, digits = max(1, digits - 1)
  )
  table
}

# Estimates, standard errors and limits as text with equally many decimals: one significant digit
# less than `digits` of the smallest standard error. If a column would have more than nine digits,
# R's own format stands.
format_estimates <- function(table, digits) {
  columns <- intersect(c("estimate", "std.error", "conf.low", "conf.high"), names(table))
  error <- table[["std.error"]]
  error <- error[is.finite(error) & error > 0]
  if (!length(error) || !"estimate" %in% columns ||
      !all(vapply(table[columns], is.numeric, NA))) {
    return(table)
  }
  decimals <- max(
    0, max(digits - 1, 1) - 1 - floor(log10(min(error)))
  )
  numbers <- unlist(table[columns])
  n_digits <- decimals + log10(max(1, abs(numbers[is.finite(numbers)])))
  if (n_digits > max(9, digits)) return(table)
  # Adding 0 turns -0 into 0.
  table[columns] <- lapply(table[columns], function(x) {
    formatC(round(x, decimals) + 0, format = "f", digits = decimals)
  })
  table
}

# The lines of a heading; those that are longer than a terminal's are cut into several.
within_80 <- function(lines) {
  wide <- nchar(lines) > 80
  lines <- as.list(lines)
  lines[wide] <- lapply(lines[wide], function(line) {
    indent <- nchar(sub("^( *).*", "\\1", line))
    # A number stays beside its name, and text in its column. strwrap() takes \001 to have no width.
    joined <- gsub(" (?=[= ])|(?<=[= ]) ", "\001", trimws(line, "left"), perl = TRUE)
    width <- 81 - sum(strsplit(joined, "")[[1]] == "\001")
    wrapped <- strwrap(joined, width, indent = indent, exdent = indent + 2)
    gsub("\001", " ", wrapped, fixed = TRUE)
  })
  unlist(lines)
}

# A print of the first rows of a table, and of how many more there are.
print_rows <- function(table, n, digits, total = nrow(table)) {
  rows <- as.data.frame(head(table, n))
  # A share of 1e-17 is a rounding of 0, and would have all others printed as 1.000e+00.
  if (is.numeric(rows$estimate)) {
    rows$estimate[which(abs(rows$estimate) < 1e-15)] <- 0
  }
  print(format_p(format_estimates(rows, digits), digits), digits = digits, row.names = FALSE)
  if (total > n) cat("  ... and ", format_count(total - n), " more; see tidy()\n", sep = "")
}

# ---- drawing counts: multinomial, and whole numbers that stand for shares ----

# The largest number of draws of R's own generators of counts; the core's take words from a stream
# whose name R's generator draws.
largest_size <- .Machine$integer.max

draw_seed <- function() {
  sum(floor(runif(2) * 2^26) * c(2^26, 1))
}

draw_multinomial <- function(nsim, n, shares) {
  if (n > largest_size) {
    return(.Call(
      C_rr_study_counts, as.double(shares / sum(shares)), NULL, n, 1, 0, Inf,
      draw_seed(), 0, 0, nsim
    ))
  }
  do.call(cbind, lapply(chunks(nsim, length(shares)), function(chunk) {
    # rmultinom() does not look for interrupts, and the few other calls here do not either.
    Sys.sleep(0)
    rmultinom(chunk[2], n, shares)
  }))
}

# A list of c(first, number) of chunks: `end` columns of `size` numbers in chunks of about 200,000
# numbers. They stay in the processor's cache and take an interrupt between them.
chunks <- function(end, size) {
  step <- max(1, floor(2e5 / size))
  first <- seq(0, end - 1, by = step)
  Map(c, first, pmin(step, end - first))
}

# Whole counts closest to n * shares that add up to n.
whole_shares <- function(n, shares) {
  exact <- n * shares
  whole_numbers <- floor(exact)
  short <- round(n - sum(whole_numbers))
  if (short > 0) {
    first <- head(
      order(exact - whole_numbers, decreasing = TRUE), min(short, length(whole_numbers))
    )
    whole_numbers[first] <- whole_numbers[first] + 1
  }
  # Near 2^53 the products are themselves rounded to whole numbers, and by more than one in all.
  largest <- which.max(whole_numbers)
  whole_numbers[largest] <- whole_numbers[largest] + (n - sum(whole_numbers))
  whole_numbers
}

# ---- arguments that a method ignores ----

# A warning of arguments in `...` that a method does not use, often misspelt ones. `accepted` are
# the names of its arguments. Methods of generics of other packages begin with this, see R/zzz.R.
# Only the writer of the call gets the warning: other packages hand their arguments to methods of
# all classes.
warn_ignored <- function(..., accepted) {
  if (...length() == 0L) return(invisible())
  ours <- topenv()
  # Functions of this package, and lapply() and its like, pass on their arguments.
  n <- 2
  repeat {
    from <- parent.frame(n)
    home <- parent.env(from)
    applies <- identical(home, .BaseNamespaceEnv) && exists("FUN", from, inherits = FALSE)
    if (!applies && !identical(home, ours)) break
    n <- n + 1
  }
  # Tests run in a copy of this package's namespace.
  caller <- topenv(from)
  if (isNamespace(caller) && getNamespaceName(caller) != getNamespaceName(ours)) return(invisible())
  names <- unique(...names() %||% "")
  accepted <- setdiff(accepted[-1L], "...")
  names[!nzchar(names)] <- "(unnamed)"
  warn(
    c(
      "{cli::qty(names)}{?This argument was/These arguments were} ignored: {.arg {names}}.",
      i = meant_of(names, accepted) %||% if (length(accepted)) "Known are {.arg {accepted}}."
    ),
    "argument"
  )
}

# The fits among the arguments of anova(). Other arguments, such as a test, are no models.
given_models <- function(..., accepted) {
  arguments <- list(...)
  models <- vapply(arguments, is.list, NA)
  do.call(
    warn_ignored, c(arguments[!models], accepted = list(accepted)), envir = parent.frame()
  )
  arguments[models]
}
