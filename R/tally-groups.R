#' Select groups of a tally or a fit, and add up groups of a tally
#'
#' `[` selects groups of a grouped tally or fit, and `subset()` the groups that meet a condition. Estimates, errors and intervals of the selected groups do not
#' change. Intervals with `simultaneous = TRUE` still hold for all original groups together.
#'
#' `rowsum()` adds up the groups of a tally: `rowsum(tally, ~ day)` of a tally by day and version has the days, and `rowsum(tally, ~ 1)` no groups.
#'
#' Tallies are merged with `c()`. Fits are not: merge the tallies and estimate again. `length()` is the number of groups (1 without groups), and `names()`
#' are their labels as in [coef()] (`NULL` without groups). `as.list()` gives a list of the groups, for [lapply()].
#'
#' `[[` takes a field by its name, or else one group: `fit[["North"]]` is `fit["North"]`, and `fit[[2]]` is the second group. A group that is named like a
#' field is taken with `[`. Categories are selected by `tidy(fit, terms = "yes")`.
#'
#' @param x A tally of [rr_tally()] or [rr_counts()], or an estimate of [rr_estimate()] (a fit, a mean, of a survey design, or with an anchor), with groups.
#' @param i Groups: positions, labels as in `names(x)`, or a logical vector with one entry per group. For `[[` one position, label or name of a field.
#' @param subset A condition on the columns of the groups, such as `region == "north"`.
#' @param group The columns of groups that stay: a formula such as `~ region + year`, or their names. Or new groups: a vector with one entry per group of `x`, or a data frame or list of several.
#' @param reorder Not used: groups are sorted, as in [rr_tally()].
#' @param drop Logical, default `FALSE`. Drop the group columns if one group is left?
#' @param ... Not used.
#' @return A tally, or a fit, of the selected groups. The tally does not contain the number of missing reports, and keeps the labels of all [`?chunks`][chunks].
#' @section Errors:
#' `candor_error_level` for groups that do not exist. `candor_error_empty` if no group is left. `candor_error_argument` for an object without groups, a
#' category in place of a group, and a second index (`fit[, 1]`).
#' @references Methods of R's generics; nothing is estimated.
#' @name groups
#' @seealso [rr_tally()] with `by`; [rr_compare()] and [rr_contrast()] for comparisons of groups; [as.list()].
#' @concept subgroups
#' @concept domains
#' @examples
#' # How often did women cheat? The fit of all groups holds the answer
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' counts <- cbind(men = c(420, 330, 250), women = c(500, 300, 200))
#' tally <- rr_counts(counts, mechanism)
#' tally["women"]
#' fit <- rr_estimate(tally)
#' coef(fit[["women"]])   # never: 77%
#' subset(fit, group == "men")
#' lapply(as.list(tally), rr_estimate)
#'
#' # All respondents
#' rowsum(tally, ~ 1)
NULL

# ---- from the columns of `by` to numbered groups ----

# The positions of rows in which a group is missing. Values that cannot be groups are refused later.
rows_without_group <- function(by, n) {
  unknown <- lapply(by, function(key) {
    if (is.atomic(key) && length(key) == n) which(is.na(key))
  })
  sort(unique(unlist(unknown, use.names = FALSE)))
}

# Groups as a named list whose names are free next to the results.
name_groups <- function(by, mechanism) {
  by <- if (is.list(by)) {
    as.list(by)
  } else if (!is.null(by)) {
    list(group = by)
  }
  if (length(by) == 0L) return(NULL)
  # A level NA, as of addNA(), is a missing group.
  by <- lapply(by, function(key) {
    if (is.factor(key) && anyNA(levels(key))) {
      factor(key, exclude = NA)
    } else {
      key
    }
  })
  names <- names(by) %||% rep("", length(by))
  if (length(by) == 1L && !nzchar(names)) names <- "group"
  if (!all(nzchar(names)) || anyDuplicated(names) ||
      any(names %in% names(mechanism$questions))) {
    abort(
      paste(
        "{.arg by} must have a different name for each of its {length(by)} vectors,",
        "and none of a question."
      )
    )
  }
  check_result_names(names, "{.arg by} must not use")
  setNames(by, names)
}

