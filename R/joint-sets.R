# Families of column sets: every set of at most `order` of the columns, the empty set first, then by size and
# then lexicographically. A histogram object holds one number a set in this order, and perhaps further sets beyond it.

# Half a gigabyte of counts.
most_sets <- 2^26

set_total <- function(columns, order) sum(choose(columns, 0:order))

check_order <- function(order, columns, arg = "order") {
  order <- check_count(order, arg, min = 1, max = columns)
  if (set_total(columns, order) > most_sets) {
    abort(c("{.arg {arg}} {order} of {columns} columns has too many sets.",
            x = "There are {format(set_total(columns, order), digits = 3)}; at most {format(most_sets)} fit in memory.",
            i = "Name the few larger sets that you need in {.arg sets}."), "order")
  }
  order
}

# Labels of n sets from position `from` (1 is the first set that is not empty).
set_labels <- function(columns, order, from = 1, n = set_total(length(columns), order) - from) {
  member_labels(.Call(C_rr_sets, as.double(length(columns)), as.double(order), as.double(from), as.double(n)), columns)
}

# One label a column of a matrix of 0-based members padded with -1.
member_labels <- function(members, columns) {
  if (!ncol(members)) return(character())
  sizes <- colSums(members >= 0)
  labels <- character(ncol(members))
  for (size in unique(sizes)) {
    these <- which(sizes == size)
    parts <- lapply(seq_len(size), function(m) columns[members[m, these] + 1L])
    labels[these] <- do.call(paste, c(parts, sep = ":"))
  }
  labels
}

set_sizes <- function(columns, order) rep(seq_len(order), choose(columns, seq_len(order)))

# A label must be of one set only, so no name may begin like another one and a colon.
check_set_names <- function(columns, arg) {
  odd <- columns[vapply(columns, function(name) any(startsWith(name, paste0(columns, ":"))), NA)]
  if (length(odd) && any(grepl(":", columns, fixed = TRUE))) {
    abort(c("The names of columns must not look like sets of columns.",
            x = "{.val {odd[1]}} in {.arg {arg}} begins like another column."), "level")
  }
  columns
}

# The columns that a label names, one after the other; the label itself where it names none.
split_label <- function(label, columns) {
  found <- character()
  rest <- label
  while (!is.na(rest) && nzchar(rest)) {
    first <- columns[startsWith(paste0(rest, ":"), paste0(columns, ":"))]
    if (!length(first)) return(label)
    found <- c(found, first[1])
    rest <- substring(rest, nchar(first[1]) + 2)
  }
  if (is.na(label)) label else found
}

# Sets as the user names them, a list of vectors of names or positions, or labels such as "a:b", as a matrix of
# 0-based members padded with -1.
parse_sets <- function(sets, columns, arg = "sets") {
  if (is.character(sets)) sets <- lapply(sets, split_label, columns)
  positions <- lapply(sets, function(set) {
    at <- if (is.character(set)) match(set, columns) else set
    if (!is.numeric(at) || !length(at) || !all(at %in% seq_along(columns)) || anyDuplicated(at)) {
      abort(c("{.arg {arg}} must hold sets of different columns.", x = "One is {describe(set)}.",
              i = "The columns are {format_labels(columns)}."), "level")
    }
    sort(as.integer(at)) - 1L
  })
  width <- max(lengths(positions))
  matrix(vapply(positions, function(at) c(at, rep(-1L, width - length(at))), integer(width)), nrow = width)
}

sort_members <- function(members) {
  keys <- c(list(colSums(members >= 0)), lapply(seq_len(nrow(members)), function(m) members[m, ]))
  members[, do.call(order, keys), drop = FALSE]
}

# The unions of all pairs of sets, and every subset of them, with more than `order` members.
sets_between <- function(members, order) {
  n <- ncol(members)
  width <- nrow(members)
  both <- rbind(members[, rep(seq_len(n), n:1), drop = FALSE],
                members[, unlist(lapply(seq_len(n), function(a) a:n)), drop = FALSE])
  unions <- unique_columns(both)
  parts <- lapply(split(seq_len(ncol(unions)), colSums(unions >= 0)), function(these) {
    size <- sum(unions[, these[1]] >= 0)
    if (size <= order) return(NULL)
    lapply(seq(order + 1, size), function(k) {
      chosen <- utils::combn(size, k)
      subsets <- matrix(unions[as.vector(chosen), these], nrow = k)
      rbind(subsets, matrix(-1L, 2 * width - k, ncol(subsets)))
    })
  })
  parts <- unlist(parts, recursive = FALSE)
  # All of them are counted already.
  if (!length(parts)) return(NULL)
  all <- unique_columns(do.call(cbind, unname(parts)))
  sort_members(all[seq_len(max(colSums(all >= 0))), , drop = FALSE])
}

# Each column sorted, repeated members dropped, padded with -1 at the end.
sorted_members <- function(x) {
  sorted <- matrix(x[order(col(x), ifelse(x < 0, .Machine$integer.max, x), method = "radix")], nrow(x))
  if (nrow(x) == 1) return(sorted)
  twice <- rbind(FALSE, sorted[-1, , drop = FALSE] == sorted[-nrow(x), , drop = FALSE])
  sorted[twice] <- -1L
  matrix(sorted[order(col(x), ifelse(sorted < 0, .Machine$integer.max, sorted), method = "radix")], nrow(x))
}

# The different columns of these.
unique_columns <- function(x) {
  sorted <- sorted_members(x)
  key <- do.call(paste, c(lapply(seq_len(nrow(sorted)), function(m) sorted[m, ]), sep = " "))
  sorted[, !duplicated(key), drop = FALSE]
}

# Which sets (columns of 0-based members, -1 at the end) hold two columns of one block; those of block -1 stand alone.
has_rivals <- function(members, block) {
  of <- matrix(c(-1, block)[members + 2L], nrow(members))
  rivals <- logical(ncol(members))
  for (a in seq_len(nrow(of))) for (b in seq_len(a - 1)) rivals <- rivals | (of[a, ] >= 0 & of[a, ] == of[b, ])
  rivals
}

# The values of chosen sets of a histogram; NA where a set was not tallied.
set_values <- function(x, members, values = x$values, more = x$more$values) {
  at <- .Call(C_rr_set_positions, as.double(length(x$columns)), as.double(x$tallied), members)
  out <- rep(NA_real_, length(at))
  out[at > 0] <- values[at[at > 0]]
  if (any(at == 0) && !is.null(x$more)) {
    at <- match(member_labels(members, x$columns), member_labels(x$more$members, x$columns))
    out[!is.na(at)] <- more[at[!is.na(at)]]
  }
  out
}
