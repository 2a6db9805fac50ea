# `draw` calls one of the samplers of src/glue_protocols.c; `answers` are positions.
draw_protocol <- function(draw, answers, mechanism, rng, ...) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  result <- draw(as.integer(answers), 1L, as.double(length(mechanism$levels)), ..., generator(rng))
  if (result$failed) abort_generator(rng)
  if (result$position > 0) {
    abort(c("{.arg answers} must be positions of levels, from 1 to {format_count(length(mechanism$levels))}.",
            x = "Answer {result$position} is {answers[result$position]}."), "argument")
  }
  result$reports
}
