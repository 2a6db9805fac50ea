# The law of answers dealt without replacement is in inst/mathematics/dealt.md. A report says what a
# card dictates, or the truth. Cards of one block depend on each other, so variances need the people
# and reports of each block.
#
# `law$blocks` are the blocks of a group, as tally_law() has them; a mechanism's own law has none:
# NULL.

new_law_dealt <- function(forced, cards) {
  rho <- 1 - sum(forced) / cards
  new_rr_law(
    "dealt",
    "the cards of a block depend on each other",
    truths = length(forced),
    cards = cards,
    truth = rho,
    forced = forced,
    beta = forced / cards,
    adds_up = TRUE,
    gives = c("inverse", "scores"),
    probabilities = list(
      `P(report = truth)      ` = rho + forced / cards,
      `P(any one other)       ` = forced / cards
    ),
    planned = c(
      population = 1 / rho, sample = (1 - rho) / rho * cards / (cards - 1)
    )
  )
}

# The law of a group with its blocks. If all are full, the answers by the cards that asked for the
# truth are binomial.
law_with_blocks <- function(law, blocks) {
  law$blocks <- blocks
  if (law_gives(law, "exact")) {
    law$binomial <- list(a = 1, b = 0, odds = Inf)
  }
  law
}

block_people <- function(blocks) drop(rep(1, nrow(blocks$counts)) %*% blocks$counts)

# How many reports of full blocks are missing from those that cards dictated.
disobedient <- function(law, blocks) {
  full <- block_people(blocks) == law$cards
  sum(pmax(law$forced - blocks$counts[, full], 0))
}

# Full blocks have binomial numbers of true answers.
law_meets.rr_law_dealt <- function(law, need) {
  if (need != "exact") return(FALSE)
  is.null(law$blocks) || all(block_people(law$blocks) == law$cards)
}

law_expected.rr_law_dealt <- function(law, theta) law$beta * sum(theta) + law$truth * theta

# The answers that no card dictated: in full blocks exactly the reports of `n` cards that asked for
# the truth.
binomial_counts.rr_law_dealt <- function(law, evidence) {
  n <- law$truth * evidence$n
  list(
    counts = clamp(evidence$counts - law$beta * evidence$n, 0, n),
    n = n
  )
}

supporting_counts.rr_law_dealt <- function(law, evidence) binomial_counts(law, evidence)

law_unbiased.rr_law_dealt <- function(law, evidence) {
  (evidence$counts / evidence$n - law$beta) / law$truth
}

law_null_std_error.rr_law_dealt <- function(law, evidence) {
  vapply(
    law$beta, function(beta) sqrt(block_quadratic(law, beta, "population")[[1]]),
    0
  )
}

# ---- variances ----

# The covariance of the reports T of blocks. Cards that are drawn without replacement are correlated
# by -1 / (cards - 1). If `people` of a block hold the categories y times, T has the covariance
#    c (people (diag(beta) - beta beta') - rho (beta y' + y beta'))
#      + rho (1 - rho) (cards diag(y) - y y') / (cards - 1)
#    c = (cards - people) / (cards - 1)
# Estimates are T / rho over all people.
deck_covariance <- function(law, left, y, diagonal, square) {
  beta <- law$beta
  left * (diag(beta) - outer(beta, beta)) -
    law$truth * (outer(beta, y) + outer(y, beta)) +
    diag(diagonal) - square
}

# The expectation of a quadratic at the estimated shares is the one at the true shares and its last
# term times the variance: `factor` makes it unbiased.
unbiased_covariance.rr_law_dealt <- function(law, evidence, cells, target, unbiased) {
  blocks <- law$blocks$counts
  people <- colSums(blocks)
  b <- law$cards
  rho <- law$truth
  scale <- (rho * sum(people))^2
  left <- (b - people) / (b - 1)
  if (target == "sample" && !one_truth_card(law)) {
    truths <- (blocks - outer(law$beta, people)) / rho
    card_variance <- rho * (1 - rho) / (b - 1)
    covariance <- deck_covariance(
      law, sum(left * people), drop(truths %*% left),
      card_variance * b * rowSums(truths), card_variance * tcrossprod(truths)
    )
    factor <- rho * (b - 1) / (rho * b - 1)
  } else {
    theta <- law_unbiased(law, evidence)
    pairs <- sum(
      rho * (1 - rho) * people * (people - 1) / (b - 1) +
        rho^2 * people
    )
    covariance <- deck_covariance(
      law, sum(left * people), sum(left * people) * theta,
      rho * sum(people) * theta, pairs * outer(theta, theta)
    )
    factor <- 1 / (1 - pairs / scale)
  }
  (factor * covariance / scale)[cells, cells, drop = FALSE]
}

unbiased_variances.rr_law_dealt <- function(law, evidence, cells, target, unbiased) {
  unbiased_variances.rr_law_internal(law, evidence, cells, target, unbiased)
}

# One card that asks for the truth says nothing of the spread of the truths in its block.
one_truth_card <- function(law) {
  one <- law$cards - sum(law$forced) == 1
  if (one) {
    cli::cli_inform("One card a block for the truth: standard errors are those of the population.",
                    class = "candor_message_target")
  }
  one
}

