# An estimation method is an object: its needs from the law, its estimate, and how this moves with
# the data. rr_estimate(), its help page, rr_choose_method(), studies and the notes of a fit read
# the table below; they have no names of methods.

#' An estimation method of your own
#'
#' `rr_new_method()` makes a method that [rr_estimate()], [rr_study()] and [rr_choose_method()] accept in place of a method's name.
#' Intervals, standard errors, the bootstrap, tables and pictures then work for it. `rr_methods()` lists the methods of the package.
#'
#' @section The function `estimate`:
#' `estimate(evidence, options)` receives the counts of one group and the further arguments of [rr_estimate()]. The list `evidence` has these elements:
#'
#' * `counts`: how often each report was given, or each category supported; with weights scaled to the effective number of respondents.
#' * `n`: number of respondents; with weights the effective number.
#' * `k`: number of categories.
#' * `mechanism`, `law`: the mechanism and its [rr_law()].
#' * `unbiased()`: a function that returns the unbiased estimate, the linear inversion of the counts.
#' * `blank_error()`: a function that returns the standard error of `unbiased()` for an empty category: one number, or one per category.
#'
#' The value is a vector of `k` estimated shares, or a list with the element `estimate`. Further elements of the list are kept in the fit's `details`: an element `gap` is
#' shown as a certificate, an element `iterations` as a number of steps.
#'
#' @section The function `local_map`:
#' `local_map(estimate, evidence)` describes how the estimate changes with the unbiased estimate near these data; `evidence` also has the element `details`. The value is a list with
#' either
#' * `jacobian`, the matrix of derivatives (rows are estimates), or
#' * `support`, `alpha` and `u`: the estimates in `support` (logical) are \eqn{\alpha (I - u 1')}{alpha (I - u 1')} times the unbiased estimates, and the others do not move.
#'
#' Standard errors then follow by the delta method. Without `local_map` they are `NA`, unless `interval = "bootstrap"`.
#'
#' @section Further elements:
#' Further elements of a method are given by name in `...`:
#'
#' * `estimate_groups(groups, options)`: estimates all groups of a tally together; `groups` is a list of their `evidence`, the value a list of what `estimate`
#'   returns.
#' * `spread(estimate, evidence, target)`: errors that do not follow from the delta method: a list of `diagonal` and `common` for the covariance matrix
#'   `diag(diagonal) - outer(common, common)`, or `NULL` to use `local_map`. If both are `NA`, the text `unknown` says why.
#' * `credible(groups, which, level)`: for `interval = "credible"`: a list with `low` and `high` for each group in `which`; each element of `groups` also has
#'   `estimate` and `details`.
#' * `credible_from`: the number of categories that `credible` needs.
#' * `notes(details)`: lines that `print()` shows.
#' * `no_intervals`: text: why the method has neither standard errors nor intervals, not even by the bootstrap.
#'
#' @param name One word, the name of the method in tables and pictures.
#' @param title Text of one line that describes the method.
#' @param estimate A function of `evidence` and `options`, see below.
#' @param needs What the method needs from the law, a character vector (default `"inverse"`):
#'   * `"inverse"`: an unbiased estimate;
#'   * `"likelihood"`: a likelihood of the counts;
#'   * `"shares"`: each count follows from the share of its category (additive laws and supports);
#'   * `"binomial"`: as `"shares"`, or the counts give such a number for each category (one block of [rr_hadamard()], and [rr_bitflip()]);
#'   * `"additive"`: a report is the truth or does not depend on it;
#'   * `"alike"`: additive, with one probability for all answers other than the truth;
#'   * `"support"`: reports that support sets of categories;
#'   * `"question"`: finitely many reports of one question;
#'   * `character()`: nothing.
#' @param unbiased Logical, default `FALSE`. Is the estimate unbiased? If so, the unbiased covariances give the standard errors, and an interval need not contain the estimate.
#' @param options Names of the further arguments of [rr_estimate()] that the method accepts.
#' @param local_map A function of the estimate and `evidence`, see below, or `NULL` (default).
#' @param group Text, the kind of method that `rr_methods()` shows; default `"own"`.
#' @param ... Further elements by name, see below.
#' @return `rr_new_method()` returns an object of class `rr_method`. `rr_methods()` returns a tibble with one row per method of the package and the columns
#'   `method`, `title`, `group`, `needs`, `unbiased`, `valid`, `complexity`, `standard.error` (is it available without the bootstrap?) and `options`. Estimates of `valid` methods are always
#'   a distribution. `complexity` is the order of the operations for \eqn{K} categories under [rr_grr()], and `NA` if it is not stated.
#' @section Errors:
#' `candor_error_argument`, also for an `estimate` that does not return finite shares, one per category. See [candor_conditions].
#' @references Wang, T. et al. (2020). Locally differentially private frequency estimation with consistency. *NDSS*.
#'   \doi{10.14722/ndss.2020.24157} (most methods are functions of the unbiased estimate)
#' @seealso [`?estimators`][estimators] for the methods of the package, [rr_new_mechanism()] for a mechanism of your own;
#'   `articles/extending.html` of the site.
#' @concept extension
#' @concept new estimator
#' @examples
#' # Does shrinking half-way to the uniform distribution pay?
#' halfway <- rr_new_method(
#'   "halfway", "Half-way to uniform",
#'   estimate = function(evidence, options) {
#'     (evidence$unbiased() + 1 / evidence$k) / 2
#'   },
#'   local_map = function(estimate, evidence) {
#'     list(jacobian = diag(evidence$k) / 2)
#'   }
#' )
#' reports <- rr_counts(c(220, 180, 160, 125, 115), rr_grr(5, epsilon = 1))
#' tidy(rr_estimate(reports, method = halfway), conf.int = TRUE)
#' study <- rr_study(rep(0.2, 5), n = 800,
#'                   mechanism = rr_grr(5, epsilon = 1),
#'                   method = list("inv", "invp", halfway),
#'                   replications = 1000, seed = 1)
#' subset(study, metric == "mse")   # Yes, if the truth is uniform
#'
#' # Which methods does the package have, and what do they need?
#' rr_methods()
#' @export
rr_new_method <- function(
  name,
  title,
  estimate,
  needs = "inverse",
  unbiased = FALSE,
  options = character(),
  local_map = NULL,
  group = "own",
  ...
) {
  method <- list(
    name = name,
    title = title,
    estimate = estimate,
    needs = needs,
    unbiased = check_flag(unbiased, "unbiased"),
    options = options,
    local_map = local_map,
    group = group,
    ...
  )
  must <- function(fields, is_valid, noun) {
    for (field in fields) {
      if (!is.null(method[[field]]) && !is_valid(method[[field]])) {
        abort(c("{.arg {field}} must be {noun}.", x = "It is {describe(method[[field]])}."))
      }
    }
  }
  must(c("name", "title", "group", "no_intervals"), rlang::is_string, "text")
  must(
    c("estimate", "local_map", "estimate_groups", "spread", "credible", "notes"), is.function,
    "a function"
  )
  must(
    "needs", function(x) is.character(x) && all(x %in% names(law_needs)),
    paste("among", toString(names(law_needs)))
  )
  structure(method, class = "rr_method")
}

