# Expected joint counts of questions whose reports support categories. Two categories v and w of one
# question are rivals: nobody holds both, but a report may support both, with
#    P(v and w | truth v or w) = both_own     P(v and w | another truth) = both_other.
# Their debiased columns u = (y - q) / d have the mean product
#    E(u[v] u[w] | x) = other + gain (1{x = v} + 1{x = w})
#    other = (both_other - q^2) / d^2,  gain = (both_own - both_other - q d) / d^2.
# The joint count of rivals is replaced by the sum of this product. All moments of reports and
# estimates then follow as for columns that are reported independently.

# ---- the truth ----

# The true joint counts from what a user gives: joint counts, a fit of rr_tmdh(), a table of the
# questions, or the numbers of rows of each type.
true_counts <- function(truth, mechanism, order = NULL, whole_numbers = FALSE) {
  if (inherits(truth, "rr_tmdh")) return(fitted_counts(truth))
  if (inherits(truth, "rr_histogram")) {
    check_class(truth, "truth", "rr_cooccurrence", "true joint counts")
    return(truth)
  }
  questions <- product_questions(mechanism)
  if (inherits(questions, "rr_mechanism")) questions <- list(truth = questions)
  is_wide <- function(question) inherits(question, "rr_mechanism") && !is_yes_no(question)
  if (is.list(questions) && any(vapply(questions, is_wide, NA))) {
    check_question_names(questions)
    cells <- table_of_truths(truth, questions)
    return(table_histogram(cells, counted_columns(questions), order))
  }
  types <- row_type_counts(truth, "truth", whole_numbers)
  row_type_histogram(types$values, types$columns, types$levels)
}

fitted_counts <- function(fit) {
  new_rr_histogram(
    "cooccurrence",
    fit$columns,
    fit$order,
    fit$values,
    more = fit$more,
    tallied = fit$tallied
  )
}

# The joint counts of columns, which stand for `categories` of questions, from an array of `cells`
# with a dimension for each question. They have the orders that covariances of sets of `order`
# columns need.
table_histogram <- function(cells, columns, order) {
  n_columns <- length(check_set_names(columns$names, "truth"))
  order <- check_order(order %||% length(dim(cells)), n_columns)
  tallied <- check_order(min(2 * order, n_columns), n_columns)
  width <- lengths(columns$categories)
  maps <- Map(function(k, categories) {
    rbind(1, diag(k)[categories, , drop = FALSE])
  }, dim(cells), columns$categories)
  counts <- map_axes(maps, cells)
  # Row s has the category of each question in set s, 0 if it has none.
  chosen <- as.matrix(expand.grid(lapply(width, seq, from = 0)))
  used <- rowSums(chosen > 0) <= tallied
  offsets <- rep(cumsum(width) - width, each = nrow(chosen))
  members <- ifelse(chosen > 0, chosen + offsets - 1, -1)
  storage.mode(members) <- "integer"
  index <- .Call(
    C_rr_set_positions, n_columns, tallied,
    sorted_members(t(members[used, , drop = FALSE]))
  )
  values <- numeric(set_total(n_columns, tallied))
  values[index] <- counts[used]
  if (!(values[1] > 0)) abort("{.arg truth} must count at least one row.", "empty")
  new_rr_histogram("cooccurrence", columns$names, order, values, tallied = tallied, missing = 0)
}

# The cells of a table of truths, with all levels of the questions in their order.
table_of_truths <- function(truth, questions) {
  if (is.null(dim(truth))) truth <- as.table(truth)
  levels <- lapply(questions, `[[`, "levels")
  if (is.numeric(truth) && length(dim(truth)) == length(levels)) {
    dims <- names(dimnames(truth))
    if (!is.null(names(levels)) && setequal(dims, names(levels))) {
      truth <- aperm(truth, match(names(levels), dims))
    }
    labels <- dimnames(truth) %||% lapply(dim(truth), function(size) NULL)
    index <- Map(function(labels, levels, size) {
      if (!is.null(labels)) return(match(labels, levels))
      if (size == length(levels)) seq_len(size)
    }, labels, levels, dim(truth))
  } else {
    index <- NA
  }
  if (anyNA(unlist(index)) || any(lengths(index) == 0)) {
    abort("{.arg truth} must be a table with a dimension for each question, of its levels.",
          "mismatch")
  }
  values <- as.double(truth)
  if (!all(is.finite(values) & values >= 0)) {
    abort("{.arg truth} must hold numbers of rows.", "counts")
  }
  cells <- array(0, lengths(levels))
  cells[as.matrix(expand.grid(unname(index)))] <- values
  cells
}

# ---- rivals ----

# An error if the probabilities of rivals are not known.
check_rivals <- function(design) {
  if (is.null(design$block)) return(invisible())
  pairs <- design$both_own[design$block >= 0]
  if (length(pairs) && !anyNA(pairs)) return(invisible())
  abort("The law of a question does not say how likely a report supports two categories.", "law")
}

