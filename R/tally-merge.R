# The methods of c(), which adds up several tallies, and of rowsum(), which adds up groups of one.

#' @export
c.rr_tally <- function(...) {
  tallies <- list(...)
  first <- tallies[[1]]
  for (i in seq_along(tallies)) {
    tallies[[i]] <- mergeable(tallies[[i]], first, i)
  }
  field <- function(name) lapply(tallies, .subset2, name)
  # A field that only some of the tallies have is NULL in the sum.
  if_complete <- function(values) if (!any(vapply(values, is.null, NA))) values
  is_weighted <- !all(vapply(field("weight_squares"), is.null, NA))
  groups <- if (!is.null(first$groups)) {
    rows <- do.call(rbind, lapply(alike_keys(field("groups")), as.data.frame))
    make_groups(as.list(rows), nrow(rows))
  }
  codes <- groups$codes %||% rep(1L, length(tallies))
  add <- function(numbers) as.vector(rowsum(unlist(numbers), codes))
  counts <- if (is.null(groups)) Reduce(`+`, field("counts"))
    else unname(t(rowsum(t(do.call(cbind, field("counts"))), codes)))
  sizes <- unlist(field("n"))
  if (!is_weighted && any(vapply(split(sizes, codes), beyond_exact, NA))) {
    abort("Tallies must not add up to more than 2^53 reports.", "counts")
  }
  # A tally without weights counts each report once: its sum of squared weights is its n, and its
  # respondents are n people.
  squares <- lapply(tallies, function(tally) tally$weight_squares %||% tally$n)
  people <- if_complete(lapply(tallies, respondent_counts))
  tally <- new_rr_tally(
    first$mechanism,
    counts,
    groups = groups$keys,
    n = add(sizes),
    missing = sum(unlist(field("missing"))),
    weight_squares = if (is_weighted) add(squares),
    respondents = if (is_weighted && !is.null(people)) add(people)
  )
  tally$chunks <- merge_chunks(tallies)
  with_optional_fields(
    tally,
    lapply(setNames(nm = c("sets", "blocks", "labels", "witness")), function(name) {
      if_complete(field(name))
    }),
    codes
  )
}

# The tables of groups with dates and times as text, if other tables have text or numbers in their
# place: rbind() depends on the order, and makes numbers of dates.
alike_keys <- function(tables) {
  for (name in names(tables[[1]])) {
    is_time <- vapply(tables, function(keys) inherits(keys[[name]], c("Date", "POSIXt")), NA)
    if (any(is_time) && !all(is_time)) {
      tables <- lapply(tables, function(keys) {
        replace(keys, name, list(label_text(keys[[name]])))
      })
    }
  }
  tables
}

# A tally with the fields that all tallies have beside counts: different reports and blocks, merged
# by group, and the sum of witnesses.
with_optional_fields <- function(tally, fields, codes) {
  by_group <- function(values, merge) {
    lapply(unname(split(do.call(c, values), codes)), merge)
  }
  if (!is.null(fields$sets)) tally$sets <- by_group(fields$sets, merge_sets)
  if (!is.null(fields$blocks)) {
    tally <- with_blocks(tally, by_group(fields$blocks, merge_blocks))
  }
  if (!is.null(fields$labels)) {
    tally$labels <- by_group(fields$labels, function(tables) Reduce(`+`, tables))
  }
  if (!is.null(fields$witness)) tally$witness <- sum(unlist(fields$witness))
  tally
}

# Tally number `i` as one of the mechanism of the first, whose levels may stand in another order.
mergeable <- function(tally, first, i) {
  if (!inherits(tally, "rr_tally")) abort("Only tallies can be merged, and argument {i} is none.")
  if (!same_mechanism(tally$mechanism, first$mechanism)) {
    tally <- reorder_tally(tally, first$mechanism) %||% abort(
      c(
        "Tallies must be of the same mechanism to be merged: tally {i} is not of that of tally 1.",
        x = "{mechanism_difference(tally$mechanism, first$mechanism)}"
      ),
      "mismatch"
    )
  }
  if (!identical(names(tally$groups), names(first$groups))) {
    abort("Tallies must have the same grouping to be merged, tally {i} too.", "mismatch")
  }
  tally
}

# Whole counts are exact up to 2^53. The sum of doubles may round down to 2^53; the sum without the
# largest cannot.
beyond_exact <- function(numbers) {
  largest <- which.max(numbers)
  length(numbers) > 0 && sum(numbers[-largest]) > 2^53 - numbers[largest]
}

