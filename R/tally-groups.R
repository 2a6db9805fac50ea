#' Groups of a tally or a fit
#'
#' `[` takes some of the groups of a grouped tally or fit, `subset()` those that meet a condition on the columns of the groups.
#'
#' What was estimated stays as it was: no estimate, error or interval changes by leaving other groups out. (Intervals that hold for all
#' groups together, `simultaneous = TRUE`, stay those of all groups.)
#'
#' Tallies are merged with `c()`. Fits are not, because an estimate from all data cannot be computed from the estimates of the parts: merge the tallies and
#' estimate again. `length()` is the number of groups, 1 where there are none, and `names()` are their labels as [coef()] shows them,
#' `NULL` where there are none. `as.list()` gives a list of the groups, for [lapply()].
#'
#' `[[` takes a field by its name, or else one group: `fit[["North"]]` is `fit["North"]`, and `fit[[2]]` is the
#' second group. A group that is called like a field is taken with `[`. Categories are neither: `tidy(fit, terms = "yes")` has their estimates.
#'
#' @param x A tally of [rr_tally()] or [rr_counts()], or a fit of [rr_estimate()], with groups.
#' @param i Groups: positions, a logical vector with one entry per group, or labels as `names(x)` has them. For `[[` one position or label, or the name of a
#'   field.
#' @param subset A condition on the columns of the groups, such as `region == "north"`.
#' @param drop Drop the group columns, where one group is left?
#' @param ... Not used.
#' @return A tally, or a fit, of the groups taken. A tally no longer says how many missing reports were dropped, which is not known for single groups. It keeps the labels of
#'   all chunks ([rr_tally_chunks()]), so that none is counted again.
#' @section Errors:
#' `candor_error_level` for groups that do not exist, `candor_error_empty` where no group is left, `candor_error_argument` where
#' there are no groups, for a category in place of a group, for a second index (`fit[, 1]`), and when fits are put together with `c()`.
#' @source Methods of R's own generics; no estimate is computed.
#' @name groups
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' tally <- rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), mechanism)
#' tally["women"]
#' fit <- rr_estimate(tally)
#' fit[["women"]]
#' subset(fit, group == "men")
#' lapply(as.list(tally), rr_estimate)
NULL

group_count <- function(tally) if (is.null(tally$groups)) 1L else nrow(tally$groups)

in_groups <- function(tally) {
  labels <- group_labels(tally$groups)
  if (length(labels) == 1L) paste0(", group ", labels) else sprintf(" in %s groups", format_count(length(labels)))
}

# Positions of the groups that `i` says.
match_groups <- function(i, groups, class) {
  if (is.null(groups)) {
    abort(c("This {.cls {class}} has no groups to take.", x = "It was made without {.arg by}.",
            i = if (class == "rr_fit") "Its estimates are the rows of {.fn tidy}: {.code head(tidy(fit))}.",
            i = "Its fields are taken with {.code $}."), "argument")
  }
  labels <- group_labels(groups)
  places <- seq_along(labels)
  at <- if (is.factor(i) || is.character(i)) match(as.character(i), labels)
    else if (is.logical(i)) which(rep_len(i, if (length(i) == length(labels)) length(i) else 0))
    else if (is.numeric(i) && !is.object(i)) places[if (all(i <= 0, na.rm = TRUE)) i else match(i, places)]
    else NA_integer_
  if (is.logical(i) && length(i) != length(labels)) {
    abort(c("A logical vector must have one entry per group.",
            x = "It has {length(i)}; there are {length(labels)} groups."),
          "level")
  }
  if (anyNA(at)) {
    shown <- if (is.atomic(i)) as.character(i)[is.na(at)][1] else describe(i)
    abort(c("Groups must be taken by position, label or condition.", x = "{.val {shown}} is not a group.",
            i = if (length(meant_of(i, labels))) "{meant_of(i, labels)}",
            i = "The groups are {format_labels(labels)}."), "level")
  }
  if (!length(at)) {
    abort(c("No group is left.", i = "The groups are {format_labels(labels)}."), "empty")
  }
  if (anyDuplicated(at)) {
    abort(c("Each group can be taken once.", x = "{.val {labels[at[anyDuplicated(at)]]}} is taken twice."), "level")
  }
  at
}

