# The protocols of local differential privacy, client and server, CPU time per user at epsilon 1, with cryptographic randomness. The README
# has the times of two Python packages beside these. Each stage is repeated for a quarter of a second of processor time; the best of
# its repetitions counts, as a busy machine only ever adds. Names of protocols as arguments choose some.
library(candor)

spent <- function(since) sum((proc.time() - since)[c(1, 2, 4, 5)], na.rm = TRUE)

# Seconds of processor time. The clock has thousandths: work is repeated until it has taken twenty of them.
best_time <- function(work) {
  work()
  best <- Inf
  started <- proc.time()
  while (spent(started) < 0.25) {
    times <- 0
    since <- proc.time()
    while (times == 0 || spent(since) < 0.02) {
      work()
      times <- times + 1
    }
    best <- min(best, spent(since) / times)
  }
  best
}

# Microseconds a user of both sides.
measure <- function(what, mechanism, n) {
  wanted <- commandArgs(TRUE)
  if (length(wanted) && !what %in% wanted) return(invisible())
  truth <- rep_len(seq_along(mechanism$levels), n)
  reports <- tally <- NULL
  client <- best_time(function() reports <<- rr_perturb(truth, mechanism))
  server <- best_time(function() tally <<- rr_tally(reports, mechanism)) + best_time(function() rr_estimate(tally, method = "inv"))
  us <- 1e6 * c(client, server) / n
  cat(sprintf("%-10s K = %6d, N = %6d   client %7.3f   server %7.3f   both %7.3f us\n", what, length(mechanism$levels), n, us[1], us[2],
              sum(us)))
}

z <- exp(-0.5)
threshold <- 2 * log(((1 + z) + sqrt(1 - z + z^2)) / (3 * z))
for (k in c(1000, 10000)) {
  few <- if (k == 1000) 5e4 else 5e3
  measure("OUE", rr_unary(k, 1), few)
  measure("subset", rr_subset(k, 1), few)
  measure("OLH", rr_local_hash(k, 1), 2e5)
  measure("Hadamard", rr_hadamard(k, 1, blocks = 1), 2e5)
  measure("projective geometry", rr_projective(k, 1), 2e5)
  measure("THE", rr_unary(k, p = 1 - exp((threshold - 1) / 2) / 2, q = exp(-threshold / 2) / 2), few)
}

# RAPPOR: decoding, once for all users.
set.seed(1)
for (k in c(100, 1000)) {
  mechanism <- rr_bloom(k, epsilon = 2, bits = 32, hashes = 2, cohorts = 64)
  tally <- rr_tally(rr_perturb(rep_len(seq_len(k), 1e5), mechanism, rng = "R"), mechanism)
  cat(sprintf("RAPPOR     K = %6d, 64 cohorts of 32 bits   decoding %7.3f s\n", k,
              best_time(function() rr_estimate(tally, method = "inv"))))
}
