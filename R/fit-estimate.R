#' Estimate the true distribution
#'
#' Recovers the distribution of the truth from a tally of randomised reports.
#'
#' @section Methods:
#' With \eqn{\phi} the reported shares and \eqn{\theta} the true ones:
#'
#' * `"mle"` (default): the exact maximum likelihood estimate. For every mechanism that tells the truth or
#'   else draws an innocuous answer (all of [rr_grr()], [rr_binary()], [rr_forced()],
#'   [rr_unrelated()]) it has a closed form: reports below a threshold are switched off and the
#'   rest is inverted (Pinzon et al. 2025, theorem 1; here in counts and without sorting). A proper distribution. For
#'   every other channel ([rr_channel()], [rr_compose()], [rr_product()]) it comes with a certificate of how far the
#'   likelihood may lie below its maximum, see [rr_solver].
#' * `"inv"`: linear inversion, \eqn{\hat\theta_y = (\phi_y - b_y) / a}{theta[y] = (phi[y] - b[y]) / a}. Unbiased; may be negative or above 1, and
#'   is never clipped here: an estimate below zero is information. For a channel with more reports than truths, the
#'   least-squares solution that adds up to 1. Outside the distributions its log-likelihood can exceed that of `"mle"`, which is the
#'   maximum over distributions only: a larger `logLik()` of `"inv"` is no contradiction.
#' * `"invn"`: negative parts of `"inv"` set to zero, the rest rescaled (Norm-Mul of Wang et al.).
#' * `"invp"`: the Euclidean projection of `"inv"` on the distributions (Norm-Sub of Wang et al.).
#' * `"ibu"`: the iterative Bayesian update, from a uniform start. Give `iterations` for a stated
#'   number of steps, or `tolerance` for a stated certificate: it then stops when the total log-likelihood is
#'   provably within `tolerance` of its maximum. If a `tolerance` that you set is not reached within `iterations` (default
#'   10,000), a warning reports the gap. The fit keeps the trace, see [tidy()][tidy.rr_fit].
#' * `"base_cut"`, `"norm"`, `"norm_cut"`, `"norm_sub"`, `"power"`, `"power_ns"`: the post-processings of Wang
#'   et al. (2020), see [postprocessing].
#'
#' * `"combine"`: a point between (or a little beyond) `"invn"`, `"mle"` and `"invp"`, mixed with the uniform distribution. The data choose the
#'   point by leaving out one report; see [rr_choose()]. For mechanisms that report all answers other than the truth with one probability
#'   (`rr_grr()` with \eqn{p > q}, Warner's design and other yes/no questions with \eqn{P(\mathrm{yes} \mid \mathrm{no}) = P(\mathrm{no} \mid \mathrm{yes})}{P(yes | no) = P(no | yes)}).
#' * `"merged"`: maximum likelihood with one common share for all categories that do not rise above the noise, in the spirit of the
#'   regularised likelihood of Ye et al. (2025).
#' * `"smoothed"`: the iterative Bayesian update with a smoothing step over neighbouring categories, for ordered ones (Li et al. 2020).
#'
#' * `"eb"`: empirical Bayes, for many categories. The counts themselves show how the shares are spread, and each share is its posterior
#'   mean under that spread: an average of some hundred simple shapes (all alike, power laws, two levels, one category above the rest), weighed by
#'   their likelihood and sharpened by steps of EM where the counts ask for it, tilted so that the shares add up to 1. With `loss = "absolute"` the shares of least
#'   expected absolute error: posterior quantiles at one level. In most cells of a grid of truths and sizes its error is close to that of the
#'   best other method; the vignette *Many categories* shows where it is not. It shrinks the shares, so use `"inv"` for sums of selected
#'   categories and for one category over time. It works for the mechanisms for which `"mle"` has a closed form and where each
#'   category has a binomial count of its own, with \eqn{p > q}: supported categories, reports of [rr_hadamard()] with one block whose sign in the category's row is 1, and ones of
#'   [rr_bitflip()] among the reports that drew the bucket. (With several blocks of a Hadamard matrix a sign's chance depends on the share of the whole block as well.) Two categories have nothing to learn from each other and get `"mle"`.
#'
#' * `"lasso"`: for [rr_bloom()], with many candidates of which few are held by anybody: selection, then least squares. Conditional on the selection.
#' * `"nnls"`: for [rr_bloom()], least squares among shares that are not negative, with any number of categories. The data select which shares
#'   are 0; standard errors come from the bootstrap and are conditional on that.
#'
#' When the truth is the least likely report (\eqn{p < q}), `"mle"` has another closed form. The data may then determine only the sum of the shares of some
#' categories that nobody reported. This sum is divided equally among them, and the fit says so.
#'
#' @section What the default does to large shares:
#' The maximum likelihood estimate is a distribution: it sets to 0 what the noise took below 0, and takes the same mass from the categories that are
#' left. With few categories, all of them well above the noise, nothing happens. With many it makes the large shares too small, by a multiple of
#' their standard errors. Measured for 10,000 categories with the share of category \eqn{i} falling as \eqn{i^{-1.1}}, \eqn{\epsilon = 4} and 2 million reports: the
#' largest share, 0.151, is estimated 4 of its standard errors too low on average, and in none of 60 surveys did the estimate plus or minus 1.96
#' standard errors contain it. The default interval (`"wilson"`) contained it in 58 surveys, and the unbiased estimate, `method = "inv"`, was off by 0.2
#' standard errors on average. With 1,000 categories, 577 of them held at 0 (\eqn{\epsilon = 4}, 200,000 reports, 60 surveys), plus or minus 1.96 standard errors contained
#' the largest share in 63 of 100 surveys, Wilson's interval in 95. With up to 100 categories, of which a third or fewer were held at 0, plus or minus 1.96 standard errors
#' contained it in 93 to 95 of 100 surveys, and Wilson's interval in 92 to 97. For all shares that were not held at 0 it was 94 to 98 of 100. So `std.error` is `NA` where the estimate is held at 0 or 1, and a number elsewhere; but with hundreds of categories
#' do not use it for large shares. Read the interval of a category named beforehand, [rr_top()] for the categories that look largest,
#' `"inv"` for the sums of named categories, and `"eb"` or [rr_choose()] for all shares together.
#'
#' @section All methods:
#' [rr_methods()] gives this table, and [rr_new_method()] makes a method of your own. A method refuses a mechanism whose law, see [rr_law()],
#' does not give what the method needs.
#'
#' `r methods_table()`
#'
#' @section What the uncertainty is about:
#' Each report is taken for that of a different respondent. With several reports of a person standard errors and intervals are too small, whether the reports are tallied at once
#' or tallies are merged with `c()`: give a design with the respondents as clusters, `rr_estimate(survey::svydesign(ids = ~ id, weights = ~ 1, data = reports), mechanism)`, see [rr_survey].
#'
#' `target = "population"`: the respondents are a random sample, and both sampling and randomisation make the estimate uncertain.
#' `target = "sample"`: the shares among these very respondents are estimated, and only the randomisation is random; standard errors
#' are smaller. For `"inv"` the estimated covariances are unbiased. For the other methods they hold locally, on
#' the support of the estimate: an estimate of exactly zero has variance 0 in `vcov()` and no standard error (`NA`) in [tidy()][tidy.rr_fit], so
#' read its interval instead. (For `"eb"`, and the population only, standard errors are the roots of posterior expected squared errors.
#' These rest on the spread that was learned. An unbiased estimate of the squared error, which trusts no such spread, gives a range for it: plus or minus two standard deviations.
#' Standard errors are `NA` in a group if the range ends above four times what the posterior expects, or begins above it. `print()` says so. In the simulation of the section
#' *Intervals* they were given in 75, 39, 5 and 2 of 100 surveys with 20, 300, 5,000 and 50,000 categories.) Where no such formula is known (`"ibu"` stopped with a certified gap above 1e-4,
#' `"power"`, `"power_ns"`, `"combine"`, `"lasso"`, `"merged"`) the standard error is `NA` unless `interval = "bootstrap"`. `"smoothed"` has no standard errors and no intervals at all.
#' It is also `NA` where more than 1,000 cells of a product or general channel are positive, since computing them all needs a matrix of
#' that size; there [rr_contrast()] still gives the standard error of any cell, sum or difference.
#'
#' @section Intervals:
#' * `"wilson"` (default, except for pools of several designs, [rr_pool()]): the score interval of the report's share, carried through the mechanism; for `target = "sample"`
#'   the score interval of the randomisation alone.
#' * `"exact"`: Clopper-Pearson, carried through the mechanism. Covers at least as often as stated, for both targets, at
#'   the boundary too.
#' * `"wald"`: estimate plus or minus a multiple of the standard error. May leave \eqn{[0, 1]}. For methods other than `"inv"` it
#'   covers less often than stated if answers are rare: a share of 0.01 in one third to one half of surveys with some yes/no designs, instead of in 95 of 100.
#' * `"bootstrap"`: percentiles of re-estimated simulated tallies. Uses R's random generator (so `set.seed()` fixes it);
#'   too narrow for estimates at the boundary.
#' * `"profile"`: the shares at which twice the log-likelihood, maximised over all other shares, lies below its maximum by at most the
#'   \eqn{\chi^2_1} quantile, each such maximum certified (see [rr_solver]). It is about the maximum likelihood estimate whatever the
#'   `method`, and need not contain the estimate of another method. For `target = "population"` and up to 500 categories; any mechanism with a finite matrix.
#'   Conservative at the boundary.
#'
#' * `"credible"`: for `"eb"` with at least 20 categories, quantiles of the posterior: the hull of those of two fits, the second with prior weights that hardly favour even shares.
#'   Much shorter than Wilson's, and right for most categories on average. In a simulation (`eb-uncertainty.R` in
#'   `system.file("studies", package = "candor")`, five truths, 80 cells each) 95 % intervals held for 95, 96, 94 and 91 of 100 shares with 20, 300, 5,000 and 50,000 categories, and for fewer
#'   than 90 in 2, 0, 18 and 34 of the 80 cells. With one fit alone it was 95, 90, 77 and 76.
#'   They do *not* hold for a category named beforehand, nor for the categories that look largest.
#'
#' Which interval holds depends on how a category was found:
#' * *Named beforehand*: Wilson's and exact intervals. Wilson's covered in 94 to 100 of 100 surveys.
#' * *Looks largest*, found by looking at the estimates: the intervals of [rr_top()]. In `inst/studies/selection.csv` Wilson's hold for the ten largest estimates
#'   of 5,000 categories in 27 of 100 cases on average, those of [rr_top()] in 99.
#' * *Is largest*: Wilson's intervals cover the truly largest categories in 94 to 100 of 100, since the truth does not depend on the survey. But nobody knows which these are, so list them by [rr_top()].
#'
#' In a general channel no report belongs to one category. There `"wilson"` is the score interval of the unbiased
#' estimate, with the other categories as fitted (for the mechanisms above it is the same as Wilson's), `NA` where the channel
#' cannot be inverted, and there is no `"exact"`.
#'
#' Wilson and exact intervals follow from the reports of one category alone. That category may have more or fewer reports than any truth
#' makes likely. Wilson's interval then compares each truth with the best one, as a likelihood ratio does, so that it covers no less often
#' and is never a single point; the exact interval is cut at 0 and 1, to a single point if need be. Both are widened, where
#' needed, to include the estimate: methods that return distributions move mass between categories.
#'
#' `method = "smoothed"` has no intervals: they are `NA`, with a message, and asking for a kind is an error. Its estimates are moved by the smoothing, often by several times
#' as much as they vary, so that an interval of either kind would miss the truth. Take `"mle"` for what needs an error, such as quantiles and cumulative shares.
#'
#' `simultaneous = TRUE` makes all intervals of a fit, of all groups, hold together: their errors are divided by the number of categories times the number of groups (Bonferroni). If counts are binomial,
#' `"wilson"` then stands for `"exact"`, since Wilson's interval is wrong too often at such levels. For other channels and for designs of [rr_survey] the normal limits at these errors are approximate.
#'
#' @param x A tally, or anything that [rr_tally()] takes. For a design of the package survey see [rr_survey].
#' @param mechanism How the answers were randomised. Not needed for a tally.
#' @param method The estimator: one of the names in section *Methods*, or a method made by [rr_new_method()]. A fit has one; for several
#'   `lapply(c("mle", "inv"), function(m) rr_estimate(tally, method = m))`, and [rr_choose()] says which to take.
#' @param ... Arguments of the method. For `"ibu"`: `iterations` (whole number; default 10,000), `tolerance` (on
#'   the total log-likelihood; default 1e-8 if `iterations` is not given, else 0), `start` (a distribution, in the order of the
#'   levels or named by them, or for several questions a table such as that of [rr_joint()]; default uniform).
#'   For `"base_cut"`: `alpha` (significance level of its one-sided test; default 0.05). For `"mle"`: `tolerance`, `iterations` and
#'   `start`, see [rr_solver]; a closed form meets every tolerance and needs no start. For `"merged"`: `smoothing` (how many standard deviations of an empty
#'   category count as noise; default 1). For `"smoothed"`: `iterations` (at most; default 10,000), `tolerance` (it stops when a step
#'   gains less on the total log-likelihood; default 1e-3). For `"eb"`: `loss` (`"squared"` or `"absolute"`), `pool` (`TRUE`: the groups of
#'   the tally, the largest at most 1e8 times the smallest, learn one common spread), `reference` (a distribution such as last year's, all shares above 0: the shares are then modelled as
#'   multiples of it, if that makes the counts more likely), `ordered` (`TRUE`: categories are in order, and the `"smoothed"`
#'   estimate is the reference).
#' @param column,weights,by,na.rm,match Passed to [rr_tally()] when `x` is not yet a tally: for a data frame `column`, `by` and `weights`
#'   may name its columns, as text or as a formula such as `~ region`.
#' @param target What the uncertainty is about: `"population"` or `"sample"`.
#' @param interval The kind of interval, see below: by default `"wilson"`, of a maximum likelihood estimate from a pool of designs `"profile"`. One of
#'   `"wilson"`, `"exact"`, `"wald"`, `"bootstrap"`, `"profile"` or `"credible"`.
#' @param conf.level Confidence level, between 0 and 1.
#' @param simultaneous Should all intervals hold together (`TRUE` or `FALSE`)?
#' @param replications Number of bootstrap replications, a whole number of at least 20.
#' @return An object of class `c("rr_fit_<kind>", "rr_fit")`, a list with
#'   \describe{
#'     \item{`estimate`}{estimated shares, one per category, or a matrix with one column per group}
#'     \item{`method`, `target`, `interval`, `conf.level`, `simultaneous`}{as given}
#'     \item{`tally`, `mechanism`, `estimator`}{the tally and the mechanism of the estimate, and the method as an object}
#'     \item{`details`}{per group, what the method reports about its computation: number of active categories, uniqueness,
#'       iterations, certified gap; for `"eb"` `expected.error`, the sum of squared errors that the posterior expects, `expected.range`, what the reports alone say about it, and
#'       `delta`, the upper end of that range over `expected.error`}
#'   }
#'   For [rr_mean()], which estimates a mean and no shares, [rr_sketch_counts()], which wants `candidates`, and [rr_sample_questions()], which gives one fit per question, see their pages.
#'
#'   Read it with [tidy()][tidy.rr_fit], `glance()`, `coef()`, `vcov()`, `confint()`, `summary()`, `plot()`, see [rr_fit].
#' @section Errors and warnings:
#' Groups in which nobody answered are left out and named, in a message of class `candor_message_empty`.
#'
#' `candor_error_no_information` when reports do not depend on the truth (\eqn{p = q}),
#' `candor_error_empty` when nothing was tallied, `candor_error_mismatch` when a tally is of another
#' mechanism or the names of `start` are not levels, `candor_error_impossible` when a report was seen that no truth can produce, `candor_error_precision` when counts differ so
#' much in size that `"ibu"` would lose all precision, `candor_error_law` when the reports' law does not give what the method or the
#' interval needs, `candor_error_argument` for the rest.
#'
#' `candor_warning_not_converged` when the log-likelihood did not come within `tolerance` of its maximum: for `"ibu"` only if a `tolerance` above 0 was given
#' (`details` and `glance()` show the gap anyway), for `"mle"` in general channels always. The estimate is returned.
#' @references Pinzon, C. A., ElSalamouny, E., Massot, L., Miller, A., Arcolezi, H. H. and Palamidessi, C. (2025). Estimating
#'   the true distribution of data collected with randomized response.
#'
#'   Kairouz, P., Bonawitz, K. and Ramage, D. (2016). Discrete distribution estimation under local privacy. *ICML*, 2436-2444.
#'
#'   Agrawal, D. and Aggarwal, C. C. (2001). On the design and quantification of privacy preserving data
#'   mining algorithms. *PODS*, 247-255. \doi{10.1145/375551.375602}
#'
#'   Wang, T. et al. (2020). Locally differentially private frequency estimation with consistency. *NDSS*.
#'   \doi{10.14722/ndss.2020.24157}
#'
#'   Ye, Y., Wang, T., Zhang, M. and Feng, D. (2025). Revisiting EM-based estimation for locally differentially private
#'   protocols. *NDSS*. (As Pinzon et al. describe it: small values merged, and a smoothing factor.)
#'
#'   Li, Z., Wang, T., Lopuhaa-Zwakenberg, M., Li, N. and Skoric, B. (2020). Estimating numerical distributions under local
#'   differential privacy. *SIGMOD*, 621-635. \doi{10.1145/3318464.3389700}
#'
#'   Efron, B. (2016). Empirical Bayes deconvolution estimates. *Biometrika* 103(1), 1-20. \doi{10.1093/biomet/asv068}
#'
#'   Brown, L. D. and Greenshtein, E. (2009). Nonparametric empirical Bayes and compound decision approaches to estimation of a
#'   high-dimensional vector of normal means. *Annals of Statistics* 37(4), 1685-1704. \doi{10.1214/08-AOS630} (That the best separable rule
#'   can be learned from the data.)
#' @concept prevalence
#' @concept proportion
#' @concept maximum likelihood
#' @concept frequency estimation
#' @concept local differential privacy
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' reports <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' fit <- rr_estimate(reports)
#' fit
#' tidy(fit, conf.int = TRUE)
#'
#' # The unbiased estimate, for these very respondents
#' rr_estimate(reports, method = "inv", target = "sample", interval = "exact")
#' @export
rr_estimate <- function(x, mechanism = NULL, method = "mle", ..., column = NULL, weights = NULL, by = NULL,
                        na.rm = FALSE, match = c("exact", "relaxed"), target = c("population", "sample"),
                        interval = c("wilson", "exact", "wald", "bootstrap", "profile", "credible"),
                        conf.level = 0.95, simultaneous = FALSE, replications = 999) {
  match <- check_choice(match, "match", c("exact", "relaxed"))
  given <- list(target = check_choice(target, "target", c("population", "sample")),
                conf.level = check_level(conf.level), simultaneous = check_flag(simultaneous, "simultaneous"),
                replications = replications, options = list(...))
  if (!missing(method)) given["method"] <- list(method)
  if (!missing(interval)) given["interval"] <- list(interval)
  if (is_design(x)) {
    asked <- read_design(x, mechanism, given, column, weights, by, na.rm, match)
    return(new_rr_survey(asked, estimate_counted(asked$tally, asked$given)))
  }
  estimate_counted(as_tally(x, mechanism, weights, by, na.rm, column, match), given)
}

