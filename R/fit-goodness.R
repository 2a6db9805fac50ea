#' Goodness of fit: did respondents follow the instructions?
#'
#' Tests whether the reports can come from any truth under the design. A small p-value means that respondents did not follow the instructions, or that
#' the probabilities of the design are wrong.
#'
#' The statistic is the deviance: twice the difference between the largest log-likelihood without any model and the largest under the design. A question with an
#' invertible matrix can explain all reports, unless a report is rarer or more frequent than the design allows. The best truth is then on the boundary and the
#' deviance is above 0. Pools of several designs ([rr_pool()]) and channels with more reports than truths have degrees of freedom left.
#'
#' Reports within the range of a design carry no information about compliance: the p-values are `NA`, and a message says so. Compliance can be
#' tested by two designs in two samples ([rr_pool()]), by [rr_lie_detector()] and by [rr_anchor()].
#'
#' P-values are simulated, because the chi-squared distribution holds only away from the boundary. With estimates on the boundary the test is conservative in small
#' samples. In simulations the tests of hierarchies (300 and 2,000 respondents) and of regressions (2,000) kept their level; with 400 the level of regressions was slightly too large.
#'
#' @section Hierarchies:
#' Each depth of an [rr_hierarchy()] asks other respondents about the same levels. The test compares the unbiased estimates of the nodes of each depth with the sums
#' of the estimates at the last depth, by their covariance matrix at the fitted truth. If the estimates of a depth need not add up to 1, the test includes that they do.
#' The degrees of freedom are (independent estimates of all depths) - (levels) + 1. The p-value is from the chi-squared distribution, and the fit may be by any method. A small
#' p-value means that a depth was randomized differently than stated.
#'
#' @section Regressions:
#' For a fit of [rr_glm()] the *reports* are compared with their fitted probabilities in groups of about equal size, as by Hosmer and Lemeshow (1980). Pearson's statistic and the deviance of the
#' groups' counts have g - 2 degrees of freedom for g groups. If there are no more different probabilities than groups, each probability is a group, and the degrees of freedom are their number minus the
#' number of coefficients.
#'
#' @param fit A fit of [rr_estimate()] by `"mle"`; a fit of a hierarchy by any method; or a fit of [rr_glm()] without a survey design.
#' @param groups Number of groups of a regression, a whole number of at least 3.
#' @param replications Number of simulated tallies, a whole number of at least 99; default 999. Large pools take minutes: use 100 for 1,000 categories.
#' @param seed A whole number for [set.seed()], after which R's generator is restored; or `NULL` (default) to continue from its present state.
#' @param ... Not used; further arguments give an error.
#' @return A tibble whose `print()` begins with a verdict at level 0.05. For a regression it has the rows `"Pearson"` and `"deviance"` of `test`, and the columns `statistic`, `df` and `p.value`. Otherwise it has one row per group:
#'
#'   * `deviance`: the statistic.
#'   * `df`: independent reports minus identified parameters.
#'   * `p.value`: by simulation; `NA` if nothing can be tested.
#'   * `p.chi2`: by the chi-squared distribution; `NA` without degrees of freedom or on the boundary.
#'   * `replications`: 0 if nothing is simulated.
#' @section Errors:
#' `candor_error_argument`, `candor_error_too_large` (hierarchies of more than 4,096 levels). See [candor_conditions].
#' @references Davison, A. C. and Hinkley, D. V. (1997). *Bootstrap Methods and their Application*. Cambridge University Press, section 4.2.
#'   \doi{10.1017/CBO9780511802843}
#'
#'   Hosmer, D. W. and Lemeshow, S. (1980). Goodness of fit tests for the multiple logistic regression model. *Communications in Statistics* A9(10), 1043-1069.
#'   \doi{10.1080/03610928008827941}
#' @seealso [rr_lie_detector()], [rr_cheater_detection()] and [rr_anchor()] estimate noncompliance, [rr_noncompliance()] assumes it;
#'   `articles/compliance.html` of the site.
#' @concept noncompliance
#' @concept compliance
#' @concept cheating
#' @concept deviance
#' @examples
#' # A die forces "yes" in one of six throws, 116 of 695 on average; 108 said
#' # yes. Did they comply?
#' tally <- rr_counts(c(no = 587, yes = 108), rr_binary(11 / 12, 1 / 6))
#' fit <- rr_estimate(tally)
#' rr_goodness_of_fit(fit, seed = 1)
#' # The p-value is 0.2: so few yes can be chance
#'
#' # Do the depths of a hierarchy agree?
#' mechanism <- rr_hierarchy(16, epsilon = 2, fanout = 4)
#' set.seed(1)
#' reports <- rr_perturb(rbinom(2000, 15, 0.4) + 1, mechanism, rng = "R")
#' rr_goodness_of_fit(rr_estimate(reports, mechanism))
#' # Yes: the p-value is 0.18
#' @export
rr_goodness_of_fit <- function(fit, ...) UseMethod("rr_goodness_of_fit")

