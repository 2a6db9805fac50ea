#' Estimate true joint counts
#'
#' Estimates the true joint counts of randomised binary columns, the *true multi-dimensional histogram*, with their covariance matrix, from the reported
#' joint counts. Every column may have its own probabilities.
#'
#' The estimate of a set \eqn{J} is the sum over rows of products of debiased bits,
#' \eqn{\mu_J = \sum_n \prod_{j \in J} (y_{nj} - q_j) / d_j}{mu_J = sum_n prod_(j in J) (y_nj - q_j) / d_j}. It is unbiased,
#' and computed from the counts alone. So is its covariance:
#'
#' * `target = "sample"`: for these very respondents, only the randomisation is random (Theorem 3.6 of the paper in the form of its equation
#'   (136)). It is zero where two sets share no column, so the matrix is sparse. Being unbiased, an estimated variance may be
#'   negative, and the matrix indefinite; a warning says so.
#' * `target = "population"`: respondents are a sample from a population as well. The matrix is always positive semidefinite.
#'
#' One entry costs \eqn{O(2^{|J \cap J'|})}{O(2^(|J intersect J'|))}, because a debiased bit satisfies \eqn{u^2 = v + \kappa
#' u} exactly; so all
#' non-zero entries, or any block, are computed without forming a large matrix.
#'
#' @section Questions of several categories:
#' A unary-encoded question is a block of columns like any others, one per category, each bit randomised on its own: give the
#' probabilities of its bits. One that was reported directly ([rr_grr()]) or by local hashing into \eqn{g} values (\eqn{q = 1/g}) is given as
#' its columns of support, one per category in the order of its levels, 1 where the report supports the category. Their
#' reports are *not* independent (a direct report supports exactly one category; hashed ones do so
#' with probability \eqn{p / g^{k-1}} for \eqn{k} categories, the truth among them), so only sets with at most one column of each such
#' question have an estimate, and sets with two are refused: nobody has two categories of one question. Name these columns by the
#' mechanism, or by `block`, see the argument `mechanism`. The same holds for [rr_subset()], and for [rr_hadamard()] with one block or one bit. For columns of other mechanisms
#' the joint probabilities are not known, and they are refused; [rr_cooccurrence()] counts the *reports* of such questions in scores, if it gets their `mechanism`, and then
#' the `counts` hold all that is needed here.
#'
#' [rr_cooccurrence()] makes these columns from reports of any of these protocols, if it gets their `mechanism`, and [rr_margin()] then takes questions by
#' name. What the covariance needs to know about the supports of one report it takes from the joint counts, not from the protocol: it is unbiased whatever
#' hash or code made them. Margins of \eqn{m} questions need counts of order \eqn{2m}, or the sets of interest in `sets`; of questions
#' counted in scores, of order \eqn{m}.
#'
#' @param counts Reported joint counts, of [rr_cooccurrence()].
#' @param mechanism How the columns were randomised: one yes/no mechanism for all of them, such as [rr_warner()]; a list
#'   with one mechanism per column or question; a product mechanism of such; or `list(p = , q = )` with one pair
#'   of probabilities, or one per column, in any order if they have the columns' names. To such a list a `block` may be added, one label per column or `NA`: columns with the same
#'   label are the categories of one question whose columns were not reported independently.
#'
#'   Names decide which mechanism belongs to which column, whatever the order: a yes/no mechanism belongs to the column that has its name, a mechanism
#'   of several categories to the columns named like its categories, or `question:category` (also with `.` or `_`). Mechanisms without
#'   names take the columns in order.
#' @param order The largest number of columns in a set. By default that of `counts`, and their further sets (the `sets` of
#'   [rr_cooccurrence()]) are estimated as well; name those in `vcov(x, sets)` if you give an order.
#' @param target What the uncertainty is about: `"population"` or `"sample"`.
#' @param conf.level Confidence level, between 0 and 1.
#' @return An object of class `c("rr_tmdh", "rr_histogram")`: `coef()`, `tidy()`, `confint()`, `vcov()`, [rr_margin()],
#'   [rr_association()], [rr_joint()] and `plot()` read it. Estimates are numbers of rows; `tidy(x, scale = "share")` divides them by \eqn{N}.
#'   A negative estimate is kept: it is information about a count near 0.
#' @section Errors:
#' `candor_error_no_information` if `p = q` in a column, which is named; `candor_error_mismatch` if the mechanisms do not
#' match the columns, or are not those that scores were made with; `candor_error_impossible` if the counts show that direct reports support no category, or several at once; `candor_error_order` if a covariance needs counts that were not tallied, with the set it needs;
#' `candor_error_argument` otherwise. Warning `candor_warning_indefinite`.
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Lemma 3.4, Theorems 3.5 and 3.6, Table 2 (whose entry for local hashing should read \eqn{p / d^{k-1}}).
#'
#'   Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX Security*, 729-745.
#' @examples
#' truth <- matrix(rbinom(3000, 1, 0.3), 1000, dimnames = list(NULL, c("a", "b", "c")))
#' truth[, "b"] <- truth[, "b"] | truth[, "a"]
#' reports <- matrix(rbinom(3000, 1, 0.2 + 0.6 * truth), 1000, dimnames = dimnames(truth))
#'
#' fit <- rr_tmdh(rr_cooccurrence(reports, order = 2), rr_warner(0.8))
#' tidy(fit, conf.int = TRUE)
#' rr_association(fit)
#'
#' # One block of the covariance matrix, without the rest
#' vcov(fit, sets = c("a", "a:b"))
#'
#' # A unary-encoded question and a direct one
#' survey <- rr_product(tool = rr_unary(c("saw", "drill", "file"), epsilon = 2),
#'                      trade = rr_grr(c("wood", "metal"), epsilon = 2))
#' trade <- sample(c("wood", "metal"), 2000, TRUE)
#' tool <- ifelse(trade == "wood", "saw", sample(c("drill", "file"), 2000, TRUE))
#' reports <- rr_perturb(data.frame(tool, trade), survey)
#' both <- rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey)
#' rr_margin(both, c("tool", "trade"))
#' rr_association(rr_margin(both, c("tool", "trade")))
#' @export
rr_tmdh <- function(counts, mechanism, order = NULL, target = c("population", "sample"), conf.level = 0.95, ...) {
  check_dots_empty(...)
  if (!inherits(counts, "rr_cooccurrence")) {
    abort(c("{.arg counts} must be joint counts, see {.fn rr_cooccurrence}.", x = "It is {describe(counts)}."),
          "argument")
  }
  target <- check_choice(target, "target", c("population", "sample"))
  conf.level <- check_level(conf.level)
  further <- is.null(order)
  order <- check_order(order %||% counts$order, length(counts$columns))
  if (order > counts$tallied) abort_order(order, counts)
  if (target == "population" && counts$n < 2) abort("{.arg counts} must be of at least 2 rows.", "empty")
  # A score is of the truth already.
  scored <- !is.null(counts$scores)
  design <- if (scored) score_design(mechanism, counts) else column_design(mechanism, counts$columns)
  check_direct(design, counts)
  made <- if (scored) counts["values"] else through_columns(counts, design, TRUE)
  new_rr_histogram("tmdh", counts$columns, order, made$values, more = made$more, tallied = counts$tallied,
                   further = further, counts = counts, design = design, mechanism = mechanism, target = target,
                   conf.level = conf.level)
}

