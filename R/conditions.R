# The one place that throws. `message` is a cli bullet list: headline, x = what it was, i = how to mend it.
abort <- function(message, class, call = caller_env(), .envir = parent.frame()) {
  cli::cli_abort(message, class = c(paste0("candor_error_", class), "candor_error"),
                 call = call, .envir = .envir)
}

warn <- function(message, class, .envir = parent.frame()) {
  cli::cli_warn(message, class = c(paste0("candor_warning_", class), "candor_warning"),
                .envir = .envir)
}

# An exported function called on the user's behalf by another: the error's call is the user's.
on_behalf <- function(expr, call = caller_env()) {
  rlang::try_fetch(expr, candor_error = function(cnd) {
    cnd$call <- rlang::error_call(call)
    rlang::cnd_signal(cnd)
  })
}

# What src/glue.c says when a kernel refuses what no check in R caught. It names the kernel, not an argument: where
# users can get here, a check is missing, and this keeps the class right until there is one.
abort_status <- function(class, kernel, meaning) {
  abort(c("This cannot be computed from these numbers.", x = "{kernel}: {meaning}."), class, call = NULL)
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

# 1,000,000 and not 1e+06.
format_count <- function(x) {
  format(x, big.mark = ",", trim = TRUE, scientific = FALSE, drop0trailing = TRUE, digits = 15)
}
