# This file has the estimates that maximize a likelihood: maximum likelihood, the iterative Bayesian
# update and the composite likelihood.

# ---- maximum likelihood: the closed form of the law, or the certified solver ----

# The maximum likelihood estimate. A closed form meets every tolerance and needs no start.
estimate_mle <- function(evidence, options) {
  options <- list(
    tolerance = if (!is.null(options$tolerance)) {
      check_number(options$tolerance, "tolerance", min = 0)
    },
    iterations = check_count(options$iterations %||% 10000, "iterations"),
    start = distribution_option(options$start, "start", evidence)
  )
  result <- law_maximum(evidence$law, evidence, options)
  if (identical(result$converged, FALSE)) {
    warn_short(
      "The maximum of the likelihood was not reached within the tolerance.", result$iterations,
      result$gap, result$tolerance,
      if (result$stalled) {
        "Double precision allows no better for these counts: give a larger {.arg tolerance}."
      } else {
        "Give more {.arg iterations}, or a larger {.arg tolerance}."
      }
    )
  }
  result[names(result) != "stalled"]
}

warn_short <- function(headline, iterations, gap, tolerance, remedy) {
  warn(
    c(
      headline,
      x = paste(
        "After {iterations} iterations the gap is {format(gap, digits = 3)},",
        "not {format(tolerance)}."
      ),
      i = remedy
    ),
    "not_converged"
  )
}

# A distribution over the levels, checked, in their order. Users give it in this order or under
# names, for several questions as a table over them, as as.table() returns it.
distribution_option <- function(x, arg, evidence) {
  if (is.null(x)) return(NULL)
  mechanism <- evidence$mechanism
  if (length(dim(x)) > 1L && !is.null(mechanism$questions)) {
    x <- flatten_questions(x, mechanism, arg, "levels")
  }
  if (length(dim(x)) == 1L) {
    x <- setNames(as.vector(x), names(x))
  }
  x <- check_probabilities(x, arg)
  if (!is.null(mechanism)) {
    x <- match_levels(x, mechanism$levels, arg, 0, mechanism$truth_bits)
  }
  check_that(
    length(x) == evidence$k && abs(sum(x) - 1) <= 1e-8, x,
    arg, paste("a distribution over the", category_words(evidence$k))
  )
  as.double(x)
}

# ---- the iterative Bayesian update: a stated number of steps, or a stated certificate ----

estimate_ibu <- function(evidence, options) {
  law <- evidence$law
  n <- evidence$n
  tolerance <- options$tolerance %||% (if (is.null(options$iterations)) 1e-8 else 0)
  promised <- !is.null(options$tolerance) && check_number(tolerance, "tolerance", min = 0) > 0
  options <- list(
    iterations = check_count(options$iterations %||% 10000, "iterations"),
    tolerance = tolerance,
    start = distribution_option(options$start, "start", evidence)
  )
  # The distance of the iterates from the maximum needs a maximum that is unique.
  maximum <- law_maximum(law, evidence, list(iterations = 10000))
  options$maximum <- if (isTRUE(maximum$unique)) maximum$estimate
  # The update never changes a share of 0, so every report that was given must be possible under the
  # start.
  if (!is.null(options$start) &&
      any(evidence$counts > 0 & !(law_expected(law, options$start) > 0))) {
    abort("{.arg start} must allow every report that was given: start from shares above 0.")
  }
  result <- law_update(law, evidence, options) %||% abort(
    "A report is too rare for the update in double precision: use {.code method = \"mle\"}.",
    "precision"
  )
  if (!result$converged && promised) {
    warn_short(
      "The update stopped before the tolerance was reached.", options$iterations, n * result$gap,
      tolerance, "Give more {.arg iterations}, or use {.code method = \"mle\"}."
    )
  }
  steps <- result$trace
  trace <- data.frame(
    iteration = seq_along(steps$gap) - 1,
    loglik = n * steps$loglik,
    gap = n * steps$gap,
    distance = steps$distance %||% NA_real_
  )
  list(
    estimate = result$estimate,
    iterations = result$iterations,
    converged = result$converged,
    gap = n * result$gap,
    rate = if (is.null(options$maximum)) NA_real_ else update_rate(law, evidence, options$maximum),
    trace = trace,
    maximum = nearby_maximum(law, evidence, result$estimate, n * result$gap, options$maximum)
  )
}

# The maximum near an iterate if the gap is small, else NULL. It is the `unique` one; if there are
# many, a search from the iterate finds it. A gap of g leaves an iterate about sqrt(2 g) standard
# errors from the maximum, whose map is then that of the iterate. The iterate itself never reaches
# the boundary, where the maximum may be: see held_at_boundary().
nearby_maximum <- function(law, evidence, estimate, gap, unique) {
  if (gap > 1e-4) return(NULL)
  unique %||% law_maximum(law, evidence, list(start = estimate, iterations = 10000))$estimate
}

# How far the updates are from the maximum, if a gap is left: a rate r takes log(10) / -log(r) steps
# for a digit of the distance.
ibu_notes <- function(details) {
  is_far <- vapply(
    details, function(group) group$gap > 1e-4 && !is.na(group$rate), NA
  )
  if (!any(is_far)) return(NULL)
  rates <- vapply(details[is_far], `[[`, 0, "rate")
  slowest <- details[is_far][[which.max(rates)]]
  steps <- if (max(rates) < 1) {
    log(10) / -log(max(rates))
  } else {
    Inf
  }
  sprintf(
    "Distance from the maximum: %s; each further digit takes about %s steps",
    format(tail(slowest$trace$distance, 1), digits = 2),
    if (is.finite(steps)) format_count(ceiling(steps)) else "infinitely many"
  )
}

ibu_map <- function(estimate, evidence) {
  maximum <- evidence$details$maximum
  if (!is.null(maximum)) law_likelihood_map(evidence$law, evidence, maximum)
}

# ---- the composite likelihood ----

# list(a, b, odds) of the composite likelihood, which treats each supported category as a separate
# report. The closed form of k-ary randomized response then needs only the counts. This is not the
# likelihood of the reports, which support several categories together.
#
# If cells are in proportion to q + d theta the counts are those of randomized response, of C = sum
# of the counts, with
#   p' = p / (p + (K - 1) q),   q' = q / (p + (K - 1) q).
composite_binomial <- function(evidence) {
  law <- evidence$law
  if (length(law$p) > 1L || length(law$q) > 1L) {
    refuse_law(law, "alike", "{.arg method} {.val composite}")
  }
  total <- law$p + (evidence$k - 1) * law$q
  list(
    a = law$difference / total,
    b = law$q / total,
    odds = law$difference / law$q
  )
}

estimate_composite <- function(evidence, options) {
  binomial <- composite_binomial(evidence)
  if (!any(evidence$counts > 0)) {
    return(list(estimate = rep(1 / evidence$k, evidence$k)))
  }
  .Call(C_rr_mle, evidence$counts, binomial$a, binomial$b, binomial$odds)
}

# The map of the composite estimate by the delta method: theta = alpha' (I - pi 1') inv on the
# support, pi the shares of its counts.
composite_map <- function(estimate, evidence) {
  binomial <- composite_binomial(evidence)
  on <- estimate > 0
  total <- sum(evidence$counts[on])
  if (total == 0) return(NULL)
  share <- ifelse(on, evidence$counts / total, 0)
  alpha <- (1 - sum(!on) * binomial$b) / binomial$a
  list(
    support = on,
    alpha = alpha * evidence$n * evidence$law$difference / total,
    u = share
  )
}
