# Reports as columns of tables. To R and to tibble a report is one element: their matrices, of bits a row a report and
# of numbers a column, stay inside. vctrs, which tibble and dplyr cut and bind columns with, gets rows that it can cut.

#' @export
dim.rr_reports <- function(x) NULL

#' @export
is.matrix.rr_reports <- function(x) FALSE

#' @export
is.array.rr_reports <- function(x) FALSE

#' @export
as.data.frame.rr_reports <- function(x, row.names = NULL, optional = FALSE, ..., nm = deparse1(substitute(x))) {
  if (is.null(row.names)) row.names <- seq_along(x)
  structure(list(x), names = if (!optional) nm, row.names = row.names, class = "data.frame")
}

# Not the number of levels, which `attr()` would find under half of its name.
#' @export
levels.rr_reports <- function(x) NULL

# Also beyond the last one, as rbind() of data frames puts columns together.
#' @export
`[<-.rr_reports` <- function(x, i, value) {
  at <- seq_along(x)
  at[if (missing(i)) TRUE else i] <- length(x) + seq_along(value)
  c(x, value)[at]
}

# ---- tibble and dplyr ----

#' @exportS3Method vctrs::vec_proxy
vec_proxy.rr_bits <- function(x, ...) {
  proxy <- list(bits = unclass_bits(x), here = !is.na(x))
  structure(proxy, row.names = seq_along(x), class = "data.frame")
}

# A row that a join made of nothing is not `here`: its bits, all 0, are no report.
#' @exportS3Method vctrs::vec_restore
vec_restore.rr_bits <- function(x, to, ...) new_rr_bits(x$bits, attr(to, "levels_number"), is.na(x$here) | !x$here)

# Raw vectors have no order in vctrs; text has, and groups as well.
#' @exportS3Method vctrs::vec_proxy_compare
vec_proxy_compare.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_proxy_order
vec_proxy_order.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_proxy_equal
vec_proxy_equal.rr_reports <- function(x, ...) as.character(x)

#' @exportS3Method vctrs::vec_proxy
vec_proxy.rr_sets <- function(x, ...) t(unclass_sets(x))

#' @exportS3Method vctrs::vec_restore
vec_restore.rr_sets <- function(x, to, ...) new_rr_sets(t(x), attr(to, "levels_number"))

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.rr_bits.rr_bits <- function(x, y, ...) c(x[0], y[0])

#' @exportS3Method vctrs::vec_cast
vec_cast.rr_bits.rr_bits <- function(x, to, ...) c(x, to[0])

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.rr_sets.rr_sets <- function(x, y, ...) c(x[0], y[0])

#' @exportS3Method vctrs::vec_cast
vec_cast.rr_sets.rr_sets <- function(x, to, ...) c(x, to[0])

#' @exportS3Method pillar::pillar_shaft
pillar_shaft.rr_reports <- function(x, ...) pillar::new_pillar_shaft_simple(short_reports(format(x)), align = "left")
