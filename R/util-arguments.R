# Arguments that no function knows, and the one that every verb takes.

check_mechanism <- function(x, arg = "mechanism") {
  if (inherits(x, "rr_mechanism")) return(x)
  abort(c("{.arg {arg}} must be a mechanism.", x = "It is {describe(x)}.",
          i = "Describe how the answers were randomized: {.fn rr_grr}, {.fn rr_binary}, {.fn rr_forced}, ..."),
        "argument")
}

# The package's own verbs never swallow arguments, which are almost always misspelt ones. `.renamed` says what other
# functions call an argument of this one.
check_dots_empty <- function(..., .renamed = NULL) {
  if (...length() == 0L) return(invisible())
  names <- ...names() %||% rep("", ...length())
  if (!all(nzchar(names))) {
    abort(c("Arguments after the first ones must be named.", x = "{sum(!nzchar(names))} {?is/are} without a name."),
          "argument")
  }
  ours <- .renamed[names(.renamed) %in% names]
  abort(c("{cli::qty(length(names))}{?This argument is/These arguments are} not known here: {.arg {names}}.",
          i = if (length(ours)) "{.arg {names(ours)[1]}} is called {.arg {ours[[1]]}} here."), "argument")
}
