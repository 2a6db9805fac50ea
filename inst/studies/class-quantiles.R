# Do intervals of quantiles of an exact variable within a true class cover, and those of means and of differences between classes?
#
#     Rscript class-quantiles.R <folder> <surveys>
#
# A yes/no class is reported truly with probability p. The variable is a gamma number in the class and a lognormal one outside, both rounded to
# one decimal, so that there are ties. Writes class-quantiles.csv: respondents, share of the class, p, what is estimated, the target, coverage of
# nominal .95 (infinite limits cover), its Monte Carlo error, the share of surveys with an infinite limit, and surveys. Surveys in which the
# estimated number of the class is not above 0 have no interval and are left out (column `none`).
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 1000 else as.integer(arguments[2])

set.seed(20261126)
probs <- c(0.25, 0.5, 0.9)
draw <- function(yes) round(ifelse(yes == 1, rgamma(length(yes), 3, 0.5), rlnorm(length(yes), 0.5, 0.8)), 1)
big <- 4e6
inside <- draw(rep(1, big))
outside <- draw(rep(0, big))
target_quantiles <- cbind(outside = quantile(outside, probs, type = 1), inside = quantile(inside, probs, type = 1))
holds <- function(found, truth) found$conf.low <= truth & truth <= found$conf.high
one <- function(n, share, p) {
  yes <- rbinom(n, 1, share)
  data <- data.frame(y = draw(yes), x = ifelse(runif(n) < p, yes, 1 - yes))
  fit <- suppressMessages(rr_predictor(y ~ 0 + x, data, list(x = rr_warner(p, levels = 0:1))))
  found <- suppressMessages(rr_quantile(fit, probs))
  found <- found[found$x == 1, ]
  sample <- suppressMessages(rr_quantile(fit, probs, target = "sample"))
  between <- suppressMessages(rr_quantile(fit, probs, difference = TRUE))
  own <- if (any(yes == 1)) quantile(data$y[yes == 1], probs, type = 1) else NA
  mean <- confint(fit)["x1", ]
  list(covered = c(holds(found, target_quantiles[, 2]), holds(sample[sample$x == 1, ], own),
                   holds(between, target_quantiles[, 2] - target_quantiles[, 1]), mean[[1]] <= mean(inside) && mean(inside) <= mean[[2]]),
       infinite = c(is.infinite(found$conf.high - found$conf.low), rep(NA, 3), is.infinite(between$conf.high), FALSE))
}
cell <- function(n, share, p) {
  # A class whose estimated number is exactly 0 has no mean.
  none <- list(covered = rep(NA, 10), infinite = rep(NA, 10))
  runs <- replicate(surveys, tryCatch(one(n, share, p), candor_error = function(e) none), simplify = FALSE)
  covered <- vapply(runs, function(run) as.numeric(run$covered), numeric(10))
  infinite <- vapply(runs, function(run) as.numeric(run$infinite), numeric(10))
  rate <- rowMeans(covered, na.rm = TRUE)
  known <- rowSums(!is.na(covered))
  data.frame(n = n, share = share, p = p, of = c(rep(paste("quantile", probs), 2), paste("difference", probs), "mean"),
             target = rep(c("population", "sample", "population"), c(3, 3, 4)), coverage = round(rate, 4),
             mc.error = round(sqrt(rate * (1 - rate) / known), 4), infinite = round(rowMeans(infinite, na.rm = TRUE), 3), none = surveys - known,
             surveys = surveys)
}
grid <- expand.grid(n = c(500, 2000), share = c(0.08, 0.25, 0.6), p = c(0.7, 0.9))
utils::write.csv(do.call(rbind, Map(cell, grid$n, grid$share, grid$p)), file.path(folder, "class-quantiles.csv"), row.names = FALSE)
