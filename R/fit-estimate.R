#' Estimate prevalences and distributions from randomized reports
#'
#' `rr_estimate()` recovers the distribution of the true answers from randomized reports, with standard errors and confidence intervals.
#'
#' The page [`?estimators`][estimators] compares the methods, and the page [`?intervals`][intervals] says what the uncertainty is about. [rr_choose_method()] picks a method for given data.
#'
#' Each report is taken to come from a different respondent. With several reports per person the standard errors are too small: give a survey design with
#' the respondents as clusters, see [survey_designs].
#'
#' @section Model and estimate:
#' With \eqn{C_{xy}}{C[x, y]} the probability of report \eqn{y} given the truth \eqn{x}, \eqn{\theta_x}{theta[x]} the shares of the truths and
#' \eqn{\phi_y}{phi[y]} the shares of the \eqn{n} reports,
#' \deqn{E(\phi_y) = \sum_x \theta_x C_{xy}}{E(phi[y]) = sum over x of theta[x] C[x, y]}
#'
#' `"inv"` solves these equations. `"mle"` maximizes \eqn{\sum_y \phi_y \log \sum_x \theta_x C_{xy}}{sum over y of phi[y] log(sum over x of theta[x] C[x, y])} over shares of at
#' least 0 that add up to 1. With as many reports as truths it equals `"inv"` if no share of `"inv"` is negative.
#'
#' If a report is the truth with probability \eqn{p} and each other category with probability \eqn{q} (Pinzon et al. 2026),
#' \deqn{\hat\theta_y = \frac{\phi_y - q}{p - q}, \qquad \widehat{Var}(\hat\theta_y) = \frac{\phi_y (1 - \phi_y)}{(n - 1) (p - q)^2}}{theta[y] = (phi[y] - q) / (p - q),
#'   variance phi[y] (1 - phi[y]) / ((n - 1) (p - q)^2)}
#' for the population. For the sample, the variance is \eqn{\{pq + \phi_y (1 - p - q)\} / \{n (p - q)^2\}}{(p q + phi[y] (1 - p - q)) / (n (p - q)^2)}.
#' `system.file("mathematics", "estimation.md", package = "candor")` has the proofs, and general channels.
#'
#' @param x Reports, a data frame, a database table or a tally: anything that [rr_tally()] accepts. A list of tallies is pooled by [rr_pool()]. For a survey design of the package survey see
#'   [survey_designs].
#' @param mechanism How the answers were randomized, such as [rr_forced()] or [rr_grr()]. Not needed for a tally.
#' @param method The estimator: a name listed on [`?estimators`][estimators], or a method made by [rr_new_method()]. Default `"mle"`, maximum likelihood. If the counts
#'   do not determine the likelihood, the default is `"composite"` or `"norm_sub"`, and a message names it.
#' @param ... Options of the method, see [`?estimators`][estimators].
#' @param column,count,weights,by,id,na.rm Passed to [rr_tally()] if `x` is not a tally. For a data frame, `column`, `count`, `by`, `weights` and `id` are names of columns or
#'   formulas such as `~ region`.
#' @param target `"population"` (default) or `"sample"`: whom the uncertainty is about, see [`?intervals`][intervals].
#' @param interval Kind of interval: `"wilson"` (default), `"exact"`, `"wald"`, `"bootstrap"`, `"profile"`, `"credible"` or `"anytime"`, see [`?intervals`][intervals]. The default
#'   for the maximum likelihood of a channel with more reports than truths is `"profile"`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param simultaneous Logical, default `FALSE`. Should all intervals hold together (Bonferroni)?
#' @param replications Number of bootstrap replications, a whole number of at least 20; default 999.
#' @param anchor Mechanism of an anchor question ([rr_anchor()]); `column` then names the columns of the question and of the anchor question, and the estimate is
#'   corrected for inattentive respondents.
#' @param plan For `interval = "anytime"`: the number of reports at which asymptotic intervals are narrowest, at least 1, fixed before the first look; default 500.
#' @return An object of class `c("rr_fit_<kind>", "rr_fit", "rr_estimates")`, a list with the elements
#'
#'   * `estimate`: estimated shares, one per category; with groups a matrix with one column per group.
#'   * `method`, `target`, `interval`, `conf.level`, `simultaneous`: as given.
#'   * `tally`, `mechanism`, `estimator`: the tally, the mechanism, and the method as an object.
#'   * `doubt`: per group, the test by which no truth makes its reports likely: `"deviance"` ([rr_goodness_of_fit()] says more), `"counts"`, or `""` for none.
#'   * `details`: per group, what the method says about its computation: active categories, uniqueness, iterations, certified gap.
#'
#'   Read it by `tidy()`, `glance()`, `coef()`, `vcov()`, `confint()`, `summary()` and `plot()`, see [fit_methods]. Four mechanisms return other objects, which
#'   their pages describe: [rr_mean()], [rr_scramble()], [rr_count_mean_sketch()] and [`rr_product(asked = 1)`][rr_product].
#'
#'   Groups in which nobody answered are left out and named in a message.
#' @section Errors and warnings:
#' Errors: `candor_error_empty`, `candor_error_no_information` (reports do not depend on the truth), `candor_error_impossible` (a report that no
#' truth can produce), `candor_error_law` (method not available), `candor_error_argument` (also an interval that is not available), `candor_error_mismatch`,
#' `candor_error_precision`. Warnings:
#' `candor_warning_not_converged`; `candor_warning_unlikely` (no truth makes the reports likely, as after a wrong mechanism; wrong in at most 1 of 1,000 fits). See [candor_conditions].
#' @references Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response.
#'   \doi{10.48550/arXiv.2601.08603}
#' @seealso [`?estimators`][estimators], [`?intervals`][intervals], [fit_methods] to read the fit, [rr_contrast()] for sums and differences, [rr_top()] for the most common categories,
#'   `vignette("candor", package = "candor")`; `vignette("questions", package = "candor")` answers what is often asked.
#' @concept prevalence
#' @concept denoise
#' @concept small area
#' @concept trend
#' @concept time series
#' @concept dashboard
#' @concept proportion
#' @concept sensitive question
#' @concept maximum likelihood
#' @concept frequency estimation
#' @concept local differential privacy
#' @examples
#' # Which share of Nigerian civilians had contact with an armed group?
#' # 831 of 2,435 said yes; a die forced one answer in three.
#' nigeria <- rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6))
#' tidy(rr_estimate(nigeria), conf.int = TRUE)
#' # 26%, with a 95% interval from 23% to 29%
#'
#' # The same by columns of a data frame: plagiarism by gender
#' fit <- rr_estimate(exam_simulated, rr_forced(1 / 6),
#'                    column = "plagiarism", by = "female")
#' tidy(fit, conf.int = TRUE, terms = "yes")
#' @srrstats {G2.3, G2.3a} `method` and `interval` are matched to their choices.
#' @srrstats {G3.0} Floating point numbers are compared within a tolerance, stored constants exactly.
#' @export
rr_estimate <- function(
  x,
  mechanism = NULL,
  method = "mle",
  ...,
  column = NULL,
  count = NULL,
  weights = NULL,
  by = NULL,
  id = NULL,
  na.rm = FALSE,
  target = c("population", "sample"),
  interval = c("wilson", "exact", "wald", "bootstrap", "profile", "credible", "anytime"),
  conf.level = 0.95,
  simultaneous = FALSE,
  replications = 999,
  plan = 500,
  anchor = NULL
) {
  settings <- list(
    target = check_choice(target),
    conf.level = check_conf_level(conf.level),
    simultaneous = check_flag(simultaneous, "simultaneous"),
    replications = replications,
    plan = check_number(plan, "plan", min = 1),
    options = list(...)
  )
  if (!missing(method)) settings$method <- method
  if (!missing(interval)) settings$interval <- interval
  if (!is.null(id) && is_design(x)) {
    abort("{.arg id} must be left out: drop copies of reports before the design is made.")
  }
  if (!is.null(anchor)) {
    if (!is.null(id)) {
      questions <- frame_names(as_plain_frame(x), column, "column")
      x <- drop_copies(x, id, function() x[questions])
    }
    return(warn_doubt(
      estimate_attention(x, mechanism, anchor, settings, column, count, weights, by, na.rm)
    ))
  }
  if (is_design(x)) {
    if (!is.null(count)) {
      abort("{.arg count} must be left out: a row of a design is one respondent.")
    }
    survey <- read_design(x, mechanism, settings, column, weights, by, na.rm)
    return(warn_doubt(new_rr_survey(survey, estimate_counted(survey$tally, survey$settings))))
  }
  keep <- if (needs_sets(settings$method, mechanism)) "sets"
  tally <- as_tally(x, mechanism, weights, by, na.rm, column, count, keep, id)
  warn_doubt(estimate_counted(tally, settings))
}

