# How far credible intervals and standard errors of method = "eb" hold, for truths that no other study of it has used. Rscript eb-uncertainty.R [folder]
#
# One row of eb-uncertainty.csv is a cell. `alone`, `hull`: average coverage of 95 % credible intervals over all categories, under the default prior alone and as the
# package gives them; `width.alone`, `width.hull`: mean widths over that of Wilson's; `top`, `wilson.top`: coverage of the hull and of Wilson's for the ten truly largest.
# `ratio`: mean squared error expected by the posterior, over the mean squared error; `shown`: share of tallies whose standard errors are not NA, and `ratio.shown`
# the ratio of these; `within`: share of tallies whose squared error is at most the upper end of the range that the reports give.
library(candor)

truth_of <- function(name, k) {
  part <- (seq_len(k) - 0.5) / k
  weight <- switch(name, bell = stats::dnorm(6 * part - 3), "zipf 0.6" = seq_len(k)^-0.6, gamma = stats::qgamma(part, 0.5), geometric = exp(-6 * part),
                   sparse = c(numeric(0.9 * k), stats::qexp((seq_len(k / 10) - 0.5) / (k / 10))))
  weight / sum(weight)
}

run_cell <- function(cell, tallies, seed) {
  set.seed(seed)
  truth <- truth_of(cell$truth, cell$k)
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  largest <- order(-truth)[1:10]
  covered <- function(bounds, at) mean(bounds[at, 1] - 1e-9 / cell$k <= truth[at] & truth[at] <= bounds[at, 2] + 1e-9 / cell$k)
  rows <- vapply(seq_len(tallies), function(i) {
    counts <- as.double(stats::rmultinom(1, cell$n, mechanism$q + mechanism$p_minus_q * truth))
    fit <- rr_estimate(rr_counts(counts, mechanism), method = "eb", interval = "credible")
    evidence <- candor:::fit_evidence(fit)[[1]]
    alone <- candor:::eb_interval(candor:::eb_fit(list(evidence), c(0.025, 0.975))[[1]], evidence, 0.95)
    alone <- cbind(alone$low, alone$high)
    hull <- confint(fit)
    wilson <- confint(fit, interval = "wilson")
    width <- function(bounds) mean(bounds[, 2] - bounds[, 1])
    all <- seq_len(cell$k)
    detail <- fit$details[[1]]
    error <- sum((coef(fit) - truth)^2)
    c(alone = covered(alone, all), hull = covered(hull, all), width.alone = width(alone) / width(wilson), width.hull = width(hull) / width(wilson),
      top = covered(hull, largest), wilson.top = covered(wilson, largest), error = error, expected = detail$expected.error,
      shown = !is.na(tidy(fit, terms = 1)$std.error), within = error <= detail$expected.range[2])
  }, numeric(10))
  mean <- rowMeans(rows)
  shown <- rows["shown", ] > 0
  data.frame(cell[c("k", "truth", "n", "epsilon")], tallies = tallies, t(signif(mean[c(1:6, 9:10)], 4)), ratio = signif(mean[["expected"]] / mean[["error"]], 4),
             ratio.shown = if (any(shown)) signif(mean(rows["expected", shown]) / mean[["error"]], 4) else NA, row.names = NULL)
}

if (sys.nframe() == 0) {
  folder <- commandArgs(trailingOnly = TRUE)[1]
  if (is.na(folder)) folder <- tempdir()
  cells <- expand.grid(epsilon = c(0.5, 1, 2, 4), n = c(1e3, 1e4, 1e5, 1e6), truth = c("bell", "zipf 0.6", "gamma", "geometric", "sparse"),
                       k = c(20, 300, 5000, 50000), stringsAsFactors = FALSE)
  tallies <- c("20" = 40, "300" = 20, "5000" = 6, "50000" = 3)
  table <- do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    run_cell(cells[i, ], tallies[[format(cells$k[i], scientific = FALSE)]], 20261100 + i)
  }))
  utils::write.csv(table, file.path(folder, "eb-uncertainty.csv"), row.names = FALSE)
  cat("CPU seconds:", round(proc.time()[[1]]), "\n")
  print(t(sapply(split(table, table$k), function(x) {
    some <- x[x$shown > 0, ]
    round(c(cells = nrow(x), alone = mean(x$alone), below.alone = mean(x$alone < 0.9), hull = mean(x$hull), below.hull = mean(x$hull < 0.9), lowest = min(x$hull),
            shown = mean(x$shown), within2.all = mean(abs(log(x$ratio)) < log(2)), within2.shown = mean(abs(log(some$ratio.shown)) < log(2)),
            half.shown = mean(some$ratio.shown < 0.5), within = mean(x$within), top = mean(x$top), wilson.top = mean(x$wilson.top)), 3)
  })))
}