#' @export
print.rr_method <- function(x, ...) {
  needs <- paste(law_needs[x$needs], collapse = "; ")
  writeLines(within_80(c(
    paste0("<rr_method> \"", x$name, "\": ", x$title),
    paste("  needs   ", if (nzchar(needs)) needs else "nothing"),
    paste("  biased  ", if (x$unbiased) "no" else "yes"),
    if (length(x$options)) paste("  options ", toString(x$options))
  )))
  invisible(x)
}

# ---- the methods of the package ----

# The methods in the order of rr_methods(). Some of their fields are:
#   choice       the order of those that rr_choose_method() compares by default
#   choice_for   the laws for which it does
#   refit        TRUE if leaving a report out estimates the risk
#   likelihood   TRUE for a maximum of the likelihood, or near it
package_methods <- function() c(direct_methods(), postprocessing_methods(), shrinkage_methods())

estimate_projected <- function(evidence, options) law_projected(evidence$law, evidence)

# The methods by likelihood or by inversion.
direct_methods <- function() {
  solver <- c("tolerance", "iterations", "start")
  list(
    rr_new_method(
      "mle", "Maximum likelihood", estimate_mle, "likelihood", options = solver,
      local_map = function(estimate, evidence) law_likelihood_map(evidence$law, evidence, estimate),
      group = "likelihood", likelihood = TRUE, choice = 4, refit = TRUE, gap = 0,
      valid = TRUE, complexity = "K"
    ),
    rr_new_method(
      "composite", "Composite likelihood of the support counts", estimate_composite, "support",
      local_map = composite_map, group = "likelihood", composite = TRUE,
      valid = TRUE
    ),
    rr_new_method(
      "inv", "Linear inversion", function(evidence, options) evidence$unbiased(), unbiased = TRUE,
      group = "inversion", choice = 1,
      valid = FALSE, complexity = "K"
    ),
    rr_new_method(
      "invn", "Inversion, clipped and rescaled",
      function(evidence, options) law_rescaled(evidence$law, evidence), local_map = rescaled_map,
      group = "inversion", choice = 2, refit = TRUE,
      valid = TRUE, complexity = "K"
    ),
    rr_new_method(
      "invp", "Inversion, projected", estimate_projected, local_map = projected_map,
      group = "inversion", choice = 3, refit = TRUE,
      valid = TRUE, complexity = "K"
    ),
    rr_new_method(
      "ibu", "Iterative Bayesian update", estimate_ibu, "likelihood", options = solver,
      local_map = ibu_map, group = "likelihood", likelihood = TRUE, notes = ibu_notes,
      valid = TRUE, complexity = "K a step"
    )
  )
}

