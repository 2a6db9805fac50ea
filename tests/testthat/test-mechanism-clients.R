# The text of ?clients, followed word for word in plain R: a client that shares no code with the package.

xor32 <- function(a, b) {
  high <- bitwXor(as.integer(a %/% 65536), as.integer(b %/% 65536))
  high * 65536 + bitwXor(as.integer(a %% 65536), as.integer(b %% 65536))
}
rotate <- function(x, by) (x * 2^by) %% 2^32 + x %/% 2^(32 - by)

chacha_block <- function(key, counter) {
  start <- c(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, c(key, numeric(8))[1:8], counter %% 2^32, counter %/% 2^32, 0, 0)
  x <- start
  quarter <- function(a, b, c, d) {
    x[a] <<- (x[a] + x[b]) %% 2^32
    x[d] <<- rotate(xor32(x[d], x[a]), 16)
    x[c] <<- (x[c] + x[d]) %% 2^32
    x[b] <<- rotate(xor32(x[b], x[c]), 12)
    x[a] <<- (x[a] + x[b]) %% 2^32
    x[d] <<- rotate(xor32(x[d], x[a]), 8)
    x[c] <<- (x[c] + x[d]) %% 2^32
    x[b] <<- rotate(xor32(x[b], x[c]), 7)
  }
  for (round in 1:10) {
    for (i in 1:4) quarter(i, i + 4, i + 8, i + 12)
    for (i in 1:4) quarter(i, 5 + i %% 4, 9 + (i + 1) %% 4, 13 + (i + 2) %% 4)
  }
  (x + start) %% 2^32
}

# draw(m) gives the next number below m.
public_stream <- function(...) {
  key <- c(...)
  counter <- 0
  words <- numeric()
  function(m) {
    repeat {
      if (!length(words)) {
        words <<- chacha_block(key, counter)
        counter <<- counter + 1
      }
      w <- words[1]
      words <<- words[-1]
      # w m has up to 64 bits: its halves apart.
      upper <- (w %/% 65536) * m + ((w %% 65536) * m) %/% 65536
      low <- (upper %% 65536) * 65536 + ((w %% 65536) * m) %% 65536
      if (low >= 2^32 %% m) return(upper %/% 65536)
    }
  }
}
numbers_below <- function(m, n, ...) {
  draw <- public_stream(...)
  vapply(seq_len(n), function(i) draw(m), 0)
}

next_prime_plain <- function(n) {
  while (n > 3 && any(n %% 2:floor(sqrt(n)) == 0)) n <- n + 1
  n
}

hash_codes <- function(k, prime) {
  draw <- public_stream(0, k, prime)
  if (prime <= max(4e6, 4 * k)) {
    list <- 0:(prime - 1)
    for (i in seq_len(k) - 1) {
      other <- i + draw(prime - i)
      list[c(i, other) + 1] <- list[c(other, i) + 1]
    }
    return(list[seq_len(k)])
  }
  codes <- numeric()
  while (length(codes) < k) codes <- unique(c(codes, draw(prime)))
  codes
}

print_of <- function(text, key) {
  bytes <- as.integer(charToRaw(enc2utf8(text)))
  bytes <- c(bytes, integer(-length(bytes) %% 16), length(bytes) %% 256, length(bytes) %/% 256, integer(14))
  words <- colSums(matrix(bytes, 4) * 256^(0:3))
  s <- c(0, 0)
  for (block in split(words, (seq_along(words) - 1) %/% 4)) s <- numbers_below(2^31 - 1, 2, 3, key, s, block)
  s
}

test_that("the block function is that of RFC 8439", {
  # Appendix A.1, test vector 1: key, counter and nonce 0.
  block <- chacha_block(0, 0)
  expect_identical(block[1:4], c(0xade0b876, 0x903df1a0, 0xe56a5d40, 0x28bd8653))
  expect_identical(block[16], 0x8665eeb2)
})

