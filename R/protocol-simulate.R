# Counts of reports that nobody gave, for simulate() and the bootstrap: from the law, or by drawing
# reports and counting them.

simulate_counts <- function(mechanism, truth, nsim = 1) {
  good <- length(truth) == length(mechanism$levels) && all(truth >= 0)
  check_that(good, truth, "truth", "one number of respondents per level")
  UseMethod("simulate_counts")
}

simulate_counts.rr_mechanism <- function(mechanism, truth, nsim = 1) {
  if (!is.null(mechanism[["simulate"]])) {
    return(mechanism[["simulate"]](mechanism, truth, nsim))
  }
  if (draws_bits(mechanism)) return(simulate_bits(mechanism, truth, nsim))
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (law_gives(law, "simulation")) return(law_simulate(law, as.double(truth), nsim))
  if (k == 1L || !simulates_counts(mechanism)) {
    refuse_law(
      law, "simulation", "Simulation",
      "Give {.fn rr_new_mechanism} a function {.arg simulate}, or simulate reports with {.fn rr_perturb}."
    )
  }
  # By drawing reports, so many at a time that their bits take some 100 MB at most.
  each <- max(1, floor(8e8 / k))
  vapply(seq_len(nsim), function(i) {
    counts <- numeric(length(mechanism$reports))
    left <- truth
    while (sum(left) > 0) {
      now <- pmin(left, pmax(each - (cumsum(left) - left), 0))
      answers <- rep(seq_along(now), now)
      reports <- decode_answers(mechanism, draw_reports(mechanism, answers, "R"), answers)
      counts <- counts + count_reports(mechanism, reports)$counts
      left <- left - now
    }
    counts
  }, numeric(length(mechanism$reports)))
}

# Given the truths the bits are independent, and so are the counts.
simulate_bits <- function(mechanism, truth, nsim) {
  k <- length(truth)
  held <- rbinom(k * nsim, rep(truth, nsim), mechanism$sampler$p)
  matrix(
    as.double(
      held +
        rbinom(k * nsim, rep(sum(truth) - truth, nsim), mechanism$sampler$q)
    ),
    k, nsim
  )
}

# Has the mechanism counts of its own? Protocols draw reports and count them.
simulates_counts <- function(mechanism) {
  if (!is.null(mechanism[["simulate"]])) return(TRUE)
  !is.null(mechanism$codec) && is.null(mechanism$codec$block) &&
    law_gives(rr_law(mechanism), "inverse")
}