#' @rdname rr_tmdh
#' @param object,x An object of `rr_tmdh()`.
#' @param sets `NULL` for all sets that `coef()` shows, or the sets of interest, as in [rr_cooccurrence()].
#' @param dense Return all sets of the `sample` target as an ordinary matrix?
#' @param ... Not used; `rr_tmdh()` refuses it.
#' @export
vcov.rr_tmdh <- function(object, sets = NULL, target = object$target, dense = FALSE, ...) {
  target <- check_choice(target, "target", c("population", "sample"))
  check_flag(dense, "dense")
  if (is.null(sets) && !object$further && target == "sample" && !dense && is.null(object$design$block) &&
      requireNamespace("Matrix", quietly = TRUE)) {
    covariance <- sparse_covariance(object)
  } else if (is.null(sets) && object$order == length(object$columns) && object$order <= 10 &&
             is.null(object$design$block)) {
    labels <- shown_labels(object)
    covariance <- .Call(C_rr_tmdh_all, object$counts$values, object$values, as.double(length(object$columns)),
                        histogram_design(object, target, FALSE))
    dimnames(covariance) <- list(labels, labels)
  } else {
    members <- chosen_members(object, sets)
    if (is.null(sets)) members <- members[, possible_sets(object), drop = FALSE] else refuse_rivals(object, members)
    covariance <- histogram_block(object, members, members, target, FALSE, FALSE)
    labels <- member_labels(members, object$columns)
    dimnames(covariance) <- list(labels, labels)
  }
  if (target == "sample") warn_indefinite(covariance)
  covariance
}

