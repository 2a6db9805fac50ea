# Are reports drawn with the probabilities that they should have? At least 1e8 decisions of every protocol by the default cryptographic generator, and chi-square tests
# against the exact distribution of whole reports given each truth. Rscript samplers.R [folder] [decisions, 1e8] [only the protocols that match]
#
# The expected probabilities are written down here, from the definition of each protocol and the epsilon that the grid of 2^-64 achieves: nothing is taken from the
# package but the public parameters (codes and shared hash functions, Bloom places, buckets of sketches), `rr_epsilon(achieved = TRUE)`, and p and q of the second stage of
# longitudinal protocols.
# The generator has no seed, so that p-values differ from run to run.
#
# One row of samplers.csv is a test. kind "report": chi-square over all cells (truth, report), for each truth a distribution of its own. kind "truth bit by report bit": the same
# 2 x 2 for bits. kind "uniform": slopes, shifts, cohorts and columns, whatever the truth. kind "frequency": one probability, with `z` the standardized difference.
library(candor)
arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments)) arguments[1] else tempdir()
decisions <- if (length(arguments) > 1) as.numeric(arguments[2]) else 1e8
only <- if (length(arguments) > 2) arguments[3] else ""
block <- 2e6

results <- list()
record <- function(...) results[[length(results) + 1]] <<- data.frame(...)

# `expected`: truths x reports, rows add up to 1. `cell` gives the column of each report.
study <- function(protocol, mechanism, expected, cell, each = 1, draw = function(x) rr_perturb(x, mechanism), also = function(counts) NULL) {
  if (!grepl(only, protocol)) return(invisible())
  started <- proc.time()[[1]]
  k <- nrow(expected)
  m <- ncol(expected)
  stopifnot(abs(rowSums(expected) - 1) < 1e-12)
  n <- ceiling(decisions / each / k) * k
  counts <- numeric(k * m)
  done <- 0
  while (done < n) {
    size <- min(block, n - done)
    x <- rep_len(seq_len(k), size)
    counts <- counts + tabulate((cell(draw(x)) - 1) * k + x, k * m)
    done <- done + size
  }
  counts <- matrix(counts, k)
  stopifnot(sum(counts) == n)
  test(protocol, "report", counts, expected, n * each)
  also(counts)
  cat(sprintf("%-34s %9.0f reports %5.0f s of CPU time\n", protocol, n, proc.time()[[1]] - started))
}

# Chi-square with cells of at least ten expected reports: the rarer reports of a truth are one cell, with the next one if they are still too few.
pooled <- function(count, mean) {
  order <- order(mean)
  sums <- cumsum(mean[order])
  last <- max(sum(mean < 10), if (mean[order[1]] < 10) which(sums >= 10)[1] else 0)
  rare <- order[seq_len(last)]
  if (last < 2) return(list(count = count, mean = mean))
  list(count = c(count[-rare], sum(count[rare])), mean = c(mean[-rare], sum(mean[rare])))
}

test <- function(protocol, kind, counts, expected, drawn, detail = "") {
  means <- expected * rowSums(counts)
  stopifnot(counts[means == 0] == 0) # no impossible report
  cells <- lapply(seq_len(nrow(counts)), function(x) pooled(counts[x, means[x, ] > 0], means[x, means[x, ] > 0]))
  counts <- unlist(lapply(cells, `[[`, "count"))
  means <- unlist(lapply(cells, `[[`, "mean"))
  statistic <- sum((counts - means)^2 / means)
  df <- length(counts) - length(cells)
  record(protocol, kind, detail, decisions = drawn, cells = length(counts), least.expected = signif(min(means), 4), statistic = signif(statistic, 7), df,
         p.value = signif(stats::pchisq(statistic, df, lower.tail = FALSE), 4), observed = NA, expected = NA, z = NA)
}

frequency <- function(protocol, detail, yes, n, p) {
  z <- (yes - n * p) / sqrt(n * p * (1 - p))
  record(protocol, kind = "frequency", detail, decisions = n, cells = 2, least.expected = signif(n * min(p, 1 - p), 4), statistic = signif(z^2, 7), df = 1,
         p.value = signif(2 * stats::pnorm(-abs(z)), 4), observed = yes / n, expected = p, z = signif(z, 4))
}

uniform <- function(protocol, detail, counts) {
  test(protocol, "uniform", t(counts), t(rep(1 / length(counts), length(counts))), sum(counts), detail)
}

