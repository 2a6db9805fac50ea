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
#' @param truth True joint counts: of [rr_cooccurrence()] (with the orders that covariances need), or row-type counts as in [rr_rowtype()].
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
#' @source Carette, T. (2022). A normal approximation for joint frequency estimation under local
#'   differential privacy. Theorems 3.1 to 3.3, here with separate probabilities for each column.
#' @examples
#' truth <- rr_rowtype(c(600, 150, 150, 100), columns = c("smokes", "drinks"))
#' expected <- rr_pmdh(truth, rr_warner(0.8))
#' expected
#' vcov(expected, target = "sample")
#' @export
rr_pmdh <- function(truth, mechanism, order = NULL, ...) {
  check_dots_empty(...)
  if (!inherits(truth, "rr_histogram")) {
    types <- row_type_counts(truth, "truth", least = 0)
    truth <- rr_rowtype_counts(types$values, types$columns, types$levels)
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
  abort(c("{.arg order} must not exceed the order that was tallied.",
          x = "It is {order}, and the counts have order {x$tallied}.",
          i = "Use {.code rr_cooccurrence(bits, order = {order})}."), "order")
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
#' @param truth Row-type counts as in [rr_rowtype()], or joint counts of all orders.
#' @param mechanism How the columns were randomised, as in [rr_pmdh()].
#' @param set The columns whose joint count is wanted, by name or position; `NULL` for the histogram of row types.
#' @param ... Not used, and refused.
#' @return For a set, a data frame with columns `count` (0 to the number of rows) and `probability`. For `NULL`, a list with
#'   `histograms` (a matrix with one column per row type and one row per possible histogram) and `probability`.
#' @section Errors:
#' `candor_error_argument` for more than a million histograms.
#' @source Carette, T. (2022), Lemma B.1 and appendix A.
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
    abort(c("The histogram of {n} rows of {k} types has too many values.", i = "Give a {.arg set}."), "argument")
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
