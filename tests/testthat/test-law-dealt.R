# The law of a deck: three categories, 10 cards of which 2, 1 and 3 dictate, 4 ask for the truth.

law <- new_law_dealt(c(2, 1, 3), 10)
full <- list(counts = cbind(c(4, 2, 4), c(3, 4, 3), c(2, 1, 7)), label = 1:3)
mixed <- list(counts = cbind(c(4, 2, 4), c(1, 2, 1)), label = 1:2)

test_that("its probabilities, expected reports and plan are those of the cards", {
  expect_equal(law$truth, 0.4)
  expect_equal(unname(law$probabilities), list(0.4 + c(0.2, 0.1, 0.3), c(0.2, 0.1, 0.3)))
  expect_equal(law_expected(law, c(0.5, 0.3, 0.2)), c(0.2, 0.1, 0.3) + 0.4 * c(0.5, 0.3, 0.2))
  expect_equal(law_expected(law, c(5, 3, 2)), 10 * c(0.2, 0.1, 0.3) + 0.4 * c(5, 3, 2))
  expect_equal(law$planned, c(population = 2.5, sample = 1.5 * 10 / 9))
  evidence <- new_evidence(law, c(9, 7, 14), 30, 30, 3)
  expect_equal(law_unbiased(law, evidence), (c(9, 7, 14) / 30 - c(0.2, 0.1, 0.3)) / 0.4)
  # Of 30 cards 12 asked for the truth: answers beyond the dictated ones, from 0 to 12.
  expect_equal(binomial_counts(law, evidence), list(counts = c(3, 4, 5), n = 12))
  expect_equal(binomial_counts(law, new_evidence(law, c(3, 1, 26), 30, 30, 3))$counts, c(0, 0, 12))
})

test_that("all blocks must be full for exact numbers, and reports that cards dictated are missed in full ones alone", {
  expect_true(law_gives(law, "exact"))
  expect_true(law_gives(law_with_blocks(law, full), "exact"))
  expect_false(law_gives(law_with_blocks(law, mixed), "exact"))
  expect_identical(law_with_blocks(law, full)$binomial, list(a = 1, b = 0, odds = Inf))
  expect_null(law_with_blocks(law, mixed)$binomial)
  expect_identical(block_people(mixed), c(10, 4))
  # The third full block has 2, 1, 7: none missing; of 1, 0, 9 two are.
  expect_equal(disobedient(law, full), 0)
  expect_equal(disobedient(law, list(counts = cbind(c(1, 0, 9), c(0, 0, 4)))), 2)
  expect_equal(disobedient(law, list(counts = cbind(c(4, 3, 2), c(0, 2, 8), c(0, 0, 4)))), 2)
  expect_equal(disobedient(law, list(counts = cbind(c(1, 0, 9)))), 2)
})

test_that("the variance of one share is its quadratic, of all shares the covariance, at the same blocks", {
  # With the quadratic's own shares the two are one formula but for the factor that makes it unbiased.
  for (blocks in list(full, mixed)) {
    with <- law_with_blocks(law, blocks)
    counts <- rowSums(blocks$counts)
    n <- sum(counts)
    evidence <- new_evidence(with, counts, n, n, 3)
    theta <- law_unbiased(with, evidence)
    V <- unbiased_covariance(with, evidence, 1:3, "population", TRUE)
    people <- colSums(blocks$counts)
    pairs <- sum(0.4 * 0.6 * people * (people - 1) / 9 + 0.16 * people)
    factor <- 1 / (1 - pairs / (0.4 * n)^2)
    for (cells in list(1L, 2L, 3L, c(1L, 3L))) {
      quadratic <- block_quadratic(with, sum(law$beta[cells]), "population")
      t <- sum(theta[cells])
      expect_equal(sum(V[cells, cells]), factor * sum(quadratic * c(1, t, t^2)))
    }
    expect_equal(rowSums(V), numeric(3))
    expect_equal(unbiased_variances(with, evidence, 3:2, "population", TRUE), diag(V)[3:2])
    expect_equal(unbiased_variances(with, evidence, 2L, "population", TRUE), V[2, 2])
    expect_equal(law_null_std_error(with, evidence), sqrt(vapply(law$beta, function(beta) block_quadratic(with, beta, "population")[[1]], 0)))
    # Score limits solve the quadratic.
    for (target in c("population", "sample")) {
      quadratic <- block_quadratic(with, law$beta[1], target)
      limits <- dealt_score(with, evidence, 1L, 0.9, target, 0.01)
      inside <- unlist(limits)[unlist(limits) > 0 & unlist(limits) < 1]
      for (t in inside) expect_equal((theta[1] + 0.01 - t)^2, stats::qnorm(0.95)^2 * sum(quadratic * c(1, t, t^2)))
    }
  }
})

