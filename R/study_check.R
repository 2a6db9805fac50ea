# Checks of what a study is given: truths, grids, methods, mechanisms, workers.

check_truths <- function(truth, call = caller_env()) {
  if (!is.list(truth)) return(list(truth = check_study_truth(truth, "truth", call)))
  if (!length(truth)) abort(c("{.arg truth} must hold at least one distribution.", x = "It is an empty list."),
                            "argument", call = call)
  if (is.null(names(truth))) names(truth) <- seq_along(truth)
  if (any(!nzchar(names(truth))) || anyDuplicated(names(truth))) {
    abort(c("{.arg truth} must have a name for each distribution, all different.",
            x = "The names are {.val {names(truth)}}."),
          "argument", call = call)
  }
  Map(function(x, name) check_study_truth(x, sprintf("truth[[\"%s\"]]", name), call), truth, names(truth))
}

# A study's mechanisms are made for a number of categories, labelled 1, 2, ...: names that are these say which is which.
check_study_truth <- function(x, arg, call) {
  x <- tabulated(x)
  theta <- check_distribution(x, arg, call)
  labels <- names(x)
  if (!any(nzchar(labels))) return(theta)
  at <- match(labels, seq_along(labels))
  if (!anyNA(at) && !anyDuplicated(at)) theta[order(at)] else theta
}

# Data stand for their table.
tabulated <- function(x) if (is.character(x) || is.logical(x) || is.factor(x)) table(x) else x

# The shares of a distribution, or of a table.
check_distribution <- function(x, arg, call) {
  if (is.table(x)) x <- prop.table(as.vector(x))
  if (!is.numeric(x) || is.object(x)) {
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.", x = "It is {describe(x)}."),
          "argument", call = call)
  }
  if (length(x) < 2) {
    abort(c("{.arg {arg}} must have at least 2 categories.", x = "It has {length(x)}.",
            i = "With one category there is nothing to hide and nothing to estimate."), "argument", call = call)
  }
  if (anyNA(x) || min(x) < 0 || max(x) > 1) {
    bad <- which(is.na(x) | x < 0 | x > 1)
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.",
            x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}.",
            i = if (all(is.finite(x) & x >= 0)) "Divide counts by their sum, or give the data as a {.cls table}."),
          "argument", call = call)
  }
  total <- sum(x)
  if (abs(total - 1) > 1e-8) {
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.",
            x = "They add up to {format(total, digits = 10)}."),
          "argument", call = call)
  }
  as.double(x) / total
}

check_grid <- function(x, arg, whole = FALSE, call = caller_env()) {
  what <- if (whole) "whole numbers, at least 1" else "finite numbers above 0"
  if (!is.numeric(x) || is.object(x) || !length(x)) {
    abort(c("{.arg {arg}} must be {what}.",
            x = if (length(x)) "It is {describe(x)}." else "It is empty: the grid has no cells."),
          "argument", call = call)
  }
  bad <- which(!is.finite(x) | (if (whole) x < 1 | x > 2^53 | x != floor(x) else x <= 0))
  if (length(bad)) {
    abort(c("{.arg {arg}} must be {what}.", x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}."), "argument",
          call = call)
  }
  if (length(x) > 1 && anyDuplicated(x)) {
    abort(c("{.arg {arg}} must all differ.", x = "{format(x[anyDuplicated(x)], digits = 15)} appears more than once."),
          "argument", call = call)
  }
  as.double(x)
}

check_methods <- function(method, call = caller_env()) {
  if (!length(method)) abort(c("{.arg method} must name at least one method.", x = "It is empty."), "argument",
                             call = call)
  # as.list() of a function is its arguments.
  given <- if (is.function(method)) list(method) else as.list(method)
  text <- if (is.character(method)) rep(TRUE, length(given)) else vapply(given, is.character, NA)
  # A vector of several names within a list matches none.
  good <- text & given %in% estimation_methods
  if (!all(good)) good <- good | vapply(given, is.function, NA)
  if (!all(good)) {
    bad <- given[[which(!good)[1]]]
    abort(c("{.arg method} must be methods of {.fn rr_estimate}, or functions of counts and mechanism.",
            x = "One is {describe(bad)}.",
            i = "The methods are {.val {estimation_methods}}."), "argument", call = call)
  }
  labels <- names(given) %||% rep("", length(given))
  own <- text & !nzchar(labels)
  labels[own] <- as.character(given[own])
  if (any(!nzchar(labels)) || anyDuplicated(labels)) {
    abort(c("{.arg method} must have a name for each function, and no name twice.",
            x = if (is.function(method)) "It is a function." else "The names are {.val {labels}}.",
            i = if (any(!nzchar(labels))) {
              "Name it in a list, as in {.code list(mine = function(counts, mechanism) ...)}."
            }),
          "argument", call = call)
  }
  names(given) <- labels
  given
}

check_constructors <- function(mechanism, call = caller_env()) {
  if (is.function(mechanism)) return(list(mechanism))
  if (is.list(mechanism) && !inherits(mechanism, "rr_mechanism") && length(mechanism) &&
      all(vapply(mechanism, is.function, NA)) &&
      !is.null(names(mechanism)) && all(nzchar(names(mechanism))) && !anyDuplicated(names(mechanism))) {
    return(mechanism)
  }
  abort(c("{.arg mechanism} must be a function that makes a mechanism, or a named list of such functions.",
          x = "It is {describe(mechanism)}.",
          i = "It is called with the number of categories and {.arg epsilon}, as {.fn rr_grr} is."),
        "argument", call = call)
}

check_workers <- function(workers, call = caller_env()) {
  if (!is.null(workers)) return(check_count(workers, "workers", min = 1, max = 1024, call = call))
  if (!requireNamespace("parallel", quietly = TRUE)) return(1)
  cores <- getOption("mc.cores") %||% parallel::detectCores()
  if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) cores <- min(cores, 2)
  structure(max(1, cores, na.rm = TRUE), most = TRUE)
}
