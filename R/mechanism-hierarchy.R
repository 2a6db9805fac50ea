#' A hierarchy of ordered levels, for ranges, cumulative shares and quantiles
#'
#' The levels are the leaves of a tree in which each node has `fanout` children. Each respondent draws a depth of the tree, uniformly, and reports the node of that
#' depth to which their level belongs, randomised with the whole `epsilon`. A range of many levels is then a sum of few nodes, and its error is smaller than with a sum of
#' many levels: at 256 levels and `fanout = 4` the variance of the share of a range, on average over all ranges, is less than a third of that without a tree.
#'
#' The estimates of a node from its own depth and from its descendants are put together by generalised least squares, the tree's root being 1: by two passes, up and down the
#' tree, with weights of inverse variance. The result is unbiased, the shares of all levels add up to 1, and every range is estimated
#' by the sum of its levels. Like all unbiased estimates it may be negative; `method = "norm_sub"` and others make it a distribution.
#'
#' `method = "mle"` maximises the likelihood of the reports: the sum over the depths of the likelihood that the depth's oracle has for the sums of the levels' shares over
#' nodes, over all distributions of the levels, with the certificate of [rr_solver]. Its shares are never negative, and it uses what consistency alone does not, that no node is. For
#' `oracle`s whose reports support sets or are bits ([rr_unary()], [rr_local_hash()], [rr_subset()], [rr_bloom()], [rr_bitflip()]) it needs the reports: `rr_tally(keep = "sets")`. It works
#' on a table of different reports by levels, up to 2 GB, with standard errors for up to 1,000 levels that are not held at 0; larger ones are refused. Its intervals are by default those of the unbiased estimate, as elsewhere; with many levels
#' those of `interval = "wald"`, from the information, are much shorter.
#'
#' Standard errors treat the depths as independent samples, with the covariances of the `oracle`. With `target = "sample"` the estimate is about all respondents, not only about those who
#' drew one depth: which depth they drew is random too.
#'
#' @param levels The ordered levels: labels, or their number.
#' @param epsilon The privacy level, from 1e-12 to 700, in natural logarithms.
#' @param fanout Number of children of a node, a whole number from 2 to the number of levels, by default 4, or all of fewer levels. The last node of a depth may have fewer. The best numbers have
#'   a power just above the number of levels: for 80 levels 3 or 9, whose variance is a sixth less than that of 4 on average over all ranges, for 256 levels 4. `rr_recommend(question = "ranges")` names one.
#' @param oracle A function of `levels` and `epsilon` that makes the mechanism by which nodes are reported (or a list of these mechanisms, one for each depth): [rr_hadamard()], [rr_grr()], [rr_unary()],
#'   [rr_local_hash()], [rr_subset()]. The default has short reports; the variance of a range is smaller with [rr_subset()], for 80 levels by a tenth at epsilon 0.5 and by two fifths at 2.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_hierarchy", "rr_sampled", "rr_mechanism")`, with `height` (number of depths), `nodes` (their number at each depth) and `parts`, the
#'   mechanisms of the depths. [rr_perturb()] returns a tibble with `depth` (as text, from 1 below the root) and `report`; as for [rr_sample_questions()]. [rr_estimate()]
#'   returns the shares of the levels, by default with `method = "inv"`. [rr_contrast()] adds them up to ranges, also cumulative ones, [rr_quantile()] reads the fit.
#' @section Errors:
#' `candor_error_argument` for numbers out of range and for an `oracle` that makes no mechanism of the nodes, one without an unbiased estimate, or one with a permanent
#' answer ([rr_longitudinal()]), which would be drawn anew for each report;
#' `candor_error_empty` where nobody drew some depth; `candor_error_too_large` where the table of `method = "mle"` would take more than 2 GB.
#' @references Cormode, G., Kulkarni, T. and Srivastava, D. (2019). Answering range queries under local differential privacy. *Proceedings of the VLDB Endowment*
#'   12(10), 1126-1138. \doi{10.14778/3339490.3339496}
#'
#'   Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially private histograms through consistency. *Proceedings of the VLDB
#'   Endowment* 3(1), 1021-1032. \doi{10.14778/1920841.1920970}, arXiv:0904.0942 (the two passes; here for any variances and any number of levels.)
#' @examples
#' ages <- rr_hierarchy(0:99, epsilon = 1)
#' ages
#' set.seed(1)
#' truth <- pmin(rbinom(20000, 99, 0.4) + rbinom(20000, 20, 0.5), 99)
#' reports <- rr_perturb(truth, ages, rng = "R")
#' reports
#' fit <- rr_estimate(reports, ages)
#' # Shares of ranges
#' rr_contrast(fit, list("under 40" = as.character(0:39), "40 to 64" = as.character(40:64)))
#' rr_quantile(fit, c(0.25, 0.5, 0.75))
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
  parts <- if (is.function(oracle)) lapply(nodes, function(size) oracle(size, epsilon = epsilon)) else oracle
  if (!is.list(parts) || length(parts) != height) {
    abort(c("{.arg oracle} must be a function that makes a mechanism, or a list of a mechanism for each depth.",
            x = "It is {describe(oracle)}; the number of depths is {height}."), "argument")
  }
  for (l in seq_along(parts)) check_oracle(parts[[l]], nodes[l], epsilon)
  mechanism <- new_rr_sampled(
    "hierarchy", levels$labels, stats::setNames(parts, seq_len(height)), "depth",
    sprintf("Hierarchy of fanout %s and %s", format_count(fanout), number_of(height, "depth")),
    numeric_truths = levels$numeric, fanout = fanout, height = height, nodes = nodes
  )
  # The ranges of a hierarchy only make sense where levels have an order.
  made(with_order(mechanism, list(ordered = TRUE)), "rr_hierarchy", epsilon = epsilon, fanout = fanout,
       fields = c("levels", oracle = "parts"))
}