# Does the method that was asked for need the reports as sets, which counts do not hold?
needs_sets <- function(method, mechanism) {
  if (is.null(method) || !inherits(mechanism, "rr_mechanism")) return(FALSE)
  if (!"likelihood" %in% check_method(method)$needs) return(FALSE)
  keeps_sets(mechanism) && !law_gives(rr_law(mechanism), "likelihood")
}

# A result, or those of several questions; one warning for all.
warn_doubt <- function(x) {
  if (!is.null(x$doubt) && !any(nzchar(x$doubt))) {
    return(x)
  }
  results <- if (inherits(x, "rr_estimates")) list(x) else x
  doubted <- vapply(results, is_doubted, NA)
  if (any(doubted)) {
    where <- if (length(results) > 1L) {
      names(results)[doubted]
    } else {
      group_labels(x$tally$groups)[nzchar(x$doubt)]
    }
    words <- doubt_words(results[doubted][[1]])
    warn(c("{words}", x = if (length(where)) "It is so in {.val {where}}."), "unlikely")
  }
  x
}

# rr_estimate() without the warning of unlikely reports, for a tally of which it was given before.
estimate_quietly <- function(tally, ...) {
  suppressWarnings(rr_estimate(tally, ...), classes = "candor_warning_unlikely")
}

