#' Transition matrices: any mechanism from its matrix, and two mechanisms in sequence
#'
#' `rr_channel()` makes a mechanism from its matrix of transition probabilities: post-randomization (PRAM), misclassified answers, an
#' instrument with known error rates, or a mechanism of your own. Examples are the diagonal design of Groenitz and the design of Christofides (2003).
#' The matrix need not be square. `rr_matrix()` returns the matrix of any mechanism, and `rr_compose()` joins two.
#'
#' **Rows are truths**: `C[x, y]` is the probability of report `y` given truth `x`, and each row adds up to 1. Some packages store the
#' transpose. An error says so if the transpose of `C` would be valid.
#'
#' A square channel of the form \eqn{b_y + a\,1\{x = y\}}{b_y + a 1{x = y}}, such as k-ary randomized response, is recognized and estimated in
#' closed form. For any other channel [rr_estimate()] finds the maximum of the likelihood, with a proof of how close it is, see [likelihood_solver].
#'
#' **Losses**: in the response matrix of a detector, or if some people do not answer, rows add up to less than 1. `unseen` names a further last report for those who are lost. Its count is the
#' number of them. If it is not known, divide the rows by their sums, the efficiencies; the shares then describe the truths that are seen.
#'
#' @section Labels of reports:
#' If a protocol has at most 10,000 possible reports, `rr_matrix()` labels them:
#'
#' * [rr_unary()]: bits in the order of the categories, `"010"`.
#' * [rr_bloom()]: cohort and bits, `"2: 0110"`.
#' * [rr_subset()]: categories, `"{never, often}"`.
#' * [rr_bitflip()]: the bits that were drawn, `"never = 0, often = 1"`.
#' * [rr_hadamard()], [rr_projective()]: number of the report, `"5"`.
#' * [rr_hadamard()] with `one_bit`: index and sign, `"3: -1"`.
#'
#' Unary encoding reaches the limit with 13 categories. [rr_epsilon()] is the largest logarithm of a ratio within a column.
#'
#' @section Sum scores:
#' For a mechanism of yes/no questions `rr_channel(mechanism, levels = 0:3)` is the channel of sums: a report is the number of yes in 3 reports, and the truth the number of
#' yes in the 3 true answers. The reports are of one person on 3 questions, or of the 3 members of a group on one question. All devices must have equal probabilities, because
#' otherwise the sum of the reports depends on which truths are yes; then use [`rr_margin(sum = TRUE)`][rr_margin]. Groups of different sizes need a fit each.
#'
#' @param C Matrix of transition probabilities, one row per truth and one column per report. Or a mechanism of [rr_scramble()]: the channel is
#'   then computed for the numbers in `levels`. Or a mechanism of yes/no questions: see *Sum scores*.
#' @param levels,reports Labels of the truths and of the reports; by default the row and column names of `C`. The same names in another order
#'   reorder the matrix, and other names replace its names. A square channel without column names reports its own levels.
#' @param tolerance Number, default 1e-8. Largest difference between 1 and the sum of a row, for published tables that were rounded. Rows are
#'   rescaled to 1.
#' @param unseen Label of a last report for what is lost, such as `"not seen"`: it has what each row lacks of 1. By default there is none.
#' @param ... Must be empty.
#' @return `rr_channel()`: a mechanism of class `c("rr_channel", "rr_mechanism")`, a list with elements `levels`, `reports`, `matrix` and `epsilon`.
#'   `rr_matrix()`: a matrix with one row per truth and one column per report, and dimnames `truth` and `report`.
#' @section Errors:
#' * `candor_error_argument`: `C` is not a matrix of probabilities whose rows add up to 1; a report has probability 0 under every truth; labels do
#'   not fit; `rr_matrix()` of more than 10,000 categories.
#' * `candor_error_law`: `rr_matrix()` of a protocol with more than 10,000 possible reports, or with infinitely many.
#' * `candor_error_mismatch`: the reports of `first` are not the levels of `second`.
#' @seealso [rr_predictor()] and [rr_multinom()] for regressions; [rr_geometric()] and [rr_misclassification()] for common channels; [rr_longitudinal()] for reports that are repeated; [rr_epsilon()].
#' @references Gouweleeuw, J. M., Kooiman, P., Willenborg, L. C. R. J. and de Wolf, P.-P. (1998). Post randomization for statistical
#'   disclosure control: theory and implementation. *Journal of Official Statistics* 14(4), 463-478.
#'
#'   McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. *FOCS*, 94-103. \doi{10.1109/FOCS.2007.66}
#' @concept transition matrix
#' @concept perturbation matrix
#' @concept response matrix
#' @concept detection efficiency
#' @concept losses
#' @concept single sample count
#' @concept sum score
#' @concept sdcMicro
#' @concept design matrix
#' @concept PRAM
#' @concept post-randomization
#' @concept exponential mechanism
#' @concept misclassification matrix
#' @concept diagonal design of Groenitz
#' @concept Christofides' design
#' @examples
#' # Employment status with interviewer error, known from a reinterview study
#' C <- rbind(
#'   employed = c(0.95, 0.02, 0.03),
#'   unemployed = c(0.08, 0.85, 0.07),
#'   inactive = c(0.04, 0.03, 0.93)
#' )
#' mechanism <- rr_channel(C)
#' # How many are unemployed, if 70 of 1,000 are recorded as such?
#' tidy(rr_estimate(rr_counts(c(560, 70, 370), mechanism)), conf.int = TRUE)
#' # 5.6% (3.9% to 7.7%)
#'
#' # PRAM: a category is kept with its own probability, else replaced by any
#' # other
#' keep <- c(employed = 0.9, unemployed = 0.7, inactive = 0.8)
#' C <- matrix((1 - keep) / 2, 3, 3)
#' diag(C) <- keep
#' rr_channel(C, levels = names(keep))
#'
#' # The exponential mechanism: weights exp(epsilon u / 2 Delta), with Delta
#' # the range of the utility
#' utility <- -abs(outer(1:4, 1:4, "-"))
#' rr_channel(prop.table(exp(1 * utility / (2 * 3)), 1))
#'
#' # A detector sees 80% and 70% of two kinds of events, and confuses some
#' response <- rbind(signal = c(signal = 0.7, noise = 0.1),
#'                   noise = c(0.2, 0.5))
#' detector <- rr_channel(response, unseen = "not seen")
#' coef(rr_estimate(rr_counts(c(120, 90, 90), detector),
#'                  method = "ibu", iterations = 4))
#'
#' # The matrix of a survey design
#' rr_matrix(rr_crosswise(0.25))
#'
#' # How many of three laws do hunters break? 96 of 189 said yes to none
#' sums <- rr_channel(rr_forced(1 / 6), levels = 0:3)
#' tidy(rr_estimate(rr_counts(c(96, 68, 23, 2), sums)))
#' # 86% none, 8% one, 6% two
#' @export
rr_channel <- function(
  C,
  levels = NULL,
  reports = NULL,
  tolerance = 1e-8,
  unseen = NULL,
  ...
) {
  check_dots_empty(...)
  if (inherits(C, "rr_mechanism")) {
    C <- (C$on_levels %||% sum_channel)(C, levels)
    levels <- C$levels
    reports <- C$reports
    C <- C$matrix
  }
  C <- order_channel(C, levels, reports)
  # A row that adds up to more than 1 has no losses, and is refused by its sum.
  has_losses <- !is.null(unseen) && is.numeric(C) && is.matrix(C)
  if (has_losses) C <- cbind(C, pmax(1 - rowSums(C), 0))
  C <- check_stochastic(C, check_number(tolerance, "tolerance", min = 0, max = 0.5))
  labels <- if (has_losses) {
    seen <- C[, -ncol(C), drop = FALSE]
    labels_with_unseen(channel_labels(seen, levels, reports), unseen)
  } else {
    channel_labels(C, levels, reports)
  }
  mechanism <- with_order(
    new_rr_channel(C, labels, sprintf("Channel of %d truths and %d reports", nrow(C), ncol(C))),
    labels
  )
  with_recipe(mechanism, "rr_channel", fields = c(C = "matrix", "levels", "reports"))
}

