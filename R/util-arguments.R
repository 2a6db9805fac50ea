# Arguments that stand in the wrong place, or that no function knows.

# `methods` are names that may have been meant for the argument `method` of the function that the user called.
check_mechanism <- function(x, arg = "mechanism", methods = character()) {
  if (inherits(x, "rr_mechanism")) return(check_object(x))
  asking <- if (arg == "mechanism") user_arguments()
  elsewhere <- misplaced_mechanism(asking)
  order <- intersect(names(asking$formals), c(elsewhere, "mechanism"))
  make <- paste("Describe how the answers were randomised with one of",
                "{.fn rr_grr}, {.fn rr_binary}, {.fn rr_forced}, ...")
  if (length(elsewhere)) {
    remedy <- "The order is {.arg {order[1]}}, {.arg {order[2]}}, or name them: {.code mechanism = }."
  } else if ("method" %in% names(asking$formals) && is.character(x) && length(x) == 1L && x %in% methods) {
    remedy <- "It is the name of a method: {.code method = \"{x}\"}."
  } else {
    remedy <- make
  }
  if (is.null(x) && arg == "mechanism") {
    abort(c("{.arg mechanism} is needed: how the answers were randomised.",
            x = if (length(elsewhere)) "{.arg {elsewhere}} is a mechanism.",
            i = if (length(elsewhere)) remedy else argument_remedies[["mechanism"]]), "argument")
  }
  abort(c("{.arg {arg}} must be a mechanism.", x = "It is {describe(x)}.",
          x = if (length(elsewhere)) "{.arg {elsewhere}} is a mechanism.", i = remedy),
        "argument")
}

# The arguments of the function that the user called: its frame, and what it takes.
user_arguments <- function() {
  frame <- user_frame()
  at <- Position(function(one) identical(one, frame), sys.frames())
  if (is.null(frame) || is.na(at)) return(NULL)
  list(frame = frame, formals = formals(sys.function(at)))
}

# The argument that got the mechanism, of those that were given: people swap the first two.
misplaced_mechanism <- function(asking) {
  for (name in setdiff(names(asking$formals), c("...", "mechanism"))) {
    if (eval(call("missing", as.name(name)), asking$frame)) next
    value <- tryCatch(get(name, asking$frame, inherits = FALSE), error = function(e) NULL)
    if (inherits(value, "rr_mechanism") && "mechanism" %in% names(asking$formals)) return(name)
  }
}

# Extra arguments are almost always misspelt ones: the package's own verbs never swallow them. `.renamed` says what
# former arguments are called now, `.known` which arguments there are if not those of the caller. (Methods of other
# packages' generics ignore what they do not know: those who call them, say modelsummary(), pass arguments that are
# meant for other classes.)
check_dots_empty <- function(..., .renamed = NULL, .known = NULL) {
  if (...length() == 0L) return(invisible())
  known <- if (is.null(.known)) names(formals(sys.function(sys.parent()))) else .known
  given <- list(...)
  names <- names(given) %||% rep("", ...length())
  abort_unnamed(given[!nzchar(names)], known)
  shown <- ifelse(nzchar(names), names, paste0("..", seq_along(names)))
  abort(c("These arguments are not known here: {.arg {shown}}.", i = renamed_note(names, .renamed) %||%
            called_note(names, known) %||% "Check their spelling against the help page."), "argument")
}

# Arguments without a name, where those that could be meant come after the dots.
abort_unnamed <- function(given, known) {
  dots <- match("...", known)
  if (!length(given) || is.na(dots) || dots == 1L || dots == length(known)) return(invisible())
  first <- known[seq_len(dots - 1L)]
  later <- known[-seq_len(dots)]
  swapped <- "mechanism" %in% first && any(vapply(given, inherits, NA, "rr_mechanism"))
  abort(c("Arguments after {.arg {first[length(first)]}} must be named.",
          x = if (length(given) == 1L) "One is without a name: {describe(given[[1]])}."
              else "{length(given)} are without a name, the first is {describe(given[[1]])}.",
          i = if (swapped) "The mechanism comes earlier: the order is {.arg {first}}.",
          i = "Those that can follow are {.arg {later}}."), "argument")
}

renamed_note <- function(names, renamed) {
  old <- intersect(names, names(renamed))
  if (length(old)) sprintf("{.arg %s} is called {.arg %s} now.", old[1], renamed[[old[1]]])
}

# What other packages call our arguments.
called_note <- function(names, known) {
  ours <- data.frame(theirs = c("group", "groups", "family", "family", "level"),
                     ours = c("by", "by", "link", "type", "conf.level"))
  ours <- ours[ours$theirs %in% names & ours$ours %in% known, ]
  if (nrow(ours)) return(sprintf("Here it is {.arg %s}.", ours$ours[1]))
  near <- nearest_label(names[nzchar(names)][1], setdiff(known, "..."))
  if (!is.na(near)) sprintf("Did you mean {.arg %s}?", near)
}
