# One pass over noisy bits and noisy sets against sum() and rowSums(). CANDOR_BENCH_BITS sets the length of the vectors (default
# 1e8: 1e9 integers need 4 GB, and per-bit flips 12 GB); ratios do not depend on it once nothing fits the caches.
library(candor)
source("common.R", chdir = TRUE)

n <- as.numeric(Sys.getenv("CANDOR_BENCH_BITS", "1e8"))
bits <- rep_len(as.integer(runif(2^20) < 0.3), n)
packed <- rep_len(packBits(rep_len(bits, 2^20)), n / 8)
flips <- rep_len(runif(2^20, 0.05, 0.45), n)
quietly <- suppressWarnings

report("rr_extreme(integers, one flip) / sum()", ratio(quietly(rr_extreme(bits, 0.1)), sum(bits)), "<= 1.5")
report("rr_extreme(packed bits, one flip) / sum()", ratio(quietly(rr_extreme(packed, 0.1)), sum(bits)), "<= 1.5")
report("rr_extreme(integers, a flip for each bit) / sum()", ratio(quietly(rr_extreme(bits, flips)), sum(bits), times = 5), "<= 6")
logical <- bits == 1L
report("rr_extreme(logicals, one flip) / sum()", ratio(quietly(rr_extreme(logical, 0.1)), sum(logical)), "<= 1.5")
rm(logical, packed)

m <- 1e6
sets <- matrix(rep_len(bits, m * 100), m)
flip <- runif(100, 0.001, 0.01)
report("rr_set_size(1e6 x 100, one flip) / rowSums()", ratio(rr_set_size(sets, 0.005), rowSums(sets), times = 5), "<= 3")
report("rr_set_size(1e6 x 100, a flip for each set) / rowSums()", ratio(rr_set_size(sets, flip), rowSums(sets), times = 5), "<= 3")
each <- matrix(rep_len(runif(2^20, 0.001, 0.01), m * 100), m)
report("rr_set_size(1e6 x 100, a flip for each bit) / rowSums()", ratio(rr_set_size(sets, each), rowSums(sets), times = 5), "<= 6")
tally <- rr_tally(ones = rowSums(sets), n = 100, flip = 0.005)
report("rr_set_size(tally of 1e6 x 100) / rowSums()", ratio(rr_set_size(tally), rowSums(sets), times = 5), "<= 3")
