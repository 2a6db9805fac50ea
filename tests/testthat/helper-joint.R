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
  types <- candor:::row_type_counts(x, "x")
  candor:::row_type_histogram(types$values, candor:::column_names(columns %||% types$columns), types$levels)
}
