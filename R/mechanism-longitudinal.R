#' Repeated reports about one truth (memoization)
#'
#' A respondent who is asked every week can draw a *permanent* answer once, keep it, and report a randomized form of it each time. These are the
#' permanent and the instantaneous randomized response (PRR and IRR). All reports together reveal no more than the permanent answer, and one report
#' reveals less. `rr_longitudinal()` makes both stages from their privacy budgets, or takes two mechanisms as they are.
#'
#' * `"oue-sue"` (default): permanent answer: unary encoding, optimized; report: each bit, symmetric. Total error: as [rr_unary()] at `epsilon`, the
#'   best of the unary ones.
#' * `"sue-sue"` (RAPPOR without Bloom filters): permanent answer: unary encoding, symmetric; report: each bit, symmetric. Total error: as the
#'   symmetric form.
#' * `"oue-oue"`, `"sue-oue"`: permanent answer: unary encoding; report: each bit, a 1 with probability 1/2. Total error: larger; the largest
#'   `epsilon` is limited.
#' * `"grr-grr"`: permanent answer: [rr_grr()]; report: [rr_grr()]. Total error: as [rr_grr()] at `epsilon`: best for few categories.
#' * `"local-hash"` (LOLOHA): permanent answer: hash value by [rr_grr()]; report: hash value by [rr_grr()]. Total error: as [rr_local_hash()] at
#'   `epsilon`.
#'
#' The second stage is solved so that one report has exactly `epsilon`. Published formulas for `"grr-grr"` and `"local-hash"` leave out a term and
#' reach less. `rr_epsilon(mechanism, reports = r)` is the epsilon of `r` reports together.
#'
#' **`"local-hash"` makes the reports of a device linkable.** Its hash function (`slope` and `shift`) is drawn once, kept, and sent with every report.
#' With many categories it identifies the device permanently, even if senders are removed and reports are shuffled. Epsilon is unaffected, but
#' anyone who collects the reports can follow a device over time. The other protocols send nothing that is kept. [rr_bloom()] with `permanent` sends
#' a cohort, which many devices share.
#'
#' @section Memory:
#' The permanent answers belong to the respondents. **The memory reveals true answers, and stays with the respondents.** The reports do not contain it.
#'
#' 1. `rr_perturb(x, mechanism, memory = list())` starts. It returns a list of `reports` and `memory`.
#' 2. `rr_perturb(x, mechanism, memory = memory)` goes on, with the same respondents in the same order.
#' 3. `memory[i]` is the memory of those who stay. Those who join start with `memory = list()`, and `c(memory, theirs)` is the memory of all.
#'
#' An answer that the respondent has given before uses its permanent answer again. A new answer draws a new permanent answer. Each *different* answer of
#' a respondent costs another `permanent`; with `"local-hash"` each different hash value, at most `g`. Without `memory` every report draws a new permanent answer, with
#' a warning: several such reports are not protected.
#'
#' @section Estimates from several rounds:
#' The reports of one respondent depend on each other, so that standard errors of a merged tally are too small, and [rr_pool()] has the same fault. The package has no likelihood of several rounds:
#' a tally does not keep which reports are of one respondent, and that likelihood needs all reports of each respondent together. Estimate each round alone, or all rounds
#' with respondents as clusters: `rr_estimate(survey::svydesign(ids = ~ id, weights = ~ 1, data = reports), mechanism)`, see [survey_designs].
#'
#' @inheritParams rr_grr
#' @param permanent Number, above `epsilon` and at most 700. Privacy budget of all reports about one answer together. Or the mechanism of the permanent
#'   answer, with `instantaneous` in place of `levels`, `epsilon` and `protocol`.
#' @param epsilon Number, 1e-12 to 700. Privacy budget of one report, in natural logarithms.
#' @param protocol The protocols of the two stages, see the table.
#' @param instantaneous The mechanism that makes each report from the permanent answer, if `permanent` is a mechanism. Its levels are the reports of
#'   `permanent`, in the same order, or both are [rr_unary()] of the same levels.
#' @return A mechanism of class `"rr_compose"` with `first`, `second` and `memoised` among its elements. If reports are bits or hash values, it also has
#'   the class and the elements of [rr_unary()] or [rr_local_hash()]. [rr_epsilon()] returns `report` and `permanent`.
#' @section Errors:
#' `candor_error_argument` if `permanent` is not above `epsilon`, and for an `epsilon` that the protocol does not reach. `candor_error_mismatch` for
#' stages that do not fit.
#' @references Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2022). Improving the utility of locally differentially private
#'   protocols for longitudinal and multidimensional frequency estimates. *Digital Communications and Networks*.
#'   \doi{10.1016/j.dcan.2022.07.003}
#'
#'   Arcolezi, H. H., Pinzon, C., Palamidessi, C. and Gambs, S. (2023). Frequency estimation of evolving data under local differential
#'   privacy. *EDBT*, 512-525. \doi{10.48786/edbt.2023.44} (LOLOHA)
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348}
#' @seealso [rr_bloom()] for RAPPOR with Bloom filters; [rr_compose()] for two stages without memory; `articles/rappor.html` of the site.
#' @concept instantaneous randomized response
#' @concept longitudinal data
#' @concept lifetime
#' @concept memoization
#' @concept LOLOHA
#' @concept permanent randomized response
#' @concept repeated reports
#' @examples
#' # Which app do 10,000 people use, if they are asked every week?
#' weekly <- rr_longitudinal(c("mail", "music", "maps"), permanent = 4,
#'                           epsilon = 1)
#' rr_epsilon(weekly)
#' rr_epsilon(weekly, reports = 4)   # 3.39, not 4
#' used <- rep(c("mail", "music", "maps"), c(5000, 3000, 2000))
#' set.seed(1)
#' first_week <- rr_perturb(used, weekly, memory = list(), rng = "R")
#' second_week <- rr_perturb(used, weekly, memory = first_week$memory,
#'                           rng = "R")
#' coef(rr_estimate(second_week$reports, weekly, method = "inv"))
#' # 0.48, 0.30, 0.21
#' @export
rr_longitudinal <- function(
  levels = NULL,
  permanent,
  epsilon = NULL,
  protocol = c("oue-sue", "sue-sue", "grr-grr", "oue-oue", "sue-oue", "local-hash"),
  instantaneous = NULL,
  ...
) {
  check_dots_empty(...)
  if (inherits(permanent, "rr_mechanism")) {
    if (!is.null(levels) || !is.null(epsilon) || !missing(protocol)) {
      abort(
        "No {.arg levels}, {.arg epsilon} or {.arg protocol} if {.arg permanent} is a mechanism."
      )
    }
    mechanism <- rr_compose(permanent, check_mechanism(instantaneous, "instantaneous"))
    mechanism$memoised <- TRUE
    return(with_recipe(
      mechanism, "rr_longitudinal", fields = c(permanent = "first", instantaneous = "second")
    ))
  }
  if (!is.null(instantaneous)) {
    abort("{.arg instantaneous} is for a {.arg permanent} that is a mechanism.")
  }
  protocol <- check_choice(protocol)
  epsilon <- check_epsilon(epsilon)
  permanent <- check_number(permanent, "permanent", min = epsilon, max = 700, min_open = TRUE)
  mechanism <- switch(protocol, `grr-grr` = longitudinal_grr(levels, permanent, epsilon),
                      `local-hash` = longitudinal_hash(levels, permanent, epsilon),
                      longitudinal_bits(levels, permanent, epsilon, protocol))
  mechanism$memoised <- TRUE
  with_recipe(
    mechanism, "rr_longitudinal", levels = level_argument(mechanism$first), permanent = permanent,
    epsilon = epsilon, protocol = protocol, fields = NULL
  )
}

