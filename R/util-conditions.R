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

#' Conditions: errors, warnings and messages
#'
#' Every error has class `candor_error` and a second class for its kind. Warnings have class `candor_warning`, and messages a class of their own. Catch them by class, as in
#' `tryCatch(..., candor_error_level = function(e) ...)`.
#'
#' | error | cause |
#' |---|---|
#' | `candor_error_argument` | an argument of the wrong type, shape or range, or an unknown argument |
#' | `candor_error_level` | an answer that is not a level |
#' | `candor_error_report` | a value that is not a report of the mechanism |
#' | `candor_error_missing` | missing values |
#' | `candor_error_counts` | negative, non-finite or fractional counts |
#' | `candor_error_empty` | nothing was tallied |
#' | `candor_error_mismatch` | objects of different mechanisms, or names that are not the levels |
#' | `candor_error_no_information` | reports that do not depend on the truth |
#' | `candor_error_law` | something that the law of the reports does not allow, see [rr_law()] |
#' | `candor_error_impossible` | a report that no truth can produce |
#' | `candor_error_precision` | numbers beyond double precision, or an epsilon that cannot be drawn |
#' | `candor_error_too_large` | an object that would not fit in memory |
#' | `candor_error_order` | joint counts that were not tallied, or too many of them |
#' | `candor_error_entropy`, `candor_error_generator` | no randomness from the operating system; numbers of R's generator outside 0 to 1 |
#' | `candor_error_database`, `candor_error_file`, `candor_error_chunk` | a database, file or chunk that cannot be used |
#' | `candor_error_package` | a suggested package that is not installed |
#'
#' | warning | cause |
#' |---|---|
#' | `candor_warning_not_converged` | the likelihood was not maximized to the tolerance |
#' | `candor_warning_infinite`, `candor_warning_maxima` | a regression whose likelihood is largest at infinity, or has two maxima of nearly the same height |
#' | `candor_warning_boundary` | estimates at 0 or 1, whose standard errors are too small |
#' | `candor_warning_unlikely` | no truth makes the reports of a regression likely |
#' | `candor_warning_variance`, `candor_warning_indefinite`, `candor_warning_ratio`, `candor_warning_saturated` | noisy sets: large standard errors, an indefinite covariance, a Jaccard index near 0/0, a full sketch |
#' | `candor_warning_precision` | an achieved epsilon below the nominal epsilon |
#' | `candor_warning_memory` | a memoized mechanism without its memory, or with respondents in another order |
#' | `candor_warning_delta`, `candor_warning_linked` | shuffling with a large delta, or of reports that can be linked |
#' | `candor_warning_reveals` | cards that hide nothing, or not a truth of 0 |
#' | `candor_warning_information` | a random intercept about which the reports carry little information |
#' | `candor_warning_weights` | counts of a validation study that are not whole |
#' | `candor_warning_incomplete`, `candor_warning_file` | a study that was not finished, or its file not written |
#'
#' | message | about |
#' |---|---|
#' | `candor_message_missing`, `candor_message_empty` | missing values that were dropped; groups in which nobody answered |
#' | `candor_message_keep` | columns that [rr_perturb()] kept or left out |
#' | `candor_message_weights`, `candor_message_design` | weights that may be survey weights; designs whose tally has no clusters and strata |
#' | `candor_message_counts`, `candor_message_percentages` | counts given as data; counts that add up to 100 |
#' | `candor_message_dimensions`, `candor_message_labelled`, `candor_message_numbers` | tables without names; labelled numbers; covariates that are text of numbers |
#' | `candor_message_order`, `candor_message_reading` | levels in the order yes, no, or without an order; 1 or `TRUE` that is read as "no" |
#' | `candor_message_aliased` | coefficients that the others determine |
#' | `candor_message_chunks` | chunks that were counted before |
#' | `candor_message_memory` | reports that carry their memory |
#' | `candor_message_method`, `candor_message_composite`, `candor_message_no_intervals`, `candor_message_wald`, `candor_message_ranked`, `candor_message_boundary` | how an estimate or its interval was computed |
#' | `candor_message_floor`, `candor_message_untested`, `candor_message_height` | a margin that no sample size reaches; compliance that reports cannot show; the height that a picture needs |
#'
#' Methods of generics of other packages (`tidy()`, `confint()`, `predict()`, `autoplot()`, ...) ignore unknown arguments, except for near misses such as `conf_level`.
#'
#' @section Errors:
#' See above.
#' @references Conditions of base R: [base::conditions].
#' @seealso [candor-package]; [tryCatch()].
#' @concept error classes
#' @concept warnings
#' @name candor_conditions
#' @examples
#' # Which value was not a level?
#' error <- tryCatch(rr_tally(c("yes", "perhaps"), rr_warner(0.8)), candor_error_level = identity)
#' conditionMessage(error)   # report 2
NULL
