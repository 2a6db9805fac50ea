# The law of a report is how its probabilities depend on the truth. A mechanism carries its law, or
# a method of rr_law() makes it. Estimators, covariances, intervals and simulations use the generics
# below, which have methods for each class of law. Laws hold numbers, no labels and no data frames.
# The law of a hierarchy holds the laws and the mechanisms of its depths.

#' The law of a report: response probabilities given the truth
#'
#' A law says how the probabilities of a report depend on the true answer. Every mechanism has a law, and estimates, covariances, intervals and simulation
#' follow from it. Three kinds of law can be made by hand:
#'
#' * additive, made by `rr_new_law("additive", a, b, odds = a / b)`: \eqn{P(y \mid x) = b_y + a 1\{x = y\}}{P(y | x) = b[y] + a 1{x = y}}, the truth
#'   with some probability, else an answer that does not depend on it.
#' * channel, made by `rr_new_law("channel", axes)`: any matrix of probabilities, or a Kronecker product of several.
#' * support, made by `rr_new_law("support", p, q, both_own = NULL, both_other = NULL, odds = NULL, difference = p - q)`: a report *supports* some
#'   categories: the true category with probability `p`, any other category with probability `q`.
#'
#' Most frequency oracles of local differential privacy have the third kind: the bits equal to 1 in unary encoding, the categories that match a hash value, the
#' chosen subset. A tally counts how many reports support each category. The inversion \eqn{(c_v / n - q) / (p - q)} is unbiased, and every count \eqn{c_v} is binomial.
#' These counts do not determine the likelihood of the reports.
#'
#' Other laws belong to one protocol each and are made by its constructor only: `hadamard`, `projective`, `bitflip`, `bloom`, `hierarchy`, `mean`, `scramble`, `sampled` and
#' `count_mean_sketch`.
#'
#' With `truth` the result is the law of the reported joint counts of several yes/no questions: the probability of every count that the questions of a survey can
#' have, given the true joint counts. A set's count is a sum of independent binomials, one for each true row type restricted to the set. The histogram of
#' row types is a sum of multinomials, whose law is enumerated.
#'
#' @param mechanism A mechanism. With `truth` as in [rr_pmdh()].
#' @param truth True joint counts as in [rr_pmdh()]; left out for the law of one report.
#' @param set With `truth`: the columns whose joint count is of interest, by name or position; `NULL` (default) for the histogram of row types.
#' @param kind `"additive"`, `"channel"` or `"support"`.
#' @param ... For `rr_law()`: `truth` and `set`. For `rr_new_law()`: arguments of the kind:
#'   * `a`: a number from -1 to 1, what the truth adds to the probability of its own report. `a + sum(b)` must be 1.
#'   * `b`: probability of each report if it is not the truth: one number for all, or one per category.
#'   * `odds`: `a / b` with full precision, if all `b` are equal. For supports \eqn{E - 1}, if a report is \eqn{E} times as likely under
#'     a truth that it supports as under another truth; `rr_tally(keep = "sets")` needs it for the likelihood.
#'   * `axes`: a matrix of probabilities whose rows are truths and add up to 1, or a list of such matrices and additive laws (with one `b`
#'     per category). The list means their Kronecker product, the first running fastest.
#'   * `p`, `q`: probabilities that a report supports the true category, and that it supports another category. One number, or one per category.
#'   * `both_own`: \eqn{r_1}, the probability that a report supports the truth and one given other category. One number, one per true
#'     category, or a matrix with truths in rows. `NULL`, the default: independent supports, `p * q`.
#'   * `both_other`: \eqn{r_2}, the probability that a report supports two given categories, neither of them the truth. One number or a symmetric
#'     matrix. `NULL`: independent supports, `q * q`.
#'   * `difference`: `p - q` with full precision.
#' @return A list of class `c("rr_law_<kind>", "rr_law")` with the arguments as elements. With `truth` and a `set` a data frame with columns `count` and `probability`. Without a `set`
#'   a list with `histograms` (a matrix with one column per row type and one row per possible histogram) and `probability`.
#' @section Errors:
#' `candor_error_argument`, also for mechanisms without a law, and for more than a million histograms. A function that needs more than the law provides throws `candor_error_law`. See [candor_conditions].
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. <https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/wang-tianhao> (support: "pure" protocols)
#'
#'   Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response.
#'   \doi{10.48550/arXiv.2601.08603} (additive)
#'
#'   Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy. Lemma B.1, appendix A (the law of reported joint
#'   counts). A comma is missing between the two parameters in equation (55).
#' @seealso [rr_new_mechanism()] for a mechanism of your own, [rr_matrix()] for the probabilities as a matrix;
#'   `articles/extending.html` of the site.
#' @concept response probability
#' @concept transition matrix
#' @concept pure protocol
#' @concept exact distribution
#' @examples
#' # Which law do Warner's design and the geometric mechanism have?
#' rr_law(rr_warner(0.8))
#' rr_law(rr_geometric(3, epsilon = 1))
#' # The law of unary encoding: a bit is 1 with probability 3/4 for the truth
#' # and 1/4 for others
#' rr_new_law("support", p = 0.75, q = 0.25)
#' @export
rr_law <- function(mechanism, ...) {
  has_truth <- "truth" %in% ...names()
  if (!has_truth) check_dots_empty(...)
  UseMethod("rr_law", if (has_truth) structure(list(), class = "joint_counts") else mechanism)
}