#' @rdname rr_goodness_of_fit
#' @export
rr_goodness_of_fit.default <- function(fit, replications = 999, seed = NULL, ...) {
  check_dots_empty(...)
  depths <- inherits(fit, "rr_fit") && identical(fit$mechanism$codec$part, "depth")
  check_that(
    depths || (inherits(fit, "rr_fit") && identical(fit$method, "mle")), fit, "fit",
    "a fit by maximum likelihood, without a survey design"
  )
  refuse_validated(fit$mechanism, "{.fn rr_goodness_of_fit}")
  replications <- check_count(replications, "replications", min = 99, max = 1e6)
  keep_seed(seed)
  groups <- seq_len(NCOL(fit$estimate))
  rows <- lapply(groups, function(g) {
    if (depths) depths_row(fit, g) else goodness_row(fit, g, replications)
  })
  table <- bind_groups(rows, fit$tally$groups)
  if (anyNA(table$p.value)) {
    cli::cli_inform(
      "P-values are NA if the design can explain any such shares: then nothing can be tested.",
      class = "candor_message_untested"
    )
  }
  with_class(table, "rr_goodness")
}

#' @export
print.rr_goodness <- function(x, ...) {
  if (!is.null(x[["p.value"]])) {
    writeLines(paste("<rr_goodness_of_fit>", goodness_verdict(x$p.value)))
  }
  NextMethod()
}

# The verdict by the smallest of the p-values of groups, or of the two tests of a regression.
goodness_verdict <- function(p) {
  p <- p[!is.na(p)]
  if (!length(p)) return("Nothing can be tested.")
  smallest <- min(p.adjust(p, "holm"))
  text <- format.pval(smallest, digits = 2)
  sprintf("%s (p %s%s)", if (smallest < 0.05) "The reports do not fit" else "No misfit was found",
          if (startsWith(text, "<")) text else paste("=", text),
          if (length(p) > 1) sprintf(", adjusted for %d tests", length(p)) else "")
}

goodness_row <- function(fit, g, replications) {
  mechanism <- fit$mechanism
  counts <- group_evidence(fit$tally, g)$counts
  theta <- group_estimate(fit, g)
  fitted <- reported_shares(mechanism, theta)
  blocks <- report_blocks(mechanism)
  deviance <- count_deviance(counts, fitted, blocks)
  df <- free_reports(mechanism)
  inside <- all(theta > 0 & theta < 1)
  if (df == 0 && inside) {
    return(tibble(
      deviance = deviance,
      df = df,
      p.value = NA_real_,
      p.chi2 = NA_real_,
      replications = 0
    ))
  }
  simulated <- simulated_deviances(mechanism, counts, fitted, blocks, replications)
  # Deviances that differ from 0 only by rounding count as ties with 0.
  larger <- sum(simulated >= deviance * (1 - 1e-8) - 1e-8)
  tibble(
    deviance = deviance,
    df = df,
    p.value = (1 + larger) / (1 + replications),
    p.chi2 = if (df > 0 && inside) pchisq(deviance, df, lower.tail = FALSE) else NA_real_,
    replications = replications
  )
}