# The positions of the sets with rivals, in the family and among the further sets.
rival_index <- function(x, block) {
  members <- .Call(
    C_rr_sets, length(x$columns), x$tallied,
    0, length(x$values)
  )
  more <- x$more$members %||% matrix(-1L, 1, 0)
  index <- function(members) which(has_rivals(members, block))
  list(values = index(members), more = index(more))
}

# The true counts with 0 for rivals. Counts that are not estimates must have 0 there.
without_rivals <- function(truth, block, is_fit) {
  if (is.null(block)) return(truth)
  index <- rival_index(truth, block)
  counts <- c(truth$values[index$values], truth$more$values[index$more])
  if (!is_fit && any(counts != 0)) {
    abort("{.arg truth} is impossible: nobody has two categories of one question.", "impossible")
  }
  truth$values[index$values] <- 0
  if (length(index$more)) truth$more$values[index$more] <- 0
  truth
}

# The true counts with the sums of mean products in the place of the counts of rivals.
with_rivals <- function(truth, design) {
  if (is.null(design$block)) return(truth)
  n_columns <- length(truth$columns)
  more_sizes <- colSums(truth$more$members %||% matrix(-1L, 1, 0) >= 0)
  # A product is made from those of smaller sets.
  for (size in seq_len(max(truth$tallied, more_sizes))[-1]) {
    if (size <= truth$tallied) {
      first <- set_total(n_columns, size - 1)
      n_sets <- choose(n_columns, size)
      members <- .Call(C_rr_sets, n_columns, size, first, n_sets)
      truth$values[first + seq_len(n_sets)] <- rival_products(truth, members, design)
    }
    index <- which(more_sizes == size)
    if (length(index)) {
      members <- truth$more$members[seq_len(size), index, drop = FALSE]
      truth$more$values[index] <- rival_products(truth, members, design)
    }
  }
  truth
}

# The sums over rows of the mean products of sets of one size, from those of smaller sets. Sets with
# three categories of one question keep 0: no union of two sets is one.
rival_products <- function(truth, members, design) {
  block <- matrix(design$block[members + 1L], nrow(members))
  values <- set_values(truth, members)
  is_made <- logical(ncol(members))
  for (second in seq_len(nrow(members))[-1]) {
    for (first in seq_len(second - 1)) {
      is_pair <- block[first, ] >= 0 & block[first, ] == block[second, ]
      sets <- which(is_pair & !is_made)
      if (!length(sets)) next
      without <- function(rows) {
        set_values(truth, rbind(members[-rows, sets, drop = FALSE], -1L))
      }
      moments <- lapply(rival_moments(design), `[`, members[first, sets] + 1L)
      values[sets] <- moments$other * without(c(first, second)) +
        moments$gain * (without(first) + without(second))
      is_made <- is_made | is_pair
    }
  }
  largest <- apply(block, 2, function(x) {
    max(0, tabulate(x[x >= 0]))
  })
  replace(values, largest > 2, 0)
}

# The two coefficients of the mean product of rivals, for each column.
rival_moments <- function(design) {
  d <- design$p - design$q
  list(
    other = (design$both_other - design$q^2) / d^2,
    gain = (design$both_own - design$both_other - design$q * d) / d^2
  )
}

# ---- moments of the reports ----

# The covariance of reported counts. A kernel has it for columns that are reported independently;
# the unions with rivals have another expected count.
report_block <- function(x, members, target) {
  independent <- x$independent
  covariance <- histogram_block(independent, members, target, TRUE, TRUE)
  if (is.null(x$design$block)) return(covariance)
  n_sets <- ncol(members)
  further <- function(set) {
    second <- members[, rep(set, n_sets), drop = FALSE]
    unions <- sorted_members(rbind(members, second))
    rivals <- which(has_rivals(unions, x$design$block))
    unions <- unions[, rivals, drop = FALSE]
    expected <- set_values(x, unions)
    lost <- unions[, is.na(expected), drop = FALSE]
    if (ncol(lost)) abort_untallied(independent, setdiff(lost[, 1], -1L))
    replace(numeric(n_sets), rivals, expected - set_values(independent$counts, unions))
  }
  covariance + vapply(seq_len(n_sets), further, numeric(n_sets))
}

# The numbers of rows with each pattern of the columns of one set, the first running fastest, from
# the true counts of its subsets (Carette 2022, equation 47).
pattern_rows <- function(truth, set) {
  k <- length(set)
  subsets <- .Call(C_rr_sets, k, k, 0, 2^k)
  members <- matrix(c(-1L, set)[subsets + 2L], nrow(subsets))
  values <- set_values(truth, members)
  if (anyNA(values)) abort_untallied(truth, set)
  .Call(C_rr_rowtype, values, k, FALSE)
}
