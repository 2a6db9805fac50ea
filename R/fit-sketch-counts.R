# Estimates from a count-mean sketch: of the strings that are asked for.

estimate_tally.rr_sketch_counts <- function(mechanism, tally, given) {
  estimate_candidates(mechanism, tally, given, identity)
}

# Whole strings are estimated from those who were held out.
estimate_tally.rr_prefixes <- function(mechanism, tally, given) {
  own <- part_tally(tally, held_out)
  if (any(own$n <= 0)) abort_no_group(held_out)
  estimate_candidates(own$mechanism, own, given, function(strings) prefix_of(strings, max(mechanism$lengths)))
}

# `sent` says what respondents with these strings report about.
estimate_candidates <- function(mechanism, tally, given, sent) {
  if ("method" %in% names(given) && !identical(given$method, "inv")) {
    abort(c("{.arg method} must be {.val inv}, or left out: a sketch has one estimate of each string.",
            x = "It is {describe(given$method)}."), "argument")
  }
  if ("interval" %in% names(given) && !isTRUE(given$interval %in% c("wilson", "wald"))) {
    abort(c("{.arg interval} must be {.val wilson} or {.val wald} for strings in a sketch.",
            x = "It is {describe(given$interval)}."), "argument")
  }
  candidates <- check_candidates(given$options$candidates)
  given$method <- "inv"
  given$options$candidates <- NULL
  asked <- candidate_tally(mechanism, tally, sent(candidates), candidates)
  estimate_tally(asked$mechanism, asked, given)
}

check_candidates <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) x <- check_hashed_text(x, "candidates")
  if (!is.character(x) || !length(x) || anyNA(x) || anyDuplicated(x)) {
    abort(c("{.arg candidates} must be the strings whose shares are wanted, different and not missing.",
            x = if (is.null(x)) "It is not given."
                else if (is.character(x) && length(x) && !anyNA(x)) "{.val {x[anyDuplicated(x)]}} appears twice."
                else "It is {describe(x)}.",
            i = paste("For example {.code rr_estimate(tally, candidates = c(\"tea\", \"coffee\"))};",
                      "{.fn rr_heavy_hitters} finds strings.")), "argument")
  }
  x
}