test_that("exact limits are Clopper and Pearson's of the cards that asked, and of one block all truths that are likely enough", {
  with <- law_with_blocks(law, full)
  limits <- exact_dealt(with, c(1L, 2L), 0.9, "population")
  # Reports of the first two are 7 + ... of which 9 were dictated in three blocks, of 12 cards for the truth.
  n_truthful <- sum(full$counts[1:2, ]) - 9
  expect_equal(unlist(limits, use.names = FALSE), as.vector(stats::binom.test(n_truthful, 12, conf.level = 0.9)$conf.int))
  expect_equal(exact_dealt(with, c(1L, 2L), 0.9, "sample"), limits)
  one <- law_with_blocks(law, list(counts = cbind(c(4, 2, 4)), label = 1))
  tails <- vapply(0:10, function(held) {
    p <- stats::dhyper(0:4, held, 10 - held, 4)
    min(sum(p[1:3]), sum(p[3:5]))
  }, 0)
  expect_equal(unlist(exact_dealt(one, 1L, 0.9, "sample"), use.names = FALSE), range((0:10)[tails > 0.05]) / 10)
  expect_equal(unlist(exact_dealt(one, 1L, 0.8, "sample"), use.names = FALSE), range((0:10)[tails > 0.1]) / 10)
  expect_equal(unlist(exact_dealt(one, 1L, 0.9, "population"), use.names = FALSE), as.vector(stats::binom.test(2, 4, conf.level = 0.9)$conf.int))
  expect_error(exact_dealt(law_with_blocks(law, mixed), 1L, 0.9, "population"), class = "candor_error_law")
})

test_that("limits for the people asked are half a report wider, and those while looking are of the cards that asked", {
  with <- law_with_blocks(law, full)
  evidence <- new_evidence(with, rowSums(full$counts), 30, 30, 3)
  # Half of one of 30 reports, a truth of which is reported by 0.4.
  half <- 1 / 24
  shifted <- lapply(c(-half, half), function(shift) dealt_score(with, evidence, 1:2, 0.9, "sample", shift))
  expect_equal(dealt_interval(with, evidence, 1:2, "wilson", 0.9, "sample"), list(low = shifted[[1]]$low, high = shifted[[2]]$high))
  expect_equal(dealt_interval(with, evidence, 1:2, "wilson", 0.9, "population"), dealt_score(with, evidence, 1:2, 0.9, "population"))
  # 16 of 30 reports are of the first two answers, 9 of them dictated: 7 of 12.
  expect_equal(dealt_interval(with, evidence, 1:2, "anytime", 0.9, "population"), anytime_interval(7 / 12, 12, 0.9))
})

test_that("groups that share a block have the covariance of cards drawn without replacement, others none", {
  counts <- list(cbind(c(2, 1, 3), c(1, 1, 2)), cbind(c(4, 2, 4)), cbind(c(2, 0, 1)))
  labels <- list(c(1, 2), 3, 2)
  tally <- list(blocks = Map(function(counts, label) list(counts = counts, label = label), counts, labels),
                counts = vapply(counts, rowSums, numeric(3)), n = c(10, 10, 3))
  beta <- c(0.2, 0.1, 0.3)
  p <- c(beta, 0.4)
  cards <- -(diag(p) - tcrossprod(p)) / 9
  # The shared block has 4 people of the first group and 3 of the third: 12 pairs of cards, each a dictated answer or the truth.
  expected <- function(first, third, factor) {
    factor * 12 * cbind(diag(3), first) %*% cards %*% rbind(diag(3), third) / (10 * 3 * 0.4^2)
  }
  quadratic <- 0.6 / (0.4 * 9)
  truths <- list(population = list((c(3, 2, 5) / 10 - beta) / 0.4, (c(2, 0, 1) / 3 - beta) / 0.4, 1 / (1 - quadratic * 12 / 30)),
                 sample = list((c(1, 1, 2) / 4 - beta) / 0.4, (c(2, 0, 1) / 3 - beta) / 0.4, 1 / (1 - quadratic)))
  for (target in names(truths)) {
    V <- law_group_covariance(law, tally, target)
    expect_equal(V[1:3, 7:9], do.call(expected, truths[[target]]))
    expect_equal(V, t(V))
    expect_identical(range(V[1:6, 1:6], V[4:9, 4:9]), c(0, 0))
  }
  tally$blocks[[3]]$label <- 4
  expect_null(law_group_covariance(law, tally, "population"))
})

