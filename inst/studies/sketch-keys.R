# Do intervals hold for each string when the key of the hash functions is kept from survey to survey? Count-mean sketches
# of 64 buckets, and Bloom filters, whose collisions among the candidates the estimate knows.
#
#   Rscript inst/studies/sketch-keys.R
#
# writes sketch-keys.csv into the working directory, or the folder that is given as an argument to Rscript. It takes a few
# minutes. A Zipf law of 59 strings, 20,000 respondents, epsilon 4.
library(candor)

study_keys <- function(surveys = 40, n = 20000, seed = 1) {
  set.seed(seed)
  strings <- sprintf("page %d", 1:59)
  theta <- prop.table(1 / (1:59))
  covered <- function(make, keys) {
    rowMeans(vapply(keys, function(key) {
      mechanism <- make(key)
      reports <- rr_perturb(sample(strings, n, TRUE, theta), mechanism, rng = "R")
      fit <- if (inherits(mechanism, "rr_bloom")) rr_estimate(reports, mechanism, method = "inv")
        else rr_estimate(reports, mechanism, candidates = strings)
      rows <- tidy(fit, conf.int = TRUE)
      rows$conf.low <= theta & theta <= rows$conf.high
    }, logical(59)))
  }
  sketch <- function(functions) function(key) rr_count_mean_sketch(4, 64, functions, key = key)
  makers <- c(lapply(c(sketch_2 = 2, sketch_16 = 16, sketch_128 = 128), sketch),
              list(bloom = function(key) rr_bloom(strings, 4, bits = 32, hashes = 2, cohorts = 8, key = key)))
  rows <- lapply(names(makers), function(name) {
    kept <- covered(makers[[name]], rep(1, surveys))
    data.frame(mechanism = name, surveys = surveys, new_keys = mean(covered(makers[[name]], seq_len(surveys))),
               kept_key = mean(kept), worst_string = min(kept), below_half = sum(kept < 0.5), below_80 = sum(kept < 0.8))
  })
  do.call(rbind, rows)
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  keys <- study_keys()
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  utils::write.csv(keys, file.path(folder, "sketch-keys.csv"), row.names = FALSE, quote = FALSE)
  print(keys)
}