#' @rdname estimate_methods
#' @export
update.rr_fit <- function(object, ...) {
  changes <- list(...)
  settings <- list(method = object$estimator, target = object$target, interval = object$interval,
               conf.level = object$conf.level, simultaneous = object$simultaneous)
  settings$plan <- object$plan
  settings$replications <- if (!is.null(object$replicates)) ncol(object$replicates[[1]])
  if (!"method" %in% names(changes)) settings <- c(settings, object$options)
  # Another method may not have this kind of interval: its default is taken.
  if (any(c("method", "target") %in% names(changes)) || object$interval == "none") {
    settings$interval <- NULL
  }
  settings <- c(changes, settings[setdiff(names(settings), names(changes))])
  fit <- do.call(rr_estimate, c(list(object$tally), settings), quote = TRUE)
  # Groups that were taken out share their simultaneous intervals with all groups still.
  fit$family <- object$family
  fit
}

#' @export
update.rr_estimates <- function(object, ...) {
  abort("This estimate cannot be changed: make it from its data again.")
}

# The fit whose functions have anytime intervals: the fit by inversion.
anytime_fit <- function(fit) {
  if (!identical(fit$interval, "anytime") || fit$estimator$unbiased) return(fit)
  suppressMessages(
    estimate_quietly(
      fit$tally, method = "inv", interval = "anytime", plan = fit$plan, conf.level = fit$conf.level,
      simultaneous = fit$simultaneous
    )
  )
}

estimate_counted <- function(tally, settings) {
  tally <- drop_empty_groups(tally)
  if (any(tally$n <= 0)) abort_empty(tally)
  estimate_tally(tally$mechanism, tally, settings)
}

# `settings` holds the arguments of rr_estimate(); `method` and `interval` are in it only if the
# user gave them. For most mechanisms a distribution is estimated.
estimate_tally <- function(mechanism, tally, settings) UseMethod("estimate_tally")

