# Recommendations: guesses and ranges by enumeration, errors by the formulas of the mechanisms.

test_that("the probability of a right guess, by all reports of a few bits", {
  # Each of three categories has n bits; of those with the most ones one is guessed.
  for (n in 1:2) {
    k <- 3
    p <- 0.7
    q <- 0.25
    counts <- as.matrix(expand.grid(rep(list(0:n), k)))
    prob <- dbinom(counts[, 1], n, p) * dbinom(counts[, 2], n, q) * dbinom(counts[, 3], n, q)
    right <- apply(counts, 1, function(x) (x[1] == max(x)) / sum(x == max(x)))
    expect_equal(support_success(k, p, q, n), sum(prob * right), tolerance = 1e-12)
  }
  expect_equal(support_success(5, 0.6, 0), 0.6 + 0.4 / 5, tolerance = 1e-12)
  expect_equal(matrix_success(rbind(c(0.5, 0.3, 0.2), c(0.1, 0.6, 0.3))), (0.5 + 0.6 + 0.3) / 2)
  # Slopes from 1 and shifts from 0 below the prime.
  prime <- hash_prime(6, 4)
  expect_equal(hash_bits(6, 4), log2(prime) + log2(prime - 1))
})

test_that("the mean over ranges, by all pairs of bounds but the two ends", {
  k <- 5
  V <- crossprod(matrix(sin(1:25), 5))
  # Var(F_j - F_i), F the cumulative sums of 0 and the shares.
  sums <- rbind(0, lower.tri(diag(k), TRUE) * 1)
  pairs <- utils::combn(k + 1, 2)
  variance <- apply(pairs, 2, function(pair) {
    w <- sums[pair[2], ] - sums[pair[1], ]
    drop(w %*% V %*% w)
  })
  covariance <- sums[-1, ] %*% V %*% t(sums[-1, ])
  all <- pairs[1, ] == 1 & pairs[2, ] == k + 1
  expect_equal(mean_over_ranges(sum(diag(covariance)), sum(covariance), covariance[k, k], k), mean(variance[!all]), tolerance = 1e-12)
  # k-ary randomized response: the covariance of the unbiased shares of n reports.
  grr <- rr_grr(k, 1)
  theta <- c(0.3, 0.1, 0.2, 0.15, 0.25)
  inverse <- solve(t(rr_matrix(grr)))
  phi <- drop(theta %*% rr_matrix(grr))
  V <- inverse %*% (diag(phi) - tcrossprod(phi)) %*% t(inverse) / 50
  covariance <- sums[-1, ] %*% V %*% t(sums[-1, ])
  expect_equal(range_error(grr, theta, 50, "population"), mean_over_ranges(sum(diag(covariance)), sum(covariance), covariance[k, k], k), tolerance = 1e-6)
  sample <- V - (diag(theta) - tcrossprod(theta)) / 50
  covariance <- sums[-1, ] %*% sample %*% t(sums[-1, ])
  expect_equal(range_error(grr, theta, 50, "sample"), mean_over_ranges(sum(diag(covariance)), sum(covariance), covariance[k, k], k), tolerance = 1e-6)
})

test_that("the fanout of a hierarchy is that of the least error among all heights", {
  for (k in c(6, 20)) {
    best <- best_hierarchy(k, 1, rr_hadamard)
    # The smallest fanouts of heights: from the square root, or what is above it, down to 2.
    error <- function(fanout) range_error(rr_hierarchy(k, 1, fanout, rr_hadamard), rep(1 / k, k), 1, "sample")
    fanouts <- sort(unique(vapply(seq(2, ceiling(log2(k))), function(height) min(Filter(function(f) f^height >= k, 2:k)), 0L)))
    expect_true(best$fanout %in% fanouts)
    expect_lte(error(best$fanout), 1.25 * min(vapply(fanouts, error, 0)))
  }
  # Independent nodes: least squares of their estimates, given that all shares add up to 1.
  independent_error <- function(k, fanout, oracle) {
    law <- rr_law(rr_hierarchy(k, 1, fanout, oracle))
    height <- length(law$nodes)
    information <- Reduce(`+`, lapply(seq_len(height), function(depth) {
      node <- (seq_len(k) - 1) %/% fanout^(height - depth)
      outer(node, node, `==`) / (law$unit[depth] * height)
    }))
    basis <- rbind(diag(k - 1), -1)
    V <- basis %*% solve(crossprod(basis, information %*% basis), t(basis))
    ranges <- subset(expand.grid(from = 1:k, to = 1:k), from <= to & to - from < k - 1)
    mean(mapply(function(from, to) sum(V[from:to, from:to]), ranges$from, ranges$to))
  }
  for (oracle in list(rr_hadamard, rr_subset)) for (k in c(3, 9, 16, 19, 26, 50)) {
    fanouts <- unique(vapply(seq(2, ceiling(log2(k))), function(height) min(Filter(function(f) f^height >= k, 2:k)), 0L))
    errors <- vapply(fanouts, independent_error, 0, k = k, oracle = oracle)
    expect_equal(best_hierarchy(k, 1, oracle)$fanout, fanouts[which.min(errors)])
  }
  expect_identical(nrow(rr_recommend(2, 1, question = "ranges")), 8L)
  table <- rr_recommend(9, 1, 100, question = "ranges")
  tree <- table[table$mechanism == "hierarchy-subset", ]
  shape <- best_hierarchy(9, 1, rr_subset)
  bits <- mean(vapply(shape$parts, function(part) lchoose(length(part$levels), part$size) / log(2), 0))
  expect_equal(tree$bits, log2(shape$height) + bits)
  expect_equal(tree$fanout, shape$fanout)
  expect_equal(tree$bits_public, bits)
})