# Those for which a condition on the columns of the groups holds.
condition_groups <- function(condition, groups, class, env) {
  if (is.null(groups)) match_groups(1, groups, class)
  holds <- tryCatch(eval(condition, as.list(groups), env), error = function(e) {
    problem <- conditionMessage(e)
    abort(c("{.arg subset} must be a condition on the columns of the groups.", x = "{problem}.",
            i = "The columns are {format_labels(names(groups))}.",
            i = "Categories are rows of {.fn tidy}: {.code subset(tidy(x), {deparse1(condition)})}."), "argument")
  })
  if (!is.logical(holds) || length(holds) != nrow(groups)) {
    abort(c("{.arg subset} must be a condition on the columns of the groups.", x = "It is {describe(holds)}.",
            i = "The columns are {format_labels(names(groups))}."), "argument")
  }
  match_groups(holds & !is.na(holds), groups, class)
}

cut_tally <- function(tally, at, drop = FALSE) {
  tally <- unclass_fields(tally)
  fields <- tally$fields
  counts <- fields$counts
  single <- check_flag(drop, "drop") && length(at) == 1L
  if (is.matrix(counts)) fields$counts <- if (single) counts[, at] else counts[, at, drop = FALSE]
  for (name in intersect(c("n", "effective_n", "weight_squares", "respondents"), names(fields))) {
    if (!is.null(fields[[name]])) fields[[name]] <- fields[[name]][at]
  }
  fields["groups"] <- list(if (!single) fields$groups[at, , drop = FALSE])
  # Labels of chunks stay: any of them may have reports of these groups, which must not be counted again.
  fields$missing <- 0
  structure(fields, class = tally$class)
}

refuse_second_index <- function(x, further) {
  if (!further) return(invisible())
  what <- if (inherits(x, "rr_fit")) "fit" else "tally"
  abort(c("Groups are taken by one index.", x = "There are {further + 1} between the brackets.",
          i = "Write {.code {what}[1]} for the first group. {.code tidy({what})} is a table with rows and columns."),
        "argument")
}

# `[[`: a field by its name, or else one group by its name or position.
one_part <- function(x, i, further) {
  refuse_second_index(x, further)
  tally <- if (inherits(x, "rr_fit")) .subset2(x, "tally") else x
  groups <- .subset2(tally, "groups")
  if (length(i) != 1L) {
    abort(c("One group is taken with {.code [[}.", x = "There are {length(i)} between the brackets.",
            i = "Take several with {.code [}."), "argument")
  }
  if (is.character(i) && (i %in% c(attr(x, "names", TRUE), optional_fields))) return(.subset2(x, i))
  if (is.character(i) && i %in% .subset2(.subset2(tally, "mechanism"), "levels") && !i %in% group_labels(groups)) {
    abort(c("There is no field and no group of this name.", x = "{.val {i}} is a category.",
            i = if (inherits(x, "rr_fit")) "Its estimate is in {.code tidy(fit, terms = \"{i}\")}."
                else "Its count is in {.code tidy(tally)}."), "argument")
  }
  # A single group, without a label.
  if (is.null(groups) && is.numeric(i) && i %in% 1) return(x)
  if (is.null(groups) && is.character(i)) return(NULL)
  x[i]
}

# Fields that not every tally or fit has.
optional_fields <- c("sets", "witness", "chunks", "family", "replicates")

unclass_fields <- function(x) list(class = class(x), fields = unclass(x))

#' @rdname groups
#' @export
`[.rr_tally` <- function(x, i, ..., drop = FALSE) {
  refuse_second_index(x, ...length())
  if (missing(i)) return(x)
  cut_tally(x, match_groups(i, x$groups, "rr_tally"), drop)
}

#' @rdname groups
#' @export
`[[.rr_tally` <- function(x, i, ...) one_part(x, i, ...length())

#' @rdname groups
#' @export
subset.rr_tally <- function(x, subset, ...) {
  cut_tally(x, condition_groups(substitute(subset), x$groups, "rr_tally", parent.frame()))
}

#' @rdname groups
#' @export
length.rr_tally <- function(x) {
  group_count(x)
}

#' @rdname groups
#' @export
names.rr_tally <- function(x) {
  group_labels(x$groups)
}

#' @rdname groups
#' @export
as.list.rr_tally <- function(x, ...) {
  group_list(x, x$groups)
}

group_list <- function(x, groups) {
  if (is.null(groups)) return(list(x))
  labels <- group_labels(groups)
  stats::setNames(lapply(seq_along(labels), function(g) x[g]), labels)
}

# The fields, which names() does not show.

#' @rawNamespace S3method(utils::.DollarNames, rr_tally)
.DollarNames.rr_tally <- function(x, pattern = "") grep(pattern, names(unclass(x)), value = TRUE)

#' @rawNamespace S3method(utils::str, rr_tally)
str.rr_tally <- function(object, ...) utils::str(unclass(object), ...)
