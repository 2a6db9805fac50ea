# How often does an interval while looking miss the truth at any of its looks, and how wide is it?
#
#     Rscript anytime.R <folder> <runs>
#
# Somebody looks 30 times, first at 100 reports, last at 8,000, each time at a sixth more. Writes anytime.csv: what is estimated, by which interval,
# the plan, the share of runs without a miss at any look (nominal .95, at least), its Monte Carlo error, the least share over the looks one by one, the
# mean width at about 500 and at 8,000 reports over that of Wald's interval, and runs.
suppressPackageStartupMessages(library(candor))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
runs <- if (length(arguments) < 2) 1000 else as.integer(arguments[2])

set.seed(20261127)
looks <- round(100 * 80^((0:29) / 29))
new <- diff(c(0, looks))
quietly <- function(expression) suppressMessages(suppressWarnings(expression))

# Counts of the reports at each look, a column each.
accumulate <- function(chances) {
  apply(vapply(new, function(size) as.double(rmultinom(1, size, chances)), numeric(length(chances))), 1, cumsum)
}
tally_of <- function(counts, mechanism, n = NULL) {
  dimnames(counts) <- list(seq_along(looks), mechanism$levels)
  do.call(rr_counts, c(list(t(counts), mechanism), if (!is.null(n)) list(n = n)))
}
table_of <- function(tally, interval, plan, term = NULL) {
  table <- quietly(tidy(rr_estimate(tally, method = "inv", interval = interval, plan = plan), conf.int = TRUE))
  if (is.null(term)) table else table[table$term == term, ]
}
# `bounds(interval, plan)` of one run: low and high, a row for each look.
study <- function(what, truth, draw, kinds) {
  each <- lapply(seq_len(runs), function(run) {
    seen <- draw()
    # Widths are those of the first runs.
    wald <- if (run <= 30) seen("wald", 500) else list(low = NA, high = NA)
    lapply(kinds, function(kind) {
      bounds <- seen(kind$interval, kind$plan)
      missed <- bounds$low > truth + 1e-9 | bounds$high < truth - 1e-9
      width <- (bounds$high - bounds$low) / (wald$high - wald$low)
      list(missed = missed %in% TRUE, width = width[c(which.min(abs(looks - 500)), length(looks))])
    })
  })
  rows <- lapply(seq_along(kinds), function(k) {
    missed <- vapply(each, function(run) run[[k]]$missed, logical(length(looks)))
    width <- rowMeans(vapply(each, function(run) run[[k]]$width, numeric(2)), na.rm = TRUE)
    never <- 1 - mean(colSums(missed) > 0)
    data.frame(what = what, interval = kinds[[k]]$interval, plan = kinds[[k]]$plan, never.missed = round(never, 4),
               mc.error = round(sqrt(never * (1 - never) / runs), 4), least.look = round(min(1 - rowMeans(missed)), 4),
               width.500 = round(width[1], 2), width.8000 = round(width[2], 2), runs = runs)
  })
  do.call(rbind, rows)
}
kind <- function(interval, plan = 500) list(interval = interval, plan = plan)
shares <- function(mechanism, theta, term) {
  reported <- drop(theta %*% rr_matrix(mechanism))
  function() {
    tally <- tally_of(accumulate(reported), mechanism)
    function(interval, plan) {
      table <- table_of(tally, interval, plan, term)
      list(low = table$conf.low, high = table$conf.high)
    }
  }
}
channel <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.15, 0.05, 0.8)), levels = c("a", "b", "c"))
# The second group starts after `late` reports of the first.
difference <- function(theta, late = 0) {
  warner <- rr_warner(0.8)
  function() {
    group <- lapply(1:2, function(g) {
      size <- if (g == 2) new * (looks > late) else new
      yes <- cumsum(rbinom(length(looks), size, 0.2 + 0.6 * theta[g]))
      cbind(no = cumsum(size) - yes, yes = yes)
    })
    function(interval, plan) {
      # One tally of all looks, in which each contrast is of the two groups of its look. Before the second group has 100 reports there is none.
      counts <- t(rbind(group[[1]], pmax(group[[2]], 1)))
      colnames(counts) <- paste0(rep(c("a", "b"), each = length(looks)), seq_along(looks))
      L <- matrix(0, length(looks), 4 * length(looks))
      L[cbind(seq_along(looks), 2 * seq_along(looks))] <- -1
      L[cbind(seq_along(looks), 2 * (length(looks) + seq_along(looks)))] <- 1
      found <- quietly(rr_contrast(rr_estimate(rr_counts(counts, warner), method = "inv", interval = interval, plan = plan), L))
      open <- rowSums(group[[2]]) < 100
      list(low = replace(found$conf.low, open, -Inf), high = replace(found$conf.high, open, Inf))
    }
  }
}
mean_of <- function() {
  mechanism <- rr_mean(c(0, 10), epsilon = 1)
  function() {
    reports <- rr_perturb(10 * rbeta(max(looks), 2, 5), mechanism, rng = "R")
    function(interval, plan) {
      tally <- rr_tally(reports[sequence(looks)], mechanism, by = rep(seq_along(looks), looks))
      bounds <- confint(quietly(rr_estimate(tally, interval = interval, plan = plan)))
      list(low = bounds[, 1], high = bounds[, 2])
    }
  }
}
unary <- function(theta) {
  mechanism <- rr_unary(5, epsilon = 1)
  function() {
    support <- vapply(c(theta, rep((1 - theta) / 4, 4)), function(t) {
      cumsum(rbinom(length(looks), new, mechanism$q + (mechanism$p - mechanism$q) * t))
    }, numeric(length(looks)))
    tally <- tally_of(support, mechanism, looks)
    function(interval, plan) {
      table <- table_of(tally, interval, plan, mechanism$levels[1])
      list(low = table$conf.low, high = table$conf.high)
    }
  }
}
exact <- list(kind("anytime"), kind("wilson"))
plans <- list(kind("anytime"), kind("anytime", 2500), kind("wilson"))
few <- list(kind("anytime"), kind("wald"))
result <- rbind(
  study("Warner 0.8, share 0.15: exact", 0.15, shares(rr_warner(0.8), c(0.85, 0.15), "yes"), exact),
  study("forced 1/6, share 0.02: exact", 0.02, shares(rr_forced(1 / 6), c(0.98, 0.02), "yes"), exact),
  study("unary, epsilon 1, share 0.004: exact", 0.004, unary(0.004), exact),
  study("channel of 3 categories, share 0.2", 0.2, shares(channel, c(0.5, 0.3, 0.2), "c"), plans),
  study("channel of 3 categories, share 0.05", 0.05, shares(channel, c(0.6, 0.35, 0.05), "c"), plans),
  study("difference of two groups, equal", 0, difference(c(0.3, 0.3)), list(kind("anytime"), kind("wilson"))),
  study("difference of two groups, 0.1, the second 2,000 reports late", 0.1, difference(c(0.2, 0.3), 2000), list(kind("anytime"), kind("wilson"))),
  study("mean of a skewed variable, epsilon 1", 10 * 2 / 7, mean_of(), few)
)
utils::write.csv(result, file.path(folder, "anytime.csv"), row.names = FALSE)