# list(matrix, levels, reports): the channel of the number of yes among J answers of one device,
#    C[x, r] = sum_i dbinom(i, x, p) dbinom(r - i, J - x, q)
# It exists for equal devices alone: otherwise the sum depends on which truths are yes.
sum_channel <- function(mechanism, levels) {
  refuse_validated(mechanism, "The channel of a sum")
  questions <- mechanism$questions %||% list(mechanism)
  is_binary <- vapply(questions, function(question) {
    length(question$levels) == 2L && length(question$reports) == 2L && has_categories(question) &&
      is.null(question$codec$block)
  }, NA)
  check_that(
    all(is_binary), mechanism, "C", "a matrix, or a mechanism of yes/no questions"
  )
  pq <- vapply(questions, function(question) {
    yes <- no_yes_index(question$reports)[["yes"]]
    rr_matrix(question)[rev(no_yes_index(question$levels)), yes]
  }, c(0, 0))
  if (max(abs(pq - pq[, 1])) > 1e-12) {
    abort(c(
      "{.arg C} must be of equal devices for sums.",
      i = "Others: {.code rr_margin(<joint fit>, <questions>, sum = TRUE)}."
    ))
  }
  levels <- levels %||% if (!is.null(mechanism$questions)) 0:length(questions)
  items <- length(levels) - 1
  is_count <- is_numbers(levels) && items > 0 && all(levels == 0:items) &&
    (is.null(mechanism$questions) || items == length(questions))
  check_that(
    is_count, levels, "levels",
    "the possible sums of a mechanism of yes/no questions, such as {.code 0:3}"
  )
  check_matrix_size(items + 1)
  list(matrix = sum_matrix(pq[1, 1], pq[2, 1], items), levels = levels, reports = levels)
}