estimate_tally.rr_mechanism <- function(mechanism, tally, settings) {
  law <- check_law(rr_law(mechanism))
  groups <- seq_len(NCOL(tally$counts))
  evidence <- lapply(groups, function(g) group_evidence(tally, g, law))
  method <- check_method(settings$method %||% default_method(evidence[[1]]$law))
  interval <- if (is.null(settings$interval)) {
    default_interval(mechanism, method, settings$target, law)
  } else {
    check_choice(settings$interval, "interval", names(interval_kinds))
  }
  check_interval_kind(interval, mechanism, settings$target, method, law)
  refuse_incomplete_study(tally, law)
  results <- run_groups(method, evidence, settings$options)
  settings$interval <- interval
  fit <- new_rr_fit(tally, method, results, settings)
  fit$doubt <- vapply(
    groups,
    function(g) {
      fit_doubt(
        fit, results[[g]]$estimate, evidence[[g]], false_alarm / length(groups)
      )
    },
    ""
  )
  if (interval == "anytime") {
    fit$plan <- settings$plan
    tell_few_reports(lacks_reports(tally, evidence))
  }
  if (interval == "bootstrap") {
    fit$replicates <- bootstrap(
      fit, check_count(settings$replications, "replications", min = 20), settings$options
    )
  }
  fit
}

# An error if an estimate would be without the error of a study: of one of several questions, or of
# groups that have no labels of their own.
refuse_incomplete_study <- function(tally, law) {
  if (!is.null(tally$mechanism$questions)) {
    refuse_validated(tally$mechanism, "{.fn rr_estimate} of several questions")
  }
  if (!is.null(law$internal) && NCOL(tally$counts) > 1L &&
      is.null(tally$labels)) {
    abort(c(
      "An internal validation must have a table for each group.",
      i = "Data with a column of labels have it: {.code rr_misclassification(labels = \"truth\")}."
    ))
  }
}

# The kind of interval whose centre is the estimate. The least-squares inverse, whose interval is
# Wilson's, and the maximum of the likelihood are different estimates if there are more reports than
# truths: the inverse weighs all reports alike.
default_interval <- function(mechanism, method, target, law) {
  if (!is.null(method$no_intervals)) return("none")
  k <- length(mechanism$levels)
  profiled <- isTRUE(method$likelihood) && has_spare_reports(law, k) && k <= profile_cells
  if (profiled && target == "population" && !is_validated(mechanism)) "profile" else "wilson"
}

fit_default_interval <- function(fit) {
  default_interval(fit$mechanism, fit$estimator, fit$target, rr_law(fit$mechanism))
}

new_rr_fit <- function(tally, method, results, settings) {
  labels <- list(tally$mechanism$levels, group_labels(tally$groups))
  estimate <- if (!is.matrix(tally$counts)) {
    setNames(as.vector(results[[1]]$estimate), labels[[1]])
  } else {
    matrix(
      unlist(lapply(results, `[[`, "estimate")), ncol = length(results), dimnames = labels
    )
  }
  details <- lapply(results, function(result) result[names(result) != "estimate"])
  fit <- list(
    estimate = estimate,
    method = method$name,
    target = settings$target,
    interval = settings$interval,
    conf.level = settings$conf.level,
    simultaneous = settings$simultaneous,
    options = settings$options,
    tally = tally,
    mechanism = tally$mechanism,
    details = details,
    replicates = NULL,
    estimator = method
  )
  kind <- paste0("rr_fit_", substring(class(tally$mechanism)[1], 4))
  structure(fit, class = c(kind, "rr_fit", "rr_estimates"))
}