estimate_counted <- function(tally, given) {
  tally <- drop_empty_groups(tally)
  if (any(tally$n <= 0)) abort_empty(tally)
  estimate_tally(tally$mechanism, tally, given)
}

# `given` holds the arguments of rr_estimate(); `method` and `interval` are in it only if the user gave them. For most
# mechanisms a distribution is estimated.
estimate_tally <- function(mechanism, tally, given) UseMethod("estimate_tally")

estimate_tally.rr_mechanism <- function(mechanism, tally, given) {
  law <- check_law(rr_law(mechanism))
  method <- check_method(if ("method" %in% names(given)) given$method else default_method(tally, law))
  interval <- if ("interval" %in% names(given)) check_choice(given$interval, "interval", interval_kinds)
              else default_interval(mechanism, method, given$target)
  check_interval_kind(interval, mechanism, given$target, method, law)
  if (inherits(law, "rr_law_internal") && NCOL(tally$counts) > 1L) {
    abort(c("An internal validation must be of one sample, without groups.",
            x = "The groups of the people in {.arg table} are not known.",
            i = "Make a mechanism for each group, from its own table."), "argument")
  }
  groups <- seq_len(NCOL(tally$counts))
  results <- run_groups(method, lapply(groups, function(g) group_evidence(tally, g, law)), given$options)
  fit <- new_rr_fit(tally, method, results, given$target, interval, given$conf.level, given$simultaneous)
  if (interval == "bootstrap") {
    fit$replicates <- bootstrap(fit, check_count(given$replications, "replications", min = 20), given$options)
  }
  fit
}

