# Every row of bits of length n.
all_bits <- function(n) unname(as.matrix(expand.grid(rep(list(0:1), n))))

# P(report | truth) of independently flipped bits.
report_chance <- function(report, truth, flip) prod(ifelse(report == truth, 1 - flip, flip))

# The three methods that the paper reduces to one, written as it describes them.

# Method 1: the channel of the sum of bits, two binomials convolved, inverted as a matrix (equal flips).
sum_channel <- function(n, flip) {
  one <- function(t) {
    ones <- 0:n
    vapply(ones, function(s) sum(dbinom(0:t, t, 1 - flip) * dbinom(s - 0:t, n - t, flip)), 1)
  }
  vapply(0:n, one, numeric(n + 1)) # columns are truths
}
or_by_convolution <- function(bits, flip) 1 - solve(sum_channel(length(bits), flip))[1, 1 + sum(bits)]

# Method 2: the channel of all 2^n patterns, inverted as a matrix.
or_by_patterns <- function(bits, flip) {
  patterns <- all_bits(length(bits))
  channel <- apply(patterns, 1, function(x) apply(patterns, 1, report_chance, truth = x, flip = flip))
  at <- which(apply(patterns, 1, identical, as.integer(bits)))
  1 - solve(channel)[1, at]
}

# Method 3: merge two noisy bits into one at a time; here the expectation of the random merge, carried along as the
# probability that the merged bit is 1.
or_by_merging <- function(bits, flip) {
  one <- bits[1]
  q <- flip[1]
  for (i in seq_along(bits)[-1]) {
    star <- merged_pair(q, flip[i])
    # g(y1, y2) is the probability that a merged bit is 1: the solution of 4 equations, one for each pair of truths.
    pairs <- all_bits(2)
    channel <- apply(pairs, 1, function(y) apply(pairs, 1, function(x) report_chance(y, x, c(q, flip[i]))))
    g <- solve(channel, ifelse(rowSums(pairs) > 0, 1 - star, star))
    weight <- ifelse(pairs[, 1] == 1, one, 1 - one) * (pairs[, 2] == bits[i])
    one <- sum(weight * g)
    q <- star
  }
  (one - q) / (1 - 2 * q)
}
merged_pair <- function(q1, q2) {
  r <- (1 - q1) / (1 - 2 * q1) * (1 - q2) / (1 - 2 * q2)
  (r - 1) / (2 * r - 1)
}
