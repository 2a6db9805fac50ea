# A mechanism declares how its reports are drawn in `sampler`: a `kind`, and the `numbers` that its
# kernel takes. They determine rr_perturb(), the achieved epsilon, the plan of a client and the
# levels that cannot be drawn. For bits they also determine the matrix, fast simulation and a second
# stage.
#   a kind of        the report is a category. A mechanism declares it for the digits that its law
#   category_kinds   does not have: see category_sampler()
#   bits             a bit for each category, drawn one by one: 1 with probability p if the category
#                    is the truth, and q if not
#   support          the report is drawn from those that support the truth, or from all: one in
#                    `factor` of all supports it. The protocol has a method of draw_reports()

# The kinds of samplers of categories, and their numbers:
#   grr              p, q, p - q              the probabilities are the nominal ones
#   grr_epsilon      epsilon                  epsilon is the nominal one, probabilities are rounded
#                                             on its safe side
#   binary           p, 1 - p, q, 1 - q       the smaller of each pair counts
#   innocuous        a, b[1], b[2], ...       truth with probability a, else from b
#   channel          the matrix, rows are truths
category_kinds <- c("grr", "grr_epsilon", "binary", "innocuous", "channel")

plan_kind <- function(plan) match(plan$kind, category_kinds) - 1L

plan_sizes <- function(mechanism) {
  as.double(c(length(mechanism$levels), length(mechanism$reports)))
}

# The sampler of bits. `numbers` are epsilon and whether it is the optimized kind, from which the
# kernel makes its probabilities, or the probabilities and their complements.
bit_sampler <- function(
  p, q, numbers = c(p, 1 - p, q, 1 - q)
) {
  list(kind = "bits", p = p, q = q, numbers = as.double(numbers))
}

support_sampler <- function(factor) list(kind = "support", factor = as.double(factor))

draws_bits <- function(mechanism) identical(mechanism$sampler$kind, "bits")

# The epsilon of a sampler of reports that are no categories, as its kernel draws on the grid of
# 2^-64; p and q too if they are bits.
sampler_chances <- function(mechanism) {
  sampler <- mechanism$sampler
  # See src/core/respond/chance.h.
  if (sampler$kind == "support") {
    return(list(epsilon = .Call(C_rr_support_chance, sampler$factor, mechanism$epsilon)[1]))
  }
  chances <- .Call(C_rr_bit_chances, sampler$numbers)
  list(epsilon = chances[1], p = chances[2], q = chances[3])
}
