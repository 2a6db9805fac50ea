#' @rdname rr_channel
#' @section Two mechanisms in sequence:
#' In `rr_compose(first, second)` the answer goes through `first`, and the report of `first` goes through `second`. An example is a longitudinal
#' protocol: `first` is drawn once and kept (memoized), and `second` is drawn again each time. Another is a report that is randomized
#' again on its way to the analyst.
#'
#' The matrix is `rr_matrix(first) %*% rr_matrix(second)`. **The order matters.** Two yes/no mechanisms
#' commute only if both leave the same share of "yes" unchanged.
#'
#' The estimate keeps its closed form for two mechanisms of [rr_grr()], two of [rr_binary()] and its special cases, and any two that tell the
#' truth or else draw an innocuous answer. For questionnaires compose each question, and put the compositions into [rr_product()].
#'
#' One report reveals at most `rr_epsilon()["report"]`. Any number of reports made from one memoized first stage together reveal at most the
#' epsilon of the first stage, `rr_epsilon()["permanent"]`.
#' @param first,second Mechanisms. The reports of `first` must be the levels of `second`, in the same order.
#' @return `rr_compose()`: a mechanism of class `c("rr_compose", "rr_mechanism")` with the elements `first` and `second`.
#' @references Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2022). Improving the utility of locally differentially private
#'   protocols for longitudinal and multidimensional frequency estimates. *Digital Communications and Networks*.
#'   \doi{10.1016/j.dcan.2022.07.003}
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal
#'   response. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348}
#' @concept two-stage randomization
#' @concept memoization
#' @concept composition of channels
#' @examples
#'
#' # A permanent answer at epsilon 2, reported again each week at epsilon 1:
#' # how much does one report reveal, and how much do all reports reveal?
#' weekly <- rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1))
#' rr_epsilon(weekly)   # 0.65 and 2
#' coef(rr_estimate(rr_counts(c(300, 250, 240, 210), weekly)))
#' @export
rr_compose <- function(first, second, ...) {
  check_dots_empty(...)
  check_mechanism(first, "first")
  check_mechanism(second, "second")
  refuse_validated(list(first, second), "{.fn rr_compose}")
  # Epsilon of all reports is that of `first`, once drawn: a permanent answer behind it would be
  # forgotten.
  for (arg in c("first", "second")) {
    stage <- get(arg)
    check_that(!is_memoised(stage), stage, arg, "a stage without a permanent answer of its own")
  }
  if (!identical(first$reports, second$levels)) {
    abort(
      "The reports of {.arg first} must be the levels of {.arg second}, in the same order.",
      "mismatch"
    )
  }
  with_recipe(compose_mechanisms(first, second), "rr_compose", fields = c("first", "second"))
}

# The mechanism of two stages, without its recipe.
compose_mechanisms <- function(first, second) {
  if (draws_bits(first)) return(compose_bits(first, second))
  if (law_gives(rr_law(second), "support")) abort_bits()
  compose_stages(first, second, "compose", "Two stages")
}

# An error: one stage has bits and the other does not.
abort_bits <- function() {
  abort("Bits of {.fn rr_unary} must come from bits of {.fn rr_unary}.", "mismatch")
}

# The mechanism of a protocol, with the two stages that its reports come from.
two_stages <- function(mechanism, first, second, design) {
  mechanism[c("first", "second", "design")] <- list(first, second, design)
  class(mechanism) <- c("rr_compose", class(mechanism))
  mechanism
}

# The mechanism of two stages of bits, which stay independent:
#   p = p1 p2 + (1 - p1) q2 = q2 + p1 (p2 - q2), and q alike
compose_bits <- function(first, second) {
  if (!draws_bits(second)) abort_bits()
  d <- rr_law(second)$difference
  p <- second$sampler$q + first$sampler$p * d
  q <- second$sampler$q + first$sampler$q * d
  difference <- rr_law(first)$difference * d
  odds <- if (difference == 0) 0 else difference / (q * (1 - p))
  numbers <- list(
    p = p,
    q = q,
    difference = difference,
    odds = odds,
    epsilon = round_sums_up(abs(log1p(odds)))
  )
  levels <- list(labels = first$levels, numeric = first$numeric_levels)
  two_stages(new_rr_unary(levels, numbers), first, second, "Two stages, unary encoding")
}

# The mechanism of the permanent answer.
permanent_stage <- function(mechanism) UseMethod("permanent_stage")

permanent_stage.rr_mechanism <- function(mechanism) mechanism$first

