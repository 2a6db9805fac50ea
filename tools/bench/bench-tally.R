# rr_tally() of 1e8 integers against tabulate(): to reach <= 1.5.
library(candor)
source("common.R", chdir = TRUE)

k <- 100L
x <- sample.int(k, 1e8, replace = TRUE)
mechanism <- rr_grr(k, epsilon = 1)
report("rr_tally(1e8 integers) / tabulate()", ratio(rr_tally(x, mechanism), tabulate(x, k)), "<= 1.5")

big <- 41270L
x <- sample.int(big, 1e7, replace = TRUE)
mechanism <- rr_grr(big, epsilon = 1)
report("rr_tally(1e7 integers of 41,270 levels) / tabulate()", ratio(rr_tally(x, mechanism), tabulate(x, big)), "<= 1.5")