# Own bits: is the bit of `reports[, column]` that of the truth in the row?
bits_of <- function(value, k) outer(value, seq_len(k) - 1, function(v, j) v %/% 2^j %% 2)
by_bits <- function(protocol, k, p, q) function(counts) {
  # Columns of `counts` are bytes 0, 1, ...: how often is the bit of the truth 1, and that of another category?
  ones <- counts %*% bits_of(seq_len(ncol(counts)) - 1, k)
  n <- rowSums(counts)
  own <- sum(diag(ones))
  other <- sum(ones) - own
  table <- rbind(c(own, sum(n) - own), c(other, (k - 1) * sum(n) - other))
  test(protocol, "truth bit by report bit", table, rbind(c(p, 1 - p), c(q, 1 - q)), sum(table))
  frequency(protocol, "bit of the truth is 1", own, sum(n), p)
  frequency(protocol, "bit of another category is 1", other, (k - 1) * sum(n), q)
}
# The distribution of k independent bits, 1 with probability own[x, j].
byte_chances <- function(own) {
  bits <- bits_of(seq_len(2^ncol(own)) - 1, ncol(own))
  exp(log(own) %*% t(bits) + log1p(-own) %*% t(1 - bits))
}
byte_of <- function(bits) as.integer(unclass(bits)[, 1]) + 1L
achieved <- function(mechanism) rr_epsilon(mechanism, achieved = TRUE)
# Reports that support the truth have e^epsilon times the probability of the others.
two_levels <- function(supports, epsilon) {
  weights <- ifelse(supports, exp(epsilon), 1)
  weights / rowSums(weights)
}

# ---- k-ary randomized response ----
for (epsilon in c(0.5, 3)) {
  m <- rr_grr(5, epsilon = epsilon)
  law <- two_levels(diag(5) == 1, achieved(m))
  name <- sprintf("GRR, epsilon %s", epsilon)
  study(name, m, law, identity, also = function(counts) frequency(name, "the truth is reported", sum(diag(counts)), sum(counts), law[1, 1]))
}

# ---- unary encoding, eight bits a report ----
k <- 8
for (optimized in c(FALSE, TRUE)) {
  m <- rr_unary(k, 1, optimized = optimized)
  e <- achieved(m)
  p <- if (optimized) 1 / 2 else 1 / (1 + exp(-e / 2))
  q <- if (optimized) 1 / (1 + exp(e)) else 1 - p
  name <- if (optimized) "unary, OUE" else "unary, SUE"
  study(name, m, byte_chances(diag(p - q, k) + q), byte_of, each = k, also = by_bits(name, k, p, q))
}
m <- rr_unary(k, p = 0.3, q = 0.001)
study("unary, p = .3, q = .001", m, byte_chances(diag(0.299, k) + 0.001), byte_of, each = k, also = by_bits("unary, p = .3, q = .001", k, 0.3, 0.001))

# ---- subset selection: packed, and listed ----
m <- rr_subset(k, 1, size = 3)
bits <- bits_of(0:255, k)
law <- t(bits == 1)
law[, rowSums(bits) != 3] <- NA
weights <- ifelse(law, exp(achieved(m)), 1)
weights[is.na(weights)] <- 0
law <- weights / rowSums(weights)
p <- sum(law[1, bits[, 1] == 1])
q <- sum(law[1, bits[, 2] == 1])
study("subset, 3 of 8, packed", m, law, byte_of, also = by_bits("subset, 3 of 8, packed", k, p, q))
m <- rr_subset(20, 2, size = 2)
pairs <- utils::combn(20, 2)
place <- matrix(NA_integer_, 20, 20)
place[t(pairs)] <- seq_len(ncol(pairs))
law <- two_levels(t(sapply(1:20, function(x) colSums(pairs == x) > 0)), achieved(m))
listed <- function(sets) {
  sets <- unclass(sets)
  place[cbind(sets[, 1], sets[, 2])] # NA unless the first is below the second
}
study("subset, 2 of 20, listed", m, law, listed, also = function(counts) {
  inside <- sum(sapply(1:20, function(x) sum(counts[x, colSums(pairs == x) > 0])))
  frequency("subset, 2 of 20, listed", "the truth is in the subset", inside, sum(counts), sum(law[1, colSums(pairs == 1) > 0]))
})

