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
#'   maximum over distributions only: `logLik()` of the one above that of the other is no contradiction.
#' * `"invn"`: negative parts of `"inv"` set to zero, the rest rescaled (Norm-Mul of Wang et al.).
#' * `"invp"`: the Euclidean projection of `"inv"` on the distributions (Norm-Sub of Wang et al.).
#' * `"ibu"`: the iterative Bayesian update, from a uniform start. Give `iterations` for a stated
#'   number of steps, or `tolerance` for a stated certificate: it then stops when the total log-likelihood is
#'   provably within `tolerance` of its maximum. Who gave a `tolerance` that was not reached within `iterations` (default
#'   10,000) is warned, with the gap that was. Its trace is kept, see [rr_trace()].
#' * `"base_cut"`, `"norm"`, `"norm_cut"`, `"norm_sub"`, `"power"`, `"power_ns"`: the post-processings of Wang
#'   et al. (2020), see [postprocessing].
#'
#' * `"combine"`: between (and a little beyond) `"invn"`, `"mle"` and `"invp"`, and between them and the uniform distribution, the
#'   point that these data themselves show to be best; see [rr_choose()]. For mechanisms whose other answers are all alike
#'   (`rr_grr()` with \eqn{p > q}, Warner's design and other yes/no questions with \eqn{P(\mathrm{yes} \mid \mathrm{no}) = P(\mathrm{no} \mid \mathrm{yes})}{P(yes | no) = P(no | yes)}).
#' * `"merged"`: maximum likelihood with one common share for all categories that do not rise above the noise, in the spirit of the
#'   regularised likelihood of Ye et al. (2025).
#' * `"smoothed"`: the iterative Bayesian update with a smoothing step over neighbouring categories, for ordered ones (Li et al. 2020).
#'
#' When the truth is the least likely report (\eqn{p < q}), the estimate follows its own closed form, not
#' the papers' algorithm, which then fails. Some categories that nobody reported may then share a
#' remainder that the data do not divide: it is shared equally, and the fit says so.
#'
#' @section What the uncertainty is about:
#' `target = "population"`: the respondents are a random sample, and both sampling and randomisation make the estimate uncertain.
#' `target = "sample"`: the shares among these very respondents are estimated, and only the randomisation is random; standard errors
#' are smaller. For `"inv"` the estimated covariances are unbiased. For the others they hold locally, on
#' the support of the estimate: an estimate of exactly zero gets a standard error of 0, and should be
#' read from its interval instead. Where no such formula is known (`"ibu"` stopped with a certified gap above 1e-4,
#' `"power"`, `"power_ns"`, `"combine"`, `"merged"`, `"smoothed"`) the standard error is `NA` unless `interval = "bootstrap"`.
#' It is `NA` too where more than 1,000 cells of a product or general channel are positive, since all of them together need a matrix of
#' that size; [rr_contrast()] has the standard error of any cell, sum or difference there as well.
#'
#' @section Intervals:
#' * `"wilson"` (default): the score interval of the report's share, carried through the mechanism; for `target = "sample"`
#'   the score interval of the randomisation alone.
#' * `"exact"`: Clopper-Pearson, carried through the mechanism. Covers at least as often as stated, for both targets, at
#'   the boundary too.
#' * `"wald"`: estimate plus or minus a multiple of the standard error. May leave \eqn{[0, 1]}. For methods other than `"inv"` it
#'   covers less often than stated once some estimates sit on the boundary (two in three instead of 95 in 100 have been seen).
#' * `"bootstrap"`: percentiles of re-estimated simulated tallies. Uses R's random generator (so `set.seed()` fixes it);
#'   too narrow for estimates at the boundary.
#' * `"profile"`: the shares at which twice the log-likelihood, maximised over all other shares, lies below its maximum by at most the
#'   \eqn{\chi^2_1} quantile, each such maximum certified (see [rr_solver]). It is about the maximum likelihood estimate whatever the
#'   `method`, and need not hold another. For `target = "population"` and up to 500 categories; any mechanism with a finite matrix.
#'   Conservative at the boundary.
#'
#' In a general channel no report belongs to one category. There `"wilson"` is the score interval of the unbiased
#' estimate, with the other categories as fitted (for the mechanisms above it is the same as Wilson's), `NA` where the channel
#' cannot be inverted, and there is no `"exact"`.
#'
#' Wilson and exact intervals follow from the reports of one category alone. Where these are more or fewer than any truth
#' makes likely, Wilson's compares truths with the best of them, as a likelihood ratio does, so that it covers no less often
#' and never is a point; the exact one is cut at 0 and 1, to a point if need be. They are widened, where
#' needed, to include the estimate: methods that return distributions move mass between categories.
#' `simultaneous = TRUE` makes all intervals of a fit hold together (Bonferroni).
#'
#' @param x A tally, or anything that [rr_tally()] takes.
#' @param mechanism How the answers were randomised. Not needed for a tally.
#' @param method The estimator: one of the names below.
#' @param ... Arguments of the method. For `"ibu"`: `iterations` (whole number; default 10,000), `tolerance` (on
#'   the total log-likelihood; default 1e-8 if `iterations` is not given, else 0), `start` (a distribution, in the order of the
#'   levels or named by them, or for several questions a table such as that of [rr_joint()]; default uniform).
#'   For `"base_cut"`: `level` (of its one-sided test; default 0.05). For `"mle"` of general channels: `tolerance`, `iterations` and
#'   `start`, see [rr_solver]. For `"merged"`: `smoothing` (how many standard deviations of an empty
#'   category count as noise; default 1). For `"smoothed"`: `iterations` (at most; default 10,000), `tolerance` (it stops when a step
#'   gains less on the total log-likelihood; default 1e-3).
#' @param weights,by,na.rm Passed to [rr_tally()] when `x` is not yet a tally.
#' @param target What the uncertainty is about: `"population"` or `"sample"`.
#' @param interval The kind of interval: `"wilson"`, `"exact"`, `"wald"`, `"bootstrap"` or `"profile"`, see below.
#' @param conf.level Confidence level, between 0 and 1.
#' @param simultaneous Should all intervals hold together (`TRUE` or `FALSE`)?
#' @param replications Number of bootstrap replications, a whole number of at least 20.
#' @return An object of class `c("rr_fit_<kind>", "rr_fit")`, a list with
#'   \describe{
#'     \item{`estimate`}{estimated shares, one per category, or a matrix with one column per group}
#'     \item{`method`, `target`, `interval`, `conf.level`, `simultaneous`}{as given}
#'     \item{`tally`, `mechanism`}{what it was estimated from}
#'     \item{`details`}{per group, what the method reports of itself: number of active categories, uniqueness,
#'       iterations, certified gap}
#'   }
#'   Read it with [tidy()][tidy.rr_fit], `glance()`, `coef()`, `vcov()`, `confint()`, `summary()`, `autoplot()`, see [rr_fit].
#' @section Errors and warnings:
#' `candor_error_no_information` when reports do not depend on the truth (\eqn{p = q}),
#' `candor_error_empty` when nothing was tallied, `candor_error_mismatch` when a tally is of another
#' mechanism or the names of `start` are not levels, `candor_error_impossible` when a report was seen that no truth can produce, `candor_error_precision` when counts lie so
#' far apart that `ibu` has no correct digit in double precision, `candor_error_argument` for the rest.
#'
#' `candor_warning_not_converged` when the log-likelihood was not brought within the `tolerance`: of `"ibu"` only if a `tolerance` above 0 was given
#' (its gap is in `details` and `glance()` anyway), of `"mle"` in general channels always. The estimate is returned.
#' @source Pinzon, C. A., ElSalamouny, E., Massot, L., Miller, A., Arcolezi, H. H. and Palamidessi, C. (2025). Estimating
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
rr_estimate <- function(x, mechanism = NULL, method = "mle", ..., weights = NULL, by = NULL, na.rm = FALSE,
                        target = c("population", "sample"),
                        interval = c("wilson", "exact", "wald", "bootstrap", "profile"),
                        conf.level = 0.95, simultaneous = FALSE, replications = 999) {
  check_given()
  tally <- as_tally(x, mechanism, weights, by, na.rm)
  mechanism <- tally$mechanism
  method <- check_choice(method, "method", estimation_methods)
  target <- check_choice(target, "target", c("population", "sample"))
  interval <- check_choice(interval, "interval", c("wilson", "exact", "wald", "bootstrap", "profile"))
  check_interval_kind(interval, mechanism, target)
  conf.level <- check_number(conf.level, "conf.level", 0, 1, TRUE, TRUE)
  check_flag(simultaneous, "simultaneous")
  if (any(tally$n <= 0)) abort_empty(tally)

  options <- list(...)
  columns <- if (is.matrix(tally$counts)) ncol(tally$counts) else 1L
  results <- vector("list", columns)
  for (g in seq_len(columns)) {
    results[[g]] <- estimate_counts(mechanism, group_counts(tally, g), method, tally$effective_n[g], options)
  }
  fit <- new_rr_fit(tally, method, results, target, interval, conf.level, simultaneous)
  if (interval == "bootstrap") {
    fit$replicates <- bootstrap(fit, check_count(replications, "replications", min = 20), options)
  }
  fit
}

