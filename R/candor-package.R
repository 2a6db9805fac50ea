#' candor: randomized response and local differential privacy
#'
#' Estimates prevalences and distributions from answers that were randomized to protect the respondents. A respondent's answer is altered at random before it leaves them, so that no
#' single report reveals it. The analyst sees the reports and estimates the distribution of the truth. The package has one line of steps:
#'
#' * describe the randomization (a *mechanism*): [rr_grr()], [rr_binary()], [rr_forced()], [rr_channel()], [rr_product()], ...
#' * randomize answers (*reports*): [rr_perturb()], [rr_client()]
#' * count the reports (a *tally*): [rr_tally()], [rr_counts()]
#' * estimate (a *fit*: estimates with their uncertainty): [rr_estimate()]
#' * read (a data frame, a ggplot): [tidy()][fit_methods], [plot()][autoplot.rr_fit]
#'
#' `plot()` returns the ggplot of `ggplot2::autoplot()`, which can be changed: `plot(fit) + ggplot2::labs(title = "Contact")`. Start with
#' `vignette("candor", package = "candor")`; `articles/cheat-sheet.html` of the site is one page, and
#' `vignette("questions", package = "candor")` has answers and a glossary.
#'
#' @section Mechanisms:
#' * one sensitive question: [rr_binary()], [rr_warner()], [rr_crosswise()], [rr_triangular()], [rr_kuk()], [rr_forced()], [rr_unrelated()],
#'   [rr_dealt()], [rr_grr()]; [rr_device()] for devices.
#' * respondents who ignore the instructions: [rr_noncompliance()], [rr_lie_detector()], [rr_cheater_detection()], [rr_anchor()].
#' * transition matrices: [rr_channel()], [rr_geometric()], [rr_misclassification()], [rr_compose()].
#' * frequency oracles of LDP: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_projective()], [rr_bitflip()].
#' * repeated reports (memoization, RAPPOR): [rr_longitudinal()], [rr_bloom()].
#' * strings without a list, heavy hitters: [rr_count_mean_sketch()], [rr_prefixes()], [rr_heavy_hitters()].
#' * several questions: [rr_product()], [`rr_product(asked = 1)`][rr_product].
#' * numbers and ordered answers: [rr_square_wave()], [rr_hierarchy()], [rr_mean()], [rr_scramble()].
#' * properties: [rr_epsilon()], [rr_matrix()].
#'
#' @section Data:
#' * vectors, data frames, database tables: [rr_tally()], [rr_query()].
#' * published counts: [rr_counts()].
#' * more than fits into memory: [`?chunks`][chunks].
#' * clients in other languages: [rr_client()], [rr_reports()], [`?clients`][clients].
#' * survey designs with clusters, strata and weights: [survey_designs].
#' * files of tallies, parts of tallies, several designs: [rr_write()], [rr_read()], [`?groups`][groups], [rr_pool()].
#'
#' @section Estimation and analysis:
#' * estimates, standard errors, intervals: [rr_estimate()], [fit_methods], [`?estimators`][estimators], [`?intervals`][intervals], [likelihood_solver].
#' * sums, differences, quantiles, profiles: [rr_contrast()], [rr_compare()], [rr_quantile()], [rr_top()], [profile()][likelihood_profile].
#' * joint distributions: [rr_margin()], [rr_association()], [rr_cooccurrence()], [rr_tmdh()], [as.table()][as.table.rr_histogram].
#' * regression: [rr_glm()], [rr_multinom()], [rr_loglinear()], [rr_predictor()], [regression_methods], [rr_posterior()].
#' * set sizes and distinct counts: [rr_set_size()], [rr_incidence()], [rr_extreme()], [rr_sketch()].
#' * sample size, power, choice of mechanism: [rr_power()], [rr_recommend()].
#' * choice of estimator, simulation: [rr_choose_method()], [rr_study()].
#' * extensions: [rr_new_mechanism()], [rr_law()], [rr_new_method()].
#'
#' Data sets: [`?surveys`][surveys] and [exam_simulated]. Errors, warnings and messages: [candor_conditions].
#' @keywords internal
#' @importFrom generics tidy glance augment
#' @importFrom rlang %||% .data caller_env
#' @import stats
#' @importFrom tibble add_column as_tibble tibble
#' @importFrom utils combn getS3method head tail
#' @useDynLib candor, .registration = TRUE, .fixes = "C_"
#' @srrstats {G1.0} The references of each page are the sources of its method; inst/paper/paper.md lists them.
#' @srrstats {G1.1} inst/paper/paper.md and vignettes/articles/coming-from.Rmd say what other packages have, and what is new here.
#' @srrstats {G1.2} README.md ends with the life cycle.
#' @srrstats {G1.3} vignettes/questions.Rmd explains the terms, and each page those that it uses.
#' @srrstats {G1.4} roxygen2 makes man/ and NAMESPACE; tools/document --check compares them.
#' @srrstats {G1.4a} Internal functions have comments that say why, and no pages.
#' @srrstats {G1.5} tools/bench and inst/studies hold the code of each claim about speed and error.
#' @srrstats {G1.6} tools/bench and tools/validate compare with other packages.
#' @srrstats {G5.3} A number that cannot be given is NA, and a condition says why; pages of results name the columns that may be NA.
#' @srrstats {G5.7} inst/studies and tools/validate measure error and coverage over sizes, designs and levels of privacy.
#' @srrstats {RE5.0} tools/bench/README.md has the times of fits by number of rows and of columns.
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

#' NA_standards
#' @srrstatsNA {G2.3b} Answers that differ in upper and lower case are different answers.
#' @srrstatsNA {G2.11, G2.12} An answer has no unit and is one value: columns of units and of lists are refused.
#' @srrstatsNA {G2.14c} A missing report is not imputed; [rr_posterior()] gives the probabilities that an imputation of truths needs.
#' @srrstatsNA {G3.1a} Covariances are those of estimates, not of data: `vcov(type = )` offers the kinds that a fit has.
#' @srrstatsNA {G5.4b} There is no former implementation; other packages and brute force stand in for it.
#' @srrstatsNA {G5.9a} Counts are whole numbers: there is no noise of the size of rounding.
#' @srrstatsNA {RE3.3} The tolerance of [rr_glm()] is near the accuracy of its arithmetic and fixed; `starts` widens the search, and `glm(family =
#'   rr_family())` takes `glm.control()`.
#' @srrstatsNA {RE4.1} A regression without data has no use: [rr_power()] plans with the mechanism alone.
#' @srrstatsNA {RE4.12} Transformations of predictors stand in the formula, whose terms predict() keeps.
#' @srrstatsNA {RE4.14, RE4.15, RE6.3, RE7.4} Observations have no order in time: nothing is forecast.
#' @noRd
NULL
