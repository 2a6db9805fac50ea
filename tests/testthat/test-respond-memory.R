# Memories by their definition: which respondent holds which permanent answer.

memory_of <- function(answers, m, memory = list(), seed = 1) withr::with_seed(seed, rr_perturb(answers, m, memory = memory, rng = "R"))

test_that("each answer of each respondent has one permanent answer, whoever answers again", {
  m <- rr_longitudinal(c("a", "b", "c"), permanent = 2, epsilon = 1)
  first <- memory_of(c("a", "c", "b"), m)$memory
  expect_identical(first$n, 3L)
  # (respondent - 1) 3 + answer.
  expect_equal(first$code, c(1, 6, 8))
  second <- memory_of(c("b", "c", "b"), m, first)$memory
  expect_equal(second$code, c(1, 6, 8, 2))
  expect_identical(length(second), 3L)
  expect_match(format(second), "4 permanent answers of 3 respondents")
  # Reports of the second stage come from the permanent answers alone: with a certain second stage they are these.
  kept <- second[c(3, 1)]
  # The third is now the first, and the first the second.
  expect_equal(kept$code, c(4, 2, 5))
  expect_identical(kept$n, 2L)
  expect_equal(second[c(TRUE, FALSE, TRUE)]$code, c(1, 5, 2))
  expect_equal(second[-2]$code, c(1, 5, 2))
  expect_identical(second[], second)
  for (bad in list(4, c(1, 1), c(TRUE, FALSE), NA, "a", 0.5, c(1, NA))) expect_error(second[bad], class = "candor_error_argument")
  expect_identical(second[integer()]$n, 0L)
  joined <- c(second, first)
  expect_equal(joined$n, 6)
  expect_equal(joined$code, c(1, 6, 8, 2, 10, 15, 17))
  both <- c(second[1:2], memory_of(character(), m)$memory, first[3])
  expect_equal(both$code, c(1, 6, 2, 8))
  other <- rr_longitudinal(c("a", "b", "c"), permanent = 3, epsilon = 1)
  expect_error(c(second, memory_of("a", other)$memory), class = "candor_error_mismatch")
  expect_error(rr_perturb(c("a", "b", "c"), other, memory = second), class = "candor_error_mismatch")
  expect_error(rr_perturb(c("a", "b"), m, memory = second), class = "candor_error_mismatch")
  expect_error(rr_perturb(c("a", "b"), m, memory = 3), class = "candor_error_argument")
  expect_error(rr_perturb("a", rr_grr(c("a", "b"), 1), memory = list()), class = "candor_error_argument")
  expect_warning(memory_of(c("a", "b"), m, NULL), class = "candor_warning_memory")
})

test_that("a memory in another order is told from four standard deviations of what chance gives, for 20 respondents and more", {
  m <- rr_longitudinal(c("a", "b", "c", "d", "e"), permanent = 2, epsilon = 1)
  n <- 400
  answers <- rep(c("a", "b", "c", "d", "e"), 80)
  memory <- memory_of(answers, m)$memory
  rotated <- c(answers[-1], answers[1])
  expect_warning(memory_of(rotated, m, memory), class = "candor_warning_memory")
  expect_no_warning(memory_of(answers, m, memory))
  expect_no_warning(memory_of(rotated[1:19], m, memory[1:19]))
  expect_warning(memory_of(rotated[1:20], m, memory[1:20]), class = "candor_warning_memory")
  # By chance a fifth of 400 is there; 4 sqrt(2 .2 .8 / 400) = 0.113 more, up to 125, is still that of another order.
  shares <- function(kept) {
    x <- rotated
    x[seq_len(kept)] <- answers[seq_len(kept)]
    x
  }
  chance <- function(x) mean(answers[order((seq_len(n) * 0.6180339887498949) %% 1)] == x)
  told <- function(kept) {
    tryCatch({
      memory_of(shares(kept), m, memory)
      FALSE
    }, candor_warning_memory = function(w) TRUE)
  }
  permuted <- order((seq_len(n) * 0.6180339887498949) %% 1)
  limit <- function(kept) {
    p <- mean(shares(kept)[permuted] == answers)
    p + 4 * sqrt(2 * p * (1 - p) / n)
  }
  last <- max(Filter(function(kept) kept / n <= limit(kept), 100:200))
  expect_true(told(last))
  expect_false(told(last + 1))
  # Two answers that nearly everybody gives show nothing.
  even <- rr_longitudinal(c("a", "b"), permanent = 2, epsilon = 1)
  most <- rep(c("a", "a", "a", "a", "b"), 80)
  expect_no_warning(memory_of(c(most[-1], most[1]), even, memory_of(most, even)$memory))
})

test_that("nobody's answers have no reports, of the type of the protocol, and a memory that can be joined", {
  for (m in list(rr_longitudinal(c("a", "b"), permanent = 2, epsilon = 1), rr_longitudinal(c("a", "b"), permanent = 2, epsilon = 1, protocol = "grr-grr"),
                 rr_longitudinal(c("a", "b"), permanent = 2, epsilon = 1, protocol = "local-hash"), rr_bloom(c("a", "b"), epsilon = 1, permanent = 2))) {
    nobody <- memory_of(character(), m)
    one <- memory_of("b", m)
    expect_identical(class(nobody$reports), class(one$reports))
    expect_identical(NROW(nobody$reports), 0L)
    joined <- c(nobody$memory, one$memory)
    expect_identical(joined$code, one$memory$code)
    expect_identical(length(joined), 1L)
    expect_identical(joined$permanent, one$memory$permanent)
    expect_identical(c(nobody$memory, nobody$memory)$permanent, nobody$memory$permanent)
    expect_equal(c(one$memory), one$memory)
  }
})

test_that("a permanent answer stays with its respondent and answer when others are added, and hash values of respondents are apart", {
  m <- rr_longitudinal(c("a", "b", "c"), permanent = 2, epsilon = 1, protocol = "grr-grr")
  first <- memory_of(rep(c("a", "b", "c"), 20), m)$memory
  second <- memory_of(replace(rep(c("a", "b", "c"), 20), 31:60, "a"), m, first, seed = 2)$memory
  expect_length(second$code, 60 + 20)
  expect_identical(second$permanent[match(first$code, second$code)], first$permanent)
  # Subsets and sums carry each along: of the 11th to the 60th, then of the first ten.
  joined <- c(second[11:60], second[1:10])
  respondent <- (second$code - 1) %/% 3 + 1
  moved <- second$code + 3 * ifelse(respondent > 10, -10, 50)
  expect_identical(joined$permanent[match(moved, joined$code)], second$permanent)
  # More hash values than categories: each respondent has room for all of them.
  hash <- rr_longitudinal(c("a", "b"), permanent = 4, epsilon = 3.5, protocol = "local-hash")
  expect_gt(hash$g, 2)
  memory <- memory_of(rep("a", 50), hash)$memory
  expect_identical((memory$code - 1) %/% hash$g, as.numeric(0:49))
  # Hash functions stay with respondents too; other protocols have none.
  few <- memory[c(30, 2)]
  expect_identical(few$functions, lapply(memory$functions, function(f) f[c(30, 2)]))
  expect_identical(c(few, memory)$functions, lapply(memory$functions, function(f) f[c(30, 2, 1:50)]))
  expect_null(joined$functions)
})
