# What the scripts of this folder share.
library(candor)
library(ggplot2)

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) folder <- tempdir()
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

save_figure <- function(plot, name, width = 10, height = 7) {
  file <- file.path(folder, paste0(name, ".png"))
  ggsave(file, plot, width = width, height = height, dpi = 110, bg = "white")
  cat("figure:", file, "\n")
}

claim <- function(text, verdict, evidence) {
  cat(sprintf("\nCLAIM   %s\n  %s: %s\n", text, verdict, evidence))
}