test_that("rows in the order of their error, and how much they exceed the least", {
  table <- question_rows(tibble::tibble(mechanism = c("x", "y", "z"), mse = c(4, 1, 1), bits = c(1, 5, 2)), 2, 7)
  expect_identical(table$mechanism, c("z", "y", "x"))
  expect_identical(table$within, c(0, 0, 3))
  expect_identical(table$std.error, c(1, 1, 2))
  expect_identical(names(table)[1:6], c("epsilon", "n", "mechanism", "mse", "std.error", "within"))
  expect_identical(question_rows(tibble::tibble(mechanism = c("x", "y"), mse = c(0, 0)), 2, 7)$within, c(0, 0))
  expect_identical(question_rows(tibble::tibble(mechanism = c("x", "y"), mse = c(Inf, Inf)), 2, 7)$within, c(0, 0))
})

test_that("a print of one cell says whose error is the smallest, and by how much another exceeds it", {
  table <- tibble::tibble(n = 9, k = 3, mechanism = c("subset", "grr", "unary"), within = c(0, 0.5, 3.5))
  # The sentence above the table, on one line.
  printed <- function(table) {
    lines <- utils::capture.output(print(structure(tibble::as_tibble(table), class = c("rr_recommendation", "tbl_df", "tbl", "data.frame"))))
    paste(trimws(lines[seq_len(grep("^# A tibble", lines) - 1)]), collapse = " ")
  }
  best <- "<rr_recommendation> \"subset\" has the smallest error"
  expect_identical(printed(table), paste0(best, "; the error of \"grr\" is 50% larger"))
  expect_identical(printed(transform(table, within = c(0, 2, 4))), paste0(best, "; the error of \"grr\" is 3 times as large"))
  # Nothing is said of k-ary randomized response where no mechanism is better, or of several cells.
  expect_identical(printed(transform(table, within = c(0, 0, 1))), best)
  expect_identical(printed(transform(table, k = 1:3)), "")
  expect_identical(printed(table[-4]), "")
  # Without categories the last row is compared, and no devices are.
  expect_identical(printed(table[-2]), paste0(best, "; the error of \"unary\" is 4.5 times as large"))
  expect_identical(printed(cbind(table[-2], device = "die")), best)
})

