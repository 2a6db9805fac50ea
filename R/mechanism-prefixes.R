#' @rdname rr_heavy_hitters
#' @section The mechanism:
#' In `rr_prefixes()` each respondent belongs to a group, drawn uniformly. There is a
#' group for each of `lengths`, whose respondents report that number of first characters of their string. One more group is held out and reports whole
#' strings. All reports are reports of a count-mean sketch, with the whole `epsilon`. A whole string is its first `max(lengths)` characters. A shorter string ends in a special sign and is no prefix of others. Fewer lengths make
#' larger groups, and more candidates in each step.
#'
#' @inheritParams rr_count_mean_sketch
#' @param lengths Increasing whole numbers, each at least 1: lengths of the prefixes in characters.
#' @param functions Whole number, at least 1; default 64. Number of hash functions of each group's sketch.
#' @return `rr_prefixes()`: a mechanism of class `c("rr_prefixes", "rr_sampled", "rr_mechanism")` with `lengths`, and `parts`, the sketches. [rr_perturb()] takes text and
#'   returns the columns of a sketch's reports and `part`: the length, or `"held out"`. [rr_estimate()] with `candidates` returns the shares of
#'   whole strings from the group that was held out.
#' @order 1
#' @export
rr_prefixes <- function(
  epsilon,
  lengths,
  width = 1024,
  functions = 64,
  one_bit = FALSE,
  key = 1,
  ...
) {
  check_dots_empty(...)
  is_whole <- is_numbers(lengths) && length(lengths) &&
    all(is.finite(lengths) & lengths == floor(lengths))
  check_that(
    is_whole && all(lengths >= 1) && all(diff(lengths) > 0), lengths, "lengths",
    "whole numbers of characters that increase, from 1"
  )
  # Each group has different hash functions: strings that collide in one, and survive, do not
  # collide in the next.
  sketch <- function(i) {
    rr_count_mean_sketch(
      epsilon, width, functions, one_bit, (check_key(key) + i - 1) %% 2^32
    )
  }
  first <- sketch(1)
  names <- c(vapply(lengths, format_count, ""), held_out)
  if (length(first$reports) * length(names) > sketch_cells) {
    abort("The sketches of so many {.arg lengths} and {.arg functions} are too large.", "too_large")
  }
  sketches <- setNames(lapply(seq_along(names), sketch), names)
  design <- sprintf(
    "Prefixes of %s characters, and whole strings held out", paste(lengths, collapse = ", ")
  )
  with_recipe(
    new_rr_sampled("prefixes", "any text", sketches, "part", design, lengths = as.double(lengths)),
    "rr_prefixes", epsilon = epsilon, lengths = lengths, width = width, functions = functions,
    one_bit = one_bit, key = key, fields = NULL
  )
}

# The sign at the end of a string that is shorter than the prefix: no prefix of others has it.
string_end <- "\u0004"

prefix_of <- function(strings, length) {
  end <- ifelse(nchar(strings) < length, string_end, "")
  paste0(substr(strings, 1, length), end)
}

#' @export
prepare_answers.rr_prefixes <- function(mechanism, x) {
  x <- prepare_answers.rr_count_mean_sketch(mechanism, x)
  if (any(grepl(string_end, x, fixed = TRUE))) {
    abort("{.arg x} must not contain the sign U+0004, which ends strings.")
  }
  x
}

client_plan.rr_prefixes <- function(mechanism) refuse_texts(mechanism)

draw_reports.rr_prefixes <- function(mechanism, answers, rng = "secure") {
  answers <- check_hashed_text(answers, "answers", answers = TRUE)
  lengths <- c(mechanism$lengths, max(mechanism$lengths))
  prefixes <- lapply(lengths, function(length) prefix_of(answers, length))
  draw_reports.rr_sampled(mechanism, prefixes, rng)
}

decode_answers.rr_prefixes <- function(mechanism, reports, x) {
  decode_answers.rr_hierarchy(mechanism, reports, x)
}
