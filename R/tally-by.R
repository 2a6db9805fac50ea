# From the columns of `by` to numbered groups.

# Rows where some group is missing. Values that cannot be groups are refused later.
rows_without_group <- function(by, n) {
  unknown <- lapply(by, function(key) if (is.atomic(key) && length(key) == n) which(is.na(key)))
  sort(unique(unlist(unknown, use.names = FALSE)))
}

# Groups as a named list whose names are free next to the results.
name_groups <- function(by, mechanism) {
  if (is.null(by)) return(NULL)
  if (!is.list(by)) by <- list(group = by)
  by <- as.list(by)
  if (length(by) == 0L) return(NULL)
  if (is.null(names(by)) || !all(nzchar(names(by)))) {
    if (length(by) == 1L) names(by) <- "group"
    else abort(c("{.arg by} must have a name for each of its {length(by)} vectors."), "argument")
  }
  check_result_names(names(by), "{.arg by} must not use", "group")
  if (anyDuplicated(names(by))) {
    abort(c("{.arg by} must have a different name for each of its vectors.",
            x = "{.val {names(by)[anyDuplicated(names(by))]}} appears more than once."), "argument")
  }
  check_group_names(names(by), mechanism)
  by
}

check_group_names <- function(names, mechanism) {
  taken <- intersect(names, names(mechanism$questions))
  if (length(taken)) {
    abort(c("Groups must not have the names of questions.", x = "{.val {taken[1]}} is both.",
            i = "Rename the group or the question."), "argument")
  }
}

make_groups <- function(by, n) {
  if (is.null(by)) return(NULL)
  by <- lapply(by, plain_group)
  for (name in names(by)) {
    if (!is.atomic(by[[name]]) || length(by[[name]]) != n) {
      abort(c("{.arg by} must have one entry per report.",
              x = "{.val {name}} is {describe(by[[name]])}; there are {n} reports.",
              i = if (is.character(by[[name]]) && length(by[[name]]) < n) {
                "Names of columns are for data frames: give the data frame, and name the reports in {.arg column}."
              }), "argument")
    }
    if (anyNA(by[[name]])) {
      abort(c("{.arg by} must not have missing groups.",
              x = "{.val {name}} is NA at position {which(is.na(by[[name]]))[1]}.",
              i = "Use {.code na.rm = TRUE} to drop such reports, or make \"unknown\" a group."), "missing")
    }
  }
  places <- lapply(by, place_values)
  cells <- number_groups(lapply(unname(places), `[[`, "place"))
  keys <- Map(function(original, place, at) {
    key <- place$values[at]
    if (is.factor(original)) factor(key, levels(original)) else key
  }, by, places, cells$at)
  list(codes = cells$codes, n = length(cells$at[[1]]), keys = tibble::as_tibble(keys))
}

# The sorted values that occur, and where each entry stands among them. Codes of factors and whole numbers that lie
# close together are counted: to hash them takes four times as long.
place_values <- function(v) {
  n <- length(v)
  if (n && (is.factor(v) || (is.integer(v) && !is.object(v)))) {
    codes <- unclass_codes(v)
    limits <- if (is.factor(v)) c(1, max(1L, nlevels(v))) else as.double(range(codes))
    size <- limits[2] - limits[1] + 1
    if (size <= max(1e4, n)) {
      if (limits[1] != 1) codes <- codes - as.integer(limits[1] - 1)
      times <- tabulate(codes, size)
      occurs <- which(times > 0L)
      # A malformed factor has codes that are no levels.
      if (sum(as.double(times)) == n) {
        values <- if (is.factor(v)) levels(v)[occurs] else as.integer(occurs + (limits[1] - 1))
        return(list(values = values, place = if (length(occurs) == size) codes else cumsum(times > 0L)[codes]))
      }
    }
  }
  # Groups are few: mostly the first rows have them all, and a table of few values is quickly looked at.
  known <- if (!is.factor(v)) unique(v[seq_len(min(n, 10000L))])
  place <- match(v, known)
  if (anyNA(place)) {
    known <- if (is.factor(v)) levels(droplevels(v)) else unique(v)
    place <- match(v, known)
  }
  values <- if (is.factor(v)) known else sort(known)
  list(values = values, place = match(known, values)[place])
}

# Blank text is often an answer that nobody gave, and a group all the same.
tell_blank_groups <- function(keys) {
  blank <- names(keys)[vapply(keys, function(key) {
    (is.character(key) || is.factor(key)) && any(!nzchar(trimws(as.character(key))), na.rm = TRUE)
  }, NA)]
  if (!length(blank)) return(invisible())
  cli::cli_inform(c("{.val {blank}} {?is/are} blank for some reports, which are a group of their own.",
                    i = "If they are not known, make them NA: {.code na.rm = TRUE} then drops such reports."),
                  class = "candor_message_blank")
}

# Labelled values (from SPSS or Stata files) become groups named by their labels, in the order of the values.
plain_group <- function(key) {
  labels <- attr(key, "labels", exact = TRUE)
  if (!inherits(key, c("haven_labelled", "labelled")) || is.null(labels)) return(plain_numbers(key))
  values <- as.vector(unclass(key))
  attributes(values) <- NULL
  known <- sort(unique(c(values, unname(labels))))
  text <- names(labels)[match(known, labels)]
  text[is.na(text)] <- label_text(known)[is.na(text)]
  factor(values, known, make.unique(text))
}

# The combinations that occur, numbered in order, the first variable running fastest; `at` says for each variable which
# of its values they have. Where very many are possible they are sorted, since their number may be too large to be
# counted exactly.
number_groups <- function(places) {
  sizes <- vapply(places, max, 0L, 0L)
  if (length(places) == 1L) return(list(codes = places[[1]], at = list(seq_len(sizes))))
  if (prod(sizes) <= max(1e4, length(places[[1]]))) {
    strides <- as.integer(cumprod(c(1, sizes)))[seq_along(sizes)]
    cells <- Reduce(`+`, Map(function(place, stride) (place - 1L) * stride, places, strides)) + 1L
    occurs <- tabulate(cells, prod(sizes)) > 0L
    found <- which(occurs) - 1L
    return(list(codes = if (all(occurs)) cells else cumsum(occurs)[cells],
                at = Map(function(stride, size) found %/% stride %% size + 1L, strides, sizes)))
  }
  order <- do.call(order, c(rev(places), list(method = "radix")))
  starts <- seq_along(order) == 1L
  for (place in places) {
    sorted <- place[order]
    starts <- starts | c(TRUE, sorted[-1] != sorted[-length(sorted)])[seq_along(order)]
  }
  codes <- integer(length(order))
  codes[order] <- cumsum(starts)
  list(codes = codes, at = lapply(places, `[`, order[starts]))
}
