# The start of an iteration, as the user may give it.

start_option <- function(start, evidence) {
  if (is.numeric(start) && !is.null(evidence$mechanism)) start <- place_start(start, evidence$mechanism)
  check_start(start, evidence$k)
}

# A start under the levels of the mechanism; for several questions a table over them, as of rr_joint(), will do as well.
place_start <- function(start, mechanism) {
  dimensions <- length(dim(start))
  if (dimensions > 1L && dimensions != length(mechanism$questions)) {
    abort(c("{.arg start} must have one dimension per question.",
            x = "It has {dimensions}; the number of questions is {max(1, length(mechanism$questions))}."), "argument")
  }
  if (dimensions > 1L) start <- flatten_questions(start, mechanism, "start", "levels")
  if (dimensions == 1L) start <- stats::setNames(as.vector(start), names(start))
  match_levels(start, mechanism$levels, "start", 0, !is.null(mechanism$truth_bits))
}

check_start <- function(start, k) {
  if (is.null(start)) return(NULL)
  start <- check_probabilities(start, "start")
  if (length(start) != k || abs(sum(start) - 1) > 1e-8) {
    abort(c("{.arg start} must be a distribution over the {k} categories.",
            x = "It has length {length(start)} and adds up to {format(sum(start), digits = 10)}."),
          "argument")
  }
  as.double(start)
}

# The update never changes a share of 0, so every report that was given must be possible under the start.
check_possible_start <- function(reported, counts) {
  bad <- which(counts > 0 & !(reported > 0))
  if (!length(bad)) return(invisible())
  abort(c("{.arg start} must allow every report that was given.",
          x = "Report number {bad[1]} has probability 0 under it, and was given.",
          i = "Start from shares above 0."), "argument")
}
