# Do intervals of regressions cover if much of a finite population was drawn?
#
#     Rscript finite-populations.R <folder> <surveys>
#
# One population of 800 people in 80 towns of two strata, whose truths stay as they are. Each survey draws people or whole towns in their
# strata, and every report is randomized anew. The target is what the model gives if everybody is asked and each report counts with its
# probability. Writes finite-populations.csv: share of the units that is drawn, units, variance, model, coefficient, mean standard error and
# standard deviation of the estimates, coverage of nominal .95, and its Monte Carlo error.
suppressPackageStartupMessages({
  library(candor)
  library(survey)
})

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 400 else as.integer(arguments[2])

set.seed(20261124)
often <- c("never", "once", "often")
people <- data.frame(town = rep(1:80, each = 10), stratum = rep(1:2, each = 400), x = rnorm(800))
along <- 0.7 * people$x + rnorm(80, sd = 0.3)[people$town]
people$yes <- rbinom(800, 1, plogis(along - 0.7))
people$times <- factor(often[1 + rbinom(800, 2, plogis(along - 0.5))], often)
people$amount <- 1 + people$x + 0.8 * people$yes + rnorm(800)
die <- rr_binary(5 / 6, 1 / 6)
three <- rr_grr(ordered(often, often), p = 0.8)

models <- list(
  glm = function(...) rr_glm(yes ~ x, mechanism = die, starts = 1, ...),
  multinomial = function(...) rr_multinom(times ~ x, mechanism = three, starts = 1, ...),
  cumulative = function(...) rr_multinom(times ~ x, mechanism = three, type = "cumulative", starts = 1, ...),
  `predictor, moments` = function(...) rr_predictor(amount ~ x + yes, mechanisms = list(yes = die), ...),
  `predictor, ml` = function(...) rr_predictor(amount ~ x + yes, mechanisms = list(yes = die), method = "ml", starts = 1, ...)
)
quietly <- function(fit) suppressWarnings(suppressMessages(fit))

# Everybody with each report, whose probabilities are the weights.
everybody <- function(column, mechanism) {
  chance <- rr_matrix(mechanism)
  labels <- colnames(chance)
  all <- do.call(rbind, lapply(labels, function(said) {
    cbind(replace(people, column, rep(said, 800)), weight = chance[match(people[[column]], if (column == "yes") 0:1 else often), said])
  }))
  all
}
asked <- list(yes = everybody("yes", die), times = everybody("times", three))
targets <- lapply(names(models), function(name) {
  quietly(models[[name]](data = asked[[if (name %in% c("multinomial", "cumulative")) "times" else "yes"]], weights = "weight"))$coefficients
})

draw <- function(share, units) {
  size <- if (units == "people") 400 else 40
  data <- people[unlist(lapply(1:2, function(h) {
    of <- people$stratum == h
    if (units == "people") sample(which(of), share * size) else which(people$town %in% sample(unique(people$town[of]), share * size))
  })), ]
  data$yes <- rr_perturb(data$yes, die, rng = "R")
  data$times <- rr_perturb(data$times, three, rng = "R")
  data$size <- size
  svydesign(if (units == "people") ~1 else ~town, strata = ~stratum, fpc = ~size, data = data)
}

settings <- rbind(expand.grid(share = c(0.5, 0.8, 1), units = c("people", "towns"), variance = "linearized", stringsAsFactors = FALSE),
                  data.frame(share = 0.8, units = "towns", variance = "jackknife"))
table <- do.call(rbind, lapply(seq_len(nrow(settings)), function(k) {
  setting <- settings[k, ]
  # Jackknives refit each survey 64 times.
  runs <- if (setting$variance == "jackknife") ceiling(surveys / 4) else surveys
  set.seed(k)
  found <- replicate(runs, simplify = FALSE, {
    design <- draw(setting$share, setting$units)
    if (setting$variance == "jackknife") design <- as.svrepdesign(design)
    lapply(models, function(model) {
      fit <- quietly(model(data = design))
      cbind(estimate = fit$coefficients, error = sqrt(diag(vcov(fit))), half = qt(0.975, fit$df.residual) * sqrt(diag(vcov(fit))))
    })
  })
  do.call(rbind, lapply(seq_along(models), function(m) {
    each <- simplify2array(lapply(found, `[[`, m))
    hits <- abs(each[, "estimate", , drop = FALSE] - targets[[m]]) <= each[, "half", , drop = FALSE]
    rate <- apply(hits, 1, mean)
    data.frame(setting, model = names(models)[m], coefficient = names(targets[[m]]), error = rowMeans(each[, "error", , drop = FALSE]),
               deviation = apply(each[, "estimate", , drop = FALSE], 1, sd), coverage = rate, mc.error = sqrt(rate * (1 - rate) / runs),
               surveys = runs, row.names = NULL)
  }))
}))
table[6:9] <- round(table[6:9], 4)
write.csv(table, file.path(folder, "finite-populations.csv"), row.names = FALSE)
print(aggregate(cbind(coverage, ratio = error / deviation) ~ model + share + units + variance, table, mean))
