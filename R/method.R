# An estimation method is an object, made in one file: what it needs from the law, its estimate, how the estimate moves
# with the data. rr_estimate(), its help page, rr_choose(), studies and the notes of a fit read the registry below; they
# do not know the methods by name.

#' Extending candor: an estimation method of your own
#'
#' `rr_new_method()` makes a method that [rr_estimate()], [rr_study()], [rr_risk()] and [rr_choose()] take wherever they take the name of one.
#' Intervals, standard errors, bootstrap, tables and pictures then work for it. `rr_methods()` lists the methods of the package.
#'
#' @section What `estimate` gets:
#' `evidence`, a list with the counts of one group, and `options`, a list of the further arguments of [rr_estimate()] that were given. The
#' elements of `evidence` are
#' * `counts`: how often each report was given (or each category supported); with weights scaled to the effective number of
#'   respondents;
#' * `n`: the number of respondents (with weights the effective one);
#' * `k`: the number of categories; `mechanism` and `law`, see [rr_law()];
#' * `unbiased()`: a function that returns the unbiased estimate, the linear inversion of the counts;
#' * `blank_error()`: a function that returns its standard error for a category that nobody holds: one number, or one a category.
#'
#' It returns the `k` estimated shares, or a list with the element `estimate` and others that the fit keeps in `details`. An element `gap` is shown as
#' a certificate, and `iterations` as a number of steps.
#'
#' @section What `local_map` gets:
#' The estimate and the `evidence`, the latter with `details`. It describes how the estimate changes with the unbiased one, near these data,
#' and returns a list with either the matrix `jacobian` of derivatives (rows are estimates), or `support`, `alpha` and `u`: the estimates in `support`
#' (a logical vector) are \eqn{\alpha (I - u 1')}{alpha (I - u 1')} times the unbiased ones, the others stay where they are. Standard errors are
#' then those of the delta method; without it they are `NA`, or those of `interval = "bootstrap"`.
#'
#' @section Further elements:
#' A method may have further functions for its estimates. Each of these is given by its name in `...`:
#' * `estimate_groups(groups, options)` estimates all groups of a tally together: `groups` is a list of their `evidence`, the value a list of what
#'   `estimate` returns;
#' * `spread(estimate, evidence, target)`, for errors that are not those of the delta method: a list of `diagonal` and `common`, `k` numbers
#'   each, for the covariance matrix `diag(diagonal) - outer(common, common)`; or `NULL`, for those of `local_map`. Where both are `NA`, `unknown`, a text,
#'   says why;
#' * `credible(groups, which, level)`, for `interval = "credible"`: a list with `low` and `high` for each group in `which`; `groups` as above, with
#'   `estimate` and `details` in each. The number `credible_from` says how many categories it needs;
#' * `notes(details)`: lines that `print()` shows;
#' * `no_intervals`, no function but text: why the method has neither standard errors nor intervals, not by the bootstrap either.
#'
#' @param name One word, the name of the method in tables and pictures.
#' @param title A line that describes the method.
#' @param estimate A function of `evidence` and `options`, see below.
#' @param needs What the method needs from the law, one or more of `"inverse"` (an unbiased estimate), `"likelihood"`, `"shares"` (each count follows
#'   from the share of its category: additive laws and supports), `"binomial"` (the same, or the counts give such a number for each category: also one block of [rr_hadamard()],
#'   and [rr_bitflip()]), `"additive"`
#'   (a report is the truth, or else does not depend on it), `"alike"` (additive, with one probability for all answers other than the truth), `"support"` (reports that support
#'   sets of categories), `"question"` (finitely many reports, of one question), or `character()` for
#'   nothing. The method refuses a mechanism whose law does not give it.
#' @param unbiased Is the estimate unbiased? Its standard errors are then the unbiased ones, and its intervals are not widened to hold it.
#' @param options Names of the further arguments of [rr_estimate()] that it takes.
#' @param local_map A function of the estimate and `evidence`, see below, or `NULL`.
#' @param cost Time of one estimate, relative to that of the inversion.
#' @param group For `rr_methods()`: what kind of method it is.
#' @param ... Further elements of the object, by name, see below.
#' @return `rr_new_method()`: an object of class `rr_method`. `rr_methods()`: a tibble with one row per method of the package: `method`, `title`, `group`,
#'   `needs`, `unbiased`, `standard.error` (is there one without the bootstrap?) and `options`.
#' @section Errors:
#' `candor_error_argument` for arguments of the wrong type, and for an `estimate` that does not return finite shares, one for each category.
#' @source Wang, T. et al. (2020). Locally differentially private frequency estimation with consistency. *NDSS*.
#'   \doi{10.14722/ndss.2020.24157} (most methods are functions of the unbiased estimate).
#' @seealso [rr_new_mechanism()] for a mechanism of your own.
#' @examples
#' rr_methods()
#'
#' # The unbiased estimate drawn half-way to the uniform distribution
#' halfway <- rr_new_method(
#'   "halfway", "Half-way to uniform",
#'   estimate = function(evidence, options) (evidence$unbiased() + 1 / evidence$k) / 2,
#'   local_map = function(estimate, evidence) list(jacobian = diag(evidence$k) / 2)
#' )
#' reports <- rr_counts(c(220, 180, 160, 125, 115), rr_grr(5, epsilon = 1))
#' tidy(rr_estimate(reports, method = halfway), conf.int = TRUE)
#' rr_risk(rr_grr(5, epsilon = 1), rep(0.2, 5), n = 800, method = list("inv", "invp", halfway),
#'         seed = 1)
#' @export
rr_new_method <- function(name, title, estimate, needs = "inverse", unbiased = FALSE, options = character(),
                          local_map = NULL,
                          cost = 1, group = "own", ...) {
  text <- function(x) is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x)
  wrong <- if (!text(name)) "name" else if (!text(title)) "title" else if (!text(group)) "group"
  if (!is.null(wrong)) {
    abort(c("{.arg {wrong}} must be text.", x = "It is {describe(get(wrong))}."), "argument")
  }
  if (!is.function(estimate)) {
    abort(c("{.arg estimate} must be a function of {.arg evidence} and {.arg options}.",
            x = "It is {describe(estimate)}."),
          "argument")
  }
  if (!is.null(local_map) && !is.function(local_map)) {
    abort(c("{.arg local_map} must be a function of {.arg estimate} and {.arg evidence}, or NULL.",
            x = "It is {describe(local_map)}."), "argument")
  }
  known <- c("inverse", "likelihood", "shares", "binomial", "additive", "alike", "support", "bits",
             "question")
  if (!is.character(needs) || !all(needs %in% known)) {
    abort(c("{.arg needs} must be among {.val {known}}.", x = "It is {describe(needs)}."), "argument")
  }
  if (!is.character(options) || anyNA(options)) {
    abort(c("{.arg options} must be names of arguments.", x = "It is {describe(options)}."), "argument")
  }
  further <- list(...)
  for (part in intersect(names(further), c("estimate_groups", "spread", "credible", "notes"))) {
    if (is.function(further[[part]])) next
    abort(c("{.arg {part}} must be a function.", x = "It is {describe(further[[part]])}."), "argument")
  }
  if (!is.null(further$no_intervals) && !text(further$no_intervals)) {
    abort(c("{.arg no_intervals} must be text.", x = "It is {describe(further$no_intervals)}."), "argument")
  }
  structure(list(name = name, title = title, estimate = estimate, needs = needs,
                 unbiased = check_flag(unbiased, "unbiased"), options = options, local_map = local_map,
                 cost = check_number(cost, "cost", min = 0), group = group, ...),
            class = "rr_method")
}

