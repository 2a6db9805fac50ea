# The mechanism of a golden case of the protocols; local hashing is there with primes of its own, or an ideal hash.
golden_protocol <- function(input) {
  k <- input$K
  switch(input$protocol,
    sue = rr_unary(k, input$epsilon, optimized = FALSE),
    oue = rr_unary(k, input$epsilon),
    unary = rr_unary(k, p = input$p, q = input$q),
    subset = rr_subset(k, input$epsilon, size = input$omega),
    hadamard = rr_hadamard(k, input$epsilon, blocks = input$blocks),
    hadamard_bit = rr_hadamard(k, input$epsilon, one_bit = TRUE)
  )
}

# Its law of supports; of local hashing from the numbers of the package, with the case's prime.
golden_law <- function(input) {
  if (input$protocol == "local_hash_ideal") {
    p <- exp(input$epsilon) / (exp(input$epsilon) + input$g - 1)
    return(rr_new_law("support", p, 1 / input$g))
  }
  if (input$protocol == "local_hash_affine") {
    numbers <- candor:::hash_numbers(input$epsilon, input$g, input$P)
    return(rr_new_law("support", numbers$p, numbers$q, numbers$both_own, numbers$both_other, difference = numbers$difference))
  }
  rr_law(golden_protocol(input))
}

# A mechanism of nothing but a law.
law_mechanism <- function(law, k) {
  registerS3method("rr_law", "rr_golden", function(mechanism) mechanism$law, envir = asNamespace("candor"))
  rr_new_mechanism("golden", k, epsilon = 1, design = "golden", law = law)
}

# The supports of n reports of each truth, as a list of logical matrices: what a sampler does, by the forms it has.
drawn_supports <- function(mechanism, n) {
  k <- length(mechanism$levels)
  lapply(seq_len(k), function(x) {
    reports <- rr_perturb(rep(mechanism$levels[x], n), mechanism)
    sets <- candor:::report_sets(mechanism, reports)
    .Call(candor:::C_rr_bits_to_matrix, sets, as.double(k)) == 1
  })
}

# p, q, r1 and r2 of a sampler within five standard deviations of the law's.
expect_supports <- function(mechanism, n) {
  law <- rr_law(mechanism)
  drawn <- drawn_supports(mechanism, n)
  k <- length(drawn)
  near <- function(share, p, draws = n) expect_lte(abs(share - p), 5 * sqrt(p * (1 - p) / draws) + 1e-12)
  # How often two are supported together; on the diagonal, how often one is.
  shares <- lapply(drawn, function(sets) crossprod(1 * sets) / nrow(sets))
  for (x in seq_len(k)) for (v in seq_len(k)) near(shares[[x]][v, v], if (v == x) law$p else law$q)
  # Averages over pairs: of hashing the single ones depend on the codes.
  if (k > 2) {
    pairs <- function(x, own) {
      others <- setdiff(seq_len(k), x)
      if (own) return(mean(shares[[x]][x, others]))
      both <- shares[[x]][others, others]
      mean(both[upper.tri(both)])
    }
    near(mean(vapply(seq_len(k), pairs, 0, own = TRUE)), law$both_own)
    near(mean(vapply(seq_len(k), pairs, 0, own = FALSE)), law$both_other)
  }
}

# Simulated estimates from reports: variances of each and of sums against the formula, in Monte Carlo error.
expect_simulated <- function(mechanism, truth, replications, sd = 5) {
  k <- length(truth)
  answers <- rep(mechanism$levels, truth)
  theta <- truth / sum(truth)
  # Replications are groups of one tally, which are estimated apart.
  reports <- rr_perturb(rep(answers, replications), mechanism, rng = "R")
  tally <- rr_tally(reports, mechanism, by = rep(seq_len(replications), each = length(answers)))
  estimates <- matrix(coef(rr_estimate(tally, method = "inv")), k)
  law <- rr_law(mechanism)
  counts <- candor:::law_expected(law, theta) * sum(truth)
  n <- sum(truth)
  evidence <- candor:::new_evidence(law, counts, n, n, k, mechanism)
  expected <- candor:::law_covariance(law, evidence, candor:::identity_map(k), seq_len(k), "sample")
  functions <- rbind(diag(k), rep(1, k), c(rep(1, 2), rep(0, k - 2)))
  observed <- functions %*% estimates
  # Supports of constant number have sums without variance, but for roundings.
  variance <- pmax(rowSums((functions %*% expected) * functions), 0)
  for (j in seq_len(nrow(functions))) {
    expect_lte(abs(mean(observed[j, ]) - sum(functions[j, ] * theta)), sd * sqrt(variance[j] / replications) + 1e-9)
    expect_lte(abs(var(observed[j, ]) - variance[j]), sd * variance[j] * sqrt(2 / (replications - 1)) + 1e-9)
  }
}

# Shares of a Zipf distribution, the largest first.
zipf_shares <- function(k, s) prop.table(seq_len(k)^-s)
