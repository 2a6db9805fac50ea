# Checks of what a study is given: truths, grids, methods, mechanisms, workers.

check_truths <- function(truth) {
  if (inherits(truth, "rr_mechanism")) {
    abort(c("{.arg truth} must be a distribution, or a list of some.", x = "It is a mechanism.",
            i = paste("Name the mechanism's constructor, {.code mechanism = {class(truth)[1]}}: a study makes it for",
                      "each truth and epsilon.")), "argument")
  }
  if (!is.list(truth)) return(list(truth = check_study_truth(truth, "truth")))
  if (!length(truth)) abort(c("{.arg truth} must hold at least one distribution.", x = "It is an empty list."),
                            "argument")
  if (is.null(names(truth))) names(truth) <- seq_along(truth)
  if (any(!nzchar(names(truth))) || anyDuplicated(names(truth))) {
    abort(c("{.arg truth} must have a name for each distribution, all different.",
            x = "The names are {.val {names(truth)}}."),
          "argument")
  }
  Map(function(x, name) check_study_truth(x, sprintf("truth[[\"%s\"]]", name)), truth, names(truth))
}

# A study's mechanisms are made for a number of categories, labelled 1, 2, ...: names that are these say which is which.
check_study_truth <- function(x, arg) {
  x <- tabulated(x)
  theta <- check_distribution(x, arg)
  labels <- names(x)
  if (!any(nzchar(labels))) return(theta)
  at <- match(labels, seq_along(labels))
  if (!anyNA(at) && !anyDuplicated(at)) theta[order(at)] else theta
}

# Data are replaced by their table.
tabulated <- function(x) if (is.character(x) || is.logical(x) || is.factor(x)) table(x) else x

# The shares of a distribution, or of a table.
check_distribution <- function(x, arg) {
  if (is.table(x)) x <- prop.table(as.vector(x))
  if (!is.numeric(x) || is.object(x)) {
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.", x = "It is {describe(x)}."),
          "argument")
  }
  if (length(x) < 2) {
    abort(c("{.arg {arg}} must have at least 2 categories.", x = "It has {length(x)}.",
            i = "With one category there is nothing to hide and nothing to estimate."), "argument")
  }
  if (anyNA(x) || min(x) < 0 || max(x) > 1) {
    bad <- which(is.na(x) | x < 0 | x > 1)
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.",
            x = "Entry {bad[1]} is {format(x[bad[1]], digits = 15)}.",
            i = if (all(is.finite(x) & x >= 0)) "Divide counts by their sum, or give the data as a {.cls table}."),
          "argument")
  }
  total <- sum(x)
  if (abs(total - 1) > 1e-8) {
    abort(c("{.arg {arg}} must be a distribution: probabilities that add up to 1.",
            x = "They add up to {format(total, digits = 10)}."),
          "argument")
  }
  as.double(x) / total
}

check_constructors <- function(mechanism) {
  if (is.function(mechanism)) return(list(mechanism))
  if (is.list(mechanism) && !inherits(mechanism, "rr_mechanism") && length(mechanism) &&
      all(vapply(mechanism, is.function, NA)) &&
      !is.null(names(mechanism)) && all(nzchar(names(mechanism))) && !anyDuplicated(names(mechanism))) {
    return(mechanism)
  }
  abort(c("{.arg mechanism} must be a function that makes a mechanism, or a named list of such functions.",
          x = "It is {describe(mechanism)}.",
          i = "It is called with the number of categories and {.arg epsilon}, as {.fn rr_grr} is."),
        "argument")
}

check_workers <- function(workers) {
  if (!is.null(workers)) return(check_count(workers, "workers", min = 1, max = 1024))
  if (!requireNamespace("parallel", quietly = TRUE)) return(1)
  cores <- getOption("mc.cores") %||% parallel::detectCores()
  if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) cores <- min(cores, 2)
  structure(max(1, cores, na.rm = TRUE), most = TRUE)
}

check_study_size <- function(design, workers) {
  if (is.null(design)) return(invisible())
  check_study_memory(max(lengths(design$truth)), length(design$method), design$replications, "truth", workers)
}
