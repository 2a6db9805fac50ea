# The one place that throws. `message` is a cli bullet list: headline, x = what it was, i = how to mend it.
# Further arguments become fields of the error.
abort <- function(message, class, ..., .envir = parent.frame()) {
  # Numbers have a point, whatever the session writes.
  old <- options(OutDec = ".")
  on.exit(options(old))
  cli::cli_abort(message, class = c(paste0("candor_error_", class), "candor_error"), call = user_frame(), ...,
                 .envir = .envir)
}

# The frame of the function of this package that the user called: going outwards from here, the outermost frame of this
# package before code of others. Packages that only pass calls on do not end the search: a verb may be called through
# lapply() or a generic. Nor does it go on from a call that the user wrote as an argument, as a pipe does: the function
# that asked for the argument stands further out, but did not call it. The search costs time only when something fails.
user_frame <- function() {
  ours <- topenv()
  # Is frame k a method, and the frame before it that of its generic? Both have the same caller and the same arguments.
  is_dispatched <- function(k) {
    k > 1L && sys.parents()[k] == sys.parents()[k - 1L] &&
      identical(as.list(sys.call(k))[-1L], as.list(sys.call(k - 1L))[-1L])
  }
  found <- NULL
  for (k in rev(seq_len(sys.nframe()))) {
    top <- topenv(environment(sys.function(k)) %||% baseenv())
    if (identical(top, ours)) {
      found <- k
      from <- topenv(sys.frame(sys.parents()[k]))
      if (!identical(from, ours) && !passes_calls_on(from) && !is_dispatched(k)) break
    } else if (!passes_calls_on(top)) {
      break
    }
  }
  if (!is.null(found)) sys.frame(found)
}

passes_calls_on <- function(top) {
  identical(top, baseenv()) || (isNamespace(top) && getNamespaceName(top) %in%
    c("base", "cli", "generics", "ggplot2", "methods", "rlang", "stats", "tibble", "utils", "vctrs"))
}

warn <- function(message, class, .envir = parent.frame()) {
  cli::cli_warn(message, class = c(paste0("candor_warning_", class), "candor_warning"),
                .envir = .envir)
}

# What an error says, in one line, without the marks of its bullets.
plain_message <- function(error) {
  if (!inherits(error, "rlang_error")) return(conditionMessage(error))
  lines <- strsplit(cli::ansi_strip(conditionMessage(error)), "\n", fixed = TRUE)[[1]]
  paste(c(lines[1], sub("^([xi!*\u2139]|[^[:alnum:]`\"(<{]+) ", "", lines[-1])), collapse = " ")
}

# The error of src/glue.c when a kernel refuses a value that no check in R caught. It names the kernel, not an argument.
# If users can get here, a check is missing; the class of the error is right all the same.
abort_status <- function(class, kernel, meaning) {
  abort(c("This cannot be computed from these numbers.", x = "{kernel}: {meaning}."), class)
}

# The kind of a value and never the value itself: for errors about a respondent's answer.
describe_kind <- function(x) {
  if (is.object(x) && !is.data.frame(x)) return(sprintf("an object of class %s", class(x)[1]))
  if (is.atomic(x) && length(x) == 1L) {
    return(switch(typeof(x), character = "text", double = , integer = "a number", logical = "TRUE or FALSE",
                  sprintf("of type %s", typeof(x))))
  }
  describe(x)
}

# How a value looks in the "It is ..." line of an error: short, and never a page of numbers.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(sprintf("a data frame with %d columns", length(x)))
  kind <- if (is.object(x)) paste0("an object of class ", class(x)[1]) else
    switch(typeof(x), character = "text", double = "a number", integer = "a number",
           logical = "TRUE or FALSE", list = "a list", paste("of type", typeof(x)))
  if (length(x) == 1 && is.atomic(x)) {
    if (is.character(x) && !is.na(x)) return(encodeString(x, quote = "\""))
    return(format(as.vector(x), digits = 15))
  }
  if (is.atomic(x) && !is.object(x)) {
    kind <- switch(typeof(x), character = "a character", double = "a numeric", integer = "an integer",
                   paste("a", typeof(x)))
    return(sprintf("%s vector of length %s", kind, format_count(length(x))))
  }
  kind
}

# "92% larger", or "93 times as large": nobody reads 9200%.
larger_words <- function(ratio) {
  if (ratio < 2) sprintf("%s%% larger", format(100 * (ratio - 1), digits = 2))
  else sprintf("%s times as large", format(ratio, digits = 2, big.mark = ",", decimal.mark = "."))
}

# 1,000,000 and not 1e+06.
format_count <- function(x) {
  format(x, big.mark = ",", decimal.mark = ".", trim = TRUE, scientific = FALSE, drop0trailing = TRUE, digits = 15)
}