# The matrix C of sum_channel().
sum_matrix <- function(p, q, items) {
  rows <- lapply(0:items, function(x) {
    true_yes <- dbinom(0:x, x, p)
    false_yes <- dbinom(0:(items - x), items - x, q)
    reports <- outer(true_yes, false_yes)
    as.vector(rowsum(as.vector(reports), as.vector(row(reports) + col(reports))))
  })
  do.call(rbind, rows)
}

# The labels of a channel whose last column is a report of its own, `unseen`.
labels_with_unseen <- function(labels, unseen) {
  check_that(
    is.character(unseen) && length(unseen) == 1L && !is.na(unseen), unseen, "unseen", "one label"
  )
  reports <- check_levels(c(labels$reports, unseen), "unseen")
  labels[c("reports", "numeric")] <- list(reports$labels, reports$numeric)
  labels
}

# The matrix with its rows and columns in the order of the labels, if these are its names in another
# order. Other labels replace the names.
order_channel <- function(C, levels, reports) {
  if (is.data.frame(C) || inherits(C, "Matrix")) C <- as.matrix(C)
  if (!is.matrix(C)) return(C)
  positions <- function(names, n, labels) {
    if (is.factor(labels)) labels <- base::levels(labels)
    is_order <- length(names) == length(labels) && setequal(names, labels)
    if (is_order && !is.null(names)) match(labels, names) else seq_len(n)
  }
  rows <- positions(rownames(C), nrow(C), levels)
  columns <- positions(colnames(C), ncol(C), reports)
  C[rows, columns, drop = FALSE]
}

# k, or an error if the matrix of a channel would be too large.
check_matrix_size <- function(k) {
  if (k <= matrix_limit) return(k)
  abort(
    "{.arg levels} must be at most {format_count(matrix_limit)}: the channel is kept as a matrix."
  )
}

# The labels of truths and reports, and their numbers, for new_rr_channel(). Reports without labels
# have those of the truths if there are as many.
channel_labels <- function(C, levels, reports) {
  levels <- check_levels(levels %||% rownames(C) %||% nrow(C), "levels")
  has_labels <- !is.null(reports) || !is.null(colnames(C))
  reports <- if (!has_labels && nrow(C) == ncol(C)) {
    levels
  } else {
    check_levels(reports %||% colnames(C) %||% ncol(C), "reports")
  }
  n_labels <- c(length(levels$labels), length(reports$labels))
  if (!identical(n_labels, dim(C))) {
    abort("{.arg levels} must have one label per row, and {.arg reports} one per column.")
  }
  list(
    levels = levels$labels,
    reports = reports$labels,
    numeric = reports$numeric,
    truths = levels$numeric,
    ordered = levels$ordered
  )
}

# The mechanism of a channel; `labels` as from channel_labels().
new_rr_channel <- function(C, labels, design, kind = "channel", error = NULL, ...) {
  dimnames(C) <- list(truth = labels$levels, report = labels$reports)
  new_rr_mechanism(
    kind,
    labels$levels,
    reports = labels$reports,
    numeric_levels = labels$numeric,
    numeric_truths = labels$truths %||% label_numbers(labels$levels),
    epsilon = if (isTRUE(error)) Inf else matrix_epsilon(C),
    design = design,
    matrix = C,
    law = if (is.null(list(...)$validation)) find_additive(C),
    error = error,
    ...
  )
}

