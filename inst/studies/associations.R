# Do intervals of associations cover, up to a correlation of 1, and do they agree with the test?
#
#     Rscript associations.R <folder> <surveys>
#
# Two yes/no questions with shares of yes x and y are asked by one device each. Writes associations.csv: the shares, the correlation of
# the truths, respondents, method, the measure, coverage of nominal .95, its Monte Carlo error, the share of the surveys in which the
# interval leaves independence out if and only if the test rejects it, and surveys.
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 400 else as.integer(arguments[2])

set.seed(20261124)
designs <- list(forced = rr_forced(1 / 6), warner = rr_warner(0.8))
quietly <- function(fit) suppressWarnings(suppressMessages(fit))

# Of one survey: does the interval of each measure cover, and does it agree with the test?
judged <- function(counts, questions, method, truth) {
  table <- quietly(rr_association(rr_estimate(rr_counts(counts, questions), method = method)))
  rows <- tidy(table, conf.int = TRUE)
  at <- match(names(truth), rows$measure)
  none <- ifelse(names(truth) == "odds.ratio", 1, 0)
  rejected <- as.data.frame(table)$p.value < 0.05
  c(rows$conf.low[at] <= truth + 1e-9 & truth - 1e-9 <= rows$conf.high[at],
    (rows$conf.low[at] > none | rows$conf.high[at] < none) == rejected)
}

cell <- function(share, correlation, n, method, design) {
  spread <- sqrt(prod(share, 1 - share))
  both <- prod(share) + correlation * spread
  truth <- pmax(c(1 - sum(share) + both, share[1] - both, share[2] - both, both), 0)
  chance <- t(rr_matrix(designs[[design]]))
  counts <- rmultinom(surveys, n, as.vector(kronecker(chance, chance) %*% truth))
  questions <- rr_product(a = designs[[design]], b = designs[[design]])
  measures <- c(covariance = correlation * spread, correlation = correlation,
                odds.ratio = truth[1] * truth[4] / (truth[2] * truth[3]))
  found <- apply(counts, 2, judged, questions, method, measures)
  cover <- rowMeans(found[1:3, ], na.rm = TRUE)
  data.frame(x = share[1], y = share[2], correlation = correlation, n = n, method = method, design = design,
             measure = names(measures), coverage = round(cover, 4),
             mc.error = round(sqrt(cover * (1 - cover) / surveys), 4), agreement = round(rowMeans(found[4:6, ]), 4),
             surveys = surveys)
}

grid <- expand.grid(correlation = c(0, 0.3, 0.6, 0.9, 0.97, 1), n = c(300, 1000), method = c("inv", "mle"),
                    design = names(designs), stringsAsFactors = FALSE)
equal <- do.call(rbind, Map(cell, list(c(0.3, 0.3)), grid$correlation, grid$n, grid$method, grid$design))
# Unequal shares: a correlation of .65 is nearly the largest.
unequal <- do.call(rbind, Map(cell, list(c(0.2, 0.35)), rep(c(0, 0.3, 0.65), each = 2), c(300, 1000), "mle", "forced"))
utils::write.csv(rbind(equal, unequal), file.path(folder, "associations.csv"), row.names = FALSE)