#' @export
print.rr_method <- function(x, ...) {
  cat("<rr_method> \"", x$name, "\": ", x$title, "\n", sep = "")
  cat("  needs    ", if (length(x$needs)) paste(law_needs[x$needs], collapse = "; ") else "nothing", "\n", sep = "")
  cat("  biased   ", if (x$unbiased) "no" else "yes", "\n", sep = "")
  if (length(x$options)) cat("  options  ", paste(x$options, collapse = ", "), "\n", sep = "")
  invisible(x)
}

# ---- the registry ----

# Every function of the package called method_<name>() makes a method, and its name registers it; `place` orders them.
registry <- new.env(parent = emptyenv())

method_registry <- function() {
  if (!is.null(registry$methods)) return(registry$methods)
  makers <- ls(topenv(), pattern = "^method_[a-z_]+$")
  makers <- setdiff(makers, "method_registry")
  methods <- lapply(makers, function(maker) get(maker, envir = topenv())())
  names(methods) <- vapply(methods, `[[`, "", "name")
  place <- vapply(methods, function(method) method$place %||% Inf, 0)
  registry$methods <- methods[order(place, names(methods))]
  registry$methods
}

#' @rdname rr_new_method
#' @export
rr_methods <- function() {
  methods <- unname(method_registry())
  each <- function(field) vapply(methods, function(method) paste(method[[field]], collapse = ", "), "")
  tibble::tibble(method = each("name"), title = each("title"), group = each("group"), needs = each("needs"),
                 unbiased = vapply(methods, `[[`, NA, "unbiased"),
                 standard.error = vapply(methods, function(method) {
                   method$unbiased || !is.null(method$local_map) || !is.null(method$spread)
                 }, NA),
                 options = each("options"))
}