test_that("each question by the formulas of its mechanisms", {
  k <- 6
  theta <- c(0.4, 0.2, 0.1, 0.1, 0.15, 0.05)
  table <- rr_recommend(k, 1.2, 50, theta)
  grr <- table[table$mechanism == "grr", ]
  p <- exp(1.2) / (exp(1.2) + 5)
  q <- 1 / (exp(1.2) + 5)
  m <- q + (p - q) * theta
  expect_equal(grr$mse, sum(m * (1 - m)) / (p - q)^2 / 50, tolerance = 1e-10)
  expect_equal(grr$std.error, sqrt(q * (1 - q) / 50) / (p - q), tolerance = 1e-12)
  expect_equal(grr$influence, (1 - q) / (p - q) / 50, tolerance = 1e-12)
  expect_equal(grr$success, p)
  expect_equal(grr$bits, log2(6))
  # What one report can change: the largest coefficient of the unbiased estimate.
  for (name in c("grr", "hadamard")) {
    m <- list(grr = rr_grr, hadamard = rr_hadamard)[[name]](6, epsilon = 1.2)
    expect_equal(table$influence[table$mechanism == name], max(abs(inversion_columns(rr_law(m), m))) / 50, tolerance = 1e-10)
  }
  m <- q + (p - q) * theta
  oue <- table[table$mechanism == "oue", ]
  expect_equal(oue$success, support_success(6, oue$p, oue$q))
  fixed <- rr_recommend(k, 1.2, 50, theta, "sample")
  noise <- sum(m * (1 - m)) / (p - q)^2 - sum(theta * (1 - theta))
  expect_equal(fixed$mse[fixed$mechanism == "grr"], noise / 50, tolerance = 1e-10)
  # Without a truth all are equally common.
  even <- rr_recommend(k, 1.2, 50)
  m <- q + (p - q) / 6
  expect_equal(even$mse[even$mechanism == "grr"], 6 * m * (1 - m) / (p - q)^2 / 50, tolerance = 1e-10)
  # Duchi's mean of numbers from 0 to 1: plus or minus c on the scale from -1 to 1.
  means <- rr_recommend(epsilon = 1, n = 10, question = "mean")
  duchi <- means[means$mechanism == "duchi", ]
  expect_equal(duchi$mse, 1 / tanh(0.5)^2 / 4 / 10, tolerance = 1e-12)
  expect_identical(duchi$bits, 1)
  strings <- rr_recommend(epsilon = 2, n = 10, question = "strings")
  sketch <- strings[strings$mechanism == "sketch", ]
  shape <- rr_count_mean_sketch(2)
  expect_equal(sketch$bits, log2(shape$cohorts) + shape$width)
  expect_equal(sketch$collisions, 1 / sqrt(shape$cohorts * (shape$width - 1)))
  expect_equal(strings$bits[strings$mechanism == "sketch-one-bit"], log2(shape$cohorts) + log2(rr_count_mean_sketch(2, one_bit = TRUE)$bit$size) + 1)
  # Reports of two stages: what all permanent answers reveal, one for each category or hash value.
  kept <- rr_recommend(20, 0.5, permanent = 2)
  expect_identical(kept$lifetime[kept$mechanism == "sue-sue"], 40)
  expect_identical(kept$lifetime[kept$mechanism == "local-hash"], 2 * min(20, best_buckets(0.5)))
})

test_that("what a recommendation refuses, at its bounds", {
  expect_refused(rr_recommend(1, 1), rr_recommend(4, 0), rr_recommend(4, 1, truth = c(0.5, 0.5)), rr_recommend(4, 1, permanent = 1),
    rr_recommend(4, 1, n = 0.5),
                 rr_recommend(4, epsilon = 1, question = "mean"), rr_recommend(epsilon = 1, truth = c(0.5, 0.5), question = "mean"),
                 rr_recommend(epsilon = 1, target = "sample", question = "strings"), rr_recommend(4, 1, permanent = 2, question = "ranges"))
  expect_error(rr_recommend(1025, 1, question = "ranges"), class = "candor_error_too_large")
  expect_identical(check_level_numbers(c(2, 1024), "ranges"), c(2, 1024))
  expect_identical(check_level_numbers(1025, "shares"), 1025)
  for (k in list(4.5, c(1, 4))) expect_error(check_level_numbers(k, "shares"), class = "candor_error_argument")
  expect_error(check_level_numbers(c(4, 1025), "ranges"), class = "candor_error_too_large")
  expect_identical(nrow(rr_recommend(2, 1)), 8L)
})

