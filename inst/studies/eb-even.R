# How far credible intervals of method = "eb" hold if a few shares are large and the others nearly equal: a prior with an atom at 0 then fits as well as one with an
# atom at their mean. Rscript eb-even.R [folder]
#
# One row of eb-even.csv is a cell. `large`: the large shares; `spread`: standard deviation of the logarithms of the others. `covered`: average coverage of 95 %
# credible intervals over all categories, with its standard error over tallies; `width`: mean width over that of Wilson's.
library(candor)

even_truth <- function(large, spread, k) {
  rest <- exp(spread * stats::rnorm(k - length(large)))
  c(large, (1 - sum(large)) * rest / sum(rest))
}

run_even <- function(cell, tallies, seed) {
  set.seed(seed)
  large <- as.numeric(strsplit(cell$large, " ")[[1]])
  mechanism <- rr_unary(cell$k, epsilon = cell$epsilon)
  rows <- vapply(seq_len(tallies), function(i) {
    truth <- even_truth(large, cell$spread, cell$k)
    held <- drop(stats::rmultinom(1, cell$n, truth))
    counts <- stats::rbinom(cell$k, held, mechanism$p) + stats::rbinom(cell$k, cell$n - held, mechanism$q)
    fit <- rr_estimate(rr_counts(stats::setNames(counts, mechanism$levels), mechanism, n = cell$n), method = "eb", interval = "credible")
    bounds <- confint(fit)
    wilson <- confint(fit, interval = "wilson")
    c(mean(bounds[, 1] <= truth & truth <= bounds[, 2]), mean(bounds[, 2] - bounds[, 1]) / mean(wilson[, 2] - wilson[, 1]))
  }, numeric(2))
  data.frame(cell, tallies = tallies, covered = signif(mean(rows[1, ]), 4), error = signif(stats::sd(rows[1, ]) / sqrt(tallies), 2),
             width = signif(mean(rows[2, ]), 4), row.names = NULL)
}

even_cells <- function() {
  expand.grid(epsilon = c(1, 3), n = c(1e4, 1e5), large = c("0.6 0.2", "0.5", "0.3 0.2 0.1"), spread = c(0.2, 0.6), k = c(100, 500, 1000, 2000, 4000),
              stringsAsFactors = FALSE)[c("k", "large", "spread", "n", "epsilon")]
}

if (sys.nframe() == 0) {
  folder <- commandArgs(trailingOnly = TRUE)[1]
  if (is.na(folder)) folder <- tempdir()
  cells <- even_cells()
  table <- do.call(rbind, lapply(seq_len(nrow(cells)), function(i) run_even(cells[i, ], 10, 20261200 + i)))
  utils::write.csv(table, file.path(folder, "eb-even.csv"), row.names = FALSE)
  cat("CPU seconds:", round(proc.time()[[1]]), "\n")
  print(aggregate(covered ~ k, table, function(x) c(mean = mean(x), lowest = min(x))))
}
