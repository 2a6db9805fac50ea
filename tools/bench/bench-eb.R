# Empirical Bayes: to reach <= 25 times maximum likelihood at K = 1e6, and <= 50 ms at K = 41,270, N = 1e6.
library(candor)
source("common.R", chdir = TRUE)

zipf_counts <- function(k, n) {
  mechanism <- rr_grr(k, epsilon = 8)
  rr_counts(as.double(rmultinom(1, n, mechanism$q + mechanism$p_minus_q * rr_zipf_shares(k))), mechanism)
}

million <- zipf_counts(1e6, 1e6)
report("rr_estimate(method = \"eb\") / \"mle\", K = 1e6, N = 1e6",
       ratio(rr_estimate(million, method = "eb"), rr_estimate(million)), "<= 25")
million <- zipf_counts(1e6, 1e8)
report("rr_estimate(method = \"eb\") / \"mle\", K = 1e6, N = 1e8",
       ratio(rr_estimate(million, method = "eb"), rr_estimate(million)), "<= 25")
pages <- zipf_counts(41270, 1e6)
seconds <- median(vapply(1:9, function(i) sum(system.time(rr_estimate(pages, method = "eb"))[1:2]), 0))
report("rr_estimate(method = \"eb\"), K = 41,270, N = 1e6, milliseconds of CPU time", 1000 * seconds, "<= 50")