test_that("covariances of estimates are unbiased over all deals of the cards, for the people asked and for a population", {
  law <- new_law_dealt(c(1, 1, 0), 5)
  # The counts of the reports of a block under all deals of two dictated answers and three cards for the truth.
  dealt <- function(truths) {
    hands <- as.matrix(expand.grid(rep(list(1:5), length(truths))))
    hands <- hands[!apply(hands, 1, anyDuplicated), , drop = FALSE]
    cards <- matrix(c(1, 2, 0, 0, 0)[hands], nrow(hands))
    t(apply(cards, 1, function(card) tabulate(ifelse(card == 0, truths, card), 3)))
  }
  distribution <- function(counts, prob) {
    key <- drop(counts %*% c(1, 10, 100))
    first <- !duplicated(key)
    list(counts = counts[first, , drop = FALSE], prob = as.vector(rowsum(prob, match(key, key[first]))))
  }
  expect_unbiased <- function(blocks, target) {
    mean <- second <- estimated <- 0
    for (i in seq_along(blocks[[1]]$prob)) for (j in seq_along(blocks[[2]]$prob)) {
      counts <- cbind(blocks[[1]]$counts[i, ], blocks[[2]]$counts[j, ])
      with <- law_with_blocks(law, list(counts = counts, label = 1:2))
      evidence <- new_evidence(with, rowSums(counts), sum(counts), sum(counts), 3)
      theta <- law_unbiased(with, evidence)
      prob <- blocks[[1]]$prob[i] * blocks[[2]]$prob[j]
      mean <- mean + prob * theta
      second <- second + prob * tcrossprod(theta)
      estimated <- estimated + prob * unbiased_covariance(with, evidence, 1:3, target, TRUE)
    }
    expect_equal(estimated, second - tcrossprod(mean))
    mean
  }
  asked <- lapply(list(c(1, 2, 3, 3, 3), c(1, 3, 2)), function(truths) {
    counts <- dealt(truths)
    distribution(counts, rep(1 / nrow(counts), nrow(counts)))
  })
  expect_equal(expect_unbiased(asked, "sample"), c(2, 2, 4) / 8)
  theta <- c(0.2, 0.3, 0.5)
  drawn <- lapply(2:3, function(people) {
    truths <- as.matrix(expand.grid(rep(list(1:3), people)))
    counts <- apply(truths, 1, dealt, simplify = FALSE)
    distribution(do.call(rbind, counts), rep(apply(truths, 1, function(x) prod(theta[x])), each = nrow(counts[[1]])) / nrow(counts[[1]]))
  })
  expect_equal(expect_unbiased(drawn, "population"), theta)
})

test_that("the exact limits of one block have half of the error in each tail", {
  deck <- law_with_blocks(new_law_dealt(c(6, 9), 60), list(counts = cbind(c(25, 35)), label = 1))
  # 25 - 6 of 45 cards for the truth say the first answer.
  for (level in c(0.8, 0.9, 0.95, 0.99)) {
    likely <- Filter(function(held) {
      p <- stats::dhyper(0:45, held, 60 - held, 45)
      min(sum(p[1:20]), sum(p[20:46])) > (1 - level) / 2
    }, 0:60)
    expect_equal(unlist(exact_dealt(deck, 1L, level, "sample"), use.names = FALSE), range(likely) / 60)
  }
})

test_that("each two groups that share a block have a covariance, the first two too", {
  block <- function(label) list(counts = cbind(c(1, 1, 2)), label = label)
  covariance <- function(labels) {
    tally <- list(blocks = lapply(labels, block), counts = matrix(c(1, 1, 2), 3, length(labels)), n = rep(4, length(labels)))
    law_group_covariance(law, tally, "population")
  }
  two <- covariance(c(1, 1))
  expect_true(all(diag(two[1:3, 4:6]) != 0))
  expect_identical(covariance(c(1, 1, 2))[1:6, 1:6], two)
  expect_identical(covariance(c(2, 1, 1))[4:9, 4:9], two)
})
