# How reports of a mechanism are drawn: `kind`, one of perturbation_kinds, and the `numbers` that the kernel needs for
# this kind. A mechanism needs no other method here; the default serves every mechanism with an additive
# form or a matrix.
#   grr          p, q, p - q              the probabilities are the nominal ones
#   grr_epsilon  epsilon                  epsilon is the nominal one, probabilities are rounded on its safe side
#   binary       p, 1 - p, q, 1 - q       the smaller of each pair counts
#   innocuous    a, b[1], b[2], ...       truth with probability a, else from b
#   channel      the matrix, rows are truths
perturbation <- function(mechanism) UseMethod("perturbation")

perturbation_kinds <- c("grr", "grr_epsilon", "binary", "innocuous", "channel")

perturbation.rr_mechanism <- function(mechanism) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (inherits(law, "rr_law_additive") && law$a >= 0) {
    return(list(kind = "innocuous", numbers = c(law$a, rep_len(law$b, k))))
  }
  # All others alike: GRR, whatever it is made of. A rounding must not take p below 0.
  if (length(law$b) == 1L && k > 2L) return(list(kind = "grr", numbers = c(max(0, law$a + law$b), law$b, law$a)))
  if (k > matrix_limit) abort_wide(mechanism)
  list(kind = "channel", numbers = as.double(rr_matrix(mechanism)))
}

abort_wide <- function(mechanism) {
  k <- format_count(length(mechanism$levels))
  abort(c("{.arg mechanism} has too many categories to be randomised with.",
          x = "It has {k}; the limit for its kind is {format_count(matrix_limit)}.",
          i = if (inherits(mechanism, "rr_compose")) {
            "Randomise in two steps: {.code rr_perturb(rr_perturb(x, first), second)}."
          }), "argument")
}

plan_kind <- function(plan) match(plan$kind, perturbation_kinds) - 1L

plan_sizes <- function(mechanism) as.double(c(length(mechanism$levels), length(mechanism$reports)))

# What a mechanism achieves on the grid of 2^-64: `epsilon`, and `a` and `b` as in an additive law, or `matrix`.
achieved <- function(mechanism) UseMethod("achieved")

#' @export
achieved.rr_mechanism <- function(mechanism) {
  mechanism <- designed(mechanism)
  plan <- perturbation(mechanism)
  sizes <- plan_sizes(mechanism)
  result <- .Call(C_rr_achieved, sizes, plan_kind(plan), plan$numbers)
  if (plan$kind == "channel") return(list(epsilon = result$epsilon, matrix = matrix(result$numbers, sizes[1])))
  list(epsilon = result$epsilon, a = result$numbers[1], b = result$numbers[-1])
}
