#' Errors, warnings and messages of candor
#'
#' Every condition has a class of its kind, so that code can catch it: `tryCatch(..., candor_error_level = function(e) ...)`. All errors also have the class `candor_error`, and all warnings
#' `candor_warning`. The pages of the functions name the classes that need an explanation there. An unknown argument, such as a misspelled
#' `conf_level`, is an error in the package's own functions. Methods of generics of other packages, such as `confint()` and `predict()`, ignore it with a warning. They give no
#' warning if another package makes the call, because packages pass arguments that are meant for other classes.
#'
#' @section Errors of arguments and data:
#' * `candor_error_argument`: an argument of the wrong type, shape or range, or an unknown argument.
#' * `candor_error_level`: a label that is not a category, a group or an estimate.
#' * `candor_error_report`: something that is not a report of the mechanism.
#' * `candor_error_missing`: missing values.
#' * `candor_error_counts`: negative, non-finite or fractional counts.
#' * `candor_error_empty`: nothing was tallied.
#' * `candor_error_mismatch`: two objects of different mechanisms, or names that are not the levels.
#' * `candor_error_order`: joint counts that were not tallied, or too many of them.
#' * `candor_error_too_large`: an object that would not fit in memory.
#' * `candor_error_file`: a file that cannot be written, or holds no tally.
#' * `candor_error_chunk`: a chunk that cannot be tallied, see [`?chunks`][chunks].
#' * `candor_error_database`: a database that did not answer, or whose table changed meanwhile.
#' * `candor_error_package`: a suggested package that is not installed.
#'
#' @section Errors of statistics:
#'
#' * `candor_error_no_information`: the reports do not depend on the truth.
#' * `candor_error_impossible`: a report that no truth can produce.
#' * `candor_error_law`: something that the law of the reports does not provide, see [rr_law()].
#' * `candor_error_precision`: counts too different in size for double precision, or an epsilon out of reach of the probabilities that can be drawn.
#' * `candor_error_stalled`: no start of a regression leads to an estimate.
#' * `candor_error_entropy`: the operating system gave no randomness.
#' * `candor_error_generator`: R's generator did not return numbers between 0 and 1.
#'
#' @section Warnings:
#' * `candor_warning_argument`: an argument that a method ignored.
#' * `candor_warning_not_converged`: the likelihood was not maximized to the tolerance.
#' * `candor_warning_infinite`: the likelihood of a regression is largest at infinity.
#' * `candor_warning_maxima`: a regression has another maximum of nearly the same height.
#' * `candor_warning_unlikely`: no truth makes the reports likely.
#' * `candor_warning_information`: too few reports per group for a random intercept.
#' * `candor_warning_boundary`: estimates at 0 or 1, whose standard errors are too small.
#' * `candor_warning_indefinite`: an unbiased covariance matrix is not positive semidefinite.
#' * `candor_warning_variance`: the noise of so many bits leaves a large standard error.
#' * `candor_warning_ratio`: the union of a Jaccard index may be empty.
#' * `candor_warning_saturated`: a sketch has no bit left at 0.
#' * `candor_warning_precision`: an epsilon out of reach of the probabilities that can be drawn.
#' * `candor_warning_weights`: counts of people that are not whole.
#' * `candor_warning_reveals`: the cards of a design hide nothing, or not a truth of 0.
#' * `candor_warning_delta`: the probability that shuffled reports reveal everything is too large.
#' * `candor_warning_linked`: shuffled reports can be linked to those of other rounds.
#' * `candor_warning_memory`: permanent answers without their memory, or with respondents in another order.
#' * `candor_warning_incomplete`: a study was not finished.
#'
#' @section Messages:
#'
#' * `candor_message_missing`: missing values that were dropped.
#' * `candor_message_empty`: groups without answers that were left out.
#' * `candor_message_keep`: columns that [rr_perturb()] kept or left out.
#' * `candor_message_weights`: weights that may be those of a survey.
#' * `candor_message_percentages`: counts that add up to 100.
#' * `candor_message_dimensions`: questions of a table without names.
#' * `candor_message_transposed`: a validation study whose rows are reports.
#' * `candor_message_labelled`: labelled numbers.
#' * `candor_message_labels`: a validation study with fewer than 15 people of a truth.
#' * `candor_message_aliased`: coefficients that the others determine.
#' * `candor_message_chunks`: chunks that were counted before.
#' * `candor_message_reading`: 1 or `TRUE` that is read as "yes", which is the first level.
#' * `candor_message_order`: an order of answers that nobody gave, levels in the order yes, no, or `p` below `q` in [rr_unary()].
#' * `candor_message_forced`: a device that dictates every answer. `candor_message_device`: a sheet that names no device.
#' * `candor_message_design`: survey designs whose tally has no clusters and strata.
#' * `candor_message_method`, `candor_message_composite`: the default estimator, if it is not maximum likelihood.
#' * `candor_message_no_intervals`: methods without intervals.
#' * `candor_message_wald`, `candor_message_boundary`, `candor_message_untested`: what is not a profile interval, is on the boundary, or cannot be
#'   tested.
#' * `candor_message_floor`: a margin of error that no sample size reaches.
#' * `candor_message_height`: pictures that need more height.
#'
#' @references R's conditions: Wickham, H. (2019). *Advanced R*, chapter 8. <https://adv-r.hadley.nz/conditions.html>
#' @seealso [tryCatch()], [suppressMessages()] with its argument `classes`.
#' @concept errors
#' @concept exception
#' @concept tryCatch
#' @srrstats {G2.9} What a conversion would lose is an error or a warning of a class of its own.
#' @srrstats {G5.2, G5.2a} Each condition has a class and a sentence of its own, which this page lists.
#' @name candor_conditions
#' @examples
#' # Which answer is not a level?
#' tryCatch(rr_tally(c("yes", "maybe"), rr_warner(0.8)),
#'          candor_error_level = function(e) {
#'            message("Not a level: ", conditionMessage(e))
#'          })
NULL