# Epsilon of a channel. A report that no truth produces is ignored; a report that only some truths
# can produce makes epsilon infinite. If epsilon is small the logarithm of a rounded ratio near 1
# has lost it; the difference of numerator and denominator is exact.
matrix_epsilon <- function(C) {
  C <- C[, colSums(C) > 0, drop = FALSE]
  low <- apply(C, 2, min)
  high <- apply(C, 2, max)
  log_ratios <- ifelse(
    high <= 2 * low, log1p((high - low) / low), log(high / low)
  )
  round_up(max(log_ratios))
}

# The additive law if C is b[y] + a 1{x = y} to the last digits, with truths and reports the same
# labels; else NULL. A channel that was measured does not have this form by more than chance.
find_additive <- function(C) {
  if (!identical(rownames(C), colnames(C))) return(NULL)
  additive <- .Call(C_rr_find_additive, t(C))
  if (is.null(additive) || additive$a <= 1e-13) return(NULL)
  b <- mean(additive$b)
  differs <- max(abs(additive$b - b)) > 4 * .Machine$double.eps * b
  new_law_additive(additive$a, if (differs) additive$b else b)
}

#' @export
rr_law.rr_channel <- function(mechanism, ...) channel_law(mechanism)

# The law of a channel: the additive law that the mechanism holds, or a law of its matrix. A law of
# a matrix keeps its inverse when it is computed: two such laws are not identical, so that no
# mechanism holds one.
channel_law <- function(mechanism) {
  if (!is.null(mechanism$law)) return(mechanism$law)
  axis <- list(matrix = unname(t(mechanism$matrix)))
  # A channel whose inverse is known carries it.
  axis$inverse <- mechanism$inverse
  new_law <- if (isTRUE(mechanism$internal)) new_law_internal else new_law_channel
  new_law(list(axis), mechanism$validation)
}

# ---- common channels ----

