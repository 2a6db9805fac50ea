# Do the intervals of joint counts hold? Four yes/no columns, sets of 1 to 4 of them, both targets.
#
#   Rscript inst/studies/joint-intervals.R
#
# writes joint-intervals.csv into the working directory, or the folder that is given as an argument to Rscript. It takes two minutes.
library(candor)

designs <- list(`p 0.8, q 0.1` = c(0.8, 0.1), `Warner 0.75` = c(0.75, 0.25), `p 0.95, q 0.02` = c(0.95, 0.02))

study_joint <- function(replications = 1000, shares = c(0.01, 0.1, 0.5), sizes = c(20, 100, 1000)) {
  cells <- expand.grid(design = names(designs), share = shares, n = sizes, stringsAsFactors = FALSE)
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    runs <- vapply(seq_len(replications), function(seed) one_survey(designs[[cells$design[i]]], cells$share[i], cells$n[i], seed),
                   array(0, c(4, 2, 4)))
    mean_of <- function(figure) as.vector(apply(runs[figure, , , , drop = FALSE], 2:3, mean, na.rm = TRUE))
    data.frame(cells[i, ], target = c("population", "sample"), order = rep(1:4, each = 2), surveys = replications,
               coverage = mean_of(1), wald = mean_of(2), width = mean_of(3) / mean_of(4), row.names = NULL)
  }))
}

# `share` of the people have all four traits; the others have each with probability 0.1.
one_survey <- function(design, share, n, seed) {
  set.seed(seed)
  truths <- matrix(stats::rbinom(4 * n, 1, 0.1), n)
  truths[stats::runif(n) < share, ] <- 1
  reports <- matrix(stats::rbinom(4 * n, 1, ifelse(truths == 1, design[1], design[2])), n, dimnames = list(NULL, letters[1:4]))
  counts <- rr_cooccurrence(reports, order = 4)
  sets <- c("a", "a:b", "a:b:c", "a:b:c:d")
  held <- vapply(1:4, function(order) sum(rowSums(truths[, seq_len(order), drop = FALSE]) == order), 0)
  one_target <- function(target) {
    table <- tidy(rr_tmdh(counts, list(p = design[1], q = design[2]), target = target), conf.int = TRUE, terms = sets)
    truth <- if (target == "sample") held else n * (share + (1 - share) * 0.1^(1:4))
    half <- stats::qnorm(0.975) * table$std.error
    # A variance that is estimated below 0 leaves Wald without an interval: not covered.
    rbind(table$conf.low <= truth + 1e-9 & truth <= table$conf.high + 1e-9,
          !is.na(half) & abs(table$estimate - truth) <= half, table$conf.high - table$conf.low, 2 * half)
  }
  aperm(simplify2array(list(one_target("population"), one_target("sample"))), c(1, 3, 2))
}

# Sourced by a test, only the functions are wanted.
if (!isTRUE(getOption("candor.study.functions.only"))) {
  table <- study_joint()
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  utils::write.csv(data.frame(table[1:6], signif(table[7:9], 4)), file.path(folder, "joint-intervals.csv"), row.names = FALSE)
  print(table)
}
