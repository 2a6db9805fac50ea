# rowsum() of a tally returns a tally of fewer or other groups.

#' @rdname groups
#' @export
rowsum.rr_tally <- function(x, group, reorder = TRUE, ...) {
  check_dots_empty(...)
  match_groups(1, x)
  frame <- as_plain_frame(groups_of(x))
  is_whole <- inherits(group, "formula") && length(group) == 2L && !length(all.vars(group))
  by <- if (is_whole) {
    list(all = rep(1, length(x)))
  } else {
    columns <- frame_names(frame, group, "group")
    name_groups(if (is.null(columns)) group else frame[columns], x$mechanism)
  }
  fields <- unclass(x)
  fields$groups <- as_tibble(lapply(by, check_group_length, length(x)))
  # The sum of one tally merges groups of equal keys.
  tally <- c(structure(fields, class = class(x)))
  if (is_whole) {
    tally$counts <- as.vector(tally$counts)
    tally["groups"] <- list(NULL)
  }
  if (!is.null(x$question)) tally$question <- x$question
  tally
}

check_group_length <- function(key, n) {
  check_that(
    is.atomic(key) && length(key) == n, key, "group",
    "columns of the groups, or a vector with one entry per group"
  )
  key
}
