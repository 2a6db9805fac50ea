# Arguments that stand in the wrong place, or that no function knows.

# What to do where one is missing or no such thing.
argument_remedies <- c(
  first = "Make a mechanism with {.fn rr_grr}, {.fn rr_binary}, {.fn rr_forced}, ...",
  flip = "For randomized response at {.arg epsilon}, {.arg flip} is {.code plogis(-epsilon)}.",
  mechanism = "Make a mechanism with {.fn rr_grr}, {.fn rr_binary}, {.fn rr_forced}, ..."
)

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
# former arguments are called now, `.known` which arguments there are if not those of the caller.
check_dots_empty <- function(..., .renamed = NULL, .known = NULL) {
  if (...length() == 0L) return(invisible())
  known <- if (is.null(.known)) names(formals(sys.function(sys.parent()))) else .known
  given <- list(...)
  names <- names(given) %||% rep("", ...length())
  abort_unnamed(given[!nzchar(names)], known)
  abort_unknown(names[nzchar(names)], known, .renamed)
}

# Methods of other packages' generics ignore what they do not know: those who call them, say modelsummary(), pass
# arguments that are meant for other classes. But a user who writes nearly the name of an argument means it.
check_dots_near <- function(...) {
  if (...length() == 0L) return(invisible())
  names <- ...names() %||% rep("", ...length())
  method <- sys.parent()
  takes <- names(formals(sys.function(method)))
  known <- setdiff(takes[-1L], "...")
  meant <- nzchar(names) & (names %in% house_arguments | !is.na(vapply(names, nearest_argument, "", known)))
  if (!any(meant | !nzchar(names)) || called_by_package(method)) return(invisible())
  # NULL says nothing.
  meant <- meant & !vapply(list(...), is.null, NA)
  if (any(meant)) abort_unknown(names[meant], known)
  abort_unnamed(list(...)[!nzchar(names)], takes)
}

# Arguments that verbs for many classes have: where a class lacks one, its users may expect it all the same.
house_arguments <- c("by", "cluster", "conf.int", "conf.level", "conf_level", "interval", "level", "newdata", "term",
                     "terms", "robust", "type", "variable", "vcov", "weights")

# Was the generic of this frame called by the code of another package? Those that only pass calls on do not count, nor
# does code that is evaluated in our own namespace, as tests are.
called_by_package <- function(frame) {
  parents <- sys.parents()
  while (frame > 0L && (frame <- parents[frame]) > 0L) {
    top <- topenv(sys.frame(frame))
    # By name: tests run in a copy of the namespace.
    ours <- environmentName(top) == environmentName(topenv())
    # The frame of eval() for the code: a function of base R in an environment of ours.
    evaluated <- environmentName(topenv(environment(sys.function(frame)) %||% baseenv())) == "base"
    if (ours && evaluated) return(FALSE)
    if (!ours && !passes_calls_on(top)) return(isNamespace(top))
  }
  FALSE
}

abort_unknown <- function(names, known, renamed = NULL) {
  known <- setdiff(known, "...")
  notes <- renamed_note(names, renamed) %||% called_note(names, known)
  few <- length(known) > 0L && length(known) <= 16L
  abort(c("{cli::qty(length(names))}{?This argument is/These arguments are} not known here: {.arg {names}}.",
          i = notes %||% (if (few) "{cli::qty(length(known))}The argument{?s} {?is/are} {.arg {known}}."
                          else if (length(known)) "Check the spelling against the help page.")),
        "argument")
}

# Arguments without a name: too many of them, or after the dots.
abort_unnamed <- function(given, known) {
  if (!length(given)) return(invisible())
  dots <- match("...", known)
  first <- if (is.na(dots)) known else known[seq_len(dots - 1L)]
  later <- if (!is.na(dots)) known[-seq_len(dots)]
  swapped <- "mechanism" %in% first && any(vapply(given, inherits, NA, "rr_mechanism"))
  what <- if (length(given) == 1L) "One is without a name: {describe(given[[1]])}."
    else "{length(given)} are without a name, the first is {describe(given[[1]])}."
  abort(c(if (length(later)) "Arguments after {.arg {first[length(first)]}} must be named."
          else if (length(first)) "There are more arguments than {.arg {first}}." else "There are no arguments here.",
          x = if (length(later)) what else "The first of the others is {describe_kind(given[[1]])}.",
          i = if (swapped) "The mechanism comes earlier: the order is {.arg {first}}.",
          i = if (length(later)) "Those that can follow are {.arg {later}}."), "argument")
}

