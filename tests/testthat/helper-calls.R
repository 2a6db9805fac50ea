# The function with others in place of functions that it calls, or of numbers that it reads.
with_calls <- function(f, ...) {
  environment(f) <- list2env(list(...), parent = environment(f))
  f
}
