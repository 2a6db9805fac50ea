# Noisy bits in a long table: one row for each element and set, with the bit that the set reported of the element.

# How many of its bits each element has as 1: the engine adds up, one row for each element comes back.
count_long_bits <- function(data, element, set, column) {
  frame <- table_columns(data)
  name <- function(given, arg) {
    frame_names(frame, given, arg, one = TRUE) %||% refuse_vector(given, arg) %||%
      abort(c("{.arg {arg}} is needed: the column of the {arg}s.", x = "{.arg bits} is a database table.",
              i = "Its columns are {format_labels(names(frame))}."), "argument")
  }
  element <- name(element, "element")
  set <- name(set, "set")
  left <- setdiff(names(frame), c(element, set))
  column <- frame_names(frame, column, "column", one = TRUE) %||%
    (if (length(left) == 1L) left else name(column, "column"))
  alias <- free_names(c("bits", "sets", "ones", "wrong", "unknown"), c(element, set, column))
  bit <- rlang::sym(column)
  sums <- list(quote(n()), rlang::call2("n_distinct", rlang::sym(set)), rlang::expr(sum(!!bit, na.rm = TRUE)),
               rlang::expr(sum(ifelse(!!bit == 0L | !!bit == 1L, 0L, 1L), na.rm = TRUE)),
               rlang::expr(sum(ifelse(is.na(!!bit) | is.na(!!rlang::sym(set)), 1L, 0L), na.rm = TRUE)))
  sums <- translate_sums(stats::setNames(sums, alias), dbplyr::remote_con(data))
  rows <- run_query(data, group_query(data, element, sums), c(element, set, column))
  if (!nrow(rows)) abort(c("{.arg bits} holds no bits.", x = "The database table has no rows."), "empty")
  labels <- label_text(plain_numbers(rows[[element]]))
  numbers <- lapply(rows[alias], function(x) as.double(plain_numbers(x)))
  names(numbers) <- c("bits", "sets", "ones", "wrong", "unknown")
  check_bit_rows(labels, numbers)
  order <- order(labels, method = "radix")
  list(n = numbers$bits[1], ones = numbers$ones[order], labels = labels[order])
}

# Each element has one bit of each set.
check_bit_rows <- function(labels, numbers) {
  if (anyNA(labels) || any(numbers$unknown > 0)) {
    gone <- sum(numbers$bits[is.na(labels)]) + sum(numbers$unknown[!is.na(labels)])
    abort(c("{.arg bits} must not have missing bits, elements or sets.",
            x = "{format_count(gone)} of {format_count(sum(numbers$bits))} rows have a NULL."), "missing")
  }
  at <- which(numbers$wrong > 0)
  if (length(at)) {
    abort(c("{.arg bits} must be 0 or 1 everywhere.",
            x = paste("{format_count(sum(numbers$wrong))} of {format_count(sum(numbers$bits))} rows",
                      "have something else, among them of element {.val {labels[at[1]]}}.")), "argument")
  }
  at <- which(numbers$sets != numbers$bits)
  if (length(at)) {
    abort(c("{.arg bits} must have one row for each element and set.",
            x = paste("Element {.val {labels[at[1]]}} has {format_count(numbers$bits[at[1]])} rows",
                      "of {format_count(numbers$sets[at[1]])} sets.")), "argument")
  }
  at <- which(numbers$bits != max(numbers$bits))
  if (length(at)) {
    abort(c("{.arg bits} must have one row for each element and set.",
            x = paste("Element {.val {labels[at[1]]}} has {format_count(numbers$bits[at[1]])},",
                      "another has {format_count(max(numbers$bits))}."),
            i = "A set that does not have an element reports 0, perhaps flipped: such rows are needed too."),
          "argument")
  }
}