# ---- local hashing: the whole report (slope, shift, value), with the hash worked out here ----
hash_study <- function(name, m) {
  prime <- m$prime
  g <- m$g
  grid <- expand.grid(value = seq_len(g), shift = 0:(prime - 1), slope = seq_len(prime - 1))
  supports <- t(sapply(seq_along(m$codes), function(x) ((grid$slope * m$codes[x] + grid$shift) %% prime * g) %/% prime + 1 == grid$value))
  study(name, m, two_levels(supports, achieved(m)), function(r) ((r$slope - 1) * prime + r$shift) * g + r$value, also = function(counts) {
    told <- sum(counts[supports])
    n <- sum(counts)
    frequency(name, "the value is that of the truth", told, n, exp(achieved(m)) / (exp(achieved(m)) + g - 1))
    uniform(name, "slopes", rowsum(colSums(counts), grid$slope)[, 1])
    uniform(name, "shifts", rowsum(colSums(counts), grid$shift)[, 1])
  })
}
hash_study("local hashing, BLH", rr_local_hash(4, 1, optimized = FALSE))
hash_study("local hashing, OLH", rr_local_hash(3, 1))

m <- rr_local_hash(k, 1, g = 3, cohorts = 16)
grid <- expand.grid(value = seq_len(3), cohort = seq_len(16))
supports <- t(sapply(seq_len(k), function(x) {
  own <- ((as.double(m$functions$slope) * m$codes[x] + m$functions$shift) %% m$prime * 3) %/% m$prime + 1
  own[grid$cohort] == grid$value
}))
study("local hashing, 16 cohorts", m, two_levels(supports, achieved(m)), function(r) (r$cohort - 1L) * 3L + r$value, also = function(counts) {
  frequency("local hashing, 16 cohorts", "the value is that of the truth", sum(counts[supports]), sum(counts), exp(achieved(m)) / (exp(achieved(m)) + 2))
  uniform("local hashing, 16 cohorts", "cohorts", rowsum(colSums(counts), grid$cohort)[, 1])
})

# ---- Hadamard response; the matrix by its definition, (-1)^(number of common bits) ----
sylvester <- function(row, column) 1 - 2 * (rowSums(bits_of(bitwAnd(row, column), 16)) %% 2)
for (blocks in c(1, 3)) {
  k <- 7
  m <- rr_hadamard(k, 1, blocks = blocks)
  cells <- blocks * m$size
  column <- seq_len(cells) - 1
  supports <- t(sapply(seq_len(k) - 1, function(x) {
    column %/% m$size == x %% blocks & sylvester(rep(x %/% blocks + 1, cells), column %% m$size) == 1
  }))
  name <- sprintf("Hadamard, %d block%s", blocks, if (blocks > 1) "s" else "")
  study(name, m, two_levels(supports, achieved(m)), function(r) as.integer(r) + 1L, also = function(counts) {
    p <- two_levels(supports, achieved(m))
    frequency(name, "a column with +1 for the truth", sum(counts[supports]), sum(counts), sum(p[1, supports[1, ]]))
  })
}
k <- 8
m <- rr_hadamard(k, 1, one_bit = TRUE)
column <- seq_len(m$size) - 1
supports <- t(sapply(seq_len(k) - 1, function(x) {
  own <- sylvester(rep(x, m$size), column)
  c(own == -1, own == 1)
}))
study("Hadamard, one bit", m, two_levels(supports, achieved(m)), function(r) r$index + 1L + ifelse(r$sign > 0, m$size, 0), also = function(counts) {
  frequency("Hadamard, one bit", "the sign is the truth's", sum(counts[supports]), sum(counts), 1 / (1 + exp(-achieved(m))))
  uniform("Hadamard, one bit", "columns", rowsum(colSums(counts), rep(column, 2))[, 1])
})

# ---- dBitFlip: d positions of six, and a bit for each ----
for (d in 1:2) {
  k <- 6
  m <- rr_bitflip(k, 1, d = d)
  chosen <- utils::combn(k, d)
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), d)))
  sets <- do.call(cbind, lapply(seq_len(ncol(chosen)), function(j) t(signs) * chosen[, j]))
  sets <- matrix(sets, d)
  code <- function(sets) colSums((sets + k) * (2 * k + 1)^(seq_len(nrow(sets)) - 1)) + 1
  place <- integer((2 * k + 1)^d)
  place[code(sets)] <- seq_len(ncol(sets))
  keep <- 1 / (1 + exp(-achieved(m) / (if (d == 1) 1 else 2)))
  law <- t(sapply(seq_len(k), function(x) {
    right <- (abs(sets) == x) == (sets > 0)
    apply(ifelse(right, keep, 1 - keep), 2, prod) / ncol(chosen)
  }))
  name <- sprintf("dBitFlip, d = %d", d)
  study(name, m, law, function(r) place[code(t(matrix(unclass(r), ncol = d)))], each = d, also = function(counts) {
    right <- sapply(seq_len(k), function(x) colSums((abs(sets) == x) == (sets > 0)))
    frequency(name, "a bit is right", sum(t(right) * counts), d * sum(counts), keep)
    drawn <- sapply(seq_len(k), function(j) sum(counts[, colSums(abs(sets) == j) > 0]))
    frequency(name, "position 1 is drawn", drawn[1], sum(counts), d / k)
    if (d == 1) uniform(name, "positions", drawn)
  })
}

