drawn <- function(mechanism, n = 4000) {
  truth <- rep(mechanism$levels, each = n)
  reports <- if (!isTRUE(mechanism$memoised)) rr_perturb(truth, mechanism, rng = "R") else rr_perturb(truth, mechanism, rng = "R", memory = list())$reports
  list(truth = truth, reports = reports)
}

test_that("reports of the package's own sampler pass, whatever the protocol", {
  set.seed(41)
  abc <- c("a", "b", "c")
  mechanisms <- list(rr_grr(abc, 1), rr_grr(abc, p = 0.1), rr_warner(0.7), rr_triangular(0.3), rr_forced(c(a = 0.1, b = 0.2, c = 0.3)),
                     rr_square_wave(5, 1), rr_unary(9, 1), rr_subset(7, 1, size = 3), rr_local_hash(5, 1), rr_local_hash(5, 1, cohorts = 8),
                     rr_hadamard(6, 1, blocks = 2), rr_hadamard(6, 1, one_bit = TRUE), rr_bloom(abc, 2, bits = 16, cohorts = 3), rr_bitflip(6, 1, d = 2),
                     rr_longitudinal(abc, 2, 1), rr_longitudinal(abc, 2, 1, "grr-grr"), rr_longitudinal(abc, 2, 1, "local-hash"),
                     rr_bloom(abc, 1, bits = 16, cohorts = 3, permanent = 2))
  p <- unlist(lapply(mechanisms, function(mechanism) {
    one <- drawn(mechanism)
    check <- rr_check_client(one$reports, mechanism, one$truth)
    expect_identical(check$truth, mechanism$levels)
    expect_identical(check$n, rep(4000, length(mechanism$levels)))
    expect_true(all(is.na(check$problem)), label = format(mechanism))
    check$p.value
  }))
  # p-values are uniform: a Kolmogorov-Smirnov test that fails once in 10,000.
  expect_gt(suppressWarnings(ks.test(p, "punif")$p.value), 1e-4)
})

test_that("the broken clients of the review are found, and it is said what is wrong", {
  set.seed(42)
  problem <- function(reports, mechanism, truth) rr_check_client(reports, mechanism, truth)$problem
  unary <- rr_unary(8, 1)
  one <- drawn(unary, 500)
  bits <- rr_reports(one$reports, unary)
  ones <- matrix(as.integer(rawToBits(t(unclass(bits)))), ncol = 8, byrow = TRUE)
  expect_match(problem(ones[, 8:1], unary, one$truth), "wrong order", all = TRUE)
  expect_match(problem(1 * outer(match(one$truth, unary$levels), 1:8, `==`), unary, one$truth), "not randomized", all = TRUE)
  wide <- rr_perturb(one$truth, rr_unary(8, 2.5), rng = "R")
  expect_match(problem(wide, unary, one$truth), "should be", all = TRUE)

  yes_no <- rep(c("no", "yes"), each = 2000)
  expect_match(problem(yes_no, rr_warner(0.8), yes_no), "not randomized", all = TRUE)
  expect_match(problem(rr_perturb(yes_no, rr_warner(0.9), rng = "R"), rr_warner(0.8), yes_no), "0.9.* should be 0.8", all = TRUE)

  hash <- rr_local_hash(5, 1)
  one <- drawn(hash, 1000)
  fixed <- one$reports
  fixed[c("slope", "shift")] <- list(7L, 11L)
  own <- candor:::hash_values(hash, match(one$truth, hash$levels), fixed)
  keep <- runif(nrow(fixed)) < (exp(1) / (exp(1) + hash$g - 1) - 1 / hash$g) / (1 - 1 / hash$g)
  fixed$value <- as.integer(ifelse(keep, own, sample(hash$g, nrow(fixed), TRUE)))
  expect_match(problem(fixed, hash, one$truth), "hash function", all = TRUE)

  # A client of Hadamard response that starts with row 0: its reports are numbers like any.
  hadamard <- rr_hadamard(6, 1, blocks = 1)
  truth <- rep(1:6, each = 2000)
  column <- sample(0:7, length(truth), TRUE)
  odd <- function(x) vapply(x, function(one) sum(as.integer(intToBits(one))) %% 2 == 1, NA)
  told <- runif(length(truth)) < (exp(1) - 1) / (exp(1) + 1)
  row <- truth - 1
  turned <- told & odd(bitwAnd(row, column))
  column[turned] <- bitwXor(column, bitwAnd(row, -row))[turned]
  expect_false(anyNA(problem(column, hadamard, as.character(truth))))
})

test_that("questions of a product are checked one by one, and numbers that are not enough say nothing", {
  set.seed(43)
  mechanism <- rr_product(drugs = rr_warner(0.8), often = rr_grr(c("a", "b", "c"), 1))
  truth <- data.frame(drugs = rep(c("no", "yes"), 1500), often = rep(c("a", "b", "c"), each = 1000))
  reports <- rr_perturb(truth, mechanism, rng = "R")
  reports$often <- truth$often
  check <- rr_check_client(reports, mechanism, truth)
  expect_identical(check$question, rep(c("drugs", "often"), 2:3))
  expect_identical(is.na(check$problem), rep(c(TRUE, FALSE), 2:3))
  expect_true(is.na(rr_check_client("yes", rr_warner(0.8), "yes")$problem))
  expect_refused(rr_check_client(c("yes", "no"), rr_warner(0.8), "yes"), rr_check_client("yes", rr_noncompliance(rr_warner(0.8), 0.1), "yes"))
})

test_that("a file is checked number by number: one threshold off by a unit is found there, and nowhere else", {
  skip_if_not_installed("jsonlite")
  mechanism <- rr_product(`</script>` = rr_warner(0.8), often = rr_grr(c("a\\", "\"b", "c"), 1))
  for (as in c("plan", "javascript", "python", "page")) {
    file <- withr::local_tempfile()
    rr_client(mechanism, file, as, question = c(often = "Often?", `</script>` = "Ever?"), key = "k")
    expect_identical(rr_check_client(file, mechanism)$problem, NA_character_)
    writeLines(sub("ccccccccccccd000", "ccccccccccccd001", readLines(file, warn = FALSE), fixed = TRUE), file)
    expect_match(rr_check_client(file, mechanism)$problem, "numbers")
  }
})
