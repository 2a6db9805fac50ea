#' candor: randomized response and local differential privacy
#'
#' Estimates prevalences and distributions from answers that were randomized to protect the respondents. A respondent's answer is altered at random before it leaves them, so that no
#' single report reveals it. The analyst sees the reports and estimates the distribution of the truth. The package has one line of steps:
#'
#' | step | function | result |
#' |---|---|---|
#' | describe the randomization | [rr_grr()], [rr_binary()], [rr_forced()], [rr_channel()], [rr_product()], ... | a *mechanism* |
#' | randomize answers | [rr_perturb()], [rr_client()] | *reports* |
#' | count the reports | [rr_tally()], [rr_counts()] | a *tally* |
#' | estimate | [rr_estimate()] | a *fit*: estimates with their uncertainty |
#' | read | [tidy()][rr_fit], [plot()][autoplot.rr_fit] | a data frame, a ggplot |
#'
#' `plot()` returns the ggplot of `ggplot2::autoplot()`, which can be changed: `plot(fit) + ggplot2::labs(title = "Contact")`. Start with
#' `vignette("candor", package = "candor")`.
#'
#' @section Mechanisms:
#' * one sensitive question: [rr_binary()], [rr_warner()], [rr_crosswise()], [rr_triangular()], [rr_mangat()], [rr_kuk()], [rr_forced()], [rr_unrelated()],
#'   [rr_grr()]; [rr_device()] for devices.
#' * respondents who ignore the instructions: [rr_noncompliance()], [rr_lie_detector()], [rr_cheater_detection()], [rr_anchor()].
#' * transition matrices: [rr_channel()], [rr_geometric()], [rr_misclassification()], [rr_compose()].
#' * frequency oracles of LDP: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bitflip()].
#' * repeated reports (memoization, RAPPOR): [rr_longitudinal()], [rr_bloom()].
#' * strings without a list, heavy hitters: [rr_sketch_counts()], [rr_prefixes()], [rr_heavy_hitters()].
#' * several questions: [rr_product()], [rr_sample_questions()].
#' * numbers and ordered answers: [rr_square_wave()], [rr_hierarchy()], [rr_mean()], [rr_scramble()].
#' * properties: [rr_epsilon()], [rr_matrix()].
#'
#' @section Data:
#' * vectors, data frames, database tables: [rr_tally()], [rr_query()].
#' * published counts: [rr_counts()].
#' * more than fits into memory: [chunks].
#' * clients in other languages: [rr_client()], [rr_reports()], [clients].
#' * survey designs with clusters, strata and weights: [rr_survey].
#' * files of tallies, parts of tallies, several designs: [rr_write()], [rr_read()], [groups], [rr_pool()].
#'
#' @section Estimation and analysis:
#' * estimates, standard errors, intervals: [rr_estimate()], [rr_fit], [estimators], [intervals], [rr_solver].
#' * sums, differences, quantiles, profiles: [rr_contrast()], [rr_compare()], [rr_quantile()], [rr_top()], [profile()][rr_profile].
#' * joint distributions: [rr_margin()], [rr_association()], [rr_cooccurrence()], [rr_tmdh()], [rr_joint()].
#' * regression: [rr_glm()], [rr_multinom()], [rr_loglinear()], [rr_predictor()], [rr_regression], [rr_posterior()].
#' * set sizes and distinct counts: [rr_set_size()], [rr_incidence()], [rr_extreme()], [rr_sketch()].
#' * sample size, power, choice of mechanism: [rr_power()], [rr_recommend()].
#' * choice of estimator, simulation: [rr_choose()], [rr_risk()], [rr_study()].
#' * extensions: [rr_new_mechanism()], [rr_law()], [rr_new_method()].
#'
#' Data sets: [surveys] and [exam_simulated]. Errors, warnings and messages: [candor_conditions].
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