#' Misclassification, validation studies and the geometric mechanism
#'
#' * `rr_geometric()`: the truncated geometric mechanism for ordered categories. A report lies `j` steps from the truth with probability
#'   proportional to \eqn{e^{-j\epsilon}}{e^(-j epsilon)}; a report beyond an end of the scale becomes that end.
#' * `rr_misclassification()`: answers that are mistaken, not randomized. It takes sensitivity and specificity, or the table of a validation study.
#'
#' @section Validation studies:
#' The sensitivity and specificity of a test, a classifier, a coder or a record linkage usually come from a sample of people whose truth is known.
#' This sample has an error of its own. `rr_misclassification(table = )` takes its counts \eqn{V}, and the error enters covariances, intervals,
#' comparisons, survey designs, regressions and plans. `validation` says how the people in the table were found.
#'
#' * `"external"`: each row of the table is a separate sample of people with this truth. With row sums \eqn{m_x}, shares \eqn{C_x} and
#'   \eqn{S_x = (\mathrm{diag}(C_x) - C_x C_x^T) / m_x}{S_x = (diag(C_x) - C_x C_x') / m_x}, the covariance of the reported shares becomes
#'   \eqn{\Sigma + \sum_x \theta_x^2 S_x}{Sigma + sum_x theta_x^2 S_x} (Rogan and Gladen 1978 for a yes/no question). See *Intervals of an
#'   external study*.
#' * `"internal"`: the people in the table were drawn at random from the respondents, and are not among the counts of the tally (double sampling,
#'   Tenenbein 1970, 1972). The estimate is \eqn{\sum_y \phi_y V_{xy} / V_{+y}}{sum_y phi_y V[x, y] / V[+, y]}, with the shares \eqn{\phi} of the
#'   reports of all. If all labels of a report agree, their variance would be 0. The interval, not `vcov()`, then adds half a label, spread evenly over the
#'   truths. `logLik()` is `NA`, and groups give an error, because each group would need a table of its own: see *Labels in the data*.
#' * `"exact"`: the shares of the table are taken for the channel. The error of the study is left out. This is often most of the variance, and intervals
#'   are then far too short. It is no way around an error of this page.
#'
#' Two tests of the same people that were validated together are one report, the pair: `table` has a column for each pair of results, and the reports are
#' `interaction(first, second)`. Tests that were validated separately cannot be joined: how they depend on each other given the truth is not known.
#'
#' `"external"` and `"exact"` give the same estimates. Groups of a tally, and fits with the same table, share the error of the study.
#' [vcov()][fit_methods], [rr_compare()] and [rr_contrast()] therefore contain the covariance between them, and the error nearly cancels in a
#' comparison of similar groups. If an estimate is at 0 or 1, the interval of a comparison leaves this covariance out and is too wide.
#'
#' **Intervals of an external study.** For a yes/no channel and the population the interval holds the shares \eqn{t} that a test does not reject. Its statistic is the mean
#' of Rao's and the likelihood ratio statistic, times \eqn{V(t) / W(t)}. Both are variances under \eqn{t}; \eqn{W} gives the error of the study the weights
#' of the estimate. A rare truth with few labels then does not widen the interval. The factor fails if few people of a common truth were labelled and the field is large:
#' it alone covered down to 88%. If fewer than 25 people have a truth whose share may be above 0.2, the interval also holds the shares that are accepted without the factor.
#'
#' For more categories, more reports than truths and the sample, it is the score interval with the study's variance at the estimate. That variance adds two people to each row,
#' spread evenly over the reports. A message appears if a truth has fewer than 15 people. `studies/measured.R` has the coverage and the widths beside other intervals.
#'
#' **Survey designs.** The error of an external study is added to the variance of the design, of all domains together: differences between domains, and between
#' surveys with one table, are nearly free of it. The interval is that of as many independent respondents as have the design's variance, with the \eqn{t} quantile.
#'
#' **Regressions.** [rr_glm()], also with a survey design, with clusters and with a random intercept, [rr_multinom()], [rr_predictor()] and [rr_loglinear()] (of a [rr_product()] too) add the error of an
#' external study in a second step (Murphy and Topel 1985). Intervals and tests are Wald's. Likelihood ratios and profiles give an error, and `AIC()` treats the
#' channel as known. [rr_power()] reports which margins of error the study makes impossible.
#'
#' The following would leave the error out, and give an error: `interval` `"exact"`, `"profile"` and `"credible"`, [rr_estimate()] of a [rr_product()], [rr_pool()],
#' [rr_compose()], [rr_noncompliance()], [rr_family()], [rr_score()], [rr_goodness_of_fit()], [rr_choose_method()],
#' [rr_study()], likelihood ratios of `anova()`, and with regressions `protective`, `anchor` and internal studies.
#'
#' @section Labels in the data:
#' Often the data have a column of reports, and a column with the truth of some respondents, `NA` where nobody looked. Name this column:
#' `rr_estimate(data, rr_misclassification(labels = "truth"), column = "verdict")`. Each respondent counts once. This is an internal study: whether a respondent has a label
#' may depend on the report, and on nothing else that says something about the truth.
#'
#' * With `by` each group has its own labels. Groups are independent. A report without a label in a group gives an error.
#' * A survey design counts labels with the weights of their rows. The variance is the design's, of the linearized scores. Designs with a finite population
#'   correction, and `target = "sample"`, are refused.
#' * Levels are those in the data, or `levels`. `fitted()`, `predict()` and [rr_write()] of several groups are refused.
#'
#' @section Which way round:
#' Rows of `table` are truths. Some packages have predictions in rows: `confusionMatrix()$table` of 'caret', `conf_mat()$table` of 'yardstick', and the tables
#' of 'epiR'. The names of the dimensions, `names(dimnames(table))`, decide:
#'
#' * reports: prediction, predicted, map, test, classified, report, observed.
#' * truths: reference, truth, true, actual, outcome, gold.
#'
#' A table whose rows are named as reports and columns as truths is transposed, with a message. Names that contradict each other, or that say this of one
#' dimension alone, give an error. A table without such names is taken as it is. A margin gives an error: a level Sum, -SUM- or Total whose counts are the
#' sums of the others.
#' @section Quantification:
#' In machine learning this problem is called quantification or label shift. Adjusted classify and count is `method = "inv"`, and the algorithm of
#' Saerens, Latinne and Decaestecker (2002) on hard labels is `method = "ibu"`.
#'
#' @param levels Labels of the categories, or their number.
#' @param epsilon Number, 1e-12 to 700. Log ratio of the probabilities of a report under two neighbouring truths; [rr_epsilon()] of the whole scale is
#'   \eqn{(K - 1)\epsilon}.
#' @param sensitivity,specificity Numbers, 0 to 1: \eqn{P(\mathrm{yes} \mid \mathrm{yes})}{P(yes | yes)} and \eqn{P(\mathrm{no} \mid
#'   \mathrm{no})}{P(no | no)}, with "no" the first of the two levels.
#' @param table Counts of a validation study, one row per truth and one column per report, without margins. Shares are allowed only with `validation = "exact"`. See
#'   *Which way round*.
#' @param validation `"external"` (default), `"internal"` or `"exact"`, see *Validation studies*.
#' @param labels The column of the data with the truths that were found out, as text or a formula. See *Labels in the data*.
#' @param ... Must be empty.
#' @return A mechanism, see [rr_channel()]; with `sensitivity` and `specificity` a mechanism of [rr_binary()].
#' @section Errors:
#' * `candor_error_argument`: probabilities outside 0 to 1, lengths that do not match, an empty row of `table`, shares in place of counts, margins, names
#'   of dimensions that contradict each other.
#' * `candor_error_no_information`: a report that nobody gave in an internal validation study.
#' * `candor_error_law`: a mechanism of `labels` without its data.
#' * `candor_error_mismatch`: names that are not levels.
#' * Warning `candor_warning_weights`: counts that are not whole. Message `candor_message_transposed`: rows are reports.
#'   Message `candor_message_labels`: fewer than 15 people of a truth in a study.
#' @references Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. *SIAM Journal on
#'   Computing* 41(6), 1673-1693. \doi{10.1137/09076828X}
#'
#'   Rogan, W. J. and Gladen, B. (1978). Estimating prevalence from the results of a screening test. *American Journal of
#'   Epidemiology* 107(1), 71-76. \doi{10.1093/oxfordjournals.aje.a112510}
#'
#'   Tenenbein, A. (1970). A double sampling scheme for estimating from binomial data with misclassifications. *Journal of the American Statistical
#'   Association* 65, 1350-1361. For more categories (1972), *Technometrics* 14, 187-202.
#'
#'   Murphy, K. M. and Topel, R. H. (1985). Estimation and inference in two-step econometric models. *Journal of Business & Economic Statistics* 3, 370-379.
#'
#'   Saerens, M., Latinne, P. and Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori probabilities. *Neural Computation*
#'   14, 21-41. \doi{10.1162/089976602753284446}
#' @seealso [rr_channel()] for PRAM and other matrices; [rr_compose()] for a second stage; `articles/classifiers.html` of the site has examples, and whose
#'   formula is which call.
#' @concept misclassification
#' @concept apparent prevalence
#' @concept predictive value
#' @concept commission error
#' @concept error-adjusted area
#' @concept readout
#' @concept surrogate answer
#' @concept seroprevalence
#' @concept diagnostic test
#' @concept Rogan and Gladen
#' @concept group testing
#' @concept pooled samples
#' @concept pooled sample
#' @concept epiR
#' @concept mthree
#' @concept sensitivity and specificity
#' @concept diagnostic accuracy
#' @concept true prevalence
#' @concept confusion matrix
#' @concept quantification
#' @concept label shift
#' @concept matrix method
#' @concept judge
#' @concept LLM as a judge
#' @concept annotator
#' @concept prediction-powered inference
#' @concept verbal autopsy
#' @concept Blaker
#' @concept Lang and Reiczigel
#' @concept discrete Laplace
#' @examples
#' # A test (sensitivity 0.8, specificity 0.95) is positive in 120 of 1,000:
#' # what is the prevalence?
#' test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
#' coef(rr_estimate(rr_counts(c(880, 120), test)))   # yes: 9.3%
#'
#' # The same from a study of 100 people without and 50 with the condition:
#' # its error counts
#' study <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5),
#'                                             yes = c(10, 40)))
#' tidy(rr_estimate(rr_counts(c(880, 120), study)), conf.int = TRUE)
#' # 9.3% (3.0% to 15.8%)
#'
#' # A coder read 2,000 answers, an expert 200 of them too: which share are
#' # complaints? (In truth 20%.)
#' set.seed(1)
#' answers <- data.frame(truth = rep(c("no", "yes"), c(1600, 400)))
#' answers$coded <- rr_perturb(answers$truth, test, rng = "R")
#' answers$truth[-sample(2000, 200)] <- NA
#' coder <- rr_misclassification(labels = "truth")
#' tidy(rr_estimate(answers, coder, column = "coded"), conf.int = TRUE)
#'
#' # Ratings on a scale of 5, noisy by steps
#' rr_geometric(5, epsilon = 1)
#' @export
rr_geometric <- function(levels, epsilon, ...) {
  check_dots_empty(...)
  labels <- check_levels(levels)
  epsilon <- check_epsilon(epsilon)
  k <- check_matrix_size(length(labels$labels))
  distance <- abs(outer(seq_len(k), seq_len(k), "-"))
  # The noise is cut off at the first and last level:
  #   P(at least k steps in one direction) = e^(-k epsilon) / (1 + e^(-epsilon))
  p_end <- 1 / (1 + exp(-epsilon))
  p_level <- c(p_end, rep(-expm1(-epsilon) * p_end, k - 2), p_end)
  C <- exp(-epsilon * distance) * rep(p_level, each = k)
  mechanism <- new_rr_channel(
    C / rowSums(C),
    list(levels = labels$labels, reports = labels$labels, numeric = labels$numeric),
    sprintf("Geometric mechanism (epsilon = %s per step)", format(epsilon, digits = 4))
  )
  # Its noise moves answers to their neighbours: the levels have an order.
  with_recipe(
    with_order(mechanism, list(ordered = TRUE)), "rr_geometric", epsilon = epsilon,
    levels = level_value(labels$labels, labels$numeric), fields = NULL
  )
}

