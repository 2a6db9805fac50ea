#' Estimate true joint counts of many randomized columns
#'
#' `rr_tmdh()` estimates the joint counts of the truths (the *true multi-dimensional histogram*), with their covariance matrix, from the reported
#' joint counts. Every column may have its own probabilities.
#'
#' The estimate of a set \eqn{J} is the sum over rows of products of debiased bits,
#' \eqn{\mu_J = \sum_n \prod_{j \in J} (y_{nj} - q_j) / d_j}{mu_J = sum_n prod_(j in J) (y_nj - q_j) / d_j}. It is unbiased
#' and computed from the counts alone. So is its covariance:
#'
#' * `target = "population"`: the respondents are a random sample. The matrix is positive semidefinite.
#' * `target = "sample"`: only the randomization is random. The matrix is zero for sets without a common column: a sparse matrix of package Matrix, if that is installed. It is unbiased, so it may be
#'   indefinite, with a warning.
#'
#' Here \eqn{p} is the probability that the truth is reported, or supported, and \eqn{q} that another answer is. Carette's letters are the other way round: his \eqn{R_{p,q}} is `rr_binary(q, p)`.
#'
#' An entry takes \eqn{O(2^{|J \cap J'|})}{O(2^(|J intersect J'|))} operations, and any block is computed without the rest.
#'
#' @section Questions of several categories:
#' A question of several categories is a block of columns, one per category in the order of its levels, which are 1 if the report *supports* the category.
#'
#' * Unary encoding: each bit is randomized on its own. Give the probabilities of the bits.
#' * [rr_grr()], [rr_local_hash()], [rr_subset()], and [rr_hadamard()] with one block or one bit: the supports of one report depend on each other, so only sets with at most one column of each
#'   question have an estimate. Give the mechanism, or name the columns by `block`.
#' * Other mechanisms are counted in scores by [rr_cooccurrence()], if it is given their `mechanism`.
#'
#' [rr_cooccurrence()] makes these columns if it is given the `mechanism`, and [rr_margin()] then takes questions by
#' name. The covariance takes what it needs from the joint counts and not from the protocol. Margins of \eqn{m} questions need counts of order \eqn{2m}, or the sets of interest in
#' `sets`. Questions counted in scores need order \eqn{m}.
#'
#' @section Intervals:
#' The interval holds the counts that lie at most \eqn{z} standard deviations from the estimate, with the standard deviation under that count. For one column this is Wilson's interval.
#' The shares of the smaller sets within the set are taken from the estimate. The interval exists also if no row shows the set, and if the estimated variance is negative.
#'
#' With scores of more than two values, the second moments of a category's scores are averaged over the other truths by the estimated margin. If the law of a question has no second
#' moments (Bloom filters), the interval is `NA` and `print()` says so. `vcov()` and `std.error` remain the unbiased estimates. See [`?intervals`][intervals].
#'
#' @param counts Reported joint counts of [rr_cooccurrence()].
#' @param mechanism How the columns were randomized, as any of these:
#'   * one yes/no mechanism for all columns, such as [rr_warner()];
#'   * a list with one mechanism per column or question, or a [rr_product()];
#'   * `list(p = , q = )` with one pair of probabilities, or one per column. A further element `block` has one label per column or `NA`: columns with the same label are the
#'     categories of one question.
#'
#'   Names decide which mechanism belongs to which column. A yes/no mechanism belongs to the column of its name. A mechanism of several categories belongs to the columns named like its categories, or
#'   `question:category` (also with `.` or `_`). Mechanisms without names take the columns in order.
#' @param order Largest number of columns in a set; default the order of `counts`, with their further sets.
#' @param target `"population"` (default) or `"sample"`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param object An object of `rr_tmdh()`.
#' @param sets `NULL` (default) for all sets that `coef()` shows, or the sets of interest, as in [rr_cooccurrence()].
#' @param ... Not used; `rr_tmdh()` refuses further arguments.
#' @return `rr_tmdh()`: an object of class `c("rr_tmdh", "rr_histogram")`, read by `coef()`, `tidy()`, `confint()`, `vcov()`, [rr_margin()],
#'   [rr_association()], `as.table()` and `plot()`. Estimates are numbers of rows, with score intervals (section *Intervals*); divide by `nobs()` for shares. A negative estimate is kept: it is information about a count near 0.
#' @section Errors and warnings:
#' * `candor_error_no_information`: `p = q` in a column. `candor_error_mismatch`: mechanisms that do not match the columns.
#' * `candor_error_impossible`: direct reports that support no category or several. `candor_error_order`: a set that was not tallied, by name.
#' * `candor_error_law`: a channel that a validation study estimated. `candor_error_argument`.
#'
#' Warning: `candor_warning_indefinite`. See [candor_conditions].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Lemma 3.4, Theorems 3.5 and 3.6, equations (47), (68) and (136). The entry for local hashing in Table 2 should read \eqn{p / d^{k-1}}.
#'   Carette's \eqn{q} is \eqn{p} here, and his \eqn{p} is \eqn{q}.
#'
#'   Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX Security*, 729-745.
#'   <https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/wang-tianhao>
#' @seealso [rr_cooccurrence()] for the counts, [rr_pmdh()] for the opposite direction, `vignette("joint", package = "candor")`.
#' @concept joint frequency estimation
#' @concept TMDH
#' @concept normal approximation
#' @concept multi-dimensional histogram
#' @concept marginals
#' @examples
#' # Are a and b associated, if each bit was flipped with probability 0.2?
#' set.seed(1)
#' truth <- matrix(rbinom(3000, 1, 0.3), 1000,
#'                 dimnames = list(NULL, c("a", "b", "c")))
#' truth[, "b"] <- truth[, "b"] | truth[, "a"]
#' reports <- matrix(rbinom(3000, 1, 0.2 + 0.6 * truth), 1000,
#'                   dimnames = dimnames(truth))
#' fit <- rr_tmdh(rr_cooccurrence(reports, order = 2), rr_warner(0.8))
#' tidy(fit, conf.int = TRUE)
#' crossprod(truth)["a", "b"]
#' # Yes: the joint count is estimated as 268 (standard error 27); in truth
#' # every a is also a b
#'
#' # One block of the covariance matrix, without the rest
#' vcov(fit, sets = c("a", "a:b"))
#'
#' # A unary-encoded question and a direct one
#' survey <- rr_product(
#'   tool = rr_unary(c("saw", "drill", "file"), epsilon = 2),
#'   trade = rr_grr(c("wood", "metal"), epsilon = 2)
#' )
#' trade <- sample(c("wood", "metal"), 2000, TRUE)
#' tool <- ifelse(trade == "wood", "saw",
#'                sample(c("drill", "file"), 2000, TRUE))
#' reports <- rr_perturb(data.frame(tool, trade), survey, rng = "R")
#' both <- rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey)
#' rr_margin(both, c("tool", "trade"))
#' @order 1
#' @export
rr_tmdh <- function(
  counts,
  mechanism,
  order = NULL,
  target = c("population", "sample"),
  conf.level = 0.95,
  ...
) {
  check_dots_empty(...)
  check_class(counts, "counts", "rr_cooccurrence", "joint counts, see {.fn rr_cooccurrence}")
  target <- check_choice(target)
  conf.level <- check_conf_level(conf.level)
  further <- is.null(order)
  order <- asked_order(order, counts)
  if (target == "population" && counts$n < 2) {
    abort("{.arg counts} must be of at least 2 rows.", "empty")
  }
  # A score is of the truth already.
  scored <- !is.null(counts$scores)
  design <- if (scored) {
    score_design(mechanism, counts)
  } else {
    column_design(mechanism, counts$columns)
  }
  check_direct(design, counts)
  sums <- if (scored) counts["values"] else through_columns(counts, moment_weights(design, TRUE))
  new_rr_histogram(
    "tmdh",
    counts$columns,
    order,
    sums$values,
    more = sums$more,
    tallied = counts$tallied,
    further = further,
    counts = counts,
    design = design,
    mechanism = mechanism,
    target = target,
    conf.level = conf.level
  )
}

