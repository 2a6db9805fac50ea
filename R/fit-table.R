# A fit as a table with one dimension a question.

#' @rdname rr_product
#' @export
as.table.rr_fit <- function(x, ...) {
  check_one_table(x$tally)
  question_table(x$estimate, x$mechanism$questions %||% list(truth = x$mechanism), "levels")
}