# The methods that change the unbiased estimate afterwards.
postprocessing_methods <- function() {
  list(
    rr_new_method(
      "base_cut", "Inversion, Base-Cut",
      function(evidence, options) {
        postprocess_base_cut(evidence$unbiased(), evidence$blank_error(),
                             check_alpha(options$alpha %||% 0.05))
      },
      options = "alpha", local_map = cut_map, group = "post-processing", refit = TRUE,
      valid = FALSE, complexity = "K"
    ),
    rr_new_method(
      "norm", "Inversion, Norm", function(evidence, options) postprocess_norm(evidence$unbiased()),
      unbiased = TRUE, local_map = norm_map, group = "post-processing",
      valid = FALSE, complexity = "K"
    ),
    rr_new_method(
      "norm_cut", "Inversion, Norm-Cut",
      function(evidence, options) postprocess_norm_cut(evidence$unbiased()),
      local_map = rescaled_map, group = "post-processing", refit = TRUE,
      valid = TRUE
    ),
    rr_new_method(
      "norm_sub", "Inversion, Norm-Sub", estimate_projected, local_map = projected_map,
      group = "post-processing", refit = TRUE,
      valid = TRUE, complexity = "K"
    ),
    rr_new_method(
      "power", "Inversion, Power", estimate_power, group = "post-processing", refit = TRUE,
      valid = FALSE
    ),
    rr_new_method(
      "power_ns", "Inversion, PowerNS",
      function(evidence, options) .Call(C_rr_project, estimate_power(evidence, options), 1),
      group = "post-processing", refit = TRUE,
      valid = TRUE
    )
  )
}

# The methods for many categories and few respondents. Bootstrap intervals of 95% of "smoothed"
# covered 3 to 48 in 100 shares of Beta(2, 6) in 40 bins, see its tests.
shrinkage_methods <- function() {
  list(
    rr_new_method(
      "combine", "Combined estimate",
      function(evidence, options) estimate_combine(evidence$law, evidence$counts, evidence$n),
      "alike", group = "shrinkage", choice = 5, refit = TRUE,
      valid = TRUE
    ),
    rr_new_method(
      "nnls", "Least squares without negative shares", estimate_nnls, "bits",
      group = "post-processing",
      valid = FALSE
    ),
    rr_new_method(
      "lasso", "Candidates selected by the non-negative lasso, then least squares", estimate_lasso,
      "bits", options = "alpha", group = "post-processing", notes = lasso_notes,
      valid = FALSE
    ),
    rr_new_method(
      "merged", "Maximum likelihood, small cells merged", estimate_merged, "additive",
      options = "smoothing", group = "shrinkage", refit = TRUE,
      valid = TRUE
    ),
    rr_new_method(
      "smoothed", "Smoothed EM", estimate_smoothed, "question",
      options = c("iterations", "tolerance"), group = "shrinkage",
      no_intervals = paste(
        "the smoothing biases the estimates by an unknown amount,",
        "larger than their standard errors"
      ),
      valid = TRUE
    ),
    rr_new_method(
      "eb", "Empirical Bayes",
      function(evidence, options) estimate_eb(list(evidence), options)[[1]], "binomial",
      options = c("loss", "pool", "reference", "ordered"), local_map = eb_map, group = "shrinkage",
      estimate_groups = estimate_eb, spread = eb_covariance, credible = eb_credible,
      credible_from = 20, notes = eb_notes, refit = TRUE, choice = 6,
      choice_for = function(law, k) k >= 20 && all(law$binomial$a > 0),
      valid = TRUE
    )
  )
}

