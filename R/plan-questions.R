# Questions of rr_recommend() that are not about the shares of categories: each compares one error of the mechanisms
# that answer it.

# The columns that all of them have; `mse` is what they are ordered by.
question_rows <- function(table, epsilon, n) {
  # Errors of 0, or of infinity beyond the range of a double, exceed themselves by 0.
  within <- ifelse(table$mse == min(table$mse), 0, table$mse / min(table$mse) - 1)
  table$std.error <- table[["std.error"]] %||% sqrt(table$mse)
  table$within <- within
  table$epsilon <- epsilon
  table$n <- n
  first <- c("k", "epsilon", "n", "mechanism", "fanout", "p", "q", "mse", "std.error", "within")
  first <- intersect(first, names(table))
  table[order(table$mse, table$bits), c(first, setdiff(names(table), first))]
}

# ---- ranges of ordered levels ----

# More levels than this make covariances that are slow to compute.
range_levels <- 1024

# `pure`: what pure_mechanisms() says of the others, for the bits of their reports.
recommend_ranges <- function(k, epsilon, n, theta, target, pure) {
  theta <- theta %||% rep(1 / k, k)
  made <- list(grr = function() rr_grr(k, epsilon = epsilon), sue = function() rr_unary(k, epsilon, optimized = FALSE),
               oue = function() rr_unary(k, epsilon), blh = function() rr_local_hash(k, epsilon, optimized = FALSE),
               olh = function() rr_local_hash(k, epsilon), subset = function() rr_subset(k, epsilon),
               hadamard = function() rr_hadamard(k, epsilon))
  if (k > 2) {
    made$hierarchy <- function() best_hierarchy(k, epsilon, rr_hadamard)
    made$`hierarchy-subset` <- function() best_hierarchy(k, epsilon, rr_subset)
  }
  # A mechanism that this epsilon is beyond has no row.
  mechanisms <- Filter(Negate(is.null), lapply(made, function(f) tryCatch(f(), candor_error = function(e) NULL)))
  at <- match(names(mechanisms), pure$mechanism)
  table <- tibble::tibble(mechanism = names(mechanisms), k = k, fanout = NA_real_,
                          mse = vapply(mechanisms, range_error, 0, theta, n, target, USE.NAMES = FALSE),
                          bits = pure$bits[at], bits_public = pure$bits_public[at], tally = pure$tally[at])
  for (tree in which(startsWith(table$mechanism, "hierarchy"))) {
    mechanism <- mechanisms[[tree]]
    each <- vapply(mechanism$parts, node_bits, c(0, 0))
    table$fanout[tree] <- mechanism$fanout
    table$bits[tree] <- log2(mechanism$height) + mean(each[1, ])
    table$bits_public[tree] <- mean(each[2, ])
    table$tally[tree] <- if (inherits(mechanism$parts[[1]], "rr_hadamard")) "n + K log K" else "n K"
  }
  question_rows(table, epsilon, n)
}

# The variance of the estimated share of a range, on average over all ranges of neighbouring levels but the whole.
range_error <- function(mechanism, theta, n, target) {
  k <- length(theta)
  law <- rr_law(mechanism)
  # Those of a truth that is known: at so many respondents the divisor N - 1 of estimated variances is N.
  many <- 1e9
  evidence <- new_evidence(law, law_reported(law, theta) * many, many, many, k, mechanism)
  covariance <- law_covariance(law, evidence, whole_map(k, FALSE), seq_len(k), target) * (many / n)
  prefixes <- apply(apply(covariance, 2, cumsum), 1, cumsum)
  mean_over_ranges(sum(diag(prefixes)), sum(prefixes), prefixes[k, k], k)
}

# Ranges are pairs of the ends 0, ..., k: the sum of Var(F_j - F_i) over all pairs is (k + 1) times the sum of the
# variances, less that of all covariances.
mean_over_ranges <- function(variances, covariances, whole, k) {
  ((k + 1) * variances - covariances - whole) / (k * (k + 1) / 2 - 1)
}

# Bits of a report about a node, and those where the column of a matrix is public.
node_bits <- function(part) {
  if (!inherits(part, "rr_hadamard")) return(rep(lchoose(length(part$levels), part$size) / log(2), 2))
  bits <- log2(part$blocks * part$size)
  c(bits, if (part$blocks == 1) 1 else bits)
}

# The fanout whose ranges have the least error if the nodes of a depth were independent: of those with one height the
# smallest fills its tree best.
best_hierarchy <- function(k, epsilon, oracle) {
  heights <- seq(2, max(2, ceiling(log2(k))))
  fanouts <- unique(vapply(heights, function(height) {
    fanout <- max(2, floor(k^(1 / height)))
    while (fanout^height < k) fanout <- fanout + 1
    fanout
  }, 0))
  error <- vapply(fanouts, function(fanout) {
    law <- rr_law(rr_hierarchy(k, epsilon, fanout, oracle))
    depths <- length(law$nodes)
    prefixes <- node_functions(law, lower.tri(diag(k), TRUE) * 1, law$unit)
    each <- Map(function(weights, variance) {
      variance * depths * c(sum(weights^2), sum(colSums(weights)^2), sum(weights[k, ]^2))
    }, prefixes, law$unit)
    sums <- Reduce(`+`, each)
    mean_over_ranges(sums[1], sums[2], sums[3], k)
  }, 0)
  rr_hierarchy(k, epsilon, fanouts[which.min(error)], oracle)
}

# ---- the mean of numbers ----

# The largest variance that the randomisation gives to the mean, of numbers from 0 to 1: a report of t, on the scale
# from -1 to 1, has the variance constant + slope t^2. How sampled truths vary is the same for all.
recommend_mean <- function(epsilon, n) {
  rows <- lapply(c("hybrid", "piecewise", "duchi"), function(protocol) {
    mechanism <- rr_mean(c(0, 1), epsilon, protocol)
    variance <- mean_variance(mechanism)
    worst <- variance$constant + max(variance$slope, 0)
    bits <- if (mechanism$share > 0) log2(mechanism$fine$steps + mechanism$fine$window) else 1
    tibble::tibble(mechanism = protocol, mse = worst / 4 / n, bits = bits, tally = "n")
  })
  question_rows(do.call(rbind, rows), epsilon, n)
}

# ---- strings that nobody has a list of ----

# The variance of the share of a string that nobody holds, if every respondent had a hash function of their own.
recommend_strings <- function(epsilon, n) {
  rows <- lapply(c(sketch = FALSE, `sketch-one-bit` = TRUE), function(one_bit) {
    sketch <- rr_sketch_counts(epsilon, one_bit = one_bit)
    m <- sketch$width
    law <- sketch_numbers(sketch)
    bits <- log2(sketch$cohorts) + if (one_bit) log2(sketch$bit$size) + 1 else m
    tibble::tibble(p = law$p, q = law$q, mse = law$q * (1 - law$q) / law$difference^2 / n, bits = bits,
                   bits_public = if (one_bit) 1 else m, tally = if (one_bit) "n + F W log W" else "n W",
                   collisions = 1 / sqrt(sketch$cohorts * (m - 1)))
  })
  table <- do.call(rbind, rows)
  question_rows(tibble::add_column(table, mechanism = names(rows), .before = 1), epsilon, n)
}
