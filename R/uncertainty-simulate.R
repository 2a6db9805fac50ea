# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. One column
# per replication.
simulate_counts <- function(fit, g, nsim, n = fit$tally$effective_n[g]) {
  n <- max(1, round(n))
  if (n > 2^53) {
    abort(c("Simulated tallies can have 2^53 reports at most.", x = "This one would have {format(n, digits = 3)}.",
            i = "For weighted counts give {.arg effective_n} as the number of respondents they are worth."), "counts")
  }
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  if (fit$target == "population") {
    return(simulate_sampled(fit$mechanism, theta, n, nsim))
  }
  rr_simulate_counts(fit$mechanism, whole_shares(n, .Call(C_rr_project, theta, 1)), nsim)
}

# Counts of a sample of respondents: multinomial where a report is one of finitely many, else of drawn truths.
simulate_sampled <- function(mechanism, theta, n, nsim) {
  law <- rr_law(mechanism)
  if (law_gives(law, "channel", length(theta))) return(draw_multinomial(nsim, n, pmax(law_reported(law, theta), 0)))
  truths <- draw_multinomial(nsim, n, .Call(C_rr_project, theta, 1))
  vapply(seq_len(nsim), function(i) as.double(rr_simulate_counts(mechanism, as.double(truths[, i]), 1)),
         numeric(length(mechanism$reports)))
}

# Expected share of each count when the truths are distributed as theta.
reported_shares <- function(mechanism, theta) law_reported(rr_law(mechanism), theta)

#' @export
#' @rdname rr_new_mechanism
rr_simulate_counts <- function(mechanism, truth, nsim = 1) {
  check_given(truth = "the number of respondents who hold each level")
  check_mechanism(mechanism)
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
simulate_by_reports <- function(mechanism, truth, nsim) {
  each <- max(1, floor(8e8 / max(1, length(mechanism$levels))))
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

#' @export
rr_simulate_counts.rr_subset <- function(mechanism, truth, nsim = 1) simulate_by_reports(mechanism, truth, nsim)

#' @export
rr_simulate_counts.rr_bitflip <- function(mechanism, truth, nsim = 1) simulate_by_reports(mechanism, truth, nsim)

# Of cohorts a report is one of finitely many.
#' @export
rr_simulate_counts.rr_local_hash <- function(mechanism, truth, nsim = 1) {
  if (is.null(mechanism$cohorts)) simulate_by_reports(mechanism, truth, nsim) else NextMethod()
}

#' @export
rr_simulate_counts.rr_hadamard <- function(mechanism, truth, nsim = 1) {
  if (mechanism$one_bit) simulate_by_reports(mechanism, truth, nsim) else NextMethod()
}

# Has the mechanism a method of its own?
simulates_counts <- function(mechanism) {
  any(vapply(setdiff(class(mechanism), "rr_mechanism"), function(class) {
    !is.null(utils::getS3method("rr_simulate_counts", class, optional = TRUE, envir = topenv()))
  }, NA))
}

# Estimates re-made from simulated tallies: per group a matrix, categories by replications.
bootstrap <- function(fit, replications, options) {
  groups <- ncol(as.matrix(fit$estimate))
  check_memory(24 * length(fit$estimate) * replications, "replications",
               sprintf("Bootstrapping %s estimates %s times", format_count(length(fit$estimate)),
                       format_count(replications)))
  law <- rr_law(fit$mechanism)
  n <- fit$tally$effective_n
  k <- length(fit$mechanism$levels)
  counts <- lapply(seq_len(groups), function(g) simulate_counts(fit, g, replications, n[g]))
  evidence <- function(g, i) {
    new_evidence(law, as.double(counts[[g]][, i]), max(1, round(n[g])), n[g], k, fit$mechanism)
  }
  # Replication by replication: a method may estimate all groups together.
  estimates <- vapply(seq_len(replications), function(i) {
    results <- run_groups(fit$estimator, lapply(seq_len(groups), evidence, i = i), options)
    vapply(results, `[[`, numeric(k), "estimate")
  }, matrix(0, k, groups))
  lapply(seq_len(groups), function(g) matrix(estimates[, g, ], nrow = k))
}