estimation_methods <- c("mle", "inv", "invn", "invp", "ibu",
                        "base_cut", "norm", "norm_cut", "norm_sub", "power", "power_ns",
                        "combine", "merged", "smoothed")

as_tally <- function(x, mechanism, weights, by, na.rm, call = caller_env()) {
  if (inherits(x, "rr_tally")) {
    if (!is.null(mechanism) && !same_mechanism(check_mechanism(mechanism, call = call), x$mechanism)) {
      abort(c("{.arg x} is a tally of another mechanism.", x = "{.arg mechanism} is: {format(mechanism)}.",
              i = "The tally is of: {format(x$mechanism)}."), "mismatch", call = call)
    }
    if (!is.null(weights) || !is.null(by)) {
      abort(c("{.arg weights} and {.arg by} belong to the making of a tally.", x = "{.arg x} is a tally already.",
              i = "Give them to {.fn rr_tally}."), "argument", call = call)
    }
    return(x)
  }
  if (inherits(x, "rr_fit")) {
    abort(c("{.arg x} must be a tally or reports.", x = "It is a fit.",
            i = "Its tally is in {.code x$tally}."), "argument", call = call)
  }
  check_mechanism(mechanism, call = call)
  # Only what was given: a table, which is counted already, refuses the rest by name.
  given <- list(weights = weights, by = by, na.rm = if (!identical(na.rm, FALSE)) na.rm)
  arguments <- c(list(x, mechanism), given[!vapply(given, is.null, NA)])
  on_behalf(do.call(rr_tally, arguments, quote = TRUE), call)
}