#' @rdname rr_geometric
#' @export
rr_misclassification <- function(
  sensitivity = NULL,
  specificity = NULL,
  table = NULL,
  levels = NULL,
  validation = c("external", "internal", "exact"),
  labels = NULL,
  ...
) {
  if ("n" %in% ...names()) {
    abort("The numbers of people of a study are the counts of its {.arg table}.")
  }
  check_dots_empty(...)
  if (!is.null(labels)) {
    if (!all(missing(validation), is.null(c(sensitivity, specificity, table)))) {
      abort("{.arg labels} must stand alone, or beside {.arg levels}.")
    }
    return(new_rr_labelled(labels, levels))
  }
  if (is.null(table) && !missing(validation)) abort("{.arg validation} belongs to {.arg table}.")
  validation <- check_choice(validation)
  if (any(c(is.null(sensitivity), is.null(specificity)) == is.null(table))) {
    abort(
      "{.arg sensitivity} and {.arg specificity} must both be given, or {.arg table} without them."
    )
  }
  if (is.null(table)) {
    p <- check_probability(sensitivity, "sensitivity")
    specificity <- check_probability(specificity, "specificity")
    mechanism <- new_rr_binary(
      p,
      1 - specificity,
      levels %||% c("no", "yes"),
      "Misclassified answer",
      difference = p + specificity - 1,
      size = 1,
      error = TRUE
    )
    return(with_recipe(
      mechanism, "rr_misclassification", sensitivity = p, specificity = specificity
    ))
  }
  table <- check_validation_table(table, validation, levels)
  C <- check_stochastic(table / rowSums(table), 1e-8, "table")
  if (validation != "exact") inform_few_labels(table)
  mechanism <- new_rr_channel(
    C,
    channel_labels(C, levels, NULL),
    "Misclassified answer, from a validation study",
    error = TRUE,
    validation = if (validation != "exact") unname(table),
    internal = validation == "internal"
  )
  with_recipe(mechanism, "rr_misclassification", table = table, validation = validation)
}