check_oracle <- function(part, size, epsilon) {
  if (!inherits(part, "rr_mechanism") || length(part$levels) != size) {
    abort(c("{.arg oracle} must make a mechanism of as many categories as a depth has nodes.",
            x = "Of {size} it made {describe(part)}."), "argument")
  }
  refuse_kept(part, "oracle")
  law <- rr_law(part)
  if (!law_gives(law, "inverse", size) || law_tells_nothing(law)) {
    abort(c("{.arg oracle} must make a mechanism with an unbiased estimate.", x = "It made: {format(part)}."),
          c("argument", "law"))
  }
  if (part$epsilon > epsilon * (1 + 1e-9)) {
    abort(c("{.arg oracle} must keep the {.arg epsilon} that it is given.",
            x = "Given {format(epsilon)}, it made one of {format(part$epsilon, digits = 6)}."), "argument")
  }
}

#' @export
rr_law.rr_hierarchy <- function(mechanism) {
  laws <- lapply(mechanism$parts, rr_law)
  # Variance of one report about one node, on average over the nodes, if all levels are equally frequent.
  unit <- vapply(seq_along(laws), function(l) {
    k <- mechanism$nodes[l]
    law <- laws[[l]]
    even <- new_evidence(law, law_reported(law, rep(1 / k, k)), 1, 1, k, mechanism$parts[[l]])
    mean(law_variances(law, even, whole_map(k, FALSE), seq_len(k), "population"))
  }, 0)
  new_rr_law("hierarchy", truths = length(mechanism$levels), fanout = mechanism$fanout, nodes = mechanism$nodes,
             unit = unit,
             laws = laws, mechanisms = mechanism$parts, rows = part_rows(mechanism$parts))
}

# ---- respondents: the node of each depth is an answer to its own question ----

prepare_answers.rr_hierarchy <- function(mechanism, x) prepare_answers.rr_mechanism(mechanism, x)

draw_reports.rr_hierarchy <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  k <- length(mechanism$levels)
  if (!is.numeric(answers) || anyNA(answers) || !all(answers %in% seq_len(k))) {
    abort(c("{.arg answers} must be positions of levels, from 1 to {format_count(k)}.",
            x = "It is {describe_kind(answers)}."),
          "argument")
  }
  nodes <- lapply(rev(seq_len(mechanism$height)) - 1,
                  function(below) as.integer((answers - 1) %/% mechanism$fanout^below) + 1L)
  draw_parts(mechanism, nodes, rng)
}

decode_answers.rr_hierarchy <- function(mechanism, reports, x) {
  collect_parts(mechanism, reports, rep(list(integer(length(reports$drawn))), mechanism$height))
}

# For the own likelihood: the depth, then what its oracle keeps of a report, see depth_laws().
report_sets.rr_hierarchy <- function(mechanism, x) {
  if (!keeps_sets(mechanism)) return(NextMethod())
  read <- read_parts(x, mechanism, FALSE)
  laws <- lapply(mechanism$parts, rr_law)
  widths <- vapply(seq_along(laws), function(l) set_bytes(laws[[l]], mechanism$nodes[l]), 0)
  bits <- matrix(as.raw(0), nrow(x), 1 + max(widths))
  for (l in seq_along(laws)) {
    rows <- read$rows[[l]]
    bits[rows, 1] <- as.raw(l)
    if (!length(rows) || widths[l] == 0) next
    part <- mechanism$parts[[l]]
    bits[rows, 1 + seq_len(widths[l])] <- in_part(names(mechanism$parts)[l], mechanism, {
      report_sets(part, part_reports(read$reports, rows, part))
    })
  }
  bits
}

# Counts of a hierarchy: the depth of each holder of a level is drawn, then each depth's counts.
simulate_counts.rr_hierarchy <- function(mechanism, truth, nsim = 1) {
  law <- rr_law(mechanism)
  depths <- mechanism$height
  vapply(seq_len(nsim), function(i) {
    left <- truth
    unlist(lapply(seq_len(depths), function(l) {
      drew <- stats::rbinom(length(left), left, 1 / (depths - l + 1))
      left <<- left - drew
      nodes <- as.vector(rowsum(drew, node_of(law, l), reorder = FALSE))
      c(sum(drew), simulate_counts(mechanism$parts[[l]], nodes, 1))
    }), use.names = FALSE)
  }, numeric(length(mechanism$reports)))
}