# The mechanism of two stages, for rr_compose() and rr_noncompliance(): additive if both stages are,
# else a channel.
compose_stages <- function(first, second, kind, design, ...) {
  labels <- list(
    levels = first$levels,
    reports = second$reports,
    numeric = second$numeric_levels,
    truths = truth_side(first)$numeric_levels
  )
  # Is a report 0 or 1, no or yes? A second stage on a yes/no question leaves it one.
  has_bits <- c(
    identical(labels$reports, first$reports), identical(labels$levels, first$reports)
  )
  yes_no <- !is.null(second$bits) | !is.null(first$bits) & has_bits
  a <- rr_law(first)
  b <- rr_law(second)
  k <- length(labels$levels)
  if (!law_gives(a, "additive") || !law_gives(b, "additive")) {
    mechanism <- new_rr_channel(
      unname(rr_matrix(first) %*% rr_matrix(second)),
      labels,
      design,
      kind,
      first = first,
      second = second,
      yes_no = yes_no,
      ...
    )
    mechanism$epsilon <- round_sums_up(mechanism$epsilon)
    return(with_design_epsilon(mechanism))
  }
  law <- compose_additive(a, b)
  # P(keep an answer) and P(turn another one into it), if these are two numbers; those of yes for a
  # yes/no question.
  q <- if (k == 2L) {
    rep_len(law$b, k)[2]
  } else if (length(law$b) == 1L) {
    law$b
  }
  # The column of report y holds b[y] + a once and b[y] otherwise. If p < q a report speaks
  # against its category, and two of the others may differ as well. The products are rounded before
  # the ratio is taken.
  epsilon <- round_sums_up(max(abs(log1p(law$a / law$b))))
  with_design_epsilon(
    new_rr_mechanism(
      kind,
      labels$levels,
      reports = labels$reports,
      numeric_levels = labels$numeric,
      numeric_truths = labels$truths,
      epsilon = epsilon,
      design = design,
      law = law,
      first = first,
      second = second,
      p = if (!is.null(q)) law$a + q,
      q = q,
      yes_no = yes_no,
      ...
    )
  )
}

# The law of two additive stages:
#   (b1' + a1 I)(b2' + a2 I) = (b2 + a2 b1)' + a1 a2 I, since a1 + sum(b1) = 1
compose_additive <- function(first, second) {
  b <- second$b + second$a * first$b
  is_constant <- max(b) - min(b) <= 4 * .Machine$double.eps * max(b)
  new_law_additive(first$a * second$a, if (is_constant) mean(b) else b)
}

#' @export
rr_law.rr_compose <- function(mechanism, ...) channel_law(mechanism)

#' @export
print.rr_compose <- function(x, ..., digits = 4) {
  NextMethod()
  stage_words <- function(stage) {
    epsilon <- if (protects(stage)) paste(", epsilon =", format(stage$epsilon, digits = digits))
    paste0(stage$design, epsilon)
  }
  total <- format(x$first$epsilon, digits = digits)
  writeLines(within_80(c(
    paste("  first stage  ", stage_words(x$first)),
    paste("  second stage ", stage_words(x$second)),
    paste("  All reports made from one first stage together reveal epsilon =", total)
  )))
  invisible(x)
}

# ---- mistakes and disobedience ----

# The mechanism of respondents who follow it and make no mistake: its epsilon is that of all
# respondents. `labels` are the answers that mistakes, here none, leave as they are.
designed <- function(mechanism, labels = mechanism$levels) {
  if (isTRUE(mechanism$error)) return(rr_grr(labels, p = 1))
  if (inherits(mechanism, "rr_noncompliance")) return(designed(mechanism$first))
  if (!is.null(mechanism$questions)) {
    questions <- lapply(mechanism$questions, designed)
    return(if (identical(questions, mechanism$questions)) mechanism else rr_product(questions))
  }
  if (!inherits(mechanism, "rr_compose")) return(mechanism)
  first <- designed(mechanism$first, mechanism$second$levels)
  second <- designed(mechanism$second, mechanism$first$reports)
  if (identical(first, mechanism$first) && identical(second, mechanism$second)) return(mechanism)
  rr_compose(first, second)
}

# The mechanism with the epsilon of its design: mistakes and disobedience protect nobody.
with_design_epsilon <- function(mechanism) {
  mechanism$epsilon <- designed(mechanism)$epsilon
  mechanism
}