abort_empty <- function(tally, call = caller_env()) {
  where <- if (!is.null(tally$groups)) sprintf(" in group %d", which(tally$n <= 0)[1]) else ""
  abort(c("{.arg x} must hold at least one report.", x = "Its tally is empty{where}: all counts are 0."),
        "empty", call = call)
}

group_counts <- function(tally, g) {
  if (is.matrix(tally$counts)) tally$counts[, g] else tally$counts
}

# One column of counts in, a list with at least `estimate` out.
estimate_counts <- function(mechanism, counts, method, n, options, call = caller_env()) UseMethod("estimate_counts")

#' @export
estimate_counts.rr_mechanism <- function(mechanism, counts, method, n, options, call = caller_env()) {
  if (is.numeric(options[["start"]])) options$start <- place_start(options$start, mechanism, call)
  form <- additive(mechanism)
  if (is.null(form)) {
    if (method %in% c("combine", "merged", "smoothed")) abort_not_additive(mechanism, method, call)
    return(estimate_channel(mechanism, counts, method, n, options, call))
  }
  if (tells_nothing(form)) abort_no_information(mechanism, call)
  if (method == "mle" && inherits(mechanism, c("rr_channel", "rr_compose"))) {
    # Options of the solver: the closed form meets every tolerance.
    mle_options(options, length(mechanism$levels), call)
    options <- list()
  }
  own <- c("ibu", "base_cut", "merged", "smoothed")
  if (!method %in% own && length(options)) do.call(check_dots_empty, c(options, call = call))
  estimate_additive(form, effective_counts(counts, n), method, n, options, call)
}

