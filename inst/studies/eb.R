# Many categories: the risk of method = "eb" and of its rivals over a grid of truths, numbers of categories and
# respondents and privacy levels. Rscript eb.R [folder] [kosarak.csv] [former.csv]
#
# One row of eb.csv (in the package as eb.csv.gz) is a cell. All methods see the same reports: 20, 20, 6, 3, 2 and 1 replications for 5, 20,
# 100, 1000, 10000 and 41270 categories. "power_ns", which takes longest, is estimated from fewer of them, as its ratio to "mle" on these. More
# replications follow, of "eb", "mle" and the rival that was the best, until the ratio of "eb" to that rival (of mean squared errors, both with 2 % of
# that of "mle" added) has a standard error of 5 %, or until the time for the cell is used up: the column mse.ratio.error says what was reached.
# Even truths, where an error is rarely large, and cells in which "eb" looks worse than "mle", get the most. The squared errors of the other
# rivals are then those of the first replications, as ratios to "mle".
#
# `former.csv`, of an earlier run of this script: the rivals of the first replications, which depend on the seeds alone, are taken from there. The
# script stops where the errors of "mle" are not what they were.
#
# Truths: uniform, Zipf, geometric, "spike" (half the mass on 2 % of the categories), one draw of a Dirichlet(0.1), and,
# where their file is given, the clicks of the Kosarak prefix, sorted.
library(candor)
argument <- commandArgs(trailingOnly = TRUE)
folder <- if (length(argument) > 0) argument[1] else tempdir()
clicks <- if (length(argument) > 1 && file.exists(argument[2])) sort(utils::read.csv(argument[2])$count, decreasing = TRUE)

former <- if (length(argument) > 2) utils::read.csv(argument[3])

truth_of <- function(name, k) {
  i <- seq_len(k)
  weight <- switch(name,
    uniform = rep(1, k), zipf0.3 = i^-0.3, zipf1 = i^-1, zipf1.3 = i^-1.3, zipf2.5 = i^-2.5,
    geometric = if (k < 20) 0.5^i else exp(-10 * i / k),
    spike = {
      top <- max(1, round(0.02 * k))
      c(rep(0.5 / top, top), rep(0.5 / (k - top), k - top))
    },
    dirichlet = {
      set.seed(k)
      stats::rgamma(k, 0.1)
    },
    clicks = c(clicks, numeric(max(0, k - length(clicks))))[i]
  )
  weight / sum(weight)
}
truths <- c("uniform", "zipf0.3", "zipf1", "zipf1.3", "zipf2.5", "geometric", "spike", "dirichlet", if (length(clicks)) "clicks")
cells <- rbind(
  expand.grid(truth = truths, epsilon = c(0.5, 1, 2, 4, 8), n = c(1e2, 1e3, 1e4, 1e5, 1e6, 1e8), k = c(5, 20, 100, 1000)),
  expand.grid(truth = truths, epsilon = c(1, 4, 8), n = c(1e2, 1e4, 1e6, 1e8), k = c(10000, 41270))
)
cells$truth <- as.character(cells$truth)
first <- c("5" = 20, "20" = 20, "100" = 6, "1000" = 3, "10000" = 2, "41270" = 1)
rounds <- c("5" = 2, "20" = 2, "100" = 1, "1000" = 1, "10000" = 1, "41270" = 1)
slow <- c("5" = 3, "20" = 3, "100" = 2, "1000" = 1, "10000" = 1, "41270" = 1)
most <- c("5" = 40, "20" = 40, "100" = 18, "1000" = 9, "10000" = 5, "41270" = 3)
methods <- c("mle", "inv", "invn", "invp", "base_cut", "norm_cut", "merged", "combine", "power_ns", "eb", "oracle")

losses <- function(estimate, truth) {
  on <- truth > 0
  c(mse = sum((estimate - truth)^2), tv = sum(abs(estimate - truth)) / 2,
    kl = if (all(estimate[on] > 0)) sum(truth[on] * log(truth[on] / estimate[on])) else Inf)
}

floor_of <- function(mle) 0.02 * mle

# Standard error of the logarithm of the ratio of two means, floors added.
ratio_error <- function(eb, best, mle) {
  above <- eb + floor_of(mle)
  below <- best + floor_of(mle)
  stats::sd(above / mean(above) - below / mean(below)) / sqrt(length(mle))
}

