# Linear inversion: the unbiased estimate as it is.
method_inv <- function() {
  rr_new_method("inv", "Linear inversion", function(evidence, options) evidence$unbiased(), unbiased = TRUE,
                group = "inversion", cost = 1, place = 2, choice = 1)
}
