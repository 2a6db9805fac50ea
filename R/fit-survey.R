#' Estimates from survey designs
#'
#' Where the respondents are a probability sample, with clusters, strata, unequal weights or a finite population, or where each respondent reported several times, give the design to [rr_estimate()]
#' in place of the data: `rr_estimate(design, mechanism, column = ~ answer, by = ~ region)`. The estimates are those of the weighted reports; their
#' variance is the design's, with the randomisation of the answers in it.
#'
#' Estimates are (locally) linear in the weighted shares of the reports. Under a design of [survey::svydesign()] their variance is that of the linearised
#' scores, as [survey::svymean()] computes it; under [survey::svrepdesign()] the estimate is made again with each set of replicate weights, as
#' [survey::withReplicates()] does. For a direct question (`p = 1`, `q = 0`) estimates, standard errors and covariances are those of
#' [survey::svymean()] and [survey::svyby()].
#'
#' **A finite population.** Finite population corrections shrink the variance by the fraction of the population that was drawn. That is right for
#' the truths, but a respondent who was certain to be drawn still randomises the answer. The part of the randomisation that the correction takes away is estimated from
#' the reports and added back: in a census the variance is that of the randomisation alone, as with `target = "sample"`. (Surveys that compute scores
#' and hand them to a survey package miss it.) With replicate weights the part that they leave out is computed from the weights.
#'
#' **Several reports of one respondent.** With respondents as clusters, `svydesign(ids = ~ id, weights = ~ 1, data = reports)`, standard errors are right however the reports of one person depend on
#' each other: by the same truth, and by a permanent answer ([rr_longitudinal()]). Simulated with 250 respondents, six reports of each, 5 categories and 200 samples, Wilson's interval of nominal
#' 95 per cent for a share of one half covered it in 195 of 200, and that of a tally of all reports in 154. `target = "sample"` and finite populations take each randomisation for
#' independent and are refused where reports come from permanent answers and clusters hold several.
#'
#' **Protocols** ([rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bitflip()], and [rr_longitudinal()] of these) are estimated by inversion alone (`method = "inv"`, their default here): the estimate is the weighted mean
#' of a score of each report, whose expectation is 1 for the true category and 0 for others.
#'
#' **Groups** (`by`) are domains of one sample. They share clusters, so their estimates are correlated; `vcov()`, [rr_contrast()] and [rr_compare()] take this into account.
#'
#' **Several questions** ([rr_product()]) are estimated together; [rr_margin()] reads some of them.
#'
#' @section Arguments of rr_estimate() for a design:
#' `column`, `by`, `na.rm`, `match`, `method` and its options, `conf.level` and `simultaneous` are as always. `total = TRUE` estimates how many people of the population hold each
#' category, in place of shares. `target = "population"`: the draw and the randomisation are random; `"sample"`: the randomisation alone, the
#' respondents and their weights being fixed. `interval`:
#' * `"wilson"` (default): Wilson's interval for the mean of the unbiased scores between their smallest and largest value (of a mechanism like [rr_grr()]: for the share of the report),
#'   with the number of respondents that gives the design's variance, and the quantile of Student's \eqn{t} with the design's degrees of freedom
#'   ([survey::degf()]), in the manner of Korn and Graubard (1998); cut at 0 and 1. Totals have Wald's.
#' * `"wald"`: estimate plus or minus a multiple of the standard error, by the same \eqn{t}.
#'
#' With `simultaneous = TRUE`, and by rank in pictures that are sorted by size, the same limits have the smaller errors that [rr_top()] describes. They are approximate so far out.
#'
#' Other intervals need independent respondents and are refused, as are [rr_bloom()], [rr_mean()], [rr_hierarchy()] and [rr_sample_questions()], whose inversion is no mean of scores. So are `logLik()`, `AIC()`, `BIC()`, `deviance()`,
#' `anova()` and [rr_goodness_of_fit()], which need a likelihood.
#'
#' @param fit,x,object An estimate of [rr_estimate()] from a design.
#' @param ... Not used.
#' @return `rr_estimate()` of a design returns an object of class `c("rr_survey", "rr_estimates")`, a list with `estimate` (shares or totals, a matrix with one
#'   column per group where there are groups), `covariance` (of all of them), `df`, `tally` (weighted), `mechanism`, `method`, `target`, `interval`, `conf.level`. It is read as all estimates are, see
#'   [rr_estimates]: [tidy()], `coef()`, `vcov()`, `confint()`, `summary()`, [plot()][autoplot.rr_fit].
#' @section Errors:
#' `candor_error_argument` for two-phase designs and designs given by joint probabilities, `weights` (the design has its own), intervals that need independent respondents, and whatever needs a likelihood;
#' `candor_error_law` for mechanisms without scores; `candor_error_missing` for missing reports of a protocol; `candor_error_too_large` for more than 50,000,000 scores; `candor_error_package` where survey is not installed; and the errors of
#' [rr_tally()] and [rr_estimate()].
#' @source Lumley, T. (2004). Analysis of complex survey samples. *Journal of Statistical Software* 9(8). \doi{10.18637/jss.v009.i08}
#'
#'   Chaudhuri, A. (2011). *Randomized Response and Indirect Questioning Techniques in Surveys*. CRC Press (randomized response under general designs: the variance is that
#'   of the design plus that of the randomisation). Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). *Model Assisted Survey Sampling*. Springer, section 16.4 (what
#'   a variance estimator misses of independent measurement errors).
#'
#'   Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive counts estimated from survey
#'   data. *Survey Methodology* 24(2), 193-201.
#' @name rr_survey
#' @examplesIf requireNamespace("survey", quietly = TRUE)
#' # Schools in 15 districts; which do year-round teaching is asked by Warner's design
#' data(api, package = "survey")
#' mechanism <- rr_warner(0.8, levels = c("No", "Yes"))
#' apiclus1$report <- rr_perturb(apiclus1$yr.rnd, mechanism)
#' design <- survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc)
#' fit <- rr_estimate(design, mechanism, column = ~report)
#' fit
#' rr_estimate(design, mechanism, column = ~report, total = TRUE)
#'
#' # Groups are correlated through the districts
#' groups <- rr_estimate(design, mechanism, column = ~report, by = ~stype)
#' rr_compare(groups)
#'
#' # Four reports of each of 500 devices, from permanent answers
#' setting <- rr_longitudinal(c("light", "dark", "auto"), permanent = 3, epsilon = 1.5)
#' used <- sample(setting$levels, 500, replace = TRUE, prob = c(5, 3, 2))
#' memory <- list()
#' weeks <- lapply(1:4, function(week) {
#'   drawn <- rr_perturb(used, setting, memory = memory)
#'   memory <<- drawn$memory
#'   weekly <- data.frame(id = 1:500)
#'   weekly$report <- drawn$reports
#'   weekly
#' })
#' devices <- survey::svydesign(ids = ~id, weights = ~1, data = do.call(rbind, weeks))
#' rr_estimate(devices, setting, column = ~report)
NULL

