#' Hierarchical intervals for ranges, cumulative shares and quantiles
#'
#' The ordered levels are the leaves of a tree in which each node has `fanout` children. Each respondent draws a depth of the tree, uniformly, and
#' reports the node of that depth to which their level belongs, randomized with the whole `epsilon`. A range of many levels is a sum of few
#' nodes, so that its error is smaller than for a sum of many levels.
#'
#' The estimates of a node from its own depth and from its descendants are combined by generalized least squares, in two passes up and down the tree.
#' The result is unbiased, the shares of all levels add up to 1, and the share of a range is the sum over its levels. Estimates may be negative;
#' `method = "norm_sub"` and others make them a distribution.
#'
#' `method = "mle"` maximizes the likelihood of the reports, summed over the depths, over all distributions of the levels, see [likelihood_solver]. Its shares
#' are never negative. For an `oracle` whose reports support sets or are bits ([rr_unary()], [rr_local_hash()], [rr_subset()], [rr_bloom()],
#' [rr_bitflip()]) it needs `rr_tally(keep = "sets")` and a table of different reports by levels, up to 2 GB. It has standard errors for up to 1,000
#' levels that are not held at 0. With many levels its intervals by `interval = "wald"` are much shorter than the default ones.
#'
#' Standard errors treat the depths as independent samples. With `target = "sample"` the estimate is about all respondents; the depth that each of them
#' drew is random too.
#'
#' @param levels Labels of the ordered levels, or their number.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param fanout Whole number, 2 to the number of levels; default 4. Number of children of a node. Choose it such that one of its powers is just above
#'   the number of levels, for example 3 or 9 for 80 levels. `rr_recommend(question = "ranges")` names the best.
#' @param oracle The frequency oracle for the nodes: a function of `levels` and `epsilon`, such as [rr_hadamard()] (default, short reports), [rr_grr()],
#'   [rr_unary()], [rr_local_hash()] or [rr_subset()] (smallest variance). Or a list with a mechanism for each depth.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_hierarchy", "rr_sampled", "rr_mechanism")` with `height` (number of depths), `nodes` (their number at each depth)
#'   and `parts` (the mechanisms of the depths). [rr_perturb()] returns a tibble with `depth` (text, from 1 below the root) and `report`, see
#'   [`rr_product(asked = 1)`][rr_product]. [rr_estimate()] returns the shares of the levels, by default with `method = "inv"`.
#' @section Errors:
#' * `candor_error_argument`: numbers out of range; an `oracle` without an unbiased estimate, or with a permanent answer.
#' * `candor_error_empty`: a depth that nobody drew.
#' * `candor_error_too_large`: a table of `method = "mle"` above 2 GB.
#' @references Cormode, G., Kulkarni, T. and Srivastava, D. (2019). Answering range queries under local differential privacy. *Proceedings of the VLDB Endowment*
#'   12(10), 1126-1138. \doi{10.14778/3339490.3339496}
#'
#'   Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially private histograms through consistency. *Proceedings of the VLDB
#'   Endowment* 3(1), 1021-1032. \doi{10.14778/1920841.1920970}, arXiv:0904.0942 (the two passes)
#' @seealso [rr_contrast()] for ranges, [rr_quantile()] for quantiles of the fit; [rr_square_wave()] for whole distributions; [rr_mean()].
#' @concept range queries
#' @concept quantiles
#' @concept ordinal answers
#' @examples
#' # How many of 20,000 people are under 50, and what is the median age?
#' ages <- rr_hierarchy(0:99, epsilon = 1)
#' set.seed(1)
#' truth <- pmin(rbinom(20000, 99, 0.4) + rbinom(20000, 20, 0.5), 99)
#' reports <- rr_perturb(truth, ages, rng = "R")
#' fit <- rr_estimate(reports, ages)
#' ranges <- list("under 50" = as.character(0:49),
#'                "50 to 64" = as.character(50:64))
#' rr_contrast(fit, ranges)   # 46% (38% to 54%)
#' rr_quantile(fit, c(0.25, 0.5, 0.75))   # median 50
#' @export
rr_hierarchy <- function(levels, epsilon, fanout = NULL, oracle = rr_hadamard, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  fanout <- check_count(fanout %||% min(4, k), "fanout", min = 2, max = k)
  height <- 1
  while (fanout^height < k) height <- height + 1
  nodes <- ceiling(k / fanout^(height - seq_len(height)))
  oracles <- if (is.function(oracle)) {
    lapply(nodes, function(n_nodes) oracle(n_nodes, epsilon = epsilon))
  } else {
    oracle
  }
  check_that(is.list(oracles) && length(oracles) == height, oracle, "oracle",
             "a function that makes a mechanism, or a list of a mechanism for each depth")
  Map(check_oracle, oracles, nodes, epsilon)
  mechanism <- new_rr_sampled(
    "hierarchy", levels$labels, setNames(oracles, seq_len(height)), "depth",
    sprintf("Hierarchy of fanout %s and %s", format_count(fanout), number_of(height, "depth")),
    numeric_truths = levels$numeric, fanout = fanout, height = height, nodes = nodes
  )
  # The ranges of a hierarchy only make sense if levels have an order.
  with_recipe(
    with_order(mechanism, list(ordered = TRUE)), "rr_hierarchy", epsilon = epsilon, fanout = fanout,
    fields = c("levels", oracle = "parts")
  )
}

