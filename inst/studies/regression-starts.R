# Does rr_glm() reach the maximum of the likelihood where there is a finite one?
#
#     Rscript regression-starts.R <folder> <surveys> <first seed>
#
# Surveys of five designs, 150 to 2000 respondents, random coefficients. The reference knows nothing of rr_glm(): BFGS from 13 random starts, then
# Newton's method with optimHess(); a point counts as a finite maximum if its gradient is below 1e-6, its Hessian is definite with a condition
# below 1e9, and no linear predictor is beyond 15: there truths are 0 or 1 to seven digits, and the mathematics speaks of infinity. A survey is one
# with a finite maximum if the reference has one. rr_glm() fails if it reports infinity, or a likelihood more than 1e-6 lower. Writes regression-starts.csv, one line per survey, and prints the failures.
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 500 else as.integer(arguments[2])
first_seed <- if (length(arguments) < 3) 20261123 else as.integer(arguments[3])
designs <- list(warner_.7 = rr_warner(0.7), warner_.8 = rr_warner(0.8), forced = rr_forced(c(1 / 6, 1 / 6)), crosswise = rr_crosswise(0.25),
                triangular = rr_triangular(0.25))

reference <- function(y, x, p, q) {
  value <- function(b) {
    truth <- plogis(as.vector(x %*% b))
    report <- q + (p - q) * truth
    -sum(ifelse(y == 1, log(report), log1p(-report)))
  }
  slope <- function(b) {
    truth <- plogis(as.vector(x %*% b))
    report <- q + (p - q) * truth
    -as.vector(crossprod(x, (p - q) * truth * (1 - truth) * ifelse(y == 1, 1 / report, -1 / (1 - report))))
  }
  polish <- function(b) {
    for (step in 1:20) {
      if (!all(is.finite(b)) || max(abs(x %*% b)) > 15) return(NULL)
      H <- optimHess(b, value, slope)
      spectrum <- eigen(H, symmetric = TRUE, only.values = TRUE)$values
      if (min(spectrum) < 1e-9 * max(spectrum)) return(NULL)
      if (max(abs(slope(b))) < 1e-6) return(list(b = b, loglik = -value(b)))
      b <- b - solve(H, slope(b))
    }
    NULL
  }
  found <- lapply(seq_len(13), function(s) {
    polish(optim(if (s == 1) numeric(3) else rnorm(3), value, slope, method = "BFGS", control = list(reltol = 1e-13, maxit = 1000))$par)
  })
  found <- Filter(Negate(is.null), found)
  if (length(found)) found[[which.max(vapply(found, `[[`, 0, "loglik"))]]
}

rows <- list()
without <- 0
while (length(rows) < surveys) {
  # Each survey can be made again on its own.
  seed <- first_seed + length(rows) + without
  set.seed(seed)
  name <- names(designs)[length(rows) %% 5 + 1]
  matrix <- rr_matrix(designs[[name]])
  n <- sample(c(150, 300, 600, 2000), 1)
  b <- c(rnorm(1, -1), rnorm(2))
  data <- data.frame(x1 = rnorm(n), x2 = rbinom(n, 1, 0.5))
  truth <- rbinom(n, 1, plogis(b[1] + b[2] * data$x1 + b[3] * data$x2))
  data$y <- rbinom(n, 1, matrix[truth + 1, 2])
  best <- reference(data$y, cbind(1, data$x1, data$x2), matrix[2, 2], matrix[1, 2])
  if (is.null(best)) {
    without <- without + 1
    next
  }
  fit <- suppressWarnings(rr_glm(y ~ x1 + x2, data, designs[[name]]))
  rows[[length(rows) + 1]] <- data.frame(seed = seed, design = name, n = n, reference = best$loglik, gain = fit$loglik - best$loglik,
                                         infinite = !is.null(fit$boundary), agree = sum(abs(fit$starts - fit$loglik) < 1e-6))
}
table <- do.call(rbind, rows)
table$failed <- table$infinite | table$gain < -1e-6
write.csv(format(table, digits = 8), file.path(folder, "regression-starts.csv"), row.names = FALSE)
print(table[table$failed, ])
cat(sprintf("%d surveys with a finite maximum (and %d without): %d failures; higher than the reference by more than 1e-6: %d\n", nrow(table), without,
            sum(table$failed), sum(table$gain > 1e-6)))