#' @rdname rr_tmdh
#' @export
vcov.rr_tmdh <- function(object, sets = NULL, target = object$target, ...) {
  target <- check_choice(target, "target", c("population", "sample"))
  all <- is.null(sets) && is.null(object$design$block)
  if (all && !object$further && target == "sample" && requireNamespace("Matrix", quietly = TRUE)) {
    covariance <- sparse_covariance(object)
  } else if (all && object$order == length(object$columns) && object$order <= 10) {
    covariance <- .Call(
      C_rr_tmdh_all, object$counts$values, object$values, length(object$columns),
      histogram_design(object, target, FALSE)
    )
    covariance <- with_labels(covariance, shown_members(object), object)
  } else {
    members <- chosen_members(object, sets)
    covariance <- with_labels(histogram_block(object, members, target), members, object)
  }
  if (target == "sample") warn_indefinite(covariance)
  covariance
}

with_labels <- function(covariance, members, x) {
  labels <- member_labels(members, x$columns)
  structure(covariance, dimnames = list(labels, labels))
}

sparse_covariance <- function(x) {
  d <- length(x$columns)
  entries <- .Call(
    C_rr_tmdh_sparse, x$values, d, x$tallied,
    histogram_design(x, "sample", FALSE), x$order
  )
  if (is.null(entries)) {
    # The union of the two largest overlapping sets was not tallied.
    abort_untallied(
      x,
      as.integer(seq(d - min(2 * x$order - 1, d), d - 1))
    )
  }
  labels <- set_labels(x$columns, x$order)
  Matrix::sparseMatrix(
    i = entries$i, p = entries$p, x = entries$x,
    dims = rep(length(labels), 2L), dimnames = list(labels, labels),
    symmetric = TRUE, index1 = FALSE, check = FALSE
  )
}

