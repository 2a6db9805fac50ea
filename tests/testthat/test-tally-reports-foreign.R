# Reports of other libraries, in their own formats: from their files to estimates within their errors of the truth. The
# files of the libraries' own clients are read where a folder of shared data holds them.

foreign_file <- function(name) {
  file <- file.path(Sys.getenv("CANDOR_SHARED_DATA"), "foreign", name)
  skip_if(!file.exists(file), "no folder of shared data with reports of other libraries")
  file
}

# Sums of squares of independent errors in units of their standard errors, as a probability; the estimates of one
# protocol are nearly independent. A right reading fails at 1e-4.
expect_near_truth <- function(fit, truth) {
  z <- (coef(fit) - truth) / sqrt(diag(vcov(fit)))
  expect_gt(pchisq(sum(z^2), length(z), lower.tail = FALSE), 1e-4)
}

test_that("text of one digit for each bit is a report, the first digit being the first category", {
  m <- rr_unary(letters[1:4], epsilon = 1)
  expect_equal(rr_tally(c("0100", "1100", "0001"), m)$counts, c(1, 2, 0, 1))
  expect_equal(rr_tally(c("0100", NA, "1100"), m, na.rm = TRUE)$counts, c(1, 2, 0, 0))
  # Eight bits as hexadecimal digits are two, and stay two.
  m <- rr_unary(8, epsilon = 1)
  expect_equal(rr_tally(c("10000001", "00000011"), m)$counts, c(1, 0, 0, 0, 0, 0, 1, 2))
  expect_equal(rr_tally(c("81", "c0"), m)$counts, c(1, 0, 0, 0, 0, 0, 1, 2))
  expect_equal(rr_tally(data.frame(cohort = 1:2, bits = c("01", "02")), rr_bloom(c("a", "b"), 1, bits = 2, hashes = 1, cohorts = 2))$n, 2)
  expect_error(rr_tally(c("0100", "010"), rr_unary(4, epsilon = 1)), class = "candor_error_report")
  expect_error(rr_tally(c("0100", "0120"), rr_unary(4, epsilon = 1)), class = "candor_error_report")
})

test_that("bits of other hash functions are given by their places", {
  # Two cohorts of four bits, two hashes: by hand. The hashes of b meet in cohort 2.
  places <- rbind(c(1, 2, 5, 8), c(2, 3, 6, 6))
  m <- rr_bloom(c("a", "b"), bits = 4, hashes = 2, cohorts = 2, f = 0, p = 0.1, q = 0.7, places = places)
  filters <- list(rbind(c(1, 1, 0, 0), c(0, 1, 1, 0)), rbind(c(1, 0, 0, 1), c(0, 1, 0, 0)))
  # The chance of each report: cohorts are drawn evenly, bits one by one.
  C <- do.call(cbind, lapply(filters, function(set) {
    reports <- as.matrix(expand.grid(rep(list(0:1), 4)))
    apply(reports, 1, function(y) apply(set, 1, function(x) prod(ifelse(y == 1, 0.1 + 0.6 * x, 0.9 - 0.6 * x)))) / 2
  }))
  expect_equal(sort(unname(rr_matrix(m))[1, ]), sort(C[1, ]))
  expect_equal(sort(unname(rr_matrix(m))[2, ]), sort(C[2, ]))
  # Two filters differ in at most two bits each way.
  expect_equal(rr_epsilon(m), 2 * log(0.7 * 0.9 / (0.1 * 0.3)))
  # Expected counts of known truths give these truths back.
  ones <- function(j) 100 * colSums(c(0.3, 0.7) * (0.1 + 0.6 * filters[[j]]))
  counts <- c(ones(1), 100, ones(2), 100)
  expect_equal(unname(coef(rr_estimate(rr_counts(round(counts), m, n = 200), method = "inv"))), c(0.3, 0.7), tolerance = 0.02)
  # The mechanism travels in files.
  file <- withr::local_tempfile()
  rr_write(rr_counts(round(counts), m, n = 200), file)
  expect_identical(rr_read(file)$mechanism$places, m$places)
  bad <- places
  bad[2, 3] <- 4
  for (wrong in list(bad, places[, 1:3], places[1, , drop = FALSE], places + 0.5, "a")) {
    expect_error(rr_bloom(c("a", "b"), 1, bits = 4, cohorts = 2, places = wrong), class = "candor_error_argument")
  }
})

test_that("optimized unary encoding of pure-LDP: a text of bits", {
  reports <- read.csv(foreign_file("oue_reports.csv"), colClasses = "character")$bits
  truth <- read.csv(foreign_file("truth.csv"))$oue
  fit <- rr_estimate(reports, rr_unary(0:63, epsilon = 2), method = "inv")
  expect_near_truth(fit, truth / 20000)
})

test_that("optimized local hashing of pure-LDP: support is the law with q = 1 / g", {
  support <- read.csv(foreign_file("olh_support.csv"))
  truth <- read.csv(foreign_file("truth.csv"))$olh
  mechanism <- rr_unary(0:63, p = exp(2) / (exp(2) + 7), q = 1 / 8)
  expect_equal(rr_epsilon(mechanism), 2)
  expect_near_truth(rr_estimate(rr_counts(support$count, mechanism, n = 20000), method = "inv"), truth / 20000)
  skip_if_not_installed("digest")
  reports <- read.csv(foreign_file("olh_reports.csv"))[1:300, ]
  digest <- getExportedValue("digest", "digest")
  hash <- function(x, seed) strtoi(substring(digest(x, "xxhash32", serialize = FALSE, seed = seed), 8), 16) %% 8
  supports <- t(mapply(function(value, seed) vapply(as.character(0:63), hash, 0, seed) == value, reports$value, reports$seed))
  fit <- rr_estimate(supports + 0, mechanism, method = "inv")
  expect_near_truth(fit, truth / 20000)
})

test_that("Google's RAPPOR: reports, counts and the map of candidates", {
  map <- read.csv(foreign_file("rappor_map.csv"), header = FALSE)
  set <- read.csv(foreign_file("rappor_params.csv"))
  mechanism <- rr_bloom(map[[1]], bits = set$k, hashes = set$h, cohorts = set$m, f = set$f, p = set$p, q = set$q, places = map[-1])
  counts <- as.matrix(read.csv(foreign_file("rappor_counts.csv"), header = FALSE))
  tally <- rr_counts(as.vector(t(cbind(counts[, -1], counts[, 1]))), mechanism, n = sum(counts[, 1]))
  reports <- read.csv(foreign_file("rappor_reports.csv"), colClasses = c(irr = "character"))
  turned <- vapply(strsplit(reports$irr, ""), function(bits) paste(rev(bits), collapse = ""), "")
  expect_equal(rr_tally(data.frame(cohort = reports$cohort + 1, bits = turned), mechanism)$counts, tally$counts)
  truth <- read.csv(foreign_file("rappor_truth.csv"))
  held <- truth$n[match(map[[1]], truth$word)]
  held[is.na(held)] <- 0
  expect_near_truth(rr_estimate(tally, mechanism, method = "inv"), held / sum(truth$n))
  # The places are those of the published map: MD5 of the cohort and the word.
  places <- function(word, cohort) {
    bytes <- cli::hash_raw_md5(c(as.raw(c(0, 0, 0, cohort)), charToRaw(word)))
    cohort * set$k + strtoi(substring(bytes, 2 * seq_len(set$h) - 1, 2 * seq_len(set$h)), 16) %% set$k + 1
  }
  expect_equal(unname(unlist(map[5, 2 + set$h * 7 + 0:1])), places(map[5, 1], 7))
})
