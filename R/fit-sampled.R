# One question of many: a fit for each.

estimate_tally.rr_sampled <- function(mechanism, tally, given) {
  lapply(stats::setNames(nm = names(mechanism$parts)), function(name) {
    part <- part_tally(tally, name)
    if (all(part$n <= 0)) {
      abort(c("Each question must have been answered by somebody.", x = "Nobody drew the question {.val {name}}."),
            "empty")
    }
    estimate_tally(part$mechanism, drop_empty_groups(part), given)
  })
}

# A hierarchy has one distribution, and an unbiased estimate unless asked for another.
estimate_tally.rr_hierarchy <- function(mechanism, tally, given) {
  if (!"method" %in% names(given)) given$method <- "inv"
  estimate_tally.rr_mechanism(mechanism, tally, given)
}
