# Do intervals of rr_glm() cover?
#
#     Rscript regression-coverage.R <folder> <replications>
#
# Writes regression-coverage.csv: design, n, coefficient, kind of interval, coverage of nominal .95, its Monte Carlo error, the share of
# estimates at infinity.
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
replications <- if (length(arguments) < 2) 200 else as.integer(arguments[2])
designs <- list(warner = rr_warner(0.75), forced = rr_forced(c(1 / 6, 1 / 6)))
beta <- c(-1.2, 0.6, 0.4)

survey <- function(design, n, b) {
  data <- data.frame(x1 = rnorm(n), x2 = rbinom(n, 1, 0.5))
  truth <- rbinom(n, 1, plogis(b[1] + b[2] * data$x1 + b[3] * data$x2))
  data$y <- rbinom(n, 1, rr_matrix(design)[truth + 1, 2])
  data
}

kinds <- c(observed = "wald", expected = "wald", sandwich = "wald", profile = "profile")
cover <- function(fit, kind) {
  ends <- if (kind == "profile") confint(fit) else
    coef(fit) + qnorm(0.975) * sqrt(diag(vcov(fit, kind))) %o% c(-1, 1)
  ends[, 1] <= beta & beta <= ends[, 2]
}

set.seed(20261122)
rows <- list()
for (name in names(designs)) for (n in c(300, 1000)) {
  hits <- array(NA, c(replications, length(kinds), 3))
  infinite <- 0
  for (r in seq_len(replications)) {
    fit <- suppressWarnings(rr_glm(y ~ x1 + x2, survey(designs[[name]], n, beta), designs[[name]]))
    infinite <- infinite + !is.null(fit$boundary)
    for (k in seq_along(kinds)) hits[r, k, ] <- cover(fit, names(kinds)[k])
  }
  for (k in seq_along(kinds)) for (j in 1:3) {
    rate <- mean(hits[, k, j], na.rm = TRUE)
    rows[[length(rows) + 1]] <- data.frame(design = name, n = n, coefficient = c("(Intercept)", "x1", "x2")[j], interval = names(kinds)[k],
                                           coverage = rate, mc.error = sqrt(rate * (1 - rate) / replications), infinite = infinite / replications)
  }
}
table <- do.call(rbind, rows)
table[5:7] <- round(table[5:7], 4)
write.csv(table, file.path(folder, "regression-coverage.csv"), row.names = FALSE)
print(table)