# The deviances of counts that are drawn from the fitted shares, each with its own fit.
simulated_deviances <- function(mechanism, counts, fitted, blocks, replications) {
  size <- vapply(blocks, function(block) round(sum(counts[block])), 0)
  draws <- matrix(0, length(counts), replications)
  for (b in seq_along(blocks)) {
    share <- pmax(fitted[blocks[[b]]], 0)
    draws[blocks[[b]], ] <- draw_multinomial(
      replications, size[b], share / sum(share)
    )
  }
  apply(draws, 2, function(new) {
    refitted <- estimate_counts(mechanism, new, "mle", sum(size))$estimate
    count_deviance(new, reported_shares(mechanism, refitted), blocks)
  })
}

# ---- hierarchies: do the depths, which are independent samples of the same levels, agree? ----

depths_levels <- 4096

depths_row <- function(fit, g) {
  evidence <- group_evidence(fit$tally, g)
  if (evidence$law$truths > depths_levels) {
    abort("The hierarchy has too many levels.", c("too_large", "argument"))
  }
  test <- depths_test(evidence$law, evidence)
  p <- if (test$df > 0) {
    pchisq(test$statistic, test$df, lower.tail = FALSE)
  } else {
    NA_real_
  }
  tibble(
    deviance = test$statistic,
    df = test$df,
    p.value = if (is.na(p)) 1 else p,
    p.chi2 = p,
    replications = 0
  )
}

# The least sum of squares of the nodes' estimates around those of any levels that add up to 1, by
# the inverse of their covariance: that of the restrictions which levels put on nodes. Estimates
# that add up by themselves leave one node out. Covariances are linear in the shares or nearly so:
# the consistent estimates, also those below 0, make them unbiased. (With shares cut at 0 one of ten
# tallies of 256 levels was rejected at level 0.05.) Should they be those of no distribution, a
# distribution is taken.
depths_test <- function(law, evidence) {
  depths <- depth_evidence(law, evidence)
  nodes <- lapply(depths, function(d) d$unbiased())
  numbers <- vapply(depths, `[[`, 0, "n")
  truth <- consistent_nodes(law, nodes, depth_variances(law, depths))[[length(nodes)]]
  test <- restrictions_test(law, nodes, numbers, truth)
  if (test$df == test$restrictions) return(test)
  restrictions_test(law, nodes, numbers, to_sum_1(pmax(truth, 0)))
}

# The test of these restrictions, with the covariances at the levels' shares `truth`.
restrictions_test <- function(law, nodes, numbers, truth) {
  last <- length(nodes)
  adds_up <- vapply(law$laws, `[[`, NA, "adds_up")
  compared <- lapply(seq_len(last - 1), function(l) {
    seq_len(law$nodes[l] - adds_up[l])
  })
  # The function maps levels to the sums that are compared.
  sums <- function(x) {
    rbind(
      do.call(
        rbind,
        lapply(seq_len(last - 1), function(l) {
          rowsum(x, node_of(law, l))[compared[[l]], , drop = FALSE]
        })
      ),
      if (!adds_up[last]) colSums(x)
    )
  }
  covariances <- lapply(seq_len(last), function(l) {
    depth_covariance(law, l, numbers[l], truth)
  })
  joint <- sums(t(sums(covariances[[last]])))
  expected <- if (!adds_up[last]) 1
  differences <- c(unlist(Map(`[`, nodes[-last], compared)), expected) -
    drop(sums(cbind(nodes[[last]])))
  start <- 0
  for (l in seq_len(last - 1)) {
    index <- start + compared[[l]]
    joint[index, index] <- joint[index, index] +
      covariances[[l]][compared[[l]], compared[[l]]]
    start <- start + length(compared[[l]])
  }
  c(scaled_squares(differences, joint), restrictions = length(differences))
}