# Intervals are unsure if a truth has fewer than 15 people in the study.
inform_few_labels <- function(table) {
  people <- rowSums(table)
  few <- which(people < 15)
  if (length(few) == 0L) return(invisible())
  truth <- rownames(table)[few[1]] %||% few[1]
  cli::cli_inform(
    c(
      "The study has few people of a truth: {people[few[1]]} of {.val {truth}}.",
      i = "Intervals are wide, or miss more often than stated: label 25 of each truth or more."
    ),
    class = "candor_message_labels"
  )
}

# The mechanism of data with a column of labels (R/tally-data.R), which have its table: it has no
# law yet. Without `levels` these are those of the data.
new_rr_labelled <- function(labels, levels) {
  check_that(
    inherits(labels, "formula") || (is.character(labels) && length(labels) == 1L && !is.na(labels)),
    labels, "labels", "the name of a column, as text or a formula"
  )
  new_rr_mechanism(
    "labelled",
    if (is.null(levels)) character() else check_levels(levels)$labels,
    epsilon = Inf,
    design = sprintf(
      "Misclassified answer, labels in column \"%s\"",
      if (is.character(labels)) labels else all.vars(labels)[1]
    ),
    error = TRUE,
    labels = labels
  )
}

# The table with truths in rows, in the order of `levels`. It must hold whole numbers of people:
# sums of a design's weights are not.
check_validation_table <- function(table, validation, levels) {
  is_table <- is.matrix(table) && is.numeric(table) && all(is.finite(table) & table >= 0) &&
    all(rowSums(table) > 0)
  check_that(is_table, table, "table", "a matrix of counts, rows truths, with no empty row")
  refuse_margins(table)
  table <- order_channel(truths_by_reports(unclass(table)), levels, NULL)
  sums <- rowSums(table)
  is_whole <- all(table == floor(table))
  has_percent <- !is_whole && all(abs(sums - 100) <= 0.5)
  has_shares <- all(abs(sums - 1) <= 1e-8) || has_percent
  if (validation != "exact" && has_shares) {
    abort("{.arg table} must be counts: shares do not say how many people.")
  }
  if (validation != "exact" && !is_whole) {
    warn(
      "{.arg table} holds numbers that are not whole: they are taken for numbers of people.",
      "weights"
    )
  }
  if (validation == "internal" && any(colSums(table) == 0)) {
    abort("Each report of {.arg table} must have been given by somebody.", "no_information")
  }
  table
}

