# Regressions that are no glm, as multiples of what R users know, timed in turns in one run:
#   1. rr_multinom() of 10 categories, 1e5 respondents, 4 columns, 5 starts, in multiples of glm(binomial) of the same size;
#   2. rr_predictor() of 1e4 respondents by moments and by likelihood, in multiples of lm() and glm();
#   3. rr_posterior() of a million respondents, in multiples of one hundred calls of qbeta().
# Rscript tools/bench/bench-regress-more.R [quick]
library(candor)
here <- grep("^--file=", commandArgs(), value = TRUE)
source(file.path(dirname(sub("^--file=", "", here)), "common.R"))
times <- if ("quick" %in% commandArgs(TRUE)) 1 else 5

set.seed(1)
n <- 1e5
x <- cbind(rnorm(n), rnorm(n), rbinom(n, 1, 0.5))
eta <- cbind(0, cbind(1, x) %*% matrix(rnorm(36, sd = 0.4), 4))
truth <- max.col(eta - log(-log(matrix(runif(n * 10), n))))
grr <- rr_grr(10, epsilon = 2)
people <- data.frame(y = rr_perturb(truth, grr, rng = "R"), b = as.integer(truth > 5), x1 = x[, 1], x2 = x[, 2], x3 = x[, 3])
report("rr_multinom(), K = 10, n = 1e5, 4 columns, 5 starts, in glm()", ratio(
  rr_multinom(y ~ x1 + x2 + x3, people, grr), glm(b ~ x1 + x2 + x3, binomial, people), times), "20")
report("the same from one start", ratio(
  rr_multinom(y ~ x1 + x2 + x3, people, grr, starts = 1), glm(b ~ x1 + x2 + x3, binomial, people), times), "20")

n <- 1e4
z <- rnorm(n)
truth <- rbinom(n, 1, plogis(z))
forced <- rr_forced(1 / 6)
people <- data.frame(z, q = rr_perturb(truth, forced, rng = "R"), o = z + truth + rnorm(n), b = rbinom(n, 1, plogis(z + truth)))
seconds_of <- function(expression) stats::median(replicate(times, system.time(expression())[["elapsed"]]))
cat(sprintf("%-78s %8.3g s (goal 0.5 s)\n", "rr_predictor(), n = 1e4, gaussian, moments",
            seconds_of(function() rr_predictor(o ~ z + q, people, list(q = forced)))))
cat(sprintf("%-78s %8.3g s (goal 0.5 s)\n", "rr_predictor(), n = 1e4, gaussian, likelihood, 5 starts",
            seconds_of(function() rr_predictor(o ~ z + q, people, list(q = forced), method = "ml"))))
cat(sprintf("%-78s %8.3g s (goal 0.5 s)\n", "rr_predictor(), n = 1e4, binomial, likelihood, 5 starts",
            seconds_of(function() rr_predictor(b ~ z + q, people, list(q = forced), binomial()))))
report("rr_predictor(), n = 1e4, gaussian, moments, in lm()", ratio(
  rr_predictor(o ~ z + q, people, list(q = forced)), lm(o ~ z + q, people), times), "-")

million <- rr_counts(c(6e5, 4e5), forced)
report("rr_posterior() of 1e6 respondents with its table, in 100 x qbeta()", ratio(
  tidy(rr_posterior(million), conf.int = TRUE), for (i in 1:100) qbeta(0.3, 4e5, 6e5), times), "-")
