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