renamed_note <- function(names, renamed) {
  old <- intersect(names, names(renamed))
  if (length(old)) sprintf("{.arg %s} is called {.arg %s} now.", old[1], renamed[[old[1]]])
}

# What other packages, and other functions of this one, call our arguments. Of several that a function has, the first.
other_names <- list(
  B = "replications", R = "replications",
  a = "forced", alpha = "conf.level", answer = "x", answers = "x", bins = "breaks",
  categories = c("levels", "terms"), category = c("terms", "category", "levels"), cats = "levels", con = "file",
  conf = c("conf.level", "alpha"), conf.int = "conf.level", conf.level = "level",
  conf_level = c("conf.level", "level"), confidence = "conf.level", contrast = "L", correction = "adjust",
  covariate = c("variables", "variable"), data = c("x", "counts", "sets", "bits", "tally"), design = "mechanism",
  df = "data", eps = "epsilon", family = c("link", "type"), filename = "file", formula = "L", group = "by",
  groups = "by", k = c("m", "levels"), labels = "levels", level = c("conf.level", "alpha"),
  method = c("adjust", "interval", "type", "protocol"), n = "m",
  nboot = "replications", newdata = "reports", nsim = "replications",
  p = "share", p.adjust.method = "adjust", p1 = "share",
  p2 = "versus", parameter = "parm", parm = c("terms", "variables"), path = "file",
  prevalence = c("share", "p"), privacy = "epsilon", prob = c("p", "probs", "share"),
  probabilities = c("probs", "pi", "forced"),
  probability = c("p", "probs", "share"), q = "probs", question = c("vars", "column"),
  questions = c("vars", "column"), replications = "nsim", report = "column", reports = "x", robust = "type", size = "n",
  sort = "order",
  term = c("terms", "variable", "variables"), terms = c("variable", "variables", "parm", "vars"), top = "m",
  truth = "x", variable = c("terms", "variables", "column", "vars"), variables = c("terms", "variable", "vars"),
  vcov = c("vcov.", "type"), wt = "weights", x = c("fit", "counts", "tally")
)

called_note <- function(names, known) {
  if ("seed" %in% names) return(seed_note(known))
  if ("forced" %in% known && any(c("yes", "no") %in% names)) {
    return("Each answer's probability is in {.arg forced}: {.code forced = c(no = 1 / 6, yes = 1 / 6)}.")
  }
  if ("design" %in% names && all(c("x", "mechanism") %in% known)) {
    return("A survey design is the {.arg x} of {.fn rr_estimate}; how answers were randomised is {.arg mechanism}.")
  }
  if ("conf.int" %in% names && all(c("interval", "conf.level") %in% known)) {
    return("Every fit has intervals, of level {.arg conf.level}: {.code tidy(fit, conf.int = TRUE)} lists them.")
  }
  if ("epsilon" %in% names && "mechanism" %in% known) {
    return("The mechanism has its {.arg epsilon} from where it is made, as in {.code rr_grr(3, epsilon = 1)}.")
  }
  if (any(c("se", "std.error", "standard.error") %in% names) && "margin" %in% known) {
    return("{.arg margin} is the half-width of an interval: {.code margin = 1.96 * 0.01} for a standard error of 0.01.")
  }
  if ("cluster" %in% names && all(c("design", "penalty") %in% known)) {
    return("Give clusters to the fit: {.code vcov(fit, type = \"sandwich\", cluster = ~ area)}.")
  }
  for (name in names) {
    ours <- nearest_argument(name, known)
    if (is.na(ours)) next
    if (name == "alpha" && ours == "conf.level") return("Here it is {.arg conf.level}, which is 1 less {.arg alpha}.")
    if (ours %in% other_names[[name]]) return(sprintf("Here it is {.arg %s}.", ours))
    return(sprintf("Did you mean {.arg %s}?", ours))
  }
  if (any(c("conf.int", "conf.level", "conf_level", "level") %in% names)) {
    return("{.fn confint} takes {.arg level}, {.fn tidy} {.arg conf.int} and {.arg conf.level}.")
  }
}

# The argument of ours that a name is another word for, or nearly; NA where there is none.
nearest_argument <- function(name, known) {
  ours <- intersect(other_names[[name]], known)
  if (length(ours)) ours[1] else nearest_label(name, known)
}

seed_note <- function(known) {
  if ("rng" %in% known) "To draw the same again: {.fn set.seed} before, and {.code rng = \"R\"}."
  else "There is no seed here: call {.fn set.seed} before."
}