# Under several designs of one truth no report belongs to a category: Wilson's interval is that of the least-squares
# inverse, which weighs all reports alike, and is wider than the likelihood's.
default_interval <- function(mechanism, method, target) {
  if (!is.null(method$no_intervals)) return("none")
  pooled <- inherits(mechanism, "rr_pooled") && isTRUE(method$likelihood) && target == "population" &&
    length(mechanism$levels) <= profile_cells
  if (pooled) "profile" else "wilson"
}

new_rr_fit <- function(tally, method, results, target, interval, conf.level, simultaneous) {
  estimate <- results[[1]]$estimate
  if (is.matrix(tally$counts)) {
    estimate <- vapply(results, `[[`, estimate, "estimate")
    dimnames(estimate) <- list(tally$mechanism$levels, group_labels(tally$groups))
  } else {
    names(estimate) <- tally$mechanism$levels
  }
  details <- lapply(results, function(result) result[names(result) != "estimate"])
  fit <- list(estimate = estimate, method = method$name, target = target, interval = interval, conf.level = conf.level,
              simultaneous = simultaneous, tally = tally, mechanism = tally$mechanism, details = details,
              replicates = NULL, estimator = method)
  kind <- paste0("rr_fit_", substring(class(tally$mechanism)[1], 4))
  class(fit) <- c(kind, "rr_fit", "rr_estimates")
  fit
}