test_that("probabilities and bits of all mechanisms of one report, and devices of a survey", {
  k <- 6
  table <- rr_recommend(k, 1.2)
  row <- function(name) table[table$mechanism == name, ]
  e <- exp(1.2)
  g <- best_buckets(1.2)
  w <- rr_subset(k, 1.2)$size
  expected <- list(sue = c(exp(0.6), 1) / (exp(0.6) + 1), oue = c(0.5, 1 / (e + 1)), blh = c(e / (e + 1), 0.5), olh = c(e / (e + g - 1), 1 / g),
                   subset = c(w * e / (w * e + k - w), w * ((w - 1) * e + k - w) / ((k - 1) * (w * e + k - w))))
  for (name in names(expected)) expect_equal(c(row(name)$p, row(name)$q), expected[[name]], tolerance = 1e-12)
  hadamard <- rr_hadamard(k, 1.2)
  column <- ceiling(log2(hadamard$blocks * hadamard$size))
  bits <- list(grr = log2(k), sue = k, oue = k, blh = hash_bits(k, 2) + 1, olh = hash_bits(k, g) + log2(g), subset = log2(choose(k, w)), hadamard = column)
  public <- list(grr = log2(k), sue = k, oue = k, blh = 1, olh = log2(g), subset = log2(choose(k, w)), hadamard = if (hadamard$blocks == 1) 1 else column)
  for (name in names(bits)) expect_equal(c(row(name)$bits, row(name)$bits_public), c(bits[[name]], public[[name]]), tolerance = 1e-10)
  # Unary bits: the truth is guessed among the categories with a 1, else among all.
  for (name in c("sue", "oue", "blh", "olh")) expect_equal(row(name)$success, support_success(k, row(name)$p, row(name)$q), tolerance = 1e-12)
  expect_equal(row("subset")$success, row("subset")$p / w, tolerance = 1e-12)
  for (name in c("sue", "oue", "olh")) expect_equal(row(name)$influence, max(row(name)$q, 1 - row(name)$q) / (row(name)$p - row(name)$q), tolerance = 1e-12)
  survey <- rr_recommend(epsilon = 1.5, n = 400, truth = 0.15, question = "survey")
  m <- survey$q + 0.15 * (survey$p - survey$q)
  expect_equal(survey$mse, m * (1 - m) / 400 / (survey$p - survey$q)^2, tolerance = 1e-10)
  expect_equal(survey$success, (pmax(survey$p, survey$q) + pmax(1 - survey$p, 1 - survey$q)) / 2, tolerance = 1e-12)
  expect_equal(survey$influence, pmax(survey$q, 1 - survey$q) / abs(survey$p - survey$q) / 400, tolerance = 1e-12)
  expect_refused(rr_recommend(epsilon = 1e-4, n = 400, truth = 0.15, question = "survey"))
  ranges <- rr_recommend(3, 1, 10, c(0.5, 0.3, 0.2), question = "ranges")
  expect_true(all(c("hierarchy", "hierarchy-subset") %in% ranges$mechanism))
  expect_equal(ranges$mse[ranges$mechanism == "oue"], range_error(rr_unary(3, 1), c(0.5, 0.3, 0.2), 10, "population"), tolerance = 1e-12)
  expect_equal(ranges$bits[ranges$mechanism == "grr"], log2(3))
})

test_that("reports of two stages have the errors of their bits, and sketches those of strings that share buckets", {
  table <- rr_recommend(20, 0.5, 30, permanent = 3)
  one_stage <- c(`oue-sue` = "oue", `sue-sue` = "sue", `grr-grr` = "grr", `local-hash` = "olh")
  columns <- c("p", "q", "mse", "std.error", "success", "influence", "bits", "bits_public", "tally")
  expect_identical(table[match(names(one_stage), table$mechanism), columns], table[match(one_stage, table$mechanism), columns])
  for (protocol in c("oue-oue", "sue-oue")) {
    row <- table[table$mechanism == protocol, ]
    m <- rr_longitudinal(20, 3, 0.5, protocol)
    # A bit of the permanent answer is drawn again.
    reported <- m$q + (m$p - m$q) / 20
    expect_equal(row$mse, 20 * reported * (1 - reported) / (m$p - m$q)^2 / 30, tolerance = 1e-9)
    expect_equal(row$std.error, sqrt(m$q * (1 - m$q) / 30) / (m$p - m$q), tolerance = 1e-9)
    expect_equal(c(row$p, row$q, row$permanent, row$lifetime), c(m$p, m$q, 3, 60), tolerance = 1e-12)
    expect_equal(row$success, support_success(20, m$p, m$q), tolerance = 1e-12)
    expect_equal(row$influence, max(m$q, 1 - m$q) / (m$p - m$q) / 30, tolerance = 1e-9)
    expect_identical(c(row$bits, row$bits_public, row$tally), c("20", "20", "n K"))
  }
  expect_identical(is.na(table$permanent), !table$mechanism %in% c(names(one_stage), "oue-oue", "sue-oue"))
  strings <- rr_recommend(epsilon = 2, n = 10, question = "strings")
  for (one_bit in c(FALSE, TRUE)) {
    row <- strings[strings$mechanism == if (one_bit) "sketch-one-bit" else "sketch", ]
    m <- rr_count_mean_sketch(2, one_bit = one_bit)
    # Another string has the same bucket with probability 1 / width.
    q <- m$q + (m$p - m$q) / m$width
    expect_equal(c(row$p, row$q), c(m$p, q), tolerance = 1e-12)
    expect_equal(row$mse, q * (1 - q) / (m$p - q)^2 / 10, tolerance = 1e-9)
    expect_equal(row$collisions, 1 / sqrt(m$cohorts * (m$width - 1)))
    expect_equal(row$bits_public, if (one_bit) 1 else m$width)
    expect_identical(row$tally, if (one_bit) "n + F W log W" else "n W")
  }
  # Means: the largest variance of the noise over all truths, on the scale from -1 to 1 that is twice as wide.
  means <- rr_recommend(epsilon = 3, n = 10, question = "mean")
  for (protocol in means$mechanism) {
    variance <- mean_variance(rr_mean(c(0, 1), 3, protocol))
    truths <- seq(-1, 1, by = 0.01)
    expect_equal(means$mse[means$mechanism == protocol], max(variance$constant + variance$slope * truths^2) / 4 / 10, tolerance = 1e-12)
  }
})