sparse_covariance <- function(x) {
  d <- length(x$columns)
  parts <- .Call(C_rr_tmdh_sparse, x$values, as.double(d), as.double(x$tallied), histogram_design(x, "sample", FALSE),
                 as.double(x$order))
  if (is.null(parts)) {
    # The union of the two largest overlapping sets is what is missing.
    abort_untallied(x, as.integer(seq(d - min(2 * x$order - 1, d), d - 1)))
  }
  labels <- set_labels(x$columns, x$order)
  Matrix::sparseMatrix(i = parts$i, p = parts$p, x = parts$x, dims = rep(length(labels), 2L),
                       dimnames = list(labels, labels),
                       symmetric = TRUE, index1 = FALSE, check = FALSE)
}

#' @rdname rr_tmdh
#' @param conf.int Add the columns `conf.low` and `conf.high` (normal approximation)?
#' @param scale `"count"`, numbers of rows, or `"share"`.
#' @param terms For `tidy()`: labels or positions of sets; all by default.
#' @export
tidy.rr_tmdh <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL, scale = c("count", "share"),
                         ...) {
  scale <- check_choice(scale, "scale", c("count", "share"))
  table <- tidy.rr_estimates(x, conf.int, conf.level, terms)
  if (scale == "count") return(table)
  figures <- intersect(c("estimate", "std.error", "conf.low", "conf.high"), names(table))
  table[figures] <- lapply(table[figures], `/`, x$n)
  table
}

rows_of.rr_tmdh <- function(x) {
  variances <- histogram_variances(x, x, x$target, FALSE, FALSE)
  table <- tibble::tibble(term = shown_labels(x), order = shown_sizes(x), estimate = shown_values(x),
                          std.error = root(variances))
  table[possible_sets(x), ]
}

labels_of.rr_tmdh <- function(x) shown_labels(x)[possible_sets(x)]

# A panel for each size of sets.
drawn_of.rr_tmdh <- function(x, data, labels) {
  data$label <- rows_factor(labels)
  data$panel <- factor(data$order, labels = vapply(sort(unique(data$order)), number_of, "", "column"))
  data$kind <- rep("number", nrow(data))
  list(data = data, title = "Estimated joint counts")
}

notes_of.rr_tmdh <- function(x, shown) {
  aim <- c(population = "population (respondents are a sample)", sample = "sample (only the randomisation is random)")
  c(notes_of.rr_histogram(x, shown),
    paste0("  Target: ", aim[[x$target]], "; ", format(100 * x$conf.level), "% intervals"),
    if (anyNA(shown$std.error)) {
      paste0("  ", sum(is.na(shown$std.error)),
             " variance estimates are negative (they are unbiased), so no standard error is given")
    })
}

# ---- the perturbed histogram, given the truth ----