rows_of.rr_tmdh <- function(x) {
  tibble(term = shown_labels(x), order = shown_sizes(x), estimate = shown_values(x),
         std.error = sqrt_or_na(histogram_variances(x, x, x$target)))[possible_sets(x), ]
}

# Score intervals.
bounds_of.rr_tmdh <- function(x, rows, level) {
  lapply(histogram_limits(x, level), `[`, possible_sets(x))
}

labels_of.rr_tmdh <- function(x) shown_labels(x)[possible_sets(x)]

# The data of the picture, with a panel and a scale for each size of sets: counts of large sets are
# small.
drawn_of.rr_tmdh <- function(x, data, labels) {
  data$label <- rows_factor(labels)
  data$panel <- factor(
    data$order, labels = vapply(sort(unique(data$order)), number_of, "", "column")
  )
  data$kind <- rep("number", nrow(data))
  list(data = data, title = "Estimated joint counts", free = TRUE, scales = "free")
}

notes_of.rr_tmdh <- function(x, table) {
  aim <- c(
    population = "population (respondents are a sample)",
    sample = "sample (only the randomization is random)"
  )
  c(
    notes_of.rr_histogram(x, table),
    paste0(
      "  Target: ", aim[[x$target]], "; ", format(100 * x$conf.level), "% intervals"
    ),
    if (anyNA(table$conf.low)) no_moments_words,
    if (anyNA(table$std.error)) {
      paste0("  ", sum(is.na(table$std.error)),
             " variance estimates are negative (they are unbiased), so no standard error is given")
    }
  )
}

# ---- the perturbed histogram, given the truth ----