# Are the reports finitely many, with known probabilities?
has_categories <- function(mechanism) law_gives(rr_law(mechanism), "channel")

#' @export
rr_law.default <- function(mechanism, ...) {
  check_mechanism(mechanism)
  # Most mechanisms hold their law. A method makes a law that is large, or that changes as it is
  # used.
  if (inherits(mechanism$law, "rr_law")) return(mechanism$law)
  if (!is.null(mechanism$labels)) refuse_without_labels()
  abort(
    "{.arg mechanism} must have a law: a method of {.fn rr_law} for {.cls {class(mechanism)[1]}}."
  )
}

# A law of one kind, with the facts that every law has, whatever its kind:
#    words            a phrase for messages
#    gives            the needs that it always meets, names of law_needs
#    has_likelihood   do reports that were kept as sets have a likelihood?
#    adds_up          does the unbiased estimate add up to 1, whatever the counts?
#    by_information   are standard errors of maximum likelihood by information, one linear system a
#                     function, if a matrix is too large?
#    planned          N times the variance of a share t over t (1 - t), by target, for plans without
#                     second moments
#    binomial         list(a, b, odds), if the number of reports that support category v is binomial
#                     with probability b + a theta[v]: `a` and `b` are one number, or one a category
#    probabilities    texts under their names for print(), or where to find them if the
#                     matrix is too large
new_rr_law <- function(
  kind, words, ..., gives = character(), has_likelihood = FALSE, adds_up = FALSE,
  by_information = FALSE, binomial = NULL,
  probabilities = list(`P(report given truth): ` = "see rr_matrix()")
) {
  facts <- list(
    words = words,
    gives = gives,
    has_likelihood = has_likelihood,
    adds_up = adds_up,
    by_information = by_information,
    binomial = binomial,
    probabilities = probabilities
  )
  structure(
    c(list(...), facts),
    class = c(paste0("rr_law_", kind), "rr_law")
  )
}

check_law <- function(law) {
  if (inherits(law, "rr_law")) return(law)
  abort(c(
    "{.fn rr_law} must return a law, see {.fn rr_new_law}.", x = "It returned {describe(law)}."
  ))
}

