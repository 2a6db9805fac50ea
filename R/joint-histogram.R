# A histogram: joint counts, their expectations or their estimates, one number per set of columns.
# `tallied` is the order up to which `values` are there; `order` is the one that is shown and
# estimated. If `further` is TRUE, the sets of `more` are shown as well, after those of the family.
new_rr_histogram <- function(
  kind, columns, order, values, ..., more = NULL, tallied = order, further = TRUE
) {
  structure(
    list(
      columns = columns,
      order = order,
      n = values[1],
      values = values,
      more = more,
      tallied = tallied,
      further = further && !is.null(more),
      ...
    ),
    class = c(paste0("rr_", kind), "rr_histogram", if (kind == "tmdh") "rr_estimates")
  )
}

# The joint counts `x` as sums over the subsets of each set: list(values, more). `weights` has two
# rows, the factors of columns that a subset lacks and has; moment_weights() returns those of each
# column's channel.
through_columns <- function(x, weights) {
  sums <- .Call(
    C_rr_moments, x$values, length(x$columns), x$tallied,
    as.double(weights), x$more$members, x$more$values
  )
  list(
    values = sums$values,
    more = if (!is.null(x$more)) {
      list(members = x$more$members, values = sums$more)
    }
  )
}

# The sets of a histogram that are shown, in one order everywhere: their values, sizes, labels and
# members.
shown_values <- function(x) {
  c(
    x$values[1 + seq_len(family_size(x))],
    if (x$further) x$more$values
  )
}

family_size <- function(x) set_total(length(x$columns), x$order) - 1

shown_sizes <- function(x) {
  orders <- seq_len(x$order)
  c(
    rep(orders, choose(length(x$columns), orders)),
    if (x$further) as.integer(colSums(x$more$members >= 0))
  )
}

shown_labels <- function(x) {
  c(
    set_labels(x$columns, x$order),
    if (x$further) member_labels(x$more$members, x$columns)
  )
}

shown_members <- function(x) {
  members <- .Call(
    C_rr_sets, length(x$columns), x$order, 1,
    family_size(x)
  )
  if (!x$further) return(members)
  width <- max(nrow(members), nrow(x$more$members))
  padded <- function(m) {
    rbind(m, matrix(-1L, width - nrow(m), ncol(m)))
  }
  cbind(padded(members), padded(x$more$members))
}

# Has a shown set at most one column of every question? TRUE if no columns are rivals.
possible_sets <- function(x) {
  if (is.null(x$design$block)) {
    TRUE
  } else {
    !has_rivals(shown_members(x), x$design$block)
  }
}

# Covariance of chosen sets; aborts by naming the union that was not tallied.
histogram_block <- function(x, members, target, is_truth = FALSE, reported = FALSE) {
  if (!is_truth && !is.null(x$counts$scores)) {
    return(score_block(x, members, target))
  }
  # No union of two sets is larger.
  largest <- min(
    2 * max(colSums(members >= 0)), length(setdiff(members, -1L))
  )
  design <- histogram_design(x, target, is_truth, if (!reported) largest)
  result <- .Call(
    C_rr_tmdh_block, x$values, length(x$columns), x$tallied,
    x$more$members, x$more$values, design, members, members, reported
  )
  if (result$row > 0) {
    abort_untallied(
      x,
      setdiff(
        sort(unique(as.vector(members[, c(result$row, result$column)]))),
        -1L
      )
    )
  }
  result$covariance
}

# The design as the core takes it. `order` is that of the largest union of two sets whose covariance
# is wanted; NULL if nothing needs to be centred.
histogram_design <- function(x, target, is_truth, order = NULL) {
  # Population covariances come from the reported counts (of a known truth: the expected ones), see
  # candor_centre().
  centre <- if (target == "population" && !is.null(order)) {
    d <- length(x$columns)
    order <- min(order, x$counts$tallied)
    more <- if (order == x$counts$tallied) x$counts$more
    .Call(
      C_rr_tmdh_centre, x$counts$values[seq_len(set_total(d, order))], d,
      order, x$design$p, x$design$q, more$members, more$values
    )
  }
  list(
    x$design$p,
    x$design$q,
    if (target == "sample") 0L else 1L,
    is_truth,
    x$design$block,
    centre
  )
}

