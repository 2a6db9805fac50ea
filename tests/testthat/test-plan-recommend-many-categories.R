test_that("a recommendation for a thousand million categories takes no table of them", {
  # What is taken beyond what the tests before have left in memory, in MB.
  before <- sum(gc(reset = TRUE)[, 2])
  table <- rr_recommend(1e9, 1, n = 1e6)
  expect_lt(sum(gc()[, 6]) - before, 150)
  expect_identical(nrow(table), 8L)
  # Hadamard response: (e - 1) / 2 is 0.86, so one block of 2^30 columns; Z = e + 1. By its formula, with (K - 1) / K from sampling.
  z <- exp(1) + 1
  one <- table[table$mechanism == "hadamard", ]
  expect_equal(one$mse, ((1e9 * 2 * z / expm1(1)^2 + z / expm1(1) * 1e9 - 1) + 1 - 1e-9) / 1e6)
})

test_that("the best number of blocks and pairs within blocks are those of all numbers tried", {
  sizes <- function(k, blocks) k %/% blocks + (seq_len(blocks) <= k %% blocks)
  for (k in c(2, 7, 100)) for (blocks in 1:k) expect_equal(candor:::block_pairs(k, blocks), sum(sizes(k, blocks) * (sizes(k, blocks) - 1)))
  # Above a million only near (e^epsilon - 1) / 2; all numbers for reference.
  k <- 1000003
  for (epsilon in c(0.5, 3, 7)) {
    blocks <- as.double(1:k)
    z <- exp(-epsilon)
    squares <- (k %% blocks) * (k %/% blocks + 1)^2 + (blocks - k %% blocks) * (k %/% blocks)^2
    all <- which.min((1 + (2 * blocks - 1) * z) * (2 * k * z / (1 - z) + squares / k))
    expect_equal(candor:::best_blocks(k, epsilon), all)
  }
})

test_that("a table of counts that does not fit in memory is refused with its size", {
  skip_if(candor:::machine_memory() > 60e9)
  expect_error(rr_tally(1:3, rr_grr(2e9, epsilon = 1)), "64 GB", class = "candor_error_too_large")
})

test_that("bits of a report about ranges are those of its depth and of its node, on average over the depths", {
  table <- rr_recommend(12, 2, question = "ranges")
  for (name in c("hierarchy", "hierarchy-subset")) {
    row <- table[table$mechanism == name, ]
    tree <- rr_hierarchy(12, 2, row$fanout, if (name == "hierarchy") rr_hadamard else rr_subset)
    kinds <- vapply(tree$parts, function(part) {
      if (name == "hierarchy") part$blocks * part$size else choose(length(part$levels), part$size)
    }, 0)
    expect_equal(row$bits, log2(length(tree$parts)) + mean(log2(kinds)))
    # One column of a Hadamard matrix of one block may be public: one bit is left.
    private <- if (name == "hierarchy") vapply(tree$parts, function(part) if (part$blocks == 1) 1 else log2(part$blocks * part$size), 0) else log2(kinds)
    expect_equal(row$bits_public, mean(private))
  }
  expect_match(utils::capture.output(print(table))[1], sprintf("\"%s\" has the smallest error", table$mechanism[which.min(table$mse)]), fixed = TRUE)
})