one <- function(cell) {
  truth <- truth_of(cell$truth, cell$k)
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  of_k <- function(numbers) numbers[[format(cell$k, scientific = FALSE)]]
  m <- mechanism$q + mechanism$p_minus_q * truth
  draw <- function(size) lapply(seq_len(size), function(r) as.double(stats::rmultinom(1, cell$n, m)))
  estimate <- function(counts, method, ...) {
    if (method == "oracle") return(candor:::study_oracle(mechanism, truth, counts, cell$n))
    candor:::estimate_counts(mechanism, counts, method, cell$n, list(...))$estimate
  }
  size <- of_k(first) / of_k(rounds)
  reports <- do.call(c, lapply(seq_len(of_k(rounds)), function(round) {
    set.seed(cell$seed + 1e5 * (round - 1))
    draw(size)
  }))
  # "power_ns" and the intervals: of the first few of each round.
  early <- rep(seq_len(size) <= of_k(slow), of_k(rounds))
  known <- former[former$truth == cell$truth & former$k == cell$k & former$epsilon == cell$epsilon & former$n == cell$n, ]
  fresh <- if (is.null(former)) methods else c("mle", "eb")
  loss <- array(NA_real_, c(length(methods), 3, length(reports)), list(methods, c("mse", "tv", "kl"), NULL))
  cover <- matrix(NA_real_, 4, length(reports))
  top <- order(-truth)[seq_len(max(1, min(10, cell$k %/% 5)))]
  for (r in seq_along(reports)) {
    counts <- reports[[r]]
    for (method in setdiff(fresh, if (!early[r]) "power_ns")) loss[method, , r] <- losses(estimate(counts, method), truth)
    # The absolute loss has an estimate of its own.
    loss["eb", "tv", r] <- losses(estimate(counts, "eb", loss = "absolute"), truth)[["tv"]]
    if (cell$k >= 20 && early[r]) {
      inside <- function(bounds) bounds[, 1] <= truth * (1 + 1e-9) & truth <= bounds[, 2] * (1 + 1e-9) + 1e-15
      fit <- rr_estimate(rr_counts(counts, mechanism), method = "eb", loss = "absolute")
      credible <- confint(fit, interval = "credible")
      wilson <- confint(fit)
      cover[, r] <- c(mean(inside(credible)), mean(inside(credible)[top]), mean(inside(wilson)[top]),
                      fit$details[[1]]$expected.error)
    }
  }
  mean_loss <- apply(loss, 1:2, mean)
  if (is.null(former)) {
    of_early <- function(method) apply(loss[method, , early, drop = FALSE], 2, mean)
    mean_loss["power_ns", ] <- of_early("power_ns") / of_early("mle") * mean_loss["mle", ]
  } else {
    # Of more replications the former means are not those of the first alone, but their ratios to "mle" are.
    same <- known$replications != of_k(first) || abs(known$mse.mle / mean_loss["mle", "mse"] - 1) < 1e-4
    if (nrow(known) != 1 || !same) stop("The former run had other reports: ", paste(cell, collapse = " "))
    take <- function(prefix, of) unlist(known[paste0(prefix, ".", of)])
    kept <- setdiff(methods, fresh)
    mean_loss[kept, "mse"] <- take("mse", kept) / known$mse.mle * mean_loss["mle", "mse"]
    mean_loss[kept, "tv"] <- take("tv", kept)
    mean_loss["combine", "kl"] <- known$kl.combine
  }
  rivals <- setdiff(methods, c("eb", "oracle"))
  best <- rivals[which.min(mean_loss[rivals, "mse"])]
  pair <- unique(c("mle", "eb", best))
  squared <- loss[pair, "mse", , drop = FALSE]
  dim(squared) <- c(length(pair), length(reports))
  rownames(squared) <- pair
  if (!is.null(former) && best != "mle") squared[best, ] <- vapply(reports, function(x) losses(estimate(x, best), truth)[["mse"]], 0)
  if (best == "power_ns") squared <- squared[, !is.na(squared[best, ]), drop = FALSE]
  error <- function() if (ncol(squared) < 2) Inf else ratio_error(squared["eb", ], squared[best, ], squared["mle", ])
  # Once a cell has looked bad it gets all its replications: one that stops when it looks good again would look too good.
  hard <- FALSE
  enough <- function() {
    mean <- rowMeans(squared)
    above <- mean + floor_of(mean[["mle"]])
    hard <<- hard || mean[["eb"]] > 1.15 * mean[["mle"]] || above[["eb"]] > 3 * above[[best]]
    goal <- of_k(most) * (if (cell$k > 1000) 1 else if (hard) 6 else if (cell$truth == "uniform") 3 else 1)
    ncol(squared) >= goal || (cell$truth != "uniform" && error() <= 0.05)
  }
  set.seed(cell$seed + 1e6)
  while (!enough()) {
    more <- draw(size)
    squared <- cbind(squared, vapply(more, function(x) vapply(pair, function(method) losses(estimate(x, method), truth)[["mse"]], 0), numeric(length(pair))))
  }
  scale <- mean(squared["mle", ]) / mean_loss["mle", "mse"]
  mean_loss[, "mse"] <- mean_loss[, "mse"] * scale
  mean_loss[pair, "mse"] <- rowMeans(squared)
  named <- function(x, prefix) stats::setNames(as.list(signif(x, 5)), paste0(prefix, names(x)))
  average <- function(i, digits) round(mean(cover[i, ], na.rm = TRUE), digits)
  data.frame(truth = cell$truth, k = cell$k, epsilon = cell$epsilon, n = cell$n, replications = ncol(squared),
             named(mean_loss[, "mse"], "mse."), mse.eb.error = signif(stats::sd(squared["eb", ]) / sqrt(ncol(squared)), 3),
             mse.ratio.error = round(error(), 4), named(mean_loss[, "tv"], "tv."),
             named(mean_loss[c("mle", "combine", "eb"), "kl"], "kl."),
             credible = average(1, 4), credible.top = average(2, 4), wilson.top = average(3, 4),
             expected.mse = signif(mean(cover[4, ], na.rm = TRUE), 4))
}

cells$seed <- seq_len(nrow(cells))
file <- file.path(folder, "eb.csv")
for (k in unique(cells$k)) {
  part <- cells[cells$k == k, ]
  rows <- do.call(rbind, lapply(seq_len(nrow(part)), function(i) one(part[i, ])))
  utils::write.table(rows, file, sep = ",", row.names = FALSE, col.names = k == cells$k[1], append = k != cells$k[1], quote = FALSE)
  cat(format(Sys.time()), "K =", k, "done:", round(proc.time()[[1]]), "s of CPU time\n")
}
source(file.path(dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "eb-summary.R"))
print(summarise_eb(utils::read.csv(file)), digits = 3, row.names = FALSE)
