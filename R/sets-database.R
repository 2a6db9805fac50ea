# Noisy bits in a long table: one row for each element and set, with the bit that the set reported of the element.

# How many of its bits each element has as 1: the engine adds up, one row for each element comes back.
count_long_bits <- function(data, element, set, column) {
  frame <- table_columns(data)
  name <- function(given, arg) {
    if (inherits(given, "formula")) given <- all.vars(given)
    if (length(given) == 1L && given %in% names(frame)) return(given)
    abort(c("{.arg {arg}} must name a column of the database table.", x = "It is {describe(given)}.",
            i = "Its columns are {format_labels(names(frame))}."), "argument")
  }
  element <- name(element, "element")
  set <- name(set, "set")
  left <- setdiff(names(frame), c(element, set))
  column <- if (is.null(column) && length(left) == 1L) left else name(column, "column")
  alias <- free_names(c("bits", "sets", "ones", "wrong", "unknown"), c(element, set, column))
  bit <- rlang::sym(column)
  sums <- list(quote(n()), rlang::call2("n_distinct", rlang::sym(set)), rlang::expr(sum(!!bit, na.rm = TRUE)),
               rlang::expr(sum(ifelse(!!bit == 0L | !!bit == 1L, 0L, 1L), na.rm = TRUE)),
               rlang::expr(sum(ifelse(is.na(!!bit) | is.na(!!rlang::sym(set)), 1L, 0L), na.rm = TRUE)))
  sums <- translate_sums(stats::setNames(sums, alias), dbplyr::remote_con(data))
  rows <- run_query(data, group_query(data, element, sums), c(element, set, column))
  if (!nrow(rows)) abort("{.arg bits} holds no bits.", "empty")
  labels <- label_text(plain_numbers(rows[[element]]))
  numbers <- lapply(rows[alias], function(x) as.double(plain_numbers(x)))
  names(numbers) <- c("bits", "sets", "ones", "wrong", "unknown")
  refuse <- function(bad, headline, class = "argument") {
    if (any(bad)) abort(c(headline, x = "Element {.val {labels[which(bad)[1]]}} has not."), class)
  }
  refuse(is.na(labels) | numbers$unknown > 0, "{.arg bits} must have bits, elements and sets that are not NULL.",
         "missing")
  refuse(numbers$wrong > 0, "{.arg bits} must have 0 or 1 everywhere.")
  # A set that does not have an element reports 0, perhaps flipped.
  refuse(numbers$sets != numbers$bits | numbers$bits != max(numbers$bits),
         "{.arg bits} must have one row for each element and set.")
  order <- order(labels, method = "radix")
  list(n = numbers$bits[1], ones = numbers$ones[order], labels = labels[order])
}