# Names of the dimensions of a confusion matrix, in any case: the words of caret, yardstick, epiR
# and map accuracy.
dimension_reports <- "prediction|predicted|map|test|classified|reports?|observed"
dimension_truths <- "reference|truth|true|actual|outcome|gold"

# The table with truths in rows, without the names of its dimensions. Names turn it only if both are
# understood. A dimension without a name has the word that all its labels share, as "Test +" and
# "Test -".
truths_by_reports <- function(table) {
  names <- names(dimnames(table)) %||% c("", "")
  texts <- lapply(1:2, function(side) {
    if (nzchar(names[side])) {
      names[side]
    } else {
      dimnames(table)[[side]] %||% ""
    }
  })
  names(dimnames(table)) <- NULL
  has_word <- function(words) {
    pattern <- paste0("\\b(", words, ")\\b")
    vapply(texts, function(text) {
      all(grepl(pattern, gsub("[._]", " ", text), ignore.case = TRUE))
    }, NA)
  }
  is_report <- has_word(dimension_reports)
  is_truth <- has_word(dimension_truths)
  is_transposed <- identical(is_report, c(TRUE, FALSE)) &&
    identical(is_truth, c(FALSE, TRUE))
  if (is_transposed) {
    cli::cli_inform(
      c(
        paste(
          "Rows of {.arg table} are reports ({.val {texts[[1]][1]}}), and columns truths: it was",
          "transposed."
        ),
        i = "If people were drawn for it by their reports, say {.code validation = \"internal\"}."
      ),
      class = "candor_message_transposed"
    )
    return(t(table))
  }
  if (is_report[1] || is_truth[2]) {
    labels <- vapply(texts, `[`, "", 1)
    abort(c(
      "{.arg table} must have one row per truth and one column per report.",
      x = "The names of its dimensions do not say which is which: {.val {labels}}.",
      i = "Call them {.code names(dimnames(table)) <- c(\"truth\", \"report\")}, in their order."
    ))
  }
  table
}

# An error if a row or column is a margin: it is called a sum and holds the sums of the others.
refuse_margins <- function(table) {
  for (side in 1:2) {
    index <- grep("^\\W*(sum|total)s?\\W*$", dimnames(table)[[side]], ignore.case = TRUE)
    counts <- if (side == 1L) table else t(table)
    is_margin <- vapply(
      index,
      function(i) {
        all(
          abs(counts[i, ] - colSums(counts[-i, , drop = FALSE])) <= 1e-8
        )
      },
      NA
    )
    if (any(is_margin)) {
      abort(c(
        "{.arg table} must be without margins.",
        x = "{.val {dimnames(table)[[side]][index[is_margin][1]]}} holds the sums of the others.",
        i = "Leave the row and the column out: {.code table[-nrow(table), -ncol(table)]}."
      ))
    }
  }
}
