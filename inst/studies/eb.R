# Many categories: the risk of method = "eb" and of its rivals over a grid of truths, numbers of categories and
# respondents and privacy levels. Rscript eb.R [folder] [kosarak.csv]
#
# One row of eb.csv (in the package as eb.csv.gz) is a cell: the mean over 20, 20, 6, 3, 2 and 1 replications for 5, 20, 100, 1000, 10000 and 41270
# categories (the first two in two rounds of 10). All methods see the same reports. The mean losses of a cell have standard errors of
# 5 to 30 % (the column mse.eb.error says how large), and their ratios, being paired, smaller ones; the summaries over hundreds of cells are
# known to about 1 %, the worst cell of many is not. "power_ns", which takes longest, is estimated from
# fewer of the replications, as its ratio to "mle" on these.
#
# Truths: uniform, Zipf, geometric, "spike" (half the mass on 2 % of the categories), one draw of a Dirichlet(0.1), and,
# where their file is given, the clicks of the Kosarak prefix, sorted.
library(candor)
argument <- commandArgs(trailingOnly = TRUE)
folder <- if (length(argument) > 0) argument[1] else tempdir()
clicks <- if (length(argument) > 1 && file.exists(argument[2])) sort(utils::read.csv(argument[2])$count, decreasing = TRUE)

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
replications <- c("5" = 10, "20" = 10, "100" = 6, "1000" = 3, "10000" = 2, "41270" = 1)
slow <- c("5" = 3, "20" = 3, "100" = 2, "1000" = 1, "10000" = 1, "41270" = 1)
methods <- c("mle", "inv", "invn", "invp", "base_cut", "norm_cut", "merged", "combine", "power_ns", "eb", "oracle")

losses <- function(estimate, truth) {
  on <- truth > 0
  c(mse = sum((estimate - truth)^2), tv = sum(abs(estimate - truth)) / 2,
    kl = if (all(estimate[on] > 0)) sum(truth[on] * log(truth[on] / estimate[on])) else Inf)
}

one <- function(cell, round) {
  truth <- truth_of(cell$truth, cell$k)
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  size <- replications[[format(cell$k, scientific = FALSE)]]
  first <- slow[[format(cell$k, scientific = FALSE)]]
  loss <- array(NA_real_, c(length(methods), 3, size), list(methods, c("mse", "tv", "kl"), NULL))
  cover <- matrix(NA_real_, 4, size)
  top <- order(-truth)[seq_len(max(1, min(10, cell$k %/% 5)))]
  set.seed(cell$seed + 1e5 * (round - 1))
  for (r in seq_len(size)) {
    counts <- as.double(stats::rmultinom(1, cell$n, mechanism$q + mechanism$p_minus_q * truth))
    tally <- rr_counts(counts, mechanism)
    for (m in setdiff(methods, c("oracle", if (r > first) "power_ns"))) {
      loss[m, , r] <- losses(coef(rr_estimate(tally, method = m)), truth)
    }
    loss["oracle", , r] <- losses(candor:::study_oracle(mechanism, truth, counts), truth)
    # The absolute loss has an estimate of its own.
    fit <- rr_estimate(tally, method = "eb", loss = "absolute")
    loss["eb", "tv", r] <- losses(coef(fit), truth)[["tv"]]
    if (cell$k >= 20 && r <= first) {
      inside <- function(bounds) bounds[, 1] <= truth * (1 + 1e-9) & truth <= bounds[, 2] * (1 + 1e-9) + 1e-15
      credible <- confint(fit, interval = "credible")
      wilson <- confint(fit)
      cover[, r] <- c(mean(inside(credible)), mean(inside(credible)[top]), mean(inside(wilson)[top]),
                      fit$details[[1]]$expected.error)
    }
  }
  mean_loss <- apply(loss, 1:2, mean)
  part <- seq_len(min(first, size))
  of_part <- function(m) apply(loss[m, , seq_len(min(first, size)), drop = FALSE], 2, mean)
  mean_loss["power_ns", ] <- of_part("power_ns") / of_part("mle") * mean_loss["mle", ]
  error <- stats::sd(loss["eb", "mse", ]) / sqrt(size)
  named <- function(x, prefix) stats::setNames(as.list(signif(x, 5)), paste0(prefix, names(x)))
  data.frame(truth = cell$truth, k = cell$k, epsilon = cell$epsilon, n = cell$n, replications = size,
             named(mean_loss[, "mse"], "mse."), mse.eb.error = signif(error, 3), named(mean_loss[, "tv"], "tv."),
             named(mean_loss[c("mle", "combine", "eb"), "kl"], "kl."),
             credible = round(mean(cover[1, ], na.rm = TRUE), 4), credible.top = round(mean(cover[2, ], na.rm = TRUE), 4),
             wilson.top = round(mean(cover[3, ], na.rm = TRUE), 4),
             expected.mse = signif(mean(cover[4, ], na.rm = TRUE), 4))
}

# Rounds of one cell, averaged.
together <- function(rows) {
  mean <- rows[[1]]
  for (column in setdiff(names(mean)[vapply(mean, is.numeric, NA)], c("k", "epsilon", "n"))) {
    values <- vapply(rows, `[[`, 0, column)
    mean[[column]] <- if (column == "replications") sum(values)
      else if (column == "mse.eb.error") signif(sqrt(sum(values^2)) / length(values), 3) else signif(base::mean(values), 5)
  }
  mean
}

cells$seed <- seq_len(nrow(cells))
file <- file.path(folder, "eb.csv")
for (k in unique(cells$k)) {
  part <- cells[cells$k == k, ]
  rows <- do.call(rbind, lapply(seq_len(nrow(part)), function(i) together(lapply(if (k <= 20) 1:2 else 1, one, cell = part[i, ]))))
  utils::write.table(rows, file, sep = ",", row.names = FALSE, col.names = k == cells$k[1], append = k != cells$k[1], quote = FALSE)
  cat(format(Sys.time()), "K =", k, "done:", round(proc.time()[[1]]), "s of CPU time\n")
}
source(file.path(dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "eb-summary.R"))
print(summarise_eb(utils::read.csv(file)), digits = 3, row.names = FALSE)