# The tally with its counts in the order of another mechanism's levels, if only that order differs;
# NULL if anything else does.
reorder_tally <- function(tally, mechanism) {
  from <- tally$mechanism
  # Sets of reports are in the order of their own mechanism.
  if (!is.null(tally$sets) || !is.null(mechanism$questions) ||
      identical(from$reports, mechanism$reports) ||
      !identical(class(from), class(mechanism)) || !identical(
        lengths(from[c("reports", "levels")]),
        lengths(mechanism[c("reports", "levels")])
      )) {
    return(NULL)
  }
  reports <- match(mechanism$reports, from$reports)
  levels <- match(mechanism$levels, from$levels)
  # "no" and "yes" must have the same labels in both.
  bits <- function(m) {
    list(m$reports[m$bits], m$levels[m$truth_bits])
  }
  if (anyNA(reports) || anyNA(levels) ||
      !identical(bits(from), bits(mechanism)) ||
      !identical(from$epsilon, mechanism$epsilon) ||
      !same_reordered(from, mechanism, levels, reports)) {
    return(NULL)
  }
  tally$counts <- if (is.matrix(tally$counts)) {
    tally$counts[reports, , drop = FALSE]
  } else {
    tally$counts[reports]
  }
  tally$mechanism <- mechanism
  tally
}

# Do two mechanisms have the same probabilities, up to the order of levels and reports?
same_reordered <- function(from, mechanism, levels, reports) {
  a <- rr_law(from)
  b <- rr_law(mechanism)
  if (!identical(class(a), class(b))) return(FALSE)
  if (law_gives(a, "additive")) {
    noise <- if (length(a$b) > 1L) a$b[reports] else a$b
    return(
      identical(a$a, b$a) && identical(noise, b$b) &&
        identical(levels, reports)
    )
  }
  a$by_information && max(length(levels), length(reports)) <= matrix_limit &&
    identical(unname(rr_matrix(from))[levels, reports], unname(rr_matrix(mechanism)))
}

# The first difference of two mechanisms, in words.
mechanism_difference <- function(x, y) {
  if (!identical(class(x), class(y))) {
    return(sprintf("%s, and %s.", format(x), format(y)))
  }
  field <- Find(
    function(name) !identical(x[[name]], y[[name]]),
    union(names(x), names(y))
  )
  values <- c(x[[field]], y[[field]])
  if (!is.numeric(values) || length(values) != 2L) return(sprintf("`%s` is not the same.", field))
  sprintf("`%s` is %s, and %s.", field, number_text(values[1]), number_text(values[2]))
}

# The labels of the chunks of all tallies. A chunk in two tallies would be counted twice, unless
# these have different groups: a report has one group.
merge_chunks <- function(tallies) {
  all <- unlist(lapply(tallies, .subset2, "chunks"))
  labels <- lapply(tallies, function(tally) group_labels(tally$groups) %||% "")
  for (label in unique(all[duplicated(all)])) {
    holds <- vapply(tallies, function(tally) label %in% tally$chunks, NA)
    if (anyDuplicated(unlist(labels[holds]))) {
      abort(
        "Tallies that hold the same chunk, {.val {label}}, cannot be merged: it would count twice.",
        "mismatch"
      )
    }
  }
  unique(all)
}

# The number of people who answered, NA if there are only weighted counts.
respondent_number <- function(tally) {
  people <- respondent_counts(tally)
  if (is.null(people)) NA_real_ else sum(people)
}

# The same by group, NULL if there are only weighted counts.
respondent_counts <- function(tally) {
  if (is.null(tally$weight_squares)) tally$n else tally$respondents
}

# "1,180 reports"; for weighted reports also the sum of weights and the effective number.
report_words <- function(tally) {
  if (is.null(tally$weight_squares)) {
    return(paste(format_count(sum(tally$n)), "reports"))
  }
  rounded <- function(x) format_count(round(x, 1))
  weights <- sprintf(
    "weights add up to %s, worth %s respondents", rounded(sum(tally$n)),
    rounded(sum(tally$effective_n))
  )
  respondents <- respondent_number(tally)
  if (is.na(respondents)) return(sprintf("weighted counts (%s)", weights))
  sprintf("%s reports (%s)", format_count(respondents), weights)
}

# ---- groups that are added up ----

#' @rdname groups
#' @export
rowsum.rr_tally <- function(x, group, reorder = TRUE, ...) {
  check_dots_empty(...)
  match_groups(1, x)
  check_that(length(group) > 0L, group, "group", "columns of the groups: {.code ~ 1} for none")
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
