# Inversion, its negative parts set to 0 and the rest rescaled (Norm-Mul of Wang et al.).
method_invn <- function() {
  rr_new_method("invn", "Inversion, clipped and rescaled", function(evidence, options) law_rescaled(evidence$law,
                                                                                                    evidence),
                group = "inversion", cost = 1, place = 3, local_map = kept_map, choice = 2, ramp = "invn")
}

# Of estimates that divide what they keep of the inversion by its sum.
kept_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(support = on, alpha = 1 / sum(evidence$unbiased()[on]), u = ifelse(on, estimate, 0))
}
