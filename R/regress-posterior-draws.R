# Posteriors that draws of the shares describe: by data augmentation, and what all draws have.

# K categories: draws by data augmentation. If a study with the counts `validation` measured the
# channel, its rows are drawn too, and each draw depends on many before it: each 100th is used.
drawn_posterior <- function(counts, channel, prior, n, validation = NULL) {
  require_draws(n)
  seen <- which(counts > 0)
  theta <- start_shares(seq_along(counts), counts, channel)
  thin <- if (is.null(validation)) 1 else 100
  warm <- if (is.null(validation)) 500 else 5000
  draws <- matrix(0, n, length(theta))
  # Each report has a column of true answers.
  joint <- matrix(0, length(theta), length(counts))
  for (sweep in seq_len(warm + n * thin)) {
    for (y in seen) {
      joint[, y] <- rmultinom(1, counts[y], theta * channel[, y])
    }
    theta <- rgamma(length(theta), prior + rowSums(joint))
    theta <- theta / sum(theta)
    if (!is.null(validation)) {
      channel[] <- rgamma(length(channel), 1 + validation + joint)
      channel <- channel / rowSums(channel)
    }
    index <- (sweep - warm) / thin
    if (index >= 1 && index == floor(index)) draws[index, ] <- theta
  }
  method <- paste0("data augmentation", if (thin > 1) ", each 100th sweep")
  draws_posterior(draws, method, apply(draws, 2, effective_draws))
}

require_draws <- function(n) {
  if (n == 0) abort("This posterior needs draws, such as {.code n = 4000}.")
}

# The posterior that draws of the shares, a row each, describe.
draws_posterior <- function(draws, method, effective) {
  quantile <- function(t) {
    do.call(
      rbind, apply(draws, 2, stats::quantile, t, names = FALSE, simplify = FALSE)
    )
  }
  list(
    method = method,
    draws = draws,
    quantile = quantile,
    above = function(limit) colMeans(draws > limit),
    mean = colMeans(draws),
    sd = apply(draws, 2, stats::sd),
    covariance = function() cov(draws),
    evidence = NA_real_,
    effective = effective
  )
}

# The effective number of draws by the initial positive sequence of Geyer (1992).
effective_draws <- function(x) {
  n <- length(x)
  if (n < 10 || var(x) == 0) return(n)
  rho <- acf(x, lag.max = 1000, plot = FALSE)$acf[
    -1
  ]
  pairs <- rho[seq(1, length(rho) - 1, 2)] +
    rho[seq(2, length(rho), 2)]
  stop <- match(TRUE, pairs < 0, nomatch = length(pairs) + 1) - 1
  n / max(1, 1 + 2 * sum(rho[seq_len(2 * stop)]))
}

# The covariance of two shares that add up to 1.
binary_covariance <- function(variance) {
  variance * matrix(c(1, -1, -1, 1), 2)
}
