# How well are perturbed sketches counted? Error against epsilon and the number of sketches, at equal size (4,096 bits).
#
#   Rscript inst/studies/sketches.R
#
# writes sketches.csv and sketches.png into the working directory, or the folder that is given as an argument to Rscript or
# named by CANDOR_STUDY_DIR. The table beside
# this script took a minute or two to make.
#
# Every sketch holds 800 items drawn from 2,000, so that the union grows with the number of sketches from 800 to almost
# 2,000. `epsilon` protects one item at one site. Three sketches, and two ways to join them:
#   estimated   rr_set_size() of the published sketches: the unbiased OR of every bit
#   merged      rr_merge_bits() first, then rr_set_size(): bits stay bits
# Errors are relative to the true size. The median is used since a sketch that seems full is counted as infinite.
library(candor)

study_sketches <- function(epsilons = c(1, 2, 3, 4, 6), numbers = c(1, 2, 4, 8, 16), replications = 60, seed = 1) {
  set.seed(seed)
  make <- list(
    linear = function(items, epsilon) rr_sketch(items, "linear", bits = 4096, epsilon = epsilon, rng = "R"),
    bloom = function(items, epsilon) rr_sketch(items, "bloom", bits = 4096, hashes = 2, epsilon = epsilon, rng = "R"),
    pcsa = function(items, epsilon) rr_sketch(items, "pcsa", buckets = 256, levels = 16, epsilon = epsilon, rng = "R")
  )
  cells <- expand.grid(sketch = names(make), epsilon = epsilons, sketches = numbers, stringsAsFactors = FALSE)
  rows <- lapply(seq_len(nrow(cells)), function(i) {
    runs <- replicate(replications, one_run(make[[cells$sketch[i]]], cells$epsilon[i], cells$sketches[i]))
    data.frame(cells[i, ], joined = c("estimated", "merged"), replications = replications,
               median.error = apply(abs(runs[c("estimated", "merged"), ]), 1, median),
               median.std.error = apply(runs[c("estimated.error", "merged.error"), ], 1, median, na.rm = TRUE),
               coverage = rowMeans(runs[c("estimated.hit", "merged.hit"), ], na.rm = TRUE),
               infinite = rowMeans(is.infinite(runs[c("estimated", "merged"), ])), row.names = NULL)
  })
  do.call(rbind, rows)
}

one_run <- function(make, epsilon, number) {
  sets <- lapply(seq_len(number), function(j) sample.int(2000, 800))
  shift <- sample.int(1e6, 1) * 1e4 # other items, and so another draw of the hash, every time
  truth <- length(unique(unlist(sets)))
  published <- lapply(sets, function(items) make(items + shift, epsilon))
  read <- function(...) {
    table <- tidy(suppressWarnings(rr_set_size(...)), conf.int = TRUE)
    c(table$estimate / truth - 1, table$std.error / truth,
      table$conf.low <= truth && truth <= table$conf.high)
  }
  merged <- tryCatch(read(rr_merge_bits(published, rng = "R")), candor_error_no_information = function(e) c(Inf, NA, NA))
  stats::setNames(c(read(published), merged), c("estimated", "estimated.error", "estimated.hit", "merged", "merged.error", "merged.hit"))
}

draw_sketches <- function(table) {
  kinds <- c(linear = "Linear counting", bloom = "Bloom filter, 2 hashes", pcsa = "PCSA, 256 buckets")
  table$kind <- factor(kinds[table$sketch], kinds)
  table$way <- c(estimated = "estimated from all sketches", merged = "merged into one sketch first")[table$joined]
  # What cannot be told from infinity is drawn at the top.
  table$shown <- pmin(table$median.error, 2)
  ggplot2::ggplot(table, ggplot2::aes(sketches, shown, colour = factor(epsilon), linetype = way)) +
    ggplot2::geom_line() + ggplot2::geom_point(size = 1) + ggplot2::facet_wrap(~kind) +
    ggplot2::scale_x_log10(breaks = unique(table$sketches)) +
    ggplot2::scale_y_log10(breaks = c(0.01, 0.03, 0.1, 0.3, 1, 2), labels = c("1%", "3%", "10%", "30%", "100%", ">= 200%")) +
    ggplot2::scale_colour_viridis_d(option = "D", end = 0.85, direction = -1) +
    ggplot2::labs(title = "Counting the union of perturbed sketches", subtitle = "4,096 bits each; 800 items in each, 2,000 in all",
                  x = "Number of sketches", y = "Median relative error", colour = "epsilon of an item", linetype = NULL) +
    ggplot2::theme_minimal(base_size = 11) +
    ggplot2::theme(legend.position = "bottom", legend.box = "vertical", legend.spacing.y = ggplot2::unit(0, "pt"),
                   plot.title.position = "plot", panel.grid.minor = ggplot2::element_blank())
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  folder <- c(commandArgs(trailingOnly = TRUE), Sys.getenv("CANDOR_STUDY_DIR", "."))[1]
  sketches <- study_sketches()
  numeric <- vapply(sketches, is.double, TRUE)
  sketches[numeric] <- lapply(sketches[numeric], signif, 4)
  utils::write.csv(sketches, file.path(folder, "sketches.csv"), row.names = FALSE, quote = FALSE)
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    ggplot2::ggsave(file.path(folder, "sketches.png"), draw_sketches(sketches), width = 8, height = 4.6, dpi = 110, bg = "white")
  }
  print(stats::xtabs(median.error ~ epsilon + sketches, subset(sketches, sketch == "linear" & joined == "estimated")), digits = 2)
}
