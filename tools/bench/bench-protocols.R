# The protocols of local differential privacy, client and server, CPU time per user at epsilon 1, against the algorithms that
# Python packages run once for each user, written here in plain vectorised R, which is about as fast as theirs in numpy (the times
# of multi-freq-ldpy and pure-LDP themselves, on another machine, are in the README). Ours includes cryptographic randomness.
library(candor)
source("common.R", chdir = TRUE)

cpu <- function(expression) sum(system.time(expression)[c(1, 2, 4, 5)], na.rm = TRUE)

# Processor time is told in thousandths of a second: work is repeated until it has taken 0.3 s.
steady <- function(work) {
  times <- total <- 0
  while (total < 0.3) {
    total <- total + cpu(work())
    times <- times + 1
  }
  total / times
}

# Microseconds a user of both sides.
ours <- function(mechanism, n) {
  truth <- rep_len(seq_along(mechanism$levels), n)
  reports <- NULL
  client <- steady(function() reports <<- rr_perturb(truth, mechanism)) / n
  server <- steady(function() rr_estimate(rr_tally(reports, mechanism), method = "inv")) / n
  1e6 * c(client = client, server = server)
}

theirs <- function(client, server, n, k) {
  counts <- numeric(k)
  reports <- vector("list", n)
  sent <- steady(function() for (i in seq_len(n)) reports[[i]] <<- client((i - 1L) %% k + 1L))
  received <- steady(function() for (i in seq_len(n)) counts <<- server(counts, reports[[i]]))
  1e6 * c(client = sent, server = received) / n
}

compare <- function(what, mechanism, n, client, server, goal, few = 200) {
  mine <- ours(mechanism, n)
  standing <- theirs(client, server, few, length(mechanism$levels))
  cat(sprintf("%-28s client %8.3f server %8.3f us | one user at a time: client %8.1f server %8.1f us\n", what, mine[1], mine[2],
              standing[1], standing[2]))
  report(paste0(what, ": their time / ours"), sum(standing) / sum(mine), goal)
}

for (k in c(1000, 10000)) {
  size <- if (k == 1000) 5e4 else 5e3
  e <- exp(1)
  compare(sprintf("OUE, K = %d", k), rr_unary(k, 1), size,
          function(x) {
            bits <- stats::runif(k) < 1 / (e + 1)
            bits[x] <- stats::runif(1) < 0.5
            bits
          },
          function(counts, bits) counts + bits, ">= 12")
  w <- rr_subset(k, 1)$size
  p <- rr_subset(k, 1)$p
  compare(sprintf("subset, K = %d", k), rr_subset(k, 1), size,
          # Without a copy of all other categories: they are 1 to k - 1, and from x on one more.
          function(x) {
            own <- stats::runif(1) < p
            others <- sample.int(k - 1, w - own)
            c(if (own) x, others + (others >= x))
          },
          function(counts, set) {
            counts[set] <- counts[set] + 1
            counts
          }, ">= 40")
  m <- rr_local_hash(k, 1)
  codes <- as.double(m$codes)
  compare(sprintf("OLH, K = %d, N = 2e5", k), m, 2e5,
          function(x) {
            a <- sample.int(m$prime - 1, 1)
            b <- sample.int(m$prime, 1) - 1
            h <- ((a * codes[x] + b) %% m$prime * m$g) %/% m$prime
            list(a, b, if (stats::runif(1) < m$p) h else sample(setdiff(0:3, h), 1))
          },
          # A hash value is an interval of residues: two comparisons and no second division.
          function(counts, r) {
            u <- (r[[1]] * codes + r[[2]]) %% m$prime
            counts + (u >= ceiling(r[[3]] * m$prime / m$g) & u < ceiling((r[[3]] + 1) * m$prime / m$g))
          },
          if (k == 1000) ">= 5000" else ">= 2500", few = 100)
  rows <- seq_len(k)
  parity <- function(j) {
    both <- bitwAnd(rows, j)
    for (shift in c(8, 4, 2, 1)) both <- bitwXor(both, bitwShiftR(both, shift))
    1 - 2 * bitwAnd(both, 1L)
  }
  h <- rr_hadamard(k, 1, blocks = 1)
  compare(sprintf("Hadamard, K = %d, N = 2e5", k), h, 2e5,
          function(x) sample.int(h$size, 1) - 1L, function(counts, j) counts + parity(j), ">= 150", few = 100)
  z <- exp(-0.5)
  threshold <- 2 * log(((1 + z) + sqrt(1 - z + z^2)) / (3 * z))
  the <- rr_unary(k, p = 1 - exp((threshold - 1) / 2) / 2, q = exp(-threshold / 2) / 2)
  compare(sprintf("THE, K = %d", k), the, size,
          function(x) {
            noisy <- (stats::rexp(k) - stats::rexp(k)) * 2
            noisy[x] <- noisy[x] + 1
            noisy
          },
          function(counts, noisy) counts + (noisy > threshold), ">= 100")
}