survey_intervals <- c("wilson", "wald")

# rr_estimate() of a design: the estimates of the weighted tally, as `estimate` makes them, with the variance of the
# design.
survey_estimates <- function(estimate, design, mechanism, method, options, column, weights, by, na.rm, match, target,
                             interval, conf.level,
                             simultaneous) {
  mechanism <- check_mechanism(mechanism)
  total <- check_flag(options$total %||% FALSE, "total")
  options$total <- NULL
  target <- check_choice(target, "target", c("population", "sample"))
  interval <- check_survey_interval(interval)
  law <- check_law(rr_law(mechanism))
  k <- length(mechanism$levels)
  protocol <- is_scored(mechanism, law)
  if (protocol) method <- check_scored_method(method)
  else if (!law_gives(law, "channel", k)) {
    refuse_law(law, "channel", "A survey design", scored_remedy)
  }
  tally <- tally_design(design, mechanism, column, weights, by, na.rm, match)
  check_survey_size(if (protocol) k else length(mechanism$reports), NCOL(tally$counts))
  data <- if (protocol) design_scores(design, tally, column, by)
    else design_reports(design, tally, column, by, match)
  arguments <- c(list(tally), if (!is.null(method)) list(method = method),
                 list(target = target, interval = "wald", conf.level = conf.level,
                      simultaneous = simultaneous), options)
  fit <- do.call(estimate, arguments, quote = TRUE)
  if (!is.null(fit$estimator$no_intervals)) {
    abort(c("{.arg method} {.val {fit$method}} cannot be had of a survey design.",
            x = "It has neither intervals nor standard errors: {fit$estimator$no_intervals}.",
            i = no_intervals_remedy), "argument")
  }
  # Groups in which nobody with a weight answered were left out.
  data$group <- match(data$group, which(tally$n > 0))
  check_kept_designs(design, mechanism, target)
  spread <- if (protocol) scored_covariance(design, fit, data, target, total)
    else design_covariance(design, fit, data, target, total, options)
  size <- if (total) rep(fit$tally$n, each = k) else 1
  structure(list(estimate = fit$estimate * size, covariance = spread$covariance, inversion = spread$inversion,
                 df = if (target == "sample") Inf else survey::degf(design),
                 n = respondent_number(fit$tally), tally = fit$tally, mechanism = mechanism, method = fit$method,
                 estimator = fit$estimator, details = fit$details, target = target,
                 interval = if (total) "wald" else interval,
                 conf.level = fit$conf.level, simultaneous = simultaneous, total = total, drawn = design_words(design)),
            class = c("rr_survey", "rr_estimates"))
}

