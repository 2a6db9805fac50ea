# Does rr_glm() reach the largest likelihood, where truths are rare, and what do its intervals hold there?
#
#     Rscript regression-starts.R <folder> <surveys> <first seed>
#
# Surveys of five designs, 100 to 500 respondents, shares of yes of 2, 5, 10 per cent at the mean, a normal and a binary covariate; slopes .6 and 0 in
# every other survey, 1.5 and -1 in the others. Two references know nothing of rr_glm(): `reference` is the best of 50 climbs of BFGS from random points,
# `far` the largest likelihood far out, see far_out(). A fit fails if it is more than 1e-6 below one of them, its own starts, or one of the nested fits
# y ~ 1, y ~ x, y ~ z. Of the fit ("none") and of two penalties: does Wald's interval of each coefficient, and that of rr_effects() of the average truth,
# hold the truth (NA: none is given), and the root mean squared error of the fitted truths. Writes regression-starts.csv.gz, one line per survey, and
# prints a summary.
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 500 else as.integer(arguments[2])
first_seed <- if (length(arguments) < 3) 30000 else as.integer(arguments[3])
designs <- list(forced = rr_forced(c(1 / 6, 1 / 6)), warner = rr_warner(0.75), crosswise = rr_crosswise(0.25), unrelated = rr_unrelated(0.7, 0.3),
                kuk = rr_kuk(0.8, 0.2))

reference <- function(x, y, matrix) {
  p <- matrix[2, 2]
  q <- matrix[1, 2]
  value <- function(b) {
    report <- q + (p - q) * plogis(drop(x %*% b))
    sum(log(ifelse(y == 1, report, 1 - report)))
  }
  slope <- function(b) {
    truth <- plogis(drop(x %*% b))
    report <- q + (p - q) * truth
    drop(crossprod(x, (p - q) * truth * (1 - truth) * ifelse(y == 1, 1 / report, -1 / (1 - report))))
  }
  starts <- matrix(rnorm(150, 0, c(2, 3, 2)), 3)[seq_len(ncol(x)), ]
  max(apply(starts, 2, function(b) optim(b, value, slope, method = "BFGS", control = list(fnscale = -1, maxit = 300))$value))
}

# The ends far out, one by one. With a slope of x that is infinite, all truths beyond a threshold of x are yes, or all are no, and the threshold of either
# half of z is free: cumulative sums over the sorted x have the best one. With a slope of z that is infinite and a finite slope of x, the truths of one
# half are all yes or all no, and the other half has a curve in x. If the intercept is infinite too, all truths are alike, which the thresholds include.
far_out <- function(x, y, matrix) {
  yes <- log(matrix[2, y + 1])
  no <- log(matrix[1, y + 1])
  divided <- function(half, side) {
    rows <- half[order(side * x[half, 2])]
    max(cumsum(c(sum(no[half]), rev((yes - no)[rows]))))
  }
  halves <- split(seq_along(y), x[, 3])
  divisions <- vapply(c(1, -1), function(side) sum(vapply(halves, divided, 0, side)), 0)
  constant <- vapply(halves, function(half) max(sum(yes[half]), sum(no[half])), 0)
  curves <- vapply(halves, function(half) reference(x[half, 1:2, drop = FALSE], y[half], matrix), 0)
  max(divisions, if (length(halves) == 2) constant + rev(curves))
}

survey <- function(seed) {
  # Each survey can be made again on its own.
  set.seed(seed)
  name <- names(designs)[seed %% 5 + 1]
  matrix <- unname(rr_matrix(designs[[name]]))
  n <- sample(c(100, 200, 300, 500), 1)
  b <- c(qlogis(sample(c(0.02, 0.05, 0.1), 1)), if (seed %% 2) c(0.6, 0) else c(1.5, -1))
  data <- data.frame(x = rnorm(n), z = rbinom(n, 1, 0.4))
  x <- cbind(1, data$x, data$z)
  truth <- plogis(drop(x %*% b))
  data$y <- rbinom(n, 1, matrix[cbind(rbinom(n, 1, truth) + 1, 2)])
  best <- reference(x, data$y, matrix)
  far <- far_out(x, data$y, matrix)
  fit_of <- function(formula, penalty = "none") suppressWarnings(rr_glm(formula, data, designs[[name]], penalty = penalty))
  seconds <- system.time(fit <- fit_of(y ~ x + z))[["user.self"]]
  nested <- max(vapply(list(y ~ 1, y ~ x, y ~ z), function(formula) fit_of(formula)$loglik, 0))
  holds <- function(low, high, value) as.integer(low <= value & value <= high)
  measured <- lapply(c("none", "bias", "prior"), function(penalty) {
    one <- if (penalty == "none") fit else tryCatch(fit_of(y ~ x + z, penalty), error = function(e) NULL)
    if (is.null(one)) return(rep(NA, 5))
    ends <- confint(one, method = "wald")
    effect <- suppressWarnings(rr_effects(one, character()))
    c(holds(ends[, 1], ends[, 2], b), holds(effect$conf.low, effect$conf.high, mean(truth)), sqrt(mean((fitted(one, "truth") - truth)^2)))
  })
  names(measured) <- c("none", "bias", "prior")
  measured <- unlist(lapply(measured, stats::setNames, c("intercept", "x", "z", "average", "rmse")))
  cbind(data.frame(seed = seed, design = name, n = n, reference = best, far = far, loglik = fit$loglik, nested = nested, start = max(fit$starts),
                   infinite = !is.null(fit$boundary), rival = sum(fit$starts > fit$loglik - 2) > 1, seconds = seconds), t(measured))
}

rows <- lapply(first_seed + seq_len(surveys), survey)
table <- do.call(rbind, rows)
table$failed <- table$loglik < pmax(table$reference, table$far, table$nested, table$start) - 1e-6
write.csv(format(table, digits = 8), gzfile(file.path(folder, "regression-starts.csv.gz")), row.names = FALSE, quote = FALSE)
print(table[table$failed, 1:9])
cat(sprintf("%d surveys: %d failures; above the reference by more than .01: %d; at infinity: %d; another end within 2: %d; %.3f s a fit\n", nrow(table),
            sum(table$failed), sum(table$loglik > table$reference + 0.01), sum(table$infinite), sum(table$rival), mean(table$seconds)))
cells <- grep("[.](intercept|x|z|average|rmse)$", names(table))
kind <- ifelse(table$infinite, "infinite", ifelse(table$rival, "rival within 2", "alone"))
print(round(do.call(rbind, lapply(split(table[cells], kind), function(part) colMeans(part, na.rm = TRUE))), 3))
print(round(do.call(rbind, lapply(split(table[cells], kind), function(part) colMeans(!is.na(part)))), 2))