# Weighted counts as the reports of so many respondents as they are worth: whatever weighs signal against noise, or
# stops when the likelihood gains little, goes by these.
effective_counts <- function(counts, n) {
  total <- sum(counts)
  if (n == total) counts else counts * (n / total)
}

abort_no_information <- function(mechanism, call) {
  abort(c("Nothing can be learned from these reports.",
          x = "Under {.arg mechanism} ({mechanism$design}) a report is equally likely whatever the truth.",
          i = if (is.null(additive(mechanism))) "Estimation needs the rows of its matrix to differ."
              else "Estimation needs p and q to differ."), "no_information", call = call)
}

# Closed forms for P(y | x) = b[y] + a 1{x = y}.
estimate_additive <- function(form, counts, method, n, options, call) {
  a <- form$a
  b <- form$b
  impossible <- if (length(b) > 1L) which(b == 0 & a <= 0 & counts > 0)
  if (length(impossible)) abort_impossible(impossible[1], call)
  inv <- function() .Call(C_rr_inv, counts, a, b)
  scale <- function() sqrt(b * (1 - b) / n) / abs(a)
  switch(method,
    mle = .Call(C_rr_mle, counts, a, b, form$odds %||% NA_real_),
    inv = list(estimate = inv()),
    invn = list(estimate = .Call(C_rr_invn, counts, a, b)),
    invp = , norm_sub = list(estimate = .Call(C_rr_invp, counts, a, b)),
    ibu = estimate_ibu(form, counts, options, call),
    base_cut = do.call(estimate_base_cut, c(list(inv(), scale(), call), options)),
    norm = list(estimate = postprocess_norm(inv())),
    norm_cut = list(estimate = postprocess_norm_cut(inv())),
    power = list(estimate = postprocess_power(inv(), scale(), n)),
    power_ns = list(estimate = postprocess_power_ns(inv(), scale(), n)),
    combine = estimate_combine(form, counts, call),
    merged = do.call(estimate_merged, c(list(form, counts, call), options)),
    smoothed = do.call(estimate_smoothed, c(list(form, counts, call), options))
  )
}

abort_not_additive <- function(mechanism, method, call) {
  abort(c("{.val {method}} is for mechanisms that tell the truth or else draw an innocuous answer.",
          x = "This one is: {format(mechanism)}.", i = "Use {.val mle}."), "argument", call = call)
}

abort_impossible <- function(report, call) {
  abort(c("The data are impossible under this mechanism.",
          x = "Report {report} was given, but no truth can produce it.",
          i = "Check the mechanism against the survey's design."),
        "impossible", call = call)
}

estimate_base_cut <- function(inv, std.error, call, level = 0.05, ...) {
  check_dots_empty(..., call = call)
  check_number(level, "level", 0, 1, TRUE, TRUE, call = call)
  list(estimate = postprocess_base_cut(inv, std.error, level))
}

new_rr_fit <- function(tally, method, results, target, interval, conf.level, simultaneous) {
  estimate <- results[[1]]$estimate
  if (is.matrix(tally$counts)) estimate <- vapply(results, `[[`, estimate, "estimate")
  structure(
    list(estimate = estimate, method = method, target = target, interval = interval, conf.level = conf.level,
         simultaneous = simultaneous, tally = tally, mechanism = tally$mechanism,
         details = lapply(results, function(result) result[names(result) != "estimate"]), replicates = NULL),
    class = c(sub("^rr_", "rr_fit_", class(tally$mechanism)[1]), "rr_fit")
  )
}
