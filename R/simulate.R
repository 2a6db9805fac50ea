# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. One column
# per replication.
simulate_counts <- function(fit, g, nsim, n = fit$tally$effective_n[g], call = caller_env()) {
  n <- max(1, round(n))
  if (n > 2^53) {
    abort(c("Simulated tallies can have 2^53 reports at most.", x = "This one would have {format(n, digits = 3)}.",
            i = "For weighted counts give {.arg effective_n} as the number of respondents they are worth."), "counts",
          call = call)
  }
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  if (fit$target == "population") {
    return(draw_multinomial(nsim, n, pmax(reported_shares(fit$mechanism, theta), 0)))
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
    first <- order(exact - counts, decreasing = TRUE)[seq_len(min(short, length(counts)))]
    counts[first] <- counts[first] + 1
  }
  # Near 2^53 the products are themselves rounded to whole numbers, and by more than one in all.
  largest <- which.max(counts)
  counts[largest] <- counts[largest] + (n - sum(counts))
  counts
}

# R's own generators of counts end at 2^31 - 1; the core's take words from a stream whose name R's generator draws.
largest_size <- .Machine$integer.max

draw_seed <- function() sum(floor(stats::runif(2) * 2^26) * c(2^26, 1))

draw_multinomial <- function(nsim, n, shares) {
  if (n <= largest_size) return(stats::rmultinom(nsim, n, shares))
  .Call(C_rr_study_counts, as.double(shares / sum(shares)), NULL, n, 1, 0, Inf, draw_seed(), 0, 0, nsim)
}

# Reports of respondents whose truths are fixed: `truth` respondents hold each of the categories.
simulate_reports <- function(mechanism, truth, nsim) UseMethod("simulate_reports")

#' @export
simulate_reports.rr_mechanism <- function(mechanism, truth, nsim) {
  form <- additive(mechanism)
  k <- length(truth)
  if (is.null(form)) return(simulate_channel(channel_axes(mechanism), truth, nsim))
  n <- sum(truth)
  # Without a positive probability of "the truth, come what may" the core has a way of its own.
  if (form$a < 0 || n > largest_size) {
    return(.Call(C_rr_study_counts, truth / n, truth, n, as.double(form$a), as.double(form$b),
                 form$odds %||% NA_real_, draw_seed(), 0, 0, nsim))
  }
  b <- rep_len(form$b, k)
  vapply(seq_len(nsim), function(i) {
    kept <- stats::rbinom(k, truth, form$a)
    rest <- n - sum(kept)
    if (rest == 0) as.double(kept) else kept + as.double(stats::rmultinom(1, rest, b))
  }, numeric(k))
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
bootstrap <- function(fit, replications, options, call = caller_env()) {
  groups <- ncol(as.matrix(fit$estimate))
  size <- length(fit$estimate) * replications
  if (size > 2e8) {
    abort(c("{.arg replications} is too large for this many categories.",
            x = "{replications} times {length(fit$estimate)} estimates would not fit in memory.",
            i = "Use fewer replications, or another {.arg interval}."), "argument", call = call)
  }
  lapply(seq_len(groups), function(g) {
    n <- fit$tally$effective_n[g]
    counts <- simulate_counts(fit, g, replications, n, call)
    vapply(seq_len(replications), function(i) {
      estimate_counts(fit$mechanism, as.double(counts[, i]), fit$method, n, options, call)$estimate
    }, group_estimate(fit, g))
  })
}
