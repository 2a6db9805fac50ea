# The law of strings in a count-mean sketch. Over the choice of hash functions a report supports the truth with
# probability p, any other string with q: the law of supports. That k functions are shared adds, to the variance of v,
#   fixed truths    (sum over x other than v of theta_x^2, less (1 - theta_v) / N) / (k (m - 1))
#   sampled truths  (1 - 1 / N) (sum over x other than v of theta_x^2) / (k (m - 1))
# and theta_v theta_w / (k (m - 1)) to a covariance, with m buckets. The sum of squares is over all strings, also those
# that nobody asked for: it is the last of the counts.

supports_of <- function(evidence) {
  evidence$counts <- evidence$counts[seq_len(evidence$k)]
  evidence
}

sketch_support <- function(law) {
  new_law_support(law$p, law$q, law$both_own, law$both_other, difference = law$difference)
}

# What sharing the functions adds to the variances of strings with the shares `theta`; `squares` is the sum of squares
# of all.
collision_variance <- function(theta, squares, n, functions, width, target) {
  others <- pmax(squares - theta^2, 0)
  others <- if (target == "sample") pmax(others - (1 - theta) / n, 0) else (1 - 1 / n) * others
  others / (functions * (width - 1))
}

law_collisions <- function(law, evidence, which, target) {
  theta <- pmin(pmax(law_unbiased(law, evidence)[which], 0), 1)
  collision_variance(theta, evidence$counts[evidence$k + 1] / evidence$n, evidence$n, law$functions, law$width, target)
}

law_words.rr_law_sketch_candidates <- function(law) "a report supports the strings that share a bucket"

law_gives.rr_law_sketch_candidates <- function(law, need, k) need == "inverse"

law_transition.rr_law_sketch_candidates <- function(law, range) law_transition(sketch_support(law), range)

law_unbiased.rr_law_sketch_candidates <- function(law, evidence) {
  law_unbiased(sketch_support(law), supports_of(evidence))
}

law_blank_error.rr_law_sketch_candidates <- function(law, evidence) {
  squares <- evidence$counts[evidence$k + 1] / evidence$n
  sqrt(law_blank_error(sketch_support(law), evidence)^2 + squares / (law$functions * (law$width - 1)))
}

unbiased_variances.rr_law_sketch_candidates <- function(law, evidence, cells, target, unbiased) {
  unbiased_variances(sketch_support(law), supports_of(evidence), cells, target, unbiased) +
    law_collisions(law, evidence, cells, target)
}

unbiased_covariance.rr_law_sketch_candidates <- function(law, evidence, cells, target, unbiased) {
  theta <- pmin(pmax(law_unbiased(law, evidence)[cells], 0), 1)
  shared <- outer(theta, theta) / (law$functions * (law$width - 1))
  diag(shared) <- law_collisions(law, evidence, cells, target)
  unbiased_covariance(sketch_support(law), supports_of(evidence), cells, target, unbiased) + shared
}

# The score interval of the binomial count, with the collisions beside it.
law_intervals.rr_law_sketch_candidates <- function(law, evidence, estimate, interval, level, which, target) {
  others <- law$q * (1 - law$q) / law$difference^2 + evidence$n * law_collisions(law, evidence, which, target)
  moment_intervals(law_unbiased(law, evidence)[which], others + (1 - 2 * law$q) / law$difference, others, evidence$n,
                   level, target)
}