# Groups that share blocks: the same correlation of cards between their people, as a square of all
# estimates.
law_group_covariance.rr_law_dealt <- function(law, tally, target) {
  labels <- lapply(tally$blocks, `[[`, "label")
  if (!anyDuplicated(unlist(labels))) return(NULL)
  k <- law$truths
  covariance <- matrix(0, k * length(labels), k * length(labels))
  for (h in seq_along(labels)[-1]) {
    for (g in seq_len(h - 1L)) {
      shared <- intersect(labels[[g]], labels[[h]])
      if (!length(shared)) next
      of <- function(group) {
        tally$blocks[[group]]$counts[
          , match(shared, labels[[group]]), drop = FALSE
        ]
      }
      size <- tally$n[c(g, h)]
      theta <- lapply(c(g, h), function(group) {
        (tally$counts[, group] / tally$n[group] - law$beta) / law$truth
      })
      between <- groups_between(law, of(g), of(h), theta, size, target)
      index <- lapply(c(g, h), function(group) {
        (group - 1L) * k + seq_len(k)
      })
      covariance[index[[1]], index[[2]]] <- between
      covariance[index[[2]], index[[1]]] <- t(between)
    }
  }
  covariance
}

groups_between <- function(law, first, second, theta, size, target) {
  rho <- law$truth
  beta <- law$beta
  people <- list(colSums(first), colSums(second))
  n_pairs <- sum(people[[1]] * people[[2]])
  quadratic <- (1 - rho) / (rho * (law$cards - 1))
  if (target == "sample" && !one_truth_card(law)) {
    first_truths <- (first - outer(beta, people[[1]])) / rho
    second_truths <- (second - outer(beta, people[[2]])) / rho
    factor <- 1 / (1 - quadratic)
  } else {
    first_truths <- outer(theta[[1]], people[[1]])
    second_truths <- outer(theta[[2]], people[[2]])
    factor <- 1 / (1 - quadratic * n_pairs / prod(size))
  }
  pairs <- n_pairs * (diag(beta) - outer(beta, beta)) +
    rho * (1 - rho) * tcrossprod(first_truths, second_truths) - rho * (outer(
      beta, drop(second_truths %*% people[[1]])
    ) + outer(drop(first_truths %*% people[[2]]), beta))
  -factor * pairs / ((law$cards - 1) * rho^2 * prod(size))
}

# ---- intervals ----

# The coefficients (constant, linear, square) of the variance of a share t as a quadratic in t.
# `beta` is the share of the cards that dictate its categories. For fixed truths the same share is
# assumed in every block: if blocks differ, the variance is too large.
block_quadratic <- function(law, beta, target) {
  people <- block_people(law$blocks)
  b <- law$cards
  rho <- law$truth
  left <- (b - people) / (b - 1)
  card_variance <- rho * (1 - rho) / (b - 1)
  sample <- target == "sample"
  linear <- if (sample) card_variance * b else rho
  square <- if (sample) card_variance * people else card_variance * (people - 1) + rho^2
  colSums(
    people * cbind(
      left * beta * (1 - beta), linear - 2 * left * rho * beta, -square
    )
  ) / (rho * sum(people))^2
}

law_intervals.rr_law_dealt <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  cell_interval <- function(cell) {
    unlist(dealt_interval(law, evidence, cell, interval, conf.level, target))
  }
  bounds <- vapply(cells, cell_interval, numeric(2))
  list(low = bounds[1, ], high = bounds[2, ])
}

law_share_interval.rr_law_dealt <- function(
  law, evidence, cells, share, interval, conf.level, target
) {
  dealt_interval(law, evidence, cells, interval, conf.level, target)
}

# The interval of the share of several categories together, which are one answer of a deck of yes
# and no.
dealt_interval <- function(law, evidence, cells, interval, conf.level, target) {
  if (interval == "exact") return(exact_dealt(law, cells, conf.level, target))
  if (interval == "anytime") {
    binomial <- binomial_counts(law, evidence)
    return(anytime_interval(
      sum(binomial$counts[cells]) / binomial$n, binomial$n, conf.level
    ))
  }
  if (target == "population") return(dealt_score(law, evidence, cells, conf.level, target))
  # Half a report of distance less: with 20 of 25 cards for the truth one true yes goes unreported
  # in a fifth of the surveys, and the limit without this correction excludes it.
  half_report <- 1 / (2 * law$truth * evidence$n)
  list(
    low = dealt_score(law, evidence, cells, conf.level, target, -half_report)$low,
    high = dealt_score(law, evidence, cells, conf.level, target, half_report)$high
  )
}

# The score interval of the estimate, moved by `shift`.
dealt_score <- function(law, evidence, cells, conf.level, target, shift = 0) {
  variance <- block_quadratic(law, sum(law$beta[cells]), target)
  n <- -1 / variance[[3]]
  estimate <- sum(law_unbiased(law, evidence)[cells]) + shift
  moment_intervals(
    estimate, n * (variance[[1]] + variance[[2]]),
    n * variance[[1]], n, conf.level, "population"
  )
}

# Clopper and Pearson's interval for the cards that ask for the truth, if blocks are full. For the
# truths of one block it holds every number of true answers whose tails are both large enough.
exact_dealt <- function(law, cells, conf.level, target) {
  if (!law_gives(law, "exact")) refuse_law(law, "exact", "{.arg interval} {.val exact}")
  blocks <- ncol(law$blocks$counts)
  truth_cards <- law$cards - sum(law$forced)
  n_truthful <- clamp(
    sum(law$blocks$counts[cells, ]) -
      blocks * sum(law$forced[cells]),
    0, blocks * truth_cards
  )
  if (target == "population" || blocks > 1) {
    return(exact_interval(n_truthful / (blocks * truth_cards), blocks * truth_cards, conf.level))
  }
  holders <- 0:law$cards
  up <- phyper(n_truthful - 1, holders, law$cards - holders, truth_cards, lower.tail = FALSE)
  down <- phyper(n_truthful, holders, law$cards - holders, truth_cards)
  as.list(
    setNames(
      range(holders[pmin(up, down) > (1 - conf.level) / 2]) /
        law$cards,
      c("low", "high")
    )
  )
}