#' Reported joint counts that a known truth gives: mean, covariance, exact law
#'
#' `rr_pmdh()` gives the mean and covariance of the reported joint counts (the *perturbed multi-dimensional histogram*) if the true joint counts
#' are known. It shows the precision of a survey before the survey is taken. [`rr_law(truth = )`][rr_law] gives the probability of every possible reported count, and `plot()` draws these laws beside the
#' normal law.
#'
#' With \eqn{q_j} and \eqn{d_j = p_j - q_j} of each column, \eqn{E(c_J) = \sum_{S \subseteq J} t_S \prod_{j \in S} d_j
#' \prod_{j \in J \setminus S} q_j}{E(c_J) = sum_(S within J) t_S prod_(j in S) d_j prod_(j in J without S) q_j}.
#' Carette's letters are the other way round: his \eqn{R_{p,q}} is `rr_binary(q, p)`.
#'
#' @section Questions of several categories:
#' A question of several categories is a block of columns, one per category, which are 1 if the report supports the category, see [rr_tmdh()]. Sets have at most one column of each question.
#' Covariances need the probability that a report supports two categories of one question, of which one is the truth (`both_own`) or none (`both_other`). The [law][rr_law] of
#' [rr_unary()], [rr_grr()], [rr_subset()] and [rr_local_hash()] (means over the codes of the categories) gives them. The supports of [rr_hadamard()] depend on a third category, and are refused.
#'
#' A report supports \eqn{k} categories of one question, the truth among them, with these probabilities (Carette, Table 2). [rr_cooccurrence()] of order \eqn{k} counts them.
#'
#' * \eqn{p q^{k-1}} for [rr_unary()].
#' * 0 for [rr_grr()] if \eqn{k > 1}.
#' * \eqn{p / g^{k-1}} for [rr_local_hash()] with ideal hash functions.
#' * For [rr_subset()], \eqn{w} of \eqn{K}, \eqn{p \prod_{i=1}^{k-1} (w - i) / (K - i)}{p prod of (w - i) / (K - i), i from 1 to k - 1}.
#'
#' @section Picture:
#' `plot()` draws the exact law of counts in standard deviations from the mean, with the normal law; the caption has the skewness. By default the picture has one set of each order up to
#' 4, the set whose reported share is farthest from a half. `of = "estimate"` draws the law of the estimates.
#'
#' @param truth True joint counts of [rr_cooccurrence()], with the orders that covariances need. Or the numbers of rows of each type: a table with
#'   two categories in each dimension, or a vector with the first column running fastest. Or a table with a dimension for each question of the mechanism. Or a fit of [rr_tmdh()], whose
#'   estimates are taken for the truth.
#' @param mechanism How the columns were randomized: one yes/no mechanism for all, a list with one per column or question, a [rr_product()], or `list(p = , q = )` with one pair of
#'   probabilities or one per column; default the mechanism of a fit. For `rr_matrix()` an object of `rr_pmdh()` or [rr_tmdh()].
#' @param order Largest number of columns in a set; default the order of `truth`, with its further sets, or the number of questions.
#' @param object,x An object of `rr_pmdh()`.
#' @param sets `NULL` (default) for all sets, or the sets of interest, as in [rr_cooccurrence()].
#' @param target `"population"` (default): rows are drawn from the given proportions; `"sample"`: these rows are randomized.
#' @param of `"reports"` (default): the reported counts; `"estimate"`: the unbiased estimates that [rr_tmdh()] computes from them.
#' @param ... Arguments of `autoplot()` for `plot()`; otherwise not used. `rr_pmdh()` refuses further arguments.
#' @return `rr_pmdh()` returns an object of class `c("rr_pmdh", "rr_histogram")`. `coef()` gives the expected counts, `tidy()` a
#'   table with `term`, `order`, `estimate` (expected count) and `std.error` (its standard deviation), `vcov(x, sets, target)` the covariance matrix. With `of = "estimate"` they are about the
#'   estimates.
#' @section Errors:
#' As [rr_tmdh()]. `candor_error_argument` also for `rr_matrix()` of questions of several categories.
#' `candor_error_law` if a law does not give `both_own` and `both_other`; `candor_error_counts` for a picture of a truth that is not whole; `candor_error_impossible` for a truth with two categories
#' of one question in a row.
#' `candor_error_too_large` for a matrix of more than 4,096 sets. See [candor_conditions].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Equations (24) to (26) and (34), theorems 3.1 to 3.3, appendix A.
#'   Carette's \eqn{q} is \eqn{p} here, and his \eqn{p} is \eqn{q}.
#' @seealso [rr_tmdh()] for the estimate, [rr_power()] to plan one question.
#' @concept planning
#' @concept exact distribution
#' @concept PMDH
#' @concept subset incidence matrix
#' @concept M matrix
#' @concept K matrix
#' @examples
#' # How precise will the joint count of smokers who drink be, if every answer
#' # is randomized?
#' items <- list(smokes = c("no", "yes"), drinks = c("no", "yes"))
#' truth <- as.table(array(c(600, 150, 150, 100), c(2, 2), items))
#' expected <- rr_pmdh(truth, rr_warner(0.8))
#' tidy(expected, of = "estimate")
#' # Its standard error will be 23, for 1,000 respondents of whom 100 do both
#'
#' # The exact law of a reported count has the expected mean
#' law <- rr_law(rr_warner(0.8), truth = c(20, 10, 10, 10), set = 1:2)
#' sum(law$count * law$probability)
#' # How normal is it?
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   plot(expected, sets = "smokes:drinks")
#' }
#'
#' # Two questions of several categories, one reported directly and one by
#' # hashing
#' cars <- table(gear = mtcars$gear, cylinders = mtcars$cyl)
#' survey <- list(gear = rr_grr(c("3", "4", "5"), 2),
#'                cylinders = rr_local_hash(c("4", "6", "8"), 2))
#' tidy(rr_pmdh(cars, survey), of = "estimate")
#' @order 1
#' @export
rr_pmdh <- function(truth, mechanism = NULL, order = NULL, ...) {
  check_dots_empty(...)
  is_fit <- inherits(truth, "rr_tmdh")
  if (is_fit && is.null(mechanism)) mechanism <- truth$mechanism
  truth <- true_counts(truth, mechanism, order)
  further <- is.null(order)
  order <- asked_order(order, truth)
  design <- column_design(mechanism, truth$columns)
  check_rivals(design)
  # Moments of a given truth are computed from its counts and from those of its reports.
  reported <- function(truth) {
    truth$design <- design
    sums <- through_columns(truth, moment_weights(design, FALSE))
    truth$counts <- c(sums, truth[c("columns", "tallied")])
    truth
  }
  independent <- reported(without_rivals(truth, design$block, is_fit))
  truth <- reported(with_rivals(independent, design))
  new_rr_histogram(
    "pmdh",
    truth$columns,
    order,
    truth$counts$values,
    more = truth$counts$more,
    tallied = truth$tallied,
    further = further,
    truth = truth,
    independent = independent,
    design = design,
    mechanism = mechanism
  )
}