as_tally <- function(x, mechanism, weights, by, na.rm, column = NULL, match = "exact") {
  if (is.list(x) && !is.object(x) && length(x) && all(vapply(x, inherits, NA, "rr_tally"))) x <- rr_pool(x)
  if (inherits(x, "rr_tally")) {
    if (!is.null(mechanism) && !same_mechanism(mechanism, x$mechanism)) {
      check_mechanism(mechanism)
      abort(c("{.arg x} is a tally of another mechanism.",
              x = "{mechanism_difference(x$mechanism, mechanism)}"), "mismatch")
    }
    if (!is.null(weights) || !is.null(by) || !is.null(column) || match != "exact" || check_flag(na.rm, "na.rm")) {
      abort(c("{.arg x} is a tally already.",
              i = "{.arg column}, {.arg weights}, {.arg by}, {.arg na.rm} and {.arg match} belong to its making."),
            "argument")
    }
    return(x)
  }
  if (inherits(x, "rr_fit")) {
    abort(c("{.arg x} must be a tally or reports.", x = "It is a fit, whose tally is in {.code x$tally}."), "argument")
  }
  check_mechanism(mechanism)
  # Only what was given: a table, which is counted already, refuses the rest by name.
  given <- list(column = column, weights = weights, by = by, na.rm = if (!identical(na.rm, FALSE)) na.rm,
                match = if (match != "exact") match)
  do.call(rr_tally, c(list(x, mechanism), given[lengths(given) > 0L]), quote = TRUE)
}