# The signal p - q that the second stage may leave. It is a trifle less than the quotient, so that
# no rounding of the probabilities of either stage, in the last place of numbers near 1/2, takes the
# epsilon of a report above its bound.
signal_left <- function(quotient, first) {
  slack <- 4 * .Machine$double.eps
  max(0, quotient * (1 - 2 * slack - slack / first) - slack)
}

# Two stages of k-ary randomized response. The second stage retains (p - q) / (p1 - q1); the
# remaining reports are drawn uniformly.
longitudinal_grr <- function(levels, permanent, epsilon) {
  first <- rr_grr(levels, epsilon = permanent)
  k <- length(first$levels)
  total <- grr_levels(k, epsilon)
  retained <- signal_left(total$p_minus_q / first$p_minus_q, first$p_minus_q)
  second <- rr_grr(first$levels, p = (1 + (k - 1) * retained) / k)
  second["numeric_levels"] <- first["numeric_levels"]
  mechanism <- rr_compose(first, second)
  mechanism[c("epsilon", "p", "q")] <- list(epsilon, total$p, total$q)
  mechanism
}

longitudinal_bits <- function(levels, permanent, epsilon, protocol) {
  stages <- strsplit(protocol, "-", fixed = TRUE)[[1]]
  optimized <- stages[1] == "oue"
  first <- rr_unary(levels, permanent, optimized = optimized)
  # Symmetric bits have the signal p - q, and the optimized ones 1 - 2 q, in total and in each
  # stage.
  share <- if (optimized) 2 else 4
  first_signal <- tanh(permanent / share)
  retained <- signal_left(tanh(epsilon / share) / first_signal, first_signal)
  pair <- if (stages[2] == "sue") {
    c((1 + retained) / 2, (1 - retained) / 2)
  } else {
    c(1 / 2, half_stage(first, epsilon))
  }
  mechanism <- compose_mechanisms(
    first, rr_unary(first$levels, p = pair[1], q = pair[2])
  )
  mechanism$epsilon <- epsilon
  mechanism
}

