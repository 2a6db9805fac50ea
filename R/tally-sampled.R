# Reports that say which part they answer: a question of several, or a level of a hierarchy. What is counted is, part after part, how many
# answered it and its own counts, so that tallies group, weigh and merge as others do.

#' @export
rr_count_reports.rr_sampled <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  read <- read_parts(x, mechanism, na.rm)
  columns <- max(1L, groups)
  dropped <- read$dropped
  counted <- Map(function(part, rows, name) {
    result <- if (length(rows)) in_part(name, mechanism, rr_count_reports(part, part_reports(read$reports, rows, part), groups = groups[rows],
                                                               weights = weights[rows], na.rm = na.rm))
              else list(counts = numeric(length(part$reports)))
    gone <- rows[result$dropped %||% integer()]
    # Categories are dropped by their kernel, which says how many but not where.
    if (is.null(result$dropped) && isTRUE(result$missing > 0)) gone <- rows[missing_reports(read$reports$report[rows])]
    stay <- setdiff(rows, gone)
    counts <- as.matrix(result$counts)
    counts <- cbind(counts, matrix(0, nrow(counts), columns - ncol(counts)))
    each <- weights[stay] %||% rep(1, length(stay))
    n <- if (is.null(groups)) sum(each) else as.vector(rowsum(c(each, numeric(columns)), c(groups[stay], seq_len(columns))))
    list(counts = rbind(n, counts), gone = gone)
  }, mechanism$parts, read$rows, names(mechanism$parts))
  counts <- do.call(rbind, lapply(counted, `[[`, "counts"))
  list(counts = if (columns > 1L) unname(counts) else as.vector(counts),
       dropped = sort(c(dropped, unlist(lapply(counted, `[[`, "gone"), use.names = FALSE))))
}

missing_reports <- function(x) which(if (is.list(x)) vapply(x, function(one) length(one) == 1L && is.na(one), NA) else is.na(x))

#' @export
rr_reports.rr_sampled <- function(x, mechanism) {
  read <- read_parts(x, mechanism, FALSE)
  Map(function(part, rows, name) if (length(rows)) in_part(name, mechanism, rr_reports(part_reports(read$reports, rows, part), part)),
      mechanism$parts, read$rows, names(mechanism$parts))
  x
}

# list(reports, rows of each part, dropped).
read_parts <- function(x, mechanism, na.rm) {
  key <- mechanism$part_column
  if (!is.data.frame(x) || !key %in% names(x)) {
    abort(c("{.arg x} must be a data frame with a column {.val {key}} beside the reports.", x = "It is {describe(x)}."), "report")
  }
  x <- structure(as.list(x), row.names = .set_row_names(nrow(x)), class = "data.frame")
  given <- x[[key]]
  place <- match(as.character(if (is.factor(given)) given else plain_numbers(given)), names(mechanism$parts))
  missing <- is.na(given)
  bad <- which(is.na(place) & !missing)
  if (length(bad)) {
    abort_report_at(bad[1], sprintf("has the %s %s, which is none of %s", key, encodeString(as.character(given[bad[1]]), quote = "\""),
                                    format_labels(names(mechanism$parts))))
  }
  dropped <- drop_missing_reports(which(missing), na.rm)
  list(reports = x[setdiff(names(x), key)], rows = lapply(seq_along(mechanism$parts), function(j) which(place == j)), dropped = dropped)
}

# The reports of some rows, as their own mechanism takes them.
part_reports <- function(reports, rows, part) {
  if (!"report" %in% names(reports)) return(reports[rows, , drop = FALSE])
  column <- reports$report[rows]
  if (!is.list(column) || is.data.frame(column)) return(column)
  if (any(vapply(column, is.raw, NA))) return(column)
  # Sets of one category are a matrix all the same.
  if (inherits(part, c("rr_subset", "rr_bitflip"))) return(set_matrix(column))
  if (is.list(column[[1]])) return(as.data.frame(do.call(rbind, lapply(column, unlist))))
  odd <- which(lengths(column) != 1L)
  if (length(odd)) abort_report_at(odd[1], sprintf("is of length %s", length(column[[odd[1]]])))
  unlist(column)
}

set_matrix <- function(column) {
  odd <- which(lengths(column) != length(column[[1]]))
  if (length(odd)) abort_report_at(odd[1], "differs in size from the first")
  do.call(rbind, column)
}

# What is wrong with the reports of one part, told as such: their positions are among its own.
in_part <- function(name, mechanism, code) {
  tryCatch(code, candor_error = function(cnd) {
    kind <- sub("^candor_error_", "", grep("^candor_error_", class(cnd), value = TRUE))
    lines <- gsub("}", "}}", gsub("{", "{{", cnd$body, fixed = TRUE), fixed = TRUE)
    abort(c("{.arg x} must hold reports of this mechanism: those of {mechanism$part_column} {.val {name}} do not.", lines,
            i = "Positions are among the reports of this {mechanism$part_column}."), kind)
  })
}

# The tally of one part.
part_tally <- function(tally, name) {
  parts <- tally$mechanism$parts
  rows <- part_rows(parts)[[match(name, names(parts))]]
  counts <- as.matrix(tally$counts)[rows, , drop = FALSE]
  n <- counts[1, ]
  counts <- counts[-1, , drop = FALSE]
  # Weights do not depend on the question that was drawn: each part is worth its share of the effective number.
  squares <- if (!is.null(tally$weight_squares)) ifelse(tally$n > 0, tally$weight_squares * n / tally$n, 0)
  new_rr_tally(parts[[name]], if (is.matrix(tally$counts)) unname(counts) else as.vector(counts), groups = tally$groups,
               n = unname(n), weight_squares = unname(squares))
}
