#' Randomized response in complex surveys: weights, strata, clusters, replicate weights
#'
#' Give a design of the package survey to [rr_estimate()] in place of the data if the respondents are a probability sample, or if respondents reported several
#' times: `rr_estimate(design, mechanism, column = ~ answer, by = ~ region)`. The variance is the design's and includes the randomization.
#'
#' Estimates are (locally) linear in the weighted shares of the reports. With [survey::svydesign()] their variance is the variance of the linearized
#' scores, as in [survey::svymean()]. With [survey::svrepdesign()] the estimate is computed again for each set of replicate weights, and the variance is `survey::svrVar()` of these
#' estimates. For a direct question the results equal [survey::svymean()] and [survey::svyby()].
#'
#' @section Special cases:
#' **Finite populations.** Finite population corrections shrink the variance by the sampling fraction. This is right for the truths, but respondents who were certain to be drawn
#' still randomize. The part of the randomization that the correction removes is estimated and added back, for shares, totals and regressions ([rr_glm()], [rr_multinom()],
#' [rr_predictor()]). In a census the variance is due to the randomization alone.
#'
#' Replicate weights are recognized as corrected if they count less than the squares of the weights. Jackknives show every correction. Bootstrap weights show a correction only if it is
#' larger than their chance variation, and fewer than 10 replicates show none: with a small sampling fraction give the design itself.
#'
#' **Several reports per respondent.** With respondents as clusters, `svydesign(ids = ~ id, weights = ~ 1, data = reports)`, standard errors are right however the reports of one
#' person depend on each other, including permanent answers ([rr_longitudinal()]). A tally of all reports would give standard errors that are too small. Reports from permanent
#' answers with several per cluster are refused for `target = "sample"` and for finite populations.
#'
#' **Frequency oracles** ([rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bitflip()] and [rr_longitudinal()] of these) are estimated by inversion
#' only (`method = "inv"`, their default here), as the weighted mean of an unbiased score of each report.
#'
#' **Dealt answers** ([rr_dealt()]) are estimated in the same way. Each block must lie in one primary sampling unit: give the blocks as clusters if nothing larger was drawn.
#' Designs with a finite population correction (`fpc`) and `target = "sample"` are refused, because the cards of a block depend on each other.
#'
#' **Measured channels** ([rr_misclassification()]): the error of the validation study is added to the variance of the design, for domains with their covariance. Labels of
#' some respondents are a column of the design's data.
#'
#' **Groups** (`by`) are domains of one sample, and their estimates are correlated. `vcov()`, [rr_contrast()] and [rr_compare()] take this into account.
#'
#' **Several questions** ([rr_product()]) are estimated together; [rr_margin()] reads some of them.
#'
#' @section Arguments of rr_estimate() for a design:
#' * `column`, `by`, `na.rm`, `method`, `conf.level`, `simultaneous`: as for other data.
#' * `total`: logical, default `FALSE`. Estimate the number of people in the population instead of shares?
#' * `target`: `"population"`: the draw and the randomization are random; `"sample"`: the randomization alone.
#' * `interval`: `"wilson"` (default) or `"wald"`; totals have Wald's.
#'
#' Wilson's interval is for the mean of the unbiased scores, with the number of respondents that gives the design's variance and the \eqn{t} quantile of [survey::degf()], as Korn and
#' Graubard (1998) propose. It is cut at 0 and 1. Simultaneous intervals and intervals by rank are approximate.
#'
#' Other intervals need independent respondents and give an error. So do [rr_bloom()], [rr_hierarchy()] and [`rr_product(asked = 1)`][rr_product], and [rr_mean()] and [rr_scramble()], whose
#' scores ([rr_score()]) can be given to `survey::svymean()`, which leaves out what a finite population correction removes of the randomization.
#'
#' `predict()` gives the probability of a truth given a report, as for other fits: [predict.rr_fit()]. `logLik()`, `AIC()`, `BIC()`, `anova()` and [rr_goodness_of_fit()] need a
#' likelihood and give an error. To test whether groups differ, use [rr_compare()], or `survey::regTermTest()` of a fit of [rr_glm()].
#'
#' @param fit,x,object An estimate of [rr_estimate()] from a design.
#' @param ... Not used.
#' @return An object of class `c("rr_survey", "rr_estimates")`, a list with `estimate` (shares or totals, with groups a matrix with one
#'   column per group), `covariance`, `df`, `tally` (weighted), `mechanism`, `method`, `target`, `interval` and `conf.level`. Read it by the methods of
#'   [estimate_methods].
#' @section Errors:
#' `candor_error_argument` (also for two-phase designs and `weights`), `candor_error_law` (mechanisms without scores), `candor_error_missing`, `candor_error_too_large` (more than
#' 50,000,000 scores), `candor_error_package`, and the errors of [rr_tally()] and [rr_estimate()]. See [candor_conditions].
#' @references Lumley, T. (2004). Analysis of complex survey samples. *Journal of Statistical Software* 9(8). \doi{10.18637/jss.v009.i08}
#'
#'   Chaudhuri, A. (2011). *Randomized Response and Indirect Questioning Techniques in Surveys*. CRC Press. \doi{10.1201/b10476} (general designs)
#'
#'   Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). *Model Assisted Survey Sampling*. Springer, section 16.4. \doi{10.1007/978-1-4612-4378-6} (measurement errors and
#'   finite populations)
#'
#'   Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive counts estimated from survey
#'   data. *Survey Methodology* 24(2), 193-201.
#' @seealso [rr_glm()] for regression, [rr_score()], `vignette("survey-designs", package = "candor")`.
#' @name survey_designs
#' @concept survey weights
#' @concept replicate weights
#' @concept primary sampling unit
#' @concept PSU
#' @concept survey design
#' @concept stratum
#' @concept complex survey
#' @concept stratified sampling
#' @concept clusters
#' @concept finite population
#' @examplesIf requireNamespace("survey", quietly = TRUE)
#' # Which share of schools met its target? 15 districts were drawn, and each
#' # school was asked by Warner's design.
#' data(api, package = "survey")
#' mechanism <- rr_warner(0.8, levels = c("No", "Yes"))
#' set.seed(1)
#' apiclus1$report <- rr_perturb(apiclus1$sch.wide, mechanism, rng = "R")
#' design <- survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1,
#'                             fpc = ~fpc)
#' rr_estimate(design, mechanism, column = ~report)
#' # 85%, with an interval from 77% to 92%; direct answers would give
#' survey::svymean(~sch.wide, design)
#'
#' # How many schools are these in the population?
#' rr_estimate(design, mechanism, column = ~report, total = TRUE)
#'
#' # Do the types of school differ? Groups are correlated through the
#' # districts.
#' rr_compare(rr_estimate(design, mechanism, column = ~report, by = ~stype))
NULL

