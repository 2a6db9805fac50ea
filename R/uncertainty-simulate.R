# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. One column
# per replication.
simulate_group <- function(fit, g, nsim, n = fit$tally$effective_n[g]) {
  n <- max(1, round(n))
  if (n > 2^53) {
    abort(c("Simulated tallies can have 2^53 reports at most.", x = "This one would have {format(n, digits = 3)}."),
          "counts")
  }
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  if (fit$target == "population") return(simulate_sampled(fit$mechanism, theta, n, nsim))
  simulate_counts(fit$mechanism, whole_shares(n, .Call(C_rr_project, theta, 1)), nsim)
}

# Counts of a sample of respondents: multinomial where a report is one of finitely many, else of drawn truths.
simulate_sampled <- function(mechanism, theta, n, nsim) {
  law <- rr_law(mechanism)
  if (law_gives(law, "channel", length(theta))) return(draw_multinomial(nsim, n, pmax(law_reported(law, theta), 0)))
  truths <- draw_multinomial(nsim, n, .Call(C_rr_project, theta, 1))
  vapply(seq_len(nsim), function(i) as.double(simulate_counts(mechanism, as.double(truths[, i]), 1)),
         numeric(length(mechanism$reports)))
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
  counts <- lapply(seq_len(groups), function(g) simulate_group(fit, g, replications, n[g]))
  # A validation study is made again too.
  laws <- if (!is.null(law$validation)) replicate(replications, validation_again(law), simplify = FALSE)
  evidence <- function(g, i) {
    law <- laws[[i]] %||% law
    new_evidence(law, as.double(counts[[g]][, i]), max(1, round(n[g])), n[g], k, fit$mechanism)
  }
  # Replication by replication: a method may estimate all groups together.
  estimates <- vapply(seq_len(replications), function(i) {
    results <- run_groups(fit$estimator, lapply(seq_len(groups), evidence, i = i), options)
    vapply(results, `[[`, numeric(k), "estimate")
  }, matrix(0, k, groups))
  lapply(seq_len(groups), function(g) matrix(estimates[, g, ], nrow = k))
}