# ---- RAPPOR: eight bits, two hashes, four cohorts; one stage and two ----
# `places`: hashes x truths x four cohorts, the bits that are 1.
bloom_study <- function(name, places, one, zero, draw) {
  k <- dim(places)[2]
  set <- lapply(1:4, function(cohort) t(sapply(seq_len(k), function(x) 1:8 %in% places[, x, cohort])))
  law <- do.call(cbind, lapply(set, function(set) byte_chances(ifelse(set, one, zero)) / 4))
  study(name, m, law, function(r) (r$cohort - 1L) * 256L + byte_of(r$bits), each = 8, draw = draw, also = function(counts) {
    ones <- lapply(1:4, function(cohort) counts[, (cohort - 1) * 256 + 1:256] %*% bits_of(0:255, 8))
    n <- sapply(1:4, function(cohort) rowSums(counts[, (cohort - 1) * 256 + 1:256]))
    own <- sum(mapply(function(ones, set) sum(ones[set]), ones, set))
    other <- sum(mapply(function(ones, set) sum(ones[!set]), ones, set))
    hashes <- dim(places)[1]
    table <- rbind(c(own, hashes * sum(n) - own), c(other, (8 - hashes) * sum(n) - other))
    test(name, "truth bit by report bit", table, rbind(c(one, 1 - one), c(zero, 1 - zero)), sum(table))
    frequency(name, "a bit of the filter is reported 1", own, hashes * sum(n), one)
    frequency(name, "another bit is reported 1", other, (8 - hashes) * sum(n), zero)
    uniform(name, "cohorts", colSums(n))
  })
}
m <- rr_bloom(6, epsilon = 2, bits = 8, hashes = 2, cohorts = 4)
# Two filters differ in at most four bits.
half <- 1 / (1 + exp(achieved(m) / 4))
bloom_study("RAPPOR, one stage", m$places, 1 - half, half, function(x) rr_perturb(x, m))
m2 <- rr_bloom(6, f = 0.3, p = 0.2, q = 0.7, bits = 8, hashes = 2, cohorts = 4)
bloom_study("RAPPOR, two stages", m2$places, 0.7 - 0.15 * 0.5, 0.2 + 0.15 * 0.5, function(x) rr_perturb(x, m2, memory = list())$reports)

# ---- two stages with a memory ----
k <- 8
for (protocol in c("sue-sue", "oue-sue", "oue-oue", "sue-oue")) {
  m <- rr_longitudinal(k, permanent = 3, epsilon = 1, protocol = protocol)
  # The stages by their definition; of the second only its p and q.
  first <- if (startsWith(protocol, "sue")) c(1, 0) + c(-1, 1) / (1 + exp(3 / 2)) else c(1 / 2, 1 / (1 + exp(3)))
  p <- first[1] * m$second$p + (1 - first[1]) * m$second$q
  q <- first[2] * m$second$p + (1 - first[2]) * m$second$q
  name <- paste("longitudinal,", protocol)
  study(name, m, byte_chances(diag(p - q, k) + q), byte_of, each = k, draw = function(x) rr_perturb(x, m, memory = list())$reports, also = by_bits(name, k, p, q))
}
# Two reports from one memory: their joint distribution.
m <- rr_longitudinal(4, permanent = 3, epsilon = 1, protocol = "grr-grr")
first <- two_levels(diag(4) == 1, 3)
second <- (diag(4) * (m$second$p - m$second$q)) + m$second$q
law <- t(sapply(1:4, function(x) as.vector(t(second) %*% (first[x, ] * second))))
study("longitudinal, grr-grr, two reports", m, law, identity, each = 3, draw = function(x) {
  one <- rr_perturb(x, m, memory = list())
  again <- rr_perturb(x, m, memory = one$memory)
  as.vector(one$reports) + 4L * (as.vector(again$reports) - 1L)
})
m <- rr_longitudinal(3, permanent = 3, epsilon = 1, protocol = "local-hash")
grid <- expand.grid(value = seq_len(m$g), shift = 0:(m$prime - 1), slope = seq_len(m$prime - 1))
supports <- t(sapply(1:3, function(x) ((grid$slope * m$codes[x] + grid$shift) %% m$prime * m$g) %/% m$prime + 1 == grid$value))
first <- exp(3) / (exp(3) + m$g - 1)
told <- first * m$second$p + (1 - first) * m$second$q
law <- ifelse(supports, told, (1 - told) / (m$g - 1)) / (m$prime * (m$prime - 1))
study("longitudinal, local hashing", m, law, function(r) ((r$slope - 1) * m$prime + r$shift) * m$g + r$value, each = 2,
      draw = function(x) rr_perturb(x, m, memory = list())$reports,
      also = function(counts) frequency("longitudinal, local hashing", "the value is that of the truth", sum(counts[supports]), sum(counts), told))

