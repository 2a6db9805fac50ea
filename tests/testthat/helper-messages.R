# expect_no_message() of testthat 3.1.6 cannot fail: it looks for no class of messages.
expect_no_message <- function(object, ..., message = NULL, class = "message") {
  seen <- character()
  value <- withCallingHandlers(object, message = function(m) {
    said <- conditionMessage(m)
    if (inherits(m, class) && (is.null(message) || grepl(message, said, ...))) seen <<- c(seen, said)
  })
  testthat::expect(!length(seen), paste0("Said: ", paste(seen, collapse = "\n")))
  invisible(value)
}
# Each call is refused with an error of the package, of this kind or, with NULL, of any.
expect_refused <- function(..., class = "argument") {
  where <- parent.frame()
  class <- paste(c("candor_error", class), collapse = "_")
  for (call in as.list(substitute(list(...)))[-1]) expect_error(eval(call, where), class = class, label = deparse1(call))
}
# What the conditions of a call say, for a snapshot: versions of testthat lay conditions out differently.
write_said <- function(code) {
  lines <- character()
  keep <- function(condition) {
    lines <<- c(lines, paste0(class(condition)[1], ": ", conditionMessage(condition)))
    tryInvokeRestart(if (inherits(condition, "warning")) "muffleWarning" else "muffleMessage")
  }
  withCallingHandlers(code, warning = keep, message = keep)
  writeLines(sub("\n$", "", lines))
}