# Protocols whose unbiased estimate is the mean of a score of each report. RAPPOR's weighs the reports by all others.
is_scored <- function(mechanism, law) {
  inherits(law, c("rr_law_support", "rr_law_bitflip", "rr_law_hadamard")) ||
    inherits(mechanism, c("rr_hadamard", "rr_local_hash"))
}

# Reports from one permanent answer share its randomisation, which is only in the variance between clusters.
check_kept_designs <- function(design, mechanism, target) {
  if (!is_memoised(mechanism) || !has_clusters(design)) return(invisible())
  if (target != "sample" && !any(hidden_squares(design) != 0)) return(invisible())
  abort(c("Reports from permanent answers are not randomised independently.",
          x = if (target == "sample") "{.code target = \"sample\"} takes each report for a randomisation of its own."
              else "The correction for a finite population takes each report for a randomisation of its own.",
          i = if (target == "sample") "{.code target = \"population\"} is right with respondents as clusters."
              else "Leave {.arg fpc} out of the design: standard errors are then a little too large."), "argument")
}

scored_remedy <- "Of protocols those are known whose inversion is a mean over reports, such as {.fn rr_unary}."

check_scored_method <- function(method) {
  if (is.null(method) || identical(method, "inv")) return("inv")
  abort(c("{.arg method} must be {.val inv} for a survey design and reports of a protocol.",
          x = "It is {describe(method)}.",
          i = "The unbiased estimate is a mean over respondents, whose variance the design gives."), "argument")
}

check_survey_interval <- function(interval) {
  if (identical(interval, interval_kinds) || identical(interval, survey_intervals)) return("wilson")
  if (is.character(interval) && length(interval) == 1L && interval %in% setdiff(interval_kinds, survey_intervals)) {
    abort(c("{.arg interval} must be {.val wilson} or {.val wald} for a survey design.", x = "It is {.val {interval}}.",
            i = "The others need respondents who were drawn independently."), "argument")
  }
  check_choice(interval, "interval", survey_intervals)
}

check_survey_size <- function(reports, groups) {
  if (reports <= covariance_cells && reports * groups <= 2 * covariance_cells) return(invisible())
  abort(c("There are too many estimates for a covariance matrix of a design.",
          x = "{format_count(reports)} reports in {format_count(groups)} group{?s}.",
          i = "Take fewer questions or groups together."), "too_large")
}

# A short description of the sample.
design_words <- function(design) {
  if (inherits(design, "svyrep.design")) {
    return(sprintf("the draw of the sample (%s replicate weights)", format_count(ncol(design$repweights))))
  }
  clusters <- nrow(unique(design$cluster[, 1, drop = FALSE]))
  strata <- if (isTRUE(design$has.strata)) length(unique(design$strata[, 1]))
  sprintf("the draw of the sample (%s %s%s%s)", format_count(clusters),
          if (clusters < nrow(design$cluster)) "clusters" else "people drawn singly",
          if (!is.null(strata)) sprintf(" in %s strata", format_count(strata)) else "",
          if (!is.null(design$fpc$popsize)) ", from a finite population" else "")
}

# ---- what all estimates answer ----

labels_of.rr_survey <- function(x) coef_names(x)