as_tally <- function(
  x, mechanism, weights, by, na.rm,
  column = NULL, count = NULL, keep = NULL, id = NULL
) {
  if (is.list(x) && !is.object(x) && length(x) &&
      all(vapply(x, inherits, NA, "rr_tally"))) {
    x <- rr_pool(x)
  }
  if (inherits(x, "rr_tally")) {
    if (!is.null(mechanism) && !same_mechanism(check_mechanism(mechanism), x$mechanism)) {
      difference <- mechanism_difference(x$mechanism, mechanism)
      abort(c("{.arg x} is a tally of another mechanism.", x = "{difference}"), "mismatch")
    }
    columns <- c(weights, count, by, column, id)
    if (!is.null(columns) || check_flag(na.rm, "na.rm")) {
      abort(paste(
        "A tally takes no {.arg column}, {.arg count}, {.arg weights}, {.arg by}, {.arg id} and",
        "{.arg na.rm}."
      ))
    }
    return(x)
  }
  check_mechanism(mechanism, has_data = TRUE)
  # Only what was given: a table, which is counted already, refuses the rest by name.
  arguments <- list(
    column = column,
    count = count,
    weights = weights,
    by = by,
    id = id,
    na.rm = if (!identical(na.rm, FALSE)) na.rm,
    keep = keep
  )
  named_tally(
    do.call(
      rr_tally, c(list(x, mechanism), arguments[lengths(arguments) > 0L]),
      quote = TRUE
    ),
    column, x
  )
}

# ---- mechanisms whose estimate is another one ----

# One question of many: a fit for each.
estimate_tally.rr_sampled <- function(mechanism, tally, settings) {
  lapply(setNames(nm = names(mechanism$parts)), function(name) {
    submechanism <- submechanism_tally(tally, name)
    if (all(submechanism$n <= 0)) {
      abort("Each question must have been answered: nobody drew {.val {name}}.", "empty")
    }
    estimate_tally(submechanism$mechanism, drop_empty_groups(submechanism), settings)
  })
}

# A hierarchy has one distribution, and an unbiased estimate unless asked for another.
estimate_tally.rr_hierarchy <- function(mechanism, tally, settings) {
  settings$method <- settings$method %||% "inv"
  estimate_tally.rr_mechanism(mechanism, tally, settings)
}

# Dealt answers: with blocks, unbiased unless asked for another, and a doubt of its own.
estimate_tally.rr_dealt <- function(mechanism, tally, settings) {
  settings$method <- settings$method %||% "inv"
  if (is.null(tally$blocks) && !isTRUE(settings$scored)) {
    abort(c("Dealt answers must have their blocks, and no weights.",
            i = "Weights belong into a survey design whose clusters hold the blocks."))
  }
  fit <- estimate_tally.rr_mechanism(mechanism, tally, settings)
  if (identical(settings$interval, "exact")) fit_intervals(fit)
  strayed <- if (!is.null(tally$blocks)) {
    disobedient(rr_law(mechanism), merge_blocks(tally$blocks))
  }
  if (isTRUE(strayed > 0)) {
    fit$doubt[] <- sprintf(
      "At least %s did not follow the cards: blocks say less often what cards dictate",
      number_of(strayed, "respondent")
    )
  }
  fit
}

# A sketch: of the strings that are asked for.
estimate_tally.rr_count_mean_sketch <- function(mechanism, tally, settings) {
  estimate_candidates(mechanism, tally, settings, identity)
}

# Whole strings are estimated from those who were held out.
estimate_tally.rr_prefixes <- function(mechanism, tally, settings) {
  string_tally <- submechanism_tally(tally, held_out)
  if (any(string_tally$n <= 0)) abort("Somebody must have been held out.", "empty")
  estimate_candidates(string_tally$mechanism, string_tally, settings, function(strings) {
    prefix_of(strings, max(mechanism$lengths))
  })
}

# `sent` says what respondents with these strings report about.
estimate_candidates <- function(mechanism, tally, settings, sent) {
  check_only(settings, "method", "inv")
  check_only(settings, "interval", c("wilson", "wald"))
  candidates <- settings$options$candidates
  if (is.factor(candidates)) candidates <- as.character(candidates)
  check_that(
    is.character(candidates) && length(candidates) && !anyNA(candidates) &&
      !anyDuplicated(candidates),
    candidates, "candidates", "different strings, such as {.code c(\"tea\", \"coffee\")}"
  )
  candidates <- check_hashed_text(candidates, "candidates")
  settings$method <- "inv"
  settings$options$candidates <- NULL
  listed <- candidate_tally(mechanism, tally, sent(candidates), candidates)
  estimate_tally(listed$mechanism, listed, settings)
}