abort_untallied <- function(x, members) {
  abort(
    c(
      "This covariance needs counts that were not tallied.",
      x = paste(
        "It needs the joint count of {.val {paste(x$columns[members + 1L], collapse = ':')}}, by",
        "{.code rr_cooccurrence(bits, order = {length(members)})}."
      )
    ),
    "order"
  )
}

# A warning if the covariance is indefinite: an estimate without bias need not be a covariance.
warn_indefinite <- function(covariance) {
  variances <- if (inherits(covariance, "Matrix")) Matrix::diag(covariance) else diag(covariance)
  bad <- any(variances < 0)
  if (!bad && length(variances) <= 400) {
    values <- eigen(as.matrix(covariance), symmetric = TRUE, only.values = TRUE)$values
    bad <- min(values) < -1e-9 * max(abs(values), 1e-300)
  }
  if (bad) {
    warn(
      "The unbiased covariance estimate for the sample is not positive semidefinite.", "indefinite"
    )
  }
}

#' @export
as.data.frame.rr_histogram <- function(x, ...) plain_frame(histogram_rows(x), ...)

# The table of a histogram: estimates have intervals, counts have none.
histogram_rows <- function(x) {
  if (inherits(x, "rr_tmdh")) tidy(x, conf.int = TRUE) else tidy(x)
}

#' @export
coef.rr_histogram <- function(object, ...) {
  setNames(shown_values(object), shown_labels(object))[possible_sets(object)]
}

#' @export
nobs.rr_histogram <- function(object, ...) object$n

#' @export
tidy.rr_cooccurrence <- function(x, ...) {
  counts <- shown_values(x)
  tibble(term = shown_labels(x), order = shown_sizes(x), count = counts,
         share = counts / x$n)[possible_sets(x), ]
}

title_of.rr_histogram <- function(x) {
  what <- c(rr_cooccurrence = if (is.null(x$scores)) "Joint counts" else "Sums of joint scores",
            rr_pmdh = "Expected reports", rr_tmdh = "Estimated true counts")[[class(x)[1]]]
  c(
    paste0(
      what, " of ", number_of(length(x$columns), "column"), ", sets of up to ", x$order, ", from ",
      format_count(x$n), " rows"
    ),
    paste0("  columns ", format_labels(x$columns))
  )
}

# The rows of the first `n` sets, with the number of all.
printed_table.rr_histogram <- function(x, n) {
  x$further <- FALSE
  total <- if (is.null(x$design$block)) {
    family_size(x)
  } else {
    sum(possible_sets(x))
  }
  # Just enough orders to show n sets: labels of a million sets are not made to print ten.
  x$order <- match(
    TRUE, cumsum(choose(length(x$columns), seq_len(x$order))) >= n,
    nomatch = x$order
  )
  structure(histogram_rows(x), total = total)
}

notes_of.rr_histogram <- function(x, table) {
  if (x$further) {
    paste0(
      "  and ", format_count(ncol(x$more$members)), " further sets up to order ",
      nrow(x$more$members)
    )
  }
}

#' @export
print.rr_histogram <- function(x, n = 10, digits = 4, ...) print.rr_estimates(x, n, digits)

# ---- families of column sets ----

# The family is every set of at most `order` of the columns, the empty set first, then by size and
# then lexicographically. A histogram object holds one number a set in this order, and perhaps
# further sets beyond it.

set_total <- function(columns, order) sum(choose(columns, 0:order))

check_order <- function(order, columns) {
  order <- check_count(order, "order", min = 1, max = columns)
  # More counts than these take over half a gigabyte.
  if (set_total(columns, order) > 2^26) {
    abort("{.arg order} {order} has too many sets of columns.", "order")
  }
  order
}