#' @export
print.rr_law <- function(x, ..., digits = 4) {
  writeLines(within_80(paste0("<", class(x)[1], "> ", x$words)))
  for (name in names(Filter(is.numeric, x))) {
    value <- as.vector(x[[name]])
    cat(
      "  ", name, " = ",
      toString(format(head(value, 6), digits = digits, trim = TRUE)),
      if (length(value) > 6) ", ...", "\n", sep = ""
    )
  }
  invisible(x)
}

# ---- properties of a law ----

# Does the law give what a method needs? `need` is one of the needs below.
law_gives <- function(law, need) need %in% law$gives || law_meets(law, need)

# Is a need met by the numbers of the law, or by what a tally kept? Other laws of its kind may not
# meet it.
law_meets <- function(law, need) UseMethod("law_meets")

law_meets.rr_law <- function(law, need) {
  need == "likelihood" && law$has_likelihood && !is.null(law$sets)
}

# The needs that methods, intervals and tables may have of a law, with the words that errors use for
# them.
law_needs <- c(
  inverse = "an unbiased estimate",
  likelihood = "the probability of each report",
  additive = "the truth, or else an answer that does not depend on it",
  alike = "other answers that are all alike and less likely than the truth",
  shares = "counts that each follow from the share of one category",
  binomial = "a binomial count for each category",
  support = "reports that support sets of categories",
  bits = "reports that are the bits of filters",
  channel = "finitely many reports with known probabilities",
  question = "finitely many reports, of one question, with known probabilities",
  exact = "counts that are binomial",
  simulation = "counts that can be simulated without the reports",
  scores = "an unbiased estimate that is a mean over the reports",
  profile = "a likelihood with one share held fixed"
)

# The error if a law does not meet a need. `what` is the name of the thing that needs it.
refuse_law <- function(law, need, what = "This", remedy = NULL) {
  abort(c(paste(what, "needs {law_needs[[need]]}."), x = "Under this law {law$words}.", i = remedy),
        c("law", "argument"))
}

# Do all truths have the same probabilities of the reports, so that nothing can be learned?
law_tells_nothing <- function(law) UseMethod("law_tells_nothing")

law_tells_nothing.rr_law <- function(law) all(abs(law$difference %||% 1) < 1e-14)

# Do categories of a law of sets, or pairs of them, have probabilities of their own?
differs_by_category <- function(law) {
  max(lengths(law[c("p", "q", "both_own", "both_other")])) > 1L
}

# The position of a report that was given and that no truth can produce; 0 if there is none.
law_impossible <- function(law, counts) UseMethod("law_impossible")

law_impossible.rr_law <- function(law, counts) 0

# ---- a law as an operator ----

# The law as a list of axes, one a question: list(a, b) for b[y] + a 1{x = y}, or list(matrix) with
# the transposed matrix, so that the reports of one truth are contiguous.
law_axes <- function(law, k) UseMethod("law_axes")

law_axes.rr_law <- function(law, k) refuse_law(law, "channel")

# The matrix of the law, rows are truths.
law_matrix <- function(law, k) UseMethod("law_matrix")

# The expected share of each count if the truths are distributed as theta.
law_expected <- function(law, theta) UseMethod("law_expected")

reported_shares <- function(mechanism, theta) law_expected(rr_law(mechanism), theta)

# The counts of respondents whose truths are fixed, a column for each replication: `truth`
# respondents hold each category.
law_simulate <- function(law, truth, nsim) UseMethod("law_simulate")

law_simulate.rr_law <- function(law, truth, nsim) refuse_law(law, "simulation")

# ---- estimates ----

# The evidence of one group for estimators: its counts, scaled to the effective number of
# respondents `n`, and `raw`, the counts and the number of respondents before scaling. `k` is the
# number of truths.
new_evidence <- function(law, counts, n, effective_n, k, mechanism = NULL) {
  evidence <- list(
    law = law,
    counts = if (n == effective_n) counts else counts * (effective_n / n),
    n = effective_n,
    k = k,
    mechanism = mechanism,
    raw = list(counts = counts, n = n)
  )
  evidence$unbiased <- function() law_unbiased(law, evidence)
  evidence$blank_error <- function() law_null_std_error(law, evidence)
  evidence
}

