#' candor: the true distribution behind randomized answers
#'
#' A respondent's answer is altered at random before it leaves them, so that no single report can be
#' held against anyone. The analyst sees the reports and wants the distribution of the truth. The package
#' follows one line:
#'
#' | step | function | what comes out |
#' |---|---|---|
#' | how answers are randomized | [rr_grr()], [rr_binary()], [rr_forced()], [rr_channel()], [rr_product()], ... | a *mechanism* |
#' | respondent -> report | [rr_perturb()] | randomized answers |
#' | report -> tally | [rr_tally()], [rr_counts()] | a *tally*: the counts, all that estimation needs |
#' | tally -> fit | [rr_estimate()] | a *fit*: estimates with their uncertainty |
#' | fit -> table, picture | [tidy()][rr_fit], [plot()][autoplot.rr_fit] | a data frame, a plot |
#'
#' `plot()` draws what `ggplot2::autoplot()` makes, a ggplot that can be changed and saved, and returns it: `plot(fit) + ggplot2::labs(title = "Contact")`.
#' `vignette("candor", package = "candor")` shows these steps in an example.
#'
#' @section Mechanisms:
#' * One question: [rr_grr()] for any number of categories; yes/no designs [rr_binary()], [rr_warner()], [rr_crosswise()],
#'   [rr_triangular()], [rr_mangat()], [rr_kuk()]; forced response and the unrelated question, [rr_forced()] and [rr_unrelated()].
#' * Any channel: [rr_channel()]; ready-made ones [rr_geometric()], [rr_misclassification()];
#'   one after another [rr_compose()]; respondents who ignore the instructions [rr_noncompliance()], and the anchor question
#'   [rr_anchor()] that reveals how many do. See
#'   `vignette("channels", package = "candor")`.
#' * Protocols for many categories, whose reports support sets of them: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()],
#'   [rr_bitflip()]; asked again and again, with permanent answers that respondents keep: [rr_longitudinal()],
#'   [rr_bloom()] (RAPPOR). [rr_reports()] reads what was sent, also by clients in other languages ([clients]).
#' * Strings that nobody has a list of: [rr_sketch_counts()] (count-mean sketch) estimates any that are asked for; [rr_prefixes()] and [rr_heavy_hitters()] find
#'   the frequent ones.
#' * Several questions: [rr_product()] asks them all, [rr_sample_questions()] asks each respondent one of them.
#' * Numbers and orders: [rr_square_wave()] for distributions, [rr_hierarchy()] for ranges and quantiles, [rr_mean()] for means, [rr_scramble()] for numbers scrambled by cards; [rr_contrast()] and [rr_quantile()] read
#'   fits of ordered levels. See `vignette("numbers", package = "candor")`.
#' * Properties of a mechanism: [rr_epsilon()], [rr_matrix()].
#'
#' @section Where the reports are:
#' * Vectors, data frames and database tables: [rr_tally()]; counts that exist: [rr_counts()]; [rr_query()] gives the SQL for an engine
#'   that R is not connected to: `vignette("databases", package = "candor")`.
#' * More than fits into memory: [rr_tally()] of [chunks].
#' * Probability samples with clusters, strata and weights: [rr_estimate()] of a design of the package survey, see [rr_survey].
#' * Tallies are merged with `c()`, cut with `[` ([groups]), and travel in files: [rr_write()], [rr_read()].
#'
#' @section Estimating and reading:
#' * [rr_estimate()] with its methods, targets and intervals; [rr_solver] has the certificate of general maximum likelihood,
#'   [estimators] compares the methods, and [intervals] says what the uncertainty is about.
#' * [rr_fit]: `coef()`, `vcov()`, `confint()`, `logLik()` and R's other functions for fits; [tidy()][rr_fit], `glance()`, `augment()`;
#'   [rr_contrast()] for sums and differences; [profile()][rr_profile] for the likelihood around an estimate.
#'
#' @section Joint distributions:
#' * Categorical questions: [rr_estimate()] under [rr_product()], read by [rr_margin()] and [rr_association()].
#' * Many yes/no columns: [rr_cooccurrence()] counts, [rr_tmdh()] estimates, [rr_joint()] makes a proper table; [rr_pmdh()] and
#'   [rr_reported_law()] compute which reports a known truth gives.
#' * `vignette("joint", package = "candor")`.
#'
#' @section Regression beyond yes and no:
#' * [rr_multinom()]: a randomized answer of several categories, or several questions, given covariates; [rr_loglinear()]: which true answers go together;
#'   [rr_predictor()]: the randomized answer as a covariate. See [rr_regression] for the methods of these fits.
#' * [rr_posterior()]: exact posteriors of shares.
#'
#' @section Counting:
#' * Bits: [rr_extreme()], [rr_extreme_variance()]; [rr_bit_tally()] keeps their tally,
#'   [rr_merge_bits()] draws noisy bits of the OR.
#' * Sets: [rr_set_size()], [rr_incidence()].
#' * Sketches of sets: [rr_sketch()], also read by [rr_set_size()].
#' * `vignette("counting", package = "candor")`.
#'
#' @section Judging and planning:
#' * [rr_study()] compares estimators by simulation, [rr_choose()] picks one for a tally, [rr_risk()] gives
#'   the risks of estimators at a given truth:
#'   `vignette("which-estimator", package = "candor")`.
#' * [rr_power()], [rr_recommend()]: how many respondents, which mechanism, at which epsilon:
#'   `vignette("planning", package = "candor")`.
#'
#' @section Extending:
#' A mechanism or protocol of your own: [rr_new_mechanism()] and its law, [rr_law()]. An estimation method of your own: [rr_new_method()].
#'
#' @section Published surveys:
#' [benefit_survey], [dice_survey], [exam_survey], [minaret_survey], [nigeria_survey], [plagiarism_survey]. [exam_simulated] is simulated, with
#' covariates.
#'
#' @section Conditions:
#' All errors have the class `candor_error`, all warnings the class `candor_warning`, and each has a second class for its kind, see [candor_conditions].
#'
#' @keywords internal
#' @importFrom generics tidy glance augment
#' @importFrom rlang %||% .data caller_env
#' @importFrom stats coef confint deviance fitted logLik nobs residuals simulate update vcov
#' @importFrom tibble tibble
#' @useDynLib candor, .registration = TRUE, .fixes = "C_"
"_PACKAGE"

#' @export
generics::tidy
#' @export
generics::glance
#' @export
generics::augment

.onUnload <- function(libpath) {
  library.dynam.unload("candor", libpath)
}
