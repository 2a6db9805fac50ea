# Sums of weights that were computed elsewhere: by a database, or by running the text of rr_query().

# The columns that a query makes of itself.
query_columns <- c(n = "n", sum = "weight_sum", squares = "weight_squares", missing = "weight_missing",
                   min = "weight_min", max = "weight_max")

# What rr_query() makes of weights: their sums, squares and number, NULL in a data frame of plain counts.
weight_columns <- function(counts) {
  if (!all(query_columns[c("n", "sum", "squares")] %in% names(counts))) return(NULL)
  sums <- lapply(counts[intersect(query_columns, names(counts))], plain_numbers)
  odd <- which(!vapply(sums, is.numeric, NA))
  if (length(odd)) {
    abort(c("Column {.val {names(odd)[1]}} of {.arg counts} must be numbers.", x = "It is {describe(sums[[odd[1]]])}."),
          "argument")
  }
  sums <- lapply(sums, as.double)
  check_weight_sums(list(n = sums$n, squares = sums$weight_squares, missing = sums$weight_missing,
                         min = sums$weight_min, max = sums$weight_max))
  sums
}

# `missing`, `min` and `max` may be absent where somebody else made the sums.
check_weight_sums <- function(sums) {
  wrong <- function(x) abort(c("{.arg weights} must be finite and at least 0.", x = x), "argument")
  gone <- sum(sums$missing)
  if (gone > 0) wrong(sprintf("%s of %s are NULL.", format_count(gone), format_count(sum(sums$n))))
  least <- min(Inf, sums$min)
  if (is.na(least) || least < 0) wrong(sprintf("The least is %s.", format(least, digits = 15)))
  if (all(is.finite(c(sums$squares, sums$max)))) return(invisible())
  wrong(sprintf("The largest is %s.", format(max(sums$max, sums$squares))))
}

# Weights are multiplied by 1e0, since squares of integers may leave the range of integers. MIN, MAX and the number
# of NULLs come with them: the weights are judged by the query that adds them up.
weight_sums <- function(weight) {
  double <- rlang::call2("*", weight, dbplyr::sql("1e0"))
  sums <- list(sum = rlang::expr(sum(!!double, na.rm = TRUE)),
               squares = rlang::expr(sum(!!double * !!weight, na.rm = TRUE)),
               missing = rlang::expr(sum(ifelse(is.na(!!weight), 1L, 0L), na.rm = TRUE)),
               min = rlang::expr(min(!!weight, na.rm = TRUE)), max = rlang::expr(max(!!weight, na.rm = TRUE)))
  stats::setNames(sums, query_columns[names(sums)])
}