# The input of an estimate from a design: the weighted tally, and the `settings` of its estimate.
read_design <- function(design, mechanism, settings, column, weights, by, na.rm) {
  mechanism <- check_mechanism(mechanism, has_data = TRUE)
  total <- check_flag(settings$options$total %||% FALSE, "total")
  settings$options$total <- NULL
  interval <- check_choice(settings$interval %||% "wilson", "interval", c("wilson", "wald"))
  settings$interval <- "wald"
  if (!is.null(mechanism$labels)) {
    survey <- read_labelled_design(design, mechanism, settings, column, by, na.rm)
    return(c(survey, list(total = total, interval = if (total) "wald" else interval)))
  }
  law <- check_law(rr_law(mechanism))
  # Protocols whose unbiased estimate is the mean of a score of each report. RAPPOR's weighs the
  # reports by all others.
  scored <- !is.null(mechanism$codec) && law_gives(law, "scores")
  if (scored) {
    check_only(settings, "method", "inv")
    settings$method <- "inv"
    settings$scored <- TRUE
  } else if (!law_gives(law, "channel")) {
    refuse_law(
      law, "channel", "A survey design",
      "Of protocols those are known whose inversion is a mean over reports, such as {.fn rr_unary}."
    )
  }
  tally <- tally_design(design, mechanism, column, weights, by, na.rm)
  tally <- named_tally(tally, column, design$variables)
  reports <- length(if (scored) mechanism$levels else mechanism$reports)
  if (reports > covariance_cells || reports * NCOL(tally$counts) > 2 * covariance_cells) {
    abort("There are too many estimates for a covariance matrix of a design.", "too_large")
  }
  check_independent(list(mechanism), design, settings$target)
  data <- design_data(design, tally, column, by, scored)
  # Groups in which nobody with a weight answered are left out.
  data$group <- match(data$group, which(tally$n > 0))
  list(design = design, tally = tally, settings = settings, data = data, total = total,
       interval = if (total) "wald" else interval)
}

# The same for a column of labels: of each row the report, the label and the group.
read_labelled_design <- function(design, mechanism, settings, column, by, na.rm) {
  check_design(design, "x")
  check_only(settings, "method", c("mle", "inv"))
  settings$method <- "inv"
  if (settings$target == "sample" || any(hidden_squares(design) != 0)) {
    abort(c(
      "Labels need a design of {.code target = \"population\"} without a finite population.",
      x = "The part of the labels' draw that a correction hides is not known.",
      i = "Give the design without {.arg fpc}."
    ))
  }
  rows <- design_rows(design)
  data <- labelled_rows(
    design$variables[rows, , drop = FALSE], mechanism, column, by, na.rm
  )
  weights <- design_weights(design)
  data$row <- rows[data$index]
  data$rows <- length(weights)
  data$size <- as.vector(rowsum(weights[data$row], data$group))
  data$people <- tabulate(data$group)
  tally <- named_tally(labelled_tally(data, weights[data$row]), column, design$variables)
  list(design = design, tally = tally, settings = settings, data = data)
}

