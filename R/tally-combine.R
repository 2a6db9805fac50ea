# Tallies of parts into one: c().

#' @export
c.rr_tally <- function(...) {
  tallies <- list(...)
  first <- tallies[[1]]
  for (i in seq_along(tallies)) {
    tally <- tallies[[i]]
    if (!inherits(tally, "rr_tally")) {
      abort(c("Only tallies can be merged with a tally.", x = "Argument {i} is {describe(tally)}."), "argument")
    }
    if (!same_mechanism(tally$mechanism, first$mechanism)) {
      reordered <- reorder_tally(tally, first$mechanism)
      if (is.null(reordered)) {
        abort(c("Tallies must be of the same mechanism to be merged.",
                x = "{mechanism_difference(tally$mechanism, first$mechanism, paste('Tally', i), 'Tally 1')}"),
              "mismatch")
      }
      tallies[[i]] <- reordered
    }
    if (!identical(names(tally$groups), names(first$groups))) {
      grouping <- function(t) {
        if (is.null(t$groups)) return("is not grouped")
        paste("is grouped by", paste(names(t$groups), collapse = ", "))
      }
      abort(c("Tallies must have the same grouping to be merged.", x = "Tally {i} {grouping(tally)}.",
              i = "Tally 1 {grouping(first)}."), "mismatch")
    }
  }
  weighted <- !vapply(tallies, function(t) is.null(t$weight_squares), NA)
  # A tally without weights counts each report once: its sum of squared weights is its n.
  squares <- lapply(tallies, function(t) t$weight_squares %||% t$n)
  counts <- lapply(tallies, `[[`, "counts")
  numbers <- lapply(tallies, `[[`, "n")
  merged_n <- if (any(weighted)) sum else check_merged
  missing <- sum(vapply(tallies, function(t) as.double(t$missing), 0))
  # How many people answered weighted tallies is known only where all of them know it.
  answered <- lapply(tallies, function(t) if (is.null(t$weight_squares)) t$n else t$respondents)
  answered <- if (any(weighted) && !any(vapply(answered, is.null, NA))) answered
  chunks <- merge_chunks(tallies)
  witness <- lapply(tallies, `[[`, "witness")
  witness <- if (!any(vapply(witness, is.null, NA))) sum(unlist(witness))
  # Sets are merged where every tally has them.
  sets <- lapply(tallies, `[[`, "sets")
  sets <- if (!any(vapply(sets, is.null, NA))) do.call(c, sets)
  if (is.null(first$groups)) {
    tally <- new_rr_tally(first$mechanism, Reduce(`+`, counts), missing = missing, n = merged_n(unlist(numbers)),
                          weight_squares = if (any(weighted)) Reduce(`+`, squares),
                          respondents = if (!is.null(answered)) sum(unlist(answered)))
    if (!is.null(sets)) tally$sets <- list(merge_sets(sets))
    tally$chunks <- chunks
    tally$witness <- witness
    return(tally)
  }
  rows <- do.call(rbind, lapply(tallies, function(t) as.data.frame(t$groups, stringsAsFactors = FALSE)))
  groups <- make_groups(as.list(rows), nrow(rows))
  sums <- function(columns) t(rowsum(t(columns), groups$codes))
  tally <- new_rr_tally(first$mechanism, unname(sums(do.call(cbind, counts))), groups = groups$keys, missing = missing,
                        n = as.vector(tapply(unlist(numbers), groups$codes, merged_n)),
                        weight_squares = if (any(weighted)) as.vector(rowsum(unlist(squares), groups$codes)),
                        respondents = if (!is.null(answered)) as.vector(rowsum(unlist(answered), groups$codes)))
  if (!is.null(sets)) tally$sets <- lapply(seq_len(groups$n), function(g) merge_sets(sets[groups$codes == g]))
  tally$chunks <- chunks
  tally$witness <- witness
  tally
}

# Whole counts are exact up to 2^53. The sum of doubles may round down to 2^53; the sum without the largest cannot.
beyond_exact <- function(numbers) {
  largest <- which.max(numbers)
  length(numbers) > 0 && sum(numbers[-largest]) > 2^53 - numbers[largest]
}

check_merged <- function(numbers) {
  if (!beyond_exact(numbers)) return(sum(numbers))
  abort(c("Tallies must not add up to more than 2^53 reports.",
          x = "These add up to {format(sum(numbers), digits = 17)}."),
        "counts")
}
