test_that("epsilon is said in words", {
  said <- vapply(c(2, 8, 700, 1e-3, 0, Inf), odds_words, "")
  wanted <- c("at most 7.4$", "at most 2,981: this protects", "e\\+304: this protects", "at most 1.001$", "nothing about the truth", "can rule a truth out")
  expect_true(all(mapply(grepl, wanted, said)))
})

test_that("mistakes and disobedience are no protection", {
  for (answer in c("no", "truth")) {
    # log(5) of the die
    expect_output(print(rr_noncompliance(rr_forced(1 / 6), 0.1, answer)),
                  "epsilon     1.609  [(]a report changes odds by a factor of at most 5[)];\\s+disobedience protects nobody")
  }
  for (m in list(rr_misclassification(0.8, 0.9), rr_misclassification(table = rbind(c(8, 2), c(1, 9))))) {
    printed <- paste(capture.output(print(m)), collapse = "\n")
    expect_no_match(printed, "epsilon +=? *[0-9]")
    expect_match(printed, "protect nobody")
    expect_no_match(paste(capture.output(print(rr_estimate(rr_counts(c(60, 40), m)))), collapse = "\n"), "odds|epsilon")
  }
})

test_that("a number of categories costs nothing until its labels are asked for", {
  # 1e8 labels would take 0.8 GB for their places alone
  before <- gc(reset = TRUE)
  time <- system.time({
    m <- rr_grr(1e8, epsilon = 1)
    capture.output(print(m))
  })[["elapsed"]]
  used <- gc()[2, 6] - before[2, 2]
  expect_lt(used, 50)
  expect_lt(time, 5)
  expect_identical(m$levels[c(1, 1e8)], c("1", "100000000"))
})
