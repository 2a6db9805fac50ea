# Do intervals of dealt answers cover: of a share, of the people asked, of a difference of groups within blocks, of coefficients?
#
#     Rscript dealt.R <folder> <surveys>
#
# Three decks, with people who are left out before they take a card, so that blocks are short. Writes dealt.csv: the deck, respondents, the
# true share, what the interval is of, coverage of nominal .95, its Monte Carlo error, the standard deviation over the one of a die with the
# same probabilities, and surveys.
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 1000 else as.integer(arguments[2])

set.seed(20261126)
decks <- list(`15 cards, 3 no, 3 yes` = rr_dealt(c(no = 3, yes = 3), 15), `20 cards, 4 yes` = rr_dealt(c(no = 0, yes = 4), 20),
              `8 cards, 1 no, 2 yes` = rr_dealt(c(no = 1, yes = 2), 8))
inside <- function(bounds, truth) bounds[, 1] <= truth & truth <= bounds[, 2]
row <- function(deck, n, share, what, covered, ratio = NA) {
  data.frame(deck = deck, n = n, share = share, what = what, coverage = round(mean(covered), 4),
             mc.error = round(sqrt(mean(covered) * (1 - mean(covered)) / length(covered)), 4), over.die = round(ratio, 3), surveys = length(covered))
}
people <- function(n, cards, missing = 0) {
  block <- (seq_len(n) - 1) %/% cards
  data.frame(block = block[sort(sample(n, n - missing))])
}
# All surveys of a cell at once: each is a group with blocks of its own.
share_cell <- function(deck, n, share, missing = 0) {
  mechanism <- decks[[deck]]
  data <- do.call(rbind, lapply(seq_len(surveys), function(i) cbind(people(n, mechanism$cards, missing), survey = i)))
  data$block <- paste(data$survey, data$block)
  yes <- runif(nrow(data)) < share
  data$report <- rr_perturb(data.frame(block = data$block, truth = ifelse(yes, "yes", "no")), mechanism, rng = "R")$report
  tally <- rr_tally(data, mechanism, column = "report", by = "survey")
  bounds <- function(...) as.matrix(subset(tidy(rr_estimate(tally, ...), conf.int = TRUE), term == "yes")[c("conf.low", "conf.high")])
  said <- mechanism$innocuous[2] + mechanism$truth * share
  die <- sqrt(said * (1 - said) / (n - missing)) / mechanism$truth
  estimate <- subset(tidy(rr_estimate(tally)), term == "yes")$estimate
  what <- if (missing > 0) ", short blocks" else ""
  rbind(row(deck, n, share, paste0("population", what), inside(bounds(), share), sd(estimate) / die),
        row(deck, n, share, paste0("sample", what), inside(bounds(target = "sample"), as.vector(tapply(yes, data$survey, mean)))),
        if (missing == 0 && n %% mechanism$cards == 0) row(deck, n, share, "population, exact", inside(bounds(interval = "exact"), share)))
}
group_cell <- function(deck, n, first, second) {
  mechanism <- decks[[deck]]
  covered <- replicate(surveys %/% 2, {
    data <- people(n, mechanism$cards)
    data$group <- rep(1:2, length.out = n)
    truth <- ifelse(runif(n) < c(first, second)[data$group], "yes", "no")
    data$report <- rr_perturb(cbind(data["block"], truth), mechanism, rng = "R")$report
    compared <- rr_compare(rr_estimate(data, mechanism, column = "report", by = "group"))
    compared$conf.low <= second - first & second - first <= compared$conf.high
  })
  row(deck, n, first, sprintf("difference to %g", second), covered)
}
regression_cell <- function(deck, n, b) {
  mechanism <- decks[[deck]]
  covered <- replicate(surveys %/% 4, {
    data <- people(n, mechanism$cards)
    data$x <- rnorm(n)
    data$z <- rbinom(n, 1, 0.4)
    truth <- ifelse(runif(n) < plogis(drop(cbind(1, data$x, data$z) %*% b)), "yes", "no")
    data$report <- rr_perturb(cbind(data["block"], truth), mechanism, rng = "R")$report
    fit <- suppressWarnings(rr_glm(report ~ x + z, data, mechanism))
    inside(confint(fit), b)
  })
  share <- round(mean(plogis(b[1] + b[2] * rnorm(1e5) + b[3] * rbinom(1e5, 1, 0.4))), 2)
  do.call(rbind, lapply(1:3, function(j) row(deck, n, share, c("intercept", "coefficient of x", "coefficient of z")[j], covered[j, ])))
}
cells <- list()
for (deck in names(decks)) {
  for (share in c(0.01, 0.03, 0.1, 0.35)) cells <- c(cells, list(share_cell(deck, 600, share, 30), share_cell(deck, 600, share)))
  cells <- c(cells, list(group_cell(deck, 720, 0.03, 0.12), group_cell(deck, 720, 0.2, 0.35), regression_cell(deck, 1200, c(-2, 0.7, -0.6))))
}
utils::write.csv(do.call(rbind, cells), file.path(folder, "dealt.csv"), row.names = FALSE)