# The store of objects that are made once.
registry <- new.env(parent = emptyenv())

method_registry <- function() {
  if (is.null(registry$methods)) {
    methods <- package_methods()
    registry$methods <- setNames(methods, vapply(methods, `[[`, "", "name"))
  }
  registry$methods
}

#' @rdname rr_new_method
#' @export
rr_methods <- function() {
  methods <- unname(method_registry())
  each <- function(field) {
    vapply(methods, function(method) paste(method[[field]], collapse = ", "), "")
  }
  tibble(
    method = each("name"),
    title = each("title"),
    group = each("group"),
    needs = each("needs"),
    unbiased = vapply(methods, `[[`, NA, "unbiased"),
    valid = vapply(methods, `[[`, NA, "valid"),
    complexity = vapply(methods, function(method) method$complexity %||% NA_character_, ""),
    standard.error = vapply(
      methods,
      function(method) {
        method$unbiased || !is.null(method$local_map) || !is.null(method$spread)
      },
      NA
    ),
    options = each("options")
  )
}

# ---- methods by name ----

# A method by its name, or one that the user made.
check_method <- function(method) {
  if (inherits(method, "rr_method")) return(method)
  methods <- method_registry()
  methods[[check_choice(method, "method", names(methods))]]
}

# Several methods under their names: names of methods, methods of the user's, or functions of counts
# and mechanism. `also` are further names that the caller reads.
check_methods <- function(method, also = character()) {
  choices <- c(names(method_registry()), also)
  # as.list() of a function is its arguments, of a method its elements.
  methods <- if (is.function(method) || inherits(method, "rr_method")) {
    list(method)
  } else {
    as.list(method)
  }
  for (name in Filter(rlang::is_string, methods)) check_choice(name, "method", choices)
  is_valid <- vapply(
    methods,
    function(entry) is.function(entry) || inherits(entry, "rr_method") || rlang::is_string(entry),
    NA
  )
  labels <- names(methods) %||% character(length(methods))
  is_unnamed <- is_valid & !nzchar(labels)
  labels[is_unnamed] <- vapply(methods[is_unnamed], function(entry) {
    if (is.character(entry)) entry else if (inherits(entry, "rr_method")) entry$name else ""
  }, "")
  if (!length(methods) || !all(is_valid & nzchar(labels)) || anyDuplicated(labels)) {
    abort(
      paste(
        "{.arg method} must be methods of {.fn rr_estimate},",
        "or functions of counts and mechanism with names."
      )
    )
  }
  setNames(methods, labels)
}

# The default method under the law of a group: maximum likelihood, or another with a message if the
# counts do not determine the likelihood.
default_method <- function(law) {
  if (law_gives(law, "likelihood")) return("mle")
  support <- law_gives(law, "support")
  method <- if (support) "composite" else "norm_sub"
  cli::cli_inform(
    c(
      paste(
        "The counts do not determine the likelihood:",
        "the estimate is by {.code method = \"{method}\"}."
      ),
      i = if (support) "Maximum likelihood needs the sets: {.code rr_tally(..., keep = \"sets\")}."
    ),
    class = if (support) "candor_message_composite" else "candor_message_method"
  )
  method
}

# ---- what a law gives to methods ----

# The first need of a method that the law does not give, or NULL.
unmet_need <- function(method, law) {
  Find(function(need) !law_gives(law, need), method$needs)
}

# The names of the package's methods that a mechanism can have, whatever the reports.
possible_methods <- function(mechanism, methods = method_registry()) {
  law <- rr_law(mechanism)
  names(Filter(function(method) is.null(unmet_need(method, law)), methods))
}

refuse_method <- function(method, mechanism, law, need) {
  if (need == "inverse" && law$by_information) {
    abort(
      paste(
        "{.arg method} {.val {method$name}} needs a channel that can be inverted:",
        "truths here give the same reports."
      ),
      c("no_information", "law")
    )
  }
  keeps <- need == "likelihood" && keeps_sets(mechanism) && is.null(law$sets)
  abort(
    c(
      "{.arg method} {.val {method$name}} needs {law_needs[[need]]}.",
      x = "It is: {format(mechanism)}. Under its law {law$words}.",
      i = "Possible are {.or {.val {possible_methods(mechanism)}}}.",
      i = if (keeps) "Or keep the sets: {.code rr_tally(x, mechanism, keep = \"sets\")}."
    ),
    c("law", "argument")
  )
}
