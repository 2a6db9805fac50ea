# Posteriors of shares if a validation study measured the channel, whose rows have uniform priors.
# Each function returns a posterior as binary_posterior() does. V are the counts of the study,
# truths by reports.

study_posterior <- function(law, counts, channel, prior, n) {
  if (!is.null(law$internal)) {
    return(labelled_posterior(law$internal, counts, prior, n))
  }
  V <- law$validation
  if (length(V) == 4L && prod(counts + 1) <= 1e7) {
    return(mixture_posterior(counts, V, prior, n))
  }
  require_draws(n)
  independent <- if (nrow(V) == ncol(V)) independent_posterior(counts, V, prior, n)
  independent %||% drawn_posterior(counts, channel, prior, n, V)
}

# Yes/no questions: given the number t of true yes among N answers the share is Beta. If i of the k
# who reported yes and j of the others are true, the weight of t = i + j is the sum of
#    choose(k, i) choose(N - k, j) B(row yes of V, i and j more) B(row no of V, the others more)
# It is a function of t times the convolution of a function of i and one of j.
mixture_posterior <- function(counts, V, prior, n) {
  true_yes <- 0:sum(counts)
  true_no <- rev(true_yes)
  split_weights <- function(y) {
    i <- 0:counts[y]
    yes <- lgamma(1 + V[2, y] + i)
    no <- rev(lgamma(1 + V[1, y] + i))
    lchoose(counts[y], i) + yes + no
  }
  people <- 2 + rowSums(V)
  log_weights <- log_convolution(split_weights(1), split_weights(2)) -
    lgamma(people[2] + true_yes) - lgamma(people[1] + true_no) +
    lbeta(prior[2] + true_yes, prior[1] + true_no)
  top <- max(log_weights)
  # Weights below 1e-18 of the largest are lost in the sum.
  index <- which(log_weights > top - 41.5)
  weights <- exp(log_weights[index] - top)
  study <- lbeta(1 + V[, 1], 1 + V[, 2])
  before <- sum(study) + lbeta(prior[2], prior[1])
  posterior <- beta_mixture(
    weights / sum(weights), prior[2] + true_yes[index], prior[1] + true_no[index], n
  )
  c(posterior, evidence = top + log(sum(weights)) - before)
}

# The logarithms of sum_i exp(x[i] + y[t - i]), for each t.
log_convolution <- function(x, y) {
  if (length(x) > length(y)) return(log_convolution(y, x))
  sums <- rep(-Inf, length(x) + length(y) - 1)
  for (i in seq_along(x)) {
    index <- i - 1 + seq_along(y)
    terms <- x[i] + y
    # Only the last of the sums has had no term yet.
    larger <- pmax(sums[index], terms)
    sums[index] <- larger + log1p(exp(pmin(sums[index], terms) - larger))
  }
  sums
}

# The posterior of a yes/no question whose share of yes is a mixture of Beta distributions.
beta_mixture <- function(weights, a, b, n) {
  cdf <- function(share, ...) sum(weights * pbeta(share, a, b, ...))
  share_of_yes <- function(probs) {
    vapply(probs, function(prob) {
      excess <- function(share) cdf(share) - prob
      if (prob %in% 0:1) return(prob)
      uniroot(excess, 0:1, tol = 1e-14, maxiter = 1e4)$root
    }, 0)
  }
  # The sum a + b is that of all components.
  total <- a[1] + b[1]
  mean <- sum(weights * a) / total
  second <- sum(weights * a * (a + 1)) / total / (total + 1)
  component <- if (n > 0) sample.int(length(weights), n, TRUE, weights)
  yes <- rbeta(n, a[component], b[component])
  list(
    method = "mixture of Beta distributions",
    quantile = function(t) rbind(1 - share_of_yes(1 - t), share_of_yes(t)),
    above = function(limit) {
      c(cdf(1 - limit), cdf(limit, lower.tail = FALSE))
    },
    mean = c(1 - mean, mean),
    sd = rep(sqrt(second - mean^2), 2),
    covariance = function() binary_covariance(second - mean^2),
    draws = cbind(1 - yes, yes),
    effective = n
  )
}