# An error if the mechanism of a depth cannot be used for its nodes and epsilon.
check_oracle <- function(mechanism, n_nodes, epsilon) {
  has_nodes <- inherits(mechanism, "rr_mechanism") && length(mechanism$levels) == n_nodes
  check_that(has_nodes, mechanism, "oracle", "a maker of mechanisms with one category per node")
  refuse_permanent(mechanism, "oracle")
  law <- rr_law(mechanism)
  check_that(
    law_gives(law, "inverse") && !law_tells_nothing(law), mechanism, "oracle",
    "a maker of mechanisms with an unbiased estimate", c("argument", "law")
  )
  check_that(
    mechanism$epsilon <= epsilon * (1 + 1e-9), mechanism, "oracle",
    "a maker of mechanisms of this {.arg epsilon}"
  )
}

#' @export
rr_law.rr_hierarchy <- function(mechanism, ...) {
  laws <- lapply(mechanism$parts, rr_law)
  # The variance of one report about one node, on average over the nodes, if all levels are equally
  # frequent.
  unit_variance <- function(law, k, oracle) {
    evidence <- new_evidence(
      law,
      law_expected(law, rep(1 / k, k)),
      1,
      1,
      k,
      oracle
    )
    mean(law_variances(law, evidence, identity_map(k, FALSE), seq_len(k), "population"))
  }
  unit <- mapply(unit_variance, laws, mechanism$nodes, mechanism$parts, USE.NAMES = FALSE)
  new_rr_law(
    "hierarchy",
    "a report is about a node of a tree, at a depth that was drawn",
    truths = length(mechanism$levels),
    fanout = mechanism$fanout,
    nodes = mechanism$nodes,
    unit = unit,
    laws = laws,
    mechanisms = mechanism$parts,
    rows = submechanism_rows(mechanism$parts),
    gives = "inverse",
    adds_up = TRUE,
    probabilities = list(`P(report given truth): ` = "see its depths")
  )
}

# ---- respondents: the node of each depth answers a question ----

prepare_answers.rr_hierarchy <- function(mechanism, x) prepare_answers.rr_mechanism(mechanism, x)

draw_reports.rr_hierarchy <- function(mechanism, answers, rng = "secure") {
  n_below <- rev(seq_len(mechanism$height)) - 1
  nodes <- lapply(n_below, function(n) {
    as.integer((answers - 1) %/% mechanism$fanout^n) + 1L
  })
  draw_reports.rr_sampled(mechanism, nodes, rng)
}

client_plan.rr_hierarchy <- function(mechanism) {
  refuse_client(
    mechanism, "The depth that a respondent reports must be drawn before, and stay the same.",
    paste(
      "Draw a depth for each respondent, and give them the client of",
      "{.code mechanism$parts[[depth]]}."
    )
  )
}

decode_answers.rr_hierarchy <- function(mechanism, reports, x) {
  codes <- rep(list(integer(length(reports$drawn))), length(mechanism$parts))
  respondent_table(mechanism, reports, codes)
}

# The bytes of reports for the likelihood: the depth, then what its oracle keeps of a report, see
# depth_laws().
report_sets.rr_hierarchy <- function(mechanism, x) {
  if (!keeps_sets(mechanism)) return(NextMethod())
  read <- read_sampled(x, mechanism, FALSE)
  laws <- lapply(mechanism$parts, rr_law)
  widths <- vapply(
    seq_along(laws),
    function(l) set_bytes(laws[[l]], mechanism$nodes[l]), 0
  )
  bits <- matrix(as.raw(0), nrow(x), 1 + max(widths))
  for (l in seq_along(laws)) {
    rows <- read$rows[[l]]
    bits[rows, 1] <- as.raw(l)
    if (!length(rows) || widths[l] == 0) next
    oracle <- mechanism$parts[[l]]
    depth <- names(mechanism$parts)[l]
    sets <- with_question_errors(
      depth, mechanism, report_sets(oracle, submechanism_reports(read$reports, rows))
    )
    bits[rows, 1 + seq_len(widths[l])] <- sets
  }
  bits
}

size_words.rr_hierarchy <- function(mechanism) {
  paste(format_count(length(mechanism$levels)), "levels")
}