# Groups in which nobody answered have no estimate. They are named, and left out, as rr_tally() leaves out unused
# levels.
drop_empty_groups <- function(tally) {
  if (is.null(tally$groups)) return(tally)
  empty <- which(tally$n <= 0)
  if (!length(empty) || length(empty) == nrow(tally$groups)) return(tally)
  named <- vapply(empty, format_group, "", groups = tally$groups)
  weightless <- all((tally$respondents %||% numeric(nrow(tally$groups)))[empty] > 0)
  why <- if (weightless) "all weights are 0" else "nobody answered"
  named <- cli::cli_vec(named, list("vec-trunc" = 8))
  cli::cli_inform("Left out, since {why} in {cli::qty(length(empty))}{?it/them}: {.val {named}}.",
                  class = "candor_message_empty")
  keep_groups(tally, which(tally$n > 0))
}

abort_empty <- function(tally) {
  where <- if (!is.null(tally$groups)) " in every group" else ""
  if (sum(tally$respondents) > 0) {
    abort(c("{.arg weights} must not all be 0.",
            x = "All weights of {format_count(sum(tally$respondents))} reports are 0."), "empty")
  }
  abort(c("{.arg x} must hold at least one report.", x = "Its tally is empty{where}: all counts are 0."), "empty")
}

