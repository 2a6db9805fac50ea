# Random intercepts: does rr_glm(report ~ item + x + (1 | id)) always give an estimate, and do intervals of the slope cover? The same surveys by
# lme4::glmer(family = rr_family()), which takes seven times as long: the first third of them, at most 100.
#
#     Rscript random-intercepts.R <folder> <surveys>
#
# Writes random-intercepts.csv.gz, a row for each survey and way of fitting: failed (an error, or an estimate that is NA or infinite), warned, the slope,
# its standard error and the ends of intervals with a level of 0.95, sigma, the log-likelihood as reported, and the exact one at the estimate.
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 900 else as.integer(arguments[2])
die <- rr_forced(c(no = 1 / 6, yes = 1 / 6))
slope <- 0.5

survey <- function(seed, persons = 300, items = c(-1.5, -1.2, -0.9, -0.5), sigma = 1.2) {
  set.seed(seed)
  people <- data.frame(id = seq_len(persons), x = rnorm(persons), u = sigma * rnorm(persons))
  data <- merge(people, data.frame(item = factor(seq_along(items))))
  truth <- rbinom(nrow(data), 1, plogis(items[data$item] + slope * data$x + data$u))
  data$y <- rbinom(nrow(data), 1, 1 / 6 + 2 / 3 * truth)
  data
}

# The log-likelihood at any estimate, by Simpson's rule on a fine grid: neither lme4 nor the package computes it so.
exact <- function(data, b, sigma) {
  u <- seq(-9, 9, length.out = 901)
  weight <- dnorm(u) * c(1, rep(c(4, 2), length.out = length(u) - 2), 1) * (u[2] - u[1]) / 3
  report <- 1 / 6 + 2 / 3 * plogis(outer(b[data$item] + b[5] * data$x, sigma * u, `+`))
  sum(log(exp(rowsum(log(abs(1 - data$y - report)), data$id)) %*% weight))
}

measured <- function(seed, way, data, fitter) {
  warned <- FALSE
  found <- withCallingHandlers(tryCatch(fitter(data), error = function(e) NULL), warning = function(w) {
    warned <<- TRUE
    invokeRestart("muffleWarning")
  })
  failed <- is.null(found) || !all(is.finite(c(found$b, found$sigma, found$error)))
  values <- if (failed) rep(NA_real_, 9) else {
    with(found, c(b[5], error, b[5] - qnorm(0.975) * error, b[5] + qnorm(0.975) * error, ends, sigma, loglik, exact(data, b, sigma)))
  }
  names <- c("slope", "error", "wald_low", "wald_high", "profile_low", "profile_high", "sigma", "loglik", "exact")
  data.frame(survey = seed, way = way, failed = failed, warned = warned, t(setNames(round(values, 5), names)))
}

ways <- list(
  rr_glm = function(data) {
    fit <- rr_glm(y ~ 0 + item + x + (1 | id), data, die)
    list(b = coef(fit), error = sqrt(vcov(fit)["x", "x"]), ends = confint(fit, "x"), sigma = fit$sigma, loglik = as.numeric(logLik(fit)))
  },
  `glmer, 1 node` = function(data) by_glmer(data, 1),
  `glmer, 25 nodes` = function(data) by_glmer(data, 25)
)

by_glmer <- function(data, nodes) {
  fit <- suppressMessages(lme4::glmer(y ~ 0 + item + x + (1 | id), data, family = rr_family(die), nAGQ = nodes))
  list(b = lme4::fixef(fit), error = sqrt(as.matrix(vcov(fit))["x", "x"]), ends = c(NA_real_, NA_real_),
       sigma = attr(lme4::VarCorr(fit)$id, "stddev")[[1]], loglik = as.numeric(logLik(fit)))
}

if (!requireNamespace("lme4", quietly = TRUE)) ways <- ways["rr_glm"]
table <- do.call(rbind, lapply(seq_len(surveys), function(seed) {
  data <- survey(seed)
  used <- if (seed <= min(100, surveys / 3)) ways else ways["rr_glm"]
  do.call(rbind, Map(function(way, fitter) measured(seed, way, data, fitter), names(used), used))
}))
write.csv(table, gzfile(file.path(folder, "random-intercepts.csv.gz")), row.names = FALSE)

best <- table$loglik[table$way == "rr_glm"][match(table$survey, seq_len(surveys))]
within <- function(low, high) mean(low <= slope & slope <= high, na.rm = TRUE)
for (way in names(ways)) {
  rows <- table$way == way
  own <- table[rows, ]
  cat(sprintf("%s: %d failed, %d warned; coverage Wald %.3f, profile %.3f; mean slope %.3f, s.d. %.3f, median s.e. %.3f; median sigma %.2f\n", way,
              sum(own$failed), sum(own$warned), within(own$wald_low, own$wald_high), within(own$profile_low, own$profile_high),
              mean(own$slope, na.rm = TRUE), sd(own$slope, na.rm = TRUE), median(own$error, na.rm = TRUE), median(own$sigma, na.rm = TRUE)))
  cat(sprintf("  exact log-likelihood more than 0.1 below the maximum: %d, of which %d without a warning; reported above the maximum by 0.01: %d\n",
              sum(best[rows] - own$exact > 0.1, na.rm = TRUE), sum(best[rows] - own$exact > 0.1 & !own$warned, na.rm = TRUE),
              sum(own$loglik - best[rows] > 0.01, na.rm = TRUE)))
}
