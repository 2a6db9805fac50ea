# Joint counts, covariances and correlations against what R offers. Rows: 1e6.
library(candor)
source("common.R", chdir = TRUE)
requireNamespace("Matrix", quietly = TRUE) # loaded beforehand: its loading is not what is measured

rows <- 1e6
draw <- function(columns) {
  bits <- matrix(0L, rows, columns)
  for (j in seq_len(columns)) bits[, j] <- as.integer(stats::runif(rows) < 0.1 + 0.6 * j / columns)
  bits
}
once <- function(expression) {
  expression <- substitute(expression)
  seconds(expression, parent.frame(), 1)
}

bits <- draw(20)
report("all 2^20 counts of 20 columns / sum() of the same matrix", ratio(rr_cooccurrence(bits, order = 20), sum(bits)), "<= 4")

bits <- draw(100)
double <- bits + 0
# One third column of the hundred is measured; each costs the same.
third <- 100 * once(crossprod(double * double[, 7]))
report("crossprod() for every third column (1 of 100 measured) / order 3 of 100 columns", third / once(rr_cooccurrence(bits, order = 3)), ">= 10")

whole <- function(p, q, order) {
  fit <- rr_tmdh(rr_cooccurrence(bits, order = order), list(p = p, q = q), order = 2, target = "sample")
  suppressWarnings(vcov(fit))
}
cross <- once(crossprod(double))
report("counts, estimate, all non-zero covariances of order 2, p + q < 1 / crossprod()", once(whole(0.8, 0.1, 3)) / cross, "<= 1")
report("the same in a symmetric design, which needs no triples / crossprod()", once(whole(0.8, 0.2, 2)) / cross, "<= 1")

pairs <- once(rr_association(rr_tmdh(rr_cooccurrence(bits, order = 2), list(p = 0.8, q = 0.1)))) / 4950
one <- bits[, 1:2]
estimate <- function(y) {
  x <- (colMeans(y) - 0.1) / 0.7
  z <- mean((y[, 1] - 0.1) * (y[, 2] - 0.1)) / 0.49
  (z - x[1] * x[2]) / sqrt(prod(x * (1 - x)))
}
# Five of the 200 resamples are measured; each costs the same.
rows_again <- 40 * once(for (b in 1:5) estimate(one[sample.int(rows, replace = TRUE), ]))
report("bootstrap of one pair's rows (5 of 200 resamples measured) / one of 4,950 correlations", rows_again / pairs, ">= 1e4")
cells <- tabulate(1 + one[, 1] + 2 * one[, 2], 4)
from_cells <- function(cells) {
  x <- (c(cells[2] + cells[4], cells[3] + cells[4]) / rows - 0.1) / 0.7
  z <- (cells[4] / rows - 0.1 * (cells[2] + cells[3] + 2 * cells[4]) / rows + 0.01) / 0.49
  (z - x[1] * x[2]) / sqrt(prod(x * (1 - x)))
}
counted <- once(apply(stats::rmultinom(200, rows, cells), 2, from_cells))
report("the same, resampling four counts once they are counted / one of 4,950 correlations", counted / pairs, "none")

block <- function() {
  sets <- asplit(utils::combn(100, 2)[, sample.int(4950, 200)], 2)
  counts <- rr_cooccurrence(bits, order = 2, sets = sets)
  vcov(rr_tmdh(counts, list(p = 0.8, q = 0.1)), sets = sets)
}
report("a 200 x 200 population covariance block of pairs, from the rows / crossprod()", once(block()) / cross, "none")
