# What joint counts, their expectations and their estimates have in common: one number per set of columns.
# `tallied` is the order up to which `values` are known; `order` the one that is shown and estimated. `further` says
# that the sets of `more` are shown as well, after those of the family.
new_rr_histogram <- function(kind, columns, order, values, ..., more = NULL, tallied = order, further = TRUE) {
  structure(list(columns = columns, order = order, n = values[1], values = values, more = more, tallied = tallied,
                 further = further && !is.null(more), ...),
            class = c(paste0("rr_", kind), "rr_histogram", if (kind == "tmdh") "rr_estimates"))
}

# The joint counts `x`, sent through each column's channel or back (`inverse`): list(values, more).
through_columns <- function(x, design, inverse) {
  made <- .Call(C_rr_moments, x$values, as.double(length(x$columns)), as.double(x$tallied),
                as.double(moment_weights(design, inverse)), x$more$members, x$more$values)
  list(values = made$values, more = if (!is.null(x$more)) list(members = x$more$members, values = made$more))
}

# What is shown of a histogram, in one order everywhere: the values, sizes, labels and members of its sets.
shown_values <- function(x) c(x$values[1 + seq_len(family_size(x))], if (x$further) x$more$values)

family_size <- function(x) set_total(length(x$columns), x$order) - 1

shown_sizes <- function(x) {
  c(set_sizes(length(x$columns), x$order), if (x$further) as.integer(colSums(x$more$members >= 0)))
}

shown_labels <- function(x) {
  c(set_labels(x$columns, x$order), if (x$further) member_labels(x$more$members, x$columns))
}

shown_members <- function(x) {
  members <- .Call(C_rr_sets, as.double(length(x$columns)), as.double(x$order), 1, as.double(family_size(x)))
  if (!x$further) return(members)
  width <- max(nrow(members), nrow(x$more$members))
  padded <- function(m) rbind(m, matrix(-1L, width - nrow(m), ncol(m)))
  cbind(padded(members), padded(x$more$members))
}

# Which of the shown sets have at most one column of every question.
possible_sets <- function(x) {
  block <- x$design$block
  if (is.null(block)) return(TRUE)
  !has_rivals(shown_members(x), block)
}

# Covariance of chosen sets; aborts by naming the union that was not tallied.
histogram_block <- function(x, rows, cols, target, known, reported) {
  if (!known && !is.null(x$counts$scores)) return(score_block(x, rows, cols, target))
  design <- histogram_design(x, target, known, if (!reported) largest_union(rows, cols))
  result <- .Call(C_rr_tmdh_block, x$values, as.double(length(x$columns)), as.double(x$tallied), x$more$members,
                  x$more$values, design, rows, cols, reported)
  if (result$row > 0) {
    both <- sort(unique(c(rows[, result$row], cols[, result$column])))
    abort_untallied(x, both[both >= 0])
  }
  result$covariance
}

# A bound on the size of the union of any two sets.
largest_union <- function(rows, cols) {
  largest <- function(members) max(colSums(members >= 0))
  min(largest(rows) + largest(cols), length(setdiff(c(rows, cols), -1L)))
}

# `order` is that of the largest union of two sets whose covariance is wanted; NULL where nothing needs to be centred.
histogram_design <- function(x, target, known, order = NULL) {
  list(x$design$p, x$design$q, if (target == "sample") 0L else 1L, known, x$design$block,
       if (target == "population" && !is.null(order)) histogram_centre(x, order))
}

# Population covariances come from the reported counts (of a known truth: the expected ones), see candor_centre().
histogram_centre <- function(x, order) {
  reported <- x$counts
  d <- length(x$columns)
  order <- min(order, reported$tallied)
  .Call(C_rr_tmdh_centre, reported$values[seq_len(set_total(d, order))], as.double(d), as.double(order), x$design$p,
        x$design$q, if (order == reported$tallied) reported$more$members,
        if (order == reported$tallied) reported$more$values)
}

abort_untallied <- function(x, members) {
  order <- length(members)
  abort(c("This covariance needs counts that were not tallied.",
          x = "It needs the joint count of {.val {paste(x$columns[members + 1L], collapse = ':')}}; the tally has order
               {x$tallied}.",
          i = "Use {.code rr_cooccurrence(bits, order = {order})}, or name the sets of interest in its {.arg sets}."),
        "order")
}

# A covariance that is estimated without bias need not be one: say so where it matters.
warn_indefinite <- function(covariance) {
  variances <- if (inherits(covariance, "Matrix")) Matrix::diag(covariance) else diag(covariance)
  bad <- any(variances < 0)
  if (!bad && length(variances) <= 400) {
    values <- eigen(as.matrix(covariance), symmetric = TRUE, only.values = TRUE)$values
    bad <- min(values) < -1e-9 * max(abs(values), 1e-300)
  }
  if (bad) warn(c("The unbiased covariance estimate is not positive semidefinite.",
                  x = if (any(variances < 0)) "{sum(variances < 0)} variance{?s} {?is/are} negative.",
                  i = "{.code target = \"population\"} is always positive semidefinite."), "indefinite")
}

#' @export
as.data.frame.rr_histogram <- function(x, ...) plain_frame(tidy(x), ...)

#' @export
coef.rr_histogram <- function(object, ...) {
  stats::setNames(shown_values(object), shown_labels(object))[possible_sets(object)]
}

#' @export
nobs.rr_histogram <- function(object, ...) object$n

#' @export
tidy.rr_cooccurrence <- function(x, ...) {
  counts <- shown_values(x)
  tibble::tibble(term = shown_labels(x), order = shown_sizes(x), count = counts,
                 share = counts / x$n)[possible_sets(x), ]
}

title_of.rr_histogram <- function(x) {
  what <- c(rr_cooccurrence = if (is.null(x$scores)) "Joint counts" else "Sums of joint scores",
            rr_pmdh = "Expected reports", rr_tmdh = "Estimated true counts")[[class(x)[1]]]
  c(paste0(what, " of ", number_of(length(x$columns), "column"), ", sets of up to ", x$order, ", from ",
           format_count(x$n), " rows"),
    paste0("  columns ", format_labels(x$columns)))
}

# The rows of the first `n` sets, with the number of all.
shown_of.rr_histogram <- function(x, n) {
  table <- tidy(truncate_histogram(x, n), conf.int = inherits(x, "rr_tmdh"))
  x$further <- FALSE
  attr(table, "total") <- if (is.null(x$design$block)) family_size(x) else sum(possible_sets(x))
  table
}

notes_of.rr_histogram <- function(x, shown) {
  if (x$further) {
    paste0("  and ", format_count(ncol(x$more$members)), " further sets up to order ", nrow(x$more$members))
  }
}

#' @export
print.rr_histogram <- function(x, n = 10, digits = 4, ...) print.rr_estimates(x, n, digits)

# Just enough orders to show n sets: labels of a million sets are not made to print ten.
truncate_histogram <- function(x, n) {
  orders <- seq_len(x$order)
  enough <- cumsum(choose(length(x$columns), orders)) >= n
  x$order <- if (any(enough)) orders[enough][1] else x$order
  x$further <- FALSE
  x
}
