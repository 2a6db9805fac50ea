# Inversion, projected on the distributions (Norm-Sub of Wang et al.): two names, one method.
method_invp <- function() {
  rr_new_method("invp", "Inversion, projected", estimate_projected, group = "inversion", cost = 2, place = 4,
                local_map = projected_map, choice = 3, ramp = "invp")
}

method_norm_sub <- function() {
  rr_new_method("norm_sub", "Inversion, Norm-Sub", estimate_projected, group = "post-processing", cost = 2, place = 9,
                local_map = projected_map, ramp = "invp")
}

estimate_projected <- function(evidence, options) law_projected(evidence$law, evidence)

projected_map <- function(estimate, evidence) {
  on <- estimate > 0
  list(support = on, alpha = 1, u = ifelse(on, 1 / sum(on), 0))
}