test_that("a hash of more values than are drawn from has the bits of a prime field, whatever part of a value epsilon leaves over", {
  # 64 (e^17.1 + 1) is no whole number.
  least <- ceiling(64 * (exp(17.1) + 1))
  is_prime <- function(m) all(m %% 2:floor(sqrt(m)) != 0)
  prime <- Find(is_prime, least + 0:500)
  table <- rr_recommend(8, 17.1)
  expect_equal(table$bits[table$mechanism == "olh"], log2(prime) + log2(prime - 1) + log2(exp(17.1) + 1), tolerance = 1e-12)
})

test_that("the column of a Hadamard matrix is public in one block, and a report is then one bit", {
  public <- function(epsilon) {
    row <- subset(rr_recommend(6, epsilon), mechanism == "hadamard")
    c(row$bits, row$bits_public)
  }
  # (e^epsilon - 1) / 2 blocks: one of 8 columns, then more, whose numbers are part of the report.
  expect_identical(rr_hadamard(6, 0.5)$blocks, 1)
  expect_equal(public(0.5), c(3, 1))
  several <- rr_hadamard(6, 1.6)
  expect_identical(several$blocks, 2)
  expect_equal(public(1.6), rep(log2(2 * several$size), 2))
})

test_that("projective geometry is compared by its own matrix, and every mechanism by the work of its tally", {
  for (world in list(c(6, 1), c(13, 2), c(20, 0.5))) {
    k <- world[1]
    table <- rr_recommend(k, world[2], 40)
    row <- table[table$mechanism == "projective", ]
    m <- rr_projective(k, world[2])
    C <- rr_matrix(m)
    supports <- C > 1.0001 * min(C)
    given <- C %*% t(supports)
    expect_equal(c(row$p, row$q), c(given[1, 1], given[1, 2]))
    expect_equal(row$success, sum(apply(C, 2, max)) / k)
    expect_equal(c(row$bits, row$bits_public), rep(log2(ncol(C)), 2))
    expect_equal(row$std.error, sqrt(row$q * (1 - row$q) / 40) / (row$p - row$q))
    expect_equal(row$influence, max(row$q, 1 - row$q) / (row$p - row$q) / 40)
    # N Var of all shares, by reports that support each category with probability q + (p - q) / K.
    supported <- row$q + (row$p - row$q) / k
    expect_equal(row$mse, k * supported * (1 - supported) / (row$p - row$q)^2 / 40)
  }
  tallies <- c(grr = "n", sue = "n K", oue = "n K", blh = "n + P K", olh = "n + P K", subset = "n K", hadamard = "n + K log K", projective = "n + K log K")
  expect_identical(stats::setNames(table$tally, table$mechanism)[names(tallies)], tallies)
  ranges <- rr_recommend(9, 1, question = "ranges")
  shares <- rr_recommend(9, 1)
  both <- intersect(ranges$mechanism, shares$mechanism)
  for (column in c("bits", "bits_public", "tally")) {
    expect_identical(ranges[[column]][match(both, ranges$mechanism)], shares[[column]][match(both, shares$mechanism)])
  }
  expect_identical(stats::setNames(ranges$tally, ranges$mechanism)[c("hierarchy", "hierarchy-subset")],
                   c(hierarchy = "n + K log K", `hierarchy-subset` = "n K"))
})

test_that("up to epsilon 17 a hash has the best whole number of values, beyond it e^epsilon + 1", {
  q <- function(epsilon) subset(rr_recommend(8, epsilon), mechanism == "olh")$q
  expect_identical(q(17), 1 / round(exp(17) + 1))
  expect_equal(q(17.01), 1 / (exp(17.01) + 1), tolerance = 1e-15)
})