# The table of ?rr_estimate, which roxygen2 makes of the registry.
methods_table <- function() {
  table <- rr_methods()
  paste(c("| method | what it is | needs | options |", "|---|---|---|---|",
    sprintf("| `\"%s\"` | %s%s | %s | %s |", table$method, table$title, ifelse(table$unbiased, " (unbiased)", ""),
            vapply(strsplit(table$needs, ", ", fixed = TRUE), function(need) paste(law_needs[need], collapse = "; "),
                   ""),
            ifelse(nzchar(table$options), paste0("`", gsub(", ", "`, `", table$options, fixed = TRUE), "`"), ""))),
        collapse = "\n")
}

# A method by its name, or one that the user made.
check_method <- function(method) {
  if (inherits(method, "rr_method")) return(method)
  if (is.function(method)) {
    abort(c("{.arg method} must be the name of a method, or one made by {.fn rr_new_method}.", x = "It is a function."),
          "argument")
  }
  if (is.character(method) && length(method) > 1L && !anyNA(method)) {
    abort(c("{.arg method} must be one method: a fit is one estimate.", x = "It names {length(method)}.",
            i = paste("For several:",
                      "{.code lapply(c(\"{method[1]}\", \"{method[2]}\"), function(m) rr_estimate(x, method = m))}."),
            i = "{.fn rr_choose} says which to take."), "argument")
  }
  remedy <- if (is.character(method) && identical(tolower(method), "em")) {
    paste("EM is how the likelihood is maximised: {.code method = \"mle\"}; {.val ibu} is its iterations, stopped",
          "when they hardly change.")
  }
  method_registry()[[check_choice(method, "method", names(method_registry()), remedy = remedy)]]
}