# As many truths as reports: reported shares and channels are drawn independently. The shares phi
# C^-1 that are possible have weights, since d theta = d phi / |det C|. NULL if a batch is worth
# less than 1% of its draws.
independent_posterior <- function(counts, V, prior, n) {
  batch <- max(n, 1000)
  shares <- log_weights <- NULL
  repeat {
    proposals <- propose_shares(counts, V, prior, batch)
    shares <- rbind(shares, proposals$shares)
    log_weights <- c(log_weights, proposals$log_weights)
    weights <- exp(log_weights - max(log_weights, -Inf))
    worth <- if (length(weights)) sum(weights)^2 / sum(weights^2) else 0
    if (worth < 0.01 * batch) return(NULL)
    if (nrow(shares) >= n) break
  }
  # Systematic resampling: a row comes as often as its weight says, up to one.
  positions <- (runif(1) + seq_len(n) - 1) / n
  index <- findInterval(positions, cumsum(weights) / sum(weights)) + 1L
  draws <- shares[pmin(index, nrow(shares)), , drop = FALSE]
  draws_posterior(draws, "independent draws", min(worth, n))
}

# list(shares, log_weights): possible shares, a row each, of n channels and reported shares.
propose_shares <- function(counts, V, prior, n) {
  k <- nrow(V)
  reported <- draw_dirichlet(n, 1 + counts)
  rows <- lapply(seq_len(k), function(x) {
    draw_dirichlet(n, 1 + V[x, ])
  })
  solved <- vapply(seq_len(n), function(i) {
    # The channel has its truths in columns.
    transposed <- vapply(rows, function(row) row[i, ], numeric(k))
    c(
      solve(transposed, reported[i, ], tol = 0),
      determinant(transposed)$modulus
    )
  }, numeric(k + 1))
  shares <- t(solved[seq_len(k), ])
  is_possible <- rowSums(shares < 0) == 0
  shares <- shares[is_possible, , drop = FALSE]
  log_determinant <- solved[k + 1, is_possible]
  list(
    shares = shares,
    log_weights = drop(log(shares) %*% (prior - 1)) - log_determinant
  )
}

# n draws, a row each.
draw_dirichlet <- function(n, shape) {
  k <- length(shape)
  draws <- matrix(rgamma(n * k, rep(shape, each = n)), n)
  draws / rowSums(draws)
}

# An internal study: the prior of each cell of truth and report is alpha / L, so that the shares of
# the reports and the predictive values P are independent. The mean values are in [], and b is the
# sum of the parameters of a column of P: theta = P phi has the covariance
#    [P] Cov(phi) [P]' + sum_y [phi_y^2] (diag [P_y] - [P_y] [P_y]') / (b_y + 1)
labelled_posterior <- function(V, counts, prior, n) {
  require_draws(n)
  cells <- V + prior / length(counts)
  reports <- counts + colSums(cells)
  P <- cells / rep(colSums(cells), each = nrow(V))
  phi <- reports / sum(reports)
  phi_variance <- phi * (1 - phi) / (sum(reports) + 1)
  phi_covariance <- (diag(phi) - tcrossprod(phi)) / (sum(reports) + 1)
  weights <- (phi^2 + phi_variance) / (colSums(cells) + 1)
  covariance <- P %*% phi_covariance %*% t(P) + diag(drop(P %*% weights)) -
    P %*% (weights * t(P))
  reported <- draw_dirichlet(n, reports)
  draws <- matrix(0, n, nrow(V))
  for (y in seq_along(counts)) {
    draws <- draws + reported[, y] * draw_dirichlet(n, cells[, y])
  }
  replace(
    draws_posterior(draws, "direct draws", n), c("mean", "sd", "covariance"),
    list(drop(P %*% phi), sqrt(diag(covariance)), function() covariance)
  )
}