# The labels of all sets of the family but the empty set.
set_labels <- function(columns, order) {
  d <- length(columns)
  member_labels(
    .Call(
      C_rr_sets, d, order, 1, set_total(d, order) - 1
    ),
    columns
  )
}

# One label for each column of a matrix of 0-based members padded with -1.
member_labels <- function(members, columns) {
  labels <- columns[members[1, ] + 1L]
  for (m in seq_len(nrow(members))[-1]) {
    more <- which(members[m, ] >= 0)
    labels[more] <- paste(
      labels[more], columns[members[m, more] + 1L], sep = ":"
    )
  }
  labels
}

# The names of columns, checked: a label must be of one set only, so no name may begin like another
# one and a colon.
check_set_names <- function(columns, arg) {
  odd <- columns[
    vapply(
      columns, function(name) any(startsWith(name, paste0(columns, ":"))), NA
    )
  ]
  if (length(odd) && any(grepl(":", columns, fixed = TRUE))) {
    abort(
      "The names in {.arg {arg}} must not look like sets of columns: {.val {odd[1]}} does.", "level"
    )
  }
  columns
}

# The columns that a label names, one after the other, and the text that is left if it names no
# more.
split_label <- function(label, columns) {
  first <- columns[startsWith(paste0(label, ":"), paste0(columns, ":"))][1]
  if (is.na(first) || is.na(label) || identical(first, label)) return(label)
  c(first, split_label(substring(label, nchar(first) + 2), columns))
}

# The positions of different names or positions.
distinct_positions <- function(x, names, arg) {
  index <- if (is.character(x)) match(x, names) else x
  is_valid <- is.numeric(index) && length(index) && all(index %in% seq_along(names)) &&
    !anyDuplicated(index)
  check_that(is_valid, x, arg, "different names or positions", "level")
  as.integer(index)
}

# Sets as the user names them, as a matrix of 0-based members padded with -1. They are a list of
# vectors of names or positions, or labels such as "a:b".
parse_sets <- function(sets, columns, arg = "sets") {
  if (is.character(sets)) sets <- lapply(sets, split_label, columns)
  check_that(length(sets) > 0L, sets, arg, "at least one set of columns")
  positions <- lapply(sets, function(set) sort(distinct_positions(set, columns, arg)) - 1L)
  width <- max(lengths(positions))
  matrix(
    vapply(
      positions, function(position) c(position, rep(-1L, width - length(position))),
      integer(width)
    ),
    nrow = width
  )
}

# The unions of all pairs of sets, and every subset of them, with more than `order` members.
sets_between <- function(members, order) {
  n <- ncol(members)
  width <- nrow(members)
  pairs <- rbind(members[, rep(seq_len(n), n:1), drop = FALSE],
                members[, sequence(n:1, seq_len(n)), drop = FALSE])
  unions <- unique_columns(pairs)
  families <- lapply(
    split(seq_len(ncol(unions)), colSums(unions >= 0)),
    function(these) {
      size <- sum(unions[, these[1]] >= 0)
      lapply(seq_len(size)[-seq_len(order)], function(k) {
        subsets <- matrix(unions[as.vector(combn(size, k)), these], nrow = k)
        rbind(subsets, matrix(-1L, 2 * width - k, ncol(subsets)))
      })
    }
  )
  families <- unlist(families, recursive = FALSE)
  # The family has all of them.
  if (!length(families)) return(NULL)
  all <- unique_columns(do.call(cbind, unname(families)))
  all <- all[seq_len(max(colSums(all >= 0))), , drop = FALSE]
  all[
    ,
    do.call(
      base::order, c(list(colSums(all >= 0)), asplit(all, 1))
    ),
    drop = FALSE
  ]
}

