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
  with_calls(candor:::vcov.rr_tmdh, warn_indefinite = function(covariance) NULL)(fit)
}

# What a question's columns show, a row each, and its law given each truth, a column each.
pattern_law <- function(bits, law) {
  key <- apply(bits, 1, paste, collapse = "")
  first <- !duplicated(key)
  list(bits = bits[first, , drop = FALSE], law = rowsum(law, match(key, key[first]), reorder = TRUE))
}

unary_patterns <- function(m) {
  k <- length(m$levels)
  bits <- as.matrix(expand.grid(rep(list(0:1), k)))
  pattern_law(bits, vapply(seq_len(k), function(x) {
    one <- ifelse(seq_len(k) == x, m$p, m$q)
    apply(bits, 1, function(b) prod(ifelse(b == 1, one, 1 - one)))
  }, numeric(nrow(bits))))
}

grr_patterns <- function(m) pattern_law(diag(length(m$levels)), t(unname(rr_matrix(m))))

subset_patterns <- function(m) {
  k <- length(m$levels)
  bits <- t(utils::combn(k, m$size, function(set) as.integer(seq_len(k) %in% set)))
  weight <- 1 + expm1(m$epsilon) * bits
  pattern_law(bits, t(t(weight) / colSums(weight)))
}

# All functions of the family, all values.
hash_patterns <- function(m) {
  functions <- expand.grid(slope = seq_len(m$prime - 1), shift = seq_len(m$prime) - 1L)
  table <- t(.Call(candor:::C_rr_hash_table, functions$slope, functions$shift, candor:::hash_sizes(m), m$codes))
  keep <- exp(m$epsilon) / (exp(m$epsilon) + m$g - 1)
  parts <- lapply(seq_len(m$g), function(value) list(bits = 1L * (table == value), law = ifelse(table == value, keep, (1 - keep) / (m$g - 1)) / nrow(table)))
  pattern_law(do.call(rbind, lapply(parts, `[[`, "bits")), do.call(rbind, lapply(parts, `[[`, "law")))
}

hadamard_patterns <- function(m) {
  law <- rr_matrix(m)
  # A report supports the truths under which it is more likely.
  pattern_law(t(1L * (law > 1 / ncol(law))), t(unname(law)))
}