# The covariance of the unbiased estimates of the nodes of a depth.
depth_covariance <- function(law, l, n, truth) {
  depth_law <- law$laws[[l]]
  k <- law$nodes[l]
  shares <- as.vector(rowsum(truth, node_of(law, l), reorder = FALSE))
  fitted <- new_evidence(
    depth_law,
    pmax(law_expected(depth_law, shares), 0) * n,
    n,
    n,
    k,
    law$mechanisms[[l]]
  )
  law_covariance(depth_law, fitted, identity_map(k, FALSE), seq_len(k), "population")
}

# x' C^-1 x and the rank of C: what has no variance, and what others determine, is left out.
scaled_squares <- function(x, covariance) {
  if (!length(x)) return(list(statistic = 0, df = 0))
  scale <- sqrt(pmax(diag(covariance), .Machine$double.xmin))
  root <- suppressWarnings(chol(covariance / outer(scale, scale), pivot = TRUE, tol = 1e-9))
  index <- seq_len(attr(root, "rank"))
  z <- backsolve(
    root[index, index, drop = FALSE],
    (x / scale)[attr(root, "pivot")[index]], transpose = TRUE
  )
  list(statistic = sum(z^2), df = as.double(length(index)))
}

# The test that doubts the design by the reports of a group: "deviance", about which
# rr_goodness_of_fit() says more, "counts", or "" for none. `truth` is what was estimated, `alpha`
# is the group's share of the false alarms.
fit_doubt <- function(fit, truth, evidence, alpha) {
  if (has_few_distinct(fit$tally)) return("counts")
  if (makes_counts(evidence, truth)) return("")
  if (is_contradicted(fit, truth, evidence, alpha)) return("deviance")
  if (law_unlikely(evidence$law, evidence, alpha)) "counts" else ""
}

# Does this truth make nearly these counts, so that neither test can doubt them? Pearson's statistic
# is cheaper than the tests. The deviance is at most twice as large, 8, where a tail of 0.001 begins
# at 9.5; and a count at 2 standard deviations has a tail above 0.006.
makes_counts <- function(evidence, truth) {
  law <- evidence$law
  if (evidence$k > tested_reports || !law_gives(law, "additive")) return(FALSE)
  if (min(truth) < 0 || max(truth) > 1) return(FALSE)
  fitted <- evidence$n * (law$b + law$a * truth)
  isTRUE(sum((evidence$counts - fitted)^2 / fitted) <= 4)
}

# So many reports are compared with their fitted numbers all together.
tested_reports <- 40

# Do the reports of a group lie far from all that the design could give? The likeliest truth
# decides, whatever the method; where another one has no estimate below 0, its truth fits as well.
# Clusters and strata of a survey change nothing: given the truths in the sample, answers are
# randomized each for itself.
is_contradicted <- function(fit, truth, evidence, alpha) {
  reports <- length(fit$mechanism$reports)
  # Reports beyond a channel that was measured may be the error of the study.
  if (is_validated(fit$mechanism)) return(FALSE)
  likeliest <- fit$method == "mle"
  if (!likeliest && !(fit$estimator$unbiased && any(truth < 0))) {
    return(FALSE)
  }
  if (reports > tested_reports || !law_gives(evidence$law, "channel")) return(FALSE)
  if (!likeliest) {
    truth <- estimate_counts(fit$mechanism, evidence$counts, "mle", evidence$n)$estimate
  }
  counts_contradict(
    fit$mechanism, evidence$counts, law_expected(evidence$law, truth), alpha, evidence$law
  )
}

# The same for plain counts of one question, or of each question of several; `alpha` is for all of
# them.
reports_contradict <- function(mechanism, counts, alpha = false_alarm) {
  questions <- mechanism$questions
  if (!is.null(questions)) {
    table <- array(counts, mechanism$report_sizes)
    return(any(
      vapply(
        seq_along(questions),
        function(q) {
          reports_contradict(
            questions[[q]], as.vector(apply(table, q, sum)), alpha / length(questions)
          )
        },
        NA
      )
    ))
  }
  reports <- length(mechanism$reports)
  if (reports > tested_reports || !has_categories(mechanism)) return(FALSE)
  truth <- estimate_counts(mechanism, counts, "mle", tally_sums(counts))$estimate
  counts_contradict(mechanism, counts, reported_shares(mechanism, truth), alpha)
}