# The only function that gives errors. `message` is a cli bullet list: headline, x = what it was, i
# = how to mend it. Further arguments become fields of the error.
abort <- function(message, class = "argument", ..., .envir = parent.frame()) {
  # Numbers have a point, whatever the session writes.
  old <- options(OutDec = ".")
  on.exit(options(old))
  message[] <- format_lines(message, .envir)
  rlang::abort(
    message, class = c(paste0("candor_error_", class), "candor_error"), call = user_frame(), ...,
    use_cli_format = TRUE, .frame = .envir
  )
}

# The lines of a condition, as cli formats each of them. Most of the time goes into the theme that
# each call of cli sets up, so that all lines are formatted by one call, unless a value holds the
# mark between them.
format_lines <- function(lines, .envir) {
  if (!any(grepl("[{}]", lines))) return(lines)
  mark <- "\036"
  text <- cli::format_inline(paste(lines, collapse = mark), .envir = .envir)
  formatted <- strsplit(text, mark, fixed = TRUE)[[1]]
  if (length(formatted) == length(lines)) return(formatted)
  vapply(lines, cli::format_inline, "", .envir = .envir)
}

# The frame of the function of this package that the user called: going outwards from here, the
# outermost frame of this package before code of others. Packages that only pass calls on do not end
# the search: a verb may be called through lapply() or a generic. It does not go on from a call that
# the user wrote as an argument, as a pipe does: the function with that argument stands further out,
# but did not call it. A method has the call of its generic. The search costs time only when
# something fails.
user_frame <- function() {
  ours <- topenv()
  outermost <- NULL
  for (k in rev(seq_len(sys.nframe()))) {
    top <- topenv(environment(sys.function(k)) %||% baseenv())
    if (identical(top, ours)) {
      outermost <- k
      from <- topenv(sys.frame(sys.parents()[k]))
      if (!identical(from, ours) && !passes_calls_on(from)) break
    } else if (!passes_calls_on(top)) {
      break
    }
  }
  if (!is.null(outermost)) sys.frame(outermost)
}

passes_calls_on <- function(top) {
  identical(top, baseenv()) || (isNamespace(top) && getNamespaceName(top) %in% c(
    "base", "cli", "generics", "ggplot2", "methods", "rlang", "stats", "tibble", "utils", "vctrs"
  ))
}

warn <- function(message, class, .envir = parent.frame()) {
  cli::cli_warn(
    message, class = c(paste0("candor_warning_", class), "candor_warning"), .envir = .envir
  )
}

# The text of an error in one line, without the marks of its bullets.
plain_message <- function(error) {
  if (!inherits(error, "rlang_error")) return(conditionMessage(error))
  lines <- strsplit(cli::ansi_strip(conditionMessage(error)), "\n", fixed = TRUE)[[1]]
  paste(
    c(lines[1], sub("^([xi!*\u2139]|[^[:alnum:]`\"(<{]+) ", "", lines[-1])), collapse = " "
  )
}

# The error of src/glue.c when a kernel refuses a value that no check in R caught. The message has
# the name of the kernel, not of an argument. If users can get here, a check is missing; the class
# of the error is right all the same.
abort_status <- function(class, kernel, meaning) {
  abort(c("This cannot be computed from these numbers.", x = "{kernel}: {meaning}."), class)
}

# The kind of a value in words, never the value itself: for errors about a respondent's answer.
describe_kind <- function(x) describe(x, is_shown = FALSE)

# The text of a value in the "It is ..." line of an error: short, and never a page of numbers.
describe <- function(x, is_shown = TRUE) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.data.frame(x)) return(sprintf("a data frame with %d columns", length(x)))
  single <- is.atomic(x) && length(x) == 1L
  if (single && is_shown) {
    return(if (is.character(x) && !is.na(x)) {
      encodeString(x, quote = "\"")
    } else {
      format(as.vector(x), digits = 15)
    })
  }
  if (is.object(x)) return(paste("an object of class", class(x)[1]))
  kind <- switch(
    typeof(x),
    character = "text",
    double = ,
    integer = "a number",
    logical = "TRUE or FALSE",
    list = "a list",
    paste("of type", typeof(x))
  )
  if (single || !is.atomic(x)) return(kind)
  kind <- switch(
    typeof(x),
    double = "a numeric",
    integer = "an integer",
    paste("a", typeof(x))
  )
  sprintf("%s vector of length %s", kind, format_count(length(x)))
}

# "92% larger", or "93 times as large": nobody reads 9200%.
larger_words <- function(ratio) {
  if (ratio < 2) {
    sprintf("%s%% larger", format(100 * (ratio - 1), digits = 2))
  } else {
    sprintf("%s times as large", format(ratio, digits = 2, big.mark = ",", decimal.mark = "."))
  }
}

# 1,000,000 and not 1e+06.
format_count <- function(x) {
  # Sums of weights may have hundreds of digits, of which the first 15 are known.
  large <- is.finite(x) & abs(x) >= 1e16
  text <- format(
    replace(x, large, 0), big.mark = ",", decimal.mark = ".", trim = TRUE,
    scientific = FALSE, drop0trailing = TRUE, digits = 15
  )
  replace(
    text, large, vapply(x[large], format, "", digits = 15, decimal.mark = ".")
  )
}