# Several methods under their names: names of methods, methods of the user's, or functions of counts and mechanism.
# `also`: names that the caller knows itself.
check_methods <- function(method, also = character()) {
  known <- c(names(method_registry()), also)
  if (!length(method)) abort(c("{.arg method} must name at least one method.", x = "It is empty."), "argument")
  # as.list() of a function is its arguments, of a method its elements.
  given <- if (is.function(method) || inherits(method, "rr_method")) list(method) else as.list(method)
  text <- if (is.character(method)) rep(TRUE, length(given)) else vapply(given, is.character, NA)
  # A vector of several names within a list matches none.
  good <- text & given %in% known
  if (!all(good)) good <- good | vapply(given, function(one) is.function(one) || inherits(one, "rr_method"), NA)
  if (!all(good)) {
    bad <- given[[which(!good)[1]]]
    abort(c("{.arg method} must be methods of {.fn rr_estimate}, or functions of counts and mechanism.",
            x = "One is {describe(bad)}.",
            i = "The methods are {.val {known}}."), "argument")
  }
  labels <- names(given) %||% rep("", length(given))
  own <- !nzchar(labels)
  labels[own] <- vapply(given[own], function(one) {
    if (is.character(one)) one else if (inherits(one, "rr_method")) one$name else ""
  }, "")
  if (any(!nzchar(labels)) || anyDuplicated(labels)) {
    abort(c("{.arg method} must have a name for each function, and no name twice.",
            x = if (is.function(method)) "It is a function." else "The names are {.val {labels}}.",
            i = if (any(!nzchar(labels))) {
              "Name it in a list, as in {.code list(mine = function(counts, mechanism) ...)}."
            }),
          "argument")
  }
  names(given) <- labels
  given
}

# ---- what a law gives them ----

# The first need of a method that the law does not give, or NULL.
unmet_need <- function(method, law, k) {
  for (need in method$needs) if (!law_gives(law, need, k)) return(need)
  NULL
}

# Methods of the package that a mechanism can have, whatever the reports.
possible_methods <- function(mechanism, methods = method_registry()) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  names(Filter(function(method) is.null(unmet_need(method, law, k)), methods))
}

refuse_method <- function(method, mechanism, law, need) {
  name <- method$name
  channel <- inherits(law, "rr_law_channel")
  remedy <- if (channel) "Use {.val mle}."
    else "Possible are {.or {.val {possible_methods(mechanism)}}}."
  if (need == "inverse" && channel) {
    abort(c("{.arg method} {.val {name}} needs a channel that can be inverted.",
            x = "The rows of this one are linearly dependent: different truths give the same reports.",
            i = "Use {.code method = \"mle\"}, which says whether its maximum is unique."), c("no_information", "law"))
  }
  additive <- inherits(law, "rr_law_additive")
  if (need == "alike" && additive) {
    abort(c("{.val {name}} needs a mechanism whose other answers are all alike and less likely than the truth.",
            x = "This one is not of that kind.", i = "Use {.val mle}."), c("argument", "law"))
  }
  if (need %in% c("additive", "alike")) {
    abort(c("{.val {name}} is for mechanisms that tell the truth or else draw an innocuous answer.",
            x = "This one is: {format(mechanism)}.", i = remedy), c("argument", "law"))
  }
  if (need == "binomial") {
    abort(c("{.arg method} {.val {name}} does not work for this protocol.",
            x = "It is: {format(mechanism)}. {capitalise(law_words(law))}: no count is of one category alone.",
            i = paste("Protocols for {.val {name}} are {.fn rr_grr}, {.fn rr_unary}, {.fn rr_subset},",
                      "{.fn rr_local_hash}, {.fn rr_bitflip}, and {.fn rr_hadamard} with {.code blocks = 1}."),
            i = remedy), c("law", "argument"))
  }
  abort(c("{.arg method} {.val {name}} needs {law_needs[[need]]}, which this mechanism's counts do not hold.",
          x = "It is: {format(mechanism)}. Its law: {law_words(law)}.", i = remedy,
          i = if (need == "likelihood" && sets_give_likelihood(mechanism, law)) {
            "Or keep the sets: {.code rr_estimate(rr_tally(x, mechanism, keep = \"sets\"), method = \"{name}\")}."
          }), c("law", "argument"))
}

# Would the likelihood be there, had the tally kept the sets of the reports?
sets_give_likelihood <- function(mechanism, law) {
  if (!keeps_sets(mechanism) || !is.null(law$sets)) return(FALSE)
  law$sets <- list()
  law_gives(law, "likelihood", length(mechanism$levels))
}

# ---- options ----

check_options <- function(options, method) {
  if (!length(options)) return(invisible())
  # Quoted, so that an option that is a call is described and not evaluated.
  do.call(check_dots_empty, options[!names(options) %in% method$options], quote = TRUE)
}