test_that("a client that follows the page has the codes and functions of local hashing, and the supports of its reports", {
  set.seed(3)
  for (m in list(rr_local_hash(5, 1), rr_local_hash(300, 3), rr_local_hash(100, 2, g = 100000))) {
    k <- length(m$levels)
    prime <- next_prime_plain(max(k, 64 * m$g))
    expect_identical(as.numeric(m$prime), prime)
    codes <- hash_codes(k, prime)
    expect_identical(as.numeric(m$codes), as.numeric(codes))
    # Supports of reports that this client made, against those that are counted.
    n <- 20
    reports <- data.frame(slope = sample(prime - 1, n), shift = sample(prime, n) - 1, value = sample(min(m$g, 4), n, TRUE))
    hashes <- 1 + floor(((outer(reports$slope, codes) + reports$shift) %% prime) * m$g / prime)
    expect_identical(rr_tally(reports, m)$counts, as.numeric(colSums(hashes == reports$value)))
  }
  # Above 4e6 codes of a small prime are exchanged too: the first is the first number, and all differ.
  k <- 4.2e6
  prime <- hash_prime(k, 2)
  codes <- public_codes(k, prime)
  expect_identical(as.numeric(codes[1]), public_stream(0, k, prime)(prime))
  expect_identical(c(length(codes), anyDuplicated(codes)), c(4200000L, 0L))
  m <- rr_local_hash(30, 1, cohorts = 7)
  key <- c(30, m$prime, 7)
  slopes <- 1 + numbers_below(m$prime - 1, 7, 1, key, 1)
  shifts <- numbers_below(m$prime, 7, 1, key, 2)
  expect_identical(as.numeric(m$functions$slope), slopes)
  expect_identical(as.numeric(m$functions$shift), shifts)
  # Without noise all reports are hashes of the truth.
  sure <- rr_local_hash(30, 44, g = m$g, cohorts = 7)
  truth <- rep(1:30, 10)
  reports <- rr_perturb(truth, sure, rng = "R")
  codes <- hash_codes(30, sure$prime)
  expect_equal(reports$value, 1 + floor(((slopes[reports$cohort] * codes[truth] + shifts[reports$cohort]) %% sure$prime) * sure$g / sure$prime))
})

test_that("a client that follows the page sets the bits of Bloom filters and finds the buckets of sketches", {
  # Texts of less than, exactly and more than a block, empty, and beyond ASCII.
  labels <- c("", "a", "sixteen letters!", "h\u00e4ufig gebraucht, und lang", strrep("x", 300))
  key <- 2^32 - 5
  m <- rr_bloom(labels, epsilon = 2, bits = 20, hashes = 3, cohorts = 4, key = key)
  for (v in seq_along(labels)) {
    s <- print_of(labels[v], key)
    taken <- matrix(0, 3, 4)
    for (j in 1:3) {
      r <- numbers_below(20 - j + 1, 4, 4, key, s, j)
      for (cohort in 1:4) taken[j, cohort] <- setdiff(1:20, taken[seq_len(j - 1), cohort])[r[cohort] + 1]
    }
    expect_equal(m$places[, v, ], taken)
  }
  # Of so few draws each noisy bit is known: at this level none is turned over.
  texts <- rep(labels, 8)
  buckets <- vapply(labels, function(text) numbers_below(50, 6, 5, 9, print_of(text, 9)), numeric(6))
  plain <- rr_perturb(texts, rr_count_mean_sketch(60, width = 50, functions = 6, key = 9), rng = "R")
  truth <- buckets[cbind(plain$cohort, match(texts, labels))]
  expect_identical(max.col(as.matrix(plain$bits)), as.integer(truth + 1))
  one <- rr_perturb(texts, rr_count_mean_sketch(40, width = 50, functions = 6, one_bit = TRUE, key = 9), rng = "R")
  truth <- buckets[cbind(one$cohort, match(texts, labels))]
  common <- bitwAnd(as.integer(truth), one$index)
  ones <- vapply(common, function(x) sum(as.integer(intToBits(x))), 0L)
  expect_identical(as.integer(one$sign), ifelse(ones %% 2L == 0L, 1L, -1L))
  expect_lte(max(one$index), 63)
})
