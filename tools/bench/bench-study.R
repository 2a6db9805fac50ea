# The papers' study: the whole grid in seconds, cells against the same simulation in vectorised R, and the cost of
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

for (k in c(50, 1000, 10000)) {
  epsilons <- c(1, 4, 8)
  study <- function() rr_study(prop.table(seq_len(k)^-1.3), epsilons, 1e4, replications = 100, seed = 1, workers = 1)
  plain <- function() for (epsilon in epsilons) plain_cell(prop.table(seq_len(k)^-1.3), 1e4, epsilon, 100)
  report(sprintf("plain R / rr_study(), 3 cells of K = %g, s = 1.3, N = 1e4", k), ratio(plain(), study(), times = 3), "none")
}

for (k in c(50, 1000, 10000)) {
  counts <- function(n) candor:::study_counts(rr_grr(k, epsilon = 1), prop.table(seq_len(k)^-1), NULL, n, 1, 1, 0, 500)
  report(sprintf("N = 1e9 / N = 1e4 respondents, K = %g, simulation only", k), ratio(counts(1e9), counts(1e4), times = 3),
         "<= 2")
}

truths <- list()
for (k in c(50, 100, 1000, 5000, 10000)) for (s in c(0.01, 1.3, 2.5)) truths[[paste("K", k, "s", s)]] <- prop.table(seq_len(k)^-s)
started <- Sys.time()
grid <- rr_study(truths, 1:10, 10^(2:6), replications = 100, seed = 1, workers = 2)
report("full grid of Pinzon et al., 750 cells, 100 replications, 4 methods, 2 workers: seconds",
       as.numeric(Sys.time() - started, units = "secs"), "<= 10")