# The unbiased estimate by linear inversion.
law_unbiased <- function(law, evidence) UseMethod("law_unbiased")

# Standard error of that estimate for a category that nobody holds: one number, or one a category.
law_null_std_error <- function(law, evidence) UseMethod("law_null_std_error")

law_null_std_error.rr_law <- function(law, evidence) {
  sqrt(
    law$binomial$b * (1 - law$binomial$b) / binomial_counts(law, evidence)$n
  ) / abs(law$binomial$a)
}

# How many reports support each category, and of how many: one number, or one a category.
binomial_counts <- function(law, evidence) UseMethod("binomial_counts")

binomial_counts.rr_law <- function(law, evidence) {
  list(counts = evidence$counts[seq_len(evidence$k)], n = evidence$n)
}

# How many reports speak for each category, and of how many: list(counts, n). A report speaks for a
# category if its unbiased score is nearer to 1, the share of one who holds it, than to 0. A cell
# that nobody reported has none, however its score varies among the reports of other cells.
supporting_counts <- function(law, evidence) UseMethod("supporting_counts")

supporting_counts.rr_law <- function(law, evidence) {
  if (!is.null(law$binomial) || !law_gives(law, "channel")) {
    return(binomial_counts(law, evidence))
  }
  counts <- numeric(evidence$k)
  for (y in which(evidence$counts > 0)) {
    report <- new_evidence(
      law,
      as.double(seq_along(evidence$counts) == y),
      1,
      1,
      evidence$k,
      evidence$mechanism
    )
    counts <- counts + evidence$counts[y] * (law_unbiased(law, report) > 0.5)
  }
  list(counts = counts, n = evidence$n)
}

# The unbiased estimate with its negative shares set to 0 and the others rescaled, and its
# projection on the distributions.
law_rescaled <- function(law, evidence) UseMethod("law_rescaled")
law_projected <- function(law, evidence) UseMethod("law_projected")

law_rescaled.rr_law <- function(law, evidence) to_sum_1(pmax(law_unbiased(law, evidence), 0))

law_projected.rr_law <- function(law, evidence) {
  .Call(C_rr_project, as.double(law_unbiased(law, evidence)), 1)
}

# The weights divided by their sum; equal shares if all are 0.
to_sum_1 <- function(weights) {
  total <- sum(weights)
  if (total > 0) weights / total else rep(1 / length(weights), length(weights))
}

# The reports as those of a channel, with their counts: list(law, evidence, logs), where the
# channel's rows are the probabilities of the reports over factors whose logarithms are `logs`. If
# the counts do not hold the likelihood, these are the reports that rr_tally(keep = "sets") kept.
report_channel <- function(law, evidence) UseMethod("report_channel")

report_channel.rr_law <- function(law, evidence) refuse_law(law, "likelihood")

# The maximum of the likelihood: a list with `estimate`, and its convergence and uniqueness.
law_maximum <- function(law, evidence, options) UseMethod("law_maximum")

law_maximum.rr_law <- function(law, evidence, options) {
  reports <- report_channel(law, evidence)
  law_maximum(reports$law, reports$evidence, options)
}

# The result of `iterations` steps of the iterative Bayesian update, or fewer if its certificate
# falls below `tolerance`. NULL if double precision does not hold them.
law_update <- function(law, evidence, options) UseMethod("law_update")

law_update.rr_law <- function(law, evidence, options) {
  reports <- report_channel(law, evidence)
  law_update(reports$law, reports$evidence, options)
}

# The bytes that rr_tally(keep = "sets") keeps of a report; 0 if its counts say as much.
set_bytes <- function(law, k) UseMethod("set_bytes")

#' @export
set_bytes.rr_law <- function(law, k) 0

