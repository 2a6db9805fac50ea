# Maximum likelihood: the closed form of the law where it has one, else the certified solver.
method_mle <- function() {
  rr_new_method("mle", "Maximum likelihood", estimate_mle, needs = "likelihood",
                options = c("tolerance", "iterations", "start"), group = "likelihood", cost = 3, place = 1,
                local_map = function(estimate, evidence) law_likelihood_map(evidence$law, evidence, estimate),
                likelihood = TRUE, choice = 4, ramp = "mle", gap = 0)
}

# A closed form meets every tolerance and needs no start.
estimate_mle <- function(evidence, options) {
  options <- mle_options(options, evidence)
  result <- law_maximum(evidence$law, evidence, options)
  if (identical(result$converged, FALSE)) {
    warn(c("The maximum of the likelihood was not reached within the tolerance.",
           x = paste("After {result$iterations} iterations the log-likelihood is within",
                     "{format(result$gap, digits = 3)} of its maximum;",
                     "{format(result$tolerance, digits = 3)} was asked for."),
           i = if (result$stalled) "Double precision allows no better for these counts: give a larger {.arg tolerance}."
               else "Give more {.arg iterations}, or a larger {.arg tolerance}."), "not_converged")
  }
  result[names(result) != "stalled"]
}

mle_options <- function(options, evidence) {
  list(tolerance = if (!is.null(options$tolerance)) check_number(options$tolerance, "tolerance", min = 0),
       iterations = check_count(options$iterations %||% 10000, "iterations"),
       start = start_option(options$start, evidence))
}
