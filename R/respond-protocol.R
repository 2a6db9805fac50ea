# `draw` calls one of the samplers of src/glue_protocols.c; `answers` are positions.
draw_protocol <- function(draw, answers, mechanism, rng) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  result <- draw(as.integer(answers), as.double(length(mechanism$levels)), generator(rng))
  if (result$failed) abort_generator(rng)
  if (result$position > 0) {
    abort(c("{.arg answers} must be positions of levels, from 1 to {format_count(length(mechanism$levels))}.",
            x = "Answer {result$position} is not."), "argument")
  }
  result$reports
}

# n whole numbers from 0 to size - 1, all equally likely: a report that does not depend on the truth.
draw_uniform <- function(n, size, rng) {
  if (size == 1 || n == 0) return(numeric(n))
  result <- .Call(C_rr_perturb, rep(1L, n), 1L, as.double(c(size, size)), plan_kind(list(kind = "grr")),
                  c(1 / size, 1 / size, 0), generator(rng))
  if (result$failed) abort_generator(rng)
  result$reports - 1
}

# n coins that are TRUE with probability p, rounded down on the grid; `other` is 1 - p.
draw_coins <- function(n, p, other, rng) {
  if (n == 0 || p == 0) return(logical(n))
  result <- .Call(C_rr_perturb, rep(2L, n), 1L, c(2, 2), plan_kind(list(kind = "binary")), c(p, other, 0, 1),
                  generator(rng))
  if (result$failed) abort_generator(rng)
  result$reports == 2L
}
