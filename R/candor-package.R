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
#' | fit -> table, picture | [tidy()][tidy.rr_fit], [plot()][autoplot.rr_fit] | a data frame, a plot |
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
#'   [postprocessing] the repairs of an inversion.
#' * [rr_fit]: `coef()`, `vcov()`, `confint()`, `logLik()` and R's other functions for fits; [tidy()][tidy.rr_fit], `glance()`, `augment()`;
#'   [rr_contrast()] for sums and differences; [profile()][rr_profile] for the likelihood around an estimate; [tidy()][tidy.rr_fit] for iterations.
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
#' Every error has class `candor_error` and a second class for its kind:
#' * `candor_error_argument`: an argument of the wrong type, shape or range;
#' * `candor_error_level`: an answer that is not a level;
#' * `candor_error_report`: something that is not a report of the mechanism;
#' * `candor_error_missing`: missing values;
#' * `candor_error_counts`: negative, non-finite or fractional counts;
#' * `candor_error_empty`: nothing was tallied;
#' * `candor_error_mismatch`: two objects of different mechanisms, or a vector whose names are not the levels;
#' * `candor_error_no_information`: the reports do not depend on the truth;
#' * `candor_error_law`: something that the law of the reports does not give, see [rr_law()];
#' * `candor_error_impossible`: a report that no truth can produce;
#' * `candor_error_precision`: counts that differ so much in size that double precision cannot hold the estimate, or an epsilon that
#'   probabilities that can be drawn do not reach;
#' * `candor_error_too_large`: an object that would not fit in memory;
#' * `candor_error_order`: joint counts that were not tallied, or too many of them;
#' * `candor_error_entropy`: the operating system gave no randomness;
#' * `candor_error_generator`: R's generator returned something other than numbers between 0 and 1;
#' * `candor_error_database`: a database did not answer a query, or its table changed meanwhile;
#' * `candor_error_package`: a suggested package is needed and not installed;
#' * `candor_error_file`: a file that cannot be written, or holds no tally;
#' * `candor_error_chunk`: a chunk that cannot be tallied, see [chunks].
#'
#' An argument that a function does not know is an error of class `candor_error_argument`, which says what was probably meant. Methods of generics of R and of other packages
#' (`tidy()`, `confint()`, `predict()`, `autoplot()`, ...) ignore what they do not know, since other packages pass arguments that are meant for other classes; but where
#' a user wrote nearly the name of one, such as `conf_level`, they refuse it too.
#'
#' Warnings have class `candor_warning` and a second one in the same way:
#' * `candor_warning_not_converged`: the likelihood was not maximised to the tolerance asked for;
#' * `candor_warning_infinite`, `candor_warning_maxima`: a regression whose likelihood is largest at infinity, or has two maxima of nearly the same height;
#' * `candor_warning_reveals`: the cards of a design hide nothing, or not a truth of 0;
#' * `candor_warning_unlikely`: no truth makes the reports of a regression likely;
#' * `candor_warning_delta`: a probability that shuffled reports reveal everything is too large to promise anything;
#' * `candor_warning_linked`: shuffling was asked about reports that can be linked to those of other rounds;
#' * `candor_warning_memory`: a mechanism with a first stage that is kept was used without its memory, or with one that seems to be of respondents in another order;
#' * `candor_warning_boundary`: estimates at 0 or 1, whose standard errors are too small;
#' * `candor_warning_variance`: the noise of so many bits leaves a large standard error;
#' * `candor_warning_indefinite`: an unbiased covariance matrix is not positive semidefinite;
#' * `candor_warning_ratio`: the union of a Jaccard index may be empty;
#' * `candor_warning_saturated`: a sketch has no bit left at 0;
#' * `candor_warning_incomplete`, `candor_warning_file`: a study was not finished, or its file could not be written.
#'
#' Messages about dropped missing values have class `candor_message_missing`, about groups that were left out because nobody answered `candor_message_empty`, about columns that
#' [rr_perturb()] kept or left out `candor_message_keep`, about weights that may be those of a survey `candor_message_weights`,
#' about tables of counts given as data `candor_message_counts`, about counts that add up to 100 `candor_message_percentages`, about questions of a table without names
#' `candor_message_dimensions`, about labelled numbers `candor_message_labelled`, about coefficients that the others determine
#' `candor_message_aliased`, about covariates that are text of numbers `candor_message_numbers`, about chunks that were counted before `candor_message_chunks`, about 1 or `TRUE` that is read as "no" `candor_message_reading`,
#' about levels of yes and no in the order yes, no, and about an order of answers that nobody gave `candor_message_order`,
#' about survey designs whose tally has no clusters and strata `candor_message_design`, about reports that carry the memory of their respondents `candor_message_memory`, about methods without intervals `candor_message_no_intervals`.
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