# The estimates of the weighted tally, in `fit`, with the variance of the design.
new_rr_survey <- function(survey, fit) {
  if (is.null(survey$data$truth)) refuse_internal(fit$mechanism, "A survey design")
  people_of_groups <- survey$data$size %||% fit$tally$n
  size <- if (survey$total) people_of_groups else rep(1, length(people_of_groups))
  uncertainty <- design_covariance(
    survey$design, fit, survey$data, fit$target, survey$total, survey$settings$options
  )
  uncertainty <- with_study_error(uncertainty, fit, size)
  x <- structure(unclass(fit), class = c("rr_survey", "rr_estimates"))
  x$estimate <- fit$estimate * rep(size, each = length(fit$mechanism$levels))
  x[c("covariance", "inversion")] <- list(uncertainty$covariance, uncertainty$inversion)
  x$effects <- uncertainty$effects
  is_held <- vapply(seq_along(size), held_at_boundary, NA, fit = fit)
  x$is_held <- rep(is_held, each = length(fit$mechanism$levels))
  x$terms <- fit$mechanism$levels
  # The tally of labelled data has those without a label.
  x[c("size", "people")] <- list(people_of_groups, survey$data$people)
  x[c("total", "interval")] <- list(survey$total, survey$interval)
  x$df <- if (fit$target == "sample") Inf else survey::degf(survey$design)
  describe_survey(x)
}

# The estimates of a design with the fields of all estimates: rows, labels, title and notes.
describe_survey <- function(x) {
  x$n <- if (is.null(x$people)) {
    respondent_number(x$tally)
  } else {
    sum(x$people)
  }
  x$rows <- tidy_rows(x, FALSE)
  x$labels <- coef_names(x)
  x$title <- survey_title(x)
  x$notes <- indented(c(
    if (!x$estimator$unbiased && any(x$estimate <= 0)) held_words,
    if (is_doubted(x)) doubt_words(x)
  ))
  x
}

cut_groups.rr_survey <- function(fit, index, drop = FALSE) {
  cut <- cut_groups.rr_fit(fit, index, drop)
  k <- length(fit$mechanism$levels)
  cells <- as.vector(outer(seq_len(k), (index - 1) * k, `+`))
  cut$covariance <- fit$covariance[cells, cells, drop = FALSE]
  cut$is_held <- fit$is_held[cells]
  for (part in c("size", "people")) {
    cut[[part]] <- .subset2(fit, part)[index]
  }
  if (!is.null(fit$effects)) {
    cut$effects <- fit$effects[cells, , drop = FALSE]
  }
  for (part in intersect(c("estimate", "variance", "field_variance"), names(fit$inversion))) {
    cut$inversion[[part]] <- fit$inversion[[part]][, index, drop = FALSE]
  }
  describe_survey(cut)
}

# An argument for which there is nothing to choose, where it was given.
check_only <- function(settings, arg, choices) {
  if (arg %in% names(settings) && !isTRUE(settings[[arg]] %in% choices)) {
    abort(c("{.arg {arg}} must be {.or {.val {choices}}} for this mechanism, or left out.",
            x = "It is {describe(settings[[arg]])}."))
  }
}

survey_title <- function(x) {
  tally <- x$tally
  random <- if (x$target == "sample") {
    "the randomization of each answer alone, for these respondents and weights"
  } else {
    "the draw of the sample and the randomization of each answer"
  }
  c(
    paste0(
      x$estimator$title, ": ", if (x$total) "totals" else "shares", " of ",
      category_words(length(x$mechanism$levels)), " from ", format_count(x$n),
      " respondents who stand for ", format_count(round(sum(x$size), 1)), in_groups(tally)
    ),
    paste0("  ", format(x$mechanism)),
    indented(c(
      paste0("Random: ", random, if (is_validated(x$mechanism)) {
        sprintf(", and the validation study (%s)", people_words(x$mechanism))
      }),
      paste0(
        "Target: ", x$target, "; ", interval_words(x$conf.level, interval_label(x), x$simultaneous),
        if (is.finite(x$df)) sprintf(", %s degrees of freedom", format_count(x$df))
      )
    ))
  )
}

bounds_of.rr_survey <- function(x, rows, level) lapply(fit_intervals(x, level), as.vector)