asked_order <- function(order, x) {
  order <- check_order(order %||% x$order, length(x$columns))
  if (order > x$tallied) {
    abort("{.arg order} must not exceed the order that was tallied, {x$tallied}.", "order")
  }
  order
}

refuse_blocks <- function(design) {
  if (is.null(design$block)) return(invisible())
  abort("Row types do not fit questions of several categories: give a {.arg set}.")
}

#' @rdname rr_pmdh
#' @export
vcov.rr_pmdh <- function(
  object, sets = NULL, target = c("population", "sample"), of = c("reports", "estimate"),
  ...
) {
  target <- check_choice(target)
  of <- check_choice(of)
  members <- chosen_members(object, sets)
  covariance <- if (of == "reports") {
    report_block(object, members, target)
  } else {
    histogram_block(object$truth, members, target, TRUE)
  }
  with_labels(covariance, members, object)
}

# The sets of interest; rivals have no estimate.
chosen_members <- function(x, sets) {
  if (is.null(sets)) {
    members <- shown_members(x)
    return(members[, possible_sets(x), drop = FALSE])
  }
  members <- parse_sets(sets, x$columns)
  refuse_rivals(x, members)
  members
}

# The variances of the sets that `like` shows, from the values of x.
histogram_variances <- function(x, like, target, is_truth = FALSE, reported = FALSE) {
  if (!is_truth && !is.null(x$counts$scores)) {
    # They are from the sums of the products of two sets' scores; NA for sets of two categories of
    # one question.
    second <- diag(x$counts$scores$second)[
      score_index(x$counts, shown_members(x))
    ]
    sums <- shown_values(x)
    return(if (target == "sample") {
      second - sums
    } else {
      (second - sums^2 / x$n) * x$n / (x$n - 1)
    })
  }
  design <- histogram_design(
    x, target, is_truth, if (!reported) if (like$further) Inf else like$order
  )
  .Call(
    C_rr_tmdh_variances, x$values, length(x$columns), x$tallied,
    design, like$order, reported, if (like$further) x$more$members,
    if (like$further) x$more$values
  )
}

