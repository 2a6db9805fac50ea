# What R adds to the kernels: to reach <= 4 at K = 1,423,000 and <= 6 lm.fit at K = 10.
library(candor)
source("common.R", chdir = TRUE)

k <- 1423000
mechanism <- rr_grr(k, epsilon = 2)
shares <- rr_zipf_shares(k)
counts <- as.double(rmultinom(1, 1e7, mechanism$q + mechanism$p_minus_q * shares))
kernel <- getNamespace("candor")$C_rr_mle
report("coef(rr_estimate(rr_counts(counts, mechanism))), K = 1,423,000 / kernel",
       ratio(coef(rr_estimate(rr_counts(counts, mechanism), mechanism)),
             .Call(kernel, counts, mechanism$p_minus_q, mechanism$q, mechanism$odds)), "<= 4")

small <- rr_counts(c(149, 116, 104, 86, 89, 98, 83, 84, 83, 108), rr_grr(10, epsilon = 1))
x <- cbind(1, 1:10)
y <- as.double(1:10)
report("rr_estimate(), K = 10 / lm.fit() of 10 x 2", ratio(rr_estimate(small), lm.fit(x, y), times = 2000, inner = 10), "<= 6")

grouped <- rr_counts(matrix(rpois(1e5, 100), 10), rr_grr(10, epsilon = 1))
report("rr_top() of 10,000 groups, K = 10 / rr_estimate()", ratio(rr_top(grouped), rr_estimate(grouped), times = 3), "<= 5")