# list(codes, n, keys): the combinations that occur, in order, the first variable running fastest.
# `codes` has the combination of each row, `keys` the values of each combination.
make_groups <- function(by, n) {
  by <- lapply(by, base_key)
  cells <- NULL
  for (key in by) {
    if (!is.atomic(key) || length(key) != n) abort("{.arg by} must have one entry per report, {n}.")
    if (anyNA(key)) {
      abort(
        "{.arg by} must not have missing groups: {.code na.rm = TRUE} drops such reports.",
        "missing"
      )
    }
    coded_key <- value_codes(key)
    cells <- if (is.null(cells)) {
      coded_key
    } else {
      without_gaps(
        cells$codes + cells$n * (coded_key$codes - 1),
        cells$n * as.double(coded_key$n)
      )
    }
  }
  # Any row of a group has its values; mostly the first rows have all groups.
  row <- match(
    seq_len(cells$n), cells$codes[seq_len(min(n, 10000L))]
  )
  if (anyNA(row)) row[cells$codes] <- seq_len(n)
  list(
    codes = cells$codes,
    n = cells$n,
    keys = as_tibble(lapply(by, function(key) unname(key[row])))
  )
}

# list(codes, n): the position of each entry among the sorted values that occur. Codes of factors
# are counted, since hashing them takes four times as long.
value_codes <- function(v) {
  if (is.factor(v)) return(without_gaps(unclass_codes(v), nlevels(v)))
  values <- sort(unique(v))
  list(codes = match(v, values), n = length(values))
}

# list(codes, n): whole numbers from 1 to `size` as 1, 2, ... in the same order.
without_gaps <- function(codes, size) {
  if (size > max(1e4, length(codes))) {
    occurring <- sort(unique(codes))
    return(list(codes = match(codes, occurring), n = length(occurring)))
  }
  times <- tabulate(codes, size)
  if (sum(times) != length(codes)) abort("{.arg by} must be a factor whose codes are all levels.")
  occurs <- times > 0L
  list(
    codes = if (all(occurs)) as.integer(codes) else cumsum(occurs)[codes],
    n = sum(occurs)
  )
}

# A key as base R's types. Labelled values (from SPSS or Stata files) become groups named by their
# labels, in the order of the values.
base_key <- function(key) {
  labels <- attr(key, "labels", exact = TRUE)
  if (!inherits(key, c("haven_labelled", "labelled")) || is.null(labels)) {
    return(plain_numbers(key))
  }
  entries <- as.vector(unclass(key))
  attributes(entries) <- NULL
  values <- sort(unique(c(entries, unname(labels))))
  text <- names(labels)[match(values, labels)]
  factor(entries, values, make.unique(ifelse(is.na(text), label_text(values), text)))
}

# ---- some groups of a tally ----

# The table of the groups of a tally, or of a result that was estimated from one.
groups_of <- function(x) .subset2(.subset2(x, "tally") %||% x, "groups")

# A tally or result of the groups at the positions `at`, with the values that they had among all
# groups.
cut_groups <- function(x, index, drop = FALSE) UseMethod("cut_groups")

group_count <- function(tally) if (is.null(tally$groups)) 1L else nrow(tally$groups)

in_groups <- function(tally) {
  labels <- group_labels(tally$groups)
  if (length(labels) == 1L) paste0(", group ", labels)
  else if (length(labels)) sprintf(" in %s groups", format_count(length(labels)))
}

# The positions of the groups that `i` selects.
match_groups <- function(i, x) {
  labels <- names(x) %||% abort("This {.cls {class(x)[1]}} has no groups to take.")
  positions <- seq_along(labels)
  index <- if (is.factor(i) || is.character(i)) {
    match(as.character(i), labels)
  } else if (is.logical(i) && length(i) == length(labels)) {
    which(i)
  } else if (is_numbers(i)) {
    positions[if (all(i <= 0, na.rm = TRUE)) i else match(i, positions)]
  } else {
    NA_integer_
  }
  if (anyNA(index) || anyDuplicated(index)) {
    odd <- if (is.atomic(i) && length(i) == length(index)) {
      i[is.na(index) | duplicated(index)][1]
    } else {
      i
    }
    abort(
      c(
        "Groups must be taken by position, label or condition, each once: {describe(odd)} is not.",
        i = "The groups are {format_labels(labels)}."
      ),
      "level"
    )
  }
  if (!length(index)) abort("No group is left.", "empty")
  index
}

# The kind of each field of a tally:
#   group    an entry for each group
#   counts   a column for each group, or a vector if there are no groups
#   groups   the table of the groups
#   shared   one value for all groups
tally_fields <- c(
  mechanism = "shared", counts = "counts", n = "group", effective_n = "group", weights = "shared",
  weight_squares = "group", respondents = "group", groups = "groups", missing = "shared",
  sets = "group", blocks = "group", labels = "group",
  witness = "shared", chunks = "shared", question = "shared"
)