#' @rdname rr_lie_detector
#' @order 3
#' @param mechanism The mechanism as designed.
#' @param share Number, at least 0 and below 1. Share of respondents who do not follow the instructions.
#' @param answer What these respondents do. `"uniform"` (default): a random report. `"truth"`: the plain truth. The label of a report: they always give
#'   it, such as the self-protective "no". Or a distribution over the reports (names are matched, absent names are 0).
#' @return `rr_noncompliance()`: a mechanism of class `c("rr_noncompliance", "rr_mechanism")`: `mechanism`, followed by the given behaviour. Its [rr_epsilon()] is the
#'   epsilon of `mechanism`, which protects respondents who follow the instructions.
#' @concept self-protective answer
#' @concept sensitivity analysis
#' @concept self-protective no
#' @examples
#'
#' # The survey in Nigeria: what is the prevalence if 5% or 10% said "no"
#' # whatever the die showed?
#' design <- rr_forced(1 / 6)
#' counts <- c(no = 1604, yes = 831)
#' sapply(c(0, 0.05, 0.1), function(share) {
#'   mechanism <- rr_noncompliance(design, share, answer = "no")
#'   coef(rr_estimate(rr_counts(counts, mechanism)))
#' })   # 0.26, 0.29, 0.32
#' @export
rr_noncompliance <- function(mechanism, share, answer = "uniform", ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  refuse_validated(mechanism, "{.fn rr_noncompliance}")
  share <- check_number(
    share, "share", min = 0, max = 1, max_open = TRUE, remedy = percent_remedy(share)
  )
  check_that(is.null(mechanism$questions) && has_categories(mechanism), mechanism, "mechanism",
             "of one question with finitely many reports")
  reports <- mechanism$reports
  is_truthful <- identical(answer, "truth") && !"truth" %in% reports
  if (is_truthful && !identical(mechanism$levels, reports)) {
    abort(paste(
      "{.arg answer} cannot be {.val truth}: the truths of this mechanism are not among its",
      "reports."
    ))
  }
  if (is_truthful) {
    C <- (1 - share) * unname(rr_matrix(mechanism)) +
      diag(share, length(reports))
    labels <- list(levels = reports, reports = reports, numeric = mechanism$numeric_levels)
    design <- sprintf("%s; %s answer truthfully", mechanism$design, format_share(share))
    result <- with_design_epsilon(
      new_rr_channel(
        C,
        labels,
        design,
        "noncompliance",
        first = mechanism,
        share = share,
        yes_no = !is.null(mechanism$bits)
      )
    )
  } else {
    answer <- noncompliant_answer(answer, reports, mechanism$bits)
    levels <- list(labels = reports, numeric = mechanism$numeric_levels)
    words <- sprintf("%s ignore the instructions", format_share(share))
    behaviour <- new_rr_innocuous("forced", levels, 1 - share, share * answer, words)
    design <- sprintf("%s; %s ignore it", mechanism$design, format_share(share))
    result <- compose_stages(mechanism, behaviour, "noncompliance", design, share = share)
    # Answers are read as the design reads them. Disobedience is no stage of the design.
    result[c("bits", "truth_bits", "second")] <- list(mechanism$bits, mechanism$truth_bits, NULL)
  }
  result$remark <- "disobedience protects nobody"
  with_recipe(
    result, "rr_noncompliance", share = share, answer = answer, fields = c(mechanism = "first")
  )
}

#' @export
rr_law.rr_noncompliance <- function(mechanism, ...) channel_law(mechanism)

format_share <- function(share) paste0(format(100 * share, digits = 3), "%")

# The distribution over the reports of respondents who ignore the instructions.
noncompliant_answer <- function(answer, reports, bits, arg = "answer") {
  k <- length(reports)
  if (is.character(answer) && length(answer) == 1L && answer %in% reports) {
    return(as.double(reports == answer))
  }
  if (identical(answer, "uniform")) return(rep(1 / k, k))
  if (is.numeric(answer)) {
    answer <- check_probabilities(answer, arg)
    if (abs(sum(answer) - 1) <= 1e-8) {
      answer <- match_levels(answer, reports, arg, 0, bits)
    }
    total <- sum(answer)
    if (length(answer) == k && abs(total - 1) <= 1e-8) {
      return(if (abs(total - 1) > 1e-15) answer / total else answer)
    }
  }
  others <- c("\"uniform\"", if (arg == "answer") "\"truth\"")
  must_be(
    answer, arg,
    paste("a report, a distribution over reports, or", paste(others, collapse = " or "))
  )
}