# ---- count-mean sketches: strings, which four public functions send to eight buckets ----
strings <- c("tea", "coffee", "water", "milk", "juice", "cocoa")
m3 <- rr_count_mean_sketch(1, width = 8, functions = 4)
buckets <- t(candor:::sketch_buckets(m3, strings)) # strings x functions
half <- 1 / (1 + exp(achieved(m3) / 2))
bloom_study("sketch, eight bits", array(buckets, c(1, dim(buckets))), 1 - half, half, function(x) rr_perturb(strings[x], m3))
# Rows are strings, columns (sign, column, function); the Hadamard matrix has a row for each bucket.
signs <- function(buckets, size) {
  do.call(cbind, lapply(seq_len(ncol(buckets)), function(j) {
    own <- t(sapply(buckets[, j] - 1, function(bucket) sylvester(rep(bucket, size), seq_len(size) - 1)))
    cbind(own == -1, own == 1)
  }))
}
sign_cell <- function(r, size) (r$cohort - 1L) * 2L * size + r$index + 1L + ifelse(r$sign > 0, size, 0L)
m4 <- rr_count_mean_sketch(1, width = 8, functions = 4, one_bit = TRUE)
size <- as.integer(m4$bit$size)
supports <- signs(t(candor:::sketch_buckets(m4, strings)), size)
study("sketch, one bit", m4, two_levels(supports, achieved(m4)), function(r) sign_cell(r, size), draw = function(x) rr_perturb(strings[x], m4), also = function(counts) {
  frequency("sketch, one bit", "the sign is that of the bucket of the truth", sum(counts[supports]), sum(counts), 1 / (1 + exp(-achieved(m4))))
  uniform("sketch, one bit", "functions and columns", rowsum(colSums(counts), paste(rep(1:4, each = 2 * size), rep(seq_len(size), 8)))[, 1])
})
# Prefixes of one and two characters and the held-out whole, each with functions of its own. A string that is shorter ends in U+0004.
m5 <- rr_prefixes(1, lengths = 1:2, width = 8, functions = 4, one_bit = TRUE)
words <- c("a", "b", "ab", "ba", "bb", "abc")
asked <- lapply(c(1, 2, 2), function(length) ifelse(nchar(words) < length, paste0(words, "\u0004"), substr(words, 1, length)))
supports <- do.call(cbind, Map(function(part, asked) signs(t(candor:::sketch_buckets(part, asked)), size), m5$parts, asked))
study("prefixes of strings", m5, two_levels(supports, achieved(m5)),
      function(r) (match(r$part, names(m5$parts)) - 1L) * 8L * size + sign_cell(r, size), draw = function(x) rr_perturb(words[x], m5), also = function(counts) {
        frequency("prefixes of strings", "the sign is that of the bucket of the prefix", sum(counts[supports]), sum(counts), 1 / (1 + exp(-achieved(m5))))
        uniform("prefixes of strings", "parts", colSums(matrix(colSums(counts), 8 * size)))
      })

