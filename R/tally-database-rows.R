# What all tallies of a database ask of the rows that come back: their weights, their groups, their NULLs.

# The sums of weights, which must be what sums of weights can be.
row_weights <- function(rows, times) {
  sums <- lapply(rows[query_columns[-1]], plain_numbers)
  names(sums) <- names(query_columns)[-1]
  odd <- which(!vapply(sums, function(x) is.numeric(x) && !is.object(x) || all(is.na(x)), NA))
  if (length(odd)) {
    abort(c("{.arg weights} must be a column of numbers.",
            x = "The database gave {describe_kind(sums[[odd[1]]][1])} for {.val {query_columns[names(odd)[1]]}}."),
          "argument")
  }
  check_weight_sums(c(list(n = times), sums))
  list(weight = sums$sum, squares = sums$squares)
}

# Of rows that stand for `times` reports each: those whose groups are known, with their `sums`, and how many reports the
# others are.
keep_grouped <- function(rows, keys, times, na.rm, sums = NULL) {
  unknown <- lapply(rows[keys], is.na)
  lost <- Reduce(`|`, unknown, logical(nrow(rows)))
  dropped <- sum(times[lost])
  if (any(lost) && !na.rm) {
    name <- keys[vapply(unknown, any, NA)][1]
    number <- sum(times[unknown[[name]]])
    abort(c("{.arg by} must not have missing groups.",
            x = "{.val {name}} is NULL in {format_count(number)} of {format_count(sum(times))} rows.",
            i = "Use {.code na.rm = TRUE} to drop such reports, or make \"unknown\" a group."), "missing")
  }
  if (any(lost)) cli::cli_inform("{dropped} report{?s} without a group dropped.", class = "candor_message_missing")
  if (length(lost) && all(lost)) abort_dropped("All {format_count(dropped)} reports are without a group.")
  list(rows = rows[!lost, , drop = FALSE], times = times[!lost], sums = lapply(sums, `[`, !lost), dropped = dropped)
}

abort_null <- function(name, number, total) {
  abort(c("{.val {name}} must not have missing reports.",
          x = "{format_count(number)} of {format_count(total)} are NULL.",
          i = "Use {.code na.rm = TRUE} to drop them."), "missing")
}
