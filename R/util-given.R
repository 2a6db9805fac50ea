# R's own error for a missing argument says neither what the argument is nor what to do. Every exported function starts
# by checking its arguments without a default. `optional` names those that this call does not need; named texts explain
# an argument that means something else than in other functions.
check_given <- function(..., optional = NULL) {
  # Functions of the package pass on to each other what was looked at when it came in.
  if (identical(topenv(parent.frame(2)), environment(check_given))) return(invisible())
  asking <- parent.frame()
  wanted <- formals(sys.function(sys.parent()))
  absent <- character()
  # A loop, since this goes before every call, however short. Everywhere the arguments with a default come last.
  for (arg in names(wanted)) {
    if (!identical(wanted[[arg]], quote(expr = ))) break
    if (arg == "...") next
    if (eval(call("missing", as.name(arg)), asking)) absent <- c(absent, arg)
    else if (!length(absent)) check_argument_object(found_argument(arg, asking, names(wanted)[1]))
  }
  if (!length(absent)) return(invisible())
  absent <- setdiff(absent, optional)
  if (!length(absent)) return(invisible())
  own <- c(...)
  meaning <- ifelse(absent %in% names(own), own[absent], argument_meanings[absent])
  remedy <- argument_remedies[intersect(absent, names(argument_remedies))]
  # It may stand there under another name.
  others <- if ("..." %in% names(wanted)) setdiff(eval(quote(...names()), asking), "")
  note <- if (length(others)) called_note(others, absent)
  if (!is.null(note)) remedy <- c(sprintf("{.arg %s} is not known here. %s", others[1], note), remedy)
  message <- if (length(absent) == 1L) c(sprintf("{.arg %s} is needed: %s.", absent, meaning),
                                        stats::setNames(remedy, rep("i", length(remedy))))
    else c("{.arg {absent}} are needed.",
           stats::setNames(sprintf("{.arg %s}: %s.", absent, meaning), rep("*", length(absent))),
           stats::setNames(remedy, rep("i", length(remedy))))
  abort(message, "argument")
}

# The value of an argument. R's own error for a name that is none says nothing of columns.
found_argument <- function(arg, asking, first) {
  if (arg %in% c("vars", "L")) check_quoted(arg, asking)
  if (arg != "mechanism") return(get(arg, asking))
  tryCatch(get(arg, asking), error = function(e) {
    written <- eval(call("substitute", as.name(arg)), asking)
    missing <- is.name(written) && grepl(sprintf("'%s'", as.character(written)), conditionMessage(e), fixed = TRUE)
    if (!missing || inherits(e, "rlang_error")) stop(e)
    column <- first != arg && is.data.frame(get(first, asking))
    abort(c("{.arg mechanism} must be a mechanism.", x = "There is no object {.code {written}}.",
            i = if (column) "If it is a column: {.code column = \"{written}\"}, after the mechanism.",
            i = argument_remedies[["mechanism"]]), "argument")
  })
}

argument_meanings <- c(
  C = "the matrix of transition probabilities, one row per truth and one column per report",
  L = "what to add up: categories, weights, or a matrix with one row per combination",
  alpha = "the size of the containing sets",
  beta = "the size of the contained sets",
  bits = "the reported bits, a vector or matrix of 0 and 1",
  columns = "the names of the columns, or their number",
  counts = "how often each report was given",
  epsilon = "the privacy level, a number above 0",
  first = "the mechanism that randomises the truth",
  fit = "a fit of {.fn rr_estimate}",
  flip = "the probability that a bit was reported wrongly",
  forced = "the probability that the device dictates each answer",
  items = "the items to be counted: text, factor or numbers",
  k = "the number of categories",
  keep = "the probability that a category is kept, one number or one per category",
  levels = "the labels of the categories, or their number",
  mechanism = "how the answers were randomised",
  n = "the number of respondents",
  ones = "how many bits of each element were reported as 1",
  p = "the probability of reporting the truth",
  p1 = "the share of {.val yes} cards in the deck of those whose truth is yes",
  p2 = "the share of {.val yes} cards in the deck of the others",
  pi = "the distribution of the answers to the innocuous question",
  q = "the probability of reporting {.val yes} when the truth is no",
  s = "the exponent, at least 0",
  second = "the mechanism that randomises the report of {.arg first}",
  sets = "the reported sets: a matrix of 0 and 1 with one column per set, a list of sets, or a tally",
  share = "the true share of a category",
  sketch = "a sketch of {.fn rr_sketch}",
  t = "the probability of the direct question",
  theta = "the true distribution over the levels of the mechanism",
  truth = "the true counts of the row types, or joint counts of {.fn rr_cooccurrence}",
  vars = "the questions, by name or position",
  x = "the reports, or a tally of them"
)

# Labels and names of questions without quotes, which R takes for objects and does not find.
check_quoted <- function(args, asking = parent.frame()) {
  arg <- NULL
  tryCatch(for (arg in args) get0(arg, asking, inherits = FALSE),
           error = function(e) refuse_bare(e, arg, eval(call("substitute", as.name(arg)), asking), FALSE))
}

# Names that stand in `written` and are no objects. `columns`: they may also be written as a formula.
refuse_bare <- function(error, arg, written, columns = TRUE) {
  sought <- bare_names(error, written)
  if (!length(sought)) stop(error)
  names <- all.vars(written)
  text <- paste(encodeString(names, quote = "\""), collapse = ", ")
  if (length(names) > 1L) text <- sprintf("c(%s)", text)
  abort(c(if (columns) "{.arg {arg}} must name columns as text or in a formula."
          else "{.arg {arg}} must give names as text.", x = "There is no object {.code {sought[1]}}.",
          i = if (columns) "Write {.code {arg} = {text}} or {.code {arg} = ~ {paste(names, collapse = ' + ')}}."
              else "Write {.code {arg} = {text}}."), "argument")
}
