# Counts of reports that nobody gave, for simulate() and the bootstrap: from the law, or by drawing reports and counting
# them.

#' @export
#' @rdname rr_new_mechanism
rr_simulate_counts <- function(mechanism, truth, nsim = 1) {
  check_mechanism(mechanism)
  k <- length(mechanism$levels)
  check_that(length(truth) == k && all(truth >= 0), "truth", "one number of respondents per level", truth)
  UseMethod("rr_simulate_counts")
}

#' @export
rr_simulate_counts.rr_mechanism <- function(mechanism, truth, nsim = 1) {
  law <- rr_law(mechanism)
  if (!law_gives(law, "simulation", length(mechanism$levels))) {
    refuse_law(law, "simulation", "Simulation",
               sprintf("Define {.code rr_simulate_counts.%s()}, or simulate reports with {.fn rr_perturb}.",
                       class(mechanism)[1]))
  }
  law_simulate(law, as.double(truth), nsim)
}

# By drawing reports, so many at a time that their bits take some 100 MB at most.
#' @export
rr_simulate_counts.rr_protocol <- function(mechanism, truth, nsim = 1) {
  k <- length(mechanism$levels)
  if (k == 1L || law_gives(rr_law(mechanism), "simulation", k)) return(NextMethod())
  each <- max(1, floor(8e8 / k))
  vapply(seq_len(nsim), function(i) {
    counts <- numeric(length(mechanism$reports))
    left <- truth
    while (sum(left) > 0) {
      before <- cumsum(left) - left
      now <- pmin(left, pmax(each - before, 0))
      reports <- rr_draw_reports(mechanism, rep(seq_along(now), now), "R")
      counts <- counts + rr_count_reports(mechanism, reports)$counts
      left <- left - now
    }
    counts
  }, numeric(length(mechanism$reports)))
}

# Has the mechanism a method of its own?
simulates_counts <- function(mechanism) {
  any(vapply(setdiff(class(mechanism), "rr_mechanism"), function(class) {
    !is.null(utils::getS3method("rr_simulate_counts", class, optional = TRUE, envir = topenv()))
  }, NA))
}