#' Reported joint counts expected for a given truth
#'
#' The mean and covariance of the reported joint counts, the *perturbed multi-dimensional histogram*, when the true joint counts
#' are known. It shows how the reports of a survey would look, before the survey is taken.
#'
#' With \eqn{q_j} and \eqn{d_j = p_j - q_j} of each column, \eqn{E(c_J) = \sum_{S \subseteq J} t_S \prod_{j \in S} d_j
#' \prod_{j \in J \setminus S} q_j}{E(c_J) = sum_(S within J) t_S prod_(j in S) d_j prod_(j in J without S) q_j}.
#' Covariances follow from the independence of rows, in time \eqn{O(2^{|J \cup J'|})}{O(2^(|J union J'|))} an entry: for
#' `target = "sample"` the truths are
#' fixed and only the randomisation is random; for `"population"` rows are drawn from the given proportions as well.
#'
#' @param truth True joint counts: of [rr_cooccurrence()] (with the orders that covariances need), or the numbers of rows of each type: a table of two categories in each dimension, or a vector, the first column running fastest.
#' @param mechanism How the columns were randomised: one yes/no mechanism for all of them, such as [rr_warner()]; a list
#'   with one mechanism per column; a product mechanism of such; or `list(p = , q = )` with one pair of
#'   probabilities, or one per column.
#' @param order The largest number of columns in a set. By default that of `truth`, with its further sets, if it has any.
#' @return An object of class `c("rr_pmdh", "rr_histogram")`. `coef()` gives the expected counts, `tidy()` a
#'   data frame with columns `term`, `order`, `estimate` (the expected count) and `std.error` (its standard deviation),
#'   `vcov(x, sets, target)` the covariance matrix of all or some sets. With `of = "estimate"` both are about the
#'   estimates that [rr_tmdh()] will compute from such reports: their exact standard errors, before the survey is taken.
#' @section Errors:
#' As [rr_tmdh()].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Theorems 3.1 to 3.3, here with separate probabilities for each column.
#' @examples
#' items <- list(smokes = c("no", "yes"), drinks = c("no", "yes"))
#' truth <- as.table(array(c(600, 150, 150, 100), c(2, 2), items))
#' expected <- rr_pmdh(truth, rr_warner(0.8))
#' expected
#' vcov(expected, target = "sample")
#' @export
rr_pmdh <- function(truth, mechanism, order = NULL, ...) {
  check_dots_empty(...)
  if (!inherits(truth, "rr_histogram")) {
    types <- row_type_counts(truth, "truth", least = 0)
    truth <- row_type_histogram(types$values, types$columns, types$levels)
  }
  if (!inherits(truth, "rr_cooccurrence")) {
    abort(c("{.arg truth} must be true joint counts.", x = "It is {describe(truth)}."), "argument")
  }
  further <- is.null(order)
  order <- check_order(order %||% truth$order, length(truth$columns))
  if (order > truth$tallied) abort_order(order, truth)
  design <- column_design(mechanism, truth$columns)
  refuse_blocks(design)
  made <- through_columns(truth, design, FALSE)
  new_rr_histogram("pmdh", truth$columns, order, made$values, more = made$more, tallied = truth$tallied,
                   further = further, truth = truth, design = design, mechanism = mechanism)
}

abort_order <- function(order, x) {
  abort(c("{.arg order} must not exceed the order that was tallied, {x$tallied}.", x = "It is {order}."), "order")
}

refuse_blocks <- function(design) {
  if (is.null(design$block)) return(invisible())
  abort("Expected joint counts are not available for questions reported directly or by hashing.", "argument")
}

# What covariances of a given truth are computed from: the truth, with the design of the columns.
truth_of <- function(x) {
  truth <- x$truth
  truth$design <- x$design
  truth$counts <- list(values = x$values, tallied = x$tallied, more = x$more)
  truth
}

#' @rdname rr_pmdh
#' @param object,x An object of `rr_pmdh()`.
#' @param sets `NULL` for all sets, or the sets of interest, as in [rr_cooccurrence()].
#' @param target `"population"`: rows are drawn from the given proportions; `"sample"`: these very rows are randomised.
#' @param of `"reports"`: the reported counts; `"estimate"`: the unbiased estimates of the true counts made from them.
#' @param ... Not used; `rr_pmdh()` refuses it.
#' @export
vcov.rr_pmdh <- function(object, sets = NULL, target = c("population", "sample"), of = c("reports", "estimate"), ...) {
  target <- check_choice(target, "target", c("population", "sample"))
  of <- check_choice(of, "of", c("reports", "estimate"))
  members <- chosen_members(object, sets)
  covariance <- histogram_block(truth_of(object), members, members, target, TRUE, of == "reports")
  labels <- member_labels(members, object$columns)
  dimnames(covariance) <- list(labels, labels)
  covariance
}

chosen_members <- function(x, sets) if (is.null(sets)) shown_members(x) else parse_sets(sets, x$columns)

# Variances of the sets that `like` shows, from the values of x.
histogram_variances <- function(x, like, target, known, reported) {
  if (!known && !is.null(x$counts$scores)) return(score_variances(x$counts, shown_members(x), shown_values(x), target))
  design <- histogram_design(x, target, known, if (!reported) if (like$further) Inf else like$order)
  .Call(C_rr_tmdh_variances, x$values, as.double(length(x$columns)), as.double(x$tallied), design,
        as.double(like$order), reported, if (like$further) x$more$members, if (like$further) x$more$values)
}