# ---- one question of several: depths of a hierarchy, and questions ----
m6 <- rr_hierarchy(9, 1, fanout = 3)
cells <- sapply(m6$parts, function(part) part$blocks * part$size)
law <- do.call(cbind, lapply(1:2, function(depth) {
  part <- m6$parts[[depth]]
  node <- (0:8) %/% 3^(2 - depth)
  column <- seq_len(cells[depth]) - 1
  supports <- t(sapply(node, function(x) {
    column %/% part$size == x %% part$blocks & sylvester(rep(x %/% part$blocks + 1, cells[depth]), column %% part$size) == 1
  }))
  two_levels(supports, achieved(part)) / 2
}))
study("hierarchy, two depths", m6, law, function(r) as.integer(r$report) + 1L + ifelse(r$depth == "2", cells[1], 0), also = function(counts) {
  frequency("hierarchy, two depths", "depth 1 is drawn", sum(counts[, seq_len(cells[1])]), sum(counts), 1 / 2)
})
m7 <- rr_product(often = rr_grr(4, epsilon = 1), where = rr_grr(3, epsilon = 2), asked = 1)
both <- expand.grid(often = 1:4, where = 1:3)
law <- cbind(two_levels(diag(4) == 1, achieved(m7$parts$often))[both$often, ], two_levels(diag(3) == 1, achieved(m7$parts$where))[both$where, ]) / 2
study("one question of two", m7, law, function(r) as.integer(r$report) + ifelse(r$question == "where", 4L, 0L), draw = function(x) rr_perturb(both[x, ], m7), also = function(counts) {
  frequency("one question of two", "the first question is drawn", sum(counts[, 1:4]), sum(counts), 1 / 2)
})

# ---- means of numbers: Duchi's two values, and cells of equal width of the piecewise protocol's range ----
truths <- c(-1, -0.4, 0, 0.3, 1)
duchi_law <- function(e) cbind(1 / 2 - truths * tanh(e / 2) / 2, 1 / 2 + truths * tanh(e / 2) / 2)
bins <- 40
piecewise_law <- function(e) {
  s <- exp(e / 2)
  reach <- (s + 1) / (s - 1)
  ends <- seq(-reach, reach, length.out = bins + 1)
  low <- ((reach + 1) * truths - (reach - 1)) / 2
  inside <- sapply(seq_len(bins), function(j) pmax(0, pmin(ends[j + 1], low + reach - 1) - pmax(ends[j], low)))
  # The density in the window, and outside, where reach + 1 is left.
  s / (s + 1) * inside / (reach - 1) + 1 / (s + 1) * (2 * reach / bins - inside) / (reach + 1)
}
mean_cell <- function(r, e) {
  reach <- (exp(e / 2) + 1) / (exp(e / 2) - 1)
  # The grid's range exceeds that of the continuous protocol by less than a step.
  cell <- pmin(pmax(floor((r + reach) / (2 * reach) * bins), 0), bins - 1) + 1
  two <- 1 / tanh(e / 2)
  ifelse(abs(r - two) < 1e-10, bins + 2, ifelse(abs(r + two) < 1e-10, bins + 1, cell))
}
for (protocol in c("duchi", "piecewise", "hybrid")) {
  m8 <- rr_mean(c(-1, 1), 1, protocol)
  e <- achieved(m8)
  share <- switch(protocol, duchi = 0, piecewise = 1, hybrid = 1 - exp(-m8$epsilon / 2))
  law <- cbind(share * piecewise_law(e), (1 - share) * duchi_law(e))
  name <- sprintf("mean of numbers, %s", protocol)
  study(name, m8, law, function(r) mean_cell(r, e), draw = function(x) rr_perturb(truths[x], m8), also = function(counts) {
    if (share < 1) frequency(name, "the larger of two values, truth .3", counts[4, bins + 2], sum(counts[4, bins + 1:2]), duchi_law(e)[4, 2])
    if (protocol == "hybrid") frequency(name, "Duchi's protocol is used", sum(counts[, bins + 1:2]), sum(counts), 1 - share)
  })
}

results <- do.call(rbind, results)
# Those that were not run keep their rows.
before <- file.path(folder, "samplers.csv")
if (nzchar(only) && file.exists(before)) {
  before <- utils::read.csv(before, na.strings = "NA")
  before$detail[is.na(before$detail)] <- ""
  results <- rbind(before[!before$protocol %in% results$protocol, ], results)
}
utils::write.csv(results, file.path(folder, "samplers.csv"), row.names = FALSE)
print(results[c("protocol", "kind", "detail", "df", "statistic", "p.value")], right = FALSE)
cat(sprintf("\n%d tests, least p-value %.3g; of as many independent ones the least is below that with probability %.2f\n", nrow(results), min(results$p.value),
            1 - (1 - min(results$p.value))^nrow(results)))
cat(sprintf("%d below .05, %d below .01, %d above .95\n", sum(results$p.value < 0.05), sum(results$p.value < 0.01), sum(results$p.value > 0.95)))