# The q2 of the second stage with p2 = 1/2 for which one report has epsilon. The probabilities are
# q2 = 1/2 - d, p = 1/2 - (1 - p1) d, and q alike. The condition is a quadratic in d, of which one
# root is positive:
#   p (1 - q) / (q (1 - p)) = e^epsilon
half_stage <- function(first, epsilon) {
  p1 <- first$p
  q1 <- first$q
  largest <- log(p1 * (1 - q1 / 2)) -
    log(q1 * (1 - p1 / 2))
  if (epsilon > largest) {
    abort(c("{.arg epsilon} is out of this protocol's reach.",
            x = "With this {.arg permanent} the largest is {format(largest, digits = 6)}."))
  }
  linear <- first$p_minus_q / (2 * tanh(epsilon / 2))
  d <- 1 / 2 /
    (linear + sqrt(linear^2 + (1 - p1) * (1 - q1)))
  1 / 2 - min(1 / 2, signal_left(d, first$p_minus_q))
}

# Local hashing once and for all; its value goes through k-ary randomized response twice.
longitudinal_hash <- function(levels, permanent, epsilon) {
  mechanism <- rr_local_hash(levels, epsilon)
  g <- mechanism$g
  first <- grr_levels(g, permanent)$p_minus_q
  retained <- signal_left(grr_levels(g, epsilon)$p_minus_q / first, first)
  first_stage <- rr_local_hash(levels, permanent, g = g)
  second_stage <- rr_grr(g, p = (1 + (g - 1) * retained) / g)
  design <- sprintf("Two stages, local hashing (g = %s)", format_count(g))
  two_stages(mechanism, first_stage, second_stage, design)
}

# ---- drawing from permanent answers ----

memory_stage.rr_compose <- function(mechanism) mechanism$first

draw_permanent.rr_compose <- function(mechanism, answers, memory, who, rng) {
  keys <- memory_keys(
    mechanism, answers[who], list(functions = lapply(memory$functions, `[`, who))
  )
  draw_reports(permanent_stage(mechanism), as.integer(keys), rng)
}

draw_second_stage.rr_compose <- function(mechanism, permanent, memory, rng) {
  if (draws_bits(mechanism)) return(draw_second_bits(mechanism$second, permanent, rng))
  reports <- draw_reports(mechanism$second, as.integer(permanent), rng)
  if (is.null(memory$functions)) {
    reports
  } else {
    as_tibble(c(memory$functions, list(value = reports)))
  }
}