#' @rdname rr_pmdh
#' @export
tidy.rr_pmdh <- function(x, target = c("population", "sample"), of = c("reports", "estimate"), ...) {
  target <- check_choice(target, "target", c("population", "sample"))
  of <- check_choice(of, "of", c("reports", "estimate"))
  truth <- truth_of(x)
  variances <- histogram_variances(truth, x, target, TRUE, of == "reports")
  truth[c("order", "further")] <- x[c("order", "further")]
  tibble::tibble(term = shown_labels(x), order = shown_sizes(x),
                 estimate = shown_values(if (of == "reports") x else truth), std.error = sqrt(pmax(variances, 0)))
}

#' The exact law of reported joint counts
#'
#' For a known truth of few rows, the probability of every possible reported count: of one set of columns, or of the
#' whole histogram of row types. The normal approximation can be checked against it.
#'
#' A set's count is a sum of independent binomials, one for each true row type restricted to the set
#' (Carette 2022, equation (55), whose comma between the two parameters is lost in print). The histogram of row types is a sum of
#' multinomials; its law is enumerated.
#'
#' @param truth Numbers of rows of each type as in [rr_pmdh()], or joint counts of all orders.
#' @param mechanism How the columns were randomised, as in [rr_pmdh()].
#' @param set The columns whose joint count is wanted, by name or position; `NULL` for the histogram of row types.
#' @param ... Not used, and refused.
#' @return For a set, a data frame with columns `count` (0 to the number of rows) and `probability`. For `NULL`, a list with
#'   `histograms` (a matrix with one column per row type and one row per possible histogram) and `probability`.
#' @section Errors:
#' `candor_error_argument` for more than a million histograms.
#' @references Carette, T. (2022), Lemma B.1 and appendix A.
#' @examples
#' law <- rr_reported_law(c(20, 10, 10, 10), rr_warner(0.8), set = 1:2)
#' sum(law$count * law$probability)
#' @export
rr_reported_law <- function(truth, mechanism, set = NULL, ...) {
  check_dots_empty(...)
  types <- if (!inherits(truth, "rr_histogram")) row_type_counts(truth, "truth", whole = TRUE)
    else list(values = unname(row_types(truth, "truth")), columns = truth$columns)
  rows <- types$values
  design <- column_design(mechanism, types$columns)
  refuse_blocks(design)
  if (is.null(set)) return(histogram_law(rows, design))
  inside <- parse_sets(list(set), types$columns, "set")[, 1] + 1L
  index <- seq_along(rows) - 1
  bits <- vapply(inside, function(j) index %/% 2^(j - 1) %% 2, index)
  probability <- apply(bits, 1, function(x) prod(ifelse(x == 1, design$p[inside], design$q[inside])))
  used <- rows > 0
  data.frame(count = 0:sum(rows), probability = .Call(C_rr_count_law, rows[used], probability[used]))
}

# Adds one row at a time to the law of the histogram, an array over the counts of all row types but the first.
histogram_law <- function(rows, design) {
  n <- sum(rows)
  k <- length(rows)
  if (choose(n + k - 1, k - 1) > 1e6) {
    abort("The histogram of {n} rows of {k} types has too many values: give a {.arg set}.", "argument")
  }
  channel <- Reduce(function(a, b) kronecker(b, a), lapply(seq_along(design$p), function(j) {
    matrix(c(1 - design$q[j], 1 - design$p[j], design$q[j], design$p[j]), 2)
  }))
  law <- list(histograms = matrix(0, 1, k), probability = 1)
  for (x in rep(seq_len(k), rows)) {
    seen <- lapply(seq_len(k), function(y) {
      more <- law$histograms
      more[, y] <- more[, y] + 1
      more
    })
    all <- do.call(rbind, seen)
    weight <- unlist(lapply(seq_len(k), function(y) law$probability * channel[x, y]))
    key <- as.vector(all %*% (n + 1)^(seq_len(k) - 1))
    first <- !duplicated(key)
    law <- list(histograms = all[first, , drop = FALSE],
                probability = as.vector(rowsum(weight, match(key, key[first]))))
  }
  place <- do.call(order, lapply(seq_len(k), function(j) law$histograms[, j]))
  list(histograms = law$histograms[place, , drop = FALSE], probability = law$probability[place])
}