#' @rdname rr_pmdh
#' @export
tidy.rr_pmdh <- function(
  x, target = c("population", "sample"), of = c("reports", "estimate"), ...
) {
  target <- check_choice(target)
  of <- check_choice(of)
  truth <- x$truth
  variances <- histogram_variances(truth, x, target, TRUE, of == "reports")
  truth[c("order", "further")] <- x[c("order", "further")]
  tibble(
    term = shown_labels(x),
    order = shown_sizes(x),
    estimate = shown_values(if (of == "reports") x else truth),
    std.error = sqrt(pmax(variances, 0))
  )[possible_sets(x), ]
}

# The law of the reported joint counts of `truth`.
#' @rdname rr_law
#' @export
rr_law.joint_counts <- function(mechanism, truth, set = NULL, ...) {
  truth <- true_counts(truth, mechanism, whole_numbers = TRUE)
  design <- column_design(mechanism, truth$columns)
  if (is.null(set)) {
    refuse_blocks(design)
    return(histogram_law(unname(row_types(truth, "truth")), design))
  }
  members <- parse_sets(list(set), truth$columns, "set")
  truth$design <- design
  refuse_rivals(truth, members)
  rows <- pattern_rows(truth, members[, 1])
  index <- members[, 1] + 1L
  channel <- bits_channel(lapply(design[c("p", "q")], `[`, index))
  used <- rows > 0
  data.frame(
    count = 0:sum(rows),
    probability = .Call(C_rr_count_law, rows[used], channel[used, ncol(channel)])
  )
}

# The law of the histogram. It adds one row at a time, as an array over the counts of all row types
# but the first.
histogram_law <- function(rows, design) {
  n <- sum(rows)
  k <- length(rows)
  if (choose(n + k - 1, k - 1) > 1e6) abort("The histogram has too many values: give a {.arg set}.")
  channel <- bits_channel(design)
  law <- list(histograms = matrix(0, 1, k), probability = 1)
  for (x in rep(seq_len(k), rows)) {
    size <- nrow(law$histograms)
    all <- law$histograms[rep(seq_len(size), k), , drop = FALSE] +
      diag(k)[rep(seq_len(k), each = size), ]
    weight <- as.vector(outer(law$probability, channel[x, ]))
    key <- as.vector(all %*% (n + 1)^(seq_len(k) - 1))
    first <- !duplicated(key)
    law <- list(histograms = all[first, , drop = FALSE],
                probability = as.vector(rowsum(weight, match(key, key[first]))))
  }
  index <- do.call(order, asplit(law$histograms, 2))
  list(
    histograms = law$histograms[index, , drop = FALSE],
    probability = law$probability[index]
  )
}

# The channel of the bits. Rows are the true combinations of all columns, the first running fastest.
bits_channel <- function(design) {
  Reduce(
    function(a, b) kronecker(b, a),
    lapply(seq_along(design$p), function(j) {
      matrix(
        c(
          1 - design$q[j], 1 - design$p[j],
          design$q[j], design$p[j]
        ),
        2
      )
    })
  )
}