# The rate of the iterative Bayesian update at the maximum, the limit of the distance from it after
# a step, divided by the distance before. NA if the channel is too large for it.
update_rate <- function(law, evidence, maximum) UseMethod("update_rate")

update_rate.rr_law <- function(law, evidence, maximum) {
  reports <- report_channel(law, evidence)
  update_rate(reports$law, reports$evidence, maximum)
}

# ---- uncertainty ----

# A map is how an estimator moves with the unbiased estimate, near these data. It is one of these
# lists:
#    support, alpha, u   alpha (I - u 1') on the categories in `support`
#    jacobian            any matrix
#    information         this maximum of the likelihood, whose covariance is the inverse information
# `unbiased` is TRUE if the divisor is n - 1.

# The map of the unbiased estimate itself.
identity_map <- function(k, unbiased = TRUE) {
  list(
    support = rep(TRUE, k),
    alpha = 1,
    u = numeric(k),
    unbiased = unbiased
  )
}

is_identity_map <- function(map) {
  is.null(map$jacobian) && is.null(map$information) && map$alpha == 1 &&
    all(map$u == 0)
}

# The map of a maximum of the likelihood; NULL if there is no likelihood.
law_likelihood_map <- function(law, evidence, estimate) UseMethod("law_likelihood_map")

law_likelihood_map.rr_law <- function(law, evidence, estimate) {
  if (law_gives(law, "likelihood")) list(information = estimate)
}

# Larger supports would need a matrix that is slow to invert: their standard errors come from the
# bootstrap.
covariance_cells <- 1000

# The mean product of the terms of each two of `cells`, and the mean square of those of each. The
# unbiased estimate is a mean of these terms over the reports.
term_products <- function(law, evidence, cells) UseMethod("term_products")
term_squares <- function(law, evidence, cells) UseMethod("term_squares")

# Covariances and variances of the unbiased estimate.
unbiased_covariance <- function(law, evidence, cells, target, unbiased) {
  UseMethod("unbiased_covariance")
}
unbiased_variances <- function(law, evidence, cells, target, unbiased) {
  UseMethod("unbiased_variances")
}

unbiased_covariance.rr_law <- function(law, evidence, cells, target, unbiased) {
  theta <- law_unbiased(law, evidence)[cells]
  second <- term_products(law, evidence, cells)
  if (target == "sample") {
    return((second - diag(theta, length(theta))) / evidence$n)
  }
  (second - outer(theta, theta)) / sampling_divisor(evidence, unbiased)
}

unbiased_variances.rr_law <- function(law, evidence, cells, target, unbiased) {
  theta <- law_unbiased(law, evidence)[cells]
  second <- term_squares(law, evidence, cells)
  if (target == "sample") return((second - theta) / evidence$n)
  (second - theta^2) / sampling_divisor(evidence, unbiased)
}

# The divisor that makes a variance unbiased belongs to the unbiased estimate.
sampling_divisor <- function(evidence, unbiased) {
  if (isTRUE(unbiased)) pmax(evidence$n - 1, 0) else evidence$n
}

# The variances of the estimates `cells`, and their block of the covariance matrix, under a map.
law_variances <- function(law, evidence, map, cells, target) UseMethod("law_variances")
law_covariance <- function(law, evidence, map, cells, target) UseMethod("law_covariance")

law_variances.rr_law <- function(law, evidence, map, cells, target) {
  if (!is_identity_map(map)) {
    return(diag(law_covariance(law, evidence, map, cells, target)))
  }
  ifelse(
    map$support[cells], unbiased_variances(law, evidence, cells, target, map$unbiased), 0
  )
}