# The members of each column sorted, without repeated ones, padded with -1 at the end.
sorted_members <- function(x) {
  sorted <- matrix(
    x[
      order(col(x), ifelse(x < 0, .Machine$integer.max, x), method = "radix")
    ],
    nrow(x)
  )
  if (nrow(x) == 1) return(sorted)
  twice <- rbind(
    FALSE,
    sorted[-1, , drop = FALSE] == sorted[-nrow(x), ]
  )
  sorted[twice] <- -1L
  matrix(
    sorted[
      order(col(x), ifelse(sorted < 0, .Machine$integer.max, sorted), method = "radix")
    ],
    nrow(x)
  )
}

# The different columns of a matrix of members.
unique_columns <- function(x) {
  sorted <- sorted_members(x)
  sorted[, !duplicated(sorted, MARGIN = 2), drop = FALSE]
}

# Does a set (a column of 0-based members, -1 at the end) hold two columns of one block? The columns
# of block -1 stand alone.
has_rivals <- function(members, block) {
  of <- matrix(c(-1, block)[members + 2L], nrow(members))
  rivals <- logical(ncol(members))
  for (a in seq_len(nrow(of))) {
    for (b in seq_len(a - 1)) {
      rivals <- rivals |
        (of[a, ] >= 0 & of[a, ] == of[b, ])
    }
  }
  rivals
}

# The values of chosen sets of a histogram; NA if a set was not tallied.
set_values <- function(x, members) {
  index <- .Call(
    C_rr_set_positions, length(x$columns), x$tallied, members
  )
  out <- rep(NA_real_, length(index))
  out[index > 0] <- x$values[index[index > 0]]
  if (any(index == 0) && !is.null(x$more)) {
    index <- match(
      member_labels(members, x$columns), member_labels(x$more$members, x$columns)
    )
    out[!is.na(index)] <- x$more$values[index[!is.na(index)]]
  }
  out
}

# The weights (absent, present) of each column, 2 x columns.
moment_weights <- function(design, inverse) {
  d <- design$p - design$q
  if (inverse) {
    rbind(-design$q / d, 1 / d)
  } else {
    rbind(design$q, d)
  }
}

# The covariance of chosen sets of columns that were counted in scores.
score_block <- function(x, members, target) {
  counts <- x$counts
  index <- score_index(counts, members)
  lost <- which(is.na(index))
  if (length(lost)) {
    abort_untallied(x, setdiff(members[, lost[1]], -1L))
  }
  second <- counts$scores$second[index, index, drop = FALSE]
  if (target == "population") {
    sums <- counts$values[counts$scores$index][index]
    return(
      (second - outer(sums, sums) / counts$n) * counts$n /
        (counts$n - 1)
    )
  }
  pairs <- expand.grid(a = seq_along(index), b = seq_along(index))
  second - joint_row_counts(
    counts, members[, pairs$a, drop = FALSE],
    members[, pairs$b, drop = FALSE], second
  )
}

# The unbiased numbers of rows that hold the sets `a` and `b` together: the product of all scores of
# their union is one of two sets. `second` has the sums of their products, which are these numbers
# if the sets have no question in common.
joint_row_counts <- function(counts, a, b, second) {
  scores <- counts$scores
  union <- rbind(sorted_members(rbind(a, b)), -1L)
  size <- colSums(union >= 0)
  top <- seq_len(min(counts$order, nrow(union) - 1L))
  first <- score_index(counts, union[top, , drop = FALSE])
  remaining <- score_index(counts, union[-top, , drop = FALSE])
  n_rows <- ifelse(
    size > length(top), scores$second[cbind(first, remaining)],
    counts$values[scores$index][first]
  )
  apart <- size == colSums(a >= 0) + colSums(b >= 0)
  n_rows[apart] <- second[apart]
  replace(n_rows, has_rivals(union, counts$design$block), 0)
}

# The positions of sets among those whose products are kept, NA for others.
score_index <- function(counts, members) {
  index <- .Call(
    C_rr_set_positions, length(counts$columns), counts$tallied, members
  )
  match(index, counts$scores$index)
}
