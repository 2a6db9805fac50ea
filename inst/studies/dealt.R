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
people <- function(n, cards, missing) {
  block <- (seq_len(n) - 1) %/% cards
  data.frame(block = block[sort(sample(n, n - missing))])
}
share_cell <- function(deck, n, share, missing = n %/% 20) {
  mechanism <- decks[[deck]]
  found <- replicate(surveys, {
    data <- people(n, mechanism$cards, missing)
    data$truth <- ifelse(runif(n - missing) < share, "yes", "no")
    fit <- rr_estimate(rr_tally(rr_perturb(data, mechanism, rng = "R"), mechanism))
    own <- confint(fit, "yes")
    fit$target <- "sample"
    c(inside(own, share), inside(confint(fit, "yes"), mean(data$truth == "yes")), coef(fit)[["yes"]])
  })
  said <- mechanism$innocuous[2] + mechanism$truth * share
  die <- sqrt(said * (1 - said) / (n - missing)) / mechanism$truth
  what <- if (missing > 0) ", short blocks" else ""
  rbind(row(deck, n, share, paste0("population", what), found[1, ] == 1, sd(found[3, ]) / die),
        row(deck, n, share, paste0("sample", what), found[2, ] == 1))
}
exact_cell <- function(deck, n, share) {
  mechanism <- decks[[deck]]
  covered <- replicate(surveys, {
    reports <- rr_perturb(ifelse(runif(n) < share, "yes", "no"), mechanism, rng = "R")
    inside(confint(rr_estimate(reports, mechanism, interval = "exact"), "yes"), share)
  })
  row(deck, n, share, "population, exact", covered)
}
group_cell <- function(deck, n, first, second) {
  mechanism <- decks[[deck]]
  covered <- replicate(surveys, {
    data <- people(n, mechanism$cards, 0)
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
  covered <- replicate(surveys %/% 2, {
    data <- people(n, mechanism$cards, 0)
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
  for (share in c(0.01, 0.03, 0.1, 0.35)) cells <- c(cells, list(share_cell(deck, 600, share), share_cell(deck, 600, share, 0)))
  cells <- c(cells, list(exact_cell(deck, 480, 0.03), exact_cell(deck, 480, 0.35), group_cell(deck, 720, 0.03, 0.12), group_cell(deck, 720, 0.2, 0.35),
                         regression_cell(deck, 1200, c(-2, 0.7, -0.6))))
}
utils::write.csv(do.call(rbind, cells), file.path(folder, "dealt.csv"), row.names = FALSE)
