# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. One column
# per replication.
simulate_counts <- function(fit, g, nsim, n = fit$tally$effective_n[g]) {
  n <- max(1, round(n))
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  if (fit$target == "population") {
    shares <- pmax(reported_shares(fit$mechanism, theta), 0)
    return(stats::rmultinom(nsim, n, shares))
  }
  truth <- whole_shares(n, .Call(C_rr_project, theta, 1))
  simulate_reports(fit$mechanism, truth, nsim)
}

# "base_cut" and "power" leave the sum free.
adds_up <- function(theta) abs(sum(theta) - 1) <= 1e-6

# Whole counts closest to n * shares that add up to n.
whole_shares <- function(n, shares) {
  exact <- n * shares
  counts <- floor(exact)
  short <- round(n - sum(counts))
  if (short > 0) {
    first <- order(exact - counts, decreasing = TRUE)[seq_len(short)]
    counts[first] <- counts[first] + 1
  }
  counts
}

# Reports of respondents whose truths are fixed: `truth` respondents hold each of the categories.
simulate_reports <- function(mechanism, truth, nsim) UseMethod("simulate_reports")

#' @export
simulate_reports.rr_mechanism <- function(mechanism, truth, nsim) {
  form <- additive(mechanism)
  k <- length(truth)
  if (is.null(form)) return(simulate_channel(channel_axes(mechanism), truth, nsim))
  if (form$a >= 0) {
    b <- rep_len(form$b, k)
    return(vapply(seq_len(nsim), function(i) {
      kept <- stats::rbinom(k, truth, form$a)
      rest <- sum(truth) - sum(kept)
      if (rest == 0) as.double(kept) else kept + as.double(stats::rmultinom(1, rest, b))
    }, numeric(k)))
  }
  # Without a positive probability of "the truth, come what may" each truth draws its own row.
  rows <- rr_matrix(mechanism)
  reports <- matrix(0, ncol(rows), nsim)
  for (x in which(truth > 0)) reports <- reports + stats::rmultinom(nsim, truth[x], rows[x, ])
  reports
}

# Probability of each report when the truths are distributed as theta.
reported_shares <- function(mechanism, theta) UseMethod("reported_shares")

#' @export
reported_shares.rr_mechanism <- function(mechanism, theta) {
  form <- additive(mechanism)
  if (is.null(form)) return(apply_channel(channel_axes(mechanism), theta))
  form$b * sum(theta) + form$a * theta
}

# Estimates re-made from simulated tallies: per group a matrix, categories by replications.
bootstrap <- function(fit, replications, options) {
  groups <- ncol(as.matrix(fit$estimate))
  size <- length(fit$estimate) * replications
  if (size > 2e8) {
    abort(c("{.arg replications} is too large for this many categories.",
            x = "{replications} times {length(fit$estimate)} estimates would not fit in memory.",
            i = "Use fewer replications, or another {.arg interval}."), "argument", call = caller_env())
  }
  lapply(seq_len(groups), function(g) {
    n <- fit$tally$effective_n[g]
    counts <- simulate_counts(fit, g, replications, n)
    vapply(seq_len(replications), function(i) {
      estimate_counts(fit$mechanism, as.double(counts[, i]), fit$method, n, options)$estimate
    }, group_estimate(fit, g))
  })
}