# Are the counts unlikely even under the likeliest truth? `fitted` are the shares of the reports
# there.
counts_contradict <- function(mechanism, counts, fitted, alpha, law = rr_law(mechanism)) {
  blocks <- report_blocks(mechanism)
  if (length(counts) == 2L && length(blocks) == 1L) {
    yes <- range(law_matrix(law, length(mechanism$levels))[, 2])
    return(beyond_range(
      counts[2], tally_sums(counts), yes[1], yes[2], alpha
    ))
  }
  df <- length(counts) - length(blocks)
  deviance <- count_deviance(counts, fitted, blocks)
  # The mixture holds in large samples: 20 respondents doubt a design twice as often.
  if (tally_sums(counts) < 100) return(pchisq(deviance, df, lower.tail = FALSE) < alpha)
  deviance_tail(deviance, df) < alpha
}

# The deviance of a truth that is known to lie in a cone has a mixture of chi-squared distributions
# with up to `df` degrees of freedom. The weights of even and of odd degrees add up to 1/2 each, so
# that its tail is at most half of the two largest (Shapiro 1988, International Statistical Review
# 56, 49-62).
deviance_tail <- function(deviance, df) {
  (pchisq(deviance, df, lower.tail = FALSE) +
    pchisq(deviance, df - 1, lower.tail = FALSE)) / 2
}

# One count against the binomials of all probabilities from `low` to `high`, of which one end is the
# nearest. Beyond each end a tail is doubted; the other tail is counted in where the ends are near
# each other.
beyond_range <- function(count, n, low, high, alpha) {
  size <- round(n)
  below <- pbinom(ceiling(count), size, low) +
    pbinom(floor(size * high), size, low, lower.tail = FALSE)
  above <- pbinom(floor(count) - 1, size, high, lower.tail = FALSE) +
    pbinom(ceiling(size * low) - 1, size, high)
  (count < n * low && below < alpha) || (count > n * high && above < alpha)
}

# Reports of one design of a pool; all of another mechanism.
report_blocks <- function(mechanism) {
  if (is.null(mechanism$designs)) return(list(seq_along(mechanism$reports)))
  sizes <- vapply(mechanism$designs, function(design) length(design$reports), 0L)
  unname(split(seq_len(sum(sizes)), rep(seq_along(sizes), sizes)))
}

count_deviance <- function(counts, fitted, blocks) {
  max(0, sum(vapply(blocks, function(block) {
    n <- counts[block]
    expected <- fitted[block] / sum(fitted[block]) * sum(n)
    2 * sum((n * log(n / expected))[n > 0])
  }, 0)))
}

# Independent reports less the parameters that they identify.
free_reports <- function(mechanism) {
  k <- length(mechanism$levels)
  reports <- length(mechanism$reports)
  blocks <- length(report_blocks(mechanism))
  full <- law_gives(rr_law(mechanism), "additive") || k > 1000
  max(
    0,
    reports - blocks -
      if (full) k - 1 else qr(rr_matrix(mechanism), tol = 1e-11)$rank - 1
  )
}

# Some clients give themselves away by what they never send: local hashing with one function for
# all, and amounts that were not randomized, or cut to the range of answers, for a mean. Their
# tallies have a number, `witness`, that is large in honest ones: of different functions, and of
# reports outside of the range. Merged tallies have the sum, and some groups the number of all: no
# less than their own.
has_few_distinct <- function(tally) {
  if (is.null(tally$witness)) return(FALSE)
  n <- sum(respondent_counts(tally))
  witness_chance(tally$mechanism, tally$witness, n) < log(1e-6)
}

# The logarithm of what the chance of so few among n reports is at most, whatever the truths.
witness_chance <- function(mechanism, witness, n) UseMethod("witness_chance")