# ---- mechanisms whose estimate is another one ----

# One question of many: a fit for each.
estimate_tally.rr_sampled <- function(mechanism, tally, given) {
  lapply(stats::setNames(nm = names(mechanism$parts)), function(name) {
    part <- part_tally(tally, name)
    if (all(part$n <= 0)) {
      abort(c("Each question must have been answered by somebody.", x = "Nobody drew the question {.val {name}}."),
            "empty")
    }
    estimate_tally(part$mechanism, drop_empty_groups(part), given)
  })
}

# A hierarchy has one distribution, and an unbiased estimate unless asked for another.
estimate_tally.rr_hierarchy <- function(mechanism, tally, given) {
  if (!"method" %in% names(given)) given$method <- "inv"
  estimate_tally.rr_mechanism(mechanism, tally, given)
}

# A sketch: of the strings that are asked for.
estimate_tally.rr_sketch_counts <- function(mechanism, tally, given) {
  estimate_candidates(mechanism, tally, given, identity)
}

# Whole strings are estimated from those who were held out.
estimate_tally.rr_prefixes <- function(mechanism, tally, given) {
  own <- part_tally(tally, held_out)
  if (any(own$n <= 0)) abort(c("Somebody must have been held out.", x = "Nobody drew {.val {held_out}}."), "empty")
  estimate_candidates(own$mechanism, own, given, function(strings) prefix_of(strings, max(mechanism$lengths)))
}

