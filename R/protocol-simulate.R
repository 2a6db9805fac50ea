# Counts of simulated reports, for simulate() and the bootstrap: they are drawn from the law, or
# reports are drawn and counted.

# The counts of `nsim` tallies, a column each, of `truth[x]` respondents with truth x.
simulate_counts <- function(mechanism, truth, nsim = 1) {
  is_valid <- length(truth) == length(mechanism$levels) && all(truth >= 0)
  check_that(is_valid, truth, "truth", "one number of respondents per level")
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
      paste(
        "Give {.fn rr_new_mechanism} a function {.arg simulate}, or simulate reports with",
        "{.fn rr_perturb}."
      )
    )
  }
  # A chunk has so many reports that their bits take some 100 MB at most.
  max_n <- max(1, floor(8e8 / k))
  vapply(seq_len(nsim), function(i) {
    counts <- numeric(length(mechanism$reports))
    remaining <- truth
    while (sum(remaining) > 0) {
      chunk <- pmin(remaining, pmax(max_n - (cumsum(remaining) - remaining), 0))
      answers <- rep(seq_along(chunk), chunk)
      reports <- decode_answers(mechanism, draw_reports(mechanism, answers, "R"), answers)
      counts <- counts + count_reports(mechanism, reports)$counts
      remaining <- remaining - chunk
    }
    counts
  }, numeric(length(mechanism$reports)))
}

# The counts of bits, which are independent given the truths: those of the respondents whose truth
# the bit is, plus those of all others.
simulate_bits <- function(mechanism, truth, nsim) {
  k <- length(truth)
  supporting <- rbinom(k * nsim, rep(truth, nsim), mechanism$sampler$p)
  others <- rbinom(
    k * nsim, rep(sum(truth) - truth, nsim), mechanism$sampler$q
  )
  matrix(as.double(supporting + others), k, nsim)
}

# Can counts of the mechanism be simulated without a law? Protocols draw reports and count them.
simulates_counts <- function(mechanism) {
  if (!is.null(mechanism[["simulate"]])) return(TRUE)
  !is.null(mechanism$codec) && is.null(mechanism$codec$block) &&
    law_gives(rr_law(mechanism), "inverse")
}
