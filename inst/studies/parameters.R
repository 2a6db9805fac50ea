# Do the intervals of tidy(fit, type = "parameters") for the honesty of respondents hold? Two samples of a stochastic lie detector.
#
#   Rscript inst/studies/parameters.R
#
# writes parameters.csv into the working directory, or the folder that is given as an argument to Rscript. It takes a minute.
library(candor)

study_parameters <- function(replications = 1000) {
  cells <- data.frame(share = c(0.3, 0.3, 0.1), honesty = c(1, 1, 0.8), n = c(200, 1000, 200))
  runs <- lapply(seq_len(nrow(cells)), function(i) {
    vapply(seq_len(replications), function(seed) one_survey(cells$share[i], cells$honesty[i], cells$n[i], seed), numeric(3))
  })
  figure <- function(f) vapply(runs, f, 0)
  data.frame(cells, replications = replications, coverage = figure(function(run) mean(run["hit", ])),
             first_40 = figure(function(run) mean(run["hit", 1:40])),
             without_interval = figure(function(run) sum(is.na(run["low", ]))),
             mean_low = figure(function(run) mean(run["low", ])), mean_high = figure(function(run) mean(run["high", ])))
}

one_survey <- function(share, honesty, n, seed, p = c(0.2, 0.8)) {
  set.seed(seed)
  yes <- stats::rbinom(2, n, share * honesty + (1 - share) * (1 - p))
  tallies <- Map(function(yes, p) rr_counts(c(no = n - yes, yes = yes), rr_lie_detector(p)), yes, p)
  table <- tidy(rr_estimate(tallies), type = "parameters")
  bounds <- unlist(table[table$term == "honesty", c("conf.low", "conf.high")])
  c(low = bounds[[1]], high = bounds[[2]], hit = bounds[[1]] <= honesty && honesty <= bounds[[2]])
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  table <- study_parameters()
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  utils::write.csv(signif(table, 4), file.path(folder, "parameters.csv"), row.names = FALSE)
  print(table)
}