# `sent` says what respondents with these strings report about.
estimate_candidates <- function(mechanism, tally, given, sent) {
  check_only(given, "method", "inv")
  check_only(given, "interval", c("wilson", "wald"))
  candidates <- check_candidates(given$options$candidates)
  given$method <- "inv"
  given$options$candidates <- NULL
  asked <- candidate_tally(mechanism, tally, sent(candidates), candidates)
  estimate_tally(asked$mechanism, asked, given)
}

check_candidates <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) x <- check_hashed_text(x, "candidates")
  if (!is.character(x) || !length(x) || anyNA(x) || anyDuplicated(x)) {
    abort(c("{.arg candidates} must be the strings whose shares are wanted, different and not missing.",
            x = "It is {describe(x)}.",
            i = "For example {.code rr_estimate(tally, candidates = c(\"tea\", \"coffee\"))}."), "argument")
  }
  x
}

# The mean of numbers is estimated from the sums of their powers, and the variance of scrambled truths too.
estimate_tally.rr_mean <- function(mechanism, tally, given) {
  check_only(given, "method", "inv")
  check_only(given, "interval", "wald")
  do.call(check_dots_empty, given$options, quote = TRUE)
  groups <- seq_len(NCOL(tally$counts))
  moments <- vapply(groups, function(g) group_counts(tally, g) / tally$n[g], numeric(length(mechanism$reports)))
  # From shares of the range of reports to scores, on the scale of answers from -1 to 1.
  line <- score_line(mechanism)
  mean <- line[1] + line[2] * moments[1, ]
  second <- line[1]^2 + 2 * line[1] * line[2] * moments[1, ] + line[2]^2 * moments[2, ]
  n <- tally$effective_n
  half <- diff(mechanism$range) / 2
  error <- mean_error(mechanism, mean, second, n, given$target)
  spread <- if (!is.null(mechanism$moments)) truth_spread(mechanism, mean, moments, n)
  terms <- c("mean", if (!is.null(spread)) "variance")
  variance <- as.vector(rbind(half^2 * error, half^4 * spread$variance))
  covariance <- diag(variance, length(variance))
  if (!is.null(spread)) {
    # Between fixed answers the covariance is not known.
    beside <- cbind(2 * groups - 1, 2 * groups)
    covariance[rbind(beside, beside[, 2:1])] <- if (given$target == "sample") NA else half^3 * spread$covariance
  }
  keys <- lapply(as.list(tally$groups), rep, each = length(terms))
  labels <- rep(group_labels(tally$groups), each = length(terms)) %||% terms
  if (!is.null(spread) && !is.null(tally$groups)) labels <- paste(labels, terms, sep = ", ")
  unlikely <- few_witnesses(tally) || any(unlikely_mean(mechanism, mean, second, n, false_alarm / length(groups)))
  random <- c(population = "respondents and randomisation are random", sample = "only the randomisation is random")
  range <- format(mechanism$range, digits = 15, trim = TRUE)
  structure(
    list(rows = tibble::as_tibble(c(keys, list(term = rep(terms, length(groups)),
                                               estimate = as.vector(rbind(sum(mechanism$range) / 2 + half * mean,
                                                                          half^2 * spread$estimate)),
                                               std.error = sqrt(variance)))),
         labels = labels, covariance = covariance, n = tally$n, target = given$target,
         conf.level = given$conf.level, simultaneous = given$simultaneous, unlikely = unlikely, tally = tally,
         truth.share = spread$share, mechanism = mechanism, axis_kind = "value",
         axis = sprintf("Mean of numbers from %s to %s", range[1], range[2]),
         title = c(paste0("Mean from ", report_words(tally), if (!is.null(tally$groups)) in_groups(tally)),
                   paste0("  ", format(mechanism)),
                   sprintf("  Target: %s, %s; %s", given$target, random[[given$target]],
                           interval_words(given$conf.level, "Wald", given$simultaneous)),
                   if (unlikely) indented(unlikely_words)),
         notes = if (anyNA(error[n > 1]))
           indented("The estimated variance of a mean is below 0, so that its standard error is NA")),
    class = c("rr_mean_fit", "rr_estimates")
  )
}

