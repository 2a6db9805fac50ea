# Bit masks of all sets in the package's order, the empty set first: an independent enumeration.
set_masks <- function(d) {
  masks <- seq_len(2^d) - 1
  members <- lapply(masks, function(mask) which(mask %/% 2^(seq_len(d) - 1) %% 2 == 1))
  key <- vapply(members, function(m) paste(sprintf("%03d", m), collapse = ""), "")
  masks[order(lengths(members), key)]
}

# Joint counts of all orders from the numbers of rows of each type, which may be negative, and back.
rowtype <- function(x, columns = NULL) {
  if (inherits(x, "rr_histogram")) return(candor:::row_types(x, "x"))
  types <- candor:::row_type_counts(abs(x), "x")
  negative <- candor:::row_type_counts(1 * (x < 0), "x")$values
  candor:::row_type_histogram(types$values * (1 - 2 * negative), candor:::check_set_names(columns %||% types$columns, "columns"), types$levels)
}

# For a family of column sets, the matrix M and the vector P (its attribute) of E(c) = M t + N P, with
# M[J, S] = product of d_j over S times product of q_j over J without S, for S within J, P[J] the product of q_j over J
# and d_j = p_j - q_j; or the inverse of M, which has a closed form too (Carette 2022, equations 23 to 27, Lemma 3.4).
# rr_matrix() of expected counts forms M; the inverse is here.
#
# Where the columns of `total` are the categories of one question, everybody has exactly one of them, and N can be taken
# out of the equation: E(c) = (M + P u') t, with u the indicator of those columns; its inverse follows from that of M by
# the Sherman-Morrison formula.
full_moment_matrix <- function(p, q, order = NULL, inverse = FALSE, columns = max(length(p), length(q)), total = NULL) {
  columns <- paste0("x", seq_len(columns))
  d <- length(columns)
  order <- check_order(order %||% d, d)
  design <- number_columns(list(p = p, q = q), columns)
  if (inverse) design <- column_design(list(p = p, q = q), columns)
  matrix <- weighted_matrix(moment_weights(design, inverse), columns, order)
  if (is.null(total)) return(matrix)
  inside <- parse_sets(list(total), columns, "total")[, 1] + 1L
  if (!inverse) {
    constant <- attr(matrix, "P")
    attr(matrix, "P") <- NULL
    matrix[, inside] <- matrix[, inside] + constant
    return(matrix)
  }
  constant <- attr(weighted_matrix(moment_weights(design, FALSE), columns, order), "P")
  along <- as.vector(matrix %*% constant)
  summed <- colSums(as.matrix(matrix[inside, , drop = FALSE]))
  matrix - outer(along, summed) / (1 + sum(along[inside]))
}

# The matrix of the package's own map: what one row more with each set adds; "P" is what a row that has none becomes.
weighted_matrix <- function(weights, columns, order) {
  d <- length(columns)
  total <- set_total(d, order)
  map <- function(x) .Call(C_rr_moments, as.double(x), as.double(d), order, as.double(weights), NULL, NULL)$values
  none <- map(seq_len(total) == 1)
  whole <- vapply(seq_len(total)[-1], function(s) map(seq_len(total) %in% c(1, s)) - none, none)
  labels <- set_labels(columns, order)
  matrix <- matrix(whole[-1, ], total - 1, dimnames = list(labels, labels))
  attr(matrix, "P") <- stats::setNames(none[-1], labels)
  matrix
}

# The gradient of a function by differences, a column each argument.
difference_gradient <- function(f, x, step = 1e-6) {
  sapply(seq_along(x), function(i) (f(x + step * (seq_along(x) == i)) - f(x - step * (seq_along(x) == i))) / (2 * step))
}

# The covariance of one or two respondents is hardly ever positive semidefinite, which is not said each time: that takes
# longer than the covariance.
quiet_covariance <- function(fit) {
  covariance <- candor:::vcov.rr_tmdh
  environment(covariance) <- list2env(list(warn_indefinite = function(covariance) NULL), parent = environment(covariance))
  covariance(fit)
}
