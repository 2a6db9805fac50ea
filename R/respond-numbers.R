# Answers that are numbers: put in bins, or refused where they lie outside the range.

# Numbers are put in their bins. The error does not name the value, which would be somebody's answer.
#' @export
prepare_answers.rr_square_wave <- function(mechanism, x) {
  if (is.null(mechanism$breaks) || !is.numeric(x) || is.factor(x)) return(NextMethod())
  bin <- findInterval(x, mechanism$breaks, rightmost.closed = TRUE)
  stray <- which(is.na(bin) | bin < 1L | bin >= length(mechanism$breaks))
  if (length(stray) && is.na(x[stray[1]])) abort_answer(as.double(x), stray[1], mechanism)
  if (length(stray)) abort_outside(stray, mechanism$breaks)
  prepare_answers.rr_mechanism(mechanism, bin)
}

# Answers outside the range of a mechanism of numbers.
abort_outside <- function(stray, range) {
  others <- if (length(stray) > 1) sprintf("; %s answers do not", format_count(length(stray))) else ""
  bounds <- format(range[c(1, length(range))], digits = 15, trim = TRUE)
  abort(c("{.arg x} must lie within the mechanism's range, from {bounds[1]} to {bounds[2]}.",
          x = "Answer {format_count(stray[1])} does not{others}.",
          i = "Cut them to the range first, for all alike, or choose a wider one."), "level")
}