# Variance of the mean of n scores with this mean and mean square: of independent reports, or of what the
# randomisation adds to fixed answers.
mean_error <- function(mechanism, mean, second, n, target) {
  spread <- ifelse(n > 1, pmax(second - mean^2, 0) / (n - 1), NA_real_)
  parts <- mean_variance(mechanism)
  # Duchi's reports are plus or minus one number: their squares say nothing about the squares of the answers.
  if (target == "population" || parts$slope < 0) return(spread)
  # The mean square of scores is constant + linear m + (slope + 1) times that of the answers, whose mean is m.
  squares <- (second - parts$constant - parts$linear * mean) / (parts$slope + 1)
  if (is.null(mechanism$moments)) squares <- pmin(pmax(squares, 0), 1)
  error <- (parts$constant + parts$linear * mean + parts$slope * squares) / n
  ifelse(error < 0, NA_real_, error)
}

# The variance of the truth, unbiased, from the spread of the scores less that of the cards; its variance, and its
# covariance with the mean, by the delta method from four moments (of shares, hence `step`). `share` is the part of the
# reports' variance within groups that is the truth's.
truth_spread <- function(mechanism, mean, moments, n) {
  parts <- mean_variance(mechanism)
  step <- score_line(mechanism)[2]
  m <- function(power) moments[power, ]
  c2 <- step^2 * (m(2) - m(1)^2)
  c3 <- step^3 * (m(3) - 3 * m(1) * m(2) + 2 * m(1)^3)
  c4 <- step^4 * (m(4) - 4 * m(1) * m(3) + 6 * m(1)^2 * m(2) - 3 * m(1)^4)
  all <- ifelse(n > 1, c2 * n / (n - 1), NA_real_)
  cards <- parts$constant + parts$linear * mean + parts$slope * mean^2
  estimate <- (all * (1 + parts$slope / n) - cards) / (1 + parts$slope)
  turn <- parts$linear + 2 * parts$slope * mean
  list(estimate = estimate,
       variance = pmax(c4 - c2^2 - 2 * turn * c3 + turn^2 * c2, 0) / (1 + parts$slope)^2 / ifelse(n > 1, n, NA_real_),
       covariance = (c3 - turn * c2) / (1 + parts$slope) / n, share = sum(n * estimate) / sum(n * all))
}

# Scores, on the scale of answers from -1 to 1, lie within plus or minus `reach`. Whatever the answers, their mean lies
# from -1 to 1 and their mean square is between the least and the most of constant + linear t + (slope + 1) t^2. Bounds
# of Hoeffding, and for the lower tail of squares exp(- n d^2 / (2 reach^2 m)), d below their mean m (Maurer 2003), for
# any number of reports.
unlikely_mean <- function(mechanism, mean, second, n, alpha) {
  parts <- mean_variance(mechanism)
  curve <- parts$slope + 1
  at <- if (curve > 0) max(-1, min(1, -parts$linear / (2 * curve))) else 0
  least <- parts$constant + parts$linear * at + curve * at^2
  most <- parts$constant + abs(parts$linear) + max(0, curve)
  line <- score_line(mechanism)
  reach <- max(abs(line[1]), abs(sum(line)))
  limit <- log(4 / alpha)
  n * pmax(0, abs(mean) - 1)^2 / (2 * reach^2) > limit |
    n * pmax(0, least - second)^2 > limit * 2 * reach^2 * least |
    2 * n * pmax(0, second - most)^2 / reach^4 > limit
}
