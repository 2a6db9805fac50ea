#' candor: the true distribution behind randomized answers
#'
#' A respondent's answer is altered at random before it leaves them, so that no single report can be
#' held against anyone. The analyst sees the reports and wants the distribution of the truth. The package
#' follows one line:
#'
#' | step | function | what comes out |
#' |---|---|---|
#' | how answers are randomised | [rr_grr()], [rr_binary()], [rr_forced()], [rr_channel()], [rr_product()], ... | a *mechanism* |
#' | respondent -> report | [rr_perturb()] | randomised answers |
#' | report -> tally | [rr_tally()], [rr_counts()] | a *tally*: the counts, all that estimation needs |
#' | tally -> fit | [rr_estimate()] | a *fit*: estimates with their uncertainty |
#' | fit -> table, picture | [tidy()][tidy.rr_fit], [autoplot()][autoplot.rr_fit] | a data frame, a plot |
#'
#' `vignette("candor", package = "candor")` goes along it once.
#'
#' @section Mechanisms:
#' * One question: [rr_grr()] for any number of categories; yes/no designs [rr_binary()], [rr_warner()], [rr_crosswise()],
#'   [rr_triangular()], [rr_mangat()], [rr_kuk()]; forced response and the unrelated question, [rr_forced()] and [rr_unrelated()].
#' * Any channel: [rr_channel()]; ready-made ones [rr_pram()], [rr_geometric()], [rr_exponential()], [rr_misclassification()];
#'   one after another [rr_compose()]; respondents who ignore the instructions [rr_noncompliance()]. See
#'   `vignette("channels", package = "candor")`.
#' * Protocols, whose reports support several categories: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bitflip()];
#'   [rr_reports()] reads what was sent.
#' * Several questions: [rr_product()]; one of them each, [rr_sample_questions()].
#' * Numbers and orders: [rr_square_wave()] for distributions, [rr_hierarchy()] for ranges and quantiles, [rr_mean()] for means; [rr_cdf()] and [rr_quantile()] read
#'   fits of ordered levels. See `vignette("numbers", package = "candor")`.
#' * What a mechanism says of itself: [rr_epsilon()], [rr_matrix()].
#'
#' @section Estimating and reading:
#' * [rr_estimate()] with its methods, targets and intervals; [rr_solver] has the certificate of general maximum likelihood,
#'   [postprocessing] the repairs of an inversion.
#' * [rr_fit]: `coef()`, `vcov()`, `confint()`, `logLik()` and R's other questions; [tidy()][tidy.rr_fit], `glance()`, `augment()`;
#'   [rr_contrast()] for sums and differences; [rr_trace()] for iterations.
#'
#' @section Joint distributions:
#' * Categorical questions: [rr_estimate()] under [rr_product()], read by [rr_margin()] and [rr_association()].
#' * Many yes/no columns: [rr_cooccurrence()] counts, [rr_tmdh()] estimates, [rr_joint()] makes a table of it; [rr_pmdh()] and
#'   [rr_reported_law()] say what reports a known truth gives; [rr_moment_matrix()], [rr_incidence_matrix()] and [rr_rowtype()]
#'   are the algebra.
#' * `vignette("joint", package = "candor")`.
#'
#' @section Regression beyond yes and no:
#' * [rr_multinom()]: a randomized answer of several categories, or several questions, given covariates; [rr_loglinear()]: which true answers go together;
#'   [rr_predictor()]: the randomized answer as a covariate. [rr_regression] reads them.
#' * [rr_posterior()]: exact posteriors of shares.
#'
#' @section Counting:
#' * Bits: [rr_any()], [rr_all()], [rr_extreme_variance()]; [rr_bit_tally()] and [rr_bit_counts()] keep their tally,
#'   [rr_merge_bits()] draws noisy bits of the OR.
#' * Sets: [rr_union_size()], [rr_intersection_size()], [rr_difference_size()], [rr_jaccard()], [rr_incidence()].
#' * Sketches: [rr_sketch()], [rr_perturb_sketch()], [rr_sketch_size()].
#' * `vignette("counting", package = "candor")`.
#'
#' @section Judging and planning:
#' * [rr_study()] compares estimators by simulation, [rr_choose()] picks one for a tally, [rr_risk()] gives
#'   their risks at a given truth, [rr_zipf()] makes one:
#'   `vignette("which-estimator", package = "candor")`.
#' * [rr_sample_size()], [rr_power()], [rr_recommend()]: how many respondents, which mechanism, at which epsilon:
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
#' Every error has class `candor_error` and a second class that says what kind it is:
#' * `candor_error_argument`: an argument of the wrong type, shape or range;
#' * `candor_error_level`: an answer that is not a level;
#' * `candor_error_missing`: missing values;
#' * `candor_error_counts`: negative, non-finite or fractional counts;
#' * `candor_error_empty`: nothing was tallied;
#' * `candor_error_mismatch`: two objects of different mechanisms, or a vector whose names are not the levels;
#' * `candor_error_no_information`: the reports do not depend on the truth;
#' * `candor_error_law`: something that the law of the reports does not give, see [rr_law()];
#' * `candor_error_impossible`: a report that no truth can produce;
#' * `candor_error_precision`: counts so far apart that double precision cannot hold the estimate;
#' * `candor_error_order`: joint counts that were not tallied, or too many of them;
#' * `candor_error_entropy`: the operating system gave no randomness;
#' * `candor_error_generator`: R's generator returned something other than numbers between 0 and 1;
#' * `candor_error_package`: a suggested package is needed and not installed;
#' * `candor_error_resume`, `candor_error_file`: a study that is not the one to be resumed; a file that cannot be written.
#'
#' Warnings have class `candor_warning` and a second one in the same way:
#' * `candor_warning_not_converged`: the likelihood was not maximised to the tolerance asked for;
#' * `candor_warning_infinite`, `candor_warning_maxima`: a regression whose likelihood is largest at infinity, or has two maxima nearly alike;
#' * `candor_warning_boundary`: estimates at 0 or 1 whose standard errors say too little;
#' * `candor_warning_variance`: the noise of so many bits leaves a large standard error;
#' * `candor_warning_indefinite`: an unbiased covariance matrix is not positive semidefinite;
#' * `candor_warning_ratio`: the union of a Jaccard index may be empty;
#' * `candor_warning_saturated`: a sketch has no bit left at 0;
#' * `candor_warning_incomplete`, `candor_warning_file`: a study was not finished, or its file could not be written.
#'
#' Messages about dropped missing values have class `candor_message_missing`, about coefficients that the others determine
#' `candor_message_aliased`.
#'
#' @keywords internal
#' @importFrom generics tidy glance augment
#' @importFrom rlang %||% .data caller_env
#' @importFrom stats coef confint fitted logLik nobs residuals simulate vcov
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
