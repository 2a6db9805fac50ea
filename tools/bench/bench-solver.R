# The certified solver: ratios, each of two things timed in this run, medians of several:
#   1. the certified solver against mixsqp on dense channels, at the same certified gap;
#   2. twelve yes/no questions: the joint estimate against the making of the tally.
# Rscript tools/bench/bench-solver.R [quick]      (mixsqp: install.packages("mixsqp"), needed here only)
library(candor)
quick <- "quick" %in% commandArgs(TRUE)
seconds <- function(expr, times) {
  expr <- substitute(expr)
  frame <- parent.frame()
  stats::median(replicate(times, system.time(eval(expr, frame))[["elapsed"]]))
}
certificate <- function(C, counts, theta) {
  m <- drop(crossprod(C, theta))
  log(max(C %*% (counts / sum(counts) / m)))
}

versus_mixsqp <- function(name, C, N, general = FALSE) {
  truth <- stats::rexp(nrow(C))
  counts <- as.vector(stats::rmultinom(1, N, drop(crossprod(C, truth / sum(truth)))))
  channel <- rr_channel(C)
  if (general) channel["form"] <- list(NULL)
  tally <- rr_counts(counts, channel)
  ours <- seconds(fit <- rr_estimate(tally), 3)
  gap <- certificate(C, counts, coef(fit))
  seen <- counts > 0
  # Its own settings tightened: with the defaults it may stop with a gap of 1e-4 and say that it converged.
  L <- t(C)[seen, ]
  theirs <- system.time(other <- mixsqp::mixsqp(L, counts[seen], x0 = rep(1 / nrow(C), nrow(C)), control = list(
    verbose = FALSE, eps = 1e-10, convtol.sqp = 1e-9, zero.threshold.solution = 1e-10, maxiter.sqp = 500)))[["elapsed"]]
  their_gap <- certificate(C, counts, other$x)
  cat(sprintf("%-34s N %.0e  candor %8.4f s, gap %7.1e   mixsqp %8.3f s, gap %7.1e   ratio %.0f\n",
              name, N, ours, gap, theirs, their_gap, theirs / ours))
}

if (requireNamespace("mixsqp", quietly = TRUE)) {
  cat("Gaps are log max g, per observation.\n")
  set.seed(1)
  sizes <- if (quick) c(200, 400) else c(200, 500, 1000)
  for (k in sizes) {
    grr <- unname(rr_matrix(rr_grr(k, epsilon = 1)))
    versus_mixsqp(sprintf("GRR %d, dense", k), grr, 1e5)
    versus_mixsqp(sprintf("GRR %d, dense, structure ignored", k), grr, 1e5, general = TRUE)
    random <- matrix(stats::runif(k * k), k)
    versus_mixsqp(sprintf("random %d x %d", k, k), random / rowSums(random), 1e5)
  }
}

cat("\nTwelve yes/no questions, one million rows:\n")
set.seed(2)
n <- if (quick) 1e5 else 1e6
common <- stats::rnorm(n)
truth <- as.data.frame(lapply(1:12, function(d) as.integer(common + stats::rnorm(n) > 0.5 + 0.075 * d)))
names(truth) <- paste0("q", 1:12)
for (p in c(0.95, 0.9, 0.8, 0.75, 0.7)) {
  questions <- do.call(rr_product, stats::setNames(rep(list(rr_warner(p)), 12), names(truth)))
  reports <- rr_perturb(truth, questions, rng = "R")
  making <- seconds(tally <- rr_tally(reports, questions), 5)
  fitting <- seconds(fit <- rr_estimate(tally), 3)
  cat(sprintf("p = %.2f (epsilon %.2f a question)  tally %.3f s  joint estimate %.3f s, gap %.1e  ratio %.2f\n",
              p, log(p / (1 - p)), making, fitting, fit$details[[1]]$gap, fitting / making))
}
