# Do intervals of the mean and of the variance of scrambled numbers cover, if the truths are skewed?
#
#     Rscript scrambles.R <folder> <surveys>
#
# Numbers from 0 to 200 are multiplied by .8, 1 or 1.2 and moved by -20, 0 or 20. Writes scrambles.csv: the truths, respondents, the term,
# coverage of nominal .95, its Monte Carlo error, and surveys.
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 1000 else as.integer(arguments[2])

set.seed(20261124)
cards <- rr_scramble(c(0, 200), multiply = c(0.8, 1, 1.2), add = c(-20, 0, 20))
within <- function(x) pmin(pmax(round(x), 0), 200)
truths <- list(
  constant = function(n) rep(40, n), uniform = function(n) within(runif(n, 0, 100)), normal = function(n) within(rnorm(n, 60, 15)),
  gamma = function(n) within(10 * rgamma(n, 2)), lognormal = function(n) within(exp(rnorm(n, 2.5, 0.8))),
  rare = function(n) ifelse(runif(n) < 0.03, 150, 5)
)
cell <- function(name, n) {
  whole <- truths[[name]](1e6)
  target <- c(mean(whole), var(whole))
  covered <- rowMeans(replicate(surveys, {
    bounds <- tidy(rr_estimate(rr_tally(rr_perturb(truths[[name]](n), cards, rng = "R"), cards)), conf.int = TRUE)
    bounds$conf.low <= target & target <= bounds$conf.high
  }))
  data.frame(truths = name, n = n, term = c("mean", "variance"), coverage = round(covered, 4),
             mc.error = round(sqrt(covered * (1 - covered) / surveys), 4), surveys = surveys)
}
grid <- expand.grid(name = names(truths), n = c(50, 200, 1000), stringsAsFactors = FALSE)
utils::write.csv(do.call(rbind, Map(cell, grid$name, grid$n)), file.path(folder, "scrambles.csv"), row.names = FALSE)