# A tally of the groups at these positions.
keep_groups <- function(tally, index) {
  fields <- unclass(tally)
  # A field that the list does not have gives an error here, so that none is forgotten.
  kinds <- vapply(names(fields), function(name) tally_fields[[name]], "")
  per_group <- names(fields)[kinds == "group"]
  fields[per_group] <- lapply(fields[per_group], `[`, index)
  if (is.matrix(fields$counts)) fields$counts <- fields$counts[, index, drop = FALSE]
  fields$groups <- fields$groups[index, , drop = FALSE]
  structure(fields, class = class(tally))
}

# The labels of chunks stay. Any of them may have reports of these groups, which must not be counted
# again.
cut_groups.rr_tally <- function(x, index, drop = FALSE) {
  tally <- keep_groups(x, index)
  tally$missing <- 0
  if (check_flag(drop, "drop") && length(index) == 1L) {
    tally$counts <- as.vector(tally$counts)
    tally["groups"] <- list(NULL)
  }
  tally
}

refuse_second_index <- function(further) if (further) abort("Groups are taken by one index.")

# The value of `[[`: a field by its name, or else one group by its name or position.
one_part <- function(x, i, further) {
  refuse_second_index(further)
  groups <- groups_of(x)
  if (length(i) != 1L) abort("One group is taken with {.code [[}.")
  # The last are fields of fits that not every fit has.
  fields <- c(attr(x, "names", TRUE), names(tally_fields), "family", "replicates")
  if (is.character(i) && i %in% fields) return(.subset2(x, i))
  # A tally without groups is a single group, without a label.
  if (is.null(groups) && is.numeric(i) && i %in% 1) return(x)
  if (is.null(groups) && is.character(i)) return(NULL)
  x[i]
}

#' @rdname groups
#' @export
`[.rr_tally` <- function(x, i, ..., drop = FALSE) {
  refuse_second_index(...length())
  if (missing(i)) return(x)
  cut_groups(x, match_groups(i, x), drop)
}

#' @rdname groups
#' @export
`[[.rr_tally` <- function(x, i, ...) one_part(x, i, ...length())

#' @rdname groups
#' @export
subset.rr_tally <- function(x, subset, ...) {
  match_groups(1, x)
  holds <- eval(substitute(subset), as.list(groups_of(x)), parent.frame())
  check_that(
    is.logical(holds) && length(holds) == length(x), holds, "subset", "a condition on the groups"
  )
  cut_groups(x, match_groups(holds & !is.na(holds), x))
}

#' @rdname groups
#' @export
length.rr_tally <- function(x) group_count(.subset2(x, "tally") %||% x)

#' @rdname groups
#' @export
names.rr_tally <- function(x) group_labels(groups_of(x))

#' @rdname groups
#' @export
as.list.rr_tally <- function(x, ...) {
  labels <- names(x)
  if (is.null(labels)) return(list(x))
  setNames(lapply(seq_along(labels), function(g) x[g]), labels)
}

# The fields, which names() does not show.

#' @rawNamespace S3method(utils::.DollarNames, rr_tally)
.DollarNames.rr_tally <- function(x, pattern = "") {
  grep(pattern, names(unclass(x)), value = TRUE)
}

#' @rawNamespace S3method(utils::str, rr_tally)
str.rr_tally <- function(object, ...) utils::str(unclass(object), ...)

# A tally without the groups in which nobody answered, which have no estimate. A message names them;
# rr_tally() leaves out unused levels in the same way.
drop_empty_groups <- function(tally) {
  if (is.null(tally$groups)) return(tally)
  if (!nrow(tally$groups)) abort_empty(tally)
  empty <- which(tally$n <= 0)
  if (!length(empty) || length(empty) == nrow(tally$groups)) return(tally)
  weightless <- all(
    (tally$respondents %||% numeric(nrow(tally$groups)))[empty] > 0
  )
  why <- if (weightless) "all weights are 0" else "nobody answered"
  named <- cli::cli_vec(group_labels(tally$groups)[empty], list("vec-trunc" = 8))
  cli::cli_inform("Left out, since {why} in {cli::qty(length(empty))}{?it/them}: {.val {named}}.",
                  class = "candor_message_empty")
  keep_groups(tally, which(tally$n > 0))
}

abort_empty <- function(tally) {
  noun <- if (sum(tally$respondents) > 0) "weights" else "counts"
  abort("{.arg x} must hold at least one report: all {noun} are 0.", "empty")
}
