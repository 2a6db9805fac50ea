# Groups of a fit: see the page of tally-groups.R.

cut_fit <- function(fit, at, drop = FALSE) {
  whole <- unclass_fields(fit)
  fields <- whole$fields
  single <- check_flag(drop, "drop") && length(at) == 1L
  # Simultaneous intervals still hold for all the groups that were estimated together.
  fields$family <- fields$family %||% length(fields$estimate)
  if (is.matrix(fields$estimate)) {
    fields$estimate <- if (single) fields$estimate[, at] else fields$estimate[, at, drop = FALSE]
  }
  fields$details <- fields$details[at]
  if (!is.null(fields$replicates)) fields$replicates <- fields$replicates[at]
  fields$tally <- cut_tally(fields$tally, at, drop)
  structure(fields, class = whole$class)
}

#' @rdname groups
#' @export
`[.rr_fit` <- function(x, i, ..., drop = FALSE) {
  refuse_second_index(x, ...length())
  if (missing(i)) return(x)
  cut_fit(x, match_groups(i, x$tally$groups, "rr_fit"), drop)
}

#' @rdname groups
#' @export
`[[.rr_fit` <- function(x, i, ...) one_part(x, i, ...length())

#' @rdname groups
#' @export
subset.rr_fit <- function(x, subset, ...) {
  cut_fit(x, condition_groups(substitute(subset), x$tally$groups, "rr_fit", parent.frame()))
}

#' @rdname groups
#' @export
length.rr_fit <- function(x) {
  group_count(x$tally)
}

#' @rdname groups
#' @export
names.rr_fit <- function(x) {
  group_labels(x$tally$groups)
}

#' @rdname groups
#' @export
as.list.rr_fit <- function(x, ...) {
  group_list(x, x$tally$groups)
}

#' @export
c.rr_fit <- function(...) {
  abort(c("Fits cannot be put together with {.fn c}: an estimate of all data is not made of estimates of its parts.",
          i = "Merge the tallies, {.code c(fit1$tally, fit2$tally)}, and estimate again.",
          i = "For several fits side by side use a list."), "argument")
}

#' @rawNamespace S3method(utils::.DollarNames, rr_fit)
.DollarNames.rr_fit <- function(x, pattern = "") grep(pattern, names(unclass(x)), value = TRUE)

#' @rawNamespace S3method(utils::str, rr_fit)
str.rr_fit <- function(object, ...) utils::str(unclass(object), ...)

# A joint fit without groups, or with the group columns of its only group left out.
one_group <- function(fit, arg) {
  groups <- fit$tally$groups
  if (is.null(groups)) return(fit)
  if (nrow(groups) == 1L) return(cut_fit(fit, 1L, drop = TRUE))
  labels <- group_labels(groups)
  abort(c("{.arg {arg}} must be of one group.", x = "It has {length(labels)}: {format_labels(labels)}.",
          i = "Take one with {.code [}, such as {.code fit[\"{labels[1]}\"]}."), "argument")
}
