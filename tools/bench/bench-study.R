# The papers' study: the whole grid in seconds, a cell against the same simulation in vectorised R, and the cost of
# respondents.
library(candor)
source("common.R", chdir = TRUE)

# The same cell written directly: rmultinom() for the reports, sort() for the thresholds of InvP and the MLE, and the five
# metrics of rr_study() for the four methods.
plain_cell <- function(theta, n, epsilon, replications) {
  k <- length(theta)
  q <- 1 / (exp(epsilon) + k - 1)
  d <- expm1(epsilon) * q
  reports <- rmultinom(replications, n, q + d * theta)
  losses <- array(0, c(3, 4, replications))
  sums <- matrix(0, k, 4)
  size <- seq_len(k)
  for (r in seq_len(replications)) {
    phi <- reports[, r] / n
    inv <- (phi - q) / d
    positive <- pmax(inv, 0)
    falling <- sort(inv, decreasing = TRUE)
    excess <- (cumsum(falling) - 1) / size
    invp <- pmax(inv - excess[max(which(falling > excess))], 0)
    shares <- q + d * falling
    totals <- cumsum(shares)
    active <- max(which(shares * (1 - (k - size) * q) >= q * totals))
    mle <- pmax((phi * (1 - (k - active) * q) / totals[active] - q) / d, 0)
    estimates <- cbind(inv, positive / sum(positive), invp, mle)
    errors <- estimates - theta
    sums <- sums + errors
    seen <- phi > 0
    losses[1, , r] <- colSums(errors^2)
    losses[2, , r] <- colSums(abs(errors)) / 2
    losses[3, , r] <- -colSums(phi[seen] * log(q + d * estimates[seen, , drop = FALSE]))
  }
  bias2 <- colSums((sums / replications)^2)
  rbind(apply(losses, 1:2, mean), bias2, rowMeans(losses[1, , ]) - bias2)
}

# A study is many cells: what a call costs once, about 0.1 ms, is shared by them. `that_inner` makes both measurements
# about as long.
compare <- function(k, s, n, epsilons = c(1, 2, 4, 6, 8, 10), replications = 100) {
  theta <- rr_zipf(k, s)
  study <- function() rr_study(theta, epsilons, n, replications = replications, seed = 1, workers = 1)
  plain <- function() for (epsilon in epsilons) plain_cell(theta, n, epsilon, replications)
  report(sprintf("plain R / rr_study(), a cell of K = %g, s = %g, N = %g, %d epsilons", k, s, n, length(epsilons)),
         ratio(plain(), study(), times = if (k > 1000) 3 else 7, that_inner = 20), ">= 30")
}

for (k in c(50, 1000, 10000)) for (n in c(1e2, 1e4, 1e6)) compare(k, 1.3, n)
for (k in c(50, 100)) for (n in c(1e3, 1e4, 1e6)) {
  compare(k, 1.3, n, epsilons = c(1, 2, 4))
  compare(k, 1.3, n)
}
for (k in c(50, 1000, 10000)) compare(k, 1.3, 1e4, epsilons = 1)
compare(10000, 0.01, 1e6)
compare(10000, 2.5, 1e6)

for (k in c(50, 1000, 10000)) {
  cell <- function(n) rr_study(rr_zipf(k, 1), 1, n, replications = 500, seed = 1, workers = 1)
  report(sprintf("N = 1e9 / N = 1e4 respondents, K = %g, whole cell", k), ratio(cell(1e9), cell(1e4), times = 7), "about 1")
}
for (k in c(50, 1000, 10000)) {
  counts <- function(n) candor:::study_counts(rr_grr(k, epsilon = 1), rr_zipf(k, 1), NULL, n, 1, 1, 0, 500)
  report(sprintf("N = 1e9 / N = 1e4 respondents, K = %g, simulation only", k), ratio(counts(1e9), counts(1e4), times = 7), "about 1")
}

# Over the grid of Pinzon et al.: all K, N and s, three of their epsilons, in one call each.
over_grid <- expand.grid(s = c(0.01, 1.3, 2.5), n = 10^(2:6), k = c(50, 100, 1000, 5000, 10000))
over_grid$ratio <- mapply(function(k, n, s) {
  theta <- rr_zipf(k, s)
  study <- function() rr_study(theta, c(1, 4, 8), n, replications = 100, seed = 1, workers = 1)
  plain <- function() for (epsilon in c(1, 4, 8)) plain_cell(theta, n, epsilon, 100)
  ratio(plain(), study(), times = 3, that_inner = 10)
}, over_grid$k, over_grid$n, over_grid$s)
what <- "plain R / rr_study(), 75 truths and numbers of respondents, 3 epsilons:"
report(paste(what, "median"), median(over_grid$ratio), ">= 30")
report(paste(what, "least"), min(over_grid$ratio), ">= 30")
report(paste(what, "how many below 30"), sum(over_grid$ratio < 30), "0")

truths <- list()
for (k in c(50, 100, 1000, 5000, 10000)) for (s in c(0.01, 1.3, 2.5)) truths[[paste("K", k, "s", s)]] <- rr_zipf(k, s)
grid <- function(workers) rr_study(truths, 1:10, 10^(2:6), replications = 100, seed = 1, workers = workers)
started <- Sys.time()
two <- grid(2)
report("full grid of Pinzon et al., 750 cells, 100 replications, 4 methods, 2 workers: seconds",
       as.numeric(Sys.time() - started, units = "secs"), "<= 60")