# The covariance of alpha (I - u 1') of an unbiased estimate on its support. NA if the support is
# too large for a matrix.
mapped_covariance <- function(law, evidence, map, cells, target) {
  if (map$alpha == 1 && all(map$u == 0)) {
    block <- unbiased_covariance(law, evidence, cells, target, map$unbiased)
    off <- !map$support[cells]
    block[off, ] <- block[, off] <- 0
    return(block)
  }
  on <- which(map$support)
  if (length(on) > covariance_cells) {
    return(matrix(NA_real_, length(cells), length(cells)))
  }
  covariance <- unbiased_covariance(law, evidence, on, target, map$unbiased)
  centred <- covariance - outer(map$u[on], colSums(covariance))
  placed_block(
    map$alpha^2 *
      (centred - outer(rowSums(centred), map$u[on])),
    on, cells
  )
}

# The covariance matrix of `support` as one of `cells`; the others do not move.
placed_block <- function(covariance, support, cells) {
  index <- match(cells, support)
  inside <- !is.na(index)
  block <- matrix(0, length(cells), length(cells))
  block[inside, inside] <- covariance[index[inside], index[inside]]
  block
}

# The covariance under a map that is a matrix, by the delta method with the covariance of the
# unbiased estimate.
jacobian_covariance <- function(law, evidence, map, cells, target) {
  k <- evidence$k
  if (k > covariance_cells) return(matrix(NA_real_, length(cells), length(cells)))
  unbiased <- law_covariance(law, evidence, identity_map(k, map$unbiased), seq_len(k), target)
  rows <- map$jacobian[cells, , drop = FALSE]
  rows %*% unbiased %*% t(rows)
}

# The covariance matrix of linear functions of the unbiased estimate, whose weights are the rows of
# `functions`, or with `variances` its diagonal only.
law_functions <- function(law, evidence, functions, target, variances = FALSE) {
  UseMethod("law_functions")
}

law_functions.rr_law <- function(law, evidence, functions, target, variances = FALSE) {
  covariance <- law_covariance(law, evidence, identity_map(evidence$k), seq_len(evidence$k), target)
  if (variances) {
    rowSums((functions %*% covariance) * functions)
  } else {
    functions %*% tcrossprod(covariance, functions)
  }
}

# The covariance of law_functions() from the terms that each report adds to the functions, a column
# each.
functions_by_terms <- function(law, evidence, functions, terms, target, variances) {
  phi <- evidence$counts / evidence$n
  shares <- law_unbiased(law, evidence)
  means <- drop(functions %*% shares)
  second <- if (variances) colSums(terms^2 * phi) else crossprod(terms * sqrt(phi))
  if (target == "population") {
    return(
      (second - if (variances) means^2 else outer(means, means)) /
        max(evidence$n - 1, 0)
    )
  }
  (second - if (variances) {
    drop(functions^2 %*% shares)
  } else {
    functions %*% (shares * t(functions))
  }) / evidence$n
}

# The mean squares of the terms of a linear function of the shares, given each of the `k` truths.
# The unbiased estimate is a mean over the reports of such terms, whose own mean, given a truth, is
# the weight of that truth. N Var is the mean of these squares less the square of the function, or,
# for fixed truths, less the mean of the squared weights. NULL if the estimate is no such mean.
law_second_moments <- function(law, k, weights) UseMethod("law_second_moments")

law_second_moments.rr_law <- function(law, k, weights) NULL

# The covariances between the unbiased estimates of groups whose reports depend on each other, as a
# square of all estimates with zeros within the groups; NULL if groups are independent.
law_group_covariance <- function(law, tally, target) UseMethod("law_group_covariance")

law_group_covariance.rr_law <- function(law, tally, target) NULL

# The interval of the shares `cells`, of kind `interval`; `estimate` are all estimates of the group.
law_intervals <- function(law, evidence, estimate, interval, conf.level, cells, target) {
  UseMethod("law_intervals")
}

# The interval of the share of several categories `cells` together; NULL if the law gives none.
law_share_interval <- function(law, evidence, cells, share, interval, conf.level, target) {
  UseMethod("law_share_interval")
}