rows_of.rr_survey <- function(x) {
  k <- length(x$mechanism$levels)
  groups <- NCOL(x$estimate)
  keys <- lapply(as.list(x$tally$groups), rep, each = k)
  error <- root(diag(x$covariance))
  held <- vapply(seq_len(groups), function(g) held_at_boundary(x, g), NA)
  error[rep(held, each = k) & error == 0] <- NA_real_
  tibble::as_tibble(c(keys, list(term = rep(x$mechanism$levels, groups)), cell_answers(x$mechanism, "levels", groups),
                      list(estimate = as.vector(x$estimate), std.error = error)))
}

bounds_of.rr_survey <- function(x, rows, level) {
  if (x$simultaneous) level <- 1 - (1 - level) / nrow(rows)
  t <- stats::qt((1 + level) / 2, x$df)
  if (x$interval == "wald" || is.null(x$inversion)) {
    half <- t * root(diag(x$covariance))
    return(list(low = rows$estimate - half, high = rows$estimate + half))
  }
  wilson_bounds(x, rows$estimate, t)
}

# The mean of scores that lie from `low` to `high`, as a share of their range. An estimate beyond 0 or 1 is taken for
# what is
# nearest to it among those that there can be.
wilson_bounds <- function(x, estimate, t) {
  low <- rep_len(x$inversion$low, length(estimate))
  range <- rep_len(x$inversion$high, length(estimate)) - low
  share <- (pmin(pmax(as.vector(x$inversion$estimate), 0), 1) - low) / range
  worth <- share * (1 - share) * range^2 / as.vector(x$inversion$variance)
  # Where all reports are alike the design says nothing of their variance.
  alike <- !is.finite(worth) | worth <= 0
  worth[alike] <- rep(x$tally$effective_n, each = length(x$inversion$low))[alike]
  centre <- (share + t^2 / (2 * worth)) / (1 + t^2 / worth)
  half <- t / (1 + t^2 / worth) * sqrt(share * (1 - share) / worth + t^2 / (4 * worth^2))
  bounds <- list(low = pmax(low + range * (centre - half), 0), high = pmin(low + range * (centre + half), 1))
  if (x$estimator$unbiased) return(bounds)
  list(low = pmin(bounds$low, pmax(estimate, 0)), high = pmax(bounds$high, pmin(estimate, 1)))
}

title_of.rr_survey <- function(x) {
  tally <- x$tally
  random <- if (x$target == "sample") "the randomisation of each answer alone, for these respondents and weights"
            else paste0(x$drawn, " and the randomisation of each answer")
  about <- c(sprintf("Random: %s", random),
             sprintf("Target: %s; %s%% %s intervals%s%s", x$target, format(100 * x$conf.level),
                     interval_names[[x$interval]], if (x$simultaneous) ", simultaneous" else "",
                     if (is.finite(x$df)) sprintf(", %s degrees of freedom", format_count(x$df)) else ""))
  c(paste0(x$estimator$title, ", ", if (x$total) "totals" else "shares", " of ",
           category_words(length(x$mechanism$levels)), " from ", format_count(x$n),
           " respondents who stand for ",
           format_count(round(sum(tally$n), 1)), if (!is.null(tally$groups)) in_groups(tally)),
    paste0("  ", format(x$mechanism)), unlist(lapply(about, strwrap, width = 80, indent = 2, exdent = 4)))
}

notes_of.rr_survey <- function(x, shown) {
  notes <- c(if (!x$estimator$unbiased && any(x$estimate <= 0))
               paste("Estimates held at the boundary have no standard error and bias the others: read Wilson's",
                     "intervals, or use method = \"inv\""),
             if (is_contradicted(x))
               paste("The reports are unlikely under this design of the question: rr_goodness_of_fit() tests them",
                     "without the survey design")
             else if (is_unlikely(x)) unlikely_words)
  unlist(lapply(notes, strwrap, width = 80, indent = 2, exdent = 4))
}

# ---- what needs a likelihood ----

#' @export
logLik.rr_survey <- function(object, ...) {
  refuse_survey("log-likelihood, AIC or BIC",
                "Read its standard errors and intervals: {.code tidy(x, conf.int = TRUE)}.")
}

#' @export
deviance.rr_survey <- function(object, ...) logLik(object)

#' @export
anova.rr_survey <- function(object, ...) {
  refuse_survey("likelihood ratio test", "Compare groups with {.fn rr_compare}, whose tests are by the design.")
}
