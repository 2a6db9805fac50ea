# Do intervals of rr_glm() cover, and does it reach the maximum where there is a finite one?
#
#     Rscript regression-coverage.R <folder> <replications>
#
# Writes regression-coverage.csv: design, n, coefficient, kind of interval, coverage of nominal .95, its Monte Carlo error, the share of
# estimates at infinity. Then 500 surveys whose maximum is finite by 13 starts of an optimiser that knows nothing of ours.
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
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

# The reference: BFGS from 13 starts, kept where it ends at a finite point with a gradient of 0.
reference <- function(data, p, q) {
  x <- cbind(1, data$x1, data$x2)
  value <- function(b) {
    pi <- plogis(as.vector(x %*% b))
    m <- q + (p - q) * pi
    -sum(ifelse(data$y == 1, log(m), log1p(-m)))
  }
  slope <- function(b) {
    pi <- plogis(as.vector(x %*% b))
    m <- q + (p - q) * pi
    -as.vector(crossprod(x, (p - q) * pi * (1 - pi) * ifelse(data$y == 1, 1 / m, -1 / (1 - m))))
  }
  fits <- lapply(seq_len(13), function(s) optim(if (s == 1) numeric(3) else rnorm(3), value, slope, method = "BFGS", control = list(reltol = 1e-13, maxit = 1000)))
  good <- vapply(fits, function(f) max(abs(x %*% f$par)) < 12 && max(abs(slope(f$par))) < 1e-3, NA)
  if (any(good)) -min(vapply(fits[good], `[[`, 0, "value")) else NA
}

failures <- done <- 0
while (done < 500) {
  design <- list(rr_warner(0.7), rr_warner(0.8), rr_forced(c(1 / 6, 1 / 6)), rr_crosswise(0.25), rr_triangular(0.25))[[done %% 5 + 1]]
  n <- sample(c(150, 300, 600, 2000), 1)
  data <- survey(design, n, c(rnorm(1, -1), rnorm(2)))
  best <- reference(data, rr_matrix(design)[2, 2], rr_matrix(design)[1, 2])
  if (is.na(best)) next
  done <- done + 1
  fit <- suppressWarnings(rr_glm(y ~ x1 + x2, data, design))
  if (!is.null(fit$boundary) || fit$loglik < best - 1e-6) {
    failures <- failures + 1
    cat(sprintf("not reached: %s, n = %d, %.6f for %.6f\n", format(design), n, fit$loglik, best))
  }
}
cat(sprintf("%d surveys with a finite maximum, %d failures\n", done, failures))
