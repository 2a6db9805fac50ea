# Do intervals hold for the categories that look largest?
#
#     Rscript selection.R <folder> <part of the cells, 1 for all>
#
# Writes selection.csv, a row a cell: how often the intervals of the first 1, 10 and 100 rows of the list by size hold, in three kinds of nominal
# 0.95: Wilson's (rr_estimate()), all together (`simultaneous = TRUE`), and by rank (rr_top()). `mc.error` is the standard error of `rank.1`,
# and `again.1` the same rate in ten times as many new tallies.
library(candor)

# Not the truths, sizes and seeds by which the rule was found.
selection_truths <- list(
  geometric = function(k) 0.9^seq_len(k),
  half_normal = function(k) exp(-(seq_len(k) / k)^2 * 4.5),
  spikes = function(k) rep(c(0.3 / 3, 0.7 / (k - 3)), c(3, k - 3)),
  zipf = function(k) seq_len(k)^-1.3
)

selection_cells <- function() {
  cells <- expand.grid(truth = names(selection_truths), k = c(20, 300, 5000, 50000), n = c(2e3, 3e4, 2e6), epsilon = c(0.7, 3),
                       mechanism = c("grr", "local hash"), stringsAsFactors = FALSE)
  cells$replications <- c(400, 400, 200, 60)[match(cells$k, c(20, 300, 5000, 50000))]
  cells$seed <- 7000 + seq_len(nrow(cells))
  cells
}

# Counts are drawn without reports: multinomial, or of local hashing with a function for each report independent and binomial. Tallies are
# groups of a tally, each of which is a list of its own.
run_selection <- function(cell) {
  set.seed(cell$seed)
  k <- cell$k
  truth <- selection_truths[[cell$truth]](k)
  truth <- truth / sum(truth)
  mechanism <- if (cell$mechanism == "grr") rr_grr(k, epsilon = cell$epsilon) else rr_local_hash(k, epsilon = cell$epsilon)
  reported <- mechanism$q + (mechanism$p - mechanism$q) * truth
  first <- Filter(function(r) r <= k, c(1, 10, 100))
  batches <- diff(unique(c(seq(0, cell$replications, by = max(1, 20000 %/% k)), cell$replications)))
  held <- do.call(cbind, lapply(batches, function(g) {
    counts <- if (cell$mechanism == "grr") rmultinom(g, cell$n, reported) else matrix(rbinom(k * g, cell$n, reported), k)
    colnames(counts) <- seq_len(g)
    tally <- rr_counts(counts, mechanism, n = rep(cell$n, g))
    top <- rr_top(tally, n = max(first))
    term <- as.integer(top$term)
    listed <- unique(term)
    row <- (as.integer(top$group) - 1) * length(listed) + match(term, listed)
    fit <- rr_estimate(tally, method = "inv")
    # Of one group, `simultaneous = TRUE` is the exact interval at this level.
    bounds <- list(confint(fit, listed)[row, , drop = FALSE],
                   confint(fit, listed, level = 1 - 0.05 / k, interval = "exact")[row, , drop = FALSE], cbind(top$conf.low, top$conf.high))
    do.call(rbind, lapply(bounds, function(bound) {
      hits <- matrix(bound[, 1] <= truth[term] & truth[term] <= bound[, 2], ncol = g)
      do.call(rbind, lapply(first, function(r) colMeans(hits[seq_len(r), , drop = FALSE])))
    }))
  }))
  rates <- stats::setNames(rep(NA_real_, 9), paste(rep(c("wilson", "together", "rank"), each = 3), c(1, 10, 100), sep = "."))
  rates[rep(c(1, 10, 100) %in% first, 3)] <- rowMeans(held)
  error <- sqrt(rates[["rank.1"]] * (1 - rates[["rank.1"]]) / cell$replications)
  cbind(cell, round(as.data.frame(as.list(c(rates, mc.error = error))), 4))
}

# Sourced by its test, it defines the functions alone.
if (sys.nframe() == 0L) {
  arguments <- commandArgs(trailingOnly = TRUE)
  folder <- if (length(arguments) < 1) tempdir() else arguments[1]
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  cells <- selection_cells()
  if (length(arguments) > 1) cells <- cells[seq(1, nrow(cells), by = round(1 / as.numeric(arguments[2]))), ]
  table <- do.call(rbind, lapply(seq_len(nrow(cells)), function(i) run_selection(cells[i, ])))
  # Of 60 tallies 4 misses more or less are chance: cells below 0.95 are drawn again, ten times as many, and the first result stays.
  table$again.1 <- NA_real_
  for (i in which(table$rank.1 < 0.95)) {
    table$again.1[i] <- run_selection(transform(cells[i, ], replications = 10 * replications, seed = seed + 1000))$rank.1
  }
  write.csv(table, file.path(folder, "selection.csv"), row.names = FALSE)
  print(stats::aggregate(table[grep("^(wilson|together|rank)", names(table))], table["k"], function(x) c(mean = mean(x), least = min(x))))
}
