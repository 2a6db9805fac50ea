# Do the intervals of intersections, differences and Jaccard indices of perturbed sketches hold?
#
#   Rscript inst/studies/sketch-sets.R
#
# writes sketch-sets.csv into the working directory, or the folder that is given as an argument to Rscript. A second argument is the
# number of surveys of each cell. It takes two minutes.
#
# Sets of 600 items each: two that share none, two that share 200, two of which the second is the first half of the first, and three
# of which each pair shares 300 and all share 200. `epsilon` protects one item at one site; Inf is no noise.
# `bias` is the mean error, and `ratio` the mean standard error, in standard deviations of the estimates.
library(candor)

overlaps <- list(disjoint = list(1:600, 601:1200), half = list(1:600, 401:1000), nested = list(1:600, 1:300),
                 three = list(1:600, c(1:300, 701:1000), c(1:200, 301:400, 701:800, 1001:1200)))
whats <- c("intersection", "difference", "jaccard")

study_sets <- function(replications = 400, epsilons = c(2, 4, Inf)) {
  cells <- expand.grid(sketch = c("linear", "bloom", "pcsa"), sets = names(overlaps), epsilon = epsilons, stringsAsFactors = FALSE)
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    sets <- overlaps[[cells$sets[i]]]
    truth <- true_figures(sets)
    runs <- vapply(seq_len(replications), function(seed) one_pair(cells$sketch[i], sets, cells$epsilon[i], seed), matrix(0, 4, 3))
    error <- apply(runs[1, , ] - truth, 1, mean, na.rm = TRUE)
    sd <- apply(runs[1, , ], 1, stats::sd, na.rm = TRUE)
    covered <- runs[3, , ] <= truth + 1e-9 & truth <= runs[4, , ] + 1e-9
    # A sketch that is refused has no interval: not covered.
    data.frame(cells[i, ], what = whats, truth = truth, surveys = replications, coverage = rowMeans(covered & !is.na(covered)),
               refused = rowMeans(is.na(covered)), bias = error / sd, ratio = apply(runs[2, , ], 1, mean, na.rm = TRUE) / sd, row.names = NULL)
  }))
}

true_figures <- function(sets) {
  both <- length(Reduce(intersect, sets))
  c(both, length(setdiff(sets[[1]], unlist(sets[-1]))), both / length(unique(unlist(sets))))
}

# Estimate, standard error and interval of each figure. The key is new in each survey, and so is the hash.
one_pair <- function(type, sets, epsilon, seed) {
  set.seed(seed)
  settings <- if (type == "pcsa") list(buckets = 256, levels = 16) else list(bits = 4096)
  noise <- if (is.finite(epsilon)) list(epsilon = epsilon, rng = "R")
  sketches <- lapply(sets, function(items) do.call(rr_sketch, c(list(items, type, key = paste("survey", seed)), settings, noise)))
  figures <- function(what) {
    table <- tryCatch(suppressWarnings(tidy(rr_set_size(sketches, what = what), conf.int = TRUE)), candor_error_no_information = function(e) NULL)
    if (is.null(table)) rep(NA_real_, 4) else c(table$estimate, table$std.error, table$conf.low, table$conf.high)
  }
  vapply(whats, figures, numeric(4))
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  arguments <- commandArgs(trailingOnly = TRUE)
  table <- study_sets(as.numeric(c(arguments[-1], 400))[1])
  folder <- c(arguments, ".")[1]
  numeric <- vapply(table, is.double, NA)
  table[numeric] <- lapply(table[numeric], signif, 4)
  utils::write.csv(table, file.path(folder, "sketch-sets.csv"), row.names = FALSE, quote = FALSE)
  print(table)
}
